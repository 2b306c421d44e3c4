/* What the access log and a trace say of a request: who asked for which route, and how it ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/span.h"
#include "server/parts.h"

/* Of a stream, which ends after its request: all texts are copies. */
typedef struct served_line {
	ag_access_log *log; /* NULL = none */
	ag_span *span;      /* the same */
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

/* --- the span of a request --- */

/* The request was dropped before there was a reply. */
static void end_span(void *arg)
{
	ag_span *span = *(ag_span **)arg;

	ag_span_fail(span, AG_S("dropped"));
	ag_span_end(span);
}

void ag_server_trace(ag_httpd_request *rq)
{
	ag_span_remote remote;
	const bool has_remote = ag_traceparent_read(ag_httpd_header_of(rq, "traceparent"), &remote);

	ag_span *span = ag_span_begin(NULL, has_remote ? &remote : NULL, AG_SPAN_SERVER,
	                              rq->method);
	ag_span **held;

	if (!span)
		return;
	ag_span_text(span, "http.request.method", rq->method);
	held = ag_new(rq->arena, ag_span *);
	*held = span;
	rq->trace = held;
	ag_arena_defer(rq->arena, end_span, held);
}

const ag_span *ag_server_span(const ag_httpd_request *rq)
{
	return rq->trace ? *(ag_span **)rq->trace : NULL;
}

static void end_served(ag_span *span, const ag_httpd_served *s)
{
	char status[12];

	ag_span_number(span, "http.response.status_code", s->status);
	ag_span_number(span, "http.response.body.size", (int64_t)s->nbyte);
	if (s->status >= 500) {
		snprintf(status, sizeof(status), "%d", s->status);
		ag_span_fail(span, ag_str_c(status));
	}
	ag_span_end(span);
}

/* "GET /api/threads/{id}": the path itself may hold what somebody typed. */
static ag_span *take_span(const ag_httpd_request *rq)
{
	ag_span *span = NULL;

	if (rq->trace) {
		span = *(ag_span **)rq->trace;
		*(ag_span **)rq->trace = NULL; /* it is no longer the request's */
	}
	if (span && rq->route) {
		ag_span_name(span, rq->method, ag_str_c(rq->route->path));
		ag_span_text(span, "http.route", ag_str_c(rq->route->path));
	}
	return span;
}

/* --- when the reply is out --- */

static void stream_served(void *arg, const ag_httpd_served *s)
{
	served_line *k = (served_line *)arg;

	if (k->log)
		add(k, s);
	end_served(k->span, s);
	free(k);
}

void ag_server_served(void *arg, const ag_httpd_request *rq, const ag_httpd_reply *rp,
                      const ag_httpd_served *s)
{
	const ag_server *h = (const ag_server *)arg;
	const ag_caller *who = rq->route && rq->route->scope ? ag_server_who(h, rq) : NULL;
	served_line line = { .log = atomic_load_explicit(&h->log, memory_order_acquire),
		             .span = take_span(rq) };

	if (!line.log && !line.span)
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
		return;
	}
	if (line.log)
		add(&line, s);
	end_served(line.span, s);
}
