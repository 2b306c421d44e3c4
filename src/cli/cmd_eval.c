/* argus eval: a project's golden questions, asked of a model: how many answers are right, how fast, for how much.
 *
 * Each question is a conversation of its own, on the same way as in argus chat, but nothing is learnt from it. What came out is
 * kept in the store, so that the next evaluation says what has changed. */
#include "analyst/golden.h"
#include "analyst/golden_run.h"
#include "app/chat.h"
#include "app/file.h"
#include "app/models.h"
#include "base/utf8.h"
#include "cli/knowledge_args.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/report_out.h"
#include "query/extjson.h"

#define ORIGIN      "cli.eval"
#define MAX_HISTORY 20u

static const ag_option options[] = {
	{ "tag", 0, "WORD", NULL, NULL, "only questions with this tag" },
	{ "min-accuracy", 0, "SHARE", NULL, NULL,
	  "exit code 3 when fewer answers are right: 0.9, or 90%" },
	{ "junit", 0, "FILE", NULL, NULL, "write the result for build servers, too" },
	{ "history", 0, NULL, NULL, NULL, "list earlier evaluations; no model is asked" },
	{ "add", 0, "TURN", NULL, NULL,
	  "make this answer of a conversation a golden question; no model is asked" },
	{ "mode", 0, "MODE", NULL, NULL, "add: how answers are compared",
	  "exact approximate row_count contains structure" },
	{ .setting = "model", .help = "which model: see `argus models`" },
	{ .setting = "max_tokens", .help = "tokens of the model, in and out, of a question" },
	{ .setting = "max_cost", .help = "US dollars of the model, of a question" },
	AG_RECORD_OPTIONS,
	{ .setting = "output_format" },
	{ .setting = "store" },
};

typedef struct evaluation {
	ag_cli *c;
	ag_app_chat chat;
	ag_know_place place;
	ag_golden_run of;
	double min;
} evaluation;

/* --- history --- */

static int show_history(evaluation *e)
{
	ag_cli *c = e->c;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	const ag_extjson_opts opts = { .max_depth = 8 };
	ag_object_row *rows;
	ag_err err = { 0 };
	size_t n = 0;
	ag_jw w;

	if (ag_golden_run_list(c->app.store, e->place.project->id, true, c->app.arena, &rows, &n,
	                       &err))
		return ag_cli_fail(c, &err);
	ag_jw_init(&w, &out, 2);
	if (ag_cli_is_json(c)) {
		ag_jw_arr(&w);
		for (size_t i = 0; i < n && i < MAX_HISTORY; i++)
			ag_jw_raw(&w, rows[i].body);
		ag_jw_arr_end(&w);
		return ag_past_print_json(c, &out);
	}
	for (size_t i = 0; i < n && i < MAX_HISTORY; i++) {
		ag_val v = ag_val_null();

		AG_IGNORE(ag_extjson_parse(rows[i].body, &opts, c->app.arena, &v, NULL, NULL, NULL),
		          "then its figures are 0");
		ag_paint_textf(&p, AG_INK_DIM, "%.*s  ",
		               AG_FMT(ag_past_when(rows[i].created_ms, c->app.arena)));
		ag_paint_textf(&p, AG_INK_BOLD, "%3.0f%%  ", rows[i].confidence * 100);
		ag_paint_textf(&p, AG_INK_PLAIN, "%llu of %llu  %.1f s  $%.4f  ",
		               (unsigned long long)ag_val_member_u64(&v, "right"),
		               (unsigned long long)ag_val_member_u64(&v, "questions"),
		               ag_val_member_num(&v, "latency_ms") / 1000,
		               ag_val_member_num(&v, "usd"));
		ag_paint_text(&p, AG_INK_CYAN, rows[i].name);
		ag_paint_nl(&p);
	}
	if (!n)
		ag_cli_note(c, "there is no evaluation of this project yet");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* --- the result --- */

static int print_text(const evaluation *e)
{
	const ag_golden_run *of = &e->of;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(e->c, &out);

	for (size_t i = 0; i < of->n; i++) {
		const ag_golden_run_result *o = &of->list[i];
		const char *word = !o->why.len ? "right" : o->is_error ? "error" : "wrong";

		ag_paint_lit(&p, o->why.len ? AG_INK_RED : AG_INK_GREEN, word);
		ag_paint_to(&p, 7);
		ag_paint_wrap(&p, AG_INK_PLAIN, 7, o->golden->name);
		if (o->before == 1 && o->why.len)
			ag_paint_lit(&p, AG_INK_YELLOW, " (was right)");
		else if (!o->before && !o->why.len)
			ag_paint_lit(&p, AG_INK_YELLOW, " (was wrong)");
		ag_paint_nl(&p);
		if (!o->why.len)
			continue;
		ag_paint_to(&p, 7);
		ag_paint_wrap(&p, AG_INK_DIM, 7,
		              ag_str_printf(e->c->app.arena, "want %.*s %.*s; %.*s",
		                            AG_FMT(ag_know_text(o->golden, "mode")),
		                            AG_FMT(ag_utf8_prefix(
						    ag_know_text(o->golden, "expected"), 200)),
		                            AG_FMT(o->why)));
		ag_paint_nl(&p);
	}
	ag_paint_textf(&p, AG_INK_BOLD, "%zu of %zu right, %.0f%%", of->nright, of->n,
	               ag_golden_run_accuracy(of) * 100);
	if (of->before >= 0)
		ag_paint_textf(&p, AG_INK_PLAIN, " (before: %.0f%%)", of->before * 100);
	ag_paint_textf(&p, AG_INK_PLAIN, "; %.1f s, %llu tokens, $%.4f; model %.*s",
	               (double)of->ms / 1000, (unsigned long long)of->tokens, of->usd,
	               AG_FMT(of->model));
	ag_paint_nl(&p);
	return ag_cli_finish(e->c, &out, AG_EXIT_OK);
}

static int print_result(const evaluation *e)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	if (!ag_cli_is_json(e->c))
		return print_text(e);
	ag_jw_init(&w, &out, 2);
	ag_golden_run_json(&e->of, &w);
	return ag_past_print_json(e->c, &out);
}

