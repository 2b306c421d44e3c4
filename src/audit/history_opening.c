/* history_opening -- the event that a new run of a known source opens its log with.
 *
 * It stands in the log, so that report, resume and replay need neither the other runs nor another re-check. The first
 * run of a source has none. */
#include "audit/audit.h"

/* As JSON within the limit of an event. Thousands of findings with long names would not fit: then the last ranked
 * are left out, half of them at a time. */
static ag_str payload_of(ag_history h, ag_arena *arena)
{
	ag_str ret = AG_S("");

	while (!ret.len) {
		ag_buf out = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES);
		ag_jw w;

		ag_jw_init(&w, &out, 0);
		ag_history_write(&h, &w);
		if (!out.failed)
			ret = ag_buf_dup(arena, &out);
		ag_buf_release(&out);
		h.npattern /= 2;
		h.nrecheck /= 2;
	}
	return ret;
}

ag_status ag_audit_opening(const ag_ctx *ctx, ag_source *source, ag_store *store, const ag_id *run,
                           ag_arena *arena, ag_opening *ret, size_t *nret, ag_err *err)
{
	ag_arena *scratch = ag_arena_new();
	ag_err why = { 0 };
	ag_status st;
	ag_history h;

	*nret = 0;
	st = ag_history_load(store, ag_source_info_of(source)->key, run, scratch, &h, err);
	if (!st && h.previous_run_id.len) {
		st = ag_history_recheck(ctx, source, store, scratch, &h, &why);
		/* Without the list the store failed. Else the loop meets the same cancel or loss, and ends the run. */
		if (st && !h.rechecks)
			*err = why;
		else
			st = AG_OK;
		if (!st) {
			*ret = (ag_opening){ AG_EV_HISTORY, payload_of(h, arena) };
			*nret = 1;
		}
	}
	ag_arena_free(scratch);
	return st;
}
