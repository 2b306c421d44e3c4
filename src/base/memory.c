/* memory -- see the header. All files are small texts that the kernel makes at each read.
 *
 * sources  proc(5): statm, meminfo, cgroup; the kernel's Documentation/admin-guide/cgroup-v2.rst and
 *          cgroup-v1/memory.rst */
#include "base/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"

#define MOST_BYTES 16384 /* memory.stat of version 2 has about 1.5 KB, meminfo the same */

/* The text of root + path, cut at MOST_BYTES; false when it cannot be read. */
static bool read_text(const char *root, const char *path, char out[MOST_BYTES])
{
	char name[PATH_MAX];
	ssize_t n = -1;
	int fd;

	if (snprintf(name, sizeof(name), "%s%s", root, path) >= (int)sizeof(name))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, out, MOST_BYTES - 1);
		close(fd);
	}
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The number after `key` at the start of a line. */
static bool find_number(const char *text, const char *key, uint64_t *ret)
{
	const size_t n = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0) {
			*ret = strtoull(line + n, NULL, 10);
			return true;
		}
	}
	return false;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* One version of control groups. */
typedef struct group_kind {
	const char
		*line; /* of /proc/self/cgroup: what comes before its path; v1: within the line */
	const char *folder; /* where it is mounted */
	const char *limit, *usage;
	const char *file_pages[2]; /* of memory.stat: pages that can be given up */
} group_kind;

static const group_kind group_kinds[] = {
	{ "0::",
	  "/sys/fs/cgroup",
	  "memory.max",
	  "memory.current",
	  { "inactive_file ", "active_file " } },
	{ ":memory:",
	  "/sys/fs/cgroup/memory",
	  "memory.limit_in_bytes",
	  "memory.usage_in_bytes",
	  { "total_inactive_file ", "total_active_file " } },
};

/* What one group leaves; UINT64_MAX when it has no limit ("max", or a number beyond all memory). */
static uint64_t free_in_group(const char *root, const group_kind *k, const char *path)
{
	char name[PATH_MAX], text[MOST_BYTES];
	uint64_t limit, usage, pages = 0, part;

	snprintf(name, sizeof(name), "%s%s/%s", k->folder, path, k->limit);
	if (!read_text(root, name, text) || text[0] < '0' || text[0] > '9')
		return UINT64_MAX;
	limit = strtoull(text, NULL, 10);
	snprintf(name, sizeof(name), "%s%s/%s", k->folder, path, k->usage);
	if (limit >= INT64_MAX / 2 || !read_text(root, name, text))
		return UINT64_MAX;
	usage = strtoull(text, NULL, 10);
	snprintf(name, sizeof(name), "%s%s/memory.stat", k->folder, path);
	if (read_text(root, name, text)) {
		for (size_t i = 0; i < AG_NELEM(k->file_pages); i++)
			pages += find_number(text, k->file_pages[i], &part) ? part : 0;
	}
	return minus(limit, minus(usage, pages));
}

/* The group of this process and all groups above it. In a container the path may name a group that its mount
 * does not show; the groups above it, down to the mount itself, still count. */
static uint64_t free_in_groups(const char *root, const group_kind *k, const char *groups)
{
	uint64_t least = UINT64_MAX;
	char path[PATH_MAX / 2] = "";
	const char *at = strstr(groups, k->line);

	if (!at)
		return least;
	at += strlen(k->line);
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, "\n"), at);
	if (strcmp(path, "/") == 0)
		path[0] = '\0';
	for (;;) {
		const uint64_t n = free_in_group(root, k, path);
		char *slash = strrchr(path, '/');

		least = n < least ? n : least;
		if (!slash)
			return least;
		*slash = '\0';
	}
}

void ag_memory_read_used(const char *root, ag_memory *ret)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[MOST_BYTES], *end = text;

	ret->address = ret->resident = 0;
	if (read_text(root, "/proc/self/statm", text)) {
		ret->address = strtoull(text, &end, 10) * page;
		ret->resident = strtoull(end, NULL, 10) * page;
	}
}

void ag_memory_read(const char *root, ag_memory *ret)
{
	char text[MOST_BYTES];
	struct rlimit as;
	uint64_t n;

	ag_memory_read_used(root, ret);
	ret->resident_free = ret->address_free = UINT64_MAX;
	if (read_text(root, "/proc/meminfo", text) && find_number(text, "MemAvailable:", &n)) {
		ret->resident_free = n * 1024;
		if (find_number(text, "SwapFree:", &n))
			ret->resident_free += n * 1024;
	}
	if (read_text(root, "/proc/self/cgroup", text)) {
		for (size_t i = 0; i < AG_NELEM(group_kinds); i++) {
			n = free_in_groups(root, &group_kinds[i], text);
			ret->resident_free = n < ret->resident_free ? n : ret->resident_free;
		}
	}
	if (!getrlimit(RLIMIT_AS, &as) && as.rlim_cur != RLIM_INFINITY)
		ret->address_free = minus(as.rlim_cur, ret->address);
}

void ag_memory_limit_self(void)
{
	char text[MOST_BYTES];
	unsigned long long data;
	ag_memory now;
	struct rlimit r;
	rlim_t most;

	/* The sixth number: writable private memory and stacks, as RLIMIT_DATA counts them. */
	ag_memory_read("", &now);
	if (now.resident_free == UINT64_MAX || !read_text("", "/proc/self/statm", text) ||
	    sscanf(text, "%*s %*s %*s %*s %*s %llu", &data) != 1 || getrlimit(RLIMIT_DATA, &r))
		return;
	most = (rlim_t)data * (rlim_t)sysconf(_SC_PAGESIZE) + now.resident_free;
	if (r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= most)
		return;
	r.rlim_cur = most;
	AG_IGNORE(setrlimit(RLIMIT_DATA, &r), "then the kernel ends the process");
}
