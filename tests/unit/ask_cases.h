/* ask_cases -- text cases of the room ask/: a file is cut into cases, a case into its text and its sections.
 *
 *   # comment, before the first case
 *   === name of the case
 *   the text, any number of lines
 *   --- word          a section, up to the next mark
 *   … */
#ifndef AG_TESTS_ASK_CASES_H
#define AG_TESTS_ASK_CASES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

#define ASK_CASE_MAX_SECTIONS 8

typedef struct ask_case {
	const char *file;
	ag_str name, text;
	ag_str word[ASK_CASE_MAX_SECTIONS], section[ASK_CASE_MAX_SECTIONS];
	size_t nsection;
} ask_case;

typedef bool (*ask_case_fn)(const ask_case *c, ag_arena *arena);

static inline ag_str ask_case_path(const char *name, ag_arena *arena)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");

	return ag_str_printf(arena, "%s/tests/cases/ask/%s", root ? root : ".", name);
}

static inline ag_str ask_case_file(ag_str path, ag_arena *arena)
{
	ag_buf text = AG_BUF_INIT(8u << 20);
	char piece[8192];
	FILE *f = fopen(ag_str_cstr(arena, path), "rb");
	size_t n;
	ag_str ret;

	if (!f)
		fail_msg("%.*s cannot be opened", AG_FMT(path));
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		ag_buf_add(&text, ag_str_make(piece, n));
	fclose(f);
	ret = ag_buf_dup(arena, &text);
	ag_buf_release(&text);
	return ret;
}

/* Up to the next line that is a mark; *rest moves to it. */
static inline ag_str ask_case_cut(ag_str *rest)
{
	const char *begin = rest->ptr;
	size_t n = 0;

	while (rest->len) {
		ag_str next = *rest, line = ag_str_split(&next, '\n');

		if (ag_str_starts(line, AG_S("=== ")) || ag_str_starts(line, AG_S("--- ")))
			break;
		n += line.len + (next.ptr != NULL);
		*rest = next;
	}
	return ag_str_trim(ag_str_make(begin ? begin : "", n));
}

/* The section of that name; *ret_has (may be NULL) whether there is one. */
static inline ag_str case_section(const ask_case *c, const char *word, bool *ret_has)
{
	for (size_t i = 0; i < c->nsection; i++) {
		if (ag_str_eqc(c->word[i], word)) {
			if (ret_has)
				*ret_has = true;
			return c->section[i];
		}
	}
	if (ret_has)
		*ret_has = false;
	return AG_S("");
}

/* Is the section, when there is one, this text? */
static inline bool case_is(const ask_case *c, const char *word, ag_str got)
{
	bool has;
	ag_str want = case_section(c, word, &has);

	if (!has || ag_str_eq(ag_str_trim(got), want))
		return true;
	print_error("--- %s: want\n%.*s\n--- got\n%.*s\n", word, AG_FMT(want), AG_FMT(got));
	return false;
}

/* Runs fn on each case; false of fn means it has complained. Returns how many cases there were. */
static inline int ask_run_cases(const char *file, ask_case_fn fn)
{
	ag_arena *texts = ag_arena_new();
	ag_str rest = ask_case_file(ask_case_path(file, texts), texts);
	int n = 0, failed = 0;

	ask_case_cut(&rest);
	while (ag_str_starts(rest, AG_S("=== "))) {
		ask_case c = { .file = file };
		ag_arena *arena = ag_arena_new();

		c.name = ag_str_split(&rest, '\n');
		c.text = ask_case_cut(&rest);
		while (ag_str_starts(rest, AG_S("--- "))) {
			ag_str word = ag_str_split(&rest, '\n');

			assert_true(c.nsection < ASK_CASE_MAX_SECTIONS);
			c.word[c.nsection] = ag_str_trim(ag_str_make(word.ptr + 4, word.len - 4));
			c.section[c.nsection++] = ask_case_cut(&rest);
		}
		if (!fn(&c, arena)) {
			print_error("%s: %.*s\n", file, AG_FMT(c.name));
			failed++;
		}
		ag_arena_free(arena);
		n++;
	}
	ag_arena_free(texts);
	assert_int_equal(failed, 0);
	return n;
}

#endif
