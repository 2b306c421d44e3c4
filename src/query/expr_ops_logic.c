/* expr_ops_logic -- comparison, conditions and questions about types. */
#include "query/expr_internal.h"

AG_EXPR_EAGER(compare)
{
	int c = ag_val_cmp(&args[0], &args[1]);
	bool yes;

	(void)env;
	(void)n;
	switch (e->row->tag) {
	case '=': yes = c == 0; break;
	case '!': yes = c != 0; break;
	case '>': yes = c > 0; break;
	case 'G': yes = c >= 0; break;
	case '<': yes = c < 0; break;
	case 'L': yes = c <= 0; break;
	default: *ret = ag_val_int(c); return AG_OK;
	}
	*ret = ag_val_bool(yes);
	return AG_OK;
}

AG_EXPR_EAGER(not )
{
	(void)env;
	(void)e;
	(void)n;
	*ret = ag_val_bool(!ag_val_truthy(args));
	return AG_OK;
}

/* $and and $or: stops at the first argument that decides. */
AG_EXPR_LAZY(and)
{
	bool stop_at = e->row->tag == '|';

	for (size_t i = 0; i < e->nkids; i++) {
		ag_val v;
		ag_status st = ag_expr_run(env, e->kids[i], &v);

		if (st)
			return st;
		if (ag_val_truthy(&v) == stop_at) {
			*ret = ag_val_bool(stop_at);
			return AG_OK;
		}
	}
	*ret = ag_val_bool(!stop_at);
	return AG_OK;
}

AG_EXPR_LAZY(cond)
{
	ag_val v;
	ag_status st = ag_expr_run(env, e->kids[0], &v);

	return st ? st : ag_expr_run(env, e->kids[ag_val_truthy(&v) ? 1 : 2], ret);
}

AG_EXPR_LAZY(switch)
{
	for (size_t i = 0; i + 1 < e->nkids; i += 2) {
		ag_val v;
		ag_status st = ag_expr_run(env, e->kids[i], &v);

		if (st)
			return st;
		if (ag_val_truthy(&v))
			return ag_expr_run(env, e->kids[i + 1], ret);
	}
	if (e->nkids % 2)
		return ag_expr_run(env, e->kids[e->nkids - 1], ret);
	return ag_expr_bad(env, e, "has no branch for this document and no default");
}

AG_EXPR_LAZY(if_null)
{
	for (size_t i = 0; i < e->nkids; i++) {
		ag_status st = ag_expr_run(env, e->kids[i], ret);

		if (st || !ag_expr_nullish(ret))
			return st;
	}
	return AG_OK;
}

AG_EXPR_EAGER(type)
{
	(void)env;
	(void)e;
	(void)n;
	*ret = ag_val_str(ag_str_c(ag_type_alias(args->type)));
	return AG_OK;
}

AG_EXPR_EAGER(is_number)
{
	(void)env;
	(void)e;
	(void)n;
	*ret = ag_val_bool(ag_type_is_number(args->type));
	return AG_OK;
}

AG_EXPR_EAGER(is_array)
{
	(void)env;
	(void)e;
	(void)n;
	*ret = ag_val_bool(args->type == AG_T_ARRAY);
	return AG_OK;
}
