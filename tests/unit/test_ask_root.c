/* The only way to the project's files: paths that lead out, what is read, what is listed, what is a secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#include "ask_root_tree.h"

#define MANY 100000 /* entries of a folder */

static const ag_root_entry *entry_of(const ag_root_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		if (ag_str_eqc(l->entries[i].name, name))
			return &l->entries[i];
	}
	return NULL;
}

/* --- the table of paths -------------------------------------------------------------------------- */

static bool path_case(const case_line *c, ag_arena *arena, void *arg)
{
	bool is_list = ag_str_eqc(c->field[0], "list");
	ag_str path = c->field[1], want = c->field[3];
	ag_root_list l = { 0 };
	ag_root_text t = { 0 };
	ag_status st;
	ag_err err;

	st = is_list ? list_it(arg, path, arena, &l, &err)
	             : read_it(arg, path, 4096, arena, &t, &err);
	if (!ag_str_eqc(c->field[2], ag_status_name(st)))
		return complain(c, "status", ag_str_c(st ? err.msg : "ok"));
	if (st && !strstr(err.msg, ag_str_cstr(arena, want)))
		return complain(c, "message", ag_str_c(err.msg));
	if (!st && is_list && !entry_of(&l, ag_str_cstr(arena, want)))
		return complain(c, "not in the list", want);
	if (!st && !is_list && !ag_str_contains(t.text, want))
		return complain(c, "text", t.text);
	return true;
}

static void paths(void **state)
{
	ag_root *r = open_root(state);

	run_cases("paths.cases", 4, 100, path_case, r);
	ag_root_close(r);
}

/* Absolute, and inside: still refused. */
static void absolute_inside_is_refused(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_text t;
	ag_err err = { 0 };

	assert_int_equal(ag_root_read(r, NULL, ag_str_c(tree_path(&root, "wiki/a.md")), 100, arena,
	                              &t, &err),
	                 AG_DENIED);
	assert_non_null(strstr(err.msg, "is absolute"));
	ag_root_close(r);
	ag_arena_free(arena);
}

static void long_paths_are_refused(void **state)
{
	enum { N = 20000 };
	char *p = malloc(N);
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_text t;
	ag_root_list l;
	ag_err err;

	assert_non_null(p);
	memset(p, 'a', N);
	assert_int_equal(read_it(r, ag_str_make(p, 5000), 100, arena, &t, &err), AG_DENIED);
	assert_non_null(strstr(err.msg, "too long"));
	assert_int_equal(list_it(r, ag_str_make(p, N), arena, &l, &err), AG_DENIED);
	/* One name that no file system has. */
	assert_int_equal(read_it(r, ag_str_make(p, 300), 100, arena, &t, &err), AG_NOT_FOUND);
	assert_int_equal(read_it(r, ag_str_make(p, 4096), 100, arena, &t, &err), AG_NOT_FOUND);
	for (size_t i = 1; i < N; i += 2)
		p[i] = '/';
	assert_int_equal(read_it(r, ag_str_make(p, N), 100, arena, &t, &err), AG_DENIED);
	assert_int_equal(read_it(r, ag_str_make(p, 3999), 100, arena, &t, &err), AG_DENIED);
	assert_non_null(strstr(err.msg, "too deep"));
	assert_int_equal(read_it(r, ag_str_make(p, 2 * AG_ROOT_MAX_NAMES - 1), 100, arena, &t,
	                         &err),
	                 AG_NOT_FOUND);
	ag_root_close(r);
	ag_arena_free(arena);
	free(p);
}

/* --- what is read -------------------------------------------------------------------------------- */

