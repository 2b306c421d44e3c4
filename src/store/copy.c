/* Copying: each table in the order of its key, in pieces, each piece one transaction of the target.
 *
 * Invariant: what is in the target at any moment is a store that is whole: a run's row before its findings and its report,
 * a log from its beginning, the audit table with its chain. A piece whose answer was lost is looked for before it is put
 * again. Read copy_table(), copy_logs(), copy_ledger(). */
#include "store/copy.h"

#include <inttypes.h>

#include "store/ledger_rows.h"

#define ORIGIN      "store.copy"
#define PIECE_ROWS  256
#define PIECE_BYTES (8u << 20) /* above it a piece ends early: reports may have 64 MB each */

/* A table with a key that rows can be asked for in the order of. */
typedef struct table {
	bool has_int_key;
	unsigned ncolumn, nskip; /* columns that are read; the first ones that are not put */
	size_t count;            /* offset in ag_store_copied */
} table;

#define RUN_COLUMNS                                                                       \
	"id, agent, source_uri, source_key, collection, status, verdict, summary, "       \
	"started_at, finished_at, documents, critical, high, medium, low, input_tokens, " \
	"output_tokens, usd, request_units, replaces, null_values, counted_values, "      \
	"is_compared, new_findings, resolved_findings, regressed_fields"
#define FINDING_COLUMNS                                                                          \
	"id, run, key, field, category, severity, status, affected, share, label, labelled_at, " \
	"body"
#define PROJECT_COLUMNS "id, name, source, secret, settings, is_active, created_at, changed_at"
#define USER_COLUMNS    "name, password, project, is_super, is_active, created_at, changed_at, seen_at"
#define TOKEN_COLUMNS                                                                   \
	"id, name, \"user\", hash, ceiling, projects, scopes, created_at, expires_at, " \
	"revoked_at, used_at, kind"
#define OBJECT_COLUMNS                                                                      \
	"project, kind, key, name, status, confidence, uses, version, author, created_at, " \
	"changed_at, used_at, body"
#define JOB_COLUMNS                                                                         \
	"id, once, queue, kind, target, payload, state, ready_at, created_at, started_at, " \
	"ended_at, attempts, max_attempts, owner, run, wants_stop, result, error"
#define SCHEDULE_COLUMNS \
	"name, cron, zone, queue, kind, payload, is_paused, created_at, next_at, last_at"
#define THREAD_COLUMNS                                                                        \
	"id, name, \"user\", project, title, created_at, changed_at, viewed_at, deleted_at, " \
	"stop_at"
#define ARTIFACT_COLUMNS \
	"project, id, title, kind, thread, author, versions, created_at, changed_at, deleted_at"
#define VERSION_COLUMNS                                                                  \
	"project, id, artifact, version, parent, title, description, code, hash, data, " \
	"queries, figures, author, created_at"
#define FEEDBACK_COLUMNS "turn, \"user\", project, thread, verdict, reason, created_at, changed_at"
#define SHARE_COLUMNS                                                                 \
	"id, hash, kind, thing, version, project, \"user\", audience, users, title, " \
	"created_at, expires_at, revoked_at, opened_at, opens"
#define COUNT(member) offsetof(ag_store_copied, member)

enum {
	RUNS,
	FINDINGS,
	REPORTS,
	LEASES,
	PROJECTS,
	MEMBERS,
	TOKENS,
	RATES,
	TEXTS,
	OBJECTS,
	JOBS,
	SCHEDULES,
	THREADS,
	ARTIFACTS,
	VERSIONS,
	USERS,
	FEEDBACK,
	SHARES,
	SHARE_COPIES,
	BASELINES,
	SUBJECTS
};

