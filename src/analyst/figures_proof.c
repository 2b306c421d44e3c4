/* figures_proof -- a figure against cells and computations, and why it needs no proof. */
#include <math.h>

#include "analyst/figures_check.h"
#include "query/decmath.h"

const ag_val *ag_fig_cell(const ag_figures_input *in, size_t result, size_t row, size_t column)
{
	const ag_val *v = &in->results[result].rows[row];

	return v->type == AG_T_ARRAY && column < v->n ? &v->u.items[column] : NULL;
}

/* The places of a mention are ordered by result, newest first, then by row. */
static int fig_place_cmp(ag_fig_place a, ag_fig_place b)
{
	if (a.result != b.result)
		return a.result > b.result ? -1 : 1;
	return a.row < b.row ? -1 : a.row > b.row;
}

/* The first place of m that is not before p. */
static size_t fig_place_find(const ag_fig_mention *m, ag_fig_place p)
{
	size_t low = 0, high = m->nplace;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (fig_place_cmp(m->places[mid], p) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool fig_has_row(const ag_fig_mention *m, size_t result, size_t row)
{
	const ag_fig_place p = { (uint32_t)result, (uint32_t)row };
	const size_t i = fig_place_find(m, p);

	return i < m->nplace && fig_place_cmp(m->places[i], p) == 0;
}

static bool fig_is_in(const ag_fig_mention *m, size_t result)
{
	const size_t i = fig_place_find(m, (ag_fig_place){ (uint32_t)result, 0 });

	return i < m->nplace && m->places[i].result == result;
}

/* Is it the name of one row of the result alone? */
static bool fig_is_single(const ag_fig_mention *m, size_t result)
{
	const size_t i = fig_place_find(m, (ag_fig_place){ (uint32_t)result, 0 });

	return i < m->nplace && m->places[i].result == result &&
	       (i + 1 == m->nplace || m->places[i + 1].result != result);
}

static bool fig_in_sql(const ag_fig_mention *m, size_t result)
{
	return m->in_sql >> (result & 63) & 1;
}

/* --- proof by a cell --- */

static const ag_fig_topic *fig_topic_of(const ag_fig_check *k, const ag_fig_claim *c, size_t i)
{
	for (size_t m = 0; m < c->nown; m++) {
		if (c->own[m]->dim == k->topics[i].dim)
			return NULL;
	}
	return &k->topics[i];
}

static bool fig_drops_topics(const ag_fig_claim *c)
{
	return !c->nown && (c->cues & (AG_FIG_TOTAL | AG_FIG_SPREAD | AG_FIG_HIGH | AG_FIG_LOW)) &&
	       !(c->cues & AG_FIG_PRONOUN);
}

bool ag_fig_row_fits(const ag_fig_check *k, const ag_fig_claim *c, size_t result, size_t row,
                     bool *ret_named)
{
	bool single = false; /* then no earlier sentence is needed */

	*ret_named = false;
	for (size_t i = 0; i < c->nown; i++) {
		const ag_fig_mention *m = c->own[i];

		single = single || fig_is_single(m, result);

		if (fig_in_sql(m, result) && !fig_has_row(m, result, row) &&
		    k->in->results[result].nrow == 1) {
			*ret_named = true;
			continue;
		}
		if (fig_is_in(m, result)) {
			*ret_named = true;
			if (!fig_has_row(m, result, row))
				return false;
		} else if (fig_in_sql(m, result)) {
			continue;
		} else if (m->nplace || m->in_sql) {
			return false;
		}
	}
	for (size_t i = 0; i < k->ntopic && !k->is_row && !single && !fig_drops_topics(c); i++) {
		const ag_fig_topic *t = fig_topic_of(k, c, i);
		bool is_in = false, has = false;

		for (size_t m = 0; t && m < t->n; m++) {
			if (c->named && t->n == 2 && m != (c->named > 0))
				continue;
			is_in = is_in || fig_is_in(t->of[m], result);
			has = has || fig_has_row(t->of[m], result, row);
		}
		if (is_in) {
			*ret_named = true;
			if (!has)
				return false;
		}
	}
	return true;
}

/* A row whose keys are all null or a word for a total: of GROUP BY ROLLUP. */
static bool fig_is_total_row(const ag_fig_check *k, size_t result, size_t row)
{
	bool any = false;

	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *c = &k->columns[i];
		const ag_val *v = c->result == result && c->is_key
		                          ? ag_fig_cell(k->in, result, row, c->column)
		                          : NULL;

		if (!v)
			continue;
		if (v->type == AG_T_STRING &&
		    !(ag_fig_cues(k->w, ag_fig_fold(ag_val_text(v), k->arena)) & AG_FIG_TOTAL))
			return false;
		if (v->type != AG_T_STRING && v->type != AG_T_NULL)
			return false;
		any = true;
	}
	return any;
}

static double fig_signed(const ag_fig_number *n)
{
	return n->is_bracketed || n->sign < 0 ? -n->read[0].approx : n->read[0].approx;
}

/* "from 12 to 90": the smaller figure is the lowest of its column, the larger one the highest. */
static bool fig_ends_range(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_column *col,
                           ag_dec128 v)
{
	const double own = fig_signed(&k->doc.numbers[c->number]);
	const double own_unit = k->doc.numbers[c->number].read[0].unit;
	const bool at_low = ag_dec128_cmp(v, col->low) == 0;
	const bool at_high = ag_dec128_cmp(v, col->high) == 0;
	double other;
	bool smaller = false, larger = false, equal = false;

	for (size_t i = 0; i < k->nclaim; i++) {
		const ag_fig_number *n = &k->doc.numbers[k->claims[i].number];

		if (&k->claims[i] == c || k->claims[i].is_aside || k->claims[i].nown || !n->nread)
			continue;
		other = fig_signed(n);
		/* "17.1k to 17,080" is one number. */
		if (fabs(own - other) <= fmax(own_unit, n->read[0].unit) / 2) {
			equal = true;
			continue;
		}
		smaller = smaller || own < other;
		larger = larger || own > other;
	}
	if (smaller && larger)
		return true;
	if (equal)
		return at_low && at_high;
	return smaller || larger ? (smaller ? at_low : at_high) : at_low || at_high;
}

static bool fig_unnamed_fits(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_column *col,
                             size_t row)
{
	const ag_figures_result *r = &k->in->results[col->result];
	const unsigned cues = c->cues;
	const ag_val *v = ag_fig_cell(k->in, col->result, row, col->column);
	ag_dec128 d;

	if (r->nrow == 1)
		return true;
	if (cues & AG_FIG_TOTAL)
		return fig_is_total_row(k, col->result, row);
	if (k->is_row)
		return false;
	if (!v || !ag_fig_number_of(v, &d))
		return false;
	if (k->is_range)
		return fig_ends_range(k, c, col, d);
	if ((cues & (AG_FIG_HIGH | AG_FIG_LOW)) == AG_FIG_HIGH &&
	    !(cues & (AG_FIG_OVER | AG_FIG_SPREAD | AG_FIG_TOP)))
		return ag_dec128_cmp(d, col->high) == 0;
	if ((cues & (AG_FIG_HIGH | AG_FIG_LOW)) == AG_FIG_LOW &&
	    !(cues & (AG_FIG_UNDER | AG_FIG_SPREAD)))
		return ag_dec128_cmp(d, col->low) == 0;
	return true;
}

/* Is the ratio near the one in words: within 5 %, or 10 % after "about" and the like? */
static bool fig_ratio_shows(const ag_fig_check *k, const ag_fig_claim *c, double v)
{
	const double said = k->doc.numbers[c->number].read[0].approx;

	return fabs(v - said) <= said * (ag_fig_is_hedged(k, c) ? 0.1 : 0.05);
}

/* "result of ($120)": brackets for a minus. "North (120)", "revenue (120)" are asides. */
static bool fig_is_bracketed(const ag_fig_check *k, const ag_fig_number *n, bool has_negative)
{
	const ag_fig_token *t = &k->doc.tokens[n->token];

	if (n->is_bracketed)
		return has_negative || n->currency >= 0;
	if (!n->in_parens || n->token < 2 || t[-1].punct != '(' || t[-2].mention >= 0 ||
	    t[-2].nvocab || t[-2].kind != AG_FIG_WORD)
		return false;
	/* "shows ($120)", "led ($120)": the former only, unless the column has negative numbers. */
	return has_negative ||
	       (n->currency >= 0 && t[-2].cues &&
	        !(t[-2].cues & (AG_FIG_UP | AG_FIG_DOWN | AG_FIG_HIGH | AG_FIG_LOW | AG_FIG_RANK)));
}

/* Does the value, in the column's unit, show as the number? */
static bool fig_value_shows(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_column *col,
                            ag_dec128 v)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const ag_fig_near said = ag_fig_near_of(k, c);
	const ag_fig_near near = !c->nown                    ? said
	                         : said == AG_FIG_NEAR_OVER  ? AG_FIG_NEAR_FLOOR
	                         : said == AG_FIG_NEAR_UNDER ? AG_FIG_NEAR_CEILING
	                                                     : said;
	const bool any_sign = (c->cues & AG_FIG_DOWN) && n->sign > 0 && ag_dec128_is_neg(v);
	bool fraction, plain;
	int family = 0;

	if (!ag_fig_unit_fits(col, n, &fraction, &plain))
		return false;
	if (!ag_dec128_is_neg(v) && fig_is_bracketed(k, n, ag_dec128_is_neg(col->low)))
		return false;
	if (n->is_ratio) /* of a column of shares or ratios only */
		return (col->traits & AG_FIG_T_SHARE) &&
		       fig_ratio_shows(k, c, ag_dec128_to_double(v) / (col->is_fraction ? 1 : 100));
	if ((c->cues & AG_FIG_DOWN) && !(c->cues & AG_FIG_UP) && (col->traits & AG_FIG_T_SHARE) &&
	    n->sign > 0 && !ag_dec128_is_neg(v) && ag_dec128_is_neg(col->low))
		return false;
	if (n->unit && col->unit && n->unit != col->unit) {
		const double size = ag_fig_unit_size(col->unit, &family) /
		                    ag_fig_unit_size(n->unit, &family);

		v = ag_decmath_mul(v, ag_decmath_from_double(size));
		if (size < 1) /* exact where the other way is whole */
			v = ag_decmath_div(ag_decmath_mul(v, ag_dec128_from_i64(1)),
			                   ag_dec128_from_i64(1));
	}
	return (fraction && ag_fig_shows(n, v, 2, near, any_sign)) ||
	       (plain && ag_fig_shows(n, v, col->exp, near, any_sign));
}

