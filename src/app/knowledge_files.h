/* knowledge_files -- a project's knowledge as files: a folder or a zip archive of Markdown, a single file, a schema.yml of
 * dbt, the comments of a database. */
#ifndef AG_APP_KNOWLEDGE_FILES_H
#define AG_APP_KNOWLEDGE_FILES_H

#include <stdatomic.h>

#include "knowledge/dbt.h"
#include "knowledge/zip.h"
#include "sql/dictionary.h"

#define AG_KNOW_MAX_FILES 20000u

/* The files of a folder or archive whose names are wanted, by relative name; a single file is one. In arena.
 * errors  AG_INVALID: a symbolic link, an unsafe name; AG_LIMIT; AG_NOT_FOUND, AG_IO */
AG_CHECK ag_status ag_app_files_read(ag_str path, bool (*is_wanted_name)(ag_str name),
                                     const atomic_bool *cancel, ag_arena *arena, ag_zip_file **ret,
                                     size_t *nret, ag_err *err);

/* What the path holds, by what it is: a folder, an archive, .yml and .yaml of dbt, else one Markdown file. Files whose name
 * begins with a dot, or that end neither in .md, .yml nor .yaml, are left out. *ret_is_own: it is of argus knowledge export,
 * or a person wrote it so: all of each object is in it.
 * errors  AG_INVALID: names file, line and field; a symbolic link, an unsafe name; AG_LIMIT; AG_NOT_FOUND, AG_IO */
AG_CHECK ag_status ag_app_knowledge_read(ag_str path, int64_t now_ms, const atomic_bool *cancel,
                                         ag_arena *arena, ag_know_source *ret, bool *ret_is_own,
                                         ag_err *err);
/* A new or empty folder, or one of an earlier export; or an archive, when the path ends in .zip.
 * errors  AG_IO, AG_DENIED, AG_LIMIT */
AG_CHECK ag_status ag_app_knowledge_write(ag_str path, const ag_know *list, size_t n,
                                          ag_arena *arena, ag_err *err);
/* What the database says about its tables and columns: notes. */
AG_CHECK ag_status ag_app_knowledge_comments(const ag_dictionary *d, int64_t now_ms,
                                             ag_arena *arena, ag_know_source *ret, ag_err *err);

#endif
