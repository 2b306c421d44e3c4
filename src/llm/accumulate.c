/* accumulate -- a reply that grows from pieces.
 *
 * Parts stand in the order in which they were opened; the newest part of a type and index takes the next piece. All
 * bytes of a reply count against one limit, and the first that does not fit stops everything: what came before it stays
 * usable. Tool calls are the hard part, see is_new_call(); content that begins with a <think> tag is split by
 * ag_acc_content(). accumulate_reply.c turns it all into an ag_llm_reply. */
#include "llm/accumulate.h"

#include <stdlib.h>

#include "llm/accumulate_parts.h"

/* Parts besides tool calls: blocks of text and thinking. A model writes a few. */
#define MAX_PARTS (AG_WIRE_MAX_TOOL_CALLS + 1024)

static const char *const think_open[] = { "<think>", "<thinking>", "<thought>" };
static const char *const think_close[] = { "</think>", "</thinking>", "</thought>" };

ag_acc *ag_acc_new(void)
{
	ag_acc *a = ag_xcalloc(1, sizeof(*a));

	a->scratch = ag_arena_new();
	a->stop = AG_LLM_STOP_OTHER;
	ag_buf_init(&a->model, 256);
	return a;
}

static void release_part(ag_acc_part *p)
{
	ag_buf_release(&p->text);
	ag_buf_release(&p->preset);
	ag_buf_release(&p->signature);
	ag_buf_release(&p->id);
	ag_buf_release(&p->name);
}

ag_acc *ag_acc_free(ag_acc *a)
{
	if (!a)
		return NULL;
	for (size_t i = 0; i < a->npart; i++)
		release_part(&a->parts[i]);
	release_part(&a->cut);
	free(a->parts);
	ag_buf_release(&a->model);
	ag_arena_free(a->scratch);
	free(a);
	return NULL;
}

void ag_acc_on_delta(ag_acc *a, void (*fn)(void *arg, const ag_llm_delta *d), void *arg)
{
	a->on_delta = fn;
	a->arg = arg;
}

ag_arena *ag_acc_scratch(ag_acc *a)
{
	return a->scratch;
}

/* --- parts --- */

static ag_acc_part *newest(const ag_acc *a, ag_llm_part_type type, bool any_index, unsigned index)
{
	for (size_t i = a->npart; i-- > 0;) {
		if (a->parts[i].type == type && (any_index || a->parts[i].index == index))
			return &a->parts[i];
	}
	return NULL;
}

static void init_part(ag_acc_part *p, ag_llm_part_type type, unsigned index, unsigned ordinal)
{
	*p = (ag_acc_part){ .type = type, .index = index, .ordinal = ordinal };
	ag_buf_init(&p->text, AG_WIRE_MAX_REPLY_BYTES);
	ag_buf_init(&p->preset, AG_WIRE_MAX_REPLY_BYTES);
	ag_buf_init(&p->signature, AG_WIRE_MAX_REPLY_BYTES);
	ag_buf_init(&p->id, AG_WIRE_MAX_REPLY_BYTES);
	ag_buf_init(&p->name, AG_WIRE_MAX_REPLY_BYTES);
}

/* NULL when there are too many. */
static ag_acc_part *open_part(ag_acc *a, ag_llm_part_type type, unsigned index)
{
	ag_acc_part *p;

	if (a->npart >= MAX_PARTS)
		a->too_many = true;
	if (a->too_many || a->too_large ||
	    (type == AG_LLM_TOOL_CALL && a->ntool >= AG_WIRE_MAX_TOOL_CALLS))
		return NULL;
	if (a->npart == a->cap) {
		a->cap = a->cap ? 2 * a->cap : 8;
		a->parts = ag_xrealloc(a->parts, a->cap * sizeof(*a->parts));
	}
	p = &a->parts[a->npart++];
	init_part(p, type, index, (unsigned)a->ntool);
	a->ntool += type == AG_LLM_TOOL_CALL;
	return p;
}

static ag_acc_part *part_at(ag_acc *a, ag_llm_part_type type, unsigned index)
{
	ag_acc_part *p = newest(a, type, false, index);

	return p ? p : open_part(a, type, index);
}

