/* A cron expression is five sets of small numbers. To find when it is due next, days are walked through, and the hours and minutes of
 * one that fits; or, where the hour is any, quarters of hours of real time and their minutes. */
#include "base/cron.h"

#include "base/time.h"

#define ORIGIN    "base.cron"
#define DAY       INT64_C(86400)
#define MAX_YEARS 40 /* 29 February on a given weekday, across the year 2100 */
#define MAX_MS    INT64_C(221845392000000) /* the year 9000 */

typedef struct field {
	const char *name, *names; /* three letters each, from `low` on */
	unsigned low, high;
} field;

static const field fields[] = {
	{ "minute", "", 0, 59 },
	{ "hour", "", 0, 23 },
	{ "day of the month", "", 1, 31 },
	{ "month", "janfebmaraprmayjunjulaugsepoctnovdec", 1, 12 },
	{ "weekday", "sunmontuewedthufrisat", 0, 7 },
};

static const char *const shorts[][2] = {
	{ "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },
	{ "@weekly", "0 0 * * 0" }, { "@daily", "0 0 * * *" },    { "@midnight", "0 0 * * *" },
	{ "@hourly", "0 * * * *" },
};

/* --- reading --- */

static ag_status bad(const field *f, ag_str text, const char *what, ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN, "%s \"%.*s\": %s", f->name,
	        (int)(text.len < 40 ? text.len : 40), text.len ? text.ptr : "", what);
	if (f->names[0])
		return ag_err_hint(
			err, "want *, %u-%u or names (%.3s, %.3s ...), ranges, steps and lists",
			f->low, f->high, f->names, f->names + 3);
	return ag_err_hint(err, "want *, %u-%u, ranges (1-5), steps (*/5) and lists (1,2)", f->low,
	                   f->high);
}

/* A number, or a name of three letters. */
static bool read_value(const field *f, ag_str s, unsigned *ret)
{
	uint64_t n;

	for (unsigned i = 0; s.len == 3 && f->names[i * 3]; i++) {
		bool is_same = true;

		for (unsigned k = 0; k < 3; k++)
			is_same = is_same && (s.ptr[k] | 32) == f->names[i * 3 + k];
		if (is_same) {
			*ret = f->low + i;
			return true;
		}
	}
	if (!s.len || s.len > 4 || !ag_str_to_u64(s, &n) || n < f->low || n > f->high)
		return false;
	*ret = (unsigned)n;
	return true;
}

/* One part of a list: *, 7, 1-5, with /step. */
static ag_status read_part(const field *f, ag_str part, uint64_t *io, ag_err *err)
{
	ag_str rest = part, span = ag_str_split(&rest, '/'), to = span, from;
	const bool has_step = rest.ptr != NULL;
	unsigned low = f->low, high = f->high == 7 ? 6 : f->high;
	uint64_t step = 1;

	if (has_step && (!rest.len || rest.len > 4 || !ag_str_to_u64(rest, &step) || step < 1 ||
	                 step > f->high))
		return bad(f, part, "the step is no number that fits", err);
	if (!ag_str_eqc(span, "*")) {
		from = ag_str_split(&to, '-');
		if (!read_value(f, from, &low))
			return bad(f, part, "this is no value of the field", err);
		high = low;
		if (to.ptr && !read_value(f, to, &high))
			return bad(f, part, "the end of the range is no value of the field", err);
		if (high < low)
			return bad(f, part, "the range ends before it begins", err);
		if (has_step && !to.ptr)
			return bad(f, part, "a step needs a range or *", err);
	}
	for (uint64_t i = low; i <= high; i += step)
		*io |= UINT64_C(1) << i;
	return AG_OK;
}

static ag_status read_field(const field *f, ag_str text, uint64_t *ret, ag_err *err)
{
	ag_str rest = text;
	ag_status st = AG_OK;

	*ret = 0;
	while (rest.ptr && !st) {
		const ag_str part = ag_str_split(&rest, ',');

		st = part.len ? read_part(f, part, ret, err)
		              : bad(f, text, "a part of the list is empty", err);
	}
	return st;
}

