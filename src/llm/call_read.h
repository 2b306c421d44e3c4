/* call_read -- one call of a tool in JSON, in any of the shapes that models write:
 *   {"name","arguments"}, {"tool","input"}, {"action","action_input"}, {"function":{"name","arguments"}}, …
 * and names in another case, with hyphens or blanks, with a prefix ("functions.read_file"). */
#ifndef AG_LLM_CALL_READ_H
#define AG_LLM_CALL_READ_H

#include "base/arena.h"
#include "base/str.h"

typedef struct ag_written_call {
	ag_str name;  /* as written, decoded; a view of the object or in arena */
	ag_str input; /* a JSON object: its bytes as written, or in arena */
	bool has_input; /* a member holds the arguments; else they are the members beside the name, or there are none */
} ag_written_call;

/* object: one valid JSON object. False: it names no tool, or its arguments are no object and hold none. */
bool ag_call_of_object(ag_str object, ag_arena *arena, ag_written_call *ret);

/* How far a name may differ from a tool's. Try them in this order over all tools: the exact name wins. */
typedef enum ag_name_fit {
	AG_NAME_EXACT,
	AG_NAME_FOLDED, /* case, "-", "_" and blanks do not count */
	AG_NAME_STRIPPED /* nor does what is before the last ".", "/" or ":", nor "()" and ":0" at the end */
} ag_name_fit;
#define AG_NAME_NFIT 3

bool ag_call_name_fits(ag_str written, ag_str name, ag_name_fit fit);

#endif
