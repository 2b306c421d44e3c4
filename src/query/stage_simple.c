/* stage_simple -- $match, $limit, $skip, $count, $replaceRoot, $replaceWith: one document in, at most
 * one out, next to no state. */
#include <stdlib.h>

#include "query/pipeline_internal.h"

typedef struct amount_spec {
	uint64_t n;
} amount_spec;

typedef struct name_spec {
	ag_str name;
} name_spec;

typedef struct expr_spec {
	const ag_expr *expr;
} expr_spec;

typedef struct counter {
	uint64_t n;
} counter;

static void *begin_counter(ag_stage_run *r)
{
	(void)r;
	return ag_xcalloc(1, sizeof(counter));
}

/* ---- $match ---- */

static ag_status match_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	const ag_filter *f;
	ag_status st = ag_filter_from_val(v, arena, &f, err);

	if (!st)
		s->spec = f;
	return st;
}

static ag_val match_to_val(const ag_stage *s, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_buf text = AG_BUF_INIT((size_t)1 << 31);
	ag_val v = ag_val_null();
	ag_str copy;

	ag_filter_canonical(s->spec, &text);
	copy = ag_buf_dup(arena, &text);
	ag_buf_release(&text);
	AG_IGNORE(ag_extjson_parse(copy, &opts, arena, &v, NULL, NULL, NULL),
	          "our own output is valid");
	return ag_stage_object1(arena, "$match", v);
}

static bool match_paths(const ag_stage *s, ag_path_set *set)
{
	ag_filter_collect(s->spec, AG_S(""), set);
	return false;
}

static ag_status match_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	return ag_filter_match(r->stage->spec, doc) ? ag_stage_emit(r, doc, err) : AG_OK;
}

const ag_stage_type ag_stage_match = { .name = "$match",
	                               .parse = match_parse,
	                               .to_val = match_to_val,
	                               .paths = match_paths,
	                               .push = match_push };

/* ---- $limit, $skip ---- */

static ag_status amount_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	bool limit = s->type == &ag_stage_limit;
	amount_spec *spec = ag_new(arena, amount_spec);
	int64_t n;

	if (!ag_val_to_i64(v, &n) || n < (limit ? 1 : 0))
		return ag_fail(err, AG_INVALID, "query.pipeline", "wants a whole number, %s",
		               limit ? "1 or more" : "0 or more");
	spec->n = (uint64_t)n;
	s->spec = spec;
	return AG_OK;
}

uint64_t ag_stage_amount(const ag_stage *s)
{
	const amount_spec *spec = s->spec;

	return spec->n;
}

static ag_val amount_to_val(const ag_stage *s, ag_arena *arena)
{
	return ag_stage_object1(arena, s->type->name, ag_val_int((int64_t)ag_stage_amount(s)));
}

static bool no_paths(const ag_stage *s, ag_path_set *set)
{
	(void)s;
	(void)set;
	return false;
}

static ag_status limit_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	counter *c = r->state;

	if (r->done)
		return AG_OK;
	r->done = ++c->n >= ag_stage_amount(r->stage);
	return ag_stage_emit(r, doc, err);
}

static ag_status skip_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	counter *c = r->state;

	return c->n++ < ag_stage_amount(r->stage) ? AG_OK : ag_stage_emit(r, doc, err);
}

const ag_stage_type ag_stage_limit = { .name = "$limit",
	                               .parse = amount_parse,
	                               .to_val = amount_to_val,
	                               .paths = no_paths,
	                               .begin = begin_counter,
	                               .end = free,
	                               .push = limit_push };

const ag_stage_type ag_stage_skip = { .name = "$skip",
	                              .parse = amount_parse,
	                              .to_val = amount_to_val,
	                              .paths = no_paths,
	                              .begin = begin_counter,
	                              .end = free,
	                              .push = skip_push };

/* ---- $count ---- */

static ag_status count_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	name_spec *spec = ag_new(arena, name_spec);

	if (v->type != AG_T_STRING || v->n == 0 || v->u.s[0] == '$' || memchr(v->u.s, '.', v->n) ||
	    memchr(v->u.s, 0, v->n))
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "wants the name of the result's field, without \".\" and \"$\"");
	spec->name = ag_str_dup(arena, ag_val_text(v));
	s->spec = spec;
	return AG_OK;
}

static ag_val count_to_val(const ag_stage *s, ag_arena *arena)
{
	const name_spec *spec = s->spec;

	return ag_stage_object1(arena, "$count", ag_val_str(spec->name));
}

static bool count_paths(const ag_stage *s, ag_path_set *set)
{
	(void)s;
	(void)set;
	return true;
}

static ag_status count_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	counter *c = r->state;

	(void)doc;
	(void)err;
	c->n++;
	return AG_OK;
}

/* Nothing in, nothing out: the server makes no document with 0 either. */
static ag_status count_finish(ag_stage_run *r, ag_err *err)
{
	const name_spec *spec = r->stage->spec;
	counter *c = r->state;
	ag_member m = { spec->name, ag_val_int((int64_t)c->n) };
	ag_val doc = ag_val_object(&m, 1);

	return c->n ? ag_stage_emit(r, &doc, err) : AG_OK;
}

const ag_stage_type ag_stage_count = { .name = "$count",
	                               .parse = count_parse,
	                               .to_val = count_to_val,
	                               .paths = count_paths,
	                               .begin = begin_counter,
	                               .end = free,
	                               .push = count_push,
	                               .finish = count_finish };

/* ---- $replaceRoot, $replaceWith ---- */

static ag_status root_parse(ag_stage *s, const ag_val *v, ag_arena *arena, ag_err *err)
{
	expr_spec *spec = ag_new(arena, expr_spec);

	if (s->type == &ag_stage_replace_root) {
		if (v->type != AG_T_OBJECT || v->n != 1 || !ag_val_getc(v, "newRoot"))
			return ag_fail(err, AG_INVALID, "query.pipeline",
			               "wants {\"newRoot\": expression}");
		v = ag_val_getc(v, "newRoot");
	}
	s->spec = spec;
	return ag_expr_parse(v, arena, &spec->expr, err);
}

static ag_val root_to_val(const ag_stage *s, ag_arena *arena)
{
	const expr_spec *spec = s->spec;
	ag_val e = ag_expr_to_val(spec->expr, arena);

	return ag_stage_object1(arena, "$replaceRoot", ag_stage_object1(arena, "newRoot", e));
}

static bool root_paths(const ag_stage *s, ag_path_set *set)
{
	const expr_spec *spec = s->spec;

	ag_expr_collect(spec->expr, set);
	return true;
}

static ag_status root_push(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	const expr_spec *spec = r->stage->spec;
	ag_val v;
	ag_status st = ag_expr_eval(spec->expr, doc, ag_stage_scratch(r), &v, err);

	if (st)
		return st;
	if (v.type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "%s: the new root is no object but %s", r->stage->type->name,
		               ag_type_alias(v.type));
	return ag_stage_emit(r, &v, err);
}

const ag_stage_type ag_stage_replace_root = { .name = "$replaceRoot",
	                                      .parse = root_parse,
	                                      .to_val = root_to_val,
	                                      .paths = root_paths,
	                                      .push = root_push };

const ag_stage_type ag_stage_replace_with = { .name = "$replaceWith",
	                                      .parse = root_parse,
	                                      .to_val = root_to_val,
	                                      .paths = root_paths,
	                                      .push = root_push };
