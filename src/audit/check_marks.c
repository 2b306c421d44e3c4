/* check_marks -- row 23: signs where no word has them, and one measure in several spellings.
 *
 * "St.. Louis" and "Smith;" are slips of a keyboard or of an export. A mark that many values share may have a meaning (a
 * footnote, a grade), so from 5% on it counts fully only where the same value also occurs without it. */
#include <stdlib.h>

#include "audit/checks.h"

#define MAX_VARIANTS 60
#define MAX_UNIT     16

/* Up to this share a mark is a slip; above, it may be a convention. */
#define SLIP_SHARE 0.05

static ag_str without_marks(ag_str s)
{
	while (s.len && strchr("*;,:~|= ", s.ptr[0]) && s.ptr[0])
		s = ag_str_make(s.ptr + 1, s.len - 1);
	while (s.len && strchr("*;,:~|\\=@&_^ ", s.ptr[s.len - 1]) && s.ptr[s.len - 1])
		s.len--;
	return s;
}

/* Occurrences of values with a mark at an end whose bare form is a value as well. */
static uint64_t marked_twins(const ag_path_profile *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		const ag_str s = ag_value_text(&f->values[i]), bare = without_marks(s);

		if (!bare.len ||
		    !(ag_text_classify(s) & (1u << AG_TEXT_EDGE_MARK | 1u << AG_TEXT_STAR)))
			continue;
		for (size_t k = 0; k < f->nvalue; k++) {
			if (ag_str_eq(ag_value_text(&f->values[k]), bare)) {
				n += f->values[i].n;
				break;
			}
		}
	}
	return n;
}

/* Values in which signs mean something: code, paths, patterns, tokens. */
static bool holds_signs(const ag_path_profile *f, const ag_field_name *name)
{
	const bool is_name = name->traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON);

	return ag_path_is_prose(f, name) || (name->traits & AG_TRAIT_CASE && !is_name) ||
	       f->str.words >= 4;
}

void ag_check_marks(AG_CHECK_ARGS)
{
	static const ag_text_class classes[] = { AG_TEXT_EDGE_MARK, AG_TEXT_STAR,
		                                 AG_TEXT_DOUBLED_MARK };
	ag_arena *a = out->arena;
	const uint64_t nedge = f->str.by_class[AG_TEXT_EDGE_MARK],
		       nstar = f->str.by_class[AG_TEXT_STAR],
		       ndoubled = f->str.by_class[AG_TEXT_DOUBLED_MARK];
	const double share = ag_share(nedge + nstar + ndoubled, f->str.n);
	ag_buf pattern = AG_BUF_INIT(400);
	ag_hypothesis *h;
	bool sure;

	(void)o;
	if ((!nedge && !nstar && !ndoubled) || f->str.n < 10 || holds_signs(f, &out->name) ||
	    out->name.traits & AG_TRAIT_EMAIL || !ag_path_is_plain(a, f))
		return;
	/* A star is a footnote where nothing else says that it is wrong. In a collection of ten, one value is more than the
	 * share of slips. */
	sure = (nedge + ndoubled > 0 && (share <= SLIP_SHARE || nedge + ndoubled <= 1)) ||
	       (ndoubled == 0 && marked_twins(f) * 2 > nedge + nstar);
	/* A few values, each often: "A*" is a grade. */
	if (f->ndistinct <= 10 && f->ndistinct * 10 < f->nscalar && share > SLIP_SHARE &&
	    !ndoubled && f->str.length.p50 < 3)
		return;
	for (size_t i = 0; i < AG_NELEM(classes); i++)
		if (f->str.by_class[classes[i]])
			ag_buf_addf(&pattern, "%s%s", pattern.len ? "|" : "",
			            ag_text_class_regex(classes[i]));
	h = ag_suspect(out, f, "invalid_format", sure ? AG_MEDIUM : AG_LOW, 0.8,
	               ag_ev_where(a, f,
	                           ag_ev_regex(a, ag_str_cstr(a, ag_buf_view(&pattern)), "")));
	ag_buf_release(&pattern);
	(void)p;
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = 0.5;
	ag_suspect_say(h,
	               ndoubled ? "punctuation is doubled, or stands at the end of a value"
	                        : "a stray sign begins or ends the value",
	               "a slip of the keyboard, a footnote, or a separator that an export left",
	               "remove these signs, and check the form at the writer");
}

/* ---- one measure, several spellings ---- */

