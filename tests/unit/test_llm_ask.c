/* One call against scripted answers: what is tried again, how long it waits, what is learnt, what messages say, and
 * that keys stay out of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "llm/hub.h"
#include "llm/retry.h"
#include "llm_script.h"

/* --- a hub on a script --------------------------------------------------------------------------- */

typedef struct bench {
	llm_script script;
	ag_arena *arena;
	ag_llm_hub *hub;
	ag_llm *llm;
	ag_llm_model model;
	ag_llm_request request;
	ag_llm_reply reply;
	ag_err err;
	ag_ctx ctx;
	int64_t now; /* of the clock, when it is used */
	ag_clock clock;
	char shown[256]; /* deltas; "|" where they begin anew */
} bench;

static int64_t bench_ms(void *self)
{
	return ((bench *)self)->now;
}

static void on_delta(void *arg, ag_llm_delta_type type, ag_str text)
{
	bench *b = arg;

	size_t n = strlen(b->shown);

	(void)type;
	if (!text.ptr)
		text = AG_S("|");
	assert_true(n + text.len < sizeof(b->shown));
	memcpy(b->shown + n, text.ptr, text.len);
}

static void setup(bench *b, const llm_step *steps, size_t n)
{
	memset(b, 0, sizeof(*b));
	script_init(&b->script, steps, n);
	b->arena = ag_arena_new();
	b->model = llm_model();
	b->request = llm_request();
	b->request.on_delta = on_delta;
	b->request.arg = b;
	b->now = 1000000;
	b->clock = (ag_clock){ bench_ms, bench_ms, b };
	b->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
}

static ag_status open_it(bench *b)
{
	const ag_llm_hub_opts o = { .transport = &b->script.base,
		                    .backoff_ms = 1,
		                    .clock = &b->clock };

	if (!b->hub)
		assert_int_equal(ag_llm_hub_open(&o, &b->hub, &b->err), AG_OK);
	return ag_llm_open(b->hub, &b->model, &b->llm, &b->err);
}

static ag_status ask(bench *b)
{
	if (!b->llm)
		assert_int_equal(open_it(b), AG_OK);
	return ag_llm_ask(b->llm, &b->ctx, &b->request, b->arena, &b->reply, &b->err);
}

static void teardown(bench *b)
{
	ag_llm_close(b->llm);
	ag_llm_hub_close(b->hub);
	ag_arena_free(b->arena);
	script_free_seen(&b->script);
}

#define BENCH(b, ...)                                    \
	static const llm_step steps[] = { __VA_ARGS__ }; \
	bench b;                                         \
	(void)state;                                     \
	setup(&b, steps, AG_NELEM(steps))

static void assert_text(ag_str got, const char *want)
{
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.ptr, want, got.len);
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not say \"%s\"", text, part);
}

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
	assert_in_range(since(&ag_clock_system, begin), 0, 100);
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

/* --- what a server refuses ----------------------------------------------------------------------- */

#define SCHEMA      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}"
#define JSON_ANSWER SSE_TEXT("{\\\"a\\\":1}") SSE_STOP("stop") SSE_DONE

static void ways_to_json_are_tried_downwards(void **state)
{
	BENCH(b, { 400, ERROR("response_format json_schema is not supported") },
	      { 400, ERROR("tool_choice is not supported") }, { 200, JSON_ANSWER },
	      { 200, JSON_ANSWER });

	b.request.format_name = AG_S("act");
	b.request.format_schema = AG_S(SCHEMA);
	b.model.attempts = 1; /* they cost no attempt */
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.json, "{\"a\":1}");
	assert_non_null(strstr(b.script.seen[0], "json_schema"));
	assert_non_null(strstr(b.script.seen[1], "tool_choice"));
	assert_null(strstr(b.script.seen[2], "tool_choice"));
	assert_int_equal(b.reply.attempts, 3);
	/* Another handle of the hub knows it. */
	ag_llm_close(b.llm);
	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.script.seen[3], b.script.seen[2]);
	assert_int_equal(b.reply.attempts, 1);
	teardown(&b);
}