/* A quick look before the exact one: is the double near at all? */
static bool fig_may_show(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_column *col,
                         double v)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];

	if (isnan(v))
		return false;
	if (n->unit || col->exp || n->is_percent || n->is_points || n->is_ratio)
		return true;
	for (size_t i = 0; i < n->nread; i++) {
		if (fabs(fabs(v) - n->read[i].approx) <= n->read[i].unit + fabs(v) * 0.11)
			return true;
	}
	return false;
}

static bool fig_means(const ag_fig_check *k, const ag_fig_token *t, const ag_fig_column *col)
{
	for (size_t x = 0; x < t->nvocab; x++) {
		for (size_t w = 0; w < col->nword; w++) {
			if (t->vocab[x] == col->words[w] &&
			    !(k->vocab[t->vocab[x]].traits & AG_FIG_T_AVERAGE))
				return true;
		}
	}
	return false;
}

/* Does the segment speak of an average of this column: "average revenue", not "average price of 120 orders"? */
static bool fig_says_average(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_column *col)
{
	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		uint32_t next = i + 1;

		if (!(k->doc.tokens[i].cues & AG_FIG_AVERAGE))
			continue;
		while (next < c->seg_to && !k->doc.tokens[next].nvocab)
			next++;
		if (next == c->seg_to || fig_means(k, &k->doc.tokens[next], col))
			return true;
	}
	return false;
}

