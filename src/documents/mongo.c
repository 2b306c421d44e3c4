/* mongo -- a collection of a MongoDB server as a source: opened, asked, counted.
 *
 * The server does the work. A filter or pipeline goes to it as it was written (and checked by the guard); counts are exact.
 * Above a limit of documents the server is first asked for its plan, and a query that would read every document is
 * refused. */
#include "documents/mongo_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "documents/cosmos.h"
#include "query/bson.h"

#define ORIGIN           "documents.mongo"
#define MAX_RESULT_BYTES (256UL << 20)
#define MAX_COUNT        9e15 /* a double holds every whole number up to here */
#define WHOLE_BYTES      (AG_MONGO_SAMPLE_BYTES / 2) /* what a collection may have that is read whole */

ag_mongo_command ag_mongo_source_command(ag_mongo_source *m, ag_mongo_verb verb)
{
	return (ag_mongo_command){ .verb = verb,
		                   .database = m->database,
		                   .collection = m->collection,
		                   .comment = m->comment,
		                   .meter = &m->meter };
}

bool ag_mongo_count_in(const ag_val *doc, const char *name, uint64_t *ret)
{
	const ag_val *v = ag_val_getc(doc, name);
	const double d = v ? ag_val_number(v) : -1;

	if (!(d >= 0 && d <= MAX_COUNT))
		return false;
	*ret = (uint64_t)d;
	return true;
}

/* --- open and close ------------------------------------------------------------------------------ */

static bool mongo_accepts(ag_str uri)
{
	return ag_mongo_is_uri(uri) || ag_cosmos_is_uri(uri);
}

static ag_str mongo_shown(ag_str uri, ag_arena *arena)
{
	ag_mongo_address a;

	if (ag_cosmos_is_uri(uri)) /* holds no secret */
		return uri;
	if (ag_mongo_address_parse(uri, arena, &a, NULL))
		return AG_S("mongodb://(wrong address)");
	return ag_mongo_address_shown(&a, arena);
}

static void mongo_close(ag_source *s)
{
	ag_mongo_source *m = ag_mongo_source_of(s);
	ag_mongo_table *next;

	for (ag_mongo_table *t = m->tables; t; t = next) {
		next = t->next;
		ag_table_free(t->t);
		free(t);
	}
	ag_mongo_close(m->server);
	pthread_mutex_destroy(&m->lock);
	ag_arena_free(m->arena);
	free(m);
}

static void mongo_spent(const ag_source *s, ag_source_spent *ret)
{
	const ag_mongo_source *m = (const ag_mongo_source *)(const void *)s;

	*ret = (ag_source_spent){
		.is_counted = ag_mongo_has_statistics(m->server),
		.units = (double)atomic_load_explicit(&m->meter.used_milli, memory_order_relaxed) /
		         1000,
		.max_units = (double)m->meter.max_milli / 1000,
		.nthrottled = atomic_load_explicit(&m->meter.nthrottled, memory_order_relaxed),
		.waited_ms = atomic_load_explicit(&m->meter.waited_ms, memory_order_relaxed),
	};
}

static void mongo_charge(ag_source *s, double units)
{
	atomic_fetch_add_explicit(&ag_mongo_source_of(s)->meter.used_milli,
	                          (uint64_t)(units * 1000), memory_order_relaxed);
}

static ag_status fail_missing(const ag_mongo_source *m, const ag_mongo_entry *all, size_t n,
                              ag_arena *arena, ag_err *err)
{
	const char **names = ag_new_n(arena, const char *, n + 1);
	const char *near;

	for (size_t i = 0; i < n; i++)
		names[i] = ag_str_cstr(arena, all[i].name);
	near = ag_str_nearest(m->collection, names, n);
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s: database \"%.*s\" has no collection \"%.*s\"",
	        AG_FMT(m->base.info.key), AG_FMT(m->database), AG_FMT(m->collection));
	if (near)
		ag_err_hint(err, "did you mean \"%s\"?", near);
	else if (!n)
		ag_err_hint(err, "the server has no such database, or no collection in it that "
		                 "this user may read");
	else
		ag_err_hint(err, "it has %zu: %s%s%s%s", n, names[0], n > 1 ? ", " : "",
		            n > 1 ? names[1] : "", n > 2 ? ", …" : "");
	return AG_NOT_FOUND;
}

