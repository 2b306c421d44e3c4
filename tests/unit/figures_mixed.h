/* figures_mixed -- a second generator of answers, written apart from figures_grammar.h: other results, other sentences, other
 * ways of writing numbers.
 *
 * A sentence is text with marks. <r> <s> <q> name rows A, B, C; <c> <d> columns; <v> <w> <z> are the values of A, B, C in
 * column c, <x> that of A in d; the others are computed and come with their computation, or are checked against the column: <t>
 * total, <a> average, <p> share of A, <D> difference of A and B with "more" or "less", <g> change from B to A with its
 * direction, <P> percentage points, <h> a ratio in words, <m> a ratio in digits, <k> the rank of A, <L> <H> the ends of the
 * column, <o> a bound ("more than 1,200"), <n> the number of rows, <T> how many rows are above a bound ("three of the five
 * depots have more than 800 pallets"). */
#ifndef AG_TESTS_FIGURES_MIXED_H
#define AG_TESTS_FIGURES_MIXED_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyst/figures.h"
#include "query/extjson.h"

#define FM_ROWS 6
#define FM_COLS 4

typedef enum fm_kind {
	FM_COUNT,
	FM_MONEY,    /* two places */
	FM_FRACTION, /* four places, shown as a percentage */
	FM_PERCENT,  /* one place */
	FM_UNIT,     /* one place */
	FM_SIGNED    /* money that may be negative */
} fm_kind;

typedef enum fm_lang { FM_EN, FM_DE, FM_FR } fm_lang;

typedef enum fm_wrong {
	FM_RIGHT,
	FM_ROW,
	FM_COLUMN,
	FM_SCALE,     /* a thousand times too large, or another unit */
	FM_ROUNDING,  /* the last digit */
	FM_DIRECTION, /* up for down, more for less, a loss for a gain */
	FM_BOUND,     /* "more than" what it does not reach */
	FM_COMPUTED,  /* a share, total, average, difference, change or ratio */
	FM_RANK,
	FM_END,  /* of a range */
	FM_MANY, /* how many rows */
	FM_NWRONG
} fm_wrong;

static const char *const fm_wrong_names[] = { "right",    "row",       "column", "scale",
	                                      "rounding", "direction", "bound",  "computed",
	                                      "rank",     "end",       "many" };

typedef struct fm_col {
	const char *name;
	fm_kind kind;
	const char *label[3];
	long low, high;
	const char *unit, *other_unit;
} fm_col;

typedef struct fm_table {
	const char *key;
	const char *rows_are[3]; /* "depots" */
	const char *rows[FM_ROWS];
	const char *names[3][FM_ROWS]; /* as a sentence says them; NULL = as in the cell */
	fm_col cols[FM_COLS];
} fm_table;

typedef struct fm_sentence {
	const char *text;
	fm_lang lang;
	const char *
		needs; /* of columns c and d: 'c' count, 'm' money, 's' may be negative, 'p' percentage, 'u' unit, '+'
	                    * count or money, '*' any */
} fm_sentence;

typedef struct fm_answer {
	char text[3000];
	size_t len, wrong_at;
	bool made;
	char computations[1500], rows[3000];
	const fm_table *table;
	const fm_sentence *sentence;
} fm_answer;

typedef struct fm_state {
	uint64_t seed;
	const fm_table *t;
	const fm_sentence *s;
	fm_wrong wrong;
	size_t skip; /* places that could be spoiled and are not */
	size_t nrow;
	long v[FM_ROWS][FM_COLS];
	size_t row[3], col[2];
	int style; /* of numbers */
	double ratio;
	fm_answer *a;
} fm_state;

static size_t fm_below(fm_state *f, size_t n)
{
	uint64_t z = f->seed += UINT64_C(0xD1342543DE82EF95);

	z = (z ^ (z >> 32)) * UINT64_C(0xDABA0B6EB09322E3);
	z = (z ^ (z >> 32)) * UINT64_C(0xDABA0B6EB09322E3);
	return (size_t)((z ^ (z >> 32)) % (n ? n : 1));
}

