/* cli -- the command line: one file per command, one table that lists them (cli.c).
 *
 * To add a command: 1. cli/cmd_<name>.c with a `const ag_command`; 2. its row in commands[] of cli.c; 3. its
 * cases in tests/e2e/cli.sh. Help, docs/reference/cli.md, the manual page, the completions of the shells (tools/gen-docs) and
 * the nearest-name hints follow from the table. */
#ifndef AG_CLI_CLI_H
#define AG_CLI_CLI_H

#include "agent/agent.h"
#include "app/app.h"
#include "base/paint.h"
#include "cli/term.h"

typedef enum ag_exit {
	AG_EXIT_OK = 0,
	AG_EXIT_FAILED = 1,
	AG_EXIT_USAGE = 2,
	AG_EXIT_FINDINGS = 3,
	AG_EXIT_CANCELLED = 130
} ag_exit;

/* An option of a command. One that only sets a setting is { .setting = "seed" }: name, letter and arg are those of the
 * setting's row, and so is help where it is NULL. */
typedef struct ag_option {
	const char *name;    /* "seed", without dashes */
	char letter;         /* 'o', 0 = none */
	const char *arg;     /* "N"; NULL = takes no value */
	const char *setting; /* key of the setting that it sets; NULL = the command looks at it */
	const char *value;   /* of a setting whose option takes no value; NULL = "true" */
	const char *help;    /* NULL = listed nowhere */
	const char *
		values; /* the words that it takes, with blanks between; NULL = those of its setting, or any */
} ag_option;

typedef struct ag_cli ag_cli;

typedef enum ag_command_flag {
	AG_COMMAND_BARE = 1,     /* reads no settings */
	AG_COMMAND_EXPLAINS = 2, /* looks at broken settings itself (cli->settings_err) */
	AG_COMMAND_SILENT = 4,   /* knows output format "silent" */
	AG_COMMAND_WORDS =
		8, /* its arguments are words: one with a blank is no option, though it begins with a dash */
	AG_COMMAND_ENDS_1 = 16,  /* a wrong command line ends with 1, not 2 */
	AG_COMMAND_LOADS = 32,   /* loads data into memory */
	AG_COMMAND_REPORTS = 64, /* prints audit reports: knows their formats */
	AG_COMMAND_PAGE = 128    /* prints a page as well: knows output format "html" */
} ag_command_flag;

/* What people do with a command: its heading in the list of commands. */
typedef enum ag_command_group {
	AG_GROUP_CHECK = 1,
	AG_GROUP_LOOK,
	AG_GROUP_ASK,
	AG_GROUP_RUNS,
	AG_GROUP_SERVE,
	AG_GROUP_SET_UP,
	AG_GROUP_END
} ag_command_group;

typedef struct ag_command {
	const char *name, *summary; /* the summary fits one line of 80 columns in the list */
	ag_command_group group;
	const char *usage;    /* what stands behind the name: "SOURCE... [options]" */
	const char *about;    /* paragraphs, separated by \n\n */
	const char *examples; /* lines "command line # what it does" */
	const ag_option *options;
	size_t noption;
	const ag_agent *agent; /* which it runs: the flags of its settings are options, too; NULL */
	unsigned min_args, max_args;
	unsigned flags;
	int (*run)(ag_cli *c);
} ag_command;

/* A source given by its parts: they become the first argument. */
/* clang-format off */
#define AG_ACCOUNT_OPTIONS                                                                       \
	{ "account", 'a', "ACCOUNT", NULL, NULL,                                                 \
	  "an account of Azure Cosmos DB in place of SOURCE: its name, id or connection string" }, \
	{ "database", 'd', "NAME", NULL, NULL, "of --account" },                                 \
	{ "collection", 'c', "NAME", NULL, NULL, "of --account; * and ? stand for others" },     \
	{ "allow-read-write", 0, NULL, NULL, NULL,                                               \
	  "use a key of the account that may write; without it only read-only keys are used" }
