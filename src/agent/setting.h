/* setting -- a value that a user can choose: one row, from which all its names follow.
 *
 * Each agent has a table of them (agent.h). What a row says is all there is to say: the key in argus.yaml and for --set, the
 * variable of the environment (ARGUS_ and the key in capitals), the flag of the agent's command, the argument of its tool, the
 * limits, the help, and the field that gets the value. */
#ifndef AG_AGENT_SETTING_H
#define AG_AGENT_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#define AG_SETTING_ENV_MAX 64

typedef enum ag_set_type {
	AG_SET_COUNT,  /* uint64_t */
	AG_SET_NUMBER, /* double */
	AG_SET_BOOL,   /* bool */
	AG_SET_CHOICE, /* int, index into one_of */
	AG_SET_TEXT,   /* ag_str */
	AG_SET_DATE    /* int64_t, ms since 1970 UTC; 0 = not given */
} ag_set_type;

typedef struct ag_setting {
	const char *group; /* in argus.yaml: "audit"; "" = top level */
	const char *key;   /* unique over all groups */
	ag_set_type type;
	double min, max;           /* COUNT and NUMBER */
	const char *const *one_of; /* CHOICE: NULL-terminated */
	const char *unset;    /* COUNT, NUMBER, DATE, TEXT: the word for "not given", NULL = none */
	double unset_number;  /* NUMBER: what "not given" is kept as */
	bool takes_all;       /* COUNT: "all" is UINT64_MAX */
	const char *fallback; /* the default, as a user would write it */
	size_t offset,
		size;     /* of its field, in the options of its owner; size 0 = that of its type */
	const char *help; /* for people who write settings */
	/* The flag of the agent's command; NULL = only --set KEY=VALUE. */
	const char *flag;
	char letter;
	const char *flag_arg;   /* "N"; NULL = takes no value */
	const char *flag_value; /* what it sets when it takes none; NULL = "true" */
	const char *flag_help;
	bool is_live; /* a server that runs takes a new value on SIGHUP */
	bool in_call; /* BOOL: clients give it with each call of the agent's tool, under the name of the flag */
} ag_setting;

#endif
