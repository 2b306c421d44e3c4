/* ask_project -- see the header.
 *
 * Which folder and which address a project may have is decided twice: when an administrator chooses one, and again for each
 * question, because a link may lead elsewhere meanwhile and the settings may have changed. */
#include "app/ask_project.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "app/models.h"
#include "ask/offline.h"
#include "net/url.h"

#define ORIGIN           "app.ask_project"
#define OPERATIONS_BYTES (6u * 1024) /* of the API, in the description of a tool */
#define MAX_LIST         64u

/* --- what the settings allow --- */

static bool is_within(ag_str path, ag_str folder)
{
	return ag_str_starts(path, folder) &&
	       (path.len == folder.len || folder.len == 1 || path.ptr[folder.len] == '/');
}

bool ag_app_is_within(ag_str folders, ag_str path, ag_arena *arena)
{
	ag_str rest = folders;
	bool ret = false;

	for (unsigned i = 0; rest.len && !ret && i < MAX_LIST; i++) {
		const ag_str one = ag_str_trim(ag_str_split(&rest, ','));
		char *real = one.len ? realpath(ag_str_cstr(arena, one), NULL) : NULL;

		ret = real && is_within(path, ag_str_c(real));
		free(real);
	}
	return ret;
}

ag_status ag_app_ask_folder(const ag_app *app, ag_str folder, ag_arena *arena, ag_str *ret,
                            ag_err *err)
{
	struct stat sb;
	char *real;
	ag_status st = AG_OK;

	if (!app->settings.ask_folders.len) {
		ag_fail(err, AG_DENIED, ORIGIN, "the server lets nobody choose a folder");
		return ag_err_hint(err, "the administrator of the server sets ask_folders");
	}
	if (folder.ptr[0] != '/' || memchr(folder.ptr, 0, folder.len)) {
		ag_fail(err, AG_INVALID, ORIGIN, "this is no path of a folder");
		return ag_err_hint(err, "want a whole path, like /srv/docs/shop");
	}
	real = realpath(ag_str_cstr(arena, folder), NULL);
	/* The same words whether it is there or not: else they tell what is on the server. */
	if (!real || !ag_app_is_within(app->settings.ask_folders, ag_str_c(real), arena)) {
		ag_fail(err, AG_DENIED, ORIGIN, "the server does not allow this folder");
		st = ag_err_hint(err, "the list is in the answer of GET /api/ask/setup");
	} else if (stat(real, &sb) || !S_ISDIR(sb.st_mode)) {
		st = ag_fail(err, AG_INVALID, ORIGIN, "this is a file, not a folder");
	} else {
		*ret = ag_str_dup(arena, ag_str_c(real));
	}
	free(real);
	return st;
}

ag_status ag_app_ask_address(const ag_app *app, ag_str address, ag_arena *arena, ag_err *err)
{
	ag_str rest = app->settings.ask_apis, origin;
	ag_url u;
	ag_status st = ag_url_parse(address, arena, &u, err);

	if (st)
		return st;
	origin = ag_url_origin(&u, arena);
	for (unsigned i = 0; rest.len && i < MAX_LIST; i++) {
		const ag_str one = ag_str_trim(ag_str_split(&rest, ','));
		ag_url allowed;

		if (!one.len || ag_url_parse(one, arena, &allowed, NULL) ||
		    !ag_str_eq(ag_url_origin(&allowed, arena), origin))
			continue;
		/* An address with a path allows what is below it: "/v1", and not "/v10". */
		while (allowed.path.len && allowed.path.ptr[allowed.path.len - 1] == '/')
			allowed.path.len--;
		if (!allowed.path.len || is_within(u.path, allowed.path))
			return AG_OK;
	}
	ag_fail(err, AG_DENIED, ORIGIN, "the server does not allow this address");
	return ag_err_hint(err, app->settings.ask_apis.len
	                                ? "the list is in the answer of GET /api/ask/setup"
	                                : "the administrator of the server sets ask_apis");
}

ag_status ag_app_project_root(const ag_app *app, const ag_project *p, ag_arena *arena,
                              ag_root **ret, ag_err *err)
{
	const ag_root_opts o = { .path = p->settings.root };
	ag_err why = { 0 };
	ag_status st;

	if (!p->settings.root.len)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN,
		               "project %.*s has no folder for questions", AG_FMT(p->id));
	st = ag_root_open(&o, ret, &why);
	if (st)
		return ag_fail(err, st, ORIGIN,
		               "the folder of project %.*s is gone, or cannot be read",
		               AG_FMT(p->id));
	if (p->is_of_store && app->settings.ask_folders.len &&
	    !ag_app_is_within(app->settings.ask_folders, ag_root_path(*ret), arena)) {
		*ret = ag_root_close(*ret);
		return ag_fail(err, AG_DENIED, ORIGIN,
		               "the server does not allow the folder of project %.*s",
		               AG_FMT(p->id));
	}
	for (size_t i = 0; i < app->ndotenv; i++)
		ag_root_add_secret(*ret, ag_str_cstr(arena, app->dotenv[i]));
	return AG_OK;
}

/* --- an answer --- */

typedef struct answering {
	ag_app_question *q;
	ag_service *service;
	ag_root *root;
	ag_api *api; /* NULL = none */
	ag_store *store;
} answering;

