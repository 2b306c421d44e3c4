/* filter_canon -- the canonical form and hash of a filter.
 *
 * Two steps. build() makes a simplified tree of cnodes: one-item $in and $or collapse, double negation
 * goes, $and is flattened, operands are spelt canonically, kids are sorted by their text and doubles are
 * dropped. Emitting is part of building: each cnode carries its own document (or, in operator position,
 * its operator object) and the text of it.
 * In operator position ({"$not": …}, {"$elemMatch": …} on values) there is no $and. Operators whose keys
 * collide there are wrapped as {"$not": {"$not": {…}}}, which opens a fresh object: see ops_object().
 * Reading order: build, build_leaf, and_doc, ops_object. */
#include <stdlib.h>
#include <xxhash.h>

#include "query/canon_value.h"
#include "query/filter_internal.h"
#include "query/regex.h"

typedef struct cnode cnode;
struct cnode {
	ag_filter_op op;
	ag_str path;
	ag_val operand; /* of EQ; the regex value of REGEX */
	ag_val ops;     /* leaves: {"$op": value} */
	ag_val alt;     /* NOT of REGEX: the same as $nin; else MISSING */
	ag_val doc;     /* documents: what is written */
	ag_str text;    /* of doc, or of ops in operator position */
	cnode **kids;
	size_t nkids;
};

typedef struct canon {
	ag_arena *arena;
	bool in_ops; /* building operators without a path */
} canon;

static cnode *build(canon *c, const ag_filter *f);

static ag_val object1(canon *c, ag_str key, ag_val v)
{
	ag_member *m = ag_new(c->arena, ag_member);

	m->key = key;
	m->val = v;
	return ag_val_object(m, 1);
}

static ag_val array1(canon *c, ag_val v)
{
	ag_val *item = ag_new(c->arena, ag_val);

	*item = v;
	return ag_val_array(item, 1);
}

static int by_text(const void *a, const void *b)
{
	return ag_str_cmp((*(cnode *const *)a)->text, (*(cnode *const *)b)->text);
}

static size_t sort_unique(cnode **kids, size_t n)
{
	size_t kept = 0;

	if (n > 1)
		qsort(kids, n, sizeof(*kids), by_text);
	for (size_t i = 0; i < n; i++) {
		if (!kept || !ag_str_eq(kids[kept - 1]->text, kids[i]->text))
			kids[kept++] = kids[i];
	}
	return kept;
}

static bool key_is(const ag_val *ops, const char *key)
{
	return ag_str_eqc(ops->u.members[0].key, key);
}

static bool key_used(const ag_member *m, size_t n, ag_str key)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(m[i].key, key))
			return true;
	}
	return false;
}

/* Several operators on one value as one object. Keys that are taken, and "$not", are left over; what is
 * left over goes into a fresh object behind a double negation. A query has at most one "$not" per object,
 * and NOT of REGEX can be spelt $nin, so each round places at least one operator. */
static ag_val ops_object(canon *c, cnode **kids, size_t n)
{
	ag_member *m = ag_new_n(c->arena, ag_member, 2 * n + 1);
	cnode **left = ag_new_n(c->arena, cnode *, n + 1);
	size_t nm = 0, nleft = 0, nots = 0;
	ag_val rest;

	for (size_t i = 0; i < n; i++)
		nots += key_is(&kids[i]->ops, "$not");
	for (size_t i = 0; i < n; i++) {
		const ag_val *ops = nots > 1 && kids[i]->alt.type ? &kids[i]->alt : &kids[i]->ops;

		if (key_is(ops, "$not") || key_used(m, nm, ops->u.members[0].key)) {
			left[nleft++] = kids[i];
			continue;
		}
		for (uint32_t k = 0; k < ops->n; k++)
			m[nm++] = ops->u.members[k];
	}
	if (nleft == 1 && key_is(&left[0]->ops, "$not")) {
		m[nm++] = left[0]->ops.u.members[0];
	} else if (nleft && nleft < n) {
		rest = ops_object(c, left, nleft);
		m[nm].key = AG_S("$not");
		m[nm++].val = object1(c, AG_S("$not"), rest);
	} else {
		for (size_t i = 0; i < nleft; i++)
			m[nm++] = left[i]->ops.u.members[0];
	}
	return ag_val_object(m, nm);
}

