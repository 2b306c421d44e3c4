/* argus rate: a person's word on a finding, true or false positive. Later runs of the source learn it. */
#include "audit/review.h"
#include "cli/past.h"

static const ag_option options[] = {
	{ "reason", 0, "TEXT", NULL, NULL, "why: later runs show it" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* {"run","finding_id","key","field","category","label","status"} */
static int json(ag_cli *c, const ag_finding_row *f)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "run", ag_id_str(&f->run));
	ag_jw_kstr(&w, "finding_id", ag_id_str(&f->id));
	ag_jw_kstr(&w, "key", f->key);
	ag_jw_kstr(&w, "field", f->field);
	ag_jw_kstr(&w, "category", f->category);
	if (f->label.len)
		ag_jw_kstr(&w, "label", f->label);
	else
		ag_jw_knull(&w, "label");
	ag_jw_kstr(&w, "status", f->status);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int text(ag_cli *c, const ag_finding_row *f)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_paint p = ag_cli_paint(c, &out);
	const ag_str name = ag_past_name(f->field, f->category, c->app.arena);

	ag_paint_text(&p, AG_INK_BOLD, name);
	ag_paint_lit(&p, AG_INK_PLAIN,
	             ag_str_eqc(f->label, "tp")   ? ": a true positive"
	             : ag_str_eqc(f->label, "fp") ? ": a false positive"
	                                          : ": no label any more");
	ag_paint_nl(&p);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	ag_review word = { .by = ag_past_user(), .reason = ag_cli_value(c, "reason") };
	ag_finding_row f;
	ag_err err = { 0 };
	ag_store *store;
	ag_run_row row;

	if (!ag_past_label(c->args[2], &word.label))
		ag_cli_complain(c, "want tp, fp or none, not \"%.*s\"",
		                (int)(c->args[2].len < 60 ? c->args[2].len : 60), c->args[2].ptr);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_past_audit(c, store, c->args[0], &row, &err) ||
	    ag_review_find(store, &row, c->args[1], c->app.arena, &f, &err) ||
	    ag_review_write(&c->app.ctx, store, &row.id, &f.id, &word, c->app.arena, &f, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? json(c, &f) : text(c, &f);
}

const ag_command ag_cmd_rate = {
	.name = "rate",
	.summary = "Say whether a finding is a true or a false positive",
	.group = AG_GROUP_RUNS,
	.usage = "RUN FINDING tp|fp|none [options]",
	.about =
		"RUN is an id of `argus runs`, the beginning of one, or \"last\". FINDING is its id or the "
		"beginning of that, its field, or FIELD/CATEGORY as in email/null_rate. The label stands in the "
		"report of the run, and later audits of the same source know it: a finding with more fp than tp labels, and evidence that "
		"means the same, does not count for --fail-on and is not listed. none takes the label back.",
	.examples = "argus rate last email/null_rate fp --reason \"optional since 2024\"\n"
		    "argus rate last total tp # the only finding on that field",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 3,
	.max_args = 3,
	.run = run,
};
