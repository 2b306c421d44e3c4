/* expr_parse -- a value into an expression tree, and back into its canonical value.
 *
 * Variables are resolved to names at parse time: a name that nothing binds is refused here, so evaluation
 * never meets an unknown one.
 * Reading order: parse, parse_string, parse_operator, ag_expr_to_val. */
#include <stdio.h>

#include "query/canon_value.h"
#include "query/expr_internal.h"

typedef struct scope scope;
struct scope {
	ag_str name;
	const scope *outer;
};

typedef struct parser {
	ag_arena *arena;
	ag_err *err;
	const scope *vars;
	unsigned depth;
	size_t nnode;
} parser;

static const char *const denied[] = { "$function", "$accumulator", "$where" };

static ag_status parse(parser *p, const ag_val *v, const ag_expr **ret);

AG_PRINTF(2, 3) static ag_status bad(parser *p, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ag_fail(p->err, AG_INVALID, "query.expr", "expression: %s", text);
}

static ag_status new_node(parser *p, ag_expr_kind kind, ag_expr **ret)
{
	ag_expr *e;

	if (++p->nnode > AG_EXPR_MAX_NODES)
		return ag_fail(p->err, AG_LIMIT, "query.expr",
		               "an expression of more than %d parts", AG_EXPR_MAX_NODES);
	e = ag_new(p->arena, ag_expr);
	e->kind = kind;
	*ret = e;
	return AG_OK;
}

static bool is_bound(const parser *p, ag_str name)
{
	for (const scope *s = p->vars; s; s = s->outer) {
		if (ag_str_eq(s->name, name))
			return true;
	}
	return ag_str_eqc(name, "ROOT") || ag_str_eqc(name, "CURRENT") ||
	       ag_str_eqc(name, "REMOVE");
}

static ag_status set_path(parser *p, ag_expr *e, ag_str path)
{
	size_t n = 1;
	ag_str *parts, rest = path;

	e->path = path;
	if (!path.len)
		return AG_OK;
	for (size_t i = 0; i < path.len; i++)
		n += path.ptr[i] == '.';
	parts = ag_new_n(p->arena, ag_str, n);
	for (size_t i = 0; i < n; i++) {
		parts[i] = ag_str_split(&rest, '.');
		if (!parts[i].len || parts[i].ptr[0] == '$')
			return bad(p, "\"$%.*s\" is no field path",
			           (int)(path.len > 80 ? 80 : path.len), path.ptr);
	}
	e->parts = parts;
	e->nparts = n;
	return AG_OK;
}

/* "$a.b", "$$this.b", or text. */
static ag_status parse_string(parser *p, const ag_val *v, ag_expr *e)
{
	ag_str s = ag_val_text(v), name;
	ptrdiff_t dot;

	if (s.len < 1 || s.ptr[0] != '$') {
		e->kind = AG_E_CONST;
		e->value = *v;
		return AG_OK;
	}
	if (s.len == 1)
		return bad(p, "\"$\" is no field path; write {\"$literal\": \"$\"} for the text");
	e->kind = AG_E_PATH;
	e->var = AG_S("CURRENT");
	if (s.ptr[1] != '$')
		return set_path(p, e, ag_str_make(s.ptr + 1, s.len - 1));
	name = ag_str_make(s.ptr + 2, s.len - 2);
	dot = ag_str_find(name, '.');
	e->var = dot < 0 ? name : ag_str_make(name.ptr, (size_t)dot);
	if (!is_bound(p, e->var))
		return bad(p, "unknown variable \"$$%.*s\"",
		           (int)(e->var.len > 60 ? 60 : e->var.len), e->var.ptr);
	if (dot >= 0 && (size_t)dot + 1 == name.len)
		return bad(p, "the path behind \"$$%.*s\" is empty", AG_FMT(e->var));
	return set_path(p, e,
	                dot < 0 ? AG_S("")
	                        : ag_str_make(name.ptr + dot + 1, name.len - (size_t)dot - 1));
}

static ag_status parse_list(parser *p, const ag_val *v, ag_expr *e)
{
	const ag_expr **kids = ag_new_n(p->arena, const ag_expr *, v->n + 1U);
	ag_status st = AG_OK;

	for (uint32_t i = 0; !st && i < v->n; i++)
		st = parse(p, &v->u.items[i], &kids[i]);
	e->kids = kids;
	e->nkids = v->n;
	return st;
}

static ag_status parse_fields(parser *p, const ag_val *v, ag_expr *e)
{
	const ag_expr **kids = ag_new_n(p->arena, const ag_expr *, v->n + 1U);
	ag_str *keys = ag_new_n(p->arena, ag_str, v->n + 1U);
	ag_status st = AG_OK;

	for (uint32_t i = 0; !st && i < v->n; i++) {
		const ag_member *m = &v->u.members[i];

		if (m->key.len && m->key.ptr[0] == '$')
			return bad(p, "operator \"%.*s\" stands beside other keys",
			           (int)(m->key.len > 60 ? 60 : m->key.len), m->key.ptr);
		keys[i] = m->key;
		st = parse(p, &m->val, &kids[i]);
	}
	e->keys = keys;
	e->kids = kids;
	e->nkids = v->n;
	return st;
}

