/* sql_load -- libpg_query: PostgreSQL's own scanner and parser, loaded when the first statement is judged.
 *
 * Loading takes 0.3 ms and 1 MB, once. Linked statically it would cost every command 0.12 ms at its start, linked in the
 * usual way 0.26 ms: its message descriptors are full of pointers that the loader must move. */
#ifndef AG_GUARD_SQL_LOAD_H
#define AG_GUARD_SQL_LOAD_H

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include "base/err.h"

typedef struct ag_pg {
	PgQueryProtobufParseResult (*parse_protobuf)(const char *sql);
	void (*free_protobuf_parse_result)(PgQueryProtobufParseResult r);
	PgQueryScanResult (*scan)(const char *sql);
	void (*free_scan_result)(PgQueryScanResult r);
	PgQuery__ParseResult *(*unpack_tree)(ProtobufCAllocator *a, size_t n, const uint8_t *bytes);
	PgQuery__ScanResult *(*unpack_tokens)(ProtobufCAllocator *a, size_t n,
	                                      const uint8_t *bytes);
	const ProtobufCMessageDescriptor *node; /* of "a node of any kind" */
} ag_pg;

/* Thread safe. *ret is constant from then on.
 * errors  AG_UNAVAILABLE: not there, or of another version than this program was built for */
AG_CHECK ag_status ag_pg_load(const ag_pg **ret, ag_err *err);

#endif
