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

	s->frames[s->depth++] = (frame){ v, i };
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
