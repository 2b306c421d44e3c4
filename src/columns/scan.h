/* scan -- one worker's state for reading blocks of a file into chunks. Internal to columns/.
 *
 * To add a format: a scanner that walks scan->p[0 .. len) and calls ag_build_*() per document or
 * ag_scan_issue() per broken one; a row in block_scanners[] of load.c; and, where a block cannot be cut at
 * any newline, a splitter for plan.c. */
#ifndef AG_COLUMNS_SCAN_H
#define AG_COLUMNS_SCAN_H

#include "base/err.h"
#include "columns/builder.h"
#include "columns/split.h"
#include "query/extjson.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_SCAN_MAX_ISSUES 20
#define AG_SCAN_PAD        64 /* bytes that may be read (not used) behind a block's last one */

typedef struct ag_scan_issue {
	uint64_t
		line; /* from 0, after the first line of the block; BSON: document number in the block */
	uint64_t byte; /* offset in the file */
	char what[160];
} ag_scan_issue;

typedef struct ag_csv_head ag_csv_head;       /* csv.h */
typedef struct ag_ctx ag_ctx;                 /* run/ctx.h, which is C only */
typedef struct ag_json_parser ag_json_parser; /* scan_json.cc: simdjson's, made on first use */

typedef struct ag_scan {
	/* kept between blocks */
	ag_builder b;
	ag_arena *scratch;
	ag_json_parser *json;
	char *buf; /* what `p` points into */
	size_t cap;
	/* the block */
	const char *p;
	size_t len;
	uint64_t at;         /* offset of p in the file */
	size_t end;          /* NDJSON: lines that start at or behind it belong to the next block */
	ag_json_split split; /* JSON: state of the splitter at the start */
	const ag_csv_head *csv;
	size_t max_doc_bytes;
	const ag_ctx *ctx;
	unsigned ndoc; /* documents since the block began; see ag_scan_goes_on() */
	/* what came out, beside the chunk */
	uint64_t nline; /* newlines in p[0 .. end or len) */
	uint64_t broken;
	uint64_t short_rows; /* CSV: records kept with fewer cells than the header */
	ag_scan_issue issues[AG_SCAN_MAX_ISSUES];
	size_t nissue;
	ag_extjson_notes notes;
} ag_scan;

void ag_scan_init(ag_scan *s);
void ag_scan_release(ag_scan *s);
/* Count a broken document that starts at p[at], seen at line `line` of the block. */
AG_PRINTF(4, 5)
void ag_scan_issue_add(ag_scan *s, uint64_t line, size_t at, const char *fmt, ...);

/* True while the run has time and is not cancelled. Scanners call it before each document and return
 * early on false; the block is then incomplete, and ag_ctx_check() gives the reason. Reads the clock once
 * per 256 documents. */
bool ag_scan_goes_on(ag_scan *s);

void ag_scan_ndjson(ag_scan *s);
void ag_scan_json(ag_scan *s);
void ag_scan_bson(ag_scan *s);
void ag_scan_csv(ag_scan *s);

/* One JSON text at p[at .. at + n) as one document; AG_SCAN_PAD bytes behind it may be read. */
void ag_scan_json_doc(ag_scan *s, size_t at, size_t n, uint32_t line);
void ag_json_parser_free(ag_json_parser *p);

/* Offset of the first byte that is not UTF-8, or -1. */
ptrdiff_t ag_scan_bad_utf8(const char *p, size_t n);

#ifdef __cplusplus
}
#endif
#endif