/* Is it there, and what is it? A user without the right to list may still read it. */
static ag_status look_up(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena, ag_err *err)
{
	ag_mongo_entry *all;
	size_t n;
	ag_err why = { 0 };
	ag_status st = ag_mongo_collections(m->server, ctx, m->database, &m->meter, arena, &all, &n,
	                                    &why);

	if (st == AG_DENIED && why.native == 13)
		return AG_OK;
	if (st) {
		if (err)
			*err = why;
		return st;
	}
	for (size_t i = 0; i < n; i++) {
		if (!ag_str_eq(all[i].name, m->collection))
			continue;
		m->base.info.kind = ag_mongo_kind(&all[i]);
		return AG_OK;
	}
	return fail_missing(m, all, n, arena, err);
}

static ag_status count_all(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena, bool exact,
                           uint64_t *ret, ag_err *err);

/* Estimated first, because that costs nothing; exactly where a scan is allowed. */
static ag_status measure(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena, ag_err *err)
{
	const ag_mongo_command stats = ag_mongo_source_command(m, AG_MONGO_COLL_STATS);
	ag_source_info *info = &m->base.info;
	ag_val v;
	ag_status st;

	/* A view has no size of its own; the size of a time series is that of its buckets. */
	if (!ag_str_eqc(info->kind, "view") && !ag_str_eqc(info->kind, "timeseries") &&
	    !ag_mongo_run(m->server, ctx, &stats, arena, &v, NULL)) {
		/* 0 then: it is not known. */
		if (!ag_mongo_count_in(&v, "avgObjSize", &m->mean_bytes) ||
		    !ag_mongo_count_in(&v, "size", &info->nbyte))
			m->mean_bytes = info->nbyte = 0;
	}
	st = count_all(m, ctx, arena, false, &info->ndoc, err);
	info->is_estimate = true;
	if (!st && info->ndoc <= m->max_scan) {
		st = count_all(m, ctx, arena, true, &info->ndoc, err);
		info->is_estimate = false;
	}
	info->whole = info->ndoc <= AG_MONGO_WHOLE_DOCS && !info->is_estimate &&
	              (m->mean_bytes ? info->ndoc * m->mean_bytes <= WHOLE_BYTES : !info->ndoc);
	return st;
}

static ag_status mongo_open(const ag_ctx *ctx, const ag_source_place *place,
                            const ag_source_opts *opts, ag_source **ret, ag_err *err)
{
	const ag_mongo_place *of = (const ag_mongo_place *)place->of;
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_mongo *server;
	ag_mongo_source *m;
	ag_arena *arena;
	ag_status st = ag_mongo_open(&of->address, &server, err);

	if (st)
		return st;
	m = ag_xcalloc(1, sizeof(*m));
	arena = ag_arena_new();
	m->arena = arena;
	m->server = server;
	m->database = ag_str_dup(arena, of->database);
	m->collection = ag_str_dup(arena, of->collection);
	m->meter.max_milli = (uint64_t)(opts->max_units * 1000);
	m->max_scan = opts->max_scan ? opts->max_scan : AG_SOURCE_MAX_SCAN;
	m->max_sample = opts->max_sample ? opts->max_sample : AG_MONGO_SAMPLE_DOCS;
	pthread_mutex_init(&m->lock, NULL);
	m->base.type = &ag_source_mongo;
	m->base.info = (ag_source_info){
		.uri = ag_str_dup(arena, place->uri),
		.key = ag_str_dup(arena, place->key),
		.collection = m->collection,
		.database = m->database,
		.format = AG_S(""),
		.content_hash = AG_S(""),
	};
	m->base.info.kind = of->kind; /* constant */
	st = of->is_known ? AG_OK : look_up(m, ctx, scratch, err);
	if (!st)
		st = measure(m, ctx, scratch, err);
	if (st) {
		mongo_close(&m->base);
		return st;
	}
	*ret = &m->base;
	return AG_OK;
}

static void mongo_set_run(ag_source *s, ag_str run)
{
	ag_mongo_source *m = ag_mongo_source_of(s);

	m->comment = ag_str_printf(m->arena, "argus %.*s", (int)(run.len < 64 ? run.len : 64),
	                           run.ptr);
}

/* --- what a query may cost ----------------------------------------------------------------------- */

/* Does any stage of the plan read the whole collection? */
static bool has_scan(const ag_val *v, unsigned depth)
{
	for (uint32_t i = 0; v->type == AG_T_OBJECT && depth < 100 && i < v->n; i++) {
		const ag_member *m = &v->u.members[i];

		if (ag_str_eqc(m->key, "rejectedPlans"))
			continue;
		if (ag_str_eqc(m->key, "stage") && m->val.type == AG_T_STRING &&
		    ag_str_eqc(ag_val_text(&m->val), "COLLSCAN"))
			return true;
		if (has_scan(&m->val, depth + 1))
			return true;
	}
	for (uint32_t i = 0; v->type == AG_T_ARRAY && depth < 100 && i < v->n; i++)
		if (has_scan(&v->u.items[i], depth + 1))
			return true;
	return false;
}

