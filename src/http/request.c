/* One request, from its first line to the end of its reply, as libmicrohttpd calls it: uri, access (once when the headers
 * are there, once for each piece of the body, once when all is there), completed. All on the connection's thread.
 *
 * The turn of a request sets the connection's deadline; the guard in server.c looks after it. */
#include <stdio.h>
#include <stdlib.h>

#include "http/server_parts.h"

#define HEAD_MS     30000        /* from the first line to the end of the headers */
#define BODY_MS     30000        /* for a body, and a second for each SLOWEST bytes of it */
#define SLOWEST     (64u * 1024) /* bytes a second */
#define SEND_MS     60000        /* for a reply that is ready, likewise */
#define SMALL_BODY  (64u * 1024) /* not counted, and kept for the next request */
#define BODIES      8u           /* times max_body: of all requests that are coming in */
#define REPLY_LIMIT (64u << 20)  /* bytes of a reply that is not a stream */
#define MAX_AGE_S   AG_S("600")  /* a browser keeps what a preflight said */
#define ALL_METHODS AG_S("GET, POST, DELETE, HEAD")

static int64_t transfer_ms(int64_t base, uint64_t nbyte)
{
	return base + (int64_t)(nbyte / SLOWEST) * 1000;
}

ag_str ag_httpd_header_of(const ag_httpd_request *rq, const char *name)
{
	const ag_httpd_conn *c = (const ag_httpd_conn *)rq->from;
	ag_str want = ag_str_c(name), all = AG_S("");
	bool is_found = false;

	for (size_t i = 0; i < c->nheader; i++) {
		const ag_httpd_header *h = &c->headers[i];

		if (h->name.len != want.len || !ag_str_ieq(h->name, want))
			continue;
		all = is_found ? ag_str_printf(rq->arena, "%.*s, %.*s", AG_FMT(all),
		                               AG_FMT(h->value))
		               : h->value;
		is_found = true;
	}
	return all;
}

static unsigned count_header(const ag_httpd_conn *c, ag_str name)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->nheader; i++)
		n += c->headers[i].name.len == name.len && ag_str_ieq(c->headers[i].name, name);
	return n;
}

void ag_httpd_add_header(ag_httpd_reply *rp, const char *name, ag_str value)
{
	AG_ASSERT(rp->nheader < AG_HTTPD_MAX_HEADERS);
	rp->headers[rp->nheader++] = (ag_httpd_header){ ag_str_c(name), value };
}

void *ag_httpd_uri(void *cls, const char *uri, struct MHD_Connection *mc)
{
	const ag_httpd *d = (const ag_httpd *)cls;
	const union MHD_ConnectionInfo *info =
		d->mhd->get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	ag_httpd_conn *c = (ag_httpd_conn *)info->socket_context;
	ag_str all = ag_str_dup(c->arena, ag_str_c(uri)), rest = all;

	/* Kept here: libmicrohttpd goes on to decode it where it stands. */
	c->rq.path = ag_str_split(&rest, '?');
	c->rq.query = rest.ptr ? rest : AG_S("");
	ag_httpd_set_deadline(c->line, HEAD_MS);
	return c;
}

static enum MHD_Result collect(void *cls, enum MHD_ValueKind kind, const char *name, size_t nname,
                               const char *value, size_t nvalue)
{
	ag_httpd_conn *c = (ag_httpd_conn *)cls;

	(void)kind;
	if (c->nheader == AG_HTTPD_MAX_REQUEST_HEADERS) {
		c->nheader++; /* one too many */
		return MHD_NO;
	}
	c->headers[c->nheader++] = (ag_httpd_header){
		ag_str_make(name, nname), ag_str_trim(ag_str_make(value ? value : "", nvalue))
	};
	return MHD_YES;
}

/* What makes a request ambiguous: two programs on its way could read it differently. */
static const char *is_malformed(ag_httpd_conn *c, const char *version)
{
	unsigned nlength = count_header(c, AG_S("Content-Length"));
	unsigned nhost = count_header(c, AG_S("Host"));

	if (nlength > 1)
		return "more than one Content-Length";
	if (nlength && count_header(c, AG_S("Transfer-Encoding")))
		return "both Content-Length and Transfer-Encoding";
	if (nhost > 1)
		return "more than one Host";
	if (nhost == 0 && strcmp(version, "HTTP/1.0") != 0)
		return "no Host";
	return NULL;
}

