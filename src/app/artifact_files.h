/* artifact_files -- the artifacts of a project in a folder or zip archive (artifact/files.h). */
#ifndef AG_APP_ARTIFACT_FILES_H
#define AG_APP_ARTIFACT_FILES_H

#include <stdatomic.h>

#include "artifact/artifact.h"

/* errors  AG_INVALID: names the file; an unsafe name, a symbolic link; AG_LIMIT; AG_NOT_FOUND, AG_IO */
AG_CHECK ag_status ag_app_artifacts_read(ag_str path, const atomic_bool *cancel, ag_arena *arena,
                                         ag_artifact_set *ret, ag_err *err);
/* Into a folder, or an archive when the path ends in .zip. errors  AG_IO, AG_DENIED, AG_LIMIT */
AG_CHECK ag_status ag_app_artifacts_write(ag_str path, const ag_artifact_set *set, ag_arena *arena,
                                          ag_err *err);

#endif
