/* What the real servers answer with 400, as far as a client can get it wrong: members of the wrong type, tool results
 * without their calls, choices of tools that were not given, schemas that strict mode refuses. After the API references
 * of both vendors; a rule that only some compatible servers have is left out.
 *
 * Two halves: OpenAI first, Anthropic behind it. Each returns NULL or the sentence of the refusal. */
#include "request.h"

#include <stdio.h>

#define MAX_CALLS 256

typedef struct complaint {
	char *text;
	size_t n;
} complaint;

AG_PRINTF(2, 3) static bool refuse(const complaint *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->text, c->n, fmt, ap);
	va_end(ap);
	return false;
}

static bool is(const ag_val *v, unsigned type)
{
	return v && v->type == type;
}

static bool is_text(const ag_val *v)
{
	return is(v, AG_T_STRING) && v->n;
}

static bool in_range(const ag_val *v, int64_t min, int64_t max)
{
	int64_t n;

	return ag_val_to_i64(v, &n) && n >= min && n <= max;
}

static bool type_is(const ag_val *v, const char *type)
{
	return ag_str_eqc(ag_val_member_str(v, "type"), type);
}

/* Letters, digits, _ and -. */
static bool is_name(const ag_val *v, size_t max)
{
	size_t i;

	if (!is_text(v) || v->n > max)
		return false;
	for (i = 0; i < v->n; i++)
		if (!memchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
		            v->u.s[i], 64))
			return false;
	return true;
}

static bool common(const ag_val *json, double max_temperature, const complaint *c)
{
	const ag_val *messages = fm_get(json, "messages"), *t = fm_get(json, "temperature");
	const ag_val *stream = fm_get(json, "stream");

	if (!is(json, AG_T_OBJECT))
		return refuse(c, "the body must be an object");
	if (!is_text(fm_get(json, "model")))
		return refuse(c, "model: text is required");
	if (!is(messages, AG_T_ARRAY) || !messages->n)
		return refuse(c, "messages: at least one message is required");
	if (stream && stream->type != AG_T_BOOL)
		return refuse(c, "stream: must be a boolean");
	if (t && !(ag_val_number(t) >= 0 && ag_val_number(t) <= max_temperature))
		return refuse(c, "temperature: must be between 0 and %g", max_temperature);
	return true;
}

/* ---------------------------------------------------------------- schemas of strict mode */

static bool is_required(const ag_val *required, ag_str name)
{
	uint32_t i;

	for (i = 0; is(required, AG_T_ARRAY) && i < required->n; i++)
		if (is(&required->u.items[i], AG_T_STRING) &&
		    ag_str_eq(ag_val_text(&required->u.items[i]), name))
			return true;
	return false;
}

/* Every object closed, every property required; looked for at any depth. */
static bool strict_schema(const ag_val *schema, const complaint *c)
{
	const ag_val *props = fm_get(schema, "properties"), *closed;
	uint32_t i;

	if (is(schema, AG_T_ARRAY))
		for (i = 0; i < schema->n; i++)
			if (!strict_schema(&schema->u.items[i], c))
				return false;
	if (!is(schema, AG_T_OBJECT))
		return true;
	if (is(props, AG_T_OBJECT)) {
		closed = fm_get(schema, "additionalProperties");
		if (!is(closed, AG_T_BOOL) || closed->u.b)
			return refuse(c, "invalid schema: additionalProperties must be false");
		for (i = 0; i < props->n; i++)
			if (!is_required(fm_get(schema, "required"), props->u.members[i].key))
				return refuse(c, "invalid schema: required must hold \"%.*s\"",
				              AG_FMT(props->u.members[i].key));
	}
	for (i = 0; i < schema->n; i++)
		if (!strict_schema(&schema->u.members[i].val, c))
			return false;
	return true;
}

/* ---------------------------------------------------------------- OpenAI */

static bool openai_format(const ag_val *json, const complaint *c)
{
	const ag_val *format = fm_get(json, "response_format");
	const ag_val *s = fm_get(format, "json_schema"), *strict;

	if (!format || type_is(format, "text") || type_is(format, "json_object"))
		return true;
	if (!type_is(format, "json_schema"))
		return refuse(c, "response_format.type: want text, json_object or json_schema");
	if (!is_name(fm_get(s, "name"), 64))
		return refuse(c, "response_format.json_schema.name: missing or not [a-zA-Z0-9_-]");
	if (!is(fm_get(s, "schema"), AG_T_OBJECT))
		return refuse(c, "response_format.json_schema.schema: an object is required");
	strict = fm_get(s, "strict");
	return !is(strict, AG_T_BOOL) || !strict->u.b || strict_schema(fm_get(s, "schema"), c);
}

