/* filter_eval -- which documents of a chunk match a filter, column by column.
 *
 * The mirror of query/match.c: the same functions, but each computes one bit for every row of a column
 * instead of one answer for one value. A predicate is evaluated once over the column where its path ends and
 * folded upwards by `up`; and/or/not work on words of bits. test_columns_filter.c holds the two together.
 *
 * Read: ag_eval_filter() here, the path in filter_walk.c, the values in filter_leaf.c. */
#include "columns/filter_eval.h"

void ag_eval_invert(ag_bits *b)
{
	uint64_t words = (b->n + 63) / 64;

	for (uint64_t i = 0; i < words; i++)
		b->w[i] = ~b->w[i];
	if (b->n & 63)
		b->w[words - 1] &= ((uint64_t)1 << (b->n & 63)) - 1;
}

void ag_eval_set_all(ag_bits *b)
{
	memset(b->w, 0, (b->n + 63) / 64 * sizeof(*b->w));
	ag_eval_invert(b);
}

void ag_eval_fold(const ag_eval *e, const ag_col *child, const ag_bits *bits, ag_bits *parent)
{
	uint64_t words = (bits->n + 63) / 64;

	/* A name is there once in an object: as many rows as parents are the same rows. */
	if (child->kind == AG_STEP_NAME && child->n == e->c->cols[child->parent]->n) {
		for (uint64_t i = 0; i < words; i++)
			parent->w[i] |= bits->w[i];
		return;
	}
	for (uint64_t i = 0; i < words; i++) {
		for (uint64_t w = bits->w[i]; w; w &= w - 1)
			ag_bits_set(parent, child->up[i * 64 + (uint64_t)__builtin_ctzll(w)]);
	}
}

static void all_of(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	ag_bits_init(ret, col->n);
	ag_eval_set_all(ret);
	for (size_t i = 0; i < f->nkids && !e->status; i++) {
		ag_bits kid;

		ag_eval_filter(e, f->kids[i], col, &kid);
		for (uint64_t w = 0; w < (ret->n + 63) / 64; w++)
			ret->w[w] &= kid.w[w];
		ag_bits_release(&kid);
	}
}

static void any_of(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	ag_bits_init(ret, col->n);
	for (size_t i = 0; i < f->nkids && !e->status; i++) {
		ag_bits kid;

		ag_eval_filter(e, f->kids[i], col, &kid);
		for (uint64_t w = 0; w < (ret->n + 63) / 64; w++)
			ret->w[w] |= kid.w[w];
		ag_bits_release(&kid);
	}
}

/* The names of the top-level members that the expression looks at. */
static size_t members_of(const ag_expr *x, ag_arena *arena, const ag_str **ret)
{
	const ag_str *paths;
	ag_str *names;
	size_t n;
	bool whole = false;

	ag_expr_paths(x, arena, &paths, &n, &whole);
	if (whole)
		return 0;
	names = ag_new_n(arena, ag_str, n + 1);
	for (size_t i = 0; i < n; i++) {
		ag_str rest = paths[i];

		names[i] = ag_str_split(&rest, '.');
	}
	/* No path at all: any one name will do, for none would mean all. */
	*ret = names;
	return n ? n : 1;
}

static void expr_rows(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	AG_AUTO(ag_arena_freep) ag_arena *names_arena = ag_arena_new();
	const ag_str *names = NULL;
	size_t nname = members_of(f->expr, names_arena, &names);

	ag_bits_init(ret, col->n);
	for (uint32_t i = 0; i < col->n; i++) {
		ag_val doc, v;

		if ((i & 4095) == 0 && !e->status)
			e->status = ag_ctx_check(e->ctx, &e->err);
		if (e->status)
			return;
		ag_arena_reset(e->scratch);
		if (col->id == 0)
			doc = ag_doc_read(&e->views, i, names, nname, e->scratch);
		else
			doc = ag_doc_read_row(&e->views, col, i, e->scratch);
		if (ag_expr_eval(f->expr, &doc, e->scratch, &v, NULL) == AG_OK && ag_val_truthy(&v))
			ag_bits_set(ret, i);
	}
}

void ag_eval_filter(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	switch (f->op) {
	case AG_F_TRUE:
		ag_bits_init(ret, col->n);
		ag_eval_set_all(ret);
		break;
	case AG_F_AND: all_of(e, f, col, ret); break;
	case AG_F_ALL:
		all_of(e, f, col, ret);
		if (f->nkids == 0)
			ag_eval_invert(ret);
		break;
	case AG_F_OR:
	case AG_F_NOR:
		any_of(e, f, col, ret);
		if (f->op == AG_F_NOR)
			ag_eval_invert(ret);
		break;
	case AG_F_NOT:
		ag_eval_filter(e, f->kids[0], col, ret);
		ag_eval_invert(ret);
		break;
	case AG_F_EXPR: expr_rows(e, f, col, ret); break;
	default:
		if (f->nparts)
			ag_eval_walk(e, f, col, ret);
		else
			ag_eval_test(e, f, col, ret);
		if (f->op == AG_F_EXISTS && !f->flag)
			ag_eval_invert(ret);
	}
}

ag_status ag_chunk_match(const ag_chunk *c, const ag_ctx *ctx, const ag_filter *f, ag_bits *ret,
                         ag_err *err)
{
	ag_eval e = { .c = c, .ctx = ctx, .scratch = ag_arena_new() };

	ag_doc_reader_init(&e.reader, c, false);
	ag_doc_reader_init(&e.views, c, true);
	ag_eval_filter(&e, f, c->cols[0], ret);
	ag_doc_reader_release(&e.reader);
	ag_doc_reader_release(&e.views);
	ag_arena_free(e.scratch);
	if (e.status) {
		ag_bits_release(ret);
		if (err)
			*err = e.err;
	}
	return e.status;
}
