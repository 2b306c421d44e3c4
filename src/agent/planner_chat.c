/* planner_chat -- see the header. Read propose(): a call that waits, or a question to the model.
 *
 * A reply that is empty, only announces, or holds a call that cannot be read is asked for once more, with the reason. Calls
 * that were written as text look like native ones here (llm/text_calls.h).
 *
 * Time. A reply takes as long as the longest one so far, we assume. A question with tools is asked only when after it one
 * more reply fits before the deadline, and it may not eat that last reply's share. */
#include "agent/planner_chat.h"

#include "agent/announce.h"
#include "base/utf8.h"

#define ORIGIN       "agent.chat"
#define MIN_REPLY_MS 700  /* less is no time for an answer */
#define MIN_SHARE_MS 2000 /* kept for the last words, when there is so much */
/* Of one reply, so that it fits an event: words, and the arguments of all its calls. */
#define MAX_TEXT_BYTES  (1u << 20)
#define MAX_INPUT_BYTES (1u << 20)
#define ECHO_BYTES      2000 /* of a reply that is asked for again, shown to the model */

typedef struct chat {
	ag_planner base;
	ag_chat_opts o;
	ag_err failed; /* the newest failure of the model */
} chat;

/* Milliseconds that the last words need, of those that are left. */
static int64_t share_of_last_words(const chat *p, int64_t left_ms)
{
	const int64_t needed = p->o.transcript->longest_ms + p->o.transcript->longest_ms / 5;
	const int64_t wanted = needed > MIN_SHARE_MS ? needed : MIN_SHARE_MS;

	return wanted < left_ms / 2 ? wanted : left_ms / 2;
}

static bool is_time_for_last_words(const chat *p, const ag_ctx *ctx)
{
	const int64_t left_ms = ag_ctx_left_ms(ctx);

	return p->o.transcript->nturn && left_ms >= 0 && left_ms < 2 * p->o.transcript->longest_ms;
}

/* What follows the conversation in one request; both "" = nothing. */
typedef struct tail {
	ag_str more;     /* the user's last words: no tools may be called any more */
	ag_str echo;     /* a reply that is no answer, */
	ag_str critique; /* and what the user says of it */
} tail;

/* Two more messages at the end. */
static ag_llm_message *with_critique(const tail *t, const ag_llm_message *messages, size_t *n,
                                     ag_arena *arena)
{
	ag_llm_message *ret = ag_new_n(arena, ag_llm_message, *n + 2);
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, 2);

	memcpy(ret, messages, *n * sizeof(*ret));
	parts[0] = (ag_llm_part){ .type = AG_LLM_TEXT, .text = t->echo };
	parts[1] = (ag_llm_part){ .type = AG_LLM_TEXT, .text = t->critique };
	if (t->echo.len)
		ret[(*n)++] = (ag_llm_message){ AG_LLM_ASSISTANT, &parts[0], 1 };
	ret[(*n)++] = (ag_llm_message){ AG_LLM_USER, &parts[1], 1 };
	return ret;
}

/* room: further messages that will follow. */
static ag_llm_message *pruned(const chat *p, ag_conversation *c, size_t room, ag_arena *arena,
                              size_t *ret_n)
{
	ag_llm_message *ret = ag_transcript_messages(c, arena, ret_n);

	return p->o.max_messages ? ag_transcript_prune(ret, ret_n, p->o.max_messages - room,
	                                               c->question_at, arena)
	                         : ret;
}

/* To the live sink, and to the log. */
static void relay(void *arg, const ag_llm_delta *d)
{
	const chat *p = arg;

	if (p->base.say && (d->type == AG_LLM_DELTA_TEXT || d->type == AG_LLM_DELTA_VOID))
		p->base.say(p->base.say_arg, d->text, d->type == AG_LLM_DELTA_VOID, d->more);
	if (p->o.watch.on_delta)
		p->o.watch.on_delta(p->o.watch.arg, d);
}

static void relay_retry(void *arg, const ag_err *why, int64_t wait_ms)
{
	const chat *p = arg;

	if (p->o.watch.on_retry)
		p->o.watch.on_retry(p->o.watch.arg, why, wait_ms);
}

static bool is_watched(const chat *p)
{
	return p->o.watch.on_delta || p->base.say;
}

