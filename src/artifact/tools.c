/* tools -- see the header. The dispatcher has checked role, scope and limits, and writes the audit row. */
#include "artifact/tools.h"

#include "agent/envelope.h"
#include "artifact/page.h"
#include "base/utf8.h"

#define MAX_OUTPUT    (256u << 10)
#define SUMMARY_CHARS 160u
#define LIST_DEFAULT  20

/* --- create and update --- */

/* What was wrong, in the form of a result and of an error: {"success":false,"status":"error","message":…,"error":{…}}. */
static void write_error(ag_call *c, ag_status st, const ag_err *why, const ag_val *input,
                        ag_tool_output *out)
{
	const char *code = st == AG_NOT_FOUND     ? "NOT_FOUND"
	                   : st == AG_UNAVAILABLE ? "UNAVAILABLE"
	                                          : "VALIDATION_ERROR";
	ag_jw w;

	ag_jw_init(&w, &out->json, 0);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "success", false);
	ag_jw_knull(&w, "artifact_id");
	ag_jw_kstr(&w, "status", AG_S("error"));
	ag_jw_kstr(&w, "title", ag_utf8_prefix(ag_val_member_str(input, "title"), 100));
	ag_jw_knull(&w, "render_url");
	ag_jw_kstr(&w, "message", ag_str_c(why->msg));
	ag_jw_kkey(&w, "error");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "code", ag_str_c(code));
	ag_jw_kstr(&w, "message", ag_str_c(why->msg));
	if (why->hint[0])
		ag_jw_kstr(&w, "hint", ag_str_c(why->hint));
	ag_jw_kstr(&w, "class", st == AG_UNAVAILABLE ? AG_S("connection") : AG_S("execution"));
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	out->is_error = true;
	out->summary = ag_str_dup(c->arena, ag_utf8_prefix(ag_str_c(why->msg), SUMMARY_CHARS));
}

static ag_str message_of(const ag_artifact_saved *s, ag_arena *arena)
{
	const ag_artifact_row *row = &s->artifact.row;

	if (s->is_same)
		return ag_str_printf(arena, "Nothing was different: version %llu stays the newest.",
		                     (unsigned long long)s->artifact.version.version);
	if (s->artifact.version.version == 1)
		return ag_str_printf(
			arena,
			"Saved the %.*s artifact \"%.*s\". The user opens it with: argus "
			"artifact show %.18s",
			AG_FMT(row->kind), AG_FMT(ag_utf8_prefix(row->title, 100)), row->id.ptr);
	return ag_str_printf(arena, "Saved version %llu of \"%.*s\".",
	                     (unsigned long long)s->artifact.version.version,
	                     AG_FMT(ag_utf8_prefix(row->title, 100)));
}

static void write_saved(ag_call *c, const ag_artifact_saved *s, bool is_update, ag_tool_output *out)
{
	const ag_artifact *a = &s->artifact;
	const ag_str message = message_of(s, c->arena);
	ag_jw w;

	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	ag_jw_kstr(&w, "artifact_id", a->version.id);
	if (is_update)
		ag_jw_kstr(&w, "previous_version_id", s->previous);
	ag_jw_kstr(&w, "status", is_update ? AG_S("updated") : AG_S("created"));
	if (is_update)
		ag_jw_kbool(&w, "changed", !s->is_same);
	ag_jw_kuint(&w, "version", a->version.version);
	ag_jw_kstr(&w, "title", a->row.title);
	ag_jw_kstr(&w, "type", a->row.kind);
	ag_jw_knull(&w, "render_url");
	ag_jw_kstr(&w, "message", message);
	if (a->version.figures.len)
		ag_jw_kraw(&w, "figures", a->version.figures);
	if (s->critique.len)
		ag_jw_kstr(&w, "critique", s->critique);
	ag_envelope_end(&w, c, AG_S(""));
	out->summary = message;
}

/* Without a view, for whatever reason, the frame says that there is nothing to show: the artifact is saved all the same. */
static void write_view(ag_call *c, const ag_artifact *a, ag_tool_output *out)
{
	const ag_know_place place = {
		.hub = c->hub, .ctx = &c->ctx, .who = c->who, .project = c->project
	};
	ag_err why = { 0 };

	if (ag_artifact_view(&place, a, c->arena, &out->frame, &why))
		ag_buf_clear(&out->frame);
}

