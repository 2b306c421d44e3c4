/* marks -- see the header. The filters of a mark are matched one after the other; their documents are united. */
#include "documents/marks.h"

#include <stdlib.h>

/* The documents that match any of the filters. */
static ag_status match_any(const ag_table *t, const ag_ctx *ctx, const ag_source_mark *m,
                           ag_bits *ret, ag_err *err)
{
	ag_status st = AG_OK;

	ag_bits_init(ret, ag_table_info_of(t)->ndoc);
	for (size_t i = 0; i < m->nfilter && !st; i++) {
		AG_AUTO(ag_bits_release) ag_bits hits = { 0 };

		st = ag_table_match(t, ctx, m->checked[i].filter, &hits, err);
		for (uint64_t w = 0; !st && w < (hits.n + 63) / 64; w++)
			ret->w[w] |= hits.w[w];
	}
	return st;
}

ag_status ag_table_source_marks(const ag_table *t, const ag_ctx *ctx, ag_source_mark *m, size_t n,
                                ag_err *err)
{
	ag_marks *marks = (ag_marks *)ag_xcalloc(n ? n : 1, sizeof(*marks));
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		marks[i].f = m[i].f;
		st = match_any(t, ctx, &m[i], &marks[i].docs, err);
	}
	if (!st)
		st = ag_table_marks(t, ctx, marks, n, err);
	for (size_t i = 0; i < n; i++) {
		ag_bits_release(&marks[i].docs);
		marks[i].docs = (ag_bits){ 0 };
		if (!st)
			m[i].ret = marks[i];
	}
	free(marks);
	return st;
}
