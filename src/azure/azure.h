/* azure -- accounts of Azure Cosmos DB for MongoDB, and their keys, by Azure Resource Manager (ARM).
 *
 * Only what finding an account needs: list subscriptions, list resources, list the connection strings of one account.
 * What was learnt is kept for AG_AZURE_KEEP_MS in the process, keys included, and never on disk. Thread safe.
 *
 * Environment: AZURE_ACCESS_TOKEN (a token for ARM), IDENTITY_ENDPOINT with IDENTITY_HEADER (managed identity of an app),
 * AZURE_CLIENT_ID (which identity), ARGUS_AZURE_MANAGEMENT (the address of ARM: another cloud), ARGUS_AZURE_METADATA (the
 * address of the metadata service of a virtual machine; "none" = do not ask it). */
#ifndef AG_AZURE_AZURE_H
#define AG_AZURE_AZURE_H

#include "base/arena.h"
#include "base/err.h"
#include "run/ctx.h"

#define AG_AZURE_KEEP_MS (5 * 60 * 1000)

/* --- token.c: who asks --- */

typedef struct ag_azure_token {
	ag_str text; /* secret: redacted in logs; never print it */
	ag_str from; /* "AZURE_ACCESS_TOKEN", "az", "managed identity" */
	ag_str owner; /* what the token says of who it is for: a user's name, or the id of an application; "" = nothing */
} ag_azure_token;

/* The first that there is: AZURE_ACCESS_TOKEN, IDENTITY_ENDPOINT, `az account get-access-token`, the metadata service.
 * errors  AG_DENIED: there is none; the hint names `az login` */
AG_CHECK ag_status ag_azure_token_get(const ag_ctx *ctx, ag_arena *arena, ag_azure_token *ret,
                                      ag_err *err);

/* --- arm.c: what there is --- */

typedef struct ag_azure_account {
	ag_str id;           /* "/subscriptions/…/databaseAccounts/NAME" */
	ag_str name;         /* the last part of it */
	ag_str location;     /* "westeurope" */
	ag_str subscription; /* its id */
	bool is_cluster;     /* vCore: a MongoDB server like any other, without request units */
} ag_azure_account;

/* A subscription whose accounts could not be listed. */
typedef struct ag_azure_skip {
	ag_str subscription;
	ag_str why;
} ag_azure_skip;

typedef struct ag_azure_accounts {
	ag_azure_account *items; /* in the order of their names */
	size_t n;
	ag_azure_skip *skipped;
	size_t nskipped;
	size_t nsubscription; /* those that could be read */
} ag_azure_accounts;

/* errors  AG_DENIED: no token, or ARM refuses it; AG_UNAVAILABLE, AG_TIMEOUT, AG_CANCELLED, AG_PROTOCOL, AG_LIMIT */
AG_CHECK ag_status ag_azure_list(const ag_ctx *ctx, ag_arena *arena, ag_azure_accounts *ret,
                                 ag_err *err);

typedef struct ag_azure_string {
	ag_str text; /* "mongodb://name:key@name.mongo.cosmos.azure.com:10255/?ssl=true…": secret */
	ag_str description; /* "Primary Read-Only MongoDB Connection String" */
	bool is_cluster; /* as in ag_azure_account; user and password are then "<user>" and "<password>" */
	bool can_write; /* its key may write */
} ag_azure_string;

/* The connection string of an account, by its name or ARM id. Without can_write a read-only key: the primary one when it is
 * there. With can_write the primary key that may write.
 * errors  those of ag_azure_list(); AG_NOT_FOUND: no account of that name is visible; AG_CONFLICT: several are; AG_DENIED:
 *         the account has no read-only key, and can_write is false */
AG_CHECK ag_status ag_azure_connection(const ag_ctx *ctx, ag_str account, bool can_write,
                                       ag_arena *arena, ag_azure_string *ret, ag_err *err);

/* Is it "/subscriptions/S/resourceGroups/G/providers/Microsoft.DocumentDB/databaseAccounts/NAME", or mongoClusters? */
bool ag_azure_is_id(ag_str account);

/* --- json.c: what answers say; for tests and fuzzing --- */

/* Of an answer to listConnectionStrings; is_cluster is the caller's. errors  AG_PROTOCOL: it is none; AG_DENIED as above */
AG_CHECK ag_status ag_azure_choose(ag_str json, bool can_write, ag_arena *arena,
                                   ag_azure_string *ret, ag_err *err);
/* The owner that a token names; "" when it is none that can be read. */
ag_str ag_azure_token_owner(ag_str token, ag_arena *arena);

#endif
