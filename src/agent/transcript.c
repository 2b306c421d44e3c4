/* transcript -- events in, messages out. Each reply of the model is one assistant message with all its calls, each of
 * them is answered in one user message in the same order: servers refuse a history with an unanswered call. */
#include "agent/transcript.h"

#include "base/json.h"
#include "query/extjson.h"

#define TURN_MAX_BYTES (16u << 20)

static ag_turn *push_turn(ag_transcript *t)
{
	if (t->nturn == t->cap) {
		const size_t cap = t->cap ? 2 * t->cap : 16;
		ag_turn *grown = ag_new_n(t->arena, ag_turn, cap);

		if (t->nturn)
			memcpy(grown, t->turns, t->nturn * sizeof(*grown));
		t->turns = grown;
		t->cap = cap;
	}
	t->turns[t->nturn] = (ag_turn){ 0 };
	t->next = 0;
	return &t->turns[t->nturn++];
}

static ag_turn *last_turn(const ag_transcript *t)
{
	return t->nturn ? &t->turns[t->nturn - 1] : NULL;
}

static ag_str kept(ag_transcript *t, const ag_val *v, const char *key)
{
	return ag_str_dup(t->arena, ag_val_member_str(v, key));
}

/* The items of an array member; NULL and 0 when it is none. */
static const ag_val *items_of(const ag_val *v, const char *key, size_t *ret_n)
{
	const ag_val *list = ag_val_getc(v, key);
	const bool is_list = list && list->type == AG_T_ARRAY;

	*ret_n = is_list ? list->n : 0;
	return is_list ? list->u.items : NULL;
}

/* {"text":"…","thoughts":[{"text","signature","redacted"}],"calls":[{"id","name","input","signature"}],"cut":n} */
static void read_turn(ag_transcript *t, const ag_val *v)
{
	ag_turn *turn = push_turn(t);
	const ag_val *thoughts = items_of(v, "thoughts", &turn->nthought);
	const ag_val *calls = items_of(v, "calls", &turn->ncall);

	turn->text = kept(t, v, "text");
	turn->ncut = ag_val_member_u64(v, "cut");
	turn->thoughts = ag_new_n(t->arena, ag_turn_thought, turn->nthought);
	for (size_t i = 0; thoughts && i < turn->nthought; i++)
		turn->thoughts[i] = (ag_turn_thought){
			.text = kept(t, &thoughts[i], "text"),
			.signature = kept(t, &thoughts[i], "signature"),
			.is_redacted = ag_val_member_bool(&thoughts[i], "redacted"),
		};
	turn->calls = ag_new_n(t->arena, ag_turn_call, turn->ncall);
	for (size_t i = 0; calls && i < turn->ncall; i++)
		turn->calls[i] = (ag_turn_call){
			.id = kept(t, &calls[i], "id"),
			.name = kept(t, &calls[i], "name"),
			.input = kept(t, &calls[i], "input"),
			.signature = kept(t, &calls[i], "signature"),
		};
}

/* The call that was proposed last. */
static ag_turn_call *proposed(ag_transcript *t)
{
	ag_turn *turn = last_turn(t);

	return turn && t->next && t->next <= turn->ncall ? &turn->calls[t->next - 1] : NULL;
}

/* The call that an event is about: several of one turn may run at the same time. */
static ag_turn_call *call_of(ag_transcript *t, const ag_event *ev)
{
	ag_turn *turn = last_turn(t);

	for (size_t i = 0; turn && ev->cause && i < turn->ncall; i++) {
		if (turn->calls[i].seq == ev->cause)
			return &turn->calls[i];
	}
	return proposed(t);
}

static ag_turn_call *answer(ag_transcript *t, ag_turn_call *call, ag_str text, bool is_error)
{
	if (!call || call->has_result)
		return NULL;
	call->result = ag_str_dup(t->arena, text);
	call->is_error = is_error;
	call->has_result = true;
	return call;
}

