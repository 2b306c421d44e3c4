/* .gitignore and names of secrets: the text cases, and thousands of random patterns with git itself as the judge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <spawn.h>
#include <sys/wait.h>

#include "ask/glob.h"
#include "ask/ignore.h"
#include "ask/root.h"
#include "ask/secret.h"
#include "ask_tree.h"

/* --- text cases ---------------------------------------------------------------------------------- */

/* From the top down, as whoever uses it does. */
static bool is_ignored(const ag_ignore *g, ag_str path)
{
	bool is_folder = ag_str_ends(path, AG_S("/"));

	for (size_t i = 0; i < path.len; i++) {
		if (path.ptr[i] == '/' &&
		    ag_ignore_match(g, ag_str_make(path.ptr, i), true, NULL) == AG_IGNORE_YES)
			return true;
	}
	return !is_folder && ag_ignore_match(g, path, false, NULL) == AG_IGNORE_YES;
}

static bool ignore_case(const case_line *c, ag_arena *arena, void *arg)
{
	bool want = ag_str_eqc(c->field[2], "ignored");

	(void)arg;
	if (!want && !ag_str_eqc(c->field[2], "kept"))
		return complain(c, "want ignored or kept", c->field[2]);
	if (is_ignored(ag_ignore_parse(c->field[0], arena), c->field[1]) != want)
		return complain(c, want ? "was not ignored" : "was ignored", c->field[1]);
	return true;
}

static bool secret_case(const case_line *c, ag_arena *arena, void *arg)
{
	const char *why = NULL;
	bool is_secret = ag_secret_path(c->field[0], &why);

	(void)arena, (void)arg;
	if (is_secret != ag_str_eqc(c->field[1], "secret") ||
	    is_secret == ag_str_eqc(c->field[1], "open"))
		return complain(c, is_secret ? "is secret" : "is open", c->field[0]);
	return is_secret == (why != NULL) || complain(c, "no reason", c->field[0]);
}

static void ignore_cases(void **state)
{
	(void)state;
	run_cases("ignore.cases", 3, 80, ignore_case, NULL);
}

static void secret_cases(void **state)
{
	(void)state;
	run_cases("secret.cases", 2, 100, secret_case, NULL);
}

static void lines_are_counted(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_ignore *g = ag_ignore_parse(AG_S("# one\n\n*.o\n!a.o\n"), arena);
	unsigned line = 0;

	(void)state;
	assert_int_equal(ag_ignore_match(g, AG_S("x.o"), false, &line), AG_IGNORE_YES);
	assert_int_equal(line, 3);
	assert_int_equal(ag_ignore_match(g, AG_S("a.o"), false, &line), AG_IGNORE_NO);
	assert_int_equal(line, 4);
	line = 77;
	assert_int_equal(ag_ignore_match(g, AG_S("a.c"), false, &line), AG_IGNORE_UNSAID);
	assert_int_equal(line, 77);
	ag_arena_free(arena);
}

static void globs(void **state)
{
	static const struct {
		const char *glob, *path;
		bool fits;
	} cases[] = {
		{ "*.py", "a.py", true },
		{ "*.py", "src/deep/a.py", true },
		{ "*.py", "a.pyc", false },
		{ "src/*.py", "src/a.py", true },
		{ "src/*.py", "src/x/a.py", false },
		{ "src/**/*.py", "src/x/y/a.py", true },
		{ "**/*.py", "a.py", true },
		{ "/a.py", "a.py", true },
		{ "/a.py", "x/a.py", false },
		{ "", "a.py", false },
		{ "!a", "!a", true },
		{ "#a", "#a", true },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		if (ag_glob_match(ag_str_c(cases[i].glob), ag_str_c(cases[i].path)) !=
		    cases[i].fits)
			fail_msg("\"%s\" on %s", cases[i].glob, cases[i].path);
	}
}

/* What makes a backtracking matcher take years. */
static void hostile_patterns_are_quick(void **state)
{
	enum { N = 4000 };
	char *stars = malloc(N), *name = malloc(N), *path = malloc(N);
	ag_arena *arena = ag_arena_new();
	const ag_ignore *g;

	(void)state;
	assert_true(stars && name && path);
	for (size_t i = 0; i < N; i++) {
		stars[i] = i % 2 ? 'a' : '*';
		name[i] = 'a';
		path[i] = i % 2 ? '/' : 'a';
	}
	name[N - 1] = 'b';
	assert_false(ag_glob_name(ag_str_make(stars, N), ag_str_make(name, N)));
	for (size_t i = 0; i + 5 <= N; i += 5)
		memcpy(stars + i, "**/a/", 5);
	stars[N - 1] = 'b';
	path[N - 1] = 'c';
	assert_false(ag_glob_path(ag_str_make(stars, N), ag_str_make(path, N)));
	/* As many lines as there may be, and more; as long as they may be, and longer. */
	memset(stars, '*', N);
	g = ag_ignore_parse(ag_str_make(stars, N), arena);
	assert_int_equal(ag_ignore_match(g, ag_str_make(name, N), false, NULL), AG_IGNORE_YES);
	ag_arena_free(arena);
	free(stars);
	free(name);
	free(path);
}