static bool preflight(ag_httpd_conn *c)
{
	ag_str method = ag_httpd_header_of(&c->rq, "Access-Control-Request-Method");
	ag_str headers = ag_httpd_header_of(&c->rq, "Access-Control-Request-Headers");

	if (!ag_str_eqc(c->rq.method, "OPTIONS") || method.len == 0)
		return false;
	c->rp.status = 204;
	ag_httpd_add_header(&c->rp, "Access-Control-Allow-Methods", ALL_METHODS);
	if (headers.len)
		ag_httpd_add_header(&c->rp, "Access-Control-Allow-Headers", headers);
	ag_httpd_add_header(&c->rp, "Access-Control-Max-Age", MAX_AGE_S);
	return true;
}

bool ag_httpd_answer_early(ag_httpd_conn *c)
{
	ag_httpd *d = c->daemon;
	ag_str host = ag_httpd_header_of(&c->rq, "Host");
	ag_str origin = ag_httpd_header_of(&c->rq, "Origin");
	bool is_cross = false;

	if (host.len && !ag_http_host_allowed(&d->rules, host)) {
		ag_httpd_error(&c->rp, 403, "host_not_allowed",
		               "this server does not answer to that Host");
		return true;
	}
	if (origin.len && !ag_http_origin_allowed(&d->rules, origin, host, &is_cross)) {
		ag_httpd_error(&c->rp, 403, "origin_not_allowed",
		               "pages of that Origin may not use this server");
		return true;
	}
	if (is_cross) {
		ag_httpd_add_header(&c->rp, "Access-Control-Allow-Origin", origin);
		ag_httpd_add_header(&c->rp, "Access-Control-Expose-Headers", AG_S("*"));
		ag_httpd_add_header(&c->rp, "Vary", AG_S("Origin"));
		if (preflight(c))
			return true;
	}
	if (atomic_load_explicit(&d->is_stopping, memory_order_relaxed)) {
		ag_httpd_error(&c->rp, 503, "stopping", "the server is stopping");
		ag_httpd_add_header(&c->rp, "Connection", AG_S("close"));
		return true;
	}
	return d->opts.admit && !d->opts.admit(d->opts.arg, &c->rq, &c->rp);
}

/* Room in the daemon's budget: many clients with large bodies fill the memory as one with a huge one does. */
static bool reserve(ag_httpd_conn *c, size_t n)
{
	ag_httpd *d = c->daemon;
	size_t limit = d->opts.max_body > SIZE_MAX / BODIES ? SIZE_MAX : d->opts.max_body * BODIES;

	if (n <= SMALL_BODY)
		return true;
	if (atomic_fetch_add(&d->nbody, n) > limit - n) {
		atomic_fetch_sub(&d->nbody, n);
		return false;
	}
	c->reserved = n;
	return true;
}

static enum MHD_Result refuse(ag_httpd_conn *c, int status, const char *name, const char *message)
{
	ag_httpd_refuse(c->fd, status, name, message);
	return MHD_NO;
}

static enum MHD_Result refuse_size(ag_httpd_conn *c)
{
	char text[96];

	snprintf(text, sizeof(text), "a request may have %zu bytes", c->daemon->opts.max_body);
	return refuse(c, 413, "too_large", text);
}

void ag_httpd_turn_begin(ag_httpd_conn *c, const char *method)
{
	c->is_begun = c->is_active = true;
	atomic_fetch_add_explicit(&c->daemon->nactive, 1, memory_order_relaxed);
	c->rq.method = ag_str_c(method);
	c->rq.arena = c->arena;
	c->rq.fd = c->fd;
	c->rq.from = c;
	c->rp.status = 200;
	ag_buf_init(&c->rp.body, REPLY_LIMIT);
}

void ag_httpd_expect_sent(ag_httpd_conn *c, size_t n)
{
	ag_httpd_set_deadline(c->line, transfer_ms(SEND_MS, n));
}

/* The headers are there. */
static enum MHD_Result begin(ag_httpd_conn *c, struct MHD_Connection *mc, const char *method,
                             const char *version)
{
	ag_httpd *d = c->daemon;
	const char *wrong;
	uint64_t length = 0;

	ag_httpd_turn_begin(c, method);
	d->mhd->get_connection_values_n(mc, MHD_HEADER_KIND, collect, c);
	if (c->nheader > AG_HTTPD_MAX_REQUEST_HEADERS) {
		c->nheader = 0;
		return refuse(c, 431, "too_many_headers", "a request may have 64 headers");
	}
	wrong = is_malformed(c, version);
	if (wrong)
		return refuse(c, 400, "malformed", wrong);
	if (count_header(c, AG_S("Transfer-Encoding")))
		length = d->opts.max_body;
	else if (count_header(c, AG_S("Content-Length")) &&
	         !ag_str_to_u64(ag_httpd_header_of(&c->rq, "Content-Length"), &length))
		return refuse(c, 400, "malformed", "Content-Length is no number");
	if (length > d->opts.max_body)
		return refuse_size(c);
	c->is_answered = ag_httpd_answer_early(c);
	if (!c->is_answered && !reserve(c, (size_t)length))
		return refuse(c, 503, "busy", "too many large requests at once; try again");
	ag_httpd_set_deadline(c->line, transfer_ms(BODY_MS, length));
	return MHD_YES;
}

