/* Histograms: hand-computed bars, every count against a walk over all values, hostile ranges; the profile of some
 * documents against that of a table of them; marks against a walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/time.h"
#include "columns/marks.h"
#include "columns_docs.h"

static ag_profile profile_of_table(const ag_table *t, const ag_bits *docs, ag_arena *arena)
{
	ag_ctx ctx = docs_ctx(2);
	ag_profile p = { 0 };
	ag_err err = { 0 };

	assert_int_equal(ag_table_profile_of(t, &ctx, docs, arena, &p, &err), AG_OK);
	return p;
}

/* The path "x" of documents {"x": v}. */
static ag_path_profile profile_of(const ag_val *v, size_t n, ag_arena *arena)
{
	ag_val *docs = ag_new_n(arena, ag_val, n);
	const ag_path_profile *ret;
	ag_profile p;
	ag_table *t;

	for (size_t i = 0; i < n; i++) {
		ag_member *m = ag_new(arena, ag_member);

		*m = (ag_member){ AG_S("x"), v[i] };
		docs[i] = ag_val_object(m, 1);
	}
	t = docs_table(docs, n);
	p = profile_of_table(t, NULL, arena);
	ag_table_free(t);
	ret = ag_profile_find(&p, AG_S("x"));
	assert_non_null(ret);
	return *ret;
}

static const ag_histogram *of_numbers(const double *d, size_t n, ag_arena *arena)
{
	ag_val *v = ag_new_n(arena, ag_val, n);

	for (size_t i = 0; i < n; i++)
		v[i] = ag_val_double(d[i]);
	return profile_of(v, n, arena).num.histogram;
}

static const ag_histogram *of_dates(const char *const *iso, size_t n, ag_arena *arena)
{
	ag_val *v = ag_new_n(arena, ag_val, n);
	int64_t ms;

	for (size_t i = 0; i < n; i++) {
		assert_true(ag_time_parse_iso(ag_str_c(iso[i]), &ms));
		v[i] = ag_val_date(ms);
	}
	return profile_of(v, n, arena).date.histogram;
}

static uint64_t sum(const ag_histogram *h)
{
	uint64_t n = h->below + h->above;

	for (unsigned i = 0; i < h->nbar; i++)
		n += h->counts[i];
	return n;
}

/* Bars hold what the header promises, and ag_histogram_bar() finds the same. */
static void assert_counts(const ag_histogram *h, const double *d, size_t n)
{
	uint64_t counts[AG_HISTOGRAM_MAX] = { 0 }, below = 0, above = 0;

	assert_non_null(h);
	assert_in_range(h->nbar, 1, AG_HISTOGRAM_MAX);
	for (unsigned i = 0; i < h->nbar; i++)
		assert_true(h->edges[i] < h->edges[i + 1] || (h->nbar == 1 && h->width == 0));
	for (size_t k = 0; k < n; k++) {
		unsigned i = 0;

		while (i < h->nbar && !(d[k] >= h->edges[i] && d[k] < h->edges[i + 1]))
			i++;
		if (d[k] == h->edges[h->nbar])
			i = h->nbar - 1;
		if (d[k] < h->edges[0])
			below++;
		else if (i == h->nbar)
			above++;
		else
			counts[i]++;
		assert_int_equal(ag_histogram_bar(h, d[k]), d[k] < h->edges[0] ? -1 : (int)i);
	}
	assert_memory_equal(h->counts, counts, sizeof(counts));
	assert_int_equal(h->below, below);
	assert_int_equal(h->above, above);
	assert_int_equal(sum(h), n);
}

static void whole_numbers(void **state)
{
	ag_arena *a = ag_arena_new();
	double d[1000];
	const ag_histogram *h;

	(void)state;
	/* 0..999: IQR 500, n^(1/3) 10, wanted 100: a nice width already */
	for (size_t i = 0; i < 1000; i++)
		d[i] = (double)i;
	h = of_numbers(d, 1000, a);
	assert_int_equal(h->nbar, 10);
	assert_true(h->width == 100 && h->edges[0] == 0 && h->edges[10] == 1000);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(h->counts[i], 100);
	assert_counts(h, d, 1000);
	/* 1..6: never narrower than one */
	for (size_t i = 0; i < 1000; i++)
		d[i] = (double)(1 + i % 6);
	h = of_numbers(d, 1000, a);
	assert_int_equal(h->nbar, 6);
	assert_true(h->width == 1 && h->edges[0] == 1 && h->edges[6] == 7);
	assert_counts(h, d, 1000);
	ag_arena_free(a);
}

