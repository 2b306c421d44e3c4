/* group -- writing transactions of many threads as one: threads that wait for the same file's one writer are committed together, by
 * one connection whose cache is warm.
 *
 * A handle that joined (ag_store_join) hands its writing transactions over and waits; reads stay its own. What is committed, and
 * in which order, is as without: each transaction's work sees those before it, and when one of a group fails all are rolled back
 * and done one after the other, so that only that one fails. A group whose members include a durable one is durable.
 *
 * Private to store/, but for ag_store_group in store.h. */
#ifndef AG_STORE_GROUP_H
#define AG_STORE_GROUP_H

#include "store/driver.h"
#include "store/store.h"

typedef ag_status ag_db_work(ag_db *db, void *arg, bool is_again, ag_err *err);

/* ag_db_transact() on the connection of the handle's group, from any thread. It waits for locks of other processes as long as
 * the handle has patience. */
AG_CHECK ag_status ag_db_group_transact(ag_db *db, ag_db_begin_kind kind, ag_str scope,
                                        ag_db_work *work, void *arg, ag_err *err);
/* ag_db_type.others of the group: what a member wrote counts when it may change what a user or token may do. */
bool ag_db_group_others(ag_store_group *g, uint64_t *ret);

/* --- shared.c: the connections that handles of a group share --- */

typedef struct ag_db_pool ag_db_pool;

/* first: a connection to the database at uri; taken over. */
ag_db_pool *ag_db_pool_new(ag_str uri, ag_db *first);
void ag_db_pool_free(ag_db_pool *p); /* after its handles */
ag_db *ag_db_pool_handle(ag_db_pool *p);

#endif
