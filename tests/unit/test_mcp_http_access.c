/* Who may come to the server: Host, Origin, pages of others; what there is at which path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp_http_rig.h"

static void hosts_and_origins(void **state)
{
	static const struct {
		const char *headers;
		int status;
	} cases[] = {
		{ "Host: localhost\r\n", 200 },
		{ "Host: LOCALHOST:1\r\n", 200 },
		{ "Host: 127.0.0.1:65535\r\n", 200 },
		{ "Host: 127.9.9.9\r\n", 200 },
		{ "Host: [::1]:80\r\n", 200 },
		{ "Host: box.example\r\n", 200 },
		{ "Host: evil.example\r\n", 403 },
		{ "Host: localhost.evil.example\r\n", 403 },
		{ "Host: 128.0.0.1\r\n", 403 },
		{ "Host: localhost@evil.example\r\n", 403 },
		{ "Host: evil.example:80\r\n", 403 },
		{ "Host: localhost:80:80\r\n", 403 },
		{ "Host: localhost, evil\r\n", 403 },
		{ "Host: localhost\r\nOrigin: http://evil.example\r\n", 403 },
		{ "Host: localhost\r\nOrigin: null\r\n", 403 },
		{ "Host: localhost:99\r\nOrigin: http://localhost:99\r\n", 200 },
		{ "Host: localhost:99\r\nOrigin: https://localhost:99\r\n", 200 },
		{ "Host: localhost:99\r\nOrigin: http://localhost:98\r\n", 403 },
		{ "Host: localhost\r\nOrigin: http://localhost.evil.example\r\n", 403 },
		{ "Host: localhost\r\nOrigin: file://localhost\r\n", 403 },
		{ "Host: localhost\r\nOrigin: http://page.example:5173\r\n", 200 },
		{ "Host: localhost\r\nOrigin: http://page.example:5174\r\n", 403 },
	};
	const ag_str hosts[] = { AG_S("box.example") },
		     origins[] = { AG_S("http://page.example:5173") };
	rig g;

	(void)state;
	rig_start_with(&g, (ag_server_opts){
				   .hosts = hosts, .nhost = 1, .origins = origins, .norigin = 1 });
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		char text[512];

		snprintf(text, sizeof(text), "GET /health HTTP/1.1\r\n%s\r\n", cases[i].headers);
		assert_true(raw_once(g.port, text, &g.r));
		if (g.r.status != cases[i].status)
			fail_msg("%s: %d", cases[i].headers, g.r.status);
		if (g.r.status == 403)
			assert_non_null(strstr(g.r.body, "_not_allowed\""));
	}
	rig_stop(&g);
}

/* What a browser asks before it lets a page of another origin send something, and reads it by. */
static void pages_of_others(void **state)
{
	const ag_str origins[] = { AG_S("http://page.example") };
	rig g;

	(void)state;
	rig_start_with(&g, (ag_server_opts){ .origins = origins, .norigin = 1 });
	assert_true(raw_once(
		g.port,
		"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://page.example\r\n"
		"Access-Control-Request-Method: POST\r\n"
		"Access-Control-Request-Headers: authorization, mcp-session-id\r\n\r\n",
		&g.r));
	assert_int_equal(g.r.status, 204);
	assert_string_equal(raw_header(&g.r, "Access-Control-Allow-Origin"), "http://page.example");
	assert_string_equal(raw_header(&g.r, "Access-Control-Allow-Headers"),
	                    "authorization, mcp-session-id");
	assert_non_null(raw_header(&g.r, "Access-Control-Allow-Methods"));
	assert_true(raw_once(
		g.port,
		"GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: http://page.example\r\n\r\n",
		&g.r));
	assert_int_equal(g.r.status, 200);
	assert_string_equal(raw_header(&g.r, "Access-Control-Allow-Origin"), "http://page.example");
	assert_true(raw_once(g.port, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", &g.r));
	assert_null(raw_header(&g.r, "Access-Control-Allow-Origin"));
	rig_stop(&g);
}

static void paths_and_methods(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *allow;
	} cases[] = {
		{ "GET /health", 200, NULL },
		{ "HEAD /health", 200, NULL },
		{ "GET /health?x=y", 200, NULL },
		{ "POST /health", 405, "GET, HEAD" },
		{ "OPTIONS /health", 204, "GET, HEAD" },
		{ "OPTIONS /mcp", 204, "POST, GET, DELETE" },
		{ "PUT /mcp", 405, "POST, GET, DELETE" },
		{ "HEAD /mcp", 405, "POST, GET, DELETE" },
		{ "GET /mcp", 406, NULL },
		{ "POST /mcp", 415, NULL },
		{ "GET /", 404, NULL },
		{ "GET /status", 200, NULL },
		{ "POST /status", 405, "GET, HEAD" },
		{ "GET /health/", 404, NULL },
		{ "GET //health", 404, NULL },
		{ "GET /mcp/../health", 404, NULL },
		{ "GET /%68ealth", 404, NULL },
		{ "OPTIONS *", 404, NULL },
		{ "BREW /health", 501, NULL },
		{ "GET /.well-known/oauth-protected-resource", 200, NULL },
		{ "GET /.well-known/oauth-protected-resource/mcp", 200, NULL },
	};
	rig g;

	(void)state;
	rig_start(&g);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const char *allow;
		raw_conn c;
		char text[256];

		snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
		         cases[i].line);
		assert_true(raw_open(&c, g.port) && raw_send(&c, text));
		assert_true(raw_read_as(&c, &g.r, memcmp(text, "HEAD", 4) == 0, 8000));
		if (g.r.status != cases[i].status)
			fail_msg("%s: %d", cases[i].line, g.r.status);
		allow = raw_header(&g.r, "Allow");
		assert_int_equal(allow != NULL, cases[i].allow != NULL);
		if (allow)
			assert_string_equal(allow, cases[i].allow);
		raw_close(&c);
	}
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_and_origins),
		cmocka_unit_test(pages_of_others),
		cmocka_unit_test(paths_and_methods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
