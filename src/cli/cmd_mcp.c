/* argus mcp: the MCP server, over standard input and output or over HTTP. argus serve: the same over HTTP, and conversations.
 *
 * Over stdio nothing but messages may stand on standard output: what a library writes there goes to standard error. */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyst/tools.h"
#include "app/ask_server.h"
#include "app/audit_server.h"
#include "app/chat.h"
#include "app/chat_demo.h"
#include "app/chat_server.h"
#include "app/connections.h"
#include "app/import.h"
#include "app/job_server.h"
#include "app/mcp_tools.h"
#include "app/oidc.h"
#include "app/projects.h"
#include "app/retention.h"
#include "app/settings_show.h"
#include "app/traces.h"
#include "artifact/tools.h"
#include "cli/crew.h"
#include "knowledge/tools.h"
#include "oidc/oidc.h"
#include "server/accounts.h"
#include "server/parts.h"
#include "server/route_doc.h"
#include "server/server.h"

#define ORIGIN    "cli.mcp"
#define MAX_NAMES 64u
#define WAKE_MS   1000
/* Of one session: as many as the queue of a user holds (project/turns.h), so that a burst waits for its turn there. */
#define HTTP_CALLS   256u
#define DEFAULT_PORT 8100
#define SERVE_PORT   8080
#define GRACE_S      30
#define QUESTIONS    20 /* of one user in a minute */

static const char instructions[] =
	"Argus answers questions about databases and documents, read only. Look at list_tables and describe_table before "
	"you write SQL; results say when they are truncated, errors say what to change.";

static const ag_option options[] = {
	{ "project", 0, "IDS", NULL, NULL, "only these projects, with commas between them" },
	{ "http", 0, NULL, NULL, NULL, "serve over HTTP instead of standard input and output" },
	{ "host", 0, "ADDRESS", NULL, NULL, "listen there (127.0.0.1)" },
	{ "port", 0, "N", NULL, NULL, "listen there (8100); 0 = any that is free" },
	{ "no-auth", 0, NULL, NULL, NULL, "ask for no token; only on a loopback address" },
	{ "allow-hosts", 0, "NAMES", NULL, NULL,
	  "further names of this server in the Host header" },
	{ "allow-origins", 0, "URLS", NULL, NULL, "pages that may call it from a browser" },
	{ "resource", 0, "URL", NULL, NULL,
	  "the server's address as clients know it (OAuth metadata)" },
	{ "authorization-servers", 0, "URLS", NULL, NULL, "who gives out tokens (OAuth metadata)" },
	{ .setting = "store", .help = "projects, tokens and the audit table: a path" },
};

static const ag_option serve_options[] = {
	{ "project", 0, "IDS", NULL, NULL, "only these projects, with commas between them" },
	{ "host", 0, "ADDRESS", NULL, NULL, "listen there (127.0.0.1)" },
	{ "port", 0, "N", NULL, NULL, "listen there (8080); 0 = any that is free" },
	{ "demo", 0, NULL, NULL, NULL,
	  "the example shop with a script in the place of a model, on this machine" },
	{ "no-auth", 0, NULL, NULL, NULL, "ask for no token; only on a loopback address" },
	{ "allow-hosts", 0, "NAMES", NULL, NULL,
	  "further names of this server in the Host header" },
	{ "allow-origins", 0, "URLS", NULL, NULL, "pages that may call it from a browser" },
	{ "resource", 0, "URL", NULL, NULL,
	  "the address of /mcp as clients know it (OAuth metadata)" },
	{ "authorization-servers", 0, "URLS", NULL, NULL, "who gives out tokens (OAuth metadata)" },
	{ "questions", 0, "N", NULL, NULL,
	  "of one user in a minute, over all processes of the store (20); 0 = no limit" },
	{ "proxy-header", 0, "NAME", NULL, NULL,
	  "believe a proxy on this machine that names the user in this header, like X-Forwarded-User" },
	{ "grace", 0, "SECONDS", NULL, NULL,
	  "how long answers may go on when the server is stopped (30)" },
	{ "workers", 0, "N", NULL, NULL,
	  "processes that do queued jobs, and one more for uploaded files (1); 0 = none, argus worker does them" },
	{ "openapi", 0, NULL, NULL, NULL,
	  "write the OpenAPI 3.1 document of the API to standard output, and end" },
	{ .setting = "store", .help = "projects, tokens, threads and the audit table: a path" },
};

