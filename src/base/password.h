/* password -- keeps passwords as scrypt hashes (RFC 7914), in the form that crypt(5) writes: "$7$…".
 *
 * A hash takes about 64 MiB and 150 ms of one core, so that guessing is dear; one is computed at a time. libcrypt, which does it, is
 * loaded on first use. Thread safe. */
#ifndef AG_BASE_PASSWORD_H
#define AG_BASE_PASSWORD_H

#include "base/err.h"
#include "base/str.h"

#define AG_PASSWORD_MIN  10u  /* bytes of a password */
#define AG_PASSWORD_MAX  256u /* the same */
#define AG_PASSWORD_HASH 128u /* room for a hash and its NUL */

/* errors  AG_INVALID: too short, too long, or it has a NUL; AG_UNAVAILABLE: libcrypt; AG_INTERNAL */
AG_CHECK ag_status ag_password_hash(ag_str password, char ret[AG_PASSWORD_HASH], ag_err *err);
/* Takes as long for hash "" (there is no such user, or he has no password), and says no.
 * errors  AG_UNAVAILABLE, AG_INTERNAL */
AG_CHECK ag_status ag_password_check(ag_str password, ag_str hash, bool *ret, ag_err *err);

#endif
