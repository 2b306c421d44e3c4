/* search_parts -- what the files of search share: words, what is looked for, and the lines that have it. */
#ifndef AG_ASK_SEARCH_PARTS_H
#define AG_ASK_SEARCH_PARTS_H

#include "ask/search.h"
#include "base/utf8.h"
#include "query/regex.h"

/* --- search_stop.c --- */

/* Words that say nothing: "the", "how"; small letters. */
bool ag_search_is_stop(ag_str word);
bool ag_search_stop_is_sorted(void); /* for the test of the table */

/* --- search_query.c: what is looked for --- */

#define AG_SEARCH_MAX_TEXT    4096u /* bytes of a query */
#define AG_SEARCH_MAX_NEEDLES 24u
#define AG_SEARCH_MAX_GLOBS   32u

/* How much of a word a place has. Two bits of each needle in a line's `has`. */
typedef enum ag_has { AG_HAS_NOT, AG_HAS_INSIDE, AG_HAS_BEGIN, AG_HAS_WORD } ag_has;

typedef struct ag_needle {
	ag_str word;    /* small letters */
	size_t nstem;   /* bytes of it that are looked for: "branches" is found in "branch", too */
	bool is_phrase; /* the whole query as it was written: more of a bonus than a word */
} ag_needle;

typedef struct ag_search_plan {
	const ag_regex *re; /* NULL: words */
	ag_needle needles[AG_SEARCH_MAX_NEEDLES];
	size_t nneedle;
	unsigned char pairs[65536 / 8]; /* the two bytes that a needle may begin with */
	ag_str globs[AG_SEARCH_MAX_GLOBS];
	size_t nglob;
	ag_str under; /* normal */
	unsigned max_hits;
} ag_search_plan;

AG_CHECK ag_status ag_search_plan_make(const ag_search_query *q, ag_arena *arena,
                                       ag_search_plan *ret, ag_err *err);
bool ag_search_plan_takes(const ag_search_plan *p, ag_str path);

static inline ag_has ag_has_get(uint64_t has, size_t i)
{
	return (ag_has)(has >> (2 * i) & 3);
}

static inline uint64_t ag_has_with(uint64_t has, size_t i, ag_has how)
{
	return how > ag_has_get(has, i)
	               ? (has & ~((uint64_t)3 << (2 * i))) | (uint64_t)how << (2 * i)
	               : has;
}

/* --- search_scan.c: the lines of one text --- */

typedef struct ag_search_line {
	uint32_t file; /* index in the list of files with a match */
	uint32_t line;
	uint32_t begin, len; /* in its text, without the line feed */
	uint32_t at;         /* of the first match, from begin on */
	uint64_t has;
	bool is_heading, is_definition;
	double score;
} ag_search_line;

typedef struct ag_search_lines {
	ag_search_line *items;
	size_t n, max;     /* the best `max` are kept */
	size_t nline;      /* that match, kept or not */
	uint64_t has;      /* the best of all of them */
	double worst;      /* of those that are kept, once there are max */
	const ag_ctx *ctx; /* how long a pattern may be tried; NULL = as long as it takes */
	bool is_cut;       /* time ran out: not all lines were tried */
} ag_search_lines;

/* low: the text in small letters, the same length; not used for a pattern. */
void ag_search_scan(const ag_search_plan *p, ag_str path, ag_str text, ag_str low,
                    ag_search_lines *out);
/* What a path has of the words; low: in small letters. */
uint64_t ag_search_scan_path(const ag_search_plan *p, ag_str path, ag_str low);

#endif
