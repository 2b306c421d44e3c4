/* Opening: whose database it is, bringing the schema up to date, reading everything.
 *
 * A store is the schema "argus" of a database, so that it may live beside the tables of other programs. The table argus.store
 * says that the schema is a store, and which migrations it has. Invariant: a schema that is not a store, or is one of a newer
 * Argus, is left as it was. Processes that open a fresh database at the same moment take their turn (an advisory lock), and
 * each looks again when it has it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/embedded.h"
#include "base/fault.h"
#include "base/log.h"
#include "store/postgres.h"
#include "store/store.h"

#define ORIGIN             "store.postgres"
#define MAX_CONNECTIONS    4 /* one works; others may be stuck at the server, or being made */
#define CONNECT_TIMEOUT_MS 15000
#define STATEMENT_MS       600000
#define POOLER_MS          1000
#define MIN_SERVER         140000
#define MAX_FAULTS         8

/* --- whose it is --- */

typedef struct identity {
	int64_t server;
	int64_t version; /* of the schema; 0 = there is no store */
	int64_t nobject; /* tables, indexes and so on of the schema */
	bool is_store, may_make, may_use, is_standby;
} identity;

static ag_status take_identity(void *arg, const ag_db_val *row, ag_err *err)
{
	identity *id = arg;

	(void)err;
	id->server = ag_db_get_int(&row[0]);
	id->nobject = ag_db_get_int(&row[1]);
	id->is_store = ag_db_get_int(&row[2]) != 0;
	id->may_make = ag_db_get_int(&row[3]) != 0;
	id->may_use = ag_db_get_int(&row[4]) != 0;
	id->is_standby = ag_db_get_int(&row[5]) != 0;
	return AG_OK;
}

static ag_status take_version(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	((identity *)arg)->version = ag_db_get_int(&row[0]);
	return AG_OK;
}

static const ag_embedded *migration(int64_t number)
{
	char prefix[60];
	const ag_embedded *first = NULL;
	size_t n;

	snprintf(prefix, sizeof(prefix), "migrations/postgres/%03lld_", (long long)number);
	n = ag_embedded_list(prefix, &first);
	AG_ASSERT(n <= 1); /* two files with one number */
	return n ? first : NULL;
}

static int64_t newest_version(void)
{
	int64_t n = 0;

	while (migration(n + 1))
		n++;
	AG_ASSERT(n > 0); /* built without the migrations */
	return n;
}

static ag_status no_rights(const ag_postgres *s, const char *what, ag_err *err)
{
	ag_fail(err, AG_DENIED, ORIGIN, "the role may not %s in the store \"%.*s\"", what,
	        AG_FMT(ag_pg_shown(s->pg)));
	return ag_err_hint(err, "grant it what docs/guide/store.md lists, or let the owner of the "
	                        "database open the store once");
}

static ag_status judge(const ag_postgres *s, const identity *id, bool makes, ag_err *err)
{
	const ag_str shown = ag_pg_shown(s->pg);

	if (id->server < MIN_SERVER) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the server of \"%.*s\" is older than PostgreSQL 14", AG_FMT(shown));
		return ag_err_hint(err, "upgrade it, or choose another store with ARGUS_STORE");
	}
	if (!id->is_store && id->nobject) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the schema \"" AG_POSTGRES_SCHEMA
		        "\" of \"%.*s\" belongs to another program",
		        AG_FMT(shown));
		return ag_err_hint(err,
		                   "give Argus a database of its own (createdb), and name it in "
		                   "the store's address");
	}
	if (id->is_store && !id->may_use)
		return no_rights(s, "use the schema \"" AG_POSTGRES_SCHEMA "\"", err);
	if (id->version > newest_version()) {
		ag_fail(err, AG_CONFLICT, ORIGIN,
		        "the store \"%.*s\" is of a newer Argus (schema %lld, this one knows %lld)",
		        AG_FMT(shown), (long long)id->version, (long long)newest_version());
		ag_err_hint(err, "upgrade argus, or choose another store with ARGUS_STORE");
		return AG_CONFLICT;
	}
	if (makes && id->version < newest_version() && id->is_standby) {
		ag_fail(err, AG_DENIED, ORIGIN, "\"%.*s\" is a read-only standby", AG_FMT(shown));
		return ag_err_hint(err, "name the primary server in the store's address");
	}
	if (makes && !id->is_store && !id->may_make)
		return no_rights(s, "make tables", err);
	return AG_OK;
}