/* clang-format on */

#define AG_CLI_MAX_OPTIONS 64  /* of one command, common ones included */
#define AG_CLI_MAX_SETS    256 /* options that set a setting, on one command line */

struct ag_cli {
	ag_app app;
	ag_term term;
	const ag_command *command;
	ag_str *args;
	size_t narg;
	ag_str value[AG_CLI_MAX_OPTIONS]; /* by row: the command's options, then the common ones */
	unsigned times[AG_CLI_MAX_OPTIONS];
	struct {
		int row;
		ag_str text;
		const char *where;
	} sets[AG_CLI_MAX_SETS];
	size_t nset;
	struct {
		int row;
		ag_str text;
	} given[AG_CLI_MAX_SETS]; /* every value, in order: of options that may be repeated */
	size_t ngiven;
	bool quiet, wants_help;
	bool out_failed;     /* standard output could not be written: that was told */
	bool out_gone;       /* its reader went away before the end */
	bool logs;           /* log lines go to standard error: no progress line between them */
	ag_buf complaints;   /* one line each; usage errors are told together */
	ag_err settings_err; /* AG_COMMAND_EXPLAINS */
	const struct ag_verb *verb; /* that was typed; NULL = none, or none yet */
	bool lists_verbs;           /* a complaint has the list of verbs: no usage is needed */
};

extern const ag_command ag_cmd_ask, ag_cmd_audit, ag_cmd_verify, ag_cmd_show, ag_cmd_runs,
	ag_cmd_diff, ag_cmd_history, ag_cmd_rate, ag_cmd_review, ag_cmd_inspect, ag_cmd_query,
	ag_cmd_models, ag_cmd_purge, ag_cmd_doctor, ag_cmd_help, ag_cmd_version, ag_cmd_resume,
	ag_cmd_replay, ag_cmd_guard, ag_cmd_mcp, ag_cmd_serve, ag_cmd_project, ag_cmd_token,
	ag_cmd_user, ag_cmd_log, ag_cmd_export, ag_cmd_repair, ag_cmd_chat, ag_cmd_prompt,
	ag_cmd_import, ag_cmd_init, ag_cmd_store, ag_cmd_knowledge, ag_cmd_eval, ag_cmd_learnings,
	ag_cmd_accounts, ag_cmd_auth_status, ag_cmd_worker, ag_cmd_jobs, ag_cmd_schedule,
	ag_cmd_recipe, ag_cmd_artifact;

const ag_command *const *ag_cli_commands(size_t *ret_n);
const ag_command *ag_cli_find(ag_str name);
const char *ag_cli_nearest(ag_str name);
/* Does the command print this output format? Completion offers no other. */
bool ag_cli_takes_format(const ag_command *cmd, ag_output_format format);
/* Option i of a command: those of its agent, then its own. False: there are not so many. */
bool ag_cli_option(const ag_command *cmd, size_t i, ag_option *ret);
/* How many these are. The common ones have the numbers after them. */
size_t ag_cli_noption(const ag_command *cmd);
const ag_option *ag_cli_common_options(size_t *ret_n);
/* Option i of these as this command has it: without its letter, when one of the command's own has that. */
ag_option ag_cli_common_option(const ag_command *cmd, size_t i);

int ag_cli_main(int argc, char **argv, char *const *env);

/* --- args.c --- */

/* argv behind the command's name. Problems go to c->complaints. */
void ag_cli_parse(ag_cli *c, int argc, char **argv);
/* One that begins with a blank belongs to the one before it. */
AG_PRINTF(2, 3) void ag_cli_complain(ag_cli *c, const char *fmt, ...);
bool ag_cli_has(const ag_cli *c, const char *option);
/* Does the command know the option? Only then may ag_cli_has() be asked. */
bool ag_cli_takes(const ag_command *cmd, const char *option);
/* The value of an option, "" when it was not given. */
ag_str ag_cli_value(const ag_cli *c, const char *option);
/* All values of an option that may be repeated, in order. */
size_t ag_cli_values(const ag_cli *c, const char *option, const ag_str **ret);
/* A whole number; complains about any other text, and about a number out of range. */
uint64_t ag_cli_number(ag_cli *c, const char *option, uint64_t min, uint64_t max,
                       uint64_t fallback);