/* False when it does not fit: then nothing fits any more, so that no hole is left in the middle. */
static bool grow(ag_acc *a, ag_buf *b, ag_str bytes)
{
	if (a->too_large || bytes.len > AG_WIRE_MAX_REPLY_BYTES - a->nbyte) {
		a->too_large = true;
		return false;
	}
	a->nbyte += bytes.len;
	ag_buf_add(b, bytes);
	return true;
}

static void show(const ag_acc *a, ag_llm_delta_type type, ag_str text, unsigned call)
{
	const ag_llm_delta d = { type, text, call };

	if (a->on_delta)
		a->on_delta(a->arg, &d);
}

static void add_text(ag_acc *a, ag_llm_part_type type, unsigned index, ag_str delta)
{
	ag_acc_part *p = delta.len ? part_at(a, type, index) : NULL;

	if (p && grow(a, &p->text, delta))
		show(a, type == AG_LLM_TEXT ? AG_LLM_DELTA_TEXT : AG_LLM_DELTA_THINKING, delta, 0);
}

void ag_acc_text(ag_acc *a, unsigned index, ag_str delta)
{
	add_text(a, AG_LLM_TEXT, index, delta);
}

void ag_acc_thinking(ag_acc *a, unsigned index, ag_str delta)
{
	add_text(a, AG_LLM_THINKING, index, delta);
}

void ag_acc_signature(ag_acc *a, unsigned index, ag_str delta, bool is_redacted)
{
	ag_acc_part *p = delta.len ? part_at(a, AG_LLM_THINKING, index) : NULL;

	if (p && grow(a, &p->signature, delta))
		p->is_redacted = p->is_redacted || is_redacted;
}

/* --- tool calls --- */

static void add_input(ag_acc *a, ag_acc_part *call, ag_str input)
{
	if (!input.len || !grow(a, &call->text, input))
		return;
	ag_json_scan_feed(&call->scan, input);
	/* Its name is known now: no server sends a part of it after the first piece of the input. */
	if (call->text.len == input.len)
		show(a, AG_LLM_DELTA_CALL, ag_buf_view(&call->name), call->ordinal);
	show(a, AG_LLM_DELTA_INPUT, input, call->ordinal);
}

static void set_id(ag_acc *a, ag_acc_part *call, ag_str id)
{
	/* The first one counts: some servers make up a new one for every piece. */
	if (id.len && !call->id.len)
		grow(a, &call->id, id);
}

/* Once, again in every piece, growing, or in pieces; but a name is finished when its input has begun. */
static void set_name(ag_acc *a, ag_acc_part *call, ag_str name)
{
	ag_str now = ag_buf_view(&call->name);

	if (!name.len || ag_str_eq(name, now) || call->text.len)
		return;
	if (ag_str_starts(name, now))
		name = ag_str_make(name.ptr + now.len, name.len - now.len);
	grow(a, &call->name, name);
}

/* Does the piece begin another call than `cur`? What servers were seen to do:
 *   a new id at the same index, with whole inputs               another call (Ollama: every call has index 0)
 *   a new id in every piece of one input                        the same call (vLLM before 0.9)
 *   no ids, no indexes or all 0, with whole inputs              another call (Gemini's compatible address)
 *   the id or name again in each piece                          the same call (LiteLLM) */
static bool is_new_call(const ag_acc_part *cur, const ag_tool_piece *p)
{
	ag_str id = ag_buf_view(&cur->id), name = ag_buf_view(&cur->name);
	bool same_name = ag_str_eq(name, p->name);

	if (!p->name.len || (id.len && ag_str_eq(id, p->id)))
		return false;
	if (p->is_apart)
		return true;
	if (cur->scan.done)
		return !same_name || ag_str_trim(p->input).len;
	if (p->id.len && id.len)
		return !same_name || !p->has_index;
	return !p->has_index && name.len && !same_name;
}

/* The kept call that this id names. */
static ag_acc_part *call_of_id(const ag_acc *a, ag_str id)
{
	for (size_t i = a->npart; id.len && i-- > 0;) {
		ag_acc_part *c = &a->parts[i];

		if (c->type == AG_LLM_TOOL_CALL && ag_str_eq(ag_buf_view(&c->id), id))
			return c;
	}
	return NULL;
}