/* An average that is asked for is not the sum in a cell. */
static bool fig_average_fits(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_column *col)
{
	const ag_str sql = k->in->results[col->result].sql;

	if (!(c->cues & AG_FIG_AVERAGE) || (col->traits & (AG_FIG_T_AVERAGE | AG_FIG_T_SHARE)) ||
	    !fig_says_average(k, c, col))
		return true;
	for (size_t i = 0; i + 3 < sql.len; i++) {
		if (ag_str_ieq(ag_str_make(sql.ptr + i, 4), AG_S("avg(")))
			return true;
	}
	return false;
}

bool ag_fig_prove_cell(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                       size_t n, ag_figure *f)
{
	for (size_t i = 0; i < n; i++) {
		const ag_fig_column *col = &k->columns[eligible[i]];
		const ag_figures_result *r = &k->in->results[col->result];

		if (!fig_average_fits(k, c, col))
			continue;
		for (size_t row = 0; row < r->nrow; row++) {
			const ag_val *v;
			ag_dec128 d;
			bool named;

			if (!fig_may_show(k, c, col, col->approx[row]))
				continue;
			v = ag_fig_cell(k->in, col->result, row, col->column);
			if (!v || !ag_fig_number_of(v, &d) || !fig_value_shows(k, c, col, d) ||
			    !ag_fig_row_fits(k, c, col->result, row, &named))
				continue;
			if (!named && !fig_unnamed_fits(k, c, col, row))
				continue;
			f->verdict = AG_FIGURE_CELL;
			f->has_cell = true;
			f->result = col->result;
			f->row = row;
			f->column = col->column;
			f->value = ag_fig_text(d, k->arena);
			return true;
		}
	}
	return false;
}

