/* filter_parse -- a filter document into the tree of filter.h.
 *
 * ag_filter_doc reads {"field": predicate, "$and": […]}; a predicate is an operator object, a regular
 * expression, or a value (equality). The values of operators are read in filter_field_ops.c.
 * Every step down notes its name in parser.place, so that an error says where it is; depth and the number
 * of nodes are limited there as well. */
#include "query/filter_internal.h"

#include <stdio.h>

#define MAX_PLACE 2000

ag_status ag_filter_bad(ag_filter_parser *p, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->place.len == 0)
		return ag_fail(p->err, AG_INVALID, "query.filter", "%s", text);
	return ag_fail(p->err, AG_INVALID, "query.filter", "at %.*s: %s",
	               (int)(p->place.len > 80 ? 80 : p->place.len), p->place.ptr, text);
}

ag_status ag_filter_enter(ag_filter_parser *p, ag_str name, ptrdiff_t index, size_t *mark)
{
	*mark = p->place.len;
	if (name.len) {
		if (p->place.len)
			ag_buf_addc(&p->place, '.');
		ag_buf_add(&p->place, name.len > 60 ? ag_str_make(name.ptr, 60) : name);
	}
	if (index >= 0)
		ag_buf_addf(&p->place, "[%td]", index);
	if (++p->depth > AG_FILTER_MAX_DEPTH)
		return ag_fail(p->err, AG_LIMIT, "query.filter",
		               "the filter is nested deeper than %d levels", AG_FILTER_MAX_DEPTH);
	return AG_OK;
}

void ag_filter_leave(ag_filter_parser *p, size_t mark)
{
	p->depth--;
	/* Only ever shortened, so a place that ran into its limit heals by itself. */
	if (mark < p->place.len) {
		p->place.len = mark;
		p->place.ptr[mark] = '\0';
	}
	p->place.failed = false;
}

ag_status ag_filter_node(ag_filter_parser *p, ag_filter_op op, const ag_filter *like,
                         ag_filter **ret)
{
	ag_filter *f;

	*ret = NULL;
	if (++p->nnode > AG_FILTER_MAX_NODES)
		return ag_fail(p->err, AG_LIMIT, "query.filter",
		               "the filter has more than %d conditions", AG_FILTER_MAX_NODES);
	f = ag_new(p->arena, ag_filter);
	f->op = op;
	if (like) {
		f->path = like->path;
		f->parts = like->parts;
		f->nparts = like->nparts;
	}
	*ret = f;
	return AG_OK;
}

ag_status ag_filter_join(ag_filter_parser *p, ag_filter_op op, const ag_filter *const *kids,
                         size_t n, const ag_filter *like, const ag_filter **ret)
{
	const ag_filter **copy;
	ag_filter *f;
	ag_status st;

	if (n == 1 && op == AG_F_AND) {
		*ret = kids[0];
		return AG_OK;
	}
	st = ag_filter_node(p, n ? op : AG_F_TRUE, like, &f);
	if (st)
		return st;
	copy = n ? ag_new_n(p->arena, const ag_filter *, n) : NULL;
	for (size_t i = 0; i < n; i++)
		copy[i] = kids[i];
	f->kids = copy;
	f->nkids = n;
	*ret = f;
	return AG_OK;
}

static void set_path(ag_filter_parser *p, ag_filter *f, ag_str path)
{
	size_t n = 1;
	ag_str *parts, rest = path;

	for (size_t i = 0; i < path.len; i++)
		n += path.ptr[i] == '.';
	parts = ag_new_n(p->arena, ag_str, n);
	for (size_t i = 0; i < n; i++)
		parts[i] = n > 1 ? ag_str_split(&rest, '.') : path;
	f->path = path;
	f->parts = parts;
	f->nparts = n;
}

/* {"$ref":…,"$id":…} is a value, not a set of operators. */
static bool is_dbref(const ag_val *v)
{
	return ag_str_eqc(v->u.members[0].key, "$ref") || ag_str_eqc(v->u.members[0].key, "$id");
}

bool ag_filter_is_ops(const ag_val *v)
{
	return v->type == AG_T_OBJECT && v->n > 0 && v->u.members[0].key.len > 0 &&
	       v->u.members[0].key.ptr[0] == '$' && !is_dbref(v);
}

/* Both kinds of keys in one predicate: nearly always a slip, so it is refused, not guessed. */
static ag_status check_mixture(ag_filter_parser *p, const ag_val *v)
{
	size_t ops = 0;

	if (v->type != AG_T_OBJECT || v->n == 0 || is_dbref(v))
		return AG_OK;
	for (uint32_t i = 0; i < v->n; i++)
		ops += v->u.members[i].key.len > 0 && v->u.members[i].key.ptr[0] == '$';
	if (ops == 0 || ops == v->n)
		return AG_OK;
	AG_IGNORE(ag_filter_bad(p, "operators and plain names are mixed in one object"), "");
	return ag_err_hint(p->err, "use only operators, or {\"$eq\": {…}} for an exact object"),
	       AG_INVALID;
}

