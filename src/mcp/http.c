/* The endpoint: what may be asked for, by whom, and the life of the server. Reading order: here, http_post.c, http_call.c,
 * http_stream.c, http_get.c; http_auth.c for tokens, http_rules.c for headers. */
#include <stdlib.h>

#include "base/json.h"
#include "mcp/http_parts.h"

#define WELL_KNOWN    "/.well-known/oauth-protected-resource"
#define STOP_GRACE_MS 3000

typedef enum place { ENDPOINT, HEALTH, METADATA, NOWHERE } place;

static place place_of(const ag_mcp_http *h, ag_str path)
{
	if (ag_str_eq(path, h->opts.path))
		return ENDPOINT;
	if (ag_str_eq(path, AG_S("/health")))
		return HEALTH;
	if (ag_str_eq(path, AG_S(WELL_KNOWN)) || ag_str_eq(path, h->metadata_path))
		return METADATA;
	return NOWHERE;
}

static bool is_method(const ag_httpd_request *rq, place p)
{
	if (p == ENDPOINT)
		return ag_str_eqc(rq->method, "POST") || ag_str_eqc(rq->method, "GET") ||
		       ag_str_eqc(rq->method, "DELETE");
	return ag_str_eqc(rq->method, "GET") || ag_str_eqc(rq->method, "HEAD");
}

static void refuse(ag_httpd_reply *rp, int status, const char *name, const char *message)
{
	ag_jw w;

	rp->status = status;
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "error", ag_str_c(name));
	ag_jw_kstr(&w, "message", ag_str_c(message));
	ag_jw_obj_end(&w);
}

/* Before the body is read. */
static bool admit(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_mcp_http *h = (ag_mcp_http *)arg;
	place p = place_of(h, rq->path);

	if (p == NOWHERE) {
		refuse(rp, 404, "not_found", "there is nothing at this path");
		return false;
	}
	if (!is_method(rq, p)) {
		refuse(rp, 405, "method_not_allowed", "this path has no such method");
		ag_httpd_add_header(rp, "Allow",
		                    p == ENDPOINT ? AG_S("POST, GET, DELETE") : AG_S("GET, HEAD"));
		return false;
	}
	return p != ENDPOINT || ag_mcp_http_admit(h, rq, rp);
}

static void end_session(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        const ag_caller *who)
{
	ag_mcp_session *session;
	bool is_stateless;

	if (!ag_mcp_http_version(rq, rp, &is_stateless))
		return;
	if (is_stateless) {
		refuse(rp, 405, "method_not_allowed", "2026-07-28 has no sessions");
		ag_httpd_add_header(rp, "Allow", AG_S("POST"));
		return;
	}
	session = ag_mcp_http_session(h, rq, rp, who);
	if (!session)
		return;
	ag_mcp_session_end(h->server, session);
	ag_mcp_session_drop(session);
	rp->status = 204;
}

static void endpoint(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_caller *who = ag_mcp_http_who(h, rq);

	if (ag_str_eqc(rq->method, "POST"))
		ag_mcp_http_post(h, rq, rp, who);
	else if (ag_str_eqc(rq->method, "GET"))
		ag_mcp_http_get(h, rq, rp, who);
	else
		end_session(h, rq, rp, who);
}

static void handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_mcp_http *h = (ag_mcp_http *)arg;

	switch (place_of(h, rq->path)) {
	case ENDPOINT: endpoint(h, rq, rp); break;
	case METADATA: ag_mcp_http_metadata(h, rq, rp); break;
	case HEALTH:
	case NOWHERE:
		rp->content_type = AG_S("application/json");
		ag_buf_add(&rp->body,
		           AG_S("{\"status\":\"ok\",\"name\":\"argus\",\"version\":\"" AG_VERSION
		                "\"}"));
		break;
	}
}

/* --- life --- */

static const ag_str *copy_list(ag_arena *a, const ag_str *list, size_t n)
{
	ag_str *copy = ag_new_n(a, ag_str, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		copy[i] = ag_str_dup(a, list[i]);
	return copy;
}

static void fill(ag_mcp_http *h, const ag_mcp_http_opts *o)
{
	h->arena = ag_arena_new();
	h->opts = *o;
	h->server = o->server;
	if (!h->opts.clock)
		h->opts.clock = &ag_clock_system;
	h->opts.path = ag_str_dup(h->arena, o->path.len ? o->path : AG_S("/mcp"));
	h->opts.resource = ag_str_dup(h->arena, o->resource);
	h->opts.authorization_servers = copy_list(h->arena, o->authorization_servers,
	                                          o->nauthorization_server);
	h->opts.scopes = copy_list(h->arena, o->scopes, o->nscope);
	h->opts.listen.handle = handle;
	h->opts.listen.admit = admit;
	h->opts.listen.arg = h;
	h->metadata_path = ag_str_printf(h->arena, WELL_KNOWN "%.*s", AG_FMT(h->opts.path));
	pthread_mutex_init(&h->callers_lock, NULL);
	pthread_mutex_init(&h->store_lock, NULL);
	pthread_mutex_init(&h->grants_lock, NULL);
	pthread_mutex_init(&h->watch_lock, NULL);
	pthread_cond_init(&h->watch_wake, NULL);
	pthread_mutex_init(&h->streams_lock, NULL);
	pthread_cond_init(&h->changed, NULL);
}

static void release(ag_mcp_http *h)
{
	ag_mcp_grants_stop(h);
	ag_mcp_http_callers_free(h);
	pthread_cond_destroy(&h->watch_wake);
	pthread_mutex_destroy(&h->watch_lock);
	pthread_mutex_destroy(&h->grants_lock);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->streams_lock);
	pthread_mutex_destroy(&h->store_lock);
	pthread_mutex_destroy(&h->callers_lock);
	ag_arena_free(h->arena);
	free(h);
}

ag_status ag_mcp_http_start(const ag_mcp_http_opts *o, ag_mcp_http **ret, ag_err *err)
{
	ag_mcp_http *h;
	ag_status st;

	AG_ASSERT(o->server && (o->store || o->anonymous));
	if (o->path.len && o->path.ptr[0] != '/')
		return ag_fail(err, AG_INVALID, "mcp.http",
		               "the path of the endpoint begins with /");
	h = (ag_mcp_http *)ag_xcalloc(1, sizeof(*h));
	fill(h, o);
	st = ag_mcp_grants_start(h) ? ag_httpd_start(&h->opts.listen, &h->httpd, err)
	                            : ag_fail(err, AG_UNAVAILABLE, "mcp.http",
	                                      "no thread could be started to look after tokens");
	if (st) {
		release(h);
		return st;
	}
	*ret = h;
	return AG_OK;
}

unsigned ag_mcp_http_port(const ag_mcp_http *h)
{
	return ag_httpd_port(h->httpd);
}

ag_mcp_http *ag_mcp_http_stop(ag_mcp_http *h)
{
	if (!h)
		return NULL;
	/* Calls are cancelled, and what they say to that still reaches their clients. */
	ag_mcp_server_stop(h->server);
	ag_mcp_http_calls_wait(h);
	h->httpd = ag_httpd_stop(h->httpd, STOP_GRACE_MS);
	ag_mcp_http_calls_wait(h); /* of requests that were still on their way */
	ag_mcp_streams_free(h);
	release(h);
	return NULL;
}
