/* mongo -- a MongoDB server, or what speaks its protocol: commands that read, and cursors.
 *
 * One ag_mongo is one address with a few connections; any number of threads may use it, and all that open the same address
 * get the same one (shared.c). Every command gets the time that is
 * left as maxTimeMS and ends within AG_MONGO_SLICE_MS of a cancel flag or deadline (of a flag within four times that when the server has not answered for two seconds). Nothing here knows filters or what is
 * asked: documents/mongo.c does.
 *
 * A server of Azure Cosmos DB with request units (ag_mongo_address.has_charge) may throttle: then a command waits as long as
 * the server says, within the deadline, and is sent again. After each command its charge is read (charge.h). */
#ifndef AG_MONGO_MONGO_H
#define AG_MONGO_MONGO_H

#include "mongo/address.h"
#include "mongo/command.h"
#include "run/ctx.h"

typedef struct ag_mongo ag_mongo;

#define AG_MONGO_MAX_CONNECTIONS 4
#define AG_MONGO_MAX_TIME_MS     (10 * 60 * 1000) /* of one command, where the call has no deadline */
#define AG_MONGO_KEEP_MS         10000
#define AG_MONGO_SLICE_MS        50   /* of every wait */
#define AG_MONGO_GRACE_MS        5000 /* after maxTimeMS, for the server's own answer */

/* What the server is; found out by the first command. */
typedef struct ag_mongo_server {
	int32_t max_wire_version;
	bool is_sharded; /* a router of a sharded cluster answers */
} ag_mongo_server;

/* The version of the library in use, "1.23.1". errors  AG_UNAVAILABLE it is missing or too old */
AG_CHECK ag_status ag_mongo_library(const char **ret, ag_err *err);

/* Reads the address and loads the library; connects with the first command. Keeps copies. The connections of one that was
 * closed are kept for the next that opens the same address, AG_MONGO_KEEP_MS long.
 * errors  AG_INVALID the address, AG_UNAVAILABLE no library */
AG_CHECK ag_status ag_mongo_open(const ag_mongo_address *a, ag_mongo **ret, ag_err *err);
ag_mongo *ag_mongo_close(ag_mongo *m);
ag_mongo_server ag_mongo_server_of(ag_mongo *m);
/* Commands sent so far, getMore and killCursors included. */
uint64_t ag_mongo_commands(ag_mongo *m);

/* Does the server say what a command cost, as far as it was asked? */
bool ag_mongo_has_statistics(const ag_mongo *m);

/* One command and its answer, a document in arena.
 * errors  AG_UNAVAILABLE no server, connection lost, throttled; AG_DENIED login or rights; AG_TIMEOUT; AG_CANCELLED;
 *         AG_NOT_FOUND namespace; AG_INVALID the server does not know an operator or refuses a value; err->native is the
 *         server's code */
AG_CHECK ag_status ag_mongo_run(ag_mongo *m, const ag_ctx *ctx, const ag_mongo_command *c,
                                ag_arena *arena, ag_val *ret, ag_err *err);

/* The bytes of one document, valid for the call. *stop: no more are wanted. */
typedef ag_status ag_mongo_doc_fn(void *arg, ag_str bson, bool *stop, ag_err *err);
/* FIND, AGGREGATE, LIST_COLLECTIONS, LIST_INDEXES: every document of the cursor, batch by batch. A cursor that is left
 * early is closed on the server. */
AG_CHECK ag_status ag_mongo_each(ag_mongo *m, const ag_ctx *ctx, const ag_mongo_command *c,
                                 ag_mongo_doc_fn *fn, void *arg, ag_err *err);

#endif
