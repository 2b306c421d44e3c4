/* server_parts -- what the files of the HTTP server share: the daemon, its connections, the server's side of a stream. */
#ifndef AG_HTTP_SERVER_PARTS_H
#define AG_HTTP_SERVER_PARTS_H

#include <pthread.h>

#include "base/time.h"
#include "http/mhd_load.h"
#include "http/rules.h"
#include "http/server.h"

#define AG_HTTPD_MAX_REQUEST_HEADERS 64u

typedef struct ag_httpd_conn {
	struct ag_httpd_conn *prev, *next; /* of the daemon's list, under its lock */
	ag_httpd *daemon;
	int fd;
	/* When the guard shuts this connection, monotonic; 0 = never. It is set at each turn of a request, so that nobody can
	 * hold a thread by sending, or reading, a byte now and then. */
	_Atomic int64_t deadline_ms;
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
	ag_httpd_conn *conns;
	ag_httpd_stream *streams;
};

static inline int64_t ag_httpd_now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- listen.c --- */

/* A listening socket. errors  AG_INVALID: host; AG_UNAVAILABLE: the port is taken; AG_DENIED: a port below 1024 */
AG_CHECK ag_status ag_httpd_listen(ag_str host, unsigned port, int *ret_fd, unsigned *ret_port,
                                   bool *ret_is_loopback, bool *ret_is_v6, ag_err *err);

/* --- request.c: what MHD calls --- */

enum MHD_Result ag_httpd_access(void *cls, struct MHD_Connection *mc, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *nupload, void **request_cls);
void *ag_httpd_uri(void *cls, const char *uri, struct MHD_Connection *mc);
void ag_httpd_completed(void *cls, struct MHD_Connection *mc, void **request_cls,
                        enum MHD_RequestTerminationCode code);

/* --- refuse.c --- */

/* {"error": name, "message": text} */
void ag_httpd_error(ag_httpd_reply *rp, int status, const char *name, const char *message);
/* Answers on the bare socket while the request is still coming, then lets the client finish reading: closing at once would
 * send a reset that destroys the answer on its way. The connection must be closed after it. */
void ag_httpd_refuse(int fd, int status, const char *name, const char *message);

/* --- stream.c --- */

/* The server's side: queues the reply's stream. The share of the handler is taken over, also on failure. */
enum MHD_Result ag_httpd_stream_queue(ag_httpd_conn *c, struct MHD_Connection *mc,
                                      ag_httpd_reply *rp);
void ag_httpd_streams_stop(ag_httpd *d); /* every stream ends as soon as it can */

/* --- request.c, for stream.c --- */
enum MHD_Result ag_httpd_queue(ag_httpd_conn *c, struct MHD_Connection *mc, ag_httpd_reply *rp,
                               struct MHD_Response *r);

#endif
