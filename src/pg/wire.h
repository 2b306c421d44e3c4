/* wire -- messages of PostgreSQL's protocol on a connection that libpq has made.
 *
 * libpq finds the server, speaks TLS and logs in. From then on statements bypass it: libpq stores a whole row, however large,
 * before it returns it, and reads on for as long as the server writes. This reader knows the size of a row from its first
 * five bytes, so a row above the limit is never stored, and other rows are read in place. docs/decisions/0021 says what was
 * measured.
 *
 * source   PostgreSQL manual, "Frontend/Backend Protocol", 55.2.3 (extended query) and 55.7 (message formats); version 3.0,
 *          of every server since 2003 */
#ifndef AG_PG_WIRE_H
#define AG_PG_WIRE_H

#include "base/arena.h"

/* OpenSSL's functions: load.h. */
typedef struct ag_pq_tls ag_pq_tls;

#define AG_PG_MAX_MESSAGE_BYTES (1024u * 1024) /* of anything but a row; longer ones are skipped */
#define AG_PG_MAX_SEND_BYTES    (8u * 1024 * 1024)

typedef struct ag_pg_wire {
	int fd;
	void *ssl; /* NULL = plain */
	const ag_pq_tls *tls;
	ag_buf out; /* what is to be sent; the first `nsent` bytes are */
	size_t nsent;
	char *in; /* bytes from, to: read, and not yet taken */
	size_t cap, from, to;
	size_t nskip;       /* bytes of a message that is not wanted, still to come */
	uint64_t nskipped;  /* bytes skipped since the beginning */
	bool may_have_more; /* a read filled all room, so the next read need not wait */
	bool is_closed_by_peer; /* the other side closed or reset the socket; false after a failure of the network */
} ag_pg_wire;

/* max_send_bytes: of everything that waits to be sent; above it ag_pg_flush() gives BROKEN. */
void ag_pg_wire_init(ag_pg_wire *w, int fd, void *ssl, const ag_pq_tls *tls, size_t max_send_bytes);
void ag_pg_wire_release(ag_pg_wire *w);
/* Frees the memory of large messages. */
void ag_pg_wire_trim(ag_pg_wire *w);

/* --- sending: into w->out --- */

/* types: OIDs of the first parameters; the server infers the others. */
void ag_pg_send_parse(ag_pg_wire *w, const char *name, ag_str sql, const uint32_t *types,
                      size_t ntype);
/* Parameters and results as text; a parameter without ptr is NULL. */
void ag_pg_send_bind(ag_pg_wire *w, const char *name, const ag_str *values, size_t nvalue);
void ag_pg_send_describe(ag_pg_wire *w); /* of what was bound */
void ag_pg_send_execute(ag_pg_wire *w);
void ag_pg_send_sync(ag_pg_wire *w);

typedef enum ag_pg_io { AG_PG_IO_DONE, AG_PG_IO_WAIT, AG_PG_IO_BROKEN } ag_pg_io;

/* DONE: all of w->out is sent, and it is empty. */
ag_pg_io ag_pg_flush(ag_pg_wire *w);

/* --- receiving --- */

/* Must the socket be waited for, or is there something to read already? */
bool ag_pg_must_wait(const ag_pg_wire *w);
/* One read. DONE: something came. */
ag_pg_io ag_pg_read(ag_pg_wire *w);

typedef struct ag_pg_message {
	char type;
	ag_str body;       /* valid until the next read */
	bool is_too_large; /* there is no body: it is skipped as it comes */
	size_t size;       /* announced */
} ag_pg_message;

/* The next whole message, or the beginning of one that is too large. max_row_bytes is the limit for rows ('D').
 * WAIT: more must be read; BROKEN: this is not the protocol. */
ag_pg_io ag_pg_next(ag_pg_wire *w, size_t max_row_bytes, ag_pg_message *ret);

/* --- reading bodies; false: it is not such a message --- */

typedef struct ag_pg_field {
	ag_str name; /* ends with NUL */
	uint32_t oid;
	int modifier;
} ag_pg_field;

/* RowDescription, 'T'. Names in arena. */
bool ag_pg_read_fields(ag_str body, ag_arena *arena, const ag_pg_field **ret, size_t *ret_n);
/* DataRow, 'D', of exactly n cells, which are views of body. NULL is ptr == NULL. */
bool ag_pg_read_row(ag_str body, ag_str *cell, size_t n);
/* A field of ErrorResponse, 'E': 'C' state, 'M' message, 'D' detail, 'H' hint, 'P' position. "" = not there. */
ag_str ag_pg_error_field(ag_str body, char code);

#endif
