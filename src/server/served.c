/* What the access log says of a request: who asked for which route. */
#include <stdlib.h>
#include <string.h>

#include "server/parts.h"

/* Of a stream, which ends after its request: all texts are copies. */
typedef struct served_line {
	ag_access_log *log;
	const char *route;
	char id[17], method[8], user[AG_IDENTITY_MAX_NAME + 1], from[64];
} served_line;

static void copy(char *to, size_t size, ag_str text)
{
	const size_t n = text.len < size ? text.len : size - 1;

	memcpy(to, text.ptr, n);
	to[n] = '\0';
}

static void add(const served_line *k, const ag_httpd_served *s)
{
	ag_access_log_add(k->log,
	                  &(ag_access_line){ .id = k->id,
	                                     .method = k->method,
	                                     .route = k->route,
	                                     .user = ag_str_c(k->user),
	                                     .from = ag_str_c(k->from) },
	                  s);
}

static void stream_served(void *arg, const ag_httpd_served *s)
{
	add((const served_line *)arg, s);
	free(arg);
}

void ag_server_served(void *arg, const ag_httpd_request *rq, const ag_httpd_reply *rp,
                      const ag_httpd_served *s)
{
	const ag_server *h = (const ag_server *)arg;
	const ag_caller *who = rq->route && rq->route->scope ? ag_server_who(h, rq) : NULL;
	served_line line = { .log = atomic_load_explicit(&h->log, memory_order_acquire) };

	if (!line.log)
		return;
	line.route = rq->route ? rq->route->path : NULL;
	copy(line.id, sizeof(line.id), ag_str_c(rp->id));
	copy(line.method, sizeof(line.method), rq->method);
	copy(line.user, sizeof(line.user), who ? who->user : AG_S(""));
	copy(line.from, sizeof(line.from), ag_server_peer(h, rq));
	if (rp->stream) {
		served_line *k = (served_line *)ag_xcalloc(1, sizeof(*k));

		*k = line;
		ag_httpd_stream_on_served(rp->stream, stream_served, k);
	} else {
		add(&line, s);
	}
}
