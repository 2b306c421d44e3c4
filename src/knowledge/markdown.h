/* markdown -- an object as a text file: front matter in YAML, then its text.
 *
 *   ---
 *   kind: metric
 *   name: "MRR"
 *   sql: |-
 *     SELECT SUM(amount) AS mrr
 *     FROM subscriptions
 *   unit: "USD"
 *   status: active
 *   ---
 *
 *   Monthly recurring revenue.
 *
 * The text is the field that the kind names (ag_know_type.text), or the name where it has none. Every member of an object
 * is in the file, so that one which was written and read again is the same. A person may leave out all but kind, name and
 * what the kind needs. */
#ifndef AG_KNOWLEDGE_MARKDOWN_H
#define AG_KNOWLEDGE_MARKDOWN_H

#include "knowledge/object.h"

void ag_know_markdown_write(const ag_know *o, ag_buf *out);
/* file: its name, for messages. now_ms: for times that it does not have. In arena.
 * errors  AG_INVALID: names the file and the line or field; AG_LIMIT */
AG_CHECK ag_status ag_know_markdown_read(ag_str text, ag_str file, int64_t now_ms, ag_arena *arena,
                                         ag_know *ret, ag_err *err);
/* "metrics/mrr-371f7e42.md", of an export. In arena. */
ag_str ag_know_markdown_name(const ag_know *o, ag_arena *arena);

#endif
