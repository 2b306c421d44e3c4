/* files -- local files as collections, on the embedded document engine of columns/.
 *
 * One handle is one file, loaded whole when it is opened. Tables are immutable, so the methods need no lock
 * and any number of threads may share a handle. What a folder holds decides files_list.c. */
#include "base/fault.h"
#include "base/utf8.h"
#include "columns/sample.h"
#include "documents/files_list.h"
#include "documents/marks.h"
#include "documents/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct files_source {
	ag_source base;
	ag_arena *arena; /* the texts of base.info */
	ag_table *table;
} files_source;

static const ag_table *table_of(const ag_source *s)
{
	return ((const files_source *)(const void *)s)->table;
}

static const char *format_name(ag_format f)
{
	static const char *const names[] = {
		[AG_FORMAT_AUTO] = "",     [AG_FORMAT_NDJSON] = "ndjson", [AG_FORMAT_JSON] = "json",
		[AG_FORMAT_BSON] = "bson", [AG_FORMAT_CSV] = "csv",       [AG_FORMAT_TSV] = "tsv",
	};

	return names[f];
}

/* --- open and close ------------------------------------------------------------------------------ */

static bool files_accepts(ag_str uri)
{
	return ag_source_scheme(uri).len == 0 || ag_files_is_uri(uri);
}

static void files_close(ag_source *s)
{
	files_source *f = (files_source *)s;

	ag_table_free(f->table);
	ag_arena_free(f->arena);
	free(f);
}

static void fill_info(files_source *f, const ag_data_file *file, ag_str uri)
{
	const ag_table_info *t = ag_table_info_of(f->table);
	ag_arena *a = f->arena;

	f->base.info = (ag_source_info){
		.uri = ag_str_dup(a, uri),
		.key = ag_str_dup(a, file->key),
		.collection = ag_str_dup(a, file->collection),
		.database = ag_str_dup(a, file->database),
		.format = ag_str_c(format_name(t->format)),
		.ndoc = t->ndoc,
		.nbyte = t->nbyte,
		.memory = ag_table_memory(f->table),
		.mtime_ms = t->mtime_ms,
		.content_hash = ag_str_printf(a, "%016" PRIx64 "%016" PRIx64, t->content_hash[0],
		                              t->content_hash[1]),
		.whole = true,
		.broken = t->broken,
		.issues = t->issues,
		.nissue = t->nissue,
		.duplicate_keys = t->duplicate_keys,
		.lone_surrogates = t->lone_surrogates,
		.big_numbers = t->big_numbers,
		.overflows = t->overflows,
		.short_rows = t->short_rows,
		.renamed_columns = t->renamed_columns,
	};
}

static ag_status files_open(const ag_ctx *ctx, const ag_source_place *place,
                            const ag_source_opts *opts, ag_source **ret, ag_err *err)
{
	const ag_data_file *file = (const ag_data_file *)place->of;
	const ag_table_opts how = { .format = file->format, .strict = opts->strict };
	const char *path = file->path.ptr;
	ag_table *table;
	files_source *f;
	ag_status st;

	/* What is said of it must be text: reports, logs, the store. */
	if (!ag_utf8_valid(file->key)) {
		ag_fail(err, AG_INVALID, "documents.files", "%s: the path is not UTF-8 text", path);
		return ag_err_hint(err, "rename it");
	}
	st = ag_table_load(ctx, &path, 1, &how, &table, err);
	if (st)
		return st;
	f = ag_xcalloc(1, sizeof(*f));
	f->base.type = &ag_source_files;
	f->arena = ag_arena_new();
	f->table = table;
	fill_info(f, file, place->uri);
	*ret = &f->base;
	return AG_OK;
}

/* The time of change as well: a tool that keeps the old modification time of a file (rsync -t, touch -r) cannot set it. */
static bool files_state(const ag_source_place *place, ag_source_state *ret)
{
	const ag_data_file *file = (const ag_data_file *)place->of;
	struct stat sb;

	if (ag_fault("files.stat") || stat(file->path.ptr, &sb) || !S_ISREG(sb.st_mode))
		return false;
	*ret = (ag_source_state){
		.device = sb.st_dev,
		.inode = sb.st_ino,
		.nbyte = (uint64_t)sb.st_size,
		.mtime_ns = (int64_t)sb.st_mtim.tv_sec * 1000000000 + sb.st_mtim.tv_nsec,
		.ctime_ns = (int64_t)sb.st_ctim.tv_sec * 1000000000 + sb.st_ctim.tv_nsec,
	};
	return !ag_str_eqc(file->path, "-");
}

static ag_status files_skipped(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_skip **ret,
                               size_t *nret, ag_err *err)
{
	(void)ctx;
	return ag_files_skipped(uri, arena, ret, nret, err);
}

static ag_status files_list(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_place **ret,
                            size_t *nret, ag_err *err)
{
	ag_data_file *files;
	size_t n;
	ag_status st = ag_files_list(uri, arena, &files, &n, err);

	(void)ctx;
	if (st)
		return st;
	*ret = ag_new_n(arena, ag_source_place, n);
	*nret = n;
	for (size_t i = 0; i < n; i++) {
		/* The URI of a file in a folder must open that file alone. */
		(*ret)[i] = (ag_source_place){
			.uri = files[i].is_named ? uri : files[i].path,
			.key = files[i].key,
			.collection = files[i].collection,
			.of = &files[i],
		};
	}
	return AG_OK;
}

