/* server -- MCP: what a server says, whatever carries it. Source: the MCP specification, revisions 2024-11-05 to
 * 2026-07-28.
 *
 * A transport (stdio.c, server/mcp_post.c) gives each message to ag_mcp_handle() on a thread of its own choice; the call runs there
 * and may block. Tools are rows of agent/tool.h; analyst/tools.c is the pattern.
 *
 * A tool's failure is a result that a model can read (is_error); a protocol error is for what no tool was reached by. */
#ifndef AG_MCP_SERVER_H
#define AG_MCP_SERVER_H

#include "agent/tool.h"
#include "project/project.h"
#include "rpc/jsonrpc.h"

typedef enum ag_mcp_revision {
	AG_MCP_2024_11_05,
	AG_MCP_2025_03_26,
	AG_MCP_2025_06_18,
	AG_MCP_2025_11_25, /* the newest with a handshake */
	AG_MCP_2026_07_28, /* stateless: each request says its own revision */
	AG_MCP_NREVISION
} ag_mcp_revision;

const char *ag_mcp_revision_name(ag_mcp_revision r);
bool ag_mcp_revision_read(ag_str text, ag_mcp_revision *ret);

typedef struct ag_mcp_server ag_mcp_server;
typedef struct ag_mcp_session ag_mcp_session;
typedef struct ag_mcp_later ag_mcp_later;

/* Where messages go that belong to one request (progress, log, questions to the client) or, in a session, to none. */
typedef struct ag_mcp_peer {
	/* One JSON-RPC message on one line. Thread safe. False: nobody reads any more. NULL = such messages cannot be sent,
	 * then they are not made. */
	bool (*send)(void *self, ag_str message);
	void *self;
	/* Lets the client's connection go while the call goes on: what is sent from then on waits until the client asks for
	 * it (polling of a stream, SEP-1699). False: it cannot be asked again. NULL = the transport has no such thing. */
	bool (*let_go)(void *self);
	/* The session that this peer listens to (ag_mcp_session_listen) was ended: nothing more will come. Must not call
	 * back. NULL = never mind. */
	void (*ended)(void *self);
	/* Not NULL, and zero: the transport commits the audit row of a tool's call before it sends the answer
	 * (later->row.journal is set then). NULL: that is done when the answer is there. */
	ag_mcp_later *later;
	int watch_fd;               /* the client's socket, -1 = none */
	const struct ag_span *span; /* of which its calls are a part; NULL */
	/* Set when the client left, NULL = never. Looked at before a call begins and when something is sent; whoever sets it
	 * calls ag_mcp_gone() as well, so that a call under way is cancelled at once. */
	const atomic_bool *is_gone;
} ag_mcp_peer;

/* One request under way, as tools and providers have it: `base` is what they take. Valid until they return. */
typedef struct ag_mcp_call {
	ag_call base; /* first member */
	ag_mcp_server *server;
	ag_mcp_session *session; /* NULL in a stateless request */
	const ag_mcp_peer *peer;
	ag_mcp_revision revision;
	struct ag_mcp_request *request; /* the server's own */
} ag_mcp_call;

/* The request behind a call that this server made. */
ag_mcp_call *ag_mcp_call_of(ag_call *c);

/* Resources, prompts and completion: one provider each. Listings are JSON objects of the specification's form, one after
 * another; texts in arena. `after`: name or URI of the last one of the page before, "" = from the beginning. */
typedef struct ag_mcp_item {
	ag_str key;  /* URI or name: sorts the listing */
	ag_str json; /* the whole object of the listing */
} ag_mcp_item;

/* What a client wants completed: an argument of a prompt or of a resource template. */
typedef struct ag_mcp_completion {
	bool is_prompt;
	ag_str ref; /* name of the prompt, URI of the template */
	ag_str argument, prefix;
	const ag_val *others; /* values of other arguments; NULL = none */
} ag_mcp_completion;

typedef struct ag_mcp_provider {
	void *env;
	bool can_subscribe; /* ag_mcp_resource_updated() is called when a resource changes */
	ag_status (*resources)(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err);
	ag_status (*templates)(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err);
	/* JSON array "contents". AG_NOT_FOUND: there is none of that URI. */
	ag_status (*read)(void *env, ag_call *c, ag_str uri, ag_buf *ret, ag_err *err);
	ag_status (*prompts)(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err);
	/* The members of the result of prompts/get as one JSON object. AG_NOT_FOUND, AG_INVALID: an argument. */
	ag_status (*prompt)(void *env, ag_call *c, ag_str name, const ag_val *arguments,
	                    ag_buf *ret, ag_err *err);
	/* Values of the argument that begin with the prefix. */
	ag_status (*complete)(void *env, ag_call *c, const ag_mcp_completion *what, ag_str **ret,
	                      size_t *nret, ag_err *err);
} ag_mcp_provider;

/* MCP Apps, revision 2026-01-26: the extension's name, and the type of a resource that draws results. */
#define AG_MCP_APPS      "io.modelcontextprotocol/ui"
#define AG_MCP_APPS_TYPE "text/html;profile=mcp-app"

#define AG_MCP_MAX_TABLES    8u
#define AG_MCP_MAX_PROVIDERS 4u

