/* profile_num -- numbers, dates and array sizes of a path from its counted values.
 *
 * All are weighted lists sorted by a key whose unsigned order is the order of the values (to_key). Quantiles
 * are exact, by nearest rank; the deviations from the median need no second sort, since walking outwards
 * from the median meets them in order (deviation()). */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "columns/profile_impl.h"

#define SIGN     (UINT64_C(1) << 63)
#define DAY_MS   INT64_C(86400000)
#define MAX_SURE 9e11 /* below, 4 decimals more fit into a double's 53 bits */

static uint64_t key_of(double d)
{
	uint64_t bits;

	d += 0.0; /* -0 is 0 */
	memcpy(&bits, &d, sizeof(bits));
	return bits & SIGN ? ~bits : bits | SIGN;
}

static double double_value(uint64_t key)
{
	uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

double ag_profile_int_value(uint64_t key)
{
	return (double)key;
}

static uint64_t int_key(double d)
{
	return d > 0 ? (uint64_t)d : 0;
}

const ag_histogram_of ag_profile_of_ints = { .key_of = int_key,
	                                     .value_of = ag_profile_int_value,
	                                     .least = 1 };

/* Dates: ms, in the order of int64. */
static double date_value(uint64_t key)
{
	return (double)(int64_t)(key ^ SIGN);
}

static uint64_t date_key(double ms)
{
	if (ms >= 9223372036854775807.0)
		return UINT64_MAX;
	return (uint64_t)(ms <= -9223372036854775808.0 ? INT64_MIN : (int64_t)ms) ^ SIGN;
}

static uint64_t total(const ag_u64_count *v, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i].n;
	return sum;
}

/* The nearest rank, from 1: ceil(n * per_mille / 1000) without leaving the integers. */
static uint64_t rank_of(uint64_t n, unsigned per_mille)
{
	uint64_t rank = n / 1000 * per_mille + (n % 1000 * per_mille + 999) / 1000;

	return rank ? rank : 1;
}

/* The key at each rank (ascending, none above the sum of the counts); n > 0. */
static void keys_at(const ag_u64_count *v, size_t n, const uint64_t *rank, size_t nrank,
                    uint64_t *ret)
{
	uint64_t seen = 0;
	size_t k = 0;

	for (size_t i = 0; i < n && k < nrank; i++) {
		seen += v[i].n;
		for (; k < nrank && rank[k] <= seen; k++)
			ret[k] = v[i].key;
	}
	AG_ASSERT(k == nrank);
}

void ag_profile_quantiles(const ag_u64_count *v, size_t n, double (*value_of)(uint64_t key),
                          ag_quantiles *ret)
{
	static const unsigned per_mille[] = { 1, 10, 50, 250, 500, 750, 950, 990, 999 };
	uint64_t count = total(v, n), rank[AG_NELEM(per_mille)], key[AG_NELEM(per_mille)];

	memset(ret, 0, sizeof(*ret));
	if (n == 0)
		return;
	for (size_t i = 0; i < AG_NELEM(per_mille); i++)
		rank[i] = rank_of(count, per_mille[i]);
	keys_at(v, n, rank, AG_NELEM(rank), key);
	ret->min = value_of(v[0].key);
	ret->p001 = value_of(key[0]);
	ret->p01 = value_of(key[1]);
	ret->p05 = value_of(key[2]);
	ret->p25 = value_of(key[3]);
	ret->p50 = value_of(key[4]);
	ret->p75 = value_of(key[5]);
	ret->p95 = value_of(key[6]);
	ret->p99 = value_of(key[7]);
	ret->p999 = value_of(key[8]);
	ret->max = value_of(v[n - 1].key);
}

/* The median of the absolute deviations from v[mid], by nearest rank. */
static double deviation(const ag_u64_count *v, size_t n, double median)
{
	uint64_t rank = rank_of(total(v, n), 500), seen = 0;
	size_t left, right = 0; /* v[left - 1] and v[right] are next */

	while (right < n && double_value(v[right].key) < median)
		right++;
	left = right;
	for (;;) {
		double below = left > 0 ? median - double_value(v[left - 1].key) : INFINITY;
		double above = right < n ? double_value(v[right].key) - median : INFINITY;

		if (left == 0 && right == n)
			return 0;
		if (right < n && (left == 0 || above <= below)) {
			seen += v[right++].n;
			if (seen >= rank)
				return above;
		} else {
			seen += v[--left].n;
			if (seen >= rank)
				return below;
		}
	}
}

/* Neumaier's sum. Values may be so large that a plain sum overflows: then the mean is infinite. */
static double mean_of(const ag_u64_count *v, size_t n, uint64_t count)
{
	double sum = 0, lost = 0;

	for (size_t i = 0; i < n; i++) {
		double x = double_value(v[i].key) * (double)v[i].n, t = sum + x;

		lost += fabs(sum) >= fabs(x) ? (sum - t) + x : (x - t) + sum;
		sum = t;
	}
	return (isfinite(lost) ? sum + lost : sum) / (double)count;
}

/* More than four decimals in the shortest text? For a number that is no integer. */
static bool has_long_fraction(double d)
{
	char text[AG_NUM_MAX];
	size_t n;
	const char *point;

	if (fabs(d) < MAX_SURE)
		return nearbyint(d * 1e4) / 1e4 != d;
	n = ag_num_double(text, d, false);
	point = (const char *)memchr(text, '.', n);
	return point && (size_t)(text + n - point) > 5 && !memchr(text, 'e', n);
}

