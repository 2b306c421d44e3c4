/* Answers that end too early, at every byte, and answers that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "net_fixtures.h"

/* What the server says before it ends the connection. */
typedef struct speech {
	ag_str bytes;
	bool is_reset;
	int times; /* `bytes` so often */
} speech;

static void serve_script(net_conn *c)
{
	speech s = *(const speech *)c->server->arg; /* the test goes on once it has its answer */

	for (int i = 0; i < (s.times ? s.times : 1); i++) {
		if (!net_send(c, s.bytes))
			break;
	}
	if (s.is_reset) {
		net_wait(c, 20); /* a reset overtakes what was sent right before it */
		net_reset(c);
	}
	c->close = true;
}

static ag_status collect(void *arg, ag_str bytes, ag_err *err)
{
	(void)err;
	ag_buf_add(arg, bytes);
	return AG_OK;
}

/* --- cut off */

/* A whole answer, its header nhead bytes. The last ntail bytes say nothing: without them it is whole as well. */
typedef struct whole {
	ag_str bytes, body;
	size_t nhead, ntail;
} whole;

static void cut_at(net_server *s, speech *script, const whole *w, size_t cut, bool is_reset)
{
	ag_buf streamed = AG_BUF_INIT(1000);
	net_client c;
	ag_http_request r;
	char told[64];

	*script = (speech){ .bytes = ag_str_make(w->bytes.ptr, cut), .is_reset = is_reset };
	net_client_open(&c);
	r = (ag_http_request){ .method = AG_S("GET"),
		               .url = net_url(&c, s->port, "/"),
		               .on_body = cut % 2 ? collect : NULL,
		               .arg = &streamed };
	if (net_ask(&c, NULL, &r) != AG_UNAVAILABLE)
		fail_msg("cut at %zu%s: \"%s\"", cut, is_reset ? " (reset)" : "", c.err.msg);
	/* What came is there, and nothing else; a reset may take back what was not read yet. */
	if (!streamed.len)
		ag_buf_add(&streamed, c.res.body);
	assert_int_equal(streamed.len, c.res.nbyte);
	assert_true(ag_str_starts(w->body, ag_buf_view(&streamed)));
	snprintf(told, sizeof(told), "after %llu", (unsigned long long)c.res.nbyte);
	if (c.res.status && !strstr(c.err.msg, told))
		fail_msg("cut at %zu: \"%s\" does not say \"%s\"", cut, c.err.msg, told);
	if (cut < w->nhead)
		assert_int_equal(c.res.nbyte, 0);
	if (!is_reset && cut >= w->nhead)
		assert_int_equal(c.res.status, 200);
	ag_buf_release(&streamed);
	net_client_close(&c);
}

#define HEAD_LENGTH "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\n"
#define HEAD_CHUNKS "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static const whole wholes[] = {
	{ AG_S_INIT(HEAD_LENGTH "Hello, world"), AG_S_INIT("Hello, world"), sizeof(HEAD_LENGTH) - 1,
	  0 },
	{ AG_S_INIT(HEAD_CHUNKS "7\r\nHello, \r\n05\r\nworld\r\n0\r\n\r\n"),
	  AG_S_INIT("Hello, world"), sizeof(HEAD_CHUNKS) - 1, 1 },
};

static void a_cut_answer_is_noticed_at_every_byte(void **state)
{
	speech script = { 0 };
	net_server *s = net_start(serve_script, &script);

	(void)state;
	for (size_t i = 0; i < AG_NELEM(wholes); i++) {
		for (size_t cut = 0; cut < wholes[i].bytes.len - wholes[i].ntail; cut++)
			cut_at(s, &script, &wholes[i], cut, false);
	}
	net_stop(s);
}

static void a_reset_answer_is_noticed(void **state)
{
	speech script = { 0 };
	net_server *s = net_start(serve_script, &script);

	(void)state;
	for (size_t i = 0; i < AG_NELEM(wholes); i++) {
		for (size_t cut = 0; cut < wholes[i].bytes.len - wholes[i].ntail; cut += 5)
			cut_at(s, &script, &wholes[i], cut, true);
	}
	net_stop(s);
}

/* Whole answers through the same door, so that the tests above can fail. */
static void a_whole_answer_is_none_of_that(void **state)
{
	speech script = { 0 };
	net_server *s = net_start(serve_script, &script);
	net_client c;

	(void)state;
	net_client_open(&c);
	for (size_t i = 0; i < AG_NELEM(wholes); i++) {
		script.bytes = wholes[i].bytes;
		assert_int_equal(net_get(&c, s->port, "/"), AG_OK);
		assert_true(ag_str_eq(c.res.body, wholes[i].body));
	}
	/* Neither length nor chunks: the end of the connection is the end of the body. */
	script.bytes = AG_S("HTTP/1.0 200 OK\r\n\r\nuntil the end");
	assert_int_equal(net_get(&c, s->port, "/"), AG_OK);
	assert_true(ag_str_eqc(c.res.body, "until the end"));
	net_client_close(&c);
	net_stop(s);
}

