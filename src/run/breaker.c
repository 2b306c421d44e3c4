/* breaker -- three states behind one mutex; `turn` tells reports of now from reports of before. */
#include "run/breaker.h"

void ag_breaker_init(ag_breaker *b)
{
	*b = (ag_breaker){ .state = AG_BREAKER_CLOSED,
		           .most = AG_BREAKER_FAILURES,
		           .first_ms = AG_BREAKER_OPEN_MS,
		           .open_ms = AG_BREAKER_OPEN_MS };
	pthread_mutex_init(&b->lock, NULL);
}

void ag_breaker_probe_early(ag_breaker *b, int64_t first_ms)
{
	b->first_ms = b->open_ms = first_ms;
}

void ag_breaker_open_after(ag_breaker *b, unsigned nfailed)
{
	b->most = nfailed;
}

void ag_breaker_release(ag_breaker *b)
{
	pthread_mutex_destroy(&b->lock);
}

static void enter(ag_breaker *b, ag_breaker_state state)
{
	b->state = state;
	b->turn++;
	b->nfailed = 0;
	b->is_probed = false;
	if (state == AG_BREAKER_CLOSED)
		b->open_ms = b->first_ms;
}

bool ag_breaker_admit(ag_breaker *b, int64_t now_ms, uint64_t *ret_ticket, int64_t *ret_wait_ms)
{
	bool passes = true;

	pthread_mutex_lock(&b->lock);
	*ret_wait_ms = 0;
	if (b->state == AG_BREAKER_OPEN && now_ms >= b->open_till)
		enter(b, AG_BREAKER_HALF_OPEN);
	if (b->state == AG_BREAKER_OPEN) {
		*ret_wait_ms = b->open_till - now_ms;
		passes = false;
	} else if (b->state == AG_BREAKER_HALF_OPEN) {
		passes = !b->is_probed;
		b->is_probed = true;
	}
	*ret_ticket = b->turn;
	pthread_mutex_unlock(&b->lock);
	return passes;
}

static void open_it(ag_breaker *b, int64_t now_ms)
{
	enter(b, AG_BREAKER_OPEN);
	b->open_till = now_ms + b->open_ms;
	b->open_ms = b->open_ms * 2 < AG_BREAKER_OPEN_MS ? b->open_ms * 2 : AG_BREAKER_OPEN_MS;
}

void ag_breaker_tell(ag_breaker *b, uint64_t ticket, int64_t now_ms, ag_breaker_report what)
{
	pthread_mutex_lock(&b->lock);
	if (ticket == b->turn && b->state == AG_BREAKER_HALF_OPEN) {
		if (what == AG_BREAKER_WORKS)
			enter(b, AG_BREAKER_CLOSED);
		else if (what == AG_BREAKER_FAILED)
			open_it(b, now_ms);
		else
			b->is_probed = false; /* the next request is the probe */
	} else if (ticket == b->turn && b->state == AG_BREAKER_CLOSED) {
		if (what == AG_BREAKER_WORKS)
			b->nfailed = 0;
		else if (what == AG_BREAKER_FAILED && ++b->nfailed == b->most)
			open_it(b, now_ms);
	}
	pthread_mutex_unlock(&b->lock);
}

ag_breaker_state ag_breaker_state_of(ag_breaker *b)
{
	ag_breaker_state state;

	pthread_mutex_lock(&b->lock);
	state = b->state;
	pthread_mutex_unlock(&b->lock);
	return state;
}
