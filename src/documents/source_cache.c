/* source_cache -- entries in a list, the one used last first. Read ag_source_cache_open().
 *
 * The lock guards the list and the counts, and is never held while a collection is loaded or freed. An entry is freed when
 * it has left the list and nobody holds it. */
#include "documents/source_cache.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"

#define WAIT_SLICE_MS 50 /* how late a waiting call sees its deadline or cancel flag */
/* A file that was written so shortly before its state was read can be written again without a visible change: its clock
 * may advance in steps of two seconds (FAT). It is loaded again by the next call. */
#define SETTLED_MS 2000

typedef enum entry_phase { LOADING, READY, FAILED } entry_phase;

typedef struct entry {
	struct entry *next;
	ag_source_cache *cache;
	char *key;
	size_t nkey;
	ag_source_state state; /* of the file, before it was loaded */
	bool is_settled;
	bool is_listed; /* can be found */
	entry_phase phase;
	unsigned nholder; /* shares and calls that wait */
	ag_source *source;
	uint64_t nbyte;
	ag_err err; /* FAILED */
} entry;

struct ag_source_cache {
	const ag_clock *clock;
	uint64_t max_bytes;
	pthread_mutex_t lock;
	pthread_cond_t is_loaded;
	entry *entries;
	uint64_t nbyte; /* of all READY entries, listed or not */
	ag_source_cache_stats stats;
};

/* What a caller gets: the methods of its entry's source, with a call counter of its own. */
typedef struct share {
	ag_source base;
	entry *entry;
} share;

static const ag_source_type share_type;

/* --- life cycle --- */

