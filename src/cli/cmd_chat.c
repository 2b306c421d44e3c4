/* argus chat: a conversation about a database. With -q one question, and its answer on standard output. */
#include <unistd.h>

#include "app/chat.h"
#include "app/models.h"
#include "base/utf8.h"
#include "cli/chat_loop.h"
#include "cli/chat_show.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/report_out.h"

static const ag_option options[] = {
	{ "project", 'p', "ID", NULL, NULL, "which project; only needed when there are several" },
	{ "question", 'q', "TEXT", NULL, NULL, "answer this question and exit" },
	{ "continue", 'c', NULL, NULL, NULL, "go on with the newest thread" },
	{ "thread", 0, "ID", NULL, NULL, "go on with this thread" },
	{ "branch", 0, "TURN", NULL, NULL,
	  "a new thread from a copy of its thread up to this turn" },
	{ "demo", 0, NULL, NULL, NULL,
	  "the example shop; a script answers a few questions, no model is asked" },
	{ "threads", 0, NULL, NULL, NULL, "list the threads of the project, and exit" },
	{ .setting = "model", .help = "which model: see `argus models`" },
	{ .setting = "max_tokens", .help = "tokens of the model, in and out, of a question" },
	{ .setting = "max_cost", .help = "US dollars of the model, of a question" },
	AG_RECORD_OPTIONS,
	{ .setting = "output_format" },
	{ .setting = "store" },
};

/* --- threads --- */

static int list_json(ag_cli *c, const ag_run_group *g, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "threads");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_str key = g[i].source_key;

		ag_str_split(&key, ':');
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "id", key);
		ag_jw_kstr(&w, "title", g[i].summary);
		ag_jw_kuint(&w, "turns", g[i].nrun);
		ag_jw_kstr(&w, "last_turn", ag_id_str(&g[i].last));
		ag_jw_ktime(&w, "began_at", g[i].first_ms);
		ag_jw_ktime(&w, "last_at", g[i].last_ms);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

int ag_chat_list_threads(ag_cli *c, const ag_app_chat *chat)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_run_group *g;
	ag_err err = { 0 };
	size_t n;

	if (ag_thread_list(c->app.store, chat->place, AG_STORE_MAX_RUNS, c->app.arena, &g, &n,
	                   &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c))
		return list_json(c, g, n);
	for (size_t i = 0; i < n; i++) {
		ag_str id = g[i].source_key;

		ag_str_split(&id, ':');
		ag_paint_text(&p, AG_INK_CYAN, ag_str_make(id.ptr, id.len < 13 ? id.len : 13));
		ag_paint_textf(&p, AG_INK_DIM, "  %.*s  %llu question%s  ",
		               AG_FMT(ag_past_when(g[i].last_ms, c->app.arena)),
		               (unsigned long long)g[i].nrun, g[i].nrun == 1 ? "" : "s");
		ag_paint_cut(&p, AG_INK_PLAIN, p.width > p.col + 10 ? p.width - p.col : 10,
		             g[i].summary);
		ag_paint_nl(&p);
	}
	if (!n)
		ag_cli_note(c, "there is no thread of this project yet");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static ag_status choose_thread(ag_cli *c, const ag_app_chat *chat, ag_thread *ret, ag_err *err)
{
	ag_store *store = c->app.store;
	ag_arena *arena = c->app.arena;
	ag_thread from;
	ag_run_row turn;
	ag_status st;

	if (ag_cli_has(c, "branch")) {
		st = ag_thread_of_turn(store, chat->place, ag_cli_value(c, "branch"), arena, &from,
		                       &turn, err);
		return st ? st
		          : ag_thread_branch(store, c->app.ctx.clock, &from, &turn, arena, ret,
		                             err);
	}
	if (ag_cli_has(c, "thread") || ag_cli_has(c, "continue"))
		return ag_thread_find(store, chat->place, ag_cli_value(c, "thread"), arena, ret,
		                      err);
	*ret = ag_thread_new(c->app.ctx.clock, chat->place, arena);
	return AG_OK;
}

/* --- one question --- */

static int no_model(ag_cli *c, const ag_app_chat *chat)
{
	return ag_cli_fail(c, &chat->no_model);
}

