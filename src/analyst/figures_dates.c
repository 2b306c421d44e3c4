/* figures_dates -- dates of cells, statements, questions and prose, compared by their parts: "May" names 2026-05-01.
 *
 * A table may have a date in one column, or year, quarter and month in columns of their own. */
#include "analyst/figures_parts.h"

#include "query/decmath.h"

#define MAX_DATES 4096u /* of statements and the question; later ones are not read */

/* A date of a row, from one column or from columns year, quarter, month. */
typedef struct fig_when {
	ag_fig_place place;
	int y, q, m, d;
} fig_when;

typedef struct fig_asked {
	int y, m, d, result; /* result -1: the question */
} fig_asked;

struct ag_fig_dates {
	const ag_fig_words *w;
	ag_arena *arena;
	fig_when *whens;
	size_t nwhen, when_cap;
	fig_asked *asked;
	size_t nasked, asked_cap;
};

ag_fig_dates *ag_fig_dates_new(const ag_fig_words *w, ag_arena *arena)
{
	ag_fig_dates *f = ag_new(arena, ag_fig_dates);

	f->w = w;
	f->arena = arena;
	return f;
}

static bool fig_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- dates of rows and statements --- */

static void fig_when_add(ag_fig_dates *f, fig_when w)
{
	if (f->nwhen == f->when_cap) {
		fig_when *to;

		f->when_cap = f->when_cap ? f->when_cap * 2 : 64;
		to = ag_new_n(f->arena, fig_when, f->when_cap);
		if (f->nwhen)
			memcpy(to, f->whens, f->nwhen * sizeof(*to));
		f->whens = to;
	}
	f->whens[f->nwhen++] = w;
}

static void fig_asked_add(ag_fig_dates *f, fig_asked a)
{
	if (f->nasked == f->asked_cap) {
		fig_asked *to;

		f->asked_cap = f->asked_cap ? f->asked_cap * 2 : 16;
		to = ag_new_n(f->arena, fig_asked, f->asked_cap);
		if (f->nasked)
			memcpy(to, f->asked, f->nasked * sizeof(*to));
		f->asked = to;
	}
	f->asked[f->nasked++] = a;
}

/* "2026-Q2", "Q2 2026", "Q2". */
static bool fig_quarter(ag_str s, fig_when *w)
{
	ag_str rest = s;

	for (size_t i = 0; i + 1 < s.len; i++) {
		const char c = s.ptr[i];

		if ((c == 'Q' || c == 'T') && s.ptr[i + 1] >= '1' && s.ptr[i + 1] <= '4' &&
		    s.len <= 8) {
			w->q = s.ptr[i + 1] - '0';
			rest = i ? s : ag_str_make(s.ptr + 2, s.len - 2);
			while (rest.len && (rest.ptr[0] < '0' || rest.ptr[0] > '9'))
				rest = ag_str_make(rest.ptr + 1, rest.len - 1);
			if (!ag_str_take_digits(&rest, 4, &w->y))
				w->y = 0;
			return true;
		}
	}
	return false;
}

void ag_fig_dates_row(ag_fig_dates *f, ag_fig_place place, const ag_val *cells,
                      const ag_fig_column *columns, size_t n, const ag_fig_vocab *vocab)
{
	fig_when parts = { .place = place };

	for (size_t i = 0; i < n && cells->type == AG_T_ARRAY; i++) {
		const ag_fig_column *c = &columns[i];
		const ag_val *v = c->column < cells->n ? &cells->u.items[c->column] : NULL;
		fig_when w = { .place = place };
		size_t len;

		if (v && v->type == AG_T_STRING && v->n >= 2 && v->n < 40) {
			if (ag_fig_date(ag_val_text(v), &w.y, &w.m, &w.d, &len) ||
			    fig_quarter(ag_val_text(v), &w))
				fig_when_add(f, w);
		} else if (v && c->is_key && c->is_number) {
			const double number = c->approx[place.row];

			if (c->is_year && number == number)
				parts.y = (int)number;

			for (size_t k = 0; k < c->nword && number >= 1 && number <= 9999; k++) {
				const int group = vocab[c->words[k]].group;

				if (group == 51)
					parts.y = (int)number;
				else if (group == 52 && number <= 12)
					parts.m = (int)number;
				else if (group == 53 && number <= 4)
					parts.q = (int)number;
			}
		}
	}
	if (parts.y || parts.m || parts.q)
		fig_when_add(f, parts);
}

/* Is the text at i the right side of "<"? A quote and a type may be between: < date '2026-04-01' */
static bool fig_is_below(ag_str text, size_t i)
{
	for (size_t n = 0; i && n < 16; n++) {
		const char c = text.ptr[--i];

		if (c == '<')
			return true;
		if (c != ' ' && c != '\'' && ((c | 32) < 'a' || (c | 32) > 'z'))
			return false;
	}
	return false;
}