static ag_status save(ag_call *c, const ag_val *input, bool is_update, ag_tool_output *out,
                      ag_err *err)
{
	const ag_artifact_saver s = {
		.hub = c->hub, .ctx = &c->ctx, .call = &c->governed, .prover = c->env
	};
	const ag_artifact_draft d = { .id = ag_val_member_str(input, "artifact_id"),
		                      .title = ag_val_member_str(input, "title"),
		                      .kind = ag_val_member_str(input, "artifact_type"),
		                      .code = ag_tool_text(input, "code", c->arena),
		                      .description = ag_val_member_str(input, "description"),
		                      .data = ag_val_getc(input, "data"),
		                      .queries = ag_val_getc(input, "source_queries"),
		                      .thread = c->session };
	ag_artifact_saved saved;
	ag_err why = { 0 };
	const ag_status st = ag_artifact_save(&s, &d, c->arena, &saved, &why);

	switch (st) {
	case AG_OK:
		write_saved(c, &saved, is_update, out);
		if (c->wants_frame)
			write_view(c, &saved.artifact, out);
		return AG_OK;
	case AG_INVALID:
	case AG_LIMIT:
	case AG_NOT_FOUND:
	case AG_CONFLICT:
	case AG_UNAVAILABLE: write_error(c, st, &why, input, out); return AG_OK;
	default:
		if (err)
			*err = why;
		return st;
	}
}

static ag_status create(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	return save(c, input, false, out, err);
}

static ag_status update(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const ag_err why = { .msg = "artifact_id: is blank" };

	if (ag_str_trim(ag_val_member_str(input, "artifact_id")).len)
		return save(c, input, true, out, err);
	write_error(c, AG_INVALID, &why, input, out);
	return AG_OK;
}

/* --- list --- */

typedef struct listing {
	ag_call *call;
	ag_artifact_list_opts opts;
	ag_artifact_listing ret;
} listing;

static ag_status list_work(ag_store *s, void *arg, ag_err *err)
{
	listing *l = arg;

	return ag_artifact_rows(s, l->call->project->id, &l->opts,
	                        ag_clock_wall(l->call->ctx.clock), l->call->arena, &l->ret, err);
}

static ag_status list(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	listing l = { .call = c,
		      .opts = { .search = ag_val_member_str(input, "search"),
		                .limit = (size_t)ag_tool_int(input, "limit", LIST_DEFAULT) } };
	ag_status st = ag_project_with_store(c->hub, list_work, &l, err);
	ag_jw w;

	if (st)
		return st;
	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	ag_jw_kkey(&w, "artifacts");
	ag_jw_arr(&w);
	for (size_t i = 0; i < l.ret.n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "artifact_id", l.ret.rows[i].id);
		ag_jw_kstr(&w, "title", l.ret.rows[i].title);
		ag_jw_kstr(&w, "type", l.ret.rows[i].kind);
		ag_jw_kuint(&w, "version", l.ret.rows[i].nversion);
		ag_jw_kstr(&w, "created_by", l.ret.rows[i].author);
		ag_jw_ktime(&w, "changed_at", l.ret.rows[i].changed_ms);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "count", l.ret.n);
	ag_jw_kuint(&w, "total", l.ret.total);
	ag_envelope_end(&w, c, AG_S(""));
	out->summary = ag_str_printf(c->arena, "%zu of %zu artifacts", l.ret.n, l.ret.total);
	return AG_OK;
}

/* --- the tables --- */

#define PROJECT_PARAM                                                      \
	{                                                                  \
		.name = "project_id", .type = AG_PARAM_STRING, .max = 128, \
		.help = "Project; only needed when you have several."      \
	}
/* What is checked in the order of the reference is checked by the tool: here all are texts. */
#define BODY_PARAMS                                                                                          \
	{ .name = "data",                                                                                    \
	  .type = AG_PARAM_QUERY,                                                                            \
	  .help = "Fixed data that the code reads: an object, or a list of objects. Every number in it "     \
		  "must be a cell of a result." },                                                           \
	{                                                                                                    \
		.name = "source_queries", .type = AG_PARAM_ARRAY,                                            \
		.help = "Live data: list of {\"name\": \"sales\", \"sql\": \"SELECT ...\"}. Run when it is " \
			"opened; the rows of each are the list data.sales of objects."                       \
	}
