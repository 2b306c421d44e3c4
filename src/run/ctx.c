/* The run context: one question ("go on?") and two ways to say how far the work is.
 *
 * Everything here is called from hot loops and by several threads: relaxed atomics, no lock, and
 * the clock is read only when there is a deadline. */
#include "run/ctx.h"

static const char *phase_of(const ag_ctx *ctx)
{
	return ctx->progress ? atomic_load_explicit(&ctx->progress->phase, memory_order_acquire)
	                     : NULL;
}

static bool is_set(const atomic_bool *flag)
{
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

bool ag_ctx_is_cancelled(const ag_ctx *ctx)
{
	return ctx && (is_set(ctx->cancel) || is_set(ctx->cancel_run));
}

bool ag_ctx_can_be_cancelled(const ag_ctx *ctx)
{
	return ctx && (ctx->cancel || ctx->cancel_run);
}

ag_status ag_ctx_check(const ag_ctx *ctx, ag_err *err)
{
	const char *phase;

	if (!ctx)
		return AG_OK;
	if (ag_ctx_is_cancelled(ctx)) {
		phase = phase_of(ctx);
		return ag_fail(err, AG_CANCELLED, "run.ctx", "cancelled%s%s",
		               phase ? " while " : "", phase ? phase : "");
	}
	if (ctx->deadline_ms && ag_clock_mono(ctx->clock) >= ctx->deadline_ms) {
		phase = phase_of(ctx);
		ag_fail(err, AG_TIMEOUT, "run.ctx", "the time limit was reached%s%s",
		        phase ? " while " : "", phase ? phase : "");
		ag_err_hint(err, "a larger --deadline gives it more time");
		return AG_TIMEOUT;
	}
	return AG_OK;
}

int64_t ag_ctx_left_ms(const ag_ctx *ctx)
{
	int64_t left;

	if (!ctx || !ctx->deadline_ms)
		return -1;
	left = ctx->deadline_ms - ag_clock_mono(ctx->clock);
	return left > 0 ? left : 0;
}

void ag_ctx_phase(const ag_ctx *ctx, const char *phase, const char *unit, uint64_t total)
{
	ag_progress *p = ctx ? ctx->progress : NULL;

	if (!p)
		return;
	/* Nameless in between, so that nobody draws the old count against the new total. */
	atomic_store_explicit(&p->phase, NULL, memory_order_release);
	atomic_store_explicit(&p->done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
	atomic_store_explicit(&p->unit, unit, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->nphase, 1, memory_order_relaxed);
	atomic_store_explicit(&p->phase, phase, memory_order_release);
}

void ag_ctx_advance(const ag_ctx *ctx, uint64_t done, uint64_t documents)
{
	ag_progress *p = ctx ? ctx->progress : NULL;

	if (!p)
		return;
	atomic_fetch_add_explicit(&p->done, done, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->documents, documents, memory_order_relaxed);
}

void ag_ctx_charge(const ag_ctx *ctx, uint64_t milli_units, uint64_t nthrottled)
{
	ag_progress *p = ctx ? ctx->progress : NULL;

	if (!p)
		return;
	atomic_fetch_add_explicit(&p->milli_units, milli_units, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->nthrottled, nthrottled, memory_order_relaxed);
}
