/* table -- chunks in order behind one face: life cycle, counts, matching over all chunks.
 *
 * Chunks are independent; whatever is computed from them is computed per chunk in parallel and put together
 * in the order of the chunks, so no result depends on the number of threads. */
#include "columns/table.h"

#include <stdlib.h>

#include "columns/builder.h"
#include "columns/table_impl.h"

/* Documents per chunk when there are no bytes to cut by. */
#define DOCS_PER_CHUNK 4096

ag_table *ag_table_new(void)
{
	ag_table *t = (ag_table *)ag_xcalloc(1, sizeof(*t));

	t->arena = ag_arena_new();
	return t;
}

ag_table *ag_table_free(ag_table *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->nchunk; i++)
		ag_chunk_free(t->chunks[i]);
	free(t->chunks);
	ag_arena_free(t->arena);
	free(t);
	return NULL;
}

void ag_table_freep(ag_table **t)
{
	*t = ag_table_free(*t);
}

void ag_table_add_chunk(ag_table *t, ag_chunk *c)
{
	if (c->ndoc == 0) {
		ag_chunk_free(c);
		return;
	}
	if (t->nchunk == t->capchunk) {
		t->capchunk = t->capchunk ? t->capchunk * 2 : 16;
		t->chunks = (ag_chunk **)ag_xrealloc(t->chunks, t->capchunk * sizeof(ag_chunk *));
	}
	c->first_doc = t->info.ndoc;
	t->info.ndoc += c->ndoc;
	t->chunks[t->nchunk++] = c;
}

static uint64_t chunk_memory(const ag_chunk *c)
{
	uint64_t n = sizeof(*c) + ag_arena_bytes(c->arena) + c->heap_cap +
	             (uint64_t)c->capcol * sizeof(*c->cols) +
	             (uint64_t)c->ndoc * sizeof(*c->doc_at);

	if (c->doc_line)
		n += (uint64_t)c->ndoc * sizeof(*c->doc_line);
	n += ((uint64_t)c->nshape + 1 + c->nshape_members) * sizeof(*c->shape_at);
	for (uint32_t i = 0; i < c->ncol; i++) {
		const ag_col *col = c->cols[i];
		uint64_t row = sizeof(*col->up) + sizeof(*col->type) + sizeof(*col->val);

		if (col->key)
			row += sizeof(*col->key);
		if (col->view_type)
			row += sizeof(*col->view_type) + sizeof(*col->view_val);
		n += sizeof(*col) + col->cap * row;
	}
	return n;
}

uint64_t ag_table_memory(const ag_table *t)
{
	uint64_t n = sizeof(*t) + ag_arena_bytes(t->arena) + t->capchunk * sizeof(*t->chunks);

	for (size_t i = 0; i < t->nchunk; i++)
		n += chunk_memory(t->chunks[i]);
	return n;
}

const ag_table_info *ag_table_info_of(const ag_table *t)
{
	return &t->info;
}

size_t ag_table_nchunk(const ag_table *t)
{
	return t->nchunk;
}

const ag_chunk *ag_table_chunk(const ag_table *t, size_t i)
{
	return t->chunks[i];
}

/* --- tables of values --- */

static ag_status refuse_value(ag_builder *b, ag_table *t, size_t i, const char *why, ag_err *err)
{
	ag_builder_release(b);
	ag_table_free(t);
	return ag_fail(err, AG_INVALID, "columns.table", "document %zu cannot be kept: %s", i, why);
}

ag_status ag_table_from_values(const ag_ctx *ctx, const ag_val *docs, size_t ndoc, ag_table **ret,
                               ag_err *err)
{
	ag_table *t = ag_table_new();
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_builder b;

	ag_builder_init(&b);
	t->info.format = AG_FORMAT_JSON;
	for (size_t i = 0; i < ndoc;) {
		size_t end = ndoc - i > DOCS_PER_CHUNK ? i + DOCS_PER_CHUNK : ndoc;
		ag_status st = ag_ctx_check(ctx, err);

		if (st) {
			ag_builder_release(&b);
			ag_table_free(t);
			return st;
		}
		ag_builder_begin(&b, false);
		for (; i < end; i++) {
			const char *why;

			ag_arena_reset(scratch);
			if (!ag_build_doc_val(&b, i, 0, &docs[i], scratch, &why))
				return refuse_value(&b, t, i, why, err);
		}
		t->info.duplicate_keys += b.duplicate_keys;
		ag_table_add_chunk(t, ag_builder_finish(&b));
	}
	ag_builder_release(&b);
	*ret = t;
	return AG_OK;
}

/* --- matching --- */

typedef struct match_job {
	const ag_table *t;
	const ag_ctx *ctx;
	const ag_filter *f;
	ag_bits *bits;    /* one per chunk, or NULL when only counts are wanted */
	uint64_t *counts; /* one per chunk */
} match_job;

static ag_status match_chunk(void *arg, size_t i, ag_err *err)
{
	match_job *job = (match_job *)arg;
	ag_bits bits = { 0 };
	ag_status st = ag_chunk_match(job->t->chunks[i], job->ctx, job->f, &bits, err);

	if (st)
		return st;
	job->counts[i] = ag_bits_count(&bits);
	if (job->bits)
		job->bits[i] = bits;
	else
		ag_bits_release(&bits);
	return AG_OK;
}

/* to[at ..] |= from; at need not be a multiple of 64. */
static void put_bits(ag_bits *to, uint64_t at, const ag_bits *from)
{
	uint64_t words = (from->n + 63) / 64, w = at / 64;
	unsigned shift = (unsigned)(at & 63);

	for (uint64_t i = 0; i < words; i++) {
		to->w[w + i] |= from->w[i] << shift;
		if (shift && from->w[i] >> (64 - shift))
			to->w[w + i + 1] |= from->w[i] >> (64 - shift);
	}
}

static ag_status match_all(const ag_table *t, const ag_ctx *ctx, const ag_filter *f, ag_bits *ret,
                           uint64_t *ret_count, ag_err *err)
{
	size_t n = t->nchunk;
	match_job job = { .t = t, .ctx = ctx, .f = f };
	uint64_t sum = 0;
	ag_status st;

	job.counts = (uint64_t *)ag_xcalloc(n + 1, sizeof(uint64_t));
	if (ret)
		job.bits = (ag_bits *)ag_xcalloc(n + 1, sizeof(ag_bits));
	st = ag_parallel(ctx, n, match_chunk, &job, err);
	if (!st && ret)
		ag_bits_init(ret, t->info.ndoc);
	for (size_t i = 0; i < n; i++) {
		sum += job.counts[i];
		if (!ret)
			continue;
		if (!st)
			put_bits(ret, t->chunks[i]->first_doc, &job.bits[i]);
		ag_bits_release(&job.bits[i]);
	}
	free(job.bits);
	free(job.counts);
	if (!st && ret_count)
		*ret_count = sum;
	return st;
}

ag_status ag_table_match(const ag_table *t, const ag_ctx *ctx, const ag_filter *f, ag_bits *ret,
                         ag_err *err)
{
	return match_all(t, ctx, f, ret, NULL, err);
}

ag_status ag_table_count(const ag_table *t, const ag_ctx *ctx, const ag_filter *f, uint64_t *ret,
                         ag_err *err)
{
	return match_all(t, ctx, f, NULL, ret, err);
}
