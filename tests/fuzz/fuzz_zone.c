/* Any bytes as a file of a time zone: refused, or it answers for every time, and a local time is not shown before its moment. */
#include <stdlib.h>

#include "base/zone.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	const ag_zone *z;
	ag_err err = { 0 };

	check(copy);
	if (size)
		memcpy(copy, data, size);
	if (ag_zone_read(ag_str_make(copy, size), arena, &z, &err)) {
		check(err.status == AG_INVALID && err.msg[0]);
	} else {
		for (int64_t at = INT64_C(-4000000000); at < INT64_C(20000000000);
		     at += 86399 * 997) {
			const int64_t offset = ag_zone_offset(z, at);

			check(offset >= -26 * 3600 && offset <= 26 * 3600);
			check(ag_zone_utc(z, at + offset) >= at - 2 * 26 * 3600);
			check(ag_zone_utc(z, at + offset) <= at + 2 * 26 * 3600);
		}
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
