/* prompt -- what the analyst's model reads: sections in a fixed order, each with its cost.
 *
 * Base rules, the project's instructions, its knowledge, the data dictionary, the query configuration. Within the budgets all
 * parts keep a stable order, so that a server's cache can keep it. Beyond them the dictionary lists all tables, and the
 * knowledge and the columns of tables that fit the question come last. */
#ifndef AG_ANALYST_PROMPT_H
#define AG_ANALYST_PROMPT_H

#include "knowledge/prompt.h"
#include "project/project.h"
#include "sql/dictionary.h"

/* With more tables the dictionary is a list, and describe_table tells the rest. */
#define AG_ANALYST_INLINE_TABLES 15u
#define AG_ANALYST_PROMPT_BYTES  (48u * 1024) /* of the dictionary */
#define AG_ANALYST_MAX_SECTIONS  12u

typedef struct ag_analyst_prompt_opts {
	const ag_project *project;
	const ag_dictionary *dictionary; /* NULL = it could not be read: */
	ag_str no_dictionary;            /* why, one sentence */
	ag_str question;                 /* ranks what does not fit; "" = nothing is ranked */
	size_t dictionary_bytes;         /* 0 = AG_ANALYST_PROMPT_BYTES */
	ag_know_set *knowledge;          /* NULL = none */
	size_t knowledge_bytes;          /* 0 = AG_KNOW_PROMPT_BYTES */
	bool learns;                     /* the tool save_learning is offered */
	const ag_caller *recipes_of;     /* who is offered the tools for recipes; NULL = nobody */
	bool is_step;                    /* the question is a step of a recipe */
	bool draws;                      /* the tool create_artifact is offered */
	unsigned retries;
	int64_t now_ms; /* wall time, for today's date */
} ag_analyst_prompt_opts;

typedef struct ag_analyst_section {
	const char *
		name; /* "base", "project", "knowledge", "dictionary", "configuration", "ranked" … */
	ag_str text;
} ag_analyst_section;

typedef struct ag_analyst_prompt {
	ag_analyst_section
		sections[AG_ANALYST_MAX_SECTIONS]; /* those that are not empty, in order */
	size_t nsection;
	ag_str system; /* all of them */
	ag_str last_words;
	ag_know_prompt known; /* what of the knowledge is in it */
} ag_analyst_prompt;

AG_CHECK ag_status ag_analyst_prompt_make(const ag_analyst_prompt_opts *o, ag_arena *arena,
                                          ag_analyst_prompt *ret, ag_err *err);

/* One table of the dictionary, as the prompt shows it. */
void ag_analyst_table_text(const ag_dict_table *t, ag_buf *out);

#endif
