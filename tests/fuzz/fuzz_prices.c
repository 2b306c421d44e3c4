/* Any bytes as a price table: refused with its line, or every price that is found is one that a table may hold. */
#include <stdlib.h>

#include "fuzz.h"
#include "llm/price.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str text = ag_str_make((const char *)data, size), rest = text;
	const ag_llm_usage u = { .input_tokens = UINT64_MAX,
		                 .cached_tokens = 5,
		                 .output_tokens = 7 };
	ag_arena *arena = ag_arena_new();
	ag_prices *p = NULL;
	ag_err err = { 0 };
	ag_price price;

	if (ag_prices_read(AG_S("f"), text, arena, &p, &err)) {
		check(err.status == AG_LIMIT || (err.msg[0] == 'f' && err.msg[1] == ':'));
		rest.len = 0;
	}
	while (rest.len) {
		ag_str word = ag_str_split(&rest, ' ');

		if (!ag_prices_find(p, word, &price))
			continue;
		check(price.input >= 0 && price.input <= 1e6 && price.output <= 1e6);
		check(ag_price_usd(&price, &u) >= 0);
	}
	ag_arena_free(arena);
	return 0;
}
