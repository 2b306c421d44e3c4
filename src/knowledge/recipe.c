/* recipe -- see the header: what a recipe must be, and what its values must be. */
#include "knowledge/recipe.h"

#include "base/time.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN "knowledge.recipe"
#define SHOWN  60u /* characters of a wrong value in a message */

static const char *const types[AG_RECIPE_NTYPE] = { "string", "number", "date", "boolean",
	                                            "select" };

const char *ag_recipe_type_name(ag_recipe_type t)
{
	return types[t];
}

static ag_recipe_type type_of(ag_str name)
{
	for (int i = 0; i < AG_RECIPE_NTYPE; i++) {
		if (ag_str_eqc(name, types[i]))
			return (ag_recipe_type)i;
	}
	return AG_RECIPE_STRING;
}

static size_t count_of(const ag_val *list)
{
	return list && list->type == AG_T_ARRAY ? list->n : 0;
}

void ag_recipe_read(const ag_val *body, ag_arena *arena, ag_recipe *ret)
{
	const ag_val *variables = ag_val_getc(body, "variables"),
		     *steps = ag_val_getc(body, "steps");

	*ret = (ag_recipe){ .description = ag_val_member_str(body, "description"),
		            .is_shared = ag_val_member_bool(body, "is_shared"),
		            .nvariable = count_of(variables),
		            .nstep = count_of(steps) };
	ret->variables = ag_new_n(arena, ag_recipe_variable, ret->nvariable + 1);
	ret->steps = ag_new_n(arena, ag_recipe_step, ret->nstep + 1);
	for (size_t i = 0; i < ret->nvariable; i++) {
		const ag_val *v = &variables->u.items[i];
		const ag_val *options = ag_val_getc(v, "options");

		ret->variables[i] = (ag_recipe_variable){
			.name = ag_val_member_str(v, "name"),
			.label = ag_val_member_str(v, "label"),
			.type = type_of(ag_val_member_str(v, "type")),
			.has_default = ag_val_getc(v, "default") != NULL,
			.by_default = ag_val_member_str(v, "default"),
			.options = count_of(options) ? options : NULL,
		};
	}
	for (size_t i = 0; i < ret->nstep; i++) {
		const ag_val *v = &steps->u.items[i];

		ret->steps[i] =
			(ag_recipe_step){ .prompt = ag_val_member_str(v, "prompt_template"),
			                  .sql = ag_val_member_str(v, "sql"),
			                  .expected_tool = ag_val_member_str(v, "expected_tool"),
			                  .description = ag_val_member_str(v, "description") };
	}
}

const ag_recipe_variable *ag_recipe_variable_of(const ag_recipe *r, ag_str name)
{
	for (size_t i = 0; i < r->nvariable; i++) {
		if (ag_str_eq(r->variables[i].name, name))
			return &r->variables[i];
	}
	return NULL;
}

/* --- values --- */

AG_PRINTF(3, 4)
static ag_status wrong(ag_err *err, ag_str field, const char *fmt, ...)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(390);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %.*s", AG_FMT(ag_utf8_prefix(field, SHOWN)),
	               AG_FMT(ag_buf_view(&text)));
}

static size_t skip_digits(ag_str s, size_t i)
{
	while (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
		i++;
	return i;
}

/* -12, 12.5, 1e6: what every database and every reader takes for the same number. */
static bool is_number(ag_str s)
{
	size_t i = s.len && s.ptr[0] == '-', from = i;
	double d;

	i = skip_digits(s, i);
	if (i == from)
		return false;
	if (i < s.len && s.ptr[i] == '.') {
		from = ++i;
		i = skip_digits(s, i);
		if (i == from)
			return false;
	}
	if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
		i++;
		i += i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+');
		from = i;
		i = skip_digits(s, i);
		if (i == from)
			return false;
	}
	/* 1e999 is infinity to a database, or an error. */
	return i == s.len && s.len <= 40 && ag_str_to_double(s, &d);
}

static bool is_date(ag_str s)
{
	ag_civil c = { 0 };
	int year;

	if (s.len != 10 || s.ptr[4] != '-' || s.ptr[7] != '-')
		return false;
	if (!ag_str_take_digits(&s, 4, &year))
		return false;
	s = ag_str_make(s.ptr + 1, s.len - 1);
	if (!ag_str_take_digits(&s, 2, &c.month))
		return false;
	s = ag_str_make(s.ptr + 1, s.len - 1);
	if (!ag_str_take_digits(&s, 2, &c.day))
		return false;
	c.year = year;
	return ag_civil_valid(&c) && year > 0;
}

