/* histogram -- see the header. The range first (range_of), then the width (number_edges, time_edges), then one walk over
 * the sorted values (fill_counts). */
#include "columns/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/time.h"

#define FENCE       3.0                /* interquartile ranges beyond the quartiles */
#define MOST_STEPS  1125899906842624.0 /* 2^50: above, multiples of the width are no whole doubles */
#define MOST_MS     8.64e15 /* years -271821 to 275760: beyond, a double does not hold each ms */
#define SECOND_MS   1000.0
#define MINUTE_MS   60000.0
#define HOUR_MS     3600000.0
#define DAY_MS      86400000.0
#define MONTH_MS    2629746000.0 /* a twelfth of the mean Gregorian year */
#define MONDAY_DAYS (-3)         /* 1969-12-29, from 1970-01-01 */

/* Widths that people read, ascending. Months are counted by the calendar, all others in ms. */
static const struct time_step {
	ag_histogram_unit unit;
	int n;
	double ms; /* of one unit */
	int months;
} time_steps[] = {
	{ AG_UNIT_MS, 1, 1, 0 },
	{ AG_UNIT_MS, 10, 1, 0 },
	{ AG_UNIT_MS, 100, 1, 0 },
	{ AG_UNIT_SECOND, 1, SECOND_MS, 0 },
	{ AG_UNIT_SECOND, 5, SECOND_MS, 0 },
	{ AG_UNIT_SECOND, 15, SECOND_MS, 0 },
	{ AG_UNIT_MINUTE, 1, MINUTE_MS, 0 },
	{ AG_UNIT_MINUTE, 5, MINUTE_MS, 0 },
	{ AG_UNIT_MINUTE, 15, MINUTE_MS, 0 },
	{ AG_UNIT_HOUR, 1, HOUR_MS, 0 },
	{ AG_UNIT_HOUR, 3, HOUR_MS, 0 },
	{ AG_UNIT_HOUR, 6, HOUR_MS, 0 },
	{ AG_UNIT_HOUR, 12, HOUR_MS, 0 },
	{ AG_UNIT_DAY, 1, DAY_MS, 0 },
	{ AG_UNIT_WEEK, 1, 7 * DAY_MS, 0 },
	{ AG_UNIT_MONTH, 1, MONTH_MS, 1 },
	{ AG_UNIT_MONTH, 3, MONTH_MS, 1 },
	{ AG_UNIT_MONTH, 6, MONTH_MS, 1 },
	{ AG_UNIT_YEAR, 1, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 2, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 5, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 10, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 20, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 50, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 100, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 500, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 1000, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 5000, 12 * MONTH_MS, 12 },
	{ AG_UNIT_YEAR, 20000, 12 * MONTH_MS, 12 },
};

/* What the bars cover, and how wide they should be at least for their number. */
typedef struct span {
	double lo, hi, width;
} span;

static span range_within_fences(const ag_quantiles *q, uint64_t n)
{
	const double iqr = q->p75 - q->p25;
	span s = { q->min, q->max, 0 };

	if (iqr > 0 && isfinite(iqr)) {
		s.lo = fmax(s.lo, q->p25 - FENCE * iqr);
		s.hi = fmin(s.hi, q->p75 + FENCE * iqr);
		s.width = 2 * iqr / cbrt((double)n);
	} else if (q->p99 > q->p01) { /* half of the values or more are one value */
		s.lo = fmax(s.lo, q->p01 - FENCE * (q->p99 - q->p01));
		s.hi = fmin(s.hi, q->p99 + FENCE * (q->p99 - q->p01));
	}
	if (!(s.width > 0))
		s.width = (s.hi - s.lo) / (1 + log2((double)n));
	return s;
}

/* From the least to the greatest value within the fences: no empty bars at the ends. */
static span range_of(const ag_u64_count *v, size_t n, uint64_t count, const ag_quantiles *q,
                     const ag_histogram_of *of)
{
	span s = range_within_fences(q, count);
	size_t from = 0, to = n;

	while (from + 1 < n && of->value_of(v[from].key) < s.lo)
		from++;
	while (to > from + 1 && of->value_of(v[to - 1].key) > s.hi)
		to--;
	s.lo = of->value_of(v[from].key);
	s.hi = of->value_of(v[to - 1].key);
	return s;
}

/* One bar that holds all of the range. */
static void one_bar(ag_histogram *h, const span *s)
{
	h->nbar = 1;
	h->width = 0;
	h->edges[0] = s->lo;
	h->edges[1] = s->hi;
}

/* Bars of `step` times 10^exponent. A power below 1 divides, so that 3 times 0.1 is the double nearest to 0.3. */
static bool number_bars(ag_histogram *h, const span *s, int step, int exponent)
{
	const double power = pow(10, abs(exponent));
	const double width = exponent < 0 ? step / power : step * power;
	const double first = floor(s->lo / width), last = floor(s->hi / width);

	if (!(fabs(first) < MOST_STEPS && fabs(last) < MOST_STEPS) ||
	    last - first + 1 > AG_HISTOGRAM_MAX)
		return false;
	h->nbar = (unsigned)(last - first) + 1;
	h->width = width;
	for (unsigned i = 0; i <= h->nbar; i++)
		h->edges[i] = exponent < 0 ? (first + i) * step / power
		                           : (first + i) * step * power;
	return isfinite(h->edges[0]) && isfinite(h->edges[h->nbar]);
}

