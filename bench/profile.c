/* profile -- how fast is the exact profile of a table?
 *
 * usage: profile [MEGABYTES [THREADS]]   default 50 MB, 1 thread
 *
 * Makes documents of an invented shop from a fixed seed (ids, names, categories, amounts, dates, texts, a
 * list of objects), puts them into a table and profiles it. Printed are the bytes that the documents have as
 * JSON, the values, and for profile and survey the time, ns a value and MB/s: the best
 * of five. Time is that of the processor, of all threads together, so a busy machine tells the truth too. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "columns/profile.h"
#include "columns/survey.h"
#include "query/extjson.h"

#define ROUNDS 5

static uint64_t seed = 42;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % below);
}

static void put(ag_member *m, size_t *n, const char *key, ag_val v)
{
	m[*n].key = ag_str_c(key);
	m[(*n)++].val = v;
}

static ag_val sentence(ag_arena *a)
{
	static const char *const words[] = { "delivery", "was",     "late",   "but", "the",
		                             "parcel",   "arrived", "intact", "and", "complete",
		                             "thank",    "you",     "again" };
	ag_buf b = AG_BUF_INIT(1000);
	ag_val v;

	for (uint32_t i = 3 + rnd(12); i > 0; i--)
		ag_buf_addf(&b, "%s%s", words[rnd(AG_NELEM(words))], i > 1 ? " " : ".");
	v = ag_val_str(ag_buf_dup(a, &b));
	ag_buf_release(&b);
	return v;
}

static ag_val item(ag_arena *a)
{
	ag_member *m = ag_new_n(a, ag_member, 3);
	size_t n = 0;

	put(m, &n, "sku", ag_val_str(ag_str_printf(a, "AB-%05u", rnd(3000))));
	put(m, &n, "qty", ag_val_int(1 + rnd(9)));
	put(m, &n, "price", ag_val_double((100 + rnd(20000)) / 100.0));
	return ag_val_object(m, n);
}

static ag_val document(ag_arena *a, uint32_t i)
{
	static const char *const cities[] = { "Berlin", "Hamburg",   "München",
		                              "Köln",   "Frankfurt", "Stuttgart" };
	static const char *const status[] = { "new", "paid", "sent", "returned" };
	ag_member *m = ag_new_n(a, ag_member, 16);
	ag_val *items = ag_new_n(a, ag_val, 4);
	uint32_t nitem = 1 + rnd(3);
	size_t n = 0;

	for (uint32_t k = 0; k < nitem; k++)
		items[k] = item(a);
	put(m, &n, "_id", ag_val_int(1000000 + i));
	put(m, &n, "order_no", ag_val_str(ag_str_printf(a, "ORD-%08x", rnd(UINT32_MAX))));
	put(m, &n, "customer", ag_val_str(ag_str_printf(a, "Customer %u", rnd(40000))));
	put(m, &n, "email", ag_val_str(ag_str_printf(a, "user%u@example.org", rnd(40000))));
	put(m, &n, "city", ag_val_str(ag_str_c(cities[rnd(AG_NELEM(cities))])));
	put(m, &n, "status", ag_val_str(ag_str_c(status[rnd(AG_NELEM(status))])));
	put(m, &n, "zip", ag_val_str(ag_str_printf(a, "%05u", rnd(100000))));
	put(m, &n, "total", ag_val_double((100 + rnd(500000)) / 100.0));
	put(m, &n, "age", rnd(50) ? ag_val_int(18 + rnd(70)) : ag_val_null());
	put(m, &n, "paid", ag_val_bool(rnd(2)));
	put(m, &n, "created", ag_val_date(INT64_C(1700000000000) + rnd(1000000) * INT64_C(60000)));
	put(m, &n, "day", ag_val_str(ag_str_printf(a, "2025-%02u-%02u", 1 + rnd(12), 1 + rnd(28))));
	put(m, &n, "items", ag_val_array(items, nitem));
	if (rnd(3) == 0)
		put(m, &n, "comment", sentence(a));
	return ag_val_object(m, n);
}

static ag_table *make_table(const ag_ctx *ctx, size_t want, size_t *ret_bytes)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1 << 20);
	size_t n = 0, cap = want / 100, bytes = 0;
	ag_val *docs = (ag_val *)ag_xmalloc((cap + 1) * sizeof(*docs));
	ag_table *t = NULL;
	ag_err err;

	while (bytes < want && n < cap) {
		docs[n] = document(a, (uint32_t)n);
		ag_buf_clear(&text);
		ag_extjson_write(&text, &docs[n], AG_EXTJSON_RELAXED);
		bytes += text.len + 1;
		n++;
	}
	if (ag_table_from_values(ctx, docs, n, &t, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	ag_buf_release(&text);
	free(docs);
	ag_arena_free(a);
	*ret_bytes = bytes;
	return t;
}

static void report(const char *what, double ms, size_t bytes, uint64_t nvalue)
{
	printf("%-8s %8.1f ms %7.1f ns/value %8.0f MB/s\n", what, ms, ms * 1e6 / (double)nvalue,
	       (double)bytes / 1e3 / ms);
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	int64_t mb = 50, nthread = 1;
	ag_ctx ctx = { .clock = &ag_clock_system };
	double best[2] = { 1e300, 1e300 };
	uint64_t nvalue = 0;
	size_t bytes;
	ag_table *t;

	if ((argc > 1 && !ag_str_to_i64(ag_str_c(argv[1]), &mb)) ||
	    (argc > 2 && !ag_str_to_i64(ag_str_c(argv[2]), &nthread)) || mb < 1 || nthread < 1)
		return 2;
	ctx.nthread = (unsigned)nthread;
	t = make_table(&ctx, (size_t)mb * 1000000, &bytes);
	for (int round = 0; round < ROUNDS; round++) {
		ag_arena *a = ag_arena_new();
		ag_profile p;
		ag_survey s;
		ag_err err;
		double at[3];

		at[0] = now_ms();
		if (ag_table_profile(t, &ctx, a, &p, &err))
			return 1;
		at[1] = now_ms();
		if (ag_table_survey(t, &ctx, NULL, a, &s, &err))
			return 1;
		at[2] = now_ms();
		nvalue = 0;
		for (size_t i = 0; i < p.npath; i++)
			nvalue += p.paths[i].n;
		for (int k = 0; k < 2; k++)
			best[k] = at[k + 1] - at[k] < best[k] ? at[k + 1] - at[k] : best[k];
		ag_arena_free(a);
	}
	printf("%.1f MB, %llu documents, %llu values, %u threads\n", (double)bytes / 1e6,
	       (unsigned long long)ag_table_info_of(t)->ndoc, (unsigned long long)nvalue,
	       ctx.nthread);
	report("profile", best[0], bytes, nvalue);
	report("survey", best[1], bytes, nvalue);
	ag_table_free(t);
	return 0;
}
