/* The queue has the name of this run of the command. Its processes are forked, so they have the settings that flags made, and know
 * the passwords of addresses, which no job holds. When the command itself is killed, its processes hand their jobs back; what is left
 * is done by `argus worker --queue` of that name. */
#include "cli/audit_jobs.h"

#include <stdio.h>

#include "cli/crew.h"

#define ORIGIN "cli.audit"

typedef struct batch {
	ag_worker_opts worker;
	const ag_audit_uri *uris;
	size_t nuri;
	char queue[AG_JOB_MAX_NAME + 1];
} batch;

ag_status ag_audit_jobs_all(ag_cli *c, ag_audit_uri **ret, size_t *nret, ag_err *err)
{
	ag_documents *list = NULL;
	ag_store *store = NULL;
	size_t n = 0;
	ag_status st = ag_app_store(&c->app, &store, err);

	if (!st)
		st = ag_app_documents(&c->app, store, c->app.arena, &list, &n, err);
	if (st)
		return st;
	if (!n) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "no project has documents, so --all means nothing");
		return ag_err_hint(err,
		                   "set `documents` of a project in argus.yaml, or with `argus "
		                   "project set ID documents=...`");
	}
	*ret = ag_new_n(c->app.arena, ag_audit_uri, n);
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = (ag_audit_uri){ list[i].uri, list[i].project };
	*nret = n;
	return AG_OK;
}

/* The address that was given, by what is shown of it. */
static ag_str whole_address(void *arg, ag_str shown)
{
	const batch *b = arg;

	for (size_t i = 0; i < b->nuri; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

		if (ag_str_eq(ag_source_shown(b->uris[i].uri, arena), shown))
			return b->uris[i].uri;
	}
	return shown;
}

static ag_status list_all(ag_cli *c, batch *b, bool (*keeps)(ag_cli *c, ag_str collection),
                          ag_job **ret, size_t *nret, ag_err *err)
{
	ag_arena *arena = c->app.arena;
	ag_status st = AG_OK;
	size_t cap = 0;

	*nret = 0;
	*ret = NULL;
	for (size_t i = 0; i < b->nuri && !st; i++) {
		ag_source_place *places = NULL;
		ag_job *jobs = NULL, *all;
		size_t n = 0, nplace = 0;

		st = ag_source_list(&c->app.ctx, b->uris[i].uri, arena, &places, &nplace, err);
		if (!st)
			st = ag_job_audit_places(&c->app.ctx,
			                         &(ag_job_audit_what){
							 .uri = b->uris[i].uri,
							 .project = b->uris[i].project,
							 .queue = ag_str_c(b->queue) },
			                         arena, &jobs, &n, err);
		if (st)
			return st;
		all = ag_new_n(arena, ag_job, cap + n + 1);
		if (cap)
			memcpy(all, *ret, *nret * sizeof(*all));
		for (size_t k = 0; k < n && k < nplace; k++) {
			if (keeps(c, places[k].collection))
				all[(*nret)++] = jobs[k];
		}
		cap += n;
		*ret = all;
	}
	return st;
}

static int work(ag_cli *c, unsigned index, void *arg)
{
	const batch *b = arg;
	uint64_t n = 0;
	ag_err err = { 0 };
	ag_status st;

	(void)index;
	st = ag_worker_run(&c->app, &b->worker, &n, &err);
	return st ? ag_cli_fail(c, &err) : AG_EXIT_OK;
}

static ag_status read_back(ag_cli *c, const ag_id *ids, size_t n, ag_job *jobs, ag_err *err)
{
	ag_store *store;
	ag_status st = ag_app_store(&c->app, &store, err);

	for (size_t i = 0; i < n && !st; i++)
		st = ag_store_job(store, ag_id_str(&ids[i]), c->app.arena, &jobs[i], err);
	return st;
}

static ag_status queue_all(ag_cli *c, const ag_job *jobs, size_t n, ag_id *ids, ag_err *err)
{
	ag_store *store;
	int64_t now_ms;
	ag_status st = ag_app_store(&c->app, &store, err);

	if (!st && !ag_store_is_kept(store)) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "several processes need a store that is kept, not one in memory");
		return ag_err_hint(err, "name one with --store, or leave --jobs out");
	}
	if (!st)
		st = ag_store_now(store, c->app.ctx.clock, &now_ms, err);
	if (!st)
		st = ag_store_add_jobs(store, jobs, n, now_ms, ids, NULL, err);
	return st;
}

/* So many threads for each process that all processors have work. */
static void share_threads(ag_cli *c, unsigned n)
{
	const unsigned mine = c->app.ctx.nthread / n;

	if (!c->app.settings.threads)
		c->app.ctx.nthread = mine ? mine : 1;
}

ag_status ag_audit_jobs_run(ag_cli *c, const ag_audit_uri *uris, size_t nuri,
                            bool (*keeps)(ag_cli *c, ag_str collection), unsigned n, ag_job **ret,
                            size_t *nret, ag_err *err)
{
	const ag_id name = ag_id_new(c->app.ctx.clock);
	batch b = { .uris = uris, .nuri = nuri };
	ag_id *ids;
	ag_status st;

	b.worker = (ag_worker_opts){ .lease_ms = 60000,
		                     .poll_ms = 1000,
		                     .per_target = 0,
		                     .drain = true,
		                     .stop = c->app.ctx.cancel,
		                     .address = whole_address,
		                     .address_arg = &b,
		                     .tell = ag_crew_tell,
		                     .tell_arg = c };
	snprintf(b.queue, sizeof(b.queue), "audit-%s", name.text);
	b.worker.queue = ag_str_c(b.queue);
	st = list_all(c, &b, keeps, ret, nret, err);
	if (st || !*nret)
		return st;
	ids = ag_new_n(c->app.arena, ag_id, *nret);
	st = queue_all(c, *ret, *nret, ids, err);
	if (st)
		return st;
	c->app.store = ag_store_close(c->app.store);
	share_threads(c, n);
	if (ag_crew_run(c, *nret < n ? (unsigned)*nret : n, work, &b) && !ag_signals_cancelled())
		ag_cli_warn(c,
		            "a process has failed; `argus worker --queue %s --drain` does what is "
		            "left",
		            b.queue);
	return read_back(c, ids, *nret, *ret, err);
}
