/* Stores as files: rights, full and closed disks, what purge leaves, files that are not ours.
 *
 * Runs on every fixture whose store is a file. What needs another user, limit or mount happens in a
 * child, which leaves by _exit() with a number that names the place where it failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_fixtures.h"

#define NOBODY 65534

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	*state = store_env_new(fixture);
	return 0;
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

static void skip_because(const char *test, const char *why)
{
	print_message("# %s: %s\n", test, why);
	skip();
}

/* Fork, run fn in the child, return how it ended: its exit code, or 128 + signal. */
static int in_child(int (*fn)(store_env *env), store_env *env)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(fn(env));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- rights and traces --- */

static const char *path_of(const store_env *env)
{
	return env->uri + strlen(fixture->scheme);
}

static unsigned mode_of(const char *path, const char *suffix)
{
	char full[300];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", path, suffix);
	return stat(full, &st) ? 0 : st.st_mode & 07777;
}

static void only_the_owner_may_read(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	char folder[200];
	mode_t old = umask(0);
	ag_status st = store_env_reopen(env);

	if (!st)
		st = store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err);
	umask(old);
	assert_ok(env, st);
	assert_int_equal(mode_of(path_of(env), ""), 0600);
	assert_int_equal(mode_of(path_of(env), "-wal"), 0600);
	assert_int_equal(mode_of(path_of(env), "-shm"), 0600);
	snprintf(folder, sizeof(folder), "%s/deep", env->folder);
	assert_int_equal(mode_of(folder, ""), 0700);
	assert_int_equal(mode_of(folder, "/er"), 0700);
}

static long bytes_of(const store_env *env)
{
	struct stat st;

	return stat(path_of(env), &st) ? -1 : (long)st.st_size;
}

static bool file_contains(const char *path, const char *suffix, const char *text)
{
	char full[300], buf[64 * 1024];
	size_t n, keep = 0, len = strlen(text);
	bool is_there = false;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", path, suffix);
	f = fopen(full, "rb");
	while (f && !is_there && (n = fread(buf + keep, 1, sizeof(buf) - keep, f)) > 0) {
		is_there = memmem(buf, keep + n, text, len) != NULL;
		n += keep;
		keep = n < len ? n : len;
		memmove(buf, buf + n - keep, keep);
	}
	if (f)
		fclose(f);
	return is_there;
}

static void purge_leaves_no_bytes(void **state)
{
	static const char secret[] = "xyzzy-in-a-payload";
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system), keep = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&run, 7, "k");
	ag_event ev = store_test_event(env->arena, &run, 1, AG_EV_ERROR, 400000);
	ag_store_batch b = { .events = &ev, .nevent = 1, .run = &row };
	uint64_t n = 0;
	long before;

	assert_ok(env, store_env_reopen(env));
	row.finished_ms = 8;
	memcpy((char *)(uintptr_t)ev.payload.ptr + 300000, secret, sizeof(secret) - 1);
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	/* A small event between events that stay: its page stays too. */
	ev = store_test_event(env->arena, &run, 2, AG_EV_ERROR, 0);
	ev.payload = AG_S("{\"a\":\"xyzzy-in-a-payload\"}");
	assert_ok(env, store_test_append(env->store, env->arena, &keep, 1, 1, true, &env->err));
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, store_test_append(env->store, env->arena, &keep, 2, 2, true, &env->err));
	assert_true(file_contains(path_of(env), "", secret) ||
	            file_contains(path_of(env), "-wal", secret));
	assert_ok(env, store_env_reopen(env));
	before = bytes_of(env);
	assert_ok(env, ag_store_purge(env->store, 9, &n, &env->err));
	assert_int_equal(n, 1);
	assert_false(file_contains(path_of(env), "", secret));
	assert_false(file_contains(path_of(env), "-wal", secret));
	assert_true(bytes_of(env) < before - 300000);
	assert_int_equal(store_test_log_length(env->store, env->arena, &keep), 2);
}

/* --- syncs --- */

static unsigned nsync; /* counted by the two functions below, which stand before the C library's */

int fsync(int fd)
{
	nsync++;
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	nsync++;
	return (int)syscall(SYS_fdatasync, fd);
}

