/* Bodies that are not copied, versions, ranges and cookies; over a server whose handler is a table of routes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "http/cookie.h"
#include "http/parts.h"
#include "http/route.h"
#include "http_raw.h"

#define BIG (8u << 20)

typedef struct site {
	ag_httpd *d;
	unsigned port;
	char *big;
	atomic_uint ndone; /* borrowed bodies that were given back */
} site;

static void given_back(void *arg)
{
	atomic_fetch_add(&((site *)arg)->ndone, 1);
}

static void text(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)env;
	(void)rq;
	rp->content_type = AG_S("text/plain");
	rp->borrowed = AG_S("0123456789");
	rp->etag = AG_S("\"v1\"");
	rp->allows_ranges = true;
}

static void big(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	site *s = (site *)env;

	(void)rq;
	rp->borrowed = ag_str_make(s->big, BIG);
	rp->done = given_back;
	rp->done_arg = s;
	rp->allows_ranges = true;
}

static void login(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)env;
	ag_http_cookie_set(rq, rp, &(ag_http_cookie){ .name = "session", .value = AG_S("abc-1") });
	ag_http_cookie_set(rq, rp,
	                   &(ag_http_cookie){ .name = "theme",
	                                      .value = AG_S("dark"),
	                                      .path = "/app",
	                                      .max_age_s = 60,
	                                      .is_secure = true,
	                                      .is_for_scripts = true,
	                                      .is_lax = true });
	ag_http_cookie_set(rq, rp, &(ag_http_cookie){ .name = "old", .max_age_s = -1 });
	if (ag_http_cookie_set(rq, rp, &(ag_http_cookie){ .name = "bad", .value = AG_S("a;b") }))
		rp->status = 500;
	ag_buf_add(&rp->body, ag_http_cookie_of(rq, "session"));
}

static void news(void *env, ag_httpd_request *rq, ag_httpd_stream *s)
{
	(void)env;
	ag_httpd_stream_event(s, NULL, AG_S(""), ag_httpd_param(rq, "topic"));
	ag_httpd_stream_end(s);
}

static const ag_http_route rows[] = {
	{ .methods = "GET, HEAD, POST", .path = "/text", .handle = text },
	{ .methods = "GET", .path = "/big", .handle = big },
	{ .methods = "GET", .path = "/login", .handle = login },
	{ .methods = "GET, POST", .path = "/news/{topic}", .max_body = 10, .stream = news },
};

static bool admit(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	char allow[AG_HTTP_MAX_ALLOW];

	(void)arg;
	rq->route = ag_http_route_find(rows, AG_NELEM(rows), rq, allow);
	if (!rq->route)
		rp->status = 404;
	else if (rq->route->max_body)
		rq->max_body = rq->route->max_body;
	return rq->route != NULL;
}

static void handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_http_route_run(rq->route, arg, rq, rp);
}

static void site_start(site *s)
{
	const ag_httpd_opts o = { .admit = admit, .handle = handle, .arg = s };
	ag_err err = { 0 };

	memset(s, 0, sizeof(*s));
	s->big = (char *)ag_xmalloc(BIG);
	for (size_t i = 0; i < BIG; i++)
		s->big[i] = (char)('a' + i % 26);
	if (ag_httpd_start(&o, &s->d, &err))
		fail_msg("%s", err.msg);
	s->port = ag_httpd_port(s->d);
}

static void site_stop(site *s)
{
	ag_httpd_stop(s->d, 2000);
	free(s->big);
}

static void ask(const site *s, const char *line, const char *headers, raw_reply *r)
{
	raw_conn c;
	char request[512];

	snprintf(request, sizeof(request), "%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", line,
	         headers);
	assert_true(raw_open(&c, s->port) && raw_send(&c, request));
	assert_true(raw_read_as(&c, r, memcmp(line, "HEAD", 4) == 0, 10000));
	raw_close(&c);
}

