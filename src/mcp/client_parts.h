/* client_parts -- how a client's messages travel. Private to mcp/client*.c. */
#ifndef AG_MCP_CLIENT_PARTS_H
#define AG_MCP_CLIENT_PARTS_H

#include "mcp/client.h"

#define AG_MCP_CLIENT_REVISION "2025-11-25"
#define AG_MCP_CLIENT_ORIGIN   "mcp.client"

typedef struct ag_mcp_wire ag_mcp_wire;

typedef struct ag_mcp_wire_type {
	/* Send `message`; with an id wait for the answer to it. *ret: text of the answer, in arena. What the server says in
	 * between goes to ag_mcp_client_meanwhile(). */
	ag_status (*exchange)(ag_mcp_wire *w, const ag_ctx *ctx, ag_str message, ag_str id,
	                      ag_arena *arena, ag_str *ret, ag_err *err);
	void (*close)(ag_mcp_wire *w);
} ag_mcp_wire_type;

/* Implementations embed it as their first member. */
struct ag_mcp_wire {
	const ag_mcp_wire_type *type;
	ag_str name; /* of the server, for messages */
};

AG_CHECK ag_status ag_mcp_wire_stdio(const ag_mcp_client_opts *o, ag_mcp_wire **ret, ag_err *err);
AG_CHECK ag_status ag_mcp_wire_http(const ag_mcp_client_opts *o, ag_mcp_wire **ret, ag_err *err);

/* A message of the server: is it the answer to `id`? Of a request of the server *ret_reply (in arena) is what it is told:
 * ping is answered, all else is refused. */
bool ag_mcp_client_meanwhile(ag_str text, ag_str id, ag_arena *arena, ag_str *ret_reply);

ag_str ag_mcp_client_name(const ag_mcp_client *c); /* of argus.yaml */

#endif
