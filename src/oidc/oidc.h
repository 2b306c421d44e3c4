/* oidc -- who a browser's user is, as an OpenID Connect issuer says: the authorization code flow with PKCE (OpenID Connect Core
 * 1.0 section 3.1, RFC 7636), for one issuer.
 *
 * Nothing is kept between the two halves of a sign-in: state, nonce and code verifier are hashes of one secret, which only the
 * browser has, in a cookie. Somebody who sees the addresses of a sign-in cannot compute the secret, and a browser that did not begin a
 * sign-in cannot end it. The issuer's document and keys are fetched when they are needed, with limits, and kept for an hour; a
 * token that names an unknown key makes them be fetched again, at most once in AG_OIDC_REFETCH_MS.
 *
 * Tokens are signed with RS256 or ES256. Everything else is refused: "none", and HMAC, whose key would be public. */
#ifndef AG_OIDC_OIDC_H
#define AG_OIDC_OIDC_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"
#include "run/ctx.h"

#define AG_OIDC_MAX_TOKEN  (32u << 10)  /* bytes of an ID token: one with some hundred groups */
#define AG_OIDC_MAX_ANSWER (256u << 10) /* bytes of a document, of keys, of a token answer */
#define AG_OIDC_REFETCH_MS 10000
#define AG_OIDC_MAX_CODE   4096u /* bytes of a code */
#define AG_OIDC_MAX_SUB    255u  /* bytes of a subject (Core section 2) */

typedef struct ag_oidc ag_oidc;

typedef struct ag_oidc_opts {
	ag_str issuer; /* "https://login.example.com"; http only on this machine */
	ag_str client_id;
	ag_str client_secret; /* "" = a public client */
	ag_str scopes;        /* "openid email profile" */
	int64_t skew_ms;      /* that the issuer's clock may be off */
	const ag_clock *clock;
} ag_oidc_opts;

/* Asks nobody. Texts are copied. errors  AG_INVALID: the issuer's address, an empty client id */
AG_CHECK ag_status ag_oidc_new(const ag_oidc_opts *o, ag_oidc **ret, ag_err *err);
ag_oidc *ag_oidc_free(ag_oidc *p); /* accepts NULL, returns NULL */
ag_str ag_oidc_issuer(const ag_oidc *p);

/* Where the browser goes to sign in. secret: of this sign-in, at least 32 random bytes as text.
 * errors  of ag_http_send(); AG_PROTOCOL: the issuer's document is wrong (says where) */
AG_CHECK ag_status ag_oidc_begin(ag_oidc *p, const ag_ctx *ctx, ag_str redirect_uri, ag_str secret,
                                 ag_arena *arena, ag_str *ret, ag_err *err);

/* What the browser brought back. */
typedef struct ag_oidc_reply {
	ag_str code, state, issuer;  /* issuer: the parameter "iss" (RFC 9207), "" = none came */
	ag_str redirect_uri, secret; /* as the sign-in began */
} ag_oidc_reply;

/* Is the state that of the secret? In constant time. */
bool ag_oidc_is_state(ag_str state, ag_str secret);
/* A name of the sign-in, to see that it ends once; says nothing about the secret. In arena. */
ag_str ag_oidc_flow_name(ag_str secret, ag_arena *arena);
/* Exchanges the code, and checks the ID token: *ret are its claims, an object in arena. "sub" is a text of 1 to 255 bytes.
 * errors  AG_DENIED: the state, the code or the token is not good (says what); else as of ag_oidc_begin() */
AG_CHECK ag_status ag_oidc_finish(ag_oidc *p, const ag_ctx *ctx, const ag_oidc_reply *r,
                                  ag_arena *arena, ag_val *ret, ag_err *err);
/* Where a browser goes to end its session at the issuer, too; "" = the issuer has no such address.
 * errors  as of ag_oidc_begin() */
AG_CHECK ag_status ag_oidc_end(ag_oidc *p, const ag_ctx *ctx, ag_str back, ag_arena *arena,
                               ag_str *ret, ag_err *err);
/* Fetches document and keys. Returns how many keys can be used.
 * errors  as of ag_oidc_begin(); AG_PROTOCOL: no key can be used */
AG_CHECK ag_status ag_oidc_probe(ag_oidc *p, const ag_ctx *ctx, size_t *ret_nkey, ag_err *err);

/* --- what a token says --- */

/* A text, or a text in a list: is it among the claim's values? */
bool ag_oidc_has(const ag_val *claims, ag_str claim, ag_str value);
/* The address of "email" in lower case, when "email_verified" is true; else "". In arena. */
ag_str ag_oidc_verified_email(const ag_val *claims, ag_arena *arena);

#endif
