/* mcp_servers -- the other MCP servers that an agent may use: "mcp_servers:" of argus.yaml.
 *
 *   mcp_servers:
 *     files:
 *       command: [npx, some-server, /data]     or   url: https://host/mcp
 *       token_env: ARGUS_FILES_TOKEN           a bearer token, for url
 *       tools: [read_file, list]               none = those that the server calls read only
 *
 * A settings file that was found in the current folder may name no command, and only variables that begin with ARGUS_. */
#ifndef AG_APP_MCP_SERVERS_H
#define AG_APP_MCP_SERVERS_H

#include "app/app.h"
#include "mcp/client.h"

#define AG_APP_MAX_SERVERS 8

typedef struct ag_app_servers {
	ag_mcp_client *clients[AG_APP_MAX_SERVERS];
	unsigned ports[AG_APP_MAX_SERVERS]; /* of those behind an address; 0 = a command */
	size_t n;
	ag_tool *tools; /* of all, in the app's arena */
	size_t ntool;
} ag_app_servers;

/* Starts or reaches all of them. errors  AG_INVALID, AG_DENIED: names the entry; of ag_mcp_client_open() */
AG_CHECK ag_status ag_app_servers_open(ag_app *app, ag_app_servers *ret, ag_err *err);
void ag_app_servers_close(ag_app_servers *s);

#endif
