/* Help pages, printed from the tables of commands and settings: they cannot disagree with what the program
 * does. The same tables as Markdown are docs/reference/cli.md and settings.md (tools/gen-docs). */
#include "cli/cli.h"

#define MARGIN         2
#define MAX_WIDTH      90
#define LABEL_COLS     28
#define NAME_COLS      13 /* of the list of commands */
#define OVERVIEW_WIDTH 80

static const struct {
	int code;
	const char *meaning;
} exits[] = {
	{ AG_EXIT_OK, "success; also a report that is partial because its budget ran out" },
	{ AG_EXIT_FAILED, "failed; verify: something could not be checked" },
	{ AG_EXIT_USAGE, "the command line or a setting is wrong; nothing was done" },
	{ AG_EXIT_FINDINGS, "audit: findings, or gaps in what was checked, at or above --fail-on; "
	                    "verify: something got worse" },
	{ AG_EXIT_CANCELLED, "stopped by Ctrl-C; what was done is kept" },
};

bool ag_help_exit(size_t i, int *ret_code, const char **ret_meaning)
{
	if (i >= AG_NELEM(exits))
		return false;
	*ret_code = exits[i].code;
	*ret_meaning = exits[i].meaning;
	return true;
}

static void heading(ag_paint *p, const char *text)
{
	ag_paint_nl(p);
	ag_paint_lit(p, AG_INK_BOLD, text);
	ag_paint_nl(p);
}

static void row(ag_paint *p, ag_str label, size_t columns, ag_str text)
{
	ag_paint_to(p, MARGIN);
	ag_paint_text(p, AG_INK_CYAN, label);
	if (p->col + 2 > MARGIN + columns)
		ag_paint_nl(p);
	ag_paint_to(p, MARGIN + columns);
	ag_paint_wrap(p, AG_INK_PLAIN, MARGIN + columns, text);
	ag_paint_nl(p);
}

static void narrow(ag_paint *p)
{
	if (p->width > MAX_WIDTH)
		p->width = MAX_WIDTH;
}

/* "-o, --output FORMAT" */
static void option_label(const ag_option *o, ag_buf *out)
{
	if (o->letter)
		ag_buf_addf(out, "-%c, ", o->letter);
	ag_buf_addf(out, "--%s", o->name);
	if (o->arg)
		ag_buf_addf(out, " %s", o->arg);
}

static void option(ag_paint *p, const ag_option *o)
{
	ag_buf label = AG_BUF_INIT(256);

	if (!o->help)
		return;
	option_label(o, &label);
	row(p, ag_buf_view(&label), LABEL_COLS, ag_str_c(o->help));
	ag_buf_release(&label);
}

/* The first option that has no help stands for all of its command. */
static bool has_options(const ag_command *cmd)
{
	ag_option o;

	return ag_cli_option(cmd, 0, &o) && o.help;
}

static void paragraphs(ag_paint *p, const char *text)
{
	ag_str rest = ag_str_c(text);

	while (rest.len) {
		ag_str line = ag_str_split(&rest, '\n');

		ag_paint_wrap(p, AG_INK_PLAIN, 0, line);
		ag_paint_nl(p);
	}
}

/* "line # what": the comment in a second row of its own ink. */
static void examples(ag_paint *p, const char *text)
{
	ag_str rest = ag_str_c(text);

	while (rest.len) {
		ag_str line = ag_str_split(&rest, '\n'), code = line;
		size_t i = 0;

		while (i + 1 < line.len && !(line.ptr[i] == ' ' && line.ptr[i + 1] == '#'))
			i++;
		if (i + 1 < line.len)
			code = ag_str_make(line.ptr, i);
		ag_paint_to(p, MARGIN);
		ag_paint_text(p, AG_INK_CYAN, code);
		ag_paint_nl(p);
		if (code.len == line.len)
			continue;
		ag_paint_to(p, MARGIN + 4);
		ag_paint_wrap(p, AG_INK_DIM, MARGIN + 4,
		              ag_str_make(line.ptr + i + 3, line.len - i - 3));
		ag_paint_nl(p);
	}
}

