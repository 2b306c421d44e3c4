/* knowledge_files -- see the header. */
#include "app/knowledge_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "app/file.h"
#include "base/fault.h"
#include "base/utf8.h"
#include "knowledge/markdown.h"
#include "knowledge/zip.h"

#define ORIGIN    "app.knowledge"
#define MAX_DEPTH 4u

typedef struct reading {
	ag_arena *arena;
	const atomic_bool *cancel;
	int64_t now_ms;
	bool (*is_wanted)(ag_str name);
	ag_zip_file *files; /* all that are read */
	size_t n, cap, total;
} reading;

static bool ends_in(ag_str name, const char *end)
{
	const size_t n = strlen(end);

	return name.len > n && ag_str_ieq(ag_str_make(name.ptr + name.len - n, n), ag_str_c(end));
}

static bool is_yaml(ag_str name)
{
	return ends_in(name, ".yml") || ends_in(name, ".yaml");
}

/* The last part of a path begins with a dot: an editor's file, a folder of git. */
static bool is_hidden(ag_str name)
{
	bool ret = name.len && name.ptr[0] == '.';

	for (size_t i = 1; i < name.len; i++)
		ret |= name.ptr[i] == '.' && name.ptr[i - 1] == '/';
	return ret;
}

static bool is_wanted(ag_str name)
{
	return !is_hidden(name) && (ends_in(name, ".md") || is_yaml(name));
}

/* --- a folder --- */

static ag_status add_file(reading *r, ag_str name, ag_str text, ag_err *err)
{
	if (r->n == AG_KNOW_MAX_FILES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "more than %u files", AG_KNOW_MAX_FILES);
	r->total += text.len;
	if (r->total > AG_ZIP_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the files are larger than %u bytes together",
		               AG_ZIP_MAX_BYTES);
	if (r->n == r->cap) {
		ag_zip_file *grown;

		r->cap = r->cap ? 2 * r->cap : 64;
		grown = ag_new_n(r->arena, ag_zip_file, r->cap);
		if (r->n)
			memcpy(grown, r->files, r->n * sizeof(*grown));
		r->files = grown;
	}
	r->files[r->n++] = (ag_zip_file){ name, text };
	return AG_OK;
}

static ag_status read_folder(reading *r, ag_str path, ag_str under, unsigned depth, ag_err *err);

static ag_status read_entry(reading *r, int dir, ag_str path, ag_str name, const char *entry,
                            unsigned depth, ag_err *err)
{
	struct stat sb;
	ag_str text;
	ag_status st;

	if (ag_fault("files.stat") || fstatat(dir, entry, &sb, AT_SYMLINK_NOFOLLOW))
		return ag_fail_errno(err, errno, ORIGIN, "cannot look at \"%.*s\"", AG_FMT(path));
	if (S_ISDIR(sb.st_mode))
		return read_folder(r, path, name, depth + 1, err);
	if (!r->is_wanted(name))
		return AG_OK;
	if (!S_ISREG(sb.st_mode)) {
		ag_fail(err, AG_INVALID, ORIGIN, "%.*s is a symbolic link or a device",
		        AG_FMT(ag_utf8_prefix(path, 200)));
		ag_err_hint(err, "put the file itself there");
		return AG_INVALID;
	}
	st = ag_file_read(path, AG_ZIP_MAX_FILE_BYTES, false, r->cancel, r->arena, &text, err);
	return st ? st : add_file(r, name, text, err);
}

static ag_status read_folder(reading *r, ag_str path, ag_str under, unsigned depth, ag_err *err)
{
	DIR *d;
	const struct dirent *entry;
	ag_status st = AG_OK;

	if (depth > MAX_DEPTH)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: more than %u folders deep",
		               AG_FMT(ag_utf8_prefix(path, 200)), MAX_DEPTH);
	d = ag_fault("files.list") ? NULL : opendir(ag_str_cstr(r->arena, path));
	if (!d)
		return ag_fail_errno(err, errno, ORIGIN, "cannot read the folder \"%.*s\"",
		                     AG_FMT(path));
	while (!st && (entry = readdir(d)) != NULL) {
		const ag_str name = ag_str_c(entry->d_name);

		if (name.ptr[0] == '.')
			continue;
		st = read_entry(r, dirfd(d),
		                ag_str_printf(r->arena, "%.*s/%s", AG_FMT(path), entry->d_name),
		                under.len ? ag_str_printf(r->arena, "%.*s/%s", AG_FMT(under),
		                                          entry->d_name)
		                          : ag_str_dup(r->arena, name),
		                entry->d_name, depth, err);
	}
	closedir(d);
	return st;
}

