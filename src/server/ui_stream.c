/* ui_stream -- see the header. Reading order: ag_ui_stream_event(), reply(), close_step(). */
#include "server/ui_stream.h"

#include <stdio.h>
#include <string.h>

#include "query/extjson.h"

#define MAX_SHOWN (8u << 20) /* bytes of a reply's text */

/* A call that was proposed and has no output yet. */
typedef struct ag_ui_call {
	struct ag_ui_call *next;
	ag_id id;
	ag_str name, input;
	bool is_announced;
} ag_ui_call;

/* --- chunks as JSON --- */

static const char *const type_names[] = {
	[AG_UI_START] = "start",
	[AG_UI_START_STEP] = "start-step",
	[AG_UI_TEXT_START] = "text-start",
	[AG_UI_TEXT_DELTA] = "text-delta",
	[AG_UI_TEXT_END] = "text-end",
	[AG_UI_REASONING_START] = "reasoning-start",
	[AG_UI_REASONING_DELTA] = "reasoning-delta",
	[AG_UI_REASONING_END] = "reasoning-end",
	[AG_UI_TOOL_INPUT] = "tool-input-available",
	[AG_UI_TOOL_OUTPUT] = "tool-output-available",
	[AG_UI_TOOL_ERROR] = "tool-output-error",
	[AG_UI_DATA] = "data-status",
	[AG_UI_ERROR] = "error",
	[AG_UI_ABORT] = "abort",
	[AG_UI_FINISH_STEP] = "finish-step",
	[AG_UI_FINISH] = "finish",
};

static bool has_id(ag_ui_type t)
{
	return t >= AG_UI_TEXT_START && t <= AG_UI_REASONING_END;
}

static bool is_of_call(ag_ui_type t)
{
	return t >= AG_UI_TOOL_INPUT && t <= AG_UI_TOOL_ERROR;
}

void ag_ui_chunk_json(const ag_ui_chunk *c, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", c->type == AG_UI_DATA ? c->name : ag_str_c(type_names[c->type]));
	if (c->type == AG_UI_START)
		ag_jw_kstr(&w, "messageId", c->id);
	if (has_id(c->type) || (c->type == AG_UI_DATA && c->id.len))
		ag_jw_kstr(&w, "id", c->id);
	if (is_of_call(c->type))
		ag_jw_kstr(&w, "toolCallId", c->id);
	if (c->type == AG_UI_TOOL_INPUT) {
		ag_jw_kstr(&w, "toolName", c->name);
		ag_jw_kraw(&w, "input", c->json);
	}
	if (c->type == AG_UI_TOOL_OUTPUT)
		ag_jw_kraw(&w, "output", c->json);
	if (c->type == AG_UI_TOOL_ERROR || c->type == AG_UI_ERROR)
		ag_jw_kstr(&w, "errorText", c->text);
	if (c->type == AG_UI_TEXT_DELTA || c->type == AG_UI_REASONING_DELTA)
		ag_jw_kstr(&w, "delta", c->text);
	if (c->type == AG_UI_DATA) {
		ag_jw_kraw(&w, "data", c->json);
		if (c->is_transient)
			ag_jw_kbool(&w, "transient", true);
	}
	if (c->type == AG_UI_FINISH)
		ag_jw_kstr(&w, "finishReason", c->name);
	ag_jw_obj_end(&w);
}

/* --- the stream --- */

void ag_ui_stream_init(ag_ui_stream *s, void (*emit)(void *arg, const ag_ui_chunk *c), void *arg)
{
	*s = (ag_ui_stream){ .emit = emit,
		             .arg = arg,
		             .scratch = ag_arena_new(),
		             .texts = ag_arena_new(),
		             .shown = AG_BUF_INIT(MAX_SHOWN),
		             .thoughts = AG_BUF_INIT(MAX_SHOWN) };
}

void ag_ui_stream_release(ag_ui_stream *s)
{
	ag_arena_free(s->scratch);
	ag_arena_free(s->texts);
	ag_buf_release(&s->shown);
	ag_buf_release(&s->thoughts);
}

static void give(ag_ui_stream *s, ag_ui_chunk c)
{
	s->emit(s->arg, &c);
}

static void close_part(ag_ui_stream *s)
{
	if (!s->open[0])
		return;
	give(s, (ag_ui_chunk){ .type = s->is_reasoning ? AG_UI_REASONING_END : AG_UI_TEXT_END,
	                       .id = ag_str_c(s->open) });
	s->open[0] = '\0';
}

static void close_step(ag_ui_stream *s)
{
	close_part(s);
	if (s->in_step)
		give(s, (ag_ui_chunk){ .type = AG_UI_FINISH_STEP });
	s->in_step = s->has_reply = false;
}

