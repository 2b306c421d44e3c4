/* check_numbers -- rows 10, 18 and 39: sentinels, outliers, another unit.
 *
 * All three look for a gap: damage stands apart, the tail of an honest distribution does not. Heavy tails are
 * judged on the log scale. Identifiers, codes and points in time are no measures and are left alone.
 *
 * A sentinel speaks at every share while more than five other values remain, a zero up to 20%, a spike up to half, an outlier up to half
 * a percent of a side; beyond it only another unit does, up to 45%. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#define MIN_NUMBERS   50 /* for outliers: fewer have no tail */
#define MIN_SENTINELS 8  /* for a value that is repeated and stands apart */

static bool is_measure(const ag_path_profile *f, const ag_field_name *n)
{
	if (ag_name_is_identifier(n) || n->traits & (AG_TRAIT_ZIP | AG_TRAIT_PHONE))
		return false;
	/* 20260301, 1772350000: points in time; small numbers are durations. */
	if (n->last & AG_TRAIT_TIME && (n->traits & AG_TRAIT_YEAR || f->num.q.p75 > 1e6))
		return false;
	/* Seconds or milliseconds since 1970. */
	return !(f->num.nint == f->num.n && f->num.q.p50 > 9e8 && f->num.q.p25 > 9e8 &&
	         f->num.q.p75 < 3e12);
}

static uint64_t count_of(const ag_path_profile *f, double v)
{
	for (size_t i = 0; i < f->nvalue; i++) {
		if (ag_type_is_number(f->values[i].v.type) && ag_val_number(&f->values[i].v) == v)
			return f->values[i].n;
	}
	return 0;
}

static const double low_signs[] = { -1, -9, -99, -999, -9999, -99999, -2147483648.0 };
static const double high_signs[] = { 99,      999,      9999,      99999, 999999,
	                             9999999, 99999999, 999999999, 1e9,   2147483647.0 };

static bool is_sign_of_nothing(double v)
{
	for (size_t i = 0; i < AG_NELEM(low_signs); i++) {
		if (low_signs[i] == v)
			return true;
	}
	for (size_t i = 0; i < AG_NELEM(high_signs); i++) {
		if (high_signs[i] == v)
			return true;
	}
	return false;
}

/* Quartiles of what remains without one value; exact when all values are known. */
typedef struct rest {
	double p05, p25, p50, p75;
	double min, max;
	size_t ndistinct;
	uint64_t n;
} rest;

