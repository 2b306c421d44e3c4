/* mcp_fixtures -- a server of small tools, a client that keeps what it is sent, and answers read as values. */
#ifndef AG_TESTS_MCP_FIXTURES_H
#define AG_TESTS_MCP_FIXTURES_H

#include <pthread.h>

#include "mcp/server.h"

#define MCP_INIT(version)                                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
	"\"" version "\",\"capabilities\":{\"sampling\":{},\"elicitation\":{},\"roots\":{}},"      \
	"\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}"
/* params._meta of a stateless request that declares every capability, without its braces */
#define MCP_META                                                                 \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"    \
	"\"sampling\":{},\"roots\":{}}}"

/* What the client was sent, oldest first. */
typedef struct mcp_client {
	ag_mcp_peer peer;
	pthread_mutex_t lock;
	pthread_cond_t more;
	ag_str sent[256];
	size_t nsent;
	atomic_bool is_gone;
	ag_arena *arena;
} mcp_client;

void mcp_client_init(mcp_client *c);
void mcp_client_release(mcp_client *c);
/* Waits for message number i (from 0), at most ten seconds. Lives until release. */
ag_str mcp_client_wait(mcp_client *c, size_t i);

/* A clock that stands still until it is moved. */
typedef struct mcp_clock {
	ag_clock clock;
	_Atomic int64_t ms;
} mcp_clock;

void mcp_clock_init(mcp_clock *c);

/* The tools: echo, structured, wait (until cancelled or mcp_go), fail_invalid, fail_internal, large, lines, report, flood, logs,
 * ask, ask_twice, hidden (offered to the user "ann" only). */
extern const ag_tool mcp_tools[];
extern const size_t mcp_ntool;
extern atomic_bool mcp_go;
extern atomic_uint mcp_waiting; /* calls of wait under way */
extern atomic_uint mcp_cancels; /* of them, those that saw a cancel */

/* Options of a server with these tools. */
ag_mcp_server_opts mcp_opts(void);
ag_mcp_server *mcp_server(const ag_mcp_server_opts *o);
/* A session of this revision and user. */
ag_mcp_session *mcp_session(ag_mcp_server *s, const char *version, const ag_caller *who);
ag_caller mcp_user(const char *name);
/* Sends and reads the answer; type MISSING: there was none. peer NULL = none. In arena. */
ag_val mcp_say(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
               const ag_mcp_peer *peer, ag_arena *arena, const char *message);
/* A member behind dots: "result.content.0.text"; keys with dots cannot be named. NULL: absent. */
const ag_val *mcp_at(const ag_val *v, const char *path);
ag_str mcp_text(const ag_val *v, const char *path);
int64_t mcp_int(const ag_val *v, const char *path); /* INT64_MIN: absent */

#endif
