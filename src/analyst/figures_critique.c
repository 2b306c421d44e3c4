/* figures_critique -- what is near a figure that has no proof, and what the model is asked to do. */
#include <math.h>

#include "analyst/figures_check.h"

static double fig_distance(const ag_fig_number *n, double v, bool by_percent)
{
	const double shown = n->nread ? n->read[0].approx : 0;
	const double value = fabs(v) * (by_percent ? 100 : 1);

	return fabs(shown - value) / (fabs(shown) + fabs(value) + 1e-9);
}

void ag_fig_nearest(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                    size_t n, ag_figure *f)
{
	const ag_fig_number *num = &k->doc.numbers[c->number];
	double best = 1e300;

	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *col = &k->columns[i];
		double base = 10; /* a column that is not named */

		for (size_t e = 0; e < n; e++)
			base = eligible[e] == i ? 0 : base;
		if (!col->is_number || (col->is_key && base > 0))
			continue;
		for (size_t row = 0; row < k->in->results[col->result].nrow; row++) {
			bool named;
			double d;

			if (isnan(col->approx[row]))
				continue;
			d = base + fig_distance(num, col->approx[row],
			                        num->is_percent && col->is_fraction);
			if (d >= best)
				continue;
			d += ag_fig_row_fits(k, c, col->result, row, &named) ? (named ? 0 : 1) : 5;
			if (d >= best)
				continue;
			best = d;
			f->has_cell = true;
			f->result = col->result;
			f->row = row;
			f->column = col->column;
		}
	}
}

/* The texts of a row, for people: "North, May". */
static ag_str fig_row_name(const ag_fig_check *k, size_t result, size_t row)
{
	ag_buf out = AG_BUF_INIT(400);
	ag_str name;

	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *c = &k->columns[i];
		const ag_val *v = c->result == result && c->is_key
		                          ? ag_fig_cell(k->in, result, row, c->column)
		                          : NULL;
		ag_dec128 d;

		if (!v || (v->type != AG_T_STRING && !ag_fig_number_of(v, &d)))
			continue;
		if (out.len)
			ag_buf_adds(&out, ", ");
		name = v->type == AG_T_STRING ? ag_val_text(v) : ag_fig_text(d, k->arena);
		ag_buf_add(&out, ag_str_make(name.ptr, name.len < 60 ? name.len : 60));
		if (out.len > 100)
			break;
	}
	name = ag_buf_dup(k->arena, &out);
	ag_buf_release(&out);
	return name;
}

void ag_fig_criticize(const ag_fig_check *k, ag_figure *f)
{
	const ag_str said = ag_str_make(k->in->prose.ptr + f->at, f->len < 60 ? f->len : 60);
	const ag_figures_result *r;
	const ag_val *v;
	ag_str row, value;
	ag_dec128 d;

	if (!f->has_cell) {
		f->critique = ag_str_printf(
			k->arena,
			"\"%.*s\" (byte %zu): no result of this conversation has a number that it could "
			"be. Query it, or leave it out.",
			AG_FMT(said), f->at);
		return;
	}
	r = &k->in->results[f->result];
	v = ag_fig_cell(k->in, f->result, f->row, f->column);
	value = v && ag_fig_number_of(v, &d) ? ag_fig_text(d, k->arena) : AG_S("");
	row = fig_row_name(k, f->result, f->row);
	f->value = value;
	f->critique = ag_str_printf(
		k->arena,
		"\"%.*s\" (byte %zu): no result has this value where the sentence says. The nearest is "
		"%.*s: %.*s, row %zu%s%.*s%s, column %.*s. Correct it, or state the computation.",
		AG_FMT(said), f->at, AG_FMT(value), AG_FMT(r->name), f->row + 1,
		row.len ? " (" : "", AG_FMT(row), row.len ? ")" : "",
		AG_FMT(ag_str_make(r->columns[f->column].ptr, r->columns[f->column].len < 60
	                                                              ? r->columns[f->column].len
	                                                              : 60)));
}
