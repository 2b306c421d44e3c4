/* argus eval: a project's golden questions, asked of a model: how many answers are right, how fast, for how much.
 *
 * Each question is a conversation of its own, on the same way as in argus chat, but nothing is learnt from it. What came out is
 * kept in the store, so that the next evaluation says what has changed. */
#include "analyst/golden.h"
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
#define KIND        AG_S("evaluation") /* of objects in the store */
#define MAX_HISTORY 20u
#define BODY        (512u << 10)

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

typedef struct outcome {
	const ag_know *golden;
	ag_str why; /* "" = right */
	ag_str turn;
	bool is_error; /* there is no answer */
	int64_t ms;
	uint64_t tokens;
	double usd;
	int before; /* when it was last asked: 1 right, 0 wrong; -1 = never */
} outcome;

typedef struct evaluation {
	ag_cli *c;
	ag_app_chat chat;
	ag_know_place place;
	outcome *list;
	size_t n, nright;
	int64_t at_ms, ms;
	uint64_t tokens;
	double usd, min;
	ag_str model;
	double before; /* accuracy of these questions when they were last asked; -1 = never */
} evaluation;

static double accuracy(const evaluation *e)
{
	return e->n ? (double)e->nright / (double)e->n : 0;
}

/* --- one question --- */

static void ask_one(evaluation *e, outcome *o)
{
	ag_cli *c = e->c;
	ag_arena *arena = c->app.arena;
	const int64_t began = ag_clock_mono(c->app.ctx.clock);
	ag_analyst_opts opts = e->chat.opts;
	/* Not among the user's conversations. */
	const ag_thread thread = ag_thread_new(
		c->app.ctx.clock, ag_str_printf(arena, "%.*s/eval", AG_FMT(e->chat.place)), arena);
	ag_analyst_turn_result r = { 0 };
	ag_err err = { 0 };

	opts.thread = &thread;
	opts.question = o->golden->name;
	opts.meter = ag_app_meter(&c->app, arena);
	opts.is_trial = true;
	if (ag_analyst_turn(&c->app.ctx, &opts, arena, &r, &err)) {
		o->is_error = true;
		o->why = ag_str_printf(arena, "%s", err.msg);
	} else if (!r.answer.len) {
		o->is_error = true;
		o->why = r.run_result.err.msg[0] ? ag_str_printf(arena, "%s", r.run_result.err.msg)
		                                 : AG_S("there is no answer");
	} else {
		ag_golden_check(o->golden, r.state, arena, &o->why);
	}
	o->ms = ag_clock_mono(c->app.ctx.clock) - began;
	o->turn = ag_str_dup(arena, ag_id_str(&r.turn));
	if (r.state) {
		o->tokens = r.state->input_tokens + r.state->output_tokens;
		o->usd = r.state->usd;
	}
}

static bool has_tag(const ag_know *o, ag_str tag)
{
	for (size_t i = 0; ag_know_item(o, "tags", i).len; i++) {
		if (ag_str_ieq(ag_know_item(o, "tags", i), tag))
			return true;
	}
	return !tag.len;
}

static ag_status choose(evaluation *e, ag_err *err)
{
	ag_cli *c = e->c;
	const ag_str tag = ag_cli_value(c, "tag");
	ag_know *list;
	size_t n;
	ag_status st = ag_know_list(&e->place, AG_KNOW_GOLDEN, c->app.arena, &list, &n, err);

	if (st)
		return st;
	e->list = ag_new_n(c->app.arena, outcome, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (list[i].status == AG_KNOW_ACTIVE && has_tag(&list[i], tag))
			e->list[e->n++] = (outcome){ .golden = &list[i], .before = -1 };
	}
	if (e->n)
		return AG_OK;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "project %.*s has no golden question%s",
	        AG_FMT(e->place.project->id), tag.len ? " with that tag" : "");
	ag_err_hint(err, "/golden in argus chat, or argus knowledge add golden \"QUESTION\" "
	                 "mode=exact expected=42");
	return AG_NOT_FOUND;
}

/* --- history --- */

static void write_outcome(const outcome *o, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", o->golden->key);
	ag_jw_kstr(w, "question", o->golden->name);
	ag_jw_kstr(w, "mode", ag_know_text(o->golden, "mode"));
	ag_jw_kbool(w, "ok", !o->why.len);
	ag_jw_kbool(w, "error", o->is_error);
	ag_jw_kstr(w, "why", o->why);
	ag_jw_kstr(w, "turn", o->turn);
	ag_jw_kint(w, "latency_ms", o->ms);
	ag_jw_kuint(w, "tokens", o->tokens);
	ag_jw_kdouble(w, "usd", o->usd);
	if (o->before >= 0)
		ag_jw_kbool(w, "ok_before", o->before == 1);
	ag_jw_obj_end(w);
}

static void write_evaluation(const evaluation *e, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "project", e->place.project->id);
	ag_jw_kstr(w, "model", e->model);
	ag_jw_ktime(w, "at", e->at_ms);
	ag_jw_kuint(w, "questions", e->n);
	ag_jw_kuint(w, "right", e->nright);
	ag_jw_kdouble(w, "accuracy", accuracy(e));
	if (e->before >= 0)
		ag_jw_kdouble(w, "accuracy_before", e->before);
	ag_jw_kint(w, "latency_ms", e->ms);
	ag_jw_kuint(w, "tokens", e->tokens);
	ag_jw_kdouble(w, "usd", e->usd);
	ag_jw_kkey(w, "results");
	ag_jw_arr(w);
	for (size_t i = 0; i < e->n; i++)
		write_outcome(&e->list[i], w);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

