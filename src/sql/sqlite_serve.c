/* The child: limits itself, then answers one request after the other until its parent is gone.
 *
 * It has a piece of memory shared with its parent (descriptor 3), the reading end of a pipe that nobody writes to
 * (descriptor 4), and nothing else. The kernel ends it when the writing end closes, however the parent ended and whatever
 * SQLite is doing. PR_SET_PDEATHSIG would not do: it fires when the *thread* that started the child ends, and here that is
 * the thread of one call. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "sql/sqlite_sql.h"

#define EXIT_MISUSED 2

/* Address space beyond what the program has at the start: SQLite's own limit, chunks and rows on their way. */
#define MORE_MEMORY (AG_SQLITE_MAX_HEAP_BYTES + (256ll << 20))
/* Of one temporary file. */
#define MAX_FILE_BYTES (4ll << 30)
#define MAX_FILES      64
/* Recursion without end is a crash soon, not when all memory is taken. */
#define MAX_STACK_BYTES (8u << 20)
/* CPU seconds granted at once, beside what a statement may take: a child that nobody stops ends by itself. */
#define CPU_SECONDS 300

typedef struct server {
	ag_sqlite_shared *shared;
	ag_sqlite_sql sql;
	ag_sqlite_out out;
	int64_t cpu_left_ms; /* at least, until the limit must be renewed */
} server;

/* --- what it was given --- */

static ag_sqlite_shared *map_shared(void)
{
	struct stat st;
	ag_sqlite_shared *s;

	if (fstat(AG_SQLITE_SHARED_FD, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size != (off_t)sizeof(*s))
		return NULL;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, AG_SQLITE_SHARED_FD, 0);
	if (s == MAP_FAILED || s->magic != AG_SQLITE_MAGIC)
		return NULL;
	close(AG_SQLITE_SHARED_FD);
	return s;
}

/* SIGKILL when the last writing end is closed. False: it is closed already, or this is no pipe. */
static bool live_with_parent(void)
{
	struct pollfd p = { .fd = AG_SQLITE_LIFE_FD, .events = POLLIN };

	if (fcntl(p.fd, F_SETOWN, getpid()) || fcntl(p.fd, F_SETSIG, SIGKILL) ||
	    fcntl(p.fd, F_SETFL, O_ASYNC))
		return false;
	return poll(&p, 1, 0) == 0;
}

/* --- limits --- */

static void limit(int what, rlim_t most)
{
	struct rlimit r = { .rlim_cur = most, .rlim_max = most };

	AG_IGNORE(setrlimit(what, &r), "a lower limit holds already");
}

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Renewed only now and then: it costs two system calls. */
static void grant_cpu(server *s, int64_t timeout_ms)
{
	struct rlimit r;

	if (timeout_ms < 0 || timeout_ms > INT32_MAX)
		timeout_ms = INT32_MAX;
	if (s->cpu_left_ms < timeout_ms && getrlimit(RLIMIT_CPU, &r) == 0) {
		s->cpu_left_ms = CPU_SECONDS * INT64_C(1000) + timeout_ms;
		r.rlim_cur = (rlim_t)((cpu_ms() + s->cpu_left_ms) / 1000 + 2);
		if (r.rlim_cur > r.rlim_max)
			r.rlim_cur = r.rlim_max;
		AG_IGNORE(setrlimit(RLIMIT_CPU, &r), "a lower limit holds already");
	}
	s->cpu_left_ms -= timeout_ms;
}

static void limit_memory(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (f && fscanf(f, "%ld", &pages) == 1 && pages > 0 && !ag_sandbox_is_sanitized())
		limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MORE_MEMORY);
	if (f)
		fclose(f);
	sqlite3_hard_heap_limit64(AG_SQLITE_MAX_HEAP_BYTES);
	/* When the machine has no memory left the kernel shall end a child, not the server. */
	f = fopen("/proc/self/oom_score_adj", "we");
	if (f) {
		fputs("1000", f);
		fclose(f);
	}
}

static void limit_rest(void)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_STACK, MAX_STACK_BYTES);
	limit(RLIMIT_FSIZE, (rlim_t)MAX_FILE_BYTES);
	limit(RLIMIT_NOFILE, MAX_FILES);
	/* A file that is too large is an error of the write, not the end. */
	signal(SIGXFSZ, SIG_IGN);
	if (!ag_sandbox_is_sanitized())
		prctl(PR_SET_DUMPABLE, 0);
}

/* --- what will not be within reach any more --- */

static void prepare(const char *folder)
{
	char seed[16];

	tzset(); /* reads the time zone once */
	sqlite3_initialize();
	sqlite3_randomness(sizeof(seed), seed); /* opens /dev/urandom once */
	if (folder[0])
		sqlite3_temp_directory = sqlite3_mprintf("%s", folder);
}

