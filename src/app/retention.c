/* The note of the last time is a text of the store, written before the purge: of several processes one does the work. */
#include "app/retention.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "artifact/artifact.h"
#include "base/log.h"
#include "store/ledger.h"

#define DAY_MS     (INT64_C(24) * 3600 * 1000)
#define NOTE       AG_S("retention")
#define DAY_SECOND (24 * 3600)

struct ag_retention {
	const ag_app *app;
	char *store_uri;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool must_end;
};

int64_t ag_app_retained_ms(ag_store *store, ag_arena *arena)
{
	ag_str text;
	int64_t at_ms = 0;

	return ag_store_text(store, NOTE, arena, &text, &at_ms, NULL) ? 0 : at_ms;
}

static ag_status retain(ag_store *store, int64_t days, int64_t now_ms, ag_arena *arena,
                        uint64_t *ret_runs, ag_err *err)
{
	const int64_t last_ms = ag_app_retained_ms(store, arena);
	uint64_t nartifact;
	ag_status st;

	/* A note of the time to come is of a clock that was wrong. */
	if (last_ms && last_ms <= now_ms && now_ms - last_ms < DAY_MS)
		return AG_OK;
	st = ag_store_put_text(store, NOTE, ag_str_printf(arena, "%" PRId64 " days", days), now_ms,
	                       err);
	if (!st)
		st = ag_store_purge_artifacts(store, now_ms - AG_ARTIFACT_KEPT_MS, &nartifact, err);
	return st ? st : ag_store_purge(store, now_ms - days * DAY_MS, ret_runs, err);
}

void ag_app_retain(const ag_app *app, ag_str store_uri)
{
	const int64_t days = (int64_t)app->settings.retention_days;
	const int64_t now_ms = ag_clock_wall(app->ctx.clock);
	ag_store *store = NULL;
	ag_arena *arena;
	uint64_t nrun = 0;
	ag_err err = { 0 };

	if (!days || days * DAY_MS >= now_ms || ag_str_starts(store_uri, AG_S("memory:")))
		return;
	arena = ag_arena_new();
	if (ag_store_open(store_uri, &store, &err) ||
	    retain(store, days, now_ms, arena, &nrun, &err))
		ag_log(AG_LOG_WARN, "retention_failed", "%s", err.msg);
	else if (nrun)
		ag_log(AG_LOG_INFO, "retention", "%" PRIu64 " runs removed", nrun);
	ag_store_close(store);
	ag_arena_free(arena);
}

static void *work(void *arg)
{
	ag_retention *r = arg;
	struct timespec until;

	pthread_setname_np(pthread_self(), "retention"); /* as tools show it */
	pthread_mutex_lock(&r->lock);
	while (!r->must_end) {
		pthread_mutex_unlock(&r->lock);
		ag_app_retain(r->app, ag_str_c(r->store_uri));
		pthread_mutex_lock(&r->lock);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += DAY_SECOND;
		while (!r->must_end && !pthread_cond_timedwait(&r->changed, &r->lock, &until))
			;
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

ag_retention *ag_app_retention_start(const ag_app *app, ag_str store_uri)
{
	ag_retention *r;
	pthread_condattr_t attr;
	sigset_t all, before;
	int e;

	if (!app->settings.retention_days)
		return NULL;
	r = ag_xcalloc(1, sizeof(*r));
	r->app = app;
	r->store_uri = ag_xmalloc(store_uri.len + 1);
	memcpy(r->store_uri, store_uri.ptr, store_uri.len);
	r->store_uri[store_uri.len] = '\0';
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all); /* signals are for those who wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&r->thread, NULL, work, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!e)
		return r;
	ag_log(AG_LOG_WARN, "retention_failed", "no thread for it can be started");
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->store_uri);
	free(r);
	return NULL;
}

void ag_app_retention_stop(ag_retention *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->must_end = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->store_uri);
	free(r);
}
