/* cosmos -- cosmos:// addresses: an account of Azure Cosmos DB for MongoDB by its name or id.
 *
 *   cosmos://ACCOUNT/database.collection                              by name; without the collection, or with * in it, several
 *   cosmos:///subscriptions/…/databaseAccounts/ACCOUNT/database       by ARM id
 *   cosmos://USER@CLUSTER/database                                    a vCore cluster; password in ARGUS_MONGODB_PASSWORD
 *   …?allowReadWrite=true                                             with the key that may write
 *
 * Such an address holds no secret: keys are asked of Azure each time (azure/azure.h). QUERYARGUS_EMULATOR=true means the local
 * emulator whatever the account is, LOCAL_MONGO_URI another server; Azure is then not asked. */
#ifndef AG_DOCUMENTS_COSMOS_H
#define AG_DOCUMENTS_COSMOS_H

#include "mongo/address.h"
#include "run/ctx.h"

bool ag_cosmos_is_uri(ag_str uri);
/* What stands in for Azure: "QUERYARGUS_EMULATOR", "LOCAL_MONGO_URI"; NULL = nothing. */
const char *ag_cosmos_stand_in(void);
/* The address for the driver, with keys; its shown parts are the cosmos:// address.
 * errors  AG_INVALID: the address; those of ag_azure_connection() */
AG_CHECK ag_status ag_cosmos_address(const ag_ctx *ctx, ag_str uri, ag_arena *arena,
                                     ag_mongo_address *ret, ag_err *err);
/* What the addresses of its collections begin with, without asking Azure: up to a "/" or "."; the whole address of one collection,
 * without options. "" = the address is wrong. */
ag_str ag_cosmos_base(ag_str uri, ag_arena *arena, bool *ret_is_one);
/* The address of a source from its parts. account: a name, an ARM id, or a mongodb:// connection string, which gives a
 * mongodb:// address. database and collection are as they are called, not encoded; "" = all.
 * errors  AG_INVALID: names the part that is wrong; never quotes a key */
AG_CHECK ag_status ag_cosmos_uri(ag_str account, ag_str database, ag_str collection, bool can_write,
                                 ag_arena *arena, ag_str *ret, ag_err *err);

#endif
