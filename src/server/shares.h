/* shares -- share links over HTTP: who makes, lists and revokes them, and what is shown to whoever opens one.
 *
 * A link shows a fixed copy, made as the user who made the link (docs/decisions/0042). Whoever opens a public one is nobody: the
 * route reads no cookie and no token of an account. A link that is unknown, revoked, expired, for others, or of something that
 * was deleted answers with the same 404. */
#ifndef AG_SERVER_SHARES_H
#define AG_SERVER_SHARES_H

#include "artifact/artifact.h"
#include "knowledge/recipe_run.h"
#include "server/work.h"
#include "store/shares.h"

#define AG_SHARE_TOKEN_CHARS AG_TOKEN_RANDOM_CHARS

/* --- share_copy.c --- */

/* What is shared, as its maker sees it. */
typedef struct ag_share_source {
	ag_server *h;
	ag_store *store;
	const ag_know_place *place; /* of the maker */
	ag_arena *arena;
} ag_share_source;

/* {"messages":[…],"artifacts":[…]}: all turns of a conversation that have ended, and what they drew.
 * errors  AG_LIMIT: it is too large to be shared */
AG_CHECK ag_status ag_share_copy_thread(const ag_share_source *from, const ag_id *thread,
                                        ag_str *ret, ag_err *err);
/* The same of the conversation that the steps of a run are, with "run": what was run, and with which values. */
AG_CHECK ag_status ag_share_copy_run(const ag_share_source *from, const ag_recipe_run *run,
                                     ag_str *ret, ag_err *err);
/* {"artifacts":[…]}: one, with its data as it is now.
 * errors  AG_UNAVAILABLE: its data cannot be read; AG_LIMIT */
AG_CHECK ag_status ag_share_copy_artifact(const ag_share_source *from, const ag_artifact *a,
                                          ag_str *ret, ag_err *err);

/* --- shares.c: routes of people who share --- */

void ag_server_shares_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_share_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_share_revoke(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- shared.c: routes of those who open a link --- */

/* Headers that keep the address of a link out of caches, of search engines and of other servers' logs. */
void ag_server_shared_headers(ag_httpd_reply *rp);
bool ag_server_is_share_token(ag_str text);
void ag_server_shared_public(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_shared_members(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
