/* neighbours -- see the header. */
#include "audit/neighbours_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "audit/checks.h"
#include "base/log.h"

#define MIN_KEYS   5
#define FILLED     0.95 /* of the documents have the key */
#define DIFFERENT  0.98 /* of its values are different: a few may have come twice */
#define MAX_KEYS   8    /* of one collection */
#define MAX_ITEMS  1000 /* of all databases of a server */
#define KEY_SAMPLE 5000 /* documents in which a server's keys are looked for */

/* A local file that is not too large, or a collection of a server. */
static bool can_be_read(const ag_source_place *place, ag_source_state *ret)
{
	if (ag_source_scheme(place->uri).len)
		return true;
	return place->type->state && place->type->state(place, ret) &&
	       ret->nbyte <= AG_NEIGHBOUR_BYTES;
}

/* "host:27017/shop/" of the key "host:27017/shop/orders". */
static ag_str home_of(const ag_source_place *place)
{
	if (!ag_source_scheme(place->uri).len || place->key.len <= place->collection.len)
		return AG_S("");
	return ag_str_make(place->key.ptr, place->key.len - place->collection.len);
}

static bool is_beside(const ag_neighbour *one, ag_str own)
{
	return ag_str_starts(own, one->home) && !ag_str_eq(one->place->key, own);
}

/* Does another one of this home have a place? The places of a database follow each other. */
static bool has_room(const ag_neighbour *items, size_t n, ag_str home)
{
	return n < MAX_ITEMS &&
	       (n < AG_NEIGHBOURS_MAX || !ag_str_eq(items[n - AG_NEIGHBOURS_MAX].home, home));
}

/* The neighbours of these places. why: [n] of those that are gone; NULL = none is. */
static size_t fill(const ag_source_place *places, size_t nplace, const ag_str *why,
                   ag_neighbour *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < nplace; i++) {
		ag_neighbour one = { .place = &places[i], .home = home_of(&places[i]) };

		if (!has_room(ret, n, one.home))
			continue;
		if (why && why[i].len) {
			one.is_read = true;
			one.why = why[i];
		} else if (!can_be_read(&places[i], &one.state)) {
			continue;
		}
		ret[n++] = one;
	}
	return n;
}

static ag_neighbours *new_of(const ag_source_place *places, size_t n, const ag_str *why)
{
	ag_arena *arena = ag_arena_new();
	ag_neighbours *ret = ag_new(arena, ag_neighbours);

	*ret = (ag_neighbours){ .arena = arena, .made_ms = ag_clock_mono(&ag_clock_system) };
	ret->items = ag_new_n(arena, ag_neighbour, (n < MAX_ITEMS ? n : MAX_ITEMS) + 1);
	ret->n = fill(places, n, why, ret->items);
	return ret;
}

bool ag_neighbours_fit(const ag_neighbours *n, const ag_source_place *places, size_t nplace)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_neighbour *now = ag_new_n(scratch, ag_neighbour,
	                             (nplace < MAX_ITEMS ? nplace : MAX_ITEMS) + 1);
	const bool is_old = ag_clock_mono(&ag_clock_system) - n->made_ms > AG_NEIGHBOURS_KEPT_MS;

	if (fill(places, nplace, NULL, now) != n->n)
		return false;
	for (size_t i = 0; i < n->n; i++)
		if (!ag_str_eq(n->items[i].place->key, now[i].place->key) ||
		    (now[i].home.len && is_old) ||
		    memcmp(&n->items[i].state, &now[i].state, sizeof(now[i].state)) != 0)
			return false;
	return true;
}

ag_neighbours *ag_neighbours_new(const ag_source_place *places, size_t n)
{
	return new_of(places, n, NULL);
}