static void reads(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_text t;
	ag_err err;

	assert_int_equal(read_it(r, AG_S("./wiki//a.md"), 100, arena, &t, &err), AG_OK);
	assert_true(ag_str_eqc(t.text, "inside a\n"));
	assert_true(ag_str_eqc(t.stat.path, "wiki/a.md"));
	assert_int_equal(t.stat.size, 9);
	assert_int_equal(t.stat.kind, AG_ROOT_FILE);
	assert_true(t.stat.mtime_ns > 0);
	assert_false(t.is_cut || t.is_binary);
	assert_int_equal(read_it(r, AG_S("wiki/a.md"), 6, arena, &t, &err), AG_OK);
	assert_true(ag_str_eqc(t.text, "inside") && t.is_cut);
	assert_int_equal(read_it(r, AG_S("wiki/a.md"), 9, arena, &t, &err), AG_OK);
	assert_true(t.text.len == 9 && !t.is_cut);
	assert_int_equal(read_it(r, AG_S("wiki/a.md"), 0, arena, &t, &err), AG_OK);
	assert_true(t.text.len == 0 && t.is_cut);
	assert_int_equal(read_it(r, AG_S("empty.md"), 100, arena, &t, &err), AG_OK);
	assert_true(t.text.len == 0 && !t.is_cut && !t.is_binary);
	/* What only tells of keys. */
	assert_int_equal(read_it(r, AG_S("wiki/about-keys.md"), 100, arena, &t, &err), AG_OK);
	/* A link has its own name. */
	assert_int_equal(read_it(r, AG_S("deep/up/guide.md"), 100, arena, &t, &err), AG_OK);
	assert_true(ag_str_eqc(t.stat.path, "deep/up/guide.md"));
	ag_root_close(r);
	ag_arena_free(arena);
}

static void binary_gives_no_byte(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	char noise[2000];
	ag_root_text t;
	ag_err err;

	assert_int_equal(read_it(r, AG_S("logo.png"), 100, arena, &t, &err), AG_OK);
	assert_true(t.is_binary && t.text.len == 0 && t.stat.size == 27);
	assert_int_equal(read_it(r, AG_S("latin.txt"), 100, arena, &t, &err), AG_OK);
	assert_true(!t.is_binary && ag_str_contains(t.text, AG_S("caf\xe9")));
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(0x80 + i % 0x7f);
	tree_put_bytes(&root, "noise", noise, sizeof(noise));
	assert_int_equal(read_it(r, AG_S("noise"), 4096, arena, &t, &err), AG_OK);
	assert_true(t.is_binary);
	/* A character that the limit cuts is left out; it makes no text binary. */
	tree_put(&root, "euro", "\xe2\x82\xac\xe2\x82\xac\xf0\x9f\x98\x80");
	for (size_t n = 0; n <= 10; n++) {
		assert_int_equal(read_it(r, AG_S("euro"), n, arena, &t, &err), AG_OK);
		assert_false(t.is_binary);
		assert_int_equal(t.text.len, n == 10 ? 10 : n / 3 * 3 - (n == 9 ? 3 : 0));
	}
	unlink(tree_path(&root, "noise"));
	unlink(tree_path(&root, "euro"));
	ag_root_close(r);
	ag_arena_free(arena);
}

static void large_files_are_cut(void **state)
{
	const size_t line = 50u << 20;
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_text t;
	struct rusage before, after;
	ag_err err;
	char *p = malloc(line);
	int fd = open(tree_path(&root, "sparse"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(p && fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)2 << 30), 0);
	close(fd);
	memset(p, 'x', line);
	tree_put_bytes(&root, "line", p, line);
	free(p);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(read_it(r, AG_S("sparse"), SIZE_MAX, arena, &t, &err), AG_OK);
	assert_true(t.is_cut && t.is_binary && t.stat.size == (uint64_t)2 << 30);
	assert_int_equal(read_it(r, AG_S("line"), 32768, arena, &t, &err), AG_OK);
	assert_true(t.is_cut && t.text.len == 32768 && t.stat.size == line);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 200 * 1024);
	unlink(tree_path(&root, "sparse"));
	unlink(tree_path(&root, "line"));
	ag_root_close(r);
	ag_arena_free(arena);
}

static void clock_and_cancel_are_looked_at(void **state)
{
	atomic_bool cancel = true;
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1, .cancel = &cancel };
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_list l;
	ag_root_text t;
	ag_err err = { 0 };

	assert_int_equal(ag_root_read(r, &ctx, AG_S("wiki/a.md"), 9, arena, &t, &err),
	                 AG_CANCELLED);
	assert_int_equal(ag_root_list_dir(r, &ctx, AG_S(""), arena, &l, &err), AG_CANCELLED);
	cancel = false;
	ctx.deadline_ms = 1;
	assert_int_equal(ag_root_read(r, &ctx, AG_S("wiki/a.md"), 9, arena, &t, &err), AG_TIMEOUT);
	ag_root_close(r);
	ag_arena_free(arena);
}

