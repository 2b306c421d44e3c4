/* print -- see the header. Read ag_browser_print(); become_less() shows what the child gives up before it runs the browser. */
#include "browser/print.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

#define ORIGIN   "browser.print"
#define NOBODY   65534
#define SLICE_MS 20
#define MAX_FILE (256u << 20) /* of what the browser writes */
#define MAX_PATH 512

static atomic_uint nprinting;

/* --- which program --- */

static bool find_in(const char *path, const char *name, char *ret, size_t size)
{
	while (path && *path) {
		const char *end = strchr(path, ':');
		const int n = end ? (int)(end - path) : (int)strlen(path);

		if (n && path[0] == '/' &&
		    (size_t)snprintf(ret, size, "%.*s/%s", n, path, name) < size &&
		    access(ret, X_OK) == 0)
			return true;
		path = end ? end + 1 : NULL;
	}
	return false;
}

static bool find_browser(char *ret, size_t size)
{
	static const char *const names[] = { "chromium", "chromium-browser", "google-chrome-stable",
		                             "google-chrome" };
	const char *path = getenv("PATH");

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (find_in(path, names[i], ret, size))
			return true;
	return false;
}

static ag_status need_browser(char *ret, size_t size, ag_err *err)
{
	if (find_browser(ret, size))
		return AG_OK;
	ag_fail(err, AG_UNAVAILABLE, ORIGIN, "a PDF needs Chromium, which is not installed");
	return ag_err_hint(err, "install the package chromium, or export as html");
}

ag_status ag_browser_check(ag_err *err)
{
	char program[MAX_PATH];

	return need_browser(program, sizeof(program), err);
}

/* --- its folder --- */

typedef struct folder {
	char path[MAX_PATH], page[MAX_PATH], pdf[MAX_PATH], said[MAX_PATH];
} folder;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

