/* figures -- which cell or computation each number of an answer comes from.
 *
 * The prose is read (figures_read.c), rows and columns that it names are found (figures_names.c), then each unit of it is
 * judged: its numbers are paired with the rows that it names, in order, for each kind of row apart; each number gets the
 * columns that the words near it mean; then some cell in such a row and column must show the number. */
#include "analyst/figures.h"

#include <math.h>

#include "analyst/figures_check.h"
#include "query/decmath.h"

#define MAX_ASKED 4096u /* numbers of statements; later ones are not read */
#define MAX_LIKE  64u /* columns that one figure may be of, when it says what the next one is of */

const char *ag_figure_verdict_name(ag_figure_verdict v)
{
	static const char *const names[] = { "cell", "computed", "exempt", "unproven" };

	return names[v];
}

/* --- results --- */

bool ag_figures_result_read(const ag_val *json, ag_str name, ag_arena *arena,
                            ag_figures_result *ret)
{
	const ag_val *data = ag_val_getc(json, "data");
	const ag_val *columns, *rows;
	ag_str *names;

	data = data && data->type == AG_T_OBJECT ? data : json;
	columns = ag_val_getc(data, "columns");
	rows = ag_val_getc(data, "rows");
	if (!columns || columns->type != AG_T_ARRAY || !rows || rows->type != AG_T_ARRAY)
		return false;
	names = ag_new_n(arena, ag_str, columns->n + 1);
	for (uint32_t i = 0; i < columns->n; i++)
		names[i] = columns->u.items[i].type == AG_T_STRING
		                   ? ag_val_text(&columns->u.items[i])
		                   : AG_S("");
	*ret = (ag_figures_result){ .name = name,
		                    .sql = ag_val_member_str(data, "sql_executed"),
		                    .columns = names,
		                    .ncolumn = columns->n,
		                    .rows = rows->u.items,
		                    .nrow = rows->n,
		                    .row_count = ag_val_member_u64(data, "row_count"),
		                    .is_cut = ag_val_member_bool(data, "truncated") };
	return true;
}

/* --- the units in turn --- */

/* Does any word, of this sentence or another, say which column the figure is of? */
static bool fig_is_named(const ag_fig_check *k)
{
	for (size_t i = 0; i < k->ncolumn; i++) {
		if (k->columns[i].score > 0 && k->columns[i].is_number && !k->columns[i].is_key)
			return true;
	}
	return false;
}

/* A figure that nothing names is of the column of the one before it, where that can hold it: "North 120, South 90". */
static size_t fig_like_only(const ag_fig_check *k, const ag_fig_claim *c, uint16_t *columns,
                            size_t n)
{
	const ag_fig_number *number = &k->doc.numbers[c->number];
	uint16_t both[AG_FIGURES_MAX_COLUMNS];
	size_t nboth = 0;
	bool fraction, plain;

	if (k->is_row || !k->nlike || c->is_aside || number->is_ordinal || fig_is_named(k))
		return n;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < k->nlike; j++) {
			if (columns[i] == k->like[j] &&
			    ag_fig_unit_fits(&k->columns[columns[i]], number, &fraction, &plain))
				both[nboth++] = columns[i];
		}
	}
	if (!nboth)
		return n;
	memcpy(columns, both, nboth * sizeof(both[0]));
	return nboth;
}

/* The columns of a figure that a cell proved: what the next one is like. */
static void fig_like_set(ag_fig_check *k, const ag_fig_claim *c, const uint16_t *columns, size_t n)
{
	if (!k->is_row && !c->is_aside && !c->compares)
		k->nlike = n <= MAX_LIKE ? ag_fig_proven_by(k, c, columns, n, k->like) : 0;
}

static void fig_like_computed(ag_fig_check *k, const ag_fig_claim *c, const ag_figure *f)
{
	const ag_fig_computation *comp = &k->computed[f->computation];

	if (k->is_row || c->is_aside || comp->is_fraction || !comp->nall)
		return;
	k->nlike = 0;
	for (size_t i = 0; i < k->ncolumn; i++) {
		if (k->columns[i].result == comp->all[0].result &&
		    k->columns[i].column == comp->all[0].column)
			k->like[k->nlike++] = (uint16_t)i;
	}
}

