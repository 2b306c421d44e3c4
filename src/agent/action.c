/* action -- read one AgentAction out of what a model wrote.
 *
 * Models put fences and prose around JSON, think aloud before it, or write two answers. The one object that has a
 * member "action", or is a call of a tool in another shape, is looked for; two different ones are an error, because nobody
 * can tell which one was meant. The object is checked as a whole by the exact reader, after mending when it is not quite
 * JSON; then its members are walked a second time as bytes, so that action_input leaves here as it was written: numbers and
 * key order must reach the query reader untouched.
 * Reading order: ag_action_parse, find_object, take_members, take_member. */
#include "agent/action.h"

#include "base/utf8.h"
#include "llm/call_read.h"
#include "llm/json_repair.h"
#include "llm/json_text.h"
#include "llm/text_calls.h"
#include "query/extjson.h"

#define TEXT_MAX_BYTES (2 * 1024 * 1024)
#define MAX_CANDIDATES 64  /* opening braces that are tried; prose has few */
#define WORDS_BYTES    500 /* of the prose before a call, as its reasoning */

static const char want[] =
	"want one JSON object {\"reasoning\": text, \"action\": text, \"action_input\": object, "
	"\"confidence\": 0 to 1}";

static const char *const members[] = { "reasoning", "action", "action_input", "confidence" };
enum { M_REASONING, M_ACTION, M_INPUT, M_CONFIDENCE, NMEMBER };

/* ---- the schema ---- */

static void put_names(const ag_tool *tools, size_t ntool, ag_jw *w)
{
	ag_jw_kkey(w, "action");
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("string"));
	ag_jw_kkey(w, "enum");
	ag_jw_arr(w);
	for (size_t i = 0; i < ntool; i++)
		ag_jw_str(w, ag_str_c(tools[i].name));
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

/* action_input of one of the tools. */
static void put_input(const ag_tool *tools, size_t ntool, ag_action_form form, ag_jw *w)
{
	ag_jw_kkey(w, "action_input");
	if (form == AG_ACTION_BRIEF) {
		ag_jw_raw(w, AG_S("{\"type\":\"object\",\"description\":\"the parameters of the "
		                  "action\",\"additionalProperties\":true}"));
	} else if (ntool == 1) {
		ag_tool_schema_closed(tools, w);
	} else {
		ag_jw_obj(w);
		ag_jw_kkey(w, "anyOf");
		ag_jw_arr(w);
		for (size_t i = 0; i < ntool; i++)
			ag_tool_schema_closed(&tools[i], w);
		ag_jw_arr_end(w);
		ag_jw_obj_end(w);
	}
}

/* The members of one object; the order is the one in which a constrained server writes them: reasons come first. */
static void put_object(const ag_tool *tools, size_t ntool, ag_action_form form, ag_jw *w)
{
	ag_jw_kstr(w, "type", AG_S("object"));
	ag_jw_kkey(w, "properties");
	ag_jw_obj(w);
	ag_jw_kraw(w, "reasoning",
	           AG_S("{\"type\":\"string\",\"description\":\"why this action, in one or two "
	                "sentences\"}"));
	put_names(tools, ntool, w);
	put_input(tools, ntool, form, w);
	/* Without "minimum" and "maximum": some servers refuse a schema that has them; the reader checks the range. */
	ag_jw_kraw(w, "confidence", AG_S("{\"type\":\"number\",\"description\":\"0 to 1\"}"));
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "required");
	ag_jw_arr(w);
	for (size_t i = 0; i < NMEMBER; i++)
		ag_jw_str(w, ag_str_c(members[i]));
	ag_jw_arr_end(w);
	ag_jw_kbool(w, "additionalProperties", false);
}

