/* draft -- is this what an artifact may be? One sentence names the field that is not. */
#ifndef AG_ARTIFACT_DRAFT_H
#define AG_ARTIFACT_DRAFT_H

#include "artifact/artifact.h"

/* errors  AG_INVALID: "type: want react, plotly, html, markdown or svg, got \"chart\"" */
AG_CHECK ag_status ag_artifact_check_kind(ag_str name, ag_artifact_kind *ret, ag_err *err);
AG_CHECK ag_status ag_artifact_check_code(ag_str code, ag_err *err);
AG_CHECK ag_status ag_artifact_check_title(ag_str title, ag_err *err);
AG_CHECK ag_status ag_artifact_check_description(ag_str text, ag_err *err);
/* v: an object, a list of objects, or the text of one. *ret: JSON on one line. */
AG_CHECK ag_status ag_artifact_check_data(const ag_val *v, ag_arena *arena, ag_str *ret,
                                          ag_err *err);
/* v: a list of {"name","sql"}, or the text of one. */
AG_CHECK ag_status ag_artifact_check_queries(const ag_val *v, ag_arena *arena, ag_str *ret,
                                             ag_err *err);

#endif
