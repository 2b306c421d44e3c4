/* exchange -- bytes of a body go to the wire as they come; then the end is judged.
 *
 * What a 2xx body is says its first byte, not its content type: servers stream when they were not asked to, and answer
 * whole when they were. A stream never begins with a brace or with "<".
 *
 * Once the protocol's own end has come, whatever happens to the connection afterwards is of no interest. */
#include "llm/exchange.h"

#include "base/utf8.h"
#include "llm/refusal.h"
#include "llm/retry.h"
#include "llm/wire_read.h"
#include "net/sse.h"
#include "net/url.h"
#include "run/span.h"

/* A whole answer is kept in memory until it is read. */
#define MAX_BODY_BYTES (32u << 20)
/* A stream is not: each event is read as it comes. It wraps each token into some 200 bytes, so this holds a reply of
 * AG_WIRE_MAX_REPLY_BYTES in pieces of a word. */
#define MAX_STREAM_BYTES (512u << 20)

typedef enum form { FORM_UNKNOWN, FORM_STREAM, FORM_WHOLE } form;

typedef struct stream {
	const ag_llm_wire *wire;
	ag_acc *acc;
	form form;
	ag_buf head; /* what came until the form was known; of FORM_WHOLE all of it */
	ag_sse sse;
	bool failed; /* the content is an error, or cannot be read */
	ag_err error;
	const ag_llm_attempt *a;
	ag_llm_delta last; /* of the piece that is read; its text is in last_text */
	ag_buf last_text;
	bool has_last;
} stream;

/* --- deltas: each is passed on when it is known whether more came with it --- */

static void pass_last(stream *s, bool more)
{
	if (!s->has_last)
		return;
	s->has_last = false;
	s->last.text = ag_buf_view(&s->last_text);
	s->last.more = more;
	s->a->on_delta(s->a->arg, &s->last);
}

static void on_delta(void *arg, const ag_llm_delta *d)
{
	stream *s = (stream *)arg;

	pass_last(s, true);
	s->last = *d;
	ag_buf_clear(&s->last_text);
	ag_buf_add(&s->last_text, d->text);
	s->has_last = true;
}

/* --- reading ------------------------------------------------------------------------------------- */

static ag_status on_event(void *arg, const ag_sse_event *ev, ag_err *err)
{
	stream *s = (stream *)arg;

	return s->wire->event(ev->name, ev->data, s->acc, err);
}

static form form_of(ag_str head)
{
	head = ag_str_trim(head);
	if (ag_str_starts(head, AG_S("\xEF\xBB\xBF")))
		head = ag_str_trim(ag_str_make(head.ptr + 3, head.len - 3));
	if (!head.len)
		return FORM_UNKNOWN;
	return strchr("{[<", head.ptr[0]) && head.ptr[0] ? FORM_WHOLE : FORM_STREAM;
}

static ag_status take(stream *s, ag_str bytes, ag_err *err)
{
	if (s->form == FORM_STREAM)
		return ag_sse_feed(&s->sse, bytes, err);
	ag_buf_add(&s->head, bytes);
	if (s->head.failed)
		return ag_fail(err, AG_LIMIT, "llm.exchange", "the answer is larger than %u MB",
		               MAX_BODY_BYTES >> 20);
	if (s->form == FORM_WHOLE)
		return AG_OK;
	s->form = form_of(ag_buf_view(&s->head));
	return s->form == FORM_STREAM ? ag_sse_feed(&s->sse, ag_buf_view(&s->head), err) : AG_OK;
}

static ag_status on_body(void *arg, ag_str bytes, ag_err *err)
{
	stream *s = (stream *)arg;
	ag_status st = take(s, bytes, &s->error);

	pass_last(s, !st && ag_acc_is_done(s->acc));
	if (st) {
		s->failed = true;
		if (err)
			*err = s->error;
	}
	return st;
}

