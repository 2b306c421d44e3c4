/* Answers without a model: the right section first for at least 80 % of two sets of questions that anybody can add to
 * (tests/cases/ask/offline_*.cases), and nothing cited that is not there. */
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ask/index_words.h"
#include "ask/offline.h"
#include "ask/offline_passage.h"
#include "ask/outline.h"
#include "base/log.h"
#include "base/sha256.h"
#include "contract/folder.h"

#define MAX_CASES 400

typedef struct world {
	char folder[128];
	ag_arena *arena;
	ag_root *root;
	ag_store *store;
	ag_ctx ctx;
	ag_err err;
} world;

#define assert_ok(w, expr)                                       \
	do {                                                     \
		if (expr)                                        \
			fail_msg("%s: %s", #expr, (w)->err.msg); \
	} while (0)

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	test_folder_make(w->folder, "offline");
	w->arena = ag_arena_new();
	w->ctx.clock = &ag_clock_system;
	w->ctx.nthread = 1;
	*state = w;
	return (int)ag_store_open(AG_S("memory:"), &w->store, &w->err);
}

static int teardown(void **state)
{
	world *w = *state;

	ag_root_close(w->root);
	ag_store_close(w->store);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

static void open_root(world *w, const char *path)
{
	const ag_root_opts o = { .path = ag_str_c(path) };

	assert_ok(w, ag_root_open(&o, &w->root, &w->err));
}

static void put_file(world *w, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	for (char *p = path + strlen(w->folder) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	fclose(f);
}

static ag_answer ask(world *w, const char *question)
{
	ag_answer a = { 0 };

	assert_ok(w, ag_offline_answer(w->root, w->store, &w->ctx, ag_str_c(question), w->arena, &a,
	                               &w->err));
	return a;
}

/* --- what is cited exists --- */

static void check_citation(world *w, const ag_citation *c)
{
	ag_outline o = { 0 };
	ag_root_text file;
	ag_sha256_hex hash;
	unsigned nline = 1;

	assert_ok(w, ag_root_read(w->root, &w->ctx, c->path, AG_ROOT_MAX_FILE, w->arena, &file,
	                          &w->err));
	hash = ag_sha256(file.text);
	assert_true(ag_str_eqc(c->sha256, hash.text));
	for (size_t i = 0; i < file.text.len; i++)
		nline += file.text.ptr[i] == '\n';
	assert_true(c->line >= 1 && c->line <= c->last_line && c->last_line <= nline);
	assert_true(c->quote.len > 0 && c->quote.len <= 300);
	assert_true(ag_str_contains(file.text, c->quote));
	assert_int_equal(c->instead_of.len, 0);
	if (!c->anchor.len)
		return;
	ag_outline_of(c->path, file.text, w->arena, &o);
	assert_non_null(ag_outline_find(&o, c->anchor));
	assert_int_equal(ag_outline_find(&o, c->anchor)->line, c->line);
}

static void check_answer(world *w, const ag_answer *a)
{
	assert_true(ag_str_eqc(a->mode, "offline"));
	assert_int_equal(a->ncall, 0);
	assert_true(a->ncitation <= 5);
	assert_true(a->answer.len > 0);
	assert_true(a->answer.len < AG_PASSAGE_MAX_BYTES + 400);
	for (size_t i = 0; i < a->ncitation; i++)
		check_citation(w, &a->citations[i]);
	if (!a->ncitation) {
		assert_int_equal(a->source.len, 0);
		assert_true(ag_str_eqc(a->status, "partial"));
		assert_true(a->why.len > 0);
		return;
	}
	assert_int_equal(ag_str_eqc(a->status, "ok"), a->why.len == 0);
	assert_true(ag_str_starts(a->source, a->citations[0].path));
	assert_true(ag_str_ends(a->source, a->citations[0].anchor));
}

/* --- the right section first --- */

static char *read_cases(const char *name)
{
	char path[300];
	char *text = ag_xcalloc(1, 256 * 1024);
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cases/ask/%s", root ? root : ".", name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("no cases at %s", path);
	assert_true(fread(text, 1, 256 * 1024 - 1, f) > 0);
	fclose(f);
	return text;
}

static bool is_one_of(ag_str got, ag_str expected)
{
	while (expected.ptr) {
		const ag_str one = ag_str_split(&expected, '|');
		const bool any_anchor = ag_str_find(one, '#') < 0;

		if (ag_str_eq(got, one) || (any_anchor && ag_str_starts(got, one) &&
		                            got.len > one.len && got.ptr[one.len] == '#'))
			return true;
	}
	return false;
}

static void measure(world *w, const char *name, size_t min_cases)
{
	char *text = read_cases(name);
	size_t n = 0, nright = 0, namong = 0;

	for (ag_str rest = ag_str_c(text); rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');
		const ptrdiff_t tab = ag_str_find(line, '\t');
		ag_str question, expected;
		ag_answer a;
		bool is_right, is_among = false;

		if (tab < 0 || line.ptr[0] == '#')
			continue;
		question = ag_str_make(line.ptr, (size_t)tab);
		expected = ag_str_trim(ag_str_make(line.ptr + tab + 1, line.len - (size_t)tab - 1));
		a = ask(w, ag_str_cstr(w->arena, question));
		check_answer(w, &a);
		is_right = is_one_of(a.source, expected);
		for (size_t i = 0; i < a.ncitation; i++) {
			const ag_citation *c = &a.citations[i];
			const ag_str s = c->anchor.len
			                         ? ag_str_printf(w->arena, "%.*s#%.*s",
			                                         AG_FMT(c->path), AG_FMT(c->anchor))
			                         : c->path;

			is_among |= is_one_of(s, expected);
		}
		n++;
		nright += is_right;
		namong += is_among;
		if (!is_right)
			printf("# %s %.*s\n#   want %.*s\n#   got  %.*s\n",
			       is_among ? "second:" : "missed:", AG_FMT(question), AG_FMT(expected),
			       AG_FMT(a.source));
	}
	free(text);
	printf("# %s: right first %zu of %zu (%.0f %%), cited %zu\n", name, nright, n,
	       100.0 * (double)nright / (double)(n ? n : 1), namong);
	assert_true(n >= min_cases);
	assert_true(nright * 100 >= n * 80);
}

static void the_wiki_answers(void **state)
{
	world *w = *state;
	char path[300];
	const char *root = getenv("ARGUS_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/examples/wiki", root ? root : ".");
	open_root(w, path);
	measure(w, "offline_wiki.cases", 30);
}

/* A copy: the questions themselves are in the tree, too. */
static void copy_sources(world *w)
{
	const char *const names[] = { "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs",
		                      "src" };
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char cp[] = "cp", option[] = "-R";
	char *argv[AG_NELEM(names) + 4] = { cp, option };
	size_t n = 2;
	int status = -1;
	pid_t pid;

	for (size_t i = 0; i < AG_NELEM(names); i++)
		argv[n++] = ag_str_cstr(w->arena, ag_str_printf(w->arena, "%s/%s",
		                                                root ? root : ".", names[i]));
	argv[n] = w->folder;
	assert_int_equal(posix_spawnp(&pid, "cp", NULL, NULL, argv, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void argus_answers(void **state)
{
	world *w = *state;

	copy_sources(w);
	open_root(w, w->folder);
	measure(w, "offline_argus.cases", 25);
}

/* --- passages --- */

static ag_str passage(world *w, const char *question, const char *text)
{
	ag_question q;

	ag_question_read(ag_str_c(question), w->arena, &q);
	for (size_t i = 0; i < q.nword; i++)
		q.words[i].with = 1;
	return ag_passage_of_section(&q, ag_str_c(text), w->arena);
}

static size_t count(ag_str text, const char *what)
{
	const size_t len = strlen(what);
	size_t n = 0;

	for (size_t i = 0; i + len <= text.len; i++)
		n += memcmp(text.ptr + i, what, len) == 0;
	return n;
}

static const char *filler(world *w, const char *sentence, size_t times)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(1 << 20);

	for (size_t i = 0; i < times; i++)
		ag_buf_adds(&b, sentence);
	return ag_str_cstr(w->arena, ag_buf_view(&b));
}

static void short_sections_are_told_whole(void **state)
{
	world *w = *state;
	const char *text = "Lead.\n\n1. One\n2. Two\n\n```sh\nrun it\n\nagain\n```";

	assert_true(ag_str_eqc(passage(w, "how", text), text));
	assert_true(ag_str_eqc(passage(w, "how", "\n\n  Lead.\n\n"), "Lead."));
	assert_int_equal(passage(w, "how", "").len, 0);
	assert_int_equal(passage(w, "how", "\n \n").len, 0);
}

static void long_sections_give_what_fits(void **state)
{
	world *w = *state;
	const char *noise = filler(w, "Something else is said here at some length. ", 12);
	ag_str p = passage(
		w, "How do I open the valve?",
		ag_str_cstr(w->arena,
	                    ag_str_printf(w->arena,
	                                  "The lead says what it is.\n\n%s\n\n%s\n\n"
	                                  "To open the valve, run:\n\n```sh\n# valve\n\nvalve "
	                                  "open\n```\n\n%s\n",
	                                  noise, noise, noise)));

	assert_true(p.len <= AG_PASSAGE_MAX_BYTES);
	assert_true(ag_str_starts(p, AG_S("The lead says what it is.")));
	assert_true(ag_str_contains(
		p, AG_S("To open the valve, run:\n\n```sh\n# valve\n\nvalve open\n```")));
	assert_true(ag_str_contains(p, AG_S("\xe2\x80\xa6"))); /* something was left out */
	assert_int_equal(count(p, "```"), 2);
}

/* No word is cut, no fence stays open, whatever is too large. */
static void large_blocks_are_cut_with_care(void **state)
{
	world *w = *state;
	const char *const texts[] = {
		ag_str_cstr(w->arena, ag_str_printf(w->arena, "```c\n%s\n```",
		                                    filler(w, "int valve;\n", 400))),
		ag_str_cstr(w->arena,
		            ag_str_printf(w->arena, "~~~\n%s", filler(w, "int valve;\n", 400))),
		filler(w, "- open the valve slowly\n", 300),
		ag_str_cstr(w->arena, ag_str_printf(w->arena, "- item\n\n  ```\n%s  ```\n",
		                                    filler(w, "  valve\n", 400))),
		filler(w, "valve ", 1000),
		filler(w, "| valve | open |\n", 300),
		filler(w, "valve:\n\n", 300),
	};

	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		const ag_str p = passage(w, "Where is the valve?", texts[i]);
		const ag_str before = ag_str_make(p.ptr, p.len);

		assert_true(p.len > 0 && p.len <= AG_PASSAGE_MAX_BYTES + 20);
		assert_int_equal(count(p, "```") % 2, 0);
		assert_int_equal(count(p, "~~~") % 2, 0);
		assert_int_equal(count(p, "valv"), count(p, "valve"));
		assert_true(ag_str_eq(before, p));
	}
}

static void a_quote_is_a_line_of_the_text(void **state)
{
	world *w = *state;
	const ag_str text = AG_S("# Title\n\n```\nvalve open\n```\n   The valve opens.   \nlast");
	ag_question q;
	ag_str quote;

	ag_question_read(AG_S("when does the valve open"), w->arena, &q);
	for (size_t i = 0; i < q.nword; i++)
		q.words[i].with = 1;
	quote = ag_passage_quote(&q, text);
	assert_true(quote.ptr >= text.ptr && quote.ptr + quote.len <= text.ptr + text.len);
	assert_true(ag_str_eqc(quote, "valve open"));
	quote = ag_passage_quote(&q, ag_str_c(filler(w, "valve and more ", 100)));
	assert_true(quote.len <= AG_QUOTE_MAX_BYTES && quote.len > 250);
	assert_true(ag_str_ends(quote, AG_S("more")) || ag_str_ends(quote, AG_S("valve")) ||
	            ag_str_ends(quote, AG_S("and")));
}

/* --- answers --- */

static void nothing_fits_is_said(void **state)
{
	static const char *const questions[] = { "Who won the football world cup in 1998?", "",
		                                 "???", "the", "\xff\xfe\xfd" };
	world *w = *state;

	put_file(w, "README.md", "# Zebra\n\nA zebra has stripes.\n");
	open_root(w, w->folder);
	for (size_t i = 0; i < AG_NELEM(questions); i++) {
		const ag_answer a = ask(w, questions[i]);

		assert_int_equal(a.source.len, 0);
		assert_int_equal(a.ncitation, 0);
		check_answer(w, &a);
	}
}

static void an_empty_project_has_no_answer(void **state)
{
	world *w = *state;
	ag_answer a;

	open_root(w, w->folder);
	a = ask(w, "What is this?");
	check_answer(w, &a);
	assert_int_equal(a.ncitation, 0);
}

static void code_is_cited_with_lines(void **state)
{
	world *w = *state;
	ag_answer a;

	put_file(
		w, "app/main.py",
		"import os\n\n\ndef load_rows(path):\n    \"\"\"Reads all rows.\"\"\"\n    return open(path)\n\n\n"
		"def save_rows(path):\n    pass\n");
	open_root(w, w->folder);
	a = ask(w, "Which function loads rows?");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "app/main.py"));
	assert_int_equal(a.citations[0].line, 4);
	assert_int_equal(a.citations[0].last_line, 6);
	assert_true(ag_str_contains(a.answer, AG_S("```python\ndef load_rows(path):\n")));
	assert_true(ag_str_contains(a.answer, AG_S("lines 4-6")));
}

static void the_file_of_now_counts(void **state)
{
	world *w = *state;
	ag_answer a;

	put_file(w, "a.md", "# Zebra\n\nStripes, black and white.\n\n# Lion\n\nA mane.\n");
	open_root(w, w->folder);
	a = ask(w, "What colour are the stripes of a zebra?");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "a.md#zebra"));
	assert_true(ag_str_eqc(a.answer, "Stripes, black and white."));
	put_file(w, "a.md", "# All about a zebra\n\nStripes, brown and white.\n");
	a = ask(w, "What colour are the stripes of a zebra?");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "a.md#all-about-a-zebra"));
	assert_true(ag_str_eqc(a.answer, "Stripes, brown and white."));
}

