/* frame -- see the header. Columns are coded one per task; which rows are kept is known before. */
#include "columns/frame.h"

#include <math.h>
#include <stdlib.h>

#include "columns/tree.h"
#include "columns/valmap.h"

#define TWO63     9223372036854775808.0
#define MAX_TEXT  400 /* median length of texts that are compared; longer ones are prose */
#define MAX_DEPTH 64

/* A column on its way: where its rows are, and which rows of the frame they belong to. */
typedef struct job {
	const ag_table *t;
	const ag_ctx *ctx;
	const ag_node *node;
	uint32_t anchor_depth;    /* of the column whose rows are the frame's: 0 = the documents */
	const uint64_t *row_base; /* [nchunk] first row of the frame in that chunk */
	ag_frame *frame;
	ag_frame_col *col;
	ag_arena *arena; /* of this job alone */
} job;

typedef enum kind { K_INT, K_DOUBLE, K_DATE, K_BOOL, K_TEXT, K_OID, K_NKIND } kind;

/* Codes of one column. number[k][i] is the code of value i of map k. */
typedef struct coder {
	ag_u64_map map[K_TEXT];
	ag_text_map text[2]; /* texts, object ids */
	uint32_t *number[K_NKIND];
	size_t cap[K_NKIND];
	ag_val *values;
	uint32_t n;
	size_t cap_values;
} coder;

static void coder_release(coder *c)
{
	for (size_t k = 0; k < K_TEXT; k++)
		ag_u64_map_release(&c->map[k]);
	ag_text_map_release(&c->text[0]);
	ag_text_map_release(&c->text[1]);
	for (size_t k = 0; k < K_NKIND; k++)
		free(c->number[k]);
	free(c->values);
}

/* The code of value `at` of map k; a value that is new gets the next one. */
static uint32_t code_of(coder *c, kind k, size_t at, bool is_new, const ag_val *v)
{
	if (!is_new)
		return c->number[k][at];
	if (at >= c->cap[k]) {
		c->cap[k] = c->cap[k] ? 2 * c->cap[k] : 64;
		c->number[k] = (uint32_t *)ag_xrealloc(c->number[k], c->cap[k] * sizeof(uint32_t));
	}
	if (c->n == c->cap_values) {
		c->cap_values = c->cap_values ? 2 * c->cap_values : 64;
		c->values = (ag_val *)ag_xrealloc(c->values, c->cap_values * sizeof(*c->values));
	}
	c->values[c->n] = *v;
	return c->number[k][at] = ++c->n;
}

static uint32_t code_u64(coder *c, kind k, uint64_t key, const ag_val *v)
{
	const size_t n = c->map[k].n;

	ag_u64_map_add(&c->map[k], key, 1);
	return code_of(c, k, c->map[k].last, c->map[k].n > n, v);
}

static uint32_t code_text(coder *c, kind k, const char *ptr, uint32_t len, const ag_val *v)
{
	ag_text_map *m = &c->text[k - K_TEXT];
	const size_t n = m->n, at = ag_text_map_add(m, ptr, len, 1);

	return code_of(c, k, at, m->n > n, v);
}

/* A number of any type: integral ones are one value whatever their type. */
static uint32_t code_number(coder *c, const ag_val *v)
{
	int64_t i;
	uint64_t bits;
	double d;
	ag_val is;

	if (ag_val_to_i64(v, &i)) {
		is = ag_val_int(i);
		return code_u64(c, K_INT, (uint64_t)i, &is);
	}
	d = ag_val_number(v);
	if (isnan(d))
		return 0;
	memcpy(&bits, &d, sizeof(bits));
	return code_u64(c, K_DOUBLE, bits, v);
}

static uint32_t code_value(coder *c, const ag_val *v, bool is_cell)
{
	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64: return code_u64(c, K_INT, (uint64_t)v->u.i, v);
	case AG_T_DOUBLE:
	case AG_T_DECIMAL: return code_number(c, v);
	case AG_T_DATE: return code_u64(c, K_DATE, (uint64_t)v->u.i, v);
	case AG_T_BOOL: return code_u64(c, K_BOOL, v->u.b, v);
	case AG_T_STRING: return is_cell && !v->n ? 0 : code_text(c, K_TEXT, v->u.s, v->n, v);
	default: return 0;
	}
}

/* The row of the ancestor at that depth. */
static uint32_t row_above(const ag_chunk *c, const ag_col *col, uint32_t row, uint32_t depth)
{
	while (col->depth > depth) {
		row = col->up[row];
		col = c->cols[col->parent];
	}
	return row;
}

