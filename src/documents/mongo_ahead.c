/* mongo_ahead -- answers that are remembered, and many filters counted in one pass over the collection.
 *
 * An audit asks hundreds of questions about one collection, most of them without an index, and some twice. Each would be a
 * pass over all documents. So answers are kept as long as the handle is open, and filters that are known beforehand are put
 * into one $facet: the server reads each document once and tries all of them. On a sharded cluster $facet would move every
 * document to one place, and some servers do not know it: there they become sums of one $group (mongo_sums.c). */
#include "documents/mongo_source.h"

#include "mongo/charge.h"

#define PER_PASS         40                /* filters of one command */
#define PER_PASS_OF_MANY 12                /* where a command with 40 could reach its time limit */
#define MANY             (2 * 1000 * 1000) /* documents */
#define MAX_KNOWN        4096
#define MAX_SHOWN_BYTES  (4u << 20) /* of the documents in one answer, whose limit is 16 MiB */

/* --- what is known -------------------------------------------------------------------------------- */

static ag_str canonical(const ag_safe_query *q, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(AG_FILTER_MAX_BYTES);
	ag_str ret;

	ag_docquery_canonical(q, &b);
	ret = b.failed ? AG_S("") : ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static ag_mongo_answer *find_answer(const ag_mongo_source *m, ag_str key)
{
	for (ag_mongo_answer *a = m->answers; a; a = a->next)
		if (ag_str_eq(a->key, key))
			return a;
	return NULL;
}

bool ag_mongo_known(ag_mongo_source *m, const ag_safe_query *q, ag_arena *arena,
                    ag_mongo_answer *ret)
{
	const ag_str key = canonical(q, arena);
	const ag_mongo_answer *a;

	pthread_mutex_lock(&m->lock);
	a = key.len ? find_answer(m, key) : NULL;
	if (a)
		*ret = *a;
	pthread_mutex_unlock(&m->lock);
	return a != NULL;
}

void ag_mongo_learn(ag_mongo_source *m, const ag_safe_query *q, const ag_mongo_answer *said,
                    ag_arena *scratch)
{
	const ag_str key = canonical(q, scratch);
	const ag_val *docs = said->docs;
	size_t ndoc = said->ndoc;
	ag_mongo_answer *a;
	ag_val *copy;

	if (!key.len)
		return;
	if (ndoc > AG_MONGO_SHOWN)
		ndoc = AG_MONGO_SHOWN;
	pthread_mutex_lock(&m->lock);
	a = find_answer(m, key);
	if (!a && m->nanswer < MAX_KNOWN) {
		a = ag_new(m->arena, ag_mongo_answer);
		a->key = ag_str_dup(m->arena, key);
		a->next = m->answers;
		m->answers = a;
		m->nanswer++;
	}
	if (a && (!a->docs || ndoc > a->ndoc)) {
		copy = ag_new_n(m->arena, ag_val, ndoc + 1);
		for (size_t i = 0; i < ndoc; i++)
			copy[i] = ag_val_dup(m->arena, &docs[i]);
		a->docs = copy;
		a->ndoc = ndoc;
	}
	if (a) {
		a->matched = said->matched;
		a->counted_ms = said->counted_ms;
	}
	pthread_mutex_unlock(&m->lock);
}

/* --- many at once --------------------------------------------------------------------------------- */

static ag_val object1(ag_arena *arena, ag_str name, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ name, v };
	return ag_val_object(m, 1);
}

static ag_val stages(ag_arena *arena, const ag_val *filter, const char *name, ag_val v)
{
	ag_val *two = ag_new_n(arena, ag_val, 2);

	two[0] = object1(arena, AG_S("$match"), *filter);
	two[1] = object1(arena, ag_str_c(name), v);
	return ag_val_array(two, 2);
}

/* {"$facet": {"c0": [{"$match": …}, {"$count": "n"}], "d0": [{"$match": …}, {"$limit": 3}], …}} */
static ag_val facet(const ag_safe_query *q, size_t n, bool with_docs, ag_arena *arena)
{
	ag_member *m = ag_new_n(arena, ag_member, 2 * n);
	ag_val *stage = ag_new(arena, ag_val);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		m[k++] = (ag_member){ ag_str_printf(arena, "c%zu", i),
			              stages(arena, q[i].value, "$count", ag_val_str(AG_S("n"))) };
		if (with_docs)
			m[k++] = (ag_member){ ag_str_printf(arena, "d%zu", i),
				              stages(arena, q[i].value, "$limit",
				                     ag_val_int(AG_MONGO_SHOWN)) };
	}
	*stage = object1(arena, AG_S("$facet"), ag_val_object(m, k));
	return ag_val_array(stage, 1);
}