ag_source_cache *ag_source_cache_new(const ag_clock *clock, uint64_t max_bytes)
{
	ag_source_cache *c = (ag_source_cache *)ag_xcalloc(1, sizeof(*c));
	pthread_condattr_t attr;

	c->clock = clock;
	c->max_bytes = max_bytes;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->is_loaded, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

static void free_entry(entry *e)
{
	ag_source_close(e->source);
	free(e->key);
	free(e);
}

/* Frees a list of entries that nobody can reach any more. Their memory goes back to the system: the limit is one on the
 * process, not on its heap. */
static void free_entries(entry *e)
{
	const bool any = e != NULL;

	while (e) {
		entry *next = e->next;

		free_entry(e);
		e = next;
	}
	if (any)
		malloc_trim(0);
}

ag_source_cache *ag_source_cache_free(ag_source_cache *c)
{
	if (!c)
		return NULL;
	for (const entry *e = c->entries; e; e = e->next)
		AG_ASSERT(e->nholder == 0);
	free_entries(c->entries);
	pthread_cond_destroy(&c->is_loaded);
	pthread_mutex_destroy(&c->lock);
	free(c);
	return NULL;
}

/* --- with the lock --- */

static void push(ag_source_cache *c, entry *e)
{
	e->next = c->entries;
	c->entries = e;
	e->is_listed = true;
}

static void unlist(ag_source_cache *c, entry *e)
{
	entry **at = &c->entries;

	while (*at != e) {
		AG_ASSERT(*at);
		at = &(*at)->next;
	}
	*at = e->next;
	e->next = NULL;
	e->is_listed = false;
}

/* Takes e out of the list; when nobody holds it, *ret_free gets it. */
static void retire(ag_source_cache *c, entry *e, entry **ret_free)
{
	unlist(c, e);
	if (e->nholder)
		return;
	c->nbyte -= e->nbyte;
	e->next = *ret_free;
	*ret_free = e;
}

/* Retires what was used longest ago until `more` further bytes fit. */
static void make_room(ag_source_cache *c, uint64_t more, entry **ret_free)
{
	while (more > c->max_bytes || c->nbyte > c->max_bytes - more) {
		entry *oldest = NULL;

		for (entry *e = c->entries; e; e = e->next) {
			if (e->phase == READY && !e->nholder)
				oldest = e;
		}
		if (!oldest)
			return;
		c->stats.ndrop++;
		retire(c, oldest, ret_free);
	}
}

/* One holder less. */
static void release(ag_source_cache *c, entry *e, entry **ret_free)
{
	if (--e->nholder)
		return;
	if (!e->is_listed) {
		c->nbyte -= e->nbyte;
		e->next = *ret_free;
		*ret_free = e;
	}
	make_room(c, 0, ret_free);
}

static entry *find(ag_source_cache *c, ag_str key)
{
	for (entry *e = c->entries; e; e = e->next) {
		if (ag_str_eq(ag_str_make(e->key, e->nkey), key))
			return e;
	}
	return NULL;
}

static bool is_current(const entry *e, const ag_source_state *now)
{
	return e->state.device == now->device && e->state.inode == now->inode &&
	       e->state.nbyte == now->nbyte && e->state.mtime_ns == now->mtime_ns &&
	       e->state.ctime_ns == now->ctime_ns && (e->is_settled || e->phase == LOADING);
}

/* Waits until another call has loaded e, or the caller's time is over. Gives up the lock meanwhile. */
static ag_status wait_for_load(ag_source_cache *c, const entry *e, const ag_ctx *ctx, ag_err *err)
{
	ag_status st = AG_OK;

	while (!st && e->phase == LOADING) {
		const int64_t until_us = ag_time_mono_us() + WAIT_SLICE_MS * 1000;
		const struct timespec at = { .tv_sec = (time_t)(until_us / 1000000),
			                     .tv_nsec = (long)(until_us % 1000000) * 1000 };

		pthread_cond_timedwait(&c->is_loaded, &c->lock, &at);
		if (e->phase == LOADING)
			st = ag_ctx_check(ctx, err);
	}
	return st;
}

/* --- opening --- */

static ag_source *share_of(entry *e)
{
	share *s = (share *)ag_xcalloc(1, sizeof(*s));

	s->base.type = &share_type;
	s->base.info = e->source->info;
	s->entry = e;
	return &s->base;
}

static bool is_settled(const ag_source_cache *c, const ag_source_state *state)
{
	const int64_t age_ms = ag_clock_wall(c->clock) - state->mtime_ns / 1000000;

	return age_ms > SETTLED_MS || age_ms < -SETTLED_MS;
}

static entry *new_entry(ag_source_cache *c, ag_str key, const ag_source_state *state)
{
	entry *e = (entry *)ag_xcalloc(1, sizeof(*e));

	e->cache = c;
	e->key = (char *)ag_xcalloc(1, key.len + 1);
	memcpy(e->key, key.ptr, key.len);
	e->nkey = key.len;
	e->state = *state;
	e->is_settled = is_settled(c, state);
	e->nholder = 1;
	push(c, e);
	return e;
}

/* Loads e, which this call has listed. Others may wait for it. */
static ag_status load(ag_source_cache *c, entry *e, const ag_ctx *ctx, const ag_source_place *place,
                      const ag_source_opts *opts, ag_source **ret, ag_err *err)
{
	entry *dead = NULL;
	ag_source *s = NULL;
	ag_err why = { 0 };
	ag_status st;

	st = ag_source_open_place(ctx, place, opts, &s, &why);
	if (st == AG_LIMIT) { /* the machine's memory: give back what nobody uses, once */
		pthread_mutex_lock(&c->lock);
		make_room(c, UINT64_MAX, &dead);
		pthread_mutex_unlock(&c->lock);
		if (dead) {
			free_entries(dead);
			dead = NULL;
			st = ag_source_open_place(ctx, place, opts, &s, &why);
		}
	}
	pthread_mutex_lock(&c->lock);
	if (st) {
		e->phase = FAILED;
		e->err = why;
		if (e->is_listed)
			unlist(c, e);
	} else {
		e->source = s;
		e->nbyte = s->info.memory;
		e->phase = READY;
		c->nbyte += e->nbyte;
		c->stats.nload++;
		make_room(c, 0, &dead);
		*ret = share_of(e);
	}
	if (st)
		release(c, e, &dead);
	pthread_cond_broadcast(&c->is_loaded);
	pthread_mutex_unlock(&c->lock);
	free_entries(dead);
	if (st && err)
		*err = why;
	return st;
}

/* The other's own end is no verdict on the file. */
static bool is_of_caller(ag_status st)
{
	return st == AG_CANCELLED || st == AG_TIMEOUT;
}

/* A share of the entry of this key, or an entry to load: then *ret is NULL and *ret_load is not. */
static ag_status find_or_begin(ag_source_cache *c, const ag_ctx *ctx, ag_str key,
                               const ag_source_state *state, ag_source **ret, entry **ret_load,
                               ag_err *err)
{
	entry *dead = NULL, *e;
	ag_status st = AG_OK;
	bool again = true;

	*ret = NULL;
	*ret_load = NULL;
	pthread_mutex_lock(&c->lock);
	while (again && !st) {
		again = false;
		e = find(c, key);
		if (e && !is_current(e, state)) {
			c->stats.nstale++;
			retire(c, e, &dead);
			e = NULL;
		}
		if (!e) {
			make_room(c, state->nbyte, &dead);
			*ret_load = new_entry(c, key, state);
			break;
		}
		e->nholder++;
		st = wait_for_load(c, e, ctx, err);
		if (!st && e->phase == READY) {
			c->stats.nhit++;
			if (e->is_listed) {
				unlist(c, e);
				push(c, e);
			}
			*ret = share_of(e);
			break;
		}
		if (!st && is_of_caller(e->err.status))
			again = true;
		else if (!st)
			st = e->err.status;
		if (st && e->phase == FAILED && err)
			*err = e->err;
		release(c, e, &dead);
	}
	pthread_mutex_unlock(&c->lock);
	free_entries(dead);
	return st;
}

ag_status ag_source_cache_open(ag_source_cache *c, const ag_ctx *ctx, const ag_source_place *place,
                               const ag_source_opts *opts, ag_source **ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf key = AG_BUF_INIT(4 * AG_SOURCE_MAX_URI);
	ag_source_state state = { 0 };
	entry *e;
	ag_status st;

	ag_buf_addf(&key, "%d\n%.*s\n%.*s\n%.*s", opts && opts->strict, AG_FMT(place->collection),
	            AG_FMT(place->key), AG_FMT(place->uri));
	if (!c->max_bytes || key.failed || !place->type->state ||
	    !place->type->state(place, &state))
		return ag_source_open_place(ctx, place, opts, ret, err);
	st = find_or_begin(c, ctx, ag_buf_view(&key), &state, ret, &e, err);
	if (st || *ret)
		return st;
	AG_ASSERT(e); /* neither an error nor a share: this call loads it */
	return load(c, e, ctx, place, opts, ret, err);
}

void ag_source_cache_stats_of(ag_source_cache *c, ag_source_cache_stats *ret)
{
	pthread_mutex_lock(&c->lock);
	*ret = c->stats;
	ret->nbyte = c->nbyte;
	ret->max_bytes = c->max_bytes;
	for (const entry *e = c->entries; e; e = e->next)
		ret->nheld += e->phase == READY;
	pthread_mutex_unlock(&c->lock);
}

/* --- a share --- */

static ag_source *inner(ag_source *s)
{
	return ((share *)(void *)s)->entry->source;
}

static void share_close(ag_source *s)
{
	entry *e = ((share *)(void *)s)->entry, *dead = NULL;
	ag_source_cache *c = e->cache;

	pthread_mutex_lock(&c->lock);
	release(c, e, &dead);
	pthread_mutex_unlock(&c->lock);
	free_entries(dead);
	free(s);
}

static ag_status share_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                            const ag_safe_query *q, size_t limit, ag_found *ret, ag_err *err)
{
	return inner(s)->type->find(inner(s), ctx, arena, q, limit, ret, err);
}

