/* Any bytes as an openapi.json: at most so many bytes of lines that begin with a method, all of them harmless text. The
 * first byte says how many bytes there may be. */
#include <stdlib.h>

#include "ask/api.h"
#include "base/utf8.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_line(ag_str line)
{
	static const char *const begins[] = { "GET /",   "HEAD /",   "POST /", "PUT /",
		                              "PATCH /", "DELETE /", "… " };
	bool any = false;
	size_t at = 0;

	for (size_t i = 0; i < AG_NELEM(begins); i++)
		any |= ag_str_starts(line, ag_str_c(begins[i]));
	check(any);
	while (at < line.len) {
		uint32_t cp = ag_utf8_next(line, &at);

		check(cp >= 0x20 && (cp < 0x7f || cp >= 0xa0));
		check(cp != 0x202e && cp != 0x2028 && cp != 0x200b && cp != 0xfeff);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	size_t max = size ? data[0] * 20u : 0;
	ag_arena *arena = ag_arena_new();
	ag_str got;

	check(copy);
	if (size)
		memcpy(copy, data + 1, size - 1);
	got = ag_openapi_summary(ag_str_make(copy, size ? size - 1 : 0), max, arena);
	check(got.len <= max && ag_utf8_valid(got));
	while (got.len)
		check_line(ag_str_split(&got, '\n'));
	ag_arena_free(arena);
	free(copy);
	return 0;
}