static bool fits_a_day(const ag_cron *c)
{
	static const unsigned char longest[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	if (!c->any_weekday && !c->any_day)
		return true;
	for (unsigned m = 1; m <= 12; m++) {
		for (unsigned d = 1; d <= longest[m - 1]; d++) {
			if ((c->months >> m & 1) && (c->days >> d & 1))
				return true;
		}
	}
	return false;
}

ag_status ag_cron_read(ag_str text, ag_cron *ret, ag_err *err)
{
	ag_str rest = ag_str_trim(text), parts[5];
	uint64_t sets[5];
	size_t n = 0;
	ag_status st = AG_OK;

	if (text.len > AG_CRON_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a cron expression has at most %u bytes",
		               AG_CRON_MAX_BYTES);
	for (size_t i = 0; i < AG_NELEM(shorts); i++) {
		if (ag_str_eqc(rest, shorts[i][0]))
			rest = ag_str_c(shorts[i][1]);
	}
	while (rest.len) {
		size_t len = 0;

		while (len < rest.len && rest.ptr[len] != ' ' && rest.ptr[len] != '\t')
			len++;
		if (n < 5)
			parts[n] = ag_str_make(rest.ptr, len);
		n++;
		rest = ag_str_trim(ag_str_make(rest.ptr + len, rest.len - len));
	}
	if (n != 5) {
		ag_fail(err, AG_INVALID, ORIGIN, "a cron expression has 5 fields, this one has %zu",
		        n);
		return ag_err_hint(err,
		                   "minute, hour, day of the month, month, weekday: \"30 3 * * "
		                   "mon-fri\"; or @daily, @hourly ...");
	}
	for (size_t i = 0; i < 5 && !st; i++)
		st = read_field(&fields[i], parts[i], &sets[i], err);
	if (st)
		return st;
	*ret = (ag_cron){ .minutes = sets[0],
		          .hours = (uint32_t)sets[1],
		          .days = (uint32_t)sets[2],
		          .months = (uint32_t)sets[3],
		          .weekdays = (uint32_t)((sets[4] | sets[4] >> 7) & 0x7f),
		          .any_hour = parts[1].ptr[0] == '*',
		          .any_day = parts[2].ptr[0] == '*',
		          .any_weekday = parts[4].ptr[0] == '*' };
	return fits_a_day(ret)
	               ? AG_OK
	               : bad(&fields[2], parts[2], "no month that is named has that day", err);
}

/* --- when --- */

/* day: of local time, since 1970. */
static bool fits_day(const ag_cron *c, int64_t day)
{
	const ag_civil at = ag_time_to_civil(day * DAY * 1000);
	const bool month = c->months >> at.month & 1, in_month = c->days >> at.day & 1;
	const bool in_week = c->weekdays >> (((day + 4) % 7 + 7) % 7) & 1;

	if (c->any_day || c->any_weekday)
		return month && in_month && in_week;
	return month && (in_month || in_week);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Times of the day. A time that is skipped moves to a later one, so a day may hold one of the day before: begin there. */
static int64_t next_of_day(const ag_cron *c, const ag_zone *z, int64_t after, int64_t until)
{
	int64_t day = floor_div(after + ag_zone_offset(z, after), DAY) - 1;

	for (; day * DAY <= until + 2 * DAY; day++) {
		if (!fits_day(c, day))
			continue;
		for (unsigned m = 0; m < 24 * 60; m++) {
			int64_t at;

			if (!(c->hours >> m / 60 & 1) || !(c->minutes >> m % 60 & 1))
				continue;
			at = ag_zone_utc(z, day * DAY + m * 60);
			if (at > after)
				return at;
		}
	}
	return 0;
}

/* Real time. Offsets of today are whole quarters of hours; minutes are looked at only on days that fit. */
static int64_t next_of_hour(const ag_cron *c, const ag_zone *z, int64_t after, int64_t until)
{
	int64_t at = (floor_div(after, 60) + 1) * 60;

	while (at <= until) {
		const int64_t local = at + ag_zone_offset(z, at);
		const int64_t second = local - floor_div(local, DAY) * DAY;

		if (!fits_day(c, floor_div(local, DAY)) || !(c->hours >> second / 3600 & 1))
			at = (floor_div(at, 900) + 1) * 900;
		else if (!(c->minutes >> second / 60 % 60 & 1))
			at += 60;
		else
			return at;
	}
	return 0;
}

int64_t ag_cron_next(const ag_cron *c, const ag_zone *z, int64_t after_ms)
{
	const int64_t after = floor_div(after_ms, 1000);
	const int64_t until = after + MAX_YEARS * 366 * DAY;

	if (after_ms < 0 || after_ms > MAX_MS)
		return 0;
	return 1000 *
	       (c->any_hour ? next_of_hour(c, z, after, until) : next_of_day(c, z, after, until));
}

int64_t ag_cron_last(const ag_cron *c, const ag_zone *z, int64_t from_ms, int64_t until_ms)
{
	int64_t span_ms = 2 * 60 * 1000, found = 0;

	/* From ever further back, until there is one; a span has few moments then. */
	while (!found) {
		const int64_t begin_ms = until_ms - span_ms > from_ms ? until_ms - span_ms
		                                                      : from_ms;

		for (int64_t at = ag_cron_next(c, z, begin_ms); at && at <= until_ms;
		     at = ag_cron_next(c, z, at))
			found = at;
		if (begin_ms == from_ms)
			break;
		span_ms *= 4;
	}
	return found;
}

ag_status ag_cron_next_of(ag_str cron, ag_str zone, int64_t after_ms, ag_arena *arena, int64_t *ret,
                          ag_err *err)
{
	const ag_zone *z;
	ag_cron c;
	ag_status st = ag_cron_read(cron, &c, err);

	if (!st)
		st = ag_zone_open(zone, arena, &z, err);
	if (!st)
		*ret = ag_cron_next(&c, z, after_ms);
	return st;
}
