/* What the store costs: processor time of a committed audit row, event and rate, alone and in groups.
 *
 *   bench_store FOLDER [SECONDS]
 *
 * FOLDER is on the disk to measure. Nothing waits for the disk except checkpoints and the line `durable`. Each line runs
 * for SECONDS (1) five times; the least is printed, because noise of the machine only adds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "store/identity.h"
#include "store/ledger.h"
#include "store/store.h"

#define ROUNDS 5

typedef struct bench {
	ag_store *store;
	ag_id run;
	uint64_t seq;
	ag_err err;
} bench;

static double seconds_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void must(bench *b, ag_status st)
{
	if (st) {
		fprintf(stderr, "bench_store: %s\n", b->err.msg);
		exit(1);
	}
}

static void append(bench *b, size_t n, bool durable)
{
	ag_ledger_row rows[64];

	for (size_t i = 0; i < n; i++)
		rows[i] = (ag_ledger_row){ .at_ms = 1700000000000 + (int64_t)i,
			                   .user = AG_S("ann"),
			                   .project = AG_S("shop"),
			                   .token = AG_S("0123456789ab"),
			                   .session = AG_S("7d0cf2b1-7f3e-4a2e-9d5c-1f1f1f1f1f1f"),
			                   .tool = AG_S("query"),
			                   .sql = AG_S("SELECT id, name, total FROM orders "
			                               "WHERE id = 4711"),
			                   .fingerprint = AG_S("0123456789abcdef"),
			                   .verdict = AG_S("allow"),
			                   .tables = AG_S("[\"public.orders\"]"),
			                   .nrow = 1,
			                   .nbyte = 60,
			                   .wait_us = 5,
			                   .exec_us = 100 + (int64_t)i,
			                   .outcome = AG_S("ok") };
	must(b, ag_store_ledger_append(b->store, rows, n, durable, &b->err));
}

static void row_alone(bench *b)
{
	append(b, 1, false);
}

static void rows_of_32(bench *b)
{
	append(b, 32, false);
}

static void row_durable(bench *b)
{
	append(b, 1, true);
}

static void event(bench *b)
{
	const ag_event ev = { .v = 1,
		              .run = b->run,
		              .seq = ++b->seq,
		              .type = AG_EV_TEXT_DELTA,
		              .at_ms = 1700000000000,
		              .payload = AG_S("{\"text\":\"a piece of text for the user\"}") };
	const ag_store_batch batch = { .events = &ev, .nevent = 1 };

	must(b, ag_store_commit(b->store, &b->run, &batch, &b->err));
}

static void rate(bench *b)
{
	const ag_rate_key keys[] = { { AG_S("user:ann/minute"), 60000, 1u << 30 },
		                     { AG_S("user:ann/day"), 86400000, 1u << 30 } };
	ag_rate_taken taken;

	must(b, ag_store_rate_take(b->store, keys, 2, 1, 1700000000000, &taken, &b->err));
}

static void version(bench *b)
{
	uint64_t v;

	must(b, ag_store_version(b->store, &v, &b->err));
}

static void measure(bench *b, const char *name, void (*fn)(bench *), unsigned nrow, double seconds)
{
	double least_cpu = 1e9, least_wall = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
		const double wall = seconds_of(CLOCK_MONOTONIC);
		double cpu_us, wall_us;
		unsigned long n = 0;

		do {
			for (int i = 0; i < 16; i++, n++)
				fn(b);
		} while (seconds_of(CLOCK_MONOTONIC) - wall < seconds);
		cpu_us = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / (double)n / nrow;
		wall_us = (seconds_of(CLOCK_MONOTONIC) - wall) * 1e6 / (double)n / nrow;
		least_cpu = cpu_us < least_cpu ? cpu_us : least_cpu;
		least_wall = wall_us < least_wall ? wall_us : least_wall;
	}
	printf("%-34s %8.2f us of CPU %10.2f us\n", name, least_cpu, least_wall);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	double seconds = 1;
	bench b = { .run = ag_id_new(&ag_clock_system) };
	char uri[512];

	if (argc < 2 || (argc > 2 && !ag_str_to_double(ag_str_c(argv[2]), &seconds))) {
		fprintf(stderr, "usage: bench_store FOLDER [SECONDS]\n");
		return 2;
	}
	snprintf(uri, sizeof(uri), "sqlite:%s/bench.db", argv[1]);
	must(&b, ag_store_open(ag_str_c(uri), &b.store, &b.err));
	measure(&b, "an audit row, alone", row_alone, 1, seconds);
	measure(&b, "an audit row, in a group of 32", rows_of_32, 32, seconds);
	measure(&b, "an audit row, durable", row_durable, 1, seconds);
	measure(&b, "an event, alone", event, 1, seconds);
	measure(&b, "a call of two rate limits", rate, 1, seconds);
	measure(&b, "has the store changed?", version, 1, seconds);
	ag_store_close(b.store);
	return 0;
}