typedef struct ag_mcp_server_opts {
	const ag_clock *clock;
	ag_project_hub *hub; /* NULL: no tool asks a project */
	ag_tool_set tools[AG_MCP_MAX_TABLES];
	size_t ntools;
	ag_mcp_provider providers[AG_MCP_MAX_PROVIDERS];
	size_t nprovider;
	const char *instructions; /* for the model, "" = none */
	/* A provider has the resources that rows of the tables name as their frame; the server tells clients with MCP Apps of them. */
	bool has_frames;
	unsigned max_sessions;     /* 0 = 1000 */
	unsigned max_calls;        /* under way at once, of one session or caller; 0 = 32 */
	int64_t session_idle_ms;   /* 0 = an hour */
	int64_t call_timeout_ms;   /* 0 = 10 minutes: the outermost deadline of a tools/call */
	unsigned page;             /* items of one listing; 0 = 100 */
	const atomic_bool *cancel; /* of the process: ends every call; NULL */
} ag_mcp_server_opts;

AG_CHECK ag_status ag_mcp_server_new(const ag_mcp_server_opts *o, ag_mcp_server **ret, ag_err *err);
/* Cancels every call under way, in sessions and without; new ones are refused. Thread safe. */
void ag_mcp_server_stop(ag_mcp_server *s);
ag_mcp_server *ag_mcp_server_free(
	ag_mcp_server *s); /* no call may be under way; accepts NULL, returns NULL */
/* A resource changed: tells who subscribed to it. Thread safe. */
void ag_mcp_resource_updated(ag_mcp_server *s, ag_str uri);

/* Codes of errors beside those of JSON-RPC. */
#define AG_MCP_RESOURCE_NOT_FOUND  (-32002) /* until 2025-11-25 */
#define AG_MCP_HEADER_MISMATCH     (-32020) /* these three: from 2026-07-28 */
#define AG_MCP_MISSING_CAPABILITY  (-32021)
#define AG_MCP_UNSUPPORTED_VERSION (-32022)

/* What a message came to; a transport may have a sign of its own for each. */
typedef enum ag_mcp_outcome {
	AG_MCP_ACCEPTED,     /* it has no answer */
	AG_MCP_ANSWERED,     /* with a result, or an error of the method */
	AG_MCP_BAD_REQUEST,  /* with an error: the message itself is wrong */
	AG_MCP_NOT_A_METHOD, /* with an error; only since 2026-07-28 */
} ag_mcp_outcome;

/* What a message brought. */
typedef struct ag_mcp_answer {
	ag_buf text;   /* the response, one line without line break; empty: there is none (202) */
	int rpc_error; /* code of an error response; 0 = none */
	ag_mcp_outcome outcome;
	ag_mcp_session *
		opened; /* initialize made this session: its id goes to the client. A share: ag_mcp_session_drop() */
} ag_mcp_answer;

void ag_mcp_answer_release(ag_mcp_answer *a);

/* An answer whose audit row is put off. In memory that lives until it is sent, like the answer itself and the arena of its
 * message. */
struct ag_mcp_later {
	ag_project_later row;
	/* Of the server: */
	struct ag_mcp_turn *turn;
	ag_mcp_call *call;
};
/* The row could not be committed: the answer becomes a refusal that says so, unless it holds no data. */
void ag_mcp_withhold(ag_mcp_later *l, const ag_err *why);

/* One message of a client. session NULL: initialize, or a stateless request (2026-07-28). Thread safe; messages of one
 * session may come at once. */
void ag_mcp_handle(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                   const ag_mcp_peer *peer, ag_str message, ag_mcp_answer *ret);

/* The client of this peer left: its calls under way are cancelled and not answered. Thread safe. */
void ag_mcp_gone(ag_mcp_server *s, const ag_mcp_peer *peer);

/* What the transport must know before it handles a message: how to answer it. */
typedef struct ag_mcp_glance {
	bool is_readable; /* JSON-RPC; else handling it gives the error */
	ag_rpc_kind kind;
	ag_str method, name; /* name: params.name or params.uri, "" = none (header Mcp-Name) */
	ag_str revision; /* params._meta's protocolVersion, "" = none: a request of the handshake era */
	bool wants_stream; /* it may send messages before its response: progress token, long tool */
	/* For ag_mcp_handle_seen(): */
	ag_rpc_message message;
	int error_code; /* of what is not readable */
	ag_err err;
	ag_arena *arena;
} ag_mcp_glance;
void ag_mcp_look(ag_mcp_server *s, ag_str message, ag_arena *arena, ag_mcp_glance *ret);
/* ag_mcp_handle() of a message that was looked at: it is not parsed again. The call uses the arena of the glance. */
void ag_mcp_handle_seen(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                        const ag_mcp_peer *peer, const ag_mcp_glance *g, ag_mcp_answer *ret);

/* --- session.c: shares are counted; a session that is ended stays valid for who holds it --- */

ag_str ag_mcp_session_id(const ag_mcp_session *s); /* 43 characters of base64url: 256 random bits */
/* A share, or NULL: unknown, ended, expired, or of another user than `who`. */
ag_mcp_session *ag_mcp_session_find(ag_mcp_server *s, ag_str id, const ag_caller *who);
void ag_mcp_session_drop(ag_mcp_session *s);                    /* accepts NULL */
void ag_mcp_session_end(ag_mcp_server *srv, ag_mcp_session *s); /* its calls are cancelled */
bool ag_mcp_session_is_ended(const ag_mcp_session *s);
ag_mcp_revision ag_mcp_session_revision(const ag_mcp_session *s);
/* Where messages go that belong to no request (the GET stream, stdout): one at a time; NULL = nowhere. True when set. */
bool ag_mcp_session_listen(ag_mcp_session *s, const ag_mcp_peer *peer);

/* --- transports --- */

/* Serve one client on descriptors until end of file or cancel: messages are lines. Requests run on threads of their own,
 * so that a cancel is seen. errors  AG_IO */
AG_CHECK ag_status ag_mcp_stdio(ag_mcp_server *s, const ag_caller *who, int in_fd, int out_fd,
                                const atomic_bool *cancel, ag_err *err);

#endif
