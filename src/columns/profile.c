/* profile -- every path of a table, one path per task.
 *
 * The tree gives the paths; the large ones are started first, so that no thread is left alone with one at the
 * end. A task counts its path's values and fills an ag_path_profile, with memory of its own; afterwards one
 * thread copies all of them into the caller's arena in path order. Nothing depends on which thread did what.
 *
 * Read: ag_table_profile(), profile_path(). The parts are in profile_rows.c, _num.c, _str.c, _values.c. */
#include "columns/profile.h"

#include <stdlib.h>

#include "columns/profile_impl.h"

typedef struct profiler {
	const ag_table *t;
	const ag_ctx *ctx;
	const ag_bits *docs; /* NULL = all */
	const ag_tree *tree;
	uint32_t *order;        /* nodes, the largest first */
	ag_path_profile *paths; /* by node */
	ag_arena **arenas;      /* by node */
} profiler;

static int by_size(const void *x, const void *y, void *arg)
{
	const ag_node *nodes = (const ag_node *)arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (nodes[a].n != nodes[b].n)
		return nodes[a].n > nodes[b].n ? -1 : 1;
	return a < b ? -1 : a > b;
}

static ag_status profile_path(void *arg, size_t i, ag_err *err)
{
	profiler *p = (profiler *)arg;
	uint32_t at = p->order[i];
	const ag_node *node = &p->tree->nodes[at];
	ag_path_profile *ret = &p->paths[at];
	ag_counted c = { 0 };
	ag_status st;

	p->arenas[at] = ag_arena_new();
	st = ag_profile_rows(p->t, p->ctx, p->docs, node, &c, err);
	if (!st)
		st = ag_profile_strings(&c, p->ctx, p->arenas[at], &ret->str, err);
	if (!st) {
		for (unsigned type = 0; type < AG_NTYPE; type++)
			ret->n += c.by_type[type];
		ret->ndoc = c.ndoc;
		ret->ndoc_null = c.ndoc_null;
		ret->nfilled = c.nfilled;
		ret->filled_mark = c.filled_mark;
		memcpy(ret->by_type, c.by_type, sizeof(ret->by_type));
		ag_profile_num(&c, p->arenas[at], &ret->num);
		ag_profile_join_decimals(&c);
		ag_profile_dates(&c.dates, p->arenas[at], &ret->date);
		if (ret->date.n)
			ag_profile_written(p->t, node, ret);
		ag_profile_arrays(&c, p->arenas[at], &ret->arr);
		ag_profile_values(&c, p->arenas[at], ret);
	}
	ag_counted_release(&c);
	ag_ctx_advance(p->ctx, node->n, 0);
	return st;
}

/* The path's own words: name, owner and query form, from the way up. */
static void fill_names(const ag_tree *tree, uint32_t at, ag_arena *arena, ag_path_profile *p)
{
	const ag_node *node = &tree->nodes[at];
	ag_buf query = AG_BUF_INIT(AG_TREE_MAX_PATH);
	ag_path path = { 0 };
	ag_step *steps;
	size_t n = 0;

	for (uint32_t i = at; i != 0; i = tree->nodes[i].parent)
		n++;
	steps = ag_new_n(arena, ag_step, n);
	path.steps = steps;
	path.n = n;
	for (uint32_t i = at; i != 0; i = tree->nodes[i].parent) {
		n--;
		steps[n].kind = tree->nodes[i].kind;
		steps[n].name = tree->nodes[i].name;
	}
	p->path = ag_str_dup(arena, node->path);
	p->query = ag_path_query_form(&path, &query) ? ag_buf_dup(arena, &query) : AG_S("");
	p->name = node->kind == AG_STEP_NAME ? ag_str_dup(arena, node->name) : AG_S("");
	p->owner = AG_S("");
	for (size_t i = 0; i < path.n; i++)
		if (steps[i].kind == AG_STEP_NAME)
			p->owner = ag_str_dup(arena, steps[i].name);
	ag_buf_release(&query);
}

static void copy_lists(ag_path_profile *p, ag_arena *arena)
{
	ag_value_count *values = ag_new_n(arena, ag_value_count, p->nvalue);
	ag_shape_count *shapes = ag_new_n(arena, ag_shape_count, p->str.nshape);
	ag_form_count *forms = ag_new_n(arena, ag_form_count, p->str.nform);

	for (size_t i = 0; i < p->nvalue; i++) {
		values[i].v = ag_val_dup(arena, &p->values[i].v);
		values[i].n = p->values[i].n;
	}
	for (size_t i = 0; i < p->str.nshape; i++) {
		shapes[i].shape = ag_str_dup(arena, p->str.shapes[i].shape);
		shapes[i].example = ag_str_dup(arena, p->str.shapes[i].example);
		shapes[i].n = p->str.shapes[i].n;
	}
	for (size_t i = 0; i < p->str.nform; i++) {
		forms[i].form = ag_str_dup(arena, p->str.forms[i].form);
		forms[i].example = ag_str_dup(arena, p->str.forms[i].example);
		forms[i].n = p->str.forms[i].n;
	}
	p->values = values;
	p->str.shapes = shapes;
	p->str.forms = forms;
	p->num.histogram = ag_histogram_dup(arena, p->num.histogram);
	p->date.histogram = ag_histogram_dup(arena, p->date.histogram);
	p->str.histogram = ag_histogram_dup(arena, p->str.histogram);
	p->str.dates.histogram = ag_histogram_dup(arena, p->str.dates.histogram);
	p->arr.histogram = ag_histogram_dup(arena, p->arr.histogram);
}

