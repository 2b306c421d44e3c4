/* root_near -- the path that was probably meant, for the message about one that is not there.
 *
 * First the nearest name in the deepest folder of the path that exists, then a file of the same last name elsewhere in the
 * project: models forget the folder, or guess it. Only what may be seen is named. */
#include <unistd.h>

#include "ask/root_parts.h"

#define MAX_NAMES 2000 /* of the folder that are compared */
#define MAX_FILES 5000 /* of the project that are looked at for the last name */

/* The name in this folder that is nearest to `word`; as a path, "" = none. */
static ag_str nearest_in(ag_root *r, const ag_root_found *dir, ag_str word, ag_arena *arena)
{
	ag_str *all = NULL;
	size_t n = 0, nshown = 0;
	bool is_cut;
	const char **shown, *found;

	if (ag_root_names(r, &dir->at, MAX_NAMES, arena, &all, &n, &is_cut))
		return AG_S("");
	shown = ag_new_n(arena, const char *, n);
	for (size_t i = 0; i < n; i++) {
		if (all[i].len < 64)
			shown[nshown++] = ag_str_cstr(arena, all[i]);
	}
	/* The nearest may be one that is not shown: then the next nearest, a few times. */
	for (int tries = 0; tries < 4; tries++) {
		ag_root_found f;
		ag_str path;

		found = ag_str_nearest(word, shown, nshown);
		if (!found)
			break;
		path = ag_root_join(arena, dir->stat.path, ag_str_c(found));
		ag_root_find(r, path, arena, &f);
		ag_root_release(&f);
		if (f.verdict == AG_ROOT_FOUND)
			return path;
		for (size_t i = 0; i < nshown; i++) {
			if (shown[i] == found)
				shown[i] = shown[--nshown];
		}
	}
	return AG_S("");
}

typedef struct same_name {
	ag_str name;
	ag_arena *arena;
	ag_str found;
} same_name;

static ag_status look_for(void *arg, const ag_root_stat *file, ag_err *err)
{
	same_name *s = arg;

	if (!ag_str_ieq(ag_root_last_name(file->path), s->name))
		return AG_OK;
	s->found = ag_str_dup(s->arena, file->path);
	return ag_fail(err, AG_LIMIT, AG_ROOT_ORIGIN, "found"); /* no need to go on */
}

/* "wki/github.md" with "wiki" for "wki": the whole path, when there is one. */
static ag_str mended(ag_root *r, ag_str path, size_t nword, ag_str near, ag_arena *arena)
{
	ag_root_found f;
	ag_str whole;

	if (nword >= path.len)
		return near;
	whole = ag_str_printf(arena, "%.*s%.*s", AG_FMT(near), (int)(path.len - nword),
	                      path.ptr + nword);
	ag_root_find(r, whole, arena, &f);
	ag_root_release(&f);
	return f.verdict == AG_ROOT_FOUND ? whole : near;
}

ag_str ag_root_near(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena)
{
	same_name same = { .name = ag_root_last_name(path), .arena = arena };
	ag_str folder = path, near = AG_S(""), word;
	ag_root_found f;
	ag_err err;

	do {
		word = ag_root_last_name(folder);
		folder = ag_root_parent(folder);
		ag_root_find(r, folder, arena, &f);
	} while (f.verdict == AG_ROOT_MISSING && folder.len);
	if (f.verdict == AG_ROOT_FOUND && f.stat.kind == AG_ROOT_FOLDER)
		near = nearest_in(r, &f, word, arena);
	else if (f.verdict == AG_ROOT_FOUND && f.stat.kind == AG_ROOT_FILE)
		near = folder; /* "README.md/x" */
	ag_root_release(&f);
	if (near.len && f.stat.kind == AG_ROOT_FOLDER)
		return mended(r, path, (size_t)(word.ptr - path.ptr) + word.len, near, arena);
	if (near.len)
		return near;
	AG_IGNORE(ag_root_walk(r, ctx, AG_S(""), MAX_FILES, look_for, &same, NULL, &err),
	          "whatever ended it, what was found is true");
	return same.found.len ? same.found : AG_S("");
}
