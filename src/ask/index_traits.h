/* index_traits -- what there is to say for and against one candidate. Private to ask/index_*.c. */
#ifndef AG_ASK_INDEX_TRAITS_H
#define AG_ASK_INDEX_TRAITS_H

#include "ask/index_words.h"

/* Shares of 0 to 1, unless said otherwise. */
typedef enum ag_trait {
	AG_TRAIT_BM25,   /* of the best candidate's */
	AG_TRAIT_TITLE,  /* the question's words that the title has */
	AG_TRAIT_EXACT,  /* of those, as far as the title has no others */
	AG_TRAIT_COVER,  /* the question's words anywhere in it */
	AG_TRAIT_LEAD,   /* in its title or its first lines */
	AG_TRAIT_HEADS,  /* in its title, the titles above and the path together */
	AG_TRAIT_BLOCK,  /* in one of its paragraphs */
	AG_TRAIT_NOT,    /* both say "without" or "not", the question and the title */
	AG_TRAIT_ABOVE,  /* in the titles above and the path */
	AG_TRAIT_FILE,   /* in all candidates of its file together */
	AG_TRAIT_NEAR,   /* neighbours in the question that are neighbours in it */
	AG_TRAIT_PHRASE, /* phrases in quotes that it has as they are */
	AG_TRAIT_LINKED, /* the question's words in a line elsewhere that links to it */
	AG_TRAIT_KIND,   /* prose, code or settings, as the question wants it: -1 to 1 */
	AG_TRAIT_LINKS, /* of its lines that are nothing but links: a table of contents answers nothing */
	AG_TRAIT_THIN,    /* hardly any text */
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
