/* sqlite_probe -- what a child of an SQLite source could do if it were taken over, tried from inside one: the test program
 * adds SQL functions to SQLite when it is started as a child. probe_try(WHAT, PATH) gives the errno of an attempt, probe(WHAT)
 * does something bad. */
#ifndef AG_TEST_SQLITE_PROBE_H
#define AG_TEST_SQLITE_PROBE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <sqlite3.h>

#include "sql/sqlite_wire.h"

static ag_sqlite_shared *shared;

/* The errno of an attempt, 0 when it went well. */
static int attempt(const char *what, const char *path)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(9) };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/run/dbus/x" };
	char *const argv[] = { (char[]){ "/bin/true" }, NULL };
	struct rlimit r = { 1, 1 };
	int fd = -1;

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	errno = 0;
	if (strcmp(what, "read") == 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	else if (strcmp(what, "write") == 0)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else if (strcmp(what, "create") == 0)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	else if (strcmp(what, "remove") == 0)
		fd = unlink(path);
	else if (strcmp(what, "rename") == 0)
		fd = rename(path, "/tmp/argus-renamed");
	else if (strcmp(what, "chmod") == 0)
		fd = chmod(path, 0777);
	else if (strcmp(what, "list") == 0)
		fd = opendir(path) ? 0 : -1;
	else if (strcmp(what, "connect") == 0)
		fd = (fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0
		             ? fd
		             : connect(fd, (struct sockaddr *)&in, sizeof(in));
	else if (strcmp(what, "datagram") == 0)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	else if (strcmp(what, "unix") == 0)
		fd = (fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0
		             ? fd
		             : connect(fd, (struct sockaddr *)&un, sizeof(un));
	else if (strcmp(what, "exec") == 0)
		fd = execv(argv[0], argv);
	else if (strcmp(what, "fork") == 0) {
		fd = fork();
		if (fd == 0)
			_exit(0);
	} else if (strcmp(what, "kill") == 0)
		fd = kill(getppid(), 0);
	else if (strcmp(what, "ptrace") == 0)
		fd = (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
	else if (strcmp(what, "code") == 0)
		fd = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		             ? -1
		             : 0;
	else if (strcmp(what, "limits") == 0)
		fd = prlimit(getppid(), RLIMIT_NOFILE, &r, NULL);
	else if (strcmp(what, "outlive") == 0)
		fd = fcntl(AG_SQLITE_LIFE_FD, F_SETFL, 0);
	else
		return -1;
	return fd < 0 ? errno : 0;
}

static void probe_try(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	int e = attempt((const char *)sqlite3_value_text(argv[0]),
	                argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : "");

	sqlite3_result_text(ctx, e < 0 ? "?" : e ? strerrorname_np(e) : "done", -1, SQLITE_STATIC);
}

static void count_environment(sqlite3_context *ctx)
{
	int n = 0;

	for (char **e = environ; *e; e++)
		n += strncmp(*e, "TZ=", 3) != 0 && strncmp(*e, "LD_LIBRARY_PATH=", 16) != 0 &&
		     !strstr(*e, "SAN_OPTIONS=");
	sqlite3_result_int(ctx, n);
}

/* Beside standard input, output and error, the pipe, and those that read the database. */
static void list_descriptors(sqlite3_context *ctx)
{
	ag_buf b = AG_BUF_INIT(4096);
	struct stat st;

	for (int fd = 0; fd < 1024; fd++)
		if (fstat(fd, &st) == 0 && !S_ISCHR(st.st_mode))
			ag_buf_addf(&b, "%s%d:%s", b.len ? " " : "", fd,
			            S_ISREG(st.st_mode)    ? "file"
			            : S_ISFIFO(st.st_mode) ? "pipe"
			                                   : "other");
	sqlite3_result_text(ctx, b.ptr ? b.ptr : "", -1, SQLITE_TRANSIENT);
	ag_buf_release(&b);
}

/* Writes what no child of ours would write, as its whole answer or again and again, and goes on to live. */
static void write_junk(const char *what)
{
	static const char row[] = { AG_SQLITE_ROW, 100, 0, 0, 0 };
	size_t n = sizeof(shared->bytes);

	memset(shared->bytes, 0xff, n);
	if (strcmp(what, "length") == 0)
		n = SIZE_MAX;
	if (strcmp(what, "empty") == 0)
		n = 0;
	if (strcmp(what, "row") == 0)
		memcpy(shared->bytes, row, sizeof(row));
	if (strcmp(what, "turns") == 0)
		for (uint32_t i = 3;; i++)
			atomic_store(&shared->turn, i ? i : 3);
	for (;;) {
		atomic_store(&shared->len, (uint32_t)n);
		atomic_store(&shared->more, strcmp(what, "endless") == 0);
		ag_sqlite_turn_give(shared, AG_SQLITE_TURN_PARENT);
		pause();
	}
}

static void probe(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const char *what = (const char *)sqlite3_value_text(argv[0]);

	if (strcmp(what, "pid") == 0)
		sqlite3_result_int(ctx, getpid());
	else if (strcmp(what, "environment") == 0)
		count_environment(ctx);
	else if (strcmp(what, "descriptors") == 0)
		list_descriptors(ctx);
	else if (strcmp(what, "crash") == 0)
		raise(SIGSEGV);
	else if (strcmp(what, "abort") == 0)
		abort();
	else if (strcmp(what, "exit") == 0)
		_exit(7);
	else if (strcmp(what, "killed") == 0)
		raise(SIGKILL);
	else if (strcmp(what, "hang") == 0)
		for (volatile unsigned i = 0;; i++)
			continue;
	else if (strcmp(what, "deaf") == 0) { /* to all that can be ignored */
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		for (volatile unsigned i = 0;; i++)
			continue;
	} else if (strcmp(what, "memory") == 0) {
		char *p;

		while ((p = malloc(1 << 20)))
			memset(p, 1, 1 << 20);
		sqlite3_result_text(ctx, "enough", -1, SQLITE_STATIC);
	} else if (strcmp(what, "junk") == 0 && argc > 1)
		write_junk((const char *)sqlite3_value_text(argv[1]));
}

static int add_functions(sqlite3 *db, char **message, const void *api)
{
	(void)message;
	(void)api;
	for (int n = 1; n <= 2; n++) {
		sqlite3_create_function(db, "probe", n, SQLITE_UTF8, NULL, probe, NULL, NULL);
		sqlite3_create_function(db, "probe_try", n, SQLITE_UTF8, NULL, probe_try, NULL,
		                        NULL);
	}
	return SQLITE_OK;
}

/* Before tests/sqlite_child_entry.c, which does not return: its constructor has no number. */
__attribute__((constructor(1000))) static void prepare_child(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], AG_SQLITE_CHILD_ARG) != 0)
		return;
	/* Crashes are meant here: no report of a sanitizer about them. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
	              AG_SQLITE_SHARED_FD, 0);
	sqlite3_auto_extension((void (*)(void))(uintptr_t)add_functions);
}

#endif