static bool openai_tools(const ag_val *json, const complaint *c)
{
	const ag_val *tools = fm_get(json, "tools"), *choice = fm_get(json, "tool_choice");
	ag_str wanted = ag_val_member_str(fm_get(choice, "function"), "name");
	bool found = false;
	uint32_t i;

	if (!tools)
		return !choice || refuse(c, "tool_choice: only allowed when tools are given");
	if (!is(tools, AG_T_ARRAY) || !tools->n)
		return refuse(c, "tools: at least one tool is required");
	for (i = 0; i < tools->n; i++) {
		const ag_val *f = fm_get(&tools->u.items[i], "function"), *strict;

		if (!type_is(&tools->u.items[i], "function") || !is_name(fm_get(f, "name"), 64))
			return refuse(c, "tools[%u]: a function with a name of [a-zA-Z0-9_-]", i);
		if (fm_get(f, "parameters") && !is(fm_get(f, "parameters"), AG_T_OBJECT))
			return refuse(c, "tools[%u].function.parameters: must be an object", i);
		strict = fm_get(f, "strict");
		if (is(strict, AG_T_BOOL) && strict->u.b &&
		    !strict_schema(fm_get(f, "parameters"), c))
			return false;
		found = found || ag_str_eq(ag_val_member_str(f, "name"), wanted);
	}
	if (is(choice, AG_T_STRING))
		return ag_str_eqc(ag_val_text(choice), "auto") ||
		       ag_str_eqc(ag_val_text(choice), "none") ||
		       ag_str_eqc(ag_val_text(choice), "required") ||
		       refuse(c, "tool_choice: want auto, none, required or a function");
	return !choice || (type_is(choice, "function") && found) ||
	       refuse(c, "tool_choice: no such function in tools");
}

/* Calls of the last assistant message that wait for their results. */
typedef struct open_calls {
	ag_str id[MAX_CALLS];
	size_t n;
} open_calls;

static bool take_call(open_calls *o, ag_str id)
{
	size_t i;

	for (i = 0; i < o->n; i++) {
		if (!ag_str_eq(o->id[i], id))
			continue;
		o->id[i] = o->id[--o->n];
		return true;
	}
	return false;
}

static bool openai_calls(const ag_val *calls, open_calls *o, uint32_t at, const complaint *c)
{
	uint32_t i;

	if (!is(calls, AG_T_ARRAY) || !calls->n || calls->n > MAX_CALLS)
		return refuse(c, "messages[%u].tool_calls: must be an array that is not empty", at);
	for (i = 0; i < calls->n; i++) {
		const ag_val *call = &calls->u.items[i], *f = fm_get(call, "function");

		if (!is_text(fm_get(call, "id")) || !type_is(call, "function") ||
		    !is_name(fm_get(f, "name"), 64) || !is(fm_get(f, "arguments"), AG_T_STRING))
			return refuse(c, "messages[%u].tool_calls[%u]: id, type, name or arguments",
			              at, i);
		o->id[o->n++] = ag_val_member_str(call, "id");
	}
	return true;
}

static bool openai_message(const ag_val *m, open_calls *o, uint32_t at, const complaint *c)
{
	ag_str role = ag_val_member_str(m, "role");
	const ag_val *content = fm_get(m, "content"), *calls = fm_get(m, "tool_calls");
	bool assistant = ag_str_eqc(role, "assistant"), is_tool = ag_str_eqc(role, "tool");

	if (!assistant && !is_tool && !ag_str_eqc(role, "user") && !ag_str_eqc(role, "system") &&
	    !ag_str_eqc(role, "developer"))
		return refuse(c, "messages[%u].role: \"%.*s\"", at, AG_FMT(role));
	if (!is(content, AG_T_STRING) && !(is(content, AG_T_ARRAY) && content->n) &&
	    !(assistant && calls && (!content || content->type == AG_T_NULL)))
		return refuse(c, "messages[%u].content: text or parts are required", at);
	if (is_tool)
		return take_call(o, ag_val_member_str(m, "tool_call_id")) ||
		       refuse(c,
		              "messages with role 'tool' must be a response to a preceding message "
		              "with 'tool_calls'");
	if (o->n)
		return refuse(c,
		              "an assistant message with 'tool_calls' must be followed by tool "
		              "messages responding to each 'tool_call_id': \"%.*s\"",
		              AG_FMT(o->id[0]));
	return !calls || (assistant && openai_calls(calls, o, at, c));
}