/* $1 = the key of the last row, $2 = limit; the key is the first column. */
static const ag_sql reads[] = {
	[RUNS] = { "SELECT " RUN_COLUMNS " FROM runs WHERE id > $1 ORDER BY id LIMIT $2" },
	[FINDINGS] = { "SELECT {stored}, " FINDING_COLUMNS
	               " FROM findings WHERE {stored} > $1 ORDER BY {stored} LIMIT $2" },
	[REPORTS] = { "SELECT run, body FROM reports WHERE run > $1 ORDER BY run LIMIT $2" },
	[LEASES] = { "SELECT run, owner, until FROM leases WHERE run > $1 ORDER BY run LIMIT $2" },
	[PROJECTS] = { "SELECT " PROJECT_COLUMNS
	               " FROM projects WHERE id > $1 ORDER BY id LIMIT $2" },
	/* The key is of both columns: '/' is in no project's id. */
	[MEMBERS] = { "SELECT project || '/' || \"user\", project, \"user\", role FROM members "
	              "WHERE project || '/' || \"user\" > $1 "
	              "ORDER BY project || '/' || \"user\" LIMIT $2" },
	[TOKENS] = { "SELECT " TOKEN_COLUMNS " FROM tokens WHERE id > $1 ORDER BY id LIMIT $2" },
	[RATES] = { "SELECT name, began_at, ends_at, used FROM rates WHERE name > $1 "
	            "ORDER BY name LIMIT $2" },
	[TEXTS] = { "SELECT key, at, text FROM texts WHERE key > $1 ORDER BY key LIMIT $2" },
	[OBJECTS] = { "SELECT project || '/' || kind || '/' || key, " OBJECT_COLUMNS
	              " FROM objects WHERE project || '/' || kind || '/' || key > $1 "
	              "ORDER BY project || '/' || kind || '/' || key LIMIT $2" },
	[JOBS] = { "SELECT " JOB_COLUMNS " FROM jobs WHERE id > $1 ORDER BY id LIMIT $2" },
	[SCHEDULES] = { "SELECT " SCHEDULE_COLUMNS
	                " FROM schedules WHERE name > $1 ORDER BY name LIMIT $2" },
	[THREADS] = { "SELECT " THREAD_COLUMNS " FROM threads WHERE id > $1 ORDER BY id LIMIT $2" },
	[ARTIFACTS] = { "SELECT project || '/' || id, " ARTIFACT_COLUMNS
	                " FROM artifacts WHERE project || '/' || id > $1 "
	                "ORDER BY project || '/' || id LIMIT $2" },
	[VERSIONS] = { "SELECT project || '/' || id, " VERSION_COLUMNS
	               " FROM artifact_versions WHERE project || '/' || id > $1 "
	               "ORDER BY project || '/' || id LIMIT $2" },
	[FEEDBACK] = { "SELECT turn || '/' || \"user\", " FEEDBACK_COLUMNS
	               " FROM feedback WHERE turn || '/' || \"user\" > $1 "
	               "ORDER BY turn || '/' || \"user\" LIMIT $2" },
	[USERS] = { "SELECT " USER_COLUMNS " FROM users WHERE name > $1 ORDER BY name LIMIT $2" },
	[SHARES] = { "SELECT " SHARE_COLUMNS " FROM shares WHERE id > $1 ORDER BY id LIMIT $2" },
	[SHARE_COPIES] = { "SELECT share, copied_at, version, body FROM share_copies "
	                   "WHERE share > $1 ORDER BY share LIMIT $2" },
	[BASELINES] = { "SELECT source_key, run, \"user\", set_at FROM baselines "
	                "WHERE source_key > $1 ORDER BY source_key LIMIT $2" },
	[SUBJECTS] = { "SELECT id, issuer, subject, \"user\", created_at FROM subjects "
	               "WHERE id > $1 ORDER BY id LIMIT $2" },
};

