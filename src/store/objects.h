/* objects -- what a project keeps beside its runs: rows with a kind, a name and a body whose meaning their owner knows
 * (knowledge/object.h).
 *
 * An object is known by project, kind and key. The key is the SHA-256 of whatever makes it one object of its kind, so that
 * a second one cannot exist. Changes are optimistic: who writes names the version that he read. */
#ifndef AG_STORE_OBJECTS_H
#define AG_STORE_OBJECTS_H

#include "store/store.h"

#define AG_OBJECT_MAX_NAME 8192u      /* bytes */
#define AG_OBJECT_MAX_BODY (1u << 20) /* bytes of one body */
#define AG_OBJECT_MAX_ROWS 100000u    /* of one project */
#define AG_OBJECT_KEY_LEN  64u        /* hex digits */

typedef struct ag_object_row {
	ag_str project, kind, key;
	ag_str name, status, author;
	double confidence; /* 0 to 1 */
	uint64_t uses;
	uint64_t version; /* of what is stored; 0 = it is new */
	int64_t created_ms, changed_ms, used_ms;
	ag_str body; /* one JSON object */
} ag_object_row;

/* How a project's objects are: another value than before when any was added, changed or removed. Uses do not count. */
typedef struct ag_object_stamp {
	uint64_t nrow, versions;
	int64_t changed_ms;
} ag_object_stamp;

/* Writes all rows or none. A row's version is the one that was read: 0 inserts, another one replaces that version and
 * becomes one more. The time of creation is kept.
 * errors  AG_CONFLICT: an object of that key exists, or has another version; AG_INVALID: names the field; AG_LIMIT */
AG_CHECK ag_status ag_store_put_objects(ag_store *s, const ag_object_row *rows, size_t n,
                                        ag_err *err);
/* kind "" = of every kind. By kind, then name. */
AG_CHECK ag_status ag_store_objects(ag_store *s, ag_str project, ag_str kind, ag_arena *arena,
                                    ag_object_row **ret, size_t *nret, ag_err *err);
/* By the key, or a beginning of it of at least 4 digits.
 * errors  AG_NOT_FOUND; AG_INVALID: it fits several */
AG_CHECK ag_status ag_store_object(ag_store *s, ag_str project, ag_str kind, ag_str key,
                                   ag_arena *arena, ag_object_row *ret, ag_err *err);
AG_CHECK ag_status ag_store_drop_object(ag_store *s, ag_str project, ag_str kind, ag_str key,
                                        ag_err *err); /* AG_NOT_FOUND */
/* Counts a use of each; keys that are gone are passed over. */
AG_CHECK ag_status ag_store_use_objects(ag_store *s, ag_str project, ag_str kind,
                                        const ag_str *keys, size_t n, int64_t at_ms, ag_err *err);
AG_CHECK ag_status ag_store_object_stamp(ag_store *s, ag_str project, ag_object_stamp *ret,
                                         ag_err *err);

#endif
