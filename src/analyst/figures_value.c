/* figures_value -- numbers as they are written, and whether they show the exact number of a cell. No value passes through
 * double. */
#include "analyst/figures_parts.h"
#include "query/decmath.h"

/* --- digits of a text --- */

static bool fig_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char fig_byte(ag_str text, size_t i)
{
	return i < text.len ? text.ptr[i] : '\0';
}

static size_t fig_ndigit(ag_str text, size_t i)
{
	size_t n = 0;

	while (fig_is_digit(fig_byte(text, i + n)))
		n++;
	return n;
}

/* Bytes of a sign between groups of digits at i: blank, no-break blank, thin blank, apostrophe; 0 = none. */
static size_t fig_group_sign(ag_str text, size_t i, bool *is_blank)
{
	static const char *const signs[] = {
		"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", "'", "_"
	};

	*is_blank = fig_byte(text, i) == ' ';
	if (*is_blank)
		return 1;
	for (size_t k = 0; k < sizeof(signs) / sizeof(signs[0]); k++) {
		const ag_str sign = ag_str_c(signs[k]);

		if (i < text.len && ag_str_starts(ag_str_make(text.ptr + i, text.len - i), sign))
			return sign.len;
	}
	return 0;
}

/* 14.3.2026, 14.03.2026 */
static bool fig_german_date(ag_str s, int *y, int *m, int *d, size_t *ret_len)
{
	const size_t nday = fig_ndigit(s, 0), nmonth = fig_ndigit(s, nday + 1);
	const size_t year = nday + nmonth + 2;
	ag_str day = s, month = ag_str_make(s.ptr + nday + 1, nmonth), rest;

	if (nday < 1 || nday > 2 || nmonth < 1 || nmonth > 2 || fig_byte(s, nday) != '.' ||
	    fig_byte(s, year - 1) != '.' || fig_ndigit(s, year) != 4)
		return false;
	rest = ag_str_make(s.ptr + year, 4);
	*ret_len = year + 4;
	return ag_str_take_digits(&day, nday, d) && ag_str_take_digits(&month, nmonth, m) &&
	       ag_str_take_digits(&rest, 4, y) && *m >= 1 && *m <= 12 && *d >= 1 && *d <= 31;
}

bool ag_fig_date(ag_str s, int *y, int *m, int *d, size_t *ret_len)
{
	ag_str rest = s;

	if (fig_german_date(s, y, m, d, ret_len))
		return true;
	*d = 0;
	if (!ag_str_take_digits(&rest, 4, y) || !rest.len || (*rest.ptr != '-' && *rest.ptr != '/'))
		return false;
	rest = ag_str_make(rest.ptr + 1, rest.len - 1);
	if (!ag_str_take_digits(&rest, 2, m) || *m < 1 || *m > 12)
		return false;
	if (rest.len && (*rest.ptr == '-' || *rest.ptr == '/')) {
		ag_str day = ag_str_make(rest.ptr + 1, rest.len - 1);

		if (ag_str_take_digits(&day, 2, d) && *d >= 1 && *d <= 31)
			rest = day;
		else
			return false;
	}
	if (rest.len && fig_is_digit(*rest.ptr))
		return false;
	/* A time of day belongs to it. */
	if (*d && rest.len > 5 && (*rest.ptr == 'T' || *rest.ptr == ' ') &&
	    fig_is_digit(rest.ptr[1]) && fig_is_digit(rest.ptr[2]) && rest.ptr[3] == ':') {
		size_t i = 1;

		while (i < rest.len &&
		       (fig_is_digit(rest.ptr[i]) || rest.ptr[i] == ':' || rest.ptr[i] == '.' ||
		        rest.ptr[i] == 'Z' || rest.ptr[i] == '+'))
			i++;
		while (i > 1 && rest.ptr[i - 1] == '.')
			i--;
		rest = ag_str_make(rest.ptr + i, rest.len - i);
	}
	*ret_len = (size_t)(rest.ptr - s.ptr);
	return true;
}

/* The bytes of a run of digits with signs between them, and its readings. A reading is the text without separators. */
typedef struct fig_run {
	size_t len;
	size_t nsep;
	struct {
		size_t at;
		char c; /* '.', ',' or ' ' for the others */
	} sep[16];
	size_t ngroup_ok; /* separators that are followed by exactly three digits */
} fig_run;

/* ",4" after the digits: then a blank before them groups, whatever the language. */
static bool fig_is_french(ag_str text, size_t i)
{
	const size_t n = fig_ndigit(text, i + 1);

	return fig_byte(text, i) == ',' && (n == 1 || n == 2);
}

