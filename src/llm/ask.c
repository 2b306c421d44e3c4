/* ask -- one call: admitted, sent, charged, and again while that makes sense.
 *
 * The loop of ag_llm_ask() is the whole idea; a step before it is a function above it. An attempt costs a retry unless
 * the server only wants the request in another form. Whatever ends the call, the last error is put into words in one
 * place (finish), where the number of attempts is added and the key taken out. */
#include "llm/refusal.h"

#include <stdio.h>

#include "base/log.h"
#include "llm/retry.h"
#include "llm/text_calls.h"
#include "llm/text_protocol.h"
#include "llm/wire_request.h"
#include "run/span.h"

#define MAX_REQUEST_BYTES (32u << 20)
#define MIN_THINKING      1024 /* tokens: less is refused by servers that take a number */

typedef struct call {
	ag_llm *l;
	const ag_ctx *ctx;
	const ag_llm_request *r; /* as it was asked */
	ag_arena *arena;
	ag_llm_reply *ret;
	ag_err err; /* the last failure */
	ag_llm_form form;
	ag_buf body;       /* of the attempt under way */
	unsigned nattempt; /* that count against the limit */
	unsigned nsent;    /* exchanges, all */
	unsigned ncharged; /* of them in charges */
	bool has_tried;    /* the transport was called: its server is part of what went wrong */
	int64_t begin_ms;
	bool has_shown; /* the caller saw something of an answer that is void now */
	size_t nbyte;   /* of deltas that are not yet in the progress */
} call;

/* --- before -------------------------------------------------------------------------------------- */

static uint64_t estimate_request(const ag_llm_request *r)
{
	size_t n = r->format_schema.len;

	for (size_t i = 0; i < r->nsystem; i++)
		n += r->system[i].text.len;
	for (size_t i = 0; i < r->nmessage; i++) {
		for (size_t k = 0; k < r->messages[i].npart; k++) {
			const ag_llm_part *p = &r->messages[i].parts[k];

			n += p->text.len + p->input.len + p->signature.len;
		}
	}
	for (size_t i = 0; i < r->ntool; i++)
		n += r->tools[i].name.len + r->tools[i].help.len + r->tools[i].schema.len;
	return ag_llm_estimate_tokens(n);
}

/* May it be sent, and with how long an answer? The request's body is made. */
static ag_status prepare(call *c)
{
	ag_llm *l = c->l;
	ag_llm_model m = ag_llm_form_model(l, &c->form);
	ag_llm_request r = *c->r;
	unsigned wanted = ag_wire_max_output(&m, &r), output = wanted;
	ag_status st = AG_OK;

	if (r.meter)
		st = ag_llm_meter_admit(r.meter, estimate_request(&r), &output,
		                        l->is_priced ? l->price.input : -1,
		                        l->is_priced ? l->price.output : -1, &c->err);
	if (st)
		return st;
	if (output < wanted) {
		r.max_output_tokens = output;
		if (m.thinking_tokens + AG_METER_MIN_OUTPUT > output)
			m.thinking_tokens = output >= MIN_THINKING + AG_METER_MIN_OUTPUT
			                            ? output - AG_METER_MIN_OUTPUT
			                            : 0;
	}
	if (r.ntool && (m.tools == AG_LLM_TOOLS_TEXT || (m.refused & AG_LLM_NO_TOOLS)))
		ag_text_protocol(&r, c->arena, &r);
	ag_buf_clear(&c->body);
	l->wire->request(&m, &r, c->form.how, !m.no_stream, &c->body);
	ag_wire_merge(&c->body, m.extra_body);
	if (c->body.failed)
		return ag_fail(&c->err, AG_LIMIT, "llm.ask", "the request is larger than %u MB",
		               MAX_REQUEST_BYTES >> 20);
	return AG_OK;
}

static void on_delta(void *arg, const ag_llm_delta *d)
{
	call *c = (call *)arg;

	if (d->type == AG_LLM_DELTA_TEXT || d->type == AG_LLM_DELTA_THINKING)
		c->nbyte += d->text.len;
	ag_ctx_advance(c->ctx, c->nbyte / 4, 0);
	c->nbyte %= 4;
	if (!c->r->on_delta)
		return;
	c->has_shown = true;
	c->r->on_delta(c->r->arg, d);
}

/* --- after --------------------------------------------------------------------------------------- */

