/* Server-sent events: what the specification says, and that the pieces in which bytes come do not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "net/sse.h"

/* Events as text: "name|data|id;" each, so that a whole stream is one string to compare. */
typedef struct heard {
	ag_buf text;
	size_t n, stop_at; /* the n-th event ends the reading; 0 = none does */
} heard;

static ag_status hear(void *arg, const ag_sse_event *ev, ag_err *err)
{
	heard *h = arg;

	ag_buf_add(&h->text, ev->name);
	ag_buf_addc(&h->text, '|');
	ag_buf_add(&h->text, ev->data);
	ag_buf_addc(&h->text, '|');
	ag_buf_add(&h->text, ev->id);
	ag_buf_addc(&h->text, ';');
	if (++h->n == h->stop_at)
		return ag_fail(err, AG_CONFLICT, "test", "enough");
	return AG_OK;
}

/* A copy of its own, so that a sanitizer sees every byte too many. */
static ag_status feed_copy(ag_sse *s, ag_str piece, ag_err *err)
{
	char *copy = malloc(piece.len ? piece.len : 1);
	ag_status st;

	memcpy(copy, piece.ptr, piece.len);
	st = ag_sse_feed(s, ag_str_make(copy, piece.len), err);
	free(copy);
	return st;
}

/* Cut before byte a and before byte b. */
static void read_cut(ag_str all, size_t a, size_t b, heard *h)
{
	ag_err err = { 0 };
	ag_sse s;

	*h = (heard){ .text = AG_BUF_INIT(1 << 20) };
	ag_sse_init(&s, hear, h);
	assert_int_equal(feed_copy(&s, ag_str_make(all.ptr, a), &err), AG_OK);
	assert_int_equal(feed_copy(&s, ag_str_make(all.ptr + a, b - a), &err), AG_OK);
	assert_int_equal(feed_copy(&s, ag_str_make(all.ptr + b, all.len - b), &err), AG_OK);
	assert_int_equal(ag_sse_end(&s, &err), AG_OK);
	ag_sse_release(&s);
}

static void read_bytes(ag_str all, heard *h)
{
	ag_err err = { 0 };
	ag_sse s;

	*h = (heard){ .text = AG_BUF_INIT(1 << 20) };
	ag_sse_init(&s, hear, h);
	for (size_t i = 0; i < all.len; i++)
		assert_int_equal(feed_copy(&s, ag_str_make(all.ptr + i, 1), &err), AG_OK);
	assert_int_equal(ag_sse_end(&s, &err), AG_OK);
	ag_sse_release(&s);
}

static const struct {
	ag_str bytes;
	const char *events;
} streams[] = {
	{ AG_S_INIT(""), "" },
	{ AG_S_INIT("\n"), "" },
	{ AG_S_INIT("data: a\n\n"), "|a|;" },
	{ AG_S_INIT("data: a\r\n\r\n"), "|a|;" },
	{ AG_S_INIT("data: a\r\r"), "|a|;" },
	{ AG_S_INIT("data: a\r\n\n"), "|a|;" },
	{ AG_S_INIT("data: a\n\r\n"), "|a|;" },
	{ AG_S_INIT("data: a\r\n\rdata: b\n\r"), "|a|;|b|;" },
	/* LF CR is two line ends, CR LF one. */
	{ AG_S_INIT("data: a\n\rdata: b\r\ndata: c\r\n\r\n"), "|a|;|b\nc|;" },
	{ AG_S_INIT("data:a\ndata: b\ndata:  c\n\n"), "|a\nb\n c|;" },
	{ AG_S_INIT("data\n\n"), "||;" },
	{ AG_S_INIT("data:\n\n"), "||;" },
	{ AG_S_INIT("data\ndata\n\n"), "|\n|;" },
	{ AG_S_INIT("data:\ndata: x\ndata\n\n"), "|\nx\n|;" },
	{ AG_S_INIT("event: ping\n\n"), "" },
	/* An event without data takes its name with it. */
	{ AG_S_INIT("event: ping\nid: 7\n\ndata: x\n\n"), "|x|;" },
	{ AG_S_INIT("event: a\nevent: b\ndata: x\n\n"), "b|x|;" },
	{ AG_S_INIT("event: a\nevent\ndata: x\n\n"), "|x|;" },
	{ AG_S_INIT("data: x\nevent: late\nid: 9\n\n"), "late|x|9;" },
	{ AG_S_INIT("id: 1\ndata: x\n\ndata: y\n\n"), "|x|1;|y|;" },
	{ AG_S_INIT("id: 1\nid\ndata: x\n\n"), "|x|;" },
	{ AG_S_INIT("id: a\0b\ndata: x\n\n"), "|x|;" },
	{ AG_S_INIT("id: 1\nid: a\0b\ndata: x\n\n"), "|x|1;" },
	{ AG_S_INIT(": comment\n:\ndata: x\n:comment\ndata: y\n\n"), "|x\ny|;" },
	{ AG_S_INIT(": only\n\n: comments\n\n"), "" },
	{ AG_S_INIT("retry: 10\nfoo: bar\nData: no\n data: no\ndata : no\ndata: x\n\n"), "|x|;" },
	{ AG_S_INIT("\xEF\xBB\xBF"
	            "data: x\n\n"),
	  "|x|;" },
	{ AG_S_INIT("\xEF\xBB\xBF"
	            "\ndata: x\n\n"),
	  "|x|;" },
	{ AG_S_INIT("\xEF\xBB\xBF\xEF\xBB\xBF"
	            "data: x\n\ndata: y\n\n"),
	  "|y|;" },
	{ AG_S_INIT("\n\xEF\xBB\xBF"
	            "data: x\n\ndata: y\n\n"),
	  "|y|;" },
	{ AG_S_INIT("\xEF\xBB"
	            "data: x\n\ndata: y\n\n"),
	  "|y|;" },
	{ AG_S_INIT("data: {\"a\":\"\xE2\x82\xAC\"}\n\n"), "|{\"a\":\"\xE2\x82\xAC\"}|;" },
	{ AG_S_INIT("data: a: b: c\n\n"), "|a: b: c|;" },
	/* The end: what has data is given, whole or not. */
	{ AG_S_INIT("data: a"), "|a|;" },
	{ AG_S_INIT("data: a\n"), "|a|;" },
	{ AG_S_INIT("data: a\r"), "|a|;" },
	{ AG_S_INIT("data: a\n\ndata: [DONE]"), "|a|;|[DONE]|;" },
	{ AG_S_INIT("data: a\n\nevent: x"), "|a|;" },
	{ AG_S_INIT("data: a\n\n: bye"), "|a|;" },
	{ AG_S_INIT("\xEF\xBB\xBF"
	            "data: x"),
	  "|x|;" },
	{ AG_S_INIT("event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
	            "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	            ": keep-alive\r\n\r\n"
	            "id: 5\r\nevent: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n"),
	  "message_start|{\"type\":\"message_start\"}|;ping|{\"type\": \"ping\"}|;"
	  "message_stop|{\"type\":\"message_stop\"}|5;" },
};

