/* sse -- bytes to lines, lines to fields, fields to events.
 *
 * Invariant: what was fed is a sequence of whole lines, already taken in, and the begin of one more in `line`. A line that
 * lies whole in one piece is read where it is; only what a read cut in two is copied. Every limit counts content, never
 * pieces, so that the same bytes give the same events and the same failure however they were cut.
 *
 * Order: dispatch() and take_field() are the specification's, ag_sse_feed() finds the lines. */
#include "net/sse.h"

#define ORIGIN "net.sse"

void ag_sse_init(ag_sse *s, ag_sse_fn on_event, void *arg)
{
	*s = (ag_sse){
		.line = AG_BUF_INIT(AG_SSE_MAX_LINE_BYTES),
		.name = AG_BUF_INIT(AG_SSE_MAX_LINE_BYTES),
		.data = AG_BUF_INIT(AG_SSE_MAX_EVENT_BYTES),
		.id = AG_BUF_INIT(AG_SSE_MAX_LINE_BYTES),
		.at_start = true,
		.on_event = on_event,
		.arg = arg,
	};
}

void ag_sse_release(ag_sse *s)
{
	ag_buf_release(&s->line);
	ag_buf_release(&s->name);
	ag_buf_release(&s->data);
	ag_buf_release(&s->id);
}

static void forget_event(ag_sse *s)
{
	ag_buf_clear(&s->name);
	ag_buf_clear(&s->data);
	ag_buf_clear(&s->id);
	s->has_data = false;
}

/* An empty line: without any data field there is no event. */
static ag_status dispatch(ag_sse *s, ag_err *err)
{
	ag_sse_event ev = { ag_buf_view(&s->name), ag_buf_view(&s->data), ag_buf_view(&s->id) };
	ag_status st = s->has_data ? s->on_event(s->arg, &ev, err) : AG_OK;

	forget_event(s);
	return st;
}

static void set(ag_buf *b, ag_str value)
{
	ag_buf_clear(b);
	ag_buf_add(b, value);
}

static void take_field(ag_sse *s, ag_str name, ag_str value)
{
	if (ag_str_eqc(name, "data")) {
		if (s->has_data)
			ag_buf_addc(&s->data, '\n');
		ag_buf_add(&s->data, value);
		s->has_data = true;
	} else if (ag_str_eqc(name, "event")) {
		set(&s->name, value);
	} else if (ag_str_eqc(name, "id") && ag_str_find(value, '\0') < 0) {
		set(&s->id, value);
	}
}

static ag_status too_long(ag_err *err, const char *what, size_t limit)
{
	return ag_fail(err, AG_LIMIT, ORIGIN, "the event stream has %s of more than %zu MB", what,
	               limit >> 20);
}

/* A whole line, without its end. */
static ag_status take_line(ag_sse *s, ag_str line, ag_err *err)
{
	ag_str value = AG_S("");
	ptrdiff_t colon;

	if (s->at_start && ag_str_starts(line, AG_S("\xEF\xBB\xBF"))) {
		line.ptr += 3;
		line.len -= 3;
	}
	s->at_start = false;
	if (!line.len)
		return dispatch(s, err);
	colon = ag_str_find(line, ':');
	if (colon == 0)
		return AG_OK; /* a comment: servers keep the connection alive with it */
	if (colon > 0) {
		value = ag_str_make(line.ptr + colon + 1, line.len - (size_t)colon - 1);
		line.len = (size_t)colon;
		if (value.len && value.ptr[0] == ' ') {
			value.ptr++;
			value.len--;
		}
	}
	take_field(s, line, value);
	if (s->data.failed || s->name.len + s->data.len + s->id.len > AG_SSE_MAX_EVENT_BYTES)
		return too_long(err, "an event", AG_SSE_MAX_EVENT_BYTES);
	return AG_OK;
}

/* The bytes before the next line end; *rest moves behind them. False: there is no line end. A plain loop: two memchr
 * would be quadratic on a stream that has CR only. */
static bool next_line(ag_str *rest, ag_str *ret)
{
	size_t n = 0;

	while (n < rest->len && rest->ptr[n] != '\n' && rest->ptr[n] != '\r')
		n++;
	*ret = ag_str_make(rest->ptr, n);
	rest->ptr += n;
	rest->len -= n;
	return rest->len > 0;
}

ag_status ag_sse_feed(ag_sse *s, ag_str bytes, ag_err *err)
{
	while (bytes.len) {
		ag_str line;
		bool is_whole;
		ag_status st;

		if (s->after_cr && bytes.ptr[0] == '\n') {
			bytes.ptr++;
			bytes.len--;
			s->after_cr = false;
			continue;
		}
		s->after_cr = false;
		is_whole = next_line(&bytes, &line);
		if (s->line.len + line.len > AG_SSE_MAX_LINE_BYTES)
			return too_long(err, "a line", AG_SSE_MAX_LINE_BYTES);
		if (!is_whole || s->line.len) {
			ag_buf_add(&s->line, line);
			line = ag_buf_view(&s->line);
		}
		if (!is_whole)
			return AG_OK;
		s->after_cr = bytes.ptr[0] == '\r';
		bytes.ptr++;
		bytes.len--;
		st = take_line(s, line, err);
		ag_buf_clear(&s->line);
		if (st)
			return st;
	}
	return AG_OK;
}

ag_status ag_sse_end(ag_sse *s, ag_err *err)
{
	ag_status st = AG_OK;

	if (s->line.len) {
		st = take_line(s, ag_buf_view(&s->line), err);
		ag_buf_clear(&s->line);
	}
	s->after_cr = false;
	return st ? st : dispatch(s, err);
}
