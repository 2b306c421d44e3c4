/* human -- numbers, sizes, shares and times as people read them. */
#ifndef AG_REPORT_HUMAN_H
#define AG_REPORT_HUMAN_H

#include "base/arena.h"
#include "base/paint.h"
#include "query/value.h"

/* "2,031", "4.2 MB", "10.2%" (never 0% or 100% when it is not). */
ag_str ag_human_count(uint64_t n, ag_arena *arena);
/* "1 document", "2,031 documents" */
ag_str ag_human_documents(uint64_t n, ag_arena *arena);
ag_str ag_human_bytes(uint64_t n, ag_arena *arena);
ag_str ag_human_share(uint64_t part, uint64_t whole, ag_arena *arena);
/* "2026-11-21T23:46:20.123Z" as "2026-11-21 23:46:20 UTC"; other texts as they are. */
ag_str ag_human_time(ag_str iso, ag_arena *arena);
/* "12 ms", "0.2 s", "3 min 20 s", "1 h 5 min" */
ag_str ag_human_duration(int64_t ms, ag_arena *arena);
/* A value of the data as people see it: blanks at the ends of a text and double blanks are drawn as "·" (utf8). Else the
 * text hides its defect. NULL: "(missing)". Not escaped for terminals. */
ag_str ag_human_value(const ag_val *v, bool utf8, ag_arena *arena);
ag_ink ag_severity_ink(ag_str severity);

#endif
