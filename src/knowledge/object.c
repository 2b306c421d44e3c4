/* object -- see the header. Read ag_know_types[], then ag_know_make(). */
#include "knowledge/object.h"

#include <stdio.h>

#include "base/sha256.h"
#include "base/utf8.h"
#include "knowledge/recipe.h"
#include "query/extjson.h"

#define ORIGIN "knowledge"
#define SHOWN  60u /* characters of a wrong value in a message */

static const char *const categories[] = { "type_mismatch",  "filter_required", "join_pattern",
	                                  "aggregation",    "naming",          "data_quality",
	                                  "business_logic", "other",           NULL };
static const char *const modes[] = { "exact",    "approximate", "row_count",
	                             "contains", "structure",   NULL };

static const ag_know_field entry_fields[] = {
	{ "content", AG_KNOW_TEXT, true, 1, 0, NULL, "What is to be known, as Markdown." },
	{ "tables", AG_KNOW_LIST, false, 1, 128, NULL, "Tables that it is about." },
};
static const ag_know_field table_fields[] = {
	{ "description", AG_KNOW_TEXT, true, 1, 0, NULL, "What the table holds." },
	{ "use_cases", AG_KNOW_LIST, false, 1, 2000, NULL, "What it is good for." },
	{ "data_quality_notes", AG_KNOW_LIST, false, 1, 2000, NULL, "What is wrong in it." },
	{ "owner", AG_KNOW_TEXT, false, 1, 200, NULL, "Who answers for it." },
	{ "refresh_frequency", AG_KNOW_TEXT, false, 1, 200, NULL, "How often it is filled." },
	{ "related_tables", AG_KNOW_RELATED, false, 1, 500, NULL, "Tables to join, with how." },
	{ "column_notes", AG_KNOW_MAP, false, 1, 2000, NULL, "What its columns mean." },
};
static const ag_know_field metric_fields[] = {
	{ "definition", AG_KNOW_TEXT, true, 1, 0, NULL, "What it measures, in words." },
	{ "sql", AG_KNOW_TEXT, true, 1, 10000, NULL, "The SELECT that computes it." },
	{ "unit", AG_KNOW_TEXT, false, 1, 60, NULL, "Of its value: USD, orders, %." },
	{ "caveats", AG_KNOW_LIST, false, 1, 2000, NULL, "What its reader must know." },
	{ "tables", AG_KNOW_LIST, false, 1, 128, NULL, "Tables that it reads." },
	{ "source", AG_KNOW_TEXT, false, 1, 200, NULL, "Where it was taken from." },
};
static const ag_know_field learning_fields[] = {
	{ "category", AG_KNOW_TEXT, true, 1, 0, categories, "What kind of mistake it avoids." },
	{ "tables", AG_KNOW_LIST, true, 1, 128, NULL, "Tables that it applies to." },
	{ "original_sql", AG_KNOW_TEXT, false, 1, 10000, NULL, "The SQL that failed." },
	{ "corrected_sql", AG_KNOW_TEXT, false, 1, 10000, NULL, "The SQL that worked." },
	{ "original_error", AG_KNOW_TEXT, false, 1, 2000, NULL, "What the database said." },
	{ "contradicted", AG_KNOW_TEXT, false, 1, 2000, NULL, "Why it waits for a review." },
};
static const ag_know_field golden_fields[] = {
	{ "mode", AG_KNOW_TEXT, true, 1, 0, modes, "How an answer is compared." },
	{ "expected", AG_KNOW_TEXT, true, 1, 0, NULL,
	  "A value, text or table as JSON; a number of rows; names of columns." },
	{ "tolerance", AG_KNOW_NUMBER, false, 0, 0, NULL,
	  "approximate: the largest relative difference, 0.01 is one percent." },
	{ "sql", AG_KNOW_TEXT, false, 1, 10000, NULL, "A statement that answers it." },
	{ "tags", AG_KNOW_LIST, false, 1, 60, NULL, "Words to choose questions by." },
};
static const char *const variable_types[] = {
	"string", "number", "date", "boolean", "select", NULL
};
static const ag_know_field variable_fields[] = {
	{ "name", AG_KNOW_TEXT, true, 1, 60, NULL, "What stands in {{}}: letters, digits, _." },
	{ "type", AG_KNOW_TEXT, true, 1, 0, variable_types, "What its values are." },
	{ "label", AG_KNOW_TEXT, true, 1, 200, NULL, "What people read." },
	{ "default", AG_KNOW_SCALAR, false, 0, AG_RECIPE_MAX_VALUE, NULL, "Where none is given." },
	{ "options", AG_KNOW_SCALARS, false, 1, 200, NULL, "select: the values that it takes." },
};
static const ag_know_field step_fields[] = {
	{ "prompt_template", AG_KNOW_TEXT, true, 1, AG_RECIPE_MAX_PROMPT, NULL,
	  "The question, with {{variable}}." },
	{ "sql", AG_KNOW_TEXT, false, 1, 10000, NULL,
	  "The SELECT that answers it; without one a model answers." },
	{ "expected_tool", AG_KNOW_TEXT, false, 1, 100, NULL, "A tool that should be called." },
	{ "description", AG_KNOW_TEXT, false, 1, 1000, NULL, "What the step does." },
};

