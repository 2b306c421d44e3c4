/* The lane's reader: what it takes for plain, and that a request means the same there and at libmicrohttpd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/lane_read.h"
#include "http_echo.h"

#define START "POST / HTTP/1.1\r\n"
#define HOST  "Host: localhost\r\n"
#define NONE  "Content-Length: 0\r\n"

static ag_lane_kind kind_of(const char *bytes, size_t n)
{
	ag_httpd_header headers[AG_LANE_HEADERS];
	ag_lane_request rq = { 0 };
	/* Of just that size, so that a read behind its end is seen. */
	char *text = (char *)ag_xmalloc(n ? n : 1);
	ag_lane_kind kind;

	memcpy(text, bytes, n);
	kind = ag_lane_read(ag_str_make(text, n), &rq, headers);
	free(text);
	return kind;
}

static void reads_all_of_it(void **state)
{
	static const char head[] = "POST /a%2Fb/../c?x=%20&y?z HTTP/1.1\r\nhOsT: [::1]:80\r\n"
				   "X-Two: \t a\tb\r\nx-two:\r\n!#$%&'*+-.^_`|~9: t\r\n"
				   "connection: Keep-Alive\r\nCONTENT-length:5\r\n\r\n";
	ag_httpd_header h[AG_LANE_HEADERS];
	ag_lane_request rq = { 0 };
	ag_buf b = AG_BUF_INIT(4096);
	ag_str text;

	(void)state;
	ag_buf_addf(&b, "%shelloPOST ", head);
	text = ag_buf_view(&b);
	assert_int_equal(ag_lane_read(text, &rq, h), AG_LANE_PLAIN);
	assert_int_equal(rq.size, strlen(head) + 5);
	assert_int_equal(rq.nbody, 5);
	assert_true(ag_str_eqc(rq.path, "/a%2Fb/../c") && ag_str_eqc(rq.query, "x=%20&y?z"));
	assert_true(ag_str_eqc(rq.body, "hello"));
	assert_int_equal(rq.nheader, 6);
	assert_true(ag_str_eqc(h[0].name, "hOsT") && ag_str_eqc(h[0].value, "[::1]:80"));
	assert_true(ag_str_eqc(h[1].name, "X-Two") && ag_str_eqc(h[1].value, "a\tb"));
	assert_true(ag_str_eqc(h[2].name, "x-two") && ag_str_eqc(h[2].value, ""));
	assert_true(ag_str_eqc(h[3].name, "!#$%&'*+-.^_`|~9") && ag_str_eqc(h[3].value, "t"));
	/* Of every shorter text the head is not there, or a part of the body. */
	for (size_t n = 0; n < strlen(head) + 5; n++)
		assert_int_equal(kind_of(text.ptr, n),
		                 n < strlen(head) ? AG_LANE_OTHER : AG_LANE_PART);
	assert_int_equal(ag_lane_read(ag_str_make(text.ptr, strlen(head) + 4), &rq, h),
	                 AG_LANE_PART);
	assert_int_equal(rq.size, strlen(head) + 5);
	assert_int_equal(rq.nbody, 5);
	/* Nothing of it is left in the next one. */
	assert_int_equal(ag_lane_read(AG_S("POST /? HTTP/1.1\r\n" HOST NONE "\r\n"), &rq, h),
	                 AG_LANE_PLAIN);
	assert_true(ag_str_eqc(rq.path, "/") && rq.query.ptr && rq.query.len == 0);
	assert_true(rq.body.len == 0 && rq.nheader == 2);
	ag_buf_release(&b);
}