/* XML 1.0 has no other control characters, whatever escapes them. */
static void write_xml(ag_buf *out, ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		switch (c) {
		case '<': ag_buf_adds(out, "&lt;"); break;
		case '>': ag_buf_adds(out, "&gt;"); break;
		case '&': ag_buf_adds(out, "&amp;"); break;
		case '"': ag_buf_adds(out, "&quot;"); break;
		case '\n': ag_buf_adds(out, "&#10;"); break;
		default:
			if ((unsigned char)c >= 0x20 || c == '\t')
				ag_buf_addc(out, c);
		}
	}
}

static ag_status write_junit(const evaluation *e, ag_err *err)
{
	const ag_golden_run *of = &e->of;
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(64u << 20);
	size_t nerror = 0;

	for (size_t i = 0; i < of->n; i++)
		nerror += of->list[i].is_error;
	ag_buf_adds(&out,
	            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"argus eval ");
	write_xml(&out, e->place.project->id);
	ag_buf_addf(&out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
	            of->n, of->n - of->nright - nerror, nerror, (double)of->ms / 1000);
	for (size_t i = 0; i < of->n; i++) {
		const ag_golden_run_result *o = &of->list[i];

		ag_buf_adds(&out, "  <testcase classname=\"");
		write_xml(&out, ag_know_text(o->golden, "mode"));
		ag_buf_adds(&out, "\" name=\"");
		write_xml(&out, o->golden->name);
		ag_buf_addf(&out, "\" time=\"%.3f\"", (double)o->ms / 1000);
		if (!o->why.len) {
			ag_buf_adds(&out, "/>\n");
			continue;
		}
		ag_buf_addf(&out, ">\n    <%s message=\"", o->is_error ? "error" : "failure");
		write_xml(&out, o->why);
		ag_buf_adds(&out, "\"/>\n  </testcase>\n");
	}
	ag_buf_adds(&out, "</testsuite>\n");
	return ag_file_replace(ag_cli_value(e->c, "junit"), ag_buf_view(&out), err);
}

/* --- the command --- */

static ag_llm_meter *new_meter(void *arg, ag_arena *arena)
{
	const ag_cli *c = arg;

	return ag_app_meter(&c->app, arena);
}

static int run_all(evaluation *e)
{
	ag_cli *c = e->c;
	const ag_golden_run_opts o = { .chat = &e->chat.opts, .meter = new_meter, .arg = c };
	ag_progress_line *line;
	ag_err err = { 0 };
	ag_status st;
	int code;

	if (!e->chat.llm)
		return ag_cli_fail(c, &e->chat.no_model);
	if (ag_golden_run_make(&e->place, c->app.store, ag_cli_value(c, "tag"), c->app.arena,
	                       &e->of, &err))
		return ag_cli_fail(c, &err);
	ag_report_out_note_models(c);
	e->of.model = ag_llm_model_of(e->chat.llm)->model;
	line = ag_progress_start(c, AG_S("eval"));
	st = ag_golden_run_go(&c->app.ctx, &o, &e->of, c->app.arena, &err);
	ag_progress_stop(line);
	if (st == AG_CANCELLED)
		ag_err_hint(&err, "nothing of it is kept");
	if (!st)
		st = ag_golden_run_put(c->app.store, &e->of, "done",
		                       ag_clock_wall(c->app.ctx.clock), &err);
	if (st || (ag_cli_has(c, "junit") && write_junit(e, &err)))
		return ag_cli_fail(c, &err);
	code = print_result(e);
	if (!ag_report_out_recorded(c) && code == AG_EXIT_OK)
		code = AG_EXIT_FAILED;
	return code == AG_EXIT_OK && ag_golden_run_accuracy(&e->of) + 1e-9 < e->min
	               ? AG_EXIT_FINDINGS
	               : code;
}

