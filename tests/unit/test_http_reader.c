/* The reader of requests: what it finds where, its limits, and pieces of every size. What it refuses is in
 * tests/cases/http/smuggling.cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "http/reader.h"

#define START "POST / HTTP/1.1\r\n"
#define HOST  "Host: localhost\r\n"

/* Of a copy of just that size, so that a read behind its end is seen. */
static ag_http_step read_copy(ag_http_reader *r, const char *bytes, size_t n)
{
	char *text = (char *)ag_xmalloc(n ? n : 1);
	ag_http_step step;

	memcpy(text, bytes, n);
	step = ag_http_read_head(r, ag_str_make(text, n));
	free(text);
	return step;
}

static ag_http_step step_of(const char *bytes, size_t n, ag_http_reader *r)
{
	ag_http_reader_init(r);
	return read_copy(r, bytes, n);
}

static void assert_field(const ag_http_reader *r, const char *head, unsigned i, const char *name,
                         const char *value)
{
	assert_true(ag_str_eqc(ag_http_text(head, r->fields[i].name), name));
	assert_true(ag_str_eqc(ag_http_text(head, r->fields[i].value), value));
}

static void reads_all_of_it(void **state)
{
	static const char head[] = "POST /a%2Fb/../c?x=%20&y?z HTTP/1.1\r\nhOsT: [::1]:80\r\n"
				   "X-Two: \t a\tb\r\nx-two:\r\n!#$%&'*+-.^_`|~9: t\r\n"
				   "connection: Keep-Alive\r\nCONTENT-length:5\r\n\r\n";
	static const char more[] = "helloPOST ";
	ag_http_reader r;
	ag_buf b = AG_BUF_INIT(4096);

	(void)state;
	ag_buf_addf(&b, "%s%s", head, more);
	assert_int_equal(step_of(b.ptr, b.len, &r), AG_HTTP_DONE);
	assert_int_equal(r.nhead, strlen(head));
	assert_int_equal(r.framing, AG_HTTP_LENGTH);
	assert_int_equal(r.length, 5);
	assert_true(ag_str_eqc(ag_http_text(head, r.method), "POST"));
	assert_true(ag_str_eqc(ag_http_text(head, r.path), "/a%2Fb/../c"));
	assert_true(ag_str_eqc(ag_http_text(head, r.query), "x=%20&y?z"));
	assert_int_equal(r.nfield, 6);
	assert_field(&r, head, 0, "hOsT", "[::1]:80");
	assert_field(&r, head, 1, "X-Two", "a\tb");
	assert_field(&r, head, 2, "x-two", "");
	assert_field(&r, head, 3, "!#$%&'*+-.^_`|~9", "t");
	assert_true(r.keeps_open && !r.is_old && !r.expects_continue);
	/* Byte by byte, each time from another place in memory. */
	ag_http_reader_init(&r);
	for (size_t n = 0; n < strlen(head); n++)
		assert_int_equal(read_copy(&r, b.ptr, n), AG_HTTP_MORE);
	assert_int_equal(read_copy(&r, b.ptr, strlen(head)), AG_HTTP_DONE);
	assert_int_equal(r.nfield, 6);
	assert_field(&r, head, 5, "CONTENT-length", "5");
	/* Nothing of it is left in the next one. */
	assert_int_equal(step_of("GET /? HTTP/1.1\r\n" HOST "\r\n",
	                         strlen("GET /? HTTP/1.1\r\n" HOST "\r\n"), &r),
	                 AG_HTTP_DONE);
	assert_int_equal(r.framing, AG_HTTP_NO_BODY);
	assert_true(r.query.len == 0 && r.path.len == 1 && r.length == 0 && r.nfield == 1);
	ag_buf_release(&b);
}