static void leaves_the_rest(void **state)
{
	static const char *const others[] = {
		"",
		"\r\n" START HOST NONE "\r\n",
		"GET / HTTP/1.1\r\n" HOST NONE "\r\n",
		"post / HTTP/1.1\r\n" HOST NONE "\r\n",
		"POSTS / HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST / HTTP/1.0\r\n" HOST NONE "\r\n",
		"POST / HTTP/1.2\r\n" HOST NONE "\r\n",
		"POST / HTTP/2.0\r\n" HOST NONE "\r\n",
		"POST / http/1.1\r\n" HOST NONE "\r\n",
		"POST / HTTP/1.1 \r\n" HOST NONE "\r\n",
		"POST /  HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST  / HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST\t/ HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /\tHTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /a b HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /a\tb HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /a#b HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /\xc3\xa4 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /\x7f HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /\x01 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST  HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST * HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST x HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST ?/ HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST http://localhost/ HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /\r\n" HOST NONE "\r\n",
		"POST / HTTP/1.1\n" HOST NONE "\r\n",
		START "Host: localhost\n" NONE "\r\n",
		START HOST NONE "\n",
		START HOST NONE "\r",
		START HOST NONE "\rX\r\n\r\n",
		START HOST "X: a\rb\r\n" NONE "\r\n",
		START HOST NONE,
		START HOST "\r\n",
		START NONE "\r\n",
		START HOST HOST NONE "\r\n",
		START HOST "HOST: other\r\n" NONE "\r\n",
		START HOST NONE NONE "\r\n",
		START HOST NONE "content-length: 0\r\n\r\n",
		START HOST "Content-Length:\r\n\r\n",
		START HOST "Content-Length: +0\r\n\r\n",
		START HOST "Content-Length: -0\r\n\r\n",
		START HOST "Content-Length: 0,0\r\n\r\n",
		START HOST "Content-Length: 0, 0\r\n\r\n",
		START HOST "Content-Length: 0x0\r\n\r\n",
		START HOST "Content-Length: 0 0\r\n\r\n",
		START HOST "Content-Length: 0;\r\n\r\n",
		START HOST "Content-Length: 131073\r\n\r\n",
		START HOST "Content-Length: 9999999\r\n\r\n",
		START HOST "Content-Length: 00000000\r\n\r\n",
		START HOST "Content-Length: 18446744073709551616\r\n\r\n",
		START HOST "Content-Length: 0 \r\n\r\n",
		START HOST "Content-Length: 0\t\r\n\r\n",
		START HOST "X: a \r\n" NONE "\r\n",
		START HOST "X: \r\n" NONE "\r\n",
		"POST / HTTP/1.1\t\r\n" HOST NONE "\r\n",
		START HOST "Content-Length : 0\r\n\r\n",
		START HOST "Content Length: 0\r\n" NONE "\r\n",
		START HOST "X : a\r\n" NONE "\r\n",
		START HOST "X\t: a\r\n" NONE "\r\n",
		START HOST "X\r\n" NONE "\r\n",
		START HOST ": a\r\n" NONE "\r\n",
		START HOST "X(: a\r\n" NONE "\r\n",
		START HOST "X: a\r\n b\r\n" NONE "\r\n",
		START HOST "X: a\r\n\tb\r\n" NONE "\r\n",
		START " X: a\r\n" HOST NONE "\r\n",
		START HOST "X: \xc3\xa4\r\n" NONE "\r\n",
		START HOST "X: \x7f\r\n" NONE "\r\n",
		START HOST "X: \x1b[0m\r\n" NONE "\r\n",
		START HOST "Transfer-Encoding: chunked\r\n\r\n",
		START HOST "Transfer-Encoding: chunked\r\n" NONE "\r\n",
		START HOST NONE "transfer-encoding: identity\r\n\r\n",
		START HOST NONE "TRANSFER-ENCODING:\r\n\r\n",
		START HOST NONE "Expect: 100-continue\r\n\r\n",
		START HOST NONE "expect: x\r\n\r\n",
		START HOST NONE "Upgrade: h2c\r\n\r\n",
		START HOST NONE "Trailer: X\r\n\r\n",
		START HOST NONE "TE: trailers\r\n\r\n",
		START HOST NONE "Connection: close\r\n\r\n",
		START HOST NONE "Connection: keep-alive, close\r\n\r\n",
		START HOST NONE "Connection:\r\n\r\n",
		START HOST NONE "Connection: keep-alive\r\nconnection: close\r\n\r\n",
	};
	static const char nul[] = START HOST "X: a\0b\r\n" NONE "\r\n";

	(void)state;
	for (size_t i = 0; i < AG_NELEM(others); i++)
		if (kind_of(others[i], strlen(others[i])) != AG_LANE_OTHER)
			fail_msg("%zu: %s", i, others[i]);
	assert_int_equal(kind_of(nul, sizeof(nul) - 1), AG_LANE_OTHER);
}

