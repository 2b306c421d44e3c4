/* shell_calls -- the constructors of MongoDB's shells: one row per name.
 *
 * Each row writes its arguments as the Extended JSON object of that type and lets ag_extjson_typed() read
 * it, so both syntaxes accept the same values. */
#include "query/extjson.h"
#include "query/shell_internal.h"

typedef struct call_form {
	const char *name;
	const char *key; /* of the Extended JSON object */
	const char *want;
	bool (*make)(const struct call_form *f, const ag_val *args, size_t n, ag_arena *arena,
	             ag_val *ret);
} call_form;

static bool typed_of(ag_arena *arena, const char *key, ag_val v, ag_val *ret)
{
	const ag_member m = { ag_str_c(key), v };
	const ag_val obj = ag_val_object(&m, 1);

	return ag_extjson_typed(arena, &obj, true, ret);
}

static bool is_text(const ag_val *v)
{
	return v->type == AG_T_STRING;
}

/* One text. */
static bool make_text(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                      ag_val *ret)
{
	return n == 1 && is_text(&args[0]) && typed_of(arena, f->key, args[0], ret);
}

/* One text or number. */
static bool make_number(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                        ag_val *ret)
{
	return n == 1 && (is_text(&args[0]) || ag_type_is_number(args[0].type)) &&
	       typed_of(arena, f->key, args[0], ret);
}

static bool make_decimal(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                         ag_val *ret)
{
	ag_val text;

	if (n != 1 || (!is_text(&args[0]) && !ag_type_is_number(args[0].type)))
		return false;
	if (args[0].type == AG_T_DECIMAL) {
		*ret = args[0];
		return true;
	}
	text = args[0];
	if (!is_text(&text)) /* the number as written: 0.1 is 0.1 */
		text = ag_val_str(text.type == AG_T_INT32 || text.type == AG_T_INT64
		                          ? ag_str_printf(arena, "%lld", (long long)text.u.i)
		                          : ag_extjson_str(arena, &text, AG_EXTJSON_SHELL));
	return typed_of(arena, f->key, text, ret);
}

static bool make_uuid(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                      ag_val *ret)
{
	ag_str s;

	if (n != 1 || !is_text(&args[0]))
		return false;
	s = ag_val_text(&args[0]);
	if (s.len == 32)
		s = ag_str_printf(arena, "%.8s-%.4s-%.4s-%.4s-%.12s", s.ptr, s.ptr + 8, s.ptr + 12,
		                  s.ptr + 16, s.ptr + 20);
	return typed_of(arena, f->key, ag_val_str(s), ret);
}

/* BinData(subtype, "base64"), Binary.createFromBase64("base64", subtype). */
static bool make_binary(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                        ag_val *ret)
{
	const bool text_first = n && is_text(&args[0]);
	ag_val sub = ag_val_int(0);
	ag_member m[2];

	if (n == 2)
		sub = args[text_first ? 1 : 0];
	else if (n != 1 || !text_first)
		return false;
	if (is_text(&sub) || text_first != (f->name[3] == 'a'))
		return false;
	m[0] = (ag_member){ AG_S("base64"), args[text_first ? 0 : 1] };
	m[1] = (ag_member){ AG_S("subType"), sub };
	return typed_of(arena, f->key, ag_val_object(m, 2), ret);
}

static bool make_timestamp(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                           ag_val *ret)
{
	ag_member m[2];

	if (n == 1)
		return typed_of(arena, f->key, args[0], ret);
	if (n != 2)
		return false;
	m[0] = (ag_member){ AG_S("t"), args[0] };
	m[1] = (ag_member){ AG_S("i"), args[1] };
	return typed_of(arena, f->key, ag_val_object(m, 2), ret);
}

static bool make_key(const call_form *f, const ag_val *args, size_t n, ag_arena *arena, ag_val *ret)
{
	(void)args;
	return n == 0 && typed_of(arena, f->key, ag_val_int(1), ret);
}

static bool make_regex(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                       ag_val *ret)
{
	ag_member m[2] = { { AG_S("pattern"), ag_val_null() },
		           { AG_S("options"), ag_val_str(AG_S("")) } };

	for (size_t i = 0; i < n && i < 2; i++) {
		if (!is_text(&args[i]))
			return false;
		m[i].val = args[i];
	}
	return n >= 1 && n <= 2 && typed_of(arena, f->key, ag_val_object(m, 2), ret);
}

