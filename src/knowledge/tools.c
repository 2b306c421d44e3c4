/* tools -- see the header. The dispatcher has checked role, scope and limits, and writes the audit row. */
#include "knowledge/tools.h"

#include "agent/envelope.h"
#include "base/utf8.h"
#include "knowledge/find.h"
#include "knowledge/learning.h"
#include "knowledge/set.h"
#include "query/extjson.h"

#define MAX_OUTPUT    (256u << 10)
#define FOUND_DEFAULT 8
#define SUMMARY_CHARS 120u

/* --- search_knowledge --- */

typedef struct searching {
	ag_call *call;
	ag_str query;
	size_t limit;
	ag_know *list;
	size_t n;
} searching;

static ag_status search_work(ag_store *s, void *arg, ag_err *err)
{
	searching *a = arg;

	return ag_know_search(s, a->call->project->id, a->query, a->limit, a->call->arena, &a->list,
	                      &a->n, err);
}

static void write_found(ag_jw *w, const ag_know *o, ag_arena *arena)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "kind", ag_str_c(ag_know_types[o->kind].name));
	/* A learning is counted when it is used: by its whole key. */
	ag_jw_kstr(w, "id", o->kind == AG_KNOW_LEARNING ? o->key : ag_know_short(o));
	ag_jw_kstr(w, ag_know_types[o->kind].title, o->name);
	for (uint32_t i = 0; i < o->body.n; i++) {
		ag_jw_key(w, o->body.u.members[i].key);
		ag_jw_raw(w, ag_extjson_str(arena, &o->body.u.members[i].val, AG_EXTJSON_RELAXED));
	}
	ag_jw_obj_end(w);
}

static ag_status search(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	searching a = { .call = c,
		        .query = ag_val_member_str(input, "query"),
		        .limit = (size_t)ag_tool_int(input, "limit", FOUND_DEFAULT) };
	ag_status st = ag_project_with_store(c->hub, search_work, &a, err);
	ag_jw w;

	if (st)
		return st;
	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	ag_jw_kkey(&w, "found");
	ag_jw_arr(&w);
	for (size_t i = 0; i < a.n; i++)
		write_found(&w, &a.list[i], c->arena);
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "count", a.n);
	ag_envelope_end(&w, c, a.n ? AG_S("") : AG_S("Nothing fits: try other words."));
	out->summary = ag_str_printf(c->arena, "%zu found", a.n);
	return AG_OK;
}

/* --- save_learning --- */

typedef struct learning {
	ag_call *call;
	ag_know_lesson lesson;
	ag_know_learnt learnt;
} learning;

static ag_status learn_work(ag_store *s, void *arg, ag_err *err)
{
	learning *a = arg;

	return ag_know_learn(s, a->call->project->id, &a->lesson, a->call->arena, &a->learnt, err);
}

static ag_str learnt_message(const ag_know_learnt *l, ag_arena *arena)
{
	const int percent = (int)(l->learning.confidence * 100 + 0.5);

	if (l->is_new)
		return ag_str_printf(arena, "Saved, confidence %d%%.", percent);
	if (l->learning.status == AG_KNOW_REVIEW)
		return AG_S("It was saved before and then contradicted: a person must review it "
		            "before it is used again.");
	return ag_str_printf(arena, "It was saved before: confidence is now %d%%.", percent);
}

static void write_learnt(ag_call *c, const ag_know_learnt *l, ag_tool_output *out)
{
	const ag_str message = learnt_message(l, c->arena);
	ag_jw w;

	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	ag_jw_kstr(&w, "learning_id", ag_know_short(&l->learning));
	ag_jw_kstr(&w, "status", l->is_new ? AG_S("saved") : AG_S("updated"));
	ag_jw_kdouble(&w, "confidence", l->learning.confidence);
	ag_jw_kraw(&w, "tables_affected",
	           ag_extjson_str(c->arena, ag_val_getc(&l->learning.body, "tables"),
	                          AG_EXTJSON_RELAXED));
	ag_jw_kkey(&w, "waits_for_review");
	ag_jw_arr(&w);
	for (size_t i = 0; i < l->nreview; i++)
		ag_jw_str(&w, l->reviews[i]);
	ag_jw_arr_end(&w);
	ag_jw_kstr(&w, "message", message);
	ag_envelope_end(&w, c, AG_S(""));
	out->summary = message;
}

/* A learning that is none is told like a statement that is none. */
static void refuse(ag_call *c, ag_status st, const ag_err *why, ag_tool_output *out)
{
	const ag_sql_failure f = { .code = st == AG_NOT_FOUND ? AG_SQLCODE_NOT_FOUND
		                                              : AG_SQLCODE_VALIDATION,
		                   .class_name = "execution",
		                   .message = ag_str_dup(c->arena, ag_str_c(why->msg)),
		                   .hint = ag_str_dup(c->arena, ag_str_c(why->hint)) };

	ag_envelope_error(out, &f, AG_S(""));
	out->summary = ag_utf8_prefix(f.message, SUMMARY_CHARS);
}

