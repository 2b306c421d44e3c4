/* retention -- `argus purge` by itself, where retention_days is set: at most once a day for all processes of a store. */
#ifndef AG_APP_RETENTION_H
#define AG_APP_RETENTION_H

#include "app/app.h"

/* Purges when the last time was a day ago or more. Opens a store handle of its own. A failure is logged: the next day tries
 * again. Other writers get the store in between. */
void ag_app_retain(const ag_app *app, ag_str store_uri);
/* When it last ran, wall time; 0 = never. */
int64_t ag_app_retained_ms(ag_store *store, ag_arena *arena);

/* A thread that retains now, and once a day. NULL where nothing is set, or no thread can be started (which is logged). */
typedef struct ag_retention ag_retention;
ag_retention *ag_app_retention_start(const ag_app *app, ag_str store_uri);
/* Waits for a purge that runs. Accepts NULL. */
void ag_app_retention_stop(ag_retention *r);

#endif