static unsigned syncs_of_commit(store_env *env, const ag_id *run, uint64_t seq, ag_event_type type,
                                ag_store_when on_disk)
{
	ag_event ev = store_test_event(env->arena, run, seq, type, 1);
	ag_store_batch b = { .events = &ev, .nevent = 1, .on_disk = on_disk };

	nsync = 0;
	assert_ok(env, ag_store_commit(env->store, run, &b, &env->err));
	return nsync;
}

static void durable_commits_are_synced(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env));
	/* The first one also makes the log file. */
	syncs_of_commit(env, &run, 1, AG_EV_ERROR, AG_STORE_NOW);
	assert_int_equal(syncs_of_commit(env, &run, 2, AG_EV_TEXT_DELTA, AG_STORE_BY_TYPE), 0);
	assert_int_equal(syncs_of_commit(env, &run, 3, AG_EV_TEXT_DELTA, AG_STORE_NOW), 1);
	assert_int_equal(syncs_of_commit(env, &run, 4, AG_EV_TEXT_DELTA, AG_STORE_BY_TYPE), 0);
	assert_int_equal(syncs_of_commit(env, &run, 5, AG_EV_TOOL_INPUT, AG_STORE_BY_TYPE), 1);
	assert_int_equal(syncs_of_commit(env, &run, 6, AG_EV_TOOL_OUTPUT, AG_STORE_SOON), 0);
	assert_int_equal(syncs_of_commit(env, &run, 7, AG_EV_TOOL_INPUT, AG_STORE_LAZY), 0);
}

/* A handle whose batches were all lazy leaves the log to the next one, which reads it and brings it into the file. */
static void lazy_commits_do_not_wait_for_the_disk(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env)); /* makes the file */
	assert_ok(env, store_env_reopen(env));
	nsync = 0;
	for (uint64_t seq = 1; seq <= 9; seq++) {
		ag_event ev = store_test_event(env->arena, &run, seq, AG_EV_TOOL_INPUT, 1);
		ag_store_batch b = { .events = &ev, .nevent = 1, .on_disk = AG_STORE_LAZY };

		assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	}
	env->store = ag_store_close(env->store);
	assert_in_range(nsync, 0, 2); /* of a log file that is made, and of its name */
	assert_int_equal(mode_of(path_of(env), "-wal"), 0600);
	assert_ok(env, store_env_reopen(env));
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 9);
	nsync = 0;
	assert_int_equal(syncs_of_commit(env, &run, 10, AG_EV_TEXT_DELTA, AG_STORE_LAZY), 0);
	syncs_of_commit(env, &run, 11, AG_EV_TEXT_DELTA, AG_STORE_NOW);
	env->store = ag_store_close(env->store);
	assert_int_equal(mode_of(path_of(env), "-wal"), 0);
	assert_ok(env, store_env_reopen(env));
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 11);
}

/* --- disks --- */

/* Appends batches of two until one fails; then the log must be what was committed before, and
 * writable again once there is space. */
static int fill_the_disk(store_env *env, ag_status want, void (*make_space)(const store_env *env))
{
	ag_id run = ag_id_new(&ag_clock_system);
	ag_event ev[2];
	ag_store_batch b = { .events = ev, .nevent = 2 };
	ag_status st = AG_OK;
	uint64_t n = 0;

	if (ag_store_open(ag_str_c(env->uri), &env->store, &env->err))
		return 20;
	while (!st && n < 2000) {
		for (uint64_t i = 0; i < 2; i++)
			ev[i] = store_test_event(env->arena, &run, n + 1 + i, AG_EV_ERROR, 30000);
		st = ag_store_commit(env->store, &run, &b, &env->err);
		n += st ? 0 : 2;
	}
	if (st != want || !env->err.hint[0] || n == 0) {
		dprintf(STDERR_FILENO, "after %d events: %s\n", (int)n, env->err.msg);
		return 21;
	}
	if (store_test_log_length(env->store, env->arena, &run) != (int64_t)n)
		return 22;
	make_space(env);
	if (ag_store_commit(env->store, &run, &b, &env->err))
		return 23;
	if (store_env_reopen(env) ||
	    store_test_log_length(env->store, env->arena, &run) != (int64_t)n + 2)
		return 24;
	env->store = ag_store_close(env->store);
	return 0;
}