static const ag_sql writes[] = {
	[RUNS] = { "INSERT INTO runs (" RUN_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
	           "$10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, "
	           "$26) ON CONFLICT (id) DO UPDATE SET "
	           "agent = excluded.agent, source_uri = excluded.source_uri, "
	           "source_key = excluded.source_key, collection = excluded.collection, "
	           "status = excluded.status, verdict = excluded.verdict, "
	           "summary = excluded.summary, started_at = excluded.started_at, "
	           "finished_at = excluded.finished_at, documents = excluded.documents, "
	           "critical = excluded.critical, high = excluded.high, medium = excluded.medium, "
	           "low = excluded.low, input_tokens = excluded.input_tokens, "
	           "output_tokens = excluded.output_tokens, usd = excluded.usd, "
	           "request_units = excluded.request_units, replaces = excluded.replaces, "
	           "null_values = excluded.null_values, "
	           "counted_values = excluded.counted_values, is_compared = excluded.is_compared, "
	           "new_findings = excluded.new_findings, "
	           "resolved_findings = excluded.resolved_findings, "
	           "regressed_fields = excluded.regressed_fields" },
	[FINDINGS] = { "INSERT INTO findings (" FINDING_COLUMNS
	               ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
	               "ON CONFLICT (id) DO UPDATE SET status = excluded.status, "
	               "label = excluded.label, labelled_at = excluded.labelled_at, "
	               "severity = excluded.severity, affected = excluded.affected, "
	               "share = excluded.share, body = excluded.body" },
	[REPORTS] = { "INSERT INTO reports (run, body) VALUES ($1, $2) "
	              "ON CONFLICT (run) DO UPDATE SET body = excluded.body" },
	[LEASES] = { "INSERT INTO leases (run, owner, until) VALUES ($1, $2, $3) "
	             "ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, "
	             "until = excluded.until" },
	[PROJECTS] = { "INSERT INTO projects (" PROJECT_COLUMNS
	               ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
	               "ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
	               "source = excluded.source, secret = excluded.secret, "
	               "settings = excluded.settings, is_active = excluded.is_active, "
	               "changed_at = excluded.changed_at" },
	[MEMBERS] = { "INSERT INTO members (project, \"user\", role) VALUES ($1, $2, $3) "
	              "ON CONFLICT (project, \"user\") DO UPDATE SET role = excluded.role" },
	[TOKENS] = { "INSERT INTO tokens (" TOKEN_COLUMNS
	             ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
	             "ON CONFLICT (id) DO UPDATE SET projects = excluded.projects, "
	             "revoked_at = excluded.revoked_at, used_at = excluded.used_at" },
	[RATES] = { "INSERT INTO rates (name, began_at, ends_at, used) VALUES ($1, $2, $3, $4) "
	            "ON CONFLICT (name) DO UPDATE SET began_at = excluded.began_at, "
	            "ends_at = excluded.ends_at, used = excluded.used" },
	[TEXTS] = { "INSERT INTO texts (key, at, text) VALUES ($1, $2, $3) "
	            "ON CONFLICT (key) DO UPDATE SET at = excluded.at, text = excluded.text" },
	[OBJECTS] = { "INSERT INTO objects (" OBJECT_COLUMNS
	              ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "
	              "ON CONFLICT (project, kind, key) DO UPDATE SET name = excluded.name, "
	              "status = excluded.status, confidence = excluded.confidence, "
	              "uses = excluded.uses, version = excluded.version, "
	              "author = excluded.author, created_at = excluded.created_at, "
	              "changed_at = excluded.changed_at, used_at = excluded.used_at, "
	              "body = excluded.body" },
	[JOBS] = { "INSERT INTO jobs (" JOB_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
	           "$10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT (id) DO UPDATE SET "
	           "state = excluded.state, ready_at = excluded.ready_at, "
	           "started_at = excluded.started_at, ended_at = excluded.ended_at, "
	           "attempts = excluded.attempts, owner = excluded.owner, run = excluded.run, "
	           "wants_stop = excluded.wants_stop, result = excluded.result, "
	           "error = excluded.error" },
	[SCHEDULES] = { "INSERT INTO schedules (" SCHEDULE_COLUMNS
	                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
	                "ON CONFLICT (name) DO UPDATE SET cron = excluded.cron, "
	                "zone = excluded.zone, queue = excluded.queue, kind = excluded.kind, "
	                "payload = excluded.payload, is_paused = excluded.is_paused, "
	                "next_at = excluded.next_at, last_at = excluded.last_at" },
	[THREADS] = { "INSERT INTO threads (" THREAD_COLUMNS
	              ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
	              "ON CONFLICT (id) DO UPDATE SET title = excluded.title, "
	              "changed_at = excluded.changed_at, viewed_at = excluded.viewed_at, "
	              "deleted_at = excluded.deleted_at, stop_at = excluded.stop_at" },
	[ARTIFACTS] = { "INSERT INTO artifacts (" ARTIFACT_COLUMNS
	                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
	                "ON CONFLICT (project, id) DO UPDATE SET title = excluded.title, "
	                "versions = excluded.versions, changed_at = excluded.changed_at, "
	                "deleted_at = excluded.deleted_at" },
	[VERSIONS] = { "INSERT INTO artifact_versions (" VERSION_COLUMNS
	               ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) "
	               "ON CONFLICT (project, id) DO NOTHING" },
	[FEEDBACK] = { "INSERT INTO feedback (" FEEDBACK_COLUMNS
	               ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
	               "ON CONFLICT (turn, \"user\") DO UPDATE SET verdict = excluded.verdict, "
	               "reason = excluded.reason, changed_at = excluded.changed_at" },
	[USERS] = { "INSERT INTO users (" USER_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
	            "ON CONFLICT (name) DO UPDATE SET password = excluded.password, "
	            "project = excluded.project, is_super = excluded.is_super, "
	            "is_active = excluded.is_active, changed_at = excluded.changed_at, "
	            "seen_at = excluded.seen_at" },
	[SHARES] = { "INSERT INTO shares (" SHARE_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, "
	             "$8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (id) DO UPDATE SET "
	             "revoked_at = excluded.revoked_at, opened_at = excluded.opened_at, "
	             "opens = excluded.opens" },
	[SHARE_COPIES] = { "INSERT INTO share_copies (share, copied_at, version, body) "
	                   "VALUES ($1, $2, $3, $4) ON CONFLICT (share) DO UPDATE SET "
	                   "copied_at = excluded.copied_at, version = excluded.version, "
	                   "body = excluded.body" },
	[BASELINES] = { "INSERT INTO baselines (source_key, run, \"user\", set_at) "
	                "VALUES ($1, $2, $3, $4) ON CONFLICT (source_key) DO UPDATE SET "
	                "run = excluded.run, \"user\" = excluded.\"user\", "
	                "set_at = excluded.set_at" },
	[SUBJECTS] = { "INSERT INTO subjects (id, issuer, subject, \"user\", created_at) "
	               "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING" },
};

