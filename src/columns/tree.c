/* tree -- merge the chunks' column trees, from the root down.
 *
 * A node's columns give its children: each child column is a link to a group (by name, or the items). Whether
 * the node is a map must be known before its children are made, since it makes one group of all names. Nodes
 * are made level by level, so when the limit is reached the paths near the top are there. In the end they
 * are sorted by path.
 *
 * Read: add_children(), then decide_map(). */
#include "columns/tree.h"

#include <stdlib.h>

#define MAP_KEYS       100 /* more keys than an object that someone designed has */
#define MAP_FEW_KEYS   20
#define MAP_PER_OBJECT 5
#define MAP_ANY_KEYS \
	1000 /* this many names that are nearly all absent are no names, whatever they look like */
#define MAP_ANY_FILL 10 /* … in at most one of ten objects on average */
#define CHECK_EVERY  1024

typedef struct link {
	uint32_t group; /* number of the name; the items come last */
	ag_seg seg;
} link;

typedef struct builder {
	const ag_table *t;
	const ag_tree_opts *opts;
	ag_arena *arena;
	ag_node *nodes;
	size_t n, cap;
	link *links;
	size_t nlink, caplink;
	uint64_t left_out;
} builder;

static const ag_col *col_of(const builder *b, ag_seg s)
{
	return ag_table_chunk(b->t, s.chunk)->cols[s.col];
}

static ag_node *push_node(builder *b)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 64;
		b->nodes = (ag_node *)ag_xrealloc(b->nodes, b->cap * sizeof(*b->nodes));
	}
	memset(&b->nodes[b->n], 0, sizeof(b->nodes[0]));
	return &b->nodes[b->n++];
}

static void push_link(builder *b, size_t group, uint32_t chunk, uint32_t col)
{
	if (b->nlink == b->caplink) {
		b->caplink = b->caplink ? 2 * b->caplink : 256;
		b->links = (link *)ag_xrealloc(b->links, b->caplink * sizeof(*b->links));
	}
	b->links[b->nlink++] = (link){ (uint32_t)group, { chunk, col } };
}

/* Objects with at least one member. */
static uint64_t count_objects(const builder *b, const ag_node *node)
{
	uint64_t n = 0;

	for (size_t i = 0; i < node->nseg; i++) {
		const ag_chunk *c = ag_table_chunk(b->t, node->segs[i].chunk);
		const ag_col *col = c->cols[node->segs[i].col];

		for (uint32_t r = 0; r < col->n; r++) {
			if (col->type[r] != AG_T_OBJECT)
				continue;
			n += c->shape_at[col->val[r] + 1] > c->shape_at[col->val[r]];
		}
	}
	return n;
}

/* The keys of all children into `keys`; the rows of named and ANY columns are the objects' members. */
static uint64_t add_keys(const builder *b, const ag_node *node, ag_keyset *keys, bool *ret_any)
{
	uint64_t nmember = 0;

	for (size_t i = 0; i < node->nseg; i++) {
		const ag_chunk *c = ag_table_chunk(b->t, node->segs[i].chunk);

		for (uint32_t id = col_of(b, node->segs[i])->first_child; id != AG_COL_NONE;
		     id = c->cols[id]->next_sibling) {
			const ag_col *k = c->cols[id];

			if (k->kind == AG_STEP_ELEM || k->n == 0)
				continue;
			nmember += k->n;
			if (k->kind == AG_STEP_NAME)
				(void)ag_keyset_add(keys, k->name);
			for (uint32_t r = 0; k->kind == AG_STEP_ANY && r < k->n; r++)
				(void)ag_keyset_add(keys, ag_chunk_heap_str(c, k->key[r]));
			*ret_any = *ret_any || k->kind == AG_STEP_ANY;
		}
	}
	return nmember;
}

static void decide_map(const builder *b, ag_node *node, const ag_keyset *keys, uint64_t nmember,
                       bool has_any)
{
	uint64_t nkey = ag_keyset_count(keys), nobject;

	node->is_map = has_any || nkey > AG_COL_MAX_NAMED;
	if (!node->is_map && nkey >= MAP_FEW_KEYS) {
		nobject = count_objects(b, node);
		node->is_map = (2 * nmember <= nkey * nobject &&
		                (nkey > MAP_KEYS || nkey > MAP_PER_OBJECT * nobject) &&
		                ag_keyset_is_alike(keys)) ||
		               (nkey > MAP_ANY_KEYS && MAP_ANY_FILL * nmember <= nkey * nobject);
	}
	if (node->is_map) {
		node->map_keys = nkey;
		node->map_key_example = ag_keyset_get(keys, 0);
	}
}

static void collect_links(builder *b, const ag_node *node, ag_keyset *keys, bool names)
{
	size_t items = node->is_map ? 1 : ag_keyset_count(keys);

	b->nlink = 0;
	for (size_t i = 0; i < node->nseg; i++) {
		const ag_chunk *c = ag_table_chunk(b->t, node->segs[i].chunk);

		for (uint32_t id = col_of(b, node->segs[i])->first_child; id != AG_COL_NONE;
		     id = c->cols[id]->next_sibling) {
			const ag_col *k = c->cols[id];
			bool is_items = k->kind == AG_STEP_ELEM;

			if (k->n == 0 || (is_items ? !b->opts->arrays : !names))
				continue;
			push_link(b,
			          is_items       ? items
			          : node->is_map ? 0
			                         : ag_keyset_add(keys, k->name),
			          node->segs[i].chunk, id);
		}
	}
}

