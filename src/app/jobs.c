/* The kinds of jobs; which projects have documents; schedules that are due. */
#include "app/jobs.h"

#include <stdlib.h>

#include "app/projects.h"
#include "base/cron.h"
#include "base/log.h"
#include "project/credential.h"
#include "query/extjson.h"
#include "store/identity.h"

#define ORIGIN "app.jobs"

static const ag_job_kind *const kinds[] = { &ag_job_audit, &ag_job_recipe };

const ag_job_kind *ag_job_kinds(size_t *ret_n, size_t i)
{
	if (ret_n)
		*ret_n = AG_NELEM(kinds);
	return i < AG_NELEM(kinds) ? kinds[i] : NULL;
}

const ag_job_kind *ag_job_kind_find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		if (ag_str_eqc(name, kinds[i]->name))
			return kinds[i];
	}
	return NULL;
}

ag_str ag_job_shown(ag_str kind, ag_str payload, ag_arena *arena)
{
	const ag_job_kind *k = ag_job_kind_find(kind);

	return k ? k->shown(payload, arena) : payload;
}

ag_status ag_job_make(ag_app *app, ag_str kind, ag_str queue, const ag_job_what *what,
                      ag_arena *arena, ag_job *ret, ag_err *err)
{
	const ag_job_kind *k = ag_job_kind_find(kind);
	AG_AUTO(ag_buf_release) ag_buf names = AG_BUF_INIT(200);

	*ret = (ag_job){ .queue = queue, .kind = kind };
	if (k && what->nvalue && !k->takes_values)
		return ag_fail(err, AG_INVALID, ORIGIN, "a job of the kind \"%s\" takes no values",
		               k->name);
	if (k)
		return k->make(app, what, arena, ret, err);
	ag_fail(err, AG_INVALID, ORIGIN, "there is no kind of job \"%.*s\"",
	        (int)(kind.len < 60 ? kind.len : 60), kind.len ? kind.ptr : "");
	for (size_t i = 0; i < AG_NELEM(kinds); i++)
		ag_buf_addf(&names, "%s%s", i ? ", " : "", kinds[i]->name);
	return ag_err_hint(err, "want one of: %.*s", AG_FMT(ag_buf_view(&names)));
}

/* --- projects --- */

typedef struct found {
	ag_documents *list;
	size_t n;
} found;

/* Those of the settings come first and win over the store's of the same id. */
static void add(found *f, ag_str project, ag_str uri)
{
	for (size_t i = 0; i < f->n; i++) {
		if (ag_str_eq(f->list[i].project, project))
			return;
	}
	f->list[f->n++] = (ag_documents){ project, uri };
}

static int by_project(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_documents *)a)->project, ((const ag_documents *)b)->project);
}

/* The address that is connected to. With another key it has no password, and the server of the documents refuses it. */
static ag_str with_password(const ag_app *app, const ag_project_row *row,
                            const ag_project_settings *s, ag_arena *arena)
{
	const ag_var *key = ag_settings_var(&app->settings, "DB_CREDENTIAL_KEY");
	ag_str password = AG_S("");

	if (s->documents_secret.len)
		AG_IGNORE(ag_credential_open(key ? key->value : AG_S(""), s->documents_secret,
		                             row->id, arena, &password, NULL),
		          "then the address is tried without it");
	return ag_credential_put(s->documents, password, arena);
}

ag_status ag_app_documents(ag_app *app, ag_store *store, ag_arena *arena, ag_documents **ret,
                           size_t *nret, ag_err *err)
{
	const ag_extjson_opts parse = { .typed = true };
	ag_project_row *rows = NULL;
	ag_project *own = NULL;
	found f = { 0 };
	size_t nown = 0, nrow = 0;
	ag_status st = ag_app_projects(app, AG_S(""), &own, &nown, err);

	if (!st && store)
		st = ag_store_projects(store, arena, &rows, &nrow, err);
	if (st)
		return st;
	f.list = ag_new_n(arena, ag_documents, nown + nrow + 1);
	for (size_t i = 0; i < nown; i++)
		add(&f, own[i].id, own[i].settings.documents);
	for (size_t i = 0; i < nrow; i++) {
		ag_project_settings s;
		ag_val v;

		if (!rows[i].is_active)
			continue;
		st = ag_extjson_parse(rows[i].settings, &parse, arena, &v, NULL, NULL, err);
		if (!st)
			st = ag_project_settings_read(&v, arena, &s, err);
		if (st)
			return st;
		add(&f, rows[i].id, with_password(app, &rows[i], &s, arena));
	}
	*nret = 0;
	for (size_t i = 0; i < f.n; i++) {
		if (f.list[i].uri.len)
			f.list[(*nret)++] = f.list[i];
	}
	qsort(f.list, *nret, sizeof(*f.list), by_project);
	*ret = f.list;
	return AG_OK;
}

/* --- schedules --- */

/* What is due, and when the next time is. *ret_due_ms 0: nothing is. */
static ag_status look_at(const ag_schedule *c, int64_t now_ms, ag_arena *arena, int64_t *ret_due_ms,
                         int64_t *ret_next_ms, ag_err *err)
{
	const ag_zone *zone;
	ag_cron cron;
	ag_status st = ag_cron_read(c->cron, &cron, err);

	if (!st)
		st = ag_zone_open(c->zone, arena, &zone, err);
	if (st)
		return st;
	*ret_next_ms = ag_cron_next(&cron, zone, now_ms);
	/* Before next_ms nothing is due; what is due since then, and was missed, is due once. */
	*ret_due_ms = c->next_ms <= now_ms ? ag_cron_last(&cron, zone, c->next_ms - 1, now_ms) : 0;
	return AG_OK;
}

ag_status ag_app_queue_due(ag_store *store, int64_t now_ms, int64_t *ret_next_ms, size_t *ret_n,
                           ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_schedule *list = NULL;
	size_t n = 0;
	ag_status st = ag_store_schedules(store, arena, &list, &n, err);

	*ret_next_ms = 0;
	*ret_n = 0;
	for (size_t i = 0; i < n && !st; i++) {
		const ag_schedule *c = &list[i];
		const ag_job job = { .queue = c->queue, .kind = c->kind, .payload = c->payload };
		int64_t due_ms = 0, next_ms = 0;
		bool is_new = false;
		ag_err why;

		if (c->is_paused)
			continue;
		if (look_at(c, now_ms, arena, &due_ms, &next_ms, &why)) {
			ag_log(AG_LOG_WARN, "schedule_unusable", "%.*s: %s", AG_FMT(c->name),
			       why.msg);
			continue;
		}
		/* Of a clock that was set back the next time is earlier than it was. */
		if (due_ms || next_ms != c->next_ms)
			st = ag_store_queue_scheduled(store, c, due_ms ? &job : NULL, due_ms,
			                              next_ms, now_ms, &is_new, err);
		*ret_n += is_new;
		if (next_ms && (!*ret_next_ms || next_ms < *ret_next_ms))
			*ret_next_ms = next_ms;
	}
	return st;
}
