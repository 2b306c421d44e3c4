/* server -- what this product serves over HTTP: its table of routes (routes.c), who may come (Host, Origin, bearer tokens),
 * and MCP over streamable HTTP, both eras.
 *
 * /mcp: POST is one message, whose answer is JSON, or a stream when messages come before it; GET is the session's stream;
 * DELETE ends the session. Beside it: GET /health or /healthz; GET /readyz; GET /status and /metrics, with a token; GET
 * /.well-known/oauth-protected-resource[/mcp]. Conversations: chat.h. */
#ifndef AG_SERVER_SERVER_H
#define AG_SERVER_SERVER_H

#include "analyst/analyst.h"
#include "ask/ask.h"
#include "base/json.h"
#include "http/server.h"
#include "mcp/server.h"
#include "store/jobs.h"

#define AG_SERVER_MCP_PATH "/mcp"
/* A request waits this long for a store that is away, then it gets 503. */
#define AG_SERVER_PATIENCE_MS 3000u

typedef struct ag_server ag_server;

/* What a turn is opened for. */
typedef struct ag_server_chat_call {
	const ag_ctx *ctx;
	const ag_caller *who;
	const ag_project *project;
	ag_arena *arena; /* lives until the turn is over */
	/* Says that no model is set, which is then no error. NULL: a missing model is an error. */
	ag_err *no_model;
} ag_server_chat_call;

/* How conversations are answered (analyst/analyst.h). Its functions are called from any thread. */
typedef struct ag_server_chat {
	ag_project_hub *hub;
	ag_store_group *group; /* of the store in which they are kept */
	/* All of a turn's options but question, thread, store and who watches. note: for close(). */
	ag_status (*open)(void *arg, const ag_server_chat_call *call, ag_analyst_opts *ret,
	                  void **note, ag_err *err);
	void (*close)(void *arg, void *note);
	/* One more meter with the budgets of a question. */
	ag_llm_meter *(*meter)(void *arg, ag_arena *arena);
	void *arg;
	int64_t grace_ms;    /* that turns may take to end when the server stops */
	int64_t lease_ms;    /* that a turn needs its thread at most */
	uint64_t per_minute; /* questions of one user; 0 = no limit */
	/* A script answers, no model: the questions that it knows; the nth, "" = there are no more. NULL = a model answers */
	ag_str (*starter)(size_t n);
} ag_server_chat;

/* What an audit is asked of. */
typedef struct ag_server_audit_what {
	const ag_project *project;
	ag_str uri; /* its documents, or a file that was uploaded for it */
	bool is_upload;
	ag_str eval_profile;                  /* "" = as the worker's settings say */
	uint64_t max_iterations, max_seconds; /* 0 = the same */
} ag_server_audit_what;

/* How audits are begun (server/audits.h). Its functions are called from any thread. */
typedef struct ag_server_audits {
	/* Jobs for a worker, one for each collection, in arena. */
	ag_status (*jobs)(void *arg, const ag_ctx *ctx, const ag_server_audit_what *what,
	                  ag_arena *arena, ag_job **ret, size_t *nret, ag_err *err);
	/* The folder in which files of a project are kept; it need not be there yet. In arena. */
	ag_str (*folder)(void *arg, ag_str project, ag_arena *arena);
	/* Keeps a file there, whole or not at all, in the place of one of that name.
	 * errors  AG_LIMIT: there are too many; AG_IO */
	ag_status (*keep)(void *arg, ag_str project, ag_str name, ag_str bytes, ag_arena *arena,
	                  ag_err *err);
	void *arg;
	bool show_values; /* as the settings say: else personal values are masked */
} ag_server_audits;

/* One question about a project's files. */
typedef struct ag_server_question {
	const ag_ctx *ctx; /* with progress */
	const ag_caller *who;
	const ag_project *project;
	ag_arena *arena;
	ag_str text;
	ag_ask_record record;
	bool is_offline; /* no model is wanted */
	double seconds;  /* it may take; 0 = as the settings say */
} ag_server_question;

