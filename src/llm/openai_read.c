/* openai_read -- replies of the chat completions protocol, whole and as events.
 *
 * One choice is read, the first, whatever index it has. A message and a delta have the same members, so one function,
 * read_delta(), takes both; servers differ in which of them they fill, and each spelling that was met is listed
 * where it is read. The answer is whole when a finish reason came or [DONE], whichever is there. */
#include "llm/json_text.h"
#include "llm/openai.h"
#include "llm/wire_read.h"
#include "query/extjson.h"

static const char origin[] = "llm.openai";
static const char no_message[] = "the answer has a choice without a message";

/* --- content --- */

static void read_parts(ag_acc *acc, const ag_val *v, bool thinking, unsigned depth);

/* {"type":"text","text":…}, {"type":"thinking","thinking":[…]} (Mistral), {"type":"reasoning","text":…} */
static void read_part(ag_acc *acc, const ag_val *v, bool thinking, unsigned depth)
{
	static const char *const homes[] = { "text", "thinking", "reasoning", "refusal",
		                             "content" };
	ag_str type = ag_wire_str(v, "type");

	thinking = thinking || ag_str_eqc(type, "thinking") || ag_str_eqc(type, "reasoning");
	for (size_t i = 0; i < AG_NELEM(homes); i++) {
		const ag_val *home = ag_val_getc(v, homes[i]);

		if (home && home->type != AG_T_NULL) {
			read_parts(acc, home, thinking, depth + 1);
			return;
		}
	}
}

/* Text as a string, a part, or a list of both. */
static void read_parts(ag_acc *acc, const ag_val *v, bool thinking, unsigned depth)
{
	if (depth > 4)
		return;
	if (v->type == AG_T_STRING && thinking) {
		ag_acc_thinking(acc, 0, ag_val_text(v));
	} else if (v->type == AG_T_STRING) {
		ag_acc_content(acc, ag_val_text(v));
	} else if (v->type == AG_T_OBJECT) {
		read_part(acc, v, thinking, depth);
	} else if (v->type == AG_T_ARRAY) {
		for (uint32_t i = 0; i < v->n; i++)
			read_parts(acc, &v->u.items[i], thinking, depth + 1);
	}
}

/* "reasoning_content" (DeepSeek, llama-server, older vLLM), "reasoning" (OpenRouter, vLLM), "thinking" (Ollama). Some
 * send two of them with the same text: the first that is there counts. */
static void read_thinking(ag_acc *acc, const ag_val *delta)
{
	static const char *const homes[] = { "reasoning_content", "reasoning", "thinking" };

	for (size_t i = 0; i < AG_NELEM(homes); i++) {
		const ag_val *v = ag_val_getc(delta, homes[i]);

		if (v && v->type != AG_T_NULL && !(v->type == AG_T_STRING && !v->n)) {
			read_parts(acc, v, true, 0);
			return;
		}
	}
}

/* --- tool calls --- */

/* Arguments are a string of JSON; as an object they are taken as they are written in `raw`, the call's own text. */
static ag_str arguments_of(const ag_val *v, ag_str raw, ag_arena *arena)
{
	if (!v || v->type == AG_T_NULL)
		return AG_S("");
	if (v->type == AG_T_STRING)
		return ag_val_text(v);
	return raw.len ? raw : ag_extjson_str(arena, v, AG_EXTJSON_RELAXED);
}

/* {"index","id","function":{"name","arguments"}}; flat without "function" as well. place: in the list of calls. */
static void read_call(ag_acc *acc, const ag_val *v, ag_str raw, unsigned place, bool whole)
{
	static const char *const index_key = "index";
	const ag_val *f = ag_wire_obj(v, "function"), *extra = ag_wire_obj(v, "extra_content");
	ag_tool_piece p = { .id = ag_wire_str(v, "id") };
	ag_arena *arena = ag_acc_scratch(acc);

	if (v->type != AG_T_OBJECT)
		return;
	/* In a whole answer each item is a call; in an event each that names one, but for the first. */
	p.index = whole ? place : (unsigned)ag_wire_count(v, &index_key, 1, &p.has_index);
	p.has_index = p.has_index || whole;
	p.is_apart = place > 0;
	if (f)
		raw = ag_json_raw_member(raw, "function");
	else
		f = v;
	p.name = ag_wire_str(f, "name");
	p.input = arguments_of(ag_val_getc(f, "arguments"), ag_json_raw_member(raw, "arguments"),
	                       arena);
	if (!p.id.len && !p.name.len && !p.input.len)
		return;
	ag_acc_tool_piece(acc, &p);
	if (extra)
		ag_acc_tool_signature(acc, ag_extjson_str(arena, extra, AG_EXTJSON_RELAXED));
}

