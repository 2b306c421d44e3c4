/* What changes runs: the commit of a batch, leases, purge.
 *
 * Each operation is one transaction (purge: several small ones). Invariant: a log has no hole. The statement that adds the
 * first event of a batch checks it, so that no answer is needed before the commit: a PostgreSQL server gets the whole batch
 * in one write. */
#include <errno.h>
#include <inttypes.h>

#include "base/fault.h"
#include "base/time.h"
#include "run/owner.h"
#include "store/parts.h"

#define ORIGIN "store"
#define GROUP  32u /* rows written by one call of the driver */
#define PURGE_RUNS \
	64 /* of one transaction: a purge of thousands gives others the lock in between */

enum {
	LAST_SEQ,
	FROM_SEQ,
	ADD_EVENT,
	ADD_FIRST,
	PUT_RUN,
	PUT_FINDING,
	PUT_REPORT,
	TAKE_LEASE,
	TAKE_FREE_LEASE,
	LEASE,
	OLD_RUNS,
	OLD_LOGS,
	UNFINISHED,
	DROP_EVENTS,
	DROP_LEASE,
	DROP_FEEDBACK,
	DROP_BASELINE,
	DROP_RUN,
	DROP_OLD_LEASES,
};

static const ag_sql sql[] = {
	[LAST_SEQ] = { "SELECT max(seq) FROM events WHERE run = $1" },
	[FROM_SEQ] = { "SELECT seq, at, payload FROM events WHERE run = $1 AND seq >= $2 "
	               "ORDER BY seq LIMIT $3" },
	[ADD_EVENT] = { "INSERT INTO events (run, seq, v, type, call_id, cause, at, payload) "
	                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)" },
	/* Its number is NULL, which the column refuses, when the event does not follow the last one of the log. */
	[ADD_FIRST] = { "INSERT INTO events (run, seq, v, type, call_id, cause, at, payload) "
	                "VALUES ($1, CASE WHEN coalesce((SELECT max(seq) FROM events "
	                "WHERE run = $1), 0) = $2 - 1 THEN $2 END, $3, $4, $5, $6, $7, $8)" },
	/* Not a replacement of the row: that would remove the old one, and with it findings and report. */
	[PUT_RUN] = { "INSERT INTO runs (id, agent, source_uri, source_key, collection, status, "
	              "verdict, summary, started_at, finished_at, documents, critical, high, "
	              "medium, low, input_tokens, output_tokens, usd, request_units, replaces, "
	              "null_values, counted_values, is_compared, new_findings, "
	              "resolved_findings, regressed_fields) "
	              "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
	              "$16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) "
	              "ON CONFLICT (id) DO UPDATE SET "
	              "agent = excluded.agent, "
	              "source_uri = excluded.source_uri, source_key = excluded.source_key, "
	              "collection = excluded.collection, status = excluded.status, "
	              "verdict = excluded.verdict, summary = excluded.summary, "
	              "started_at = excluded.started_at, finished_at = excluded.finished_at, "
	              "documents = excluded.documents, critical = excluded.critical, "
	              "high = excluded.high, medium = excluded.medium, low = excluded.low, "
	              "input_tokens = excluded.input_tokens, "
	              "output_tokens = excluded.output_tokens, usd = excluded.usd, "
	              "request_units = excluded.request_units, replaces = excluded.replaces, "
	              "null_values = excluded.null_values, "
	              "counted_values = excluded.counted_values, "
	              "is_compared = excluded.is_compared, "
	              "new_findings = excluded.new_findings, "
	              "resolved_findings = excluded.resolved_findings, "
	              "regressed_fields = excluded.regressed_fields" },
	[PUT_FINDING] = { "INSERT INTO findings (id, run, key, field, category, severity, status, "
	                  "affected, share, label, labelled_at, body) "
	                  "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
	                  "ON CONFLICT (id) DO UPDATE SET key = excluded.key, "
	                  "field = excluded.field, category = excluded.category, "
	                  "severity = excluded.severity, status = excluded.status, "
	                  "affected = excluded.affected, share = excluded.share, "
	                  "label = CASE WHEN excluded.labelled_at >= findings.labelled_at "
	                  "THEN excluded.label ELSE findings.label END, "
	                  "labelled_at = CASE WHEN excluded.labelled_at >= findings.labelled_at "
	                  "THEN excluded.labelled_at ELSE findings.labelled_at END, "
	                  "body = excluded.body WHERE findings.run = excluded.run" },
	[PUT_REPORT] = { "INSERT INTO reports (run, body) VALUES ($1, $2) "
	                 "ON CONFLICT (run) DO UPDATE SET body = excluded.body" },
	[TAKE_LEASE] = { "INSERT INTO leases (run, owner, until) VALUES ($1, $2, $3) "
	                 "ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, "
	                 "until = excluded.until "
	                 "WHERE leases.owner = excluded.owner OR leases.until <= $4" },
	/* The owner is NULL, which the column refuses, when another has it. */
	[TAKE_FREE_LEASE] = { "INSERT INTO leases (run, owner, until) VALUES ($1, $2, $3) "
	                      "ON CONFLICT (run) DO UPDATE SET until = excluded.until, "
	                      "owner = CASE WHEN leases.owner = excluded.owner "
	                      "OR leases.until = 0 THEN excluded.owner END" },
	[LEASE] = { "SELECT owner, until FROM leases WHERE run = $1" },
	[OLD_RUNS] = { "SELECT id FROM runs WHERE finished_at > 0 AND finished_at < $1 LIMIT $2" },
	/* Logs without the row of a run: found by hopping from run to run in the primary key, not by reading every event. */
	[OLD_LOGS] = { "WITH RECURSIVE log (run) AS (SELECT min(run) FROM events UNION ALL "
	               "SELECT (SELECT min(run) FROM events WHERE run > log.run) FROM log "
	               "WHERE log.run IS NOT NULL) "
	               "SELECT run FROM log WHERE run IS NOT NULL "
	               "AND NOT EXISTS (SELECT 1 FROM runs WHERE id = log.run) "
	               "AND (SELECT at FROM events e WHERE e.run = log.run ORDER BY seq DESC LIMIT 1) "
	               "< $1 LIMIT $2" },
	/* Their leases name who wrote them. */
	[UNFINISHED] = { "SELECT r.id, coalesce(l.owner, ''), coalesce(l.until, 0) FROM runs r "
	                 "LEFT JOIN leases l ON l.run = r.id "
	                 "WHERE r.finished_at = 0 AND r.started_at < $1 AND coalesce((SELECT at "
	                 "FROM events e WHERE e.run = r.id ORDER BY seq DESC LIMIT 1), 0) < $1" },
	/* Findings and reports go with their run. */
	[DROP_EVENTS] = { "DELETE FROM events WHERE run = $1" },
	[DROP_LEASE] = { "DELETE FROM leases WHERE run = $1" },
	[DROP_FEEDBACK] = { "DELETE FROM feedback WHERE turn = $1" },
	[DROP_BASELINE] = { "DELETE FROM baselines WHERE run = $1" },
	[DROP_RUN] = { "DELETE FROM runs WHERE id = $1" },
	/* Of what has no run of its own: a conversation. */
	[DROP_OLD_LEASES] = { "DELETE FROM leases WHERE until < $1 AND NOT EXISTS "
	                      "(SELECT 1 FROM runs WHERE runs.id = leases.run) AND NOT EXISTS "
	                      "(SELECT 1 FROM events WHERE events.run = leases.run)" },
};