/* makes: a store that is not there is made. */
static ag_status identify(ag_postgres *s, identity *id, bool makes, ag_err *err)
{
	/* pg_catalog is always first in search_path. */
	static const ag_sql look = {
		"SELECT CAST(current_setting('server_version_num') AS BIGINT), "
		"(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
		"WHERE n.nspname = '" AG_POSTGRES_SCHEMA "'), "
		"EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
		"JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'argus_schema' "
		"WHERE n.nspname = '" AG_POSTGRES_SCHEMA "' AND c.relname = 'store'), "
		"CASE WHEN to_regnamespace('" AG_POSTGRES_SCHEMA "') IS NULL "
		"THEN has_database_privilege(current_database(), 'CREATE') "
		"ELSE has_schema_privilege('" AG_POSTGRES_SCHEMA "', 'CREATE') END, "
		"to_regnamespace('" AG_POSTGRES_SCHEMA "') IS NOT NULL AND "
		"has_schema_privilege('" AG_POSTGRES_SCHEMA "', 'USAGE'), pg_is_in_recovery()"
	};
	static const ag_sql version = { "SELECT max(argus_schema) FROM " AG_POSTGRES_SCHEMA
		                        ".store" };
	ag_db_out out = { .on_row = take_identity, .arg = id };
	ag_db_out version_out = { .on_row = take_version, .arg = id };
	ag_status st;

	if (ag_fault("store.open")) {
		ag_fail(err, AG_IO, ORIGIN, "cannot open the store (a fault)");
		return ag_err_hint(err, "see that PostgreSQL runs");
	}
	*id = (identity){ 0 };
	st = ag_postgres_run(&s->base, &look, AG_DB_NO_ARGS, &out, err);
	if (!st && id->is_store && id->may_use)
		st = ag_postgres_run(&s->base, &version, AG_DB_NO_ARGS, &version_out, err);
	s->is_standby = !st && id->is_standby;
	return st ? st : judge(s, id, makes, err);
}

/* --- migrations --- */

/* A statement ends with a semicolon at the end of a line; the last one may have a comment behind it. */
static ag_str next_statement(ag_str *rest)
{
	ag_str last;

	for (size_t i = 0; i + 1 < rest->len; i++) {
		if (rest->ptr[i] == ';' && rest->ptr[i + 1] == '\n') {
			const ag_str found = ag_str_make(rest->ptr, i);

			*rest = ag_str_make(rest->ptr + i + 2, rest->len - i - 2);
			return found;
		}
	}
	last = ag_str_find(*rest, ';') >= 0 ? *rest : AG_S(""); /* a comment, or nothing */
	*rest = AG_S("");
	return last;
}

static ag_status exec(ag_postgres *s, ag_str text, ag_err *err)
{
	if (ag_fault("store.migrate"))
		return ag_fail(err, AG_IO, ORIGIN, "cannot bring the store up to date (a fault)");
	return ag_postgres_exec(s, text, err);
}

static ag_status run_migration(ag_postgres *s, int64_t number, ag_err *err)
{
	const ag_embedded *m = migration(number);
	ag_str rest = ag_str_make((const char *)m->ptr, m->len), sql;
	char done[100];
	ag_status st = AG_OK;

	while (!st && rest.len) {
		sql = next_statement(&rest);
		if (sql.len)
			st = exec(s, sql, err);
	}
	snprintf(done, sizeof(done),
	         "INSERT INTO " AG_POSTGRES_SCHEMA ".store (argus_schema) VALUES (%lld)",
	         (long long)number);
	return st ? st : exec(s, ag_str_c(done), err);
}

