/* source -- one read-only interface over every place documents can live.
 *
 * To add a source: 1. documents/<name>.c with a `const ag_source_type`; 2. its row in source_types[] of
 * source.c; 3. its fixture in tests/contract/source_fixtures.c: the shared suite then runs on it.
 *
 * A handle is one collection. Only the dispatcher (the ag_source_* functions) calls methods: it runs the
 * guard, clamps limits, checks the deadline and counts calls. Any number of threads may use a handle whose
 * type says is_shared. Results live in the caller's arena (strings may be views into the source: they are
 * valid until ag_source_close). */
#ifndef AG_DOCUMENTS_SOURCE_H
#define AG_DOCUMENTS_SOURCE_H

#include "columns/frame.h"
#include "columns/marks.h"
#include "columns/profile.h"
#include "columns/survey.h"
#include "guard/docquery.h"
#include "run/ctx.h"

typedef struct ag_source ag_source;

#define AG_FIND_LIMIT_DEFAULT 50
#define AG_FIND_LIMIT_MAX     1000
#define AG_DISTINCT_MAX       1000
#define AG_SOURCE_MAX_SCAN    (20 * 1000 * 1000) /* some 20 s of a server */

typedef struct ag_source_opts {
	bool strict; /* a broken document is an error */
	uint64_t
		max_scan; /* documents that a server may read for one query without an index; 0 = AG_SOURCE_MAX_SCAN */
	double max_units; /* request units that a server may charge for this handle; 0 = no limit */
	uint64_t max_sample; /* documents of a sample, where the source samples; 0 = its default */
} ag_source_opts;

/* Who the data is, and in which state it was read (DESIGN section 9, "Source identity"). */
typedef struct ag_source_info {
	ag_str uri; /* as given, without secrets */
	ag_str key; /* stable place: canonical path, or host/database/collection */
	ag_str collection, database;
	ag_str format; /* "ndjson", "bson", …; "" for servers */
	uint64_t ndoc;
	bool is_estimate; /* ndoc is the server's estimate */
	ag_str kind;      /* "view", "timeseries", "capped"; "" = a usual collection, or unknown */
	int64_t counted_ms;  /* the server's own time of ndoc; 0 = unknown */
	uint64_t nbyte;      /* 0 = unknown */
	uint64_t memory;     /* bytes that the open handle keeps in memory; 0 = next to nothing */
	int64_t mtime_ms;    /* 0 = unknown */
	ag_str content_hash; /* 32 hex digits, "" = unknown */
	bool whole;          /* the profile covers every document, not a sample */
	uint64_t broken;     /* documents that could not be read */
	const ag_table_issue *issues;
	size_t nissue;
	uint64_t duplicate_keys, lone_surrogates, big_numbers, overflows;
	uint64_t short_rows;      /* kept, with fewer cells than the header */
	uint64_t renamed_columns; /* names that are ours: the file has none, or one twice */
} ag_source_info;

typedef struct ag_found {
	const ag_val *docs; /* up to limit documents that match, in the order of the source */
	size_t ndoc;
	const ag_str *where; /* per document "orders.ndjson:17", "" when unknown */
	uint64_t matched;    /* full count */
} ag_found;

/* What a server that counts request units (Azure Cosmos DB) charged for this handle. */
typedef struct ag_source_spent {
	bool is_counted; /* the source counts; else all is 0 */
	double units, max_units;
	uint64_t nthrottled, waited_ms; /* times the server asked to wait */
} ag_source_spent;

typedef enum ag_stat_op {
	AG_STAT_COUNT,
	AG_STAT_MIN,
	AG_STAT_MAX,
	AG_STAT_AVG,
	AG_STAT_DISTINCT
} ag_stat_op;

typedef struct ag_stat_question {
	ag_str field; /* a path */
	ag_stat_op op;
	const ag_val *filter; /* NULL = all documents */
} ag_stat_question;

/* What a pipeline or filter says of documents: how many are affected. */
typedef struct ag_evidence {
	uint64_t affected; /* documents */
	const ag_val *
		samples; /* up to 3 affected documents (filters), or result documents (pipelines) */
	size_t nsample;
	const ag_str *where; /* as in ag_found, for filters */
	int64_t counted_ms;  /* when, by the server's own clock; 0 = unknown */
} ag_evidence;

