/* audit_jobs -- `argus audit` by several processes: each collection is a job of a queue that only this command's processes take from. */
#ifndef AG_CLI_AUDIT_JOBS_H
#define AG_CLI_AUDIT_JOBS_H

#include "cli/cli.h"
#include "store/jobs.h"

/* What is audited. */
typedef struct ag_audit_uri {
	ag_str uri;     /* may hold a password: never stored */
	ag_str project; /* whose documents it is, "" = given on the command line */
} ag_audit_uri;

/* Projects that have documents; in the app's arena. errors  AG_NOT_FOUND: there are none */
AG_CHECK ag_status ag_audit_jobs_all(ag_cli *c, ag_audit_uri **ret, size_t *nret, ag_err *err);

/* Queues the jobs, runs n processes until they have ended, and reads them: in the order of the sources and their collections. `keeps`
 * says which collections are meant. The store is closed before and opened again. Texts in the app's arena.
 * errors  of the store and of sources that cannot be listed; AG_INVALID: a store that is not kept */
AG_CHECK ag_status ag_audit_jobs_run(ag_cli *c, const ag_audit_uri *uris, size_t nuri,
                                     bool (*keeps)(ag_cli *c, ag_str collection), unsigned n,
                                     ag_job **ret, size_t *nret, ag_err *err);

#endif
