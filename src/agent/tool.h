/* tool -- what can be done: one row per tool, the same for agents, for clients of the MCP server and for tools of other
 * servers.
 *
 * From the parameters both the JSON schema for a model and the check of its input are made, so they cannot
 * disagree. To add a tool: a row in its room's table and its function; see CONTRIBUTING.md. */
#ifndef AG_AGENT_TOOL_H
#define AG_AGENT_TOOL_H

#include "agent/call.h"

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
	bool in_chars; /* strings: min and max count characters, not bytes */
} ag_param;

typedef enum ag_tool_flag {
	AG_TOOL_READS = 1, /* no effect outside: a resume may run it again */
	AG_TOOL_PROPOSES =
		2, /* the observation gate judges its output: a candidate, or a result that may be wrong */
	AG_TOOL_CONCLUDES =
		4, /* asks for the end of the run: the run gate judges it; run is NULL */
	/* For clients of MCP: */
	AG_TOOL_IDEMPOTENT = 8,
	AG_TOOL_OPEN_WORLD = 16,
	AG_TOOL_DESTRUCTIVE = 32,
	AG_TOOL_LONG =
		64, /* reports progress or asks the client: over HTTP it is answered as a stream */
	AG_TOOL_TICKS =
		128, /* the tool blocks: a ticker sends ctx.progress to the client once a second */
	AG_TOOL_EXTJSON = 256 /* filters and pipelines in its input are extended JSON */
} ag_tool_flag;

/* What a tool gave, as the log and the gates have it. `json` is one JSON object; `summary` is one short line for the planner
 * and people. Both live as long as the step. */
typedef struct ag_observation {
	ag_str json;
	ag_str summary;
	ag_str target_id; /* PROPOSES: id of the candidate */
	bool is_error;    /* the tool failed, in words for a model */
} ag_observation;

/* One tool, for every caller: agents in the loop, clients of the MCP server, tools of other servers in a run. */
struct ag_tool {
	const char *name, *help;
	const char *title; /* for people; NULL = none */
	const ag_param *params;
	size_t nparam;
	/* JSON schema instead of that of params; the input is then checked by the tool's owner: another server (mcp/client.h).
	 * NULL = params */
	const char *input_schema;
	const char *output_schema; /* JSON text; NULL = none */
	const char *
		frame; /* ui:// resource that draws its results in hosts with MCP Apps; NULL = none */
	unsigned flags;
	size_t max_output_bytes; /* a larger output is an error that names the limit; 0 = AG_TOOL_MAX_OUTPUT */
	/* A governed tool works on a project: scope names what the caller's token must allow ("sql", "audit", "ask"), least
	 * the role, recorded the parameter whose text the audit row keeps (NULL = none). The parameter project_id names the
	 * project. NULL = not governed. */
	const char *scope;
	ag_role least;
	const char *recorded;
	/* input: checked against params. A failure is the planner's to mend, unless its status ends the run (loop.h); a
	 * client of MCP reads its message and hint. Called by ag_tool_call() only. */
	ag_status (*run)(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err);
	/* How a governed tool tells why a call is refused; NULL = ag_envelope_error(). */
	void (*refuse)(ag_call *c, const ag_sql_failure *f, ag_tool_output *out);
	const void *of; /* what run works on, where the row was made at run time */
};

/* A table of tools and the environment that their functions use. Each room exports its table; a caller may mount several. */
typedef struct ag_tool_set {
	const ag_tool *tools;
	size_t ntool;
	void *env;
	/* Is it offered to this caller, beside that his scopes allow it? NULL = always. */
	bool (*offered)(void *env, const ag_caller *who, const ag_tool *t);
} ag_tool_set;

/* May this caller see the tool? */
bool ag_tool_is_offered(const ag_tool_set *set, const ag_tool *t, const ag_caller *who);
const ag_tool *ag_tool_find(const ag_tool *tools, size_t ntool, ag_str name);
/* AG_INVALID: there is no tool of that name in these tables; with the nearest that there is. */
AG_CHECK ag_status ag_tool_unknown(const ag_tool_set *sets, size_t nset, ag_str name, ag_err *err);
/* The message names the parameter: `limit: want 1 or more, got -3`. Unknown ones are refused with the nearest. */
AG_CHECK ag_status ag_tool_check_input(const ag_tool *t, const ag_val *input, ag_err *err);
/* The values of lenient parameters; the fallback when they are absent or null. */
bool ag_tool_bool(const ag_val *input, const char *name, bool fallback);
int64_t ag_tool_int(const ag_val *input, const char *name, int64_t fallback);
/* A string as it is, an object or array as JSON text in arena, else "". */
ag_str ag_tool_text(const ag_val *input, const char *name, ag_arena *arena);
/* The members of a parameter's own schema: type, description, range, values, and lengths, which not every server of models
 * takes: the schema of a tool leaves them out. */
void ag_param_schema(const ag_param *p, ag_jw *w);
/* {"type":"object","properties":{…},"required":[…],"additionalProperties":false} */
void ag_tool_schema(const ag_tool *t, ag_jw *w);
/* The same without descriptions and ranges: for a grammar, which reads neither. */
void ag_tool_schema_closed(const ag_tool *t, ag_jw *w);

#endif