static void fig_judge(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u)
{
	ag_figure *f = &k->figures[c->number];
	uint16_t eligible[AG_FIGURES_MAX_COLUMNS];
	size_t n;

	f->verdict = AG_FIGURE_UNPROVEN;
	ag_fig_columns_weigh(k, c, u);
	n = fig_like_only(k, c, eligible, ag_fig_eligible(k, c, eligible));
	if (c->is_aside && k->doc.numbers[c->number].nread && !ag_fig_is_hedged(k, c) &&
	    !ag_fig_is_row_count(k, c) && ag_fig_prove_cell(k, c, eligible, n, f))
		return;
	if (k->doc.numbers[c->number].is_ordinal || c->is_aside) {
		if (ag_fig_is_exempt(k, c, f))
			return;
	} else if (k->doc.numbers[c->number].nread && ag_fig_prove_cell(k, c, eligible, n, f)) {
		fig_like_set(k, c, eligible, n);
		return;
	} else if (!k->is_row && ag_fig_prove_bound(k, c, eligible, n, f)) {
		return;
	} else if (k->doc.numbers[c->number].nread && ag_fig_prove_computed(k, c, f)) {
		fig_like_computed(k, c, f);
		return;
	} else if (ag_fig_is_exempt(k, c, f)) {
		return;
	}
	if (!k->is_row && k->doc.numbers[c->number].nread && ag_fig_has_unknown(k, c)) {
		uint16_t unnamed[AG_FIGURES_MAX_COLUMNS];
		const size_t nunnamed = ag_fig_unnamed(k, c, unnamed);

		if (ag_fig_prove_cell(k, c, unnamed, nunnamed, f)) {
			fig_like_set(k, c, unnamed, nunnamed);
			return;
		}
	}
	if (!k->is_row && k->doc.numbers[c->number].nread && ag_fig_weigh_next(k, c, u)) {
		uint16_t next[AG_FIGURES_MAX_COLUMNS];

		if (ag_fig_prove_cell(k, c, next, ag_fig_eligible(k, c, next), f))
			return;
	}
	ag_fig_nearest(k, c, eligible, n, f);
	ag_fig_criticize(k, f);
}

/* Dates of cells that the sentence says of a row: "Ward 3 was inspected on May 4". Those of statements and of the question are
 * bounds. */
static void fig_judge_dates(ag_fig_check *k, const ag_fig_unit *u)
{
	ag_fig_claim *claims = ag_new_n(k->arena, ag_fig_claim, k->nunit_mention + 1);
	const ag_fig_mention **dates = ag_new_n(k->arena, const ag_fig_mention *,
	                                        k->nunit_mention + 1);
	size_t n = 0;

	for (size_t i = 0; i < k->nunit_mention; i++) {
		const ag_fig_mention *m = k->unit_mentions[i];
		uint32_t at = m->from;

		if (m->dim != AG_FIG_DIM_DATE || m->in_sql || m->is_asked || !m->is_day)
			continue;
		while (at < m->to && k->doc.tokens[at].number < 0)
			at++;
		if (at == m->to)
			continue;
		dates[n] = m;
		claims[n++] = (ag_fig_claim){ .number = (size_t)k->doc.tokens[at].number,
			                      .token = m->from,
			                      .key = 1 };
	}
	if (!n)
		return;
	ag_fig_pair_dates(k, u, claims, n);
	for (size_t i = 0; i < n; i++) {
		ag_figure *f = &k->figures[claims[i].number];
		ag_fig_place row;

		if (ag_fig_date_fits(&claims[i], dates[i], &row))
			continue;
		*f = (ag_figure){ .at = k->doc.tokens[dates[i]->from].at,
			          .verdict = AG_FIGURE_UNPROVEN };
		f->len = k->doc.tokens[dates[i]->to - 1].at + k->doc.tokens[dates[i]->to - 1].len -
		         f->at;
		f->critique = ag_str_printf(
			k->arena,
			"\"%.*s\" (byte %zu): the row of %.*s that the sentence names, row %u, has "
			"another date. Correct it, or leave it out.",
			AG_FMT(ag_str_make(k->in->prose.ptr + f->at, f->len < 60 ? f->len : 60)),
			f->at, AG_FMT(k->in->results[row.result].name), row.row + 1);
	}
}