ag_status ag_neighbours_again(const ag_ctx *ctx, const ag_str *names, size_t n, ag_arena *arena,
                              ag_neighbours **ret, ag_err *err)
{
	ag_source_place *places = ag_new_n(arena, ag_source_place, n + 1);
	ag_str *why = ag_new_n(arena, ag_str, n + 1);
	size_t kept = 0;

	*ret = NULL;
	for (size_t i = 0; i < n && kept < AG_NEIGHBOURS_MAX; i++) {
		ag_source_place *all;
		size_t nall = 0;
		const ag_status st = ag_source_list(ctx, names[i], arena, &all, &nall, err);

		if (st == AG_CANCELLED || st == AG_TIMEOUT)
			return st;
		for (size_t k = 0; !st && k < nall; k++)
			if (ag_str_eq(all[k].key, names[i]) || ag_str_eq(all[k].uri, names[i]))
				places[kept] = all[k];
		if (!places[kept].key.len) {
			places[kept].key = places[kept].collection = names[i];
			why[kept] = st ? ag_str_dup(arena, ag_str_c(err->msg))
			               : AG_S("it is not there any more");
		}
		kept++;
	}
	if (!kept)
		return AG_OK;
	*ret = new_of(places, kept, why);
	return AG_OK;
}

bool ag_neighbours_name(const ag_neighbours *n, ag_str own, size_t i, ag_str *ret)
{
	for (size_t k = 0; n && k < n->n; k++) {
		const ag_neighbour *one = &n->items[k];

		if (!is_beside(one, own) || i--)
			continue;
		*ret = one->home.len ? one->place->uri : one->place->key;
		return true;
	}
	return false;
}

void ag_neighbours_rest(ag_neighbours *n)
{
	for (size_t i = 0; i < n->n; i++)
		n->items[i].source = ag_source_close(n->items[i].source);
}

void ag_neighbours_free(ag_neighbours *n)
{
	ag_arena *arena = n ? n->arena : NULL;

	if (n)
		ag_neighbours_rest(n);
	ag_arena_free(arena);
}

bool ag_neighbour_hash(const ag_val *v, uint64_t *ret)
{
	char text[24];
	int n;

	if (v->type == AG_T_INT32 || v->type == AG_T_INT64) {
		n = snprintf(text, sizeof(text), "%lld", (long long)v->u.i);
		*ret = XXH3_64bits(text, (size_t)n);
		return true;
	}
	if (v->type == AG_T_OID) {
		*ret = XXH3_64bits_withSeed(v->u.oid, sizeof(v->u.oid), 1);
		return true;
	}
	if (v->type != AG_T_STRING || !v->n)
		return false;
	*ret = XXH3_64bits(v->u.s, v->n);
	return true;
}