static int by_number(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* One entry per occurrence up to 20,000, else thinned evenly: enough for quartiles. */
#define MAX_SPREAD 20000

static rest rest_from_values(const ag_path_profile *f, const double without[2])
{
	rest r = { 0 };
	uint64_t step = f->num.n / MAX_SPREAD + 1;
	double *all = ag_xmalloc((MAX_SPREAD + f->nvalue + 1) * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		double v = ag_val_number(&f->values[i].v);

		if (!ag_type_is_number(f->values[i].v.type) || v == without[0] || v == without[1] ||
		    !isfinite(v))
			continue;
		r.ndistinct++;
		r.n += f->values[i].n;
		for (uint64_t k = 0;
		     k < (f->values[i].n + step - 1) / step && n < MAX_SPREAD + f->nvalue; k++)
			all[n++] = v;
	}
	if (n) {
		qsort(all, n, sizeof(*all), by_number);
		r.min = all[0];
		r.max = all[n - 1];
		r.p05 = all[n / 20];
		r.p25 = all[n / 4];
		r.p50 = all[n / 2];
		r.p75 = all[n - 1 - n / 4];
	}
	free(all);
	return r;
}

/* Without v, and without the other end where that is a sentinel of its own (-9999 and 9999). */
static rest rest_without(const ag_path_profile *f, double v)
{
	double other = v == f->num.q.max ? f->num.q.min : f->num.q.max;
	double without[2] = { v, is_sign_of_nothing(other) && count_of(f, other) > 1 ? other : v };
	rest r = { .p05 = f->num.q.p05,
		   .p25 = f->num.q.p25,
		   .p50 = f->num.q.p50,
		   .p75 = f->num.q.p75,
		   .ndistinct = (size_t)f->ndistinct,
		   .n = f->num.n - count_of(f, v) };

	if (f->values_complete)
		return rest_from_values(f, without);
	r.min = ag_path_low(f, without, 2);
	r.max = ag_path_high(f, without, 2);
	if (r.p05 == v)
		r.p05 = r.min;
	if (r.p25 == v)
		r.p25 = r.p50;
	if (r.p75 == v)
		r.p75 = r.p50;
	return r;
}

#define SPIKE_TIMES 5 /* as often as any other value: repeats of a measurement are not so many */
#define SPIKE_APART 5 /* times the usual distance between neighbours at that end */
#define SPIKE_MIN   3 /* occurrences: two may be equal by chance */

/* The most frequent of the other values occurs so often. */
static uint64_t next_frequent(const ag_path_profile *f, double v)
{
	for (size_t i = 0; i < f->nvalue; i++) {
		if (!ag_type_is_number(f->values[i].v.type) || ag_val_number(&f->values[i].v) != v)
			return f->values[i].n;
	}
	return 0;
}

/* One value beyond the others that is apart from them, and far more frequent than any. */
static bool is_spike(const ag_path_profile *f, double v, const rest *r)
{
	const uint64_t n = count_of(f, v);
	const bool below = v < r->min;
	const double gap = below ? r->min - v : v - r->max;
	const double half = below ? r->p50 - r->min : r->max - r->p50;

	return (below || v > r->max) && n >= SPIKE_MIN && n >= SPIKE_TIMES * next_frequent(f, v) &&
	       r->ndistinct >= 10 && gap >= SPIKE_APART * half / ((double)r->ndistinct / 2);
}

static bool is_low_sentinel(const ag_path_profile *f, const ag_field_name *name, double v,
                            const rest *r)
{
	double spread = r->p75 - r->p25;

	if (f->num.q.min != v && !(f->num.nlow > 1 && f->num.low[1] == v))
		return false;
	/* -1 in a field that is otherwise not negative, and whose values are not as small themselves. */
	if (v == -1 || v == -9)
		return r->min >= 0 && r->p50 >= 5 && r->ndistinct > 5 &&
		       !(name->traits & AG_TRAIT_SIGNED);
	if (r->min >= 0 && !(name->traits & AG_TRAIT_SIGNED))
		return r->min - v > 3 * spread && r->ndistinct > 1;
	return r->min - v > 3 * spread && r->min - v > 2 * (r->p50 - r->min) &&
	       v < -2 * fabs(r->max) && r->ndistinct > 5;
}

static bool is_high_sentinel(const ag_path_profile *f, double v, const rest *r)
{
	double spread = r->p75 - r->p25;

	if (f->num.q.max != v && !(f->num.nhigh > 1 && f->num.high[1] == v))
		return false;
	/* A short scale (1 to 5) has few values: there the code must be of another order. */
	return v - r->max > 3 * spread && v > (r->ndistinct > 5 ? 2.5 : 9) * r->max && r->max > 0 &&
	       r->ndistinct > 1;
}

#define MANY_ZEROS 0.2 /* beyond it zero may be what the field says: the spike is still listed */

/* A zero where all others lie in a band far from it. */
static bool is_zero_sentinel(const ag_path_profile *f, const ag_field_name *name, uint64_t n,
                             const rest *r)
{
	return name->traits & AG_TRAIT_NONZERO && !(name->traits & AG_TRAIT_SIGNED) &&
	       f->num.nneg == 0 && n >= 2 && ag_share(n, f->num.n) <= MANY_ZEROS &&
	       r->ndistinct >= (f->num.n < 50 ? 5 : 10) && r->min > 0.25 * r->p50 &&
	       r->p05 > 0.3 * r->p50;
}

size_t ag_path_sentinels(const ag_path_profile *f, const ag_field_name *name,
                         double ret[AG_MAX_SENTINELS])
{
	size_t n = 0;

	if (f->num.n < MIN_SENTINELS || !is_measure(f, name))
		return 0;
	for (size_t i = 0; i < AG_NELEM(low_signs) && n < AG_MAX_SENTINELS; i++) {
		uint64_t count = count_of(f, low_signs[i]);
		rest r;

		if (count < 2 || count == f->num.n)
			continue;
		r = rest_without(f, low_signs[i]);
		if (is_low_sentinel(f, name, low_signs[i], &r))
			ret[n++] = low_signs[i];
	}
	for (size_t i = 0; i < AG_NELEM(high_signs) && n < AG_MAX_SENTINELS; i++) {
		uint64_t count = count_of(f, high_signs[i]);
		rest r;

		if (count < 2 || count == f->num.n)
			continue;
		r = rest_without(f, high_signs[i]);
		if (is_high_sentinel(f, high_signs[i], &r))
			ret[n++] = high_signs[i];
	}
	if (n < AG_MAX_SENTINELS && f->num.nzero && f->num.nzero < f->num.n) {
		rest r = rest_without(f, 0);

		if (is_zero_sentinel(f, name, f->num.nzero, &r))
			ret[n++] = 0;
	}
	return n;
}

static ag_val number_val(double v)
{
	return v == trunc(v) && fabs(v) < 9e15 ? ag_val_int((int64_t)v) : ag_val_double(v);
}

/* A value that is on no list, told by its neighbours only: it may be a real limit or a real nothing, so low. */
static void suspect_spike(ag_hypotheses *out, const ag_path_profile *f)
{
	const ag_val *v = f->nvalue ? &f->values[0].v : NULL;
	ag_hypothesis *h;
	rest r;

	if (!v || !ag_type_is_number(v->type) || f->num.n < MIN_NUMBERS ||
	    !is_measure(f, &out->name) || f->values[0].n * 2 > f->num.n)
		return;
	r = rest_without(f, ag_val_number(v));
	if (!is_spike(f, ag_val_number(v), &r))
		return;
	h = ag_suspect(out, f, "sentinel_value", AG_LOW, 0.5,
	               ag_ev_where(out->arena, f, OBJ(out->arena, KV("$eq", *v))));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->min_count = SPIKE_MIN;
	ag_suspect_say(h, "", "a default, or a code for \"not known\", among measurements",
	               "if it stands for nothing, set these values to null");
	h->what = ag_str_printf(out->arena,
	                        "%.*s lies apart from all others and is far more frequent",
	                        AG_FMT(ag_ev_str(out->arena, v)));
}

void ag_check_sentinel_number(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	double found[AG_MAX_SENTINELS];
	ag_val items[AG_MAX_SENTINELS];
	size_t n = ag_path_sentinels(f, &out->name, found);
	double *listed;
	ag_hypothesis *h;
	ag_val cond;

	(void)p;
	(void)o;
	if (!ag_path_is_plain(a, f))
		return;
	if (!n) {
		suspect_spike(out, f);
		return;
	}
	listed = ag_new_n(a, double, n);
	for (size_t i = 0; i < n; i++) {
		items[i] = number_val(found[i]);
		listed[i] = found[i];
	}
	cond = n == 1 ? OBJ(a, KV("$eq", items[0])) : OBJ(a, KV("$in", ag_ev_arr(a, items, n)));
	h = ag_suspect(out, f, "sentinel_value", AG_MEDIUM, 0.8, ag_ev_where(a, f, cond));
	if (!h)
		return;
	h->min_count = 2;
	h->listed = listed;
	h->nlisted = n;
	ag_suspect_say(h, "",
	               "a code for \"not known\" from an older system, read as a measurement",
	               "set these values to null, so that averages and ranges are right again");
	h->what = ag_str_printf(a, "%.*s stands for \"not known\" among real numbers",
	                        AG_FMT(ag_ev_str(a, &items[0])));
}

/* ---- outliers ---- */

/* The bound of one side: outside of it lie at most `most` values, and nothing lies close to it. */
typedef struct side {
	bool found;
	double bound;
	double nearest; /* the outlier next to the rest */
	double inner;   /* and the last value of the rest */
} side;

static double scale(double v, bool log_scale)
{
	return log_scale ? log(v) : v;
}

/* How far from the middle a value must be: 8 robust standard deviations, or 3 times the interquartile
 * range beyond a quartile, whichever is farther. */
static double far_from(const ag_num_profile *m, bool log_scale, bool high)
{
	double mid = scale(m->q.p50, log_scale);
	double quartile = scale(high ? m->q.p75 : m->q.p25, log_scale);
	double iqr = scale(m->q.p75, log_scale) - scale(m->q.p25, log_scale);
	double by_mad = log_scale ? 0 : 8 * 1.4826 * m->mad;
	double by_iqr = fabs(quartile - mid) + 3 * iqr;

	return by_mad > by_iqr ? by_mad : by_iqr;
}

static bool is_sentinel(double v, const double *sentinels, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sentinels[i] == v)
			return true;
	}
	return false;
}

