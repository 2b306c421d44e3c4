/* identity -- projects, users, their roles, and the tokens that stand for them.
 *
 * A token is shown once, when it is made; the store keeps its SHA-256 (it has 256 random bits: no salt is needed). */
#ifndef AG_STORE_IDENTITY_H
#define AG_STORE_IDENTITY_H

#include "store/store.h"

#define AG_IDENTITY_MAX_NAME     128u   /* bytes of an id of project or user */
#define AG_IDENTITY_MAX_SETTINGS 65536u /* bytes of a project's settings */
#define AG_IDENTITY_MAX_PROJECTS 64u    /* of one token */
#define AG_IDENTITY_MAX_ROWS     10000u

typedef enum ag_role { AG_ROLE_NONE, AG_ROLE_VIEWER, AG_ROLE_ANALYST, AG_ROLE_ADMIN } ag_role;
const char *ag_role_name(ag_role r); /* "viewer"; "none" */
bool ag_role_read(ag_str text, ag_role *ret);

typedef struct ag_project_row {
	ag_str id; /* [A-Za-z0-9][A-Za-z0-9._-]*: given by the user or a UUID */
	ag_str name;
	ag_str source; /* URI without password; "" = none */
	ag_str secret; /* the password, encrypted (base/fernet.h), "" = none: never in plain text here */
	ag_str settings; /* JSON object: the fields of project/project.h */
	bool is_active;
	int64_t created_ms, changed_ms;
} ag_project_row;

typedef struct ag_member_row {
	ag_str project, user;
	ag_role role;
} ag_member_row;

typedef enum ag_token_kind {
	AG_TOKEN_BEARER,  /* of a program, in the header Authorization */
	AG_TOKEN_SESSION, /* of a browser, in a cookie */
	AG_TOKEN_LINK     /* good for choosing a password, once */
} ag_token_kind;

typedef struct ag_token_row {
	ag_str id;   /* 12 hex digits: how people name it */
	ag_str name; /* "ci", "laptop" */
	ag_str user;
	ag_str hash;            /* SHA-256 of the token, 64 hex digits */
	ag_role ceiling;        /* never more than this, whatever the user's role */
	const ag_str *projects; /* none = all that the user is a member of */
	size_t nproject;
	const ag_str *scopes; /* "sql", "audit", "ask"; none = all */
	size_t nscope;
	int64_t created_ms, expires_ms, revoked_ms, used_ms; /* 0 = never; used: to the minute */
	ag_token_kind kind;
} ag_token_row;

/* Inserted or replaced by id. errors  AG_INVALID: names the field; AG_LIMIT */
AG_CHECK ag_status ag_store_put_project(ag_store *s, const ag_project_row *p, ag_err *err);
AG_CHECK ag_status ag_store_project(ag_store *s, ag_str id, ag_arena *arena, ag_project_row *ret,
                                    ag_err *err); /* AG_NOT_FOUND */
AG_CHECK ag_status ag_store_projects(ag_store *s, ag_arena *arena, ag_project_row **ret,
                                     size_t *nret, ag_err *err);
/* With its members and objects; tokens lose it. Its audit rows stay. AG_NOT_FOUND. */
AG_CHECK ag_status ag_store_drop_project(ag_store *s, ag_str id, ag_err *err);
/* errors  AG_CONFLICT: the last admin of a project is neither removed nor made less */
AG_CHECK ag_status ag_store_put_member(ag_store *s, const ag_member_row *m, ag_err *err);
AG_CHECK ag_status ag_store_members(ag_store *s, ag_str project, ag_str user, ag_arena *arena,
                                    ag_member_row **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_store_put_token(ag_store *s, const ag_token_row *t, ag_err *err);
/* AG_NOT_FOUND also for one that is revoked or expired at now_ms. */
AG_CHECK ag_status ag_store_token_of_hash(ag_store *s, ag_str hash, int64_t now_ms, ag_arena *arena,
                                          ag_token_row *ret, ag_err *err);
AG_CHECK ag_status ag_store_tokens(ag_store *s, ag_str user, ag_arena *arena, ag_token_row **ret,
                                   size_t *nret,
                                   ag_err *err); /* "" = of everybody; bearer tokens only */
AG_CHECK ag_status ag_store_revoke_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err);
/* Another number than before when anything in the store has changed, by this handle or another, in this process or another.
 * Costs microseconds. */
AG_CHECK ag_status ag_store_version(ag_store *s, uint64_t *ret, ag_err *err);
/* Another number than before when anything in the store has changed, but by transactions of this very handle, or of its group
 * as far as they change no rights. Takes no lock and makes no system call; another thread may use the handle meanwhile. False: not known at this moment. */
AG_CHECK bool ag_store_others(ag_store *s, uint64_t *ret);
AG_CHECK ag_status ag_store_use_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err);

#endif
