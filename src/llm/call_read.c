/* call_read -- see the header. Members are taken as bytes, so that numbers and key order of the arguments stay. */
#include "llm/call_read.h"

#include "base/json.h"
#include "llm/json_repair.h"
#include "llm/json_text.h"
#include "query/extjson.h"

static const char *const name_keys[] = { "name",     "tool",          "tool_name",
	                                 "function", "function_name", "action" };
static const char *const input_keys[] = { "arguments", "args",       "parameters",   "params",
	                                  "input",     "tool_input", "action_input", "kwargs" };
static const char *const envelopes[] = { "function", "function_call", "tool_call", "call" };
/* Members beside a call that are no arguments. */
static const char *const beside[] = { "id", "type", "index", "reasoning", "thought", "confidence" };

#define MAX_ENVELOPES 3

static bool is_one_of(ag_str key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (key.len == strlen(list[i]) + 2 && !memcmp(key.ptr + 1, list[i], key.len - 2))
			return true;
	}
	return false;
}

/* The text of a JSON string; "" when it is none. */
static ag_str text_of(ag_str raw, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v = ag_val_missing();

	if (!raw.len || raw.ptr[0] != '"' ||
	    ag_extjson_parse(raw, &opts, arena, &v, NULL, NULL, NULL) || v.type != AG_T_STRING)
		return AG_S("");
	return ag_str_dup(arena, ag_val_text(&v));
}

/* Arguments as an object, or as a text that holds one; null and "" are none. */
static bool take_input(ag_str raw, ag_arena *arena, ag_str *ret)
{
	ag_str text;
	size_t end;

	*ret = AG_S("{}");
	if (ag_str_eqc(raw, "null") || ag_str_eqc(raw, "\"\""))
		return true;
	if (raw.ptr[0] == '{') {
		*ret = raw;
		return true;
	}
	text = ag_str_trim(text_of(raw, arena));
	return text.len && ag_json_lenient_object(text, arena, ret, &end) &&
	       !ag_str_trim(ag_str_make(text.ptr + end, text.len - end)).len;
}

/* The members that are neither the name nor of the envelope, as an object. */
static ag_str other_members(ag_str object, const char *name_key, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(object.len + 8);
	ag_str key, value, ret;
	size_t pos = 0;

	ag_buf_addc(&out, '{');
	while (ag_json_next_member(object, &pos, &key, &value)) {
		if (is_one_of(key, &name_key, 1) || is_one_of(key, beside, AG_NELEM(beside)))
			continue;
		if (out.len > 1)
			ag_buf_addc(&out, ',');
		ag_buf_add(&out, key);
		ag_buf_addc(&out, ':');
		ag_buf_add(&out, value);
	}
	ag_buf_addc(&out, '}');
	ret = out.failed ? AG_S("{}") : ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_call_of_object(ag_str object, ag_arena *arena, ag_written_call *ret)
{
	const char *name_key = NULL;
	ag_str raw = AG_S("");

	*ret = (ag_written_call){ 0 };
	for (unsigned depth = 0; depth < MAX_ENVELOPES; depth++) {
		ag_str inner = AG_S("");

		for (size_t i = 0; i < AG_NELEM(envelopes) && !inner.len; i++) {
			const ag_str v = ag_json_raw_member(object, envelopes[i]);

			inner = v.len && v.ptr[0] == '{' ? v : AG_S("");
		}
		if (!inner.len)
			break;
		object = inner;
	}
	for (size_t i = 0; i < AG_NELEM(name_keys) && !ret->name.len; i++) {
		name_key = name_keys[i];
		ret->name = ag_str_trim(text_of(ag_json_raw_member(object, name_key), arena));
	}
	if (!ret->name.len)
		return false;
	for (size_t i = 0; i < AG_NELEM(input_keys) && !raw.len; i++)
		raw = ag_json_raw_member(object, input_keys[i]);
	ret->has_input = raw.len > 0;
	if (raw.len)
		return take_input(raw, arena, &ret->input);
	ret->input = other_members(object, name_key, arena);
	return true;
}

/* --- names --- */

static bool is_filler(char c)
{
	return c == '_' || c == '-' || c == ' ';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool same_folded(ag_str a, ag_str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && is_filler(a.ptr[i]))
			i++;
		while (k < b.len && is_filler(b.ptr[k]))
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len && i > 0;
		if (lower(a.ptr[i++]) != lower(b.ptr[k++]))
			return false;
	}
}

static ag_str stripped(ag_str s)
{
	size_t n;

	s = ag_str_trim(s);
	if (ag_str_ends(s, AG_S("()")))
		s.len -= 2;
	n = s.len;
	while (n && s.ptr[n - 1] >= '0' && s.ptr[n - 1] <= '9')
		n--;
	if (n && n < s.len && s.ptr[n - 1] == ':')
		s.len = n - 1;
	for (size_t i = s.len; i-- > 0;) {
		if (memchr("./:", s.ptr[i], 3))
			return ag_str_make(s.ptr + i + 1, s.len - i - 1);
	}
	return s;
}

bool ag_call_name_fits(ag_str written, ag_str name, ag_name_fit fit)
{
	switch (fit) {
	case AG_NAME_EXACT: return ag_str_eq(written, name);
	case AG_NAME_FOLDED: return same_folded(written, name);
	case AG_NAME_STRIPPED: return same_folded(stripped(written), name);
	}
	return false;
}
