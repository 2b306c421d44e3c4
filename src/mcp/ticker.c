/* ticker -- a notification after a moment, then one a second: a call that is answered at once sends none. */
#include "mcp/ticker.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mcp/parts.h"

#define FIRST_MS    300
#define AGAIN_MS    1000
#define STACK_BYTES (128u * 1024)

static ag_str words(ag_mcp_ticker *t, double seconds, char *text, size_t size)
{
	const char *phase = atomic_load(&t->progress.phase);
	const uint64_t n = atomic_load(&t->progress.total), rows = atomic_load(&t->progress.done);

	if (phase && strcmp(phase, "queued") == 0)
		snprintf(text, size, "queued for %.0f s: %llu calls before this one", seconds,
		         (unsigned long long)n);
	else
		snprintf(text, size, "running for %.0f s, %llu rows read", seconds,
		         (unsigned long long)rows);
	return ag_str_c(text);
}

static void tick(ag_mcp_ticker *t)
{
	const double seconds = (double)(ag_clock_mono(t->call->base.ctx.clock) - t->began_ms) /
	                       1000;
	char text[120];

	ag_mcp_progress(&t->call->base, seconds, 0, words(t, seconds, text, sizeof(text)));
}

static void *run(void *arg)
{
	ag_mcp_ticker *t = (ag_mcp_ticker *)arg;
	int64_t wait_ms = FIRST_MS;

	pthread_mutex_lock(&t->lock);
	while (!t->is_over) {
		struct timespec at;
		int rc = 0;

		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_sec += wait_ms / 1000;
		at.tv_nsec += wait_ms % 1000 * 1000000;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		while (!t->is_over && rc == 0)
			rc = pthread_cond_timedwait(&t->wake, &t->lock, &at);
		if (t->is_over)
			break;
		pthread_mutex_unlock(&t->lock);
		tick(t);
		pthread_mutex_lock(&t->lock);
		wait_ms = AGAIN_MS;
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

void ag_mcp_ticker_begin(ag_mcp_ticker *ret, ag_mcp_call *call)
{
	pthread_condattr_t cond;
	pthread_attr_t attr;

	memset(ret, 0, sizeof(*ret));
	ret->call = call;
	if (!call->request->progress_token.len || !call->peer || !call->peer->send)
		return;
	call->base.ctx.progress = &ret->progress;
	ret->began_ms = ag_clock_mono(call->base.ctx.clock);
	pthread_mutex_init(&ret->lock, NULL);
	pthread_condattr_init(&cond);
	pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
	pthread_cond_init(&ret->wake, &cond);
	pthread_condattr_destroy(&cond);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	ret->has_thread = pthread_create(&ret->thread, &attr, run, ret) == 0;
	pthread_attr_destroy(&attr);
	if (!ret->has_thread) {
		pthread_cond_destroy(&ret->wake);
		pthread_mutex_destroy(&ret->lock);
	}
}

void ag_mcp_ticker_end(ag_mcp_ticker *t)
{
	t->call->base.ctx.progress = NULL;
	if (!t->has_thread)
		return;
	pthread_mutex_lock(&t->lock);
	t->is_over = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	t->has_thread = false;
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->lock);
}
