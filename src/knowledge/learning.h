/* learning -- what corrections teach: saved once, more certain with each time that it is said again, less with time; set
 * aside as soon as something contradicts it, until a person has looked.
 *
 * New: confidence 0.5. The same text again: + 0.1, at most 1, and one use more. Contradicted: - 0.1 and status "review":
 * nothing uses it until ag_know_review(). */
#ifndef AG_KNOWLEDGE_LEARNING_H
#define AG_KNOWLEDGE_LEARNING_H

#include "knowledge/object.h"

#define AG_KNOW_STEP 0.1

typedef struct ag_know_lesson {
	ag_str description, category;
	const ag_val *tables;                               /* a list of names */
	ag_str original_sql, corrected_sql, original_error; /* "" = none */
	ag_str contradicts; /* beginning of the key of a learning that is wrong; "" = none */
	ag_str author;
	int64_t now_ms;
} ag_know_lesson;

typedef struct ag_know_learnt {
	ag_know learning; /* as it is now */
	bool is_new;
	const ag_str *reviews; /* short keys of learnings that it set aside */
	size_t nreview;
} ag_know_learnt;

/* In arena. Learnings whose corrected SQL is the new one's failed SQL are contradicted.
 * errors  AG_INVALID: description, category, tables, in this order; AG_NOT_FOUND: `contradicts`; of the store */
AG_CHECK ag_status ag_know_learn(ag_store *s, ag_str project, const ag_know_lesson *l,
                                 ag_arena *arena, ag_know_learnt *ret, ag_err *err);
/* key: or its beginning. why: one sentence. */
AG_CHECK ag_status ag_know_contradict(ag_store *s, ag_str project, ag_str key, ag_str why,
                                      int64_t now_ms, ag_arena *arena, ag_know *ret, ag_err *err);
/* A person says that it is right: it is used again. errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_know_review(ag_store *s, ag_str project, ag_str key, int64_t now_ms,
                                  ag_arena *arena, ag_know *ret, ag_err *err);

#endif
