/* files_list -- from a path or file:// URI to data files with collection names.
 *
 * A file that is named is taken, whatever it is called; in a folder only known extensions count. Two files
 * of one folder never share a collection name: where they would ("orders.csv", "orders.json"), both keep
 * their extension. Read ag_files_list (at the end) first. */
#include "documents/files_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "base/path_near.h"

#define PART "documents.files"

static const struct extension {
	ag_str text;
	ag_format format;
} extensions[] = {
	{ AG_S_INIT(".ndjson"), AG_FORMAT_AUTO }, { AG_S_INIT(".jsonl"), AG_FORMAT_AUTO },
	{ AG_S_INIT(".json"), AG_FORMAT_AUTO },   { AG_S_INIT(".bson"), AG_FORMAT_BSON },
	{ AG_S_INIT(".csv"), AG_FORMAT_CSV },     { AG_S_INIT(".tsv"), AG_FORMAT_TSV },
};

static const char accepted[] = "data files end in .ndjson .jsonl .json .bson .csv .tsv";

static bool ends_with(ag_str s, ag_str end)
{
	return s.len >= end.len && ag_str_ieq(ag_str_make(s.ptr + s.len - end.len, end.len), end);
}

static const struct extension *extension_of(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(extensions); i++) {
		if (name.len > extensions[i].text.len && ends_with(name, extensions[i].text))
			return &extensions[i];
	}
	return NULL;
}

bool ag_source_is_data_name(ag_str name)
{
	return extension_of(name) != NULL;
}

static ag_str base_name(ag_str path)
{
	size_t end = path.len;
	size_t at;

	while (end > 1 && path.ptr[end - 1] == '/')
		end--;
	for (at = end; at > 0 && path.ptr[at - 1] != '/'; at--)
		;
	return at < end ? ag_str_make(path.ptr + at, end - at) : AG_S("/");
}

/* --- paths --------------------------------------------------------------------------------------- */

/* What was mistyped as a path may be a URI with a password ("user:secret@host"). */
static ag_str without_secret(ag_str path, ag_arena *arena)
{
	ptrdiff_t colon = ag_str_find(path, ':');
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '@')
		at--;
	if (colon < 0 || at <= (size_t)colon)
		return path;
	return ag_str_printf(arena, "%.*s:***@%.*s", (int)colon, path.ptr, (int)(path.len - at),
	                     path.ptr + at);
}

static ag_status fail_path(ag_str path, int errnum, ag_arena *arena, ag_err *err)
{
	ag_str shown = without_secret(path, arena);
	ag_status st;

	if (errnum == ENOENT || errnum == ENOTDIR) {
		st = ag_fail(err, AG_NOT_FOUND, PART, "no such file or folder: %.*s",
		             AG_FMT(shown));
		ag_err_hint(err, "want a data file or a folder of them; %s", accepted);
		return st;
	}
	return ag_fail_errno(err, errnum, PART, "cannot read %.*s", AG_FMT(shown));
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static ag_status percent_decode(ag_str s, ag_arena *arena, ag_str *ret, ag_err *err)
{
	char *out = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		int hi, lo;

		if (s.ptr[i] != '%') {
			out[n++] = s.ptr[i];
			continue;
		}
		hi = i + 2 < s.len ? hex_digit(s.ptr[i + 1]) : -1;
		lo = i + 2 < s.len ? hex_digit(s.ptr[i + 2]) : -1;
		if (hi < 0 || lo < 0 || hi + lo == 0)
			return ag_fail(
				err, AG_INVALID, PART,
				"byte %zu of the file URI's path: want %% and two hex digits "
				"that are not 00",
				i);
		out[n++] = (char)(hi << 4 | lo);
		i += 2;
	}
	*ret = ag_str_make(out, n);
	return AG_OK;
}

bool ag_files_is_uri(ag_str uri)
{
	return uri.len >= 6 && ag_str_ieq(ag_str_make(uri.ptr, 6), AG_S("file:/"));
}

