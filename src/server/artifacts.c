/* What conversations left: charts, pages and texts with their versions and live data. */
#include "artifact/artifact.h"
#include "artifact/page.h"
#include "artifact/shell.h"
#include "base/num.h"
#include "browser/print.h"
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

#define ORIGIN   "server.artifacts"
#define MAX_VIEW (16u << 20)

static ag_str row_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_artifact_row *)rows)[i].id;
}

static ag_str version_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_artifact_version *)rows)[i].id;
}

void ag_server_artifacts_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_artifact_list_opts o = { .search = ag_server_query(rq, "q"),
		                          .deleted = ag_str_eqc(ag_server_query(rq, "deleted"),
		                                                "true") };
	ag_artifact_listing list;
	ag_server_list page;
	ag_server_place at;
	ag_err err = { 0 };
	ag_jw w;

	if (!ag_server_place_of(h, rq, rp, &at))
		return;
	if (ag_artifact_list(&at.place, &o, rq->arena, &list, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	if (!ag_server_list_of(rq, rp, list.rows, list.n, row_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "artifacts");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		ag_artifact_row_json(&list.rows[i], &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_kuint(&w, "total", list.total);
	ag_jw_obj_end(&w);
}

/* The artifact of the route's {id}, in the version of ?version=. False: rp says why not. */
static bool find(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_server_place *at,
                 ag_artifact *ret)
{
	const ag_str text = ag_server_query(rq, "version");
	uint64_t version = 0;
	ag_err err = { 0 };

	if (!ag_server_place_of(h, rq, rp, at))
		return false;
	if (text.len && (!ag_str_to_u64(text, &version) || !version)) {
		ag_server_problem(rp, 400, "want ?version= as a number from 1", "");
		return false;
	}
	if (!ag_artifact_get(&at->place, ag_server_param(rq, "id"), version, rq->arena, ret, &err))
		return true;
	ag_server_problem_of(rp, &err);
	return false;
}

void ag_server_artifact_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_artifact a;
	ag_jw w;

	if (!find((ag_server *)env, rq, rp, &at, &a))
		return;
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_artifact_json(&a, &w);
	ag_jw_obj_end(&w);
}

void ag_server_artifact_versions(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_artifact_row row;
	ag_artifact_version *list;
	ag_server_list page;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (!ag_server_place_of((ag_server *)env, rq, rp, &at))
		return;
	if (ag_artifact_history(&at.place, ag_server_param(rq, "id"), rq->arena, &row, &list, &n,
	                        &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	if (!ag_server_list_of(rq, rp, list, n, version_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "versions");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "id", list[i].id);
		ag_jw_kuint(&w, "version", list[i].version);
		ag_jw_kstr(&w, "parent", list[i].parent);
		ag_jw_kstr(&w, "title", list[i].title);
		ag_jw_kstr(&w, "author", list[i].author);
		ag_jw_ktime(&w, "created_at", list[i].created_ms);
		ag_jw_kstr(&w, "sha256", list[i].hash);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

/* {"results":[…],"data":{…}}: each query's rows or its error, and what a page is given. */
void ag_server_artifact_data(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_artifact_result *list = NULL;
	ag_server_place at;
	ag_artifact a;
	ag_err err = { 0 };
	size_t n = 0;
	ag_jw w;

	if (!find(h, rq, rp, &at, &a))
		return;
	if (ag_artifact_query(&at.place, &a, h->chat->artifacts, rq->arena, &list, &n, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "results");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		ag_artifact_result_json(&list[i], rq->arena, &w);
	ag_jw_arr_end(&w);
	ag_jw_kraw(&w, "data", ag_artifact_data(&a, list, n, rq->arena));
	ag_jw_obj_end(&w);
}

/* --- export --- */

static ag_status write_page(ag_server *h, ag_httpd_request *rq, const ag_server_place *at,
                            const ag_artifact *a, ag_buf *out, ag_err *err)
{
	ag_artifact_result *list = NULL;
	size_t n = 0, nleft;
	ag_status st = ag_artifact_query(&at->place, a, h->chat->artifacts, rq->arena, &list, &n,
	                                 err);

	return st ? st
	          : ag_artifact_page(a, ag_artifact_data(a, list, n, rq->arena), rq->arena, out,
	                             &nleft, err);
}

/* What the browser prints: a page that runs nothing, or the shell with the frame that draws it. */
static ag_status write_paper(ag_server *h, ag_httpd_request *rq, const ag_server_place *at,
                             const ag_artifact *a, ag_buf *out, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf view = AG_BUF_INIT(MAX_VIEW);
	ag_status st;

	if (a->kind != AG_ARTIFACT_REACT && a->kind != AG_ARTIFACT_PLOTLY)
		return write_page(h, rq, at, a, out, err);
	if (!ag_artifact_has_shell()) {
		ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		        "this program was built without the web page, which draws charts");
		return AG_UNAVAILABLE;
	}
	st = ag_artifact_view(&at->place, a, rq->arena, &view, err);
	if (!st)
		ag_artifact_shell(ag_buf_view(&view), out);
	return st;
}

static ag_status write_pdf(ag_server *h, ag_httpd_request *rq, const ag_server_place *at,
                           const ag_artifact *a, ag_buf *ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf paper = AG_BUF_INIT(4 * MAX_VIEW);
	ag_status st = ag_browser_check(err);

	if (!st)
		st = write_paper(h, rq, at, a, &paper, err);
	if (!st && paper.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "it is too large to be printed");
	return st ? st : ag_browser_print(at->place.ctx, ag_buf_view(&paper), ret, err);
}

/* ?as=html: a page that runs nothing; pdf: what is drawn, on paper; code: as it was written. All are saved, not shown: code of a model
 * has no business in the server's own origin. */
void ag_server_artifact_export(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_str as = ag_server_query(rq, "as");
	static const struct {
		const char *as, *type, *end;
	} forms[] = { { "html", "text/html; charset=utf-8", "html" },
		      { "pdf", "application/pdf", "pdf" },
		      { "code", "text/plain; charset=utf-8", "txt" } };
	ag_server_place at;
	ag_artifact a;
	ag_err err = { 0 };
	ag_status st = AG_OK;
	size_t i = 0;

	while (i < AG_NELEM(forms) && !ag_str_eqc(as, forms[i].as))
		i++;
	if (i == AG_NELEM(forms)) {
		ag_server_problem(rp, 400, "want ?as=html, ?as=pdf or ?as=code", "");
		return;
	}
	if (!find(h, rq, rp, &at, &a))
		return;
	if (ag_str_eqc(as, "html"))
		st = write_page(h, rq, &at, &a, &rp->body, &err);
	else if (ag_str_eqc(as, "pdf"))
		st = write_pdf(h, rq, &at, &a, &rp->body, &err);
	else
		ag_buf_add(&rp->body, a.version.code);
	if (st) {
		ag_server_problem_of(rp, &err);
		return;
	}
	rp->content_type = ag_str_c(forms[i].type);
	ag_httpd_add_header(rp, "Content-Disposition",
	                    ag_str_printf(rq->arena, "attachment; filename=\"artifact-%.18s.%s\"",
	                                  ag_str_cstr(rq->arena, a.row.id), forms[i].end));
	ag_httpd_add_header(rp, "Content-Security-Policy", AG_S("sandbox; default-src 'none'"));
	ag_httpd_add_header(rp, "X-Content-Type-Options", AG_S("nosniff"));
}

/* --- changes --- */

static void answer_row(const ag_artifact_row *row, ag_httpd_reply *rp)
{
	ag_jw w;

	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_artifact_row_json(row, &w);
}

void ag_server_artifact_rename(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_artifact_row row;
	ag_err err = { 0 };
	ag_val body;

	if (!ag_server_body(rq, rp, &body) || !ag_server_place_of((ag_server *)env, rq, rp, &at))
		return;
	if (ag_artifact_rename(&at.place, ag_server_param(rq, "id"),
	                       ag_val_member_str(&body, "title"), rq->arena, &row, &err))
		ag_server_problem_of(rp, &err);
	else
		answer_row(&row, rp);
}

void ag_server_artifact_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_artifact_row row;
	ag_err err = { 0 };

	if (!ag_server_place_of((ag_server *)env, rq, rp, &at))
		return;
	if (ag_artifact_delete(&at.place, ag_server_param(rq, "id"), rq->arena, &row, &err))
		ag_server_problem_of(rp, &err);
	else
		rp->status = 204;
}

void ag_server_artifact_undelete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_artifact_row row;
	ag_err err = { 0 };

	if (!ag_server_place_of((ag_server *)env, rq, rp, &at))
		return;
	if (ag_artifact_undelete(&at.place, ag_server_param(rq, "id"), rq->arena, &row, &err))
		ag_server_problem_of(rp, &err);
	else
		answer_row(&row, rp);
}
