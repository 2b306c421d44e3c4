/* pg -- opening and closing a target, and what other rooms may ask about it. */
#include "pg/parts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"

#define CLOSE_US \
	INT64_C(300000) /* close() waits so long for threads that libpq holds; they end by themselves */

ag_pg *ag_pg_ref(ag_pg *pg)
{
	atomic_fetch_add(&pg->nref, 1);
	return pg;
}

static void wipe(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void ag_pg_unref(ag_pg *pg)
{
	if (atomic_fetch_sub(&pg->nref, 1) > 1)
		return;
	for (size_t i = 0; pg->keyword[i]; i++) {
		free(pg->keyword[i]);
		wipe(pg->value[i]);
	}
	ag_pg_types_release(pg);
	if (pg->wake_fd >= 0)
		close(pg->wake_fd);
	free(pg->shown);
	free(pg->role);
	free(pg->search_path);
	pthread_cond_destroy(&pg->no_thread);
	pthread_mutex_destroy(&pg->lock);
	free(pg);
}

ag_status ag_pg_open(ag_str uri, const ag_pg_opts *opts, ag_pg **ret, ag_err *err)
{
	ag_pg *pg = (ag_pg *)ag_xcalloc(1, sizeof(*pg));
	ag_status st;

	pthread_mutex_init(&pg->lock, NULL);
	ag_pg_cond_init(&pg->no_thread);
	atomic_init(&pg->nref, 1);
	pg->last_waiter = &pg->first_waiter;
	pg->wake_fd = -1;
	AG_ASSERT(opts->max_connections > 0 && opts->max_connections <= AG_PG_MAX_CONNECTIONS);
	pg->max_connections = opts->max_connections;
	pg->max_send_bytes = opts->max_send_bytes ? opts->max_send_bytes : AG_PG_MAX_SEND_BYTES;
	pg->is_read_only = opts->is_read_only;
	pg->has_small_memory = opts->has_small_memory;
	pg->needs_type_names = opts->needs_type_names;
	pg->statement_timeout_ms = opts->statement_timeout_ms;
	pg->connect_timeout_ms = opts->connect_timeout_ms;
	pg->wait_timeout_ms = opts->wait_timeout_ms;
	pg->idle_session_ms = opts->idle_session_ms;
	st = ag_pq_load(&pg->pq, err);
	if (!st)
		st = ag_pg_address(pg, uri, opts, err);
	if (st) {
		ag_pg_unref(pg);
		return st;
	}
	*ret = pg;
	return AG_OK;
}

void ag_pg_close(ag_pg *pg)
{
	ag_pg_conn *c;

	ag_pg_abandon_stuck(pg);
	pthread_mutex_lock(&pg->lock);
	c = pg->idle;
	pg->idle = NULL;
	pthread_mutex_unlock(&pg->lock);
	while (c) {
		ag_pg_conn *next = c->next;

		ag_pg_disconnect(pg, c);
		c = next;
	}
	ag_pg_threads_wait(pg, ag_time_mono_us() + CLOSE_US);
	ag_pg_unref(pg);
}

ag_str ag_pg_shown(const ag_pg *pg)
{
	return ag_str_c(pg->shown);
}

void ag_pg_health_of(ag_pg *pg, ag_pg_health *ret)
{
	*ret = (ag_pg_health){ 0 };
	pthread_mutex_lock(&pg->lock);
	ret->nopen = pg->nopen;
	ret->nbusy = pg->nbusy;
	ag_pg_count_stuck(pg, ret);
	pthread_mutex_unlock(&pg->lock);
}

/* --- connections --- */

void ag_pg_spoil(ag_pg_conn *c)
{
	c->is_spoilt = true;
}

bool ag_pg_has_prepared(const ag_pg_conn *c, uint64_t bit)
{
	return c->prepared & bit;
}
