/* service -- what a server keeps for each project between its calls: the model that answers questions, the queue of those
 * who ask, the gate of its index, and the loaded documents.
 *
 * A service is made by the first call of its project and lives until the server ends. A project that was changed is another
 * ag_project (project/project.h), so it gets a new service with its new settings. Thread safe. */
#ifndef AG_APP_SERVICE_H
#define AG_APP_SERVICE_H

#include "agent/call.h"
#include "app/app.h"
#include "ask/index.h"
#include "documents/source_cache.h"
#include "project/turns.h"

typedef struct ag_services ag_services;
typedef struct ag_service ag_service;

/* app is borrowed. While services are used, nobody else may open models with it or use its arena. */
ag_services *ag_services_new(ag_app *app);
/* No call may be under way. Accepts NULL, returns NULL. */
ag_services *ag_services_free(ag_services *s);
ag_service *ag_services_of(ag_services *s, const ag_project *p);
/* The loaded documents of all projects: what is limited is the memory of the process. */
ag_source_cache *ag_services_documents(ag_services *s);

/* A place among the questions that are answered now; given back with ag_turn_give(). False: *ret_failure says why not. */
bool ag_service_question(ag_service *s, const ag_call *c, ag_turn **ret,
                         ag_sql_failure *ret_failure);
/* Questions that wait now. */
unsigned ag_service_waiting(ag_service *s);
/* A handle of the project's model for one question; closed with ag_llm_close(). The model is the project's own setting, else
 * the one of the process.
 * errors  AG_NOT_FOUND: no model is set; AG_INVALID: the project names a model that there is not; of ag_app_ask_model() */
AG_CHECK ag_status ag_service_model(ag_service *s, ag_llm **ret, ag_err *err);
ag_index_gate *ag_service_index(ag_service *s);

#endif
