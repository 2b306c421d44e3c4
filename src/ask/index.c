/* Bringing the index of a project up to date: look at every file, read what changed, put it into the store in batches.
 *
 * Invariant: a batch is whole files, so a refresh that ends early leaves an index that is true as far as it goes; the
 * next one goes on. Documentation is read first: when time or bytes run out, code is what is missing.
 * Secrets never come here: ag_root_walk() leaves their files out, ag_log_clean() takes out known keys. */
#include "ask/index.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ask/index_cut.h"
#include "ask/worth.h"
#include "base/log.h"
#include "base/sha256.h"

#define ORIGIN      "ask.index"
#define MAX_WALK    100000u     /* files that are looked at */
#define MAX_FILES   20000u      /* that are in the index */
#define MAX_BYTES   (64u << 20) /* read in one refresh */
#define BATCH_FILES 500u
#define GATE_MS     50          /* how late a waiting call sees its deadline or cancel flag */
#define BATCH_BYTES (16u << 20) /* of text: some times that in memory */

/* A file as it is now. */
typedef struct seen {
	ag_str path;
	uint64_t size;
	int64_t mtime_ns;
	const ag_index_file *known; /* as it is indexed; NULL = new */
	ag_worth worth;
} seen;

typedef struct refresh {
	ag_root *root;
	ag_store *store;
	const ag_ctx *ctx;
	ag_arena *arena, *batch_arena;
	ag_index_stats stats;
	const ag_index_file *known; /* by path */
	bool *is_there;             /* for each of known */
	size_t nknown;
	seen *changed;
	size_t nseen, nchanged, cap;
	size_t nindexed; /* files that are in the index and still there */
	size_t nbyte;    /* read so far */
	bool is_walk_cut;
	int64_t until_left_ms; /* stop when no more than this is left of the run's time; -1 = never */
	ag_index_change *batch;
	size_t nbatch, batch_bytes;
} refresh;

/* --- what is there --- */

static int by_path(const void *key, const void *file)
{
	return ag_str_cmp(*(const ag_str *)key, ((const ag_index_file *)file)->path);
}

static const ag_index_file *known_file(const refresh *r, ag_str path)
{
	return r->nknown ? bsearch(&path, r->known, r->nknown, sizeof(*r->known), by_path) : NULL;
}

static bool is_as_it_was(const ag_index_file *known, const ag_root_stat *now)
{
	return known && known->size == now->size && known->mtime_ns == now->mtime_ns &&
	       known->format == AG_INDEX_FORMAT;
}

static void add_changed(refresh *r, const ag_root_stat *file, const ag_index_file *known)
{
	if (r->nchanged == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 256;
		r->changed = ag_xrealloc(r->changed, r->cap * sizeof(*r->changed));
	}
	r->changed[r->nchanged++] = (seen){ .path = ag_str_dup(r->arena, file->path),
		                            .size = file->size,
		                            .mtime_ns = file->mtime_ns,
		                            .known = known,
		                            .worth = ag_worth_of_path(file->path) };
}

static ag_status on_file(void *arg, const ag_root_stat *file, ag_err *err)
{
	refresh *r = arg;
	const ag_index_file *known;

	AG_IGNORE(err, "cannot fail");
	if (!ag_index_worth_bytes(file->path))
		return AG_OK;
	r->nseen++;
	known = known_file(r, file->path);
	if (known) {
		r->is_there[known - r->known] = true;
		r->nindexed++;
	}
	if (!is_as_it_was(known, file))
		add_changed(r, file, known);
	return AG_OK;
}

/* Documentation first, what is bulky last; then by path. */
static int by_worth(const void *a, const void *b)
{
	const seen *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? -1 : 1;
	return ag_str_cmp(x->path, y->path);
}

/* --- what changed --- */

static ag_status flush(refresh *r, ag_err *err)
{
	const ag_status st = ag_store_index_update(r->store, ag_root_path(r->root), r->batch,
	                                           r->nbatch, err);

	r->nbatch = 0;
	r->batch_bytes = 0;
	ag_arena_reset(r->batch_arena);
	return st;
}

static ag_status add_change(refresh *r, const ag_index_change *c, size_t nbyte, ag_err *err)
{
	r->batch[r->nbatch++] = *c;
	r->batch_bytes += nbyte;
	return r->nbatch == BATCH_FILES || r->batch_bytes >= BATCH_BYTES ? flush(r, err) : AG_OK;
}

/* Known secrets do not go into the store, not even from a file that nobody thought of. */
static ag_str cleaned(refresh *r, ag_str text)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(2 * text.len + 4096);

	if (!ag_log_clean(text, &b) || b.failed)
		return AG_S("");
	return ag_buf_dup(r->batch_arena, &b);
}

static ag_status read_one(refresh *r, const seen *f, ag_err *err)
{
	ag_index_change c = { .file = { .path = f->path,
		                        .size = f->size,
		                        .mtime_ns = f->mtime_ns,
		                        .format = AG_INDEX_FORMAT } };
	ag_index_doc *docs = NULL;
	ag_root_text text;
	ag_sha256_hex hash;
	ag_status st = ag_root_read(r->root, r->ctx, f->path, ag_index_worth_bytes(f->path),
	                            r->batch_arena, &text, err);

	if (st == AG_CANCELLED || st == AG_TIMEOUT)
		return st;
	if (st) { /* gone or closed since the walk; the next refresh tries again */
		c.is_gone = true;
		return f->known ? add_change(r, &c, 0, err) : AG_OK;
	}
	r->nbyte += text.text.len;
	hash = ag_sha256(text.text);
	c.file.hash = ag_str_dup(r->batch_arena, ag_str_c(hash.text));
	r->stats.nchanged++;
	if (f->known && f->known->format == AG_INDEX_FORMAT &&
	    ag_str_eq(f->known->hash, c.file.hash)) {
		c.is_kept = true;
		return add_change(r, &c, 0, err);
	}
	if (!text.is_binary)
		ag_index_cut(f->path, cleaned(r, text.text), r->batch_arena, &docs, &c.ndoc);
	c.docs = docs;
	r->stats.ndoc += c.ndoc;
	return add_change(r, &c, text.text.len, err);
}

