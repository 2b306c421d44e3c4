/* The routes of a question that read the project's folder, and those that choose it: see asks.h.
 *
 * Only lines that an answer cites are read, so a client names no path: the answer in the store does. */
#include "base/log.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "server/asks.h"
#include "server/chat.h"
#include "server/problem.h"

#define ORIGIN      "server.ask"
#define FILE_BYTES  (8u << 20) /* of a file that is looked at */
#define MAX_LINES   400u       /* of one answer; a section is seldom longer */
#define MAX_LINE    2000u      /* bytes of a line that are shown */
#define CONTEXT     8u         /* lines before and after, when none are named */
#define MAX_CONTEXT 100u

/* --- the cited lines --- */

static bool number_of(ag_str text, unsigned fallback, unsigned max, unsigned *ret)
{
	uint64_t n = fallback;

	if (text.len && (!ag_str_to_u64(text, &n) || n > max))
		return false;
	*ret = (unsigned)n;
	return true;
}

static void write_line(ag_str line, ag_jw *w)
{
	AG_AUTO(ag_buf_release) ag_buf safe = AG_BUF_INIT(4 * MAX_LINE);

	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	/* A key that stands there is not shown. */
	if (!ag_log_clean(ag_utf8_prefix(line, MAX_LINE), &safe) || safe.failed)
		ag_jw_str(w, AG_S(""));
	else
		ag_jw_str(w, ag_buf_view(&safe));
}

/* The lines from..to of the text, which are counted from 1. Returns how many lines the text has. */
static unsigned write_lines(ag_str text, unsigned from, unsigned to, ag_jw *w)
{
	unsigned n = 0;

	ag_jw_kkey(w, "lines");
	ag_jw_arr(w);
	while (text.len) {
		const ag_str line = ag_str_split(&text, '\n');

		n++;
		if (n >= from && n <= to)
			write_line(line, w);
	}
	ag_jw_arr_end(w);
	return n;
}

static void write_citation(const ag_citation *c, const ag_root_text *file, unsigned context,
                           ag_jw *w)
{
	const ag_sha256_hex hash = ag_sha256(file->text);
	const unsigned line = c->line ? c->line : 1, last = c->line ? c->last_line : MAX_LINES;
	const unsigned from = line > context ? line - context : 1;
	unsigned to = (last > line ? last : line) + context;

	if (to - from >= MAX_LINES)
		to = from + MAX_LINES - 1;
	ag_jw_kstr(w, "path", c->path);
	ag_jw_kstr(w, "anchor", c->anchor);
	ag_jw_kstr(w, "title", c->title);
	ag_jw_kuint(w, "line", c->line);
	ag_jw_kuint(w, "last_line", c->last_line);
	ag_jw_kuint(w, "first", from);
	ag_jw_kuint(w, "of", write_lines(file->text, from, to, w));
	ag_jw_kbool(w, "is_changed",
	            !file->is_cut && c->sha256.len && !ag_str_eqc(c->sha256, hash.text));
}

