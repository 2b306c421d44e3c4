/* meter -- sums, and a question asked before each call: does the largest possible answer still fit?
 *
 * All sums saturate: counts come from servers, and a wrapped sum would open the budget again. */
#include "llm/meter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define PER       1e6 /* tokens that a price is for */
#define DOUBT     4   /* a count below the estimate over this is not believed */
#define MAX_RATIO 16  /* beyond it a count is not about the text that was sent */

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void ag_llm_meter_init(ag_llm_meter *m, ag_arena *arena, uint64_t max_tokens, double max_usd)
{
	memset(m, 0, sizeof(*m));
	m->arena = arena;
	m->max_tokens = max_tokens;
	m->max_usd = max_usd;
	m->input_ratio = 1;
}

double ag_llm_usd_add(double a, double b)
{
	const double unit = 1e12;

	return round((a + b) * unit) / unit;
}

void ag_llm_meter_prime(ag_llm_meter *m, uint64_t input_tokens, uint64_t output_tokens,
                        uint64_t calls, double usd)
{
	m->input_tokens = sum(m->input_tokens, input_tokens);
	m->output_tokens = sum(m->output_tokens, output_tokens);
	m->calls = sum(m->calls, calls);
	m->usd = ag_llm_usd_add(m->usd, usd);
}

void ag_llm_meter_prime_doubted(ag_llm_meter *m, uint64_t tokens, double usd)
{
	m->doubted_tokens = sum(m->doubted_tokens, tokens);
	m->doubted_usd = ag_llm_usd_add(m->doubted_usd, usd);
}

uint64_t ag_llm_meter_tokens(const ag_llm_meter *m)
{
	return sum(sum(m->input_tokens, m->output_tokens), m->doubted_tokens);
}

double ag_llm_meter_usd(const ag_llm_meter *m)
{
	return m->doubted_usd > 0 ? ag_llm_usd_add(m->usd, m->doubted_usd) : m->usd;
}

ag_llm_usage ag_llm_meter_floor(const ag_llm_usage *given, uint64_t estimated_input,
                                uint64_t estimated_output)
{
	ag_llm_usage u = *given;

	if (u.input_tokens < estimated_input / DOUBT)
		u.input_tokens = estimated_input / DOUBT;
	if (u.output_tokens < estimated_output / DOUBT)
		u.output_tokens = estimated_output / DOUBT;
	return u;
}

uint64_t ag_llm_estimate_tokens(size_t nbyte)
{
	return (uint64_t)nbyte / 4 + (nbyte % 4 != 0);
}

/* --- may a call be made? ------------------------------------------------------------------------- */

AG_PRINTF(3, 4)
static void refuse(ag_llm_meter *m, ag_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->why, sizeof(m->why), fmt, ap);
	va_end(ap);
	m->exhausted = true;
	ag_fail(err, AG_LIMIT, "llm.meter", "%s", m->why);
}

static ag_status admit_tokens(ag_llm_meter *m, uint64_t input, unsigned least, unsigned *output,
                              ag_err *err)
{
	uint64_t used = ag_llm_meter_tokens(m), need = sum(sum(used, input), least);
	char doubted[64] = "";
	uint64_t room;

	if (!m->max_tokens)
		return AG_OK;
	if (m->doubted_tokens)
		snprintf(doubted, sizeof(doubted), ", %" PRIu64 " of them uncounted by the server",
		         m->doubted_tokens);
	if (need > m->max_tokens) {
		refuse(m, err,
		       "the budget of %" PRIu64 " tokens is used up (%" PRIu64
		       " used%s, the next call needs about %" PRIu64 ")",
		       m->max_tokens, used, doubted, sum(input, least));
		ag_err_hint(err, "a larger --max-tokens lets it go on");
		return AG_LIMIT;
	}
	room = m->max_tokens - sum(used, input);
	if (*output > room)
		*output = (unsigned)room;
	return AG_OK;
}

