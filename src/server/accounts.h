/* accounts -- the routes of people: who logs in, who there is, and what stands for them.
 *
 * A session is a token of its own kind (store/identity.h) in a cookie; a link is one that is good for choosing a password, once. */
#ifndef AG_SERVER_ACCOUNTS_H
#define AG_SERVER_ACCOUNTS_H

#include "server/parts.h"
#include "store/accounts.h"

#define AG_SERVER_LINK_MS (INT64_C(24) * 3600 * 1000) /* that a link is good for */

/* A link for the account, which exists; earlier ones are good no more. text: its token, to be shown once.
 * errors  of the store */
AG_CHECK ag_status ag_server_new_link(ag_store *s, const ag_clock *clock, ag_str user,
                                      ag_arena *arena, char text[AG_TOKEN_CHARS + 1], ag_err *err);
/* When nobody can log in as superuser: the account "admin", and a link for it. text is "" when there is somebody. */
AG_CHECK ag_status ag_server_first_link(ag_store *s, const ag_clock *clock, ag_arena *arena,
                                        char text[AG_TOKEN_CHARS + 1], ag_err *err);

/* A session of the user begins: its cookie goes to rp.
 * errors  of the store */
AG_CHECK ag_status ag_server_begin_session(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                           ag_store *s, ag_str user, ag_err *err);

/* --- sign_ins.c --- */

#define AG_SERVER_SIGN_IN "sign_in" /* as the tool of its row in the audit table */

/* A sign-in ended. user: an account, never what somebody typed in the place of one; "" = no account. way: "password", "link",
 * "issuer". refusal: NULL = he is let in, which must not happen when this fails.
 * errors  of the journal */
AG_CHECK ag_status ag_server_record_sign_in(ag_server *h, ag_httpd_request *rq, ag_str user,
                                            const char *way, const char *refusal, ag_err *err);

/* --- accounts.c: routes --- */

void ag_server_login(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_logout(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_setup(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_password(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_me(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_me_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- users.c: routes for superusers --- */

void ag_server_users_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_user_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_user_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_user_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_user_link(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- tokens.c: routes for everybody's own tokens, and for the members of a project --- */

void ag_server_tokens_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_token_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_token_revoke(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_projects_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
/* A project as lists have it, an object. */
void ag_server_project_json(ag_server *h, ag_httpd_request *rq, const ag_project *p, ag_jw *w);

/* --- projects.c: routes --- */

void ag_server_project_add(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_project_rename(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_project_remove(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- tokens.c: routes --- */

void ag_server_members_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_member_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_member_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
