/* index_traits -- what there is to say for and against one candidate. Private to ask/index_*.c. */
#ifndef AG_ASK_INDEX_TRAITS_H
#define AG_ASK_INDEX_TRAITS_H

#include "ask/index_words.h"

/* Shares of 0 to 1, unless said otherwise. */
typedef enum ag_trait {
	AG_TRAIT_BM25,   /* of the best candidate's */
	AG_TRAIT_EXACT,  /* the question's words that the title has, as far as it has no others */
	AG_TRAIT_COVER,  /* the question's words anywhere in it */
	AG_TRAIT_LEAD,   /* in its title or its first lines */
	AG_TRAIT_HEADS,  /* in its title, the titles above and the path together */
	AG_TRAIT_NOT,    /* both say "without" or "not", the question and the title */
	AG_TRAIT_ABOVE,  /* in the titles above and the path */
	AG_TRAIT_BODY,   /* density of the question's words in its text */
	AG_TRAIT_PAGE,   /* BM25 of the best sections of its file */
	AG_TRAIT_FILE,   /* in all candidates of its file together */
	AG_TRAIT_NEAR,   /* neighbours in the question that are neighbours in it */
	AG_TRAIT_PHRASE, /* phrases in quotes that it has as they are */
	AG_TRAIT_LINKED, /* the question's words around a link to it */
	AG_TRAIT_NAMED,  /* the question names its file: "in pyproject.toml" */
	AG_TRAIT_KIND,   /* prose, code or settings, as the question wants it: -1 to 1 */
	AG_TRAIT_SHAPE,  /* steps for "how", numbers for "how many", "A or B" for a difference */
	AG_TRAIT_LINKS, /* of its lines that are nothing but links: a table of contents answers nothing */
	AG_TRAIT_ASIDE,   /* tests, examples, change logs: places that repeat others */
	AG_TRAIT_REPEATS, /* the question stands in it as it is: a list of questions */
	AG_NTRAIT
} ag_trait;

typedef struct ag_candidate {
	ag_index_hit hit;
	double traits[AG_NTRAIT];
	double score;
	ag_found found; /* in all of it */
} ag_candidate;

/* hit.score is BM25's share already. Some traits are of all candidates together. */
void ag_traits_of(const ag_question *q, ag_candidate *list, size_t n, ag_arena *arena);

#endif
