/* neighbours -- the other collections of a folder or database, as far as references to them need it: which of their fields
 * are keys, and which values these have.
 *
 * A neighbour is read when the first collection asks for it, once for all collections beside it. Local files of at most
 * AG_NEIGHBOUR_BYTES are, and collections of the same database of a server; at most AG_NEIGHBOURS_MAX of a folder or
 * database. A collection that a server would only sample is not read: its keys are looked for in a small sample, and the
 * server itself says which values they have (ag_neighbours_have()). One that cannot be read has no keys
 * (ag_neighbours_unread()). One thread at a time. */
#ifndef AG_AUDIT_NEIGHBOURS_H
#define AG_AUDIT_NEIGHBOURS_H

#include "documents/source.h"

#define AG_NEIGHBOUR_BYTES (UINT64_C(64) << 20)
#define AG_NEIGHBOURS_MAX  16

typedef struct ag_neighbour_key {
	ag_str name, path, collection;
	uint64_t
		*hashes; /* [n] ag_neighbour_hash() of its values, ascending; none when is_sample */
	size_t n;
	bool is_sample; /* it looks like a key in a sample: ask ag_neighbours_have() */
	bool is_id;     /* "_id" */
	enum { AG_KEY_MAYBE, AG_KEY_YES, AG_KEY_NO } is_key; /* of one that is_sample */
	struct ag_neighbour *of;
} ag_neighbour_key;

typedef struct ag_neighbours ag_neighbours;

/* The collection whose references are checked. */
typedef struct ag_neighbour_ask {
	const ag_ctx *ctx;
	ag_str key;        /* ag_source_info.key */
	ag_source *source; /* pays for what its neighbours cost; NULL = nobody does */
	ag_source_opts
		limits; /* of each neighbour; its units include those that the source has spent */
} ag_neighbour_ask;

/* places: borrowed for its life. */
ag_neighbours *ag_neighbours_new(const ag_source_place *places, size_t n);
/* Whether it would be the same if it were made of these places now: no file has come, gone or changed. What a server has is
 * taken as the same for AG_NEIGHBOURS_KEPT_MS. */
#define AG_NEIGHBOURS_KEPT_MS (10 * 60 * 1000)
bool ag_neighbours_fit(const ag_neighbours *n, const ag_source_place *places, size_t nplace);
/* Those of a run that is resumed, as ag_neighbours_name() gave them. One that is not there any more counts as one that
 * could not be read. In arena; NULL where there are none.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_neighbours_again(const ag_ctx *ctx, const ag_str *keys, size_t n,
                                       ag_arena *arena, ag_neighbours **ret, ag_err *err);
void ag_neighbours_free(ag_neighbours *n);

/* The keys of all neighbours of a collection.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_neighbours_keys(ag_neighbours *n, const ag_neighbour_ask *ask,
                                      ag_arena *arena, const ag_neighbour_key ***ret, size_t *nret,
                                      ag_err *err);
/* Which of the values has the key? ret[nvalue] says so. *ret_known false: it is not known, because what looked like a key is
 * none, or because the server did not say (ag_neighbours_unread()).
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_neighbours_have(ag_neighbours *n, const ag_neighbour_ask *ask,
                                      const ag_neighbour_key *k, const ag_val *values,
                                      size_t nvalue, bool *ret, bool *ret_known, ag_err *err);
/* The same where it is known without asking: not is_sample. */
bool ag_neighbour_has(const ag_neighbour_key *k, const ag_val *v);
/* Closes what is open; it is opened again when it is needed. */
void ag_neighbours_rest(ag_neighbours *n);
/* The name of the neighbour with index i of this collection, for ag_neighbours_again(): a key of a file, an address without
 * secrets. False: there are no more. n may be NULL. */
bool ag_neighbours_name(const ag_neighbours *n, ag_str own, size_t i, ag_str *ret);
/* The neighbour with index i of those that could not be read; NULL: there are no more. n may be NULL. ret_why: borrowed
 * from n. */
const ag_source_place *ag_neighbours_unread(const ag_neighbours *n, size_t i, ag_str *ret_why);
/* The same into the log, for a program without somebody to tell it. */
void ag_neighbours_log_unread(const ag_neighbours *n);
/* Texts, whole numbers and object ids; 12 and "12" are one. False: the value is no key. */
bool ag_neighbour_hash(const ag_val *v, uint64_t *ret);

#endif