static int by_name(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_zip_file *)a)->name, ((const ag_zip_file *)b)->name);
}

/* --- files to objects --- */

static void append(ag_know_source *to, const ag_know_source *from, ag_arena *arena)
{
	ag_know *objects = ag_new_n(arena, ag_know, to->n + from->n + 1);
	ag_str *left = ag_new_n(arena, ag_str, to->nleft + from->nleft + 1);

	if (to->n)
		memcpy(objects, to->objects, to->n * sizeof(*objects));
	if (from->n)
		memcpy(objects + to->n, from->objects, from->n * sizeof(*objects));
	if (to->nleft)
		memcpy(left, to->left, to->nleft * sizeof(*left));
	if (from->nleft)
		memcpy(left + to->nleft, from->left, from->nleft * sizeof(*left));
	*to = (ag_know_source){ objects, to->n + from->n, left, to->nleft + from->nleft };
}

/* Two files must not mean one object: the order of files would decide. */
static ag_status check_twice(const ag_know_source *s, ag_arena *arena, ag_err *err)
{
	const ag_know **slots;
	size_t size = 16;

	while (size < 2 * s->n)
		size *= 2;
	slots = ag_new_n(arena, const ag_know *, size);
	for (size_t i = 0; i < s->n; i++) {
		const ag_know *o = &s->objects[i];
		uint64_t at = 0;

		for (size_t k = 0; k < 16; k++)
			at = at << 4 | (uint64_t)(o->key.ptr[k] <= '9' ? o->key.ptr[k] - '0'
			                                               : o->key.ptr[k] - 'a' + 10);
		for (at &= size - 1; slots[at]; at = (at + 1) & (size - 1)) {
			if (slots[at]->kind == o->kind && ag_str_eq(slots[at]->key, o->key))
				return ag_fail(err, AG_INVALID, ORIGIN,
				               "the %s \"%.*s\" comes twice",
				               ag_know_types[o->kind].name,
				               AG_FMT(ag_utf8_prefix(o->name, 60)));
		}
		slots[at] = o;
	}
	return AG_OK;
}

/* Markdown files one each; a YAML file of dbt has several. */
static ag_status objects_of(const reading *r, ag_know_source *ret, bool *ret_is_own, ag_err *err)
{
	ag_know_source own = { .objects = ag_new_n(r->arena, ag_know, r->n + 1) };
	size_t nyaml = 0;
	ag_status st = AG_OK;

	*ret = (ag_know_source){ 0 };
	for (size_t i = 0; i < r->n && !st; i++) {
		const ag_zip_file *f = &r->files[i];
		ag_know_source one;

		if (!is_yaml(f->name)) {
			st = ag_know_markdown_read(f->text, f->name, r->now_ms, r->arena,
			                           &own.objects[own.n], err);
			own.n += !st;
			continue;
		}
		nyaml++;
		st = ag_know_dbt_read(f->text, f->name, r->now_ms, r->arena, &one, err);
		if (!st)
			append(ret, &one, r->arena);
	}
	if (st)
		return st;
	if (nyaml && own.n)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "Markdown and YAML at once: import them one after the other");
	append(ret, &own, r->arena);
	*ret_is_own = !nyaml;
	return check_twice(ret, r->arena, err);
}

static ag_status read_archive(reading *r, ag_str bytes, ag_err *err)
{
	ag_zip_file *files;
	size_t n;
	ag_status st = ag_zip_read(bytes, r->arena, &files, &n, err);

	for (size_t i = 0; i < n && !st; i++) {
		if (r->is_wanted(files[i].name))
			st = add_file(r, files[i].name, files[i].text, err);
	}
	return st;
}

static ag_status read_one(reading *r, ag_str path, ag_err *err)
{
	ag_str text, name = path;
	ag_status st = ag_file_read(path, AG_ZIP_MAX_BYTES, true, r->cancel, r->arena, &text, err);

	if (st)
		return st;
	if (ag_zip_is(text))
		return read_archive(r, text, err);
	if (ends_in(path, ".zip"))
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s is no zip archive",
		               AG_FMT(ag_utf8_prefix(path, 200)));
	for (size_t i = 0; i < path.len; i++) {
		if (path.ptr[i] == '/')
			name = ag_str_make(path.ptr + i + 1, path.len - i - 1);
	}
	return add_file(r, name, text, err);
}

static ag_status read_path(reading *r, ag_str path, ag_err *err)
{
	struct stat sb;

	return !stat(ag_str_cstr(r->arena, path), &sb) && S_ISDIR(sb.st_mode)
	               ? read_folder(r, path, AG_S(""), 0, err)
	               : read_one(r, path, err);
}

