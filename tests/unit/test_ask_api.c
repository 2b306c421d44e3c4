/* The API tool against a real server on loopback: what is refused sends no byte, what is sent is looked at byte by byte, and the key
 * goes to its origin alone. The numbers are rows of the table of security cases for the HTTP tool; 43 to 45 are in
 * test_ask_api_hostile.c, 46 to 48 in test_ask_api_settings.c. */
#include "ask_api_server.h"

#include "agent/tool.h"

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

/* --- rows 30 to 34, 36, 37: not a byte leaves */

static void bad_paths_send_nothing(void **state)
{
	static const struct {
		ag_str path;
		ag_status status;
		const char *why;
	} bad[] = {
		/* 30 */
		{ AG_S_INIT("@evil.test/x"), AG_INVALID, "begin with one /" },
		{ AG_S_INIT(":80@evil.test/"), AG_INVALID, "begin with one /" },
		/* 31 */
		{ AG_S_INIT(".evil.test/x"), AG_INVALID, "begin with one /" },
		{ AG_S_INIT("items/"), AG_INVALID, "begin with one /" },
		{ AG_S_INIT(""), AG_INVALID, "empty" },
		/* 32 */
		{ AG_S_INIT("//evil.test/x"), AG_DENIED, "two slashes" },
		{ AG_S_INIT("/\\evil.test"), AG_DENIED, "two slashes" },
		{ AG_S_INIT("/items\\x"), AG_DENIED, "backslash" },
		/* 33 */
		{ AG_S_INIT("http://169.254.169.254/latest/meta-data"), AG_DENIED,
		  "whole address" },
		{ AG_S_INIT("file:///etc/passwd"), AG_DENIED, "whole address" },
		{ AG_S_INIT("gopher://evil.test/"), AG_DENIED, "whole address" },
		/* 34 */
		{ AG_S_INIT("/items/\r\nX-Evil: 1"), AG_DENIED, "control character" },
		{ AG_S_INIT("/items/\nHost: x"), AG_DENIED, "control character" },
		{ AG_S_INIT("/items/\rX: 1"), AG_DENIED, "control character" },
		{ AG_S_INIT("/items/ HTTP/1.1"), AG_INVALID, "blank" },
		{ AG_S_INIT("/items/\tx"), AG_DENIED, "control character" },
		{ AG_S_INIT("/items/\0x"), AG_DENIED, "control character" },
		{ AG_S_INIT("/items/\x7f"), AG_DENIED, "control character" },
		/* 36 */
		{ AG_S_INIT("/../admin"), AG_DENIED, ".." },
		{ AG_S_INIT("/items/../pipeline/sync"), AG_DENIED, ".." },
		{ AG_S_INIT("/%2e%2e/"), AG_DENIED, "percent-encoded" },
		{ AG_S_INIT("/items/%2E./x"), AG_DENIED, "percent-encoded" },
		{ AG_S_INIT("/%252e%252e/x"), AG_DENIED, "percent-encoded" },
		{ AG_S_INIT("/items/..%2fadmin"), AG_DENIED, "percent-encoded" },
		{ AG_S_INIT("/items/..%5cadmin"), AG_DENIED, "percent-encoded" },
		{ AG_S_INIT("/items/..;x=1/admin"), AG_DENIED, ".." },
		{ AG_S_INIT("/items/."), AG_DENIED, ".." },
		/* 37 */
		{ AG_S_INIT("/items/#frag"), AG_INVALID, "#" },
		/* 38 */
		{ AG_S_INIT("/items/?q=\xc0\xae"), AG_INVALID, "UTF-8" },
		{ AG_S_INIT("/items/%zz"), AG_INVALID, "hexadecimal" },
		{ AG_S_INIT("/items/{item_id}"), AG_INVALID, "place to fill in" },
	};
	world *w = *state;
	size_t before = api_server_count(&w->own, "connect");
	api_client c;

	api_client_start(&c, w->own.port);
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		const ag_api_request r = { .method = AG_S("GET"), .path = bad[i].path };

		if (api_ask_ctx(&c, NULL, &r) != bad[i].status)
			fail_msg("\"%s\": %s \"%s\"", bad[i].path.ptr, ag_status_name(c.err.status),
			         c.err.msg);
		assert_says(ag_str_c(c.err.msg), bad[i].why);
		assert_int_equal(c.res.text.len + c.res.sent.len, 0);
	}
	/* One good one: the server would have seen the others as well. */
	api_get(&c, "/items/");
	assert_int_equal(api_server_count(&w->own, "connect"), before + 1);
	assert_int_equal(api_server_count(&w->own, "no_request"), 0);
	assert_int_equal(api_server_count(&w->other, "connect"), 0);
	api_client_end(&c);
}

