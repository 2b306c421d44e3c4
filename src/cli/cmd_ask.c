/* argus ask: one question, one answer on standard output, everything else on standard error.
 *
 * Exit 0 with an answer, whole or partial; 1 with nothing on standard output, also for a wrong command line; 130 after
 * Ctrl-C. All is opened before the sandbox closes behind us, and the progress line's thread starts after it. */
#include "app/ask_opts.h"
#include "ask/offline.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/report_out.h"

#define OPERATIONS_BYTES (6u * 1024) /* of the API, in the description of a tool */

static const ag_option options[] = {
	{ .setting = "model", .help = "which model: see `argus models`" },
	{ .setting = "max_tokens", .help = "tokens of the model, in and out" },
	{ .setting = "max_cost", .help = "US dollars of the model" },
	AG_RECORD_OPTIONS,
	{ .setting = "store" },
};

/* The words of the command line as one question. */
static ag_status question_of(ag_cli *c, ag_str *ret, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(AG_ASK_MAX_QUESTION_BYTES);
	ag_status st = AG_OK;

	for (size_t i = 0; i < c->narg; i++) {
		if (i)
			ag_buf_addc(&out, ' ');
		ag_buf_add(&out, c->args[i]);
	}
	if (out.failed)
		st = ag_fail(err, AG_LIMIT, "cli.ask", "the question is longer than %u bytes",
		             AG_ASK_MAX_QUESTION_BYTES);
	else if (!ag_utf8_valid(ag_buf_view(&out)))
		st = ag_fail(err, AG_INVALID, "cli.ask", "the question is no UTF-8 text");
	else
		*ret = ag_buf_dup(c->app.arena, &out);
	ag_buf_release(&out);
	return st;
}

static bool is_blank(ag_str s)
{
	return ag_str_trim(s).len == 0;
}

/* What only the first write finds out: no room, no right, another process that keeps it locked. */
static bool is_unwritable(ag_status st)
{
	return st == AG_IO || st == AG_DENIED || st == AG_UNAVAILABLE;
}

static void tell_notes(ag_cli *c, const ag_str *notes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ag_cli_note(c, "note: %.*s", AG_FMT(notes[i]));
}

static ag_status confine(ag_cli *c, const ag_app_ask *ask, ag_llm *llm, ag_err *err)
{
	ag_sandbox_report r;
	const ag_status st = ag_app_ask_confine(&c->app, ask, llm, &r, err);

	/* Also when a found file had said "off", which is not taken from there. */
	if (!st && (r.files || r.starts_nothing || r.missing[0]))
		ag_log(AG_LOG_INFO, "sandbox", "landlock %d: files %s, ports %s; seccomp %s%s%s",
		       r.landlock_abi, r.files ? "limited" : "open", r.ports ? "limited" : "open",
		       r.starts_nothing ? "on" : "off", r.missing[0] ? "; " : "", r.missing);
	return st;
}

/* --- printing --- */

static int print(ag_cli *c, const ag_answer *a, ag_str json)
{
	ag_buf text = AG_BUF_INIT(AG_LIMIT_OUTPUT), safe = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_buf clean = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	int code;

	/* A program reads it: one that got half of it must not find a success beside it. */
	if (c->app.settings.ask.format == AG_ASK_JSON)
		return ag_cli_print_json(c, json) && !c->out_gone ? AG_EXIT_OK : AG_EXIT_FAILED;
	ag_answer_markdown(a, &text);
	if (!ag_log_clean(ag_buf_view(&text), &clean))
		clean.failed = true;
	ag_paint_escape(&safe, ag_buf_view(&clean), c->term.utf8, true);
	safe.failed = safe.failed || clean.failed || text.failed;
	ag_buf_release(&text);
	ag_buf_release(&clean);
	code = ag_cli_finish(c, &safe, AG_EXIT_OK);
	return code;
}

static int no_answer(ag_cli *c, const ag_run_result *r)
{
	ag_err err = r->err;

	if (ag_signals_cancelled() || ag_str_eqc(r->status, "cancelled"))
		err.status = AG_CANCELLED;
	else if (!err.msg[0])
		ag_fail(&err, AG_INTERNAL, "cli.ask", "there is no answer: %.*s", AG_FMT(r->why));
	return ag_cli_fail(c, &err);
}

