/* live -- the data of an artifact, read now: its source queries at the same time, each a governed call of its own, and the
 * results of the last minute. Read ag_artifact_query(). */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "artifact/artifact.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN          "artifact.live"
#define CACHE_MS        60000
#define CACHE_ENTRIES   64u
#define CACHE_MAX_BYTES (4u << 20) /* of one result; larger ones are not kept */
#define MAX_VALUES      (4u << 20)
#define ERROR_CHARS     500u

/* --- the cache --- */

typedef struct entry {
	char key[65]; /* SHA-256 of project, version and query; "" = free */
	char *json;   /* {"columns","rows","row_count","truncated","at"} */
	size_t njson;
	int64_t until_ms; /* monotonic */
} entry;

struct ag_artifact_cache {
	const ag_clock *clock;
	pthread_mutex_t lock;
	entry entries[CACHE_ENTRIES];
	size_t next; /* the oldest */
};

ag_artifact_cache *ag_artifact_cache_new(const ag_clock *clock)
{
	ag_artifact_cache *c = ag_xcalloc(1, sizeof(*c));

	c->clock = clock;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

ag_artifact_cache *ag_artifact_cache_free(ag_artifact_cache *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < CACHE_ENTRIES; i++)
		free(c->entries[i].json);
	pthread_mutex_destroy(&c->lock);
	free(c);
	return NULL;
}

static bool cache_find(ag_artifact_cache *c, const char *key, ag_arena *arena, ag_str *ret)
{
	bool is_found = false;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < CACHE_ENTRIES && !is_found; i++) {
		const entry *e = &c->entries[i];

		if (!e->json || strcmp(e->key, key) != 0 || ag_clock_mono(c->clock) >= e->until_ms)
			continue;
		*ret = ag_str_dup(arena, ag_str_make(e->json, e->njson));
		is_found = true;
	}
	pthread_mutex_unlock(&c->lock);
	return is_found;
}

static void cache_keep(ag_artifact_cache *c, const char *key, ag_str json)
{
	entry *e;

	if (json.len > CACHE_MAX_BYTES)
		return;
	pthread_mutex_lock(&c->lock);
	e = &c->entries[c->next];
	c->next = (c->next + 1) % CACHE_ENTRIES;
	free(e->json);
	e->json = ag_xmalloc(json.len + 1);
	memcpy(e->json, json.ptr, json.len);
	e->njson = json.len;
	memcpy(e->key, key, sizeof(e->key));
	e->until_ms = ag_clock_mono(c->clock) + CACHE_MS;
	pthread_mutex_unlock(&c->lock);
}

/* --- one query --- */

typedef struct job {
	const ag_know_place *place;
	const ag_artifact *artifact;
	ag_artifact_source source;
	ag_artifact_cache *cache;
	ag_arena *arena; /* of this thread */
	ag_str json;     /* what it gave, as the cache has it */
	ag_str error;
	bool is_cached;
	bool has_thread;
	pthread_t thread;
} job;

static ag_sha256_hex key_of(const job *j)
{
	return ag_sha256(ag_str_printf(j->arena, "%.*s\n%.*s\n%.*s", AG_FMT(j->place->project->id),
	                               AG_FMT(j->artifact->version.id), AG_FMT(j->source.sql)));
}