/* --- what is sent, byte by byte */

static void assert_head(world *w, api_client *c, const char *want)
{
	ag_str head = api_last_head(&w->own, c->arena);
	ag_str whole =
		ag_str_printf(c->arena,
	                      "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: argus/" AG_VERSION
	                      "\r\nAccept: application/json, */*\r\nAuthorization: Bearer " API_KEY,
	                      want, w->own.port);

	if (!ag_str_eq(head, whole))
		fail_msg("sent:\n%.*s\nwant:\n%.*s", AG_FMT(head), AG_FMT(whole));
}

/* Rows 34, 35, 38. The blank of row 35 has to be encoded: a raw one is refused (row 34). */
static void odd_paths_go_out_as_they_are(void **state)
{
	static const struct {
		const char *path, *sent;
	} cases[] = {
		{ "/items/", "GET /items/" },
		{ "/items/?limit=5&offset=%2B1", "GET /items/?limit=5&offset=%2B1" },
		{ "/items/%0d%0aX:%201", "GET /items/%0d%0aX:%201" },
		{ "/items/%00%2f%25", "GET /items/%00%2f%25" },
		{ "/items/?q=\xc3\xa4\xe2\x82\xac", "GET /items/?q=%C3%A4%E2%82%AC" },
		{ "/items/?q={\"a\":[1|2]}", "GET /items/?q=%7B%22a%22:[1%7C2]%7D" },
		{ "/items/?next=/a/../b//c?d", "GET /items/?next=/a/../b//c?d" },
		{ "/users/@me:x;y=1", "GET /users/@me:x;y=1" },
		{ "/items/..x/...", "GET /items/..x/..." },
		{ "/", "GET /" },
	};
	world *w = *state;
	api_client c;

	api_client_start(&c, w->own.port);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		for (int again = 0; again < 2; again++) {
			api_get(&c, cases[i].path);
			assert_head(w, &c, cases[i].sent);
			assert_true(ag_str_eqc(c.res.sent, cases[i].sent));
		}
	}
	api_client_end(&c);
}

/* Row 39 */
static void methods(void **state)
{
	static const ag_str bad[] = { AG_S_INIT("GET\r\nX: 1"),
		                      AG_S_INIT("GET "),
		                      AG_S_INIT("CONNECT"),
		                      AG_S_INIT("TRACE"),
		                      AG_S_INIT("OPTIONS"),
		                      AG_S_INIT("FOO"),
		                      AG_S_INIT(""),
		                      AG_S_INIT("GET\0") };
	static const char *const good[] = { "get", "Get", "head", "HEAD", "delete" };
	world *w = *state;
	size_t before;
	api_client c;

	api_client_start(&c, w->own.port);
	before = api_server_count(&w->own, "connect");
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		const ag_api_request r = { .method = bad[i], .path = AG_S("/items/") };

		assert_int_equal(api_ask_ctx(&c, NULL, &r), AG_INVALID);
		assert_says(ag_str_c(c.err.hint), "GET, HEAD, POST, PUT, PATCH, DELETE");
	}
	for (size_t i = 0; i < AG_NELEM(good); i++) {
		assert_int_equal(api_ask(&c, good[i], "/items/1"), AG_OK);
		assert_true(c.res.ok && c.res.status == (i < 4 ? 200 : 204));
	}
	assert_int_equal(api_server_count(&w->own, "connect"), before + AG_NELEM(good));
	assert_true(ag_str_starts(api_last_head(&w->own, c.arena),
	                          AG_S("DELETE /items/1 HTTP/1.1\r\n")));
	assert_true(ag_str_eqc(c.res.sent, "DELETE /items/1"));
	api_client_end(&c);
}

/* --- bodies of requests, row 42 */