static ag_status take_int(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(int64_t *)arg = ag_db_get_int(&row[0]);
	return AG_OK;
}

/* --- commit --- */

typedef struct tail {
	const ag_event *events;
	size_t n, nsame;
} tail;

static ag_status compare_event(void *arg, const ag_db_val *row, ag_err *err)
{
	tail *t = arg;
	const ag_event *ev = &t->events[t->nsame];

	(void)err;
	if (t->nsame < t->n && ag_db_get_u64(&row[0]) == ev->seq &&
	    ag_db_get_int(&row[1]) == ev->at_ms && ag_str_eq(ag_db_get_view(&row[2]), ev->payload))
		t->nsame++;
	return AG_OK;
}

/* Are these events the end of the log already? */
static ag_status is_there(ag_db *db, const ag_id *run, const ag_event *events, size_t n, bool *ret,
                          ag_err *err)
{
	tail t = { events, n, 0 };
	ag_db_out out = { .on_row = compare_event, .arg = &t };
	ag_status st = ag_db_run(db, &sql[FROM_SEQ],
	                         AG_DB_ARGS(ag_db_text(ag_id_str(run)),
	                                    ag_db_int((int64_t)events[0].seq),
	                                    ag_db_int((int64_t)n)),
	                         &out, err);

	*ret = !st && t.nsame == n;
	return st;
}

