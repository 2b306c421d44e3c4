/* outline_html -- raw HTML between Markdown, cut into text and tags. Private to ask/outline*.c.
 *
 * As much of HTML's tokenizer as headings and link targets need: attributes with and without quotes, comments, which may go
 * on in the next piece of raw HTML. Never fails; what is no tag is text. */
#ifndef AG_ASK_OUTLINE_HTML_H
#define AG_ASK_OUTLINE_HTML_H

#include "base/arena.h"

typedef struct ag_html_scan {
	ag_str raw; /* what is looked at; set by ag_html_feed */
	size_t pos;
	bool is_comment; /* an open comment: the next piece begins in it */
	bool no_gt, no_quote, no_apostrophe, no_end; /* none from here to the end of the piece */
} ag_html_scan;

typedef struct ag_html_piece {
	bool is_tag;
	bool is_end;    /* </…> */
	ag_str text;    /* as it stands in raw; entities are not decoded */
	unsigned level; /* of h1..h6, else 0 */
	bool is_shown;  /* a tag that GitHub shows as text: <title>, <script>, … */
	ag_str id;      /* attribute id; name of <a name>; "" = none */
} ag_html_piece;

void ag_html_feed(ag_html_scan *s, ag_str raw);
bool ag_html_next(ag_html_scan *s, ag_html_piece *ret);

#endif
