/* job_kind -- which kind of job a command line means. */
#ifndef AG_CLI_JOB_KIND_H
#define AG_CLI_JOB_KIND_H

#include "cli/cli.h"

/* --kind; else argument `at`, when it is the name of a kind and another one follows: it is then taken off the arguments; else
 * "audit". */
ag_str ag_cli_job_kind(ag_cli *c, size_t at);

#endif
