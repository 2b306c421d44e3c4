/* time -- the system clock, and civil time in UTC without libc.
 *
 * libc's gmtime and timegm stop at years that fit an int and pull in time zones, so the calendar is
 * computed here. The trick is to begin the year in March: the leap day is then the last day of a
 * year, and the days before a month follow one linear formula. 400 years ("era") repeat exactly. */
#include "base/time.h"

#include <time.h>

#define MS_PER_DAY   INT64_C(86400000)
#define DAYS_PER_ERA INT64_C(146097) /* 400 years */
#define DAYS_TO_1970 INT64_C(719468) /* from 0000-03-01 to 1970-01-01 */
/* Years whose milliseconds surely fit 64 bits; the first day that does not is in -292275055. */
#define MAX_YEAR INT64_C(292275000)

static int64_t read_ms(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t system_wall(void *self)
{
	(void)self;
	return read_ms(CLOCK_REALTIME);
}

static int64_t system_mono(void *self)
{
	(void)self;
	return read_ms(CLOCK_MONOTONIC);
}

const ag_clock ag_clock_system = { .wall_ms = system_wall, .mono_ms = system_mono, .self = NULL };

int64_t ag_time_mono_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int days_in_month(int64_t year, int month)
{
	static const signed char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

bool ag_civil_valid(const ag_civil *c)
{
	return c->year >= -MAX_YEAR && c->year <= MAX_YEAR && c->month >= 1 && c->month <= 12 &&
	       c->day >= 1 && c->day <= days_in_month(c->year, c->month) && c->hour >= 0 &&
	       c->hour <= 23 && c->minute >= 0 && c->minute <= 59 && c->second >= 0 &&
	       c->second <= 59 && c->ms >= 0 && c->ms <= 999;
}

int64_t ag_time_from_civil(const ag_civil *c)
{
	int64_t month = (int64_t)c->month - 3; /* March is 0; a month out of range moves the year */
	int64_t year, era, year_of_era, day_of_year, day, ms;

	if (c->year > MAX_YEAR || c->year < -MAX_YEAR)
		return c->year > 0 ? INT64_MAX : INT64_MIN;
	year = c->year + floor_div(month, 12);
	month -= floor_div(month, 12) * 12;
	era = floor_div(year, 400);
	year_of_era = year - era * 400;
	day_of_year = (153 * month + 2) / 5 + c->day - 1;
	day = era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	      day_of_year - DAYS_TO_1970;
	ms = ((c->hour * INT64_C(60) + c->minute) * 60 + c->second) * 1000 + c->ms;
	if (__builtin_mul_overflow(day, MS_PER_DAY, &day) || __builtin_add_overflow(day, ms, &ms))
		return c->year > 0 ? INT64_MAX : INT64_MIN;
	return ms;
}

ag_civil ag_time_to_civil(int64_t ms)
{
	int64_t day = floor_div(ms, MS_PER_DAY);
	int64_t in_day = (ms % MS_PER_DAY + MS_PER_DAY) % MS_PER_DAY;
	int64_t era, day_of_era, year_of_era, day_of_year, month;
	ag_civil c;

	day += DAYS_TO_1970;
	era = floor_div(day, DAYS_PER_ERA);
	day_of_era = day - era * DAYS_PER_ERA;
	/* Take out the leap days of 4 years, of 100 and the one of 400; 365 divides what is left. */
	year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) /
	              365;
	day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	month = (5 * day_of_year + 2) / 153;
	c.day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
	c.month = (int)(month < 10 ? month + 3 : month - 9);
	c.year = year_of_era + era * 400 + (c.month <= 2);
	c.hour = (int)(in_day / 3600000);
	c.minute = (int)(in_day / 60000 % 60);
	c.second = (int)(in_day / 1000 % 60);
	c.ms = (int)(in_day % 1000);
	return c;
}

/* v as n digits, then the character `after`. snprintf takes ten times as long (430 ns against 40). */
static char *put_digits(char *p, int64_t v, int n, char after)
{
	for (int i = n - 1; i >= 0; i--) {
		p[i] = (char)('0' + v % 10);
		v /= 10;
	}
	p[n] = after;
	return p + n + 1;
}

static int count_year_digits(int64_t year)
{
	int n = 6;

	for (year /= 1000000; year; year /= 10)
		n++;
	return n;
}

size_t ag_time_format(char out[AG_TIME_MAX_TEXT], int64_t ms)
{
	ag_civil c = ag_time_to_civil(ms);
	int64_t year = c.year < 0 ? -c.year : c.year;
	char *p = out;

	if (c.year >= 0 && c.year <= 9999) {
		p = put_digits(p, year, 4, '-');
	} else { /* ISO 8601 wants a sign and more digits then */
		*p++ = c.year < 0 ? '-' : '+';
		p = put_digits(p, year, count_year_digits(year), '-');
	}
	p = put_digits(p, c.month, 2, '-');
	p = put_digits(p, c.day, 2, 'T');
	p = put_digits(p, c.hour, 2, ':');
	p = put_digits(p, c.minute, 2, ':');
	p = put_digits(p, c.second, 2, c.ms ? '.' : 'Z');
	if (c.ms)
		p = put_digits(p, c.ms, 3, 'Z');
	*p = '\0';
	return (size_t)(p - out);
}

/* The parser: each step takes its text off the front of *s, or leaves it alone and says false. */

static bool take_char(ag_str *s, char c)
{
	if (s->len == 0 || s->ptr[0] != c)
		return false;
	s->ptr++;
	s->len--;
	return true;
}

static size_t count_digits(ag_str s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
		n++;
	return n;
}

/* Four digits, or a sign and six to nine: what ag_time_format writes. */
static bool take_year(ag_str *s, int64_t *ret)
{
	bool minus = take_char(s, '-');
	bool sign = minus || take_char(s, '+');
	size_t n = sign ? count_digits(*s) : 4;
	int year;

	if ((sign && (n < 6 || n > 9)) || !ag_str_take_digits(s, n, &year))
		return false;
	*ret = minus ? -(int64_t)year : year;
	return true;
}

static bool take_date(ag_str *s, ag_civil *c)
{
	return take_year(s, &c->year) && take_char(s, '-') && ag_str_take_digits(s, 2, &c->month) &&
	       take_char(s, '-') && ag_str_take_digits(s, 2, &c->day);
}

static bool take_time(ag_str *s, ag_civil *c)
{
	size_t n;

	if (!ag_str_take_digits(s, 2, &c->hour) || !take_char(s, ':') ||
	    !ag_str_take_digits(s, 2, &c->minute))
		return false;
	if (!take_char(s, ':'))
		return true;
	if (!ag_str_take_digits(s, 2, &c->second))
		return false;
	if (!take_char(s, '.') && !take_char(s, ','))
		return true;
	n = count_digits(*s);
	if (n == 0)
		return false;
	for (size_t i = 0; i < 3; i++)
		c->ms = c->ms * 10 + (i < n ? s->ptr[i] - '0' : 0);
	s->ptr += n;
	s->len -= n;
	return true;
}

static bool take_zone(ag_str *s, int *ret_minutes)
{
	int hour = 0, minute = 0;
	bool minus;

	if (s->len == 0 || take_char(s, 'Z'))
		return true;
	minus = take_char(s, '-');
	if (!minus && !take_char(s, '+'))
		return false;
	if (!ag_str_take_digits(s, 2, &hour))
		return false;
	if (s->len && (take_char(s, ':') || true) && !ag_str_take_digits(s, 2, &minute))
		return false;
	if (hour > 23 || minute > 59)
		return false;
	*ret_minutes = (minus ? -1 : 1) * (hour * 60 + minute);
	return true;
}

bool ag_time_parse_iso(ag_str s, int64_t *ret_ms)
{
	ag_civil c = { 0 };
	int zone_minutes = 0;

	if (!take_date(&s, &c))
		return false;
	if (s.len) {
		if (!take_char(&s, 'T') && !take_char(&s, ' '))
			return false;
		if (!take_time(&s, &c) || !take_zone(&s, &zone_minutes) || s.len)
			return false;
	}
	if (!ag_civil_valid(&c))
		return false;
	*ret_ms = ag_time_from_civil(&c) - zone_minutes * INT64_C(60000);
	return true;
}
