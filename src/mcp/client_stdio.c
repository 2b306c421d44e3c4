/* A server as a child process: messages are lines on its standard input and output; what it logs goes to ours. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mcp/client_parts.h"

#define ORIGIN     AG_MCP_CLIENT_ORIGIN
#define SLICE_MS   50   /* how late a cancel is seen */
#define GRACE_MS   2000 /* for a child to end by itself */
#define READ_BYTES 65536

extern char **environ;

typedef struct stdio_wire {
	ag_mcp_wire base;
	pid_t pid;
	int to, from;
	ag_buf in; /* bytes behind the last whole line */
} stdio_wire;

static void no_inherit(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Ours with theirs behind it; a name that is set twice counts as the last says in every shell, so ours is left out. */
static char **merged(char *const *more, ag_arena *arena)
{
	size_t n = 0, m = 0, k = 0;
	char **ret;

	while (environ && environ[n])
		n++;
	while (more && more[m])
		m++;
	ret = ag_new_n(arena, char *, n + m + 1);
	for (size_t i = 0; i < n; i++) {
		const char *eq = strchr(environ[i], '=');
		const size_t name = eq ? (size_t)(eq - environ[i]) + 1 : strlen(environ[i]);
		bool is_set = false;

		for (size_t j = 0; j < m; j++)
			is_set = is_set || !strncmp(environ[i], more[j], name);
		if (!is_set)
			ret[k++] = environ[i];
	}
	for (size_t j = 0; j < m; j++)
		ret[k++] = more[j];
	return ret;
}

static ag_status start(stdio_wire *w, const ag_mcp_client_opts *o, ag_err *err)
{
	ag_arena *arena = ag_arena_new();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int in[2], out[2], e;

	if (pipe2(in, O_CLOEXEC)) {
		ag_arena_free(arena);
		return ag_fail_errno(err, errno, ORIGIN, "cannot start %.*s", AG_FMT(w->base.name));
	}
	if (pipe2(out, O_CLOEXEC)) {
		e = errno;
		close(in[0]);
		close(in[1]);
		ag_arena_free(arena);
		return ag_fail_errno(err, e, ORIGIN, "cannot start %.*s", AG_FMT(w->base.name));
	}
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	/* A group of its own: Ctrl-C is for us, and we end it. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                        POSIX_SPAWN_SETPGROUP);
	e = posix_spawnp(&w->pid, o->argv[0], &actions, &attr, o->argv, merged(o->env, arena));
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	w->to = in[1];
	w->from = out[0];
	no_inherit(w->to);
	no_inherit(w->from);
	fcntl(w->to, F_SETFL, O_NONBLOCK);
	fcntl(w->from, F_SETFL, O_NONBLOCK);
	ag_arena_free(arena);
	if (!e)
		return AG_OK;
	w->pid = 0;
	ag_fail(err, AG_UNAVAILABLE, ORIGIN, "cannot start %.*s (%s): %s", AG_FMT(w->base.name),
	        o->argv[0], strerror(e));
	return ag_err_hint(err, "is the command installed, and in PATH?");
}

/* Waits until fd can be read or written; cancel and deadline are looked at meanwhile. */
static ag_status wait_for(const stdio_wire *w, const ag_ctx *ctx, int fd, short what, ag_err *err)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = what };
		const int64_t left = ctx ? ag_ctx_left_ms(ctx) : -1;
		ag_status st = ag_ctx_check(ctx, err);
		int n;

		if (st)
			return st;
		n = poll(&p, 1, left >= 0 && left < SLICE_MS ? (int)left : SLICE_MS);
		if (n > 0)
			return AG_OK;
		if (n < 0 && errno != EINTR)
			return ag_fail_errno(err, errno, ORIGIN, "%.*s", AG_FMT(w->base.name));
	}
}

static ag_status gone(const stdio_wire *w, ag_err *err)
{
	ag_fail(err, AG_UNAVAILABLE, ORIGIN, "the server %.*s ended", AG_FMT(w->base.name));
	return ag_err_hint(err, "what it said stands above, on standard error");
}

