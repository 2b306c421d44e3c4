/* neighbours -- see the header. */
#include "audit/neighbours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/log.h"

#define MIN_KEYS  5
#define FILLED    0.95 /* of the documents have the key */
#define DIFFERENT 0.98 /* of its values are different: a few may have come twice */
#define MAX_KEYS  8    /* of one collection */

typedef struct neighbour {
	const ag_source_place *place;
	ag_source_state state; /* when the list was made; zeros: it is gone */
	bool is_read;
	ag_str why; /* it could not be read */
	ag_neighbour_key keys[MAX_KEYS];
	size_t n;
} neighbour;

struct ag_neighbours {
	ag_arena *arena;
	neighbour *items;
	size_t n;
};

/* A local file that is not too large. */
static bool can_be_read(const ag_source_place *place, ag_source_state *ret)
{
	return !ag_source_scheme(place->uri).len && place->type->state &&
	       place->type->state(place, ret) && ret->nbyte <= AG_NEIGHBOUR_BYTES;
}

/* why: [n] of those that are gone; NULL = none is. */
static ag_neighbours *new_of(const ag_source_place *places, size_t n, const ag_str *why)
{
	ag_arena *arena = ag_arena_new();
	ag_neighbours *ret = ag_new(arena, ag_neighbours);

	*ret = (ag_neighbours){ .arena = arena };
	ret->items = ag_new_n(arena, neighbour, AG_NEIGHBOURS_MAX);
	for (size_t i = 0; i < n && ret->n < AG_NEIGHBOURS_MAX; i++) {
		ag_source_state state = { 0 };

		if (why && why[i].len) {
			ret->items[ret->n++] =
				(neighbour){ .place = &places[i], .is_read = true, .why = why[i] };
			continue;
		}
		if (can_be_read(&places[i], &state))
			ret->items[ret->n++] = (neighbour){ .place = &places[i], .state = state };
	}
	return ret;
}

bool ag_neighbours_fit(const ag_neighbours *n, const ag_source_place *places, size_t nplace)
{
	size_t k = 0;

	for (size_t i = 0; i < nplace && k < AG_NEIGHBOURS_MAX; i++) {
		ag_source_state state = { 0 };

		if (!can_be_read(&places[i], &state))
			continue;
		if (k == n->n || !ag_str_eq(n->items[k].place->key, places[i].key) ||
		    memcmp(&n->items[k].state, &state, sizeof(state)) != 0)
			return false;
		k++;
	}
	return k == n->n;
}

ag_neighbours *ag_neighbours_new(const ag_source_place *places, size_t n)
{
	return new_of(places, n, NULL);
}

ag_status ag_neighbours_again(const ag_ctx *ctx, const ag_str *keys, size_t n, ag_arena *arena,
                              ag_neighbours **ret, ag_err *err)
{
	ag_source_place *places = ag_new_n(arena, ag_source_place, n + 1);
	ag_str *why = ag_new_n(arena, ag_str, n + 1);
	size_t kept = 0;

	*ret = NULL;
	for (size_t i = 0; i < n && kept < AG_NEIGHBOURS_MAX; i++) {
		ag_source_place *all;
		size_t nall = 0;
		const ag_status st = ag_source_list(ctx, keys[i], arena, &all, &nall, err);

		if (st == AG_CANCELLED || st == AG_TIMEOUT)
			return st;
		for (size_t k = 0; !st && k < nall; k++)
			if (ag_str_eq(all[k].key, keys[i]))
				places[kept] = all[k];
		if (!places[kept].key.len) {
			places[kept].key = places[kept].collection = keys[i];
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

const ag_source_place *ag_neighbours_place(const ag_neighbours *n, size_t i)
{
	return n && i < n->n ? n->items[i].place : NULL;
}

void ag_neighbours_free(ag_neighbours *n)
{
	ag_arena *arena = n ? n->arena : NULL;

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

static int by_hash(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void add_key(ag_neighbours *all, neighbour *one, const ag_frame *fr, const ag_frame_col *c)
{
	ag_neighbour_key *k = &one->keys[one->n];

	if (one->n == MAX_KEYS || c->nvalue < MIN_KEYS || c->nfilled < FILLED * fr->nrow ||
	    c->nvalue < DIFFERENT * c->nfilled)
		return;
	*k = (ag_neighbour_key){ .name = ag_str_dup(all->arena, c->f->name),
		                 .path = ag_str_dup(all->arena, c->f->path),
		                 .collection = one->place->collection };
	k->hashes = ag_new_n(all->arena, uint64_t, c->nvalue);
	for (uint32_t i = 0; i < c->nvalue; i++)
		if (ag_neighbour_hash(&c->values[i], &k->hashes[k->n]))
			k->n++;
	if (k->n < DIFFERENT * c->nvalue)
		return;
	qsort(k->hashes, k->n, sizeof(*k->hashes), by_hash);
	one->n++;
}

static ag_status read_keys(ag_neighbours *all, neighbour *one, const ag_ctx *ctx, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_source *s = NULL;
	ag_frames frames = { 0 };
	ag_profile p;
	ag_status st = ag_source_open_place(ctx, one->place, NULL, &s, err);

	one->is_read = true;
	if (!st)
		st = ag_source_profile(s, ctx, scratch, &p, err);
	if (!st)
		st = ag_source_frames(s, ctx, &p, scratch, &frames, err);
	if (!st && frames.n && frames.items[0].step == 1 && !frames.items[0].path.len)
		for (size_t c = 0; c < frames.items[0].ncol; c++)
			add_key(all, one, &frames.items[0], &frames.items[0].cols[c]);
	if (s)
		ag_source_close(s);
	if (!st || st == AG_CANCELLED || st == AG_TIMEOUT)
		return st;
	one->why = ag_str_dup(all->arena, ag_str_c(err->msg));
	return AG_OK;
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

ag_status ag_neighbours_keys(ag_neighbours *n, const ag_ctx *ctx, ag_str own, ag_arena *arena,
                             const ag_neighbour_key ***ret, size_t *nret, ag_err *err)
{
	const ag_neighbour_key **keys = ag_new_n(arena, const ag_neighbour_key *,
	                                         AG_NEIGHBOURS_MAX *MAX_KEYS);
	ag_status st = AG_OK;

	*ret = keys;
	*nret = 0;
	for (size_t i = 0; !st && i < n->n; i++) {
		neighbour *one = &n->items[i];

		if (ag_str_eq(one->place->key, own))
			continue;
		if (!one->is_read)
			st = read_keys(n, one, ctx, err);
		for (size_t k = 0; !st && k < one->n; k++)
			keys[(*nret)++] = &one->keys[k];
	}
	return st;
}
