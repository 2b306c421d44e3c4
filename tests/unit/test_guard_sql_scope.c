/* What a name means at its place: edges that the cases of tests/cases/guard/ do not reach, with a catalog made for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard/sql.h"

#define NAME(schema, name)                         \
	{                                          \
		AG_S_INIT(schema), AG_S_INIT(name) \
	}

static const ag_str with_leak[] = { AG_S_INIT("id"), AG_S_INIT("leak") };
static const ag_str without[] = { AG_S_INIT("id"), AG_S_INIT("name") };
static const ag_sql_name reads_deep[] = { NAME("public", "v1") };
static const ag_sql_name reads_secrets[] = { NAME("hidden", "secrets") };
static const ag_sql_name reads_system[] = { NAME("pg_catalog", "pg_authid") };
static const ag_sql_name of_secrets[] = { NAME("hidden", "secrets") };
static const ag_sql_name of_part[] = { NAME("public", "part") };

static const ag_sql_relation relations[] = {
	{ .name = NAME("hidden", "secrets"), .kind = AG_SQL_PARTITIONED },
	{ .name = NAME("public", "part"), .parents = of_secrets, .nparent = 1 },
	{ .name = NAME("public", "part_of_part"), .parents = of_part, .nparent = 1 },
	{ .name = NAME("public", "t"), .columns = with_leak, .ncolumn = 2 },
	{ .name = NAME("public", "users"), .columns = without, .ncolumn = 2 },
	{ .name = NAME("public", "v1"), .kind = AG_SQL_VIEW, .reads = reads_secrets, .nread = 1 },
	{ .name = NAME("public", "v2"), .kind = AG_SQL_MATVIEW, .reads = reads_deep, .nread = 1 },
	{ .name = NAME("public", "v3"), .kind = AG_SQL_VIEW, .reads = reads_system, .nread = 1 },
};
static const ag_sql_function functions[] = {
	{ .name = NAME("far", "abs") },
	{ .name = NAME("public", "leak") },
	{ .name = NAME("public", "lower") },
};
static const ag_sql_operator operators[] = { { .name = NAME("public", "=") } };
static const ag_sql_operator far_operators[] = { { .name = NAME("far", "=") } };
static const ag_sql_cast casts[] = {
	{ .source = 20001, .target = 25, .function = NAME("public", "leak") },
};
static const ag_sql_type types[] = {
	{ .name = NAME("public", "amount"), .kind = 'd' },
	{ .name = NAME("public", "cast_away"), .kind = 'e', .oid = 20001 },
	{ .name = NAME("far", "mood"), .kind = 'e' },
	{ .name = NAME("public", "mood"), .kind = 'e' },
	{ .name = NAME("public", "raw"), .kind = 'b' },
	{ .name = NAME("public", "regclass"), .kind = 'e' },
};

static const ag_sql_catalog catalog = { .epoch = 1,
	                                .database = AG_S_INIT("shop"),
	                                .relations = relations,
	                                .nrelation = AG_NELEM(relations),
	                                .functions = functions,
	                                .nfunction = AG_NELEM(functions),
	                                .types = types,
	                                .ntype = AG_NELEM(types),
	                                .casts = casts,
	                                .ncast = AG_NELEM(casts) };

typedef struct one {
	const char *sql;
	ag_sql_rule rule;
} one;

static void check(const one *cases, size_t n, const ag_sql_policy *p, const ag_sql_catalog *c)
{
	ag_arena *arena = ag_arena_new();

	for (size_t i = 0; i < n; i++) {
		ag_sql_verdict v;
		ag_err err = { 0 };

		if (ag_sql_guard(ag_str_c(cases[i].sql), p, c, AG_SQL_RUN, arena, &v, &err))
			fail_msg("%s: %s", cases[i].sql, err.msg);
		if (v.rule != cases[i].rule)
			fail_msg("%s: want %s, got %s: %.*s", cases[i].sql,
			         ag_sql_rule_id(cases[i].rule), ag_sql_rule_id(v.rule),
			         AG_FMT(v.message));
	}
	ag_arena_free(arena);
}

static void a_field_is_a_column_of_every_alias_it_could_mean(void **state)
{
	static const one cases[] = {
		{ "select x.leak from t x", AG_SQLRULE_ALLOWED },
		{ "select (select x.leak from users x) from t x", AG_SQLRULE_FIELD },
		{ "select (select x.leak from t x) from users x", AG_SQLRULE_FIELD },
		{ "select x.leak from t x where exists (select 1 from users x)",
		  AG_SQLRULE_ALLOWED },
		{ "select x.leak from t x union all select x.leak from users x", AG_SQLRULE_FIELD },
		{ "select x.leak from t x union all select x.leak from t x", AG_SQLRULE_ALLOWED },
		/* z may have no columns; then it is leak that is called a */
		{ "select x.leak from (select z.*, 1 as leak from z) as x(a)", AG_SQLRULE_FIELD },
		{ "select x.leak from (select z.*, 1 as leak from z) as x", AG_SQLRULE_ALLOWED },
		{ "select x.leak from (select 1 as leak, 2 as b) as x(a)", AG_SQLRULE_FIELD },
		{ "select x.leak from (select 1 as a, 2 as leak) as x(a)", AG_SQLRULE_ALLOWED },
		{ "select x.leak from (select 1 as leak union select 2) as x", AG_SQLRULE_ALLOWED },
		{ "select x.leak from (select 1 union select 2 as leak) as x", AG_SQLRULE_FIELD },
		{ "select x.leak from t as x(a, b)", AG_SQLRULE_FIELD },
		{ "select x.leak from t as x(a)", AG_SQLRULE_ALLOWED },
		{ "with c(leak) as (select 1) select x.leak from c x", AG_SQLRULE_ALLOWED },
		{ "with c(leak) as (select 1) select x.leak from c x(a)", AG_SQLRULE_FIELD },
		{ "with recursive c as (select 1 as a union all select a from c) "
		  "search depth first by a set leak select c.leak from c",
		  AG_SQLRULE_ALLOWED },
		{ "select public.leak.id from public.leak", AG_SQLRULE_ALLOWED },
		{ "select public.leak.id from t", AG_SQLRULE_FIELD },
	};
	const ag_sql_policy p = { 0 };
	const ag_str leak = AG_S("leak");
	const ag_sql_policy listed = { .allowed_functions = &leak, .nallowed_function = 1 };
	static const one called[] = { { "select users.leak from users", AG_SQLRULE_ALLOWED } };

	(void)state;
	check(cases, AG_NELEM(cases), &p, &catalog);
	check(called, 1, &listed, &catalog);
}

