/* web -- the page of `argus serve`: files of web/ that the build put into the program, and what the page asks first.
 *
 * The build keeps each file of /assets/ compressed, twice ("web/assets/NAME.br", "….gz"), and index.html as it is, too. Names of
 * assets hold a hash of what is in them, so that a browser keeps them for good; index.html is asked for each time.
 *
 * An artifact is drawn in a frame, a document of its own: "web/frame/NAME.html.br", "….gz", and its policy in "web/frame/NAME.csp"
 * (web/frame/build.mjs, docs/decisions/0038). */
#ifndef AG_SERVER_WEB_H
#define AG_SERVER_WEB_H

#include "http/route.h"

/* Does a client take that coding? accept: its Accept-Encoding, "" = it did not say. */
bool ag_server_web_takes(ag_str accept, const char *coding);

/* Answers 404 with the page, which says that nothing is at this address: for a browser (Accept names text/html) at a path without a
 * route, outside /api/ and /mcp. False: it is a program, or there is no page; rp is as it was. */
bool ag_server_web_lost(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* Routes. */
void ag_server_web_page(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_web_shared(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_web_asset(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_web_frame(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
/* {"version":"…","demo":true,"user":"…","starters":["…"],"projects":[{"id":"…","name":"…"}]} */
void ag_server_web_start(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