static ag_status last_seq(ag_db *db, const ag_id *run, uint64_t *ret, ag_err *err)
{
	int64_t last = 0; /* of an empty log, whose maximum is NULL */
	ag_db_out out = { .on_row = take_int, .arg = &last };
	ag_status st = ag_db_run(db, &sql[LAST_SEQ], AG_DB_ARGS(ag_db_text(ag_id_str(run))), &out,
	                         err);

	*ret = (uint64_t)last;
	return st;
}

/* The answer to the first commit was lost: did it take place, so that the events are the end of the log? */
static ag_status was_committed(ag_db *db, const ag_id *run, const ag_event *events, size_t n,
                               bool *ret, ag_err *err)
{
	uint64_t last;
	ag_status st = last_seq(db, run, &last, err);

	*ret = false;
	if (!st && last == events[0].seq + n - 1)
		st = is_there(db, run, events, n, ret, err);
	return st;
}

/* A commit was refused. If the events do not follow the log, the error says so in place of the statement's own. */
static void explain_place(ag_db *db, const ag_id *run, const ag_event *first, ag_err *err)
{
	uint64_t last;

	if (!err || last_seq(db, run, &last, NULL) || first->seq == last + 1)
		return;
	ag_fail(err, AG_CONFLICT, ORIGIN,
	        "the log of run %s ends at event %" PRIu64 ", so event %" PRIu64 " cannot follow",
	        run->text, last, first->seq);
	ag_err_hint(err, "another process writes this run; wait until it is done");
}

static void event_args(const ag_event *ev, ag_db_val ret[8])
{
	const bool is_known = ev->type != AG_EV_UNKNOWN;

	ret[0] = ag_db_text(ag_id_str(&ev->run));
	ret[1] = ag_db_int((int64_t)ev->seq);
	ret[2] = ag_db_int(ev->v);
	ret[3] = ag_db_text(is_known ? ag_str_c(ag_event_type_text(ev->type)) : ev->type_text);
	ret[4] = ag_db_text(ag_id_str(&ev->call_id));
	ret[5] = ag_db_int((int64_t)ev->cause);
	ret[6] = ag_db_int(ev->at_ms);
	ret[7] = ag_db_text(ev->payload);
}

static ag_status put_events(ag_db *db, const ag_id *run, const ag_event *events, size_t nevent,
                            bool is_again, ag_err *err)
{
	ag_db_val args[GROUP][8];
	bool is_done = false;
	ag_status st = AG_OK;

	if (!nevent)
		return AG_OK;
	if (is_again)
		st = was_committed(db, run, events, nevent, &is_done, err);
	if (st || is_done)
		return st;
	event_args(&events[0], args[0]);
	st = ag_db_run(db, &sql[ADD_FIRST], (ag_db_args){ args[0], 8 }, NULL, err);
	for (size_t i = 1, n; i < nevent && !st; i += n) {
		n = nevent - i < GROUP ? nevent - i : GROUP;
		for (size_t k = 0; k < n; k++)
			event_args(&events[i + k], args[k]);
		st = ag_db_run_many(db, &sql[ADD_EVENT], (ag_db_args){ args[0], 8 }, n, NULL, err);
	}
	return st;
}

