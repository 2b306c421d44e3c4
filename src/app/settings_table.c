/* The settings table: the rows of agents (agent/agent.h), those of the models of a run (agent/options.h) and those of the
 * process, each with its type, limits, default and help.
 *
 * lint: table. The order is the order of docs/reference/settings.md. Choices are in the order of the enums they become. */
#include <pthread.h>

#include "analyst/analyst.h"
#include "app/settings.h"
#include "ask/ask.h"

#define FIELD(name) offsetof(ag_settings, name)
#define MAX_COUNT   9007199254740991.0 /* 2^53 - 1: every JSON reader keeps it exactly */
#define MAX_SECONDS 31536000.0         /* a year */
#define MAX_STEPS   1000000.0
#define MAX_RATE    1e12

static const char *const outputs[] = { "text",   "json",  "silent", "short", "csv", "markdown",
	                               "github", "junit", "sarif",  "html",  NULL };
static const char *const log_levels[] = { "off", "error", "warn", "info", "debug", NULL };
static const char *const log_formats[] = { "json", "text", NULL };
static const char *const colors[] = { "auto", "always", "never", NULL };
static const char *const audit_syncs[] = { "normal", "full", NULL };

static const ag_setting first[] = {
	{ "", "store", AG_SET_TEXT, .unset = "auto", .fallback = "auto", .offset = FIELD(store),
	  .help = "Where Argus remembers its runs: a path, sqlite:PATH, postgresql://user@host/name or memory: "
	          "(gone at exit). auto: POSTGRES_URL, else argus/argus.db under XDG_STATE_HOME, else "
	          "under ~/.local/state.",
	  .flag = "store", .flag_arg = "URI",
	  .flag_help = "where runs are kept: a path, postgresql://…, or memory:" },
	{ "", "retention_days", AG_SET_COUNT, .min = 1, .max = 36500, .unset = "none",
	  .fallback = "none", .offset = FIELD(retention_days),
	  .help = "Days that runs, rows of the audit table and cached texts are kept, as with `argus purge "
	          "--older-than`: looked at once a day, after an audit and in a server (argus mcp). none: "
	          "only `argus purge` removes them." },
	{ "", "threads", AG_SET_COUNT, .min = 1, .max = 256, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(threads),
	  .help = "Worker threads. auto: one per processor. Results do not depend on it.",
	  .flag = "threads", .flag_arg = "N", .flag_help = "worker threads" },
	{ "", "output_format", AG_SET_CHOICE, .one_of = outputs, .fallback = "text",
	  .offset = FIELD(output_format),
	  .help = "What goes to standard output. silent: audit and verify answer only with their exit code. "
	          "short to html: formats of audit reports only (docs/reference/report.md).",
	  .flag = "output", .letter = 'o', .flag_arg = "FORMAT", .flag_help = "text or json" },
	{ "", "log_level", AG_SET_CHOICE, .one_of = log_levels, .fallback = "off",
	  .offset = FIELD(log_level), .is_live = true,
	  .help = "How much is logged to standard error." },
	{ "", "log_format", AG_SET_CHOICE, .one_of = log_formats, .fallback = "json",
	  .offset = FIELD(log_format),
	  .help = "Log lines as JSON objects, or as text for people." },
	{ "", "color", AG_SET_CHOICE, .one_of = colors, .fallback = "auto", .offset = FIELD(color),
	  .help = "Colours in text. auto: none if NO_COLOR is set, else colours if CLICOLOR_FORCE is set and "
	          "not 0, else only on a terminal whose TERM is not dumb. always and never do not look at "
	          "these." },
	{ "audit", "deadline", AG_SET_NUMBER, .min = 0.001, .max = MAX_SECONDS, .unset = "none",
	  .fallback = "none", .offset = FIELD(deadline),
	  .help = "Seconds after which the command stops wherever it is; the run counts as failed.",
	  .flag = "deadline", .flag_arg = "SECONDS", .flag_help = "then everything stops" },
};

