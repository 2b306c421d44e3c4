/* The command table, and what every command has in common: arguments, settings, log, exit code.
 *
 * Read run_command(): parse all of the command line, load settings, apply options, tell every complaint at
 * once, then run. */
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

#include "app/file.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/memory.h"

/* In the order of the list of commands and of docs/reference/cli.md. */
static const ag_command *const commands[] = {
	&ag_cmd_audit,   &ag_cmd_verify,   &ag_cmd_repair,   &ag_cmd_inspect,   &ag_cmd_query,
	&ag_cmd_ask,     &ag_cmd_chat,     &ag_cmd_prompt,   &ag_cmd_knowledge, &ag_cmd_learnings,
	&ag_cmd_recipe,  &ag_cmd_artifact, &ag_cmd_eval,     &ag_cmd_runs,      &ag_cmd_show,
	&ag_cmd_resume,  &ag_cmd_replay,   &ag_cmd_diff,     &ag_cmd_export,    &ag_cmd_history,
	&ag_cmd_review,  &ag_cmd_rate,     &ag_cmd_purge,    &ag_cmd_mcp,       &ag_cmd_serve,
	&ag_cmd_project, &ag_cmd_token,    &ag_cmd_user,     &ag_cmd_log,       &ag_cmd_guard,
	&ag_cmd_worker,  &ag_cmd_jobs,     &ag_cmd_schedule, &ag_cmd_store,     &ag_cmd_init,
	&ag_cmd_import,  &ag_cmd_doctor,   &ag_cmd_models,   &ag_cmd_accounts,  &ag_cmd_auth_status,
	&ag_cmd_help,    &ag_cmd_version,
};

const ag_command *const *ag_cli_commands(size_t *ret_n)
{
	*ret_n = AG_NELEM(commands);
	return commands;
}

const ag_command *ag_cli_find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(commands); i++) {
		if (ag_str_eqc(name, commands[i]->name))
			return commands[i];
	}
	return NULL;
}

const char *ag_cli_nearest(ag_str name)
{
	const char *names[AG_NELEM(commands)];

	for (size_t i = 0; i < AG_NELEM(commands); i++)
		names[i] = commands[i]->name;
	return ag_str_nearest(name, names, AG_NELEM(commands));
}

/* --- settings --- */

static void complain_err(ag_cli *c, const ag_err *err)
{
	ag_cli_complain(c, "%s%s%s", err->msg, err->hint[0] ? "; " : "", err->hint);
}

static void apply_options(ag_cli *c)
{
	ag_err err = { 0 };

	for (size_t i = 0; i < c->nset; i++) {
		if (ag_settings_set(&c->app.settings, c->sets[i].row, c->sets[i].text,
		                    AG_PLACE_FLAG, ag_str_c(c->sets[i].where), c->app.arena, &err))
			complain_err(c, &err);
	}
}

/* Help pages and errors in settings have colours, too: look at the environment and the options before any file is read.
 * Reading the settings reports a value that is wrong. */
static void choose_color_early(ag_cli *c)
{
	const int row = ag_settings_find(AG_S("color"));
	char name[AG_SETTING_ENV_MAX];
	ag_str value;
	ag_err err;

	ag_setting_env(&ag_settings_table(&(size_t){ 0 })[row], name);
	value = ag_str_c(getenv(name));
	if (value.len)
		AG_IGNORE(ag_settings_set(&c->app.settings, row, value, AG_PLACE_ENV,
		                          ag_str_c(name), c->app.arena, &err),
		          "reported when the settings are read");
	for (size_t i = 0; i < c->nset; i++) {
		if (c->sets[i].row == row)
			AG_IGNORE(ag_settings_set(&c->app.settings, row, c->sets[i].text,
			                          AG_PLACE_FLAG, ag_str_c(c->sets[i].where),
			                          c->app.arena, &err),
			          "reported when the options are applied");
	}
	ag_term_choose_color(&c->term, (ag_color)c->app.settings.color);
}

bool ag_cli_takes_format(const ag_command *cmd, ag_output_format format)
{
	const unsigned needs = format == AG_OUTPUT_SILENT  ? AG_COMMAND_SILENT
	                       : format > AG_OUTPUT_SILENT ? AG_COMMAND_REPORTS
	                                                   : 0;

	if (format == AG_OUTPUT_HTML && (cmd->flags & AG_COMMAND_PAGE))
		return true;
	return (cmd->flags & needs) == needs;
}

static void check_format(ag_cli *c)
{
	if (ag_cli_takes_format(c->command, (ag_output_format)c->app.settings.output_format))
		return;
	/* From a flag it is a mistake; as a general habit it means nothing here. */
	if (c->app.settings.place[ag_settings_find(AG_S("output_format"))] == AG_PLACE_FLAG)
		ag_cli_complain(c, "--output: argus %s prints text or json%s", c->command->name,
		                c->command->flags & AG_COMMAND_REPORTS  ? ", or a format of reports"
		                : c->command->flags & AG_COMMAND_PAGE   ? ", or a page: html"
		                : c->command->flags & AG_COMMAND_SILENT ? ", or is silent"
		                                                        : "");
	c->app.settings.output_format = AG_OUTPUT_TEXT;
}

void ag_cli_setup_log(ag_cli *c)
{
	const ag_settings *s = &c->app.settings;
	int level = s->log_level, verbose = 0;
	size_t n;
	const ag_option *o = ag_cli_common_options(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(o[i].name, "verbose") == 0)
			verbose = (int)c->times[ag_cli_noption(c->command) + i];
	}
	if (verbose && level < AG_LOG_INFO + 1)
		level = AG_LOG_INFO + 1;
	if (verbose > 1)
		level = AG_LOG_DEBUG + 1;
	c->logs = level > 0;
	ag_log_setup(level ? STDERR_FILENO : -1, (ag_log_level)(level ? level - 1 : 0),
	             (ag_log_format)s->log_format);
}

