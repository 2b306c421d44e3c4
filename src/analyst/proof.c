/* proof -- see the header. */
#include "analyst/proof.h"

#include "analyst/correct.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN         "analyst.proof"
#define REASON_BYTES   (16u * 1024)
#define MAX_NAMED      8u
#define CRITIQUE_BYTES 6000u

/* --- what proves --- */

static ag_str *names_of(const ag_val *columns, ag_arena *arena)
{
	ag_str *ret = ag_new_n(arena, ag_str, columns->n + 1);

	for (uint32_t i = 0; i < columns->n; i++)
		ret[i] = columns->u.items[i].type == AG_T_STRING ? ag_val_text(&columns->u.items[i])
		                                                 : AG_S("");
	return ret;
}

static bool are_rows(const ag_analyst_result *r)
{
	for (uint32_t i = 0; i < r->rows->n; i++) {
		const ag_val *row = &r->rows->u.items[i];

		if (row->type != AG_T_ARRAY || row->n != r->columns->n)
			return false;
	}
	return true;
}

static void add_results(const ag_analyst_state *s, const ag_analyst_known *known, ag_arena *arena,
                        ag_figures_result *list, size_t *n)
{
	for (size_t i = 0; i < s->nquery; i++) {
		const ag_analyst_query *q = &s->queries[i];
		const ag_analyst_result *r = &q->result;

		if (!ag_analyst_is_table(r) || !are_rows(r))
			continue;
		list[(*n)++] = (ag_figures_result){ .name = q->name,
			                            .sql = q->sql,
			                            .columns = names_of(r->columns, arena),
			                            .ncolumn = r->columns->n,
			                            .rows = r->rows->u.items,
			                            .nrow = r->rows->n,
			                            .row_count = r->row_count,
			                            .is_cut = r->is_cut,
			                            .metric = ag_analyst_metric_of(known, q->sql,
			                                                           arena) };
	}
}

static size_t count_computations(const ag_analyst_state *s, ag_val *list)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nquery; i++) {
		const ag_analyst_query *q = &s->queries[i];

		if (!ag_str_eqc(q->tool, AG_ANALYST_COMPUTE) || !q->has_output || !q->result.ok ||
		    q->input.type != AG_T_OBJECT)
			continue;
		if (list)
			list[n] = q->input;
		n++;
	}
	return n;
}

static void add_computations(const ag_analyst_proof *p, ag_arena *arena, ag_figures_input *in)
{
	size_t n = count_computations(p->state, NULL), at = 0;
	ag_val *items, *list = ag_new(arena, ag_val);

	for (size_t i = 0; i < p->nearlier; i++)
		n += count_computations(p->earlier[i], NULL);
	items = ag_new_n(arena, ag_val, n + 1);
	for (size_t i = 0; i < p->nearlier; i++)
		at += count_computations(p->earlier[i], items + at);
	at += count_computations(p->state, items + at);
	/* The newest, when there are more than are looked at. */
	if (at > AG_FIGURES_MAX_COMPUTATIONS) {
		items += at - AG_FIGURES_MAX_COMPUTATIONS;
		at = AG_FIGURES_MAX_COMPUTATIONS;
	}
	*list = ag_val_array(items, at);
	in->computations = at ? list : NULL;
}

static ag_figures_input input_of(const ag_analyst_proof *p, ag_str prose, ag_arena *arena)
{
	size_t n = p->state->nquery;
	ag_figures_input ret = { .question = p->state->question, .prose = prose };
	ag_figures_result *list;

	for (size_t i = 0; i < p->nearlier; i++)
		n += p->earlier[i]->nquery;
	list = ag_new_n(arena, ag_figures_result, n + 1);
	for (size_t i = 0; i < p->nearlier; i++)
		add_results(p->earlier[i], &p->earlier[i]->known, arena, list, &ret.nresult);
	add_results(p->state, &p->state->known, arena, list, &ret.nresult);
	ret.results = list;
	return ret;
}

/* The gate, the report and the command line ask for the same text, one after the other. */
typedef struct ag_analyst_checked {
	bool has;
	size_t nquery;
	ag_figures_input in;
	ag_figures figures;
} ag_analyst_checked;

ag_status ag_analyst_figures(const ag_analyst_proof *p, ag_str prose, ag_figures_input *ret_input,
                             ag_figures *ret, ag_err *err)
{
	ag_analyst_checked *c = p->checked;
	ag_arena *keep = p->state->arena;
	ag_status st;

	if (!c->has || !ag_str_eq(c->in.prose, prose) || c->nquery != p->state->nquery) {
		c->has = false;
		c->nquery = p->state->nquery;
		c->in = input_of(p, ag_str_dup(keep, prose), keep);
		add_computations(p, keep, &c->in);
		st = ag_figures_check(&c->in, keep, &c->figures, err);
		if (st)
			return st;
		c->has = true;
	}
	*ret_input = c->in;
	*ret = c->figures;
	return AG_OK;
}

/* --- the gate --- */