static int named_index(const ag_expr_row *row, ag_str key)
{
	for (int i = 0; i < AG_EXPR_MAX_NAMED && row->named[i]; i++) {
		if (ag_str_eqc(key, row->named[i]))
			return i;
	}
	return -1;
}

/* The name that $map and $filter bind for their last argument. */
static ag_status bound_name(parser *p, const ag_val *args, ag_str *ret)
{
	const ag_val *as = ag_val_getc(args, "as");

	*ret = AG_S("this");
	if (!as)
		return AG_OK;
	if (as->type != AG_T_STRING || as->n == 0 || as->n > 60 ||
	    !(as->u.s[0] >= 'a' && as->u.s[0] <= 'z'))
		return bad(p, "\"as\" wants a name that starts with a small letter");
	*ret = ag_val_text(as);
	return AG_OK;
}

/* The last argument sees the variables that the operator binds. */
static ag_status parse_inner(parser *p, ag_expr *e, const ag_val *v, const ag_expr **ret)
{
	scope value = { AG_S("value"), p->vars }, self = { e->var, p->vars };
	ag_status st;

	if (!e->row->binds)
		self.outer = &value; /* $reduce: "$$value" and "$$this" */
	p->vars = &self;
	st = parse(p, v, ret);
	p->vars = value.outer;
	return st;
}

static ag_status parse_named(parser *p, const ag_val *args, ag_expr *e)
{
	const ag_expr **kids = ag_new_n(p->arena, const ag_expr *, AG_EXPR_MAX_NAMED);
	const ag_expr_row *row = e->row;
	unsigned given = 0;
	ag_status st = AG_OK;
	bool binds = row->binds || ag_str_eqc(ag_str_c(row->name), "$reduce");

	if (args->type != AG_T_OBJECT)
		return bad(p, "%s wants an object with \"%s\"", row->name, row->named[0]);
	if (binds)
		st = bound_name(p, args, &e->var);
	for (uint32_t i = 0; !st && i < args->n; i++) {
		const ag_member *m = &args->u.members[i];
		int at = named_index(row, m->key);

		if (at < 0)
			return bad(p, "%s knows no argument \"%.*s\"", row->name,
			           (int)(m->key.len > 60 ? 60 : m->key.len), m->key.ptr);
		given++;
		if (row->binds && at == 1)
			continue;
		st = binds && at == 2 ? parse_inner(p, e, &m->val, &kids[at])
		                      : parse(p, &m->val, &kids[at]);
	}
	if (st)
		return st;
	e->kids = kids;
	for (e->nkids = 0; e->nkids < AG_EXPR_MAX_NAMED && row->named[e->nkids]; e->nkids++)
		;
	for (unsigned i = 0; i < e->nkids; i++) {
		bool optional = row->binds ? i == 1 : i >= row->min;

		if (!kids[i] && !optional)
			return bad(p, "%s misses \"%s\"", row->name, row->named[i]);
	}
	return given ? AG_OK : bad(p, "%s has no arguments", row->name);
}

static ag_status parse_args(parser *p, const ag_val *args, ag_expr *e)
{
	const ag_expr_row *row = e->row;
	const ag_expr **one;
	ag_status st;

	if (row->named[0] && !(row->positional && args->type == AG_T_ARRAY))
		return parse_named(p, args, e);
	if (args->type == AG_T_ARRAY) {
		st = parse_list(p, args, e);
	} else {
		one = ag_new_n(p->arena, const ag_expr *, 1);
		st = parse(p, args, &one[0]);
		e->kids = one;
		e->nkids = 1;
	}
	if (st)
		return st;
	if (e->nkids < row->min || (row->max && e->nkids > row->max)) {
		if (row->min == row->max)
			return bad(p, "%s wants %u arguments, got %zu", row->name, row->min,
			           e->nkids);
		return bad(p, "%s wants at least %u arguments, got %zu", row->name, row->min,
		           e->nkids);
	}
	return AG_OK;
}

/* Patterns are compiled once, so they must be constant. */
static ag_status compile_regex(parser *p, ag_expr *e)
{
	const ag_expr *pat = e->kids[1], *opt = e->kids[2];
	ag_str opts = AG_S("");
	ag_err sub;
	ag_status st;

	if (pat->kind != AG_E_CONST ||
	    (pat->value.type != AG_T_STRING && pat->value.type != AG_T_REGEX) ||
	    (opt && (opt->kind != AG_E_CONST || opt->value.type != AG_T_STRING)))
		return bad(p, "$regexMatch wants \"regex\" and \"options\" as constant text");
	if (opt)
		opts = ag_val_text(&opt->value);
	if (pat->value.type == AG_T_REGEX) {
		if (!opt)
			opts = ag_str_c(pat->value.u.regex.opts);
		st = ag_regex_compile(ag_str_make(pat->value.u.regex.s, pat->value.n), opts,
		                      p->arena, &e->regex, &sub);
	} else {
		st = ag_regex_compile(ag_val_text(&pat->value), opts, p->arena, &e->regex, &sub);
	}
	return st ? bad(p, "%s", sub.msg) : AG_OK;
}

