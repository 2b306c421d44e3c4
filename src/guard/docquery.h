/* docquery -- the document-query guard: the only maker of an ag_safe_query.
 *
 * Filters and pipelines are allowed operator by operator; what writes, runs code or is unknown is refused
 * before any source sees it. Backends take ag_safe_query, so plain text does not compile. */
#ifndef AG_GUARD_DOCQUERY_H
#define AG_GUARD_DOCQUERY_H

#include "query/filter.h"
#include "query/pipeline.h"

/* Exactly one of the first two is set. Made only in guard/docquery.c (tools/check-deps checks that). */
typedef struct ag_safe_query {
	const ag_filter *filter;
	const ag_pipeline *pipeline;
	const ag_val *value; /* the same as it was written, for a server */
} ag_safe_query;

/* An object is a filter, an array a pipeline. `q` must outlive the query (same arena).
 * errors  AG_INVALID, AG_DENIED, AG_LIMIT as ag_filter_parse(). */
AG_CHECK ag_status ag_docquery_check(const ag_val *q, ag_arena *arena, ag_safe_query *ret,
                                     ag_err *err);
AG_CHECK ag_status ag_docquery_parse(ag_str text, ag_arena *arena, ag_safe_query *ret, ag_err *err);
/* Text to the value that ag_docquery_check() wants; the text is copied. Nothing is allowed by this yet. */
AG_CHECK ag_status ag_docquery_value(ag_str text, ag_arena *arena, const ag_val **ret, ag_err *err);
/* Canonical form and its hash, for repeats and provenance. */
void ag_docquery_canonical(const ag_safe_query *q, ag_buf *out);
uint64_t ag_docquery_hash(const ag_safe_query *q);

#endif
