/* state -- events in, calls out. An observation of this agent is
 *   {"text":"what the model reads","ok":true,"file":{"path","sha256","first_line","last_line","lines"},
 *    "folder":"wiki","request":"GET /items/","status":200}
 * Texts have been cleaned of keys when they come here (agent/loop_events.c), so the hash of a result is that of what was
 * shown and is printed. */
#include "ask/state.h"

#include "base/sha256.h"
#include "query/extjson.h"

void ag_ask_state_init(ag_ask_state *s, ag_arena *arena)
{
	*s = (ag_ask_state){ .arena = arena, .transcript = { .arena = arena } };
}

static ag_answer_call *push_call(ag_ask_state *s)
{
	if (s->ncall == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 16;
		ag_answer_call *grown = ag_new_n(s->arena, ag_answer_call, cap);

		if (s->ncall)
			memcpy(grown, s->calls, s->ncall * sizeof(*grown));
		s->calls = grown;
		s->cap = cap;
	}
	s->calls[s->ncall] = (ag_answer_call){ 0 };
	return &s->calls[s->ncall++];
}

/* The arguments as they were read; what is no JSON object becomes a member of one (answer.h). */
static ag_str args_of(ag_ask_state *s, const ag_val *p)
{
	const ag_val *input = ag_val_getc(p, "action_input");

	return input ? ag_extjson_str(s->arena, input, AG_EXTJSON_RELAXED)
	             : ag_answer_unparsed(ag_val_member_str(p, "action_input_text"), s->arena);
}

static ag_str kept(ag_ask_state *s, const ag_val *v, const char *key)
{
	return ag_str_dup(s->arena, ag_val_member_str(v, key));
}

static void read_proof(ag_ask_state *s, ag_answer_call *c, const ag_val *result)
{
	const ag_val *file = ag_val_getc(result, "file");

	c->folder = kept(s, result, "folder");
	c->request = kept(s, result, "request");
	c->status = (int)ag_val_member_u64(result, "status");
	if (!file || file->type != AG_T_OBJECT)
		return;
	c->file = (ag_seen_file){
		.path = kept(s, file, "path"),
		.sha256 = kept(s, file, "sha256"),
		.first_line = (unsigned)ag_val_member_u64(file, "first_line"),
		.last_line = (unsigned)ag_val_member_u64(file, "last_line"),
		.nline = (unsigned)ag_val_member_u64(file, "lines"),
	};
}

/* The call that an event is about. */
static ag_answer_call *call_of(const ag_ask_state *s, const ag_event *ev)
{
	for (size_t i = s->ncall; i-- > 0 && ev->cause;) {
		if (s->calls[i].seq == ev->cause)
			return &s->calls[i];
	}
	return s->ncall ? &s->calls[s->ncall - 1] : NULL;
}

static void answer(ag_answer_call *c, const ag_turn_call *from, ag_arena *arena)
{
	ag_sha256_hex hash;

	if (!c || !from)
		return;
	c->result = from->result;
	c->ok = !from->is_error;
	hash = ag_sha256(c->result);
	c->sha256 = ag_str_dup(arena, ag_str_c(hash.text));
}

static void read_proposal(ag_ask_state *s, const ag_event *ev, const ag_val *p)
{
	ag_answer_call *c;

	if (ag_val_member_bool(p, "final")) {
		s->has_final = true;
		s->final_text = kept(s, p, "text");
		s->partial_why = kept(s, p, "partial_why");
		return;
	}
	c = push_call(s);
	c->seq = ev->seq;
	c->tool = kept(s, p, "action");
	c->args = args_of(s, p);
}

static void read_usage(ag_ask_state *s, const ag_val *p)
{
	s->input_tokens += ag_val_member_u64(p, "input_tokens");
	s->output_tokens += ag_val_member_u64(p, "output_tokens");
	s->usd = ag_llm_usd_add(s->usd, ag_val_member_num(p, "usd"));
	s->model_calls += ag_val_member_u64(p, "attempts");
}

ag_status ag_ask_apply(void *state, const ag_event *ev, ag_err *err)
{
	/* Not typed: {"$date":…} among the arguments of a model is what it wrote. */
	const ag_extjson_opts opts = { 0 };
	ag_ask_state *s = (ag_ask_state *)state;
	ag_arena *scratch = ag_arena_new();
	ag_status st;
	ag_val p;

	st = ag_extjson_parse(ev->payload, &opts, scratch, &p, NULL, NULL, err);
	if (!st) {
		const ag_turn_call *call = ag_transcript_apply(&s->transcript, ev, &p);

		switch (ev->type) {
		case AG_EV_PROPOSAL: read_proposal(s, ev, &p); break;
		case AG_EV_TOOL_OUTPUT:
			if (s->ncall && ag_val_getc(&p, "result"))
				read_proof(s, call_of(s, ev), ag_val_getc(&p, "result"));
			answer(call_of(s, ev), call, s->arena);
			break;
		case AG_EV_CRITIQUE: answer(call_of(s, ev), call, s->arena); break;
		case AG_EV_USAGE: read_usage(s, &p); break;
		case AG_EV_RUN_FINISHED:
			s->status = kept(s, &p, "status");
			s->why = kept(s, &p, "why");
			break;
		default: break;
		}
	}
	ag_arena_free(scratch);
	return st;
}

ag_str ag_ask_words(const ag_ask_state *s)
{
	return s->has_final ? s->final_text : ag_transcript_last_text(&s->transcript);
}