#define RECORDS(f, word) .of = (f), .nof = AG_NELEM(f), .one = (word)

static const ag_know_field recipe_fields[] = {
	{ "description", AG_KNOW_TEXT, true, 1, 2000, NULL, "What it does." },
	{ "variables", AG_KNOW_RECORDS, false, 0, AG_RECIPE_MAX_VARIABLES, NULL,
	  "What is asked for before it runs.", RECORDS(variable_fields, "variable") },
	{ "steps", AG_KNOW_RECORDS, true, 0, AG_RECIPE_MAX_STEPS, NULL, "Its questions, in order.",
	  RECORDS(step_fields, "step") },
	{ "is_shared", AG_KNOW_FLAG, false, 0, 0, NULL,
	  "May everybody of the project use it, or its author alone?" },
};

#define FIELDS(f) .fields = (f), .nfield = AG_NELEM(f)

/* An answer never has another number of rows: the question would always be wrong. */
static ag_status check_golden(const ag_val *body, ag_arena *arena, ag_err *err)
{
	const ag_str expected = ag_str_trim(ag_val_member_str(body, "expected"));
	uint64_t n;

	(void)arena;
	if (!ag_str_eqc(ag_val_member_str(body, "mode"), "row_count") ||
	    ag_str_to_u64(expected, &n))
		return AG_OK;
	return ag_fail(
		err, AG_INVALID, ORIGIN,
		"golden: expected: want a number of rows for the mode row_count, got \"%.*s\"",
		AG_FMT(ag_utf8_prefix(expected, 40)));
}

const ag_know_type ag_know_types[AG_KNOW_NKIND] = {
	[AG_KNOW_ENTRY] = { "entry", "entries", "title", "content", 1, 200, true,
	                    .least = AG_ROLE_ANALYST, .removes = AG_ROLE_ANALYST,
	                    FIELDS(entry_fields) },
	/* Notes on the dictionary are what everybody's answers rest on: an admin writes them. */
	[AG_KNOW_TABLE] = { "table", "tables", "table", "description", 1, 200, true,
	                    .least = AG_ROLE_ADMIN, .removes = AG_ROLE_ADMIN,
	                    FIELDS(table_fields) },
	[AG_KNOW_METRIC] = { "metric", "metrics", "name", "definition", 1, 200, true,
	                     .least = AG_ROLE_ANALYST, .removes = AG_ROLE_ANALYST,
	                     FIELDS(metric_fields) },
	[AG_KNOW_LEARNING] = { "learning", "learnings", "description", NULL, 20, 2000, false,
	                       .least = AG_ROLE_ANALYST, .removes = AG_ROLE_ANALYST,
	                       FIELDS(learning_fields) },
	[AG_KNOW_GOLDEN] = { "golden", "golden", "question", NULL, 3, 2000, false,
	                     .least = AG_ROLE_ANALYST, .removes = AG_ROLE_ANALYST,
	                     .check = check_golden, FIELDS(golden_fields) },
	/* What others rely on, and schedules run, only an admin takes away. */
	[AG_KNOW_RECIPE] = { "recipe", "recipes", "name", "description", 1, 200, true,
	                     .least = AG_ROLE_ANALYST, .removes = AG_ROLE_ADMIN,
	                     .check = ag_recipe_check, FIELDS(recipe_fields) },
};