/* The operator object of one cnode: a leaf, or an AND of leaves. */
static ag_val ops_of(canon *c, cnode *n)
{
	return n->op == AG_F_AND ? ops_object(c, n->kids, n->nkids) : n->ops;
}

static bool has_dollar_key(const ag_val *v)
{
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		if (v->u.members[i].key.len && v->u.members[i].key.ptr[0] == '$')
			return true;
	}
	return false;
}

/* {"path": value} for equality, {"path": {"$op": value}} for the rest. */
static void finish_leaf(canon *c, cnode *n)
{
	if (c->in_ops) {
		n->text = ag_extjson_str(c->arena, &n->ops, AG_EXTJSON_RELAXED);
		return;
	}
	if (n->op == AG_F_EQ && !has_dollar_key(&n->operand))
		n->doc = object1(c, n->path, n->operand);
	else
		n->doc = object1(c, n->path, n->ops);
	n->text = ag_extjson_str(c->arena, &n->doc, AG_EXTJSON_RELAXED);
}

static cnode *new_leaf(canon *c, ag_filter_op op, ag_str path)
{
	cnode *n = ag_new(c->arena, cnode);

	n->op = op;
	n->path = path;
	return n;
}

static void set_op(canon *c, cnode *n, const char *name, ag_val v)
{
	n->ops = object1(c, ag_str_c(name), v);
}

static void set_regex(canon *c, cnode *n, const ag_regex *re)
{
	ag_str pattern = ag_regex_pattern(re), opts = ag_regex_opts(re);
	ag_member *m = ag_new_n(c->arena, ag_member, 2);

	m[0].key = AG_S("$regex");
	m[0].val = ag_val_str(pattern);
	m[1].key = AG_S("$options");
	m[1].val = ag_val_str(opts);
	n->op = AG_F_REGEX;
	n->ops = ag_val_object(m, opts.len ? 2 : 1);
	n->operand = (ag_val){ .type = AG_T_REGEX, .n = (uint32_t)pattern.len };
	n->operand.u.regex.s = pattern.ptr;
	n->operand.u.regex.opts = ag_str_cstr(c->arena, opts);
}

static void set_eq(canon *c, cnode *n, const ag_val *operand)
{
	n->op = AG_F_EQ;
	n->operand = ag_val_canon(c->arena, operand);
	set_op(c, n, "$eq", n->operand);
}

static void set_in(canon *c, cnode *n, const ag_filter *f)
{
	if (f->operand.n == 1 && f->nkids == 1)
		set_regex(c, n, f->kids[0]->regex);
	else if (f->operand.n == 1)
		set_eq(c, n, &f->operand.u.items[0]);
	else
		set_op(c, n, "$in", ag_val_canon(c->arena, &f->operand));
}

static ag_val type_names(canon *c, uint32_t mask)
{
	const uint32_t number = 1U << AG_T_INT32 | 1U << AG_T_INT64 | 1U << AG_T_DOUBLE |
	                        1U << AG_T_DECIMAL;
	ag_val *names = ag_new_n(c->arena, ag_val, AG_NTYPE + 1);
	size_t n = 0;

	if ((mask & number) == number) {
		names[n++] = ag_val_str(AG_S("number"));
		mask &= ~number;
	}
	for (unsigned t = 1; t < AG_NTYPE; t++) {
		if (mask >> t & 1)
			names[n++] = ag_val_str(ag_str_c(ag_type_alias(t)));
	}
	return n == 1 ? names[0] : ag_val_array(names, n);
}

static void set_mod(canon *c, cnode *n, const ag_filter *f)
{
	ag_val *pair = ag_new_n(c->arena, ag_val, 2);

	pair[0] = ag_val_int(f->number);
	pair[1] = ag_val_int(f->number2);
	set_op(c, n, "$mod", ag_val_array(pair, 2));
}

static void set_elem(canon *c, cnode *n, const ag_filter *f)
{
	canon inner = { c->arena, f->op == AG_F_ELEM_VAL };
	cnode *kid = build(&inner, f->kids[0]);

	set_op(c, n, "$elemMatch", inner.in_ops ? ops_of(&inner, kid) : kid->doc);
}

