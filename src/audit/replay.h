/* replay -- a run once more, from its log: event by event, without model and data, for people and programs. */
#ifndef AG_AUDIT_REPLAY_H
#define AG_AUDIT_REPLAY_H

#include "audit/audit.h"
#include "base/paint.h"

typedef struct ag_replay {
	ag_arena *arena;
	const ag_event *events;
	size_t n, next;
	ag_audit_opts opts;   /* of the run */
	ag_audit_state state; /* after the events before `next` */
	bool show_values;
} ag_replay;

/* errors  AG_NOT_FOUND: no events; AG_INVALID: no audit */
AG_CHECK ag_status ag_replay_open(ag_store *store, const ag_run_row *row, bool show_values,
                                  ag_arena *arena, ag_replay *ret, ag_err *err);
/* Apply the next event; no more behind the last one. *event is as the log has it, but for personal values, which are
 * masked unless show_values. */
AG_CHECK ag_status ag_replay_next(ag_replay *r, ag_event *event, bool *ret_more, ag_err *err);
/* The event that was applied last, for people: a line or two, or nothing. */
void ag_replay_text(const ag_replay *r, ag_paint *p);
/* Does the report that the log gives equal the stored one, byte for byte? A run without a stored report: AG_NOT_FOUND.
 * errors  AG_CONFLICT: it does not; the message says where */
AG_CHECK ag_status ag_replay_check(const ag_replay *r, ag_store *store, const ag_run_row *row,
                                   ag_err *err);

#endif