static void has_limits(void **state)
{
	ag_buf text = AG_BUF_INIT(64 << 20);
	ag_arena *arena = ag_arena_new();
	const ag_ignore *g;

	(void)state;
	for (int i = 0; i < 12000; i++)
		ag_buf_addf(&text, "a%d\n", i);
	g = ag_ignore_parse(ag_buf_view(&text), arena);
	assert_int_equal(ag_ignore_match(g, AG_S("a9999"), false, NULL), AG_IGNORE_YES);
	assert_int_equal(ag_ignore_match(g, AG_S("a10001"), false, NULL), AG_IGNORE_UNSAID);
	ag_buf_clear(&text);
	for (int i = 0; i < 5000; i++)
		ag_buf_addc(&text, 'a');
	g = ag_ignore_parse(ag_buf_view(&text), arena);
	assert_int_equal(ag_ignore_match(g, ag_buf_view(&text), false, NULL), AG_IGNORE_UNSAID);
	g = ag_ignore_parse(AG_S(""), arena);
	assert_int_equal(ag_ignore_match(g, AG_S("a"), false, NULL), AG_IGNORE_UNSAID);
	ag_buf_release(&text);
	ag_arena_free(arena);
}

/* --- git ----------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static size_t pick(uint64_t *state, size_t n)
{
	return (size_t)(next_random(state) % n);
}

static const char *const names[] = { "a",   "b",   "ab",  "foo",  "foo.o", "b.o", "x y",
	                             "#a",  "!b",  "a]",  "f-o",  "Foo",   "aab", "foobar",
	                             "a.b", "*.o", "b\\", "[ab]", "deep",  "5x" };
static const char *const pieces[] = {
	"a",    "b",    "foo",           "*",     "*",    "**",  "?",     "/",
	"/",    "**/",  "/**",           "*.o",   "foo*", ".o",  "[ab]",  "[!a]",
	"x y",  "\\#a", "\\!b",          "[a-f]", "ab",   "Foo", "deep/", "[[:alpha:]]",
	"[]a]", "\\*",  "[^[:digit:]x]", "foo/",  "a**",  "[a",  "\\",    "[a/]b",
};

static void random_lines(uint64_t *seed, ag_buf *out)
{
	size_t nline = 1 + pick(seed, 5);

	for (size_t i = 0; i < nline; i++) {
		size_t npiece = 1 + pick(seed, 4);

		if (pick(seed, 4) == 0)
			ag_buf_addc(out, '!');
		if (pick(seed, 5) == 0)
			ag_buf_addc(out, '/');
		for (size_t k = 0; k < npiece; k++)
			ag_buf_adds(out, pieces[pick(seed, AG_NELEM(pieces))]);
		if (pick(seed, 6) == 0)
			ag_buf_addc(out, '/');
		if (pick(seed, 8) == 0)
			ag_buf_adds(out, "  ");
		ag_buf_adds(out, pick(seed, 8) ? "\n" : "\r\n");
	}
}

typedef struct git_tree {
	tree t;
	ag_arena *arena;
	ag_str paths[4000];
	size_t n;
	uint64_t seed;
} git_tree;

/* The same folders for all rounds; the rules change. */
static void fill_folder(git_tree *g, const char *folder, int depth)
{
	for (size_t i = 0; i < AG_NELEM(names) && g->n < AG_NELEM(g->paths); i++) {
		ag_str path = ag_str_printf(g->arena, "%s%s%s", folder, *folder ? "/" : "",
		                            names[i]);
		bool is_folder = depth < 3 && pick(&g->seed, 4) == 0;

		if (depth && pick(&g->seed, 3))
			continue;
		g->paths[g->n++] = path;
		if (is_folder) {
			tree_mkdir(&g->t, path.ptr);
			fill_folder(g, path.ptr, depth + 1);
		} else {
			tree_put(&g->t, path.ptr, "text\n");
		}
	}
}

