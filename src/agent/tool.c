/* tool -- one parameter table, two uses: the schema a model reads and the check of what it sends.
 *
 * The check stops at the first problem and names the parameter, because a planner mends one thing at a
 * time. Sizes are already limited by whoever parsed the input. */
#include "agent/tool.h"

#include <inttypes.h>

#include "base/num.h"
#include "base/utf8.h"
#include "query/extjson.h"

static const char *const type_word[] = {
	[AG_PARAM_STRING] = "a string",
	[AG_PARAM_INT] = "an integer",
	[AG_PARAM_NUMBER] = "a number",
	[AG_PARAM_BOOL] = "true or false",
	[AG_PARAM_OBJECT] = "an object",
	[AG_PARAM_ARRAY] = "an array",
	[AG_PARAM_STRINGS] = "an array of strings",
	[AG_PARAM_QUERY] = "a filter {…} or a pipeline […]",
};

const ag_tool *ag_tool_find(const ag_tool *tools, size_t ntool, ag_str name)
{
	for (size_t i = 0; i < ntool; i++)
		if (ag_str_eqc(name, tools[i].name))
			return &tools[i];
	return NULL;
}

bool ag_tool_is_offered(const ag_tool_set *set, const ag_tool *t, const ag_caller *who)
{
	if (t->scope && !ag_caller_has_scope(who, t->scope))
		return false;
	return !set->offered || set->offered(set->env, who, t);
}

ag_status ag_tool_unknown(const ag_tool_set *sets, size_t nset, ag_str name, ag_err *err)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < nset; i++)
		for (size_t k = 0; k < sets[i].ntool && n < AG_NELEM(names); k++)
			names[n++] = sets[i].tools[k].name;
	near = ag_str_nearest(name, names, n);
	ag_fail(err, AG_INVALID, "agent.loop", "there is no tool \"%.*s\"",
	        (int)(name.len < 60 ? name.len : 60), name.ptr);
	return near ? ag_err_hint(err, "did you mean \"%s\"?", near) : AG_INVALID;
}

/* true, false, 1, 0, and the same as words in any case. */
static bool to_bool(const ag_val *v, bool *ret)
{
	const bool is_text = v->type == AG_T_STRING;
	const ag_str text = is_text ? ag_str_trim(ag_val_text(v)) : AG_S("");
	int64_t i;

	if (v->type == AG_T_BOOL)
		*ret = v->u.b;
	else if (is_text && (ag_str_ieq(text, AG_S("true")) || ag_str_eqc(text, "1")))
		*ret = true;
	else if (is_text && (ag_str_ieq(text, AG_S("false")) || ag_str_eqc(text, "0")))
		*ret = false;
	else if (ag_val_to_i64(v, &i) && (i == 0 || i == 1))
		*ret = i == 1;
	else
		return false;
	return true;
}

static bool to_int(const ag_val *v, int64_t *ret)
{
	if (v->type == AG_T_STRING)
		return ag_str_to_i64(ag_str_trim(ag_val_text(v)), ret);
	return ag_val_to_i64(v, ret);
}

static bool fits_leniently(const ag_param *p, const ag_val *v)
{
	int64_t i;
	bool b;

	switch (p->type) {
	case AG_PARAM_BOOL: return to_bool(v, &b);
	case AG_PARAM_INT: return to_int(v, &i);
	case AG_PARAM_NUMBER: return v->type == AG_T_STRING || v->type == AG_T_NULL;
	case AG_PARAM_STRING: return v->type == AG_T_OBJECT || v->type == AG_T_ARRAY;
	default: return false;
	}
}

bool ag_tool_bool(const ag_val *input, const char *name, bool fallback)
{
	const ag_val *v = ag_val_getc(input, name);
	bool ret = fallback;

	return v && to_bool(v, &ret) ? ret : fallback;
}

int64_t ag_tool_int(const ag_val *input, const char *name, int64_t fallback)
{
	const ag_val *v = ag_val_getc(input, name);
	int64_t ret = fallback;

	return v && to_int(v, &ret) ? ret : fallback;
}

ag_str ag_tool_text(const ag_val *input, const char *name, ag_arena *arena)
{
	const ag_val *v = ag_val_getc(input, name);

	if (v && v->type == AG_T_STRING)
		return ag_val_text(v);
	if (v && (v->type == AG_T_OBJECT || v->type == AG_T_ARRAY))
		return ag_extjson_str(arena, v, AG_EXTJSON_RELAXED);
	return AG_S("");
}

