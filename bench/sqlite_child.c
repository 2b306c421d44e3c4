/* What it costs to ask SQLite in a child process instead of in this one: CPU of both processes and time, a call, when both
 * run on one core and when each has its own; and beside it a bare round trip of the ways in which two processes can talk.
 *
 *   bench_sqlite_child [CALLS] */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "sql/sqlite_child.h"
#include "sql/sqlite_sql.h"

#define SQL "SELECT id, name, total FROM orders WHERE id = 4711"

static char path[64];

static void die(const char *what)
{
	fprintf(stderr, "sqlite_child: %s\n", what);
	exit(1);
}

static void forget(void)
{
	unlink(path);
}

static void plant(void)
{
	sqlite3 *db = NULL;
	int fd;

	snprintf(path, sizeof(path), "/tmp/argus-bench-sqlite-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		die("no temporary file");
	close(fd);
	atexit(forget);
	if (sqlite3_open(path, &db) ||
	    sqlite3_exec(db,
	                 "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, total REAL);"
	                 "INSERT INTO orders WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT "
	                 "n + 1 FROM r WHERE n < 10000) SELECT n, 'order ' || n, n / 7.0 FROM r;",
	                 NULL, NULL, NULL))
		die("no database");
	sqlite3_close(db);
}

/* --- clocks, cores --- */

static double us_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int core[2];

static void find_cores(void)
{
	cpu_set_t set;
	int n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &set))
			core[n++] = i;
	if (n < 2)
		core[1] = core[0];
}

static void pin(pid_t pid, int to)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(to, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		die("cannot choose a core");
}

/* --- one way to do a call, measured --- */

typedef struct way {
	const char *name;
	void (*call)(void *arg);
	void *arg;
	pid_t child;           /* 0 = there is none */
	ag_sqlite_child *held; /* the same, when Argus chooses its core */
} way;

typedef enum placement { ONE_CORE, TWO_CORES, FREE } placement;

typedef struct cost {
	double parent, child, time; /* us a call */
} cost;

/* The system's choice again. */
static void unpin(pid_t pid)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core[0], &set);
	CPU_SET(core[1], &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		die("cannot choose a core");
}

static cost measure(const way *w, unsigned ncall, placement where)
{
	clockid_t child = 0;
	double p, c = 0, t;

	if (where == FREE)
		unpin(0);
	else
		pin(0, core[0]);
	if (w->held) /* FREE: Argus chooses again; else it believes that the core is its choice */
		w->held->core = where == FREE ? -1 : core[0];
	if (w->child && where == FREE)
		unpin(w->child);
	else if (w->child)
		pin(w->child, core[where == ONE_CORE ? 0 : 1]);
	if (w->child)
		clock_getcpuclockid(w->child, &child);
	for (unsigned i = 0; i < ncall / 10 + 10; i++)
		w->call(w->arg);
	p = us_of(CLOCK_PROCESS_CPUTIME_ID);
	c = w->child ? us_of(child) : 0;
	t = us_of(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < ncall; i++)
		w->call(w->arg);
	t = us_of(CLOCK_MONOTONIC) - t;
	p = us_of(CLOCK_PROCESS_CPUTIME_ID) - p;
	c = w->child ? us_of(child) - c : 0;
	return (cost){ p / ncall, c / ncall, t / ncall };
}

static double show(const way *w, unsigned ncall, placement where, double base)
{
	static const char *const names[] = { "one core", "two cores", "free" };
	/* The best of three: the machine does other work as well. */
	cost best = { 1e9, 1e9, 1e9 };

	for (int i = 0; i < 3; i++) {
		cost c = measure(w, ncall, where);

		if (c.parent + c.child < best.parent + best.child)
			best = c;
	}
	printf("  %-34s %-10s %7.1f %7.1f %7.1f %8.1f", w->name, w->child ? names[where] : "-",
	       best.parent, best.child, best.parent + best.child, best.time);
	if (base > 0)
		printf(" %+8.1f %6.1fx", best.parent + best.child - base,
		       (best.parent + best.child) / base);
	printf("\n");
	return best.parent + best.child;
}

