/* figures_grammar -- makes answers over results of a shop, right ones and wrong ones, from templates and a seed.
 *
 * A template is text with places: {e0} a row's name, {n01} a phrase with the figure of row 0 in column 1 ("120 orders",
 * "revenue of $5,000"), {f01} the figure alone, {l1} the words for column 1, {s0} the share of row 0 in the total of column
 * 0, {t0} the total of column 0; those of figures_places.h compare rows. What is computed comes with the computation that a
 * model would state. */
#ifndef AG_TESTS_FIGURES_GRAMMAR_H
#define AG_TESTS_FIGURES_GRAMMAR_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyst/figures.h"
#include "query/extjson.h"

#define FG_MAX_ROWS 8
#define FG_MAX_COLS 4

typedef enum fg_kind {
	FG_COUNT,
	FG_MONEY,
	FG_FRACTION,
	FG_PERCENT,
	FG_HOURS,
	FG_RATING,
	FG_UNIT,    /* with the unit of the column */
	FG_BALANCE, /* money that may be negative */
	FG_DELTA,   /* a whole number that may be negative */
	FG_DATE     /* days since 2026-01-01 */
} fg_kind;
typedef enum fg_lang { FG_EN, FG_DE, FG_FR, FG_ES } fg_lang;

typedef struct fg_col {
	const char *name;
	fg_kind kind;
	const char *label[4]; /* of each language; several with '|' */
	long low, high; /* of the integer that is drawn; money has two places, fractions four … */
	const char *unit; /* of FG_UNIT, one place behind the point: "kWh" */
} fg_col;

typedef struct fg_set {
	const char *key;
	bool is_month;
	const char *rows[FG_MAX_ROWS]; /* with a second key: "Oak Hill|2025" */
	fg_col cols[FG_MAX_COLS];
	const char *key2; /* a year beside the name; NULL = none */
} fg_set;

typedef struct fg_template {
	const char *text;
	fg_lang lang;
	const char *
		needs; /* kinds of columns 0, 1: 'c' count, 'm' money, 'p' percentage or fraction, 'x' count or
		        * money, 'u' with a unit, 'b' negative too, 'd' date, '*' any but a date */
	char order; /* of column 0: '>' row 0 has the highest value, '<' the lowest; 0 = any row */
} fg_template;

typedef enum fg_wrong {
	FG_RIGHT,
	FG_WRONG_ROW,
	FG_WRONG_COLUMN,
	FG_WRONG_UNIT,
	FG_WRONG_ROUNDING,
	FG_WRONG_SHARE,
	FG_WRONG_TOTAL,
	FG_WRONG_COMPUTED, /* a difference, a change, a ratio, an average */
	FG_WRONG_SIGN,
	FG_WRONG_RANK,
	FG_WRONG_NROW,
	FG_NWRONG
} fg_wrong;

static const char *const fg_wrong_names[] = { "right",    "row",   "column",        "unit",
	                                      "rounding", "share", "total",         "computed",
	                                      "sign",     "rank",  "number of rows" };

typedef struct fg_answer {
	char text[4000];
	size_t len;
	size_t wrong_at; /* byte of the wrong figure */
	bool made;       /* a wrong one: there was a figure of that class to spoil */
	char computations[2000];
	char rows[4000];
	const fg_set *set;
	const fg_template *template;
} fg_answer;

/* --- a small generator with a seed --- */

static uint64_t fg_state;

