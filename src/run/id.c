/* UUIDv7: 48 bits of milliseconds, 12 bits of counter, 62 random bits (RFC 9562 sections 5.7, 6.2).
 *
 * Invariant: the top 60 bits (time and counter, one number) never repeat or go back within a
 * process, so ids ascend even when threads race or the clock stands still. A new millisecond starts
 * the counter at a random 11-bit number; when the counter runs over it carries into the time, a
 * millisecond ahead. The last of these numbers is the only thing the process shares. */
#include "run/id.h"

#include <stdatomic.h>
#include <unistd.h>

#define MAX_WALL_MS ((INT64_C(1) << 48) - 1)
/* 10 s: more than any slewing of a clock; a longer step back is another clock: ids follow. */
#define OTHER_CLOCK_MS 10000

static const char HEX[] = "0123456789abcdef";

/* Bit i set: a dash stands at position i. */
#define DASHES \
	((UINT64_C(1) << 8) | (UINT64_C(1) << 13) | (UINT64_C(1) << 18) | (UINT64_C(1) << 23))

static bool is_dash_at(size_t i)
{
	return (DASHES >> i) & 1;
}

/* Time and counter of the next id. */
static uint64_t next_stamp(int64_t wall_ms, unsigned start)
{
	static _Atomic uint64_t last_stamp;
	uint64_t now, next, last = atomic_load(&last_stamp);

	if (wall_ms < 0)
		wall_ms = 0;
	if (wall_ms > MAX_WALL_MS)
		wall_ms = MAX_WALL_MS;
	now = (uint64_t)wall_ms << 12 | (start & 0x7ff);
	do {
		bool is_other = (last >> 12) > (uint64_t)wall_ms + OTHER_CLOCK_MS;

		/* Only the first id of a millisecond starts at random. */
		next = (last >> 12) < (now >> 12) || is_other ? now : last + 1;
	} while (!atomic_compare_exchange_weak(&last_stamp, &last, next));
	return next & ((UINT64_C(1) << 60) - 1);
}

static void format(ag_id *id, const uint8_t bytes[16])
{
	size_t n = 0;

	for (size_t i = 0; i < 16; i++) {
		if (is_dash_at(n))
			id->text[n++] = '-';
		id->text[n++] = HEX[bytes[i] >> 4];
		id->text[n++] = HEX[bytes[i] & 15];
	}
	id->text[n] = '\0';
}

ag_id ag_id_floor(int64_t wall_ms)
{
	const uint64_t ms = wall_ms < 0             ? 0
	                    : wall_ms > MAX_WALL_MS ? (uint64_t)MAX_WALL_MS
	                                            : (uint64_t)wall_ms;
	uint8_t b[16] = { 0 };
	ag_id id;

	for (size_t i = 0; i < 6; i++)
		b[i] = (uint8_t)(ms >> (40 - 8 * i));
	b[6] = 0x70;
	b[8] = 0x80;
	format(&id, b);
	return id;
}

ag_id ag_id_new(const ag_clock *clock)
{
	uint8_t b[16];
	uint8_t noise[10];
	uint64_t stamp;
	ag_id id;

	/* Fails only on a kernel without getrandom(), which Argus does not run on. */
	AG_ASSERT(getentropy(noise, sizeof(noise)) == 0);
	stamp = next_stamp(ag_clock_wall(clock), (unsigned)noise[8] << 8 | noise[9]);
	for (size_t i = 0; i < 6; i++)
		b[i] = (uint8_t)(stamp >> (52 - 8 * i));
	b[6] = (uint8_t)(0x70 | ((stamp >> 8) & 0x0f)); /* version 7 */
	b[7] = (uint8_t)stamp;
	memcpy(b + 8, noise, 8);
	b[8] = (uint8_t)(0x80 | (b[8] & 0x3f)); /* variant of RFC 9562 */
	format(&id, b);
	return id;
}

/* The digit in lower case, or '\0'. */
static char hex_digit(char c)
{
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))
		return c;
	if (c >= 'A' && c <= 'F')
		return (char)(c - 'A' + 'a');
	return '\0';
}

bool ag_id_parse(ag_str s, ag_id *ret)
{
	ag_id id;

	if (s.len != AG_ID_LEN)
		return false;
	for (size_t i = 0; i < AG_ID_LEN; i++) {
		char c = is_dash_at(i) ? (s.ptr[i] == '-' ? '-' : '\0') : hex_digit(s.ptr[i]);

		if (!c)
			return false;
		id.text[i] = c;
	}
	id.text[AG_ID_LEN] = '\0';
	*ret = id;
	return true;
}
