/* mcp_servers -- the other MCP servers that an agent may use: "mcp_servers:" of argus.yaml.
 *
 * On the command line all of them are used, by the local user. In a conversation that argus serve answers only those are that
 * name its project: their token is the operator's, so that the operator says whose questions it may answer.
 *
 *   mcp_servers:
 *     files:
 *       command: [npx, some-server, /data]     or   url: https://host/mcp
 *       token_env: ARGUS_FILES_TOKEN           a bearer token, for url
 *       tools: [read_file, list]               none = those that the server calls read only
 *       projects: [shop]                       of argus serve: whose conversations may use it
 *
 * A settings file that was found in the current folder may name no command, and only variables that begin with ARGUS_. */
#ifndef AG_APP_MCP_SERVERS_H
#define AG_APP_MCP_SERVERS_H

#include "app/app.h"
#include "mcp/client.h"

#define AG_APP_MAX_SERVERS     8
#define AG_APP_SERVER_START_MS 5000
#define AG_APP_MAX_TURN_CLIENTS \
	64u /* of all turns at once, in a process; a turn beyond is without */

typedef struct ag_app_servers {
	ag_mcp_client *clients[AG_APP_MAX_SERVERS];
	unsigned ports[AG_APP_MAX_SERVERS]; /* of those behind an address; 0 = a command */
	size_t n;
	ag_tool *tools; /* of all, in the app's arena */
	size_t ntool;
	bool is_of_turn;
} ag_app_servers;

/* Starts or reaches all of them. errors  AG_INVALID, AG_DENIED: names the entry; of ag_mcp_client_open() */
AG_CHECK ag_status ag_app_servers_open(ag_app *app, ag_app_servers *ret, ag_err *err);
/* Of one turn of argus serve in that project: a client of its own for each entry that names it, so that no turn sees what another
 * left at a server. One that does not answer within AG_APP_SERVER_START_MS is left out, and logged. Texts in arena. Thread safe. */
void ag_app_servers_of_turn(const ag_app *app, const ag_ctx *ctx, ag_str project, ag_arena *arena,
                            ag_app_servers *ret);
/* The entries as they must be for ag_app_servers_of_turn(). Asks nobody. errors  AG_INVALID, AG_DENIED: names the entry */
AG_CHECK ag_status ag_app_servers_check(const ag_app *app, ag_arena *arena, ag_err *err);
void ag_app_servers_close(ag_app_servers *s);

#endif