static bool make_code(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                      ag_val *ret)
{
	ag_member m[2];
	ag_val obj;

	if (n < 1 || n > 2 || !is_text(&args[0]))
		return false;
	m[0] = (ag_member){ ag_str_c(f->key), args[0] };
	m[1] = (ag_member){ AG_S("$scope"), n == 2 ? args[1] : ag_val_null() };
	obj = ag_val_object(m, n);
	return ag_extjson_typed(arena, &obj, true, ret);
}

static bool make_pointer(const call_form *f, const ag_val *args, size_t n, ag_arena *arena,
                         ag_val *ret)
{
	ag_member m[2];

	if (n != 2 || !is_text(&args[0]))
		return false;
	m[0] = (ag_member){ AG_S("$ref"), args[0] };
	m[1] = (ag_member){ AG_S("$id"), args[1] };
	return typed_of(arena, f->key, ag_val_object(m, 2), ret);
}

#define WANT_DATE    "a date such as (\"2026-03-01T08:30:00Z\"), or milliseconds since 1970"
#define WANT_INT     "one integer of 32 bits, such as (5)"
#define WANT_LONG    "one integer of 64 bits, such as (\"5\")"
#define WANT_DECIMAL "one number of at most 34 digits, such as (\"1.10\")"
#define WANT_REGEX   "a pattern and flags out of i, m, s, x, u, such as (\"^a\", \"i\")"

static const call_form forms[] = {
	{ "ObjectId", "$oid", "24 hex digits in quotes", make_text },
	{ "ISODate", "$date", WANT_DATE, make_number },
	{ "Date", "$date", WANT_DATE, make_number },
	{ "NumberInt", "$numberInt", WANT_INT, make_number },
	{ "Int32", "$numberInt", WANT_INT, make_number },
	{ "NumberLong", "$numberLong", WANT_LONG, make_number },
	{ "Long", "$numberLong", WANT_LONG, make_number },
	{ "NumberDecimal", "$numberDecimal", WANT_DECIMAL, make_decimal },
	{ "Decimal128", "$numberDecimal", WANT_DECIMAL, make_decimal },
	{ "Double", "$numberDouble", "one number, such as (1.5)", make_number },
	{ "UUID", "$uuid", "32 hex digits in quotes, with or without dashes", make_uuid },
	{ "BinData", "$binary", "a subtype and base64, such as (0, \"AAEC\")", make_binary },
	{ "Binary.createFromBase64", "$binary", "base64 and a subtype, such as (\"AAEC\", 0)",
	  make_binary },
	{ "Timestamp", "$timestamp", "seconds and a counter, such as (1700000000, 1)",
	  make_timestamp },
	{ "MinKey", "$minKey", "no argument", make_key },
	{ "MaxKey", "$maxKey", "no argument", make_key },
	{ "RegExp", "$regularExpression", WANT_REGEX, make_regex },
	{ "BSONRegExp", "$regularExpression", WANT_REGEX, make_regex },
	{ "BSONSymbol", "$symbol", "one text", make_text },
	{ "Code", "$code", "one text, and a scope {…} or none", make_code },
	{ "DBPointer", "$dbPointer", "a name in quotes and an ObjectId", make_pointer },
};

static const call_form *form_of(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(forms); i++) {
		if (ag_str_eqc(name, forms[i].name))
			return &forms[i];
	}
	return NULL;
}

bool ag_shell_is_call(ag_str name)
{
	return form_of(name) != NULL;
}

const char *ag_shell_nearest(ag_str name)
{
	const char *names[AG_NELEM(forms)];

	for (size_t i = 0; i < AG_NELEM(forms); i++)
		names[i] = forms[i].name;
	return ag_str_nearest(name, names, AG_NELEM(forms));
}

bool ag_shell_call(ag_str name, bool is_new, const ag_val *args, size_t narg, ag_arena *arena,
                   ag_val *ret, ag_buf *why)
{
	const call_form *f = form_of(name);

	AG_ASSERT(f);
	if (ag_str_eqc(name, "Date") && !is_new) {
		ag_buf_adds(
			why,
			"Date() without new is a text in the shell; write new Date(…) or ISODate(…)");
		return false;
	}
	if (f->make(f, args, narg, arena, ret))
		return true;
	ag_buf_addf(why, "%s wants %s", f->name, f->want);
	return false;
}