typedef struct service {
	ag_cli *c;
	bool is_serve, is_demo;
	unsigned nworker; /* argus serve */
	pid_t crew;       /* of them; 0 = there are none */
	ag_app_audit_server audits;
	ag_server_asks asks;               /* argus serve */
	ag_server_connections connections; /* the same */
	ag_app_chat_server *chat;          /* argus serve; NULL */
	ag_server_chat chat_opts;
	ag_server_people people;
	ag_server_oidc oidc;      /* the same; its provider NULL = no issuer is set */
	pthread_mutex_t settings; /* of the app: they are renewed while others read them */
	ag_project_hub *hub;
	ag_app_mcp app;
	ag_mcp_server *server;
	ag_caller
		who; /* stdio: the local user; HTTP: who comes without a token, when that is allowed */
} service;

static void names(ag_cli *c, const char *option, const ag_str **ret, size_t *nret)
{
	ag_str *list = ag_new_n(c->app.arena, ag_str, MAX_NAMES);
	ag_str rest = ag_cli_value(c, option);

	*nret = 0;
	while (rest.len) {
		const ag_str one = ag_str_trim(ag_str_split(&rest, ','));

		if (one.len && *nret == MAX_NAMES)
			ag_cli_complain(c, "--%s: at most %u names", option, MAX_NAMES);
		else if (one.len)
			list[(*nret)++] = one;
	}
	*ret = list;
}

/* --- what is served --- */

/* Whoever comes without a token may ask and audit, not manage. */
static void set_anonymous(service *s, const ag_project *const *projects, size_t n)
{
	ag_caller_project *p = ag_new_n(s->c->app.arena, ag_caller_project, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (ag_caller_project){ .project = projects[i]->id, .role = AG_ROLE_ANALYST };
	s->who = (ag_caller){
		.user = AG_S("anonymous"), .token = AG_S(""), .projects = p, .nproject = n
	};
}

static ag_status find_projects(service *s, bool is_http, ag_err *err)
{
	ag_arena *arena = s->c->app.arena;
	const ag_project **list;
	const ag_str *ids;
	size_t nid, n;
	ag_status st = AG_OK;

	names(s->c, "project", &ids, &nid);
	s->who = ag_caller_local(ids, nid, arena);
	for (size_t i = 0; !st && i < nid; i++) {
		const ag_project *p;

		st = ag_project_find(s->hub, &s->who, ids[i], &p, err);
	}
	if (!st)
		st = ag_project_list(s->hub, &s->who, arena, &list, &n, err);
	if (st)
		return st;
	if (!s->c->narg && ag_app_has_old_database(&s->c->app))
		ag_cli_warn(s->c, AG_CLI_OLD_DATABASE);
	if (!n && !is_http) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no project to serve");
		return ag_err_hint(err,
		                   "argus mcp postgresql://user@host/name, argus mcp sqlite:PATH, "
		                   "\"projects:\" in argus.yaml, or argus project add");
	}
	if (!n)
		ag_cli_note(s->c, "note: there is no project yet: argus project add");
	/* What was typed a moment ago is looked at while somebody still looks. */
	for (size_t i = 0; !st && i < n && s->c->narg; i++) {
		if (ag_str_eq(list[i]->source, s->c->args[0]))
			st = ag_project_open(s->hub, list[i], err);
	}
	if (is_http)
		set_anonymous(s, list, n);
	return st;
}

