/* shell_internal -- what shell_read.c and shell_calls.c share. */
#ifndef AG_QUERY_SHELL_INTERNAL_H
#define AG_QUERY_SHELL_INTERNAL_H

#include "query/shell_read.h"

#define AG_SHELL_MAX_ARGS 8

/* Make the value of NAME(args). The message of a failure has no place; the caller adds it. False: refused. */
bool ag_shell_call(ag_str name, bool is_new, const ag_val *args, size_t narg, ag_arena *arena,
                   ag_val *ret, ag_buf *why);
bool ag_shell_is_call(ag_str name);
/* The known constructor whose name is nearest, or NULL. */
const char *ag_shell_nearest(ag_str name);

#endif
