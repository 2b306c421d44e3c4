/* fernet -- secrets at rest, readable by every Fernet library that has the key.
 *
 * Token = base64url(0x80, 8 bytes time in seconds, 16 bytes IV, AES-128-CBC with PKCS7, HMAC-SHA256 of all before).
 * Key = base64url of 32 bytes: the first half signs, the second encrypts. Source: the Fernet specification. */
#ifndef AG_BASE_FERNET_H
#define AG_BASE_FERNET_H

#include "base/err.h"

#define AG_FERNET_MAX_PLAIN (1u << 20)

typedef struct ag_fernet_key {
	unsigned char sign[16], crypt[16];
} ag_fernet_key;

/* errors  AG_INVALID: not 32 bytes of base64url. Never quotes the key. */
AG_CHECK ag_status ag_fernet_key_read(ag_str text, ag_fernet_key *ret, ag_err *err);
/* A new key as text of 44 characters. errors  AG_INTERNAL: no randomness */
AG_CHECK ag_status ag_fernet_key_new(char ret[45], ag_err *err);
/* Adds the token to out. wall_ms goes into it. */
AG_CHECK ag_status ag_fernet_seal(const ag_fernet_key *key, ag_str plain, int64_t wall_ms,
                                  ag_buf *out, ag_err *err);
/* Adds the plain text to out. errors  AG_DENIED: another key, or the token was changed (one message: which of the two
 * cannot be told); AG_INVALID: no token; compares in constant time */
AG_CHECK ag_status ag_fernet_open(const ag_fernet_key *key, ag_str token, ag_buf *out, ag_err *err);

#endif