static ag_status open_service(service *s, bool is_http, ag_err *err)
{
	ag_cli *c = s->c;
	const ag_str source = c->narg ? c->args[0] : AG_S("");
	ag_mcp_server_opts o = { .clock = c->app.ctx.clock,
		                 .instructions = instructions,
		                 .max_calls = is_http ? HTTP_CALLS : 0,
		                 .cancel = c->app.ctx.cancel };
	ag_str pages = AG_S("");
	ag_status st = s->is_demo ? ag_app_demo_pages(&c->app, &pages, err) : AG_OK;

	if (!st)
		st = s->is_demo ? ag_app_demo_hub(&c->app, pages, &s->hub, err)
		                : ag_app_project_hub(&c->app, source, &s->hub, err);

	if (!st && s->is_serve)
		st = ag_app_oidc(&c->app, &s->oidc, err);
	if (!st && s->is_serve)
		st = ag_app_chat_server_new(&c->app, s->hub, s->is_demo, &s->chat, err);
	if (!st && s->is_demo)
		st = ag_app_audit_server_demo(&s->audits, AG_S(AG_CHAT_DEMO_PROJECT), c->app.arena,
		                              err);
	if (!st)
		st = ag_app_mcp_init(&s->app, &c->app, s->hub, err);
	if (!st)
		st = find_projects(s, is_http, err);
	if (st)
		return st;
	o.hub = s->hub;
	o.tools[o.ntools++] = ag_analyst_tools;
	o.tools[o.ntools++] = ag_know_tools;
	o.tools[o.ntools++] = ag_app_mcp_recipe_tools(&s->app);
	o.tools[o.ntools++] = ag_artifact_tools;
	o.tools[o.ntools++] = ag_app_mcp_audit_tools(&s->app);
	o.tools[o.ntools++] = ag_app_mcp_ask_tools(&s->app);
	o.providers[o.nprovider++] = ag_app_mcp_provider(&s->app);
	o.has_frames = ag_app_mcp_frames(&o.providers[o.nprovider]);
	o.nprovider += o.has_frames;
	return ag_mcp_server_new(&o, &s->server, err);
}

static void close_service(service *s)
{
	ag_mcp_server_free(s->server);
	if (s->hub)
		ag_app_mcp_release(&s->app);
	ag_project_hub_close(s->hub);
	ag_app_chat_server_free(s->chat); /* the hub writes in its group */
	ag_oidc_free(s->oidc.provider);
}

/* --- transports --- */

/* The client's messages come and go over a descriptor of their own; 1 is where errors go from now on. */
static ag_status serve_stdio(service *s, ag_err *err)
{
	const int out = dup(STDOUT_FILENO);
	ag_status st;

	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return ag_fail(err, AG_IO, ORIGIN, "standard output cannot be used");
	st = ag_mcp_stdio(s->server, &s->who, STDIN_FILENO, out, s->c->app.ctx.cancel, err);
	close(out);
	return st;
}

static bool is_loopback(ag_str host)
{
	return !host.len || ag_str_starts(host, AG_S("127.")) || ag_str_eqc(host, "::1") ||
	       ag_str_eqc(host, "localhost");
}

/* A handle of its own: the hub uses the app's from other threads. */
static ag_status open_tokens(ag_cli *c, ag_store **ret_own, ag_store **ret, ag_err *err)
{
	ag_str uri;
	ag_status st = ag_app_store_uri(&c->app, &uri, err);

	if (!st && ag_str_eqc(uri, "memory:")) /* each handle of it is another store */
		return ag_app_store(&c->app, ret, err);
	if (!st)
		st = ag_store_open(uri, ret_own, err);
	if (!st && *ret_own)
		ag_store_set_patience(*ret_own, AG_SERVER_PATIENCE_MS);
	*ret = *ret_own;
	return st;
}

static unsigned port_of(const service *s)
{
	return (unsigned)ag_cli_number(s->c, "port", 0, 65535,
	                               s->is_serve ? SERVE_PORT : DEFAULT_PORT);
}

static void fill_people(service *s)
{
	const ag_settings *set = &s->c->app.settings;

	s->people = (ag_server_people){
		.user_per_minute = set->requests_per_minute,
		.anonymous_per_minute = set->anonymous_per_minute,
		.login_failures = set->login_failures,
		.login_wait_ms = (int64_t)set->login_wait * 1000,
		.session_ms = (int64_t)set->session_days * 24 * 3600 * 1000,
		.proxy_header = ag_cli_value(s->c, "proxy-header"),
		.is_https = ag_str_starts(ag_cli_value(s->c, "resource"), AG_S("https://")),
	};
}

/* "http://127.0.0.1:8080" */
static ag_str address_of(service *s, ag_server *http, ag_arena *arena)
{
	const ag_str host = ag_cli_value(s->c, "host");
	const bool is_v6 = ag_str_find(host, ':') >= 0;

	return ag_str_printf(arena, "http://%s%.*s%s:%u", is_v6 ? "[" : "",
	                     AG_FMT(host.len ? host : AG_S("127.0.0.1")), is_v6 ? "]" : "",
	                     ag_server_port(http));
}

/* Nobody can log in yet: who starts the server becomes its administrator. Before it runs, because then the handle is its own. */
static ag_status first_link(service *s, ag_store *tokens, char text[AG_TOKEN_CHARS + 1],
                            ag_err *err)
{
	text[0] = '\0';
	return s->is_serve && tokens ? ag_server_first_link(tokens, s->c->app.ctx.clock,
	                                                    s->c->app.arena, text, err)
	                             : AG_OK;
}

