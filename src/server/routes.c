/* The table of routes. To add one: its function in a file of this folder, its declaration in parts.h, a row here. */
#include "base/json.h"
#include "server/accounts.h"
#include "server/audits.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/route_doc.h"
#include "server/web.h"
#include "server/work.h"

#define WELL_KNOWN AG_SERVER_WELL_KNOWN

static void health(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)env;
	(void)rq;
	rp->content_type = AG_S("application/json");
	rp->borrowed = AG_S("{\"status\":\"ok\",\"name\":\"argus\",\"version\":\"" AG_VERSION
	                    "\"}");
}

/* Not for everybody, as /health is: the counts show how much the server is used. */
static void status(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;
	ag_jw w;

	(void)rq;
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "status", AG_S("ok"));
	ag_jw_kstr(&w, "version", AG_S(AG_VERSION));
	if (h->opts.status)
		h->opts.status(h->opts.status_arg, &w);
	ag_jw_obj_end(&w);
}

const ag_http_route ag_server_routes[] = {
	{ .methods = "POST",
	  .path = AG_SERVER_MCP_PATH,
	  .scope = "",
	  .handle = ag_server_mcp_post },
	{ .methods = "GET", .path = AG_SERVER_MCP_PATH, .scope = "", .handle = ag_server_mcp_get },
	{ .methods = "DELETE",
	  .path = AG_SERVER_MCP_PATH,
	  .scope = "",
	  .handle = ag_server_mcp_delete },
	{ .methods = "POST",
	  .path = "/api/chat",
	  .scope = "sql",
	  .handle = ag_server_chat_post,
	  .doc = &ag_doc_ask },
	{ .methods = "POST",
	  .path = "/api/chat/",
	  .scope = "sql",
	  .handle = ag_server_chat_post,
	  .doc = &ag_doc_ask },
	{ .methods = "GET",
	  .path = "/api/chat/{id}/stream",
	  .scope = "sql",
	  .handle = ag_server_chat_resume,
	  .doc = &ag_doc_resume },
	/* As the AI SDK's transport forms it when its address is "/api/chat/". */
	{ .methods = "GET",
	  .path = "/api/chat//{id}/stream",
	  .scope = "sql",
	  .handle = ag_server_chat_resume,
	  .doc = &ag_doc_resume },
	{ .methods = "POST",
	  .path = "/api/chat/{id}/stop",
	  .scope = "sql",
	  .handle = ag_server_chat_cancel,
	  .doc = &ag_doc_stop },
	{ .methods = "GET",
	  .path = "/api/threads",
	  .scope = "sql",
	  .handle = ag_server_threads_list,
	  .doc = &ag_doc_list_threads },
	{ .methods = "GET",
	  .path = "/api/threads/{id}",
	  .scope = "sql",
	  .handle = ag_server_thread_get,
	  .doc = &ag_doc_get_thread },
	{ .methods = "PATCH",
	  .path = "/api/threads/{id}",
	  .scope = "sql",
	  .handle = ag_server_thread_change,
	  .doc = &ag_doc_rename_thread },
	{ .methods = "DELETE",
	  .path = "/api/threads/{id}",
	  .scope = "sql",
	  .handle = ag_server_thread_delete,
	  .doc = &ag_doc_delete_thread },
	{ .methods = "GET",
	  .path = "/api/threads/{id}/messages",
	  .scope = "sql",
	  .handle = ag_server_thread_messages,
	  .doc = &ag_doc_list_messages },
	{ .methods = "POST",
	  .path = "/api/threads/{id}/viewed",
	  .scope = "sql",
	  .handle = ag_server_thread_viewed,
	  .doc = &ag_doc_view_thread },
	{ .methods = "POST",
	  .path = "/api/threads/{id}/branch",
	  .scope = "sql",
	  .handle = ag_server_thread_branch,
	  .doc = &ag_doc_branch_thread },
	{ .methods = "POST",
	  .path = "/api/auth/login",
	  .handle = ag_server_login,
	  .doc = &ag_doc_login },
	{ .methods = "POST",
	  .path = "/api/auth/setup",
	  .handle = ag_server_setup,
	  .doc = &ag_doc_setup },
	{ .methods = "POST",
	  .path = "/api/auth/logout",
	  .scope = "",
	  .handle = ag_server_logout,
	  .doc = &ag_doc_logout },
	{ .methods = "POST",
	  .path = "/api/auth/password",
	  .scope = "",
	  .handle = ag_server_password,
	  .doc = &ag_doc_password },
	{ .methods = "GET",
	  .path = "/api/auth/me",
	  .scope = "",
	  .handle = ag_server_me,
	  .doc = &ag_doc_me },
	{ .methods = "PATCH",
	  .path = "/api/auth/me",
	  .scope = "",
	  .handle = ag_server_me_change,
	  .doc = &ag_doc_change_me },
	{ .methods = "GET",
	  .path = "/api/users",
	  .scope = "",
	  .handle = ag_server_users_list,
	  .doc = &ag_doc_list_users },
	{ .methods = "POST",
	  .path = "/api/users",
	  .scope = "",
	  .handle = ag_server_user_new,
	  .doc = &ag_doc_create_user },
	{ .methods = "PATCH",
	  .path = "/api/users/{name}",
	  .scope = "",
	  .handle = ag_server_user_change,
	  .doc = &ag_doc_change_user },
	{ .methods = "DELETE",
	  .path = "/api/users/{name}",
	  .scope = "",
	  .handle = ag_server_user_delete,
	  .doc = &ag_doc_delete_user },
	{ .methods = "POST",
	  .path = "/api/users/{name}/link",
	  .scope = "",
	  .handle = ag_server_user_link,
	  .doc = &ag_doc_link_user },
	{ .methods = "GET",
	  .path = "/api/tokens",
	  .scope = "",
	  .handle = ag_server_tokens_list,
	  .doc = &ag_doc_list_tokens },
	{ .methods = "POST",
	  .path = "/api/tokens",
	  .scope = "",
	  .handle = ag_server_token_new,
	  .doc = &ag_doc_create_token },
	{ .methods = "DELETE",
	  .path = "/api/tokens/{id}",
	  .scope = "",
	  .handle = ag_server_token_revoke,
	  .doc = &ag_doc_revoke_token },
	{ .methods = "GET",
	  .path = "/api/projects",
	  .scope = "",
	  .handle = ag_server_projects_list,
	  .doc = &ag_doc_list_projects },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/members",
	  .scope = "",
	  .handle = ag_server_members_list,
	  .doc = &ag_doc_list_members },
	{ .methods = "PUT",
	  .path = "/api/projects/{project}/members/{user}",
	  .scope = "",
	  .handle = ag_server_member_put,
	  .doc = &ag_doc_put_member },
	{ .methods = "DELETE",
	  .path = "/api/projects/{project}/members/{user}",
	  .scope = "",
	  .handle = ag_server_member_delete,
	  .doc = &ag_doc_remove_member },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/knowledge",
	  .scope = "sql",
	  .handle = ag_server_knowledge_list,
	  .doc = &ag_doc_list_knowledge },
	{ .methods = "POST",
	  .path = "/api/projects/{project}/knowledge/{kind}",
	  .scope = "sql",
	  .handle = ag_server_knowledge_add,
	  .doc = &ag_doc_add_knowledge },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/knowledge/{kind}/{name}",
	  .scope = "sql",
	  .handle = ag_server_knowledge_get,
	  .doc = &ag_doc_get_knowledge },
	{ .methods = "PUT",
	  .path = "/api/projects/{project}/knowledge/{kind}/{name}",
	  .scope = "sql",
	  .handle = ag_server_knowledge_change,
	  .doc = &ag_doc_replace_knowledge },
	{ .methods = "DELETE",
	  .path = "/api/projects/{project}/knowledge/{kind}/{name}",
	  .scope = "sql",
	  .handle = ag_server_knowledge_delete,
	  .doc = &ag_doc_delete_knowledge },
	{ .methods = "POST",
	  .path = "/api/projects/{project}/knowledge/learning/{name}/review",
	  .scope = "sql",
	  .handle = ag_server_learning_review,
	  .doc = &ag_doc_review_learning },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/artifacts",
	  .scope = "sql",
	  .handle = ag_server_artifacts_list,
	  .doc = &ag_doc_list_artifacts },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/artifacts/{id}",
	  .scope = "sql",
	  .handle = ag_server_artifact_get,
	  .doc = &ag_doc_get_artifact },
	{ .methods = "PATCH",
	  .path = "/api/projects/{project}/artifacts/{id}",
	  .scope = "sql",
	  .handle = ag_server_artifact_rename,
	  .doc = &ag_doc_rename_artifact },
	{ .methods = "DELETE",
	  .path = "/api/projects/{project}/artifacts/{id}",
	  .scope = "sql",
	  .handle = ag_server_artifact_delete,
	  .doc = &ag_doc_delete_artifact },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/artifacts/{id}/versions",
	  .scope = "sql",
	  .handle = ag_server_artifact_versions,
	  .doc = &ag_doc_list_versions },
	{ .methods = "POST",
	  .path = "/api/projects/{project}/artifacts/{id}/query-data",
	  .scope = "sql",
	  .handle = ag_server_artifact_data,
	  .doc = &ag_doc_query_artifact },
	{ .methods = "GET",
	  .path = "/api/projects/{project}/artifacts/{id}/export",
	  .scope = "sql",
	  .handle = ag_server_artifact_export,
	  .doc = &ag_doc_export_artifact },
	{ .methods = "POST",
	  .path = "/api/projects/{project}/artifacts/{id}/undelete",
	  .scope = "sql",
	  .handle = ag_server_artifact_undelete,
	  .doc = &ag_doc_undelete_artifact },
	{ .methods = "GET",
	  .path = "/api/audits",
	  .scope = "audit",
	  .handle = ag_server_audits_list,
	  .doc = &ag_doc_list_audits },
	{ .methods = "POST",
	  .path = "/api/audits",
	  .scope = "audit",
	  .handle = ag_server_audit_start,
	  .doc = &ag_doc_start_audit },
	{ .methods = "GET",
	  .path = "/api/audits/sources",
	  .scope = "audit",
	  .handle = ag_server_audit_sources,
	  .doc = &ag_doc_audit_sources },
	{ .methods = "PUT",
	  .path = "/api/audits/uploads/{name}",
	  .scope = "audit",
	  .max_body = AG_SERVER_UPLOAD_BYTES,
	  .handle = ag_server_audit_upload,
	  .doc = &ag_doc_upload },
	{ .methods = "DELETE",
	  .path = "/api/audits/uploads/{name}",
	  .scope = "audit",
	  .handle = ag_server_audit_upload_drop,
	  .doc = &ag_doc_drop_upload },
	{ .methods = "GET",
	  .path = "/api/audits/inspect",
	  .scope = "audit",
	  .handle = ag_server_audit_inspect,
	  .doc = &ag_doc_inspect },
	{ .methods = "GET",
	  .path = "/api/audits/review",
	  .scope = "audit",
	  .handle = ag_server_audit_waiting,
	  .doc = &ag_doc_waiting },
	{ .methods = "GET",
	  .path = "/api/audits/metrics",
	  .scope = "audit",
	  .handle = ag_server_audit_metrics,
	  .doc = &ag_doc_audit_metrics },
	{ .methods = "GET",
	  .path = "/api/audits/{id}",
	  .scope = "audit",
	  .handle = ag_server_audit_get,
	  .doc = &ag_doc_get_audit },
	{ .methods = "GET",
	  .path = "/api/audits/{id}/events",
	  .scope = "audit",
	  .handle = ag_server_audit_events,
	  .doc = &ag_doc_audit_events },
	{ .methods = "GET",
	  .path = "/api/audits/{id}/report",
	  .scope = "audit",
	  .handle = ag_server_audit_report_get,
	  .doc = &ag_doc_audit_report },
	{ .methods = "GET",
	  .path = "/api/audits/{id}/export",
	  .scope = "audit",
	  .handle = ag_server_audit_export,
	  .doc = &ag_doc_export_audit },
	{ .methods = "GET",
	  .path = "/api/audits/{id}/diff",
	  .scope = "audit",
	  .handle = ag_server_audit_diff,
	  .doc = &ag_doc_audit_diff },
	{ .methods = "GET",
	  .path = "/api/audits/{id}/history",
	  .scope = "audit",
	  .handle = ag_server_audit_history,
	  .doc = &ag_doc_audit_history },
	{ .methods = "POST",
	  .path = "/api/audits/{id}/verify",
	  .scope = "audit",
	  .handle = ag_server_audit_verify,
	  .doc = &ag_doc_verify_audit },
	{ .methods = "POST",
	  .path = "/api/audits/{id}/stop",
	  .scope = "audit",
	  .handle = ag_server_audit_stop,
	  .doc = &ag_doc_stop_audit },
	{ .methods = "POST",
	  .path = "/api/audits/{id}/resume",
	  .scope = "audit",
	  .handle = ag_server_audit_resume,
	  .doc = &ag_doc_resume_audit },
	{ .methods = "POST",
	  .path = "/api/audits/{id}/findings/{finding}/rate",
	  .scope = "audit",
	  .handle = ag_server_audit_rate,
	  .doc = &ag_doc_rate },
	{ .methods = "GET, HEAD",
	  .path = "/api/openapi.json",
	  .handle = ag_server_openapi,
	  .doc = &ag_doc_openapi },
	{ .methods = "GET",
	  .path = "/api/start",
	  .scope = "sql",
	  .handle = ag_server_web_start,
	  .doc = &ag_doc_start },
	{ .methods = "GET, HEAD", .path = "/", .handle = ag_server_web_page },
	/* The page shows the conversation that its address names. */
	{ .methods = "GET, HEAD", .path = "/chat/{id}", .handle = ag_server_web_page },
	{ .methods = "GET, HEAD", .path = "/audits", .handle = ag_server_web_page },
	{ .methods = "GET, HEAD", .path = "/audits/{id}", .handle = ag_server_web_page },
	{ .methods = "GET, HEAD", .path = "/manage", .handle = ag_server_web_page },
	{ .methods = "GET, HEAD", .path = "/manage/{part}", .handle = ag_server_web_page },
	{ .methods = "GET, HEAD", .path = "/setup", .handle = ag_server_web_page },
	{ .methods = "GET, HEAD", .path = "/assets/{name}", .handle = ag_server_web_asset },
	{ .methods = "GET, HEAD", .path = "/frame/{name}", .handle = ag_server_web_frame },
	{ .methods = "GET, HEAD", .path = "/health", .handle = health },
	{ .methods = "GET, HEAD", .path = "/healthz", .handle = ag_server_healthz },
	{ .methods = "GET, HEAD", .path = "/readyz", .handle = ag_server_readyz },
	{ .methods = "GET, HEAD", .path = "/metrics", .scope = "", .handle = ag_server_metrics },
	{ .methods = "GET, HEAD", .path = "/status", .scope = "", .handle = status },
	{ .methods = "GET, HEAD", .path = WELL_KNOWN, .handle = ag_server_metadata },
	{ .methods = "GET, HEAD",
	  .path = WELL_KNOWN AG_SERVER_MCP_PATH,
	  .handle = ag_server_metadata },
};
const size_t ag_server_nroute = AG_NELEM(ag_server_routes);