/* The rows beyond the bound; *ret_row: the nearest of them. */
static size_t fig_beyond(const ag_fig_check *k, const ag_fig_column *col, const ag_fig_number *n,
                         bool over, size_t *ret_row)
{
	const double by = n->is_percent && col->is_fraction ? 100 : 1, bound = fig_signed(n);
	size_t count = 0;

	for (size_t row = 0; row < k->in->results[col->result].nrow; row++) {
		const double v = col->approx[row] * by;

		if (isnan(v) || (over ? v <= bound : v >= bound))
			continue;
		if (!count++ || fabs(v - bound) < fabs(col->approx[*ret_row] * by - bound))
			*ret_row = row;
	}
	return count;
}

bool ag_fig_prove_bound(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                        size_t n, ag_figure *f)
{
	const ag_fig_number *bound = &k->doc.numbers[c->number];
	const ag_fig_near near = ag_fig_near_of(k, c);

	if ((near != AG_FIG_NEAR_OVER && near != AG_FIG_NEAR_UNDER) || c->nown || !bound->nread ||
	    bound->unit)
		return false;
	for (size_t i = 0; i < k->nclaim && &k->claims[i] != c; i++) {
		const ag_fig_number *said = &k->doc.numbers[k->claims[i].number];
		int64_t v;

		if (said->is_percent || said->currency >= 0 || said->unit || said->is_ratio ||
		    said->is_ordinal || k->claims[i].nown || said->nread != 1 ||
		    !ag_decmath_to_i64(said->read[0].v, &v) || v < 1)
			continue;
		for (size_t e = 0; e < n; e++) {
			const ag_fig_column *col = &k->columns[eligible[e]];
			size_t row = 0;

			if (col->exp ||
			    fig_beyond(k, col, bound, near == AG_FIG_NEAR_OVER, &row) != (size_t)v)
				continue;
			f->verdict = AG_FIGURE_CELL;
			f->has_cell = true;
			f->result = col->result;
			f->row = row;
			f->column = col->column;
			return true;
		}
	}
	return false;
}