static ag_status send_it(ag_llm_attempt *a, stream *s, ag_arena *arena, ag_err *err)
{
	ag_llm *l = a->l;
	ag_transport *t = l->hub->transport;
	ag_http_header headers[AG_WIRE_MAX_HEADERS + 1];
	char trace[AG_TRACEPARENT_MAX];
	const ag_llm_model *m = &l->model;
	ag_http_request r = {
		.method = AG_S("POST"),
		.url = l->ask_url,
		.headers = headers,
		.nheader = l->wire->headers(m, arena, headers),
		.body = a->body,
		.timeouts = { m->connect_ms, m->first_byte_ms, m->idle_ms, m->total_ms },
		.max_body_bytes = MAX_STREAM_BYTES,
		.on_body = on_body,
		.arg = s,
	};

	if (ag_span_traceparent(a->ctx ? a->ctx->span : NULL, trace))
		headers[r.nheader++] = (ag_http_header){ AG_S("traceparent"), ag_str_c(trace) };
	return t->type->send(t, a->ctx, a->purpose, l->wire->name, &r, arena, &a->response, err);
}

/* --- the end ------------------------------------------------------------------------------------- */

static void verdict(ag_llm_attempt *a, ag_llm_next next)
{
	a->next = next;
}

/* "after 120 characters of text" */
static ag_str how_far(const ag_llm_attempt *a, ag_arena *arena)
{
	ag_llm_reply r = { 0 };
	size_t n;

	AG_IGNORE(ag_acc_reply(a->acc, AG_S(""), arena, &r, NULL), "what came is enough");
	n = ag_utf8_count(r.text);
	if (n)
		return ag_str_printf(arena, "after %zu characters of text", n);
	return ag_acc_is_empty(a->acc) ? AG_S("before it began")
	                               : AG_S("in the middle of thinking or of a tool call");
}

static void cut(ag_llm_attempt *a, const char *why, ag_arena *arena)
{
	ag_str far = how_far(a, arena);

	ag_fail(&a->error, AG_UNAVAILABLE, "llm.ask", "%.*s cut its answer off %.*s%s%s",
	        AG_FMT(a->l->host), AG_FMT(far), why[0] ? ": " : "", why);
	verdict(a, AG_LLM_AGAIN);
}

static bool is_given_up(const ag_llm_attempt *a, ag_status st)
{
	return st == AG_CANCELLED || (st == AG_TIMEOUT && ag_ctx_left_ms(a->ctx) == 0);
}

/* The transport failed; the message is its own. */
static void end_of_transport(ag_llm_attempt *a, const ag_err *e, int64_t took_ms, ag_arena *arena)
{
	ag_retry_kind kind = ag_retry_transport(e);

	a->error = *e;
	verdict(a, AG_LLM_FAIL);
	if (is_given_up(a, e->status) || kind == AG_RETRY_NEVER)
		return;
	if (e->status == AG_TIMEOUT && took_ms >= a->l->model.total_ms) {
		ag_err_hint(&a->error, "give the model more time, or ask it for less");
		return;
	}
	if (a->response.status >= 200 && a->response.status <= 299 && e->status == AG_UNAVAILABLE)
		cut(a, e->msg, arena);
	else
		verdict(a, kind == AG_RETRY_ONCE ? AG_LLM_AGAIN_ONCE : AG_LLM_AGAIN);
}

static void end_of_content(ag_llm_attempt *a, const ag_err *e)
{
	bool passes = e->status == AG_UNAVAILABLE || e->status == AG_TIMEOUT;

	a->error = *e;
	verdict(a, passes ? AG_LLM_AGAIN : AG_LLM_FAIL);
}

static void redirected(ag_llm_attempt *a, ag_arena *arena)
{
	ag_url to = { 0 };
	bool known = a->response.location.len &&
	             !ag_url_parse(a->response.location, arena, &to, NULL);

	ag_fail(&a->error, AG_INVALID, "llm.ask",
	        "%.*s answered %d and points to %.*s: requests and keys do not follow",
	        AG_FMT(a->l->host), a->response.status, known ? (int)to.host.len : 13,
	        known ? to.host.ptr : "another place");
	ag_err_hint(&a->error, "set base_url of model \"%.*s\" to the address that is meant",
	            AG_FMT(a->l->model.name));
	a->error.native = a->response.status;
	verdict(a, AG_LLM_FAIL);
}

