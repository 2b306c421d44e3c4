/* fix_type -- repairs of a value in another form than the others: a number as text, a date in another order, lost zeros. The
 * others are the documents that the finding does not flag; they must agree nearly all. */
#include <math.h>

#include "audit/checks.h"
#include "base/time.h"
#include "query/extjson.h"
#include "repair/fix.h"

#define NEARLY_ALL 0.9 /* of the other values have the form that a repair writes */
#define MIN_OTHERS 5   /* with fewer there is no form to follow */

static bool is_most(const ag_tally *t, uint64_t n, double share)
{
	return t->n >= MIN_OTHERS && (double)n >= share * (double)t->n;
}

static bool are_numbers(const ag_tally *t)
{
	return is_most(t, t->nnumber, NEARLY_ALL);
}

/* [-]digits[.digits], without needless zeros before it. */
static bool is_plain_number(ag_str s)
{
	size_t i = s.len && s.ptr[0] == '-', from = i;

	while (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
		i++;
	if (i == from || (s.ptr[from] == '0' && i > from + 1) || i - from > 18)
		return false;
	if (i == s.len)
		return true;
	if (s.ptr[i++] != '.')
		return false;
	for (from = i; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++)
		;
	return i > from && i == s.len && s.len <= 20;
}

/* The text as the field writes numbers: in CSV as it is. */
static bool give_number(const ag_fix *f, ag_str s, ag_arena *arena, ag_val *ret)
{
	const ag_extjson_opts read = { 0 };
	ag_err ignored = { 0 };

	if (!is_plain_number(s))
		return false;
	s = ag_str_dup(arena, s);
	if (f->is_csv) {
		*ret = ag_val_str(s);
		return true;
	}
	/* Decimals are another type than the reader gives. */
	return !f->others->ntype[AG_T_DECIMAL] &&
	       !ag_extjson_parse(s, &read, arena, ret, NULL, NULL, &ignored);
}

bool ag_fix_number(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_str s;

	(void)row;
	/* A cell of a CSV file has no other type than text. */
	if (f->is_csv || v->type != AG_T_STRING || !are_numbers(f->others))
		return false;
	s = ag_str_trim(ag_val_text(v));
	if (s.len > 1 && s.ptr[0] == '+')
		s = ag_str_make(s.ptr + 1, s.len - 1);
	return give_number(f, s, arena, ret);
}

/* --- what people write around a number --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Signs and words that say nothing of the size of the number. */
static bool is_harmless(const ag_fix *f, ag_str word)
{
	static const char *const words[] = {
		"",    "%",   "*",   "~",   "$",   "\xe2\x82\xac", "ca.",   "ca",      "EUR",
		"USD", "GBP", "CHF", "pcs", "pc.", "pcs.",         "about", "approx.", "\xc2\xa3"
	};

	word = ag_str_trim(word);
	for (size_t i = 0; i < AG_NELEM(words); i++)
		if (ag_str_ieq(word, ag_str_c(words[i])))
			return true;
	/* A unit that the name of the field says as well: "12 kg" in net_kg. */
	for (size_t i = f->path->n; i-- > 0;) {
		ag_str name = f->path->steps[i].name;

		if (f->path->steps[i].kind != AG_STEP_NAME)
			continue;
		while (name.ptr)
			if (ag_str_ieq(ag_str_split(&name, '_'), word))
				return true;
		return false;
	}
	return false;
}

/* "1,234.5", "1'234", "1.234,5" and "12,5" as "1234.5" …; false when it can be read in two ways. */
static bool without_marks(const ag_fix *f, ag_str s, ag_buf *out)
{
	const char *const groups = ",' .";
	ptrdiff_t last = -1;
	char point = 0, group = 0;
	size_t nmark = 0, after;

	for (size_t i = 0; i < s.len; i++) {
		if (is_digit(s.ptr[i]) || (!i && s.ptr[i] == '-'))
			continue;
		if (!strchr(groups, s.ptr[i]))
			return false;
		nmark++;
		if (last >= 0 && s.ptr[last] != s.ptr[i])
			point = s.ptr[i]; /* the second kind of mark */
		else if (point)
			return false; /* it comes twice */
		last = (ptrdiff_t)i;
	}
	if (last < 0) {
		ag_buf_add(out, s);
		return true;
	}
	after = s.len - (size_t)last - 1;
	if (point && point != '.' && point != ',')
		return false;
	if (!point && nmark == 1 && s.ptr[last] == '.')
		point = '.';
	if (!point && nmark == 1 && s.ptr[last] == ',' && after != 3)
		point = ',';
	/* One comma and three digits: a decimal fraction only where the field has such. */
	if (!point && f->others->decimals >= 3)
		return false;
	if (point == ',' && !f->others->decimals)
		return false;
	for (size_t i = 0, run = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (is_digit(c) || c == '-') {
			ag_buf_addc(out, c);
			run += is_digit(c);
			continue;
		}
		if (c == point) {
			ag_buf_addc(out, '.');
			if (group && run != 3)
				return false;
			group = 0;
			run = 0;
			continue;
		}
		/* Groups have three digits, the first one may have fewer. */
		if (group ? run != 3 || c != group : run < 1 || run > 3)
			return false;
		group = c;
		run = 0;
	}
	for (size_t i = s.len; group && i > 0; i--)
		if (!is_digit(s.ptr[i - 1]))
			return s.len - i == 3;
	return true;
}

bool ag_fix_measure(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_buf b = AG_BUF_INIT(AG_FIX_MAX_LEN);
	size_t from = 0, to;
	bool is_good;
	double x;
	ag_str s;

	(void)row;
	if (v->type != AG_T_STRING || v->n > AG_FIX_MAX_LEN || !are_numbers(f->others))
		return false;
	s = ag_str_trim(ag_val_text(v));
	to = s.len;
	while (from < to && !is_digit(s.ptr[from]))
		from++;
	while (to > from && !is_digit(s.ptr[to - 1]))
		to--;
	if (from == to)
		return false;
	from -= from && s.ptr[from - 1] == '-';
	is_good = is_harmless(f, ag_str_make(s.ptr, from)) &&
	          is_harmless(f, ag_str_make(s.ptr + to, s.len - to)) &&
	          without_marks(f, ag_str_make(s.ptr + from, to - from), &b) &&
	          ag_str_to_double(ag_buf_view(&b), &x) && x >= f->others->min &&
	          x <= f->others->max && give_number(f, ag_buf_view(&b), arena, ret);
	ag_buf_release(&b);
	return is_good;
}

bool ag_fix_noise(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	double x, scale = 1;

	(void)row;
	if (v->type == AG_T_DOUBLE)
		x = v->u.f;
	else if (!f->is_csv || v->type != AG_T_STRING || !ag_str_to_double(ag_val_text(v), &x))
		return false;
	if (!(fabs(x) < 1e12))
		return false;
	for (unsigned d = 0; d <= 6; d++, scale *= 10) {
		const double r = round(x * scale) / scale;
		char text[AG_NUM_MAX];

		if (fabs(r - x) > 1e-12 * (fabs(x) > 1 ? fabs(x) : 1) || r == x)
			continue;
		*ret = f->is_csv ? ag_val_str(ag_str_dup(
					   arena, ag_str_make(text, ag_num_double(text, r, false))))
		                 : ag_val_double(r);
		return true;
	}
	return false;
}

/* --- dates --- */

bool ag_fix_date_type(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	int64_t ms;

	(void)row;
	(void)arena;
	if (f->is_csv || v->type != AG_T_STRING ||
	    !is_most(f->others, f->others->ntype[AG_T_DATE], NEARLY_ALL) ||
	    !ag_time_parse_iso(ag_val_text(v), &ms))
		return false;
	*ret = ag_val_date(ms);
	return true;
}

/* A day of the calendar from a text in this form, the first two numbers in the order that others show. */
static bool read_day(const ag_fix *f, ag_str s, ag_civil *ret)
{
	static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun",
		                              "jul", "aug", "sep", "oct", "nov", "dec" };
	int first, second, n[3] = { 0 };
	const ag_date_format form = ag_text_date_format(s, &first, &second);
	size_t k = 0;

	for (size_t i = 0; i < s.len && k < 3;) {
		if (!is_digit(s.ptr[i])) {
			i++;
			continue;
		}
		while (i < s.len && is_digit(s.ptr[i]))
			n[k] = n[k] * 10 + (s.ptr[i++] - '0');
		k++;
	}
	*ret = (ag_civil){ .month = 1, .day = 1 };
	switch (form) {
	case AG_DATE_ISO:
	case AG_DATE_YMD_SLASH:
		*ret = (ag_civil){ .year = n[0], .month = n[1], .day = n[2] };
		return s.len <= 10;
	case AG_DATE_DOT:
		*ret = (ag_civil){ .year = n[2], .month = n[1], .day = n[0] };
		return s.len <= 10 && n[1] <= 12;
	case AG_DATE_COMPACT:
		*ret = (ag_civil){ .year = n[0] / 10000,
			           .month = n[0] / 100 % 100,
			           .day = n[0] % 100 };
		return true;
	case AG_DATE_SLASH: {
		const uint64_t day_first = f->flagged->nmark_day_first,
			       month_first = f->flagged->nmark_month_first;
		const bool is_day_first = n[0] > 12 || (day_first >= 3 && !month_first);

		/* Enough dates that can be read in one way only, and none in the other. */
		if ((day_first && month_first) ||
		    (n[0] <= 12 && n[1] <= 12 && n[0] != n[1] && day_first < 3 && month_first < 3))
			return false;
		*ret = (ag_civil){ .year = n[2],
			           .month = is_day_first ? n[1] : n[0],
			           .day = is_day_first ? n[0] : n[1] };
		return s.len <= 10;
	}
	case AG_DATE_DAY_MONTH_NAME: {
		const ptrdiff_t gap = ag_str_find(s, ' ') >= 0 ? ag_str_find(s, ' ')
		                                               : ag_str_find(s, '-');
		const ag_str word = ag_str_make(s.ptr + gap + 1, 3);

		*ret = (ag_civil){ .year = n[1], .day = n[0] };
		for (int i = 0; i < 12; i++)
			if (ag_str_ieq(word, ag_str_c(months[i])))
				ret->month = i + 1;
		return ret->month > 0;
	}
	default: return false;
	}
}