/* The rank of a table's row, "1" of the first: as good as a list marker. */
static bool fig_is_row_number(const ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	int64_t v;
	uint32_t cells = 0;

	for (uint32_t i = u->from; i < c->token; i++)
		cells += k->doc.tokens[i].kind == AG_FIG_NEXT_CELL;
	return k->is_row && cells <= 1 && n->is_plain && n->nread &&
	       ag_decmath_to_i64(n->read[0].v, &v) && v == (int64_t)u->row + 1 &&
	       c->token + 1 < u->to && k->doc.tokens[c->token + 1].kind == AG_FIG_NEXT_CELL;
}

static void fig_claim_keys(ag_fig_check *k, const ag_fig_unit *u)
{
	for (size_t i = 0; i < k->nclaim; i++) {
		ag_fig_claim *c = &k->claims[i];
		const ag_fig_number *n = &k->doc.numbers[c->number];
		float best = 0;

		ag_fig_columns_weigh(k, c, u);
		c->key = 0;
		for (size_t j = 0; j < k->ncolumn; j++) {
			const ag_fig_column *col = &k->columns[j];
			bool fraction, plain;

			if (col->is_key || !ag_fig_unit_fits(col, n, &fraction, &plain) ||
			    col->score <= best)
				continue;
			best = col->score;
			c->key = (unsigned)(j + 1) << 1;
		}
		c->key |= n->is_percent;
	}
}

/* What this unit names stays the subject of the next ones. */
static void fig_topics_set(ag_fig_check *k)
{
	for (size_t i = 0; i < k->nunit_mention; i++) {
		const ag_fig_mention *m = k->unit_mentions[i];
		size_t d = 0;
		bool is_first = true;

		while (d < k->ntopic && k->topics[d].dim != m->dim)
			d++;
		for (size_t j = 0; j < i; j++)
			is_first = is_first && k->unit_mentions[j]->dim != m->dim;
		if (d == AG_FIG_MAX_DIMS)
			continue;
		if (d == k->ntopic)
			k->ntopic++;
		if (is_first)
			k->topics[d] = (ag_fig_topic){ .dim = m->dim };
		if (k->topics[d].n < AG_FIG_MAX_TOPICS)
			k->topics[d].of[k->topics[d].n++] = m;
	}
}

/* Does the token mean a column of numbers? */
static bool fig_is_measure(const ag_fig_check *k, const ag_fig_token *t)
{
	for (size_t c = 0; c < k->ncolumn && t->nvocab; c++) {
		for (size_t w = 0; w < k->columns[c].nword; w++) {
			for (size_t x = 0; x < t->nvocab; x++) {
				if (k->columns[c].words[w] == t->vocab[x] &&
				    k->columns[c].is_number && !k->columns[c].is_key)
					return true;
			}
		}
	}
	return false;
}

/* How many cells of a table's header name a column of numbers? */
static size_t fig_measures(const ag_fig_check *k, const ag_fig_unit *u)
{
	size_t n = 0;
	bool here = false;

	for (uint32_t i = u->from; i < u->to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];

		here = here && t->kind != AG_FIG_NEXT_CELL;
		if (!here && fig_is_measure(k, t)) {
			here = true;
			n++;
		}
	}
	return n;
}

static void fig_said_set(ag_fig_check *k, const ag_fig_unit *u)
{
	bool any = false;

	for (uint32_t i = u->from; i < u->to; i++)
		any = any || k->doc.tokens[i].nvocab;
	if (!any || u->block == AG_FIG_ROW)
		return;
	k->nmeasure = u->block == AG_FIG_HEADER ? fig_measures(k, u) : 0;
	if (u->block == AG_FIG_HEADING)
		memset(k->head_weight, 0, k->nvocab * sizeof(float));
	memset(k->said_weight, 0, k->nvocab * sizeof(float));
	for (uint32_t i = u->from; i < u->to; i++)
		ag_fig_weigh(u->block == AG_FIG_HEADING ? k->head_weight : k->said_weight,
		             &k->doc.tokens[i], 1.0f);
}

/* A word of growth or decline before the figure. One after it does not count. */
static bool fig_has_direction(const ag_fig_check *k, const ag_fig_claim *c)
{
	for (uint32_t i = c->seg_from; i < k->doc.numbers[c->number].token; i++) {
		if (k->doc.tokens[i].cues & (AG_FIG_UP | AG_FIG_DOWN))
			return true;
	}
	return false;
}

