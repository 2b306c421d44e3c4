/* markup -- what may be in a page: HTML and SVG by an allow-list, and the words of either.
 *
 * The output is written anew from what was understood: known elements with known attributes, in quotes, closed in order; every
 * other "<", ">" and "&" is text. So it is safe whatever the input was, and a browser cannot read it in another way. No
 * library: of those in C that Debian has, libgumbo is a parser without an allow-list, which its authors gave up, and libxml2
 * reads HTML in another way than browsers do.
 *
 * Left out: scripts, forms, frames, objects, comments, event handlers, addresses that are not http, https, mailto or a place
 * of the page itself, images that are not data:image/png, jpeg, gif or webp, and styles with url(), "@", "\" or "<". */
#ifndef AG_ARTIFACT_MARKUP_H
#define AG_ARTIFACT_MARKUP_H

#include "base/arena.h"

#define AG_MARKUP_MAX_DEPTH 200u

/* Writes the part of the text that may be shown; broken bytes become U+FFFD. only_svg: what is outside of <svg> is left out.
 * Returns how many elements and attributes were left out. */
size_t ag_markup_clean(ag_str text, bool only_svg, ag_buf *out);
/* Its words, for people and for the check of figures: one block a line, a table as Markdown. In arena. */
ag_str ag_markup_text(ag_str text, ag_arena *arena);
/* Text as HTML: & < > " ' are written as references. */
void ag_markup_escape(ag_buf *out, ag_str text);

#endif
