/* columns_docs -- documents and tables for the tests of columns/: from text, or at random from a seed. */
#ifndef AG_TESTS_COLUMNS_DOCS_H
#define AG_TESTS_COLUMNS_DOCS_H

#include <stdio.h>
#include <stdlib.h>

#include "columns/table.h"
#include "query/extjson.h"

static inline ag_ctx docs_ctx(unsigned nthread)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = nthread };

	return ctx;
}

/* One document a line. The array lives in arena. */
static inline ag_val *docs_parse(ag_arena *arena, const char *text, size_t *ret_n)
{
	static const ag_extjson_opts opts = { .typed = true };
	ag_str rest = ag_str_c(text);
	ag_val *docs = ag_new_n(arena, ag_val, 1 + strlen(text) / 2);
	size_t n = 0;
	ag_err err = { 0 };

	while (rest.len > 0) {
		ag_str line = ag_str_split(&rest, '\n');

		if (line.len == 0)
			continue;
		if (ag_extjson_parse(line, &opts, arena, &docs[n++], NULL, NULL, &err)) {
			printf("# %s\n", err.msg);
			abort();
		}
	}
	*ret_n = n;
	return docs;
}

static inline ag_table *docs_table(const ag_val *docs, size_t n)
{
	ag_ctx ctx = docs_ctx(1);
	ag_table *t = NULL;
	ag_err err = { 0 };

	if (ag_table_from_values(&ctx, docs, n, &t, &err)) {
		printf("# %s\n", err.msg);
		abort();
	}
	return t;
}

static inline uint32_t docs_random(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % below);
}

static inline ag_val docs_random_scalar(ag_arena *arena, uint64_t *seed)
{
	switch (docs_random(seed, 12)) {
	case 0: return ag_val_null();
	case 1: return ag_val_bool(docs_random(seed, 2));
	case 2: return ag_val_double(docs_random(seed, 4));
	case 3: return ag_val_double(docs_random(seed, 400) / 7.0);
	case 4: return ag_val_date(docs_random(seed, 5) * INT64_C(43200000));
	case 5: return ag_val_int(INT64_C(1) << 53 | docs_random(seed, 4));
	case 6:
	case 7: return ag_val_int(docs_random(seed, 6));
	case 8: return ag_val_int(docs_random(seed, 200));
	case 9: return ag_val_str(ag_str_printf(arena, "%u", docs_random(seed, 150)));
	default:
		return ag_val_str(
			ag_str_printf(arena, "Word %c", 'a' + (char)docs_random(seed, 9)));
	}
}

static inline ag_val docs_random_object(ag_arena *arena, uint64_t *seed, unsigned depth);

static inline ag_val docs_random_val(ag_arena *arena, uint64_t *seed, unsigned depth)
{
	uint32_t kind = depth > 2 ? 9 : docs_random(seed, 10);

	if (kind == 0)
		return docs_random_object(arena, seed, depth + 1);
	if (kind == 1) {
		uint32_t n = docs_random(seed, 4);
		ag_val *items = ag_new_n(arena, ag_val, n);

		for (uint32_t i = 0; i < n; i++)
			items[i] = docs_random_val(arena, seed, depth + 1);
		return ag_val_array(items, n);
	}
	return docs_random_scalar(arena, seed);
}

/* Members among seven names, and now and then "m" with keys that are data ("k_17"). */
static inline ag_val docs_random_object(ag_arena *arena, uint64_t *seed, unsigned depth)
{
	static const char *const names[] = { "a", "b", "c", "a.b", "$d", "", "long name" };
	ag_member *m = ag_new_n(arena, ag_member, AG_NELEM(names) + 1);
	size_t n = 0;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (docs_random(seed, 3) == 0)
			continue;
		m[n].key = ag_str_c(names[i]);
		m[n++].val = docs_random_val(arena, seed, depth);
	}
	if (depth == 0 && docs_random(seed, 2)) {
		ag_member *keys = ag_new_n(arena, ag_member, 3);
		uint32_t nkey = docs_random(seed, 4), at = docs_random(seed, 900);

		for (uint32_t i = 0; i < nkey; i++) {
			keys[i].key = ag_str_printf(arena, "k_%u", at + 7 * i);
			keys[i].val = docs_random_val(arena, seed, 2);
		}
		m[n].key = AG_S("m");
		m[n++].val = ag_val_object(keys, nkey);
	}
	return ag_val_object(m, n);
}

static inline ag_val *docs_random_many(ag_arena *arena, uint64_t seed, size_t n)
{
	ag_val *docs = ag_new_n(arena, ag_val, n);

	for (size_t i = 0; i < n; i++)
		docs[i] = docs_random_object(arena, &seed, 0);
	return docs;
}

#endif
