/* mcp_headers -- what the headers of streamable HTTP say, and whether they agree with the message. Pure functions. */
#ifndef AG_SERVER_MCP_HEADERS_H
#define AG_SERVER_MCP_HEADERS_H

#include "mcp/server.h"

/* Does an Accept header take "application/json"? Ranges count ("*" "/" "*"), what has q=0 does not. */
bool ag_mcp_accepts(ag_str accept, ag_str type);
/* "application/json", with or without parameters. */
bool ag_mcp_is_json(ag_str content_type);
/* The token of "Bearer TOKEN"; false for anything else. */
bool ag_mcp_bearer(ag_str authorization, ag_str *ret);
/* The value that a header of a mirrored name stands for: as it is, or decoded from =?base64?…?=. False: it is neither
 * visible ASCII nor correct base64. In arena or a view. */
bool ag_mcp_mirrored(ag_str value, ag_arena *arena, ag_str *ret);
/* Do the headers of a stateless request agree with its body? NULL = yes; else a sentence for the client, in arena.
 * version, method, name: MCP-Protocol-Version, Mcp-Method, Mcp-Name; "" = absent. */
const char *ag_mcp_header_mismatch(const ag_mcp_glance *g, ag_str version, ag_str method,
                                   ag_str name, ag_arena *arena);

/* Ids of events: stream and place in it, "12-3". */
#define AG_MCP_EVENT_CHARS 44u
ag_str ag_mcp_event_id(uint64_t stream, uint64_t place, char ret[AG_MCP_EVENT_CHARS]);
bool ag_mcp_event_read(ag_str id, uint64_t *ret_stream, uint64_t *ret_place);

#endif
