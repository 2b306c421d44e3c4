/* One call against scripted answers: what is an answer, what is tried again, how long it waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "llm/hub.h"
#include "llm/retry.h"
#include "llm_bench.h"

/* --- answers ------------------------------------------------------------------------------------- */

static void an_answer_streams(void **state)
{
	BENCH(b, { 200, HELLO });

	b.script.piece = 3;
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.text, "Hello");
	assert_text(b.reply.model, "m-1");
	assert_string_equal(b.shown, "Hello");
	assert_int_equal(b.reply.stop, AG_LLM_STOP_END);
	assert_int_equal(b.reply.usage.input_tokens, 100);
	assert_int_equal(b.reply.usage.output_tokens, 20);
	assert_false(b.reply.usage.is_estimated);
	assert_int_equal(b.reply.attempts, 1);
	teardown(&b);
}

#define WHOLE                                                                                     \
	"{\"model\":\"m-1\",\"choices\":[{\"message\":{\"content\":\"Hello\"},\"finish_reason\":" \
	"\"stop\"}]}"

static void a_whole_answer_to_a_request_for_a_stream(void **state)
{
	BENCH(b, { 200, " \n" WHOLE });

	b.script.piece = 1;
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.text, "Hello");
	/* No usage came: it is estimated, and says so. */
	assert_true(b.reply.usage.is_estimated);
	assert_in_range(b.reply.usage.input_tokens, 10, 200);
	assert_int_equal(b.reply.usage.output_tokens, 2);
	teardown(&b);
}

static void a_stream_that_was_not_asked_for(void **state)
{
	BENCH(b, { 200, ": comment\r\n\r\n" HELLO });

	b.model.no_stream = true;
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.text, "Hello");
	assert_null(strstr(b.script.seen[0], "\"stream\":true"));
	teardown(&b);
}

static void a_stop_reason_ends_a_stream_without_done(void **state)
{
	BENCH(b, { 200, SSE_TEXT("Hello") SSE_STOP("stop") },
	      { 200, SSE_TEXT("Hello") SSE_STOP("stop"), .fail = AG_UNAVAILABLE, .native = 56 });

	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(b.reply.attempts, 1);
	/* The same when the connection breaks after it. */
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(b.reply.attempts, 1);
	teardown(&b);
}

static void a_web_page_is_no_answer(void **state)
{
	BENCH(b, { 200, "<!doctype html><title>Welcome</title>" });

	assert_int_equal(ask(&b), AG_PROTOCOL);
	assert_says(b.err.msg, "api.example.com answered with a web page");
	assert_says(b.err.hint, "base_url");
	assert_int_equal(b.script.at, 1);
	teardown(&b);
}

/* Values beyond the limit cost many times their text: the answer is not read, and not asked for again. */
static void an_answer_of_too_many_values_is_not_read(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"choices\":[{\"message\":{\"content\":\"Hello\"}}],\"z\":[0", "]}" },
		{ "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}],\"z\":[0", "]}\n\n" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_buf text = AG_BUF_INIT(1 << 20);
		llm_step step = { .status = 200 };
		bench b;

		ag_buf_adds(&text, rows[i][0]);
		for (size_t n = 1; n < AG_WIRE_MAX_VALUES; n++)
			ag_buf_adds(&text, ",0");
		ag_buf_adds(&text, rows[i][1]);
		step.body = text.ptr;
		setup(&b, &step, 1);
		assert_int_equal(ask(&b), AG_LIMIT);
		assert_says(b.err.msg, "more than 250000 values");
		assert_int_equal(b.script.at, 1);
		teardown(&b);
		ag_buf_release(&text);
	}
}

/* --- what is tried again ------------------------------------------------------------------------- */

static void passing_failures_are_tried_again(void **state)
{
	BENCH(b, { 503, ERROR("busy") }, { 0, .fail = AG_UNAVAILABLE, .native = 7 },
	      { 529, ERROR("Overloaded") }, { 200, HELLO });

	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.text, "Hello");
	assert_int_equal(b.reply.attempts, 4);
	assert_string_equal(b.script.seen[0], b.script.seen[3]);
	teardown(&b);
}

