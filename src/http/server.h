/* server -- the HTTP server: connections, limits, requests, replies, streams. HTTP/1.1 and 1.0; TLS is a reverse proxy's work.
 *
 * A handler may block, in a database or in a lock, without holding up other clients: a worker that is slow is replaced
 * (workers.h; docs/decisions/0018). Nothing else has a thread of its own: an idle connection, a slow reader and a stream
 * cost memory only. How many connections there may be, in all and for each peer, is a limit; when it is reached, the
 * connection that has been idle for longest is closed for the new one. Knows nothing of MCP or of agents. */
#ifndef AG_HTTP_SERVER_H
#define AG_HTTP_SERVER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

#define AG_HTTPD_MAX_HEADERS 20u /* of a reply */
#define AG_HTTPD_MAX_PARAMS  8u  /* of a route's path */

/* A handler reads JSON, asks a database, writes JSON; what needs more has threads of its own. */
#if defined(AG_HAS_ASAN) || defined(AG_HAS_TSAN)
#define AG_HTTPD_STACK_BYTES (2048u * 1024)
#else
#define AG_HTTPD_STACK_BYTES (256u * 1024)
#endif

typedef struct ag_httpd ag_httpd;
typedef struct ag_httpd_stream ag_httpd_stream;

typedef struct ag_httpd_header {
	ag_str name, value;
} ag_httpd_header;

typedef struct ag_httpd_request {
	ag_str method; /* "POST" */
	ag_str path;   /* as sent, without the query: routes compare it bytewise */
	ag_str query;
	ag_str body;     /* whole; at most max_body, else 413 before the handler */
	size_t max_body; /* admit may change it: bytes; first the limit of the server */
	bool spools; /* admit may set it: a large body goes to a file of opts.spool_folder, which the handler sees as body */
	ag_arena *arena; /* of this request */
	int fd; /* the client's socket, to see it leave (poll: POLLRDHUP); never read or write it */
	void *note;  /* the handler's own, from admit to handle; NULL at first */
	void *trace; /* the same: the span of a trace, for its owner */
	const struct ag_http_route
		*route; /* the same, for the owner of a table of routes (route.h) */
	ag_httpd_header params[AG_HTTPD_MAX_PARAMS]; /* of the route's path; names without braces */
	unsigned nparam;
	const ag_httpd *server;
	const void *from; /* the server's own */
} ag_httpd_request;

/* A header by its name in any case; "" when it is absent. Two of one name: the values joined by ", ". */
ag_str ag_httpd_header_of(const ag_httpd_request *rq, const char *name);

/* The client's address as text: "203.0.113.7", of IPv6 the network, "2001:db8:1:2::"; "" = it is gone. A proxy's, when the
 * connection comes from one. */
ag_str ag_httpd_peer(const ag_httpd_request *rq);

/* A parameter of the route's path, as it was sent (ag_http_decode); "" = there is none of that name. */
ag_str ag_httpd_param(const ag_httpd_request *rq, const char *name);

typedef struct ag_httpd_reply ag_httpd_reply;
struct ag_httpd_reply {
	int status;          /* 200 */
	ag_str content_type; /* "application/json"; "" without a body */
	ag_httpd_header
		headers[AG_HTTPD_MAX_HEADERS]; /* texts in the request's arena, or literals */
	size_t nheader;
	ag_buf body; /* taken over by the server */
	unsigned
		retry_after_s; /* the client shall wait for so long (Retry-After); 0 = nothing is said */
	/* Instead of body: bytes that are not copied. They must stay until done(arg) is called, from any thread of the server;
	 * without done they are static. */
	ag_str borrowed;
	void (*done)(void *arg);
	void *done_arg;
	/* The version of a body that GET gives: "\"1f\"", quotes included. It is sent, and a client that has it already gets
	 * 304 without the body. "" = none. */
	ag_str etag;
	bool allows_ranges; /* of a body that GET gives: the client may ask for a part of it (206, 416) */
	/* Set by a handler whose reply is ready but may not go out yet. Called when the handler has returned; from then on the
	 * request and the reply are the function's, until ag_httpd_send() gives them back, from any thread and perhaps before
	 * the function returns. The reply may be a stream. */
	void (*later)(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp);
	void *later_arg;
	ag_httpd_stream *
		stream; /* instead of a body: see below; the server takes the handler's share of it */
	char id[17];    /* the owner's name of the request, for its log; "" at first */
};

/* What there is to say about a request when its reply is out. */
typedef struct ag_httpd_served {
	int status;
	uint64_t nbyte; /* of the body; of a stream, what was sent */
	int64_t took_us; /* from its head to the reply's hand-over to the socket, or to the end of a stream */
	bool is_cut; /* a stream ended before its writer did: the client left, or the server stopped */
} ag_httpd_served;

void ag_httpd_add_header(ag_httpd_reply *rp, const char *name, ag_str value);
/* {"error": name, "message": text} */
void ag_httpd_error(ag_httpd_reply *rp, int status, const char *name, const char *message);