/* Any complaints? Then they are printed. `if (ag_cli_refused(c)) return AG_EXIT_USAGE;` */
bool ag_cli_refused(ag_cli *c);

/* --- verbs.c: commands that do several things: argus project add … --- */

typedef struct ag_verb {
	const char *name;
	const char *usage;           /* what stands behind it: "ID USER ROLE" */
	unsigned min_args, max_args; /* behind the verb */
	const char
		*options; /* those of the command that it knows, with blanks between; "" = none */
	int (*run)(ag_cli *c);
} ag_verb;

/* Runs the verb that c->args[0] names; c->args then begins after it. An unknown verb is reported with the list of verbs. */
int ag_cli_run_verb(ag_cli *c, const ag_verb *verbs, size_t n);

/* --- output.c --- */

/* To standard output. False when it cannot be written: then that was told, save for a closed pipe. */
bool ag_cli_print(ag_cli *c, ag_str text);
/* JSON text as one document, made safe for terminals, with a line break. */
bool ag_cli_print_json(ag_cli *c, ag_str json);
/* "argus: message" and its hint to standard error. Returns the exit code that fits the status. */
int ag_cli_fail(ag_cli *c, const ag_err *err);
AG_PRINTF(2, 3) void ag_cli_note(ag_cli *c, const char *fmt, ...);
/* The same, also with --quiet: "argus: warning: ...". */
AG_PRINTF(2, 3) void ag_cli_warn(ag_cli *c, const char *fmt, ...);
/* For ag_cli_warn(): where ag_app_has_old_database(). */
#define AG_CLI_OLD_DATABASE                                                                 \
	"POSTGRES_URL names the store; set ARGUS_DATABASE for the database of the project " \
	"\"default\""
ag_paint ag_cli_paint(const ag_cli *c, ag_buf *out);
/* Print the buffer and release it. */
int ag_cli_finish(ag_cli *c, ag_buf *out, int exit_code);
static inline bool ag_cli_is_json(const ag_cli *c)
{
	return c->app.settings.output_format == AG_OUTPUT_JSON;
}

/* --- help.c --- */

void ag_help_command(const ag_command *cmd, ag_paint *p);
void ag_help_overview(ag_paint *p);
void ag_help_settings(ag_paint *p);
void ag_help_markdown_commands(ag_buf *out);
void ag_help_markdown_settings(ag_buf *out);
const char *ag_help_group(ag_command_group group);
/* Exit code i and what it means. False: there are not so many. */
bool ag_help_exit(size_t i, int *ret_code, const char **ret_meaning);

/* --- man.c --- */

void ag_help_man(ag_buf *out);

/* --- signals.c --- */

/* SIGPIPE is ignored; SIGINT and SIGTERM set the flag, the second SIGINT ends the process at once. */
const atomic_bool *ag_signals_setup(void);
/* A progress line is drawn on standard error: wipe it when the process ends at once. */
void ag_signals_line_drawn(bool is_drawn);
bool ag_signals_cancelled(void);
/* By SIGTERM: that ends the program, whatever Ctrl-C only stops. */
bool ag_signals_terminated(void);
/* From now on SIGHUP does not end the process; ag_signals_hung_up() says once that it came. */
void ag_signals_watch_hangup(void);
bool ag_signals_hung_up(void);
/* The log of the process, as settings and -v want it. */
void ag_cli_setup_log(ag_cli *c);
/* Forget a Ctrl-C that was answered: what begins now is not cancelled. */
void ag_signals_reset(void);

#define AG_LIMIT_OUTPUT (1024u * 1024 * 1024)

#endif
