/* accumulate_reply -- a grown reply as plain data: parts, text, JSON, stop reason, usage.
 *
 * Nothing of the accumulator changes here, so a reply can be taken at any moment, also of a stream that broke. */
#include "llm/accumulate.h"
#include "llm/accumulate_parts.h"

static bool id_is_taken(const ag_llm_part *parts, size_t n, ag_str id)
{
	for (size_t i = 0; i < n; i++) {
		if (parts[i].type == AG_LLM_TOOL_CALL && ag_str_eq(parts[i].id, id))
			return true;
	}
	return false;
}

/* Made up for calls without one. What a server gave goes back as it came, also an id that it gave twice: results stand in
 * the order of the calls, and a server that knows its own ids would not know ours. */
static void complete_ids(ag_llm_part *parts, size_t n, ag_arena *arena)
{
	unsigned number = 0;

	for (size_t i = 0; i < n; i++) {
		while (parts[i].type == AG_LLM_TOOL_CALL && !parts[i].id.len) {
			ag_str id = ag_str_printf(arena, "call_%u", ++number);

			if (!id_is_taken(parts, n, id))
				parts[i].id = id;
		}
	}
}

static bool take(const ag_acc_part *p, ag_arena *arena, ag_llm_part *ret)
{
	*ret = (ag_llm_part){ .type = p->type, .is_redacted = p->is_redacted };
	ret->signature = ag_buf_dup(arena, &p->signature);
	if (p->type != AG_LLM_TOOL_CALL) {
		ret->text = ag_buf_dup(arena, &p->text);
		return ret->text.len || ret->signature.len;
	}
	ret->id = ag_buf_dup(arena, &p->id);
	ret->name = ag_buf_dup(arena, &p->name);
	ret->input = ag_buf_dup(arena, p->text.len ? &p->text : &p->preset);
	if (!ag_str_trim(ret->input).len)
		ret->input = AG_S("{}");
	return ret->id.len || ret->name.len || p->text.len;
}

/* Bytes that ag_acc_content() still holds back are a piece of a tag, and belong to nothing. */
static void take_parts(const ag_acc *a, ag_arena *arena, ag_llm_reply *ret)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, a->npart + 1);
	size_t n = 0;

	for (size_t i = 0; i < a->npart; i++)
		n += take(&a->parts[i], arena, &parts[n]);
	complete_ids(parts, n, arena);
	ret->parts = parts;
	ret->npart = n;
}

/* Text parts side by side are one text that the protocol cut; what stood apart stays apart. */
static ag_str join_text(const ag_llm_reply *r, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(AG_WIRE_MAX_REPLY_BYTES + AG_WIRE_MAX_REPLY_BYTES / 4);
	ag_str ret;

	for (size_t i = 0; i < r->npart; i++) {
		if (r->parts[i].type != AG_LLM_TEXT)
			continue;
		if (b.len && r->parts[i - 1].type != AG_LLM_TEXT)
			ag_buf_addc(&b, '\n');
		ag_buf_add(&b, r->parts[i].text);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* A call that a server wrote into the text instead of calling: {"name":"format","arguments":{…}}. */
static ag_str unwrap_call(ag_str json, ag_str format, ag_arena *arena)
{
	static const char *const homes[] = { "arguments", "parameters", "input" };
	ag_str name = ag_json_raw_member(json, "name");

	if (name.len != format.len + 2 || memcmp(name.ptr + 1, format.ptr, format.len) != 0)
		return json;
	for (size_t i = 0; i < AG_NELEM(homes); i++) {
		ag_str inner = ag_json_raw_member(json, homes[i]);

		if (inner.len && ag_json_is_object(inner, arena))
			return inner;
	}
	return json;
}

/* The call of the format's tool, then the text; at last thinking that is itself an object: there servers leave an
 * answer whose model was not asked to think (vLLM, llama-server with a reasoning parser). */
static ag_str find_json(const ag_llm_reply *r, ag_str format, ag_arena *arena)
{
	ag_str json = AG_S("");
	size_t ncall = 0;

	for (size_t i = 0; i < r->npart && !json.len; i++) {
		const ag_llm_part *p = &r->parts[i];

		ncall += p->type == AG_LLM_TOOL_CALL;
		if (p->type == AG_LLM_TOOL_CALL && ag_str_eq(p->name, format))
			json = ag_json_in_text(p->input);
	}
	if (!json.len)
		json = unwrap_call(ag_json_in_text(r->text), format, arena);
	for (size_t i = 0; i < r->npart && !json.len && !r->text.len && !ncall; i++) {
		ag_str text = ag_str_trim(r->parts[i].text);

		if (r->parts[i].type == AG_LLM_THINKING && text.len && text.ptr[0] == '{')
			json = ag_json_in_text(text);
	}
	return json;
}

/* Servers say "stop" and send calls, or "tool_calls" and send none. */
static ag_llm_stop fitting_stop(const ag_acc *a, const ag_llm_reply *r, ag_str format)
{
	size_t ncall = 0;

	for (size_t i = 0; i < r->npart; i++)
		ncall += r->parts[i].type == AG_LLM_TOOL_CALL &&
		         !(format.len && ag_str_eq(r->parts[i].name, format));
	if (!a->done)
		return AG_LLM_STOP_OTHER; /* cut: nobody said why it ends here */
	if (a->stop == AG_LLM_STOP_LENGTH || a->stop == AG_LLM_STOP_REFUSAL)
		return a->stop;
	if (ncall)
		return AG_LLM_STOP_TOOLS;
	return a->stop == AG_LLM_STOP_TOOLS ? AG_LLM_STOP_END : a->stop;
}

static ag_llm_usage fitting_usage(const ag_acc *a)
{
	ag_llm_usage u = a->usage;
	size_t nbyte = 0;
	uint64_t written;

	for (size_t i = 0; i < a->npart; i++)
		nbyte += a->parts[i].text.len;
	written = ag_llm_estimate_tokens(nbyte);
	if (!a->usage_known)
		u = (ag_llm_usage){ .is_estimated = true };
	if (!written && a->npart) /* a call without input */
		written = 1;
	if ((u.is_estimated || !a->done || !u.output_tokens) && u.output_tokens < written) {
		u.output_tokens = written;
		u.is_estimated = true;
	}
	if (u.cached_tokens > u.input_tokens)
		u.cached_tokens = u.input_tokens;
	if (u.cache_write_tokens > u.input_tokens - u.cached_tokens)
		u.cache_write_tokens = u.input_tokens - u.cached_tokens;
	if (u.thinking_tokens > u.output_tokens)
		u.thinking_tokens = u.output_tokens;
	return u;
}

ag_status ag_acc_reply(const ag_acc *a, ag_str format, ag_arena *arena, ag_llm_reply *ret,
                       ag_err *err)
{
	*ret = (ag_llm_reply){ 0 };
	take_parts(a, arena, ret);
	ret->text = join_text(ret, arena);
	ret->json = format.len ? find_json(ret, format, arena) : AG_S("");
	ret->model = ag_buf_dup(arena, &a->model);
	ret->stop = fitting_stop(a, ret, format);
	ret->usage = fitting_usage(a);
	ret->ncut = a->ncut;
	return ag_acc_check(a, "llm.wire", err);
}
