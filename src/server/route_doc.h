/* route_doc -- what each route under /api takes and returns. A row of the route table refers to its ag_route_doc. The OpenAPI
 * document is made from these (openapi.c), and the body of a request is checked against the same parameters (problem.c), so
 * that the document and the server cannot disagree.
 *
 * To describe a route: an ag_route_doc in the doc_*.c of its area, its declaration here, and `.doc` in its row of routes.c.
 * The shape of a new answer is an ag_doc_shape in the same file. tests/unit/test_server_openapi.c fails for a route without
 * a description, for a path parameter without one, and for a shape that does not exist or that nothing uses. */
#ifndef AG_SERVER_ROUTE_DOC_H
#define AG_SERVER_ROUTE_DOC_H

#include "agent/tool.h"
#include "http/route.h"

#define AG_DOC_JSON    "application/json"
#define AG_DOC_PROBLEM "application/problem+json"

/* A member of an answer. */
typedef struct ag_doc_field {
	const char *name;
	/* "string", "integer", "number", "boolean", "time", "object", "any" or the name of a shape. "[string]" is a list of
	 * strings, "string?" a string or null, "TextPart|ToolPart" one of two shapes. */
	const char *type;
	const char *help;          /* NULL = the name says it */
	const char *const *one_of; /* strings: NULL-terminated list of the values; NULL = any */
	bool is_optional;          /* absent from some answers */
} ag_doc_field;

/* The member "next" of every list (list.h). */
#define AG_DOC_NEXT                                                                             \
	{                                                                                       \
		"next", "string?", "cursor of the next page; null on the last one", NULL, false \
	}

typedef struct ag_doc_shape {
	const char *name; /* "Thread" */
	const char *help;
	const ag_doc_field *fields;
	size_t nfield;
	bool is_open; /* of a body: takes further members, which are not described */
} ag_doc_shape;

/* Another answer than the usual one. */
typedef struct ag_doc_answer {
	int status; /* 0 = the list ends */
	const char *help;
} ag_doc_answer;

/* What becomes of a second request with the same Idempotency-Key (once.c). */
typedef enum ag_doc_retry {
	AG_DOC_RETRY_KEPT, /* it gets the first answer again */
	AG_DOC_RETRY_DONE, /* 409: the answer has a secret, or is a stream */
	AG_DOC_RETRY_NONE /* the route takes no key: its body has a password, or nobody is logged in yet */
} ag_doc_retry;

typedef struct ag_route_doc {
	const char *name;    /* "listThreads": the operationId */
	const char *tag;     /* the group: "threads" */
	const char *summary; /* one line */
	const char *help;    /* more; NULL = the summary is enough */
	const ag_param *at;  /* parameters of the path, one for each {name} */
	size_t nat;
	const ag_param *query;
	size_t nquery;
	/* The members of the body; checked before the handler reads it, an unknown one is refused. */
	const ag_param *body;
	size_t nbody;
	int wrong;          /* status of a body that is not as these say; 0 = 400 */
	const char *takes;  /* instead: the name of a shape, checked by the handler; NULL = none */
	int status;         /* of success; 0 = 200 */
	const char *gives;  /* the shape of the answer; NULL = no body, or not JSON */
	const char *media;  /* of an answer that is not JSON: "text/event-stream"; NULL = none */
	ag_doc_retry retry; /* of a route that changes something */
	bool is_list;       /* takes limit and cursor; its answer has "next" */
	ag_doc_answer other[4]; /* beside those that follow from the row: 400 to 429, 500, 503 */
} ag_route_doc;

/* The shapes of one area; ends with a NULL name. */
extern const ag_doc_shape ag_doc_chat_shapes[], ag_doc_people_shapes[], ag_doc_work_shapes[],
	ag_doc_audit_shapes[], ag_doc_manage_shapes[], ag_doc_ask_shapes[],
	ag_doc_connection_shapes[], ag_doc_share_shapes[], ag_doc_job_shapes[],
	ag_doc_profile_shapes[];

/* --- openapi.c --- */

#define AG_OPENAPI_BYTES (4u << 20) /* that the document may have; it has about 100,000 */

/* The description of the routes of the table as an OpenAPI 3.1 document. */
void ag_openapi_write(const ag_http_route *rows, size_t n, ag_buf *out);
/* Finds a shape by its name. NULL: no shape has that name. */
const ag_doc_shape *ag_doc_shape_find(ag_str name);
/* The nth shape; NULL = there are no more. */
const ag_doc_shape *ag_doc_shape_at(size_t n);
/* The next name in a type, without marks; *rest shrinks. "" = there are no more. */
ag_str ag_doc_type_next(ag_str *rest);
/* Checks a body against the description. errors  AG_INVALID: names the member */
AG_CHECK ag_status ag_doc_check_body(const ag_route_doc *d, const ag_val *body, ag_err *err);
/* Does it change something, so that it takes a key? */
bool ag_doc_takes_key(const ag_http_route *row);
/* Is it the second spelling of another path ("/api/chat/", "/api/chat//{id}/stream")? */
bool ag_doc_is_alias(const char *path);
void ag_server_openapi(void *env, ag_httpd_request *rq, ag_httpd_reply *rp); /* a route */

/* --- doc_chat.c --- */

