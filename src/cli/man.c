/* The manual page argus(1), from the tables of commands and settings, in the macros of man(7). */
#include "cli/cli.h"

#include "base/utf8.h"

#define FILL_COLS 76 /* lines of the source are broken at the first blank after it */

typedef struct page {
	ag_buf *out;
	size_t col;   /* in the line of the source, near enough */
	bool is_bold; /* between two backticks */
} page;

static void character(page *p, uint32_t c)
{
	/* A line that begins with one of these would be a request. */
	if (!p->col && (c == '.' || c == '\''))
		ag_buf_adds(p->out, "\\&");
	if (c == '\\')
		ag_buf_adds(p->out, "\\e");
	else if (c == '-')
		ag_buf_adds(p->out, "\\-");
	else if (c == '\'')
		ag_buf_adds(p->out, "\\(aq");
	else if (c == '"')
		ag_buf_adds(p->out, "\\(dq");
	else if (c == '`')
		ag_buf_adds(p->out, "\\(ga");
	else if (c == '^')
		ag_buf_adds(p->out, "\\(ha");
	else if (c == '~')
		ag_buf_adds(p->out, "\\(ti");
	else if (c < 0x7F)
		ag_buf_addc(p->out, (char)c);
	else
		ag_buf_addf(p->out, "\\[u%04X]", (unsigned)c);
	p->col++;
}

static void line_end(page *p)
{
	if (p->col)
		ag_buf_addc(p->out, '\n');
	p->col = 0;
}

/* As it is, on one line. */
static void verbatim(page *p, ag_str text)
{
	for (size_t pos = 0; pos < text.len;)
		character(p, ag_utf8_next(text, &pos));
}

/* Filled by the formatter; what is between backticks is bold. */
static void prose(page *p, ag_str text)
{
	for (size_t pos = 0; pos < text.len;) {
		const uint32_t c = ag_utf8_next(text, &pos);

		if (c == '`') {
			p->is_bold = !p->is_bold;
			ag_buf_adds(p->out, p->is_bold ? "\\fB" : "\\fR");
			p->col += 3;
		} else if (c == ' ' && p->col >= FILL_COLS) {
			line_end(p);
		} else if (c != ' ' || p->col) {
			character(p, c);
		}
	}
	if (p->is_bold)
		ag_buf_adds(p->out, "\\fR");
	p->is_bold = false;
	line_end(p);
}

static void paragraphs(page *p, const char *text)
{
	ag_str rest = ag_str_c(text);
	bool is_first = true;

	while (rest.len) {
		const ag_str line = ag_str_split(&rest, '\n');

		if (!line.len)
			continue;
		ag_buf_adds(p->out, is_first ? "" : ".PP\n");
		prose(p, line);
		is_first = false;
	}
}

/* A term in bold and what it means, in a column of its own if the term is short. */
static void item(page *p, ag_str term, ag_str meaning)
{
	ag_buf_adds(p->out, ".TP 11\n\\fB");
	p->col = 1;
	verbatim(p, term);
	ag_buf_adds(p->out, "\\fR");
	line_end(p);
	prose(p, meaning);
}

static void option(page *p, const ag_option *o)
{
	ag_buf_adds(p->out, ".TP\n");
	if (o->letter)
		ag_buf_addf(p->out, "\\fB\\-%c\\fR, ", o->letter);
	ag_buf_adds(p->out, "\\fB\\-\\-");
	p->col = 1;
	verbatim(p, ag_str_c(o->name));
	ag_buf_adds(p->out, "\\fR");
	if (o->arg) {
		ag_buf_adds(p->out, " \\fI");
		verbatim(p, ag_str_c(o->arg));
		ag_buf_adds(p->out, "\\fR");
	}
	line_end(p);
	prose(p, ag_str_c(o->help));
}

static void examples(page *p, const char *text)
{
	ag_buf_adds(p->out, ".PP\n.EX\n");
	for (ag_str rest = ag_str_c(text); rest.len;) {
		verbatim(p, ag_str_split(&rest, '\n'));
		line_end(p);
	}
	ag_buf_adds(p->out, ".EE\n");
}

