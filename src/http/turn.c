/* One request: who may make it, how large it may be, its handler, and what is given back after its reply. */
#include <stdio.h>
#include <stdlib.h>

#include "http/parts.h"

#define BODY_MS     30000        /* for a body, and a second for each SLOWEST bytes of it */
#define SLOWEST     (64u * 1024) /* bytes a second */
#define SEND_MS     60000        /* for a reply that is ready, likewise */
#define SMALL_BODY  (64u * 1024) /* not counted, and kept for the next request */
#define BODIES      8u           /* times max_body: of all requests that are coming in */
#define REPLY_LIMIT (64u << 20)  /* bytes of a reply that is not a stream */

static int64_t transfer_ms(int64_t base, uint64_t nbyte)
{
	return base + (int64_t)(nbyte / SLOWEST) * 1000;
}

int64_t ag_http_body_ms(uint64_t n)
{
	return transfer_ms(BODY_MS, n);
}

int64_t ag_http_send_ms(uint64_t n)
{
	return transfer_ms(SEND_MS, n);
}

/* --- what handlers ask --- */

ag_str ag_httpd_header_of(const ag_httpd_request *rq, const char *name)
{
	const ag_http_turn *t = (const ag_http_turn *)rq->from;
	const ag_http_reader *r = &t->reader;
	ag_str want = ag_str_c(name), all = AG_S("");
	bool is_found = false;

	for (unsigned i = 0; i < r->nfield; i++) {
		const ag_http_field *f = &r->fields[i];
		ag_str value;

		if (f->name.len != want.len || !ag_str_ieq(ag_http_text(t->head, f->name), want))
			continue;
		value = ag_http_text(t->head, f->value);
		all = is_found ? ag_str_printf(rq->arena, "%.*s, %.*s", AG_FMT(all), AG_FMT(value))
		               : value;
		is_found = true;
	}
	return all;
}

void ag_httpd_add_header(ag_httpd_reply *rp, const char *name, ag_str value)
{
	AG_ASSERT(rp->nheader < AG_HTTPD_MAX_HEADERS);
	rp->headers[rp->nheader++] = (ag_httpd_header){ ag_str_c(name), value };
}

/* --- before the body --- */

static void refuse(ag_http_turn *t, int status, const char *name, const char *why)
{
	if (t->daemon->opts.refuse)
		t->daemon->opts.refuse(&t->rq, &t->rp, status, name, why);
	else
		ag_httpd_error(&t->rp, status, name, why);
}

/* True: the answer is in t->rp already. */
static bool answer_early(ag_http_turn *t)
{
	ag_httpd *d = t->daemon;

	if (atomic_load_explicit(&d->is_stopping, memory_order_relaxed)) {
		refuse(t, 503, "stopping", "the server is stopping");
		return true;
	}
	return d->opts.admit && !d->opts.admit(d->opts.arg, &t->rq, &t->rp);
}

bool ag_http_turn_reserve(ag_http_turn *t)
{
	ag_httpd *d = t->daemon;
	const size_t limit = d->opts.max_body > SIZE_MAX / BODIES ? SIZE_MAX
	                                                          : d->opts.max_body * BODIES;
	size_t more;

	if (t->body.cap <= SMALL_BODY || t->body.cap <= t->reserved)
		return true;
	more = t->body.cap - t->reserved;
	if (atomic_fetch_add(&d->nbody, more) + more > limit) {
		atomic_fetch_sub(&d->nbody, more);
		return false;
	}
	t->reserved = t->body.cap;
	return true;
}

static void fill(ag_http_turn *t, ag_http_conn *c)
{
	t->conn = c;
	t->rq.fd = c->fd;
	t->rq.arena = t->arena;
	t->rq.from = t;
	t->rq.server = t->daemon;
	t->rq.max_body = t->daemon->opts.max_body;
	t->rp.status = 200;
	t->began_us = t->daemon->opts.served ? ag_time_mono_us() : 0;
	ag_buf_init(&t->rp.body, REPLY_LIMIT);
}

