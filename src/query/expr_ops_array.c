/* expr_ops_array -- arrays: elements, sets, folds, and the operators that bind a variable. */
#include <stdlib.h>

#include "query/expr_internal.h"

static ag_status want_array(ag_expr_env *env, const ag_expr *e, const ag_val *v)
{
	if (v->type == AG_T_ARRAY)
		return AG_OK;
	return ag_expr_bad(env, e, "wants an array, got %s", ag_type_alias(v->type));
}

AG_EXPR_EAGER(size)
{
	ag_status st = want_array(env, e, args);

	(void)n;
	if (!st)
		*ret = ag_val_int(args->n);
	return st;
}

AG_EXPR_EAGER(elem_at)
{
	int64_t i;
	ag_status st;

	(void)n;
	*ret = ag_val_null();
	if (ag_expr_nullish(&args[0]) || ag_expr_nullish(&args[1]))
		return AG_OK;
	st = want_array(env, e, &args[0]);
	if (st)
		return st;
	if (!ag_val_to_i64(&args[1], &i))
		return ag_expr_bad(env, e, "wants a whole number as index");
	if (i < 0)
		i += args[0].n;
	*ret = i >= 0 && i < (int64_t)args[0].n ? args[0].u.items[i] : ag_val_missing();
	return AG_OK;
}

/* $first and $last. */
AG_EXPR_EAGER(end)
{
	ag_status st;

	(void)n;
	*ret = ag_val_null();
	if (ag_expr_nullish(args))
		return AG_OK;
	st = want_array(env, e, args);
	if (st)
		return st;
	if (args->n == 0)
		*ret = ag_val_missing();
	else
		*ret = args->u.items[e->row->tag == 'f' ? 0 : args->n - 1];
	return AG_OK;
}

AG_EXPR_EAGER(in)
{
	ag_status st = want_array(env, e, &args[1]);

	(void)n;
	if (st)
		return st;
	*ret = ag_val_bool(false);
	for (uint32_t i = 0; i < args[1].n; i++) {
		if (ag_val_eq(&args[0], &args[1].u.items[i])) {
			*ret = ag_val_bool(true);
			break;
		}
	}
	return AG_OK;
}

static int by_value(const void *a, const void *b)
{
	return ag_val_cmp(a, b);
}

/* Sorted, without doubles. */
static size_t make_set(ag_arena *arena, const ag_val *array, ag_val **ret)
{
	ag_val *items = ag_new_n(arena, ag_val, array->n + 1U);
	size_t kept = 0;

	if (array->n) {
		memcpy(items, array->u.items, array->n * sizeof(*items));
		qsort(items, array->n, sizeof(*items), by_value);
	}
	for (uint32_t i = 0; i < array->n; i++) {
		if (!kept || ag_val_cmp(&items[kept - 1], &items[i]))
			items[kept++] = items[i];
	}
	*ret = items;
	return kept;
}

/* Items of a that are (want) or are not in the sorted array b. */
static ag_val keep(ag_arena *arena, const ag_val *a, const ag_val *b, bool want)
{
	ag_val *set, *sorted_a, *out;
	size_t nb = make_set(arena, b, &set), na = make_set(arena, a, &sorted_a), n = 0;

	out = ag_new_n(arena, ag_val, na + 1);
	for (size_t i = 0; i < na; i++) {
		bool found = nb && bsearch(&sorted_a[i], set, nb, sizeof(*set), by_value);

		if (found == want)
			out[n++] = sorted_a[i];
	}
	return ag_val_array(out, n);
}

AG_EXPR_EAGER(concat_arrays)
{
	size_t total = 0;
	ag_val *items;

	*ret = ag_val_null();
	for (size_t i = 0; i < n; i++) {
		ag_status st;

		if (ag_expr_nullish(&args[i]))
			return AG_OK;
		st = want_array(env, e, &args[i]);
		if (st)
			return st;
		total += args[i].n;
	}
	items = ag_new_n(env->arena, ag_val, total + 1);
	total = 0;
	for (size_t i = 0; i < n; i++) {
		if (args[i].n)
			memcpy(items + total, args[i].u.items, args[i].n * sizeof(*items));
		total += args[i].n;
	}
	*ret = ag_val_array(items, total);
	return AG_OK;
}

