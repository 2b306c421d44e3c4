/* postgres_dictionary -- what the two files that read a PostgreSQL database's structure share. */
#ifndef AG_SQL_POSTGRES_DICTIONARY_H
#define AG_SQL_POSTGRES_DICTIONARY_H

#include "sql/dictionary_build.h"
#include "sql/postgres.h"

/* One reading of a database. */
typedef struct ag_postgres_reading {
	ag_sql_impl *impl;
	const ag_ctx *ctx;
	const ag_dictionary_opts *o;
	const ag_sql_policy *policy;
	ag_arena *arena, *scratch; /* scratch: until the end of the reading */
	ag_sql_catalog catalog;
	const ag_sql_relation **list; /* the relations that are listed */
	size_t n;
	ag_dict_table *tables; /* one for each of list; type NULL: it is not there any more */
	bool *can_read;
	bool **may;         /* for each table: which columns have values that can be shown */
	ag_sql_name *enums; /* of columns, some more than once */
	size_t nenum, enum_cap;
	ag_sql_failure *failure;
	ag_err *err;
} ag_postgres_reading;

/* Fills the samples of b->tables as far as time allows. Only a cancel or a time-out of the caller is a failure. */
AG_CHECK ag_status ag_postgres_read_samples(ag_postgres_reading *b);

#endif
