/* ask_server -- what `argus serve` needs to answer questions about files (server/server.h), and the demo's pages. */
#ifndef AG_APP_ASK_SERVER_H
#define AG_APP_ASK_SERVER_H

#include "app/mcp_tools.h"
#include "server/server.h"

/* m: borrowed; its services keep models and indexes between questions. */
ag_server_asks ag_app_ask_server(ag_app_mcp *m, bool is_demo);

/* The folder of the documentation that the demo is asked about: written from this program. In the app's arena.
 * errors  of writing it */
AG_CHECK ag_status ag_app_demo_pages(ag_app *app, ag_str *ret, ag_err *err);

#endif
