/* project -- the hub: projects of argus.yaml and of the store, each with its database opened on first use.
 *
 * An entry is never changed once others may hold it: when a project of the store changes, a new entry takes its place and
 * the old one is kept, out of sight, until the hub is closed. */
#include <stdlib.h>

#include "project/hub.h"

#include "base/log.h"
#include "project/credential.h"
#include "query/extjson.h"

#define ORIGIN         "project"
#define FRESH_MS       5000 /* a project of the store is looked up again after that */
#define DEFAULT_PLACES 5u   /* connections of a database, as in sql/sql.c */

static ag_str keep(ag_project_hub *h, ag_str s)
{
	return ag_str_dup(h->arena, s);
}

static entry *entry_of(ag_project_hub *h, ag_str id)
{
	for (entry *e = h->entries; e; e = e->next) {
		if (!e->is_retired && ag_str_eq(e->pub.id, id))
			return e;
	}
	return NULL;
}

static entry *add_entry(ag_project_hub *h, const ag_project *p)
{
	entry *e = ag_new(h->arena, entry);

	pthread_mutex_init(&e->lock, NULL);
	pthread_mutex_init(&e->dictionary, NULL);
	e->pub = *p;
	if (!e->pub.documents.len)
		e->pub.documents = p->settings.documents;
	e->next = h->entries;
	h->entries = e;
	return e;
}

static ag_status settings_of(ag_str json, ag_arena *arena, ag_project_settings *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true, .max_depth = 8 };
	ag_val v;
	ag_status st = ag_extjson_parse(ag_str_dup(arena, json), &opts, arena, &v, NULL, NULL, err);

	return st ? st : ag_project_settings_read(&v, arena, ret, err);
}

/* The passwords of the database and of the documents. In scratch. */
static ag_status unseal(ag_project_hub *h, const ag_project_row *row, ag_str sealed,
                        ag_arena *scratch, ag_str *ret, ag_err *err)
{
	*ret = AG_S("");
	return sealed.len
	               ? ag_credential_open(h->o.credential_key, sealed, row->id, scratch, ret, err)
	               : AG_OK;
}

/* The row of the store as an entry. One that cannot be used is tried with every call: it costs nothing of the hub's arena,
 * which grows until the hub is closed. */
static ag_status load(ag_project_hub *h, const ag_project_row *row, ag_arena *scratch, entry **ret,
                      ag_err *err)
{
	ag_project p = { .is_of_store = true };
	ag_str documents = AG_S(""), password = AG_S("");
	ag_status st = settings_of(row->settings, scratch, &p.settings, err);

	if (!st)
		st = unseal(h, row, row->secret, scratch, &password, err);
	if (!st)
		st = unseal(h, row, p.settings.documents_secret, scratch, &documents, err);
	if (!st)
		st = settings_of(row->settings, h->arena, &p.settings, err);
	if (st)
		return st;
	p.id = keep(h, row->id);
	p.name = keep(h, row->name);
	p.source = keep(h, row->source);
	p.password = keep(h, password);
	p.documents = ag_credential_put(p.settings.documents, documents, h->arena);
	*ret = add_entry(h, &p);
	(*ret)->changed_ms = row->changed_ms;
	(*ret)->is_active = row->is_active;
	return AG_OK;
}

/* The entry of an id as the store has it now. Called with the hub's lock held. */
static ag_status current(ag_project_hub *h, ag_str id, entry **ret, ag_err *err)
{
	const int64_t now = ag_clock_mono(h->o.clock);
	entry *e = entry_of(h, id);
	ag_arena *scratch;
	ag_project_row row;
	ag_status st;

	*ret = e;
	if (e && (!e->pub.is_of_store || now - e->seen_ms < FRESH_MS))
		return e->is_active ? AG_OK : AG_NOT_FOUND;
	scratch = ag_arena_new();
	st = h->o.store ? ag_store_project(h->o.store, id, scratch, &row, err) : AG_NOT_FOUND;
	/* What is no id at all is no project either. */
	if (st == AG_INVALID && !e)
		st = AG_NOT_FOUND;
	if (st == AG_NOT_FOUND && e)
		e->is_retired = true;
	if (!st && (!e || e->changed_ms != row.changed_ms)) {
		entry *fresh;

		st = load(h, &row, scratch, &fresh, err);
		if (!st) {
			if (e)
				e->is_retired = true;
			*ret = e = fresh;
		}
	}
	if (!st)
		e->seen_ms = now;
	ag_arena_free(scratch);
	return st ? st : e->is_active ? AG_OK : AG_NOT_FOUND;
}

void ag_project_changed(ag_project_hub *h, ag_str id)
{
	entry *e;

	pthread_mutex_lock(&h->lock);
	e = entry_of(h, id);
	if (e)
		e->seen_ms = ag_clock_mono(h->o.clock) - FRESH_MS;
	pthread_mutex_unlock(&h->lock);
}

