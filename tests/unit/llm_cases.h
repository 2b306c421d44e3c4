/* llm_cases -- text cases of the model layer: a file is cut into cases and sections.
 *
 *   # comment, before the first case
 *   === name of the case
 *   word rest of the line              any number of settings
 *   >>> stream                         what goes in, up to the next mark; the word says what it is
 *   …
 *   <<<                                what must come out, up to the next case
 *   …
 * An empty line before a mark belongs to the section: streams end their last event with it. */
#ifndef AG_TESTS_LLM_CASES_H
#define AG_TESTS_LLM_CASES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

#define CASES_MAX_SETTINGS 8

typedef struct llm_case {
	const char *file;
	ag_str name;
	ag_str word[CASES_MAX_SETTINGS], value[CASES_MAX_SETTINGS];
	size_t nsetting;
	ag_str kind, input, want; /* want has no empty lines at its end */
} llm_case;

typedef bool (*llm_case_fn)(const llm_case *c, ag_arena *arena);

/* cmocka cuts a message at a kilobyte. */
static inline void case_show(const char *what, ag_str text)
{
	print_error("--- %s:\n", what);
	for (size_t at = 0; at < text.len; at += 900)
		print_error("%.*s", (int)(text.len - at < 900 ? text.len - at : 900),
		            text.ptr + at);
	print_error("\n");
}

static inline ag_str case_file(const char *name, ag_arena *arena)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	ag_buf text = AG_BUF_INIT(8u << 20);
	char path[4096], piece[8192];
	FILE *f;
	size_t n;
	ag_str ret;

	snprintf(path, sizeof(path), "%s/tests/cases/llm/%s", root ? root : ".", name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s cannot be opened", path);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		ag_buf_add(&text, ag_str_make(piece, n));
	fclose(f);
	ret = ag_buf_dup(arena, &text);
	ag_buf_release(&text);
	return ret;
}

static inline ag_str case_setting(const llm_case *c, const char *word)
{
	for (size_t i = 0; i < c->nsetting; i++) {
		if (ag_str_eqc(c->word[i], word))
			return c->value[i];
	}
	return AG_S("");
}

/* Up to the next line that begins with one of the marks; *rest moves to that line. */
static inline ag_str case_section(ag_str *rest)
{
	const char *begin = rest->ptr;
	size_t n = 0;

	while (rest->len) {
		ag_str next = *rest, line = ag_str_split(&next, '\n');

		if (ag_str_starts(line, AG_S("=== ")) || ag_str_starts(line, AG_S(">>> ")) ||
		    ag_str_eq(line, AG_S("<<<")))
			break;
		n += line.len + (next.ptr != NULL);
		*rest = next;
	}
	return ag_str_make(begin ? begin : "", n);
}

static inline void case_settings(llm_case *c, ag_str text)
{
	while (text.len) {
		ag_str line = ag_str_trim(ag_str_split(&text, '\n'));

		if (!line.len || line.ptr[0] == '#')
			continue;
		assert_true(c->nsetting < CASES_MAX_SETTINGS);
		c->word[c->nsetting] = ag_str_split(&line, ' ');
		c->value[c->nsetting++] = ag_str_trim(line.ptr ? line : AG_S(""));
	}
}

/* Runs fn on each case of the file; false of fn means it has complained. Returns how many cases there were. */
static inline int run_cases(const char *file, llm_case_fn fn)
{
	ag_arena *texts = ag_arena_new();
	ag_str rest = case_file(file, texts);
	int n = 0, failed = 0;

	case_section(&rest);
	while (ag_str_starts(rest, AG_S("=== "))) {
		llm_case c = { .file = file };
		ag_arena *arena = ag_arena_new();

		c.name = ag_str_split(&rest, '\n');
		case_settings(&c, case_section(&rest));
		if (ag_str_starts(rest, AG_S(">>> "))) {
			c.kind = ag_str_split(&rest, '\n');
			c.kind = ag_str_trim(ag_str_make(c.kind.ptr + 4, c.kind.len - 4));
			c.input = case_section(&rest);
		}
		if (ag_str_starts(rest, AG_S("<<<"))) {
			ag_str_split(&rest, '\n');
			c.want = ag_str_trim(case_section(&rest));
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
