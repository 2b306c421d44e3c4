/* schema_filter -- a filter as a JSON Schema that selects the same documents.
 *
 * A path meets a value or, as in MongoDB, an item of an array on its way. What JSON Schema cannot compare (dates, object ids,
 * patterns with options, expressions) has no schema. */
#include "export/rules.h"

bool ag_pattern_is_portable(const ag_regex *re)
{
	const ag_str p = ag_regex_pattern(re);

	for (size_t i = 0; i + 1 < p.len; i++) {
		const char c = p.ptr[i], d = p.ptr[i + 1];

		if (c == '(' &&
		    (d == '*' || (d == '?' && (i + 2 >= p.len || !strchr(":=!", p.ptr[i + 2])))))
			return false;
		if (c == '[' && d == ':')
			return false;
		if ((c == '*' || c == '+' || c == '?' || c == '}') && d == '+')
			return false;
		if (c == '\\') {
			/* Escapes of PCRE2 alone, and \x{…}. */
			if (strchr("AZzGhHRXCKQEPpNvegk", d) ||
			    (d == 'x' && i + 2 < p.len && p.ptr[i + 2] == '{'))
				return false;
			i++;
		}
	}
	return true;
}

static bool is_scalar(const ag_val *v)
{
	if (v->type == AG_T_DOUBLE)
		return v->u.f - v->u.f == 0; /* finite */
	return v->type == AG_T_STRING || v->type == AG_T_BOOL || v->type == AG_T_INT32 ||
	       v->type == AG_T_INT64;
}

static bool path_is_plain(const ag_filter *f)
{
	for (size_t i = 0; i < f->nparts; i++)
		if (!f->parts[i].len || (f->parts[i].ptr[0] >= '0' && f->parts[i].ptr[0] <= '9'))
			return false;
	return true;
}

/* Scalars of JSON, all numbers as one, and types that extended JSON writes as objects. */
static bool mask_is_plain(uint32_t mask)
{
	const uint32_t numbers = 1u << AG_T_INT32 | 1u << AG_T_INT64 | 1u << AG_T_DOUBLE;
	const uint32_t plain = 1u << AG_T_STRING | 1u << AG_T_BOOL | 1u << AG_T_NULL |
	                       1u << AG_T_DATE | 1u << AG_T_OID;
	const uint32_t decimal = 1u << AG_T_DECIMAL;

	return !(mask & ~(numbers | plain | decimal)) &&
	       (!(mask & (numbers | decimal)) || (mask & numbers) == numbers);
}

bool ag_filter_has_schema(const ag_filter *f)
{
	switch (f->op) {
	case AG_F_TRUE: return true;
	case AG_F_AND:
	case AG_F_OR:
	case AG_F_NOR:
	case AG_F_NOT:
	case AG_F_ELEM_OBJ:
	case AG_F_ELEM_VAL:
		for (size_t i = 0; i < f->nkids; i++)
			if (!ag_filter_has_schema(f->kids[i]))
				return false;
		return path_is_plain(f);
	case AG_F_EQ:
		return path_is_plain(f) && (is_scalar(&f->operand) || f->operand.type == AG_T_NULL);
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE:
		return path_is_plain(f) && ag_type_is_number(f->operand.type) &&
		       is_scalar(&f->operand);
	case AG_F_IN:
		for (int64_t i = 0; i < f->number; i++)
			if (!is_scalar(&f->operand.u.items[i]) &&
			    f->operand.u.items[i].type != AG_T_NULL)
				return false;
		return path_is_plain(f) && !f->nkids;
	case AG_F_EXISTS:
	case AG_F_SIZE: return path_is_plain(f);
	case AG_F_TYPE: return path_is_plain(f) && mask_is_plain(f->type_mask);
	case AG_F_REGEX:
		return path_is_plain(f) && !ag_regex_opts(f->regex).len &&
		       ag_pattern_is_portable(f->regex);
	default: return false;
	}
}

static void value(ag_jw *w, const ag_val *v, ag_arena *arena)
{
	ag_jw_raw(w, ag_extjson_str(arena, v, AG_EXTJSON_RELAXED));
}

