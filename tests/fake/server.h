/* server -- connections, timers and the log of the fake model server. One thread, one epoll. */
#ifndef FAKE_SERVER_H
#define FAKE_SERVER_H

#include "reply.h"

typedef struct fm_conn fm_conn;

/* What is due when; a binary heap, earliest first. Each connection knows its place in it. */
typedef struct fm_timers {
	fm_conn **heap;
	size_t n, cap;
} fm_timers;

typedef struct fm_server {
	int listen_fd, epoll_fd, stop_fd,
		log_fd; /* stop_fd: readable when it shall end; log_fd -1 = none */
	unsigned port;
	uint64_t seed;
	const char *script_file;
	fm_script *script;
	uint64_t nrequest, nopen; /* requests so far, connections now */
	fm_timers timers;
	fm_conn *open;     /* all connections */
	ag_arena *scratch; /* of one request */
	ag_buf line;       /* of the log */
	bool is_log_broken;
} fm_server;

typedef enum fm_phase {
	FM_PHASE_READ, /* a request comes in */
	FM_PHASE_SEND, /* its answer goes out */
	FM_PHASE_HANG  /* nothing more is sent until the client leaves */
} fm_phase;

struct fm_conn {
	int fd;
	fm_phase phase;
	fm_http http;
	/* the answer */
	uint64_t n; /* number of its request */
	fm_reply reply;
	ag_buf out; /* framed, being written */
	size_t out_at;
	size_t at, limit; /* of the body: framed so far, and where the answer ends */
	size_t next_end;  /* index into reply.ends */
	fm_stop stop;
	bool is_chunked, close_after, wants_write, by_event;
	unsigned piece_bytes;
	int64_t delay_ms;
	char hold[256]; /* nothing is sent until this file exists; "" = no hold */
	uint64_t sent;  /* bytes of the body that were framed and written */
	/* timer */
	int64_t due_ms; /* -1 = none */
	size_t heap_at;
	fm_conn *next, *prev;
};

/* errors  AG_IO: port, epoll */
AG_CHECK ag_status fm_server_open(fm_server *s, unsigned port, ag_err *err);
/* Serves until stop_fd is readable. */
AG_CHECK ag_status fm_server_run(fm_server *s, ag_err *err);
void fm_server_close(fm_server *s);

/* ---- answer.c: a complete request, answered. Sets up c->reply, c->out and the rest. */
void fm_answer_request(fm_server *s, fm_conn *c);
void fm_answer_bad(fm_server *s, fm_conn *c, int status, const char *why);

/* ---- log.c: one JSON line per request, written before its answer's first byte is sent. */
typedef struct fm_log_entry {
	const fm_request *request;
	int status;
	unsigned line; /* of the script, 0 = none */
	const char *chaos;
	const fm_conn *conn;
} fm_log_entry;

void fm_log_request(fm_server *s, const fm_log_entry *e);
void fm_log_left(fm_server *s, const fm_conn *c); /* the client left before the end */

/* ---- timers.c */
int64_t fm_now_ms(void);
void fm_timer_set(fm_timers *t, fm_conn *c, int64_t due_ms);
void fm_timer_clear(fm_timers *t, fm_conn *c);

#endif
