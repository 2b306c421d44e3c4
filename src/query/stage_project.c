/* stage_project -- $project, $addFields, $set, $unset: one tree of fields, three ways to apply it.
 *
 * A specification like {"a.b": 1, "c": {"d": "$x"}} becomes a tree of names. Including keeps what the tree
 * names, excluding drops it, adding puts computed values on top. Arrays are gone through element by
 * element. Results borrow what they keep.
 * Reading order: read_spec, then include, exclude, add. */
#include "query/pipeline_internal.h"

#define MAX_FIELDS 2000
#define MAX_LEVELS 100

typedef enum field_kind { F_NEST, F_INCLUDE, F_EXCLUDE, F_EXPR } field_kind;

typedef struct field field;
struct field {
	ag_str name;
	field_kind kind;
	const ag_expr *expr;
	field *kids, *last; /* NEST, in order of the specification */
	field *next;
};

typedef enum project_mode { P_INCLUDE, P_EXCLUDE, P_ADD } project_mode;

typedef struct project_spec {
	field root;
	project_mode mode;
	bool drop_id; /* "_id": 0 in an inclusion */
} project_spec;

typedef struct reader {
	project_spec *spec;
	ag_arena *arena;
	ag_err *err;
	bool project; /* 1 and 0 mean include and exclude */
	size_t nfield;
	unsigned includes, excludes;
} reader;

static ag_status bad(reader *r, ag_str name, const char *what)
{
	return ag_fail(r->err, AG_INVALID, "query.pipeline", "field \"%.*s\": %s",
	               (int)(name.len > 60 ? 60 : name.len), name.ptr, what);
}

static field *find(const field *parent, ag_str name)
{
	for (field *f = parent->kids; f; f = f->next) {
		if (ag_str_eq(f->name, name))
			return f;
	}
	return NULL;
}

/* The field at a dotted path below parent, made where it is missing; NULL when it collides. */
static field *place(reader *r, field *parent, ag_str path, unsigned *level)
{
	ag_str rest = path;

	while (rest.ptr) {
		ag_str name = ag_str_split(&rest, '.');
		field *f = find(parent, name);

		if (!name.len || name.ptr[0] == '$' || ++*level > MAX_LEVELS)
			return NULL;
		if (f && (!rest.ptr || f->kind != F_NEST))
			return NULL;
		if (!f) {
			f = ag_new(r->arena, field);
			f->name = name;
			if (parent->last)
				parent->last->next = f;
			else
				parent->kids = f;
			parent->last = f;
		}
		parent = f;
	}
	return parent;
}

static ag_status read_fields(reader *r, field *parent, const ag_val *v, unsigned level);

static ag_status read_field(reader *r, field *parent, const ag_member *m, unsigned level)
{
	bool flag = r->project && (ag_type_is_number(m->val.type) || m->val.type == AG_T_BOOL);
	bool is_object = m->val.type == AG_T_OBJECT && m->val.n > 0;
	bool is_op = is_object && m->val.u.members[0].key.len &&
	             m->val.u.members[0].key.ptr[0] == '$';
	field *f;

	if (++r->nfield > MAX_FIELDS)
		return bad(r, m->key, "too many fields");
	if (flag && parent == &r->spec->root && ag_str_eqc(m->key, "_id") &&
	    !ag_val_truthy(&m->val)) {
		r->spec->drop_id = true;
		return AG_OK;
	}
	f = place(r, parent, ag_str_dup(r->arena, m->key), &level);
	if (!f)
		return bad(r, m->key, "is no field path, or collides with another field");
	if (is_object && !is_op)
		return read_fields(r, f, &m->val, level);
	if (m->val.type == AG_T_OBJECT && m->val.n == 0 && r->project)
		return bad(r, m->key, "an empty object says nothing");
	if (flag) {
		f->kind = ag_val_truthy(&m->val) ? F_INCLUDE : F_EXCLUDE;
		r->includes += f->kind == F_INCLUDE;
		r->excludes += f->kind == F_EXCLUDE;
		return AG_OK;
	}
	f->kind = F_EXPR;
	r->includes++;
	return ag_expr_parse(&m->val, r->arena, &f->expr, r->err);
}

static ag_status read_fields(reader *r, field *parent, const ag_val *v, unsigned level)
{
	ag_status st = AG_OK;

	for (uint32_t i = 0; !st && i < v->n; i++)
		st = read_field(r, parent, &v->u.members[i], level);
	return st;
}

