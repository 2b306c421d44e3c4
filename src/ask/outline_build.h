/* outline_build -- what the readers behind outline.h share: the list under construction. Private to ask/outline*.c, slug.c.
 *
 * A reader adds items in any order with title, anchor or name, level, line and, for definitions, the line where they stop;
 * outline.c sorts them and finds out the rest. To add a language: a row in outline.c, a reader beside the others, cases in
 * tests/cases/ask/definitions.cases. */
#ifndef AG_ASK_OUTLINE_BUILD_H
#define AG_ASK_OUTLINE_BUILD_H

#include "ask/outline.h"

#define AG_OUTLINE_MAX_TITLE 400u /* bytes of a title; an anchor is never cut */
#define AG_OUTLINE_MAX_DEPTH 32u  /* of definitions in definitions */

typedef struct ag_outline_draft {
	ag_outline_item item;
	size_t order;  /* of adding */
	unsigned stop; /* last line of a definition, 0 = as far as the next of its level */
} ag_outline_draft;

typedef struct ag_outline_build {
	ag_arena *arena;
	ag_str text; /* without a byte order mark; at most AG_OUTLINE_MAX_TEXT */
	ag_str path;
	const uint32_t
		*line_at; /* where each line begins; one more than lines: where the text ends */
	size_t nline;
	ag_outline_draft *items;
	size_t n, cap;
	ag_str *anchors;
	size_t nanchor, anchor_cap;
} ag_outline_build;

/* NULL when the list is full. Valid until the next one is added. Title and name are copied, white space folded. */
ag_outline_draft *ag_outline_add(ag_outline_build *b, ag_str title, ag_str name, unsigned level,
                                 unsigned line);
void ag_outline_add_anchor(ag_outline_build *b, ag_str anchor);

/* Line 1.. of the text, without its end. */
ag_str ag_outline_line(const ag_outline_build *b, size_t number);

/* --- slug.c --- */

typedef struct ag_slugger {
	ag_arena *arena;
	void *re; /* compiled when the first heading beyond ASCII comes */
	struct slot *slots;
	size_t nslot, nused;
} ag_slugger;

void ag_slugger_init(ag_slugger *s, ag_arena *arena);
void ag_slugger_release(ag_slugger *s);
/* The anchor of the next heading of a document: numbered where it is taken. */
ag_str ag_slugger_next(ag_slugger *s, ag_str visible);

/* --- the readers --- */

void ag_outline_markdown(ag_outline_build *b);

#endif
