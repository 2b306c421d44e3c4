/* sql_catalog -- what the guard knows of a database: a snapshot as plain data, made by sql/.
 *
 * Without one (argus guard alone) the guard decides by its own tables and refuses what only a catalog could clear. All
 * texts and arrays live in one arena of the snapshot's maker; a snapshot never changes: a new state is a new snapshot with
 * another epoch. Names are as the catalog holds them: no quoting, no folding. */
#ifndef AG_GUARD_SQL_CATALOG_H
#define AG_GUARD_SQL_CATALOG_H

#include "base/str.h"

typedef struct ag_sql_name {
	ag_str schema, name;
} ag_sql_name;

typedef enum ag_sql_relation_kind {
	AG_SQL_TABLE,
	AG_SQL_PARTITIONED,
	AG_SQL_VIEW,
	AG_SQL_MATVIEW,
	AG_SQL_FOREIGN,
	AG_SQL_SEQUENCE /* parents: the table that owns it */
} ag_sql_relation_kind;

typedef struct ag_sql_relation {
	ag_sql_name name;
	ag_sql_relation_kind kind;
	const ag_str *columns;
	size_t ncolumn;
	const uint32_t *column_types; /* of each column its type's oid; NULL = unknown */
	const ag_sql_name *reads;     /* views: the relations that their query reads, directly */
	size_t nread;
	const ag_sql_name *parents; /* of partitions and inheriting tables, directly */
	size_t nparent;
	bool is_partition; /* a part of its parent, which stores no rows itself */
	/* Views: functions that their query runs and that the guard must know of: those of users, and volatile built-in ones. */
	const ag_sql_name *runs;
	size_t nrun;
	const uint32_t *uses; /* views: types of users that their query makes values of */
	size_t nuse;
	uint32_t oid, row_type, row_array; /* 0 = unknown */
	int64_t mark; /* differs after any change of the relation's columns; see ag_sql_catalog.state */
} ag_sql_relation;

/* A type of the database's users or of an extension; one of pg_catalog when users gave it an operator class. */
typedef struct ag_sql_type {
	ag_sql_name name;
	char kind;                /* 'e' enum, 'd' domain, 'c' composite, 'r' range, 'b' base */
	const ag_str *attributes; /* composite */
	size_t nattribute;
	uint32_t oid, array;   /* array: the type of its arrays; 0 = unknown */
	const uint32_t *parts; /* types of attributes; what a domain or a range is made of */
	size_t npart;
	const ag_sql_name *
		runs; /* functions of users that run when a value is made: of a CHECK, an input function */
	size_t nrun;
	const ag_sql_name *
		compares; /* functions of users that run when values are compared, sorted or hashed */
	size_t ncompare;
	ag_str extension; /* it belongs to; "" = none */
} ag_sql_type;

typedef struct ag_sql_function {
	ag_sql_name name;
	ag_str extension; /* that all functions of this name belong to; "" = at least one is a user's */
} ag_sql_function;

typedef struct ag_sql_operator {
	ag_sql_name name;
	uint32_t left, right; /* types of the operands; 0 = none, or unknown */
	ag_sql_name function;
	ag_str extension; /* it belongs to; "" = it is a user's */
} ag_sql_operator;

/* A cast that runs a function of a user. */
typedef struct ag_sql_cast {
	uint32_t source, target; /* types */
	bool is_implicit;        /* the server applies it where nobody wrote it */
	ag_sql_name function;
} ag_sql_cast;

/* What a type's oid means. */
typedef struct ag_sql_type_ref {
	uint32_t oid;
	bool is_array, is_row; /* is_row: the row type of relations[index], else types[index] */
	size_t index;
} ag_sql_type_ref;

typedef struct ag_sql_catalog {
	uint64_t epoch;  /* differs between any two snapshots of one process */
	unsigned server; /* server_version_num: 150020; SQLite: 3040001 */
	ag_str database; /* a name's catalog part must be it */
	const ag_sql_relation
		*relations; /* sorted by schema, then name (bytewise); not the system's */
	size_t nrelation;
	const ag_sql_function
		*functions; /* outside pg_catalog; sorted by name, then schema; one row a name */
	size_t nfunction;
	const ag_sql_operator *operators; /* outside pg_catalog; sorted by name, then schema */
	size_t noperator;
	const ag_sql_type *types; /* sorted by name, then schema */
	size_t ntype;
	const ag_sql_cast *casts;
	size_t ncast;
	const ag_sql_type_ref *type_refs; /* sorted by oid */
	size_t ntype_ref;
	/* The moment of the database that was read, and the state of everything but columns then: texts that
	 * sql/postgres_fresh.h compares with the database's. "" = unknown. */
	ag_str moment, state;
} ag_sql_catalog;

/* For makers of a snapshot. */
void ag_sql_type_refs_sort(ag_sql_type_ref *refs, size_t n);

#endif
