/* postgres_fresh -- does the guard's snapshot of the catalogs still hold? Asked in the transaction of each statement.
 *
 * A moment is the server's own list of finished transactions: while it is the same, nothing was committed in any database of
 * the server. On a standby the position in the log is part of it. At another moment the state is compared: how many rows the
 * catalogs of functions, operators, casts, rules, types and their checks hold, and which transactions wrote them; and for
 * each relation of the statement, which wrote its columns. When they differ the query fails, so the server does not run what
 * follows in the same message.
 *
 * Reading the moment costs the server 3 to 8 microseconds; reading the state 0.15 to 0.25 ms in a database with 200 tables,
 * 60 views and 60 functions. */
#ifndef AG_SQL_POSTGRES_FRESH_H
#define AG_SQL_POSTGRES_FRESH_H

/* The functions exist since version 10; later versions only call one of them deprecated. */
#define AG_POSTGRES_MOMENT_SQL \
	"concat(pg_catalog.txid_current_snapshot(), '/', pg_catalog.pg_last_wal_replay_lsn())"

/* One line for each catalog. */
/* clang-format off */

/* How many rows of a catalog hold, and the sum of their keys and writers. No cast is written: one of a user, such as integer
 * to text, would run the user's function here. */
#define AG_POSTGRES_ROWS_SQL(key, catalog, condition) \
	"(SELECT concat(count(*), ',', sum(hashtext(concat(" key ", ',', xmin))))" \
	" FROM pg_catalog." catalog " WHERE " condition ")"

/* As text, without blanks. From 16384 on objects are the users'. Columns are left to the statement's own relations. */
#define AG_POSTGRES_STATE_SQL \
	"concat_ws(';'," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_proc", "oid >= 16384") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_operator", "oid >= 16384") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_cast", "oid >= 16384") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_rewrite", "oid >= 16384") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_opclass", "oid >= 16384") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_constraint", "contypid >= 16384") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_type", "oid >= 16384 AND typtype <> 'c' AND typelem = 0") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_namespace", "true") "," \
	AG_POSTGRES_ROWS_SQL("inhrelid, ',', inhparent", "pg_inherits", "true") "," \
	AG_POSTGRES_ROWS_SQL("oid", "pg_extension", "true") ")"

/* clang-format on */

/* $1 the moment. An error, division by zero, when it is another. */
#define AG_POSTGRES_FRESH_SQL "SELECT 1 / (" AG_POSTGRES_MOMENT_SQL " = $1)::int"

/* $1 the state, $2 relations' oids as an array, $3 the sum of their marks. Gives the moment; or the error. */
#define AG_POSTGRES_FRESH_STATE_SQL                                                                 \
	"SELECT " AG_POSTGRES_MOMENT_SQL ", 1 / (" AG_POSTGRES_STATE_SQL " = $1 AND"                \
	" COALESCE((SELECT sum(hashtext(concat(oid, ',', xmin))) FROM pg_catalog.pg_class"          \
	" WHERE oid = ANY ($2)), 0)"                                                                \
	" + COALESCE((SELECT sum(hashtext(concat(attnum, ',', xmin))) FROM pg_catalog.pg_attribute" \
	" WHERE attrelid = ANY ($2) AND attnum > 0), 0) = $3)::int"

#endif