static const char *const statuses[AG_KNOW_NSTATUS] = { "active", "review", "off" };

bool ag_know_kind_read(ag_str name, ag_know_kind *ret)
{
	for (int i = 0; i < AG_KNOW_NKIND; i++) {
		if (ag_str_eqc(name, ag_know_types[i].name)) {
			*ret = (ag_know_kind)i;
			return true;
		}
	}
	return false;
}

const char *ag_know_status_name(ag_know_status s)
{
	return statuses[s];
}

bool ag_know_status_read(ag_str name, ag_know_status *ret)
{
	for (int i = 0; i < AG_KNOW_NSTATUS; i++) {
		if (ag_str_eqc(name, statuses[i])) {
			*ret = (ag_know_status)i;
			return true;
		}
	}
	return false;
}

const ag_know_field *ag_know_field_of(ag_know_kind kind, ag_str name)
{
	const ag_know_type *t = &ag_know_types[kind];

	for (size_t i = 0; i < t->nfield; i++) {
		if (ag_str_eqc(name, t->fields[i].name))
			return &t->fields[i];
	}
	return NULL;
}

ag_str ag_know_key(ag_str name, ag_arena *arena)
{
	char *low = ag_str_cstr(arena, ag_str_trim(name));
	ag_sha256_hex hex;

	ag_utf8_lower(low, strlen(low));
	hex = ag_sha256(ag_str_c(low));
	return ag_str_dup(arena, ag_str_c(hex.text));
}

/* --- checks --- */

typedef struct checker {
	ag_arena *arena;
	ag_err *err;
	const ag_know_type *type;
	const char *field; /* or the title of the name */
} checker;

AG_PRINTF(2, 3) static ag_status wrong(const checker *k, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ag_fail(k->err, AG_INVALID, ORIGIN, "%s: %s: %s", k->type->name, k->field, text);
}

static bool is_one_line(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
			return false;
	}
	return true;
}

/* Text of lines: no control character but tab and line break. */
static bool is_clean(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];

		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
			return false;
	}
	return true;
}

static ag_status check_text(const checker *k, ag_str text, unsigned min, unsigned max, ag_str *ret)
{
	size_t n;

	if (!ag_utf8_is_text(text) || !is_clean(text))
		return wrong(k, "want UTF-8 text without control characters");
	text = ag_str_trim(text);
	n = ag_utf8_count(text);
	max = max ? max : AG_KNOW_MAX_TEXT;
	if (!n && min)
		return wrong(k, "is empty");
	if (n < min)
		return wrong(k, "want %u characters or more, got %zu", min, n);
	if (n > max)
		return wrong(k, "want at most %u characters, got %zu", max, n);
	*ret = ag_str_dup(k->arena, text);
	return AG_OK;
}

static ag_status check_choice(const checker *k, const char *const *one_of, ag_str text)
{
	AG_AUTO(ag_buf_release) ag_buf list = AG_BUF_INIT(1000);

	for (size_t i = 0; one_of[i]; i++) {
		if (ag_str_eqc(text, one_of[i]))
			return AG_OK;
		ag_buf_addf(&list, "%s%s", i ? ", " : "", one_of[i]);
	}
	AG_ASSERT(list.ptr);
	return wrong(k, "want one of %s; got \"%.*s\"", list.ptr,
	             AG_FMT(ag_utf8_prefix(text, SHOWN)));
}

