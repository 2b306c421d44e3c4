/* fuzz_table -- any bytes as a file of one format: the table must be sound, whatever is in it. */
#ifndef AG_TESTS_FUZZ_TABLE_H
#define AG_TESTS_FUZZ_TABLE_H

#include <stdlib.h>

#include "columns/chunk.h"
#include "columns/load.h"
#include "fuzz.h"
#include "query/extjson.h"

static inline void fuzz_must(bool ok)
{
	if (!ok)
		abort();
}

/* Rows point at rows of their parent, in ascending order; every row gives a value. */
static inline void fuzz_check_column(const ag_chunk *c, const ag_col *col)
{
	uint32_t nparent = col->parent == AG_COL_NONE ? c->ndoc : c->cols[col->parent]->n;

	for (uint32_t i = 0; i < col->n; i++) {
		fuzz_must(col->up[i] < nparent);
		fuzz_must(i == 0 || col->up[i - 1] + (col->kind == AG_STEP_NAME) <= col->up[i]);
		fuzz_must(ag_col_val(c, col, i).type == col->type[i]);
		fuzz_must(ag_col_doc(c, col, i) < c->ndoc);
		if (col->type[i] == AG_T_STRING)
			fuzz_must(ag_chunk_heap_str(c, col->val[i]).len <= c->heap_len);
	}
}

/* Loaded twice, in other threads' number: the same documents. */
static inline int fuzz_table(ag_format format, const uint8_t *data, size_t size)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_table_opts opts = { .format = format, .max_doc_bytes = 4096 };
	ag_arena *a = ag_arena_new();
	ag_table *t = NULL, *again = NULL;
	const ag_table_info *info;
	ag_val *docs;
	ag_err err;

	if (ag_table_load_mem(&ctx, "fuzz", (const char *)data, size, &opts, &t, &err)) {
		fuzz_must(err.msg[0] != '\0');
		ag_arena_free(a);
		return 0;
	}
	info = ag_table_info_of(t);
	for (size_t i = 0; i < ag_table_nchunk(t); i++) {
		const ag_chunk *c = ag_table_chunk(t, i);

		for (uint32_t k = 0; k < c->ncol; k++)
			fuzz_check_column(c, c->cols[k]);
	}
	docs = ag_new_n(a, ag_val, info->ndoc + 1);
	for (uint64_t i = 0; i < info->ndoc; i++) {
		docs[i] = ag_table_doc(t, a, i);
		ag_table_doc_view(t, a, i, NULL, 0);
	}
	fuzz_must(ag_table_from_values(&ctx, docs, info->ndoc, &again, &err) == AG_OK);
	for (uint64_t i = 0; i < info->ndoc; i++) {
		ag_val back = ag_table_doc(again, a, i);

		fuzz_must(ag_str_eq(ag_extjson_str(a, &docs[i], AG_EXTJSON_CANONICAL),
		                    ag_extjson_str(a, &back, AG_EXTJSON_CANONICAL)));
	}
	ag_table_free(again);
	ag_table_free(t);
	ag_arena_free(a);
	return 0;
}

#endif
