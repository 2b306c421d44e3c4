/* Files: read whole, or replaced whole.
 *
 * A replaced file is written under a name of its own in the same folder, synced, renamed: rename is atomic
 * only within a file system. A link is followed first, so that what it points to is replaced and not the link.
 * Only a regular file or a new name is replaced; everything else is written into. */
#include "app/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"

#define ORIGIN "app.file"

static ag_status check_kind(int fd, ag_str path, bool allow_pipe, ag_err *err)
{
	struct stat st;

	if (ag_fault("file.stat") || fstat(fd, &st))
		return ag_fail_errno(err, errno, ORIGIN, "cannot read %.*s", AG_FMT(path));
	if (S_ISDIR(st.st_mode))
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s is a folder, not a file",
		               AG_FMT(path));
	if (!S_ISREG(st.st_mode) && !allow_pipe)
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s is not a plain file", AG_FMT(path));
	return AG_OK;
}

static ag_status read_all(int fd, ag_str path, const atomic_bool *cancel, ag_buf *buf, ag_err *err)
{
	size_t limit = buf->limit;

	buf->limit = limit + 1; /* one byte more separates "too large" from "just fits" */
	for (;;) {
		size_t want = buf->limit - buf->len < 65536 ? buf->limit - buf->len : 65536;
		char *to = want ? ag_buf_room(buf, want) : NULL;
		ssize_t n;

		if (!to)
			return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s is larger than %zu MB",
			               AG_FMT(path), limit / 1000000 ? limit / 1000000 : 1);
		n = ag_fault("file.read") ? -1 : read(fd, to, want);
		if (n < 0 && errno == EINTR && !(cancel && atomic_load(cancel)))
			continue;
		if (n < 0 && errno == EINTR)
			return ag_fail(err, AG_CANCELLED, ORIGIN, "cancelled while reading %.*s",
			               AG_FMT(path));
		if (n < 0)
			return ag_fail_errno(err, errno, ORIGIN, "cannot read %.*s", AG_FMT(path));
		buf->ptr[buf->len + (size_t)n] = '\0';
		if (n == 0)
			return AG_OK;
		buf->len += (size_t)n;
	}
}

ag_status ag_file_read(ag_str path, size_t limit, bool allow_pipe, const atomic_bool *cancel,
                       ag_arena *arena, ag_str *ret, ag_err *err)
{
	bool is_stdin = ag_str_eqc(path, "-");
	ag_str name = is_stdin ? AG_S("standard input") : path;
	ag_buf buf = AG_BUF_INIT(limit);
	ag_status st;
	int fd;

	/* O_NONBLOCK: a FIFO in the place of a settings file may not stop the program. */
	fd = is_stdin ? STDIN_FILENO
	     : ag_fault("file.open")
	             ? -1
	             : open(ag_str_cstr(arena, path),
	                    O_RDONLY | O_CLOEXEC | O_NOCTTY | (allow_pipe ? 0 : O_NONBLOCK));
	if (fd < 0)
		return ag_fail_errno(err, errno, ORIGIN, "cannot read %.*s", AG_FMT(name));
	st = check_kind(fd, name, is_stdin || allow_pipe, err);
	if (!st)
		st = read_all(fd, name, cancel, &buf, err);
	if (!st)
		*ret = ag_buf_dup(arena, &buf);
	ag_buf_release(&buf);
	if (!is_stdin)
		close(fd);
	return st;
}

int ag_fd_write(int fd, ag_str text)
{
	while (text.len) {
		ssize_t n = write(fd, text.ptr, text.len);

		/* Another process that shares the pipe may have made it nonblocking. */
		if (n < 0 && errno == EAGAIN && poll(&(struct pollfd){ fd, POLLOUT, 0 }, 1, -1) > 0)
			continue;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		text.ptr += n;
		text.len -= (size_t)n;
	}
	return 0;
}

/* --- replacing --- */

