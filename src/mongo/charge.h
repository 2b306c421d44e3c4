/* charge -- request units and throttling of Azure Cosmos DB; what mongo.c needs of it. */
#ifndef AG_MONGO_CHARGE_H
#define AG_MONGO_CHARGE_H

#include "mongo/command.h"
#include "run/ctx.h"

/* How long one command has waited. */
typedef struct ag_mongo_patience {
	unsigned nwait;
	int64_t waited_ms;
} ag_mongo_patience;

/* The milliseconds in "Error=16500, RetryAfterMs=34, Details=…", at most AG_MONGO_MAX_TIME_MS; false when it names none. */
bool ag_mongo_retry_after(ag_str message, int64_t *ret_ms);
/* Does the error say that the command may be sent again later? */
bool ag_mongo_is_throttled(uint32_t code, ag_str message);
/* Wait as long as the message says; without a time in it 100 ms, then twice as long each time.
 * errors  AG_UNAVAILABLE: the deadline, or AG_MONGO_MAX_TIME_MS of waits, would end before the wait; AG_CANCELLED,
 *         AG_TIMEOUT */
AG_CHECK ag_status ag_mongo_wait_throttled(const ag_ctx *ctx, ag_mongo_meter *meter, ag_str message,
                                           ag_mongo_patience *p, ag_err *err);
/* is_counted: the server says what commands cost. errors  AG_LIMIT: the budget is used up; AG_INVALID: it cannot be kept */
AG_CHECK ag_status ag_mongo_check_budget(const ag_mongo_meter *meter, bool is_counted, ag_err *err);
/* Add what an answer to getLastRequestStatistics says; false when it says no charge. meter may be NULL. */
bool ag_mongo_take_charge(const ag_ctx *ctx, ag_mongo_meter *meter, const ag_val *statistics);

#endif