static void number_edges(ag_histogram *h, const span *s, double least)
{
	static const int steps[] = { 1, 2, 5 };
	const double wanted = fmax(fmax(s->width, least), (s->hi - s->lo) / AG_HISTOGRAM_MAX);
	int exponent;

	if (!(s->hi > s->lo) || !isfinite(wanted) || !(wanted > 1e-290)) {
		one_bar(h, s);
		return;
	}
	exponent = (int)floor(log10(wanted));
	/* The narrowest of the widths that is wide enough; range and rounding may ask for the next one. */
	for (unsigned i = 0; i < 9; i++) {
		const int step = steps[i % 3], e = exponent + (int)(i / 3);

		if (step * pow(10, e) >= wanted * (1 - 1e-12) && number_bars(h, s, step, e))
			return;
	}
	one_bar(h, s);
}

static double month_start(int64_t month)
{
	const int64_t year = month >= 0 ? month / 12 : -((11 - month) / 12);
	const ag_civil c = { .year = year, .month = (int)(month - 12 * year) + 1, .day = 1 };

	return (double)ag_time_from_civil(&c);
}

static int64_t floor_div(int64_t x, int64_t by)
{
	return x / by - (x % by < 0);
}

/* Months since year 0. */
static int64_t month_of(double ms)
{
	const ag_civil c = ag_time_to_civil((int64_t)ms);

	return c.year * 12 + c.month - 1;
}

static bool time_bars(ag_histogram *h, const span *s, const struct time_step *t)
{
	const double width = t->n * t->ms,
		     from = t->unit == AG_UNIT_WEEK ? MONDAY_DAYS * DAY_MS : 0;
	const int64_t months = (int64_t)t->n * t->months;
	const double first = months ? (double)floor_div(month_of(s->lo), months)
	                            : floor((s->lo - from) / width),
		     last = months ? (double)floor_div(month_of(s->hi), months)
	                           : floor((s->hi - from) / width);

	if (last - first + 1 > AG_HISTOGRAM_MAX)
		return false;
	h->nbar = (unsigned)(last - first) + 1;
	h->unit = t->unit;
	h->width = t->n;
	for (unsigned i = 0; i <= h->nbar; i++)
		h->edges[i] = months ? month_start(((int64_t)first + i) * months)
		                     : from + (first + i) * width;
	return true;
}

static void time_edges(ag_histogram *h, const span *s, double least)
{
	const double wanted = fmax(s->width, least);

	h->unit = AG_UNIT_MS;
	if (s->hi > s->lo && s->lo > -MOST_MS && s->hi < MOST_MS)
		for (size_t i = 0; i < AG_NELEM(time_steps); i++)
			if (time_steps[i].n * time_steps[i].ms >= wanted * (1 - 1e-12) &&
			    time_bars(h, s, &time_steps[i]))
				return;
	one_bar(h, s);
}

static void fill_counts(ag_histogram *h, const ag_u64_count *v, size_t n,
                        uint64_t (*key_of)(double))
{
	const uint64_t least = key_of(h->edges[0]), most = key_of(h->edges[h->nbar]);
	size_t i = 0;

	for (; i < n && v[i].key < least; i++)
		h->below += v[i].n;
	for (unsigned b = 0; b < h->nbar; b++) {
		const uint64_t end = key_of(h->edges[b + 1]);
		const bool is_last = b + 1 == h->nbar;

		for (; i < n && (v[i].key < end || (is_last && v[i].key == most)); i++)
			h->counts[b] += v[i].n;
	}
	for (; i < n; i++)
		h->above += v[i].n;
}

const ag_histogram *ag_histogram_make(const ag_u64_count *v, size_t n, uint64_t count,
                                      const ag_quantiles *q, const ag_histogram_of *of,
                                      ag_arena *arena)
{
	ag_histogram *h = ag_new(arena, ag_histogram);
	const span s = range_of(v, n, count, q, of);

	if (of->is_time)
		time_edges(h, &s, of->least);
	else
		number_edges(h, &s, of->least);
	fill_counts(h, v, n, of->key_of);
	return h;
}

const ag_histogram *ag_histogram_dup(ag_arena *arena, const ag_histogram *h)
{
	ag_histogram *ret;

	if (!h)
		return NULL;
	ret = ag_new(arena, ag_histogram);
	*ret = *h;
	return ret;
}

int ag_histogram_bar(const ag_histogram *h, double value)
{
	unsigned lo = 0, hi = h->nbar;

	if (!(value >= h->edges[0]))
		return -1;
	if (value >= h->edges[h->nbar])
		return value > h->edges[h->nbar] ? (int)h->nbar : (int)h->nbar - 1;
	while (hi - lo > 1) {
		const unsigned mid = lo + (hi - lo) / 2;

		if (value >= h->edges[mid])
			lo = mid;
		else
			hi = mid;
	}
	return (int)lo;
}

const char *ag_histogram_unit_name(ag_histogram_unit u)
{
	static const char *const names[AG_NUNIT] = { "",    "ms",   "second", "minute", "hour",
		                                     "day", "week", "month",  "year" };

	return names[u];
}