/* One weighted value into the list, unless it is no finite number. */
static void add(ag_num_profile *p, ag_u64_count *v, size_t *n, double d, uint64_t count)
{
	if (isnan(d)) {
		p->nnan += count;
		return;
	}
	if (isinf(d)) {
		p->ninf += count;
		return;
	}
	p->n += count;
	p->nneg += d < 0 ? count : 0;
	p->nzero += d == 0 ? count : 0;
	v[(*n)++] = (ag_u64_count){ key_of(d), count };
}

static size_t gather(const ag_counted *c, ag_u64_count *v, ag_num_profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < c->ints.n; i++) {
		add(p, v, &n, (double)(int64_t)c->ints.v[i].key, c->ints.v[i].n);
		p->nint += c->ints.v[i].n;
	}
	for (size_t i = 0; i < c->doubles.n; i++) {
		const ag_u64_count *x = &c->doubles.v[i];
		double d;

		memcpy(&d, &x->key, sizeof(d));
		add(p, v, &n, d, x->n);
		if (!isfinite(d))
			continue;
		if (trunc(d) == d)
			p->nint += x->n;
		else if (has_long_fraction(d))
			p->nmoney4 += x->n;
	}
	for (size_t i = 0; i < c->decimals.n; i++) {
		const ag_any_count *x = &c->decimals.v[i];
		double d = ag_dec128_to_double(x->val.u.dec);
		int64_t whole;

		/* a finite decimal may be beyond all doubles: then the largest double stands for it */
		if (isinf(d) && !ag_dec128_is_inf(x->val.u.dec))
			d = copysign(1.7976931348623157e308, d);
		add(p, v, &n, d, x->n);
		p->nint += ag_val_to_i64(&x->val, &whole) ? x->n : 0;
	}
	return n;
}

/* Equal keys (integers beyond 2^53 meet as doubles) become one. */
static size_t unite(ag_u64_count *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && v[kept - 1].key == v[i].key)
			v[kept - 1].n += v[i].n;
		else
			v[kept++] = v[i];
	}
	return kept;
}

void ag_profile_num(const ag_counted *c, ag_arena *arena, ag_num_profile *ret)
{
	size_t n = c->ints.n + c->doubles.n + c->decimals.n;
	ag_u64_count *v;

	if (n == 0)
		return;
	v = (ag_u64_count *)ag_xmalloc(n * sizeof(*v));
	n = gather(c, v, ret);
	ag_u64_sort(v, n);
	n = unite(v, n);
	ag_profile_quantiles(v, n, double_value, &ret->q);
	if (n > 0) {
		const ag_histogram_of of = { .key_of = key_of,
			                     .value_of = double_value,
			                     .least = ret->nint == ret->n ? 1 : 0 };

		ret->mad = deviation(v, n, ret->q.p50);
		ret->mean = mean_of(v, n, ret->n);
		ret->histogram = ag_histogram_make(v, n, ret->n, &ret->q, &of, arena);
	}
	for (; ret->nlow < AG_PROFILE_EXTREMES && ret->nlow < n; ret->nlow++)
		ret->low[ret->nlow] = double_value(v[ret->nlow].key);
	for (; ret->nhigh < AG_PROFILE_EXTREMES && ret->nhigh < n; ret->nhigh++)
		ret->high[ret->nhigh] = double_value(v[n - 1 - ret->nhigh].key);
	ret->nbeyond53 = c->nbeyond53;
	free(v);
}

void ag_profile_dates(const ag_u64_map *dates, ag_arena *arena, ag_date_profile *ret)
{
	ag_histogram_of of = { .key_of = date_key, .value_of = date_value, .is_time = true };
	size_t n = dates->n;
	ag_u64_count *v;
	uint64_t rank[3], key[3];

	if (n == 0)
		return;
	v = (ag_u64_count *)ag_xmalloc(n * sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		v[i] = (ag_u64_count){ dates->v[i].key ^ SIGN, dates->v[i].n };
		ret->n += v[i].n;
		ret->nmidnight += (int64_t)dates->v[i].key % DAY_MS == 0 ? v[i].n : 0;
	}
	ag_u64_sort(v, n);
	rank[0] = rank_of(ret->n, 10);
	rank[1] = rank_of(ret->n, 500);
	rank[2] = rank_of(ret->n, 990);
	keys_at(v, n, rank, 3, key);
	ret->min_ms = (int64_t)(v[0].key ^ SIGN);
	ret->max_ms = (int64_t)(v[n - 1].key ^ SIGN);
	ret->p01_ms = (int64_t)(key[0] ^ SIGN);
	ret->p50_ms = (int64_t)(key[1] ^ SIGN);
	ret->p99_ms = (int64_t)(key[2] ^ SIGN);
	ag_profile_quantiles(v, n, date_value, &ret->q);
	of.least = ret->nmidnight == ret->n ? (double)DAY_MS : 0;
	ret->histogram = ag_histogram_make(v, n, ret->n, &ret->q, &of, arena);
	free(v);
}

void ag_profile_arrays(const ag_counted *c, ag_arena *arena, ag_array_profile *ret)
{
	size_t n = c->sizes.n;
	ag_u64_count *v;

	if (n == 0)
		return;
	v = (ag_u64_count *)ag_xmalloc(n * sizeof(*v));
	memcpy(v, c->sizes.v, n * sizeof(*v));
	ag_u64_sort(v, n);
	for (size_t i = 0; i < n; i++) {
		ret->n += v[i].n;
		ret->nempty += v[i].key == 0 ? v[i].n : 0;
		ret->nitem += v[i].key * v[i].n;
	}
	ag_profile_quantiles(v, n, ag_profile_int_value, &ret->size);
	ret->histogram = ag_histogram_make(v, n, ret->n, &ret->size, &ag_profile_of_ints, arena);
	free(v);
}
