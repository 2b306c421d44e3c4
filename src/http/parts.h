/* parts -- what the files of the HTTP server share: the server, its connections, a request and its reply.
 *
 * A connection belongs to nobody while it is parked: then epoll watches its socket. An event, or the guard, claims it, and
 * only its owner may touch it until it is parked again or closed (conns.c). Locks, from the outside in: a stream's, the
 * server's. */
#ifndef AG_HTTP_PARTS_H
#define AG_HTTP_PARTS_H

#include <pthread.h>
#include <sys/epoll.h>

#include "base/fiber.h"
#include "base/time.h"
#include "http/reader.h"
#include "http/server.h"
#include "http/workers.h"
#include "run/pause.h"

#define AG_HTTPD_IN_BYTES   (128u * 1024) /* read from a socket at once */
#define AG_HTTP_SPARE_TURNS 64u           /* kept for replies that are put off */

/* What a connection waits for. */
typedef enum ag_http_phase {
	AG_HTTP_LINGERING, /* for the client's end: the last reply is out */
	AG_HTTP_IDLE,      /* for the first byte of a request */
	AG_HTTP_HEADING,   /* for the rest of a head */
	AG_HTTP_BODYING,   /* for the rest of a body */
	AG_HTTP_WRITING,   /* for room in the socket */
	AG_HTTP_STREAMING, /* for a stream's writer, or room in the socket */
	AG_HTTP_WORKING,   /* for its handler */
	AG_HTTP_FREE       /* it is not open */
} ag_http_phase;

/* A reply of which a part is out. */
typedef struct ag_http_out {
	ag_buf head;
	ag_buf own;  /* the body, when it is the reply's own */
	ag_str body; /* what is sent, in `own` or borrowed */
	size_t nsent;
	void (*done)(void *arg); /* of a borrowed body; NULL = none */
	void *done_arg;
} ag_http_out;

typedef struct ag_http_turn ag_http_turn;

typedef struct ag_http_conn {
	/* Generation, and two bits: see conns.c. A report of epoll for an earlier generation is dropped, so the struct is never
	 * given back while the server runs. */
	_Atomic uint64_t state;
	_Atomic int64_t deadline_ms; /* when the guard looks at it, monotonic; 0 = never */
	_Atomic int64_t since_ms;    /* in its phase */
	atomic_uchar phase;          /* ag_http_phase; others than the owner may read it */
	bool is_active;              /* counted in the server's nactive */
	bool closes;                 /* after what is being sent */
	bool lingers;                /* then, because more may be on its way from the client */
	int fd;
	uint32_t index;          /* place in the table */
	atomic_uint events;      /* what epoll watches */
	uint32_t next_free;      /* under the server's lock */
	unsigned char peer[16];  /* address, of IPv6 its first half */
	uint32_t ndropped;       /* bytes that came while it lingers */
	ag_http_turn *turn;      /* request of which a part came; NULL = none */
	ag_http_out *out;        /* NULL = none */
	ag_httpd_stream *stream; /* NULL = none */
	ag_buf rest; /* bytes of the next request, which came before this one was answered */
} ag_http_conn;

/* The parts of a reply's head that do not change between requests; each turn keeps them. */
typedef struct ag_http_writer {
	ag_buf head;
	int64_t date_s;
	char date[40];
} ag_http_writer;

/* A request and its reply. Each worker has one; a connection keeps it while a part of its request is missing. */
struct ag_http_turn {
	ag_httpd *daemon;
	ag_http_conn *conn;
	ag_arena *arena;
	ag_http_reader reader;
	const char *head; /* the bytes that the reader's spans point into */
	ag_buf in;        /* the head, when it did not come in one piece with its body */
	ag_buf body;
	size_t reserved; /* bytes of the server's budget for bodies */
	/* spool.c: the part of the body that is in a file, -1 = none; the file as the handler reads it */
	int spool_fd;
	uint64_t spooled, spool_reserved;
	void *map;
	bool is_answered; /* rp was filled before the body came */
	int64_t began_us; /* monotonic; 0 = nobody asks */
	ag_httpd_request rq;
	ag_httpd_reply rp;
	ag_http_writer writer;
	char *in_bytes; /* the worker's bytes that it points into, while it is put off; else a spare buffer, or NULL */
};

