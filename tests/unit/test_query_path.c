/* Paths: reading, writing, the query form; paths of filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/filter.h"
#include "query/path.h"

/* text | query form, NULL: none */
static const char *const good[][2] = {
	{ "a", "a" },           { "a.b", "a.b" },
	{ "a[].b", "a.b" },     { "a[][].b", "a.b" },
	{ "a[]", "a" },         { "[].b", "b" },
	{ "m.*", NULL },        { "m.*.x", NULL },
	{ "`a.b`.c", NULL },    { "`$a`", NULL },
	{ "`a b`.c", "a b.c" }, { "`a``b`", "a`b" },
	{ "```a```", "`a`" },   { "``", NULL },
	{ "`[]`", "[]" },       { "\xc3\xa9.1", "\xc3\xa9.1" },
};

static void paths_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++) {
		ag_arena *arena = ag_arena_new();
		ag_buf out = AG_BUF_INIT(1000), query = AG_BUF_INIT(1000);
		ag_err err = { 0 };
		ag_path p;
		bool has;

		if (ag_path_parse(ag_str_c(good[i][0]), arena, &p, &err))
			fail_msg("%s: %s", good[i][0], err.msg);
		ag_path_format(&out, &p);
		assert_string_equal(out.ptr, good[i][0]);
		has = ag_path_query_form(&p, &query);
		if (has != (good[i][1] != NULL))
			fail_msg("%s: query form %d", good[i][0], has);
		if (has)
			assert_string_equal(query.ptr, good[i][1]);
		ag_buf_release(&out);
		ag_buf_release(&query);
		ag_arena_free(arena);
	}
}

static void bad_paths_are_refused(void **state)
{
	static const char *const bad[] = { "",     ".",    "a.",   ".a",   "a..b", "a[",
		                           "a[1]", "a]",   "a b",  "$a",   "a*",   "*a",
		                           "`a",   "`a`b", "a`b`", "a[]b", "[]b" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_arena *arena = ag_arena_new();
		ag_err err = { 0 };
		ag_path p;

		if (ag_path_parse(ag_str_c(bad[i]), arena, &p, &err) != AG_INVALID || !err.msg[0])
			fail_msg("\"%s\" was accepted", bad[i]);
		ag_arena_free(arena);
	}
}

static void steps_are_named(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_err err;
	ag_path p;

	(void)state;
	assert_int_equal(ag_path_parse(AG_S("a[].`b.c`.*"), arena, &p, &err), AG_OK);
	assert_int_equal(p.n, 4);
	assert_int_equal(p.steps[0].kind, AG_STEP_NAME);
	assert_int_equal(p.steps[1].kind, AG_STEP_ELEM);
	assert_true(ag_str_eqc(p.steps[2].name, "b.c"));
	assert_int_equal(p.steps[3].kind, AG_STEP_ANY);
	ag_arena_free(arena);
}

/* filter | paths, with one blank between */
static const char *const uses[][2] = {
	{ "{}", "" },
	{ "{\"a\":1}", "a" },
	{ "{\"b\":1,\"a\":2}", "b a" },
	{ "{\"a\":{\"$gt\":1,\"$not\":{\"$lt\":5}}}", "a" },
	{ "{\"$or\":[{\"x.y\":1},{\"$and\":[{\"z\":{\"$in\":[1]}},{\"x.y\":2}]}]}", "x.y z" },
	{ "{\"i\":{\"$elemMatch\":{\"q\":{\"$exists\":false},\"r\":{\"$elemMatch\":{\"s\":1}}}}}",
	  "i i.q i.r i.r.s" },
	{ "{\"i\":{\"$elemMatch\":{\"$gt\":5}}}", "i" },
	{ "{\"i\":{\"$all\":[1,2]}}", "i" },
	{ "{\"i\":{\"$all\":[{\"$elemMatch\":{\"q\":1}}]}}", "i i.q" },
	{ "{\"$expr\":{\"$gt\":[\"$a\",{\"$add\":[\"$b.c\",\"$a\"]}]},\"d\":1}", "a b.c d" },
};

static void filters_name_their_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(uses); i++) {
		ag_arena *arena = ag_arena_new();
		ag_buf out = AG_BUF_INIT(1000);
		const ag_str *paths;
		const ag_filter *f;
		ag_err err = { 0 };
		size_t n;

		if (ag_filter_parse(ag_str_c(uses[i][0]), arena, &f, &err))
			fail_msg("%s: %s", uses[i][0], err.msg);
		ag_filter_paths(f, arena, &paths, &n);
		for (size_t k = 0; k < n; k++) {
			if (k)
				ag_buf_addc(&out, ' ');
			ag_buf_add(&out, paths[k]);
		}
		if (!ag_str_eqc(ag_buf_view(&out), uses[i][1]))
			fail_msg("%s: %.*s", uses[i][0], AG_FMT(ag_buf_view(&out)));
		ag_buf_release(&out);
		ag_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_read_and_written),
		cmocka_unit_test(bad_paths_are_refused),
		cmocka_unit_test(steps_are_named),
		cmocka_unit_test(filters_name_their_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
