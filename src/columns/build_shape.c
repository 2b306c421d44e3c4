/* build_shape -- the shapes of a chunk: each list of child columns in key order, kept once.
 *
 * An index by hash finds a shape again that is not the last one of its column (that case is inline in
 * builder.h). The index belongs to the builder and is emptied for each chunk. */
#include <stdlib.h>
#include <xxhash.h>

#include "columns/builder.h"

static void shape_index_put(ag_builder *b, uint32_t shape)
{
	const ag_chunk *c = b->chunk;
	const uint32_t *ids = c->shape_members + c->shape_at[shape];
	size_t bytes = (c->shape_at[shape + 1] - c->shape_at[shape]) * sizeof(*ids);
	uint32_t mask = b->shape_index_cap - 1;
	uint32_t at = (uint32_t)XXH3_64bits(ids, bytes) & mask;

	while (b->shape_index[at])
		at = (at + 1) & mask;
	b->shape_index[at] = shape + 1;
}

static void shape_add(ag_builder *b, const uint32_t *ids, uint32_t n)
{
	ag_chunk *c = b->chunk;

	if (c->nshape + 2 > b->cap_shape) {
		b->cap_shape = b->cap_shape ? b->cap_shape * 2 : 64;
		c->shape_at = (uint32_t *)ag_xrealloc(c->shape_at,
		                                      b->cap_shape * sizeof(*c->shape_at));
	}
	if (!c->shape_members || n > b->cap_shape_members - c->nshape_members) {
		size_t cap = (size_t)b->cap_shape_members * 2 + n + 64;

		AG_ASSERT(cap < UINT32_MAX);
		b->cap_shape_members = (uint32_t)cap;
		c->shape_members = (uint32_t *)ag_xrealloc(c->shape_members,
		                                           cap * sizeof(*c->shape_members));
	}
	if (n)
		memcpy(c->shape_members + c->nshape_members, ids, n * sizeof(*ids));
	c->shape_at[c->nshape] = c->nshape_members;
	c->nshape_members += n;
	c->nshape++;
	c->shape_at[c->nshape] = c->nshape_members;
	if (!b->shape_index || c->nshape * 2 > b->shape_index_cap) {
		uint32_t cap = b->shape_index_cap ? b->shape_index_cap * 2 : 256;

		free(b->shape_index);
		b->shape_index = (uint32_t *)ag_xcalloc(cap, sizeof(uint32_t));
		b->shape_index_cap = cap;
		for (uint32_t i = 0; i < c->nshape; i++)
			shape_index_put(b, i);
	} else {
		shape_index_put(b, c->nshape - 1);
	}
}

uint32_t ag_build_shape(ag_builder *b, const uint32_t *ids, uint32_t n)
{
	const ag_chunk *c = b->chunk;
	uint32_t mask = b->shape_index_cap - 1, at;

	if (n == 0)
		return 0;
	for (at = (uint32_t)XXH3_64bits(ids, n * sizeof(*ids)) & mask; b->shape_index[at];
	     at = (at + 1) & mask) {
		uint32_t s = b->shape_index[at] - 1;

		if (c->shape_at[s + 1] - c->shape_at[s] == n &&
		    memcmp(c->shape_members + c->shape_at[s], ids, n * sizeof(*ids)) == 0)
			return s;
	}
	shape_add(b, ids, n);
	return c->nshape - 1;
}

void ag_build_shapes_begin(ag_builder *b)
{
	b->cap_shape = b->cap_shape_members = 0;
	if (b->shape_index)
		memset(b->shape_index, 0, b->shape_index_cap * sizeof(uint32_t));
	shape_add(b, NULL, 0); /* shape 0: no members */
}