static void type_leaf(uint32_t mask, ag_jw *w)
{
	static const struct {
		ag_type type;
		const char *name, *member; /* member: of its extended JSON */
	} types[] = { { AG_T_STRING, "string", NULL },
		      { AG_T_BOOL, "boolean", NULL },
		      { AG_T_NULL, "null", NULL },
		      { AG_T_DOUBLE, "number", NULL },
		      { AG_T_DATE, "object", "$date" },
		      { AG_T_OID, "object", "$oid" },
		      { AG_T_DECIMAL, "object", "$numberDecimal" } };

	ag_jw_kkey(w, "anyOf");
	ag_jw_arr(w);
	for (size_t i = 0; i < AG_NELEM(types); i++) {
		if (!(mask & 1u << types[i].type))
			continue;
		ag_jw_obj(w);
		ag_jw_kstr(w, "type", ag_str_c(types[i].name));
		if (types[i].member) {
			ag_jw_kkey(w, "required");
			ag_jw_arr(w);
			ag_jw_str(w, ag_str_c(types[i].member));
			ag_jw_arr_end(w);
		}
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* Members of the schema of one value. */
static void leaf(const ag_filter *f, ag_arena *arena, ag_jw *w)
{
	switch (f->op) {
	case AG_F_EQ:
		ag_jw_kkey(w, "const");
		value(w, &f->operand, arena);
		break;
	case AG_F_IN:
		ag_jw_kkey(w, "enum");
		value(w, &f->operand, arena);
		break;
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE:
		ag_jw_kstr(w, "type", AG_S("number"));
		ag_jw_kkey(w, f->op == AG_F_GT    ? "exclusiveMinimum"
		              : f->op == AG_F_GTE ? "minimum"
		              : f->op == AG_F_LT  ? "exclusiveMaximum"
		                                  : "maximum");
		value(w, &f->operand, arena);
		break;
	case AG_F_TYPE: type_leaf(f->type_mask, w); break;
	case AG_F_REGEX:
		ag_jw_kstr(w, "type", AG_S("string"));
		ag_jw_kstr(w, "pattern", ag_regex_pattern(f->regex));
		break;
	case AG_F_SIZE:
		ag_jw_kstr(w, "type", AG_S("array"));
		ag_jw_kint(w, "minItems", f->number);
		ag_jw_kint(w, "maxItems", f->number);
		break;
	case AG_F_ELEM_OBJ:
	case AG_F_ELEM_VAL:
		ag_jw_kstr(w, "type", AG_S("array"));
		ag_jw_kkey(w, "contains");
		ag_jw_obj(w);
		ag_filter_schema(f->kids[0], arena, w);
		ag_jw_obj_end(w);
		break;
	default: break; /* EXISTS: any value */
	}
}

/* May the test hold for an item of an array at the end of the path? */
static bool looks_into_arrays(const ag_filter *f)
{
	return f->op != AG_F_EXISTS && f->op != AG_F_SIZE && f->op != AG_F_ELEM_OBJ &&
	       f->op != AG_F_ELEM_VAL;
}

/* Members of the schema of what stands before part i of the path. */
static void below(const ag_filter *f, size_t i, ag_arena *arena, ag_jw *w)
{
	if (i == f->nparts) {
		if (!i || !looks_into_arrays(f)) {
			leaf(f, arena, w);
			return;
		}
		ag_jw_kkey(w, "anyOf");
		ag_jw_arr(w);
		ag_jw_obj(w);
		leaf(f, arena, w);
		ag_jw_obj_end(w);
		ag_jw_obj(w);
		ag_jw_kstr(w, "type", AG_S("array"));
		ag_jw_kkey(w, "contains");
		ag_jw_obj(w);
		leaf(f, arena, w);
		ag_jw_obj_end(w);
		ag_jw_obj_end(w);
		ag_jw_arr_end(w);
		return;
	}
	if (i) {
		ag_jw_kkey(w, "anyOf");
		ag_jw_arr(w);
		ag_jw_obj(w);
	}
	for (unsigned in_array = 0; in_array < (i ? 2u : 1u); in_array++) {
		if (in_array) {
			ag_jw_obj_end(w);
			ag_jw_obj(w);
			ag_jw_kstr(w, "type", AG_S("array"));
			ag_jw_kkey(w, "contains");
			ag_jw_obj(w);
		}
		ag_jw_kstr(w, "type", AG_S("object"));
		ag_jw_kkey(w, "required");
		ag_jw_arr(w);
		ag_jw_str(w, f->parts[i]);
		ag_jw_arr_end(w);
		ag_jw_kkey(w, "properties");
		ag_jw_obj(w);
		ag_jw_key(w, f->parts[i]);
		ag_jw_obj(w);
		below(f, i + 1, arena, w);
		ag_jw_obj_end(w);
		ag_jw_obj_end(w);
		if (in_array)
			ag_jw_obj_end(w);
	}
	if (i) {
		ag_jw_obj_end(w);
		ag_jw_arr_end(w);
	}
}

static void kids(const char *key, const ag_filter *f, ag_arena *arena, ag_jw *w)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < f->nkids; i++) {
		ag_jw_obj(w);
		ag_filter_schema(f->kids[i], arena, w);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void is_there(const ag_filter *f, ag_arena *arena, ag_jw *w)
{
	ag_filter there = *f;

	there.op = AG_F_EXISTS;
	there.flag = true;
	ag_jw_kkey(w, "not");
	ag_jw_obj(w);
	below(&there, 0, arena, w);
	ag_jw_obj_end(w);
}

void ag_filter_schema(const ag_filter *f, ag_arena *arena, ag_jw *w)
{
	const bool wants_null = (f->op == AG_F_EQ && f->operand.type == AG_T_NULL) ||
	                        (f->op == AG_F_IN && f->flag);

	switch (f->op) {
	case AG_F_TRUE: return;
	case AG_F_AND: kids("allOf", f, arena, w); return;
	case AG_F_OR: kids("anyOf", f, arena, w); return;
	case AG_F_NOR:
	case AG_F_NOT:
		ag_jw_kkey(w, "not");
		ag_jw_obj(w);
		kids("anyOf", f, arena, w);
		ag_jw_obj_end(w);
		return;
	default: break;
	}
	if (f->op == AG_F_EXISTS && !f->flag) {
		is_there(f, arena, w);
		return;
	}
	if (!wants_null || !f->nparts) {
		below(f, 0, arena, w);
		return;
	}
	/* null finds a field that is not there as well. */
	ag_jw_kkey(w, "anyOf");
	ag_jw_arr(w);
	ag_jw_obj(w);
	below(f, 0, arena, w);
	ag_jw_obj_end(w);
	ag_jw_obj(w);
	is_there(f, arena, w);
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
}
