/* yaml -- a YAML text as one value, for files that people write: front matter, models of dbt.
 *
 * Texts stay as they are written: only null, ~, true and false without quotes become what they say, and an empty value is
 * null. Anchors, aliases, tags, repeated keys and keys that are no text are refused: they can make a small file large, or a
 * clear one unclear. */
#ifndef AG_KNOWLEDGE_YAML_H
#define AG_KNOWLEDGE_YAML_H

#include "base/err.h"
#include "query/value.h"

#define AG_YAML_MAX_BYTES  (4u << 20)
#define AG_YAML_MAX_DEPTH  32u
#define AG_YAML_MAX_VALUES 200000u

/* One document. name: of the file, for messages; line: that of the text's first line in it, counted from 1. In arena.
 * errors  AG_INVALID: "metrics/mrr.md:3:7: not YAML: …"; AG_LIMIT */
AG_CHECK ag_status ag_yaml_read(ag_str text, ag_str name, size_t line, ag_arena *arena, ag_val *ret,
                                ag_err *err);
/* A text as YAML that reads back as the same: in quotes, or line by line when it has several, each after `indent` blanks. */
void ag_yaml_write(ag_buf *out, ag_str text, unsigned indent);

#endif
