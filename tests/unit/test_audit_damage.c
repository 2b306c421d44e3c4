/* More damage never gives a cleaner report: for each kind of damage, a growing share of the rows is damaged, and the
 * worst finding on the field must stay at least as severe and affect at least as many documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "audit/hypothesis.h"
#include "audit_case_docs.h"
#include "columns/table.h"
#include "query/extjson.h"

#define ROWS 400

static const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };

/* Per cent of the rows. */
static const unsigned shares[] = { 1, 2, 5, 9, 10, 11, 15, 20, 25, 30, 40, 50, 60 };

typedef struct damage {
	const char *name;
	const char *field;
	const char *header; /* of a CSV file, NULL = NDJSON */
	const char *clean, *dirty;
	ag_severity least; /* at every share */
	unsigned
		until; /* highest share that is checked, 0 = all: above it the damage is the majority */
} damage;

static const damage kinds[] = {
#define NUMBERS(what, dirty)                                                                 \
	{                                                                                    \
		"numbers: " what, "v", "id,v", "@i,@int(10,4000)", "@i," dirty, AG_MEDIUM, 0 \
	}
	NUMBERS("words", "@pick(error|see note|twelve|broken)"),
	NUMBERS("one word", "closed"),
	NUMBERS("placeholders", "@pick(N/A|-|?|null)"),
	NUMBERS("units", "@int(1,90) kg"),
	NUMBERS("currency", "$@int(1,90)"),
	NUMBERS("thousands", "\"@int(1,9),@int(100,999)\""),
	NUMBERS("sentences", "@words(6)"),
	NUMBERS("a mixture", "@pick(N/A|-|12 kg|error|n/k|?)"),
#undef NUMBERS
	{ "numbers: dates", "v", "id,v", "@i,@int(10,4000)", "@i,@date(2015,2024)", AG_MEDIUM, 50 },
	{ "numbers: written dates", "v", "id,v", "@i,@int(10,4000)", "@i,@dmy(2015,2024)",
	  AG_MEDIUM, 50 },
	{ "numbers: booleans", "v", "id,v", "@i,@int(10,4000)", "@i,@pick(true|false)", AG_MEDIUM,
	  50 },
	{ "decimals: words", "v", "id,v", "@i,@num(1,9)", "@i,@pick(error|x|none given)", AG_MEDIUM,
	  0 },
	{ "decimals: codes", "v", "id,v", "@i,@num(1,9)", "@i,A@dig(3)", AG_MEDIUM, 0 },
	{ "a price: codes", "price", "id,price", "@i,@int(10,400)", "@i,A@dig(3)", AG_MEDIUM, 0 },
	{ "few numbers: words", "v", "id,v", "@i,@int(1,5)", "@i,@pick(bad|good|no answer)",
	  AG_MEDIUM, 0 },
	{ "whole numbers: codes", "v", "id,v", "@i,@int(1,900)", "@i,A@dig(3)", AG_LOW, 0 },
	{ "dates: words", "seen", "id,seen", "@i,@date(2015,2024)", "@i,@pick(soon|later|?)",
	  AG_MEDIUM, 0 },
	{ "dates: numbers", "seen", "id,seen", "@i,@date(2015,2024)", "@i,@int(10,4000)", AG_MEDIUM,
	  50 },
	{ "dates: another notation", "seen", "id,seen", "@i,@date(2015,2024)",
	  "@i,@int(13,28).@int(10,12).2023", AG_MEDIUM, 50 },
	{ "booleans: words", "on", "id,on", "@i,@pick(true|false)", "@i,@pick(maybe|later|not yet)",
	  AG_MEDIUM, 0 },
	{ "JSON numbers: words", "v", NULL, "{\"v\":@int(1,900)}", "{\"v\":\"@word\"}", AG_MEDIUM,
	  50 },
	{ "JSON numbers: numeric text", "v", NULL, "{\"v\":@int(1,900)}", "{\"v\":\"@int(1,900)\"}",
	  AG_MEDIUM, 50 },
	{ "an age of 999", "age", NULL, "{\"age\":@int(18,90)}", "{\"age\":999}", AG_MEDIUM, 0 },
	{ "an age of -1", "age", NULL, "{\"age\":@int(18,90)}", "{\"age\":-1}", AG_MEDIUM, 0 },
	{ "1970", "at", NULL, "{\"at\":{\"$date\":\"@date(2015,2024)T10:00:00Z\"}}",
	  "{\"at\":{\"$date\":\"1970-01-01T00:00:00Z\"}}", AG_MEDIUM, 0 },
	{ "broken encoding", "title", NULL, "{\"title\":\"@words(3)\"}",
	  "{\"title\":\"@word cafÃ©\"}", AG_MEDIUM, 0 },
	{ "an age below 0", "age", NULL, "{\"age\":@int(18,90)}", "{\"age\":-5}", AG_MEDIUM, 0 },
	{ "a negative quantity", "qty", NULL, "{\"qty\":@int(1,20)}", "{\"qty\":-@int(1,20)}",
	  AG_MEDIUM, 0 },
	{ "a latitude of 200", "lat", NULL, "{\"lat\":@num(40,50)}", "{\"lat\":200}", AG_MEDIUM,
	  0 },
	{ "texts that are no address", "email", NULL, "{\"email\":\"@email\"}",
	  "{\"email\":\"@word at home\"}", AG_MEDIUM, 0 },
	{ "another century", "at", NULL, "{\"at\":{\"$date\":\"@date(2015,2024)T10:00:00Z\"}}",
	  "{\"at\":{\"$date\":\"@date(2091,2097)T10:00:00Z\"}}", AG_MEDIUM, 40 },
	{ "no e-mail address", "email", NULL, "{\"email\":\"@email\"}", "{\"email\":null}",
	  AG_MEDIUM, 0 },
};