static void each_status(void **state)
{
	static const struct {
		int status;
		size_t nsent;
		ag_status st;
	} rows[] = {
		{ 400, 1, AG_INVALID },     { 401, 1, AG_DENIED },      { 403, 1, AG_DENIED },
		{ 404, 1, AG_NOT_FOUND },   { 413, 1, AG_INVALID },     { 422, 1, AG_INVALID },
		{ 408, 2, AG_UNAVAILABLE }, { 425, 2, AG_UNAVAILABLE }, { 429, 2, AG_UNAVAILABLE },
		{ 500, 2, AG_UNAVAILABLE }, { 502, 2, AG_UNAVAILABLE }, { 503, 2, AG_UNAVAILABLE },
		{ 504, 2, AG_UNAVAILABLE }, { 529, 2, AG_UNAVAILABLE }, { 599, 2, AG_UNAVAILABLE },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		const llm_step steps[2] = { { rows[i].status, "{\"error\":{\"message\":\"no\"}}" },
			                    { rows[i].status,
			                      "{\"error\":{\"message\":\"no\"}}" } };
		ag_status st;
		bench b;

		setup(&b, steps, 2);
		b.model.attempts = 2;
		st = ask(&b);
		if (st != rows[i].st && !(st == AG_TIMEOUT && rows[i].st == AG_UNAVAILABLE))
			fail_msg("%d gives %s", rows[i].status, ag_status_name(st));
		assert_int_equal(b.script.at, rows[i].nsent);
		assert_int_equal(b.err.native, rows[i].status);
		assert_says(b.err.msg, "api.example.com");
		assert_says(b.err.msg, rows[i].nsent == 1 ? "(1 attempt)" : "(2 attempts)");
		assert_true(b.err.hint[0] || st == AG_INVALID);
		teardown(&b);
	}
}

static void each_network_failure(void **state)
{
	static const struct {
		ag_status st;
		int native;
		size_t nsent;
	} rows[] = {
		{ AG_UNAVAILABLE, 7, 4 },  /* refused */
		{ AG_UNAVAILABLE, 6, 2 },  /* no such name: once more */
		{ AG_UNAVAILABLE, 60, 1 }, /* certificate */
		{ AG_UNAVAILABLE, 56, 4 }, /* reset */
		{ AG_TIMEOUT, 28, 4 },     /* first byte, idle, connect */
		{ AG_UNAVAILABLE, 0, 1 },  /* no libcurl */
		{ AG_PROTOCOL, 8, 1 },     { AG_LIMIT, 0, 1 }, { AG_CANCELLED, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		llm_step steps[4];
		bench b;

		for (size_t k = 0; k < 4; k++)
			steps[k] = (llm_step){ .fail = rows[i].st, .native = rows[i].native };
		setup(&b, steps, 4);
		assert_int_equal(ask(&b), rows[i].st);
		if (b.script.at != rows[i].nsent)
			fail_msg("row %zu: sent %zu times", i, b.script.at);
		teardown(&b);
	}
}

static void an_account_without_credit_is_not_a_rate(void **state)
{
	BENCH(b, { 429, "{\"error\":{\"message\":\"You exceeded your current quota.\",\"code\":"
	                "\"insufficient_quota\"}}" });

	assert_int_equal(ask(&b), AG_DENIED);
	assert_says(b.err.hint, "credit");
	teardown(&b);
}

static void a_cut_stream_begins_anew(void **state)
{
	BENCH(b, { 200, SSE_TEXT("He"), .fail = AG_UNAVAILABLE, .native = 18, .message = "cut" },
	      { 200, HELLO });

	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.shown, "He|Hello");
	assert_text(b.reply.text, "Hello");
	assert_int_equal(b.reply.attempts, 2);
	teardown(&b);
}

static void a_stream_cut_for_good_says_what_came(void **state)
{
	BENCH(b, { 200, SSE_TEXT("Gr\\u00fc") }, { 200, SSE_TEXT("Gr\\u00fc\\u00df") });

	b.model.attempts = 2;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_says(b.err.msg, "cut its answer off after 4 characters of text");
	assert_says(b.err.msg, "(2 attempts)");
	assert_text(b.reply.text, "Gr\u00fc\u00df");
	assert_int_equal(b.reply.attempts, 2);
	teardown(&b);
}

static void nothing_at_all_is_a_cut(void **state)
{
	BENCH(b, { 200, "" }, { 200, "\n\n" }, { 200, "{\"choices\":[{\"mess" }, { 200, HELLO });

	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(b.reply.attempts, 4);
	teardown(&b);
}

static void an_empty_answer_is_called_so(void **state)
{
	BENCH(b, { 200, "" }, { 200, "\r\n" }, { 204, "" });

	b.model.attempts = 2;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_says(b.err.msg, "api.example.com gave an empty answer (HTTP 200) (2 attempts)");
	/* No content is no accident. */
	assert_int_equal(ask(&b), AG_PROTOCOL);
	assert_says(b.err.msg, "an empty answer (HTTP 204) (1 attempt)");
	assert_says(b.err.hint, "base_url");
	teardown(&b);
}

#define GZIP "\x1f\x8b\x08 zipped"

