/* postgres_values -- what PostgreSQL writes as text, as JSON; private to source/postgres*.c and its tests.
 *
 * Pure functions: no connection, no state. The server's settings are those of postgres_connect.c (DateStyle ISO, UTC …). */
#ifndef AG_SOURCE_POSTGRES_VALUES_H
#define AG_SOURCE_POSTGRES_VALUES_H

#include "base/arena.h"

/* JSON nested deeper than this becomes a string: readers of results have limits of their own. */
#define AG_PG_MAX_JSON_DEPTH 100

typedef enum ag_pg_kind {
	AG_PG_TEXT, /* a string, as the server writes it */
	AG_PG_BOOL,
	AG_PG_INT,  /* a number that every double holds */
	AG_PG_INT8, /* a number up to 2^53 - 1, else a string */
	AG_PG_FLOAT,
	AG_PG_NUMERIC, /* a number of at most 15 digits, else a string */
	AG_PG_JSON,
	AG_PG_TIMESTAMP,
	AG_PG_TIMESTAMPTZ,
	AG_PG_TIMETZ,
	AG_PG_NKIND
} ag_pg_kind;

typedef struct ag_pg_type {
	uint32_t oid;
	uint8_t kind; /* ag_pg_kind; of an array: of its elements */
	uint8_t mod;  /* how the modifier is written: of the built-in table */
	bool is_array;
	char delimiter;   /* between elements of an array */
	const char *name; /* without modifier and without [] */
} ag_pg_type;

/* A type that every server has. */
bool ag_pg_type_builtin(uint32_t oid, ag_pg_type *ret);
/* "numeric(10,2)[]", "timestamp(3) with time zone". modifier -1 = none. In arena, or a literal. */
ag_str ag_pg_type_text(const ag_pg_type *t, int modifier, ag_arena *arena);
/* Appends one value: valid JSON on one line, also of text that no server would write (of AG_PG_JSON only strings and
 * brackets are looked at: its server has checked it). scratch is for elements of arrays. */
void ag_pg_value(ag_buf *out, const ag_pg_type *t, ag_str text, ag_buf *scratch);

#endif
