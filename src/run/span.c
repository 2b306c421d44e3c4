/* span -- see the header. The queue is a ring under one lock: a span costs microseconds, what it measures milliseconds. */
#include "run/span.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cond.h"

static atomic_bool is_on;
static ag_span_sampler sampling;
static struct {
	pthread_mutex_t lock;
	pthread_cond_t some;
	bool has_cond, is_woken;
	ag_span *ring[AG_SPAN_QUEUE];
	size_t first, n, enough;
	ag_span_counts counts;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- ids --- */

static bool is_hex(ag_str s)
{
	bool has_any = false;

	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
		has_any = has_any || c != '0';
	}
	return has_any;
}

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; a later version may have more behind it. */
bool ag_traceparent_read(ag_str header, ag_span_remote *ret)
{
	const ag_str h = ag_str_trim(header);
	ag_str flags;

	if (h.len < AG_TRACEPARENT_MAX - 1 || h.ptr[2] != '-' || h.ptr[35] != '-' ||
	    h.ptr[52] != '-' || !is_hex(ag_str_make(h.ptr + 3, 32)) ||
	    !is_hex(ag_str_make(h.ptr + 36, 16)))
		return false;
	if (ag_str_starts(h, AG_S("00"))
	            ? h.len != AG_TRACEPARENT_MAX - 1
	            : !is_hex(ag_str_make(h.ptr, 2)) || ag_str_starts(h, AG_S("ff")) ||
	                      (h.len > 55 && h.ptr[55] != '-'))
		return false;
	flags = ag_str_make(h.ptr + 53, 2);
	if (!is_hex(flags) && !ag_str_eqc(flags, "00"))
		return false;
	memcpy(ret->trace, h.ptr + 3, 32);
	memcpy(ret->span, h.ptr + 36, 16);
	ret->trace[32] = ret->span[16] = '\0';
	ret->is_sampled = strchr("13579bdf", flags.ptr[1]) != NULL;
	return true;
}

/* Not all of them 0, which is no id. */
static void new_id(char *ret, size_t nbyte)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char raw[16];

	AG_ASSERT(nbyte <= sizeof(raw) && getentropy(raw, nbyte) == 0);
	raw[0] |= 1;
	for (size_t i = 0; i < nbyte; i++) {
		ret[2 * i] = digits[raw[i] >> 4];
		ret[2 * i + 1] = digits[raw[i] & 15];
	}
	ret[2 * nbyte] = '\0';
}

/* By the trace's last 56 bits, as everybody does it, so that parts of a trace agree. */
static bool is_chosen(const char *trace)
{
	char tail[15];

	memcpy(tail, trace + 18, sizeof(tail));
	return (double)strtoull(tail, NULL, 16) < sampling.ratio * 72057594037927936.0;
}

/* --- what is traced --- */

static void put_text(char ret[AG_SPAN_MAX_TEXT + 1], ag_str text)
{
	size_t n = text.len < AG_SPAN_MAX_TEXT ? text.len : AG_SPAN_MAX_TEXT;

	/* Not in the middle of a character. */
	while (n && n < text.len && ((unsigned char)text.ptr[n] & 0xC0) == 0x80)
		n--;
	memcpy(ret, n ? text.ptr : "", n);
	ret[n] = '\0';
}

static int64_t wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

ag_span *ag_span_begin(const ag_span *parent, const ag_span_remote *remote, ag_span_kind kind,
                       ag_str name)
{
	ag_span *s;

	if (!atomic_load_explicit(&is_on, memory_order_acquire))
		return NULL;
	s = (ag_span *)ag_xcalloc(1, sizeof(*s));
	if (parent || remote) {
		memcpy(s->trace, parent ? parent->trace : remote->trace, sizeof(s->trace));
		memcpy(s->parent, parent ? parent->id : remote->span, sizeof(s->parent));
		s->is_sampled = parent                 ? parent->is_sampled
		                : sampling.asks_parent ? remote->is_sampled
		                                       : is_chosen(s->trace);
	} else {
		new_id(s->trace, 16);
		s->is_sampled = is_chosen(s->trace);
	}
	new_id(s->id, 8);
	s->kind = kind;
	put_text(s->name, name);
	s->mono_us = ag_time_mono_us();
	s->began_us = wall_us();
	return s;
}

