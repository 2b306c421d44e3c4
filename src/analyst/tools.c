/* tools -- a project's database for a model: six tools, each of which asks through project/query.c.
 *
 * lint: table. `query` answers with the envelope of the reference, `execute_sql` with the seed's flat object. */
#include "analyst/tools.h"

#include "agent/envelope.h"
#include "base/utf8.h"

#define MAX_OUTPUT    (128u << 20)
#define SUMMARY_BYTES 200

#define PROJECT_PARAM                                                      \
	{                                                                  \
		.name = "project_id", .type = AG_PARAM_STRING, .max = 128, \
		.help = "Project; only needed when you have several."      \
	}
#define REFRESH_PARAM                                                         \
	{                                                                     \
		.name = "refresh", .type = AG_PARAM_BOOL, .is_lenient = true, \
		.help = "Read the schema anew (else at most a day old)."      \
	}

/* --- results --- */

static void columns(ag_jw *w, const ag_sql_result *r)
{
	ag_jw_kkey(w, "columns");
	ag_jw_arr(w);
	for (size_t i = 0; i < r->ncolumn; i++)
		ag_jw_str(w, r->columns[i].name);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "column_types");
	ag_jw_arr(w);
	for (size_t i = 0; i < r->ncolumn; i++)
		ag_jw_str(w, r->columns[i].type);
	ag_jw_arr_end(w);
}

static void names(ag_jw *w, const char *key, const ag_str *list, size_t n)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, list[i]);
	ag_jw_arr_end(w);
}

static const char *cut_name(ag_sql_cut cut)
{
	return cut == AG_SQL_CUT_ROWS ? "rows" : cut == AG_SQL_CUT_BYTES ? "bytes" : NULL;
}

/* The members that both forms of a result have. */
static void table(ag_jw *w, const ag_sql_result *r)
{
	columns(w, r);
	ag_jw_kraw(w, "rows", r->rows.len ? ag_buf_view(&r->rows) : AG_S("[]"));
	ag_jw_kuint(w, "row_count", r->nrow);
	ag_jw_kbool(w, "truncated", r->cut != AG_SQL_WHOLE);
	if (r->cut != AG_SQL_WHOLE) {
		ag_jw_kstr(w, "truncated_by", ag_str_c(cut_name(r->cut)));
		ag_jw_kuint(w, "rows_seen", r->rows_seen);
		ag_jw_kstr(w, "how_to_go_on", r->how_to_go_on);
	}
	ag_jw_kstr(w, "sql_executed", r->sql_executed);
	names(w, "tables_accessed", r->verdict.tables, r->verdict.ntable);
}

/* Memory for the whole of a small result at once, in the place of doubling up to it. */
static void begin_result(ag_tool_output *out, const ag_sql_result *r, ag_jw *w)
{
	if (!ag_buf_room(&out->json, 512 + r->rows.len))
		AG_IGNORE(out->json.failed, "ag_tool_call() reports it");
	ag_jw_init(w, &out->json, 0);
}

/* One sentence that names the cap. */
static ag_str cut_warning(const ag_sql_result *r, ag_arena *arena)
{
	if (r->cut == AG_SQL_CUT_ROWS)
		return ag_str_printf(arena, "Results are cut at %llu rows: there are more. %.*s",
		                     (unsigned long long)r->nrow, AG_FMT(r->how_to_go_on));
	if (r->cut == AG_SQL_CUT_BYTES)
		return ag_str_printf(arena,
		                     "Results are cut at the limit of bytes, after %llu rows. %.*s",
		                     (unsigned long long)r->nrow, AG_FMT(r->how_to_go_on));
	return AG_S("");
}

/* r->is_ok, or r->failure says why not. */
static ag_status ask(ag_call *c, const ag_val *input, bool explain, ag_sql_result *r, ag_err *err)
{
	const ag_sql_request rq = { .sql = ag_val_member_str(input, c->tool->recorded),
		                    .watch_fd = c->watch_fd };

	return (explain ? ag_project_explain : ag_project_query)(c->hub, &c->ctx, &c->governed, &rq,
	                                                         c->arena, r, err);
}

