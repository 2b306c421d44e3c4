/* files_list -- which data files a path or file:// URI means, and what their collections are called. */
#ifndef AG_DOCUMENTS_FILES_LIST_H
#define AG_DOCUMENTS_FILES_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "columns/table.h"
#include "documents/source.h"

#define AG_FILES_MAX 4096 /* data files in one folder: more is no folder of collections */

typedef struct ag_data_file {
	ag_str path;       /* to open it; NUL-terminated */
	ag_str key;        /* canonical path */
	ag_str name;       /* "orders.ndjson" */
	ag_str collection; /* "orders" */
	ag_str database;   /* base name of the folder */
	ag_format format;  /* by the name, else AUTO */
	bool is_named;     /* the URI is this file, not its folder */
} ag_data_file;

/* "file:/…" in any case */
bool ag_files_is_uri(ag_str uri);
/* For ag_source_base(): the canonical path. */
ag_str ag_files_base(ag_str uri, ag_arena *arena);
/* A file is itself, a folder its data files by name, "-" standard input. errors: AG_NOT_FOUND, AG_DENIED, AG_INVALID, AG_LIMIT,
 * AG_IO, each with the path. */
AG_CHECK ag_status ag_files_list(ag_str uri, ag_arena *arena, ag_data_file **ret, size_t *nret,
                                 ag_err *err);
/* What ag_files_list() leaves out of that folder, by name; nothing for a file. Program text, documentation and pictures
 * are no data and are not listed. errors: as ag_files_list(), but a folder without data files is no error. */
AG_CHECK ag_status ag_files_skipped(ag_str uri, ag_arena *arena, ag_source_skip **ret, size_t *nret,
                                    ag_err *err);

#endif