static ag_watch watch_of(const chat *p)
{
	return (ag_watch){ .on_delta = relay,
		           .on_retry = relay_retry,
		           .arg = (void *)(uintptr_t)p };
}

static ag_status ask(const chat *p, const ag_ctx *ctx, const tail *t, ag_arena *arena,
                     ag_llm_reply *ret, ag_err *err)
{
	const ag_llm_part system = { .type = AG_LLM_TEXT, .text = p->o.system, .cache_here = true };
	ag_llm_request r = {
		.purpose = p->o.purpose,
		.system = &system,
		.nsystem = 1,
		.tools = p->o.tools,
		.ntool = p->o.ntool,
		.choice = t->more.len ? AG_LLM_CHOICE_NONE : AG_LLM_CHOICE_AUTO,
		.meter = p->o.meter,
	};
	ag_conversation c = { .earlier = p->o.earlier,
		              .nearlier = p->o.nearlier,
		              .question = p->o.first,
		              .turns = p->o.transcript,
		              .unanswered = p->o.unanswered,
		              .more = t->more };
	const ag_watch watch = watch_of(p);
	ag_live_text live;
	ag_status st;

	r.messages = pruned(p, &c, t->critique.len ? 2 : 0, arena, &r.nmessage);
	if (t->critique.len)
		r.messages = with_critique(t, r.messages, &r.nmessage, arena);
	ag_live_text_init(&live, &watch);
	r.on_delta = is_watched(p) ? ag_live_text_take : NULL;
	r.on_retry = ag_live_text_retry;
	r.arg = &live;
	st = ag_llm_ask(p->o.llm, ctx, &r, arena, ret, err);
	if (is_watched(p))
		ag_live_text_end(&live, st ? NULL : ret);
	ag_live_text_release(&live);
	return st;
}

static bool has_call(const ag_llm_reply *r)
{
	for (size_t i = 0; i < r->npart; i++) {
		if (r->parts[i].type == AG_LLM_TOOL_CALL)
			return true;
	}
	return false;
}

/* Why a reply is asked for once more, in words for the model; "" = it is taken. */
static ag_str why_again(const chat *p, const ag_llm_reply *r, bool last_words, ag_arena *arena)
{
	if ((has_call(r) && !last_words) || r->stop == AG_LLM_STOP_REFUSAL)
		return AG_S("");
	if (r->complaint.len && !last_words)
		return ag_str_printf(arena,
		                     "Your reply holds a tool call as text, and it was not run: "
		                     "%.*s. Make the call again, with nothing around it, or "
		                     "answer the question in plain words.",
		                     AG_FMT(r->complaint));
	if (!ag_str_trim(r->text).len && r->stop == AG_LLM_STOP_LENGTH)
		return AG_S("Your reply ended before it said anything: it is longer than you may "
		            "write. Think less, and answer in a few words.");
	if (!ag_str_trim(r->text).len && last_words)
		return AG_S("Your reply was empty. Answer the question in plain words now.");
	if (!ag_str_trim(r->text).len)
		return AG_S("Your reply was empty. Call a tool, or answer the question in plain "
		            "words.");
	if (!last_words && r->stop != AG_LLM_STOP_LENGTH &&
	    ag_announces(r->text, p->o.transcript->ncall > 0))
		return AG_S("You said what you will do, but you did not do it. Call the tool in "
		            "this reply; if that was the answer, give it once more.");
	return AG_S("");
}

/* Shows that what was shown is void, and what counts instead. */
static void take_back(const chat *p, const ag_llm_reply *instead)
{
	const ag_watch watch = watch_of(p);
	ag_live_text live;

	if (!is_watched(p))
		return;
	ag_live_text_init(&live, &watch);
	live.has_shown = true;
	ag_live_text_void(&live, instead);
	ag_live_text_release(&live);
}

/* One second try, when there is time for one that takes as long. What came first stays when nothing better comes. *ret_same:
 * the model was asked to repeat an answer that looks like an announcement, and it did. */
