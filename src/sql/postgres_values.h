/* postgres_values -- what PostgreSQL writes as text, as JSON; private to sql/postgres*.c and its tests.
 *
 * Pure functions: no connection, no state. The session's settings are those of pg/uri.c (DateStyle ISO, UTC …). */
#ifndef AG_SQL_POSTGRES_VALUES_H
#define AG_SQL_POSTGRES_VALUES_H

#include "pg/types.h"

/* JSON nested deeper than this becomes a string: readers of results have limits of their own. */
#define AG_POSTGRES_MAX_JSON_DEPTH 100

/* Appends one value: valid JSON on one line, also of text that no server would write (of AG_PG_JSON only strings and
 * brackets are checked: the server has checked the rest). scratch is for elements of arrays. */
void ag_postgres_value(ag_buf *out, const ag_pg_type *t, ag_str text, ag_buf *scratch);

#endif
