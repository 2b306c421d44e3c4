/* audit -- one audit run: source, state and caches put together, driven by the loop of agent/.
 *
 * The agent row at the end of this file is all that the loop knows of the auditor. derive() turns a finding event
 * into a row of the store, and the end of the run into the report. */
#include "audit/audit.h"
#include "audit/options.h"

#include "audit/ahead.h"
#include "audit/aside.h"
#include "audit/distribution.h"
#include "audit/gaps.h"
#include "audit/prompt.h"
#include "audit/report.h"
#include "audit/report_diff.h"
#include "audit/start.h"
#include "audit/tools.h"
#include "query/extjson.h"

struct ag_audit {
	ag_arena *arena;
	ag_source *source;
	const ag_source_info *info; /* as the run began with it */
	const ag_audit_opts *opts;
	const ag_planner *planner;
	ag_audit_state state;
	ag_run_row *row;
	ag_str report;
	uint64_t throttled_before, waited_ms_before; /* of earlier sittings */
	bool has_profile;
	ag_profile profile;
	bool has_hypotheses;
	ag_hypotheses hypotheses;
};

void ag_audit_opts_init(ag_audit_opts *o)
{
	*o = (ag_audit_opts){
		.pass_threshold = { [AG_GATE_ACTION] = 0.6,
		                    [AG_GATE_OBSERVATION] = 0.7,
		                    [AG_GATE_RUN] = 0.5 },
		.malformed = { [AG_GATE_ACTION] = AG_MALFORMED_FAIL,
		               [AG_GATE_OBSERVATION] = AG_MALFORMED_FAIL,
		               [AG_GATE_RUN] = AG_MALFORMED_WARN },
		.history = true,
		.escalation_low = 0.40,
		.escalation_high = 0.85,
		.escalation_cap = 10,
		.rules = ag_rule_opts_default,
		.catalogue = {
			.null_rate_warning_threshold = 0.05,
			.null_rate_critical_threshold = 0.20,
			.type_consistency_threshold = 0.98,
		},
	};
}

ag_audit *ag_audit_for_reading(ag_source *source, const ag_audit_opts *opts, ag_arena *arena)
{
	ag_audit *a = ag_new(arena, ag_audit);

	a->arena = arena;
	a->source = source;
	a->info = ag_source_info_of(source);
	a->opts = opts;
	return a;
}

ag_audit_state *ag_audit_state_of(ag_audit *a)
{
	return &a->state;
}

ag_source *ag_audit_source(ag_audit *a)
{
	return a->source;
}

const ag_audit_opts *ag_audit_opts_of(const ag_audit *a)
{
	return a->opts;
}

const ag_planner *ag_audit_planner_of(const ag_audit *a)
{
	return a->planner;
}

ag_status ag_audit_profile(ag_audit *a, const ag_ctx *ctx, const ag_profile **ret, ag_err *err)
{
	if (!a->has_profile) {
		const ag_status st = ag_source_profile(a->source, ctx, a->arena, &a->profile, err);

		if (st)
			return st;
		a->has_profile = true;
	}
	*ret = &a->profile;
	return AG_OK;
}

/* The passes over a server's collection end with the budget of seconds: what is not counted then, the loop will not ask either. */
static ag_status look_ahead(ag_audit *a, const ag_ctx *ctx, ag_err *err)
{
	const ag_budget *b = &a->opts->budget;
	const int64_t end_ms = b->since_ms + (int64_t)(b->seconds * 1000);
	const bool by_budget = b->seconds > 0 && b->since_ms &&
	                       (!ctx->deadline_ms || end_ms < ctx->deadline_ms);
	ag_ctx limited = *ctx;
	ag_status st;

	if (by_budget)
		limited.deadline_ms = end_ms;
	st = ag_audit_ahead(a->source, &limited, &a->hypotheses, err);
	return st == AG_TIMEOUT && by_budget ? ag_ctx_check(ctx, err) : st;
}

ag_status ag_audit_hypotheses(ag_audit *a, const ag_ctx *ctx, const ag_hypotheses **ret,
                              ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_across x = { .o = &a->opts->catalogue,
		        .ctx = ctx,
		        .neighbours = a->opts->neighbours,
		        .own = a->info->key,
		        .source = a->source,
		        .limits = { .max_scan = a->opts->max_scan, .max_units = a->opts->max_ru } };
	ag_frames frames;
	ag_status st = AG_OK;

	if (!a->has_hypotheses) {
		st = ag_audit_profile(a, ctx, &x.p, err);
		if (!st)
			st = ag_source_frames(a->source, ctx, x.p, scratch, &frames, err);
		x.frames = &frames;
		if (!st)
			st = ag_catalogue_run(&x, a->arena, &a->hypotheses, err);
		if (!st)
			st = look_ahead(a, ctx, err);
		if (st)
			return st;
		a->has_hypotheses = true;
	}
	*ret = &a->hypotheses;
	return AG_OK;
}

