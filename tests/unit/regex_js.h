/* regex_js -- patterns of evidence executed by PCRE2 and by a JavaScript engine over the same texts: both count the same.
 *
 * regex_js_add() counts with PCRE2 and writes pattern, texts and count down; regex_js_compare() has node count again
 * (tests/unit/regex_js.mjs). The texts are the strings of the documents and the cells of a CSV, and a few that engines
 * are known to treat differently. */
#ifndef AG_TESTS_REGEX_JS_H
#define AG_TESTS_REGEX_JS_H

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "query/regex.h"
#include "query/value.h"

#define REGEX_JS_TEXTS 200 /* of one pattern: so the whole file stays below 100 MB */

static char regex_js_path[] = "/tmp/argus_regex_XXXXXX";
static FILE *regex_js_file;
static size_t regex_js_patterns;

typedef struct regex_js_list {
	ag_str items[REGEX_JS_TEXTS];
	size_t n;
} regex_js_list;

static void regex_js_text(regex_js_list *l, ag_str s)
{
	for (size_t i = 0; i < l->n; i++)
		if (ag_str_eq(l->items[i], s))
			return;
	if (l->n < REGEX_JS_TEXTS)
		l->items[l->n++] = s;
}

static void regex_js_texts(regex_js_list *l, const ag_val *v)
{
	if (v->type == AG_T_STRING)
		regex_js_text(l, ag_val_text(v));
	for (size_t i = 0; i < v->n && (v->type == AG_T_OBJECT || v->type == AG_T_ARRAY); i++)
		regex_js_texts(l, v->type == AG_T_OBJECT ? &v->u.members[i].val : &v->u.items[i]);
}

static void regex_js_cells(regex_js_list *l, ag_str csv)
{
	size_t from = 0;

	for (size_t i = 0; i <= csv.len; i++)
		if (i == csv.len || csv.ptr[i] == '\n' || csv.ptr[i] == ',' || csv.ptr[i] == ';') {
			regex_js_text(l, ag_str_make(csv.ptr + from, i - from));
			from = i + 1;
		}
}

/* Odd texts first: blanks beyond ASCII, letters beyond the first plane, ends of lines, words with accents. */
static void regex_js_odd_texts(regex_js_list *l)
{
	static const char *const odd[] = {
		"",
		" ",
		"\t",
		"\xc2\xa0",
		"\xe2\x80\x89 ",
		"a\xc2\xa0",
		" a",
		"a ",
		"a  b",
		"\xf0\x9f\x98\x80",
		"a\xf0\x9f\x98\x80"
		"b",
		"\xc3\x84"
		"rger",
		"\xc3\x83\xc2\xa9",
		"\xef\xbf\xbd",
		"a\tb",
		"a\rb",
		"a\n",
		"\n",
		"12\n",
		"\x01",
		"K\xe2\x84\xaa",
		"\xe2\x80\x8b",
		"\xef\xbb\xbf"
		"a",
		"AB-123",
		"ab-123",
		"007",
		"1,234.50",
	};

	for (size_t i = 0; i < AG_NELEM(odd); i++)
		regex_js_text(l, ag_str_c(odd[i]));
}

static void regex_js_add(ag_str pattern, ag_str options, const ag_val *docs, size_t ndoc,
                         ag_str csv)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(16u << 20);
	regex_js_list *l = ag_new(arena, regex_js_list);
	const ag_regex *re;
	uint64_t n = 0;
	ag_err err;
	ag_jw w;

	if (!regex_js_file) {
		const int fd = mkstemp(regex_js_path);

		assert_true(fd >= 0);
		regex_js_file = fdopen(fd, "w");
		assert_non_null(regex_js_file);
	}
	if (ag_regex_compile(pattern, options, arena, &re, &err))
		fail_msg("%s", err.msg);
	regex_js_odd_texts(l);
	for (size_t i = 0; i < ndoc; i++)
		regex_js_texts(l, &docs[i]);
	regex_js_cells(l, csv);
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "pattern", pattern);
	ag_jw_kstr(&w, "options", options);
	ag_jw_kkey(&w, "texts");
	ag_jw_arr(&w);
	for (size_t i = 0; i < l->n; i++) {
		n += ag_regex_match(re, l->items[i]);
		ag_jw_str(&w, l->items[i]);
	}
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "count", n);
	ag_jw_obj_end(&w);
	assert_false(out.failed);
	assert_int_equal(fwrite(out.ptr, 1, out.len, regex_js_file), out.len);
	assert_true(fputc('\n', regex_js_file) == '\n');
	regex_js_patterns++;
}

static void regex_js_compare(void)
{
	char count[24];
	const char *argv[] = { "node", "tests/unit/regex_js.mjs", regex_js_path, count, NULL };
	pid_t pid;
	int status, e;

	assert_true(regex_js_patterns > 100);
	assert_int_equal(fclose(regex_js_file), 0);
	(void)snprintf(count, sizeof(count), "%zu", regex_js_patterns);
	e = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ);
	if (e == ENOENT) {
		print_message(
			"# node is not installed: the patterns are not executed by JavaScript\n");
		unlink(regex_js_path);
		skip();
	}
	assert_int_equal(e, 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fail_msg("JavaScript counts otherwise; the patterns are above");
	unlink(regex_js_path);
}

#endif
