/* evidence_build -- see the header. */
#include "audit/evidence_build.h"

#include "query/extjson.h"
#include "query/path.h"

#define PATH_MAX_BYTES 65536

ag_val ag_ev_obj(ag_arena *a, const ag_member *members, size_t n)
{
	ag_member *m = ag_new_n(a, ag_member, n);

	if (n)
		memcpy(m, members, n * sizeof(*m));
	return ag_val_object(m, n);
}

ag_val ag_ev_arr(ag_arena *a, const ag_val *items, size_t n)
{
	ag_val *v = ag_new_n(a, ag_val, n);

	if (n)
		memcpy(v, items, n * sizeof(*v));
	return ag_val_array(v, n);
}

ag_val ag_ev_text(const char *literal)
{
	return ag_val_str(ag_str_c(literal));
}

ag_val ag_ev_regex(ag_arena *a, const char *pattern, const char *options)
{
	if (!options[0])
		return AG_EV_OBJ(a, AG_EV_KV("$regex", ag_ev_text(pattern)));
	return AG_EV_OBJ(a, AG_EV_KV("$regex", ag_ev_text(pattern)),
	                 AG_EV_KV("$options", ag_ev_text(options)));
}

/* Can a dotted path speak of this name? */
static bool is_queryable(ag_str name)
{
	return name.len && name.ptr[0] != '$' && ag_str_find(name, '.') < 0 &&
	       !memchr(name.ptr, '\0', name.len);
}

bool ag_ev_can_name(ag_arena *a, ag_str path)
{
	ag_path p = { 0 };

	if (ag_path_parse(path, a, &p, NULL))
		return true;
	for (size_t i = 0; i < p.n; i++) {
		if (p.steps[i].kind == AG_STEP_NAME && !is_queryable(p.steps[i].name))
			return false;
	}
	return true;
}

static ag_str dotted(ag_arena *a, const ag_step *steps, size_t n)
{
	ag_buf b = AG_BUF_INIT(PATH_MAX_BYTES);
	ag_str ret;

	for (size_t i = 0; i < n; i++) {
		if (steps[i].kind != AG_STEP_NAME)
			continue;
		if (b.len)
			ag_buf_addc(&b, '.');
		ag_buf_add(&b, steps[i].name);
	}
	ret = b.failed ? AG_S("") : ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ret;
}

ag_ev_place ag_ev_place_of(ag_arena *a, const ag_path_profile *f)
{
	ag_ev_place ret = { 0 };
	ag_path p = { 0 };
	size_t below = 0; /* steps up to and with the last [] */

	if (ag_path_parse(f->path, a, &p, NULL) || !p.n || p.steps[0].kind != AG_STEP_NAME)
		return ret;
	for (size_t i = 0; i < p.n; i++) {
		if (p.steps[i].kind == AG_STEP_ANY)
			return ret;
		if (p.steps[i].kind == AG_STEP_NAME && !is_queryable(p.steps[i].name))
			return ret;
		if (p.steps[i].kind != AG_STEP_ELEM)
			continue;
		/* Arrays in arrays: MongoDB does not look through them by name. */
		if (p.steps[i - 1].kind == AG_STEP_ELEM)
			return ret;
		below = i + 1;
	}
	ret.array = dotted(a, p.steps, below);
	ret.rest = dotted(a, p.steps + below, p.n - below);
	ret.whole = dotted(a, p.steps, p.n);
	ret.ok = ret.whole.len > 0;
	return ret;
}

ag_str ag_ev_str(ag_arena *a, const ag_val *v)
{
	return ag_extjson_str(a, v, AG_EXTJSON_RELAXED);
}

static ag_str around(ag_arena *a, const ag_ev_place *at, ag_val inner)
{
	ag_member outer;
	ag_val filter;

	if (!at->array.len)
		return ag_ev_str(a, &inner);
	outer.key = at->array;
	outer.val = AG_EV_OBJ(a, AG_EV_KV("$elemMatch", inner));
	filter = ag_val_object(&outer, 1);
	return ag_ev_str(a, &filter);
}

ag_str ag_ev_where(ag_arena *a, const ag_path_profile *f, ag_val cond)
{
	ag_ev_place at = ag_ev_place_of(a, f);
	ag_member m = { at.rest, cond };

	if (!at.ok)
		return AG_S("");
	if (!at.rest.len)
		return around(a, &at, cond);
	return around(a, &at, ag_ev_obj(a, &m, 1));
}

ag_str ag_ev_where_held(ag_arena *a, const ag_path_profile *f, ag_val cond)
{
	ag_ev_place at = ag_ev_place_of(a, f);
	ag_member m[2];
	size_t dot = at.rest.len;

	while (dot && at.rest.ptr[dot - 1] != '.')
		dot--;
	if (!at.ok || !dot)
		return ag_ev_where(a, f, cond);
	m[0].key = ag_str_make(at.rest.ptr, dot - 1);
	m[0].val = AG_EV_OBJ(a, AG_EV_KV("$type", ag_ev_text("object")));
	m[1].key = at.rest;
	m[1].val = cond;
	return around(a, &at, ag_ev_obj(a, m, 2));
}

ag_str ag_ev_where_two(ag_arena *a, const ag_path_profile *f, ag_val cond, const ag_path_profile *g,
                       ag_val cond_g)
{
	ag_ev_place at = ag_ev_place_of(a, f), other = ag_ev_place_of(a, g);
	ag_member m[2] = { { at.rest, cond }, { other.rest, cond_g } };

	if (!at.ok || !other.ok || !at.rest.len || !other.rest.len)
		return AG_S("");
	return around(a, &at, ag_ev_obj(a, m, 2));
}

ag_str ag_ev_repeated_items(ag_arena *a, ag_str array)
{
	const ag_val path = ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(array)));
	const ag_str p = ag_ev_str(a, &path);

	return ag_str_printf(a,
	                     "{\"$expr\":{\"$and\":[{\"$isArray\":%.*s},{\"$gt\":[{\"$size\":%.*s},"
	                     "{\"$size\":{\"$setUnion\":[%.*s,[]]}}]}]}}",
	                     AG_FMT(p), AG_FMT(p), AG_FMT(p));
}

ag_val ag_ev_is_string(ag_arena *a, const ag_profile *p)
{
	if (!p->has_views)
		return AG_EV_OBJ(a, AG_EV_KV("$type", ag_ev_text("string")));
	/* Once they are imported, an empty cell is an empty text, and NaN is a number. */
	return AG_EV_OBJ(a, AG_EV_KV("$type", ag_ev_text("string")),
	                 AG_EV_KV("$nin", AG_EV_ARR(a, ag_ev_text(""), ag_ev_text("NaN"),
	                                            ag_ev_text("nan"), ag_ev_text("NAN"))),
	                 AG_EV_KV("$not",
	                          AG_EV_OBJ(a, AG_EV_KV("$type", AG_EV_ARR(a, ag_ev_text("number"),
	                                                                   ag_ev_text("date"),
	                                                                   ag_ev_text("bool"),
	                                                                   ag_ev_text("null"))))));
}
