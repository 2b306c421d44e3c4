/* pipeline_internal -- stages: how they are parsed, written and run. Private to pipeline*.c, stage_*.c.
 *
 * A stage is a row of stage_types[] (pipeline.c) plus its parsed spec. While running, each stage has a
 * state; it is pushed documents and hands its own on with ag_stage_emit(). A document handed on lives at
 * least until emit returns; who keeps it copies it into his own arena. */
#ifndef AG_QUERY_PIPELINE_INTERNAL_H
#define AG_QUERY_PIPELINE_INTERNAL_H

#include "query/expr_internal.h"
#include "query/filter_internal.h"
#include "query/pipeline.h"

typedef struct ag_stage_type ag_stage_type;
typedef struct ag_stage_run ag_stage_run;

typedef struct ag_stage {
	const ag_stage_type *type;
	const void *spec; /* of the type's own kind */
} ag_stage;

struct ag_stage_type {
	const char *name;
	ag_status (*parse)(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err);
	/* The stage as {"$name": value}, canonical. */
	ag_val (*to_val)(const ag_stage *s, ag_arena *arena);
	/* Adds the paths it reads; true when later stages see only what this one made. */
	bool (*paths)(const ag_stage *s, ag_path_set *set);
	/* NULL begin: no state. */
	void *(*begin)(ag_stage_run *r);
	void (*end)(void *state);
	ag_status (*push)(ag_stage_run *r, const ag_val *doc, ag_err *err);
	/* No more input: blocking stages emit here. NULL: nothing to do. */
	ag_status (*finish)(ag_stage_run *r, ag_err *err);
};

struct ag_stage_run {
	const ag_stage *stage;
	ag_pipeline_run *run;
	size_t index;
	void *state;
	bool done;         /* wants no more input */
	size_t held;       /* bytes its state holds, for the limit */
	ag_arena *scratch; /* emptied whenever the stage gets its next document */
};

struct ag_pipeline {
	const ag_stage *stages;
	size_t n;
};

AG_CHECK ag_status ag_stage_emit(ag_stage_run *r, const ag_val *doc, ag_err *err);
/* False when a later stage is done: stop emitting. */
bool ag_stage_wanted(const ag_stage_run *r);
/* The stage's own memory for what it emits, until its next document comes. */
ag_arena *ag_stage_scratch(ag_stage_run *r);
/* Empty it earlier: between two documents that one push or finish emits. */
void ag_stage_reset_scratch(ag_stage_run *r);
/* Note how much the stage holds; AG_LIMIT when all together hold too much. */
AG_CHECK ag_status ag_stage_hold(ag_stage_run *r, size_t bytes, ag_err *err);

ag_val ag_stage_object1(ag_arena *arena, const char *key, ag_val v);
/* A filter's paths, with "the whole document" for $$ROOT in $expr. */
void ag_filter_collect(const ag_filter *f, ag_str prefix, ag_path_set *set);

extern const ag_stage_type ag_stage_match, ag_stage_limit, ag_stage_skip, ag_stage_count,
	ag_stage_replace_root, ag_stage_replace_with, ag_stage_project, ag_stage_add_fields,
	ag_stage_set, ag_stage_unset, ag_stage_unwind, ag_stage_sort, ag_stage_group,
	ag_stage_sort_by_count;

/* $sort followed by $limit keeps only as many as the limit needs. */
void ag_stage_sort_set_limit(const ag_stage *s, uint64_t limit);
uint64_t ag_stage_amount(const ag_stage *s); /* of $limit and $skip */

#endif