const char *fm_check_openai(const ag_val *json, char *why, size_t nwhy)
{
	const complaint c = { why, nwhy };
	const ag_val *messages = fm_get(json, "messages");
	const ag_val *max = fm_get(json, "max_tokens");
	const ag_val *max_new = fm_get(json, "max_completion_tokens");
	static const ag_val empty = { 0 };
	open_calls open = { .n = 0 };
	uint32_t i;

	if (!common(json, 2, &c) || !openai_format(json, &c) || !openai_tools(json, &c))
		return why;
	if (max && max_new)
		refuse(&c, "max_tokens and max_completion_tokens cannot both be set");
	else if ((max && !in_range(max, 1, INT32_MAX)) ||
	         (max_new && !in_range(max_new, 1, INT32_MAX)))
		refuse(&c, "max_tokens: must be at least 1");
	else if (fm_get(json, "stream_options") &&
	         !ag_val_truthy(fm_get(json, "stream") ? fm_get(json, "stream") : &empty))
		refuse(&c, "stream_options: only allowed when stream is true");
	else
		why = NULL;
	for (i = 0; !why && i < messages->n; i++)
		if (!openai_message(&messages->u.items[i], &open, i, &c))
			return c.text;
	if (!why && open.n) {
		refuse(&c, "tool_calls without their tool messages at the end");
		return c.text;
	}
	return why;
}

/* ---------------------------------------------------------------- Anthropic */

static bool anthropic_tools(const ag_val *json, const complaint *c)
{
	const ag_val *tools = fm_get(json, "tools"), *choice = fm_get(json, "tool_choice");
	ag_str wanted = ag_val_member_str(choice, "name");
	bool found = false;
	uint32_t i;

	if (!tools)
		return !choice || refuse(c, "tool_choice: may only be specified with tools");
	if (!is(tools, AG_T_ARRAY))
		return refuse(c, "tools: must be an array");
	for (i = 0; i < tools->n; i++) {
		const ag_val *t = &tools->u.items[i];

		if (!is_name(fm_get(t, "name"), 128))
			return refuse(c, "tools.%u.name: should match ^[a-zA-Z0-9_-]{1,128}$", i);
		if (!type_is(fm_get(t, "input_schema"), "object"))
			return refuse(c, "tools.%u.input_schema.type: must be 'object'", i);
		found = found || ag_str_eq(ag_val_member_str(t, "name"), wanted);
	}
	if (!choice || type_is(choice, "auto") || type_is(choice, "any") || type_is(choice, "none"))
		return true;
	return (type_is(choice, "tool") && found) || refuse(c, "tool_choice: no such tool");
}

static bool anthropic_thinking(const ag_val *json, const complaint *c)
{
	const ag_val *thinking = fm_get(json, "thinking"), *t = fm_get(json, "temperature");
	const ag_val *budget = fm_get(thinking, "budget_tokens");
	const ag_val *choice = fm_get(json, "tool_choice");
	int64_t max = 0;

	if (!type_is(thinking, "enabled"))
		return true;
	if (!ag_val_to_i64(fm_get(json, "max_tokens"), &max) || !budget ||
	    !in_range(budget, 1024, max - 1))
		return refuse(c, "thinking.budget_tokens: at least 1024 and below max_tokens");
	if (t && !in_range(t, 1, 1))
		return refuse(c, "temperature may only be set to 1 when thinking is enabled");
	if (type_is(choice, "tool") || type_is(choice, "any"))
		return refuse(c, "Thinking may not be enabled when tool_choice forces tool use.");
	return true;
}

