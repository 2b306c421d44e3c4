/* address -- a mongodb:// address with a collection in it, cut into what the driver reads and what names the data.
 *
 *   mongodb://user@host1:27017,host2/shop.orders?tls=true
 *   mongodb+srv://cluster.example.org/shop        every collection of the database
 *   mongodb://host/shop.order*                    those whose name fits; * and ? as in file names
 *   mongodb://host/                               every database that is not the server's own
 *
 * A database name has no dot, so the first dot separates it from the collection, whose name may have more. Names are
 * percent-decoded. A user without a password gets the one in the environment: it is then in no list of processes. */
#ifndef AG_MONGO_ADDRESS_H
#define AG_MONGO_ADDRESS_H

#include "base/arena.h"
#include "base/err.h"

#define AG_MONGO_PASSWORD_ENV "ARGUS_MONGODB_PASSWORD"

typedef struct ag_mongo_address {
	ag_str driver; /* for libmongoc: without the collection. May hold a password: never shown, never stored */
	ag_str shown;      /* up to the path, without password: "mongodb://user@host:27017/" */
	ag_str path;       /* as it was written */
	ag_str options;    /* "?tls=true", without those that are secret; "" */
	ag_str place;      /* "host:27017,host2:27017", lower case: where the data is */
	ag_str database;   /* decoded; "" = all */
	ag_str collection; /* decoded; "" = all; may hold * and ? */
	bool is_pattern;   /* of the collection */
	bool has_charge;   /* Azure Cosmos DB: the server counts request units and throttles */
} ag_mongo_address;

bool ag_mongo_is_uri(ag_str uri);
/* errors  AG_INVALID with what is wrong; never quotes a password */
AG_CHECK ag_status ag_mongo_address_parse(ag_str uri, ag_arena *arena, ag_mongo_address *ret,
                                          ag_err *err);
/* The address itself, without secrets. */
ag_str ag_mongo_address_shown(const ag_mongo_address *a, ag_arena *arena);
/* The address of one collection, without secrets: it opens that collection again. */
ag_str ag_mongo_address_of(const ag_mongo_address *a, ag_str database, ag_str collection,
                           ag_arena *arena);
/* Does the name fit a pattern of * and ?. Takes time in proportion to the product of both lengths at most. */
bool ag_mongo_name_fits(ag_str pattern, ag_str name);

#endif
