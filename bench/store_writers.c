/* How much several writers commit in a second, each on a handle of its own.
 *
 *   store_writers URI event|row WRITERS SECONDS
 *
 * event: a durable event a commit, each writer in a run of its own. row: a durable row of the audit table a commit, all in
 * one chain. Prints the number a second. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "store/ledger.h"
#include "store/store.h"

#define MAX_WRITERS 64

typedef struct writer {
	ag_store *store;
	ag_id run;
	bool is_row;
	uint64_t n;
	const atomic_bool *is_over;
	ag_status status;
	ag_err err;
} writer;

static ag_status write_event(writer *w)
{
	const ag_event ev = { .v = 1,
		              .run = w->run,
		              .seq = w->n + 1,
		              .type = AG_EV_TOOL_OUTPUT,
		              .cause = w->n,
		              .at_ms = 1700000000000,
		              .payload = AG_S(
				      "{\"tool\":\"run_query\",\"ok\":true,\"latency_ms\":4,"
				      "\"summary\":\"20 of 400 documents\"}") };
	const ag_store_batch batch = { .events = &ev, .nevent = 1 };

	return ag_store_commit(w->store, &w->run, &batch, &w->err);
}

static ag_status write_row(writer *w)
{
	ag_ledger_row row = { .at_ms = 1700000000000,
		              .user = AG_S("ann"),
		              .project = AG_S("shop"),
		              .tool = AG_S("query"),
		              .sql = AG_S("SELECT id, name, total FROM orders WHERE id = 4711"),
		              .verdict = AG_S("allow"),
		              .outcome = AG_S("ok") };

	return ag_store_ledger_append(w->store, &row, 1, true, &w->err);
}

static void *work(void *arg)
{
	writer *w = arg;

	while (!w->status && !atomic_load(w->is_over)) {
		w->status = w->is_row ? write_row(w) : write_event(w);
		w->n += !w->status;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static writer writers[MAX_WRITERS];
	static pthread_t threads[MAX_WRITERS];
	atomic_bool is_over = false;
	uint64_t n = 0, total = 0;
	double seconds = 0;
	int64_t began_us;

	if (argc != 5 || !ag_str_to_u64(ag_str_c(argv[3]), &n) || n < 1 || n > MAX_WRITERS ||
	    !ag_str_to_double(ag_str_c(argv[4]), &seconds)) {
		fprintf(stderr, "usage: store_writers URI event|row WRITERS SECONDS\n");
		return 2;
	}
	for (uint64_t i = 0; i < n; i++) {
		writer *w = &writers[i];

		*w = (writer){ .run = ag_id_new(&ag_clock_system),
			       .is_row = strcmp(argv[2], "row") == 0,
			       .is_over = &is_over };
		if (ag_store_open(ag_str_c(argv[1]), &w->store, &w->err)) {
			fprintf(stderr, "store_writers: %s\n", w->err.msg);
			return 1;
		}
	}
	began_us = ag_time_mono_us();
	for (uint64_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, &writers[i]);
	while (ag_time_mono_us() - began_us < (int64_t)(seconds * 1e6))
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	atomic_store(&is_over, true);
	for (uint64_t i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		total += writers[i].n;
		if (writers[i].status) {
			fprintf(stderr, "store_writers: %s\n", writers[i].err.msg);
			return 1;
		}
	}
	printf("%.0f\n", (double)total / ((double)(ag_time_mono_us() - began_us) / 1e6));
	for (uint64_t i = 0; i < n; i++)
		ag_store_close(writers[i].store);
	return 0;
}
