/* Anthropic Messages: one JSON object, or the events message_start, content_block_start, ping, content_block_delta,
 * content_block_stop, message_delta, message_stop. Shapes as in the API reference: a tool's input begins with an empty
 * piece, a thinking block ends with its signature, input_tokens leave out what a cache gave. Each quirk bends one place.
 * Read fm_anthropic_stream() first. */
#include "reply.h"

static ag_str stop_reason(const fm_out *o)
{
	const fm_answer *a = o->answer;

	if (a->finish_raw)
		return a->finish;
	if (ag_str_eqc(a->finish, "length"))
		return AG_S("max_tokens");
	if (ag_str_eqc(a->finish, "refusal"))
		return AG_S("refusal");
	if (ag_str_eqc(a->finish, "end"))
		return AG_S("end_turn");
	return ag_str_eqc(a->finish, "tools") || o->has_tool ? AG_S("tool_use") : AG_S("end_turn");
}

static void usage(fm_out *o, uint64_t output)
{
	const fm_usage *u = &o->usage;
	ag_jw *w = &o->w;

	if (fm_has(o->answer, FM_QUIRK_NO_USAGE))
		return;
	ag_jw_kkey(w, "usage");
	ag_jw_obj(w);
	ag_jw_kuint(w, "input_tokens", u->input - u->cached - u->cache_write);
	ag_jw_kuint(w, "cache_creation_input_tokens", u->cache_write);
	ag_jw_kuint(w, "cache_read_input_tokens", u->cached);
	ag_jw_kuint(w, "output_tokens", output);
	fm_vendor_members(o);
	ag_jw_obj_end(w);
}

static void stop(fm_out *o, bool is_known)
{
	ag_jw_kkey(&o->w, "stop_reason");
	if (is_known && !fm_has(o->answer, FM_QUIRK_NO_FINISH))
		ag_jw_str(&o->w, stop_reason(o));
	else
		ag_jw_null(&o->w);
	ag_jw_knull(&o->w, "stop_sequence");
}

static void head(fm_out *o)
{
	char id[48];

	fm_tool_id(o, "msg", 0, id);
	ag_jw_obj(&o->w);
	ag_jw_kstr(&o->w, "id", ag_str_c(id));
	ag_jw_kstr(&o->w, "type", AG_S("message"));
	ag_jw_kstr(&o->w, "role", AG_S("assistant"));
	ag_jw_kstr(&o->w, "model", fm_reply_model(o));
	fm_vendor_members(o);
}

static ag_str signature(const fm_out *o)
{
	return o->answer->signature.len ? o->answer->signature : AG_S("ZmFrZSBzaWduYXR1cmU=");
}

/* A content block; in a stream (is_start) with everything empty that comes as deltas. */
static void block(fm_out *o, const fm_block *b, size_t i, bool is_start)
{
	ag_jw *w = &o->w;
	char id[48];

	ag_jw_obj(w);
	switch (b->type) {
	case FM_THINKING:
		ag_jw_kstr(w, "type", AG_S("thinking"));
		ag_jw_kstr(w, "thinking", is_start ? AG_S("") : b->text);
		ag_jw_kstr(w, "signature", is_start ? AG_S("") : signature(o));
		break;
	case FM_REDACTED:
		ag_jw_kstr(w, "type", AG_S("redacted_thinking"));
		ag_jw_kstr(w, "data", b->text);
		break;
	case FM_TOOL:
		fm_tool_id(o, "toolu", i + 1, id);
		ag_jw_kstr(w, "type", AG_S("tool_use"));
		if (!fm_has(o->answer, FM_QUIRK_NO_IDS))
			ag_jw_kstr(w, "id", ag_str_c(id));
		ag_jw_kstr(w, "name", b->name);
		ag_jw_kraw(w, "input", is_start || !b->text.len ? AG_S("{}") : b->text);
		break;
	default:
		ag_jw_kstr(w, "type", AG_S("text"));
		ag_jw_kstr(w, "text", is_start ? AG_S("") : b->text);
	}
	fm_vendor_members(o);
	ag_jw_obj_end(w);
}

void fm_anthropic_whole(fm_out *o)
{
	ag_jw *w = &o->w;
	size_t i;

	head(o);
	if (o->answer->nblock || !fm_has(o->answer, FM_QUIRK_ABSENT_CONTENT)) {
		ag_jw_kkey(w, "content");
		if (!o->answer->nblock && fm_has(o->answer, FM_QUIRK_NULL_CONTENT)) {
			ag_jw_null(w);
		} else {
			ag_jw_arr(w);
			for (i = 0; i < o->answer->nblock; i++) {
				fm_block b = fm_block_of(o, i);

				block(o, &b, i, false);
			}
			ag_jw_arr_end(w);
		}
	}
	stop(o, true);
	usage(o, o->usage.output);
	ag_jw_obj_end(w);
}

