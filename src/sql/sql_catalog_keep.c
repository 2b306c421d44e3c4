/* The guard's snapshot of the catalog: fetched by the first statement, again when it is old, shared by all threads.
 *
 * One thread fetches; meanwhile the others go on with the old snapshot, or wait when there is none. A snapshot lives until
 * the last statement that uses it has ended. */
#include <stdlib.h>

#include <xxhash.h>

#include "sql/sql_parts.h"

void ag_sql_keep_init(ag_sql_keep *k)
{
	*k = (ag_sql_keep){ 0 };
	pthread_mutex_init(&k->lock, NULL);
	pthread_mutex_init(&k->fetch, NULL);
}

static void unref(ag_sql_snapshot *snapshot)
{
	if (!snapshot || atomic_fetch_sub_explicit(&snapshot->nref, 1, memory_order_acq_rel) != 1)
		return;
	ag_arena_free(snapshot->arena);
	free(snapshot);
}

void ag_sql_keep_release(ag_sql_keep *k)
{
	unref(k->now);
	pthread_mutex_destroy(&k->lock);
	pthread_mutex_destroy(&k->fetch);
}

void ag_sql_keep_put(ag_sql_source *s, ag_sql_snapshot *snapshot)
{
	(void)s;
	unref(snapshot);
}

void ag_sql_keep_forget(ag_sql_source *s)
{
	pthread_mutex_lock(&s->keep.lock);
	s->keep.is_forgotten = true;
	pthread_mutex_unlock(&s->keep.lock);
}

/* --- does it still hold? --- */

static void set_moment(ag_sql_snapshot *snapshot, ag_str moment)
{
	snapshot->nmoment = 0;
	if (moment.len && moment.len <= sizeof(snapshot->moment)) {
		memcpy(snapshot->moment, moment.ptr, moment.len);
		snapshot->nmoment = moment.len;
	}
}

ag_str ag_sql_keep_moment(ag_sql_source *s, ag_sql_snapshot *snapshot, ag_arena *arena)
{
	ag_str ret = AG_S("");

	pthread_mutex_lock(&s->keep.lock);
	if (!snapshot->is_moving)
		ret = ag_str_dup(arena, ag_str_make(snapshot->moment, snapshot->nmoment));
	pthread_mutex_unlock(&s->keep.lock);
	return ret;
}

void ag_sql_keep_held(ag_sql_source *s, ag_sql_snapshot *snapshot, ag_str moment)
{
	pthread_mutex_lock(&s->keep.lock);
	snapshot->is_moving = !ag_str_eq(moment, ag_str_make(snapshot->moment, snapshot->nmoment));
	if (moment.len)
		set_moment(snapshot, moment);
	pthread_mutex_unlock(&s->keep.lock);
}

void ag_sql_keep_outdated(ag_sql_source *s, const ag_sql_snapshot *snapshot)
{
	pthread_mutex_lock(&s->keep.lock);
	s->keep.is_forgotten |= s->keep.now == snapshot;
	pthread_mutex_unlock(&s->keep.lock);
}

bool ag_sql_keep_may_renew(ag_sql_source *s, const ag_sql_snapshot *snapshot, int64_t now_ms)
{
	return s->engine->catalog && snapshot &&
	       now_ms - snapshot->taken_ms >= AG_SQL_CATALOG_RENEW_MS;
}

/* The current one with a reference, or NULL; *ret_old: it should be fetched again. */
static ag_sql_snapshot *current(ag_sql_keep *k, int64_t now_ms, bool *ret_old)
{
	ag_sql_snapshot *snapshot;

	pthread_mutex_lock(&k->lock);
	snapshot = k->now;
	if (snapshot)
		atomic_fetch_add_explicit(&snapshot->nref, 1, memory_order_relaxed);
	*ret_old = !snapshot || k->is_forgotten ||
	           now_ms - snapshot->taken_ms >= AG_SQL_CATALOG_AGE_MS;
	pthread_mutex_unlock(&k->lock);
	return snapshot;
}

/* Differs between any two snapshots of the process: handle, number and time are in it. */
static uint64_t epoch_of(const ag_sql_keep *k)
{
	const uint64_t of[] = { (uint64_t)(uintptr_t)k, k->nfetch,
		                (uint64_t)ag_clock_wall(&ag_clock_system) };

	return XXH64(of, sizeof(of), 0);
}

/* Under k->fetch. */
static ag_status fetch(ag_sql_source *s, const ag_ctx *ctx, int64_t now_ms, ag_arena *arena,
                       ag_sql_failure *f, ag_err *err)
{
	ag_sql_keep *k = &s->keep;
	ag_sql_snapshot *fresh = ag_xcalloc(1, sizeof(*fresh)), *old;
	ag_status st;

	pthread_mutex_lock(&k->lock);
	k->is_forgotten = false; /* asked for from now on: again */
	k->nfetch++;
	pthread_mutex_unlock(&k->lock);
	fresh->arena = ag_arena_new();
	atomic_init(&fresh->nref, 1);
	st = s->engine->catalog(s->impl, ctx, fresh->arena, &fresh->catalog, f, err);
	if (st || f->code) {
		ag_sql_keep_forget(s);
		/* The words may lie in the arena that goes now. */
		f->message = ag_str_dup(arena, f->message);
		f->detail = ag_str_dup(arena, f->detail);
		f->hint = ag_str_dup(arena, f->hint);
		unref(fresh);
		return st;
	}
	fresh->taken_ms = now_ms;
	fresh->catalog.epoch = epoch_of(k);
	set_moment(fresh, fresh->catalog.moment);
	pthread_mutex_lock(&k->lock);
	old = k->now;
	k->now = fresh;
	pthread_mutex_unlock(&k->lock);
	unref(old);
	return AG_OK;
}

ag_status ag_sql_keep_get(ag_sql_source *s, const ag_ctx *ctx, int64_t now_ms, bool is_new,
                          ag_sql_snapshot **ret, ag_arena *arena, ag_sql_failure *ret_failure,
                          ag_err *err)
{
	ag_sql_keep *k = &s->keep;
	bool is_old, has_waited = false;
	ag_sql_snapshot *snapshot = current(k, now_ms, &is_old);
	ag_status st = AG_OK;

	*ret = NULL;
	if (!s->engine->catalog)
		return AG_OK;
	if (!is_old && !is_new) {
		*ret = snapshot;
		return AG_OK;
	}
	if (pthread_mutex_trylock(&k->fetch) != 0) {
		if (snapshot && !is_new) { /* somebody fetches: the old one will do */
			*ret = snapshot;
			return AG_OK;
		}
		pthread_mutex_lock(&k->fetch);
		has_waited = true;
	}
	unref(snapshot);
	snapshot = current(k, now_ms, &is_old);
	/* Who waited got what the other thread fetched meanwhile. */
	if (is_old || (is_new && !has_waited)) {
		unref(snapshot);
		st = fetch(s, ctx, now_ms, arena, ret_failure, err);
		snapshot = st || ret_failure->code ? NULL : current(k, now_ms, &is_old);
	}
	pthread_mutex_unlock(&k->fetch);
	*ret = snapshot;
	return st;
}