/* RFC 8089: file:/path, file:///path, file://localhost/path. The result is NUL-terminated. */
static ag_status path_of(ag_str uri, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_str rest;
	ptrdiff_t slash;

	if (!ag_files_is_uri(uri)) {
		*ret = ag_str_dup(arena, uri);
		return AG_OK;
	}
	rest = ag_str_make(uri.ptr + 5, uri.len - 5);
	if (ag_str_starts(rest, AG_S("//"))) {
		rest = ag_str_make(rest.ptr + 2, rest.len - 2);
		slash = ag_str_find(rest, '/');
		/* Not shown: it may hold a password. */
		if (slash < 0 || (slash > 0 && !ag_str_ieq(ag_str_make(rest.ptr, (size_t)slash),
		                                           AG_S("localhost")))) {
			ag_status st = ag_fail(err, AG_INVALID, PART,
			                       "a file URI may not name another host");

			ag_err_hint(err, "write file:///folder/orders.ndjson, or the plain path");
			return st;
		}
		rest = ag_str_make(rest.ptr + slash, rest.len - (size_t)slash);
	}
	return percent_decode(rest, arena, ret, err);
}

static ag_status canonical(ag_str path, ag_arena *arena, ag_str *ret, ag_err *err)
{
	char *real = ag_fault("files.stat") ? NULL : realpath(path.ptr, NULL);

	if (!real)
		return fail_path(path, errno, arena, err);
	*ret = ag_str_dup(arena, ag_str_c(real));
	free(real);
	return AG_OK;
}

/* --- names --------------------------------------------------------------------------------------- */

static ag_str stem_of(ag_str name)
{
	const struct extension *e = extension_of(name);

	return e ? ag_str_make(name.ptr, name.len - e->text.len) : name;
}

static int by_name(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_data_file *)a)->name, ((const ag_data_file *)b)->name);
}

static int by_collection(const void *a, const void *b)
{
	const ag_data_file *x = *(const ag_data_file *const *)a;
	const ag_data_file *y = *(const ag_data_file *const *)b;

	return ag_str_cmp(x->collection, y->collection);
}

/* A whole file name may be the short name of another ("a.json" and "a.json.csv"), so again until no two are
 * the same. Each round lengthens at least one name: it ends. */
static void name_collections(ag_data_file *files, size_t n, ag_arena *arena)
{
	ag_data_file **order = ag_new_n(arena, ag_data_file *, n);
	bool changed = true;

	for (size_t i = 0; i < n; i++) {
		files[i].collection = stem_of(files[i].name);
		order[i] = &files[i];
	}
	while (changed) {
		changed = false;
		qsort(order, n, sizeof(ag_data_file *), by_collection);
		for (size_t i = 0, end; i < n; i = end) {
			for (end = i + 1; end < n && by_collection(&order[i], &order[end]) == 0;
			     end++)
				;
			for (size_t k = i; end - i > 1 && k < end; k++) {
				changed = changed || order[k]->collection.len < order[k]->name.len;
				order[k]->collection = order[k]->name;
			}
		}
	}
}

/* mongodump writes the indexes of orders.bson into orders.metadata.json: no documents. */
static bool is_dump_metadata(ag_str name, const ag_data_file *files, size_t n)
{
	static const ag_str end = AG_S_INIT(".metadata.json");

	if (!ends_with(name, end))
		return false;
	name.len -= end.len;
	for (size_t i = 0; i < n; i++) {
		if (files[i].format == AG_FORMAT_BSON && ag_str_eq(stem_of(files[i].name), name))
			return true;
	}
	return false;
}

/* --- folders ------------------------------------------------------------------------------------- */

typedef struct listing {
	ag_arena *arena;
	ag_str folder;
	ag_data_file *files;
	size_t n, cap;
	ag_source_skip *skipped;
	size_t nskipped, skipped_cap;
	bool has_folders;
} listing;