/* --- secrets and rules --------------------------------------------------------------------------- */

/* Under whatever name, and also what has no name of a secret. */
static void registered_files_are_refused(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_list l;
	ag_root_text t;
	ag_err err;
	size_t before;

	tree_put(&root, "settings/prod.txt", CANARY);
	assert_false(ag_root_add_secret(r, tree_path(&root, "settings/no-such-file")));
	assert_int_equal(list_it(r, AG_S("settings"), arena, &l, &err), AG_OK);
	before = l.n;
	assert_int_equal(before, 1);
	assert_true(ag_root_add_secret(r, tree_path(&root, "settings/prod.txt")));
	assert_int_equal(read_it(r, AG_S("settings/prod.txt"), 100, arena, &t, &err), AG_DENIED);
	assert_non_null(strstr(err.msg, "a file of keys"));
	assert_int_equal(list_it(r, AG_S("settings"), arena, &l, &err), AG_OK);
	assert_true(l.n == 0 && l.nhidden == 1);
	ag_root_close(r);
	unlink(tree_path(&root, "settings/prod.txt"));
	rmdir(tree_path(&root, "settings"));
	ag_arena_free(arena);
}

static void ignored_can_be_allowed_but_no_secret(void **state)
{
	static const char *const secrets[] = { ".env", ".git/config",       "pub",
		                               "hard", "hard-unregistered", "x.pem" };
	ag_root_opts o = { .path = ag_str_c(root.dir),
		           .no_openat2 = *state != NULL,
		           .allow_ignored = true };
	ag_arena *arena = ag_arena_new();
	ag_root *r = NULL;
	ag_root_text t;
	ag_err err;

	tree_put(&root, "fine.log", "a log\n");
	assert_int_equal(ag_root_open(&o, &r, &err), AG_OK);
	assert_int_equal(read_it(r, AG_S("fine.log"), 100, arena, &t, &err), AG_OK);
	for (size_t i = 0; i < AG_NELEM(secrets); i++)
		assert_int_equal(read_it(r, ag_str_c(secrets[i]), 100, arena, &t, &err), AG_DENIED);
	unlink(tree_path(&root, "fine.log"));
	ag_root_close(r);
	ag_arena_free(arena);
}

/* --- folders ------------------------------------------------------------------------------------- */

static void lists(void **state)
{
	static const char *const hidden[] = {
		".git",      ".env",          ".env.agent.secret",
		".netrc",    "x.pem",         "pub",
		"hard",      "gitlink",       "hard-unregistered",
		"build",     "other.log",     "local.txt",
		"pub-chain", "link-to-build", "ignored-link",
	};
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	const ag_root_entry *e;
	ag_root_list l;
	ag_err err;

	assert_int_equal(list_it(r, AG_S(""), arena, &l, &err), AG_OK);
	for (size_t i = 0; i < AG_NELEM(hidden); i++) {
		if (entry_of(&l, hidden[i]))
			fail_msg("%s is shown", hidden[i]);
	}
	assert_int_equal(l.nhidden, 10); /* five names, two links, two hard links, .git's link */
	for (size_t i = 1; i < l.n; i++)
		assert_true(ag_str_cmp(l.entries[i - 1].name, l.entries[i].name) < 0);
	e = entry_of(&l, "wiki");
	assert_true(e && e->kind == AG_ROOT_FOLDER);
	e = entry_of(&l, "README.md");
	assert_true(e && e->kind == AG_ROOT_FILE && e->size == 11 && e->mtime_ns > 0);
	e = entry_of(&l, "ok");
	assert_true(e && e->kind == AG_ROOT_FILE && e->size == 9);
	e = entry_of(&l, "dot");
	assert_true(e && e->kind == AG_ROOT_FOLDER);
	e = entry_of(&l, "l");
	assert_true(e && e->kind == AG_ROOT_OTHER && e->size == 0 && e->mtime_ns == 0);
	e = entry_of(&l, "d");
	assert_true(e && e->kind == AG_ROOT_OTHER && e->mtime_ns == 0);
	e = entry_of(&l, "fifo");
	assert_true(e && e->kind == AG_ROOT_OTHER);
	assert_non_null(entry_of(&l, ".env.agent.example"));
	/* Through a link: the rules of where it leads. */
	assert_int_equal(list_it(r, AG_S("dot/sub"), arena, &l, &err), AG_OK);
	assert_non_null(entry_of(&l, "kept.log"));
	assert_null(entry_of(&l, "private.txt"));
	assert_int_equal(list_it(r, AG_S("dot"), arena, &l, &err), AG_OK);
	assert_null(entry_of(&l, ".env"));
	assert_null(entry_of(&l, "build"));
	ag_root_close(r);
	ag_arena_free(arena);
}

