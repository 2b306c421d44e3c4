/* stage_sort -- $sort: keep all documents (or, with a $limit behind it, the best k), sort, emit.
 *
 * The order is stable. A path that meets an array sorts by its smallest element upwards and by its
 * largest downwards, missing counts as null, an empty array as undefined: the server's rules. With a limit
 * of k the state is cut to the best k whenever it has twice as many and some, so memory stays bounded. */
#include <stdlib.h>

#include "query/pipeline_internal.h"

#define CUT_SLACK 1024

typedef struct sort_key {
	ag_str path;
	ag_str *parts;
	size_t nparts;
	bool down;
} sort_key;

typedef struct sort_spec {
	sort_key *keys;
	size_t nkeys;
	uint64_t *limit; /* 0 = all; set once all stages are parsed */
} sort_spec;

typedef struct sort_item {
	const struct sort_spec *spec;
	ag_val *keys;
	ag_val doc;
	uint64_t seq;
} sort_item;

typedef struct sort_state {
	ag_arena *arena;
	sort_item *items;
	size_t n, cap;
	uint64_t seq;
} sort_state;

static ag_status key_parse(sort_key *k, const ag_member *m, ag_arena *arena, ag_err *err)
{
	int64_t dir;
	ag_str rest;

	if (!ag_val_to_i64(&m->val, &dir) || (dir != 1 && dir != -1))
		return ag_fail(err, AG_INVALID, "query.pipeline", "\"%.*s\" wants 1 or -1",
		               (int)(m->key.len > 60 ? 60 : m->key.len), m->key.ptr);
	if (m->key.len == 0 || m->key.ptr[0] == '$')
		return ag_fail(err, AG_INVALID, "query.pipeline", "a sort key is a field path");
	k->path = ag_str_dup(arena, m->key);
	k->down = dir < 0;
	k->parts = ag_new_n(arena, ag_str, k->path.len + 1);
	for (rest = k->path; rest.ptr;)
		k->parts[k->nparts++] = ag_str_split(&rest, '.');
	return AG_OK;
}

static ag_status sort_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	sort_spec *spec = ag_new(arena, sort_spec);
	ag_status st = AG_OK;

	if (v->type != AG_T_OBJECT || v->n == 0 || v->n > 32)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "wants an object like {\"n\": -1} with 1 to 32 keys");
	spec->keys = ag_new_n(arena, sort_key, v->n);
	spec->nkeys = v->n;
	spec->limit = ag_new(arena, uint64_t);
	for (uint32_t i = 0; !st && i < v->n; i++)
		st = key_parse(&spec->keys[i], &v->u.members[i], arena, err);
	s->spec = spec;
	return st;
}

void ag_stage_sort_set_limit(const ag_stage *s, uint64_t limit)
{
	const sort_spec *spec = s->spec;

	*spec->limit = limit;
}

static ag_val sort_to_val(const ag_stage *s, ag_arena *arena)
{
	const sort_spec *spec = s->spec;
	ag_member *m = ag_new_n(arena, ag_member, spec->nkeys);

	for (size_t i = 0; i < spec->nkeys; i++) {
		m[i].key = spec->keys[i].path;
		m[i].val = ag_val_int(spec->keys[i].down ? -1 : 1);
	}
	return ag_stage_object1(arena, "$sort", ag_val_object(m, spec->nkeys));
}

static bool sort_paths(const ag_stage *s, ag_path_set *set)
{
	const sort_spec *spec = s->spec;

	for (size_t i = 0; i < spec->nkeys; i++)
		ag_path_set_add(set, spec->keys[i].path);
	return false;
}

static void consider(const sort_key *k, const ag_val *v, ag_val *best, bool *found)
{
	int c = *found ? ag_val_cmp(v, best) : 0;

	if (!*found || (k->down ? c > 0 : c < 0))
		*best = *v;
	*found = true;
}

static void find_key(const sort_key *k, size_t at, const ag_val *v, ag_val *best, bool *found);

/* The end of the path is an array: each element counts, unless an index led to it. */
static void array_keys(const sort_key *k, const ag_val *v, bool whole, ag_val *best, bool *found)
{
	const ag_val undefined = { .type = AG_T_UNDEFINED };

	if (v->n == 0)
		consider(k, &undefined, best, found);
	else if (whole)
		consider(k, v, best, found);
	for (uint32_t i = 0; !whole && i < v->n; i++)
		consider(k, &v->u.items[i], best, found);
}

/* An array in the way: an index picks one element; without one each is looked into, and what is no
 * object has no such member. */
