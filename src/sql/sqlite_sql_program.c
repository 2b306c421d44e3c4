/* What a compiled statement really opens, read from its program (EXPLAIN), by the page that a table or index begins at.
 *
 * SQLite does not report every table to the authorizer: SELECT k FROM (SELECT 'x' AS k) FULL JOIN t USING (k) gives every value of t.k
 * and no call names t (SQLite 3.40.1; NATURAL JOIN is alike). Nothing is read without a cursor, so the cursors are the
 * proof, and they distinguish a CTE from a table of the same name. A virtual table is known by its object, which EXPLAIN shows. */
#include "sql/sqlite_sql.h"

#include <stdio.h>

static ag_str text_at(sqlite3_stmt *stmt, int column)
{
	return ag_str_c((const char *)sqlite3_column_text(stmt, column));
}

/* --- the map --- */

static ag_str table_at(const ag_sqlite_conn *c, int64_t page)
{
	for (size_t i = 0; i < c->nroot; i++)
		if (c->roots[i].page == page)
			return c->roots[i].table;
	return page == 1 ? AG_S("sqlite_schema") : AG_S("");
}

static ag_str table_of(const ag_sqlite_conn *c, ag_str object)
{
	for (size_t i = 0; i < c->nrelation; i++)
		if (c->relations[i].object.len && ag_str_eq(c->relations[i].object, object))
			return c->relations[i].name;
	return AG_S("");
}

static int read_roots(ag_sqlite_conn *c)
{
	sqlite3_stmt *stmt = NULL;
	size_t cap = 0;
	int rc = sqlite3_prepare_v2(
		c->db, "SELECT rootpage, tbl_name FROM main.sqlite_schema WHERE rootpage > 0", -1,
		&stmt, NULL);

	c->nroot = 0;
	c->roots = NULL;
	while (!rc && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (c->nroot == cap) {
			ag_sqlite_root *more;

			cap = cap ? 2 * cap : 32;
			more = ag_new_n(c->names, ag_sqlite_root, cap);
			if (c->nroot)
				memcpy(more, c->roots, c->nroot * sizeof(*more));
			c->roots = more;
		}
		c->roots[c->nroot++] = (ag_sqlite_root){
			.page = sqlite3_column_int64(stmt, 0),
			.table = ag_str_dup(c->names, text_at(stmt, 1)),
		};
		rc = SQLITE_OK;
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A virtual table reads and compiles for itself when it is first met: that shall be now, not while a user's statement is
 * judged. One that cannot be opened says so when it is asked. */
static ag_str connect_virtual(ag_sqlite_conn *c, ag_str name)
{
	char *sql = sqlite3_mprintf("EXPLAIN SELECT * FROM \"%w\"", ag_str_cstr(c->names, name));
	sqlite3_stmt *stmt = NULL;
	ag_str object = AG_S("");

	if (sql)
		sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL);
	while (stmt && sqlite3_step(stmt) == SQLITE_ROW)
		if (ag_str_eqc(text_at(stmt, 1), "VOpen"))
			object = ag_str_dup(c->names, text_at(stmt, 5));
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return object;
}

int ag_sqlite_program_map(ag_sqlite_conn *c)
{
	static const char *const own[] = { "json_each", "json_tree" };

	for (size_t i = 0; i < AG_NELEM(own); i++)
		if (!ag_sqlite_conn_relation(c, ag_str_c(own[i])))
			c->own_objects[i] = connect_virtual(c, ag_str_c(own[i]));
		else
			c->own_objects[i] = AG_S("");
	for (size_t i = 0; i < c->nrelation; i++)
		if (c->relations[i].kind == 'V')
			c->relations[i].object = connect_virtual(c, c->relations[i].name);
	return read_roots(c);
}

/* --- the program --- */

static bool is_own_object(const ag_sqlite_conn *c, ag_str object)
{
	for (size_t i = 0; i < AG_NELEM(c->own_objects); i++)
		if (c->own_objects[i].len && ag_str_eq(c->own_objects[i], object))
			return true;
	return false;
}

/* addr, opcode, p1, p2, p3, p4: what one instruction opens, judged; true when it may. */
static bool check_one(ag_sqlite_conn *c, sqlite3_stmt *stmt)
{
	ag_str opcode = text_at(stmt, 1);

	if (ag_str_eqc(opcode, "OpenRead") || ag_str_eqc(opcode, "ReopenIdx")) {
		bool is_main = sqlite3_column_int(stmt, 4) == 0;

		return ag_sqlite_opens(c, is_main ? table_at(c, sqlite3_column_int64(stmt, 3))
		                                  : AG_S(""));
	}
	if (ag_str_eqc(opcode, "VOpen")) {
		ag_str object = text_at(stmt, 5);

		return is_own_object(c, object) || ag_sqlite_opens(c, table_of(c, object));
	}
	return !ag_str_eqc(opcode, "OpenWrite") || ag_sqlite_opens(c, AG_S(""));
}

int ag_sqlite_program_check(ag_sqlite_conn *c, ag_str sql)
{
	ag_str text = ag_str_printf(c->arena, "EXPLAIN %.*s", AG_FMT(sql));
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db, text.ptr, (int)text.len + 1, &stmt, NULL);

	while (!rc && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		rc = check_one(c, stmt) ? SQLITE_OK : SQLITE_AUTH;
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}
