/* server_parts -- what the files of the HTTP server share: the daemon, its connections, the server's side of a stream. */
#ifndef AG_HTTP_SERVER_PARTS_H
#define AG_HTTP_SERVER_PARTS_H

#include <pthread.h>
#include <sys/types.h>

#include "base/time.h"
#include "http/mhd_load.h"
#include "http/rules.h"
#include "http/server.h"

#define AG_HTTPD_MAX_REQUEST_HEADERS 64u

/* A client's socket, as the guard sees it. It is open while it is in the daemon's list, but for those on their way. */
typedef struct ag_httpd_line {
	struct ag_httpd_line *prev, *next; /* of the daemon's list, under its lock */
	int fd;
	bool is_of_lane;        /* it is the first member of a connection of lane.c */
	bool is_on_its_way;     /* from there to libmicrohttpd, which may have closed it already */
	unsigned char peer[16]; /* its address, where peers are counted */
	/* When the guard shuts this connection, monotonic; 0 = never. It is set at each turn of a request, so that nobody can
	 * hold a thread by sending, or reading, a byte now and then. */
	_Atomic int64_t deadline_ms;
} ag_httpd_line;

/* A request and its reply. libmicrohttpd's connections have one each, the lane has one for each of its workers. */
typedef struct ag_httpd_conn {
	ag_httpd *daemon;
	ag_httpd_line *line;
	int fd;
	ag_arena *arena; /* of the request */
	ag_httpd_request rq;
	ag_httpd_reply rp;
	ag_buf body;
	size_t reserved;  /* bytes of the daemon's budget for bodies */
	bool is_begun;    /* the headers were seen */
	bool is_answered; /* rp was filled before the body came; what comes is dropped */
	bool is_active;   /* counted in the daemon's nactive */
	size_t nheader;
	ag_httpd_header headers[AG_HTTPD_MAX_REQUEST_HEADERS];
} ag_httpd_conn;

struct ag_httpd {
	const ag_mhd *mhd;
	struct MHD_Daemon *daemon;
	ag_httpd_opts opts;
	ag_http_rules rules;
	ag_arena *arena; /* copies of the options */
	int listen_fd;
	atomic_bool is_stopping;
	atomic_uint nconn, nactive; /* open; between their headers and the end of their reply */
	_Atomic size_t nbody;       /* bytes of bodies that are reserved */
	pthread_mutex_t lock;       /* conns, streams, is_over */
	pthread_cond_t wake;        /* of the guard; of who stops */
	pthread_t guard;
	bool is_over;
	ag_httpd_line *lines;
	ag_httpd_stream *streams;
	struct ag_lane *lane;
};

/* --- server.c --- */

/* Whether one more connection, of this peer, is within the limits. */
bool ag_httpd_has_room(ag_httpd *d, int fd);
void ag_httpd_line_open(ag_httpd *d, ag_httpd_line *line, int fd);
void ag_httpd_line_close(ag_httpd *d, ag_httpd_line *line); /* before the socket is closed */
/* Before libmicrohttpd gets its socket: the line, from malloc, is the daemon's now and counts in the limits until the socket
 * is opened there. Else a client that sends what is not plain on many connections at once could have more than its share. */
void ag_httpd_line_leave(ag_httpd *d, ag_httpd_line *line);
void ag_httpd_line_lost(ag_httpd *d, int fd); /* libmicrohttpd did not want it */
/* ms from now; 0 = none */
void ag_httpd_set_deadline(ag_httpd_line *line, int64_t ms);

static inline int64_t ag_httpd_now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- listen.c --- */

/* A listening socket. errors  AG_INVALID: host; AG_UNAVAILABLE: the port is taken; AG_DENIED: a port below 1024 */
AG_CHECK ag_status ag_httpd_listen(ag_str host, unsigned port, int *ret_fd, unsigned *ret_port,
                                   bool *ret_is_loopback, ag_err *err);

/* --- request.c: the steps of a request, for whoever read its headers --- */

/* With rq and the headers in place. True: the answer is in c->rp already. */
bool ag_httpd_answer_early(ag_httpd_conn *c);
void ag_httpd_turn_begin(ag_httpd_conn *c, const char *method);
/* The reply is out, or will never be. Everything of the request is given back. */
void ag_httpd_turn_end(ag_httpd_conn *c);
/* The time that n bytes may take to leave, on the connection's deadline. */
void ag_httpd_expect_sent(ag_httpd_conn *c, size_t n);

/* --- request.c: what libmicrohttpd calls --- */

enum MHD_Result ag_httpd_access(void *cls, struct MHD_Connection *mc, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *nupload, void **request_cls);
void *ag_httpd_uri(void *cls, const char *uri, struct MHD_Connection *mc);
void ag_httpd_completed(void *cls, struct MHD_Connection *mc, void **request_cls,
                        enum MHD_RequestTerminationCode code);

/* --- refuse.c --- */

/* "Not Found"; "Status" for one that is not known here. */
const char *ag_httpd_reason(int status);
/* {"error": name, "message": text} */
void ag_httpd_error(ag_httpd_reply *rp, int status, const char *name, const char *message);
/* Answers on the bare socket while the request is still coming, then lets the client finish reading: closing at once would
 * send a reset that destroys the answer on its way. The connection must be closed after it. */
void ag_httpd_refuse(int fd, int status, const char *name, const char *message);

/* --- stream.c --- */

/* The server's side. The share of the handler is taken over, also on failure (NULL): call detach when the reply is over, one
 * way or another. Adds the headers of a stream to the reply. */
ag_httpd_stream *ag_httpd_stream_attach(ag_httpd_conn *c, ag_httpd_reply *rp);
/* Waits for the writer. Bytes put into out (a sign of life among them), 0: all went out; -1: over before its end. */
ssize_t ag_httpd_stream_read(ag_httpd_stream *s, char *out, size_t max);
void ag_httpd_stream_detach(ag_httpd_stream *s);
#define AG_HTTPD_CHUNK (8u * 1024) /* bytes that go out at once */

enum MHD_Result ag_httpd_stream_queue(ag_httpd_conn *c, struct MHD_Connection *mc,
                                      ag_httpd_reply *rp);
void ag_httpd_streams_stop(ag_httpd *d); /* every stream ends as soon as it can */

/* --- lane.c --- */

typedef struct ag_lane ag_lane;

/* Takes over the listening of d->listen_fd. errors  AG_UNAVAILABLE: threads, descriptors */
AG_CHECK ag_status ag_lane_start(ag_httpd *d, ag_lane **ret, ag_err *err);
void ag_lane_close_door(ag_lane *lane); /* accepts no more */
/* Waits for its handlers, then closes what is open. Accepts NULL, returns NULL. */
ag_lane *ag_lane_stop(ag_lane *lane);

/* --- request.c, for stream.c --- */
enum MHD_Result ag_httpd_queue(ag_httpd_conn *c, struct MHD_Connection *mc, ag_httpd_reply *rp,
                               struct MHD_Response *r);

#endif
