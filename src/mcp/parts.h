/* parts -- what the files of the server share: the structs behind server.h, and how an answer is written.
 *
 * Locks, from the outside in: server.lock (sessions), a session's listen_lock, calls.lock. Nothing is sent to a client
 * under server.lock or calls.lock: a client may be slow. */
#ifndef AG_MCP_PARTS_H
#define AG_MCP_PARTS_H

#include <pthread.h>

#include "base/fernet.h"
#include "mcp/server.h"
#include "run/id.h"

#define AG_MCP_MAX_ANSWER      (512u << 20) /* bytes of one response */
#define AG_MCP_MAX_SUBSCRIBED  100u         /* resources of one session or stream */
#define AG_MCP_MAX_URI         2048u
#define AG_MCP_MAX_INPUTS      16u /* questions of one input_required */
#define AG_MCP_SESSION_CHARS   43u
#define AG_MCP_LOG_OFF         99
#define AG_MCP_STATE_MS        (10 * 60 * 1000) /* a requestState is good for so long */
#define AG_MCP_META_VERSION    "io.modelcontextprotocol/protocolVersion"
#define AG_MCP_META_CLIENT     "io.modelcontextprotocol/clientCapabilities"
#define AG_MCP_META_LOG_LEVEL  "io.modelcontextprotocol/logLevel"
#define AG_MCP_META_SERVER     "io.modelcontextprotocol/serverInfo"
#define AG_MCP_META_SUBSCRIBED "io.modelcontextprotocol/subscriptionId"

/* --- requests under way --- */

typedef enum ag_mcp_why {
	AG_MCP_RUNS,
	AG_MCP_BY_CLIENT, /* cancelled, or it left: no answer */
	AG_MCP_BY_SERVER  /* the session or the server ends: an error */
} ag_mcp_why;

typedef struct ag_mcp_request {
	struct ag_mcp_request *next, **prev; /* of its ag_mcp_calls */
	ag_str id;
	const ag_caller *who;
	const ag_mcp_peer *peer;
	atomic_bool cancel; /* ctx.cancel of the call */
	ag_mcp_why why;
	pthread_cond_t changed; /* cancelled, or an answer came; with calls.lock */

	/* Of the call's own thread: */
	ag_str progress_token; /* JSON text, "" = none */
	double last_progress;
	int64_t last_progress_ms;
	int log_level; /* least that is sent; AG_MCP_LOG_OFF */
	bool can_sample, can_elicit, can_list_roots;

	/* A question to the client that waits (handshake); with calls.lock. */
	uint64_t asked; /* its id, 0 = none */
	ag_arena *arena;
	ag_val answer;
	bool has_answer, answer_is_error;

	/* Questions by input_required (stateless): */
	const ag_val *inputs;   /* inputResponses, NULL = none */
	ag_val earlier;         /* answers of earlier rounds, from requestState */
	ag_str state;           /* what the tool kept in requestState, "" = none */
	ag_str wanted;          /* members of inputRequests; in arena */
	unsigned nwanted, nask; /* nask: ag_mcp_ask() so far */
	ag_str keep;            /* for the next requestState; "" = none */
	const char *missing;    /* a capability of the client that the call cannot do without */
} ag_mcp_request;

typedef struct ag_mcp_calls {
	pthread_mutex_t lock;
	ag_mcp_request *head;
} ag_mcp_calls;

/* --- sessions --- */

struct ag_mcp_session {
	char id[AG_MCP_SESSION_CHARS + 1];
	ag_id name; /* for logs: the id itself is a key */
	ag_mcp_revision revision;
	char *user; /* owner */
	bool can_sample, can_elicit, can_list_roots;
	bool draws; /* MCP Apps */
	atomic_uint refs;
	atomic_bool is_ended;
	atomic_int log_level;
	_Atomic int64_t used_ms; /* monotonic */
	atomic_uint_fast64_t next_question;
	ag_mcp_calls calls;
	pthread_mutex_t listen_lock; /* of the two below */
	const ag_mcp_peer *listener;
	char **subscribed;
	size_t nsubscribed;
	struct ag_mcp_session *next; /* in its bucket */
};

/* subscriptions/listen under way */
typedef struct ag_mcp_listen {
	struct ag_mcp_listen *next;
	ag_mcp_request *request;
	const ag_str *uris;
	size_t nuri;
} ag_mcp_listen;

