/* mongo_sample -- documents of the collection as a table of columns/, for profile, frames and survey.
 *
 * A small collection is read whole. Of a larger one the server chooses ($sample); where it cannot, slices along _id are
 * read. Documents travel as BSON and are read by the reader of BSON files. */
#include "documents/mongo_source.h"

#include <stdlib.h>

#include "columns/load.h"
#include "columns/sample.h"
#include "documents/marks.h"

#define ORIGIN      "documents.mongo"
#define SLICES      20
#define CHUNK_STEPS 256 /* documents between two looks at progress */

typedef struct reading {
	const ag_ctx *ctx;
	ag_buf bytes;
	uint64_t n, want;
	bool is_full; /* the bytes have reached their limit */
} reading;

static ag_status take_doc(void *arg, ag_str bson, bool *stop, ag_err *err)
{
	reading *r = (reading *)arg;

	if (r->n == r->want || r->bytes.len + bson.len > AG_MONGO_SAMPLE_BYTES) {
		r->is_full = r->n < r->want;
		*stop = true;
		return AG_OK;
	}
	ag_buf_add(&r->bytes, bson);
	r->n++;
	ag_ctx_advance(r->ctx, 1, 1);
	if (r->n % CHUNK_STEPS == 0)
		return ag_ctx_check(r->ctx, err);
	return AG_OK;
}

static ag_val object1(ag_arena *arena, const char *name, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ ag_str_c(name), v };
	return ag_val_object(m, 1);
}

static ag_status read_all(ag_mongo_source *m, reading *r, ag_err *err)
{
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_FIND);

	c.batch = AG_MONGO_BATCH;
	return ag_mongo_each(m->server, r->ctx, &c, take_doc, r, err);
}

static ag_status read_sample(ag_mongo_source *m, reading *r, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_AGGREGATE);
	const ag_val stage = object1(scratch, "$sample",
	                             object1(scratch, "size", ag_val_int((int64_t)r->want)));
	const ag_val stages = ag_val_array(&stage, 1);

	c.query = &stages;
	c.batch = AG_MONGO_BATCH;
	c.uses_disk = true;
	return ag_mongo_each(m->server, r->ctx, &c, take_doc, r, err);
}

/* Runs of documents at equal distances in the order of _id, which every collection has an index on. */
static ag_status read_slices(ag_mongo_source *m, reading *r, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_mongo_command c = ag_mongo_source_command(m, AG_MONGO_FIND);
	const ag_val sort = object1(scratch, "_id", ag_val_int(1));
	const uint64_t n = m->base.info.ndoc, each = (r->want + SLICES - 1) / SLICES;
	ag_status st = AG_OK;

	c.sort = &sort;
	c.batch = AG_MONGO_BATCH;
	c.limit = (int64_t)each;
	for (unsigned i = 0; !st && i < SLICES && r->n < r->want && !r->is_full; i++) {
		c.skip = (int64_t)(n / SLICES * i);
		st = ag_mongo_each(m->server, r->ctx, &c, take_doc, r, err);
	}
	return st;
}

/* want documents, all of them when there are no more; under the lock. */
static ag_status read_table(ag_mongo_source *m, const ag_ctx *ctx, uint64_t want,
                            const ag_table **ret, ag_err *err)
{
	const ag_table_opts how = { .format = AG_FORMAT_BSON };
	const bool is_all = want >= m->base.info.ndoc;
	reading r = { .ctx = ctx, .want = want, .bytes = AG_BUF_INIT(AG_MONGO_SAMPLE_BYTES) };
	ag_mongo_table *keep;
	ag_table *t = NULL;
	ag_err why = { 0 };
	ag_status st;

	ag_ctx_phase(ctx, "reading", "documents", is_all ? m->base.info.ndoc : want);
	if (is_all && m->base.info.whole) {
		/* Documents may come while it is read. */
		r.want = UINT64_MAX;
		st = read_all(m, &r, &why);
	} else {
		st = m->has_no_sample ? AG_INVALID : read_sample(m, &r, &why);
		m->has_no_sample = m->has_no_sample || ag_mongo_is_unknown(st, &why);
		if (m->has_no_sample)
			st = read_slices(m, &r, &why);
	}
	ag_ctx_phase(ctx, NULL, NULL, 0);
	if (st && err)
		*err = why;
	if (!st && !r.n)
		st = ag_table_from_values(ctx, NULL, 0, &t, err);
	else if (!st)
		st = ag_table_load_mem(ctx, "the sample", r.bytes.ptr, r.bytes.len, &how, &t, err);
	ag_buf_release(&r.bytes);
	if (st)
		return st;
	keep = ag_xcalloc(1, sizeof(*keep));
	*keep = (ag_mongo_table){ t, m->tables };
	m->tables = keep;
	*ret = t;
	return AG_OK;
}

