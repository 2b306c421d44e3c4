/* OpenAI chat completions: one JSON object, or chunks: role, content, tool calls, finish_reason, usage, [DONE]. Shapes as
 * in the API reference; thinking as `reasoning_content`, as DeepSeek, vLLM and llama-server have it. Each quirk bends one
 * place. Read fm_openai_stream() first. */
#include "reply.h"

#include <stdio.h>

#define NO_INDEX SIZE_MAX

static const char *finish_reason(const fm_out *o)
{
	const fm_answer *a = o->answer;

	if (ag_str_eqc(a->finish, "length"))
		return "length";
	if (ag_str_eqc(a->finish, "refusal"))
		return "content_filter";
	if (ag_str_eqc(a->finish, "end"))
		return "stop";
	/* A call that the request forced by name ends with "stop" there. */
	return ag_str_eqc(a->finish, "tools") || (o->has_tool && !o->request->forced_tool.len)
	               ? "tool_calls"
	               : "stop";
}

static void finish(fm_out *o)
{
	ag_jw_kkey(&o->w, "finish_reason");
	if (fm_has(o->answer, FM_QUIRK_NO_FINISH))
		ag_jw_null(&o->w);
	else if (o->answer->finish_raw)
		ag_jw_str(&o->w, o->answer->finish);
	else
		ag_jw_str(&o->w, ag_str_c(finish_reason(o)));
}

static void usage(fm_out *o)
{
	ag_jw *w = &o->w;

	ag_jw_kkey(w, "usage");
	ag_jw_obj(w);
	ag_jw_kuint(w, "prompt_tokens", o->usage.input);
	ag_jw_kuint(w, "completion_tokens", o->usage.output);
	ag_jw_kuint(w, "total_tokens", o->usage.input + o->usage.output);
	ag_jw_kkey(w, "prompt_tokens_details");
	ag_jw_obj(w);
	ag_jw_kuint(w, "cached_tokens", o->usage.cached);
	ag_jw_kuint(w, "audio_tokens", 0);
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "completion_tokens_details");
	ag_jw_obj(w);
	ag_jw_kuint(w, "reasoning_tokens", o->usage.thinking);
	ag_jw_kuint(w, "audio_tokens", 0);
	ag_jw_obj_end(w);
	fm_vendor_members(o);
	ag_jw_obj_end(w);
}

static void head(fm_out *o, const char *object)
{
	char id[48];

	fm_tool_id(o, "chatcmpl", 0, id);
	ag_jw_obj(&o->w);
	ag_jw_kstr(&o->w, "id", ag_str_c(id));
	ag_jw_kstr(&o->w, "object", ag_str_c(object));
	ag_jw_kint(&o->w, "created", 1767225600);
	ag_jw_kstr(&o->w, "model", fm_reply_model(o));
	ag_jw_kstr(&o->w, "system_fingerprint", AG_S("fp_fake"));
	fm_vendor_members(o);
}

/* "content": text, parts, null or nothing. */
static void content(fm_out *o, ag_str text, bool has_text, const char *type)
{
	ag_jw *w = &o->w;

	if (!has_text && fm_has(o->answer, FM_QUIRK_ABSENT_CONTENT))
		return;
	ag_jw_kkey(w, "content");
	if (!has_text) {
		ag_jw_null(w);
	} else if (fm_has(o->answer, FM_QUIRK_PARTS_CONTENT)) {
		bool thinks = ag_str_eqc(ag_str_c(type), "thinking");

		ag_jw_arr(w);
		ag_jw_obj(w);
		ag_jw_kstr(w, "type", ag_str_c(type));
		ag_jw_kkey(w, type);
		if (thinks) { /* parts in parts, as Mistral sends them */
			ag_jw_arr(w);
			ag_jw_obj(w);
			ag_jw_kstr(w, "type", AG_S("text"));
			ag_jw_kkey(w, "text");
		}
		ag_jw_str(w, text);
		if (thinks) {
			ag_jw_obj_end(w);
			ag_jw_arr_end(w);
		}
		ag_jw_obj_end(w);
		ag_jw_arr_end(w);
	} else {
		ag_jw_str(w, text);
	}
}

static const char *thinking_field(const fm_out *o, char name[64])
{
	ag_str f = o->answer->thinking_field;

	if (!f.len)
		return "reasoning_content";
	snprintf(name, 64, "%.*s", (int)(f.len < 60 ? f.len : 60), f.ptr);
	return name;
}