static int fm_places(fm_kind k)
{
	return k == FM_MONEY || k == FM_SIGNED ? 2 : k == FM_FRACTION ? 4 : k == FM_COUNT ? 0 : 1;
}

static double fm_value(const fm_state *f, size_t row, size_t col)
{
	return (double)f->v[row][col] / pow(10, fm_places(f->t->cols[col].kind));
}

static void fm_add(fm_state *f, const char *text)
{
	fm_answer *a = f->a;
	const size_t n = strlen(text);

	if (a->len + n < sizeof(a->text)) {
		memcpy(a->text + a->len, text, n + 1);
		a->len += n;
	}
}

/* Is this the place to spoil? It counts the places of the class that come before. */
static bool fm_spoils(fm_state *f, fm_wrong wrong)
{
	if (f->wrong != wrong || f->a->made)
		return false;
	if (f->skip) {
		f->skip--;
		return false;
	}
	f->a->made = true;
	f->a->wrong_at = f->a->len;
	return true;
}

static void fm_unspoil(fm_state *f)
{
	f->a->made = false;
}

/* --- numbers --- */

/* 1,234.5  1.234,5  1 234,5 (three blanks)  1'234.5  1234.5, by language and style. */
static void fm_digits(const fm_state *f, char *to, size_t size, double v, int places)
{
	static const char *const en[] = { ",", ",", "", "," };
	static const char *const de[] = { ".", ".", "\xe2\x80\x99", "" };
	static const char *const fr[] = { "\xe2\x80\xaf", "\xc2\xa0", " ", "" };
	const char *group = f->s->lang == FM_EN   ? en[f->style & 3]
	                    : f->s->lang == FM_DE ? de[f->style & 3]
	                                          : fr[f->style & 3];
	const char *point = f->s->lang == FM_EN ? "." : ",";
	char plain[64];
	size_t n = 0, whole;

	if (f->s->lang == FM_DE && (f->style & 3) == 2)
		point = "."; /* Swiss */
	snprintf(plain, sizeof(plain), "%.*f", places, fabs(v));
	whole = strcspn(plain, ".");
	for (size_t i = 0; plain[i] && n + 8 < size; i++) {
		if (plain[i] == '.')
			n += (size_t)snprintf(to + n, size - n, "%s", point);
		else
			to[n++] = plain[i];
		if (i + 1 < whole && (whole - i - 1) % 3 == 0)
			n += (size_t)snprintf(to + n, size - n, "%s", group);
	}
	to[n] = '\0';
}

typedef struct fm_shown {
	double v; /* in shown units, rounded */
	int places;
	int exp; /* 0, 3, 6 */
	const char *unit;
	fm_kind kind;
} fm_shown;

static double fm_round(double v, int places)
{
	const double by = pow(10, places);

	return (v < 0 ? -1 : 1) * floor(fabs(v) * by + 0.5 + 1e-7) / by;
}

static fm_shown fm_show(fm_state *f, size_t row, size_t col)
{
	const fm_col *c = &f->t->cols[col];
	double v = fm_value(f, row, col) * (c->kind == FM_FRACTION ? 100 : 1);
	fm_shown s = { .kind = c->kind, .unit = c->unit };

	switch (c->kind) {
	case FM_COUNT: s.exp = v >= 100000 && fm_below(f, 4) == 0 ? 3 : 0; break;
	case FM_MONEY:
		s.exp = v >= 1e6 && fm_below(f, 2) ? 6 : v >= 20000 && fm_below(f, 5) == 0 ? 3 : 0;
		s.places = s.exp == 6 ? 1 + (int)fm_below(f, 2) : fm_below(f, 2) && !s.exp ? 2 : 0;
		break;
	case FM_SIGNED: s.places = fm_below(f, 2) ? 2 : 0; break;
	default: s.places = fm_below(f, 3) > 0 ? 1 : 0; break;
	}
	s.v = fm_round(v / pow(10, s.exp), s.places);
	return s;
}