static void a_type_is_what_the_server_would_take(void **state)
{
	static const one cases[] = {
		{ "select 1::amount, 'x'::mood, '{}'::mood[]", AG_SQLRULE_ALLOWED },
		{ "select 'x'::far.mood", AG_SQLRULE_TYPE }, /* of a schema that is not allowed */
		{ "select 'x'::cast_away", AG_SQLRULE_TYPE },
		{ "select 'x'::raw", AG_SQLRULE_TYPE },
		{ "select 'x'::regclass", AG_SQLRULE_TYPE },
		{ "select 'x'::public.regclass", AG_SQLRULE_ALLOWED },
		{ "select 'x'::pg_catalog.mood", AG_SQLRULE_TYPE },
		{ "select 'x'::information_schema.yes_or_no", AG_SQLRULE_TYPE },
		{ "select 1::setof int", AG_SQLRULE_TYPE },
		{ "select 1::shop.public.mood", AG_SQLRULE_TYPE },
		{ "select (null::users).name, null::part", AG_SQLRULE_TABLE },
	};
	const ag_str secrets = AG_S("secrets");
	const ag_sql_policy p = { .excluded_tables = &secrets, .nexcluded_table = 1 };

	(void)state;
	check(cases, AG_NELEM(cases), &p, &catalog);
}

