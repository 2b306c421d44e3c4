/* set -- all that a project knows, loaded from the store: what the prompt is made from.
 *
 * A set is immutable once it is loaded; its words are counted on first need. It lives in an arena of its own, so that a new
 * one can take its place when the store has changed. One thread. */
#ifndef AG_KNOWLEDGE_SET_H
#define AG_KNOWLEDGE_SET_H

#include "knowledge/object.h"

typedef struct ag_know_words ag_know_words; /* rank.c */

typedef struct ag_know_set {
	ag_arena *arena;
	ag_object_stamp stamp;
	ag_know *all; /* by kind, then name */
	size_t n;
	size_t from[AG_KNOW_NKIND + 1]; /* kind k: all[from[k]] to all[from[k + 1] - 1] */
	size_t nbad; /* rows that could not be read: of a newer Argus, or damaged */
	ag_know_words *words;
} ag_know_set;

/* An empty one, for a project without knowledge. */
ag_know_set *ag_know_set_new(void);
ag_know_set *ag_know_set_free(ag_know_set *s); /* accepts NULL, returns NULL */
/* Brings *set up to date: a set whose stamp is the store's stays as it is. *set may be NULL. A learning's uses are those of
 * the time when it was loaded. */
AG_CHECK ag_status ag_know_set_load(ag_store *s, ag_str project, ag_know_set **set, ag_err *err);
/* For tests and measurements: a set of these objects, which are copied. */
ag_know_set *ag_know_set_of(const ag_know *objects, size_t n);

/* The object of that kind and name, in any case; NULL = none. */
const ag_know *ag_know_find(const ag_know_set *s, ag_know_kind kind, ag_str name);

/* --- rank.c --- */

#define AG_KNOW_MAX_ASKED 64u /* words of a question that count */

/* How well objects fit a question: common words, rarer ones more, those of a name most. scores: one for each object of the
 * set, 0 = nothing in common. named: the question has every word of the object's name. Both in arena. */
void ag_know_rank(ag_know_set *s, ag_str question, ag_arena *arena, double **ret_scores,
                  bool **ret_named);
/* The next word of letters and digits of *rest, in small letters and without a plural's s; hash of it. 0 = no more. */
uint64_t ag_know_next_word(ag_str *rest);

/* --- confidence --- */

#define AG_KNOW_FADE_MS   (INT64_C(90) * 86400 * 1000)
#define AG_KNOW_FADE_STEP 0.1
#define AG_KNOW_FADED     0.3 /* below it a learning is not in the prompt any more */

/* The confidence now: a tenth less for each 90 days without a use or change, never below 0. */
double ag_know_confidence(const ag_know *o, int64_t now_ms);

#endif
