/* sha256 -- the hash that others can check with `sha256sum`: traces and citations carry it.
 *
 * xxHash stays what identity inside Argus is made of; this one is for what leaves it. */
#ifndef AG_BASE_SHA256_H
#define AG_BASE_SHA256_H

#include "base/str.h"

typedef struct ag_sha256_hex {
	char text[65]; /* 64 hex digits, lower case, NUL-terminated */
} ag_sha256_hex;

/* source  FIPS 180-4 */
ag_sha256_hex ag_sha256(ag_str bytes);

#endif
