/* The completion for zsh: specifications for its function _arguments, one for each option and argument. */
#include "cli/choices.h"

/* Text inside single quotes, where [ ] and : would end a part of the specification. */
static void text(ag_buf *out, const char *cstr)
{
	for (const char *p = cstr; *p; p++) {
		if (*p == '\'') {
			ag_buf_adds(out, "'\\''");
			continue;
		}
		if (strchr("[]:\\", *p))
			ag_buf_addc(out, '\\');
		ag_buf_addc(out, *p);
	}
}

static void action(ag_buf *out, const char *label, const ag_choices *c)
{
	ag_buf_addc(out, ':');
	text(out, label);
	ag_buf_addc(out, ':');
	switch (c->kind) {
	case AG_CHOICE_ANY: ag_buf_addc(out, ' '); break;
	case AG_CHOICE_WORDS: ag_buf_addf(out, "(%.*s)", AG_FMT(c->words)); break;
	case AG_CHOICE_FILES:
		if (c->words.len)
			ag_buf_addf(out, "{compadd -- %.*s; _files}", AG_FMT(c->words));
		else
			ag_buf_adds(out, "_files");
		break;
	case AG_CHOICE_FOLDERS: ag_buf_adds(out, "_files -/"); break;
	case AG_CHOICE_SETTING: ag_buf_adds(out, "_argus_settings"); break;
	}
}

static bool repeats(const ag_option *o)
{
	const ag_str help = ag_str_c(o->help);

	return ag_str_contains(help, AG_S("repeat")) || ag_str_contains(help, AG_S("twice"));
}

static void option(ag_buf *out, const ag_command *cmd, const ag_option *o, ag_arena *arena)
{
	const char *once = repeats(o) ? "*" : "", *arg = o->arg ? "=" : "";

	ag_buf_adds(out, " \\\n\t\t\t");
	if (o->letter && once[0])
		ag_buf_addf(out, "'*'{-%c%s,--%s%s}'", o->letter, o->arg ? "+" : "", o->name, arg);
	else if (o->letter)
		ag_buf_addf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", o->letter, o->name, o->letter,
		            o->arg ? "+" : "", o->name, arg);
	else
		ag_buf_addf(out, "'%s--%s%s", once, o->name, arg);
	ag_buf_addc(out, '[');
	text(out, o->help);
	ag_buf_addc(out, ']');
	if (o->arg) {
		const ag_choices c = ag_choices_of_option(cmd, o, arena);

		action(out, o->arg, &c);
	}
	ag_buf_addc(out, '\'');
}

static void arguments(ag_buf *out, const ag_command *cmd, ag_arena *arena)
{
	ag_choices c;

	if (ag_choices_of_argument(cmd, AG_CHOICES_REPEATED, arena, &c)) {
		ag_buf_adds(out, " \\\n\t\t\t'*");
		action(out, "argument", &c);
		ag_buf_addc(out, '\'');
		return;
	}
	for (size_t i = 0; ag_choices_of_argument(cmd, i, arena, &c); i++) {
		ag_buf_addf(out, " \\\n\t\t\t'%zu", i + 1);
		action(out, "argument", &c);
		ag_buf_addc(out, '\'');
	}
}

static void command(ag_buf *out, const ag_command *cmd, ag_arena *arena)
{
	size_t ncommon;
	ag_option o;

	ag_cli_common_options(&ncommon);
	ag_buf_addf(out, "\t%s)\n\t\t_arguments -s", cmd->name);
	for (size_t i = 0; ag_choices_option(cmd, i, &o); i++)
		option(out, cmd, &o, arena);
	for (size_t i = 0; i < ncommon; i++) {
		o = ag_cli_common_option(cmd, i);
		option(out, cmd, &o, arena);
	}
	arguments(out, cmd, arena);
	ag_buf_adds(out, "\n\t\t;;\n");
}

static void names(ag_buf *out)
{
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_setting *settings;

	ag_buf_adds(out, "_argus_commands() {\n\tlocal -a commands=(\n");
	for (size_t i = 0; i < n; i++) {
		ag_buf_addf(out, "\t\t'%s:", list[i]->name);
		text(out, list[i]->summary);
		ag_buf_adds(out, "'\n");
	}
	ag_buf_adds(out, "\t)\n\t_describe command commands\n}\n\n"
	                 "_argus_settings() {\n\tcompadd -S '' --");
	settings = ag_settings_table(&n);
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(out, " %s=", settings[i].key);
	ag_buf_adds(out, "\n}\n\n");
}

void ag_completion_zsh(ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);

	ag_buf_adds(out,
	            "#compdef argus\n# Completion of argus in zsh, made from the command table by "
	            "tools/gen-docs; do not edit.\n\n");
	names(out);
	ag_buf_adds(out, "_argus() {\n"
	                 "\tlocal context state state_descr line\n"
	                 "\ttypeset -A opt_args\n\n"
	                 "\t_arguments -C \\\n"
	                 "\t\t'(- 1 *)'{-h,--help}'[list the commands]' \\\n"
	                 "\t\t'(- 1 *)'{-V,--version}'[print the version]' \\\n"
	                 "\t\t'1:command:_argus_commands' \\\n"
	                 "\t\t'*::argument:->argument' && return\n"
	                 "\t[[ $state == argument ]] || return 1\n"
	                 "\tcase $words[1] in\n");
	for (size_t i = 0; i < n; i++)
		command(out, list[i], arena);
	ag_buf_adds(out, "\tesac\n}\n\n"
	                 "if [[ $funcstack[1] == _argus ]]; then\n\t_argus \"$@\"\nelse\n"
	                 "\tcompdef _argus argus\nfi\n");
	ag_arena_free(arena);
}
