/* bars -- the figures of a path (docs/reference/report.md, "A distribution") as people see them: histograms, labels of their
 * bars, and words for a whole path. Read tolerantly: what is missing or of another type reads as empty.
 *
 * Data is not escaped; results are views into the JSON, or in the arena. */
#ifndef AG_REPORT_BARS_H
#define AG_REPORT_BARS_H

#include "report/human.h"
#include "report/read.h"

#define AG_BARS_MAX   40 /* of one histogram */
#define AG_BARS_KINDS 5  /* of one path: numbers, times, texts that are times, lengths, sizes */

typedef enum ag_bars_over {
	AG_OVER_VALUE,
	AG_OVER_TIME,
	AG_OVER_LENGTH, /* characters */
	AG_OVER_SIZE    /* items */
} ag_bars_over;

typedef struct ag_bars {
	ag_bars_over over;
	const ag_val *stats; /* "min", "max", "mean", "quantiles" */
	uint64_t count;      /* values of this kind */
	bool whole;          /* all are whole numbers */
	ag_str unit;
	double width;
	size_t n;
	const ag_val *edges; /* n + 1 */
	uint64_t counts[AG_BARS_MAX], marked[AG_BARS_MAX];
	uint64_t below, above, marked_below, marked_above;
	bool has_marks; /* it is known which are marked */
	uint64_t most;  /* of one bar, below and above included */
	uint64_t nmarked;
} ag_bars;

/* Histograms of a path, that of the most frequent kind first. */
size_t ag_bars_of(const ag_val *distribution, ag_bars ret[AG_BARS_KINDS]);
/* "20 … 40", "5", "2024-07" */
ag_str ag_bars_label(const ag_bars *b, size_t i, ag_arena *arena);
/* "below 20", "before 2024-07"; "above 90", "after 2025-06-30" */
ag_str ag_bars_below(const ag_bars *b, ag_arena *arena);
ag_str ag_bars_above(const ag_bars *b, ag_arena *arena);
/* What the bars show: "over value, each bar 20 wide", "over time, each bar 3 months", "over length, each bar 1 character". */
ag_str ag_bars_title(const ag_bars *b, ag_arena *arena);
/* A statistic of it, or a quantile when `name` begins with "p": "20.5", "2024-07-01", "•••"; "" when it is missing. */
ag_str ag_bars_figure(const ag_bars *b, const char *name, ag_arena *arena);

/* "int, str"; an array names its items where `fields`, the schema of the survey, knows them: "array<str>". */
ag_str ag_bars_types(const ag_val *distribution, const ag_val *schema_field, ag_arena *arena);
/* Documents that have a value that is not null, as a share: "98.6%". */
ag_str ag_bars_filled(const ag_val *distribution, ag_arena *arena);
/* Few words for its values: "0.5 … 44 … 12000" (least, median, greatest), "active 43%, new 20%", "24 … 36 characters". The
 * longest form of at most `columns`, else the shortest. */
ag_str ag_bars_words(const ag_val *distribution, size_t columns, ag_arena *arena);
/* Heights for a picture beside the words: those of the first histogram, or of the frequent values where a path has few.
 * At most `columns` of them, neighbours joined; returns how many. */
size_t ag_bars_heights(const ag_val *distribution, size_t columns, uint64_t ret[]);
/* A value in a list: times without their constructor, else as ag_human_value() has it. */
ag_str ag_bars_value(const ag_val *v, bool utf8, ag_arena *arena);

#endif