/* --- with a model --- */

/* Variables have an older and a newer name, and may stand in two places: which of them counted? */
static void log_origin(ag_cli *c, const ag_llm *llm)
{
	const ag_str from = ag_app_model_origin(&c->app, ag_llm_model_of(llm));

	if (from.len)
		ag_log(AG_LOG_INFO, "settings", "the model is that of %.*s", AG_FMT(from));
}

typedef struct question {
	ag_app_ask ask;
	ag_ask_opts opts;
	ag_store *store;
	ag_str text;
} question;

static ag_status prepare(ag_cli *c, question *q, ag_err *err)
{
	const ag_settings *s = &c->app.settings;
	ag_status st = ag_app_open_ask_model(&c->app, ag_cli_value(c, "record"),
	                                     ag_cli_value(c, "replay"), &q->opts.llm, err);

	if (!st)
		log_origin(c, q->opts.llm);
	if (!st)
		st = ag_app_ask_api(&c->app, &q->ask, q->text, err);
	if (!st)
		st = ag_app_servers_open(&c->app, &q->ask.servers, err);
	if (!st)
		st = ag_past_store_or_memory(c, false, &q->store, err);
	if (!st)
		st = confine(c, &q->ask, q->opts.llm, err);
	if (st)
		return st;
	q->opts.question = q->text;
	q->opts.root = q->ask.root;
	q->opts.api = q->ask.api;
	q->opts.api_methods = q->ask.api_methods;
	q->opts.more_tools = q->ask.servers.tools;
	q->opts.nmore_tool = q->ask.servers.ntool;
	q->opts.choices = s->ask;
	q->opts.store = q->store;
	q->opts.meter = ag_app_meter(&c->app, c->app.arena);
	if (q->ask.api)
		q->opts.operations = ag_api_operations(q->ask.api, &c->app.ctx, OPERATIONS_BYTES,
		                                       c->app.arena);
	return AG_OK;
}

/* A store that cannot take even the first event is no reason not to answer. */
static ag_status run_model(ag_cli *c, question *q, ag_ask_run_result *ret, ag_err *err)
{
	ag_progress_line *line = ag_progress_start(c, AG_S("ask"));
	ag_status st = ag_ask_run(&c->app.ctx, &q->opts, c->app.arena, ret, err);

	ag_progress_stop(line);
	if (!is_unwritable(st))
		return st;
	st = ag_past_store_or_memory(c, true, &q->store, err);
	q->opts.store = q->store;
	return st ? st : ag_ask_run(&c->app.ctx, &q->opts, c->app.arena, ret, err);
}

static int with_model(ag_cli *c, question *q)
{
	ag_ask_run_result r = { 0 };
	ag_err err = { 0 };

	if (prepare(c, q, &err))
		return ag_cli_fail(c, &err);
	tell_notes(c, q->ask.notes, q->ask.nnote);
	ag_report_out_note_models(c);
	if (run_model(c, q, &r, &err))
		return ag_cli_fail(c, &err);
	if (!r.has_answer || ag_signals_cancelled())
		return no_answer(c, &r.run_result);
	tell_notes(c, r.notes, r.nnote);
	if (r.answer.why.len)
		ag_cli_note(c, "warning: the answer is partial: %.*s", AG_FMT(r.answer.why));
	/* Before the answer: with exit code 1 nothing stands on standard output. */
	return ag_report_out_recorded(c) ? print(c, &r.answer, r.json) : AG_EXIT_FAILED;
}

/* --- without --- */

static ag_status keep(ag_cli *c, question *q, ag_answer *a, ag_str *ret_json, ag_err *err)
{
	ag_status st = ag_ask_keep(&c->app.ctx, q->store, NULL, a, c->app.arena, ret_json, err);

	if (is_unwritable(st) && !ag_past_store_or_memory(c, true, &q->store, err))
		st = ag_ask_keep(&c->app.ctx, q->store, NULL, a, c->app.arena, ret_json, err);
	return st;
}

