/* histogram -- how often the values of a path fall into bars of a range. Counts are exact, over all values.
 *
 * Bars follow each other without a gap: bar i holds edges[i] <= x < edges[i + 1], and the last bar its upper edge as
 * well. Values far outside of the rest do not stretch the bars: they are counted in `below` and `above`. The choice
 * depends on the values alone, so it is the same with any number of threads.
 *
 * source  width: Freedman and Diaconis, "On the histogram as a density estimator: L2 theory" (1981), 2 IQR n^(-1/3);
 *         where the interquartile range is 0, Sturges, "The choice of a class interval" (1926), range / (1 + log2 n).
 *         Rounded up to 1, 2 or 5 times a power of ten: Heckbert, "Nice numbers for graph labels" (Graphics Gems, 1990);
 *         times to units of the calendar (UTC, weeks from Monday).
 *         Far outside: the outer fences of Tukey, "Exploratory Data Analysis" (1977), 3 IQR beyond the quartiles. */
#ifndef AG_COLUMNS_HISTOGRAM_H
#define AG_COLUMNS_HISTOGRAM_H

#include "base/arena.h"
#include "columns/valmap.h"

#define AG_HISTOGRAM_MAX 40 /* bars: more do not fit beside each other on 480 points or 40 lines */

/* Values in ascending quantiles of the occurrences (nearest rank, exact). */
typedef struct ag_quantiles {
	double min, p001, p01, p05, p25, p50, p75, p95, p99, p999, max;
} ag_quantiles;

/* How a bar's width is counted. */
typedef enum ag_histogram_unit {
	AG_UNIT_NUMBER,
	AG_UNIT_MS,
	AG_UNIT_SECOND,
	AG_UNIT_MINUTE,
	AG_UNIT_HOUR,
	AG_UNIT_DAY,
	AG_UNIT_WEEK,
	AG_UNIT_MONTH,
	AG_UNIT_YEAR,
	AG_NUNIT
} ag_histogram_unit;

typedef struct ag_histogram {
	ag_histogram_unit unit;
	double width; /* of each bar, in units; 0: all values are alike, or too close for equal bars */
	unsigned nbar;                      /* 1..AG_HISTOGRAM_MAX */
	double edges[AG_HISTOGRAM_MAX + 1]; /* ascending; of times ms since 1970 */
	uint64_t counts[AG_HISTOGRAM_MAX];
	uint64_t below, above;
} ag_histogram;

/* How the values of a histogram are held, and which widths suit them. */
typedef struct ag_histogram_of {
	uint64_t (*key_of)(double value); /* keeps the order of the values */
	double (*value_of)(uint64_t key);
	bool is_time;
	double least; /* width, in numbers or ms; 0 = any */
} ag_histogram_of;

/* v: values by key, ascending, no key twice; n > 0; count: the sum of their counts; q: their quantiles, finite. Lives in
 * arena. */
const ag_histogram *ag_histogram_make(const ag_u64_count *v, size_t n, uint64_t count,
                                      const ag_quantiles *q, const ag_histogram_of *of,
                                      ag_arena *arena);
const ag_histogram *ag_histogram_dup(ag_arena *arena, const ag_histogram *h); /* NULL stays NULL */

/* The bar of a value: 0..nbar - 1, -1 below, nbar above. */
int ag_histogram_bar(const ag_histogram *h, double value);
const char *ag_histogram_unit_name(ag_histogram_unit u); /* "day"; "" for numbers */

#endif