void ag_help_command(const ag_command *cmd, ag_paint *p)
{
	size_t n;
	ag_option o;

	ag_cli_common_options(&n);
	narrow(p);
	ag_paint_textf(p, AG_INK_BOLD, "argus %s %s", cmd->name, cmd->usage);
	ag_paint_nl(p);
	ag_paint_nl(p);
	paragraphs(p, cmd->about);
	if (cmd->examples) {
		heading(p, "Examples");
		examples(p, cmd->examples);
	}
	if (has_options(cmd))
		heading(p, "Options");
	for (size_t i = 0; has_options(cmd) && ag_cli_option(cmd, i, &o); i++)
		option(p, &o);
	heading(p, "Common options");
	for (size_t i = 0; i < n; i++) {
		o = ag_cli_common_option(cmd, i);
		option(p, &o);
	}
	heading(p, "Exit codes");
	for (size_t i = 0; i < AG_NELEM(exits); i++) {
		ag_paint_textf(p, AG_INK_CYAN, "  %3d", exits[i].code);
		ag_paint_to(p, MARGIN + 6);
		ag_paint_wrap(p, AG_INK_PLAIN, MARGIN + 6, ag_str_c(exits[i].meaning));
		ag_paint_nl(p);
	}
}

static const char *const groups[AG_GROUP_END] = {
	[AG_GROUP_CHECK] = "Check data",
	[AG_GROUP_LOOK] = "Look at data",
	[AG_GROUP_ASK] = "Ask",
	[AG_GROUP_RUNS] = "Runs and findings",
	[AG_GROUP_SERVE] = "Serve to agents",
	[AG_GROUP_SET_UP] = "Set up",
};

const char *ag_help_group(ag_command_group group)
{
	return groups[group];
}

void ag_help_overview(ag_paint *p)
{
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);

	if (p->width > OVERVIEW_WIDTH)
		p->width = OVERVIEW_WIDTH;
	ag_paint_lit(p, AG_INK_BOLD, "argus COMMAND [options]");
	ag_paint_nl(p);
	ag_paint_nl(p);
	paragraphs(p,
	           "Finds data-quality problems in document collections, with evidence that can be "
	           "run again.");
	for (int group = AG_GROUP_CHECK; group < AG_GROUP_END; group++) {
		heading(p, groups[group]);
		for (size_t i = 0; i < n; i++) {
			if ((int)list[i]->group == group)
				row(p, ag_str_c(list[i]->name), NAME_COLS,
				    ag_str_c(list[i]->summary));
		}
	}
	heading(p, "Start here");
	row(p, AG_S("argus audit orders.ndjson"), LABEL_COLS,
	    AG_S("NDJSON, JSON, BSON, CSV, TSV, or a folder"));
	row(p, AG_S("argus help audit"), LABEL_COLS, AG_S("options and examples of a command"));
	row(p, AG_S("argus help settings"), LABEL_COLS,
	    AG_S("everything that " AG_CONFIG_NAME " can set"));
}

/* --- settings --- */

static void setting_row(const ag_setting *s, ag_paint *p)
{
	ag_buf text = AG_BUF_INIT(4096);

	ag_buf_addf(&text, "%s (", s->help);
	ag_setting_wants(s, &text);
	ag_buf_addf(&text, "; default %s)", s->fallback);
	row(p, ag_str_c(s->key), 30, ag_buf_view(&text));
	ag_buf_release(&text);
}

