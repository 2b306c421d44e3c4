/* wire -- bytes to messages and back. Every length is checked against what is there before it is used. */
#include "pg/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "pg/load.h"

#define FIRST_BYTES     (16u * 1024)
#define KEEP_BYTES      (64u * 1024) /* of a connection that nobody uses */
#define HEADER_BYTES    5            /* type and length */
#define MAX_FIELDS      1664         /* PostgreSQL's own limit of columns in a result */
#define SSL_WANTS_READ  2
#define SSL_WANTS_WRITE 3

void ag_pg_wire_init(ag_pg_wire *w, int fd, void *ssl, const ag_pq_tls *tls, size_t max_send_bytes)
{
	*w = (ag_pg_wire){ .fd = fd, .ssl = ssl, .tls = tls };
	ag_buf_init(&w->out, max_send_bytes);
	w->in = (char *)ag_xmalloc(FIRST_BYTES);
	w->cap = FIRST_BYTES;
}

void ag_pg_wire_release(ag_pg_wire *w)
{
	ag_buf_release(&w->out);
	free(w->in);
	w->in = NULL;
}

void ag_pg_wire_trim(ag_pg_wire *w)
{
	if (w->out.cap > KEEP_BYTES && w->out.len == 0)
		ag_buf_release(&w->out);
	if (w->cap <= KEEP_BYTES || w->to > w->from)
		return;
	free(w->in);
	w->in = (char *)ag_xmalloc(FIRST_BYTES);
	w->cap = FIRST_BYTES;
	w->from = w->to = 0;
}

/* --- sending --- */

static void put16(ag_buf *out, size_t v)
{
	ag_buf_addc(out, (char)(v >> 8));
	ag_buf_addc(out, (char)v);
}

static void put32(ag_buf *out, size_t v)
{
	put16(out, v >> 16 & 0xFFFF);
	put16(out, v & 0xFFFF);
}

static void put_text(ag_buf *out, const char *text)
{
	ag_buf_add(out, ag_str_make(text, strlen(text) + 1));
}

static size_t begin(ag_pg_wire *w, char type)
{
	ag_buf_addc(&w->out, type);
	put32(&w->out, 0);
	return w->out.len - 4;
}

static void end(ag_pg_wire *w, size_t at)
{
	size_t n = w->out.len - at;

	if (w->out.failed)
		return;
	for (size_t i = 0; i < 4; i++)
		w->out.ptr[at + i] = (char)(n >> (24 - 8 * i));
}

void ag_pg_send_parse(ag_pg_wire *w, const char *name, ag_str sql, const uint32_t *types,
                      size_t ntype)
{
	size_t at = begin(w, 'P');

	put_text(&w->out, name);
	ag_buf_add(&w->out, sql);
	ag_buf_addc(&w->out, '\0');
	put16(&w->out, ntype);
	for (size_t i = 0; i < ntype; i++)
		put32(&w->out, types[i]);
	end(w, at);
}

void ag_pg_send_bind(ag_pg_wire *w, const char *name, const ag_str *values, size_t nvalue)
{
	size_t at = begin(w, 'B');

	put_text(&w->out, "");
	put_text(&w->out, name);
	put16(&w->out, 0);
	put16(&w->out, nvalue);
	for (size_t i = 0; i < nvalue; i++) {
		put32(&w->out, values[i].ptr ? values[i].len : UINT32_MAX);
		ag_buf_add(&w->out, values[i]);
	}
	put16(&w->out, 0);
	end(w, at);
}

void ag_pg_send_describe(ag_pg_wire *w)
{
	size_t at = begin(w, 'D');

	ag_buf_addc(&w->out, 'P');
	put_text(&w->out, "");
	end(w, at);
}

void ag_pg_send_execute(ag_pg_wire *w)
{
	size_t at = begin(w, 'E');

	put_text(&w->out, "");
	put32(&w->out, 0); /* all rows: with a row limit the server does not use parallel plans */
	end(w, at);
}

void ag_pg_send_sync(ag_pg_wire *w)
{
	end(w, begin(w, 'S'));
}

/* --- the socket --- */

/* A time-out of the network proves nothing about the other side. */
static void note_end(ag_pg_wire *w, bool has_error)
{
	w->is_closed_by_peer = !has_error || errno == ECONNRESET || errno == EPIPE || errno == 0;
}

static ag_pg_io tls_result(ag_pg_wire *w, int rc, size_t *ret_n)
{
	int why;

	if (rc > 0) {
		*ret_n = (size_t)rc;
		return AG_PG_IO_DONE;
	}
	why = w->tls->get_error(w->ssl, rc);
	if (why == SSL_WANTS_READ || why == SSL_WANTS_WRITE)
		return AG_PG_IO_WAIT;
	note_end(w, true);
	return AG_PG_IO_BROKEN;
}

static ag_pg_io plain_result(ag_pg_wire *w, ssize_t rc, size_t *ret_n)
{
	if (rc > 0) {
		*ret_n = (size_t)rc;
		return AG_PG_IO_DONE;
	}
	if (rc < 0 && (errno == EAGAIN || errno == EINTR))
		return AG_PG_IO_WAIT;
	note_end(w, rc < 0);
	return AG_PG_IO_BROKEN;
}

