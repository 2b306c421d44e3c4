/* accounts -- people who log in: their passwords (hashes of base/password.h), and the tokens that stand for their browsers.
 *
 * Members, tokens and threads name a user whether or not there is an account of that name. One that is not active lets none of
 * the user's tokens in. */
#ifndef AG_STORE_ACCOUNTS_H
#define AG_STORE_ACCOUNTS_H

#include "store/identity.h"

typedef struct ag_user_row {
	ag_str name;
	ag_str password; /* its hash; "" = none, nobody can log in with one */
	ag_str project;  /* that is meant when none is named; "" = none */
	bool is_super;   /* admin of everything */
	bool is_active;
	int64_t created_ms, changed_ms, seen_ms; /* seen: the last login, 0 = never */
} ag_user_row;

/* errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_user(ag_store *s, ag_str name, ag_arena *arena, ag_user_row *ret,
                                 ag_err *err);
AG_CHECK ag_status ag_store_users(ag_store *s, ag_arena *arena, ag_user_row **ret, size_t *nret,
                                  ag_err *err);
/* errors  AG_CONFLICT: there is one of that name; AG_INVALID */
AG_CHECK ag_status ag_store_new_user(ag_store *s, const ag_user_row *u, ag_err *err);
/* All of u but created_ms. The last active superuser stays one.
 * errors  AG_NOT_FOUND; AG_CONFLICT; AG_INVALID */
AG_CHECK ag_status ag_store_change_user(ag_store *s, const ag_user_row *u, ag_err *err);
/* The account, its subjects, the user's memberships and, revoked, the user's tokens. What the user made stays.
 * errors  AG_NOT_FOUND; AG_CONFLICT: the last superuser, or the last admin of a project (named) */
AG_CHECK ag_status ag_store_drop_user(ag_store *s, ag_str name, int64_t at_ms, ag_err *err);
/* Who an account is at an OpenID Connect issuer. Neither account nor issuer is looked at here. */
typedef struct ag_subject_row {
	ag_str issuer, subject;
	ag_str user;
	int64_t created_ms;
} ag_subject_row;

/* The account of a subject. errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_subject(ag_store *s, ag_str issuer, ag_str subject, ag_arena *arena,
                                    ag_str *ret_user, ag_err *err);
/* Is the account somebody at that issuer? */
AG_CHECK ag_status ag_store_has_subject(ag_store *s, ag_str issuer, ag_str user, bool *ret,
                                        ag_err *err);
/* For good; u: a new account in the same transaction, NULL = it exists.
 * errors  AG_CONFLICT: the subject has an account, the account a subject of that issuer, or u's name is taken; AG_INVALID */
AG_CHECK ag_status ag_store_put_subject(ag_store *s, const ag_subject_row *row,
                                        const ag_user_row *u, ag_err *err);
/* Those of one kind that are not revoked; but: the id of one that stays, "" = none. */
AG_CHECK ag_status ag_store_revoke_tokens(ag_store *s, ag_str user, ag_token_kind kind, ag_str but,
                                          int64_t at_ms, ag_err *err);
/* Revokes one that was not revoked: of several who do so at once, one has success.
 * errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_spend_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err);
/* Sessions and links that were revoked or expired before then. */
AG_CHECK ag_status ag_store_sweep_tokens(ag_store *s, int64_t before_ms, ag_err *err);

#endif