/* Bytes before the digits are part of the figure: wrong_at moves to its first digit in any case. */
static void fm_write(fm_state *f, const fm_shown *s)
{
	static const char *const thousand[][3] = { { "k", " thousand", "K" },
		                                   { " Tsd.", " Tausend", " Tsd." },
		                                   { " mille", " k", " mille" } };
	static const char *const million[][3] = { { "M", " million", " million" },
		                                  { " Mio.", " Millionen", " Mio." },
		                                  { " millions", " M", " millions" } };
	const bool is_money = s->kind == FM_MONEY || s->kind == FM_SIGNED;
	const size_t pick = fm_below(f, 3);
	const bool here = f->a->made && f->a->wrong_at == f->a->len;
	const bool brackets = s->kind == FM_SIGNED && s->v < 0 && f->s->lang == FM_EN &&
	                      fm_below(f, 2);
	char digits[96];

	fm_digits(f, digits, sizeof(digits), s->v, s->places);
	fm_add(f, brackets ? "(" : s->v < 0 ? (fm_below(f, 2) ? "-" : "\xe2\x88\x92") : "");
	if (is_money && f->s->lang == FM_EN)
		fm_add(f, f->style & 4 ? "\xc2\xa3" : "$");
	if (here)
		f->a->wrong_at = f->a->len;
	fm_add(f, digits);
	fm_add(f, s->exp == 6   ? million[f->s->lang][pick]
	          : s->exp == 3 ? thousand[f->s->lang][pick]
	                        : "");
	if (is_money && f->s->lang != FM_EN)
		fm_add(f, s->exp == 6 && f->s->lang == FM_FR && pick != 1 ? " d'euros"
		          : f->style & 4                                  ? " Euro"
		                                                          : " \xe2\x82\xac");
	if (s->kind == FM_FRACTION || s->kind == FM_PERCENT)
		fm_add(f, f->s->lang == FM_EN ? (f->style & 8 ? " percent" : "%")
		          : f->style & 8      ? (f->s->lang == FM_DE ? " Prozent" : " pour cent")
		                              : "\xc2\xa0%");
	if (s->unit) {
		fm_add(f, " ");
		fm_add(f, s->unit);
	}
	if (brackets)
		fm_add(f, ")");
}

static bool fm_differs(double a, double b, int places)
{
	return fabs(a - b) > 0.5 * pow(10, -places);
}

/* The value of a cell, or what the class makes of it. */
static void fm_cell(fm_state *f, size_t row, size_t col)
{
	fm_shown s = fm_show(f, row, col);
	const double right = s.v;

	if (fm_spoils(f, FM_ROW)) {
		const size_t other = fm_below(f, f->nrow);
		const double by = s.kind == FM_FRACTION ? 100 : 1;

		s.v = fm_round(fm_value(f, other, col) * by / pow(10, s.exp), s.places);
		if (!fm_differs(s.v, right, s.places))
			fm_unspoil(f);
	} else if (fm_spoils(f, FM_COLUMN)) {
		const size_t other = fm_below(f, FM_COLS);
		const fm_kind k = f->t->cols[other].kind;
		const bool same = (k == FM_COUNT) == (s.kind == FM_COUNT) ||
		                  (k == FM_MONEY && s.kind == FM_COUNT);

		/* With the unit of the right column: the words would be right, the number is not. */
		s.v = fm_round(fm_value(f, row, other),
		               s.places = fm_places(k) > 1 ? 2 : fm_places(k));
		s.exp = 0;
		if (other == col || !same || k == FM_FRACTION ||
		    !fm_differs(s.v, right * pow(10, s.exp), 0))
			fm_unspoil(f), s = fm_show(f, row, col);
	} else if (fm_spoils(f, FM_SCALE)) {
		if (s.unit && f->t->cols[col].other_unit)
			s.unit = f->t->cols[col].other_unit;
		else if (s.kind == FM_COUNT || s.kind == FM_MONEY)
			s.exp = s.exp == 3 ? 6 : 3;
		else if (s.kind == FM_FRACTION || s.kind == FM_PERCENT)
			s.v = fm_round(s.v / 10, s.places = 2);
		else
			fm_unspoil(f);
		if (right == 0)
			fm_unspoil(f);
	} else if (fm_spoils(f, FM_ROUNDING)) {
		const double step = pow(10, -s.places);
		const double exact = fm_value(f, row, col) * (s.kind == FM_FRACTION ? 100 : 1) /
		                     pow(10, s.exp);

		s.v += (fm_below(f, 2) ? 1 : -1) * step;
		if (fabs(fabs(s.v - exact) - step / 2) < step * 1e-3 ||
		    fabs(s.v - exact) < step / 2)
			fm_unspoil(f), s.v = right;
	} else if (s.kind == FM_SIGNED && right != 0 && fm_spoils(f, FM_DIRECTION)) {
		s.v = -s.v;
	}
	fm_write(f, &s);
}