static const table tables[] = {
	[RUNS] = { false, 26, 0, COUNT(nrun) },
	[FINDINGS] = { true, 13, 1, COUNT(nfinding) },
	[REPORTS] = { false, 2, 0, COUNT(nreport) },
	[LEASES] = { false, 3, 0, COUNT(nother) },
	[PROJECTS] = { false, 8, 0, COUNT(nother) },
	[MEMBERS] = { false, 4, 1, COUNT(nother) },
	[TOKENS] = { false, 12, 0, COUNT(nother) },
	[RATES] = { false, 4, 0, COUNT(nother) },
	[TEXTS] = { false, 3, 0, COUNT(nother) },
	[OBJECTS] = { false, 14, 1, COUNT(nother) },
	[JOBS] = { false, 18, 0, COUNT(nother) },
	[SCHEDULES] = { false, 10, 0, COUNT(nother) },
	[THREADS] = { false, 10, 0, COUNT(nother) },
	[ARTIFACTS] = { false, 11, 1, COUNT(nother) },
	[VERSIONS] = { false, 15, 1, COUNT(nother) },
	[USERS] = { false, 8, 0, COUNT(nother) },
	[FEEDBACK] = { false, 9, 1, COUNT(nother) },
	[SHARES] = { false, 15, 0, COUNT(nother) },
	[SHARE_COPIES] = { false, 4, 0, COUNT(nother) },
	[BASELINES] = { false, 4, 0, COUNT(nother) },
	[SUBJECTS] = { false, 5, 0, COUNT(nother) },
};

enum { NEXT_RUN, LAST_SEQ, EVENT, EVENTS, PUT_EVENT, ROWS, PUT_ROW, HASH, SET_CHAIN, SET_HEAD };

static const ag_sql sql[] = {
	[NEXT_RUN] = { "SELECT min(run) FROM events WHERE run > $1" },
	[LAST_SEQ] = { "SELECT max(seq) FROM events WHERE run = $1" },
	[EVENT] = { "SELECT type, at, payload FROM events WHERE run = $1 AND seq = $2" },
	[EVENTS] = { "SELECT seq, run, seq, v, type, call_id, cause, at, payload FROM events "
	             "WHERE run = $3 AND seq > $1 ORDER BY seq LIMIT $2" },
	[PUT_EVENT] = { "INSERT INTO events (run, seq, v, type, call_id, cause, at, payload) "
	                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)" },
	[ROWS] = { "SELECT " AG_LEDGER_COLUMNS
	           " FROM ledger WHERE seq > $1 ORDER BY seq LIMIT $2" },
	[PUT_ROW] = { "INSERT INTO ledger (" AG_LEDGER_COLUMNS ") "
	              "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
	              "$16, $17, $18, $19, $20, $21)" },
	[HASH] = { "SELECT hash FROM ledger WHERE seq = $1" },
	[SET_CHAIN] = { "UPDATE ledger_chain SET base_seq = $1, base_hash = $2, head_seq = $1, "
	                "head_hash = $2" },
	[SET_HEAD] = { "UPDATE ledger_chain SET head_seq = $1, head_hash = $2" },
};

