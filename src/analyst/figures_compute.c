/* figures_compute -- what a model states as computed, computed again from the cells. */
#include "analyst/figures_parts.h"
#include "query/decmath.h"

typedef struct fig_operands {
	ag_fig_ref *refs;
	size_t n, cap;
} fig_operands;

typedef struct fig_sum {
	ag_dec128 sum, low, high;
	size_t n;         /* numbers */
	size_t ncell;     /* cells, without nulls */
	ag_dec128 two[2]; /* the first two */
} fig_sum;

typedef struct fig_compute {
	const ag_figures_input *in;
	ag_arena *arena;
	ag_str error;
	fig_operands all;
	size_t noperand;
} fig_compute;

static bool fig_wrong(fig_compute *c, ag_str error)
{
	if (!c->error.len)
		c->error = error;
	return false;
}

static void fig_ref_add(fig_compute *c, fig_operands *o, ag_fig_ref ref)
{
	if (o->n == o->cap) {
		ag_fig_ref *to;

		o->cap = o->cap ? o->cap * 2 : 16;
		to = ag_new_n(c->arena, ag_fig_ref, o->cap);
		if (o->n)
			memcpy(to, o->refs, o->n * sizeof(*to));
		o->refs = to;
	}
	o->refs[o->n++] = ref;
}

static const ag_val *fig_cell(const ag_figures_result *r, size_t row, size_t column)
{
	const ag_val *v = row < r->nrow ? &r->rows[row] : NULL;

	return v && v->type == AG_T_ARRAY && column < v->n ? &v->u.items[column] : NULL;
}

/* --- a cell: RESULT[ROW].COLUMN --- */

static ag_str fig_unquoted(ag_str s)
{
	s = ag_str_trim(s);
	if (s.len > 1 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0])
		return ag_str_make(s.ptr + 1, s.len - 2);
	return s;
}

/* Is the text that of a cell of the row? */
static bool fig_row_has(fig_compute *c, const ag_figures_result *r, size_t row, ag_str folded)
{
	for (size_t i = 0; i < r->ncolumn; i++) {
		const ag_val *v = fig_cell(r, row, i);
		ag_str text;

		if (!v)
			continue;
		if (v->type == AG_T_STRING) {
			text = ag_val_text(v);
		} else {
			ag_dec128 d;

			if (!ag_fig_number_of(v, &d))
				continue;
			text = ag_fig_text(d, c->arena);
		}
		if (text.len == folded.len || text.len >= 0x80 || folded.len <= text.len * 2) {
			if (ag_str_ieq(text, folded) ||
			    ag_str_eq(ag_fig_fold(text, c->arena), folded))
				return true;
		}
	}
	return false;
}

static bool fig_row_is(fig_compute *c, const ag_figures_result *r, size_t row, ag_str key)
{
	ag_str rest = key;

	while (rest.ptr) {
		const ag_str part = fig_unquoted(ag_str_split(&rest, '&'));

		if (!fig_row_has(c, r, row, ag_fig_fold(part, c->arena)))
			return false;
	}
	return true;
}

static bool fig_range(ag_str s, uint64_t *from, uint64_t *to)
{
	ag_str rest = s;
	const ag_str first = ag_str_trim(ag_str_split(&rest, '-'));

	if (!ag_str_to_u64(first, from))
		return false;
	*to = *from;
	return !rest.ptr || ag_str_to_u64(ag_str_trim(rest), to);
}

static bool fig_ref_rows(fig_compute *c, fig_operands *o, uint32_t result, uint32_t column,
                         ag_str where)
{
	const ag_figures_result *r = &c->in->results[result];
	ag_str rest = where;

	if (ag_str_eqc(where, "*") && r->is_cut)
		return fig_wrong(
			c,
			ag_str_printf(
				c->arena,
				"%.*s was cut: the rows that are there are not all rows. Compute it "
				"in SQL",
				AG_FMT(r->name)));
	while (rest.ptr) {
		const ag_str part = ag_str_trim(ag_str_split(&rest, '|'));
		const size_t before = o->n;
		uint64_t from = 1, to = r->nrow;
		/* What is no place of a row is the text of a cell: "2026-05". */
		const bool by_place = ag_str_eqc(part, "*") ||
		                      (fig_range(part, &from, &to) && from >= 1 && from <= to &&
		                       to <= r->nrow);

		if (!by_place) {
			from = 1;
			to = r->nrow;
		}
		for (uint64_t row = from; row <= to; row++) {
			if (++c->noperand > AG_FIGURES_MAX_OPERANDS)
				return fig_wrong(c, ag_str_printf(c->arena,
				                                  "it reads more than %u cells",
				                                  AG_FIGURES_MAX_OPERANDS));
			if (by_place || fig_row_is(c, r, row - 1, part))
				fig_ref_add(c, o,
				            (ag_fig_ref){ result, (uint32_t)(row - 1), column });
		}
		if (o->n == before)
			return fig_wrong(
				c,
				ag_str_printf(c->arena, "%.*s has no row \"%.*s\"", AG_FMT(r->name),
			                      AG_FMT(ag_str_make(part.ptr,
			                                         part.len < 60 ? part.len : 60))));
	}
	return true;
}