/* ---------------------------------------------------------------- stream */

static void begin(fm_out *o, const char *type)
{
	fm_event_begin(o, type);
	ag_jw_obj(&o->w);
	ag_jw_kstr(&o->w, "type", ag_str_c(type));
}

static void end(fm_out *o)
{
	fm_vendor_members(o);
	ag_jw_obj_end(&o->w);
	fm_event_end(o);
}

static void message_start(fm_out *o)
{
	begin(o, "message_start");
	ag_jw_kkey(&o->w, "message");
	head(o);
	ag_jw_kraw(&o->w, "content", AG_S("[]"));
	stop(o, false);
	usage(o, 1);
	ag_jw_obj_end(&o->w);
	end(o);
}

static void ping(fm_out *o)
{
	fm_event_begin(o, "ping");
	ag_jw_raw(&o->w, AG_S("{\"type\": \"ping\"}"));
	fm_event_end(o);
}

/* {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"…"}} */
static void delta(fm_out *o, size_t index, const char *type, const char *member, ag_str text)
{
	begin(o, "content_block_delta");
	ag_jw_kuint(&o->w, "index", index);
	ag_jw_kkey(&o->w, "delta");
	ag_jw_obj(&o->w);
	ag_jw_kstr(&o->w, "type", ag_str_c(type));
	ag_jw_kstr(&o->w, member, text);
	ag_jw_obj_end(&o->w);
	end(o);
}

static void block_start(fm_out *o, const fm_block *b, size_t index)
{
	begin(o, "content_block_start");
	ag_jw_kuint(&o->w, "index", index);
	ag_jw_kkey(&o->w, "content_block");
	block(o, b, index, true);
	end(o);
	if (index == 0)
		ping(o);
	if (b->type == FM_TOOL)
		delta(o, index, "input_json_delta", "partial_json", AG_S(""));
}

/* False when nothing is left of the block. */
static bool block_piece(fm_out *o, const fm_block *b, size_t index, ag_str *rest)
{
	if (!rest->len || b->type == FM_REDACTED)
		return false;
	if (b->type == FM_TOOL)
		delta(o, index, "input_json_delta", "partial_json",
		      fm_piece(rest, o->answer->tool_parts));
	else if (b->type == FM_THINKING)
		delta(o, index, "thinking_delta", "thinking",
		      fm_piece(rest, o->answer->delta_bytes));
	else
		delta(o, index, "text_delta", "text", fm_piece(rest, o->answer->delta_bytes));
	return true;
}

static void block_stop(fm_out *o, const fm_block *b, size_t index)
{
	if (b->type == FM_THINKING)
		delta(o, index, "signature_delta", "signature", signature(o));
	begin(o, "content_block_stop");
	ag_jw_kuint(&o->w, "index", index);
	end(o);
}

static void message_end(fm_out *o)
{
	ag_jw *w = &o->w;

	if (!fm_has(o->answer, FM_QUIRK_NO_FINISH) || !fm_has(o->answer, FM_QUIRK_NO_USAGE)) {
		begin(o, "message_delta");
		ag_jw_kkey(w, "delta");
		ag_jw_obj(w);
		stop(o, true);
		ag_jw_obj_end(w);
		usage(o, o->usage.output);
		end(o);
	}
	if (!fm_has(o->answer, FM_QUIRK_NO_DONE)) {
		begin(o, "message_stop");
		end(o);
	}
}

static void stream_error(fm_out *o)
{
	const fm_answer *a = o->answer;

	fm_event_begin(o, "error");
	fm_error_json(&o->w, true, a->error_type.len ? a->error_type : AG_S("overloaded_error"),
	              a->error, o->request->n);
	fm_event_end(o);
}

/* One block after the other, or (interleave) all begun first and then a piece of each in turn. */
static void blocks(fm_out *o)
{
	bool turns = fm_has(o->answer, FM_QUIRK_INTERLEAVE), more;
	fm_block all[FM_MAX_BLOCKS];
	ag_str rest[FM_MAX_BLOCKS];
	size_t i, n = o->answer->nblock;

	for (i = 0; i < n; i++) {
		all[i] = fm_block_of(o, i);
		rest[i] = all[i].text;
		block_start(o, &all[i], i);
		while (!turns && block_piece(o, &all[i], i, &rest[i]))
			;
		/* An error comes in the middle of the last block. */
		if (!turns && !(o->answer->error_in_stream && i + 1 == n))
			block_stop(o, &all[i], i);
	}
	do {
		more = false;
		for (i = 0; turns && i < n; i++)
			more = block_piece(o, &all[i], i, &rest[i]) || more;
	} while (more);
	for (i = 0; turns && i < n; i++)
		block_stop(o, &all[i], i);
}

void fm_anthropic_stream(fm_out *o)
{
	message_start(o);
	blocks(o);
	if (o->answer->error_in_stream)
		stream_error(o);
	else
		message_end(o);
}
