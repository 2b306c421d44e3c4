/* expr_eval -- evaluate an expression on a document.
 *
 * The recursion follows the tree, whose depth the parser limits. Variables are a chain of frames on the C
 * stack. Results borrow from the document or live in the arena. */
#include <stdio.h>

#include "query/expr_internal.h"

#define MAX_ARGS_ON_STACK 8

ag_status ag_expr_bad(ag_expr_env *env, const ag_expr *e, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ag_fail(env->err, AG_INVALID, "query.expr", "%s %s", e->row ? e->row->name : "",
	               text);
}

/* parts below each object in an array; other elements, nested arrays too, are left out. */
static ag_val walk_array(const ag_val *array, const ag_str *parts, size_t n, ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, array->n + 1U);
	size_t nitem = 0;

	for (uint32_t i = 0; i < array->n; i++) {
		ag_val v;

		if (array->u.items[i].type != AG_T_OBJECT)
			continue;
		v = ag_expr_walk(&array->u.items[i], parts, n, arena);
		if (v.type != AG_T_MISSING)
			items[nitem++] = v;
	}
	return ag_val_array(items, nitem);
}

ag_val ag_expr_walk(const ag_val *v, const ag_str *parts, size_t n, ag_arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		if (v->type == AG_T_ARRAY)
			return walk_array(v, parts + i, n - i, arena);
		v = ag_val_get(v, parts[i]);
		if (!v)
			return ag_val_missing();
	}
	return *v;
}

static ag_val eval_path(ag_expr_env *env, const ag_expr *e)
{
	const ag_val *base = env->root;

	if (!ag_str_eqc(e->var, "CURRENT") && !ag_str_eqc(e->var, "ROOT")) {
		const ag_expr_var *var = env->vars;

		while (var && !ag_str_eq(var->name, e->var))
			var = var->outer;
		if (!var) /* "$$REMOVE" */
			return ag_val_missing();
		base = var->value;
	}
	return ag_expr_walk(base, e->parts, e->nparts, env->arena);
}

static ag_status eval_array(ag_expr_env *env, const ag_expr *e, ag_val *ret)
{
	ag_val *items = ag_new_n(env->arena, ag_val, e->nkids + 1);

	for (size_t i = 0; i < e->nkids; i++) {
		ag_status st = ag_expr_run(env, e->kids[i], &items[i]);

		if (st)
			return st;
		if (items[i].type == AG_T_MISSING)
			items[i] = ag_val_null();
	}
	*ret = ag_val_array(items, e->nkids);
	return AG_OK;
}

static ag_status eval_object(ag_expr_env *env, const ag_expr *e, ag_val *ret)
{
	ag_member *m = ag_new_n(env->arena, ag_member, e->nkids + 1);
	size_t n = 0;

	for (size_t i = 0; i < e->nkids; i++) {
		ag_status st = ag_expr_run(env, e->kids[i], &m[n].val);

		if (st)
			return st;
		m[n].key = e->keys[i];
		n += m[n].val.type != AG_T_MISSING;
	}
	*ret = ag_val_object(m, n);
	return AG_OK;
}

static ag_status eval_op(ag_expr_env *env, const ag_expr *e, ag_val *ret)
{
	ag_val few[MAX_ARGS_ON_STACK], *args = few;

	if (e->row->lazy)
		return e->row->lazy(env, e, ret);
	if (e->nkids > MAX_ARGS_ON_STACK)
		args = ag_new_n(env->arena, ag_val, e->nkids);
	for (size_t i = 0; i < e->nkids; i++) {
		ag_status st;

		if (!e->kids[i]) {
			args[i] = ag_val_missing();
			continue;
		}
		st = ag_expr_run(env, e->kids[i], &args[i]);
		if (st)
			return st;
		if (e->row->null_stops && ag_expr_nullish(&args[i]))
			return e->row->eager(env, e, args, i + 1, ret);
	}
	return e->row->eager(env, e, args, e->nkids, ret);
}

ag_status ag_expr_run(ag_expr_env *env, const ag_expr *e, ag_val *ret)
{
	switch (e->kind) {
	case AG_E_CONST: *ret = e->value; return AG_OK;
	case AG_E_PATH: *ret = eval_path(env, e); return AG_OK;
	case AG_E_ARRAY: return eval_array(env, e, ret);
	case AG_E_OBJECT: return eval_object(env, e, ret);
	case AG_E_OP:
	default: return eval_op(env, e, ret);
	}
}

ag_status ag_expr_eval(const ag_expr *e, const ag_val *doc, ag_arena *arena, ag_val *ret,
                       ag_err *err)
{
	ag_expr_env env = { .root = doc, .arena = arena, .err = err };
	ag_val v;
	ag_status st = ag_expr_run(&env, e, &v);

	if (!st)
		*ret = v;
	return st;
}
