/* tables -- a SQLite file of tables that Argus owns: what was imported for a project, the example shop.
 *
 * One transaction from open to commit: a reader sees all of it or nothing, also after a crash. The file has an application id
 * of its own, so no other database is ever written to. One thread. */
#ifndef AG_STORE_TABLES_H
#define AG_STORE_TABLES_H

#include "base/arena.h"
#include "base/err.h"

#define AG_TABLES_MAX_COLUMNS 2000u /* SQLite's own limit */

typedef struct ag_tables ag_tables;

typedef enum ag_cell_kind { AG_CELL_NULL, AG_CELL_INT, AG_CELL_REAL, AG_CELL_TEXT } ag_cell_kind;

typedef struct ag_cell {
	ag_cell_kind kind;
	int64_t i;
	double f;
	ag_str s; /* borrowed */
} ag_cell;

typedef struct ag_tables_column {
	ag_str name;
	const char *type; /* as SQLite declares it: "INTEGER" */
} ag_tables_column;

/* Makes the file, and its folders, when it is not there; begins the transaction.
 * errors  AG_CONFLICT: a file that is not ours; AG_TIMEOUT: another process writes; AG_IO, AG_DENIED */
AG_CHECK ag_status ag_tables_open(ag_str path, ag_tables **ret, ag_err *err);
/* Limits of the file, 0 = none: bytes that it may have when it is committed, and tables. Before ag_tables_create().
 * The calls after it fail with AG_LIMIT. */
AG_CHECK ag_status ag_tables_limit(ag_tables *t, uint64_t max_bytes, size_t max_tables,
                                   ag_err *err);
/* An empty table; one of that name is replaced. Rows that are added go there. */
AG_CHECK ag_status ag_tables_create(ag_tables *t, ag_str name, const ag_tables_column *columns,
                                    size_t n, bool *ret_replaced, ag_err *err);
/* The table of that name, and its rows, are gone. errors  AG_INVALID: the name */
AG_CHECK ag_status ag_tables_drop(ag_tables *t, ag_str name, bool *ret_was_there, ag_err *err);
/* One cell for each column. */
AG_CHECK ag_status ag_tables_add(ag_tables *t, const ag_cell *cells, ag_err *err);
/* Statements as text. */
AG_CHECK ag_status ag_tables_script(ag_tables *t, const char *sql, ag_err *err);
AG_CHECK ag_status ag_tables_commit(ag_tables *t, ag_err *err);
/* What was not committed is gone; so is a file that was made for it. Accepts NULL, returns NULL. */
ag_tables *ag_tables_close(ag_tables *t);

#endif