typedef enum target_kind {
	REPLACED, /* a regular file, or a new name: written beside, then renamed */
	OPENED,   /* a pipe, a terminal, a device: opened and written */
	INHERITED /* a descriptor of this process under a name such as /dev/stdout */
} target_kind;

typedef struct target {
	target_kind kind;
	char path[PATH_MAX]; /* REPLACED: links resolved */
	size_t nfolder;      /* REPLACED: bytes of the folder, with its '/' */
	bool exists;
	mode_t mode;
	int fd; /* INHERITED */
} target;

/* The descriptor that a name such as /dev/stdout stands for, or -1. Its link in /proc must not be followed:
 * behind it may be a pipe, whose name leads nowhere, or a file that the shell holds open. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/",
		                               "/proc/thread-self/fd/" };
	char own[32];

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	snprintf(own, sizeof(own), "/proc/%ld/fd/", (long)getpid());
	for (size_t i = 0; i <= AG_NELEM(folders); i++) {
		const char *folder = i < AG_NELEM(folders) ? folders[i] : own;
		const size_t n = strlen(folder);
		uint64_t fd;

		if (!strncmp(path, folder, n) && ag_str_to_u64(ag_str_c(path + n), &fd) &&
		    fd < INT_MAX)
			return (int)fd;
	}
	return -1;
}

/* Follow links by hand to a name that is not taken yet: realpath() refuses those. */
static bool follow_dangling(char path[PATH_MAX])
{
	for (int hops = 0; hops < 40; hops++) {
		char to[PATH_MAX];
		const ssize_t n = readlink(path, to, sizeof(to) - 1);
		const char *slash = strrchr(path, '/');
		const size_t nfolder = slash ? (size_t)(slash - path) + 1 : 0;

		if (n < 0)
			return true;
		to[n] = '\0';
		if (to[0] == '/') {
			memcpy(path, to, (size_t)n + 1);
		} else {
			if (nfolder + (size_t)n >= PATH_MAX)
				return false;
			memcpy(path + nfolder, to, (size_t)n + 1);
		}
	}
	return false;
}

/* Is it a name in /proc/PID/fd of another process? The file behind it is not ours to replace. */
static bool is_foreign_descriptor(const char *path)
{
	const char *at = strncmp(path, "/proc/", 6) ? NULL : strstr(path, "/fd/");

	return at && !strchr(at + 4, '/');
}

static ag_status fail_folder(ag_str path, ag_err *err)
{
	return ag_fail(err, AG_INVALID, ORIGIN, "%.*s is a folder, not a file", AG_FMT(path));
}

static ag_status find_target(ag_str path, target *ret, ag_err *err)
{
	const char *slash;
	struct stat st;

	if (!path.len || path.len >= sizeof(ret->path) - 32 || memchr(path.ptr, '\0', path.len))
		return ag_fail(err, AG_INVALID, ORIGIN, "this is no name for a file");
	*ret = (target){ .mode = 0666 };
	memcpy(ret->path, path.ptr, path.len);
	ret->path[path.len] = '\0';
	ret->fd = descriptor_of(ret->path);
	if (ret->fd >= 0) {
		ret->kind = INHERITED;
		return AG_OK;
	}
	if (!stat(ret->path, &st)) {
		char given[PATH_MAX];

		if (S_ISDIR(st.st_mode))
			return fail_folder(path, err);
		ret->exists = true;
		ret->mode = st.st_mode & 0777;
		memcpy(given, ret->path, path.len + 1);
		if (!S_ISREG(st.st_mode) || is_foreign_descriptor(given)) {
			ret->kind = OPENED;
			return AG_OK;
		}
		if (!realpath(given, ret->path))
			return ag_fail_errno(err, errno, ORIGIN, "%.*s", AG_FMT(path));
	} else if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
		return ag_fail_errno(err, errno, ORIGIN, "%.*s", AG_FMT(path));
	} else if (!follow_dangling(ret->path)) {
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: its links lead nowhere",
		               AG_FMT(path));
	}
	slash = strrchr(ret->path, '/');
	ret->nfolder = slash ? (size_t)(slash - ret->path) + 1 : 0;
	return ret->path[ret->nfolder] ? AG_OK : fail_folder(path, err);
}