static ag_status make_text(const checker *k, const ag_know_field *f, const ag_val *v, ag_val *ret)
{
	ag_str text = AG_S("");
	ag_status st;

	if (v->type != AG_T_STRING)
		return wrong(k, "want a text");
	st = check_text(k, ag_val_text(v), f->min, f->max, &text);
	if (!st && f->one_of)
		st = check_choice(k, f->one_of, text);
	if (!st)
		*ret = ag_val_str(text);
	return st;
}

static ag_status make_number(const checker *k, const ag_val *v, ag_val *ret)
{
	double d = -1;

	if (ag_type_is_number(v->type))
		d = ag_val_number(v);
	else if (v->type == AG_T_STRING && !ag_str_to_double(ag_str_trim(ag_val_text(v)), &d))
		d = -1;
	if (!(d >= 0 && d <= 1e9))
		return wrong(k, "want a number of 0 or more");
	*ret = ag_val_double(d);
	return AG_OK;
}

static ag_status make_list(const checker *k, const ag_know_field *f, const ag_val *v, ag_val *ret)
{
	const ag_val *items = v->type == AG_T_ARRAY ? v->u.items : v;
	const size_t n = v->type == AG_T_ARRAY ? v->n : 1;
	ag_val *list = ag_new_n(k->arena, ag_val, n + 1);
	ag_status st = AG_OK;

	if (v->type != AG_T_ARRAY && v->type != AG_T_STRING)
		return wrong(k, "want a list of texts");
	if (n > AG_KNOW_MAX_ITEMS)
		return wrong(k, "want at most %u items, got %zu", AG_KNOW_MAX_ITEMS, n);
	for (size_t i = 0; i < n && !st; i++)
		st = make_text(k, f, &items[i], &list[i]);
	if (!st)
		*ret = ag_val_array(list, n);
	return st;
}

static ag_status make_map(const checker *k, const ag_know_field *f, const ag_val *v, ag_val *ret)
{
	ag_member *list = ag_new_n(k->arena, ag_member, (v->type == AG_T_OBJECT ? v->n : 0) + 1);
	ag_status st = AG_OK;

	if (v->type != AG_T_OBJECT)
		return wrong(k, "want texts by name");
	if (v->n > AG_KNOW_MAX_ITEMS)
		return wrong(k, "want at most %u items, got %u", AG_KNOW_MAX_ITEMS, v->n);
	for (uint32_t i = 0; i < v->n && !st; i++) {
		const ag_member *m = &v->u.members[i];

		st = check_text(k, m->key, 1, 128, &list[i].key);
		if (!st && !is_one_line(list[i].key))
			st = wrong(k, "a name is one line");
		if (!st)
			st = make_text(k, f, &m->val, &list[i].val);
	}
	if (!st)
		*ret = ag_val_object(list, v->n);
	return st;
}

/* "customers", or {"table":"customers","join_hint":"…"}: kept as the object. */
static ag_status make_one_related(const checker *k, const ag_know_field *f, const ag_val *v,
                                  ag_val *ret)
{
	ag_member *m = ag_new_n(k->arena, ag_member, 2);
	const ag_val *table = v->type == AG_T_OBJECT ? ag_val_getc(v, "table") : v;
	const ag_val *hint = ag_val_getc(v, "join_hint");
	ag_str name = AG_S("");
	ag_status st;

	if (!table || table->type != AG_T_STRING || (hint && hint->type != AG_T_STRING))
		return wrong(k, "want names of tables, or objects with table and join_hint");
	if (v->type == AG_T_OBJECT && v->n != 1u + (hint != NULL))
		return wrong(k, "want table and join_hint, nothing else");
	st = check_text(k, ag_val_text(table), 1, 128, &name);
	if (st)
		return st;
	m[0] = (ag_member){ AG_S("table"), ag_val_str(name) };
	if (hint) {
		m[1].key = AG_S("join_hint");
		st = make_text(k, f, hint, &m[1].val);
	}
	*ret = ag_val_object(m, hint ? 2 : 1);
	return st;
}

