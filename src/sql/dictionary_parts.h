/* dictionary_parts -- what the files of the dictionary share. */
#ifndef AG_SQL_DICTIONARY_PARTS_H
#define AG_SQL_DICTIONARY_PARTS_H

#include "sql/dictionary.h"

/* How a table is called where names without schema mean `schema`: "users", "sales.orders". A part that holds a dot or a
 * quote is in double quotes, so that ag_dictionary_find() takes it back. In arena, or a view of `name`. */
ag_str ag_dictionary_shown(ag_str own_schema, ag_str schema, ag_str name, ag_arena *arena);
/* By schema (the own one first), then name: the order of ag_dictionary.tables. */
int ag_dictionary_cmp(ag_str own_schema, ag_str schema_a, ag_str name_a, ag_str schema_b,
                      ag_str name_b);
/* A name as SQL writes it: name, schema.name, with double quotes around a part. is_folded: what is not quoted becomes lower
 * case. schema.ptr is NULL when none is written. False: it is no such name. Parts in arena, or views of text. */
bool ag_dictionary_parts(ag_str text, bool is_folded, ag_arena *arena, ag_str *ret_schema,
                         ag_str *ret_name);
/* The literal of a kind of table, or NULL. */
const char *ag_dictionary_type(ag_str type);

#endif