typedef struct copier {
	ag_db *from, *to;
	const ag_ctx *ctx;
	ag_store_copied *done;
	ag_arena *arena; /* of one piece */
} copier;

/* --- a piece --- */

typedef struct piece {
	copier *c;
	ag_rows values; /* of ag_db_val, the rows one after the other */
	unsigned ncolumn, nskip;
	size_t nrow, nbyte;
	const ag_sql *write;
	ag_str run;    /* of a piece of a log */
	ag_db_val key; /* of the last row */
	bool is_cut;   /* it has enough bytes: the rest is read again */
} piece;

static void piece_release(piece *p)
{
	ag_rows_release(&p->values);
}

static ag_db_val keep(const ag_db_val *v, ag_arena *arena)
{
	return v->kind == AG_DB_TEXT ? ag_db_text(ag_db_get_text(v, arena)) : *v;
}

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	piece *p = arg;

	if (p->nbyte > PIECE_BYTES) {
		p->is_cut = true;
		return AG_OK;
	}
	for (unsigned i = 0; i < p->ncolumn; i++) {
		if (row[i].kind == AG_DB_NULL)
			return ag_fail(err, AG_IO, ORIGIN, "a row of the source has no value");
		if (i >= p->nskip)
			*(ag_db_val *)ag_rows_add(&p->values) = keep(&row[i], p->c->arena);
		p->nbyte += row[i].kind == AG_DB_TEXT ? row[i].text.len : sizeof(*row);
	}
	p->key = keep(&row[0], p->c->arena);
	p->nrow++;
	return AG_OK;
}

static ag_status read_piece(piece *p, const ag_sql *which, ag_db_args args, ag_err *err)
{
	ag_db_out out = { .on_row = take_row, .arg = p };

	if (ag_ctx_is_cancelled(p->c->ctx))
		return ag_fail(err, AG_CANCELLED, ORIGIN, "stopped; begin again to go on");
	return ag_db_run(p->c->from, which, args, &out, err);
}

static ag_status put_piece(const piece *p, const ag_sql *which, ag_err *err)
{
	return ag_db_run_many(p->c->to, which,
	                      (ag_db_args){ (const ag_db_val *)(void *)p->values.ptr,
	                                    p->ncolumn - p->nskip },
	                      p->nrow, NULL, err);
}

/* Rows that are there already are the same ones, or older. */
static ag_status put_table(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const piece *p = (const piece *)arg;

	(void)db;
	(void)is_again;
	return put_piece(p, p->write, err);
}

static piece piece_of(copier *c, unsigned ncolumn, unsigned nskip)
{
	ag_arena_reset(c->arena);
	return (piece){
		.c = c, .values = { .size = sizeof(ag_db_val) }, .ncolumn = ncolumn, .nskip = nskip
	};
}

/* --- tables --- */

static ag_status copy_piece(copier *c, size_t at, ag_db_val *key, bool *ret_more, ag_err *err)
{
	const table *t = &tables[at];
	AG_AUTO(piece_release) piece p = piece_of(c, t->ncolumn, t->nskip);
	/* The key lives beside the arena, which was reset. */
	const ag_db_val args[] = { *key, ag_db_int(PIECE_ROWS) };
	ag_status st = read_piece(&p, &reads[at], (ag_db_args){ args, 2 }, err);

	*ret_more = p.is_cut || p.nrow == PIECE_ROWS;
	if (st || !p.nrow)
		return st;
	p.write = &writes[at];
	st = ag_db_transact(c->to, AG_DB_WRITE, AG_S("copy"), put_table, &p, err);
	if (st)
		return st;
	*(uint64_t *)(void *)((char *)c->done + t->count) += p.nrow;
	*key = p.key;
	return AG_OK;
}