const char *ag_recipe_type_of_text(ag_str text)
{
	return types[is_number(text) ? AG_RECIPE_NUMBER
	             : is_date(text) ? AG_RECIPE_DATE
	                             : AG_RECIPE_STRING];
}

/* Any of "true", "1", "yes" and their contraries; NULL = it is none. */
static const char *boolean_of(ag_str s)
{
	static const char *const yes[] = { "true", "1", "yes" }, *const no[] = { "false", "0",
		                                                                 "no" };

	for (size_t i = 0; i < AG_NELEM(yes); i++) {
		if (ag_str_ieq(s, ag_str_c(yes[i])))
			return "true";
		if (ag_str_ieq(s, ag_str_c(no[i])))
			return "false";
	}
	return NULL;
}

static bool is_option(const ag_recipe_variable *v, ag_str value)
{
	for (size_t i = 0; i < count_of(v->options); i++) {
		if (ag_str_eq(ag_val_text(&v->options->u.items[i]), value))
			return true;
	}
	return false;
}

static ag_status wrong_option(const ag_recipe_variable *v, ag_str field, ag_str value, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf list = AG_BUF_INIT(200);
	size_t i = 0;

	for (; i < count_of(v->options) && list.len < 120; i++)
		ag_buf_addf(&list, "%s%.*s", i ? ", " : "",
		            AG_FMT(ag_utf8_prefix(ag_val_text(&v->options->u.items[i]), 30)));
	if (i < count_of(v->options))
		ag_buf_adds(&list, " …");
	return wrong(err, field, "want one of %.*s; got \"%.*s\"", AG_FMT(ag_buf_view(&list)),
	             AG_FMT(ag_utf8_prefix(value, SHOWN)));
}

static bool is_clean(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];

		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
			return false;
	}
	return ag_utf8_is_text(s);
}

/* As it is kept: *value may get another spelling. field: for messages. */
static ag_status check_value(const ag_recipe_variable *v, ag_str field, ag_str *value, ag_err *err)
{
	const ag_str shown = ag_utf8_prefix(*value, SHOWN);
	const char *word;

	if (!is_clean(*value))
		return wrong(err, field, "want UTF-8 text without control characters");
	if (ag_utf8_count(*value) > AG_RECIPE_MAX_VALUE)
		return wrong(err, field, "want at most %u characters, got %zu", AG_RECIPE_MAX_VALUE,
		             ag_utf8_count(*value));
	if (v->type == AG_RECIPE_STRING)
		return AG_OK;
	if (v->type == AG_RECIPE_SELECT)
		return is_option(v, *value) ? AG_OK : wrong_option(v, field, *value, err);
	*value = ag_str_trim(*value);
	switch (v->type) {
	case AG_RECIPE_NUMBER:
		return is_number(*value)
		               ? AG_OK
		               : wrong(err, field, "want a number like 12 or -3.5, got \"%.*s\"",
		                       AG_FMT(shown));
	case AG_RECIPE_DATE:
		return is_date(*value)
		               ? AG_OK
		               : wrong(err, field, "want a date like 2026-03-01, got \"%.*s\"",
		                       AG_FMT(shown));
	default:
		word = boolean_of(*value);
		if (!word)
			return wrong(err, field, "want true or false, got \"%.*s\"", AG_FMT(shown));
		*value = ag_str_c(word);
		return AG_OK;
	}
}

static ag_status check_names(const ag_recipe *r, const ag_val *given, ag_err *err)
{
	const char *names[AG_RECIPE_MAX_VARIABLES] = { NULL }, *near;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	for (size_t i = 0; i < r->nvariable && i < AG_RECIPE_MAX_VARIABLES; i++)
		names[i] = ag_str_cstr(arena, r->variables[i].name);
	for (uint32_t i = 0; i < given->n; i++) {
		const ag_str key = given->u.members[i].key;

		if (ag_recipe_variable_of(r, key))
			continue;
		near = ag_str_nearest(key, names, r->nvariable);
		wrong(err, key, "the recipe has no such variable");
		return near ? ag_err_hint(err, "did you mean \"%s\"?", near) : AG_INVALID;
	}
	return AG_OK;
}

/* The text of a value that was given; false = none was. */
static bool text_of(const ag_recipe_variable *v, const ag_val *given, ag_arena *arena, ag_str *ret)
{
	if (!given || given->type == AG_T_NULL || given->type == AG_T_MISSING)
		return false;
	*ret = given->type == AG_T_STRING ? ag_val_text(given)
	                                  : ag_extjson_str(arena, given, AG_EXTJSON_RELAXED);
	return v->type == AG_RECIPE_STRING || ag_str_trim(*ret).len;
}

