/* Addresses of MongoDB servers: what is shown of one holds no password and is an address itself. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/secrets.h"
#include "mongo/address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	const ag_str uri = ag_str_printf(arena, "mongodb://%.*s", (int)(size < 4000 ? size : 4000),
	                                 (const char *)data);
	ag_mongo_address a, again;

	if (!ag_mongo_address_parse(uri, arena, &a, NULL)) {
		const ag_str shown = a.collection.len ? ag_mongo_address_of(&a, a.database,
		                                                            a.collection, arena)
		                                      : ag_mongo_address_shown(&a, arena);

		AG_ASSERT(!ag_mongo_address_parse(shown, arena, &again, NULL));
		AG_ASSERT(ag_str_eq(a.database, again.database));
		AG_ASSERT(ag_str_eq(a.collection, again.collection));
		AG_ASSERT(ag_str_eq(a.place, again.place));
		ag_mongo_name_fits(a.collection, a.database);
	}
	ag_secrets_forget();
	ag_arena_free(arena);
	return 0;
}
