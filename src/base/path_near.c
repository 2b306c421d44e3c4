/* The names are sorted before they are compared: the answer does not depend on the order of the folder. */
#include "base/path_near.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/utf8.h"

#define MAX_NAME 64 /* what ag_str_distance() compares */
#define SHOWN    200

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_candidate(const char *name, ag_str word)
{
	return strlen(name) < MAX_NAME && (name[0] != '.' || (word.len && word.ptr[0] == '.')) &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static ag_str stem(ag_str name)
{
	const ptrdiff_t dot = ag_str_find(name, '.');

	return dot > 0 ? ag_str_make(name.ptr, (size_t)dot) : name;
}

static ag_str nearest_in(const char *folder, ag_str word, ag_arena *arena)
{
	const char **names = ag_new_n(arena, const char *, AG_PATH_NEAR_NAMES), *near;
	DIR *d = ag_fault("files.list") ? NULL : opendir(folder);
	const struct dirent *entry;
	size_t n = 0;

	while (d && n < AG_PATH_NEAR_NAMES && (entry = readdir(d)) != NULL) {
		if (is_candidate(entry->d_name, word))
			names[n++] = ag_str_cstr(arena, ag_str_c(entry->d_name));
	}
	if (d)
		closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), by_bytes);
	near = ag_str_nearest(word, names, n);
	for (size_t i = 0; i < n && !near; i++) {
		if (ag_str_ieq(stem(ag_str_c(names[i])), stem(word)))
			near = names[i];
	}
	return ag_str_c(near);
}

ag_str ag_path_near(ag_str path, ag_arena *arena)
{
	ag_str head = path;

	while (head.len && head.ptr[head.len - 1] == '/')
		head.len--;
	/* The last component whose folder exists; what follows it is tried with the nearest name in its place. */
	while (head.len) {
		size_t at = head.len;
		ag_str word, near;
		const char *folder, *whole;

		while (at && head.ptr[at - 1] != '/')
			at--;
		word = ag_str_make(head.ptr + at, head.len - at);
		folder = at ? ag_str_cstr(arena, ag_str_make(head.ptr, at)) : ".";
		if (access(folder, F_OK)) {
			while (at && head.ptr[at - 1] == '/')
				at--;
			head.len = at;
			continue;
		}
		near = nearest_in(folder, word, arena);
		if (!near.len)
			return near;
		near = ag_str_printf(arena, "%.*s%.*s", (int)at, head.ptr, AG_FMT(near));
		whole = ag_str_cstr(arena,
		                    ag_str_printf(arena, "%.*s%.*s", AG_FMT(near),
		                                  (int)(path.len - head.len), path.ptr + head.len));
		return access(whole, F_OK) ? near : ag_str_c(whole);
	}
	return AG_S("");
}

ag_status ag_path_near_hint(ag_str path, ag_arena *arena, ag_err *err)
{
	const ag_str near = ag_path_near(path, arena);

	if (!near.len || !err)
		return err ? err->status : AG_INTERNAL;
	return ag_err_hint(err, "did you mean \"%.*s\"?", AG_FMT(ag_utf8_prefix(near, SHOWN)));
}