static uint64_t fg_next(void)
{
	fg_state += UINT64_C(0x9E3779B97F4A7C15);
	uint64_t z = fg_state;

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static size_t fg_below(size_t n)
{
	assert_true(n > 0);
	return n ? (size_t)(fg_next() % n) : 0;
}

/* --- one world: a result with drawn values --- */

typedef struct fg_world {
	const fg_set *set;
	size_t nrow, ncol;
	long v[FG_MAX_ROWS][FG_MAX_COLS]; /* scaled integers */
	size_t row[FG_MAX_ROWS],
		col[FG_MAX_COLS]; /* the rows and columns that the template calls 0, 1 … */
	fg_lang lang;
	fg_wrong wrong;
	size_t spoil; /* the figure of the text that is spoiled */
	size_t nfigure;
	size_t ratio; /* of fg_ratios[] */
} fg_world;

static int fg_places(fg_kind kind)
{
	return kind == FG_MONEY || kind == FG_BALANCE                    ? 2
	       : kind == FG_FRACTION                                     ? 4
	       : kind == FG_COUNT || kind == FG_DELTA || kind == FG_DATE ? 0
	                                                                 : 1;
}

static double fg_value(const fg_world *w, size_t row, size_t col)
{
	return (double)w->v[row][col] / pow(10, fg_places(w->set->cols[col].kind));
}

static void fg_draw(fg_world *w)
{
	w->nrow = w->ncol = 0;
	while (w->nrow < FG_MAX_ROWS && w->set->rows[w->nrow])
		w->nrow++;
	while (w->ncol < FG_MAX_COLS && w->set->cols[w->ncol].name)
		w->ncol++;
	for (size_t r = 0; r < w->nrow; r++) {
		for (size_t c = 0; c < w->ncol; c++) {
			const fg_col *col = &w->set->cols[c];

			w->v[r][c] = col->low + (long)fg_below((size_t)(col->high - col->low));
		}
	}
}

/* The month, from 1, and the day of a day since 2026-01-01. */
static int fg_month(long day, int *ret_day)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int m = 0;

	while (m < 11 && day >= days[m])
		day -= days[m++];
	*ret_day = (int)day + 1;
	return m + 1;
}

static void fg_rows_json(const fg_world *w, char *to, size_t size)
{
	size_t n = 0;

	n += (size_t)snprintf(to + n, size - n, "[");
	for (size_t r = 0; r < w->nrow; r++) {
		const char *name = w->set->rows[r];

		n += (size_t)snprintf(to + n, size - n, "%s[\"%.*s\"", r ? "," : "",
		                      (int)strcspn(name, "|"), name);
		if (w->set->key2)
			n += (size_t)snprintf(to + n, size - n, ",%s", strchr(name, '|') + 1);
		for (size_t c = 0; c < w->ncol; c++) {
			const fg_kind kind = w->set->cols[c].kind;
			int day;

			if (kind == FG_DATE) {
				const int m = fg_month(w->v[r][c], &day);

				n += (size_t)snprintf(to + n, size - n, ",\"2026-%02d-%02d\"", m,
				                      day);
				continue;
			}
			n += (size_t)snprintf(to + n, size - n,
			                      kind == FG_MONEY || kind == FG_BALANCE ? ",\"%.*f\""
			                                                             : ",%.*f",
			                      fg_places(kind), fg_value(w, r, c));
		}
		n += (size_t)snprintf(to + n, size - n, "]");
	}
	snprintf(to + n, size - n, "]");
}

/* The cell of a row as a computation names it. */
static void fg_ref(const fg_world *w, size_t row, size_t col, char *to, size_t size)
{
	const char *name = w->set->rows[row];

	if (w->set->key2)
		snprintf(to, size, "r1[%.*s & %s].%s", (int)strcspn(name, "|"), name,
		         strchr(name, '|') + 1, w->set->cols[col].name);
	else
		snprintf(to, size, "r1[%s].%s", name, w->set->cols[col].name);
}

/* --- numbers as people write them --- */

static void fg_group(char *to, const char *plain, fg_lang lang, bool use)
{
	static const char *const french[] = { "\xe2\x80\xaf", "\xc2\xa0", " " };
	const char *const groups[] = { ",", ".", french[(size_t)(plain[0] + lang) % 3], "." };
	const char *point = strchr(plain, '.');
	const size_t digits = point ? (size_t)(point - plain) : strlen(plain);
	size_t n = 0;

	for (size_t i = 0; i < digits; i++) {
		to[n++] = plain[i];
		if (use && plain[i] != '-' && (digits - i - 1) % 3 == 0 && i + 1 < digits) {
			memcpy(to + n, groups[lang], strlen(groups[lang]));
			n += strlen(groups[lang]);
		}
	}
	if (point) {
		to[n++] = lang == FG_EN ? '.' : ',';
		memcpy(to + n, point + 1, strlen(point + 1));
		n += strlen(point + 1);
	}
	to[n] = '\0';
}

