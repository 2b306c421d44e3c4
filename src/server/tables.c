/* Tables that people import: a CSV file becomes a table of a SQLite file that Argus keeps for a project (project/import.h).
 *
 * POST /api/tables makes a project for it, whose administrator the caller is; POST /api/projects/{project}/tables adds to one. The
 * body is the file. It waits on the disk (http/spool.c), not in memory. */
#include "base/log.h"
#include "base/utf8.h"
#include "project/import.h"
#include "server/audits.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/work.h"

#define ORIGIN       "server.tables"
#define MAX_BYTES    (512ull << 20) /* of the SQLite file of a project */
#define MAX_TABLES   100u           /* the same */
#define MAX_PROJECTS 20u            /* that one user makes in this way */
#define SHOWN        200u           /* characters of a cell in the answer */

/* One request. */
typedef struct importing {
	ag_server *h;
	ag_httpd_request *rq;
	ag_httpd_reply *rp;
	ag_server_place at;
	ag_store *store;
	ag_caller who; /* of a project that is made: the caller with it */
	bool made_project;
	ag_str path, source; /* of the SQLite file */
	ag_import made;
} importing;

static ag_str source_of(ag_str path, ag_arena *arena)
{
	return ag_str_printf(arena, "sqlite:%.*s", AG_FMT(path));
}

static void set_path(importing *m, ag_str project)
{
	m->path = ag_import_path(m->h->opts.tables_folder, project, m->rq->arena);
	m->source = source_of(m->path, m->rq->arena);
}

bool ag_server_takes_tables(const ag_server *h, const ag_project *p, ag_role role, ag_arena *arena)
{
	const ag_str path = ag_import_path(h->opts.tables_folder, p->id, arena);

	if (!h->opts.tables_folder.len || !p->is_of_store)
		return false;
	return p->source.len
	               ? role >= AG_ROLE_ANALYST && ag_str_eq(p->source, source_of(path, arena))
	               : role == AG_ROLE_ADMIN;
}

/* --- the answer --- */

static void write_cell(const ag_cell *c, ag_jw *w)
{
	switch (c->kind) {
	case AG_CELL_INT: ag_jw_int(w, c->i); break;
	case AG_CELL_REAL: ag_jw_double(w, c->f); break;
	case AG_CELL_TEXT: ag_jw_str(w, ag_utf8_prefix(c->s, SHOWN)); break;
	default: ag_jw_null(w);
	}
}

static void write_columns(const ag_import *made, ag_jw *w)
{
	ag_jw_kkey(w, "columns");
	ag_jw_arr(w);
	for (size_t i = 0; i < made->ncolumn; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "name", made->columns[i].name);
		ag_jw_kstr(w, "type", ag_str_c(made->columns[i].type));
		ag_jw_kstr(w, "heading", ag_utf8_prefix(made->headings[i], SHOWN));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "first");
	ag_jw_arr(w);
	for (size_t k = 0; k < made->nfirst; k++) {
		ag_jw_arr(w);
		for (size_t i = 0; i < made->ncolumn; i++)
			write_cell(&made->first[k * made->ncolumn + i], w);
		ag_jw_arr_end(w);
	}
	ag_jw_arr_end(w);
}

static void write_made(const importing *m)
{
	ag_jw w;

	m->rp->status = 201;
	ag_server_json(m->rp, &w);
	ag_jw_kstr(&w, "project", m->at.place.project->id);
	ag_jw_kstr(&w, "project_name", m->at.place.project->name);
	ag_jw_kbool(&w, "made_project", m->made_project);
	ag_jw_kstr(&w, "table", m->made.table);
	ag_jw_kbool(&w, "replaced", m->made.replaced);
	ag_jw_kuint(&w, "rows", m->made.nrow);
	ag_jw_kuint(&w, "short_rows", m->made.short_rows);
	ag_jw_kuint(&w, "renamed", m->made.nrenamed);
	write_columns(&m->made, &w);
	ag_jw_obj_end(&w);
}

/* --- a table --- */

