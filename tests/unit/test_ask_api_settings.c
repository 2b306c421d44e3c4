/* The address and the key that the API tool is given, and the proxies it is not given: rows 46 to 48 of the table of
 * security cases for the HTTP tool. */
#include "ask_api_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

typedef struct world {
	api_server own, other; /* the API, and a second origin that nobody may reach */
} world;

static int start(void **state)
{
	static const char *const options[] = { "--delay", "0", NULL };
	world *w = ag_xcalloc(1, sizeof(*w));

	api_server_start(&w->own, options);
	api_server_start(&w->other, NULL);
	*state = w;
	return 0;
}

static int stop(void **state)
{
	world *w = *state;

	api_server_stop(&w->own);
	api_server_stop(&w->other);
	free(w);
	return 0;
}

/* --- row 46: bases */

static void bases_that_work(void **state)
{
	static const struct {
		const char *base, *shown, *target;
	} cases[] = {
		{ "http://127.0.0.1:@", "http://127.0.0.1:@", "/items/2" },
		{ "http://127.0.0.1:@/", "http://127.0.0.1:@", "/items/2" },
		{ "http://127.0.0.1:@/api", "http://127.0.0.1:@/api", "/api/items/2" },
		{ "HTTP://127.0.0.1:@/api//", "http://127.0.0.1:@/api", "/api/items/2" },
		{ "http://localhost:@/", "http://localhost:@", "/items/2" },
		{ "http://user:pa%73s-word@127.0.0.1:@", NULL, "/items/2" },
	};
	world *w = *state;
	api_client c;

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		bool has_user = !cases[i].shown;

		api_client_init(&c, w->own.port);
		c.opts.base_url = api_text(&c, cases[i].base, w->own.port);
		if (has_user)
			c.opts.base_url = ag_str_printf(c.arena,
			                                "http://user:pass-word@127.0.0.1:%u",
			                                w->own.port);
		api_client_open(&c);
		assert_true(ag_str_eq(ag_api_shown(c.api),
		                      api_text(&c, has_user ? "http://127.0.0.1:@" : cases[i].shown,
		                               w->own.port)));
		assert_int_equal(ag_api_port(c.api), w->own.port);
		api_get(&c, "/items/2");
		assert_int_equal(c.res.status, 200);
		assert_true(ag_str_eqc(
			ag_val_member_str(api_server_last(&w->own, "request", c.arena), "target"),
			cases[i].target));
		if (has_user)
			assert_true(ag_str_eqc(c.note,
			                       "the user name in AGENT_API_BASE_URL is not used"));
		else
			assert_int_equal(c.note.len, 0);
		assert_false(ag_str_contains(api_last_head(&w->own, c.arena), AG_S("pass-word")));
		assert_false(ag_str_contains(api_last_head(&w->own, c.arena), AG_S("Basic")));
		api_client_end(&c);
	}
}

static void bases_that_do_not(void **state)
{
	static const struct {
		const char *base, *why;
	} bad[] = {
		{ "", "is empty" },
		{ "localhost:42002", "does not begin with http" },
		{ "127.0.0.1", "does not begin with http" },
		{ "ftp://h/", "does not begin with http" },
		{ "http://h/?a=secret-word", "query or fragment" },
		{ "http://h/#secret-word", "query or fragment" },
		{ "http://user:secret-word?x@h/", "query or fragment" },
		{ "http://user:secret-word/x@h/", "AGENT_API_BASE_URL" },
		{ "http://user:secret-word@", "host" },
		{ "http://user:secret-word@h:99999", "port" },
		{ "user:secret-word@h", "does not begin with http" },
		{ "http://h/../x", "cannot be used" },
		{ "http://h/%2e%2e/x", "cannot be used" },
		{ "http://h//x", "cannot be used" },
		{ "http://h/\n", "control" },
		{ "http://h /", "blank" },
		{ "<http://localhost:42002>", "AGENT_API_BASE_URL" },
	};
	api_client c;

	(void)state;
	api_client_init(&c, 1);
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		c.err = (ag_err){ 0 };
		c.opts.base_url = ag_str_c(bad[i].base);
		if (ag_api_open(&c.opts, c.arena, &c.api, &c.note, &c.err) != AG_INVALID)
			fail_msg("\"%s\" was not refused", bad[i].base);
		assert_says(ag_str_c(c.err.msg), bad[i].why);
		assert_says(ag_str_c(c.err.msg), "AGENT_API_BASE_URL");
		assert_says(ag_str_c(c.err.hint), "http://localhost:42002");
		assert_null(strstr(c.err.msg, "secret-word"));
	}
	/* The longest one, and the longest path, still fit. */
	c.opts.base_url = ag_str_printf(c.arena, "http://127.0.0.1:1/%0*d", 2000 - 19, 0);
	api_client_open(&c);
	api_get(&c, ag_str_printf(c.arena, "/%0*d", (int)AG_API_MAX_PATH - 1, 0).ptr);
	assert_says(api_str(&c, "error"), "cannot connect");
	assert_int_equal(api_ask(&c, "GET",
	                         ag_str_printf(c.arena, "/%0*d", (int)AG_API_MAX_PATH, 0).ptr),
	                 AG_INVALID);
	api_client_end(&c);
}