/* How far the tail reaches, in interquartile ranges: 1.7 for a normal distribution, 3.6 for an exponential. */
#define SKEWED 2.5

static double tail_of(const ag_num_profile *m)
{
	double high = m->q.p99 - m->q.p50, low = m->q.p50 - m->q.p01, iqr = m->q.p75 - m->q.p25;

	return iqr > 0 ? (high > low ? high : low) / iqr : HUGE_VAL;
}

/* All positive, and the upper half reaches so much farther than the lower one: the scale of such numbers is logarithmic. */
static bool is_skewed(const ag_num_profile *m)
{
	return m->q.min > 0 && m->q.p99 - m->q.p50 > SKEWED * (m->q.p50 - m->q.p01);
}

/* A handful of fixed values, like shipping fees: they have no distribution, only a usual size. */
static bool is_short_list(const ag_path_profile *f)
{
	return f->ndistinct < 12;
}

#define WIDEST_SIGNED 6 /* money that comes and goes: income is larger than what is spent at once */
#define OTHER_ORDER   5 /* times the next value, at least */
#define TAIL_VALUES   6 /* of the rest, that say how fast the tail falls */
#define SURE_GAP      12 /* e^-12: so rarely a tail that falls like this leaves such a gap */

/* Is the gap above ext[i] wider than the tail explains? The logarithms of the largest values of a distribution fall about
 * exponentially: the k-th gap from the top is on average 1/k of the mean distance to a value farther in. */
