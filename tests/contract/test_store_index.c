/* The full text of files, the same for every store in store_fixtures[]; then what holds for a file: purge leaves no
 * words, damage is mended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "base/time.h"
#include "store/search_index.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	store_env *env = store_env_new(fixture);

	*state = env;
	return (int)ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

static ag_index_doc doc(const char *title, const char *body)
{
	ag_index_doc d = { .kind = AG_S("section"),
		           .anchor = AG_S("a"),
		           .title = ag_str_c(title),
		           .trail = AG_S("Top"),
		           .names = AG_S("max rows"),
		           .body = ag_str_c(body),
		           .line = 3,
		           .last_line = 9 };

	return d;
}

static ag_index_change change(const char *path, uint64_t size, const ag_index_doc *docs, size_t n)
{
	ag_index_change c = { .file = { .path = ag_str_c(path),
		                        .size = size,
		                        .mtime_ns = 1700000000123456789,
		                        .hash = AG_S("abc"),
		                        .format = 7 },
		              .docs = docs,
		              .ndoc = n };

	return c;
}

static void put(store_env *env, const char *project, const char *path, const ag_index_doc *docs,
                size_t n)
{
	ag_index_change c = change(path, 5, docs, n);

	assert_ok(env, ag_store_index_update(env->store, ag_str_c(project), &c, 1, &env->err));
}

static ag_index_file *files(store_env *env, const char *project, size_t *ret_n)
{
	ag_index_file *list = NULL;

	assert_ok(env, ag_store_index_files(env->store, ag_str_c(project), env->arena, &list, ret_n,
	                                    &env->err));
	return list;
}

/* Hits of up to two words. */
static size_t find(store_env *env, const char *project, const char *a, const char *b,
                   ag_index_hit **ret)
{
	ag_str words[] = { ag_str_c(a), ag_str_c(b) };
	size_t n = 0;

	assert_ok(env, ag_store_index_search(env->store,
	                                     &(ag_index_question){ .project = ag_str_c(project),
	                                                           .words = words,
	                                                           .nword = b ? 2 : 1,
	                                                           .limit = 50 },
	                                     env->arena, ret, &n, &env->err));
	return n;
}

static size_t nfound(store_env *env, const char *project, const char *word)
{
	ag_index_hit *hits;

	return find(env, project, word, NULL, &hits);
}

static void documents_are_found_by_their_words(void **state)
{
	store_env *env = *state;
	const ag_index_doc docs[] = { doc("Protect a branch",
		                          "Open the settings of the repository."),
		                      doc("Branches", "A branch is a line of work."),
		                      doc("Caf\xc3\xa9", "na\xc3\xafve Gr\xc3\xb6\xc3\x9f"
		                                         "e") };
	ag_index_hit *hits;

	put(env, "p", "wiki/github.md", docs, AG_NELEM(docs));
	assert_int_equal(find(env, "p", "protecting", "branch", &hits), 2); /* porter: same stem */
	assert_str(hits[0].path, "wiki/github.md");
	assert_str(hits[0].doc.title, "Protect a branch");
	assert_str(hits[0].doc.kind, "section");
	assert_str(hits[0].doc.anchor, "a");
	assert_str(hits[0].doc.trail, "Top");
	assert_str(hits[0].doc.body, "Open the settings of the repository.");
	assert_int_equal(hits[0].doc.line, 3);
	assert_int_equal(hits[0].doc.last_line, 9);
	assert_true(hits[0].score > hits[1].score);
	assert_int_equal(nfound(env, "p", "cafe"), 1);
	assert_int_equal(nfound(env, "p", "NAIVE"), 1);
	assert_int_equal(nfound(env, "p", "max_rows"), 3); /* names */
	assert_int_equal(nfound(env, "p", "nothing"), 0);
	assert_int_equal(nfound(env, "q", "branch"), 0);
}