static const char *const fg_words[4][13] = {
	{ 0, 0, "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
	  "twelve" },
	{ 0, 0, "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
	  "zwölf" },
	{ 0, 0, "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
	  "douze" },
	{ 0, 0, "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
	  "doce" },
};

/* How a number is shown: its rounding and what is around it. */
typedef struct fg_shape {
	int places;
	int exp; /* 3: k, 6: M */
	bool money, percent, hours, days, word, grouped;
	const char *unit;
} fg_shape;

static fg_shape fg_shape_of(fg_kind kind, double v)
{
	fg_shape s = { .grouped = fg_below(5) > 0 };

	switch (kind) {
	case FG_COUNT:
		s.word = v >= 2 && v <= 12 && v == floor(v) && fg_below(2);
		if (v >= 10000 && fg_below(4) == 0) {
			s.exp = 3;
			s.places = 1;
		}
		break;
	case FG_MONEY:
		s.money = fg_below(6) > 0;
		s.places = fg_below(3) == 0 ? 0 : 2;
		if (v >= 1e6 && fg_below(2)) {
			s.exp = 6;
			s.places = 1 + (int)fg_below(2);
		} else if (v >= 10000 && fg_below(4) == 0) {
			s.exp = 3;
			s.places = (int)fg_below(2);
		}
		break;
	case FG_FRACTION:
	case FG_PERCENT:
		s.percent = true;
		s.places = (int)fg_below(2);
		break;
	case FG_HOURS:
		s.hours = true;
		s.places = 1;
		break;
	case FG_RATING:
	case FG_UNIT: s.places = 1; break;
	case FG_BALANCE:
		s.money = true;
		s.places = fg_below(2) ? 2 : 0;
		break;
	case FG_DELTA:
	case FG_DATE: break;
	}
	return s;
}

static double fg_shown(double v, const fg_shape *s)
{
	return round(v / pow(10, s->exp) * pow(10, s->places) + (v < 0 ? -1e-9 : 1e-9));
}

/* The number in units of its last digit, as text. */
static void fg_format(char *to, size_t size, double units, const fg_shape *s, fg_lang lang)
{
	static const char *const k[] = { "k", " Tsd.", " k", " mil" };
	static const char *const m[] = { "M", " Mio.", " M", " millones" };
	static const char *const hours[] = { " hours", " Stunden", " heures", " horas" };
	static const char *const days[] = { " days", " Tage", " jours", " días" };
	char plain[64], grouped[96];
	const char *scale = s->exp == 3 ? k[lang] : s->exp == 6 ? m[lang] : "";

	if (lang == FG_FR && s->exp == 6)
		scale = " millions";
	if (lang == FG_FR && s->exp == 3)
		scale = "k";
	if (s->word && units >= 2 && units <= 12) {
		snprintf(to, size, "%s", fg_words[lang][(int)units]);
		return;
	}
	snprintf(plain, sizeof(plain), "%.*f", s->places, units / pow(10, s->places));
	fg_group(grouped, plain, lang, s->grouped);
	if (s->money && lang == FG_EN)
		snprintf(to, size, "%s$%s%s", grouped[0] == '-' ? "-" : "",
		         grouped + (grouped[0] == '-'), scale);
	else if (s->money)
		snprintf(to, size, "%s%s \xe2\x82\xac", grouped, scale);
	else
		snprintf(to, size, "%s%s%s%s%s%s%s", grouped, scale,
		         s->percent ? (lang == FG_EN ? "%" : " %") : "",
		         s->hours ? hours[lang] : "", s->days ? days[lang] : "", s->unit ? " " : "",
		         s->unit ? s->unit : "");
}

/* --- spoiling --- */

/* 12 kWh are no 12 MWh. */
static bool fg_other_unit(fg_shape *s)
{
	static const char *const others[][2] = {
		{ "kWh", "MWh" }, { "MWh", "kWh" },    { "km", "m" },  { "kg", "t" },
		{ "t", "kg" },    { "min", "h" },      { "l", "kg" },  { "ha", "km\xc2\xb2" },
		{ "GB", "MB" },   { "MB", "GB" },      { "mm", "cm" }, { "kW", "MW" },
		{ "ms", "s" },    { "m\xc2\xb3", "l" }
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(s->unit, others[i][0]) == 0) {
			s->unit = others[i][1];
			return true;
		}
	}
	return false;
}