static bool is_gap_of_no_tail(const ag_num_profile *m, unsigned i)
{
	const unsigned last = i + 1 + TAIL_VALUES;
	double mean = 0;

	if (last >= m->nhigh || m->high[last] <= 0)
		return false;
	for (unsigned k = i + 1; k < last; k++)
		mean += log(m->high[k] / m->high[last]) / TAIL_VALUES;
	return mean > 0 && (i + 1) * log(m->high[i] / m->high[i + 1]) >= SURE_GAP * mean;
}

/* Walk inwards from the extreme; the widest gap is the bound. */
static side find_side(const ag_path_profile *f, bool high, bool log_scale, const double *sentinels,
                      size_t ns)
{
	const ag_num_profile *m = &f->num;
	const double *ext = high ? m->high : m->low;
	unsigned n = high ? m->nhigh : m->nlow;
	double mid = scale(m->q.p50, log_scale), limit = far_from(m, log_scale, high);
	uint64_t most = m->n / 200 > 4 ? m->n / 200 : 4, outside = 0;
	/* A list of a few prices may hold one that is ten times the others. */
	double widest = is_short_list(f)                    ? 20
	                : !log_scale && m->nneg * 20 > m->n ? WIDEST_SIGNED
	                : !log_scale && tail_of(m) > 2.5    ? 4
	                                                    : 2;
	side ret = { 0 };

	for (unsigned i = 0; i + 1 < n; i++) {
		double d = fabs(scale(ext[i], log_scale) - mid),
		       next = fabs(scale(ext[i + 1], log_scale) - mid);
		uint64_t c = count_of(f, ext[i]);

		if (is_sentinel(ext[i], sentinels, ns))
			continue;
		outside += c ? c : 1;
		if (d <= limit || outside > most)
			break;
		if ((d >= widest * next ||
		     (!ret.found && log_scale && high && ext[i] >= OTHER_ORDER * ext[i + 1] &&
		      is_gap_of_no_tail(m, i))) &&
		    !is_sentinel(ext[i + 1], sentinels, ns)) {
			widest = next > 0 ? d / next : HUGE_VAL;
			ret.found = true;
			ret.nearest = ext[i];
			ret.inner = ext[i + 1];
			ret.bound = log_scale ? sqrt(ext[i] * ext[i + 1])
			                      : (ext[i] + ext[i + 1]) / 2;
		}
	}
	return ret;
}

