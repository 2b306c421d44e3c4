/* neighbours_parts -- what neighbours.c and neighbours_server.c share. */
#ifndef AG_AUDIT_NEIGHBOURS_PARTS_H
#define AG_AUDIT_NEIGHBOURS_PARTS_H

#include "audit/neighbours.h"

typedef struct ag_neighbour {
	const ag_source_place *place;
	ag_source_state state; /* when the list was made; zeros: it is gone, or on a server */
	ag_str home;           /* "" = a file, else what keys of its database begin with */
	bool is_read;
	ag_str why; /* it could not be read */
	ag_neighbour_key *keys;
	size_t n;
	ag_source *source; /* open; NULL = closed */
	double paid;       /* units of source that have been charged to the collection that asks */
	uint64_t ndoc;
} ag_neighbour;

struct ag_neighbours {
	ag_arena *arena;
	ag_neighbour *items;
	size_t n;
	int64_t made_ms;
};

/* Opens it, unless it is open.
 * errors  of ag_source_open_place() */
AG_CHECK ag_status ag_neighbour_open(ag_neighbour *one, const ag_neighbour_ask *ask, ag_err *err);
/* Charges what the neighbour has cost since the last time. */
void ag_neighbour_pay(ag_neighbour *one, const ag_neighbour_ask *ask);
/* Is it an error that ends the audit? Else the neighbour cannot be read, and its `why` is set. */
bool ag_neighbour_fails(ag_neighbours *all, ag_neighbour *one, const ag_neighbour_ask *ask,
                        ag_status st, const ag_err *err);

#endif
