/* shell -- the document that draws artifacts outside of argus serve: it has the frames of all kinds inside (web/frame/app.ts). */
#ifndef AG_ARTIFACT_SHELL_H
#define AG_ARTIFACT_SHELL_H

#include "base/str.h"

/* False: the program was built without its web page. */
bool ag_artifact_has_shell(void);
/* The document, which there is. view: of ag_artifact_view(), drawn at once, for paper; "" = the host hands one in. */
void ag_artifact_shell(ag_str view, ag_buf *out);

#endif