void ag_fig_dates_ask(ag_fig_dates *f, ag_str text, int result)
{
	for (size_t i = 0; i + 4 <= text.len && f->nasked < MAX_DATES; i++) {
		const bool begins = i == 0 || (!fig_is_digit(text.ptr[i - 1]) &&
		                               text.ptr[i - 1] != '.' && text.ptr[i - 1] != '_');
		fig_asked a = { .result = result };
		ag_str rest = ag_str_make(text.ptr + i, text.len - i);
		size_t len;

		if (!begins || !fig_is_digit(text.ptr[i]))
			continue;
		if (!ag_fig_date(rest, &a.y, &a.m, &a.d, &len)) {
			if (!ag_str_take_digits(&rest, 4, &a.y) || a.y < 1900 || a.y > 2100 ||
			    (rest.len && fig_is_digit(rest.ptr[0])))
				continue;
			a.m = a.d = 0;
		}
		fig_asked_add(f, a);
		/* A bound that is left out: "< 2026-04-01" ends on the last day of March. */
		if (a.m && (a.d == 1 || !a.d) && f->nasked < MAX_DATES && fig_is_below(text, i)) {
			static const int days[] = {
				31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
			};
			const int m = a.m == 1 ? 12 : a.m - 1, y = a.m == 1 ? a.y - 1 : a.y;
			const bool leap = m == 2 && y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);

			fig_asked_add(f, (fig_asked){ y, m, days[m - 1] + leap, result });
		}
	}
}

static bool fig_part(int asked, int said)
{
	return !said || !asked || asked == said;
}

bool ag_fig_dates_are_asked(const ag_fig_dates *f, int y, int m, int d)
{
	for (size_t i = 0; i < f->nasked; i++) {
		const fig_asked *a = &f->asked[i];

		if ((y && a->y == y && fig_part(a->m, m) && fig_part(a->d, d)) ||
		    (!y && m && a->m == m && fig_part(a->d, d)))
			return true;
	}
	return false;
}

/* --- dates of the prose --- */

typedef struct fig_find {
	const ag_fig_dates *f;
	const ag_fig_doc *doc;
} fig_find;

static int fig_small(const ag_fig_number *n, int low, int high)
{
	int64_t v;

	if (!n->is_plain || n->is_taken || n->is_percent || n->currency >= 0 || n->exp ||
	    n->is_times || n->sign < 0 || !n->nread || !ag_decmath_to_i64(n->read[0].v, &v) ||
	    v < low || v > high)
		return 0;
	return (int)v;
}

static int fig_number_at(const fig_find *s, size_t i, int low, int high)
{
	const ag_fig_token *t = i < s->doc->ntoken ? &s->doc->tokens[i] : NULL;
	const ag_fig_number *n = t && t->number >= 0 ? &s->doc->numbers[t->number] : NULL;

	if (n && n->is_ordinal && high == 31 && n->nread) {
		int64_t v;

		return ag_decmath_to_i64(n->read[0].v, &v) && v >= 1 && v <= 31 ? (int)v : 0;
	}
	return n ? fig_small(n, low, high) : 0;
}

static bool fig_is_of(const fig_find *s, size_t i)
{
	const ag_fig_token *t = i < s->doc->ntoken ? &s->doc->tokens[i] : NULL;

	return t && t->kind == AG_FIG_WORD &&
	       (ag_str_eqc(t->fold, "de") || ag_str_eqc(t->fold, "del") ||
	        ag_str_eqc(t->fold, "of"));
}

/* A month at token i, with the day before or after it and the year after it. */
static bool fig_month_read(const fig_find *s, size_t i, ag_fig_said *said)
{
	const ag_fig_token *t = &s->doc->tokens[i];
	size_t next = i + 1;
	int day;

	said->m = t->kind == AG_FIG_WORD ? ag_fig_value(s->f->w, AG_FIG_W_MONTH, t->fold) : -1;
	/* Short ones, and words that are verbs, only with a capital letter. */
	if (said->m < 1 || (!t->is_upper && (t->len < 4 || ag_str_eqc(t->fold, "march")) &&
	                    !(ag_str_eqc(t->fold, "mai") && !(s->doc->lang & AG_FIG_DE))))
		return false;
	said->from = (uint32_t)i;
	if (i && !t->begins && t->at <= t[-1].at + t[-1].len + 2 &&
	    (day = fig_number_at(s, i - 1, 1, 31)) > 0) {
		said->d = day;
		said->from = (uint32_t)(i - 1);
	} else if (i > 1 && fig_is_of(s, i - 1) && (day = fig_number_at(s, i - 2, 1, 31)) > 0) {
		said->d = day;
		said->from = (uint32_t)(i - 2);
	} else if ((day = fig_number_at(s, next, 1, 31)) > 0 &&
	           (s->doc->lang & (AG_FIG_EN)) == s->doc->lang &&
	           s->doc->tokens[next].at <= t->at + t->len + 2) {
		said->d = day;
		next++;
		if (next < s->doc->ntoken && s->doc->tokens[next].punct == ',' &&
		    fig_number_at(s, next + 1, 1900, 2100))
			next++;
	}
	if (fig_is_of(s, next) && fig_number_at(s, next + 1, 1900, 2100))
		next++;
	if ((said->y = fig_number_at(s, next, 1900, 2100)) > 0)
		next++;
	said->to = (uint32_t)next;
	return true;
}