static void assert_heard(const heard *h, size_t i, size_t a, size_t b)
{
	ag_str got = ag_buf_view(&h->text);

	if (!ag_str_eqc(got, streams[i].events))
		fail_msg("stream %zu cut at %zu and %zu: got \"%.*s\", want \"%s\"", i, a, b,
		         AG_FMT(got), streams[i].events);
}

static void reads_as_specified_however_it_is_cut(void **state)
{
	heard h;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(streams); i++) {
		ag_str all = streams[i].bytes;

		for (size_t a = 0; a <= all.len; a++) {
			for (size_t b = a; b <= all.len; b++) {
				read_cut(all, a, b, &h);
				assert_heard(&h, i, a, b);
				ag_buf_release(&h.text);
			}
		}
		read_bytes(all, &h);
		assert_heard(&h, i, 1, 1);
		ag_buf_release(&h.text);
	}
}

static void stops_when_told(void **state)
{
	heard h = { .text = AG_BUF_INIT(1000), .stop_at = 2 };
	ag_err err = { 0 };
	ag_sse s;

	(void)state;
	ag_sse_init(&s, hear, &h);
	assert_int_equal(ag_sse_feed(&s, AG_S("data: 1\n\ndata: 2\n\ndata: 3\n\n"), &err),
	                 AG_CONFLICT);
	assert_string_equal(err.msg, "enough");
	assert_string_equal(h.text.ptr, "|1|;|2|;");
	ag_sse_release(&s);

	ag_buf_clear(&h.text);
	h.n = 1;
	ag_sse_init(&s, hear, &h);
	assert_int_equal(ag_sse_feed(&s, AG_S("data: last"), &err), AG_OK);
	assert_int_equal(ag_sse_end(&s, &err), AG_CONFLICT);
	assert_string_equal(h.text.ptr, "|last|;");
	assert_int_equal(ag_sse_end(&s, &err), AG_OK); /* and once only */
	assert_string_equal(h.text.ptr, "|last|;");
	ag_sse_release(&s);
	ag_buf_release(&h.text);
}

static ag_status count_bytes(void *arg, const ag_sse_event *ev, ag_err *err)
{
	(void)err;
	*(size_t *)arg += ev->name.len + ev->data.len + ev->id.len;
	return AG_OK;
}

/* `prefix`, n bytes of "x", then a line end, in pieces of `step`. */
static ag_status feed_line(ag_sse *s, const char *prefix, size_t n, size_t step, ag_err *err)
{
	size_t head = strlen(prefix), len = head + n + 1;
	char *line = malloc(len);
	ag_status st = AG_OK;

	memcpy(line, prefix, head);
	memset(line + head, 'x', n);
	line[len - 1] = '\n';
	for (size_t i = 0; i < len && !st; i += step)
		st = ag_sse_feed(s, ag_str_make(line + i, len - i < step ? len - i : step), err);
	free(line);
	return st;
}

/* The limits count content, whole or in pieces alike. */
static void has_limits(void **state)
{
	static const size_t steps[] = { SIZE_MAX / 2, 16384, 4099 };
	const size_t line = AG_SSE_MAX_LINE_BYTES;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(steps); i++) {
		size_t n = 0;
		ag_err err = { 0 };
		ag_sse s;

		ag_sse_init(&s, count_bytes, &n);
		assert_int_equal(feed_line(&s, "data:", line - 5, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, ":", line - 1, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "data:", line - 5, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "data:", 7, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "id:", 1, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "", 0, steps[i], &err), AG_OK);
		assert_int_equal(n, AG_SSE_MAX_EVENT_BYTES);
		/* The same and one byte more. */
		assert_int_equal(feed_line(&s, "data:", line - 5, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "data:", line - 5, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "data:", 7, steps[i], &err), AG_OK);
		assert_int_equal(feed_line(&s, "id:", 2, steps[i], &err), AG_LIMIT);
		assert_non_null(strstr(err.msg, "an event of more than 16 MB"));
		ag_sse_release(&s);

		n = 0;
		ag_sse_init(&s, count_bytes, &n);
		assert_int_equal(feed_line(&s, ":", line, steps[i], &err), AG_LIMIT);
		assert_non_null(strstr(err.msg, "a line of more than 8 MB"));
		assert_int_equal(n, 0);
		ag_sse_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_as_specified_however_it_is_cut),
		cmocka_unit_test(stops_when_told),
		cmocka_unit_test(has_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
