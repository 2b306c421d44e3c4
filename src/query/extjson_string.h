/* extjson_string -- string literals of the reader: escapes, surrogates, UTF-8. Private to extjson. */
#ifndef AG_QUERY_EXTJSON_STRING_H
#define AG_QUERY_EXTJSON_STRING_H

#include "query/extjson.h"

typedef struct ag_extjson_scan {
	ag_str text;
	size_t at;
	ag_arena *arena;
	bool repair_utf8;
	ag_extjson_notes notes;
	ag_err *err;
} ag_extjson_scan;

/* scan->at is on the opening quote; afterwards behind the closing one. Without escapes and repairs
 * the result is a view into the text. On failure scan->at is where the trouble is. */
AG_CHECK ag_status ag_extjson_string(ag_extjson_scan *scan, ag_str *ret);

#endif