static int link_cmp(const void *x, const void *y)
{
	const link *a = (const link *)x, *b = (const link *)y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->seg.chunk != b->seg.chunk)
		return a->seg.chunk < b->seg.chunk ? -1 : 1;
	return a->seg.col < b->seg.col ? -1 : a->seg.col > b->seg.col;
}

/* One child out of links[from .. to); false when a limit forbids it. */
static bool add_child(builder *b, size_t parent, size_t from, size_t to)
{
	const ag_col *first = col_of(b, b->links[from].seg);
	bool is_items = first->kind == AG_STEP_ELEM, of_map = b->nodes[parent].is_map && !is_items;
	ag_step step = { of_map ? AG_STEP_ANY : first->kind, of_map ? (ag_str){ 0 } : first->name };
	ag_buf path = AG_BUF_INIT(AG_TREE_MAX_PATH);
	ag_seg *segs;
	ag_node *node;

	ag_buf_add(&path, b->nodes[parent].path);
	ag_path_append(&path, &step);
	if (path.failed || b->n > b->opts->max_nodes) {
		ag_buf_release(&path);
		return false;
	}
	segs = ag_new_n(b->arena, ag_seg, to - from);
	node = push_node(b);
	node->parent = (uint32_t)parent;
	node->kind = step.kind;
	node->name = step.name;
	node->nname = b->nodes[parent].nname + !is_items;
	node->in_array = b->nodes[parent].in_array || is_items;
	node->in_map = b->nodes[parent].in_map || of_map;
	node->path = ag_buf_dup(b->arena, &path);
	node->segs = segs;
	node->nseg = to - from;
	for (size_t i = from; i < to; i++) {
		segs[i - from] = b->links[i].seg;
		node->n += col_of(b, b->links[i].seg)->n;
	}
	ag_buf_release(&path);
	return true;
}

static void add_children(builder *b, size_t at)
{
	ag_keyset *keys = ag_keyset_new();
	ag_node *node = &b->nodes[at];
	bool has_any = false, names = true;
	uint64_t nmember = add_keys(b, node, keys, &has_any);

	if (nmember > 0)
		decide_map(b, node, keys, nmember, has_any);
	if (b->opts->max_names && node->nname >= b->opts->max_names) {
		node->is_cut = nmember > 0;
		names = false;
	}
	collect_links(b, node, keys, names);
	ag_keyset_free(keys);
	if (b->nlink > 1)
		qsort(b->links, b->nlink, sizeof(*b->links), link_cmp);
	for (size_t i = 0, to; i < b->nlink; i = to) {
		for (to = i + 1; to < b->nlink && b->links[to].group == b->links[i].group;)
			to++;
		b->left_out += !add_child(b, at, i, to);
	}
}

static void add_root(builder *b)
{
	size_t n = ag_table_nchunk(b->t);
	ag_seg *segs = ag_new_n(b->arena, ag_seg, n ? n : 1);
	ag_node *root = push_node(b);

	root->parent = AG_NODE_NONE;
	root->path = AG_S("");
	root->segs = segs;
	root->nseg = n;
	for (size_t i = 0; i < n; i++) {
		segs[i].chunk = (uint32_t)i;
		root->n += col_of(b, segs[i])->n;
	}
}

static int path_cmp(const void *x, const void *y, void *arg)
{
	const ag_node *nodes = (const ag_node *)arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return ag_str_cmp(nodes[a].path, nodes[b].path);
}

/* Into the arena, by path. */
static void sort_nodes(builder *b, ag_tree *ret)
{
	uint32_t *order = (uint32_t *)ag_xmalloc(b->n * sizeof(*order));
	uint32_t *place = (uint32_t *)ag_xmalloc(b->n * sizeof(*place));

	for (size_t i = 0; i < b->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, b->n, sizeof(*order), path_cmp, b->nodes);
	for (size_t i = 0; i < b->n; i++)
		place[order[i]] = (uint32_t)i;
	ret->nodes = ag_new_n(b->arena, ag_node, b->n);
	ret->nnode = b->n;
	ret->left_out = b->left_out;
	for (size_t i = 0; i < b->n; i++) {
		ret->nodes[i] = b->nodes[order[i]];
		if (ret->nodes[i].parent != AG_NODE_NONE)
			ret->nodes[i].parent = place[ret->nodes[i].parent];
	}
	free(order);
	free(place);
}

ag_status ag_tree_build(const ag_table *t, const ag_ctx *ctx, const ag_tree_opts *opts,
                        ag_arena *arena, ag_tree *ret, ag_err *err)
{
	builder b = { .t = t, .opts = opts, .arena = arena };
	ag_status st = AG_OK;

	add_root(&b);
	for (size_t i = 0; i < b.n && !st; i++) {
		if (i % CHECK_EVERY == 0)
			st = ag_ctx_check(ctx, err);
		if (!st)
			add_children(&b, i);
	}
	if (!st)
		sort_nodes(&b, ret);
	free(b.nodes);
	free(b.links);
	return st;
}
