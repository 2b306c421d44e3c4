/* The steps of a run for people: what the planner wanted, why, and the result. */
#include "base/utf8.h"
#include "query/extjson.h"
#include "report/text_parts.h"

#define BODY        7
#define INPUT_CHARS 200 /* of a call's input */

static void input(ag_rt *t, const ag_val *step)
{
	const ag_val *v = ag_report_get(step, "action_input");
	ag_str text = ag_report_str(step, "action_input_text");

	if (v && v->type == AG_T_OBJECT && v->n == 0)
		return;
	if (v)
		text = ag_extjson_str(t->arena, v, AG_EXTJSON_RELAXED);
	if (!text.len)
		return;
	ag_paint_to(&t->p, BODY);
	ag_paint_wrap(&t->p, AG_INK_CYAN, BODY, ag_utf8_prefix(text, INPUT_CHARS));
	if (ag_utf8_prefix(text, INPUT_CHARS).len < text.len)
		ag_paint_sign(&t->p, AG_INK_DIM, AG_SIGN_MORE);
	ag_paint_nl(&t->p);
}

static void outcome(ag_rt *t, const ag_val *step)
{
	const ag_val *o = ag_report_get(step, "observation"), *e = ag_report_get(o, "error");
	bool is_ok = o && ag_report_get(o, "ok") && ag_val_truthy(ag_report_get(o, "ok"));
	ag_str text = is_ok || !e ? ag_report_str(o, "summary") : ag_report_str(e, "message");

	if (text.len) {
		ag_paint_to(&t->p, BODY);
		ag_paint_sign(&t->p, AG_INK_DIM, AG_SIGN_ARROW);
		ag_paint_lit(&t->p, AG_INK_PLAIN, " ");
		ag_paint_wrap(&t->p, is_ok ? AG_INK_PLAIN : AG_INK_YELLOW, BODY + 2, text);
		if (is_ok)
			ag_paint_wrap(&t->p, AG_INK_DIM, BODY + 2,
			              ag_str_printf(t->arena, " (%llu ms)",
			                            (unsigned long long)ag_report_count(
							    o, "latency_ms")));
		ag_paint_nl(&t->p);
	}
	text = ag_report_str(step, "note");
	if (text.len) {
		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_YELLOW, BODY, text);
		ag_paint_nl(&t->p);
	}
}

/* What the gates objected to in this step. Records come in the order of the steps: *at moves along. */
static void objections(ag_rt *t, uint64_t iteration, size_t *at)
{
	size_t n;
	const ag_val *records = ag_report_items(t->report, "evaluation_records", &n);

	for (; *at < n && ag_report_count(&records[*at], "iteration") <= iteration; ++*at) {
		const ag_val *r = &records[*at];
		ag_str verdict = ag_report_str(r, "verdict");

		if (ag_str_ieq(verdict, AG_S("pass")))
			continue;
		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_YELLOW, BODY + 2,
		              ag_str_printf(t->arena, "%.*s gate, %.*s: %.*s",
		                            AG_FMT(ag_report_str(r, "gate")), AG_FMT(verdict),
		                            AG_FMT(ag_report_str(r, "reason"))));
		ag_paint_nl(&t->p);
	}
}

void ag_rt_trace(ag_rt *t)
{
	size_t n, record = 0;
	const ag_val *steps = ag_report_items(t->report, "run_trace", &n);

	ag_paint_nl(&t->p);
	ag_paint_textf(&t->p, AG_INK_BOLD, "  %zu step%s", n, n == 1 ? "" : "s");
	ag_paint_nl(&t->p);
	for (size_t i = 0; i < n; i++) {
		ag_paint_textf(&t->p, AG_INK_DIM, "%5llu",
		               (unsigned long long)ag_report_count(&steps[i], "iteration"));
		ag_paint_to(&t->p, BODY);
		ag_paint_text(&t->p, AG_INK_BOLD, ag_report_str(&steps[i], "action"));
		if (ag_report_str(&steps[i], "reasoning").len) {
			ag_paint_lit(&t->p, AG_INK_PLAIN, "  ");
			ag_paint_wrap(&t->p, AG_INK_DIM, BODY,
			              ag_report_str(&steps[i], "reasoning"));
		}
		ag_paint_nl(&t->p);
		input(t, &steps[i]);
		outcome(t, &steps[i]);
		objections(t, ag_report_count(&steps[i], "iteration"), &record);
	}
}
