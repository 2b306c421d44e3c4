/* valmap -- counting tables of the profile: how often does each value occur? For columns/ and repair/.
 *
 * The values stand in a dense list in order of first appearance; the open table beside it holds, per slot, 32
 * bits of the hash and the number in the list. So a new value costs one cache miss, growing never touches
 * the values, and strings are references into the chunks, never copies. */
#ifndef AG_COLUMNS_VALMAP_H
#define AG_COLUMNS_VALMAP_H

#include "query/value.h"

/* The slots of all three kinds: hash << 32 | number + 1; 0 = free. */
typedef struct ag_slots {
	uint64_t *slot;
	size_t mask; /* size - 1 */
} ag_slots;

typedef struct ag_u64_count {
	uint64_t key, n;
} ag_u64_count;

typedef struct ag_u64_map {
	ag_slots s;
	ag_u64_count *v;
	size_t n, cap, last; /* last: the value counted last, for runs of one value */
} ag_u64_map;

typedef struct ag_text_count {
	const char *ptr;
	uint64_t n;
	uint32_t len;
} ag_text_count;

typedef struct ag_text_map {
	ag_slots s;
	ag_text_count *v;
	size_t n, cap, last;
} ag_text_map;

typedef struct ag_any_count {
	ag_val val;
	uint64_t n;
} ag_any_count;

typedef struct ag_any_map {
	ag_slots s;
	ag_any_count *v;
	size_t n, cap;
} ag_any_map;

/* All start zeroed. */
void ag_u64_map_release(ag_u64_map *m);
void ag_text_map_release(ag_text_map *m);
void ag_any_map_release(ag_any_map *m);

void ag_u64_map_add_slow(ag_u64_map *m, uint64_t key, uint64_t n);
/* Add n occurrences; returns the value's number. */
size_t ag_text_map_add(ag_text_map *m, const char *ptr, uint32_t len, uint64_t n);
/* Many at once, one occurrence each: their memory is asked for ahead, so the waits overlap. */
#define AG_TEXT_BATCH 64
void ag_text_map_add_many(ag_text_map *m, const ag_text_count *texts, size_t n);
/* SIZE_MAX when it was not counted. */
size_t ag_text_map_find(const ag_text_map *m, const char *ptr, uint32_t len);
void ag_any_map_add(ag_any_map *m, const ag_val *v, uint64_t n);

static inline void ag_u64_map_add(ag_u64_map *m, uint64_t key, uint64_t n)
{
	if (m->n > 0 && m->v[m->last].key == key)
		m->v[m->last].n += n;
	else
		ag_u64_map_add_slow(m, key, n);
}

/* By key as unsigned numbers, ascending. */
void ag_u64_sort(ag_u64_count *v, size_t n);

#endif