/* What the work for one event has; it may pause on its seat (seats.c). */
typedef struct ag_http_seat {
	ag_pauser pauser; /* first */
	ag_httpd *d;
	ag_fiber *fiber; /* NULL = it cannot pause, and runs on its worker's own stack */
	ag_http_turn *turn;
	char *in; /* AG_HTTPD_IN_BYTES */
	ag_http_conn *conn;
	uint32_t events;
	uint32_t index; /* in the table */
	int fd;         /* what it pauses for; -1 = until it is called */
	ag_pause_end end;
	/* Under the lock of the seats: */
	enum { AG_HTTP_SEAT_TAKEN, AG_HTTP_SEAT_PAUSED, AG_HTTP_SEAT_READY } state;
	uint32_t npause; /* pauses so far */
	bool is_called;  /* while it did not pause */
	int64_t paused_us, ready_us;
	struct ag_http_seat *next, *prev;
} ag_http_seat;

typedef struct ag_http_seats {
	pthread_mutex_t lock;
	ag_http_seat **all; /* [0, n); those of workers, those that pause, spare ones */
	unsigned n, max;
	ag_http_seat *spare;
	ag_http_seat *first_paused, *last_paused; /* who paused first is first */
	ag_http_seat *ready, **ready_end;
	atomic_bool is_shut; /* nobody may pause */
	atomic_uint npaused; /* those that are ready among them */
	atomic_uint nready;
	atomic_uint nsocket; /* that pause for a socket */
	int kick_fd;         /* wakes a worker */
} ag_http_seats;

struct ag_httpd {
	ag_httpd_opts opts;
	unsigned port;
	bool is_loopback;
	ag_arena *arena; /* copies of the options */
	int listen_fd, epoll_fd, stop_fd;
	atomic_bool is_stopping, is_closed, is_over;
	atomic_uint nactive;       /* requests from their handler to the end of their reply */
	_Atomic size_t nbody;      /* bytes of bodies that are reserved */
	_Atomic uint64_t nspooled; /* bytes of bodies in files */
	atomic_bool is_door_armed;
	ag_http_conn *conns;        /* max_connections */
	pthread_mutex_t lock;       /* of what follows */
	pthread_cond_t wake;        /* of the guard; of who stops */
	uint32_t first_free, nused; /* conns[0, nused) were used once */
	unsigned nconn;
	bool guard_ends;
	pthread_t guard;
	ag_workers *workers;
	atomic_uint nserving;       /* workers that are at an event */
	atomic_uint nlater;         /* replies that are put off */
	pthread_mutex_t spare_lock; /* of what follows */
	ag_http_turn *spare[AG_HTTP_SPARE_TURNS];
	unsigned nspare;
	ag_http_seats seats;
};

static inline int64_t ag_httpd_now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- conns.c --- */

#define AG_HTTP_DOOR UINT64_MAX /* marks of events that are not a connection's */
#define AG_HTTP_STOP (UINT64_MAX - 1)
#define AG_HTTP_KICK (UINT64_MAX - 2)

