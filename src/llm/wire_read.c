/* wire_read -- members, counts and stop reasons as servers write them.
 *
 * Nothing here is strict: a member of an unexpected type counts as absent, so that one odd field never costs an answer
 * that was paid for. Only text that is no JSON at all is refused. */
#include "llm/wire_read.h"

#include <math.h>

#include "query/extjson.h"

/* Of one count: more than any model can read, and sums of a run stay far below 2^64. */
#define MAX_COUNT 1000000000000u

static ag_status refuse(const char *origin, const char *what, ag_str text, ag_arena *arena,
                        ag_err *err)
{
	ag_status st;

	if (!text.len)
		return ag_fail(err, AG_PROTOCOL, origin, "%s is empty", what);
	st = ag_fail(err, AG_PROTOCOL, origin, "%s is %s: %.120s", what,
	             text.ptr[0] == '<' ? "HTML, not JSON" : "no JSON",
	             ag_wire_error_text(text, arena).ptr);
	if (text.ptr[0] == '<')
		ag_err_hint(err, "is base_url the address of an API?");
	return st;
}

ag_status ag_wire_parse(const char *origin, const char *what, ag_str text, ag_acc *acc, ag_val *ret,
                        ag_err *err)
{
	/* Some servers cut a character in two; the rest of the answer is worth keeping. */
	const ag_extjson_opts opts = { .repair_utf8 = true, .max_values = AG_WIRE_MAX_VALUES };
	ag_arena *arena = ag_acc_scratch(acc);
	ag_err why = { 0 };
	ag_status st;

	ag_arena_reset(arena);
	if (ag_str_starts(text, AG_S("\xef\xbb\xbf")))
		text = ag_str_make(text.ptr + 3, text.len - 3);
	text = ag_str_trim(text);
	st = ag_extjson_parse(text, &opts, arena, ret, NULL, NULL, &why);
	if (st == AG_LIMIT)
		return ag_fail(err, AG_LIMIT, origin, "%s is too much to be read: %s", what,
		               why.msg);
	if (st)
		return refuse(origin, what, text, arena, err);
	return AG_OK;
}

ag_str ag_wire_str(const ag_val *obj, const char *key)
{
	return ag_val_member_str(obj, key);
}

static const ag_val *typed(const ag_val *obj, const char *key, ag_type type)
{
	const ag_val *v = obj ? ag_val_getc(obj, key) : NULL;

	return v && v->type == type ? v : NULL;
}

const ag_val *ag_wire_obj(const ag_val *obj, const char *key)
{
	return typed(obj, key, AG_T_OBJECT);
}

const ag_val *ag_wire_arr(const ag_val *obj, const char *key)
{
	return typed(obj, key, AG_T_ARRAY);
}

uint64_t ag_wire_count(const ag_val *obj, const char *const *keys, size_t nkey, bool *has)
{
	for (size_t i = 0; i < nkey; i++) {
		const ag_val *v = obj ? ag_val_getc(obj, keys[i]) : NULL;
		double f;

		if (!v || v->type == AG_T_NULL)
			continue;
		if (v->type == AG_T_STRING) {
			if (!ag_str_to_double(ag_val_text(v), &f))
				continue;
		} else if (ag_type_is_number(v->type)) {
			f = ag_val_number(v);
		} else {
			continue;
		}
		if (has)
			*has = true;
		if (!(f > 0))
			return 0;
		return f < (double)MAX_COUNT ? (uint64_t)f : MAX_COUNT;
	}
	return 0;
}

bool ag_wire_stop(const ag_val *reason, ag_llm_stop *ret)
{
	static const struct {
		const char *name;
		ag_llm_stop stop;
	} names[] = {
		{ "stop", AG_LLM_STOP_END },
		{ "end_turn", AG_LLM_STOP_END },
		{ "eos", AG_LLM_STOP_END },
		{ "eos_token", AG_LLM_STOP_END },
		{ "stop_sequence", AG_LLM_STOP_END },
		{ "complete", AG_LLM_STOP_END },
		{ "length", AG_LLM_STOP_LENGTH },
		{ "max_tokens", AG_LLM_STOP_LENGTH },
		{ "model_length", AG_LLM_STOP_LENGTH },
		{ "model_context_window_exceeded", AG_LLM_STOP_LENGTH },
		{ "tool_calls", AG_LLM_STOP_TOOLS },
		{ "tool_call", AG_LLM_STOP_TOOLS },
		{ "tool_use", AG_LLM_STOP_TOOLS },
		{ "function_call", AG_LLM_STOP_TOOLS },
		{ "content_filter", AG_LLM_STOP_REFUSAL },
		{ "refusal", AG_LLM_STOP_REFUSAL },
		{ "safety", AG_LLM_STOP_REFUSAL },
		{ "sensitive", AG_LLM_STOP_REFUSAL },
	};
	ag_str s = reason && reason->type == AG_T_STRING ? ag_str_trim(ag_val_text(reason))
	                                                 : AG_S("");

	if (!s.len)
		return false;
	*ret = AG_LLM_STOP_OTHER;
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (ag_str_ieq(s, ag_str_c(names[i].name)))
			*ret = names[i].stop;
	}
	return true;
}
