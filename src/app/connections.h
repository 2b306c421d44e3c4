/* connections -- what `argus serve` needs so that administrators connect their projects to databases (server/server.h): which
 * addresses the settings allow, the key of passwords, a look at what is there. */
#ifndef AG_APP_CONNECTIONS_H
#define AG_APP_CONNECTIONS_H

#include "app/app.h"
#include "server/server.h"

/* app: borrowed; only its settings are read. */
ag_server_connections ag_app_connections(ag_app *app);

#endif