/* Another value for the figure; false: no value differs visibly from the right one. */
static bool fg_spoil(const fg_world *w, size_t row, size_t col, fg_shape *s, double right,
                     double *units)
{
	const fg_kind kind = w->set->cols[col].kind;
	const double as_percent = kind == FG_FRACTION ? 100 : 1;
	double v;

	switch (w->wrong) {
	case FG_WRONG_ROW:
		for (size_t tries = 0; tries < 20; tries++) {
			const size_t other = fg_below(w->nrow);

			*units = fg_shown(fg_value(w, other, col) * as_percent, s);
			/* A half goes either way. */
			v = fg_value(w, row, col) * as_percent / pow(10, s->exp) *
			    pow(10, s->places);
			if (other != row && *units != right && fabs(*units - v) > 0.5 + 1e-6)
				return true;
		}
		return false;
	case FG_WRONG_COLUMN:
		for (size_t tries = 0; tries < 20; tries++) {
			const size_t other = fg_below(w->ncol);
			const bool percent = w->set->cols[other].kind == FG_FRACTION ||
			                     w->set->cols[other].kind == FG_PERCENT;

			if (other == col || percent != s->percent || s->unit ||
			    w->set->cols[other].kind == FG_UNIT ||
			    w->set->cols[other].kind == FG_DATE)
				continue;
			s->word = false;
			s->exp = 0;
			s->places = s->places > fg_places(w->set->cols[other].kind)
			                    ? fg_places(w->set->cols[other].kind)
			                    : s->places;
			*units = fg_shown(fg_value(w, row, other) *
			                          (w->set->cols[other].kind == FG_FRACTION ? 100
			                                                                   : 1),
			                  s);
			/* Not the right one in disguise. */
			if (fabs(*units - fg_shown(fg_value(w, row, col) * as_percent, s)) > 0.5)
				return true;
		}
		return false;
	case FG_WRONG_UNIT:
		*units = right;
		if (right == 0)
			return false;
		if (kind == FG_UNIT)
			return fg_other_unit(s);
		if (kind == FG_COUNT && !s->exp && fg_below(2)) {
			s->word = false;
			s->percent = true;
		} else if (kind == FG_COUNT && !s->exp && fg_below(2)) {
			s->word = false;
			s->money = true;
		} else if (s->hours) {
			s->hours = false;
			s->days = true;
		} else if (kind == FG_MONEY || kind == FG_COUNT) {
			s->word = false;
			s->exp = s->exp == 3 ? 6 : 3;
		} else {
			*units = right / 100;
			s->places += 2;
		}
		return true;
	case FG_WRONG_ROUNDING:
		if (s->word && right > 11)
			return false;
		/* A half goes either way. */
		v = fg_value(w, row, col) * as_percent / pow(10, s->exp) * pow(10, s->places);
		if (fabs(v - floor(v) - 0.5) < 1e-6)
			return false;
		*units = right + (fg_below(2) && right > 3 ? -1 : 1);
		return true;
	case FG_WRONG_SIGN:
		if (right >= 0)
			return false;
		*units = -right;
		return true;
	default: return false;
	}
}

/* --- filling a template --- */

static void fg_add(fg_answer *a, const char *text)
{
	const size_t n = strlen(text);

	if (a->len + n < sizeof(a->text)) {
		memcpy(a->text + a->len, text, n + 1);
		a->len += n;
	}
}

static const char *const fg_months[4][12] = {
	{ "January", "February", "March", "April", "May", "June", "July", "August", "September",
	  "October", "November", "December" },
	{ "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
	  "Oktober", "November", "Dezember" },
	{ "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
	  "octobre", "novembre", "décembre" },
	{ "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
	  "octubre", "noviembre", "diciembre" },
};