static void bodies(void **state)
{
	static const struct {
		ag_str body;
		const char *why;
	} bad[] = {
		{ AG_S_INIT("{\"title\":}"), "byte 9" },
		{ AG_S_INIT("title=x"), "byte 0" },
		{ AG_S_INIT("{\"title\":\"x\"} x"), "byte 14" },
		{ AG_S_INIT("{\"title\":\"\xff\"}"), "not JSON" },
		{ AG_S_INIT("{\"title\":\"\n\"}"), "not JSON" },
	};
	world *w = *state;
	ag_api_request r = { .method = AG_S("POST"), .path = AG_S("/items/") };
	const ag_val *line;
	size_t before;
	api_client c;

	api_client_start(&c, w->own.port);
	before = api_server_count(&w->own, "connect");
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		r.body = bad[i].body;
		r.method = i % 2 ? AG_S("PUT") : AG_S("patch");
		assert_int_equal(api_ask_ctx(&c, NULL, &r), AG_INVALID);
		assert_says(ag_str_c(c.err.msg), bad[i].why);
		assert_says(ag_str_c(c.err.hint), "nothing was sent");
	}
	assert_int_equal(api_server_count(&w->own, "connect"), before);
	r = (ag_api_request){ .method = AG_S("post"),
		              .path = AG_S("/items/"),
		              .body = AG_S(" {\"title\":\"\xc3\xa4\"}\n") };
	assert_int_equal(api_ask_ctx(&c, NULL, &r), AG_OK);
	assert_int_equal(c.res.status, 201);
	assert_says(api_last_head(&w->own, c.arena), "\r\nContent-Type: application/json");
	assert_says(api_str(&c, "body"), "\"title\":\"\\u00e4\"");
	/* A GET has none: it is left out, and said so. */
	r.method = AG_S("GET");
	r.body = AG_S("not even JSON");
	assert_int_equal(api_ask_ctx(&c, NULL, &r), AG_OK);
	assert_says(api_str(&c, "note"), "GET has no body");
	line = api_server_last(&w->own, "request", c.arena);
	assert_int_equal(ag_val_member_u64(line, "body_bytes"), 0);
	assert_false(ag_str_contains(ag_val_member_str(line, "head"), AG_S("Content-")));
	/* None at all. */
	assert_int_equal(api_ask(&c, "POST", "/pipeline/sync"), AG_OK);
	assert_int_equal(c.res.status, 200);
	assert_false(ag_str_contains(api_last_head(&w->own, c.arena), AG_S("Content-Type")));
	api_client_end(&c);
}

static void read_only_means_get_and_head(void **state)
{
	static const char *const writing[] = { "POST", "put", "PATCH", "DELETE" };
	world *w = *state;
	size_t before;
	api_client c;

	api_client_init(&c, w->own.port);
	c.opts.methods = 0;
	c.opts.limit = AG_API_BY_READ_ONLY;
	api_client_open(&c);
	before = api_server_count(&w->own, "connect");
	for (size_t i = 0; i < AG_NELEM(writing); i++) {
		assert_int_equal(api_ask(&c, writing[i], "/pipeline/sync"), AG_DENIED);
		assert_says(ag_str_c(c.err.msg), "--read-only");
	}
	assert_int_equal(api_server_count(&w->own, "connect"), before);
	api_get(&c, "/items/2");
	assert_int_equal(api_ask(&c, "HEAD", "/items/2"), AG_OK);
	assert_int_equal(c.res.status, 200);
	assert_int_equal(api_server_count(&w->own, "connect"), before + 2);
	api_client_end(&c);
}

/* --- rows 40, 41: redirects */

static void redirects_are_told_not_followed(void **state)
{
	static const struct {
		const char *path, *location, *note; /* @ = port of the other, & of our own server */
	} cases[] = {
		{ "/hostile/redirect?to=http://127.0.0.1:@/items/", "http://127.0.0.1:@/items/",
		  "no path of this API" },
		{ "/hostile/redirect?to=//127.0.0.1:@/items/", "//127.0.0.1:@/items/",
		  "no path of this API" },
		{ "/hostile/redirect?to=https://127.0.0.1:@/&status=301", "https://127.0.0.1:@/",
		  "no path of this API" },
		{ "/hostile/redirect?to=http://localhost:@/items/&status=308",
		  "http://localhost:@/items/", "no path of this API" },
		{ "/hostile/redirect?to=/%5C127.0.0.1:@/x", "/\\127.0.0.1:@/x",
		  "no path of this API" },
		{ "/hostile/redirect?to=/items/%26x&status=307", "/items/&x",
		  "send GET /items/&x" },
		{ "/hostile/redirect?to=more/", "more/", "send GET /hostile/more/" },
		{ "/hostile/redirect?to=../items/", "../items/", "no path of this API" },
		{ "/hostile/redirect?to=file:///etc/passwd", "file:///etc/passwd",
		  "no path of this API" },
	};
	world *w = *state;
	size_t before = api_server_count(&w->own, "connect");
	api_client c;

	api_client_start(&c, w->own.port);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		api_get(&c, api_text(&c, cases[i].path, w->other.port).ptr);
		assert_true(c.res.ok && c.res.status >= 301 && c.res.status <= 308);
		assert_true(ag_str_eq(api_str(&c, "location"),
		                      api_text(&c, cases[i].location, w->other.port)));
		assert_says(api_str(&c, "note"), cases[i].note);
		assert_true(ag_str_eqc(api_str(&c, "body"), "moved"));
	}
	assert_int_equal(api_server_count(&w->own, "connect"), before + AG_NELEM(cases));
	assert_int_equal(api_server_count(&w->other, "connect"), 0);
	/* 41: what FastAPI does with a path whose last slash is missing. */
	api_get(&c, "/items");
	assert_int_equal(c.res.status, 307);
	assert_says(api_str(&c, "note"), "send GET /items/");
	assert_int_equal(api_ask(&c, "POST", "/hostile/redirect?status=303"), AG_OK);
	assert_says(api_str(&c, "note"), "send GET /items/");
	assert_int_equal(api_ask(&c, "POST", "/hostile/redirect?status=307"), AG_OK);
	assert_says(api_str(&c, "note"), "send POST /items/");
	api_client_end(&c);
}

