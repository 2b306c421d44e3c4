/* Which methods a question permits (tests/cases/ask/api_methods.cases), and how a list of methods is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask/api_methods.h"

static ag_str read_cases(ag_arena *arena)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	ag_buf text = AG_BUF_INIT(1u << 20);
	char path[4096], piece[8192];
	ag_str ret;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cases/ask/api_methods.cases", root ? root : ".");
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be opened", path);
	for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;)
		ag_buf_add(&text, ag_str_make(piece, n));
	fclose(f);
	ret = ag_buf_dup(arena, &text);
	ag_buf_release(&text);
	return ret;
}

static ag_str with_breaks(ag_str s, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		const bool is_break = s.ptr[i] == '\\' && i + 1 < s.len && s.ptr[i + 1] == 'n';

		to[n++] = is_break ? '\n' : s.ptr[i];
		i += is_break;
	}
	return ag_str_make(to, n);
}

static unsigned wanted(ag_str list)
{
	unsigned ret = 0;

	for (ag_err err; list.ptr && !ag_str_eqc(list, "-");)
		assert_int_equal(ag_api_methods_parse(list, &ret, &err), AG_OK), list.ptr = NULL;
	return ret & ~(unsigned)AG_API_READING;
}

static void questions_permit_what_they_order(void **state)
{
	ag_arena *arena = ag_arena_new();
	size_t n = 0, nwrong = 0;

	(void)state;
	for (ag_str rest = read_cases(arena); rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');
		const ptrdiff_t tab = ag_str_find(line, '\t');
		unsigned want, got;
		ag_str question;

		if (tab < 0 || line.ptr[0] == '#')
			continue;
		question = with_breaks(ag_str_make(line.ptr + tab + 1, line.len - (size_t)tab - 1),
		                       arena);
		want = wanted(ag_str_make(line.ptr, (size_t)tab));
		got = ag_api_methods_ordered(question);
		n++;
		nwrong += got != want;
		if (got != want)
			printf("# %.*s\n#   permits: %.*s\n", AG_FMT(line),
			       AG_FMT(ag_api_methods_text(got, arena)));
	}
	printf("# %zu questions\n", n);
	assert_true(n > 120);
	assert_int_equal(nwrong, 0);
	ag_arena_free(arena);
}

/* Bytes of any kind, and texts of any length, end in an answer. */
static void odd_texts_permit_nothing(void **state)
{
	static const char *const texts[] = { "\"",
		                             "`",
		                             "'",
		                             "{",
		                             "{{{",
		                             ">",
		                             "```",
		                             "\xe2\x80\x9c",
		                             "\xff\xfe delete",
		                             "delete \xe2",
		                             ":::",
		                             ",,,," };
	char *lengthy = malloc(200001);

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		assert_int_equal(ag_api_methods_ordered(ag_str_c(texts[i])), 0);
	assert_non_null(lengthy);
	for (size_t i = 0; i < 200000; i++)
		lengthy[i] = "word, "[i % 6];
	assert_int_equal(ag_api_methods_ordered(ag_str_make(lengthy, 200000)), 0);
	free(lengthy);
}

static void lists_are_read(void **state)
{
	static const struct {
		const char *list;
		unsigned want;
	} good[] = {
		{ "GET", AG_API_READING },
		{ "get,head,post", AG_API_READING | AG_API_POST },
		{ " PUT , patch ", AG_API_READING | AG_API_PUT | AG_API_PATCH },
		{ "DELETE,DELETE", AG_API_READING | AG_API_DELETE },
		{ "GET,HEAD,POST,PUT,PATCH,DELETE", AG_API_ALL },
	};
	static const char *const bad[] = { "", ",", "POST,", "TRACE", "POST PUT", "all", "*" };
	ag_arena *arena = ag_arena_new();
	unsigned got = 7;
	ag_err err;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++) {
		assert_int_equal(ag_api_methods_parse(ag_str_c(good[i].list), &got, &err), AG_OK);
		assert_int_equal(got, good[i].want);
	}
	got = 7;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		assert_int_equal(ag_api_methods_parse(ag_str_c(bad[i]), &got, &err), AG_INVALID);
		assert_int_equal(got, 7);
		assert_non_null(strstr(err.hint, "GET,HEAD,POST"));
	}
	assert_true(ag_str_eqc(ag_api_methods_text(AG_API_READING, arena), "GET and HEAD"));
	assert_true(ag_str_eqc(ag_api_methods_text(AG_API_READING | AG_API_POST, arena),
	                       "GET, HEAD and POST"));
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_permit_what_they_order),
		cmocka_unit_test(odd_texts_permit_nothing),
		cmocka_unit_test(lists_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
