/* path_set -- paths in order of first appearance, without doubles. Private to query. */
#ifndef AG_QUERY_PATH_SET_H
#define AG_QUERY_PATH_SET_H

#include "base/arena.h"

typedef struct ag_path_set {
	ag_arena *arena;
	ag_str *paths;
	size_t n, cap;
	bool whole; /* the whole document is wanted */
} ag_path_set;

void ag_path_set_add(ag_path_set *set, ag_str path);
/* "prefix.path"; an empty prefix gives path. */
ag_str ag_path_set_join(ag_path_set *set, ag_str prefix, ag_str path);

#endif
