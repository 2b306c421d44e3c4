/* Starting, asking and killing a child. The caller's own thread does it: there is no thread that watches children. */
#include "sql/sqlite_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "base/time.h"

#define ORIGIN "sql.sqlite"

/* A waiting call looks at its flags, its client and its child this often; the first time earlier, to let a longer statement
 * choose its core. Not below a tick of the kernel: a timer before the next tick costs a call 4 us more. */
#define FIRST_SLICE_MS 10
#define SLICE_MS       20
/* For a statement to end by itself once it is asked to; SQLite sees the flag within microseconds unless one function takes
 * long. */
#define GRACE_MS 200
/* Above the descriptors that the child gets: dup2 must not step on one of them. */
#define FIRST_FD 10

extern char **environ;

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- start --- */

/* A fixed size: a child that shrinks it would end its parent with SIGBUS. */
static int make_memory(ag_sqlite_shared **ret)
{
	int low = memfd_create("argus-sqlite", MFD_CLOEXEC | MFD_ALLOW_SEALING), fd = -1;
	void *at;

	if (low < 0)
		return -1;
	fd = fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
	close(low);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, sizeof(ag_sqlite_shared)) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		close(fd);
		return -1;
	}
	at = mmap(NULL, sizeof(ag_sqlite_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		close(fd);
		return -1;
	}
	*ret = at;
	(*ret)->magic = AG_SQLITE_MAGIC;
	return fd;
}

/* {reading end, writing end} */
static bool make_life(int ret[2])
{
	int low[2];

	if (pipe2(low, O_CLOEXEC))
		return false;
	ret[0] = fcntl(low[0], F_DUPFD_CLOEXEC, FIRST_FD);
	ret[1] = low[1];
	close(low[0]);
	if (ret[0] < 0)
		close(low[1]);
	return ret[0] >= 0;
}

/* Pass on only what the child needs: any other variable may hold a secret. */
static size_t environment(char **ret, size_t max)
{
	static const char *const always[] = { "TZ=", "LD_LIBRARY_PATH=" };
	static const char *const sanitized[] = { "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=",
		                                 "LSAN_OPTIONS=" };
	size_t n = 0;

	for (char **e = environ; e && *e && n + 1 < max; e++) {
		bool is_wanted = false;

		for (size_t i = 0; i < AG_NELEM(always); i++)
			is_wanted |= strncmp(*e, always[i], strlen(always[i])) == 0;
		for (size_t i = 0; ag_sandbox_is_sanitized() && i < AG_NELEM(sanitized); i++)
			is_wanted |= strncmp(*e, sanitized[i], strlen(sanitized[i])) == 0;
		if (is_wanted)
			ret[n++] = *e;
	}
	ret[n] = NULL;
	return n;
}

static int spawn(int memory, int life, pid_t *ret)
{
	/* The running program, also after its file was replaced or removed. */
	static char program[] = "/proc/self/exe";
	static char name[] = "argus", arg[] = AG_SQLITE_CHILD_ARG;
	char *argv[] = { name, arg, NULL }, *env[8];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int e;

	environment(env, AG_NELEM(env));
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, 0, 1);
	if (!ag_sandbox_is_sanitized()) /* which report there */
		posix_spawn_file_actions_adddup2(&actions, 0, 2);
	posix_spawn_file_actions_adddup2(&actions, memory, AG_SQLITE_SHARED_FD);
	posix_spawn_file_actions_adddup2(&actions, life, AG_SQLITE_LIFE_FD);
	posix_spawn_file_actions_addclosefrom_np(&actions, AG_SQLITE_LIFE_FD + 1);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	/* A group of its own: Ctrl-C is for the parent, which ends it. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                        POSIX_SPAWN_SETPGROUP);
	e = posix_spawn(ret, program, &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return e;
}

ag_status ag_sqlite_child_start(ag_sqlite_child **ret, ag_err *err)
{
	ag_sqlite_child *c = ag_xcalloc(1, sizeof(*c));
	int life[2] = { -1, -1 }, memory = make_memory(&c->shared), e = errno;

	c->life = c->core = -1;
	c->status = -1;
	c->is_reaped = true; /* until there is one */
	if (memory >= 0 && make_life(life)) {
		c->life = life[1];
		e = spawn(memory, life[0], &c->pid);
		c->is_reaped = e != 0;
		close(life[0]);
	}
	if (memory >= 0)
		close(memory);
	if (!c->is_reaped) {
		*ret = c;
		return AG_OK;
	}
	if (e == 0)
		e = errno;
	ag_sqlite_child_end(c);
	AG_IGNORE(ag_fail(err, AG_UNAVAILABLE, ORIGIN,
	                  "cannot start the process that reads the database: %s", strerror(e)),
	          "the hint says more");
	return ag_err_hint(err,
	                   "Argus starts itself through /proc/self/exe: is /proc mounted, and may "
	                   "this process start others?");
}