static void a_400_without_reason_is_tried_once_and_kept_when_it_helps(void **state)
{
	BENCH(b, { 400, ERROR("Bad Request") }, { 400, ERROR("Bad Request") },
	      { 400, ERROR("Bad Request") }, { 200, JSON_ANSWER }, { 200, JSON_ANSWER });

	b.request.format_name = AG_S("act");
	b.request.format_schema = AG_S(SCHEMA);
	assert_int_equal(ask(&b), AG_INVALID);
	assert_int_equal(b.script.at, 2);
	assert_int_equal(ask(&b), AG_OK); /* begins with the strongest again */
	assert_string_equal(b.script.seen[2], b.script.seen[0]);
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.script.seen[4], b.script.seen[3]);
	teardown(&b);
}

static void a_chosen_way_is_kept(void **state)
{
	BENCH(b, { 400, ERROR("response_format json_schema is not supported") });

	b.request.format_name = AG_S("act");
	b.request.format_schema = AG_S(SCHEMA);
	b.model.structured = AG_LLM_STRUCTURED_SCHEMA;
	assert_int_equal(ask(&b), AG_INVALID);
	assert_int_equal(b.script.at, 1);
	teardown(&b);
}

static void members_that_are_refused_are_left_out(void **state)
{
	BENCH(b, { 400, ERROR("Unsupported value: 'temperature' does not support 0.2") },
	      { 400, ERROR("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.") },
	      { 422,
	        "{\"detail\":[{\"loc\":[\"body\",\"stream_options\"],\"msg\":\"Extra inputs are "
	        "not permitted\"}]}" },
	      { 200, HELLO }, { 200, HELLO });

	b.model.temperature = 0.2;
	b.model.model = AG_S("local-model");
	assert_int_equal(ask(&b), AG_OK);
	assert_non_null(strstr(b.script.seen[0], "\"temperature\""));
	assert_null(strstr(b.script.seen[1], "\"temperature\""));
	assert_non_null(strstr(b.script.seen[1], "\"max_tokens\""));
	assert_null(strstr(b.script.seen[2], "\"max_tokens\""));
	assert_non_null(strstr(b.script.seen[2], "\"max_completion_tokens\""));
	assert_non_null(strstr(b.script.seen[2], "stream_options"));
	assert_null(strstr(b.script.seen[3], "stream_options"));
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.script.seen[4], b.script.seen[3]);
	teardown(&b);
}

/* --- the meter ----------------------------------------------------------------------------------- */

static void all_that_was_sent_is_charged(void **state)
{
	BENCH(b, { 500, ERROR("oops") }, { 200, SSE_TEXT("He") }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(meter.calls, 3);
	assert_int_equal(meter.npending, 2);
	/* The cut one: its input is estimated, and it covers the failed one before. */
	assert_true(meter.pending[0].usage.is_estimated);
	assert_in_range(meter.pending[0].usage.input_tokens, 20, 100);
	assert_int_equal(meter.pending[0].usage.output_tokens, 1);
	assert_int_equal(meter.pending[0].attempts, 2);
	assert_false(meter.pending[0].ok);
	assert_int_equal(meter.pending[1].usage.input_tokens, 100);
	assert_int_equal(meter.pending[1].attempts, 1);
	assert_true(meter.pending[1].ok);
	assert_true(meter.pending[1].is_priced);
	assert_true(meter.pending[1].usd == (100 * 2.5 + 20 * 10) / 1e6);
	assert_text(meter.pending[1].purpose, "planner");
	assert_text(meter.pending[1].name, "main");
	assert_text(meter.pending[1].model, "gpt-4o");
	assert_text(meter.pending[1].provider, "openai");
	teardown(&b);
}

static void a_failed_call_is_counted(void **state)
{
	BENCH(b, { 401, ERROR("no") });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_DENIED);
	assert_int_equal(meter.calls, 1);
	assert_int_equal(meter.input_tokens, 0);
	assert_false(meter.pending[0].ok);
	teardown(&b);
}

static void a_budget_ends_the_retries(void **state)
{
	BENCH(b, { 200, SSE_TEXT("He") }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 100, 0);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_LIMIT);
	assert_true(meter.exhausted);
	assert_int_equal(b.script.at, 1);
	/* The first answer was shortened to what is left. */
	assert_null(strstr(b.script.seen[0], "4096"));
	assert_says(b.err.msg, "budget of 100 tokens");
	teardown(&b);
}

