/* The only way to the project's files: every way out that we know of, with openat2 and without it.
 *
 * CANARY stands in all that must not be seen: beside the root and in its secrets. No message and no text may hold it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "ask/root_parts.h"
#include "ask_tree.h"

#define CANARY    "CANARY-8c1f"
#define MANY      100000            /* entries of a folder */
#define KEY_BEGIN "-----BEGIN RSA " /* in two pieces: this file is no key */

/* --- the tree ------------------------------------------------------------------------------------ */

static tree all;  /* r, r-secret: the tests' own */
static tree root; /* all/r */

static void make_files(void)
{
	static const char *const files[][2] = {
		{ "README.md", "the readme\n" },
		{ "wiki/a.md", "inside a\n" },
		{ "wiki/github.md", "inside github\n" },
		{ "wiki/key.txt", KEY_BEGIN "PRIVATE KEY-----\n" CANARY "\n" },
		{ "wiki/about-keys.md", "# Keys\n\n    " KEY_BEGIN "PRIVATE KEY-----\n" },
		{ "docs/guide.md", "the guide\n" },
		{ "sp ace/\xc3\xbc.md", "inside umlaut\n" },
		{ "notes..md", "two dots\n" },
		{ "a..b.md", "dots inside\n" },
		{ "empty.md", "" },
		{ ".env", CANARY },
		{ ".env.agent.secret", CANARY },
		{ ".env.docker.secret", CANARY },
		{ ".env.agent.example", "KEY=<placeholder>\n" },
		{ "x.pem", CANARY },
		{ ".netrc", CANARY },
		{ ".git/config", CANARY },
		{ ".git/info/exclude", "local.txt\n" },
		{ ".gitignore", "build/\n*.log\n\nignored-link\n" },
		{ "sub/.gitignore", "!kept.log\nprivate.txt\n" },
		{ "sub/kept.log", "kept log\n" },
		{ "sub/private.txt", CANARY },
		{ "sub/node_modules/x/index.js", "x\n" },
		{ "build/out.txt", CANARY },
		{ "other.log", CANARY },
		{ "local.txt", CANARY },
		{ "deep/one/two/three.md", "three\n" },
	};

	for (size_t i = 0; i < AG_NELEM(files); i++)
		tree_put(&root, files[i][0], files[i][1]);
	tree_put(&all, "r-secret/x", CANARY);
	tree_put_bytes(&root, "logo.png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR" CANARY, 27);
	tree_put(&root, "latin.txt", "caf\xe9 is one bad byte in a line of text\n");
}

static void make_links(void)
{
	static const char *const links[][2] = {
		{ "ok", "wiki/a.md" },
		{ "chain-in", "ok" },
		{ "chain-out", "lrel" },
		{ "deep/up", "../docs" },
		{ "dot", "." },
		{ "lrel", "../r-secret/x" },
		{ "lgone", "/nowhere/at/all" },
		{ "lgone-rel", "../nowhere" },
		{ "d", "/" },
		{ "up-and-in", "../r/wiki/a.md" },
		{ "loop-a", "loop-b" },
		{ "loop-b", "loop-a" },
		{ "loop-self", "loop-self" },
		{ "dangling", "wiki/nothing.md" },
		{ "through-file", "README.md/x" },
		{ "pub", ".env.agent.secret" },
		{ "pub-chain", "pub" },
		{ "gitlink", ".git" },
		{ "link-to-build", "build/out.txt" },
		{ "ignored-link", "README.md" },
		{ "dev-null", "/dev/null" },
		{ "proc-environ", "/proc/self/environ" },
	};
	char target[300];

	for (size_t i = 0; i < AG_NELEM(links); i++)
		tree_link(&root, links[i][1], links[i][0]);
	snprintf(target, sizeof(target), "%s/r-secret/x", all.dir);
	tree_link(&root, target, "l");
	tree_link(&root, tree_path(&root, "wiki/a.md"), "abs-in");
	assert_int_equal(link(tree_path(&root, ".env.agent.secret"), tree_path(&root, "hard")), 0);
	assert_int_equal(link(tree_path(&root, "x.pem"), tree_path(&root, "hard-unregistered")), 0);
}