static void try_again(const chat *p, const ag_ctx *ctx, const tail *t, ag_arena *arena,
                      ag_llm_reply *reply, bool *ret_same)
{
	const int64_t left_ms = ag_ctx_left_ms(ctx);
	tail again = *t;
	ag_llm_reply second = { 0 };
	ag_err ignored = { 0 };

	*ret_same = false;
	again.critique = why_again(p, reply, t->more.len > 0, arena);
	again.echo = ag_str_trim(ag_utf8_prefix(reply->text, ECHO_BYTES));
	if (!again.critique.len || (left_ms >= 0 && left_ms < reply->latency_ms + MIN_REPLY_MS))
		return;
	take_back(p, NULL);
	if (ask(p, ctx, &again, arena, &second, &ignored)) {
		take_back(p, reply);
		return;
	}
	*ret_same = ag_str_eq(ag_str_trim(second.text), ag_str_trim(reply->text));
	if (has_call(&second) || ag_str_trim(second.text).len || !ag_str_trim(reply->text).len)
		*reply = second;
	else
		take_back(p, reply);
}

/* Keep the text that the model sent before the deadline. An announcement ("I will look ...") is no answer. */
static bool keep_partial(const chat *p, const ag_llm_reply *reply, ag_arena *arena,
                         ag_proposal *ret)
{
	const ag_str text = ag_str_trim(ag_utf8_prefix(reply->text, MAX_TEXT_BYTES));

	if (!text.len || ag_announces(text, p->o.transcript->ncall > 0))
		return false;
	*ret = (ag_proposal){
		.text = ag_str_dup(arena, text),
		.confidence = 1,
		.is_final = true,
		.partial_why = AG_S("the time was over before the model's answer ended: what came "
		                    "until then is shown"),
	};
	return true;
}

static ag_status wrap_up(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_str why,
                         ag_proposal *ret, ag_err *err)
{
	const chat *p = (const chat *)self;
	const int64_t left_ms = ag_ctx_left_ms(ctx);
	const tail last = { .more = p->o.last_words };
	ag_llm_reply reply = { 0 };
	bool is_same;
	ag_status st;

	if (!p->o.transcript->nturn || (left_ms >= 0 && left_ms < MIN_REPLY_MS)) {
		if (p->failed.status == AG_OK)
			return ag_fail(err, AG_TIMEOUT, ORIGIN, "no time is left for an answer");
		*err = p->failed; /* why the time is gone */
		return err->status;
	}
	st = ask(p, ctx, &last, arena, &reply, err);
	if (st == AG_TIMEOUT && keep_partial(p, &reply, arena, ret))
		return AG_OK;
	if (st)
		return st;
	try_again(p, ctx, &last, arena, &reply, &is_same);
	/* A model that calls tools all the same has often said something before; a tool's result is never an answer. */
	reply.text = ag_str_trim(ag_utf8_prefix(reply.text, MAX_TEXT_BYTES));
	*ret = (ag_proposal){
		.text = reply.text.len ? reply.text : ag_transcript_last_text(p->o.transcript),
		.confidence = 1,
		.is_final = true,
		.partial_why = why,
	};
	return AG_OK;
}

/* Words are cut; arguments that are too large are left out, and what stands there instead makes the call fail with its own
 * name: the model reads why. */
static ag_llm_reply bounded(const ag_llm_reply *r, ag_arena *arena)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, r->npart + 1);
	size_t left = MAX_INPUT_BYTES;
	ag_llm_reply ret = *r;

	ret.text = ag_utf8_prefix(r->text, MAX_TEXT_BYTES);
	for (size_t i = 0; i < r->npart; i++) {
		parts[i] = r->parts[i];
		if (parts[i].type == AG_LLM_TOOL_CALL && parts[i].input.len > left)
			parts[i].input = ag_str_printf(arena,
			                               "{\"left_out_%zu_bytes_of_arguments\":true}",
			                               r->parts[i].input.len);
		if (parts[i].type == AG_LLM_TOOL_CALL && parts[i].input.len <= left)
			left -= parts[i].input.len;
	}
	ret.parts = parts;
	return ret;
}

