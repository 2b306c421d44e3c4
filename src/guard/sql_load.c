/* sql_load -- dlopen of libpg_query and a table of its functions.
 *
 * The trees it gives have the layout of the header this was compiled with, so the library must be that very version: its
 * file name says so (the interface is not stable between releases), and the description of a node is compared. */
#include "guard/sql_load.h"

#include <pthread.h>

#include "base/library.h"

#define ORIGIN  "guard.sql"
#define LIBRARY "libpg_query.so.1504.0"

/* Written once, under pthread_once; the library itself is one per process. */
static struct {
	pthread_once_t once;
	ag_pg pg;
	ag_err err; /* status AG_OK: `pg` is complete */
} loaded = { .once = PTHREAD_ONCE_INIT };

static const ag_library_function functions[] = {
	AG_LIBRARY_FUNCTION(ag_pg, parse_protobuf, pg_query_parse_protobuf),
	AG_LIBRARY_FUNCTION(ag_pg, free_protobuf_parse_result, pg_query_free_protobuf_parse_result),
	AG_LIBRARY_FUNCTION(ag_pg, scan, pg_query_scan),
	AG_LIBRARY_FUNCTION(ag_pg, free_scan_result, pg_query_free_scan_result),
	AG_LIBRARY_FUNCTION(ag_pg, unpack_tree, pg_query__parse_result__unpack),
	AG_LIBRARY_FUNCTION(ag_pg, unpack_tokens, pg_query__scan_result__unpack),
	{ "pg_query__node__descriptor", offsetof(ag_pg, node) },
};

static void load(void)
{
	if (ag_library_load(LIBRARY, "the parser of PostgreSQL", functions, AG_NELEM(functions),
	                    &loaded.pg, &loaded.err))
		ag_err_hint(&loaded.err, "install libpg_query 15 (Debian: apt install "
		                         "libpg-query1504.0)");
	else if (loaded.pg.node->sizeof_message != sizeof(PgQuery__Node) ||
	         loaded.pg.node->n_fields != PG_QUERY__NODE__NODE_A_CONST)
		ag_fail(&loaded.err, AG_UNAVAILABLE, ORIGIN,
		        "%s is another version than this program was built for", LIBRARY);
}

ag_status ag_pg_load(const ag_pg **ret, ag_err *err)
{
	pthread_once(&loaded.once, load);
	if (loaded.err.status) {
		if (err)
			*err = loaded.err;
		return loaded.err.status;
	}
	*ret = &loaded.pg;
	return AG_OK;
}
