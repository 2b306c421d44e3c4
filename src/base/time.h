/* time -- the injected clock, and civil time in UTC.
 *
 * Wall time (ms since 1970, UTC) goes into records, monotonic time into deadlines. Nobody else
 * reads a clock, so tests can hold it still. */
#ifndef AG_BASE_TIME_H
#define AG_BASE_TIME_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_clock {
	int64_t (*wall_ms)(void *self);
	int64_t (*mono_ms)(void *self);
	void *self;
} ag_clock;

extern const ag_clock ag_clock_system;

/* Monotonic microseconds of the system, to measure how long something took; never for deadlines. */
int64_t ag_time_mono_us(void);

static inline int64_t ag_clock_wall(const ag_clock *c)
{
	return c->wall_ms(c->self);
}

static inline int64_t ag_clock_mono(const ag_clock *c)
{
	return c->mono_ms(c->self);
}

typedef struct ag_civil {
	int64_t year; /* proleptic Gregorian, may be negative */
	int month;    /* 1..12 */
	int day;      /* 1..31 */
	int hour, minute, second, ms;
} ag_civil;

bool ag_civil_valid(const ag_civil *c);
/* ms since 1970-01-01T00:00:00Z. Fields out of range carry over (month 13 is January of the next
 * year); what does not fit 64 bits gives INT64_MIN or INT64_MAX. */
int64_t ag_time_from_civil(const ag_civil *c);
ag_civil ag_time_to_civil(int64_t ms);

#define AG_TIME_MAX_TEXT 40
/* "2026-03-01T08:30:00Z", with ".123" only when the milliseconds are not zero. */
size_t ag_time_format(char out[AG_TIME_MAX_TEXT], int64_t ms);
/* ISO 8601: date only, or date and time with "T" or one blank, seconds and fraction (cut to ms)
 * optional, zone Z, +hh:mm, +hhmm, +hh or none (then UTC). Whole slice, else false. */
bool ag_time_parse_iso(ag_str s, int64_t *ret_ms);

#ifdef __cplusplus
}
#endif
#endif