static bool fig_ref_read(fig_compute *c, ag_str text, fig_operands *o)
{
	const ag_str shown = ag_str_make(text.ptr, text.len < 80 ? text.len : 80);
	const ptrdiff_t open = ag_str_find(text, '[');
	ptrdiff_t close = -1;
	ag_str name, column;

	for (size_t i = 0; i + 1 < text.len; i++) {
		if (text.ptr[i] == ']' && text.ptr[i + 1] == '.')
			close = (ptrdiff_t)i;
	}
	if (open < 0 || close < open)
		return fig_wrong(c, ag_str_printf(c->arena,
		                                  "\"%.*s\" is no cell: write r1[ROW].COLUMN",
		                                  AG_FMT(shown)));
	name = ag_str_trim(ag_str_make(text.ptr, (size_t)open));
	column = fig_unquoted(ag_str_make(text.ptr + close + 2, text.len - (size_t)close - 2));
	for (size_t i = c->in->nresult; i > 0; i--) {
		const ag_figures_result *r = &c->in->results[i - 1];

		if (!ag_str_ieq(r->name, name))
			continue;
		for (size_t k = 0; k < r->ncolumn; k++) {
			if (ag_str_ieq(r->columns[k], column))
				return fig_ref_rows(
					c, o, (uint32_t)(i - 1), (uint32_t)k,
					ag_str_trim(ag_str_make(text.ptr + open + 1,
				                                (size_t)(close - open - 1))));
		}
		return fig_wrong(
			c, ag_str_printf(c->arena, "%.*s has no column \"%.*s\"", AG_FMT(name),
		                         AG_FMT(ag_str_make(column.ptr,
		                                            column.len < 60 ? column.len : 60))));
	}
	return fig_wrong(
		c, ag_str_printf(c->arena, "there is no result \"%.*s\"",
	                         AG_FMT(ag_str_make(name.ptr, name.len < 60 ? name.len : 60))));
}

/* --- operations --- */

static void fig_sum_add(fig_sum *s, ag_dec128 v)
{
	if (!s->n++) {
		s->low = s->high = s->sum = s->two[0] = v;
		return;
	}
	if (ag_dec128_cmp(v, s->low) < 0)
		s->low = v;
	if (ag_dec128_cmp(v, s->high) > 0)
		s->high = v;
	if (s->n == 2)
		s->two[1] = v;
	s->sum = ag_dec128_add(s->sum, v);
}

static bool fig_evaluate(fig_compute *c, const ag_val *v, unsigned depth, fig_operands *o,
                         ag_dec128 *ret);

static bool fig_operand(fig_compute *c, const ag_val *v, unsigned depth, bool is_count,
                        fig_operands *o, fig_sum *s)
{
	const size_t before = o->n;
	ag_dec128 d = { 0 };

	if (v->type == AG_T_OBJECT) {
		if (!fig_evaluate(c, v, depth + 1, o, &d))
			return false;
		fig_sum_add(s, d);
		s->ncell++;
		return true;
	}
	if (v->type != AG_T_STRING)
		return fig_wrong(c, AG_S("an operand is a cell, r1[ROW].COLUMN, or a computation"));
	if (!fig_ref_read(c, ag_val_text(v), o))
		return false;
	for (size_t i = before; i < o->n; i++) {
		const ag_fig_ref *ref = &o->refs[i];
		const ag_val *cell = fig_cell(&c->in->results[ref->result], ref->row, ref->column);

		if (!cell || cell->type == AG_T_NULL)
			continue;
		s->ncell++;
		if (ag_fig_number_of(cell, &d))
			fig_sum_add(s, d);
		else if (!is_count)
			return fig_wrong(c, ag_str_printf(c->arena, "\"%.*s\" is no number",
			                                  AG_FMT(ag_val_text(v))));
	}
	return true;
}

