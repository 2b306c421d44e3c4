/* The connections of a project: its database, and its source of documents. An administrator of the project sets them.
 *
 * A password comes in and never goes out: it is sealed at once (project/credential.h), and an answer says only whether there is
 * one. It belongs to the address it was given for, so another address forgets it. */
#include "base/log.h"
#include "project/credential.h"
#include "query/extjson.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/work.h"

#define ORIGIN  "server.connections"
#define TEST_MS 15000

/* One request. */
typedef struct connecting {
	ag_server *h;
	ag_httpd_request *rq;
	ag_httpd_reply *rp;
	ag_server_place at;
	ag_store *store;
	ag_project_row row;
	ag_project_settings settings; /* of the row */
	ag_val body;
	bool is_documents;
} connecting;

static ag_str address_of(const connecting *c)
{
	return c->is_documents ? c->settings.documents : c->row.source;
}

static ag_str secret_of(const connecting *c)
{
	return c->is_documents ? c->settings.documents_secret : c->row.secret;
}

/* The row of the project as it is now. */
static ag_status read_row(connecting *c, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	ag_val v;
	ag_status st = ag_store_project(c->store, c->at.place.project->id, c->rq->arena, &c->row,
	                                err);

	if (!st)
		st = ag_extjson_parse(c->row.settings, &opts, c->rq->arena, &v, NULL, NULL, err);
	return st ? st : ag_project_settings_read(&v, c->rq->arena, &c->settings, err);
}

/* The request in its project, which must be one of the store. False: rp says why not. */
static bool find_row(connecting *c)
{
	const ag_str kind = ag_server_param(c->rq, "kind");
	ag_err err = { 0 };

	if (!c->h->opts.connections || !ag_server_place_of(c->h, c->rq, c->rp, &c->at))
		return false;
	c->is_documents = ag_str_eqc(kind, "documents");
	if (!c->is_documents && !ag_str_eqc(kind, "database")) {
		ag_server_problem(c->rp, 404, "there is no such connection",
		                  "database or documents");
		return false;
	}
	if (!c->at.place.project->is_of_store) {
		ag_server_problem(c->rp, 409, "this project is set where the server was started",
		                  "change it in argus.yaml");
		return false;
	}
	c->store = ag_server_store_of(c->h, c->rp);
	if (!c->store)
		return false;
	if (!read_row(c, &err))
		return true;
	ag_server_problem_of(c->rp, &err);
	return false;
}

/* Does the work as a governed call of an administrator; in the audit table it is "set_database". */
static void govern(connecting *c, const char *verb, ag_status (*work)(connecting *c, ag_err *err))
{
	ag_project_call call = { .who = c->at.place.who,
		                 .project = c->at.place.project,
		                 .tool = ag_str_printf(c->rq->arena, "%s_%s", verb,
		                                       c->is_documents ? "documents" : "database"),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_err err = { 0 };
	ag_status st;

	if (!ag_project_begin(c->at.place.hub, &call, AG_ROLE_ADMIN, "sql", AG_S(""), c->rq->arena,
	                      &f)) {
		AG_IGNORE(ag_sql_failure_err(&f, ORIGIN, &err), "it fills the error");
		ag_server_problem_of(c->rp, &err);
		return;
	}
	st = work(c, &err);
	if (!ag_project_end(c->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", c->rp->body.len,
	                    c->rq->arena, &f) &&
	    !st)
		st = ag_sql_failure_err(&f, ORIGIN, &err);
	ag_project_changed(c->at.place.hub, c->at.place.project->id);
	if (st)
		ag_server_problem_of(c->rp, &err);
}

/* --- the list --- */

/* What is no address of a server is a path of this one, for administrators alone. */
static void write_one(const connecting *c, bool is_documents, bool is_admin, ag_jw *w)
{
	connecting one = *c;
	ag_str address;

	one.is_documents = is_documents;
	address = address_of(&one);
	ag_jw_obj(w);
	ag_jw_kstr(w, "kind", is_documents ? AG_S("documents") : AG_S("database"));
	ag_jw_kstr(w, "address",
	           is_admin || ag_str_contains(address, AG_S("://")) ? address : AG_S(""));
	ag_jw_kbool(w, "has_password", secret_of(&one).len > 0);
	ag_jw_obj_end(w);
}

static void write_names(ag_jw *w, const char *key, ag_str list)
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

static void write_list(const connecting *c, bool is_admin)
{
	const ag_server_connections *o = c->h->opts.connections;
	const ag_project *p = c->at.place.project;
	ag_jw w;

	ag_server_json(c->rp, &w);
	ag_jw_kbool(&w, "can_change", is_admin && p->is_of_store);
	write_names(&w, "hosts", is_admin ? o->hosts : AG_S(""));
	write_names(&w, "folders", is_admin ? o->folders : AG_S(""));
	ag_jw_kkey(&w, "connections");
	ag_jw_arr(&w);
	if (c->row.source.len)
		write_one(c, false, is_admin, &w);
	if (c->settings.documents.len)
		write_one(c, true, is_admin, &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
}

void ag_server_connections_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	connecting c = { .h = (ag_server *)env, .rq = rq, .rp = rp };
	const ag_project *p;
	ag_role role;
	ag_err err = { 0 };

	if (!c.h->opts.connections) {
		ag_server_problem(rp, 404, "there is nothing at this path", "");
		return;
	}
	if (!ag_server_place_of(c.h, rq, rp, &c.at))
		return;
	p = c.at.place.project;
	role = ag_caller_role(c.at.place.who, p->id);
	if (role < AG_ROLE_ANALYST) {
		ag_server_problem(rp, 403, "your role in the project is not enough", "");
		return;
	}
	c.store = ag_server_store_of(c.h, rp);
	if (!c.store)
		return;
	if (p->is_of_store && read_row(&c, &err)) {
		ag_server_problem_of(rp, &err);
	} else {
		if (!p->is_of_store) {
			c.row.source = p->source;
			c.settings = p->settings;
		}
		write_list(&c, role == AG_ROLE_ADMIN);
	}
	ag_store_close(c.store);
}

/* --- set and delete --- */

static ag_status write_row(connecting *c, ag_str address, ag_str secret, ag_err *err)
{
	ag_status st;

	if (c->is_documents) {
		c->settings.documents = address;
		c->settings.documents_secret = secret;
	} else {
		c->row.source = address;
		c->row.secret = secret;
	}
	c->row.changed_ms = ag_clock_wall(c->h->opts.clock);
	st = ag_project_settings_text(&c->settings, c->rq->arena, &c->row.settings, err);
	if (!st)
		st = ag_store_put_project(c->store, &c->row, err);
	if (!st)
		write_list(c, true);
	return st;
}

/* The address of the body, and its password: given beside it, or inside. */
static ag_status read_address(connecting *c, ag_server_address *ret, ag_err *err)
{
	const ag_server_connections *o = c->h->opts.connections;
	const ag_str given = ag_val_member_str(&c->body, "password");
	ag_str inside = AG_S("");
	ag_status st;

	ret->is_documents = c->is_documents;
	st = ag_credential_take(ag_str_trim(ag_val_member_str(&c->body, "address")), c->rq->arena,
	                        &ret->uri, &inside, err);
	if (!st && inside.len && given.len)
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "there is a password in the address and one beside it");
	ret->password = inside.len ? inside : given;
	ag_log_redact(ret->password);
	return st ? st : o->check(o->arg, ret, c->rq->arena, &ret->uri, err);
}