/* git with this standard input; what it wrote. False: it is not there or failed with more than 1. */
static bool run_git(const git_tree *g, const char *const *args, ag_str in, ag_buf *out)
{
	char *argv[12] = { (char[]){ "git" }, (char[]){ "-C" },
		           ag_str_cstr(g->arena, ag_str_c(g->t.dir)) };
	char *env[] = {
		(char[]){ "GIT_CONFIG_NOSYSTEM=1" }, (char[]){ "GIT_CONFIG_GLOBAL=/dev/null" },
		ag_str_printf(g->arena, "PATH=%s", getenv("PATH")).len
			? ag_str_cstr(g->arena, ag_str_printf(g->arena, "PATH=%s", getenv("PATH")))
			: NULL,
		NULL
	};
	posix_spawn_file_actions_t fa;
	int from[2], status = -1;
	pid_t pid;

	for (size_t i = 0; args[i]; i++)
		argv[3 + i] = ag_str_cstr(g->arena, ag_str_c(args[i]));
	tree_put_bytes(&g->t, ".git-input", in.ptr, in.len);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, tree_path(&g->t, ".git-input"), O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, from[1], 1);
	if (posix_spawnp(&pid, "git", &fa, NULL, argv, env) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&fa);
	close(from[1]);
	for (;;) {
		char *room = ag_buf_room(out, 65536);
		ssize_t n = room ? read(from[0], room, 65536) : -1;

		if (n <= 0)
			break;
		out->len += (size_t)n;
	}
	close(from[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

/* What git says of the next path: "file:line" when it is ignored, "" when not. */
static ag_str next_verdict(git_tree *g, ag_str *rest, ag_str *ret_path)
{
	ag_str source = ag_str_split(rest, '\0'), line = ag_str_split(rest, '\0');
	ag_str pattern = ag_str_split(rest, '\0');

	*ret_path = ag_str_split(rest, '\0');
	if (!source.len || (pattern.len && pattern.ptr[0] == '!'))
		return AG_S("");
	return ag_str_printf(g->arena, "%.*s:%.*s", AG_FMT(source), AG_FMT(line));
}

/* Reading a file, or listing a folder, is refused exactly where git ignores it, for the same line. */
static void compare_one(git_tree *g, ag_root *r, ag_str path, ag_str want)
{
	ag_root_list list;
	ag_root_text text;
	ag_err err = { 0 };
	struct stat st;
	ag_status got;

	if (ag_str_find(path, '\\') >= 0)
		return; /* refused for its backslash */
	assert_int_equal(stat(tree_path(&g->t, path.ptr), &st), 0);
	got = S_ISDIR(st.st_mode) ? ag_root_list_dir(r, NULL, path, g->arena, &list, &err)
	                          : ag_root_read(r, NULL, path, 100, g->arena, &text, &err);
	if (got != (want.len ? AG_DENIED : AG_OK) || (got && !ag_str_ends(ag_str_c(err.msg), want)))
		fail_msg("%s: git says \"%.*s\", we say \"%s\"; see %s", path.ptr, AG_FMT(want),
		         err.msg, g->t.dir);
}

static size_t compare_all(git_tree *g)
{
	static const char *const check[] = { "check-ignore", "--no-index", "-v", "-n",
		                             "-z",           "--stdin",    NULL };
	ag_buf in = AG_BUF_INIT(8 << 20), out = AG_BUF_INIT(8 << 20);
	ag_root_opts o = { .path = ag_str_c(g->t.dir) };
	ag_root *r = NULL;
	ag_str rest, path;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		ag_buf_add(&in, g->paths[i]);
		ag_buf_addc(&in, '\0');
	}
	assert_true(run_git(g, check, ag_buf_view(&in), &out));
	assert_int_equal(ag_root_open(&o, &r, NULL), AG_OK);
	for (rest = ag_buf_view(&out); rest.len; n++) {
		ag_str want = next_verdict(g, &rest, &path);

		assert_true(ag_str_eq(path, g->paths[n]));
		compare_one(g, r, g->paths[n], want);
	}
	assert_int_equal(n, g->n);
	ag_root_close(r);
	ag_buf_release(&in);
	ag_buf_release(&out);
	return n;
}

static void agrees_with_git(void **state)
{
	static const char *const init[] = { "init", "-q", ".", NULL };
	enum { ROUNDS = 60 };
	git_tree *g = calloc(1, sizeof(*g));
	ag_buf out = AG_BUF_INIT(1 << 20);
	size_t n = 0;

	(void)state;
	assert_non_null(g);
	tree_make(&g->t, "git");
	g->arena = ag_arena_new();
	g->seed = 20260301;
	if (!run_git(g, init, AG_S(""), &out)) {
		tree_remove(&g->t);
		ag_arena_free(g->arena);
		ag_buf_release(&out);
		free(g);
		print_message("skipped: there is no git\n");
		skip();
	}
	fill_folder(g, "", 0);
	for (size_t round = 0; round < ROUNDS; round++) {
		static const char *const files[] = { ".gitignore", ".git/info/exclude" };
		ag_buf text = AG_BUF_INIT(1 << 20);
		struct stat st;

		for (size_t i = 0; i < AG_NELEM(files) + 3; i++) {
			const char *path = i < AG_NELEM(files) ? files[i] : NULL;

			if (!path) { /* in a folder, sometimes */
				ag_str folder = g->paths[pick(&g->seed, g->n)];

				if (stat(tree_path(&g->t, folder.ptr), &st) != 0 ||
				    !S_ISDIR(st.st_mode))
					continue;
				path = ag_str_printf(g->arena, "%s/.gitignore", folder.ptr).ptr;
			}
			ag_buf_clear(&text);
			random_lines(&g->seed, &text);
			tree_put_bytes(&g->t, path, text.ptr, text.len);
		}
		ag_buf_release(&text);
		n += compare_all(g);
	}
	print_message("%zu paths, the same verdict as git's\n", n);
	tree_remove(&g->t);
	ag_arena_free(g->arena);
	ag_buf_release(&out);
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ignore_cases),
		cmocka_unit_test(secret_cases),
		cmocka_unit_test(lines_are_counted),
		cmocka_unit_test(globs),
		cmocka_unit_test(hostile_patterns_are_quick),
		cmocka_unit_test(has_limits),
		cmocka_unit_test(agrees_with_git),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