static ag_status read_citation(ag_server *h, const ag_server_asked *a, ag_httpd_request *rq,
                               ag_httpd_reply *rp, unsigned context, ag_err *err)
{
	const ag_server_asks *o = h->opts.asks;
	const ag_str text = ag_server_param(rq, "n");
	ag_root *root = NULL;
	ag_root_text file = { 0 };
	ag_answer answer;
	uint64_t n = 0;
	ag_jw w;
	ag_status st = ag_server_asks_answer(a, rq->arena, &answer, err);

	if (!st && (!ag_str_to_u64(text, &n) || n < 1 || n > answer.ncitation))
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN,
		             "the answer has no citation of that number");
	if (!st)
		st = o->open_root(o->arg, a->at.place.project, rq->arena, &root, err);
	if (st)
		return st;
	st = ag_root_read(root, &a->at.ctx, answer.citations[n - 1].path, FILE_BYTES, rq->arena,
	                  &file, err);
	ag_root_close(root);
	if (!st && file.is_binary)
		st = ag_fail(err, AG_CONFLICT, ORIGIN, "the file is no text any more");
	if (st)
		return st;
	ag_server_json(rp, &w);
	write_citation(&answer.citations[n - 1], &file, context, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

/* Does the work as a governed call: role, scope, limits, a row in the audit table. */
static void govern(ag_server *h, const ag_server_asked *a, ag_httpd_request *rq, ag_httpd_reply *rp,
                   unsigned context)
{
	ag_project_call call = { .who = a->at.place.who,
		                 .project = a->at.place.project,
		                 .tool = AG_S("read_cited_lines"),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_err err = { 0 };
	ag_status st = AG_OK;

	if (!ag_project_begin(a->at.place.hub, &call, AG_ROLE_VIEWER, "ask",
	                      a->has_run ? ag_id_str(&a->run.id) : AG_S(""), rq->arena, &f)) {
		AG_IGNORE(ag_sql_failure_err(&f, ORIGIN, &err), "it fills the error");
		ag_server_problem_of(rp, &err);
		return;
	}
	st = read_citation(h, a, rq, rp, context, &err);
	if (!ag_project_end(a->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", rp->body.len,
	                    rq->arena, &f) &&
	    !st) {
		ag_buf_release(&rp->body);
		st = ag_sql_failure_err(&f, ORIGIN, &err);
	}
	if (st)
		ag_server_problem_of(rp, &err);
}

void ag_server_ask_citation(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_asked a = { 0 };
	unsigned context;

	if (!number_of(ag_server_query(rq, "context"), CONTEXT, MAX_CONTEXT, &context))
		ag_server_problem(rp, 400, "want ?context= from 0 to 100", "");
	else if (ag_server_asks_find(h, rq, rp, &a))
		govern(h, &a, rq, rp, context);
	ag_store_close(a.store);
}

/* --- what questions of a project are answered from --- */

static void write_list(ag_jw *w, const char *key, ag_str list)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	while (list.len) {
		const ag_str one = ag_str_trim(ag_str_split(&list, ','));

		if (one.len)
			ag_jw_str(w, one);
	}
	ag_jw_arr_end(w);
}

static void write_setup(const ag_server *h, const ag_server_place *at, ag_httpd_reply *rp)
{
	const ag_server_asks *o = h->opts.asks;
	const ag_project *p = at->place.project;
	const bool is_admin = ag_caller_role(at->place.who, p->id) == AG_ROLE_ADMIN;
	ag_jw w;

	ag_server_json(rp, &w);
	ag_jw_kstr(&w, "project", p->id);
	ag_jw_kbool(&w, "has_folder", p->settings.root.len > 0);
	ag_jw_kbool(&w, "has_api", p->settings.api_base.len > 0);
	ag_jw_kbool(&w, "has_model", o->has_model(o->arg, p));
	ag_jw_kdouble(&w, "max_seconds", o->max_seconds);
	ag_jw_kkey(&w, "starters");
	ag_jw_arr(&w);
	for (size_t i = 0; o->starter && o->starter(i).len; i++)
		ag_jw_str(&w, o->starter(i));
	ag_jw_arr_end(&w);
	ag_jw_kbool(&w, "can_choose", is_admin && p->is_of_store);
	ag_jw_kstr(&w, "folder", is_admin ? p->settings.root : AG_S(""));
	ag_jw_kstr(&w, "api_base", is_admin ? p->settings.api_base : AG_S(""));
	write_list(&w, "folders", is_admin ? o->folders : AG_S(""));
	write_list(&w, "apis", is_admin ? o->apis : AG_S(""));
	ag_jw_obj_end(&w);
}

void ag_server_ask_setup_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_asked a = { 0 };

	if (ag_server_asks_place(h, rq, rp, ag_server_query(rq, "project"), &a))
		write_setup(h, &a.at, rp);
	ag_store_close(a.store);
}

/* The project's row with these two settings, and all others as they are. */
static ag_status change(ag_server *h, const ag_server_asked *a, ag_str folder, ag_str api_base,
                        ag_arena *arena, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	const ag_server_asks *o = h->opts.asks;
	ag_project_settings settings;
	ag_project_row row = { 0 };
	ag_val v;
	ag_status st = o->choose(o->arg, folder, api_base, arena, &folder, err);

	if (!st)
		st = ag_store_project(a->store, a->at.place.project->id, arena, &row, err);
	if (!st)
		st = ag_extjson_parse(row.settings, &opts, arena, &v, NULL, NULL, err);
	if (!st)
		st = ag_project_settings_read(&v, arena, &settings, err);
	if (st)
		return st;
	settings.root = folder;
	settings.api_base = api_base;
	row.changed_ms = ag_clock_wall(h->opts.clock);
	st = ag_project_settings_text(&settings, arena, &row.settings, err);
	return st ? st : ag_store_put_project(a->store, &row, err);
}

static void put(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_server_asked *a,
                const ag_val *body)
{
	const ag_str id = a->at.place.project->id;
	const ag_str folder = ag_str_trim(ag_val_member_str(body, "folder"));
	const ag_str api_base = ag_str_trim(ag_val_member_str(body, "api_base"));
	ag_project_call call = { .who = a->at.place.who,
		                 .project = a->at.place.project,
		                 .tool = AG_S("choose_ask_folder"),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_err err = { 0 };
	ag_status st;

	if (!ag_project_begin(a->at.place.hub, &call, AG_ROLE_ADMIN, "ask", folder, rq->arena,
	                      &f)) {
		st = ag_sql_failure_err(&f, ORIGIN, &err);
	} else {
		st = change(h, a, folder, api_base, rq->arena, &err);
		if (!ag_project_end(a->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", 0,
		                    rq->arena, &f) &&
		    !st)
			st = ag_sql_failure_err(&f, ORIGIN, &err);
	}
	/* A changed project is another object. */
	ag_project_changed(a->at.place.hub, id);
	if (st)
		ag_server_problem_of(rp, &err);
	else if (ag_server_place_in(h, rq, rp, id, &a->at))
		write_setup(h, &a->at, rp);
}

void ag_server_ask_setup_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_asked a = { 0 };
	ag_val body;

	if (ag_server_body(rq, rp, &body) &&
	    ag_server_asks_place(h, rq, rp, ag_val_member_str(&body, "project"), &a)) {
		if (a.at.place.project->is_of_store)
			put(h, rq, rp, &a, &body);
		else
			ag_server_problem(rp, 409,
			                  "this project is set where the server was started",
			                  "change it in argus.yaml");
	}
	ag_store_close(a.store);
}