/* --- queries ------------------------------------------------------------------------------------- */

static ag_str where_text(const ag_source *s, ag_arena *arena, uint64_t i)
{
	uint64_t line = 0, byte = 0;
	ag_str file = AG_S("");
	size_t at;

	ag_table_doc_where(table_of(s), i, &file, &line, &byte);
	for (at = file.len; at > 0 && file.ptr[at - 1] != '/'; at--)
		;
	file = ag_str_make(file.ptr + at, file.len - at);
	/* One file is one table here, so a document's number in the table is its number in the file. */
	if (line == 0 || ag_table_info_of(table_of(s))->format == AG_FORMAT_BSON)
		return ag_str_printf(arena, "%.*s#%" PRIu64, AG_FMT(file), line ? line : i + 1);
	return ag_str_printf(arena, "%.*s:%" PRIu64, AG_FMT(file), line);
}

static ag_status files_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                            const ag_safe_query *q, size_t limit, ag_found *ret, ag_err *err)
{
	AG_AUTO(ag_bits_release) ag_bits hits = { 0 };
	const ag_table *t = table_of(s);
	ag_found found = { 0 };
	uint64_t matched;
	ag_val *docs;
	ag_str *where;
	ag_status st;

	if (limit == 0) {
		st = ag_table_count(t, ctx, q->filter, &matched, err);
		if (st)
			return st;
		*ret = (ag_found){ .matched = matched };
		return AG_OK;
	}
	st = ag_table_match(t, ctx, q->filter, &hits, err);
	if (st)
		return st;
	found.matched = ag_bits_count(&hits);
	if (limit > found.matched)
		limit = (size_t)found.matched;
	docs = ag_new_n(arena, ag_val, limit);
	where = ag_new_n(arena, ag_str, limit);
	for (uint64_t i = ag_bits_next(&hits, 0); found.ndoc < limit;
	     i = ag_bits_next(&hits, i + 1)) {
		docs[found.ndoc] = ag_table_doc(t, arena, i);
		where[found.ndoc++] = where_text(s, arena, i);
	}
	found.docs = docs;
	found.where = where;
	*ret = found;
	return AG_OK;
}

static ag_status files_aggregate(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                 const ag_safe_query *q, size_t max_results, const ag_val **ret,
                                 size_t *nret, ag_err *err)
{
	return ag_table_aggregate(table_of(s), ctx, q->pipeline, arena, max_results, ret, nret,
	                          err);
}

static ag_status files_match(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q, ag_bits *ret,
                             ag_err *err)
{
	return ag_table_match(table_of(s), ctx, q->filter, ret, err);
}

static ag_status files_each(ag_source *s, const ag_ctx *ctx, const ag_bits *rows,
                            const ag_str *members, size_t nmember, ag_doc_fn fn, void *arg,
                            ag_err *err)
{
	return ag_table_each(table_of(s), ctx, rows, members, nmember, fn, arg, err);
}

static uint64_t files_byte(ag_source *s, uint64_t row)
{
	uint64_t line, byte;
	ag_str file;

	ag_table_doc_where(table_of(s), row, &file, &line, &byte);
	return byte;
}

static ag_status files_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                              uint64_t seed, ag_survey *ret, ag_err *err)
{
	AG_AUTO(ag_bits_release) ag_bits chosen = { 0 };

	if (n == 0 || n >= s->info.ndoc)
		return ag_table_survey(table_of(s), ctx, NULL, arena, ret, err);
	ag_sample_choose(seed, s->info.ndoc, n, &chosen);
	return ag_table_survey(table_of(s), ctx, &chosen, arena, ret, err);
}

static ag_status files_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                               uint64_t seed, ag_profile *ret, ag_err *err)
{
	AG_AUTO(ag_bits_release) ag_bits chosen = { 0 };

	if (n == 0 || n >= s->info.ndoc)
		return ag_table_profile(table_of(s), ctx, arena, ret, err);
	ag_sample_choose(seed, s->info.ndoc, n, &chosen);
	return ag_table_profile_of(table_of(s), ctx, &chosen, arena, ret, err);
}

static ag_status files_marks(ag_source *s, const ag_ctx *ctx, ag_source_mark *m, size_t n,
                             ag_err *err)
{
	return ag_table_source_marks(table_of(s), ctx, m, n, err);
}

static ag_status files_frames(ag_source *s, const ag_ctx *ctx, const ag_profile *p, ag_arena *arena,
                              ag_frames *ret, ag_err *err)
{
	return ag_table_frames(table_of(s), ctx, p, arena, ret, err);
}

static ag_source_root files_base(ag_str uri, ag_arena *arena)
{
	return (ag_source_root){ .key = ag_files_base(uri, arena) };
}

const ag_source_type ag_source_files = {
	.name = "files",
	.help = "files: a path or file:///path of a data file (.ndjson .jsonl .json .bson .csv .tsv) "
		"or of a folder of them",
	.is_shared = true,
	.accepts = files_accepts,
	.base = files_base,
	.list = files_list,
	.skipped = files_skipped,
	.state = files_state,
	.open = files_open,
	.close = files_close,
	.find = files_find,
	.aggregate = files_aggregate,
	.match = files_match,
	.each = files_each,
	.byte = files_byte,
	.survey = files_survey,
	.profile = files_profile,
	.marks = files_marks,
	.frames = files_frames,
};