static ag_status put_work(connecting *c, ag_err *err)
{
	const ag_server_connections *o = c->h->opts.connections;
	ag_server_address a = { 0 };
	ag_str secret = AG_S("");
	ag_status st = read_address(c, &a, err);

	if (!st && a.password.len)
		st = o->seal(o->arg, a.password, c->rq->arena, &secret, err);
	else if (!st && ag_str_eq(a.uri, address_of(c)) && !ag_val_getc(&c->body, "password"))
		secret = secret_of(c);
	return st ? st : write_row(c, a.uri, secret, err);
}

static ag_status delete_work(connecting *c, ag_err *err)
{
	return write_row(c, AG_S(""), AG_S(""), err);
}

void ag_server_connection_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	connecting c = { .h = (ag_server *)env, .rq = rq, .rp = rp };

	if (ag_server_body(rq, rp, &c.body) && find_row(&c))
		govern(&c, "set", put_work);
	ag_store_close(c.store);
}

void ag_server_connection_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	connecting c = { .h = (ag_server *)env, .rq = rq, .rp = rp };

	if (find_row(&c))
		govern(&c, "drop", delete_work);
	ag_store_close(c.store);
}

/* --- a test --- */

/* The connection of the body, which need not be kept; else the one that is. */
static ag_status find_address(connecting *c, ag_server_address *ret, ag_err *err)
{
	const ag_server_connections *o = c->h->opts.connections;
	ag_status st;

	*ret = (ag_server_address){ .is_documents = c->is_documents };
	if (ag_val_getc(&c->body, "address")) {
		st = read_address(c, ret, err);
		if (st || ret->password.len || !ag_str_eq(ret->uri, address_of(c)))
			return st;
	} else if (!address_of(c).len) {
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such connection");
	}
	ret->uri = address_of(c);
	return secret_of(c).len
	               ? o->open(o->arg, secret_of(c), c->row.id, c->rq->arena, &ret->password, err)
	               : AG_OK;
}

static ag_status test_work(connecting *c, ag_err *err)
{
	const ag_server_connections *o = c->h->opts.connections;
	const int64_t until = ag_clock_mono(c->h->opts.clock) + TEST_MS;
	const ag_ctx ctx = { .clock = c->h->opts.clock, .deadline_ms = until, .nthread = 1 };
	ag_server_seen *seen = NULL;
	ag_server_address a;
	ag_err why = { 0 };
	size_t n = 0;
	ag_jw w;
	ag_status st = find_address(c, &a, err);

	if (st)
		return st;
	/* That it does not answer is what was asked for, no failure of the request. */
	st = o->test(o->arg, &ctx, &a, c->rq->arena, &seen, &n, &why);
	ag_server_json(c->rp, &w);
	ag_jw_kbool(&w, "works", !st);
	ag_jw_kstr(&w, "problem", st ? ag_str_c(why.msg) : AG_S(""));
	ag_jw_kstr(&w, "hint", st ? ag_str_c(why.hint) : AG_S(""));
	ag_jw_kkey(&w, "schemas");
	ag_jw_arr(&w);
	for (size_t i = 0; !st && i < n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", seen[i].schema);
		ag_jw_kkey(&w, "tables");
		ag_jw_arr(&w);
		for (size_t k = 0; k < seen[i].n; k++)
			ag_jw_str(&w, seen[i].names[k]);
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_connection_test(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	connecting c = { .h = (ag_server *)env, .rq = rq, .rp = rp };

	if (ag_server_body(rq, rp, &c.body) && find_row(&c))
		govern(&c, "test", test_work);
	ag_store_close(c.store);
}
