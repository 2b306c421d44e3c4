/* root_open -- a path beneath the root, opened so that nothing can lead it out while we look.
 *
 * With openat2 the kernel walks and refuses to leave (RESOLVE_BENEATH); the descriptor's own name then says what was
 * really opened. Without it walk() does the same by hand: name by name, never following a link that it has not read
 * itself, each step from a descriptor of a folder that was reached that way. ".." comes from links only, and is taken by
 * walking the names so far once more from the root, so it cannot be turned outwards by a folder that is moved meanwhile.
 *
 * All is O_PATH first: looking at a FIFO or device must not open it. What is read later is the same inode
 * (ag_root_open_for_reading).
 *
 * Order: openat2, by hand, both. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ask/root_parts.h"

#define MAX_LINKS  40 /* as the kernel's own */
#define MAX_TRIES  64 /* of a tree that changes while it is walked */
#define MAX_TARGET 4096
#define MAX_WORK   (2 * MAX_TARGET + AG_ROOT_MAX_PATH) /* a link's text and what comes behind it */

/* --- openat2 ------------------------------------------------------------------------------------- */

static int openat2_beneath(int dir, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	/* A rename or mount somewhere at the same time: the kernel gives up where ".." could be fooled. */
	for (int i = 0; i < MAX_TRIES; i++) {
		fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	if (fd < 0 && errno == EAGAIN)
		errno = ESTALE;
	return (int)fd;
}

/* The absolute name of what a descriptor stands for; len 0: it cannot be told. */
static ag_str name_of_fd(int fd, char *buf, size_t size)
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, size);
	if (n <= 0 || (size_t)n >= size || buf[0] != '/')
		return ag_str_make("", 0);
	return ag_str_make(buf, (size_t)n);
}

bool ag_root_can_openat2(int fd)
{
	char buf[MAX_WORK];
	int probe = openat2_beneath(fd, ".", O_PATH | O_DIRECTORY);
	bool has_name = probe >= 0 && name_of_fd(probe, buf, sizeof(buf)).len > 0;

	if (probe >= 0)
		close(probe);
	return has_name;
}

static bool is_beneath(ag_str name, ag_str root, ag_arena *arena, ag_str *ret)
{
	if (root.len == 1) /* "/" */
		root.len = 0;
	if (!ag_str_starts(name, root) || (name.len > root.len && name.ptr[root.len] != '/'))
		return false;
	*ret = AG_S("");
	if (name.len > root.len)
		*ret = ag_str_dup(arena,
		                  ag_str_make(name.ptr + root.len + 1, name.len - root.len - 1));
	return true;
}

/* The part of a descriptor's name beneath the root, which may have been moved since; false: it cannot be told. */
static bool real_name(const ag_root *r, int fd, ag_arena *arena, ag_str *ret)
{
	char root_buf[MAX_WORK], buf[MAX_WORK];
	ag_str name = name_of_fd(fd, buf, sizeof(buf)), root;

	if (!name.len)
		return false;
	if (is_beneath(name, r->path, arena, ret))
		return true;
	root = name_of_fd(r->fd, root_buf, sizeof(root_buf));
	return root.len && is_beneath(name, root, arena, ret);
}

/* --- by hand ------------------------------------------------------------------------------------- */

typedef struct walk {
	const ag_root *r;
	int dir;             /* where we are */
	char done[MAX_WORK]; /* its name beneath the root */
	size_t ndone;
	char todo[MAX_WORK]; /* what is left to walk */
	size_t ntodo;
	int nlink;
	bool follow;
} walk;

static void go_to(walk *w, int fd)
{
	close(w->dir);
	w->dir = fd;
}

static int add_done(walk *w, ag_str name)
{
	if (w->ndone + name.len + 2 > sizeof(w->done))
		return ENAMETOOLONG;
	if (w->ndone)
		w->done[w->ndone++] = '/';
	memcpy(w->done + w->ndone, name.ptr, name.len);
	w->ndone += name.len;
	return 0;
}