static ag_acc_part *home_of(ag_acc *a, const ag_tool_piece *p)
{
	ag_acc_part *cur = newest(a, AG_LLM_TOOL_CALL, !p->has_index, p->index);
	ag_acc_part *same = p->has_index ? NULL : call_of_id(a, p->id);

	if (same)
		return same;
	if (cur && !is_new_call(cur, p))
		return cur;
	return open_part(a, AG_LLM_TOOL_CALL, p->has_index ? p->index : (unsigned)a->ntool);
}

/* Does the piece belong to the newest call that was left out? It must not end in the last one that was kept, and no call is
 * counted twice. */
static bool is_of_cut_call(const ag_acc *a, const ag_tool_piece *p)
{
	if (!a->ncut)
		return false;
	if (p->has_index ? p->index != a->cut.index : call_of_id(a, p->id) != NULL)
		return false;
	return !is_new_call(&a->cut, p);
}

/* Remembers of a call that is left out what is_new_call() needs. */
static void feed_cut_call(ag_acc *a, const ag_tool_piece *p, bool is_new)
{
	if (is_new) {
		release_part(&a->cut);
		init_part(&a->cut, AG_LLM_TOOL_CALL, p->index, 0);
		a->ncut++;
	}
	set_id(a, &a->cut, p->id);
	set_name(a, &a->cut, p->name);
	ag_json_scan_feed(&a->cut.scan, p->input);
}

void ag_acc_tool_piece(ag_acc *a, const ag_tool_piece *p)
{
	const bool is_of_cut = is_of_cut_call(a, p);
	ag_acc_part *call = is_of_cut ? NULL : home_of(a, p);

	if (!call) {
		feed_cut_call(a, p, !is_of_cut);
		return;
	}
	set_id(a, call, p->id);
	set_name(a, call, p->name);
	/* A finished object that comes once more, as it is or as a string in a string (LiteLLM's last chunk). */
	if (call->scan.done && p->input.len &&
	    (ag_str_eq(p->input, ag_buf_view(&call->text)) || p->input.ptr[0] == '"'))
		return;
	add_input(a, call, p->input);
}

void ag_acc_tool(ag_acc *a, unsigned index, ag_str id, ag_str name)
{
	const ag_tool_piece p = { .has_index = true, .index = index, .id = id, .name = name };

	ag_acc_tool_piece(a, &p);
}

void ag_acc_tool_input(ag_acc *a, unsigned index, ag_str delta)
{
	ag_acc_part *call = part_at(a, AG_LLM_TOOL_CALL, index);

	if (call)
		add_input(a, call, delta);
}

void ag_acc_tool_preset(ag_acc *a, unsigned index, ag_str input)
{
	ag_acc_part *call = part_at(a, AG_LLM_TOOL_CALL, index);

	if (call && !call->preset.len)
		grow(a, &call->preset, input);
}

bool ag_acc_has_tool(const ag_acc *a, unsigned index)
{
	return newest(a, AG_LLM_TOOL_CALL, false, index) != NULL;
}

void ag_acc_tool_signature(ag_acc *a, ag_str json)
{
	ag_acc_part *call = newest(a, AG_LLM_TOOL_CALL, true, 0);

	if (call && !call->signature.len)
		grow(a, &call->signature, json);
}

/* --- thinking inside of content --- */

/* What a text of `held` bytes so far is: the number of the tag it is, -1 = may become one, -2 = text. */
static int think_tag(ag_str s)
{
	int ret = s.len ? -2 : -1;

	for (size_t i = 0; i < AG_NELEM(think_open); i++) {
		if (ag_str_eqc(s, think_open[i]))
			return (int)i;
		if (ag_str_starts(ag_str_c(think_open[i]), s))
			ret = -1;
	}
	return ret;
}

static ag_str held(const ag_acc *a)
{
	return ag_str_make(a->held, a->nheld);
}

