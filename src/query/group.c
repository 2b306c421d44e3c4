/* group -- the accumulators: one row each, one small state each.
 *
 * $min, $max, $first, $last hold one value that may be replaced often: scalars are held in place, text
 * in a buffer that is used again, containers in an arena of their own, so a long run of replacements does
 * not pile up. $addToSet keeps first appearance order and finds doubles by hash once it has a few. */
#include "query/group.h"

#define FEW 8

static void add_sum(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	(void)arena;
	(void)extra;
	ag_sum_add(&a->u.sum, v);
}

static void add_count(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	(void)arena;
	(void)v;
	(void)extra;
	a->u.sum.whole++;
}

static ag_val result_sum(const ag_acc *a, ag_arena *arena)
{
	(void)arena;
	return ag_sum_total(&a->u.sum);
}

static ag_val result_avg(const ag_acc *a, ag_arena *arena)
{
	(void)arena;
	return ag_sum_average(&a->u.sum);
}

static void free_arena(void *arg)
{
	ag_acc *a = arg;

	a->u.one.own = ag_arena_free(a->u.one.own);
}

static void hold_text(ag_acc *a, ag_arena *arena, const ag_val *v)
{
	if (a->u.one.cap < v->n) {
		a->u.one.cap = v->n * 2U > 32 ? v->n * 2U : 32;
		a->u.one.room = ag_arena_alloc(arena, a->u.one.cap);
	}
	if (v->n)
		memcpy(a->u.one.room, v->u.s, v->n);
	a->u.one.v = *v;
	a->u.one.v.u.s = a->u.one.room ? a->u.one.room : "";
}

static void hold_deep(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	size_t before = 0;

	if (!a->u.one.set) {
		a->u.one.v = ag_val_dup(arena, v);
		return;
	}
	if (a->u.one.own) {
		before = ag_arena_bytes(a->u.one.own);
		ag_arena_reset(a->u.one.own);
	} else {
		a->u.one.own = ag_arena_new();
		ag_arena_defer(arena, free_arena, a);
	}
	a->u.one.v = ag_val_dup(a->u.one.own, v);
	*extra += ag_arena_bytes(a->u.one.own) - before;
}

static void hold(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	switch (v->type) {
	case AG_T_STRING:
	case AG_T_SYMBOL:
	case AG_T_CODE:
	case AG_T_BINARY: hold_text(a, arena, v); break;
	case AG_T_OBJECT:
	case AG_T_ARRAY:
	case AG_T_REGEX:
	case AG_T_DBPOINTER:
	case AG_T_CODE_W_SCOPE: hold_deep(a, arena, v, extra); break;
	default: a->u.one.v = *v; break;
	}
	a->u.one.set = true;
}

static void add_min(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	if (!ag_expr_nullish(v) && (!a->u.one.set || ag_val_cmp(v, &a->u.one.v) < 0))
		hold(a, arena, v, extra);
}

static void add_max(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	if (!ag_expr_nullish(v) && (!a->u.one.set || ag_val_cmp(v, &a->u.one.v) > 0))
		hold(a, arena, v, extra);
}

static void add_first(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	if (!a->u.one.set)
		hold(a, arena, v, extra);
}

static void add_last(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	hold(a, arena, v, extra);
}

static ag_val result_one(const ag_acc *a, ag_arena *arena)
{
	(void)arena;
	return a->u.one.set && a->u.one.v.type != AG_T_MISSING ? a->u.one.v : ag_val_null();
}

static ag_acc_item *append(ag_acc *a, ag_arena *arena, const ag_val *v)
{
	ag_acc_item *it = ag_new(arena, ag_acc_item);

	it->v = ag_val_dup(arena, v);
	if (a->u.list.last)
		a->u.list.last->next = it;
	else
		a->u.list.first = it;
	a->u.list.last = it;
	a->u.list.n++;
	return it;
}

static void add_push(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	(void)extra;
	if (v->type != AG_T_MISSING)
		append(a, arena, v);
}

/* Old tables stay in the arena: together they are no larger than the newest. */
static void rehash(ag_acc *a, ag_arena *arena)
{
	a->u.list.nbucket = a->u.list.nbucket ? a->u.list.nbucket * 4 : 4 * FEW;
	a->u.list.buckets = ag_new_n(arena, ag_acc_item *, a->u.list.nbucket);
	for (ag_acc_item *it = a->u.list.first; it; it = it->next) {
		ag_acc_item **b = &a->u.list.buckets[it->hash & (a->u.list.nbucket - 1)];

		it->chain = *b;
		*b = it;
	}
}

static bool has_item(const ag_acc *a, uint64_t hash, const ag_val *v)
{
	const ag_acc_item *it;

	if (a->u.list.nbucket) {
		it = a->u.list.buckets[hash & (a->u.list.nbucket - 1)];
		while (it && !(it->hash == hash && ag_val_eq(&it->v, v)))
			it = it->chain;
		return it != NULL;
	}
	for (it = a->u.list.first; it; it = it->next) {
		if (it->hash == hash && ag_val_eq(&it->v, v))
			return true;
	}
	return false;
}

static void add_set(ag_acc *a, ag_arena *arena, const ag_val *v, size_t *extra)
{
	uint64_t hash = ag_val_hash(v);
	ag_acc_item *it, **b;

	(void)extra;
	if (v->type == AG_T_MISSING || has_item(a, hash, v))
		return;
	it = append(a, arena, v);
	it->hash = hash;
	if (a->u.list.nbucket && a->u.list.n <= a->u.list.nbucket) {
		b = &a->u.list.buckets[hash & (a->u.list.nbucket - 1)];
		it->chain = *b;
		*b = it;
	} else if (a->u.list.n > FEW) {
		rehash(a, arena);
	}
}

static ag_val result_list(const ag_acc *a, ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, a->u.list.n + 1);
	size_t n = 0;

	for (const ag_acc_item *it = a->u.list.first; it; it = it->next)
		items[n++] = it->v;
	return ag_val_array(items, n);
}

static const ag_acc_type types[] = {
	{ "$sum", false, add_sum, result_sum },     { "$avg", false, add_sum, result_avg },
	{ "$min", false, add_min, result_one },     { "$max", false, add_max, result_one },
	{ "$first", false, add_first, result_one }, { "$last", false, add_last, result_one },
	{ "$push", false, add_push, result_list },  { "$addToSet", false, add_set, result_list },
	{ "$count", true, add_count, result_sum },
};

const ag_acc_type *ag_acc_find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(types); i++) {
		if (ag_str_eqc(name, types[i].name))
			return &types[i];
	}
	return NULL;
}

const char *ag_acc_nearest(ag_str name)
{
	const char *names[AG_NELEM(types)];

	for (size_t i = 0; i < AG_NELEM(types); i++)
		names[i] = types[i].name;
	return ag_str_nearest(name, names, AG_NELEM(types));
}
