/* calls -- see the header. */
#include "project/calls.h"

#include "query/extjson.h"
#include "run/owner.h"

/* A process on another machine, or before a restart of this one, cannot be looked up. No call is allowed to run for longer
 * (mcp/server.h: call_timeout_ms). */
#define LONGEST_CALL_MS (15 * 60 * 1000)

/* A row whose call has not ended, because it runs, or because its process ended first. */
ag_str ag_call_outcome(const ag_ledger_row *r, int64_t now_ms)
{
	if (!r->owner.len)
		return r->outcome;
	switch (ag_owner_state_of(r->owner)) {
	case AG_OWNER_ALIVE: return AG_S("running");
	case AG_OWNER_DEAD: return AG_S("interrupted");
	case AG_OWNER_UNKNOWN: break;
	}
	return now_ms - r->at_ms > LONGEST_CALL_MS ? AG_S("interrupted") : AG_S("unknown");
}

/* The tables are JSON that we wrote ourselves; of a table that was changed from outside, text. */
static void tables_json(ag_jw *w, ag_str tables, ag_arena *arena)
{
	const ag_extjson_opts opts = { .max_depth = 4, .max_values = 10000 };
	ag_val v;

	if (!tables.len)
		ag_jw_kraw(w, "tables", AG_S("[]"));
	else if (ag_extjson_parse(tables, &opts, arena, &v, NULL, NULL, NULL))
		ag_jw_kstr(w, "tables", tables);
	else
		ag_jw_kraw(w, "tables", tables);
}

void ag_call_json(ag_jw *w, const ag_ledger_row *r, ag_arena *arena)
{
	ag_jw_obj(w);
	ag_jw_kuint(w, "row", r->seq);
	if (r->began)
		ag_jw_kuint(w, "began_row", r->began);
	ag_jw_ktime(w, "at", r->at_ms);
	ag_jw_kstr(w, "user", r->user);
	ag_jw_kstr(w, "project", r->project);
	ag_jw_kstr(w, "token", r->token);
	ag_jw_kstr(w, "session", r->session);
	ag_jw_kstr(w, "tool", r->tool);
	ag_jw_kstr(w, "outcome", r->outcome);
	ag_jw_kstr(w, "sql", r->sql);
	ag_jw_kstr(w, "fingerprint", r->fingerprint);
	ag_jw_kstr(w, "verdict", r->verdict);
	ag_jw_kstr(w, "rule", r->rule);
	tables_json(w, r->tables, arena);
	ag_jw_kuint(w, "rows", r->nrow);
	ag_jw_kuint(w, "bytes", r->nbyte);
	ag_jw_kint(w, "wait_us", r->wait_us);
	ag_jw_kint(w, "exec_us", r->exec_us);
	ag_jw_kstr(w, "detail", r->detail);
	ag_jw_kstr(w, "hash", ag_str_c(r->hash));
	ag_jw_obj_end(w);
}
