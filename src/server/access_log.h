/* access_log -- one JSON line for each request that was answered:
 *
 *   {"time":"2026-11-26T15:04:05.678Z","request":"9c1f03a27be4d650","method":"GET","route":"/api/threads/{id}","status":200,
 *    "bytes":214,"ms":1.204,"user":"ann","from":"127.0.0.1"}
 *
 * "request" is the answer's X-Request-Id, whose end is the reference of a problem. Never in a line: an address's parameters and
 * its query, headers, bodies. A request that no route takes has "route":null. A stream has its line when it ends.
 *
 * Lines wait in memory, and a thread of the log writes them, so that no request waits for a disk. When more wait than
 * AG_ACCESS_LOG_WAITING, further ones are dropped, and a line {"time":…,"dropped":N} says how many. Thread safe. */
#ifndef AG_SERVER_ACCESS_LOG_H
#define AG_SERVER_ACCESS_LOG_H

#include "base/err.h"
#include "http/server.h"

#define AG_ACCESS_LOG_WAITING (1u << 20) /* bytes */

typedef struct ag_access_log ag_access_log;

/* path: appended to, made when it is missing; "-" = standard output.
 * errors  AG_INVALID, AG_IO: it cannot be opened; AG_UNAVAILABLE: no thread */
AG_CHECK ag_status ag_access_log_open(ag_str path, ag_access_log **ret, ag_err *err);
/* The file of that path from now on, also when another one has its name now; what waits goes there, too. After an error the log
 * goes on as before. errors  as of ag_access_log_open() */
AG_CHECK ag_status ag_access_log_reopen(ag_access_log *l, ag_str path, ag_err *err);
/* Writes what waits. Accepts NULL, returns NULL. */
ag_access_log *ag_access_log_close(ag_access_log *l);

typedef struct ag_access_line {
	const char *id;     /* of the request */
	const char *method; /* "GET" */
	const char *route;  /* its pattern; NULL = none */
	ag_str user, from;  /* "" = nobody in particular */
} ag_access_line;

void ag_access_log_add(ag_access_log *l, const ag_access_line *line, const ag_httpd_served *s);

#endif
