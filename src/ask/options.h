/* options -- what a user can choose about questions. Each row's field is one of ag_ask_choices. */
#ifndef AG_ASK_OPTIONS_H
#define AG_ASK_OPTIONS_H

#include "agent/setting.h"
#include "base/str.h"

typedef enum ag_ask_format { AG_ASK_JSON, AG_ASK_TEXT, AG_ASK_MARKDOWN } ag_ask_format;
typedef enum ag_sandbox_wish {
	AG_SANDBOX_AUTO,
	AG_SANDBOX_OFF,
	AG_SANDBOX_REQUIRED
} ag_sandbox_wish;

typedef struct ag_ask_choices {
	ag_str root; /* "" = found */
	bool api;    /* the project has one that may be asked */
	ag_str api_base, api_methods;
	bool read_only;
	unsigned calls;  /* of tools; 0 = AG_ASK_BUDGET */
	double deadline; /* seconds */
	ag_ask_format format;
	bool offline;
	size_t read_bytes; /* of a file, in one result; 0 = AG_ASK_READ_BYTES */
	ag_sandbox_wish sandbox;
} ag_ask_choices;

extern const ag_setting ag_ask_options[]; /* ends with a row without a key */

#endif
