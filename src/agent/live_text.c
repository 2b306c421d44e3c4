/* live_text -- see the header. */
#include "agent/live_text.h"

#include "base/log.h"

#define MAX_BYTES (64u << 20) /* of words and of what is held: more than a reply may have */

void ag_live_text_init(ag_live_text *l, const ag_watch *to)
{
	*l = (ag_live_text){ .to = *to,
		             .held = AG_BUF_INIT(MAX_BYTES),
		             .words = AG_BUF_INIT(MAX_BYTES) };
}

void ag_live_text_release(ag_live_text *l)
{
	ag_buf_release(&l->held);
	ag_buf_release(&l->words);
}

static void show(ag_live_text *l, ag_llm_delta_type type, unsigned call, ag_str text, bool more)
{
	ag_buf clean = AG_BUF_INIT(2 * MAX_BYTES);

	/* A text that cannot be cleaned is not shown; the log says why. */
	if (ag_log_clean(text, &clean) && !clean.failed) {
		const ag_llm_delta d = { type, ag_buf_view(&clean), call, more };

		l->has_shown = true;
		l->to.on_delta(l->to.arg, &d);
	}
	ag_buf_release(&clean);
}

static void show_held(ag_live_text *l, size_t n, bool more)
{
	const ag_str held = ag_buf_view(&l->held);

	if (!n)
		return;
	show(l, l->type, l->call, ag_str_make(held.ptr, n), more);
	memmove(l->held.ptr, l->held.ptr + n, held.len - n);
	l->held.len -= n;
}

static void show_call(ag_live_text *l, unsigned call, ag_str name)
{
	if (call < AG_LIVE_MAX_CALLS)
		l->calls[call / 8] |= (unsigned char)(1u << call % 8);
	show(l, AG_LLM_DELTA_CALL, call, name, true);
}

static void hold(ag_live_text *l, const ag_llm_delta *d)
{
	if (l->held.len && (l->type != d->type || l->call != d->call))
		show_held(l, l->held.len, false);
	l->type = d->type;
	l->call = d->call;
	ag_buf_add(&l->held, d->text);
	if (!d->more)
		show_held(l, ag_log_settled(ag_buf_view(&l->held)), false);
}

void ag_live_text_take(void *arg, const ag_llm_delta *d)
{
	ag_live_text *l = arg;

	if (d->type == AG_LLM_DELTA_VOID) {
		ag_live_text_void(l, NULL);
		return;
	}
	if (d->type == AG_LLM_DELTA_TEXT)
		ag_buf_add(&l->words, d->text);
	if (d->type != AG_LLM_DELTA_CALL) {
		hold(l, d);
		return;
	}
	show_held(l, l->held.len, false);
	show_call(l, d->call, d->text);
}

void ag_live_text_retry(void *arg, const ag_err *why, int64_t wait_ms)
{
	const ag_watch *to = &((ag_live_text *)arg)->to;

	if (to->on_retry)
		to->on_retry(to->arg, why, wait_ms);
}

/* Calls whose input did not come in pieces. */
static void show_calls(ag_live_text *l, const ag_llm_reply *r)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->npart && n < AG_LIVE_MAX_CALLS; i++) {
		if (r->parts[i].type != AG_LLM_TOOL_CALL)
			continue;
		if (!(l->calls[n / 8] & (1u << n % 8))) {
			show_call(l, n, r->parts[i].name);
			show(l, AG_LLM_DELTA_INPUT, n, r->parts[i].input, true);
		}
		n++;
	}
}

static void show_reply(ag_live_text *l, const ag_llm_reply *r)
{
	if (r->text.len) {
		ag_buf_add(&l->words, r->text);
		show(l, AG_LLM_DELTA_TEXT, 0, r->text, true);
	}
	show_calls(l, r);
}

void ag_live_text_void(ag_live_text *l, const ag_llm_reply *r)
{
	const ag_llm_delta nothing = { .type = AG_LLM_DELTA_VOID };

	ag_buf_clear(&l->held);
	ag_buf_clear(&l->words);
	memset(l->calls, 0, sizeof(l->calls));
	if (l->has_shown)
		l->to.on_delta(l->to.arg, &nothing);
	l->has_shown = false;
	if (r)
		show_reply(l, r);
}

/* The reply may come without keys already. */
static bool is_same(ag_str a, ag_str b)
{
	ag_buf clean_a = AG_BUF_INIT(2 * MAX_BYTES), clean_b = AG_BUF_INIT(2 * MAX_BYTES);
	const bool ret = ag_log_clean(a, &clean_a) && ag_log_clean(b, &clean_b) &&
	                 ag_str_eq(ag_str_trim(ag_buf_view(&clean_a)),
	                           ag_str_trim(ag_buf_view(&clean_b)));

	ag_buf_release(&clean_a);
	ag_buf_release(&clean_b);
	return ret;
}

void ag_live_text_end(ag_live_text *l, const ag_llm_reply *r)
{
	show_held(l, l->held.len, r != NULL);
	if (r && !is_same(ag_buf_view(&l->words), r->text))
		ag_live_text_void(l, r);
	else if (r)
		show_calls(l, r);
}
