/* Words of a text, and the search for them or for a pattern: what is found, in which order, and what ends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <time.h>

#include "ask/search_parts.h"
#include "ask_tree.h"
#include "base/log.h"
#include "base/secrets.h"
#include "base/utf8.h"

static tree t;

static int make_tree(void **state)
{
	static const char *const files[][2] = {
		{ "README.md", "# The platform\n\nSee the wiki. It has a branch of everything.\n" },
		{ "wiki/github.md",
		  "# GitHub\n\nA repository has branches.\n\n## Protect a branch\n\n"
		  "1. Open the settings.\n2. Protect `main`: add a rule for the branch.\n\n"
		  "```\n# Protect nothing in code\n```\n\n## Delete a branch\n\nPress the button.\n" },
		{ "wiki/docker.md", "# Docker\n\nThe container listens on port 42002.\n" },
		{ "docker-compose.yml", "services:\n  app:\n    ports:\n      - \"42002:8000\"\n" },
		{ "backend/main.py", "MAX_ROWS = 100\n\n\ndef get_max_rows(limit):\n"
		                     "    return min(limit, MAX_ROWS)\n" },
		{ "backend/report.py", "def import_report():\n    \"\"\"Support exports.\"\"\"\n" },
		{ "backend/HttpServer.java", "class HttpServer {\n  int portNumber = 1;\n}\n" },
		{ "ru.md", "# Ветка\n\nЗащита ветки main.\n" },
		{ "zh.md", "# 分支保护\n\n如何保护分支。\n" },
		{ "crlf.txt", "first\r\nsecond line\r\nthird\r\n" },
		{ ".env", "branch=secret port=secret\n" },
		{ "ignored.txt", "branch\n" },
		{ ".gitignore", "ignored.txt\n" },
		{ "arrow.c", "p->next = q->next;\n" },
		{ "aaa/other.txt", "the quagga is gone\n" },
		{ "zoo/quagga.txt", "the quagga is gone\n" },
		{ "zebra.md", "A zebra has stripes.\n\n## Zebras and stripes\n\nMany.\n" },
	};
	ag_buf many = AG_BUF_INIT(8 << 20);

	(void)state;
	tree_make(&t, "search");
	for (size_t i = 0; i < AG_NELEM(files); i++)
		tree_put(&t, files[i][0], files[i][1]);
	for (int i = 0; i < 400; i++)
		ag_buf_addf(&many, "widget number %d\n", i);
	tree_put_bytes(&t, "many.txt", many.ptr, many.len);
	ag_buf_clear(&many);
	for (int i = 0; i < 3000; i++)
		ag_buf_adds(&many, "padding \xc3\xa9 ");
	ag_buf_adds(&many, "needleinhay ");
	for (int i = 0; i < 3000; i++)
		ag_buf_adds(&many, "padding \xc3\xa9 ");
	tree_put_bytes(&t, "long.txt", many.ptr, many.len);
	tree_put_bytes(&t, "logo.png", "\x89PNG\0branch", 11);
	ag_buf_release(&many);
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	tree_remove(&t);
	return 0;
}

typedef struct searched {
	ag_arena *arena;
	ag_root *r;
	ag_search_result res;
	ag_err err;
} searched;

static ag_status search_with(searched *s, const ag_ctx *ctx, ag_search_query q)
{
	const ag_root_opts o = { .path = ag_str_c(t.dir) };
	int before = open_fds();
	ag_status st;

	s->arena = ag_arena_new();
	s->err = (ag_err){ 0 };
	s->res = (ag_search_result){ 0 };
	assert_int_equal(ag_root_open(&o, &s->r, &s->err), AG_OK);
	st = ag_search_files(s->r, ctx, &q, s->arena, &s->res, &s->err);
	ag_root_close(s->r);
	assert_int_equal(open_fds(), before);
	for (size_t i = 0; i < s->res.n; i++) {
		const ag_search_hit *h = &s->res.hits[i];

		assert_true(h->line > 0 && h->text.len <= 240 && h->path.len);
		if (ag_str_contains(h->text, AG_S("secret")))
			fail_msg("a secret was found");
	}
	return st;
}

static ag_status search(searched *s, const char *text)
{
	return search_with(s, NULL, (ag_search_query){ .text = ag_str_c(text) });
}

static ag_status search_regex(searched *s, const char *text)
{
	return search_with(s, NULL, (ag_search_query){ .text = ag_str_c(text), .is_regex = true });
}

static void done(searched *s)
{
	ag_arena_free(s->arena);
}

static void is_hit(const searched *s, size_t i, const char *path, unsigned line, const char *text)
{
	const ag_search_hit *h = &s->res.hits[i];

	if (i >= s->res.n)
		fail_msg("%zu hits, want %s:%u", s->res.n, path, line);
	if (!ag_str_eqc(h->path, path) || h->line != line || !ag_str_eqc(h->text, text))
		fail_msg("hit %zu is %.*s:%u: %.*s", i, AG_FMT(h->path), h->line, AG_FMT(h->text));
}

static bool has_path(const searched *s, const char *path)
{
	for (size_t i = 0; i < s->res.n; i++) {
		if (ag_str_eqc(s->res.hits[i].path, path))
			return true;
	}
	return false;
}

/* --- words of a text ----------------------------------------------------------------------------- */

