/* sql_server -- see the header. */
#include "app/sql_server.h"

#include "base/log.h"
#include "net/url.h"
#include "query/extjson.h"

#define ORIGIN       "app.sql_server"
#define SCHEMA_BYTES (64u << 10)
#define NAME         "sql"

/* What is offered of such a server: it may have tools that write. */
static const char *const wanted[] = { "execute_sql", "query",        "describe_table",
	                              "list_tables", "get_metadata", "explain_query" };

/* A tool of the client, and the project that it is called for. */
typedef struct scoped {
	const ag_tool *inner;
	ag_str project;
} scoped;

static bool is_project(ag_str key)
{
	return ag_str_eqc(key, "project_id");
}

/* The input, with the conversation's project instead of any other. */
static ag_val with_project(const ag_val *input, ag_str project, ag_arena *arena)
{
	ag_member *members = ag_new_n(arena, ag_member, input->n + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < input->n; i++) {
		if (!is_project(input->u.members[i].key))
			members[n++] = input->u.members[i];
	}
	if (project.len)
		members[n++] = (ag_member){ AG_S("project_id"), ag_val_str(project) };
	return ag_val_object(members, n);
}

static ag_status run(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const ag_tool *outer = c->tool;
	const scoped *s = outer->of;
	const ag_val whole = with_project(input, s->project, c->arena);
	ag_status st;

	c->tool = s->inner;
	st = s->inner->run(c, &whole, out, err);
	c->tool = outer;
	return st;
}

/* An object without its member project_id; an array without that text. */
static void write_without(ag_jw *w, const ag_val *v, ag_arena *arena)
{
	if (v->type == AG_T_ARRAY) {
		ag_jw_arr(w);
		for (uint32_t i = 0; i < v->n; i++) {
			if (v->u.items[i].type == AG_T_STRING &&
			    is_project(ag_val_text(&v->u.items[i])))
				continue;
			ag_jw_raw(w, ag_extjson_str(arena, &v->u.items[i], AG_EXTJSON_RELAXED));
		}
		ag_jw_arr_end(w);
		return;
	}
	ag_jw_obj(w);
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *m = &v->u.members[i];

		if (is_project(m->key))
			continue;
		ag_jw_key(w, m->key);
		ag_jw_raw(w, ag_extjson_str(arena, &m->val, AG_EXTJSON_RELAXED));
	}
	ag_jw_obj_end(w);
}

static const char *schema_without(const char *schema, ag_arena *arena)
{
	const ag_extjson_opts opts = { .max_values = 10000 };
	ag_buf out = AG_BUF_INIT(SCHEMA_BYTES);
	const char *ret = schema;
	ag_val v;
	ag_jw w;

	if (ag_extjson_parse(ag_str_c(schema), &opts, arena, &v, NULL, NULL, NULL) ||
	    v.type != AG_T_OBJECT)
		return schema;
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	for (uint32_t i = 0; i < v.n; i++) {
		const ag_member *m = &v.u.members[i];

		ag_jw_key(&w, m->key);
		if ((ag_str_eqc(m->key, "properties") && m->val.type == AG_T_OBJECT) ||
		    (ag_str_eqc(m->key, "required") && m->val.type == AG_T_ARRAY))
			write_without(&w, &m->val, arena);
		else
			ag_jw_raw(&w, ag_extjson_str(arena, &m->val, AG_EXTJSON_RELAXED));
	}
	ag_jw_obj_end(&w);
	if (!out.failed)
		ret = ag_str_cstr(arena, ag_buf_view(&out));
	ag_buf_release(&out);
	return ret;
}

static void scope(const ag_tool *inner, const char *name, ag_str project, ag_arena *arena,
                  ag_tool *ret)
{
	scoped *s = ag_new(arena, scoped);

	*s = (scoped){ inner, project };
	*ret = *inner;
	ret->name = name;
	ret->flags |= AG_TOOL_READS;
	ret->input_schema = schema_without(inner->input_schema, arena);
	ret->run = run;
	ret->of = s;
}

