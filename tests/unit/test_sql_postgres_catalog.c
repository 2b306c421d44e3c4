/* The guard's snapshot of a PostgreSQL database: what is in it, how it is sorted, and when it is refused. */
#include "unit/postgres_engine.h"

static const char planted[] =
	"create schema other; create schema \"Odd, \"\"one\"\".x\";"
	"create table users (id int, \"Sel,ect\" text, \"a\"\"b\" text, \"d.ot\" text, gone int, \"日本\" int);"
	"alter table users drop column gone;"
	"create table other.users (x int);"
	"create table \"Odd, \"\"one\"\".x\".\"t.a,b\"\"\" (c int);"
	"create table none ();"
	"create view over_one as select id from users;"
	"create view over_two as select o.id, u.x, t.c from over_one o, other.users u, \"Odd, \"\"one\"\".x\".\"t.a,b\"\"\" t;"
	"create materialized view kept as select * from over_two;"
	"create view of_system as select usename from pg_stat_activity;"
	"create table parts (d int) partition by list (d);"
	"create table other.part_1 partition of parts for values in (1);"
	"create table animal (n text); create table pet (p text); create table dog () inherits (animal, pet);"
	"create type mood as enum ('a'); create domain whole as int; create type pair as (\"Left one\" int, right_one int);"
	"create type span as range (subtype = float8);"
	"create function lower(users) returns text language sql as 'select null::text';"
	"create function lower(mood) returns text language sql as 'select null::text';"
	"create function other.helper() returns int language sql as 'select 1';"
	"create operator @@@@ (leftarg = int, rightarg = int, function = int4pl);"
	"create function of_mood(mood) returns int language sql as 'select 1';"
	"create cast (mood as int) with function of_mood(mood);";

static void get_catalog(pg_test *t, ag_sql_catalog *c)
{
	ag_sql_failure failure = { 0 };
	ag_err err;

	memset(c, 0, sizeof(*c));
	assert_int_equal(engine->catalog(t->impl, &t->ctx, t->arena, c, &failure, &err), AG_OK);
	if (failure.code)
		fail_msg("%.*s", AG_FMT(failure.message));
}

static void add_names(ag_buf *out, const ag_sql_name *n, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ag_buf_addf(out, "%s%.*s/%.*s", i ? " " : "", AG_FMT(n[i].schema),
		            AG_FMT(n[i].name));
}

static void add_texts(ag_buf *out, const ag_str *s, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ag_buf_addf(out, "%s%.*s", i ? "|" : "", AG_FMT(s[i]));
}

static void assert_text(ag_buf *out, const char *want)
{
	if (!ag_str_eqc(ag_buf_view(out), want))
		fail_msg("got:\n%.*s\nwant:\n%s", AG_FMT(ag_buf_view(out)), want);
	ag_buf_release(out);
}

static void relations_are_told(void **state)
{
	ag_buf out = AG_BUF_INIT(100000);
	ag_sql_catalog c;
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	get_catalog(&t, &c);
	assert_true(ag_str_eqc(c.database, "postgres"));
	assert_in_range(c.server, 150000, 159999);
	for (size_t i = 0; i < c.nrelation; i++) {
		const ag_sql_relation *r = &c.relations[i];

		ag_buf_addf(&out, "%d ", (int)r->kind);
		add_names(&out, &r->name, 1);
		ag_buf_adds(&out, " (");
		add_texts(&out, r->columns, r->ncolumn);
		ag_buf_adds(&out, ") < ");
		add_names(&out, r->reads, r->nread);
		ag_buf_adds(&out, " ^ ");
		add_names(&out, r->parents, r->nparent);
		ag_buf_addc(&out, '\n');
	}
	assert_text(
		&out,
		"0 Odd, \"one\".x/t.a,b\" (c) <  ^ \n"
		"0 other/part_1 (d) <  ^ public/parts\n"
		"0 other/users (x) <  ^ \n"
		"0 public/animal (n) <  ^ \n"
		"0 public/dog (n|p) <  ^ public/animal public/pet\n"
		"3 public/kept (id|x|c) < public/over_two ^ \n"
		"0 public/none () <  ^ \n"
		"2 public/of_system (usename) < pg_catalog/pg_stat_activity ^ \n"
		"2 public/over_one (id) < public/users ^ \n"
		"2 public/over_two (id|x|c) < Odd, \"one\".x/t.a,b\" other/users public/over_one ^ \n"
		"1 public/parts (d) <  ^ \n"
		"0 public/pet (p) <  ^ \n"
		"0 public/users (id|Sel,ect|a\"b|d.ot|日本) <  ^ \n");
	close_engine(&t);
}

