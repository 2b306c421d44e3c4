/* stage_group -- $group: one state per distinct _id, in order of first appearance.
 *
 * An open hash table of group numbers; groups and their accumulators live in the stage's arena. _id values
 * are equal by ag_val_eq, so 1 and 1.0 are one group, as on the server; a missing _id is null.
 * $sortByCount is parsed here too: it is {"$group": {"_id": e, "count": {"$sum": 1}}} and a sort, of
 * which the sort is done when the groups are emitted. */
#include <stdlib.h>

#include "query/group.h"
#include "query/pipeline_internal.h"

typedef struct group_field {
	ag_str name;
	const ag_acc_type *type;
	const ag_expr *expr;
} group_field;

typedef struct group_spec {
	const ag_expr *id;
	group_field *fields;
	size_t nfield;
	bool by_count;
} group_spec;

typedef struct group {
	ag_val id;
	uint64_t hash;
	ag_acc *accs;
} group;

typedef struct group_state {
	ag_arena *arena;
	group *groups;
	size_t n, cap;
	uint32_t *table; /* group number + 1; 0 = free */
	size_t nslot;
	size_t extra;
} group_state;

static ag_status bad_field(ag_err *err, ag_str name, const char *what)
{
	return ag_fail(err, AG_INVALID, "query.pipeline", "field \"%.*s\": %s",
	               (int)(name.len > 60 ? 60 : name.len), name.ptr, what);
}

static ag_status field_parse(group_field *f, const ag_member *m, ag_arena *arena, ag_err *err)
{
	const ag_val one = ag_val_int(1);
	const ag_member *op;

	if (m->key.len == 0 || m->key.ptr[0] == '$' || ag_str_find(m->key, '.') >= 0)
		return bad_field(err, m->key, "the name may not be empty or hold \".\" or \"$\"");
	if (m->val.type != AG_T_OBJECT || m->val.n != 1)
		return bad_field(err, m->key, "wants one accumulator, like {\"$sum\": 1}");
	op = &m->val.u.members[0];
	f->name = ag_str_dup(arena, m->key);
	f->type = ag_acc_find(op->key);
	if (!f->type && ag_str_eqc(op->key, "$accumulator"))
		return ag_fail(err, AG_DENIED, "query.pipeline",
		               "$accumulator is refused: it runs code on the server");
	if (!f->type) {
		const char *near = ag_acc_nearest(op->key);

		AG_IGNORE(ag_fail(err, AG_INVALID, "query.pipeline",
		                  "field \"%.*s\": unknown accumulator \"%.*s\"%s%s%s",
		                  (int)(m->key.len > 60 ? 60 : m->key.len), m->key.ptr,
		                  (int)(op->key.len > 60 ? 60 : op->key.len), op->key.ptr,
		                  near ? ", did you mean \"" : "", near ? near : "",
		                  near ? "\"?" : ""),
		          "returned below");
		ag_err_hint(err, "known: $sum $avg $min $max $first $last $push $addToSet $count");
		return AG_INVALID;
	}
	if (f->type->no_argument && (op->val.type != AG_T_OBJECT || op->val.n))
		return bad_field(err, m->key, "$count wants {}");
	return ag_expr_parse(f->type->no_argument ? &one : &op->val, arena, &f->expr, err);
}

static ag_status group_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	group_spec *spec = ag_new(arena, group_spec);
	const ag_val *id = ag_val_getc(v, "_id");
	ag_status st;

	if (!id)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "wants an object with \"_id\" (null: one group of all)");
	spec->fields = ag_new_n(arena, group_field, v->n);
	st = ag_expr_parse(id, arena, &spec->id, err);
	for (uint32_t i = 0; !st && i < v->n; i++) {
		if (&v->u.members[i].val == id)
			continue;
		st = field_parse(&spec->fields[spec->nfield], &v->u.members[i], arena, err);
		spec->nfield++;
	}
	s->spec = spec;
	return st;
}

static ag_status by_count_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	group_spec *spec = ag_new(arena, group_spec);
	const ag_val one = ag_val_int(1);
	ag_status st;

	spec->by_count = true;
	spec->fields = ag_new(arena, group_field);
	spec->nfield = 1;
	spec->fields[0].name = AG_S("count");
	spec->fields[0].type = ag_acc_find(AG_S("$sum"));
	s->spec = spec;
	st = ag_expr_parse(v, arena, &spec->id, err);
	return st ? st : ag_expr_parse(&one, arena, &spec->fields[0].expr, err);
}

static ag_val group_to_val(const ag_stage *s, ag_arena *arena)
{
	const group_spec *spec = s->spec;
	ag_member *m = ag_new_n(arena, ag_member, spec->nfield + 1);

	if (spec->by_count)
		return ag_stage_object1(arena, "$sortByCount", ag_expr_to_val(spec->id, arena));
	m[0].key = AG_S("_id");
	m[0].val = ag_expr_to_val(spec->id, arena);
	for (size_t i = 0; i < spec->nfield; i++) {
		const group_field *f = &spec->fields[i];

		m[i + 1].key = f->name;
		m[i + 1].val = ag_stage_object1(arena, f->type->name,
		                                f->type->no_argument
		                                        ? ag_val_object(NULL, 0)
		                                        : ag_expr_to_val(f->expr, arena));
	}
	return ag_stage_object1(arena, "$group", ag_val_object(m, spec->nfield + 1));
}

