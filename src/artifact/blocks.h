/* blocks -- Markdown cut into blocks, as a terminal and a page draw them: headings, text, items, code, tables. What is none of
 * these is text. */
#ifndef AG_ARTIFACT_BLOCKS_H
#define AG_ARTIFACT_BLOCKS_H

#include "query/value.h"

typedef enum ag_block_kind {
	AG_BLOCK_TEXT,
	AG_BLOCK_HEADING,
	AG_BLOCK_ITEM,
	AG_BLOCK_QUOTE,
	AG_BLOCK_CODE,
	AG_BLOCK_TABLE,
	AG_BLOCK_RULE
} ag_block_kind;

typedef struct ag_block {
	ag_block_kind kind;
	unsigned level;       /* HEADING: 1 to 6; ITEM: 0 and deeper */
	ag_str mark;          /* ITEM: "-", "3." */
	ag_str text;          /* lines joined by a blank; CODE: as it is */
	ag_val columns, rows; /* TABLE: texts */
} ag_block;

/* Takes the next block off the front; false at the end. Texts in arena. */
bool ag_block_next(ag_str *rest, ag_arena *arena, ag_block *ret);

#endif
