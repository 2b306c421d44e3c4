/* The HTTP client against a server on loopback: what is sent, what comes back, what never happens. Time-outs and cancel
 * are in test_net_http_time.c, broken answers in test_net_http_broken.c, TLS and proxies in test_net_http_tls.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "net_fixtures.h"

static void assert_str(ag_str got, const char *want)
{
	if (!ag_str_eqc(got, want))
		fail_msg("got \"%.*s\", want \"%s\"", AG_FMT(got), want);
}

/* --- an exchange */

/* The request comes back as text: line, headers, body. */
static void serve_echo(net_conn *c)
{
	ag_buf text = AG_BUF_INIT(1 << 20);

	ag_buf_adds(&text, c->head);
	ag_buf_add(&text, ag_str_make(c->body, c->nbody));
	net_answer(c, "200 OK",
	           "Content-Type: Text/Event-Stream; Charset=UTF-8\r\nX-Request-Id: req-7\r\n"
	           "request-id: other\r\nRETRY-AFTER:  12 \r\nContent-Encoding: X-None\r\n"
	           "Server: x\r\n",
	           ag_buf_view(&text));
	ag_buf_release(&text);
}

static void sends_what_was_asked_and_nothing_else(void **state)
{
	static const ag_http_header headers[] = {
		{ AG_S_INIT("Authorization"), AG_S_INIT("Bearer " NET_SECRET) },
		{ AG_S_INIT("Content-Type"), AG_S_INIT("application/json") },
		{ AG_S_INIT("X-Empty"), AG_S_INIT("") },
	};
	net_server *s = net_start(serve_echo, NULL);
	char want[512];
	net_client c;
	ag_http_request r;

	(void)state;
	net_client_open(&c);
	r = (ag_http_request){ .method = AG_S("POST"),
		               .headers = headers,
		               .nheader = 3,
		               .url = net_url(&c, s->port, "/v1/../x?a=b&c=%20#frag"),
		               .body = AG_S("{\"a\":1}") };
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	snprintf(want, sizeof(want),
	         "POST /v1/../x?a=b&c=%%20 HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
	         "User-Agent: argus/" AG_VERSION "\r\nAccept: */*\r\n"
	         "Authorization: Bearer " NET_SECRET "\r\nContent-Type: application/json\r\n"
	         "X-Empty:\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
	         s->port);
	assert_str(c.res.body, want);
	assert_int_equal(c.res.status, 200);
	assert_str(c.res.content_type, "text/event-stream");
	assert_str(c.res.content_encoding, "x-none");
	assert_true(c.res.is_sent);
	assert_str(c.res.request_id, "req-7");
	assert_str(c.res.retry_after, "12");
	assert_str(c.res.location, "");
	assert_int_equal(c.res.nbyte, strlen(want));
	assert_true(c.res.first_byte_ms >= 0 && c.res.first_byte_ms <= c.res.total_ms);

	/* The next request has nothing of the one before. */
	r = (ag_http_request){ .method = AG_S("GET"), .url = net_url(&c, s->port, "?q") };
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	snprintf(want, sizeof(want),
	         "GET /?q HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: argus/" AG_VERSION
	         "\r\nAccept: */*\r\n\r\n",
	         s->port);
	assert_str(c.res.body, want);

	/* Other methods; a POST without body; a body without a type. */
	r.method = AG_S("DELETE");
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_true(ag_str_starts(c.res.body, AG_S("DELETE /?q HTTP/1.1\r\n")));
	assert_false(ag_str_contains(c.res.body, AG_S("Content-")));
	r.method = AG_S("POST");
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_true(ag_str_contains(c.res.body, AG_S("\r\nContent-Length: 0\r\n")));
	assert_false(ag_str_contains(c.res.body, AG_S("Content-Type")));
	r.method = AG_S("PUT");
	r.body = AG_S("a\0b");
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_true(ag_str_starts(c.res.body, AG_S("PUT /?q HTTP/1.1\r\n")));
	assert_true(ag_str_ends(c.res.body, AG_S("Content-Length: 3\r\n\r\na\0b")));
	assert_int_equal(atomic_load(&s->nconn), 1);
	net_client_close(&c);
	net_stop(s);
}