/* --- its end --- */

/* Has it died? */
static bool reap(ag_sqlite_child *c, int how)
{
	int status = -1;
	pid_t got;

	if (c->is_reaped)
		return true;
	do
		got = waitpid(c->pid, &status, how);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return false;
	/* ECHILD: SIGCHLD is ignored here, so the kernel keeps no status. */
	c->status = got == c->pid ? status : -1;
	c->is_reaped = true;
	return true;
}

static void kill_now(ag_sqlite_child *c)
{
	if (reap(c, WNOHANG))
		return;
	kill(c->pid, SIGKILL);
	reap(c, 0);
}

void ag_sqlite_child_end(ag_sqlite_child *c)
{
	if (!c)
		return;
	kill_now(c);
	if (c->life >= 0)
		close(c->life);
	if (c->shared)
		munmap(c->shared, sizeof(*c->shared));
	free(c);
}

/* --- one call --- */

static bool is_gone(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return fd >= 0 && poll(&p, 1, 0) > 0 &&
	       (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

static bool must_stop(ag_sqlite_watch *w, int64_t now)
{
	const ag_ctx *ctx = w->ctx;

	if (w->was_stopped)
		return true;
	if (ag_ctx_is_cancelled(ctx))
		w->why = AG_SQL_STOP_CANCELLED;
	else if (now >= w->deadline_ms)
		w->why = AG_SQL_STOP_TIMEOUT;
	else if (is_gone(w->watch_fd))
		w->why = AG_SQL_STOP_CLIENT_GONE;
	else
		return false;
	w->was_stopped = true;
	return true;
}

/* To wake a process on another core costs both some 15 us each time, on this one 2: the caller sleeps anyway. */
static void bring_near(ag_sqlite_child *c)
{
	int core = sched_getcpu();
	cpu_set_t set;

	if (core < 0 || core >= CPU_SETSIZE || core == c->core)
		return;
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(c->pid, sizeof(set), &set) == 0)
		c->core = core;
}

/* A statement that takes long may run wherever there is room. */
static void let_go(ag_sqlite_child *c)
{
	cpu_set_t set;

	if (c->core >= 0 && sched_getaffinity(0, sizeof(set), &set) == 0 &&
	    sched_setaffinity(c->pid, sizeof(set), &set) == 0)
		c->core = -1;
}

typedef struct call {
	ag_sqlite_child *child;
	ag_sqlite_watch *watch;
	int64_t kill_ms; /* 0 = nobody asked it to stop */
} call;

static void ask_to_stop(call *k, int64_t now)
{
	atomic_store(&k->child->shared->stop, AG_SQLITE_STOP);
	if (!k->kill_ms)
		k->kill_ms = now + GRACE_MS;
}

/* What the watch says, and whether the child still lives. */
static ag_sqlite_end look_round(call *k, int64_t now)
{
	ag_sqlite_child *c = k->child;
	bool is_seen = atomic_load(&c->shared->turn) != AG_SQLITE_TURN_CHILD;

	let_go(c);
	if (reap(c, WNOHANG)) {
		if (k->watch->was_stopped)
			return AG_SQLITE_STOPPED;
		return is_seen ? AG_SQLITE_CRASHED : AG_SQLITE_UNSEEN;
	}
	if (must_stop(k->watch, now))
		ask_to_stop(k, now);
	if (k->kill_ms && now >= k->kill_ms) {
		kill_now(c);
		return AG_SQLITE_STOPPED;
	}
	return AG_SQLITE_ANSWERED;
}

/* Until the turn is ours. */
static ag_sqlite_end await_turn(call *k)
{
	ag_sqlite_shared *s = k->child->shared;
	int64_t look_ms = 0, slice_ms = FIRST_SLICE_MS;

	for (;;) {
		uint32_t turn = atomic_load(&s->turn);
		int64_t now, wait_ms, till = k->kill_ms ? k->kill_ms : k->watch->deadline_ms;
		ag_sqlite_end end;

		if (turn == AG_SQLITE_TURN_PARENT)
			return AG_SQLITE_ANSWERED;
		now = now_ms();
		if (look_ms && (now >= look_ms || now >= till)) {
			end = look_round(k, now);
			if (end)
				return end;
			look_ms = 0;
			till = k->kill_ms ? k->kill_ms : k->watch->deadline_ms;
		}
		if (!look_ms) {
			look_ms = now + slice_ms;
			slice_ms = SLICE_MS;
		}
		wait_ms = (till < look_ms ? till : look_ms) - now;
		ag_sqlite_turn_wait(s, turn, wait_ms > 0 ? wait_ms : 1);
	}
}

static ag_sqlite_end send_request(call *k, ag_str request)
{
	ag_sqlite_shared *s = k->child->shared;

	for (;;) {
		size_t n = request.len < sizeof(s->bytes) ? request.len : sizeof(s->bytes);
		bool more = n < request.len;
		ag_sqlite_end end;

		memcpy(s->bytes, request.ptr, n);
		atomic_store_explicit(&s->len, (uint32_t)n, memory_order_relaxed);
		atomic_store_explicit(&s->more, more, memory_order_relaxed);
		ag_sqlite_turn_give(s, AG_SQLITE_TURN_CHILD);
		if (!more)
			return AG_SQLITE_ANSWERED;
		request = ag_str_make(request.ptr + n, request.len - n);
		end = await_turn(k);
		if (end)
			return end;
	}
}

static ag_sqlite_end receive_answer(call *k, ag_sqlite_answer *answer)
{
	ag_sqlite_shared *s = k->child->shared;

	for (;;) {
		ag_sqlite_end end = await_turn(k);
		uint32_t len = atomic_load_explicit(&s->len, memory_order_relaxed);
		bool more = atomic_load_explicit(&s->more, memory_order_relaxed);
		int64_t now;

		if (end)
			return end;
		/* feed() copies the bytes before it looks at them: the child might change them meanwhile. */
		if (len > sizeof(s->bytes) || !ag_sqlite_answer_feed(answer, s->bytes, len) ||
		    more == answer->is_ended)
			return AG_SQLITE_CONFUSED;
		if (!more)
			return AG_SQLITE_ANSWERED;
		now = now_ms();
		if (answer->wants_no_more)
			ask_to_stop(k, now);
		/* A stream of quick chunks never waits a whole slice. */
		if (now >= (k->kill_ms ? k->kill_ms : k->watch->deadline_ms)) {
			end = look_round(k, now);
			if (end)
				return end;
		}
		ag_sqlite_turn_give(s, AG_SQLITE_TURN_CHILD);
	}
}

ag_sqlite_end ag_sqlite_child_ask(ag_sqlite_child *c, ag_str request, ag_sqlite_watch *w,
                                  ag_sqlite_answer *answer)
{
	call k = { .child = c, .watch = w };
	ag_sqlite_end end;

	atomic_store(&c->shared->stop, AG_SQLITE_GO);
	bring_near(c);
	end = send_request(&k, request);
	if (!end)
		end = receive_answer(&k, answer);
	if (end == AG_SQLITE_CONFUSED)
		kill_now(c);
	return end;
}
