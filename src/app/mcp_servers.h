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
#define AG_APP_SERVER_PROBE_MS \
	1000 /* the first pause after a server failed; doubled up to AG_BREAKER_OPEN_MS */
#define AG_APP_MAX_TURN_CLIENTS \
	64u /* of all turns at once, in a process; a turn beyond is without */

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
/* The entries as they must be for the turns of argus serve. Asks nobody. errors  AG_INVALID, AG_DENIED: names the entry */
AG_CHECK ag_status ag_app_servers_check(const ag_app *app, ag_arena *arena, ag_err *err);

/* --- turns of argus serve (mcp_turns.c) --- */

/* Which servers do not answer, in this process: a turn does not wait for those. One of them is asked again, beside the turns,
 * AG_APP_SERVER_PROBE_MS after it failed, then after pauses that double; when it answers, the next turn uses it. Thread safe. */
typedef struct ag_app_watch ag_app_watch;
ag_app_watch *ag_app_watch_new(const ag_app *app);
ag_app_watch *ag_app_watch_free(ag_app_watch *w); /* ends its probes; accepts NULL, returns NULL */

/* The servers of one turn: a client of its own for each entry that names its project, so that no turn sees what another left at a
 * server. */
typedef struct ag_app_turn_servers ag_app_turn_servers;
/* Begins to reach all of them, each on a thread, and returns at once. Lives in arena until ag_app_turn_servers_close(). ctx must
 * outlive it. */
ag_app_turn_servers *ag_app_turn_servers_begin(ag_app_watch *w, const ag_ctx *ctx, ag_str project,
                                               ag_arena *arena);
/* Waits for them, and gives their tools. One that does not answer within AG_APP_SERVER_START_MS is left out, and logged. */
ag_tool_set ag_app_turn_servers_tools(ag_app_turn_servers *t);
void ag_app_turn_servers_close(ag_app_turn_servers *t); /* accepts NULL */

/* --- shared by them --- */

/* One more server and its tools; texts in arena. On failure *s is as it was. */
AG_CHECK ag_status ag_app_servers_add(const ag_app *app, const ag_ctx *ctx,
                                      const ag_entry_setting *e, int64_t start_ms, ag_arena *arena,
                                      ag_app_servers *s, ag_err *err);
/* Is it an entry of "mcp_servers:" that names this project? */
bool ag_app_server_is_of(const ag_entry_setting *e, ag_str project, ag_arena *arena);

#endif
