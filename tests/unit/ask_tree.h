/* ask_tree -- a folder for a test: made below the temporary folder, filled by name, removed with all that is in it. */
#ifndef AG_TESTS_ASK_TREE_H
#define AG_TESTS_ASK_TREE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

typedef struct tree {
	char dir[200];
} tree;

/* dir/name; in a ring of buffers, good for a few calls. */
AG_UNUSED static const char *tree_path(const tree *t, const char *name)
{
	static char ring[8][1024];
	static unsigned at;
	char *p = ring[at++ % 8];

	snprintf(p, sizeof(ring[0]), "%s%s%s", t->dir, name[0] ? "/" : "", name);
	return p;
}

AG_UNUSED static void tree_make(tree *t, const char *what)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(t->dir, sizeof(t->dir), "%s/argus-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", what);
	if (!mkdtemp(t->dir))
		fail_msg("%s: %s", t->dir, strerror(errno));
}

static int tree_remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st, (void)kind, (void)where;
	return remove(path);
}

AG_UNUSED static void tree_remove(tree *t)
{
	nftw(t->dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

AG_UNUSED static void tree_mkdir(const tree *t, const char *name)
{
	if (mkdir(tree_path(t, name), 0755) != 0 && errno != EEXIST)
		fail_msg("%s: %s", tree_path(t, name), strerror(errno));
}

/* Folders above it are made, too. */
AG_UNUSED static void tree_put_bytes(const tree *t, const char *name, const char *text, size_t len)
{
	char folder[512];
	int fd;

	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '/') {
			snprintf(folder, sizeof(folder), "%.*s", (int)i, name);
			tree_mkdir(t, folder);
		}
	}
	fd = open(tree_path(t, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		fail_msg("%s: %s", tree_path(t, name), strerror(errno));
	close(fd);
}

AG_UNUSED static void tree_put(const tree *t, const char *name, const char *text)
{
	tree_put_bytes(t, name, text, strlen(text));
}

AG_UNUSED static void tree_link(const tree *t, const char *target, const char *name)
{
	if (symlink(target, tree_path(t, name)) != 0)
		fail_msg("%s: %s", tree_path(t, name), strerror(errno));
}

/* Open descriptors of this process. */
AG_UNUSED static int open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	if (!d)
		return 0;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* --- case files ---------------------------------------------------------------------------------- */

#define CASE_FIELDS 4

typedef struct case_line {
	const char *file;
	int number;
	ag_str field[CASE_FIELDS];
	size_t nfield;
} case_line;

/* \n \r \t \0 \\ \s (a blank) \| and \xHH. */
static ag_str case_unescape(ag_arena *arena, ag_str s)
{
	char *out = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		unsigned hex = 0;

		if (s.ptr[i] != '\\' || i + 1 == s.len) {
			out[n++] = s.ptr[i];
			continue;
		}
		switch (s.ptr[++i]) {
		case 'n': out[n++] = '\n'; break;
		case 'r': out[n++] = '\r'; break;
		case 't': out[n++] = '\t'; break;
		case 's': out[n++] = ' '; break;
		case '0': out[n++] = '\0'; break;
		case 'x':
			if (i + 2 < s.len + 0 && sscanf(s.ptr + i + 1, "%2x", &hex) == 1)
				i += 2;
			out[n++] = (char)hex;
			break;
		default: out[n++] = s.ptr[i]; break;
		}
	}
	return ag_str_make(out, n);
}

/* Each line that is no comment, cut at " | "; fn says whether it is right. */
AG_UNUSED static void run_cases(const char *file, size_t nfield, int at_least,
                                bool (*fn)(const case_line *c, ag_arena *arena, void *arg),
                                void *arg)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char path[4096], line[8192];
	int number = 0, run = 0, failed = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cases/ask/%s", root ? root : ".", file);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be opened", path);
	while (fgets(line, sizeof(line), f)) {
		ag_str s = ag_str_trim(ag_str_c(line));
		case_line c = { .file = file, .number = ++number };
		ag_arena *arena;

		if (!s.len || s.ptr[0] == '#')
			continue;
		arena = ag_arena_new();
		while (c.nfield < CASE_FIELDS) {
			const char *sep = memmem(s.ptr, s.len, " | ", 3);
			size_t len = sep ? (size_t)(sep - s.ptr) : s.len;

			c.field[c.nfield++] = case_unescape(arena,
			                                    ag_str_trim(ag_str_make(s.ptr, len)));
			if (!sep)
				break;
			s = ag_str_make(sep + 3, s.len - len - 3);
		}
		if (c.nfield != nfield)
			fail_msg("%s:%d: want %zu fields", file, number, nfield);
		failed += !fn(&c, arena, arg);
		ag_arena_free(arena);
		run++;
	}
	fclose(f);
	assert_int_equal(failed, 0);
	assert_true(run >= at_least);
}

AG_UNUSED static bool complain(const case_line *c, const char *what, ag_str got)
{
	print_error("%s:%d: %s: %.*s\n", c->file, c->number, what, AG_FMT(got));
	return false;
}

#endif