static void read_calls(ag_acc *acc, const ag_val *delta, ag_str raw, bool whole)
{
	const ag_val *calls = ag_wire_arr(delta, "tool_calls");
	const ag_val *old = ag_wire_obj(delta, "function_call");
	ag_str list = ag_json_raw_member(raw, "tool_calls");
	size_t pos = 0;

	for (uint32_t i = 0; calls && i < calls->n && !ag_acc_check(acc, origin, NULL); i++)
		read_call(acc, &calls->u.items[i], ag_json_raw_next(list, &pos), i, whole);
	/* The form before tools: one call, without an id. */
	if (old && !(calls && calls->n)) {
		ag_tool_piece p = { .has_index = true, .name = ag_wire_str(old, "name") };
		ag_str text = ag_json_raw_member(ag_json_raw_member(raw, "function_call"),
		                                 "arguments");

		p.input = arguments_of(ag_val_getc(old, "arguments"), text, ag_acc_scratch(acc));
		ag_acc_tool_piece(acc, &p);
	}
}

/* --- choices --- */

static void read_delta(ag_acc *acc, const ag_val *delta, ag_str raw, bool whole)
{
	const ag_val *content = ag_val_getc(delta, "content");
	const ag_val *refusal = ag_val_getc(delta, "refusal");

	read_thinking(acc, delta);
	if (content)
		read_parts(acc, content, false, 0);
	if (refusal && refusal->type == AG_T_STRING && refusal->n) {
		ag_acc_text(acc, 0, ag_val_text(refusal));
		ag_acc_stop(acc, AG_LLM_STOP_REFUSAL);
	}
	read_calls(acc, delta, raw, whole);
}

/* The message of a choice, and its text: "delta" in streams, "message" in whole answers; some give both, with the
 * same content, and some end a stream with the whole message once more. */
static const ag_val *message_of(const ag_acc *acc, const ag_val *choice, bool whole,
                                const char **ret_key)
{
	const ag_val *delta = ag_wire_obj(choice, "delta"),
		     *message = ag_wire_obj(choice, "message");

	*ret_key = "delta";
	if (!whole && delta && (delta->n || !message))
		return delta;
	*ret_key = "message";
	if (message && (whole || ag_acc_is_empty(acc)))
		return message;
	*ret_key = "delta";
	return whole ? delta : NULL;
}

static ag_status read_choice(ag_acc *acc, const ag_val *choice, ag_str raw, bool whole, ag_err *err)
{
	const ag_val *reason = ag_val_getc(choice, "finish_reason"), *text;
	const char *key;
	const ag_val *message = message_of(acc, choice, whole, &key);
	ag_llm_stop stop;
	bool is_nothing;

	if (message)
		read_delta(acc, message, ag_json_raw_member(raw, key), whole);
	text = ag_val_getc(choice, "text"); /* completions without chat */
	if (!message && text)
		read_parts(acc, text, false, 0);
	is_nothing = whole && !message && !text;
	if (ag_wire_obj(choice, "error"))
		return ag_wire_fail_val(origin, choice, 0, err);
	if (ag_str_eqc(ag_wire_str(choice, "finish_reason"), "error"))
		return ag_fail(
			err, AG_UNAVAILABLE, origin,
			"the server broke the answer off with an error and did not say which");
	if (is_nothing)
		return ag_fail(err, AG_PROTOCOL, origin,
		               "the answer has a choice without a message");
	if (!reason)
		reason = ag_val_getc(choice, "done_reason");
	if (ag_wire_stop(reason, &stop)) {
		ag_acc_stop(acc, stop);
		ag_acc_done(acc);
	}
	return AG_OK;
}

/* --- usage --- */

static void keep_max(uint64_t *count, uint64_t n)
{
	if (n > *count)
		*count = n;
}

#define COUNT(obj, ...)                                            \
	ag_wire_count((obj), (const char *const[]){ __VA_ARGS__ }, \
	              sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *), NULL)

