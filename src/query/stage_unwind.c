/* stage_unwind -- $unwind: one document per element of an array.
 *
 * The path is followed through plain objects only, as on the server. The objects along it are rebuilt
 * with the element in place of the array; everything else is borrowed. */
#include "query/pipeline_internal.h"

typedef struct unwind_spec {
	ag_str path;
	ag_str *parts;
	size_t nparts;
	bool keep_empty;
	ag_str index_name; /* "" = none */
} unwind_spec;

static ag_status bad(ag_err *err, const char *what)
{
	return ag_fail(err, AG_INVALID, "query.pipeline", "%s", what);
}

static ag_status read_options(unwind_spec *spec, const ag_val *v, ag_err *err)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *m = &v->u.members[i];

		if (ag_str_eqc(m->key, "path")) {
			continue;
		} else if (ag_str_eqc(m->key, "preserveNullAndEmptyArrays")) {
			if (m->val.type != AG_T_BOOL)
				return bad(err, "preserveNullAndEmptyArrays wants true or false");
			spec->keep_empty = m->val.u.b;
		} else if (ag_str_eqc(m->key, "includeArrayIndex")) {
			if (m->val.type != AG_T_STRING || m->val.n == 0 || m->val.u.s[0] == '$' ||
			    memchr(m->val.u.s, '.', m->val.n))
				return bad(err, "includeArrayIndex wants a plain field name");
			spec->index_name = ag_val_text(&m->val);
		} else {
			return ag_fail(err, AG_INVALID, "query.pipeline", "unknown option \"%.*s\"",
			               (int)(m->key.len > 60 ? 60 : m->key.len), m->key.ptr);
		}
	}
	return AG_OK;
}

static ag_status unwind_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	unwind_spec *spec = ag_new(arena, unwind_spec);
	const ag_val *path = v->type == AG_T_OBJECT ? ag_val_getc(v, "path") : v;
	ag_status st = AG_OK;
	ag_str rest;

	if (!path || path->type != AG_T_STRING || path->n < 2 || path->u.s[0] != '$' ||
	    path->u.s[1] == '$')
		return bad(err, "wants a field path like \"$items\", or {\"path\": \"$items\"}");
	if (v->type == AG_T_OBJECT)
		st = read_options(spec, v, err);
	spec->path = ag_str_dup(arena, ag_str_make(path->u.s + 1, path->n - 1));
	spec->index_name = ag_str_dup(arena, spec->index_name);
	spec->parts = ag_new_n(arena, ag_str, spec->path.len + 1);
	for (rest = spec->path; rest.ptr;)
		spec->parts[spec->nparts++] = ag_str_split(&rest, '.');
	s->spec = spec;
	return st;
}

static ag_val unwind_to_val(const ag_stage *s, ag_arena *arena)
{
	const unwind_spec *spec = s->spec;
	ag_member *m = ag_new_n(arena, ag_member, 3);
	size_t n = 1;

	m[0].key = AG_S("path");
	m[0].val = ag_val_str(ag_str_printf(arena, "$%.*s", AG_FMT(spec->path)));
	if (spec->index_name.len) {
		m[n].key = AG_S("includeArrayIndex");
		m[n++].val = ag_val_str(spec->index_name);
	}
	if (spec->keep_empty) {
		m[n].key = AG_S("preserveNullAndEmptyArrays");
		m[n++].val = ag_val_bool(true);
	}
	return ag_stage_object1(arena, "$unwind", n == 1 ? m[0].val : ag_val_object(m, n));
}

static bool unwind_paths(const ag_stage *s, ag_path_set *set)
{
	const unwind_spec *spec = s->spec;

	ag_path_set_add(set, spec->path);
	return false;
}

/* doc with *v (NULL: nothing) at parts. */
static ag_val replace(ag_arena *arena, const ag_val *doc, const ag_str *parts, size_t n,
                      const ag_val *v)
{
	ag_member *m = ag_new_n(arena, ag_member, doc->n + 1U);
	size_t nm = 0;

	for (uint32_t i = 0; i < doc->n; i++) {
		m[nm] = doc->u.members[i];
		if (ag_str_eq(m[nm].key, parts[0])) {
			if (n == 1 && !v)
				continue;
			m[nm].val = n == 1 ? *v : replace(arena, &m[nm].val, parts + 1, n - 1, v);
		}
		nm++;
	}
	return ag_val_object(m, nm);
}

static ag_val with_index(ag_arena *arena, const ag_val *doc, ag_str name, ag_val index)
{
	ag_member *m = ag_new_n(arena, ag_member, doc->n + 1U);
	size_t nm = 0;

	for (uint32_t i = 0; i < doc->n; i++) {
		if (!ag_str_eq(doc->u.members[i].key, name))
			m[nm++] = doc->u.members[i];
	}
	m[nm].key = name;
	m[nm++].val = index;
	return ag_val_object(m, nm);
}

static ag_status emit(ag_stage_run *r, const ag_val *doc, ag_val index, ag_err *err)
{
	const unwind_spec *spec = r->stage->spec;
	ag_val out = *doc;

	if (spec->index_name.len)
		out = with_index(ag_stage_scratch(r), doc, spec->index_name, index);
	return ag_stage_emit(r, &out, err);
}

static ag_status unwind_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	const unwind_spec *spec = r->stage->spec;
	ag_arena *scratch = ag_stage_scratch(r);
	const ag_val *v = doc;
	ag_status st = AG_OK;
	ag_val out;

	AG_ASSERT(doc);
	for (size_t i = 0; v && i < spec->nparts; i++)
		v = ag_val_get(v, spec->parts[i]);
	if (!v || ag_expr_nullish(v))
		return spec->keep_empty ? emit(r, doc, ag_val_null(), err) : AG_OK;
	if (v->type != AG_T_ARRAY)
		return emit(r, doc, ag_val_null(), err);
	if (v->n == 0) {
		if (!spec->keep_empty)
			return AG_OK;
		out = replace(scratch, doc, spec->parts, spec->nparts, NULL);
		return emit(r, &out, ag_val_null(), err);
	}
	for (uint32_t i = 0; !st && i < v->n && ag_stage_wanted(r); i++) {
		out = replace(scratch, doc, spec->parts, spec->nparts, &v->u.items[i]);
		st = emit(r, &out, ag_val_int(i), err);
		ag_stage_reset_scratch(r);
	}
	return st;
}

const ag_stage_type ag_stage_unwind = { .name = "$unwind",
	                                .parse = unwind_parse,
	                                .to_val = unwind_to_val,
	                                .paths = unwind_paths,
	                                .push = unwind_push };
