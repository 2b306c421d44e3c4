/* mongo_server -- a server that speaks MongoDB's wire protocol, answers commands that read, and refuses all others.
 *
 * It holds collections as tables of columns/ and answers find, count, aggregate and the commands around them with Argus's
 * own engine, so it shows what is sent and how answers are read, not whether a filter means the same on a real server:
 * tests/e2e/mongo_engine.sh does that. Every command is recorded; one that is not on the read list is an error of the test.
 *
 * A rule makes it misbehave: COMMAND[:N[+]|:N-M] ACTION, where N counts from 1, "N+" is that and all later ones,
 * and no N is all.
 *   close               the connection is cut instead of an answer
 *   half                the first half of the answer, then the connection is cut
 *   error CODE TEXT     the answer is this error
 *   slow MS             the answer comes so much later
 *   stepdown            the answer is that this server is no primary any more, and the next member is the primary from now on
 *   throttle MS         the answer is error 16500 of Azure Cosmos DB: to be asked again after so many milliseconds
 */
#ifndef TEST_FAKE_MONGO_SERVER_H
#define TEST_FAKE_MONGO_SERVER_H

#include <stdio.h>

#include "query/value.h"

typedef struct fake_mongo fake_mongo;

#define FAKE_MONGO_MEMBERS 3 /* of a replica set, at most */

/* On this port of loopback, 0 = a free one; a line per command goes to `record` (may be NULL): database, command as JSON. */
fake_mongo *fake_mongo_start(FILE *record, unsigned port);
unsigned fake_mongo_port(const fake_mongo *f);
/* Replaces the collection. */
void fake_mongo_put(fake_mongo *f, const char *ns, const ag_val *docs, size_t n);
/* The documents of a file; false with a message on standard error. */
int fake_mongo_put_file(fake_mongo *f, const char *ns, const char *path);
/* From now on the collection is listed as this type: "view", "timeseries", "capped". */
void fake_mongo_set_type(fake_mongo *f, const char *ns, const char *type);
/* The operationTime of every answer from now on, seconds since 1970; 0 = none, as of a server without replica set. */
void fake_mongo_set_time(fake_mongo *f, unsigned seconds);
/* getLastRequestStatistics answers that each command cost so many request units; 0 = it is not known. */
void fake_mongo_set_charge(fake_mongo *f, double units);
/* A login by SCRAM-SHA-256 is needed from now on: "NAME:PASSWORD" without percent-encoding. */
int fake_mongo_set_user(fake_mongo *f, const char *user);
/* A replica set of this name with n members; the first is the primary. All share the data, and each has a port; a line of the
 * record then begins with the number of the member, "2: ". */
void fake_mongo_set_members(fake_mongo *f, const char *name, unsigned n);
/* Its hello says that it is the router of a sharded cluster, and it refuses $facet: a router would fetch every document. */
void fake_mongo_set_router(fake_mongo *f);
/* The port of a member, from 0. */
unsigned fake_mongo_member_port(const fake_mongo *f, unsigned member);
/* False when it cannot be read. */
int fake_mongo_add_rule(fake_mongo *f, const char *rule);
/* The first command that is not one that reads; NULL = there was none. */
const char *fake_mongo_refused(fake_mongo *f);
/* Commands of this name so far. */
unsigned fake_mongo_count(fake_mongo *f, const char *command);

#endif