/* The date of a cell in words or digits; a wrong one is of another row. */
static void fg_date(fg_world *w, fg_answer *a, size_t row, size_t col)
{
	long v = w->v[row][col];
	int day, m;
	char text[64];

	if (w->wrong == FG_WRONG_ROW && w->nfigure == w->spoil && !a->made) {
		for (size_t tries = 0; tries < 20 && !a->made; tries++) {
			v = w->v[fg_below(w->nrow)][col];
			a->made = v != w->v[row][col];
		}
		a->wrong_at = a->len;
	}
	w->nfigure++;
	m = fg_month(v, &day);
	if (fg_below(4) == 0)
		snprintf(text, sizeof(text), "2026-%02d-%02d", m, day);
	else if (w->lang == FG_EN && fg_below(2))
		snprintf(text, sizeof(text), "%s %d%s", fg_months[FG_EN][m - 1], day,
		         fg_below(2) ? ", 2026" : "");
	else if (w->lang == FG_DE && fg_below(2))
		snprintf(text, sizeof(text), "%02d.%02d.2026", day, m);
	else
		snprintf(text, sizeof(text),
		         w->lang == FG_ES   ? "%d de %s de 2026"
		         : w->lang == FG_DE ? "%d. %s 2026"
		                            : "%d %s 2026",
		         day, fg_months[w->lang][m - 1]);
	fg_add(a, text);
}

static void fg_figure(fg_world *w, fg_answer *a, size_t row, size_t col)
{
	const fg_kind kind = w->set->cols[col].kind;
	const double v = fg_value(w, row, col) * (kind == FG_FRACTION ? 100 : 1);
	fg_shape s = fg_shape_of(kind, v);
	double units = fg_shown(v, &s);
	char text[128];

	s.unit = w->set->cols[col].unit;
	if (kind == FG_DATE) {
		fg_date(w, a, row, col);
		return;
	}
	if (w->wrong != FG_RIGHT && w->nfigure == w->spoil && !a->made) {
		double other = units;

		if (fg_spoil(w, row, col, &s, units, &other)) {
			units = other;
			a->made = true;
			a->wrong_at = a->len;
		}
	}
	w->nfigure++;
	fg_format(text, sizeof(text), units, &s, w->lang);
	fg_add(a, text);
}

static const char *fg_label(const fg_world *w, size_t col, char *to, size_t size)
{
	const char *all = w->set->cols[col].label[w->lang];
	size_t n = 1, pick;
	const char *from = all;

	for (const char *p = all; *p; p++)
		n += *p == '|';
	pick = fg_below(n);
	while (pick--)
		from = strchr(from, '|') + 1;
	snprintf(to, size, "%.*s", (int)strcspn(from, "|"), from);
	return to;
}

static void fg_phrase(fg_world *w, fg_answer *a, size_t row, size_t col)
{
	static const char *const of[] = { " of ", " von ", " de ", " de " };
	static const char *const in[] = { " in ", " ", " de ", " en " };
	char label[64];

	fg_label(w, col, label, sizeof(label));
	if (w->set->cols[col].kind == FG_COUNT) {
		fg_figure(w, a, row, col);
		fg_add(a, " ");
		fg_add(a, label);
	} else if (w->set->cols[col].kind == FG_DATE) {
		static const char *const on[] = { " on ", " am ", " le ", " el " };

		fg_add(a, label);
		fg_add(a, on[w->lang]);
		fg_figure(w, a, row, col);
	} else if (w->set->cols[col].kind == FG_MONEY && fg_below(2)) {
		fg_figure(w, a, row, col);
		fg_add(a, in[w->lang]);
		fg_add(a, label);
	} else {
		if (w->lang == FG_EN && w->set->cols[col].kind != FG_MONEY)
			fg_add(a, strchr("aeiou", label[0]) ? "an " : "a ");
		fg_add(a, label);
		fg_add(a, of[w->lang]);
		fg_figure(w, a, row, col);
	}
}