static void what_a_relation_is_made_of(void **state)
{
	static const one cases[] = {
		{ "select 1 from part", AG_SQLRULE_TABLE },
		{ "select 1 from part_of_part", AG_SQLRULE_TABLE },
		{ "select 1 from only part_of_part", AG_SQLRULE_TABLE },
		{ "select 1 from v1", AG_SQLRULE_TABLE },
		{ "select 1 from v2", AG_SQLRULE_TABLE },
		{ "select 1 from v3", AG_SQLRULE_SYSTEM },
		{ "select 1 from nowhere", AG_SQLRULE_ALLOWED },
		{ "select 1 from shop.public.users", AG_SQLRULE_ALLOWED },
		{ "select 1 from \"SHOP\".public.users", AG_SQLRULE_SCHEMA },
	};
	static const one open[] = {
		{ "select 1 from part_of_part", AG_SQLRULE_ALLOWED },
		{ "select 1 from v1", AG_SQLRULE_SCHEMA }, /* reads a schema that is not allowed */
		{ "select 1 from v2", AG_SQLRULE_SCHEMA },
		{ "select 1 from v3", AG_SQLRULE_SYSTEM },
		{ "select 1 from hidden.secrets", AG_SQLRULE_SCHEMA },
	};
	static const one no_catalog[] = { { "select 1 from shop.public.users",
		                            AG_SQLRULE_SCHEMA } };
	const ag_str secrets = AG_S("hidden.secrets");
	const ag_sql_policy p = { .excluded_tables = &secrets, .nexcluded_table = 1 };
	const ag_sql_policy none = { 0 };
	static const one shown[] = {
		{ "select 1 from v1, v2", AG_SQLRULE_ALLOWED },
		{ "select 1 from v3", AG_SQLRULE_SYSTEM },
	};
	const ag_str v1 = AG_S("v1");
	const ag_sql_policy listed = { .allowed_views = &v1, .nallowed_view = 1 };
	const ag_sql_policy both = { .allowed_views = &v1,
		                     .nallowed_view = 1,
		                     .excluded_tables = &secrets,
		                     .nexcluded_table = 1 };
	static const one excluded[] = { { "select 1 from v2", AG_SQLRULE_TABLE } };

	(void)state;
	check(shown, AG_NELEM(shown), &listed, &catalog);
	check(excluded, 1, &both, &catalog);
	check(cases, AG_NELEM(cases), &p, &catalog);
	check(open, AG_NELEM(open), &none, &catalog);
	check(no_catalog, 1, &none, NULL);
}

/* A user's function or operator counts where an unqualified name would find it. */
static void names_that_users_took(void **state)
{
	static const one cases[] = {
		{ "select lower('x')", AG_SQLRULE_UNKNOWN_FUNCTION },
		{ "select pg_catalog.lower('x')", AG_SQLRULE_ALLOWED },
		{ "select abs(1)", AG_SQLRULE_ALLOWED },
		{ "select far.abs(1)", AG_SQLRULE_UNKNOWN_FUNCTION },
	};
	static const one equal[] = {
		{ "select 1 = 1", AG_SQLRULE_OPERATOR },
		{ "select 1 operator(pg_catalog.=) 1", AG_SQLRULE_ALLOWED },
		{ "select 1 in (1, 2)", AG_SQLRULE_OPERATOR },
		{ "select 1 in (select 1)", AG_SQLRULE_OPERATOR },
		{ "select case 1 when 2 then 3 end", AG_SQLRULE_OPERATOR },
		{ "select 1 from t join users using (id)", AG_SQLRULE_OPERATOR },
		{ "select 1 from t natural join users", AG_SQLRULE_OPERATOR },
		{ "select nullif(1, 2)", AG_SQLRULE_OPERATOR },
		{ "select 1 is distinct from 2", AG_SQLRULE_OPERATOR },
		{ "select 1 < 2 and 1 between 0 and 3", AG_SQLRULE_ALLOWED },
	};
	const ag_str far = AG_S("far");
	const ag_sql_policy p = { 0 };
	const ag_sql_policy wide = { .allowed_schemas = &far, .nallowed_schema = 1 };
	static const one reached[] = { { "select abs(1)", AG_SQLRULE_UNKNOWN_FUNCTION } };
	ag_sql_catalog with_equal = catalog;
	static const one elsewhere[] = {
		{ "select 1 = 1, 1 in (1, 2), case 1 when 2 then 3 end from t join users using (id)",
		  AG_SQLRULE_ALLOWED },
		{ "select 1 operator(far.=) 1", AG_SQLRULE_OPERATOR },
	};

	(void)state;
	check(cases, AG_NELEM(cases), &p, &catalog);
	check(reached, 1, &wide, &catalog);
	with_equal.operators = operators;
	with_equal.noperator = 1;
	check(equal, AG_NELEM(equal), &p, &with_equal);
	/* Where names are not looked up nothing can choose it. */
	with_equal.operators = far_operators;
	check(elsewhere, AG_NELEM(elsewhere), &p, &with_equal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_is_a_column_of_every_alias_it_could_mean),
		cmocka_unit_test(a_type_is_what_the_server_would_take),
		cmocka_unit_test(what_a_relation_is_made_of),
		cmocka_unit_test(names_that_users_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
