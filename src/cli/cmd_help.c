/* argus help: pages from the tables. --markdown is what tools/gen-docs calls and is listed nowhere. */
#include "cli/cli.h"

static const ag_option options[] = {
	{ "markdown", 0, "settings|commands", NULL, NULL, NULL },
};

static int markdown(ag_cli *c, ag_str what)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);

	if (ag_str_eqc(what, "settings"))
		ag_help_markdown_settings(&out);
	else if (ag_str_eqc(what, "commands"))
		ag_help_markdown_commands(&out);
	else
		ag_cli_complain(c, "--markdown: want settings or commands");
	if (ag_cli_refused(c)) {
		ag_buf_release(&out);
		return AG_EXIT_USAGE;
	}
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	ag_str topic = c->narg ? c->args[0] : AG_S("");
	const ag_command *cmd = ag_cli_find(topic);
	const char *near = ag_cli_nearest(topic);
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_paint p = ag_cli_paint(c, &out);

	if (ag_cli_has(c, "markdown")) {
		ag_buf_release(&out);
		return markdown(c, ag_cli_value(c, "markdown"));
	}
	if (!topic.len)
		ag_help_overview(&p);
	else if (ag_str_eqc(topic, "settings"))
		ag_help_settings(&p);
	else if (cmd)
		ag_help_command(cmd, &p);
	else
		ag_cli_complain(c, "no help on \"%.*s\"%s%s%s",
		                (int)(topic.len < 60 ? topic.len : 60), topic.ptr,
		                near ? "; did you mean \"" : "", near ? near : "",
		                near ? "\"?" : "");
	if (ag_cli_refused(c)) {
		ag_buf_release(&out);
		return AG_EXIT_USAGE;
	}
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

const ag_command ag_cmd_help = {
	.name = "help",
	.summary = "Explain a command, or the settings",
	.group = AG_GROUP_SET_UP,
	.usage = "[COMMAND | settings]",
	.about =
		"Without an argument: the list of commands. `argus help COMMAND` is the same as `argus COMMAND --help`.",
	.options = options,
	.noption = AG_NELEM(options),
	.max_args = 1,
	.flags = AG_COMMAND_BARE,
	.run = run,
};
