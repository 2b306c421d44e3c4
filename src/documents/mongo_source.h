/* mongo_source -- a collection of a MongoDB server as a source: what its files share.
 *
 * mongo.c opens a collection and asks it, mongo_list.c finds collections, mongo_sample.c reads documents for profile and
 * survey. Filters and pipelines run on the server and count every document; the profile is made here, of a sample. */
#ifndef AG_DOCUMENTS_MONGO_SOURCE_H
#define AG_DOCUMENTS_MONGO_SOURCE_H

#include <pthread.h>

#include "columns/table.h"
#include "documents/source.h"
#include "mongo/mongo.h"

#define AG_MONGO_WHOLE_DOCS 50000 /* a collection of up to so many is read whole */
#define AG_MONGO_SAMPLE_DOCS \
	12000 /* of a larger one: what 1 of 4,000 documents has is among them 19 times out of 20 */
#define AG_MONGO_SAMPLE_BYTES (128u << 20)
#define AG_MONGO_BATCH        1000 /* documents; a server also ends a batch at 16 MiB */

typedef struct ag_mongo_place {
	ag_mongo_address address;
	ag_str database, collection;
	bool is_known; /* kind has been looked up */
	ag_str kind;   /* as in ag_source_info */
} ag_mongo_place;

typedef struct ag_mongo_table ag_mongo_table;
struct ag_mongo_table {
	ag_table *t;
	ag_mongo_table *next;
};

/* What the server said of a filter, or of a pipeline with few results; lives as long as the handle. */
typedef struct ag_mongo_answer ag_mongo_answer;
struct ag_mongo_answer {
	ag_str key;         /* canonical text of the query */
	uint64_t matched;   /* documents; of a pipeline its results */
	int64_t counted_ms; /* by the server's clock; 0 = unknown */
	const ag_val *docs; /* the first of them */
	size_t ndoc;
	ag_mongo_answer *next;
};

typedef struct ag_mongo_source {
	ag_source base;
	ag_arena *arena; /* of the texts */
	ag_mongo *server;
	ag_str database, collection;
	ag_str comment; /* of commands; "" = none of a run */
	ag_mongo_meter meter;
	uint64_t max_scan;
	uint64_t max_sample; /* documents of a sample */
	uint64_t mean_bytes; /* of a document; 0 = unknown */

	pthread_mutex_t lock;   /* of what follows, and of arena; held while a sample is read */
	const ag_table *sample; /* of profile and frames; NULL = not read yet */
	ag_mongo_table *tables; /* all that were read: results have views into them */
	bool has_no_sample, has_no_facet; /* stages that the server does not know */
	bool has_no_min_n, has_no_sums;   /* of mongo_sums.c; has_sums: it has answered once */
	bool has_sums;
	unsigned nsum_failed;
	ag_mongo_answer *answers;
	size_t nanswer;
} ag_mongo_source;

static inline ag_mongo_source *ag_mongo_source_of(ag_source *s)
{
	return (ag_mongo_source *)(void *)s;
}

/* A command on the collection. */
ag_mongo_command ag_mongo_source_command(ag_mongo_source *m, ag_mongo_verb verb);

/* The documents of a cursor, as values; one more than max is AG_LIMIT. */
AG_CHECK ag_status ag_mongo_collect(ag_mongo_source *m, const ag_ctx *ctx,
                                    const ag_mongo_command *c, size_t max, ag_arena *arena,
                                    const ag_val **ret, size_t *nret, ag_err *err);

/* Reads a number of documents or bytes from an answer. False: the answer has no such number, or it is out of range. */
AG_CHECK bool ag_mongo_count_in(const ag_val *doc, const char *name, uint64_t *ret);

/* The server does not know a stage: unrecognised, not supported, or no such command. */
bool ag_mongo_is_unknown(ag_status st, const ag_err *why);

/* --- mongo_ahead.c --- */

#define AG_MONGO_SHOWN 3 /* documents that are remembered with a count */

bool ag_mongo_known(ag_mongo_source *m, const ag_safe_query *q, ag_arena *arena,
                    ag_mongo_answer *ret);
/* docs are copied; those beyond AG_MONGO_SHOWN are not kept. */
void ag_mongo_learn(ag_mongo_source *m, const ag_safe_query *q, const ag_mongo_answer *said,
                    ag_arena *scratch);
/* May the first documents of n filters be in one answer? */
bool ag_mongo_shows(const ag_mongo_source *m, size_t n);
AG_CHECK ag_status ag_mongo_prepare(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q,
                                    size_t n, ag_err *err);

/* --- mongo_sums.c --- */

/* Counts n filters in one pass, and remembers the answers. What it cannot count is asked again, one by one.
 * errors  as of a command; never AG_INVALID */
AG_CHECK ag_status ag_mongo_sums(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q,
                                 size_t n, ag_err *err);
/* Counts one filter, with its first documents by _id, and remembers the answer; an index may be used. Every shard reads its
 * documents once, and the documents are the same ones as those of ag_mongo_sums().
 * errors  as of a command */
AG_CHECK ag_status ag_mongo_sum_of(ag_mongo_source *m, const ag_ctx *ctx, const ag_safe_query *q,
                                   ag_err *err);

/* --- mongo_list.c --- */

/* What listCollections says of one. */
typedef struct ag_mongo_entry {
	ag_str name;
	ag_str type; /* "collection", "view", "timeseries" */
	bool is_capped;
} ag_mongo_entry;

/* As in ag_source_info; constant. */
ag_str ag_mongo_kind(const ag_mongo_entry *e);
AG_CHECK ag_status ag_mongo_collections(ag_mongo *m, const ag_ctx *ctx, ag_str database,
                                        ag_mongo_meter *meter, ag_arena *arena,
                                        ag_mongo_entry **ret, size_t *nret, ag_err *err);
ag_source_root ag_mongo_base(ag_str uri, ag_arena *arena);
AG_CHECK ag_status ag_mongo_list(const ag_ctx *ctx, ag_str uri, ag_arena *arena,
                                 ag_source_place **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_mongo_skipped(const ag_ctx *ctx, ag_str uri, ag_arena *arena,
                                    ag_source_skip **ret, size_t *nret, ag_err *err);

/* --- mongo_sample.c --- */

AG_CHECK ag_status ag_mongo_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                                   uint64_t seed, ag_survey *ret, ag_err *err);
AG_CHECK ag_status ag_mongo_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                                    uint64_t seed, ag_profile *ret, ag_err *err);
AG_CHECK ag_status ag_mongo_marks(ag_source *s, const ag_ctx *ctx, ag_source_mark *m, size_t n,
                                  ag_err *err);
AG_CHECK ag_status ag_mongo_frames(ag_source *s, const ag_ctx *ctx, const ag_profile *p,
                                   ag_arena *arena, ag_frames *ret, ag_err *err);

#endif