static void serve_size(net_conn *c)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", c->nbody);
	net_answer(c, net_header(c, "Expect") ? "417 No" : "200 OK", "", ag_str_c(text));
}

/* Larger than what libcurl sends in one go, and than what it asks leave for. */
static void sends_large_bodies(void **state)
{
	static const size_t sizes[] = { 1, 65535, 65536, 1024 * 1024 + 1, 5 * 1000 * 1000 };
	net_server *s = net_start(serve_size, NULL);
	net_client c;

	(void)state;
	net_client_open(&c);
	for (size_t i = 0; i < AG_NELEM(sizes); i++) {
		ag_http_request r = { .method = AG_S("POST"), .url = net_url(&c, s->port, "/") };
		char want[32];
		char *body = malloc(sizes[i]);

		memset(body, 'b', sizes[i]);
		r.body = ag_str_make(body, sizes[i]);
		assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
		free(body);
		assert_int_equal(c.res.status, 200);
		snprintf(want, sizeof(want), "%zu", sizes[i]);
		assert_str(c.res.body, want);
		assert_true(c.res.total_ms < 900); /* no second of waiting for 100-continue */
	}
	assert_int_equal(atomic_load(&s->nconn), 1);
	net_client_close(&c);
	net_stop(s);
}

/* --- bodies */