static ag_status read_spec(ag_stage *s, const ag_val *v, ag_arena *arena, bool project, ag_err *err)
{
	project_spec *spec = ag_new(arena, project_spec);
	reader r = { .spec = spec, .arena = arena, .err = err, .project = project };
	ag_status st;

	if (v->type != AG_T_OBJECT || v->n == 0)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "wants an object with at least one field");
	st = read_fields(&r, &spec->root, v, 0);
	if (st)
		return st;
	if (r.includes && r.excludes)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "fields are both included and excluded; only _id may be excluded "
		               "beside included ones");
	spec->mode = !project ? P_ADD : r.includes ? P_INCLUDE : P_EXCLUDE;
	s->spec = spec;
	return AG_OK;
}

static ag_status project_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	return read_spec(s, v, arena, true, err);
}

static ag_status add_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	return read_spec(s, v, arena, false, err);
}

/* "a" or ["a", "b.c"]: an excluding projection. */
static ag_status unset_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	const ag_val *items = v->type == AG_T_ARRAY ? v->u.items : v;
	uint32_t n = v->type == AG_T_ARRAY ? v->n : 1;
	ag_member *m = ag_new_n(arena, ag_member, n + 1U);
	ag_val spec;

	for (uint32_t i = 0; i < n; i++) {
		if (items[i].type != AG_T_STRING)
			return ag_fail(err, AG_INVALID, "query.pipeline",
			               "wants a field path or an array of field paths");
		m[i].key = ag_val_text(&items[i]);
		m[i].val = ag_val_int(0);
	}
	spec = ag_val_object(m, n);
	return read_spec(s, &spec, arena, true, err);
}

/* ---- written ---- */

static ag_val field_value(const field *f, project_mode mode, ag_arena *arena);

static ag_val fields_value(const field *parent, const project_spec *spec, project_mode mode,
                           ag_arena *arena)
{
	ag_member *m;
	size_t n = 1;

	for (const field *f = parent->kids; f; f = f->next)
		n++;
	m = ag_new_n(arena, ag_member, n);
	n = 0;
	if (spec && spec->drop_id) {
		m[n].key = AG_S("_id");
		m[n++].val = ag_val_int(0);
	}
	for (const field *f = parent->kids; f; f = f->next) {
		m[n].key = f->name;
		m[n++].val = field_value(f, mode, arena);
	}
	return ag_val_object(m, n);
}

static ag_val field_value(const field *f, project_mode mode, ag_arena *arena)
{
	ag_val v;

	switch (f->kind) {
	case F_INCLUDE: return ag_val_int(1);
	case F_EXCLUDE: return ag_val_int(0);
	case F_NEST: return fields_value(f, NULL, mode, arena);
	case F_EXPR:
	default:
		v = ag_expr_to_val(f->expr, arena);
		/* Beside 1 and 0 a constant number must say that it is one. */
		if (mode != P_ADD && (ag_type_is_number(v.type) || v.type == AG_T_BOOL))
			return ag_stage_object1(arena, "$literal", v);
		return v;
	}
}

static ag_val project_to_val(const ag_stage *s, ag_arena *arena)
{
	const project_spec *spec = s->spec;

	return ag_stage_object1(arena, spec->mode == P_ADD ? "$addFields" : "$project",
	                        fields_value(&spec->root, spec, spec->mode, arena));
}

static void field_paths(const field *parent, ag_str prefix, ag_path_set *set)
{
	for (const field *f = parent->kids; f; f = f->next) {
		ag_str path = ag_path_set_join(set, prefix, f->name);

		if (f->kind == F_NEST)
			field_paths(f, path, set);
		else if (f->kind == F_EXPR)
			ag_expr_collect(f->expr, set);
		else if (f->kind == F_INCLUDE)
			ag_path_set_add(set, path);
	}
}

static bool project_paths(const ag_stage *s, ag_path_set *set)
{
	const project_spec *spec = s->spec;

	if (spec->mode == P_INCLUDE && !spec->drop_id)
		ag_path_set_add(set, AG_S("_id"));
	field_paths(&spec->root, AG_S(""), set);
	return spec->mode == P_INCLUDE;
}

/* ---- run ---- */

typedef struct job {
	ag_expr_env env;
	project_mode mode;
} job;

static ag_status apply(job *j, const field *spec, bool top_id, const ag_val *v, ag_val *ret);

/* Elements of an array: objects and arrays are gone through; others stay, go, or become objects. */
static ag_status apply_array(job *j, const field *spec, const ag_val *v, ag_val *ret)
{
	ag_val *items = ag_new_n(j->env.arena, ag_val, v->n + 1U);
	size_t n = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		ag_status st = apply(j, spec, false, &v->u.items[i], &items[n]);

		if (st)
			return st;
		n += items[n].type != AG_T_MISSING;
	}
	*ret = ag_val_array(items, n);
	return AG_OK;
}