size_t ag_fig_proven_by(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                        size_t n, uint16_t *to)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		ag_figure f = { 0 };

		if (ag_fig_prove_cell(k, c, &eligible[i], 1, &f))
			to[count++] = eligible[i];
	}
	return count;
}

/* --- proof by a computation --- */

/* Do the rows of the computation agree with the rows that the sentence names? For a share: the rows of its part. */
static bool fig_rows_agree(const ag_fig_check *k, const ag_fig_claim *c,
                           const ag_fig_computation *comp)
{
	bool alone = true;

	/* "North leads; on average there are 12" */
	if (ag_str_eqc(comp->op, "average") && !c->names_row && comp->nof > 2)
		return true;
	for (size_t i = 0; i < k->nclaim; i++)
		alone = alone &&
		        (&k->claims[i] == c || k->claims[i].is_loose || !k->claims[i].nown);
	for (size_t i = 0; i < c->nown; i++) {
		const ag_fig_mention *m = c->own[i];
		bool relevant = false, touched = false, all = true;

		for (size_t j = 0; j < comp->nof; j++) {
			const ag_fig_ref *ref = &comp->of[j];
			bool in = fig_has_row(m, ref->result, ref->row);

			relevant = relevant || fig_is_in(m, ref->result);
			touched = touched || in;
			/* Other rows that the sentence names count too: a sum, a difference of two rows. */
			for (size_t u = 0; !in && u < k->nunit_mention && (alone || comp->nof == 2);
			     u++)
				in = k->unit_mentions[u]->dim == m->dim &&
				     fig_has_row(k->unit_mentions[u], ref->result, ref->row);
			all = all && (in || fig_in_sql(m, ref->result));
		}
		if (relevant && (!touched || (!all && comp->nof > 2) || (comp->is_share && !all)))
			return false;
	}
	return true;
}

/* Does the sign of a difference agree with "more" or "less"? The claim is of the row that the sentence is about. */
static bool fig_direction_agrees(const ag_fig_claim *c, const ag_fig_computation *comp)
{
	bool first = c->nown > 0, second = c->nown > 0;
	int sign;

	if (!c->direction || comp->nof != 2 || ag_decmath_is_zero(comp->value) ||
	    !(ag_str_eqc(comp->op, "difference") || ag_str_eqc(comp->op, "change")))
		return true;
	sign = ag_dec128_is_neg(comp->value) ? -1 : 1;
	for (size_t i = 0; i < c->nown; i++) {
		first = first && fig_has_row(c->own[i], comp->of[0].result, comp->of[0].row);
		second = second && fig_has_row(c->own[i], comp->of[1].result, comp->of[1].row);
	}
	if (first == second)
		return true;
	return (first ? sign : -sign) == c->direction;
}

static bool fig_columns_agree(const ag_fig_check *k, const ag_fig_computation *comp)
{
	/* "a share of" names what was computed, not a column of shares. */
	const bool named_by_op = comp->is_fraction || ag_str_eqc(comp->op, "average");
	float own = 0, here = 0;

	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *col = &k->columns[i];

		if (!named_by_op || !(col->traits & (AG_FIG_T_SHARE | AG_FIG_T_AVERAGE)))
			own = col->is_number && !col->is_key && col->own > own ? col->own : own;
		for (size_t j = 0; j < comp->nall; j++) {
			if (comp->all[j].result == col->result &&
			    comp->all[j].column == col->column) {
				here = col->is_wild && here < 0.01f ? 0.01f : here;
				here = col->own > here ? col->own : here;
				break;
			}
		}
	}
	return own <= 0 || here > 0 || comp->is_count;
}

