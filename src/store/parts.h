/* parts -- what the modules of the store share. Private to store/. */
#ifndef AG_STORE_PARTS_H
#define AG_STORE_PARTS_H

#include "store/driver.h"
#include "store/store.h"

struct ag_store {
	ag_db *db;
};

/* A text within its limit that a database can hold: UTF-8 without NUL. `what` names it in the message.
 * errors  AG_LIMIT, AG_INVALID */
AG_CHECK ag_status ag_store_check_text(const char *origin, const char *what, ag_str s,
                                       size_t max_bytes, ag_err *err);

/* The name of a user: one line of 1 to 128 bytes.
 * errors  AG_INVALID, AG_LIMIT */
AG_CHECK ag_status ag_store_check_user(ag_str user, ag_err *err);

/* --- runs.c: the operations of store.h whose arguments were checked --- */

AG_CHECK ag_status ag_runs_commit(ag_db *db, const ag_id *run, const ag_store_batch *b,
                                  ag_err *err);
AG_CHECK ag_status ag_runs_lease(ag_db *db, const ag_id *run, ag_str owner, int64_t now_ms,
                                 int64_t ttl_ms, ag_err *err);
/* In a transaction: takes a lease that nobody has, was given back, or is the owner's already. AG_CONFLICT, here or from a later
 * statement of the transaction: another has it. */
AG_CHECK ag_status ag_runs_put_free_lease(ag_db *db, const ag_store_leased *l, ag_err *err);
/* Who holds it and until when (wall time); owner "" = nobody ever did. */
AG_CHECK ag_status ag_runs_lease_holder(ag_db *db, const ag_id *run, ag_arena *arena,
                                        ag_str *ret_owner, int64_t *ret_until_ms, ag_err *err);
AG_CHECK ag_status ag_runs_purge(ag_db *db, int64_t older_than_ms, uint64_t *ret, ag_err *err);

/* --- runs_read.c, the same --- */

AG_CHECK ag_status ag_runs_events(ag_db *db, const ag_id *run, const ag_log_place *at,
                                  ag_arena *arena, ag_event **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_list(ag_db *db, ag_str source_key, size_t limit, size_t offset,
                                ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_turns(ag_db *db, const ag_turns_question *q, ag_arena *arena,
                                 ag_run_row **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_replacing(ag_db *db, ag_str source_key, ag_arena *arena,
                                     ag_run_row **ret, size_t *nret, ag_err *err);
/* only_newest: of each source, and only what has ended */
AG_CHECK ag_status ag_runs_below(ag_db *db, const ag_runs_question *q, bool only_newest,
                                 ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_find(ag_db *db, ag_str prefix, ag_arena *arena, ag_run_row *ret,
                                ag_err *err);
/* texts: agent, source_uri, prefix */
AG_CHECK ag_status ag_runs_groups(ag_db *db, const ag_str texts[3], size_t limit, ag_arena *arena,
                                  ag_run_group **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_report(ag_db *db, const ag_id *run, ag_arena *arena, ag_str *ret,
                                  ag_err *err);
AG_CHECK ag_status ag_runs_findings(ag_db *db, const ag_id *run, ag_arena *arena,
                                    ag_finding_row **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_past(ag_db *db, const ag_past_query *q, ag_arena *arena,
                                ag_past_run **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_pending(ag_db *db, const ag_id *run, size_t limit, ag_arena *arena,
                                   ag_past_run **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_runs_labels(ag_db *db, ag_str source_key, ag_str agent, ag_arena *arena,
                                  ag_label_row **ret, size_t *nret, ag_err *err);

/* --- parts of a purge, which runs between purge_begin and purge_end; *ret: something was removed --- */

/* Projects that were not used since. */
AG_CHECK ag_status ag_index_purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err);
/* Artifacts that were deleted before. */
AG_CHECK ag_status ag_artifacts_purge(ag_db *db, int64_t before_ms, bool *ret, ag_err *err);
/* Copies of share links that were made before, and links without one. */
AG_CHECK ag_status ag_shares_purge(ag_db *db, int64_t before_ms, bool *ret, ag_err *err);
/* Jobs that ended before. */
AG_CHECK ag_status ag_jobs_purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err);
/* Old rows of the audit table, ended windows, old texts. */
AG_CHECK ag_status ag_ledger_purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err);

#endif
