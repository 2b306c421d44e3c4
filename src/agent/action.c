/* action -- read one AgentAction out of what a model wrote.
 *
 * Models put fences and prose around JSON, think aloud before it, or write two answers. The one object that has a
 * member "action" is looked for; two of them are an error, because nobody can tell which one was meant. The object is
 * checked as a whole by the exact reader; then its members are walked a second time as bytes, so that action_input
 * leaves here as it was written: numbers and key order must reach the query reader untouched.
 * Reading order: ag_action_parse, find_object, take_members, take_member. */
#include "agent/action.h"

#include "llm/json_text.h"
#include "query/extjson.h"

#define TEXT_MAX_BYTES (2 * 1024 * 1024)
#define MAX_CANDIDATES 64 /* opening braces that are tried; prose has few */

static const char want[] =
	"want one JSON object {\"reasoning\": text, \"action\": text, \"action_input\": object, "
	"\"confidence\": 0 to 1}";

static const char *const members[] = { "reasoning", "action", "action_input", "confidence" };
enum { M_REASONING, M_ACTION, M_INPUT, M_CONFIDENCE, NMEMBER };

void ag_action_schema(const ag_tool *tools, size_t ntool, ag_buf *out)
{
	ag_jw w;

	/* The order of the properties is the order in which a constrained server writes them: reasons come first. */
	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", AG_S("object"));
	ag_jw_kkey(&w, "properties");
	ag_jw_obj(&w);
	ag_jw_kraw(&w, "reasoning",
	           AG_S("{\"type\":\"string\",\"description\":\"why this action, in one or two "
	                "sentences\"}"));
	ag_jw_kkey(&w, "action");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", AG_S("string"));
	ag_jw_kkey(&w, "enum");
	ag_jw_arr(&w);
	for (size_t i = 0; i < ntool; i++)
		ag_jw_str(&w, ag_str_c(tools[i].name));
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_kraw(&w, "action_input",
	           AG_S("{\"type\":\"object\",\"description\":\"the parameters of the action\","
	                "\"additionalProperties\":true}"));
	/* Without "minimum" and "maximum": some servers refuse a schema that has them; the reader checks the range. */
	ag_jw_kraw(&w, "confidence", AG_S("{\"type\":\"number\",\"description\":\"0 to 1\"}"));
	ag_jw_obj_end(&w);
	ag_jw_kkey(&w, "required");
	ag_jw_arr(&w);
	for (size_t i = 0; i < NMEMBER; i++)
		ag_jw_str(&w, ag_str_c(members[i]));
	ag_jw_arr_end(&w);
	ag_jw_kbool(&w, "additionalProperties", false);
	ag_jw_obj_end(&w);
}

/* ---- the object in the text ---- */

/* Models that think aloud draft there; the answer stands behind it. */
static ag_str behind_thinking(ag_str text)
{
	static const char mark[] = "</think>";
	const size_t n = sizeof(mark) - 1;

	for (size_t i = text.len; i-- > 0;)
		if (i + n <= text.len && !memcmp(text.ptr + i, mark, n))
			return ag_str_make(text.ptr + i + n, text.len - i - n);
	return text;
}

static ag_status protocol(ag_err *err, const ag_err *why)
{
	ag_fail(err, AG_PROTOCOL, "agent.action", "the answer is no AgentAction: %.300s", why->msg);
	return ag_err_hint(err, "%.190s", want);
}

/* The one object with a member "action"; else the first object at all, for a message that names what is missing. */
static ag_status find_object(ag_str text, ag_arena *arena, ag_str *ret, ag_val *ret_val,
                             ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	ag_err why = { 0 };
	bool found = false, other = false;
	size_t i = 0, spent = 0, at = 0;

	/* What is broken at its end only is read to its end: not many times. */
	for (size_t tries = 0; tries < MAX_CANDIDATES && spent <= TEXT_MAX_BYTES; tries++) {
		ag_json_scan scan = { 0 };
		ag_str span;
		ag_err bad;
		ag_val v;

		while (i < text.len && text.ptr[i] != '{')
			i++;
		if (i == text.len)
			break;
		span = ag_str_make(text.ptr + i, text.len - i);
		span.len = ag_json_scan_feed(&scan, span);
		if (ag_extjson_parse(span, &opts, arena, &v, &at, NULL, &bad)) {
			if (!why.msg[0])
				why = bad;
			spent += at;
			i++;
			continue;
		}
		i += span.len;
		if (found && ag_val_getc(&v, "action"))
			return ag_fail(err, AG_PROTOCOL, "agent.action",
			               "the answer holds more than one action: want exactly one");
		if (found || (other && !ag_val_getc(&v, "action")))
			continue;
		found = ag_val_getc(&v, "action") != NULL;
		other = true;
		*ret = span;
		*ret_val = v;
	}
	if (found || other)
		return AG_OK;
	if (!why.msg[0])
		ag_fail(&why, AG_PROTOCOL, "agent.action", "it holds no JSON object");
	return protocol(err, &why);
}

/* ---- members ---- */

static ag_status wrong(ag_err *err, const char *member, const char *wanted, const ag_val *got)
{
	ag_fail(err, AG_PROTOCOL, "agent.action", "%s: want %s, got %s", member, wanted,
	        got->type == AG_T_STRING && !got->n ? "an empty text" : ag_type_alias(got->type));
	return ag_err_hint(err, "%.190s", want);
}