/* Items of $all; a single one stands for itself. */
static cnode *build_all(canon *c, const ag_filter *f)
{
	cnode *n = new_leaf(c, AG_F_ALL, f->path);
	cnode **kids = ag_new_n(c->arena, cnode *, f->nkids + 1);
	ag_val *items = ag_new_n(c->arena, ag_val, f->nkids + 1);
	size_t nkids;

	for (size_t i = 0; i < f->nkids; i++)
		kids[i] = build(c, f->kids[i]);
	nkids = sort_unique(kids, f->nkids);
	if (nkids == 1)
		return kids[0];
	for (size_t i = 0; i < nkids; i++)
		items[i] = key_is(&kids[i]->ops, "$elemMatch") ? kids[i]->ops : kids[i]->operand;
	set_op(c, n, "$all", ag_val_array(items, nkids));
	finish_leaf(c, n);
	return n;
}

static void finish_list(canon *c, cnode *n);

/* A node built in operator position, rewritten for its new place. */
static cnode *relocate(canon *c, const cnode *from)
{
	cnode *n = ag_new(c->arena, cnode);

	*n = *from;
	if (n->op != AG_F_AND) {
		finish_leaf(c, n);
		return n;
	}
	n->kids = ag_new_n(c->arena, cnode *, n->nkids);
	for (size_t i = 0; i < n->nkids; i++)
		n->kids[i] = relocate(c, from->kids[i]);
	n->nkids = sort_unique(n->kids, n->nkids);
	finish_list(c, n);
	return n;
}

static cnode *build_not(canon *c, const ag_filter *f)
{
	canon inner = { c->arena, true };
	cnode *kid = build(&inner, f->kids[0]);
	cnode *n = new_leaf(c, AG_F_NOT, f->path);

	if (kid->op == AG_F_NOT)
		return relocate(c, kid->kids[0]);
	n->kids = ag_new_n(c->arena, cnode *, 1);
	n->kids[0] = kid;
	n->nkids = 1;
	if (kid->op == AG_F_EXISTS) {
		n->op = AG_F_EXISTS;
		set_op(c, n, "$exists", ag_val_bool(!kid->ops.u.members[0].val.u.b));
	} else if (kid->op == AG_F_EQ) {
		set_op(c, n, "$ne", kid->operand);
	} else if (kid->op == AG_F_IN) {
		set_op(c, n, "$nin", kid->ops.u.members[0].val);
	} else {
		set_op(c, n, "$not", ops_of(&inner, kid));
		if (kid->op == AG_F_REGEX)
			n->alt = object1(c, AG_S("$nin"), array1(c, kid->operand));
	}
	finish_leaf(c, n);
	return n;
}

static cnode *build_leaf(canon *c, const ag_filter *f)
{
	static const char *const order[] = {
		[AG_F_GT] = "$gt", [AG_F_GTE] = "$gte", [AG_F_LT] = "$lt", [AG_F_LTE] = "$lte"
	};
	cnode *n = new_leaf(c, f->op, f->path);

	switch (f->op) {
	case AG_F_EQ: set_eq(c, n, &f->operand); break;
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE: set_op(c, n, order[f->op], ag_val_canon(c->arena, &f->operand)); break;
	case AG_F_IN: set_in(c, n, f); break;
	case AG_F_EXISTS: set_op(c, n, "$exists", ag_val_bool(f->flag)); break;
	case AG_F_TYPE: set_op(c, n, "$type", type_names(c, f->type_mask)); break;
	case AG_F_REGEX: set_regex(c, n, f->regex); break;
	case AG_F_SIZE: set_op(c, n, "$size", ag_val_int(f->number)); break;
	case AG_F_MOD: set_mod(c, n, f); break;
	default: /* ELEM_OBJ, ELEM_VAL */ set_elem(c, n, f); break;
	}
	finish_leaf(c, n);
	return n;
}

static bool is_leaf(const cnode *n)
{
	return n->op != AG_F_AND && n->op != AG_F_OR && n->op != AG_F_NOR && n->op != AG_F_EXPR &&
	       n->op != AG_F_TRUE;
}