/* A message about the SQLite file names a path of this machine, which a client has no business with. */
static ag_status hide_path(ag_status st, ag_err *err)
{
	if (st != AG_IO && st != AG_DENIED && st != AG_CONFLICT && st != AG_TIMEOUT)
		return st;
	ag_log(AG_LOG_WARN, "import_failed", "%s", err->msg);
	if (st == AG_TIMEOUT) {
		ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		        "another import into this project is under way");
		return ag_err_hint(err, "try again in a moment");
	}
	ag_fail(err, AG_IO, ORIGIN, "the server cannot keep the table");
	return ag_err_hint(err, "its disk may be full; with log_level: warn it logs the reason");
}

/* The project's row, when its database is this file from now on. */
static ag_status connect(importing *m, ag_err *err)
{
	ag_project_row row;
	ag_status st = ag_store_project(m->store, m->at.place.project->id, m->rq->arena, &row, err);

	if (st || ag_str_eq(row.source, m->source))
		return st;
	if (row.source.len)
		return ag_fail(err, AG_CONFLICT, ORIGIN,
		               "the project was connected to a database meanwhile");
	row.source = m->source;
	row.changed_ms = ag_clock_wall(m->h->opts.clock);
	return ag_store_put_project(m->store, &row, err);
}

static ag_status import_work(importing *m, ag_err *err)
{
	const ag_import_what what = {
		.ctx = &m->at.ctx,
		.arena = m->rq->arena,
		.file = ag_server_query(m->rq, "name"),
		.table = ag_import_table_name(ag_server_query(m->rq, "table"),
		                              ag_server_query(m->rq, "name"), m->rq->arena),
		.path = m->path,
		.max_bytes = MAX_BYTES,
		.max_tables = MAX_TABLES,
	};
	ag_status st = hide_path(ag_import_bytes(&what, m->rq->body, &m->made, err), err);

	if (!st)
		st = connect(m, err);
	if (!st)
		st = ag_project_dictionary_forget(m->store, m->at.place.project->id, m->rq->arena,
		                                  err);
	return st;
}

static ag_status drop_work(importing *m, ag_err *err)
{
	const ag_str name = ag_server_param(m->rq, "table");
	ag_tables *t = NULL;
	bool was_there = false;
	ag_status st = ag_tables_open(m->path, &t, err);

	if (!st)
		st = ag_tables_drop(t, name, &was_there, err);
	if (!st && was_there)
		st = ag_tables_commit(t, err);
	ag_tables_close(t);
	st = hide_path(st, err);
	if (!st && !was_there)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such table");
	if (!st)
		st = ag_project_dictionary_forget(m->store, m->at.place.project->id, m->rq->arena,
		                                  err);
	return st;
}

/* --- the call --- */

/* Does the work as a governed call. `said` is what the audit table keeps of it. */
static ag_status govern(importing *m, const char *tool, ag_str said,
                        ag_status (*work)(importing *m, ag_err *err), ag_err *err)
{
	const ag_project *p = m->at.place.project;
	ag_project_call call = { .who = m->at.place.who,
		                 .project = p,
		                 .tool = ag_str_c(tool),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_status st;

	if (!ag_project_begin(m->at.place.hub, &call,
	                      p->source.len ? AG_ROLE_ANALYST : AG_ROLE_ADMIN, "sql", said,
	                      m->rq->arena, &f))
		return ag_sql_failure_err(&f, ORIGIN, err);
	st = work(m, err);
	if (!ag_project_end(m->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", m->rq->body.len,
	                    m->rq->arena, &f) &&
	    !st)
		st = ag_sql_failure_err(&f, ORIGIN, err);
	ag_project_changed(m->at.place.hub, p->id);
	return st;
}

/* A file is in memory as columns while it is imported. */
static ag_status import_alone(importing *m, ag_err *err)
{
	const ag_str name = ag_server_query(m->rq, "name");
	ag_status st;

	if (atomic_fetch_add(&m->h->nreading, 1) < AG_SERVER_READERS) {
		st = govern(m, "import_table",
		            ag_str_printf(m->rq->arena, "import %.*s",
		                          AG_FMT(ag_utf8_prefix(name, SHOWN))),
		            import_work, err);
	} else {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "other files are being read");
		ag_err_hint(err, "try again in a moment");
	}
	atomic_fetch_sub(&m->h->nreading, 1);
	return st;
}

static void answer(importing *m, ag_status st, const ag_err *err)
{
	if (st == AG_INVALID)
		ag_server_problem(m->rp, 422, err->msg, err->hint);
	else if (st)
		ag_server_problem_of(m->rp, err);
}

