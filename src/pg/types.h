/* types -- names of types by number, and the form in which the server writes their values as text. */
#ifndef AG_PG_TYPES_H
#define AG_PG_TYPES_H

#include "pg/pg.h"

typedef enum ag_pg_kind {
	AG_PG_TEXT, /* any other text */
	AG_PG_BOOL, /* t, f */
	AG_PG_INT,  /* at most 32 bits */
	AG_PG_INT8,
	AG_PG_FLOAT,
	AG_PG_NUMERIC,
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

/* --- types of the database's users: user_types.c --- */

/* The columns of a row that describes a type: number, name, is it an array, delimiter, number of what decides the kind. */
#define AG_PG_TYPES_NCOLUMN 5
/* Asks for the types of $1, an array of their numbers. */
extern const char ag_pg_types_some[];
void ag_pg_types_add(ag_pg *pg, const ag_str cell[AG_PG_TYPES_NCOLUMN]);
/* A type that the server does not show: text, so that nobody asks for it again. Does nothing when the type is known. */
void ag_pg_types_add_unknown(ag_pg *pg, uint32_t oid);
/* false: neither built in nor added. The name lives as long as pg. */
bool ag_pg_type_of(ag_pg *pg, uint32_t oid, ag_pg_type *ret);

#endif
