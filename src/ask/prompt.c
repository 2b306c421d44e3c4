/* prompt -- what the project agent's model reads: prompts/ask/ with places filled, and the tools it is offered.
 *
 * Without an API neither the tool nor a word about it is there: a model uses what it is told of. */
#include "agent/prompt_file.h"
#include "ask/ask.h"
#include "ask/tools.h"

#define SCHEMA_MAX_BYTES (64u * 1024)

/* "Only GET and HEAD are allowed.", "" when all are. */
static ag_str methods_of(const ag_ask_opts *o, const char *end, ag_arena *arena)
{
	const unsigned methods = o->api_methods ? o->api_methods : AG_API_READING;

	return methods == AG_API_ALL
	               ? AG_S("")
	               : ag_str_printf(arena, "Only %.*s %s",
	                               AG_FMT(ag_api_methods_text(methods, arena)), end);
}

ag_status ag_ask_prompt(const ag_ask_opts *o, ag_arena *arena, ag_str *ret_system,
                        ag_str *ret_last_words, ag_err *err)
{
	const ag_prompt_value api[] = {
		{ "methods", methods_of(o, "are allowed.", arena) },
	};
	ag_str routes = AG_S("");
	ag_status st = AG_OK;

	if (o->api)
		st = ag_prompt_file("prompts/ask/api_routes.md", api, AG_NELEM(api), arena, &routes,
		                    err);
	if (!st)
		st = ag_prompt_file("prompts/ask/last_words.md", NULL, 0, arena, ret_last_words,
		                    err);
	if (st)
		return st;

	const ag_prompt_value values[] = {
		{ "and_api", o->api ? AG_S(" and its running HTTP API") : AG_S("") },
		{ "api_routes",
		  o->api ? ag_str_printf(arena, "%.*s\n", AG_FMT(routes)) : AG_S("") },
		{ "api_source", o->api ? AG_S("Source: API endpoint GET /items/\n") : AG_S("") },
		{ "budget",
		  ag_str_printf(arena, "%u", o->choices.calls ? o->choices.calls : AG_ASK_BUDGET) },
	};

	return ag_prompt_file("prompts/ask/system.md", values, AG_NELEM(values), arena, ret_system,
	                      err);
}

static ag_str schema_of(const ag_tool *t, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(SCHEMA_MAX_BYTES);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_tool_schema(t, &w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* What the API says of itself, between marks that the system prompt declares to be data. No "<" is left in it, so nothing
 * within can close the marks. "" when the API says nothing. */
static ag_str fenced(ag_str operations, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(6 * operations.len + 200);
	ag_str ret;

	if (!operations.len)
		return AG_S("");
	ag_buf_adds(&out, " What the API says of itself:\n<data name=\"openapi\">\n");
	for (size_t i = 0; i < operations.len; i++) {
		if (operations.ptr[i] == '<')
			ag_buf_adds(&out, "\\u003c");
		else
			ag_buf_addc(&out, operations.ptr[i]);
	}
	ag_buf_adds(&out, "\n</data>");
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str help_of(const ag_tool *t, const ag_ask_opts *o, ag_arena *arena)
{
	const ag_str help = ag_str_c(t->help);
	ag_str methods, routes;

	if (t != &ag_ask_tool_table.tools[AG_ASK_TOOL_API])
		return help;
	methods = methods_of(o, "are allowed here.", arena);
	routes = fenced(o->operations, arena);
	return ag_str_printf(arena, "%.*s%s%.*s%.*s", AG_FMT(help), methods.len ? " " : "",
	                     AG_FMT(methods), AG_FMT(routes));
}

ag_llm_tool *ag_ask_offered(const ag_ask_opts *o, ag_arena *arena, size_t *ret_n)
{
	ag_llm_tool *ret = ag_new_n(arena, ag_llm_tool, ag_ask_tool_table.ntool + o->nmore_tool);
	size_t n = 0;

	for (size_t i = 0; i < ag_ask_tool_table.ntool; i++) {
		const ag_tool *t = &ag_ask_tool_table.tools[i];

		if (!o->api && i == AG_ASK_TOOL_API)
			continue;
		ret[n++] = (ag_llm_tool){ .name = ag_str_c(t->name),
			                  .help = help_of(t, o, arena),
			                  .schema = schema_of(t, arena),
			                  .has_effect = !(t->flags & AG_TOOL_READS) };
	}
	for (size_t i = 0; i < o->nmore_tool; i++)
		ret[n++] = (ag_llm_tool){ .name = ag_str_c(o->more_tools[i].name),
			                  .help = ag_str_c(o->more_tools[i].help),
			                  .schema = schema_of(&o->more_tools[i], arena),
			                  .has_effect = !(o->more_tools[i].flags & AG_TOOL_READS) };
	*ret_n = n;
	return ret;
}
