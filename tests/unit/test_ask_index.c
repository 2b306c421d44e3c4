/* The index of a project's files: words, how files are cut, what a refresh does, and that no secret comes in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ask/index_cut.h"
#include "ask/index_words.h"
#include "base/log.h"
#include "contract/folder.h"

typedef struct world {
	char folder[128];
	ag_arena *arena;
	ag_root *root;
	ag_store *store;
	ag_ctx ctx;
	ag_index_stats stats;
	ag_err err;
} world;

#define assert_ok(w, expr)                                       \
	do {                                                     \
		if (expr)                                        \
			fail_msg("%s: %s", #expr, (w)->err.msg); \
	} while (0)
#define assert_str(s, text) assert_string_equal(ag_str_cstr(arena_of_test, (s)), (text))

static ag_arena *arena_of_test;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));
	ag_root_opts o;

	test_folder_make(w->folder, "index");
	w->arena = arena_of_test = ag_arena_new();
	w->ctx.clock = &ag_clock_system;
	w->ctx.nthread = 1;
	o = (ag_root_opts){ .path = ag_str_c(w->folder) };
	*state = w;
	if (ag_root_open(&o, &w->root, &w->err))
		return -1;
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

static void put(world *w, const char *name, ag_str text)
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
	assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
	fclose(f);
}

static void drop(world *w, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	assert_int_equal(unlink(path), 0);
}

static void refresh(world *w)
{
	assert_ok(w, ag_index_refresh(w->root, w->store, &w->ctx, w->arena, &w->stats, &w->err));
}

static ag_index_hit *ask(world *w, const char *question, size_t *ret_n)
{
	const ag_index_query q = { w->root, w->store, ag_str_c(question), 10 };
	ag_index_hit *hits = NULL;

	assert_ok(w, ag_index_ask(&w->ctx, &q, w->arena, &hits, ret_n, &w->err));
	return hits;
}

static size_t nfound(world *w, const char *question)
{
	size_t n;

	ask(w, question, &n);
	return n;
}

/* --- words --- */

static void endings_do_not_matter(void **state)
{
	static const char *const same[][5] = {
		{ "protect", "protects", "protected", "protecting", "Protect" },
		{ "run", "running", "runs", "RUN", "run" },
		{ "branch", "branches", "branching", "branched", "branch" },
		{ "install", "installation", "installing", "installed", "installs" },
		{ "configure", "configuration", "configured", "configures", "configuring" },
		{ "create", "creation", "creating", "created", "creates" },
		{ "migrate", "migration", "migrations", "migrating", "migrated" },
		{ "deploy", "deployment", "deploying", "deployed", "deploys" },
		{ "dependency", "dependencies", "dependency", "dependency", "dependency" },
		{ "key", "keys", "key", "key", "key" },
	};
	static const char *const different[][2] = {
		{ "class", "clas" }, { "status", "statu" }, { "ring", "r" }, { "bed", "b" },
		{ "this", "thi" },   { "port", "report" },  { "v1", "v2" },  { "test", "text" },
	};

	AG_IGNORE(state, "none");
	for (size_t i = 0; i < AG_NELEM(same); i++) {
		const ag_stem first = ag_stem_of(ag_str_c(same[i][0]));

		for (size_t k = 1; k < 5; k++) {
			const ag_stem s = ag_stem_of(ag_str_c(same[i][k]));

			if (!ag_stem_eq(&first, &s))
				fail_msg("%s: %.*s", same[i][k], (int)s.len, s.text);
		}
	}
	for (size_t i = 0; i < AG_NELEM(different); i++) {
		const ag_stem a = ag_stem_of(ag_str_c(different[i][0]));
		const ag_stem b = ag_stem_of(ag_str_c(different[i][1]));

		assert_false(ag_stem_eq(&a, &b));
	}
}

static void identifiers_have_parts(void **state)
{
	static const char *const want[] = { "max",    "rows", "parse",       "HTTP",
		                            "Server", "x2",   "na\xc3\xafve" };
	const ag_str text = AG_S("max_rows; parseHTTPServer(x2) -- na\xc3\xafve");
	ag_str word;
	size_t n = 0;

	AG_IGNORE(state, "none");
	for (size_t pos = 0; ag_word_next(text, &pos, &word); n++) {
		assert_true(n < AG_NELEM(want));
		assert_true(ag_str_eqc(word, want[n]));
	}
	assert_int_equal(n, AG_NELEM(want));
}