/* Which values of a path are in documents that match any of the filters? */
typedef struct ag_source_mark {
	const ag_path_profile *f;     /* of the whole source's profile */
	const ag_val *const *filters; /* values, or texts to be parsed */
	size_t nfilter;
	const ag_safe_query *checked; /* the same; made by the dispatcher */
	ag_marks ret;                 /* without docs */
} ag_source_mark;

/* A collection that is there but not opened. */
typedef struct ag_source_place {
	const struct ag_source_type *type;
	ag_str uri;             /* opens this collection alone */
	ag_str key, collection; /* as in ag_source_info */
	const void *of;         /* the type's own notes */
} ag_source_place;

/* What changes when the data of a place does. */
typedef struct ag_source_state {
	uint64_t device, inode, nbyte;
	int64_t mtime_ns, ctime_ns;
} ag_source_state;

/* An entry of a folder that is no collection, though it may hold data. */
typedef struct ag_source_skip {
	ag_str path;
	const char *reason; /* "compressed", "unsupported format", "hidden", … */
	const char *next_step;
	bool is_data; /* its name says that it holds data; else it only may */
} ag_source_skip;

/* Of ag_source_base(). */
typedef struct ag_source_root {
	ag_str key;
	bool is_uri; /* of the URIs of collections, but for their options, not of their keys */
	bool is_one; /* with is_uri: it is one collection */
} ag_source_root;

typedef struct ag_source_type {
	const char *name; /* "files" */
	const char *help; /* what a URI of it looks like, one line */
	bool is_shared;

	/* Required. Does this URI belong here? */
	bool (*accepts)(ag_str uri);
	/* Optional. The URI without secrets; NULL = it has none. */
	ag_str (*shown)(ag_str uri, ag_arena *arena);
	/* Optional. ag_source_base(). */
	ag_source_root (*base)(ag_str uri, ag_arena *arena);
	/* Required. The collections found under uri, in a stable order; no data is read. */
	ag_status (*list)(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_place **ret,
	                  size_t *nret, ag_err *err);
	/* Optional. What list leaves out under that URI, in a stable order. */
	ag_status (*skipped)(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_skip **ret,
	                     size_t *nret, ag_err *err);
	/* Optional. The state of a place now, without reading it. False: it is unknown, so the place is never kept
	 * loaded between calls (source_cache.h). A type that has it must be is_shared. */
	bool (*state)(const ag_source_place *place, ag_source_state *ret);
	/* Required. The handle lives until closed and keeps nothing of the place. */
	ag_status (*open)(const ag_ctx *ctx, const ag_source_place *place,
	                  const ag_source_opts *opts, ag_source **ret, ag_err *err);
	void (*close)(ag_source *s);
	/* Required. Filters only. limit 0 = count, fetch nothing. */
	ag_status (*find)(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_safe_query *q,
	                  size_t limit, ag_found *ret, ag_err *err);
	/* Required. At most max_results documents. */
	ag_status (*aggregate)(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
	                       const ag_safe_query *q, size_t max_results, const ag_val **ret,
	                       size_t *nret, ag_err *err);
	/* Optional. The run that asks from now on, for what a server shows of its clients. Before any thread asks. */
	void (*set_run)(ag_source *s, ag_str run);
	/* Optional. When the answer to a query was found, by the server's own clock; 0 = unknown. */
	int64_t (*counted)(ag_source *s, const ag_safe_query *q);
	/* Optional. What the handle cost so far. */
	void (*spent)(const ag_source *s, ag_source_spent *ret);
	/* Optional. Units that earlier handles of the same run used: they count against max_units. */
	void (*charge)(ag_source *s, double units);
	/* Optional. Queries that will be asked soon: many at once may cost less than one after another. What cannot be
	 * answered so is asked again by find or aggregate.
	 * errors  only those that the next call would meet too: cancelled, no time, no server */
	ag_status (*prepare)(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q, size_t n,
	                     ag_err *err);
	/* Optional, both or none: documents by their row, which is their index among the readable ones in the order of
	 * the source. The rows of the documents that match; *ret is initialised here, the caller releases it. */
	ag_status (*match)(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q, ag_bits *ret,
	                   ag_err *err);
	/* As ag_table_each(). */
	ag_status (*each)(ag_source *s, const ag_ctx *ctx, const ag_bits *rows,
	                  const ag_str *members, size_t nmember, ag_doc_fn fn, void *arg,
	                  ag_err *err);
	/* Optional. Where a document begins in its file, in bytes. */
	uint64_t (*byte)(ag_source *s, uint64_t row);
	/* Required. n documents chosen by seed without bias; n 0 = all. */
	ag_status (*survey)(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
	                    uint64_t seed, ag_survey *ret, ag_err *err);
	/* Required. The profile of n documents chosen as by survey; n 0 = whole where the source can, else of a sample. */
	ag_status (*profile)(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
	                     uint64_t seed, ag_profile *ret, ag_err *err);
	/* Optional. Fills `ret` of each. */
	ag_status (*marks)(ag_source *s, const ag_ctx *ctx, ag_source_mark *m, size_t n,
	                   ag_err *err);
	/* Optional. Values side by side, for checks between fields; of the documents that p covers. */
	ag_status (*frames)(ag_source *s, const ag_ctx *ctx, const ag_profile *p, ag_arena *arena,
	                    ag_frames *ret, ag_err *err);
} ag_source_type;