/* A share or a total, with its computation unless it is an invented one. */
static void fg_computed(fg_world *w, fg_answer *a, char what, size_t row, size_t col)
{
	const char *name = w->set->cols[col].name;
	const bool is_mine = w->wrong == (what == 's' ? FG_WRONG_SHARE : FG_WRONG_TOTAL) &&
	                     !a->made;
	const size_t n = strlen(a->computations);
	double sum = 0, v, right;
	fg_shape s = { .percent = what == 's',
		       .places = what == 's' ? 1 : fg_places(w->set->cols[col].kind),
		       .money = w->set->cols[col].kind == FG_MONEY,
		       .grouped = true,
		       .unit = what == 's' ? NULL : w->set->cols[col].unit };
	char text[128], ref[96];

	fg_ref(w, row, col, ref, sizeof(ref));
	for (size_t r = 0; r < w->nrow; r++)
		sum += fg_value(w, r, col);
	v = what == 's' ? fg_value(w, row, col) / sum * 100 : sum;
	if (what == 's')
		s.money = false;
	right = fg_shown(v, &s);
	if (is_mine && what == 's') {
		size_t other = fg_below(w->nrow);

		v = fg_value(w, other, col) / sum * 100;
		if (fg_shown(v, &s) == right)
			v = fg_value(w, row, col) / sum * 100 + 7.3;
	} else if (is_mine) {
		v = sum +
		    (double)(1 + fg_below(40)) * (w->set->cols[col].kind == FG_MONEY ? 13.37 : 1);
	}
	if (is_mine) {
		a->made = true;
		a->wrong_at = a->len;
	}
	if (what == 's')
		snprintf(a->computations + n, sizeof(a->computations) - n,
		         "%s{\"op\":\"share\",\"of\":[\"%s\"],\"in\":[\"r1[*].%s\"]}", n ? "," : "",
		         ref, name);
	/* An invented total: half of them come without any computation. */
	else if (!is_mine || fg_below(2))
		snprintf(a->computations + n, sizeof(a->computations) - n,
		         "%s{\"op\":\"sum\",\"of\":[\"r1[*].%s\"]}", n ? "," : "", name);
	w->nfigure++;
	fg_format(text, sizeof(text), fg_shown(v, &s), &s, w->lang);
	fg_add(a, text);
}

/* "2026-03-01" as a month of the language. */
static void fg_row_name(const fg_world *w, fg_answer *a, size_t row)
{
	const char *name = w->set->rows[row];

	if (w->set->key2) {
		static const char *const in[] = { " in ", " im Jahr ", " en ", " en " };
		const bool parens = fg_below(3) == 0;
		char one[64];

		snprintf(one, sizeof(one), "%.*s%s%s%s", (int)strcspn(name, "|"), name,
		         parens ? " (" : in[w->lang], strchr(name, '|') + 1, parens ? ")" : "");
		fg_add(a, one);
		return;
	}
	if (!w->set->is_month) {
		fg_add(a, name);
		return;
	}
	fg_add(a, fg_months[w->lang][(name[5] - '0') * 10 + name[6] - '1']);
	if (fg_below(3) == 0 && w->lang != FG_ES) {
		fg_add(a, " ");
		a->text[a->len] = '\0';
		snprintf(a->text + a->len, sizeof(a->text) - a->len, "%.4s", name);
		a->len += 4;
	}
}

static bool fg_column_fits(const fg_world *w, size_t col, char need)
{
	const fg_kind kind = w->set->cols[col].kind;

	return (need == '*' && kind != FG_DATE) || (need == 'c' && kind == FG_COUNT) ||
	       (need == 'm' && kind == FG_MONEY) || (need == 'u' && kind == FG_UNIT) ||
	       (need == 'b' && (kind == FG_BALANCE || kind == FG_DELTA)) ||
	       (need == 'd' && kind == FG_DATE) ||
	       (need == 'x' && (kind == FG_COUNT || kind == FG_MONEY)) ||
	       (need == 'p' && (kind == FG_FRACTION || kind == FG_PERCENT));
}

static bool fg_pick(fg_world *w, const char *needs)
{
	for (size_t i = 0; i < w->nrow; i++)
		w->row[i] = i;
	for (size_t i = w->nrow; i > 1; i--) {
		const size_t j = fg_below(i), t = w->row[j];

		w->row[j] = w->row[i - 1];
		w->row[i - 1] = t;
	}
	for (size_t n = 0; needs[n]; n++) {
		bool found = false;

		for (size_t tries = 0; tries < 20 && !found; tries++) {
			w->col[n] = fg_below(w->ncol);
			found = fg_column_fits(w, w->col[n], needs[n]);
			for (size_t j = 0; j < n; j++)
				found = found && w->col[j] != w->col[n];
		}
		if (!found)
			return false;
	}
	return true;
}

