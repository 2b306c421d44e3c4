/* crew -- several processes of this program that do the same work. */
#ifndef AG_CLI_CREW_H
#define AG_CLI_CREW_H

#include "app/worker.h"
#include "cli/cli.h"

#define AG_CREW_MAX 64u

/* Forks n processes, which each run work() and end with its exit code, and waits for all. One that is killed is replaced, unless this
 * process is to stop: then the others are told to. No store may be open, and no thread may run, in the calling process. Returns the
 * highest exit code. */
int ag_crew_run(ag_cli *c, unsigned n, int (*work)(ag_cli *c, unsigned index, void *arg),
                void *arg);

/* Prints what a worker does, a line each; arg: the ag_cli. */
void ag_crew_tell(void *arg, const ag_worker_news *news);

#endif
