/* argus resume: go on with a run that stood still, from its log.
 *
 * What bears on the result is the run's own and comes from the log; budgets and models can be changed here. The data is
 * opened where the run found it, and must be what it was. */
#include "app/models.h"
#include "audit/neighbours.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/report_out.h"
#include "query/extjson.h"

static const ag_option options[] = {
	{ .setting = "max_iterations", .help = "steps of the planner, of all sittings" },
	{ .setting = "max_calls", .help = "tool calls, of all sittings" },
	{ .setting = "max_tokens", .help = "tokens of all models, of all sittings" },
	{ .setting = "max_cost", .help = "US dollars of all models, of all sittings" },
	{ .setting = "max_ru", .help = "request units of Azure Cosmos DB, of all sittings" },
	{ .setting = "max_seconds", .help = "of this sitting, reading included" },
	{ .setting = "deadline", .help = "then everything stops: a failed run" },
	{ .setting = "model", .help = "another model for the planner" },
	{ .setting = "self_model" },
	{ .setting = "judge_model" },
	AG_RECORD_OPTIONS,
	AG_REPORT_OUT_OPTIONS,
	{ .setting = "fail_on" },
	{ .setting = "show_values" },
	{ .setting = "threads" },
	{ .setting = "store" },
};

static bool is_flag(const ag_cli *c, const char *key)
{
	return c->app.settings.place[ag_settings_find(ag_str_c(key))] == AG_PLACE_FLAG;
}

/* How the run was set up, with what its latest sitting changed. */
static ag_status read_setup(ag_cli *c, ag_store *store, const ag_run_row *row, ag_audit_start *ret,
                            ag_err *err)
{
	const ag_event *events;
	size_t n;

	if (ag_str_eqc(row->status, "ok")) {
		ag_fail(err, AG_INVALID, "cli.resume", "run %s is complete", row->id.text);
		return ag_err_hint(err, "argus show %s", row->id.text);
	}
	return ag_audit_load_start(store, row, c->app.arena, &events, &n, ret, err);
}

/* --- what this sitting may use --- */

/* The model that the run had, unless another one was asked for: by its name in the settings, and when that means another
 * model today, by what its server calls it. */
static void keep_model(ag_cli *c, const char *key, ag_str name, ag_str id, ag_str *setting)
{
	ag_llm_model m;
	ag_err ignored;

	if (is_flag(c, key))
		return;
	*setting = name;
	if (name.len && !ag_app_model(&c->app, name, &m, &ignored) && !ag_str_eq(m.model, id))
		*setting = id;
}

/* The one place where a resumed run gets planner, models and meter. */
static ag_status wire_models(ag_cli *c, const ag_audit_start *start, ag_audit_opts *o,
                             ag_planner_make *ret, ag_err *err)
{
	ag_settings *s = &c->app.settings;
	ag_status st;

	s->audit.planner = ag_app_planner_setting(start->planner);
	keep_model(c, "model", start->model, start->model_id, &s->models_of_run.name);
	keep_model(c, "self_model", start->self_model, start->self_model_id, &s->audit.self_model);
	keep_model(c, "judge_model", start->judge_model, start->judge_model_id,
	           &s->audit.judge_model);
	if (!is_flag(c, "max_tokens"))
		s->models_of_run.max_tokens = start->max_tokens;
	if (!is_flag(c, "max_cost"))
		s->models_of_run.max_cost = start->max_usd;
	st = ag_app_open_models(&c->app, ag_cli_value(c, "record"), ag_cli_value(c, "replay"), o,
	                        err);
	if (st)
		return st;
	ag_report_out_note_models(c);
	o->meter = ag_app_meter(&c->app, c->app.arena);
	*ret = ag_app_planner(&c->app);
	return AG_OK;
}

static void take_budget(const ag_cli *c, ag_audit_opts *o)
{
	const ag_settings *s = &c->app.settings;

	if (is_flag(c, "max_iterations"))
		o->budget.iterations = s->audit.budget.iterations;
	if (is_flag(c, "max_calls"))
		o->budget.calls = s->audit.budget.calls;
	if (is_flag(c, "max_seconds"))
		o->budget.seconds = s->audit.budget.seconds;
	if (is_flag(c, "max_ru"))
		o->max_ru = s->audit.max_ru;
	if (is_flag(c, "show_values"))
		o->show_values = s->audit.show_values;
}

/* --- the data --- */

static ag_status open_at(ag_cli *c, ag_str uri, ag_str key, ag_audit_opts *o, ag_source **ret,
                         ag_err *err)
{
	ag_source_opts so = ag_app_source_opts(&c->app);
	ag_source_place *places;
	ag_status st;
	size_t n;

	so.strict = false; /* what could not be read then is left out again */
	so.max_units = o->max_ru;
	st = ag_source_list(&c->app.ctx, uri, c->app.arena, &places, &n, err);
	if (st)
		return st;
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(places[i].key, key))
			return ag_app_open_source(&c->app, &places[i], &so, &o->budget, ret, err);
	return ag_fail(err, AG_NOT_FOUND, "cli.resume", "%.*s is not there any more", AG_FMT(key));
}

/* Under its canonical place: the address may be relative to another folder. */
static ag_status open_source(ag_cli *c, const ag_run_row *row, ag_audit_start *start,
                             ag_source **ret, ag_err *err)
{
	ag_progress_line *line = ag_progress_start(c, row->collection);
	ag_err ignored;
	ag_status st = open_at(c, row->source_key, row->source_key, &start->opts, ret, &ignored);

	if (st && st != AG_CANCELLED && st != AG_TIMEOUT)
		st = open_at(c, start->source_uri, row->source_key, &start->opts, ret, err);
	else if (st)
		*err = ignored;
	ag_progress_stop(line);
	return st;
}