/* Puts the row with the highest or the lowest value of column 0 first; false: two rows share it. */
static bool fg_put_first(fg_world *w, char order)
{
	const size_t col = w->col[0];
	size_t best = 0;

	for (size_t i = 1; i < w->nrow; i++) {
		const long v = w->v[w->row[i]][col], b = w->v[w->row[best]][col];

		if (v == b)
			return false;
		if (order == '>' ? v > b : v < b)
			best = i;
	}
	if (best) {
		const size_t t = w->row[0];

		w->row[0] = w->row[best];
		w->row[best] = t;
	}
	return true;
}

#include "figures_places.h"

static bool fg_make(const fg_set *set, const fg_template *t, fg_wrong wrong, size_t spoil,
                    fg_answer *a)
{
	fg_world w = { .set = set, .lang = t->lang, .wrong = wrong, .spoil = spoil };
	char one[2] = { 0 };
	char label[64];

	*a = (fg_answer){ .set = set, .template = t };
	fg_draw(&w);
	if (!fg_pick(&w, t->needs) || (t->order && !fg_put_first(&w, t->order)))
		return false;
	fg_draw_ratio(&w, t->text);
	fg_rows_json(&w, a->rows, sizeof(a->rows));
	for (const char *p = t->text; *p; p++) {
		if (*p != '{') {
			one[0] = *p;
			fg_add(a, one);
			continue;
		}
		switch (p[1]) {
		case 'e': fg_row_name(&w, a, w.row[p[2] - '0']); break;
		case 'n': fg_phrase(&w, a, w.row[p[2] - '0'], w.col[p[3] - '0']); break;
		case 'f': fg_figure(&w, a, w.row[p[2] - '0'], w.col[p[3] - '0']); break;
		case 'l': fg_add(a, fg_label(&w, w.col[p[2] - '0'], label, sizeof(label))); break;
		case 's': fg_computed(&w, a, 's', w.row[p[2] - '0'], w.col[0]); break;
		case 't': fg_computed(&w, a, 't', 0, w.col[p[2] - '0']); break;
		default: fg_place(&w, a, p + 1); break;
		}
		p = strchr(p, '}');
	}
	return wrong == FG_RIGHT || a->made;
}

/* --- checking an answer --- */

static ag_figures fg_check(const fg_answer *a, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_val rows, computations;
	char list[2100];
	ag_str columns[FG_MAX_COLS + 2];
	size_t n = 0;
	ag_figures_result result;
	ag_figures ret = { 0 };
	ag_err err = { 0 };

	columns[n++] = ag_str_c(a->set->key);
	if (a->set->key2)
		columns[n++] = ag_str_c(a->set->key2);
	for (size_t i = 0; i < FG_MAX_COLS && a->set->cols[i].name; i++)
		columns[n++] = ag_str_c(a->set->cols[i].name);
	snprintf(list, sizeof(list), "[%s]", a->computations);
	if (ag_extjson_parse(ag_str_c(a->rows), &opts, arena, &rows, NULL, NULL, &err) ||
	    ag_extjson_parse(ag_str_dup(arena, ag_str_c(list)), &opts, arena, &computations, NULL,
	                     NULL, &err)) {
		fprintf(stderr, "bad JSON: %s\n", err.msg);
		return ret;
	}
	result = (ag_figures_result){ .name = AG_S("r1"),
		                      .sql = AG_S(""),
		                      .columns = columns,
		                      .ncolumn = n,
		                      .rows = rows.u.items,
		                      .nrow = rows.n,
		                      .row_count = rows.n };
	const ag_figures_input in = { .question = AG_S("How did we do?"),
		                      .prose = ag_str_make(a->text, a->len),
		                      .results = &result,
		                      .nresult = 1,
		                      .computations = &computations };

	if (ag_figures_check(&in, arena, &ret, &err))
		fprintf(stderr, "%s\n", err.msg);
	return ret;
}

static bool fg_is_caught(const fg_answer *a, const ag_figures *f)
{
	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		if (g->at <= a->wrong_at && a->wrong_at < g->at + g->len &&
		    g->verdict == AG_FIGURE_UNPROVEN)
			return true;
	}
	return false;
}

#endif
