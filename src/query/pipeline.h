/* pipeline -- an aggregation pipeline as a typed list of stages; run over a stream of documents.
 *
 * To add a stage: a row in stage_types[] of pipeline.c and its file. Stages that write ($out, $merge)
 * and stages that run code are refused as AG_DENIED; unknown ones as AG_INVALID with the nearest name. */
#ifndef AG_QUERY_PIPELINE_H
#define AG_QUERY_PIPELINE_H

#include "query/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_pipeline ag_pipeline;

#define AG_PIPELINE_MAX_STAGES 50
#define AG_PIPELINE_MAX_GROUPS (4 * 1000 * 1000)      /* distinct _id of one $group */
#define AG_PIPELINE_MAX_BYTES  (1024UL * 1024 * 1024) /* state held by $group and $sort */

AG_CHECK ag_status ag_pipeline_parse(ag_str text, ag_arena *arena, const ag_pipeline **ret,
                                     ag_err *err);
AG_CHECK ag_status ag_pipeline_from_val(const ag_val *stages, ag_arena *arena,
                                        const ag_pipeline **ret, ag_err *err);
void ag_pipeline_canonical(const ag_pipeline *p, ag_buf *out);
uint64_t ag_pipeline_hash(const ag_pipeline *p);
/* Paths of the source documents that the pipeline looks at; *ret_whole when it needs all of them. */
void ag_pipeline_paths(const ag_pipeline *p, ag_arena *arena, const ag_str **ret, size_t *nret,
                       bool *ret_whole);
/* The filter of a leading $match (so a source can push it down), or NULL. A run that was fed only
 * matching documents starts with ag_pipeline_run_begin(…, skip_match = true). */
const ag_filter *ag_pipeline_leading_match(const ag_pipeline *p);

/* Push documents in, take results out. Stages: $match $group $count $sort $limit $skip $project $unwind
 * $addFields/$set $sample-free; accumulators: $sum $avg $min $max $first $last $push $addToSet $count. */
typedef struct ag_pipeline_run ag_pipeline_run;
ag_pipeline_run *ag_pipeline_run_begin(const ag_pipeline *p, bool skip_match);
ag_pipeline_run *ag_pipeline_run_free(ag_pipeline_run *r);
/* doc is copied as far as it is needed. *ret_done: no more input is wanted ($limit reached). */
AG_CHECK ag_status ag_pipeline_run_push(ag_pipeline_run *r, const ag_val *doc, bool *ret_done,
                                        ag_err *err);
/* No more input: results in order, in arena; at most max_results (AG_LIMIT beyond). */
AG_CHECK ag_status ag_pipeline_run_end(ag_pipeline_run *r, ag_arena *arena, size_t max_results,
                                       const ag_val **ret, size_t *nret, ag_err *err);

#ifdef __cplusplus
}
#endif
#endif