static void note_start(service *s, ag_server *http, const char *link)
{
	AG_AUTO(ag_arena_freep)
	ag_arena *arena = ag_arena_new(); /* turns use that of the program */
	const ag_str at = address_of(s, http, arena);

	ag_cli_note(s->c, "listening on %.*s%s", AG_FMT(at), s->is_serve ? "" : "/mcp");
	if (link[0])
		ag_cli_note(
			s->c,
			"nobody can log in yet: choose the administrator's password once, within 24 hours, at "
			"%.*s/setup#%s",
			AG_FMT(at), link);
}

/* SIGHUP: reads the settings again, from where they came, and opens the access log again. */
static void reload(service *s, ag_server *http)
{
	ag_cli *c = s->c;
	ag_buf said = AG_BUF_INIT(64 * 1024);
	ag_app fresh;
	ag_err err = { 0 };
	ag_status st;

	ag_app_init(&fresh, NULL);
	st = ag_app_load(&fresh, ag_cli_value(c, "config"), environ, &err);
	if (!st)
		st = ag_settings_check(&fresh.settings, &err);
	if (!st) {
		pthread_mutex_lock(&s->settings);
		ag_settings_renew(&c->app.settings, &fresh.settings, c->app.arena, &said);
		pthread_mutex_unlock(&s->settings);
		fill_people(s);
		ag_server_set_people(http, &s->people);
		ag_cli_setup_log(c);
		/* A reader of the note may ask at once: the next line goes to the new log by then. */
		st = ag_server_set_access_log(http, c->app.settings.access_log, &err);
		ag_cli_note(c, "SIGHUP: %.*s", AG_FMT(ag_buf_view(&said)));
		if (st)
			ag_cli_warn(c, "SIGHUP: %s; its lines go where they went", err.msg);
	} else {
		ag_cli_warn(c, "SIGHUP: the settings stay as they are: %s", err.msg);
	}
	ag_app_release(&fresh);
	ag_buf_release(&said);
}

/* For ag_server_opts.settings. */
static void list_settings(void *arg, ag_arena *arena, ag_server_setting **ret, size_t *nret)
{
	service *s = (service *)arg;

	pthread_mutex_lock(&s->settings);
	ag_app_show_settings(&s->c->app.settings, arena, ret, nret);
	pthread_mutex_unlock(&s->settings);
}

static ag_status serve_http(service *s, bool is_open, ag_err *err)
{
	ag_cli *c = s->c;
	static const ag_str scopes[] = { AG_S_INIT("sql"), AG_S_INIT("audit"), AG_S_INIT("ask") };
	const ag_str host = ag_cli_value(c, "host");
	ag_server_opts o = {
		.mcp = s->server,
		.journal = s->hub ? ag_project_journal(s->hub) : NULL,
		.clock = c->app.ctx.clock,
		.scopes = scopes,
		.nscope = AG_NELEM(scopes),
		.anonymous = is_open ? &s->who : NULL,
		.resource = ag_cli_value(c, "resource"),
		.status = ag_app_mcp_status,
		.status_arg = &s->app,
		.access_log = c->app.settings.access_log,
		.listen = { .host = host, .port = port_of(s), .cancel = c->app.ctx.cancel }
	};
	char link[AG_TOKEN_CHARS + 1] = "";
	ag_store *tokens = NULL;
	ag_server *http;
	ag_status st = AG_OK;

	if (s->chat) {
		s->chat_opts = *ag_app_chat_server_opts(s->chat);
		s->chat_opts.grace_ms = ag_cli_number(c, "grace", 0, 3600, GRACE_S) * 1000;
		s->chat_opts.per_minute = (uint64_t)ag_cli_number(c, "questions", 0, 1000000,
		                                                  QUESTIONS);
		o.chat = &s->chat_opts;
		o.audits = &s->audits.opts;
		s->asks = ag_app_ask_server(&s->app, s->is_demo);
		o.asks = &s->asks;
		s->connections = ag_app_connections(&c->app);
		o.connections = &s->connections;
		st = ag_import_folder(&c->app, &o.tables_folder, err);
		o.listen.spool_folder = s->audits.spool_folder;
		o.jobs = &ag_app_job_server;
		o.settings = list_settings;
		o.settings_arg = s;
		fill_people(s);
		o.people = &s->people;
		o.oidc = s->oidc.provider ? &s->oidc : NULL;
		/* Turns end by themselves within the time of grace. */
		o.listen.cancel = NULL;
	}
	names(c, "allow-hosts", &o.hosts, &o.nhost);
	names(c, "allow-origins", &o.origins, &o.norigin);
	names(c, "authorization-servers", &o.authorization_servers, &o.nauthorization_server);
	if (is_open && !is_loopback(host)) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "without tokens Argus listens on a loopback address only, not on %.*s",
		        AG_FMT(host));
		return ag_err_hint(err, "leave --no-auth away and make tokens: argus token create");
	}
	if (!st && !is_open)
		st = open_tokens(c, &tokens, &o.store, err);
	if (!st)
		st = first_link(s, tokens, link, err);
	if (!st)
		st = ag_server_start(&o, &http, err);
	if (st) {
		ag_store_close(tokens);
		return st;
	}
	ag_signals_watch_hangup();
	note_start(s, http, link);
	explicit_bzero(link, sizeof(link));
	while (!ag_signals_cancelled()) {
		poll(NULL, 0, WAKE_MS);
		if (ag_signals_hung_up())
			reload(s, http);
	}
	ag_server_stop(http);
	ag_store_close(tokens);
	return AG_OK;
}