static ag_str result_json(const job *j, const ag_sql_result *r)
{
	ag_buf out = AG_BUF_INIT(64u << 20);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "columns");
	ag_jw_arr(&w);
	for (size_t i = 0; i < r->ncolumn; i++)
		ag_jw_str(&w, r->columns[i].name);
	ag_jw_arr_end(&w);
	ag_jw_kraw(&w, "rows", ag_buf_view(&r->rows));
	ag_jw_kuint(&w, "row_count", r->nrow);
	ag_jw_kbool(&w, "truncated", r->cut != AG_SQL_WHOLE);
	ag_jw_ktime(&w, "at", ag_clock_wall(j->place->ctx->clock));
	ag_jw_obj_end(&w);
	ret = out.failed ? AG_S("") : ag_buf_dup(j->arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* A call of its own, so that its row in the audit table says what it read. */
static void run_query(job *j)
{
	ag_project_hub *hub = j->place->hub;
	ag_project_call call = { .who = j->place->who,
		                 .project = j->place->project,
		                 .tool = AG_S("query_artifact"),
		                 .session = j->artifact->version.id,
		                 .watch_fd = -1 };
	const ag_sql_request rq = { .sql = j->source.sql, .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_sql_result r = { 0 };
	ag_err why = { 0 };
	ag_status st;

	if (!ag_project_begin(hub, &call, AG_ROLE_VIEWER, "sql", j->source.sql, j->arena, &f)) {
		j->error = f.message;
		return;
	}
	st = ag_project_query(hub, j->place->ctx, &call, &rq, j->arena, &r, &why);
	if (st)
		j->error = ag_str_dup(j->arena, ag_str_c(why.msg));
	else if (!r.is_ok)
		j->error = ag_str_dup(j->arena, r.failure.message);
	else
		j->json = result_json(j, &r);
	if (!j->json.len && !j->error.len)
		j->error = AG_S("the result is too large");
	ag_sql_result_release(&r);
	/* What is not recorded is not shown. */
	if (!ag_project_end(hub, &call, st ? "INTERNAL_ERROR" : "ok", 0, j->arena, &f)) {
		j->json = AG_S("");
		j->error = f.message;
	}
}

static void *work(void *arg)
{
	job *j = arg;
	const ag_sha256_hex key = key_of(j);

	j->is_cached = j->cache && cache_find(j->cache, key.text, j->arena, &j->json);
	if (j->is_cached)
		return NULL;
	run_query(j);
	if (j->cache && j->json.len)
		cache_keep(j->cache, key.text, j->json);
	return NULL;
}

static void read_result(const job *j, ag_arena *arena, ag_artifact_result *ret)
{
	const ag_extjson_opts opts = { .max_values = MAX_VALUES };
	const ag_str json = ag_str_dup(arena, j->json);
	const ag_val *columns, *rows;
	ag_err why = { 0 };
	ag_val v;

	*ret = (ag_artifact_result){ .name = j->source.name,
		                     .error = ag_str_dup(arena,
		                                         ag_utf8_prefix(j->error, ERROR_CHARS)),
		                     .is_cached = j->is_cached };
	if (ret->error.len)
		return;
	if (ag_extjson_parse(json, &opts, arena, &v, NULL, NULL, &why)) {
		ret->error = ag_str_dup(arena, ag_str_c(why.msg));
		return;
	}
	columns = ag_val_getc(&v, "columns");
	rows = ag_val_getc(&v, "rows");
	ret->columns = columns ? *columns : ag_val_array(NULL, 0);
	ret->rows = rows ? *rows : ag_val_array(NULL, 0);
	ret->row_count = ag_val_member_u64(&v, "row_count");
	ret->is_cut = ag_val_member_bool(&v, "truncated");
	ret->at_ms = ag_val_member_time(&v, "at");
}

/* --- all of them --- */

/* Signals are for those who wait for them. Without a thread the query runs in turn. */
static void start(job *j)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	j->has_thread = !pthread_create(&j->thread, NULL, work, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!j->has_thread)
		work(j);
}

/* May the caller look at all? His queries then answer for themselves. */
static ag_status check_caller(const ag_know_place *p, ag_err *err)
{
	if (ag_caller_role(p->who, p->project->id) >= AG_ROLE_VIEWER)
		return AG_OK;
	return ag_fail(err, AG_DENIED, ORIGIN,
	               "query_artifact needs the role viewer in project %.*s",
	               AG_FMT(p->project->id));
}

ag_status ag_artifact_query(const ag_know_place *p, const ag_artifact *a, ag_artifact_cache *cache,
                            ag_arena *arena, ag_artifact_result **ret, size_t *nret, ag_err *err)
{
	ag_artifact_source *list;
	const size_t n = ag_artifact_sources(a, arena, &list);
	job jobs[AG_ARTIFACT_MAX_QUERIES] = { 0 };
	ag_artifact_result *results;
	ag_status st = check_caller(p, err);

	if (st)
		return st;
	results = ag_new_n(arena, ag_artifact_result, n + 1);
	for (size_t i = 0; i < n; i++) {
		jobs[i] = (job){ .place = p,
			         .artifact = a,
			         .source = list[i],
			         .cache = cache,
			         .arena = ag_arena_new() };
		if (i + 1 < n)
			start(&jobs[i]);
		else
			work(&jobs[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].has_thread)
			pthread_join(jobs[i].thread, NULL);
		read_result(&jobs[i], arena, &results[i]);
		ag_arena_free(jobs[i].arena);
	}
	*ret = results;
	*nret = n;
	return AG_OK;
}

/* --- as JSON --- */

void ag_artifact_result_json(const ag_artifact_result *r, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", r->name);
	if (r->error.len) {
		ag_jw_kstr(w, "error", r->error);
	} else {
		ag_jw_kraw(w, "columns", ag_extjson_str(arena, &r->columns, AG_EXTJSON_RELAXED));
		ag_jw_kraw(w, "rows", ag_extjson_str(arena, &r->rows, AG_EXTJSON_RELAXED));
		ag_jw_kuint(w, "row_count", r->row_count);
		ag_jw_kbool(w, "truncated", r->is_cut);
		ag_jw_ktime(w, "at", r->at_ms);
		ag_jw_kbool(w, "cached", r->is_cached);
	}
	ag_jw_obj_end(w);
}

/* A row as an object: each value under the name of its column. */
static void write_row(const ag_artifact_result *r, const ag_val *row, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	for (uint32_t i = 0; i < r->columns.n && i < row->n && row->type == AG_T_ARRAY; i++) {
		ag_jw_key(w, ag_val_text(&r->columns.u.items[i]));
		ag_jw_raw(w, ag_extjson_str(arena, &row->u.items[i], AG_EXTJSON_RELAXED));
	}
	ag_jw_obj_end(w);
}

ag_str ag_artifact_data(const ag_artifact *a, const ag_artifact_result *results, size_t n,
                        ag_arena *arena)
{
	const ag_val own = ag_artifact_static_data(a, arena);
	ag_buf out = AG_BUF_INIT(256u << 20);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	if (own.type == AG_T_ARRAY)
		ag_jw_kraw(&w, "data", a->version.data);
	for (uint32_t i = 0; own.type == AG_T_OBJECT && i < own.n; i++) {
		bool is_live = false;

		for (size_t k = 0; k < n; k++)
			is_live |= !results[k].error.len &&
			           ag_str_eq(results[k].name, own.u.members[i].key);
		if (is_live)
			continue;
		ag_jw_key(&w, own.u.members[i].key);
		ag_jw_raw(&w, ag_extjson_str(arena, &own.u.members[i].val, AG_EXTJSON_RELAXED));
	}
	for (size_t k = 0; k < n; k++) {
		if (results[k].error.len)
			continue;
		ag_jw_key(&w, results[k].name);
		ag_jw_arr(&w);
		for (uint32_t i = 0; i < results[k].rows.n; i++)
			write_row(&results[k], &results[k].rows.u.items[i], arena, &w);
		ag_jw_arr_end(&w);
	}
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
