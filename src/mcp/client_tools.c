/* The tools of another server as rows of an agent's table. */
#include "mcp/client_parts.h"

#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN     AG_MCP_CLIENT_ORIGIN
#define MAX_NAME   64 /* what models' servers take as the name of a tool */
#define MAX_HELP   2000
#define MAX_SCHEMA (32u << 10)
#define MAX_OUTPUT (AG_MCP_CLIENT_MAX_OUTPUT + (64u << 10))

typedef struct foreign {
	ag_mcp_client *client;
	ag_str name; /* at the server */
} foreign;

static ag_status run(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const foreign *f = c->tool->of;
	bool is_error = false;
	ag_str text;
	ag_status st = ag_mcp_client_call(f->client, &c->ctx, f->name,
	                                  ag_extjson_str(c->arena, input, AG_EXTJSON_RELAXED),
	                                  c->arena, &text, &is_error, err);
	ag_jw w;

	if (st)
		return st;
	ag_jw_init(&w, &out->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "server", ag_mcp_client_name(f->client));
	ag_jw_kstr(&w, "tool", f->name);
	ag_jw_kstr(&w, "text", text);
	ag_jw_kbool(&w, "is_error", is_error);
	ag_jw_obj_end(&w);
	out->summary = ag_str_printf(c->arena, "%s: %zu bytes%s", c->tool->name, text.len,
	                             is_error ? ", an error" : "");
	return AG_OK;
}

/* "files__read": letters, digits, _ and -; others become _. */
static const char *name_of(ag_str server, ag_str tool, ag_arena *arena)
{
	const ag_str whole = ag_str_printf(arena, "%.*s__%.*s", AG_FMT(server), AG_FMT(tool));
	char *ret = ag_str_cstr(arena, ag_str_make(whole.ptr,
	                                           whole.len < MAX_NAME ? whole.len : MAX_NAME));

	for (char *p = ret; *p; p++) {
		if (!(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z') &&
		    !(*p >= '0' && *p <= '9') && *p != '-')
			*p = '_';
	}
	return ret;
}

static bool is_allowed(const ag_mcp_client_tool *t, const ag_str *allowed, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(t->name, allowed[i]))
			return true;
	}
	return !n && t->is_read_only;
}

static ag_tool make(ag_mcp_client *c, const ag_mcp_client_tool *t, ag_arena *arena)
{
	foreign *f = ag_new(arena, foreign);
	const ag_str help = t->description.len ? t->description : t->title;

	*f = (foreign){ .client = c, .name = t->name };
	return (ag_tool){ .name = name_of(ag_mcp_client_name(c), t->name, arena),
		          .help = ag_str_cstr(arena, ag_utf8_prefix(help, MAX_HELP)),
		          .flags = t->is_read_only ? AG_TOOL_READS : 0,
		          .max_output_bytes = MAX_OUTPUT * 2,
		          .input_schema = ag_str_cstr(arena, t->input_schema),
		          .run = run,
		          .of = f };
}

static ag_status check_allowed(ag_mcp_client *c, const ag_mcp_client_tool *tools, size_t ntool,
                               const ag_str *allowed, size_t nallowed, ag_err *err)
{
	for (size_t i = 0; i < nallowed; i++) {
		size_t k = 0;

		while (k < ntool && !ag_str_eq(tools[k].name, allowed[i]))
			k++;
		if (k == ntool)
			return ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s has no tool \"%.*s\"",
			               AG_FMT(ag_mcp_client_name(c)), AG_FMT(allowed[i]));
	}
	return AG_OK;
}

ag_status ag_mcp_client_offer(ag_mcp_client *c, const ag_ctx *ctx, const ag_str *allowed,
                              size_t nallowed, ag_arena *arena, ag_tool **ret, size_t *nret,
                              ag_err *err)
{
	ag_mcp_client_tool *tools;
	size_t n = 0;
	ag_status st = ag_mcp_client_tools(c, ctx, arena, &tools, &n, err);

	if (!st)
		st = check_allowed(c, tools, n, allowed, nallowed, err);
	if (st)
		return st;
	*ret = ag_new_n(arena, ag_tool, n + 1);
	*nret = 0;
	for (size_t i = 0; i < n; i++) {
		/* A schema that large would crowd out the question. */
		if (is_allowed(&tools[i], allowed, nallowed) &&
		    tools[i].input_schema.len <= MAX_SCHEMA)
			(*ret)[(*nret)++] = make(c, &tools[i], arena);
	}
	return AG_OK;
}