static ag_turn_call *read_output(ag_transcript *t, ag_turn_call *call, const ag_val *p)
{
	const ag_val *result = ag_val_getc(p, "result"), *error = ag_val_getc(p, "error");
	const ag_val *text = result ? ag_val_getc(result, "text") : NULL;
	const ag_val *ok = result ? ag_val_getc(result, "ok") : NULL;
	const bool is_error = ag_val_member_bool(p, "is_error");
	const ag_str message = ag_val_member_str(error, "message"),
		     hint = ag_val_member_str(error, "hint");

	if (error || !result)
		return answer(t, call,
		              ag_str_printf(t->arena, "Error: %.*s.%s%.*s", AG_FMT(message),
		                            hint.len ? " " : "", AG_FMT(hint)),
		              true);
	if (!text || text->type != AG_T_STRING)
		return answer(t, call, ag_extjson_str(t->arena, result, AG_EXTJSON_RELAXED),
		              is_error);
	return answer(t, call, ag_val_text(text),
	              is_error || (ok && ok->type == AG_T_BOOL && !ok->u.b));
}

/* Before a tool ran: why it does not; after it: what is wrong with its output; after a final turn: what the run gate wants. */
static ag_turn_call *read_critique(ag_transcript *t, ag_turn_call *call, const ag_val *p)
{
	const ag_str text = ag_val_member_str(p, "text"), gate = ag_val_member_str(p, "gate");
	ag_turn *turn = last_turn(t);

	if (ag_str_eqc(gate, ag_gate_name(AG_GATE_ACTION)))
		return answer(t, call, ag_str_printf(t->arena, "Error: %.*s", AG_FMT(text)), true);
	if (ag_str_eqc(gate, ag_gate_name(AG_GATE_OBSERVATION)) && call && call->has_result)
		call->result = ag_str_printf(t->arena, "%.*s\n\n%.*s", AG_FMT(call->result),
		                             AG_FMT(text));
	if (ag_str_eqc(gate, ag_gate_name(AG_GATE_RUN)) && turn)
		turn->critique = ag_str_dup(t->arena, text);
	return NULL;
}

ag_turn_call *ag_transcript_apply(ag_transcript *t, const ag_event *ev, const ag_val *payload)
{
	const ag_val *turn = ag_val_getc(payload, "turn");
	ag_turn_call *call;
	int64_t ms;

	switch (ev->type) {
	case AG_EV_PROPOSAL:
		if (turn && turn->type == AG_T_OBJECT)
			read_turn(t, turn);
		if (ag_val_member_bool(payload, "final"))
			return NULL;
		t->next++;
		t->ncall++;
		call = proposed(t);
		if (call)
			call->seq = ev->seq;
		return call;
	case AG_EV_TOOL_OUTPUT: return read_output(t, call_of(t, ev), payload);
	case AG_EV_CRITIQUE: return read_critique(t, call_of(t, ev), payload);
	case AG_EV_USAGE:
		ms = (int64_t)ag_val_member_num(payload, "latency_ms");
		if (ms > t->longest_ms)
			t->longest_ms = ms;
		return NULL;
	default: return NULL;
	}
}

const ag_turn_call *ag_transcript_pending(const ag_transcript *t)
{
	const ag_turn *turn = last_turn(t);

	return turn && t->next < turn->ncall ? &turn->calls[t->next] : NULL;
}

ag_str ag_transcript_last_text(const ag_transcript *t)
{
	for (size_t i = t->nturn; i-- > 0;) {
		const ag_str text = ag_str_trim(t->turns[i].text);

		if (text.len)
			return text;
	}
	return AG_S("");
}