/* 1187.3 becomes 1200 when that still lies between the neighbours. */
static double rounded(const side *s)
{
	double unit = s->bound != 0 ? pow(10, floor(log10(fabs(s->bound))) - 1) : 1;
	double r = round(s->bound / unit) * unit;
	double lo = s->nearest < s->inner ? s->nearest : s->inner;
	double hi = s->nearest < s->inner ? s->inner : s->nearest;

	return isfinite(r) && r > lo && r < hi ? r : s->bound;
}

/* The last row of a table: the sum of all others, or of these and of their subtotals. Twice one slip is no sum: then the
 * others are too small to add up to it. */
static bool is_total(const ag_num_profile *m)
{
	const double v = m->high[0], others = m->mean * (double)m->n - v;

	return v > 0 && m->nneg == 0 && m->nhigh > 1 && m->high[1] < 0.8 * v &&
	       v <= (double)m->n * m->high[1] &&
	       (fabs(others - v) <= 0.02 * v || fabs(others - 2 * v) <= 0.02 * v);
}

#define LISTED_TIMES 10 /* values of a closed list occur so often on average */

/* A member of a closed list, such as a code: it is far from the others, and as frequent as they are. */
static bool is_member(const ag_path_profile *f, double v)
{
	return f->values_complete && f->num.nint == f->num.n &&
	       f->nscalar >= LISTED_TIMES * f->ndistinct && count_of(f, v) >= SPIKE_MIN &&
	       count_of(f, v) * 4 >= f->values[f->nvalue / 2].n;
}

/* The largest number, and more than once: the end of a scale, at which an instrument stops. */
static bool is_limit(const ag_path_profile *f, double v)
{
	return v == f->num.q.max && count_of(f, v) > 1;
}

