/* The OpenAPI 3.1 document of the API, written from the table of routes and its descriptions (route_doc.h).
 *
 * What follows from a row is not written down again: the parameters of its path are those of the path, a route with a scope
 * needs a token or a session, one with a body may refuse it. source  https://spec.openapis.org/oas/v3.1.1.html */
#include <string.h>

#include "base/json.h"
#include "server/parts.h"
#include "server/problem.h"
#include "server/route_doc.h"

#define PROBLEM "Problem"

static const ag_doc_shape *const areas[] = { ag_doc_chat_shapes,       ag_doc_people_shapes,
	                                     ag_doc_work_shapes,       ag_doc_audit_shapes,
	                                     ag_doc_manage_shapes,     ag_doc_ask_shapes,
	                                     ag_doc_connection_shapes, ag_doc_share_shapes,
	                                     ag_doc_job_shapes,        ag_doc_profile_shapes };

/* --- shapes --- */

const ag_doc_shape *ag_doc_shape_at(size_t n)
{
	for (size_t i = 0; i < AG_NELEM(areas); i++)
		for (const ag_doc_shape *s = areas[i]; s->name; s++)
			if (n-- == 0)
				return s;
	return NULL;
}

const ag_doc_shape *ag_doc_shape_find(ag_str name)
{
	const ag_doc_shape *s;

	for (size_t i = 0; (s = ag_doc_shape_at(i)); i++)
		if (ag_str_eqc(name, s->name))
			return s;
	return NULL;
}

ag_str ag_doc_type_next(ag_str *rest)
{
	ag_str one;

	if (ag_str_starts(*rest, AG_S("[")))
		*rest = ag_str_make(rest->ptr + 1, rest->len - 1);
	one = ag_str_split(rest, '|');
	while (one.len && (one.ptr[one.len - 1] == ']' || one.ptr[one.len - 1] == '?'))
		one.len--;
	return one;
}

static void write_ref(ag_jw *w, const char *where, ag_str name)
{
	char text[128];
	ag_buf out = AG_BUF_INIT(sizeof(text));

	ag_buf_addf(&out, "#/components/%s/%.*s", where, AG_FMT(name));
	ag_jw_kstr(w, "$ref", ag_buf_view(&out));
	ag_buf_release(&out);
}

static void write_shape_ref(ag_jw *w, ag_str name, bool or_null)
{
	if (!or_null) {
		write_ref(w, "schemas", name);
		return;
	}
	ag_jw_kkey(w, "anyOf");
	ag_jw_arr(w);
	ag_jw_obj(w);
	write_ref(w, "schemas", name);
	ag_jw_obj_end(w);
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("null"));
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
}

/* The members of the schema of one name, which may be null. */
static void write_named(ag_jw *w, ag_str name, bool or_null)
{
	const bool is_time = ag_str_eqc(name, "time");
	const ag_str type = is_time ? AG_S("string") : name;

	if (ag_str_eqc(name, "any"))
		return;
	if (ag_doc_shape_find(name)) {
		write_shape_ref(w, name, or_null);
		return;
	}
	if (or_null) {
		ag_jw_kkey(w, "type");
		ag_jw_arr(w);
		ag_jw_str(w, type);
		ag_jw_str(w, AG_S("null"));
		ag_jw_arr_end(w);
	} else {
		ag_jw_kstr(w, "type", type);
	}
	if (ag_str_eqc(name, "object"))
		ag_jw_kbool(w, "additionalProperties", true);
	if (is_time)
		ag_jw_kstr(w, "format", AG_S("date-time"));
}

