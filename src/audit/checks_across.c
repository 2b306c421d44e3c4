/* checks_across -- what checks between fields share: evidence about rows, and rows in groups. */
#include "audit/checks.h"

#include <math.h>

ag_str ag_ev_key(ag_arena *a, const ag_path_profile *f)
{
	return ag_ev_place_of(a, f).rest;
}

ag_str ag_ev_rows(ag_arena *a, const ag_path_profile *f, const ag_val *clauses, size_t n)
{
	const ag_ev_place at = ag_ev_place_of(a, f);
	ag_val any = n == 1 ? clauses[0] : OBJ(a, KV("$or", ag_ev_arr(a, clauses, n)));
	ag_member held;

	if (!at.ok || !at.rest.len || !n)
		return AG_S("");
	if (!at.array.len)
		return ag_ev_str(a, &any);
	held = (ag_member){ at.array, OBJ(a, KV("$elemMatch", any)) };
	any = ag_ev_obj(a, &held, 1);
	return ag_ev_str(a, &any);
}

ag_grouped ag_frame_group(const ag_frame *fr, const ag_frame_col *c, ag_arena *a)
{
	ag_grouped g = { ag_new_n(a, uint32_t, fr->nrow + 1),
		         ag_new_n(a, uint32_t, (size_t)c->nvalue + 2) };

	for (uint32_t r = 0; r < fr->nrow; r++)
		g.at[c->code[r] + 1]++;
	for (uint32_t k = 0; k <= c->nvalue; k++)
		g.at[k + 1] += g.at[k];
	/* Now at[k] is where code k begins; filling moves it to where code k ends, which is where k + 1 begins. */
	for (uint32_t r = 0; r < fr->nrow; r++)
		g.row[g.at[c->code[r]]++] = r;
	for (uint32_t k = c->nvalue + 1; k > 0; k--)
		g.at[k] = g.at[k - 1];
	g.at[0] = 0;
	return g;
}

#define FEW_KINDS 16
#define TOLD      0.9 /* of the odd rows have a value that most often is odd */

/* Of few values each is a kind; of many, nothing, zero and the rest are. */
static uint32_t row_kind(const ag_frame_col *g, uint32_t code)
{
	const ag_val *v = code ? &g->values[code - 1] : NULL;

	if (g->nvalue < FEW_KINDS)
		return code;
	return !v ? 0 : ag_type_is_number(v->type) && ag_val_number(v) == 0 ? 1 : 2;
}

bool ag_frame_tells_odd(const ag_frame *fr, const ag_frame_col *c, const uint8_t *mark)
{
	for (size_t k = 0; k < fr->ncol; k++) {
		const ag_frame_col *g = &fr->cols[k];
		uint32_t odd[FEW_KINDS] = { 0 }, all[FEW_KINDS] = { 0 }, n = 0, told = 0;

		for (uint32_t row = 0; row < fr->nrow && g != c; row++) {
			const uint32_t kind = row_kind(g, g->code[row]);

			all[kind] += mark[row] != AG_ROW_NONE;
			odd[kind] += mark[row] == AG_ROW_ODD;
			n += mark[row] == AG_ROW_ODD;
		}
		for (uint32_t i = 0; i < FEW_KINDS; i++)
			told += odd[i] * 2 > all[i] ? odd[i] : 0;
		if (n > 1 && told >= TOLD * n)
			return true;
	}
	return false;
}

#define MIN_OF_KIND 5
#define MAX_KINDS   500
#define MAX_OWN     0.2 /* of the rows have the value that more than half of the odd rows have */

bool ag_frame_odd_is_of_one(const ag_frame *fr, const ag_frame_col *c, const ag_frame_col *d,
                            const uint8_t *mark)
{
	for (size_t k = 0; k < fr->ncol; k++) {
		const ag_frame_col *g = &fr->cols[k];
		uint32_t of[MAX_KINDS + 1] = { 0 }, n = 0, most = 0;

		if (g == c || g == d || g->nvalue < 2 || g->nvalue > MAX_KINDS)
			continue;
		for (uint32_t row = 0; row < fr->nrow; row++) {
			if (mark[row] != AG_ROW_ODD)
				continue;
			n++;
			of[g->code[row]]++;
		}
		for (uint32_t i = 1; i <= g->nvalue; i++)
			if (of[i] > most && (double)g->count[i - 1] <= MAX_OWN * fr->nrow)
				most = of[i];
		if (n >= MIN_OF_KIND && most * 2 > n)
			return true;
	}
	return false;
}

#define CHANGE_ENDED  0.8   /* of the broken groups: their odd rows come first or last */
#define CHANGE_CHANCE 0.001 /* that they do so by chance */
#define CHANGE_NEVER \
	1e-6 /* the same, where nothing else says so: the last instalment of each loan is another one */

bool ag_frame_changes_once(const ag_frame_col *a, const ag_frame_col *b, const ag_grouped *g,
                           const uint32_t *usual)
{
	uint32_t broken = 0, ended = 0, lasting = 0, placed = 0;
	double chance = 0, of_place = 0; /* logarithms */

	for (uint32_t k = 1; k <= a->nvalue; k++) {
		uint32_t n = 0, odd = 0, first = 0, last = 0, other = 0;
		bool is_one = true;

		for (uint32_t i = g->at[k]; i < g->at[k + 1] && usual[k]; i++) {
			const uint32_t code = b->code[g->row[i]];
			const bool is_odd = code && code != usual[k];

			n += code != 0;
			odd += is_odd;
			first += is_odd && odd == n;
			last = is_odd ? last + 1 : code ? 0 : last;
			is_one = is_one && (!is_odd || !other || other == code);
			other = is_odd ? code : other;
		}
		if (!odd)
			continue;
		broken++;
		if (odd != first && odd != last)
			continue;
		placed++;
		of_place += log(2) - lgamma(n + 1.0) + lgamma(odd + 1.0) + lgamma(n - odd + 1.0);
		if (!is_one || b->count[other - 1] != odd)
			continue;
		ended++;
		lasting += odd > 1;
		chance += log(2) - lgamma(n + 1.0) + lgamma(odd + 1.0) + lgamma(n - odd + 1.0);
	}
	if (placed >= CHANGE_ENDED * broken && of_place < log(CHANGE_NEVER))
		return true;
	return lasting * 3 >= ended && lasting && ended >= CHANGE_ENDED * broken &&
	       chance < log(CHANGE_CHANCE);
}
