/* artifacts -- what conversations leave to look at: an artifact, and its versions with code and data.
 *
 * An artifact has the id of its first version. Every id of a version, or its beginning, names the artifact. Versions are
 * never changed: a new one names the version that it was made from. A deleted artifact keeps its versions until
 * ag_store_purge_artifacts(). The meaning of kind, data, queries and figures is their owner's (artifact/artifact.h). */
#ifndef AG_STORE_ARTIFACTS_H
#define AG_STORE_ARTIFACTS_H

#include "store/store.h"

#define AG_ARTIFACT_MAX_ROWS     10000u     /* artifacts of a project */
#define AG_ARTIFACT_MAX_VERSIONS 1000u      /* of an artifact */
#define AG_ARTIFACT_MAX_WALK     100u       /* versions that a history shows */
#define AG_ARTIFACT_MAX_TITLE    2000u      /* bytes: 500 characters */
#define AG_ARTIFACT_MAX_CODE     (1u << 20) /* bytes, also of data, queries and figures */

typedef struct ag_artifact_row {
	ag_str project, id;
	ag_str title; /* as it is called now */
	ag_str kind, thread, author;
	uint64_t nversion;                          /* the newest version's number */
	int64_t created_ms, changed_ms, deleted_ms; /* deleted 0 = it is not */
} ag_artifact_row;

typedef struct ag_artifact_version {
	ag_str id, artifact;
	uint64_t version;
	ag_str parent; /* "" = none */
	ag_str title, description;
	ag_str code, hash;
	ag_str data, queries, figures; /* JSON, "" = none */
	ag_str author;
	int64_t created_ms;
} ag_artifact_version;

/* A new artifact with its first version.
 * errors  AG_INVALID, AG_LIMIT: names the field; AG_CONFLICT: the id exists */
AG_CHECK ag_status ag_store_add_artifact(ag_store *s, const ag_artifact_row *row,
                                         const ag_artifact_version *first, ag_err *err);
/* One more version of an artifact of the project. It gets the version's title.
 * errors  AG_CONFLICT: version is not one more than the newest; AG_NOT_FOUND: no such artifact, or it is deleted */
AG_CHECK ag_status ag_store_add_artifact_version(ag_store *s, ag_str project,
                                                 const ag_artifact_version *v, ag_err *err);
/* All artifacts and versions or none. What is there already must be the same, but for title and times of the artifact.
 * versions: those of rows[0], rows[1] … one after the other, by number.
 * errors  AG_CONFLICT: an id exists with something else */
AG_CHECK ag_status ag_store_import_artifacts(ag_store *s, const ag_artifact_row *rows, size_t n,
                                             const ag_artifact_version *versions, size_t nversion,
                                             uint64_t *ret_nadded, ag_err *err);

/* All of a project, also those that are deleted, newest change first. In arena. */
AG_CHECK ag_status ag_store_artifacts(ag_store *s, ag_str project, ag_arena *arena,
                                      ag_artifact_row **ret, size_t *nret, ag_err *err);
/* By an id of any of its versions, or the beginning of one of at least 4 characters. Deleted ones as well.
 * errors  AG_NOT_FOUND; AG_INVALID: it fits several */
AG_CHECK ag_status ag_store_artifact(ag_store *s, ag_str project, ag_str id, ag_arena *arena,
                                     ag_artifact_row *ret, ag_err *err);
/* version: 0 = the newest. errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_artifact_version(ag_store *s, ag_str project, ag_str artifact,
                                             uint64_t version, ag_arena *arena,
                                             ag_artifact_version *ret, ag_err *err);
/* From the newest along the parents, at most AG_ARTIFACT_MAX_WALK; a circle ends the walk. Without code, data, queries and
 * figures. */
AG_CHECK ag_status ag_store_artifact_history(ag_store *s, ag_str project, ag_str artifact,
                                             ag_arena *arena, ag_artifact_version **ret,
                                             size_t *nret, ag_err *err);
/* All versions as they are, by number. */
AG_CHECK ag_status ag_store_artifact_versions(ag_store *s, ag_str project, ag_str artifact,
                                              ag_arena *arena, ag_artifact_version **ret,
                                              size_t *nret, ag_err *err);
/* Title and times of the row: renames, deletes, undeletes. errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_set_artifact(ag_store *s, const ag_artifact_row *row, ag_err *err);
/* Removes artifacts that were deleted before, with all their versions. */
AG_CHECK ag_status ag_store_purge_artifacts(ag_store *s, int64_t before_ms, uint64_t *ret,
                                            ag_err *err);

#endif
