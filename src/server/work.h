/* work -- the routes of what a project knows and what its conversations left: /api/projects/{project}/knowledge, /artifacts.
 *
 * Each is a governed call of knowledge/knowledge.h or artifact/artifact.h: role, scope and limits are checked there, and its row is
 * in the audit table. */
#ifndef AG_SERVER_WORK_H
#define AG_SERVER_WORK_H

#include "knowledge/knowledge.h"
#include "server/parts.h"

#define AG_SERVER_WORK_MS 60000 /* that a governed call of these routes may take */

typedef struct ag_server_place {
	ag_ctx ctx;
	ag_know_place place; /* refers to ctx */
} ag_server_place;

/* The caller in that project, "" = the one that is meant when none is named. False: rp says why not. */
bool ag_server_place_in(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str id,
                        ag_server_place *ret);
/* The caller in the project of the route's {project}. False: rp says why not. */
bool ag_server_place_of(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        ag_server_place *ret);
/* A parameter of the route, decoded; "" = it cannot be. */
ag_str ag_server_param(ag_httpd_request *rq, const char *name);

/* --- knowledge.c: routes --- */

void ag_server_knowledge_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_knowledge_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_knowledge_add(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_knowledge_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_knowledge_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_learning_review(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- artifacts.c: routes --- */

void ag_server_artifacts_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_versions(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_data(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_export(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_rename(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_artifact_undelete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- recipes.c: routes --- */

void ag_server_recipe_runs_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_recipe_run_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_recipe_run_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_recipe_run_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_recipe_run_resume(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- evaluations.c: routes --- */

void ag_server_evaluations_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_evaluation_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_evaluation_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_evaluation_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- dictionary.c: routes --- */

void ag_server_dictionary_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_dictionary_refresh(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- connections.c: routes --- */

void ag_server_connections_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_connection_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_connection_test(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_connection_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- tables.c --- */

#define AG_SERVER_TABLE_BYTES (50u << 20) /* of a CSV file */

/* Does the project take imported tables of a caller with that role: has it such tables alone, or no database yet? */
bool ag_server_takes_tables(const ag_server *h, const ag_project *p, ag_role role, ag_arena *arena);
/* Routes. */
void ag_server_table_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_table_import(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_table_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- project_settings.c: routes --- */

void ag_server_project_settings_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_project_setting_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_project_setting_reset(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- settings.c: a route --- */

void ag_server_settings_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- jobs.c: routes --- */

void ag_server_jobs_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_job_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_job_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_job_cancel(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_job_retry(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_schedules_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_schedule_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_schedule_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_schedule_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- calls.c: routes --- */

void ag_server_calls_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_calls_check(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