/* A reply begins with the first thing that is known of it. */
static void begin_reply(ag_ui_stream *s)
{
	if (s->in_step && !s->has_reply)
		return;
	close_step(s);
	give(s, (ag_ui_chunk){ .type = AG_UI_START_STEP });
	s->in_step = true;
	ag_buf_clear(&s->shown);
	ag_buf_clear(&s->thoughts);
}

static void begin_step(ag_ui_stream *s)
{
	if (!s->in_step)
		begin_reply(s);
}

static void open_part(ag_ui_stream *s, bool is_reasoning)
{
	if (s->open[0] && s->is_reasoning == is_reasoning)
		return;
	close_part(s);
	s->is_reasoning = is_reasoning;
	if (is_reasoning)
		snprintf(s->open, sizeof(s->open), "reasoning-%u", s->nreasoning++);
	else
		snprintf(s->open, sizeof(s->open), "text-%u", s->ntext++);
	if (!is_reasoning)
		memcpy(s->last_text, s->open, sizeof(s->open));
	give(s, (ag_ui_chunk){ .type = is_reasoning ? AG_UI_REASONING_START : AG_UI_TEXT_START,
	                       .id = ag_str_c(s->open) });
}

static void say(ag_ui_stream *s, ag_str text, bool is_reasoning)
{
	if (!text.len)
		return;
	open_part(s, is_reasoning);
	give(s, (ag_ui_chunk){ .type = is_reasoning ? AG_UI_REASONING_DELTA : AG_UI_TEXT_DELTA,
	                       .id = ag_str_c(s->open),
	                       .text = text });
}

void ag_ui_stream_think(ag_ui_stream *s, ag_str piece)
{
	if (s->is_over || !s->is_started || !piece.len)
		return;
	begin_reply(s);
	ag_buf_add(&s->thoughts, piece);
	say(s, piece, true);
}

/* What became of an earlier part: {"kind":"replaced","part":"text-0","reason":"…"} */
static void tell_status(ag_ui_stream *s, const char *kind, ag_str part, ag_str reason)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "kind", ag_str_c(kind));
	ag_jw_kstr(&w, "part", part);
	ag_jw_kstr(&w, "reason", reason);
	ag_jw_obj_end(&w);
	give(s, (ag_ui_chunk){ .type = AG_UI_DATA,
	                       .name = AG_S("data-status"),
	                       .id = ag_str_printf(s->scratch, "status-%.*s", AG_FMT(part)),
	                       .json = ag_buf_view(&out) });
	ag_buf_release(&out);
}

void ag_ui_stream_answer(ag_ui_stream *s, ag_str json)
{
	if (s->is_over || !s->is_started || !json.len)
		return;
	begin_step(s);
	close_part(s);
	give(s, (ag_ui_chunk){ .type = AG_UI_DATA,
	                       .name = AG_S("data-answer"),
	                       .id = AG_S("answer"),
	                       .json = json });
}

/* --- calls --- */

static ag_ui_call *find_call(ag_ui_stream *s, ag_str id)
{
	ag_ui_call *c = s->calls;

	while (c && !ag_str_eq(ag_id_str(&c->id), id))
		c = c->next;
	return c;
}

static void announce(ag_ui_stream *s, ag_ui_call *c)
{
	if (c->is_announced)
		return;
	c->is_announced = true;
	begin_step(s);
	close_part(s);
	give(s, (ag_ui_chunk){ .type = AG_UI_TOOL_INPUT,
	                       .id = ag_id_str(&c->id),
	                       .name = c->name,
	                       .json = c->input.len ? c->input : AG_S("{}") });
}

static ag_ui_call *note_call(ag_ui_stream *s, const ag_id *id, ag_str name, const ag_val *input)
{
	ag_ui_call *c = find_call(s, ag_id_str(id));

	if (c)
		return c;
	c = ag_new(s->texts, ag_ui_call);
	*c = (ag_ui_call){ .next = s->calls, .id = *id, .name = ag_str_dup(s->texts, name) };
	if (input && input->type == AG_T_OBJECT)
		c->input = ag_extjson_str(s->texts, input, AG_EXTJSON_RELAXED);
	s->calls = c;
	return c;
}

static void forget_call(ag_ui_stream *s, const ag_ui_call *c)
{
	ag_ui_call **p = &s->calls;

	while (*p && *p != c)
		p = &(*p)->next;
	if (*p)
		*p = c->next;
}

