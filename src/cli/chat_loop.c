/* chat_loop -- see the header. A line that begins with "/" is a command, every other one is a question. */
#include "cli/chat_loop.h"

#include <unistd.h>

#include "app/chat_demo.h"
#include "app/models.h"
#include "base/utf8.h"
#include "cli/chat_artifact.h"
#include "cli/chat_know.h"
#include "cli/chat_recipe.h"
#include "cli/chat_show.h"
#include "cli/chat_sql.h"
#include "cli/line_edit.h"
#include "cli/report_out.h"

#define MAX_SHOWN_TURNS 3u

typedef struct loop {
	ag_cli *c;
	ag_app_chat *chat;
	ag_thread *thread;
	ag_line_edit *lines;
	bool is_terminal;
	/* The last turn that is known, for /why; in kept. */
	ag_arena *kept;
	bool has_turn;
	ag_analyst_state last;
	ag_analyst_proof proof; /* of its figures; state NULL: only its own results are known */
	ag_id last_turn;
	bool is_over;
	int code;
} loop;

/* --- questions --- */

static ag_status take_turn(loop *l, bool resumes, ag_arena *arena, ag_analyst_turn_result *ret,
                           ag_err *err)
{
	ag_cli *c = l->c;

	l->chat->opts.thread = l->thread;
	l->chat->opts.meter = ag_app_meter(&c->app, arena);
	return resumes ? ag_analyst_resume(&c->app.ctx, &l->chat->opts, arena, ret, err)
	               : ag_analyst_turn(&c->app.ctx, &l->chat->opts, arena, ret, err);
}

/* Of the turn that was kept before, nothing is needed any more. */
static void keep(loop *l, const ag_analyst_state *s, const ag_analyst_proof *proof,
                 const ag_id *turn, ag_arena *arena)
{
	if (arena != l->kept)
		ag_arena_free(l->kept);
	l->kept = arena;
	l->last = *s;
	if (proof)
		l->proof = *proof;
	else
		ag_analyst_proof_init(&l->proof, &l->last, NULL, 0);
	l->last_turn = *turn;
	l->has_turn = true;
}

static void answer(loop *l, ag_str question, bool resumes)
{
	ag_analyst_turn_result r = { 0 };
	ag_arena *arena;
	ag_chat_show show;
	ag_err err = { 0 };

	if (!l->chat->llm) {
		l->code = ag_cli_fail(l->c, &l->chat->no_model);
		ag_cli_note(l->c, "/sql and /tables work without a model");
		return;
	}
	ag_signals_reset();
	ag_chat_show_init(&show, l->c, true);
	ag_chat_show_watch(&show, &l->chat->opts);
	l->chat->opts.question = question;
	arena = ag_arena_new();
	if (take_turn(l, resumes, arena, &r, &err)) {
		l->code = ag_cli_fail(l->c, &err);
		ag_arena_free(arena);
		return;
	}
	l->code = ag_chat_show_end(&show, &r);
	keep(l, r.state, r.proof, &r.turn, arena);
	ag_chat_artifact_cards(l->c, &l->last);
	ag_chat_offer_learning(l->c, l->chat, &l->last);
}

/* --- commands --- */

static void do_sql(loop *l, ag_str rest)
{
	if (rest.len)
		ag_chat_sql(l->c, l->chat, l->thread, rest);
	else
		ag_cli_note(l->c, "/sql: want a statement, like /sql select 1");
}

static void do_tables(loop *l, ag_str rest)
{
	ag_chat_tables(l->c, l->chat, rest);
}

/* ": r1, row 3, users (metric Active users)" */
static void show_cell(const ag_figures_input *in, const ag_figure *g, ag_paint *p)
{
	const ag_figures_result *r = &in->results[g->result];

	ag_paint_textf(p, AG_INK_PLAIN, ": %.*s, row %zu, %.*s", AG_FMT(r->name), g->row + 1,
	               AG_FMT(r->columns[g->column]));
	if (r->metric.len)
		ag_paint_textf(p, AG_INK_GREEN, " (metric %.*s)", AG_FMT(r->metric));
}