static void fractions_have_exact_edges(void **state)
{
	ag_arena *a = ag_arena_new();
	double d[64];
	const ag_histogram *h;

	(void)state;
	/* IQR 0.31, 2 * 0.31 / 4 = 0.155: rounded up to 0.2 */
	for (size_t i = 0; i < 64; i++)
		d[i] = (double)i / 100;
	h = of_numbers(d, 64, a);
	assert_int_equal(h->nbar, 4);
	assert_true(h->width == 0.2 && h->edges[1] == 0.2 && h->edges[2] == 0.4 &&
	            h->edges[3] == 0.6 && h->edges[4] == 0.8);
	assert_counts(h, d, 64);
	ag_arena_free(a);
}

static void values_far_outside(void **state)
{
	ag_arena *a = ag_arena_new();
	double d[1002];
	const ag_histogram *h;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		d[i] = (double)(i % 100);
	d[1000] = -5000;
	d[1001] = 1e9;
	h = of_numbers(d, 1002, a);
	assert_int_equal(h->below, 1);
	assert_int_equal(h->above, 1);
	/* no empty bars up to the fence */
	assert_true(h->edges[0] == 0 && h->edges[h->nbar] == 100);
	assert_counts(h, d, 1002);
	ag_arena_free(a);
}

static void more_than_half_alike(void **state)
{
	ag_arena *a = ag_arena_new();
	double d[500];

	(void)state;
	for (size_t i = 0; i < 500; i++)
		d[i] = i % 10 ? 0 : (double)i;
	assert_counts(of_numbers(d, 500, a), d, 500);
	for (size_t i = 0; i < 500; i++)
		d[i] = i ? 7 : 1e300;
	assert_counts(of_numbers(d, 500, a), d, 500);
	ag_arena_free(a);
}

static void ranges_without_equal_bars(void **state)
{
	static const double hard[][4] = {
		{ 5, 5, 5, 5 },
		{ 0.1, 0.1, 0.1, 0.1 },
		{ -0.0, 0.0, -0.0, 0.0 },
		{ -1.7976931348623157e308, 1.7976931348623157e308, 0, 1 },
		{ 1.7976931348623155e308, 1.7976931348623157e308, 1.7976931348623156e308,
		  1.7976931348623157e308 },
		{ 5e-324, 1e-323, 1.5e-323, 2e-323 },
		{ 9007199254740992, 9007199254740994, 9007199254740996, 9007199254740998 },
		{ 1e22, 1.0000000000000003e22, 1.0000000000000002e22, 1e22 },
		{ 1, 1.0000000000000002, 1.0000000000000004, 1.0000000000000007 },
		{ -1e-300, 1e-300, 2e-300, 3e-300 },
		{ 1e15, 1e15 + 1, 1e15 + 2, 1e15 + 3 },
	};
	ag_arena *a = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(hard); i++)
		assert_counts(of_numbers(hard[i], 4, a), hard[i], 4);
	ag_arena_free(a);
}

static void random_numbers_against_a_walk(void **state)
{
	enum { MOST = 3000 };
	double *d = (double *)ag_xcalloc(MOST, sizeof(*d));

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		ag_arena *a = ag_arena_new();
		uint64_t s = seed;
		const size_t n = 1 + docs_random(&s, MOST);
		const double scale = pow(10, (double)docs_random(&s, 40) - 20);

		for (size_t i = 0; i < n; i++) {
			const double u = (docs_random(&s, 1000000) + 1) / 1e6;

			d[i] = seed % 3 == 0   ? scale * u
			       : seed % 3 == 1 ? scale * exp(3 * u * u) - scale
			                       : scale * (docs_random(&s, 30) - 15.0);
		}
		assert_counts(of_numbers(d, n, a), d, n);
		ag_arena_free(a);
	}
	free(d);
}

