/* path -- the path grammar of Argus (DESIGN section 9).
 *
 *   a.b        member b of object a
 *   a[].b      member b of the objects in array a          (query form: a.b)
 *   m.*        any key of m, whose keys are data
 *   `a.b`.c    a name that holds a dot, blank, $, [], * or a back tick is quoted; `` is one back tick
 *
 * The query form drops "[]", because MongoDB looks into arrays by itself. It exists only when no part
 * is "*" and no quoted name is needed (a name with a dot or a leading "$" cannot be queried). */
#ifndef AG_QUERY_PATH_H
#define AG_QUERY_PATH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ag_step_kind { AG_STEP_NAME, AG_STEP_ELEM, AG_STEP_ANY } ag_step_kind;

typedef struct ag_step {
	ag_step_kind kind;
	ag_str name; /* unquoted; NAME only */
} ag_step;

typedef struct ag_path {
	const ag_step *steps;
	size_t n;
} ag_path;

AG_CHECK ag_status ag_path_parse(ag_str text, ag_arena *arena, ag_path *ret, ag_err *err);
/* Append one step to a path text: ".name" (quoted where needed), "[]" or ".*". */
void ag_path_append(ag_buf *out, const ag_step *step);
void ag_path_format(ag_buf *out, const ag_path *p);
/* False when the path has no query form. */
bool ag_path_query_form(const ag_path *p, ag_buf *out);

#ifdef __cplusplus
}
#endif
#endif
