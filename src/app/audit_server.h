/* audit_server -- what `argus serve` needs to begin audits (server/server.h): jobs, and files that people upload.
 *
 * Files are kept in a folder of this machine, so jobs on them have a queue of their own, which only workers of this machine
 * take from; the others are in the queue that all workers share. */
#ifndef AG_APP_AUDIT_SERVER_H
#define AG_APP_AUDIT_SERVER_H

#include "app/app.h"
#include "server/server.h"

#define AG_UPLOADS_MAX_FILES 200u         /* of a project */
#define AG_UPLOADS_MAX_BYTES (2ull << 30) /* the same */

typedef struct ag_app_audit_server {
	ag_server_audits opts;
	ag_str folder;        /* of all uploads */
	ag_str spool_folder;  /* of bodies while they come in */
	ag_str uploads_queue; /* of jobs on them */
} ag_app_audit_server;

/* has_workers: processes of this server take jobs from uploads_queue. In the app's arena.
 * errors  those of ag_store_state_folder() */
AG_CHECK ag_status ag_app_audit_server_init(ag_app *app, bool has_workers, ag_app_audit_server *ret,
                                            ag_err *err);

/* The demo's project has the example shop's products as an uploaded file, with mistakes to be found.
 * errors  of keeping it */
AG_CHECK ag_status ag_app_audit_server_demo(ag_app_audit_server *s, ag_str project, ag_arena *arena,
                                            ag_err *err);

#endif