static void times_follow_the_calendar(void **state)
{
	static const char *const months[] = { "2024-01-31", "2024-02-29", "2024-03-01",
		                              "2024-04-15", "2024-06-30", "2024-12-31" };
	static const char *const days[] = { "2024-03-03", "2024-03-04", "2024-03-04" };
	static const char *const seconds[] = { "2024-03-03T10:00:00Z", "2024-03-03T10:00:07Z",
		                               "2024-03-03T10:00:31Z", "2024-03-03T10:00:59Z" };
	static const char *const old[] = { "", "0001-01-01", "1950-01-01", "1969-12-31" };
	ag_arena *a = ag_arena_new();
	const ag_histogram *h;
	double d[6];
	int64_t ms;

	(void)state;
	h = of_dates(months, 6, a);
	/* IQR 122 days, 2 * 122 / 6^(1/3) = 134: more than three months */
	assert_true(h->unit == AG_UNIT_MONTH && h->width == 6);
	assert_int_equal(h->nbar, 2);
	assert_true(ag_time_parse_iso(AG_S("2024-07-01"), &ms) && h->edges[1] == (double)ms);
	assert_true(ag_time_parse_iso(AG_S("2025-01-01"), &ms) && h->edges[2] == (double)ms);
	assert_int_equal(h->counts[0], 5);
	assert_int_equal(h->counts[1], 1);
	/* Days without a time of day: no bar is narrower than a day. */
	h = of_dates(days, 3, a);
	assert_true(h->unit >= AG_UNIT_DAY);
	assert_int_equal(h->nbar, 2);
	h = of_dates(seconds, 4, a);
	assert_true(h->unit == AG_UNIT_MINUTE || h->unit == AG_UNIT_SECOND);
	h = of_dates(old + 1, 3, a);
	for (size_t i = 0; i < 3; i++) {
		assert_true(ag_time_parse_iso(ag_str_c(old[i + 1]), &ms));
		d[i] = (double)ms;
	}
	assert_counts(h, d, 3);
	ag_arena_free(a);
}

static void weeks_begin_on_monday(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_val v[50];
	const ag_histogram *h;
	int64_t first, monday;

	(void)state;
	assert_true(ag_time_parse_iso(AG_S("2024-03-03"), &first)); /* a Sunday */
	assert_true(ag_time_parse_iso(AG_S("2024-02-26"), &monday));
	for (int i = 0; i < 50; i++)
		v[i] = ag_val_date(first + INT64_C(43200000) * i);
	/* IQR 12.5 days, 2 * 12.5 / 50^(1/3) = 6.8: a week */
	h = profile_of(v, 50, a).date.histogram;
	assert_int_equal(h->unit, AG_UNIT_WEEK);
	assert_true(h->edges[0] == (double)monday);
	assert_int_equal(h->counts[0], 2);
	assert_int_equal(h->counts[1], 14);
	ag_arena_free(a);
}

static void times_far_away(void **state)
{
	static const int64_t ms[] = { INT64_MIN, INT64_MAX, 0, 1 };
	ag_arena *a = ag_arena_new();
	ag_val v[4];
	const ag_histogram *h;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		v[i] = ag_val_date(ms[i]);
	h = profile_of(v, 4, a).date.histogram;
	assert_int_equal(sum(h), 4);
	v[0] = ag_val_date(INT64_MIN);
	assert_int_equal(sum(profile_of(v, 1, a).date.histogram), 1);
	ag_arena_free(a);
}

static void texts_lengths_and_dates(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_val v[100];
	ag_path_profile p;

	(void)state;
	for (int i = 0; i < 100; i++)
		v[i] = ag_val_str(i < 95 ? ag_str_printf(a, "2024-%02d-01", 1 + i % 12)
		                         : AG_S("höher als alle"));
	p = profile_of(v, 100, a);
	assert_int_equal(p.str.dates.n, 95);
	assert_true(p.str.dates.histogram->unit == AG_UNIT_MONTH);
	assert_int_equal(sum(p.str.dates.histogram), 95);
	assert_int_equal(sum(p.str.histogram), 100);
	assert_true(p.str.mean_length == (95 * 10 + 5 * 14) / 100.0);
	/* Below nine tenths they are texts. */
	for (int i = 0; i < 20; i++)
		v[i] = ag_val_str(AG_S("n/a?"));
	p = profile_of(v, 100, a);
	assert_int_equal(p.str.dates.n, 0);
	assert_null(p.str.dates.histogram);
	ag_arena_free(a);
}