/* action_input: an object's bytes, or a text that holds an object. */
static ag_status take_input(ag_str span, const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	ag_str text;
	ag_err bad;
	ag_val inner;

	*ret = AG_S("");
	if (v->type == AG_T_NULL)
		return AG_OK;
	if (v->type == AG_T_OBJECT) {
		*ret = ag_str_dup(arena, span);
		return AG_OK;
	}
	if (v->type != AG_T_STRING)
		return wrong(err, "action_input", "an object", v);
	text = ag_str_trim(ag_val_text(v));
	if (!text.len)
		return AG_OK;
	if (!ag_extjson_parse(text, &opts, arena, &inner, NULL, NULL, &bad) &&
	    inner.type == AG_T_OBJECT) {
		*ret = ag_str_dup(arena, text);
		return AG_OK;
	}
	ag_fail(err, AG_PROTOCOL, "agent.action",
	        "action_input: want an object, got a text that holds none");
	return ag_err_hint(err, "write {\"filter\": {…}}, not \"{…}\" and not a sentence");
}

static ag_status take_confidence(const ag_val *v, double *ret, ag_err *err)
{
	const double x = ag_val_number(v);

	if (v->type == AG_T_NULL) {
		*ret = 1;
		return AG_OK;
	}
	if (!ag_type_is_number(v->type))
		return wrong(err, "confidence", "a number from 0 to 1", v);
	if (!(x >= 0 && x <= 1)) {
		ag_fail(err, AG_PROTOCOL, "agent.action",
		        "confidence: want a number from 0 to 1, got %.6g", x);
		return ag_err_hint(err, "it is a share of certainty: 0.9, not 90");
	}
	*ret = x;
	return AG_OK;
}

static ag_status take_text(const char *member, const ag_val *v, ag_arena *arena, ag_str *ret,
                           ag_err *err)
{
	if (v->type != AG_T_STRING || !ag_str_trim(ag_val_text(v)).len)
		return wrong(err, member, "a text that is not empty", v);
	*ret = ag_str_dup(arena, ag_val_text(v));
	return AG_OK;
}

static ag_status take_member(size_t which, ag_str span, const ag_val *v, ag_arena *arena,
                             ag_proposal *ret, ag_err *err)
{
	switch (which) {
	case M_REASONING: return take_text("reasoning", v, arena, &ret->reasoning, err);
	case M_ACTION: return take_text("action", v, arena, &ret->action, err);
	case M_INPUT: return take_input(span, v, arena, &ret->input, err);
	default: return take_confidence(v, &ret->confidence, err);
	}
}

static ag_status unknown_member(ag_str key, ag_err *err)
{
	const char *nearest = ag_str_nearest(key, members, NMEMBER);
	const ag_str shown = ag_str_make(key.ptr, key.len < 60 ? key.len : 60);

	ag_fail(err, AG_PROTOCOL, "agent.action", "unknown member \"%.*s\"", AG_FMT(shown));
	if (nearest)
		return ag_err_hint(err, "did you mean \"%s\"?", nearest);
	return ag_err_hint(err,
	                   "only reasoning, action, action_input, confidence; the parameters of "
	                   "the action go into action_input");
}

static ag_status duplicate_member(size_t which, ag_err *err)
{
	ag_fail(err, AG_PROTOCOL, "agent.action", "the member \"%s\" is there twice",
	        members[which]);
	return ag_err_hint(err, "answer with one object that has each member once");
}

/* Walk the members of a valid object as bytes. The reader keeps the first of equal keys, so their values would not be
 * those of `object`: a second one is an error before it is looked at. */
static ag_status take_members(ag_str span, const ag_val *object, ag_arena *arena, ag_proposal *ret,
                              bool seen[NMEMBER], ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	ag_str written, value;
	size_t pos = 0;

	while (ag_json_next_member(span, &pos, &written, &value)) {
		size_t which = 0;
		const ag_val *v;
		ag_val key;
		ag_status st;

		if (ag_extjson_parse(written, &opts, arena, &key, NULL, NULL, err))
			return err->status;
		while (which < NMEMBER && !ag_str_eqc(ag_val_text(&key), members[which]))
			which++;
		if (which == NMEMBER)
			return unknown_member(ag_val_text(&key), err);
		if (seen[which])
			return duplicate_member(which, err);
		seen[which] = true;
		v = ag_val_get(object, ag_val_text(&key));
		st = take_member(which, value, v, arena, ret, err);
		if (st)
			return st;
	}
	return AG_OK;
}

ag_status ag_action_parse(ag_str text, ag_arena *arena, ag_proposal *ret, ag_err *err)
{
	ag_proposal p = { .confidence = 1 };
	bool seen[NMEMBER] = { false };
	ag_status st;
	ag_val object;
	ag_str span;

	if (text.len > TEXT_MAX_BYTES)
		return ag_fail(err, AG_PROTOCOL, "agent.action",
		               "the answer has %zu bytes, at most %d are read", text.len,
		               TEXT_MAX_BYTES);
	text = ag_str_trim(text);
	if (!text.len)
		return ag_fail(err, AG_PROTOCOL, "agent.action", "the answer is empty");
	st = find_object(behind_thinking(text), arena, &span, &object, err);
	if (!st)
		st = take_members(span, &object, arena, &p, seen, err);
	if (st)
		return st;
	for (size_t i = 0; i < M_INPUT; i++)
		if (!seen[i]) {
			ag_fail(err, AG_PROTOCOL, "agent.action", "the member \"%s\" is missing",
			        members[i]);
			return ag_err_hint(err, "%.190s", want);
		}
	*ret = p;
	return AG_OK;
}