/* Why the words of a reply without calls are not a whole answer; "" when they are. */
static ag_str shortcoming(const ag_llm_reply *r, ag_arena *arena)
{
	if (r->text.len > MAX_TEXT_BYTES)
		return AG_S("the model's answer was cut: it is larger than 1 MB");
	if (r->stop == AG_LLM_STOP_LENGTH)
		return AG_S("the model's answer was cut at its longest output");
	if (r->stop == AG_LLM_STOP_REFUSAL)
		return AG_S("the model, or its server's filter, refused to answer");
	if (r->complaint.len)
		return ag_str_printf(arena,
		                     "the model wrote a tool call as text that was not run: %.*s",
		                     AG_FMT(r->complaint));
	if (!ag_str_trim(r->text).len)
		return AG_S("the model gave no answer");
	return AG_S("");
}

static ag_proposal proposal_of(const ag_turn_call *call)
{
	return (ag_proposal){ .action = call->name, .input = call->input, .confidence = 1 };
}

static ag_proposal take_reply(const ag_llm_reply *reply, ag_arena *arena)
{
	const ag_llm_reply kept = bounded(reply, arena);
	ag_proposal ret = { .confidence = 1, .turn = ag_transcript_turn_json(&kept, arena) };

	for (size_t i = 0; i < kept.npart; i++) {
		const ag_llm_part *part = &kept.parts[i];

		if (part->type != AG_LLM_TOOL_CALL)
			continue;
		ret.action = part->name;
		ret.input = part->input;
		ret.reasoning = kept.text;
		return ret;
	}
	ret.is_final = true;
	ret.text = ag_str_trim(kept.text);
	ret.partial_why = shortcoming(reply, arena);
	return ret;
}

static ag_status propose(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                         ag_err *err)
{
	chat *p = (chat *)self;
	const ag_turn_call *call = ag_transcript_pending(p->o.transcript);
	const int64_t left_ms = ag_ctx_left_ms(ctx);
	const tail nothing_more = { 0 };
	ag_ctx limited = *ctx;
	ag_llm_reply reply = { 0 };
	ag_err last_err = { 0 };
	ag_status st;
	bool is_same;
	ag_str why;

	if (call) {
		*ret = proposal_of(call);
		return AG_OK;
	}
	why = p->o.must_end ? p->o.must_end(p->o.must_end_arg) : AG_S("");
	if (why.len)
		return wrap_up(self, ctx, arena, why, ret, err);
	if (is_time_for_last_words(p, ctx))
		return wrap_up(self, ctx, arena,
		               AG_S("the time is used up: the model was asked to answer with "
		                    "what it had"),
		               ret, err);
	if (p->o.transcript->nturn && left_ms >= 0)
		limited.deadline_ms -= share_of_last_words(p, left_ms);
	ag_ctx_phase(ctx, "asking the model", "replies", 0);
	st = ask(p, &limited, &nothing_more, arena, &reply, err);
	p->failed = st ? *err : (ag_err){ 0 };
	if (st == AG_TIMEOUT && p->o.transcript->nturn && ag_ctx_left_ms(ctx) > MIN_REPLY_MS &&
	    !wrap_up(self, ctx, arena, AG_S("the model did not answer in time"), ret, &last_err))
		return AG_OK;
	if (st == AG_TIMEOUT && keep_partial(p, &reply, arena, ret))
		return AG_OK;
	if (st) {
		if (last_err.status) /* of the last words */
			*err = last_err;
		return err->status;
	}
	try_again(p, &limited, &nothing_more, arena, &reply, &is_same);
	*ret = take_reply(&reply, arena);
	if (ret->is_final && !ret->partial_why.len && !is_same &&
	    ag_announces(ret->text, p->o.transcript->ncall > 0))
		ret->partial_why = AG_S("the model only said what it was going to do");
	return AG_OK;
}

static bool more(ag_planner *self, ag_proposal *ret)
{
	const ag_turn_call *call = ag_transcript_pending(((chat *)self)->o.transcript);

	if (call)
		*ret = proposal_of(call);
	return call != NULL;
}

static void nothing(ag_planner *self)
{
	(void)self;
}

static const ag_planner_type chat_type = {
	.name = "chat",
	.propose = propose,
	.wrap_up = wrap_up,
	.more = more,
	.close = nothing,
	.asks_model = true,
};

ag_planner *ag_planner_chat_new(const ag_chat_opts *o, ag_arena *arena)
{
	chat *p = ag_new(arena, chat);

	p->base.type = &chat_type;
	p->o = *o;
	return &p->base;
}
