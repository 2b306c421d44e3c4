/* signature -- checks RS256 and ES256 signatures (RFC 7518) with OpenSSL, which is loaded on first use.
 *
 * Only verification: Argus signs nothing. Other algorithms do not exist here, so that a token cannot choose a weaker one. */
#ifndef AG_BASE_SIGNATURE_H
#define AG_BASE_SIGNATURE_H

#include "base/err.h"

typedef enum ag_signature_alg { AG_SIGNATURE_RS256, AG_SIGNATURE_ES256 } ag_signature_alg;

#define AG_RSA_MIN_BYTES 256u  /* 2048 bits: RFC 7518 section 3.3 */
#define AG_RSA_MAX_BYTES 1024u /* a larger key costs the checker, not the signer */
#define AG_P256_BYTES    32u

/* All numbers are big-endian bytes. RS256: a is the modulus, b the exponent. ES256: a and b are x and y on P-256. */
typedef struct ag_public_key {
	ag_signature_alg alg;
	ag_str a, b;
} ag_public_key;

/* Can the key be used at all: sizes, and an odd exponent of at least 3? Loads nothing. */
bool ag_public_key_is_usable(const ag_public_key *k);
/* AG_OK: the signature of text was made with the key's private half. ES256: r and s, 64 bytes.
 * errors  AG_DENIED: it was not, or the key is no key; AG_UNAVAILABLE: OpenSSL cannot be loaded */
AG_CHECK ag_status ag_signature_check(const ag_public_key *k, ag_str text, ag_str signature,
                                      ag_err *err);

#endif
