/* start -- the payloads of run_started and run_resumed, written and read by the same names.
 *
 * Secrets have no place here: of a model's address only scheme, host and path are kept. What an older log does not hold
 * keeps its default; its thresholds are then taken from its settings. */
#include "audit/start.h"

#include "audit/neighbours.h"
#include "audit/report.h"
#include "net/url.h"
#include "query/extjson.h"

#define ORIGIN "audit.start"

static const ag_extjson_opts parse_opts = { .typed = true, .query = true };

/* In the order of their enums. */
static const char *const malformed_names[] = { "fail", "warn", "pass" };
static const char *const fail_policies[] = { "continue", "warn_only", "abort" };
static const char *const rejected_policies[] = { "log_only", "drop", "demote_severity" };

static void name_member(ag_jw *w, const char *key, const char *const *names, size_t n, unsigned i)
{
	ag_jw_kstr(w, key, ag_str_c(i < n ? names[i] : ""));
}

/* False, and *ret as it was, when the member is missing or says something else. */
static bool read_name(const ag_val *v, const char *key, const char *const *names, size_t n,
                      unsigned *ret)
{
	const ag_str text = ag_val_member_str(v, key);

	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(text, names[i])) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

static void read_num(const ag_val *v, const char *key, double *ret)
{
	const ag_val *m = v ? ag_val_getc(v, key) : NULL;

	if (m && ag_type_is_number(m->type))
		*ret = ag_val_number(m);
}

static void read_u64(const ag_val *v, const char *key, uint64_t *ret)
{
	const ag_val *m = v ? ag_val_getc(v, key) : NULL;

	if (m && ag_type_is_number(m->type))
		*ret = ag_val_member_u64(v, key);
}

static void read_unsigned(const ag_val *v, const char *key, unsigned *ret)
{
	uint64_t n = *ret;

	read_u64(v, key, &n);
	*ret = n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
}

/* --- writing --- */

static void model_member(ag_jw *w, const char *role, ag_llm *llm, ag_arena *arena)
{
	const ag_llm_model *m = llm ? ag_llm_model_of(llm) : NULL;

	if (!m) {
		ag_jw_knull(w, role);
		return;
	}
	ag_jw_kkey(w, role);
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", m->name);
	ag_jw_kstr(w, "model", m->model);
	ag_jw_kstr(w, "provider", m->provider);
	ag_jw_kstr(w, "base_url", ag_url_shown(m->base_url, arena));
	ag_jw_obj_end(w);
}

/* What a sitting may use, and of whom. */
static void means_members(const ag_audit_opts *o, const ag_budget *b, ag_arena *arena, ag_jw *w)
{
	ag_jw_kkey(w, "budget");
	ag_jw_obj(w);
	ag_jw_kuint(w, "iterations", b->iterations);
	ag_jw_kuint(w, "calls", b->calls);
	ag_jw_kdouble(w, "seconds", b->seconds);
	ag_jw_kuint(w, "tokens", o->meter ? o->meter->max_tokens : 0);
	ag_jw_kdouble(w, "usd", o->meter ? o->meter->max_usd : 0);
	ag_jw_kdouble(w, "request_units", o->max_ru);
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "models");
	ag_jw_obj(w);
	model_member(w, "planner", o->planner_llm, arena);
	model_member(w, "self", o->self_llm, arena);
	model_member(w, "judge", o->judge_llm, arena);
	ag_jw_obj_end(w);
	ag_jw_kstr(w, "pricing_version", o->pricing_version);
	ag_jw_kbool(w, "show_values", o->show_values);
}

