/* sql_policy -- how a refusal is written, and what a policy and a catalog say about names; inside guard/ only. */
#ifndef AG_GUARD_SQL_POLICY_H
#define AG_GUARD_SQL_POLICY_H

#include "guard/sql.h"

/* The refusal; texts in arena. Returns false, so that a check can end with it. What was there is replaced, the position
 * stays. */
AG_PRINTF(4, 5)
bool ag_sql_refuse(ag_sql_verdict *v, ag_arena *arena, ag_sql_rule rule, const char *fmt, ...);
AG_PRINTF(3, 4) bool ag_sql_refuse_hint(ag_sql_verdict *v, ag_arena *arena, const char *fmt, ...);

/* The schema of names without one. */
ag_str ag_sql_policy_schema(const ag_sql_policy *p);
/* As ag_sql_policy_table(). only: ONLY was written, so the tables that inherit are not read. */
bool ag_sql_policy_relation(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                            ag_str name, bool only, ag_arena *arena, ag_sql_verdict *v);
/* pg_*, information_schema: the server's own. */
bool ag_sql_is_system_schema(ag_str schema);

/* Is `entry` ("name", "schema.name", parts perhaps in double quotes) the object schema.name? A name alone is one of
 * `home`. any_case: capital letters make no difference; any_schema: a name alone is meant everywhere. */
bool ag_sql_entry_matches(ag_str entry, ag_str home, ag_str schema, ag_str name, bool any_case,
                          bool any_schema);
bool ag_sql_entry_is_name(ag_str entry, bool with_schema);

/* --- sql_catalog.c; c may be NULL: nothing is known --- */

const ag_sql_relation *ag_sql_catalog_relation(const ag_sql_catalog *c, ag_str schema, ag_str name);
/* The first of the entries with this name, in any schema, and how many there are. */
const ag_sql_name *ag_sql_catalog_functions(const ag_sql_catalog *c, ag_str name, size_t *ret_n);
bool ag_sql_catalog_has_operator(const ag_sql_catalog *c, ag_str name);
const ag_sql_type *ag_sql_catalog_types(const ag_sql_catalog *c, ag_str name, size_t *ret_n);
/* A column of some relation or an attribute of some type. */
bool ag_sql_catalog_has_field(const ag_sql_catalog *c, ag_str name);
bool ag_sql_has_text(const ag_str *list, size_t n, ag_str text);

#endif