static void questions_have_kinds(void **state)
{
	world *w = *state;
	static const struct {
		const char *text;
		ag_asks asks;
	} cases[] = {
		{ "How do I protect a branch?", AG_ASKS_HOW },
		{ "What steps are needed to build it", AG_ASKS_HOW },
		{ "What is a branch?", AG_ASKS_WHAT },
		{ "Which web framework does the backend use?", AG_ASKS_FACT },
		{ "What port does the proxy listen on?", AG_ASKS_FACT },
		{ "Which function loads the data?", AG_ASKS_WHERE },
		{ "branches", AG_ASKS_ANY },
		{ "", AG_ASKS_ANY },
	};
	ag_question q;

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_question_read(ag_str_c(cases[i].text), w->arena, &q);
		assert_int_equal(q.asks, cases[i].asks);
	}
	ag_question_read(AG_S("what does `git push` say about \"no upstream\" and `x"), w->arena,
	                 &q);
	assert_int_equal(q.nphrase, 2);
	assert_str(q.phrases[0], "git push");
	assert_str(q.phrases[1], "no upstream");
	ag_question_read(AG_S("delete a branch"), w->arena, &q);
	assert_int_equal(q.nof, 2); /* synonyms are of the same thing */
	assert_true(q.nword > 2);
}

/* --- cutting --- */

static void markdown_is_cut_in_sections(void **state)
{
	world *w = *state;
	ag_index_doc *d = NULL;
	size_t n = 0;

	ag_index_cut(
		AG_S("wiki/git.md"),
		AG_S("Intro text.\n\n# Git\n\nA tool.\n\n## Branches\n\nLines of work.\n\n```\n"
	             "# no heading\n```\n\n## Merge\n"),
		w->arena, &d, &n);
	assert_int_equal(n, 4);
	assert_str(d[0].kind, "text");
	assert_str(d[0].title, "git.md");
	assert_str(d[0].body, "Intro text.");
	assert_int_equal(d[0].line, 1);
	assert_str(d[1].kind, "section");
	assert_str(d[1].anchor, "git");
	assert_str(d[1].trail, "");
	assert_int_equal(d[1].line, 3);
	assert_str(d[2].title, "Branches");
	assert_str(d[2].trail, "Git");
	assert_str(d[2].anchor, "branches");
	assert_str(d[2].body, "## Branches\n\nLines of work.\n\n```\n# no heading\n```");
	assert_int_equal(d[2].line, 7);
	assert_int_equal(d[2].last_line, 13);
	assert_str(d[2].names, "wiki git md");
	assert_str(d[3].anchor, "merge");
}

static void code_is_cut_in_definitions(void **state)
{
	world *w = *state;
	ag_index_doc *d = NULL;
	size_t n = 0;

	ag_index_cut(AG_S("app/load_data.py"),
	             AG_S("import os\n\n\n# Reads all rows.\n@cached\ndef read_rows(path):\n"
	                  "    return open(path)\n\n\ndef save():\n    pass\n"),
	             w->arena, &d, &n);
	assert_int_equal(n, 3);
	assert_str(d[0].body, "import os");
	assert_str(d[0].title, "load_data.py");
	assert_str(d[1].kind, "definition");
	assert_int_equal(d[1].line, 4); /* with what stands above it */
	assert_int_equal(d[1].last_line, 7);
	assert_true(ag_str_starts(d[1].body, AG_S("# Reads all rows.\n@cached\ndef read_rows")));
	assert_true(ag_str_contains(d[1].names, AG_S("read rows")));
	assert_true(ag_str_contains(d[1].names, AG_S("load data")));
	assert_int_equal(d[2].line, 10);
}