/* The server's plan, before a query on a collection that is too large to be read for each. */
static ag_status admit(ag_mongo_source *m, const ag_ctx *ctx, const ag_mongo_command *c,
                       ag_arena *arena, ag_err *err)
{
	ag_mongo_command explain = *c;
	ag_val plan;
	ag_status st;

	if (m->base.info.ndoc <= m->max_scan)
		return AG_OK;
	explain.explain = true;
	explain.batch = 0;
	st = ag_mongo_run(m->server, ctx, &explain, arena, &plan, err);
	if (st)
		return st;
	if (!has_scan(&plan, 0))
		return AG_OK;
	ag_fail(err, AG_LIMIT, ORIGIN,
	        "%.*s: no index fits the query, so the server would read %s%" PRIu64
	        " documents; the limit is %" PRIu64 " (--max-scan)",
	        AG_FMT(m->base.info.key), m->base.info.is_estimate ? "about " : "all ",
	        m->base.info.ndoc, m->max_scan);
	ag_err_hint(err, "create an index, narrow the filter, or allow it with --max-scan");
	return AG_LIMIT;
}

bool ag_mongo_is_unknown(ag_status st, const ag_err *why)
{
	return st == AG_INVALID && (why->native == 40324 || why->native == 115 ||
	                            why->native == 168 || why->native == 238 || why->native == 59);
}

/* --- counting ------------------------------------------------------------------------------------ */

static ag_val object1(ag_arena *arena, const char *name, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ ag_str_c(name), v };
	return ag_val_object(m, 1);
}

typedef struct results {
	ag_arena *arena;
	ag_val *docs;
	size_t n, cap, max;
	size_t nbyte;
} results;

static ag_status take_result(void *arg, ag_str bson, bool *stop, ag_err *err)
{
	results *r = (results *)arg;
	ag_err why = { 0 };

	(void)stop;
	r->nbyte += bson.len;
	if (r->n == r->max)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the query has more than %zu results",
		               r->max);
	if (r->nbyte > MAX_RESULT_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the results have more than %lu MiB",
		               MAX_RESULT_BYTES >> 20);
	if (r->n == r->cap) {
		ag_val *more = ag_new_n(r->arena, ag_val, r->cap * 2 + 16);

		if (r->n)
			memcpy(more, r->docs, r->n * sizeof(*more));
		r->docs = more;
		r->cap = r->cap * 2 + 16;
	}
	if (!ag_bson_read(ag_str_dup(r->arena, bson), r->arena, &r->docs[r->n++], &why))
		return AG_OK;
	ag_fail(err, AG_PROTOCOL, ORIGIN, "the server sent a document that cannot be read: %s",
	        why.msg);
	ag_err_hint(err, "check that a MongoDB server or Azure Cosmos DB is at this address");
	return AG_PROTOCOL;
}

ag_status ag_mongo_collect(ag_mongo_source *m, const ag_ctx *ctx, const ag_mongo_command *c,
                           size_t max, ag_arena *arena, const ag_val **ret, size_t *nret,
                           ag_err *err)
{
	results r = { .arena = arena, .max = max };
	ag_status st = ag_mongo_each(m->server, ctx, c, take_result, &r, err);

	*ret = r.docs;
	*nret = r.n;
	return st;
}

static ag_status take_count(const ag_mongo_source *m, const ag_val *answer, uint64_t *ret,
                            ag_err *err)
{
	if (ag_mongo_count_in(answer, "n", ret))
		return AG_OK;
	ag_fail(err, AG_PROTOCOL, ORIGIN,
	        "%.*s: the server's answer to a count is no number of documents",
	        AG_FMT(m->base.info.key));
	ag_err_hint(err, "check that a MongoDB server or Azure Cosmos DB is at this address");
	return AG_PROTOCOL;
}

