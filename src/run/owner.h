/* owner -- which process writes a run, so that others can tell whether it still lives.
 *
 * A name holds the machine's boot, the namespace of process numbers, the number, when the process began, and a UUID. Two
 * processes that share the first two can look each other up; of any other nothing is known. */
#ifndef AG_RUN_OWNER_H
#define AG_RUN_OWNER_H

#include "base/arena.h"
#include "base/time.h"

typedef enum ag_owner_state {
	AG_OWNER_UNKNOWN, /* another machine, another boot, or no such name */
	AG_OWNER_DEAD,    /* ended, also when nobody has waited for it yet */
	AG_OWNER_ALIVE
} ag_owner_state;

/* A new name for this process, in arena; at most 160 bytes. */
ag_str ag_owner_new(const ag_clock *clock, ag_arena *arena);
ag_owner_state ag_owner_state_of(ag_str owner);
/* The process number in a name, 0 when there is none. For messages. */
long ag_owner_pid(ag_str owner);

#endif