static void versions(void **state)
{
	static const struct {
		const char *line, *header;
		int status;
	} cases[] = {
		{ "GET /text", "", 200 },
		{ "GET /text", "If-None-Match: \"v1\"\r\n", 304 },
		{ "GET /text", "If-None-Match: W/\"v1\"\r\n", 304 },
		{ "GET /text", "If-None-Match: \"v0\", \"v1\"\r\n", 304 },
		{ "GET /text", "If-None-Match: *\r\n", 304 },
		{ "GET /text", "If-None-Match: \"v2\"\r\n", 200 },
		{ "GET /text", "If-None-Match: v1\r\n", 200 },
		{ "HEAD /text", "If-None-Match: \"v1\"\r\n", 304 },
		{ "POST /text", "If-None-Match: \"v1\"\r\n", 200 },
	};
	raw_reply r = { 0 };
	site s;

	(void)state;
	site_start(&s);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ask(&s, cases[i].line, cases[i].header, &r);
		assert_int_equal(r.status, cases[i].status);
		assert_string_equal(raw_header(&r, "ETag"), "\"v1\"");
		assert_int_equal(raw_header(&r, "Content-Length") != NULL, r.status == 200);
	}
	free(r.body);
	site_stop(&s);
}

static void ranges(void **state)
{
	static const struct {
		const char *headers;
		int status;
		const char *body, *range;
	} cases[] = {
		{ "Range: bytes=0-3\r\n", 206, "0123", "bytes 0-3/10" },
		{ "Range: bytes=7-\r\n", 206, "789", "bytes 7-9/10" },
		{ "Range: bytes=-2\r\n", 206, "89", "bytes 8-9/10" },
		{ "Range: bytes=-200\r\n", 206, "0123456789", "bytes 0-9/10" },
		{ "Range: bytes=9-99999999999999999999\r\n", 200, "0123456789", NULL },
		{ "Range: bytes=5-18446744073709551615\r\n", 206, "56789", "bytes 5-9/10" },
		{ "Range: bytes=10-\r\n", 416, "", "bytes */10" },
		{ "Range: bytes=-0\r\n", 416, "", "bytes */10" },
		{ "Range: bytes=4-3\r\n", 200, "0123456789", NULL },
		{ "Range: bytes=0-1,3-4\r\n", 200, "0123456789", NULL },
		{ "Range: bytes=-\r\n", 200, "0123456789", NULL },
		{ "Range: bytes=x-y\r\n", 200, "0123456789", NULL },
		{ "Range: lines=0-1\r\n", 200, "0123456789", NULL },
		{ "Range: bytes=0-1\r\nIf-Range: \"v1\"\r\n", 206, "01", "bytes 0-1/10" },
		{ "Range: bytes=0-1\r\nIf-Range: \"v0\"\r\n", 200, "0123456789", NULL },
		{ "Range: bytes=0-1\r\nIf-Range: W/\"v1\"\r\n", 200, "0123456789", NULL },
	};
	raw_reply r = { 0 };
	site s;

	(void)state;
	site_start(&s);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const char *range;

		ask(&s, "GET /text", cases[i].headers, &r);
		if (r.status != cases[i].status || strcmp(r.body, cases[i].body) != 0)
			fail_msg("%s: %d %s", cases[i].headers, r.status, r.body);
		range = raw_header(&r, "Content-Range");
		assert_int_equal(range != NULL, cases[i].range != NULL);
		if (range)
			assert_string_equal(range, cases[i].range);
	}
	free(r.body);
	site_stop(&s);
}