static void nothing_is_sent_without_budget(void **state)
{
	BENCH(b, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0.00001);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_LIMIT);
	assert_int_equal(b.script.at, 0);
	assert_int_equal(meter.calls, 0);
	teardown(&b);
}

static void a_local_model_costs_nothing(void **state)
{
	BENCH(b, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0.5);
	b.request.meter = &meter;
	b.model.base_url = AG_S("http://127.0.0.1:8080/v1");
	b.model.model = AG_S("whatever");
	assert_int_equal(ask(&b), AG_OK);
	assert_true(meter.usd == 0);
	assert_true(meter.pending[0].is_priced);
	teardown(&b);
}

static void an_unknown_price_is_no_price(void **state)
{
	BENCH(b, { 200, HELLO }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0);
	b.request.meter = &meter;
	b.model.model = AG_S("nobody-knows-1");
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(meter.input_tokens, 200);
	assert_true(meter.usd == 0);
	assert_false(meter.pending[0].is_priced);
	teardown(&b);
}

/* --- keys ---------------------------------------------------------------------------------------- */

/* The longest piece of the key that a text holds. */
static size_t leak(const char *text)
{
	size_t best = 0;

	for (size_t i = 0; i < sizeof(LLM_KEY) - 1; i++) {
		for (size_t n = 1; i + n < sizeof(LLM_KEY); n++) {
			char piece[sizeof(LLM_KEY)];

			memcpy(piece, LLM_KEY + i, n);
			piece[n] = '\0';
			if (strstr(text, piece) && n > best)
				best = n;
		}
	}
	return best;
}

static void a_key_is_in_no_message(void **state)
{
	static const char *const bodies[] = {
		ERROR("Incorrect API key provided: " LLM_KEY),
		ERROR("bad header Authorization: Bearer " LLM_KEY " was sent"),
		ERROR("the key ends in q81xkTT012345678"),
		"plain text with " LLM_KEY " in it",
		ERROR("x" LLM_KEY LLM_KEY "y"),
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bodies); i++) {
		const llm_step steps[] = { { 401, bodies[i] },
			                   { 0, .fail = AG_PROTOCOL, .message = bodies[i] },
			                   { 307, bodies[i], .location = "https://h/" LLM_KEY } };
		bench b;

		setup(&b, steps, 3);
		for (size_t k = 0; k < 3; k++) {
			assert_int_not_equal(ask(&b), AG_OK);
			if (leak(b.err.msg) >= 8 || leak(b.err.hint) >= 8)
				fail_msg("%s / %s", b.err.msg, b.err.hint);
		}
		teardown(&b);
	}
}

static void a_key_with_a_line_break_is_refused(void **state)
{
	static const char *const keys[] = { "sk-abcdefgh\r\nX-Evil: 1", "sk-abcdefgh\n",
		                            "sk abcdefgh",
		                            "sk-\x01"
		                            "abcdefgh",
		                            "sk-\xc3\xa4"
		                            "abcdefgh" };

	for (size_t i = 0; i < AG_NELEM(keys); i++) {
		BENCH(b, { 200, HELLO });

		b.model.key = ag_str_c(keys[i]);
		assert_int_equal(open_it(&b), AG_INVALID);
		assert_says(b.err.msg, "key of model \"main\"");
		assert_null(strstr(b.err.msg, "abcdefgh"));
		teardown(&b);
	}
}

static void models_that_cannot_be_opened(void **state)
{
	BENCH(b, { 200, HELLO });

	b.model.provider = AG_S("opnai");
	assert_int_equal(open_it(&b), AG_INVALID);
	assert_says(b.err.hint, "openai");
	b.model = llm_model();
	b.model.base_url = AG_S("ftp://host");
	assert_int_equal(open_it(&b), AG_INVALID);
	assert_says(b.err.msg, "base_url of model \"main\"");
	b.model.base_url = AG_S("https://user:secretword@host/v1");
	assert_int_equal(open_it(&b), AG_INVALID);
	assert_null(strstr(b.err.msg, "secretword"));
	teardown(&b);
}