ag_pg_io ag_pg_flush(ag_pg_wire *w)
{
	if (w->out.failed)
		return AG_PG_IO_BROKEN;
	while (w->nsent < w->out.len) {
		const char *from = w->out.ptr + w->nsent;
		size_t n = w->out.len - w->nsent;
		ag_pg_io io;

		if (w->ssl) {
			w->tls->clear_errors(); /* errors that other users left on this thread */
			errno = 0;
			io = tls_result(w, w->tls->write(w->ssl, from, (int)n), &n);
		} else {
			io = plain_result(w, send(w->fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT), &n);
		}
		if (io != AG_PG_IO_DONE)
			return io;
		w->nsent += n;
	}
	ag_buf_clear(&w->out);
	w->nsent = 0;
	return AG_PG_IO_DONE;
}

bool ag_pg_must_wait(const ag_pg_wire *w)
{
	return !w->may_have_more && !(w->ssl && w->tls->pending(w->ssl) > 0);
}

static void skip(ag_pg_wire *w)
{
	size_t n = w->to - w->from;

	n = n < w->nskip ? n : w->nskip;
	w->from += n;
	w->nskip -= n;
	w->nskipped += n;
}

ag_pg_io ag_pg_read(ag_pg_wire *w)
{
	size_t room, n = 0;
	ag_pg_io io;

	if (w->from > 0) {
		memmove(w->in, w->in + w->from, w->to - w->from);
		w->to -= w->from;
		w->from = 0;
	}
	room = w->cap -
	       w->to; /* never 0: ag_pg_next() makes room for the message that it waits for */
	if (w->ssl) {
		w->tls->clear_errors();
		errno = 0;
		io = tls_result(w, w->tls->read(w->ssl, w->in + w->to, (int)room), &n);
	} else {
		io = plain_result(w, recv(w->fd, w->in + w->to, room, MSG_DONTWAIT), &n);
	}
	w->may_have_more = io == AG_PG_IO_DONE && n == room;
	w->to += n;
	skip(w);
	return io;
}

static uint32_t get32(const char *at)
{
	const unsigned char *u = (const unsigned char *)at;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

static unsigned get16(const char *at)
{
	const unsigned char *u = (const unsigned char *)at;

	return (unsigned)u[0] << 8 | u[1];
}

static void make_room(ag_pg_wire *w, size_t need)
{
	size_t cap = w->cap;

	while (cap < need)
		cap *= 2;
	if (cap == w->cap)
		return;
	w->in = (char *)ag_xrealloc(w->in, cap);
	w->cap = cap;
}

ag_pg_io ag_pg_next(ag_pg_wire *w, size_t max_row_bytes, ag_pg_message *ret)
{
	size_t size, has = w->to - w->from;

	if (w->nskip > 0 || has < HEADER_BYTES)
		return AG_PG_IO_WAIT;
	size = get32(w->in + w->from + 1);
	if (size < 4)
		return AG_PG_IO_BROKEN;
	*ret = (ag_pg_message){ .type = w->in[w->from], .body = AG_S(""), .size = size - 4 };
	if (ret->size > (ret->type == 'D' ? max_row_bytes : AG_PG_MAX_MESSAGE_BYTES)) {
		ret->is_too_large = true;
		w->nskip = 1 + size;
		skip(w);
		return AG_PG_IO_DONE;
	}
	if (has < 1 + size) {
		make_room(w, 1 + size + HEADER_BYTES);
		return AG_PG_IO_WAIT;
	}
	ret->body = ag_str_make(w->in + w->from + HEADER_BYTES, ret->size);
	w->from += 1 + size;
	return AG_PG_IO_DONE;
}

/* --- bodies --- */

bool ag_pg_read_fields(ag_str body, ag_arena *arena, const ag_pg_field **ret, size_t *ret_n)
{
	const char *at = body.ptr, *last = body.ptr + body.len;
	ag_pg_field *field;
	size_t n;

	if (body.len < 2)
		return false;
	n = get16(at);
	at += 2;
	if (n > MAX_FIELDS)
		return false;
	field = ag_new_n(arena, ag_pg_field, n);
	for (size_t i = 0; i < n; i++) {
		const char *nul = at < last ? (const char *)memchr(at, '\0', (size_t)(last - at))
		                            : NULL;

		/* table 4, column 2, type 4, size 2, modifier 4, format 2 */
		if (!nul || last - nul - 1 < 18)
			return false;
		field[i].name = ag_str_dup(arena, ag_str_make(at, (size_t)(nul - at)));
		field[i].oid = get32(nul + 7);
		field[i].modifier = (int)get32(nul + 13);
		at = nul + 19;
	}
	*ret = field;
	*ret_n = n;
	return at == last;
}

bool ag_pg_read_row(ag_str body, ag_str *cell, size_t n)
{
	const char *at = body.ptr, *last = body.ptr + body.len;

	if (body.len < 2 || get16(at) != n)
		return false;
	at += 2;
	for (size_t i = 0; i < n; i++) {
		uint32_t size;

		if (last - at < 4)
			return false;
		size = get32(at);
		at += 4;
		if (size == UINT32_MAX) {
			cell[i] = ag_str_make(NULL, 0);
			continue;
		}
		if (size > (size_t)(last - at))
			return false;
		cell[i] = ag_str_make(at, size);
		at += size;
	}
	return at == last;
}

ag_str ag_pg_error_field(ag_str body, char code)
{
	const char *at = body.ptr, *last = body.ptr + body.len;

	while (at < last && *at) {
		char is = *at++;
		const char *nul = (const char *)memchr(at, '\0', (size_t)(last - at));

		if (!nul)
			break;
		if (is == code)
			return ag_str_make(at, (size_t)(nul - at));
		at = nul + 1;
	}
	return AG_S("");
}
