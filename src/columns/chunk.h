/* chunk -- the columns of one block of documents. Internal to columns/.
 *
 * Input is cut by bytes (AG_CHUNK_INPUT_BYTES) into blocks, never by threads, and each block becomes a
 * chunk with a column tree of its own; so the result does not depend on the number of threads, chunks
 * are built in parallel without locks, and one chunk is the unit that can later be spilled and re-read.
 *
 * A column is one path of the tree. Its rows are the occurrences of that path in document order:
 *
 *   {"a":[{"b":1},{"b":"x"}]}      root column   rows: doc 0 (OBJECT)
 *   {"a":null}                                         doc 1 (OBJECT)
 *                                  .a            rows: up=0 ARRAY, up=1 NULL
 *                                  .a[]          rows: up=0 OBJECT, up=0 OBJECT     (up = row of .a)
 *                                  .a[].b        rows: up=0 INT32, up=1 STRING      (up = row of .a[])
 *
 * `up` ascends, so an "any"-fold to the parent is one linear walk, and finding the rows of one parent is
 * a binary search. A predicate is evaluated once per column and folded upwards to documents.
 *
 * Keys that are data: after AG_COL_MAX_NAMED different names below one object column, further new names go
 * to its single ANY child, which keeps the key of each row. A name is either always a named child or always
 * in ANY within one chunk.
 *
 * Key order: an OBJECT row's value is the id of its shape (the list of child columns in key order), so
 * documents are given back with their members in the order of the source. */
#ifndef AG_COLUMNS_CHUNK_H
#define AG_COLUMNS_CHUNK_H

#include "base/arena.h"
#include "query/path.h"
#include "query/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_CHUNK_INPUT_BYTES (4u * 1024 * 1024)
#define AG_COL_MAX_NAMED     10000 /* as many as a CSV may have columns */
#define AG_COL_NONE          UINT32_MAX
#define AG_COL_MAX_DEPTH     200 /* a document that nests deeper is reported as broken, not read */

typedef struct ag_col {
	uint32_t id;     /* index in chunk->cols; 0 is the root (the documents) */
	uint32_t parent; /* AG_COL_NONE for the root */
	uint32_t first_child, last_child,
		next_sibling; /* in order of first appearance; the ELEM and ANY
	                                                  * children are in that list as well */
	uint32_t elem, any;   /* that child's id, or AG_COL_NONE */
	uint32_t nnamed;      /* named children */
	ag_step_kind kind;    /* NAME, ELEM, ANY */
	ag_str name;          /* NAME only; in chunk->arena */
	uint32_t depth;

	uint32_t n, cap;    /* rows */
	uint32_t *up;       /* [n] row in the parent column; for top-level columns the document */
	uint8_t *type;      /* [n] ag_type as it was read (a CSV cell: STRING) */
	uint64_t *val;      /* [n] by type: see ag_col_* readers below */
	uint64_t *key;      /* [n] ANY only: the key as heap string */
	uint8_t *view_type; /* [n] CSV only, else NULL: type of the inferred view, MISSING = none */
	uint64_t *view_val; /* [n] CSV only */
} ag_col;

/* val by type: INT32, INT64, DATE, TIMESTAMP: the int64 bits. DOUBLE: its bits. BOOL: 0/1. OBJECT: shape id.
 * ARRAY: number of items. STRING, CODE, SYMBOL, BINARY (subtype is the byte before the data), REGEX
 * (pattern NUL options), OID (12 bytes), DECIMAL (16 bytes, lo then hi), CODE_W_SCOPE, DBPOINTER (canonical
 * extended JSON text): offset << 32 | bytes into heap. NULL, UNDEFINED, MINKEY, MAXKEY: 0. */
typedef struct ag_chunk {
	ag_arena *arena;
	ag_col **cols;
	uint32_t ncol, capcol;
	char *heap; /* string bytes, at most 4 GiB */
	size_t heap_len, heap_cap;
	uint32_t ndoc;
	uint64_t first_doc; /* index of its first document in the table */
	uint32_t file;      /* index of its file in the table */
	uint64_t *doc_at;   /* [ndoc] byte offset of each document in its file */
	uint64_t
		first_line; /* line number (from 1) at the chunk's start; 0 where lines mean nothing (BSON) */
	uint32_t *doc_line; /* [ndoc] lines after first_line; NULL where lines mean nothing */
	/* shape s is members[shape_at[s] .. shape_at[s+1]): column ids in key order */
	uint32_t *shape_at, *shape_members;
	uint32_t nshape, nshape_members;
} ag_chunk;

static inline ag_str ag_chunk_heap_str(const ag_chunk *c, uint64_t ref)
{
	return ag_str_make(c->heap + (ref >> 32), (size_t)(ref & 0xffffffffu));
}

/* One row as a value: OBJECT and ARRAY rows give only the type (n = members or items, pointers NULL).
 * CODE_W_SCOPE and DBPOINTER give their extended JSON text in u.pair.s and a MISSING extra. Strings are
 * views into the chunk. */
ag_val ag_col_val(const ag_chunk *c, const ag_col *col, uint32_t row);
/* The inferred view of a CSV cell, MISSING when it has none; any other row as ag_col_val(). */
ag_val ag_col_view(const ag_chunk *c, const ag_col *col, uint32_t row);
/* The document that a row belongs to (walks up). */
uint32_t ag_col_doc(const ag_chunk *c, const ag_col *col, uint32_t row);
/* Child by name, or NULL. */
const ag_col *ag_col_child(const ag_chunk *c, const ag_col *col, ag_str name);

#ifdef __cplusplus
}
#endif
#endif