static ag_status not_found(ag_project_hub *h, const ag_caller *who, ag_str id, ag_err *err)
{
	ag_arena *scratch = ag_arena_new();
	const ag_project **list;
	size_t n;
	ag_buf names = AG_BUF_INIT(160);

	if (ag_project_list(h, who, scratch, &list, &n, NULL))
		n = 0;
	for (size_t i = 0; i < n && !names.failed; i++)
		ag_buf_addf(&names, "%s%.*s", i ? ", " : "", AG_FMT(list[i]->id));
	if (id.len)
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no project \"%.*s\"",
		        (int)(id.len < 80 ? id.len : 80), id.ptr);
	else
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        n ? "project_id is needed: there are several projects"
		          : "there is no project for this caller");
	if (n)
		ag_err_hint(err, "yours: %.*s%s", AG_FMT(ag_buf_view(&names)),
		            names.failed ? " …" : "");
	ag_buf_release(&names);
	ag_arena_free(scratch);
	return AG_NOT_FOUND;
}

static bool is_of_caller(const ag_caller *who, ag_str id)
{
	return who->has_all || ag_caller_role(who, id) != AG_ROLE_NONE;
}

ag_status ag_project_find(ag_project_hub *h, const ag_caller *who, ag_str id,
                          const ag_project **ret, ag_err *err)
{
	entry *e = NULL;
	ag_status st = AG_NOT_FOUND;

	if (!id.len && who->home.len && is_of_caller(who, who->home))
		id = who->home;
	if (!id.len && !who->has_all && who->nproject == 1)
		id = who->projects[0].project;
	if (!id.len) {
		ag_arena *scratch = ag_arena_new();
		const ag_project **list;
		size_t n;

		st = ag_project_list(h, who, scratch, &list, &n, err);
		if (!st && n == 1)
			*ret = list[0];
		ag_arena_free(scratch);
		if (st || n == 1)
			return st;
		return not_found(h, who, id, err);
	}
	if (id.len && is_of_caller(who, id)) {
		pthread_mutex_lock(&h->lock);
		st = current(h, id, &e, err);
		pthread_mutex_unlock(&h->lock);
	}
	if (st == AG_NOT_FOUND)
		return not_found(h, who, id, err);
	if (!st)
		*ret = &e->pub;
	return st;
}

static int by_id(const void *a, const void *b)
{
	return ag_str_cmp((*(const ag_project *const *)a)->id, (*(const ag_project *const *)b)->id);
}

ag_status ag_project_list(ag_project_hub *h, const ag_caller *who, ag_arena *arena,
                          const ag_project ***ret, size_t *nret, ag_err *err)
{
	ag_project_row *rows = NULL;
	size_t nrow = 0, n = 0, room = 0;
	ag_status st = AG_OK;

	pthread_mutex_lock(&h->lock);
	if (h->o.store)
		st = ag_store_projects(h->o.store, arena, &rows, &nrow, err);
	for (const entry *e = h->entries; e; e = e->next)
		room++;
	*ret = ag_new_n(arena, const ag_project *, room + nrow + 1);
	for (entry *e = h->entries; !st && e; e = e->next) {
		if (!e->is_retired && !e->pub.is_of_store && is_of_caller(who, e->pub.id))
			(*ret)[n++] = &e->pub;
	}
	for (size_t i = 0; !st && i < nrow; i++) {
		const entry *known = entry_of(h, rows[i].id);
		entry *e;
		ag_status one;

		if (!rows[i].is_active || !is_of_caller(who, rows[i].id) ||
		    (known && !known->pub.is_of_store))
			continue;
		one = current(h, rows[i].id, &e, err);
		if (!one)
			(*ret)[n++] = &e->pub;
		else if (one == AG_UNAVAILABLE || one == AG_IO)
			st = one;
	}
	pthread_mutex_unlock(&h->lock);
	if (n)
		qsort(*ret, n, sizeof(**ret), by_id);
	*nret = n;
	return st;
}

/* --- the hub --- */

static ag_status open_helpers(ag_project_hub *h, ag_err *err)
{
	ag_status st = ag_journal_open(h->o.store_uri, h->o.audit_sync, &h->journal, err);

	if (!st)
		st = ag_limiter_open(h->o.store_uri, h->o.clock, &h->limiter, err);
	return st;
}

ag_status ag_project_hub_open(const ag_project_hub_opts *o, ag_project_hub **ret, ag_err *err)
{
	ag_project_hub *h = ag_xcalloc(1, sizeof(*h));
	ag_status st;

	pthread_mutex_init(&h->lock, NULL);
	h->arena = ag_arena_new();
	h->o = *o;
	h->o.store_uri = keep(h, o->store_uri);
	h->o.credential_key = keep(h, o->credential_key);
	for (size_t i = 0; i < o->nproject; i++)
		add_entry(h, &o->projects[i])->is_active = true;
	h->o.projects = NULL;
	st = open_helpers(h, err);
	if (st) {
		ag_project_hub_close(h);
		return st;
	}
	*ret = h;
	return AG_OK;
}