static void raise_file_limit(const store_env *env)
{
	struct rlimit lim;

	(void)env;
	getrlimit(RLIMIT_FSIZE, &lim);
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_FSIZE, &lim);
}

static int with_file_limit(store_env *env)
{
	struct rlimit lim;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &lim);
	lim.rlim_cur = 600 * 1000;
	if (setrlimit(RLIMIT_FSIZE, &lim))
		return 30;
	return fill_the_disk(env, AG_IO, raise_file_limit);
}

static void file_that_may_not_grow_keeps_nothing_of_a_batch(void **state)
{
	assert_int_equal(in_child(with_file_limit, *state), 0);
}

enum { CANNOT_MOUNT = 77 };

static void ballast_path(const store_env *env, char out[200])
{
	snprintf(out, 200, "%s/ballast", env->folder);
}

static void remove_ballast(const store_env *env)
{
	char path[200];

	ballast_path(env, path);
	unlink(path);
}

/* A file system of 2 MB that goes with this process; half of it is ballast. */
static int on_small_disk(store_env *env)
{
	char path[200];
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", env->folder, "tmpfs", 0, "size=2m"))
		return CANNOT_MOUNT;
	ballast_path(env, path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, 1 << 20) || close(fd))
		return 31;
	return fill_the_disk(env, AG_IO, remove_ballast);
}

static void full_disk_keeps_nothing_of_a_batch(void **state)
{
	int rc = in_child(on_small_disk, *state);

	if (rc == CANNOT_MOUNT)
		skip_because("full_disk_keeps_nothing_of_a_batch",
		             "a small disk needs root to mount");
	assert_int_equal(rc, 0);
}

/* In a folder where nothing may be written: a new store, and one that is there. */
static int in_closed_folder(store_env *env)
{
	char fresh[260], folder[200];
	ag_id run = ag_id_new(&ag_clock_system);
	ag_status st;

	if (ag_store_open(ag_str_c(env->uri), &env->store, &env->err))
		return 40;
	env->store = ag_store_close(env->store);
	snprintf(folder, sizeof(folder), "%s/deep", env->folder);
	if (chmod(env->folder, 0755) || chmod(folder, 0755) || chmod(path_of(env), 0444))
		return 41;
	snprintf(folder, sizeof(folder), "%s/deep/er", env->folder);
	if (chmod(folder, 0555))
		return 42;
	if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
		return 43;
	snprintf(fresh, sizeof(fresh), "%s/other.db", folder);
	if (ag_store_open(ag_str_c(fresh), &env->store, &env->err) != AG_DENIED ||
	    !env->err.hint[0])
		return 44;
	snprintf(fresh, sizeof(fresh), "%s/new/other.db", folder);
	if (ag_store_open(ag_str_c(fresh), &env->store, &env->err) != AG_DENIED ||
	    !env->err.hint[0])
		return 45;
	st = ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
	if (!st)
		st = store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err);
	if (st != AG_DENIED || !env->err.hint[0]) {
		dprintf(STDERR_FILENO, "closed folder: %s: %s\n", ag_status_name(st), env->err.msg);
		return 46;
	}
	return 0;
}

static void closed_folder_is_denied(void **state)
{
	store_env *env = *state;
	char folder[200];
	int rc = in_child(in_closed_folder, env);

	snprintf(folder, sizeof(folder), "%s/deep/er", env->folder);
	chmod(folder, 0700);
	assert_int_equal(rc, 0);
}

/* --- files that are not ours --- */

static char *read_whole(const char *path, size_t *ret)
{
	FILE *f = fopen(path, "rb");
	char *bytes = ag_xcalloc(1, 1 << 20);

	assert_non_null(f);
	*ret = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

/* Opening must fail with that status, name the file, give a hint, and change no byte. */
static void refused_and_unchanged(store_env *env, ag_status want)
{
	size_t before_len, after_len;
	char *before = read_whole(path_of(env), &before_len), *after;

	assert_int_equal(ag_store_open(ag_str_c(env->uri), &env->store, &env->err), want);
	assert_non_null(strstr(env->err.msg, path_of(env)));
	assert_true(env->err.hint[0]);
	after = read_whole(path_of(env), &after_len);
	assert_int_equal(before_len, after_len);
	assert_memory_equal(before, after, after_len);
	free(before);
	free(after);
}

static void change_sql(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void newer_store_is_refused(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err));
	env->store = ag_store_close(env->store);
	change_sql(path_of(env), "PRAGMA user_version=999");
	refused_and_unchanged(env, AG_CONFLICT);
	assert_non_null(strstr(env->err.msg, "999"));
}

