/* aggregate -- a pipeline over a table: a leading $match on columns, then document by document.
 *
 * Only the top-level members that the pipeline looks at are put together. */
#include "columns/table_impl.h"

typedef struct feed {
	const ag_ctx *ctx;
	ag_pipeline_run *run;
	const ag_str *members;
	size_t nmember;
	ag_arena *scratch;
} feed;

static ag_status feed_chunk(feed *f, const ag_chunk *c, const ag_bits *match, bool *ret_done,
                            ag_err *err)
{
	ag_status st = AG_OK;
	ag_doc_reader r;

	ag_doc_reader_init(&r, c, true);
	for (uint32_t i = 0; !st && !*ret_done && i < c->ndoc; i++) {
		ag_val doc;

		if (match && !ag_bits_get(match, c->first_doc + i))
			continue;
		if ((i & 1023) == 0)
			st = ag_ctx_check(f->ctx, err);
		if (st)
			break;
		ag_arena_reset(f->scratch);
		doc = ag_doc_read(&r, i, f->members, f->nmember, f->scratch);
		st = ag_pipeline_run_push(f->run, &doc, ret_done, err);
	}
	ag_doc_reader_release(&r);
	return st;
}

/* Top-level names of the paths; 0 = the whole document. */
static size_t members_of(const ag_pipeline *p, ag_arena *arena, const ag_str **ret)
{
	const ag_str *paths;
	ag_str *names;
	bool whole = false;
	size_t n;

	ag_pipeline_paths(p, arena, &paths, &n, &whole);
	if (whole)
		return 0;
	names = ag_new_n(arena, ag_str, n + 1);
	for (size_t i = 0; i < n; i++) {
		ag_str rest = paths[i];

		names[i] = ag_str_split(&rest, '.');
	}
	/* No path at all, as in [{"$count":"n"}]: one name that is hardly there, for none would mean all. */
	*ret = names;
	return n ? n : 1;
}

ag_status ag_table_aggregate(const ag_table *t, const ag_ctx *ctx, const ag_pipeline *p,
                             ag_arena *arena, size_t max_results, const ag_val **ret, size_t *nret,
                             ag_err *err)
{
	const ag_filter *lead = ag_pipeline_leading_match(p);
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	AG_AUTO(ag_arena_freep) ag_arena *names = ag_arena_new();
	feed f = { .ctx = ctx, .scratch = scratch };
	ag_bits match = { 0 };
	ag_status st = AG_OK;
	bool done = false;

	if (lead) {
		st = ag_table_match(t, ctx, lead, &match, err);
		if (st)
			return st;
	}
	f.nmember = members_of(p, names, &f.members);
	f.run = ag_pipeline_run_begin(p, lead != NULL);
	for (size_t i = 0; !st && !done && i < t->nchunk; i++)
		st = feed_chunk(&f, t->chunks[i], lead ? &match : NULL, &done, err);
	if (!st)
		st = ag_pipeline_run_end(f.run, arena, max_results, ret, nret, err);
	ag_pipeline_run_free(f.run);
	ag_bits_release(&match);
	return st;
}