static void a_coding_that_was_not_asked_for_is_named(void **state)
{
	BENCH(b, { 200, GZIP, .encoding = "gzip" },
	      { 200, "\x0b\x02 brotli\n\n", .encoding = "br" },
	      { 200, GZIP }, /* of a recording, which has no headers */
	      { 200, GZIP, .encoding = "gzip", .fail = AG_UNAVAILABLE, .native = 18 },
	      { 200, "[\x01 brotli", .encoding = "br" }, { 200, HELLO, .encoding = "gzip" },
	      { 200, WHOLE, .encoding = "br" });
	static const char *const names[] = { "gzip", "br", "gzip", "gzip", "br" };

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		char want[64];

		snprintf(want, sizeof(want), "content-encoding %s, which was not asked for",
		         names[i]);
		assert_int_equal(ask(&b), AG_PROTOCOL);
		assert_says(b.err.msg, want);
		assert_says(b.err.msg, "api.example.com");
		assert_says(b.err.msg, "(1 attempt)");
		assert_says(b.err.hint, "proxy");
	}
	/* What can be read is an answer, whatever the header says. */
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.text, "Hello");
	teardown(&b);
}

/* Every place where the connection can end: a retry, and then the whole answer. */
static void cut_at_every_byte(void **state)
{
	static const char hello[] = HELLO;
	static const char stop[] = SSE_TEXT("Hel") SSE_TEXT("lo") SSE_STOP("stop");

	(void)state;
	for (size_t n = 0; n < sizeof(hello); n++) {
		char *part = strndup(hello, n);
		const llm_step steps[] = { { 200, part, .fail = AG_UNAVAILABLE, .native = 18 },
			                   { 200, hello } };
		bench b;

		setup(&b, steps, 2);
		assert_int_equal(ask(&b), AG_OK);
		assert_text(b.reply.text, "Hello");
		/* The line break that ends the event with the stop reason is the last byte needed. */
		assert_int_equal(b.reply.attempts, n < sizeof(stop) - 1 ? 2 : 1);
		teardown(&b);
		free(part);
	}
}

static void an_error_in_the_stream(void **state)
{
	BENCH(b, { 200, SSE_TEXT("He") "data: " ERROR("Overloaded, overloaded") "\n\n" },
	      { 200,
	        "data: {\"error\":{\"message\":\"This is a bad prompt\",\"type\":\"invalid_request_error\"}}\n\n" });

	assert_int_equal(ask(&b), AG_INVALID);
	assert_says(b.err.msg, "bad prompt");
	assert_int_equal(b.script.at, 2);
	teardown(&b);
}

static void a_redirect_is_not_followed(void **state)
{
	BENCH(b, { 307, "", .location = "https://evil.example.net/v1/chat/completions?k=1" });

	assert_int_equal(ask(&b), AG_INVALID);
	assert_says(b.err.msg, "307");
	assert_says(b.err.msg, "evil.example.net");
	assert_says(b.err.hint, "base_url");
	assert_int_equal(b.script.at, 1);
	teardown(&b);
}

/* --- waiting ------------------------------------------------------------------------------------- */

static void back_off_grows_with_full_jitter(void **state)
{
	int64_t most[9] = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		for (unsigned n = 1; n < 9; n++) {
			int64_t ms = ag_retry_backoff_ms(500, n, ag_retry_random(7, i));

			assert_in_range(ms, 0, 30000);
			most[n] = ms > most[n] ? ms : most[n];
		}
	}
	assert_in_range(most[1], 480, 500);
	assert_in_range(most[2], 960, 1000);
	assert_in_range(most[3], 1920, 2000);
	assert_in_range(most[7], 29000, 30000);
	assert_in_range(most[8], 29000, 30000);
}

static int64_t since(const ag_clock *c, int64_t begin)
{
	return ag_clock_mono(c) - begin;
}

static void retry_after_is_waited_for(void **state)
{
	BENCH(b, { 429, ERROR("slow down"), .retry_after = "1" }, { 200, HELLO });
	int64_t begin = ag_clock_mono(&ag_clock_system);

	assert_int_equal(ask(&b), AG_OK);
	assert_in_range(since(&ag_clock_system, begin), 1000, 3000);
	teardown(&b);
}

/* The date is against the run's clock: half a second ahead, and long ago. */
static void retry_after_as_a_date(void **state)
{
	BENCH(b, { 503, ERROR("busy"), .retry_after = "Sun, 06 Nov 1994 08:49:38 GMT" },
	      { 503, ERROR("busy"), .retry_after = "Sun, 06 Nov 1994 08:49:00 GMT" },
	      { 200, HELLO });
	int64_t begin = ag_clock_mono(&ag_clock_system);

	assert_true(ag_time_parse_iso(AG_S("1994-11-06T08:49:37Z"), &b.now));
	b.now += 500;
	b.ctx.clock = &b.clock;
	assert_int_equal(ask(&b), AG_OK);
	assert_in_range(since(&ag_clock_system, begin), 500, 2000);
	teardown(&b);
}