/* --- the server --- */

typedef struct ag_mcp_tool_row {
	const ag_tool *tool;
	const ag_tool_set *table;
} ag_mcp_tool_row;

#define AG_MCP_CALLER_BUCKETS 16u
#define AG_MCP_SPARE_ARENAS   16u

struct ag_mcp_server {
	ag_mcp_server_opts o;
	ag_arena *arena;
	ag_mcp_tool_row *rows, *by_name; /* in the order of the tables; sorted */
	size_t nrow;
	bool has_resources, has_prompts, has_completion, can_subscribe;
	ag_str result_meta; /* what every result of the stateless era begins with */
	ag_fernet_key state_key;
	atomic_bool is_stopped;

	pthread_mutex_t lock; /* of the table of sessions */
	ag_mcp_session **buckets;
	size_t nbucket, nsession;

	ag_mcp_calls callers[AG_MCP_CALLER_BUCKETS]; /* requests of no session */

	pthread_mutex_t listen_lock;
	ag_mcp_listen *listens;

	pthread_mutex_t arena_lock;
	ag_arena *spare[AG_MCP_SPARE_ARENAS];
	size_t nspare;
};

ag_arena *ag_mcp_arena_take(ag_mcp_server *s);
void ag_mcp_arena_give(ag_mcp_server *s, ag_arena *a);

/* One message that is being handled. */
typedef struct ag_mcp_turn {
	ag_mcp_server *server;
	ag_mcp_session *session; /* NULL: stateless, or no session yet */
	const ag_caller *who;
	const ag_mcp_peer *peer;
	ag_arena *arena;
	const ag_rpc_message *message;
	const ag_val *params; /* NULL = none */
	const ag_val *meta;   /* params._meta, NULL = none */
	ag_mcp_revision revision;
	bool is_stateless;
	bool draws;       /* the client draws results, and the server has what it needs for that */
	bool wants_input; /* the result is of the kind input_required */
	ag_mcp_answer *ret;
} ag_mcp_turn;

/* --- answer.c: what goes back --- */

/* {"jsonrpc":"2.0","id":…,"result":{ and, in the stateless era, what each result has. */
void ag_mcp_result_begin(ag_mcp_turn *t, ag_jw *w);
void ag_mcp_result_end(ag_mcp_turn *t, ag_jw *w);
/* The result is this JSON object. */
void ag_mcp_result_object(ag_mcp_turn *t, ag_str object);
/* ttlMs and cacheScope; nothing in the handshake era. */
void ag_mcp_result_cache(ag_mcp_turn *t, ag_jw *w, int64_t ttl_ms, bool is_public);
/* An error in place of what was written so far. data: JSON text, "" = none. */
AG_PRINTF(4, 5)
void ag_mcp_error(ag_mcp_turn *t, int code, ag_str data, const char *fmt, ...);
/* The same from an error: message and hint. */
void ag_mcp_error_of(ag_mcp_turn *t, const ag_err *err);
/* A tool's result with is_error, in words. */
void ag_mcp_tool_failed(ag_mcp_turn *t, ag_str words);
/* "message; hint" */
ag_str ag_mcp_words(ag_arena *arena, const ag_err *err);
/* JSON text of ag_jw as a quoted string: three times as fast as ag_json_quote(), for it trusts the UTF-8. */
void ag_mcp_quote_json(ag_buf *out, ag_str json);
/* A member of params that must be a string: "" and an error were it is not. */
bool ag_mcp_text_of(ag_mcp_turn *t, const char *key, ag_str *ret);

/* --- handshake.c --- */

void ag_mcp_initialize(ag_mcp_turn *t);
void ag_mcp_discover(ag_mcp_turn *t);
void ag_mcp_server_info(ag_jw *w, ag_mcp_revision r);
/* Which questions the client answers, of its capabilities. */
void ag_mcp_client_can(const ag_val *capabilities, bool *ret_sample, bool *ret_elicit,
                       bool *ret_roots);
/* Does the client draw results (MCP Apps), by its capabilities? */
bool ag_mcp_client_draws(const ag_val *capabilities);

/* --- session.c --- */

