/* Any text as a cron expression: refused in words, or its moments come one after the other, each after the one before. */
#include <stdlib.h>

#include "base/cron.h"
#include "fuzz.h"

/* A zone whose clocks change by rule: version 2, no times, "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1". */
static const char zone_bytes[] =
	"TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1"
	"\0\0\0\0\0\0\0"
	"TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1"
	"\xff\xff\xd5\xd0\0\0\0"
	"\n<-03>3<-02>,M3.5.0/-2,M10.5.0/-1\n";

static void check(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	int64_t at = INT64_C(1774000000000);
	const ag_zone *z;
	ag_err err = { 0 };
	ag_cron c;

	check(copy &&
	      !ag_zone_read(ag_str_make(zone_bytes, sizeof(zone_bytes) - 1), arena, &z, &err));
	if (size)
		memcpy(copy, data, size);
	if (ag_cron_read(ag_str_make(copy, size), &c, &err)) {
		check(err.msg[0] && err.status != AG_INTERNAL);
	} else {
		for (int i = 0; i < 3 && at; i++) {
			const int64_t next = ag_cron_next(&c, z, at);

			check(!next || (next > at && next % 60000 == 0));
			check(!next || ag_cron_last(&c, z, at, next) == next);
			at = next;
		}
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