static void write_type(ag_jw *w, const char *text)
{
	const ag_str type = ag_str_c(text);
	const bool is_list = type.ptr[0] == '[';
	ag_str rest = type;

	if (is_list) {
		ag_jw_kstr(w, "type", AG_S("array"));
		ag_jw_kkey(w, "items");
		ag_jw_obj(w);
	}
	if (ag_str_find(type, '|') < 0) {
		write_named(w, ag_doc_type_next(&rest), ag_str_ends(type, AG_S("?")));
	} else {
		ag_jw_kkey(w, "anyOf");
		ag_jw_arr(w);
		for (ag_str one = ag_doc_type_next(&rest); one.len; one = ag_doc_type_next(&rest)) {
			ag_jw_obj(w);
			write_named(w, one, false);
			ag_jw_obj_end(w);
		}
		ag_jw_arr_end(w);
	}
	if (is_list)
		ag_jw_obj_end(w);
}

static void write_field(ag_jw *w, const ag_doc_field *f)
{
	ag_jw_kkey(w, f->name);
	ag_jw_obj(w);
	write_type(w, f->type);
	if (f->help)
		ag_jw_kstr(w, "description", ag_str_c(f->help));
	if (f->one_of) {
		ag_jw_kkey(w, "enum");
		ag_jw_arr(w);
		for (size_t i = 0; f->one_of[i]; i++)
			ag_jw_str(w, ag_str_c(f->one_of[i]));
		ag_jw_arr_end(w);
	}
	ag_jw_obj_end(w);
}

/* A client must take members that later versions add: additional ones are not excluded. */
static void write_shape(ag_jw *w, const ag_doc_shape *s)
{
	ag_jw_kkey(w, s->name);
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("object"));
	if (s->help)
		ag_jw_kstr(w, "description", ag_str_c(s->help));
	ag_jw_kkey(w, "properties");
	ag_jw_obj(w);
	for (size_t i = 0; i < s->nfield; i++)
		write_field(w, &s->fields[i]);
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "required");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->nfield; i++)
		if (!s->fields[i].is_optional)
			ag_jw_str(w, ag_str_c(s->fields[i].name));
	ag_jw_arr_end(w);
	if (s->is_open)
		ag_jw_kbool(w, "additionalProperties", true);
	ag_jw_obj_end(w);
}

/* --- parameters and bodies --- */