/* One object out of all kids: {"a":1,"b":{"$gte":0,"$lte":9}}. False when keys collide. */
static bool merge_docs(canon *c, cnode **kids, size_t n, ag_val *ret)
{
	ag_member *m = ag_new_n(c->arena, ag_member, n);
	size_t nm = 0;

	for (size_t i = 0; i < n;) {
		size_t run = 1;
		ag_val ops;

		while (is_leaf(kids[i]) && i + run < n && is_leaf(kids[i + run]) &&
		       ag_str_eq(kids[i]->path, kids[i + run]->path))
			run++;
		m[nm] = kids[i]->doc.u.members[0];
		if (run > 1) {
			ag_member *all = ag_new_n(c->arena, ag_member, 2 * run);
			size_t na = 0;

			for (size_t k = 0; k < run; k++) {
				ops = kids[i + k]->ops;
				if (key_used(all, na, ops.u.members[0].key))
					return false;
				for (uint32_t j = 0; j < ops.n; j++)
					all[na++] = ops.u.members[j];
			}
			m[nm].val = ag_val_object(all, na);
		}
		if (key_used(m, nm, m[nm].key))
			return false;
		nm++;
		i += run;
	}
	*ret = ag_val_object(m, nm);
	return true;
}

static ag_val list_doc(canon *c, const char *op, cnode **kids, size_t n)
{
	ag_val *items = ag_new_n(c->arena, ag_val, n);

	for (size_t i = 0; i < n; i++)
		items[i] = kids[i]->doc;
	return object1(c, ag_str_c(op), ag_val_array(items, n));
}

/* Kids of an AND with the kids of ANDs in place of them. */
static size_t flatten(canon *c, const ag_filter *f, cnode ***ret)
{
	cnode **built = ag_new_n(c->arena, cnode *, f->nkids + 1), **flat;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < f->nkids; i++) {
		built[i] = build(c, f->kids[i]);
		n += built[i]->op == f->op ? built[i]->nkids : 1;
	}
	flat = ag_new_n(c->arena, cnode *, n + 1);
	for (size_t i = 0; i < f->nkids; i++) {
		if (built[i]->op == AG_F_TRUE && f->op == AG_F_AND)
			continue;
		if (built[i]->op != f->op || f->op == AG_F_NOR) {
			flat[at++] = built[i];
			continue;
		}
		for (size_t k = 0; k < built[i]->nkids; k++)
			flat[at++] = built[i]->kids[k];
	}
	*ret = flat;
	return at;
}

/* Kids are there, sorted: what is written for an AND, OR or NOR. */
static void finish_list(canon *c, cnode *n)
{
	if (n->nkids == 0) {
		n->op = AG_F_TRUE;
		n->doc = ag_val_object(NULL, 0);
	} else if (c->in_ops) {
		n->doc = ops_object(c, n->kids, n->nkids);
	} else if (n->op == AG_F_AND) {
		if (!merge_docs(c, n->kids, n->nkids, &n->doc))
			n->doc = list_doc(c, "$and", n->kids, n->nkids);
	} else {
		n->doc = list_doc(c, n->op == AG_F_OR ? "$or" : "$nor", n->kids, n->nkids);
	}
	n->text = ag_extjson_str(c->arena, &n->doc, AG_EXTJSON_RELAXED);
}

static cnode *build_list(canon *c, const ag_filter *f)
{
	cnode *n = new_leaf(c, f->op, AG_S(""));

	n->nkids = flatten(c, f, &n->kids);
	n->nkids = sort_unique(n->kids, n->nkids);
	if (n->nkids == 1 && f->op != AG_F_NOR)
		return n->kids[0];
	finish_list(c, n);
	return n;
}

static cnode *build(canon *c, const ag_filter *f)
{
	cnode *n;

	switch (f->op) {
	case AG_F_AND:
	case AG_F_OR:
	case AG_F_NOR: return build_list(c, f);
	case AG_F_NOT: return build_not(c, f);
	case AG_F_ALL: return build_all(c, f);
	case AG_F_TRUE:
	case AG_F_EXPR:
		n = new_leaf(c, f->op, AG_S(""));
		n->doc = f->op == AG_F_TRUE
		                 ? ag_val_object(NULL, 0)
		                 : object1(c, AG_S("$expr"), ag_expr_to_val(f->expr, c->arena));
		n->text = ag_extjson_str(c->arena, &n->doc, AG_EXTJSON_RELAXED);
		return n;
	default: return build_leaf(c, f);
	}
}

void ag_filter_canonical(const ag_filter *f, ag_buf *out)
{
	canon c = { ag_arena_new(), false };

	ag_buf_add(out, build(&c, f)->text);
	ag_arena_free(c.arena);
}

uint64_t ag_filter_hash(const ag_filter *f)
{
	canon c = { ag_arena_new(), false };
	ag_str text = build(&c, f)->text;
	uint64_t h = XXH3_64bits(text.ptr, text.len);

	ag_arena_free(c.arena);
	return h;
}