/* --- computations --- */

static void fm_ref(const fm_state *f, size_t row, size_t col, char *to, size_t size)
{
	snprintf(to, size, "\"r1[%s].%s\"", f->t->rows[row], f->t->cols[col].name);
}

static void fm_state_op(fm_state *f, const char *op, const char *of, const char *in)
{
	fm_answer *a = f->a;
	const size_t n = strlen(a->computations);

	snprintf(a->computations + n, sizeof(a->computations) - n,
	         "%s{\"op\":\"%s\",\"of\":[%s]%s%s%s}", n ? "," : "", op, of, in ? ",\"in\":[" : "",
	         in ? in : "", in ? "]" : "");
}

static void fm_state_two(fm_state *f, const char *op)
{
	char one[100], two[100], both[210];

	fm_ref(f, f->row[0], f->col[0], one, sizeof(one));
	fm_ref(f, f->row[1], f->col[0], two, sizeof(two));
	snprintf(both, sizeof(both), "%s,%s", one, two);
	fm_state_op(f, op, both, NULL);
}

static void fm_state_all(fm_state *f, const char *op)
{
	char all[100];

	snprintf(all, sizeof(all), "\"r1[*].%s\"", f->t->cols[f->col[0]].name);
	fm_state_op(f, op, all, NULL);
}

/* Writes a computed number; a wrong one is visibly another. */
static void fm_computed(fm_state *f, double v, fm_shown s)
{
	s.v = fm_round(v, s.places);
	if (fm_spoils(f, FM_COMPUTED)) {
		const double step = pow(10, -s.places);

		const double by = (double)(2 + fm_below(f, 30)) * step;

		s.v += s.v > 40 * step && fm_below(f, 2) ? -by : by;
	}
	fm_write(f, &s);
}

static double fm_sum(const fm_state *f, size_t col)
{
	double sum = 0;

	for (size_t r = 0; r < f->nrow; r++)
		sum += fm_value(f, r, col);
	return sum;
}

static fm_shown fm_like(const fm_state *f, size_t col)
{
	const fm_col *c = &f->t->cols[col];

	return (fm_shown){ .kind = c->kind,
		           .unit = c->unit,
		           .places = c->kind == FM_FRACTION ? 1 : fm_places(c->kind) };
}

static void fm_difference(fm_state *f)
{
	static const char *const more[] = { " more", " mehr", " de plus" };
	static const char *const less[] = { " less", " weniger", " de moins" };
	const double v = fm_value(f, f->row[0], f->col[0]) - fm_value(f, f->row[1], f->col[0]);
	bool up = v > 0;
	size_t at;

	fm_state_two(f, "difference");
	at = f->a->len;
	fm_computed(f, fabs(v), fm_like(f, f->col[0]));
	if (v != 0 && fm_spoils(f, FM_DIRECTION)) {
		up = !up;
		while (f->a->text[at] < '0' || f->a->text[at] > '9')
			at++;
		f->a->wrong_at = at;
	}
	fm_add(f, up ? more[f->s->lang] : less[f->s->lang]);
}

