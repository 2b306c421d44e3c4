/* job_server -- what `argus serve` needs to queue jobs and to show them (server/server.h). */
#ifndef AG_APP_JOB_SERVER_H
#define AG_APP_JOB_SERVER_H

#include "server/server.h"

extern const ag_server_jobs ag_app_job_server;

#endif
