/* sql_server -- another process that runs a conversation's statements: the MCP server of MCP_SERVER_URL.
 *
 * Its tools keep their names. Their parameter project_id is filled from the conversation and hidden from the model, which
 * therefore cannot name another project. */
#ifndef AG_APP_SQL_SERVER_H
#define AG_APP_SQL_SERVER_H

#include "app/app.h"
#include "mcp/client.h"

typedef struct ag_app_sql_server {
	ag_mcp_client *client; /* NULL = not open */
	ag_tool_set tools;     /* in the app's arena */
} ag_app_sql_server;

/* project: its id at the server, "" = the only one that the token allows. The token is ARGUS_MCP_TOKEN.
 * errors  AG_DENIED: the address comes with the folder and is not this machine; AG_NOT_FOUND: the server runs no SQL; of
 *         ag_mcp_client_open() */
AG_CHECK ag_status ag_app_sql_server_open(ag_app *app, const ag_var *url, ag_str project,
                                          ag_app_sql_server *ret, ag_err *err);
void ag_app_sql_server_close(ag_app_sql_server *s);

#endif
