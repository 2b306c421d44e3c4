/* Claims of a model, each written as one finding under the default rules: false ones are never published, true ones are,
 * with the figures of the data. The claims are in tests/cases/audit/claims_*.cases:
 *
 *   false | FIELD | CATEGORY | EVIDENCE
 *   true COUNT | FIELD | CATEGORY | EVIDENCE [| more members of the input, JSON]
 *
 * A file begins with "data NAME": a collection made below, or a file of examples/. COUNT is what the committed finding
 * must count. A true claim carries no count of its own unless the last column says one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/file.h"
#include "sampled.h"

#define SAMPLE "{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":200}}"

/* ---- data ---- */

/* Something that looks random and is the same everywhere. */
static unsigned noise(unsigned i, unsigned salt)
{
	unsigned x = i * 2654435761u + salt * 40503u + 12345u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return x;
}

#define EVERY(n, rest) (i % (n) == (rest))

/* 2,000 people with planted damage; the comments give the counts. */
static void add_person(ag_buf *b, unsigned i)
{
	static const char *const cities[] = { "Berlin", "Paris", "Rome", "Oslo", "Madrid" };
	static const char *const states[] = { "open", "closed", "pending" };
	static const char *const first[] = { "Anna", "Ben", "Clara", "David", "Emma", "Felix" };

	ag_buf_addf(b, "{\"_id\":%u,\"code\":\"P%05u\"", i,
	            EVERY(400, 399) ? i - 1 : i); /* 10 share */
	if (!EVERY(50, 7)) {                      /* missing 40 */
		if (EVERY(40, 5))                 /* null 50 */
			ag_buf_adds(b, ",\"email\":null");
		else if (EVERY(200, 11)) /* invalid 10 */
			ag_buf_addf(b, ",\"email\":\"user%u at example\"", i);
		else
			ag_buf_addf(b, ",\"email\":\"user%u@example.org\"", i);
	}
	if (EVERY(100, 13)) /* text 20 */
		ag_buf_addf(b, ",\"age\":\"%u\"", 20 + i % 50);
	else if (EVERY(250, 17)) /* negative 8 */
		ag_buf_adds(b, ",\"age\":-5");
	else if (EVERY(500, 19)) /* 999: 4 */
		ag_buf_adds(b, ",\"age\":999");
	else
		ag_buf_addf(b, ",\"age\":%u", 18 + noise(i, 1) % 70);
	ag_buf_addf(b, ",\"city\":\"%s\"",
	            EVERY(200, 21)   ? "berlin" /* case variant 10 */
	            : EVERY(250, 23) ? "N/A"    /* placeholder 8 */
	            : EVERY(400, 29) ? "Pariss" /* typo 5 */
	            : EVERY(400, 31) ? " Rome"  /* padded 5 */
	            : EVERY(500, 33) ? ""       /* empty 4 */
	                             : cities[noise(i, 2) % 5]);
	ag_buf_addf(b, ",\"status\":\"%s\"",
	            EVERY(1000, 37) ? "opne" : states[noise(i, 3) % 3]); /* outside the list 2 */
	ag_buf_addf(b, ",\"zip\":\"%05u\"", 1000 + noise(i, 4) % 9000);
	if (EVERY(80, 41)) /* text 25 */
		ag_buf_addf(b, ",\"price\":\"%u.50\"", 10 + i % 90);
	else
		ag_buf_addf(b, ",\"price\":%s%u.%02u", EVERY(400, 43) ? "-" : "", /* negative 5 */
		            5 + noise(i, 5) % 200, noise(i, 6) % 100);
	ag_buf_addf(b, ",\"score\":%u", noise(i, 7) % 101);
	ag_buf_addf(b, ",\"created\":\"20%02u-%02u-%02u\"",
	            EVERY(400, 47) ? 91u : 18 + noise(i, 8) % 6, 1 + noise(i, 9) % 12,
	            1 + noise(i, 10) % 28); /* in 2091: 5 */
	ag_buf_addf(b, ",\"name\":\"%s %s\"", first[noise(i, 11) % 6],
	            EVERY(500, 53) ? "M\xc3\x83\xc2\xbcller" : "Schmidt"); /* broken encoding 4 */
	ag_buf_addf(b, ",\"country\":\"DE\",\"tags\":[\"a%u\",\"%s\"]", noise(i, 12) % 9,
	            EVERY(200, 59) ? "" : "b"); /* empty item 10 */
	ag_buf_addf(b, ",\"items\":[{\"sku\":\"S%03u\",\"qty\":%d,\"price\":", noise(i, 13) % 500,
	            EVERY(250, 61) ? -1 : (int)(1 + noise(i, 14) % 5)); /* negative 8 */
	if (EVERY(100, 67))                                             /* null 20 */
		ag_buf_adds(b, "null}]");
	else
		ag_buf_addf(b, "%u}]", 10 + noise(i, 15) % 40);
	ag_buf_addf(b, ",\"address\":{\"street\":%s\"zip\":\"%05u\"}",
	            EVERY(100, 71) ? "null," : "\"Main Street 1\",",
	            noise(i, 16) % 99999); /* null 20 */
	ag_buf_addf(b, ",\"start\":%u,\"end\":%u", 100 + noise(i, 17) % 50,
	            EVERY(200, 73) ? 50u : 200 + noise(i, 18) % 50); /* end before start 10 */
	ag_buf_addf(b, ",\"net\":%u,\"tax\":%u,\"gross\":%u", i % 90 + 10, i % 7,
	            i % 90 + 10 + i % 7 + (EVERY(250, 79) ? 3u : 0u)); /* wrong sum 8 */
	if (EVERY(500, 83))                                            /* stray 4 */
		ag_buf_adds(b, ",\"emial\":\"x@example.org\"");
	ag_buf_addf(b, ",\"nick.name\":\"n\",\"flag\":%s}\n",
	            EVERY(200, 89) ? "\"yes\""
	            : i % 2        ? "true"
	                           : "false"); /* text 10 */
}