/* The request left whole, and then we lost patience: the server read it, and may count it. */
static bool is_left_unanswered(const ag_llm_attempt *a)
{
	return a->response.status == 0 && a->response.is_sent &&
	       (a->error.status == AG_TIMEOUT || a->error.status == AG_CANCELLED);
}

/* What the server gave, or what can be guessed when it took the request. */
static ag_llm_usage usage_of(const call *c, const ag_llm_attempt *a, const ag_llm_reply *reply)
{
	ag_llm_usage u = reply->usage;

	if ((a->response.status < 200 || a->response.status > 299) && !is_left_unanswered(a))
		return (ag_llm_usage){ 0 };
	if (u.input_tokens == 0) {
		u.is_estimated = true;
		u.input_tokens = ag_llm_estimate_tokens(c->body.len);
	}
	return u;
}

static uint64_t estimate_reply(const ag_llm_reply *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->npart; i++)
		n += r->parts[i].text.len + r->parts[i].input.len;
	return ag_llm_estimate_tokens(n);
}

/* What the budget counts on top of the server's counts. */
static void doubt(call *c, const ag_llm_reply *reply, ag_llm_charge *x)
{
	const ag_llm *l = c->l;
	ag_llm_usage least = ag_llm_meter_floor(&x->usage, estimate_request(c->r),
	                                        estimate_reply(reply));

	x->doubted_tokens = least.input_tokens - x->usage.input_tokens + least.output_tokens -
	                    x->usage.output_tokens;
	if (!x->doubted_tokens)
		return;
	if (l->is_priced)
		x->doubted_usd = ag_price_usd(&l->price, &least) - x->usd;
	ag_llm_warn_doubted(c->l);
}

/* Pays for what was sent since the last charge; reply = NULL: nothing was used. */
static void charge(call *c, const ag_llm_reply *reply, int64_t latency_ms, bool ok)
{
	static const ag_llm_usage nothing = { 0 };
	const ag_llm_usage *u = reply ? &reply->usage : &nothing;
	const ag_llm *l = c->l;
	ag_llm_charge x = {
		.purpose = ag_str_c(c->r->purpose),
		.name = l->model.name,
		.model = l->model.model,
		.provider = ag_str_c(l->wire->name),
		.usage = *u,
		.usd = l->is_priced ? ag_price_usd(&l->price, u) : 0,
		.is_priced = l->is_priced,
		.attempts = c->nsent - c->ncharged,
		.latency_ms = latency_ms,
		.ok = ok,
	};

	if (!l->is_priced && (u->input_tokens || u->output_tokens))
		ag_llm_warn_unpriced(c->l);
	if (reply)
		doubt(c, reply, &x);
	c->ncharged = c->nsent;
	if (c->r->meter && x.attempts)
		ag_llm_meter_charge(c->r->meter, &x);
}

/* False: secrets cannot be kept out of it. */
static bool clean_text(ag_str *text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(2 * text->len + 64);
	bool ok = !text->len || (ag_log_clean(*text, &out) && !out.failed);

	if (ok && text->len && !ag_str_eq(ag_buf_view(&out), *text))
		*text = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ok;
}

/* A server knows its key and may write it into an answer. What a model says is stored, printed and shown to other models:
 * no key of this process may be in it. */
static ag_status clean_reply(ag_llm_reply *r, ag_arena *arena, ag_err *err)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, r->npart + 1);
	bool ok = clean_text(&r->text, arena) && clean_text(&r->json, arena) &&
	          clean_text(&r->model, arena) && clean_text(&r->complaint, arena);

	for (size_t i = 0; i < r->npart && ok; i++) {
		ag_llm_part *p = &parts[i];

		*p = r->parts[i];
		ok = clean_text(&p->text, arena) && clean_text(&p->id, arena) &&
		     clean_text(&p->name, arena) && clean_text(&p->input, arena);
	}
	if (!ok) {
		*r = (ag_llm_reply){ .stop = AG_LLM_STOP_OTHER, .usage = r->usage };
		return ag_fail(err, AG_INVALID, "llm.ask",
		               "keys cannot be kept out of the answer: there are too many of them");
	}
	r->parts = parts;
	return AG_OK;
}

static size_t count_parts(const ag_llm_reply *r, ag_llm_part_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < r->npart; i++)
		n += r->parts[i].type == type;
	return n;
}

/* Thinking and calls that the model wrote into its text. Beside native calls, and in an answer that was cut, the markup is
 * only taken out. */