/* Implementations embed this as their first member. */
struct ag_source {
	const ag_source_type *type;
	ag_source_info info;
	_Atomic uint64_t ncall; /* kept by the dispatcher */
};

#define AG_SOURCE_MAX_URI 4096 /* bytes */

/* The part of a URI before "://", "" when it has none (then it is a path). */
ag_str ag_source_scheme(ag_str uri);

/* The URI as it may be printed and stored: without a password. In arena, or the URI itself. */
ag_str ag_source_shown(ag_str uri, ag_arena *arena);

/* The key of a URI that names one collection, else what the keys of its collections have in common up to a "/". Nothing is
 * opened, and what it names need not be there any more; "" = it cannot be told. Of cosmos://, whose keys only Azure knows, it is
 * of URIs: up to a "/" or ".". In arena. */
ag_source_root ag_source_base(ag_str uri, ag_arena *arena);

/* Does the name of a file end as that of a collection does (".csv")? */
bool ag_source_is_data_name(ag_str name);

/* The collections of a URI or path: a file is one, a folder one per data file in it (sorted by name,
 * not recursive). Nothing is opened, so one that cannot be read hides no other. errors: AG_NOT_FOUND,
 * AG_DENIED, AG_INVALID naming the path and, for an unknown scheme, the known ones. */
AG_CHECK ag_status ag_source_list(const ag_ctx *ctx, ag_str uri, ag_arena *arena,
                                  ag_source_place **ret, size_t *nret, ag_err *err);
/* What ag_source_list() leaves out of a folder although it may hold data; none where a source cannot tell. */
AG_CHECK ag_status ag_source_skipped(const ag_ctx *ctx, ag_str uri, ag_arena *arena,
                                     ag_source_skip **ret, size_t *nret, ag_err *err);
/* opts NULL = not strict. */
AG_CHECK ag_status ag_source_open_place(const ag_ctx *ctx, const ag_source_place *place,
                                        const ag_source_opts *opts, ag_source **ret, ag_err *err);
/* Every collection of uri at once, or none: with a folder, all its data is in memory. */
AG_CHECK ag_status ag_source_open(const ag_ctx *ctx, ag_str uri, const ag_source_opts *opts,
                                  ag_arena *arena, ag_source ***ret, size_t *nret, ag_err *err);
ag_source *ag_source_close(ag_source *s);
static inline const ag_source_info *ag_source_info_of(const ag_source *s)
{
	return &s->info;
}
/* Calls that reached the source: finds, counts, aggregations, surveys, profiles. */
static inline uint64_t ag_source_calls(const ag_source *s)
{
	return atomic_load_explicit(&s->ncall, memory_order_relaxed);
}

/* query: filter text (a STRING value) or value, checked by the guard; NULL = {}. limit 0 is AG_INVALID
 * ("positive"); above AG_FIND_LIMIT_MAX it is clamped. In aggregate the pipeline is text or value as well,
 * and results may borrow its strings. */
AG_CHECK ag_status ag_source_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                  const ag_val *query, uint64_t limit, ag_found *ret, ag_err *err);
AG_CHECK ag_status ag_source_count(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                   const ag_val *query, uint64_t *ret, ag_err *err);
AG_CHECK ag_status ag_source_aggregate(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                       const ag_val *pipeline, size_t max_results,
                                       const ag_val **ret, size_t *nret, ag_err *err);