static const char too_many_files[] = "the cap of 20000 files in the index";

/* Which cap was hit; NULL = none. */
static const char *is_enough(const refresh *r, bool is_new)
{
	const int64_t left = ag_ctx_left_ms(r->ctx);

	if (r->nbyte >= MAX_BYTES)
		return "the cap of 64 MiB a question";
	if (left >= 0 && left <= r->until_left_ms)
		return "the time for reading files";
	return is_new && r->nindexed >= MAX_FILES ? too_many_files : NULL;
}

static ag_status read_changed(refresh *r, ag_err *err)
{
	ag_status st = AG_OK;

	if (r->nchanged)
		qsort(r->changed, r->nchanged, sizeof(*r->changed), by_worth);
	for (size_t i = 0; i < r->nchanged && !st; i++) {
		const bool is_new = !r->changed[i].known;

		r->stats.cut_by = is_enough(r, is_new);
		if (r->stats.cut_by) {
			r->stats.is_cut = true;
			r->stats.is_more_next_time = r->stats.cut_by != too_many_files;
			break;
		}
		r->nindexed += is_new;
		st = ag_ctx_check(r->ctx, err);
		if (!st)
			st = read_one(r, &r->changed[i], err);
	}
	return st;
}

static ag_status drop_gone(refresh *r, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < r->nknown && !st; i++) {
		const ag_index_change c = { .file = r->known[i], .is_gone = true };

		if (r->is_there[i])
			continue;
		r->stats.ngone++;
		st = add_change(r, &c, 0, err);
	}
	return st;
}

static ag_status walk(refresh *r, ag_err *err)
{
	ag_index_file *known = NULL;
	ag_status st = ag_store_index_files(r->store, ag_root_path(r->root), r->arena, &known,
	                                    &r->nknown, err);

	if (st)
		return st;
	r->known = known;
	r->is_there = ag_new_n(r->arena, bool, r->nknown + 1);
	return ag_root_walk_by_worth(r->root, r->ctx, AG_S(""), MAX_WALK, on_file, r,
	                             &r->is_walk_cut, err);
}

static ag_status refresh_once(refresh *r, ag_err *err)
{
	ag_status st = walk(r, err);

	if (st)
		return st;
	r->stats.nfile = r->nseen;
	st = read_changed(r, err);
	if (!r->stats.is_cut && r->is_walk_cut) {
		r->stats.is_cut = true;
		r->stats.cut_by = "the cap of 100000 files in a project";
	}
	if (!st && !r->is_walk_cut) /* what was not seen may only lie behind the cut */
		st = drop_gone(r, err);
	return st ? st : flush(r, err);
}

ag_status ag_index_refresh(ag_root *root, ag_store *s, const ag_ctx *ctx, ag_arena *arena,
                           ag_index_stats *ret, ag_err *err)
{
	ag_status st = AG_CONFLICT;

	/* Once more when the store found its index damaged, and emptied it. */
	for (int i = 0; i < 2 && st == AG_CONFLICT; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *batch_arena = ag_arena_new();
		refresh r = { .root = root,
			      .store = s,
			      .ctx = ctx,
			      .arena = arena,
			      .batch_arena = batch_arena };

		/* A third of the time is for the answer. */
		r.until_left_ms = ag_ctx_left_ms(ctx) / 3;
		r.batch = ag_new_n(arena, ag_index_change, BATCH_FILES);
		st = refresh_once(&r, err);
		free(r.changed);
		if (!st)
			*ret = r.stats;
	}
	return st;
}

/* --- several threads --- */

struct ag_index_gate {
	pthread_mutex_t lock;
	pthread_cond_t is_free;
	bool is_taken;
};

ag_index_gate *ag_index_gate_new(void)
{
	ag_index_gate *g = ag_xcalloc(1, sizeof(*g));
	pthread_condattr_t attr;

	pthread_mutex_init(&g->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->is_free, &attr);
	pthread_condattr_destroy(&attr);
	return g;
}

ag_index_gate *ag_index_gate_free(ag_index_gate *g)
{
	if (!g)
		return NULL;
	AG_ASSERT(!g->is_taken);
	pthread_cond_destroy(&g->is_free);
	pthread_mutex_destroy(&g->lock);
	free(g);
	return NULL;
}

ag_status ag_index_gate_enter(ag_index_gate *g, const ag_ctx *ctx, ag_err *err)
{
	ag_status st = AG_OK;

	if (!g)
		return AG_OK;
	pthread_mutex_lock(&g->lock);
	while (g->is_taken && !st) {
		const int64_t until_us = ag_time_mono_us() + GATE_MS * 1000;
		const struct timespec at = { .tv_sec = (time_t)(until_us / 1000000),
			                     .tv_nsec = (long)(until_us % 1000000) * 1000 };

		pthread_cond_timedwait(&g->is_free, &g->lock, &at);
		if (g->is_taken)
			st = ag_ctx_check(ctx, err);
	}
	if (!st)
		g->is_taken = true;
	pthread_mutex_unlock(&g->lock);
	return st;
}

void ag_index_gate_leave(ag_index_gate *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->is_taken = false;
	pthread_cond_signal(&g->is_free);
	pthread_mutex_unlock(&g->lock);
}