/* "42: r1, row 3, users" */
static void show_figures(const loop *l, ag_paint *p)
{
	const ag_str text = ag_analyst_answer_text(&l->last);
	ag_figures_input in;
	ag_figures f = { 0 };

	if (!text.len || ag_analyst_figures(&l->proof, text, &in, &f, NULL))
		return;
	for (size_t i = 0; i < f.nfigure; i++) {
		const ag_figure *g = &f.figures[i];
		const ag_str shown = ag_str_make(text.ptr + g->at, g->len);

		if (g->verdict == AG_FIGURE_EXEMPT)
			continue;
		ag_paint_text(p, AG_INK_BOLD, shown);
		if (g->verdict == AG_FIGURE_CELL)
			show_cell(&in, g, p);
		else if (g->verdict == AG_FIGURE_COMPUTED)
			ag_paint_textf(p, AG_INK_PLAIN, ": computed by Argus, %.*s",
			               AG_FMT(g->value));
		else
			ag_paint_lit(p, AG_INK_YELLOW, ": no source");
		ag_paint_nl(p);
	}
}

static void do_why(loop *l, ag_str rest)
{
	ag_cli *c = l->c;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	if (!l->has_turn) {
		ag_cli_note(c, "nothing was answered yet");
		return;
	}
	ag_paint_textf(&p, AG_INK_DIM, "turn %s", l->last_turn.text);
	ag_paint_nl(&p);
	for (size_t i = 0; i < l->last.nquery; i++) {
		const ag_analyst_query *q = &l->last.queries[i];
		const ag_analyst_result *r = &q->result;

		ag_paint_textf(&p, AG_INK_BOLD, "%.*s", AG_FMT(q->name.len ? q->name : q->tool));
		if (!q->has_output || !r->ok)
			ag_paint_textf(&p, AG_INK_RED, " failed: %.*s",
			               AG_FMT(ag_utf8_prefix(r->error, 300)));
		ag_paint_nl(&p);
		if (!q->sql.len)
			continue;
		ag_paint_lit(&p, AG_INK_PLAIN, "  ");
		ag_paint_wrap(&p, AG_INK_CYAN, 2, q->sql);
		ag_paint_nl(&p);
	}
	if (!l->last.nquery) {
		ag_paint_lit(&p, AG_INK_DIM, "no query was run for it");
		ag_paint_nl(&p);
	}
	show_figures(l, &p);
	rest = ag_analyst_provenance(&l->last, c->app.arena);
	while (rest.len) {
		ag_paint_wrap(&p, AG_INK_PLAIN, 2, ag_str_split(&rest, '\n'));
		ag_paint_nl(&p);
	}
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}

static void do_learn(loop *l, ag_str rest)
{
	ag_chat_learn(l->c, l->chat, l->has_turn ? &l->last : NULL, rest);
}

static void do_metric(loop *l, ag_str rest)
{
	ag_chat_metric(l->c, l->chat, l->has_turn ? &l->last : NULL, rest);
}

static void do_golden(loop *l, ag_str rest)
{
	ag_chat_golden(l->c, l->chat, l->has_turn ? &l->last : NULL, rest);
}

static void do_recipe(loop *l, ag_str rest)
{
	ag_signals_reset();
	ag_chat_recipe(l->c, l->chat, l->thread, rest);
}

static void do_artifact(loop *l, ag_str rest)
{
	ag_chat_artifact(l->c, l->chat, rest);
}

static void do_threads(loop *l, ag_str rest)
{
	(void)rest;
	AG_IGNORE(ag_chat_list_threads(l->c, l->chat), "reported");
}

static void do_new(loop *l, ag_str rest)
{
	(void)rest;
	*l->thread = ag_thread_new(l->c->app.ctx.clock, l->chat->place, l->c->app.arena);
	l->has_turn = false;
	ag_cli_note(l->c, "a new thread begins");
}

