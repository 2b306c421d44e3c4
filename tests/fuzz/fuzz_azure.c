/* What Azure says, and addresses of its accounts: answers with connection strings, tokens, errors that ask for a wait. The
 * first byte says which. */
#include "fuzz.h"

#include <stdlib.h>

#include "azure/azure.h"
#include "base/secrets.h"
#include "documents/cosmos.h"
#include "mongo/charge.h"
#include "mongo/mongo.h"
#include "query/extjson.h"

static void address(ag_str text, ag_arena *arena)
{
	const ag_str uri = ag_str_printf(arena, "cosmos://%.*s", AG_FMT(text));
	ag_mongo_address a, again;

	setenv("LOCAL_MONGO_URI", "mongodb://ann:secret%40word@127.0.0.1:1/?tls=true", 1);
	if (ag_cosmos_address(NULL, uri, arena, &a, NULL))
		return;
	AG_ASSERT(!ag_str_contains(a.shown, AG_S("secret")));
	AG_ASSERT(ag_str_contains(a.driver, AG_S("secret%40word@127.0.0.1:1/")));
	AG_ASSERT(
		!ag_cosmos_address(NULL,
	                           ag_mongo_address_of(&a, a.database.len ? a.database : AG_S("d"),
	                                               a.collection, arena),
	                           arena, &again, NULL) ||
		!a.collection.len);
	if (a.collection.len) {
		AG_ASSERT(ag_str_eq(a.database, again.database));
		AG_ASSERT(ag_str_eq(a.collection, again.collection));
	}
}

/* The parts that -a, -d and -c give, one a line. */
static void account(ag_str text, ag_arena *arena)
{
	const ag_str name = ag_str_split(&text, '\n'), database = ag_str_split(&text, '\n');
	ag_mongo_address a;
	ag_str uri;

	setenv("LOCAL_MONGO_URI", "mongodb://127.0.0.1:1", 1);
	if (ag_cosmos_uri(name, database, text, false, arena, &uri, NULL) ||
	    !ag_cosmos_is_uri(uri) || memchr(uri.ptr, 0, uri.len) ||
	    ag_cosmos_address(NULL, uri, arena, &a, NULL) || ag_str_find(name, '/') >= 0 ||
	    ag_str_find(name, '?') >= 0)
		return;
	AG_ASSERT(ag_str_eq(a.database, database));
	AG_ASSERT(ag_str_eq(a.collection, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	const ag_str text = ag_str_dup(arena, ag_str_make((const char *)data + 1, size > 4000 ? 4000
	                                                                          : size ? size - 1
	                                                                                 : 0));
	const ag_extjson_opts plain = { 0 };
	ag_azure_string s;
	int64_t ms;
	ag_val v;

	switch (size ? data[0] : 0) {
	case 'a': address(text, arena); break;
	case 'n': account(text, arena); break;
	case 't': AG_ASSERT(ag_azure_token_owner(text, arena).len <= 200); break;
	case 'r':
		ag_mongo_retry_after(text, &ms);
		AG_ASSERT(ms >= 0 && ms <= AG_MONGO_MAX_TIME_MS);
		break;
	case 's':
		if (!ag_extjson_parse(text, &plain, arena, &v, NULL, NULL, NULL))
			ag_mongo_take_charge(NULL, NULL, &v);
		break;
	default:
		for (int can_write = 0; can_write < 2; can_write++)
			if (!ag_azure_choose(text, can_write, arena, &s, NULL))
				AG_ASSERT(s.text.len > 0);
		break;
	}
	ag_secrets_forget();
	ag_arena_free(arena);
	return 0;
}
