/* root_walk -- every file of the project once, under its own name, in the order of the paths.
 *
 * Links are not followed, neither to files nor to folders: what they lead to is met under its own name. A folder is opened by its
 * whole path each time and must be what its path says, so nothing that is moved meanwhile leads elsewhere, and no
 * more than a few descriptors are open however deep it goes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask/root_parts.h"
#include "ask/worth.h"

#define DEFAULT_MAX_FILES 200000
#define MAX_LATER         200000 /* bulky files and folders that wait for their turn */
#define CHECK_EVERY       4      /* entries: the patterns of a .gitignore can be many, and slow */

typedef struct walker {
	ag_root *r;
	const ag_ctx *ctx;
	ag_status (*fn)(void *arg, const ag_root_stat *file, ag_err *err);
	void *arg;
	size_t left; /* files that may still be told of */
	size_t nseen;
	bool is_cut;
	ag_err *err;
	/* By worth only: what is bulky, in the order in which it was met. */
	bool by_worth;
	struct later *later;
	size_t nlater, clater;
	ag_arena *later_arena;
} walker;

typedef struct entry {
	ag_str key; /* the name, with a slash behind that of a folder: so the order is that of paths */
	ag_worth worth;
	ag_root_stat stat;
} entry;

typedef struct later {
	ag_root_stat stat;
	ag_str real; /* of a folder: what it must really be */
	unsigned depth;
} later;

static int by_key(const void *a, const void *b)
{
	const entry *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? -1 : 1;
	return ag_str_cmp(x->key, y->key);
}