static void take_facet(ag_mongo_source *m, const ag_safe_query *q, size_t n, bool with_docs,
                       const ag_val *result, int64_t counted_ms, ag_arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		const ag_val *c = ag_val_get(result, ag_str_printf(arena, "c%zu", i));
		const ag_val *d = ag_val_get(result, ag_str_printf(arena, "d%zu", i));
		ag_mongo_answer said = { .counted_ms = counted_ms };

		if (!c || c->type != AG_T_ARRAY || (with_docs && (!d || d->type != AG_T_ARRAY)))
			continue;
		if (c->n && !ag_mongo_count_in(&c->u.items[0], "n", &said.matched))
			continue;
		if (with_docs) {
			said.docs = d->u.items;
			said.ndoc = d->n;
		}
		ag_mongo_learn(m, &q[i], &said, arena);
	}
}

bool ag_mongo_shows(const ag_mongo_source *m, size_t n)
{
	return m->mean_bytes && m->mean_bytes * n * AG_MONGO_SHOWN <= MAX_SHOWN_BYTES;
}

static ag_status pass(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q, size_t n,
                      ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const bool with_docs = ag_mongo_shows(m, n);
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_AGGREGATE);
	const ag_val pipeline = facet(q, n, with_docs, scratch);
	const ag_val *docs = NULL;
	int64_t counted_ms = 0;
	size_t ndoc = 0;
	ag_status st;

	c.query = &pipeline;
	c.uses_disk = true;
	c.time_ms = &counted_ms;
	st = ag_mongo_collect(m, ctx, &c, 1, scratch, &docs, &ndoc, err);
	if (!st && ndoc == 1)
		take_facet(m, q, n, with_docs, &docs[0], counted_ms, scratch);
	return st;
}

/* A server that does not know $facet is asked in the other way. */
static ag_status pass_either(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q,
                             size_t n, ag_err *err)
{
	ag_status st;

	if (!m->has_no_facet && !ag_mongo_server_of(m->server).is_sharded) {
		st = pass(m, ctx, q, n, err);
		if (!ag_mongo_is_unknown(st, err))
			return st;
		pthread_mutex_lock(&m->lock);
		m->has_no_facet = true;
		pthread_mutex_unlock(&m->lock);
	}
	return ag_mongo_sums(m, ctx, q, n, err);
}

static bool is_spent(const ag_mongo_source *m)
{
	return ag_mongo_check_budget(&m->meter, true, NULL) != AG_OK;
}

ag_status ag_mongo_prepare(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q, size_t n,
                           ag_err *err)
{
	ag_mongo_source *m = ag_mongo_source_of(s);
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_safe_query *open = ag_new_n(scratch, ag_safe_query, n + 1);
	ag_mongo_answer known;
	const size_t per_pass = s->info.ndoc > MANY ? PER_PASS_OF_MANY : PER_PASS;
	size_t nopen = 0;
	ag_err why = { 0 };
	ag_status st = AG_OK;

	/* A scan that is not allowed for one is not allowed for many: then indexes decide, one by one. */
	if (s->info.ndoc > m->max_scan || !s->info.ndoc)
		return AG_OK;
	for (size_t i = 0; i < n; i++)
		if (q[i].filter && !ag_mongo_known(m, &q[i], scratch, &known))
			open[nopen++] = q[i];
	for (size_t at = 0; at < nopen; at += per_pass) {
		const size_t k = nopen - at < per_pass ? nopen - at : per_pass;

		if (k < 2)
			break;
		/* Where the server refuses one filter of these, they are asked alone. */
		st = pass_either(m, ctx, open + at, k, &why);
		if (st == AG_CANCELLED || st == AG_UNAVAILABLE || is_spent(m) ||
		    (st == AG_TIMEOUT && ag_ctx_left_ms(ctx) == 0)) {
			if (st && err)
				*err = why;
			return st;
		}
	}
	return AG_OK;
}