void ag_check_outlier(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_num_profile *m = &f->num;
	double sentinels[AG_MAX_SENTINELS];
	size_t ns = ag_path_sentinels(f, &out->name, sentinels);
	/* Nearly all positive, and a long tail: a zero or a refund among them changes nothing. */
	bool heavy = tail_of(m) > 2.5 || is_skewed(m);
	bool log_scale = !is_short_list(f) && m->q.p25 > 0 && (heavy || m->q.p99 / m->q.p50 > 3);
	side low = { 0 }, high;
	ag_val cond;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (m->n < MIN_NUMBERS || !is_measure(f, &out->name) || m->mad <= 0 ||
	    m->q.p75 <= m->q.p25 ||
	    out->name.traits & (AG_TRAIT_LAT | AG_TRAIT_LON | AG_TRAIT_WORKLOAD) ||
	    !ag_path_is_plain(a, f))
		return;
	/* Counts with zeros and a long tail: likes, views. Without a log scale their maximum always stands out. */
	if (!log_scale && m->nneg == 0 && m->q.p99 > 5 * m->q.p50 && m->q.p50 < 50)
		return;
	high = find_side(f, true, log_scale, sentinels, ns);
	if (!log_scale)
		low = find_side(f, false, false, sentinels, ns);
	high.found = high.found && !is_member(f, high.nearest);
	low.found = low.found && !is_member(f, low.nearest);
	if (!high.found && !low.found)
		return;
	high.bound = rounded(&high);
	low.bound = rounded(&low);
	if (high.found && low.found)
		cond = OBJ(a, KV("$type", ag_ev_text("number")),
		           KV("$not", OBJ(a, KV("$gte", number_val(low.bound)),
		                          KV("$lte", number_val(high.bound)))));
	else
		cond = high.found ? OBJ(a, KV("$gt", number_val(high.bound)))
		                  : OBJ(a, KV("$lt", number_val(low.bound)));
	h = ag_suspect(out, f, "outlier", AG_MEDIUM, 0.7, ag_ev_where(a, f, cond));
	if (!h)
		return;
	if (high.found && !low.found && is_limit(f, high.nearest)) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	}
	h->is_far = true;
	h->low = low.found ? low.bound : -HUGE_VAL;
	h->high = high.found ? high.bound : HUGE_VAL;
	h->max_share = 0.03;
	if (high.found && !low.found && is_total(m)) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
		ag_suspect_say(h, "the largest number is the sum of all others",
		               "a row of totals among the rows it adds up",
		               "remove the row, or mark it");
		return;
	}
	ag_suspect_say(
		h, "a few numbers lie far from all others, with a gap between",
		"a slipped decimal point, another unit, or a value typed into the wrong field",
		"compare the documents with their source; correct them or set them aside");
	h->detail = ag_str_printf(a, "half of all values lie between %g and %g", m->q.p25,
	                          m->q.p75);
}

/* ---- another unit ---- */

#define MIN_UNITS 20 /* numbers */
#define COMPACT   4  /* third quartile by first: wider data has no one size to be a multiple of */
#define REACH     8  /* the rest lies within so many times its middle */
#define UNIT_APART \
	3 /* how far the middle of the others may be from the middle times a power of ten */
#define MAX_UNITS 0.45 /* share of the others: beyond it both are usual */

#define JUMP       10 /* between the two groups, where neighbours are at most REACH from the middle */
#define MIN_OTHERS 3 /* different numbers of the other group: fewer are outliers */

/* The extremes that are known hold the gap, or are all beyond it. */
static bool has_gap(const ag_num_profile *m, bool high, double bound)
{
	const double *ext = high ? m->high : m->low;
	const unsigned n = high ? m->nhigh : m->nlow;
	unsigned k = 0;

	while (k < n && (high ? ext[k] > bound : ext[k] < bound))
		k++;
	if (k < MIN_OTHERS)
		return false;
	return k == n || (high ? ext[k - 1] >= JUMP * ext[k] : ext[k] >= JUMP * ext[k - 1]);
}

#define MAX_DECIMALS 3   /* more are no notation but a computation */
#define MOST_ON_GRID 0.9 /* of the others are written with so few decimals */
#define SOME_ON_GRID \
	0.5 /* of the converted values have to be as well; of other large values one in a hundred is */

static bool is_on_grid(double v, unsigned decimals)
{
	const double scaled = fabs(v) * pow(10, decimals);

	return fabs(scaled - round(scaled)) <= 1e-9 * (scaled + 1);
}

/* The decimals that the values on one side of the bound are written with; MAX_DECIMALS + 1: no fixed number. */
static unsigned decimals_of(const ag_path_profile *f, bool high, double bound)
{
	for (unsigned d = 0; d <= MAX_DECIMALS; d++) {
		uint64_t n = 0, on = 0;

		for (size_t i = 0; i < f->nvalue; i++) {
			const double v = ag_val_number(&f->values[i].v);

			if (!ag_type_is_number(f->values[i].v.type) ||
			    (high ? v > bound : v < bound))
				continue;
			n += f->values[i].n;
			on += is_on_grid(v, d) ? f->values[i].n : 0;
		}
		if ((double)on >= MOST_ON_GRID * (double)n)
			return d;
	}
	return MAX_DECIMALS + 1;
}

