/* route -- what a server answers: rows of method, path and handler, and how a request finds its row.
 *
 * The owner of a table (server/) gives it to its `admit` and `handle`. To add a route: a row and its function. */
#ifndef AG_HTTP_ROUTE_H
#define AG_HTTP_ROUTE_H

#include "http/server.h"

#define AG_HTTP_MAX_ALLOW 128u

typedef struct ag_http_route {
	const char *methods; /* "GET, HEAD" */
	/* "/projects/{id}/runs": {id} is one segment of any bytes, at least one. "{rest...}" at the end is what follows,
	 * slashes included. Compared bytewise as the client sent it: nothing is decoded, "//" and "." have no meaning. */
	const char *path;
	/* What the caller must be allowed to do, for the table's owner. NULL = everybody may come, without a token. "" = a
	 * caller that may do anything at all. */
	const char *scope;
	size_t max_body; /* bytes; a large body waits in a file (server.h). 0 = the server's limit, in memory */
	const struct ag_route_doc *
		doc; /* what it takes and returns, for the table's owner; NULL = it is not described */
	/* One of the two. handle fills the reply. stream gets the writer's share of a stream that is the reply; it must not
	 * write it to its end before it returns, and owns it. */
	void (*handle)(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
	void (*stream)(void *env, ag_httpd_request *rq, ag_httpd_stream *s);
} ag_http_route;

/* The row of the request; its parameters go to rq. NULL: there is no such path (ret_allow is ""), or it has no such method
 * (ret_allow lists those that it has). */
const ag_http_route *ag_http_route_find(const ag_http_route *rows, size_t n, ag_httpd_request *rq,
                                        char ret_allow[AG_HTTP_MAX_ALLOW]);
/* Calls the row's function. */
void ag_http_route_run(const ag_http_route *row, void *env, ag_httpd_request *rq,
                       ag_httpd_reply *rp);

/* "%2F" as it is meant, in arena. False: a "%" without two hexadecimal digits, or a NUL. */
bool ag_http_decode(ag_arena *arena, ag_str text, ag_str *ret);

#endif