ag_status ag_filter_ops_object(ag_filter_parser *p, const ag_filter *like, const ag_val *ops,
                               const ag_filter **ret)
{
	const ag_filter **kids = ag_new_n(p->arena, const ag_filter *, ops->n + 1U);
	size_t n = 0;
	ag_status st;

	st = check_mixture(p, ops);
	for (uint32_t i = 0; !st && i < ops->n; i++) {
		const ag_member *m = &ops->u.members[i];
		const ag_filter_op_row *row = ag_filter_op_find(m->key);
		ag_filter *node = NULL;
		size_t mark;

		if (!row || row->place != AG_FP_FIELD)
			return ag_filter_op_refuse(p, m->key, AG_FP_FIELD);
		st = ag_filter_enter(p, m->key, -1, &mark);
		if (!st)
			st = ag_filter_node(p, row->op, like, &node);
		if (!st)
			st = row->parse(p, node, &m->val, ops);
		if (!st && node->op != AG_F_TRUE) /* $options: read together with $regex */
			kids[n++] = node;
		ag_filter_leave(p, mark);
	}
	return st ? st : ag_filter_join(p, AG_F_AND, kids, n, like, ret);
}

/* {"path": v} */
static ag_status predicate(ag_filter_parser *p, ag_str path, const ag_val *v, const ag_filter **ret)
{
	ag_filter *f;
	ag_status st = ag_filter_node(p, AG_F_EQ, NULL, &f);

	if (!st)
		st = check_mixture(p, v);
	if (st)
		return st;
	set_path(p, f, path);
	*ret = f;
	if (ag_filter_is_ops(v))
		return ag_filter_ops_object(p, f, v, ret);
	if (v->type == AG_T_REGEX) {
		f->op = AG_F_REGEX;
		return ag_filter_parse_regex(p, f, v, v);
	}
	return ag_filter_parse_cmp(p, f, v, v);
}

static ag_status top_operator(ag_filter_parser *p, const ag_member *m, bool top,
                              const ag_filter **ret)
{
	const ag_filter_op_row *row = ag_filter_op_find(m->key);
	ag_filter *f = NULL;
	ag_status st;

	if (!row || row->place != AG_FP_TOP)
		return ag_filter_op_refuse(p, m->key, AG_FP_TOP);
	if (row->op == AG_F_EXPR && !top)
		return ag_filter_bad(p, "$expr cannot stand inside $elemMatch");
	st = ag_filter_node(p, row->op, NULL, &f);
	if (st)
		return st;
	*ret = f;
	return row->parse(p, f, &m->val, NULL);
}

ag_status ag_filter_doc(ag_filter_parser *p, const ag_val *doc, bool top, const ag_filter **ret)
{
	const ag_filter **kids;
	size_t n = 0;
	ag_status st = AG_OK;

	if (doc->type != AG_T_OBJECT)
		return ag_filter_bad(p, "want an object, got %s", ag_type_alias(doc->type));
	kids = ag_new_n(p->arena, const ag_filter *, doc->n + 1U);
	for (uint32_t i = 0; !st && i < doc->n; i++) {
		const ag_member *m = &doc->u.members[i];
		bool is_op = m->key.len > 0 && m->key.ptr[0] == '$';
		const ag_filter *kid = NULL;
		size_t mark;

		if (is_op &&
		    (!ag_filter_op_find(m->key) || ag_filter_op_find(m->key)->place != AG_FP_TOP))
			return ag_filter_op_refuse(p, m->key, AG_FP_TOP);
		st = ag_filter_enter(p, m->key, -1, &mark);
		if (!st)
			st = is_op ? top_operator(p, m, top, &kid)
			           : predicate(p, m->key, &m->val, &kid);
		if (!st && kid && kid->op != AG_F_TRUE)
			kids[n++] = kid;
		ag_filter_leave(p, mark);
	}
	return st ? st : ag_filter_join(p, AG_F_AND, kids, n, NULL, ret);
}

/* doc lives as long as the arena. */
static ag_status parse_owned(const ag_val *doc, ag_arena *arena, const ag_filter **ret, ag_err *err)
{
	ag_filter_parser p = { .arena = arena, .err = err };
	const ag_filter *f = NULL;
	ag_status st;

	ag_buf_init(&p.place, MAX_PLACE);
	if (doc->type != AG_T_OBJECT)
		st = ag_filter_bad(&p, "a filter is an object, got %s", ag_type_alias(doc->type));
	else
		st = ag_filter_doc(&p, doc, true, &f);
	ag_buf_release(&p.place);
	if (!st)
		*ret = f;
	return st;
}

ag_status ag_filter_from_val(const ag_val *doc, ag_arena *arena, const ag_filter **ret, ag_err *err)
{
	ag_val copy = ag_val_dup(arena, doc);

	return parse_owned(&copy, arena, ret, err);
}

ag_status ag_filter_parse(ag_str text, ag_arena *arena, const ag_filter **ret, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true, .reject_duplicates = true };
	ag_status st;
	ag_val doc;

	if (text.len > AG_FILTER_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, "query.filter", "the filter has %zu bytes, limit %d",
		               text.len, AG_FILTER_MAX_BYTES);
	st = ag_extjson_parse(ag_str_dup(arena, text), &opts, arena, &doc, NULL, NULL, err);
	return st ? st : parse_owned(&doc, arena, ret, err);
}