ag_status ag_app_files_read(ag_str path, bool (*is_wanted_name)(ag_str name),
                            const atomic_bool *cancel, ag_arena *arena, ag_zip_file **ret,
                            size_t *nret, ag_err *err)
{
	reading r = { .arena = arena, .cancel = cancel, .is_wanted = is_wanted_name };
	ag_status st = read_path(&r, path, err);

	if (st)
		return st;
	*ret = r.files;
	*nret = r.n;
	return AG_OK;
}

ag_status ag_app_knowledge_read(ag_str path, int64_t now_ms, const atomic_bool *cancel,
                                ag_arena *arena, ag_know_source *ret, bool *ret_is_own, ag_err *err)
{
	reading r = { .arena = arena, .cancel = cancel, .now_ms = now_ms, .is_wanted = is_wanted };
	ag_status st = read_path(&r, path, err);

	if (st)
		return st;
	if (!r.n) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s has no Markdown or YAML file",
		        AG_FMT(ag_utf8_prefix(path, 200)));
		return AG_NOT_FOUND;
	}
	qsort(r.files, r.n, sizeof(*r.files), by_name);
	return objects_of(&r, ret, ret_is_own, err);
}

/* --- writing --- */

static ag_status make_folder(const char *path, ag_err *err)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		return ag_fail_errno(err, errno, ORIGIN, "cannot make the folder \"%.200s\"", path);
	return AG_OK;
}

static ag_status write_folder(ag_str path, const ag_zip_file *files, size_t n, ag_arena *arena,
                              ag_err *err)
{
	ag_status st = make_folder(ag_str_cstr(arena, path), err);

	for (int i = 0; i < AG_KNOW_NKIND && !st; i++)
		st = make_folder(
			ag_str_printf(arena, "%.*s/%s", AG_FMT(path), ag_know_types[i].folder).ptr,
			err);
	for (size_t i = 0; i < n && !st; i++)
		st = ag_file_replace(ag_str_printf(arena, "%.*s/%.*s", AG_FMT(path),
		                                   AG_FMT(files[i].name)),
		                     files[i].text, err);
	return st;
}

ag_status ag_app_knowledge_write(ag_str path, const ag_know *list, size_t n, ag_arena *arena,
                                 ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(2 * AG_ZIP_MAX_BYTES);
	ag_zip_file *files = ag_new_n(arena, ag_zip_file, n + 1);
	ag_status st;

	for (size_t i = 0; i < n; i++) {
		ag_buf_clear(&out);
		ag_know_markdown_write(&list[i], &out);
		files[i] = (ag_zip_file){ ag_know_markdown_name(&list[i], arena),
			                  ag_buf_dup(arena, &out) };
	}
	if (!ends_in(path, ".zip"))
		return write_folder(path, files, n, arena, err);
	ag_buf_clear(&out);
	st = ag_zip_write(files, n, &out, err);
	return st ? st : ag_file_replace(path, ag_buf_view(&out), err);
}

/* --- the comments of a database --- */

static ag_val column_comments(const ag_dict_table *t, ag_arena *arena)
{
	ag_member *m = ag_new_n(arena, ag_member, t->ncolumn + 1);
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumn && n < AG_KNOW_MAX_ITEMS; i++) {
		if (ag_str_trim(t->columns[i].comment).len)
			m[n++] = (ag_member){
				t->columns[i].name,
				ag_val_str(ag_utf8_prefix(ag_str_trim(t->columns[i].comment), 2000))
			};
	}
	return ag_val_object(m, n);
}

ag_status ag_app_knowledge_comments(const ag_dictionary *d, int64_t now_ms, ag_arena *arena,
                                    ag_know_source *ret, ag_err *err)
{
	ag_status st = AG_OK;

	*ret = (ag_know_source){ .objects = ag_new_n(arena, ag_know, d->ntable + 1) };
	for (size_t i = 0; i < d->ntable && !st; i++) {
		const ag_dict_table *t = &d->tables[i];
		const ag_str text = ag_str_trim(t->comment);
		const ag_val notes = column_comments(t, arena);
		const ag_member m[] = { { AG_S("description"),
			                  ag_val_str(
						  text.len ? ag_utf8_prefix(text, AG_KNOW_MAX_TEXT)
							   : AG_S("Its columns have comments.")) },
			                { AG_S("column_notes"), notes } };
		const ag_val fields = ag_val_object(m, 2);

		if (!text.len && !notes.n)
			continue;
		st = ag_know_make(AG_KNOW_TABLE, t->name, &fields, arena, &ret->objects[ret->n],
		                  err);
		if (!st)
			ret->objects[ret->n].created_ms = ret->objects[ret->n].changed_ms = now_ms;
		ret->n += !st;
	}
	return st;
}