/* Shall it be walked? Then in e. */
static bool look_at(walker *w, const ag_root_fd *dir, ag_str folder, ag_str name, ag_arena *arena,
                    entry *e)
{
	ag_str called = ag_root_join(arena, folder, name);
	ag_str real = ag_root_join(arena, dir->real, name);
	bool is_folder;
	struct stat st;

	if (called.len > AG_ROOT_MAX_PATH ||
	    fstatat(dir->fd, ag_str_cstr(arena, name), &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	is_folder = S_ISDIR(st.st_mode);
	if (!is_folder && !S_ISREG(st.st_mode))
		return false;
	if (is_folder && ag_ignore_always(name))
		return false;
	if (ag_root_is_secret_name(called, real, is_folder, NULL) ||
	    ag_root_is_secret_inode(w->r, &st))
		return false;
	if (!w->r->allow_ignored &&
	    (ag_root_is_ignored_here(w->r, called, is_folder, arena, NULL) ||
	     (!ag_str_eq(called, real) &&
	      ag_root_is_ignored_here(w->r, real, is_folder, arena, NULL))))
		return false;
	e->stat = ag_root_stat_of(&st, called);
	e->worth = AG_WORTH_DOCS;
	if (w->by_worth)
		e->worth = is_folder ? ag_worth_of_folder(name) : ag_worth_of_file(name);
	e->key = is_folder ? ag_str_printf(arena, "%.*s/", AG_FMT(name)) : name;
	return true;
}

static ag_status read_entries(walker *w, const ag_root_fd *dir, ag_str folder, ag_arena *arena,
                              entry **ret, size_t *nret)
{
	ag_str *names = NULL;
	size_t n = 0, kept = 0;
	bool is_cut = false;
	entry *entries;

	/* A folder that cannot be read is not shown; the others are. */
	if (ag_root_names(w->r, dir, AG_ROOT_MAX_NAMES_READ, arena, &names, &n, &is_cut))
		n = 0;
	w->is_cut |= is_cut;
	entries = ag_new_n(arena, entry, n);
	for (size_t i = 0; i < n; i++) {
		ag_status st = w->nseen++ % CHECK_EVERY ? AG_OK : ag_ctx_check(w->ctx, w->err);

		if (st)
			return st;
		kept += look_at(w, dir, folder, names[i], arena, &entries[kept]);
	}
	if (kept)
		qsort(entries, kept, sizeof(*entries), by_key);
	*ret = entries;
	*nret = kept;
	return AG_OK;
}

static ag_status tell(walker *w, const ag_root_stat *file)
{
	if (!w->left) {
		w->is_cut = true;
		return AG_OK;
	}
	w->left--;
	return w->fn(w->arg, file, w->err);
}

static ag_status walk_folder(walker *w, ag_str folder, ag_str real, unsigned depth);

/* False: there is no room to wait, so it is its turn now. */
static bool put_off(walker *w, const entry *e, ag_str real, unsigned depth)
{
	if (!w->by_worth || e->worth != AG_WORTH_BULKY || w->nlater == MAX_LATER)
		return false;
	if (w->nlater == w->clater) {
		w->clater = w->clater ? 2 * w->clater : 64;
		w->later = ag_xrealloc(w->later, w->clater * sizeof(*w->later));
	}
	w->later[w->nlater] = (later){ .stat = e->stat,
		                       .real = ag_str_dup(w->later_arena, real),
		                       .depth = depth };
	w->later[w->nlater++].stat.path = ag_str_dup(w->later_arena, e->stat.path);
	return true;
}

static ag_status walk_entries(walker *w, const ag_root_fd *dir, ag_str folder, ag_arena *arena,
                              unsigned depth)
{
	entry *entries = NULL;
	size_t n = 0;
	ag_status st = read_entries(w, dir, folder, arena, &entries, &n);

	close(dir->fd);
	for (size_t i = 0; !st && i < n && (w->left || !w->is_cut); i++) {
		const ag_str real = ag_root_join(arena, dir->real,
		                                 ag_root_last_name(entries[i].stat.path));

		if (put_off(w, &entries[i], real, depth + 1))
			continue;
		if (entries[i].stat.kind == AG_ROOT_FILE)
			st = tell(w, &entries[i].stat);
		else
			st = walk_folder(w, entries[i].stat.path, real, depth + 1);
	}
	return st;
}

/* real: what it must really be. */
static ag_status walk_folder(walker *w, ag_str folder, ag_str real, unsigned depth)
{
	ag_arena *arena;
	ag_root_fd dir;
	ag_status st = AG_OK;

	if (depth >= AG_ROOT_MAX_NAMES) {
		w->is_cut = true;
		return AG_OK;
	}
	arena = ag_arena_new();
	if (!ag_root_open_beneath(w->r, real, false, arena, &dir)) {
		if (S_ISDIR(dir.st.st_mode) && ag_str_eq(dir.real, real))
			st = walk_entries(w, &dir, folder, arena, depth);
		else
			close(dir.fd);
	}
	ag_arena_free(arena);
	return st;
}

/* What was put off. A bulky folder is walked as it comes: all in it is bulky. */
static ag_status walk_later(walker *w)
{
	ag_status st = AG_OK;

	w->by_worth = false;
	for (size_t i = 0; !st && i < w->nlater && (w->left || !w->is_cut); i++) {
		const later *l = &w->later[i];

		st = l->stat.kind == AG_ROOT_FILE ? tell(w, &l->stat)
		                                  : walk_folder(w, l->stat.path, l->real, l->depth);
	}
	return st;
}

/* w: what the caller asked for; left 0 = DEFAULT_MAX_FILES. */
static ag_status walk(walker *w, ag_str under, bool *ret_cut)
{
	ag_arena *arena = ag_arena_new();
	ag_root_found f = { .at = { .fd = -1 } };
	ag_status st = ag_root_get(w->r, w->ctx, under, arena, &f, w->err);

	w->later_arena = arena;
	if (!w->left)
		w->left = DEFAULT_MAX_FILES;
	if (!st) {
		ag_root_release(&f);
		if (f.stat.kind == AG_ROOT_FOLDER)
			st = walk_folder(w, f.stat.path, f.at.real, 0);
		else if (f.stat.kind == AG_ROOT_FILE)
			st = tell(w, &f.stat);
		else
			st = ag_fail(w->err, AG_INVALID, AG_ROOT_ORIGIN,
			             "%s is neither a file nor a folder", ag_root_show(under).text);
	}
	if (!st)
		st = walk_later(w);
	free(w->later);
	ag_arena_free(arena);
	if (!st && ret_cut)
		*ret_cut = w->is_cut;
	return st;
}

ag_status ag_root_walk(ag_root *r, const ag_ctx *ctx, ag_str under, size_t max_files,
                       ag_status (*fn)(void *arg, const ag_root_stat *file, ag_err *err), void *arg,
                       bool *ret_cut, ag_err *err)
{
	walker w = { .r = r, .ctx = ctx, .fn = fn, .arg = arg, .left = max_files, .err = err };

	return walk(&w, under, ret_cut);
}

ag_status ag_root_walk_by_worth(ag_root *r, const ag_ctx *ctx, ag_str under, size_t max_files,
                                ag_status (*fn)(void *arg, const ag_root_stat *file, ag_err *err),
                                void *arg, bool *ret_cut, ag_err *err)
{
	walker w = { .by_worth = true,
		     .r = r,
		     .ctx = ctx,
		     .fn = fn,
		     .arg = arg,
		     .left = max_files,
		     .err = err };

	return walk(&w, under, ret_cut);
}