static ag_status count_by_pipeline(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena,
                                   const ag_val *filter, uint64_t *ret, int64_t *ret_ms,
                                   ag_err *err)
{
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_AGGREGATE);
	const ag_val stages[2] = { object1(arena, "$match",
		                           filter ? *filter : ag_val_object(NULL, 0)),
		                   object1(arena, "$count", ag_val_str(AG_S("n"))) };
	const ag_val pipeline = ag_val_array(stages, 2);
	const ag_val *docs = NULL;
	size_t n = 0;
	ag_status st;

	c.query = &pipeline;
	c.time_ms = ret_ms;
	st = filter && filter->n ? admit(m, ctx, &c, arena, err) : AG_OK;
	if (!st)
		st = ag_mongo_collect(m, ctx, &c, 1, arena, &docs, &n, err);
	*ret = 0;
	return st || !n ? st : take_count(m, &docs[0], ret, err);
}

/* An estimate comes from the collection's own records. The exact number is counted: those records may be wrong after a
 * crash, and on a sharded cluster while chunks move. */
static ag_status count_all(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena, bool exact,
                           uint64_t *ret, ag_err *err)
{
	const ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_COUNT);
	ag_val v;
	ag_status st;

	if (exact)
		return count_by_pipeline(m, ctx, arena, NULL, ret, &m->base.info.counted_ms, err);
	st = ag_mongo_run(m->server, ctx, &c, arena, &v, err);
	return st ? st : take_count(m, &v, ret, err);
}

/* With `count` the server may answer from an index alone; a router counts documents of chunks under way twice. */
static ag_status count(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena, const ag_val *filter,
                       uint64_t *ret, int64_t *ret_ms, ag_err *err)
{
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_COUNT);
	ag_val v;
	ag_status st;

	if (!filter->n && m->base.info.is_estimate) {
		*ret = m->base.info.ndoc;
		return AG_OK;
	}
	if (!filter->n || ag_mongo_server_of(m->server).is_sharded)
		return count_by_pipeline(m, ctx, arena, filter, ret, ret_ms, err);
	c.query = filter;
	c.time_ms = ret_ms;
	st = admit(m, ctx, &c, arena, err);
	if (!st)
		st = ag_mongo_run(m->server, ctx, &c, arena, &v, err);
	return st ? st : take_count(m, &v, ret, err);
}

/* --- queries ------------------------------------------------------------------------------------- */

/* "orders _id 507f…" for a number or an ObjectId; else the collection alone: a text may be somebody's address. */
static ag_str where_text(const ag_mongo_source *m, const ag_val *doc, ag_arena *arena)
{
	const ag_val *id = ag_val_getc(doc, "_id");

	if (!id || (id->type != AG_T_OID && id->type != AG_T_INT32 && id->type != AG_T_INT64))
		return m->collection;
	if (id->type == AG_T_OID) {
		char hex[25];

		for (unsigned i = 0; i < 12; i++)
			snprintf(hex + 2 * i, 3, "%02x", id->u.oid[i]);
		return ag_str_printf(arena, "%.*s _id %s", AG_FMT(m->collection), hex);
	}
	return ag_str_printf(arena, "%.*s _id %" PRId64, AG_FMT(m->collection), id->u.i);
}

/* One document more than wanted: when it is not there, the documents are all there are, and nothing needs to be counted.
 * io: what is known, matched too when is_counted; gets the answer. */
static ag_status find_and_count(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena,
                                const ag_val *filter, size_t limit, bool is_counted,
                                ag_mongo_answer *io, ag_err *err)
{
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_FIND);
	int64_t find_ms = 0;
	ag_status st = AG_OK;

	c.query = filter;
	c.limit = (int64_t)limit + 1;
	c.batch = AG_MONGO_BATCH;
	c.time_ms = &find_ms;
	if (limit) {
		st = admit(m, ctx, &c, arena, err);
		if (!st)
			st = ag_mongo_collect(m, ctx, &c, limit + 1, arena, &io->docs, &io->ndoc,
			                      err);
	}
	if (!st && limit && io->ndoc <= limit) {
		io->matched = io->ndoc;
		io->counted_ms = find_ms;
	} else if (!st && !is_counted) {
		st = count(m, ctx, arena, filter, &io->matched, &io->counted_ms, err);
	}
	if (io->ndoc > limit)
		io->ndoc = limit;
	if (io->matched < io->ndoc) /* documents went in between */
		io->matched = io->ndoc;
	return st;
}

/* A router is asked for a few documents and their count in one pass. Within max_scan only, so that no plan is needed. */
static bool learn_at_once(ag_mongo_source *m, const ag_ctx *ctx, ag_arena *arena,
                          const ag_safe_query *q, size_t limit, ag_mongo_answer *ret)
{
	return limit && limit <= AG_MONGO_SHOWN && ag_mongo_server_of(m->server).is_sharded &&
	       m->base.info.ndoc <= m->max_scan && !ag_mongo_sum_of(m, ctx, q, NULL) &&
	       ag_mongo_known(m, q, arena, ret);
}