static void do_quit(loop *l, ag_str rest)
{
	(void)rest;
	l->is_over = true;
}

static void do_help(loop *l, ag_str rest);

static const struct {
	const char *name, *arg, *help;
	void (*run)(loop *l, ag_str rest);
} commands[] = {
	{ "sql", " STATEMENT", "run a statement yourself; no model is asked", do_sql },
	{ "tables", " [NAME]", "the tables, or the columns of one", do_tables },
	{ "why", "", "where the last answer comes from: statements, tables, filters, rows",
	  do_why },
	{ "learn", " TEXT", "keep what an error taught, for later questions", do_learn },
	{ "metric", " NAME: TEXT", "make the last statement a verified metric; alone: list them",
	  do_metric },
	{ "golden", " [MODE]", "make the last answer one that argus eval expects", do_golden },
	{ "recipe", " [VERB]",
	  "list recipes; run NAME X=Y runs one; save NAME X=WORD makes one of the last questions",
	  do_recipe },
	{ "artifact", " [show|export ID]",
	  "charts and texts that were saved: list, show ID, export ID FILE", do_artifact },
	{ "threads", "", "the conversations of this project", do_threads },
	{ "new", "", "begin a new thread", do_new },
	{ "help", "", "this list", do_help },
	{ "quit", "", "end; so does Ctrl-D", do_quit },
};

static void do_help(loop *l, ag_str rest)
{
	ag_buf out = AG_BUF_INIT(64u * 1024);
	ag_paint p = ag_cli_paint(l->c, &out);

	(void)rest;
	for (size_t i = 0; i < AG_NELEM(commands); i++) {
		ag_paint_textf(&p, AG_INK_CYAN, "/%s%s", commands[i].name, commands[i].arg);
		ag_paint_to(&p, 18);
		ag_paint_lit(&p, AG_INK_PLAIN, commands[i].help);
		ag_paint_nl(&p);
	}
	ag_paint_lit(&p, AG_INK_PLAIN,
	             "Everything else is a question. Ctrl-C stops the one that is "
	             "being answered.");
	ag_paint_nl(&p);
	AG_IGNORE(ag_cli_finish(l->c, &out, AG_EXIT_OK), "reported once");
}

static void run_command(loop *l, ag_str line)
{
	ag_str rest = ag_str_make(line.ptr + 1, line.len - 1);
	size_t n = 0;
	ag_str name;

	while (n < rest.len && (unsigned char)rest.ptr[n] > ' ')
		n++;
	name = ag_str_make(rest.ptr, n);
	rest = ag_str_trim(ag_str_make(rest.ptr + n, rest.len - n));
	for (size_t i = 0; i < AG_NELEM(commands); i++) {
		if (ag_str_eqc(name, commands[i].name)) {
			commands[i].run(l, rest);
			return;
		}
	}
	ag_cli_note(l->c, "unknown command \"/%.*s\"; /help lists them",
	            (int)(name.len < 40 ? name.len : 40), name.ptr);
}

/* --- lines --- */

/* The next line; false at the end of the input. An interrupted one is empty. */
static bool read_line(loop *l, ag_str *ret)
{
	switch (ag_line_edit_read(l->lines, ret)) {
	case AG_LINE_TEXT: return true;
	case AG_LINE_INTERRUPTED:
		ag_signals_reset();
		if (l->is_terminal)
			AG_IGNORE(ag_cli_print(l->c, AG_S("\n")), "reported once");
		return !ag_signals_terminated();
	default: return false;
	}
}

/* Beside the store, when that is a file. */
static ag_str history_path(ag_cli *c)
{
	ag_str uri = AG_S("");
	size_t n;

	if (!ag_store_is_kept(c->app.store) || ag_app_store_uri(&c->app, &uri, NULL))
		return AG_S("");
	if (ag_str_starts(uri, AG_S("sqlite:")))
		uri = ag_str_make(uri.ptr + 7, uri.len - 7);
	if (ag_str_contains(uri, AG_S("://")))
		return AG_S("");
	for (n = uri.len; n && uri.ptr[n - 1] != '/';)
		n--;
	return ag_str_printf(c->app.arena, "%.*schat_history", (int)n, uri.ptr);
}