static ag_status put_run(ag_db *db, const ag_run_row *r, ag_err *err)
{
	return ag_db_run(
		db, &sql[PUT_RUN],
		AG_DB_ARGS(ag_db_text(ag_id_str(&r->id)), ag_db_text(r->agent),
	                   ag_db_text(r->source_uri), ag_db_text(r->source_key),
	                   ag_db_text(r->collection), ag_db_text(r->status), ag_db_text(r->verdict),
	                   ag_db_text(r->summary), ag_db_int(r->started_ms),
	                   ag_db_int(r->finished_ms), ag_db_int((int64_t)r->documents),
	                   ag_db_int(r->critical), ag_db_int(r->high), ag_db_int(r->medium),
	                   ag_db_int(r->low), ag_db_int((int64_t)r->input_tokens),
	                   ag_db_int((int64_t)r->output_tokens), ag_db_real(r->usd),
	                   ag_db_real(r->request_units), ag_db_text(r->replaces),
	                   ag_db_int((int64_t)r->figures.nulls),
	                   ag_db_int((int64_t)r->figures.values), ag_db_int(r->figures.is_compared),
	                   ag_db_int(r->figures.added), ag_db_int(r->figures.resolved),
	                   ag_db_int(r->figures.regressed)),
		NULL, err);
}

/* A finding or a report was refused because its run has no row. */
static ag_status needs_run(ag_status st, ag_err *err)
{
	if (st != AG_NOT_FOUND)
		return st;
	return ag_fail(err, AG_INVALID, ORIGIN, "a finding or report needs the row of its run");
}

static void finding_args(const ag_finding_row *f, ag_db_val ret[12])
{
	const ag_db_val all[12] = { ag_db_text(ag_id_str(&f->id)),
		                    ag_db_text(ag_id_str(&f->run)),
		                    ag_db_text(f->key),
		                    ag_db_text(f->field),
		                    ag_db_text(f->category),
		                    ag_db_text(f->severity),
		                    ag_db_text(f->status),
		                    ag_db_int((int64_t)f->affected),
		                    ag_db_real(f->share),
		                    ag_db_text(f->label),
		                    ag_db_int(f->labelled_ms),
		                    ag_db_text(f->body) };

	memcpy(ret, all, sizeof(all));
}

static ag_status put_findings(ag_db *db, const ag_finding_row *findings, size_t nfinding,
                              ag_err *err)
{
	ag_db_val args[GROUP][12];
	ag_status st = AG_OK;

	for (size_t i = 0, n; i < nfinding && !st; i += n) {
		size_t unchanged;

		n = nfinding - i < GROUP ? nfinding - i : GROUP;
		for (size_t k = 0; k < n; k++)
			finding_args(&findings[i + k], args[k]);
		st = ag_db_run_many(db, &sql[PUT_FINDING], (ag_db_args){ args[0], 12 }, n,
		                    &unchanged, err);
		if (!st && unchanged < n)
			return ag_fail(err, AG_CONFLICT, ORIGIN,
			               "finding %s belongs to another run",
			               findings[i + unchanged].id.text);
	}
	return st;
}

/* Nothing is asked about the holder: see the header. */
/* 0 = given back. */
static int64_t lease_until(int64_t now_ms, int64_t ttl_ms)
{
	return ttl_ms ? now_ms + ttl_ms : 0;
}

static ag_status put_leases(ag_db *db, const ag_store_leased *leases, size_t n, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++)
		st = ag_db_run(db, &sql[TAKE_LEASE],
		               AG_DB_ARGS(ag_db_text(ag_id_str(&leases[i].run)),
		                          ag_db_text(leases[i].owner),
		                          ag_db_int(
						  lease_until(leases[i].now_ms, leases[i].ttl_ms)),
		                          ag_db_int(leases[i].now_ms)),
		               NULL, err);
	return st;
}

typedef struct committing {
	const ag_id *run;
	const ag_store_batch *batch;
} committing;

/* Rows are replaced, so they may be put twice. */
static ag_status put_batch(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const committing *c = arg;
	const ag_store_batch *b = c->batch;
	ag_status st = put_events(db, c->run, b->events, b->nevent, is_again, err);

	if (!st && b->run)
		st = put_run(db, b->run, err);
	if (!st && b->run && !b->is_quiet)
		st = ag_db_tell(db, err);
	if (!st)
		st = put_findings(db, b->findings, b->nfinding, err);
	if (!st && b->report.len)
		st = ag_db_run(db, &sql[PUT_REPORT],
		               AG_DB_ARGS(ag_db_text(ag_id_str(c->run)), ag_db_text(b->report)),
		               NULL, err);
	return st ? st : put_leases(db, b->leases, b->nlease, err);
}

