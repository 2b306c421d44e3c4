/* culprit -- try each value on the path alone: rebuild the document with every array on the way cut down to one item,
 * and ask the filter again. Exact for conditions on one path, a good guess for others, and bounded: at most
 * CANDIDATES_MAX values are tried. */
#include "audit/culprit.h"

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

static void walk(search *s, const ag_val *v, ag_str rest)
{
	ag_str tail = rest, name;

	if (s->has_found || s->depth == DEPTH_MAX)
		return;
	if (v->type == AG_T_ARRAY) {
		if (!rest.len)
			try_value(s, v);
		for (uint32_t i = 0; i < v->n && !s->has_found && s->tried < CANDIDATES_MAX; i++) {
			s->frames[s->depth++] = (frame){ v, i };
			walk(s, &v->u.items[i], rest);
			s->depth--;
		}
		return;
	}
	if (!rest.len) {
		try_value(s, v);
		return;
	}
	name = ag_str_split(&tail, '.');
	while (ag_str_ends(name, AG_S("[]")))
		name.len -= 2;
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		if (!ag_str_eq(v->u.members[i].key, name))
			continue;
		s->frames[s->depth++] = (frame){ v, i };
		walk(s, &v->u.members[i].val, tail.ptr ? tail : AG_S(""));
		s->depth--;
		return;
	}
}

ag_val ag_culprit_find(const ag_filter *filter, const ag_val *doc, ag_str path, ag_arena *arena)
{
	search s = { .filter = filter, .arena = arena };

	walk(&s, doc, path);
	if (s.has_found)
		return s.found;
	return s.has_first ? s.first : ag_val_missing();
}
