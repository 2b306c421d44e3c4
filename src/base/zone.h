/* zone -- time zones of the system, read from its files (tzdata).
 *
 * libc knows one zone in a process, that of TZ, which threads cannot change. So this reads the file of any zone: its table of
 * changes, and the rule for all years after them.
 *
 * source   RFC 8536, "The Time Zone Information Format (TZif)"; the rule is a TZ string of POSIX */
#ifndef AG_BASE_ZONE_H
#define AG_BASE_ZONE_H

#include "base/arena.h"
#include "base/err.h"

#define AG_ZONE_MAX_NAME  64u            /* bytes: "America/Argentina/ComodRivadavia" */
#define AG_ZONE_MAX_BYTES (1024u * 1024) /* of a file; the largest has 4 KB */

typedef struct ag_zone ag_zone;

/* "Europe/Berlin", "UTC". In arena.
 * errors  AG_NOT_FOUND: there is no such zone, or no tzdata; AG_INVALID: no name, or a damaged file */
AG_CHECK ag_status ag_zone_open(ag_str name, ag_arena *arena, const ag_zone **ret, ag_err *err);
/* The same from the bytes of a file. errors  AG_INVALID */
AG_CHECK ag_status ag_zone_read(ag_str bytes, ag_arena *arena, const ag_zone **ret, ag_err *err);

/* Seconds that local time is ahead of UTC at this second (of UTC, since 1970). */
int64_t ag_zone_offset(const ag_zone *z, int64_t utc);
/* The first second of UTC at which clocks of the zone show this local time (counted like UTC). A time that clocks skip is the second
 * at which they skip it. */
int64_t ag_zone_utc(const ag_zone *z, int64_t local);

#endif