static void files_are_listed_by_path(void **state)
{
	store_env *env = *state;
	const ag_index_doc d = doc("T", "text");
	const ag_index_change c[] = { change("b.md", 1, &d, 1), change("a.md", 2, NULL, 0) };
	const ag_index_file *f;
	size_t n;

	files(env, "p", &n);
	assert_int_equal(n, 0);
	assert_ok(env, ag_store_index_update(env->store, AG_S("p"), c, 2, &env->err));
	f = files(env, "p", &n);
	assert_int_equal(n, 2);
	assert_str(f[0].path, "a.md");
	assert_int_equal(f[0].size, 2);
	assert_int_equal(f[0].mtime_ns, 1700000000123456789);
	assert_str(f[0].hash, "abc");
	assert_int_equal(f[0].format, 7);
	assert_str(f[1].path, "b.md");
}

static void new_text_takes_the_place_of_the_old(void **state)
{
	store_env *env = *state;
	const ag_index_doc before[] = { doc("One", "zebra lion"), doc("Two", "zebra") };
	const ag_index_doc after[] = { doc("Three", "giraffe lion") };
	ag_index_change c = change("b.md", 9, NULL, 0);
	const ag_index_file *f;
	size_t n;

	put(env, "p", "a.md", before, 2);
	put(env, "p", "b.md", before, 1);
	put(env, "p", "a.md", after, 1);
	assert_int_equal(nfound(env, "p", "zebra"), 1);
	assert_int_equal(nfound(env, "p", "giraffe"), 1);
	assert_int_equal(nfound(env, "p", "lion"), 2);
	c.is_kept = true;
	assert_ok(env, ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err));
	assert_int_equal(nfound(env, "p", "zebra"), 1);
	f = files(env, "p", &n);
	assert_int_equal(f[1].size, 9);
	c.is_gone = true;
	assert_ok(env, ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err));
	assert_ok(env, ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err));
	assert_int_equal(nfound(env, "p", "zebra"), 0);
	files(env, "p", &n);
	assert_int_equal(n, 1);
	put(env, "p", "a.md", NULL, 0);
	assert_int_equal(nfound(env, "p", "giraffe"), 0);
}

static void projects_do_not_see_each_other(void **state)
{
	store_env *env = *state;
	const ag_index_doc d = doc("T", "elephant"), e = doc("T", "rhino");
	ag_index_counts c;

	put(env, "one", "a.md", &d, 1);
	put(env, "two", "a.md", &e, 1);
	put(env, "one", "b.md", &d, 1);
	assert_int_equal(nfound(env, "one", "elephant"), 2);
	assert_int_equal(nfound(env, "two", "elephant"), 0);
	assert_ok(env,
	          ag_store_index_count(env->store, AG_S("one"),
	                               (ag_str[]){ AG_S("elephant"), AG_S("rhino"), AG_S("text") },
	                               3, &c, &env->err));
	assert_int_equal(c.ndoc, 2);
	assert_int_equal(c.with[0], 2);
	assert_int_equal(c.with[1], 0);
	assert_ok(env, ag_store_index_count(env->store, AG_S("none"), (ag_str[]){ AG_S("rhino") },
	                                    1, &c, &env->err));
	assert_int_equal(c.ndoc, 0);
}

/* FTS5 has a language of its own; a word is never a sentence of it. */
static void words_are_never_syntax(void **state)
{
	static const char *const words[] = {
		"\"",
		"\"\"",
		"a\" OR \"elephant",
		"title:elephant",
		"-elephant",
		"NOT",
		"AND",
		"OR",
		"NEAR(",
		"elephant*",
		"^elephant",
		"{title body}",
		"(",
		")",
		"'",
		"; DROP TABLE index_docs; --",
		"",
		" ",
		"%",
		"\\",
		"+",
		"\xf0\x9f\x90\x98",
		"elephant\"\"\"",
		"?1",
	};
	store_env *env = *state;
	const ag_index_doc d = doc("T", "elephant");
	ag_index_hit *hits;
	ag_index_counts c;

	put(env, "p", "a.md", &d, 1);
	for (size_t i = 0; i < AG_NELEM(words); i++) {
		const ag_str w = ag_str_c(words[i]);

		find(env, "p", words[i], "zebra", &hits);
		assert_ok(env, ag_store_index_count(env->store, AG_S("p"), &w, 1, &c, &env->err));
		assert_int_equal(nfound(env, "p", "elephant"), 1);
	}
	assert_int_equal(nfound(env, "p", "NOT"), 0);
	assert_int_equal(nfound(env, "p", "title elephant"), 0); /* a phrase, not a column */
}