static const ag_setting last[] = {
	{ "sql", "database", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(database),
	  .help = "The database of the project \"default\": postgresql://user@host/name or sqlite:PATH. "
	          "none: only the projects there are." },
	{ "sql", "max_queries_per_minute", AG_SET_COUNT, .max = MAX_RATE, .unset = "none",
	  .fallback = "60", .offset = FIELD(per_minute),
	  .help = "Calls of one user in one project, of all processes that share the store. "
	          "MAX_QUERIES_PER_MINUTE is read, too." },
	{ "sql", "max_queries_per_hour", AG_SET_COUNT, .max = MAX_RATE, .unset = "none",
	  .fallback = "none", .offset = FIELD(per_hour), .help = "The same, an hour." },
	{ "sql", "max_queries_per_day", AG_SET_COUNT, .max = MAX_RATE, .unset = "none",
	  .fallback = "none", .offset = FIELD(per_day), .help = "The same, a day." },
	{ "sql", "max_connections_per_project", AG_SET_COUNT, .min = 1, .max = 1000,
	  .fallback = "5", .offset = FIELD(connections),
	  .help = "Connections to the database of one project; who comes later waits. "
	          "MAX_CONNECTIONS_PER_PROJECT is read, too." },
	{ "sql", "audit_sync", AG_SET_CHOICE, .one_of = audit_syncs, .fallback = "normal",
	  .offset = FIELD(audit_sync),
	  .help = "When the audit table is safe from a power cut. normal: within 50 ms of the answer. full: "
	          "before the answer, which then waits for the disk. A crash of the program loses no "
	          "answered call either way." },
	{ "mcp", "questions_at_once", AG_SET_COUNT, .min = 1, .max = 64, .fallback = "4",
	  .offset = FIELD(questions),
	  .help = "Questions about one project (ask_project) that are answered at the same time; further ones "
	          "wait in a queue that serves users in turn." },
	{ "mcp", "documents_memory_mb", AG_SET_COUNT, .min = 1, .max = 1048576, .unset = "none",
	  .fallback = "512", .offset = FIELD(documents_mb),
	  .help = "MiB of memory in which the server keeps documents of projects loaded between calls. The "
	          "collection that was used longest ago is dropped first; a changed file is read again. none: "
	          "every call reads its file." },
	{ "serve", "connection_hosts", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(connection_hosts),
	  .help = "Hosts of PostgreSQL and MongoDB that an administrator of a project of the store may connect it "
	          "to, over HTTP, with commas between them: db.example.com, or with a port: localhost:5432. any: "
	          "every host that the server reaches." },
	{ "serve", "connection_folders", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(connection_folders),
	  .help = "The same of SQLite files: folders, with commas between them." },
	{ "serve", "ask_folders", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(ask_folders),
	  .help = "Folders, with commas between them. An administrator of a project of the store chooses one of "
	          "these or a folder below them for questions, over HTTP. none: only `argus project set` and "
	          "argus.yaml choose one." },
	{ "serve", "ask_apis", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(ask_apis),
	  .help = "Addresses of HTTP APIs, like http://localhost:42002, with commas between them. An administrator "
	          "of a project of the store chooses one of these for questions, over HTTP. The server asks "
	          "no other address for him, so he cannot make it ask services of its own network." },
	{ "serve", "max_requests_per_minute", AG_SET_COUNT, .max = MAX_RATE, .unset = "none",
	  .fallback = "120", .offset = FIELD(requests_per_minute), .is_live = true,
	  .help = "Requests of one user to /api of argus serve, beside questions (--questions) and SQL "
	          "(max_queries_per_minute). Counted by each process." },
	{ "serve", "max_anonymous_per_minute", AG_SET_COUNT, .max = MAX_RATE, .unset = "none",
	  .fallback = "60", .offset = FIELD(anonymous_per_minute), .is_live = true,
	  .help = "The same of one address, to what needs no login." },
	{ "serve", "max_login_failures", AG_SET_COUNT, .max = 1000000, .unset = "none",
	  .fallback = "5", .offset = FIELD(login_failures), .is_live = true,
	  .help = "Failed logins of one user from one address, of all processes that share the store; then "
	          "none is tried for login_wait seconds. Ten times as many of one user, and twenty times as "
	          "many from one address, count alike." },
	{ "serve", "login_wait", AG_SET_COUNT, .min = 1, .max = 86400, .fallback = "300",
	  .offset = FIELD(login_wait), .is_live = true,
	  .help = "Seconds: see max_login_failures." },
	{ "serve", "session_days", AG_SET_COUNT, .min = 1, .max = 3650, .fallback = "14",
	  .offset = FIELD(session_days), .is_live = true,
	  .help = "Days that a browser stays logged in." },
	{ "serve", "oidc_issuer", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(oidc_issuer),
	  .help = "The OpenID Connect issuer by which people sign in to the page, exactly as it names itself: "
	          "https://login.example.com. It gets the client's redirect address "
	          "https://HOST/api/auth/oidc/callback. The client's secret is the variable OIDC_CLIENT_SECRET." },
	{ "serve", "oidc_client_id", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(oidc_client_id), .help = "What the issuer calls this server." },
	{ "serve", "oidc_name", AG_SET_TEXT, .fallback = "single sign-on",
	  .offset = FIELD(oidc_name),
	  .help = "The button of the page says \"Sign in with\" and this." },
	{ "serve", "oidc_scopes", AG_SET_TEXT, .fallback = "openid email profile",
	  .offset = FIELD(oidc_scopes),
	  .help = "What the issuer is asked for, with blanks between them; openid must be among them." },
	{ "serve", "oidc_sign_up", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(oidc_sign_up),
	  .help = "Who gets an account at the first sign-in, with commas between them: @example.com (a verified "
	          "e-mail address of that domain), a group of oidc_groups_claim, or any. none: only who has an "
	          "account." },
	{ "serve", "oidc_link_email", AG_SET_BOOL, .fallback = "false",
	  .offset = FIELD(oidc_link_email),
	  .help = "At the first sign-in, an account whose name is the verified e-mail address is that person's. "
	          "Set it only for an issuer that verifies addresses." },
	{ "serve", "oidc_name_claim", AG_SET_TEXT, .fallback = "email",
	  .offset = FIELD(oidc_name_claim),
	  .help = "The claim that names a new account. email must be verified. Another one, like "
	          "preferred_username, should not be one that people choose themselves." },
	{ "serve", "oidc_groups_claim", AG_SET_TEXT, .fallback = "groups",
	  .offset = FIELD(oidc_groups_claim),
	  .help = "The claim of the ID token that lists groups or roles." },
	{ "serve", "oidc_superuser", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(oidc_superuser),
	  .help = "A group: at each sign-in its members become superusers, and others who sign in by the issuer "
	          "stop being one. none: the issuer has no say." },
	{ "serve", "oidc_ends_session", AG_SET_BOOL, .fallback = "false",
	  .offset = FIELD(oidc_ends_session),
	  .help = "Signing out ends the session at the issuer, too, where it offers that." },
	{ "serve", "oidc_clock_skew", AG_SET_COUNT, .max = 600, .fallback = "60",
	  .offset = FIELD(oidc_clock_skew), .help = "Seconds that the issuer's clock may be off." },
	{ "serve", "access_log", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(access_log), .is_live = true,
	  .help = "A file to which argus serve and argus mcp --http append one JSON line for each request: method, route, "
	          "status, bytes, milliseconds, user; - is standard output. SIGHUP opens it again. No line has an "
	          "address's parameters, a query or a body." },
};

/* --- the whole --- */

static ag_setting table[AG_SETTINGS_MAX];
static size_t ntable;
static pthread_once_t is_made = PTHREAD_ONCE_INIT;

static void add(const ag_setting *row, size_t base)
{
	AG_ASSERT(ntable < AG_SETTINGS_MAX);
	table[ntable] = *row;
	table[ntable++].offset += base;
}

static void add_all(const ag_setting *row, size_t base)
{
	for (; row && row->key; row++)
		add(row, base);
}

static void make(void)
{
	for (size_t i = 0; i < AG_NELEM(first); i++)
		add(&first[i], 0);
	add_all(ag_model_options, offsetof(ag_settings, models_of_run));
	add_all(ag_agent_audit.settings, offsetof(ag_settings, audit));
	add_all(ag_agent_ask.settings, offsetof(ag_settings, ask));
	add_all(ag_agent_analyst.settings, offsetof(ag_settings, chat));
	for (size_t i = 0; i < AG_NELEM(last); i++)
		add(&last[i], 0);
}

const ag_setting *ag_settings_table(size_t *ret_n)
{
	pthread_once(&is_made, make);
	*ret_n = ntable;
	return table;
}