static void make_others(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(mkfifo(tree_path(&root, "fifo"), 0644), 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", tree_path(&root, "sock"));
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	close(fd);
}

static int make_tree(void **state)
{
	(void)state;
	tree_make(&all, "root");
	assert_int_equal(chmod(all.dir, 0755), 0);
	snprintf(root.dir, sizeof(root.dir), "%.180s/r", all.dir);
	tree_mkdir(&root, "");
	make_files();
	make_links();
	make_others();
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	tree_remove(&all);
	return 0;
}

/* state: "by hand" or NULL */
static ag_root *open_root(void **state)
{
	const ag_root_opts o = { .path = ag_str_c(root.dir), .no_openat2 = *state != NULL };
	ag_root *r = NULL;
	ag_err err = { 0 };

	if (ag_root_open(&o, &r, &err))
		fail_msg("%s", err.msg);
	assert_true(ag_root_add_secret(r, tree_path(&root, ".env.agent.secret")));
	return r;
}

static void holds_no_canary(ag_str s, const char *of)
{
	if (memmem(s.ptr ? s.ptr : "", s.len, CANARY, strlen(CANARY)))
		fail_msg("%s shows what nobody may see", of);
}

static void err_is_proper(const ag_err *err, const char *of)
{
	holds_no_canary(ag_str_c(err->msg), of);
	holds_no_canary(ag_str_c(err->hint), of);
	if (!err->msg[0] || strstr(err->msg, all.dir) ||
	    (strstr(err->msg, "r-secret") && !strstr(of, "r-secret")))
		fail_msg("%s: \"%s\"", of, err->msg);
	for (const char *p = err->msg; *p; p++)
		assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
}

static ag_status read_it(ag_root *r, ag_str path, size_t limit, ag_arena *arena, ag_root_text *t,
                         ag_err *err)
{
	int before = open_fds();
	ag_status st;

	*err = (ag_err){ 0 };
	*t = (ag_root_text){ 0 };
	st = ag_root_read(r, NULL, path, limit, arena, t, err);
	assert_int_equal(open_fds(), before);
	holds_no_canary(t->text, ag_str_cstr(arena, path));
	if (st)
		err_is_proper(err, ag_str_cstr(arena, path));
	return st;
}

static ag_status list_it(ag_root *r, ag_str path, ag_arena *arena, ag_root_list *l, ag_err *err)
{
	int before = open_fds();
	ag_status st;

	*err = (ag_err){ 0 };
	*l = (ag_root_list){ 0 };
	st = ag_root_list_dir(r, NULL, path, arena, l, err);
	assert_int_equal(open_fds(), before);
	if (st)
		err_is_proper(err, ag_str_cstr(arena, path));
	return st;
}

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

/* --- while it changes ---------------------------------------------------------------------------- */

typedef struct swapper {
	atomic_bool stop;
	atomic_ulong n;
} swapper;

/* race: a file, then a link out; race-dir: a folder, then a link out. Neither is ever missing. */
static void *swap(void *arg)
{
	swapper *s = arg;
	int dir = open(root.dir, O_PATH | O_CLOEXEC);

	while (!atomic_load(&s->stop)) {
		if (renameat2(dir, "race", dir, "race-out", RENAME_EXCHANGE) ||
		    renameat2(dir, "race-dir", dir, "race-dir-out", RENAME_EXCHANGE))
			break;
		atomic_fetch_add(&s->n, 1);
	}
	close(dir);
	return NULL;
}

static void make_race(void)
{
	tree_put(&root, "race", "inside race\n");
	tree_link(&root, "../r-secret/x", "race-out");
	tree_put(&root, "race-dir/x", "inside race\n");
	tree_link(&root, "../r-secret", "race-dir-out");
}

static void end_race(void)
{
	static const char *const names[] = { "race", "race-out", "race-dir", "race-dir-out" };
	char inside[40];

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (unlink(tree_path(&root, names[i])) == 0)
			continue; /* the file, or a link */
		snprintf(inside, sizeof(inside), "%s/x", names[i]);
		unlink(tree_path(&root, inside));
		rmdir(tree_path(&root, names[i]));
	}
}

typedef struct raced {
	unsigned long ninside, nrefused;
} raced;

