/* expr_ops_object -- objects as arrays of key and value, and back. */
#include "query/expr_internal.h"

AG_EXPR_EAGER(object_to_array)
{
	ag_val *items;

	(void)n;
	*ret = ag_val_null();
	if (ag_expr_nullish(args))
		return AG_OK;
	if (args->type != AG_T_OBJECT)
		return ag_expr_bad(env, e, "wants an object, got %s", ag_type_alias(args->type));
	items = ag_new_n(env->arena, ag_val, args->n + 1U);
	for (uint32_t i = 0; i < args->n; i++) {
		ag_member *m = ag_new_n(env->arena, ag_member, 2);

		m[0].key = AG_S("k");
		m[0].val = ag_val_str(args->u.members[i].key);
		m[1].key = AG_S("v");
		m[1].val = args->u.members[i].val;
		items[i] = ag_val_object(m, 2);
	}
	*ret = ag_val_array(items, args->n);
	return AG_OK;
}

/* put() searches linearly; a larger object is refused rather than waited for. */
#define MAX_KEYS 20000

/* A later value of the same key replaces the earlier one. */
static void put(ag_member *m, size_t *n, ag_str key, const ag_val *v)
{
	size_t i = 0;

	while (i < *n && !ag_str_eq(m[i].key, key))
		i++;
	*n += i == *n;
	m[i].key = key;
	m[i].val = *v;
}

/* {"k": …, "v": …} or [key, value] */
static bool read_pair(const ag_val *item, const ag_val **key, const ag_val **value)
{
	if (item->n != 2)
		return false;
	if (item->type == AG_T_ARRAY) {
		*key = &item->u.items[0];
		*value = &item->u.items[1];
	} else {
		*key = ag_val_getc(item, "k");
		*value = ag_val_getc(item, "v");
	}
	return *key && *value && (*key)->type == AG_T_STRING;
}

AG_EXPR_EAGER(array_to_object)
{
	ag_member *m;
	size_t nm = 0;

	(void)n;
	*ret = ag_val_null();
	if (ag_expr_nullish(args))
		return AG_OK;
	if (args->type != AG_T_ARRAY)
		return ag_expr_bad(env, e, "wants an array, got %s", ag_type_alias(args->type));
	if (args->n > MAX_KEYS)
		return ag_expr_bad(env, e, "makes an object of more than %d keys", MAX_KEYS);
	m = ag_new_n(env->arena, ag_member, args->n + 1U);
	for (uint32_t i = 0; i < args->n; i++) {
		const ag_val *key, *value;

		if (!read_pair(&args->u.items[i], &key, &value))
			return ag_expr_bad(env, e,
			                   "wants items like {\"k\": …, \"v\": …} or "
			                   "[key, value]");
		put(m, &nm, ag_val_text(key), value);
	}
	*ret = ag_val_object(m, nm);
	return AG_OK;
}

AG_EXPR_EAGER(merge_objects)
{
	ag_member *m;
	size_t nm = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		if (!ag_expr_nullish(&args[i]) && args[i].type != AG_T_OBJECT)
			return ag_expr_bad(env, e, "wants objects, got %s",
			                   ag_type_alias(args[i].type));
		total += args[i].type == AG_T_OBJECT ? args[i].n : 0;
	}
	if (total > MAX_KEYS)
		return ag_expr_bad(env, e, "makes an object of more than %d keys", MAX_KEYS);
	m = ag_new_n(env->arena, ag_member, total + 1);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = 0; args[i].type == AG_T_OBJECT && k < args[i].n; k++)
			put(m, &nm, args[i].u.members[k].key, &args[i].u.members[k].val);
	}
	*ret = ag_val_object(m, nm);
	return AG_OK;
}