static void folder_of(const target *t, char out[PATH_MAX])
{
	memcpy(out, t->nfolder ? t->path : "./", t->nfolder ? t->nfolder : 2);
	out[t->nfolder ? t->nfolder : 2] = '\0';
}

ag_status ag_file_can_replace(ag_str path, ag_err *err)
{
	char folder[PATH_MAX];
	target t;
	ag_status st = find_target(path, &t, err);

	if (st || t.kind == OPENED)
		return st;
	if (t.kind == INHERITED) {
		const int flags = fcntl(t.fd, F_GETFL);

		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			return AG_OK;
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s is not open for writing",
		               AG_FMT(path));
	}
	folder_of(&t, folder);
	if (access(folder, W_OK | X_OK))
		return ag_fail_errno(err, errno, ORIGIN, "cannot write in the folder %s", folder);
	return AG_OK;
}

static ag_status failed(ag_str path, int errnum, ag_err *err)
{
	ag_fail_errno(err, errnum, ORIGIN, "cannot write %.*s", AG_FMT(path));
	if (errnum == ENOSPC || errnum == EDQUOT)
		return ag_err_hint(err, "make room on the disk, or choose another place");
	return err ? err->status : AG_IO;
}

/* A fault comes after half of the text: that half must not be seen. */
static int write_text(int fd, ag_str text)
{
	bool fails = ag_fault("file.write");
	int e = ag_fd_write(fd, fails ? ag_str_make(text.ptr, text.len / 2) : text);

	return !e && fails ? EIO : e;
}

/* A foreign descriptor may lead to a regular file: its text stays, ours is added. */
static ag_status write_into(const target *t, ag_str path, ag_str text, ag_err *err)
{
	int fd, e;

	if (ag_fault("file.open"))
		fd = -1;
	else if (t->kind == INHERITED)
		fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
	else
		fd = open(t->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return failed(path, errno, err);
	e = write_text(fd, text);
	if (close(fd) && !e)
		e = errno;
	return e ? failed(path, e, err) : AG_OK;
}

/* Returns errno of the step that failed, 0 when the file is in its place. */
static int write_beside(const target *t, ag_str text)
{
	char tmp[PATH_MAX + 32];
	mode_t mask = umask(0);
	int fd, e;

	umask(mask);
	memcpy(tmp, t->path, t->nfolder);
	snprintf(tmp + t->nfolder, sizeof(tmp) - t->nfolder,
	         ".argus-XXXXXX"); /* lint: allow, mkstemp */
	fd = ag_fault("file.open") ? -1 : mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return errno;
	e = write_text(fd, text);
	if (!e && fchmod(fd, t->exists ? t->mode : t->mode & ~mask))
		e = errno;
	if (!e && (ag_fault("file.sync") || fsync(fd)))
		e = errno;
	if (close(fd) && !e)
		e = errno;
	if (!e && (ag_fault("file.rename") || rename(tmp, t->path)))
		e = errno;
	if (e)
		unlink(tmp);
	return e;
}

ag_status ag_file_replace(ag_str path, ag_str text, ag_err *err)
{
	target t;
	ag_status st = find_target(path, &t, err);
	int e;

	if (st)
		return st;
	if (t.kind != REPLACED)
		return write_into(&t, path, text, err);
	e = write_beside(&t, text);
	return e ? failed(path, e, err) : AG_OK;
}

ag_status ag_file_make_folder(ag_str path, ag_arena *arena, ag_err *err)
{
	char *text = ag_str_cstr(arena, path);

	for (char *at = strchr(text + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(text, 0700) && errno != EEXIST)
			return ag_fail_errno(err, errno, ORIGIN, "cannot make the folder %s", text);
		*at = '/';
	}
	if (mkdir(text, 0700) && errno != EEXIST)
		return ag_fail_errno(err, errno, ORIGIN, "cannot make the folder %s", text);
	return AG_OK;
}