bool ag_neighbour_has(const ag_neighbour_key *k, const ag_val *v)
{
	size_t lo = 0, hi = k->n;
	uint64_t hash;

	if (!ag_neighbour_hash(v, &hash))
		return false;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (k->hashes[mid] < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->n && k->hashes[lo] == hash;
}

/* --- reading --- */

ag_status ag_neighbour_open(ag_neighbour *one, const ag_neighbour_ask *ask, ag_err *err)
{
	ag_source_opts opts = ask->limits;
	ag_status st;

	if (one->source)
		return AG_OK;
	opts.strict = false;
	opts.max_sample = KEY_SAMPLE;
	st = ag_source_open_place(ask->ctx, one->place, &opts, &one->source, err);
	if (st)
		return st;
	one->paid = 0;
	if (!ask->source)
		return AG_OK;
	one->paid = ag_source_spent_of(ask->source).units;
	ag_source_charge(one->source, one->paid);
	return AG_OK;
}

void ag_neighbour_pay(ag_neighbour *one, const ag_neighbour_ask *ask)
{
	const double units = one->source ? ag_source_spent_of(one->source).units : 0;

	if (!ask->source || units <= one->paid)
		return;
	ag_source_charge(ask->source, units - one->paid);
	one->paid = units;
}

bool ag_neighbour_fails(ag_neighbours *all, ag_neighbour *one, const ag_neighbour_ask *ask,
                        ag_status st, const ag_err *err)
{
	/* A server may end one command early; then there is time left. */
	if (st == AG_CANCELLED || (st == AG_TIMEOUT && ag_ctx_check(ask->ctx, NULL)))
		return true;
	one->why = ag_str_dup(all->arena, ag_str_c(err->msg));
	return false;
}

static int by_hash(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Values in memory, unless only a sample of them is there. */
static bool add_hashes(ag_neighbours *all, const ag_frame_col *c, ag_neighbour_key *k)
{
	uint64_t hash;
	uint32_t n = 0;

	if (!k->is_sample)
		k->hashes = ag_new_n(all->arena, uint64_t, c->nvalue);
	for (uint32_t i = 0; i < c->nvalue; i++) {
		if (!ag_neighbour_hash(&c->values[i], &hash))
			continue;
		if (!k->is_sample)
			k->hashes[n] = hash;
		n++;
	}
	if (n < DIFFERENT * c->nvalue)
		return false;
	k->n = k->is_sample ? 0 : n;
	if (k->n)
		qsort(k->hashes, k->n, sizeof(*k->hashes), by_hash);
	return true;
}

static void add_key(ag_neighbours *all, ag_neighbour *one, const ag_frame *fr,
                    const ag_frame_col *c, bool is_sample)
{
	ag_neighbour_key *k = &one->keys[one->n];
	const ag_str path = is_sample ? ag_ev_key(all->arena, c->f) : c->f->path;

	if (one->n == MAX_KEYS || c->nvalue < MIN_KEYS || c->nfilled < FILLED * fr->nrow ||
	    c->nvalue < DIFFERENT * c->nfilled || !path.len)
		return;
	*k = (ag_neighbour_key){ .name = ag_str_dup(all->arena, c->f->name),
		                 .path = ag_str_dup(all->arena, path),
		                 .collection = one->place->collection,
		                 .is_sample = is_sample,
		                 .is_id = ag_str_eqc(c->f->path, "_id"),
		                 .of = one };
	one->n += add_hashes(all, c, k);
}

static ag_status read_keys(ag_neighbours *all, ag_neighbour *one, const ag_neighbour_ask *ask,
                           ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_err why = { 0 };
	ag_frames frames = { 0 };
	ag_profile p;
	ag_status st = ag_neighbour_open(one, ask, &why);

	one->is_read = true;
	one->keys = ag_new_n(all->arena, ag_neighbour_key, MAX_KEYS + 1);
	if (!st)
		st = ag_source_profile(one->source, ask->ctx, scratch, &p, &why);
	if (!st)
		st = ag_source_frames(one->source, ask->ctx, &p, scratch, &frames, &why);
	if (!st)
		one->ndoc = ag_source_info_of(one->source)->ndoc;
	if (!st && frames.n && frames.items[0].step == 1 && !frames.items[0].path.len)
		for (size_t c = 0; c < frames.items[0].ncol; c++)
			add_key(all, one, &frames.items[0], &frames.items[0].cols[c],
			        !ag_source_info_of(one->source)->whole);
	ag_neighbour_pay(one, ask);
	one->source = ag_source_close(one->source);
	if (!st || !ag_neighbour_fails(all, one, ask, st, &why))
		return AG_OK;
	if (err)
		*err = why;
	return st;
}

const ag_source_place *ag_neighbours_unread(const ag_neighbours *n, size_t i, ag_str *ret_why)
{
	for (size_t k = 0; n && k < n->n; k++) {
		if (n->items[k].why.len && !i--) {
			*ret_why = n->items[k].why;
			return n->items[k].place;
		}
	}
	return NULL;
}

void ag_neighbours_log_unread(const ag_neighbours *n)
{
	const ag_source_place *unread;
	ag_str why;

	for (size_t i = 0; (unread = ag_neighbours_unread(n, i, &why)); i++)
		ag_log(AG_LOG_WARN, "references_unchecked", "%.*s: %.*s",
		       AG_FMT(unread->collection), AG_FMT(why));
}

ag_status ag_neighbours_keys(ag_neighbours *n, const ag_neighbour_ask *ask, ag_arena *arena,
                             const ag_neighbour_key ***ret, size_t *nret, ag_err *err)
{
	const ag_neighbour_key **keys = ag_new_n(arena, const ag_neighbour_key *,
	                                         AG_NEIGHBOURS_MAX *MAX_KEYS);
	ag_status st = AG_OK;

	*ret = keys;
	*nret = 0;
	for (size_t i = 0; !st && i < n->n; i++) {
		ag_neighbour *one = &n->items[i];

		if (!is_beside(one, ask->key))
			continue;
		if (!one->is_read)
			st = read_keys(n, one, ask, err);
		for (size_t k = 0; !st && k < one->n; k++)
			keys[(*nret)++] = &one->keys[k];
	}
	return st;
}