static bool anthropic_block(const ag_val *b, bool user, open_calls *before, open_calls *now,
                            const complaint *c)
{
	const ag_val *text = fm_get(b, "text");

	if (type_is(b, "text"))
		return is_text(text) ||
		       refuse(c, "messages: text content blocks must be non-empty");
	if (type_is(b, "tool_use") && !user) {
		if (!is_text(fm_get(b, "id")) || !is_name(fm_get(b, "name"), 200) ||
		    !is(fm_get(b, "input"), AG_T_OBJECT) || now->n == MAX_CALLS)
			return refuse(c, "messages: tool_use needs id, name and an input object");
		now->id[now->n++] = ag_val_member_str(b, "id");
		return true;
	}
	if (type_is(b, "tool_result") && user)
		return take_call(before, ag_val_member_str(b, "tool_use_id")) ||
		       refuse(c,
		              "messages: unexpected `tool_use_id` found in `tool_result` blocks");
	if (type_is(b, "thinking") && !user)
		return (is(fm_get(b, "thinking"), AG_T_STRING) &&
		        is(fm_get(b, "signature"), AG_T_STRING)) ||
		       refuse(c, "messages: thinking needs thinking and signature");
	if ((type_is(b, "redacted_thinking") && !user) || (type_is(b, "image") && user) ||
	    (type_is(b, "document") && user))
		return true;
	return refuse(c, "messages: content type \"%.*s\" is not allowed here",
	              AG_FMT(ag_val_member_str(b, "type")));
}

static bool anthropic_message(const ag_val *m, open_calls *open, uint32_t at, const complaint *c)
{
	const ag_val *content = fm_get(m, "content");
	bool user = ag_str_eqc(ag_val_member_str(m, "role"), "user");
	open_calls now = { .n = 0 };
	uint32_t i;

	if (!user && !ag_str_eqc(ag_val_member_str(m, "role"), "assistant"))
		return refuse(c, "messages.%u.role: want user or assistant", at);
	if (at == 0 && !user)
		return refuse(c, "messages: first message must use the \"user\" role");
	if (!is_text(content) && !(is(content, AG_T_ARRAY) && content->n))
		return refuse(c, "messages.%u: all messages must have non-empty content", at);
	for (i = 0; content->type == AG_T_ARRAY && i < content->n; i++)
		if (!anthropic_block(&content->u.items[i], user, open, &now, c))
			return false;
	if (open->n)
		return refuse(c,
		              "messages.%u: `tool_use` ids were found without `tool_result` blocks "
		              "immediately after: %.*s",
		              at, AG_FMT(open->id[0]));
	*open = now;
	return true;
}

/* cache_control marks at any depth. */
static unsigned count_marks(const ag_val *v)
{
	unsigned n = 0;
	uint32_t i;

	for (i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		n += count_marks(&v->u.items[i]);
	for (i = 0; v->type == AG_T_OBJECT && i < v->n; i++)
		n += ag_str_eqc(v->u.members[i].key, "cache_control")
		             ? 1
		             : count_marks(&v->u.members[i].val);
	return n;
}

const char *fm_check_anthropic(const ag_val *json, char *why, size_t nwhy)
{
	const complaint c = { why, nwhy };
	const ag_val *messages = fm_get(json, "messages"), *max = fm_get(json, "max_tokens");
	const ag_val *system = fm_get(json, "system");
	open_calls open = { .n = 0 };
	uint32_t i;

	if (!common(json, 1, &c))
		return why;
	if (!max || !in_range(max, 1, INT32_MAX)) {
		refuse(&c, "max_tokens: Field required");
		return why;
	}
	if (system && !is(system, AG_T_STRING) && !is(system, AG_T_ARRAY)) {
		refuse(&c, "system: want text or an array of text blocks");
		return why;
	}
	for (i = 0; is(system, AG_T_ARRAY) && i < system->n; i++)
		if (!type_is(&system->u.items[i], "text") ||
		    !is_text(fm_get(&system->u.items[i], "text"))) {
			refuse(&c, "system: text content blocks must be non-empty");
			return why;
		}
	if (!anthropic_tools(json, &c) || !anthropic_thinking(json, &c))
		return why;
	for (i = 0; i < messages->n; i++)
		if (!anthropic_message(&messages->u.items[i], &open, i, &c))
			return why;
	if (open.n) {
		refuse(&c, "messages: `tool_use` without `tool_result` at the end");
		return why;
	}
	if (count_marks(json) > 4) {
		refuse(&c, "A maximum of 4 blocks with cache_control may be provided.");
		return why;
	}
	return NULL;
}