static enum MHD_Result take(ag_httpd_conn *c, const char *bytes, size_t *n)
{
	if (!c->is_answered) {
		if (c->body.len + *n > c->daemon->opts.max_body)
			return refuse_size(c);
		ag_buf_add(&c->body, ag_str_make(bytes, *n));
	}
	*n = 0;
	return MHD_YES;
}

enum MHD_Result ag_httpd_queue(ag_httpd_conn *c, struct MHD_Connection *mc, ag_httpd_reply *rp,
                               struct MHD_Response *r)
{
	const ag_mhd *mhd = c->daemon->mhd;
	enum MHD_Result ok = MHD_YES;

	if (!r)
		return MHD_NO;
	if (rp->content_type.len)
		ok = mhd->add_response_header(r, "Content-Type",
		                              ag_str_cstr(c->arena, rp->content_type));
	for (size_t i = 0; i < rp->nheader && ok == MHD_YES; i++)
		ok = mhd->add_response_header(r, rp->headers[i].name.ptr,
		                              ag_str_cstr(c->arena, rp->headers[i].value));
	if (ok == MHD_YES)
		ok = mhd->queue_response(mc, (unsigned)rp->status, r);
	mhd->destroy_response(r); /* the connection has a share of its own */
	return ok;
}

static enum MHD_Result send_reply(ag_httpd_conn *c, struct MHD_Connection *mc)
{
	ag_httpd_reply *rp = &c->rp;
	size_t n;
	char *bytes;

	if (rp->stream)
		return ag_httpd_stream_queue(c, mc, rp);
	if (rp->body.failed)
		ag_httpd_error(rp, 500, "reply_too_large", "the reply became too large");
	n = rp->body.len;
	ag_httpd_expect_sent(c, n);
	bytes = n ? ag_buf_steal(&rp->body) : NULL;
	return ag_httpd_queue(c, mc, rp,
	                      c->daemon->mhd->create_response_from_buffer(
				      n, bytes,
				      n ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result ag_httpd_access(void *cls, struct MHD_Connection *mc, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *nupload, void **request_cls)
{
	ag_httpd_conn *c = (ag_httpd_conn *)*request_cls;

	(void)cls;
	(void)url;
	if (!c->is_begun)
		return begin(c, mc, method, version);
	if (*nupload)
		return take(c, upload, nupload);
	ag_httpd_set_deadline(c->line, 0);
	if (!c->is_answered) {
		c->rq.body = ag_buf_view(&c->body);
		c->daemon->opts.handle(c->daemon->opts.arg, &c->rq, &c->rp);
	}
	return send_reply(c, mc);
}

void ag_httpd_turn_end(ag_httpd_conn *c)
{
	ag_httpd *d = c->daemon;

	if (c->reserved)
		atomic_fetch_sub(&d->nbody, c->reserved);
	if (c->body.cap > SMALL_BODY)
		ag_buf_release(&c->body);
	ag_buf_clear(&c->body);
	ag_buf_release(&c->rp.body);
	memset(&c->rq, 0, sizeof(c->rq));
	memset(&c->rp, 0, sizeof(c->rp));
	c->reserved = 0;
	c->nheader = 0;
	c->is_begun = c->is_answered = false;
	ag_arena_reset(c->arena);
	ag_httpd_set_deadline(c->line, (int64_t)d->opts.idle_s * 1000);
	if (!c->is_active)
		return;
	c->is_active = false;
	if (atomic_fetch_sub(&d->nactive, 1) == 1 && atomic_load(&d->is_stopping)) {
		pthread_mutex_lock(&d->lock);
		pthread_cond_broadcast(&d->wake);
		pthread_mutex_unlock(&d->lock);
	}
}

void ag_httpd_completed(void *cls, struct MHD_Connection *mc, void **request_cls,
                        enum MHD_RequestTerminationCode code)
{
	ag_httpd_conn *c = (ag_httpd_conn *)*request_cls;

	(void)cls;
	(void)mc;
	(void)code;
	if (!c)
		return;
	*request_cls = NULL;
	ag_httpd_turn_end(c);
}
