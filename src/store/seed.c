/* Reading the older system's tables, in one transaction that only reads. The tables are in any schema; argus's own views of
 * the same names are not meant. */
#include "store/seed.h"

#include "store/parts.h"

#define ORIGIN "store.seed"

enum { SCHEMA, USE_SCHEMA, IDS, ONE };

/* Not portable: that system had PostgreSQL only. */
static const ag_sql sql[] = {
	[SCHEMA] = { "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
	             "WHERE c.relname = 'argus_reports' AND c.relkind IN ('r', 'p') "
	             "ORDER BY n.nspname = 'public' DESC, n.nspname LIMIT 1" },
	[USE_SCHEMA] = { "SELECT set_config('search_path', 'pg_catalog,' || quote_ident($1), true)" },
	[IDS] = { "SELECT CAST(id AS TEXT) FROM argus_reports ORDER BY run_at, CAST(id AS TEXT)" },
	[ONE] = { "SELECT CAST(extract(epoch FROM run_at) * 1000 AS BIGINT), "
	          "CAST(to_jsonb(r) AS TEXT), "
	          "coalesce((SELECT CAST(jsonb_agg(to_jsonb(f) ORDER BY created_at, CAST(id AS TEXT)) "
	          "AS TEXT) FROM argus_findings f WHERE f.report_id = r.id), '[]'), "
	          "coalesce((SELECT CAST(jsonb_agg(to_jsonb(d) ORDER BY created_at, CAST(id AS TEXT)) "
	          "AS TEXT) FROM argus_dismissed_findings d WHERE d.report_id = r.id), '[]'), "
	          "coalesce((SELECT CAST(jsonb_agg(to_jsonb(e) ORDER BY created_at, CAST(id AS TEXT)) "
	          "AS TEXT) FROM argus_evaluation_records e WHERE e.report_id = r.id), '[]') "
	          "FROM argus_reports r WHERE CAST(r.id AS TEXT) = $1" },
};

typedef struct name {
	ag_arena *arena;
	ag_str text;
} name;

static ag_status take_name(void *arg, const ag_db_val *row, ag_err *err)
{
	name *n = arg;

	(void)err;
	n->text = ag_db_get_text(&row[0], n->arena);
	return AG_OK;
}

static ag_status ignore_row(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)arg;
	(void)row;
	(void)err;
	return AG_OK;
}

static ag_status find_tables(ag_db *db, ag_arena *arena, ag_err *err)
{
	name schema = { .arena = arena };
	ag_db_out out = { .on_row = take_name, .arg = &schema };
	ag_db_out ignored = { .on_row = ignore_row };
	ag_status st = ag_db_run(db, &sql[SCHEMA], AG_DB_NO_ARGS, &out, err);

	if (!st && !schema.text.len) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "the database has no table argus_reports");
		return ag_err_hint(err,
		                   "name the database that POSTGRES_URL of the older system named; "
		                   "a store of Argus is copied by \"argus store copy\"");
	}
	return st ? st
	          : ag_db_run(db, &sql[USE_SCHEMA], AG_DB_ARGS(ag_db_text(schema.text)), &ignored,
	                      err);
}

static ag_status take_id(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_str *id = ag_rows_add(&r->rows);

	*id = ag_db_get_text(&row[0], r->arena);
	r->nbyte += id->len + sizeof(*id);
	return ag_reading_check(r, err);
}

typedef struct one {
	ag_arena *arena;
	ag_seed_report report;
	bool is_there;
} one;

static ag_status take_one(void *arg, const ag_db_val *row, ag_err *err)
{
	one *o = arg;

	(void)err;
	o->report.run_at_ms = ag_db_get_int(&row[0]);
	o->report.report = ag_db_get_text(&row[1], o->arena);
	o->report.findings = ag_db_get_text(&row[2], o->arena);
	o->report.dismissed = ag_db_get_text(&row[3], o->arena);
	o->report.evaluations = ag_db_get_text(&row[4], o->arena);
	o->is_there = true;
	return AG_OK;
}

static ag_status read_all(ag_db *db,
                          ag_status (*take)(void *arg, const ag_seed_report *r, ag_err *err),
                          void *arg, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_reading_release)
	ag_reading ids = { .rows = { .size = sizeof(ag_str) },
		           .arena = arena,
		           .what = "the list of reports is" };
	ag_db_out out = { .on_row = take_id, .arg = &ids };
	ag_status st = find_tables(db, arena, err);

	if (!st)
		st = ag_db_run(db, &sql[IDS], AG_DB_NO_ARGS, &out, err);
	for (size_t i = 0; i < ids.rows.n && !st; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
		one o = { .arena = scratch };
		ag_db_out one_out = { .on_row = take_one, .arg = &o };

		o.report.id = ((const ag_str *)(void *)ids.rows.ptr)[i];
		st = ag_db_run(db, &sql[ONE], AG_DB_ARGS(ag_db_text(o.report.id)), &one_out, err);
		if (!st && o.is_there)
			st = take(arg, &o.report, err);
	}
	return st;
}

ag_status ag_seed_read(ag_str uri,
                       ag_status (*take)(void *arg, const ag_seed_report *r, ag_err *err),
                       void *arg, ag_err *err)
{
	ag_db *db = NULL;
	ag_status st;

	if (!ag_str_starts(uri, AG_S("postgres"))) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the older system kept its reports in PostgreSQL only");
		return ag_err_hint(err, "write postgresql://user@host:5432/database");
	}
	st = ag_db_open_only(uri, &db, err);
	if (st)
		return st;
	st = ag_db_begin(db, AG_DB_READ, AG_S("seed"), err);
	if (!st)
		st = read_all(db, take, arg, err);
	db->type->rollback(db);
	ag_db_close(db);
	return st;
}
