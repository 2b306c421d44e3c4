/* path_near -- the file that was probably meant by a path that does not exist. */
#ifndef AG_BASE_PATH_NEAR_H
#define AG_BASE_PATH_NEAR_H

#include "base/arena.h"
#include "base/err.h"

/* The nearest name in the deepest folder of the path that exists; else a name that differs only in its extension
 * ("orders" for "orders.ndjson"). "" = none. Compares at most AG_PATH_NEAR_NAMES names, and hidden ones only with a
 * hidden one. */
#define AG_PATH_NEAR_NAMES 2000
ag_str ag_path_near(ag_str path, ag_arena *arena);

/* Add the hint "did you mean ...?" to an error about a path that is not there, if a name is near. Returns err's status. */
ag_status ag_path_near_hint(ag_str path, ag_arena *arena, ag_err *err);

#endif
