/* sums -- relations between numbers of one row: a = b + c, a = b x c, and sums of more terms. Internal to the checks of
 * row 29: check_arithmetic finds those of two terms and writes what is suspected, check_sums those of more terms and
 * those over the items of an array. */
#ifndef AG_AUDIT_SUMS_H
#define AG_AUDIT_SUMS_H

#include "audit/checks.h"

#define AG_SUM_NUMBERS 40
#define AG_SUM_TOTALS  8 /* of them over items */
#define AG_SUM_TERMS   6
#define AG_SUM_FOUND   24
#define AG_SUM_TELLING 10   /* rows that can speak for a relation */
#define AG_SUM_CHANCE  0.05 /* of rows where the relation holds with a term of other rows */
#define AG_SUM_OFTEN   0.35 /* the same, of two terms of few values */
#define AG_SUM_TELLS   0.4  /* how much more often such a relation must hold */
#define AG_SUM_EXACT   0.55 /* of rows where it holds, with at least AG_SUM_MANY different results */
#define AG_SUM_HOLDS   0.8  /* the same, with fewer */
#define AG_SUM_MANY    20

typedef struct ag_number {
	const ag_frame_col *col; /* NULL: a total over items */
	double *of;              /* [nvalue + 1] by code, NAN = no number */
	double *total;           /* [nrow] over the items of the row, NAN = not known */
	bool *tells; /* [nrow] with total: it is no number of the only item, and no product with 1 */
	const ag_path_profile *item[2]; /* factors of the total; the second may be NULL */
	int decimals;
	bool has_gaps; /* in many rows there is nothing, which may mean 0 */
} ag_number;

/* a = the sum of terms, each with its sign, or the product of two. */
typedef struct ag_relation {
	uint32_t a, term[AG_SUM_TERMS], nterm;
	int sign[AG_SUM_TERMS];
	bool is_product;
	uint32_t zero; /* bit i: where term i is missing, it counts as 0 */
	double tolerance, holds;
	uint64_t odd;
	/* Few rows speak for it, and it is broken in these only; or another field or another sum explains the exceptions. */
	bool is_doubtful;
} ag_relation;

typedef struct ag_sums {
	const ag_frame *fr;
	ag_number *items;
	uint32_t n;
	ag_relation *found;
	size_t nfound;
} ag_sums;

bool ag_sums_add_number(ag_sums *s, const ag_frame_col *col, ag_arena *arena);
/* Totals over the items of arrays, as further numbers. */
void ag_sums_add_totals(ag_sums *s, const ag_across *x, ag_arena *arena);
double ag_sums_value(const ag_sums *s, uint32_t which, uint32_t row);
/* Relations of more terms, and those with a total over items, are added to found. A relation of two terms is taken away
 * where a longer one explains its exceptions.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_sums_find_long(ag_sums *s, const ag_ctx *ctx, ag_err *err);

#endif