static void read_text(const call *c, bool is_whole, ag_llm_reply *r)
{
	ag_llm_request asked = *c->r;
	ag_text_calls found;
	ag_llm_part *parts;
	ag_str text = ag_text_without_thinking(r->text, c->arena);
	bool has_text = false;
	size_t n = 0;

	if (!is_whole || count_parts(r, AG_LLM_TOOL_CALL))
		asked.choice = AG_LLM_CHOICE_NONE;
	ag_text_calls_read(text, &asked, c->arena, &found);
	r->complaint = found.complaint;
	r->ncut += found.ncut;
	if (ag_str_eq(found.text, r->text) && !found.ncall)
		return;
	parts = ag_new_n(c->arena, ag_llm_part, r->npart + found.ncall + 1);
	for (size_t i = 0; i < r->npart; i++) {
		if (r->parts[i].type != AG_LLM_TEXT) {
			parts[n++] = r->parts[i];
		} else if (!has_text && found.text.len) {
			parts[n] = r->parts[i];
			parts[n++].text = found.text;
			has_text = true;
		}
	}
	for (size_t i = 0; i < found.ncall; i++)
		parts[n++] = found.calls[i];
	r->parts = parts;
	r->npart = n;
	r->text = found.text;
	if (found.ncall && r->stop != AG_LLM_STOP_LENGTH)
		r->stop = AG_LLM_STOP_TOOLS;
}

/* The reply as far as it came, into ret; what it used, onto the meter. */
static void settle(call *c, const ag_llm_attempt *a, int64_t latency_ms)
{
	ag_str format = c->r->format_name;
	bool ok = a->next == AG_LLM_DONE;
	ag_llm_reply reply = { 0 };
	ag_err e = { 0 };
	ag_status st = ag_acc_reply(a->acc, format, c->arena, &reply, &e);

	read_text(c, ok && !st, &reply);
	if (clean_reply(&reply, c->arena, &e))
		st = e.status;
	if (st && ok)
		c->err = e;
	reply.usage = usage_of(c, a, &reply);
	reply.first_byte_ms = a->response.first_byte_ms;
	if (ok || !ag_acc_is_empty(a->acc))
		*c->ret = reply;
	if (reply.usage.input_tokens)
		charge(c, &reply, latency_ms, ok && !st);
}

/* --- again --------------------------------------------------------------------------------------- */

static int64_t asked_wait_ms(const call *c, const ag_llm_attempt *a)
{
	const ag_clock *clock = c->ctx && c->ctx->clock ? c->ctx->clock : c->l->hub->clock;
	int64_t ms = 0;

	if (!a->response.retry_after.len ||
	    !ag_http_retry_after(a->response.retry_after, ag_clock_wall(clock), &ms))
		return 0;
	return ms;
}

/* What failed stays the error; why it is not tried again is added. */
static void say_why_not(call *c, const char *why)
{
	ag_err old = c->err;

	ag_fail(&c->err, old.status, old.origin, "%s; %s", old.msg, why);
	c->err.native = old.native;
	memcpy(c->err.hint, old.hint, sizeof(old.hint));
}

/* Waits for the next attempt. False when there shall be none; the reason is then in c->err. */
static bool wait_for_next(call *c, const ag_llm_attempt *a)
{
	ag_llm_hub *hub = c->l->hub;
	int64_t asked = asked_wait_ms(c, a), left = ag_ctx_left_ms(c->ctx);
	int64_t ms;
	char why[96];

	ms = ag_retry_backoff_ms(hub->backoff_ms, c->nattempt,
	                         ag_retry_random(hub->jitter_seed,
	                                         atomic_fetch_add(&hub->njitter, 1)));
	if (ms < asked)
		ms = asked;
	why[0] = '\0';
	if (asked > AG_RETRY_MAX_ASKED_MS)
		snprintf(why, sizeof(why), "it asks to wait %lld s, which is too long",
		         (long long)((asked + 999) / 1000));
	else if (hub->transport->type->waits && left >= 0 && ms >= left && asked)
		snprintf(why, sizeof(why),
		         "it asks to wait %lld s, and the run's time limit leaves %lld s",
		         (long long)((asked + 999) / 1000), (long long)(left / 1000));
	else if (hub->transport->type->waits && left >= 0 && ms >= left)
		snprintf(why, sizeof(why), "the run's time limit leaves no time to try again");
	if (why[0]) {
		say_why_not(c, why);
		return false;
	}
	ag_log(AG_LOG_INFO, "model_retry", "attempt %u failed (%s); the next one in %lld ms",
	       c->nattempt, ag_status_name(c->err.status), (long long)ms);
	if (c->r->on_retry)
		c->r->on_retry(c->r->arg, &c->err, ms);
	return !hub->transport->type->waits || !ag_retry_sleep(c->ctx, ms, &c->err);
}