/* The profile of chosen documents is that of a table of them. */
static void a_sample_is_a_table_of_its_own(void **state)
{
	enum { N = 600 };
	ag_arena *a = ag_arena_new();
	ag_val *docs = docs_random_many(a, 99, N), *kept = ag_new_n(a, ag_val, N);
	ag_table *t = docs_table(docs, N), *small;
	uint64_t seed = 5;
	ag_profile of, alone;
	ag_bits chosen;
	size_t n = 0;

	(void)state;
	ag_bits_init(&chosen, N);
	for (size_t i = 0; i < N; i++)
		if (docs_random(&seed, 4) == 0) {
			ag_bits_set(&chosen, i);
			kept[n++] = docs[i];
		}
	small = docs_table(kept, n);
	of = profile_of_table(t, &chosen, a);
	alone = profile_of_table(small, NULL, a);
	assert_int_equal(of.ndoc, n);
	for (size_t i = 0; i < alone.npath; i++) {
		const ag_path_profile *y = &alone.paths[i], *x = ag_profile_find(&of, y->path);

		if (!x || x->is_map || x->in_map || y->is_map || y->in_map)
			continue; /* all documents decide what is a map */
		assert_int_equal(x->n, y->n);
		assert_int_equal(x->ndoc, y->ndoc);
		assert_int_equal(x->ndoc_null, y->ndoc_null);
		assert_int_equal(x->nparent, y->nparent);
		assert_int_equal(x->nfilled, y->nfilled);
		assert_int_equal(x->ndistinct, y->ndistinct);
		assert_memory_equal(x->by_type, y->by_type, sizeof(x->by_type));
		assert_true(x->parent == UINT32_MAX ? y->parent == UINT32_MAX
		                                    : ag_str_eq(of.paths[x->parent].path,
		                                                alone.paths[y->parent].path));
		if (x->num.histogram)
			assert_memory_equal(x->num.histogram, y->num.histogram,
			                    sizeof(*x->num.histogram));
	}
	ag_bits_release(&chosen);
	ag_table_free(t);
	ag_table_free(small);
	ag_arena_free(a);
}

static void marks_count_chosen_documents(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_ctx ctx = docs_ctx(2);
	ag_err err = { 0 };
	size_t n, top, rare;
	ag_val *docs = docs_parse(a,
	                          "{\"n\":1,\"s\":\"ab\",\"k\":[{\"p\":5},{\"p\":5}]}\n"
	                          "{\"n\":2,\"s\":\"abc\",\"k\":[{\"p\":6}]}\n"
	                          "{\"n\":2,\"s\":null,\"k\":[]}\n"
	                          "{\"n\":1.0,\"s\":\"2024-01-01\"}\n"
	                          "{\"n\":3,\"s\":\"abcdef\"}\n",
	                          &n);
	ag_table *t = docs_table(docs, n);
	ag_profile p = profile_of_table(t, NULL, a);
	ag_marks m[4] = { { .f = ag_profile_find(&p, AG_S("n")) },
		          { .f = ag_profile_find(&p, AG_S("s")) },
		          { .f = ag_profile_find(&p, AG_S("k[].p")) },
		          { .f = ag_profile_find(&p, AG_S("k")) } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		ag_bits_init(&m[i].docs, n);
		ag_bits_set(&m[i].docs, 0);
		ag_bits_set(&m[i].docs, 2);
		ag_bits_set(&m[i].docs, 3);
	}
	assert_int_equal(ag_table_marks(t, &ctx, m, 4, &err), AG_OK);
	/* n: 1, 2, 1.0 of 1, 2, 2, 1.0, 3 */
	assert_int_equal(m[0].num.counts[0], 2);
	assert_int_equal(m[0].num.counts[1], 1);
	assert_int_equal(m[0].num.counts[2], 0);
	ag_shown_values(m[0].f, &top, &rare);
	assert_int_equal(top, 3);
	for (size_t i = 0; i < top; i++)
		assert_int_equal(m[0].values[i], ag_val_number(&m[0].f->values[i].v) == 1   ? 2
		                                 : ag_val_number(&m[0].f->values[i].v) == 2 ? 1
		                                                                            : 0);
	assert_int_equal(m[1].nnull, 1);
	assert_int_equal(m[1].length.counts[0] + m[1].length.above + m[1].length.below +
	                         m[1].length.counts[m[1].f->str.histogram->nbar - 1],
	                 2);
	assert_int_equal(m[2].num.counts[0], 2);
	assert_int_equal(m[2].num.counts[1], 0);
	assert_int_equal(m[3].size.counts[0], 2); /* one bar: 0 and 2 items */
	for (size_t i = 0; i < 4; i++)
		ag_bits_release(&m[i].docs);
	ag_table_free(t);
	ag_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(fractions_have_exact_edges),
		cmocka_unit_test(values_far_outside),
		cmocka_unit_test(more_than_half_alike),
		cmocka_unit_test(ranges_without_equal_bars),
		cmocka_unit_test(random_numbers_against_a_walk),
		cmocka_unit_test(times_follow_the_calendar),
		cmocka_unit_test(weeks_begin_on_monday),
		cmocka_unit_test(times_far_away),
		cmocka_unit_test(texts_lengths_and_dates),
		cmocka_unit_test(a_sample_is_a_table_of_its_own),
		cmocka_unit_test(marks_count_chosen_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
