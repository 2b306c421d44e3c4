/* shares -- links by which others see a conversation, an artifact or a run of a recipe: who may open one, until when, how often it
 * was opened, and the fixed copy that it shows (docs/decisions/0042).
 *
 * The address of a link holds a token of 256 random bits. The store keeps its SHA-256; the token cannot be read again. A link
 * that was revoked stays in the lists, without its copy. */
#ifndef AG_STORE_SHARES_H
#define AG_STORE_SHARES_H

#include "store/store.h"

#define AG_SHARE_ID_CHARS     16u        /* of the hash */
#define AG_SHARE_MAX_COPY     (8u << 20) /* bytes of a copy */
#define AG_SHARE_MAX_OF_THING 100u       /* links of one thing that were not revoked */
#define AG_SHARE_MAX_USERS    50u        /* named users of a link */
#define AG_SHARE_MAX_TITLE    2000u      /* bytes */

typedef struct ag_share_row {
	ag_str id, hash;      /* the id is the beginning of the hash */
	ag_str kind, thing;   /* "thread", "artifact", "recipe_run"; id */
	uint64_t version;     /* of an artifact; 0 = always the newest */
	ag_str project, user; /* user: who made the link */
	ag_str audience;      /* "public", "project", "users" */
	ag_str users;         /* of the audience "users": JSON list of names, "" = none */
	ag_str title;
	int64_t created_ms, expires_ms, revoked_ms, opened_ms; /* 0 = never */
	uint64_t nopen;
} ag_share_row;

typedef struct ag_share_copy {
	int64_t at_ms;
	uint64_t version; /* of an artifact; 0 = it has none */
	ag_str body;      /* JSON */
} ag_share_copy;

/* errors  AG_INVALID: names the field; AG_LIMIT: the thing has too many links, or the copy is too large; AG_CONFLICT: the id exists */
AG_CHECK ag_status ag_store_add_share(ag_store *s, const ag_share_row *row,
                                      const ag_share_copy *copy, ag_err *err);
/* Whatever its state. In arena. errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_share(ag_store *s, ag_str id, ag_arena *arena, ag_share_row *ret,
                                  ag_err *err);
/* errors  AG_NOT_FOUND: the link was revoked, or a purge removed what it shows */
AG_CHECK ag_status ag_store_share_copy(ag_store *s, ag_str id, ag_arena *arena, ag_share_copy *ret,
                                       ag_err *err);
/* Another copy in the place of the one that the link has. errors  AG_NOT_FOUND; AG_LIMIT */
AG_CHECK ag_status ag_store_put_share_copy(ag_store *s, ag_str id, const ag_share_copy *copy,
                                           ag_err *err);

typedef struct ag_share_question {
	ag_str project;
	ag_str kind, thing; /* "" = of all things */
	ag_str user;        /* "" = made by anybody */
	int64_t before_ms;  /* made before that; 0 = now */
	ag_str before_id;   /* of those made at before_ms: below that id */
	size_t limit;
} ag_share_question;

/* Newest first, also those that are good no more. In arena. */
AG_CHECK ag_status ag_store_shares(ag_store *s, const ag_share_question *q, ag_arena *arena,
                                   ag_share_row **ret, size_t *nret, ag_err *err);
/* Counts an opening. errors  AG_NOT_FOUND: it was revoked meanwhile */
AG_CHECK ag_status ag_store_open_share(ag_store *s, ag_str id, int64_t at_ms, ag_err *err);
/* For ever, and removes its copy. One that was revoked before stays as it is. errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_revoke_share(ag_store *s, ag_str id, int64_t at_ms, ag_err *err);
/* The same for all links of a thing. */
AG_CHECK ag_status ag_store_revoke_shares(ag_store *s, ag_str project, ag_str kind, ag_str thing,
                                          int64_t at_ms, ag_err *err);

#endif
