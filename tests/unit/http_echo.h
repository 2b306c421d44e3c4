/* http_echo -- a server for tests of src/http: its handler says what it saw, waits, or streams, as the path asks. */
#ifndef AG_TESTS_HTTP_ECHO_H
#define AG_TESTS_HTTP_ECHO_H

#include <pthread.h>
#include <stdatomic.h>

#include "http/server.h"
#include "http_raw.h"

typedef struct echo {
	ag_httpd *d;
	unsigned port;
	atomic_uint ncall;   /* of the handler */
	atomic_uint ngone;   /* readers of streams that left */
	atomic_uint nclosed; /* streams that the server is through with */
	atomic_uint nwriter; /* threads that write a stream */
	atomic_uint nleft;   /* clients that a handler saw leave */
	atomic_bool cancel;
	size_t max_waiting; /* of a stream */
	atomic_uint nkept;
	ag_httpd_stream *kept[1024]; /* streams that nobody writes */
} echo;

typedef struct echo_writer {
	echo *e;
	ag_httpd_stream *stream;
	ag_str kind;
	char text[64];
} echo_writer;

static void echo_gone(void *arg, bool is_gone)
{
	atomic_fetch_add(&((echo *)arg)->ngone, is_gone);
	atomic_fetch_add(&((echo *)arg)->nclosed, 1);
}

/* "/stream/three": three events; "/stream/long": one each 20 ms until the reader leaves; "/stream/flood": as fast as it can;
 * "/stream/quiet": none. */
static void *echo_write(void *arg)
{
	echo_writer *w = (echo_writer *)arg;
	echo *e = w->e;

	if (strcmp(w->text, "/stream/three") == 0) {
		ag_httpd_stream_retry(w->stream, 50);
		ag_httpd_stream_event(w->stream, NULL, AG_S("a-1"), AG_S("one"));
		usleep(30000);
		ag_httpd_stream_event(w->stream, "second", AG_S("a-2\nid: evil"),
		                      AG_S("two\r\nlines"));
		ag_httpd_stream_event(w->stream, NULL, AG_S(""), AG_S(""));
	} else if (strcmp(w->text, "/stream/flood") == 0) {
		static const char much[4000] = { [0 ... 3998] = 'x' };

		while (ag_httpd_stream_event(w->stream, NULL, AG_S(""), ag_str_c(much)))
			continue;
	} else {
		bool is_quiet = strcmp(w->text, "/stream/quiet") == 0;

		for (unsigned i = 0; !ag_httpd_stream_is_gone(w->stream); i++) {
			char text[32];

			snprintf(text, sizeof(text), "tick %u", i);
			if (!is_quiet &&
			    !ag_httpd_stream_event(w->stream, NULL, AG_S(""), ag_str_c(text)))
				break;
			usleep(20000);
		}
	}
	ag_httpd_stream_end(w->stream);
	atomic_fetch_sub(&e->nwriter, 1);
	free(w);
	return NULL;
}

/* One event, and then nothing until the server stops: no thread writes it. */
static void echo_keep(echo *e, ag_httpd_reply *rp)
{
	unsigned i = atomic_fetch_add(&e->nkept, 1);

	rp->stream = ag_httpd_stream_new(0);
	if (i >= AG_NELEM(e->kept))
		abort();
	e->kept[i] = rp->stream;
	ag_httpd_stream_event(rp->stream, NULL, AG_S(""), AG_S("kept"));
}

static void echo_stream(echo *e, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	echo_writer *w;
	pthread_t t;

	if (ag_str_eqc(rq->path, "/stream/kept")) {
		echo_keep(e, rp);
		return;
	}
	w = (echo_writer *)ag_xcalloc(1, sizeof(*w));
	w->e = e;
	snprintf(w->text, sizeof(w->text), "%.*s", AG_FMT(rq->path));
	w->stream = rp->stream = ag_httpd_stream_new(e->max_waiting);
	ag_httpd_stream_on_close(rp->stream, echo_gone, e);
	atomic_fetch_add(&e->nwriter, 1);
	if (pthread_create(&t, NULL, echo_write, w))
		abort();
	pthread_detach(t);
}

/* Until the client leaves, or much too long. */
static void echo_watch(echo *e, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	for (unsigned i = 0; i < 200 && !atomic_load(&e->cancel); i++)
		if (poll(&p, 1, 100) > 0) {
			atomic_fetch_add(&e->nleft, 1);
			return;
		}
}

static void echo_handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	echo *e = (echo *)arg;
	ag_str twice = ag_httpd_header_of(rq, "x-twice");

	atomic_fetch_add(&e->ncall, 1);
	if (ag_str_starts(rq->path, AG_S("/stream/"))) {
		echo_stream(e, rq, rp);
		return;
	}
	if (ag_str_starts(rq->path, AG_S("/wait/"))) {
		int ms = (int)strtol(rq->path.ptr + 6, NULL, 10);

		for (int i = 0; i < ms && !atomic_load(&e->cancel); i += 10)
			usleep(10000);
	}
	if (ag_str_eqc(rq->path, "/watch"))
		echo_watch(e, rq->fd);
	if (ag_str_starts(rq->path, AG_S("/status/")))
		rp->status = (int)strtol(rq->path.ptr + 8, NULL, 10);
	if (rp->status == 204)
		return;
	if (ag_str_eqc(rq->path, "/big"))
		for (unsigned i = 0; i < 1000000; i++)
			ag_buf_adds(&rp->body, "0123456789");
	if (ag_str_eqc(rq->path, "/none")) {
		rp->status = 202;
		return;
	}
	rp->content_type = AG_S("text/plain");
	ag_httpd_add_header(rp, "X-Path", rq->path);
	ag_buf_addf(&rp->body, "%.*s|%.*s|%.*s|%.*s|%.*s", AG_FMT(rq->method), AG_FMT(rq->path),
	            AG_FMT(rq->query), AG_FMT(twice), AG_FMT(rq->body));
}

static bool echo_admit(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)arg;
	if (!ag_str_starts(rq->path, AG_S("/secret")))
		return true;
	rp->status = 401;
	ag_httpd_add_header(rp, "WWW-Authenticate", AG_S("Bearer"));
	return false;
}

/* The options may be NULL; handle, admit and arg are filled here. */
static void echo_start(echo *e, const ag_httpd_opts *o)
{
	ag_httpd_opts opts = o ? *o : (ag_httpd_opts){ 0 };
	ag_err err = { 0 };

	memset(e, 0, sizeof(*e));
	opts.handle = echo_handle;
	opts.admit = echo_admit;
	opts.arg = e;
	if (ag_httpd_start(&opts, &e->d, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	e->port = ag_httpd_port(e->d);
}

static void echo_stop(echo *e)
{
	atomic_store(&e->cancel, true);
	ag_httpd_stop(e->d, 5000);
	for (unsigned i = 0; i < atomic_load(&e->nkept); i++)
		ag_httpd_stream_end(e->kept[i]);
	for (int i = 0; i < 500 && atomic_load(&e->nwriter); i++)
		usleep(10000);
	if (atomic_load(&e->nwriter))
		abort();
}

#endif