static ag_status run_migrations(ag_db *base, void *arg, bool is_again, ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;
	identity id = { 0 };
	ag_status st = identify(s, &id, true,
	                        err); /* another process may have done it while we waited */

	(void)arg;
	(void)is_again;
	if (!st && !id.is_store)
		st = exec(s, AG_S("CREATE SCHEMA IF NOT EXISTS " AG_POSTGRES_SCHEMA), err);
	if (!st && !id.is_store)
		st = exec(s,
		          AG_S("CREATE TABLE " AG_POSTGRES_SCHEMA
		               ".store (argus_schema BIGINT PRIMARY "
		               "KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())"),
		          err);
	/* New tables go into the first schema; elsewhere that is pg_catalog, so that no table hides a built-in one. */
	if (!st)
		st = exec(s, AG_S("SET LOCAL search_path TO " AG_POSTGRES_SCHEMA ", pg_catalog"),
		          err);
	for (int64_t n = id.version + 1; !st && n <= newest_version(); n++)
		st = run_migration(s, n, err);
	return st;
}

ag_status ag_postgres_has_store(ag_db *base, bool *ret, ag_err *err)
{
	identity id = { 0 };
	ag_status st = identify((ag_postgres *)base, &id, false, err);

	*ret = !st && id.is_store;
	return st;
}

ag_status ag_postgres_migrate(ag_db *base, ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;
	identity id = { 0 };
	ag_status st = identify(s, &id, true, err);

	if (st || id.version >= newest_version())
		return st;
	if (id.is_store && !id.may_make)
		return no_rights(s, "bring the tables up to date", err);
	return ag_db_transact(base, AG_DB_DURABLE, AG_S("schema"), run_migrations, NULL, err);
}

/* --- the handle --- */

/* Statements and settings belong to a session. A pooler that gives it away between transactions gives a second connection the
 * process that has just served the first. One that does not may have none left: then the second is not waited for. */
static ag_status check_pooler(ag_postgres *s, ag_err *err)
{
	const ag_ctx ctx = { .clock = &ag_clock_system,
		             .deadline_ms = ag_clock_mono(&ag_clock_system) + POOLER_MS };
	ag_pg_failure failure = { 0 };
	ag_pg_conn *other = NULL;
	bool is_shared;

	if (!ag_pg_is_pooled(s->pg, s->conn) ||
	    !ag_pg_take(s->pg, &ctx, -1, true, s->arena, &other, &failure))
		return AG_OK;
	is_shared = ag_pg_is_shared(s->conn, other);
	ag_pg_spoil(other);
	ag_pg_give(s->pg, other);
	if (!is_shared)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN,
	        "\"%.*s\" is a pooler that gives a session to others between transactions",
	        AG_FMT(ag_pg_shown(s->pg)));
	return ag_postgres_hint_pooler(err);
}

ag_status ag_postgres_open(ag_str uri, ag_db **ret, ag_err *err)
{
	const ag_pg_opts opts = {
		.schema = AG_S(AG_POSTGRES_SCHEMA),
		.application = AG_S("argus store"),
		.max_connections = MAX_CONNECTIONS,
		.max_send_bytes = 4u * AG_STORE_MAX_BATCH_BYTES,
		.statement_timeout_ms = STATEMENT_MS,
		.wait_timeout_ms = AG_STORE_PATIENCE_MS,
		.connect_timeout_ms = CONNECT_TIMEOUT_MS,
	};
	AG_AUTO(ag_buf_release) ag_buf whole = AG_BUF_INIT(AG_STORE_MAX_TEXT_BYTES + 20);
	const ag_id id = ag_id_new(&ag_clock_system);
	ag_postgres *s = ag_xcalloc(1, sizeof(*s));
	ag_status st;

	memcpy(s->own, id.text + AG_ID_LEN - (sizeof(s->own) - 1), sizeof(s->own) - 1);
	/* A value of the settings ends here without its scheme. */
	ag_buf_adds(&whole, "postgresql:");
	ag_buf_add(&whole, uri);
	s->base.type = &ag_db_postgresql;
	s->patience_ms = AG_STORE_PATIENCE_MS;
	s->waiting.size = sizeof(ag_postgres_call);
	s->arena = ag_arena_new();
	st = ag_pg_open(ag_buf_view(&whole), &opts, &s->pg, err);
	if (!st)
		st = ag_postgres_connect(s, err);
	if (!st)
		st = check_pooler(s, err);
	if (st) {
		ag_db_close(&s->base);
		return st;
	}
	*ret = &s->base;
	return AG_OK;
}

