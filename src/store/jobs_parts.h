/* jobs_parts -- what jobs.c, jobs_look.c and schedules.c share. Private to store/. */
#ifndef AG_STORE_JOBS_PARTS_H
#define AG_STORE_JOBS_PARTS_H

#include "store/driver.h"
#include "store/jobs.h"

#define AG_JOB_COLUMNS                                                                      \
	"id, once, queue, kind, target, payload, state, ready_at, created_at, started_at, " \
	"ended_at, attempts, max_attempts, owner, run, wants_stop, result, error"

/* A row of these columns; texts in arena. */
void ag_job_read(const ag_db_val *row, ag_arena *arena, ag_job *ret);
/* The first row that the statement gives, and how many it gives. */
AG_CHECK ag_status ag_job_read_one(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                                   ag_job *ret, size_t *ret_n, ag_err *err);
bool ag_job_is_name(ag_str s);
AG_CHECK ag_status ag_job_check_name(const char *what, ag_str s, ag_err *err);
/* Within a transaction. *io_id: the id of the new row; set to that of the row that has the same `once` already. */
AG_CHECK ag_status ag_job_put(ag_db *db, const ag_job *j, ag_id *io_id, int64_t now_ms,
                              bool *ret_new, ag_err *err);

#endif