static bool type_fits(const ag_param *p, const ag_val *v)
{
	int64_t i;

	if (p->is_lenient && fits_leniently(p, v))
		return true;

	switch (p->type) {
	case AG_PARAM_STRING: return v->type == AG_T_STRING;
	case AG_PARAM_INT: return ag_val_to_i64(v, &i);
	case AG_PARAM_NUMBER: return ag_type_is_number(v->type);
	case AG_PARAM_BOOL: return v->type == AG_T_BOOL;
	case AG_PARAM_OBJECT: return v->type == AG_T_OBJECT;
	case AG_PARAM_ARRAY: return v->type == AG_T_ARRAY;
	case AG_PARAM_STRINGS:
		if (v->type != AG_T_ARRAY)
			return false;
		for (uint32_t k = 0; k < v->n; k++)
			if (v->u.items[k].type != AG_T_STRING)
				return false;
		return true;
	case AG_PARAM_QUERY:
		return v->type == AG_T_STRING || v->type == AG_T_OBJECT || v->type == AG_T_ARRAY;
	}
	return false;
}

static ag_status check_range(const ag_tool *t, const ag_param *p, const ag_val *v, ag_err *err)
{
	const bool is_number = p->type == AG_PARAM_INT || p->type == AG_PARAM_NUMBER;
	int64_t i = 0;
	const double x = p->in_chars  ? (double)ag_utf8_count(ag_val_text(v))
	                 : !is_number ? (double)v->n
	                 : v->type == AG_T_STRING && to_int(v, &i) ? (double)i
	                                                           : ag_val_number(v);
	char min[AG_NUM_MAX], max[AG_NUM_MAX], got[AG_NUM_MAX];

	if ((p->min == 0 && p->max == 0) || (x >= p->min && (p->max == 0 || x <= p->max)))
		return AG_OK;
	ag_num_double(min, p->min, false);
	ag_num_double(max, p->max, false);
	ag_num_double(got, x, false);
	if (!is_number)
		return ag_fail(err, AG_INVALID, "agent.tool", "%s.%s: want %s to %s %s, got %s",
		               t->name, p->name, min, max,
		               p->in_chars                  ? "characters"
		               : p->type == AG_PARAM_STRING ? "bytes"
		                                            : "items",
		               got);
	if (p->max == 0)
		return ag_fail(err, AG_INVALID, "agent.tool", "%s.%s: want %s or more, got %s",
		               t->name, p->name, min, got);
	return ag_fail(err, AG_INVALID, "agent.tool", "%s.%s: want %s to %s, got %s", t->name,
	               p->name, min, max, got);
}

static ag_status check_choice(const ag_tool *t, const ag_param *p, const ag_val *v, ag_err *err)
{
	ag_buf list = AG_BUF_INIT(512);
	ag_status st;
	bool known = false;

	if (!p->one_of || v->type != AG_T_STRING)
		return AG_OK;
	for (size_t i = 0; p->one_of[i] && !known; i++) {
		known = ag_str_ieq(ag_val_text(v), ag_str_c(p->one_of[i]));
		ag_buf_addf(&list, "%s%s", i ? ", " : "", p->one_of[i]);
	}
	st = known ? AG_OK
	           : ag_fail(err, AG_INVALID, "agent.tool", "%s.%s: want one of %.*s, got \"%.*s\"",
	                     t->name, p->name, AG_FMT(ag_buf_view(&list)),
	                     (int)(v->n < 40 ? v->n : 40), v->u.s);
	ag_buf_release(&list);
	return st;
}

static ag_status check_param(const ag_tool *t, const ag_param *p, const ag_val *v, ag_err *err)
{
	ag_status st;

	if (!v || (v->type == AG_T_NULL && !p->required)) {
		if (!p->required)
			return AG_OK;
		ag_fail(err, AG_INVALID, "agent.tool", "%s.%s is missing", t->name, p->name);
		return ag_err_hint(err, "%s: %s", p->name, p->help);
	}
	if (!type_fits(p, v)) {
		ag_fail(err, AG_INVALID, "agent.tool", "%s.%s: want %s, got %s", t->name, p->name,
		        type_word[p->type], ag_type_alias(v->type));
		return ag_err_hint(err, "%s: %s", p->name, p->help);
	}
	st = check_range(t, p, v, err);
	if (st)
		return st;
	return check_choice(t, p, v, err);
}

static ag_status unknown_param(const ag_tool *t, ag_str key, ag_err *err)
{
	ag_buf list = AG_BUF_INIT(512);
	const char *names[32];
	const char *nearest;
	size_t n = 0;

	for (size_t i = 0; i < t->nparam && n < AG_NELEM(names); i++)
		names[n++] = t->params[i].name;
	ag_fail(err, AG_INVALID, "agent.tool", "%s has no parameter \"%.*s\"", t->name,
	        (int)(key.len < 60 ? key.len : 60), key.ptr);
	nearest = ag_str_nearest(key, names, n);
	if (nearest)
		return ag_err_hint(err, "did you mean \"%s\"?", nearest);
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	AG_IGNORE(ag_err_hint(err, "it has %.*s", AG_FMT(ag_buf_view(&list))), "told below");
	ag_buf_release(&list);
	return AG_INVALID;
}

