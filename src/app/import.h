/* import -- a CSV file as a table of a project, for the command line (project/import.h), and the example shop.
 *
 * A project's own database is never written to. */
#ifndef AG_APP_IMPORT_H
#define AG_APP_IMPORT_H

#include "app/app.h"
#include "project/import.h"

#define AG_IMPORT_MAX_BYTES (512u << 20) /* of the CSV file */
#define AG_DEMO_PROJECT     "shop-demo"

typedef struct ag_app_imported {
	ag_import made;
	ag_str project; /* whose chat sees it: the one asked for, or PROJECT-files when that has a database */
	ag_str path;       /* of the SQLite file */
	bool made_project; /* it is new, in the store */
} ag_app_imported;

/* table "" = the name of the file.
 * errors  AG_INVALID: no CSV, a broken line (with its number); AG_LIMIT: file, columns; AG_CONFLICT, AG_TIMEOUT of the file */
AG_CHECK ag_status ag_app_import(ag_app *app, ag_str file, ag_str project, ag_str table,
                                 ag_app_imported *ret, ag_err *err);
/* The folder of the store, which holds the SQLite files (ag_import_path()). In the app's arena. */
AG_CHECK ag_status ag_import_folder(ag_app *app, ag_str *ret, ag_err *err);

/* The example shop as a SQLite file: unpacked on first use, and again when this program has another one. */
AG_CHECK ag_status ag_app_demo_database(ag_app *app, ag_str *ret_path, ag_err *err);

#endif
