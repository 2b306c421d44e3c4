/* mongo_scram -- the server's side of a login by SCRAM-SHA-256 (RFC 5802, RFC 7677): one user with one password.
 *
 * Messages are the payloads of saslStart and saslContinue. */
#ifndef TEST_FAKE_MONGO_SCRAM_H
#define TEST_FAKE_MONGO_SCRAM_H

#include "base/arena.h"

typedef struct mongo_scram {
	char first[512]; /* what was said so far: client-first-bare,server-first */
	char user[128];
} mongo_scram;

/* The answer to saslStart, in arena; "" when the message is none of SCRAM. *s begins anew. */
ag_str mongo_scram_first(mongo_scram *s, ag_str message, ag_arena *arena);
/* The answer to saslContinue; "" when the user is another one or the proof is wrong. */
ag_str mongo_scram_final(const mongo_scram *s, const char *user, const char *password,
                         ag_str message, ag_arena *arena);

#endif