/* Computed fields below spec that the document did not have, behind the others. */
static ag_status append_computed(job *j, const field *spec, const ag_val *v, ag_member *m,
                                 size_t *n)
{
	for (const field *f = spec->kids; f; f = f->next) {
		const ag_val *old = ag_val_get(v, f->name);
		const ag_val nothing = { 0 };
		ag_status st = AG_OK;

		if (f->kind == F_EXPR && (!old || j->mode == P_INCLUDE))
			st = ag_expr_run(&j->env, f->expr, &m[*n].val);
		else if (f->kind == F_NEST && !old)
			st = apply(j, f, false, &nothing, &m[*n].val);
		else
			continue;
		if (st)
			return st;
		m[*n].key = f->name;
		*n += m[*n].val.type != AG_T_MISSING;
	}
	return AG_OK;
}

/* One member of the document: what becomes of it (MISSING: it goes). */
static ag_status apply_member(job *j, const field *f, bool keep, const ag_val *v, ag_val *ret)
{
	*ret = ag_val_missing();
	if (!f) {
		if (keep)
			*ret = *v;
		return AG_OK;
	}
	if (f->kind == F_NEST)
		return apply(j, f, false, v, ret);
	if (f->kind == F_INCLUDE)
		*ret = *v;
	if (f->kind == F_EXPR && j->mode == P_ADD)
		return ag_expr_run(&j->env, f->expr, ret);
	return AG_OK;
}

static bool computes(const field *spec)
{
	for (const field *f = spec->kids; f; f = f->next) {
		if (f->kind == F_EXPR || (f->kind == F_NEST && computes(f)))
			return true;
	}
	return false;
}

static ag_status apply(job *j, const field *spec, bool top_id, const ag_val *v, ag_val *ret)
{
	const ag_val empty = ag_val_object(NULL, 0);
	size_t n = 0, nfield = 0;
	ag_member *m;
	ag_status st;

	if (v->type == AG_T_ARRAY)
		return apply_array(j, spec, v, ret);
	if (v->type != AG_T_OBJECT) {
		/* A scalar where the specification goes on: computed fields replace it. */
		*ret = j->mode == P_EXCLUDE ? *v : ag_val_missing();
		if (!computes(spec))
			return AG_OK;
		v = &empty;
	}
	for (const field *f = spec->kids; f; f = f->next)
		nfield++;
	m = ag_new_n(j->env.arena, ag_member, v->n + nfield + 1);
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *old = &v->u.members[i];
		bool keep = j->mode != P_INCLUDE || (top_id && ag_str_eqc(old->key, "_id"));

		st = apply_member(j, find(spec, old->key), keep, &old->val, &m[n].val);
		if (st)
			return st;
		m[n].key = old->key;
		n += m[n].val.type != AG_T_MISSING;
	}
	st = j->mode == P_EXCLUDE ? AG_OK : append_computed(j, spec, v, m, &n);
	if (!st)
		*ret = ag_val_object(m, n);
	return st;
}

static ag_val without_id(ag_arena *arena, const ag_val *doc)
{
	ag_member *m = ag_new_n(arena, ag_member, doc->n + 1U);
	size_t n = 0;

	for (uint32_t i = 0; i < doc->n; i++) {
		if (!ag_str_eqc(doc->u.members[i].key, "_id"))
			m[n++] = doc->u.members[i];
	}
	return ag_val_object(m, n);
}

static ag_status project_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	const project_spec *spec = r->stage->spec;
	job j = { .env = { .root = doc, .arena = ag_stage_scratch(r), .err = err },
		  .mode = spec->mode };
	ag_val out, in = *doc;
	ag_status st;

	if (spec->drop_id)
		in = without_id(j.env.arena, doc);
	st = apply(&j, &spec->root, true, &in, &out);
	return st ? st : ag_stage_emit(r, &out, err);
}

const ag_stage_type ag_stage_project = { .name = "$project",
	                                 .parse = project_parse,
	                                 .to_val = project_to_val,
	                                 .paths = project_paths,
	                                 .push = project_push };
const ag_stage_type ag_stage_add_fields = { .name = "$addFields",
	                                    .parse = add_parse,
	                                    .to_val = project_to_val,
	                                    .paths = project_paths,
	                                    .push = project_push };
const ag_stage_type ag_stage_set = { .name = "$set",
	                             .parse = add_parse,
	                             .to_val = project_to_val,
	                             .paths = project_paths,
	                             .push = project_push };
const ag_stage_type ag_stage_unset = { .name = "$unset",
	                               .parse = unset_parse,
	                               .to_val = project_to_val,
	                               .paths = project_paths,
	                               .push = project_push };
