/* profile -- what do the exact profile of a table and each check of the catalogue cost?
 *
 * usage: profile [MEGABYTES [THREADS [FILE]]]   default 50 MB, 1 thread
 *
 * Makes documents of an invented shop from a fixed seed (ids, names, categories, amounts, dates, texts, a
 * list of objects), puts them into a table and profiles it. Printed are the bytes that the documents have as
 * JSON, the values, and for profile, survey and frames the time, ns a value and MB/s: the best of five. Then
 * each check's time and its part of the profile's, the best of five too. Time is processor time of all threads
 * together. FILE, if given, gets the documents as NDJSON. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "audit/hypothesis.h"
#include "columns/frame.h"
#include "columns/profile.h"
#include "columns/survey.h"
#include "query/extjson.h"

#define ROUNDS 3

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

/* out: gets the documents as NDJSON, or NULL */
static ag_table *make_table(const ag_ctx *ctx, size_t want, FILE *out, size_t *ret_bytes)
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
		ag_buf_addc(&text, '\n');
		bytes += text.len;
		if (out && fwrite(text.ptr, 1, text.len, out) != text.len) {
			perror("profile: cannot write the documents");
			exit(1);
		}
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

static void keep_best(double *best, double ms)
{
	if (ms < *best)
		*best = ms;
}

enum { PROFILE, SURVEY, FRAMES, NSTEP };
#define MAX_CHECKS 128

typedef struct costs {
	double step[NSTEP], check[MAX_CHECKS];
	uint64_t nvalue;
} costs;

/* Runs every check as ag_catalogue_run() does, check by check. */
static bool time_checks(const ag_across *x, ag_arena *a, costs *c)
{
	ag_hypotheses h = { .arena = a };
	size_t nplain, nacross;
	const ag_check *plain = ag_check_table(&nplain);
	const ag_across_check *across = ag_across_check_table(&nacross);
	ag_err err;

	for (size_t k = 0; k < nplain; k++) {
		const double at = now_ms();

		for (size_t i = 0; i < x->p->npath; i++) {
			h.name = ag_field_name_of(x->p->paths[i].owner);
			plain[k].path(x->p, &x->p->paths[i], x->o, &h);
		}
		keep_best(&c->check[k], now_ms() - at);
	}
	for (size_t k = 0; k < nacross; k++) {
		const double at = now_ms();

		if (across[k].run(x, &h, &err))
			return false;
		keep_best(&c->check[nplain + k], now_ms() - at);
	}
	return true;
}

static bool time_round(const ag_table *t, const ag_ctx *ctx, costs *c)
{
	AG_AUTO(ag_arena_freep) ag_arena *a = ag_arena_new();
	const ag_catalogue_opts o = { .as_of_ms = INT64_C(1760000000000),
		                      .null_rate_warning_threshold = 0.05,
		                      .null_rate_critical_threshold = 0.2,
		                      .type_consistency_threshold = 0.98 };
	ag_profile p;
	ag_survey s;
	ag_frames frames;
	ag_err err;
	double at[NSTEP + 1];

	at[0] = now_ms();
	if (ag_table_profile(t, ctx, a, &p, &err))
		return false;
	at[1] = now_ms();
	if (ag_table_survey(t, ctx, NULL, a, &s, &err))
		return false;
	at[2] = now_ms();
	if (ag_table_frames(t, ctx, &p, a, &frames, &err))
		return false;
	at[3] = now_ms();
	c->nvalue = 0;
	for (size_t i = 0; i < p.npath; i++)
		c->nvalue += p.paths[i].n;
	for (int k = 0; k < NSTEP; k++)
		keep_best(&c->step[k], at[k + 1] - at[k]);
	return time_checks(&(ag_across){ .p = &p, .frames = &frames, .o = &o, .ctx = ctx }, a, c);
}

static double sum_of_checks(const costs *c, size_t n)
{
	double all = 0;

	for (size_t k = 0; k < n; k++)
		all += c->check[k];
	return all;
}

static void report_checks(const costs *c)
{
	size_t nplain, nacross;
	const ag_check *plain = ag_check_table(&nplain);
	const ag_across_check *across = ag_across_check_table(&nacross);
	const double all = sum_of_checks(c, nplain + nacross);

	for (size_t k = 0; k < nplain + nacross; k++)
		printf("  %-18s %9.2f ms %6.1f %% of the profile\n",
		       k < nplain ? plain[k].name : across[k - nplain].name, c->check[k],
		       100 * c->check[k] / c->step[PROFILE]);
	printf("checks   %8.1f ms, %.2f times the profile; with frames %.2f times\n", all,
	       all / c->step[PROFILE], (all + c->step[FRAMES]) / c->step[PROFILE]);
}

int main(int argc, char **argv)
{
	int64_t mb = 50, nthread = 1;
	ag_ctx ctx = { .clock = &ag_clock_system };
	size_t bytes, nplain, nacross;
	FILE *out = NULL;
	ag_table *t;
	costs c;

	if ((argc > 1 && !ag_str_to_i64(ag_str_c(argv[1]), &mb)) ||
	    (argc > 2 && !ag_str_to_i64(ag_str_c(argv[2]), &nthread)) || mb < 1 || nthread < 1)
		return 2;
	ag_check_table(&nplain);
	ag_across_check_table(&nacross);
	if (nplain + nacross > MAX_CHECKS) {
		fprintf(stderr, "profile: raise MAX_CHECKS\n");
		return 1;
	}
	if (argc > 3 && !(out = fopen(argv[3], "w"))) {
		perror(argv[3]);
		return 1;
	}
	ctx.nthread = (unsigned)nthread;
	(void)setvbuf(stdout, NULL, _IOLBF, 0); /* who reads along sees each line at once */
	t = make_table(&ctx, (size_t)mb * 1000000, out, &bytes);
	if (out && fclose(out)) {
		perror(argv[3]);
		return 1;
	}
	for (size_t k = 0; k < AG_NELEM(c.step); k++)
		c.step[k] = 1e300;
	for (size_t k = 0; k < AG_NELEM(c.check); k++)
		c.check[k] = 1e300;
	for (int round = 0; round < ROUNDS; round++) {
		if (!time_round(t, &ctx, &c))
			return 1;
		printf("round %d of %d: profile %.0f ms, frames %.0f ms, checks %.0f ms at best\n",
		       round + 1, ROUNDS, c.step[PROFILE], c.step[FRAMES],
		       sum_of_checks(&c, nplain + nacross));
	}
	printf("%.1f MB, %llu documents, %llu values, %u threads\n", (double)bytes / 1e6,
	       (unsigned long long)ag_table_info_of(t)->ndoc, (unsigned long long)c.nvalue,
	       ctx.nthread);
	report("profile", c.step[PROFILE], bytes, c.nvalue);
	report("survey", c.step[SURVEY], bytes, c.nvalue);
	report("frames", c.step[FRAMES], bytes, c.nvalue);
	report_checks(&c);
	ag_table_free(t);
	return 0;
}
