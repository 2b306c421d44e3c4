/* wire_read -- what the readers of both protocols share. */
#ifndef AG_LLM_WIRE_READ_H
#define AG_LLM_WIRE_READ_H

#include "llm/accumulate.h"
#include "query/value.h"

/* One JSON text of a server into the scratch arena of acc (which is emptied first). what: "the answer", "an event".
 * errors  AG_PROTOCOL, with the beginning of what came; HTML gets a hint at the address; AG_LIMIT: too deep, or more
 *         than AG_WIRE_MAX_VALUES */
AG_CHECK ag_status ag_wire_parse(const char *origin, const char *what, ag_str text, ag_acc *acc,
                                 ag_val *ret, ag_err *err);
/* Member as text: strings, and numbers as written; "" for all else. */
ag_str ag_wire_str(const ag_val *obj, const char *key);
/* A member that is an object or array, else NULL. */
const ag_val *ag_wire_obj(const ag_val *obj, const char *key);
const ag_val *ag_wire_arr(const ag_val *obj, const char *key);
/* A count of tokens: numbers of any kind and numbers in strings; negative ones, NaN and nonsense are 0. The first key
 * that is there counts. has, when not NULL, is set when one was there. */
uint64_t ag_wire_count(const ag_val *obj, const char *const *keys, size_t nkey, bool *has);
/* Stop reasons of all protocols. false: null, "" or absent, so nothing was said. */
bool ag_wire_stop(const ag_val *reason, ag_llm_stop *ret);
/* Does this body or event carry an error instead of an answer? */
bool ag_wire_is_error(const ag_val *v);
/* Fails with what the error says; see ag_wire_fail(). */
ag_status ag_wire_fail_val(const char *origin, const ag_val *v, int http_status, ag_err *err);
/* The error's own words on one line of at most 300 bytes, without keys. In arena. */
ag_str ag_wire_clean(ag_str text, ag_arena *arena);

#endif