static ag_lane_kind with_headers(unsigned n, size_t nhead, size_t nbody)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_lane_kind kind;

	ag_buf_addf(&b, START HOST "Content-Length: %zu\r\n", nbody);
	for (unsigned i = 2; i < n; i++)
		ag_buf_addf(&b, "X-%u: %u\r\n", i, i);
	if (nhead) {
		ag_buf_adds(&b, "X-Long: ");
		while (b.len < nhead - 4)
			ag_buf_addc(&b, 'x');
		ag_buf_adds(&b, "\r\n");
	}
	ag_buf_adds(&b, "\r\n");
	for (size_t i = 0; i < nbody; i++)
		ag_buf_addc(&b, "\r\n\0\xff"[i % 4]);
	kind = kind_of(b.ptr, b.len);
	ag_buf_release(&b);
	return kind;
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(with_headers(64, 0, 0), AG_LANE_PLAIN);
	assert_int_equal(with_headers(65, 0, 0), AG_LANE_OTHER);
	assert_int_equal(with_headers(2, AG_LANE_HEAD, 0), AG_LANE_PLAIN);
	assert_int_equal(with_headers(2, AG_LANE_HEAD, AG_LANE_BODY), AG_LANE_PLAIN);
	assert_int_equal(with_headers(2, AG_LANE_HEAD + 1, 0), AG_LANE_OTHER);
	assert_int_equal(with_headers(2, AG_LANE_HEAD + 1, 100), AG_LANE_OTHER);
	assert_int_equal(with_headers(2, 0, AG_LANE_BODY), AG_LANE_PLAIN);
	assert_int_equal(with_headers(2, 0, AG_LANE_BODY + 1), AG_LANE_OTHER);
}

/* --- the same request here and there --- */

static int by_text(const void *a, const void *b)
{
	const ag_str *x = (const ag_str *)a, *y = (const ag_str *)b;
	int rc = memcmp(x->ptr, y->ptr, x->len < y->len ? x->len : y->len);

	return rc ? rc : (int)x->len - (int)y->len;
}

/* Status and headers in the order of the alphabet, without those of the moment. */
static void normal_form(const raw_reply *r, char *out, size_t max)
{
	ag_str lines[64], rest = ag_str_c(r->head);
	size_t n = 0, at = 0;

	while (rest.ptr && n < AG_NELEM(lines)) {
		ag_str line = ag_str_trim(ag_str_split(&rest, '\n'));

		if (line.len && !ag_str_starts(line, AG_S("Date:")))
			lines[n++] = line;
	}
	assert_true(n > 0);
	qsort(lines + 1, n - 1, sizeof(lines[0]), by_text);
	for (size_t i = 0; i < n && at < max; i++)
		at += (size_t)snprintf(out + at, max - at, "%.*s\n", AG_FMT(lines[i]));
	assert_true(at < max);
}

/* One byte and a pause: there is no whole request then, and the connection is libmicrohttpd's for good. */
static bool send_slowly(raw_conn *c, const char *text, size_t n)
{
	bool ok = raw_sendn(c, text, 1);

	usleep(10000);
	for (size_t i = 1; i < n && ok; i++)
		ok = raw_sendn(c, text + i, 1);
	return ok;
}