/* --- breaker ------------------------------------------------------------------------------------- */

static void a_broken_server_is_left_alone(void **state)
{
	llm_step steps[7];
	bench b;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		steps[i] = (llm_step){ .status = 503, .body = ERROR("down") };
	steps[6] = (llm_step){ .status = 200, .body = HELLO };
	setup(&b, steps, 7);
	b.model.attempts = 5;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_int_equal(b.script.at, 5);
	assert_int_equal(ask(&b), AG_UNAVAILABLE); /* open: nothing is sent */
	assert_int_equal(b.script.at, 5);
	assert_says(b.err.msg, "nothing is sent to it for another 30 s");
	b.now += 30000;
	assert_int_equal(ask(&b), AG_UNAVAILABLE); /* the probe fails */
	assert_int_equal(b.script.at, 6);
	assert_says(b.err.msg, "down; ");
	assert_says(b.err.msg, "nothing is sent");
	assert_int_equal(b.err.native, 503);
	b.now += 30000;
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(ag_breaker_state_of(&b.llm->origin->breaker), AG_BREAKER_CLOSED);
	teardown(&b);
}

static void client_errors_do_not_open_it(void **state)
{
	llm_step steps[12];
	bench b;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		steps[i] = (llm_step){ .status = 429, .body = ERROR("slow down") };
	setup(&b, steps, 12);
	b.model.attempts = 12;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_int_equal(b.script.at, 12);
	teardown(&b);
}

/* --- ping ---------------------------------------------------------------------------------------- */

static void a_ping_reads_the_list(void **state)
{
	BENCH(b, { 200, "{\"data\":[{\"id\":\"gpt-4o-mini\"},{\"id\":\"gpt-4o\"}]}" },
	      { 200, "{\"data\":[{\"id\":\"gpt-4\"}]}" }, { 404, "" },
	      { 401, ERROR("bad key " LLM_KEY) },
	      { 200, "{\"models\":[{\"name\":\"x/gpt-4o\"}]}" });
	ag_llm_ping p;

	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_true(p.lists_models && p.has_model);
	assert_int_equal(p.nmodel, 2);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_true(p.lists_models && !p.has_model);
	assert_text(p.nearest, "gpt-4");
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_false(p.lists_models);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_DENIED);
	assert_true(leak(b.err.msg) < 8);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_true(p.has_model);
	teardown(&b);
}

static void progress_counts_tokens(void **state)
{
	BENCH(b, { 200, HELLO });
	ag_progress progress = { .phase = NULL };

	b.ctx.progress = &progress;
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(atomic_load(&progress.phase), "asking the model");
	assert_int_equal(atomic_load(&progress.done), 1);
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
		cmocka_unit_test(passing_failures_are_tried_again),
		cmocka_unit_test(each_status),
		cmocka_unit_test(each_network_failure),
		cmocka_unit_test(an_account_without_credit_is_not_a_rate),
		cmocka_unit_test(a_cut_stream_begins_anew),
		cmocka_unit_test(a_stream_cut_for_good_says_what_came),
		cmocka_unit_test(nothing_at_all_is_a_cut),
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
		cmocka_unit_test(ways_to_json_are_tried_downwards),
		cmocka_unit_test(a_400_without_reason_is_tried_once_and_kept_when_it_helps),
		cmocka_unit_test(a_chosen_way_is_kept),
		cmocka_unit_test(members_that_are_refused_are_left_out),
		cmocka_unit_test(all_that_was_sent_is_charged),
		cmocka_unit_test(a_failed_call_is_counted),
		cmocka_unit_test(a_budget_ends_the_retries),
		cmocka_unit_test(nothing_is_sent_without_budget),
		cmocka_unit_test(a_local_model_costs_nothing),
		cmocka_unit_test(an_unknown_price_is_no_price),
		cmocka_unit_test(a_key_is_in_no_message),
		cmocka_unit_test(a_key_with_a_line_break_is_refused),
		cmocka_unit_test(models_that_cannot_be_opened),
		cmocka_unit_test(a_broken_server_is_left_alone),
		cmocka_unit_test(client_errors_do_not_open_it),
		cmocka_unit_test(a_ping_reads_the_list),
		cmocka_unit_test(progress_counts_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