static void greet_demo(loop *l)
{
	ag_str q;

	ag_cli_note(l->c,
	            "demo: a script answers here, no model is asked; /sql runs any statement. "
	            "It knows these questions:");
	for (size_t i = 0; (q = ag_chat_demo_question(i)).len; i++)
		ag_cli_note(l->c, "  %.*s", AG_FMT(q));
}

static void greet(loop *l)
{
	const ag_app_chat *chat = l->chat;

	if (chat->is_demo)
		greet_demo(l);
	if (!l->is_terminal)
		return;
	if (chat->llm)
		ag_cli_note(l->c, "project %.*s, %zu tables, model %.*s; /help lists commands",
		            AG_FMT(chat->project->id), chat->dictionary.ntable,
		            AG_FMT(ag_llm_model_of(chat->llm)->model));
	if (!chat->has_dictionary)
		ag_cli_note(l->c, "the tables cannot be read now: %.*s",
		            AG_FMT(chat->no_dictionary));
	if (!chat->llm) {
		ag_cli_fail(l->c, &chat->no_model);
		ag_cli_note(l->c, "without a model /sql and /tables work; /help lists commands");
	}
}

/* What was said before, and the end of what was interrupted. */
static void go_on(loop *l)
{
	ag_cli *c = l->c;
	ag_run_row *rows;
	ag_err err = { 0 };
	bool is_open = false;
	size_t n = 0;

	if (ag_thread_turns(c->app.store, l->thread, MAX_SHOWN_TURNS, c->app.arena, &rows, &n,
	                    &err)) {
		ag_cli_fail(c, &err);
		return;
	}
	if (n && ag_analyst_is_open(c->app.store, &rows[n - 1], &is_open, &err))
		ag_cli_fail(c, &err);
	for (size_t i = 0; i < n; i++) {
		ag_arena *arena = ag_arena_new();
		ag_analyst_state s;

		if (ag_analyst_read_turn(c->app.store, &rows[i].id, arena, &s, &err)) {
			ag_cli_fail(c, &err);
			ag_arena_free(arena);
			return;
		}
		keep(l, &s, NULL, &rows[i].id, arena);
		if (!is_open || i + 1 < n)
			ag_chat_show_turn(c, &l->last);
	}
	if (is_open) {
		ag_cli_note(c, "the last question was interrupted, it goes on: %.*s",
		            AG_FMT(ag_utf8_prefix(l->last.question, 200)));
		answer(l, AG_S(""), true);
	}
}

int ag_chat_loop(ag_cli *c, ag_app_chat *chat, ag_thread *thread)
{
	loop l = { .c = c, .chat = chat, .thread = thread, .is_terminal = isatty(STDIN_FILENO) };
	ag_str text;

	if (chat->llm && !chat->is_demo)
		ag_report_out_note_models(c);
	greet(&l);
	go_on(&l);
	l.lines = ag_line_edit_open("> ", history_path(c));
	while (!l.is_over && !ag_signals_terminated() && read_line(&l, &text)) {
		if (!text.len)
			continue;
		ag_line_edit_keep(l.lines, text);
		ag_signals_reset();
		/* The library's buffer is gone with the next line. */
		text = ag_str_dup(c->app.arena, text);
		if (text.ptr[0] == '/')
			run_command(&l, text);
		else
			answer(&l, text, false);
		if (c->out_failed || c->out_gone)
			break;
	}
	ag_line_edit_close(l.lines);
	ag_arena_free(l.kept);
	if (!ag_report_out_recorded(c) && l.code == AG_EXIT_OK)
		l.code = AG_EXIT_FAILED;
	/* In a conversation each failure was reported where it happened. */
	return l.is_terminal ? AG_EXIT_OK : l.code;
}
