/* expr_canon -- an expression back into a value, in one spelling; and the paths it reads. */
#include "query/canon_value.h"
#include "query/expr_internal.h"

static ag_val op_object(ag_arena *arena, const char *name, ag_val arg)
{
	ag_member *m = ag_new(arena, ag_member);

	m->key = ag_str_c(name);
	m->val = arg;
	return ag_val_object(m, 1);
}

static ag_val const_value(const ag_expr *e, ag_arena *arena)
{
	ag_val v = ag_val_canon(arena, &e->value);
	bool plain = v.type != AG_T_OBJECT && v.type != AG_T_ARRAY;

	if (v.type == AG_T_STRING && v.n && v.u.s[0] == '$')
		plain = false;
	return plain ? v : op_object(arena, "$literal", v);
}

static ag_val path_value(const ag_expr *e, ag_arena *arena)
{
	const char *dot = e->path.len ? "." : "";

	if (ag_str_eqc(e->var, "CURRENT") && e->path.len)
		return ag_val_str(ag_str_printf(arena, "$%.*s", AG_FMT(e->path)));
	if (ag_str_eqc(e->var, "ROOT") && e->path.len)
		return ag_val_str(ag_str_printf(arena, "$%.*s", AG_FMT(e->path)));
	if (ag_str_eqc(e->var, "CURRENT"))
		return ag_val_str(AG_S("$$ROOT"));
	return ag_val_str(
		ag_str_printf(arena, "$$%.*s%s%.*s", AG_FMT(e->var), dot, AG_FMT(e->path)));
}

static ag_val list_value(const ag_expr *e, ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, e->nkids + 1);

	for (size_t i = 0; i < e->nkids; i++)
		items[i] = ag_expr_to_val(e->kids[i], arena);
	return ag_val_array(items, e->nkids);
}

static ag_val named_value(const ag_expr *e, ag_arena *arena)
{
	ag_member *m = ag_new_n(arena, ag_member, AG_EXPR_MAX_NAMED);
	size_t n = 0;

	for (size_t i = 0; i < e->nkids; i++) {
		if (e->row->binds && i == 1) {
			m[n].key = AG_S("as");
			m[n++].val = ag_val_str(e->var);
		} else if (e->kids[i]) {
			m[n].key = ag_str_c(e->row->named[i]);
			m[n++].val = ag_expr_to_val(e->kids[i], arena);
		}
	}
	return ag_val_object(m, n);
}

static ag_val switch_value(const ag_expr *e, ag_arena *arena)
{
	size_t nbranch = e->nkids / 2;
	ag_val *list = ag_new_n(arena, ag_val, nbranch);
	ag_member *m = ag_new_n(arena, ag_member, 2);

	for (size_t i = 0; i < nbranch; i++) {
		ag_member *b = ag_new_n(arena, ag_member, 2);

		b[0].key = AG_S("case");
		b[0].val = ag_expr_to_val(e->kids[2 * i], arena);
		b[1].key = AG_S("then");
		b[1].val = ag_expr_to_val(e->kids[2 * i + 1], arena);
		list[i] = ag_val_object(b, 2);
	}
	m[0].key = AG_S("branches");
	m[0].val = ag_val_array(list, nbranch);
	if (e->nkids % 2) {
		m[1].key = AG_S("default");
		m[1].val = ag_expr_to_val(e->kids[e->nkids - 1], arena);
	}
	return ag_val_object(m, 1 + e->nkids % 2);
}

static ag_val args_value(const ag_expr *e, ag_arena *arena)
{
	if (ag_str_eqc(ag_str_c(e->row->name), "$switch"))
		return switch_value(e, arena);
	if (e->row->positional)
		return list_value(e, arena);
	if (e->row->named[0])
		return named_value(e, arena);
	if (e->nkids == 1 && e->kids[0]->kind != AG_E_ARRAY)
		return ag_expr_to_val(e->kids[0], arena);
	return list_value(e, arena);
}

ag_val ag_expr_to_val(const ag_expr *e, ag_arena *arena)
{
	ag_member *m;

	switch (e->kind) {
	case AG_E_CONST: return const_value(e, arena);
	case AG_E_PATH: return path_value(e, arena);
	case AG_E_ARRAY: return list_value(e, arena);
	case AG_E_OBJECT:
		m = ag_new_n(arena, ag_member, e->nkids + 1);
		for (size_t i = 0; i < e->nkids; i++) {
			m[i].key = e->keys[i];
			m[i].val = ag_expr_to_val(e->kids[i], arena);
		}
		return ag_val_object(m, e->nkids);
	case AG_E_OP:
	default: return op_object(arena, e->row->name, args_value(e, arena));
	}
}

void ag_expr_collect(const ag_expr *e, ag_path_set *set)
{
	bool document = ag_str_eqc(e->var, "CURRENT") || ag_str_eqc(e->var, "ROOT");

	if (e->kind == AG_E_PATH && document) {
		if (e->path.len)
			ag_path_set_add(set, e->path);
		else
			set->whole = true;
	}
	for (size_t i = 0; i < e->nkids; i++) {
		if (e->kids[i])
			ag_expr_collect(e->kids[i], set);
	}
}

void ag_expr_paths(const ag_expr *e, ag_arena *arena, const ag_str **ret, size_t *nret,
                   bool *ret_whole)
{
	ag_path_set set = { .arena = arena };

	ag_expr_collect(e, &set);
	*ret = set.paths;
	*nret = set.n;
	*ret_whole = set.whole;
}