/* Counts may come in every event and grow, or be 0 in some: the largest holds. */
static void read_usage(ag_acc *acc, const ag_val *u)
{
	const ag_val *in = ag_wire_obj(u, "prompt_tokens_details");
	const ag_val *out = ag_wire_obj(u, "completion_tokens_details");
	ag_llm_usage *usage = ag_acc_usage(acc);
	uint64_t input = COUNT(u, "prompt_tokens", "input_tokens", "prompt_eval_count");
	uint64_t output = COUNT(u, "completion_tokens", "output_tokens", "eval_count");
	uint64_t total = COUNT(u, "total_tokens"), thinking, cached;

	if (!input && !output)
		return;
	cached = COUNT(in, "cached_tokens");
	if (!cached)
		cached = COUNT(u, "prompt_cache_hit_tokens", "cached_tokens",
		               "cache_read_input_tokens");
	thinking = COUNT(out, "reasoning_tokens", "thinking_tokens");
	if (!thinking)
		thinking = COUNT(u, "reasoning_tokens");
	/* Gemini and xAI count thinking only in the total. */
	if (total > input + output && output) {
		keep_max(&thinking, total - input - output);
		output = total - input;
	}
	keep_max(&usage->input_tokens, input);
	keep_max(&usage->output_tokens, output);
	keep_max(&usage->cached_tokens, cached);
	keep_max(&usage->cache_write_tokens,
	         COUNT(in, "cache_write_tokens", "cache_creation_tokens"));
	keep_max(&usage->thinking_tokens, thinking);
	ag_acc_usage_known(acc);
}

/* llama-server's own count: prompt_n is what was not in its cache, of which its usage says nothing. */
static void read_timings(ag_acc *acc, const ag_val *t)
{
	ag_llm_usage *usage = ag_acc_usage(acc);
	uint64_t cached = COUNT(t, "cache_n"), input = COUNT(t, "prompt_n") + cached;
	uint64_t output = COUNT(t, "predicted_n");

	if (!input && !output)
		return;
	keep_max(&usage->input_tokens, input);
	keep_max(&usage->output_tokens, output);
	keep_max(&usage->cached_tokens, cached);
	ag_acc_usage_known(acc);
}

static void read_counts(ag_acc *acc, const ag_val *v)
{
	const ag_val *u = ag_wire_obj(v, "usage");

	if (!u)
		u = ag_wire_obj(ag_wire_obj(v, "x_groq"), "usage");
	read_usage(acc, u ? u : v);
	read_timings(acc, ag_wire_obj(v, "timings"));
}

/* --- answers and events --- */

static ag_status read_any(ag_acc *acc, const ag_val *v, ag_str raw, bool whole, ag_err *err)
{
	const ag_val *choices = ag_wire_arr(v, "choices");
	ag_str list = ag_json_raw_member(raw, "choices");
	ag_status st = AG_OK;
	size_t pos = 0;

	ag_acc_model(acc, ag_wire_str(v, "model"));
	read_counts(acc, v);
	if (choices && choices->n) {
		if (choices->u.items[0].type == AG_T_OBJECT)
			st = read_choice(acc, &choices->u.items[0], ag_json_raw_next(list, &pos),
			                 whole, err);
		else if (whole)
			return ag_fail(err, AG_PROTOCOL, origin, no_message);
	} else if (!choices && ag_wire_obj(v, "message")) {
		st = read_choice(acc, v, raw, whole, err); /* Ollama's own form */
	} else if (whole) {
		return ag_fail(err, AG_PROTOCOL, origin, "the answer has no choices");
	}
	return st ? st : ag_acc_check(acc, origin, err);
}

ag_status ag_openai_read_reply(ag_str body, ag_acc *acc, ag_err *err)
{
	ag_val v;
	ag_status st = ag_wire_parse(origin, "the answer", body, acc, &v, err);

	if (st)
		return st;
	if (ag_wire_is_error(&v))
		return ag_wire_fail_val(origin, &v, 0, err);
	st = read_any(acc, &v, body, true, err);
	if (!st)
		ag_acc_done(acc);
	return st;
}

ag_status ag_openai_read_event(ag_str name, ag_str data, ag_acc *acc, ag_err *err)
{
	const ag_str done = AG_S("[DONE]");
	bool is_error = ag_str_eqc(name, "error");
	ag_val v;
	ag_status st;

	data = ag_str_trim(data);
	if (!data.len || ag_str_eqc(name, "ping"))
		return AG_OK;
	if (ag_str_eq(data, done)) {
		ag_acc_done(acc);
		return AG_OK;
	}
	if (ag_str_starts(done, data)) /* cut */
		return AG_OK;
	if (is_error)
		return ag_wire_fail(origin, data, 0, err);
	st = ag_wire_parse(origin, "an event of the stream", data, acc, &v, err);
	if (st)
		return st;
	if (ag_wire_is_error(&v))
		return ag_wire_fail_val(origin, &v, 0, err);
	return read_any(acc, &v, data, false, err);
}