static void ipv6(void **state)
{
	static const char *const options[] = { "--host", "::1", NULL };
	struct sockaddr_in6 addr = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0;
	api_server s;
	api_client c;

	(void)state;
	if (fd >= 0)
		close(fd);
	if (!has) {
		print_message("this machine has no ::1\n");
		skip();
	}
	api_server_start(&s, options);
	api_client_init(&c, s.port);
	c.opts.base_url = api_text(&c, "http://[0:0::1]:@", s.port);
	api_client_open(&c);
	assert_true(ag_str_eq(ag_api_shown(c.api), api_text(&c, "http://[::1]:@", s.port)));
	api_get(&c, "/items/2");
	assert_int_equal(c.res.status, 200);
	assert_true(ag_str_contains(api_last_head(&s, c.arena),
	                            api_text(&c, "Host: [::1]:@\r\n", s.port)));
	api_client_end(&c);
	api_server_stop(&s);
}

/* A base with https speaks TLS: to a plain port not one readable byte of the request goes. */
static void https_is_never_plain(void **state)
{
	world *w = *state;
	const ag_val *line;
	size_t n, before = api_server_count(&w->own, "request");
	api_client c;

	api_client_init(&c, w->own.port);
	c.opts.base_url = api_text(&c, "https://127.0.0.1:@", w->own.port);
	c.opts.timeout_ms = 2000;
	api_client_open(&c);
	assert_true(
		ag_str_eq(ag_api_shown(c.api), api_text(&c, "https://127.0.0.1:@", w->own.port)));
	api_get(&c, "/items/");
	assert_false(c.res.ok);
	assert_says(api_str(&c, "error"), "127.0.0.1");
	assert_int_equal(api_server_count(&w->own, "request"), before);
	line = api_server_log(&w->own, c.arena, &n);
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(ag_val_member_str(&line[i], "event"), "no_request"))
			assert_no_key(ag_val_member_str(&line[i], "head"));
	}
	api_client_end(&c);
	api_client_init(&c, 1);
	c.opts.base_url = AG_S("https://api.example.com:443/v1/");
	api_client_open(&c);
	assert_true(ag_str_eqc(ag_api_shown(c.api), "https://api.example.com/v1"));
	assert_int_equal(ag_api_port(c.api), 443);
	api_client_end(&c);
}

/* --- row 47: keys */

static void keys_that_cannot_be_sent(void **state)
{
	static const ag_str bad[] = {
		AG_S_INIT("secret-word\n"),      AG_S_INIT("secret-word\r\nX: 1"),
		AG_S_INIT("secret word"),        AG_S_INIT(" secret-word"),
		AG_S_INIT("secret-w\xc3\xb6rd"), AG_S_INIT("secret\0word"),
		AG_S_INIT("secret\x7f"),         AG_S_INIT("<secret-word>"),
		AG_S_INIT("secret\tword"),
	};
	world *w = *state;
	api_client c;

	api_client_init(&c, w->own.port);
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		c.err = (ag_err){ 0 };
		c.opts.key = bad[i];
		assert_int_equal(ag_api_open(&c.opts, c.arena, &c.api, &c.note, &c.err),
		                 AG_INVALID);
		assert_says(ag_str_c(c.err.msg), "LMS_API_KEY");
		assert_null(strstr(c.err.msg, "secret"));
		assert_null(strstr(c.err.hint, "secret"));
	}
	/* None at all is fine: then none is sent, and a 401 says why. */
	c.opts.key = AG_S("");
	api_client_open(&c);
	api_get(&c, "/items/");
	assert_int_equal(c.res.status, 401);
	assert_says(api_str(&c, "note"), "LMS_API_KEY is not set");
	assert_false(ag_str_contains(api_last_head(&w->own, c.arena), AG_S("uthorization")));
	api_client_end(&c);
}

/* --- row 48: proxies */

static void proxies_are_not_used(void **state)
{
	static const char *const names[] = { "http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy",
		                             "ALL_PROXY" };
	world *w = *state;
	char proxy[64];
	api_client c;

	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%u", w->other.port);
	for (size_t i = 0; i < AG_NELEM(names); i++)
		setenv(names[i], proxy, 1);
	api_client_start(&c, w->own.port);
	api_get(&c, "/items/2");
	assert_int_equal(c.res.status, 200);
	for (size_t i = 0; i < AG_NELEM(names); i++)
		unsetenv(names[i]);
	assert_int_equal(api_server_count(&w->other, "connect"), 0);
	api_client_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bases_that_work),
		cmocka_unit_test(bases_that_do_not),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(https_is_never_plain),
		cmocka_unit_test(keys_that_cannot_be_sent),
		cmocka_unit_test(proxies_are_not_used),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
