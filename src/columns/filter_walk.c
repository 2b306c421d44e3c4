/* filter_walk -- a path over columns: walk() of query/match.c for all rows at once.
 *
 * Four functions, one per place where walk() can stand; k is the next part of the path:
 *   from_objects   rows that are objects, parts[k] by name
 *   from_indexed   rows that are arrays standing for a document, parts[k] as index
 *   in_array       arrays in the way: their objects by name, and parts[k] as index
 *   at_value       a value that was reached: the end of the path, or one of the above
 * Each ORs its answer for its kind of rows into *ret and leaves all other bits alone. */
#include "columns/filter_eval.h"

static void at_value(ag_eval *e, const ag_filter *f, size_t k, const ag_col *col, ag_bits *ret);

static bool is_type(const ag_col *col, uint32_t row, ag_type t)
{
	return col->type[row] == t;
}

/* The rows of an ANY column whose key is the name. */
static void rows_of_key(const ag_eval *e, const ag_col *any, ag_str name, ag_bits *ret)
{
	ag_bits_init(ret, any->n);
	for (uint32_t i = 0; i < any->n; i++) {
		if (ag_str_eq(ag_chunk_heap_str(e->c, any->key[i]), name))
			ag_bits_set(ret, i);
	}
}

static void set_without(const ag_col *col, ag_type t, const ag_bits *has, ag_bits *ret)
{
	for (uint32_t i = 0; i < col->n; i++) {
		if (is_type(col, i, t) && !ag_bits_get(has, i))
			ag_bits_set(ret, i);
	}
}

static void from_objects(ag_eval *e, const ag_filter *f, size_t k, const ag_col *col, ag_bits *ret)
{
	const ag_col *child = ag_col_child(e->c, col, f->parts[k]);
	const ag_col *any = !child && col->any != AG_COL_NONE ? e->c->cols[col->any] : NULL;
	bool missing = ag_eval_test_missing(f);
	ag_bits bits, has;

	ag_bits_init(&has, col->n);
	if (child) {
		ag_bits_init(&bits, child->n);
		at_value(e, f, k + 1, child, &bits);
		ag_eval_fold(e, child, &bits, ret);
		ag_bits_release(&bits);
		for (uint32_t i = 0; missing && i < child->n; i++)
			ag_bits_set(&has, child->up[i]);
	}
	if (any) {
		ag_bits with_key;

		rows_of_key(e, any, f->parts[k], &with_key);
		ag_eval_fold(e, any, &with_key, &has);
		ag_bits_init(&bits, any->n);
		at_value(e, f, k + 1, any, &bits);
		for (uint64_t w = 0; w < (bits.n + 63) / 64; w++)
			bits.w[w] &= with_key.w[w];
		ag_eval_fold(e, any, &bits, ret);
		ag_bits_release(&bits);
		ag_bits_release(&with_key);
	}
	if (missing)
		set_without(col, AG_T_OBJECT, &has, ret);
	ag_bits_release(&has);
}

static bool index_of(ag_str part, uint64_t *ret)
{
	if (part.len == 0 || part.len > 10 || (part.len > 1 && part.ptr[0] == '0') ||
	    part.ptr[0] < '0' || part.ptr[0] > '9')
		return false;
	return ag_str_to_u64(part, ret);
}

/* The rows of elem that are number `index` of their array. */
static void rows_of_index(const ag_col *elem, uint64_t index, ag_bits *ret)
{
	uint32_t first = 0;

	ag_bits_init(ret, elem->n);
	for (uint32_t i = 0; i < elem->n; i++) {
		if (i == 0 || elem->up[i] != elem->up[i - 1])
			first = i;
		if (i - first == index)
			ag_bits_set(ret, i);
	}
}