/* Names of files that hold no collection: they are not worth a word. */
static const char *const no_data[] = {
	".md",  ".rst",  ".html", ".htm",     ".css", ".js",   ".mjs",  ".ts",      ".py",
	".sh",  ".c",    ".h",    ".java",    ".go",  ".rs",   ".yaml", ".yml",     ".toml",
	".ini", ".cfg",  ".conf", ".pdf",     ".png", ".jpg",  ".jpeg", ".gif",     ".svg",
	".ico", ".lock", ".log",  ".license", ".bak", ".orig", ".tmp",  ".example",
};

static const char *const compressed[] = { ".gz",  ".gzip", ".bz2", ".xz",  ".zst", ".lz4",
	                                  ".zip", ".7z",   ".tar", ".tgz", ".rar", ".br" };

static const char *const other_data[] = {
	".parquet", ".avro", ".orc",    ".feather", ".arrow",  ".xlsx", ".xls", ".ods",
	".xml",     ".db",   ".sqlite", ".sqlite3", ".pickle", ".pkl",  ".dbf", ".dta",
	".sav",     ".rds",  ".h5",     ".hdf5",    ".psv",    ".dat",  ".txt", ".tab",
};

static bool ends_with_any(ag_str name, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name.len > strlen(ends[i]) && ends_with(name, ag_str_c(ends[i])))
			return true;
	return false;
}

static void add_skipped(listing *l, ag_str path, const char *reason, const char *next_step,
                        bool is_data)
{
	if (l->nskipped == AG_FILES_MAX)
		return;
	if (l->nskipped == l->skipped_cap) {
		const size_t cap = l->skipped_cap ? l->skipped_cap * 2 : 16;
		ag_source_skip *more = ag_new_n(l->arena, ag_source_skip, cap);

		if (l->nskipped)
			memcpy(more, l->skipped, l->nskipped * sizeof(*more));
		l->skipped = more;
		l->skipped_cap = cap;
	}
	l->skipped[l->nskipped++] = (ag_source_skip){ ag_str_dup(l->arena, path), reason, next_step,
		                                      is_data };
}

/* A folder is worth a word when a data file is in it. */
static bool holds_data(ag_str folder)
{
	DIR *d = opendir(folder.ptr);
	const struct dirent *entry;
	bool found = false;

	while (d && !found && (entry = readdir(d)) != NULL)
		found = entry->d_name[0] != '.' && extension_of(ag_str_c(entry->d_name));
	if (d)
		closedir(d);
	return found;
}

/* An entry that is no data file of ours. */
static void skip_entry(listing *l, ag_str path, mode_t mode)
{
	const ag_str name = base_name(path);

	if (S_ISDIR(mode)) {
		if (holds_data(path))
			add_skipped(l, path, "folder below", "audit it as a source of its own",
			            true);
	} else if (extension_of(name)) {
		add_skipped(l, path, "not a regular file", "write its data to a file", true);
	} else if (ends_with_any(name, compressed, AG_NELEM(compressed))) {
		add_skipped(l, path, "compressed", "decompress it, as with gunzip", true);
	} else if (ends_with_any(name, other_data, AG_NELEM(other_data))) {
		add_skipped(l, path, "unsupported format", "export it as NDJSON or CSV", true);
	} else if (S_ISREG(mode) && memchr(name.ptr, '.', name.len) &&
	           !ends_with_any(name, no_data, AG_NELEM(no_data))) {
		add_skipped(l, path, "unknown file type", "name it as a source if it holds data",
		            false);
	}
}

