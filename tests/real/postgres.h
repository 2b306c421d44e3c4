/* postgres -- a real PostgreSQL of one test program's own, by tests/real/postgres.sh. */
#ifndef AG_TESTS_REAL_POSTGRES_H
#define AG_TESTS_REAL_POSTGRES_H

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

/* Exit status of postgres.sh. */
static inline int test_postgres_do(const test_postgres *p, const char *what)
{
	char command[400];
	int rc;

	snprintf(command, sizeof(command), "sh '%s/tests/real/postgres.sh' %s '%s' >/dev/null",
	         getenv("ARGUS_SOURCE_ROOT") ? getenv("ARGUS_SOURCE_ROOT") : ".", what, p->folder);
	rc = system(command);
	return rc == -1 || !WIFEXITED(rc) ? -1 : WEXITSTATUS(rc);
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
	char command[4000];
	FILE *f;

	snprintf(
		command, sizeof(command),
		"psql -XqAt -v ON_ERROR_STOP=1 -h '%s' -p %d -U postgres postgres <<'END'\n%s\nEND\n",
		p->folder, p->port, sql);
	f = popen(command, "r");
	AG_ASSERT(f);
	if (!fgets(out, (int)size, f))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	while (fgetc(f) != EOF)
		;
	AG_ASSERT(pclose(f) == 0);
	return out;
}

static inline void test_postgres_tell(const test_postgres *p, const char *sql)
{
	char line[256];

	test_postgres_ask(p, sql, line, sizeof(line));
}

#endif
