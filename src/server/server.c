/* The life of the server. Reading order: routes.c, access.c, auth.c; mcp_post.c, mcp_call.c, mcp_stream.c, mcp_get.c for the
 * endpoint of MCP. */
#include <stdlib.h>

#include "base/cond.h"
#include "server/asks.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/tasks.h"

#define ORIGIN        "server"
#define STOP_GRACE_MS 3000

static const ag_str *copy_list(ag_arena *a, const ag_str *list, size_t n)
{
	ag_str *copy = ag_new_n(a, ag_str, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		copy[i] = ag_str_dup(a, list[i]);
	return copy;
}

static int64_t put_off_us(void *arg)
{
	return ag_journal_put_off_us(((const ag_server *)arg)->opts.journal);
}

static void settle(void *arg)
{
	ag_journal_settle(((const ag_server *)arg)->opts.journal);
}

static void set_people(ag_server *h, const ag_server_people *people)
{
	ag_server_people *p = ag_new(h->arena, ag_server_people);

	*p = *people;
	p->proxy_header = ag_str_dup(h->arena, p->proxy_header);
	atomic_store(&h->people, p);
}

void ag_server_set_people(ag_server *h, const ag_server_people *people)
{
	if (atomic_load(&h->people))
		set_people(h, people);
}

const ag_server_people *ag_server_people_of(const ag_server *h)
{
	return atomic_load_explicit(&h->people, memory_order_acquire);
}

ag_status ag_server_set_access_log(ag_server *h, ag_str path, ag_err *err)
{
	ag_access_log *l = atomic_load(&h->log);
	ag_status st = AG_OK;

	if (l) /* requests use it: it stays, and goes nowhere */
		return ag_access_log_reopen(l, path.len ? path : AG_S("/dev/null"), err);
	if (path.len)
		st = ag_access_log_open(path, &l, err);
	if (!st)
		atomic_store(&h->log, l);
	return st;
}

static void fill(ag_server *h, const ag_server_opts *o)
{
	h->arena = ag_arena_new();
	h->opts = *o;
	h->mcp = o->mcp;
	if (!h->opts.clock)
		h->opts.clock = &ag_clock_system;
	h->opts.listen.host = ag_str_dup(h->arena, o->listen.host);
	h->opts.hosts = copy_list(h->arena, o->hosts, o->nhost);
	h->opts.origins = copy_list(h->arena, o->origins, o->norigin);
	h->opts.resource = ag_str_dup(h->arena, o->resource);
	h->opts.authorization_servers = copy_list(h->arena, o->authorization_servers,
	                                          o->nauthorization_server);
	h->opts.scopes = copy_list(h->arena, o->scopes, o->nscope);
	h->opts.access_log = ag_str_dup(h->arena, o->access_log);
	if (o->people) {
		set_people(h, o->people);
		h->rates = ag_server_rates_new();
	}
	h->opts.listen.handle = ag_server_handle;
	h->opts.listen.admit = ag_server_admit;
	h->opts.listen.refuse = ag_server_refuse;
	h->opts.listen.put_off_us = o->journal ? put_off_us : NULL;
	h->opts.listen.settle = settle;
	h->opts.listen.served = ag_server_served;
	h->opts.listen.arg = h;
	pthread_mutex_init(&h->callers_lock, NULL);
	pthread_mutex_init(&h->store_lock, NULL);
	pthread_mutex_init(&h->grants_lock, NULL);
	pthread_mutex_init(&h->watch_lock, NULL);
	ag_cond_init(&h->watch_wake);
	pthread_mutex_init(&h->streams_lock, NULL);
	pthread_cond_init(&h->changed, NULL);
}

static void release(ag_server *h)
{
	ag_server_asks_free(h);
	ag_server_chat_free(h);
	ag_server_grants_stop(h);
	ag_server_callers_free(h);
	ag_server_rates_free(h->rates);
	ag_access_log_close(atomic_load(&h->log));
	pthread_cond_destroy(&h->watch_wake);
	pthread_mutex_destroy(&h->watch_lock);
	pthread_mutex_destroy(&h->grants_lock);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->streams_lock);
	pthread_mutex_destroy(&h->store_lock);
	pthread_mutex_destroy(&h->callers_lock);
	ag_arena_free(h->arena);
	free(h);
}

ag_status ag_server_start(const ag_server_opts *o, ag_server **ret, ag_err *err)
{
	ag_server *h;
	ag_status st;

	AG_ASSERT(o->mcp && (o->store || o->anonymous));
	h = (ag_server *)ag_xcalloc(1, sizeof(*h));
	fill(h, o);
	st = ag_server_set_access_log(h, h->opts.access_log, err);
	if (!st && !ag_server_grants_start(h))
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		             "no thread could be started to look after tokens");
	if (!st && o->chat)
		st = ag_server_chat_start(h, err);
	if (!st && o->chat && o->asks)
		ag_server_asks_start(h);
	if (!st)
		st = ag_httpd_start(&h->opts.listen, &h->httpd, err);
	if (st) {
		ag_server_asks_stop(h, 0);
		ag_server_chat_stop(h, 0);
		release(h);
		return st;
	}
	*ret = h;
	return AG_OK;
}

unsigned ag_server_port(const ag_server *h)
{
	return ag_httpd_port(h->httpd);
}

ag_server *ag_server_stop(ag_server *h)
{
	int64_t left_ms;

	if (!h)
		return NULL;
	/* Both have the time of grace together. */
	if (h->chat) {
		const int64_t end = ag_clock_mono(h->opts.clock) + h->opts.chat->grace_ms;

		ag_server_tasks_stop(h);
		ag_server_chat_stop(h, h->opts.chat->grace_ms);
		left_ms = end - ag_clock_mono(h->opts.clock);
		ag_server_asks_stop(h, left_ms > 0 ? left_ms : 0);
	}
	/* Calls are cancelled, and what they say to that still reaches their clients. */
	ag_mcp_server_stop(h->mcp);
	ag_server_mcp_calls_wait(h);
	h->httpd = ag_httpd_stop(h->httpd, STOP_GRACE_MS);
	ag_server_mcp_calls_wait(h); /* of requests that were still on their way */
	ag_server_streams_free(h);
	release(h);
	return NULL;
}
