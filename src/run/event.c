/* Event types as text, and the envelope as one line of JSON.
 *
 * All names come from AG_EVENT_TABLE. The payload is copied as it is, save that line breaks between
 * its tokens become blanks: inside a JSON string there is never a raw one, so the meaning stays. */
#include "run/event.h"

#include "base/json.h"

static const struct {
	const char *text;
	bool is_durable;
} types[] = {
#define X(name, text, durable, meaning) [AG_EV_##name] = { text, durable },
	AG_EVENT_TABLE(X)
#undef X
		[AG_EV_UNKNOWN] = { "unknown",
	                            true }, /* durable: what we cannot judge is kept safely */
};

const char *ag_event_type_text(ag_event_type t)
{
	AG_ASSERT((unsigned)t <= AG_EV_UNKNOWN);
	return types[t].text;
}

bool ag_event_type_durable(ag_event_type t)
{
	AG_ASSERT((unsigned)t <= AG_EV_UNKNOWN);
	return types[t].is_durable;
}

ag_event_type ag_event_type_parse(ag_str text)
{
	unsigned t = 0;

	while (t < AG_EV_UNKNOWN && !ag_str_eqc(text, types[t].text))
		t++;
	return (ag_event_type)t;
}

static bool has_line_break(ag_str s)
{
	return ag_str_find(s, '\n') >= 0 || ag_str_find(s, '\r') >= 0;
}

static void payload_json(ag_jw *w, ag_str payload)
{
	size_t start = w->out->len;

	ag_jw_kraw(w, "payload", payload.len ? payload : AG_S("{}"));
	if (w->out->failed || !has_line_break(payload))
		return;
	for (size_t i = start; i < w->out->len; i++) {
		if (w->out->ptr[i] == '\n' || w->out->ptr[i] == '\r')
			w->out->ptr[i] = ' ';
	}
}

void ag_event_json(const ag_event *ev, ag_buf *out)
{
	char at[AG_TIME_MAX_TEXT];
	size_t at_len = ag_time_format(at, ev->at_ms);
	bool is_known = ev->type != AG_EV_UNKNOWN;
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kint(&w, "v", ev->v);
	ag_jw_kstr(&w, "run", ag_id_str(&ev->run));
	ag_jw_kuint(&w, "seq", ev->seq);
	ag_jw_kstr(&w, "type", is_known ? ag_str_c(ag_event_type_text(ev->type)) : ev->type_text);
	if (ev->call_id.text[0])
		ag_jw_kstr(&w, "call_id", ag_id_str(&ev->call_id));
	else
		ag_jw_knull(&w, "call_id");
	if (ev->cause)
		ag_jw_kuint(&w, "cause", ev->cause);
	else
		ag_jw_knull(&w, "cause");
	ag_jw_kstr(&w, "at", ag_str_make(at, at_len));
	payload_json(&w, ev->payload);
	ag_jw_obj_end(&w);
}