/* "runs from 12 up to 90": of the figure after "from"; not "grew from 12 to 90". */
static bool fig_goes_from(const ag_fig_check *k, const ag_fig_claim *c)
{
	const uint32_t at = k->doc.numbers[c->number].token;
	const ag_fig_token *t = &k->doc.tokens[at];

	if (at == c->seg_from || fig_has_direction(k, c))
		return false;
	if (ag_str_eqc(t[-1].fold, "from") || ag_str_eqc(t[-1].fold, "von"))
		return true;
	/* "de 12 à 90": "de" alone says nothing. */
	if (!ag_str_eqc(t[-1].fold, "de") && !ag_str_eqc(t[-1].fold, "desde"))
		return false;
	for (size_t i = 0; i < k->nclaim; i++) {
		const uint32_t other = k->doc.numbers[k->claims[i].number].token;

		if (other > at + 1 && other <= at + 6 &&
		    (ag_str_eqc(k->doc.tokens[other - 1].fold, "a") ||
		     ag_str_eqc(k->doc.tokens[other - 1].fold, "hasta")))
			return true;
	}
	return false;
}

static void fig_unit(ag_fig_check *k, const ag_fig_unit *u)
{
	k->is_row = u->block == AG_FIG_ROW;
	/* A table of several measures says nothing about what is after it. */
	if (!k->is_row && k->nmeasure > 1) {
		memset(k->said_weight, 0, k->nvocab * sizeof(float));
		k->nmeasure = 0;
	}
	k->nunit_mention = 0;
	ag_fig_segments(k, u);
	ag_fig_claims(k, u);
	ag_fig_unit_mentions(k, u->from, u->to);
	k->is_range = false;
	for (size_t i = 0; i < k->nclaim; i++)
		k->is_range = k->is_range || (k->claims[i].cues & AG_FIG_RANGE) ||
		              fig_goes_from(k, &k->claims[i]);
	if (k->nclaim) {
		if (k->is_row) {
			ag_fig_pair_row(k, u);
		} else {
			fig_claim_keys(k, u);
			ag_fig_pair(k, u);
		}
	}
	if (!k->is_row)
		fig_judge_dates(k, u);
	if (u->after_break && u->block != AG_FIG_ITEM)
		k->nlike = 0;
	for (size_t i = 0; i < k->nclaim; i++) {
		if (fig_is_row_number(k, &k->claims[i], u))
			AG_IGNORE(ag_fig_exempt(&k->figures[k->claims[i].number], "list marker"),
			          "always true");
		else
			fig_judge(k, &k->claims[i], u);
	}
	if (!k->is_row && u->block != AG_FIG_HEADER)
		fig_topics_set(k);
	fig_said_set(k, u);
}

/* --- numbers of the question and of statements --- */

static void fig_asked_number(ag_fig_check *k, ag_dec128 v, size_t cap)
{
	if (k->nnumber < cap)
		k->numbers[k->nnumber++].v = v;
}

static void fig_sql_numbers(ag_fig_check *k, ag_str sql, size_t cap)
{
	bool by_place = false;

	for (size_t i = 0; i < sql.len; i++) {
		const char b = i ? sql.ptr[i - 1] : ' ';
		size_t n = 0;
		ag_dec128 v;

		if ((b | 32) < 'a' || (b | 32) > 'z') {
			while (i + n < sql.len && (sql.ptr[i + n] | 32) >= 'a' &&
			       (sql.ptr[i + n] | 32) <= 'z')
				n++;
			/* GROUP BY 1, 2 ORDER BY 3 DESC: places, no bounds. */
			if (n)
				by_place =
					ag_str_ieq(ag_str_make(sql.ptr + i, n), AG_S("by")) ||
					(by_place &&
				         (ag_str_ieq(ag_str_make(sql.ptr + i, n), AG_S("desc")) ||
				          ag_str_ieq(ag_str_make(sql.ptr + i, n), AG_S("asc"))));
			n = 0;
		}
		if (sql.ptr[i] < '0' || sql.ptr[i] > '9')
			continue;
		while (i + n < sql.len &&
		       ((sql.ptr[i + n] >= '0' && sql.ptr[i + n] <= '9') || sql.ptr[i + n] == '.'))
			n++;
		if (((b | 32) < 'a' || (b | 32) > 'z') && b != '_' && b != '-' && b != '$' &&
		    !by_place && n <= 34 && ag_dec128_parse(ag_str_make(sql.ptr + i, n), &v))
			fig_asked_number(k, v, cap);
		i += n - 1;
	}
}