static void fm_change(fm_state *f)
{
	static const char *const up[][3] = { { "up ", "an increase of ", "grew by " },
		                             { "plus ", "ein Zuwachs von ", "ein Plus von " },
		                             { "en hausse de ", "une hausse de ",
		                               "une progression de " } };
	static const char *const down[][3] = { { "down ", "a decrease of ", "shrank by " },
		                               { "minus ",
		                                 "ein R\xc3\xbc"
		                                 "ckgang von ",
		                                 "ein Minus von " },
		                               { "en baisse de ", "une baisse de ",
		                                 "un recul de " } };
	const double b = fm_value(f, f->row[1], f->col[0]);
	const double v = fm_value(f, f->row[0], f->col[0]) / b - 1;
	bool rose = v > 0;
	bool here;

	fm_state_two(f, "change");
	here = fabs(v) > 0.01 && fm_spoils(f, FM_DIRECTION);
	rose = here ? !rose : rose;
	fm_add(f, (rose ? up : down)[f->s->lang][fm_below(f, 3)]);
	if (here)
		f->a->wrong_at = f->a->len;
	fm_computed(f, fabs(v) * 100,
	            (fm_shown){ .kind = FM_PERCENT, .places = (int)fm_below(f, 2) });
}

static void fm_points(fm_state *f)
{
	static const char *const words[] = { " percentage points", " Prozentpunkte",
		                             " points de pourcentage" };
	static const char *const up[] = { " above", " \303\274ber", " de plus" };
	static const char *const down[] = { " below", " unter", " de moins" };
	const double by = f->t->cols[f->col[0]].kind == FM_FRACTION ? 100 : 1;
	const double v = (fm_value(f, f->row[0], f->col[0]) - fm_value(f, f->row[1], f->col[0])) *
	                 by;

	fm_state_two(f, "difference");
	fm_computed(f, fabs(v), (fm_shown){ .kind = FM_UNIT, .places = 1 });
	fm_add(f, words[f->s->lang]);
	fm_add(f, v > 0 ? up[f->s->lang] : down[f->s->lang]);
}

static const struct {
	double v;
	const char *words[3];
} fm_ratios[] = {
	{ 2, { "twice", "doppelt so viel wie", "le double de" } },
	{ 3, { "three times", "dreimal so viel wie", "le triple de" } },
	{ 0.5, { "half", "die H\xc3\xa4lfte von", "la moiti\xc3\xa9 de" } },
	{ 1.0 / 3, { "a third of", "ein Drittel von", "un tiers de" } },
	{ 0.25, { "a quarter of", "ein Viertel von", "un quart de" } },
	{ 2.0 / 3, { "two thirds of", "zwei Drittel von", "deux tiers de" } },
};

#define FM_NRATIO (sizeof(fm_ratios) / sizeof(fm_ratios[0]))

static void fm_ratio_word(fm_state *f)
{
	size_t said = 0;

	while (said < FM_NRATIO && fm_ratios[said].v != f->ratio)
		said++;
	fm_state_two(f, "ratio");
	if (fm_spoils(f, FM_COMPUTED))
		said = (said + 1 + fm_below(f, FM_NRATIO - 1)) % FM_NRATIO;
	fm_add(f, fm_ratios[said].words[f->s->lang]);
}

static void fm_ratio_digits(fm_state *f)
{
	static const char *const times[] = { " times", "-mal", " fois" };

	fm_state_two(f, "ratio");
	fm_computed(f, fm_value(f, f->row[0], f->col[0]) / fm_value(f, f->row[1], f->col[0]),
	            (fm_shown){ .kind = FM_UNIT, .places = 1 });
	fm_add(f, times[f->s->lang]);
}

static void fm_rank(fm_state *f)
{
	static const char *const words[3][FM_ROWS] = {
		{ "first", "second", "third", "fourth", "fifth", "sixth" },
		{ "erster", "zweiter", "dritter", "vierter", "f\xc3\xbcnfter", "sechster" },
		{ "premier", "deuxi\xc3\xa8me", "troisi\xc3\xa8me", "quatri\xc3\xa8me",
		  "cinqui\xc3\xa8me", "sixi\xc3\xa8me" },
	};
	size_t rank = 0;

	for (size_t r = 0; r < f->nrow; r++)
		rank += f->v[r][f->col[0]] > f->v[f->row[0]][f->col[0]];
	if (fm_spoils(f, FM_RANK)) {
		const size_t other = fm_below(f, f->nrow);

		if (other == rank)
			fm_unspoil(f);
		rank = other;
	}
	fm_add(f, words[f->s->lang][rank]);
}

