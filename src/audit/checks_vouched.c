/* checks_vouched -- numbers that differ from those of their group and are right: other numbers of the same row say so.
 *
 * A slip changes one number. Where a month is short, or hours are added, the pay, the tax and what is left all differ from
 * those of other months; and a last instalment is still the sum of its interest and its principal. */
#include <math.h>

#include "audit/checks.h"

#define MOST_TOGETHER 0.6  /* of the odd rows */
#define BY_CHANCE     0.01 /* that they do so */
#define USUAL_OF      0.6  /* of a group's rows have its usual number */
#define MAX_NUMBERS   16   /* that are asked */
#define HOLDS         0.98 /* of the rows */
#define MIN_ROWS      20   /* that show it */

static bool is_number(const ag_frame_col *c)
{
	return c->f->num.n * 10 >= c->f->nscalar * 9 && c->nvalue >= 2;
}

/* The usual code of each group of a, [nvalue + 1]; 0: none is usual. */
static void usual_codes(const ag_frame_col *a, const ag_frame_col *c, const ag_grouped *g,
                        uint32_t *count, uint32_t *ret)
{
	for (uint32_t k = 1; k <= a->nvalue; k++) {
		const uint32_t n = g->at[k + 1] - g->at[k];
		uint32_t best = 0;

		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++) {
			const uint32_t code = c->code[g->row[i]];

			if (code && ++count[code] > count[best])
				best = code;
		}
		ret[k] = best && count[best] >= USUAL_OF * n ? best : 0;
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++)
			count[c->code[g->row[i]]] = 0;
	}
}

/* Where the number in b is odd, that in c is as well, far more often than elsewhere. */
static bool varies_with(const ag_frame *fr, const ag_frame_col *a, const uint32_t *usual_b,
                        const ag_frame_col *b, const uint32_t *usual_c, const ag_frame_col *c)
{
	uint32_t odd = 0, together = 0, rest = 0, alone = 0;

	for (uint32_t row = 0; row < fr->nrow; row++) {
		const uint32_t k = a->code[row];
		bool is_odd;

		if (!k || !usual_b[k] || !b->code[row])
			continue;
		is_odd = usual_c[k] && c->code[row] && c->code[row] != usual_c[k];
		if (b->code[row] != usual_b[k]) {
			odd++;
			together += is_odd;
		} else {
			rest++;
			alone += is_odd;
		}
	}
	return odd && together >= MOST_TOGETHER * odd &&
	       pow((alone + 1.0) / (rest + 1.0), together) < BY_CHANCE;
}

static bool varies_together(const ag_frame *fr, const ag_frame_col *a, const ag_frame_col *b,
                            const ag_grouped *g, const uint32_t *usual, ag_arena *arena)
{
	uint32_t *count = ag_new_n(arena, uint32_t, (size_t)fr->nrow + 2);
	uint32_t *usual_c = ag_new_n(arena, uint32_t, (size_t)a->nvalue + 1);
	uint32_t n = 0;

	for (size_t i = 0; i < fr->ncol && n < MAX_NUMBERS; i++) {
		const ag_frame_col *c = &fr->cols[i];

		if (c == a || c == b || !is_number(c))
			continue;
		n++;
		usual_codes(a, c, g, count, usual_c);
		if (varies_with(fr, a, usual, b, usual_c, c))
			return true;
	}
	return false;
}

/* ---- sums ---- */

static double number_of(const ag_frame_col *c, uint32_t row)
{
	const uint32_t code = c->code[row];

	return code && ag_type_is_number(c->values[code - 1].type)
	               ? ag_val_number(&c->values[code - 1])
	               : NAN;
}

/* b = c + d, c - d or c x d in nearly all rows, and in all odd ones. */
static bool adds_up(const ag_frame *fr, const ag_frame_col *a, const ag_frame_col *b,
                    const ag_frame_col *c, const ag_frame_col *d, int op, const uint32_t *usual)
{
	uint32_t n = 0, right = 0;

	for (uint32_t row = 0; row < fr->nrow; row++) {
		const double x = number_of(b, row), y = number_of(c, row), z = number_of(d, row);
		const double is = op == 0 ? y + z : op == 1 ? y - z : y * z;
		const uint32_t k = a->code[row];
		bool is_right;

		if (isnan(x + y + z) || y == 0 || z == 0)
			continue;
		is_right = fabs(x - is) <= 1e-9 * (fabs(x) + 1) + 0.0051;
		n++;
		right += is_right;
		if (!is_right && ((k && usual[k] && b->code[row] != usual[k]) ||
		                  (n >= MIN_ROWS && n - right > 2 && right < HOLDS * n)))
			return false;
	}
	return n >= MIN_ROWS && right >= HOLDS * n;
}

static bool is_sum(const ag_frame *fr, const ag_frame_col *a, const ag_frame_col *b,
                   const uint32_t *usual)
{
	const ag_frame_col *numbers[MAX_NUMBERS];
	size_t n = 0;

	for (size_t i = 0; i < fr->ncol && n < MAX_NUMBERS; i++)
		if (&fr->cols[i] != a && &fr->cols[i] != b && is_number(&fr->cols[i]) &&
		    fr->cols[i].nvalue >= 6)
			numbers[n++] = &fr->cols[i];
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (i != k &&
			    ((i < k && adds_up(fr, a, b, numbers[i], numbers[k], 0, usual)) ||
			     adds_up(fr, a, b, numbers[i], numbers[k], 1, usual) ||
			     (i < k && adds_up(fr, a, b, numbers[i], numbers[k], 2, usual))))
				return true;
	return false;
}

bool ag_frame_is_vouched(const ag_frame *fr, const ag_frame_col *a, const ag_frame_col *b,
                         const ag_grouped *g, const uint32_t *usual)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = NULL;

	if (!is_number(b))
		return false;
	arena = ag_arena_new();
	return varies_together(fr, a, b, g, usual, arena) || is_sum(fr, a, b, usual);
}