static bool fig_operands_read(fig_compute *c, const ag_val *v, unsigned depth, bool is_count,
                              fig_operands *o, fig_sum *s)
{
	*s = (fig_sum){ 0 };
	if (!v || v->type == AG_T_NULL)
		return fig_wrong(c, AG_S("its cells are missing"));
	if (v->type != AG_T_ARRAY)
		return fig_operand(c, v, depth, is_count, o, s);
	for (uint32_t i = 0; i < v->n; i++) {
		if (!fig_operand(c, &v->u.items[i], depth, is_count, o, s))
			return false;
	}
	return s->n > 0 || is_count || fig_wrong(c, AG_S("none of its cells has a number"));
}

static bool fig_divide(fig_compute *c, ag_dec128 a, ag_dec128 b, ag_dec128 *ret)
{
	if (ag_decmath_is_zero(b))
		return fig_wrong(c, AG_S("it divides by zero"));
	*ret = ag_decmath_div(a, b);
	return true;
}

static bool fig_share(fig_compute *c, const ag_val *v, unsigned depth, const fig_sum *of,
                      ag_dec128 *ret)
{
	fig_operands whole = { 0 };
	fig_sum in;

	if (!fig_operands_read(c, ag_val_getc(v, "in"), depth, false, &whole, &in))
		return false;
	for (size_t i = 0; i < whole.n; i++)
		fig_ref_add(c, &c->all, whole.refs[i]);
	return fig_divide(c, of->sum, in.sum, ret);
}

static bool fig_evaluate(fig_compute *c, const ag_val *v, unsigned depth, fig_operands *o,
                         ag_dec128 *ret)
{
	const ag_str op = ag_val_member_str(v, "op");
	const bool is_count = ag_str_eqc(op, "count");
	const size_t before = o->n;
	fig_sum s;

	if (depth > AG_FIGURES_MAX_DEPTH)
		return fig_wrong(c, AG_S("computations are nested more than 4 deep"));
	if (!fig_operands_read(c, ag_val_getc(v, "of"), depth, is_count, o, &s))
		return false;
	for (size_t i = before; i < o->n; i++)
		fig_ref_add(c, &c->all, o->refs[i]);
	if (ag_str_eqc(op, "sum")) {
		*ret = s.sum;
	} else if (ag_str_eqc(op, "average")) {
		return fig_divide(c, s.sum, ag_dec128_from_i64((int64_t)s.n), ret);
	} else if (ag_str_eqc(op, "min")) {
		*ret = s.low;
	} else if (ag_str_eqc(op, "max")) {
		*ret = s.high;
	} else if (is_count) {
		*ret = ag_dec128_from_i64((int64_t)s.ncell);
	} else if (ag_str_eqc(op, "share")) {
		return fig_share(c, v, depth, &s, ret);
	} else if (ag_str_eqc(op, "difference") || ag_str_eqc(op, "ratio") ||
	           ag_str_eqc(op, "change")) {
		if (s.n != 2)
			return fig_wrong(c,
			                 ag_str_printf(c->arena, "%.*s takes two numbers, got %zu",
			                               AG_FMT(op), s.n));
		*ret = ag_dec128_add(s.two[0], ag_decmath_neg(s.two[1]));
		if (ag_str_eqc(op, "ratio"))
			return fig_divide(c, s.two[0], s.two[1], ret);
		if (ag_str_eqc(op, "change"))
			return fig_divide(c, *ret, s.two[1], ret);
	} else {
		return fig_wrong(
			c,
			ag_str_printf(
				c->arena,
				"\"%.*s\" is no operation: sum, average, min, max, count, difference, "
				"ratio, change or share",
				AG_FMT(ag_str_make(op.ptr, op.len < 40 ? op.len : 40))));
	}
	return true;
}

void ag_fig_compute(const ag_figures_input *in, ag_arena *arena, ag_fig_computation *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const ag_val *v = &in->computations->u.items[i];
		fig_compute c = { .in = in, .arena = arena };
		fig_operands of = { 0 };

		ret[i] = (ag_fig_computation){ .op = ag_val_member_str(v, "op") };
		ret[i].is_ok = v->type == AG_T_OBJECT ? fig_evaluate(&c, v, 0, &of, &ret[i].value)
		                                      : fig_wrong(&c, AG_S("it is no object"));
		ret[i].error = c.error;
		ret[i].is_count = ag_str_eqc(ret[i].op, "count");
		ret[i].is_share = ag_str_eqc(ret[i].op, "share");
		ret[i].is_fraction = ret[i].is_share || ag_str_eqc(ret[i].op, "ratio") ||
		                     ag_str_eqc(ret[i].op, "change");
		ret[i].of = of.refs;
		ret[i].nof = of.n;
		ret[i].all = c.all.refs;
		ret[i].nall = c.all.n;
	}
}