static void same_here_and_there(void **state)
{
	static const char *const requests[] = {
		"POST /a?b=c HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
		"POST /a%2fb/./../c?x=%20&y?z=%%% HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST //a;b=c/d,e/\"<>^`{|}\\ HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /? HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /a+b?a+b&&=&c HTTP/1.1\r\n" HOST NONE "\r\n",
		START "X-Twice: one\r\nx-tWICE:\t two\r\n" HOST NONE "\r\n",
		START "X-Twice:one\ttwo  three\r\n" HOST NONE "\r\n",
		START "X-Twice:\r\n" HOST NONE "\r\n",
		START "X-Twice: a:b,c;d=\"e\"\r\n" HOST NONE "\r\n",
		START "X-Twice-Not: a\r\n!X-Twice: b\r\n" HOST NONE "\r\n",
		START "Host:   localhost:99\r\nContent-Length: \t 4\r\n\r\n\r\n\r\n",
		START "host:127.0.0.1\r\ncontent-LENGTH:0000003\r\n\r\nabc",
		START HOST NONE "Connection: Keep-Alive\r\n\r\n",
		START HOST NONE "Cookie: a=b; c\r\nAuthorization: Bearer x\r\nX-Twice: c\r\n\r\n",
		START HOST NONE "Keep-Alive: 5\r\nProxy-Connection: close\r\nTest: t\r\n\r\n",
		"POST /status/404 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/405 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/204 HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab",
		"POST /status/400 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/409 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/413 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/429 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/500 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /status/503 HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /none HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /big HTTP/1.1\r\n" HOST NONE "\r\n",
		"POST /secret HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab",
		"POST /stream/three HTTP/1.1\r\n" HOST NONE "\r\n",
		START "Host: evil.example\r\n" NONE "\r\n",
		START "Host: localhost@evil.example\r\n" NONE "\r\n",
		START "Host: localhost localhost\r\n" NONE "\r\n",
		START "Host:\r\n" NONE "\r\n",
		START HOST NONE "Origin: http://evil.example\r\n\r\n",
		START HOST NONE "Origin: null\r\n\r\n",
		START HOST NONE "Origin: http://page.example\r\n\r\n",
		START HOST NONE "Origin: http://page.example\r\nOrigin: http://evil\r\n\r\n",
		START HOST NONE "Origin: http://localhost\r\n\r\n",
	};
	const ag_str origins[] = { AG_S("http://page.example") };
	char here[16384], there[16384];
	raw_reply a = { 0 }, b = { 0 };
	echo e;

	(void)state;
	echo_start(&e, &(ag_httpd_opts){ .origins = origins, .norigin = 1 });
	for (size_t i = 0; i < AG_NELEM(requests); i++) {
		const size_t n = strlen(requests[i]);
		raw_conn c, d;

		if (kind_of(requests[i], n) != AG_LANE_PLAIN)
			fail_msg("not plain: %s", requests[i]);
		assert_true(raw_open(&c, e.port) && raw_open(&d, e.port));
		assert_true(raw_sendn(&c, requests[i], n) && send_slowly(&d, requests[i], n));
		assert_true(raw_read(&c, &a, 10000) && raw_read(&d, &b, 10000));
		normal_form(&a, here, sizeof(here));
		normal_form(&b, there, sizeof(there));
		if (strcmp(here, there) != 0)
			fail_msg("%s\nhere %sthere %s", requests[i], here, there);
		assert_int_equal(a.nbody, b.nbody);
		assert_memory_equal(a.body, b.body, a.nbody);
		/* Both go on, with nothing left over. */
		assert_true(raw_send(&c, START HOST NONE "\r\n") &&
		            raw_send(&d, START HOST NONE "\r\n"));
		assert_true(raw_read(&c, &a, 10000) && raw_read(&d, &b, 10000));
		assert_string_equal(a.body, "POST|/|||");
		assert_string_equal(b.body, "POST|/|||");
		assert_true(c.n == 0 && d.n == 0);
		raw_close(&c);
		raw_close(&d);
	}
	free(a.body);
	free(b.body);
	echo_stop(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_of_it),
		cmocka_unit_test(leaves_the_rest),
		cmocka_unit_test(limits),
		cmocka_unit_test(same_here_and_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
