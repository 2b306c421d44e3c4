/* Jobs and schedules as JSON: the same for commands and for routes. */
#include "store/jobs.h"

/* "id","kind","queue","what","payload":{…},"target","state","wants_stop","attempts","max_attempts","ready_at",… */
void ag_job_write_json(const ag_job *j, ag_str what, ag_jw *w)
{
	ag_jw_kstr(w, "id", ag_id_str(&j->id));
	ag_jw_kstr(w, "kind", j->kind);
	ag_jw_kstr(w, "queue", j->queue);
	ag_jw_kstr(w, "what", what);
	ag_jw_kraw(w, "payload", j->payload);
	ag_jw_kstr(w, "target", j->target);
	ag_jw_kstr(w, "state", ag_str_c(ag_job_state_name(j->state)));
	ag_jw_kbool(w, "wants_stop", j->wants_stop);
	ag_jw_kuint(w, "attempts", j->attempts);
	ag_jw_kuint(w, "max_attempts", j->max_attempts);
	ag_jw_ktime_or_null(w, "ready_at", j->ready_ms);
	ag_jw_ktime_or_null(w, "created_at", j->created_ms);
	ag_jw_ktime_or_null(w, "started_at", j->started_ms);
	ag_jw_ktime_or_null(w, "ended_at", j->ended_ms);
	ag_jw_kstr(w, "run", ag_id_str(&j->run));
	ag_jw_kraw(w, "result", j->result.len ? j->result : AG_S("null"));
	ag_jw_kstr(w, "error", j->error);
}

void ag_schedule_write_json(const ag_schedule *c, ag_str what, ag_jw *w)
{
	ag_jw_kstr(w, "name", c->name);
	ag_jw_kstr(w, "cron", c->cron);
	ag_jw_kstr(w, "zone", c->zone);
	ag_jw_kstr(w, "queue", c->queue);
	ag_jw_kstr(w, "kind", c->kind);
	ag_jw_kstr(w, "what", what);
	ag_jw_kraw(w, "payload", c->payload);
	ag_jw_kbool(w, "paused", c->is_paused);
	ag_jw_ktime_or_null(w, "next_at", c->is_paused ? 0 : c->next_ms);
	ag_jw_ktime_or_null(w, "last_at", c->last_ms);
	ag_jw_ktime_or_null(w, "created_at", c->created_ms);
}
