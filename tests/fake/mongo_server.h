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
 */
#ifndef TEST_FAKE_MONGO_SERVER_H
#define TEST_FAKE_MONGO_SERVER_H

#include <stdio.h>

#include "query/value.h"

typedef struct fake_mongo fake_mongo;

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
/* False when it cannot be read. */
int fake_mongo_add_rule(fake_mongo *f, const char *rule);
/* The first command that is not one that reads; NULL = there was none. */
const char *fake_mongo_refused(fake_mongo *f);
/* Commands of this name so far. */
unsigned fake_mongo_count(fake_mongo *f, const char *command);

#endif