static void words_of_a_text(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "", "" },
		{ "What is the answer?", "answer" },
		{ "How do I protect a branch on GitHub?", "protect branch github git hub" },
		{ "max_rows", "max_rows max rows" },
		{ "maxRows", "maxrows max rows" },
		{ "getHTTPServer", "gethttpserver get http server" },
		{ "MAX_ROWS_PER_PAGE", "max_rows_per_page max rows per page" },
		{ "docker-compose.yml", "docker-compose.yml docker compose yml" },
		{ "pull-request", "pull-request pull request" },
		{ "wiki/git-vscode.md#resolve-a-merge-conflict",
		  "wiki git-vscode.md git vscode md resolve-a-merge-conflict resolve merge "
		  "conflict" },
		{ "port 42002, task 3", "port 42002 task 3" },
		{ "v3.11 and 1.0", "v3.11 v3 11 1.0" },
		{ "one two one TWO", "one two" },
		{ "--no-verify -x __init__", "no-verify verify __init__ init" },
		{ "don't isn't", "" },
		{ "end. Start", "end start" },
		{ "the of and", "" },
		{ "ÜBER Straße", "straße" },
		{ "Как защитить ВЕТКУ?", "защитить ветку" },
		{ "«quoted» — dash…", "quoted dash" },
		{ "分支保护", "分支保护 分支 支保 保护" },
		{ "a\xff\xfe"
		  "b",
		  "" },
	};
	ag_str words[64];
	int nfailed = 0;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_arena *arena = ag_arena_new();
		ag_buf got = AG_BUF_INIT(1 << 16);
		size_t n = ag_search_words(ag_str_c(cases[i].text), arena, words, AG_NELEM(words));

		for (size_t k = 0; k < n; k++)
			ag_buf_addf(&got, "%s%.*s", k ? " " : "", AG_FMT(words[k]));
		if (!ag_str_eqc(ag_buf_view(&got), cases[i].words)) {
			print_error("\"%s\" gives \"%s\"\n", cases[i].text, got.ptr ? got.ptr : "");
			nfailed++;
		}
		ag_buf_release(&got);
		ag_arena_free(arena);
	}
	assert_int_equal(nfailed, 0);
}

static void words_are_limited(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1 << 20);
	ag_str words[10];

	(void)state;
	for (int i = 0; i < 1000; i++)
		ag_buf_addf(&text, "w%d ", i);
	assert_int_equal(ag_search_words(ag_buf_view(&text), arena, words, 10), 10);
	assert_true(ag_str_eqc(words[9], "w9"));
	assert_int_equal(ag_search_words(ag_buf_view(&text), arena, words, 0), 0);
	ag_buf_clear(&text);
	for (int i = 0; i < 100; i++)
		ag_buf_addc(&text, 'x');
	assert_int_equal(ag_search_words(ag_buf_view(&text), arena, words, 10), 0);
	ag_buf_release(&text);
	ag_arena_free(arena);
}

