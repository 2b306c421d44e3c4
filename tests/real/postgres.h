/* postgres -- a real PostgreSQL of one test program's own, by tests/real/postgres.sh. */
#ifndef AG_TESTS_REAL_POSTGRES_H
#define AG_TESTS_REAL_POSTGRES_H

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"

typedef struct test_postgres {
	char folder[128]; /* of the server; also of its socket */
	int port;
	char uri[256]; /* as superuser, by the socket */
} test_postgres;

/* Runs a program with `input` on its standard input; the beginning of what it prints goes into out (size 0: it is thrown
 * away). Its exit status, or -1. */
static inline int test_spawn(const char *const *argv, const char *input, char *out, size_t size)
{
	posix_spawn_file_actions_t actions;
	int to[2], from[2], status;
	size_t n = 0;
	char rest[512];
	ssize_t got;
	pid_t pid;

	AG_ASSERT(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to[0], 0);
	posix_spawn_file_actions_adddup2(&actions, from[1], 1);
	AG_ASSERT(posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv,
	                       environ) == 0);
	posix_spawn_file_actions_destroy(&actions);
	close(to[0]);
	close(from[1]);
	AG_ASSERT(write(to[1], input, strlen(input)) == (ssize_t)strlen(input));
	close(to[1]);
	while ((got = read(from[0], rest, sizeof(rest))) > 0) {
		for (ssize_t i = 0; i < got && n + 1 < size; i++)
			out[n++] = rest[i];
	}
	if (size > 0)
		out[n] = '\0';
	close(from[0]);
	AG_ASSERT(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Exit status of postgres.sh. */
static inline int test_postgres_do(const test_postgres *p, const char *what)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char script[400];
	const char *argv[] = { "sh", script, what, p->folder, NULL };

	snprintf(script, sizeof(script), "%s/tests/real/postgres.sh", root ? root : ".");
	return test_spawn(argv, "", NULL, 0);
}

/* 0 = it runs; 77 = PostgreSQL is not installed: the test is skipped. Anything else is a failure. */
static inline int test_postgres_start(test_postgres *p)
{
	char path[200];
	FILE *f;
	int rc;

	memset(p, 0, sizeof(*p));
	snprintf(p->folder, sizeof(p->folder), "/tmp/argus-pg-XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	rc = test_postgres_do(p, "start");
	if (rc != 0)
		return rc;
	snprintf(path, sizeof(path), "%s/port", p->folder);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%d", &p->port) != 1)
		rc = -1;
	if (f)
		fclose(f);
	snprintf(p->uri, sizeof(p->uri), "postgresql://postgres@/postgres?host=%s&port=%d",
	         p->folder, p->port);
	return rc;
}

static inline void test_postgres_stop(const test_postgres *p)
{
	if (p->folder[0])
		AG_ASSERT(test_postgres_do(p, "stop") == 0);
}

/* The first line that psql prints, as superuser; "" = none. Another connection than those of the test. */
static inline const char *test_postgres_ask(const test_postgres *p, const char *sql, char *out,
                                            size_t size)
{
	char port[12];
	const char *argv[] = { "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h",       p->folder,
		               "-p",   port,    "-U", "postgres",        "postgres", NULL };

	snprintf(port, sizeof(port), "%d", p->port);
	AG_ASSERT(test_spawn(argv, sql, out, size) == 0);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

static inline void test_postgres_tell(const test_postgres *p, const char *sql)
{
	char line[256];

	test_postgres_ask(p, sql, line, sizeof(line));
}

#endif
