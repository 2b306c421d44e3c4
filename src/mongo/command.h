/* command -- the only place that forms a command for a MongoDB server.
 *
 * A command is a row of one table, and the table holds commands that read. There is no other way to name one: the caller
 * gives a verb, not a text. What connecting itself needs (hello, authentication, endSessions) is formed by libmongoc. */
#ifndef AG_MONGO_COMMAND_H
#define AG_MONGO_COMMAND_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

typedef enum ag_mongo_verb {
	AG_MONGO_PING,
	AG_MONGO_BUILD_INFO,
	AG_MONGO_LIST_DATABASES,
	AG_MONGO_LIST_COLLECTIONS,
	AG_MONGO_LIST_INDEXES,
	AG_MONGO_COLL_STATS,
	AG_MONGO_COUNT,
	AG_MONGO_FIND,
	AG_MONGO_AGGREGATE,
	AG_MONGO_DISTINCT,
	AG_MONGO_GET_MORE,
	AG_MONGO_KILL_CURSORS,
	AG_MONGO_REQUEST_STATISTICS, /* Azure Cosmos DB: the charge of the command before */
	AG_MONGO_NVERB
} ag_mongo_verb;

/* What the commands of one run cost on a server that counts request units (Azure Cosmos DB). Shared by threads. */
typedef struct ag_mongo_meter {
	uint64_t max_milli; /* thousandths of a request unit that may be used; 0 = no limit */
	_Atomic uint64_t used_milli;
	_Atomic uint64_t nthrottled, waited_ms; /* times the server asked to wait */
} ag_mongo_meter;

/* What is not named is left out of the command. */
typedef struct ag_mongo_command {
	ag_mongo_verb verb;
	ag_str database, collection;
	const ag_val *query; /* a filter; of AGGREGATE the stages, an array */
	const ag_val *projection, *sort;
	ag_str field;        /* DISTINCT */
	int64_t limit, skip; /* 0 = none */
	int32_t batch;       /* documents a batch; 0 = as the server likes */
	int64_t cursor;      /* GET_MORE, KILL_CURSORS */
	bool explain;        /* COUNT, FIND, AGGREGATE: the plan, not the answer; nothing is read */
	bool uses_disk;      /* AGGREGATE: large groups may spill to the server's disk */
	int64_t max_time_ms; /* 0 = none; not sent where servers refuse it (GET_MORE, KILL_CURSORS) */
	int64_t *
		time_ms; /* gets the server's operationTime, of a cursor that of its first batch; 0 = it said none. May be NULL */
	ag_mongo_meter *meter; /* charged for it; NULL = nobody counts */
	ag_str comment;        /* shown by the server's own tools; "" = "argus" */
} ag_mongo_command;

/* The command's name on the wire: "listCollections". */
const char *ag_mongo_verb_name(ag_mongo_verb verb);
/* The verb of a command's name.
 * errors  AG_DENIED for every name that is not in the table */
AG_CHECK ag_status ag_mongo_verb_of(ag_str name, ag_mongo_verb *ret, ag_err *err);
/* The command as a document in arena; *ret_database is where it is sent. Stages that write, operators that run code, and
 * patterns that can take exponential time are refused here too, wherever they are in the query.
 * errors  AG_DENIED, AG_INVALID */
AG_CHECK ag_status ag_mongo_form(const ag_mongo_command *c, ag_arena *arena, ag_val *ret,
                                 ag_str *ret_database, ag_err *err);

/* Can the pattern take exponential time? regex.c */
bool ag_mongo_regex_is_unbounded(ag_str pattern);

#endif