/* The same columns in CSV: a cell is text and, where it reads so, a number. */
static void add_row(ag_buf *b, unsigned i)
{
	if (i == 0)
		ag_buf_adds(b, "id,name,amount,joined,note\n");
	ag_buf_addf(b, "%u,Name %u,%s,20%02u-01-%02u,%s\n", i, noise(i, 20) % 50,
	            EVERY(50, 7)    ? ""       /* null 10 of 500 */
	            : EVERY(100, 9) ? "twelve" /* text 5 */
	            : EVERY(125, 3) ? "-4"     /* negative 4 */
	                            : "17.5",
	            10 + noise(i, 21) % 10, 1 + noise(i, 22) % 28, EVERY(250, 1) ? "n/a" : "fine");
}

/* 1,500 tickets; the comments give the counts. */
static void add_ticket(ag_buf *b, unsigned i)
{
	static const char *const given[] = { "Anna", "Ben", "Clara", "David", "Emma" };
	static const char *const family[] = { "Berg", "Klein", "Lang", "Roth", "Stein", "Wolf" };
	static const char *const months[] = { "March", "June", "July", "August" };
	static const char *const plans[] = { "default", "pro", "team" };
	static const char *const subjects[] = { "cannot log in on the phone", "invoice is wrong",
		                                "how to export all data",     "page stays blank",
		                                "please call me back",        "slow since Monday" };
	static const char *const countries[] = { "DE", "CH", "GB" };
	static const char *const currencies[] = { "EUR", "CHF", "GBP" };
	const unsigned land = noise(i, 41) % 3;
	const unsigned nbody = EVERY(125, 9) ? 120 : 20 + noise(i, 42) % 60; /* cut off 12 */
	const unsigned month = 1 + noise(i, 43) % 6;

	ag_buf_addf(b, "{\"_id\":%u,\"ref\":\"TCK-%05u\"", i, i);
	ag_buf_addf(b, ",\"customer\":\"%s %c. %s%u\"", given[noise(i, 44) % 5],
	            (int)('A' + noise(i, 45) % 20), family[noise(i, 46) % 6], noise(i, 47) % 10);
	ag_buf_addf(b, ",\"birth_date\":\"19%02u-%02u-%02u\"", 50 + noise(i, 48) % 50,
	            1 + noise(i, 49) % 12, 1 + noise(i, 50) % 28);
	ag_buf_addf(b, ",\"opened\":\"2024-%02u-%02u\"", month, 1 + noise(i, 51) % 28);
	if (EVERY(150, 7)) /* before it was opened 10 */
		ag_buf_adds(b, ",\"closed\":\"2023-12-01\"");
	else
		ag_buf_addf(b, ",\"closed\":\"2024-%02u-%02u\"", 7 + noise(i, 52) % 6,
		            1 + noise(i, 53) % 28);
	ag_buf_addf(b, ",\"month\":\"%s\"",
	            EVERY(300, 13) ? "Agust" : months[noise(i, 54) % 4]); /* misspelt 5 */
	ag_buf_addf(b, ",\"subject\":\"%s\"", subjects[noise(i, 55) % 6]);
	ag_buf_adds(b, ",\"body\":\"");
	for (unsigned k = 0; k < nbody; k++)
		ag_buf_addc(b, k % 6 == 5 && k + 1 < nbody ? ' ' : (char)('a' + noise(i, k) % 26));
	ag_buf_addf(b, "\",\"country\":\"%s\",\"currency\":\"%s\"", countries[land],
	            land == 0 && EVERY(7, 3) && i < 500 ? "GBP" : currencies[land]);
	ag_buf_addf(b, ",\"ship_country\":\"%s\"",
	            EVERY(250, 17) ? "SE" : countries[land]); /* not the same 6 */
	ag_buf_addf(b, ",\"plan\":\"%s\",\"flow\":\"%s\"", plans[noise(i, 56) % 3],
	            EVERY(4, 1)   ? "new"
	            : EVERY(4, 2) ? "open"
	            : EVERY(4, 3) ? "done"
	                          : "late");
	/* Many jobs, each of them rare but the first ones. */
	ag_buf_addf(b, ",\"job\":\"job %c\"",
	            (int)('A' + (noise(i, 57) % 52) * (noise(i, 58) % 52) / 52 % 26 +
	                  (noise(i, 59) % 2 ? 0 : 32) * (noise(i, 60) % 52 > 30)));
	ag_buf_addf(b, ",\"minutes\":%u",
	            EVERY(250, 19) ? 100000u : 5 + noise(i, 61) % 475); /* 100000: 6 */
	ag_buf_addf(b, ",\"contact_age\":%d",
	            EVERY(20, 1) || EVERY(20, 4) || EVERY(20, 8) || EVERY(20, 9) || EVERY(20, 12) ||
	                            EVERY(20, 15) || EVERY(20, 18)
	                    ? -1 - (int)(i % 7) /* negative 525 */
	                    : (int)(18 + noise(i, 62) % 60));
	if (EVERY(60, 11)) /* both missing 25 */
		ag_buf_adds(b, ",\"street\":null,\"house\":null");
	else
		ag_buf_addf(b, ",\"street\":\"Main %u\",\"house\":%u", noise(i, 63) % 90,
		            1 + noise(i, 64) % 80);
	ag_buf_addf(b, ",\"hours\":%u,\"rate\":%u,\"fee\":%u", 1 + i % 9, 20 + i % 13,
	            (1 + i % 9) * (20 + i % 13) + (EVERY(150, 21) ? 7u : 0u)); /* wrong 10 */
	ag_buf_addf(b, ",\"vip\":%s",
	            EVERY(100, 23) ? "\"yes\""
	            : i % 3        ? "false"
	                           : "true"); /* "yes" 15 */
	ag_buf_addf(b, ",\"card_type\":\"%s\"", i % 2 ? "visa" : "amex");
	ag_buf_addf(b, ",\"remark\":\"%s\"",
	            EVERY(300, 27) ? "call +49 170 1234567" : "done by mail"); /* telephone 5 */
	ag_buf_addf(b, ",\"synced_at\":\"%s\"",
	            EVERY(50, 29) ? "2024-02-11" : "2026-10-30"); /* 30 */
	if (!EVERY(500, 31))                                      /* absent 3 */
		ag_buf_adds(b, ",\"form\":\"v2\"");
	/* From April on mostly null. */
	if (month >= 4 ? EVERY(5, 2) : !EVERY(20, 3))
		ag_buf_adds(b, ",\"app\":\"web\"");
	else
		ag_buf_adds(b, ",\"app\":null");
	ag_buf_addf(b, ",\"team\":\"%s\"}\n",
	            EVERY(300, 33) ? "T9" /* no such team 5 */
	            : i % 2        ? "T1"
	                           : "T2");
}