static void fig_run_read(ag_str text, size_t i, unsigned lang, fig_run *run)
{
	const size_t head = fig_ndigit(text, i);
	/* "web-01 284" is a name and a number. */
	const bool may_group = fig_byte(text, i) != '0' &&
	                       !(i > 1 && fig_byte(text, i - 1) == '-' &&
	                         fig_byte(text, i - 2) != ' ');

	*run = (fig_run){ .len = head };
	while (run->nsep < 16) {
		const size_t at = i + run->len;
		const char c = fig_byte(text, at);
		bool is_blank = false;
		const size_t sign = c == '.' || c == ',' ? 1 : fig_group_sign(text, at, &is_blank);
		const size_t n = sign ? fig_ndigit(text, at + sign) : 0;

		if (!n)
			break;
		if (c != '.' && c != ',') {
			/* A blank, an apostrophe: only between groups of three, and a plain blank not in English. */
			if (n != 3 || head > 3 || !may_group ||
			    (is_blank && lang == AG_FIG_EN &&
			     !fig_is_french(text, at + sign + n)) ||
			    (run->nsep && run->sep[run->nsep - 1].c != ' '))
				break;
		}
		run->sep[run->nsep].at = run->len;
		run->sep[run->nsep++].c = c == '.' || c == ',' ? c : ' ';
		run->ngroup_ok += n == 3;
		run->len += sign + n;
	}
}

/* The digits of the run, with the separator number `point` as the decimal point (nsep = none). */
static bool fig_reading_add(ag_str text, size_t i, const fig_run *run, size_t point,
                            ag_fig_number *n)
{
	char plain[AG_DEC128_MAX_TEXT];
	size_t len = 0, places = 0;
	bool after = false;

	for (size_t k = 0, s = 0; k < run->len; k++) {
		const char c = fig_byte(text, i + k);

		if (s < run->nsep && k == run->sep[s].at) {
			if (s++ == point) {
				plain[len++] = '.';
				after = true;
			}
		}
		if (!fig_is_digit(c))
			continue;
		if (len > 36)
			return false;
		plain[len++] = c;
		places += after;
	}
	if (!ag_dec128_parse(ag_str_make(plain, len), &n->read[n->nread].v))
		return false;
	n->read[n->nread++].places = (int)places;
	return true;
}

/* False: it is no number (a version, an address, too many digits). */
static bool fig_readings(ag_str text, size_t i, unsigned lang, char point, const fig_run *run,
                         ag_fig_number *n)
{
	const char last = run->nsep ? run->sep[run->nsep - 1].c : '\0';
	const size_t head = run->nsep ? run->sep[0].at : run->len;
	size_t nlast = 0;

	n->is_plain = run->nsep == 0;
	if (!run->nsep)
		return fig_reading_add(text, i, run, run->nsep, n);
	for (size_t k = 0; k < run->nsep; k++)
		nlast += run->sep[k].c == last;
	if (nlast == run->nsep &&
	    nlast > 1) /* 1,234,567; 1.2.3 is a version; 12,34,567 is Indian */
		return (run->ngroup_ok == run->nsep || (last == ',' && head <= 2)) &&
		       fig_reading_add(text, i, run, run->nsep, n);
	if (last == ' ')
		return fig_reading_add(text, i, run, run->nsep, n);
	if (nlast != run->nsep) /* 1,234.5 and 1.234,5 */
		return nlast == 1 && run->sep[0].c != last &&
		       fig_reading_add(text, i, run, run->nsep - 1, n);
	if (run->ngroup_ok == 1 && head <= 3 && fig_byte(text, i) != '0') {
		bool is_group = last == ',' ? (lang & AG_FIG_EN) != 0
		                            : (lang & (AG_FIG_DE | AG_FIG_ES)) != 0;
		bool is_point = last == '.' ? (lang & AG_FIG_EN) != 0
		                            : (lang & (AG_FIG_DE | AG_FIG_ES | AG_FIG_FR)) != 0;

		if (is_group && is_point) /* of two languages: either */
			is_group = is_point = false;
		/* Of none that is known: three places after a comma are rare. */
		if (!lang && last == ',')
			is_group = true;
		if (point) {
			is_point = last == point;
			is_group = !is_point;
		}
		if (!is_point && !fig_reading_add(text, i, run, 1, n))
			return false;
		return is_group || fig_reading_add(text, i, run, 0, n);
	}
	return fig_reading_add(text, i, run, 0, n);
}

char ag_fig_point(ag_str text)
{
	char found = '\0';

	for (size_t i = 0; i < text.len; i++) {
		fig_run run;
		char point;

		if (!fig_is_digit(text.ptr[i]))
			continue;
		fig_run_read(text, i, 0, &run);
		i += run.len ? run.len - 1 : 0;
		if (run.nsep < 2 || run.sep[0].c == ' ' || run.sep[run.nsep - 1].c == ' ')
			continue;
		if (run.sep[0].c != run.sep[run.nsep - 1].c) /* 1,234.5 */
			point = run.sep[run.nsep - 1].c;
		else if (run.ngroup_ok == run.nsep) /* 1,234,567 */
			point = run.sep[0].c == ',' ? '.' : ',';
		else
			continue;
		if (found && found != point)
			return '\0';
		found = point;
	}
	return found;
}

bool ag_fig_digits(ag_str text, size_t at, unsigned lang, char point, ag_fig_number *n,
                   size_t *ret_len)
{
	fig_run run;

	fig_run_read(text, at, lang, &run);
	*ret_len = run.len;
	return fig_readings(text, at, lang, point, &run, n);
}

/* --- values of cells --- */

