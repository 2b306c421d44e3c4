/* retry_after -- the header by which a server says when to come back (declared in http.h).
 *
 * Source: RFC 9110 sections 10.2.3 and 5.6.7: seconds, or a date in one of three forms:
 *   Sun, 06 Nov 1994 08:49:37 GMT     Sunday, 06-Nov-94 08:49:37 GMT     Sun Nov  6 08:49:37 1994
 * Seconds may have a fraction: the standard knows none, some model servers send one. The name of the day is not compared
 * with the date: a server that errs there still means the date. */
#include "base/time.h"
#include "net/http.h"

#define MAX_SECONDS INT64_C(3155760000) /* a century, so that callers may add it to any time */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take(ag_str *s, const char *text)
{
	size_t n = strlen(text);

	if (s->len < n || !ag_str_ieq(ag_str_make(s->ptr, n), ag_str_make(text, n)))
		return false;
	s->ptr += n;
	s->len -= n;
	return true;
}

static bool take_month(ag_str *s, int *ret)
{
	static const char *const names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (take(s, names[i])) {
			*ret = (int)i + 1;
			return true;
		}
	}
	return false;
}

static bool take_clock(ag_str *s, ag_civil *c)
{
	if (!ag_str_take_digits(s, 2, &c->hour) || !take(s, ":") ||
	    !ag_str_take_digits(s, 2, &c->minute) || !take(s, ":") ||
	    !ag_str_take_digits(s, 2, &c->second))
		return false;
	if (c->second == 60) /* a leap second */
		c->second = 59;
	return true;
}

static bool take_year(ag_str *s, ag_civil *c)
{
	int year;

	if (!ag_str_take_digits(s, 4, &year))
		return false;
	c->year = year;
	return true;
}

/* "06 Nov 1994 08:49:37 GMT" */
static bool fixed_date(ag_str s, ag_civil *c)
{
	return ag_str_take_digits(&s, 2, &c->day) && take(&s, " ") && take_month(&s, &c->month) &&
	       take(&s, " ") && take_year(&s, c) && take(&s, " ") && take_clock(&s, c) &&
	       take(&s, " GMT") && !s.len;
}

/* "06-Nov-94 08:49:37 GMT": a year that would be more than 50 years ahead is of the century before. */
static bool rfc850_date(ag_str s, int64_t wall_now_ms, ag_civil *c)
{
	ag_civil now = ag_time_to_civil(wall_now_ms), limit = now;
	int year;

	if (!ag_str_take_digits(&s, 2, &c->day) || !take(&s, "-") || !take_month(&s, &c->month) ||
	    !take(&s, "-") || !ag_str_take_digits(&s, 2, &year) || !take(&s, " ") ||
	    !take_clock(&s, c) || !take(&s, " GMT") || s.len)
		return false;
	limit.year += 50;
	c->year = now.year - now.year % 100 + 100 + year;
	while (ag_time_from_civil(c) > ag_time_from_civil(&limit))
		c->year -= 100;
	return true;
}

/* "Nov  6 08:49:37 1994" */
static bool asctime_date(ag_str s, ag_civil *c)
{
	if (!take_month(&s, &c->month) || !take(&s, " "))
		return false;
	if (take(&s, " ") ? !ag_str_take_digits(&s, 1, &c->day)
	                  : !ag_str_take_digits(&s, 2, &c->day))
		return false;
	return take(&s, " ") && take_clock(&s, c) && take(&s, " ") && take_year(&s, c) && !s.len;
}

static bool read_date(ag_str s, int64_t wall_now_ms, ag_civil *c)
{
	static const struct {
		const char *name, *rest;
	} days[] = {
		{ "Mon", "day" }, { "Tue", "sday" },  { "Wed", "nesday" }, { "Thu", "rsday" },
		{ "Fri", "day" }, { "Sat", "urday" }, { "Sun", "day" },
	};
	size_t i = 0;

	while (i < AG_NELEM(days) && !take(&s, days[i].name))
		i++;
	if (i == AG_NELEM(days))
		return false;
	if (take(&s, ", "))
		return fixed_date(s, c);
	if (take(&s, " "))
		return asctime_date(s, c);
	return take(&s, days[i].rest) && take(&s, ", ") && rfc850_date(s, wall_now_ms, c);
}

/* "120", "1.5" */
static bool read_seconds(ag_str s, int64_t *ret_ms)
{
	int64_t ms = 0, unit = 1000;
	size_t i = 0;

	for (; i < s.len && is_digit(s.ptr[i]); i++) {
		if (ms <= MAX_SECONDS * 1000)
			ms = ms * 10 + (s.ptr[i] - '0') * unit;
	}
	if (!i)
		return false;
	if (i < s.len) {
		if (s.ptr[i] != '.' || i + 1 == s.len)
			return false;
		for (i++; i < s.len; i++) {
			if (!is_digit(s.ptr[i]))
				return false;
			unit /= 10;
			ms += (s.ptr[i] - '0') * unit;
		}
	}
	*ret_ms = ms < MAX_SECONDS * 1000 ? ms : MAX_SECONDS * 1000;
	return true;
}

bool ag_http_retry_after(ag_str value, int64_t wall_now_ms, int64_t *ret_ms)
{
	ag_civil c = { 0 };
	int64_t ms;

	value = ag_str_trim(value);
	if (read_seconds(value, ret_ms))
		return true;
	if (!read_date(value, wall_now_ms, &c) || !ag_civil_valid(&c))
		return false;
	ms = ag_time_from_civil(&c);
	ms = ms > wall_now_ms ? ms - wall_now_ms : 0; /* four digits of year: no overflow */
	*ret_ms = ms < MAX_SECONDS * 1000 ? ms : MAX_SECONDS * 1000;
	return true;
}