/* Given back once, when they are out, or when nobody takes them. */
static void borrowed_bodies(void **state)
{
	raw_reply r = { 0 };
	raw_conn c;
	site s;

	(void)state;
	site_start(&s);
	ask(&s, "GET /big", "", &r);
	assert_int_equal(r.nbody, BIG);
	assert_memory_equal(r.body, s.big, BIG);
	ask(&s, "GET /big", "Range: bytes=4000000-\r\n", &r);
	assert_int_equal(r.status, 206);
	assert_int_equal(r.nbody, BIG - 4000000);
	assert_memory_equal(r.body, s.big + 4000000, BIG - 4000000);
	for (int i = 0; i < 500 && atomic_load(&s.ndone) < 2; i++)
		usleep(10000);
	assert_int_equal(atomic_load(&s.ndone), 2);
	assert_true(raw_open(&c, s.port));
	assert_true(raw_send(&c, "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_wait(&c, "\r\n\r\n", 5000));
	assert_int_equal(atomic_load(&s.ndone), 2);
	raw_abort(&c);
	for (int i = 0; i < 500 && atomic_load(&s.ndone) < 3; i++)
		usleep(10000);
	assert_int_equal(atomic_load(&s.ndone), 3);
	free(r.body);
	site_stop(&s);
}

static void cookies(void **state)
{
	raw_reply r = { 0 };
	site s;

	(void)state;
	assert_true(ag_str_eqc(ag_http_cookie_in(AG_S("a=1; session=x; b=2"), "session"), "x"));
	assert_true(ag_str_eqc(ag_http_cookie_in(AG_S("session=x;session=y"), "session"), "x"));
	assert_true(ag_str_eqc(ag_http_cookie_in(AG_S("session=\"x\""), "session"), "x"));
	assert_true(ag_str_eqc(ag_http_cookie_in(AG_S("xsession=x; session"), "session"), ""));
	assert_true(ag_str_eqc(ag_http_cookie_in(AG_S("a=b=c"), "a"), "b=c"));
	assert_true(ag_str_eqc(ag_http_cookie_in(AG_S(";;=; a"), "a"), ""));
	site_start(&s);
	ask(&s, "GET /login", "Cookie: x=y; session=mine\r\n", &r);
	assert_int_equal(r.status, 200);
	assert_string_equal(r.body, "mine");
	assert_non_null(strstr(
		r.head, "\r\nSet-Cookie: session=abc-1; Path=/; SameSite=Strict; HttpOnly\r\n"));
	assert_non_null(strstr(r.head,
	                       "\r\nSet-Cookie: theme=dark; Path=/app; Max-Age=60; SameSite=Lax; "
	                       "Secure\r\n"));
	assert_non_null(strstr(
		r.head, "\r\nSet-Cookie: old=; Path=/; Max-Age=0; SameSite=Strict; HttpOnly\r\n"));
	assert_null(strstr(r.head, "bad="));
	free(r.body);
	site_stop(&s);
}

static void rows_that_stream(void **state)
{
	raw_reply r = { 0 };
	site s;

	(void)state;
	site_start(&s);
	ask(&s, "GET /news/a%20b", "", &r);
	assert_string_equal(r.body, "data: a%20b\n\n");
	assert_string_equal(raw_header(&r, "Content-Type"), "text/event-stream");
	/* The row has a limit of its own. */
	assert_true(raw_once(s.port,
	                     "POST /news/x HTTP/1.1\r\nHost: localhost\r\n"
	                     "Content-Length: 11\r\n\r\nhello world",
	                     &r));
	assert_int_equal(r.status, 413);
	assert_true(raw_once(s.port,
	                     "POST /news/x HTTP/1.1\r\nHost: localhost\r\n"
	                     "Transfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n",
	                     &r));
	assert_int_equal(r.status, 413);
	assert_true(raw_once(s.port,
	                     "POST /news/x HTTP/1.1\r\nHost: localhost\r\n"
	                     "Content-Length: 10\r\n\r\nhello worl",
	                     &r));
	assert_string_equal(r.body, "data: x\n\n");
	free(r.body);
	site_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),         cmocka_unit_test(ranges),
		cmocka_unit_test(borrowed_bodies),  cmocka_unit_test(cookies),
		cmocka_unit_test(rows_that_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