static void serve_chunks(net_conn *c)
{
	net_sends(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	net_sends(c, "5\r\nhello\r\n");
	net_wait(c, 30);
	net_sends(c, "1;ext=1\r\n \r\nA\r\n0123456789\r\n");
	net_wait(c, 30);
	net_sends(c, "0\r\nLocation: /trailer\r\n\r\n");
}

typedef struct pieces {
	ag_buf all;
	size_t n, stop_at;
} pieces;

static ag_status take_piece(void *arg, ag_str bytes, ag_err *err)
{
	pieces *p = arg;

	assert_true(bytes.len > 0);
	ag_buf_add(&p->all, bytes);
	if (++p->n == p->stop_at)
		return ag_fail(err, AG_CONFLICT, "test", "this is enough");
	return AG_OK;
}

static void reads_chunks_as_they_come(void **state)
{
	net_server *s = net_start(serve_chunks, NULL);
	pieces p = { .all = AG_BUF_INIT(1000) };
	net_client c;
	ag_http_request r;

	(void)state;
	net_client_open(&c);
	r = (ag_http_request){ .method = AG_S("GET"), .url = net_url(&c, s->port, "/") };
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_str(c.res.body, "hello 0123456789");
	assert_str(c.res.location, ""); /* a trailer is no header */

	r.on_body = take_piece;
	r.arg = &p;
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_str(ag_buf_view(&p.all), "hello 0123456789");
	assert_true(p.n >= 2);
	assert_str(c.res.body, "");
	assert_int_equal(c.res.nbyte, 16);
	assert_int_equal(atomic_load(&s->nconn), 1);

	/* The reader may end it; the connection is then of no use any more. */
	ag_buf_clear(&p.all);
	p = (pieces){ .all = p.all, .stop_at = 1 };
	assert_int_equal(net_ask(&c, NULL, &r), AG_CONFLICT);
	assert_string_equal(c.err.msg, "this is enough");
	assert_int_equal(c.res.status, 200);
	assert_int_equal(p.n, 1);
	r.on_body = NULL;
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_int_equal(atomic_load(&s->nconn), 2);
	ag_buf_release(&p.all);
	net_client_close(&c);
	net_stop(s);
}

/* The path names the status. */
static void serve_status(net_conn *c)
{
	char status[64];
	int code = (int)strtol(strchr(c->head, '/') + 1, NULL, 10);

	snprintf(status, sizeof(status), "%d Word", code);
	if (code == 100) {
		net_sends(c, "HTTP/1.1 100 Continue\r\nRetry-After: 9\r\n\r\n"
		             "HTTP/1.1 103 Early Hints\r\nLink: x\r\nLocation: /no\r\n\r\n");
		net_answer(c, "200 OK", "", AG_S("final"));
	} else if (code == 204 || code == 304) {
		snprintf(status, sizeof(status), "HTTP/1.1 %d\r\n\r\n", code);
		net_sends(c, status);
	} else if (strncmp(c->head, "HEAD", 4) == 0) {
		net_sends(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
	} else {
		net_answer(c, status, "Content-Type: application/json\r\nRetry-After: 3\r\n",
		           AG_S("{\"error\":\"why\"}"));
	}
}

static void any_status_is_an_answer(void **state)
{
	static const struct {
		const char *path;
		int status;
		const char *body, *retry_after;
		bool is_streamed;
	} cases[] = {
		{ "/200", 200, "{\"error\":\"why\"}", "3", true },
		{ "/299", 299, "{\"error\":\"why\"}", "3", true },
		{ "/100", 200, "final", "", true },
		{ "/204", 204, "", "", false },
		{ "/304", 304, "", "", false },
		{ "/300", 300, "{\"error\":\"why\"}", "3", false },
		{ "/401", 401, "{\"error\":\"why\"}", "3", false },
		{ "/404", 404, "{\"error\":\"why\"}", "3", false },
		{ "/429", 429, "{\"error\":\"why\"}", "3", false },
		{ "/500", 500, "{\"error\":\"why\"}", "3", false },
		{ "/529", 529, "{\"error\":\"why\"}", "3", false },
		{ "/999", 999, "{\"error\":\"why\"}", "3", false },
	};
	net_server *s = net_start(serve_status, NULL);
	net_client c;
	ag_http_request r;

	(void)state;
	net_client_open(&c);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		pieces p = { .all = AG_BUF_INIT(1000) };

		assert_int_equal(net_get(&c, s->port, cases[i].path), AG_OK);
		assert_int_equal(c.res.status, cases[i].status);
		assert_str(c.res.body, cases[i].body);
		assert_str(c.res.retry_after, cases[i].retry_after);
		assert_str(c.res.location, "");
		/* Only an answer of 2xx goes to the reader. */
		r = (ag_http_request){ .method = AG_S("GET"),
			               .on_body = take_piece,
			               .arg = &p,
			               .url = net_url(&c, s->port, cases[i].path) };
		assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
		assert_str(ag_buf_view(&p.all), cases[i].is_streamed ? cases[i].body : "");
		assert_str(c.res.body, cases[i].is_streamed ? "" : cases[i].body);
		ag_buf_release(&p.all);
	}
	r = (ag_http_request){ .method = AG_S("HEAD"), .url = net_url(&c, s->port, "/200") };
	assert_int_equal(net_ask(&c, NULL, &r), AG_OK);
	assert_int_equal(c.res.status, 200);
	assert_int_equal(c.res.nbyte, 0);
	assert_int_equal(atomic_load(&s->nconn), 1);
	net_client_close(&c);
	net_stop(s);
}

static void serve_redirect(net_conn *c)
{
	char headers[128];

	snprintf(headers, sizeof(headers), "Location: http://localhost:%u/stolen?k=1\r\n",
	         ((net_server *)c->server->arg)->port);
	net_answer(c, strstr(c->head, "/308") ? "308 Permanent" : "302 Found", headers,
	           AG_S("moved"));
}

static void follows_no_redirect(void **state)
{
	net_server *other = net_start(serve_echo, NULL);
	net_server *s = net_start(serve_redirect, other);
	char want[64];
	net_client c;

	(void)state;
	net_client_open(&c);
	snprintf(want, sizeof(want), "http://localhost:%u/stolen?k=1", other->port);
	assert_int_equal(net_get(&c, s->port, "/302"), AG_OK);
	assert_int_equal(c.res.status, 302);
	assert_str(c.res.location, want);
	assert_str(c.res.body, "moved");
	assert_int_equal(net_get(&c, s->port, "/308"), AG_OK);
	assert_int_equal(c.res.status, 308);
	assert_int_equal(atomic_load(&other->nconn), 0);
	net_client_close(&c);
	net_stop(s);
	net_stop(other);
}

/* --- connections */

/* Says nothing about it and closes after each answer, as servers do with idle connections. */
static void serve_and_leave(net_conn *c)
{
	net_answer(c, "200 OK", "Set-Cookie: a=b\r\n",
	           net_header(c, "Cookie") ? AG_S("cookie") : AG_S("none"));
	c->close = true;
}

static void keeps_connections_and_notices_dead_ones(void **state)
{
	net_server *s = net_start(serve_echo, NULL);
	net_server *leaving = net_start(serve_and_leave, NULL);
	net_client c;

	(void)state;
	net_client_open(&c);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(net_get(&c, s->port, "/"), AG_OK);
		assert_int_equal(net_get(&c, leaving->port, "/"), AG_OK);
		assert_str(c.res.body, "none"); /* no cookie is kept */
	}
	assert_int_equal(atomic_load(&s->nconn), 1);
	assert_int_equal(atomic_load(&s->nrequest), 20);
	assert_int_equal(atomic_load(&leaving->nconn), 20);
	net_client_close(&c);
	net_stop(s);
	net_stop(leaving);
}

