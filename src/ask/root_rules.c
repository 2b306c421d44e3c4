/* root_rules -- the .gitignore files of the project, read when a path first passes their folder.
 *
 * Kept by folder for as long as the handle lives: a question is answered by the rules that held when it was asked. The
 * nearest folder that says something wins; behind the root's own come those of the folders above it, when it is a part of
 * a repository, and .git/info/exclude is last. A .gitignore that is a link is not read, nor is one by git. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ask/root_parts.h"

#define MAX_FOLDERS 65536 /* then it is forgotten and begins anew */

static uint64_t hash_of(ag_str s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
	return h ^ (h >> 29);
}

/* Its place, or the free one where it belongs. The table has always a free one. */
static ag_root_rules *slot_of(ag_root_rules *table, size_t cap, ag_str folder)
{
	size_t i = (size_t)hash_of(folder) & (cap - 1);

	while (table[i].is_used && !ag_str_eq(table[i].folder, folder))
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static void make_room(ag_root *r)
{
	ag_root_rules *table;
	size_t cap;

	if (r->nrules >= MAX_FOLDERS) {
		ag_arena_reset(r->rules_arena);
		r->rules = NULL;
		r->nrules = r->crules = 0;
		r->has_exclude = false;
	}
	if (r->nrules * 2 < r->crules)
		return;
	cap = r->crules ? r->crules * 2 : 64;
	table = ag_new_n(r->rules_arena, ag_root_rules, cap);
	for (size_t i = 0; i < r->crules; i++) {
		if (r->rules[i].is_used)
			*slot_of(table, cap, r->rules[i].folder) = r->rules[i];
	}
	r->rules = table;
	r->crules = cap;
}

/* The rules in a file of an O_PATH folder; NULL: there is none that can be read. */
static const ag_ignore *read_rules(int dir, const char *name, ag_arena *arena)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const ag_ignore *rules = NULL;
	ag_arena *scratch;
	struct stat st;
	size_t len = 0, size;
	char *text;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		scratch = ag_arena_new();
		/* As large as the file, not as the limit: memory that is never used costs a millisecond. */
		size = st.st_size < (off_t)AG_IGNORE_MAX_TEXT ? (size_t)st.st_size
		                                              : AG_IGNORE_MAX_TEXT;
		text = ag_arena_alloc(scratch, size + 1);
		while (len < size) {
			ssize_t n = read(fd, text + len, size - len);

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break;
			len += (size_t)n;
		}
		rules = ag_ignore_parse(ag_str_make(text, len), arena);
		ag_arena_free(scratch);
	}
	close(fd);
	return rules;
}

static const ag_ignore *rules_in(ag_root *r, ag_str folder, const char *name)
{
	ag_arena *scratch = ag_arena_new();
	const ag_ignore *rules = NULL;
	ag_root_fd dir;

	if (!ag_root_open_beneath(r, folder, true, scratch, &dir)) {
		if (S_ISDIR(dir.st.st_mode))
			rules = read_rules(dir.fd, name, r->rules_arena);
		close(dir.fd);
	}
	ag_arena_free(scratch);
	return rules;
}

static const ag_ignore *rules_of(ag_root *r, ag_str folder)
{
	ag_root_rules *slot;

	make_room(r);
	slot = slot_of(r->rules, r->crules, folder);
	if (!slot->is_used) {
		*slot = (ag_root_rules){
			.folder = ag_str_dup(r->rules_arena, folder),
			.rules = rules_in(r, folder, ".gitignore"),
			.is_used = true,
		};
		r->nrules++;
	}
	return slot->rules;
}

static const ag_ignore *exclude_of(ag_root *r)
{
	if (!r->has_exclude) {
		r->exclude = rules_in(r, AG_S(".git/info"), "exclude");
		r->has_exclude = true;
	}
	return r->exclude;
}

/* The rules of a file in `folder` about a path below it. */
static ag_ignored ask(const ag_ignore *g, ag_str folder, const char *file, ag_str path,
                      bool is_folder, ag_arena *arena, ag_str *ret_where)
{
	size_t cut = folder.len ? folder.len + 1 : 0;
	unsigned line = 0;
	ag_ignored said;

	if (!g)
		return AG_IGNORE_UNSAID;
	path = ag_str_make(path.ptr + cut, path.len - cut);
	said = ag_ignore_match(g, path, is_folder, &line);
	if (said == AG_IGNORE_YES && ret_where)
		*ret_where = ag_str_printf(arena, "%.*s%s%s:%u", AG_FMT(folder),
		                           folder.len ? "/" : "", file, line);
	return said;
}

