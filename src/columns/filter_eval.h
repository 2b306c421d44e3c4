/* filter_eval -- a filter over the rows of columns. Shared by filter_eval.c, filter_walk.c, filter_leaf.c. */
#ifndef AG_COLUMNS_FILTER_EVAL_H
#define AG_COLUMNS_FILTER_EVAL_H

#include "columns/table_impl.h"

#define AG_EVAL_MAX_STEPS 100000 /* columns visited for one filter in one chunk */

typedef struct ag_eval {
	const ag_chunk *c;
	const ag_ctx *ctx;
	ag_arena *scratch;    /* reset between rows */
	ag_doc_reader reader; /* values as they are */
	ag_doc_reader views;  /* CSV cells as their views */
	unsigned nstep;
	ag_status status; /* set when cancelled or over a limit: results no longer matter */
	ag_err err;
} ag_eval;

/* Each gives one bit per row of col; *ret is initialised here. */

/* ag_filter_match() on each row as a document. */
void ag_eval_filter(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret);
/* walk() of match.c from each row: some value at the end of the path satisfies the leaf. */
void ag_eval_walk(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret);
/* test() of match.c on each row itself. */
void ag_eval_test(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret);
bool ag_eval_test_missing(const ag_filter *f);

/* parent |= child: a row holds when any of its children does. */
void ag_eval_fold(const ag_eval *e, const ag_col *child, const ag_bits *bits, ag_bits *parent);
void ag_eval_set_all(ag_bits *b);
void ag_eval_invert(ag_bits *b);

#endif
