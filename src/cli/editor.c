/* editor -- see the header. */
#include "cli/editor.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/file.h"

#define ORIGIN     "cli.editor"
#define FILE_BYTES (1u << 20)

extern char **environ;

static const char *command(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	return visual && visual[0] ? visual : editor && editor[0] ? editor : "vi";
}

/* A variable holds a command line ("code --wait"), as git and others take it. */
static ag_status run_editor(const char *path, ag_err *err)
{
	char *const argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
		               (char *)(uintptr_t) "exec $ARGUS_EDITOR_COMMAND \"$0\"",
		               (char *)(uintptr_t)path, NULL };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was;
	int status = 0, rc;
	pid_t pid;

	if (setenv("ARGUS_EDITOR_COMMAND", command(), 1))
		return ag_fail_errno(err, errno, ORIGIN, "cannot set the editor");
	rc = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
	unsetenv("ARGUS_EDITOR_COMMAND");
	if (rc)
		return ag_fail_errno(err, rc, ORIGIN, "cannot run the editor \"%.100s\"",
		                     command());
	/* Ctrl-C belongs to the editor. */
	sigaction(SIGINT, &ignore, &was);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &was, NULL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "the editor \"%.100s\" failed; nothing was changed",
	        command());
	return ag_err_hint(err, "set EDITOR, or use --file");
}

ag_status ag_editor_open(ag_cli *c, ag_str text, const char *name, ag_str *ret_path, ag_str *ret,
                         ag_err *err)
{
	const char *folder = getenv("TMPDIR");
	const size_t nsuffix = strlen(name) + 1;
	char *path = ag_str_cstr(c->app.arena,
	                         ag_str_printf(c->app.arena, "%s/argus-XXXXXX-%s",
	                                       folder && folder[0] ? folder : "/tmp", name));
	const int fd = mkstemps(path, (int)nsuffix);
	ag_status st = AG_OK;
	int rc;

	if (fd < 0)
		return ag_fail_errno(err, errno, ORIGIN, "cannot make a file in %s",
		                     folder && folder[0] ? folder : "/tmp");
	*ret_path = ag_str_c(path);
	rc = ag_fd_write(fd, text);
	close(fd);
	if (rc)
		st = ag_fail_errno(err, rc, ORIGIN, "cannot write %s", path);
	if (!st)
		st = run_editor(path, err);
	if (!st)
		st = ag_file_read(*ret_path, FILE_BYTES, false, c->app.ctx.cancel, c->app.arena,
		                  ret, err);
	return st;
}

void ag_editor_close(ag_str path)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	if (path.len)
		unlink(ag_str_cstr(arena, path));
}