static void command(page *p, const ag_command *cmd)
{
	ag_option o;

	ag_buf_adds(p->out, ".SS \"argus ");
	p->col = 1;
	verbatim(p, ag_str_c(cmd->name));
	if (cmd->usage[0]) {
		ag_buf_addc(p->out, ' ');
		verbatim(p, ag_str_c(cmd->usage));
	}
	ag_buf_addc(p->out, '"');
	line_end(p);
	verbatim(p, ag_str_c(cmd->summary));
	ag_buf_adds(p->out, ".\n.PP\n");
	p->col = 0;
	paragraphs(p, cmd->about);
	if (cmd->examples)
		examples(p, cmd->examples);
	for (size_t i = 0; ag_cli_option(cmd, i, &o); i++) {
		if (o.help)
			option(p, &o);
	}
}

static void overview(page *p)
{
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);

	for (int group = AG_GROUP_CHECK; group < AG_GROUP_END; group++) {
		ag_buf_addf(p->out, ".SS \"%s\"\n", ag_help_group((ag_command_group)group));
		for (size_t i = 0; i < n; i++) {
			if ((int)list[i]->group == group)
				item(p, ag_str_c(list[i]->name), ag_str_c(list[i]->summary));
		}
	}
}

static void environment(page *p)
{
	ag_buf_adds(p->out, ".SH ENVIRONMENT\n");
	item(p, AG_S("ARGUS_KEY"),
	     AG_S("Any setting: ARGUS_ and its key in capitals. `argus help settings` lists the "
	          "settings."));
	item(p, AG_S("NO_COLOR, CLICOLOR_FORCE"),
	     AG_S("No colours, or colours without a terminal, unless `--color` or the setting "
	          "`color` says always or never. NO_COLOR wins over CLICOLOR_FORCE."));
	item(p, AG_S("XDG_STATE_HOME"),
	     AG_S("The store is argus/argus.db below this folder; without it, below "
	          "~/.local/state."));
	item(p, AG_S("LLM_API_BASE, LLM_API_KEY, LLM_MODEL"),
	     AG_S("A model that speaks the OpenAI chat API. `argus models` shows what is used."));
	ag_buf_adds(p->out, ".SH FILES\n");
	item(p, AG_S(AG_CONFIG_NAME), AG_S("Settings, in the current folder; or --config FILE."));
	item(p, AG_S(".env.agent.secret, .env.docker.secret, .env"),
	     AG_S("Variables that the environment does not have, in the current folder."));
}

void ag_help_man(ag_buf *out)
{
	page p = { .out = out };
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_option *common;
	const char *meaning;
	int code;

	ag_buf_adds(
		out,
		".\\\" Made from the command table by tools/gen-docs; do not edit.\n"
		".TH ARGUS 1 \"\" \"Argus " AG_VERSION "\" \"User Commands\"\n"
		/* Ragged right: commands are read and searched, and filled lines have double blanks. */
		".ad l\n.nh\n"
		".SH NAME\nargus \\- find data\\-quality problems in document collections\n"
		".SH SYNOPSIS\n\\fBargus\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n"
		"\\fBargus help\\fR [\\fICOMMAND\\fR | \\fBsettings\\fR]\n.SH DESCRIPTION\n");
	prose(&p,
	      AG_S("Argus finds data-quality problems in document collections, with evidence that can be "
	           "run again. Options and arguments may stand in any order. `--option VALUE` and "
	           "`--option=VALUE` mean the same; `--` ends the options."));
	overview(&p);
	ag_buf_adds(out, ".SH COMMANDS\n");
	for (size_t i = 0; i < n; i++)
		command(&p, list[i]);
	ag_buf_adds(out, ".SH \"COMMON OPTIONS\"\n");
	common = ag_cli_common_options(&n);
	for (size_t i = 0; i < n; i++)
		option(&p, &common[i]);
	ag_buf_adds(out, ".SH \"EXIT STATUS\"\n");
	for (size_t i = 0; ag_help_exit(i, &code, &meaning); i++) {
		ag_buf_addf(out, ".TP\n\\fB%d\\fR\n", code);
		prose(&p, ag_str_c(meaning));
	}
	environment(&p);
}
