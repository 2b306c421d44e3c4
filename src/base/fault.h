/* fault -- make a chosen call fail, so that tests reach the paths that a healthy machine never takes.
 *
 * AG_FAULT="store.commit:3" fails the third call of that point, "store.commit:3+" the third and all later ones.
 * "store.commit:3!" fails none: SIGKILL ends the process right after the third call, where ag_fault_after() follows it.
 * It is in every build, so that the program that is tested is the one that is shipped; without AG_FAULT a point
 * costs one load and one branch. A point stands at the system call (or what stands for one), before it:
 *
 *   fd = ag_fault("input.open") ? -1 : open(path, O_RDONLY);
 *
 * To add one: its row in fault.c, its call; ./run torture then counts through it. */
#ifndef AG_BASE_FAULT_H
#define AG_BASE_FAULT_H

#include "base/err.h"

typedef struct ag_fault_point {
	const char *name;    /* "store.commit" */
	const char *meaning; /* what fails */
} ag_fault_point;

const ag_fault_point *ag_fault_points(size_t *ret_n);

/* "POINT:N", "POINT:N+" or "POINT:N!"; NULL or "" = no fault. Before any thread starts; the counts restart at 0.
 * errors  AG_INVALID: no such point, or N is no number from 1 */
AG_CHECK ag_status ag_fault_setup(const char *text, ag_err *err);

/* Shall this call fail? Then errno is EIO. Thread safe: calls are counted over all threads. */
bool ag_fault(const char *point);

/* After the call of a point that went well. Does not return when this is the call to die after. */
void ag_fault_after(const char *point);

/* What became of the chosen point; NULL when none is set. */
const ag_fault_point *ag_fault_counts(unsigned long *ret_calls, unsigned long *ret_failed);

#endif
