/* table -- a collection of documents as typed columns: load, count, match, fetch, aggregate.
 *
 * Loading reads NDJSON, concatenated JSON, JSON arrays, BSON dumps, CSV and TSV in one parallel pass. A
 * table is immutable after loading: any number of threads may read it. The result does not depend on the
 * number of threads.
 *
 * CSV rule: a cell is a STRING; unless it was quoted, text that reads as a canonical integer (no leading
 * zero, no "+"), decimal number, true/false, or an ISO date gets a typed view beside it (numbers: INT32,
 * INT64, DOUBLE when the text round-trips, else DECIMAL; an empty unquoted cell: NULL). Comparisons ($gt …),
 * $eq, $in, $mod see view and text (either may match), $regex sees the text, $type sees both, aggregation
 * expressions and statistics see the view if there is one. A column of a file whose cells are all quoted,
 * apart from empty ones, is read as if it were not quoted; "" is NULL there unless other empty cells of
 * the column are not quoted. A column that is mostly in the notation of a country (12,5 or 1.234,50; 31.12.2024,
 * 31/12/2024 or 12/31/2024) has views of these texts; csv_notation.c says when. A header row is required; a missing cell at the end of a short row
 * is absent, an extra cell makes the line broken. */
#ifndef AG_COLUMNS_TABLE_H
#define AG_COLUMNS_TABLE_H

#include "columns/bits.h"
#include "query/filter.h"
#include "query/pipeline.h"
#include "run/ctx.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_table ag_table;

typedef enum ag_format {
	AG_FORMAT_AUTO,   /* by name (.bson .csv .tsv), else by the first bytes */
	AG_FORMAT_NDJSON, /* one document a line */
	AG_FORMAT_JSON,   /* an array of documents, or documents one after another over any lines */
	AG_FORMAT_BSON,
	AG_FORMAT_CSV, /* separator found among , ; tab | from the header line */
	AG_FORMAT_TSV
} ag_format;

#define AG_TABLE_MAX_DOC_BYTES (64u * 1024 * 1024)
#define AG_TABLE_MAX_ISSUES    20

typedef struct ag_table_opts {
	ag_format format;
	bool strict;          /* the first broken line is an error */
	size_t max_doc_bytes; /* 0 = AG_TABLE_MAX_DOC_BYTES */
} ag_table_opts;

typedef struct ag_table_issue {
	ag_str file;
	uint64_t
		line; /* from 1; 0 where lines mean nothing (BSON: number of the document instead) */
	uint64_t byte; /* offset in the file, from 0 */
	ag_str what;   /* "unclosed string", … */
} ag_table_issue;

typedef struct ag_table_info {
	uint64_t ndoc, nbyte;
	ag_format format;
	uint64_t broken;              /* documents or lines left out */
	const ag_table_issue *issues; /* the first AG_TABLE_MAX_ISSUES of them, in order */
	size_t nissue;
	/* documents kept, but something in them was bent */
	uint64_t duplicate_keys, lone_surrogates, big_numbers, overflows;
	uint64_t short_rows;      /* CSV records with fewer cells than the header */
	uint64_t renamed_columns; /* CSV headers without a name, or with that of another column */
	bool has_views;           /* CSV */
	uint64_t content_hash[2]; /* XXH3 128 over the XXH3 128 of each 4 MiB of each file */
	int64_t mtime_ms;         /* newest of the files */
} ag_table_info;

/* Files are read in the order given, as one collection. errors: AG_NOT_FOUND, AG_DENIED, AG_IO with the
 * file's name; AG_INVALID when the file is no known format (the message says what it looks like), or strict
 * and broken; AG_CANCELLED, AG_TIMEOUT. A file that shrinks while it is read is AG_IO, never a crash. */
AG_CHECK ag_status ag_table_load(const ag_ctx *ctx, const char *const *files, size_t nfile,
                                 const ag_table_opts *opts, ag_table **ret, ag_err *err);
/* A table of documents that are already values (tests, samples of a server). */
AG_CHECK ag_status ag_table_from_values(const ag_ctx *ctx, const ag_val *docs, size_t ndoc,
                                        ag_table **ret, ag_err *err);
ag_table *ag_table_free(ag_table *t);
void ag_table_freep(ag_table **t);

const ag_table_info *ag_table_info_of(const ag_table *t);
/* Bytes of memory that the table keeps until it is freed. */
uint64_t ag_table_memory(const ag_table *t);

/* Documents that match, exactly as ag_filter_match() on each would say (CSV: by the rule above).
 * *ret is initialised here, one bit per document; the caller releases it. */
AG_CHECK ag_status ag_table_match(const ag_table *t, const ag_ctx *ctx, const ag_filter *f,
                                  ag_bits *ret, ag_err *err);
AG_CHECK ag_status ag_table_count(const ag_table *t, const ag_ctx *ctx, const ag_filter *f,
                                  uint64_t *ret, ag_err *err);
/* Document i with its members in the order of the source; CSV cells as text. Strings are views into
 * the table. */
ag_val ag_table_doc(const ag_table *t, ag_arena *arena, uint64_t i);
/* The same, CSV cells as their views; and only the top-level members named (npath 0 = all), which is what
 * pipelines need. */
ag_val ag_table_doc_view(const ag_table *t, ag_arena *arena, uint64_t i, const ag_str *members,
                         size_t nmember);
/* A document: `doc` has CSV cells as text, `view` as their views (in other formats both are the same). They live until the
 * function returns; strings are views into the table. */
typedef ag_status (*ag_doc_fn)(void *arg, uint64_t i, const ag_val *doc, const ag_val *view,
                               ag_err *err);
/* Calls fn for the documents in `rows` (NULL = all), in order, on this thread; only the top-level members named (nmember 0 =
 * all) are read. Stops at its first failure. */
AG_CHECK ag_status ag_table_each(const ag_table *t, const ag_ctx *ctx, const ag_bits *rows,
                                 const ag_str *members, size_t nmember, ag_doc_fn fn, void *arg,
                                 ag_err *err);
/* Where document i came from. */
void ag_table_doc_where(const ag_table *t, uint64_t i, ag_str *ret_file, uint64_t *ret_line,
                        uint64_t *ret_byte);
/* Run a pipeline; a leading $match is done on columns. At most max_results documents come back. */
AG_CHECK ag_status ag_table_aggregate(const ag_table *t, const ag_ctx *ctx, const ag_pipeline *p,
                                      ag_arena *arena, size_t max_results, const ag_val **ret,
                                      size_t *nret, ag_err *err);

/* For columns/profile.c and columns/survey.c only. */
struct ag_chunk;
size_t ag_table_nchunk(const ag_table *t);
const struct ag_chunk *ag_table_chunk(const ag_table *t, size_t i);

/* Run fn(arg, i) for i in 0..n-1 on ctx->nthread threads, in no particular order; stops at the first
 * failure, which is returned (the one with the lowest i, so that errors do not depend on timing). */
AG_CHECK ag_status ag_parallel(const ag_ctx *ctx, size_t n,
                               ag_status (*fn)(void *arg, size_t i, ag_err *err), void *arg,
                               ag_err *err);

#ifdef __cplusplus
}
#endif
#endif
