/* search -- words or a regular expression over the project's text files, ranked, with line numbers. */
#ifndef AG_ASK_SEARCH_H
#define AG_ASK_SEARCH_H

#include "ask/root.h"

#define AG_SEARCH_MAX_HITS 100u

typedef struct ag_search_query {
	ag_str text; /* words (any order, any case, each counts), or a PCRE2 pattern */
	bool is_regex;
	ag_str under;      /* folder, "" = all */
	ag_str glob;       /* of file names: "*.py", "**" over folders; "" = all */
	unsigned max_hits; /* 0 = 20 */
} ag_search_query;

typedef struct ag_search_hit {
	ag_str path;
	unsigned line;  /* 1-based */
	ag_str text;    /* of the line, trimmed, at most 240 bytes around the match */
	ag_str heading; /* Markdown: anchor of the section it stands in, "" = none */
	double score;
} ag_search_hit;

typedef struct ag_search_result {
	const ag_search_hit
		*hits; /* best first; at most 5 of one file before other files had their turn */
	size_t n;
	size_t nline, nfile; /* that match, and files with a match */
	size_t nscanned;     /* files that were read */
	bool is_cut;         /* not all was read */
	const char *
		cut_by; /* the first cap that was hit: "the time for a search", "256 MiB"; NULL = none */
} ag_search_result;

/* A file counts with its first 2 MiB; binary ones are left out. Words: a line's score is the share of the words it has, with
 * headings, file names and rare words worth more. errors  AG_INVALID: empty text, a pattern that does not compile */
AG_CHECK ag_status ag_search_files(ag_root *r, const ag_ctx *ctx, const ag_search_query *q,
                                   ag_arena *arena, ag_search_result *ret, ag_err *err);

/* Words of a question or a text: lower case, without stop words and punctuation; identifiers also in their parts
 * (max_rows -> max_rows, max, rows). In order of appearance, each once, at most `max`. Shared with ask/index.h. */
size_t ag_search_words(ag_str text, ag_arena *arena, ag_str *ret, size_t max);

#endif