bool ag_fix_date_form(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	const ag_tally *t = f->others;
	ag_civil day;

	(void)row;
	if (v->type != AG_T_STRING || !v->n || v->n > AG_FIX_MAX_LEN || t->ndate_long ||
	    !read_day(f, ag_val_text(v), &day) || !ag_civil_valid(&day) || day.year < 1000)
		return false;
	if (is_most(t, t->ndate[AG_DATE_ISO], NEARLY_ALL))
		*ret = ag_val_str(
			ag_str_printf(arena, "%04d-%02d-%02d", (int)day.year, day.month, day.day));
	else if (is_most(t, t->ndate[AG_DATE_YMD_SLASH], NEARLY_ALL))
		*ret = ag_val_str(
			ag_str_printf(arena, "%04d/%02d/%02d", (int)day.year, day.month, day.day));
	else if (is_most(t, t->ndate[AG_DATE_DOT], NEARLY_ALL))
		*ret = ag_val_str(
			ag_str_printf(arena, "%02d.%02d.%04d", day.day, day.month, (int)day.year));
	else if (is_most(t, t->ndate[AG_DATE_SLASH], NEARLY_ALL) &&
	         (t->nmark_day_first >= 3) != (t->nmark_month_first >= 3) &&
	         (!t->nmark_day_first || !t->nmark_month_first))
		*ret = ag_val_str(ag_str_printf(arena, "%02d/%02d/%04d",
		                                t->nmark_day_first ? day.day : day.month,
		                                t->nmark_day_first ? day.month : day.day,
		                                (int)day.year));
	else
		return false;
	return true;
}