void ag_http_turn_begin(ag_http_turn *t, ag_http_conn *c, const char *head)
{
	const ag_http_reader *r = &t->reader;

	fill(t, c);
	t->head = head;
	t->rq.method = ag_http_text(head, r->method);
	t->rq.path = ag_http_text(head, r->path);
	t->rq.query = ag_http_text(head, r->query);
	c->closes = !r->keeps_open;
	if (answer_early(t)) {
		t->is_answered = true;
		return;
	}
	if (r->length > t->rq.max_body)
		ag_http_turn_too_large(t, c);
	t->body.limit = t->rq.max_body;
}

void ag_http_turn_refuse(ag_http_turn *t, ag_http_conn *c, int status, const char *name,
                         const char *why)
{
	if (!t->conn)
		fill(t, c);
	refuse(t, status, name, why);
	t->is_answered = true;
	c->closes = c->lingers = true;
}

void ag_http_turn_too_large(ag_http_turn *t, ag_http_conn *c)
{
	char text[96];

	snprintf(text, sizeof(text), "a request may have %zu bytes", t->rq.max_body);
	ag_http_turn_refuse(t, c, 413, "too_large", text);
}

/* --- the handler, and the end --- */

void ag_http_turn_served(const ag_http_turn *t, uint64_t nbyte)
{
	const ag_httpd_opts *o = &t->daemon->opts;

	if (o->served)
		o->served(o->arg, &t->rq, &t->rp,
		          &(ag_httpd_served){ .status = t->rp.status,
		                              .nbyte = nbyte,
		                              .took_us = ag_time_mono_us() - t->began_us });
}

void ag_http_turn_handle(ag_http_turn *t)
{
	if (!t->is_answered)
		t->daemon->opts.handle(t->daemon->opts.arg, &t->rq, &t->rp);
}

ag_http_turn *ag_http_turn_new(ag_httpd *d)
{
	ag_http_turn *t = (ag_http_turn *)ag_xcalloc(1, sizeof(*t));

	t->daemon = d;
	t->arena = ag_arena_new();
	t->spool_fd = -1;
	ag_buf_init(&t->in, AG_HTTP_MAX_HEAD);
	ag_buf_init(&t->body, d->opts.max_body);
	ag_http_reader_init(&t->reader);
	ag_http_writer_init(&t->writer);
	return t;
}

ag_http_turn *ag_http_turn_take(ag_httpd *d)
{
	ag_http_turn *t = NULL;

	pthread_mutex_lock(&d->spare_lock);
	if (d->nspare)
		t = d->spare[--d->nspare];
	pthread_mutex_unlock(&d->spare_lock);
	return t ? t : ag_http_turn_new(d);
}

void ag_http_turn_give(ag_http_turn *t)
{
	ag_httpd *d = t->daemon;

	ag_http_turn_end(t);
	pthread_mutex_lock(&d->spare_lock);
	if (d->nspare < AG_HTTP_SPARE_TURNS) {
		d->spare[d->nspare++] = t;
		t = NULL;
	}
	pthread_mutex_unlock(&d->spare_lock);
	ag_http_turn_free(t);
}

void ag_http_turn_end(ag_http_turn *t)
{
	ag_http_spool_end(t);
	if (t->reserved)
		atomic_fetch_sub(&t->daemon->nbody, t->reserved);
	if (t->body.cap > SMALL_BODY)
		ag_buf_release(&t->body);
	ag_buf_clear(&t->body);
	ag_buf_clear(&t->in);
	ag_buf_release(&t->rp.body);
	if (t->rp.done)
		t->rp.done(t->rp.done_arg);
	memset(&t->rq, 0, sizeof(t->rq));
	memset(&t->rp, 0, sizeof(t->rp));
	t->reserved = 0;
	t->is_answered = false;
	t->conn = NULL;
	ag_http_reader_init(&t->reader);
	ag_arena_reset(t->arena);
}

void ag_http_turn_free(ag_http_turn *t)
{
	if (!t)
		return;
	ag_http_turn_end(t);
	ag_buf_release(&t->in);
	ag_buf_release(&t->body);
	ag_http_writer_release(&t->writer);
	free(t->in_bytes);
	ag_arena_free(t->arena);
	free(t);
}
