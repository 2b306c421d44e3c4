/* import -- a CSV file as a table of a SQLite file that Argus owns for a project, and the example shop.
 *
 * The file is <folder of the store>/tables/PROJECT.sqlite; a project's own database is never written to. The table is
 * there whole or not at all. */
#ifndef AG_APP_IMPORT_H
#define AG_APP_IMPORT_H

#include "app/app.h"
#include "store/tables.h"

#define AG_IMPORT_MAX_BYTES (512u << 20) /* of the CSV file */
#define AG_IMPORT_MAX_NAME  60u          /* characters of a table or column */
#define AG_DEMO_PROJECT     "shop-demo"

typedef struct ag_import {
	ag_str project; /* whose chat sees it: the one asked for, or PROJECT-files when that has a database */
	ag_str path, table;
	const ag_tables_column *columns;
	size_t ncolumn;
	uint64_t nrow, short_rows;
	bool replaced;     /* a table of that name was there */
	bool made_project; /* it is new, in the store */
	size_t nrenamed;   /* columns whose name was changed */
} ag_import;

/* table "" = the name of the file.
 * errors  AG_INVALID: no CSV, a broken line (with its number); AG_LIMIT: file, columns; AG_CONFLICT, AG_TIMEOUT of the file */
AG_CHECK ag_status ag_app_import(ag_app *app, ag_str file, ag_str project, ag_str table,
                                 ag_import *ret, ag_err *err);
/* A name as an identifier: lower case, at most AG_IMPORT_MAX_NAME characters of letters, digits and "_"; "col_" before a digit.
 * In arena; "" when nothing is left. */
ag_str ag_import_name(ag_str name, ag_arena *arena);

/* The example shop as a SQLite file: unpacked on first use, and again when this program has another one. */
AG_CHECK ag_status ag_app_demo_database(ag_app *app, ag_str *ret_path, ag_err *err);

#endif
