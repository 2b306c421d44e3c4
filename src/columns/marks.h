/* marks -- which bars of a path's histograms, and which of its listed values, belong to chosen documents.
 *
 * So a picture of all values can show where those of a finding's evidence are. Counts are occurrences, exact. */
#ifndef AG_COLUMNS_MARKS_H
#define AG_COLUMNS_MARKS_H

#include "columns/profile.h"

/* The values of a path that reports list: the most frequent, then, where all are known, the rarest. */
#define AG_SHOWN_TOP    10
#define AG_SHOWN_RARE   5
#define AG_SHOWN_UNIQUE 3 /* where most values occur once: these are no more frequent than others */
#define AG_SHOWN_MAX    (AG_SHOWN_TOP + AG_SHOWN_RARE)

/* Their numbers in f->values: 0..*ret_top - 1, and from *ret_rare to nvalue - 1. */
void ag_shown_values(const ag_path_profile *f, size_t *ret_top, size_t *ret_rare);

typedef struct ag_bar_marks {
	uint64_t counts[AG_HISTOGRAM_MAX], below, above;
} ag_bar_marks;

typedef struct ag_marks {
	const ag_path_profile *f; /* in: a path of the table's profile */
	ag_bits docs;             /* in: the chosen documents; released by the caller */
	uint64_t nnull;           /* occurrences that are null */
	ag_bar_marks num, date, length, text_date, size; /* for the histograms of f */
	uint64_t
		values[AG_SHOWN_MAX]; /* of the listed values, the rare ones from AG_SHOWN_TOP on */
} ag_marks;

AG_CHECK ag_status ag_table_marks(const ag_table *t, const ag_ctx *ctx, ag_marks *m, size_t n,
                                  ag_err *err);

#endif