static void strange_names_are_given_as_they_are(void **state)
{
	static const char *const strange[] = { "new\nline", "esc\x1b[31m", "bad\xff\xfe", " ",
		                               "-rf" };
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	ag_root_list l;
	ag_root_text t;
	char path[64];
	ag_err err;

	tree_mkdir(&root, "strange");
	for (size_t i = 0; i < AG_NELEM(strange); i++) {
		snprintf(path, sizeof(path), "strange/%s", strange[i]);
		tree_put(&root, path, "x");
	}
	assert_int_equal(list_it(r, AG_S("strange"), arena, &l, &err), AG_OK);
	assert_int_equal(l.n, AG_NELEM(strange));
	for (size_t i = 0; i < AG_NELEM(strange); i++)
		assert_non_null(entry_of(&l, strange[i]));
	assert_int_equal(read_it(r, AG_S("strange/new\nline"), 10, arena, &t, &err), AG_OK);
	/* Messages are one line whatever was asked for; read_it looks at that. */
	assert_int_equal(read_it(r, AG_S("strange/new\nlin"), 10, arena, &t, &err), AG_NOT_FOUND);
	assert_int_equal(read_it(r, AG_S("\x1b]0;x\x07"), 10, arena, &t, &err), AG_NOT_FOUND);
	assert_int_equal(read_it(r, AG_S("\xe2\x80\xae\xc2\x9b"), 10, arena, &t, &err),
	                 AG_NOT_FOUND);
	assert_null(strstr(err.msg, "\xe2\x80\xae"));
	for (size_t i = 0; i < AG_NELEM(strange); i++) {
		snprintf(path, sizeof(path), "strange/%s", strange[i]);
		unlink(tree_path(&root, path));
	}
	rmdir(tree_path(&root, "strange"));
	ag_root_close(r);
	ag_arena_free(arena);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void many_entries_are_bounded(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	char name[300];
	ag_root_list l;
	double begin;
	ag_err err;

	tree_mkdir(&all, "r/many");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s/many/%06d.md", root.dir, i);
		close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
	begin = cpu_seconds();
	assert_int_equal(list_it(r, AG_S("many"), arena, &l, &err), AG_OK);
	print_message("%d entries: %.0f ms\n", MANY, (cpu_seconds() - begin) * 1e3);
	assert_true(cpu_seconds() - begin < 5);
	assert_int_equal(l.n, AG_ROOT_MAX_ENTRIES);
	assert_true(l.is_cut);
	assert_true(ag_str_eqc(l.entries[0].name, "000000.md"));
	assert_true(ag_str_eqc(l.entries[l.n - 1].name, "004999.md"));
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s/many/%06d.md", root.dir, i);
		unlink(name);
	}
	rmdir(tree_path(&all, "r/many"));
	ag_root_close(r);
	ag_arena_free(arena);
}

/* --- walking ------------------------------------------------------------------------------------- */

typedef struct seen {
	ag_arena *arena;
	ag_str paths[200];
	size_t n;
	ag_status give;
} seen;

static ag_status see(void *arg, const ag_root_stat *file, ag_err *err)
{
	seen *s = arg;

	(void)err;
	assert_true(s->n < AG_NELEM(s->paths));
	assert_int_equal(file->kind, AG_ROOT_FILE);
	s->paths[s->n++] = ag_str_dup(s->arena, file->path);
	return s->give;
}