/* It is only read: no user of the server gave an order to its owner. */
static ag_status open_api(answering *a, ag_err *err)
{
	const ag_project *p = a->q->call->project;
	const ag_api_opts o = { .base_url = p->settings.api_base,
		                .base_name = "api_base",
		                .methods = AG_API_READING,
		                .limit = AG_API_BY_ADDRESS };
	ag_str said;
	ag_status st = AG_OK;

	if (!p->settings.api_base.len)
		return AG_OK;
	if (p->is_of_store && a->q->app->settings.ask_apis.len)
		st = ag_app_ask_address(a->q->app, p->settings.api_base, a->q->call->arena, err);
	return st ? st : ag_api_open(&o, a->q->call->arena, &a->api, &said, err);
}

static ag_status with_model(answering *a, ag_llm *llm, ag_str *ret_json, ag_err *err)
{
	const ag_app_question *q = a->q;
	ag_call *c = q->call;
	ag_ask_opts o = { .question = q->text,
		          .root = a->root,
		          .llm = llm,
		          .meter = ag_app_meter(q->app, c->arena),
		          .choices = q->choices,
		          .store = a->store,
		          .record = q->record,
		          .on_event = q->on_event,
		          .on_event_arg = q->on_event_arg };
	ag_ask_run_result r = { 0 };
	ag_status st = open_api(a, err);

	if (st)
		return st;
	o.api = a->api;
	o.api_methods = AG_API_READING;
	if (a->api)
		o.operations = ag_api_operations(a->api, &c->ctx, OPERATIONS_BYTES, c->arena);
	st = ag_ask_run(&c->ctx, &o, c->arena, &r, err);
	if (st)
		return st;
	if (r.has_answer) {
		*ret_json = r.json;
		return AG_OK;
	}
	if (err)
		*err = r.run_result.err;
	return r.run_result.err.status
	               ? r.run_result.err.status
	               : ag_fail(err, AG_INTERNAL, ORIGIN, "there is no answer: %.*s",
	                         AG_FMT(r.run_result.why));
}

static ag_status without_model(const answering *a, ag_str *ret_json, ag_err *err)
{
	const ag_offline_opts o = { .root = a->root,
		                    .store = a->store,
		                    .question = a->q->text,
		                    .gate = ag_service_index(a->service) };
	ag_call *c = a->q->call;
	ag_answer answer = { 0 };
	ag_status st = ag_offline_answer(&c->ctx, &o, c->arena, &answer, err);

	return st ? st
	          : ag_ask_keep(&c->ctx, a->store, &a->q->record, &answer, c->arena, ret_json, err);
}

static ag_status find_answer(answering *a, ag_str *ret_json, ag_err *err)
{
	ag_app_question *q = a->q;
	ag_llm *llm = NULL;
	ag_status st = AG_OK;

	if (!q->choices.offline) {
		st = ag_service_model(a->service, &llm, err);
		/* Nobody set a model: the index answers, and the answer says so. */
		if (st == AG_NOT_FOUND) {
			q->choices.offline = true;
			st = AG_OK;
		}
	}
	if (!st)
		st = q->choices.offline ? without_model(a, ret_json, err)
		                        : with_model(a, llm, ret_json, err);
	ag_llm_close(llm);
	return st;
}

/* A run that had begun has its own end in the store, and keeps it. */
static void keep_failure(const answering *a, const ag_err *why)
{
	const ag_call *c = a->q->call;
	const ag_ctx unhurried = { .clock = c->ctx.clock, .nthread = 1 };
	const char *status = why->status == AG_CANCELLED ? "cancelled" : "failed";
	ag_answer answer = { .answer = AG_S(""),
		             .question = a->q->text,
		             .root = a->root ? ag_root_path(a->root) : c->project->settings.root,
		             .status = ag_str_c(status),
		             .mode = a->q->choices.offline ? AG_S("offline") : AG_S("model") };
	ag_str ignored;

	answer.why = ag_str_printf(c->arena, "%s%s%s", why->msg, why->hint[0] ? "; " : "",
	                           why->hint);
	AG_IGNORE(ag_ask_keep(&unhurried, a->store, &a->q->record, &answer, c->arena, &ignored,
	                      NULL),
	          "the caller reports the failure");
}

/* Several questions are answered at once: each has its own root, store handle and model handle. */
ag_status ag_app_ask_project(ag_app_question *q, ag_str *ret_json, ag_err *err)
{
	answering a = { .q = q, .service = ag_services_of(q->services, q->call->project) };
	ag_ctx *ctx = &q->call->ctx;
	ag_sql_failure *failure = ag_new(q->call->arena, ag_sql_failure);
	ag_turn *turn = NULL;
	ag_err why = { 0 };
	int64_t until;
	ag_status st;

	if (!ag_service_question(a.service, q->call, &turn, failure)) {
		q->call->failure = failure;
		st = ag_fail(&why, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(failure->message));
	} else {
		st = ag_app_project_root(q->app, q->call->project, q->call->arena, &a.root, &why);
	}
	/* It did not begin while it waited for its turn. */
	until = ag_clock_mono(ctx->clock) + (int64_t)(q->choices.deadline * 1000);
	if (!ctx->deadline_ms || until < ctx->deadline_ms)
		ctx->deadline_ms = until;
	if (ag_store_open(q->store_uri, &a.store, st ? NULL : &why))
		st = st ? st : why.status;
	if (!st)
		st = find_answer(&a, ret_json, &why);
	if (st && a.store && q->record.run.text[0])
		keep_failure(&a, &why);
	ag_api_close(a.api);
	ag_store_close(a.store);
	ag_root_close(a.root);
	ag_turn_give(turn);
	if (st && err)
		*err = why;
	return st;
}