/* Takes bytes until it is known whether the content begins with a tag; returns what is left. */
static ag_str before_think(ag_acc *a, ag_str s)
{
	while (s.len && a->think == AG_THINK_BEFORE) {
		int tag;

		a->held[a->nheld++] = *s.ptr;
		s = ag_str_make(s.ptr + 1, s.len - 1);
		tag = think_tag(ag_str_trim(held(a)));
		if (tag >= 0) {
			a->think = AG_THINK_INSIDE;
			a->think_tag = (unsigned)tag;
			a->nheld = 0;
		} else if (tag == -2 || a->nheld == sizeof(a->held)) {
			a->think = AG_THINK_OVER;
			ag_acc_text(a, 0, held(a));
			a->nheld = 0;
		}
	}
	return s;
}

/* How many bytes at the end of s may be the beginning of the closing tag. */
static size_t open_end(ag_str s, ag_str tag)
{
	size_t n = s.len < tag.len ? s.len : tag.len - 1;

	while (n && memcmp(s.ptr + s.len - n, tag.ptr, n) != 0)
		n--;
	return n;
}

static ag_str inside_think(ag_acc *a, ag_str delta)
{
	const char *close = think_close[a->think_tag], *p;
	ag_str tag = ag_str_c(close), s = delta;

	if (a->nheld)
		s = ag_str_printf(a->scratch, "%.*s%.*s", AG_FMT(held(a)), AG_FMT(delta));
	p = memmem(s.ptr, s.len, close, tag.len);
	if (p) {
		a->think = AG_THINK_BEHIND;
		a->nheld = 0;
		ag_acc_thinking(a, 0, ag_str_make(s.ptr, (size_t)(p - s.ptr)));
		p += tag.len;
		return ag_str_make(p, s.len - (size_t)(p - s.ptr));
	}
	a->nheld = open_end(s, tag);
	memcpy(a->held, s.ptr + s.len - a->nheld, a->nheld);
	ag_acc_thinking(a, 0, ag_str_make(s.ptr, s.len - a->nheld));
	return AG_S("");
}

void ag_acc_content(ag_acc *a, ag_str delta)
{
	if (a->think == AG_THINK_BEFORE)
		delta = before_think(a, delta);
	if (a->think == AG_THINK_INSIDE && delta.len)
		delta = inside_think(a, delta);
	if (a->think == AG_THINK_BEHIND) {
		while (delta.len && memchr(" \t\r\n", *delta.ptr, 4))
			delta = ag_str_make(delta.ptr + 1, delta.len - 1);
		if (delta.len)
			a->think = AG_THINK_OVER;
	}
	if (a->think == AG_THINK_OVER)
		ag_acc_text(a, 0, delta);
}

/* The answer is whole: what might have become a tag is none. */
static void let_go(ag_acc *a)
{
	ag_str s = held(a);

	a->nheld = 0;
	if (a->think == AG_THINK_INSIDE)
		ag_acc_thinking(a, 0, s);
	else if (a->think == AG_THINK_BEFORE && ag_str_trim(s).len)
		ag_acc_text(a, 0, s);
	a->think = AG_THINK_OVER;
}

/* --- the rest --- */

void ag_acc_model(ag_acc *a, ag_str model)
{
	if (!a->model.len)
		ag_buf_add(&a->model, model);
}

void ag_acc_stop(ag_acc *a, ag_llm_stop stop)
{
	/* A refusal is told beside the text; the stop reason that follows it is a plain "stop". */
	if (a->stop != AG_LLM_STOP_REFUSAL)
		a->stop = stop;
}

ag_llm_usage *ag_acc_usage(ag_acc *a)
{
	return &a->usage;
}

void ag_acc_usage_known(ag_acc *a)
{
	a->usage_known = true;
}

void ag_acc_done(ag_acc *a)
{
	let_go(a);
	a->done = true;
}

bool ag_acc_is_done(const ag_acc *a)
{
	return a->done;
}

bool ag_acc_is_empty(const ag_acc *a)
{
	return a->npart == 0 && a->nheld == 0;
}

ag_status ag_acc_check(const ag_acc *a, const char *origin, ag_err *err)
{
	if (a->too_large)
		return ag_fail(err, AG_LIMIT, origin, "the answer is larger than %u MB",
		               AG_WIRE_MAX_REPLY_BYTES >> 20);
	if (a->too_many)
		return ag_fail(err, AG_LIMIT, origin, "the answer has more than %u parts",
		               MAX_PARTS);
	return AG_OK;
}