static void refuse_path(ag_httpd_request *rq, ag_httpd_reply *rp, const char *allow)
{
	if (allow[0] == '\0') {
		ag_server_refuse(rq, rp, 404, "not_found", "there is nothing at this path");
		return;
	}
	if (ag_str_eqc(rq->method, "OPTIONS"))
		rp->status = 204;
	else
		ag_server_refuse(rq, rp, 405, "method_not_allowed", "this path has no such method");
	ag_httpd_add_header(rp, "Allow", ag_str_dup(rq->arena, ag_str_c(allow)));
}

bool ag_server_admit(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)arg;
	char allow[AG_HTTP_MAX_ALLOW];

	ag_server_name_request(rp);
	ag_httpd_add_header(rp, "X-Request-Id", ag_str_c(rp->id));
	if (!ag_server_may_come(h, rq, rp))
		return false;
	rq->route = ag_http_route_find(ag_server_routes, ag_server_nroute, rq, allow);
	if (!rq->route) {
		refuse_path(rq, rp, allow);
		return false;
	}
	if (rq->route->max_body)
		rq->max_body = rq->route->max_body;
	if (rq->route->scope && !ag_server_may_ask(h, rq, rp, rq->route->scope))
		return false;
	return ag_server_may_ask_more(h, rq, rp, rq->route->scope ? ag_server_who(h, rq) : NULL);
}

void ag_server_handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_str key = rq->route->doc ? ag_httpd_header_of(rq, "Idempotency-Key") : AG_S("");

	if (key.len && !ag_str_eqc(rq->method, "GET") && !ag_str_eqc(rq->method, "HEAD"))
		ag_server_run_once((ag_server *)arg, rq, rp, key);
	else
		ag_http_route_run(rq->route, arg, rq, rp);
}
