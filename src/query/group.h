/* group -- accumulators of $group. Private to stage_group.c and group.c. */
#ifndef AG_QUERY_GROUP_H
#define AG_QUERY_GROUP_H

#include "query/expr_internal.h"

typedef struct ag_acc_type ag_acc_type;

/* One item of $push or $addToSet. */
typedef struct ag_acc_item ag_acc_item;
struct ag_acc_item {
	ag_acc_item *next;
	ag_acc_item *chain; /* $addToSet: same bucket */
	uint64_t hash;
	ag_val v;
};

/* The running value of one accumulator in one group; zeroed memory is the start. */
typedef struct ag_acc {
	union {
		ag_sum sum;
		struct {
			ag_val v;
			bool set;
			char *room; /* for the bytes of a text, used again and again */
			size_t cap;
			ag_arena *own; /* for containers that were replaced */
		} one;
		struct {
			ag_acc_item *first, *last;
			ag_acc_item **buckets;
			size_t n, nbucket;
		} list;
	} u;
} ag_acc;

struct ag_acc_type {
	const char *name;
	bool no_argument; /* {"$count": {}} */
	/* *extra grows by what was allocated outside of the arena. */
	void (*add)(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra);
	ag_val (*result)(const ag_acc *a, ag_arena *arena);
};

const ag_acc_type *ag_acc_find(ag_str name);
const char *ag_acc_nearest(ag_str name);

#endif
