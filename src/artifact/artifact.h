/* artifact -- charts, pages and texts that a conversation leaves for others to open: save, list, show, query, change.
 *
 * This header is all that a page, a command or a server needs; nothing here draws. Each function with a place is governed like
 * a call of a tool: role, scope and limits are checked, and its row is in the audit table. A viewer may list, look and query
 * the data; an analyst may save, rename, and delete what he made; an admin may delete what others made.
 *
 * An artifact has versions that never change (store/artifacts.h). A source query of a version is judged by the guard when it
 * is saved, and again, with the caller's limits, each time it is run. A deleted artifact comes back with undelete for 30 days. */
#ifndef AG_ARTIFACT_ARTIFACT_H
#define AG_ARTIFACT_ARTIFACT_H

#include "knowledge/knowledge.h"
#include "query/value.h"
#include "store/artifacts.h"

#define AG_ARTIFACT_TITLE_CHARS       500u
#define AG_ARTIFACT_DESCRIPTION_CHARS 2000u
#define AG_ARTIFACT_CODE_BYTES        (512u << 10)
#define AG_ARTIFACT_DATA_BYTES        (1u << 20) /* as JSON */
#define AG_ARTIFACT_DATA_DEPTH        32u
#define AG_ARTIFACT_MAX_QUERIES       16u
#define AG_ARTIFACT_QUERY_NAME_CHARS  64u
#define AG_ARTIFACT_QUERY_BYTES       (32u << 10)
#define AG_ARTIFACT_KEPT_MS           (INT64_C(30) * 24 * 3600 * 1000) /* deleted, but not for good */

typedef enum ag_artifact_kind {
	AG_ARTIFACT_REACT,
	AG_ARTIFACT_PLOTLY,
	AG_ARTIFACT_HTML,
	AG_ARTIFACT_MARKDOWN,
	AG_ARTIFACT_SVG,
	AG_ARTIFACT_NKIND
} ag_artifact_kind;

const char *ag_artifact_kind_name(ag_artifact_kind k); /* "react" */
bool ag_artifact_kind_read(ag_str name, ag_artifact_kind *ret);

/* One artifact with one of its versions. Texts in the caller's arena. */
typedef struct ag_artifact {
	ag_artifact_row row;
	ag_artifact_version version;
	ag_artifact_kind kind;
} ag_artifact;

/* --- saving --- */

/* Looks at the figures of an artifact. The result is one JSON object, kept with the version:
 *   {"checked":true,"proven":12,"unproven":[{"where":"description","text":"42","critique":"…"}]}
 * or {"checked":false,"why":"…"}. *ret_critique: for the model, "" = nothing to mend. */
typedef struct ag_artifact_prover {
	ag_str (*prove)(void *self, const ag_artifact *a, ag_arena *arena, ag_str *ret_critique);
	void *self;
} ag_artifact_prover;

/* What is to be saved. */
typedef struct ag_artifact_draft {
	ag_str id; /* "" = a new artifact; else one more version of this one */
	ag_str title, kind, code,
		description;          /* of a version: "" = as before; the kind never changes */
	const ag_val *data, *queries; /* NULL: none; of a version: as before */
	ag_str thread;                /* the conversation; "" = none */
} ag_artifact_draft;

typedef struct ag_artifact_saved {
	ag_artifact artifact;
	ag_str previous; /* id of the version before; "" = there is none */
	bool is_same;    /* nothing was different: no version was made */
	ag_str critique; /* of its figures; "" = nothing to mend */
} ag_artifact_saved;

/* A call of a tool that was admitted. */
typedef struct ag_artifact_saver {
	ag_project_hub *hub;
	const ag_ctx *ctx;
	ag_project_call *call;
	const ag_artifact_prover *prover; /* NULL: its figures are not looked at */
} ag_artifact_saver;

/* Checks, in this order: kind, code, title; then limits; then the guard judges each query. Nothing is saved unless all is.
 * errors  AG_INVALID, AG_LIMIT: name the field; AG_NOT_FOUND: the id; AG_CONFLICT: another version came meanwhile; of the
 *         store */
AG_CHECK ag_status ag_artifact_save(const ag_artifact_saver *s, const ag_artifact_draft *d,
                                    ag_arena *arena, ag_artifact_saved *ret, ag_err *err);
/* The same as a call of its own. */
AG_CHECK ag_status ag_artifact_put(const ag_know_place *p, const ag_artifact_draft *d,
                                   ag_arena *arena, ag_artifact_saved *ret, ag_err *err);

/* --- looking --- */

typedef struct ag_artifact_list_opts {
	ag_str search; /* part of a title, in any case; "" = all */
	bool deleted;  /* those that are deleted and can come back, instead of the others */
	size_t limit;  /* 0 = all */
} ag_artifact_list_opts;

typedef struct ag_artifact_listing {
	ag_artifact_row *rows; /* newest change first */
	size_t n, total;       /* total: how many fit, before the limit */
} ag_artifact_listing;

AG_CHECK ag_status ag_artifact_list(const ag_know_place *p, const ag_artifact_list_opts *o,
                                    ag_arena *arena, ag_artifact_listing *ret, ag_err *err);