/* The folder of the database to read, and the one for temporary files to write. */
static ag_status confine(const ag_sqlite_request *rq, ag_arena *arena, ag_sandbox_report *ret,
                         ag_err *err)
{
	const char *read[1], *write[1];
	ag_sandbox_opts o = { .read = read, .nread = 1, .write = write, .is_worker = true };
	size_t end = rq->path.len;

	while (end > 1 && rq->path.ptr[end - 1] != '/')
		end--;
	read[0] = ag_str_cstr(arena, ag_str_make(rq->path.ptr, end));
	write[0] = rq->folder.ptr;
	o.nwrite = rq->folder.len ? 1 : 0;
	return ag_sandbox_enter(&o, ret, err);
}

/* --- requests and answers --- */

static void wait_for_turn(ag_sqlite_shared *s)
{
	while (atomic_load(&s->turn) != AG_SQLITE_TURN_CHILD)
		ag_sqlite_turn_wait(s, AG_SQLITE_TURN_PARENT, -1);
	atomic_store(&s->turn, AG_SQLITE_TURN_TAKEN);
}

static bool flush(ag_sqlite_out *o, bool more)
{
	ag_sqlite_shared *s = o->to;

	atomic_store_explicit(&s->len, (uint32_t)o->len, memory_order_relaxed);
	atomic_store_explicit(&s->more, more, memory_order_relaxed);
	ag_sqlite_turn_give(s, AG_SQLITE_TURN_PARENT);
	if (more)
		wait_for_turn(s);
	return true;
}

/* False: no request of ours. */
static bool receive(ag_sqlite_shared *s, ag_buf *in, ag_arena *arena, ag_sqlite_request *ret)
{
	bool more = true;

	ag_buf_clear(in);
	while (more) {
		uint32_t len;

		wait_for_turn(s);
		len = atomic_load_explicit(&s->len, memory_order_relaxed);
		more = atomic_load_explicit(&s->more, memory_order_relaxed);
		if (len > sizeof(s->bytes))
			return false;
		ag_buf_add(in, ag_str_make(s->bytes, len));
		if (more)
			ag_sqlite_turn_give(s, AG_SQLITE_TURN_PARENT);
	}
	return !in->failed && ag_sqlite_request_read(ag_buf_view(in), arena, ret);
}

static void say_hello(server *s, const char *missing)
{
	ag_buf b = AG_BUF_INIT(1024);

	ag_sqlite_add_str(&b, ag_str_c(missing));
	ag_sqlite_out_record(&s->out, AG_SQLITE_HELLO, ag_buf_view(&b));
	ag_sqlite_out_record(&s->out, AG_SQLITE_END_OF_ANSWER, AG_S(""));
	ag_sqlite_out_end(&s->out);
	ag_buf_release(&b);
}

/* Its arena lives as long as the process. */
static bool open_database(server *s, ag_buf *in)
{
	static ag_sqlite_request rq;
	ag_sandbox_report report;
	ag_arena *arena = ag_arena_new();
	ag_err err;

	if (!receive(s->shared, in, arena, &rq) || rq.verb != AG_SQLITE_ASK_OPEN)
		return false;
	s->sql = (ag_sqlite_sql){
		.opts = &rq.opts,
		.path = rq.path.ptr,
		.shown = rq.shown,
		.folder = rq.folder.ptr,
		.stop = &s->shared->stop,
	};
	prepare(rq.folder.ptr);
	limit_memory();
	limit_rest();
	if (confine(&rq, arena, &report, &err))
		snprintf(report.missing, sizeof(report.missing), "%.190s", err.msg);
	say_hello(s, report.missing);
	return true;
}

static int serve(void)
{
	server s = { .shared = map_shared() };
	ag_buf in = AG_BUF_INIT(AG_SQLITE_MAX_REQUEST_BYTES);

	if (!s.shared || !live_with_parent())
		return EXIT_MISUSED;
	s.out = (ag_sqlite_out){
		.bytes = s.shared->bytes,
		.cap = sizeof(s.shared->bytes),
		.flush = flush,
		.to = s.shared,
	};
	if (!open_database(&s, &in))
		return EXIT_MISUSED;
	for (;;) {
		AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
		ag_sqlite_request rq;

		if (!receive(s.shared, &in, arena, &rq) || rq.verb == AG_SQLITE_ASK_OPEN)
			return EXIT_MISUSED;
		grant_cpu(&s, rq.limits.timeout_ms);
		ag_sqlite_sql_answer(&s.sql, &rq, &s.out);
		ag_sqlite_out_end(&s.out);
	}
}

bool ag_sqlite_child_main(int argc, char *const *argv, int *ret)
{
	if (argc != 2 || strcmp(argv[1], AG_SQLITE_CHILD_ARG) != 0)
		return false;
	*ret = serve();
	return true;
}
