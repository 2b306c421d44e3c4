/* neighbours -- the other collections of a folder, as far as references to them need it: which of their fields are keys,
 * and the values of these.
 *
 * A neighbour is read when the first collection asks for it, once for all collections of the folder. Only local files of
 * at most AG_NEIGHBOUR_BYTES are; at most AG_NEIGHBOURS_MAX of them. One that cannot be read has no keys
 * (ag_neighbours_unread()). One thread at a time. */
#ifndef AG_AUDIT_NEIGHBOURS_H
#define AG_AUDIT_NEIGHBOURS_H

#include "documents/source.h"

#define AG_NEIGHBOUR_BYTES (UINT64_C(64) << 20)
#define AG_NEIGHBOURS_MAX  16

typedef struct ag_neighbour_key {
	ag_str name, path, collection;
	uint64_t *hashes; /* [n] ag_neighbour_hash() of its values, ascending */
	size_t n;
} ag_neighbour_key;

typedef struct ag_neighbours ag_neighbours;

/* places: borrowed for its life. */
ag_neighbours *ag_neighbours_new(const ag_source_place *places, size_t n);
/* Whether it would be the same if it were made of these places now: no file has come, gone or changed. */
bool ag_neighbours_fit(const ag_neighbours *n, const ag_source_place *places, size_t nplace);
/* Those of a run that is resumed, by their keys (ag_neighbours_place()). One that is not there any more counts as one that
 * could not be read. In arena; NULL where there are none.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_neighbours_again(const ag_ctx *ctx, const ag_str *keys, size_t n,
                                       ag_arena *arena, ag_neighbours **ret, ag_err *err);
void ag_neighbours_free(ag_neighbours *n);

/* The keys of all neighbours of the collection with this key (ag_source_info.key).
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_neighbours_keys(ag_neighbours *n, const ag_ctx *ctx, ag_str own,
                                      ag_arena *arena, const ag_neighbour_key ***ret, size_t *nret,
                                      ag_err *err);
/* The neighbour with index i; NULL: there are no more. n may be NULL. */
const ag_source_place *ag_neighbours_place(const ag_neighbours *n, size_t i);
/* The neighbour with index i of those that could not be read; NULL: there are no more. n may be NULL. ret_why: borrowed
 * from n. */
const ag_source_place *ag_neighbours_unread(const ag_neighbours *n, size_t i, ag_str *ret_why);
/* The same into the log, for a program without somebody to tell it. */
void ag_neighbours_log_unread(const ag_neighbours *n);
/* Texts, whole numbers and object ids; 12 and "12" are one. False: the value is no key. */
bool ag_neighbour_hash(const ag_val *v, uint64_t *ret);

#endif