static void what_stays_open(void **state)
{
	static const struct {
		const char *text;
		bool keeps_open, expects;
	} cases[] = {
		{ "GET / HTTP/1.1\r\n" HOST "\r\n", true, false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", false, false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: x, CLOSE ,y\r\n\r\n", false, false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: keep-alive\r\nConnection: close\r\n\r\n",
		  false, false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: closed\r\n\r\n", true, false },
		{ "GET / HTTP/1.0\r\n\r\n", false, false },
		{ "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, false },
		{ START HOST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n", true, true },
		{ "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", false,
		  false },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_http_reader r;

		assert_int_equal(step_of(cases[i].text, strlen(cases[i].text), &r), AG_HTTP_DONE);
		assert_int_equal(r.keeps_open, cases[i].keeps_open);
		assert_int_equal(r.expects_continue, cases[i].expects);
	}
}

/* The status that a head of so many headers and bytes gets; 0 = it is taken. */
static int with_headers(unsigned n, size_t nhead)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_http_reader r;
	ag_http_step step;

	ag_buf_adds(&b, START HOST);
	for (unsigned i = 1; i < n; i++)
		ag_buf_addf(&b, "X-%u: %u\r\n", i, i);
	if (nhead) {
		ag_buf_adds(&b, "X-Long: ");
		while (b.len < nhead - 4)
			ag_buf_addc(&b, 'x');
		ag_buf_adds(&b, "\r\n");
	}
	ag_buf_adds(&b, "\r\n");
	step = step_of(b.ptr, b.len, &r);
	ag_buf_release(&b);
	return step == AG_HTTP_DONE ? 0 : r.status;
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(with_headers(AG_HTTP_MAX_FIELDS, 0), 0);
	assert_int_equal(with_headers(AG_HTTP_MAX_FIELDS + 1, 0), 431);
	assert_int_equal(with_headers(2, AG_HTTP_MAX_HEAD), 0);
	assert_int_equal(with_headers(2, AG_HTTP_MAX_HEAD + 1), 431);
}

/* Data of a chunked body in pieces of this size; false: it is refused. */
static bool chunks(const char *text, size_t step, ag_buf *body, size_t *ret_used)
{
	static const char head[] = START HOST "Transfer-Encoding: chunked\r\n\r\n";
	ag_http_step got = AG_HTTP_MORE;
	ag_http_reader r;
	size_t at = 0;

	ag_buf_clear(body);
	assert_int_equal(step_of(head, strlen(head), &r), AG_HTTP_DONE);
	assert_int_equal(r.framing, AG_HTTP_CHUNKED);
	while (got == AG_HTTP_MORE && at < strlen(text)) {
		const size_t left = strlen(text) - at, n = left < step ? left : step;
		size_t used = 0;

		got = ag_http_read_chunks(&r, ag_str_make(text + at, n), body, &used);
		at += used;
	}
	*ret_used = at;
	return got == AG_HTTP_DONE;
}

static void chunked_bodies(void **state)
{
	ag_buf body = AG_BUF_INIT(4096), text = AG_BUF_INIT(4096);
	size_t used;

	(void)state;
	for (size_t step = 1; step < 40; step++) {
		assert_true(
			chunks("4\r\nwith\r\n6;x=y\r\n holes\r\n0\r\n\r\nGET", step, &body, &used));
		assert_true(ag_str_eqc(ag_buf_view(&body), "with holes"));
		assert_int_equal(used, strlen("4\r\nwith\r\n6;x=y\r\n holes\r\n0\r\n\r\n"));
		assert_true(chunks("0\r\n\r\n", step, &body, &used));
		assert_int_equal(body.len, 0);
		assert_false(chunks("4\r\nwithout\r\n0\r\n\r\n", step, &body, &used));
		assert_false(chunks("4\r\nwith\r\n0\r\nX: a\r\n\r\n", step, &body, &used));
		assert_false(chunks("4 \r\nwith\r\n0\r\n\r\n", step, &body, &used));
	}
	/* The limit is of one line between two pieces of data, not of all. */
	for (size_t extra = 200; extra < 300; extra++) {
		ag_buf_clear(&text);
		ag_buf_adds(&text, "1;");
		for (size_t i = 0; i < extra; i++)
			ag_buf_addc(&text, 'x');
		ag_buf_adds(&text, "\r\na\r\n0\r\n\r\n");
		assert_int_equal(chunks(text.ptr, 64, &body, &used),
		                 extra + 4 <= AG_HTTP_MAX_CHUNK_LINE);
	}
	ag_buf_release(&body);
	ag_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_of_it),
		cmocka_unit_test(what_stays_open),
		cmocka_unit_test(limits),
		cmocka_unit_test(chunked_bodies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