static ag_status share_aggregate(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                 const ag_safe_query *q, size_t max_results, const ag_val **ret,
                                 size_t *nret, ag_err *err)
{
	return inner(s)->type->aggregate(inner(s), ctx, arena, q, max_results, ret, nret, err);
}

static ag_status share_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                              uint64_t seed, ag_survey *ret, ag_err *err)
{
	return inner(s)->type->survey(inner(s), ctx, arena, n, seed, ret, err);
}

static ag_status share_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                               uint64_t seed, ag_profile *ret, ag_err *err)
{
	return inner(s)->type->profile(inner(s), ctx, arena, n, seed, ret, err);
}

static ag_status share_marks(ag_source *s, const ag_ctx *ctx, ag_source_mark *m, size_t n,
                             ag_err *err)
{
	if (!inner(s)->type->marks)
		return ag_fail(err, AG_NOT_FOUND, "documents.marks", "the source marks no values");
	return inner(s)->type->marks(inner(s), ctx, m, n, err);
}

static ag_status share_frames(ag_source *s, const ag_ctx *ctx, const ag_profile *p, ag_arena *arena,
                              ag_frames *ret, ag_err *err)
{
	*ret = (ag_frames){ 0 };
	return inner(s)->type->frames ? inner(s)->type->frames(inner(s), ctx, p, arena, ret, err)
	                              : AG_OK;
}

/* It is no row of source_types[]: nobody opens it by a URI. */
static const ag_source_type share_type = {
	.name = "share",
	.help = "",
	.is_shared = true,
	.close = share_close,
	.find = share_find,
	.aggregate = share_aggregate,
	.survey = share_survey,
	.profile = share_profile,
	.marks = share_marks,
	.frames = share_frames,
};