static ag_str summary_of(const ag_sql_result *r, ag_arena *arena)
{
	if (!r->is_ok)
		return ag_str_printf(arena, "%s: %.*s", ag_sql_code_name(r->failure.code),
		                     AG_FMT(ag_utf8_prefix(r->failure.message, SUMMARY_BYTES)));
	return ag_str_printf(arena, "%llu row%s%s", (unsigned long long)r->nrow,
	                     r->nrow == 1 ? "" : "s", r->cut == AG_SQL_WHOLE ? "" : " (truncated)");
}

static ag_status answer(ag_call *c, const ag_val *input, bool explain, ag_tool_output *out,
                        ag_err *err)
{
	ag_sql_result r;
	const ag_status st = ask(c, input, explain, &r, err);
	ag_jw w;

	if (st)
		return st;
	if (r.is_ok) {
		begin_result(out, &r, &w);
		ag_envelope(&w);
		table(&w, &r);
		ag_envelope_end(&w, c, cut_warning(&r, c->arena));
	} else {
		ag_envelope_error(out, &r.failure, r.sql_executed);
	}
	out->summary = summary_of(&r, c->arena);
	ag_sql_result_release(&r);
	return AG_OK;
}

static ag_status query(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	return answer(c, input, false, out, err);
}

static ag_status explain_query(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	return answer(c, input, true, out, err);
}

/* The seed's flat object. */
static void flat(ag_call *c, const ag_sql_result *r, ag_tool_output *out)
{
	const ag_str caveat = r->is_ok ? cut_warning(r, c->arena) : r->failure.hint;
	ag_jw w;

	begin_result(out, r, &w);
	ag_jw_obj(&w);
	table(&w, r);
	names(&w, "caveats", &caveat, caveat.len ? 1 : 0);
	if (r->is_ok) {
		ag_jw_knull(&w, "error");
	} else {
		ag_jw_kstr(&w, "error", r->failure.message);
		ag_jw_kstr(&w, "error_code", ag_str_c(ag_sql_code_name(r->failure.code)));
		if (r->failure.class_name)
			ag_jw_kstr(&w, "error_class", ag_str_c(r->failure.class_name));
		if (r->failure.sqlstate[0])
			ag_jw_kstr(&w, "sqlstate", ag_str_c(r->failure.sqlstate));
		if (r->verdict.rule)
			ag_jw_kstr(&w, "rule", ag_str_c(ag_sql_rule_id(r->verdict.rule)));
		if (r->failure.retry_after_ms)
			ag_jw_kint(&w, "retry_after_seconds",
			           (r->failure.retry_after_ms + 999) / 1000);
	}
	ag_jw_obj_end(&w);
	out->is_error = !r->is_ok;
	out->summary = summary_of(r, c->arena);
}

static ag_status execute_sql(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_sql_result r;
	const ag_status st = ask(c, input, false, &r, err);

	if (st)
		return st;
	flat(c, &r, out);
	ag_sql_result_release(&r);
	return AG_OK;
}

static void refuse_flat(ag_call *c, const ag_sql_failure *f, ag_tool_output *out)
{
	const ag_sql_result r = { .failure = *f };

	flat(c, &r, out);
}

/* --- the dictionary --- */

/* False: out holds the refusal, or *ret_st the fault. */
static bool dictionary(ag_call *c, const ag_val *input, ag_dictionary *d, ag_tool_output *out,
                       ag_status *ret_st, ag_err *err)
{
	ag_sql_failure f = { 0 };

	*ret_st = ag_project_dictionary(c->hub, &c->ctx, &c->governed,
	                                ag_tool_bool(input, "refresh", false), c->arena, d, &f,
	                                err);
	if (!*ret_st && f.code)
		ag_envelope_error(out, &f, AG_S(""));
	return !*ret_st && !f.code;
}