static ag_status list_entry(listing *l, DIR *d, const char *entry, ag_err *err)
{
	const struct extension *e = extension_of(ag_str_c(entry));
	ag_str path = ag_str_printf(l->arena, "%.*s%s%s", AG_FMT(l->folder),
	                            ag_str_ends(l->folder, AG_S("/")) ? "" : "/", entry);
	struct stat sb;

	if (ag_fault("files.stat") || fstatat(dirfd(d), entry, &sb, 0)) {
		const int errnum = errno;

		if (entry[0] == '.')
			return AG_OK;
		if (errnum != ENOENT && errnum != ELOOP && e)
			return fail_path(path, errnum, l->arena, err);
		if (e) /* deleted meanwhile, or a link without a target */
			add_skipped(l, path, "link without a target", "mend or remove the link",
			            true);
		return AG_OK;
	}
	if (entry[0] == '.') {
		if (e && S_ISREG(sb.st_mode))
			add_skipped(l, path, "hidden", "name it as a source if it holds data",
			            false);
		return AG_OK;
	}
	l->has_folders = l->has_folders || S_ISDIR(sb.st_mode);
	if (!e || !S_ISREG(sb.st_mode)) {
		skip_entry(l, path, sb.st_mode);
		return AG_OK;
	}
	if (l->n == AG_FILES_MAX)
		return ag_fail(err, AG_LIMIT, PART, "%.*s holds more than %d data files",
		               AG_FMT(l->folder), AG_FILES_MAX);
	if (l->n == l->cap) {
		ag_data_file *more = ag_new_n(l->arena, ag_data_file, l->cap ? l->cap * 2 : 64);

		if (l->n > 0)
			memcpy(more, l->files, l->n * sizeof(*more));
		l->files = more;
		l->cap = l->cap ? l->cap * 2 : 64;
	}
	l->files[l->n++] =
		(ag_data_file){ .path = path, .name = base_name(path), .format = e->format };
	return AG_OK;
}

static ag_status read_folder(listing *l, ag_err *err)
{
	DIR *d = ag_fault("files.list") ? NULL : opendir(l->folder.ptr);
	const struct dirent *entry;
	ag_status st = AG_OK;

	if (!d)
		return fail_path(l->folder, errno, l->arena, err);
	while (!st) {
		errno = 0;
		entry = ag_fault("files.list") ? NULL : readdir(d);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			st = list_entry(l, d, entry->d_name, err);
	}
	if (!st && errno)
		st = fail_path(l->folder, errno, l->arena, err);
	closedir(d);
	return st;
}

static ag_status list_folder(ag_str folder, ag_arena *arena, ag_data_file **ret, size_t *nret,
                             ag_err *err)
{
	listing l = { .arena = arena, .folder = folder };
	ag_str key;
	size_t n = 0;
	ag_status st;

	st = canonical(folder, arena, &key, err);
	if (st)
		return st;
	st = read_folder(&l, err);
	if (st)
		return st;
	for (size_t i = 0; i < l.n; i++) {
		if (!is_dump_metadata(l.files[i].name, l.files, l.n))
			l.files[n++] = l.files[i];
	}
	if (n == 0) {
		st = ag_fail(err, AG_NOT_FOUND, PART, "no data files in %.*s", AG_FMT(folder));
		const char *below = l.has_folders ? "; folders below are read only when named" : "";

		if (l.nskipped)
			ag_err_hint(err, "%s%s; skipped: %.*s%s (%s: %s)", accepted, below,
			            AG_FMT(base_name(l.skipped[0].path)),
			            l.nskipped > 1 ? " and others" : "", l.skipped[0].reason,
			            l.skipped[0].next_step);
		else
			ag_err_hint(err, "%s%s", accepted, below);
		return st;
	}
	qsort(l.files, n, sizeof(*l.files), by_name);
	name_collections(l.files, n, arena);
	for (size_t i = 0; i < n; i++) {
		l.files[i].database = base_name(key);
		st = canonical(l.files[i].path, arena, &l.files[i].key, err);
		if (st)
			return st;
	}
	*ret = l.files;
	*nret = n;
	return AG_OK;
}

static int by_path(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_source_skip *)a)->path, ((const ag_source_skip *)b)->path);
}