static ag_status code_column(void *arg, size_t i, ag_err *err)
{
	job *j = (job *)arg + i;
	const uint32_t step = j->frame->step;
	ag_frame_col *out = j->col;
	coder c = { 0 };
	ag_status st = AG_OK;

	for (size_t s = 0; !st && s < j->node->nseg; s++) {
		const ag_chunk *chunk = ag_table_chunk(j->t, j->node->segs[s].chunk);
		const ag_col *col = chunk->cols[j->node->segs[s].col];
		const uint64_t base = j->row_base[j->node->segs[s].chunk];

		st = ag_ctx_check(j->ctx, err);
		for (uint32_t r = 0; !st && r < col->n; r++) {
			const uint64_t row = base + row_above(chunk, col, r, j->anchor_depth);
			ag_val v;

			if (row % step)
				continue;
			v = ag_col_view(chunk, col, r);
			if (v.type == AG_T_MISSING)
				v = ag_col_val(chunk, col, r);
			if (v.type == AG_T_OID)
				out->code[row / step] = code_text(&c, K_OID,
				                                  chunk->heap + (col->val[r] >> 32),
				                                  sizeof(v.u.oid), &v);
			else
				out->code[row / step] = code_value(&c, &v, col->view_type != NULL);
		}
		ag_ctx_advance(j->ctx, col->n, 0);
	}
	out->nvalue = c.n;
	out->values = ag_new_n(j->arena, ag_val, c.n + 1);
	out->count = ag_new_n(j->arena, uint32_t, c.n + 1);
	if (c.n)
		memcpy(out->values, c.values, c.n * sizeof(*c.values));
	for (uint32_t r = 0; r < j->frame->nrow; r++) {
		if (out->code[r]) {
			out->count[out->code[r] - 1]++;
			out->nfilled++;
		}
	}
	coder_release(&c);
	return st;
}

/* ---- which paths, which rows ---- */

/* The node whose rows are those of the frame that this path belongs to: an array's items, or the root. */
static uint32_t anchor_of(const ag_tree *tree, uint32_t at)
{
	uint32_t i = tree->nodes[at].parent;

	if (tree->nodes[at].kind == AG_STEP_ELEM)
		return at;
	while (i && tree->nodes[i].kind != AG_STEP_ELEM)
		i = tree->nodes[i].parent;
	return i;
}

static bool is_compared(const ag_path_profile *f)
{
	return !f->in_map && f->nscalar && f->str.length.p50 <= MAX_TEXT;
}

static uint32_t depth_of(const ag_tree *tree, uint32_t at)
{
	uint32_t n = 0;

	for (; at; at = tree->nodes[at].parent)
		n++;
	return n;
}

/* First rows of the frame by chunk, and the document of each kept row. */
static void place_rows(const ag_table *t, const ag_tree *tree, uint32_t anchor, size_t ncol,
                       ag_arena *arena, ag_frame *f, uint64_t *base)
{
	const size_t nchunk = ag_table_nchunk(t);
	const ag_node *node = &tree->nodes[anchor];
	uint64_t limit = AG_FRAME_MAX_CELLS / (ncol ? ncol : 1), n = 0;

	for (size_t i = 0, s = 0; i < nchunk; i++) {
		base[i] = n;
		if (!anchor) {
			n += ag_table_chunk(t, i)->ndoc;
			continue;
		}
		for (; s < node->nseg && node->segs[s].chunk == i; s++)
			n += ag_table_chunk(t, i)->cols[node->segs[s].col]->n;
	}
	if (limit > AG_FRAME_MAX_ROWS)
		limit = AG_FRAME_MAX_ROWS;
	f->nall = n;
	f->step = n > limit ? (uint32_t)((n + limit - 1) / limit) : 1;
	f->nrow = (uint32_t)((n + f->step - 1) / f->step);
	if (!anchor && f->step == 1)
		return;
	f->doc = ag_new_n(arena, uint32_t, f->nrow + 1);
	for (size_t i = 0, s = 0; i < nchunk; i++) {
		const ag_chunk *c = ag_table_chunk(t, i);
		const ag_col *col = NULL;
		uint64_t rows = c->ndoc;

		if (anchor) {
			rows = 0;
			if (s < node->nseg && node->segs[s].chunk == i)
				col = c->cols[node->segs[s++].col];
			if (col)
				rows = col->n;
		}
		for (uint64_t r = 0; r < rows; r++) {
			if ((base[i] + r) % f->step)
				continue;
			f->doc[(base[i] + r) / f->step] =
				(uint32_t)(c->first_doc +
			                   (col ? ag_col_doc(c, col, (uint32_t)r) : r));
		}
	}
}

