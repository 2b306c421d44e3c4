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

/* ag_db_transact() on the group's connection, from any thread. */
AG_CHECK ag_status ag_db_group_transact(ag_store_group *g, ag_db_begin_kind kind, ag_str scope,
                                        ag_db_work *work, void *arg, ag_err *err);

#endif
