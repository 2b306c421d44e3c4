/* audit -- one audit run: source, state and caches put together, driven by the loop of agent/.
 *
 * The agent row at the end of this file is all that the loop knows of the auditor. derive() turns a finding event
 * into a row of the store, and the end of the run into the report. */
#include "audit/audit.h"

#include "audit/report.h"
#include "audit/tools.h"
#include "query/extjson.h"

struct ag_audit {
	ag_arena *arena;
	ag_source *source;
	const ag_audit_opts *opts;
	const char *planner;
	ag_audit_state state;
	ag_run_row *row;
	ag_str report;
	bool has_profile;
	ag_profile profile;
};

void ag_audit_opts_init(ag_audit_opts *o)
{
	*o = (ag_audit_opts){
		.rules = ag_rule_opts_default,
		.catalogue = {
			.null_rate_warning_threshold = 0.05,
			.null_rate_critical_threshold = 0.20,
			.type_consistency_threshold = 0.98,
		},
		.pass_threshold = { 0.6, 0.7, 0.5 },
		.malformed = { AG_MALFORMED_FAIL, AG_MALFORMED_FAIL, AG_MALFORMED_WARN },
		.escalation_low = 0.40,
		.escalation_high = 0.85,
		.escalation_cap = 10,
	};
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

/* {"agent":"audit","source":{…},"planner":"builtin","seed":0,"as_of":"…","settings":{…},"version":"…"} */
static ag_str started_payload(ag_audit *a)
{
	const ag_source_info *info = ag_source_info_of(a->source);
	ag_buf out = AG_BUF_INIT(4 * 1024 * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "agent", AG_S("audit"));
	ag_jw_kstr(&w, "planner", ag_str_c(a->planner));
	ag_report_run_facts(a->opts, info, &w);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(a->arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str report_of(ag_audit *a)
{
	return ag_report_text_of(&a->state, a->opts, ag_source_info_of(a->source), a->planner,
	                         &a->row->id, a->arena);
}

/* Proposed again and rejected, a committed finding stays as it is, here as in the state. */
static bool is_committed(const ag_audit *a, ag_str key)
{
	for (size_t i = 0; i < a->state.findings.n; i++)
		if (ag_str_eq(a->state.findings.items[i].key, key))
			return true;
	return false;
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
	/* Under the policy "drop" the log alone remembers it. */
	if (st || ag_str_eqc(ag_val_text(status), "dropped") ||
	    (ag_str_eqc(ag_val_text(status), "dismissed") && is_committed(a, f.key)))
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

	if (ev->type == AG_EV_FINDING)
		return derive_finding(a, arena, ev, batch, err);
	if (ev->type != AG_EV_RUN_FINISHED)
		return AG_OK;
	row->critical = row->high = row->medium = row->low = 0;
	for (size_t i = 0; i < a->state.findings.n; i++) {
		uint32_t *const count[] = { &row->low, &row->medium, &row->high, &row->critical };

		(*count[a->state.findings.items[i].severity])++;
	}
	row->summary = ag_report_summary(&a->state, a->arena);
	a->report = report_of(a);
	batch->report = a->report;
	return AG_OK;
}

const ag_agent ag_agent_audit = {
	.name = "audit",
	.tools = ag_audit_tools,
	.apply = ag_audit_apply,
	.settle = ag_audit_settle,
	.derive = derive,
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
	ret->run = run->row.id;
	/* When the last commit failed the report says how the run really ended. */
	if (!ag_str_eq(a->state.status, ret->run_result.status)) {
		a->state.status = ret->run_result.status;
		a->state.status_why = ret->run_result.why;
		a->report = AG_S("");
	}
	ret->report = a->report.len ? a->report : report_of(a);
	for (size_t i = 0; i < a->state.findings.n; i++) {
		const ag_severity s = a->state.findings.items[i].severity;

		if (!ret->has_findings || s > ret->worst)
			ret->worst = s;
		ret->has_findings = true;
	}
}

ag_status ag_audit_run(const ag_ctx *ctx, ag_source *source, ag_store *store,
                       const ag_audit_opts *opts, ag_planner_make make, void *make_arg,
                       void (*on_event)(void *arg, const ag_event *ev), void *on_event_arg,
                       ag_arena *arena, ag_audit_result *ret, ag_err *err)
{
	const ag_source_info *info = ag_source_info_of(source);
	ag_audit_opts effective = *opts;
	ag_audit *a = ag_new(arena, ag_audit);
	ag_agent agent = ag_agent_audit;
	ag_run_opts run = { .env = a };
	ag_status st;

	agent.ntool = ag_audit_ntool;
	if (!effective.catalogue.as_of_ms)
		effective.catalogue.as_of_ms = ag_clock_wall(ctx->clock);
	*ret = (ag_audit_result){ 0 };
	a->arena = arena;
	a->source = source;
	a->opts = &effective;
	a->row = &run.row;
	run.agent = &agent;
	run.budget = opts->budget;
	ag_audit_state_init(&a->state, arena, &opts->rules, info->key, info->ndoc,
	                    run.budget.iterations);
	st = ag_audit_gates(a, run.gates, err);
	if (st)
		return st;
	run.planner = make(a, make_arg);
	a->planner = run.planner->type->name;
	run.state = &a->state;
	run.fail_policy = opts->fail_policy;
	run.store = store;
	run.started = started_payload(a);
	run.on_event = on_event;
	run.on_event_arg = on_event_arg;
	fill_row(info, ctx, &run.row);
	st = ag_loop_run(ctx, &run, arena, &ret->run_result, err);
	if (!st)
		fill_result(a, &run, ret);
	if (run.planner->type->close)
		run.planner->type->close(run.planner);
	return st;
}
