/* sql_catalog -- what the guard knows of a database: a snapshot as plain data, made by source/.
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
	AG_SQL_FOREIGN
} ag_sql_relation_kind;

typedef struct ag_sql_relation {
	ag_sql_name name;
	ag_sql_relation_kind kind;
	const ag_str *columns;
	size_t ncolumn;
	const ag_sql_name *reads; /* views: the relations that their query reads, directly */
	size_t nread;
	const ag_sql_name *parents; /* of partitions and inheriting tables, directly */
	size_t nparent;
} ag_sql_relation;

/* A type of the database's users. */
typedef struct ag_sql_type {
	ag_sql_name name;
	char kind;                /* 'e' enum, 'd' domain, 'c' composite, 'r' range, 'b' base */
	bool has_cast;            /* somebody defined a cast from or to it */
	const ag_str *attributes; /* composite */
	size_t nattribute;
} ag_sql_type;

typedef struct ag_sql_catalog {
	uint64_t epoch;  /* differs between any two snapshots of one process */
	unsigned server; /* server_version_num: 150020; SQLite: 3040001 */
	ag_str database; /* a name's catalog part must be it */
	const ag_sql_relation
		*relations; /* sorted by schema, then name (bytewise); not the system's */
	size_t nrelation;
	const ag_sql_name
		*functions; /* outside pg_catalog; sorted by name, then schema; one row a name */
	size_t nfunction;
	const ag_sql_name *operators; /* outside pg_catalog; sorted by name, then schema */
	size_t noperator;
	const ag_sql_type *types; /* outside pg_catalog; sorted by name, then schema */
	size_t ntype;
} ag_sql_catalog;

#endif
