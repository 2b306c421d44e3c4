/* json -- a streaming JSON writer into an ag_buf; the code has the shape of the document.
 *
 * Errors stick in the buffer. Outside this writer nobody prints JSON. Strings must be UTF-8; bytes
 * that are not are written as U+FFFD, so the output is always valid JSON. Non-finite numbers are
 * written as null (extended JSON has its own writer in query/extjson.h). */
#ifndef AG_BASE_JSON_H
#define AG_BASE_JSON_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_JW_MAX_DEPTH 256

typedef struct ag_jw {
	ag_buf *out;
	int indent; /* spaces per level; 0 = all on one line, no blanks */
	int depth;
	bool after_key;
	unsigned char used[AG_JW_MAX_DEPTH / 8]; /* bit per level: something was written there */
} ag_jw;

void ag_jw_init(ag_jw *w, ag_buf *out, int indent);
void ag_jw_obj(ag_jw *w);
void ag_jw_obj_end(ag_jw *w);
void ag_jw_arr(ag_jw *w);
void ag_jw_arr_end(ag_jw *w);
void ag_jw_key(ag_jw *w, ag_str key);
void ag_jw_str(ag_jw *w, ag_str s);
void ag_jw_int(ag_jw *w, int64_t v);
void ag_jw_uint(ag_jw *w, uint64_t v);
void ag_jw_double(ag_jw *w, double v);
void ag_jw_bool(ag_jw *w, bool v);
void ag_jw_null(ag_jw *w);
/* Text that is already one complete JSON value; copied as it is (never re-indented). */
void ag_jw_raw(ag_jw *w, ag_str json);
/* `key: value` in one call. `key` is a C literal. */
void ag_jw_kkey(ag_jw *w, const char *key);
void ag_jw_kstr(ag_jw *w, const char *key, ag_str s);
void ag_jw_kint(ag_jw *w, const char *key, int64_t v);
void ag_jw_kuint(ag_jw *w, const char *key, uint64_t v);
void ag_jw_kdouble(ag_jw *w, const char *key, double v);
void ag_jw_kbool(ag_jw *w, const char *key, bool v);
void ag_jw_knull(ag_jw *w, const char *key);
/* A time as ag_time_format writes it; the second writes null for 0, a time that is not set. */
void ag_jw_ktime(ag_jw *w, const char *key, int64_t ms);
void ag_jw_ktime_or_null(ag_jw *w, const char *key, int64_t ms);
void ag_jw_kraw(ag_jw *w, const char *key, ag_str json);

/* A quoted JSON string, escaped, without a writer. */
void ag_json_quote(ag_buf *out, ag_str s);

#ifdef __cplusplus
}
#endif
#endif
