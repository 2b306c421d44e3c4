/* path_set -- a small ordered set of paths. Linear: callers hold a handful. */
#include "query/path_set.h"

void ag_path_set_add(ag_path_set *set, ag_str path)
{
	for (size_t i = 0; i < set->n; i++) {
		if (ag_str_eq(set->paths[i], path))
			return;
	}
	if (set->n == set->cap) {
		ag_str *grown;

		set->cap = set->cap ? set->cap * 2 : 8;
		grown = ag_new_n(set->arena, ag_str, set->cap);
		if (set->n)
			memcpy(grown, set->paths, set->n * sizeof(*grown));
		set->paths = grown;
	}
	set->paths[set->n++] = path;
}

ag_str ag_path_set_join(ag_path_set *set, ag_str prefix, ag_str path)
{
	if (!prefix.len)
		return path;
	return ag_str_printf(set->arena, "%.*s.%.*s", AG_FMT(prefix), AG_FMT(path));
}
