/* page -- an artifact as an HTML file that stands for itself: Markdown, HTML and SVG. It loads nothing and runs nothing. */
#ifndef AG_ARTIFACT_PAGE_H
#define AG_ARTIFACT_PAGE_H

#include "artifact/artifact.h"

/* data: what the page is given, {{name}} in HTML is a member of it; "" = none. *ret_nleft: parts that may not be in a page.
 * errors  AG_INVALID: of a kind that a script draws; AG_LIMIT */
AG_CHECK ag_status ag_artifact_page(const ag_artifact *a, ag_str data, ag_arena *arena, ag_buf *out,
                                    size_t *ret_nleft, ag_err *err);
/* What a frame needs to draw it (AG_ARTIFACT_FRAME in tools.h), its data read now as the caller. */
AG_CHECK ag_status ag_artifact_view(const ag_know_place *p, const ag_artifact *a, ag_arena *arena,
                                    ag_buf *out, ag_err *err);
/* Markdown as HTML; nothing in it is taken as HTML. */
void ag_markdown_html(ag_str text, ag_arena *arena, ag_buf *out);

#endif