static void from_indexed(ag_eval *e, const ag_filter *f, size_t k, const ag_col *col, ag_bits *ret)
{
	const ag_col *elem = col->elem == AG_COL_NONE ? NULL : e->c->cols[col->elem];
	uint64_t index;
	ag_bits bits, has;

	ag_bits_init(&has, col->n);
	if (elem && index_of(f->parts[k], &index)) {
		ag_bits at;

		rows_of_index(elem, index, &at);
		ag_eval_fold(e, elem, &at, &has);
		ag_bits_init(&bits, elem->n);
		at_value(e, f, k + 1, elem, &bits);
		for (uint64_t w = 0; w < (bits.n + 63) / 64; w++)
			bits.w[w] &= at.w[w];
		ag_eval_fold(e, elem, &bits, ret);
		ag_bits_release(&bits);
		ag_bits_release(&at);
	}
	if (ag_eval_test_missing(f))
		set_without(col, AG_T_ARRAY, &has, ret);
	ag_bits_release(&has);
}

static void in_array(ag_eval *e, const ag_filter *f, size_t k, const ag_col *col, ag_bits *ret)
{
	const ag_col *elem = col->elem == AG_COL_NONE ? NULL : e->c->cols[col->elem];
	uint64_t index;
	ag_bits bits;

	if (!elem)
		return;
	ag_bits_init(&bits, elem->n);
	from_objects(e, f, k, elem, &bits);
	if (index_of(f->parts[k], &index)) {
		ag_bits at, here;

		rows_of_index(elem, index, &at);
		if (k + 1 == f->nparts) {
			ag_eval_test(e, f, elem, &here);
		} else {
			ag_bits_init(&here, elem->n);
			from_objects(e, f, k + 1, elem, &here);
			in_array(e, f, k + 1, elem, &here);
		}
		for (uint64_t w = 0; w < (bits.n + 63) / 64; w++)
			bits.w[w] |= here.w[w] & at.w[w];
		ag_bits_release(&at);
		ag_bits_release(&here);
	}
	ag_eval_fold(e, elem, &bits, ret);
	ag_bits_release(&bits);
}

static bool looks_at_arrays(const ag_filter *f)
{
	return f->op == AG_F_SIZE || f->op == AG_F_ELEM_OBJ || f->op == AG_F_ELEM_VAL;
}

/* The end of the path: the value itself, and each item when it is an array. */
static void at_end(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	ag_bits bits;

	ag_eval_test(e, f, col, &bits);
	for (uint64_t w = 0; w < (bits.n + 63) / 64; w++)
		ret->w[w] |= bits.w[w];
	ag_bits_release(&bits);
	if (col->elem == AG_COL_NONE || looks_at_arrays(f))
		return;
	ag_eval_test(e, f, e->c->cols[col->elem], &bits);
	ag_eval_fold(e, e->c->cols[col->elem], &bits, ret);
	ag_bits_release(&bits);
}

/* Rows that are neither objects nor arrays have no members: there a member is missing. */
static void set_plain(const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	if (!ag_eval_test_missing(f))
		return;
	for (uint32_t i = 0; i < col->n; i++) {
		if (!is_type(col, i, AG_T_OBJECT) && !is_type(col, i, AG_T_ARRAY))
			ag_bits_set(ret, i);
	}
}

/* Numeric parts over nested arrays of objects with numeric names fork at every level. */
static bool is_allowed(ag_eval *e)
{
	if (!e->status)
		e->status = ag_ctx_check(e->ctx, &e->err);
	if (!e->status && ++e->nstep > AG_EVAL_MAX_STEPS)
		e->status = ag_fail(&e->err, AG_LIMIT, "columns.filter",
		                    "a path of the filter can be read in more than %d ways",
		                    AG_EVAL_MAX_STEPS);
	return e->status == AG_OK;
}

static void at_value(ag_eval *e, const ag_filter *f, size_t k, const ag_col *col, ag_bits *ret)
{
	if (!is_allowed(e))
		return;
	if (k == f->nparts) {
		at_end(e, f, col, ret);
		return;
	}
	from_objects(e, f, k, col, ret);
	in_array(e, f, k, col, ret);
	set_plain(f, col, ret);
}

void ag_eval_walk(ag_eval *e, const ag_filter *f, const ag_col *col, ag_bits *ret)
{
	ag_bits_init(ret, col->n);
	from_objects(e, f, 0, col, ret);
	if (col->id == 0) /* documents are objects */
		return;
	from_indexed(e, f, 0, col, ret);
	set_plain(f, col, ret);
}