/* "12.0 oz." as 12 and "oz."; false when it is no number with something after it. */
static bool split_measure(ag_str s, double *ret_number, ag_str *ret_unit, ag_str *ret_gap)
{
	char text[32];
	size_t n = 0, from, ndigit = 0;
	bool point = false;

	s = ag_str_trim(s);
	while (n < s.len && n + 1 < sizeof(text) &&
	       ((s.ptr[n] >= '0' && s.ptr[n] <= '9') || (s.ptr[n] == '.' && !point && n))) {
		point |= s.ptr[n] == '.';
		text[n] = s.ptr[n];
		n++;
	}
	from = n;
	while (from < s.len && s.ptr[from] == ' ')
		from++;
	text[n] = '\0';
	if (!n || from == s.len || s.len - from > 40)
		return false;
	if (!ag_str_to_double(ag_str_make(text, n), ret_number))
		return false;
	*ret_gap = ag_str_make(s.ptr + n, from - n);
	*ret_unit = ag_str_make(s.ptr + from, s.len - from);
	/* "m2" is a unit. The rest of a serial number is not. */
	for (size_t i = 0; i < ret_unit->len; i++)
		ndigit += ret_unit->ptr[i] >= '0' && ret_unit->ptr[i] <= '9';
	return ndigit < 4 && ((unsigned char)ret_unit->ptr[0] > '9' || ret_unit->ptr[0] == '%');
}

/* The leading letters of a unit, or its one sign. */
static ag_str unit_word(ag_str unit)
{
	size_t n = 0;

	while (n < unit.len && ((unit.ptr[n] | 0x20) >= 'a') && ((unit.ptr[n] | 0x20) <= 'z'))
		n++;
	return ag_str_make(unit.ptr, n ? n : 1);
}

typedef struct measure {
	ag_str unit, gap;
	double number;
	uint64_t n;
	ag_val v;
} measure;

/* All values as measures; 0 unless nearly all are. */
static size_t measures_of(ag_arena *a, const ag_path_profile *f, measure **ret)
{
	measure *m = ag_new_n(a, measure, f->nvalue);
	uint64_t known = 0, silent = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		const ag_str s = ag_value_text(&f->values[i]);
		measure *one = &m[n];

		if (!ag_str_trim(s).len || ag_text_classify(s) & 1u << AG_TEXT_NULL_WORD) {
			silent += f->values[i].n;
			continue;
		}
		if (!split_measure(s, &one->number, &one->unit, &one->gap))
			continue;
		one->n = f->values[i].n;
		one->v = f->values[i].v;
		known += one->n;
		n++;
	}
	*ret = m;
	return known >= 10 && (double)known >= 0.95 * (double)(f->nscalar - silent) ? n : 0;
}

/* The spelling of the unit, blank and all, that most have. */
static const measure *usual_unit(const measure *m, size_t n, uint64_t *ret_n)
{
	const measure *most = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t same = 0;

		for (size_t k = 0; k < n; k++)
			same += ag_str_eq(m[k].unit, m[i].unit) && ag_str_eq(m[k].gap, m[i].gap)
			                ? m[k].n
			                : 0;
		if (same > *ret_n) {
			*ret_n = same;
			most = &m[i];
		}
	}
	return most;
}

/* Is it written in another way than the usual one? "OZ." and "oz", "12oz" and "12 oz"; also "12.0 oz" where "12 oz" is
 * more frequent. "mm" and "m" are two units, and so are "1 year" and "2 years". */
static bool is_variant(const measure *m, size_t n, size_t i, const measure *usual)
{
	const measure *one = &m[i];
	const bool same = ag_str_eq(one->unit, usual->unit) && ag_str_eq(one->gap, usual->gap);

	if (!same)
		return unit_word(usual->unit).len >= 2 &&
		       ag_str_ieq(unit_word(one->unit), unit_word(usual->unit));
	for (size_t k = 0; k < n; k++)
		if (k != i && m[k].number == one->number && m[k].n > one->n &&
		    ag_str_eq(m[k].unit, usual->unit) && ag_str_eq(m[k].gap, usual->gap))
			return true;
	return false;
}

void ag_check_measures(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_val found[MAX_VARIANTS];
	const measure *usual;
	uint64_t nusual, nfound = 0;
	size_t n, k = 0;
	ag_hypothesis *h;
	measure *m;

	(void)p;
	(void)o;
	if (!f->values_complete || f->str.n < 10 || f->str.n != f->nscalar ||
	    !ag_path_is_plain(a, f) || ag_name_is_identifier(&out->name) ||
	    ag_path_is_prose(f, &out->name) || f->str.by_date[AG_DATE_NONE] * 2 < f->str.n)
		return;
	n = measures_of(a, f, &m);
	usual = usual_unit(m, n, &nusual);
	/* Measures of many units are no column of one. */
	if (!n || !usual || nusual * 2 <= f->str.n || usual->unit.len > MAX_UNIT)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!is_variant(m, n, i, usual))
			continue;
		if (k == MAX_VARIANTS)
			return;
		found[k++] = m[i].v;
		nfound += m[i].n;
	}
	if (!k)
		return;
	h = ag_suspect(out, f, "pattern_violation", AG_MEDIUM, 0.8,
	               ag_ev_where(a, f, OBJ(a, KV("$in", ag_ev_arr(a, found, k)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "one measure is written in several ways",
	               "hand-made input where a number and a fixed unit were meant",
	               "store the number alone, in one unit that the field's name says");
	h->detail = ag_str_printf(a, "usual %llu, like %.*s; other %llu, like %.*s",
	                          (unsigned long long)nusual, AG_FMT(ag_quote_value(a, &usual->v)),
	                          (unsigned long long)nfound, AG_FMT(ag_quote_value(a, &found[0])));
}
