/* json_schema -- does a value fit a JSON schema? The keywords that Argus writes, for tests only: type, properties,
 * required, additionalProperties, items, enum, const, oneOf, anyOf, minimum, maximum. An unknown keyword fails the test,
 * so that nothing is taken for checked. */
#ifndef AG_TESTS_JSON_SCHEMA_H
#define AG_TESTS_JSON_SCHEMA_H

#include "query/value.h"

static bool schema_fits(const ag_val *schema, const ag_val *v);

static bool schema_type_is(ag_str name, const ag_val *v)
{
	int64_t i;

	if (ag_str_eqc(name, "object"))
		return v->type == AG_T_OBJECT;
	if (ag_str_eqc(name, "array"))
		return v->type == AG_T_ARRAY;
	if (ag_str_eqc(name, "string"))
		return v->type == AG_T_STRING;
	if (ag_str_eqc(name, "boolean"))
		return v->type == AG_T_BOOL;
	if (ag_str_eqc(name, "null"))
		return v->type == AG_T_NULL;
	if (ag_str_eqc(name, "integer"))
		return ag_type_is_number(v->type) && ag_val_to_i64(v, &i);
	if (ag_str_eqc(name, "number"))
		return ag_type_is_number(v->type);
	fail_msg("schema: unknown type %.*s", AG_FMT(name));
	return false;
}

static bool schema_type_fits(const ag_val *types, const ag_val *v)
{
	if (types->type == AG_T_STRING)
		return schema_type_is(ag_val_text(types), v);
	for (uint32_t i = 0; i < types->n; i++)
		if (schema_type_is(ag_val_text(&types->u.items[i]), v))
			return true;
	return false;
}

static bool schema_members_fit(const ag_val *schema, const ag_val *v)
{
	const ag_val *props = ag_val_getc(schema, "properties");
	const ag_val *required = ag_val_getc(schema, "required");
	const ag_val *others = ag_val_getc(schema, "additionalProperties");

	for (uint32_t i = 0; required && i < required->n; i++)
		if (!ag_val_get(v, ag_val_text(&required->u.items[i])))
			return false;
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *m = &v->u.members[i];
		const ag_val *sub = props ? ag_val_get(props, m->key) : NULL;

		if (!sub && others && others->type == AG_T_BOOL && !others->u.b)
			return false;
		if (!sub && others && others->type == AG_T_OBJECT)
			sub = others;
		if (sub && !schema_fits(sub, &m->val))
			return false;
	}
	return true;
}

static uint32_t schema_fits_some(const ag_val *list, const ag_val *v)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < list->n; i++)
		n += schema_fits(&list->u.items[i], v);
	return n;
}

static bool schema_keyword_fits(ag_str key, const ag_val *what, const ag_val *v)
{
	static const char *const silent[] = { "$schema",  "title",    "description",
		                              "default",  "format",   "properties",
		                              "required", "examples", "additionalProperties" };

	if (ag_str_eqc(key, "type"))
		return schema_type_fits(what, v);
	if (ag_str_eqc(key, "const"))
		return ag_val_eq(what, v);
	if (ag_str_eqc(key, "oneOf"))
		return schema_fits_some(what, v) == 1;
	if (ag_str_eqc(key, "anyOf"))
		return schema_fits_some(what, v) > 0;
	if (ag_str_eqc(key, "minimum"))
		return !ag_type_is_number(v->type) || ag_val_cmp(v, what) >= 0;
	if (ag_str_eqc(key, "maximum"))
		return !ag_type_is_number(v->type) || ag_val_cmp(v, what) <= 0;
	if (ag_str_eqc(key, "enum")) {
		for (uint32_t i = 0; i < what->n; i++)
			if (ag_val_eq(&what->u.items[i], v))
				return true;
		return false;
	}
	if (ag_str_eqc(key, "items")) {
		for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
			if (!schema_fits(what, &v->u.items[i]))
				return false;
		return true;
	}
	for (size_t i = 0; i < AG_NELEM(silent); i++)
		if (ag_str_eqc(key, silent[i]))
			return true;
	fail_msg("schema: unknown keyword %.*s", AG_FMT(key));
	return false;
}

static bool schema_fits(const ag_val *schema, const ag_val *v)
{
	if (schema->type == AG_T_BOOL)
		return schema->u.b;
	for (uint32_t i = 0; i < schema->n; i++)
		if (!schema_keyword_fits(schema->u.members[i].key, &schema->u.members[i].val, v))
			return false;
	return v->type != AG_T_OBJECT || schema_members_fit(schema, v);
}

#endif