static void a_server_that_asks_too_much_is_left(void **state)
{
	BENCH(b, { 429, ERROR("slow down"), .retry_after = "3600" });

	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_says(b.err.msg, "slow down");
	assert_says(b.err.msg, "asks to wait 3600 s");
	assert_int_equal(b.err.native, 429);
	teardown(&b);
}

static void nothing_is_waited_for_beyond_the_deadline(void **state)
{
	BENCH(b, { 429, ERROR("slow down"), .retry_after = "30" });
	int64_t begin = ag_clock_mono(&ag_clock_system);

	b.ctx.deadline_ms = begin + 5000;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_says(b.err.msg, "asks to wait 30 s");
	assert_says(b.err.msg, "time limit");
	assert_in_range(since(&ag_clock_system, begin), 0, 1000);
	teardown(&b);
}

static void the_deadline_itself_is_no_retry(void **state)
{
	BENCH(b, { 0, .fail = AG_TIMEOUT, .message = "the time limit was reached" });

	b.ctx.clock = &b.clock;
	b.ctx.deadline_ms = b.now + 10;
	b.script.before = NULL;
	assert_int_equal(open_it(&b), AG_OK);
	b.now += 20; /* so late the answer would come */
	assert_int_equal(ask(&b), AG_TIMEOUT);
	assert_int_equal(b.script.at, 0);
	teardown(&b);
}

static atomic_bool cancelled;

static void cancel_now(void *arg, size_t step)
{
	(void)arg;
	atomic_store(&cancelled, step == 0);
}

static void a_cancel_ends_the_wait(void **state)
{
	BENCH(b, { 429, ERROR("slow down"), .retry_after = "60" });
	int64_t begin = ag_clock_mono(&ag_clock_system);

	atomic_store(&cancelled, false);
	b.ctx.cancel = &cancelled;
	b.script.before = cancel_now;
	assert_int_equal(ask(&b), AG_CANCELLED);
	assert_in_range(since(&ag_clock_system, begin), 0,
	                1000); /* of 60 s; 20 ms when nothing else runs */
	teardown(&b);
}

/* What took all of total_ms would take it again. */
static void jump(void *arg, size_t step)
{
	(void)step;
	((bench *)arg)->now += 600000;
}

static void the_total_time_is_not_spent_twice(void **state)
{
	BENCH(b, { 200, SSE_TEXT("He"), .fail = AG_TIMEOUT, .native = 28, .message = "total" });

	b.ctx.clock = &b.clock;
	b.script.before = jump;
	b.script.arg = &b;
	assert_int_equal(ask(&b), AG_TIMEOUT);
	assert_int_equal(b.script.at, 1);
	assert_text(b.reply.text, "He");
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_streams),
		cmocka_unit_test(a_whole_answer_to_a_request_for_a_stream),
		cmocka_unit_test(a_stream_that_was_not_asked_for),
		cmocka_unit_test(a_stop_reason_ends_a_stream_without_done),
		cmocka_unit_test(a_web_page_is_no_answer),
		cmocka_unit_test(an_answer_of_too_many_values_is_not_read),
		cmocka_unit_test(passing_failures_are_tried_again),
		cmocka_unit_test(each_status),
		cmocka_unit_test(each_network_failure),
		cmocka_unit_test(an_account_without_credit_is_not_a_rate),
		cmocka_unit_test(a_cut_stream_begins_anew),
		cmocka_unit_test(a_stream_cut_for_good_says_what_came),
		cmocka_unit_test(nothing_at_all_is_a_cut),
		cmocka_unit_test(an_empty_answer_is_called_so),
		cmocka_unit_test(a_coding_that_was_not_asked_for_is_named),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(an_error_in_the_stream),
		cmocka_unit_test(a_redirect_is_not_followed),
		cmocka_unit_test(back_off_grows_with_full_jitter),
		cmocka_unit_test(retry_after_is_waited_for),
		cmocka_unit_test(retry_after_as_a_date),
		cmocka_unit_test(a_server_that_asks_too_much_is_left),
		cmocka_unit_test(nothing_is_waited_for_beyond_the_deadline),
		cmocka_unit_test(the_deadline_itself_is_no_retry),
		cmocka_unit_test(a_cancel_ends_the_wait),
		cmocka_unit_test(the_total_time_is_not_spent_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
