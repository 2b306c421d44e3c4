/* http -- MCP over streamable HTTP: one endpoint, both eras; sessions, streams, bearer tokens.
 *
 * POST: one message; the answer is JSON, or a stream when messages come before it. GET: the session's stream. DELETE: ends
 * the session. Beside the endpoint: GET /health, GET /.well-known/oauth-protected-resource[/mcp]. */
#ifndef AG_MCP_HTTP_H
#define AG_MCP_HTTP_H

#include "http/server.h"
#include "mcp/server.h"

typedef struct ag_mcp_http ag_mcp_http;

typedef struct ag_mcp_http_opts {
	ag_mcp_server *server;
	ag_store *store; /* for tokens; used under a lock of its own */
	const ag_clock *clock;
	ag_str path;          /* "/mcp" */
	ag_httpd_opts listen; /* host, port, limits; handle and arg are filled here */
	/* Without a token: the caller that stands for everybody, NULL = every request needs one. Only for a server that is
	 * bound to loopback. */
	const ag_caller *anonymous;
	/* OAuth resource metadata: the servers that give out tokens for this resource (the tokens must be known to
	 * `check`), and the resource's own address as clients know it; "" = http://HOST/path, by the request's Host. */
	const ag_str *authorization_servers;
	size_t nauthorization_server;
	ag_str resource;
	/* Scopes that are of use here ("sql", "audit", "ask"): a token that is limited to others is refused (403). */
	const ag_str *scopes;
	size_t nscope;
	unsigned
		max_streams; /* calls that are answered as a stream, at once; 0 = 64; one more is 503 */
} ag_mcp_http_opts;

AG_CHECK ag_status ag_mcp_http_start(const ag_mcp_http_opts *o, ag_mcp_http **ret, ag_err *err);
unsigned ag_mcp_http_port(const ag_mcp_http *h);
/* Ends streams and sessions, waits for calls (set the process's cancel flag before). Accepts NULL, returns NULL. */
ag_mcp_http *ag_mcp_http_stop(ag_mcp_http *h);

#endif