static bool go_on(call *c, const ag_llm_attempt *a)
{
	unsigned most = c->l->model.attempts;

	if (a->next == AG_LLM_REFUSED && ag_llm_form_weaken(c->l, c->r, a, &c->form, c->arena))
		return true;
	c->nattempt++;
	if (a->next == AG_LLM_FAIL ||
	    (a->next == AG_LLM_REFUSED && !ag_retry_http_status(a->response.status)))
		return false;
	if (a->next == AG_LLM_AGAIN_ONCE && most > 2)
		most = 2;
	if (c->nattempt >= most || !wait_for_next(c, a))
		return false;
	if (c->has_shown)
		c->r->on_delta(c->r->arg, &(const ag_llm_delta){ .type = AG_LLM_DELTA_VOID });
	c->has_shown = false;
	return true;
}

/* --- one attempt, and all of them ---------------------------------------------------------------- */

/* Neither a status came nor a reason of the network, nor did the request go out whole: it did not leave. */
static bool sends_nothing(const ag_llm_attempt *a)
{
	return a->is_unsent || (!a->response.is_sent && a->next == AG_LLM_FAIL &&
	                        a->response.status == 0 && a->error.native == 0);
}

/* A replay that has no further attempt of this call: the recorded run ended it here. */
static bool is_unrecorded(const call *c, const ag_llm_attempt *a)
{
	return a->error.status == AG_CONFLICT && c->nattempt > 0 &&
	       !c->l->hub->transport->type->waits;
}

static ag_llm_next attempt(call *c, bool *ret_again)
{
	ag_llm_attempt a = {
		.l = c->l,
		.ctx = c->ctx,
		.purpose = c->r->purpose,
		.body = ag_buf_view(&c->body),
		.is_stream = !ag_llm_form_model(c->l, &c->form).no_stream,
		.on_delta = on_delta,
		.arg = c,
	};
	int64_t begin = ag_llm_mono(c->l, c->ctx);
	ag_llm_next next;

	ag_llm_try(&a, c->arena);
	c->has_tried = c->has_tried || !a.is_unsent;
	*ret_again = false;
	next = a.next;
	if (is_unrecorded(c, &a)) {
		ag_acc_free(a.acc);
		return AG_LLM_FAIL;
	}
	if (a.is_unsent && c->nattempt > 0)
		say_why_not(c, a.error.msg);
	else
		c->err = next == AG_LLM_DONE ? (ag_err){ 0 } : a.error;
	c->nsent += !sends_nothing(&a);
	settle(c, &a, ag_llm_mono(c->l, c->ctx) - begin);
	if (next == AG_LLM_DONE)
		ag_llm_form_works(c->l, &c->form);
	else
		*ret_again = go_on(c, &a);
	ag_acc_free(a.acc);
	return next;
}

/* " (HTTP 401)" unless the message has it: people look for the number. */
static ag_str status_words(const ag_err *e, ag_arena *arena)
{
	if (e->native < 400 || e->native > 599 || ag_str_contains(ag_str_c(e->msg), AG_S("HTTP ")))
		return AG_S("");
	return ag_str_printf(arena, " (HTTP %d)", e->native);
}