static void write_file(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* Leaves a log (-wal) beside the file, as a program does that was killed. */
static int leave_a_log(store_env *env)
{
	sqlite3 *db = NULL;

	return sqlite3_open(path_of(env), &db) ||
	       sqlite3_exec(db, "PRAGMA journal_mode=WAL; CREATE TABLE t (a)", NULL, NULL, NULL);
}

static void file_of_others_is_refused(void **state)
{
	store_env *env = *state;
	char noise[9000];

	snprintf(env->uri, sizeof(env->uri), "%s%s/file", fixture->scheme, env->folder);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 7919 >> 3);
	write_file(path_of(env), noise, sizeof(noise));
	refused_and_unchanged(env, AG_INVALID);
	write_file(path_of(env), "a,b\n1,2\n", 8);
	refused_and_unchanged(env, AG_INVALID);
	unlink(path_of(env));
	change_sql(path_of(env), "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
	refused_and_unchanged(env, AG_INVALID);
	unlink(path_of(env));
	change_sql(path_of(env), "PRAGMA journal_mode=WAL; PRAGMA application_id=77");
	refused_and_unchanged(env, AG_INVALID);
	unlink(path_of(env));
	assert_int_equal(in_child(leave_a_log, env), 0);
	refused_and_unchanged(env, AG_INVALID);
	snprintf(env->uri, sizeof(env->uri), "%s%s/empty", fixture->scheme, env->folder);
	write_file(path_of(env), "", 0); /* as mktemp leaves it: may become a store */
	assert_ok(env, store_env_reopen(env));
}

static void what_is_no_file_is_refused(void **state)
{
	static const char *const names[] = { "",
		                             "sqlite:",
		                             "sqlite:/",
		                             "oracle:thing",
		                             "memory:x",
		                             "/dev/null",
		                             "/proc/self/environ/x/argus.db" };
	store_env *env = *state;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		memset(&env->err, 0, sizeof(env->err));
		assert_int_not_equal(ag_store_open(ag_str_c(names[i]), &env->store, &env->err),
		                     AG_OK);
		assert_null(env->store);
		assert_true(env->err.msg[0]);
	}
	assert_int_equal(ag_store_open(ag_str_c(env->folder), &env->store, &env->err), AG_INVALID);
	assert_int_equal(ag_store_open(AG_S("oracle:thing"), &env->store, &env->err), AG_INVALID);
	assert_non_null(strstr(env->err.hint, "sqlite:, memory:"));
}

static void default_place_follows_the_environment(void **state)
{
	store_env *env = *state;
	ag_str uri;

	setenv("ARGUS_STORE", "memory:", 1);
	setenv("XDG_STATE_HOME", "/state", 1);
	setenv("HOME", "/somewhere", 1);
	assert_ok(env, ag_store_default_uri(env->arena, &uri, &env->err));
	assert_true(ag_str_eqc(uri, "memory:"));
	unsetenv("ARGUS_STORE");
	assert_ok(env, ag_store_default_uri(env->arena, &uri, &env->err));
	assert_true(ag_str_eqc(uri, "/state/argus/argus.db"));
	setenv("XDG_STATE_HOME", "relative", 1);
	assert_ok(env, ag_store_default_uri(env->arena, &uri, &env->err));
	assert_true(ag_str_eqc(uri, "/somewhere/.local/state/argus/argus.db"));
	unsetenv("HOME");
	assert_int_equal(ag_store_default_uri(env->arena, &uri, &env->err), AG_INVALID);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(only_the_owner_may_read),
		T(purge_leaves_no_bytes),
		T(durable_commits_are_synced),
		T(lazy_commits_do_not_wait_for_the_disk),
		T(file_that_may_not_grow_keeps_nothing_of_a_batch),
		T(full_disk_keeps_nothing_of_a_batch),
		T(closed_folder_is_denied),
		T(newer_store_is_refused),
		T(file_of_others_is_refused),
		T(what_is_no_file_is_refused),
		T(default_place_follows_the_environment),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		if (fixture->is_file)
			nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
