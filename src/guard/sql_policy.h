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

/* Is the schema the policy's own or an allowed one? */
bool ag_sql_is_schema_allowed(const ag_sql_policy *p, ag_str schema);
/* Is the extension in allowed_extensions or allowed_types? "" is not. */
bool ag_sql_is_extension_allowed(const ag_sql_policy *p, ag_str extension);
/* Is the function in allowed_functions? */
bool ag_sql_is_function_listed(const ag_sql_policy *p, ag_str schema, ag_str name);
/* Are all functions that schema.name means harmless ones of an extension? */
bool ag_sql_is_of_extension(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                            ag_str name);

/* --- sql_code.c: code of users that a statement could run without naming it --- */

/* May this function run unnamed, in a view, a CHECK, an operator, a cast? Members of extensions and built-in functions may,
 * but for those that run SQL given as text, read files, large objects or other servers; of users only those listed. */
bool ag_sql_may_run(const ag_sql_policy *p, const ag_sql_catalog *c, ag_sql_name function);
/* The first of the functions that may not, or NULL. */
const ag_sql_name *ag_sql_first_refused(const ag_sql_policy *p, const ag_sql_catalog *c,
                                        const ag_sql_name *functions, size_t n);

/* What handling values of a type could run; NULL = nothing. */
typedef struct ag_sql_danger {
	const ag_sql_name
		*makes; /* when a value is made: CHECK of a domain, canonical function of a range */
	bool is_inside; /* what `makes` is of an element, attribute or the like: a literal is enough to run it */
	const ag_sql_name *reads;    /* whenever a value is read: functions of a base type */
	const ag_sql_name *compares; /* when values are compared, sorted, hashed */
	const ag_sql_name *converts; /* an implicit cast from or to it */
	const ag_sql_name *casts;    /* any other cast */
	const ag_sql_name *to_json;  /* a cast to json or jsonb */
	bool names_objects; /* regclass and its like: input and output look names up in the catalog */
} ag_sql_danger;

void ag_sql_danger_of(const ag_sql_policy *p, const ag_sql_catalog *c, uint32_t type,
                      ag_sql_danger *ret);
void ag_sql_danger_of_type(const ag_sql_policy *p, const ag_sql_catalog *c, const ag_sql_type *type,
                           ag_sql_danger *ret);
bool ag_sql_is_type_listed(const ag_sql_policy *p, const ag_sql_type *t);

/* --- sql_catalog.c; c may be NULL: nothing is known --- */

const ag_sql_relation *ag_sql_catalog_relation(const ag_sql_catalog *c, ag_str schema, ag_str name);
/* The first of the entries with this name, in any schema, and how many there are. */
const ag_sql_function *ag_sql_catalog_functions(const ag_sql_catalog *c, ag_str name,
                                                size_t *ret_n);
const ag_sql_operator *ag_sql_catalog_operators(const ag_sql_catalog *c, ag_str name,
                                                size_t *ret_n);
const ag_sql_type *ag_sql_catalog_types(const ag_sql_catalog *c, ag_str name, size_t *ret_n);
/* NULL: a type of the server, or not known. */
const ag_sql_type_ref *ag_sql_catalog_type(const ag_sql_catalog *c, uint32_t oid);
/* A column of some relation or an attribute of some type. */
bool ag_sql_catalog_has_field(const ag_sql_catalog *c, ag_str name);
bool ag_sql_has_text(const ag_str *list, size_t n, ag_str text);

#endif
