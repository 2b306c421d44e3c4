/* csv_notation -- columns of a CSV file that are written in the notation of a country.
 *
 * Half of the world writes 1.234,50 for 1234.5 and 31.12.2024, 31/12/2024 or 12/31/2024 for 2024-12-31. One cell does not
 * tell: "1,234" has two meanings, and "03/04/2024" as well. A whole column does. So a column gets views of its texts when
 * most of its cells are in one such notation and some can be nothing else: a number of decimals that groups of thousands
 * do not have, a day above 12 in one place and hardly ever in the other. A file is written in one notation: what most of
 * its columns say holds for those that say too little by themselves (three rooms of 2,5 among whole ones, a date in four
 * rows), unless their own cells speak against it.
 *
 * Cells in another notation of the column stay text, also ISO dates among others, so that checks see the mixture. The
 * decision needs the whole file and uses only what the cells are, so it does not depend on the cut into blocks or on
 * threads. */
#include <stdlib.h>

#include "base/time.h"
#include "columns/plan.h"
#include "columns/textclass.h"
#include "run/ctx.h"

#define MAX_CELL   40   /* bytes; longer cells are no number and no date */
#define MIN_CELLS  5    /* in the notation: fewer are chance */
#define HOPELESS   2000 /* after so many filled cells of a block with hardly any in a notation */
#define SEPARATORS 3    /* of dates: "." "/" "-" */
#define MIN_OF_KIND \
	2       /* of the filled cells one in so many is in the notation, or an integer beside it */
#define RARE 10 /* one in so many days above 12 may be in the other place */

/* What one block says of a column; counts of filled cells. */
typedef struct tally {
	uint64_t filled;
	uint64_t comma,
		comma3;   /* 12,5 and 1.234,50; of these with three decimals and no group: 1,234 */
	uint64_t grouped; /* of comma: with groups */
	uint64_t point, whole; /* 12.5; 12 */
	uint64_t date[SEPARATORS],
		above[SEPARATORS][2]; /* and with a first, second part above 12 */
	bool is_hopeless;
} tally;

typedef enum notation {
	NOTATION_NONE,
	NOTATION_COMMA,
	NOTATION_DAY_FIRST,
	NOTATION_MONTH_FIRST
} notation;

typedef struct decision {
	notation notation;
	char sep;        /* of the dates */
	bool is_grouped; /* "1.234" is a whole number */
} decision;

typedef struct notation_run {
	const ag_ctx *ctx;
	const ag_plan *plan;
	tally *seen;   /* [blocks * columns] */
	decision *all; /* [columns] */
} notation_run;

static const char date_seps[SEPARATORS] = { '.', '/', '-' };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "1.234,50", "1 234,5", "0,5", "-12,25" as a number with a point. 0: the cell is no such number. */
static size_t number_text(ag_str s, char out[MAX_CELL], bool *ret_grouped, size_t *ret_decimals)
{
	size_t n = 0, run = 0, decimals = 0;
	char group = '\0';
	bool has_comma = false;

	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (is_digit(c)) {
			out[n++] = c;
			run += !has_comma;
			decimals += has_comma;
		} else if (c == '-' && i == 0) {
			out[n++] = c;
		} else if (c == ',' && !has_comma && run && (!group || run == 3)) {
			has_comma = true;
			out[n++] = '.';
		} else if ((c == '.' || c == ' ' || c == '\'') && !has_comma && run && run <= 3 &&
		           (!group || (group == c && run == 3))) {
			group = c;
			run = 0;
		} else {
			return 0;
		}
	}
	*ret_grouped = group != '\0';
	*ret_decimals = decimals;
	return has_comma && decimals ? n : !has_comma && group && run == 3 ? n : 0;
}

static ag_val number_view(ag_str s, bool is_grouped)
{
	char text[MAX_CELL];
	bool has_groups;
	size_t decimals, n = s.len < MAX_CELL ? number_text(s, text, &has_groups, &decimals) : 0;

	return n && (decimals || is_grouped) ? ag_csv_view(ag_str_make(text, n)) : ag_val_missing();
}

static int date_sep(ag_str s, int *first, int *second)
{
	switch (ag_text_date_format(s, first, second)) {
	case AG_DATE_DOT: return 0;
	case AG_DATE_SLASH: return 1;
	case AG_DATE_DASH: return 2;
	default: return -1;
	}
}

static void count_text(tally *t, ag_str s)
{
	char text[MAX_CELL];
	bool has_groups;
	size_t decimals;
	int first, second, sep;

	if (s.len >= MAX_CELL || !s.len || !(is_digit(s.ptr[0]) || s.ptr[0] == '-'))
		return;
	if (number_text(s, text, &has_groups, &decimals) && decimals) {
		t->comma++;
		t->comma3 += decimals == 3 && !has_groups;
		t->grouped += has_groups;
		return;
	}
	sep = date_sep(s, &first, &second);
	if (sep < 0)
		return;
	t->date[sep]++;
	t->above[sep][0] += first > 12;
	t->above[sep][1] += second > 12;
}