/* One call, or (with only_arguments) a later piece of it. */
static void tool_call(fm_out *o, const fm_block *b, size_t i, size_t index, ag_str arguments,
                      bool only_arguments)
{
	ag_jw *w = &o->w;
	char id[48];

	fm_tool_id(o, "call", i, id);
	ag_jw_obj(w);
	if (index != NO_INDEX && !fm_has(o->answer, FM_QUIRK_NO_INDEX))
		ag_jw_kuint(w, "index", index);
	if (!only_arguments) {
		if (!fm_has(o->answer, FM_QUIRK_NO_IDS))
			ag_jw_kstr(w, "id", ag_str_c(id));
		ag_jw_kstr(w, "type", AG_S("function"));
	}
	ag_jw_kkey(w, "function");
	ag_jw_obj(w);
	if (!only_arguments)
		ag_jw_kstr(w, "name", b->name);
	ag_jw_kkey(w, "arguments");
	if (fm_has(o->answer, FM_QUIRK_OBJECT_ARGUMENTS))
		ag_jw_raw(w, arguments.len ? arguments : AG_S("{}"));
	else
		ag_jw_str(w, arguments);
	fm_vendor_members(o);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

/* ---------------------------------------------------------------- whole */

/* Text, thinking or refusal of all blocks, joined; false when there is none. */
static bool joined(const fm_out *o, fm_block_type type, ag_buf *text)
{
	bool found = false;
	size_t i;

	ag_buf_clear(text);
	for (i = 0; i < o->answer->nblock; i++) {
		fm_block b = fm_block_of(o, i);

		if (b.type != type)
			continue;
		found = true;
		ag_buf_add(text, b.text);
	}
	return found;
}

static void message(fm_out *o)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(FM_MAX_REPLY_BYTES);
	ag_jw *w = &o->w;
	char name[64];
	size_t i, index = 0;
	bool has_text;

	ag_jw_obj(w);
	ag_jw_kstr(w, "role", AG_S("assistant"));
	has_text = joined(o, FM_TEXT, &text);
	content(o, ag_buf_view(&text), has_text, "text");
	if (joined(o, FM_THINKING, &text))
		ag_jw_kstr(w, thinking_field(o, name), ag_buf_view(&text));
	ag_jw_kkey(w, "refusal");
	if (joined(o, FM_REFUSAL, &text))
		ag_jw_str(w, ag_buf_view(&text));
	else
		ag_jw_null(w);
	if (o->has_tool) {
		ag_jw_kkey(w, "tool_calls");
		ag_jw_arr(w);
		for (i = 0; i < o->answer->nblock; i++) {
			fm_block b = fm_block_of(o, i);

			if (b.type == FM_TOOL)
				tool_call(o, &b, ++index, NO_INDEX, b.text, false);
		}
		ag_jw_arr_end(w);
	}
	ag_jw_kraw(w, "annotations", AG_S("[]"));
	fm_vendor_members(o);
	ag_jw_obj_end(w);
}

void fm_openai_whole(fm_out *o)
{
	ag_jw *w = &o->w;

	head(o, "chat.completion");
	ag_jw_kkey(w, "choices");
	ag_jw_arr(w);
	ag_jw_obj(w);
	ag_jw_kint(w, "index", 0);
	ag_jw_kkey(w, "message");
	message(o);
	ag_jw_knull(w, "logprobs");
	finish(o);
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
	if (!fm_has(o->answer, FM_QUIRK_NO_USAGE))
		usage(o);
	ag_jw_obj_end(w);
}

/* ---------------------------------------------------------------- stream */

static void chunk_tail(fm_out *o)
{
	if (fm_has(o->answer, FM_QUIRK_USAGE_EACH))
		usage(o);
	else if (o->request->include_usage)
		ag_jw_knull(&o->w, "usage");
	ag_jw_obj_end(&o->w);
	fm_event_end(o);
}

/* The caller writes the members of `delta` between the two. */
static void chunk_begin(fm_out *o)
{
	ag_jw *w = &o->w;

	fm_event_begin(o, "");
	head(o, "chat.completion.chunk");
	ag_jw_kkey(w, "choices");
	ag_jw_arr(w);
	ag_jw_obj(w);
	ag_jw_kint(w, "index", 0);
	ag_jw_kkey(w, "delta");
	ag_jw_obj(w);
}

static void chunk_end(fm_out *o, bool is_last)
{
	ag_jw *w = &o->w;

	fm_vendor_members(o);
	ag_jw_obj_end(w);
	ag_jw_knull(w, "logprobs");
	if (is_last)
		finish(o);
	else
		ag_jw_knull(w, "finish_reason");
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
	chunk_tail(o);
}

static void chunk_empty(fm_out *o)
{
	fm_event_begin(o, "");
	head(o, "chat.completion.chunk");
	ag_jw_kraw(&o->w, "choices", AG_S("[]"));
	ag_jw_kraw(&o->w, "prompt_filter_results", AG_S("[{\"prompt_index\":0}]"));
	chunk_tail(o);
}

