/* index_words -- words of texts and questions as the index compares them. Only ask/index*.c and ask/offline*.c. */
#ifndef AG_ASK_INDEX_WORDS_H
#define AG_ASK_INDEX_WORDS_H

#include "ask/index.h"

#define AG_STEM_MAX 48u /* bytes; longer words are compared by so many */

typedef struct ag_stem {
	char text[AG_STEM_MAX];
	size_t len;
} ag_stem;

/* The next word of a text from *pos on: letters, digits, bytes beyond ASCII; "maxRows" and "max_rows" are two each, and
 * each character of a script without blanks is one. */
bool ag_word_next(ag_str text, size_t *pos, ag_str *ret);
/* Lower case, without the endings of English: "protecting" and "protected" are "protect". */
ag_stem ag_stem_of(ag_str word);
static inline bool ag_stem_eq(const ag_stem *a, const ag_stem *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* What a question is after. */
typedef enum ag_asks {
	AG_ASKS_ANY,
	AG_ASKS_HOW,   /* how to, steps: prose */
	AG_ASKS_WHAT,  /* what is, what does … mean: the section whose title it is */
	AG_ASKS_WHERE, /* which file, function, route, where is … defined: code */
	AG_ASKS_FACT   /* which framework, port, version: code and configuration */
} ag_asks;

typedef struct ag_qword {
	ag_str word; /* as it is looked for */
	ag_stem stem;
	unsigned
		of; /* words with one number are one thing: the question's own word first, then its synonyms */
	double share; /* of that thing: 1 = its own word, less = a synonym */
	double weight; /* how much it is worth to have it: rare words more, words that questions are made of less */
	size_t with; /* documents that have it */
} ag_qword;

typedef struct ag_question {
	ag_str text;
	ag_asks asks;
	bool is_negated, is_quantity,
		is_choice; /* "without"; "how many", "at what time"; "difference" */
	ag_qword words[AG_INDEX_MAX_WORDS];
	size_t nword, nown; /* own words come first */
	unsigned nof;       /* different things: words[].of is less */
	ag_str phrases[8];  /* in quotes or code spans, without them */
	size_t nphrase;
} ag_question;

/* "get rid of" is "remove". */
typedef struct ag_phrase {
	const char *said, *meant; /* small letters */
} ag_phrase;

/* Lines of words that stand for each other; index_synonyms.c. */
const char *const *ag_synonyms(size_t *ret_n);
const ag_phrase *ag_phrases(size_t *ret_n);

/* "without", "no", "not": no word to look for, yet it parts two sections that are else alike. */
bool ag_text_is_negated(ag_str text);
/* Texts in arena or views of `text`. Weights are those of a project that has not been looked at. */
void ag_question_read(ag_str text, ag_arena *arena, ag_question *ret);
/* Rare words weigh more. */
void ag_question_weigh(ag_question *q, const ag_index_counts *counts);

/* What texts have of a question: for each of its things the best factor. Starts as zero. */
typedef struct ag_found {
	double of[AG_INDEX_MAX_WORDS];
	double often[AG_INDEX_MAX_WORDS]; /* how often, synonyms less */
	size_t nword;                     /* of the texts, without articles and their kind */
	size_t nknown;                    /* of them in the question */
	unsigned npair;                   /* neighbours in the question that are neighbours here */
} ag_found;

/* NULL when the question does not ask for it. */
const ag_qword *ag_question_match(const ag_question *q, ag_str word);
/* Adds what the text has. */
void ag_question_look(const ag_question *q, ag_str text, ag_found *f);
/* The share of the question's weight that was found, 0 to 1. with_absent: words that no document has count as well. */
double ag_question_share(const ag_question *q, const ag_found *f, bool with_absent);
/* The same with how often the words are said in how long a text: what BM25 does. */
double ag_question_density(const ag_question *q, const ag_found *f, double usual_nword);
void ag_found_unite(ag_found *into, const ag_found *other, double factor);

/* The share of the question that a document has, words that are nowhere included: is it an answer at all? */
double ag_index_cover(const ag_question *q, const ag_index_hit *h);
/* As ag_index_ask(); ret_q is the question as it was read and weighed. */
AG_CHECK ag_status ag_index_ask_read(const ag_ctx *ctx, const ag_index_query *q, ag_arena *arena,
                                     ag_question *ret_q, ag_index_hit **ret, size_t *nret,
                                     ag_err *err);

#endif