static ag_status load(const damage *d, ag_str csv, const ag_val *docs, ag_table **ret, ag_err *err)
{
	char path[] = "/tmp/argus_damage_XXXXXX.csv";
	const char *files[] = { path };
	const ag_table_opts opts = { .format = AG_FORMAT_CSV };
	ag_status st;
	int fd;

	if (!d->header)
		return ag_table_from_values(&ctx, docs, ROWS, ret, err);
	fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, csv.ptr, csv.len), (ssize_t)csv.len);
	close(fd);
	st = ag_table_load(&ctx, files, 1, &opts, ret, err);
	unlink(path);
	return st;
}

/* ROWS rows, `share` per cent of them damaged, spread evenly. */
static ag_table *make(const damage *d, unsigned share, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_val *docs = ag_new_n(arena, ag_val, ROWS);
	ag_buf csv = AG_BUF_INIT(1 << 20);
	case_gen gen = { .state = 7 };
	ag_table *t = NULL;
	ag_err err = { 0 };

	if (d->header)
		ag_buf_addf(&csv, "%s\n", d->header);
	for (size_t i = 0; i < ROWS; i++) {
		const bool is_dirty = i * share / 100 != (i + 1) * share / 100;
		ag_buf line = AG_BUF_INIT(1 << 16);

		gen.i = i;
		assert_true(case_expand(&gen, &line, ag_str_c(is_dirty ? d->dirty : d->clean)));
		if (d->header)
			ag_buf_addf(&csv, "%.*s\n", AG_FMT(ag_buf_view(&line)));
		else
			assert_int_equal(ag_extjson_parse(ag_buf_dup(arena, &line), &opts, arena,
			                                  &docs[i], NULL, NULL, &err),
			                 AG_OK);
		ag_buf_release(&line);
	}
	assert_int_equal(load(d, ag_buf_view(&csv), docs, &t, &err), AG_OK);
	ag_buf_release(&csv);
	return t;
}

/* The worst finding on the field; false: there is none. */
static bool worst_on(const damage *d, const ag_table *t, ag_arena *arena, ag_severity *ret_severity,
                     uint64_t *ret_n)
{
	const ag_catalogue_opts o = { INT64_C(1780272000000), 0.05, 0.20, 0.98 };
	bool is_found = false;
	ag_hypotheses hs;
	ag_profile p;
	ag_frames frames;
	ag_across x;
	ag_err err;

	assert_int_equal(ag_table_profile(t, &ctx, arena, &p, &err), AG_OK);
	assert_int_equal(ag_table_frames(t, &ctx, &p, arena, &frames, &err), AG_OK);
	x = (ag_across){ &p, &frames, &o, &ctx };
	assert_int_equal(ag_catalogue_run(&x, arena, &hs, &err), AG_OK);
	for (size_t i = 0; i < hs.n; i++) {
		const ag_hypothesis *h = &hs.items[i];
		const ag_filter *f;
		ag_severity s;
		uint64_t n;

		if (!ag_str_eqc(h->field, d->field) || h->evidence.ptr[0] != '{')
			continue;
		assert_int_equal(ag_filter_parse(h->evidence, arena, &f, &err), AG_OK);
		assert_int_equal(ag_table_count(t, &ctx, f, &n, &err), AG_OK);
		if (!ag_hypothesis_holds(h, n, p.ndoc))
			continue;
		s = ag_hypothesis_severity(h, n, p.ndoc);
		if (is_found && (s < *ret_severity || (s == *ret_severity && n <= *ret_n)))
			continue;
		is_found = true;
		*ret_severity = s;
		*ret_n = n;
	}
	return is_found;
}

static void never_cleaner(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const damage *d = &kinds[k];
		ag_severity before = d->least;
		uint64_t affected = 0;

		for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
			ag_arena *arena;
			ag_table *t;
			ag_severity s;
			uint64_t n;

			if (d->until && shares[i] > d->until)
				continue;
			arena = ag_arena_new();
			t = make(d, shares[i], arena);
			if (!worst_on(d, t, arena, &s, &n))
				fail_msg("%s: %u %% of damage give no finding", d->name, shares[i]);
			if (s < before || n < affected)
				fail_msg("%s: %u %% give %s on %llu, less than %s on %llu", d->name,
				         shares[i], ag_severity_name(s), (unsigned long long)n,
				         ag_severity_name(before), (unsigned long long)affected);
			before = s;
			affected = n;
			ag_table_free(t);
			ag_arena_free(arena);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(never_cleaner) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