/* How questions about files are answered (server/ask.h). Its functions are called from any thread. */
typedef struct ag_server_asks {
	/* The answer, and also why there is none, is in the store afterwards, under the record. */
	ag_status (*answer)(void *arg, const ag_server_question *q, ag_err *err);
	/* The folder of a project. errors  no message names a path of the server */
	ag_status (*open_root)(void *arg, const ag_project *p, ag_arena *arena, ag_root **ret,
	                       ag_err *err);
	/* May an administrator of a project choose this? "" = none is chosen. *ret_folder: without links. */
	ag_status (*choose)(void *arg, ag_str folder, ag_str api_base, ag_arena *arena,
	                    ag_str *ret_folder, ag_err *err);
	/* Has the project a model? */
	bool (*has_model)(void *arg, const ag_project *p);
	void *arg;
	double max_seconds;          /* that a question may take, and takes when none is named */
	ag_str folders, apis;        /* that may be chosen, with commas; "" = none */
	ag_str (*starter)(size_t n); /* questions to begin with, "" = there are no more; NULL */
} ag_server_asks;

/* What a database or a source of documents shows to whoever tries its address. */
typedef struct ag_server_seen {
	ag_str schema;       /* of PostgreSQL; of MongoDB the database */
	const ag_str *names; /* tables, views or collections */
	size_t n;
} ag_server_seen;

/* An address with its password, out of a request or of the store. */
typedef struct ag_server_address {
	ag_str uri, password; /* the uri holds none */
	bool is_documents;
} ag_server_address;

/* The databases and documents of projects (server/connections.c). Its functions are called from any thread. */
typedef struct ag_server_connections {
	/* May an administrator of a project connect to it? *ret: as it is kept.
	 * errors  AG_INVALID, AG_DENIED */
	ag_status (*check)(void *arg, const ag_server_address *a, ag_arena *arena, ag_str *ret,
	                   ag_err *err);
	/* The password as the store keeps it. errors  of ag_credential_seal() */
	ag_status (*seal)(void *arg, ag_str password, ag_arena *arena, ag_str *ret, ag_err *err);
	ag_status (*open)(void *arg, ag_str sealed, ag_str project, ag_arena *arena, ag_str *ret,
	                  ag_err *err);
	/* Connects and looks around. errors  in words, without the password */
	ag_status (*test)(void *arg, const ag_ctx *ctx, const ag_server_address *a, ag_arena *arena,
	                  ag_server_seen **ret, size_t *nret, ag_err *err);
	void *arg;
	ag_str hosts, folders; /* that may be named, with commas; "" = none */
} ag_server_connections;

/* A job that a person names. */
typedef struct ag_server_job_what {
	const ag_project *project;
	ag_str kind;
	ag_str what;          /* audit: a collection, "" = all; recipe: its name */
	const ag_val *values; /* of a recipe: an object */
} ag_server_job_what;

/* What jobs are (server/jobs.c). Its functions are called from any thread. */
typedef struct ag_server_jobs {
	/* Queue, kind, payload and target, in arena. errors  AG_INVALID: there is no such kind, or not of this project */
	ag_status (*make)(const ag_server_job_what *what, ag_arena *arena, ag_job *ret,
	                  ag_err *err);
	/* "shop/orders": what a payload means, for people; in arena. */
	ag_str (*shown)(ag_str kind, ag_str payload, ag_arena *arena);
} ag_server_jobs;

/* A setting as it counts now; a secret is masked. */
typedef struct ag_server_setting {
	ag_str group, key, value, by_default;
	ag_str place, where; /* "environment", "ARGUS_SEED" */
	ag_str help, variable;
	bool is_live; /* a new value counts without a restart */
} ag_server_setting;

/* How people come in, and how much anybody may ask; 0 = no limit. */
typedef struct ag_server_people {
	uint64_t
		user_per_minute; /* requests of one user to /api, in this process; questions have a limit of their own */
	uint64_t anonymous_per_minute; /* of one address, to what needs no login */
	uint64_t
		login_failures; /* of one user from one address, in all processes; then for login_wait_ms none is tried */
	int64_t login_wait_ms;
	int64_t session_ms; /* that a browser stays logged in */
	/* The header by which a proxy on this machine names the user whom it has authenticated, like X-Forwarded-User; "" =
	 * none is believed. */
	ag_str proxy_header;
	bool is_https; /* clients come by https: through a proxy */
} ag_server_people;

