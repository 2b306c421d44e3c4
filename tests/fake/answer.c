/* From a complete request to a planned answer: read, choose, build, bend (chaos, cuts), log; the server then only sends.
 *
 * A fault of chaos that makes a client try again does not use the script's answer up. Read fm_answer_request() first. */
#include <stdio.h>
#include <time.h>

#include "server.h"

static const char *const chaos_names[] = {
	[FM_FAULT_NONE] = NULL,     [FM_FAULT_CUT] = "cut",         [FM_FAULT_RESET] = "reset",
	[FM_FAULT_DROP] = "drop",   [FM_FAULT_GARBAGE] = "garbage", [FM_FAULT_STATUS] = "status",
	[FM_FAULT_DELAY] = "delay",
};

static const char *reason(int status)
{
	static const struct {
		int status;
		const char *text;
	} reasons[] = {
		{ 200, "OK" },
		{ 302, "Found" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 413, "Content Too Large" },
		{ 429, "Too Many Requests" },
		{ 500, "Internal Server Error" },
		{ 503, "Service Unavailable" },
		{ 529, "Overloaded" },
	};
	size_t i;

	for (i = 0; i < AG_NELEM(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].text;
	return "Whatever";
}

/* ---------------------------------------------------------------- the head */

static bool replaces(const fm_answer *a, ag_str name)
{
	size_t i;

	for (i = 0; a && i < a->nheader; i++)
		if (ag_str_ieq(a->headers[i].name, name))
			return true;
	return false;
}

static void write_head(fm_conn *c, const fm_answer *a, const fm_request *r, fm_framing framing)
{
	ag_buf *b = &c->out;
	size_t i;

	if (framing == FM_FRAMING_AUTO)
		framing = c->reply.nend ? FM_FRAMING_CHUNKED : FM_FRAMING_LENGTH;
	if (framing == FM_FRAMING_CLOSE)
		c->close_after = true;
	c->is_chunked = framing == FM_FRAMING_CHUNKED;
	ag_buf_addf(b, "HTTP/1.1 %d %s\r\n", c->reply.status, reason(c->reply.status));
	if (!replaces(a, AG_S("content-type")))
		ag_buf_addf(b, "Content-Type: %s\r\n", c->reply.content_type);
	ag_buf_addf(b, "%srequest-id: req_%llu\r\n", r->is_anthropic ? "" : "x-",
	            (unsigned long long)r->n);
	for (i = 0; a && i < a->nheader; i++)
		ag_buf_addf(b, "%.*s: %.*s\r\n", AG_FMT(a->headers[i].name),
		            AG_FMT(a->headers[i].value));
	if (c->is_chunked)
		ag_buf_adds(b, "Transfer-Encoding: chunked\r\n");
	if (framing == FM_FRAMING_LENGTH)
		ag_buf_addf(b, "Content-Length: %zu\r\n", c->reply.body.len);
	/* A server that closes without a word of it is what `close` is for. */
	if (c->close_after && !(a && fm_has(a, FM_QUIRK_CLOSE)))
		ag_buf_adds(b, "Connection: close\r\n");
	ag_buf_adds(b, "\r\n");
	if (c->is_chunked && !c->reply.body.len && c->stop == FM_STOP_NONE)
		ag_buf_adds(b, "0\r\n\r\n");
}

/* ---------------------------------------------------------------- bends */

/* Where this use of the answer stops; false = it is whole. */
static bool stops_at(const fm_answer *a, uint64_t use, uint64_t *at)
{
	if (a->stop == FM_STOP_NONE)
		return false;
	switch (a->each) {
	case FM_AT: *at = a->at; return true;
	case FM_EACH: *at = use; return true;
	case FM_EACH_THEN_WHOLE: *at = use / 2; return use % 2 == 0;
	}
	return false;
}

static void plan_delivery(fm_conn *c, const fm_answer *a)
{
	uint64_t at = 0;

	c->limit = c->reply.body.len;
	c->piece_bytes = a->piece_bytes;
	c->by_event = a->by_event;
	c->delay_ms = a->delay_ms;
	/* A delay without pieces is one between events. */
	if (c->delay_ms && !c->piece_bytes)
		c->by_event = true;
	if (stops_at(a, a->used, &at) && at <= c->limit) {
		c->stop = a->stop;
		c->limit = (size_t)at;
	}
	if (fm_has(a, FM_QUIRK_CLOSE))
		c->close_after = true;
}

/* Half of what was to be sent, then bytes that nobody understands. */
static void spoil(fm_conn *c)
{
	ag_buf *b = &c->reply.body;

	b->len /= 2;
	ag_buf_adds(b, "\n<html>\x01\xff garbage {\"\n\n");
	c->reply.nend = c->reply.nend ? 1 : 0;
	if (c->reply.nend)
		c->reply.ends[0] = b->len;
	c->limit = b->len;
}

static void apply_chaos(fm_conn *c, const fm_chaos *chaos, uint64_t random)
{
	switch (chaos->fault) {
	case FM_FAULT_CUT:
	case FM_FAULT_RESET:
		c->stop = chaos->fault == FM_FAULT_CUT ? FM_STOP_CUT : FM_STOP_RESET;
		c->limit = c->reply.body.len ? (size_t)(random % c->reply.body.len) : 0;
		break;
	case FM_FAULT_GARBAGE: spoil(c); break;
	default: break;
	}
}

/* ---------------------------------------------------------------- kinds of answers */

typedef struct planned {
	const fm_answer *answer; /* NULL = none of the script */
	fm_chaos chaos;
	uint64_t random;
	int64_t wait_ms; /* -1 = for ever */
} planned;

static bool is_scripted(const fm_request *r)
{
	return r->call == FM_CALL_CHAT || r->call == FM_CALL_MESSAGES || r->call == FM_CALL_MODELS;
}

static void from_script(fm_server *s, fm_conn *c, const fm_request *r, planned *p)
{
	fm_answer *a = s->script ? fm_script_pick(s->script, r) : NULL;
	static const fm_answer hello = { .delta_bytes = 16,
		                         .nblock = 1,
		                         .blocks = { { .type = FM_TEXT,
		                                       .text = AG_S_INIT("Hello.") } } };

	p->answer = a;
	if (!a && r->call == FM_CALL_MODELS) {
		fm_reply_models(&c->reply, s->script, r);
	} else if (!a && !s->script) {
		fm_reply_answer(&c->reply, &hello, r);
	} else if (!a) {
		fm_reply_error(&c->reply, r, 500, AG_S(""),
		               AG_S("the script has ended: no answer is left for this request"));
	} else {
		fm_reply_answer(&c->reply, a, r);
		plan_delivery(c, a);
		p->wait_ms = a->wait_ms;
		if (a->hold.len) {
			snprintf(c->hold, sizeof(c->hold), "%.*s.%llu", AG_FMT(a->hold),
			         (unsigned long long)r->n);
			p->wait_ms = p->wait_ms ? p->wait_ms : 1;
		}
		if (p->chaos.fault == FM_FAULT_NONE || p->chaos.fault == FM_FAULT_DELAY)
			a->used++;
		if (a->stop == FM_STOP_DROP)
			c->stop = FM_STOP_DROP;
		return;
	}
	c->limit = c->reply.body.len;
}

/* POST /fake/script replaces the script, GET /fake/state tells what is left of it. */
static void control(fm_server *s, fm_conn *c, const fm_request *r)
{
	ag_buf *b = &c->reply.body;
	ag_err err = { 0 };
	size_t i;

	c->reply = (fm_reply){ .status = 200,
		               .content_type = "application/json",
		               .body = AG_BUF_INIT(FM_MAX_REPLY_BYTES) };
	if (ag_str_eqc(r->path, "/fake/script") && ag_str_eqc(r->method, "POST")) {
		fm_script *fresh = fm_script_read("script", r->body, &err);

		c->reply.status = fresh ? 200 : 400;
		if (fresh) {
			fm_script_free(s->script);
			s->script = fresh;
			s->nrequest = 0;
			ag_buf_adds(b, "{\"ok\":true}");
		} else {
			ag_buf_adds(b, "{\"error\":");
			ag_json_quote(b, ag_str_c(err.msg));
			ag_buf_adds(b, "}");
		}
	} else if (ag_str_eqc(r->path, "/fake/state") && ag_str_eqc(r->method, "GET")) {
		ag_buf_addf(b, "{\"requests\":%llu,\"connections\":%llu,\"unused\":[",
		            (unsigned long long)s->nrequest, (unsigned long long)s->nopen);
		for (i = 0; s->script && i < s->script->nanswer; i++)
			if (s->script->answers[i]->used < s->script->answers[i]->times)
				ag_buf_addf(b, "%s%u", b->ptr[b->len - 1] == '[' ? "" : ",",
				            s->script->answers[i]->line);
		ag_buf_adds(b, "]}");
	} else {
		c->reply.status = 404;
		ag_buf_adds(b, "{\"error\":\"want POST /fake/script or GET /fake/state\"}");
	}
	c->limit = b->len;
}

static void build(fm_server *s, fm_conn *c, const fm_request *r, int refused, const char *why,
                  planned *p)
{
	if (refused) {
		fm_reply_error(&c->reply, r, refused, AG_S(""), ag_str_c(why));
		c->limit = c->reply.body.len;
		return;
	}
	if (r->call == FM_CALL_CONTROL) {
		control(s, c, r);
		return;
	}
	if (s->script && r->call != FM_CALL_MODELS)
		p->chaos = fm_script_chaos(s->script, s->seed, r->n, &p->random);
	if (p->chaos.fault == FM_FAULT_STATUS) {
		fm_reply_error(&c->reply, r, (int)p->chaos.n, AG_S(""), AG_S("chaos"));
		c->limit = c->reply.body.len;
	} else if (p->chaos.fault == FM_FAULT_DROP) {
		fm_reply_error(&c->reply, r, 500, AG_S(""), AG_S("chaos"));
		c->stop = FM_STOP_DROP;
	} else {
		from_script(s, c, r, p);
		apply_chaos(c, &p->chaos, p->random);
		if (p->chaos.fault == FM_FAULT_DELAY && p->wait_ms >= 0)
			p->wait_ms += p->chaos.n;
	}
}

static void begin(fm_conn *c, uint64_t n)
{
	c->n = n;
	c->phase = FM_PHASE_SEND;
	c->at = c->limit = c->next_end = c->out_at = 0;
	c->sent = 0;
	c->stop = FM_STOP_NONE;
	c->is_chunked = c->by_event = false;
	c->piece_bytes = 0;
	c->delay_ms = 0;
	c->hold[0] = 0;
	ag_buf_clear(&c->out);
}

void fm_answer_request(fm_server *s, fm_conn *c)
{
	fm_request r = { .method = c->http.method };
	char why[400] = "";
	planned p = { .answer = NULL };
	int refused;

	c->close_after = !c->http.keep_alive;
	refused = fm_request_read(&c->http, s->scratch, &r, why, sizeof(why));
	r.n = r.call == FM_CALL_CONTROL ? 0 : ++s->nrequest;
	begin(c, r.n);
	build(s, c, &r, refused, why, &p);
	write_head(c, p.answer, &r, p.answer ? p.answer->framing : FM_FRAMING_AUTO);
	if (c->stop == FM_STOP_DROP) {
		ag_buf_clear(&c->out);
		c->limit = 0;
	}
	if (is_scripted(&r) || refused)
		fm_log_request(s, &(fm_log_entry){ .request = &r,
		                                   .status = c->reply.status,
		                                   .line = p.answer ? p.answer->line : 0,
		                                   .chaos = chaos_names[p.chaos.fault],
		                                   .conn = c });
	if (p.wait_ms < 0)
		c->phase = FM_PHASE_HANG;
	else if (p.wait_ms > 0)
		fm_timer_set(&s->timers, c, fm_now_ms() + p.wait_ms);
	ag_arena_reset(s->scratch);
}

void fm_answer_bad(fm_server *s, fm_conn *c, int status, const char *why)
{
	fm_request r = {
		.n = ++s->nrequest, .method = AG_S("?"), .path = AG_S("?"), .body = AG_S("")
	};

	begin(c, r.n);
	c->close_after = true;
	fm_reply_error(&c->reply, &r, status, AG_S(""), ag_str_c(why));
	c->limit = c->reply.body.len;
	write_head(c, NULL, &r, FM_FRAMING_LENGTH);
	fm_log_request(s, &(fm_log_entry){ .request = &r, .status = status, .conn = c });
}