static ag_status make_related(const checker *k, const ag_know_field *f, const ag_val *v,
                              ag_val *ret)
{
	ag_val *list = ag_new_n(k->arena, ag_val, (v->type == AG_T_ARRAY ? v->n : 0) + 1);
	ag_status st = AG_OK;

	if (v->type != AG_T_ARRAY)
		return wrong(k, "want a list of tables");
	if (v->n > AG_KNOW_MAX_ITEMS)
		return wrong(k, "want at most %u items, got %u", AG_KNOW_MAX_ITEMS, v->n);
	for (uint32_t i = 0; i < v->n && !st; i++)
		st = make_one_related(k, f, &v->u.items[i], &list[i]);
	if (!st)
		*ret = ag_val_array(list, v->n);
	return st;
}

static ag_status make_flag(const checker *k, const ag_val *v, ag_val *ret)
{
	const ag_str text = v->type == AG_T_STRING ? ag_str_trim(ag_val_text(v)) : AG_S("");

	if (v->type != AG_T_BOOL && !ag_str_ieq(text, AG_S("true")) &&
	    !ag_str_ieq(text, AG_S("false")))
		return wrong(k, "want true or false");
	*ret = ag_val_bool(v->type == AG_T_BOOL ? v->u.b : ag_str_ieq(text, AG_S("true")));
	return AG_OK;
}

static ag_status make_scalar(const checker *k, const ag_know_field *f, const ag_val *v, ag_val *ret)
{
	ag_str text = AG_S("");
	ag_status st;

	if (v->type == AG_T_STRING)
		text = ag_val_text(v);
	else if (v->type == AG_T_BOOL || ag_type_is_number(v->type))
		text = ag_extjson_str(k->arena, v, AG_EXTJSON_RELAXED);
	else
		return wrong(k, "want a text, a number, true or false");
	st = check_text(k, text, f->min, f->max, &text);
	if (!st)
		*ret = ag_val_str(text);
	return st;
}

static ag_status make_scalars(const checker *k, const ag_know_field *f, const ag_val *v,
                              ag_val *ret)
{
	ag_val *list = ag_new_n(k->arena, ag_val, (v->type == AG_T_ARRAY ? v->n : 0) + 1);
	ag_status st = AG_OK;

	if (v->type != AG_T_ARRAY)
		return wrong(k, "want a list of texts or numbers");
	if (v->n > AG_KNOW_MAX_ITEMS)
		return wrong(k, "want at most %u items, got %u", AG_KNOW_MAX_ITEMS, v->n);
	for (uint32_t i = 0; i < v->n && !st; i++)
		st = make_scalar(k, f, &v->u.items[i], &list[i]);
	if (!st)
		*ret = ag_val_array(list, v->n);
	return st;
}

static ag_status make_records(const checker *k, const ag_know_field *f, const ag_val *v,
                              ag_val *ret);

static ag_status make_value(const checker *k, const ag_know_field *f, const ag_val *v, ag_val *ret)
{
	switch (f->form) {
	case AG_KNOW_FLAG: return make_flag(k, v, ret);
	case AG_KNOW_SCALAR: return make_scalar(k, f, v, ret);
	case AG_KNOW_SCALARS: return make_scalars(k, f, v, ret);
	case AG_KNOW_RECORDS: return make_records(k, f, v, ret);
	case AG_KNOW_NUMBER: return make_number(k, v, ret);
	case AG_KNOW_LIST: return make_list(k, f, v, ret);
	case AG_KNOW_MAP: return make_map(k, f, v, ret);
	case AG_KNOW_RELATED: return make_related(k, f, v, ret);
	default: return make_text(k, f, v, ret);
	}
}

/* null, "", [] and {} are no value. */
static bool is_there(const ag_val *v)
{
	if (!v || v->type == AG_T_NULL || v->type == AG_T_MISSING)
		return false;
	if (v->type == AG_T_STRING)
		return ag_str_trim(ag_val_text(v)).len > 0;
	return (v->type != AG_T_ARRAY && v->type != AG_T_OBJECT) || v->n > 0;
}