static void names_what_cannot_be_reached(void **state)
{
	unsigned port = net_free_port();
	char peer[32];
	net_client c;
	ag_http_request r;

	(void)state;
	net_client_open(&c);
	snprintf(peer, sizeof(peer), "127.0.0.1:%u: ", port);
	assert_int_equal(net_get(&c, port, "/v1?key=secret"), AG_UNAVAILABLE);
	assert_int_equal(c.res.status, 0);
	assert_true(ag_str_starts(ag_str_c(c.err.msg), ag_str_c(peer)));
	assert_non_null(strstr(c.err.msg, "cannot connect: Connection refused"));
	assert_non_null(strstr(c.err.hint, "running"));
	assert_int_equal(c.err.native, 7);

	r = (ag_http_request){ .method = AG_S("GET"),
		               .url = AG_S("http://nothing.invalid/x?key=secret"),
		               .timeouts = { .total_ms = 60000 } };
	assert_int_equal(net_ask(&c, NULL, &r), AG_UNAVAILABLE);
	assert_string_equal(c.err.msg, "nothing.invalid:80: the name cannot be resolved");
	assert_int_equal(c.err.native, 6);
	net_client_close(&c);
}

/* --- what is refused */

static void refuses_bad_requests(void **state)
{
	static const struct {
		ag_str method, url, name, value;
		const char *why;
	} cases[] = {
		{ AG_S_INIT(""), AG_S_INIT("http://h/"), AG_S_INIT("A"), AG_S_INIT("b"), "method" },
		{ AG_S_INIT("GET /x"), AG_S_INIT("http://h/"), AG_S_INIT("A"), AG_S_INIT("b"),
		  "method" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/ x"), AG_S_INIT("A"), AG_S_INIT("b"),
		  "blank" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://a:secret@h/"), AG_S_INIT("A"), AG_S_INIT("b"),
		  "user name" },
		{ AG_S_INIT("GET"), AG_S_INIT("file:///etc/passwd"), AG_S_INIT("A"), AG_S_INIT("b"),
		  "http" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/"), AG_S_INIT(""), AG_S_INIT("b"), "name" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/"), AG_S_INIT("A: b"), AG_S_INIT("b"),
		  "name" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/"), AG_S_INIT("A\0"), AG_S_INIT("b"),
		  "name" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/"), AG_S_INIT("Key"), AG_S_INIT("secret\n"),
		  "header Key" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/"), AG_S_INIT("Key"),
		  AG_S_INIT("secret\r\nX: y"), "header Key" },
		{ AG_S_INIT("GET"), AG_S_INIT("http://h/"), AG_S_INIT("Key"),
		  AG_S_INIT("secret\0x"), "header Key" },
	};
	net_client c;

	(void)state;
	net_client_open(&c);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_http_header header = { cases[i].name, cases[i].value };
		ag_http_request r = { .method = cases[i].method,
			              .url = cases[i].url,
			              .headers = &header,
			              .nheader = 1 };

		if (net_ask(&c, NULL, &r) != AG_INVALID || !strstr(c.err.msg, cases[i].why))
			fail_msg("case %zu: \"%s\"", i, c.err.msg);
		/* Without an err, too. */
		assert_int_equal(ag_http_send(c.http, NULL, &r, c.arena, &c.res, NULL), AG_INVALID);
	}
	net_client_close(&c);
}