static void read_in_race(ag_root *r, const char *path, raced *n)
{
	ag_arena *arena = ag_arena_new();
	ag_root_list l = { 0 };
	ag_root_text t = { 0 };
	ag_err err = { 0 };
	ag_status st = ag_root_read(r, NULL, ag_str_c(path), 100, arena, &t, &err);

	if (!st) {
		assert_true(ag_str_eqc(t.text, "inside race\n"));
		n->ninside++;
	} else {
		err_is_proper(&err, "the race");
		assert_true(st == AG_DENIED || st == AG_IO);
		n->nrefused++;
	}
	if (!ag_root_list_dir(r, NULL, AG_S("race-dir"), arena, &l, &err)) {
		assert_int_equal(l.n, 1);
		assert_int_equal(l.entries[0].size, 12);
	}
	ag_arena_free(arena);
}

static void swapped_while_it_is_read(void **state)
{
	ag_root *r = open_root(state);
	swapper s = { .stop = false };
	time_t begin = time(NULL);
	int before = open_fds();
	pthread_t thread;
	raced n = { 0 };

	make_race();
	assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
	/* Two seconds; on a busy machine as long as it takes until both were met often. */
	while (time(NULL) < begin + 30 &&
	       (time(NULL) < begin + 2 || n.ninside < 200 || n.nrefused < 200 || s.n < 2000)) {
		read_in_race(r, "race", &n);
		read_in_race(r, "race-dir/x", &n);
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	print_message("%lu swaps, %lu times inside, %lu times refused\n", s.n, n.ninside,
	              n.nrefused);
	assert_true(s.n >= 2000 && n.ninside >= 200 && n.nrefused >= 200);
	assert_int_equal(open_fds(), before);
	end_race();
	ag_root_close(r);
}

/* --- the handle ---------------------------------------------------------------------------------- */

static void opens(void **state)
{
	static const struct {
		const char *path;
		ag_status want;
	} cases[] = {
		{ "/no/such/folder", AG_NOT_FOUND },
		{ "/dev/null", AG_INVALID },
		{ "/proc/self", AG_DENIED },
		{ "/sys", AG_DENIED },
		{ "/", AG_OK },
	};
	int before = open_fds();

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_root_opts o = { .path = ag_str_c(cases[i].path),
			                 .no_openat2 = *state != NULL };
		ag_root *r = NULL;
		ag_err err = { 0 };

		if (ag_root_open(&o, &r, &err) != cases[i].want)
			fail_msg("%s: %s", cases[i].path, err.msg);
		assert_true(cases[i].want ? err.msg[0] && !r : r != NULL);
		ag_root_close(r);
	}
	assert_int_equal(open_fds(), before);
	assert_null(ag_root_close(NULL));
}

/* With the root at "/" the kernel's own files are beneath it. */
static void files_of_the_kernel_are_refused(void **state)
{
	const ag_root_opts o = { .path = AG_S("/"), .no_openat2 = *state != NULL };
	ag_arena *arena = ag_arena_new();
	ag_root *r = NULL;
	ag_root_text t;
	ag_root_list l;
	ag_err err = { 0 };

	assert_int_equal(ag_root_open(&o, &r, &err), AG_OK);
	assert_true(ag_str_eqc(ag_root_path(r), "/"));
	assert_int_equal(ag_root_read(r, NULL, AG_S("proc/self/environ"), 100, arena, &t, &err),
	                 AG_DENIED);
	assert_int_equal(ag_root_read(r, NULL, AG_S("proc/1/environ"), 100, arena, &t, &err),
	                 AG_DENIED);
	assert_int_equal(ag_root_list_dir(r, NULL, AG_S("proc/self/fd"), arena, &l, &err),
	                 AG_DENIED);
	assert_int_equal(ag_root_read(r, NULL, AG_S("dev/null"), 100, arena, &t, &err), AG_INVALID);
	assert_int_equal(ag_root_read(r, NULL, AG_S("etc/shadow"), 100, arena, &t, &err),
	                 AG_DENIED);
	ag_root_close(r);
	ag_arena_free(arena);
}

