/* The cases of tests/cases/guard/, and that an allowed statement stays allowed however it is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "guard_fixtures.h"

static bool complain(const guard_case *c, const ag_sql_verdict *v, const char *what, ag_str got)
{
	const ag_str shown = c->sql.len > 200 ? ag_str_make(c->sql.ptr, 200) : c->sql;

	print_error("%s:%d: %.*s\n  %s: %.*s (%s: %.*s)\n", c->file, c->line, AG_FMT(shown), what,
	            AG_FMT(got), ag_sql_rule_id(v->rule), AG_FMT(v->message));
	return false;
}

static ag_str joined(const ag_str *list, size_t n, ag_arena *arena)
{
	ag_str ret = AG_S("-");

	for (size_t i = 0; i < n; i++)
		ret = i ? ag_str_printf(arena, "%.*s,%.*s", AG_FMT(ret), AG_FMT(list[i])) : list[i];
	return ret;
}

static bool refused_well(const guard_case *c, const ag_sql_verdict *v)
{
	ag_safe_sql safe;
	ag_err err = { 0 };

	if (!v->message.len || v->sql.len || !ag_sql_safe(v, &safe, &err))
		return complain(c, v, "a refusal without a message, or with a statement", v->sql);
	if (!ag_str_contains(v->message, c->says) && !ag_str_contains(v->hint, c->says))
		return complain(c, v, "does not say so", v->hint);
	return true;
}

static bool judge(const guard_case *c, ag_arena *arena, void *arg)
{
	ag_sql_verdict v, again;
	ag_err err = { 0 };

	(void)arg;
	if (ag_sql_guard(c->sql, c->policy, c->catalog, AG_SQL_RUN, arena, &v, &err))
		fail_msg("%s:%d: %s", c->file, c->line, err.msg);
	if (!c->is_allowed) {
		if (!ag_str_eqc(c->want, ag_sql_rule_id(v.rule)))
			return complain(c, &v, "the rule", ag_str_c(ag_sql_rule_id(v.rule)));
		return refused_well(c, &v);
	}
	if (!ag_sql_allowed(&v))
		return complain(c, &v, "refused", AG_S(""));
	if (!ag_str_eq(c->want, joined(v.tables, v.ntable, arena)))
		return complain(c, &v, "tables", joined(v.tables, v.ntable, arena));
	if (c->run.len && !ag_str_eq(c->run, v.sql))
		return complain(c, &v, "is to run", v.sql);
	/* What is run would pass as well. */
	if (ag_sql_guard(v.sql, c->policy, c->catalog, AG_SQL_RUN, arena, &again, &err) ||
	    !ag_sql_allowed(&again))
		return complain(c, &again, "what is to run would be refused", v.sql);
	return true;
}

#define FILE_TEST(name, at_least)                                                        \
	static void name(void **state)                                                   \
	{                                                                                \
		(void)state;                                                             \
		assert_true(guard_run_cases(#name ".cases", judge, NULL) >= (at_least)); \
	}

FILE_TEST(analytics, 130)
FILE_TEST(broken, 100)
FILE_TEST(catalog, 60)
FILE_TEST(fields, 70)
FILE_TEST(functions, 230)
FILE_TEST(hostile, 160)
FILE_TEST(huge, 130)
FILE_TEST(limits, 30)
FILE_TEST(near_misses, 60)
FILE_TEST(tables, 200)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(analytics),   cmocka_unit_test(broken),
		cmocka_unit_test(catalog),     cmocka_unit_test(fields),
		cmocka_unit_test(functions),   cmocka_unit_test(hostile),
		cmocka_unit_test(huge),        cmocka_unit_test(limits),
		cmocka_unit_test(near_misses), cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
