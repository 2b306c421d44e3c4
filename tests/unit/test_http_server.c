/* The HTTP server: what it reads, what it refuses, and what it does with slow, half and hostile requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http_echo.h"

static void assert_says(const raw_reply *r, int status, const char *body)
{
	assert_int_equal(r->status, status);
	assert_string_equal(r->body, body);
}

static void assert_error(const raw_reply *r, int status, const char *name)
{
	char want[64];

	snprintf(want, sizeof(want), "{\"error\":\"%s\",", name);
	assert_int_equal(r->status, status);
	assert_string_equal(raw_header(r, "Content-Type"), "application/json");
	assert_memory_equal(r->body, want, strlen(want));
}

static void plain_requests(void **state)
{
	echo e;
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c,
	                     "POST /a%2Fb/../c?x=%20&y HTTP/1.1\r\nHost: localhost\r\n"
	                     "X-Twice:  one \r\nx-twice: two\r\nContent-Length: 5\r\n\r\nhello"));
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "POST|/a%2Fb/../c|x=%20&y|one, two|hello");
	assert_string_equal(raw_header(&r, "X-Path"), "/a%2Fb/../c");
	assert_string_equal(raw_header(&r, "Content-Type"), "text/plain");
	/* The same connection goes on, and nothing of the first request is left. */
	assert_true(raw_send(&c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "GET|/|||");
	assert_true(raw_send(&c, "HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read_as(&c, &r, true, 5000));
	assert_int_equal(r.status, 200);
	assert_string_equal(raw_header(&r, "Content-Length"), "10");
	assert_int_equal(c.n, 0);
	assert_true(raw_send(
		&c, "POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"));
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 202, "");
	assert_true(raw_send(&c, "PROPFIND /pot HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "PROPFIND|/pot|||");
	assert_true(raw_send(&c, "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read(&c, &r, 5000));
	assert_int_equal(r.nbody, 10000000 + strlen("GET|/big|||"));
	raw_close(&c);
	free(r.body);
	echo_stop(&e);
}

static void pipelined(void **state)
{
	echo e;
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c,
	                     "POST /1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\none"
	                     "GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
	                     "POST /3 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nth"));
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "POST|/1|||one");
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "GET|/2|||");
	assert_true(raw_send(&c, "ree"));
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "POST|/3|||three");
	raw_close(&c);
	free(r.body);
	echo_stop(&e);
}

static void in_pieces(void **state)
{
	static const char text[] =
		"POST /piece?q HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: "
		"chunked\r\n\r\n4\r\nwith\r\n6;x=y\r\n holes\r\n0\r\n\r\n";
	echo e;
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		assert_true(raw_sendn(&c, text + i, 1));
		if (i % 16 == 0)
			usleep(2000);
	}
	assert_true(raw_read(&c, &r, 5000));
	assert_says(&r, 200, "POST|/piece|q||with holes");
	/* Half a request and then the end: the handler never sees it. */
	assert_true(raw_send(
		&c, "POST /half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"));
	shutdown(c.fd, SHUT_WR);
	assert_true(raw_wait_end(&c, 5000));
	assert_int_equal(atomic_load(&e.ncall), 1);
	raw_close(&c);
	free(r.body);
	echo_stop(&e);
}

