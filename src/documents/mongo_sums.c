/* mongo_sums -- many filters counted in one $group of conditional sums, with the first documents of each.
 *
 * [{"$group": {"_id": null, "n0": {"$sum": {"$cond": [E0, 1, 0]}}, "i0": {"$minN": {"input": {"$cond": [E0, "$_id", null]}, …}}, …}}]
 * A router of a sharded cluster sends the stage to the shards and adds up what they answer, so every shard reads its documents
 * once. With $facet it would fetch all documents itself. A $project before it that computes each E once is no gain: an engine that
 * merges both stages (pg_documentdb) then computes all of them for each sum, which took minutes for 40 filters. E0 is the filter as an expression (query/filter_expr.h); a filter that
 * has none is asked alone. The _ids of the first documents come with the sums, and one find over the index of _id reads those
 * documents. Two shards may each have a document of one _id, so a document counts only when the filter matches it here, too. */
#include "documents/mongo_source.h"

#include "query/filter_expr.h"

#define MAX_DOUBLE_IDS 4 /* documents of one _id that are read */
#define MAX_FAILED     8 /* commands, none of which a server answered: it is not asked again */

/* Filters of one command, and what has been found out about them. */
typedef struct sums {
	ag_mongo_source *m;
	const ag_ctx *ctx;
	ag_arena *arena;
	const ag_safe_query *q;
	const ag_val *exprs;
	const ag_val *match; /* a $match before the $group; NULL = none */
	size_t n;
	bool with_docs;
	ag_mongo_answer *said;
	const ag_val **ids; /* per filter, AG_MONGO_SHOWN */
} sums;

static ag_val object1(ag_arena *arena, const char *name, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ ag_str_c(name), v };
	return ag_val_object(m, 1);
}

static ag_val cond(ag_arena *arena, ag_val what, ag_val then, ag_val otherwise)
{
	ag_val *three = ag_new_n(arena, ag_val, 3);

	three[0] = what;
	three[1] = then;
	three[2] = otherwise;
	return object1(arena, "$cond", ag_val_array(three, 3));
}

/* --- the pipeline ---------------------------------------------------------------------------------- */

/* {"$minN": {"input": v, "n": 3}}; null is passed over by it, by $min and by $max. */
static ag_val min_n(ag_arena *arena, ag_val v)
{
	ag_member *m = ag_new_n(arena, ag_member, 2);

	m[0] = (ag_member){ AG_S("input"), v };
	m[1] = (ag_member){ AG_S("n"), ag_val_int(AG_MONGO_SHOWN) };
	return object1(arena, "$minN", ag_val_object(m, 2));
}

static ag_val group_stage(const sums *s)
{
	ag_member *m = ag_new_n(s->arena, ag_member, 1 + 3 * s->n);
	size_t k = 0;

	m[k++] = (ag_member){ AG_S("_id"), ag_val_null() };
	for (size_t i = 0; i < s->n; i++) {
		const ag_val one = cond(s->arena, s->exprs[i], ag_val_int(1), ag_val_int(0));
		const ag_val id = cond(s->arena, s->exprs[i], ag_val_str(AG_S("$_id")),
		                       ag_val_null());

		m[k++] = (ag_member){ ag_str_printf(s->arena, "n%zu", i),
			              object1(s->arena, "$sum", one) };
		if (s->with_docs && !s->m->has_no_min_n) {
			m[k++] = (ag_member){ ag_str_printf(s->arena, "i%zu", i),
				              min_n(s->arena, id) };
		} else if (s->with_docs) {
			m[k++] = (ag_member){ ag_str_printf(s->arena, "i%zu", i),
				              object1(s->arena, "$min", id) };
			m[k++] = (ag_member){ ag_str_printf(s->arena, "j%zu", i),
				              object1(s->arena, "$max", id) };
		}
	}
	return object1(s->arena, "$group", ag_val_object(m, k));
}

/* --- the answer ------------------------------------------------------------------------------------ */

static void add_id(const sums *s, size_t i, const ag_val *id)
{
	size_t k = 0;

	if (!id || id->type == AG_T_NULL)
		return;
	while (k < AG_MONGO_SHOWN && s->ids[i * AG_MONGO_SHOWN + k]) {
		if (ag_val_eq(s->ids[i * AG_MONGO_SHOWN + k], id))
			return;
		k++;
	}
	if (k < AG_MONGO_SHOWN)
		s->ids[i * AG_MONGO_SHOWN + k] = id;
}

/* False: the answer has no count of the filter. */
static bool take_count(const sums *s, size_t i, const ag_val *group)
{
	const ag_val *first = ag_val_get(group, ag_str_printf(s->arena, "i%zu", i));
	const ag_val *last = ag_val_get(group, ag_str_printf(s->arena, "j%zu", i));

	if (!ag_mongo_count_in(group, ag_str_printf(s->arena, "n%zu", i).ptr, &s->said[i].matched))
		return false;
	for (uint32_t k = 0; first && first->type == AG_T_ARRAY && k < first->n; k++)
		add_id(s, i, &first->u.items[k]);
	if (first && first->type != AG_T_ARRAY)
		add_id(s, i, first);
	add_id(s, i, last);
	return true;
}