static void write_param(ag_jw *w, const ag_param *p, const char *where)
{
	const bool is_path = strcmp(where, "path") == 0;

	ag_jw_obj(w);
	ag_jw_kstr(w, "name", ag_str_c(p->name));
	ag_jw_kstr(w, "in", ag_str_c(where));
	if (is_path || p->required)
		ag_jw_kbool(w, "required", true);
	ag_jw_kkey(w, "schema");
	ag_jw_obj(w);
	ag_param_schema(p, w);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

bool ag_doc_takes_key(const ag_http_route *row)
{
	return row->scope && row->doc->retry != AG_DOC_RETRY_NONE &&
	       !ag_str_starts(ag_str_c(row->methods), AG_S("GET"));
}

static void write_params(ag_jw *w, const ag_http_route *row)
{
	const ag_route_doc *d = row->doc;

	if (!d->nat && !d->nquery && !d->is_list && !ag_doc_takes_key(row))
		return;
	ag_jw_kkey(w, "parameters");
	ag_jw_arr(w);
	for (size_t i = 0; i < d->nat; i++)
		write_param(w, &d->at[i], "path");
	for (size_t i = 0; i < d->nquery; i++)
		write_param(w, &d->query[i], "query");
	for (size_t i = 0; d->is_list && i < 2; i++) {
		ag_jw_obj(w);
		write_ref(w, "parameters", i ? AG_S("cursor") : AG_S("limit"));
		ag_jw_obj_end(w);
	}
	if (ag_doc_takes_key(row)) {
		ag_jw_obj(w);
		write_ref(w, "parameters", AG_S("key"));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void write_object(ag_jw *w, const ag_param *list, size_t n)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("object"));
	ag_jw_kkey(w, "properties");
	ag_jw_obj(w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_kkey(w, list[i].name);
		ag_jw_obj(w);
		ag_param_schema(&list[i], w);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "required");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (list[i].required)
			ag_jw_str(w, ag_str_c(list[i].name));
	ag_jw_arr_end(w);
	ag_jw_kbool(w, "additionalProperties", false);
	ag_jw_obj_end(w);
}

static void write_body(ag_jw *w, const ag_route_doc *d)
{
	if (!d->nbody && !d->takes)
		return;
	ag_jw_kkey(w, "requestBody");
	ag_jw_obj(w);
	ag_jw_kbool(w, "required", true);
	ag_jw_kkey(w, "content");
	ag_jw_obj(w);
	ag_jw_kkey(w, AG_DOC_JSON);
	ag_jw_obj(w);
	ag_jw_kkey(w, "schema");
	if (d->takes) {
		ag_jw_obj(w);
		write_ref(w, "schemas", ag_str_c(d->takes));
		ag_jw_obj_end(w);
	} else {
		write_object(w, d->body, d->nbody);
	}
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

/* --- answers --- */

static void write_status(ag_jw *w, int status)
{
	char text[16];
	ag_buf out = AG_BUF_INIT(sizeof(text));

	ag_buf_addf(&out, "%d", status);
	ag_jw_key(w, ag_buf_view(&out));
	ag_buf_release(&out);
}

static void write_success(ag_jw *w, const ag_route_doc *d)
{
	write_status(w, d->status ? d->status : 200);
	ag_jw_obj(w);
	ag_jw_kstr(w, "description", d->gives || d->media ? AG_S("The answer.") : AG_S("Done."));
	if (d->gives || d->media) {
		ag_jw_kkey(w, "content");
		ag_jw_obj(w);
		ag_jw_kkey(w, d->media ? d->media : AG_DOC_JSON);
		ag_jw_obj(w);
		ag_jw_kkey(w, "schema");
		ag_jw_obj(w);
		if (d->gives)
			write_ref(w, "schemas", ag_str_c(d->gives));
		else
			ag_jw_kstr(w, "type",
			           strcmp(d->media, AG_DOC_JSON) == 0 ? AG_S("object")
			                                              : AG_S("string"));
		ag_jw_obj_end(w);
		ag_jw_obj_end(w);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
}

/* The members of an answer that refuses. */
static void write_problem(ag_jw *w, const ag_doc_answer *a)
{
	ag_jw_kstr(w, "description", ag_str_c(a->help));
	if (a->status < 400)
		return;
	ag_jw_kkey(w, "content");
	ag_jw_obj(w);
	ag_jw_kkey(w, AG_DOC_PROBLEM);
	ag_jw_obj(w);
	ag_jw_kkey(w, "schema");
	ag_jw_obj(w);
	write_ref(w, "schemas", AG_S(PROBLEM));
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

typedef enum refusal_when { ALWAYS, WITH_SCOPE, WITH_PATH, WHEN_WRITING, WITH_KEY } refusal_when;

/* What a row's own form says: written once, in the components. */
static const struct {
	refusal_when when;
	const char *name;
	ag_doc_answer answer;
} usual[] = {
	{ ALWAYS, "Wrong", { 400, "A parameter or the body is wrong; \"detail\" names it." } },
	{ WITH_SCOPE, "Unknown", { 401, "There is no token and no session, or it has ended." } },
	{ ALWAYS, "Forbidden", { 403, "The caller, or a page of that origin, may not do this." } },
	{ WITH_PATH, "Missing", { 404, "There is no such thing, or the caller may not see it." } },
	{ WITH_KEY,
	  "Repeated",
	  { 409, "The same request is being answered, or was done and its answer not kept." } },
	{ WHEN_WRITING, "TooLarge", { 413, "The body is too large." } },
	{ WHEN_WRITING,
	  "NotJson",
	  { 415, "It is not sent as JSON, or a page could have sent it as a form." } },
	{ WITH_KEY, "KeyReused", { 422, "The Idempotency-Key came with another request." } },
	{ ALWAYS,
	  "TooMany",
	  { 429, "Too many requests. Retry-After says how many seconds to wait." } },
	{ ALWAYS, "Failed", { 500, "Something failed in the server." } },
	{ ALWAYS,
	  "Away",
	  { 503,
	    "The store or a database is away, too much is being read, or the server is stopping." } },
};

static bool is_usual(const ag_http_route *row, refusal_when when)
{
	const ag_str methods = ag_str_c(row->methods);

	switch (when) {
	case WITH_SCOPE: return row->scope != NULL;
	case WITH_PATH: return row->doc->nat > 0;
	case WITH_KEY: return ag_doc_takes_key(row);
	case WHEN_WRITING: return ag_str_starts(methods, AG_S("P")); /* POST, PUT, PATCH */
	default: return true;
	}
}

static void write_refusals(ag_jw *w, const ag_http_route *row)
{
	const ag_route_doc *d = row->doc;

	for (size_t i = 0; i < AG_NELEM(d->other) && d->other[i].status; i++) {
		write_status(w, d->other[i].status);
		ag_jw_obj(w);
		write_problem(w, &d->other[i]);
		ag_jw_obj_end(w);
	}
	for (size_t i = 0; i < AG_NELEM(usual); i++) {
		bool is_said = !is_usual(row, usual[i].when);

		for (size_t k = 0; k < AG_NELEM(d->other); k++)
			is_said |= d->other[k].status == usual[i].answer.status;
		if (is_said)
			continue;
		write_status(w, usual[i].answer.status);
		ag_jw_obj(w);
		write_ref(w, "responses", ag_str_c(usual[i].name));
		ag_jw_obj_end(w);
	}
}

/* --- routes --- */

bool ag_doc_is_alias(const char *path)
{
	const ag_str p = ag_str_c(path);

	return ag_str_ends(p, AG_S("/")) || ag_str_contains(p, AG_S("//"));
}

static void write_security(ag_jw *w, const ag_http_route *row)
{
	ag_jw_kkey(w, "security");
	ag_jw_arr(w);
	for (size_t i = 0; row->scope && i < 2; i++) {
		ag_jw_obj(w);
		ag_jw_kkey(w, i ? "session" : "token");
		ag_jw_arr(w);
		if (row->scope[0])
			ag_jw_str(w, ag_str_c(row->scope));
		ag_jw_arr_end(w);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void write_operation(ag_jw *w, const ag_http_route *row)
{
	static const char *const methods[] = { "GET", "get",   "POST",  "post",   "PUT",
		                               "put", "PATCH", "patch", "DELETE", "delete" };
	const ag_route_doc *d = row->doc;
	ag_str rest = ag_str_c(row->methods);
	const ag_str method = ag_str_split(&rest, ','); /* HEAD is as GET */

	for (size_t i = 0; i < AG_NELEM(methods); i += 2)
		if (ag_str_eqc(method, methods[i]))
			ag_jw_kkey(w, methods[i + 1]);
	ag_jw_obj(w);
	if (!ag_doc_is_alias(row->path))
		ag_jw_kstr(w, "operationId", ag_str_c(d->name));
	ag_jw_kkey(w, "tags");
	ag_jw_arr(w);
	ag_jw_str(w, ag_str_c(d->tag));
	ag_jw_arr_end(w);
	ag_jw_kstr(w, "summary", ag_str_c(d->summary));
	if (d->help)
		ag_jw_kstr(w, "description", ag_str_c(d->help));
	write_security(w, row);
	write_params(w, row);
	write_body(w, d);
	ag_jw_kkey(w, "responses");
	ag_jw_obj(w);
	write_success(w, d);
	write_refusals(w, row);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void write_paths(ag_jw *w, const ag_http_route *rows, size_t n)
{
	ag_jw_kkey(w, "paths");
	ag_jw_obj(w);
	for (size_t i = 0; i < n; i++) {
		bool is_written = !rows[i].doc;

		for (size_t k = 0; k < i; k++)
			is_written |= rows[k].doc && strcmp(rows[k].path, rows[i].path) == 0;
		if (is_written)
			continue;
		ag_jw_kkey(w, rows[i].path);
		ag_jw_obj(w);
		for (size_t k = i; k < n; k++)
			if (rows[k].doc && strcmp(rows[k].path, rows[i].path) == 0)
				write_operation(w, &rows[k]);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
}

/* --- the document --- */

static void write_lists(ag_jw *w)
{
	static const ag_param limit = { .name = "limit",
		                        .type = AG_PARAM_INT,
		                        .help = "entries of a page (50)",
		                        .min = 1,
		                        .max = AG_SERVER_MAX_PAGE };
	static const ag_param key = {
		.name = "Idempotency-Key",
		.type = AG_PARAM_STRING,
		.help = "Chosen by the client, like a UUID. For a day the same request with the same key is done "
			"once, and gets the first answer again; with another request the key is refused (422). "
			"What was refused or failed is done again. An answer that is a stream or has a secret is "
			"not kept: then a second request gets 409.",
		.min = 1,
		.max = 255,
	};
	static const ag_param cursor = { .name = "cursor",
		                         .type = AG_PARAM_STRING,
		                         .help = "\"next\" of the page before" };

	ag_jw_kkey(w, "parameters");
	ag_jw_obj(w);
	ag_jw_kkey(w, "limit");
	write_param(w, &limit, "query");
	ag_jw_kkey(w, "cursor");
	write_param(w, &cursor, "query");
	ag_jw_kkey(w, "key");
	write_param(w, &key, "header");
	ag_jw_obj_end(w);
}

static void write_usual(ag_jw *w)
{
	ag_jw_kkey(w, "responses");
	ag_jw_obj(w);
	for (size_t i = 0; i < AG_NELEM(usual); i++) {
		ag_jw_kkey(w, usual[i].name);
		ag_jw_obj(w);
		write_problem(w, &usual[i].answer);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
}

static void write_schemes(ag_jw *w)
{
	ag_jw_kkey(w, "securitySchemes");
	ag_jw_obj(w);
	ag_jw_kkey(w, "token");
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("http"));
	ag_jw_kstr(w, "scheme", AG_S("bearer"));
	ag_jw_kstr(w, "description", AG_S("A token: argus token create, or POST /api/tokens."));
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "session");
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("apiKey"));
	ag_jw_kstr(w, "in", AG_S("cookie"));
	ag_jw_kstr(w, "name", AG_S("argus_session"));
	ag_jw_kstr(
		w, "description",
		AG_S("Of POST /api/auth/login. A request that changes something must be sent as JSON, "
	             "from a page of this server."));
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void write_components(ag_jw *w)
{
	const ag_doc_shape *s;

	ag_jw_kkey(w, "components");
	ag_jw_obj(w);
	ag_jw_kkey(w, "schemas");
	ag_jw_obj(w);
	for (size_t i = 0; (s = ag_doc_shape_at(i)); i++)
		write_shape(w, s);
	ag_jw_obj_end(w);
	write_lists(w);
	write_usual(w);
	write_schemes(w);
	ag_jw_obj_end(w);
}

void ag_openapi_write(const ag_http_route *rows, size_t n, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 1);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "openapi", AG_S("3.1.1"));
	ag_jw_kkey(&w, "info");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "title", AG_S("Argus"));
	ag_jw_kstr(&w, "version", AG_S(AG_VERSION));
	ag_jw_kstr(
		&w, "description",
		AG_S("The API of argus serve. Times are UTC. A client must take members that it does not know."));
	ag_jw_obj_end(&w);
	write_paths(&w, rows, n);
	write_components(&w);
	ag_jw_obj_end(&w);
	ag_buf_addc(out, '\n');
}

void ag_server_openapi(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)rq;
	if (!((const ag_server *)env)->chat) {
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "it is served by argus serve");
		return;
	}
	rp->content_type = AG_S(AG_DOC_JSON);
	ag_openapi_write(ag_server_routes, ag_server_nroute, &rp->body);
}

/* --- bodies --- */

ag_status ag_doc_check_body(const ag_route_doc *d, const ag_val *body, ag_err *err)
{
	const ag_tool t = { .name = d->name, .params = d->body, .nparam = d->nbody };

	return d->nbody ? ag_tool_check_input(&t, body, err) : AG_OK;
}