static void fm_end(fm_state *f, bool high)
{
	size_t best = 0;
	fm_shown s;

	for (size_t r = 1; r < f->nrow; r++)
		best = high == (f->v[r][f->col[0]] > f->v[best][f->col[0]]) ? r : best;
	s = fm_show(f, best, f->col[0]);
	if (fm_spoils(f, FM_END)) {
		const size_t other = fm_below(f, f->nrow);
		const double right = s.v;

		s.v = fm_round(fm_value(f, other, f->col[0]) * (s.kind == FM_FRACTION ? 100 : 1) /
		                       pow(10, s.exp),
		               s.places);
		if (!fm_differs(s.v, right, s.places))
			fm_unspoil(f);
	}
	fm_write(f, &s);
}

/* A round number directly below or above the value: three digits are kept. */
static void fm_bound(fm_state *f)
{
	static const char *const over[][3] = { { "more than ", "just over ", "over " },
		                               { "mehr als ",
		                                 "knapp \xc3\xbc"
		                                 "ber ",
		                                 "\xc3\xbc"
		                                 "ber " },
		                               { "plus de ", "un peu plus de ", "plus de " } };
	static const char *const under[][3] = { { "less than ", "just under ", "nearly " },
		                                { "weniger als ", "knapp unter ", "fast " },
		                                { "moins de ", "un peu moins de ", "presque " } };
	const double v = fm_value(f, f->row[0], f->col[0]);
	const double unit = pow(10, floor(log10(fabs(v) + 1)) - 1);
	const bool is_over = fm_below(f, 2);
	const double low = floor(v / unit) * unit;
	fm_shown s = { .kind = f->t->cols[f->col[0]].kind, .unit = f->t->cols[f->col[0]].unit };
	const bool here = fm_spoils(f, FM_BOUND);

	s.v = is_over != here ? low : low + unit;
	/* "more than" what it is not: a number on the other side. */
	fm_add(f, (is_over ? over : under)[f->s->lang][fm_below(f, 3)]);
	if (here) {
		f->a->wrong_at = f->a->len;
		if (fabs(s.v - v) < unit / 1000 || low < unit)
			fm_unspoil(f);
	}
	fm_write(f, &s);
}

/* "three of the five depots have more than 800 pallets": counted over the column. */
static void fm_above(fm_state *f)
{
	static const char *const words[3][7] = {
		{ "none", "one", "two", "three", "four", "five", "six" },
		{ "keiner", "einer", "zwei", "drei", "vier", "f\xc3\xbcnf", "sechs" },
		{ "aucun", "un", "deux", "trois", "quatre", "cinq", "six" },
	};
	const size_t col = f->col[0];
	size_t n = 0, wanted = 2 + fm_below(f, f->nrow - 2);
	double sorted[FM_ROWS] = { 0 }, bound, unit;
	fm_shown s = { .kind = f->t->cols[col].kind, .unit = f->t->cols[col].unit };
	char text[300], list[400] = "";

	for (size_t r = 0; r < f->nrow; r++) {
		size_t at = r;

		for (; at && sorted[at - 1] < fm_value(f, r, col); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = fm_value(f, r, col);
	}
	unit = pow(10, floor(log10(sorted[wanted - 1] + 1)) - 1);
	bound = floor(sorted[wanted - 1] / unit) * unit;
	for (size_t r = 0; r < f->nrow; r++) {
		char ref[100];

		if (fm_value(f, r, col) <= bound)
			continue;
		n++;
		fm_ref(f, r, col, ref, sizeof(ref));
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
		         list[0] ? "," : "", ref);
	}
	fm_state_op(f, "count", list, NULL);
	if (fm_spoils(f, FM_MANY))
		n = n > 3 ? n - 1 : n + 1;
	fm_add(f, words[f->s->lang][n]);
	snprintf(text, sizeof(text),
	         f->s->lang == FM_EN   ? " of the %s %s have more than "
	         : f->s->lang == FM_DE ? " der %s %s haben mehr als "
	                               : " des %s %s ont plus de ",
	         words[f->s->lang][f->nrow], f->t->rows_are[f->s->lang]);
	fm_add(f, text);
	s.v = bound;
	fm_write(f, &s);
	fm_add(f, " ");
	fm_add(f, f->t->cols[col].label[f->s->lang]);
}

