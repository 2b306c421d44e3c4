/* retry -- which failures are worth another attempt, and how long to wait for it. */
#ifndef AG_LLM_RETRY_H
#define AG_LLM_RETRY_H

#include "run/ctx.h"

#define AG_RETRY_FIRST_MS 500
#define AG_RETRY_GROWTH   60 /* the longest wait is so many times the first: 30 s */
/* A server that wants more patience than this is not waited for. */
#define AG_RETRY_MAX_ASKED_MS 120000

/* Does this status of an answer pass by itself? 408, 409, 425, 429, 5xx. */
bool ag_retry_http_status(int status);

typedef enum ag_retry_kind {
	AG_RETRY_NEVER, /* the next attempt would end alike */
	AG_RETRY_ONCE, /* a name that was not found: resolvers hiccup, names that are wrong stay wrong */
	AG_RETRY_YES
} ag_retry_kind;

/* Of an error that the transport gave, native = CURLcode. */
ag_retry_kind ag_retry_transport(const ag_err *e);

/* Full jitter: uniform from 0 to first_ms * 2^(attempt - 1), capped. random: 64 fresh bits. */
int64_t ag_retry_backoff_ms(int64_t first_ms, unsigned attempt, uint64_t random);
/* The n-th number of a stream that a seed defines (splitmix64). */
uint64_t ag_retry_random(uint64_t seed, uint64_t n);

/* Sleeps; ends within 50 ms of a cancel and at the deadline. errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_retry_sleep(const ag_ctx *ctx, int64_t ms, ag_err *err);

#endif
