/* marks -- see the header. One path is marked by one thread over its columns (mark_path). */
#include "columns/marks.h"

#include <math.h>

#include "base/time.h"
#include "base/utf8.h"
#include "columns/tree.h"

void ag_shown_values(const ag_path_profile *f, size_t *ret_top, size_t *ret_rare)
{
	size_t top = 0;

	while (top < f->nvalue && top < AG_SHOWN_TOP &&
	       (f->values[top].n > 1 || f->ndistinct <= AG_SHOWN_TOP || top < AG_SHOWN_UNIQUE))
		top++;
	*ret_top = top;
	*ret_rare = f->nvalue;
	if (f->values_complete && top == AG_SHOWN_TOP && f->nvalue > AG_SHOWN_TOP)
		*ret_rare = f->nvalue - AG_SHOWN_TOP > AG_SHOWN_RARE ? f->nvalue - AG_SHOWN_RARE
		                                                     : AG_SHOWN_TOP;
}

static void mark_bar(const ag_histogram *h, double value, ag_bar_marks *b)
{
	int bar;

	if (!h || isnan(value))
		return;
	bar = ag_histogram_bar(h, value);
	if (bar < 0)
		b->below++;
	else if ((unsigned)bar == h->nbar)
		b->above++;
	else
		b->counts[bar]++;
}

static void mark_text(ag_marks *m, const ag_val *v)
{
	const ag_str s = ag_val_text(v);
	int64_t ms;

	mark_bar(m->f->str.histogram, (double)ag_utf8_count(s), &m->length);
	if (m->f->str.dates.n > 0 && ag_time_parse_iso(s, &ms))
		mark_bar(m->f->str.dates.histogram, (double)ms, &m->text_date);
}

static void mark_value(ag_marks *m, const ag_val *v)
{
	size_t top, rare;

	ag_shown_values(m->f, &top, &rare);
	for (size_t i = 0; i < top; i++) {
		if (ag_val_eq(&m->f->values[i].v, v)) {
			m->values[i]++;
			return;
		}
	}
	for (size_t i = rare; i < m->f->nvalue; i++) {
		if (ag_val_eq(&m->f->values[i].v, v)) {
			m->values[AG_SHOWN_TOP + i - rare]++;
			return;
		}
	}
}

static void mark_row(ag_marks *m, const ag_chunk *c, const ag_col *col, uint32_t row)
{
	const unsigned type = col->type[row];
	ag_val v = ag_col_view(c, col, row);

	if (type == AG_T_ARRAY) {
		mark_bar(m->f->arr.histogram, (double)col->val[row], &m->size);
		return;
	}
	if (v.type == AG_T_MISSING)
		v = ag_col_val(c, col, row);
	switch (v.type) {
	case AG_T_NULL: m->nnull++; return;
	case AG_T_OBJECT:
	case AG_T_UNDEFINED:
	case AG_T_MISSING: return;
	case AG_T_DATE: mark_bar(m->f->date.histogram, (double)v.u.i, &m->date); break;
	case AG_T_STRING:
	case AG_T_SYMBOL: mark_text(m, &v); break;
	default:
		if (ag_type_is_number(v.type) && isfinite(ag_val_number(&v)))
			mark_bar(m->f->num.histogram, ag_val_number(&v), &m->num);
	}
	mark_value(m, &v);
}

typedef struct marker {
	const ag_table *t;
	const ag_ctx *ctx;
	const ag_tree *tree;
	ag_marks *marks;
} marker;

/* Nodes are sorted by path. */
static const ag_node *find_node(const ag_tree *tree, ag_str path)
{
	size_t lo = 1, hi = tree->nnode;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (ag_str_cmp(tree->nodes[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < tree->nnode && ag_str_eq(tree->nodes[lo].path, path) ? &tree->nodes[lo] : NULL;
}

static ag_status mark_path(void *arg, size_t i, ag_err *err)
{
	const marker *k = (const marker *)arg;
	ag_marks *m = &k->marks[i];
	const ag_node *node = find_node(k->tree, m->f->path);

	for (size_t s = 0; node && s < node->nseg; s++) {
		const ag_chunk *c = ag_table_chunk(k->t, node->segs[s].chunk);
		const ag_col *col = c->cols[node->segs[s].col];
		const ag_status st = ag_ctx_check(k->ctx, err);

		if (st)
			return st;
		for (uint32_t r = 0; r < col->n; r++)
			if (ag_bits_get(&m->docs, c->first_doc + ag_col_doc(c, col, r)))
				mark_row(m, c, col, r);
	}
	return AG_OK;
}

ag_status ag_table_marks(const ag_table *t, const ag_ctx *ctx, ag_marks *m, size_t n, ag_err *err)
{
	static const ag_tree_opts opts = { .max_nodes = AG_PROFILE_MAX_PATHS, .arrays = true };
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_tree tree = { 0 };
	marker k = { .t = t, .ctx = ctx, .tree = &tree, .marks = m };
	ag_status st;

	if (n == 0)
		return AG_OK;
	for (size_t i = 0; i < n; i++)
		AG_ASSERT(m[i].docs.n == ag_table_info_of(t)->ndoc);
	st = ag_tree_build(t, ctx, &opts, scratch, &tree, err);
	return st ? st : ag_parallel(ctx, n, mark_path, &k, err);
}