static void names_of_users_are_told(void **state)
{
	ag_buf out = AG_BUF_INIT(100000);
	ag_sql_catalog c;
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	get_catalog(&t, &c);
	for (size_t i = 0; i < c.nfunction; i++) {
		ag_buf_adds(&out, i ? " " : "");
		add_names(&out, &c.functions[i].name, 1);
	}
	assert_text(&out,
	            "other/helper public/lower public/of_mood public/span public/span_multirange");
	assert_int_equal(c.noperator, 1);
	assert_int_equal(c.operators[0].left, 23);
	assert_int_equal(c.operators[0].right, 23);
	assert_int_equal(c.operators[0].extension.len, 0);
	add_names(&out, &c.operators[0].name, 1);
	assert_text(&out, "public/@@@@");
	assert_int_equal(c.ncast, 1);
	assert_int_equal(c.casts[0].target, 23);
	assert_false(c.casts[0].is_implicit);
	add_names(&out, &c.casts[0].function, 1);
	assert_text(&out, "public/of_mood");
	for (size_t i = 0; i < c.ntype; i++) {
		const ag_sql_type *type = &c.types[i];

		add_names(&out, &type->name, 1);
		ag_buf_addf(&out, " %c%s (", type->kind,
		            type->oid == c.casts[0].source ? " cast" : "");
		add_texts(&out, type->attributes, type->nattribute);
		ag_buf_adds(&out, ")\n");
	}
	assert_text(&out, "public/mood e cast ()\npublic/pair c (Left one|right_one)\n"
	                  "public/span r ()\npublic/span_multirange r ()\npublic/whole d ()\n");
	close_engine(&t);
}

/* The text of an array of the schemas: as the database has their names. */
static void schemas_of_a_policy(void **state)
{
	static const ag_str schemas[] = { AG_S_INIT("Sales"), AG_S_INIT("\"My \"\"own\"\" \\x\"") };
	static const ag_str tables[] = { AG_S_INIT("users"), AG_S_INIT("Other.T"),
		                         AG_S_INIT("\"A.b\".t") };
	ag_sql_policy p = { .allowed_schemas = schemas,
		            .nallowed_schema = 2,
		            .allowed_tables = tables,
		            .nallowed_table = 3 };
	ag_arena *arena = ag_arena_new();

	(void)state;
	assert_true(
		ag_str_eqc(ag_postgres_schemas(&p, arena),
	                   "{\"public\",\"sales\",\"My \\\"own\\\" \\\\x\",\"other\",\"A.b\"}"));
	p = (ag_sql_policy){ .schema = AG_S("It's") };
	assert_true(ag_str_eqc(ag_postgres_schemas(&p, arena), "{\"It's\"}"));
	ag_arena_free(arena);
}

/* What it does not find the guard takes for something that reads nothing: so a part is worse than nothing. */
static void too_many_are_refused(void **state)
{
	ag_sql_failure failure = { 0 };
	ag_sql_catalog c;
	ag_err err;
	pg_test t;

	(void)state;
	test_postgres_tell(
		&server,
		"do $$ begin for i in 1 .. 20000 loop execute format('create function other.f%s() returns int "
		"language sql as ''select 1''', i); if i % 2000 = 0 then commit; end if; end loop; end $$;");
	open_engine(&t, server.uri, NULL);
	assert_int_equal(engine->catalog(t.impl, &t.ctx, t.arena, &c, &failure, &err), AG_OK);
	assert_int_equal(failure.code, AG_SQLCODE_SCHEMA);
	assert_string_equal(failure.class_name, "resource");
	close_engine(&t);
	test_postgres_tell(
		&server,
		"drop function other.f1(), other.f2(), other.f3(), other.f4(), other.f5();");
	open_engine(&t, server.uri, NULL);
	get_catalog(&t, &c);
	assert_int_equal(c.nfunction, 20000);
	close_engine(&t);
}

static int plant(void **state)
{
	(void)state;
	test_postgres_tell(&server, planted);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemas_of_a_policy),
		cmocka_unit_test(relations_are_told),
		cmocka_unit_test(names_of_users_are_told),
		cmocka_unit_test(too_many_are_refused),
	};

	RUN_WITH_SERVER(tests, plant, stop_server);
}