void ag_action_schema(const ag_tool *tools, size_t ntool, ag_action_form form, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	if (form == AG_ACTION_UNION) {
		ag_jw_kstr(&w, "type", AG_S("object"));
		ag_jw_kkey(&w, "oneOf");
		ag_jw_arr(&w);
		for (size_t i = 0; i < ntool; i++) {
			ag_jw_obj(&w);
			put_object(&tools[i], 1, form, &w);
			ag_jw_obj_end(&w);
		}
		ag_jw_arr_end(&w);
	} else {
		put_object(tools, ntool, form, &w);
	}
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

typedef struct tool_list {
	const ag_tool *items;
	size_t n;
} tool_list;

/* The tool's own spelling of a written name. An unknown name is returned as written: the gate lists the
 * known ones. */
static ag_str tool_name(const tool_list *tools, ag_str written)
{
	for (int fit = 0; fit < AG_NAME_NFIT; fit++) {
		for (size_t i = 0; i < tools->n; i++) {
			if (ag_call_name_fits(written, ag_str_c(tools->items[i].name),
			                      (ag_name_fit)fit))
				return ag_str_c(tools->items[i].name);
		}
	}
	return written;
}

static bool is_tool(const tool_list *tools, ag_str name)
{
	return ag_tool_find(tools->items, tools->n, tool_name(tools, name)) != NULL;
}

typedef enum object_kind {
	OBJECT_OTHER,
	OBJECT_ACTION, /* it has a member "action" */
	OBJECT_CALL    /* a call of a tool in another shape */
} object_kind;

typedef struct found_object {
	object_kind kind;
	ag_str span; /* strict JSON */
	ag_val val;
	ag_written_call call;
	size_t begin; /* in the text */
} found_object;

/* An object at the beginning of text, as written or mended. *ret_end, *ret_at: where it ends, or where it is broken. */
static bool read_object(ag_str text, ag_arena *arena, found_object *ret, size_t *ret_end,
                        size_t *ret_at, ag_err *bad)
{
	const ag_extjson_opts opts = { 0 };
	ag_json_scan scan = { 0 };
	ag_err again;

	ret->span = text;
	ret->span.len = *ret_end = ag_json_scan_feed(&scan, text);
	if (!ag_extjson_parse(ret->span, &opts, arena, &ret->val, ret_at, NULL, bad))
		return true;
	return ag_json_lenient_object(text, arena, &ret->span, ret_end) &&
	       !ag_extjson_parse(ret->span, &opts, arena, &ret->val, NULL, NULL, &again);
}

/* An AgentAction in an envelope of its own name, which is no tool. */
static void unwrap(const tool_list *tools, ag_arena *arena, found_object *o)
{
	const ag_extjson_opts opts = { 0 };
	ag_val inner;

	if (!ag_call_of_object(o->span, arena, &o->call) || is_tool(tools, o->call.name))
		return;
	if (ag_extjson_parse(o->call.input, &opts, arena, &inner, NULL, NULL, NULL) ||
	    !ag_val_getc(&inner, "action"))
		return;
	o->span = o->call.input;
	o->val = inner;
}

static object_kind kind_of(const tool_list *tools, ag_arena *arena, found_object *o)
{
	if (!ag_val_getc(&o->val, "action"))
		unwrap(tools, arena, o);
	if (!ag_val_getc(&o->val, "action"))
		return ag_call_of_object(o->span, arena, &o->call) && is_tool(tools, o->call.name)
		               ? OBJECT_CALL
		               : OBJECT_OTHER;
	/* {"action","arguments"}: the name is where it belongs, the input is not. */
	if (!ag_val_getc(&o->val, "reasoning") && !ag_val_getc(&o->val, "action_input") &&
	    ag_call_of_object(o->span, arena, &o->call) && o->call.has_input &&
	    is_tool(tools, o->call.name))
		return OBJECT_CALL;
	return OBJECT_ACTION;
}

/* The one object that is an action; else the first object at all, for a message that names what is missing. */
static ag_status find_object(ag_str text, const tool_list *tools, ag_arena *arena,
                             found_object *ret, ag_err *err)
{
	ag_err why = { 0 };
	bool other = false;
	size_t i = 0, spent = 0, at = 0, n = 0;

	*ret = (found_object){ .kind = OBJECT_OTHER };
	/* What is broken at its end only is read to its end: not many times. */
	for (size_t tries = 0; tries < MAX_CANDIDATES && spent <= TEXT_MAX_BYTES; tries++) {
		found_object o = { 0 };
		ag_err bad;

		while (i < text.len && text.ptr[i] != '{')
			i++;
		if (i == text.len)
			break;
		o.begin = i;
		if (!read_object(ag_str_make(text.ptr + i, text.len - i), arena, &o, &n, &at,
		                 &bad)) {
			if (!why.msg[0])
				why = bad;
			spent += at;
			i++;
			continue;
		}
		i += n;
		o.kind = kind_of(tools, arena, &o);
		if (ret->kind && o.kind && !ag_str_eq(o.span, ret->span))
			return ag_fail(err, AG_PROTOCOL, "agent.action",
			               "the answer holds more than one action: want exactly one");
		if (ret->kind || (other && !o.kind))
			continue;
		*ret = o;
		other = true;
	}
	if (other)
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
	size_t end;

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
	if (ag_json_lenient_object(text, arena, ret, &end) && end == text.len)
		return AG_OK;
	*ret = AG_S("");
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

/* ---- calls ---- */

/* A call brings no reasoning of its own, or in a member: else the words before it are the reason. */
static ag_status take_call(const found_object *o, ag_str before, const tool_list *tools,
                           ag_arena *arena, ag_proposal *ret, ag_err *err)
{
	static const char *const homes[] = { "reasoning", "thought", "reason" };
	const ag_val *v, *confidence = ag_val_getc(&o->val, "confidence");

	ret->action = tool_name(tools, o->call.name);
	ret->input = ag_str_dup(arena, o->call.input);
	for (size_t i = 0; i < AG_NELEM(homes) && !ret->reasoning.len; i++) {
		v = ag_val_getc(&o->val, homes[i]);
		if (v && v->type == AG_T_STRING)
			ret->reasoning = ag_str_dup(arena, ag_str_trim(ag_val_text(v)));
	}
	if (!ret->reasoning.len)
		ret->reasoning = ag_str_dup(arena, ag_str_trim(ag_utf8_prefix(ag_str_trim(before),
		                                                              WORDS_BYTES)));
	if (!ret->reasoning.len || !ag_utf8_valid(ret->reasoning) ||
	    ag_str_contains(ret->reasoning, AG_S("<")))
		ret->reasoning = AG_S("(no reasoning was given)");
	return confidence ? take_confidence(confidence, &ret->confidence, err) : AG_OK;
}

static ag_str schema_of(const ag_tool *t, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64UL * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_tool_schema_closed(t, &w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Markup that holds no JSON object: <function=name><parameter=…>. */
static bool take_markup(ag_str text, const tool_list *tools, ag_arena *arena, ag_proposal *ret)
{
	ag_llm_tool *offered = ag_new_n(arena, ag_llm_tool, tools->n + 1);
	const ag_llm_request r = { .tools = offered, .ntool = tools->n };
	ag_text_calls calls;

	for (size_t i = 0; i < tools->n; i++)
		offered[i] = (ag_llm_tool){ .name = ag_str_c(tools->items[i].name),
			                    .schema = schema_of(&tools->items[i], arena) };
	ag_text_calls_read(text, &r, arena, &calls);
	if (calls.ncall != 1)
		return false;
	*ret = (ag_proposal){ .action = calls.calls[0].name,
		              .input = calls.calls[0].input,
		              .confidence = 1,
		              .reasoning = ag_utf8_prefix(calls.text, WORDS_BYTES) };
	if (!ag_str_trim(ret->reasoning).len || !ag_utf8_valid(ret->reasoning) ||
	    ag_str_contains(ret->reasoning, AG_S("<")))
		ret->reasoning = AG_S("(no reasoning was given)");
	return true;
}

ag_status ag_action_parse(ag_str text, const ag_tool *tools, size_t ntool, ag_arena *arena,
                          ag_proposal *ret, ag_err *err)
{
	const tool_list list = { tools, ntool };
	ag_proposal p = { .confidence = 1 };
	bool seen[NMEMBER] = { false };
	found_object o;
	ag_status st;

	if (text.len > TEXT_MAX_BYTES)
		return ag_fail(err, AG_PROTOCOL, "agent.action",
		               "the answer has %zu bytes, at most %d are read", text.len,
		               TEXT_MAX_BYTES);
	text = ag_str_trim(text);
	if (!text.len)
		return ag_fail(err, AG_PROTOCOL, "agent.action", "the answer is empty");
	text = behind_thinking(text);
	st = find_object(text, &list, arena, &o, err);
	if ((st || o.kind == OBJECT_OTHER) && ag_str_contains(text, AG_S("<function=")) &&
	    take_markup(ag_str_trim(text), &list, arena, ret))
		return AG_OK;
	if (!st && o.kind == OBJECT_CALL)
		st = take_call(&o, ag_str_make(text.ptr, o.begin), &list, arena, &p, err);
	else if (!st)
		st = take_members(o.span, &o.val, arena, &p, seen, err);
	if (st)
		return st;
	for (size_t i = 0; i < M_INPUT && o.kind != OBJECT_CALL; i++)
		if (!seen[i]) {
			ag_fail(err, AG_PROTOCOL, "agent.action", "the member \"%s\" is missing",
			        members[i]);
			return ag_err_hint(err, "%.190s", want);
		}
	p.action = tool_name(&list, p.action);
	*ret = p;
	return AG_OK;
}