/* --- bare round trips --- */

static int pair[2];

static void over_socket(void *arg)
{
	char b = 1;

	(void)arg;
	if (write(pair[0], &b, 1) != 1 || read(pair[0], &b, 1) != 1)
		die("the socket is broken");
}

static void over_futex(void *arg)
{
	ag_sqlite_shared *s = arg;

	ag_sqlite_turn_give(s, AG_SQLITE_TURN_CHILD);
	while (atomic_load(&s->turn) != AG_SQLITE_TURN_PARENT)
		ag_sqlite_turn_wait(s, AG_SQLITE_TURN_CHILD, 20);
}

static pid_t echo_socket(void)
{
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || (pid = fork()) < 0)
		die("no socket");
	if (pid == 0) {
		char b;

		close(pair[0]);
		while (read(pair[1], &b, 1) == 1 && write(pair[1], &b, 1) == 1)
			continue;
		_exit(0);
	}
	close(pair[1]);
	return pid;
}

static pid_t echo_futex(ag_sqlite_shared *s)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		die("no process");
	while (pid == 0) {
		if (getppid() != parent)
			_exit(0);
		if (atomic_load(&s->turn) == AG_SQLITE_TURN_CHILD)
			ag_sqlite_turn_give(s, AG_SQLITE_TURN_PARENT);
		else
			ag_sqlite_turn_wait(s, AG_SQLITE_TURN_PARENT, 1000);
	}
	return pid;
}

/* --- SQLite here and there --- */

static const ag_sql_opts opts = {
	.policy = { .dialect = AG_SQL_SQLITE,
	            .schema = AG_S_INIT("main"),
	            .max_rows = 500,
	            .max_bytes = AG_SQL_MAX_BYTES },
	.wait_timeout_ms = 5000,
};

typedef struct asked {
	ag_sqlite_request rq;
	ag_buf bytes;
	ag_sqlite_child *child;
	ag_sqlite_sql engine;
	_Atomic uint32_t stop;
} asked;

static void check(const ag_sqlite_answer *a)
{
	if (!a->ret->is_ok || a->ret->nrow != 1)
		die("a wrong answer");
}

static bool feed(ag_sqlite_out *o, bool more)
{
	(void)more;
	return ag_sqlite_answer_feed(o->to, o->bytes, o->len);
}

/* The same work without a second process. */
static void ask_here(void *arg)
{
	static char chunk[AG_SQLITE_CHUNK_BYTES];
	asked *k = arg;
	ag_arena *arena = ag_arena_new();
	ag_sql_result r = { 0 };
	ag_sqlite_answer a;
	ag_sqlite_out out = { .bytes = chunk, .cap = sizeof(chunk), .flush = feed, .to = &a };

	ag_sqlite_answer_init(&a, &k->rq, arena, &r);
	ag_sqlite_sql_answer(&k->engine, &k->rq, &out);
	ag_sqlite_out_end(&out);
	check(&a);
	ag_sqlite_answer_release(&a);
	ag_sql_result_release(&r);
	ag_arena_free(arena);
}

static void ask_child(void *arg)
{
	asked *k = arg;
	ag_arena *arena = ag_arena_new();
	ag_sql_result r = { 0 };
	ag_sqlite_watch w = { .deadline_ms = INT64_MAX, .watch_fd = -1 };
	ag_sqlite_answer a;

	ag_sqlite_answer_init(&a, &k->rq, arena, &r);
	if (ag_sqlite_child_ask(k->child, ag_buf_view(&k->bytes), &w, &a))
		die("the child ended");
	if (k->rq.verb == AG_SQLITE_ASK_RUN)
		check(&a);
	ag_sqlite_answer_release(&a);
	ag_sql_result_release(&r);
	ag_arena_free(arena);
}

