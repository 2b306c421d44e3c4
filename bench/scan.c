/* scan -- what loading a table costs over what simdjson alone costs on the same file.
 *
 *   bench/scan FILE.ndjson [rounds]
 *
 * CPU time of one thread: ag_table_load() against simdjson's DOM parse of each line with a visit of every
 * value, in turns in the same process; the best of each counts. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "columns/table.h"

/* simdjson_visit.cc */
uint64_t bench_visit(const char *p, size_t n, uint64_t *ret_sum);

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static char *read_all(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	char *p;
	long n;

	if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0)
		return NULL;
	rewind(f);
	p = (char *)ag_xcalloc((size_t)n + 64, 1);
	*ret_n = fread(p, 1, (size_t)n, f);
	fclose(f);
	return p;
}

int main(int argc, char **argv)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
	double best_load = 1e9, best_visit = 1e9, mb;
	uint64_t ndoc = 0, visited = 0, sum = 0;
	const char *path = argv[argc > 1];
	size_t n = 0;
	char *p = argc > 1 ? read_all(path, &n) : NULL;

	if (!p) {
		fprintf(stderr, "usage: scan FILE.ndjson [rounds]\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++) {
		double from = cpu_seconds(), mid;
		ag_table *t = NULL;
		ag_err err;

		visited = bench_visit(p, n, &sum);
		mid = cpu_seconds();
		if (mid - from < best_visit)
			best_visit = mid - from;
		if (ag_table_load(&ctx, &path, 1, NULL, &t, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
		if (cpu_seconds() - mid < best_load)
			best_load = cpu_seconds() - mid;
		ndoc = ag_table_info_of(t)->ndoc;
		ag_table_free(t);
	}
	free(p);
	mb = (double)n / 1e6;
	printf("%.1f MB, %llu documents, %llu values\n", mb, (unsigned long long)ndoc,
	       (unsigned long long)visited);
	printf("simdjson, visit  %7.0f MB/s\n", mb / best_visit);
	printf("ag_table_load    %7.0f MB/s\n", mb / best_load);
	printf("ratio            %7.2f\n", best_visit / best_load);
	return sum == 0; /* keeps the visit from being optimised away */
}