static void fm_many(fm_state *f)
{
	char text[20];

	snprintf(text, sizeof(text), "%zu",
	         f->nrow + (fm_spoils(f, FM_MANY) ? 1 + fm_below(f, 3) : 0));
	fm_add(f, text);
}

/* --- a sentence --- */

/* The words for a column, with a capital letter where a sentence begins. */
static void fm_label(fm_state *f, size_t col)
{
	const size_t at = f->a->len;
	char *text = f->a->text;

	fm_add(f, f->t->cols[col].label[f->s->lang]);
	if ((!at || (at > 1 && text[at - 1] == ' ' && text[at - 2] == '.')) && text[at] >= 'a' &&
	    text[at] <= 'z')
		text[at] = (char)(text[at] - 32);
}

static void fm_mark(fm_state *f, char mark)
{
	const fm_lang l = f->s->lang;
	const fm_table *t = f->t;
	const size_t c = f->col[0];
	char one[100], all[100];

	switch (mark) {
	case 'r':
	case 's':
	case 'q': {
		const size_t row = f->row[mark == 'r' ? 0 : mark == 's' ? 1 : 2];

		fm_add(f, t->names[l][row] ? t->names[l][row] : t->rows[row]);
		break;
	}
	case 'c': fm_label(f, c); break;
	case 'd': fm_label(f, f->col[1]); break;
	case 'v': fm_cell(f, f->row[0], c); break;
	case 'w': fm_cell(f, f->row[1], c); break;
	case 'z': fm_cell(f, f->row[2], c); break;
	case 'x': fm_cell(f, f->row[0], f->col[1]); break;
	case 't':
		fm_state_all(f, "sum");
		fm_computed(f, fm_sum(f, c), fm_like(f, c));
		break;
	case 'a':
		fm_state_all(f, "average");
		fm_computed(f,
		            fm_sum(f, c) / (double)f->nrow *
		                    (t->cols[c].kind == FM_FRACTION ? 100 : 1),
		            (fm_shown){ .kind = t->cols[c].kind,
		                        .unit = t->cols[c].unit,
		                        .places = t->cols[c].kind == FM_MONEY ? 2 : 1 });
		break;
	case 'p':
		fm_ref(f, f->row[0], c, one, sizeof(one));
		snprintf(all, sizeof(all), "\"r1[*].%s\"", t->cols[c].name);
		fm_state_op(f, "share", one, all);
		fm_computed(f, fm_value(f, f->row[0], c) / fm_sum(f, c) * 100,
		            (fm_shown){ .kind = FM_PERCENT, .places = (int)fm_below(f, 2) });
		break;
	case 'D': fm_difference(f); break;
	case 'g': fm_change(f); break;
	case 'P': fm_points(f); break;
	case 'h': fm_ratio_word(f); break;
	case 'm': fm_ratio_digits(f); break;
	case 'k': fm_rank(f); break;
	case 'L': fm_end(f, false); break;
	case 'H': fm_end(f, true); break;
	case 'o': fm_bound(f); break;
	case 'T': fm_above(f); break;
	case 'n': fm_many(f); break;
	default: fail_msg("no such mark: %c", mark);
	}
}