bool ag_fig_number_of(const ag_val *v, ag_dec128 *ret)
{
	ag_str s;

	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64: *ret = ag_dec128_from_i64(v->u.i); return true;
	case AG_T_DOUBLE: *ret = ag_decmath_from_double(v->u.f); break;
	case AG_T_DECIMAL: *ret = v->u.dec; break;
	case AG_T_STRING:
		/* A decimal that a double does not hold, and money of some databases. */
		s = ag_val_text(v);
		if (!s.len || s.len > 40 ||
		    !((s.ptr[0] >= '0' && s.ptr[0] <= '9') || s.ptr[0] == '-' || s.ptr[0] == '.'))
			return false;
		if (!ag_dec128_parse(s, ret))
			return false;
		break;
	default: return false;
	}
	return !ag_dec128_is_nan(*ret) && !ag_dec128_is_inf(*ret);
}

ag_dec128 ag_fig_scaled(ag_dec128 v, int exp)
{
	ag_decparts p = ag_decmath_unpack(v);

	p.exp += exp;
	return ag_decmath_pack(&p);
}

bool ag_fig_is_whole(ag_dec128 v)
{
	return ag_decmath_unpack(ag_decmath_strip(v)).exp >= 0;
}

ag_str ag_fig_text(ag_dec128 v, ag_arena *arena)
{
	char text[AG_DEC128_MAX_TEXT];
	ag_decparts p;

	/* A division has 34 digits: ten behind the point say enough. */
	v = ag_decmath_strip(ag_decmath_round(v, 10, AG_DEC_HALF_EVEN));
	p = ag_decmath_unpack(v);
	if (p.exp > 0 && p.exp < 15) { /* 1E+2 */
		for (; p.exp > 0; p.exp--)
			p.coef *= 10;
		v = ag_decmath_pack(&p);
	}
	return ag_str_dup(arena, ag_str_make(text, ag_dec128_format(text, v)));
}

static ag_dec128 fig_magnitude(ag_dec128 v)
{
	return ag_dec128_is_neg(v) ? ag_decmath_neg(v) : v;
}

/* Zeros at the end of a whole number: "1,200" has two. */
static int fig_zeros(ag_dec128 v)
{
	const ag_decparts p = ag_decmath_unpack(ag_decmath_strip(v));

	return p.coef ? p.exp : 0;
}

static ag_dec128 fig_unit(int exp, int tenths)
{
	return ag_fig_scaled(ag_dec128_from_i64(tenths), exp - 1);
}

static bool fig_reading_shows(const ag_fig_reading *r, const ag_fig_number *n, ag_dec128 v,
                              ag_fig_near near)
{
	const ag_dec128 shown = ag_fig_scaled(r->v, n->exp);
	const ag_dec128 diff = ag_dec128_add(v, ag_decmath_neg(shown)); /* of magnitudes */
	const int digit = n->exp - r->places;
	ag_dec128 most;
	bool is_bound;

	/* "0.0 million" shows nothing of a value. */
	if (n->exp && ag_decmath_is_zero(r->v))
		return ag_decmath_is_zero(v);
	if (n->is_word && near == AG_FIG_EXACT) /* nobody rounds to "three" */
		return ag_decmath_is_zero(diff);
	if (near == AG_FIG_EXACT || ag_dec128_cmp(fig_magnitude(diff), fig_unit(digit, 5)) <= 0)
		return ag_dec128_cmp(fig_magnitude(diff), fig_unit(digit, 5)) <= 0;
	/* Hedged: zeros at the end may be rounding, up to a twentieth of the value, a tenth for a bound. */
	is_bound = near == AG_FIG_NEAR_FLOOR || near == AG_FIG_NEAR_CEILING;
	most = fig_unit(r->places ? digit : n->exp + fig_zeros(r->v),
	                near == AG_FIG_NEAR_ABOUT ? 5 : 10);
	if ((near == AG_FIG_NEAR_OVER || near == AG_FIG_NEAR_FLOOR) && ag_dec128_is_neg(diff))
		return false;
	if ((near == AG_FIG_NEAR_UNDER || near == AG_FIG_NEAR_CEILING) && !ag_dec128_is_neg(diff))
		return false;
	return ag_dec128_cmp(fig_magnitude(diff), most) <= 0 &&
	       ag_dec128_cmp(ag_decmath_mul(fig_magnitude(diff),
	                                    ag_dec128_from_i64(is_bound ? 10 : 20)),
	                     fig_magnitude(v)) <= 0;
}

bool ag_fig_shows(const ag_fig_number *n, ag_dec128 v, int by, ag_fig_near near, bool any_sign)
{
	const bool is_negative = ag_dec128_is_neg(v) && !ag_decmath_is_zero(v);

	v = ag_fig_scaled(fig_magnitude(v), by);
	for (size_t i = 0; i < n->nread; i++) {
		if (!fig_reading_shows(&n->read[i], n, v, near))
			continue;
		if (any_sign || ag_decmath_is_zero(n->read[i].v) || is_negative == (n->sign < 0) ||
		    (is_negative && n->in_parens))
			return true;
	}
	return false;
}
