/* dbt -- what a schema.yml of dbt says, as notes on tables and metrics.
 *
 * Models, sources, seeds and snapshots become notes: description and descriptions of columns. Of the semantic layer simple
 * metrics become metrics, when their measure is in the same file and is a sum, count, average, smallest or largest value;
 * and those of dbt before 1.6. A metric that is a ratio, is derived, cumulative, or has a filter that is not plain, is left
 * out and named: its SQL would be a guess. */
#ifndef AG_KNOWLEDGE_DBT_H
#define AG_KNOWLEDGE_DBT_H

#include "knowledge/object.h"

typedef struct ag_know_source {
	ag_know *objects; /* notes on tables and metrics */
	size_t n;
	const ag_str *left; /* "metric churn: ratio" */
	size_t nleft;
} ag_know_source;

/* file: for messages, and the metrics' field "source". In arena.
 * errors  AG_INVALID: of YAML, or names what is wrong; AG_LIMIT */
AG_CHECK ag_status ag_know_dbt_read(ag_str text, ag_str file, int64_t now_ms, ag_arena *arena,
                                    ag_know_source *ret, ag_err *err);

#endif