ag_status ag_recipe_values(const ag_recipe *r, const ag_val *given, ag_arena *arena, ag_val *ret,
                           ag_err *err)
{
	ag_member *m = ag_new_n(arena, ag_member, r->nvariable + 1);
	ag_status st;

	if (given->type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, ORIGIN, "values: want an object, name by name");
	st = check_names(r, given, err);
	for (size_t i = 0; i < r->nvariable && !st; i++) {
		const ag_recipe_variable *v = &r->variables[i];
		const ag_val *one = ag_val_get(given, v->name);
		ag_str text = v->by_default;

		if (one && (one->type == AG_T_OBJECT || one->type == AG_T_ARRAY))
			return wrong(err, v->name, "want one value");
		if (!text_of(v, one, arena, &text) && !v->has_default)
			return wrong(err, v->name, "is missing, and has no default");
		if (!text_of(v, one, arena, &text))
			text = v->by_default;
		st = check_value(v, v->name, &text, err);
		m[i] = (ag_member){ v->name, ag_val_str(ag_str_dup(arena, text)) };
	}
	if (!st)
		*ret = ag_val_object(m, r->nvariable);
	return st;
}

ag_status ag_recipe_typed_values(const ag_str *args, size_t n, ag_arena *arena, ag_val *ret,
                                 ag_err *err)
{
	ag_member *m = ag_new_n(arena, ag_member, n + 1);

	for (size_t i = 0; i < n; i++) {
		ag_str value = args[i];
		const ag_str name = ag_str_split(&value, '=');

		if (!value.ptr || !name.len || name.len == args[i].len)
			return ag_fail(err, AG_INVALID, ORIGIN, "want NAME=VALUE, got \"%.*s\"",
			               AG_FMT(ag_utf8_prefix(args[i], SHOWN)));
		for (size_t k = 0; k < i; k++) {
			if (ag_str_eq(m[k].key, name))
				return wrong(err, name, "comes twice");
		}
		m[i] = (ag_member){ name, ag_val_str(value) };
	}
	*ret = ag_val_object(m, n);
	return AG_OK;
}

/* --- the kind's check --- */

static bool is_name(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_' &&
		    !(i && c >= '0' && c <= '9'))
			return false;
	}
	return s.len > 0;
}

static ag_status check_options(const ag_recipe_variable *v, const char *what, ag_err *err)
{
	if (v->type != AG_RECIPE_SELECT)
		return v->options ? wrong(err, ag_str_c(what), "options: belong to the type select")
		                  : AG_OK;
	if (!v->options)
		return wrong(err, ag_str_c(what), "options: is missing, a select needs them");
	for (size_t i = 0; i < count_of(v->options); i++) {
		ag_str one = ag_val_text(&v->options->u.items[i]), rest = one;

		if (ag_str_split(&rest, '\n').len != one.len)
			return wrong(err, ag_str_c(what), "options: an option is one line");
	}
	return AG_OK;
}

static ag_status check_variable(const ag_recipe *r, size_t i, ag_arena *arena, ag_err *err)
{
	const ag_recipe_variable *v = &r->variables[i];
	const char *what = ag_str_printf(arena, "recipe: variable %zu (%.*s)", i + 1,
	                                 AG_FMT(ag_utf8_prefix(v->name, 30)))
	                           .ptr;
	ag_str text = v->by_default;
	ag_status st;

	if (!is_name(v->name))
		return wrong(err, ag_str_c(what),
		             "name: want letters, digits and _, and no digit first");
	if (ag_recipe_variable_of(r, v->name) != v)
		return wrong(err, ag_str_c(what), "name: comes twice");
	st = check_options(v, what, err);
	if (!st && v->has_default)
		st = check_value(v, ag_str_printf(arena, "%s: default", what), &text, err);
	return st;
}

ag_status ag_recipe_check(const ag_val *body, ag_arena *arena, ag_err *err)
{
	ag_recipe r;
	ag_status st = AG_OK;

	ag_recipe_read(body, arena, &r);
	for (size_t i = 0; i < r.nvariable && !st; i++)
		st = check_variable(&r, i, arena, err);
	for (size_t i = 0; i < r.nstep && !st; i++) {
		const char *what = ag_str_printf(arena, "recipe: step %zu: ", i + 1).ptr;

		st = ag_recipe_check_text(&r, r.steps[i].prompt, false,
		                          ag_str_printf(arena, "%sprompt_template", what).ptr, err);
		if (!st)
			st = ag_recipe_check_text(&r, r.steps[i].sql, true,
			                          ag_str_printf(arena, "%ssql", what).ptr, err);
	}
	return st;
}