static void body_limit(void **state)
{
	echo e;
	raw_conn c;
	raw_reply r = { 0 };
	char *much = (char *)ag_xcalloc(1, 200001);

	(void)state;
	memset(much, 'x', 200000);
	echo_start(&e, &(ag_httpd_opts){ .max_body = 100000 });
	/* By its length: refused before the body is sent. */
	assert_true(raw_once(e.port,
	                     "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100001\r\n\r\n",
	                     &r));
	assert_error(&r, 413, "too_large");
	assert_true(raw_once(e.port,
	                     "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
	                     "Content-Length: 99999999999\r\n\r\n",
	                     &r));
	assert_error(&r, 413, "too_large");
	/* While it is being sent: the client still reads why. */
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(
		&c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n"));
	assert_true(raw_send(&c, much));
	assert_true(raw_read(&c, &r, 5000));
	assert_error(&r, 413, "too_large");
	assert_string_equal(raw_header(&r, "Connection"), "close");
	assert_true(raw_wait_end(&c, 5000));
	raw_close(&c);
	/* Without a length. */
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(
		&c, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
		    "30d40\r\n"));
	assert_true(raw_send(&c, much));
	assert_true(raw_read(&c, &r, 5000));
	assert_error(&r, 413, "too_large");
	raw_close(&c);
	assert_int_equal(atomic_load(&e.ncall), 0);
	/* Just as much as is allowed. */
	much[100000] = '\0';
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(
		&c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"));
	assert_true(raw_send(&c, much));
	assert_true(raw_read(&c, &r, 5000));
	assert_int_equal(r.status, 200);
	assert_int_equal(r.nbody, 100000 + strlen("POST|/|||"));
	raw_close(&c);
	free(r.body);
	free(much);
	echo_stop(&e);
}

static void header_limits(void **state)
{
	echo e;
	raw_reply r = { 0 };
	ag_buf b = AG_BUF_INIT(1 << 20);

	(void)state;
	echo_start(&e, NULL);
	ag_buf_adds(&b, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Huge: ");
	for (unsigned i = 0; i < 40000; i++)
		ag_buf_addc(&b, 'h');
	ag_buf_adds(&b, "\r\n\r\n");
	assert_true(raw_once(e.port, b.ptr, &r));
	assert_int_equal(r.status, 431);
	ag_buf_clear(&b);
	ag_buf_adds(&b, "GET / HTTP/1.1\r\nHost: localhost\r\n");
	for (unsigned i = 0; i < 63; i++)
		ag_buf_addf(&b, "X-%u: %u\r\n", i, i);
	assert_true(raw_once(e.port, (ag_buf_adds(&b, "\r\n"), b.ptr), &r));
	assert_int_equal(r.status, 200);
	b.len -= 2;
	ag_buf_adds(&b, "One-More: 1\r\n\r\n");
	assert_true(raw_once(e.port, b.ptr, &r));
	assert_error(&r, 431, "too_many_headers");
	ag_buf_clear(&b);
	ag_buf_adds(&b, "GET /");
	for (unsigned i = 0; i < 40000; i++)
		ag_buf_addc(&b, 'p');
	ag_buf_adds(&b, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_true(raw_once(e.port, b.ptr, &r));
	assert_int_equal(r.status, 414);
	assert_int_equal(atomic_load(&e.ncall), 1);
	ag_buf_release(&b);
	free(r.body);
	echo_stop(&e);
}

static void malformed(void **state)
{
	static const char *const requests[] = {
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n",
	};
	echo e;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	for (size_t i = 0; i < AG_NELEM(requests); i++) {
		assert_true(raw_once(e.port, requests[i], &r));
		if (r.status != 400)
			fail_msg("%zu: %d", i, r.status);
	}
	assert_int_equal(atomic_load(&e.ncall), 0);
	free(r.body);
	echo_stop(&e);
}

static void not_admitted(void **state)
{
	echo e;
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	for (unsigned i = 0; i < 3; i++) {
		assert_true(raw_send(
			&c,
			"POST /secret HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"));
		assert_true(raw_read(&c, &r, 5000));
		assert_int_equal(r.status, 401);
		assert_string_equal(raw_header(&r, "WWW-Authenticate"), "Bearer");
	}
	assert_int_equal(atomic_load(&e.ncall), 0);
	raw_close(&c);
	free(r.body);
	echo_stop(&e);
}

static void starts(void **state)
{
	ag_httpd_opts o = { .handle = echo_handle };
	ag_httpd *d = NULL;
	ag_err err = { 0 };
	echo e;

	(void)state;
	echo_start(&e, NULL);
	o.port = e.port;
	assert_int_equal(ag_httpd_start(&o, &d, &err), AG_UNAVAILABLE);
	assert_non_null(strstr(err.msg, "taken"));
	assert_non_null(err.hint[0] ? err.hint : NULL);
	o.port = 0;
	o.host = AG_S("no such host");
	assert_int_equal(ag_httpd_start(&o, &d, &err), AG_INVALID);
	o.host = AG_S("192.0.2.1");
	assert_int_equal(ag_httpd_start(&o, &d, &err), AG_INVALID);
	o.host = AG_S("::1");
	if (ag_httpd_start(&o, &d, &err) == AG_OK)
		assert_null(ag_httpd_stop(d, 100));
	assert_null(ag_httpd_stop(NULL, 100));
	echo_stop(&e);
	/* The port is free again at once. */
	o.host = AG_S("localhost");
	o.port = e.port;
	assert_int_equal(ag_httpd_start(&o, &d, &err), AG_OK);
	assert_int_equal(ag_httpd_port(d), e.port);
	ag_httpd_stop(d, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_requests), cmocka_unit_test(pipelined),
		cmocka_unit_test(in_pieces),      cmocka_unit_test(body_limit),
		cmocka_unit_test(header_limits),  cmocka_unit_test(malformed),

		cmocka_unit_test(not_admitted),   cmocka_unit_test(starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