static void fig_asked(ag_fig_check *k)
{
	size_t cap = 0;
	const ag_str q = ag_str_make(k->in->question.ptr,
	                             k->in->question.len < AG_FIGURES_MAX_QUESTION
	                                     ? k->in->question.len
	                                     : AG_FIGURES_MAX_QUESTION);

	ag_fig_read(q, k->w, 1000, 0, k->arena, &k->question);
	/* A number has a digit, and something between it and the next one. */
	for (size_t i = 0; i < k->in->nresult; i++)
		cap += k->in->results[i].sql.len / 2 + 1;
	for (size_t i = 0; i < k->in->nsql; i++)
		cap += k->in->sql[i].len / 2 + 1;
	cap = (cap < MAX_ASKED ? cap : MAX_ASKED) + 2 * k->question.nnumber + 1;
	k->numbers = ag_new_n(k->arena, ag_fig_reading, cap);
	ag_fig_dates_ask(ag_fig_names_dates(k->names), q, -1);
	k->nasked = ag_fig_names_find(k->names, q, &k->question, &k->asked);
	for (size_t i = 0; i < k->question.nnumber; i++) {
		const ag_fig_number *n = &k->question.numbers[i];

		for (size_t j = 0; j < n->nread; j++)
			fig_asked_number(k, ag_fig_scaled(n->read[j].v, n->exp), cap);
	}
	for (size_t i = 0; i < k->in->nresult; i++)
		fig_sql_numbers(k, k->in->results[i].sql, cap);
	for (size_t i = 0; i < k->in->nsql; i++)
		fig_sql_numbers(k, k->in->sql[i], cap);
	for (size_t i = 0; i < k->question.ntoken; i++)
		ag_fig_weigh(k->asked_weight, &k->question.tokens[i], 1.0f);
	for (size_t i = 0; i < k->nasked && k->nunit_mention < AG_FIG_MAX_MENTIONS; i++)
		k->unit_mentions[k->nunit_mention++] = &k->asked[i];
	fig_topics_set(k);
}

/* --- all of it --- */

static void fig_critique(const ag_fig_check *k, ag_figures *ret)
{
	ag_buf out = AG_BUF_INIT(64u << 10);

	for (size_t i = 0; i < ret->nfigure && out.len < 8000; i++) {
		if (ret->figures[i].verdict == AG_FIGURE_UNPROVEN)
			ag_buf_addf(&out, "- %.*s\n", AG_FMT(ret->figures[i].critique));
	}
	for (size_t i = 0; i < ret->ncomputed && out.len < 12000; i++) {
		if (ret->computed[i].error.len)
			ag_buf_addf(&out, "- computation %zu (%.*s): %.*s.\n", i + 1,
			            AG_FMT(ret->computed[i].op), AG_FMT(ret->computed[i].error));
	}
	ret->critique = ag_buf_dup(k->arena, &out);
	ag_buf_release(&out);
}

static void fig_computed(ag_fig_check *k, ag_figures *ret)
{
	const ag_val *list = k->in->computations;
	size_t n = list && list->type == AG_T_ARRAY ? list->n : 0;
	ag_fig_computation *computed;
	ag_figures_computed *shown;

	n = n < AG_FIGURES_MAX_COMPUTATIONS ? n : AG_FIGURES_MAX_COMPUTATIONS;
	computed = ag_new_n(k->arena, ag_fig_computation, n + 1);
	shown = ag_new_n(k->arena, ag_figures_computed, n + 1);
	ag_fig_compute(k->in, k->arena, computed, n);
	for (size_t i = 0; i < n; i++) {
		shown[i].op = computed[i].op;
		shown[i].error = computed[i].error;
		shown[i].value = computed[i].is_ok ? ag_fig_text(computed[i].value, k->arena)
		                                   : AG_S("");
	}
	k->computed = computed;
	k->ncomputed = n;
	ret->computed = shown;
	ret->ncomputed = n;
}

static void fig_columns_ready(ag_fig_check *k)
{
	k->columns = ag_fig_columns(k->names, &k->ncolumn);
	k->vocab = ag_fig_vocabulary(k->names, &k->nvocab);
	k->is_named = ag_new_n(k->arena, bool, k->nvocab + 1);
	k->weight = ag_new_n(k->arena, float, k->nvocab + 1);
	k->asked_weight = ag_new_n(k->arena, float, k->nvocab + 1);
	k->said_weight = ag_new_n(k->arena, float, k->nvocab + 1);
	k->head_weight = ag_new_n(k->arena, float, k->nvocab + 1);
}