ag_status ag_tool_check_input(const ag_tool *t, const ag_val *input, ag_err *err)
{
	ag_status st;

	if (input->type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, "agent.tool", "%s: want an object as input, got %s",
		               t->name, ag_type_alias(input->type));
	if (t->input_schema)
		return AG_OK;
	for (uint32_t k = 0; k < input->n; k++) {
		bool known = false;

		for (size_t i = 0; i < t->nparam && !known; i++)
			known = ag_str_eqc(input->u.members[k].key, t->params[i].name);
		if (!known)
			return unknown_param(t, input->u.members[k].key, err);
	}
	for (size_t i = 0; i < t->nparam; i++) {
		st = check_param(t, &t->params[i], ag_val_getc(input, t->params[i].name), err);
		if (st)
			return st;
	}
	return AG_OK;
}

static void param_type_schema(const ag_param *p, ag_jw *w)
{
	static const char *const json_type[] = {
		[AG_PARAM_STRING] = "string", [AG_PARAM_INT] = "integer",
		[AG_PARAM_NUMBER] = "number", [AG_PARAM_BOOL] = "boolean",
		[AG_PARAM_OBJECT] = "object", [AG_PARAM_ARRAY] = "array",
		[AG_PARAM_STRINGS] = "array",
	};

	if (p->type == AG_PARAM_QUERY) {
		ag_jw_kkey(w, "type");
		ag_jw_arr(w);
		ag_jw_str(w, AG_S("string"));
		ag_jw_str(w, AG_S("object"));
		ag_jw_str(w, AG_S("array"));
		ag_jw_arr_end(w);
		return;
	}
	ag_jw_kstr(w, "type", ag_str_c(json_type[p->type]));
	if (p->type == AG_PARAM_STRINGS) {
		ag_jw_kkey(w, "items");
		ag_jw_obj(w);
		ag_jw_kstr(w, "type", AG_S("string"));
		ag_jw_obj_end(w);
	}
}

static void param_schema(const ag_param *p, bool brief, ag_jw *w)
{
	param_type_schema(p, w);
	if (!brief)
		ag_jw_kstr(w, "description", ag_str_c(p->help));
	if (!brief && (p->type == AG_PARAM_INT || p->type == AG_PARAM_NUMBER)) {
		if (p->min != 0 || p->max != 0)
			ag_jw_kdouble(w, "minimum", p->min);
		if (p->max != 0)
			ag_jw_kdouble(w, "maximum", p->max);
	}
	if (p->one_of) {
		ag_jw_kkey(w, "enum");
		ag_jw_arr(w);
		for (size_t k = 0; p->one_of[k]; k++)
			ag_jw_str(w, ag_str_c(p->one_of[k]));
		ag_jw_arr_end(w);
	}
}

void ag_param_schema(const ag_param *p, ag_jw *w)
{
	const bool is_list = p->type == AG_PARAM_STRINGS || p->type == AG_PARAM_ARRAY;

	param_schema(p, false, w);
	if (p->type != AG_PARAM_STRING && !is_list)
		return;
	if (p->min != 0)
		ag_jw_kdouble(w, is_list ? "minItems" : "minLength", p->min);
	if (p->max != 0)
		ag_jw_kdouble(w, is_list ? "maxItems" : "maxLength", p->max);
}

static void tool_schema(const ag_tool *t, bool brief, ag_jw *w)
{
	if (t->input_schema) {
		ag_jw_raw(w, ag_str_c(t->input_schema));
		return;
	}
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("object"));
	ag_jw_kkey(w, "properties");
	ag_jw_obj(w);
	for (size_t i = 0; i < t->nparam; i++) {
		const ag_param *p = &t->params[i];

		ag_jw_kkey(w, p->name);
		ag_jw_obj(w);
		param_schema(p, brief, w);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "required");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->nparam; i++)
		if (t->params[i].required)
			ag_jw_str(w, ag_str_c(t->params[i].name));
	ag_jw_arr_end(w);
	ag_jw_kbool(w, "additionalProperties", false);
	ag_jw_obj_end(w);
}

void ag_tool_schema(const ag_tool *t, ag_jw *w)
{
	tool_schema(t, false, w);
}

void ag_tool_schema_closed(const ag_tool *t, ag_jw *w)
{
	tool_schema(t, true, w);
}