static void fail_call(ag_ui_stream *s, ag_ui_call *c, ag_str why)
{
	announce(s, c);
	give(s, (ag_ui_chunk){ .type = AG_UI_TOOL_ERROR,
	                       .id = ag_id_str(&c->id),
	                       .text = why.len ? why : AG_S("the call failed") });
	forget_call(s, c);
}

/* --- events --- */

/* What was shown of the reply does not count: another one takes its place. */
static void void_reply(ag_ui_stream *s, const char *reason)
{
	close_part(s);
	if (s->shown.len)
		tell_status(s, "void", ag_str_c(s->last_text), ag_str_c(reason));
	ag_buf_clear(&s->shown);
	ag_buf_clear(&s->thoughts);
}

static void take_text(ag_ui_stream *s, const ag_val *p)
{
	const ag_str text = ag_val_member_str(p, "text");

	begin_reply(s);
	if (ag_val_member_bool(p, "void")) {
		close_part(s);
		if (s->shown.len)
			tell_status(s, "void", ag_str_c(s->last_text),
			            AG_S("the model began again"));
		ag_buf_clear(&s->shown);
		return;
	}
	ag_buf_add(&s->shown, text);
	say(s, text, false);
}

/* The whole reply is known: what was not shown of it follows. */
static void take_turn(ag_ui_stream *s, const ag_val *turn)
{
	const ag_val *thoughts = ag_val_getc(turn, "thoughts");
	const ag_str text = ag_val_member_str(turn, "text"), shown = ag_buf_view(&s->shown);

	begin_reply(s);
	for (uint32_t i = 0;
	     !s->thoughts.len && thoughts && thoughts->type == AG_T_ARRAY && i < thoughts->n; i++)
		say(s, ag_val_member_str(&thoughts->u.items[i], "text"), true);
	if (ag_str_starts(text, shown)) {
		say(s, ag_str_make(text.ptr + shown.len, text.len - shown.len), false);
	} else {
		void_reply(s, "the reply is another one");
		say(s, text, false);
	}
	close_part(s);
	s->has_reply = true;
}

static void take_proposal(ag_ui_stream *s, const ag_event *ev, const ag_val *p)
{
	const ag_val *turn = ag_val_getc(p, "turn");
	const ag_str action = ag_val_member_str(p, "action");

	if (turn && turn->type == AG_T_OBJECT)
		take_turn(s, turn);
	if (ag_val_member_bool(p, "final"))
		s->has_final = ag_val_member_str(p, "text").len > 0;
	if (action.len)
		note_call(s, &ev->call_id, action, ag_val_getc(p, "action_input"));
}

static ag_str failure_of(const ag_val *p)
{
	const ag_val *result = ag_val_getc(p, "result"), *error = ag_val_getc(p, "error");
	ag_str text = error ? ag_val_member_str(error, "message") : AG_S("");

	if (!text.len && result)
		text = ag_val_member_str(result, "error");
	return text.len ? text : ag_val_member_str(p, "summary");
}

/* What a tool drew is a part of its own, which a page opens: {"artifact_id","title","type","version",…}. */
static void show_artifact(ag_ui_stream *s, const ag_val *result)
{
	const ag_val *data = ag_val_getc(result, "data");
	const ag_str id = data ? ag_val_member_str(data, "artifact_id") : AG_S("");

	if (id.len)
		give(s,
		     (ag_ui_chunk){ .type = AG_UI_DATA,
		                    .name = AG_S("data-artifact"),
		                    .id = id,
		                    .json = ag_extjson_str(s->scratch, data, AG_EXTJSON_RELAXED) });
}

static void take_output(ag_ui_stream *s, const ag_event *ev, const ag_val *p)
{
	const ag_val *result = ag_val_getc(p, "result");
	ag_ui_call *c = note_call(s, &ev->call_id, ag_val_member_str(p, "tool"), NULL);

	if (!result || ag_val_member_bool(p, "is_error") || !ag_val_member_bool(p, "ok")) {
		fail_call(s, c, failure_of(p));
		return;
	}
	announce(s, c);
	give(s, (ag_ui_chunk){ .type = AG_UI_TOOL_OUTPUT,
	                       .id = ag_id_str(&c->id),
	                       .json = ag_extjson_str(s->scratch, result, AG_EXTJSON_RELAXED) });
	show_artifact(s, result);
	forget_call(s, c);
}

static void take_verdict(ag_ui_stream *s, const ag_val *p)
{
	const ag_str gate = ag_val_member_str(p, "gate");
	ag_ui_call *c;

	if (!ag_str_eqc(ag_val_member_str(p, "verdict"), "fail"))
		return;
	if (ag_str_eqc(gate, "run") && s->last_text[0]) {
		tell_status(s, "replaced", ag_str_c(s->last_text), ag_val_member_str(p, "reason"));
	} else if (ag_str_eqc(gate, "action")) {
		c = find_call(s, ag_val_member_str(p, "target_id"));
		if (c)
			fail_call(s, c, ag_val_member_str(p, "reason"));
	}
}