ag_status ag_files_skipped(ag_str uri, ag_arena *arena, ag_source_skip **ret, size_t *nret,
                           ag_err *err)
{
	listing l = { .arena = arena };
	struct stat sb;
	ag_status st;

	*ret = NULL;
	*nret = 0;
	if (ag_str_eqc(uri, "-"))
		return AG_OK;
	st = path_of(uri, arena, &l.folder, err);
	if (st)
		return st;
	if (stat(l.folder.ptr, &sb))
		return fail_path(l.folder, errno, arena, err);
	if (!S_ISDIR(sb.st_mode))
		return AG_OK;
	st = read_folder(&l, err);
	if (st)
		return st;
	if (l.nskipped)
		qsort(l.skipped, l.nskipped, sizeof(*l.skipped), by_path);
	*ret = l.skipped;
	*nret = l.nskipped;
	return AG_OK;
}

static ag_status one_file(ag_str path, ag_arena *arena, ag_data_file **ret, size_t *nret,
                          ag_err *err)
{
	ag_data_file *f = ag_new(arena, ag_data_file);
	ag_str name = base_name(path);
	const struct extension *e = extension_of(name);
	size_t nfolder = (size_t)(name.ptr - path.ptr);
	ag_str folder;
	ag_status st;

	st = canonical(path, arena, &f->key, err);
	if (st)
		return st;
	/* The folder it was named in; a link's own folder would be a surprise. */
	st = canonical(nfolder ? ag_str_dup(arena, ag_str_make(path.ptr, nfolder)) : AG_S("."),
	               arena, &folder, err);
	if (st)
		return st;
	f->path = path;
	f->name = name;
	f->collection = stem_of(name);
	f->database = base_name(folder);
	f->format = e ? e->format : AG_FORMAT_AUTO;
	f->is_named = true;
	*ret = f;
	*nret = 1;
	return AG_OK;
}

ag_str ag_files_base(ag_str uri, ag_arena *arena)
{
	ag_err ignored = { 0 };
	ag_str path, real;

	if (ag_str_eqc(uri, "-"))
		return AG_S("stdin");
	if (path_of(uri, arena, &path, &ignored))
		return AG_S("");
	if (canonical(path, arena, &real, &ignored))
		real = path; /* it is gone: as it was written */
	while (real.len > 1 && real.ptr[real.len - 1] == '/')
		real.len--;
	return real;
}

/* All data that is ever piped in is one collection to history and diff. */
static void list_stdin(ag_arena *arena, ag_data_file **ret, size_t *nret)
{
	*ret = ag_new(arena, ag_data_file);
	**ret = (ag_data_file){ .path = AG_S("-"),
		                .key = AG_S("stdin"),
		                .name = AG_S("-"),
		                .collection = AG_S("stdin"),
		                .is_named = true };
	*nret = 1;
}

ag_status ag_files_list(ag_str uri, ag_arena *arena, ag_data_file **ret, size_t *nret, ag_err *err)
{
	struct stat sb;
	ag_str path;
	ag_status st;

	if (ag_str_eqc(uri, "-")) {
		list_stdin(arena, ret, nret);
		return AG_OK;
	}
	st = path_of(uri, arena, &path, err);
	if (st)
		return st;
	if (ag_fault("files.stat") || stat(path.ptr, &sb)) {
		st = fail_path(path, errno, arena, err);
		return st == AG_NOT_FOUND ? ag_path_near_hint(path, arena, err) : st;
	}
	if (S_ISDIR(sb.st_mode))
		return list_folder(path, arena, ret, nret, err);
	if (S_ISREG(sb.st_mode))
		return one_file(path, arena, ret, nret, err);
	st = ag_fail(err, AG_INVALID, PART, "%.*s is neither a file nor a folder", AG_FMT(path));
	ag_err_hint(err,
	            "a pipe is read as standard input: name it -, or write the data to a file");
	return st;
}