static bool group_paths(const ag_stage *s, ag_path_set *set)
{
	const group_spec *spec = s->spec;

	ag_expr_collect(spec->id, set);
	for (size_t i = 0; i < spec->nfield; i++)
		ag_expr_collect(spec->fields[i].expr, set);
	return true;
}

static void *group_begin(ag_stage_run *r)
{
	group_state *s = ag_xcalloc(1, sizeof(*s));

	(void)r;
	s->arena = ag_arena_new();
	return s;
}

static void group_end(void *state)
{
	group_state *s = state;

	ag_arena_free(s->arena);
	free(s->groups);
	free(s->table);
	free(s);
}

static void grow_table(group_state *s)
{
	s->nslot = s->nslot ? s->nslot * 2 : 256;
	free(s->table);
	s->table = ag_xcalloc(s->nslot, sizeof(*s->table));
	for (size_t i = 0; i < s->n; i++) {
		size_t h = (size_t)s->groups[i].hash & (s->nslot - 1);

		while (s->table[h])
			h = (h + 1) & (s->nslot - 1);
		s->table[h] = (uint32_t)i + 1;
	}
}

static ag_status find_group(ag_stage_run *r, const ag_val *id, group **ret, ag_err *err)
{
	const group_spec *spec = r->stage->spec;
	group_state *s = r->state;
	uint64_t hash = ag_val_hash(id);
	group *g;
	size_t h;

	if ((s->n + 1) * 2 > s->nslot)
		grow_table(s);
	h = (size_t)hash & (s->nslot - 1);
	for (; s->table[h]; h = (h + 1) & (s->nslot - 1)) {
		g = &s->groups[s->table[h] - 1];
		if (g->hash == hash && ag_val_eq(&g->id, id)) {
			*ret = g;
			return AG_OK;
		}
	}
	if (s->n >= AG_PIPELINE_MAX_GROUPS)
		return ag_fail(err, AG_LIMIT, "query.pipeline", "$group makes more than %d groups",
		               AG_PIPELINE_MAX_GROUPS);
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->groups = ag_xrealloc(s->groups, s->cap * sizeof(*s->groups));
	}
	g = &s->groups[s->n++];
	g->id = ag_val_dup(s->arena, id);
	g->hash = hash;
	g->accs = spec->nfield ? ag_new_n(s->arena, ag_acc, spec->nfield) : NULL;
	s->table[h] = (uint32_t)s->n;
	*ret = g;
	return AG_OK;
}

static ag_status group_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	const group_spec *spec = r->stage->spec;
	ag_arena *scratch = ag_stage_scratch(r);
	group_state *s = r->state;
	group *g = NULL;
	ag_val v;
	ag_status st = ag_expr_eval(spec->id, doc, scratch, &v, err);

	if (!st && v.type == AG_T_MISSING)
		v = ag_val_null();
	if (!st)
		st = find_group(r, &v, &g, err);
	for (size_t i = 0; !st && i < spec->nfield; i++) {
		st = ag_expr_eval(spec->fields[i].expr, doc, scratch, &v, err);
		if (!st)
			spec->fields[i].type->add(&g->accs[i], s->arena, &v, &s->extra);
	}
	if (st)
		return st;
	return ag_stage_hold(r,
	                     ag_arena_bytes(s->arena) + s->cap * sizeof(*s->groups) +
	                             s->nslot * sizeof(*s->table) + s->extra,
	                     err);
}

static int by_count_down(const void *a, const void *b)
{
	const group *x = a, *y = b;
	ag_i128 d = y->accs[0].u.sum.whole - x->accs[0].u.sum.whole;

	if (d)
		return d > 0 ? 1 : -1;
	return ag_val_cmp(&x->id, &y->id); /* ties by value: deterministic */
}

static ag_status group_finish(ag_stage_run *r, ag_err *err)
{
	const group_spec *spec = r->stage->spec;
	group_state *s = r->state;
	ag_status st = AG_OK;

	if (spec->by_count && s->n > 1)
		qsort(s->groups, s->n, sizeof(*s->groups), by_count_down);
	for (size_t i = 0; !st && i < s->n && ag_stage_wanted(r); i++) {
		ag_arena *scratch = ag_stage_scratch(r);
		ag_member *m = ag_new_n(scratch, ag_member, spec->nfield + 1);
		ag_val doc = ag_val_object(m, spec->nfield + 1);

		m[0].key = AG_S("_id");
		m[0].val = s->groups[i].id;
		for (size_t k = 0; k < spec->nfield; k++) {
			m[k + 1].key = spec->fields[k].name;
			m[k + 1].val = spec->fields[k].type->result(&s->groups[i].accs[k], scratch);
		}
		st = ag_stage_emit(r, &doc, err);
		ag_stage_reset_scratch(r);
	}
	return st;
}

const ag_stage_type ag_stage_group = { .name = "$group",
	                               .parse = group_parse,
	                               .to_val = group_to_val,
	                               .paths = group_paths,
	                               .begin = group_begin,
	                               .end = group_end,
	                               .push = group_push,
	                               .finish = group_finish };

const ag_stage_type ag_stage_sort_by_count = { .name = "$sortByCount",
	                                       .parse = by_count_parse,
	                                       .to_val = group_to_val,
	                                       .paths = group_paths,
	                                       .begin = group_begin,
	                                       .end = group_end,
	                                       .push = group_push,
	                                       .finish = group_finish };
