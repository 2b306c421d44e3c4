/* parts -- what the files of this room share among themselves; not for other rooms. */
#ifndef AG_MONGO_PARTS_H
#define AG_MONGO_PARTS_H

#include <pthread.h>

#include "mongo/mongo.h"
#include "mongo/stream.h"

typedef struct ag_mongo_conn ag_mongo_conn;

struct ag_mongo_conn {
	mongoc_client_t *client;
	mongoc_client_session_t *session; /* NULL = the server has none */
	bool has_asked_session;
	ag_mongo_watch watch;
	uint32_t server; /* id of the one that answered last; 0 = none yet */
	ag_mongo_conn *next;
};

struct ag_mongo {
	const ag_mongoc *lib;
	mongoc_uri_t *uri;
	ag_arena *arena; /* of the texts below, written when it is opened or under the lock */
	ag_str place;
	ag_str user; /* "" = none */
	ag_str auth_source;
	ag_str driver; /* the address; may hold a password */

	/* of shared.c */
	unsigned nuser;
	int64_t idle_since_ms;
	ag_mongo *next;
	bool has_charge;                /* as in ag_mongo_address */
	_Atomic bool has_no_statistics; /* the server does not know what a command cost */
	_Atomic bool
		is_spoilt; /* a server did not answer as it should: nobody else gets this one */

	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t returned;
	ag_mongo_conn *idle;
	unsigned nopen;
	bool is_known; /* server is filled */
	ag_mongo_server server;
	_Atomic uint64_t ncommand;
};

/* mongo.c: one that is not shared. */
AG_CHECK ag_status ag_mongo_make(const ag_mongo_address *a, ag_mongo **ret, ag_err *err);
void ag_mongo_free(ag_mongo *m);

/* What a command that failed means, in words. `reply` may be NULL. */
ag_status ag_mongo_failure(const ag_mongo *m, const ag_mongo_conn *conn, const ag_mongo_command *c,
                           const bson_error_t *why, const ag_ctx *ctx, ag_err *err);

#endif
