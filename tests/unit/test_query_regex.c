/* Regular expressions: options, limits, bad input, one pattern used by many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "query/regex.h"

static const ag_regex *compile(ag_arena *arena, const char *pattern, const char *opts)
{
	const ag_regex *re;
	ag_err err = { 0 };

	if (ag_regex_compile(ag_str_c(pattern), ag_str_c(opts), arena, &re, &err))
		fail_msg("%s: %s", pattern, err.msg);
	return re;
}

static void options_are_mongodbs(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	assert_true(ag_regex_match(compile(arena, "B", "i"), AG_S("abc")));
	assert_false(ag_regex_match(compile(arena, "B", ""), AG_S("abc")));
	assert_true(ag_regex_match(compile(arena, "^b", "m"), AG_S("a\nb")));
	assert_false(ag_regex_match(compile(arena, "^b", ""), AG_S("a\nb")));
	assert_true(ag_regex_match(compile(arena, "a.b", "s"), AG_S("a\nb")));
	assert_true(ag_regex_match(compile(arena, "a  b", "x"), AG_S("ab")));
	assert_true(ag_regex_match(compile(arena, "^.$", "u"), AG_S("\xc3\xa9")));
	assert_false(ag_regex_match(compile(arena, "^\\d$", ""), AG_S("\xd9\xa3")));
	assert_true(ag_regex_match(compile(arena, "(*UCP)^\\d$", ""), AG_S("\xd9\xa3")));
	assert_true(ag_str_eqc(ag_regex_opts(compile(arena, "a", "xismi")), "imsx"));
	assert_true(ag_str_eqc(ag_regex_pattern(compile(arena, "a|b", "")), "a|b"));
	ag_arena_free(arena);
}

static void bad_patterns_are_refused(void **state)
{
	static const struct {
		ag_str pattern, opts;
		const char *part;
	} cases[] = {
		{ AG_S_INIT("a("), AG_S_INIT(""), "byte 2" },
		{ AG_S_INIT("*a"), AG_S_INIT(""), "byte 0" },
		{ AG_S_INIT("a"), AG_S_INIT("g"), "unknown regex option" },
		{ AG_S_INIT("a\0b"), AG_S_INIT(""), "zero byte" },
		{ AG_S_INIT("\xff"), AG_S_INIT(""), "UTF-8" },
		{ AG_S_INIT("a\\Cb"), AG_S_INIT(""), "\\C" },
		{ AG_S_INIT("\\u00a0"), AG_S_INIT(""), "\\u" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_arena *arena = ag_arena_new();
		const ag_regex *re;
		ag_err err = { 0 };

		if (ag_regex_compile(cases[i].pattern, cases[i].opts, arena, &re, &err) !=
		            AG_INVALID ||
		    !strstr(err.msg, cases[i].part))
			fail_msg("case %zu: %s", i, err.msg);
		ag_arena_free(arena);
	}
}

static void long_patterns_are_refused(void **state)
{
	ag_arena *arena = ag_arena_new();
	char *text = malloc(AG_REGEX_MAX_BYTES + 1);
	const ag_regex *re;
	ag_err err;

	(void)state;
	memset(text, 'a', AG_REGEX_MAX_BYTES + 1);
	assert_int_equal(ag_regex_compile(ag_str_make(text, AG_REGEX_MAX_BYTES + 1), AG_S(""),
	                                  arena, &re, &err),
	                 AG_LIMIT);
	assert_int_equal(ag_regex_compile(ag_str_make(text, AG_REGEX_MAX_BYTES / 4), AG_S(""),
	                                  arena, &re, &err),
	                 AG_OK);
	free(text);
	ag_arena_free(arena);
}

static void bad_utf8_never_matches(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_regex *re = compile(arena, "a", "");

	(void)state;
	assert_false(ag_regex_match(re, AG_S("a\xff")));
	assert_false(ag_regex_match(re, AG_S("\xed\xa0\x80"
	                                     "a")));
	assert_true(ag_regex_match(re, AG_S("xa")));
	assert_true(ag_regex_match(compile(arena, "", ""), ag_str_make(NULL, 0)));
	assert_int_equal(ag_regex_overruns(re), 0);
	ag_arena_free(arena);
}

static void hostile_patterns_end_and_are_counted(void **state)
{
	static const char *const patterns[] = { "^(a+)+$", "^(a|aa)+$", "^(a*)*b\\1$",
		                                "^((a?){40}){40}$" };
	char subject[200];

	(void)state;
	memset(subject, 'a', sizeof(subject));
	subject[sizeof(subject) - 1] = '!';
	for (size_t i = 0; i < AG_NELEM(patterns); i++) {
		ag_arena *arena = ag_arena_new();
		const ag_regex *re = compile(arena, patterns[i], "");

		assert_false(ag_regex_match(re, ag_str_make(subject, sizeof(subject))));
		if (i < 2)
			assert_int_equal(ag_regex_overruns(re), 1);
		ag_arena_free(arena);
	}
}

/* More stack than the JIT has: the interpreter takes over. */
static void deep_matches_work(void **state)
{
	ag_arena *arena = ag_arena_new();
	size_t n = 4000;
	char *subject = malloc(n);

	(void)state;
	memset(subject, 'a', n);
	assert_true(ag_regex_match(compile(arena, "^(?:(a)|b)*$", ""), ag_str_make(subject, n)));
	free(subject);
	ag_arena_free(arena);
}

static void *match_often(void *arg)
{
	const ag_regex *re = arg;
	size_t hits = 0;

	for (int i = 0; i < 2000; i++)
		hits += ag_regex_match(re, i % 2 ? AG_S("some lazy dog") : AG_S("some lazy cow"));
	return hits == 1000 ? arg : NULL;
}

static void many_threads_share_a_pattern(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_regex *re = compile(arena, "lazy (cat|dog)", "i");
	pthread_t t[4];
	void *ret;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, match_often, (void *)(uintptr_t)re),
		                 0);
	for (size_t i = 0; i < AG_NELEM(t); i++) {
		assert_int_equal(pthread_join(t[i], &ret), 0);
		assert_non_null(ret);
	}
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_mongodbs),
		cmocka_unit_test(bad_patterns_are_refused),
		cmocka_unit_test(long_patterns_are_refused),
		cmocka_unit_test(bad_utf8_never_matches),
		cmocka_unit_test(hostile_patterns_end_and_are_counted),
		cmocka_unit_test(deep_matches_work),
		cmocka_unit_test(many_threads_share_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
