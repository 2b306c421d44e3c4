/* A statement for the guard, with and without a catalog: a refusal says why and gives nothing to run; what is to run is
 * one statement that reads and calls the same, and that the guard would let through as it is. */
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "guard/sql.h"

static const ag_str columns[] = { AG_S_INIT("id"), AG_S_INIT("leak"), AG_S_INIT("name") };
static const ag_sql_name reads[] = { { AG_S_INIT("public"), AG_S_INIT("secrets") } };
static const ag_sql_relation relations[] = {
	{ .name = { AG_S_INIT("public"), AG_S_INIT("t") }, .columns = columns, .ncolumn = 3 },
	{ .name = { AG_S_INIT("public"), AG_S_INIT("v") },
	  .kind = AG_SQL_VIEW,
	  .reads = reads,
	  .nread = 1 },
};
static const ag_sql_function functions[] = { { .name = { AG_S_INIT("public"),
	                                                 AG_S_INIT("leak") } } };
static const ag_sql_catalog catalog = { .epoch = 1,
	                                .database = AG_S_INIT("shop"),
	                                .relations = relations,
	                                .nrelation = AG_NELEM(relations),
	                                .functions = functions,
	                                .nfunction = AG_NELEM(functions) };

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool same(const ag_str *a, size_t na, const ag_str *b, size_t nb)
{
	if (na != nb)
		return false;
	for (size_t i = 0; i < na; i++)
		if (!ag_str_eq(a[i], b[i]))
			return false;
	return true;
}

static void judge(ag_str sql, const ag_sql_catalog *c, ag_sql_purpose purpose, ag_arena *arena)
{
	static const ag_str excluded[] = { AG_S_INIT("secrets") };
	ag_sql_policy p = { .excluded_tables = excluded, .nexcluded_table = 1, .max_rows = 10 };
	ag_sql_verdict v, again;
	ag_err err = { 0 };

	check(!ag_sql_guard(sql, &p, c, purpose, arena, &v, &err));
	check(v.position <= ag_utf8_count(sql) + 1);
	if (!ag_sql_allowed(&v)) {
		check(v.message.len && !v.sql.len);
		return;
	}
	check(v.sql.len && !v.message.len && v.max_rows <= p.max_rows);
	p.max_rows = 11; /* what was added asks for one row more */
	check(!ag_sql_guard(v.sql, &p, c, AG_SQL_RUN, arena, &again, &err));
	/* What was added may be one level or token too much. */
	if (again.rule == AG_SQLRULE_TOO_COMPLEX || again.rule == AG_SQLRULE_TOO_LARGE)
		return;
	check(ag_sql_allowed(&again));
	check(purpose == AG_SQL_EXPLAIN || !again.is_limited);
	check(purpose == AG_SQL_EXPLAIN || ag_str_eq(v.sql, again.sql));
	check(same(v.tables, v.ntable, again.tables, again.ntable));
	check(same(v.functions, v.nfunction, again.functions, again.nfunction));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ag_str sql = ag_str_make((const char *)data, size);
	ag_arena *arena = ag_arena_new();

	judge(sql, NULL, AG_SQL_RUN, arena);
	judge(sql, &catalog, AG_SQL_RUN, arena);
	judge(sql, &catalog, AG_SQL_EXPLAIN, arena);
	ag_arena_free(arena);
	return 0;
}
