/* argus show: the report of an earlier run, as text or as it is stored. */
#include "ask/answer.h"
#include "cli/chat_show.h"
#include "cli/report_out.h"
#include "query/extjson.h"

static const ag_option options[] = {
	AG_REPORT_DETAILS_OPTION,
	{ "trace", 0, NULL, NULL, NULL, "every step: what was tried, why, and the result" },
	{ "set-aside", 0, NULL, NULL, NULL,
	  "findings that do not count as well: marked as false positives, or ignored" },
	AG_REPORT_FORMAT_OPTION,
	{ .setting = "store" },
};

static int show_answer(ag_cli *c, const ag_val *v)
{
	ag_buf text = AG_BUF_INIT(AG_LIMIT_OUTPUT), out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_err err = { 0 };
	ag_answer a;

	if (ag_answer_read(v, c->app.arena, &a, &err))
		return ag_cli_fail(c, &err);
	ag_answer_markdown(&a, &text);
	ag_paint_escape(&out, ag_buf_view(&text), c->term.utf8, true);
	out.failed = out.failed || text.failed;
	ag_buf_release(&text);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* A turn of a conversation is shown from its log. */
static int show_turn(ag_cli *c, ag_str turn)
{
	ag_analyst_state s;
	ag_err err = { 0 };
	ag_id id;

	if (!ag_id_parse(turn, &id))
		AG_IGNORE(ag_fail(&err, AG_INVALID, "cli.show", "the run does not name its turn"),
		          "it is the error");
	else if (!ag_analyst_read_turn(c->app.store, &id, c->app.arena, &s, &err))
		return ag_chat_show_turn(c, &s) ? AG_EXIT_OK : AG_EXIT_FAILED;
	return ag_cli_fail(c, &err);
}

static bool is_turn(const ag_val *v)
{
	return ag_str_eqc(ag_val_member_str(v, "agent"), ag_agent_analyst.name);
}

static int run(ag_cli *c)
{
	const ag_extjson_opts read = { .typed = true };
	ag_report_look look = { .width = c->term.width,
		                .colour = c->term.colour,
		                .utf8 = c->term.utf8,
		                .details = ag_cli_has(c, "details"),
		                .trace = ag_cli_has(c, "trace"),
		                .set_aside = ag_cli_has(c, "set-aside"),
		                .remembered = true };
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_err err = { 0 };
	ag_str report;
	ag_val v;

	if (ag_app_report(&c->app, c->args[0], &report, &err)) {
		if (err.status == AG_NOT_FOUND && !err.hint[0])
			AG_IGNORE(ag_err_hint(&err, "`argus runs` lists the runs that are kept"),
			          "told in the next line");
		return ag_cli_fail(c, &err);
	}
	if (ag_cli_is_json(c))
		return ag_cli_print_json(c, report) ? AG_EXIT_OK : AG_EXIT_FAILED;
	if (ag_extjson_parse(report, &read, c->app.arena, &v, NULL, NULL, &err))
		return ag_cli_fail(c, &err);
	if ((ag_answer_is(&v) || is_turn(&v)) && ag_report_out_is_format(c)) {
		AG_IGNORE(ag_fail(&err, AG_INVALID, "cli.show",
		                  "the run is an answer, no audit: --output text or json"),
		          "it is the error");
		return ag_cli_fail(c, &err);
	}
	if (is_turn(&v))
		return show_turn(c, ag_val_member_str(&v, "turn"));
	if (ag_answer_is(&v))
		return show_answer(c, &v);
	if (ag_report_out_is_format(c))
		ag_report_out_format(c, &v, &out);
	else
		ag_report_text(&v, &look, &out);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

const ag_command ag_cmd_show = {
	.name = "show",
	.summary = "Show the report or the answer of an earlier run",
	.group = AG_GROUP_RUNS,
	.usage = "RUN [options]",
	.about = "RUN is an id of `argus runs`, the beginning of one, or \"last\".",
	.examples = "argus show last # the newest run on one screen\n"
		    "argus show last --details # with evidence, examples, causes and repairs\n"
		    "argus show 01989c6e --trace # how it got there",
	.options = options,
	.noption = AG_NELEM(options),
	.flags = AG_COMMAND_REPORTS,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
