/* csv_quoted -- columns of a CSV file whose cells are all quoted.
 *
 * Many exporters quote every cell, so quotes alone do not mean text. A column in which every cell of the file is
 * quoted, apart from empty ones, is read as if it were not quoted. One plain cell that is not empty shows
 * that quotes mean text in this column; its quoted cells then have no view. Where plain empty cells are there, the
 * file tells NULL from "", and "" remains text.
 *
 * The decision needs the whole file, so it follows the reading of the blocks. It uses only what the cells are, so it
 * does not depend on the cut into blocks or on threads. */
#include <stdlib.h>

#include "columns/plan.h"
#include "run/ctx.h"

enum {
	HAS_QUOTED = 1,
	HAS_PLAIN = 2, /* not empty */
	HAS_BARE = 4,  /* plain and empty */
};

typedef struct quoted_run {
	const ag_ctx *ctx;
	const ag_plan *plan;
	uint8_t *seen; /* [blocks * columns] */
	uint8_t *all;  /* [columns] */
} quoted_run;

/* The columns of a CSV chunk follow its root in the order of the header. */
static ag_col *column(const ag_chunk *c, uint32_t i)
{
	AG_ASSERT(i + 1 < c->ncol);
	return c->cols[i + 1];
}

/* Stops at the first plain cell, so a column that is not quoted costs nothing. */
static uint8_t look(const ag_col *col)
{
	uint8_t seen = 0;

	for (uint32_t r = 0; r < col->n; r++) {
		if (col->view_type[r] == AG_T_NULL)
			seen |= HAS_BARE;
		else if (col->view_type[r] == AG_T_MISSING && col->view_val[r] == AG_CSV_QUOTED)
			seen |= HAS_QUOTED;
		else
			return HAS_PLAIN;
	}
	return seen;
}

static ag_status look_block(void *arg, size_t i, ag_err *err)
{
	const quoted_run *q = (const quoted_run *)arg;
	uint32_t ncol = q->plan->csv.ncol;

	for (uint32_t k = 0; k < ncol; k++)
		q->seen[i * ncol + k] = look(column(q->plan->blocks[i].chunk, k));
	return ag_ctx_check(q->ctx, err);
}

static void view_column(ag_builder *b, ag_col *col, bool bare)
{
	for (uint32_t r = 0; r < col->n; r++) {
		ag_str text = ag_chunk_heap_str(b->chunk, col->val[r]);
		ag_val view;
		uint64_t bits;

		if (col->view_type[r] == AG_T_NULL || (bare && text.len == 0))
			continue;
		view = ag_csv_view(text);
		col->view_val[r] = 0; /* as a plain cell has it */
		if (view.type == AG_T_MISSING)
			continue;
		bits = ag_build_bits(b, &view, NULL);
		if (b->failed) /* no room for the view: the cell remains text */
			return;
		col->view_type[r] = (uint8_t)view.type;
		col->view_val[r] = bits;
	}
}

static ag_status view_block(void *arg, size_t i, ag_err *err)
{
	const quoted_run *q = (const quoted_run *)arg;
	ag_chunk *c = q->plan->blocks[i].chunk;
	ag_builder b = { .chunk = c };
	size_t was = c->heap_len;

	for (uint32_t k = 0; k < q->plan->csv.ncol; k++) {
		uint8_t all = q->all[k];

		if ((all & HAS_QUOTED) && !(all & HAS_PLAIN))
			view_column(&b, column(c, k), all & HAS_BARE);
	}
	if (c->heap_len != was) { /* as ag_builder_finish() leaves it */
		c->heap_cap = c->heap_len + 64;
		c->heap = (char *)ag_xrealloc(c->heap, c->heap_cap);
	}
	return ag_ctx_check(q->ctx, err);
}

ag_status ag_csv_view_quoted(const ag_ctx *ctx, const ag_plan *plan, ag_err *err)
{
	size_t ncol = plan->csv.ncol;
	quoted_run q = { .ctx = ctx, .plan = plan };
	bool any = false;
	ag_status st;

	if (plan->n == 0 || ncol == 0)
		return AG_OK;
	q.seen = (uint8_t *)ag_xcalloc(plan->n * ncol, 1);
	q.all = (uint8_t *)ag_xcalloc(ncol, 1);
	st = ag_parallel(ctx, plan->n, look_block, &q, err);
	for (size_t k = 0; !st && k < ncol; k++) {
		for (size_t i = 0; i < plan->n; i++)
			q.all[k] |= q.seen[i * ncol + k];
		any |= (q.all[k] & HAS_QUOTED) && !(q.all[k] & HAS_PLAIN);
	}
	if (!st && any)
		st = ag_parallel(ctx, plan->n, view_block, &q, err);
	free(q.seen);
	free(q.all);
	return st;
}