#define CREATE_PARAMS                                                                                        \
	{ .name = "title",                                                                                   \
	  .type = AG_PARAM_STRING,                                                                           \
	  .required = true,                                                                                  \
	  .help = "What it shows, for people." },                                                            \
		{ .name = "artifact_type",                                                                   \
		  .type = AG_PARAM_STRING,                                                                   \
		  .required = true,                                                                          \
		  .help = "react, plotly, html, markdown or svg." },                                         \
		{ .name = "code",                                                                            \
		  .type = AG_PARAM_STRING,                                                                   \
		  .required = true,                                                                          \
		  .is_lenient = true,                                                                        \
		  .help = "The whole source: JSX with a default export, a Plotly JSON specification, HTML, " \
		          "Markdown or SVG." },                                                              \
		{ .name = "description",                                                                     \
		  .type = AG_PARAM_STRING,                                                                   \
		  .help = "One sentence: what it shows." },                                                  \
		BODY_PARAMS
#define UPDATE_PARAMS                                                                          \
	{ .name = "artifact_id",                                                               \
	  .type = AG_PARAM_STRING,                                                             \
	  .required = true,                                                                    \
	  .max = 64,                                                                           \
	  .help = "Id of the artifact, of any of its versions." },                             \
		{ .name = "code",                                                              \
		  .type = AG_PARAM_STRING,                                                     \
		  .required = true,                                                            \
		  .is_lenient = true,                                                          \
		  .help = "The complete new source, never a part of it." },                    \
		{ .name = "title", .type = AG_PARAM_STRING, .help = "Only when it changes." }, \
		BODY_PARAMS
#define LIST_PARAMS                                                                                \
	{ .name = "search", .type = AG_PARAM_STRING, .max = 500, .help = "A part of the title." }, \
	{                                                                                          \
		.name = "limit", .type = AG_PARAM_INT, .is_lenient = true, .min = 1, .max = 200,   \
		.help = "At most so many (20)."                                                    \
	}

static const ag_param list_params[] = { LIST_PARAMS, PROJECT_PARAM };
static const ag_param create_params[] = { CREATE_PARAMS, PROJECT_PARAM };
static const ag_param update_params[] = { UPDATE_PARAMS, PROJECT_PARAM };
static const ag_param agent_list_params[] = { LIST_PARAMS };
static const ag_param agent_create_params[] = { CREATE_PARAMS };
static const ag_param agent_update_params[] = { UPDATE_PARAMS };

#define LIST_ROW(p)                                                                       \
	{                                                                                 \
		.name = AG_ARTIFACT_TOOL_LIST, .title = "List artifacts",                 \
		.help = "Charts, pages and texts of the project that were saved before.", \
		.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = MAX_OUTPUT,     \
		.flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT, .scope = "sql",              \
		.least = AG_ROLE_VIEWER, .recorded = "search",                            \
		.output_schema = ag_envelope_schema, .run = list                          \
	}
#define CREATE_ROW(p)                                                                         \
	{                                                                                     \
		.name = AG_ARTIFACT_TOOL_CREATE, .title = "Create an artifact",               \
		.help = "Save a chart, page or text that the user can open, keep and share.", \
		.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = 2u << 20,           \
		.flags = AG_TOOL_PROPOSES, .scope = "sql", .least = AG_ROLE_ANALYST,          \
		.recorded = "title", .output_schema = ag_envelope_schema, .run = create,      \
		.frame = AG_ARTIFACT_FRAME                                                    \
	}
#define UPDATE_ROW(p)                                                                                    \
	{                                                                                                \
		.name = AG_ARTIFACT_TOOL_UPDATE, .title = "Update an artifact",                          \
		.help = "Save a new version of an artifact, with its complete new code. Older versions " \
			"stay.",                                                                         \
		.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = 2u << 20,                      \
		.flags = AG_TOOL_PROPOSES, .scope = "sql", .least = AG_ROLE_ANALYST,                     \
		.recorded = "artifact_id", .output_schema = ag_envelope_schema, .run = update,           \
		.frame = AG_ARTIFACT_FRAME                                                               \
	}

static const ag_tool rows[] = { LIST_ROW(list_params), CREATE_ROW(create_params),
	                        UPDATE_ROW(update_params) };
static const ag_tool agent_rows[] = { LIST_ROW(agent_list_params), CREATE_ROW(agent_create_params),
	                              UPDATE_ROW(agent_update_params) };

const ag_tool_set ag_artifact_tools = { .tools = rows, .ntool = AG_NELEM(rows) };
const ag_tool_set ag_artifact_agent_tools = { .tools = agent_rows, .ntool = AG_NELEM(agent_rows) };
