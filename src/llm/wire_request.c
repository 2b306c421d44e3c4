/* wire_request -- pieces of requests.
 *
 * Requests are byte for byte the same for the same input, and what is the same in the next request stands first: model,
 * tools, system, messages; then what a mode adds; last what a budget may change (max_tokens). Server caches that hash
 * the beginning of a request depend on it. */
#include "llm/wire_request.h"

#include "llm/json_text.h"
#include "query/extjson.h"

/* Schemas are ours, or users'; nobody writes deeper ones. */
#define MAX_SCHEMA_DEPTH 32

bool ag_wire_has_text(const ag_llm_part *p)
{
	return ag_str_trim(p->text).len > 0;
}

ag_str ag_wire_sent_input(ag_str input, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(8 * (input.len + 16));
	ag_jw w;
	ag_str ret;

	if (!ag_str_trim(input).len)
		return AG_S("{}");
	if (ag_json_is_object(input, arena))
		return ag_str_trim(input);
	ag_jw_init(&w, &b, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "invalid_json", input);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

ag_str ag_wire_format_schema(const ag_llm_request *r, ag_llm_structured how)
{
	if (how == AG_LLM_STRUCTURED_SCHEMA && r->format_union.len)
		return r->format_union;
	if (how == AG_LLM_STRUCTURED_PROMPT && r->format_brief.len)
		return r->format_brief;
	return r->format_schema;
}

/* Written by Argus: its own settings, budgets and readers depend on them. */
static const char *const own_members[] = {
	"model",
	"messages",
	"system",
	"tools",
	"functions",
	"tool_choice",
	"function_call",
	"response_format",
	"stream",
	"output_config",
	"stream_options",
	"max_tokens",
	"n",
	"max_completion_tokens",
};

ag_status ag_wire_check_extra(ag_str extra, ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_arena *arena = ag_arena_new();
	ag_val v = ag_val_missing();
	ag_err why = { 0 };
	ag_status st = AG_OK;

	if (ag_extjson_parse(extra, &opts, arena, &v, NULL, NULL, &why))
		st = ag_fail(err, AG_INVALID, "llm.wire", "extra_body is not JSON: %s", why.msg);
	else if (v.type != AG_T_OBJECT)
		st = ag_fail(err, AG_INVALID, "llm.wire", "extra_body: want a JSON object, got %s",
		             ag_type_alias(v.type));
	for (uint32_t i = 0; !st && i < v.n; i++) {
		const ag_str key = v.u.members[i].key;

		for (size_t k = 0; !st && k < AG_NELEM(own_members); k++) {
			if (ag_str_eqc(key, own_members[k]))
				st = ag_fail(err, AG_INVALID, "llm.wire",
				             "extra_body must not set \"%s\": Argus writes it",
				             own_members[k]);
		}
	}
	ag_arena_free(arena);
	return st;
}

static bool has_member(ag_str object, ag_str quoted_key)
{
	ag_str key, value;
	size_t pos = 0;

	while (ag_json_next_member(object, &pos, &key, &value)) {
		if (ag_str_eq(key, quoted_key))
			return true;
	}
	return false;
}

void ag_wire_merge(ag_buf *request, ag_str extra)
{
	ag_buf out = AG_BUF_INIT(2 * (request->len + extra.len) + 64);
	const ag_str written = ag_buf_view(request);
	ag_str key, value;
	size_t pos = 0;

	if (!ag_str_trim(extra).len || request->failed)
		return;
	for (int k = 0; k < 2; k++) {
		const ag_str from = k ? extra : written;

		pos = 0;
		while (ag_json_next_member(from, &pos, &key, &value)) {
			if (!k && has_member(extra, key))
				continue;
			ag_buf_addc(&out, out.len ? ',' : '{');
			ag_buf_add(&out, key);
			ag_buf_addc(&out, ':');
			ag_buf_add(&out, value);
		}
	}
	ag_buf_addc(&out, '}');
	ag_buf_clear(request);
	ag_buf_add(request, ag_buf_view(&out));
	ag_buf_release(&out);
}

ag_str ag_wire_schema(ag_str schema)
{
	schema = ag_str_trim(schema);
	return schema.len ? schema : AG_S("{\"type\":\"object\",\"properties\":{}}");
}

ag_str ag_wire_format_words(const ag_llm_request *r, ag_llm_structured how, ag_arena *arena)
{
	if (how == AG_LLM_STRUCTURED_TOOL)
		return ag_str_printf(arena,
		                     "Give your answer by calling the tool %.*s exactly once.",
		                     AG_FMT(r->format_name));
	if (how != AG_LLM_STRUCTURED_PROMPT)
		return AG_S("");
	return ag_str_printf(
		arena,
		"Answer with exactly one JSON object and nothing else: no words before or "
		"after it, no code fence. It must match this JSON schema: %.*s",
		AG_FMT(ag_wire_schema(ag_wire_format_schema(r, how))));
}

static bool is_closed(const ag_val *s, unsigned depth);

static bool all_closed(const ag_val *list, unsigned depth)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const ag_val *v = list->type == AG_T_ARRAY ? &list->u.items[i]
		                                           : &list->u.members[i].val;

		if (!is_closed(v, depth + 1))
			return false;
	}
	return true;
}