/* The same inside a call that was admitted. */
AG_CHECK ag_status ag_artifact_rows(ag_store *s, ag_str project, const ag_artifact_list_opts *o,
                                    int64_t now_ms, ag_arena *arena, ag_artifact_listing *ret,
                                    ag_err *err);
/* id: of any version, or the beginning of one. version: 0 = the newest. A deleted one is not found.
 * errors  AG_NOT_FOUND; AG_INVALID: the beginning fits several */
AG_CHECK ag_status ag_artifact_get(const ag_know_place *p, ag_str id, uint64_t version,
                                   ag_arena *arena, ag_artifact *ret, ag_err *err);
/* From the newest version along the parents, without bodies: at most AG_ARTIFACT_MAX_WALK. */
AG_CHECK ag_status ag_artifact_history(const ag_know_place *p, ag_str id, ag_arena *arena,
                                       ag_artifact_row *ret_row, ag_artifact_version **ret,
                                       size_t *nret, ag_err *err);

void ag_artifact_row_json(const ag_artifact_row *r, ag_jw *w);
/* Begins an object with its members; the caller ends it. */
void ag_artifact_json(const ag_artifact *a, ag_jw *w);

/* --- data --- */

typedef struct ag_artifact_source {
	ag_str name, sql;
} ag_artifact_source;

/* The source queries of a version. Returns how many. */
size_t ag_artifact_sources(const ag_artifact *a, ag_arena *arena, ag_artifact_source **ret);

/* What a source query gave. */
typedef struct ag_artifact_result {
	ag_str name;
	ag_str error;         /* "" = it gave rows: */
	ag_val columns, rows; /* ARRAY of names; ARRAY of ARRAYs */
	uint64_t row_count;
	bool is_cut;    /* there are more rows */
	bool is_cached; /* of a query less than a minute ago */
	int64_t at_ms;  /* when it was read, wall time */
} ag_artifact_result;

/* Keeps results for 60 s, by version and hash of the query; errors never. For all threads of a process. */
typedef struct ag_artifact_cache ag_artifact_cache;
ag_artifact_cache *ag_artifact_cache_new(const ag_clock *clock);
ag_artifact_cache *ag_artifact_cache_free(ag_artifact_cache *c); /* accepts NULL, returns NULL */

/* Runs the source queries of an artifact at the same time, as the caller. A query that fails has its error; the others
 * go on. cache: NULL = none.
 * errors  AG_DENIED; AG_UNAVAILABLE: nothing is run that is not recorded */
AG_CHECK ag_status ag_artifact_query(const ag_know_place *p, const ag_artifact *a,
                                     ag_artifact_cache *cache, ag_arena *arena,
                                     ag_artifact_result **ret, size_t *nret, ag_err *err);
/* {"name","columns","rows","row_count","truncated","at","cached"} or {"name","error"} */
void ag_artifact_result_json(const ag_artifact_result *r, ag_arena *arena, ag_jw *w);
/* The data that a page is given: the object of the version, and each query's rows as a list of objects under its name. Data
 * that is a list is the member "data". One JSON object, in arena. */
ag_str ag_artifact_data(const ag_artifact *a, const ag_artifact_result *results, size_t n,
                        ag_arena *arena);
/* The version's own data; MISSING = none. */
ag_val ag_artifact_static_data(const ag_artifact *a, ag_arena *arena);

/* --- changing --- */

AG_CHECK ag_status ag_artifact_rename(const ag_know_place *p, ag_str id, ag_str title,
                                      ag_arena *arena, ag_artifact_row *ret, ag_err *err);
/* errors  AG_DENIED: another user made it, and the caller is no admin; AG_NOT_FOUND */
AG_CHECK ag_status ag_artifact_delete(const ag_know_place *p, ag_str id, ag_arena *arena,
                                      ag_artifact_row *ret, ag_err *err);
/* errors  AG_NOT_FOUND: also when 30 days are over; AG_CONFLICT: it is not deleted */
AG_CHECK ag_status ag_artifact_undelete(const ag_know_place *p, ag_str id, ag_arena *arena,
                                        ag_artifact_row *ret, ag_err *err);

/* --- all of them --- */

/* Artifacts with all versions, as they are kept. */
typedef struct ag_artifact_set {
	ag_artifact_row *rows;
	size_t n;
	ag_artifact_version *versions; /* those of rows[0], then of rows[1] …, by number */
	size_t nversion;
} ag_artifact_set;

AG_CHECK ag_status ag_artifact_export(const ag_know_place *p, ag_arena *arena, ag_artifact_set *ret,
                                      ag_err *err);
/* All or none. Takes an admin: authors and times are taken as they are.
 * errors  AG_CONFLICT: an artifact is here with other content */
AG_CHECK ag_status ag_artifact_import(const ag_know_place *p, ag_artifact_set *set, ag_arena *arena,
                                      uint64_t *ret_nadded, ag_err *err);
/* Is each artifact one that could have been saved here? Ids, kinds, limits, hashes, numbers and parents of versions.
 * errors  AG_INVALID, AG_LIMIT: "artifact 0190c3e2-…: version 2: code: …" */
AG_CHECK ag_status ag_artifact_set_check(const ag_artifact_set *set, ag_arena *arena, ag_err *err);

#endif
