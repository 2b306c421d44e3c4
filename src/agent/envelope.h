/* envelope -- the one form in which tools of a project answer (reference analyst.md 3.3):
 * {"success":true,"data":{…},"project_id","schema","warnings":[…],"timing_ms"} or {"success":false,"error":{…}}. */
#ifndef AG_AGENT_ENVELOPE_H
#define AG_AGENT_ENVELOPE_H

#include "agent/call.h"

/* {"success":true,"data":{ … and leaves data open. */
void ag_envelope(ag_jw *w);
/* … }, "project_id", "schema" (unless ""), "warnings" (unless none), "timing_ms"} */
void ag_envelope_end(ag_jw *w, const ag_call *c, ag_str warning);
/* The same where data is closed already. */
void ag_envelope_tail(ag_jw *w, const ag_call *c, ag_str warning);
/* {"success":false,"error":{"code","message","detail"…}}; sets is_error. sql: "" = none was sent. */
void ag_envelope_error(ag_tool_output *out, const ag_sql_failure *f, ag_str sql);
/* The shared output schema of tools that answer with an envelope whose data has no fixed form. */
extern const char ag_envelope_schema[];

#endif