static void remove_folder(const folder *f)
{
	nftw(f->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static ag_status write_page(const folder *f, ag_str html, ag_err *err)
{
	const int fd = open(f->page, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t at = 0;

	while (fd >= 0 && at < html.len) {
		const ssize_t n = write(fd, html.ptr + at, html.len - at);

		if (n <= 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || at < html.len) {
		ag_fail_errno(err, errno, ORIGIN, "cannot write %s", f->page);
		if (fd >= 0)
			close(fd);
		return AG_IO;
	}
	if (geteuid() == 0 && (chown(f->path, NOBODY, NOBODY) || fchown(fd, NOBODY, NOBODY))) {
		close(fd);
		return ag_fail_errno(err, errno, ORIGIN, "cannot give %s away", f->path);
	}
	close(fd);
	return AG_OK;
}

/* May every user pass through the folder and those above it? */
static bool is_open_to_all(const char *path)
{
	char part[MAX_PATH];
	struct stat st;

	for (size_t n = 1; n < sizeof(part); n++) {
		if (path[n] != '/' && path[n] != '\0')
			continue;
		memcpy(part, path, n);
		part[n] = '\0';
		if (stat(part, &st) || !(st.st_mode & S_IXOTH))
			return false;
		if (path[n] == '\0')
			return true;
	}
	return false;
}

/* Another user must reach the folder when this one is root: a TMPDIR of root alone gives way to /tmp. */
static const char *parent_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || tmp[0] != '/' || (geteuid() == 0 && !is_open_to_all(tmp)))
		return "/tmp";
	return tmp;
}

static ag_status make_folder(folder *f, ag_str html, ag_err *err)
{
	const char *const parent = parent_folder();
	ag_status st;

	if ((size_t)snprintf(f->path, sizeof(f->path), "%s/argus-print-XXXXXX", parent) >
	    sizeof(f->path) - 32)
		return ag_fail(err, AG_IO, ORIGIN, "TMPDIR is too long");
	if (!mkdtemp(f->path))
		return ag_fail_errno(err, errno, ORIGIN, "cannot make a folder in %s", parent);
	snprintf(f->page, sizeof(f->page), "%.480s/page.html", f->path);
	snprintf(f->pdf, sizeof(f->pdf), "%.480s/page.pdf", f->path);
	snprintf(f->said, sizeof(f->said), "%.480s/said", f->path);
	st = write_page(f, html, err);
	if (st)
		remove_folder(f);
	return st;
}

/* --- the child --- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0
_Static_assert(ARCH, "name the processor's calls for seccomp");
#endif
#define LOAD(what)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define GIVE(what)         BPF_STMT(BPF_RET | BPF_K, (what))

/* No socket but AF_UNIX, and no io_uring, which could make one. Inherited by all that the browser starts. Calls of the 32-bit kinds have
 * other numbers: they end the process. */
static struct sock_filter no_network[] = {
	LOAD(arch),
	IS(ARCH, 1, 0),
	GIVE(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
	GIVE(SECCOMP_RET_KILL_PROCESS),
	IS(SYS_socket, 3, 0),
	IS(SYS_io_uring_setup, 0, 1),
	GIVE(SECCOMP_RET_ERRNO | ENOSYS),
	GIVE(SECCOMP_RET_ALLOW),
	LOAD(args[0]),
	IS(AF_UNIX, 0, 1),
	GIVE(SECCOMP_RET_ALLOW),
	GIVE(SECCOMP_RET_ERRNO | EACCES),
};

static const struct sock_fprog filter = { .len = AG_NELEM(no_network), .filter = no_network };

static bool limit(int what, rlim_t most)
{
	const struct rlimit l = { most, most };

	return setrlimit(what, &l) == 0;
}

/* Ends a child that did not become the browser. */
static _Noreturn void leave(int code)
{
	_exit(code); /* lint: allow: of the child, between fork and exec */
}

/* Between fork and exec in a process with threads: system calls alone. False: errno says what failed. */
static bool become_less(int said)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	if (dup2(open("/dev/null", O_RDWR), 0) < 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0)
		return false;
	syscall(SYS_close_range, 3u, ~0u, 0u);
	if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, MAX_FILE))
		return false;
	if (geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		return false;
	/* Last of these: another user forgets what was asked for before. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

/* The browser's own walls between its processes need name spaces of a user, which containers often do not give. */
static bool may_have_walls(void)
{
	const pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		if (geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
			leave(1);
		leave(unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET) ? 1 : 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static pid_t start(const char *program, const folder *f, ag_err *err)
{
	char to[MAX_PATH + 32], from[MAX_PATH + 32], profile[MAX_PATH + 32], home[MAX_PATH + 32],
		tmp[MAX_PATH + 32];
	const char *const wall = may_have_walls() ? "--disable-gpu" : "--no-sandbox";
	const char *const argv[] = {
		program, "--headless", "--disable-gpu", wall, "--no-first-run",
		"--disable-extensions", "--disable-sync", "--disable-background-networking",
		"--disable-component-update", "--disable-breakpad", "--disable-dev-shm-usage",
		"--no-pdf-header-footer",
		/* One process for all frames, because virtual time counts the work of one:
		                      * else it is over before a frame inside has drawn. */
		"--disable-features=IsolateSandboxedIframes", "--disable-site-isolation-trials",
		"--virtual-time-budget=20000", profile, to, from, NULL
	};
	const char *const env[] = { "PATH=/usr/bin:/bin", "LANG=C.UTF-8", home, tmp, NULL };
	const int said = open(f->said, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	pid_t pid;

	snprintf(profile, sizeof(profile), "--user-data-dir=%s/profile", f->path);
	snprintf(to, sizeof(to), "--print-to-pdf=%s", f->pdf);
	snprintf(from, sizeof(from), "file://%s", f->page);
	snprintf(home, sizeof(home), "HOME=%s", f->path);
	snprintf(tmp, sizeof(tmp), "TMPDIR=%s", f->path);
	pid = said < 0 ? -1 : fork();
	if (pid == 0) {
		if (become_less(said))
			execve(program, (char *const *)(uintptr_t)argv,
			       (char *const *)(uintptr_t)env);
		leave(127);
	}
	if (pid < 0)
		ag_fail_errno(err, errno, ORIGIN, "cannot start %s", program);
	if (said >= 0)
		close(said);
	return pid;
}

/* Waits until the browser ended, or ends it with all that it started. */
static ag_status wait_for(pid_t pid, const ag_ctx *ctx, int *ret_status, ag_err *err)
{
	ag_ctx own = *ctx;
	const int64_t until = ag_clock_mono(own.clock) + AG_BROWSER_PRINT_MS;
	const struct timespec slice = { 0, SLICE_MS * 1000000 };
	ag_status st = AG_OK;
	pid_t got = 0;

	if (!own.deadline_ms || until < own.deadline_ms)
		own.deadline_ms = until;
	while (!st && !(got = waitpid(pid, ret_status, WNOHANG))) {
		st = ag_ctx_check(&own, err);
		if (!st)
			nanosleep(&slice, NULL);
	}
	kill(-pid, SIGKILL); /* also what an ended browser left */
	while (!got && waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	return st;
}

/* --- the PDF --- */

static ag_status no_pdf(const folder *f, int status, ag_err *err)
{
	char text[400] = "";
	FILE *in = fopen(f->said, "re");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (in)
		fclose(in);
	text[n] = '\0';
	ag_log(AG_LOG_WARN, "print_failed", "status %d: %s", status, text);
	ag_fail(err, AG_UNAVAILABLE, ORIGIN, "Chromium did not print the document");
	return ag_err_hint(err, "the log of Argus has what it said (print_failed)");
}

static ag_status read_pdf(const folder *f, int status, ag_buf *ret, ag_err *err)
{
	FILE *in = fopen(f->pdf, "re");
	const size_t before = ret->len;
	char part[65536];
	size_t n;

	if (!in)
		return no_pdf(f, status, err);
	while ((n = fread(part, 1, sizeof(part), in)) > 0 && !ret->failed &&
	       ret->len - before <= AG_BROWSER_MAX_PDF)
		ag_buf_add(ret, ag_str_make(part, n));
	fclose(in);
	if (ret->failed || ret->len - before > AG_BROWSER_MAX_PDF)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the PDF is larger than %u MiB",
		               AG_BROWSER_MAX_PDF >> 20);
	if (ret->len - before < 5 || memcmp(ret->ptr + before, "%PDF-", 5) != 0)
		return no_pdf(f, status, err);
	return AG_OK;
}

static ag_status print(const char *program, const ag_ctx *ctx, ag_str html, ag_buf *ret,
                       ag_err *err)
{
	folder f = { 0 };
	int status = 0;
	pid_t pid;
	ag_status st = make_folder(&f, html, err);

	if (st)
		return st;
	pid = start(program, &f, err);
	st = pid < 0 ? AG_UNAVAILABLE : wait_for(pid, ctx, &status, err);
	if (!st)
		st = read_pdf(&f, status, ret, err);
	remove_folder(&f);
	return st;
}

ag_status ag_browser_print(const ag_ctx *ctx, ag_str html, ag_buf *ret, ag_err *err)
{
	char program[MAX_PATH];
	ag_status st = need_browser(program, sizeof(program), err);

	if (st)
		return st;
	if (atomic_fetch_add(&nprinting, 1) >= AG_BROWSER_MAX_AT_ONCE)
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		             "other documents are being printed: try again in a moment");
	else
		st = print(program, ctx, html, ret, err);
	atomic_fetch_sub(&nprinting, 1);
	return st;
}