static void end_of_refusal(ag_llm_attempt *a, ag_arena *arena)
{
	int status = a->response.status;
	ag_status st = ag_wire_fail("llm.ask", a->response.body, status, &a->error);
	bool passes = ag_retry_http_status(status) || st == AG_UNAVAILABLE;

	a->error.native = status;
	if (status == 400 || status == 404 || status == 422 || status == 501 ||
	    (status >= 500 && ag_llm_refuses_tools(a, arena)))
		verdict(a, AG_LLM_REFUSED);
	else if (st ==
	         AG_DENIED) /* also an account without credit, which is told like a rate limit */
		verdict(a, AG_LLM_FAIL);
	else
		verdict(a, passes ? AG_LLM_AGAIN : AG_LLM_FAIL);
}

static void not_a_model(ag_llm_attempt *a)
{
	ag_fail(&a->error, AG_PROTOCOL, "llm.ask",
	        "%.*s answered with a web page: this is no model server", AG_FMT(a->l->host));
	ag_err_hint(&a->error, "check base_url of model \"%.*s\"", AG_FMT(a->l->model.name));
	verdict(a, AG_LLM_FAIL);
}

/* A coding that nobody asked for. The header alone proves nothing (some name "utf-8" there), so this is looked at only
 * when nothing could be read; a recording has no header, but the first bytes. */
static bool has_coding(const ag_llm_attempt *a, const stream *s)
{
	const ag_str name = a->response.content_encoding;

	return (name.len && !ag_str_eqc(name, "identity") && !ag_str_eqc(name, "utf-8")) ||
	       ag_str_starts(ag_buf_view(&s->head), AG_S("\x1f\x8b"));
}

static bool is_encoded(const ag_llm_attempt *a, const stream *s)
{
	return a->response.status >= 200 && a->response.status <= 299 && s->form == FORM_STREAM &&
	       ag_acc_is_empty(a->acc) && !ag_acc_is_done(a->acc) && has_coding(a, s);
}

static void encoded(ag_llm_attempt *a, ag_arena *arena)
{
	ag_str name = ag_wire_clean(a->response.content_encoding, arena);

	if (!name.len)
		name = AG_S("gzip");
	ag_fail(&a->error, AG_PROTOCOL, "llm.ask",
	        "%.*s sent its answer with content-encoding %.*s, which was not asked for",
	        AG_FMT(a->l->host), (int)(name.len < 40 ? name.len : 40), name.ptr);
	ag_err_hint(&a->error,
	            "is there a proxy in front of it? base_url of model \"%.*s\" must reach a "
	            "server that answers plainly",
	            AG_FMT(a->l->model.name));
	verdict(a, AG_LLM_FAIL);
}

/* Nothing but white space in a proper answer: a server under load may do so, but 204 and 205 are meant. */
static void empty(ag_llm_attempt *a)
{
	const int status = a->response.status;
	const bool is_meant = status == 204 || status == 205;

	ag_fail(&a->error, is_meant ? AG_PROTOCOL : AG_UNAVAILABLE, "llm.ask",
	        "%.*s gave an empty answer (HTTP %d)", AG_FMT(a->l->host), status);
	ag_err_hint(&a->error, "check base_url of model \"%.*s\"", AG_FMT(a->l->model.name));
	verdict(a, is_meant ? AG_LLM_FAIL : AG_LLM_AGAIN);
}

/* Does the text end inside a string, an object or an array? Its last byte alone does not tell: an inner object may
 * be the last thing that came. */
static bool ends_open(ag_str json)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < json.len; i++) {
		char c = json.ptr[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']') && depth)
			depth--;
	}
	return quoted || depth;
}

static void end_of_whole(ag_llm_attempt *a, stream *s, ag_arena *arena)
{
	ag_str body = ag_str_trim(ag_buf_view(&s->head));
	ag_err e = { 0 };

	if (body.ptr[0] == '<') {
		not_a_model(a);
		return;
	}
	if (!s->wire->reply(ag_buf_view(&s->head), a->acc, &e)) {
		pass_last(s, true);
		verdict(a, AG_LLM_DONE);
		return;
	}
	pass_last(s, false);
	if (e.status == AG_PROTOCOL && has_coding(a, s)) /* "[" may be the first byte of one */
		encoded(a, arena);
	else if (e.status == AG_PROTOCOL && ends_open(body))
		cut(a, "the JSON does not end", arena);
	else
		end_of_content(a, &e);
}

