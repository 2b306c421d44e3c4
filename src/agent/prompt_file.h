/* prompt_file -- prompts are text files with places: {{name}} is replaced by the value of that name.
 *
 * Nothing else is special, and what was put in is not looked at again. A place without a value and an open {{ are errors
 * (AG_INTERNAL): a prompt with a hole must not reach a model. */
#ifndef AG_AGENT_PROMPT_FILE_H
#define AG_AGENT_PROMPT_FILE_H

#include "base/arena.h"
#include "base/err.h"

typedef struct ag_prompt_value {
	const char *name;
	ag_str text;
} ag_prompt_value;

/* The embedded file of that path ("prompts/audit/planner.md") with its places filled; without the line end of its last
 * line. In arena. */
AG_CHECK ag_status ag_prompt_file(const char *path, const ag_prompt_value *values, size_t nvalue,
                                  ag_arena *arena, ag_str *ret, ag_err *err);
/* The same for a text. `path` is for messages. */
AG_CHECK ag_status ag_prompt_fill(ag_str text, const char *path, const ag_prompt_value *values,
                                  size_t nvalue, ag_arena *arena, ag_str *ret, ag_err *err);

#endif
