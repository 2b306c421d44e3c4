/* charge -- what Azure Cosmos DB asks of its clients: to wait when it limits the rate, and to read what a command cost.
 *
 * The server refuses a command with error 16500 (TooManyRequests, HTTP status 429) and says after how many milliseconds it
 * may be sent again. The refused command did nothing and cost nothing. mongo.c sends it again. */
#include "mongo/charge.h"

#include <time.h>

#include "mongo/mongo.h"

#define ORIGIN          "mongo.charge"
#define FIRST_WAIT_MS   100 /* where the server names no time; doubled each time */
#define LONGEST_WAIT_MS 5000

/* "RetryAfterMs=34": of a number that is too large, the longest wait of all commands. */
bool ag_mongo_retry_after(ag_str message, int64_t *ret_ms)
{
	static const ag_str name = AG_S_INIT("RetryAfterMs");
	int64_t ms = 0;
	bool is_there = false;

	for (size_t i = 0; i + name.len < message.len; i++) {
		if (!ag_str_ieq(ag_str_make(message.ptr + i, name.len), name))
			continue;
		i += name.len;
		while (i < message.len && memchr("=: \"", message.ptr[i], 4))
			i++;
		for (; i < message.len && message.ptr[i] >= '0' && message.ptr[i] <= '9'; i++) {
			is_there = true;
			if (ms < AG_MONGO_MAX_TIME_MS)
				ms = ms * 10 + (message.ptr[i] - '0');
		}
		break;
	}
	*ret_ms = ms < AG_MONGO_MAX_TIME_MS ? ms : AG_MONGO_MAX_TIME_MS;
	return is_there;
}

/* A request whose retries the server did itself until its own time-out ends with code 50 and says why. */
bool ag_mongo_is_throttled(uint32_t code, ag_str message)
{
	return code == 16500 || code == 429 ||
	       (code == 50 && (ag_str_contains(message, AG_S("rate limiting: True")) ||
	                       ag_str_contains(message, AG_S("TooManyRequests"))));
}

static ag_status sleep_for(const ag_ctx *ctx, int64_t ms, ag_err *err)
{
	const int64_t end = ag_clock_mono(&ag_clock_system) + ms;
	ag_status st = ag_ctx_check(ctx, err);

	for (int64_t left = ms; !st && left > 0; left = end - ag_clock_mono(&ag_clock_system)) {
		const int64_t slice = left < AG_MONGO_SLICE_MS ? left : AG_MONGO_SLICE_MS;
		const struct timespec t = { .tv_nsec = (long)slice * 1000000L };

		nanosleep(&t, NULL);
		st = ag_ctx_check(ctx, err);
	}
	return st;
}

ag_status ag_mongo_wait_throttled(const ag_ctx *ctx, ag_mongo_meter *meter, ag_str message,
                                  ag_mongo_patience *p, ag_err *err)
{
	const int64_t left = ag_ctx_left_ms(ctx);
	int64_t ms;

	if (!ag_mongo_retry_after(message, &ms)) {
		ms = FIRST_WAIT_MS << (p->nwait < 6 ? p->nwait : 6);
		ms = ms < LONGEST_WAIT_MS ? ms : LONGEST_WAIT_MS;
	}
	ms = ms > 0 ? ms : 1;
	p->nwait++;
	ag_ctx_charge(ctx, 0, 1);
	if (meter)
		atomic_fetch_add_explicit(&meter->nthrottled, 1, memory_order_relaxed);
	if ((left >= 0 && ms >= left) || p->waited_ms + ms > AG_MONGO_MAX_TIME_MS)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		               "there is no time to wait %lld ms more for the server",
		               (long long)ms);
	p->waited_ms += ms;
	if (meter)
		atomic_fetch_add_explicit(&meter->waited_ms, (uint64_t)ms, memory_order_relaxed);
	return sleep_for(ctx, ms, err);
}

ag_status ag_mongo_check_budget(const ag_mongo_meter *meter, bool is_counted, ag_err *err)
{
	uint64_t used;

	if (!meter || !meter->max_milli)
		return AG_OK;
	if (!is_counted) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the server does not say what a command costs, so a limit of request units cannot "
		        "be kept");
		ag_err_hint(err, "leave --max-ru out; --max-seconds and --max-calls limit as well");
		return AG_INVALID;
	}
	used = atomic_load_explicit(&meter->used_milli, memory_order_relaxed);
	if (used < meter->max_milli)
		return AG_OK;
	ag_fail(err, AG_LIMIT, ORIGIN, "the budget of %.10g request units is used up (%.10g used)",
	        (double)meter->max_milli / 1000, (double)used / 1000);
	ag_err_hint(err, "allow more with --max-ru");
	return AG_LIMIT;
}

bool ag_mongo_take_charge(const ag_ctx *ctx, ag_mongo_meter *meter, const ag_val *statistics)
{
	const ag_val *charge = ag_val_getc(statistics, "RequestCharge");
	double units;

	if (!charge || !ag_type_is_number(charge->type))
		return false;
	units = ag_val_member_num(statistics, "RequestCharge");
	if (!(units >= 0) || units > 1e12)
		return false;
	ag_ctx_charge(ctx, (uint64_t)(units * 1000 + 0.5), 0);
	if (meter)
		atomic_fetch_add_explicit(&meter->used_milli, (uint64_t)(units * 1000 + 0.5),
		                          memory_order_relaxed);
	return true;
}