static int one_question(ag_cli *c, ag_app_chat *chat, const ag_thread *thread)
{
	const bool is_live = !ag_cli_is_json(c) && isatty(STDOUT_FILENO);
	ag_progress_line *line = NULL;
	ag_analyst_turn_result r = { 0 };
	ag_chat_show show;
	ag_err err = { 0 };
	ag_status st;
	int code;

	if (!chat->llm)
		return no_model(c, chat);
	if (!chat->is_demo)
		ag_report_out_note_models(c);
	if (!chat->has_dictionary && !chat->sql.client)
		ag_cli_warn(c, "the tables could not be read: %.*s", AG_FMT(chat->no_dictionary));
	ag_chat_show_init(&show, c, is_live);
	ag_chat_show_watch(&show, &chat->opts);
	chat->opts.thread = thread;
	chat->opts.question = ag_cli_value(c, "question");
	chat->opts.meter = ag_app_meter(&c->app, c->app.arena);
	if (!is_live)
		line = ag_progress_start(c, AG_S("chat"));
	st = ag_analyst_turn(&c->app.ctx, &chat->opts, c->app.arena, &r, &err);
	ag_progress_stop(line);
	if (st)
		return ag_cli_fail(c, &err);
	code = ag_cli_is_json(c) ? ag_chat_show_json(c, thread, &r) : ag_chat_show_end(&show, &r);
	if (!ag_cli_is_json(c))
		ag_cli_note(c, "thread %.13s; `argus chat%s --continue` goes on", thread->id.text,
		            chat->is_demo ? " --demo" : "");
	if (!ag_report_out_recorded(c) && code == AG_EXIT_OK)
		code = AG_EXIT_FAILED;
	return code;
}

/* A script neither takes a model's place nor reads a user's data. */
static void check_demo(ag_cli *c)
{
	static const char *const others[] = { "project", "model", "record", "replay" };

	if (!ag_cli_has(c, "demo"))
		return;
	if (c->narg)
		ag_cli_complain(c, "--demo is a database of its own: want no other beside it");
	for (size_t i = 0; i < AG_NELEM(others); i++) {
		if (ag_cli_has(c, others[i]))
			ag_cli_complain(c, "--demo: a script answers there, want no --%s beside it",
			                others[i]);
	}
}

static ag_status open_chat(ag_cli *c, ag_app_chat *ret, ag_err *err)
{
	if (ag_cli_has(c, "demo"))
		return ag_app_chat_open_demo(&c->app, ret, err);
	return ag_app_chat_open(&c->app, c->narg ? c->args[0] : AG_S(""),
	                        ag_cli_value(c, "project"), ag_cli_value(c, "record"),
	                        ag_cli_value(c, "replay"), ret, err);
}

static void check_options(ag_cli *c)
{
	const int nplace = ag_cli_has(c, "continue") + ag_cli_has(c, "thread") +
	                   ag_cli_has(c, "branch");

	if (nplace > 1)
		ag_cli_complain(c, "--continue, --thread and --branch: choose one");
	if (ag_cli_has(c, "record") && ag_cli_has(c, "replay"))
		ag_cli_complain(c, "--record and --replay: choose one");
	if (ag_cli_has(c, "question") && !ag_str_trim(ag_cli_value(c, "question")).len)
		ag_cli_complain(c, "--question: want a question, got blanks");
	if (ag_cli_is_json(c) && !ag_cli_has(c, "question") && !ag_cli_has(c, "threads"))
		ag_cli_complain(c, "--output json: want --question TEXT");
}

static int run(ag_cli *c)
{
	ag_app_chat chat = { 0 };
	ag_thread thread = { 0 };
	ag_store *store;
	ag_err err = { 0 };
	int code;

	check_options(c);
	check_demo(c);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) || open_chat(c, &chat, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_has(c, "threads"))
		code = ag_chat_list_threads(c, &chat);
	else if (choose_thread(c, &chat, &thread, &err))
		code = ag_cli_fail(c, &err);
	else if (ag_cli_has(c, "question"))
		code = one_question(c, &chat, &thread);
	else
		code = ag_chat_loop(c, &chat, &thread);
	ag_app_chat_close(&chat);
	return code;
}

const ag_command ag_cmd_chat = {
	.name = "chat",
	.summary = "Talk with a database: questions in plain words, answers with SQL",
	.group = AG_GROUP_ASK,
	.usage = "[DATABASE] [options]",
	.about =
		"A model writes SQL, runs it read only, corrects itself when it fails, and explains the answer "
		"with the tables, filters and row counts that it comes from. DATABASE is "
		"postgresql://user@host/name or sqlite:PATH; without it the project is one of argus.yaml or of "
		"`argus project`.\n\n"
		"A conversation is a thread. It is kept in the store, and --continue, --thread and --branch go on "
		"with one; a question that was interrupted is finished first. In a conversation /help lists "
		"what can be typed, and Ctrl-C stops the question that is being answered.\n\n"
		"The model is that of --model, of the project (llm_model), of the setting \"model\", of "
		"ANTHROPIC_API_KEY, else the default of `argus models`. --demo shows a conversation without a model: "
		"a script, marked as such in every answer, knows a few questions about an example shop. The exit code is 0 with an answer, also a "
		"partial one, else 1.",
	.examples =
		"argus chat sqlite:shop.db # a conversation\n"
		"argus chat -p shop -q \"Which region sold most last month?\" # one question\n"
		"argus chat -p shop --continue -q \"And the month before?\" # in the same thread\n"
		"argus chat --demo # the example shop, without a model\n"
		"argus chat -p shop --threads # what was asked before",
	.options = options,
	.noption = AG_NELEM(options),
	.agent = &ag_agent_analyst,
	.min_args = 0,
	.max_args = 1,
	.run = run,
};
