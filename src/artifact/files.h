/* files -- artifacts with all their versions as files of a folder or archive:
 *
 *   0190c3e2-…/artifact.json   {"id","title","type","thread","author","versions","created_at_ms","changed_at_ms"}
 *   0190c3e2-…/v1.json         {"id","version","parent","title","description","sha256","data","source_queries","figures",
 *                               "author","created_at_ms"}
 *   0190c3e2-…/v1.code         the code, as it is
 *
 * What was written is read back as the same. */
#ifndef AG_ARTIFACT_FILES_H
#define AG_ARTIFACT_FILES_H

#include "artifact/artifact.h"
#include "knowledge/zip.h"

/* In arena. */
void ag_artifact_files_write(const ag_artifact_set *set, ag_arena *arena, ag_zip_file **ret,
                             size_t *nret);
/* Names and shape; ag_artifact_set_check() looks at the rest.
 * errors  AG_INVALID: names the file, and what is missing or wrong; AG_NOT_FOUND: there is no artifact in them */
AG_CHECK ag_status ag_artifact_files_read(const ag_zip_file *files, size_t n, ag_arena *arena,
                                          ag_artifact_set *ret, ag_err *err);

#endif