static void limits_hold(void **state)
{
	store_env *env = *state;
	ag_index_doc d = doc("T", "\xff");
	ag_index_change c = change("a.md", 1, &d, 1);
	char *large = ag_arena_alloc(env->arena, AG_INDEX_MAX_DOC_BYTES + 1);
	ag_str words[AG_INDEX_MAX_WORDS + 1];
	ag_index_hit *hits;
	size_t n;

	assert_int_equal(ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err),
	                 AG_INVALID);
	d.body = ag_str_make("a\0b", 3);
	assert_int_equal(ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err),
	                 AG_INVALID);
	memset(large, 'x', AG_INDEX_MAX_DOC_BYTES + 1);
	d.body = ag_str_make(large, AG_INDEX_MAX_DOC_BYTES + 1);
	assert_int_equal(ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err), AG_LIMIT);
	d.body = AG_S("b");
	c.file.path = AG_S("");
	assert_int_equal(ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err),
	                 AG_INVALID);
	c.file.path = AG_S("a.md");
	assert_int_equal(ag_store_index_update(env->store, AG_S(""), &c, 1, &env->err), AG_INVALID);
	files(env, "p", &n);
	assert_int_equal(n, 0);
	for (size_t i = 0; i < AG_NELEM(words); i++)
		words[i] = AG_S("w");
	assert_int_equal(ag_store_index_search(env->store,
	                                       &(ag_index_question){ .project = AG_S("p"),
	                                                             .words = words,
	                                                             .nword = AG_NELEM(words),
	                                                             .limit = 5 },
	                                       env->arena, &hits, &n, &env->err),
	                 AG_LIMIT);
	assert_int_equal(ag_store_index_search(env->store,
	                                       &(ag_index_question){ .project = AG_S("p"),
	                                                             .words = words,
	                                                             .nword = 1,
	                                                             .limit = AG_INDEX_MAX_HITS +
	                                                                      1 },
	                                       env->arena, &hits, &n, &env->err),
	                 AG_INVALID);
	assert_ok(env,
	          ag_store_index_search(env->store,
	                                &(ag_index_question){
						.project = AG_S("p"), .words = words, .limit = 5 },
	                                env->arena, &hits, &n, &env->err));
	assert_int_equal(n, 0);
}

static void an_update_is_whole_or_not_at_all(void **state)
{
	store_env *env = *state;
	const ag_index_doc d = doc("T", "elephant"), bad = doc("T", "\xff");
	const ag_index_change c[] = { change("a.md", 1, &d, 1), change("b.md", 1, &bad, 1) };
	size_t n;

	assert_int_equal(ag_store_index_update(env->store, AG_S("p"), c, 2, &env->err), AG_INVALID);
	files(env, "p", &n);
	assert_int_equal(n, 0);
}

static void many_files_at_once(void **state)
{
	store_env *env = *state;
	const size_t n = 700;
	ag_index_change *c = ag_new_n(env->arena, ag_index_change, n);
	ag_index_doc *d = ag_new_n(env->arena, ag_index_doc, n);
	size_t nfile;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++) {
			char *path = ag_arena_alloc(env->arena, 20);

			snprintf(path, 20, "f%04zu.md", i);
			d[i] = doc(path, round ? "late common" : "early common");
			c[i] = change(path, i, &d[i], 1);
		}
		assert_ok(env, ag_store_index_update(env->store, AG_S("p"), c, n, &env->err));
	}
	files(env, "p", &nfile);
	assert_int_equal(nfile, n);
	assert_int_equal(nfound(env, "p", "early"), 0);
	assert_int_equal(nfound(env, "p", "late"), 50);
	assert_int_equal(nfound(env, "p", "f0123"), 1);
}

