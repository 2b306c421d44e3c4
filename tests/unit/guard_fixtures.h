/* guard_fixtures -- reads tests/cases/guard/ (its README says what a line means). */
#ifndef AG_TESTS_GUARD_FIXTURES_H
#define AG_TESTS_GUARD_FIXTURES_H

#include "base/arena.h"
#include "guard/sql.h"

typedef struct guard_case {
	const char *file;
	int line;
	bool is_allowed;
	ag_str want; /* tables, or the rule */
	ag_str sql;
	ag_str run, says; /* "" = not written */
	const ag_sql_policy *policy;
	const ag_sql_catalog *catalog;
} guard_case;

typedef bool guard_case_fn(const guard_case *c, ag_arena *arena, void *arg);

/* Calls fn on each case of the file; false = it has complained. Returns how many cases there were; fails when one did. */
size_t guard_run_cases(const char *file, guard_case_fn *fn, void *arg);
/* A file of tests/cases/guard/. */
ag_str guard_read_file(const char *name, ag_arena *arena);
/* The database of shop.sql, as the guard would be told of it. */
const ag_sql_catalog *guard_shop(void);

#endif