/* The seed's statistics of one field: count of documents where it exists (null counts); min, max, avg over
 * values that are there and not null (avg: numbers only; null when there are none); distinct values, at
 * most AG_DISTINCT_MAX, in BSON order. Built on aggregate. *ret_query is the text of
 * the pipeline that ran (may be NULL).
 *
 * field is a path (query/path.h). Without "[]" an array is one value, as in the seed; "tags[]" and
 * "items[].price" look at the items. A path without query form ("m.*", "`a.b`") is AG_INVALID. */
AG_CHECK ag_status ag_source_stat(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                  const ag_stat_question *q, ag_val *ret, ag_str *ret_query,
                                  ag_err *err);
/* The values of a field that are scalars, ascending. */
typedef struct ag_source_value_list {
	ag_val *values;
	uint32_t *count; /* occurrences of each */
	size_t n;
} ag_source_value_list;
/* Counted over all documents; field as in ag_stat_question. In arena. Built on aggregate.
 * errors  AG_LIMIT: there are more than max, or the source refuses to read all documents; those of aggregate */
AG_CHECK ag_status ag_source_values(ag_source *s, const ag_ctx *ctx, ag_arena *arena, ag_str field,
                                    size_t max, ag_source_value_list *ret, ag_err *err);
/* The id of the run that asks from now on; before any thread asks. */
void ag_source_set_run(ag_source *s, ag_str run);
/* When the answer to a query that was asked here was found, by the server's own clock (ms since 1970); 0 = unknown. */
int64_t ag_source_counted(ag_source *s, ag_arena *arena, const ag_val *query);
/* All 0 of a source that counts nothing. */
ag_source_spent ag_source_spent_of(const ag_source *s);
/* Request units that earlier sittings of the run used; before any thread asks. */
void ag_source_charge(ag_source *s, double units);
/* Evidence that will be asked soon; texts that the guard refuses are left out. Nothing happens where a question costs little. */
bool ag_source_prepares(const ag_source *s);
AG_CHECK ag_status ag_source_prepare(ag_source *s, const ag_ctx *ctx, const ag_str *queries,
                                     size_t n, ag_err *err);
/* n must be positive, or UINT64_MAX for all. */
AG_CHECK ag_status ag_source_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                                    uint64_t seed, ag_survey *ret, ag_err *err);
AG_CHECK ag_status ag_source_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                     ag_profile *ret, ag_err *err);
/* The profile of the documents that ag_source_survey() chooses for the same n and seed. */
AG_CHECK ag_status ag_source_profile_of(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                        uint64_t n, uint64_t seed, ag_profile *ret, ag_err *err);
/* errors  AG_INVALID for text that is not a filter; AG_NOT_FOUND where the source knows no marks */
AG_CHECK ag_status ag_source_marks(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                   ag_source_mark *m, size_t n, ag_err *err);
/* p: the profile of this source. No frames at all where the source has none. */
AG_CHECK ag_status ag_source_frames(ag_source *s, const ag_ctx *ctx, const ag_profile *p,
                                    ag_arena *arena, ag_frames *ret, ag_err *err);
/* Re-run evidence. A filter: affected = documents that match. A pipeline must end in one document (or none
 * = 0) that has an integer "documents", "n" or "count" (looked for in this order); anything else is
 * AG_INVALID and says so. */
AG_CHECK ag_status ag_source_evidence(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                      ag_str query_text, ag_evidence *ret, ag_err *err);

/* Do documents have row numbers? Else ag_source_select() and ag_source_each() fail. */
bool ag_source_has_rows(const ag_source *s);
/* The rows of the documents that evidence is about: those that a filter matches, and those that reach the end of a
 * pipeline, in its groups as well. *ret is initialised here, the caller releases it.
 * errors  of ag_source_evidence(); AG_INVALID: the pipeline replaces documents by values, or the source has no rows */
AG_CHECK ag_status ag_source_select(ag_source *s, const ag_ctx *ctx, ag_str query_text,
                                    ag_bits *ret, ag_err *err);
/* Where the document begins in its file, in bytes; row < ndoc. False: the source has no such place. */
bool ag_source_byte(ag_source *s, uint64_t row, uint64_t *ret);
/* ag_table_each() on a source that has rows. */
AG_CHECK ag_status ag_source_each(ag_source *s, const ag_ctx *ctx, const ag_bits *rows,
                                  const ag_str *members, size_t nmember, ag_doc_fn fn, void *arg,
                                  ag_err *err);

extern const ag_source_type ag_source_files, ag_source_mongo;

#endif
