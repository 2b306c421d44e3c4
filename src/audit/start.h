/* start -- what stands in run_started and run_resumed: all that a resume, a replay and a rebuilt report need to know of
 * how the run was set up. Internal to audit/. */
#ifndef AG_AUDIT_START_H
#define AG_AUDIT_START_H

#include "audit/audit.h"

/* The payloads; in arena. */
ag_str ag_start_payload(const ag_audit_opts *o, const ag_budget *budget, const ag_source_info *info,
                        const char *planner, ag_arena *arena);
ag_str ag_start_resumed_payload(const ag_audit_opts *o, const ag_budget *budget,
                                const char *planner, unsigned sitting, ag_arena *arena);
/* What the source was, from a parsed run_started. */
void ag_start_read_source(const ag_val *started, const ag_run_row *row, ag_arena *arena,
                          ag_source_info *ret);
/* The log of a run, with its first event parsed and read. In arena. */
typedef struct ag_start_log {
	ag_event *events;
	size_t n;
	ag_val started;
	ag_audit_start start;
} ag_start_log;

/* errors  AG_NOT_FOUND: the log is empty */
AG_CHECK ag_status ag_start_load(ag_store *store, const ag_run_row *row, ag_arena *arena,
                                 ag_start_log *ret, ag_err *err);

#endif
