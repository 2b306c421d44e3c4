/* textclass_date -- which written form of a date a text has.
 *
 * A cursor reads the parts of each form; the length and the first byte choose which forms are tried. Days are
 * checked against a real calendar. For d/m/y and m/d/y one reading must be possible; which one is meant only
 * a whole column can tell. */
#include "columns/textclass.h"

#include "base/time.h"

typedef struct cursor {
	const char *p, *end;
} cursor;

static const char *const regexes[AG_DATE_NFORMAT] = {
#define X(name, regex, example) [AG_DATE_##name] = regex,
	AG_DATE_FORMAT_TABLE(X)
#undef X
};

static const char *const examples[AG_DATE_NFORMAT] = {
#define X(name, regex, example) [AG_DATE_##name] = example,
	AG_DATE_FORMAT_TABLE(X)
#undef X
};

const char *ag_date_format_regex(ag_date_format f)
{
	return f < AG_DATE_NFORMAT ? regexes[f] : "";
}

const char *ag_date_format_example(ag_date_format f)
{
	return f < AG_DATE_NFORMAT ? examples[f] : "";
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool take(cursor *c, char want)
{
	if (c->p == c->end || *c->p != want)
		return false;
	c->p++;
	return true;
}

/* A number of min..max digits; one digit more is a failure. */
static bool number(cursor *c, int min, int max, int *ret)
{
	int n = 0, v = 0;

	while (c->p < c->end && is_digit(*c->p) && n <= max) {
		v = v * 10 + (*c->p++ - '0');
		n++;
	}
	*ret = v;
	return n >= min && n <= max;
}

static bool is_leap(int y)
{
	return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

static bool is_day(int y, int m, int d)
{
	static const char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	if (y < 1 || y > 9999 || m < 1 || m > 12 || d < 1)
		return false;
	return d <= days[m - 1] + (m == 2 && is_leap(y));
}

/* hh:mm, hh:mm:ss or with a fraction; 60 is a leap second. */
static bool clock_time(cursor *c, ag_civil *ret)
{
	ret->hour = ret->minute = ret->second = 0;
	if (!number(c, 1, 2, &ret->hour) || !take(c, ':') || !number(c, 2, 2, &ret->minute) ||
	    ret->hour > 23 || ret->minute > 59)
		return false;
	if (!take(c, ':'))
		return true;
	if (!number(c, 2, 2, &ret->second) || ret->second > 60)
		return false;
	if (take(c, '.')) {
		const char *from = c->p;

		while (c->p < c->end && is_digit(*c->p))
			c->p++;
		return c->p > from;
	}
	return true;
}

/* Nothing, or a blank and a time of day with AM or PM perhaps: AG_DATE_CLOCK_REGEX. */
static bool ends_with_clock(cursor *c, ag_civil *ret)
{
	bool is_pm;

	if (c->p == c->end)
		return true;
	if (!take(c, ' ') || !clock_time(c, ret))
		return false;
	if (c->p == c->end)
		return true;
	(void)take(c, ' ');
	is_pm = c->p < c->end && (*c->p | 0x20) == 'p';
	if (!is_pm && !take(c, 'a') && !take(c, 'A'))
		return false;
	c->p += is_pm;
	if (ret->hour <= 12)
		ret->hour = ret->hour % 12 + (is_pm ? 12 : 0);
	(void)take(c, '.');
	if (!take(c, 'm') && !take(c, 'M'))
		return false;
	(void)take(c, '.');
	return c->p == c->end;
}

static bool is_zone(cursor *c)
{
	int h, m;

	if (c->p == c->end)
		return true;
	if (take(c, 'Z'))
		return c->p == c->end;
	if (!take(c, '+') && !take(c, '-'))
		return false;
	if (c->end - c->p == 5 && c->p[2] == ':')
		return number(c, 2, 2, &h) && take(c, ':') && number(c, 2, 2, &m) && h <= 14 &&
		       m <= 59;
	return number(c, 4, 4, &h) && h / 100 <= 14 && h % 100 <= 59 && c->p == c->end;
}

static bool is_iso(cursor c)
{
	ag_civil t;
	int y, m, d;

	if (!number(&c, 4, 4, &y) || !take(&c, '-') || !number(&c, 2, 2, &m) || !take(&c, '-') ||
	    !number(&c, 2, 2, &d) || !is_day(y, m, d))
		return false;
	if (c.p == c.end)
		return true;
	if ((!take(&c, 'T') && !take(&c, ' ')) || c.end - c.p < 2 || !is_digit(c.p[1]))
		return false;
	return clock_time(&c, &t) && is_zone(&c);
}

static bool is_year_first(cursor c)
{
	ag_civil t;
	int y, m, d;

	return number(&c, 4, 4, &y) && take(&c, '/') && number(&c, 1, 2, &m) && take(&c, '/') &&
	       number(&c, 1, 2, &d) && is_day(y, m, d) && ends_with_clock(&c, &t);
}

/* Two parts and a year with one separator: day and month in either order. */
static bool read_year_last(cursor c, char sep, int *first, int *second, ag_civil *ret)
{
	int y;

	if (!number(&c, 1, 2, first) || !take(&c, sep) || !number(&c, 1, 2, second) ||
	    !take(&c, sep) || !number(&c, 4, 4, &y) || !ends_with_clock(&c, ret))
		return false;
	ret->year = y;
	return true;
}

static bool is_year_last(cursor c, char sep, int *first, int *second)
{
	ag_civil t = { 0 };
	int a, b;

	if (!read_year_last(c, sep, &a, &b, &t) ||
	    (!is_day((int)t.year, a, b) && !is_day((int)t.year, b, a)))
		return false;
	*first = a;
	*second = b;
	return true;
}

bool ag_text_date_ms(ag_str s, char sep, bool is_day_first, int64_t *ret_ms)
{
	const cursor c = { s.ptr, s.ptr + s.len };
	ag_civil t = { 0 };
	int first, second;

	if (s.len < 8 || !read_year_last(c, sep, &first, &second, &t))
		return false;
	t.day = is_day_first ? first : second;
	t.month = is_day_first ? second : first;
	if (!is_day((int)t.year, t.month, t.day))
		return false;
	*ret_ms = ag_time_from_civil(&t);
	return true;
}

static bool is_compact(cursor c)
{
	int v;

	if (c.end - c.p != 8 || !number(&c, 8, 8, &v))
		return false;
	return (v / 1000000 == 19 || v / 1000000 == 20) &&
	       is_day(v / 10000, v / 100 % 100, v % 100);
}

/* English months, short (3 letters, "Sept") or in full: 1..12, else 0. */
static int month_name(cursor *c)
{
	static const char *const months[] = { "January",   "February", "March",    "April",
		                              "May",       "June",     "July",     "August",
		                              "September", "October",  "November", "December" };
	const char *from = c->p;
	ag_str word;

	while (c->p < c->end && is_alpha(*c->p))
		c->p++;
	word = ag_str_make(from, (size_t)(c->p - from));
	if (word.len < 3 || word.len > 9)
		return 0;
	for (int i = 0; i < 12; i++) {
		ag_str full = ag_str_c(months[i]);
		bool is_short = word.len == 3 || (word.len == 4 && i == 8);

		if (ag_str_ieq(word, full) ||
		    (is_short && ag_str_ieq(word, ag_str_make(full.ptr, word.len))))
			return i + 1;
	}
	return 0;
}

static bool is_day_month_name(cursor c)
{
	int d, m, y;
	char sep;

	if (!number(&c, 1, 2, &d) || c.p == c.end || (*c.p != ' ' && *c.p != '-'))
		return false;
	sep = *c.p++;
	m = month_name(&c);
	return m > 0 && take(&c, sep) && number(&c, 4, 4, &y) && c.p == c.end && is_day(y, m, d);
}

static bool is_month_name_day(cursor c)
{
	int m = month_name(&c), d, y;

	return m > 0 && take(&c, ' ') && number(&c, 1, 2, &d) && take(&c, ',') && take(&c, ' ') &&
	       number(&c, 4, 4, &y) && c.p == c.end && is_day(y, m, d);
}

/* "Sun, 01 Mar 2026 08:00:00 +0000" or a zone in letters. */
static bool is_rfc2822(cursor c)
{
	static const char *const days[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
	bool is_weekday = false;
	const char *from;
	ag_civil t;
	int d, m, y;

	if (c.end - c.p < 20)
		return false;
	for (size_t i = 0; i < AG_NELEM(days); i++)
		is_weekday = is_weekday || ag_str_ieq(ag_str_make(c.p, 3), ag_str_c(days[i]));
	if (!is_weekday)
		return false;
	c.p += 3;
	if (!take(&c, ',') || !take(&c, ' ') || !number(&c, 1, 2, &d) || !take(&c, ' '))
		return false;
	from = c.p;
	m = month_name(&c);
	if (m == 0 || c.p - from != 3 || !take(&c, ' ') || !number(&c, 4, 4, &y) ||
	    !is_day(y, m, d))
		return false;
	from = c.p;
	if (!take(&c, ' ') || !clock_time(&c, &t) || memchr(from, '.', (size_t)(c.p - from)) ||
	    !take(&c, ' ') || c.p == c.end)
		return false;
	if (!is_alpha(*c.p))
		return *c.p != 'Z' && is_zone(&c);
	while (c.p < c.end && is_alpha(*c.p))
		c.p++;
	return c.p == c.end;
}

ag_date_format ag_text_date_format(ag_str s, int *ret_first, int *ret_second)
{
	cursor c = { s.ptr, s.ptr + s.len };
	int a = 0, b = 0;
	ag_date_format f = AG_DATE_NONE;

	if (s.len < 8 || s.len > 40) {
		f = AG_DATE_NONE;
	} else if (is_digit(s.ptr[0])) {
		if (is_iso(c))
			f = AG_DATE_ISO;
		else if (s.ptr[4] == '/' && is_year_first(c))
			f = AG_DATE_YMD_SLASH;
		else if (is_compact(c))
			f = AG_DATE_COMPACT;
		else if (is_year_last(c, '/', &a, &b))
			f = AG_DATE_SLASH;
		else if (is_year_last(c, '.', &a, &b))
			f = AG_DATE_DOT;
		else if (is_year_last(c, '-', &a, &b))
			f = AG_DATE_DASH;
		else if (is_day_month_name(c))
			f = AG_DATE_DAY_MONTH_NAME;
	} else if (is_alpha(s.ptr[0])) {
		/* most texts begin with a letter: look at one byte first */
		if (s.ptr[3] == ',' && is_rfc2822(c))
			f = AG_DATE_RFC2822;
		else if (is_digit(s.ptr[s.len - 1]) && is_month_name_day(c))
			f = AG_DATE_MONTH_NAME_DAY;
	}
	if (ret_first)
		*ret_first = a;
	if (ret_second)
		*ret_second = b;
	return f;
}