static void open_data(audit_fix *f, ag_str name)
{
	ag_buf b = AG_BUF_INIT(16 << 20);

	if (ag_str_eqc(name, "people")) {
		for (unsigned i = 0; i < 2000; i++)
			add_person(&b, i);
		fix_open(f, ag_buf_view(&b));
	} else if (ag_str_eqc(name, "tickets")) {
		for (unsigned i = 0; i < 1500; i++)
			add_ticket(&b, i);
		fix_open(f, ag_buf_view(&b));
	} else if (ag_str_eqc(name, "rows")) {
		for (unsigned i = 0; i < 500; i++)
			add_row(&b, i);
		fix_open_as(f, ag_buf_view(&b), "data.csv");
	} else {
		ag_arena *arena = ag_arena_new();
		ag_str text;
		ag_err err = { 0 };

		if (ag_file_read(ag_str_printf(arena, "examples/%.*s", AG_FMT(name)), 64 << 20,
		                 false, NULL, arena, &text, &err))
			fail_msg("%s", err.msg);
		fix_open_as(f, text, ag_str_ends(name, AG_S(".csv")) ? "data.csv" : "data.json");
		ag_arena_free(arena);
	}
	ag_buf_release(&b);
}

/* ---- claims ---- */

static ag_str column(ag_str *rest)
{
	return ag_str_trim(ag_str_split(rest, '|'));
}

