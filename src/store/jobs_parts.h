/* jobs_parts -- what jobs.c and schedules.c share. Private to store/. */
#ifndef AG_STORE_JOBS_PARTS_H
#define AG_STORE_JOBS_PARTS_H

#include "store/driver.h"
#include "store/jobs.h"

bool ag_job_is_name(ag_str s);
AG_CHECK ag_status ag_job_check_name(const char *what, ag_str s, ag_err *err);
/* Within a transaction. *io_id: the id of the new row; set to that of the row that has the same `once` already. */
AG_CHECK ag_status ag_job_put(ag_db *db, const ag_job *j, ag_id *io_id, int64_t now_ms,
                              bool *ret_new, ag_err *err);

#endif
