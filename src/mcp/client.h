/* client -- uses the tools of other MCP servers: over stdio (a child process) or streamable HTTP.
 *
 * Several threads may call the tools of one client; their requests go to the server one after another. Output of a server is
 * data from outside: sizes are limited, its texts are fenced by whoever shows them to a model. */
#ifndef AG_MCP_CLIENT_H
#define AG_MCP_CLIENT_H

#include "agent/tool.h"
#include "rpc/jsonrpc.h"

#define AG_MCP_CLIENT_MAX_TOOLS  200u
#define AG_MCP_CLIENT_MAX_OUTPUT (1u << 20)

typedef struct ag_mcp_client ag_mcp_client;

typedef struct ag_mcp_client_opts {
	ag_str name; /* of argus.yaml: the prefix of its tools: "files__read" */
	/* Either a command (argv, NULL-terminated; env: further NAME=value) … */
	char *const *argv;
	char *const *env;
	/* … or an address, with a bearer token ("" = none). */
	ag_str url, token;
	int64_t start_timeout_ms, call_timeout_ms; /* 0 = 30 s, 60 s */
} ag_mcp_client_opts;

typedef struct ag_mcp_client_tool {
	ag_str name, title, description;
	ag_str input_schema; /* JSON text */
	bool is_read_only;   /* as the server says */
} ag_mcp_client_tool;

/* Connects and shakes hands. errors  AG_UNAVAILABLE: it does not start or answer; AG_PROTOCOL; AG_INVALID: options */
AG_CHECK ag_status ag_mcp_client_open(const ag_ctx *ctx, const ag_mcp_client_opts *o,
                                      ag_mcp_client **ret, ag_err *err);
ag_mcp_client *ag_mcp_client_close(
	ag_mcp_client *c); /* ends the child; accepts NULL, returns NULL */
/* All pages. In arena. */
AG_CHECK ag_status ag_mcp_client_tools(ag_mcp_client *c, const ag_ctx *ctx, ag_arena *arena,
                                       ag_mcp_client_tool **ret, size_t *nret, ag_err *err);
/* *ret_text: the text blocks of the result joined by line breaks, or structuredContent when there are none; others are
 * named ("[image image/png, 1,024 bytes]"). arguments: JSON object. Cancels at the server when ctx says so.
 * errors  AG_PROTOCOL: the server answered with an error (its words); AG_TIMEOUT, AG_CANCELLED, AG_UNAVAILABLE */
AG_CHECK ag_status ag_mcp_client_call(ag_mcp_client *c, const ag_ctx *ctx, ag_str tool,
                                      ag_str arguments, ag_arena *arena, ag_str *ret_text,
                                      bool *ret_is_error, ag_err *err);
ag_str ag_mcp_client_server(const ag_mcp_client *c); /* "name version" as it introduced itself */

/* Its tools as an agent takes them, named "SERVER__TOOL". `allowed`: names at the server, none = those that it calls read
 * only. The rows live in arena and must not outlive the client. What they give is
 * {"server","tool","text","is_error"}.
 * errors  of ag_mcp_client_tools(); AG_NOT_FOUND: a name that is allowed is not there */
AG_CHECK ag_status ag_mcp_client_offer(ag_mcp_client *c, const ag_ctx *ctx, const ag_str *allowed,
                                       size_t nallowed, ag_arena *arena, ag_tool **ret,
                                       size_t *nret, ag_err *err);

#endif
