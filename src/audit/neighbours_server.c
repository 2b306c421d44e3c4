/* neighbours_server -- keys of a collection that is not read: its server says whether their values are different, and which of
 * a list it has.
 *
 *   [{"$match": {"_id": {"$in": [12, "12", …]}}}, {"$group": {"_id": "$_id"}}]
 *
 * A number and its text are one key (ag_neighbour_hash()), so both are asked for. With an index on the key the server
 * reads as many documents as there are values; without one it reads all of them, which max_scan may refuse. */
#include <stdio.h>
#include <stdlib.h>

#include "audit/evidence_build.h"
#include "audit/neighbours_parts.h"

#define PER_COMMAND 5000 /* values; twice as many with the other form of each */
#define FILLED      0.95 /* as for a file */
#define DIFFERENT   0.98

#define KV  AG_EV_KV
#define OBJ AG_EV_OBJ
#define ARR AG_EV_ARR

static ag_val named(ag_arena *a, ag_str name, ag_val v)
{
	const ag_member m = { name, v };

	return ag_ev_obj(a, &m, 1);
}

static ag_val dollar(ag_arena *a, ag_str path)
{
	return ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(path)));
}

/* The other form of a number or text; false: it has none. "012" is not 12. */
static bool other_form(ag_arena *a, const ag_val *v, ag_val *ret)
{
	ag_str text;
	int64_t i = 0;

	if (v->type == AG_T_INT32 || v->type == AG_T_INT64) {
		*ret = ag_val_str(ag_str_printf(a, "%lld", (long long)v->u.i));
		return true;
	}
	if (v->type != AG_T_STRING || !v->n || v->n > 18)
		return false;
	for (uint32_t k = 0; k < v->n; k++) {
		if (v->u.s[k] < '0' || v->u.s[k] > '9')
			return false;
		i = i * 10 + (v->u.s[k] - '0');
	}
	text = ag_str_printf(a, "%lld", (long long)i);
	*ret = ag_val_int(i);
	return ag_str_eq(text, ag_val_text(v));
}

static ag_status aggregate(ag_neighbour *one, const ag_neighbour_ask *ask, ag_arena *a,
                           const ag_val *pipeline, size_t max, const ag_val **ret, size_t *nret,
                           ag_err *err)
{
	ag_status st = ag_neighbour_open(one, ask, err);

	if (!st)
		st = ag_source_aggregate(one->source, ask->ctx, a, pipeline, max, ret, nret, err);
	ag_neighbour_pay(one, ask);
	return st;
}

/* In most documents, and another value in each? */
static ag_status is_key(ag_neighbour *one, const ag_neighbour_ask *ask, ag_neighbour_key *k,
                        ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *a = ag_arena_new();
	const ag_val not_null = named(a, k->path, OBJ(a, KV("$ne", ag_val_null())));
	const ag_val one_of = OBJ(a, KV("$sum", ag_val_int(1)));
	const ag_val pipeline =
		ARR(a, OBJ(a, KV("$match", not_null)),
	            OBJ(a, KV("$group", OBJ(a, KV("_id", dollar(a, k->path)), KV("n", one_of)))),
	            OBJ(a, KV("$group", OBJ(a, KV("_id", ag_val_null()), KV("values", one_of),
	                                    KV("n", OBJ(a, KV("$sum", ag_ev_text("$n"))))))));
	const ag_val *docs = NULL;
	double values, n;
	size_t ndoc = 0;
	ag_status st;

	if (k->is_id || k->is_key != AG_KEY_MAYBE) {
		k->is_key = k->is_id ? AG_KEY_YES : k->is_key;
		return AG_OK;
	}
	st = aggregate(one, ask, a, &pipeline, 1, &docs, &ndoc, err);
	if (st)
		return st;
	values = ndoc ? (double)ag_val_member_u64(&docs[0], "values") : 0;
	n = ndoc ? (double)ag_val_member_u64(&docs[0], "n") : 0;
	k->is_key = n > 0 && n >= FILLED * (double)one->ndoc && values >= DIFFERENT * n ? AG_KEY_YES
	                                                                                : AG_KEY_NO;
	return AG_OK;
}

static int by_hash(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static ag_status have_some(ag_neighbour *one, const ag_neighbour_ask *ask,
                           const ag_neighbour_key *k, const ag_val *values, size_t n, bool *ret,
                           ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *a = ag_arena_new();
	ag_val *list = ag_new_n(a, ag_val, 2 * n);
	ag_neighbour_key there = { 0 };
	ag_val pipeline;
	const ag_val *docs = NULL;
	size_t nlist = 0, ndoc = 0;
	ag_status st;

	for (size_t i = 0; i < n; i++) {
		list[nlist++] = values[i];
		nlist += other_form(a, &values[i], &list[nlist]);
	}
	pipeline = ARR(a,
	               OBJ(a, KV("$match",
	                         named(a, k->path, OBJ(a, KV("$in", ag_ev_arr(a, list, nlist)))))),
	               OBJ(a, KV("$group", OBJ(a, KV("_id", dollar(a, k->path))))));
	st = aggregate(one, ask, a, &pipeline, nlist + 1, &docs, &ndoc, err);
	if (st)
		return st;
	there.hashes = ag_new_n(a, uint64_t, ndoc + 1);
	for (size_t i = 0; i < ndoc; i++) {
		const ag_val *v = ag_val_getc(&docs[i], "_id");

		there.n += v && ag_neighbour_hash(v, &there.hashes[there.n]);
	}
	qsort(there.hashes, there.n, sizeof(*there.hashes), by_hash);
	for (size_t i = 0; i < n; i++)
		ret[i] = ag_neighbour_has(&there, &values[i]);
	return AG_OK;
}

ag_status ag_neighbours_have(ag_neighbours *n, const ag_neighbour_ask *ask,
                             const ag_neighbour_key *k, const ag_val *values, size_t nvalue,
                             bool *ret, bool *ret_known, ag_err *err)
{
	ag_neighbour *one = k->of;
	ag_err why = { 0 };
	ag_status st;

	*ret_known = true;
	for (size_t i = 0; i < nvalue && !k->is_sample; i++)
		ret[i] = ag_neighbour_has(k, &values[i]);
	if (!k->is_sample)
		return AG_OK;
	*ret_known = false;
	if (one->why.len)
		return AG_OK;
	st = is_key(one, ask, &one->keys[k - one->keys], &why);
	if (!st && k->is_key == AG_KEY_NO)
		return AG_OK;
	for (size_t at = 0; !st && at < nvalue; at += PER_COMMAND)
		st = have_some(one, ask, k, values + at,
		               nvalue - at < PER_COMMAND ? nvalue - at : PER_COMMAND, ret + at,
		               &why);
	*ret_known = !st;
	if (!st || !ag_neighbour_fails(n, one, ask, st, &why))
		return AG_OK;
	if (err)
		*err = why;
	return st;
}