/* Is it one of these fields? at: what has them, in the message. */
static ag_status check_unknown(const checker *k, const ag_know_field *list, size_t n,
                               const char *at, const ag_val *fields)
{
	const char *names[16], *near;

	AG_ASSERT(n <= AG_NELEM(names));
	for (size_t i = 0; i < n; i++)
		names[i] = list[i].name;
	for (uint32_t i = 0; i < fields->n; i++) {
		const ag_str key = fields->u.members[i].key;
		size_t x = 0;

		while (x < n && !ag_str_eqc(key, names[x]))
			x++;
		if (x < n)
			continue;
		near = ag_str_nearest(key, names, n);
		ag_fail(k->err, AG_INVALID, ORIGIN, "%s: there is no field \"%.*s\"", at,
		        AG_FMT(ag_utf8_prefix(key, SHOWN)));
		return near ? ag_err_hint(k->err, "did you mean \"%s\"?", near) : AG_INVALID;
	}
	return AG_OK;
}

/* at: what stands before a field's name in messages, "step 2: ". */
static ag_status make_fields(const checker *of, const ag_know_field *list, size_t n, const char *at,
                             const ag_val *fields, ag_val *ret)
{
	checker k = *of;
	ag_member *members = ag_new_n(k.arena, ag_member, n + 1);
	size_t nmember = 0;
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		const ag_know_field *f = &list[i];
		const ag_val *v = ag_val_getc(fields, f->name);

		k.field = ag_str_printf(k.arena, "%s%s", at, f->name).ptr;
		/* An empty text is a value of its own here. */
		if (!is_there(v) && !(f->form == AG_KNOW_SCALAR && v && v->type == AG_T_STRING)) {
			st = f->is_needed ? wrong(&k, "is missing") : AG_OK;
			continue;
		}
		members[nmember].key = ag_str_c(f->name);
		st = make_value(&k, f, v, &members[nmember++].val);
	}
	if (!st)
		*ret = ag_val_object(members, nmember);
	return st;
}

static ag_status make_records(const checker *k, const ag_know_field *f, const ag_val *v,
                              ag_val *ret)
{
	ag_val *list = ag_new_n(k->arena, ag_val, (v->type == AG_T_ARRAY ? v->n : 0) + 1);
	ag_status st = AG_OK;

	if (v->type != AG_T_ARRAY)
		return wrong(k, "want a list of objects");
	if (v->n > f->max)
		return wrong(k, "want at most %u, got %u", f->max, v->n);
	for (uint32_t i = 0; i < v->n && !st; i++) {
		const char *at = ag_str_printf(k->arena, "%s %u: ", f->one, i + 1).ptr;
		const ag_val *one = &v->u.items[i];

		if (one->type != AG_T_OBJECT)
			return ag_fail(k->err, AG_INVALID, ORIGIN, "%s: %swant an object",
			               k->type->name, at);
		st = check_unknown(
			k, f->of, f->nof,
			ag_str_printf(k->arena, "%s: %s %u", k->type->name, f->one, i + 1).ptr,
			one);
		if (!st)
			st = make_fields(k, f->of, f->nof, at, one, &list[i]);
	}
	if (!st)
		*ret = ag_val_array(list, v->n);
	return st;
}

ag_status ag_know_make(ag_know_kind kind, ag_str name, const ag_val *fields, ag_arena *arena,
                       ag_know *ret, ag_err *err)
{
	const ag_know_type *t = &ag_know_types[kind];
	const checker k = { .arena = arena, .err = err, .type = t, .field = t->title };
	ag_know o = { .kind = kind, .confidence = kind == AG_KNOW_LEARNING ? 0.5 : 1 };
	ag_status st = check_text(&k, name, t->min_name, t->max_name, &o.name);

	if (!st && t->is_line && !is_one_line(o.name))
		st = wrong(&k, "want one line");
	if (!st && !ag_utf8_width(o.name))
		st = wrong(&k, "has no visible character");
	if (!st && fields->type != AG_T_OBJECT)
		st = ag_fail(err, AG_INVALID, ORIGIN, "%s: want fields with their values", t->name);
	if (!st)
		st = check_unknown(&k, t->fields, t->nfield, t->name, fields);
	if (!st)
		st = make_fields(&k, t->fields, t->nfield, "", fields, &o.body);
	if (!st && t->check)
		st = t->check(&o.body, arena, err);
	if (st)
		return st;
	o.key = ag_know_key(o.name, arena);
	*ret = o;
	return AG_OK;
}

