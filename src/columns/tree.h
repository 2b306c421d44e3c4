/* tree -- the column trees of all chunks as one tree of paths. Internal to survey and profile.
 *
 * A node is one path; its segments are the columns that hold its rows, by chunk and then by column. Where an
 * object's keys are data (the rule stands in profile.h), all its named children and the ANY child are one
 * node, so a node below a map can have many columns of one chunk. */
#ifndef AG_COLUMNS_TREE_H
#define AG_COLUMNS_TREE_H

#include "columns/chunk.h"
#include "columns/table.h"

#define AG_NODE_NONE         UINT32_MAX
#define AG_TREE_MAX_PATH     4096 /* bytes of a path text; longer ones are left out */
#define AG_TREE_MAX_MAP_KEYS 1000000

typedef struct ag_seg {
	uint32_t chunk, col;
} ag_seg;

typedef struct ag_node {
	uint32_t parent; /* AG_NODE_NONE for the root, which is node 0 */
	ag_step_kind kind;
	ag_str name;    /* NAME only; view into a chunk */
	uint32_t nname; /* names on the way, "*" included */
	bool in_array, in_map;
	bool is_map, is_cut; /* is_cut: it has members, but stands at the depth limit */
	uint64_t map_keys;
	ag_str map_key_example; /* view into a chunk */
	ag_str path;
	const ag_seg *segs;
	size_t nseg;
	uint64_t n; /* rows */
} ag_node;

typedef struct ag_tree_opts {
	size_t max_nodes;   /* the root not counted */
	uint32_t max_names; /* 0 = no limit */
	bool arrays;        /* follow arrays into their items */
} ag_tree_opts;

typedef struct ag_tree {
	ag_node *nodes; /* by path, bytewise: the root first, parents before children */
	size_t nnode;
	uint64_t
		left_out; /* paths not taken for one of the limits; what is below them is not counted */
} ag_tree;

AG_CHECK ag_status ag_tree_build(const ag_table *t, const ag_ctx *ctx, const ag_tree_opts *opts,
                                 ag_arena *arena, ag_tree *ret, ag_err *err);

/* Is this the name set of a map? Counted are different keys; the rule on objects is the caller's. */
typedef struct ag_keyset ag_keyset;
ag_keyset *ag_keyset_new(void);
ag_keyset *ag_keyset_free(ag_keyset *k);
/* The number of the key, in order of first appearance; SIZE_MAX when there are too many. The bytes are
 * borrowed. */
size_t ag_keyset_add(ag_keyset *k, ag_str key);
size_t ag_keyset_count(const ag_keyset *k);
ag_str ag_keyset_get(const ag_keyset *k, size_t i);
/* 90% of the keys: all digits, hex of one length, UUIDs, or one pattern of letters and digits (dates). */
bool ag_keyset_is_alike(const ag_keyset *k);

#endif