static void a_title_without_text_is_answered_by_what_is_below(void **state)
{
	world *w = *state;
	ag_answer a;

	put_file(w, "a.md", "# Install the zebra\n\n## Linux\n\nRun apt.\n\n## Mac\n\nRun brew.\n");
	open_root(w, w->folder);
	a = ask(w, "install the zebra");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "a.md#install-the-zebra"));
	assert_true(ag_str_contains(a.answer, AG_S("Run apt.")));
}

static void known_secrets_are_not_told(void **state)
{
	world *w = *state;
	ag_answer a;

	ag_log_redact(AG_S("zq91canarykey"));
	put_file(w, "a.md", "# The zebra key\n\nThe zebra key is zq91canarykey for now.\n");
	open_root(w, w->folder);
	a = ask(w, "What is the zebra key?");
	assert_true(ag_str_eqc(a.source, "a.md#the-zebra-key"));
	assert_false(ag_str_contains(a.answer, AG_S("zq91canarykey")));
	for (size_t i = 0; i < a.ncitation; i++)
		assert_false(ag_str_contains(a.citations[i].quote, AG_S("zq91canarykey")));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_wiki_answers),
		T(argus_answers),
		T(short_sections_are_told_whole),
		T(long_sections_give_what_fits),
		T(large_blocks_are_cut_with_care),
		T(a_quote_is_a_line_of_the_text),
		T(nothing_fits_is_said),
		T(an_empty_project_has_no_answer),
		T(code_is_cited_with_lines),
		T(the_file_of_now_counts),
		T(a_title_without_text_is_answered_by_what_is_below),
		T(known_secrets_are_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