ag_status ag_figures_check(const ag_figures_input *in, ag_arena *arena, ag_figures *ret,
                           ag_err *err)
{
	ag_fig_check k = { .in = in, .arena = arena };
	ag_figures out = { 0 };

	if (in->prose.len > AG_FIGURES_MAX_PROSE)
		return ag_fail(err, AG_LIMIT, "analyst.figures",
		               "the answer has %zu bytes; at most %u are checked", in->prose.len,
		               AG_FIGURES_MAX_PROSE);
	k.w = ag_fig_words_all();
	ag_fig_read(in->prose, k.w, AG_FIGURES_MAX_FIGURES,
	            ag_fig_language(in->question, k.w, arena), arena, &k.doc);
	if (k.doc.is_full)
		return ag_fail(err, AG_LIMIT, "analyst.figures",
		               "the answer has more than %u numbers", AG_FIGURES_MAX_FIGURES);
	k.names = ag_fig_names_new(in, k.w, arena);
	fig_columns_ready(&k);
	fig_asked(&k);
	k.nmention = ag_fig_names_find(k.names, in->prose, &k.doc, &k.mentions);
	for (size_t i = 0; i < k.doc.ntoken; i++) {
		for (size_t j = 0; j < k.doc.tokens[i].nvocab; j++)
			k.is_named[k.doc.tokens[i].vocab[j]] = true;
	}
	fig_computed(&k, &out);
	k.figures = ag_new_n(arena, ag_figure, k.doc.nnumber + 1);
	k.claims = ag_new_n(arena, ag_fig_claim, k.doc.nnumber + 1);
	k.seg = ag_new_n(arena, uint32_t, k.doc.ntoken + 1);
	for (size_t i = 0; i < k.doc.nnumber; i++) {
		ag_fig_number *n = &k.doc.numbers[i];

		for (size_t j = 0; j < n->nread; j++) {
			n->read[j].approx = ag_dec128_to_double(n->read[j].v) * pow(10, n->exp);
			n->read[j].unit = pow(10, n->exp - n->read[j].places);
		}
		k.figures[i] = (ag_figure){
			.at = n->at, .len = n->len, .verdict = AG_FIGURE_EXEMPT, .why = n->why
		};
		if (n->is_code)
			k.figures[i].why = "code";
	}
	for (size_t i = 0; i < k.doc.nunit; i++)
		fig_unit(&k, &k.doc.units[i]);
	for (size_t i = 0; i < k.doc.nnumber; i++) {
		k.figures[i].why = k.figures[i].why ? k.figures[i].why : "";
		out.nunproven += k.figures[i].verdict == AG_FIGURE_UNPROVEN;
	}
	out.figures = k.figures;
	out.nfigure = k.doc.nnumber;
	fig_critique(&k, &out);
	*ret = out;
	return AG_OK;
}

void ag_figures_json(const ag_figures_input *in, const ag_figures *f, ag_jw *w)
{
	ag_jw_arr(w);
	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		ag_jw_obj(w);
		ag_jw_kuint(w, "at", g->at);
		ag_jw_kuint(w, "len", g->len);
		ag_jw_kstr(w, "text", ag_str_make(in->prose.ptr + g->at, g->len));
		ag_jw_kstr(w, "verdict", ag_str_c(ag_figure_verdict_name(g->verdict)));
		if (g->why[0])
			ag_jw_kstr(w, "why", ag_str_c(g->why));
		if (g->has_cell) {
			ag_jw_kstr(w, "result", in->results[g->result].name);
			ag_jw_kuint(w, "row", g->row + 1);
			ag_jw_kstr(w, "column", in->results[g->result].columns[g->column]);
			if (in->results[g->result].metric.len)
				ag_jw_kstr(w, "metric", in->results[g->result].metric);
		}
		if (g->value.len)
			ag_jw_kstr(w, "value", g->value);
		if (g->verdict == AG_FIGURE_COMPUTED)
			ag_jw_kuint(w, "computation", g->computation + 1);
		if (g->critique.len)
			ag_jw_kstr(w, "critique", g->critique);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}
