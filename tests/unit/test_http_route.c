/* Routes: which row a request finds, its parameters, and what is said when there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/route.h"

static void nothing(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)rq;
	(void)rp;
	*(int *)env += 1;
}

static const ag_http_route rows[] = {
	{ .methods = "GET, HEAD", .path = "/", .handle = nothing },
	{ .methods = "GET, HEAD", .path = "/runs", .handle = nothing },
	{ .methods = "POST", .path = "/runs", .scope = "audit", .handle = nothing },
	{ .methods = "GET", .path = "/runs/{id}", .handle = nothing },
	{ .methods = "GET", .path = "/runs/{id}/steps/{step}", .handle = nothing },
	{ .methods = "GET", .path = "/files/{name...}", .handle = nothing },
	{ .methods = "GET", .path = "/runs/latest/log", .handle = nothing },
};

/* Its number; -404, -405 when there is none. */
static int find(const char *method, const char *path, ag_httpd_request *rq, char *allow)
{
	const ag_http_route *row;

	rq->method = ag_str_c(method);
	rq->path = ag_str_c(path);
	row = ag_http_route_find(rows, AG_NELEM(rows), rq, allow);
	return row ? (int)(row - rows) : allow[0] ? -405 : -404;
}

static void finds_rows(void **state)
{
	static const struct {
		const char *method, *path;
		int row;
		const char *allow;
	} cases[] = {
		{ "GET", "/", 0, "" },
		{ "HEAD", "/", 0, "" },
		{ "GET", "", -404, "" },
		{ "GET", "*", -404, "" },
		{ "GET", "//", -404, "" },
		{ "GET", "/runs", 1, "" },
		{ "POST", "/runs", 2, "" },
		{ "GET", "/runs/", -404, "" },
		{ "GET", "/Runs", -404, "" },
		{ "GET", "/run", -404, "" },
		{ "GET", "/runs/7", 3, "" },
		{ "GET", "/runs/7/", -404, "" },
		{ "GET", "/runs/7/steps/x%2Fy", 4, "" },
		{ "GET", "/runs//steps/x", -404, "" },
		{ "GET", "/files/a", 5, "" },
		{ "GET", "/files/a/b//c/", 5, "" },
		{ "GET", "/files/", -404, "" },
		{ "GET", "/files", -404, "" },
		{ "GET", "/runs/latest/log", 6, "" },
		{ "DELETE", "/runs", -405, "GET, HEAD, POST" },
		{ "GETS", "/runs", -405, "GET, HEAD, POST" },
		{ "get", "/runs", -405, "GET, HEAD, POST" },
		{ "POST", "/runs/7", -405, "GET" },
	};
	char allow[AG_HTTP_MAX_ALLOW];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_httpd_request rq = { 0 };
		const int row = find(cases[i].method, cases[i].path, &rq, allow);

		if (row != cases[i].row)
			fail_msg("%s %s: %d", cases[i].method, cases[i].path, row);
		if (row < 0)
			assert_string_equal(allow, cases[i].allow);
	}
}

static void parameters(void **state)
{
	char allow[AG_HTTP_MAX_ALLOW];
	ag_httpd_request rq = { 0 };

	(void)state;
	assert_int_equal(find("GET", "/runs/7/steps/x%2Fy", &rq, allow), 4);
	assert_int_equal(rq.nparam, 2);
	assert_true(ag_str_eqc(ag_httpd_param(&rq, "id"), "7"));
	assert_true(ag_str_eqc(ag_httpd_param(&rq, "step"), "x%2Fy"));
	assert_true(ag_str_eqc(ag_httpd_param(&rq, "other"), ""));
	assert_int_equal(find("GET", "/files/a/b//c", &rq, allow), 5);
	assert_true(ag_str_eqc(ag_httpd_param(&rq, "name"), "a/b//c"));
	assert_int_equal(find("GET", "/nowhere/x", &rq, allow), -404);
	assert_int_equal(rq.nparam, 0);
}

static void decodes(void **state)
{
	static const struct {
		const char *text, *want; /* NULL = refused */
	} cases[] = {
		{ "", "" },
		{ "abc", "abc" },
		{ "a%2Fb%2f", "a/b/" },
		{ "%C3%a4", "\xc3\xa4" },
		{ "a+b", "a+b" },
		{ "%", NULL },
		{ "%4", NULL },
		{ "a%4", NULL },
		{ "%zz", NULL },
		{ "%4g", NULL },
		{ "a%00b", NULL },
		{ "%25", "%" },
		{ "%2525", "%25" },
		{ "% 41", NULL },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str got = { NULL, 0 };
		const bool ok = ag_http_decode(arena, ag_str_c(cases[i].text), &got);

		assert_int_equal(ok, cases[i].want != NULL);
		if (ok)
			assert_true(ag_str_eqc(got, cases[i].want));
	}
	ag_arena_free(arena);
}

static void runs_the_function(void **state)
{
	ag_httpd_request rq = { 0 };
	ag_httpd_reply rp = { 0 };
	int n = 0;

	(void)state;
	ag_http_route_run(&rows[0], &n, &rq, &rp);
	assert_int_equal(n, 1);
	assert_null(rp.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_rows),
		cmocka_unit_test(parameters),
		cmocka_unit_test(decodes),
		cmocka_unit_test(runs_the_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
