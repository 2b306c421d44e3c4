/* retry -- tables of what passes by itself, and a sleep that listens.
 *
 * The sleep is cut into slices of 20 ms; each slice asks the context. It counts the slices, not the clock: a clock that
 * a test holds still, or that jumps, neither hangs it nor cuts it short. */
#include "llm/retry.h"

#include <errno.h>
#include <time.h>

#define SLICE_MS 20

bool ag_retry_http_status(int status)
{
	return status == 408 || status == 409 || status == 425 || status == 429 ||
	       (status >= 500 && status <= 599);
}

/* CURLcodes by number: only net/ knows the library. They are part of its ABI and never change. */
static const struct {
	int code;
	ag_retry_kind kind;
} curl_codes[] = {
	{ 1, AG_RETRY_NEVER },                          /* unsupported protocol */
	{ 2, AG_RETRY_NEVER },                          /* the library cannot start */
	{ 3, AG_RETRY_NEVER },                          /* malformed address */
	{ 5, AG_RETRY_ONCE },                           /* no such proxy */
	{ 6, AG_RETRY_ONCE },                           /* no such host */
	{ 27, AG_RETRY_NEVER },                         /* out of memory */
	{ 53, AG_RETRY_NEVER },                         /* TLS engine */
	{ 54, AG_RETRY_NEVER }, { 58, AG_RETRY_NEVER }, /* own certificate */
	{ 59, AG_RETRY_NEVER },                         /* cipher */
	{ 60, AG_RETRY_NEVER },                         /* the server's certificate */
	{ 66, AG_RETRY_NEVER }, { 77, AG_RETRY_NEVER }, /* file of authorities */
	{ 80, AG_RETRY_NEVER }, { 82, AG_RETRY_NEVER }, /* revocation list */
	{ 83, AG_RETRY_NEVER },                         /* issuer */
	{ 90, AG_RETRY_NEVER },                         /* pinned key */
	{ 91, AG_RETRY_NEVER },                         /* stapled status */
};

ag_retry_kind ag_retry_transport(const ag_err *e)
{
	if (e->status == AG_TIMEOUT)
		return AG_RETRY_YES;
	/* Without a code it is the library itself that is missing. */
	if (e->status != AG_UNAVAILABLE || e->native == 0)
		return AG_RETRY_NEVER;
	for (size_t i = 0; i < AG_NELEM(curl_codes); i++) {
		if (curl_codes[i].code == e->native)
			return curl_codes[i].kind;
	}
	return AG_RETRY_YES;
}

int64_t ag_retry_backoff_ms(int64_t first_ms, unsigned attempt, uint64_t random)
{
	int64_t top = first_ms, most = first_ms * AG_RETRY_GROWTH;

	for (unsigned i = 1; i < attempt && top < most; i++)
		top *= 2;
	if (top > most)
		top = most;
	return (int64_t)(random % ((uint64_t)top + 1));
}

uint64_t ag_retry_random(uint64_t seed, uint64_t n)
{
	uint64_t z = seed + (n + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

ag_status ag_retry_sleep(const ag_ctx *ctx, int64_t ms, ag_err *err)
{
	ag_status st = ag_ctx_check(ctx, err);

	while (!st && ms > 0) {
		int64_t slice = ms < SLICE_MS ? ms : SLICE_MS;
		struct timespec left = { .tv_sec = 0, .tv_nsec = (long)slice * 1000000 };

		while (nanosleep(&left, &left) && errno == EINTR)
			;
		ms -= slice;
		st = ag_ctx_check(ctx, err);
	}
	return st;
}
