/* anthropic_read -- replies of the Messages protocol, whole and as events.
 *
 * A block has the same members in a whole answer and in content_block_start, where they are still empty; so
 * read_block() takes both, and the deltas add to it by the block's index. Blocks of unknown types (tools that ran at the
 * server) are passed over together with their deltas. input_tokens counts only what no cache knew: see read_usage(). */
#include "llm/anthropic.h"
#include "llm/json_text.h"
#include "llm/wire_read.h"
#include "query/extjson.h"

static const char origin[] = "llm.anthropic";

static unsigned index_of(const ag_val *v)
{
	static const char *const key = "index";

	return (unsigned)ag_wire_count(v, &key, 1, NULL);
}

static void read_block(ag_acc *acc, unsigned index, const ag_val *b, ag_str raw)
{
	ag_str type = ag_wire_str(b, "type");
	const ag_val *input = ag_wire_obj(b, "input");

	if (ag_str_eqc(type, "text")) {
		ag_acc_text(acc, index, ag_wire_str(b, "text"));
	} else if (ag_str_eqc(type, "thinking")) {
		ag_acc_thinking(acc, index, ag_wire_str(b, "thinking"));
		ag_acc_signature(acc, index, ag_wire_str(b, "signature"), false);
	} else if (ag_str_eqc(type, "redacted_thinking")) {
		ag_acc_signature(acc, index, ag_wire_str(b, "data"), true);
	} else if (ag_str_eqc(type, "tool_use")) {
		ag_acc_tool(acc, index, ag_wire_str(b, "id"), ag_wire_str(b, "name"));
		raw = ag_json_raw_member(raw, "input");
		if (input && input->n && !raw.len)
			raw = ag_extjson_str(ag_acc_scratch(acc), input, AG_EXTJSON_RELAXED);
		if (input && input->n)
			ag_acc_tool_preset(acc, index, raw);
	}
}

static void read_delta(ag_acc *acc, unsigned index, const ag_val *d)
{
	ag_str type = ag_wire_str(d, "type");

	if (ag_str_eqc(type, "text_delta"))
		ag_acc_text(acc, index, ag_wire_str(d, "text"));
	else if (ag_str_eqc(type, "thinking_delta"))
		ag_acc_thinking(acc, index, ag_wire_str(d, "thinking"));
	else if (ag_str_eqc(type, "signature_delta"))
		ag_acc_signature(acc, index, ag_wire_str(d, "signature"), false);
	else if (ag_str_eqc(type, "input_json_delta") && ag_acc_has_tool(acc, index))
		ag_acc_tool_input(acc, index, ag_wire_str(d, "partial_json"));
}

static uint64_t count(const ag_val *u, const char *key, uint64_t before)
{
	uint64_t n = ag_wire_count(u, &key, 1, NULL);

	return n > before ? n : before;
}

/* All counts of a message so far, in message_start and again in message_delta, where some may be missing or 0: the
 * largest holds. Input is what no cache knew, so what was read from one and written to it is added. */
static void read_usage(ag_acc *acc, const ag_val *u)
{
	ag_llm_usage *usage = ag_acc_usage(acc);
	uint64_t fresh = usage->input_tokens - usage->cached_tokens - usage->cache_write_tokens;

	if (!u)
		return;
	fresh = count(u, "input_tokens", fresh);
	usage->cached_tokens = count(u, "cache_read_input_tokens", usage->cached_tokens);
	usage->cache_write_tokens = count(u, "cache_creation_input_tokens",
	                                  usage->cache_write_tokens);
	usage->input_tokens = fresh + usage->cached_tokens + usage->cache_write_tokens;
	usage->output_tokens = count(u, "output_tokens", usage->output_tokens);
	usage->thinking_tokens = count(ag_wire_obj(u, "output_tokens_details"), "thinking_tokens",
	                               usage->thinking_tokens);
	if (usage->input_tokens || usage->output_tokens)
		ag_acc_usage_known(acc);
}

/* The stop reason ends the answer; message_stop, which some servers leave out, says nothing more. */
static void read_stop(ag_acc *acc, const ag_val *v)
{
	const ag_val *reason = v ? ag_val_getc(v, "stop_reason") : NULL;
	ag_llm_stop stop;

	if (ag_wire_stop(reason, &stop)) {
		ag_acc_stop(acc, stop);
		ag_acc_done(acc);
	}
}

static void read_message(ag_acc *acc, const ag_val *m, ag_str raw)
{
	const ag_val *content = ag_wire_arr(m, "content");
	ag_str list = ag_json_raw_member(raw, "content");
	size_t pos = 0;

	ag_acc_model(acc, ag_wire_str(m, "model"));
	ag_acc_text(acc, 0, ag_wire_str(m, "content"));
	for (uint32_t i = 0; content && i < content->n && !ag_acc_check(acc, origin, NULL); i++)
		read_block(acc, i, &content->u.items[i], ag_json_raw_next(list, &pos));
	read_usage(acc, ag_wire_obj(m, "usage"));
	read_stop(acc, m);
}

ag_status ag_anthropic_read_reply(ag_str body, ag_acc *acc, ag_err *err)
{
	ag_val v;
	ag_status st = ag_wire_parse(origin, "the answer", body, acc, &v, err);

	if (st)
		return st;
	if (ag_wire_is_error(&v))
		return ag_wire_fail_val(origin, &v, 0, err);
	if (v.type != AG_T_OBJECT || !ag_val_getc(&v, "content"))
		return ag_fail(err, AG_PROTOCOL, origin, "the answer has no content");
	read_message(acc, &v, body);
	ag_acc_done(acc);
	return ag_acc_check(acc, origin, err);
}

static void read_event(ag_acc *acc, ag_str type, const ag_val *v, ag_str raw)
{
	const ag_val *block = ag_wire_obj(v, "content_block"), *delta = ag_wire_obj(v, "delta");

	if (ag_str_eqc(type, "message_start") && ag_wire_obj(v, "message")) {
		read_message(acc, ag_wire_obj(v, "message"), ag_json_raw_member(raw, "message"));
	} else if (ag_str_eqc(type, "content_block_start") && block) {
		read_block(acc, index_of(v), block, ag_json_raw_member(raw, "content_block"));
	} else if (ag_str_eqc(type, "content_block_delta") && delta) {
		read_delta(acc, index_of(v), delta);
	} else if (ag_str_eqc(type, "message_delta")) {
		read_usage(acc, ag_wire_obj(v, "usage"));
		read_stop(acc, delta);
	} else if (ag_str_eqc(type, "message_stop")) {
		ag_acc_done(acc);
	}
}

ag_status ag_anthropic_read_event(ag_str name, ag_str data, ag_acc *acc, ag_err *err)
{
	ag_val v;
	ag_str type;
	ag_status st;

	data = ag_str_trim(data);
	/* "[DONE]" is sent by servers that speak both protocols. */
	if (!data.len || ag_str_eqc(name, "ping") || ag_str_starts(AG_S("[DONE]"), data))
		return AG_OK;
	if (ag_str_eqc(name, "error"))
		return ag_wire_fail(origin, data, 0, err);
	st = ag_wire_parse(origin, "an event of the stream", data, acc, &v, err);
	if (st)
		return st;
	if (ag_wire_is_error(&v))
		return ag_wire_fail_val(origin, &v, 0, err);
	type = ag_wire_str(&v, "type");
	read_event(acc, type.len ? type : name, &v, data);
	return ag_acc_check(acc, origin, err);
}