/* Opened through a link, or moved afterwards: it stays the same folder. */
static void stays_when_it_is_moved(void **state)
{
	ag_root_opts o = { .no_openat2 = *state != NULL };
	ag_arena *arena = ag_arena_new();
	ag_root *r = NULL;
	char link[300], old[300], new[300];
	ag_root_text t;
	ag_err err;

	snprintf(link, sizeof(link), "%s/by-link", all.dir);
	snprintf(old, sizeof(old), "%s/moving", all.dir);
	snprintf(new, sizeof(new), "%s/moved", all.dir);
	tree_put(&all, "moving/a.md", "moved\n");
	tree_put(&all, "moving/.env", CANARY);
	tree_link(&all, ".env", "moving/pub");
	assert_int_equal(symlink("moving", link), 0);
	o.path = ag_str_c(link);
	assert_int_equal(ag_root_open(&o, &r, &err), AG_OK);
	assert_true(ag_str_ends(ag_root_path(r), AG_S("/moving")));
	assert_int_equal(rename(old, new), 0);
	assert_int_equal(read_it(r, AG_S("a.md"), 100, arena, &t, &err), AG_OK);
	assert_int_equal(read_it(r, AG_S("pub"), 100, arena, &t, &err), AG_DENIED);
	ag_root_close(r);
	unlink(link);
	unlink(tree_path(&all, "moved/a.md"));
	unlink(tree_path(&all, "moved/.env"));
	unlink(tree_path(&all, "moved/pub"));
	rmdir(new);
	ag_arena_free(arena);
}

static void finds_the_project(void **state)
{
	static const struct {
		const char *make, *from, *want;
	} cases[] = {
		{ "p1/.git/HEAD", "p1", "p1" },
		{ "p1/src/x.c", "p1/src", "p1" },
		{ "p1/src/deep/x.c", "p1/src/deep", "p1" },
		{ "p1/own/README.rst", "p1/own", "p1/own" },
		{ "p1/own2/readme", "p1/own2", "p1/own2" },
		{ "p1/own3/wiki/x", "p1/own3", "p1/own3" },
		{ "p1/own4/docs/x", "p1/own4", "p1/own4" },
		{ "p1/own4/docs/y", "p1/own4/docs", "p1" },
		{ "p2/.env.agent.secret", "p2", "p2" },
		{ "p2/x/y.c", "p2/x", "p2" },
		{ "p3/argus.yaml", "p3", "p3" },
		{ "p3/x/.env.docker.secret", "p3/x", "p3/x" },
		{ "p4/x/y.c", "p4/x", "p4/x" },
		{ "home/.git/HEAD", "home", "home" },
		{ "home/x/y.c", "home/x", "home/x" },
	};
	const char *home = getenv("HOME");
	ag_arena *arena = ag_arena_new();
	char *kept = home ? strdup(home) : NULL;
	ag_str got;
	ag_err err;
	tree t;

	(void)state;
	tree_make(&t, "project");
	setenv("HOME", tree_path(&t, "home"), 1);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		tree_put(&t, cases[i].make, "");
		assert_int_equal(ag_root_find_project(ag_str_c(tree_path(&t, cases[i].from)), arena,
		                                      &got, &err),
		                 AG_OK);
		if (!ag_str_eqc(got, tree_path(&t, cases[i].want)))
			fail_msg("%s gives %.*s", cases[i].from, AG_FMT(got));
	}
	assert_int_equal(ag_root_find_project(AG_S("/no/such/folder"), arena, &got, &err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_root_find_project(AG_S("/"), arena, &got, &err), AG_OK);
	assert_true(ag_str_eqc(got, "/"));
	if (kept)
		setenv("HOME", kept, 1);
	else
		unsetenv("HOME");
	free(kept);
	tree_remove(&t);
	ag_arena_free(arena);
}

/* --- where something is missing: in a process of its own ----------------------------------------- */

enum { FINE = 0, WRONG = 1, CANNOT = 77 };