typedef struct ag_httpd_opts {
	ag_str host;          /* "127.0.0.1", "::1", "0.0.0.0", a name; "" = 127.0.0.1 */
	unsigned port;        /* 0 = any that is free */
	size_t max_body;      /* bytes; 0 = 8 MiB */
	uint64_t max_spooled; /* bytes of all bodies that are in files at one time; 0 = 1 GiB */
	ag_str spool_folder;  /* for large bodies; it must be there; "" = /var/tmp */
	unsigned
		max_connections; /* 0 = 2048; fewer when the process may not have as many descriptors */
	/* Of one address; 0 = half of max_connections, and no limit of its own on a loopback address. */
	unsigned max_connections_of_peer;
	unsigned idle_s;           /* a connection without a request; 0 = 75 */
	unsigned ping_ms;          /* a stream without an event; 0 = 15,000 */
	const atomic_bool *cancel; /* set: handlers should end; may be NULL */
	/* Called when the headers are there, before a byte of the body is kept: false answers with what it put into rp (401,
	 * 404, 405), so that a stranger cannot fill the memory. NULL = everybody is let in. */
	bool (*admit)(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp);
	/* Fills the reply to a request that the server itself refuses: a body that is too large or late, a stop. Its path is ""
	 * when the head could not be read. NULL = ag_httpd_error() */
	void (*refuse)(const ag_httpd_request *rq, ag_httpd_reply *rp, int status, const char *name,
	               const char *message);
	/* Called on a thread of the server, once per request that was admitted. The reply comes initialised to 200. It may block
	 * for as long as it wants, and pause (run/pause.h), after which it may be on another thread. Its stack has
	 * AG_HTTPD_STACK_BYTES. */
	void (*handle)(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp);
	/* For an access log: called once for each request when its reply goes out, also for one that was refused; it must not
	 * block. Where rp->stream is set the stream has not begun: ag_httpd_stream_on_served() says when it has ended. NULL = none */
	void (*served)(void *arg, const ag_httpd_request *rq, const ag_httpd_reply *rp,
	               const ag_httpd_served *s);
	/* Of replies that are put off: for how long the oldest has waited, in microseconds, -1 = none waits; and a function
	 * that brings them on their way. A worker calls that when nothing else is at hand. NULL: others see to it. */
	int64_t (*put_off_us)(void *arg);
	void (*settle)(void *arg);
	void *arg;
} ag_httpd_opts;

/* The reply that was put off (ag_httpd_reply.later) goes out; the request is over. */
void ag_httpd_send(ag_httpd_request *rq);

/* Listens when it returns. errors  AG_UNAVAILABLE: threads, or the port is taken (names it); AG_INVALID: host */
AG_CHECK ag_status ag_httpd_start(const ag_httpd_opts *o, ag_httpd **ret, ag_err *err);
unsigned ag_httpd_port(const ag_httpd *d);
bool ag_httpd_is_loopback(const ag_httpd *d); /* it listens on an address of this machine alone */
/* Takes no new connections, ends streams, waits up to grace_ms for handlers (set the cancel flag before), then closes.
 * Accepts NULL, returns NULL. */
ag_httpd *ag_httpd_stop(ag_httpd *d, int64_t grace_ms);

/* --- stream.c: a reply whose body is written later: server-sent events --- */

/* Two shares: the server's (given with the reply) and the writer's. What was written goes out in order; ": ping" lines
 * are sent when nothing was written for ping_ms. Thread safe. */
ag_httpd_stream *ag_httpd_stream_new(size_t max_waiting_bytes); /* 0 = 4 MiB */
/* One event: "event: <name>" (NULL = none), "id: <id>" ("" = none), data lines. False when the reader has gone, or is so
 * slow that more than max_waiting_bytes wait: then the stream is over. */
bool ag_httpd_stream_event(ag_httpd_stream *s, const char *name, ag_str id, ag_str data);
/* The same in two steps, for several events that go out together. What was added goes out with the end at the latest. */
bool ag_httpd_stream_add(ag_httpd_stream *s, const char *name, ag_str id, ag_str data);
void ag_httpd_stream_flush(ag_httpd_stream *s);
/* Milliseconds that a reader should wait before it connects again ("retry: N"). */
bool ag_httpd_stream_retry(ag_httpd_stream *s, int64_t ms);
bool ag_httpd_stream_is_gone(ag_httpd_stream *s); /* nobody reads any more */
/* Called once, from a thread of the server, when it is through with the stream: is_gone when the reader went away before
 * the end. Set it before the reply is given; it may come as soon as that is done. */
void ag_httpd_stream_on_close(ag_httpd_stream *s, void (*fn)(void *arg, bool is_gone), void *arg);
/* Called once, after that, with what was sent. */
void ag_httpd_stream_on_served(ag_httpd_stream *s, void (*fn)(void *arg, const ag_httpd_served *s),
                               void *arg);
/* No more is written: the reply ends when all has gone out. Gives up the writer's share. */
void ag_httpd_stream_end(ag_httpd_stream *s);

#endif