/* "api.example.com: what happened (HTTP 503) (3 attempts)", without the key. */
static ag_status finish(call *c, ag_err *err)
{
	const ag_llm *l = c->l;
	ag_err e = c->err;
	bool has_host = ag_str_contains(ag_str_c(c->err.msg), l->host);
	unsigned n = c->nsent;

	if (e.status == AG_CANCELLED || e.status == AG_CONFLICT || e.origin[0] == '\0' ||
	    (n == 0 && !(e.status == AG_TIMEOUT && c->has_tried)))
		has_host = true;
	ag_fail(&e, c->err.status, c->err.origin[0] ? c->err.origin : "llm.ask", "%.*s%s%s",
	        has_host ? 0 : (int)l->host.len, l->host.ptr, has_host ? "" : ": ", c->err.msg);
	if (n > 0 && strlen(e.msg) < sizeof(e.msg) - 32) {
		char old[sizeof(e.msg)];

		memcpy(old, e.msg, sizeof(old));
		ag_fail(&e, e.status, e.origin, "%s%.*s (%u attempt%s)", old,
		        AG_FMT(status_words(&c->err, c->arena)), n, n == 1 ? "" : "s");
	}
	e.native = c->err.native;
	if (c->err.hint[0])
		ag_err_hint(&e, "%s", c->err.hint);
	else if (e.status == AG_DENIED)
		ag_err_hint(&e,
		            "check the key of model \"%.*s\"; \"argus models\" shows where it "
		            "comes from",
		            AG_FMT(l->model.name));
	else if (e.status == AG_NOT_FOUND)
		ag_err_hint(&e,
		            "check model and base_url of model \"%.*s\"; \"argus models\" asks its "
		            "server for a name like it",
		            AG_FMT(l->model.name));
	else if (e.native == 429)
		ag_err_hint(&e, "the server is there, and asks for less: try again later");
	else if (e.status == AG_UNAVAILABLE || e.status == AG_TIMEOUT)
		ag_err_hint(&e, "\"argus models\" shows which models answer");
	ag_llm_hide_key(l->model.key, &e);
	if (err)
		*err = e;
	return e.status;
}

static ag_span *begin_span(const ag_llm *l, const ag_ctx *ctx)
{
	ag_span *span = ag_span_begin(ctx ? ctx->span : NULL, NULL, AG_SPAN_CLIENT, AG_S("chat"));

	ag_span_name(span, AG_S("chat"), l->model.model);
	ag_span_text(span, "gen_ai.operation.name", AG_S("chat"));
	ag_span_text(span, "gen_ai.provider.name", l->model.provider);
	ag_span_text(span, "gen_ai.request.model", l->model.model);
	ag_span_text(span, "server.address", l->host);
	return span;
}

static void end_span(ag_span *span, const ag_llm_reply *reply, ag_status st)
{
	ag_span_text(span, "gen_ai.response.model", reply->model);
	ag_span_number(span, "gen_ai.usage.input_tokens", (int64_t)reply->usage.input_tokens);
	ag_span_number(span, "gen_ai.usage.output_tokens", (int64_t)reply->usage.output_tokens);
	ag_span_number(span, "argus.attempts", reply->attempts);
	if (st)
		ag_span_fail(span, ag_str_c(ag_status_name(st)));
	ag_span_end(span);
}

static ag_status ask(ag_llm *l, const ag_ctx *ctx, const ag_llm_request *r, ag_arena *arena,
                     ag_llm_reply *ret, ag_err *err)
{
	call c = { .l = l, .ctx = ctx, .r = r, .arena = arena, .ret = ret };
	ag_llm_next next = AG_LLM_FAIL;
	bool again = true;

	memset(ret, 0, sizeof(*ret));
	ret->stop = AG_LLM_STOP_OTHER;
	c.body = (ag_buf)AG_BUF_INIT(MAX_REQUEST_BYTES);
	c.form = ag_llm_form_of(l);
	c.begin_ms = ag_llm_mono(l, ctx);
	ag_ctx_phase(ctx, "asking the model", "tokens", 0);
	while (again) {
		next = AG_LLM_FAIL;
		if (ag_ctx_check(ctx, &c.err) || prepare(&c))
			break;
		next = attempt(&c, &again);
	}
	ag_buf_release(&c.body);
	ret->attempts = c.nsent;
	ret->latency_ms = ag_llm_mono(l, ctx) - c.begin_ms;
	if (next == AG_LLM_DONE && c.err.status == AG_OK)
		return AG_OK;
	charge(&c, NULL, ret->latency_ms, false);
	return finish(&c, err);
}

ag_status ag_llm_ask(ag_llm *l, const ag_ctx *ctx, const ag_llm_request *r, ag_arena *arena,
                     ag_llm_reply *ret, ag_err *err)
{
	ag_span *span = begin_span(l, ctx);
	ag_ctx within;
	ag_status st;

	if (!span)
		return ask(l, ctx, r, arena, ret, err);
	within = ctx ? *ctx : (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	within.span = span;
	st = ask(l, &within, r, arena, ret, err);
	end_span(span, ret, st);
	return st;
}