static uint64_t found(const tally *t)
{
	return t->comma + t->date[0] + t->date[1] + t->date[2];
}

/* The columns of a CSV chunk follow its root in the order of the header. */
static ag_col *column(const ag_chunk *c, uint32_t i)
{
	AG_ASSERT(i + 1 < c->ncol);
	return c->cols[i + 1];
}

/* Quoted without need, in a column that csv_quoted.c left alone: text. */
static bool is_text(const ag_col *col, uint32_t row, ag_str s, char sep)
{
	return col->view_type[row] == AG_T_MISSING && col->view_val[row] == AG_CSV_QUOTED &&
	       !memchr(s.ptr, sep, s.len);
}

static void look(const ag_chunk *c, const ag_col *col, char sep, tally *t)
{
	for (uint32_t r = 0; r < col->n; r++) {
		const ag_str s = ag_chunk_heap_str(c, col->val[r]);

		if (!s.len)
			continue;
		t->filled++;
		switch (col->view_type[r]) {
		case AG_T_MISSING:
			if (!is_text(col, r, s, sep))
				count_text(t, s);
			break;
		case AG_T_INT32:
		case AG_T_INT64: t->whole++; break;
		case AG_T_DOUBLE:
		case AG_T_DECIMAL: t->point++; break;
		default: break;
		}
		if (t->filled == HOPELESS && found(t) * 20 < t->filled) {
			t->is_hopeless = true;
			return;
		}
	}
}

static ag_status look_block(void *arg, size_t i, ag_err *err)
{
	const notation_run *q = (const notation_run *)arg;
	const ag_chunk *c = q->plan->blocks[i].chunk;
	const uint32_t ncol = q->plan->csv.ncol;

	for (uint32_t k = 0; k < ncol; k++)
		look(c, column(c, k), q->plan->csv.sep, &q->seen[i * ncol + k]);
	return ag_ctx_check(q->ctx, err);
}

static void add(tally *t, const tally *b)
{
	t->filled += b->filled;
	t->comma += b->comma;
	t->comma3 += b->comma3;
	t->grouped += b->grouped;
	t->point += b->point;
	t->whole += b->whole;
	for (size_t i = 0; i < SEPARATORS; i++) {
		t->date[i] += b->date[i];
		t->above[i][0] += b->above[i][0];
		t->above[i][1] += b->above[i][1];
	}
	t->is_hopeless = t->is_hopeless || b->is_hopeless;
}

static bool may_have_commas(const tally *t)
{
	return !t->is_hopeless && t->comma && t->comma > 4 * t->point &&
	       (t->comma + t->whole) * MIN_OF_KIND >= t->filled;
}

static bool has_commas(const tally *t)
{
	return may_have_commas(t) && t->comma >= MIN_CELLS && t->comma3 * 2 < t->comma;
}

static decision decide(const tally *t)
{
	decision d = { .notation = NOTATION_NONE };

	if (t->is_hopeless)
		return d;
	if (has_commas(t))
		return (decision){ .notation = NOTATION_COMMA, .is_grouped = t->grouped > 0 };
	for (size_t i = 0; i < SEPARATORS; i++) {
		const uint64_t days = t->above[i][0], months = t->above[i][1];

		if (t->date[i] < MIN_CELLS || t->date[i] * MIN_OF_KIND < t->filled)
			continue;
		d.sep = date_seps[i];
		if (days > months * RARE || (!days && !months && d.sep == '.'))
			d.notation = NOTATION_DAY_FIRST;
		else if (months > days * RARE)
			d.notation = NOTATION_MONTH_FIRST;
	}
	return d;
}