/* The line of a model. Evidence holds no "|" in these files: a regex writes \x7c. */
static const char *claim_line(audit_fix *f, ag_str field, ag_str category, ag_str evidence,
                              ag_str more)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	const char *ret;
	ag_jw w;

	ag_jw_init(&w, &b, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "action", AG_S("write_finding"));
	ag_jw_kkey(&w, "action_input");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "field", field);
	ag_jw_kstr(&w, "category", category);
	if (!ag_str_contains(more, AG_S("\"severity\"")))
		ag_jw_kstr(&w, "severity", AG_S("medium"));
	ag_jw_kstr(&w, "description", AG_S("something is wrong in this field"));
	ag_jw_kstr(&w, "hypothesis", AG_S("an import"));
	ag_jw_kraw(&w, "evidence_query", evidence);
	if (more.len)
		ag_buf_addf(&b, ",%.*s", AG_FMT(more));
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	ret = ag_str_cstr(f->arena, ag_buf_view(&b));
	ag_buf_release(&b);
	return ret;
}

typedef struct tally {
	unsigned nfalse, npublished, ntrue, ncommitted;
} tally;

static void check_claim(audit_fix *f, ag_str line, tally *t)
{
	ag_str rest = line;
	ag_str kind = column(&rest);
	const ag_str field = column(&rest), category = column(&rest), evidence = column(&rest),
		     more = column(&rest);
	const char *lines[2] = { SAMPLE, NULL };
	const bool is_true = ag_str_starts(kind, AG_S("true"));
	const ag_val *findings, *record;
	int64_t want = 0, got = -1;

	lines[1] = claim_line(f, field, category, evidence, more);
	fix_script(f, lines, 2);
	findings = fix_get(&f->report, "findings");
	record = fix_record(f, "finding", 0);
	if (!is_true) {
		t->nfalse++;
		t->npublished += findings->n > 0;
		if (findings->n)
			print_error("published: %.*s\n", AG_FMT(line));
		else if (record && !fix_text(record, "critique").len)
			fail_msg("no critique: %.*s", AG_FMT(line));
		else if (getenv("CLAIMS_SHOW"))
			print_message("%.*s\n   -> %.*s\n", AG_FMT(line),
			              AG_FMT(record ? fix_text(record, "reason")
			                            : AG_S("(no verdict)")));
		return;
	}
	t->ntrue++;
	assert_true(ag_str_to_i64(ag_str_trim(ag_str_make(kind.ptr + 4, kind.len - 4)), &want));
	if (findings->n)
		got = fix_int(&findings->u.items[0], "affected_count");
	if (got == want) {
		t->ncommitted++;
		return;
	}
	print_error("want %lld, got %lld: %.*s\n  %.*s\n", (long long)want, (long long)got,
	            AG_FMT(line), AG_FMT(record ? fix_text(record, "reason") : AG_S("no verdict")));
}

static void check_file(const char *path, unsigned min_false, unsigned min_true)
{
	ag_arena *arena = ag_arena_new();
	audit_fix f = { 0 };
	tally t = { 0 };
	ag_str text, line;
	ag_err err = { 0 };
	bool is_open = false;
	size_t number = 0;

	if (ag_file_read(ag_str_c(path), 1 << 20, false, NULL, arena, &text, &err))
		fail_msg("%s", err.msg);
	while (text.ptr) {
		line = ag_str_trim(ag_str_split(&text, '\n'));
		if (!line.len || line.ptr[0] == '#')
			continue;
		if (ag_str_starts(line, AG_S("data "))) {
			if (is_open)
				fix_close(&f);
			open_data(&f, ag_str_trim(ag_str_make(line.ptr + 5, line.len - 5)));
			/* 2026-11-01: what lies in the future does not depend on the day of the test. */
			f.opts.catalogue.as_of_ms = INT64_C(1793491200000);
			is_open = true;
			continue;
		}
		if (test_is_in_sample(number++))
			check_claim(&f, line, &t);
	}
	if (is_open)
		fix_close(&f);
	ag_arena_free(arena);
	print_message("%s: false %u, published %u; true %u, committed %u\n", path, t.nfalse,
	              t.npublished, t.ntrue, t.ncommitted);
	assert_true(t.nfalse >= min_false / test_sample() && t.ntrue >= min_true / test_sample());
	assert_int_equal(t.npublished, 0);
	assert_int_equal(t.ncommitted, t.ntrue);
}