static ag_str report_of(ag_audit *a)
{
	const ag_report_of of = { .state = &a->state,
		                  .opts = a->opts,
		                  .info = a->info,
		                  .planner = a->planner->type->name,
		                  .run = &a->row->id };

	return ag_report_text_of(&of, a->arena);
}

/* The distributions. A run that never needed the profile makes it here, so that a resumed one gives the same report. */
static ag_str appendix(void *env, const ag_ctx *ctx, ag_arena *arena)
{
	ag_audit *a = env;
	const ag_profile *p;
	ag_err ignored;

	if (ag_audit_profile(a, ctx, &p, &ignored))
		return AG_S("");
	return ag_distributions_of(a->source, ctx, p,
	                           ag_aside_findings(&a->state, a->opts, a->info, a->arena),
	                           a->state.findings.n, arena);
}

/* {"request_units":12.3,"throttled":0,"waited_ms":0}: of all sittings that ended, and of this one. */
static ag_str data_cost(void *env, ag_arena *arena, ag_str *ret_why)
{
	ag_audit *a = env;
	const ag_source_spent s = ag_source_spent_of(a->source);
	ag_buf out = AG_BUF_INIT(1024);
	ag_str ret;
	ag_jw w;

	*ret_why = AG_S("");
	if (!s.is_counted)
		return AG_S("");
	if (s.max_units > 0 && s.units >= s.max_units)
		*ret_why = ag_str_printf(
			arena, "the budget of %.10g request units is used up (%.10g used)",
			s.max_units, s.units);
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kdouble(&w, "request_units", s.units);
	ag_jw_kuint(&w, "throttled", a->throttled_before + s.nthrottled);
	ag_jw_kuint(&w, "waited_ms", a->waited_ms_before + s.waited_ms);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Does the row say what the state will? Under the policy "drop" the log alone remembers it; a finding that is kept
 * outlives its own rejection. */
static bool changes_row(const ag_audit *a, ag_str key, ag_str status)
{
	const ag_finding *kept = NULL;

	if (ag_str_eqc(status, "dropped"))
		return false;
	for (size_t i = 0; i < a->state.dismissed.n; i++)
		if (ag_str_eq(a->state.dismissed.items[i].key, key) &&
		    ag_str_eqc(a->state.dismissed.items[i].status, "dropped"))
			return false; /* by a reviewer, before the run went on */
	for (size_t i = 0; i < a->state.findings.n && !kept; i++)
		if (ag_str_eq(a->state.findings.items[i].key, key))
			kept = &a->state.findings.items[i];
	return !kept || ag_finding_replaces(kept->status, status);
}

static ag_status derive_finding(ag_audit *a, ag_arena *arena, const ag_event *ev,
                                ag_store_batch *batch, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_finding_row *row = ag_new(arena, ag_finding_row);
	const ag_val *status, *v;
	ag_finding f;
	ag_status st;
	ag_val p;

	st = ag_extjson_parse(ev->payload, &opts, arena, &p, NULL, NULL, err);
	if (st)
		return st;
	v = ag_val_getc(&p, "finding");
	status = ag_val_getc(&p, "status");
	st = ag_finding_read(v, arena, &f, err);
	if (st || !changes_row(a, f.key, ag_val_text(status)))
		return st;
	*row = (ag_finding_row){
		.id = f.id,
		.run = a->row->id,
		.key = f.key,
		.field = f.field,
		.category = f.category,
		.severity = ag_str_c(ag_severity_name(f.severity)),
		.status = ag_val_text(status),
		.affected = f.affected,
		.share = f.share,
		.body = ag_extjson_str(arena, v, AG_EXTJSON_RELAXED),
	};
	batch->findings = row;
	batch->nfinding = 1;
	return AG_OK;
}

static ag_status derive(void *env, ag_arena *arena, const ag_event *ev, ag_run_row *row,
                        ag_store_batch *batch, ag_err *err)
{
	ag_audit *a = env;
	const ag_finding *items;

	if (ev->type == AG_EV_FINDING)
		return derive_finding(a, arena, ev, batch, err);
	if (ev->type != AG_EV_RUN_FINISHED)
		return AG_OK;
	row->critical = row->high = row->medium = row->low = 0;
	items = ag_aside_findings(&a->state, a->opts, a->info, arena);
	for (size_t i = 0; i < a->state.findings.n; i++) {
		uint32_t *const count[] = { &row->low, &row->medium, &row->high, &row->critical };

		if (!items[i].aside_by.len)
			(*count[items[i].severity])++;
	}
	row->input_tokens = a->state.input_tokens;
	row->output_tokens = a->state.output_tokens;
	row->usd = a->state.usd;
	row->request_units = a->state.data_cost.request_units;
	row->summary = ag_report_summary(&a->state, a->arena);
	row->figures = ag_report_figures(&a->state, items, a->opts, arena);
	a->report = report_of(a);
	batch->report = a->report;
	return AG_OK;
}

static const ag_planner_kind planners[] = {
	{ "builtin", ag_planner_builtin_make },
	{ "llm", ag_planner_llm_make },
	{ "both", ag_planner_both_make },
};

/* Its planners bring their own budgets of steps. */
const ag_agent ag_agent_audit = {
	.name = "audit",
	.settings = ag_audit_options,
	.tools = &ag_audit_tools,
	.prompt = ag_prompt_planner,
	.planners = planners,
	.nplanner = AG_NELEM(planners),
	.gates = ag_audit_gates,
	.at_limit = AG_AT_LIMIT_JUDGE,
	.result = AG_RESULT_REPORT,
	.apply = ag_audit_apply,
	.settle = ag_audit_settle,
	.derive = derive,
	.appendix = appendix,
	.data_cost = data_cost,
};

/* Everything of a run but the loop; strings of row live as long as the audit's arena. */
static void fill_row(const ag_source_info *info, const ag_ctx *ctx, ag_run_row *row)
{
	*row = (ag_run_row){
		.id = ag_id_new(ctx->clock),
		.agent = AG_S("audit"),
		.source_uri = info->uri,
		.source_key = info->key,
		.collection = info->collection,
		.documents = info->ndoc,
	};
}

static void fill_result(ag_audit *a, const ag_run_opts *run, ag_audit_result *ret)
{
	const ag_finding *items = ag_aside_findings(&a->state, a->opts, a->info, a->arena);
	ag_gap gaps[AG_GAPS_MAX];

	ret->run = run->row.id;
	/* When the last commit failed the report says how the run really ended. */
	if (!ag_str_eq(a->state.status, ret->run_result.status)) {
		a->state.status = ret->run_result.status;
		a->state.status_why = ret->run_result.why;
		a->report = AG_S("");
	}
	ret->report = a->report.len ? a->report : report_of(a);
	for (size_t i = 0; i < a->state.findings.n; i++) {
		const ag_severity s = items[i].severity;

		if (items[i].aside_by.len)
			continue;
		if (!ret->has_findings || s > ret->worst)
			ret->worst = s;
		ret->has_findings = true;
	}
	ret->has_gaps = ag_gaps_of(&a->state, a->info, a->arena, gaps) > 0;
	ret->worst_gap = ret->has_gaps ? gaps[0].severity : AG_LOW;
}

bool ag_audit_reaches(const ag_audit_result *r, ag_severity level)
{
	return (r->has_findings && r->worst >= level) || (r->has_gaps && r->worst_gap >= level);
}

/* Gates and planner; a->state holds what the log does. */
static ag_status set_up(ag_audit *a, ag_planner_make make, void *make_arg, ag_run_opts *run,
                        ag_err *err)
{
	ag_status st = run->agent->gates(a, run->gates, err);

	if (st)
		return st;
	run->env = a;
	run->state = &a->state;
	run->meter = a->opts->meter;
	run->fail_policy = a->opts->fail_policy;
	run->budget = a->opts->budget;
	run->planner = make(a, make_arg);
	if (!run->budget.iterations)
		run->budget.iterations = run->planner->type->default_iterations;
	a->state.budget = strcmp(run->planner->type->name, "both") == 0 ? 0
	                                                                : run->budget.iterations;
	a->planner = run->planner;
	a->row = &run->row;
	return AG_OK;
}

static void close_planner(const ag_run_opts *run)
{
	if (run->planner && run->planner->type->close)
		run->planner->type->close(run->planner);
}

/* --- a run before its data is read --- */

#define READING_LEASE_MS \
	AG_STORE_MAX_LEASE_MS /* the process is looked up: a dead one has lost it at once */

static void give_lease_back(const ag_ctx *ctx, ag_store *store, const ag_audit_early *early)
{
	AG_IGNORE(ag_store_lease(store, &early->row.id, early->owner, ag_clock_wall(ctx->clock), 0,
	                         NULL),
	          "then the next writer reports that this one still holds the run");
}

ag_status ag_audit_begin(const ag_ctx *ctx, ag_store *store, const ag_source_place *place,
                         const ag_id *id, ag_arena *arena, ag_audit_early *ret, ag_err *err)
{
	const int64_t now_ms = ag_clock_wall(ctx->clock);
	ag_store_batch batch = { .run = &ret->row };
	ag_status st;

	*ret = (ag_audit_early){ .row = { .id = id ? *id : ag_id_new(ctx->clock),
		                          .agent = AG_S("audit"),
		                          .source_uri = place->uri,
		                          .source_key = place->key,
		                          .collection = place->collection,
		                          .status = AG_S("running"),
		                          .summary = AG_S("reading"),
		                          .started_ms = now_ms },
		                 .owner = ag_owner_new(ctx->clock, arena) };
	/* The lease first: a run that is listed has a writer. */
	st = ag_store_lease(store, &ret->row.id, ret->owner, now_ms, READING_LEASE_MS, err);
	if (st)
		return st;
	st = ag_store_commit(store, &ret->row.id, &batch, err);
	if (st)
		give_lease_back(ctx, store, ret);
	return st;
}

void ag_audit_abandon(const ag_ctx *ctx, ag_store *store, const ag_audit_early *early,
                      const ag_err *why)
{
	ag_run_row row = early->row;
	ag_store_batch batch = { .run = &row };

	row.status = why->status == AG_CANCELLED ? AG_S("cancelled") : AG_S("failed");
	row.summary = ag_str_c(why->msg);
	row.finished_ms = ag_clock_wall(ctx->clock);
	AG_IGNORE(ag_store_commit(store, &row.id, &batch, NULL),
	          "then it is listed as interrupted, when this process has ended");
	give_lease_back(ctx, store, early);
}

ag_status ag_audit_run(const ag_ctx *ctx, const ag_audit_job *job, ag_arena *arena,
                       ag_audit_result *ret, ag_err *err)
{
	const ag_audit_opts *opts = job->opts;
	ag_audit_opts effective = *opts;
	ag_audit *a = ag_new(arena, ag_audit);
	ag_run_opts run = { .agent = &ag_agent_audit, .store = job->store };
	ag_opening opening;
	ag_id before;
	ag_status st;

	if (!effective.catalogue.as_of_ms)
		effective.catalogue.as_of_ms = ag_clock_wall(ctx->clock);
	*ret = (ag_audit_result){ 0 };
	a->arena = arena;
	a->source = job->source;
	a->info = ag_source_info_of(job->source);
	a->opts = &effective;
	ag_audit_state_init(&a->state, arena, &opts->rules, a->info->key, a->info->ndoc, 0);
	fill_row(a->info, ctx, &run.row);
	if (opts->early) {
		run.row.id = opts->early->row.id;
		give_lease_back(ctx, job->store, opts->early); /* the loop takes its own */
	}
	ag_source_set_run(job->source, ag_id_str(&run.row.id));
	before = opts->history_before_ms ? ag_id_floor(opts->history_before_ms) : run.row.id;
	st = set_up(a, job->make, job->make_arg, &run, err);
	run.started = st ? AG_S("")
	                 : ag_start_payload(&effective, &run.budget, a->info,
	                                    a->planner->type->name, arena);
	run.on_event = job->on_event;
	run.on_event_arg = job->on_event_arg;
	run.opening = &opening;
	if (!st && opts->history)
		st = ag_audit_opening(ctx, job->source, job->store, &before, arena, &opening,
		                      &run.nopening, err);
	if (st && opts->early)
		ag_audit_abandon(ctx, job->store, opts->early, err);
	if (!st)
		st = ag_loop_run(ctx, &run, arena, &ret->run_result, err);
	if (!st)
		fill_result(a, &run, ret);
	close_planner(&run);
	return st;
}

/* --- a run that stood still --- */

/* Evidence of one state of the data says nothing of another one. */
static ag_status check_source(const ag_source_info *was, const ag_source_info *is, ag_err *err)
{
	if (!ag_str_eq(was->key, is->key))
		ag_fail(err, AG_CONFLICT, "audit.resume",
		        "the run is about %.*s, this source is %.*s", AG_FMT(was->key),
		        AG_FMT(is->key));
	else if (was->ndoc != is->ndoc)
		ag_fail(err, AG_CONFLICT, "audit.resume",
		        "the data changed since the run began: %llu documents then, %llu now",
		        (unsigned long long)was->ndoc, (unsigned long long)is->ndoc);
	else if (!ag_str_eq(was->content_hash, is->content_hash))
		ag_fail(err, AG_CONFLICT, "audit.resume",
		        "the data changed since the run began: content hash %.*s then, %.*s now",
		        AG_FMT(was->content_hash), AG_FMT(is->content_hash));
	else
		return AG_OK;
	return ag_err_hint(err, "start a new run: argus audit %.*s", AG_FMT(is->uri));
}

/* All that bears on the result is the run's own; the rest comes from who resumes it. */
static void merge_opts(const ag_audit_opts *now, ag_audit_opts *start)
{
	start->neighbours = now->neighbours;
	start->budget = now->budget;
	start->max_ru = now->max_ru;
	start->show_values = now->show_values;
	start->planner_llm = now->planner_llm;
	start->self_llm = now->self_llm;
	start->judge_llm = now->judge_llm;
	start->meter = now->meter;
	start->pricing_version = now->pricing_version;
}

/* The state as the log has it. */
static ag_status replay(ag_audit *a, const ag_event *events, size_t n, ag_err *err)
{
	ag_status st = AG_OK;

	ag_audit_state_init(&a->state, a->arena, &a->opts->rules, a->info->key, a->info->ndoc, 0);
	for (size_t i = 0; i < n && !st; i++)
		st = ag_audit_apply(&a->state, &events[i], err);
	if (!st && a->opts->meter) {
		ag_llm_meter_prime(a->opts->meter, a->state.input_tokens, a->state.output_tokens,
		                   a->state.model_calls, a->state.usd);
		ag_llm_meter_prime_doubted(a->opts->meter, a->state.doubted_tokens,
		                           a->state.doubted_usd);
	}
	return st;
}

/* Only a log that was cut within its first batch lacks the history that it would have opened with. */
static ag_status open_again(ag_audit *a, const ag_ctx *ctx, ag_run_opts *run, ag_err *err)
{
	ag_opening *opening = ag_new(a->arena, ag_opening);

	run->opening = opening;
	if (!a->opts->history || a->state.has_history || a->state.trace.n)
		return AG_OK;
	return ag_audit_opening(ctx, a->source, run->store, &run->row.id, a->arena, opening,
	                        &run->nopening, err);
}

static ag_status check_planner(const ag_audit *a, ag_str planner, ag_err *err)
{
	if (ag_str_eqc(planner, a->planner->type->name))
		return AG_OK;
	return ag_fail(err, AG_INVALID, "audit.resume",
	               "the planner of this run is \"%.*s\", not \"%s\"", AG_FMT(planner),
	               a->planner->type->name);
}

static ag_status go_on(ag_audit *a, const ag_ctx *ctx, ag_run_opts *run, const ag_start_log *log,
                       ag_audit_result *ret, ag_err *err)
{
	ag_status st = check_planner(a, log->start.planner, err);

	if (!st)
		st = open_again(a, ctx, run, err);
	if (!st)
		st = ag_loop_resume(ctx, run, log->events, log->n,
		                    ag_start_resumed_payload(a->opts, &run->budget,
		                                             a->planner->type->name,
		                                             a->state.sittings + 1, a->arena),
		                    a->arena, &ret->run_result, err);
	if (!st)
		fill_result(a, run, ret);
	return st;
}

ag_status ag_audit_resume(const ag_ctx *ctx, const ag_audit_job *job, const ag_run_row *row,
                          ag_arena *arena, ag_audit_result *ret, ag_err *err)
{
	ag_audit *a = ag_new(arena, ag_audit);
	ag_source_info *info = ag_new(arena, ag_source_info);
	ag_run_opts run = { .agent = &ag_agent_audit,
		            .store = job->store,
		            .row = *row,
		            .on_event = job->on_event,
		            .on_event_arg = job->on_event_arg };
	ag_start_log log;
	ag_status st;

	*ret = (ag_audit_result){ 0 };
	st = ag_start_load(job->store, row, arena, &log, err);
	if (st)
		return st;
	ag_start_read_source(&log.started, row, arena, info);
	merge_opts(job->opts, &log.start.opts);
	a->arena = arena;
	a->source = job->source;
	a->info = info;
	a->opts = &log.start.opts;
	ag_source_set_run(job->source, ag_id_str(&row->id));
	st = check_source(info, ag_source_info_of(job->source), err);
	if (!st)
		st = replay(a, log.events, log.n, err);
	ag_source_charge(job->source, a->state.data_cost.request_units);
	a->throttled_before = a->state.data_cost.throttled;
	a->waited_ms_before = a->state.data_cost.waited_ms;
	if (!st)
		st = set_up(a, job->make, job->make_arg, &run, err);
	if (!st)
		st = go_on(a, ctx, &run, &log, ret, err);
	close_planner(&run);
	return st;
}
