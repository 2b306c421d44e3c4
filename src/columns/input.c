/* input -- files at their edge: opening, reading at offsets, and noticing that one changed. */
#include "columns/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static ag_status check_kind(const char *path, const struct stat *st, ag_err *err)
{
	const char *kind = S_ISDIR(st->st_mode)    ? "a directory"
	                   : S_ISFIFO(st->st_mode) ? "a pipe"
	                   : S_ISSOCK(st->st_mode) ? "a socket"
	                                           : "a device";

	if (S_ISREG(st->st_mode))
		return AG_OK;
	ag_fail(err, AG_INVALID, "columns.input", "%s is %s, not a file", path, kind);
	return ag_err_hint(err, "write the data to a file first and name that, or send it to "
	                        "standard input and name -");
}

/* --- standard input --- */

#define POLL_MS 100 /* how late a deadline or Ctrl-C may be seen while nothing comes */

static ag_status open_spool(int *ret, ag_err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = ag_fault("input.spool") ? -1 : open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s/argus-stdin-XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	*ret = fd;
	if (fd >= 0)
		return AG_OK;
	ag_fail_errno(err, errno, "columns.input", "cannot keep standard input in %s", dir);
	return ag_err_hint(err, "name another folder in TMPDIR, or write the data to a file");
}

static ag_status keep_piece(int fd, const char *p, size_t n, ag_err *err)
{
	while (n) {
		const ssize_t w = ag_fault("input.spool") ? -1 : write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0) {
			ag_fail_errno(err, errno, "columns.input", "cannot keep standard input");
			return ag_err_hint(err, "name a folder with more room in TMPDIR, or write "
			                        "the data to a file");
		}
		p += w;
		n -= (size_t)w;
	}
	return AG_OK;
}

static ag_status spool(const ag_ctx *ctx, int fd, ag_err *err)
{
	const size_t cap = 1u << 20;
	char *buf = (char *)ag_xmalloc(cap);
	ag_status st = AG_OK;

	ag_ctx_phase(ctx, "reading standard input", "bytes", 0);
	while (!st) {
		struct pollfd p = { STDIN_FILENO, POLLIN, 0 };
		ssize_t n;

		st = ag_ctx_check(ctx, err);
		if (st || poll(&p, 1, POLL_MS) <= 0)
			continue;
		n = ag_fault("input.read") ? -1 : read(STDIN_FILENO, buf, cap);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			st = ag_fail_errno(err, errno, "columns.input",
			                   "cannot read standard input");
		if (n <= 0)
			break;
		st = keep_piece(fd, buf, (size_t)n, err);
		ag_ctx_advance(ctx, (uint64_t)n, 0);
	}
	free(buf);
	return st;
}

static ag_status open_stdin(const ag_ctx *ctx, ag_input *ret, ag_err *err)
{
	ag_status status = AG_OK;
	struct stat st;
	int fd = -1;

	if (fstat(STDIN_FILENO, &st) != 0)
		return ag_fail_errno(err, errno, "columns.input", "cannot read standard input");
	if (isatty(STDIN_FILENO)) {
		ag_fail(err, AG_INVALID, "columns.input", "standard input is a terminal");
		return ag_err_hint(err, "send data into it: command | argus audit -");
	}
	if (S_ISREG(st.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		status = open_spool(&fd, err);
		if (!status)
			status = spool(ctx, fd, err);
		if (!status && fstat(fd, &st) != 0)
			status = ag_fail_errno(err, errno, "columns.input",
			                       "cannot read standard input");
	}
	if (status) {
		if (fd >= 0)
			close(fd);
		return status;
	}
	*ret = (ag_input){ .fd = fd,
		           .path = "standard input",
		           .size = (uint64_t)st.st_size,
		           .mtime_ns = mtime_of(&st),
		           .is_stdin = true };
	return AG_OK;
}

ag_status ag_input_open(const ag_ctx *ctx, const char *path, ag_input *ret, ag_err *err)
{
	struct stat st;
	ag_status status;
	int fd;

	if (strcmp(path, "-") == 0)
		return open_stdin(ctx, ret, err);
	/* Nonblocking: opening a pipe must not wait for its writer before it is refused. */
	fd = ag_fault("input.open") ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return ag_fail_errno(err, errno, "columns.input", "cannot open %s", path);
	if (ag_fault("input.stat") || fstat(fd, &st) != 0) {
		int e = errno;

		close(fd);
		return ag_fail_errno(err, e, "columns.input", "cannot look at %s", path);
	}
	status = check_kind(path, &st, err);
	if (status) {
		close(fd);
		return status;
	}
	*ret = (ag_input){
		.fd = fd, .path = path, .size = (uint64_t)st.st_size, .mtime_ns = mtime_of(&st)
	};
	return AG_OK;
}

ag_input ag_input_mem(const char *name, const char *p, size_t n)
{
	return (ag_input){ .fd = -1, .path = name, .mem = p ? p : "", .size = n };
}

void ag_input_close(ag_input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

ag_status ag_input_read(const ag_input *in, uint64_t at, char *to, size_t n, ag_err *err)
{
	size_t got = 0;

	AG_ASSERT(at <= in->size && n <= in->size - at);
	if (in->mem) {
		memcpy(to, in->mem + at, n);
		return AG_OK;
	}
	while (got < n) {
		ssize_t r = ag_fault("input.read")
		                    ? -1
		                    : pread(in->fd, to + got, n - got, (off_t)(at + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return ag_fail_errno(err, errno, "columns.input", "cannot read %s",
			                     in->path);
		if (r == 0) {
			ag_fail(err, AG_IO, "columns.input",
			        "%s changed while being read: it became shorter than %llu bytes",
			        in->path, (unsigned long long)in->size);
			return ag_err_hint(err, "try again when nobody writes to it");
		}
		got += (size_t)r;
	}
	return AG_OK;
}

ag_status ag_input_unchanged(const ag_input *in, ag_err *err)
{
	struct stat st;

	if (in->mem)
		return AG_OK;
	if (ag_fault("input.stat") || fstat(in->fd, &st) != 0)
		return ag_fail_errno(err, errno, "columns.input", "cannot look at %s", in->path);
	if (mtime_of(&st) == in->mtime_ns && (uint64_t)st.st_size == in->size)
		return AG_OK;
	ag_fail(err, AG_IO, "columns.input", "%s changed while being read", in->path);
	return ag_err_hint(err, "try again when nobody writes to it");
}