static ag_status write_line(stdio_wire *w, const ag_ctx *ctx, ag_str text, ag_err *err)
{
	ag_str parts[] = { text, AG_S("\n") };

	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		while (parts[i].len) {
			const ssize_t n = write(w->to, parts[i].ptr, parts[i].len);
			ag_status st;

			if (n >= 0) {
				parts[i].ptr += n;
				parts[i].len -= (size_t)n;
				continue;
			}
			if (errno == EINTR)
				continue;
			if (errno != EAGAIN)
				return gone(w, err);
			st = wait_for(w, ctx, w->to, POLLOUT, err);
			if (st)
				return st;
		}
	}
	return AG_OK;
}

/* The next line, in arena. */
static ag_status read_line(stdio_wire *w, const ag_ctx *ctx, ag_arena *arena, ag_str *ret,
                           ag_err *err)
{
	size_t seen = 0;

	for (;;) {
		const char *end = w->in.len > seen
		                          ? memchr(w->in.ptr + seen, '\n', w->in.len - seen)
		                          : NULL;
		char *room;
		ssize_t n;
		ag_status st;

		if (end) {
			const size_t len = (size_t)(end - w->in.ptr);

			*ret = ag_str_trim(ag_str_dup(arena, ag_str_make(w->in.ptr, len)));
			memmove(w->in.ptr, end + 1, w->in.len - len - 1);
			w->in.len -= len + 1;
			return AG_OK;
		}
		seen = w->in.len;
		room = ag_buf_room(&w->in, READ_BYTES);
		if (!room)
			return ag_fail(err, AG_LIMIT, ORIGIN,
			               "a message of %.*s is longer than %u MiB",
			               AG_FMT(w->base.name), AG_RPC_MAX_MESSAGE >> 20);
		n = read(w->from, room, READ_BYTES);
		if (n > 0) {
			w->in.len += (size_t)n;
			continue;
		}
		if (n == 0)
			return gone(w, err);
		if (errno != EAGAIN && errno != EINTR)
			return ag_fail_errno(err, errno, ORIGIN, "%.*s", AG_FMT(w->base.name));
		st = wait_for(w, ctx, w->from, POLLIN, err);
		if (st)
			return st;
	}
}

static ag_status exchange(ag_mcp_wire *base, const ag_ctx *ctx, ag_str message, ag_str id,
                          ag_arena *arena, ag_str *ret, ag_err *err)
{
	stdio_wire *w = (stdio_wire *)base;
	ag_status st = write_line(w, ctx, message, err);

	while (!st && id.len) {
		ag_str reply = AG_S("");

		st = read_line(w, ctx, arena, ret, err);
		if (!st && ag_mcp_client_meanwhile(*ret, id, arena, &reply))
			return AG_OK;
		if (!st && reply.len)
			st = write_line(w, ctx, reply, err);
	}
	return st;
}

/* Its input ends; then it is asked to end, then made to. */
static void close_wire(ag_mcp_wire *base)
{
	stdio_wire *w = (stdio_wire *)base;
	const struct timespec slice = { .tv_nsec = 10000000 };
	int waited = 0;

	if (w->to >= 0)
		close(w->to);
	if (w->from >= 0)
		close(w->from);
	while (w->pid > 0 && waitpid(w->pid, NULL, WNOHANG) == 0) {
		if (waited == GRACE_MS / 2)
			kill(-w->pid, SIGTERM);
		if (waited >= GRACE_MS) {
			kill(-w->pid, SIGKILL);
			while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
				continue;
			break;
		}
		nanosleep(&slice, NULL);
		waited += 10;
	}
	ag_buf_release(&w->in);
	free(w);
}

ag_status ag_mcp_wire_stdio(const ag_mcp_client_opts *o, ag_mcp_wire **ret, ag_err *err)
{
	static const ag_mcp_wire_type type = { .exchange = exchange, .close = close_wire };
	stdio_wire *w = ag_xcalloc(1, sizeof(*w));
	ag_status st;

	w->base = (ag_mcp_wire){ .type = &type, .name = o->name };
	w->to = w->from = -1;
	ag_buf_init(&w->in, AG_RPC_MAX_MESSAGE + READ_BYTES);
	st = start(w, o, err);
	if (st) {
		close_wire(&w->base);
		return st;
	}
	*ret = &w->base;
	return AG_OK;
}