static void write_thoughts(const ag_llm_reply *r, ag_jw *w)
{
	ag_jw_kkey(w, "thoughts");
	ag_jw_arr(w);
	for (size_t i = 0; i < r->npart; i++) {
		if (r->parts[i].type != AG_LLM_THINKING)
			continue;
		ag_jw_obj(w);
		ag_jw_kstr(w, "text", r->parts[i].text);
		ag_jw_kstr(w, "signature", r->parts[i].signature);
		ag_jw_kbool(w, "redacted", r->parts[i].is_redacted);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

ag_str ag_transcript_turn_json(const ag_llm_reply *r, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(TURN_MAX_BYTES);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "text", r->text);
	write_thoughts(r, &w);
	ag_jw_kkey(&w, "calls");
	ag_jw_arr(&w);
	for (size_t i = 0; i < r->npart; i++) {
		const ag_llm_part *p = &r->parts[i];

		if (p->type != AG_LLM_TOOL_CALL)
			continue;
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "id", p->id);
		ag_jw_kstr(&w, "name", p->name);
		ag_jw_kstr(&w, "input", p->input);
		ag_jw_kstr(&w, "signature", p->signature);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	if (r->ncut)
		ag_jw_kuint(&w, "cut", r->ncut);
	ag_jw_obj_end(&w);
	ret = out.failed ? AG_S("{}") : ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Servers refuse a history with names that no tool can have, and models make such up. What they wrote stays in the log. */
static ag_str wire_name(ag_str name, ag_arena *arena)
{
	const size_t n = name.len < 64 ? name.len : 64;
	char *p = ag_arena_alloc(arena, n + 1);

	for (size_t i = 0; i < n; i++) {
		const char c = name.ptr[i];
		const bool is_fit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                    (c >= '0' && c <= '9') || c == '_' || c == '-';

		p[i] = is_fit ? c : '_';
	}
	return n ? ag_str_make(p, n) : AG_S("unnamed");
}

static ag_llm_message assistant_message(const ag_turn *turn, bool is_earlier, ag_arena *arena)
{
	const size_t nthought = is_earlier ? 0 : turn->nthought;
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, nthought + 1 + turn->ncall);
	size_t n = 0;

	for (size_t i = 0; i < nthought; i++)
		parts[n++] = (ag_llm_part){ .type = AG_LLM_THINKING,
			                    .text = turn->thoughts[i].text,
			                    .signature = turn->thoughts[i].signature,
			                    .is_redacted = turn->thoughts[i].is_redacted };
	if (turn->text.len)
		parts[n++] = (ag_llm_part){ .type = AG_LLM_TEXT, .text = turn->text };
	for (size_t i = 0; i < turn->ncall; i++)
		parts[n++] = (ag_llm_part){ .type = AG_LLM_TOOL_CALL,
			                    .id = turn->calls[i].id,
			                    .name = wire_name(turn->calls[i].name, arena),
			                    .input = turn->calls[i].input,
			                    .signature = turn->calls[i].signature };
	return (ag_llm_message){ AG_LLM_ASSISTANT, parts, n };
}

static ag_llm_message result_message(const ag_turn *turn, ag_str unanswered, bool is_last,
                                     ag_arena *arena)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, turn->ncall + 2);
	size_t n = 0;

	for (size_t i = 0; i < turn->ncall; i++) {
		const ag_turn_call *c = &turn->calls[i];

		parts[n++] = (ag_llm_part){ .type = AG_LLM_TOOL_RESULT,
			                    .id = c->id,
			                    .name = wire_name(c->name, arena),
			                    .text = c->has_result ? c->result : unanswered,
			                    .is_error = !c->has_result || c->is_error };
	}
	/* What was said so far is the same in the next request: the server may keep it. */
	if (n && is_last)
		parts[n - 1].cache_here = true;
	if (turn->ncut)
		parts[n++] = (ag_llm_part){
			.type = AG_LLM_TEXT,
			.text = ag_str_printf(arena,
			                      "%llu further calls of your reply were cut: at most "
			                      "%zu calls of one reply are taken. Make those again "
			                      "that you still need.",
			                      (unsigned long long)turn->ncut, turn->ncall),
		};
	if (turn->critique.len)
		parts[n++] = (ag_llm_part){ .type = AG_LLM_TEXT, .text = turn->critique };
	return (ag_llm_message){ AG_LLM_USER, parts, n };
}

/* --- messages --- */

typedef struct messages {
	ag_llm_message *items;
	size_t n;
	ag_arena *arena;
} messages;

static void say(messages *m, ag_llm_role role, ag_str text)
{
	ag_llm_part *part = ag_new(m->arena, ag_llm_part);

	*part = (ag_llm_part){ .type = AG_LLM_TEXT, .text = text };
	m->items[m->n++] = (ag_llm_message){ role, part, 1 };
}

/* A run that ended early ends with a message of the user; then the question is a part of that one, because servers want the
 * roles to take turns. */
static void ask(messages *m, ag_str question)
{
	ag_llm_message *last = m->n ? &m->items[m->n - 1] : NULL;
	ag_llm_part *parts;

	if (!last || last->role != AG_LLM_USER) {
		say(m, AG_LLM_USER, question);
		return;
	}
	parts = ag_new_n(m->arena, ag_llm_part, last->npart + 1);
	memcpy(parts, last->parts, last->npart * sizeof(*parts));
	parts[last->npart] = (ag_llm_part){ .type = AG_LLM_TEXT, .text = question };
	last->parts = parts;
	last->npart++;
}

