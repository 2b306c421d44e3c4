/* access -- who calls, and what he may: roles, scopes, tokens, rate limits. */
#ifndef AG_PROJECT_ACCESS_H
#define AG_PROJECT_ACCESS_H

#include "base/json.h"
#include "run/ctx.h"
#include "store/identity.h"
#include "store/ledger.h"

#define AG_TOKEN_PREFIX       "argus_" /* then 43 characters of base64url: 256 random bits */
#define AG_TOKEN_RANDOM_CHARS 43u      /* without the prefix */
#define AG_TOKEN_CHARS        49u

typedef struct ag_caller_project {
	ag_str project;
	ag_role role; /* min(member's role, the token's ceiling) */
} ag_caller_project;

/* Lives in the arena it was made in. */
typedef struct ag_caller {
	ag_str user, token;                /* token: its id; "" = the local user */
	bool is_local;                     /* of the command line: admin of what was named there */
	bool has_all;                      /* local without a project named: every project */
	const ag_caller_project *projects; /* sorted by project */
	size_t nproject;
	const ag_str *scopes; /* none = all */
	size_t nscope;
	int64_t expires_ms; /* of the token, wall clock; 0 = never */
	ag_token_kind kind; /* of the token */
	bool is_super;      /* manages accounts: a superuser by a token without limits */
	ag_str home;        /* the project that is meant when none is named; "" = not chosen */
} ag_caller;

/* The local user, for the projects named on the command line (none = all). */
ag_caller ag_caller_local(const ag_str *projects, size_t n, ag_arena *arena);
/* Of a bearer token or of a session's. Notes its use, at most once a minute. Comparison is by hash.
 * errors  AG_DENIED: unknown, revoked or expired, or its user's account is not active (one message) */
AG_CHECK ag_status ag_caller_of_token(ag_store *s, ag_str token, int64_t now_ms, ag_arena *arena,
                                      ag_caller *ret, ag_err *err);
/* Of a user who was authenticated elsewhere, with all that the user may do.
 * errors  AG_DENIED: the account is not active */
AG_CHECK ag_status ag_caller_of_user(ag_store *s, ag_str user, ag_arena *arena, ag_caller *ret,
                                     ag_err *err);
ag_role ag_caller_role(const ag_caller *who, ag_str project); /* AG_ROLE_NONE: not his */
bool ag_caller_has_scope(const ag_caller *who, const char *scope);

/* The id that people name a token by: the beginning of its hash, which says nothing about it. In arena. */
ag_str ag_token_id(ag_str token, ag_arena *arena);
/* 256 random bits as base64url. errors  AG_INTERNAL: no randomness */
AG_CHECK ag_status ag_token_random(char ret[AG_TOKEN_RANDOM_CHARS + 1], ag_err *err);
/* A new token for `row`: its hash and its id (the hash's beginning) are filled, in arena; the text is shown once. */
AG_CHECK ag_status ag_token_new(ag_token_row *row, ag_arena *arena, char ret[AG_TOKEN_CHARS + 1],
                                ag_err *err);

/* One object, with the token's text when there is one, else without it. */
void ag_token_json(ag_jw *w, const ag_token_row *t, const char *text);

/* Limits of calls, shared by all processes of a store. Takes single calls while a limit is small (up to 1024), and
 * hundredths of it in advance where it is large, so that a call seldom costs a write; never lets more through than the
 * limit. Thread safe: opens its own handle of the store. */
typedef struct ag_limiter ag_limiter;
AG_CHECK ag_status ag_limiter_open(ag_str store_uri, const ag_clock *clock, ag_limiter **ret,
                                   ag_err *err);
void ag_limiter_join(ag_limiter *l, ag_store_group *group); /* before the first call */
ag_limiter *ag_limiter_close(ag_limiter *l);                /* accepts NULL, returns NULL */

typedef struct ag_limits {
	uint64_t user_minute, user_hour, user_day; /* 0 = none */
	uint64_t project_day;
} ag_limits;

typedef struct ag_limited {
	ag_str project, user;
	const ag_limits *limits;
} ag_limited;

typedef struct ag_limiter_answer {
	bool ok;
	int64_t wait_ms; /* at least 1, until the window ends; when not ok */
	ag_str what;     /* for the caller, like "60 queries a minute of ann"; when not ok */
} ag_limiter_answer;

/* May this user call now? The store failing is an error, never a yes. Texts in arena.
 * errors  of the store */
AG_CHECK ag_status ag_limiter_take(ag_limiter *l, const ag_limited *who, ag_arena *arena,
                                   ag_limiter_answer *ret, ag_err *err);

#endif