void ag_postgres_close(ag_db *base)
{
	ag_postgres *s = (ag_postgres *)base;

	if (s->conn)
		ag_pg_give(s->pg, s->conn);
	if (s->pg)
		ag_pg_close(s->pg);
	ag_postgres_forget(s);
	ag_rows_release(&s->waiting);
	ag_arena_free(s->arena);
	free(s);
}

/* --- is it whole? --- */

static ag_status ignore_row(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)arg;
	(void)row;
	(void)err;
	return AG_OK;
}

typedef struct holes {
	ag_arena *arena;
	ag_str *faults;
	size_t n;
} holes;

static ag_status take_hole(void *arg, const ag_db_val *row, ag_err *err)
{
	holes *h = arg;

	(void)err;
	if (h->n < MAX_FAULTS)
		h->faults[h->n++] = ag_str_printf(h->arena, "the log of run %.*s has a hole",
		                                  AG_FMT(ag_db_get_view(&row[0])));
	return AG_OK;
}

/* Reads every row, which the server checks when it has checksums, and every value that is kept apart from its row. */
ag_status ag_postgres_check(ag_db *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err)
{
	static const ag_sql reads[] = {
		{ "SELECT count(*), sum(length(payload)), sum(length(type)) FROM events" },
		{ "SELECT count(*), sum(length(summary)) FROM runs" },
		{ "SELECT count(*), sum(length(body)) FROM findings" },
		{ "SELECT count(*), sum(length(body)) FROM reports" },
		{ "SELECT count(*), sum(length(sql)), sum(length(detail)) FROM ledger" },
		{ "SELECT count(*), sum(length(text)) FROM texts" },
		{ "SELECT count(*), sum(length(settings)) FROM projects" },
		{ "SELECT count(*), sum(length(body)) FROM objects" },
		{ "SELECT count(*), sum(versions) FROM artifacts" },
		{ "SELECT count(*), sum(length(code)), sum(length(data)) FROM artifact_versions" },
		{ "SELECT count(*), sum(length(payload)), sum(length(result)) FROM jobs" },
		{ "SELECT count(*), sum(length(payload)) FROM schedules" },
		{ "SELECT count(*), sum(length(body)) FROM index_docs" },
		{ "SELECT count(*), sum(length(words)) FROM index_words" },
	};
	static const ag_sql with_hole = { "SELECT run FROM events GROUP BY run "
		                          "HAVING count(*) <> max(seq) ORDER BY run LIMIT 8" };
	holes h = { arena, ag_new_n(arena, ag_str, MAX_FAULTS), 0 };
	ag_status st = AG_OK;

	for (size_t i = 0; i <= AG_NELEM(reads) && !st; i++) {
		const bool is_last = i == AG_NELEM(reads);
		ag_db_out out = { .on_row = is_last ? take_hole : ignore_row, .arg = &h };
		ag_err why = { 0 };

		st = ag_postgres_run(base, is_last ? &with_hole : &reads[i], AG_DB_NO_ARGS, &out,
		                     &why);
		if (st && ag_postgres_is_damage(&why)) {
			if (h.n < MAX_FAULTS)
				h.faults[h.n++] = ag_str_dup(arena, ag_str_c(why.msg));
			st = AG_OK;
		} else if (st && err) {
			*err = why;
		}
	}
	if (st)
		return st;
	*ret = h.faults;
	*nret = h.n;
	return AG_OK;
}
