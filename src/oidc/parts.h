/* parts -- what the files of this room share among themselves; not for other rooms. */
#ifndef AG_OIDC_PARTS_H
#define AG_OIDC_PARTS_H

#include "base/signature.h"
#include "oidc/oidc.h"

#define AG_OIDC_MAX_KEYS 64u

/* --- json.c --- */

/* An object of JSON without duplicate names, which two readers could read differently. text must outlive the arena's values.
 * errors  AG_PROTOCOL, naming `what` */
AG_CHECK ag_status ag_oidc_read_json(ag_str text, const char *what, ag_arena *arena, ag_val *ret,
                                     ag_err *err);

/* --- keys.c: the keys of an issuer (RFC 7517) --- */

typedef struct ag_oidc_key {
	ag_str id; /* "" = it has none */
	ag_public_key key;
} ag_oidc_key;

typedef struct ag_oidc_keys {
	ag_oidc_key list[AG_OIDC_MAX_KEYS];
	size_t n;
} ag_oidc_keys;

/* Those of a JSON web key set that can check a signature; others are left out, more than AG_OIDC_MAX_KEYS refused. In arena.
 * errors  AG_PROTOCOL */
AG_CHECK ag_status ag_oidc_keys_read(ag_str text, ag_arena *arena, ag_oidc_keys *ret, ag_err *err);
/* The key of that id and algorithm; without an id the only one of the algorithm. NULL = none. */
const ag_oidc_key *ag_oidc_keys_find(const ag_oidc_keys *k, ag_str id, ag_signature_alg alg);

/* --- token.c: ID tokens (RFC 7515, RFC 7519, OpenID Connect Core section 3.1.3.7) --- */

typedef struct ag_oidc_token {
	ag_str key_id; /* "" = it names none */
	ag_signature_alg alg;
	ag_str text;      /* that is signed */
	ag_str signature; /* its bytes */
	ag_val claims;    /* an object; not checked */
} ag_oidc_token;

typedef struct ag_oidc_want {
	ag_str issuer, client_id, nonce;
	int64_t now_ms, skew_ms;
} ag_oidc_want;

/* Takes a token apart. Proves nothing. In arena. errors  AG_DENIED: says what is wrong */
AG_CHECK ag_status ag_oidc_token_read(ag_str text, ag_arena *arena, ag_oidc_token *ret,
                                      ag_err *err);
/* The claims of a token whose signature is good. errors  AG_DENIED: says which claim, never its value */
AG_CHECK ag_status ag_oidc_token_check(const ag_val *claims, const ag_oidc_want *want, ag_err *err);

/* --- document.c: what an issuer says about itself (OpenID Connect Discovery 1.0) --- */

typedef struct ag_oidc_document {
	ag_str authorization, token, keys,
		end_session; /* addresses; end_session "" = it has none */
	bool takes_basic;    /* the client's secret in a header; else in the body */
	bool says_issuer;    /* the parameter "iss" comes with every code */
} ag_oidc_document;

/* May a secret be sent to that address, or a browser be led there? https, or on this machine when the issuer is. */
bool ag_oidc_may_use(ag_str address, ag_str issuer, ag_arena *arena);
/* errors  AG_PROTOCOL: another issuer, an address that may not be used, no code flow */
AG_CHECK ag_status ag_oidc_document_read(ag_str text, ag_str issuer, ag_arena *arena,
                                         ag_oidc_document *ret, ag_err *err);

/* --- fetch.c --- */

/* The body of a 200 answer, in arena. form "" = GET, else POST. authorization: the header's value, "" = none.
 * errors  of ag_http_send(); AG_PROTOCOL: another status; AG_DENIED: 400 and 401 to a form, with the words of "error" */
AG_CHECK ag_status ag_oidc_fetch(const ag_ctx *ctx, ag_str url, ag_str form, ag_str authorization,
                                 ag_arena *arena, ag_str *ret, ag_err *err);
/* Adds text as a value of a form or of an address's query. */
void ag_oidc_add_escaped(ag_buf *out, ag_str text);

#endif
