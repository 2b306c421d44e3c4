/* The page of `argus serve`: see web.h.
 *
 * What the page may do is said by one policy: nothing from another host, no script that the build did not make, no frame around
 * it, and inside it only the frames of artifacts. Files are sent as the build left them, never copied and never compressed here. */
#include "server/web.h"

#include "base/embedded.h"
#include "base/sha256.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/shares.h"

#define FOLDER   "web/"
#define MAX_NAME 128u /* of an asset; longer ones do not exist */

/* --- which coding --- */

bool ag_server_web_takes(ag_str accept, const char *coding)
{
	bool takes_any = false;

	if (!ag_str_trim(accept).len)
		return false;
	while (accept.ptr) {
		ag_str one = ag_str_split(&accept, ',');
		const ag_str name = ag_str_trim(ag_str_split(&one, ';'));
		ag_str q = ag_str_trim(one);
		double weight = 1;

		if (ag_str_starts(q, AG_S("q=")) || ag_str_starts(q, AG_S("Q=")))
			if (!ag_str_to_double(ag_str_trim(ag_str_make(q.ptr + 2, q.len - 2)),
			                      &weight))
				weight = 0;
		if (ag_str_ieq(name, ag_str_c(coding)))
			return weight > 0;
		if (ag_str_eqc(name, "*"))
			takes_any = weight > 0;
	}
	return takes_any;
}

/* --- a file --- */

static ag_str type_of(ag_str name)
{
	static const struct {
		const char *end, *type;
	} types[] = {
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
		{ ".html", "text/html; charset=utf-8" },
		{ ".woff2", "font/woff2" },
	};

	for (size_t i = 0; i < AG_NELEM(types); i++)
		if (ag_str_ends(name, ag_str_c(types[i].end)))
			return ag_str_c(types[i].type);
	return AG_S("application/octet-stream");
}

/* What every file of the page is sent with. */
static void guard_file(ag_httpd_reply *rp, ag_str policy)
{
	ag_httpd_add_header(rp, "Content-Security-Policy", policy);
	ag_httpd_add_header(rp, "X-Content-Type-Options", AG_S("nosniff"));
	ag_httpd_add_header(rp, "Referrer-Policy", AG_S("no-referrer"));
	ag_httpd_add_header(rp, "Vary", AG_S("Accept-Encoding"));
}

/* frame-src holds exact addresses: it is all that keeps the code of an artifact from leading its frame to another one. The
 * policy's grammar has no IPv6 address; a page that is opened by one allows frames of its own server. The Host was checked: a name
 * with a port. */
static void guard_page(ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_str host = ag_httpd_header_of(rq, "Host");
	const char *self = !host.len || host.ptr[0] == '['
	                           ? "'self'"
	                           : ag_str_cstr(rq->arena,
	                                         ag_str_printf(rq->arena,
	                                                       "%.*s/frame/react %.*s/frame/plotly "
	                                                       "%.*s/frame/document",
	                                                       AG_FMT(host), AG_FMT(host),
	                                                       AG_FMT(host)));

	guard_file(rp,
	           ag_str_printf(rq->arena,
	                         "default-src 'self'; img-src 'self' data: blob:; frame-src %s; "
	                         "object-src 'none'; base-uri 'none'; form-action 'self'; "
	                         "frame-ancestors 'none'",
	                         self));
}

static const ag_embedded *file_coded(ag_arena *arena, ag_str name, const char *end)
{
	return ag_embedded_find(
		ag_str_cstr(arena, ag_str_printf(arena, FOLDER "%.*s%s", AG_FMT(name), end)));
}

/* Sends web/NAME in the best coding that there is and that the client takes. False: there is no such file. */
static bool send_file(ag_httpd_request *rq, ag_httpd_reply *rp, ag_str name)
{
	static const struct {
		const char *coding, *end;
	} codings[] = { { "br", ".br" }, { "gzip", ".gz" } };
	const ag_str accept = ag_httpd_header_of(rq, "Accept-Encoding");
	const ag_embedded *plain = file_coded(rq->arena, name, ""), *f = NULL;
	size_t i;
	ag_sha256_hex hash;

	for (i = 0; i < AG_NELEM(codings) && !f; i++)
		if (ag_server_web_takes(accept, codings[i].coding))
			f = file_coded(rq->arena, name, codings[i].end);
	if (f) {
		ag_httpd_add_header(rp, "Content-Encoding", ag_str_c(codings[i - 1].coding));
	} else if (plain) {
		f = plain;
	} else {
		/* A client that names no coding must accept any. One that refuses all of them gets 406. */
		f = file_coded(rq->arena, name, ".gz");
		if (!f)
			return false;
		if (ag_str_trim(accept).len) {
			ag_server_problem(rp, 406, "this file is sent compressed only",
			                  "send \"Accept-Encoding: gzip\"");
			return true;
		}
		ag_httpd_add_header(rp, "Content-Encoding", AG_S("gzip"));
	}
	rp->content_type = type_of(name);
	rp->borrowed = ag_str_make((const char *)f->ptr, f->len);
	hash = ag_sha256(rp->borrowed);
	rp->etag = ag_str_printf(rq->arena, "\"%.24s\"", hash.text);
	return true;
}

/* --- routes --- */