void ag_project_hub_join(ag_project_hub *h, ag_store_group *group)
{
	ag_journal_join(h->journal, group);
	ag_limiter_join(h->limiter, group);
}

ag_project_hub *ag_project_hub_close(ag_project_hub *h)
{
	ag_err err = { 0 };

	if (!h)
		return NULL;
	if (h->journal && ag_journal_close(h->journal, &err))
		ag_log(AG_LOG_ERROR, "audit_lost", "%s", err.msg);
	ag_limiter_close(h->limiter);
	for (entry *e = h->entries; e; e = e->next) {
		ag_sql_close(e->sql); /* the last statements give their turns */
		ag_turns_free(e->turns);
		pthread_mutex_destroy(&e->lock);
		pthread_mutex_destroy(&e->dictionary);
	}
	pthread_mutex_destroy(&h->lock);
	ag_arena_free(h->arena);
	free(h);
	return NULL;
}

ag_journal *ag_project_journal(ag_project_hub *h)
{
	return h->journal;
}

/* --- its database --- */

static ag_sql_opts opts_of(const ag_project_hub *h, const ag_project *p)
{
	const ag_project_settings *s = &p->settings;

	return (ag_sql_opts){
		.policy = { .schema = s->schema,
		            .allowed_schemas = s->allowed_schemas,
		            .nallowed_schema = s->nallowed_schema,
		            .allowed_tables = s->allowed_tables,
		            .nallowed_table = s->nallowed_table,
		            .excluded_tables = s->excluded_tables,
		            .nexcluded_table = s->nexcluded_table,
		            .allowed_functions = s->allowed_functions,
		            .nallowed_function = s->nallowed_function,
		            .allowed_views = s->allowed_views,
		            .nallowed_view = s->nallowed_view,
		            .allowed_types = s->allowed_types,
		            .nallowed_type = s->nallowed_type,
		            .allowed_extensions = s->allowed_extensions,
		            .nallowed_extension = s->nallowed_extension,
		            .max_rows = s->max_rows },
		.role = s->role,
		.password = p->password,
		.max_connections = (unsigned)(s->connections ? s->connections : h->o.connections),
		.max_result_bytes = (size_t)s->max_bytes,
		.statement_timeout_ms = (int64_t)(s->timeout * 1000),
		.max_cost = s->max_cost,
	};
}

ag_status ag_project_database(ag_project_hub *h, const ag_project *p, ag_sql_source **ret,
                              ag_err *err)
{
	entry *e = ag_project_entry(p);
	ag_status st = AG_OK;

	*ret = atomic_load_explicit(&e->opened, memory_order_acquire);
	if (*ret)
		return AG_OK;
	if (!p->source.len)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "project %.*s has no database",
		               AG_FMT(p->id));
	pthread_mutex_lock(&e->lock);
	if (!e->sql) {
		const ag_sql_opts o = opts_of(h, p);

		st = ag_sql_open(p->source, &o, &e->sql, err);
		if (!st)
			e->turns = ag_turns_new(o.max_connections ? o.max_connections
			                                          : DEFAULT_PLACES,
			                        NULL);
	}
	*ret = e->sql;
	atomic_store_explicit(&e->opened, e->sql, memory_order_release);
	pthread_mutex_unlock(&e->lock);
	return st;
}

bool ag_project_turn(ag_project_hub *h, const ag_ctx *ctx, const ag_project_call *call,
                     ag_arena *arena, ag_project_place *ret, ag_sql_failure *ret_failure,
                     ag_err *err)
{
	ag_turn_request r = { .ctx = ctx,
		              .user = call->who->user,
		              .wait_ms = AG_TURNS_WAIT_MS,
		              .watch_fd = call->watch_fd };

	*ret = (ag_project_place){ 0 };
	ret->status = ag_project_database(h, call->project, &ret->source, err);
	if (ret->status)
		return false;
	r.source = ret->source;
	return ag_turns_take(ag_project_entry(call->project)->turns, &r, arena, &ret->turn,
	                     ret_failure);
}

ag_status ag_project_open(ag_project_hub *h, const ag_project *p, ag_err *err)
{
	ag_sql_source *s;

	return p->source.len ? ag_project_database(h, p, &s, err) : AG_OK;
}

ag_status ag_project_with_store(ag_project_hub *h,
                                ag_status (*work)(ag_store *s, void *arg, ag_err *err), void *arg,
                                ag_err *err)
{
	ag_status st;

	if (!h->o.store)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "there is no store to keep it in");
	pthread_mutex_lock(&h->lock);
	st = work(h->o.store, arg, err);
	pthread_mutex_unlock(&h->lock);
	return st;
}