extern const ag_route_doc ag_doc_start, ag_doc_openapi, ag_doc_ask, ag_doc_resume, ag_doc_stop,
	ag_doc_list_threads, ag_doc_get_thread, ag_doc_rename_thread, ag_doc_delete_thread,
	ag_doc_list_messages, ag_doc_view_thread, ag_doc_branch_thread, ag_doc_put_feedback,
	ag_doc_delete_feedback, ag_doc_list_feedback;

/* --- doc_people.c --- */

extern const ag_route_doc ag_doc_login, ag_doc_setup, ag_doc_logout, ag_doc_password, ag_doc_me,
	ag_doc_change_me, ag_doc_list_users, ag_doc_create_user, ag_doc_change_user,
	ag_doc_delete_user, ag_doc_link_user, ag_doc_list_tokens, ag_doc_create_token,
	ag_doc_revoke_token, ag_doc_list_projects, ag_doc_add_project, ag_doc_rename_project,
	ag_doc_remove_project, ag_doc_list_members, ag_doc_put_member, ag_doc_remove_member,
	ag_doc_sign_in_ways, ag_doc_oidc_login, ag_doc_oidc_callback, ag_doc_oidc_logout;

/* --- doc_work.c --- */

extern const ag_route_doc ag_doc_list_knowledge, ag_doc_add_knowledge, ag_doc_get_knowledge,
	ag_doc_replace_knowledge, ag_doc_delete_knowledge, ag_doc_review_learning,
	ag_doc_list_artifacts, ag_doc_get_artifact, ag_doc_rename_artifact, ag_doc_delete_artifact,
	ag_doc_list_versions, ag_doc_query_artifact, ag_doc_export_artifact,
	ag_doc_undelete_artifact, ag_doc_list_calls, ag_doc_check_calls;

/* --- doc_jobs.c --- */

extern const ag_route_doc ag_doc_list_jobs, ag_doc_add_job, ag_doc_get_job, ag_doc_cancel_job,
	ag_doc_retry_job, ag_doc_list_schedules, ag_doc_add_schedule, ag_doc_change_schedule,
	ag_doc_remove_schedule, ag_doc_list_settings, ag_doc_list_project_settings,
	ag_doc_put_project_setting, ag_doc_reset_project_setting;

/* --- doc_manage.c --- */

extern const ag_route_doc ag_doc_list_recipe_runs, ag_doc_run_recipe, ag_doc_get_recipe_run,
	ag_doc_stop_recipe_run, ag_doc_resume_recipe_run, ag_doc_list_evaluations, ag_doc_evaluate,
	ag_doc_get_evaluation, ag_doc_stop_evaluation, ag_doc_get_dictionary,
	ag_doc_refresh_dictionary;

/* --- doc_audits.c, doc_profiles.c --- */

extern const char *const ag_doc_eval_profiles[];
/* Members of a body: who judges an audit, and when it ends. */
#define AG_DOC_AUDIT_CHOICES                                                         \
	{ .name = "eval_profile",                                                    \
	  .type = AG_PARAM_STRING,                                                   \
	  .one_of = ag_doc_eval_profiles,                                            \
	  .help = "who judges: without it as the worker's settings say" },           \
		{ .name = "max_iterations",                                          \
		  .type = AG_PARAM_INT,                                              \
		  .min = 1,                                                          \
		  .max = 10000,                                                      \
		  .help = "steps of the planner" },                                  \
	{                                                                            \
		.name = "max_seconds", .type = AG_PARAM_INT, .min = 1, .max = 86400, \
		.help = "after which it ends as partial"                             \
	}

extern const ag_route_doc ag_doc_list_audits, ag_doc_start_audit, ag_doc_audit_sources,
	ag_doc_audit_quality, ag_doc_audit_baseline, ag_doc_set_baseline, ag_doc_drop_baseline,
	ag_doc_upload, ag_doc_drop_upload, ag_doc_inspect, ag_doc_documents, ag_doc_documents_of,
	ag_doc_waiting, ag_doc_audit_metrics, ag_doc_get_audit, ag_doc_audit_events,
	ag_doc_audit_report, ag_doc_export_audit, ag_doc_audit_diff, ag_doc_audit_history,
	ag_doc_verify_audit, ag_doc_stop_audit, ag_doc_resume_audit, ag_doc_rate, ag_doc_resolve,
	ag_doc_list_profiles, ag_doc_save_profile, ag_doc_rename_profile, ag_doc_drop_profile;

/* --- doc_connections.c --- */

extern const ag_route_doc ag_doc_list_connections, ag_doc_put_connection, ag_doc_test_connection,
	ag_doc_delete_connection, ag_doc_new_table, ag_doc_import_table, ag_doc_drop_table;

/* --- doc_ask.c --- */

extern const ag_route_doc ag_doc_list_questions, ag_doc_ask_files, ag_doc_get_question,
	ag_doc_ask_events, ag_doc_stop_question, ag_doc_ask_citation, ag_doc_get_ask_setup,
	ag_doc_put_ask_setup;

/* --- doc_shares.c --- */

extern const ag_route_doc ag_doc_list_shares, ag_doc_create_share, ag_doc_revoke_share,
	ag_doc_open_share, ag_doc_open_member_share;

#endif