void ag_http_conns_init(ag_httpd *d);
void ag_http_conns_release(ag_httpd *d);
/* Takes over the socket, gives up an idle connection when there are too many. False: there is no room; fd is closed. */
bool ag_http_conn_open(ag_httpd *d, int fd);
/* Closes one that is idle. False: there is none. */
bool ag_http_conn_give_up_any(ag_httpd *d);
/* The connection of an event; NULL: another thread has it, or it was closed. The caller owns it. */
ag_http_conn *ag_http_conn_claim(ag_httpd *d, uint64_t mark);
/* The same by its place; only when it is parked. */
ag_http_conn *ag_http_conn_claim_at(ag_httpd *d, uint32_t index);
/* Waits for these events; nothing of it may be touched after this. */
void ag_http_conn_park(ag_httpd *d, ag_http_conn *c, uint32_t events);
/* After ag_http_conn_claim_at(): as it was; epoll still watches it. */
void ag_http_conn_let_go(ag_httpd *d, ag_http_conn *c);
/* Other events from now on, whoever owns it. For the writer of its stream, under the stream's lock. */
void ag_http_conn_watch(ag_httpd *d, ag_http_conn *c, uint32_t events);
/* Gives back what it has, closes its socket. */
void ag_http_conn_close(ag_httpd *d, ag_http_conn *c);
/* ms: until the guard looks at it; 0 = never. */
void ag_http_conn_enter(ag_http_conn *c, ag_http_phase phase, int64_t ms);
void ag_http_conn_set_active(ag_httpd *d, ag_http_conn *c, bool is_active);
void ag_http_arm_door(ag_httpd *d);

/* --- loop.c --- */

AG_CHECK ag_status ag_http_loop_start(ag_httpd *d, ag_err *err);
void ag_http_loop_close_door(ag_httpd *d);
/* Waits for its handlers. */
void ag_http_loop_stop(ag_httpd *d);
/* A connection whose deadline has passed; owned by the caller, who is no worker. */
void ag_http_conn_late(ag_httpd *d, ag_http_conn *c);

/* The event of a seat: on its stack. */
void ag_http_serve(ag_http_seat *s);

/* --- seats.c --- */

void ag_http_seats_init(ag_http_seats *all);
/* For so many workers. False: no descriptors. */
AG_CHECK bool ag_http_seats_open(ag_httpd *d, unsigned nworker);
/* No worker is left. */
void ag_http_seats_release(ag_http_seats *all);
/* One that nobody sits on. */
ag_http_seat *ag_http_seat_take(ag_httpd *d);
void ag_http_seat_give(ag_http_seat *s);
/* Serves its event, or goes on with it. False: it pauses, and may not be touched. */
AG_CHECK bool ag_http_seat_run(ag_http_seat *s);
bool ag_http_is_seat(uint64_t mark);
/* The seat of an event, to be run and given back; NULL: its pause is over. */
ag_http_seat *ag_http_seat_claim(ag_httpd *d, uint64_t mark);
/* One that was called or has paused for too long. NULL = none. */
ag_http_seat *ag_http_seat_ready(ag_httpd *d);
/* Ends pauses that are too long, or all. True: somebody still pauses, or is ready. */
bool ag_http_seats_look(ag_httpd *d, bool is_all);

/* --- listen.c --- */

/* A listening socket. errors  AG_INVALID: host; AG_UNAVAILABLE: the port is taken; AG_DENIED: a port below 1024 */
AG_CHECK ag_status ag_httpd_listen(ag_str host, unsigned port, int *ret_fd, unsigned *ret_port,
                                   bool *ret_is_loopback, ag_err *err);

/* --- turn.c: the steps of a request --- */

ag_http_turn *ag_http_turn_new(ag_httpd *d);
void ag_http_turn_free(ag_http_turn *t); /* accepts NULL */
/* The same, of those that are kept. */
ag_http_turn *ag_http_turn_take(ag_httpd *d);
void ag_http_turn_give(ag_http_turn *t);
/* The head is in the reader, its bytes at `head`. Asks whether the request is admitted. The status of a refusal, or of an
 * answer without a body, is in t->rp then, and is_answered is set. */
void ag_http_turn_begin(ag_http_turn *t, ag_http_conn *c, const char *head);
/* Instead: an error, after which the connection closes. */
void ag_http_turn_refuse(ag_http_turn *t, ag_http_conn *c, int status, const char *name,
                         const char *why);
/* Counts the memory of t->body in the server's budget: many clients with large bodies fill the memory as one with a huge one
 * does. False: there is no room for it. */
