/* tool -- what an agent can do: one row per tool.
 *
 * From the parameters both the JSON schema for a model and the check of its input are made, so they cannot
 * disagree. To add a tool: a row in the agent's table and its function; see CONTRIBUTING.md. */
#ifndef AG_AGENT_TOOL_H
#define AG_AGENT_TOOL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "query/value.h"
#include "run/ctx.h"

typedef enum ag_param_type {
	AG_PARAM_STRING,
	AG_PARAM_INT,
	AG_PARAM_NUMBER,
	AG_PARAM_BOOL,
	AG_PARAM_OBJECT,
	AG_PARAM_ARRAY,
	AG_PARAM_STRINGS, /* array of strings */
	AG_PARAM_QUERY    /* filter object, pipeline array, or the text of one */
} ag_param_type;

typedef struct ag_param {
	const char *name;
	ag_param_type type;
	bool required;
	const char *help;
	double min, max; /* numbers: range; strings and arrays: length; 0,0 = no limit */
	const char *const
		*one_of; /* strings: NULL-terminated list of allowed values, any case; NULL = any */
	/* What models really send is taken as well: "false" and 0 for a boolean, "12" for an integer, an object for a string
	 * that holds JSON, "3 %" or null for a number. Read the value with ag_tool_bool() and its kin. The schema is strict all the same. */
	bool is_lenient;
} ag_param;

typedef enum ag_tool_flag {
	AG_TOOL_READS = 1,    /* no effect outside: a resume may run it again */
	AG_TOOL_PROPOSES = 2, /* its output is a candidate: the observation gate judges it */
	AG_TOOL_CONCLUDES = 4 /* asks for the end of the run: the run gate judges it; run is NULL */
} ag_tool_flag;

/* What a tool gave. `json` is one JSON object and goes to the log and the trace; `summary` is one short line
 * for the planner and people. Both live in the step's arena. */
typedef struct ag_observation {
	ag_str json;
	ag_str summary;
	ag_str target_id; /* PROPOSES: id of the candidate */
} ag_observation;

typedef struct ag_tool ag_tool;

struct ag_tool {
	const char *name, *help;
	const ag_param *params;
	size_t nparam;
	unsigned flags;
	size_t max_output_bytes; /* larger output is an error that names the limit */
	/* env: the agent's own; input: checked against params. A failure becomes the planner's critique,
	 * unless its status ends the run (see loop.h). */
	ag_status (*run)(void *env, const ag_ctx *ctx, ag_arena *arena, const ag_val *input,
	                 ag_observation *ret, ag_err *err);
	/* A tool that another program brings (mcp/client.h): the schema that it gave, as JSON text; the input is checked by
	 * its owner; run stays NULL. */
	ag_str foreign_schema;
	ag_status (*run_foreign)(const ag_tool *t, const ag_ctx *ctx, ag_arena *arena,
	                         const ag_val *input, ag_observation *ret, ag_err *err);
	void *of; /* what run_foreign works on */
};

const ag_tool *ag_tool_find(const ag_tool *tools, size_t ntool, ag_str name);
/* AG_INVALID: there is no tool of that name; with the nearest that there is. */
AG_CHECK ag_status ag_tool_unknown(const ag_tool *tools, size_t ntool, ag_str name, ag_err *err);
/* The message names the parameter: `limit: want 1 or more, got -3`. Unknown ones are refused with the nearest. */
AG_CHECK ag_status ag_tool_check_input(const ag_tool *t, const ag_val *input, ag_err *err);
/* The values of lenient parameters; the fallback when they are absent or null. */
bool ag_tool_bool(const ag_val *input, const char *name, bool fallback);
int64_t ag_tool_int(const ag_val *input, const char *name, int64_t fallback);
/* A string as it is, an object or array as JSON text in arena, else "". */
ag_str ag_tool_text(const ag_val *input, const char *name, ag_arena *arena);
/* {"type":"object","properties":{…},"required":[…],"additionalProperties":false} */
void ag_tool_schema(const ag_tool *t, ag_jw *w);
/* The same without descriptions and ranges: for a grammar, which reads neither. */
void ag_tool_schema_closed(const ag_tool *t, ag_jw *w);

#endif
