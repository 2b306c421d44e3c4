/* survey -- the schema of a set of documents in the shape of the seed's schema_sample.
 *
 * Objects are flattened to dotted paths and recorded themselves as "object"; arrays are leaves
 * ("array<int|str>", "array<empty>"); depth is limited to AG_SURVEY_MAX_DEPTH names. A CSV cell counts as its
 * view where it has one. */
#ifndef AG_COLUMNS_SURVEY_H
#define AG_COLUMNS_SURVEY_H

#include "columns/table.h"

#define AG_SURVEY_MAX_DEPTH       20
#define AG_SURVEY_MAX_CARDINALITY 100
#define AG_SURVEY_MAX_SAMPLES     5
#define AG_SURVEY_MAX_PATHS       20000 /* beyond: further paths are counted, not listed */

typedef struct ag_type_count {
	ag_str name; /* the seed's type name */
	uint64_t n;  /* documents */
} ag_type_count;

typedef struct ag_field_stats {
	ag_str path;                /* a.b; keys that are data: m.* (see ag_path) */
	const ag_type_count *types; /* most frequent first, then by name */
	size_t ntype;
	uint64_t present, missing, null; /* documents; missing = surveyed - present */
	double null_rate;                /* (null + missing) / surveyed */
	uint64_t cardinality;            /* distinct scalar values, at most 100 */
	bool cardinality_capped;         /* there are more than 100 */
	const ag_val *samples; /* up to 5 different non-null scalars, in order of appearance */
	size_t nsample;
	bool container; /* object or array of objects in every document: no data itself */
	bool is_map;    /* its keys are data; children stand under path.* */
} ag_field_stats;

typedef struct ag_survey {
	uint64_t surveyed;            /* documents */
	const ag_field_stats *fields; /* by path, bytewise */
	size_t nfield;
	uint64_t paths_left_out;
	const ag_str *truncated; /* paths at the depth limit, sorted */
	size_t ntruncated;
} ag_survey;

/* docs NULL = all documents. The result lives in arena. */
AG_CHECK ag_status ag_table_survey(const ag_table *t, const ag_ctx *ctx, const ag_bits *docs,
                                   ag_arena *arena, ag_survey *ret, ag_err *err);

#endif