static void long_texts_are_cut_at_empty_lines(void **state)
{
	world *w = *state;
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(1 << 20);
	ag_index_doc *d = NULL;
	size_t n = 0;

	ag_buf_adds(&b, "# Long\n\n");
	for (int i = 0; i < 200; i++)
		ag_buf_addf(&b, "Paragraph %d says something that is not short at all.\n\n", i);
	ag_index_cut(AG_S("a.md"), ag_buf_view(&b), w->arena, &d, &n);
	assert_in_range(n, 3, 6);
	for (size_t i = 0; i < n; i++) {
		assert_str(d[i].anchor, "long");
		assert_true(ag_str_ends(d[i].body, AG_S("at all.")));
		assert_true(i == 0 || ag_str_starts(d[i].body, AG_S("Paragraph")));
		assert_true(i == 0 || d[i].line == d[i - 1].last_line + 2);
	}
	assert_int_equal(d[n - 1].last_line, 401);
}

static void bad_bytes_are_mended(void **state)
{
	world *w = *state;
	ag_index_doc *d = NULL;
	size_t n = 0;

	ag_index_cut(AG_S("a.txt"), ag_str_make("good \xff\xc3 bad\0 end", 16), w->arena, &d, &n);
	assert_int_equal(n, 1);
	assert_str(d[0].body, "good ?? bad? end");
	ag_index_cut(AG_S("a.txt"), AG_S(""), w->arena, &d, &n);
	assert_int_equal(n, 0);
	ag_index_cut(AG_S("a.txt"), AG_S(" \n\n\t\n"), w->arena, &d, &n);
	assert_int_equal(n, 0);
}

static void what_machines_write_is_left_out(void **state)
{
	AG_IGNORE(state, "none");
	assert_int_equal(ag_index_worth_bytes(AG_S("package-lock.json")), 0);
	assert_int_equal(ag_index_worth_bytes(AG_S("web/uv.lock")), 0);
	assert_int_equal(ag_index_worth_bytes(AG_S("a/b.MIN.js")), 0);
	assert_true(ag_index_worth_bytes(AG_S("data/a.csv")) <= 4096);
	assert_true(ag_index_worth_bytes(AG_S("README.md")) >= 1u << 20);
	assert_true(ag_index_worth_bytes(AG_S("clock.c")) > 0);
}

/* --- refresh --- */

static void only_what_changed_is_read(void **state)
{
	world *w = *state;

	put(w, "a.md", AG_S("# Zebra\n\nstripes\n"));
	put(w, "sub/b.md", AG_S("# Lion\n\nmane\n"));
	refresh(w);
	assert_int_equal(w->stats.nfile, 2);
	assert_int_equal(w->stats.nchanged, 2);
	assert_int_equal(w->stats.ndoc, 2);
	assert_int_equal(nfound(w, "zebra"), 1);
	refresh(w);
	assert_int_equal(w->stats.nchanged, 0);
	put(w, "a.md", AG_S("# Giraffe\n\nneck\n"));
	refresh(w);
	assert_int_equal(w->stats.nchanged, 1);
	assert_int_equal(nfound(w, "zebra"), 0);
	assert_int_equal(nfound(w, "giraffe"), 1);
	put(w, "a.md", AG_S("# Giraffe\n\nneck\n")); /* touched only */
	refresh(w);
	assert_int_equal(w->stats.nchanged, 1);
	assert_int_equal(w->stats.ndoc, 0);
	assert_int_equal(nfound(w, "giraffe"), 1);
	drop(w, "a.md");
	refresh(w);
	assert_int_equal(w->stats.ngone, 1);
	assert_int_equal(nfound(w, "giraffe"), 0);
	assert_int_equal(nfound(w, "mane"), 1);
}

static void many_files_take_several_batches(void **state)
{
	world *w = *state;
	char name[40];

	for (int i = 0; i < 1201; i++) {
		snprintf(name, sizeof(name), "d%d/f%d.md", i % 7, i);
		put(w, name, AG_S("# Same\n\nelephant\n"));
	}
	put(w, "one.md", AG_S("# One\n\nrhino\n"));
	refresh(w);
	assert_int_equal(w->stats.nfile, 1202);
	assert_int_equal(w->stats.ndoc, 1202);
	assert_int_equal(nfound(w, "rhino"), 1);
	refresh(w);
	assert_int_equal(w->stats.nchanged, 0);
}

