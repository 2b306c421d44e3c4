/* seed -- reads the database of the system that kept audit reports in PostgreSQL before Argus: its four tables
 * argus_reports, argus_findings, argus_dismissed_findings and argus_evaluation_records.
 *
 * The rows come as JSON, so that older forms of the tables, which lack columns, are read as well. What they mean is known in
 * audit/seed.h. Nothing is written there. */
#ifndef AG_STORE_SEED_H
#define AG_STORE_SEED_H

#include "base/arena.h"
#include "base/err.h"

/* One report. JSON texts live for the callback. */
typedef struct ag_seed_report {
	ag_str id;
	int64_t run_at_ms;
	ag_str report; /* the row of argus_reports, with raw_report in it */
	ag_str findings, dismissed,
		evaluations; /* arrays of rows, as they were first stored; "[]" */
} ag_seed_report;

/* take() for each report, oldest first; an error of it ends the reading and is returned.
 * errors  AG_NOT_FOUND: there are no such tables; those of connecting and reading */
AG_CHECK ag_status ag_seed_read(ag_str uri,
                                ag_status (*take)(void *arg, const ag_seed_report *r, ag_err *err),
                                void *arg, ag_err *err);

#endif
