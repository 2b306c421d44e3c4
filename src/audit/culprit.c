/* culprit -- try each value on the path alone: rebuild the document with every array on the way cut down to one item,
 * and ask the filter again. Exact for conditions on one path, a good guess for others, and bounded: at most
 * CANDIDATES_MAX values are tried. */
#include "audit/culprit.h"

#include "query/path.h"

#define CANDIDATES_MAX 256
#define DEPTH_MAX      64

/* One level on the way down from the document to the value. */
typedef struct frame {
	const ag_val *v; /* object or array */
	uint32_t at;     /* member or item that was entered */
	bool is_any;     /* a key of a map: its siblings are occurrences, too */
} frame;

typedef struct search {
	const ag_filter *filter;
	ag_arena *arena;
	frame frames[DEPTH_MAX];
	size_t depth;
	unsigned tried;
	bool has_first;
	ag_val first, found;
	bool has_found;
	ag_occurrence *all;
	size_t n, cap;
} search;

/* The document with each array on the way holding only the item that was entered. */
static ag_val narrowed(const search *s, ag_val leaf)
{
	for (size_t i = s->depth; i-- > 0;) {
		const frame *f = &s->frames[i];

		if (f->v->type == AG_T_ARRAY) {
			ag_val *item = ag_new(s->arena, ag_val);

			*item = leaf;
			leaf = ag_val_array(item, 1);
		} else if (f->is_any) {
			ag_member *m = ag_new(s->arena, ag_member);

			*m = (ag_member){ f->v->u.members[f->at].key, leaf };
			leaf = ag_val_object(m, 1);
		} else {
			ag_member *m = ag_new_n(s->arena, ag_member, f->v->n);

			memcpy(m, f->v->u.members, f->v->n * sizeof(*m));
			m[f->at].val = leaf;
			leaf = ag_val_object(m, f->v->n);
		}
	}
	return leaf;
}

static void try_value(search *s, const ag_val *v)
{
	ag_val doc;

	if (!s->has_first) {
		s->first = *v;
		s->has_first = true;
	}
	if (!s->filter || ++s->tried > CANDIDATES_MAX)
		return;
	doc = narrowed(s, *v);
	if (ag_filter_match(s->filter, &doc)) {
		s->found = *v;
		s->has_found = true;
	}
}

static void walk(search *s, const ag_val *v, const ag_step *steps, size_t n);

static void enter(search *s, const ag_val *v, uint32_t i, const ag_step *steps, size_t n)
{
	const ag_val *inner = v->type == AG_T_ARRAY ? &v->u.items[i] : &v->u.members[i].val;

	s->frames[s->depth++] = (frame){ .v = v, .at = i };
	walk(s, inner, steps, n);
	s->depth--;
}

static void walk(search *s, const ag_val *v, const ag_step *steps, size_t n)
{
	while (n && steps->kind == AG_STEP_ELEM) { /* arrays are entered anyway */
		steps++;
		n--;
	}
	if (s->has_found || s->depth == DEPTH_MAX)
		return;
	if (!n)
		try_value(s, v);
	if (v->type == AG_T_ARRAY) {
		for (uint32_t i = 0; i < v->n && !s->has_found && s->tried < CANDIDATES_MAX; i++)
			enter(s, v, i, steps, n);
		return;
	}
	for (uint32_t i = 0; n && v->type == AG_T_OBJECT && i < v->n; i++) {
		if (steps->kind == AG_STEP_NAME && !ag_str_eq(v->u.members[i].key, steps->name))
			continue;
		enter(s, v, i, steps + 1, n - 1);
		if (steps->kind == AG_STEP_NAME || s->has_found)
			return;
	}
}

ag_val ag_culprit_find(const ag_filter *filter, const ag_val *doc, ag_str path, ag_arena *arena)
{
	search s = { .filter = filter, .arena = arena };
	ag_path p = { 0 };
	ag_err ignored = { 0 };

	if (path.len && ag_path_parse(path, arena, &p, &ignored))
		return ag_val_missing();
	walk(&s, doc, p.steps, p.n);
	if (s.has_found)
		return s.found;
	return s.has_first ? s.first : ag_val_missing();
}

/* --- all of them --- */

static ag_str path_here(const search *s)
{
	ag_buf b = AG_BUF_INIT(SIZE_MAX);
	ag_str ret;

	for (size_t i = 0; i < s->depth; i++) {
		const frame *f = &s->frames[i];

		if (i)
			ag_buf_addc(&b, '.');
		if (f->v->type == AG_T_ARRAY)
			ag_buf_addf(&b, "%u", f->at);
		else
			ag_buf_add(&b, f->v->u.members[f->at].key);
	}
	ret = ag_buf_dup(s->arena, &b);
	ag_buf_release(&b);
	return ret;
}

static void keep(search *s, const ag_val *v)
{
	const ag_val *row = s->depth ? s->frames[0].v : v;
	bool is_many = false;
	ag_val doc;

	if (++s->tried > AG_CULPRIT_MAX)
		return;
	for (size_t i = 0; i < s->depth; i++) {
		is_many |= s->frames[i].v->type == AG_T_ARRAY || s->frames[i].is_any;
		if (s->frames[i].v->type == AG_T_ARRAY && i + 1 < s->depth)
			row = s->frames[i + 1].v;
	}
	/* The only one there can be needs no trial. */
	if (s->filter && is_many) {
		doc = narrowed(s, *v);
		if (!ag_filter_match(s->filter, &doc))
			return;
	}
	if (s->n == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 8;
		ag_occurrence *all = ag_new_n(s->arena, ag_occurrence, cap);

		if (s->n)
			memcpy(all, s->all, s->n * sizeof(*all));
		s->all = all;
		s->cap = cap;
	}
	s->all[s->n++] = (ag_occurrence){ path_here(s), *v, row };
}

static void walk_all(search *s, const ag_val *v, const ag_step *steps, size_t n)
{
	const bool is_any = n && steps->kind == AG_STEP_ANY;

	if (s->depth == DEPTH_MAX || s->tried > AG_CULPRIT_MAX)
		return;
	if (!n) {
		keep(s, v);
		return;
	}
	if (v->type == AG_T_ARRAY) {
		const size_t used = steps->kind == AG_STEP_ELEM;

		for (uint32_t i = 0; i < v->n; i++) {
			s->frames[s->depth++] = (frame){ .v = v, .at = i };
			walk_all(s, &v->u.items[i], steps + used, n - used);
			s->depth--;
		}
		return;
	}
	if (steps->kind == AG_STEP_ELEM) { /* a value where others have an array */
		walk_all(s, v, steps + 1, n - 1);
		return;
	}
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		if (!is_any && !ag_str_eq(v->u.members[i].key, steps->name))
			continue;
		s->frames[s->depth++] = (frame){ .v = v, .at = i, .is_any = is_any };
		walk_all(s, &v->u.members[i].val, steps + 1, n - 1);
		s->depth--;
		if (!is_any)
			return;
	}
}

size_t ag_culprit_all(const ag_filter *filter, const ag_val *doc, ag_str path, ag_arena *arena,
                      const ag_occurrence **ret, bool *ret_overrun)
{
	search s = { .filter = filter, .arena = arena };
	ag_err ignored = { 0 };
	ag_path p = { 0 };

	*ret_overrun = false;
	if (ag_path_parse(path, arena, &p, &ignored))
		return 0;
	walk_all(&s, doc, p.steps, p.n);
	*ret_overrun = s.tried > AG_CULPRIT_MAX;
	*ret = s.all;
	return *ret_overrun ? 0 : s.n;
}