/* False: rp says why nothing is imported. */
static bool is_fit(importing *m)
{
	const ag_str type = ag_httpd_header_of(m->rq, "Content-Type");
	const ag_str name = ag_server_query(m->rq, "name"), table = ag_server_query(m->rq, "table");

	if (!m->h->opts.tables_folder.len || !m->h->chat) {
		ag_server_problem(m->rp, 404, "there is nothing at this path",
		                  "it is served by argus serve");
		return false;
	}
	/* A page of another origin may send a form or plain text without being asked first. */
	if (!ag_str_starts(type, AG_S("text/csv")) &&
	    !ag_str_eqc(type, "application/octet-stream")) {
		ag_server_problem(m->rp, 415, "the file is not sent as CSV",
		                  "send \"Content-Type: text/csv\"");
		return false;
	}
	if (ag_import_table_name(table, name, m->rq->arena).len)
		return true;
	ag_server_problem(
		m->rp, 400, "the table has no name",
		"?name= is the name of the file, ?table= that of the table: want letters or digits");
	return false;
}

/* Is the project one that takes tables? False: rp says why not. */
static bool is_for_tables(importing *m)
{
	const ag_project *p = m->at.place.project;

	set_path(m, p->id);
	if (!p->is_of_store)
		ag_server_problem(m->rp, 409, "this project is set where the server was started",
		                  "import into a new project: POST /api/tables");
	else if (p->source.len && !ag_str_eq(p->source, m->source))
		ag_server_problem(m->rp, 409,
		                  "the project has a database, to which Argus does not write",
		                  "import into a new project: POST /api/tables");
	else
		return true;
	return false;
}

void ag_server_table_import(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	importing m = { .h = (ag_server *)env, .rq = rq, .rp = rp };
	ag_err err = { 0 };
	ag_status st;

	if (!is_fit(&m) || !ag_server_place_of(m.h, rq, rp, &m.at) || !is_for_tables(&m))
		return;
	m.store = ag_server_store_of(m.h, rp);
	if (!m.store)
		return;
	st = import_alone(&m, &err);
	answer(&m, st, &err);
	if (!st)
		write_made(&m);
	ag_store_close(m.store);
}

void ag_server_table_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	importing m = { .h = (ag_server *)env, .rq = rq, .rp = rp };
	ag_err err = { 0 };
	ag_status st;

	if (!ag_server_place_of(m.h, rq, rp, &m.at))
		return;
	set_path(&m, m.at.place.project->id);
	if (!ag_str_eq(m.at.place.project->source, m.source)) {
		ag_server_problem(rp, 404, "the project has no imported tables", "");
		return;
	}
	m.store = ag_server_store_of(m.h, rp);
	if (!m.store)
		return;
	st = govern(&m, "drop_table",
	            ag_str_printf(rq->arena, "drop %.*s", AG_FMT(ag_server_param(rq, "table"))),
	            drop_work, &err);
	answer(&m, st, &err);
	if (!st)
		rp->status = 204;
	ag_store_close(m.store);
}

/* --- a project for it --- */

/* May the caller have a project more? A token with limits would not see it. */
static ag_status check_maker(importing *m, ag_err *err)
{
	const ag_caller *who = ag_server_who(m->h, m->rq);
	ag_member_row *rows;
	size_t n, count = 0;
	ag_status st;

	if (who->is_local && who->has_all)
		return AG_OK;
	if (who->is_local || (who->token.len && who->kind != AG_TOKEN_SESSION && !who->is_super)) {
		ag_fail(err, AG_DENIED, ORIGIN, "only a user who is signed in makes a project");
		return ag_err_hint(err, "sign in, or import into a project that is there");
	}
	st = ag_store_members(m->store, AG_S(""), who->user, m->rq->arena, &rows, &n, err);
	for (size_t i = 0; !st && i < n; i++) {
		ag_project_row row;

		set_path(m, rows[i].project);
		count += rows[i].role == AG_ROLE_ADMIN &&
		         !ag_store_project(m->store, rows[i].project, m->rq->arena, &row, NULL) &&
		         ag_str_eq(row.source, m->source);
	}
	if (st || count < MAX_PROJECTS)
		return st;
	ag_fail(err, AG_LIMIT, ORIGIN,
	        "you have %u projects of imported tables, and may have no more", MAX_PROJECTS);
	return ag_err_hint(err, "import into one of them");
}