/* All tables: names with a line each, or everything that is known. */
static ag_status answer_tables(ag_call *c, const ag_val *input, bool is_whole, ag_tool_output *out,
                               ag_err *err)
{
	ag_dictionary d = { 0 };
	ag_status st;
	ag_jw w;

	if (!dictionary(c, input, &d, out, &st, err))
		return st;
	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	if (is_whole) {
		ag_dictionary_all_json(&d, &w);
	} else {
		ag_jw_kkey(&w, "tables");
		ag_dictionary_list_json(&d, &w);
	}
	ag_envelope_end(&w, c,
	                d.is_cut ? AG_S("There are more tables than are listed.") : AG_S(""));
	out->summary = ag_str_printf(c->arena, "%zu tables", d.ntable);
	return AG_OK;
}

static ag_status list_tables(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	return answer_tables(c, input, false, out, err);
}

static ag_status get_metadata(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	return answer_tables(c, input, true, out, err);
}

static ag_status describe_table(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const ag_str name = ag_val_member_str(input, "table_name");
	const ag_dict_table *t;
	ag_dictionary d = { 0 };
	ag_status st;
	ag_jw w;

	if (!dictionary(c, input, &d, out, &st, err))
		return st;
	t = ag_dictionary_find(&d, name);
	if (!t) {
		const ag_sql_failure f = {
			.code = AG_SQLCODE_NOT_FOUND,
			.class_name = "table_not_found",
			.message = ag_str_printf(c->arena, "Table '%.*s' was not found",
			                         (int)(name.len < 120 ? name.len : 120), name.ptr),
			.detail = ag_dictionary_suggest(&d, name, c->arena),
			.hint = AG_S("list_tables names all of them"),
		};

		ag_envelope_error(out, &f, AG_S(""));
		out->summary = f.message;
		return AG_OK;
	}
	ag_jw_init(&w, &out->json, 0);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "success", true);
	ag_jw_kkey(&w, "data");
	ag_dictionary_table_json(&d, t, &w);
	ag_envelope_tail(&w, c, AG_S(""));
	out->summary = ag_str_printf(c->arena, "%zu columns", t->ncolumn);
	return AG_OK;
}

/* --- the table --- */

#define RESULT_PROPERTIES                                                                \
	"\"columns\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"              \
	"\"column_types\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"         \
	"\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}},"                  \
	"\"row_count\":{\"type\":\"integer\"},\"truncated\":{\"type\":\"boolean\"},"     \
	"\"truncated_by\":{\"type\":\"string\"},\"rows_seen\":{\"type\":\"integer\"},"   \
	"\"how_to_go_on\":{\"type\":\"string\"},\"sql_executed\":{\"type\":\"string\"}," \
	"\"tables_accessed\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

#define ENVELOPE_REST                                                                    \
	"\"project_id\":{\"type\":\"string\"},\"schema\":{\"type\":\"string\"},"         \
	"\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"             \
	"\"timing_ms\":{\"type\":\"integer\"},"                                          \
	"\"error\":{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\"}," \
	"\"message\":{\"type\":\"string\"},\"hint\":{\"type\":\"string\"}},"             \
	"\"required\":[\"code\",\"message\"]}},\"required\":[\"success\"]}"

static const char query_schema[] =
	"{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"},\"data\":{\"type\":"
	"\"object\",\"properties\":{" RESULT_PROPERTIES
	"},\"required\":[\"columns\",\"rows\",\"row_count\",\"truncated\",\"sql_executed\","
	"\"tables_accessed\"]}," ENVELOPE_REST;

static const char flat_schema[] =
	"{\"type\":\"object\",\"properties\":{" RESULT_PROPERTIES
	",\"caveats\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	"\"error\":{\"type\":[\"string\",\"null\"]},\"error_code\":{\"type\":\"string\"},"
	"\"error_class\":{\"type\":\"string\"},\"sqlstate\":{\"type\":\"string\"},"
	"\"rule\":{\"type\":\"string\"}},"
	"\"required\":[\"columns\",\"rows\",\"row_count\",\"truncated\",\"sql_executed\","
	"\"tables_accessed\",\"caveats\",\"error\"]}";