static void text_chunks(fm_out *o, const fm_block *b)
{
	bool parts = fm_has(o->answer, FM_QUIRK_PARTS_CONTENT);
	ag_str rest = b->text;
	char name[64];

	while (rest.len) {
		ag_str piece = fm_piece(&rest, o->answer->delta_bytes);

		chunk_begin(o);
		if (b->type == FM_TEXT || parts)
			content(o, piece, true, b->type == FM_TEXT ? "text" : "thinking");
		else if (b->type == FM_REFUSAL)
			ag_jw_kstr(&o->w, "refusal", piece);
		else
			ag_jw_kstr(&o->w, thinking_field(o, name), piece);
		chunk_end(o, false);
	}
}

static void call_chunk(fm_out *o, const fm_block *b, size_t index, ag_str arguments, bool is_first)
{
	chunk_begin(o);
	if (is_first || fm_has(o->answer, FM_QUIRK_NULL_CONTENT))
		content(o, AG_S(""), false, "");
	ag_jw_kkey(&o->w, "tool_calls");
	ag_jw_arr(&o->w);
	tool_call(o, b, index + 1, index, arguments, !is_first);
	ag_jw_arr_end(&o->w);
	chunk_end(o, false);
}

/* Id and name come first, with empty arguments; whole calls in one chunk where the server does not cut them. */
static void call_start(fm_out *o, const fm_block *b, size_t index, ag_str *rest)
{
	bool at_once = !o->answer->tool_parts || fm_has(o->answer, FM_QUIRK_OBJECT_ARGUMENTS) ||
	               fm_has(o->answer, FM_QUIRK_NO_INDEX);

	call_chunk(o, b, index, at_once ? b->text : AG_S(""), true);
	*rest = at_once ? AG_S("") : b->text;
}

/* One call after the other, or (interleave) all begun first and then a piece of each in turn. */
static void call_chunks(fm_out *o)
{
	bool turns = fm_has(o->answer, FM_QUIRK_INTERLEAVE), more;
	fm_block calls[FM_MAX_BLOCKS];
	ag_str rest[FM_MAX_BLOCKS];
	size_t i, n = 0;

	for (i = 0; i < o->answer->nblock; i++) {
		calls[n] = fm_block_of(o, i);
		if (calls[n].type != FM_TOOL)
			continue;
		call_start(o, &calls[n], n, &rest[n]);
		while (!turns && rest[n].len)
			call_chunk(o, &calls[n], n, fm_piece(&rest[n], o->answer->tool_parts),
			           false);
		n++;
	}
	do {
		more = false;
		for (i = 0; i < n; i++) {
			if (!rest[i].len)
				continue;
			call_chunk(o, &calls[i], i, fm_piece(&rest[i], o->answer->tool_parts),
			           false);
			more = true;
		}
	} while (more);
}

static void stream_error(fm_out *o)
{
	const fm_answer *a = o->answer;

	fm_event_begin(o, "");
	fm_error_json(&o->w, false, a->error_type.len ? a->error_type : AG_S("server_error"),
	              a->error, o->request->n);
	fm_event_end(o);
}

static void usage_chunk(fm_out *o)
{
	fm_event_begin(o, "");
	head(o, "chat.completion.chunk");
	ag_jw_kraw(&o->w, "choices", AG_S("[]"));
	usage(o);
	ag_jw_obj_end(&o->w);
	fm_event_end(o);
}

void fm_openai_stream(fm_out *o)
{
	size_t i;

	if (fm_has(o->answer, FM_QUIRK_EMPTY_CHOICES))
		chunk_empty(o);
	chunk_begin(o);
	ag_jw_kstr(&o->w, "role", AG_S("assistant"));
	content(o, AG_S(""),
	        !o->has_tool && !fm_has(o->answer, FM_QUIRK_NULL_CONTENT) &&
	                !fm_has(o->answer, FM_QUIRK_ABSENT_CONTENT),
	        "text");
	ag_jw_knull(&o->w, "refusal");
	chunk_end(o, false);
	for (i = 0; i < o->answer->nblock; i++) {
		fm_block b = fm_block_of(o, i);

		if (b.type == FM_TEXT || b.type == FM_THINKING || b.type == FM_REFUSAL)
			text_chunks(o, &b);
	}
	call_chunks(o);
	if (o->answer->error_in_stream) {
		stream_error(o);
		return;
	}
	if (!fm_has(o->answer, FM_QUIRK_NO_FINISH)) {
		chunk_begin(o);
		chunk_end(o, true);
	}
	if (o->request->include_usage && !fm_has(o->answer, FM_QUIRK_NO_USAGE))
		usage_chunk(o);
	if (!fm_has(o->answer, FM_QUIRK_NO_DONE)) {
		fm_event_begin(o, "");
		ag_buf_adds(&o->reply->body, "[DONE]");
		fm_event_end(o);
	}
}
