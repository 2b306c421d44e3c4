/* A binary heap of connections by the time that something is due. Thousands of slow streams cost nothing while they
 * wait. */
#include <stdlib.h>
#include <time.h>

#include "server.h"

int64_t fm_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void put(fm_timers *t, size_t i, fm_conn *c)
{
	t->heap[i] = c;
	c->heap_at = i;
}

static void up(fm_timers *t, size_t i)
{
	fm_conn *c = t->heap[i];

	while (i && t->heap[(i - 1) / 2]->due_ms > c->due_ms) {
		put(t, i, t->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(t, i, c);
}

static void down(fm_timers *t, size_t i)
{
	fm_conn *c = t->heap[i];

	for (;;) {
		size_t k = 2 * i + 1;

		if (k + 1 < t->n && t->heap[k + 1]->due_ms < t->heap[k]->due_ms)
			k++;
		if (k >= t->n || t->heap[k]->due_ms >= c->due_ms)
			break;
		put(t, i, t->heap[k]);
		i = k;
	}
	put(t, i, c);
}

void fm_timer_clear(fm_timers *t, fm_conn *c)
{
	size_t i = c->heap_at;
	fm_conn *last;

	if (c->due_ms < 0)
		return;
	c->due_ms = -1;
	last = t->heap[--t->n];
	if (last == c)
		return;
	put(t, i, last);
	up(t, i);
	down(t, last->heap_at);
}

void fm_timer_set(fm_timers *t, fm_conn *c, int64_t due_ms)
{
	fm_timer_clear(t, c);
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 64;
		t->heap = ag_xrealloc(t->heap, t->cap * sizeof(fm_conn *));
	}
	c->due_ms = due_ms;
	put(t, t->n++, c);
	up(t, t->n - 1);
}