static bool fig_said_read(const fig_find *s, size_t i, ag_fig_said *said)
{
	const ag_fig_doc *d = s->doc;
	const ag_fig_token *t = &d->tokens[i];

	*said = (ag_fig_said){ .from = (uint32_t)i, .to = (uint32_t)i + 1 };
	if (t->number >= 0 && d->numbers[t->number].is_date) {
		said->y = d->numbers[t->number].y;
		said->m = d->numbers[t->number].m;
		said->d = d->numbers[t->number].d;
		return true;
	}
	if (t->kind == AG_FIG_IDENT && t->len == 2 && strchr("qt", t->fold.ptr[0]) &&
	    t->fold.ptr[1] >= '1' && t->fold.ptr[1] <= '4') {
		said->q = t->fold.ptr[1] - '0';
		if ((said->y = fig_number_at(s, i + 1, 1900, 2100)) > 0)
			said->to++;
		return true;
	}
	if (t->kind == AG_FIG_WORD)
		return fig_month_read(s, i, said);
	if (t->number >= 0 && (said->y = fig_number_at(s, i, 1900, 2100)) > 0) {
		const ag_fig_token *before = i ? t - 1 : NULL,
				   *after = i + 1 < d->ntoken ? t + 1 : NULL;

		if (before && ag_fig_value(s->f->w, AG_FIG_W_MONTH, before->fold) > 0)
			return false;
		/* "2024 orders" is a figure; "in 2024", "(2024)", "2024:" is a year. */
		return (before && (before->cues & AG_FIG_YEAR)) || !after ||
		       after->kind != AG_FIG_WORD || !after->nvocab;
	}
	return false;
}

/* The rows of a date. A row must have every part that is said, but for the year: a statement may have fixed it. */
static bool fig_when_is(const fig_when *w, const ag_fig_said *said)
{
	const int q = w->q ? w->q : w->m ? (w->m + 2) / 3 : 0;

	if (said->y && w->y && w->y != said->y)
		return false;
	if (said->y && !w->y && !said->m && !said->q)
		return false;
	if (said->m && w->m != said->m)
		return false;
	if (said->q && q != said->q)
		return false;
	if (said->d && w->d != said->d)
		return false;
	return true;
}

/* Whether two rows of a date are one. */
static bool fig_is_last(const ag_fig_place *places, size_t n, ag_fig_place p)
{
	return n && places[n - 1].result == p.result && places[n - 1].row == p.row;
}

bool ag_fig_dates_find(const ag_fig_dates *f, const ag_fig_doc *doc, size_t i, ag_fig_said *ret)
{
	const fig_find s = { f, doc };
	ag_fig_place *places;
	ag_fig_said said;
	size_t n = 0;

	if (!fig_said_read(&s, i, &said))
		return false;
	for (size_t k = 0; k < f->nwhen; k++)
		n += fig_when_is(&f->whens[k], &said);
	for (size_t k = 0; k < f->nasked; k++) {
		const fig_asked *a = &f->asked[k];

		if (a->result >= 0 && (!said.y || a->y == said.y) && (!said.m || a->m == said.m) &&
		    fig_part(a->d, said.d) && (said.y || said.m || said.d))
			said.in_sql |= UINT64_C(1) << (a->result & 63);
	}
	said.is_asked = ag_fig_dates_are_asked(f, said.y, said.m, said.d);
	if (!n && !said.in_sql && !said.is_asked)
		return false;
	places = n ? ag_new_n(f->arena, ag_fig_place, n) : NULL;
	for (size_t k = 0; n && k < f->nwhen; k++) {
		if (fig_when_is(&f->whens[k], &said) &&
		    !fig_is_last(places, said.nplace, f->whens[k].place))
			places[said.nplace++] = f->whens[k].place;
	}
	said.places = places;
	*ret = said;
	return true;
}