static void the_five_of_the_report(void **state)
{
	(void)state;
	check_file("tests/cases/audit/claims_five.cases", 5, 0);
}

static void false_claims_are_not_published(void **state)
{
	(void)state;
	check_file("tests/cases/audit/claims_false.cases", 40, 0);
}

static void true_claims_are_not_lost(void **state)
{
	(void)state;
	check_file("tests/cases/audit/claims_true.cases", 0, 40);
}

/* One value of four, as frequent as the others, is no defect of any category. */
static void no_category_is_without_a_check(void **state)
{
	size_t n;
	const ag_category *all = ag_category_table(&n);
	audit_fix f = { 0 };
	tally t = { 0 };

	(void)state;
	open_data(&f, AG_S("tickets"));
	for (size_t i = 0; i < n; i += test_sample())
		check_claim(&f,
		            ag_str_printf(f.arena, "false | flow | %s | {\"flow\":\"late\"}",
		                          all[i].id),
		            &t);
	fix_close(&f);
	assert_int_equal(t.nfalse, (n + test_sample() - 1) / test_sample());
	assert_int_equal(t.npublished, 0);
}

/* ---- beside the main claim ---- */

#define EMAIL_WITH(parts)                                                                     \
	"{\"action\":\"write_finding\",\"action_input\":{\"field\":\"email\",\"category\":"   \
	"\"null_rate\",\"severity\":\"medium\",\"description\":\"the address is not there\"," \
	"\"hypothesis\":\"an import\",\"evidence_query\":{\"email\":null},\"parts\":[" parts "]}}"
#define PART(category, query) \
	"{\"category\":\"" category "\",\"description\":\"x\",\"evidence_query\":" query "}"

static void a_part_that_shows_nothing_is_left_out(void **state)
{
	static const char *const lines[] = {
		SAMPLE,
		EMAIL_WITH(PART("missing_field", "{\"email\":{\"$exists\":false}}") "," PART(
			"empty_string",
			"{\"email\":{\"$ne\":5}}") "," PART("null_rate", "{\"age\":{\"$gt\":0}}")),
	};
	const ag_val *finding, *parts;
	audit_fix f;

	(void)state;
	open_data(&f, AG_S("people"));
	fix_script(&f, lines, AG_NELEM(lines));
	finding = fix_find(&f, "findings", "email", "null_rate");
	assert_non_null(finding);
	parts = fix_get(finding, "parts");
	assert_int_equal(parts->n, 1);
	assert_int_equal(fix_int(&parts->u.items[0], "affected_count"), 40);
	assert_true(ag_str_contains(fix_text(fix_record(&f, "finding", 0), "reason"),
	                            AG_S("a part is left out")));
	fix_close(&f);
}

/* Without rules, and with a policy that commits what a gate rejected, wrong evidence is still no finding. */
static void no_gate_makes_it_true(void **state)
{
	static const char *const lines[] = {
		SAMPLE,
		"{\"action\":\"write_finding\",\"action_input\":{\"field\":\"age\",\"category\":"
		"\"type_mismatch\",\"severity\":\"high\",\"description\":\"types are mixed\","
		"\"hypothesis\":\"an import\",\"evidence_query\":{\"age\":{\"$exists\":true}}}}",
	};
	const ag_val *dismissed;
	audit_fix f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_data(&f, AG_S("people"));
		if (i)
			f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_NONE;
		else
			f.opts.rejected_policy = AG_REJECTED_DEMOTE;
		fix_script(&f, lines, AG_NELEM(lines));
		assert_int_equal(fix_len(&f, "findings"), 0);
		dismissed = fix_find(&f, "dismissed_findings", "age", "type_mismatch");
		assert_non_null(dismissed);
		fix_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_five_of_the_report),
		cmocka_unit_test(false_claims_are_not_published),
		cmocka_unit_test(true_claims_are_not_lost),
		cmocka_unit_test(no_category_is_without_a_check),
		cmocka_unit_test(a_part_that_shows_nothing_is_left_out),
		cmocka_unit_test(no_gate_makes_it_true),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