void ag_help_settings(ag_paint *p)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	const char *group = NULL;

	narrow(p);
	paragraphs(
		p,
		"Settings come from, the later the stronger: the defaults, " AG_CONFIG_NAME
		" of the current folder (or --config FILE), .env.docker.secret and .env.agent.secret,"
		" the environment (ARGUS_ and the key in capitals), options.");
	for (size_t i = 0; i < n; i++) {
		if (!group || strcmp(group, t[i].group) != 0) {
			ag_buf head = AG_BUF_INIT(256);

			group = t[i].group;
			ag_buf_addf(&head, "%s%s", group[0] ? group : "at the top",
			            group[0] ? ":" : "");
			heading(p, head.ptr);
			ag_buf_release(&head);
		}
		setting_row(&t[i], p);
	}
	t = ag_settings_model_table(&n);
	heading(p, "models:, NAME:");
	for (size_t i = 0; i < n; i++)
		setting_row(&t[i], p);
}

/* --- Markdown --- */

static void cell(ag_buf *out, ag_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '|')
			ag_buf_adds(out, "\\|");
		else
			ag_buf_addc(out, text.ptr[i]);
	}
}

static const char markdown_head[] = "| option | meaning |\n|---|---|\n";

static void markdown_option(ag_buf *out, const ag_option *o)
{
	ag_buf label = AG_BUF_INIT(256);

	if (!o->help)
		return;
	option_label(o, &label);
	ag_buf_adds(out, "| `");
	cell(out, ag_buf_view(&label));
	ag_buf_adds(out, "` | ");
	cell(out, ag_str_c(o->help));
	ag_buf_adds(out, " |\n");
	ag_buf_release(&label);
}

static void markdown_command(const ag_command *cmd, ag_buf *out)
{
	ag_option o;

	ag_buf_addf(out, "## argus %s\n\n%s.\n\n```\nargus %s %s\n```\n\n", cmd->name, cmd->summary,
	            cmd->name, cmd->usage);
	ag_buf_addf(out, "%s\n\n", cmd->about);
	if (cmd->examples)
		ag_buf_addf(out, "```\n%s\n```\n\n", cmd->examples);
	if (!has_options(cmd))
		return;
	ag_buf_adds(out, markdown_head);
	for (size_t i = 0; ag_cli_option(cmd, i, &o); i++)
		markdown_option(out, &o);
	ag_buf_addc(out, '\n');
}

void ag_help_markdown_commands(ag_buf *out)
{
	size_t n, ncommon;
	const ag_command *const *list = ag_cli_commands(&n);
	const ag_option *common = ag_cli_common_options(&ncommon);

	ag_buf_adds(
		out,
		"# The command line\n\nMade from the command table by `tools/gen-docs`; do not edit.\n\n");
	ag_buf_adds(
		out,
		"Options and arguments may stand in any order. `--option VALUE` and `--option=VALUE` mean "
		"the same; `--` ends the options.\n\n");
	for (size_t i = 0; i < n; i++)
		markdown_command(list[i], out);
	ag_buf_adds(out, "## Common options\n\n");
	ag_buf_adds(out, markdown_head);
	for (size_t i = 0; i < ncommon; i++)
		markdown_option(out, &common[i]);
	ag_buf_addc(out, '\n');
	ag_buf_adds(out, "## Exit codes\n\n| code | meaning |\n|---|---|\n");
	for (size_t i = 0; i < AG_NELEM(exits); i++)
		ag_buf_addf(out, "| %d | %s |\n", exits[i].code, exits[i].meaning);
}