static ag_status mongo_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                            const ag_safe_query *q, size_t limit, ag_found *ret, ag_err *err)
{
	ag_mongo_source *m = ag_mongo_source_of(s);
	ag_mongo_answer a = { 0 };
	const bool is_known = ag_mongo_known(m, q, arena, &a) ||
	                      learn_at_once(m, ctx, arena, q, limit, &a);
	const size_t want = a.matched < limit ? (size_t)a.matched : limit;
	ag_str *where;
	ag_status st;

	if (!is_known || a.ndoc < want) {
		st = find_and_count(m, ctx, arena, q->value, limit, is_known, &a, err);
		if (st)
			return st;
		ag_mongo_learn(m, q, &a, arena);
	}
	if (a.ndoc > limit)
		a.ndoc = limit;
	where = ag_new_n(arena, ag_str, a.ndoc + 1);
	for (size_t i = 0; i < a.ndoc; i++)
		where[i] = where_text(m, &a.docs[i], arena);
	*ret = (ag_found){ .docs = a.docs, .ndoc = a.ndoc, .where = where, .matched = a.matched };
	return AG_OK;
}

/* The answer to the pipeline, or to the same without a $limit at its end that cuts nothing off. */
static bool known_results(ag_mongo_source *m, const ag_safe_query *q, ag_arena *arena,
                          ag_mongo_answer *ret)
{
	const ag_val *stages = q->value;
	const ag_val *limit = stages->n ? ag_val_getc(&stages->u.items[stages->n - 1], "$limit")
	                                : NULL;
	ag_val shorter;
	ag_safe_query without;
	int64_t most;

	if (ag_mongo_known(m, q, arena, ret))
		return true;
	if (!limit || !ag_val_to_i64(limit, &most) || stages->n < 2)
		return false;
	shorter = ag_val_array(stages->u.items, stages->n - 1);
	return !ag_docquery_check(&shorter, arena, &without, NULL) &&
	       ag_mongo_known(m, &without, arena, ret) && ret->matched <= (uint64_t)most;
}

static int64_t mongo_counted(ag_source *s, const ag_safe_query *q)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_mongo_source *m = ag_mongo_source_of(s);
	ag_mongo_answer a = { 0 };
	const bool is_known = q->pipeline ? known_results(m, q, scratch, &a)
	                                  : ag_mongo_known(m, q, scratch, &a);

	return is_known ? a.counted_ms : 0;
}

static ag_status mongo_aggregate(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                 const ag_safe_query *q, size_t max_results, const ag_val **ret,
                                 size_t *nret, ag_err *err)
{
	ag_mongo_source *m = ag_mongo_source_of(s);
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_AGGREGATE);
	ag_mongo_answer known, said = { 0 };
	ag_status st;

	if (known_results(m, q, arena, &known) && known.matched <= max_results) {
		*ret = known.docs;
		*nret = known.ndoc;
		return AG_OK;
	}
	c.query = q->value;
	c.batch = AG_MONGO_BATCH;
	c.uses_disk = true;
	c.time_ms = &said.counted_ms;
	st = admit(m, ctx, &c, arena, err);
	if (!st)
		st = ag_mongo_collect(m, ctx, &c, max_results, arena, ret, nret, err);
	if (!st && *nret <= AG_MONGO_SHOWN) {
		said.matched = said.ndoc = *nret;
		said.docs = *ret;
		ag_mongo_learn(m, q, &said, arena);
	}
	return st;
}

const ag_source_type ag_source_mongo = {
	.name = "mongodb",
	.help = "MongoDB: mongodb://user@host:27017/database.collection, mongodb+srv://…; without the "
		"collection, or with * in it, several; Azure Cosmos DB: cosmos://ACCOUNT/database.collection",
	.is_shared = true,
	.accepts = mongo_accepts,
	.shown = mongo_shown,
	.base = ag_mongo_base,
	.list = ag_mongo_list,
	.skipped = ag_mongo_skipped,
	.open = mongo_open,
	.close = mongo_close,
	.find = mongo_find,
	.aggregate = mongo_aggregate,
	.set_run = mongo_set_run,
	.counted = mongo_counted,
	.spent = mongo_spent,
	.charge = mongo_charge,
	.prepare = ag_mongo_prepare,
	.survey = ag_mongo_survey,
	.profile = ag_mongo_profile,
	.marks = ag_mongo_marks,
	.frames = ag_mongo_frames,
};
