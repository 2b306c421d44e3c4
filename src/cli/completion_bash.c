/* The completion for bash: three functions with a `case` made from the tables, and one that reads the command line. */
#include "cli/choices.h"

static void words(ag_buf *out, ag_str list)
{
	ag_buf_addf(out, " words='%.*s'", AG_FMT(list));
}

static void choices(ag_buf *out, const ag_choices *c)
{
	static const char *const kinds[] = {
		[AG_CHOICE_ANY] = "any",         [AG_CHOICE_WORDS] = "words",
		[AG_CHOICE_FILES] = "files",     [AG_CHOICE_FOLDERS] = "folders",
		[AG_CHOICE_SETTING] = "setting",
	};

	ag_buf_addf(out, " kind=%s", kinds[c->kind]);
	if (c->words.len)
		words(out, c->words);
	ag_buf_adds(out, " ;;\n");
}

static void value(ag_buf *out, const ag_command *cmd, const ag_option *o, ag_arena *arena)
{
	const char *name = cmd ? cmd->name : "*";
	ag_choices c;

	if (!o->arg)
		return;
	c = ag_choices_of_option(cmd, o, arena);
	ag_buf_addf(out, "\t%s:--%s", name, o->name);
	if (o->letter)
		ag_buf_addf(out, " | %s:-%c", name, o->letter);
	ag_buf_addc(out, ')');
	choices(out, &c);
}

static void values(ag_buf *out, ag_arena *arena)
{
	size_t n, ncommon, nsetting;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_option *common = ag_cli_common_options(&ncommon);
	const ag_setting *settings = ag_settings_table(&nsetting);
	ag_option o;

	ag_buf_adds(out, "# The value of option $2 of command $1, or of --set $2.\n"
	                 "_argus_value() {\n\tcase $1:$2 in\n");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; ag_choices_option(list[i], k, &o); k++)
			value(out, list[i], &o, arena);
	}
	for (size_t i = 0; i < nsetting; i++) {
		const ag_choices c = ag_choices_of_setting(&settings[i], arena);

		if (c.kind != AG_CHOICE_WORDS)
			continue;
		ag_buf_addf(out, "\t--set:%s)", settings[i].key);
		choices(out, &c);
	}
	for (size_t i = 0; i < ncommon; i++)
		value(out, NULL, &common[i], arena);
	ag_buf_adds(out, "\tesac\n}\n\n");
}

static void arguments(ag_buf *out, ag_arena *arena)
{
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);
	ag_choices c;

	ag_buf_adds(out, "# Argument $2 of command $1, from 0.\n"
	                 "_argus_argument() {\n\tcase $1:$2 in\n");
	for (size_t i = 0; i < n; i++) {
		const bool repeats = ag_choices_of_argument(list[i], AG_CHOICES_REPEATED, arena,
		                                            &c);

		for (size_t k = 0; repeats ? k < 1 : ag_choices_of_argument(list[i], k, arena, &c);
		     k++) {
			if (c.kind == AG_CHOICE_ANY)
				continue;
			if (repeats)
				ag_buf_addf(out, "\t%s:*)", list[i]->name);
			else
				ag_buf_addf(out, "\t%s:%zu)", list[i]->name, k);
			choices(out, &c);
		}
	}
	ag_buf_adds(out, "\tesac\n}\n\n");
}

static void options(ag_buf *out)
{
	size_t n, ncommon;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_option *common = ag_cli_common_options(&ncommon);
	ag_option o;

	ag_buf_adds(
		out,
		"# All options of command $1.\n_argus_options() {\n\tkind=words\n\tcase $1 in\n");
	for (size_t i = 0; i < n; i++) {
		if (!ag_choices_option(list[i], 0, &o))
			continue;
		ag_buf_addf(out, "\t%s) words='", list[i]->name);
		for (size_t k = 0; ag_choices_option(list[i], k, &o); k++)
			ag_buf_addf(out, "%s--%s", k ? " " : "", o.name);
		ag_buf_adds(out, "' ;;\n");
	}
	ag_buf_adds(out, "\tesac\n\twords+='");
	for (size_t i = 0; i < ncommon; i++)
		ag_buf_addf(out, " --%s", common[i].name);
	ag_buf_adds(out, "'\n}\n\n");
}

static void settings(ag_buf *out)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	ag_buf_adds(out, "_argus_settings='");
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(out, "%s%s=", i ? " " : "", t[i].key);
	ag_buf_adds(out, "'\n\n");
}

/* Bash cuts the line at "=" and ":" as well: "--color=al" is three words. Options may stand between the arguments. */
static const char reader[] =
	"# Reads the words before the cursor: sets kind and words for what the cursor is in.\n"
	"_argus_look() {\n"
	"\tlocal command=${COMP_WORDS[1]} nth=0 ended='' word i\n"
	"\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]} kind='' words=''\n"
	"\t\tif [[ -z $ended && $word == -- ]]; then\n"
	"\t\t\tended=1\n"
	"\t\telif [[ -z $ended && $word == -?* ]]; then\n"
	"\t\t\t_argus_value \"$command\" \"$word\"\n"
	"\t\t\t[[ $kind ]] || continue\n"
	"\t\t\ti=$((i + 1))\n"
	"\t\t\t[[ ${COMP_WORDS[i]} != = ]] || i=$((i + 1))\n"
	"\t\t\tif [[ $kind == setting && ${COMP_WORDS[i + 1]-} == = ]]; then\n"
	"\t\t\t\tkind=any words=''\n"
	"\t\t\t\t_argus_value --set \"${COMP_WORDS[i]}\"\n"
	"\t\t\t\ti=$((i + 2))\n"
	"\t\t\tfi\n"
	"\t\telif [[ $word != [:=] && ${COMP_WORDS[i - 1]} != [:=] ]]; then\n"
	"\t\t\tnth=$((nth + 1))\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t((i == COMP_CWORD)) || return # the cursor is in the value of an option\n"
	"\tkind='' words=''\n"
	"\tif [[ -z $ended && $cur == -* ]]; then\n"
	"\t\t_argus_options \"$command\"\n"
	"\telse\n"
	"\t\t_argus_argument \"$command\" \"$nth\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_argus() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} kind=words words\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\twords=$_argus_commands\n"
	"\telse\n"
	"\t\t_argus_look\n"
	"\tfi\n"
	"\t[[ $cur != [=:] ]] || cur=\n"
	"\tif [[ $kind == setting ]]; then\n"
	"\t\twords=$_argus_settings\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"\tcase $kind in\n"
	"\tfiles) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
	"\tfolders) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
	"\t*) return ;;\n"
	"\tesac\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"}\n"
	"\n"
	"complete -F _argus argus\n";

void ag_completion_bash(ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	const ag_str commands = ag_choices_commands(arena);

	ag_buf_adds(
		out,
		"# Completion of argus in bash, made from the command table by tools/gen-docs; do "
		"not edit.\n# shellcheck shell=bash\n\n");
	ag_buf_addf(out, "_argus_commands='%.*s --help --version'\n", AG_FMT(commands));
	settings(out);
	values(out, arena);
	arguments(out, arena);
	options(out);
	ag_buf_adds(out, reader);
	ag_arena_free(arena);
}
