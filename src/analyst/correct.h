/* correct -- the guidance for the model after a failed call, and when it must stop trying.
 *
 * The action gate refuses a statement that failed before in the same question, and every statement once the retries are used
 * up. The observation gate gives each failed call guidance of its error class, with the statement, its tables and their
 * columns; the loop puts that behind the result of the call, so it reaches the model in the next request. */
#ifndef AG_ANALYST_CORRECT_H
#define AG_ANALYST_CORRECT_H

#include "agent/gate.h"
#include "analyst/state.h"
#include "sql/dictionary.h"

typedef struct ag_analyst_gates {
	ag_evaluator action, output;     /* of the loop; self is this struct */
	const ag_dictionary *dictionary; /* NULL = unknown */
} ag_analyst_gates;

void ag_analyst_gates_init(ag_analyst_gates *g, const ag_dictionary *dictionary);

/* What to do about an error of that class. A literal, never "". */
const char *ag_analyst_guidance(const char *class_name);
/* May another statement help? False for failures that are not the model's: no connection, limits, missing rights. */
bool ag_analyst_is_mendable(const char *class_name);

#endif