/* Those of wanted[] that the server has. */
static ag_status list(ag_app *app, ag_app_sql_server *s, ag_str *names, size_t *ret_n, ag_err *err)
{
	ag_mcp_client_tool *tools;
	bool runs_sql = false;
	size_t n = 0;
	ag_status st = ag_mcp_client_tools(s->client, &app->ctx, app->arena, &tools, &n, err);

	*ret_n = 0;
	for (size_t k = 0; !st && k < AG_NELEM(wanted); k++) {
		for (size_t i = 0; i < n; i++) {
			if (!ag_str_eqc(tools[i].name, wanted[k]))
				continue;
			/* One way to run a statement is enough for a model. */
			if (k == 1 && runs_sql)
				break;
			runs_sql = runs_sql || k < 2;
			names[(*ret_n)++] = tools[i].name;
			break;
		}
	}
	if (st || runs_sql)
		return st;
	ag_fail(err, AG_NOT_FOUND, ORIGIN,
	        "the server of MCP_SERVER_URL has no tool that runs SQL");
	return ag_err_hint(err,
	                   "want a tool \"execute_sql\" or \"query\", as of `argus mcp --http`");
}

static ag_status offer(ag_app *app, ag_app_sql_server *s, ag_str project, ag_err *err)
{
	ag_str names[AG_NELEM(wanted)];
	ag_tool *inner, *rows;
	size_t n = 0, ninner = 0;
	ag_status st = list(app, s, names, &n, err);

	if (!st)
		st = ag_mcp_client_offer(s->client, &app->ctx, names, n, app->arena, &inner,
		                         &ninner, err);
	if (st)
		return st;
	rows = ag_new_n(app->arena, ag_tool, ninner + 1);
	for (size_t i = 0; i < ninner; i++)
		scope(&inner[i], inner[i].name + sizeof(NAME "__") - 1, project, app->arena,
		      &rows[i]);
	s->tools = (ag_tool_set){ .tools = rows, .ntool = ninner };
	return AG_OK;
}

/* A file of the folder may send statements, and with them what the user asks, to this machine only. */
static ag_status check_place(ag_app *app, const ag_var *url, ag_err *err)
{
	ag_url u;
	ag_status st = ag_url_parse(url->value, app->arena, &u, err);

	if (st || url->place == AG_PLACE_ENV || ag_url_is_loopback(&u))
		return st;
	ag_fail(err, AG_DENIED, ORIGIN, "%.*s: MCP_SERVER_URL leads to another machine",
	        AG_FMT(url->where));
	return ag_err_hint(err, "if you trust this file, set MCP_SERVER_URL in the environment");
}

ag_status ag_app_sql_server_open(ag_app *app, const ag_var *url, ag_str project,
                                 ag_app_sql_server *ret, ag_err *err)
{
	const ag_var *token = ag_settings_var(&app->settings, "ARGUS_MCP_TOKEN");
	const ag_mcp_client_opts o = { .name = AG_S(NAME),
		                       .url = url->value,
		                       .token = token ? token->value : AG_S("") };
	ag_status st = check_place(app, url, err);

	*ret = (ag_app_sql_server){ 0 };
	if (token)
		ag_log_redact(token->value);
	if (!st)
		st = ag_mcp_client_open(&app->ctx, &o, &ret->client, err);
	if (st == AG_DENIED && o.url.len)
		ag_err_hint(err,
		            token && token->value.len
		                    ? "the token in ARGUS_MCP_TOKEN is not good there: argus token "
		                      "create, on that server, makes one"
		                    : "set ARGUS_MCP_TOKEN: argus token create, on that server, "
		                      "makes a token");
	if (!st)
		st = offer(app, ret, project, err);
	if (st)
		ag_app_sql_server_close(ret);
	return st;
}

void ag_app_sql_server_close(ag_app_sql_server *s)
{
	s->client = ag_mcp_client_close(s->client);
}