static const ag_param query_params[] = {
	{ .name = "sql",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .help = "One SELECT (also WITH, VALUES, set operations), without parameters." },
	PROJECT_PARAM,
};
static const ag_param execute_params[] = {
	{ .name = "query",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .help = "One SELECT (also WITH, VALUES, set operations), without parameters." },
	PROJECT_PARAM,
};
static const ag_param list_params[] = { PROJECT_PARAM, REFRESH_PARAM };
static const ag_param describe_params[] = {
	{ .name = "table_name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = 256,
	  .help = "Name, or schema.name." },
	PROJECT_PARAM,
	REFRESH_PARAM,
};

#define GOVERNED(p, more)                                                     \
	.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = MAX_OUTPUT, \
	.flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT | (more), .scope = "sql", \
	.least = AG_ROLE_VIEWER

static const ag_tool rows[] = {
	{ .name = "query",
	  .help = "Run one read-only SQL query. Rows are capped; `truncated` says whether there "
	          "were more.",
	  GOVERNED(query_params, AG_TOOL_TICKS | AG_TOOL_PROPOSES),
	  .title = "Run a query",
	  .output_schema = query_schema,
	  .recorded = "sql",
	  .run = query },
	{ .name = "list_tables",
	  .help = "Tables and views, with row counts and descriptions.",
	  GOVERNED(list_params, 0),
	  .title = "List tables",
	  .output_schema = ag_envelope_schema,
	  .run = list_tables },
	{ .name = "describe_table",
	  .help = "Columns, keys, indexes and sample values of one table.",
	  GOVERNED(describe_params, 0),
	  .title = "Describe a table",
	  .output_schema = ag_envelope_schema,
	  .run = describe_table },
	{ .name = "get_metadata",
	  .help = "All tables with columns and keys, and the enum types. Large: prefer list_tables "
	          "and describe_table.",
	  GOVERNED(list_params, 0),
	  .title = "Get the whole schema",
	  .output_schema = ag_envelope_schema,
	  .run = get_metadata },
	{ .name = "explain_query",
	  .help = "The plan of a query; it is not run.",
	  GOVERNED(query_params, AG_TOOL_TICKS | AG_TOOL_PROPOSES),
	  .title = "Explain a query",
	  .output_schema = query_schema,
	  .recorded = "sql",
	  .run = explain_query },
	{ .name = "execute_sql",
	  .help = "As query, with a flat result.",
	  GOVERNED(execute_params, AG_TOOL_TICKS | AG_TOOL_PROPOSES),
	  .title = "Execute SQL",
	  .output_schema = flat_schema,
	  .recorded = "query",
	  .run = execute_sql,
	  .refuse = refuse_flat },
};

const ag_tool_set ag_analyst_tools = { .tools = rows, .ntool = AG_NELEM(rows) };

/* --- the agent's --- */

/* The project is the conversation's, so no parameter names it. What is larger than a log's event is refused here. */
#define AGENT_MAX_OUTPUT (8u << 20)
#define OF_AGENT(p, more)                                                                        \
	.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = AGENT_MAX_OUTPUT,              \
	.flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT | AG_TOOL_PROPOSES | (more), .scope = "sql", \
	.least = AG_ROLE_VIEWER

static const ag_param agent_execute_params[] = {
	{ .name = "query",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .help = "One SELECT (also WITH, VALUES, set operations)." },
};
static const ag_param agent_describe_params[] = {
	{ .name = "table_name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = 256,
	  .help = "Name of the table, or schema.name." },
};

static const ag_tool agent_rows[] = {
	{ .name = "execute_sql",
	  .help = "Run one read-only SQL query on the project's database. Rows are capped; the "
	          "result says whether there were more.",
	  OF_AGENT(agent_execute_params, 0),
	  .recorded = "query",
	  .run = execute_sql,
	  .refuse = refuse_flat },
	{ .name = "describe_table",
	  .help = "Columns, types, keys and sample values of one table.",
	  OF_AGENT(agent_describe_params, 0),
	  .run = describe_table },
};

const ag_tool_set ag_analyst_agent_tools = { .tools = agent_rows, .ntool = AG_NELEM(agent_rows) };
