/* filter_paths -- every path a filter looks at, in order of first appearance.
 *
 * Paths inside $elemMatch carry the path of the array in front. Doubles are found by a linear search:
 * filters name a handful of paths. */
#include <stdlib.h>

#include "query/pipeline_internal.h"

void ag_filter_collect(const ag_filter *f, ag_str prefix, ag_path_set *set)
{
	ag_str here = f->nparts ? ag_path_set_join(set, prefix, f->path) : prefix;

	switch (f->op) {
	case AG_F_TRUE: return;
	case AG_F_AND:
	case AG_F_OR:
	case AG_F_NOR: break;
	case AG_F_EXPR: {
		const ag_str *paths;
		size_t n;
		bool whole;

		ag_expr_paths(f->expr, set->arena, &paths, &n, &whole);
		for (size_t i = 0; i < n; i++)
			ag_path_set_add(set, paths[i]);
		set->whole = set->whole || whole;
		return;
	}
	case AG_F_ELEM_OBJ:
	case AG_F_ELEM_VAL:
		/* {"a": {"$elemMatch": {}}} still looks at a. */
		ag_path_set_add(set, here);
		ag_filter_collect(f->kids[0], here, set);
		return;
	case AG_F_NOT:
	case AG_F_ALL:
	case AG_F_IN:
		/* The kids stand on the same path. */
		ag_path_set_add(set, here);
		for (size_t i = 0; i < f->nkids; i++)
			ag_filter_collect(f->kids[i], prefix, set);
		return;
	default: ag_path_set_add(set, here); return;
	}
	for (size_t i = 0; i < f->nkids; i++)
		ag_filter_collect(f->kids[i], prefix, set);
}

void ag_filter_paths(const ag_filter *f, ag_arena *arena, const ag_str **ret, size_t *nret)
{
	ag_path_set set = { .arena = arena };

	ag_filter_collect(f, AG_S(""), &set);
	*ret = set.paths;
	*nret = set.n;
}

bool ag_filter_wants_whole(const ag_filter *f)
{
	ag_arena *arena = ag_arena_new();
	ag_path_set set = { .arena = arena };

	ag_filter_collect(f, AG_S(""), &set);
	ag_arena_free(arena);
	return set.whole;
}

uint64_t ag_filter_overruns(const ag_filter *f)
{
	uint64_t n = f->regex ? ag_regex_overruns(f->regex) : 0;

	for (size_t i = 0; i < f->nkids; i++)
		n += ag_filter_overruns(f->kids[i]);
	return n;
}