static ag_span_attribute *new_attribute(ag_span *s, const char *key)
{
	ag_span_attribute *a;

	if (!s || !s->is_sampled || s->nattribute == AG_SPAN_MAX_ATTRIBUTES)
		return NULL;
	a = &s->attributes[s->nattribute++];
	a->key = key;
	return a;
}

void ag_span_text(ag_span *s, const char *key, ag_str value)
{
	ag_span_attribute *a = value.len ? new_attribute(s, key) : NULL;

	if (!a)
		return;
	a->is_text = true;
	put_text(a->text, value);
}

void ag_span_number(ag_span *s, const char *key, int64_t value)
{
	ag_span_attribute *a = new_attribute(s, key);

	if (a)
		a->number = value;
}

void ag_span_fail(ag_span *s, ag_str type)
{
	if (s)
		put_text(s->error, type.len ? type : AG_S("error"));
}

void ag_span_name(ag_span *s, ag_str first, ag_str second)
{
	if (s)
		snprintf(s->name, sizeof(s->name), "%.*s %.*s",
		         (int)(first.len < 40 ? first.len : 40), first.ptr,
		         (int)(second.len < 80 ? second.len : 80), second.ptr);
}

void ag_span_end(ag_span *s)
{
	bool is_kept = false;

	if (!s)
		return;
	s->ended_us = s->began_us + (ag_time_mono_us() - s->mono_us);
	if (s->is_sampled) {
		pthread_mutex_lock(&queue.lock);
		is_kept = queue.n < AG_SPAN_QUEUE;
		queue.counts.ndropped += !is_kept;
		if (is_kept)
			queue.ring[(queue.first + queue.n++) % AG_SPAN_QUEUE] = s;
		if (queue.has_cond && queue.n == queue.enough)
			pthread_cond_signal(&queue.some);
		pthread_mutex_unlock(&queue.lock);
	}
	if (!is_kept)
		free(s);
}

bool ag_span_traceparent(const ag_span *s, char ret[AG_TRACEPARENT_MAX])
{
	if (!s)
		return false;
	memcpy(ret, "00-", 3);
	memcpy(ret + 3, s->trace, 32);
	ret[35] = '-';
	memcpy(ret + 36, s->id, 16);
	memcpy(ret + 52, s->is_sampled ? "-01" : "-00", 4);
	return true;
}

/* --- the exporter's side --- */

void ag_span_start(const ag_span_sampler *sampler)
{
	pthread_mutex_lock(&queue.lock);
	if (!queue.has_cond)
		ag_cond_init(&queue.some);
	queue.has_cond = true;
	queue.is_woken = false;
	pthread_mutex_unlock(&queue.lock);
	sampling = *sampler;
	atomic_store_explicit(&is_on, true, memory_order_release);
}

void ag_span_stop(void)
{
	atomic_store(&is_on, false);
}

size_t ag_span_take(ag_span **ret, size_t n, size_t enough, int64_t ms)
{
	const int64_t end = ag_clock_mono(&ag_clock_system) + ms;
	int64_t left = ms;
	size_t got = 0;

	pthread_mutex_lock(&queue.lock);
	queue.enough = enough;
	while (queue.n < enough && !queue.is_woken && left > 0) {
		ag_cond_wait_ms(&queue.some, &queue.lock, left);
		left = end - ag_clock_mono(&ag_clock_system);
	}
	while (got < n && queue.n) {
		ret[got++] = queue.ring[queue.first];
		queue.first = (queue.first + 1) % AG_SPAN_QUEUE;
		queue.n--;
	}
	pthread_mutex_unlock(&queue.lock);
	return got;
}

void ag_span_wake(void)
{
	pthread_mutex_lock(&queue.lock);
	queue.is_woken = true;
	if (queue.has_cond)
		pthread_cond_broadcast(&queue.some);
	pthread_mutex_unlock(&queue.lock);
}

void ag_span_free(ag_span **spans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(spans[i]);
}

void ag_span_count(size_t nexported, size_t ndropped)
{
	pthread_mutex_lock(&queue.lock);
	queue.counts.nexported += nexported;
	queue.counts.ndropped += ndropped;
	pthread_mutex_unlock(&queue.lock);
}

ag_span_counts ag_span_counted(void)
{
	ag_span_counts now;

	pthread_mutex_lock(&queue.lock);
	now = queue.counts;
	pthread_mutex_unlock(&queue.lock);
	return now;
}
