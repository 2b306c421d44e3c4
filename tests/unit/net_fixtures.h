/* net_fixtures -- a small HTTP server inside the test: real sockets on loopback, one thread per connection.
 *
 * A test gives a function that answers one request with the helpers below. A connection goes on with the next request
 * until the function sets `close`, the client leaves or the server stops. */
#ifndef AG_TESTS_NET_FIXTURES_H
#define AG_TESTS_NET_FIXTURES_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "net/http.h"

#define NET_MAX_CONNECTIONS 4096
#define NET_SECRET          "sk-very-secret-0123456789" /* the key that no message may show */

typedef struct net_server net_server;

typedef struct net_conn {
	net_server *server;
	int fd;
	unsigned number; /* from 1: the n-th connection of the server */
	char *head;      /* request line and headers, NUL-terminated */
	char *body;
	size_t nbody;
	bool close;
} net_conn;

typedef void (*net_serve_fn)(net_conn *c);

struct net_server {
	unsigned port;
	net_serve_fn serve;
	void *arg;   /* of the test */
	bool is_raw; /* serve is called once per connection, and nothing is read before */
	atomic_uint nconn, nrequest; /* accepted, read */
	atomic_uint nleft;           /* clients that left while net_wait() waited */
	/* private */
	int fd;
	atomic_bool stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_t threads[NET_MAX_CONNECTIONS];
	int fds[NET_MAX_CONNECTIONS];
};

/* serve NULL: connections are accepted and never read. */
net_server *net_start(net_serve_fn serve, void *arg);
net_server *net_start_raw(net_serve_fn serve, void *arg);
void net_stop(net_server *s); /* closes what is open; accepts NULL */

bool net_send(net_conn *c, ag_str bytes);
bool net_sends(net_conn *c, const char *text);
void net_wait(net_conn *c, int ms); /* or until the client leaves, or the server stops */
void net_reset(net_conn *c);        /* the connection ends with RST */
/* A whole answer with Content-Length. */
void net_answer(net_conn *c, const char *status, const char *headers, ag_str body);
/* "value" of a header of the request; NULL = there is none. In static memory of the thread. */
const char *net_header(const net_conn *c, const char *name);

/* A port of 127.0.0.1 where nobody listens. */
unsigned net_free_port(void);

/* A client with its memory. */
typedef struct net_client {
	ag_http *http;
	ag_arena *arena;
	ag_http_response res;
	ag_err err;
} net_client;

void net_client_open(net_client *c);
void net_client_close(net_client *c);
/* "http://127.0.0.1:PORT/PATH" in the client's arena. */
ag_str net_url(net_client *c, unsigned port, const char *path);
/* Sends, and on failure checks that no message shows NET_SECRET and that the error is whole. */
ag_status net_ask(net_client *c, const ag_ctx *ctx, ag_http_request *r);
/* GET of that path with the secret as Authorization header. */
ag_status net_get(net_client *c, unsigned port, const char *path);

int64_t net_now_ms(void);

#endif