/* --- limits */

static void serve_1000(net_conn *c)
{
	char body[1000];

	memset(body, 'x', sizeof(body));
	net_answer(c, strstr(c->head, "/500") ? "500 No" : "200 OK", "",
	           ag_str_make(body, sizeof(body)));
}

static void limits_the_body(void **state)
{
	net_server *s = net_start(serve_1000, NULL);
	net_client c;
	ag_http_request r;

	(void)state;
	net_client_open(&c);
	for (int i = 0; i < 6; i++) {
		pieces p = { .all = AG_BUF_INIT(10000) };
		bool is_ok = i % 2;

		r = (ag_http_request){ .method = AG_S("GET"),
			               .max_body_bytes = is_ok ? 1000 : 999,
			               .url = net_url(&c, s->port, i < 4 ? "/" : "/500"),
			               .on_body = i < 2 ? NULL : take_piece,
			               .arg = &p };
		assert_int_equal(net_ask(&c, NULL, &r), is_ok ? AG_OK : AG_LIMIT);
		assert_int_equal(c.res.status, i < 4 ? 200 : 500);
		assert_int_equal(p.all.len + c.res.body.len, c.res.nbyte);
		if (is_ok)
			assert_int_equal(c.res.nbyte, 1000);
		else
			assert_non_null(strstr(c.err.msg, "larger than the limit of 999 bytes"));
		ag_buf_release(&p.all);
	}
	net_client_close(&c);
	net_stop(s);
}

/* --- calls that fail on demand */

static void fails_on_demand(void **state)
{
	net_server *s = net_start(serve_chunks, NULL);
	unsigned long ncall, nfailed;
	net_client c;
	ag_err err = { 0 };

	(void)state;
	net_client_open(&c);
	assert_int_equal(ag_fault_setup("net.send:2", &err), AG_OK);
	assert_int_equal(net_get(&c, s->port, "/"), AG_OK);
	assert_int_equal(net_get(&c, s->port, "/"), AG_UNAVAILABLE);
	assert_int_equal(c.res.status, 0);
	assert_non_null(strstr(c.err.msg, "cannot connect"));
	assert_int_equal(net_get(&c, s->port, "/"), AG_OK);
	assert_int_equal(ag_fault_setup("net.read:2", &err), AG_OK);
	assert_int_equal(net_get(&c, s->port, "/"), AG_UNAVAILABLE);
	assert_int_equal(c.res.status, 200);
	assert_str(c.res.body, "hello");
	assert_non_null(strstr(c.err.msg, "cut off after 5 bytes"));
	assert_non_null(ag_fault_counts(&ncall, &nfailed));
	assert_int_equal(ncall, 2);
	assert_int_equal(nfailed, 1);
	assert_int_equal(net_get(&c, s->port, "/"), AG_OK);
	assert_int_equal(ag_fault_setup(NULL, &err), AG_OK);
	net_client_close(&c);
	net_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_what_was_asked_and_nothing_else),
		cmocka_unit_test(sends_large_bodies),
		cmocka_unit_test(reads_chunks_as_they_come),
		cmocka_unit_test(any_status_is_an_answer),
		cmocka_unit_test(follows_no_redirect),
		cmocka_unit_test(keeps_connections_and_notices_dead_ones),
		cmocka_unit_test(names_what_cannot_be_reached),
		cmocka_unit_test(refuses_bad_requests),
		cmocka_unit_test(limits_the_body),
		cmocka_unit_test(fails_on_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
