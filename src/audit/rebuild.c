/* rebuild -- the report of a run that was killed, from its log alone.
 *
 * The state is rebuilt by the same function that ran live; what the source was stands in run_started. Nothing is read
 * from the source, so this also works when the data is gone. */
#include "audit/audit.h"
#include "audit/report.h"
#include "query/extjson.h"

static const ag_extjson_opts parse_opts = { .typed = true, .query = true };

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

/* What ag_report_run_facts() wrote, read back. */
static void read_source(const ag_val *v, const ag_run_row *row, ag_arena *arena,
                        ag_source_info *info)
{
	*info = (ag_source_info){
		.uri = ag_val_member_str(v, "uri"),
		.key = ag_val_member_str(v, "key"),
		.collection = row->collection,
		.database = ag_val_member_str(v, "database"),
		.format = ag_val_member_str(v, "format"),
		.ndoc = ag_val_member_u64(v, "documents"),
		.nbyte = ag_val_member_u64(v, "bytes"),
		.content_hash = ag_val_member_str(v, "content_hash"),
		.broken = ag_val_member_u64(v, "broken"),
		.duplicate_keys = ag_val_member_u64(v, "duplicate_keys"),
		.lone_surrogates = ag_val_member_u64(v, "lone_surrogates"),
		.big_numbers = ag_val_member_u64(v, "big_numbers"),
		.overflows = ag_val_member_u64(v, "overflows"),
		.renamed_columns = ag_val_member_u64(v, "renamed_columns"),
	};
	if (!ag_time_parse_iso(ag_val_member_str(v, "modified_at"), &info->mtime_ms))
		info->mtime_ms = 0;
	read_issues(v ? ag_val_getc(v, "issues") : NULL, arena, info);
}

static void read_opts(const ag_val *started, ag_arena *arena, bool show_values, ag_audit_opts *o)
{
	const ag_val *settings = ag_val_getc(started, "settings");

	ag_audit_opts_init(o);
	o->seed = ag_val_member_u64(started, "seed");
	o->show_values = show_values;
	if (!ag_time_parse_iso(ag_val_member_str(started, "as_of"), &o->catalogue.as_of_ms))
		o->catalogue.as_of_ms = 0;
	if (settings)
		o->settings_json = ag_extjson_str(arena, settings, AG_EXTJSON_RELAXED);
}

static ag_str write_report(const ag_audit_state *s, const ag_audit_opts *o,
                           const ag_source_info *info, const ag_val *started, const ag_run_row *row,
                           ag_arena *arena)
{
	const ag_str planner = ag_val_member_str(started, "planner");

	return ag_report_text_of(s, o, info, ag_str_cstr(arena, planner), &row->id, arena);
}

ag_status ag_audit_rebuild(ag_store *store, const ag_run_row *row, bool show_values,
                           ag_arena *arena, ag_str *ret, ag_err *err)
{
	return ag_audit_rebuild_with(store, row, NULL, show_values, arena, ret, err);
}

ag_status ag_audit_rebuild_with(ag_store *store, const ag_run_row *row, const ag_event *more,
                                bool show_values, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_source_info info;
	ag_audit_state s;
	ag_audit_opts o;
	ag_event *events;
	ag_val started;
	ag_status st;
	size_t n;

	st = ag_store_events(store, &row->id, 0, arena, &events, &n, err);
	if (st)
		return st;
	if (!n || events[0].type != AG_EV_RUN_STARTED) {
		ag_fail(err, AG_NOT_FOUND, "audit.rebuild", "run %s has no events", row->id.text);
		return ag_err_hint(err, "its log was purged, or it was stopped before it began");
	}
	st = ag_extjson_parse(events[0].payload, &parse_opts, arena, &started, NULL, NULL, err);
	if (st)
		return st;
	read_source(ag_val_getc(&started, "source"), row, arena, &info);
	read_opts(&started, arena, show_values, &o);
	ag_audit_state_init(&s, arena, &o.rules, info.key, info.ndoc, 0);
	for (size_t i = 0; i < n && !st; i++)
		st = ag_audit_apply(&s, &events[i], err);
	if (!st && more)
		st = ag_audit_apply(&s, more, err);
	if (st)
		return st;
	if (!s.status.len) {
		s.status = AG_S("interrupted");
		s.status_why = AG_S(
			"the run was stopped before it ended; this is what its log holds");
		s.finished_ms = events[n - 1].at_ms;
	}
	*ret = write_report(&s, &o, &info, &started, row, arena);
	return AG_OK;
}
