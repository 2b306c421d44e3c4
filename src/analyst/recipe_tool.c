/* recipe_tool -- see the header. The dispatcher has checked role, scope and limits; each step's statements are calls of their own. */
#include "analyst/recipe_tool.h"

#include "agent/envelope.h"
#include "base/utf8.h"
#include "knowledge/knowledge.h"

#define ORIGIN     "analyst.recipe"
#define MAX_OUTPUT (1u << 20)
#define MAX_NAMED  20u

/* --- which recipe --- */

typedef struct finding {
	ag_call *call;
	ag_str name;
	ag_know recipe;
	bool is_found;
	ag_str names; /* of those that there are */
} finding;

static ag_status find_work(ag_store *s, void *arg, ag_err *err)
{
	finding *f = arg;
	ag_arena *arena = f->call->arena;
	const ag_str key = ag_know_key(f->name, arena);
	ag_buf names = AG_BUF_INIT(8192);
	ag_object_row *rows;
	size_t n, shown = 0;
	ag_status st = ag_know_rows(s, f->call->project->id, AG_KNOW_RECIPE, arena, &rows, &n, err);

	for (size_t i = 0; i < n && !st; i++) {
		ag_know o;

		if (ag_know_of_row(&rows[i], arena, &o, NULL) || o.status != AG_KNOW_ACTIVE ||
		    !ag_know_is_visible(&o, f->call->who, f->call->project->id))
			continue;
		if (ag_str_eq(o.key, key)) {
			f->recipe = o;
			f->is_found = true;
		}
		if (shown++ < MAX_NAMED)
			ag_buf_addf(&names, "%s%.*s", shown > 1 ? "; " : "",
			            AG_FMT(ag_utf8_prefix(o.name, 60)));
	}
	f->names = ag_buf_dup(arena, &names);
	ag_buf_release(&names);
	return st;
}

/* In words for a model. */
static void refuse(ag_call *c, ag_sql_code code, ag_str message, ag_str hint, ag_tool_output *out)
{
	const ag_sql_failure f = {
		.code = code, .class_name = "execution", .message = message, .hint = hint
	};

	ag_envelope_error(out, &f, AG_S(""));
	out->summary = ag_utf8_prefix(ag_str_dup(c->arena, message), 120);
}

static void refuse_err(ag_call *c, const ag_err *why, ag_tool_output *out)
{
	refuse(c, why->status == AG_INVALID ? AG_SQLCODE_VALIDATION : AG_SQLCODE_INTERNAL,
	       ag_str_dup(c->arena, ag_str_c(why->msg)), ag_str_dup(c->arena, ag_str_c(why->hint)),
	       out);
}

static ag_status run_it(ag_call *c, const ag_recipe_opts *o, const ag_know *recipe,
                        const ag_val *values, ag_tool_output *out, ag_err *err)
{
	const ag_id thread = ag_id_new(c->ctx.clock);
	ag_recipe_run r;
	ag_err why = { 0 }, failed = { 0 };
	ag_status st = ag_recipe_begin(&c->ctx, o, recipe, values, &thread, c->arena, &r, &failed);
	ag_jw w;

	if (st == AG_INVALID) {
		refuse_err(c, &failed, out);
		return AG_OK;
	}
	if (!st)
		st = ag_recipe_go(&c->ctx, o, &r, c->arena, &why, &failed);
	if (st) {
		if (err)
			*err = failed;
		return st;
	}
	if (why.status == AG_CANCELLED)
		return ag_fail(err, AG_CANCELLED, ORIGIN, "%s", why.msg);
	if (why.status) {
		refuse(c, AG_SQLCODE_VALIDATION, r.error,
		       ag_str_printf(c->arena, "the run is %.8s; its earlier steps are kept",
		                     r.key.ptr),
		       out);
		return AG_OK;
	}
	ag_jw_init(&w, &out->json, 0);
	ag_envelope(&w);
	ag_jw_kkey(&w, "recipe_run");
	ag_recipe_run_json(&r, false, c->arena, &w);
	ag_envelope_end(&w, c, AG_S(""));
	out->summary = ag_str_printf(c->arena, "%zu step%s", r.nstep, r.nstep == 1 ? "" : "s");
	return AG_OK;
}

ag_status ag_recipe_call(ag_call *c, const ag_recipe_opts *o, const ag_val *input,
                         ag_tool_output *out, ag_err *err)
{
	const ag_val none = ag_val_object(NULL, 0), *values = ag_val_getc(input, "values");
	finding f = { .call = c, .name = ag_val_member_str(input, "name") };
	ag_status st = ag_project_with_store(c->hub, find_work, &f, err);

	if (st)
		return st;
	if (f.is_found)
		return run_it(c, o, &f.recipe,
		              values && values->type == AG_T_OBJECT ? values : &none, out, err);
	refuse(c, AG_SQLCODE_NOT_FOUND,
	       ag_str_printf(c->arena, "there is no recipe \"%.*s\"",
	                     AG_FMT(ag_utf8_prefix(f.name, 60))),
	       f.names.len ? ag_str_printf(c->arena, "there are: %.*s", AG_FMT(f.names))
	                   : AG_S("the project has none"),
	       out);
	return AG_OK;
}

/* --- in a conversation --- */

static ag_status run_in_chat(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_analyst_opts chat = *(const ag_analyst_opts *)c->env;
	const ag_recipe_opts o = { .chat = &chat };

	/* Who watches the conversation sees the call and its result. */
	chat.watch = (ag_watch){ 0 };
	chat.on_event = NULL;
	chat.live = NULL;
	return ag_recipe_call(c, &o, input, out, err);
}

/* --- the tables --- */

#define RUN_PARAMS                                                                              \
	{ .name = "name",                                                                       \
	  .type = AG_PARAM_STRING,                                                              \
	  .required = true,                                                                     \
	  .min = 1,                                                                             \
	  .max = 800,                                                                           \
	  .help = "Name of the recipe." },                                                      \
	{                                                                                       \
		.name = "values", .type = AG_PARAM_OBJECT,                                      \
		.help = "A value for each variable, by name; those with a default may be left " \
			"out."                                                                  \
	}
#define RUN_ROW(p)                                                                                 \
	.name = AG_RECIPE_TOOL_RUN, .title = "Run a recipe",                                       \
	.help = "Run a saved recipe with these values: its steps in order, each with the answers " \
		"of those before. Stops at the first step that fails.",                            \
	.params = (p), .nparam = AG_NELEM(p), .max_output_bytes = MAX_OUTPUT, .scope = "sql",      \
	.least = AG_ROLE_VIEWER, .recorded = "name", .output_schema = ag_envelope_schema

static const ag_param agent_params[] = { RUN_PARAMS };
static const ag_param params[] = {
	RUN_PARAMS,
	{ .name = "project_id",
	  .type = AG_PARAM_STRING,
	  .max = 128,
	  .help = "Project; only needed when you have several." },
};

static const ag_tool agent_rows[] = { { RUN_ROW(agent_params), .run = run_in_chat } };

const ag_tool_set ag_recipe_run_agent_tools = { .tools = agent_rows,
	                                        .ntool = AG_NELEM(agent_rows) };
const ag_tool ag_recipe_run_row = { RUN_ROW(params), .flags = AG_TOOL_LONG };
