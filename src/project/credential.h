/* credential -- a password on its way into the store: out of the address, encrypted, and never shown again. */
#ifndef AG_PROJECT_CREDENTIAL_H
#define AG_PROJECT_CREDENTIAL_H

#include "base/arena.h"
#include "base/err.h"

/* Takes the password out of the address of a database, from user:password@ and from password= among the parameters, in
 * plain text ("%40" is "@"); "" = there is none. What is left is as it was written. Both in arena; registered with the log.
 * errors  AG_INVALID: percent signs that are none, a NUL, a password in two places. Never quotes the address */
AG_CHECK ag_status ag_credential_take(ag_str uri, ag_arena *arena, ag_str *ret_uri,
                                      ag_str *ret_password, ag_err *err);
/* The password as the store keeps it (base/fernet.h). In arena. key: DB_CREDENTIAL_KEY, "" = none.
 * errors  AG_DENIED: there is no key (with how to make one); AG_INVALID: it is none */
AG_CHECK ag_status ag_credential_seal(ag_str key, ag_str password, int64_t wall_ms, ag_arena *arena,
                                      ag_str *ret, ag_err *err);

/* A password out of the store; project: whose it is, for messages. In arena; registered with the log.
 * errors  AG_DENIED: there is no key, or it is another one */
AG_CHECK ag_status ag_credential_open(ag_str key, ag_str sealed, ag_str project, ag_arena *arena,
                                      ag_str *ret, ag_err *err);
/* The address with its password, as the driver takes it: user:password@. In arena; the address itself when it names no
 * user. */
ag_str ag_credential_put(ag_str uri, ag_str password, ag_arena *arena);

#endif