AG_EXPR_EAGER(set)
{
	ag_val all, *items;
	ag_status st;

	*ret = ag_val_null();
	if (e->row->tag == '-' && (ag_expr_nullish(&args[0]) || ag_expr_nullish(&args[1])))
		return AG_OK;
	st = ag_expr_op_concat_arrays(env, e, args, n, &all);
	*ret = all;
	if (st || all.type != AG_T_ARRAY)
		return st;
	if (e->row->tag == '-') {
		*ret = keep(env->arena, &args[0], &args[1], false);
	} else if (e->row->tag == '&' && n) {
		*ret = keep(env->arena, &args[0], &args[0], true);
		for (size_t i = 1; i < n; i++)
			*ret = keep(env->arena, ret, &args[i], true);
	} else {
		size_t kept = make_set(env->arena, &all, &items);

		*ret = ag_val_array(items, kept);
	}
	return AG_OK;
}

/* $sum, $avg, $min, $max: over one array, or over the arguments. */
AG_EXPR_EAGER(fold)
{
	const ag_val *items = args, *best = NULL;
	int tag = e->row->tag;
	ag_sum sum = { 0 };

	(void)env;
	if (n == 1 && args->type == AG_T_ARRAY) {
		items = args->u.items;
		n = args->n;
	}
	for (size_t i = 0; i < n; i++) {
		if (tag == '+' || tag == '/') {
			ag_sum_add(&sum, &items[i]);
		} else if (!ag_expr_nullish(&items[i])) {
			int c = best ? ag_val_cmp(&items[i], best) : 0;

			if (!best || (tag == '<' ? c < 0 : c > 0))
				best = &items[i];
		}
	}
	if (tag == '+')
		*ret = ag_sum_total(&sum);
	else if (tag == '/')
		*ret = ag_sum_average(&sum);
	else
		*ret = best ? *best : ag_val_null();
	return AG_OK;
}

/* The input of $map, $filter and $reduce; *ret_null: the result is null. */
static ag_status input_array(ag_expr_env *env, const ag_expr *e, ag_val *ret, bool *ret_null)
{
	ag_status st = ag_expr_run(env, e->kids[0], ret);

	*ret_null = !st && ag_expr_nullish(ret);
	return st || *ret_null ? st : want_array(env, e, ret);
}

AG_EXPR_LAZY(map)
{
	ag_expr_var var = { e->var, NULL, env->vars };
	ag_val in, *out;
	bool null;
	ag_status st = input_array(env, e, &in, &null);

	*ret = ag_val_null();
	if (st || null)
		return st;
	out = ag_new_n(env->arena, ag_val, in.n + 1U);
	env->vars = &var;
	for (uint32_t i = 0; !st && i < in.n; i++) {
		var.value = &in.u.items[i];
		st = ag_expr_run(env, e->kids[2], &out[i]);
		if (!st && out[i].type == AG_T_MISSING)
			out[i] = ag_val_null();
	}
	env->vars = var.outer;
	*ret = ag_val_array(out, in.n);
	return st;
}

AG_EXPR_LAZY(filter)
{
	ag_expr_var var = { e->var, NULL, env->vars };
	ag_val in, yes, *out;
	size_t n = 0;
	bool null;
	ag_status st = input_array(env, e, &in, &null);

	*ret = ag_val_null();
	if (st || null)
		return st;
	out = ag_new_n(env->arena, ag_val, in.n + 1U);
	env->vars = &var;
	for (uint32_t i = 0; !st && i < in.n; i++) {
		var.value = &in.u.items[i];
		st = ag_expr_run(env, e->kids[2], &yes);
		if (!st && ag_val_truthy(&yes))
			out[n++] = in.u.items[i];
	}
	env->vars = var.outer;
	*ret = ag_val_array(out, n);
	return st;
}

AG_EXPR_LAZY(reduce)
{
	ag_expr_var value = { AG_S("value"), NULL, env->vars };
	ag_expr_var self = { e->var, NULL, &value };
	ag_val in, acc;
	bool null;
	ag_status st = input_array(env, e, &in, &null);

	*ret = ag_val_null();
	if (st || null)
		return st;
	st = ag_expr_run(env, e->kids[1], &acc);
	for (uint32_t i = 0; !st && i < in.n; i++) {
		ag_val next;

		value.value = &acc;
		self.value = &in.u.items[i];
		env->vars = &self;
		st = ag_expr_run(env, e->kids[2], &next);
		env->vars = value.outer;
		acc = st ? acc : next;
	}
	if (!st)
		*ret = acc;
	return st;
}