static ag_status copy_table(copier *c, size_t at, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *keys = ag_arena_new();
	ag_db_val key = tables[at].has_int_key ? ag_db_int(INT64_MIN) : ag_db_text(AG_S(""));
	bool more = true;
	ag_status st = AG_OK;

	while (more && !st) {
		st = copy_piece(c, at, &key, &more, err);
		key = keep(&key, keys);
	}
	return st;
}

/* --- logs --- */

typedef struct found {
	ag_arena *arena;
	ag_db_val row[3];
	size_t n;
	bool is_there;
} found;

static ag_status take_found(void *arg, const ag_db_val *row, ag_err *err)
{
	found *f = arg;

	(void)err;
	for (size_t i = 0; i < f->n; i++)
		f->row[i] = keep(&row[i], f->arena);
	f->is_there = row[0].kind != AG_DB_NULL;
	return AG_OK;
}

static ag_status find(ag_db *db, const ag_sql *which, ag_db_args args, found *ret, ag_err *err)
{
	ag_db_out out = { .on_row = take_found, .arg = ret };

	return ag_db_run(db, which, args, &out, err);
}

/* The event that both have must be one: of each log all earlier ones are in it by then. */
static ag_status check_log(copier *c, ag_str run, int64_t seq, ag_err *err)
{
	const ag_db_val args[] = { ag_db_text(run), ag_db_int(seq) };
	found a = { .arena = c->arena, .n = 3 }, b = a;
	ag_status st = find(c->from, &sql[EVENT], (ag_db_args){ args, 2 }, &a, err);

	if (!st)
		st = find(c->to, &sql[EVENT], (ag_db_args){ args, 2 }, &b, err);
	if (st)
		return st;
	if (a.is_there && b.is_there && ag_str_eq(a.row[0].text, b.row[0].text) &&
	    a.row[1].i == b.row[1].i && ag_str_eq(a.row[2].text, b.row[2].text))
		return AG_OK;
	ag_fail(err, AG_CONFLICT, ORIGIN, "the target has another log of run %.*s", AG_FMT(run));
	return ag_err_hint(err, "copy into a store that is new, or was begun by this copy");
}

static ag_status put_events(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const piece *p = (const piece *)arg;
	found last = { .arena = p->c->arena, .n = 1 };
	ag_status st = is_again ? find(db, &sql[LAST_SEQ], AG_DB_ARGS(ag_db_text(p->run)), &last,
	                               err)
	                        : AG_OK;

	return st || (last.is_there && last.row[0].i >= p->key.i)
	               ? st
	               : put_piece(p, &sql[PUT_EVENT], err);
}

static ag_status copy_log(copier *c, ag_str run, ag_err *err)
{
	found last = { .arena = c->arena, .n = 1 }, end = last;
	const ag_db_args of_run = AG_DB_ARGS(ag_db_text(run));
	int64_t seq, to;
	bool more = true;
	ag_status st = find(c->to, &sql[LAST_SEQ], of_run, &last, err);

	if (!st)
		st = find(c->from, &sql[LAST_SEQ], of_run, &end, err);
	if (st)
		return st;
	seq = last.is_there ? last.row[0].i : 0;
	to = end.is_there ? end.row[0].i : 0;
	if (seq)
		st = check_log(c, run, seq < to ? seq : to, err);
	while (!st && more && seq < to) {
		AG_AUTO(piece_release) piece p = piece_of(c, 9, 1);

		st = read_piece(&p, &sql[EVENTS],
		                AG_DB_ARGS(ag_db_int(seq), ag_db_int(PIECE_ROWS), ag_db_text(run)),
		                err);
		more = p.is_cut || p.nrow == PIECE_ROWS;
		if (st || !p.nrow)
			break;
		p.run = run;
		st = ag_db_transact(c->to, AG_DB_WRITE, run, put_events, &p, err);
		c->done->nevent += st ? 0 : p.nrow;
		seq = p.key.i;
	}
	return st;
}

static ag_status copy_logs(copier *c, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *keys = ag_arena_new();
	ag_str run = AG_S("");
	ag_status st = AG_OK;

	while (!st) {
		found next = { .arena = keys, .n = 1 };

		st = find(c->from, &sql[NEXT_RUN], AG_DB_ARGS(ag_db_text(run)), &next, err);
		if (st || !next.is_there)
			return st;
		run = next.row[0].text;
		st = copy_log(c, run, err);
	}
	return st;
}

/* --- the audit table --- */