static void set_request(asked *k, ag_sqlite_verb verb)
{
	k->rq = (ag_sqlite_request){
		.verb = verb,
		.sql = AG_S(SQL),
		.path = ag_str_c(path),
		.shown = AG_S("sqlite:bench"),
		.folder = AG_S(""),
		.opts = opts,
		.limits = { .max_rows = 500, .max_bytes = 1 << 20, .timeout_ms = 30000 }
	};
	ag_buf_clear(&k->bytes);
	ag_sqlite_request_write(&k->rq, &k->bytes);
}

static void open_child(asked *k)
{
	ag_err err;

	if (ag_sqlite_child_start(&k->child, &err))
		die(err.msg);
	set_request(k, AG_SQLITE_ASK_OPEN);
	ask_child(k);
	set_request(k, AG_SQLITE_ASK_RUN);
}

static void start_and_end(void *arg)
{
	asked *k = arg;

	open_child(k);
	ag_sqlite_child_end(k->child);
}

/* Private memory of a process in kB, after it has worked. */
static long private_kb(pid_t pid)
{
	char name[64], line[256];
	long n, sum = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Private_Clean: %ld", &n) == 1 ||
		    sscanf(line, "Private_Dirty: %ld", &n) == 1)
			sum += n;
	if (f)
		fclose(f);
	return sum;
}

static void bare(unsigned ncall, pid_t *ret_socket, pid_t *ret_futex)
{
	ag_sqlite_shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
	                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	way socket = { "bare round trip, socketpair", over_socket, NULL, echo_socket(), NULL };
	way futex = { "bare round trip, memory and futex", over_futex, s, echo_futex(s), NULL };

	show(&socket, ncall, ONE_CORE, 0);
	show(&futex, ncall, ONE_CORE, 0);
	show(&socket, ncall, TWO_CORES, 0);
	show(&futex, ncall, TWO_CORES, 0);
	show(&socket, ncall, FREE, 0);
	show(&futex, ncall, FREE, 0);
	*ret_socket = socket.child;
	*ret_futex = futex.child;
}

int main(int argc, char **argv)
{
	unsigned ncall = 20000;
	asked k = { .bytes = AG_BUF_INIT(1 << 20) };
	pid_t echo[2];
	double here;
	int code;

	if (ag_sqlite_child_main(argc, argv, &code))
		return code;
	if (argc > 1)
		ncall = (unsigned)strtoul(argv[1], NULL, 10);
	find_cores();
	plant();
	printf("%s, us a call\n  %-34s %-10s %7s %7s %7s %8s %8s %7s\n", SQL, "", "", "parent",
	       "child", "CPU", "time", "more CPU", "ratio");
	bare(ncall, &echo[0], &echo[1]);
	k.engine = (ag_sqlite_sql){ .opts = &opts,
		                    .path = path,
		                    .shown = AG_S("sqlite:bench"),
		                    .folder = "",
		                    .stop = &k.stop };
	set_request(&k, AG_SQLITE_ASK_RUN);
	here = show(&(way){ "SQLite in this process", ask_here, &k, 0, NULL }, ncall, ONE_CORE, 0);
	open_child(&k);
	show(&(way){ "SQLite in a child", ask_child, &k, k.child->pid, k.child }, ncall, ONE_CORE,
	     here);
	show(&(way){ "SQLite in a child", ask_child, &k, k.child->pid, k.child }, ncall, TWO_CORES,
	     here);
	show(&(way){ "SQLite in a child", ask_child, &k, k.child->pid, k.child }, ncall, FREE,
	     here);
	printf("  a child that has worked holds %ld kB of its own\n", private_kb(k.child->pid));
	ag_sqlite_child_end(k.child);
	show(&(way){ "start a child, open, end it", start_and_end, &k, 0, NULL }, ncall / 100,
	     ONE_CORE, 0);
	ag_sqlite_sql_release(&k.engine);
	close(pair[0]);
	kill(echo[1], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	ag_buf_release(&k.bytes);
	return 0;
}
