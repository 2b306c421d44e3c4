/* import -- a CSV file as a table of a SQLite file that Argus owns for a project.
 *
 * The file is <folder of the store>/tables/PROJECT.sqlite; a project's own database is never written to. The table is
 * there whole or not at all. */
#ifndef AG_PROJECT_IMPORT_H
#define AG_PROJECT_IMPORT_H

#include "columns/table.h"
#include "store/tables.h"

#define AG_IMPORT_MAX_NAME 60u /* characters of a table or column */
#define AG_IMPORT_FIRST    5u  /* rows that the answer shows */

/* What is imported, and where to. */
typedef struct ag_import_what {
	const ag_ctx *ctx;
	ag_arena *arena;    /* of the answer */
	ag_str file;        /* the name of the CSV file */
	ag_str table;       /* ag_import_table_name() */
	ag_str path;        /* of the SQLite file */
	uint64_t max_bytes; /* that the SQLite file may have afterwards; 0 = no limit */
	size_t max_tables;  /* the same of its tables */
} ag_import_what;

typedef struct ag_import {
	ag_str table;
	const ag_tables_column *columns;
	const ag_str *headings; /* of the columns, as the file has them */
	size_t ncolumn;
	const ag_cell *first; /* the first rows, ncolumn cells each */
	size_t nfirst;        /* at most AG_IMPORT_FIRST */
	uint64_t nrow, short_rows;
	bool replaced;   /* a table of that name was there */
	size_t nrenamed; /* columns whose name was changed */
} ag_import;

/* The bytes of a CSV file, which are read only while it runs.
 * errors  AG_INVALID: the fault is in the file; of a broken record with line and column. AG_LIMIT: its columns, max_bytes,
 *         max_tables. AG_CONFLICT, AG_TIMEOUT, AG_IO, AG_DENIED of the SQLite file: messages name its path */
AG_CHECK ag_status ag_import_bytes(const ag_import_what *what, ag_str bytes, ag_import *ret,
                                   ag_err *err);
/* The same of a file that is loaded. */
AG_CHECK ag_status ag_import_loaded(const ag_import_what *what, const ag_table *table,
                                    ag_import *ret, ag_err *err);
/* A name as an identifier: lower case, at most AG_IMPORT_MAX_NAME characters of letters, digits and "_"; "col_" before a digit.
 * In arena; "" when nothing is left. */
ag_str ag_import_name(ag_str name, ag_arena *arena);
/* That of `table`, or when it is "" of the file's name without its ending. */
ag_str ag_import_table_name(ag_str table, ag_str file, ag_arena *arena);
/* The SQLite file of a project. */
ag_str ag_import_path(ag_str folder, ag_str project, ag_arena *arena);

#endif