static void say_turns(messages *m, const ag_transcript *t, ag_str unanswered, bool is_earlier)
{
	AG_ASSERT(!t->nturn || t->turns);
	for (size_t i = 0; i < t->nturn; i++) {
		const ag_turn *turn = &t->turns[i];
		const ag_llm_message words = assistant_message(turn, is_earlier, m->arena);

		if (words.npart || !is_earlier)
			m->items[m->n++] = words;
		if (turn->ncall || turn->critique.len)
			m->items[m->n++] = result_message(turn, unanswered,
			                                  !is_earlier && i + 1 == t->nturn,
			                                  m->arena);
	}
}

/* The last words of a budget are in the log without a turn. */
static void say_exchange(messages *m, const ag_earlier *x, ag_str unanswered)
{
	const ag_turn *last = last_turn(&x->turns);
	const bool has_said = last && !last->ncall && !last->critique.len &&
	                      ag_str_trim(last->text).len;

	ask(m, x->question);
	say_turns(m, &x->turns, unanswered, true);
	if (x->answer.len && !has_said)
		say(m, AG_LLM_ASSISTANT, x->answer);
}

/* What was said before the question is the same in every request of the run: the server may keep it. */
static void cache_so_far(const messages *m)
{
	ag_llm_message *last = m->n ? &m->items[m->n - 1] : NULL;
	ag_llm_part *parts;

	if (!last || !last->npart)
		return;
	parts = ag_new_n(m->arena, ag_llm_part, last->npart);
	memcpy(parts, last->parts, last->npart * sizeof(*parts));
	parts[last->npart - 1].cache_here = true;
	last->parts = parts;
}

ag_llm_message *ag_transcript_messages(ag_conversation *c, ag_arena *arena, size_t *ret_n)
{
	messages m = { .arena = arena };
	size_t max = 2 * c->turns->nturn + 2;

	for (size_t i = 0; i < c->nearlier; i++)
		max += 2 * c->earlier[i].turns.nturn + 2;
	m.items = ag_new_n(arena, ag_llm_message, max);
	for (size_t i = 0; i < c->nearlier; i++)
		say_exchange(&m, &c->earlier[i], c->unanswered);
	cache_so_far(&m);
	ask(&m, c->question);
	c->question_at = m.n - 1;
	say_turns(&m, c->turns, c->unanswered, false);
	if (c->more.len)
		say(&m, AG_LLM_USER, c->more);
	*ret_n = m.n;
	return m.items;
}

/* --- pruning --- */

static bool answers_calls(const ag_llm_message *m)
{
	for (size_t i = 0; i < m->npart; i++) {
		if (m->parts[i].type == AG_LLM_TOOL_RESULT)
			return true;
	}
	return false;
}

/* Results of calls that were cut off answer nothing. */
static void drop_results(ag_llm_message *m, ag_arena *arena)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, m->npart);
	size_t n = 0;

	for (size_t i = 0; i < m->npart; i++) {
		if (m->parts[i].type != AG_LLM_TOOL_RESULT)
			parts[n++] = m->parts[i];
	}
	m->parts = parts;
	m->npart = n;
}

ag_llm_message *ag_transcript_prune(ag_llm_message *all, size_t *n, size_t max, size_t question_at,
                                    ag_arena *arena)
{
	size_t first;

	if (*n <= max)
		return all;
	first = *n - max;
	while (first < question_at &&
	       (all[first].role != AG_LLM_USER || answers_calls(&all[first])))
		first++;
	if (first > question_at) {
		/* The question, then the newest replies with what answers them. */
		do
			first++;
		while (first < *n && all[first].role != AG_LLM_ASSISTANT);
		all[--first] = all[question_at];
		question_at = first;
	}
	if (first == question_at)
		drop_results(&all[first], arena);
	*n -= first;
	return all + first;
}

/* --- earlier turns --- */

ag_status ag_earlier_read(const ag_event *events, size_t n, ag_arena *arena, ag_earlier *ret,
                          ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	ag_status st = AG_OK;

	*ret = (ag_earlier){ .turns = { .arena = arena } };
	for (size_t i = 0; i < n && !st; i++) {
		ag_val p;

		st = ag_extjson_parse(events[i].payload, &opts, arena, &p, NULL, NULL, err);
		if (st)
			return st;
		ag_transcript_apply(&ret->turns, &events[i], &p);
		if (events[i].type == AG_EV_RUN_STARTED)
			ret->question = ag_val_member_str(&p, "question");
		if (events[i].type == AG_EV_PROPOSAL && ag_val_member_bool(&p, "final"))
			ret->answer = ag_str_trim(ag_val_member_str(&p, "text"));
	}
	return st;
}