/* Calls without a result are said to be so, because a reader waits for each. */
static void end_calls(ag_ui_stream *s)
{
	while (s->calls) {
		ag_ui_call *c = s->calls;

		if (c->is_announced)
			fail_call(s, c, AG_S("it was interrupted, there is no result"));
		else
			forget_call(s, c);
	}
}

static void end(ag_ui_stream *s, const char *reason)
{
	close_step(s);
	give(s, (ag_ui_chunk){ .type = AG_UI_FINISH, .name = ag_str_c(reason) });
	s->is_over = true;
}

void ag_ui_stream_break(ag_ui_stream *s, ag_str why)
{
	if (s->is_over || !s->is_started)
		return;
	end_calls(s);
	close_part(s);
	give(s, (ag_ui_chunk){ .type = AG_UI_ERROR, .text = why });
	end(s, "error");
}

static void take_end(ag_ui_stream *s, const ag_val *p)
{
	const ag_str status = ag_val_member_str(p, "status"), why = ag_val_member_str(p, "why");

	end_calls(s);
	if (ag_str_eqc(status, "cancelled")) {
		close_step(s);
		give(s, (ag_ui_chunk){ .type = AG_UI_ABORT });
		s->is_over = true;
	} else if (ag_str_eqc(status, "ok") || s->has_final) {
		end(s, ag_str_eqc(status, "ok") ? "stop" : "other");
	} else {
		ag_ui_stream_break(s, s->error.len ? s->error : why);
	}
}

static void begin(ag_ui_stream *s, const ag_id *run)
{
	s->is_started = true;
	give(s, (ag_ui_chunk){ .type = AG_UI_START, .id = ag_id_str(run) });
}

void ag_ui_stream_event(ag_ui_stream *s, const ag_event *ev)
{
	const ag_extjson_opts opts = { 0 };
	ag_val p;

	if (s->is_over)
		return;
	ag_arena_reset(s->scratch);
	if (ag_extjson_parse(ev->payload, &opts, s->scratch, &p, NULL, NULL, NULL) ||
	    p.type != AG_T_OBJECT)
		return; /* of a newer Argus, or damaged: what is known is shown */
	if (!s->is_started)
		begin(s, &ev->run);
	switch (ev->type) {
	case AG_EV_TEXT_DELTA: take_text(s, &p); break;
	case AG_EV_PROPOSAL: take_proposal(s, ev, &p); break;
	case AG_EV_RUN_RESUMED:
		if (s->in_step && !s->has_reply)
			void_reply(s, "it was interrupted, and the model is asked again");
		break;
	case AG_EV_TOOL_INPUT:
		announce(s, note_call(s, &ev->call_id, ag_val_member_str(&p, "tool"),
		                      ag_val_getc(&p, "input")));
		break;
	case AG_EV_TOOL_OUTPUT: take_output(s, ev, &p); break;
	case AG_EV_VERDICT: take_verdict(s, &p); break;
	case AG_EV_ERROR: s->error = ag_str_dup(s->texts, ag_val_member_str(&p, "message")); break;
	case AG_EV_RUN_FINISHED: take_end(s, &p); break;
	default: break;
	}
}

/* --- reading again --- */

/* The thoughts of the reply that the first of these events is a piece of. */
static void think_ahead(ag_ui_stream *s, const ag_event *events, size_t n)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_extjson_opts opts = { 0 };
	const ag_val *turn, *thoughts;
	size_t i = 0;
	ag_val p;

	while (i < n && events[i].type != AG_EV_PROPOSAL)
		i++;
	if (i == n || ag_extjson_parse(events[i].payload, &opts, arena, &p, NULL, NULL, NULL))
		return;
	turn = ag_val_getc(&p, "turn");
	thoughts = turn ? ag_val_getc(turn, "thoughts") : NULL;
	for (uint32_t k = 0; thoughts && thoughts->type == AG_T_ARRAY && k < thoughts->n; k++)
		ag_ui_stream_think(s, ag_val_member_str(&thoughts->u.items[k], "text"));
}

void ag_ui_stream_replay(ag_ui_stream *s, const ag_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (events[i].type == AG_EV_TEXT_DELTA && (!s->in_step || s->has_reply))
			think_ahead(s, events + i, n - i);
		ag_ui_stream_event(s, &events[i]);
	}
}