/* --- the workers of argus serve --- */

/* The first takes the jobs on uploaded files, the others those that all workers share. */
static int do_jobs(ag_cli *c, unsigned index, void *arg)
{
	const service *s = arg;
	const ag_worker_opts o = { .queue = index ? AG_S(AG_JOB_QUEUE) : s->audits.uploads_queue,
		                   .per_target = 2,
		                   .lease_ms = 60000,
		                   .grace_ms = 10000,
		                   .poll_ms = 2000,
		                   .retries = true,
		                   .schedules = index == 1,
		                   .stop = c->app.ctx.cancel,
		                   .tell = ag_crew_tell,
		                   .tell_arg = c };
	uint64_t n = 0;
	ag_err err = { 0 };

	return ag_worker_run(&c->app, &o, &n, &err) ? ag_cli_fail(c, &err) : AG_EXIT_OK;
}

/* Before the process has threads or an open store. The crew ends with it. */
static ag_status start_crew(service *s, ag_err *err)
{
	const pid_t parent = getpid();

	if (!s->nworker)
		return AG_OK;
	s->crew = fork();
	if (s->crew < 0)
		return ag_fail_errno(err, errno, ORIGIN, "cannot start the workers");
	if (s->crew)
		return AG_OK;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(AG_EXIT_CANCELLED);
	_exit(ag_crew_run(s->c, s->nworker + 1, do_jobs, s));
}

static void stop_crew(service *s)
{
	int status;

	if (s->crew <= 0)
		return;
	kill(s->crew, SIGTERM);
	while (waitpid(s->crew, &status, 0) < 0 && errno == EINTR)
		;
}

static int run_service(service *s, bool is_http, bool is_open)
{
	ag_retention *retention = NULL;
	ag_otlp *traces = NULL;
	ag_err err = { 0 };
	ag_status st;

	/* One heap for all threads, because each keeps what it once needed: after 32 sessions 3.9 to 4.2 MB of anonymous
	 * memory, 4.1 to 5.5 with two. A call gets past the threads' own caches, to the heap's lock, about once. */
	mallopt(M_ARENA_MAX, 1);
	st = s->is_serve ? ag_app_audit_server_init(&s->c->app, s->nworker > 0, &s->audits, &err)
	                 : AG_OK;
	if (!st)
		st = start_crew(s, &err);
	/* The crew was forked before: each of its processes has an exporter. */
	if (!st)
		st = ag_app_traces(&s->c->app, &traces, &err);
	if (!st)
		st = open_service(s, is_http, &err);
	if (!st && s->hub)
		retention = ag_app_retention_start(&s->c->app, s->app.store_uri);
	if (!st && is_http)
		st = serve_http(s, is_open, &err);
	else if (!st)
		st = serve_stdio(s, &err);
	ag_app_retention_stop(retention);
	close_service(s);
	ag_otlp_stop(traces);
	stop_crew(s);
	return st ? ag_cli_fail(s->c, &err) : AG_EXIT_OK;
}