/* --- not HTTP */

static void what_is_not_http_is_told(void **state)
{
	static const struct {
		ag_str bytes;
		int times;
		ag_status status;
		const char *why;
	} cases[] = {
		{ AG_S_INIT("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"), 1, AG_PROTOCOL, "is not HTTP" },
		{ AG_S_INIT("220 mail.example.org ESMTP " NET_SECRET "\r\n"), 1, AG_PROTOCOL,
		  "is not HTTP" },
		{ AG_S_INIT("{\"error\":\"" NET_SECRET "\"}"), 1, AG_PROTOCOL, "is not HTTP" },
		{ AG_S_INIT("\x16\x03\x01\0\0\0\0\0"), 1, AG_PROTOCOL, "is not HTTP" },
		{ AG_S_INIT("\0\0\0\0\0\0\0\0"), 1, AG_PROTOCOL, "is not HTTP" },
		{ AG_S_INIT("HTTP/9.9 200 OK\r\n\r\n"), 1, AG_PROTOCOL, "HTTP" },
		{ AG_S_INIT("HTTP/1.1 " NET_SECRET "\r\n\r\n"), 1, AG_PROTOCOL, "HTTP" },
		{ AG_S_INIT("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), 1, AG_PROTOCOL,
		  "not proper HTTP" },
		{ AG_S_INIT(HEAD_CHUNKS "zz" NET_SECRET "\r\nhello"), 1, AG_PROTOCOL, "chunks" },
		{ AG_S_INIT(HEAD_CHUNKS "5\r\nhelloXX"), 1, AG_PROTOCOL, "chunks" },
		{ AG_S_INIT(HEAD_CHUNKS "fffffffffffffffffffff\r\n"), 1, AG_PROTOCOL, "chunks" },
		/* A header without end: one line, many lines, interim answers. */
		{ AG_S_INIT("HTTP/1.1 200 OK\r\nX: xxxxxxxxxxxxxxxx"), 1, AG_UNAVAILABLE,
		  "header" },
		{ AG_S_INIT("HTTP/1.1 100 Continue\r\n\r\n"), 100000, AG_PROTOCOL, "larger than" },
		{ AG_S_INIT("HTTP/1.1 100 Continue\r\n\r\n"), 1, AG_UNAVAILABLE,
		  "before an answer came" },
		{ AG_S_INIT("HTTP/1.1 103 Hints\r\nLink: x\r\n"), 1, AG_UNAVAILABLE,
		  "before an answer came" },
		{ AG_S_INIT("HTTP/1.1 101 Switching Protocols\r\n\r\nhello"), 1, AG_UNAVAILABLE,
		  "before an answer came" },
		{ AG_S_INIT("HTTP/1.1 000 No\r\n\r\n"), 1, AG_PROTOCOL, "HTTP" },
		{ AG_S_INIT("HTTP/1.1 099 No\r\n\r\n"), 1, AG_PROTOCOL, "HTTP" },
		{ AG_S_INIT(""), 1, AG_UNAVAILABLE, "was closed before an answer came" },
	};
	speech script = { 0 };
	net_server *s = net_start(serve_script, &script);
	net_client c;

	(void)state;
	net_client_open(&c);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		script.bytes = cases[i].bytes;
		script.times = cases[i].times;
		if (net_get(&c, s->port, "/?key=secret") != cases[i].status ||
		    !strstr(c.err.msg, cases[i].why))
			fail_msg("case %zu: %s \"%s\"", i, ag_status_name(c.err.status), c.err.msg);
	}
	net_client_close(&c);
	net_stop(s);
}

static void serve_long_header(net_conn *c)
{
	bool is_one_line = strstr(c->head, "/line");
	char text[1024];

	memset(text, 'x', sizeof(text));
	memcpy(text, "X-X: ", 5);
	net_sends(c, "HTTP/1.1 200 OK\r\nX: ");
	for (int i = 0; i < 2000; i++) {
		if (!is_one_line)
			memcpy(text + sizeof(text) - 2, "\r\n", 2);
		if (!net_send(c, ag_str_make(text, sizeof(text))))
			break;
	}
	c->close = true;
}

static void limits_the_header(void **state)
{
	net_server *s = net_start(serve_long_header, NULL);
	net_client c;

	(void)state;
	net_client_open(&c);
	assert_int_equal(net_get(&c, s->port, "/line"), AG_PROTOCOL);
	assert_non_null(strstr(c.err.msg, "a header line of the answer is too long"));
	assert_int_equal(net_get(&c, s->port, "/many"), AG_PROTOCOL);
	assert_non_null(strstr(c.err.msg, "the header of the answer is larger than"));
	net_client_close(&c);
	net_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_answer_is_noticed_at_every_byte),
		cmocka_unit_test(a_reset_answer_is_noticed),
		cmocka_unit_test(a_whole_answer_is_none_of_that),
		cmocka_unit_test(what_is_not_http_is_told),
		cmocka_unit_test(limits_the_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