/* Below a prefix the next step is told without it. */
static void redirects_below_a_prefix(void **state)
{
	world *w = *state;
	api_client c;

	api_client_init(&c, w->own.port);
	c.opts.base_url = api_text(&c, "http://127.0.0.1:@/api/", w->own.port);
	api_client_open(&c);
	api_get(&c, "/items");
	assert_true(ag_str_ends(api_str(&c, "location"), AG_S("/api/items/")));
	assert_says(api_str(&c, "note"), "send GET /items/");
	api_client_end(&c);
	api_client_init(&c, w->own.port);
	c.opts.base_url = api_text(&c, "http://127.0.0.1:@/hostile", w->own.port);
	api_client_open(&c);
	api_get(&c, "/redirect?to=/items/");
	assert_says(api_str(&c, "note"), "no path of this API");
	api_client_end(&c);
}

/* --- row 49: what models write for `auth`; the tool layer reads it, the request shows it */

static void auth_as_models_write_it(void **state)
{
	static const ag_param params[] = {
		{ "auth", AG_PARAM_BOOL, .is_lenient = true },
	};
	static const ag_tool tool = { .name = "query_api", .params = params, .nparam = 1 };
	static const struct {
		const char *input;
		int sent; /* -1 = refused */
	} cases[] = {
		{ "{\"auth\":\"False\"}", 0 }, { "{\"auth\":\"false\"}", 0 },
		{ "{\"auth\":0}", 0 },         { "{\"auth\":false}", 0 },
		{ "{\"auth\":null}", 1 },      { "{}", 1 },
		{ "{\"auth\":true}", 1 },      { "{\"auth\":\"True\"}", 1 },
		{ "{\"auth\":1}", 1 },         { "{\"auth\":\"maybe\"}", -1 },
		{ "{\"auth\":[]}", -1 },       { "{\"auth\":{}}", -1 },
	};
	const ag_extjson_opts opts = { 0 };
	world *w = *state;
	api_client c;

	api_client_start(&c, w->own.port);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_api_request r = { .method = AG_S("GET"), .path = AG_S("/items/2") };
		const ag_val *line;
		ag_val input;

		assert_int_equal(ag_extjson_parse(ag_str_c(cases[i].input), &opts, c.arena, &input,
		                                  NULL, NULL, &c.err),
		                 AG_OK);
		if (ag_tool_check_input(&tool, &input, &c.err)) {
			assert_int_equal(cases[i].sent, -1);
			continue;
		}
		if (cases[i].sent < 0)
			fail_msg("%s was not refused", cases[i].input);
		r.no_auth = !ag_tool_bool(&input, "auth", true);
		assert_int_equal(api_ask_ctx(&c, NULL, &r), AG_OK);
		line = api_server_last(&w->own, "request", c.arena);
		if (ag_val_member_bool(line, "authorization") != (cases[i].sent == 1))
			fail_msg("%s", cases[i].input);
	}
	api_client_end(&c);
}

/* --- scenarios 7, 8, 9, 17 */

