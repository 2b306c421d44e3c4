/* A value and a template of a recipe: the first line is the value of the variable x, the rest a template. Refused with a sentence; else
 * what is written of it is one quoted text in a prompt, and in SQL a literal that PostgreSQL's own parser takes for one: the guard's
 * verdict reads the same tables as with the value "a". */
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "guard/sql.h"
#include "knowledge/recipe.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_error(ag_status st, const ag_err *err)
{
	check(st && err->status == st && err->msg[0] && !strchr(err->msg, '\n'));
}

static ag_val values_of(const ag_recipe *r, ag_str value, ag_arena *arena)
{
	ag_member *m = ag_new_n(arena, ag_member, 2);

	(void)r;
	m[0] = (ag_member){ AG_S("x"), ag_val_str(value) };
	m[1] = (ag_member){ AG_S("n"), ag_val_str(AG_S("-7")) };
	return ag_val_object(m, 2);
}

/* Between two marks that no template has, so that what was written of the value can be found. */
static void prompt(const ag_recipe *r, const ag_val *values, ag_arena *arena)
{
	ag_str text;
	ag_err err = { 0 };

	check(!ag_recipe_prompt(r, AG_S("{{x}}"), values, arena, &text, &err));
	check(text.len >= 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"');
	text = ag_str_make(text.ptr + 1, text.len - 2);
	check(!ag_str_contains(text, AG_S("{{")) && !ag_str_contains(text, AG_S("}}")));
	for (size_t i = 0; i < text.len; i++) {
		const unsigned char c = (unsigned char)text.ptr[i];

		check(c >= 0x20 && c != '<' && c != '>' && c != '"');
		if (c == '\\')
			check(++i < text.len);
	}
}

/* Of "UESCAPE 'x'" the parser looks at the value itself. */
static bool looks_at_value(ag_str text)
{
	for (size_t i = 0; i + 7 <= text.len; i++) {
		if (ag_str_ieq(ag_str_make(text.ptr + i, 7), AG_S("uescape")))
			return true;
	}
	return false;
}

static void sql(const ag_recipe *r, ag_str text, const ag_val *values, ag_arena *arena)
{
	static const ag_sql_policy policy = { .max_rows = 10 };
	const ag_val plain = values_of(r, AG_S("a"), arena);
	ag_sql_verdict with, without;
	ag_str a, b, sample;
	ag_err err = { 0 };
	const ag_status st = ag_recipe_sql(r, text, values, arena, &a, &err);

	if (st) {
		check(st == AG_LIMIT);
		return;
	}
	check(!ag_recipe_sql(r, text, &plain, arena, &b, &err));
	check(!ag_recipe_sample_sql(r, text, arena, &sample, &err));
	check(!ag_sql_guard(a, &policy, NULL, AG_SQL_RUN, arena, &with, &err));
	check(!ag_sql_guard(b, &policy, NULL, AG_SQL_RUN, arena, &without, &err));
	if (looks_at_value(text) || with.rule == AG_SQLRULE_TOO_LARGE ||
	    without.rule == AG_SQLRULE_TOO_LARGE)
		return;
	check((with.rule == AG_SQLRULE_PARSE_ERROR) == (without.rule == AG_SQLRULE_PARSE_ERROR));
	check((with.rule == AG_SQLRULE_MULTIPLE) == (without.rule == AG_SQLRULE_MULTIPLE));
	if (!ag_sql_allowed(&with) || !ag_sql_allowed(&without))
		return;
	check(with.ntable == without.ntable);
	for (size_t i = 0; i < with.ntable; i++)
		check(ag_str_eq(with.tables[i], without.tables[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_recipe_variable variables[] = { { .name = AG_S("x"), .type = AG_RECIPE_STRING },
		                           { .name = AG_S("n"), .type = AG_RECIPE_NUMBER } };
	const ag_recipe r = { .variables = variables, .nvariable = 2 };
	char *copy = malloc(size ? size : 1);
	ag_arena *arena = ag_arena_new();
	ag_str text, value;
	ag_val given, values;
	ag_err err = { 0 };
	ag_status st;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	text = ag_str_make(copy, size);
	value = ag_str_split(&text, '\n');
	text = text.ptr ? text : AG_S("");
	given = values_of(&r, value, arena);
	st = ag_recipe_values(&r, &given, arena, &values, &err);
	if (st)
		check_error(st, &err);
	else
		prompt(&r, &values, arena);
	if (!st && ag_utf8_is_text(text)) {
		st = ag_recipe_check_text(&r, text, true, "sql", &err);
		if (st)
			check_error(st, &err);
		else
			sql(&r, text, &values, arena);
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
