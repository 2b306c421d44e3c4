/* argus replay: a run once more, from its log alone, and is its report what the log gives? */
#include "audit/replay.h"
#include "cli/cli.h"
#include "cli/past.h"

static const ag_option options[] = {
	{ .setting = "output_format", .help = "text, or json: one event a line (docs/events.md)" },
	{ .setting = "show_values" },
	{ .setting = "store" },
};

static bool print(ag_cli *c, ag_buf *out)
{
	return ag_cli_finish(c, out, AG_EXIT_OK) == AG_EXIT_OK;
}

static bool event_json(ag_cli *c, const ag_event *ev)
{
	ag_buf line = AG_BUF_INIT(AG_LIMIT_OUTPUT), out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_event_json(ev, &line);
	ag_paint_escape(&out, ag_buf_view(&line), true, false);
	ag_buf_addc(&out, '\n');
	ag_buf_release(&line);
	return print(c, &out);
}

static bool event_text(ag_cli *c, const ag_replay *r)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	ag_replay_text(r, &p);
	return print(c, &out);
}

static ag_status show_all(ag_cli *c, ag_replay *r, bool *ret_printed, ag_err *err)
{
	bool more = true;

	*ret_printed = true;
	while (*ret_printed && !ag_signals_cancelled()) {
		ag_event ev;
		ag_status st = ag_replay_next(r, &ev, &more, err);

		if (st || !more)
			return st;
		*ret_printed = ag_cli_is_json(c) ? event_json(c, &ev) : event_text(c, r);
	}
	if (ag_signals_cancelled())
		return ag_fail(err, AG_CANCELLED, "cli.replay", "stopped by the user");
	return AG_OK;
}

static int run(ag_cli *c)
{
	ag_err err = { 0 };
	ag_store *store;
	ag_run_row row;
	ag_replay r;
	bool printed;
	ag_status st;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_past_audit(c, store, c->args[0], &row, &err) ||
	    ag_replay_open(store, &row, c->app.settings.audit.show_values, c->app.arena, &r,
	                   &err) ||
	    show_all(c, &r, &printed, &err))
		return ag_cli_fail(c, &err);
	if (!printed)
		return AG_EXIT_FAILED;
	st = ag_replay_check(&r, store, &row, &err);
	if (st == AG_NOT_FOUND) {
		ag_cli_note(c, "the run has no report yet: `argus resume %s` goes on", row.id.text);
		return AG_EXIT_OK;
	}
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu events; the stored report is what they give, byte for byte", r.n);
	return AG_EXIT_OK;
}

const ag_command ag_cmd_replay = {
	.name = "replay",
	.summary = "Go through a run again, from its log",
	.group = AG_GROUP_RUNS,
	.usage = "RUN [options]",
	.about =
		"RUN is an id of `argus runs`, the beginning of one, or \"last\". Every step as it happened: what "
		"was proposed, who judged it, and the result. No model is asked and no data is read.\n\n"
		"The report is made again from the log and compared with the stored one, byte for byte; exit code "
		"1 when they differ.",
	.examples = "argus replay last # step by step\n"
		    "argus replay last --output json # the log, one event a line",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