/* In the order of their _ids, which is the same in each run; the server gives them as its plan has them. */
static void give_docs(const sums *s, const ag_val *docs, size_t ndoc)
{
	for (size_t i = 0; i < s->n; i++) {
		const ag_val *const *ids = &s->ids[i * AG_MONGO_SHOWN];
		ag_val *some = ag_new_n(s->arena, ag_val, AG_MONGO_SHOWN);
		size_t n = 0;

		for (size_t k = 0; k < AG_MONGO_SHOWN && ids[k]; k++) {
			for (size_t d = 0; d < ndoc && n < AG_MONGO_SHOWN; d++) {
				const ag_val *id = ag_val_getc(&docs[d], "_id");

				if (id && ag_val_eq(ids[k], id) &&
				    ag_filter_match(s->q[i].filter, &docs[d]))
					some[n++] = docs[d];
			}
		}
		s->said[i].docs = some;
		s->said[i].ndoc = n;
	}
}

/* The documents of all _ids that came with the sums. */
static ag_status read_docs(const sums *s, ag_err *err)
{
	ag_mongo_command c = ag_mongo_source_command(s->m, AG_MONGO_FIND);
	ag_val *ids = ag_new_n(s->arena, ag_val, s->n * AG_MONGO_SHOWN + 1), filter;
	const ag_val *docs = NULL;
	size_t n = 0, ndoc = 0;
	ag_status st;

	for (size_t i = 0; i < s->n * AG_MONGO_SHOWN; i++)
		if (s->ids[i])
			ids[n++] = *s->ids[i];
	if (!n)
		return AG_OK;
	filter = object1(s->arena, "_id", object1(s->arena, "$in", ag_val_array(ids, n)));
	c.query = &filter;
	c.batch = AG_MONGO_BATCH;
	st = ag_mongo_collect(s->m, s->ctx, &c, n * MAX_DOUBLE_IDS, s->arena, &docs, &ndoc, err);
	if (!st)
		give_docs(s, docs, ndoc);
	return st;
}

static ag_status ask(const sums *s, ag_err *err)
{
	ag_mongo_command c = ag_mongo_source_command(s->m, AG_MONGO_AGGREGATE);
	ag_val stages[2], pipeline;
	const ag_val *docs = NULL;
	int64_t counted_ms = 0;
	size_t ndoc = 0, nstage = 0;
	bool *is_counted = ag_new_n(s->arena, bool, s->n);
	ag_status st;

	if (s->match)
		stages[nstage++] = object1(s->arena, "$match", *s->match);
	stages[nstage++] = group_stage(s);
	pipeline = ag_val_array(stages, nstage);
	c.query = &pipeline;
	c.time_ms = &counted_ms;
	st = ag_mongo_collect(s->m, s->ctx, &c, 1, s->arena, &docs, &ndoc, err);
	for (size_t i = 0; !st && i < s->n; i++) /* without a document there is no group */
		is_counted[i] = ndoc == 1 ? take_count(s, i, &docs[0]) : s->match != NULL;
	if (!st && s->with_docs)
		st = read_docs(s, err);
	for (size_t i = 0; i < s->n; i++) {
		s->said[i].counted_ms = counted_ms;
		if (is_counted[i])
			ag_mongo_learn(s->m, &s->q[i], &s->said[i], s->arena);
	}
	return st;
}

/* --- more than one filter, or fewer ---------------------------------------------------------------- */

static bool give_up(ag_mongo_source *m, ag_status st)
{
	bool ret;

	pthread_mutex_lock(&m->lock);
	m->has_sums = m->has_sums || !st;
	m->nsum_failed += st == AG_INVALID;
	ret = !m->has_sums && m->nsum_failed >= MAX_FAILED;
	pthread_mutex_unlock(&m->lock);
	return ret;
}

/* The filters of s, with their first documents where these are small. */
static ag_status ask_some(sums *s, ag_err *err)
{
	ag_mongo_source *m = s->m;
	ag_status st;

	s->with_docs = ag_mongo_shows(m, s->n);
	s->said = ag_new_n(s->arena, ag_mongo_answer, s->n);
	s->ids = ag_new_n(s->arena, const ag_val *, s->n *AG_MONGO_SHOWN);
	st = ask(s, err);
	if (st != AG_INVALID || !s->with_docs || m->has_no_min_n)
		return st;
	/* Servers before 5.2 have no $minN. */
	pthread_mutex_lock(&m->lock);
	m->has_no_min_n = true;
	pthread_mutex_unlock(&m->lock);
	return ask(s, err);
}

/* One expression that the server refuses fails the whole command, so the halves are asked then. */
static ag_status ask_halves(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q,
                            const ag_val *exprs, size_t n, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	sums s = { .m = m, .ctx = ctx, .arena = scratch, .q = q, .exprs = exprs, .n = n };
	const size_t half = n / 2;
	ag_status st;

	if (n < 2 || m->has_no_sums)
		return AG_OK;
	st = ask_some(&s, err);
	if (give_up(m, st)) {
		pthread_mutex_lock(&m->lock);
		m->has_no_sums = true;
		pthread_mutex_unlock(&m->lock);
	}
	if (st != AG_INVALID)
		return st;
	st = ask_halves(m, ctx, q, exprs, half, err);
	return st ? st : ask_halves(m, ctx, q + half, exprs + half, n - half, err);
}

ag_status ag_mongo_sums(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q, size_t n,
                        ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_safe_query *some = ag_new_n(scratch, ag_safe_query, n + 1);
	ag_val *exprs = ag_new_n(scratch, ag_val, n + 1);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		some[k] = q[i];
		k += ag_filter_to_expr(q[i].filter, scratch, &exprs[k]);
	}
	return ask_halves(m, ctx, some, exprs, k, err);
}

ag_status ag_mongo_sum_of(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q,
                          ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const ag_val all = ag_val_bool(true);
	sums s = { .m = m,
		   .ctx = ctx,
		   .arena = scratch,
		   .q = q,
		   .exprs = &all,
		   .match = q->value,
		   .n = 1 };

	return ask_some(&s, err);
}
