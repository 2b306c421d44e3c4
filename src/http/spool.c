/* A body that is too large for memory: a file without a name, mapped for the handler when it is whole.
 *
 * The pages of a mapped file belong to the kernel's cache, which drops them when memory is short. The file has no name, so nothing
 * can shorten it while it is mapped, and nothing of it is left after a crash. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "http/parts.h"

#define PIECE (256u * 1024) /* bytes that wait in memory for the next write */

static int open_nameless(ag_str folder)
{
	char path[512];
	int fd;

	if (snprintf(path, sizeof(path), "%.*s", AG_FMT(folder)) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd;
	/* Not every file system makes files without a name. */
	if (snprintf(path, sizeof(path), "%.*s/body-XXXXXX", /* lint: allow, mkstemp */
	             AG_FMT(folder)) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static bool write_all(int fd, ag_str text)
{
	while (text.len) {
		const ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text = ag_str_make(text.ptr + n, text.len - (size_t)n);
	}
	return true;
}

static bool fail(const char *doing)
{
	ag_log(AG_LOG_WARN, "spool_failed", "cannot %s a large body: %s", doing, strerror(errno));
	return false;
}

/* What is in memory goes to the file. */
static bool spill(ag_http_turn *t)
{
	if (t->spool_fd < 0)
		t->spool_fd = open_nameless(t->daemon->opts.spool_folder);
	if (t->spool_fd < 0)
		return fail("make a file for");
	if (!write_all(t->spool_fd, ag_buf_view(&t->body)))
		return fail("write");
	t->spooled += t->body.len;
	ag_buf_clear(&t->body);
	t->body.limit = t->rq.max_body - t->spooled;
	return true;
}

ag_http_spool ag_http_spool_more(ag_http_turn *t)
{
	const uint64_t n = t->body.len;

	if (!t->rq.spools || t->body.failed || n < PIECE)
		return AG_HTTP_SPOOL_OK;
	if (atomic_fetch_add(&t->daemon->nspooled, n) + n > t->daemon->opts.max_spooled) {
		atomic_fetch_sub(&t->daemon->nspooled, n);
		return AG_HTTP_SPOOL_BUSY;
	}
	t->spool_reserved += n;
	return spill(t) ? AG_HTTP_SPOOL_OK : AG_HTTP_SPOOL_FAILED;
}

bool ag_http_spool_whole(ag_http_turn *t)
{
	void *map;

	if (t->spool_fd < 0)
		return true;
	if (t->body.len && !spill(t))
		return false;
	map = mmap(NULL, (size_t)t->spooled, PROT_READ, MAP_PRIVATE, t->spool_fd, 0);
	if (map == MAP_FAILED)
		return fail("read");
	t->map = map;
	t->rq.body = ag_str_make((const char *)map, (size_t)t->spooled);
	return true;
}

void ag_http_spool_end(ag_http_turn *t)
{
	if (t->map)
		munmap(t->map, (size_t)t->spooled);
	if (t->spool_fd >= 0)
		close(t->spool_fd);
	if (t->spool_reserved)
		atomic_fetch_sub(&t->daemon->nspooled, t->spool_reserved);
	t->map = NULL;
	t->spool_fd = -1;
	t->spooled = t->spool_reserved = 0;
}
