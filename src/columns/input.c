/* input -- files at their edge: opening, reading at offsets, and noticing that one changed. */
#include "columns/input.h"

#include <errno.h>
#include <fcntl.h>
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
	return ag_err_hint(err, "write the data to a file first and name that");
}

ag_status ag_input_open(const char *path, ag_input *ret, ag_err *err)
{
	struct stat st;
	ag_status status;
	/* Nonblocking: opening a pipe must not wait for its writer before it is refused. */
	int fd = ag_fault("input.open") ? -1
	                                : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

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