/* Files, environment and options, checked as a whole. Complaints are collected. */
static ag_status load(ag_cli *c, char *const *env, ag_err *err)
{
	bool explains = c->command->flags & AG_COMMAND_EXPLAINS;
	ag_status st = ag_app_load(&c->app, ag_cli_value(c, "config"), env, err);

	if (st == AG_CANCELLED || (st == AG_IO && !explains))
		return st; /* nobody wrote anything wrong: no complaint about the usage */
	if (st && explains)
		c->settings_err = *err;
	else if (st)
		complain_err(c, err);
	apply_options(c);
	check_format(c);
	ag_term_choose_color(&c->term, (ag_color)c->app.settings.color);
	st = ag_app_ready(&c->app, err);
	if (st && explains && !c->settings_err.status)
		c->settings_err = *err;
	else if (st && !explains)
		complain_err(c, err);
	ag_cli_setup_log(c);
	return AG_OK;
}

/* --- running --- */

static int show_help(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_paint p = ag_cli_paint(c, &out);

	ag_help_command(c->command, &p);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run_command(ag_cli *c, int argc, char **argv, char *const *env)
{
	ag_err err = { 0 };

	ag_cli_parse(c, argc, argv);
	choose_color_early(c);
	if (c->wants_help)
		return show_help(c);
	/* The settings are looked at even after a complaint: one answer for all that is wrong. */
	if (c->command->flags & AG_COMMAND_BARE)
		apply_options(c);
	else if (load(c, env, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_refused(c))
		return c->command->flags & AG_COMMAND_ENDS_1 ? AG_EXIT_FAILED : AG_EXIT_USAGE;
	if (ag_cli_takes(c->command, "allow-read-write") && ag_cli_has(c, "allow-read-write"))
		ag_cli_warn(c,
		            "the key that may write is used; Argus sends only commands that read");
	if (c->command->flags & AG_COMMAND_LOADS)
		ag_memory_limit_self();
	return c->command->run(c);
}

static int no_command(ag_cli *c, bool is_error)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_paint p = ag_cli_paint(c, &out);

	if (is_error)
		p.colour = c->term.err_colour;
	ag_help_overview(&p);
	if (!is_error)
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	AG_IGNORE(ag_fd_write(STDERR_FILENO, ag_buf_view(&out)), "nowhere left to tell it");
	ag_buf_release(&out);
	return AG_EXIT_USAGE;
}

static int unknown_command(ag_cli *c, ag_str name)
{
	const char *near = ag_cli_nearest(name);

	ag_cli_complain(c, "unknown command \"%.*s\"%s%s%s", (int)(name.len < 60 ? name.len : 60),
	                name.ptr, near ? "; did you mean \"" : "", near ? near : "",
	                near ? "\"?" : "");
	ag_cli_complain(c, "`argus help` lists the commands");
	ag_cli_refused(c);
	return AG_EXIT_USAGE;
}

static int dispatch(ag_cli *c, int argc, char **argv, char *const *env)
{
	ag_str name = ag_str_c(argc > 1 ? argv[1] : NULL);

	choose_color_early(c);
	if (argc < 2)
		return no_command(c, true);
	if (ag_str_eqc(name, "--help") || ag_str_eqc(name, "-h"))
		return no_command(c, false);
	if (ag_str_eqc(name, "--version") || ag_str_eqc(name, "-V"))
		name = AG_S("version");
	c->command = ag_cli_find(name);
	if (!c->command)
		return unknown_command(c, name);
	return run_command(c, argc - 2, argv + 2, env);
}

/* --- AG_FAULT: for tests, see base/fault.h --- */

static int list_faults(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	size_t n;
	const ag_fault_point *p = ag_fault_points(&n);

	for (size_t i = 0; i < n; i++)
		ag_buf_addf(&out, "%-15s %s\n", p[i].name, p[i].meaning);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* Report the injected fault, so that nobody takes the failure for a real one. */
static void tell_fault(void)
{
	unsigned long ncall, nfailed;
	const ag_fault_point *p = ag_fault_counts(&ncall, &nfailed);
	ag_buf out = AG_BUF_INIT(200);

	if (!p)
		return;
	ag_buf_addf(&out, "fault: %s: %lu calls, %lu failed\n", p->name, ncall, nfailed);
	AG_IGNORE(ag_fd_write(STDERR_FILENO, ag_buf_view(&out)), "nowhere left to tell it");
	ag_buf_release(&out);
}

static int start(ag_cli *c, int argc, char **argv, char *const *env)
{
	const char *fault = secure_getenv("AG_FAULT"); /* NULL when set-uid */
	ag_err err = { 0 };

	if (fault && strcmp(fault, "list") == 0)
		return list_faults(c);
	if (!ag_fault_setup(fault, &err))
		return dispatch(c, argc, argv, env);
	ag_cli_fail(c, &err);
	return AG_EXIT_USAGE;
}

int ag_cli_main(int argc, char **argv, char *const *env)
{
	ag_cli *c = ag_xcalloc(1, sizeof(*c));
	int code;

	ag_app_init(&c->app, ag_signals_setup());
	ag_term_init(&c->term);
	ag_buf_init(&c->complaints, 64 * 1024);
	code = start(c, argc, argv, env);
	ag_buf_release(&c->complaints);
	ag_app_release(&c->app);
	free(c);
	tell_fault();
	return code;
}