static void gates_json(const ag_audit_opts *o, ag_jw *w)
{
	ag_jw_kkey(w, "gates");
	ag_jw_obj(w);
	for (int g = 0; g < AG_NGATE; g++) {
		ag_jw_kkey(w, ag_gate_name((ag_gate)g));
		ag_jw_obj(w);
		name_member(w, "evaluator", ag_evaluator_names, AG_EVAL_ESCALATION + 1,
		            ag_audit_evaluator(o, (ag_gate)g));
		ag_jw_kdouble(w, "pass_threshold", o->pass_threshold[g]);
		name_member(w, "malformed", malformed_names, AG_NELEM(malformed_names),
		            o->malformed[g]);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
	ag_jw_kdouble(w, "escalation_low_threshold", o->escalation_low);
	ag_jw_kdouble(w, "escalation_high_threshold", o->escalation_high);
	ag_jw_kuint(w, "escalation_cap", o->escalation_cap);
}

static void thresholds_json(const ag_audit_opts *o, ag_jw *w)
{
	const ag_rule_opts *r = &o->rules;
	const ag_catalogue_opts *c = &o->catalogue;

	ag_jw_kdouble(w, "field_coverage_min", r->field_coverage_min);
	ag_jw_kuint(w, "early_termination_min", r->early_termination_min);
	ag_jw_kuint(w, "clean_collection_docs", r->clean_collection_docs);
	ag_jw_kdouble(w, "critical_min_share", r->critical_min_share);
	ag_jw_kdouble(w, "high_min_share", r->high_min_share);
	ag_jw_kuint(w, "budget_warning_below", r->budget_warning_below);
	ag_jw_kuint(w, "description_min_chars", r->description_min_chars);
	ag_jw_kdouble(w, "evidence_tolerance", r->evidence_tolerance);
	ag_jw_kdouble(w, "null_rate_warning_threshold", c->null_rate_warning_threshold);
	ag_jw_kdouble(w, "null_rate_critical_threshold", c->null_rate_critical_threshold);
	ag_jw_kdouble(w, "type_consistency_threshold", c->type_consistency_threshold);
	ag_jw_kstr(w, "min_severity", ag_str_c(ag_severity_name(o->min_severity)));
}

static void ignores_json(const ag_audit_opts *o, ag_jw *w)
{
	ag_jw_kkey(w, "ignore");
	ag_jw_arr(w);
	for (size_t i = 0; i < o->nignore; i++) {
		const ag_ignore *row = &o->ignores[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "source", row->source);
		ag_jw_kstr(w, "path", row->path);
		ag_jw_kstr(w, "category", row->category);
		ag_jw_kstr(w, "reason", row->reason);
		ag_jw_kstr(w, "where", row->where);
		ag_jw_ktime_or_null(w, "until", row->until_ms);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void options_json(const ag_audit_opts *o, ag_jw *w)
{
	ag_jw_kkey(w, "options");
	ag_jw_obj(w);
	if (o->sample_size == UINT64_MAX)
		ag_jw_kstr(w, "sample_size", AG_S("all"));
	else
		ag_jw_kuint(w, "sample_size", o->sample_size);
	name_member(w, "run_fail_policy", fail_policies, AG_NELEM(fail_policies), o->fail_policy);
	name_member(w, "rejected_finding_policy", rejected_policies, AG_NELEM(rejected_policies),
	            o->rejected_policy);
	ag_jw_kbool(w, "history", o->history);
	ignores_json(o, w);
	gates_json(o, w);
	thresholds_json(o, w);
	ag_jw_obj_end(w);
}

/* The other collections of the folder or database: a resume looks for broken references in them again. */
static void neighbours_json(const ag_audit_opts *o, ag_str own, ag_jw *w)
{
	ag_str name;

	if (!o->neighbours)
		return;
	ag_jw_kkey(w, "neighbours");
	ag_jw_arr(w);
	for (size_t i = 0; ag_neighbours_name(o->neighbours, own, i, &name); i++)
		ag_jw_str(w, name);
	ag_jw_arr_end(w);
}

ag_str ag_start_payload(const ag_audit_opts *o, const ag_budget *budget, const ag_source_info *info,
                        const char *planner, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4 * 1024 * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "agent", AG_S("audit"));
	ag_jw_kstr(&w, "planner", ag_str_c(planner));
	ag_report_run_facts(o, info, &w);
	neighbours_json(o, info->key, &w);
	means_members(o, budget, arena, &w);
	options_json(o, &w);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_str ag_start_resumed_payload(const ag_audit_opts *o, const ag_budget *budget,
                                const char *planner, unsigned sitting, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "sitting", sitting);
	ag_jw_kstr(&w, "planner", ag_str_c(planner));
	means_members(o, budget, arena, &w);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- reading --- */

static void read_neighbours(const ag_val *list, ag_arena *arena, ag_audit_start *s)
{
	if (!list || list->type != AG_T_ARRAY || !list->n)
		return;
	s->neighbours = ag_new_n(arena, ag_str, list->n);
	for (uint32_t i = 0; i < list->n && s->nneighbour < AG_NEIGHBOURS_MAX; i++)
		if (list->u.items[i].type == AG_T_STRING)
			s->neighbours[s->nneighbour++] = ag_val_text(&list->u.items[i]);
}

static void read_issues(const ag_val *list, ag_arena *arena, ag_source_info *info)
{
	ag_table_issue *issues;

	if (!list || list->type != AG_T_ARRAY || !list->n)
		return;
	info->nissue = list->n < AG_TABLE_MAX_ISSUES ? list->n : AG_TABLE_MAX_ISSUES;
	info->issues = issues = ag_new_n(arena, ag_table_issue, info->nissue);
	for (size_t i = 0; i < info->nissue; i++)
		issues[i] = (ag_table_issue){
			.file = ag_val_member_str(&list->u.items[i], "file"),
			.line = ag_val_member_u64(&list->u.items[i], "line"),
			.byte = ag_val_member_u64(&list->u.items[i], "byte"),
			.what = ag_val_member_str(&list->u.items[i], "what"),
		};
}

void ag_start_read_source(const ag_val *started, const ag_run_row *row, ag_arena *arena,
                          ag_source_info *ret)
{
	const ag_val *v = ag_val_getc(started, "source");

	*ret = (ag_source_info){
		.uri = ag_val_member_str(v, "uri"),
		.key = ag_val_member_str(v, "key"),
		.collection = row->collection,
		.database = ag_val_member_str(v, "database"),
		.format = ag_val_member_str(v, "format"),
		.ndoc = ag_val_member_u64(v, "documents"),
		.counted_ms = ag_val_member_time(v, "counted_at"),
		.kind = ag_val_member_str(v, "kind"),
		.whole = !ag_val_member_bool(v, "sampled"),
		.nbyte = ag_val_member_u64(v, "bytes"),
		.content_hash = ag_val_member_str(v, "content_hash"),
		.mtime_ms = ag_val_member_time(v, "modified_at"),
		.broken = ag_val_member_u64(v, "broken"),
		.duplicate_keys = ag_val_member_u64(v, "duplicate_keys"),
		.lone_surrogates = ag_val_member_u64(v, "lone_surrogates"),
		.big_numbers = ag_val_member_u64(v, "big_numbers"),
		.overflows = ag_val_member_u64(v, "overflows"),
		.short_rows = ag_val_member_u64(v, "short_rows"),
		.renamed_columns = ag_val_member_u64(v, "renamed_columns"),
	};
	read_issues(v ? ag_val_getc(v, "issues") : NULL, arena, ret);
}

static void read_gates(const ag_val *options, ag_audit_opts *o)
{
	const ag_val *gates = options ? ag_val_getc(options, "gates") : NULL;

	for (int g = 0; g < AG_NGATE && gates; g++) {
		const ag_val *v = ag_val_getc(gates, ag_gate_name((ag_gate)g));
		unsigned evaluator = o->evaluators[g], malformed = o->malformed[g];

		if (!v)
			continue;
		read_name(v, "evaluator", ag_evaluator_names, AG_EVAL_ESCALATION + 1, &evaluator);
		read_name(v, "malformed", malformed_names, AG_NELEM(malformed_names), &malformed);
		o->evaluators[g] = (ag_evaluator_kind)evaluator;
		o->malformed[g] = (ag_malformed)malformed;
		read_num(v, "pass_threshold", &o->pass_threshold[g]);
	}
	read_num(options, "escalation_low_threshold", &o->escalation_low);
	read_num(options, "escalation_high_threshold", &o->escalation_high);
	read_unsigned(options, "escalation_cap", &o->escalation_cap);
}

static void read_thresholds(const ag_val *v, ag_audit_opts *o)
{
	ag_rule_opts *r = &o->rules;
	ag_catalogue_opts *c = &o->catalogue;

	read_num(v, "field_coverage_min", &r->field_coverage_min);
	read_unsigned(v, "early_termination_min", &r->early_termination_min);
	read_u64(v, "clean_collection_docs", &r->clean_collection_docs);
	read_num(v, "critical_min_share", &r->critical_min_share);
	read_num(v, "high_min_share", &r->high_min_share);
	read_unsigned(v, "budget_warning_below", &r->budget_warning_below);
	read_unsigned(v, "description_min_chars", &r->description_min_chars);
	read_num(v, "evidence_tolerance", &r->evidence_tolerance);
	read_num(v, "null_rate_warning_threshold", &c->null_rate_warning_threshold);
	read_num(v, "null_rate_critical_threshold", &c->null_rate_critical_threshold);
	read_num(v, "type_consistency_threshold", &c->type_consistency_threshold);
	if (!ag_severity_parse(ag_val_member_str(v, "min_severity"), &o->min_severity))
		o->min_severity = AG_LOW;
}

static void read_ignores(const ag_val *v, ag_arena *arena, ag_audit_opts *o)
{
	const ag_val *list = ag_val_getc(v, "ignore");
	ag_ignore *rows;

	if (!list || list->type != AG_T_ARRAY)
		return;
	o->nignore = list->n < AG_IGNORES_MAX ? list->n : AG_IGNORES_MAX;
	o->ignores = rows = ag_new_n(arena, ag_ignore, o->nignore ? o->nignore : 1);
	for (size_t i = 0; i < o->nignore; i++) {
		const ag_val *row = &list->u.items[i];

		rows[i] = (ag_ignore){ .source = ag_val_member_str(row, "source"),
			               .path = ag_val_member_str(row, "path"),
			               .category = ag_val_member_str(row, "category"),
			               .reason = ag_val_member_str(row, "reason"),
			               .where = ag_val_member_str(row, "where"),
			               .until_ms = ag_val_member_time(row, "until") };
	}
}

static void read_options(const ag_val *v, ag_audit_opts *o)
{
	unsigned fail = o->fail_policy, rejected = o->rejected_policy;
	const ag_val *history = ag_val_getc(v, "history");

	if (ag_str_eqc(ag_val_member_str(v, "sample_size"), "all"))
		o->sample_size = UINT64_MAX;
	else
		read_u64(v, "sample_size", &o->sample_size);
	read_name(v, "run_fail_policy", fail_policies, AG_NELEM(fail_policies), &fail);
	read_name(v, "rejected_finding_policy", rejected_policies, AG_NELEM(rejected_policies),
	          &rejected);
	o->fail_policy = (ag_fail_policy)fail;
	o->rejected_policy = (ag_rejected_policy)rejected;
	o->history = !history || ag_val_truthy(history);
}

static void read_model(const ag_val *models, const char *role, ag_str *name, ag_str *id)
{
	const ag_val *m = models ? ag_val_getc(models, role) : NULL;
	const bool is_set = m && m->type == AG_T_OBJECT;

	*name = is_set ? ag_val_member_str(m, "name") : AG_S("");
	*id = is_set ? ag_val_member_str(m, "model") : AG_S("");
}

/* What means_members() wrote. */
static void read_means(const ag_val *v, ag_audit_start *s)
{
	const ag_val *budget = ag_val_getc(v, "budget"), *models = ag_val_getc(v, "models");
	const ag_val *show = ag_val_getc(v, "show_values");

	read_model(models, "planner", &s->model, &s->model_id);
	read_model(models, "self", &s->self_model, &s->self_model_id);
	read_model(models, "judge", &s->judge_model, &s->judge_model_id);
	s->opts.pricing_version = ag_val_member_str(v, "pricing_version");
	read_unsigned(budget, "iterations", &s->opts.budget.iterations);
	read_unsigned(budget, "calls", &s->opts.budget.calls);
	read_num(budget, "seconds", &s->opts.budget.seconds);
	read_u64(budget, "tokens", &s->max_tokens);
	read_num(budget, "usd", &s->max_usd);
	read_num(budget, "request_units", &s->opts.max_ru);
	s->opts.show_values = show && ag_val_truthy(show);
}

static ag_status read_resumed(const ag_event *resumed, ag_arena *arena, ag_audit_start *io,
                              ag_err *err)
{
	ag_val v;
	ag_status st = ag_extjson_parse(resumed->payload, &parse_opts, arena, &v, NULL, NULL, err);

	if (!st)
		read_means(&v, io);
	return st;
}

static ag_status parse_start(const ag_event *events, size_t n, const ag_id *run, ag_arena *arena,
                             ag_val *ret, ag_err *err)
{
	if (n && events[0].type == AG_EV_RUN_STARTED)
		return ag_extjson_parse(events[0].payload, &parse_opts, arena, ret, NULL, NULL,
		                        err);
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no events: nothing was checked", run->text);
	return ag_err_hint(err, "it was stopped while its data was read: start a new run with "
	                        "`argus audit`");
}

ag_status ag_audit_read_start(const ag_event *started, ag_arena *arena, ag_audit_start *ret,
                              ag_err *err)
{
	const ag_val *source, *options, *settings;
	ag_audit_start s = { 0 };
	ag_audit_opts *o = &s.opts;
	ag_val v;
	ag_status st = parse_start(started, 1, &started->run, arena, &v, err);

	if (st)
		return st;
	if (!ag_str_eqc(ag_val_member_str(&v, "agent"), "audit"))
		return ag_fail(err, AG_INVALID, ORIGIN, "run %s is no audit", started->run.text);
	source = ag_val_getc(&v, "source");
	options = ag_val_getc(&v, "options");
	settings = ag_val_getc(&v, "settings");
	s.source_uri = ag_val_member_str(source, "uri");
	s.planner = ag_val_member_str(&v, "planner");
	ag_audit_opts_init(o);
	read_neighbours(ag_val_getc(&v, "neighbours"), arena, &s);
	o->seed = ag_val_member_u64(&v, "seed");
	o->catalogue.as_of_ms = ag_val_member_time(&v, "as_of");
	if (settings)
		o->settings_json = ag_extjson_str(arena, settings, AG_EXTJSON_RELAXED);
	read_means(&v, &s);
	if (options) {
		read_options(options, o);
		read_ignores(options, arena, o);
		read_gates(options, o);
	}
	read_thresholds(options ? options : settings, o);
	*ret = s;
	return AG_OK;
}

ag_status ag_start_load(ag_store *store, const ag_run_row *row, ag_arena *arena, ag_start_log *ret,
                        ag_err *err)
{
	ag_status st = ag_store_events(store, &row->id, 0, arena, &ret->events, &ret->n, err);

	if (!st)
		st = parse_start(ret->events, ret->n, &row->id, arena, &ret->started, err);
	if (!st)
		st = ag_audit_read_start(&ret->events[0], arena, &ret->start, err);
	return st;
}

ag_status ag_audit_load_start(ag_store *store, const ag_run_row *row, ag_arena *arena,
                              const ag_event **ret_events, size_t *nret, ag_audit_start *ret,
                              ag_err *err)
{
	ag_start_log log;
	ag_status st = ag_start_load(store, row, arena, &log, err);

	for (size_t i = 1; !st && i < log.n; i++)
		if (log.events[i].type == AG_EV_RUN_RESUMED)
			st = read_resumed(&log.events[i], arena, &log.start, err);
	if (st)
		return st;
	*ret_events = log.events;
	*nret = log.n;
	*ret = log.start;
	return AG_OK;
}
