/* argus recipe: questions that are asked again with other values: look at recipes, run them, change them, and see what their runs
 * gave. */
#include "app/chat.h"
#include "app/file.h"
#include "app/knowledge_files.h"
#include "app/models.h"
#include "base/utf8.h"
#include "cli/editor.h"
#include "cli/knowledge_args.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/recipe_show.h"
#include "cli/report_out.h"
#include "knowledge/markdown.h"

#define ORIGIN     "cli.recipe"
#define COMMON     "project demo store output "
#define RUNNING    COMMON "var model max-tokens max-cost record replay"
#define FILE_BYTES (1u << 20)
#define MAX_SHOWN  50u

static const ag_option options[] = {
	AG_KNOW_PROJECT_OPTION,
	{ "var", 0, "NAME=VALUE", NULL, NULL, "run: the value of a variable; may be repeated" },
	{ "run", 0, "RUN", NULL, NULL, "show: this run, with every step" },
	{ "file", 0, "FILE", NULL, NULL, "edit: take this Markdown file; - is standard input" },
	{ "no-check", 0, NULL, NULL, NULL,
	  "edit, import: do not let the database look at the SQL of steps" },
	{ "limit", 'n', "N", NULL, NULL, "runs: how many, newest first (50)" },
	{ "demo", 0, NULL, NULL, NULL,
	  "recipes of the example shop; a script answers, no model is asked" },
	{ .setting = "model", .help = "which model: see `argus models`" },
	{ .setting = "max_tokens", .help = "tokens of the model, in and out, of a step" },
	{ .setting = "max_cost", .help = "US dollars of the model, of a step" },
	AG_RECORD_OPTIONS,
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* What a verb works in: a project, and where it runs something, a conversation's place. */
typedef struct session {
	ag_know_session know;
	ag_app_chat chat;
	bool has_chat;
	ag_know_place place;
} session;

static int64_t now(const ag_cli *c)
{
	return ag_clock_wall(c->app.ctx.clock);
}

/* --- looking --- */

static int list_recipes(ag_cli *c, session *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_know *list;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (ag_know_list(&s->place, AG_KNOW_RECIPE, c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		for (size_t i = 0; i < n; i++)
			ag_recipe_show_line(&list[i], &p);
		if (!n)
			ag_cli_note(c,
			            "there is no recipe yet; /recipe save in argus chat makes one, "
			            "argus recipe import reads one");
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "recipes");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		ag_know_show_json(&list[i], now(c), c->app.arena, &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int list_runs(ag_cli *c, session *s)
{
	const size_t limit = (size_t)ag_cli_number(c, "limit", 1, 100000, MAX_SHOWN);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_recipe_run *list;
	ag_str name = AG_S("");
	ag_know o;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	/* Of a recipe that is gone the runs are still there, by its name. */
	if (c->narg)
		name = ag_know_get(&s->place, AG_KNOW_RECIPE, c->args[0], c->app.arena, &o, &err)
		               ? c->args[0]
		               : o.name;
	err = (ag_err){ 0 };
	if (ag_recipe_runs_seen(&s->place, name, AG_S(""), c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	n = n < limit ? n : limit;
	if (!ag_cli_is_json(c)) {
		for (size_t i = 0; i < n; i++)
			ag_recipe_show_run_line(&list[i], c->app.arena, &p);
		if (!n)
			ag_cli_note(c, "nothing was run yet");
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "runs");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		ag_recipe_run_json(&list[i], false, c->app.arena, &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int print_run(ag_cli *c, const ag_recipe_run *r)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_jw w;

	if (!ag_cli_is_json(c)) {
		ag_recipe_show_run(r, c->app.arena, &p);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_recipe_run_json(r, false, c->app.arena, &w);
	return ag_past_print_json(c, &out);
}

static int show(ag_cli *c, session *s)
{
	const ag_str key = ag_cli_value(c, "run");
	ag_recipe_run *r;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_know o;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (key.len)
		return ag_recipe_runs_seen(&s->place, AG_S(""), key, c->app.arena, &r, &n, &err)
		               ? ag_cli_fail(c, &err)
		               : print_run(c, r);
	if (ag_know_get(&s->place, AG_KNOW_RECIPE, c->args[0], c->app.arena, &o, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		ag_recipe_show(&o, c->app.arena, &p);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_know_show_json(&o, now(c), c->app.arena, &w);
	return ag_past_print_json(c, &out);
}

/* --- running --- */

static ag_llm_meter *new_meter(void *arg, ag_arena *arena)
{
	const ag_cli *c = arg;

	return ag_app_meter(&c->app, arena);
}

static int finish_run(ag_cli *c, const ag_recipe_run *r, const ag_err *why)
{
	int code = AG_EXIT_OK;

	if (ag_cli_is_json(c))
		code = print_run(c, r);
	if (why->status) {
		ag_err err = *why;

		ag_err_hint(&err, "argus recipe resume %.8s goes on at that step", r->key.ptr);
		if (why->status == AG_CANCELLED)
			ag_cli_note(c, "argus recipe resume %.8s goes on", r->key.ptr);
		return ag_cli_fail(c, &err);
	}
	if (!ag_cli_is_json(c))
		ag_cli_note(c, "run %.8s: %zu step%s, all answered", r->key.ptr, r->nstep,
		            r->nstep == 1 ? "" : "s");
	if (!ag_report_out_recorded(c) && code == AG_EXIT_OK)
		code = AG_EXIT_FAILED;
	return c->out_failed && code == AG_EXIT_OK ? AG_EXIT_FAILED : code;
}

/* recipe NULL: the run goes on. */
static int run_recipe(ag_cli *c, session *s, const ag_know *recipe, const ag_val *values,
                      ag_recipe_run *r)
{
	const ag_recipe_opts o = { .chat = &s->chat.opts,
		                   .no_model = s->chat.llm ? NULL : &s->chat.no_model,
		                   .meter = new_meter,
		                   .on_step = ag_cli_is_json(c) ? NULL : ag_recipe_show_step,
		                   .arg = c };
	const ag_id thread = ag_id_new(c->app.ctx.clock);
	ag_progress_line *line = NULL;
	ag_err why = { 0 }, err = { 0 };
	ag_status st = AG_OK;

	if (s->chat.llm && !s->chat.is_demo)
		ag_report_out_note_models(c);
	if (recipe)
		st = ag_recipe_begin(&c->app.ctx, &o, recipe, values, &thread, c->app.arena, r,
		                     &err);
	if (st)
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c))
		line = ag_progress_start(c, AG_S("recipe"));
	st = ag_recipe_go(&c->app.ctx, &o, r, c->app.arena, &why, &err);
	ag_progress_stop(line);
	return st ? ag_cli_fail(c, &err) : finish_run(c, r, &why);
}

/* --var and the arguments after the name. */
static ag_status typed_values(ag_cli *c, ag_val *ret, ag_err *err)
{
	const ag_str *more;
	const size_t nmore = ag_cli_values(c, "var", &more), n = c->narg - 1;
	ag_str *all = ag_new_n(c->app.arena, ag_str, n + nmore + 1);

	for (size_t i = 0; i < n; i++)
		all[i] = c->args[i + 1];
	for (size_t i = 0; i < nmore; i++)
		all[n + i] = more[i];
	return ag_recipe_typed_values(all, n + nmore, c->app.arena, ret, err);
}

static int start(ag_cli *c, session *s)
{
	ag_recipe_run r;
	ag_know o;
	ag_val values;
	ag_err err = { 0 };

	if (typed_values(c, &values, &err) ||
	    ag_recipe_in_use(&s->place, c->args[0], c->app.arena, &o, &err))
		return ag_cli_fail(c, &err);
	return run_recipe(c, s, &o, &values, &r);
}

static int go_on(ag_cli *c, session *s)
{
	ag_recipe_run *r;
	ag_err err = { 0 };
	size_t n;

	if (ag_recipe_runs_seen(&s->place, AG_S(""), c->args[0], c->app.arena, &r, &n, &err) ||
	    ag_recipe_run_check_resume(r, s->chat.who.user, &err))
		return ag_cli_fail(c, &err);
	return run_recipe(c, s, NULL, NULL, r);
}

/* --- changing --- */

static ag_status read_changed(ag_cli *c, ag_str text, ag_str name, const ag_know *old, ag_know *ret,
                              ag_err *err)
{
	const ag_status st = ag_know_markdown_read(text, name, now(c), c->app.arena, ret, err);

	if (st)
		return st;
	if (ret->kind == AG_KNOW_RECIPE && ag_str_eq(ret->key, old->key))
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "%.*s: name: want the recipe \"%.*s\", got %s \"%.*s\"",
	        AG_FMT(ag_utf8_prefix(name, 100)), AG_FMT(ag_utf8_prefix(old->name, 60)),
	        ag_know_types[ret->kind].name, AG_FMT(ag_utf8_prefix(ret->name, 60)));
	return ag_err_hint(err, "another name is another recipe: argus recipe import takes it");
}

static ag_status put_changed(ag_cli *c, session *s, ag_str text, ag_str file, const ag_know *old,
                             ag_err *err)
{
	ag_know_counts n;
	ag_know o;
	ag_status st = read_changed(c, text, file, old, &o, err);

	if (st)
		return st;
	o.author = old->author;
	o.changed_ms = now(c);
	st = ag_know_put(&s->place, &o, 1, AG_KNOW_REPLACE, !ag_cli_has(c, "no-check"),
	                 c->app.arena, &n, err);
	if (!st)
		ag_cli_note(c, "recipe %.*s: changed", AG_FMT(ag_know_short(&o)));
	return st;
}

/* What was typed is not lost when it is refused. */
static int edit_in_editor(ag_cli *c, session *s, const ag_know *old)
{
	ag_buf out = AG_BUF_INIT(FILE_BYTES);
	ag_str path = AG_S(""), text = AG_S("");
	ag_err err = { 0 };
	ag_status st;

	ag_know_markdown_write(old, &out);
	st = ag_editor_open(c, ag_buf_view(&out), "recipe.md", &path, &text, &err);
	if (!st && ag_str_eq(text, ag_buf_view(&out)))
		ag_cli_note(c, "nothing was changed");
	else if (!st)
		st = put_changed(c, s, text, path, old, &err);
	ag_buf_release(&out);
	if (!st) {
		ag_editor_close(path);
		return AG_EXIT_OK;
	}
	ag_cli_fail(c, &err);
	if (path.len)
		ag_cli_note(c, "your text is in %.*s; argus recipe edit --file takes it",
		            AG_FMT(path));
	return AG_EXIT_FAILED;
}

static int edit(ag_cli *c, session *s)
{
	ag_know old;
	ag_str text;
	ag_err err = { 0 };

	if (ag_know_get(&s->place, AG_KNOW_RECIPE, c->args[0], c->app.arena, &old, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_has(c, "file"))
		return edit_in_editor(c, s, &old);
	if (ag_file_read(ag_cli_value(c, "file"), FILE_BYTES, true, c->app.ctx.cancel, c->app.arena,
	                 &text, &err) ||
	    put_changed(c, s, text, ag_cli_value(c, "file"), &old, &err))
		return ag_cli_fail(c, &err);
	return AG_EXIT_OK;
}

static int delete_recipe(ag_cli *c, session *s)
{
	ag_know o;
	ag_err err = { 0 };

	if (ag_know_get(&s->place, AG_KNOW_RECIPE, c->args[0], c->app.arena, &o, &err) ||
	    ag_know_remove(&s->place, &o, c->app.arena, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "recipe %.*s is gone; its runs are kept", AG_FMT(ag_know_short(&o)));
	return AG_EXIT_OK;
}

/* --- files --- */

/* Of the names on the command line, or all. */
static ag_status chosen(ag_cli *c, session *s, ag_know **ret, size_t *nret, ag_err *err)
{
	ag_status st = AG_OK;

	if (c->narg < 2)
		return ag_know_list(&s->place, AG_KNOW_RECIPE, c->app.arena, ret, nret, err);
	*nret = c->narg - 1;
	*ret = ag_new_n(c->app.arena, ag_know, *nret);
	for (size_t i = 0; i < *nret && !st; i++)
		st = ag_know_get(&s->place, AG_KNOW_RECIPE, c->args[i + 1], c->app.arena,
		                 &(*ret)[i], err);
	return st;
}

static int export(ag_cli *c, session *s)
{
	const ag_str path = c->args[0];
	const bool is_file = ag_str_eqc(path, "-") || ag_str_ends(path, AG_S(".md"));
	ag_buf out = AG_BUF_INIT(FILE_BYTES);
	ag_know *list;
	ag_err err = { 0 };
	size_t n;
	ag_status st = chosen(c, s, &list, &n, &err);

	if (!st && is_file && n != 1) {
		ag_fail(&err, AG_INVALID, ORIGIN, "a file holds one recipe, and there are %zu", n);
		st = ag_err_hint(&err, "name one: argus recipe export FILE.md NAME");
	}
	if (!st && is_file) {
		ag_know_markdown_write(&list[0], &out);
		st = ag_file_replace(path, ag_buf_view(&out), &err);
	} else if (!st) {
		st = ag_app_knowledge_write(path, list, n, c->app.arena, &err);
	}
	ag_buf_release(&out);
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu recipe%s in %.*s", n, n == 1 ? "" : "s", AG_FMT(path));
	return AG_EXIT_OK;
}

static int import(ag_cli *c, session *s)
{
	ag_know_source from = { 0 };
	ag_know_counts n;
	bool is_own = false;
	ag_err err = { 0 };
	ag_status st = ag_app_knowledge_read(c->args[0], now(c), c->app.ctx.cancel, c->app.arena,
	                                     &from, &is_own, &err);

	for (size_t i = 0; i < from.n && !st; i++) {
		if (from.objects[i].kind != AG_KNOW_RECIPE) {
			ag_fail(&err, AG_INVALID, ORIGIN, "the %s \"%.*s\" is no recipe",
			        ag_know_types[from.objects[i].kind].name,
			        AG_FMT(ag_utf8_prefix(from.objects[i].name, 60)));
			st = ag_err_hint(&err, "argus knowledge import takes all kinds");
		}
		/* Written by hand, it is whose it comes from. */
		if (!from.objects[i].author.len)
			from.objects[i].author = s->place.who->user;
	}
	if (!st)
		st = ag_know_put(&s->place, from.objects, from.n, AG_KNOW_IMPORT,
		                 !ag_cli_has(c, "no-check"), c->app.arena, &n, &err);
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu added, %zu changed, %zu as before", n.nadded, n.nchanged, n.nsame);
	return AG_EXIT_OK;
}

/* --- the command --- */

static ag_status open_chat(ag_cli *c, session *s, ag_err *err)
{
	ag_store *store;
	ag_status st = ag_app_store(&c->app, &store, err);

	if (!st)
		st = ag_cli_has(c, "demo")
		             ? ag_app_chat_open_demo(&c->app, &s->chat, err)
		             : ag_app_chat_open(&c->app, AG_S(""), ag_cli_value(c, "project"),
		                                ag_cli_value(c, "record"),
		                                ag_cli_value(c, "replay"), &s->chat, err);
	if (st)
		return st;
	s->has_chat = true;
	s->place = (ag_know_place){ s->chat.hub, &c->app.ctx, &s->chat.who, s->chat.project };
	if (!s->chat.sql.client)
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN,
	               "the project's recipes are with the MCP server of MCP_SERVER_URL");
}

static int in_session(ag_cli *c, bool runs, int (*work)(ag_cli *c, session *s))
{
	session s = { 0 };
	ag_err err = { 0 };
	ag_status st;
	int code;

	if (ag_cli_has(c, "demo") && ag_cli_has(c, "project"))
		ag_cli_complain(c, "--demo: has a project of its own, want no --project beside it");
	if (ag_cli_has(c, "record") && ag_cli_has(c, "replay"))
		ag_cli_complain(c, "--record and --replay: choose one");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (runs || ag_cli_has(c, "demo")) {
		st = open_chat(c, &s, &err);
	} else {
		st = ag_know_session_open(c, &s.know, &err);
		s.place = s.know.place;
	}
	code = st ? ag_cli_fail(c, &err) : work(c, &s);
	if (s.has_chat)
		ag_app_chat_close(&s.chat);
	else
		ag_know_session_close(&s.know);
	return code;
}

#define IN_SESSION(name, runs, work)                  \
	static int name(ag_cli *c)                    \
	{                                             \
		return in_session(c, (runs), (work)); \
	}
IN_SESSION(do_list, false, list_recipes)
IN_SESSION(do_runs, false, list_runs)
IN_SESSION(do_run, true, start)
IN_SESSION(do_resume, true, go_on)
IN_SESSION(do_edit, false, edit)
IN_SESSION(do_delete, false, delete_recipe)
IN_SESSION(do_export, false, export)
IN_SESSION(do_import, false, import)

static int do_show(ag_cli *c)
{
	if ((c->narg > 0) == ag_cli_has(c, "run"))
		ag_cli_complain(c, "show: want a NAME or --run RUN");
	return in_session(c, false, show);
}

static const ag_verb verbs[] = {
	{ "list", "", 0, 0, COMMON, do_list },
	{ "show", "NAME or --run RUN", 0, 1, COMMON "run", do_show },
	{ "run", "NAME [VARIABLE=VALUE]...", 1, 100, RUNNING, do_run },
	{ "resume", "RUN", 1, 1, RUNNING, do_resume },
	{ "runs", "[NAME]", 0, 1, COMMON "limit", do_runs },
	{ "edit", "NAME", 1, 1, COMMON "file no-check", do_edit },
	{ "export", "FOLDER|FILE.zip|FILE.md|- [NAME]...", 1, 1000, COMMON, do_export },
	{ "import", "PATH", 1, 1, COMMON "no-check", do_import },
	{ "delete", "NAME", 1, 1, COMMON, do_delete },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_recipe = {
	.name = "recipe",
	.summary = "Ask the same questions again with other values",
	.group = AG_GROUP_ASK,
	.usage =
		"list | show NAME | run NAME [VARIABLE=VALUE]... | resume RUN | runs [NAME] | edit NAME | "
		"export PATH [NAME]... | import PATH | delete NAME [options]",
	.about =
		"A recipe has variables (string, number, date, boolean, select) and steps: questions in which "
		"{{variable}} stands for a value. The steps of a run are one conversation, so a later question builds on "
		"the earlier answers. A step with `sql` runs that statement and asks no model. A value is data: it is quoted in "
		"a question and a literal in SQL, whatever it holds.\n\n"
		"`/recipe save` in `argus chat` makes a recipe of the last questions, `import` reads Markdown files, "
		"`edit` opens one in $VISUAL or $EDITOR. The database looks at the SQL before a recipe is saved.\n\n"
		"A run stops at the first step that fails, and `resume` goes on there; so it does after a crash, without a "
		"statement twice. `argus jobs add recipe PROJECT/NAME` and `argus schedule add` run recipes later. The exit code "
		"of `run` and `resume` is 0 when every step has its answer, 1 when one failed, 130 after Ctrl-C.",
	.examples =
		"argus recipe import weekly.md\n"
		"argus recipe run Weekly region=North from=2026-03-01\n"
		"argus recipe runs Weekly # what came of it\n"
		"argus recipe show --run 8f3a12bc --output json\n"
		"argus schedule add monday \"0 7 * * mon\" recipe shop/Weekly --var region=North",
	.options = options,
	.noption = AG_NELEM(options),
	.agent = &ag_agent_analyst,
	.min_args = 1,
	.max_args = 1001,
	.flags = AG_COMMAND_WORDS,
	.run = run,
};
