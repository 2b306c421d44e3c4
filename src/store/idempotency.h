/* idempotency -- requests that a client may send twice, and that are done once: the client's key names what it wants done, and
 * the first answer is kept for a day.
 *
 * The first process to claim a key does the work and then keeps the answer, or gives the key back when nothing was done. A key
 * whose process died in between stays claimed: whether the work was done is not known, so nobody does it again. */
#ifndef AG_STORE_IDEMPOTENCY_H
#define AG_STORE_IDEMPOTENCY_H

#include "store/store.h"

#define AG_IDEMPOTENCY_KEPT_MS  (INT64_C(24) * 3600 * 1000)
#define AG_IDEMPOTENCY_MAX_BODY 65536u /* bytes of an answer that is kept */

/* The media of an answer that was not kept. */
#define AG_IDEMPOTENCY_UNKEPT "-"

typedef struct ag_idempotency {
	ag_str key;     /* SHA-256 of the user and the client's key */
	ag_str request; /* SHA-256 of what is asked */
	ag_str claim;   /* id of the request that asks, unlike any other */
	int64_t now_ms;
} ag_idempotency;

typedef struct ag_idempotent_answer {
	bool is_claimed; /* by this request: it does the work; the rest is not set */
	bool is_same;    /* the earlier request asked for the same */
	int status;      /* HTTP status of the answer; 0 until it is known */
	ag_str media;    /* "" = it has no body */
	ag_str body;
} ag_idempotent_answer;

/* Takes the key, or says who did. Keys older than a day are forgotten on the way. Texts in arena. errors  AG_INVALID */
AG_CHECK ag_status ag_store_claim_key(ag_store *s, const ag_idempotency *i, ag_arena *arena,
                                      ag_idempotent_answer *ret, ag_err *err);
/* What the request that claimed it was answered. errors  AG_INVALID, AG_LIMIT: the body is too large, or no text */
AG_CHECK ag_status ag_store_keep_answer(ag_store *s, const ag_idempotency *i,
                                        const ag_idempotent_answer *answer, ag_err *err);
/* Nothing was done under the key: the next request may. */
AG_CHECK ag_status ag_store_drop_key(ag_store *s, const ag_idempotency *i, ag_err *err);

#endif