/* The table's name and six random digits: the id of a project is unique, and says nothing about those of others. */
static ag_str new_id(importing *m)
{
	const ag_id random = ag_id_new(m->h->opts.clock);
	const ag_str table = ag_import_table_name(ag_server_query(m->rq, "table"),
	                                          ag_server_query(m->rq, "name"), m->rq->arena);
	ag_buf id = AG_BUF_INIT(AG_IDENTITY_MAX_NAME);
	ag_str ret;

	for (size_t i = 0; i < table.len && id.len < 40; i++)
		if ((unsigned char)table.ptr[i] < 0x80)
			ag_buf_addc(&id, table.ptr[i] == '_' && !id.len ? 't' : table.ptr[i]);
	ret = ag_str_printf(m->rq->arena, "%.*s-%s",
	                    AG_FMT(id.len ? ag_buf_view(&id) : AG_S("table")),
	                    random.text + strlen(random.text) - 6);
	ag_buf_release(&id);
	return ret;
}

/* The caller as an administrator of the new project, which a list of its projects that was read before does not have. */
static void add_to_caller(importing *m, ag_str id)
{
	const ag_caller *who = ag_server_who(m->h, m->rq);
	ag_caller_project *list = ag_new_n(m->rq->arena, ag_caller_project, who->nproject + 1);
	size_t n = 0;

	while (n < who->nproject && ag_str_cmp(who->projects[n].project, id) < 0) {
		list[n] = who->projects[n];
		n++;
	}
	list[n] = (ag_caller_project){ id, AG_ROLE_ADMIN };
	for (; n < who->nproject; n++)
		list[n + 1] = who->projects[n];
	m->who = *who;
	m->who.projects = list;
	m->who.nproject = who->nproject + 1;
}

static ag_status make_project(importing *m, ag_err *err)
{
	const ag_str name = ag_str_trim(ag_server_query(m->rq, "project_name"));
	const int64_t now_ms = ag_clock_wall(m->h->opts.clock);
	const ag_str id = new_id(m);
	const ag_member_row member = { id, ag_server_who(m->h, m->rq)->user, AG_ROLE_ADMIN };
	ag_project_hub *hub = m->h->opts.chat->hub;
	const ag_project *project;
	ag_project_row row = { .id = id,
		               .name = name.len ? name : ag_server_query(m->rq, "name"),
		               .settings = AG_S("{}"),
		               .is_active = true,
		               .created_ms = now_ms,
		               .changed_ms = now_ms };
	ag_status st;

	set_path(m, id);
	row.source = m->source;
	st = ag_store_put_project(m->store, &row, err);
	if (st)
		return st;
	m->made_project = true;
	add_to_caller(m, id);
	if (!m->who.is_local)
		st = ag_store_put_member(m->store, &member, err);
	ag_project_changed(hub, id);
	if (!st)
		st = ag_project_find(hub, &m->who, id, &project, err);
	if (st)
		return st;
	m->at.ctx = (ag_ctx){ .clock = m->h->opts.clock,
		              .deadline_ms = ag_clock_mono(m->h->opts.clock) + AG_SERVER_WORK_MS,
		              .nthread = 1 };
	m->at.place = (ag_know_place){ hub, &m->at.ctx, &m->who, project };
	return AG_OK;
}

/* A project without its table is of no use. */
static void forget_project(importing *m)
{
	ag_err ignored = { 0 };
	const ag_str id = m->at.place.project ? m->at.place.project->id : AG_S("");

	if (!m->made_project || !id.len)
		return;
	AG_IGNORE(ag_store_drop_project(m->store, id, &ignored),
	          "the project stays, without a table; the caller sees it");
	ag_project_changed(m->h->opts.chat->hub, id);
}

void ag_server_table_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	importing m = { .h = (ag_server *)env, .rq = rq, .rp = rp };
	ag_err err = { 0 };
	ag_status st;

	if (!is_fit(&m))
		return;
	m.store = ag_server_store_of(m.h, rp);
	if (!m.store)
		return;
	st = check_maker(&m, &err);
	if (!st)
		st = make_project(&m, &err);
	if (!st)
		st = import_alone(&m, &err);
	answer(&m, st, &err);
	if (st)
		forget_project(&m);
	else
		write_made(&m);
	ag_store_close(m.store);
}