ag_val ag_know_with(const ag_val *body, const char *field, const ag_val *value, ag_arena *arena)
{
	ag_member *m = ag_new_n(arena, ag_member, body->n + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < body->n; i++) {
		if (!ag_str_eqc(body->u.members[i].key, field))
			m[n++] = body->u.members[i];
	}
	if (value)
		m[n++] = (ag_member){ ag_str_c(field), *value };
	return ag_val_object(m, n);
}

/* --- rows --- */

ag_object_row ag_know_row(const ag_know *o, ag_str project, ag_arena *arena)
{
	return (ag_object_row){ .project = project,
		                .kind = ag_str_c(ag_know_types[o->kind].name),
		                .key = o->key,
		                .name = o->name,
		                .status = ag_str_c(statuses[o->status]),
		                .author = o->author,
		                .confidence = o->confidence,
		                .uses = o->uses,
		                .version = o->version,
		                .created_ms = o->created_ms,
		                .changed_ms = o->changed_ms,
		                .used_ms = o->used_ms,
		                .body = ag_extjson_str(arena, &o->body, AG_EXTJSON_RELAXED) };
}

ag_status ag_know_of_row(const ag_object_row *row, ag_arena *arena, ag_know *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	ag_know o = { .key = row->key,
		      .name = row->name,
		      .author = row->author,
		      .confidence = row->confidence,
		      .uses = row->uses,
		      .version = row->version,
		      .created_ms = row->created_ms,
		      .changed_ms = row->changed_ms,
		      .used_ms = row->used_ms };

	if (!ag_know_kind_read(row->kind, &o.kind) || !ag_know_status_read(row->status, &o.status))
		return ag_fail(err, AG_INVALID, ORIGIN, "an object of kind \"%.*s\" is unknown",
		               AG_FMT(ag_utf8_prefix(row->kind, SHOWN)));
	if (ag_extjson_parse(row->body, &opts, arena, &o.body, NULL, NULL, NULL) ||
	    o.body.type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s \"%.*s\" cannot be read",
		               AG_FMT(row->kind), AG_FMT(ag_utf8_prefix(row->name, SHOWN)));
	*ret = o;
	return AG_OK;
}

ag_status ag_know_rows(ag_store *s, ag_str project, ag_know_kind kind, ag_arena *arena,
                       ag_object_row **ret, size_t *nret, ag_err *err)
{
	ag_object_row *lists[AG_KNOW_NKIND];
	size_t counts[AG_KNOW_NKIND] = { 0 }, n = 0;
	ag_status st = AG_OK;

	for (int k = 0; k < AG_KNOW_NKIND && !st; k++) {
		if (kind == AG_KNOW_NKIND || kind == (ag_know_kind)k)
			st = ag_store_objects(s, project, ag_str_c(ag_know_types[k].name), arena,
			                      &lists[k], &counts[k], err);
		n += counts[k];
	}
	if (st)
		return st;
	*ret = ag_new_n(arena, ag_object_row, n + 1);
	*nret = 0;
	for (int k = 0; k < AG_KNOW_NKIND; k++) {
		if (counts[k])
			memcpy(*ret + *nret, lists[k], counts[k] * sizeof(**ret));
		*nret += counts[k];
	}
	return AG_OK;
}

ag_str ag_know_text(const ag_know *o, const char *field)
{
	return ag_val_member_str(&o->body, field);
}

ag_str ag_know_item(const ag_know *o, const char *field, size_t i)
{
	const ag_val *v = ag_val_getc(&o->body, field);

	if (!v || v->type != AG_T_ARRAY || i >= v->n || v->u.items[i].type != AG_T_STRING)
		return AG_S("");
	return ag_val_text(&v->u.items[i]);
}
