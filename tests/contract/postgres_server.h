/* postgres_server -- a real PostgreSQL 15 of a test program's own (tests/real/postgres.sh), stopped however the program ends.
 *
 * A program includes this once. Superuser "postgres": trust on the socket, the password "secret" on TCP. */
#ifndef AG_TESTS_POSTGRES_SERVER_H
#define AG_TESTS_POSTGRES_SERVER_H

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"

extern char **environ;

static struct {
	char folder[128], socket[128], port[16];
	pid_t watcher;
	int watched;
	unsigned ndatabase; /* for the program: each test may have one of its own */
} pg;

/* Its standard output, at most n - 1 bytes; its exit status. */
static inline int spawn_read(const char *const *argv, char *out, size_t n)
{
	posix_spawn_file_actions_t fa;
	int pipe_fd[2], status = 0;
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	AG_ASSERT(pipe2(pipe_fd, O_CLOEXEC) == 0); /* or the server would keep it open */
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, pipe_fd[1], 1);
	posix_spawn_file_actions_addclose(&fa, pipe_fd[0]);
	AG_ASSERT(posix_spawnp(&pid, argv[0], &fa, NULL, (char *const *)(uintptr_t)argv, environ) ==
	          0);
	posix_spawn_file_actions_destroy(&fa);
	close(pipe_fd[1]);
	while ((got = read(pipe_fd[0], out + len, n - 1 - len)) > 0)
		len += (size_t)got;
	close(pipe_fd[0]);
	out[len] = '\0';
	AG_ASSERT(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int postgres_sh(const char *what, char *out, size_t n)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char script[512];
	const char *argv[] = { script, what, pg.folder, NULL };

	snprintf(script, sizeof(script), "%.400s/tests/real/postgres.sh", root ? root : ".");
	return spawn_read(argv, out, n);
}

static inline int psql(const char *database, const char *sql, char *out, size_t n)
{
	const char *argv[] = { "psql",     "-h", pg.socket,         "-p", pg.port, "-U",
		               "postgres", "-d", database,          "-X", "-q",    "-A",
		               "-t",       "-v", "ON_ERROR_STOP=1", "-c", sql,     NULL };

	return spawn_read(argv, out, n);
}

/* A test that ends the program, however it does, must not leave a server behind: a shell waits for the end of a pipe. */
static inline void pg_watch(void)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char line[700];
	const char *argv[] = { "sh", "-c", line, NULL };
	posix_spawn_file_actions_t fa;
	int pipe_fd[2];

	snprintf(line, sizeof(line),
	         "cat >/dev/null; exec '%.400s/tests/real/postgres.sh' stop '%s'",
	         root ? root : ".", pg.folder);
	AG_ASSERT(pipe2(pipe_fd, O_CLOEXEC) == 0);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, pipe_fd[0], 0);
	AG_ASSERT(posix_spawnp(&pg.watcher, argv[0], &fa, NULL, (char *const *)(uintptr_t)argv,
	                       environ) == 0);
	posix_spawn_file_actions_destroy(&fa);
	close(pipe_fd[0]);
	pg.watched = pipe_fd[1];
}

static inline void pg_stop(void)
{
	int status;

	if (!pg.watcher)
		return;
	close(pg.watched);
	AG_ASSERT(waitpid(pg.watcher, &status, 0) == pg.watcher);
	pg.watcher = 0;
}

/* NULL, or why no server was started. */
static inline const char *pg_server_start(void)
{
	char out[256];
	int status;

	snprintf(pg.folder, sizeof(pg.folder), "/tmp/argus-sqlpg-XXXXXX");
	AG_ASSERT(mkdtemp(pg.folder));
	pg_watch();
	status = postgres_sh("start", out, sizeof(out));
	if (status == 77) {
		pg_stop();
		return "PostgreSQL 15 is not installed";
	}
	AG_ASSERT(status == 0);
	AG_ASSERT(sscanf(out, "%127s %15s", pg.socket, pg.port) == 2);
	return NULL;
}

#endif
