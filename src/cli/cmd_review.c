/* argus review: the findings that wait for a person, and what the person decides. */
#include "audit/review.h"
#include "audit/rows.h"
#include "cli/past.h"
#include "report/human.h"

#define DEFAULT_LIMIT 50
#define BODY          5

static const ag_option options[] = {
	{ "reason", 0, "TEXT", NULL, NULL, "why: later runs show it" },
	{ "limit", 'n', "N", NULL, NULL, "how many, newest run first (50)" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* --- the list --- */

static void list_one(ag_cli *c, ag_paint *p, const ag_run_row *run, const ag_finding *f)
{
	ag_arena *arena = c->app.arena;
	const ag_str severity = ag_str_c(ag_severity_name(f->severity));

	ag_paint_to(p, 2);
	ag_paint_wrap(p, AG_INK_BOLD, BODY, ag_past_name(f->field, f->category, arena));
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_text(p, ag_severity_ink(severity), severity);
	ag_paint_wrap(p, AG_INK_PLAIN, BODY,
	              ag_str_printf(arena, "  %.*s (%.1f%%), confidence %.2f",
	                            AG_FMT(ag_human_documents(f->affected, arena)), f->share * 100,
	                            f->confidence));
	ag_paint_nl(p);
	if (f->description.len) {
		ag_paint_to(p, BODY);
		ag_paint_wrap(p, AG_INK_PLAIN, BODY, f->description);
		ag_paint_nl(p);
	}
	if (f->evidence_query.len) {
		ag_paint_to(p, BODY);
		ag_paint_lit(p, AG_INK_DIM, "evidence  ");
		ag_paint_code(p, AG_INK_PLAIN, BODY + 10, f->evidence_query);
		ag_paint_nl(p);
	}
	ag_paint_to(p, BODY);
	ag_paint_lit(p, AG_INK_DIM, "decide    ");
	ag_paint_textf(p, AG_INK_PLAIN, "argus review %s %s tp|fp", run->id.text, f->id.text);
	ag_paint_nl(p);
}

/* {"pending":[{"run":{…},"finding":{…}}]} */
static int list_json(ag_cli *c, const ag_past_run *runs, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_audit_pending_json(runs, n, c->app.settings.audit.show_values, c->app.arena, &w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int list_text(ag_cli *c, const ag_past_run *runs, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	for (size_t i = 0; i < n; i++) {
		if (i)
			ag_paint_nl(&p);
		ag_paint_text(&p, AG_INK_BOLD, runs[i].run.collection);
		ag_paint_wrap(
			&p, AG_INK_DIM, 2,
			ag_str_printf(c->app.arena, ", run of %.*s UTC",
		                      AG_FMT(ag_past_when(runs[i].run.started_ms, c->app.arena))));
		ag_paint_nl(&p);
		for (size_t k = 0; k < runs[i].nfinding; k++) {
			const ag_finding f = ag_audit_finding_of(&runs[i].findings[k],
			                                         c->app.arena);

			list_one(c, &p, &runs[i].run, &f);
		}
	}
	if (!n)
		ag_cli_note(c, "No finding waits for a review.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int list(ag_cli *c, ag_store *store, const ag_run_row *run, size_t limit)
{
	ag_past_run *runs;
	ag_err err = { 0 };
	size_t n;

	if (ag_store_pending(store, run ? &run->id : NULL, limit, c->app.arena, &runs, &n, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? list_json(c, runs, n) : list_text(c, runs, n);
}

/* --- the decision --- */

static int told(ag_cli *c, const ag_finding_row *f, const char *decision)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	const ag_str name = ag_past_name(f->field, f->category, c->app.arena);
	ag_paint p;
	ag_jw w;

	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "run", ag_id_str(&f->run));
		ag_jw_kstr(&w, "finding_id", ag_id_str(&f->id));
		ag_jw_kstr(&w, "field", f->field);
		ag_jw_kstr(&w, "category", f->category);
		ag_jw_kstr(&w, "decision", ag_str_c(decision));
		ag_jw_kstr(&w, "status", f->status);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	p = ag_cli_paint(c, &out);
	ag_paint_text(&p, AG_INK_BOLD, name);
	ag_paint_textf(&p, AG_INK_PLAIN, ": %s", decision);
	ag_paint_nl(&p);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* More must be known first: nothing is written, it goes on waiting. */
static int need_info(ag_cli *c, const ag_finding_row *f)
{
	ag_err err = { 0 };

	if (!ag_str_eqc(f->status, "pending_review")) {
		ag_fail(&err, AG_CONFLICT, "cli.review",
		        "finding %s does not wait for a review: it is %.*s", f->id.text,
		        AG_FMT(f->status));
		return ag_cli_fail(c, &err);
	}
	return told(c, f, ag_cli_is_json(c) ? "need_info" : "nothing changed, it still waits");
}

static int decide(ag_cli *c, ag_store *store, const ag_run_row *run)
{
	ag_review word = { .label = c->args[2],
		           .decides = true,
		           .by = ag_past_user(),
		           .reason = ag_cli_value(c, "reason") };
	ag_finding_row f;
	ag_err err = { 0 };

	if (ag_review_find(store, run, c->args[1], c->app.arena, &f, &err))
		return ag_cli_fail(c, &err);
	if (ag_str_eqc(c->args[2], "need_info"))
		return need_info(c, &f);
	if (ag_review_write(&c->app.ctx, store, &run->id, &f.id, &word, c->app.arena, &f, &err))
		return ag_cli_fail(c, &err);
	return told(c, &f, ag_str_eqc(word.label, "tp") ? "published" : "dropped");
}

static int run(ag_cli *c)
{
	const size_t limit = (size_t)ag_cli_number(c, "limit", 1, 1000, DEFAULT_LIMIT);
	ag_err err = { 0 };
	ag_store *store;
	ag_run_row row;

	if (c->narg == 2)
		ag_cli_complain(c, "what is it? want RUN FINDING tp|fp|need_info");
	if (c->narg == 3 && !ag_str_eqc(c->args[2], "tp") && !ag_str_eqc(c->args[2], "fp") &&
	    !ag_str_eqc(c->args[2], "need_info"))
		ag_cli_complain(c, "want tp, fp or need_info, not \"%.*s\"",
		                (int)(c->args[2].len < 60 ? c->args[2].len : 60), c->args[2].ptr);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    (c->narg && ag_past_audit(c, store, c->args[0], &row, &err)))
		return ag_cli_fail(c, &err);
	return c->narg == 3 ? decide(c, store, &row) : list(c, store, c->narg ? &row : NULL, limit);
}

const ag_command ag_cmd_review = {
	.name = "review",
	.summary = "List and decide findings that wait for a person",
	.group = AG_GROUP_RUNS,
	.usage = "[RUN [FINDING tp|fp|need_info]] [options]",
	.about =
		"An audit with the evaluator \"escalation\" leaves findings of middling confidence to a person. "
		"Without a finding those that wait are listed, of all runs or of one.\n\n"
		"tp publishes a finding, fp drops it: it moves to the dismissed findings of its report. Both give "
		"it that label, as `argus rate` does. need_info changes nothing.",
	.examples = "argus review # what waits?\n"
		    "argus review last age/outlier tp # it is a problem",
	.options = options,
	.noption = AG_NELEM(options),
	.max_args = 3,
	.run = run,
};
