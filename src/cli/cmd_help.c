/* argus help: pages from the tables. --generate is what tools/gen-docs calls and is listed nowhere. */
#include "cli/choices.h"

static const struct {
	const char *name;
	void (*write)(ag_buf *out);
} generated[] = {
	{ "commands", ag_help_markdown_commands },
	{ "settings", ag_help_markdown_settings },
	{ "man", ag_help_man },
	{ "bash", ag_completion_bash },
	{ "zsh", ag_completion_zsh },
	{ "fish", ag_completion_fish },
};

static const ag_option options[] = {
	{ "generate", 0, "commands|settings|man|bash|zsh|fish", NULL, NULL, NULL },
};

static int generate(ag_cli *c, ag_str what)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);

	for (size_t i = 0; i < AG_NELEM(generated); i++) {
		if (!ag_str_eqc(what, generated[i].name))
			continue;
		generated[i].write(&out);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_cli_complain(c, "--generate: want %s", options[0].arg);
	ag_cli_refused(c);
	ag_buf_release(&out);
	return AG_EXIT_USAGE;
}

static int run(ag_cli *c)
{
	ag_str topic = c->narg ? c->args[0] : AG_S("");
	const ag_command *cmd = ag_cli_find(topic);
	const char *near = ag_cli_nearest(topic);
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_paint p = ag_cli_paint(c, &out);

	if (ag_cli_has(c, "generate")) {
		ag_buf_release(&out);
		return generate(c, ag_cli_value(c, "generate"));
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