static void scenario_7_the_count_survives_the_cut(void **state)
{
	static const char *const empty[] = { "--rows", "0", NULL };
	world *w = *state;
	ag_str body;
	api_server s;
	api_client c;

	api_client_init(&c, w->own.port);
	c.opts.max_shown_bytes = 2000;
	api_client_open(&c);
	api_get(&c, "/learners/");
	body = api_str(&c, "body");
	assert_int_equal(api_num(&c, "array_length"), 257);
	assert_true(ag_val_member_bool(&c.json, "truncated"));
	assert_in_range(api_num(&c, "bytes"), 25000, 30000);
	assert_true(ag_str_ends(body, AG_S("}")) && body.len > 1800 && body.len <= 2000);
	assert_true(ag_str_eq(api_str(&c, "shown_bytes"),
	                      ag_str_printf(c.arena, "0-%zu", body.len - 1)));
	assert_true(ag_str_starts(c.res.text, AG_S("{\"status_code\":200,\"body\":\"[{")));
	assert_says(api_str(&c, "note"), "count with the lengths");
	api_get(&c, "/page/learners/");
	assert_int_equal(ag_val_member_u64(ag_val_getc(&c.json, "array_lengths"), "items"), 257);
	assert_false(api_has(&c, "array_length"));
	api_get(&c, "/learners/?limit=3");
	assert_int_equal(api_num(&c, "array_length"), 3);
	assert_false(api_has(&c, "truncated") || api_has(&c, "bytes") || api_has(&c, "note"));
	api_client_end(&c);
	api_server_start(&s, empty);
	api_client_start(&c, s.port);
	api_get(&c, "/learners/");
	assert_true(api_has(&c, "array_length") && api_num(&c, "array_length") == 0);
	assert_true(ag_str_eqc(api_str(&c, "body"), "[]"));
	api_client_end(&c);
	api_server_stop(&s);
}

static void scenario_8_without_the_key(void **state)
{
	world *w = *state;
	ag_api_request r = { .method = AG_S("GET"), .path = AG_S("/items/"), .no_auth = true };
	const ag_val *line;
	api_client c;

	api_client_start(&c, w->own.port);
	assert_int_equal(api_ask_ctx(&c, NULL, &r), AG_OK);
	assert_int_equal(c.res.status, 401);
	assert_int_equal(api_num(&c, "status_code"), 401);
	assert_false(api_has(&c, "note"));
	line = api_server_last(&w->own, "request", c.arena);
	assert_false(ag_val_member_bool(line, "authorization"));
	assert_no_key(ag_val_member_str(line, "head"));
	/* And the next one has it again. */
	api_get(&c, "/items/");
	assert_int_equal(c.res.status, 200);
	assert_says(api_last_head(&w->own, c.arena), "\r\nAuthorization: Bearer " API_KEY);
	api_client_end(&c);
}

static void scenario_9_an_error_of_the_server_is_an_answer(void **state)
{
	world *w = *state;
	api_client c;

	api_client_start(&c, w->own.port);
	api_get(&c, "/analytics/completion-rate?lab=lab-99");
	assert_true(c.res.ok && c.res.status == 500);
	assert_says(api_str(&c, "body"), "ZeroDivisionError");
	api_get(&c, "/analytics/top-learners?lab=lab-99");
	assert_says(api_str(&c, "body"), "TypeError");
	api_get(&c, "/analytics/scores");
	assert_int_equal(c.res.status, 422);
	api_client_end(&c);
}

static void scenario_17_down_slow_wrong_key(void **state)
{
	static const char *const slow[] = { "--delay", "3000", NULL };
	world *w = *state;
	int64_t begin;
	api_server s;
	api_client c;

	api_server_start(&s, slow);
	api_client_init(&c, s.port);
	c.opts.timeout_ms = 300;
	api_client_open(&c);
	begin = ag_clock_mono(&ag_clock_system);
	api_get(&c, "/items/");
	assert_false(c.res.ok);
	assert_says(api_str(&c, "error"), "within 300 ms");
	assert_in_range(ag_clock_mono(&ag_clock_system) - begin, 290, 2900);
	api_server_stop(&s);
	api_get(&c, "/items/");
	assert_false(c.res.ok || c.res.status);
	assert_says(api_str(&c, "error"), "cannot connect");
	assert_says(api_str(&c, "hint"), "is the server running");
	assert_true(ag_str_eqc(c.res.sent, "GET /items/"));
	api_client_end(&c);
	api_client_init(&c, w->own.port);
	c.opts.key = AG_S("another-key");
	api_client_open(&c);
	api_get(&c, "/items/");
	assert_int_equal(c.res.status, 401);
	api_client_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_paths_send_nothing),
		cmocka_unit_test(odd_paths_go_out_as_they_are),
		cmocka_unit_test(methods),
		cmocka_unit_test(bodies),
		cmocka_unit_test(read_only_means_get_and_head),
		cmocka_unit_test(redirects_are_told_not_followed),
		cmocka_unit_test(redirects_below_a_prefix),
		cmocka_unit_test(auth_as_models_write_it),
		cmocka_unit_test(scenario_7_the_count_survives_the_cut),
		cmocka_unit_test(scenario_8_without_the_key),
		cmocka_unit_test(scenario_9_an_error_of_the_server_is_an_answer),
		cmocka_unit_test(scenario_17_down_slow_wrong_key),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