static int run(ag_cli *c)
{
	const bool is_http = ag_cli_has(c, "http");
	static const char *const of_http[] = { "host",
		                               "port",
		                               "no-auth",
		                               "allow-hosts",
		                               "allow-origins",
		                               "resource",
		                               "authorization-servers" };
	service s = { .c = c, .settings = PTHREAD_MUTEX_INITIALIZER };

	for (size_t i = 0; !is_http && i < AG_NELEM(of_http); i++)
		if (ag_cli_has(c, of_http[i]))
			ag_cli_complain(c, "--%s needs --http", of_http[i]);
	port_of(&s);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	return run_service(&s, is_http, ag_cli_has(c, "no-auth"));
}

static int write_openapi(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_OPENAPI_BYTES);

	ag_openapi_write(ag_server_routes, ag_server_nroute, &out);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run_serve(ag_cli *c)
{
	service s = { .c = c,
		      .is_serve = true,
		      .is_demo = ag_cli_has(c, "demo"),
		      .settings = PTHREAD_MUTEX_INITIALIZER };

	if (s.is_demo && c->narg)
		ag_cli_complain(c, "--demo has a database of its own, the example shop");
	port_of(&s);
	ag_cli_number(c, "grace", 0, 3600, GRACE_S);
	ag_cli_number(c, "questions", 0, 1000000, QUESTIONS);
	s.nworker = (unsigned)ag_cli_number(c, "workers", 0, AG_CREW_MAX - 1, 1);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_cli_has(c, "openapi"))
		return write_openapi(c);
	if (s.is_demo)
		ag_cli_note(
			c,
			"demo: a script answers a few questions about the example shop, no model is asked");
	return run_service(&s, true, s.is_demo || ag_cli_has(c, "no-auth"));
}

const ag_command ag_cmd_mcp = {
	.name = "mcp",
	.summary = "Serve databases, documents and projects to agents: the MCP server",
	.group = AG_GROUP_SERVE,
	.usage = "[SOURCE] [options]",
	.about =
		"Speaks the Model Context Protocol, over standard input and output or, with --http, on "
		"http://127.0.0.1:8100/mcp. SOURCE is a database (postgresql://user@host/name, sqlite:PATH); further "
		"ones are projects of argus.yaml (\"projects:\") or of the store (argus project add).\n\n"
		"Every statement is judged by the guard (argus guard), runs alone in a read-only transaction that is "
		"rolled back, is cut at a number of rows and bytes, counts against the caller's limits, and leaves a "
		"row in the audit table (argus log).\n\n"
		"Over standard input and output the caller is the local user. Over HTTP a caller is who his token says "
		"(argus token create); --no-auth lets everybody on this machine in as an analyst.",
	.examples =
		"argus mcp sqlite:shop.db # one database, for a client that starts this command\n"
		"argus mcp --project shop # a project of argus.yaml or of the store\n"
		"argus mcp --http --port 8100 # for many clients, with tokens",
	.options = options,
	.noption = AG_NELEM(options),
	.max_args = 1,
	.run = run,
};

const ag_command ag_cmd_serve = {
	.name = "serve",
	.summary = "Serve conversations, audits and MCP over HTTP, with a web page",
	.group = AG_GROUP_SERVE,
	.usage = "[SOURCE] [options]",
	.about =
		"Listens on http://127.0.0.1:8080. POST /api/chat takes a question and streams the answer, as the useChat hook "
		"of the Vercel AI SDK reads it; /api/threads lists the caller's conversations; /api/audits begins and shows audits of "
		"documents, which processes of its own do (--workers); /mcp is the server of argus mcp. "
		"SOURCE is a database, and further ones are projects, as of argus mcp.\n\n"
		"An answer goes on when its reader leaves: GET /api/chat/ID/stream reads it from its beginning, from any process on "
		"the same store, and goes on with one that a crash interrupted; POST /api/chat/ID/stop ends it.\n\n"
		"A caller is who his token says (argus token create); --no-auth lets everybody on this machine in as an "
		"analyst. SIGTERM, or Ctrl-C: no question is taken any more, and answers under way may end within --grace.",
	.examples =
		"argus serve --demo # the example shop, a script in the place of a model\n"
		"argus serve sqlite:shop.db --no-auth # one database, for whoever works on this machine\n"
		"argus serve --host 0.0.0.0 --allow-hosts argus.example.com # projects, with tokens, behind a proxy\n"
		"argus serve --openapi # what its API takes and returns, for programs that read OpenAPI",
	.options = serve_options,
	.noption = AG_NELEM(serve_options),
	.max_args = 1,
	.run = run_serve,
};