bool ag_http_turn_reserve(ag_http_turn *t);
void ag_http_turn_too_large(ag_http_turn *t, ag_http_conn *c);
/* Tells the owner's access log. nbyte: of the body. */
void ag_http_turn_served(const ag_http_turn *t, uint64_t nbyte);
/* Calls the handler, unless it is answered. */
void ag_http_turn_handle(ag_http_turn *t);
/* Gives back everything of the request. */
void ag_http_turn_end(ag_http_turn *t);
/* For a body of n bytes that is not there yet: milliseconds until it must be. */
int64_t ag_http_body_ms(uint64_t n);

/* --- spool.c: a large body in a file --- */

typedef enum ag_http_spool {
	AG_HTTP_SPOOL_OK,
	AG_HTTP_SPOOL_BUSY,  /* opts.max_spooled */
	AG_HTTP_SPOOL_FAILED /* the disk is full, the folder is not there; it is logged */
} ag_http_spool;

/* After bytes were added to t->body: writes them to the file when there are enough of them and the request allows it. */
ag_http_spool ag_http_spool_more(ag_http_turn *t);
/* The body is whole: t->rq.body is the mapped file, if there is one. False: it cannot be read; that is logged. */
AG_CHECK bool ag_http_spool_whole(ag_http_turn *t);
/* Gives the file back. */
void ag_http_spool_end(ag_http_turn *t);

/* --- errors.c --- */

/* "Not Found"; "Status" for one that is not known here. */
const char *ag_httpd_reason(int status);

/* --- reply.c --- */

typedef enum ag_http_sent {
	AG_HTTP_SENT,    /* the whole reply is out */
	AG_HTTP_BLOCKED, /* the rest is in c->out */
	AG_HTTP_STREAMS, /* a stream goes on, and its connection was parked: it may not be touched */
	AG_HTTP_BROKEN   /* the client has gone, or nothing can be sent any more */
} ag_http_sent;

void ag_http_writer_init(ag_http_writer *w);
void ag_http_writer_release(ag_http_writer *w);
/* Sends what t->rp says. Sets c->closes. A stream is attached to the connection, which is parked when that goes on
 * (AG_HTTP_STREAMS). rest: bytes after the request, kept for the time after a stream. */
ag_http_sent ag_http_reply(ag_http_turn *t, ag_str rest);
/* The rest of c->out; given back when it is out or broken. */
ag_http_sent ag_http_reply_go_on(ag_http_conn *c);
void ag_http_out_free(ag_http_out *out); /* accepts NULL */
/* Milliseconds that n bytes may take to leave. */
int64_t ag_http_send_ms(uint64_t n);

/* --- content.c --- */

typedef enum ag_http_range { AG_HTTP_WHOLE, AG_HTTP_RANGE, AG_HTTP_NO_RANGE } ag_http_range;

/* Whether the client has the body already, or wants a part of it: sets t->rp and *body. */
void ag_http_content(ag_http_turn *t, ag_str *body);
/* A Range header. AG_HTTP_WHOLE: it is not understood, everything is sent. AG_HTTP_RANGE: [*ret_first, *ret_end) of the bytes. */
ag_http_range ag_http_range_read(ag_str text, uint64_t size, uint64_t *ret_first,
                                 uint64_t *ret_end);
/* Is the tag in an If-None-Match header? */
bool ag_http_etag_listed(ag_str list, ag_str etag);

/* --- stream.c --- */

/* The server's share of the stream goes to the connection. head: of the reply. */
void ag_http_stream_attach(ag_httpd_stream *s, ag_http_turn *t, ag_str head, bool is_chunked);
/* Sends what waits. AG_HTTP_SENT: the stream ended. AG_HTTP_STREAMS: it goes on, the connection was parked; but when its client
 * does not read and must_read is set, that is AG_HTTP_BROKEN. */
ag_http_sent ag_http_stream_send(ag_http_conn *c, bool must_read);
/* A sign of life, when nothing else waits. */
void ag_http_stream_ping(ag_http_conn *c);
/* The connection is through with it; c->stream becomes NULL. */
void ag_http_stream_detach(ag_http_conn *c, bool is_whole);

#endif