/* --- codes of digits --- */

bool ag_fix_zeros(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	const ag_tally *t = f->others;
	char text[AG_FIX_MAX_LEN + 1], number[AG_NUM_MAX];
	size_t best = 0;
	ag_str s;

	(void)row;
	for (size_t i = 1; i < AG_FIX_MAX_LEN; i++)
		best = t->nlen[i] > t->nlen[best] ? i : best;
	if (!is_most(t, t->nlen[best], NEARLY_ALL))
		return false;
	/* Where others are texts, a number lost its zeros together with its type. */
	if (v->type == AG_T_STRING)
		s = ag_val_text(v);
	else if ((v->type == AG_T_INT32 || v->type == AG_T_INT64) && v->u.i > 0)
		s = ag_str_make(number, ag_num_i64(number, v->u.i));
	else
		return false;
	if (!s.len || s.len >= best)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]))
			return false;
	memset(text, '0', best - s.len);
	memcpy(text + best - s.len, s.ptr, s.len);
	*ret = ag_val_str(ag_str_dup(arena, ag_str_make(text, best)));
	return true;
}

/* Letters that a reader of print takes for digits, or the other way round, in a field of digits. */
bool ag_fix_digits(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	static const char letters[] = "OolISB", digits[] = "001158";
	const ag_tally *t = f->others;
	char text[AG_FIX_MAX_LEN];
	size_t nletter = 0;

	(void)row;
	if (v->type != AG_T_STRING || !v->n || v->n >= AG_FIX_MAX_LEN ||
	    !is_most(t, t->ndigits, 0.98) || t->nlen[v->n] * 20 < t->ndigits)
		return false;
	for (uint32_t i = 0; i < v->n; i++) {
		const char c = v->u.s[i], *at = strchr(letters, c);

		if (!is_digit(c) && (!at || !c))
			return false;
		text[i] = is_digit(c) ? c : digits[at - letters];
		nletter += !is_digit(c);
	}
	/* More than a slip or two is a word. */
	if (!nletter || nletter * 2 > v->n)
		return false;
	*ret = ag_val_str(ag_str_dup(arena, ag_str_make(text, v->n)));
	return true;
}

/* --- booleans --- */

bool ag_fix_boolean(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	const ag_tally *t = f->others;
	uint64_t same = 0, best = 0;
	bool truth, other;

	(void)row;
	(void)arena;
	if (!ag_value_is_boolean(v, &truth))
		return false;
	if (!f->is_csv && is_most(t, t->ntype[AG_T_BOOL], NEARLY_ALL)) {
		*ret = ag_val_bool(truth);
		return true;
	}
	for (size_t i = 0; !t->is_full && i < t->texts.n; i++) {
		const ag_val text = ag_val_str(ag_str_make(t->texts.v[i].ptr, t->texts.v[i].len));

		if (!ag_value_is_boolean(&text, &other) || other != truth)
			continue;
		same += t->texts.v[i].n;
		if (t->texts.v[i].n <= best)
			continue;
		best = t->texts.v[i].n;
		*ret = text;
	}
	return best >= MIN_OTHERS && (double)best >= NEARLY_ALL * (double)same;
}