static ag_status sample_of(ag_mongo_source *m, const ag_ctx *ctx, const ag_table **ret, ag_err *err)
{
	ag_status st = AG_OK;

	pthread_mutex_lock(&m->lock);
	if (!m->sample)
		st = read_table(m, ctx, m->base.info.whole ? m->base.info.ndoc : m->max_sample,
		                &m->sample, err);
	*ret = m->sample;
	pthread_mutex_unlock(&m->lock);
	return st;
}

/* n of a table that is here; all of it when it has no more. */
static ag_status survey_of(const ag_table *t, const ag_ctx *ctx, uint64_t n, uint64_t seed,
                           ag_arena *arena, ag_survey *ret, ag_err *err)
{
	AG_AUTO(ag_bits_release) ag_bits chosen = { 0 };
	const uint64_t there = ag_table_info_of(t)->ndoc;

	if (n == 0 || n >= there)
		return ag_table_survey(t, ctx, NULL, arena, ret, err);
	ag_sample_choose(seed, there, n, &chosen);
	return ag_table_survey(t, ctx, &chosen, arena, ret, err);
}

ag_status ag_mongo_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                          uint64_t seed, ag_survey *ret, ag_err *err)
{
	ag_mongo_source *m = ag_mongo_source_of(s);
	const uint64_t most = m->max_sample < AG_MONGO_WHOLE_DOCS ? AG_MONGO_WHOLE_DOCS
	                                                          : m->max_sample;
	const ag_table *t = NULL;
	ag_status st = AG_OK;

	if (n == 0 || n > most || n >= s->info.ndoc) {
		st = sample_of(m, ctx, &t, err);
	} else {
		pthread_mutex_lock(&m->lock);
		t = m->sample;
		if (!t || ag_table_info_of(t)->ndoc < n)
			st = read_table(m, ctx, n, &t, err);
		pthread_mutex_unlock(&m->lock);
	}
	return st ? st : survey_of(t, ctx, n, seed, arena, ret, err);
}

ag_status ag_mongo_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                           uint64_t seed, ag_profile *ret, ag_err *err)
{
	AG_AUTO(ag_bits_release) ag_bits chosen = { 0 };
	const ag_table *t = NULL;
	ag_status st = sample_of(ag_mongo_source_of(s), ctx, &t, err);

	if (st)
		return st;
	if (n == 0 || n >= ag_table_info_of(t)->ndoc)
		return ag_table_profile(t, ctx, arena, ret, err);
	ag_sample_choose(seed, ag_table_info_of(t)->ndoc, n, &chosen);
	return ag_table_profile_of(t, ctx, &chosen, arena, ret, err);
}

/* Of the documents that the profile covers: its figures and the marks are of the same documents. */
ag_status ag_mongo_marks(ag_source *s, const ag_ctx *ctx, ag_source_mark *m, size_t n, ag_err *err)
{
	const ag_table *t = NULL;
	ag_status st = sample_of(ag_mongo_source_of(s), ctx, &t, err);

	return st ? st : ag_table_source_marks(t, ctx, m, n, err);
}

ag_status ag_mongo_frames(ag_source *s, const ag_ctx *ctx, const ag_profile *p, ag_arena *arena,
                          ag_frames *ret, ag_err *err)
{
	const ag_table *t = NULL;
	ag_status st = sample_of(ag_mongo_source_of(s), ctx, &t, err);

	return st ? st : ag_table_frames(t, ctx, p, arena, ret, err);
}