static ag_status keep(const evaluation *e, ag_err *err)
{
	ag_arena *arena = e->c->app.arena;
	ag_buf out = AG_BUF_INIT(BODY);
	ag_object_row row = { .project = e->place.project->id,
		              .kind = KIND,
		              .name = e->model.len ? e->model : AG_S("none"),
		              .status = AG_S("done"),
		              .author = e->chat.who.user,
		              .confidence = accuracy(e),
		              .created_ms = e->at_ms,
		              .changed_ms = e->at_ms };
	const ag_id id = ag_id_new(e->c->app.ctx.clock);
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	write_evaluation(e, &w);
	row.key = ag_know_key(ag_id_str(&id), arena);
	row.body = ag_buf_view(&out);
	st = out.failed ? ag_fail(err, AG_LIMIT, ORIGIN, "the evaluation is larger than %u bytes",
	                          BODY)
	                : ag_store_put_objects(e->c->app.store, &row, 1, err);
	ag_buf_release(&out);
	return st;
}

/* All evaluations, newest first. */
static ag_status read_history(const evaluation *e, ag_object_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = ag_store_objects(e->c->app.store, e->place.project->id, KIND,
	                                e->c->app.arena, ret, nret, err);

	/* They come by name, that is by model. */
	for (size_t i = 1; i < *nret && !st; i++) {
		for (size_t k = i; k && (*ret)[k].created_ms > (*ret)[k - 1].created_ms; k--) {
			const ag_object_row moved = (*ret)[k];

			(*ret)[k] = (*ret)[k - 1];
			(*ret)[k - 1] = moved;
		}
	}
	return st;
}

/* What an earlier evaluation says of the questions that no later one asked. */
static void take_before(evaluation *e, ag_str body)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	const ag_val *list;
	ag_val was;

	if (ag_extjson_parse(body, &opts, e->c->app.arena, &was, NULL, NULL, NULL))
		return;
	list = ag_val_getc(&was, "results");
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++) {
		for (size_t k = 0; k < e->n; k++) {
			outcome *o = &e->list[k];

			if (o->before < 0 &&
			    ag_str_eq(o->golden->key, ag_val_member_str(&list->u.items[i], "id")))
				o->before = ag_val_member_bool(&list->u.items[i], "ok");
		}
	}
}

static ag_status compare(evaluation *e, ag_err *err)
{
	ag_object_row *rows;
	size_t n = 0, nasked = 0, nright = 0;
	ag_status st = read_history(e, &rows, &n, err);

	for (size_t i = 0; i < n && i < MAX_HISTORY && !st; i++)
		take_before(e, rows[i].body);
	for (size_t k = 0; k < e->n; k++) {
		nasked += e->list[k].before >= 0;
		nright += e->list[k].before == 1;
	}
	e->before = nasked ? (double)nright / (double)nasked : -1;
	return st;
}

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

	if (read_history(e, &rows, &n, &err))
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
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(e->c, &out);

	for (size_t i = 0; i < e->n; i++) {
		const outcome *o = &e->list[i];
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
	ag_paint_textf(&p, AG_INK_BOLD, "%zu of %zu right, %.0f%%", e->nright, e->n,
	               accuracy(e) * 100);
	if (e->before >= 0)
		ag_paint_textf(&p, AG_INK_PLAIN, " (before: %.0f%%)", e->before * 100);
	ag_paint_textf(&p, AG_INK_PLAIN, "; %.1f s, %llu tokens, $%.4f; model %.*s",
	               (double)e->ms / 1000, (unsigned long long)e->tokens, e->usd,
	               AG_FMT(e->model));
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
	write_evaluation(e, &w);
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
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(64u << 20);
	size_t nerror = 0;

	for (size_t i = 0; i < e->n; i++)
		nerror += e->list[i].is_error;
	ag_buf_adds(&out,
	            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"argus eval ");
	write_xml(&out, e->place.project->id);
	ag_buf_addf(&out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n", e->n,
	            e->n - e->nright - nerror, nerror, (double)e->ms / 1000);
	for (size_t i = 0; i < e->n; i++) {
		const outcome *o = &e->list[i];

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

static int run_all(evaluation *e)
{
	ag_cli *c = e->c;
	ag_progress_line *line;
	ag_err err = { 0 };
	int code;

	if (!e->chat.llm)
		return ag_cli_fail(c, &e->chat.no_model);
	if (choose(e, &err) || compare(e, &err))
		return ag_cli_fail(c, &err);
	ag_report_out_note_models(c);
	e->model = ag_llm_model_of(e->chat.llm)->model;
	e->at_ms = ag_clock_wall(c->app.ctx.clock);
	line = ag_progress_start(c, AG_S("eval"));
	for (size_t i = 0; i < e->n && !ag_signals_cancelled(); i++) {
		outcome *o = &e->list[i];

		ask_one(e, o);
		e->nright += !o->why.len;
		e->ms += o->ms;
		e->tokens += o->tokens;
		e->usd += o->usd;
	}
	ag_progress_stop(line);
	if (ag_signals_cancelled()) {
		ag_fail(&err, AG_CANCELLED, ORIGIN, "stopped by the user; nothing of it is kept");
		return ag_cli_fail(c, &err);
	}
	if (keep(e, &err) || (ag_cli_has(c, "junit") && write_junit(e, &err)))
		return ag_cli_fail(c, &err);
	code = print_result(e);
	if (!ag_report_out_recorded(c) && code == AG_EXIT_OK)
		code = AG_EXIT_FAILED;
	return code == AG_EXIT_OK && accuracy(e) + 1e-9 < e->min ? AG_EXIT_FINDINGS : code;
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
	evaluation e = { .c = c, .min = min_accuracy(c), .before = -1 };
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