/* Text in front of what is left. */
static int put_before(walk *w, ag_str text)
{
	size_t more = text.len + (w->ntodo > 0);

	if (!text.len)
		return 0;
	if (w->ntodo + more > sizeof(w->todo))
		return ENAMETOOLONG;
	memmove(w->todo + more, w->todo, w->ntodo);
	memcpy(w->todo, text.ptr, text.len);
	if (w->ntodo)
		w->todo[text.len] = '/';
	w->ntodo += more;
	return 0;
}

static int open_name(int dir, ag_str name, int flags)
{
	char cname[256];

	if (name.len >= sizeof(cname)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(cname, name.ptr, name.len);
	cname[name.len] = '\0';
	return openat(dir, cname, flags | O_NOFOLLOW | O_CLOEXEC);
}

/* From the root once more, without the last name. */
static int go_up(walk *w)
{
	ag_str rest;
	int fd, next;

	if (!w->ndone)
		return EXDEV;
	w->ndone = ag_root_parent(ag_str_make(w->done, w->ndone)).len;
	rest = ag_str_make(w->done, w->ndone);
	fd = fcntl(w->r->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	while (rest.len) {
		next = open_name(fd, ag_str_split(&rest, '/'), O_PATH | O_DIRECTORY);
		close(fd);
		if (next < 0)
			return ESTALE; /* it was a folder a moment ago */
		fd = next;
	}
	go_to(w, fd);
	return 0;
}

static int follow_link(walk *w, int link)
{
	char target[MAX_TARGET];
	ssize_t n = readlinkat(link, "", target, sizeof(target));

	if (n <= 0)
		return n < 0 ? errno : ENOENT;
	if ((size_t)n >= sizeof(target))
		return ENAMETOOLONG;
	if (++w->nlink > MAX_LINKS)
		return ELOOP;
	if (target[0] == '/')
		return EXDEV;
	return put_before(w, ag_str_make(target, (size_t)n));
}

/* Takes the next name off what is left; false: there is none. is_last: nothing comes behind it, not even a slash. */
static bool next_name(walk *w, char name[MAX_WORK], size_t *ret_len, bool *ret_last)
{
	const char *slash = memchr(w->todo, '/', w->ntodo);
	size_t len = slash ? (size_t)(slash - w->todo) : w->ntodo;
	size_t taken = len + (slash != NULL);

	if (!w->ntodo)
		return false;
	memcpy(name, w->todo, len);
	*ret_len = len;
	*ret_last = !slash;
	memmove(w->todo, w->todo + taken, w->ntodo - taken);
	w->ntodo -= taken;
	return true;
}

/* One name. 0 and *ret_fd -1: go on; else it is the end of the way, and no folder. */
static int step(walk *w, ag_str name, bool is_last, int *ret_fd)
{
	struct stat st;
	int fd, e = 0;

	*ret_fd = -1;
	if (!name.len || ag_str_eqc(name, "."))
		return 0;
	if (ag_str_eqc(name, ".."))
		return go_up(w);
	fd = open_name(w->dir, name, O_PATH);
	if (fd < 0)
		return errno;
	if (fstat(fd, &st) != 0) {
		e = errno;
	} else if (S_ISLNK(st.st_mode)) {
		e = is_last && !w->follow ? ELOOP : follow_link(w, fd);
	} else if (S_ISDIR(st.st_mode)) {
		e = add_done(w, name);
		if (!e) {
			go_to(w, fd);
			return 0;
		}
	} else if (!is_last) {
		e = ENOTDIR;
	} else {
		e = add_done(w, name);
		if (!e) {
			*ret_fd = fd;
			return 0;
		}
	}
	close(fd);
	return e;
}

static int walk_by_hand(walk *w, ag_str path, ag_arena *arena, ag_root_fd *ret)
{
	char name[MAX_WORK];
	size_t len = 0;
	bool is_last = false;
	int e = put_before(w, path), fd = -1;

	while (!e && fd < 0 && next_name(w, name, &len, &is_last))
		e = step(w, ag_str_make(name, len), is_last, &fd);
	if (e)
		return e;
	ret->fd = fd >= 0 ? fd : fcntl(w->dir, F_DUPFD_CLOEXEC, 0);
	if (ret->fd < 0)
		return errno;
	if (fstat(ret->fd, &ret->st) != 0) {
		e = errno;
		close(ret->fd);
		return e;
	}
	ret->real = ag_str_dup(arena, ag_str_make(w->done, w->ndone));
	return 0;
}

static int open_by_hand(const ag_root *r, ag_str path, bool follow, ag_arena *arena,
                        ag_root_fd *ret)
{
	int e = ESTALE;

	for (int i = 0; e == ESTALE && i < MAX_TRIES; i++) {
		walk w;

		w.r = r;
		w.ndone = w.ntodo = 0;
		w.nlink = 0;
		w.follow = follow;
		w.dir = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
		if (w.dir < 0)
			return errno;
		e = walk_by_hand(&w, path, arena, ret);
		close(w.dir);
	}
	return e;
}

/* --- both ---------------------------------------------------------------------------------------- */

/* Removed, or another file took its name: what the descriptor is called now tells nothing. */
static bool is_removed(const struct stat *st, ag_str real)
{
	return st->st_nlink == 0 && ag_str_ends(real, AG_S(" (deleted)"));
}

/* ENOTSUP: the kernel opened it, but its name cannot be told (the root was moved, or is seen through another mount). */
static int open_by_kernel(const ag_root *r, ag_str path, bool follow, ag_arena *arena,
                          ag_root_fd *ret)
{
	int e = 0;

	ret->fd = openat2_beneath(r->fd, path.len ? ag_str_cstr(arena, path) : ".",
	                          O_PATH | (follow ? 0 : O_NOFOLLOW));
	if (ret->fd < 0)
		return errno;
	if (fstat(ret->fd, &ret->st) != 0)
		e = errno;
	else if (S_ISLNK(ret->st.st_mode))
		e = ELOOP;
	else if (!real_name(r, ret->fd, arena, &ret->real))
		e = ENOTSUP;
	else if (is_removed(&ret->st, ret->real))
		e = ENOENT;
	if (e)
		close(ret->fd);
	return e;
}

int ag_root_open_beneath(const ag_root *r, ag_str path, bool follow, ag_arena *arena,
                         ag_root_fd *ret)
{
	ag_root_fd f = { .fd = -1 };
	int e = r->by_hand ? ENOTSUP : open_by_kernel(r, path, follow, arena, &f);

	if (e == ENOTSUP)
		e = open_by_hand(r, path, follow, arena, &f);
	if (!e)
		*ret = f;
	return e;
}

static bool is_same(int fd, const struct stat *st)
{
	struct stat now;

	return fstat(fd, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

int ag_root_open_for_reading(const ag_root *r, const ag_root_fd *f)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
	                  (S_ISDIR(f->st.st_mode) ? O_DIRECTORY : 0);
	char link[40];
	ag_root_fd parent = { .fd = -1 };
	ag_arena *scratch;
	int fd = -1, e;

	if (!r->by_hand) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
		fd = open(link, flags);
	} else if (S_ISDIR(f->st.st_mode)) {
		fd = openat(f->fd, ".", flags);
	} else {
		/* Its real name has no links, so it is found again without following one. */
		scratch = ag_arena_new();
		e = open_by_hand(r, ag_root_parent(f->real), false, scratch, &parent);
		if (!e) {
			fd = open_name(parent.fd, ag_root_last_name(f->real), flags);
			e = fd < 0 && errno == ELOOP ? ESTALE : errno;
			close(parent.fd);
		}
		ag_arena_free(scratch);
		errno = e;
	}
	if (fd >= 0 && !is_same(fd, &f->st)) {
		close(fd);
		errno = ESTALE;
		return -1;
	}
	return fd;
}