static size_t nfound_in_store(world *w, const char *word)
{
	const ag_str s = ag_str_c(word);
	ag_index_hit *hits;
	size_t n;

	assert_ok(w, ag_store_index_search(w->store,
	                                   &(ag_index_question){ .project = ag_root_path(w->root),
	                                                         .words = &s,
	                                                         .nword = 1,
	                                                         .limit = 50 },
	                                   w->arena, &hits, &n, &w->err));
	return n;
}

static void secrets_do_not_come_in(void **state)
{
	world *w = *state;

	ag_log_redact(AG_S("zq81canarykey"));
	put(w, ".env.agent.secret", AG_S("LLM_API_KEY=zq82otherkey\n"));
	put(w, ".env", AG_S("KEY=zq83envkey\n"));
	put(w, "keys/id_rsa", AG_S("zq84private\n"));
	put(w, ".gitignore", AG_S("notes/\n"));
	put(w, "notes/a.md", AG_S("# Notes\n\nzq85ignored\n"));
	put(w, "doc.md", AG_S("# Key\n\nSomeone wrote zq81canarykey here, elephant.\n"));
	refresh(w);
	assert_int_equal(nfound_in_store(w, "elephant"), 1);
	assert_int_equal(nfound_in_store(w, "zq81canarykey"), 0);
	assert_int_equal(nfound_in_store(w, "zq82otherkey"), 0);
	assert_int_equal(nfound_in_store(w, "zq83envkey"), 0);
	assert_int_equal(nfound_in_store(w, "zq84private"), 0);
	assert_int_equal(nfound_in_store(w, "zq85ignored"), 0);
}

static void hostile_files_do_no_harm(void **state)
{
	world *w = *state;
	char *large = ag_arena_alloc(w->arena, 3u << 20);

	memset(large, 'x', 3u << 20);
	put(w, "one-line.md", ag_str_make(large, 3u << 20));
	memset(large, '#', 1u << 20);
	put(w, "hashes.md", ag_str_make(large, 1u << 20));
	for (size_t i = 0; i < 3u << 20; i++)
		large[i] = i % 2 ? '\n' : '#';
	put(w, "titles.md", ag_str_make(large, 3u << 20));
	for (size_t i = 0; i < 3u << 20; i++)
		large[i] = (char)(i * 2654435761u >> 11);
	put(w, "noise.md", ag_str_make(large, 1u << 20));
	put(w, "nul.py", ag_str_make("def a():\0\n", 10));
	put(w, "bad.md", AG_S("# \xff\xfe\n\n\xc3(\xed\xa0\x80 elephant\n"));
	put(w, "fts.md", AG_S("# \"OR\" NEAR(a b) title:x *\n\n'; DROP TABLE index_docs; --\n"));
	refresh(w);
	assert_true(nfound_in_store(w, "elephant") <= 1);
	assert_int_equal(nfound_in_store(w, "DROP"), 1);
	refresh(w);
	assert_int_equal(w->stats.nchanged, 0);
}

static void time_runs_out_without_harm(void **state)
{
	world *w = *state;
	size_t n;

	put(w, "a.md", AG_S("# Zebra\n\nstripes\n"));
	w->ctx.deadline_ms = ag_clock_mono(&ag_clock_system) - 1;
	assert_int_equal(ag_index_refresh(w->root, w->store, &w->ctx, w->arena, &w->stats, &w->err),
	                 AG_TIMEOUT);
	w->ctx.deadline_ms = 0;
	ask(w, "zebra", &n);
	assert_int_equal(n, 0);
	refresh(w);
	assert_int_equal(nfound(w, "zebra"), 1);
}

/* --- rank --- */

static void the_title_counts_more_than_the_text(void **state)
{
	world *w = *state;
	const ag_index_hit *h;
	size_t n;

	put(w, "wiki/index.md",
	    AG_S("# Wiki\n\n- [Protect a branch](github.md#protect-a-branch)\n- [Delete a branch](b)\n"));
	put(w, "wiki/github.md",
	    AG_S("# GitHub\n\n## Protect a branch\n\nOpen the settings, add a rule.\n\n## Delete a branch\n\n"
	         "A branch that one has to protect cannot go: branch, branch, protect.\n"));
	put(w, "src/branch.py", AG_S("def protect_branch(branch):\n    return branch.protect()\n"));
	refresh(w);
	h = ask(w, "What steps protect a branch on GitHub?", &n);
	assert_true(n >= 3);
	assert_str(h[0].path, "wiki/github.md");
	assert_str(h[0].doc.anchor, "protect-a-branch");
	assert_true(h[0].score > h[1].score);
	h = ask(w, "Which function protects a branch?", &n);
	assert_str(h[0].path, "src/branch.py");
	h = ask(w, "How do I remove a branch?", &n); /* a synonym */
	assert_str(h[0].doc.anchor, "delete-a-branch");
}

