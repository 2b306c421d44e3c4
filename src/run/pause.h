/* pause -- a short wait that gives up its thread.
 *
 * Who works for many with few threads (http/seats.c) runs each piece of work so that it can be put aside. Such work need not
 * block its thread for some microseconds until a socket is readable, or until another piece of work calls it: it pauses, and
 * goes on later, perhaps on another thread. What waits for longer than a few milliseconds blocks as ever: the pause ends, and
 * the caller waits in its own way. So who pauses holds no mutex, and is prepared to be refused. */
#ifndef AG_RUN_PAUSE_H
#define AG_RUN_PAUSE_H

#include <stdbool.h>

typedef enum ag_pause_end {
	AG_PAUSE_OVER,   /* the socket is readable, or ag_pauser_wake() was called */
	AG_PAUSE_LATE,   /* it took too long: wait without a pause */
	AG_PAUSE_REFUSED /* it did not begin: wait without a pause */
} ag_pause_end;

/* A piece of work that can pause, as long as it is under way. */
typedef struct ag_pauser ag_pauser;
struct ag_pauser {
	/* fd -1: until wake(), also one that came before; else until fd is readable. A socket has one who waits for it. */
	ag_pause_end (*pause)(ag_pauser *self, int fd);
	void (*wake)(ag_pauser *self); /* from any thread */
};

/* Of the work on this thread; NULL: it cannot pause. */
ag_pauser *ag_pauser_here(void);
/* For who runs it. */
void ag_pauser_set(ag_pauser *p);

#endif
