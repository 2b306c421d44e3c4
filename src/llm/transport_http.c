/* transport_http -- the network: lends one ag_http per call, so that a handle is never shared between threads.
 *
 * Handles come back with their open connections and the one used last is lent first: it is the one whose connection is
 * still warm. What is over MAX_IDLE is closed: a thousand calls at once do not leave a thousand connections behind. */
#include "llm/transport.h"

#include <pthread.h>
#include <stdlib.h>

#define MAX_IDLE 64

typedef struct http_transport {
	ag_transport base;
	pthread_mutex_t lock;
	ag_http *idle[MAX_IDLE];
	size_t nidle;
} http_transport;

static ag_status borrow(http_transport *t, ag_http **ret, ag_err *err)
{
	ag_http *h = NULL;

	pthread_mutex_lock(&t->lock);
	if (t->nidle)
		h = t->idle[--t->nidle];
	pthread_mutex_unlock(&t->lock);
	if (!h)
		return ag_http_new(ret, err);
	*ret = h;
	return AG_OK;
}

static void give_back(http_transport *t, ag_http *h)
{
	pthread_mutex_lock(&t->lock);
	if (t->nidle < MAX_IDLE) {
		t->idle[t->nidle++] = h;
		h = NULL;
	}
	pthread_mutex_unlock(&t->lock);
	ag_http_free(h);
}

static ag_status http_send(ag_transport *base, const ag_ctx *ctx, const char *purpose,
                           const char *provider, const ag_http_request *r, ag_arena *arena,
                           ag_http_response *ret, ag_err *err)
{
	http_transport *t = (http_transport *)base;
	ag_http *h = NULL;
	ag_status st = borrow(t, &h, err);

	(void)purpose;
	(void)provider;
	if (st)
		return st;
	st = ag_http_send(h, ctx, r, arena, ret, err);
	give_back(t, h);
	return st;
}

static void http_close(ag_transport *base)
{
	http_transport *t = (http_transport *)base;

	for (size_t i = 0; i < t->nidle; i++)
		ag_http_free(t->idle[i]);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static const ag_transport_type http_type = {
	.name = "http",
	.send = http_send,
	.close = http_close,
	.waits = true,
};

ag_status ag_transport_http_new(ag_transport **ret, ag_err *err)
{
	http_transport *t = ag_xcalloc(1, sizeof(*t));

	(void)err;
	t->base.type = &http_type;
	pthread_mutex_init(&t->lock, NULL);
	*ret = &t->base;
	return AG_OK;
}