/* {"branches": [{"case": …, "then": …}, …], "default": …} becomes case, then, case, then, …, default. */
static ag_status parse_switch(parser *p, const ag_val *args, ag_expr *e)
{
	const ag_val *list = ag_val_getc(args, "branches"), *other = ag_val_getc(args, "default");
	const ag_expr **kids;
	ag_status st = AG_OK;
	size_t n = 0;

	if (!list || list->type != AG_T_ARRAY || list->n == 0 || args->n != (other ? 2U : 1U))
		return bad(p, "$switch wants \"branches\": [{\"case\": …, \"then\": …}]");
	kids = ag_new_n(p->arena, const ag_expr *, 2 * (size_t)list->n + 1);
	for (uint32_t i = 0; !st && i < list->n; i++) {
		const ag_val *when = ag_val_getc(&list->u.items[i], "case");
		const ag_val *then = ag_val_getc(&list->u.items[i], "then");

		if (!when || !then || list->u.items[i].n != 2)
			return bad(p, "branch %u of $switch wants \"case\" and \"then\"", i);
		st = parse(p, when, &kids[n++]);
		if (!st)
			st = parse(p, then, &kids[n++]);
	}
	if (!st && other)
		st = parse(p, other, &kids[n++]);
	e->kids = kids;
	e->nkids = n;
	return st;
}

static ag_status unknown(parser *p, ag_str name)
{
	const char *near = ag_expr_nearest(name);

	for (size_t i = 0; i < AG_NELEM(denied); i++) {
		if (ag_str_eqc(name, denied[i]))
			return ag_fail(p->err, AG_DENIED, "query.expr",
			               "expression: %s is refused: it runs code on the server",
			               denied[i]);
	}
	if (near)
		return bad(p, "unknown operator \"%.*s\", did you mean \"%s\"?",
		           (int)(name.len > 60 ? 60 : name.len), name.ptr, near);
	return bad(p, "unknown operator \"%.*s\"", (int)(name.len > 60 ? 60 : name.len), name.ptr);
}

static ag_status parse_operator(parser *p, const ag_val *v, ag_expr *e)
{
	const ag_member *m = &v->u.members[0];
	ag_status st;

	if (v->n != 1)
		return bad(p, "operator \"%.*s\" stands beside other keys",
		           (int)(m->key.len > 60 ? 60 : m->key.len), m->key.ptr);
	if (ag_str_eqc(m->key, "$literal") || ag_str_eqc(m->key, "$const")) {
		e->kind = AG_E_CONST;
		e->value = m->val;
		return AG_OK;
	}
	e->row = ag_expr_find(m->key);
	if (!e->row)
		return unknown(p, m->key);
	if (ag_str_eqc(m->key, "$switch"))
		return parse_switch(p, &m->val, e);
	st = parse_args(p, &m->val, e);
	if (!st && ag_str_eqc(m->key, "$regexMatch"))
		st = compile_regex(p, e);
	return st;
}

static ag_status parse(parser *p, const ag_val *v, const ag_expr **ret)
{
	ag_expr *e = NULL;
	ag_status st;

	if (++p->depth > AG_EXPR_MAX_DEPTH)
		return ag_fail(p->err, AG_LIMIT, "query.expr",
		               "the expression is nested deeper than %d levels", AG_EXPR_MAX_DEPTH);
	st = new_node(p, AG_E_CONST, &e);
	if (st)
		return st;
	if (v->type == AG_T_STRING) {
		st = parse_string(p, v, e);
	} else if (v->type == AG_T_ARRAY) {
		e->kind = AG_E_ARRAY;
		st = parse_list(p, v, e);
	} else if (v->type == AG_T_OBJECT && v->n && v->u.members[0].key.len &&
	           v->u.members[0].key.ptr[0] == '$') {
		e->kind = AG_E_OP;
		st = parse_operator(p, v, e);
	} else if (v->type == AG_T_OBJECT) {
		e->kind = AG_E_OBJECT;
		st = parse_fields(p, v, e);
	} else {
		e->value = *v;
	}
	p->depth--;
	*ret = e;
	return st;
}

ag_status ag_expr_parse(const ag_val *v, ag_arena *arena, const ag_expr **ret, ag_err *err)
{
	parser p = { .arena = arena, .err = err };
	const ag_expr *e = NULL;
	ag_val copy = ag_val_dup(arena, v);
	ag_status st = parse(&p, &copy, &e);

	if (!st)
		*ret = e;
	return st;
}
