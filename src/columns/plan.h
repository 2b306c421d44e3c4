/* plan -- a file cut into blocks that are read independently. Internal to columns/. */
#ifndef AG_COLUMNS_PLAN_H
#define AG_COLUMNS_PLAN_H

#include <xxhash.h>

#include "columns/csv.h"
#include "columns/input.h"
#include "columns/scan.h"
#include "columns/split.h"

typedef struct ag_block {
	uint64_t at, end;   /* bytes of the file; NDJSON: the lines that start there */
	uint64_t line;      /* newlines before `at`; BSON: documents before it */
	ag_json_split json; /* state of the splitter at `at` */
	XXH128_hash_t hash; /* NDJSON: of its bytes */
	/* set when it was read */
	ag_chunk *chunk;
	uint64_t nline, broken;
	ag_scan_issue *issues; /* lines still relative to the block */
	size_t nissue;
	uint64_t short_rows;
	ag_extjson_notes notes;
	uint64_t duplicate_keys;
} ag_block;

typedef struct ag_plan {
	ag_format format;
	ag_block *blocks;
	size_t n, cap;
	XXH128_hash_t *hashes; /* of each AG_CHUNK_INPUT_BYTES of the file, in order */
	size_t nhash, caphash;
	ag_csv_head csv;
	size_t max_doc_bytes;
	bool unclosed_array; /* JSON: the file ends inside an array, after a complete document */
} ag_plan;

/* NDJSON is cut by arithmetic; all else is read once, in order, to find where documents end. */
AG_CHECK ag_status ag_plan_make(ag_plan *plan, const ag_ctx *ctx, const ag_input *in,
                                ag_arena *arena, ag_err *err);
void ag_plan_release(ag_plan *plan);

/* When all blocks of a CSV file were read: views for the columns whose cells are all quoted (csv_quoted.c).
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_csv_view_quoted(const ag_ctx *ctx, const ag_plan *plan, ag_err *err);
/* After that: views for the columns with decimal commas, or dates that begin with day or month (csv_notation.c).
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_csv_view_notation(const ag_ctx *ctx, const ag_plan *plan, ag_err *err);

#endif
