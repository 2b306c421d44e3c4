/* The text cases of the API tool: which paths go out, and what is made of an openapi.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "ask/api.h"

static ag_str read_file(const char *name, ag_arena *arena)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	ag_buf text = AG_BUF_INIT(1u << 20);
	char path[4096], piece[8192];
	ag_str ret;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cases/ask/%s", root ? root : ".", name);
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

/* --- api_paths.cases */

static char unescaped(ag_str *s)
{
	static const char from[] = "rntb0\\", to[] = "\r\n\t \0\\";
	char c = s->len > 1 ? s->ptr[1] : '\0';
	const char *at = c ? strchr(from, c) : NULL;
	unsigned value = 0;

	if (at) {
		*s = ag_str_make(s->ptr + 2, s->len - 2);
		return to[at - from];
	}
	if (c != 'x' || s->len < 4 || sscanf(s->ptr + 2, "%2x", &value) != 1)
		fail_msg("an unknown escape: %.*s", AG_FMT(*s));
	*s = ag_str_make(s->ptr + 4, s->len - 4);
	return (char)value;
}

static ag_str unescape(ag_str s, ag_arena *arena)
{
	char *p = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	while (s.len) {
		if (s.ptr[0] == '\\') {
			p[n++] = unescaped(&s);
			continue;
		}
		p[n++] = s.ptr[0];
		s = ag_str_make(s.ptr + 1, s.len - 1);
	}
	return ag_str_make(p, n);
}

static bool path_case(ag_str shown, ag_str path, ag_str want, ag_arena *arena)
{
	ag_err err = { 0 };
	ag_str sent = AG_S("(not written)"), again;
	ag_status st = ag_api_check_path(path, arena, &sent, &err);
	ag_str status, words;

	if (ag_str_starts(want, AG_S("/"))) {
		if (st || !ag_str_eq(sent, want)) {
			print_error("%.*s: sent %.*s, %s\n", AG_FMT(shown), AG_FMT(sent), err.msg);
			return false;
		}
		/* What goes out comes in again as it is. */
		return !ag_api_check_path(sent, arena, &again, &err) && ag_str_eq(sent, again);
	}
	words = want;
	status = ag_str_split(&words, ' ');
	if (!ag_str_eqc(status, ag_status_name(st)) ||
	    !(ag_str_contains(ag_str_c(err.msg), words) ||
	      ag_str_contains(ag_str_c(err.hint), words)) ||
	    !ag_str_eqc(sent, "(not written)")) {
		print_error("%.*s: %s \"%s\" (%s)\n", AG_FMT(shown), ag_status_name(st), err.msg,
		            err.hint);
		return false;
	}
	return true;
}

static void paths(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_str rest = read_file("api_paths.cases", arena);
	size_t n = 0, nbad = 0;

	(void)state;
	while (rest.ptr) {
		ag_str line = ag_str_split(&rest, '\n');
		const char *bar = line.len ? memmem(line.ptr, line.len, "| ", 2) : NULL;
		size_t at = bar ? (size_t)(bar - line.ptr) : 0;
		ag_str path = ag_str_trim(ag_str_make(line.ptr, at));

		if (!bar || line.ptr[0] == '#')
			continue;
		n++;
		nbad += !path_case(path, unescape(path, arena),
		                   ag_str_make(bar + 2, line.len - at - 2), arena);
	}
	assert_true(n >= 80);
	assert_int_equal(nbad, 0);
	ag_arena_free(arena);
}

/* A path that is checked is a path the client takes, of any length up to the limit. */
static void the_longest_path(void **state)
{
	ag_arena *arena = ag_arena_new();
	char text[AG_API_MAX_PATH + 1];
	ag_err err = { 0 };
	ag_str sent;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[0] = '/';
	assert_int_equal(ag_api_check_path(ag_str_make(text, AG_API_MAX_PATH), arena, &sent, &err),
	                 AG_OK);
	assert_int_equal(ag_api_check_path(ag_str_make(text, AG_API_MAX_PATH + 1), arena, &sent,
	                                   &err),
	                 AG_INVALID);
	/* Longer only because it is percent-encoded. */
	for (size_t i = 2; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	assert_int_equal(ag_api_check_path(ag_str_make(text, 2000), arena, &sent, &err), AG_OK);
	assert_int_equal(sent.len, 3 * 1998 + 2);
	assert_int_equal(ag_api_check_path(ag_str_make(text, 3000), arena, &sent, &err),
	                 AG_INVALID);
	ag_arena_free(arena);
}

/* --- openapi.cases */

static bool openapi_case(ag_str name, ag_str text, ag_str want, size_t max, ag_arena *arena)
{
	ag_str got = ag_openapi_summary(text, max, arena);

	if (ag_str_eq(got, ag_str_trim(want)) && got.len <= max)
		return true;
	print_error("%.*s: got\n%.*s\nwant\n%.*s\n", AG_FMT(name), AG_FMT(got), AG_FMT(want));
	return false;
}

static ag_str cut_behind(ag_str *s, const char *mark)
{
	const char *p = s->len ? memmem(s->ptr, s->len, mark, strlen(mark)) : NULL;
	size_t n = p ? (size_t)(p - s->ptr) : s->len;
	ag_str ret = ag_str_make(s->ptr, n);
	size_t skip = p ? n + strlen(mark) : n;

	*s = ag_str_make(s->ptr + skip, s->len - skip);
	return ret;
}

static void openapi(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_str rest = read_file("openapi.cases", arena);
	size_t n = 0, nbad = 0;

	(void)state;
	cut_behind(&rest, "\n=== ");
	while (rest.len) {
		ag_str one = cut_behind(&rest, "\n=== ");
		ag_str name = ag_str_split(&one, '\n');
		ag_str text = cut_behind(&one, "\n>>>");
		uint64_t max = 4000;

		if (ag_str_starts(text, AG_S("max "))) {
			ag_str line = ag_str_split(&text, '\n');

			assert_true(ag_str_to_u64(ag_str_make(line.ptr + 4, line.len - 4), &max));
		}
		n++;
		nbad += !openapi_case(name, text, one, (size_t)max, arena);
	}
	assert_true(n >= 14);
	assert_int_equal(nbad, 0);
	ag_arena_free(arena);
}

/* A document that is made of references to one huge object: the work has an end. */
static void work_has_an_end(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(8u << 20);
	ag_str got;

	(void)state;
	ag_buf_adds(&text, "{\"openapi\":\"3.0.0\",\"x\":{");
	for (int i = 0; i < 30000; i++)
		ag_buf_addf(&text, "\"k%d\":{\"n\":1},", i);
	ag_buf_adds(&text, "\"last\":{\"name\":\"n\",\"in\":\"query\"}},\"paths\":{");
	for (int i = 0; i < 200; i++) {
		ag_buf_addf(&text, "%s\"/p%d\":{\"get\":{\"parameters\":[", i ? "," : "", i);
		for (int k = 0; k < 100; k++)
			ag_buf_addf(&text, "%s{\"$ref\":\"#/x/last\"}", k ? "," : "");
		ag_buf_adds(&text, "]}}");
	}
	ag_buf_adds(&text, "}}");
	got = ag_openapi_summary(ag_buf_view(&text), 1u << 20, arena);
	assert_true(ag_str_starts(got, AG_S("GET /p0; query: n, n")));
	assert_false(ag_str_contains(got, AG_S("/p199")));
	ag_buf_release(&text);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(the_longest_path),
		cmocka_unit_test(openapi),
		cmocka_unit_test(work_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
