/* json_repair -- JSON as small models write it, turned into strict JSON of the same meaning.
 *
 * Accepted beside JSON: a comma before the end of a list, line and block comments, texts in single or typographic quotes,
 * line breaks inside texts, keys without quotes, True, False and None. Everything else that is not JSON is refused: NaN,
 * missing commas, texts that do not end, keys that occur twice. Numbers and texts keep their bytes. */
#ifndef AG_LLM_JSON_REPAIR_H
#define AG_LLM_JSON_REPAIR_H

#include "base/arena.h"
#include "base/str.h"

/* The value that text begins with (white space and comments before it are skipped) as strict JSON: a view of text when it
 * is JSON already, else in arena. *ret_end: bytes of text up to the end of the value. False: it cannot be read. */
bool ag_json_lenient(ag_str text, ag_arena *arena, ag_str *ret, size_t *ret_end);
/* The same for an object alone. */
bool ag_json_lenient_object(ag_str text, ag_arena *arena, ag_str *ret, size_t *ret_end);

#endif