static void find_in_array(const sort_key *k, size_t at, const ag_val *v, ag_val *best, bool *found)
{
	const ag_val null = { .type = AG_T_NULL };
	const ag_val *child = ag_filter_child(v, k->parts[at]);

	if (child && child->type == AG_T_ARRAY && at + 1 == k->nparts)
		array_keys(k, child, true, best, found);
	else if (child)
		find_key(k, at + 1, child, best, found);
	for (uint32_t i = 0; !child && i < v->n; i++) {
		const ag_val *e = &v->u.items[i];

		if (e->type == AG_T_OBJECT)
			find_key(k, at, e, best, found);
		else
			consider(k, &null, best, found);
	}
}

static void find_key(const sort_key *k, size_t at, const ag_val *v, ag_val *best, bool *found)
{
	const ag_val null = { .type = AG_T_NULL };
	const ag_val *child;

	if (at == k->nparts && v->type == AG_T_ARRAY) {
		array_keys(k, v, false, best, found);
	} else if (at == k->nparts) {
		consider(k, v, best, found);
	} else if (v->type == AG_T_ARRAY) {
		find_in_array(k, at, v, best, found);
	} else {
		child = ag_val_get(v, k->parts[at]);
		if (child)
			find_key(k, at + 1, child, best, found);
		else
			consider(k, &null, best, found);
	}
}

static ag_val key_of(const sort_key *k, const ag_val *doc)
{
	ag_val best = ag_val_null();
	bool found = false;

	find_key(k, 0, doc, &best, &found);
	return best;
}

static void fill_item(sort_item *it, const sort_spec *spec, ag_arena *arena, const ag_val *doc)
{
	it->spec = spec;
	it->doc = ag_val_dup(arena, doc);
	it->keys = ag_new_n(arena, ag_val, spec->nkeys);
	for (size_t i = 0; i < spec->nkeys; i++)
		it->keys[i] = key_of(&spec->keys[i], &it->doc);
}

static int by_keys(const void *a, const void *b)
{
	const sort_item *x = a, *y = b;

	for (size_t i = 0; i < x->spec->nkeys; i++) {
		int c = ag_val_cmp(&x->keys[i], &y->keys[i]);

		if (c)
			return x->spec->keys[i].down ? -c : c;
	}
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void sort_items(sort_state *s)
{
	if (s->n > 1)
		qsort(s->items, s->n, sizeof(*s->items), by_keys);
}

/* Keep the best `limit` in a fresh arena. */
static void cut(sort_state *s, const sort_spec *spec)
{
	ag_arena *fresh = ag_arena_new();

	sort_items(s);
	s->n = (size_t)*spec->limit;
	for (size_t i = 0; i < s->n; i++)
		fill_item(&s->items[i], spec, fresh, &s->items[i].doc);
	ag_arena_free(s->arena);
	s->arena = fresh;
}

static void *sort_begin(ag_stage_run *r)
{
	sort_state *s = ag_xcalloc(1, sizeof(*s));

	(void)r;
	s->arena = ag_arena_new();
	return s;
}

static void sort_end(void *state)
{
	sort_state *s = state;

	ag_arena_free(s->arena);
	free(s->items);
	free(s);
}

static ag_status sort_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	const sort_spec *spec = r->stage->spec;
	sort_state *s = r->state;

	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->items = ag_xrealloc(s->items, s->cap * sizeof(*s->items));
	}
	fill_item(&s->items[s->n], spec, s->arena, doc);
	s->items[s->n++].seq = s->seq++;
	if (*spec->limit && *spec->limit < SIZE_MAX / 4 && s->n >= 2 * *spec->limit + CUT_SLACK)
		cut(s, spec);
	return ag_stage_hold(r, ag_arena_bytes(s->arena) + s->cap * sizeof(*s->items), err);
}

static ag_status sort_finish(ag_stage_run *r, ag_err *err)
{
	sort_state *s = r->state;
	ag_status st = AG_OK;

	sort_items(s);
	for (size_t i = 0; !st && i < s->n && ag_stage_wanted(r); i++) {
		st = ag_stage_emit(r, &s->items[i].doc, err);
		ag_stage_reset_scratch(r);
	}
	return st;
}

const ag_stage_type ag_stage_sort = { .name = "$sort",
	                              .parse = sort_parse,
	                              .to_val = sort_to_val,
	                              .paths = sort_paths,
	                              .begin = sort_begin,
	                              .end = sort_end,
	                              .push = sort_push,
	                              .finish = sort_finish };
