/* rebuild -- the report of any run, from its log alone.
 *
 * The state is rebuilt by the same function that ran live; what the source was and which options held stands in
 * run_started. Nothing is read from the source, so this also works when the data is gone. */
#include "audit/audit.h"
#include "audit/report.h"
#include "audit/start.h"

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
	ag_start_log log;
	ag_status st = ag_start_load(store, row, arena, &log, err);

	if (st)
		return st;
	log.start.opts.show_values = show_values;
	ag_start_read_source(&log.started, row, arena, &info);
	ag_audit_state_init(&s, arena, &log.start.opts.rules, info.key, info.ndoc, 0);
	for (size_t i = 0; i < log.n && !st; i++)
		st = ag_audit_apply(&s, &log.events[i], err);
	if (!st && more)
		st = ag_audit_apply(&s, more, err);
	if (st)
		return st;
	if (!s.status.len) {
		s.status = AG_S("interrupted");
		s.status_why = AG_S(
			"the run was stopped before it ended; this is what its log holds");
		s.finished_ms = s.last_ms;
	}
	/* Without the data there are no distributions. */
	*ret = ag_report_text_of(&(ag_report_of){ .state = &s,
	                                          .opts = &log.start.opts,
	                                          .info = &info,
	                                          .planner = ag_str_cstr(arena, log.start.planner),
	                                          .run = &row->id },
	                         arena);
	return AG_OK;
}