/* --- the report --- */

static bool print_report(ag_cli *c, const ag_store *store, const ag_audit_result *r, ag_err *err)
{
	const ag_extjson_opts read = { .typed = true };
	const bool is_file = ag_report_out_is_file(c);
	const ag_report_look look = ag_report_out_look(c, store);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_status st = AG_OK;
	ag_val v;

	if (c->app.settings.output_format == AG_OUTPUT_SILENT)
		return true;
	if (ag_cli_is_json(c) && !is_file)
		return ag_cli_print_json(c, r->report);
	if (ag_cli_is_json(c)) {
		ag_buf_add(&out, r->report);
	} else {
		st = ag_extjson_parse(r->report, &read, c->app.arena, &v, NULL, NULL, err);
		if (!st && ag_report_out_is_format(c))
			ag_report_out_format(c, &v, &out);
		else if (!st)
			ag_report_text(&v, &look, &out);
	}
	if (!st && !is_file)
		return ag_cli_finish(c, &out, AG_EXIT_OK) == AG_EXIT_OK;
	if (!st)
		st = ag_report_out_write(c, &out, err);
	ag_buf_release(&out);
	if (st)
		ag_cli_fail(c, err);
	else
		ag_cli_note(c, "report written to %.*s", AG_FMT(ag_cli_value(c, "out")));
	return !st;
}

static int exit_code(ag_cli *c, const ag_audit_result *r)
{
	const int fail_on = c->app.settings.audit.fail_on;
	const ag_run_result *run = &r->run_result;

	if (ag_str_eqc(run->status, "cancelled"))
		return AG_EXIT_CANCELLED;
	if (run->err.status) {
		ag_cli_fail(c, &run->err);
		return AG_EXIT_FAILED;
	}
	if (ag_str_eqc(run->status, "failed"))
		return AG_EXIT_FAILED;
	if (ag_str_eqc(run->status, "partial"))
		ag_cli_note(c, "%.*s; `argus resume` with a larger budget goes on",
		            AG_FMT(run->why));
	return fail_on && ag_audit_reaches(r, (ag_severity)(fail_on - 1)) ? AG_EXIT_FINDINGS
	                                                                  : AG_EXIT_OK;
}

static ag_status go_on(ag_cli *c, ag_store *store, const ag_run_row *row, ag_audit_start *start,
                       ag_planner_make make, ag_audit_result *ret, ag_err *err)
{
	ag_source *source = NULL;
	ag_neighbours *neighbours = NULL;
	ag_progress_line *line;
	ag_status st = open_source(c, row, start, &source, err);

	if (!st)
		st = ag_neighbours_again(&c->app.ctx, start->neighbours, start->nneighbour,
		                         c->app.arena, &neighbours, err);
	if (st) {
		ag_source_close(source);
		return st;
	}
	start->opts.neighbours = neighbours;
	line = ag_progress_start(c, row->collection);
	st = ag_audit_resume(&c->app.ctx,
	                     &(ag_audit_job){ .source = source,
	                                      .store = store,
	                                      .opts = &start->opts,
	                                      .make = make },
	                     row, c->app.arena, ret, err);
	ag_progress_stop(line);
	ag_source_close(source);
	start->opts.neighbours = NULL;
	ag_past_warn_unread(c, neighbours);
	ag_neighbours_free(neighbours);
	return st;
}

static int run(ag_cli *c)
{
	const ag_str out = ag_report_out_check(c);
	ag_audit_result result;
	ag_audit_start start;
	ag_planner_make make;
	ag_err err = { 0 };
	ag_store *store;
	ag_run_row row;
	int code;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_past_audit(c, store, c->args[0], &row, &err) ||
	    read_setup(c, store, &row, &start, &err))
		return ag_cli_fail(c, &err);
	if (out.len && ag_str_eq(out, row.source_key)) {
		ag_report_out_refuse(c, "out", start.source_uri);
		if (ag_cli_refused(c))
			return AG_EXIT_USAGE;
	}
	take_budget(c, &start.opts);
	if (wire_models(c, &start, &start.opts, &make, &err))
		return ag_report_out_no_models(c, &err);
	if (go_on(c, store, &row, &start, make, &result, &err))
		return ag_cli_fail(c, &err);
	code = print_report(c, store, &result, &err) ? exit_code(c, &result) : AG_EXIT_FAILED;
	if (!ag_report_out_recorded(c) && code != AG_EXIT_CANCELLED)
		code = AG_EXIT_FAILED;
	return code;
}

const ag_command ag_cmd_resume = {
	.name = "resume",
	.summary = "Continue a run that did not end",
	.group = AG_GROUP_RUNS,
	.usage = "RUN [options]",
	.about =
		"RUN is an id of `argus runs`, the beginning of one, or \"last\". A run that was killed, "
		"stopped, or ended because its budget or its model ran out goes on where its log ends: no tool "
		"call is made twice, nothing is judged again. The data must be what it was.\n\n"
		"Budgets count over all sittings. Those that are not given here stay as they were.",
	.examples = "argus resume last # after a power cut\n"
		    "argus resume 01989c6e --max-tokens 200000 # it had run out of tokens",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.flags = AG_COMMAND_SILENT | AG_COMMAND_LOADS | AG_COMMAND_REPORTS,
	.run = run,
};
