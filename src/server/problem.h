/* problem -- refusals of the API as problem+json (RFC 9457), with a reference that the log has as well; and its JSON bodies. */
#ifndef AG_SERVER_PROBLEM_H
#define AG_SERVER_PROBLEM_H

#include "base/json.h"
#include "http/server.h"
#include "query/value.h"

#define AG_SERVER_MAX_PAGE 200u /* entries of a list */

/* Gives the request an id of 16 hexadecimal digits, rp->id, for X-Request-Id and the access log. */
void ag_server_name_request(ag_httpd_reply *rp);
/* {"type":"about:blank","title":…,"status":…,"detail":…,"hint":…,"reference":"1f2e3d4c"}; hint "" = none. The reference is
 * the end of the request's id. */
void ag_server_problem(ag_httpd_reply *rp, int status, const char *detail, const char *hint);
/* The same under /api; on other paths the HTTP server's own form, {"error":name,"message":words}. */
void ag_server_refuse(const ag_httpd_request *rq, ag_httpd_reply *rp, int status, const char *name,
                      const char *words);
/* The same of an error. What the server is to blame for (500) is logged, and not shown. */
void ag_server_problem_of(ag_httpd_reply *rp, const ag_err *err);
/* The request's JSON object, in its arena, as the description of its route wants it (route_doc.h). False: rp says 400 or 415. */
bool ag_server_body(ag_httpd_request *rq, ag_httpd_reply *rp, ag_val *ret);
/* Begins the JSON object that is the reply; the caller ends it. */
void ag_server_json(ag_httpd_reply *rp, ag_jw *w);
/* How many rows a page of a list shall have: ?limit=, 1 to 200; 50. */
size_t ag_server_page(ag_httpd_request *rq);
/* A parameter of the query, decoded, in the request's arena; "" = absent. */
ag_str ag_server_query(ag_httpd_request *rq, const char *name);

#endif