static ag_status lease_fault(const ag_id *run, ag_err *err)
{
	if (!ag_fault("store.lease"))
		return AG_OK;
	ag_fail_errno(err, errno, ORIGIN, "cannot write the lease of run %s", run->text);
	return ag_err_hint(err, "the disk of the store may be full or failing");
}

ag_status ag_runs_commit(ag_db *db, const ag_id *run, const ag_store_batch *b, ag_err *err)
{
	const ag_db_begin_kind kind = b->on_disk == AG_STORE_NOW    ? AG_DB_DURABLE
	                              : b->on_disk == AG_STORE_LAZY ? AG_DB_LAZY
	                                                            : AG_DB_WRITE;
	committing c = { run, b };
	ag_status st = b->nlease ? lease_fault(run, err) : AG_OK;

	if (st)
		return st;
	st = ag_db_transact(db, kind, ag_id_str(run), put_batch, &c, err);
	if (st == AG_CONFLICT && b->nevent)
		explain_place(db, run, &b->events[0], err);
	return needs_run(st, err);
}

/* --- leases --- */

typedef struct holder {
	ag_arena *arena;
	ag_str owner;
	int64_t until_ms;
} holder;

static ag_status take_holder(void *arg, const ag_db_val *row, ag_err *err)
{
	holder *h = arg;

	(void)err;
	h->owner = ag_db_get_text(&row[0], h->arena);
	h->until_ms = ag_db_get_int(&row[1]);
	return AG_OK;
}

ag_status ag_runs_lease_holder(ag_db *db, const ag_id *run, ag_arena *arena, ag_str *ret_owner,
                               int64_t *ret_until_ms, ag_err *err)
{
	holder h = { .arena = arena, .owner = AG_S("") };
	ag_db_out out = { .on_row = take_holder, .arg = &h };
	ag_status st = ag_db_run(db, &sql[LEASE], AG_DB_ARGS(ag_db_text(ag_id_str(run))), &out,
	                         err);

	*ret_owner = h.owner;
	*ret_until_ms = h.until_ms;
	return st;
}

/* Why the lease could not be taken. */
static ag_status lease_held(ag_db *db, const ag_id *run, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	char until[AG_TIME_MAX_TEXT];
	ag_str owner;
	int64_t until_ms;
	ag_status st = ag_runs_lease_holder(db, run, arena, &owner, &until_ms, err);

	if (st)
		return st;
	ag_time_format(until, until_ms);
	if (ag_owner_pid(owner))
		ag_fail(err, AG_CONFLICT, ORIGIN, "run %s is written by process %ld until %s",
		        run->text, ag_owner_pid(owner), until);
	else
		ag_fail(err, AG_CONFLICT, ORIGIN, "run %s is written by \"%.*s\" until %s",
		        run->text, (int)(owner.len < 100 ? owner.len : 100), owner.ptr, until);
	return ag_err_hint(
		err, "wait until it is done; a writer that died loses its right at that time");
}

typedef struct leasing {
	const ag_id *run;
	ag_str owner;
	int64_t now_ms, ttl_ms;
} leasing;

/* One owner may take it twice. */
static ag_status take_lease(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const leasing *l = arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[TAKE_LEASE],
	                         AG_DB_ARGS(ag_db_text(ag_id_str(l->run)), ag_db_text(l->owner),
	                                    ag_db_int(lease_until(l->now_ms, l->ttl_ms)),
	                                    ag_db_int(l->now_ms)),
	                         &out, err);

	(void)is_again;
	return st || out.nchange ? st : lease_held(db, l->run, err);
}

ag_status ag_runs_put_free_lease(ag_db *db, const ag_store_leased *l, ag_err *err)
{
	ag_status st = lease_fault(&l->run, err);

	return st ? st
	          : ag_db_run(db, &sql[TAKE_FREE_LEASE],
	                      AG_DB_ARGS(ag_db_text(ag_id_str(&l->run)), ag_db_text(l->owner),
	                                 ag_db_int(lease_until(l->now_ms, l->ttl_ms))),
	                      NULL, err);
}

