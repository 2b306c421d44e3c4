/* id -- UUIDv7: sorts by time, unique across processes (RFC 9562 section 5.7). */
#ifndef AG_RUN_ID_H
#define AG_RUN_ID_H

#include "base/str.h"
#include "base/time.h"

#define AG_ID_LEN 36

typedef struct ag_id {
	char text[AG_ID_LEN + 1]; /* "0190c3e2-…", lower case, NUL-terminated; "" = none */
} ag_id;

/* Random bits come from the kernel; within one process ids of one millisecond still ascend. */
ag_id ag_id_new(const ag_clock *clock);
/* Not above any id of that millisecond or later, above every earlier one: for "before that time". */
ag_id ag_id_floor(int64_t wall_ms);
/* False when s is not 8-4-4-4-12 hex digits; case is folded. */
bool ag_id_parse(ag_str s, ag_id *ret);

static inline ag_str ag_id_str(const ag_id *id)
{
	return ag_str_c(id->text);
}

#endif
