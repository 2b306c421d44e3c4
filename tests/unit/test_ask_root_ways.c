/* The only way to the project's files while they change, where the kernel or the machine lacks something, and which folder it
 * is. */
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "ask_root_tree.h"

/* --- while it changes ---------------------------------------------------------------------------- */

typedef struct swapper {
	atomic_bool stop;
	atomic_ulong n;
} swapper;

/* race: a file, then a link out; race-dir: a folder, then a link out; race-key: a file, then one that keys were loaded from.
 * None is ever missing. */
static void *swap(void *arg)
{
	swapper *s = arg;
	int dir = open(root.dir, O_PATH | O_CLOEXEC);

	while (!atomic_load(&s->stop)) {
		if (renameat2(dir, "race", dir, "race-out", RENAME_EXCHANGE) ||
		    renameat2(dir, "race-dir", dir, "race-dir-out", RENAME_EXCHANGE) ||
		    renameat2(dir, "race-key", dir, "race-key-out", RENAME_EXCHANGE))
			break;
		atomic_fetch_add(&s->n, 1);
	}
	close(dir);
	return NULL;
}

static void make_race(ag_root *r)
{
	tree_put(&root, "race", "inside race\n");
	tree_link(&root, "../r-secret/x", "race-out");
	tree_put(&root, "race-dir/x", "inside race\n");
	tree_link(&root, "../r-secret", "race-dir-out");
	tree_put(&root, "race-key", "inside race\n");
	tree_put(&root, "race-key-out", CANARY);
	assert_true(ag_root_add_secret(r, tree_path(&root, "race-key-out")));
}

static void end_race(void)
{
	static const char *const names[] = { "race",         "race-out", "race-dir",
		                             "race-dir-out", "race-key", "race-key-out" };
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

	make_race(r);
	assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
	/* Two seconds; on a busy machine as long as it takes until both were met often. */
	while (time(NULL) < begin + 30 &&
	       (time(NULL) < begin + 2 || n.ninside < 200 || n.nrefused < 200 || s.n < 2000)) {
		read_in_race(r, "race", &n);
		read_in_race(r, "race-dir/x", &n);
		read_in_race(r, "race-key", &n);
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

/* A root that is a part of a repository: the rules of the folders above it hold, as git has it. */
static void rules_above_the_root(void **state)
{
	static const struct {
		const char *root, *path;
		bool is_read;
	} cases[] = {
		{ "repo/services/shop", "local.ini", false },
		{ "repo/services/shop", "a/local.ini", false },
		{ "repo/services/shop", "kept.ini", true },
		{ "repo/services/shop", "own/local.ini", true }, /* taken back below */
		{ "repo/services/shop", "private/x.txt", false },
		{ "repo/services/shop", "main.py", true },
		{ "repo/other", "local.ini", false },
		{ "repo/other", "private/x.txt", true }, /* said of services/shop only */
		{ "repo/out", "local.ini", true },       /* ignored itself: chosen on purpose */
		{ "alone/services", "local.ini", true }, /* no repository above it */
	};
	ag_arena *arena = ag_arena_new();
	tree t;

	(void)state;
	tree_make(&t, "above");
	tree_put(&t, "repo/.git/HEAD", "");
	tree_put(&t, "repo/.gitignore", "local.ini\n/out/\n*.ini\n");
	tree_put(&t, "repo/services/.gitignore", "!kept.ini\n/shop/private/\n");
	tree_put(&t, "repo/services/shop/own/.gitignore", "!local.ini\n");
	tree_put(&t, "alone/.gitignore", "local.ini\n");
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		char name[200];
		const ag_root_opts o = { .path = ag_str_c(tree_path(&t, cases[i].root)) };
		ag_root_text text;
		ag_root *r = NULL;
		ag_err err = { 0 };
		ag_status st;

		snprintf(name, sizeof(name), "%s/%s", cases[i].root, cases[i].path);
		tree_put(&t, name, "x\n");
		assert_int_equal(ag_root_open(&o, &r, &err), AG_OK);
		st = ag_root_read(r, NULL, ag_str_c(cases[i].path), 100, arena, &text, &err);
		if (st != (cases[i].is_read ? AG_OK : AG_DENIED))
			fail_msg("%s: %s", name, err.msg);
		ag_root_close(r);
	}
	tree_remove(&t);
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
	/* Where everybody may write, as in /tmp, anybody could make it a project. */
	tree_put(&t, "shared/.git/HEAD", "");
	tree_put(&t, "shared/x/y.c", "");
	assert_int_equal(chmod(tree_path(&t, "shared"), 01777), 0);
	assert_int_equal(ag_root_find_project(ag_str_c(tree_path(&t, "shared/x")), arena, &got,
	                                      &err),
	                 AG_OK);
	assert_true(ag_str_eqc(got, tree_path(&t, "shared/x")));
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

	/* Opened before: a test's folder may be closed to others. A process that changes its user cannot look at its own
	 * descriptors in /proc any more, unless it says so. */
	if (ag_root_open(&o, &r, &err))
		return WRONG;
	if (geteuid() == 0 && (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1)))
		return CANNOT;
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
	bool is_by_hand = r->by_hand;

	ag_root_close(r);
	if (is_by_hand) {
		print_message("skipped: this kernel has no openat2, or there is no /proc\n");
		skip();
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TWICE(swapped_while_it_is_read),
		TWICE(opens),
		TWICE(files_of_the_kernel_are_refused),
		TWICE(stays_when_it_is_moved),
		TWICE(no_permission),
		cmocka_unit_test(rules_above_the_root),
		cmocka_unit_test(finds_the_project),
		cmocka_unit_test(openat2_unknown),
		cmocka_unit_test(openat2_forbidden),
		cmocka_unit_test(proc_missing),
		cmocka_unit_test(openat2_is_used),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