static int add_turn(evaluation *e)
{
	ag_cli *c = e->c;
	ag_arena *arena = c->app.arena;
	ag_thread thread;
	ag_run_row turn;
	ag_analyst_state s;
	ag_know_counts n;
	ag_know o;
	ag_err err = { 0 };

	if (ag_thread_of_turn(c->app.store, e->chat.place, ag_cli_value(c, "add"), arena, &thread,
	                      &turn, &err) ||
	    ag_analyst_read_turn(c->app.store, &turn.id, arena, &s, &err) ||
	    ag_golden_of_turn(&s, ag_cli_value(c, "mode"), arena, &o, &err))
		return ag_cli_fail(c, &err);
	o.author = e->chat.who.user;
	o.created_ms = o.changed_ms = ag_clock_wall(c->app.ctx.clock);
	if (ag_know_put(&e->place, &o, 1, AG_KNOW_ADD, false, arena, &n, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "golden %.*s: %.*s %.*s", AG_FMT(ag_know_short(&o)),
	            AG_FMT(ag_know_text(&o, "mode")),
	            AG_FMT(ag_utf8_prefix(ag_know_text(&o, "expected"), 200)));
	return AG_EXIT_OK;
}

/* "0.9" or "90%". */
static double min_accuracy(ag_cli *c)
{
	ag_str text = ag_str_trim(ag_cli_value(c, "min-accuracy"));
	const bool is_percent = text.len && text.ptr[text.len - 1] == '%';
	double d = 0;

	if (!ag_cli_has(c, "min-accuracy"))
		return 0;
	text.len -= is_percent;
	if (!ag_str_to_double(ag_str_trim(text), &d) || !(d >= 0 && d <= (is_percent ? 100 : 1)))
		ag_cli_complain(c, "--min-accuracy: want a share like 0.9 or 90%%, got \"%.*s\"",
		                AG_FMT(ag_utf8_prefix(ag_cli_value(c, "min-accuracy"), 40)));
	return is_percent ? d / 100 : d;
}

static void check_options(ag_cli *c)
{
	if (ag_cli_has(c, "record") && ag_cli_has(c, "replay"))
		ag_cli_complain(c, "--record and --replay: choose one");
	if (ag_cli_has(c, "history") && ag_cli_has(c, "add"))
		ag_cli_complain(c, "--history and --add: choose one");
	if (ag_cli_has(c, "mode") && !ag_cli_has(c, "add"))
		ag_cli_complain(c, "--mode belongs to --add");
}

static int run(ag_cli *c)
{
	evaluation e = { .c = c, .min = min_accuracy(c) };
	ag_store *store;
	ag_err err = { 0 };
	int code;

	check_options(c);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_app_chat_open(&c->app, AG_S(""), c->args[0], ag_cli_value(c, "record"),
	                     ag_cli_value(c, "replay"), &e.chat, &err))
		return ag_cli_fail(c, &err);
	e.place = (ag_know_place){ e.chat.hub, &c->app.ctx, &e.chat.who, e.chat.project };
	if (ag_cli_has(c, "history"))
		code = show_history(&e);
	else if (ag_cli_has(c, "add"))
		code = add_turn(&e);
	else
		code = run_all(&e);
	ag_app_chat_close(&e.chat);
	return code;
}

const ag_command ag_cmd_eval = {
	.name = "eval",
	.summary = "Ask a project's golden questions, and count right answers",
	.group = AG_GROUP_ASK,
	.usage = "PROJECT [options]",
	.about =
		"A golden question has an expected answer: `/golden` in `argus chat`, --add TURN, or `argus knowledge add "
		"golden` write one down. Each is asked in a conversation of its own; nothing is learnt from it. An answer is "
		"right when a result of it is what is expected, by the question's mode: exact (the rows, in any order, or a "
		"single value), approximate (numbers within a tolerance), row_count, contains (words of the answer or of a "
		"cell), structure (names of columns).\n\n"
		"The result names accuracy, time, tokens and cost, and what was right or wrong the time before. Exit "
		"code 3: fewer answers are right than --min-accuracy; 1: no model, or nothing to ask. With --replay "
		"a recording answers in the place of the model.",
	.examples = "argus eval shop # all golden questions\n"
		    "argus eval shop --model local --min-accuracy 0.9 --junit eval.xml # for CI\n"
		    "argus eval shop --add 0192 --mode approximate # from a conversation\n"
		    "argus eval shop --history",
	.options = options,
	.noption = AG_NELEM(options),
	.agent = &ag_agent_analyst,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
