/* ctx -- what every call that can block or loop takes: clock, deadline, cancel, threads, progress.
 *
 * A ctx is shared by the threads of one run; only `cancel` and the progress counters change,
 * atomically. Where a ctx is taken NULL means: no limits, and nobody looks. */
#ifndef AG_RUN_CTX_H
#define AG_RUN_CTX_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/time.h"

/* Progress of the long operation that is under way; rendered by cli/ from another thread. */
typedef struct ag_progress {
	_Atomic(const char *) phase;  /* "reading", "checking"; NULL = nothing long */
	_Atomic uint64_t done, total; /* in `unit`s; total 0 = unknown */
	_Atomic(const char *) unit;   /* "bytes", "checks" */
	_Atomic uint64_t documents;   /* documents read so far */
	_Atomic uint64_t nphase;      /* phases so far: two of one name are two */
	_Atomic uint64_t milli_units; /* request units that a server charged, in thousandths */
	_Atomic uint64_t nthrottled;  /* times a server asked to wait */
} ag_progress;

typedef struct ag_ctx {
	const ag_clock *clock;
	int64_t deadline_ms;           /* monotonic; 0 = none */
	const atomic_bool *cancel;     /* NULL = cannot be cancelled */
	const atomic_bool *cancel_run; /* the same, of one run: live.h; NULL */
	unsigned nthread;              /* worker threads to use, at least 1 */
	ag_progress *progress;         /* NULL = nobody looks */
	const struct ag_span *span;    /* of what the call is a part (run/span.h); NULL */
} ag_ctx;

/* AG_OK, or AG_CANCELLED / AG_TIMEOUT with a message. Cheap: call it every few thousand steps. */
AG_CHECK ag_status ag_ctx_check(const ag_ctx *ctx, ag_err *err);
/* Cheaper still: was it cancelled? */
bool ag_ctx_is_cancelled(const ag_ctx *ctx);
/* Could it be? Else a wait need not be cut into slices. */
bool ag_ctx_can_be_cancelled(const ag_ctx *ctx);
/* Milliseconds left until the deadline, or -1 when there is none. */
int64_t ag_ctx_left_ms(const ag_ctx *ctx);
/* A new long operation starts at 0 of `total`; phase and unit are literals (kept by pointer). */
void ag_ctx_phase(const ag_ctx *ctx, const char *phase, const char *unit, uint64_t total);
/* So much more is done (both are added); any worker thread may call it. */
void ag_ctx_advance(const ag_ctx *ctx, uint64_t done, uint64_t documents);
/* A server charged so many thousandths of a request unit, and asked to wait so many times (both are added). */
void ag_ctx_charge(const ag_ctx *ctx, uint64_t milli_units, uint64_t nthrottled);

#endif
