/* taxonomy -- the categories of findings: ids, synonyms, titles. One table (categories.c).
 *
 * History, diff and the collector compare like with like because every category goes through
 * ag_category_canonical(): case, blanks and hyphens are folded, synonyms become the id. An unknown category is
 * kept in folded form. */
#ifndef AG_AUDIT_TAXONOMY_H
#define AG_AUDIT_TAXONOMY_H

#include "base/arena.h"

typedef enum ag_severity { AG_LOW, AG_MEDIUM, AG_HIGH, AG_CRITICAL } ag_severity;

const char *ag_severity_name(ag_severity s);
bool ag_severity_parse(ag_str s, ag_severity *ret); /* any case */
double ag_severity_weight(ag_severity s);           /* 0.25 .5 .75 1 … for ranking */

typedef struct ag_category {
	const char *id;       /* "null_rate" */
	const char *title;    /* "Null values", for people */
	const char *synonyms; /* blank-separated folded names, "" = none */
	unsigned row;         /* row of the catalogue, 0 = none */
	const char *
		meaning; /* of the common ones, in a few words for a model; NULL = the name says it */
} ag_category;

/* Category by canonical id, or NULL. */
const ag_category *ag_category_find(ag_str id);
ag_str ag_category_canonical(ag_str name, ag_arena *arena);
const ag_category *ag_category_table(size_t *ret_n);

#endif