static ag_status admit_usd(ag_llm_meter *m, uint64_t input, unsigned least, unsigned *output,
                           double input_price, double output_price, ag_err *err)
{
	double used = ag_llm_meter_usd(m), left = m->max_usd - used, fixed, room;

	if (!(m->max_usd > 0))
		return AG_OK;
	if (!(input_price >= 0) || !(output_price >= 0)) {
		refuse(m, err,
		       "a budget of %.4g USD is set, but the price of the model is not known",
		       m->max_usd);
		ag_err_hint(
			err,
			"give the model its prices in argus.yaml, or limit tokens instead of money");
		return AG_LIMIT;
	}
	fixed = (double)input * input_price / PER;
	if (fixed + (double)least * output_price / PER > left) {
		refuse(m, err,
		       "the budget of %.4g USD is used up (%.4g used, the next call needs about "
		       "%.2g)",
		       m->max_usd, used, fixed + (double)least * output_price / PER);
		ag_err_hint(err, "a larger --max-cost lets it go on");
		return AG_LIMIT;
	}
	if (output_price > 0) {
		room = (left - fixed) * PER / output_price;
		if ((double)*output > room)
			*output = room > least ? (unsigned)room : least;
	}
	return AG_OK;
}

/* By what servers counted so far; a meter that was zeroed by hand knows nothing. */
static uint64_t corrected(const ag_llm_meter *m, uint64_t input_tokens)
{
	const double n = (double)input_tokens * m->input_ratio;

	return m->input_ratio > 1 && n < 1e15 ? (uint64_t)n : input_tokens;
}

static void learn_ratio(ag_llm_meter *m, const ag_llm_charge *c)
{
	const double ratio = m->asked_input_tokens
	                             ? (double)c->usage.input_tokens / (double)m->asked_input_tokens
	                             : 0;

	if (!c->usage.is_estimated && c->attempts == 1 && ratio > m->input_ratio)
		m->input_ratio = ratio < MAX_RATIO ? ratio : MAX_RATIO;
}

ag_status ag_llm_meter_admit(ag_llm_meter *m, uint64_t input_tokens, unsigned *output,
                             double input_price, double output_price, ag_err *err)
{
	/* Who wants less than the least gets it. */
	unsigned least = *output < AG_METER_MIN_OUTPUT ? *output : AG_METER_MIN_OUTPUT;
	unsigned allowed = *output;
	ag_status st;

	m->asked_input_tokens = input_tokens;
	input_tokens = corrected(m, input_tokens);
	st = admit_tokens(m, input_tokens, least, &allowed, err);
	if (!st)
		st = admit_usd(m, input_tokens, least, &allowed, input_price, output_price, err);
	if (!st)
		*output = allowed;
	return st;
}

/* --- what was used ------------------------------------------------------------------------------- */

static ag_str keep(ag_llm_meter *m, ag_str s)
{
	return s.len ? ag_str_dup(m->arena, s) : AG_S("");
}

/* One more fits; seldom are there more than a few. */
static void make_room(ag_llm_meter *m)
{
	ag_llm_charge *more;

	if (m->npending < m->cap)
		return;
	m->cap = m->cap ? 2 * m->cap : 4;
	more = ag_new_n(m->arena, ag_llm_charge, m->cap);
	if (m->npending)
		memcpy(more, m->pending, m->npending * sizeof(*more));
	m->pending = more;
}

void ag_llm_meter_charge(ag_llm_meter *m, const ag_llm_charge *c)
{
	uint64_t tokens = sum(c->usage.input_tokens, c->usage.output_tokens);
	ag_llm_charge *slot;

	m->input_tokens = sum(m->input_tokens, c->usage.input_tokens);
	m->output_tokens = sum(m->output_tokens, c->usage.output_tokens);
	m->calls = sum(m->calls, c->attempts);
	m->usd = ag_llm_usd_add(m->usd, c->usd);
	ag_llm_meter_prime_doubted(m, c->doubted_tokens, c->doubted_usd);
	learn_ratio(m, c);
	if (tokens > m->largest_call_tokens)
		m->largest_call_tokens = tokens;
	if (m->npending == AG_METER_MAX_PENDING) { /* the oldest is in the totals only */
		m->npending--;
		memmove(m->pending, m->pending + 1, m->npending * sizeof(m->pending[0]));
	}
	if (!m->arena)
		return;
	make_room(m);
	slot = &m->pending[m->npending++];
	*slot = *c;
	slot->purpose = keep(m, c->purpose);
	slot->name = keep(m, c->name);
	slot->model = keep(m, c->model);
	slot->provider = keep(m, c->provider);
}
