/* az -- the token of Azure's own command line, for whoever ran `az login` on this machine. */
#include "azure/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ORIGIN     "azure.az"
#define MAX_BYTES  (64 * 1024)
#define TIME_MS    20000 /* it is written in Python and asks a server */
#define SLICE_MS   50
#define FIRST_FREE 3 /* descriptor above standard error */

extern char **environ;

static int start(const char *resource, int out, pid_t *ret)
{
	static char name[] = "az", account[] = "account", get[] = "get-access-token",
		    option[] = "--resource", output[] = "--output", json[] = "json";
	char *argv[] = {
		name, account, get, option, (char *)(uintptr_t)resource, output, json, NULL
	};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int e;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&actions, FIRST_FREE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	/* A group of its own, so that its children end with it. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                        POSIX_SPAWN_SETPGROUP);
	e = posix_spawnp(ret, name, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return e;
}

static ag_status read_all(const ag_ctx *ctx, int fd, ag_buf *out, ag_err *err)
{
	const int64_t end = ag_clock_mono(&ag_clock_system) + TIME_MS;
	char piece[4096];
	ag_status st;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		st = ag_ctx_check(ctx, err);
		if (st)
			return st;
		if (ag_clock_mono(&ag_clock_system) >= end)
			return ag_fail(err, AG_TIMEOUT, ORIGIN, "`az` did not answer within %d s",
			               TIME_MS / 1000);
		if (poll(&p, 1, SLICE_MS) <= 0)
			continue;
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ag_fail_errno(err, errno, ORIGIN, "cannot read what `az` says");
		if (n == 0)
			return AG_OK;
		ag_buf_add(out, ag_str_make(piece, (size_t)n));
		if (out->failed)
			return ag_fail(err, AG_LIMIT, ORIGIN, "`az` says more than %d bytes",
			               MAX_BYTES);
	}
}

/* Its exit status; -1: it was ended. */
static int end(pid_t pid, bool is_wanted)
{
	int status = -1;

	if (!is_wanted)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

ag_status ag_azure_az_token(const ag_ctx *ctx, ag_str resource, ag_arena *arena, ag_str *ret,
                            ag_err *err)
{
	ag_buf out = AG_BUF_INIT(MAX_BYTES);
	int pipes[2], e, code;
	ag_status st;
	pid_t pid = 0;
	ag_val v;

	if (pipe2(pipes, O_CLOEXEC))
		return ag_fail_errno(err, errno, ORIGIN, "cannot start `az`");
	e = start(ag_str_cstr(arena, resource), pipes[1], &pid);
	close(pipes[1]);
	if (e) {
		close(pipes[0]);
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "`az` cannot be started: %s",
		               strerror(e));
	}
	st = read_all(ctx, pipes[0], &out, err);
	close(pipes[0]);
	code = end(pid, !st);
	if (!st && code == 127) /* as some systems report a program that is not there */
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "`az` cannot be started");
	else if (!st && code)
		st = ag_fail(err, AG_DENIED, ORIGIN, "`az` gives no token (exit code %d)", code);
	if (!st)
		st = ag_azure_read_json(ag_buf_dup(arena, &out), "what `az` says", arena, &v, err);
	if (!st)
		*ret = ag_val_member_str(&v, "accessToken");
	if (!st && !ret->len)
		st = ag_fail(err, AG_PROTOCOL, ORIGIN, "what `az` says holds no accessToken");
	ag_buf_release(&out);
	return st;
}