/* "2 figures have no source: 42, 17%" */
static ag_str reason_of(const ag_figures *f, ag_str prose, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(REASON_BYTES);
	size_t n = 0;
	ag_str ret;

	ag_buf_addf(&out, "%zu figure%s no source: ", f->nunproven,
	            f->nunproven == 1 ? " has" : "s have");
	for (size_t i = 0; i < f->nfigure && n < MAX_NAMED; i++) {
		const ag_figure *g = &f->figures[i];

		if (g->verdict == AG_FIGURE_UNPROVEN)
			ag_buf_addf(&out, "%s%.*s", n++ ? ", " : "",
			            AG_FMT(ag_str_make(prose.ptr + g->at, g->len)));
	}
	if (n < f->nunproven)
		ag_buf_adds(&out, " and others");
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str critique_of(const ag_figures *f, ag_arena *arena)
{
	return ag_str_printf(
		arena,
		"Some figures of your answer have no source in the results:\n%.*s\n"
		"Write the whole answer again. Give each figure as it stands in a result, and name its "
		"row and its column in the same sentence. A figure that is no cell of a result: call "
		"execute_sql or compute for it first, or leave it out. Do not excuse yourself.",
		AG_FMT(ag_utf8_prefix(f->critique, CRITIQUE_BYTES)));
}

/* A metric that is named is used as it is. */
static ag_status judge_metrics(const ag_analyst_proof *p, ag_arena *arena, ag_verdict *ret)
{
	const ag_str name = ag_analyst_metric_changed(p->state, p->earlier, p->nearlier, arena);

	if (!name.len)
		return AG_OK;
	ret->kind = p->state->nrejected || ag_analyst_gave_up(p->state) ? AG_WARN : AG_FAIL;
	ret->score = ret->kind == AG_FAIL ? 0 : 0.5;
	ret->reason = ag_str_printf(arena,
	                            "the metric %.*s is named, but its SQL was not used as it is",
	                            AG_FMT(name));
	if (ret->kind == AG_FAIL)
		ret->critique = ag_str_printf(
			arena,
			"Your answer names the verified metric %.*s, but no statement used its SQL as it "
			"is. Run its SQL unchanged, in parentheses after FROM when you filter or group "
			"it, and write the whole answer again; or say that the figure is not the metric.",
			AG_FMT(name));
	return AG_OK;
}

static ag_status judge(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                       ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_analyst_proof *p = (const ag_analyst_proof *)(const void *)self;
	const ag_str prose = p->state->has_final ? p->state->final : AG_S("");
	ag_figures_input in;
	ag_figures f = { 0 };
	ag_err why = { 0 };

	(void)ctx, (void)s, (void)err;
	*ret = (ag_verdict){ .kind = AG_PASS,
		             .score = 1,
		             .reason = AG_S("each figure has its source"),
		             .evaluated_by = AG_S("figures") };
	if (!prose.len)
		return AG_OK;
	if (ag_analyst_figures(p, prose, &in, &f, &why)) {
		ret->kind = AG_WARN;
		ret->score = 0.5;
		ret->reason = ag_str_printf(arena, "the figures were not checked: %s", why.msg);
		return AG_OK;
	}
	if (!f.nunproven)
		return judge_metrics(p, arena, ret);
	ret->reason = reason_of(&f, prose, arena);
	ret->kind = p->state->nrejected || ag_analyst_gave_up(p->state) ? AG_WARN : AG_FAIL;
	ret->score = ret->kind == AG_FAIL ? 0 : 0.5;
	if (ret->kind == AG_FAIL)
		ret->critique = critique_of(&f, arena);
	return AG_OK;
}

void ag_analyst_proof_init(ag_analyst_proof *p, const ag_analyst_state *state,
                           const ag_analyst_state *const *earlier, size_t nearlier)
{
	*p = (ag_analyst_proof){ .checked = ag_new(state->arena, ag_analyst_checked),
		                 .gate = { .name = "figures", .evaluate = judge },
		                 .state = state,
		                 .earlier = earlier,
		                 .nearlier = nearlier };
}

/* --- compute --- */

static ag_status compute(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const ag_analyst_proof *p = c->env;
	ag_figures_input in = input_of(p, AG_S(""), c->arena);
	const ag_val list = ag_val_array(input, 1);
	ag_figures f = { 0 };
	ag_status st;
	bool ok;
	ag_jw w;

	in.computations = &list;
	st = ag_figures_check(&in, c->arena, &f, err);
	if (st)
		return st;
	ok = f.ncomputed == 1 && !f.computed[0].error.len;
	ag_jw_init(&w, &out->json, 0);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "ok", ok);
	if (ok)
		ag_jw_kstr(&w, "text", f.computed[0].value);
	else
		ag_jw_kstr(&w, "text",
		           f.ncomputed ? f.computed[0].error
		                       : AG_S("that is no computation: want op and of"));
	ag_jw_obj_end(&w);
	out->is_error = !ok;
	out->summary = ok ? f.computed[0].value : AG_S("the computation failed");
	return AG_OK;
}

const ag_tool ag_analyst_compute = {
	.name = AG_ANALYST_COMPUTE,
	.help = "Computes a figure from cells of results, exactly: sum, average, min, max, count, "
		"difference, ratio, change (first minus second, by second), share (sum of \"of\" by sum "
		"of \"in\"). A cell is RESULT[ROW].COLUMN: r1[North].revenue, r1[1].orders, r1[*].orders "
		"for all rows. Only for what you did not let SQL compute.",
	.input_schema = AG_FIGURES_COMPUTATION_SCHEMA,
	.flags = AG_TOOL_READS | AG_TOOL_PROPOSES,
	.run = compute,
};
