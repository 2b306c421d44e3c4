/* prompt -- what a model reads of a project's knowledge, within a budget of bytes.
 *
 * Within it: all entries and metrics by title, notes on tables by name, the best learnings by confidence. The text then does
 * not depend on the question, so that a server's cache can keep it. Beyond it: the learnings stay where they are, and what
 * fits the question comes at the end, best first; a metric that the question names is never left out (of 50). What is left out is
 * named, and the tool search_knowledge finds it. */
#ifndef AG_KNOWLEDGE_PROMPT_H
#define AG_KNOWLEDGE_PROMPT_H

#include "knowledge/set.h"
#include "sql/dictionary.h"

#define AG_KNOW_PROMPT_BYTES     (24u * 1024)
#define AG_KNOW_PROMPT_LEARNINGS 20u

typedef struct ag_know_prompt_opts {
	ag_know_set *set;
	const ag_dictionary
		*dictionary; /* notes on tables that are not in it are left out; NULL = none is */
	ag_str question;
	size_t max_bytes; /* 0 = AG_KNOW_PROMPT_BYTES */
	int64_t now_ms;   /* wall time: learnings fade */
} ag_know_prompt_opts;

typedef struct ag_know_prompt {
	ag_str stable;         /* "" = there is nothing */
	ag_str ranked;         /* depends on the question; "" = everything is in `stable` */
	const ag_know **shown; /* what is in them */
	size_t nshown;
	size_t nleft; /* entries, metrics and notes that are not */
} ag_know_prompt;

/* Texts in arena; objects are the set's. */
void ag_know_prompt_make(const ag_know_prompt_opts *o, ag_arena *arena, ag_know_prompt *ret);

/* One object as the prompt shows it, without the mark around data. */
void ag_know_prompt_write(const ag_know *o, int64_t now_ms, ag_buf *out);
/* text between <data name="NAME"> and </data>. Nothing within can close it; other signs stay as they are, because SQL is in
 * it. */
void ag_know_fence(ag_buf *out, const char *name, ag_str text);

#endif