static bool fm_column_is(fm_kind k, char need)
{
	return need == '*' || (need == 'c' && k == FM_COUNT) || (need == 'm' && k == FM_MONEY) ||
	       (need == 's' && k == FM_SIGNED) || (need == 'u' && k == FM_UNIT) ||
	       (need == 'p' && (k == FM_FRACTION || k == FM_PERCENT)) ||
	       (need == '+' && (k == FM_COUNT || k == FM_MONEY));
}

static void fm_rows_json(const fm_state *f)
{
	fm_answer *a = f->a;
	size_t n = 0;

	n += (size_t)snprintf(a->rows, sizeof(a->rows), "[");
	for (size_t r = 0; r < f->nrow; r++) {
		n += (size_t)snprintf(a->rows + n, sizeof(a->rows) - n, "%s[\"%s\"", r ? "," : "",
		                      f->t->rows[r]);
		for (size_t c = 0; c < FM_COLS; c++) {
			const fm_kind k = f->t->cols[c].kind;
			const bool text = k == FM_MONEY || k == FM_SIGNED;

			n += (size_t)snprintf(a->rows + n, sizeof(a->rows) - n, ",%s%.*f%s",
			                      text ? "\"" : "", fm_places(k), fm_value(f, r, c),
			                      text ? "\"" : "");
		}
		n += (size_t)snprintf(a->rows + n, sizeof(a->rows) - n, "]");
	}
	snprintf(a->rows + n, sizeof(a->rows) - n, "]");
}

/* Draws values that differ, picks rows and columns. False: the table has no column that the sentence needs. */
static bool fm_draw(fm_state *f)
{
	bool found = false;

	while (f->nrow < FM_ROWS && f->t->rows[f->nrow])
		f->nrow++;
	for (size_t r = 0; r < f->nrow; r++) {
		for (size_t c = 0; c < FM_COLS; c++) {
			const fm_col *col = &f->t->cols[c];

			f->v[r][c] = col->low + (long)fm_below(f, (size_t)(col->high - col->low));
			for (size_t o = 0; o < r; o++) {
				if (f->v[o][c] == f->v[r][c])
					f->v[r][c]++, o = (size_t)-1;
			}
		}
	}
	f->row[0] = fm_below(f, f->nrow);
	f->row[1] = (f->row[0] + 1 + fm_below(f, f->nrow - 1)) % (f->nrow ? f->nrow : 1);
	do
		f->row[2] = fm_below(f, f->nrow);
	while (f->row[2] == f->row[0] || f->row[2] == f->row[1]);
	for (size_t tries = 0; tries < 40 && !found; tries++) {
		f->col[0] = fm_below(f, FM_COLS);
		f->col[1] = fm_below(f, FM_COLS);
		found = f->col[0] != f->col[1] &&
		        fm_column_is(f->t->cols[f->col[0]].kind, f->s->needs[0]) &&
		        (!f->s->needs[1] ||
		         fm_column_is(f->t->cols[f->col[1]].kind, f->s->needs[1]));
	}
	if (found && strstr(f->s->text, "<h>")) {
		const size_t c = f->col[0];

		f->ratio = fm_ratios[fm_below(f, FM_NRATIO)].v;
		f->v[f->row[1]][c] = f->v[f->row[1]][c] / 12 * 12 + 12;
		f->v[f->row[0]][c] = lround((double)f->v[f->row[1]][c] * f->ratio);
	}
	return found;
}

static bool fm_make(const fm_table *t, const fm_sentence *s, fm_wrong wrong, uint64_t seed,
                    fm_answer *a)
{
	fm_state f = { .seed = seed, .t = t, .s = s, .wrong = wrong, .a = a };
	char one[2] = { 0 };

	*a = (fm_answer){ .table = t, .sentence = s };
	f.skip = fm_below(&f, 3);
	f.style = (int)fm_below(&f, 16);
	if (!fm_draw(&f))
		return false;
	fm_rows_json(&f);
	for (const char *p = s->text; *p; p++) {
		if (*p == '<' && p[2] == '>') {
			fm_mark(&f, p[1]);
			p += 2;
			continue;
		}
		one[0] = *p;
		fm_add(&f, one);
	}
	return wrong == FM_RIGHT || a->made;
}

#endif