static void end_of_stream(ag_llm_attempt *a, stream *s, ag_arena *arena)
{
	ag_err e = { 0 };
	ag_status st = ag_sse_end(&s->sse, &e);

	pass_last(s, ag_acc_is_done(a->acc));
	if (ag_acc_is_done(a->acc)) /* so it is as soon as a stop reason came */
		verdict(a, AG_LLM_DONE);
	else if (st &&
	         st != AG_PROTOCOL) /* a last event that is cut cannot be read: that is the cut */
		end_of_content(a, &e);
	else
		cut(a, "", arena);
}

static void judge(ag_llm_attempt *a, stream *s, const ag_err *e, int64_t took_ms, ag_arena *arena)
{
	int status = a->response.status;

	if (e->status && s->form == FORM_STREAM && !is_given_up(a, e->status) &&
	    ag_acc_is_done(a->acc))
		verdict(a, AG_LLM_DONE);
	else if (is_encoded(a, s) && !is_given_up(a, e->status))
		encoded(a, arena);
	else if (s->failed)
		end_of_content(a, &s->error);
	else if (e->status)
		end_of_transport(a, e, took_ms, arena);
	else if (status >= 300 && status <= 399)
		redirected(a, arena);
	else if (status < 200 || status > 299)
		end_of_refusal(a, arena);
	else if (s->form == FORM_WHOLE)
		end_of_whole(a, s, arena);
	else if (s->form == FORM_UNKNOWN)
		empty(a);
	else
		end_of_stream(a, s, arena);
}

/* --- one attempt --------------------------------------------------------------------------------- */

static ag_breaker_report report_of(const ag_llm_attempt *a)
{
	if (a->next == AG_LLM_DONE)
		return AG_BREAKER_WORKS;
	if (is_given_up(a, a->error.status))
		return AG_BREAKER_UNKNOWN;
	if (a->response.status >= 300 && a->response.status <= 499)
		return AG_BREAKER_WORKS; /* it speaks, only not well of us */
	if (a->error.status == AG_UNAVAILABLE || a->error.status == AG_TIMEOUT)
		return AG_BREAKER_FAILED;
	return a->response.status ? AG_BREAKER_WORKS : AG_BREAKER_UNKNOWN;
}

static bool may_pass(ag_llm_attempt *a, uint64_t *ret_ticket)
{
	ag_llm *l = a->l;
	int64_t wait = 0;

	if (!l->hub->transport->type->waits)
		return true;
	if (ag_breaker_admit(&l->origin->breaker, ag_clock_mono(l->hub->clock), ret_ticket, &wait))
		return true;
	ag_fail(&a->error, AG_UNAVAILABLE, "llm.ask",
	        "%.*s failed %d times in a row: nothing is sent to it for another %lld s",
	        AG_FMT(l->host), AG_BREAKER_FAILURES, (long long)((wait + 999) / 1000));
	ag_err_hint(&a->error, "\"argus models\" shows which models answer");
	a->is_unsent = true;
	verdict(a, AG_LLM_FAIL);
	return false;
}

void ag_llm_try(ag_llm_attempt *a, ag_arena *arena)
{
	stream s = { .wire = a->l->wire,
		     .head = AG_BUF_INIT(MAX_BODY_BYTES),
		     .a = a,
		     .last_text = AG_BUF_INIT(MAX_BODY_BYTES) };
	int64_t begin = ag_llm_mono(a->l, a->ctx);
	uint64_t ticket = 0;
	ag_err e = { 0 };

	a->acc = ag_acc_new();
	if (!may_pass(a, &ticket))
		return;
	s.acc = a->acc;
	if (a->on_delta)
		ag_acc_on_delta(a->acc, on_delta, &s);
	ag_sse_init(&s.sse, on_event, &s);
	e.status = send_it(a, &s, arena, &e);
	judge(a, &s, &e, ag_llm_mono(a->l, a->ctx) - begin, arena);
	if (a->l->hub->transport->type->waits)
		ag_breaker_tell(&a->l->origin->breaker, ticket, ag_clock_mono(a->l->hub->clock),
		                report_of(a));
	ag_sse_release(&s.sse);
	ag_buf_release(&s.head);
	ag_buf_release(&s.last_text);
}