/* No capital is left, no length changes, and it is UTF-8 still. */
static void small_letters(void **state)
{
	static const char *const pairs[][2] = {
		{ "ABC xyz 1_", "abc xyz 1_" },
		{ "ÀÖØÞß×÷", "àöøþß×÷" },
		{ "ŁÓDŹ ŸĲĊ", "łódź Ÿĳċ" },
		{ "ΑΩΆΏΣ", "αωάώσ" },
		{ "ЁЖЯҐ", "ёжяґ" },
		{ "ԱՖ", "աֆ" },
		{ "İıſ", "İıſ" },
		{ "日本Ａ", "日本Ａ" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(pairs); i++) {
		char *p = strdup(pairs[i][0]);

		assert_non_null(p);
		ag_utf8_lower(p, strlen(p));
		if (strcmp(p, pairs[i][1]) != 0)
			fail_msg("%s gives %s", pairs[i][0], p);
		assert_true(ag_utf8_valid(ag_str_c(p)));
		free(p);
	}
	for (uint32_t cp = 0x80; cp < 0x800; cp++) {
		char p[4];
		size_t n = ag_utf8_put(p, cp);

		ag_utf8_lower(p, n);
		assert_true(ag_utf8_valid(ag_str_make(p, n)));
	}
}

/* Found by halves: the table must be sorted. */
static void stop_words(void **state)
{
	static const char *const stop[] = { "about", "the", "what", "yourself", "und",
		                            "что",   "в",   "über", "qué",      "zur" };
	static const char *const words[] = {
		"branch", "port", "die", "con", "", "th", "x", "что-то"
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(stop); i++) {
		if (!ag_search_is_stop(ag_str_c(stop[i])))
			fail_msg("%s is none", stop[i]);
	}
	for (size_t i = 0; i < AG_NELEM(words); i++)
		assert_false(ag_search_is_stop(ag_str_c(words[i])));
	assert_true(ag_search_stop_is_sorted());
}

/* --- search -------------------------------------------------------------------------------------- */

static void headings_come_first(void **state)
{
	searched s;

	(void)state;
	assert_int_equal(search(&s, "How do I protect a branch?"), AG_OK);
	is_hit(&s, 0, "wiki/github.md", 5, "## Protect a branch");
	assert_true(ag_str_eqc(s.res.hits[0].heading, "protect-a-branch"));
	is_hit(&s, 1, "wiki/github.md", 8, "2. Protect `main`: add a rule for the branch.");
	assert_true(ag_str_eqc(s.res.hits[1].heading, "protect-a-branch"));
	for (size_t i = 1; i < s.res.n; i++)
		assert_true(s.res.hits[i - 1].score >= s.res.hits[i].score);
	assert_true(has_path(&s, "README.md"));
	assert_false(has_path(&s, ".env") || has_path(&s, "ignored.txt") ||
	             has_path(&s, "logo.png"));
	assert_true(s.res.nfile >= 2 && s.res.nline >= 5 && s.res.nscanned >= 10);
	assert_false(s.res.is_cut);
	done(&s);
}

/* The same words: the heading says what it is about. */
static void a_heading_before_its_text(void **state)
{
	searched s;

	(void)state;
	assert_int_equal(search(&s, "stripes of a zebra"), AG_OK);
	is_hit(&s, 0, "zebra.md", 3, "## Zebras and stripes");
	is_hit(&s, 1, "zebra.md", 1, "A zebra has stripes.");
	assert_int_equal(s.res.hits[1].heading.len, 0); /* above the first heading */
	done(&s);
	/* The same line in a file that is called so. */
	assert_int_equal(search(&s, "quagga"), AG_OK);
	is_hit(&s, 0, "zoo/quagga.txt", 1, "the quagga is gone");
	is_hit(&s, 1, "aaa/other.txt", 1, "the quagga is gone");
	done(&s);
}

static void whole_words_before_parts(void **state)
{
	searched s;

	(void)state;
	assert_int_equal(search(&s, "port"), AG_OK);
	is_hit(&s, 0, "wiki/docker.md", 3, "The container listens on port 42002.");
	assert_true(has_path(&s, "backend/HttpServer.java")); /* portNumber */
	assert_true(has_path(&s, "backend/report.py"));       /* in the middle, last */
	assert_true(ag_str_eqc(s.res.hits[s.res.n - 1].path, "backend/report.py"));
	done(&s);
	assert_int_equal(search(&s, "max rows"), AG_OK);
	assert_true(ag_str_eqc(s.res.hits[0].path, "backend/main.py"));
	done(&s);
	assert_int_equal(search(&s, "get_max_rows"), AG_OK);
	is_hit(&s, 0, "backend/main.py", 4, "def get_max_rows(limit):");
	assert_int_equal(s.res.hits[0].heading.len, 0);
	done(&s);
	assert_int_equal(search(&s, "http server"), AG_OK);
	is_hit(&s, 0, "backend/HttpServer.java", 1, "class HttpServer {");
	done(&s);
	/* Another ending of the word. */
	assert_int_equal(search(&s, "deleting branches"), AG_OK);
	is_hit(&s, 0, "wiki/github.md", 14, "## Delete a branch");
	assert_true(ag_str_eqc(s.res.hits[0].heading, "delete-a-branch"));
	done(&s);
}

static void other_scripts(void **state)
{
	searched s;

	(void)state;
	assert_int_equal(search(&s, "ЗАЩИТА ветки"), AG_OK);
	is_hit(&s, 0, "ru.md", 3, "Защита ветки main.");
	done(&s);
	assert_int_equal(search(&s, "保护分支"), AG_OK);
	assert_true(s.res.n == 2 && has_path(&s, "zh.md"));
	done(&s);
}

static void signs_and_stop_words(void **state)
{
	searched s;

	(void)state;
	assert_int_equal(search(&s, "->"), AG_OK);
	is_hit(&s, 0, "arrow.c", 1, "p->next = q->next;");
	assert_int_equal(s.res.n, 1);
	done(&s);
	assert_int_equal(search(&s, "of the"), AG_OK);
	assert_true(s.res.n > 0);
	done(&s);
	assert_int_equal(search(&s, "zzzunheardof"), AG_OK);
	assert_true(s.res.n == 0 && s.res.nline == 0 && s.res.nfile == 0);
	done(&s);
	assert_int_equal(search(&s, " \n "), AG_INVALID);
	assert_non_null(strstr(s.err.msg, "nothing to search for"));
	done(&s);
}

static void patterns(void **state)
{
	ag_buf text = AG_BUF_INIT(1 << 20);
	searched s;

	(void)state;
	assert_int_equal(search_regex(&s, "^## .*BRANCH$"), AG_OK);
	assert_int_equal(s.res.n, 2);
	is_hit(&s, 0, "wiki/github.md", 5, "## Protect a branch");
	is_hit(&s, 1, "wiki/github.md", 14, "## Delete a branch");
	done(&s);
	assert_int_equal(search_regex(&s, "second line$"), AG_OK);
	is_hit(&s, 0, "crlf.txt", 2, "second line");
	done(&s);
	assert_int_equal(search_regex(&s, "need(le)inhay"), AG_OK);
	assert_int_equal(s.res.n, 1);
	assert_true(ag_str_contains(s.res.hits[0].text, AG_S("needleinhay")));
	assert_true(ag_utf8_valid(s.res.hits[0].text));
	done(&s);
	assert_int_equal(search_regex(&s, "a(b"), AG_INVALID);
	assert_non_null(strstr(s.err.msg, "byte 3"));
	done(&s);
	/* What takes for ever elsewhere. */
	assert_int_equal(search_regex(&s, "(a+)+$|(\\w+\\s?)+:$"), AG_OK);
	done(&s);
	for (int i = 0; i < 5000; i++)
		ag_buf_addc(&text, 'a');
	assert_int_equal(search_regex(&s, text.ptr), AG_INVALID);
	assert_non_null(strstr(s.err.msg, "5000 bytes"));
	done(&s);
	ag_buf_release(&text);
}

static void long_lines_show_the_match(void **state)
{
	searched s;

	(void)state;
	assert_int_equal(search(&s, "needleinhay"), AG_OK);
	assert_int_equal(s.res.n, 1);
	assert_true(ag_str_contains(s.res.hits[0].text, AG_S("needleinhay")));
	assert_true(s.res.hits[0].text.len > 200 && ag_utf8_valid(s.res.hits[0].text));
	done(&s);
}

/* A key in a long line is cut by no window in the middle, wherever the match stands. */
static void long_lines_lose_keys_whole(void **state)
{
	static const char key[] = "keyOfTests+0123456789/abcdefghijklmnop";
	char line[1000];

	(void)state;
	ag_log_redact(ag_str_c(key));
	for (size_t at = 0; at + 10 < sizeof(line) - sizeof(key); at += 7) {
		ag_str half = ag_str_make(key, 12), rest = ag_str_make(key + 26, 12);
		searched s;

		memset(line, 'x', sizeof(line));
		memcpy(line + 400, " marked ", 8);
		memcpy(line + (at < 390 - sizeof(key) ? at
		               : at < 408             ? 408
		                                      : at),
		       key, sizeof(key) - 1);
		tree_put_bytes(&t, "minified.js", line, sizeof(line));
		assert_int_equal(search(&s, "marked"), AG_OK);
		assert_true(s.res.n > 0);
		if (ag_str_contains(s.res.hits[0].text, half) ||
		    ag_str_contains(s.res.hits[0].text, rest))
			fail_msg("%zu: %.*s", at, AG_FMT(s.res.hits[0].text));
		done(&s);
	}
	ag_secrets_forget();
}

/* Braces that stand for nothing are many without being a glob, and a pattern can be slow on each of many lines. */
static void what_is_slow_ends(void **state)
{
	ag_buf glob = AG_BUF_INIT(4096), lines = AG_BUF_INIT(4 << 20);
	int64_t begin = ag_clock_mono(&ag_clock_system);
	searched s;

	(void)state;
	for (int i = 0; i < 66; i++)
		ag_buf_adds(&glob, "{,}");
	for (int i = 0; i < 30000; i++)
		ag_buf_adds(&lines, "aaaaaaaaaaaaaaaaaaaaaaaaaaaab\n");
	tree_put_bytes(&t, "slow.txt", lines.ptr, lines.len);
	assert_int_equal(search_with(&s, NULL,
	                             (ag_search_query){ .text = AG_S("branch"),
	                                                .glob = ag_buf_view(&glob) }),
	                 AG_OK);
	done(&s);
	assert_int_equal(search_with(&s, NULL,
	                             (ag_search_query){ .text = AG_S("(a+)+$"),
	                                                .is_regex = true,
	                                                .under = AG_S("slow.txt") }),
	                 AG_OK);
	assert_true(s.res.is_cut);
	assert_true(ag_clock_mono(&ag_clock_system) - begin < 15000); /* 3 s, and a busy machine */
	done(&s);
	ag_buf_release(&glob);
	ag_buf_release(&lines);
}

static void under_and_glob(void **state)
{
	static const struct {
		const char *under, *glob;
		bool has_wiki, has_readme, has_python;
	} cases[] = {
		{ "", "", true, true, true },
		{ "wiki", "", true, false, false },
		{ "./wiki/", "", true, false, false },
		{ "wiki/github.md", "", true, false, false },
		{ "", "*.md", true, true, false },
		{ "", "*.{md,py}", true, true, true },
		{ "", "*.md, *.py", true, true, true },
		{ "", "wiki/*.md", true, false, false },
		{ "", "/*.md", false, true, false },
		{ "", "**/*.md", true, true, false },
		{ "", "wiki/", true, false, false },
		{ "", "./wiki/**", true, false, false },
		{ "wiki", "*.md", true, false, false },
		{ "wiki", "github.*", true, false, false },
		{ "wiki", "wiki/*.md", true, false, false },
		{ "", "*.rs", false, false, false },
		{ "", "{", false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		searched s;

		assert_int_equal(search_with(&s, NULL,
		                             (ag_search_query){ .text = AG_S("(?s)."),
		                                                .is_regex = true,
		                                                .under = ag_str_c(cases[i].under),
		                                                .glob = ag_str_c(cases[i].glob),
		                                                .max_hits = 100 }),
		                 AG_OK);
		if (has_path(&s, "wiki/github.md") != cases[i].has_wiki ||
		    has_path(&s, "README.md") != cases[i].has_readme ||
		    has_path(&s, "backend/main.py") != cases[i].has_python)
			fail_msg("\"%s\" \"%s\"", cases[i].under, cases[i].glob);
		done(&s);
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const bad[] = { "../x", "/etc", ".git" };
		searched s;

		assert_true(search_with(&s, NULL,
		                        (ag_search_query){ .text = AG_S("x"),
		                                           .under = ag_str_c(bad[i]) }) != AG_OK);
		assert_true(s.err.msg[0]);
		done(&s);
	}
}

/* Five of a file first, then the others, then the rest of it. */
static void files_take_turns(void **state)
{
	size_t nother = 0;
	searched s;

	(void)state;
	tree_put(&t, "turns/one.txt", "widget\nnothing\n");
	assert_int_equal(search_with(&s, NULL,
	                             (ag_search_query){ .text = AG_S("widget"), .max_hits = 10 }),
	                 AG_OK);
	assert_int_equal(s.res.n, 10);
	assert_int_equal(s.res.nline, 401);
	assert_int_equal(s.res.nfile, 2);
	assert_true(has_path(&s, "turns/one.txt"));
	for (size_t i = 0; i < 6; i++) /* the other one is among the first six */
		nother += ag_str_eqc(s.res.hits[i].path, "turns/one.txt");
	assert_int_equal(nother, 1);
	done(&s);
	assert_int_equal(search_with(&s, NULL,
	                             (ag_search_query){ .text = AG_S("widget number"),
	                                                .max_hits = 5000 }),
	                 AG_OK);
	assert_int_equal(s.res.n, AG_SEARCH_MAX_HITS);
	done(&s);
	unlink(tree_path(&t, "turns/one.txt"));
}

static void ends_in_time(void **state)
{
	atomic_bool cancel = true;
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1, .cancel = &cancel };
	searched s;

	(void)state;
	assert_int_equal(search_with(&s, &ctx, (ag_search_query){ .text = AG_S("branch") }),
	                 AG_CANCELLED);
	done(&s);
	cancel = false;
	ctx.deadline_ms = 1;
	assert_int_equal(search_with(&s, &ctx, (ag_search_query){ .text = AG_S("branch") }), AG_OK);
	assert_true(s.res.is_cut && s.res.n == 0);
	assert_string_equal(s.res.cut_by, "the time for a search");
	done(&s);
}

static void large_files_count_as_far(void **state)
{
	size_t len = 3u << 20;
	char *p = malloc(len);
	searched s;

	(void)state;
	assert_non_null(p);
	memset(p, 'x', len);
	memcpy(p, "earlyword ", 10);
	memcpy(p + len - 9, " lateword", 9);
	tree_put_bytes(&t, "large.txt", p, len);
	free(p);
	assert_int_equal(search(&s, "earlyword"), AG_OK);
	assert_true(s.res.n == 1 && s.res.is_cut);
	assert_string_equal(s.res.cut_by, "2 MiB of one file");
	assert_true(ag_str_starts(s.res.hits[0].text, AG_S("earlyword xxx")));
	done(&s);
	assert_int_equal(search(&s, "lateword"), AG_OK);
	assert_true(s.res.n == 0 && s.res.is_cut);
	done(&s);
	unlink(tree_path(&t, "large.txt"));
}

/* This repository: the bound is wide because machines and sanitizers differ; the figure is shown. */
static void is_quick_here(void **state)
{
	const char *top = getenv("ARGUS_SOURCE_ROOT");
	const ag_root_opts o = { .path = ag_str_c(top ? top : ".") };
	const ag_search_query q = { .text = AG_S("how is a branch protected") };
	struct timespec from, to;
	ag_search_result res;
	ag_arena *arena = ag_arena_new();
	ag_root *r = NULL;
	ag_err err;
	double ms;

	(void)state;
	assert_int_equal(ag_root_open(&o, &r, &err), AG_OK);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_int_equal(ag_search_files(r, NULL, &q, arena, &res, &err), AG_OK);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
	print_message("%zu files in %.0f ms of CPU\n", res.nscanned, ms);
	assert_true(res.nscanned > 500 && ms < 3000);
	ag_root_close(r);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_a_text),
		cmocka_unit_test(words_are_limited),
		cmocka_unit_test(small_letters),
		cmocka_unit_test(stop_words),
		cmocka_unit_test(headings_come_first),
		cmocka_unit_test(a_heading_before_its_text),
		cmocka_unit_test(whole_words_before_parts),
		cmocka_unit_test(other_scripts),
		cmocka_unit_test(signs_and_stop_words),
		cmocka_unit_test(patterns),
		cmocka_unit_test(long_lines_show_the_match),
		cmocka_unit_test(long_lines_lose_keys_whole),
		cmocka_unit_test(what_is_slow_ends),
		cmocka_unit_test(under_and_glob),
		cmocka_unit_test(files_take_turns),
		cmocka_unit_test(ends_in_time),
		cmocka_unit_test(large_files_count_as_far),
		cmocka_unit_test(is_quick_here),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
