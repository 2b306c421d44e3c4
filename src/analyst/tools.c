/* tools -- a project's database for a model: six tools, each of which asks through project/query.c.
 *
 * lint: table. `query` answers with the envelope of the reference, `execute_sql` with the seed's flat object. */
#include "analyst/tools.h"

#include "agent/envelope.h"
#include "base/utf8.h"
#include "knowledge/object.h"
#include "query/extjson.h"

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

/* A refresh loads the database, so it needs the role of an analyst. */
static bool may_refresh(const ag_call *c, const ag_val *input, ag_tool_output *out)
{
	const ag_sql_failure f = { .code = AG_SQLCODE_PERMISSION,
		                   .class_name = "permission",
		                   .message = AG_S("refresh needs the role analyst"),
		                   .hint = AG_S(
					   "leave refresh out: the schema is at most a day old") };

	if (!ag_tool_bool(input, "refresh", false) ||
	    ag_caller_role(c->who, c->project->id) >= AG_ROLE_ANALYST)
		return true;
	ag_envelope_error(out, &f, AG_S(""));
	out->summary = f.message;
	return false;
}

/* False: out holds the refusal, or *ret_st the fault. */
static bool dictionary(ag_call *c, const ag_val *input, ag_dictionary *d, ag_tool_output *out,
                       ag_status *ret_st, ag_err *err)
{
	ag_sql_failure f = { 0 };

	*ret_st = AG_OK;
	if (!may_refresh(c, input, out))
		return false;
	*ret_st = ag_project_dictionary(c->hub, &c->ctx, &c->governed,
	                                ag_tool_bool(input, "refresh", false), c->arena, d, &f,
	                                err);
	if (!*ret_st && f.code)
		ag_envelope_error(out, &f, AG_S(""));
	return !*ret_st && !f.code;
}

/* Notes on tables that people wrote: knowledge/object.h. */
typedef struct notes {
	ag_call *call;
	ag_object_row *rows;
	size_t n;
} notes;

static ag_status read_notes(ag_store *s, void *arg, ag_err *err)
{
	notes *x = arg;

	return ag_store_objects(s, x->call->project->id, AG_S("table"), x->call->arena, &x->rows,
	                        &x->n, err);
}

/* The notes on a table, by its name or schema.name; false = there are none. */
static bool note_of(const notes *x, const ag_dict_table *t, ag_know *ret)
{
	ag_arena *arena = x->call->arena;
	const ag_str keys[] = {
		ag_know_key(t->name, arena),
		ag_know_key(ag_str_printf(arena, "%.*s.%.*s", AG_FMT(t->schema), AG_FMT(t->name)),
		            arena),
	};

	for (size_t i = 0; i < x->n; i++) {
		if ((ag_str_eq(x->rows[i].key, keys[0]) || ag_str_eq(x->rows[i].key, keys[1])) &&
		    ag_str_eqc(x->rows[i].status, "active") &&
		    !ag_know_of_row(&x->rows[i], arena, ret, NULL))
			return true;
	}
	return false;
}

/* In a list, what people wrote of a table takes the place of its comment. A store that cannot be read hides no table. */
static void describe_by_notes(ag_call *c, ag_dictionary *d)
{
	notes x = { .call = c };
	ag_dict_table *tables;
	ag_know o;

	if (ag_project_with_store(c->hub, read_notes, &x, NULL) || !x.n)
		return;
	tables = ag_new_n(c->arena, ag_dict_table, d->ntable + 1);
	for (size_t i = 0; i < d->ntable; i++) {
		tables[i] = d->tables[i];
		if (note_of(&x, &tables[i], &o))
			tables[i].comment = ag_know_text(&o, "description");
	}
	d->tables = tables;
}

/* The table's object, with a member "knowledge" when people wrote something. */
static ag_str table_json(ag_call *c, const ag_dictionary *d, const ag_dict_table *t)
{
	ag_buf out = AG_BUF_INIT(MAX_OUTPUT);
	notes x = { .call = c };
	ag_str ret;
	ag_know o;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_dictionary_table_json(d, t, &w);
	ret = ag_buf_dup(c->arena, &out);
	ag_buf_release(&out);
	if (!ag_project_with_store(c->hub, read_notes, &x, NULL) && ret.len && note_of(&x, t, &o))
		ret = ag_str_printf(c->arena, "%.*s,\"knowledge\":%.*s}",
		                    AG_FMT(ag_str_make(ret.ptr, ret.len - 1)),
		                    AG_FMT(ag_extjson_str(c->arena, &o.body, AG_EXTJSON_RELAXED)));
	return ret;
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
		describe_by_notes(c, &d);
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
	ag_jw_kraw(&w, "data", table_json(c, &d, t));
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