/* 123450 for 1234.50: converted back, the values have the decimals of the others; a real large amount has decimals of its
 * own. A hundredth has more decimals than the others; a real small amount has not. */
static bool is_converted(const ag_path_profile *f, bool high, double bound, double by)
{
	const double *ext = high ? f->num.high : f->num.low;
	const unsigned next = high ? f->num.nhigh : f->num.nlow, d = decimals_of(f, high, bound);
	unsigned n = 0, fits = 0;

	if (d > MAX_DECIMALS)
		return true;
	for (unsigned i = 0; i < next && (high ? ext[i] > bound : ext[i] < bound); i++) {
		n++;
		fits += high ? is_on_grid(ext[i] / by, d) : !is_on_grid(ext[i], d);
	}
	return n && fits >= SOME_ON_GRID * n;
}

/* Numbers that are 100 or 1000 times the others, or a hundredth, and nothing between: what row 18 sees up to half a
 * percent is here a unit of its own. Returns the bound between them and the factor, 0 = there are no two groups. */
static double bound_of_units(const ag_num_profile *m, bool high, double *ret_by)
{
	static const double factors[] = { 100, 1000, 1e6 };
	const double up[] = { m->q.p75, m->q.p95, m->q.p99, m->q.p999, m->q.max };
	const double down[] = { m->q.p25, m->q.p05, m->q.p01, m->q.p001, m->q.min };
	const double *q = high ? up : down, mid = m->q.p50;

	for (size_t i = 0; i + 1 < AG_NELEM(up); i++) {
		const double inner = high ? q[i] / mid : mid / q[i];
		const double outer = high ? q[i + 1] / mid : mid / q[i + 1];
		const double last = high ? q[4] / mid : mid / q[4];

		if (inner > REACH)
			return 0;
		for (size_t k = 0; k < AG_NELEM(factors); k++) {
			const double by = factors[k];

			*ret_by = by;
			if (outer >= by / UNIT_APART && last <= by * REACH &&
			    outer >= JUMP * inner && outer <= by * UNIT_APART)
				return high ? mid * sqrt(by) : mid / sqrt(by);
		}
		if (outer > REACH)
			return 0;
	}
	return 0;
}

void ag_check_unit(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_num_profile *m = &f->num;
	bool high = true;
	double bound, by = 1;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (m->n < MIN_UNITS || m->q.min <= 0 || f->ndistinct < 12 || !is_measure(f, &out->name) ||
	    m->q.p75 > COMPACT * m->q.p25 || !ag_path_is_plain(a, f))
		return;
	bound = bound_of_units(m, high, &by);
	if (bound == 0) {
		high = false;
		bound = bound_of_units(m, high, &by);
	}
	if (bound == 0 || !has_gap(m, high, bound))
		return;
	h = ag_suspect(out, f, "unit_mixup", AG_MEDIUM, 0.75,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$type", ag_ev_text("number")),
	                               KV(high ? "$gt" : "$lt", ag_val_double(bound)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->min_count = 2;
	h->max_share = MAX_UNITS;
	h->is_far = true;
	h->low = high ? -HUGE_VAL : bound;
	h->high = high ? bound : HUGE_VAL;
	if (!is_converted(f, high, bound, by))
		h->severity = AG_LOW; /* a few large orders, or numbers of another source */
	ag_suspect_say(h,
	               high ? "some numbers are hundreds of times all others, with nothing between"
	                    : "some numbers are a hundredth of all others or less, with nothing "
	                      "between",
	               "another unit (m and cm, g and kg, cents), or a lost decimal point",
	               "convert these values to the unit of the others, and store the unit");
	h->detail = ag_str_printf(a, "half of all values lie between %g and %g", m->q.p25,
	                          m->q.p75);
}