/* Opens, reads, is refused; by hand. */
static int works_by_hand(void)
{
	const ag_root_opts o = { .path = ag_str_c(root.dir) };
	ag_arena *arena = ag_arena_new();
	ag_root *r = NULL;
	ag_root_text t;
	ag_err err;
	bool ok;

	if (ag_root_open(&o, &r, &err))
		return WRONG;
	ok = r->by_hand && !ag_root_read(r, NULL, AG_S("deep/up/guide.md"), 100, arena, &t, &err) &&
	     ag_str_eqc(t.text, "the guide\n") &&
	     ag_root_read(r, NULL, AG_S("lrel"), 100, arena, &t, &err) == AG_DENIED &&
	     ag_root_read(r, NULL, AG_S("pub"), 100, arena, &t, &err) == AG_DENIED;
	ag_root_close(r);
	ag_arena_free(arena);
	return ok ? FINE : WRONG;
}

/* A kernel, or a container, that does not know openat2. */
static int without_openat2(const void *arg)
{
	const int *answer = arg;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)*answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { .len = AG_NELEM(code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter, 0, 0))
		return CANNOT;
	return works_by_hand();
}

static int without_proc(const void *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", 0, NULL))
		return CANNOT;
	return works_by_hand();
}

static int without_permission(const void *arg)
{
	const ag_root_opts o = { .path = ag_str_c(root.dir), .no_openat2 = arg != NULL };
	ag_arena *arena = ag_arena_new();
	ag_root *r = NULL;
	ag_root_text t;
	ag_root_list l;
	ag_err err;
	int how = FINE;

	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		return CANNOT;
	if (ag_root_open(&o, &r, &err))
		return WRONG;
	if (ag_root_read(r, NULL, AG_S("closed.md"), 100, arena, &t, &err) != AG_DENIED ||
	    !strstr(err.msg, "no permission"))
		how = WRONG;
	if (ag_root_read(r, NULL, AG_S("closed/x.md"), 100, arena, &t, &err) != AG_DENIED ||
	    !strstr(err.msg, "no permission"))
		how = WRONG;
	if (ag_root_list_dir(r, NULL, AG_S("closed"), arena, &l, &err) != AG_DENIED)
		how = WRONG;
	ag_root_close(r);
	ag_arena_free(arena);
	return how;
}

static void in_child(int (*fn)(const void *arg), const void *arg, const char *reason)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fn(arg));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT) {
		print_message("skipped: %s\n", reason);
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), FINE);
}

static void openat2_unknown(void **state)
{
	const int answer = ENOSYS;

	(void)state;
	in_child(without_openat2, &answer, "no seccomp filter can be set here");
}

static void openat2_forbidden(void **state)
{
	const int answer = EPERM;

	(void)state;
	in_child(without_openat2, &answer, "no seccomp filter can be set here");
}

static void proc_missing(void **state)
{
	(void)state;
	in_child(without_proc, NULL, "needs the right to mount");
}

static void no_permission(void **state)
{
	tree_put(&root, "closed.md", CANARY);
	tree_put(&root, "closed/x.md", CANARY);
	assert_int_equal(chmod(tree_path(&root, "closed.md"), 0), 0);
	assert_int_equal(chmod(tree_path(&root, "closed"), 0), 0);
	in_child(without_permission, *state, "cannot become another user");
	assert_int_equal(chmod(tree_path(&root, "closed"), 0755), 0);
	unlink(tree_path(&root, "closed/x.md"));
	rmdir(tree_path(&root, "closed"));
	unlink(tree_path(&root, "closed.md"));
}

/* The tests that say "openat2" really go that way. */
static void openat2_is_used(void **state)
{
	ag_root *r = open_root(state);
	bool by_hand = r->by_hand;

	ag_root_close(r);
	if (by_hand) {
		print_message("skipped: this kernel has no openat2, or there is no /proc\n");
		skip();
	}
}

static char by_hand[] = "by hand";

#define TWICE(fn)                                         \
	{ #fn " (openat2)", fn, NULL, NULL, NULL },       \
	{                                                 \
#fn " (by hand)", fn, NULL, NULL, by_hand \
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
		TWICE(swapped_while_it_is_read),
		TWICE(opens),
		TWICE(files_of_the_kernel_are_refused),
		TWICE(stays_when_it_is_moved),
		TWICE(no_permission),
		cmocka_unit_test(finds_the_project),
		cmocka_unit_test(openat2_unknown),
		cmocka_unit_test(openat2_forbidden),
		cmocka_unit_test(proc_missing),
		cmocka_unit_test(openat2_is_used),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