static int without_model(ag_cli *c, question *q)
{
	ag_progress_line *line;
	ag_offline_opts o;
	ag_answer a = { 0 };
	ag_err err = { 0 };
	ag_str json;
	ag_status st;

	if (ag_past_store_or_memory(c, false, &q->store, &err) || confine(c, &q->ask, NULL, &err))
		return ag_cli_fail(c, &err);
	line = ag_progress_start(c, AG_S("ask"));
	o = (ag_offline_opts){ .root = q->ask.root, .store = q->store, .question = q->text };
	st = ag_offline_answer(&c->app.ctx, &o, c->app.arena, &a, &err);
	if (is_unwritable(st) && !ag_past_store_or_memory(c, true, &q->store, &err)) {
		o.store = q->store;
		st = ag_offline_answer(&c->app.ctx, &o, c->app.arena, &a, &err);
	}
	if (!st)
		st = keep(c, q, &a, &json, &err);
	ag_progress_stop(line);
	if (st)
		return ag_cli_fail(c, &err);
	if (a.why.len)
		ag_cli_note(c, "warning: the answer is partial: %.*s", AG_FMT(a.why));
	return print(c, &a, json);
}

static int run(ag_cli *c)
{
	const ag_settings *s = &c->app.settings;
	question q = { 0 };
	ag_err err = { 0 };
	int code;

	if (ag_cli_has(c, "record") && ag_cli_has(c, "replay"))
		ag_cli_complain(c, "--record and --replay: choose one");
	if (question_of(c, &q.text, &err))
		ag_cli_complain(c, "%s", err.msg);
	else if (is_blank(q.text))
		ag_cli_complain(c, "argus ask: want QUESTION, got blanks");
	if (ag_cli_refused(c))
		return AG_EXIT_FAILED;
	c->app.ctx.deadline_ms = ag_clock_mono(c->app.ctx.clock) +
	                         (int64_t)(s->ask.deadline * 1000);
	if (ag_app_ask_root(&c->app, &q.ask, &err))
		code = ag_cli_fail(c, &err);
	else
		code = s->ask.offline ? without_model(c, &q) : with_model(c, &q);
	ag_app_ask_release(&q.ask);
	return code;
}

const ag_command ag_cmd_ask = {
	.name = "ask",
	.summary = "Answer a question about a project",
	.group = AG_GROUP_ASK,
	.usage = "QUESTION [options]",
	.about =
		"The answer comes from the project's documentation, its source code and, unless --no-api is "
		"given, its running HTTP API. A model looks them up with tools (read_file, list_files, "
		"query_api, search_files, outline); what it cites is checked: a file that was not read, or an "
		"anchor that does not exist, is no source.\n\n"
		"Standard output is one JSON object: answer, source, tool_calls, citations, status. All else "
		"goes to standard error. The exit code is 0 with an answer, also a partial one, else 1.\n\n"
		"The model: LLM_API_BASE_URL, LLM_API_MODEL, LLM_API_KEY, in the environment or in "
		".env.agent.secret (LLM_API_BASE and LLM_MODEL are read, too). The API: AGENT_API_BASE_URL "
		"and LMS_API_KEY (or ARGUS_API_BASE_URL and ARGUS_API_KEY), in .env.docker.secret. "
		"--offline needs neither: it searches an index of the project and prints the best section.\n\n"
		"Files with secrets, what .gitignore names and everything outside of the project are never "
		"read; where the kernel can, it forbids the rest. Several words are joined to one question; "
		"put -- before a question that begins with a dash.",
	.examples =
		"argus ask \"How do I protect a branch?\" # from the docs\n"
		"argus ask --offline --format text \"Which port does the API use?\" # without a model\n"
		"argus ask --no-api --root ../shop \"Which web framework is used?\" # files alone\n"
		"argus ask \"How many items are there?\" > answer.json && argus verify answer.json # check it "
		"later",
	.options = options,
	.noption = AG_NELEM(options),
	.agent = &ag_agent_ask,
	.min_args = 1,
	.max_args = 10000,
	.flags = AG_COMMAND_WORDS | AG_COMMAND_ENDS_1,
	.run = run,
};
