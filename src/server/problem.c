/* problem -- see the header. */
#include "server/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"
#include "http/route.h"
#include "query/extjson.h"
#include "run/id.h"
#include "server/route_doc.h"

#define MAX_DEPTH  64
#define MAX_VALUES 500000u
#define PAGE       50u

static const char *title_of(int status)
{
	switch (status) {
	case 400: return "Bad request";
	case 401: return "Not logged in";
	case 403: return "Forbidden";
	case 404: return "Not found";
	case 405: return "No such method";
	case 409: return "Conflict";
	case 413: return "Too large";
	case 415: return "Not JSON";
	case 422: return "Unprocessable";
	case 429: return "Too many requests";
	case 503: return "Unavailable";
	default: return status < 500 ? "Refused" : "Internal error";
	}
}

/* The end of an id is random. */
void ag_server_name_request(ag_httpd_reply *rp)
{
	const ag_id id = ag_id_new(&ag_clock_system);

	AG_ASSERT(sizeof(rp->id) == 17);
	snprintf(rp->id, sizeof(rp->id), "%.4s%.12s", id.text + 19, id.text + 24);
}

void ag_server_problem(ag_httpd_reply *rp, int status, const char *detail, const char *hint)
{
	const char *ref;
	ag_jw w;

	if (!rp->id[0]) /* the HTTP server itself refuses it */
		ag_server_name_request(rp);
	ref = rp->id + 8;
	rp->status = status;
	rp->content_type = AG_S("application/problem+json");
	ag_buf_clear(&rp->body);
	ag_jw_init(&w, &rp->body, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", AG_S("about:blank"));
	ag_jw_kstr(&w, "title", ag_str_c(title_of(status)));
	ag_jw_kint(&w, "status", status);
	ag_jw_kstr(&w, "detail", ag_str_c(detail));
	if (hint && *hint)
		ag_jw_kstr(&w, "hint", ag_str_c(hint));
	ag_jw_kstr(&w, "reference", ag_str_c(ref));
	ag_jw_obj_end(&w);
	if (status >= 500)
		ag_log(AG_LOG_WARN, "request_failed", "%s: %d, %s", ref, status, detail);
}

void ag_server_refuse(const ag_httpd_request *rq, ag_httpd_reply *rp, int status, const char *name,
                      const char *words)
{
	if (ag_str_starts(rq->path, AG_S("/api/")))
		ag_server_problem(rp, status, words, "");
	else
		ag_httpd_error(rp, status, name, words);
}

static int status_of(ag_status st)
{
	switch (st) {
	case AG_INVALID: return 400;
	case AG_DENIED: return 403;
	case AG_NOT_FOUND: return 404;
	case AG_CONFLICT: return 409;
	case AG_LIMIT: return 413;
	case AG_UNAVAILABLE:
	case AG_TIMEOUT:
	case AG_IO: return 503;
	default: return 500;
	}
}

void ag_server_problem_of(ag_httpd_reply *rp, const ag_err *err)
{
	const int status = err->retry_s ? 429 : status_of(err->status);

	rp->retry_after_s = (unsigned)err->retry_s;
	if (status != 500) {
		ag_server_problem(rp, status, err->msg, err->hint);
		return;
	}
	ag_log(AG_LOG_ERROR, "request_failed", "%s: %s", err->origin, err->msg);
	ag_server_problem(rp, 500, "something failed in the server", "its log says what");
}

bool ag_server_body(ag_httpd_request *rq, ag_httpd_reply *rp, ag_val *ret)
{
	const ag_extjson_opts opts = { .max_depth = MAX_DEPTH, .max_values = MAX_VALUES };
	const ag_str type = ag_httpd_header_of(rq, "Content-Type");
	ag_err err = { 0 };

	/* A page of another origin cannot send this type without being asked first. */
	if (!ag_str_ieq(ag_str_trim(ag_str_make(type.ptr, type.len < 16 ? type.len : 16)),
	                AG_S("application/json")) ||
	    (type.len > 16 && type.ptr[16] != ';' && type.ptr[16] != ' ')) {
		ag_server_problem(rp, 415, "the body is not sent as JSON",
		                  "send \"Content-Type: application/json\"");
		return false;
	}
	if (ag_extjson_parse(rq->body, &opts, rq->arena, ret, NULL, NULL, &err)) {
		ag_server_problem(rp, 400, err.msg, "the body must be one JSON object");
		return false;
	}
	if (ret->type != AG_T_OBJECT) {
		ag_server_problem(rp, 400, "the body is no JSON object", "");
		return false;
	}
	if (rq->route->doc && ag_doc_check_body(rq->route->doc, ret, &err)) {
		if (rq->route->doc->wrong)
			ag_server_problem(rp, rq->route->doc->wrong, err.msg, err.hint);
		else
			ag_server_problem_of(rp, &err);
		return false;
	}
	return true;
}

void ag_server_json(ag_httpd_reply *rp, ag_jw *w)
{
	rp->content_type = AG_S("application/json");
	ag_jw_init(w, &rp->body, 0);
	ag_jw_obj(w);
}

size_t ag_server_page(ag_httpd_request *rq)
{
	const ag_str text = ag_server_query(rq, "limit");
	const long n = text.len ? strtol(ag_str_cstr(rq->arena, text), NULL, 10) : (long)PAGE;

	return n < 1 ? 1 : n > (long)AG_SERVER_MAX_PAGE ? AG_SERVER_MAX_PAGE : (size_t)n;
}

/* "+" is a blank in a query. */
static ag_str decoded(ag_arena *arena, ag_str text)
{
	char *copy = (char *)ag_arena_alloc(arena, text.len + 1);
	ag_str ret;

	for (size_t i = 0; i < text.len; i++)
		copy[i] = text.ptr[i] == '+' ? ' ' : text.ptr[i];
	copy[text.len] = '\0';
	return ag_http_decode(arena, ag_str_make(copy, text.len), &ret) ? ret : AG_S("");
}

ag_str ag_server_query(ag_httpd_request *rq, const char *name)
{
	ag_str rest = rq->query;

	while (rest.len) {
		ag_str value = ag_str_split(&rest, '&');
		const ag_str key = ag_str_split(&value, '=');

		if (ag_str_eqc(key, name))
			return decoded(rq->arena, value);
	}
	return AG_S("");
}
