/* filter_eval -- which documents of a chunk match a filter. */
#include "columns/table_impl.h"

ag_status ag_chunk_match(const ag_chunk *c, const ag_ctx *ctx, const ag_filter *f, ag_bits *ret,
                         ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_doc_reader r;
	ag_status st = ag_ctx_check(ctx, err);

	if (st)
		return st;
	ag_doc_reader_init(&r, c, false);
	ag_bits_init(ret, c->ndoc);
	for (uint32_t i = 0; i < c->ndoc; i++) {
		ag_val doc;

		ag_arena_reset(arena);
		doc = ag_doc_read(&r, i, NULL, 0, arena);
		if (ag_filter_match(f, &doc))
			ag_bits_set(ret, i);
	}
	ag_doc_reader_release(&r);
	return AG_OK;
}