static uint64_t counted_docs(const profiler *p)
{
	return p->docs ? ag_bits_count(p->docs) : ag_table_info_of(p->t)->ndoc;
}

/* Nodes and paths differ by the root, which is no path, and by the paths that no chosen document has. */
static void fill(const profiler *p, ag_arena *arena, ag_profile *ret)
{
	const ag_tree *tree = p->tree;
	ag_path_profile *paths = ag_new_n(arena, ag_path_profile, tree->nnode);
	uint32_t *place = (uint32_t *)ag_xcalloc(tree->nnode, sizeof(*place)); /* of a node */
	uint32_t npath = 0;

	for (uint32_t at = 1; at < tree->nnode; at++) {
		const ag_node *node = &tree->nodes[at];
		ag_path_profile *out = &paths[npath];
		bool is_elem = node->kind == AG_STEP_ELEM;

		if (p->docs && p->paths[at].n == 0)
			continue;
		place[at] = npath++;
		*out = p->paths[at];
		fill_names(tree, at, arena, out);
		copy_lists(out, arena);
		out->parent = node->parent == 0 ? UINT32_MAX : place[node->parent];
		out->in_array = node->in_array;
		out->in_map = node->in_map;
		out->is_elem = is_elem;
		out->is_map = node->is_map;
		out->map_keys = node->map_keys;
		out->map_key_example = ag_str_dup(arena, node->map_key_example);
		out->nparent = node->parent == 0
		                       ? counted_docs(p)
		                       : p->paths[node->parent]
		                                 .by_type[is_elem ? AG_T_ARRAY : AG_T_OBJECT];
	}
	free(place);
	ret->ndoc = counted_docs(p);
	ret->has_views = ag_table_info_of(p->t)->has_views;
	ret->paths = paths;
	ret->npath = npath;
	ret->paths_left_out = tree->left_out;
}

ag_status ag_table_profile_of(const ag_table *t, const ag_ctx *ctx, const ag_bits *docs,
                              ag_arena *arena, ag_profile *ret, ag_err *err)
{
	static const ag_tree_opts opts = { .max_nodes = AG_PROFILE_MAX_PATHS, .arrays = true };
	ag_arena *scratch = ag_arena_new();
	ag_tree tree = { 0 };
	profiler p = { .t = t, .ctx = ctx, .docs = docs, .tree = &tree };
	uint64_t total = 0;
	ag_status st;

	AG_ASSERT(!docs || docs->n == ag_table_info_of(t)->ndoc);
	st = ag_tree_build(t, ctx, &opts, scratch, &tree, err);
	if (!st) {
		p.order = ag_new_n(scratch, uint32_t, tree.nnode);
		p.paths = ag_new_n(scratch, ag_path_profile, tree.nnode);
		p.arenas = ag_new_n(scratch, ag_arena *, tree.nnode);
		for (uint32_t i = 1; i < tree.nnode; i++) {
			p.order[i - 1] = i;
			total += tree.nodes[i].n;
		}
		ag_ctx_phase(ctx, "profiling", "values", total);
		qsort_r(p.order, tree.nnode - 1, sizeof(*p.order), by_size, tree.nodes);
		st = ag_parallel(ctx, tree.nnode - 1, profile_path, &p, err);
	}
	ag_ctx_phase(ctx, NULL, NULL, 0);
	if (!st)
		fill(&p, arena, ret);
	for (size_t i = 0; p.arenas && i < tree.nnode; i++)
		ag_arena_free(p.arenas[i]);
	ag_arena_free(scratch);
	return st;
}

ag_status ag_table_profile(const ag_table *t, const ag_ctx *ctx, ag_arena *arena, ag_profile *ret,
                           ag_err *err)
{
	return ag_table_profile_of(t, ctx, NULL, arena, ret, err);
}

const ag_path_profile *ag_profile_find(const ag_profile *p, ag_str path)
{
	size_t lo = 0, hi = p->npath;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ag_str_cmp(p->paths[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->npath && ag_str_eq(p->paths[lo].path, path) ? &p->paths[lo] : NULL;
}

const ag_path_profile *ag_profile_find_named(const ag_profile *p, ag_str name)
{
	const ag_path_profile *f = ag_profile_find(p, name);

	for (size_t i = 0; !f && i < p->npath; i++)
		if (p->paths[i].query.len && ag_str_eq(p->paths[i].query, name))
			f = &p->paths[i];
	return f;
}