static void markdown_models(ag_buf *out)
{
	size_t n;
	const ag_setting *t = ag_settings_model_table(&n);

	ag_buf_adds(
		out,
		"\n## models:\n\nEach entry has a name of its own, which `--model`, `model`, `self_model` and "
		"`judge_model` take. `argus models` lists them and asks each server whether it is there.\n\n"
		"```yaml\nmodels:\n  local:\n    base_url: http://127.0.0.1:8080\n    model: qwen3-8b\n"
		"  judge:\n    provider: anthropic\n    model: claude-sonnet-4-5\naudit:\n  planner: llm\n"
		"  model: local\n  judge_model: judge\n```\n\n"
		"Without an entry, models come from the environment or the `.env` files: `env` of `LLM_API_BASE` (or "
		"`LLM_API_BASE_URL`), `LLM_API_KEY`, `LLM_MODEL` (or `LLM_API_MODEL`); `anthropic` of "
		"`ANTHROPIC_API_KEY`, `openai` of `OPENAI_API_KEY`, `gemini` of `GEMINI_API_KEY` (with `…_MODEL` "
		"to choose one). The default is the one called `default`, then `env`, then the first.\n\n"
		"A key is never written into a file of settings, and is sent to its own address only. An `argus.yaml` "
		"that was found in the current folder may send a variable elsewhere only if its name begins with "
		"`ARGUS_`; one that was named by `--config` may use any.\n\n"
		"| key | value | default | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < n; i++) {
		ag_buf_addf(out, "| `%s` | ", t[i].key);
		ag_setting_wants(&t[i], out);
		ag_buf_addf(out, " | `%s` | ", t[i].fallback);
		cell(out, ag_str_c(t[i].help));
		ag_buf_adds(out, " |\n");
	}
}

static void markdown_ignore(ag_buf *out)
{
	ag_buf_adds(
		out,
		"\n## ignore:\n\nFindings that a team has decided to live with. They stay in the JSON report, marked as "
		"`set_aside`, but do not count for `--fail-on` and are not listed; `argus show RUN --set-aside` lists "
		"them.\n\n"
		"```yaml\nignore:\n  - source: customers.json\n    path: middleName\n    category: null_rate\n"
		"    reason: optional since 2024\n    until: 2026-12-31\n```\n\n"
		"| key | value | default | meaning |\n|---|---|---|---|\n"
		"| `source` | text | `*` | The source as it is named, its collection, or the end of its path. |\n"
		"| `path` | text | `*` | The path of the field, exactly. |\n"
		"| `category` | text | `*` | The category of the finding, or a synonym of it. |\n"
		"| `reason` | text | | Required: the report shows it. |\n"
		"| `until` | day | none | The last day, against `as_of`. After it the finding counts again and says that the "
		"row has expired. |\n\n"
		"A row gives at least one of the first three. A row about a source that matches no finding of a run is noted "
		"in its report: it can be removed.\n");
}

void ag_help_markdown_settings(ag_buf *out)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	const char *group = NULL;

	ag_buf_adds(
		out,
		"# Settings\n\nMade from the settings table by `tools/gen-docs`; do not edit.\n\n"
		"A value comes from the first of these that has it: an option of the command line, the "
		"environment, `.env.agent.secret`, `.env.docker.secret`, `argus.yaml` in the current "
		"folder (or `--config FILE`), the default. `argus doctor` shows where each one came "
		"from. Further names: `NO_COLOR` and `CLICOLOR_FORCE` (colours: see `color`), `XDG_STATE_HOME` (where the store is by "
		"default).\n\n```yaml\nthreads: 4\naudit:\n  seed: 7\n  fail_on: high\n```\n");
	for (size_t i = 0; i < n; i++) {
		char env[AG_SETTING_ENV_MAX];

		ag_setting_env(&t[i], env);
		if (!group || strcmp(group, t[i].group) != 0) {
			group = t[i].group;
			ag_buf_addf(
				out,
				"\n## %s%s\n\n| key | value | default | environment | meaning |\n"
				"|---|---|---|---|---|\n",
				group[0] ? group : "At the top", group[0] ? ":" : "");
		}
		ag_buf_addf(out, "| `%s` | ", t[i].key);
		ag_setting_wants(&t[i], out);
		ag_buf_addf(out, " | `%s` | `%s` | ", t[i].fallback, env);
		cell(out, ag_str_c(t[i].help));
		ag_buf_adds(out, " |\n");
	}
	markdown_models(out);
	markdown_ignore(out);
}