/* A session of this caller: one share for the table, one for the caller of this. NULL: there are too many, all busy. */
ag_mcp_session *ag_mcp_session_new(ag_mcp_server *s, const ag_caller *who, ag_mcp_revision r);
/* Shares of all sessions, in arena. */
void ag_mcp_sessions(ag_mcp_server *s, ag_arena *arena, ag_mcp_session ***ret, size_t *nret);
void ag_mcp_subscribe(ag_mcp_turn *t);
void ag_mcp_unsubscribe(ag_mcp_turn *t);

/* --- requests.c --- */

/* Into the list. NULL: one of that id is under way, there are too many, or the server stops: then t has its answer. */
bool ag_mcp_request_begin(ag_mcp_turn *t, ag_mcp_request *rq);
/* Out of the list. False: it was cancelled, and t has what is to be said (nothing, or an error). */
bool ag_mcp_request_end(ag_mcp_turn *t, ag_mcp_request *rq);
ag_mcp_calls *ag_mcp_calls_of(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who);
void ag_mcp_calls_init(ag_mcp_calls *c);
void ag_mcp_calls_release(ag_mcp_calls *c);
void ag_mcp_calls_cancel(ag_mcp_calls *c, ag_mcp_why why);
bool ag_mcp_calls_any(ag_mcp_calls *c);
void ag_mcp_cancelled(ag_mcp_turn *t); /* notifications/cancelled */
void ag_mcp_answered(ag_mcp_turn *t);  /* a response to a question */
/* Waits until something changes, at most ms. With calls.lock. */
void ag_mcp_request_wait(ag_mcp_calls *c, ag_mcp_request *rq, int64_t ms);
/* The answer to one more call than may be under way, without beginning it. */
void ag_mcp_refuse_busy(ag_mcp_turn *t);
bool ag_mcp_send(const ag_mcp_peer *p, ag_str message);

/* --- input.c: questions of the stateless era --- */

/* Reads inputResponses and requestState of the message. False: t has the error. */
bool ag_mcp_input_read(ag_mcp_turn *t, ag_mcp_request *rq);
/* The answer of that name, NULL = not there yet, or of no use. */
const ag_val *ag_mcp_input(const ag_mcp_call *c, ag_str key);
/* The client is asked for it: goes into this call's input_required. False: it said that it cannot. */
bool ag_mcp_want(ag_mcp_call *c, ag_str key, const char *method, ag_str params);
/* What the tool finds in c->request->state when it is called again. */
void ag_mcp_keep(ag_mcp_call *c, ag_str text);
/* Was something wanted, or is something missing? Then t has that answer. */
bool ag_mcp_input_write(ag_mcp_turn *t, ag_mcp_request *rq);

/* --- notify.c, requests.c: what a call's client is told and asked (ag_client) --- */

void ag_mcp_progress(ag_call *c, double done, double total, ag_str message);
void ag_mcp_log(ag_call *c, const char *level, const char *logger, ag_str data);
ag_status ag_mcp_ask(ag_call *c, const char *method, ag_str params, ag_val *ret, ag_err *err);

/* --- calls.c, lists.c, notify.c: methods --- */

void ag_mcp_tools_call(ag_mcp_turn *t);
void ag_mcp_resources_read(ag_mcp_turn *t);
void ag_mcp_prompts_get(ag_mcp_turn *t);
void ag_mcp_complete(ag_mcp_turn *t);
const ag_mcp_tool_row *ag_mcp_tool_find(const ag_mcp_server *s, ag_str name);
bool ag_mcp_is_offered(const ag_mcp_tool_row *row, const ag_caller *who);
void ag_mcp_call_init(ag_mcp_turn *t, ag_mcp_request *rq, ag_mcp_call *ret);

void ag_mcp_tools_list(ag_mcp_turn *t);
void ag_mcp_resources_list(ag_mcp_turn *t);
void ag_mcp_templates_list(ag_mcp_turn *t);
void ag_mcp_prompts_list(ag_mcp_turn *t);

/* -1: no such level */
int ag_mcp_level_read(ag_str name);
void ag_mcp_set_level(ag_mcp_turn *t);
void ag_mcp_listen_run(ag_mcp_turn *t);

/* --- server.c, for transports --- */

/* Is it answered at once, without a tool or a provider? Then it needs no thread of its own. */
bool ag_mcp_is_quick(const ag_mcp_glance *g);
/* Handled as the one call too many. */
void ag_mcp_handle_busy(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                        const ag_mcp_glance *g, ag_mcp_answer *ret);

#endif