/* Signing in by an OpenID Connect issuer (server/oidc.c). */
typedef struct ag_server_oidc {
	struct ag_oidc *provider; /* oidc/oidc.h */
	ag_str name;              /* for people: "single sign-on" */
	ag_str sign_up;           /* "@example.com, analysts", "any", "" = nobody new */
	ag_str superuser;         /* a group; "" = the issuer has no say */
	ag_str name_claim, groups_claim;
	bool links_email;  /* an account of that name is the person's with that verified address */
	bool ends_session; /* logging out ends the issuer's session, too */
	const atomic_bool *cancel; /* set: requests to the issuer end */
} ag_server_oidc;

typedef struct ag_server_opts {
	ag_mcp_server *mcp;
	const ag_server_chat *chat;     /* NULL = conversations are not served */
	const ag_server_audits *audits; /* with chat; NULL = audits are not served */
	const ag_server_connections
		*connections; /* with chat; NULL = nobody changes them over HTTP */
	ag_str tables_folder; /* with chat: of imported tables (project/import.h); "" = none are imported */
	const ag_server_asks *asks; /* with chat; NULL = questions about files are not answered */
	const ag_server_jobs *jobs; /* with chat; NULL = jobs are not served */
	/* All settings, in arena; called from any worker. NULL = they are not served. */
	void (*settings)(void *arg, ag_arena *arena, ag_server_setting **ret, size_t *nret);
	void *settings_arg;
	const ag_server_oidc *oidc; /* with people; NULL = passwords alone */
	const ag_server_people
		*people; /* with chat; NULL = tokens alone, and no limits of requests */
	ag_store *store; /* for tokens; used under a lock of its own */
	/* Of the same store. Its rows change no token, and an answer does not hold a thread while its row is committed. NULL =
	 * none */
	ag_journal *journal;
	const ag_clock *clock;
	ag_str access_log;    /* path, "-" = standard output, "" = none (access_log.h) */
	ag_httpd_opts listen; /* host, port, limits; admit, handle and arg are filled here */
	/* Names that the Host header may have beside the bound address, localhost and loopback addresses when the server is
	 * bound to loopback (rebinding of DNS); "*" = any. */
	const ag_str *hosts;
	size_t nhost;
	/* Origins that may come beside those of the server itself ("http://localhost:5173"); "*" = any. */
	const ag_str *origins;
	size_t norigin;
	/* Without a token: the caller that stands for everybody, NULL = every request needs one. Only for a server that is
	 * bound to loopback. */
	const ag_caller *anonymous;
	/* OAuth resource metadata: the servers that give out tokens for this resource (the tokens must be known to
	 * `check`), and the resource's own address as clients know it; "" = http://HOST/mcp, by the request's Host. */
	const ag_str *authorization_servers;
	size_t nauthorization_server;
	ag_str resource;
	/* Scopes that are of use here ("sql", "audit", "ask"): a token that is limited to others is refused (403). */
	const ag_str *scopes;
	size_t nscope;
	/* Adds members to the object of GET /status; called from any worker. NULL: it adds none. */
	void (*status)(void *arg, ag_jw *w);
	void *status_arg;
	unsigned
		max_streams; /* calls that are answered as a stream, at once; 0 = 64; one more is 503 */
} ag_server_opts;

AG_CHECK ag_status ag_server_start(const ag_server_opts *o, ag_server **ret, ag_err *err);
unsigned ag_server_port(const ag_server *h);
/* Limits of people from now on, where the server was started with some; its address and the proxy's header stay. Of one
 * thread at a time. */
void ag_server_set_people(ag_server *h, const ag_server_people *people);
/* The access log goes to the file of that path from now on, "" = nowhere. After an error it goes on as before. Of one thread at
 * a time. errors  of ag_access_log_open() */
AG_CHECK ag_status ag_server_set_access_log(ag_server *h, ag_str path, ag_err *err);
/* Ends streams and sessions, waits for calls (set the process's cancel flag before). Accepts NULL, returns NULL. */
ag_server *ag_server_stop(ag_server *h);

#endif
