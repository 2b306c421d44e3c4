/* root_dir -- one folder: its names, in order; and the list that is shown of it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask/root_parts.h"

#define CHECK_EVERY \
	4 /* names between two looks at the clock: each may be held against many patterns */

static int by_name(const void *a, const void *b)
{
	return ag_str_cmp(*(const ag_str *)a, *(const ag_str *)b);
}

/* A list that grows in an arena. */
typedef struct names {
	ag_str *items;
	size_t n, cap;
} names;

static void add(names *l, ag_arena *arena, ag_str name)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		ag_str *items = ag_new_n(arena, ag_str, cap);

		if (l->n)
			memcpy(items, l->items, l->n * sizeof(*items));
		l->items = items;
		l->cap = cap;
	}
	l->items[l->n++] = ag_str_dup(arena, name);
}

int ag_root_names(const ag_root *r, const ag_root_fd *dir, size_t max, ag_arena *arena,
                  ag_str **ret, size_t *nret, bool *ret_cut)
{
	int fd = ag_root_open_for_reading(r, dir);
	const struct dirent *e;
	names l = { 0 };
	DIR *d;

	if (fd < 0)
		return errno;
	d = fdopendir(fd);
	if (!d) {
		int native = errno;

		close(fd);
		return native;
	}
	*ret_cut = false;
	/* What cannot be read any more ends the list; the names so far are true. */
	while ((e = readdir(d)) != NULL) {
		ag_str name = ag_str_c(e->d_name);

		if (ag_str_eqc(name, ".") || ag_str_eqc(name, ".."))
			continue;
		if (l.n == max) {
			*ret_cut = true;
			break;
		}
		add(&l, arena, name);
	}
	closedir(d);
	if (l.n)
		qsort(l.items, l.n, sizeof(*l.items), by_name);
	*ret = l.items;
	*nret = l.n;
	return 0;
}

typedef enum shown_as { SHOWN, HIDDEN, LEFT_OUT } shown_as;

/* A link is what it leads to; of one that leads out nothing is told but that it is there. */
static shown_as look_at_link(ag_root *r, ag_str path, ag_arena *arena, ag_root_entry *e)
{
	AG_AUTO(ag_root_release) ag_root_found f = { .at = { .fd = -1 } };

	ag_root_find(r, path, arena, &f);
	switch (f.verdict) {
	case AG_ROOT_FOUND:
		e->kind = f.stat.kind;
		e->size = f.stat.size;
		e->mtime_ns = f.stat.mtime_ns;
		return SHOWN;
	case AG_ROOT_SECRET: return HIDDEN;
	case AG_ROOT_IGNORED: return LEFT_OUT;
	default: e->kind = AG_ROOT_OTHER; return SHOWN;
	}
}

static shown_as look_at(ag_root *r, const ag_root_found *dir, ag_str name, ag_arena *arena,
                        ag_root_entry *e)
{
	ag_str called = ag_root_join(arena, dir->stat.path, name);
	ag_str real = ag_root_join(arena, dir->at.real, name);
	bool is_folder;
	ag_root_stat stat;
	struct stat st;

	*e = (ag_root_entry){ .name = name };
	if (ag_str_eqc(name, ".git") ||
	    fstatat(dir->at.fd, ag_str_cstr(arena, name), &st, AT_SYMLINK_NOFOLLOW) != 0)
		return LEFT_OUT;
	is_folder = S_ISDIR(st.st_mode);
	if (ag_root_is_secret_name(called, real, is_folder, NULL) ||
	    ag_root_is_secret_inode(r, &st))
		return HIDDEN;
	if (S_ISLNK(st.st_mode))
		return look_at_link(r, called, arena, e);
	if (!r->allow_ignored && (ag_root_is_ignored_here(r, called, is_folder, arena, NULL) ||
	                          (!ag_str_eq(called, real) &&
	                           ag_root_is_ignored_here(r, real, is_folder, arena, NULL))))
		return LEFT_OUT;
	stat = ag_root_stat_of(&st, called);
	e->kind = stat.kind;
	e->size = stat.size;
	e->mtime_ns = stat.mtime_ns;
	return SHOWN;
}

static ag_status fill(ag_root *r, const ag_ctx *ctx, const ag_root_found *dir, const ag_str *all,
                      size_t nall, ag_arena *arena, ag_root_list *l, ag_err *err)
{
	size_t max = nall < AG_ROOT_MAX_ENTRIES ? nall : AG_ROOT_MAX_ENTRIES;
	ag_root_entry *entries = ag_new_n(arena, ag_root_entry, max);

	for (size_t i = 0; i < nall; i++) {
		ag_root_entry e;
		shown_as how;
		ag_status st = i % CHECK_EVERY ? AG_OK : ag_ctx_check(ctx, err);

		if (st)
			return st;
		if (l->n == AG_ROOT_MAX_ENTRIES) {
			l->is_cut = true;
			break;
		}
		how = look_at(r, dir, all[i], arena, &e);
		l->nhidden += how == HIDDEN;
		if (how == SHOWN)
			entries[l->n++] = e;
	}
	l->entries = entries;
	return AG_OK;
}

ag_status ag_root_list_dir(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena,
                           ag_root_list *ret, ag_err *err)
{
	AG_AUTO(ag_root_release) ag_root_found f = { .at = { .fd = -1 } };
	ag_root_list l = { 0 };
	ag_str *all = NULL;
	size_t n = 0;
	ag_status st = ag_root_get(r, ctx, path, arena, &f, err);
	int e;

	if (st)
		return st;
	if (f.stat.kind != AG_ROOT_FOLDER) {
		ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN, "%s is %s", ag_root_show(path).text,
		        f.stat.kind == AG_ROOT_FILE ? "a file, not a folder"
		                                    : "neither a file nor a folder");
		if (f.stat.kind == AG_ROOT_FILE)
			ag_err_hint(err, "read it");
		return AG_INVALID;
	}
	e = ag_root_names(r, &f.at, AG_ROOT_MAX_NAMES_READ, arena, &all, &n, &l.is_cut);
	if (e)
		return ag_fail_errno(err, e, AG_ROOT_ORIGIN, "cannot list %s",
		                     ag_root_show(path).text);
	st = fill(r, ctx, &f, all, n, arena, &l, err);
	if (!st)
		*ret = l;
	return st;
}
