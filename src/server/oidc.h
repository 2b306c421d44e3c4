/* oidc -- signing in by an OpenID Connect issuer: /api/auth/oidc. What the issuer says about a person becomes an account
 * (oidc_users.c); the session is one like any other. */
#ifndef AG_SERVER_OIDC_H
#define AG_SERVER_OIDC_H

#include "oidc/oidc.h"
#include "server/accounts.h"

#define AG_SERVER_OIDC_LOGOUT "/api/auth/oidc/logout"

/* A page of this server that a browser may be led to after a sign-in: a path with its query, never another host and never the API. */
bool ag_server_oidc_may_return(ag_str path);

/* --- oidc_users.c --- */

/* Why somebody who signed in at the issuer is not let in, as the page knows it. */
#define AG_OIDC_NO_ACCOUNT "no_account"
#define AG_OIDC_NO_NAME    "no_name"
#define AG_OIDC_NAME_TAKEN "name_taken"
#define AG_OIDC_INACTIVE   "inactive"

/* The account of the person of whom the claims are, which were checked: the one that has the subject; else, as the settings allow,
 * the one with the verified address, or a new one. Notes the sign-in, and the rights that a group gives.
 * *ret_why  NULL, or one of the above: then *ret is not set
 * errors    of the store */
AG_CHECK ag_status ag_server_oidc_user(ag_server *h, ag_store *s, const ag_val *claims,
                                       ag_arena *arena, ag_user_row *ret, const char **ret_why,
                                       ag_err *err);

/* --- oidc.c: routes --- */

void ag_server_sign_in_ways(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_oidc_login(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_oidc_callback(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_oidc_logout(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