/* --- above the root, which may be a part of a repository --- */

/* The folder above, of an absolute path; -1: there is none, or it is no project's any more. */
static int open_above(ag_str *path, ag_arena *arena)
{
	int dir;

	*path = ag_root_parent(*path);
	dir = path->len ? open(ag_str_cstr(arena, *path), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir >= 0 && ag_root_is_home_or_top(dir)) {
		close(dir);
		dir = -1;
	}
	return dir;
}

static bool has_git(int dir)
{
	struct stat st;

	return fstatat(dir, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A root that is ignored itself was chosen on purpose: then those rules are not about it. */
static bool is_root_ignored(const ag_root *r)
{
	for (size_t i = 0; i < r->nabove; i++) {
		const ag_str prefix = r->above[i].prefix;

		for (size_t k = 1; k <= prefix.len; k++) {
			if (k < prefix.len && prefix.ptr[k] != '/')
				continue;
			if (ag_ignore_match(r->above[i].rules, ag_str_make(prefix.ptr, k), true,
			                    NULL) == AG_IGNORE_YES)
				return true;
		}
	}
	return false;
}

void ag_root_load_above(ag_root *r)
{
	bool is_found = has_git(r->fd);
	ag_str path = r->path;
	int dir;

	while (!is_found && r->nabove < AG_ROOT_MAX_ABOVE &&
	       (dir = open_above(&path, r->arena)) >= 0) {
		const ag_ignore *rules = read_rules(dir, ".gitignore", r->arena);

		if (rules)
			r->above[r->nabove++] = (ag_root_above){
				.prefix = ag_str_make(r->path.ptr + path.len + 1,
				                      r->path.len - path.len - 1),
				.rules = rules,
			};
		is_found = has_git(dir);
		close(dir);
	}
	if (!is_found || is_root_ignored(r))
		r->nabove = 0;
}

static ag_ignored ask_above(const ag_root *r, ag_str path, bool is_folder, ag_arena *arena,
                            ag_str *ret_where)
{
	ag_ignored said = AG_IGNORE_UNSAID;
	unsigned line = 0;

	for (size_t i = 0; i < r->nabove && said == AG_IGNORE_UNSAID; i++)
		said = ag_ignore_match(r->above[i].rules,
		                       ag_root_join(arena, r->above[i].prefix, path), is_folder,
		                       &line);
	if (said == AG_IGNORE_YES && ret_where)
		*ret_where = ag_str_printf(arena, "a .gitignore above the root:%u", line);
	return said;
}

/* The caller holds the lock: the first look at a folder rebuilds the table. */
static bool is_ignored_here(ag_root *r, ag_str path, bool is_folder, ag_arena *arena,
                            ag_str *ret_where)
{
	ag_str folder = ag_root_parent(path);
	ag_ignored said;

	for (;;) {
		said = ask(rules_of(r, folder), folder, ".gitignore", path, is_folder, arena,
		           ret_where);
		if (said != AG_IGNORE_UNSAID)
			return said == AG_IGNORE_YES;
		if (!folder.len)
			break;
		folder = ag_root_parent(folder);
	}
	said = ask_above(r, path, is_folder, arena, ret_where);
	if (said != AG_IGNORE_UNSAID)
		return said == AG_IGNORE_YES;
	said = ask(exclude_of(r), AG_S(""), ".git/info/exclude", path, is_folder, arena, ret_where);
	return said == AG_IGNORE_YES;
}

bool ag_root_is_ignored_here(ag_root *r, ag_str path, bool is_folder, ag_arena *arena,
                             ag_str *ret_where)
{
	bool ret;

	pthread_mutex_lock(&r->lock);
	ret = is_ignored_here(r, path, is_folder, arena, ret_where);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

bool ag_root_is_ignored(ag_root *r, ag_str path, bool is_folder, ag_arena *arena, ag_str *ret_where)
{
	for (size_t i = 0; i < path.len; i++) {
		if (path.ptr[i] == '/' &&
		    ag_root_is_ignored_here(r, ag_str_make(path.ptr, i), true, arena, ret_where))
			return true;
	}
	return path.len && ag_root_is_ignored_here(r, path, is_folder, arena, ret_where);
}
