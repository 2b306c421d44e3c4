/* brief -- values cut down to what a log, a report and a planner can use.
 *
 * One text of megabytes in the data must not make a sample, an observation or a finding too large to be kept.
 * What was cut says so: "abc… (3000000 bytes)". Filters are never cut, because they are run again. */
#ifndef AG_AUDIT_BRIEF_H
#define AG_AUDIT_BRIEF_H

#include "query/value.h"

#define AG_BRIEF_TEXT_BYTES  512  /* of one text */
#define AG_BRIEF_VALUE_BYTES 2048 /* of one sample value as JSON */

/* The value with every long text in it cut. Shares with v what is short. */
ag_val ag_brief_val(const ag_val *v, ag_arena *arena);
/* The same, and an array or object that is large still is only named: "(array of 90000 items)". */
ag_val ag_brief_sample(const ag_val *v, ag_arena *arena);

#endif
