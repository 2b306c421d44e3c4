/* filter_leaf -- one predicate over all rows of a column, in loops without calls where it matters.
 *
 * rows_*() set the bits of rows that match; all else goes through ag_filter_leaf() row by row, which is the
 * definition. A CSV cell is tested as its text and as its view (rule in table.h): the same loops run over
 * both pairs of arrays. */
#include "columns/filter_eval.h"
#include "query/regex.h"

/* Integers up to here are exact as doubles. */
#define EXACT_INT ((int64_t)1 << 53)

/* One pair of arrays: the rows as they were read, or their views. */
typedef struct face {
	const ag_col *col;
	const uint8_t *type;
	const uint64_t *val;
	bool is_view; /* MISSING = no view: never matches */
} face;

bool ag_eval_test_missing(const ag_filter *f)
{
	static const ag_val missing = { .type = AG_T_MISSING };

	/* {"$exists": false} is turned round by the caller, so here it asks for existence too. */
	return f->op != AG_F_EXISTS && ag_filter_leaf(f, &missing);
}

static double as_double(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Values of these types cannot be compared without being put together. */
static bool is_whole(unsigned type)
{
	return type == AG_T_OBJECT || type == AG_T_ARRAY || type == AG_T_CODE_W_SCOPE ||
	       type == AG_T_DBPOINTER;
}

static bool needs_whole(const ag_filter *f, unsigned type)
{
	if (!is_whole(type))
		return false;
	switch (f->op) {
	case AG_F_IN:
		for (int64_t i = 0; i < f->number; i++) {
			if (f->operand.u.items[i].type == type)
				return true;
		}
		return false;
	case AG_F_EQ:
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE: return f->operand.type == type;
	default: return false;
	}
}

static bool leaf_row(ag_eval *e, const ag_filter *f, const face *a, uint32_t row)
{
	ag_val v;

	if (a->is_view) {
		if (a->type[row] == AG_T_MISSING)
			return false;
		v = ag_col_view(e->c, a->col, row);
	} else if (needs_whole(f, a->type[row])) {
		ag_arena_reset(e->scratch);
		v = ag_doc_read_row(&e->reader, a->col, row, e->scratch);
	} else {
		v = ag_col_val(e->c, a->col, row);
	}
	return ag_filter_leaf(f, &v);
}

static void rows_any(ag_eval *e, const ag_filter *f, const face *a, ag_bits *ret)
{
	for (uint32_t i = 0; i < a->col->n; i++) {
		if (leaf_row(e, f, a, i))
			ag_bits_set(ret, i);
	}
}

/* --- comparison with a number --- */

typedef struct num_test {
	double d;
	bool lt, eq, gt; /* which order of value and operand holds */
} num_test;

/* True when the operand is a number that a double holds exactly. */
static bool num_test_of(const ag_filter *f, num_test *ret)
{
	const ag_val *o = &f->operand;

	if (o->type == AG_T_DOUBLE && o->u.f == o->u.f)
		ret->d = o->u.f;
	else if ((o->type == AG_T_INT32 || o->type == AG_T_INT64) && o->u.i <= EXACT_INT &&
	         o->u.i >= -EXACT_INT)
		ret->d = (double)o->u.i;
	else
		return false;
	ret->lt = f->op == AG_F_LT || f->op == AG_F_LTE;
	ret->gt = f->op == AG_F_GT || f->op == AG_F_GTE;
	ret->eq = f->op == AG_F_EQ || f->op == AG_F_GTE || f->op == AG_F_LTE;
	return f->op == AG_F_EQ || ret->lt || ret->gt;
}

static bool num_holds(const num_test *t, double d)
{
	return (t->lt & (d < t->d)) | (t->gt & (d > t->d)) | (t->eq & (d == t->d));
}

static void rows_number(ag_eval *e, const ag_filter *f, const num_test *t, const face *a,
                        ag_bits *ret)
{
	for (uint32_t i = 0; i < a->col->n; i++) {
		uint64_t bits = a->val[i];
		int64_t n = (int64_t)bits;
		bool yes;

		switch (a->type[i]) {
		case AG_T_INT32: yes = num_holds(t, (double)n); break;
		case AG_T_DOUBLE: /* NaN holds for nothing */
			yes = num_holds(t, as_double(bits));
			break;
		case AG_T_INT64:
			if (n <= EXACT_INT && n >= -EXACT_INT) {
				yes = num_holds(t, (double)n);
				break;
			}
			yes = leaf_row(e, f, a, i);
			break;
		case AG_T_DECIMAL: yes = leaf_row(e, f, a, i); break;
		default: /* no other type compares with a number */ yes = false;
		}
		ret->w[i >> 6] |= (uint64_t)yes << (i & 63);
	}
}

/* --- texts and types --- */

static void rows_text(ag_eval *e, const ag_filter *f, const face *a, ag_bits *ret)
{
	ag_str want = ag_val_text(&f->operand);

	for (uint32_t i = 0; i < a->col->n; i++) {
		bool yes = false;

		if (a->type[i] == AG_T_STRING)
			yes = (uint32_t)a->val[i] == want.len &&
			      ag_str_eq(ag_chunk_heap_str(e->c, a->val[i]), want);
		else if (a->type[i] == AG_T_SYMBOL)
			yes = leaf_row(e, f, a, i);
		ret->w[i >> 6] |= (uint64_t)yes << (i & 63);
	}
}

static void rows_regex(ag_eval *e, const ag_filter *f, const face *a, ag_bits *ret)
{
	for (uint32_t i = 0; i < a->col->n; i++) {
		bool yes;

		if (a->type[i] == AG_T_STRING)
			yes = ag_regex_match(f->regex, ag_chunk_heap_str(e->c, a->val[i]));
		else
			yes = leaf_row(e, f, a, i);
		ret->w[i >> 6] |= (uint64_t)yes << (i & 63);
	}
}

static void rows_type(const ag_filter *f, const face *a, ag_bits *ret)
{
	uint32_t mask = f->type_mask & ~((uint32_t)1 << AG_T_MISSING);

	for (uint32_t i = 0; i < a->col->n; i++)
		ret->w[i >> 6] |= (uint64_t)(mask >> a->type[i] & 1) << (i & 63);
}

static void rows_face(ag_eval *e, const ag_filter *f, const face *a, ag_bits *ret)
{
	num_test t;

	if (f->op == AG_F_TYPE)
		rows_type(f, a, ret);
	else if (f->op == AG_F_REGEX)
		rows_regex(e, f, a, ret);
	else if (f->op == AG_F_EQ && f->operand.type == AG_T_STRING)
		rows_text(e, f, a, ret);
	else if (num_test_of(f, &t))
		rows_number(e, f, &t, a, ret);
	else
		rows_any(e, f, a, ret);
}

/* --- $elemMatch --- */

static void elem_rows(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	const ag_col *elem;
	ag_bits bits;

	if (col->elem == AG_COL_NONE)
		return;
	elem = e->c->cols[col->elem];
	ag_eval_filter(e, f->kids[0], elem, &bits);
	for (uint32_t i = 0; f->op == AG_F_ELEM_OBJ && i < elem->n; i++) {
		if (elem->type[i] != AG_T_OBJECT && elem->type[i] != AG_T_ARRAY)
			bits.w[i >> 6] &= ~((uint64_t)1 << (i & 63));
	}
	ag_eval_fold(e, elem, &bits, ret);
	ag_bits_release(&bits);
}

void ag_eval_test(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	face as_read = { .col = col, .type = col->type, .val = col->val };
	face as_view = {
		.col = col, .type = col->view_type, .val = col->view_val, .is_view = true
	};

	ag_bits_init(ret, col->n);
	if (!e->status)
		e->status = ag_ctx_check(e->ctx, &e->err);
	if (e->status)
		return;
	if (f->op == AG_F_ELEM_OBJ || f->op == AG_F_ELEM_VAL) {
		elem_rows(e, f, col, ret);
		return;
	}
	if (f->op == AG_F_EXISTS) {
		ag_eval_set_all(ret);
		return;
	}
	rows_face(e, f, &as_read, ret);
	if (col->view_type && f->op != AG_F_REGEX)
		rows_face(e, f, &as_view, ret);
}