/* What all frames of a table share. */
typedef struct framer {
	const ag_table *t;
	const ag_ctx *ctx;
	const ag_profile *p;
	ag_arena *arena;
	ag_tree tree;
	job *jobs; /* one for each column of a frame */
	size_t njob;
} framer;

/* One frame: the paths that have this anchor. Jobs are added for each column. */
static void frame_of(framer *m, uint32_t anchor, ag_frame *f)
{
	const ag_tree *tree = &m->tree;
	const ag_profile *p = m->p;
	ag_arena *arena = m->arena;
	uint64_t *base = ag_new_n(arena, uint64_t, ag_table_nchunk(m->t) + 1);
	size_t n = 0;

	f->path = anchor ? p->paths[anchor - 1].path : AG_S("");
	for (uint32_t at = 1; at < tree->nnode; at++)
		n += anchor_of(tree, at) == anchor && is_compared(&p->paths[at - 1]);
	if (n > AG_FRAME_MAX_COLS) {
		f->left_out = n - AG_FRAME_MAX_COLS;
		n = AG_FRAME_MAX_COLS;
	}
	place_rows(m->t, tree, anchor, n, arena, f, base);
	f->cols = ag_new_n(arena, ag_frame_col, n + 1);
	for (uint32_t at = 1; at < tree->nnode && f->ncol < n; at++) {
		ag_frame_col *col = &f->cols[f->ncol];

		if (anchor_of(tree, at) != anchor || !is_compared(&p->paths[at - 1]))
			continue;
		col->f = &p->paths[at - 1];
		col->code = ag_new_n(arena, uint32_t, f->nrow + 1);
		m->jobs[m->njob++] = (job){ .t = m->t,
			                    .ctx = m->ctx,
			                    .node = &tree->nodes[at],
			                    .anchor_depth = depth_of(tree, anchor),
			                    .row_base = base,
			                    .frame = f,
			                    .col = col,
			                    .arena = ag_arena_new() };
		f->ncol++;
	}
}

/* What the jobs made moves into the caller's arena. */
static void keep(job *j, ag_arena *arena)
{
	ag_val *values = ag_new_n(arena, ag_val, j->col->nvalue + 1);
	uint32_t *count = ag_new_n(arena, uint32_t, j->col->nvalue + 1);

	if (j->col->nvalue) {
		memcpy(values, j->col->values, j->col->nvalue * sizeof(*values));
		memcpy(count, j->col->count, j->col->nvalue * sizeof(*count));
	}
	j->col->values = values;
	j->col->count = count;
}

ag_status ag_table_frames(const ag_table *t, const ag_ctx *ctx, const ag_profile *p,
                          ag_arena *arena, ag_frames *ret, ag_err *err)
{
	static const ag_tree_opts opts = { .max_nodes = AG_PROFILE_MAX_PATHS, .arrays = true };
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	framer m = { .t = t, .ctx = ctx, .p = p, .arena = arena };
	const ag_tree *tree = &m.tree;
	ag_status st = ag_tree_build(t, ctx, &opts, scratch, &m.tree, err);
	size_t max = 1;
	uint64_t total = 0;

	*ret = (ag_frames){ 0 };
	if (st)
		return st;
	AG_ASSERT(tree->nnode == p->npath + 1);
	m.jobs = ag_new_n(scratch, job, tree->nnode);
	for (uint32_t at = 1; at < tree->nnode; at++)
		max += tree->nodes[at].kind == AG_STEP_ELEM && !tree->nodes[at].in_map;
	ret->items = ag_new_n(arena, ag_frame, max);
	for (uint32_t at = 0; at < tree->nnode; at++) {
		if (at && (tree->nodes[at].kind != AG_STEP_ELEM || tree->nodes[at].in_map))
			continue;
		frame_of(&m, at, &ret->items[ret->n++]);
	}
	for (size_t i = 0; i < m.njob; i++)
		total += m.jobs[i].node->n;
	ag_ctx_phase(ctx, "comparing fields", "values", total);
	st = ag_parallel(ctx, m.njob, code_column, m.jobs, err);
	ag_ctx_phase(ctx, NULL, NULL, 0);
	for (size_t i = 0; i < m.njob; i++) {
		if (!st)
			keep(&m.jobs[i], arena);
		ag_arena_free(m.jobs[i].arena);
	}
	return st;
}