bool ag_fig_prove_computed(const ag_fig_check *k, const ag_fig_claim *c, ag_figure *f)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const ag_fig_near near = ag_fig_near_of(k, c);

	for (size_t i = 0; i < k->ncomputed; i++) {
		const ag_fig_computation *comp = &k->computed[i];
		const bool any_sign = comp->is_ok && ((c->cues & AG_FIG_DOWN) || c->direction) &&
		                      ag_dec128_is_neg(comp->value);
		bool shows;

		if (!comp->is_ok)
			continue;
		if (n->currency >= 0 && (comp->is_share || ag_str_eqc(comp->op, "change")))
			continue;
		if (comp->is_count && (n->currency >= 0 || n->is_percent || n->unit))
			continue;
		if ((c->cues & AG_FIG_DOWN) && !(c->cues & AG_FIG_UP) &&
		    ag_str_eqc(comp->op, "change") && !ag_dec128_is_neg(comp->value))
			continue;
		if (n->is_ratio)
			shows = comp->is_fraction &&
			        fig_ratio_shows(k, c,
			                        ag_dec128_to_double(comp->value) +
			                                ag_str_eqc(comp->op, "change"));
		else if (n->is_percent)
			shows = comp->is_fraction &&
			        ag_fig_shows(n, comp->value, 2, near, any_sign);
		else
			shows = (!comp->is_fraction || n->is_times ||
			         (n->nread && n->read[0].places > 0) ||
			         ag_fig_is_whole(comp->value)) &&
			        ag_fig_shows(n, comp->value, 0, near, any_sign);
		/* A sum, a difference, an average of percentages. */
		if (!shows && (n->is_percent || n->is_points) && !comp->is_fraction && comp->nof) {
			for (size_t j = 0; j < k->ncolumn && !shows; j++) {
				const ag_fig_column *col = &k->columns[j];

				if (col->result == comp->of[0].result &&
				    col->column == comp->of[0].column)
					shows = (col->is_fraction &&
					         ag_fig_shows(n, comp->value, 2, near, any_sign)) ||
					        (col->is_percent &&
					         ag_fig_shows(n, comp->value, 0, near, any_sign));
			}
		}
		if (!shows || !fig_direction_agrees(c, comp) || !fig_rows_agree(k, c, comp) ||
		    !fig_columns_agree(k, comp))
			continue;
		f->verdict = AG_FIGURE_COMPUTED;
		f->computation = i;
		f->value = ag_fig_text(comp->value, k->arena);
		return true;
	}
	return false;
}

/* --- dates --- */

/* Does a row with the date m fit the claim that is made of it? Only where a result has both the date and a name of the
 * sentence. *ret: a row that has what the sentence names. */
bool ag_fig_date_fits(const ag_fig_claim *c, const ag_fig_mention *m, ag_fig_place *ret)
{
	bool judged = false;

	for (size_t i = 0; i < m->nplace; i++) {
		const size_t result = m->places[i].result;
		bool fits = true;

		for (size_t o = 0; o < c->nown; o++) {
			if (!fig_is_in(c->own[o], result))
				continue;
			judged = true;
			fits = fits && fig_has_row(c->own[o], result, m->places[i].row);
			*ret = c->own[o]->places[fig_place_find(
				c->own[o], (ag_fig_place){ (uint32_t)result, 0 })];
		}
		if (fits)
			return true;
	}
	return !judged;
}

/* --- exemptions --- */

bool ag_fig_exempt(ag_figure *f, const char *why)
{
	f->verdict = AG_FIGURE_EXEMPT;
	f->why = why;
	return true;
}