ag_status ag_runs_lease(ag_db *db, const ag_id *run, ag_str owner, int64_t now_ms, int64_t ttl_ms,
                        ag_err *err)
{
	leasing l = { run, owner, now_ms, ttl_ms };
	ag_status st = lease_fault(run, err);

	if (st)
		return st;
	return ag_db_transact(db, AG_DB_WRITE, ag_id_str(run), take_lease, &l, err);
}

/* --- purge --- */

typedef struct doomed {
	ag_arena *arena;
	ag_db_val runs[PURGE_RUNS];
	size_t n;
	int64_t older_than_ms, now_ms;
} doomed;

static ag_status take_run(void *arg, const ag_db_val *row, ag_err *err)
{
	doomed *d = arg;

	(void)err;
	if (d->n < PURGE_RUNS)
		d->runs[d->n++] = ag_db_text(ag_db_get_text(&row[0], d->arena));
	return AG_OK;
}

/* Only when nobody goes on with it: the writer is dead, or cannot be looked up and its lease ran out. */
static ag_status take_unfinished(void *arg, const ag_db_val *row, ag_err *err)
{
	const doomed *d = arg;
	const ag_str owner = ag_db_get_view(&row[1]);
	const ag_owner_state writer = ag_owner_state_of(owner);

	if ((!owner.len && d->older_than_ms != AG_STORE_PURGE_ALL) || writer == AG_OWNER_ALIVE ||
	    (writer == AG_OWNER_UNKNOWN && ag_db_get_int(&row[2]) > d->now_ms))
		return AG_OK;
	return take_run(arg, row, err);
}

static ag_status choose(ag_db *db, int which, doomed *d, ag_err *err)
{
	const ag_db_val args[] = { ag_db_int(d->older_than_ms), ag_db_int(PURGE_RUNS) };
	const bool is_unfinished = which == UNFINISHED;
	ag_db_out out = { .on_row = is_unfinished ? take_unfinished : take_run, .arg = d };

	return ag_db_run(db, &sql[which], (ag_db_args){ args, is_unfinished ? 1 : 2 }, &out, err);
}

typedef struct purging {
	int which;
	int64_t older_than_ms;
	size_t n; /* that the last transaction removed */
} purging;

/* Some runs that the statement chooses, with all that belongs to them. What is done twice removes nothing twice. */
static ag_status drop_runs(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	static const int drops[] = { DROP_EVENTS, DROP_LEASE, DROP_FEEDBACK, DROP_BASELINE,
		                     DROP_RUN };
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	purging *p = arg;
	doomed d = { .arena = arena,
		     .older_than_ms = p->older_than_ms,
		     .now_ms = ag_clock_wall(&ag_clock_system) };
	ag_status st = choose(db, p->which, &d, err);

	(void)is_again;
	for (size_t i = 0; i < AG_NELEM(drops) && d.n && !st; i++)
		st = ag_db_run_many(db, &sql[drops[i]], (ag_db_args){ d.runs, 1 }, d.n, NULL, err);
	p->n = d.n;
	return st;
}

/* One that still holds stays, whatever is purged. */
static ag_status drop_old_leases(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const purging *p = arg;
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	const int64_t limit_ms = p->older_than_ms < now_ms ? p->older_than_ms : now_ms;

	(void)is_again;
	return ag_db_run(db, &sql[DROP_OLD_LEASES], AG_DB_ARGS(ag_db_int(limit_ms)), NULL, err);
}

ag_status ag_runs_purge(ag_db *db, int64_t older_than_ms, uint64_t *ret, ag_err *err)
{
	static const int kinds[] = { OLD_RUNS, OLD_LOGS, UNFINISHED };
	purging p = { .older_than_ms = older_than_ms };
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(kinds) && !st; i++) {
		p.which = kinds[i];
		for (p.n = 1; p.n && !st; *ret += p.n) {
			p.n = 0;
			st = ag_db_transact(db, AG_DB_WRITE, AG_S("purge"), drop_runs, &p, err);
		}
	}
	return st ? st : ag_db_transact(db, AG_DB_WRITE, AG_S("purge"), drop_old_leases, &p, err);
}
