/* breaker -- sends nothing to a server that is down: one per origin, shared by all threads.
 *
 * closed     everything passes; AG_BREAKER_FAILURES failures in a row, or as many as ag_breaker_open_after() says, open it
 * open       nothing passes for AG_BREAKER_OPEN_MS; or, after ag_breaker_probe_early(), for a first time that is doubled
 *            with each failed probe up to AG_BREAKER_OPEN_MS
 * half-open  one request passes, the probe; its success closes, its failure opens again
 *
 * Every request that passed is reported, once, with the ticket that it got. A report of a request that began in an
 * earlier state is not counted: it says nothing about how the server is now. */
#ifndef AG_RUN_BREAKER_H
#define AG_RUN_BREAKER_H

#include <pthread.h>

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#define AG_BREAKER_FAILURES 5
#define AG_BREAKER_OPEN_MS  30000

typedef enum ag_breaker_state {
	AG_BREAKER_CLOSED,
	AG_BREAKER_OPEN,
	AG_BREAKER_HALF_OPEN
} ag_breaker_state;

typedef enum ag_breaker_report {
	AG_BREAKER_WORKS,  /* the server answered */
	AG_BREAKER_FAILED, /* no answer, or a server error */
	AG_BREAKER_UNKNOWN /* the request was given up on this side */
} ag_breaker_report;

typedef struct ag_breaker {
	pthread_mutex_t lock;
	ag_breaker_state state;
	unsigned nfailed;  /* in a row */
	unsigned most;     /* so many failures in a row open it */
	uint64_t turn;     /* counts changes of state; a ticket is the turn in which it was given */
	int64_t open_till; /* monotonic ms */
	int64_t first_ms;  /* open for so long at first */
	int64_t open_ms;   /* open for so long the next time */
	bool is_probed;    /* half-open: the probe is under way */
} ag_breaker;

void ag_breaker_init(ag_breaker *b);
/* Before its first use: the first probe comes after first_ms. */
void ag_breaker_probe_early(ag_breaker *b, int64_t first_ms);
/* Before its first use: so many failures in a row open it, 1 or more. */
void ag_breaker_open_after(ag_breaker *b, unsigned nfailed);
void ag_breaker_release(ag_breaker *b);
/* May a request be sent? When not, *ret_wait_ms says how long nothing will pass (0: until the probe has ended). */
bool ag_breaker_admit(ag_breaker *b, int64_t now_ms, uint64_t *ret_ticket, int64_t *ret_wait_ms);
void ag_breaker_tell(ag_breaker *b, uint64_t ticket, int64_t now_ms, ag_breaker_report what);
ag_breaker_state ag_breaker_state_of(ag_breaker *b);

#endif