static ag_status learn(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	learning a = { .call = c,
		       .lesson = { .description = ag_val_member_str(input, "description"),
		                   .category = ag_val_member_str(input, "category"),
		                   .tables = ag_val_getc(input, "tables"),
		                   .original_sql = ag_val_member_str(input, "original_sql"),
		                   .corrected_sql = ag_val_member_str(input, "corrected_sql"),
		                   .contradicts = ag_val_member_str(input, "contradicts"),
		                   .author = c->who->user,
		                   .now_ms = ag_clock_wall(c->ctx.clock) } };
	ag_err why = { 0 };
	ag_status st = ag_project_with_store(c->hub, learn_work, &a, &why);

	if (st == AG_INVALID || st == AG_NOT_FOUND) {
		refuse(c, st, &why, out);
		return AG_OK;
	}
	if (st) {
		if (err)
			*err = why;
		return st;
	}
	write_learnt(c, &a.learnt, out);
	return AG_OK;
}

/* --- the tables --- */

#define PROJECT_PARAM                                                      \
	{                                                                  \
		.name = "project_id", .type = AG_PARAM_STRING, .max = 128, \
		.help = "Project; only needed when you have several."      \
	}
#define SEARCH_PARAMS                                                                           \
	{ .name = "query",                                                                      \
	  .type = AG_PARAM_STRING,                                                              \
	  .required = true,                                                                     \
	  .min = 1,                                                                             \
	  .max = AG_KNOW_MAX_QUERY,                                                             \
	  .help = "Words: a term, a metric, a table." },                                        \
	{                                                                                       \
		.name = "limit", .type = AG_PARAM_INT, .is_lenient = true, .min = 1, .max = 50, \
		.help = "At most so many (8)."                                                  \
	}
/* What is checked in the order of the reference is checked by the tool: here all are texts. */
#define LEARN_PARAMS                                                                                          \
	{ .name = "description",                                                                              \
	  .type = AG_PARAM_STRING,                                                                            \
	  .required = true,                                                                                   \
	  .max = 8000,                                                                                        \
	  .help = "What to do next time, in one or two sentences, with names of tables and columns. "         \
		  "20 characters or more." },                                                                 \
		{ .name = "category",                                                                         \
		  .type = AG_PARAM_STRING,                                                                    \
		  .required = true,                                                                           \
		  .max = 100,                                                                                 \
		  .help = "type_mismatch, filter_required, join_pattern, aggregation, naming, data_quality, " \
		          "business_logic or other." },                                                       \
		{ .name = "tables",                                                                           \
		  .type = AG_PARAM_STRINGS,                                                                   \
		  .required = true,                                                                           \
		  .help = "Tables that it applies to." },                                                     \
		{ .name = "original_sql",                                                                     \
		  .type = AG_PARAM_STRING,                                                                    \
		  .help = "The SQL that failed." },                                                           \
		{ .name = "corrected_sql",                                                                    \
		  .type = AG_PARAM_STRING,                                                                    \
		  .help = "The SQL that worked." },                                                           \
	{                                                                                                     \
		.name = "contradicts", .type = AG_PARAM_STRING, .max = 64,                                    \
		.help = "Id of a learning that turned out wrong."                                             \
	}

static const ag_param search_params[] = { SEARCH_PARAMS, PROJECT_PARAM };
static const ag_param learn_params[] = { LEARN_PARAMS, PROJECT_PARAM };
static const ag_param agent_search_params[] = { SEARCH_PARAMS };
static const ag_param agent_learn_params[] = { LEARN_PARAMS };

#define SEARCH_ROW(p)                                                                                     \
	{                                                                                                 \
		.name = AG_KNOW_TOOL_SEARCH, .title = "Search the knowledge base",                        \
		.help = "Full-text search in the project's knowledge: terms, verified metrics, notes on " \
			"tables, learnings. For what the instructions name but do not show.",             \
		.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = MAX_OUTPUT,                     \
		.flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT, .scope = "sql",                              \
		.least = AG_ROLE_VIEWER, .recorded = "query", .output_schema = ag_envelope_schema,        \
		.run = search                                                                             \
	}
#define LEARN_ROW(p)                                                                                          \
	{                                                                                                     \
		.name = AG_KNOW_TOOL_LEARN, .title = "Save a learning",                                       \
		.help = "Save what a corrected error taught, so that later questions do not repeat it. Only " \
			"what holds in general and was confirmed by a result.",                               \
		.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = MAX_OUTPUT,                         \
		.scope = "sql", .least = AG_ROLE_ANALYST, .recorded = "description",                          \
		.output_schema = ag_envelope_schema, .run = learn                                             \
	}

static const ag_tool rows[] = { SEARCH_ROW(search_params), LEARN_ROW(learn_params) };
static const ag_tool agent_rows[] = { SEARCH_ROW(agent_search_params),
	                              LEARN_ROW(agent_learn_params) };

const ag_tool_set ag_know_tools = { .tools = rows, .ntool = AG_NELEM(rows) };
const ag_tool_set ag_know_agent_tools = { .tools = agent_rows, .ntool = AG_NELEM(agent_rows) };