static void walks(void **state)
{
	static const char want[] =
		".env.agent.example .gitignore README.md a..b.md deep/one/two/three.md docs/guide.md "
		"empty.md latin.txt logo.png notes..md sp ace/\xc3\xbc.md sub/.gitignore sub/kept.log "
		"wiki/a.md wiki/about-keys.md wiki/github.md wiki/key.txt ";
	int before = open_fds();
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	seen s = { .arena = arena };
	ag_buf text = AG_BUF_INIT(1 << 20);
	bool is_cut = true;
	ag_err err = { 0 };

	assert_int_equal(ag_root_walk(r, NULL, AG_S(""), 0, see, &s, &is_cut, &err), AG_OK);
	assert_false(is_cut);
	for (size_t i = 0; i < s.n; i++)
		ag_buf_addf(&text, "%.*s ", AG_FMT(s.paths[i]));
	assert_string_equal(text.ptr, want);
	for (size_t i = 1; i < s.n; i++)
		assert_true(ag_str_cmp(s.paths[i - 1], s.paths[i]) < 0);
	/* Part of it, one file, through a link, a limit, and an end from outside. */
	s.n = 0;
	assert_int_equal(ag_root_walk(r, NULL, AG_S("./wiki/"), 2, see, &s, &is_cut, &err), AG_OK);
	assert_true(s.n == 2 && is_cut && ag_str_eqc(s.paths[0], "wiki/a.md"));
	s.n = 0;
	assert_int_equal(ag_root_walk(r, NULL, AG_S("wiki/a.md"), 0, see, &s, &is_cut, &err),
	                 AG_OK);
	assert_true(s.n == 1 && !is_cut);
	s.n = 0;
	assert_int_equal(ag_root_walk(r, NULL, AG_S("deep/up"), 0, see, &s, &is_cut, &err), AG_OK);
	assert_true(s.n == 1 && ag_str_eqc(s.paths[0], "deep/up/guide.md"));
	s.n = 0;
	s.give = AG_LIMIT;
	assert_int_equal(ag_root_walk(r, NULL, AG_S(""), 0, see, &s, &is_cut, &err), AG_LIMIT);
	assert_int_equal(s.n, 1);
	assert_int_equal(ag_root_walk(r, NULL, AG_S(".git"), 0, see, &s, NULL, &err), AG_DENIED);
	assert_int_equal(ag_root_walk(r, NULL, AG_S("d"), 0, see, &s, NULL, &err), AG_DENIED);
	assert_int_equal(ag_root_walk(r, NULL, AG_S("build"), 0, see, &s, NULL, &err), AG_DENIED);
	assert_int_equal(ag_root_walk(r, NULL, AG_S("nope"), 0, see, &s, NULL, &err), AG_NOT_FOUND);
	assert_int_equal(ag_root_walk(r, NULL, AG_S("fifo"), 0, see, &s, NULL, &err), AG_INVALID);
	ag_root_close(r);
	ag_buf_release(&text);
	ag_arena_free(arena);
	assert_int_equal(open_fds(), before);
}

/* A folder after a file whose name sorts between its name and its slash. */
static void walk_has_the_order_of_paths(void **state)
{
	static const char *const names[] = { "order/a-b", "order/a.md", "order/a/x", "order/a0" };
	ag_arena *arena = ag_arena_new();
	ag_root *r = open_root(state);
	seen s = { .arena = arena };
	ag_err err;

	for (size_t i = 0; i < AG_NELEM(names); i++)
		tree_put(&root, names[i], "x");
	assert_int_equal(ag_root_walk(r, NULL, AG_S("order"), 0, see, &s, NULL, &err), AG_OK);
	assert_int_equal(s.n, AG_NELEM(names));
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		assert_true(ag_str_eqc(s.paths[i], names[i]));
		unlink(tree_path(&root, names[i]));
	}
	rmdir(tree_path(&root, "order/a"));
	rmdir(tree_path(&root, "order"));
	ag_root_close(r);
	ag_arena_free(arena);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TWICE(paths),
		TWICE(absolute_inside_is_refused),
		TWICE(long_paths_are_refused),
		TWICE(reads),
		TWICE(binary_gives_no_byte),
		TWICE(large_files_are_cut),
		TWICE(clock_and_cancel_are_looked_at),
		TWICE(registered_files_are_refused),
		TWICE(ignored_can_be_allowed_but_no_secret),
		TWICE(lists),
		TWICE(strange_names_are_given_as_they_are),
		TWICE(many_entries_are_bounded),
		TWICE(walks),
		TWICE(walk_has_the_order_of_paths),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