static ag_status foreign_ledger(ag_err *err)
{
	ag_fail(err, AG_CONFLICT, ORIGIN, "the target has an audit table of its own");
	return ag_err_hint(err, "copy into a store that is new, or was begun by this copy");
}

typedef struct ledger_begin {
	copier *c;
	ag_ledger_chain at;
} ledger_begin;

/* Where to go on: after the last row of the target, which must be a row of the source. A second time does no harm. */
static ag_status begin_ledger(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	ledger_begin *b = (ledger_begin *)arg;
	copier *c = b->c;
	ag_ledger_chain from = { 0 }, *ret = &b->at;
	found hash = { .arena = c->arena, .n = 1 };
	ag_status st = ag_ledger_read_chain(c->from, &from, err);

	(void)is_again;
	*ret = (ag_ledger_chain){ 0 };
	if (!st)
		st = ag_ledger_read_chain(db, ret, err);
	if (!st && !ret->head_seq) { /* nothing was ever written */
		*ret = from;
		ret->head_seq = from.base_seq;
		memcpy(ret->head_hash, from.base_hash, sizeof(ret->head_hash));
		return ag_db_run(c->to, &sql[SET_CHAIN],
		                 AG_DB_ARGS(ag_db_int(from.base_seq),
		                            ag_db_text(ag_str_c(from.base_hash))),
		                 NULL, err);
	}
	if (!st && ret->head_seq == from.base_seq)
		return strcmp(ret->head_hash, from.base_hash) == 0 ? AG_OK : foreign_ledger(err);
	if (!st)
		st = find(c->from, &sql[HASH], AG_DB_ARGS(ag_db_int(ret->head_seq)), &hash, err);
	if (!st && (!hash.is_there || !ag_str_eqc(hash.row[0].text, ret->head_hash)))
		st = foreign_ledger(err);
	return st;
}

static ag_status put_rows(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const piece *p = (const piece *)arg;
	const ag_db_val *last = (const ag_db_val *)(void *)p->values.ptr +
	                        (p->nrow - 1) * AG_LEDGER_NCOLUMN;
	ag_ledger_chain chain = { 0 };
	ag_status st = is_again ? ag_ledger_read_chain(db, &chain, err) : AG_OK;

	if (st || chain.head_seq >= p->key.i)
		return st;
	st = put_piece(p, &sql[PUT_ROW], err);
	return st ? st
	          : ag_db_run(db, &sql[SET_HEAD], AG_DB_ARGS(last[0], last[AG_LEDGER_NCOLUMN - 1]),
	                      NULL, err);
}

static ag_status copy_ledger(copier *c, ag_err *err)
{
	ledger_begin b = { .c = c };
	bool more = true;
	ag_status st = ag_db_transact(c->to, AG_DB_WRITE, AG_LEDGER_SCOPE, begin_ledger, &b, err);

	while (!st && more) {
		AG_AUTO(piece_release) piece p = piece_of(c, AG_LEDGER_NCOLUMN, 0);

		st = read_piece(&p, &sql[ROWS],
		                AG_DB_ARGS(ag_db_int(b.at.head_seq), ag_db_int(PIECE_ROWS)), err);
		more = p.is_cut || p.nrow == PIECE_ROWS;
		if (st || !p.nrow)
			break;
		st = ag_db_transact(c->to, AG_DB_WRITE, AG_LEDGER_SCOPE, put_rows, &p, err);
		c->done->nledger += st ? 0 : p.nrow;
		b.at.head_seq = p.key.i;
	}
	return st;
}

/* --- the whole --- */

static ag_status copy_all(copier *c, ag_err *err)
{
	ag_status st = copy_logs(c, err);

	for (size_t i = 0; i < AG_NELEM(tables) && !st; i++)
		st = copy_table(c, i, err);
	return st ? st : copy_ledger(c, err);
}

ag_status ag_store_copy(ag_store *from, ag_store *to, const ag_ctx *ctx, ag_store_copied *ret,
                        ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	copier c = { from->db, to->db, ctx, ret, arena };
	ag_status st;

	*ret = (ag_store_copied){ 0 };
	st = ag_db_begin(from->db, AG_DB_READ, AG_S("copy"), err);
	if (!st)
		st = copy_all(&c, err);
	from->db->type->rollback(from->db);
	return st;
}
