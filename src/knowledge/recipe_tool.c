/* recipe_tool -- see the header. The dispatcher has checked role, scope and limits, and writes the audit row. */
#include "knowledge/recipe_tool.h"

#include "agent/envelope.h"
#include "base/utf8.h"
#include "knowledge/object.h"
#include "knowledge/recipe.h"
#include "knowledge/recipe_explain.h"

#define ORIGIN     "knowledge.recipe"
#define MAX_OUTPUT (256u << 10)

typedef struct saving {
	ag_call *call;
	const ag_know *recipe;
} saving;

static ag_status save_work(ag_store *s, void *arg, ag_err *err)
{
	const saving *a = arg;
	const ag_object_row row = ag_know_row(a->recipe, a->call->project->id, a->call->arena);
	const ag_status st = ag_store_put_objects(s, &row, 1, err);

	if (st != AG_CONFLICT)
		return st;
	ag_fail(err, AG_CONFLICT, ORIGIN, "name: there is a recipe \"%.*s\" already",
	        AG_FMT(ag_utf8_prefix(a->recipe->name, 60)));
	return ag_err_hint(err, "choose another name; a person changes one with argus recipe edit");
}

/* The fields of the object, without those of the call. */
static ag_val fields_of(const ag_val *input, ag_arena *arena)
{
	static const char *const names[] = { "description", "variables", "steps" };
	ag_member *m = ag_new_n(arena, ag_member, AG_NELEM(names) + 1);
	size_t n = 0;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		const ag_val *v = ag_val_getc(input, names[i]);

		if (v)
			m[n++] = (ag_member){ ag_str_c(names[i]), *v };
	}
	m[n++] = (ag_member){ AG_S("is_shared"),
		              ag_val_bool(ag_tool_bool(input, "is_shared", false)) };
	return ag_val_object(m, n);
}

static ag_status explain(ag_call *c, const ag_know *recipe, ag_err *err)
{
	size_t step;
	ag_str why;
	const ag_status st = ag_recipe_explain(c->hub, &c->ctx, &c->governed, recipe, c->arena,
	                                       &step, &why, err);

	if (st || !why.len)
		return st;
	return ag_fail(err, AG_INVALID, ORIGIN, "recipe: step %zu: sql: %.*s", step,
	               AG_FMT(ag_utf8_prefix(why, 300)));
}

static void write_saved(ag_call *c, const ag_know *o, ag_tool_output *out)
{
	ag_recipe r;
	ag_jw w;

	ag_recipe_read(&o->body, c->arena, &r);
	out->summary = ag_str_printf(c->arena, "Recipe \"%.*s\" saved with %zu step%s.",
	                             AG_FMT(ag_utf8_prefix(o->name, 60)), r.nstep,
	                             r.nstep == 1 ? "" : "s");
	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	ag_jw_kstr(&w, "recipe_id", ag_str_make(o->key.ptr, AG_KNOW_SHORT));
	ag_jw_kstr(&w, "name", o->name);
	ag_jw_kstr(&w, "status", AG_S("saved"));
	ag_jw_kuint(&w, "step_count", r.nstep);
	ag_jw_kkey(&w, "variable_names");
	ag_jw_arr(&w);
	for (size_t i = 0; i < r.nvariable; i++)
		ag_jw_str(&w, r.variables[i].name);
	ag_jw_arr_end(&w);
	ag_jw_kstr(&w, "message", out->summary);
	ag_envelope_end(&w, c, AG_S(""));
}

static ag_status save(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const ag_val fields = fields_of(input, c->arena);
	saving a = { .call = c };
	ag_know o;
	ag_err why = { 0 };
	ag_status st = ag_know_make(AG_KNOW_RECIPE, ag_val_member_str(input, "name"), &fields,
	                            c->arena, &o, &why);

	if (!st)
		st = explain(c, &o, &why);
	if (!st) {
		o.author = c->who->user;
		o.created_ms = o.changed_ms = ag_clock_wall(c->ctx.clock);
		a.recipe = &o;
		st = ag_project_with_store(c->hub, save_work, &a, &why);
	}
	if (st == AG_INVALID || st == AG_CONFLICT) {
		const ag_sql_failure f = { .code = AG_SQLCODE_VALIDATION,
			                   .class_name = "execution",
			                   .message = ag_str_dup(c->arena, ag_str_c(why.msg)),
			                   .hint = ag_str_dup(c->arena, ag_str_c(why.hint)) };

		ag_envelope_error(out, &f, AG_S(""));
		out->summary = ag_utf8_prefix(f.message, 120);
		return AG_OK;
	}
	if (st && err)
		*err = why;
	if (!st)
		write_saved(c, &o, out);
	return st;
}

/* --- the tables --- */

/* What is in variables and steps is checked by the object's kind, whose sentence names the field. */
#define SAVE_PARAMS                                                                                 \
	{ .name = "name",                                                                           \
	  .type = AG_PARAM_STRING,                                                                  \
	  .required = true,                                                                         \
	  .max = 800,                                                                               \
	  .help = "Name of the recipe, at most 200 characters." },                                  \
		{ .name = "description",                                                            \
		  .type = AG_PARAM_STRING,                                                          \
		  .required = true,                                                                 \
		  .max = 8000,                                                                      \
		  .help = "What the recipe does." },                                                \
		{ .name = "variables",                                                              \
		  .type = AG_PARAM_ARRAY,                                                           \
		  .required = true,                                                                 \
		  .max = 2 * AG_RECIPE_MAX_VARIABLES,                                               \
		  .help = "Objects {name, type, label, default?, options?}. type: string, number, " \
		          "date (2026-03-01), boolean or select (with options). May be empty." },   \
		{ .name = "steps",                                                                  \
		  .type = AG_PARAM_ARRAY,                                                           \
		  .required = true,                                                                 \
		  .max = 2 * AG_RECIPE_MAX_STEPS,                                                   \
		  .help = "Objects {prompt_template, sql?, expected_tool?, description?}. "         \
		          "prompt_template: the question, with {{name}} for a variable. sql: one "  \
		          "SELECT that answers it without a model; {{name}} stands there without "  \
		          "quotes." },                                                              \
	{                                                                                           \
		.name = "is_shared", .type = AG_PARAM_BOOL, .is_lenient = true,                     \
		.help = "May everybody of the project use it? (false)"                              \
	}
#define SAVE_ROW(p)                                                                                   \
	{                                                                                             \
		.name = AG_RECIPE_TOOL_SAVE, .title = "Save a recipe",                                \
		.help = "Keep questions of this conversation as a recipe that runs again with other " \
			"values. Only when the user wants it.",                                       \
		.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = MAX_OUTPUT,                 \
		.scope = "sql", .least = AG_ROLE_ANALYST, .recorded = "name",                         \
		.output_schema = ag_envelope_schema, .run = save                                      \
	}

static const ag_param params[] = {
	SAVE_PARAMS,
	{ .name = "project_id",
	  .type = AG_PARAM_STRING,
	  .max = 128,
	  .help = "Project; only needed when you have several." },
};
static const ag_param agent_params[] = { SAVE_PARAMS };
static const ag_tool rows[] = { SAVE_ROW(params) };
static const ag_tool agent_rows[] = { SAVE_ROW(agent_params) };

const ag_tool_set ag_recipe_save_tools = { .tools = rows, .ntool = AG_NELEM(rows) };
const ag_tool_set ag_recipe_save_agent_tools = { .tools = agent_rows,
	                                         .ntool = AG_NELEM(agent_rows) };
