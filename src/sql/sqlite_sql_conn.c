/* One connection, one read transaction: it begins before a statement is judged, so that what the authorizer saw is what is
 * read. */
#include <poll.h>
#include <stdlib.h>

#include "sql/sqlite_sql.h"

/* Operations of SQLite's machine between two looks at the parent's flag. Most take nanoseconds; a function that takes seconds
 * ends with the process. */
#define TICK_OPS 200
/* A reader that meets a writer's lock tries again so soon. */
#define BUSY_MS 2

/* --- what stops a statement --- */

bool ag_sqlite_must_stop(ag_sqlite_conn *c)
{
	if (atomic_load_explicit(c->owner->stop, memory_order_relaxed) != AG_SQLITE_GO)
		c->is_stopped = true;
	return c->is_stopped;
}

static int on_progress(void *conn)
{
	return ag_sqlite_must_stop(conn);
}

static int on_busy(void *conn, int ntry)
{
	ag_sqlite_conn *c = conn;

	if ((int64_t)ntry * BUSY_MS > c->owner->opts->wait_timeout_ms || ag_sqlite_must_stop(c))
		return 0;
	poll(NULL, 0, BUSY_MS);
	return 1;
}

/* --- begin and end --- */

static int step_once(sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt), again = sqlite3_reset(stmt);

	return rc == SQLITE_ROW || rc == SQLITE_DONE ? again : rc;
}

/* BEGIN alone takes no lock: the first read does, and holds it. */
static int begin(ag_sqlite_conn *c)
{
	int rc = step_once(c->begin), version = 0, again;

	if (rc)
		return rc;
	c->is_reading = true;
	rc = sqlite3_step(c->version);
	if (rc == SQLITE_ROW)
		version = sqlite3_column_int(c->version, 0);
	again = sqlite3_reset(c->version);
	if (rc != SQLITE_ROW)
		return again ? again : SQLITE_CORRUPT;
	if (c->schema_version == version)
		return SQLITE_OK;
	ag_sqlite_forget_last(c);
	rc = ag_sqlite_conn_relations(c);
	if (!rc)
		c->schema_version = version;
	return rc;
}

bool ag_sqlite_sql_begin(ag_sqlite_sql *s, ag_arena *arena, ag_sqlite_conn **ret,
                         ag_sql_failure *ret_failure)
{
	ag_sqlite_conn *c = s->conn;
	int rc;

	if (c && !ag_sqlite_conn_is_current(c)) {
		ag_sqlite_conn_close(c);
		c = NULL;
	}
	if (!c)
		ag_sqlite_conn_open(s, arena, &c, ret_failure);
	s->conn = c;
	if (!c)
		return false;
	c->phase = AG_SQLITE_OWN;
	c->is_stopped = false;
	sqlite3_progress_handler(c->db, TICK_OPS, on_progress, c);
	sqlite3_busy_handler(c->db, on_busy, c);
	rc = begin(c);
	if (rc) {
		ag_sqlite_failure(c, rc, AG_S(""), arena, ret_failure);
		c->must_close = true;
		AG_IGNORE(!ag_sqlite_sql_end(c), "nothing was read");
		return false;
	}
	*ret = c;
	return true;
}

bool ag_sqlite_sql_end(ag_sqlite_conn *c)
{
	ag_sqlite_sql *s = c->owner;
	bool is_good = true;

	c->phase = AG_SQLITE_OWN;
	/* The statement has ended: nothing may stop the rollback. */
	sqlite3_progress_handler(c->db, 0, NULL, NULL);
	c->is_stopped = false;
	if (c->is_reading && step_once(c->end))
		c->must_close = true;
	c->is_reading = false;
	if (c->way == AG_SQLITE_IMMUTABLE)
		is_good = ag_sqlite_conn_is_current(c) || c->must_close;
	/* A joined one would keep the writer from tidying up; one that failed is not trusted. */
	if (c->way == AG_SQLITE_JOINED || c->must_close || !is_good) {
		ag_sqlite_conn_close(c);
		s->conn = NULL;
	}
	return is_good;
}

/* --- what is in the schema --- */

static int read_relations(ag_sqlite_conn *c, sqlite3_stmt *stmt)
{
	size_t cap = 0;
	int rc;

	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		const char *type = (const char *)sqlite3_column_text(stmt, 1);

		if (!name || !type)
			return SQLITE_NOMEM;
		if (c->nrelation == cap) {
			ag_sqlite_relation *more;

			cap = cap ? 2 * cap : 32;
			more = ag_new_n(c->names, ag_sqlite_relation, cap);
			if (c->nrelation)
				memcpy(more, c->relations, c->nrelation * sizeof(*more));
			c->relations = more;
		}
		c->relations[c->nrelation++] = (ag_sqlite_relation){
			.name = ag_str_dup(c->names, ag_str_c(name)),
			.kind = strcmp(type, "virtual") == 0 ? 'V' : type[0],
			.declared = ag_str_dup(
				c->names, ag_str_c((const char *)sqlite3_column_text(stmt, 2))),
		};
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int ag_sqlite_conn_relations(ag_sqlite_conn *c)
{
	static const char *const steps[] = {
		/* Makes SQLite look at the schema again; PRAGMA schema_version does not. */
		"SELECT count(*) FROM main.sqlite_schema",
		"SELECT l.name, l.type, s.sql FROM pragma_table_list l LEFT JOIN main.sqlite_schema s"
		" ON s.type = 'table' AND s.name = l.name AND l.type = 'virtual' WHERE l.schema = 'main'",
	};
	int rc = SQLITE_OK;

	ag_arena_free(c->names);
	c->names = ag_arena_new();
	c->relations = NULL;
	c->nrelation = 0;
	for (size_t i = 0; !rc && i < AG_NELEM(steps); i++) {
		sqlite3_stmt *stmt = NULL;

		rc = sqlite3_prepare_v2(c->db, steps[i], -1, &stmt, NULL);
		if (!rc)
			rc = i ? read_relations(c, stmt) : step_once(stmt);
		sqlite3_finalize(stmt);
	}
	return rc ? rc : ag_sqlite_program_map(c);
}

const ag_sqlite_relation *ag_sqlite_conn_relation(const ag_sqlite_conn *c, ag_str name)
{
	for (size_t i = 0; i < c->nrelation; i++)
		if (ag_str_ieq(c->relations[i].name, name))
			return &c->relations[i];
	return NULL;
}
