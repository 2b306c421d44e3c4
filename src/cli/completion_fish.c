/* The completion for fish: one `complete` line for each command, option and argument, and three conditions. */
#include "cli/choices.h"

/* Inside single quotes: fish reads \' and \\ there. */
static void quoted(ag_buf *out, ag_str text)
{
	ag_buf_addc(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'' || text.ptr[i] == '\\')
			ag_buf_addc(out, '\\');
		ag_buf_addc(out, text.ptr[i]);
	}
	ag_buf_addc(out, '\'');
}

/* Of an option: -r needs a value, -x needs one and offers no files, -F offers files. Of an argument: -F, or nothing. */
static void choices(ag_buf *out, const ag_choices *c, bool is_option)
{
	switch (c->kind) {
	case AG_CHOICE_ANY:
	case AG_CHOICE_WORDS: ag_buf_adds(out, is_option ? " -x" : ""); break;
	case AG_CHOICE_FILES: ag_buf_adds(out, is_option ? " -r -F" : " -F"); break;
	case AG_CHOICE_FOLDERS: ag_buf_adds(out, " -x -a '(__fish_complete_directories)'"); return;
	case AG_CHOICE_SETTING: ag_buf_adds(out, " -x -a '(__argus_settings)'"); return;
	}
	if (!c->words.len)
		return;
	ag_buf_adds(out, " -a ");
	quoted(out, c->words);
}

static void option(ag_buf *out, const ag_command *cmd, const ag_option *o, ag_arena *arena)
{
	ag_buf_addf(out, "complete -c argus -n '__argus_is %s' -l %s", cmd ? cmd->name : "",
	            o->name);
	if (o->letter)
		ag_buf_addf(out, " -s %c", o->letter);
	if (o->arg) {
		const ag_choices c = ag_choices_of_option(cmd, o, arena);

		choices(out, &c, true);
	}
	ag_buf_adds(out, " -d ");
	quoted(out, ag_str_c(o->help));
	ag_buf_addc(out, '\n');
}

static void arguments(ag_buf *out, const ag_command *cmd, ag_arena *arena)
{
	ag_choices c;
	const bool repeats = ag_choices_of_argument(cmd, AG_CHOICES_REPEATED, arena, &c);

	for (size_t i = 0; repeats ? i < 1 : ag_choices_of_argument(cmd, i, arena, &c); i++) {
		if (c.kind == AG_CHOICE_ANY)
			continue;
		if (repeats)
			ag_buf_addf(out, "complete -c argus -n '__argus_is %s'", cmd->name);
		else
			ag_buf_addf(out, "complete -c argus -n '__argus_is_at %s %zu'", cmd->name,
			            i);
		choices(out, &c, false);
		ag_buf_addc(out, '\n');
	}
}

/* "audit:--seed": after it comes its value. */
static void values(ag_buf *out)
{
	size_t n, ncommon;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_option *common = ag_cli_common_options(&ncommon);
	ag_option o;

	ag_buf_adds(out, "# Does option $argv[2] of command $argv[1] take a value?\n"
	                 "function __argus_takes_value\n\tswitch \"$argv[1]:$argv[2]\"\n\t\tcase");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; ag_choices_option(list[i], k, &o); k++) {
			if (o.arg)
				ag_buf_addf(out, " %s:--%s", list[i]->name, o.name);
			if (o.arg && o.letter)
				ag_buf_addf(out, " %s:-%c", list[i]->name, o.letter);
		}
	}
	for (size_t i = 0; i < ncommon; i++) {
		if (common[i].arg)
			ag_buf_addf(out, " '*:--%s'", common[i].name);
	}
	ag_buf_adds(out, "\n\t\t\treturn 0\n\tend\n\treturn 1\nend\n\n");
}

static void settings(ag_buf *out)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	ag_buf_adds(out, "function __argus_settings\n\tprintf '%s\\n'");
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(out, " %s=", t[i].key);
	ag_buf_adds(out, "\nend\n\n");
}

static const char conditions[] =
	"# Is a command given: one of $argv, or any where none is asked for?\n"
	"function __argus_is\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest (count $words) -ge 2; or return 1\n"
	"\ttest (count $argv) -eq 0; or contains -- $words[2] $argv\n"
	"end\n"
	"\n"
	"# Is the cursor at argument $argv[2], from 0, of command $argv[1]?\n"
	"function __argus_is_at\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l nth 0\n"
	"\tset -l is_value 0\n"
	"\ttest (count $words) -ge 2; and test \"$words[2]\" = $argv[1]; or return 1\n"
	"\tfor word in $words[3..]\n"
	"\t\tif test $is_value -eq 1\n"
	"\t\t\tset is_value 0\n"
	"\t\telse if string match -q -- '-?*' $word\n"
	"\t\t\t__argus_takes_value $argv[1] $word; and set is_value 1\n"
	"\t\telse\n"
	"\t\t\tset nth (math $nth + 1)\n"
	"\t\tend\n"
	"\tend\n"
	"\ttest $is_value -eq 0; and test $nth -eq $argv[2]\n"
	"end\n"
	"\n"
	"function __argus_is_first\n"
	"\ttest (count (commandline -opc)) -eq 1\n"
	"end\n"
	"\n";

void ag_completion_fish(ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	size_t n, ncommon;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_option *common = ag_cli_common_options(&ncommon);
	ag_option o;

	ag_buf_adds(
		out,
		"# Completion of argus in fish, made from the command table by tools/gen-docs; do "
		"not edit.\n\n");
	values(out);
	settings(out);
	ag_buf_adds(out, conditions);
	ag_buf_adds(
		out,
		"complete -c argus -f\n"
		"complete -c argus -n __argus_is_first -s h -l help -d 'List the commands'\n"
		"complete -c argus -n __argus_is_first -s V -l version -d 'Print the version'\n");
	for (size_t i = 0; i < n; i++) {
		ag_buf_addf(out, "complete -c argus -n __argus_is_first -a %s -d ", list[i]->name);
		quoted(out, ag_str_c(list[i]->summary));
		ag_buf_addc(out, '\n');
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; ag_choices_option(list[i], k, &o); k++)
			option(out, list[i], &o, arena);
		arguments(out, list[i], arena);
	}
	for (size_t i = 0; i < ncommon; i++)
		option(out, NULL, &common[i], arena);
	ag_arena_free(arena);
}