static void purge_removes_what_was_not_used(void **state)
{
	store_env *env = *state;
	const ag_index_doc d = doc("T", "elephant");
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	uint64_t nrun = 9;
	size_t n;

	put(env, "p", "a.md", &d, 1);
	assert_ok(env, ag_store_purge(env->store, now_ms - 1000, &nrun, &env->err));
	assert_int_equal(nrun, 0);
	assert_int_equal(nfound(env, "p", "elephant"), 1);
	assert_ok(env, ag_store_purge(env->store, now_ms + 100000, &nrun, &env->err));
	assert_int_equal(nrun, 0);
	assert_int_equal(nfound(env, "p", "elephant"), 0);
	files(env, "p", &n);
	assert_int_equal(n, 0);
	put(env, "p", "a.md", &d, 1); /* and begins anew */
	assert_int_equal(nfound(env, "p", "elephant"), 1);
}

/* --- a file --- */

static const char *path_of(const store_env *env)
{
	return strchr(env->uri, ':') + 1;
}

static void change_sql(store_env *env, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path_of(env), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static bool file_contains(const char *path, const char *suffix, const char *what)
{
	char name[220];
	size_t n, len = strlen(what);
	bool is_there = false;
	char *bytes = malloc(8 << 20);
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	f = fopen(name, "rb");
	n = f ? fread(bytes, 1, 8 << 20, f) : 0;
	for (size_t i = 0; i + len <= n && !is_there; i++)
		is_there = memcmp(bytes + i, what, len) == 0;
	if (f)
		fclose(f);
	free(bytes);
	return is_there;
}

static void an_index_outlives_its_process(void **state)
{
	store_env *env = *state;
	const ag_index_doc d = doc("T", "elephant");
	size_t n;

	put(env, "p", "a.md", &d, 1);
	assert_ok(env, store_env_reopen(env));
	files(env, "p", &n);
	assert_int_equal(n, 1);
	assert_int_equal(nfound(env, "p", "elephant"), 1);
}

/* Two handles write one project by turns. */
static void handles_share_a_project(void **state)
{
	store_env *env = *state;
	const ag_index_doc d = doc("T", "elephant");
	ag_store *other = NULL, *own = env->store;

	assert_ok(env, ag_store_open(ag_str_c(env->uri), &other, &env->err));
	for (int i = 0; i < 6; i++) {
		env->store = i % 2 ? other : own;
		put(env, "p", i % 3 ? "a.md" : "b.md", &d, 1);
	}
	env->store = own;
	ag_store_close(other);
	assert_int_equal(nfound(env, "p", "elephant"), 2);
}

/* Words that stand in text, in the index itself (as stems), and in old segments of it. */
static void purge_leaves_no_words(void **state)
{
	static const char *const secrets[] = { "xyzzyplugh", "qwvortex", "Frotzburg" };
	store_env *env = *state;
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	ag_index_doc d[40], keep = doc("Keep", "stays here");
	uint64_t nrun;
	ag_index_hit *hits;

	for (size_t i = 0; i < AG_NELEM(d); i++)
		d[i] = doc("Some words", i % 2 ? "xyzzyplugh qwvortex Frotzburg" : "common words");
	put(env, "old", "a.md", d, AG_NELEM(d));
	put(env, "keep", "k.md", &keep, 1);
	put(env, "old", "a.md", d, AG_NELEM(d) / 2);
	put(env, "old", "b.md", d, AG_NELEM(d));
	put(env, "old", "b.md", &keep, 1); /* changed away before the purge */
	assert_ok(env, store_env_reopen(env));
	assert_true(file_contains(path_of(env), "", secrets[0]));
	change_sql(env, "UPDATE index_projects SET used_at = 5 WHERE project = 'old'");
	assert_ok(env, ag_store_purge(env->store, now_ms - 1000, &nrun, &env->err));
	assert_int_equal(nrun, 0);
	for (size_t i = 0; i < AG_NELEM(secrets); i++) {
		assert_false(file_contains(path_of(env), "", secrets[i]));
		assert_false(file_contains(path_of(env), "-wal", secrets[i]));
	}
	assert_false(file_contains(path_of(env), "", "frotzburg"));
	assert_int_equal(find(env, "keep", "stays", NULL, &hits), 1);
	change_sql(env, "INSERT INTO index_words (index_words) VALUES ('integrity-check')");
	assert_ok(env, ag_store_purge(env->store, now_ms + 100000, &nrun, &env->err));
	assert_false(file_contains(path_of(env), "", "stays here"));
}

/* Ways to damage the index, each by someone who opened the file with SQLite's own shell. */
static void damage_is_mended(void **state)
{
	static const char *const ways[] = {
		"DROP TABLE index_words",
		"DROP TABLE index_words_data",
		"DROP TABLE index_words_idx",
		"DROP TABLE index_words_config",
		"DROP TABLE index_words_docsize",
		"DROP TABLE index_docs",
		"DROP TABLE index_files",
		"DROP TABLE index_projects",
		"DELETE FROM index_words_data",
		"DELETE FROM index_words_config",
		"UPDATE index_words_data SET block = x'00112233445566778899aabbccddeeff'",
		"UPDATE index_words_data SET block = x''",
		"UPDATE index_words_config SET v = 99",
		"ALTER TABLE index_docs RENAME COLUMN title TO heading",
		"DROP TABLE index_words; CREATE TABLE index_words (a)",
		"DELETE FROM index_docs", /* the words are there, their documents are not */
	};
	store_env *env = *state;
	const ag_index_doc d[] = { doc("T", "elephant"), doc("U", "rhino") };

	for (size_t i = 0; i < AG_NELEM(ways); i++) {
		ag_index_change c = change("a.md", 5, d, 2);
		ag_index_hit *hits = NULL;
		const ag_str word = AG_S("elephant");
		ag_status st;
		size_t n = 0;

		put(env, "p", "a.md", d, 2);
		put(env, "p", "b.md", d, 1);
		assert_ok(env, store_env_reopen(env));
		change_sql(env, ways[i]);
		assert_ok(env, store_env_reopen(env));
		/* Whatever each of them says, it neither crashes nor tells an untruth. */
		st = ag_store_index_search(env->store,
		                           &(ag_index_question){ .project = AG_S("p"),
		                                                 .words = &word,
		                                                 .nword = 1,
		                                                 .limit = 5 },
		                           env->arena, &hits, &n, &env->err);
		if (st != AG_OK && st != AG_CONFLICT)
			fail_msg("%s: search: %s", ways[i], env->err.msg);
		for (size_t k = 0; k < n; k++)
			assert_true(ag_str_contains(hits[k].doc.body, word));
		st = ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err);
		if (st != AG_OK && st != AG_CONFLICT)
			fail_msg("%s: update: %s", ways[i], env->err.msg);
		files(env, "p", &n);
		st = ag_store_index_update(env->store, AG_S("p"), &c, 1, &env->err);
		if (st != AG_OK)
			fail_msg("%s: second update: %s", ways[i], env->err.msg);
		if (nfound(env, "p", "elephant") < 1)
			fail_msg("%s: not found again", ways[i]);
		assert_ok(env, ag_store_purge(env->store, ag_clock_wall(&ag_clock_system) + 100000,
		                              &(uint64_t){ 0 }, &env->err));
	}
}

static void runs_do_not_need_the_index(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env));
	change_sql(env, "DROP TABLE index_words_data");
	assert_ok(env, store_env_reopen(env));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 3, true, &env->err));
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 3);
	assert_ok(env, ag_store_purge(env->store, 5, &(uint64_t){ 0 }, &env->err));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(documents_are_found_by_their_words),
		T(files_are_listed_by_path),
		T(new_text_takes_the_place_of_the_old),
		T(projects_do_not_see_each_other),
		T(words_are_never_syntax),
		T(limits_hold),
		T(an_update_is_whole_or_not_at_all),
		T(many_files_at_once),
		T(purge_removes_what_was_not_used),
	};
	const struct CMUnitTest file_tests[] = {
		T(an_index_outlives_its_process), T(handles_share_a_project),
		T(purge_leaves_no_words),         T(damage_is_mended),
		T(runs_do_not_need_the_index),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_file)
			nfailed += cmocka_run_group_tests_name("file", file_tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