static bool is_listed(const ag_val *required, ag_str key)
{
	for (uint32_t i = 0; i < required->n; i++) {
		const ag_val *v = &required->u.items[i];

		if (v->type == AG_T_STRING && ag_str_eq(ag_val_text(v), key))
			return true;
	}
	return false;
}

static bool object_is_closed(const ag_val *s, unsigned depth)
{
	const ag_val *props = ag_val_getc(s, "properties"), *required = ag_val_getc(s, "required");
	const ag_val *more = ag_val_getc(s, "additionalProperties");

	if (!props || props->type != AG_T_OBJECT || !required || required->type != AG_T_ARRAY ||
	    !more || more->type != AG_T_BOOL || more->u.b)
		return false;
	for (uint32_t i = 0; i < props->n; i++) {
		if (!is_listed(required, props->u.members[i].key))
			return false;
	}
	return all_closed(props, depth);
}

static bool is_closed(const ag_val *s, unsigned depth)
{
	static const char *const lists[] = { "anyOf", "$defs", "definitions" };
	/* Not allowed in strict schemas at all. */
	static const char *const never[] = {
		"allOf",           "oneOf", "not", "if", "patternProperties", "dependentRequired",
		"dependentSchemas"
	};
	const ag_val *type, *items;
	bool is_object;

	if (s->type != AG_T_OBJECT || depth > MAX_SCHEMA_DEPTH)
		return false;
	for (size_t i = 0; i < AG_NELEM(never); i++) {
		if (ag_val_getc(s, never[i]))
			return false;
	}
	for (size_t i = 0; i < AG_NELEM(lists); i++) {
		const ag_val *list = ag_val_getc(s, lists[i]);

		if (list && ((list->type != AG_T_ARRAY && list->type != AG_T_OBJECT) ||
		             !all_closed(list, depth)))
			return false;
	}
	type = ag_val_getc(s, "type");
	items = ag_val_getc(s, "items");
	if (items && !is_closed(items, depth + 1))
		return false;
	is_object = ag_val_getc(s, "properties") ||
	            (type &&
	             ((type->type == AG_T_STRING && ag_str_eqc(ag_val_text(type), "object")) ||
	              (type->type == AG_T_ARRAY && is_listed(type, AG_S("object")))));
	if (is_object)
		return object_is_closed(s, depth);
	/* No type, and nothing in its place: anything goes. */
	return type || ag_val_getc(s, "anyOf") || ag_val_getc(s, "enum") ||
	       ag_val_getc(s, "const") || ag_val_getc(s, "$ref");
}

bool ag_wire_schema_is_closed(ag_str schema)
{
	const ag_extjson_opts plain = { 0 };
	ag_arena *arena = ag_arena_new();
	ag_val v = ag_val_missing();
	bool ok = !ag_extjson_parse(schema, &plain, arena, &v, NULL, NULL, NULL) &&
	          is_closed(&v, 0) && ag_val_getc(&v, "properties") && !ag_val_getc(&v, "anyOf");

	ag_arena_free(arena);
	return ok;
}

unsigned ag_wire_thinking_budget(const ag_llm_model *m, const ag_llm_request *r)
{
	unsigned max = ag_wire_max_output(m, r), room = max / 4 > 256 ? max / 4 : 256;
	unsigned most = max > room ? max - room : 0, n = m->thinking_tokens;

	if (n && n < AG_WIRE_MIN_THINKING)
		n = AG_WIRE_MIN_THINKING;
	if (n > most)
		n = most;
	return n < AG_WIRE_MIN_THINKING ? 0 : n;
}

ag_str ag_wire_host(ag_str base_url)
{
	ag_str s = ag_str_trim(base_url);
	const char *p = s.len ? memmem(s.ptr, s.len, "://", 3) : NULL;
	size_t n = 0;

	if (p)
		s = ag_str_make(p + 3, s.len - (size_t)(p + 3 - s.ptr));
	while (n < s.len && !memchr("/?#:", s.ptr[n], 4))
		n++;
	return ag_str_make(s.ptr, n);
}