static void facts_are_in_settings(void **state)
{
	world *w = *state;
	const ag_index_hit *h;
	size_t n;

	put(w, "wiki/web.md",
	    AG_S("# Web development\n\nA framework helps with web development.\n"));
	put(w, "pyproject.toml",
	    AG_S("[project]\nname = \"backend\"\ndependencies = [\n  \"fastapi\",\n]\n"));
	put(w, "docs/ports.md", AG_S("# History\n\nOnce upon a time there was a proxy.\n"));
	put(w, "docker-compose.yml",
	    AG_S("services:\n  caddy:\n    image: caddy\n    ports:\n      - 42002:80\n"));
	refresh(w);
	h = ask(w, "Which framework does the backend use?", &n);
	assert_str(h[0].path, "pyproject.toml");
	h = ask(w, "Which port does caddy listen on?", &n);
	assert_str(h[0].path, "docker-compose.yml");
}

static void no_words_no_hits(void **state)
{
	world *w = *state;

	put(w, "a.md", AG_S("# Zebra\n\nstripes\n"));
	refresh(w);
	assert_int_equal(nfound(w, ""), 0);
	assert_int_equal(nfound(w, "?!"), 0);
	assert_int_equal(nfound(w, "the of and"), 0);
	assert_int_equal(nfound(w, "\xff\xfe"), 0);
	assert_int_equal(nfound(w, "quantum chromodynamics"), 0);
}

/* "How does one delete a branch?" in Chinese; a section about starting, one about deleting branches. */
static void scripts_without_blanks_are_found(void **state)
{
	world *w = *state;
	const ag_index_hit *h;
	size_t n;

	put(w, "a.md",
	    AG_S("# \xe5\x90\xaf\xe5\x8a\xa8\n\n\xe8\xbf\x90\xe8\xa1\x8c\xe6\x9c\x8d\xe5\x8a\xa1\xe3\x80\x82\n\n"
	         "# \xe5\x88\xa0\xe9\x99\xa4\xe5\x88\x86\xe6\x94\xaf\n\n\xe4\xbd\xbf\xe7\x94\xa8 git branch -d\xe3\x80\x82\n"));
	refresh(w);
	h = ask(w, "\xe6\x80\x8e\xe4\xb9\x88\xe5\x88\xa0\xe9\x99\xa4\xe5\x88\x86\xe6\x94\xaf", &n);
	assert_true(n >= 1);
	assert_str(h[0].doc.anchor, "\xe5\x88\xa0\xe9\x99\xa4\xe5\x88\x86\xe6\x94\xaf");
	put(w, "b.md",
	    AG_S("# \xd0\x92\xd0\xb5\xd1\x82\xd0\xba\xd0\xb8\n\nElephant.\n")); /* Cyrillic, any case */
	refresh(w);
	h = ask(w, "\xd0\xb2\xd0\xb5\xd1\x82\xd0\xba\xd0\xb8", &n);
	assert_int_equal(n, 1);
	assert_str(h[0].path, "b.md");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endings_do_not_matter),
		cmocka_unit_test(identifiers_have_parts),
		T(questions_have_kinds),
		T(markdown_is_cut_in_sections),
		T(code_is_cut_in_definitions),
		T(long_texts_are_cut_at_empty_lines),
		T(bad_bytes_are_mended),
		cmocka_unit_test(what_machines_write_is_left_out),
		T(only_what_changed_is_read),
		T(many_files_take_several_batches),
		T(secrets_do_not_come_in),
		T(hostile_files_do_no_harm),
		T(time_runs_out_without_harm),
		T(the_title_counts_more_than_the_text),
		T(facts_are_in_settings),
		T(no_words_no_hits),
		T(scripts_without_blanks_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