/* Does the statement end with ORDER BY and this column, not descending? */
static bool fig_is_ordered_by(const ag_fig_check *k, const ag_fig_column *col)
{
	const ag_figures_result *r = &k->in->results[col->result];
	const ag_str name = r->columns[col->column], by = AG_S("order by ");
	ag_str rest = AG_S("");

	for (size_t i = 0; i + by.len + name.len <= r->sql.len; i++) {
		if (ag_str_ieq(ag_str_make(r->sql.ptr + i, by.len), by))
			rest = ag_str_make(r->sql.ptr + i + by.len, r->sql.len - i - by.len);
	}
	if (rest.len < name.len || !ag_str_ieq(ag_str_make(rest.ptr, name.len), name))
		return false;
	rest = ag_str_trim(ag_str_make(rest.ptr + name.len, rest.len - name.len));
	return rest.len < 4 || !ag_str_ieq(ag_str_make(rest.ptr, 4), AG_S("desc"));
}

/* "ranks 2nd": the place of its row by a column that the sentence names, from either end; without one, its place in the
 * result or by any number of it. */
static bool fig_rank_fits(const ag_fig_check *k, const ag_fig_claim *c, int64_t rank)
{
	uint16_t eligible[AG_FIGURES_MAX_COLUMNS];
	const size_t n = ag_fig_eligible(k, c, eligible);
	const bool high = (c->cues & (AG_FIG_HIGH | AG_FIG_LOW)) == AG_FIG_HIGH;
	const bool low = (c->cues & (AG_FIG_HIGH | AG_FIG_LOW)) == AG_FIG_LOW;
	bool is_named = false;
	size_t nnumber = 0;

	for (size_t i = 0; i < k->ncolumn; i++)
		nnumber += k->columns[i].is_number && !k->columns[i].is_key;
	for (size_t i = 0; i < n; i++)
		is_named = is_named ||
		           (k->columns[eligible[i]].score > 0 && !k->columns[eligible[i]].is_key);
	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *col = &k->columns[i];
		const size_t nrow = k->in->results[col->result].nrow;
		/* Without a name: the order of the result, or its only number. */
		bool here = !is_named;

		for (size_t e = 0; e < n; e++)
			here = here || (eligible[e] == i && col->score > 0);
		for (size_t row = 0; here && row < nrow; row++) {
			int64_t above = 0, below = 0;
			bool named, ascends = low;

			if (!ag_fig_row_fits(k, c, col->result, row, &named) || !named)
				continue;
			if (!is_named && (int64_t)row + 1 == rank)
				return true;
			for (size_t j = 0; col->is_number && (is_named || nnumber == 1) && j < nrow;
			     j++) {
				above += col->approx[j] > col->approx[row];
				below += col->approx[j] < col->approx[row];
			}
			/* From below only where the sentence or the statement says so. */
			ascends = ascends || fig_is_ordered_by(k, col);
			if (col->is_number && (is_named || nnumber == 1) &&
			    ((above + 1 == rank && !low) ||
			     (below + 1 == rank && !high && ascends)))
				return true;
			break;
		}
	}
	return false;
}

bool ag_fig_is_exempt(const ag_fig_check *k, const ag_fig_claim *c, ag_figure *f)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	int64_t v;

	if (n->is_ordinal && n->nread && ag_decmath_to_i64(n->read[0].v, &v)) {
		if ((!n->is_word && !(c->cues & AG_FIG_RANK)) || !c->nown || fig_rank_fits(k, c, v))
			return ag_fig_exempt(f, "ordinal");
		return false;
	}
	if (n->is_date)
		return ag_fig_dates_are_asked(ag_fig_names_dates(k->names), n->y, n->m, n->d) &&
		       ag_fig_exempt(f, "date of a statement or of the question");
	if (ag_fig_is_row_count(k, c))
		return ag_fig_exempt(f, "row count");
	/* A number of the question is no figure, unless the sentence says that a cell holds it. */
	if (ag_fig_is_asked(k, n)) {
		float own = 0;

		for (size_t i = 0; i < k->ncolumn; i++)
			own = k->columns[i].is_number && !k->columns[i].is_key &&
			                      k->columns[i].own > own
			              ? k->columns[i].own
			              : own;
		if (!(c->names_row && c->nown && own > 0) || ag_fig_is_hedged(k, c))
			return ag_fig_exempt(f, "number of the question or of a statement");
	}
	return false;
}