/* Without the page: what is missing, in the page's place. */
static const char missing[] =
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Argus</title>"
	"<meta name=\"viewport\" content=\"width=device-width\">"
	"<h1>Argus is running, without its web page</h1>"
	"<p>This program was built where the packages of the page could not be fetched from npm's registry. "
	"The API answers as usual: <a href=\"/healthz\">/healthz</a>, <code>POST /api/chat</code>, <code>/mcp</code>.</p>"
	"<p>To have the page: run <code>./run build</code> again where npm reaches its registry, and start the server "
	"again.</p>";

void ag_server_web_page(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;

	if (!h->chat) {
		ag_httpd_error(rp, 404, "not_found", "there is nothing at this path");
		return;
	}
	guard_page(rq, rp);
	ag_httpd_add_header(rp, "Cache-Control", AG_S("no-cache"));
	if (send_file(rq, rp, AG_S("index.html")))
		return;
	rp->content_type = AG_S("text/html; charset=utf-8");
	rp->borrowed = ag_str_c(missing);
}

bool ag_server_web_lost(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;
	const bool reads = ag_str_eqc(rq->method, "GET") || ag_str_eqc(rq->method, "HEAD");

	if (!h->chat || !reads || ag_str_starts(rq->path, AG_S("/api/")) ||
	    ag_str_starts(rq->path, AG_S("/mcp")) || ag_str_starts(rq->path, AG_S("/.")) ||
	    !ag_str_contains(ag_httpd_header_of(rq, "Accept"), AG_S("text/html")) ||
	    !file_coded(rq->arena, AG_S("index.html"), ""))
		return false;
	ag_server_web_page(env, rq, rp);
	rp->etag = AG_S("");
	if (rp->status == 200)
		rp->status = 404;
	return true;
}

/* The page of a share link: the same for every token, so that it says nothing about one (docs/decisions/0042). */
void ag_server_web_shared(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;

	if (!h->chat) {
		ag_httpd_error(rp, 404, "not_found", "there is nothing at this path");
		return;
	}
	guard_page(rq, rp);
	ag_server_shared_headers(rp);
	if (!send_file(rq, rp, AG_S("shared.html"))) {
		rp->content_type = AG_S("text/html; charset=utf-8");
		rp->borrowed = ag_str_c(missing);
	}
	rp->etag = AG_S("");
	if (rp->status == 200 && !ag_server_is_share_token(ag_httpd_param(rq, "token")))
		rp->status = 404;
}

void ag_server_web_asset(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;
	const ag_str name = ag_httpd_param(rq, "name");

	guard_page(rq, rp);
	if (h->chat && name.len <= MAX_NAME &&
	    send_file(rq, rp, ag_str_printf(rq->arena, "assets/%.*s", AG_FMT(name)))) {
		if (rp->status == 200)
			ag_httpd_add_header(rp, "Cache-Control",
			                    AG_S("public, max-age=31536000, immutable"));
		return;
	}
	ag_httpd_error(rp, 404, "not_found", "there is nothing at this path");
	ag_httpd_add_header(rp, "Cache-Control", AG_S("no-store"));
}

/* The policy of a frame is made with it, by the build: it allows the one script that is inside. Without a policy there is no
 * frame. */
void ag_server_web_frame(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;
	const ag_str name = ag_httpd_param(rq, "name");
	const ag_embedded *policy = NULL;

	if (h->chat && name.len <= MAX_NAME)
		policy = file_coded(rq->arena, ag_str_printf(rq->arena, "frame/%.*s", AG_FMT(name)),
		                    ".csp");
	if (!policy) {
		ag_httpd_error(rp, 404, "not_found", "there is nothing at this path");
		return;
	}
	guard_file(rp, ag_str_make((const char *)policy->ptr, policy->len));
	ag_httpd_add_header(rp, "X-DNS-Prefetch-Control", AG_S("off"));
	ag_httpd_add_header(rp, "Cache-Control", AG_S("no-cache"));
	if (!send_file(rq, rp, ag_str_printf(rq->arena, "frame/%.*s.html", AG_FMT(name))))
		ag_httpd_error(rp, 404, "not_found", "there is nothing at this path");
}

static ag_status write_projects(ag_server *h, ag_httpd_request *rq, ag_jw *w, ag_err *err)
{
	const ag_project **rows = NULL;
	size_t n = 0;
	ag_status st = ag_project_list(h->opts.chat->hub, ag_server_who(h, rq), rq->arena, &rows,
	                               &n, err);

	ag_jw_kkey(w, "projects");
	ag_jw_arr(w);
	for (size_t i = 0; i < n && !st; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "id", rows[i]->id);
		ag_jw_kstr(w, "name", rows[i]->name);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	return st;
}

void ag_server_web_start(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_server_chat *chat = h->opts.chat;
	ag_err err = { 0 };
	ag_str starter;
	ag_jw w;

	if (!h->chat) {
		ag_server_refuse(rq, rp, 404, "not_found", "there is nothing at this path");
		return;
	}
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "version", AG_S(AG_VERSION));
	ag_jw_kbool(&w, "demo", chat->starter != NULL);
	ag_jw_kstr(&w, "user", ag_server_who(h, rq)->user);
	ag_jw_kkey(&w, "starters");
	ag_jw_arr(&w);
	for (size_t i = 0; chat->starter && (starter = chat->starter(i)).len; i++)
		ag_jw_str(&w, starter);
	ag_jw_arr_end(&w);
	if (write_projects(h, rq, &w, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	ag_jw_obj_end(&w);
}
