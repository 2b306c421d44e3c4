/* cron -- when is something due that a cron expression names, in a time zone.
 *
 * Five fields with blanks between: minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or jan-dec), weekday (0-7 or
 * sun-sat; 0 and 7 are Sunday). A field is *, a number, a range 1-5, either with a step (0-30/10; of * and ranges), or a list of
 * those with commas. Where neither day of the month nor weekday is *, a day that fits one of them fits. @yearly, @monthly, @weekly, @daily
 * and @hourly are short forms.
 *
 * When clocks change: an expression whose hour begins with * counts real time, so it skips what clocks skip and goes on through an hour
 * that comes twice. Any other names times of the day: a time that clocks skip is due at the moment when they do, and one that comes
 * twice is due the first time only. Several that are due at one moment are one. */
#ifndef AG_BASE_CRON_H
#define AG_BASE_CRON_H

#include "base/zone.h"

#define AG_CRON_MAX_BYTES 256u

typedef struct ag_cron {
	uint64_t minutes; /* bit n = n */
	uint32_t hours, days, months, weekdays;
	bool any_hour;             /* the hour begins with * */
	bool any_day, any_weekday; /* is * alone or with a step */
} ag_cron;

/* errors  AG_INVALID: names the field, what stands there and what is wanted; also an expression that names no day at all (30 2) */
AG_CHECK ag_status ag_cron_read(ag_str text, ag_cron *ret, ag_err *err);
/* The first moment after `after_ms` (wall time) at which it is due. 0: not within 40 years, or beyond the year 9000. */
int64_t ag_cron_next(const ag_cron *c, const ag_zone *z, int64_t after_ms);
/* The last such moment that is not after `until_ms` but after `from_ms`. 0: there is none. */
int64_t ag_cron_last(const ag_cron *c, const ag_zone *z, int64_t from_ms, int64_t until_ms);

/* The same of an expression and the name of a zone. errors  of ag_cron_read() and ag_zone_open() */
AG_CHECK ag_status ag_cron_next_of(ag_str cron, ag_str zone, int64_t after_ms, ag_arena *arena,
                                   int64_t *ret, ag_err *err);

#endif
