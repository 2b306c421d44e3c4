/* table_impl -- what a table is made of. For the files that build and read tables, nobody else. */
#ifndef AG_COLUMNS_TABLE_IMPL_H
#define AG_COLUMNS_TABLE_IMPL_H

#include "columns/chunk.h"
#include "columns/table.h"

struct ag_table {
	ag_arena *arena; /* file names, issue texts */
	ag_table_info info;
	ag_chunk **chunks; /* in order; none is empty */
	size_t nchunk, capchunk;
	ag_table_issue *issues; /* info.issues, while they are collected */
	ag_str *files;
	size_t nfile;
};

ag_table *ag_table_new(void);
/* Append a chunk (it belongs to the table from now on); one without documents is freed. */
void ag_table_add_chunk(ag_table *t, ag_chunk *c);

/* Puts documents of one chunk together. Reading them in ascending order is cheap: `hint` remembers where in
 * each column the last document was. One per thread. */
typedef struct ag_doc_reader {
	const ag_chunk *chunk;
	bool views;     /* CSV cells as their views */
	uint32_t *hint; /* [ncol] */
} ag_doc_reader;

void ag_doc_reader_init(ag_doc_reader *r, const ag_chunk *c, bool views);
void ag_doc_reader_release(ag_doc_reader *r);
/* Any row as a whole value. */
ag_val ag_doc_read_row(const ag_doc_reader *r, const ag_col *col, uint32_t row, ag_arena *arena);
/* Document i of the chunk, only the top-level members named (nmember 0 = all). */
ag_val ag_doc_read(const ag_doc_reader *r, uint32_t i, const ag_str *members, size_t nmember,
                   ag_arena *arena);

/* The documents of one chunk that match; *ret has chunk->ndoc bits, the caller releases it. */
AG_CHECK ag_status ag_chunk_match(const ag_chunk *c, const ag_ctx *ctx, const ag_filter *f,
                                  ag_bits *ret, ag_err *err);

#endif