/* What the columns of the file say together. t: of each column; all: what each says by itself. */
static void decide_by_file(const tally *t, size_t ncol, decision *all)
{
	tally whole = { 0 };
	notation dates[SEPARATORS] = { 0 };
	bool is_torn[SEPARATORS] = { false };

	for (size_t k = 0; k < ncol; k++) {
		const char *sep = all[k].sep ? memchr(date_seps, all[k].sep, SEPARATORS) : NULL;

		whole.point += t[k].point;
		whole.comma += may_have_commas(&t[k]) ? t[k].comma : 0;
		whole.comma3 += may_have_commas(&t[k]) ? t[k].comma3 : 0;
		if (!sep || !all[k].notation)
			continue;
		is_torn[sep - date_seps] |= dates[sep - date_seps] &&
		                            dates[sep - date_seps] != all[k].notation;
		dates[sep - date_seps] = all[k].notation;
	}
	for (size_t k = 0; k < ncol; k++) {
		if (all[k].notation || t[k].is_hopeless)
			continue;
		if (whole.comma >= MIN_CELLS && whole.comma > 4 * whole.point &&
		    whole.comma3 * 2 < whole.comma && may_have_commas(&t[k]))
			all[k] = (decision){ .notation = NOTATION_COMMA,
				             .is_grouped = t[k].grouped > 0 };
		for (size_t i = 0; i < SEPARATORS && !all[k].notation; i++) {
			const size_t other = dates[i] == NOTATION_DAY_FIRST;

			if (dates[i] && !is_torn[i] && t[k].date[i] &&
			    t[k].date[i] * MIN_OF_KIND >= t[k].filled && !t[k].above[i][other])
				all[k] = (decision){ .notation = dates[i], .sep = date_seps[i] };
		}
	}
}

/* The view of a text in the column's notation; MISSING: it is in another one. */
static ag_val local_view(ag_str s, const decision *d)
{
	ag_val v = { .type = AG_T_DATE };

	if (d->notation == NOTATION_COMMA)
		return number_view(s, d->is_grouped);
	return ag_text_date_ms(s, d->sep, d->notation == NOTATION_DAY_FIRST, &v.u.i)
	               ? v
	               : ag_val_missing();
}

/* Does this cell have a view that the notation takes away? An ISO date among others, "1.234" among numbers with groups. */
static bool is_other_view(const ag_col *col, uint32_t row, const decision *d)
{
	if (d->notation == NOTATION_COMMA)
		return col->view_type[row] == AG_T_DOUBLE && d->is_grouped;
	return col->view_type[row] == AG_T_DATE;
}

static void view_column(ag_builder *b, ag_col *col, char sep, const decision *d)
{
	for (uint32_t r = 0; r < col->n; r++) {
		const ag_str s = ag_chunk_heap_str(b->chunk, col->val[r]);
		const bool has_view = col->view_type[r] != AG_T_MISSING;
		ag_val view;
		uint64_t bits;

		if (!s.len || (has_view && !is_other_view(col, r, d)) || is_text(col, r, s, sep))
			continue;
		view = local_view(s, d);
		if (view.type == AG_T_MISSING) {
			if (has_view && d->notation != NOTATION_COMMA)
				col->view_type[r] = AG_T_MISSING;
			continue;
		}
		bits = ag_build_bits(b, &view, NULL);
		if (b->failed) /* no room for the view: the cell remains text */
			return;
		col->view_type[r] = (uint8_t)view.type;
		col->view_val[r] = bits;
	}
}

static ag_status view_block(void *arg, size_t i, ag_err *err)
{
	const notation_run *q = (const notation_run *)arg;
	ag_chunk *c = q->plan->blocks[i].chunk;
	ag_builder b = { .chunk = c };
	const size_t was = c->heap_len;

	for (uint32_t k = 0; k < q->plan->csv.ncol; k++)
		if (q->all[k].notation)
			view_column(&b, column(c, k), q->plan->csv.sep, &q->all[k]);
	if (c->heap_len != was) { /* as ag_builder_finish() leaves it */
		c->heap_cap = c->heap_len + 64;
		c->heap = (char *)ag_xrealloc(c->heap, c->heap_cap);
	}
	return ag_ctx_check(q->ctx, err);
}

ag_status ag_csv_view_notation(const ag_ctx *ctx, const ag_plan *plan, ag_err *err)
{
	const size_t ncol = plan->csv.ncol;
	notation_run q = { .ctx = ctx, .plan = plan };
	bool any = false;
	ag_status st;

	if (plan->n == 0 || ncol == 0)
		return AG_OK;
	q.seen = (tally *)ag_xcalloc(plan->n * ncol, sizeof(*q.seen));
	q.all = (decision *)ag_xcalloc(ncol, sizeof(*q.all));
	st = ag_parallel(ctx, plan->n, look_block, &q, err);
	/* What the other blocks say goes into the tallies of the first. */
	for (size_t k = 0; !st && k < ncol; k++) {
		for (size_t i = 1; i < plan->n; i++)
			add(&q.seen[k], &q.seen[i * ncol + k]);
		q.all[k] = decide(&q.seen[k]);
	}
	if (!st)
		decide_by_file(q.seen, ncol, q.all);
	for (size_t k = 0; k < ncol; k++)
		any = any || q.all[k].notation;
	if (!st && any)
		st = ag_parallel(ctx, plan->n, view_block, &q, err);
	free(q.seen);
	free(q.all);
	return st;
}
