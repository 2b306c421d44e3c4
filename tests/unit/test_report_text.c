/* The report for people against golden files under tests/cases/report, and what must hold for any report:
 * nothing wider than asked, no control character from data.
 *
 * After a change on purpose: ARGUS_GOLDEN=write build/tests/test_report_text, then read the difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/file.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "report/human.h"
#include "report/read.h"
#include "report/text.h"

#define FOLDER "tests/cases/report/"

static ag_val load(const char *name, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_err err = { 0 };
	ag_str text;
	ag_val v = { 0 };

	if (ag_file_read(ag_str_printf(arena, FOLDER "%s", name), 1 << 20, false, NULL, arena,
	                 &text, &err) ||
	    ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, &err))
		fail_msg("%s: %s", name, err.msg);
	return v;
}

static void compare(const char *name, ag_str got, ag_arena *arena)
{
	ag_str path = ag_str_printf(arena, FOLDER "%s", name), want;
	ag_err err = { 0 };
	size_t at = 0, line = 1;

	if (getenv("ARGUS_GOLDEN")) {
		assert_int_equal(ag_file_replace(path, got, &err), AG_OK);
		return;
	}
	if (ag_file_read(path, 1 << 20, false, NULL, arena, &want, &err))
		fail_msg("%s", err.msg);
	if (ag_str_eq(got, want))
		return;
	for (; at < got.len && at < want.len && got.ptr[at] == want.ptr[at]; at++)
		line += got.ptr[at] == '\n';
	fail_msg("%s differs in line %zu; want there: %.60s", name, line, want.ptr + at);
}

static void golden(const char *report, const char *name, const ag_report_look *look)
{
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_val v = load(report, arena);

	ag_report_text(&v, look, &out);
	assert_false(out.failed);
	compare(name, ag_buf_view(&out), arena);
	ag_buf_release(&out);
	ag_arena_free(arena);
}

static void orders(void **state)
{
	const ag_report_look screen = { .width = 80, .utf8 = true, .remembered = true };
	const ag_report_look narrow = {
		.width = 60, .utf8 = true, .details = true, .remembered = true
	};
	const ag_report_look wide = {
		.width = 100, .utf8 = true, .details = true, .remembered = true
	};
	const ag_report_look colour = {
		.width = 100, .utf8 = true, .colour = true, .details = true
	};
	const ag_report_look ascii = { .width = 80, .details = true, .trace = true };

	(void)state;
	golden("orders.json", "orders-80-screen.txt", &screen);
	golden("orders.json", "orders-60.txt", &narrow);
	golden("orders.json", "orders-100.txt", &wide);
	golden("orders.json", "orders-100-colour.txt", &colour);
	golden("orders.json", "orders-80-ascii-trace.txt", &ascii);
}

static void hostile(void **state)
{
	const ag_report_look look = {
		.width = 80, .utf8 = true, .details = true, .trace = true, .remembered = true
	};
	const ag_report_look colour = {
		.width = 80, .utf8 = true, .colour = true, .details = true, .trace = true
	};

	(void)state;
	golden("hostile.json", "hostile.txt", &look);
	golden("hostile.json", "hostile-colour.txt", &colour);
}

/* --- what must hold for any report --- */

/* Lines that are to be copied may be longer: commands, and code without a place to break it. */
static bool may_be_long(ag_str line)
{
	return ag_str_contains(line, AG_S("argus ")) || ag_str_contains(line, AG_S("$")) ||
	       ag_str_contains(line, AG_S("db.")) || ag_str_contains(line, AG_S("\": "));
}

static void check_line(ag_str line, size_t width, bool utf8)
{
	for (size_t pos = 0; pos < line.len;) {
		size_t at = pos;
		uint32_t cp = ag_utf8_next(line, &pos);

		if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x202A && cp <= 0x202E) ||
		    (cp > 0x7E && !utf8) || (cp == 0xFFFD && pos - at == 1))
			fail_msg("U+%04X reached the terminal: %.*s", cp, AG_FMT(line));
	}
	if (ag_utf8_width(line) > width && !may_be_long(line))
		fail_msg("%zu columns, want %zu: %.*s", ag_utf8_width(line), width, AG_FMT(line));
}

static void safe_and_narrow(void **state)
{
	static const char *const reports[] = { "orders.json", "hostile.json" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(reports); i++) {
		ag_arena *arena = ag_arena_new();
		ag_val v = load(reports[i], arena);

		for (size_t width = 40; width <= 100; width += 3) {
			ag_report_look look = { .width = width,
				                .utf8 = width % 2 == 0,
				                .details = width % 4 < 2,
				                .trace = true,
				                .remembered = true };
			ag_buf out = AG_BUF_INIT(1 << 20);
			ag_str rest;

			ag_report_text(&v, &look, &out);
			for (rest = ag_buf_view(&out); rest.len;)
				check_line(ag_str_split(&rest, '\n'), width, look.utf8);
			ag_buf_release(&out);
		}
		ag_arena_free(arena);
	}
}

/* A report of another version, or none at all, is drawn without harm. */
static void odd_reports(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"1",
		"{\"findings\":[]}",
		"{\"findings\":3,\"source\":[],\"run_trace\":{}}",
		"{\"findings\":[1,null,[],{}],\"dismissed_findings\":[{},2],\"run_trace\":[{},7]}",
		("{\"findings\":[{\"examples\":[{},1],\"parts\":[null],\"evidence_shell\":[],"
		 "\"affected_count\":-5,\"severity\":\"apocalyptic and long\"}]}"),
		"{\"source\":{\"broken\":1,\"issues\":[{},{},{},{}]},\"coverage\":{\"paths\":3}}",
	};
	const ag_extjson_opts opts = { .typed = true };
	const ag_report_look look = {
		.width = 0, .details = true, .trace = true, .remembered = true
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		ag_arena *arena = ag_arena_new();
		ag_buf out = AG_BUF_INIT(1 << 20);
		const ag_val *list[1];
		ag_err err;
		ag_val v;

		assert_int_equal(ag_extjson_parse(ag_str_c(texts[i]), &opts, arena, &v, NULL, NULL,
		                                  &err),
		                 AG_OK);
		ag_report_text(&v, &look, &out);
		list[0] = &v;
		ag_report_overview(list, 1, &look, &out);
		assert_true(out.len > 10);
		ag_buf_release(&out);
		ag_arena_free(arena);
	}
}

/* Silence is no good news of a run that did not look, or not to its end. */
static void headlines(void **state)
{
	static const struct {
		const char *report, *want;
	} rows[] = {
		{ "{\"status\":\"ok\",\"documents_sampled\":9,\"collection_size\":9}",
		  "c: no problems found" },
		{ "{\"status\":\"ok\",\"documents_sampled\":9,\"collection_size\":9,\"source\":{"
		  "\"broken\":1}}",
		  "c: no problems found in what could be read" },
		{ "{\"status\":\"partial\",\"documents_sampled\":9,\"collection_size\":9,\"source\":{"
		  "\"broken\":1}}",
		  "c: no problems so far" },
		{ "{\"status\":\"ok\",\"documents_sampled\":0,\"collection_size\":9}",
		  "c: not checked, nothing was looked at" },
		{ "{\"status\":\"partial\",\"documents_sampled\":0,\"collection_size\":9}",
		  "c: not checked, nothing was looked at" },
		{ "{\"status\":\"ok\",\"documents_sampled\":0,\"collection_size\":0}",
		  "c: not checked, no documents" },
		{ "{\"status\":\"partial\",\"documents_sampled\":0,\"collection_size\":0}",
		  "c: not checked, no documents" },
		{ "{\"status\":\"ok\",\"documents_sampled\":9,\"collection_size\":9,"
		  "\"verdict\":\"not_checked\"}",
		  "c: not checked, nothing was looked at" },
		{ "{\"status\":\"ok\",\"documents_sampled\":9,\"collection_size\":9,"
		  "\"gaps\":[{\"kind\":\"short_rows\"}]}",
		  "c: no problems found in what was checked" },
		{ "{\"status\":\"failed\",\"documents_sampled\":0,\"collection_size\":9}",
		  "c: the audit failed" },
	};
	const ag_extjson_opts opts = { .typed = true };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_arena *arena = ag_arena_new();
		const ag_str text = ag_str_printf(arena, "{\"collection\":\"c\",%s",
		                                  rows[i].report + 1);
		ag_err err;
		ag_val v;

		assert_int_equal(ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, &err), AG_OK);
		assert_string_equal(ag_str_cstr(arena, ag_report_headline(&v, arena)),
		                    rows[i].want);
		ag_arena_free(arena);
	}
}

/* A finding that nobody decided yet must not look like one that stands. */
static void what_waits_is_told(void **state)
{
	static const char text[] =
		"{\"id\":\"01989c6e\",\"status\":\"ok\",\"collection_size\":9,\"findings\":[{\"field\":\"f\","
		"\"severity\":\"low\",\"status\":\"pending_review\",\"confidence\":0.625}]}";
	const ag_extjson_opts opts = { .typed = true };
	const ag_report_look look = { .width = 80, .details = true, .remembered = true };
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_err err;
	ag_val v;

	(void)state;
	assert_int_equal(ag_extjson_parse(ag_str_c(text), &opts, arena, &v, NULL, NULL, &err),
	                 AG_OK);
	ag_report_text(&v, &look, &out);
	assert_true(
		ag_str_contains(ag_buf_view(&out), AG_S("waits for a person, confidence 0.62")));
	assert_true(ag_str_contains(ag_buf_view(&out), AG_S("argus review 01989c6e")));
	ag_buf_release(&out);
	ag_arena_free(arena);
}

/* Verdict and table of 17 findings fit a terminal of 30 rows and 80 columns, also with unreadable documents and an earlier
 * run. */
static void one_screen(void **state)
{
	const ag_extjson_opts opts = { .typed = true };
	const ag_report_look look = { .width = 80, .utf8 = true, .remembered = true };
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1 << 20), out = AG_BUF_INIT(1 << 20);
	size_t rows = 0, listed = 0;
	ag_str rest;
	ag_err err;
	ag_val v;

	(void)state;
	ag_buf_adds(&text,
	            "{\"id\":\"01989c6e-0000-7000-8000-000000000000\",\"status\":\"ok\","
	            "\"collection\":\"orders\",\"collection_size\":5400,\"documents_sampled\":5400,"
	            "\"source\":{\"uri\":\"data/orders.ndjson\",\"format\":\"ndjson\",\"broken\":3,"
	            "\"issues\":[{\"file\":\"data/orders.ndjson\",\"line\":12,\"what\":\"odd\"}]},"
	            "\"coverage\":{\"paths\":21,\"investigated\":21},"
	            "\"as_of\":\"2026-01-01T00:00:00.000Z\",\"previous_run_id\":\"01989c6d\","
	            "\"previous_run_at\":\"2026-01-01T00:00:00.000Z\",\"findings\":[");
	for (size_t i = 0; i < 17; i++)
		ag_buf_addf(
			&text,
			"%s{\"field\":\"shipping.address.line_%zu\",\"severity\":\"%s\","
			"\"category_title\":\"Text in a numeric field\",\"affected_count\":%zu}",
			i ? "," : "", i, i < 2 ? "critical" : "low", 5400 - i);
	ag_buf_adds(&text, "]}");
	assert_int_equal(ag_extjson_parse(ag_buf_view(&text), &opts, arena, &v, NULL, NULL, &err),
	                 AG_OK);
	ag_report_text(&v, &look, &out);
	for (rest = ag_buf_view(&out); rest.len; rows++) {
		const ag_str line = ag_str_split(&rest, '\n');

		assert_true(ag_utf8_width(line) <= 80);
		listed += ag_str_contains(line, AG_S("Text in a numeric field"));
	}
	assert_int_equal(listed, 17);
	assert_in_range(rows, 17, 30);
	ag_buf_release(&text);
	ag_buf_release(&out);
	ag_arena_free(arena);
}

static void shares(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *want;
	} rows[] = {
		{ 0, 0, "0%" },
		{ 0, 10, "0%" },
		{ 10, 10, "100%" },
		{ 1, 3, "33.3%" },
		{ 1, 2, "50%" },
		{ 1, 30, "3.33%" },
		{ 1, 20, "5%" },
		{ 1, 300, "0.333%" },
		{ 1, 1000, "0.1%" },
		{ 1, 1000000, "<0.001%" },
		{ 9999, 10000, ">99.9%" },
		{ 999, 1000, "99.9%" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++)
		assert_string_equal(ag_str_cstr(arena,
		                                ag_human_share(rows[i].part, rows[i].whole, arena)),
		                    rows[i].want);
	assert_string_equal(ag_human_bytes(999, arena).ptr, "999 bytes");
	assert_string_equal(ag_human_bytes(1500, arena).ptr, "1.5 kB");
	assert_string_equal(ag_human_bytes(999999, arena).ptr, "1.0 MB");
	assert_string_equal(ag_human_bytes(UINT64_MAX, arena).ptr, "18 EB");
	ag_arena_free(arena);
}

static void code_breaks_where_it_may(void **state)
{
	static const char code[] =
		"db.c.countDocuments({\"a\": {\"$in\": [\"one, two (three\", \"four, "
		"five\", /x, \"y/, 7, 8, 9]}, \"b\": {\"$exists\": true}})";
	ag_buf out = AG_BUF_INIT(4096);
	ag_str rest;
	ag_paint p;
	size_t nline = 0;

	(void)state;
	ag_paint_init(&p, &out, 44, false, true);
	ag_paint_to(&p, 4);
	ag_paint_code(&p, AG_INK_PLAIN, 4, ag_str_c(code));
	for (rest = ag_buf_view(&out); rest.len; nline++)
		assert_true(ag_str_split(&rest, '\n').len <= 60);
	assert_true(nline > 2);
	assert_non_null(strstr(out.ptr, "\"one, two (three\""));
	assert_non_null(strstr(out.ptr, "\"four, five\""));
	assert_non_null(strstr(out.ptr, "/x, \"y/"));
	assert_non_null(strstr(out.ptr, "{\"$exists\": true}"));
	ag_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(hostile),
		cmocka_unit_test(headlines),
		cmocka_unit_test(what_waits_is_told),
		cmocka_unit_test(one_screen),
		cmocka_unit_test(shares),
		cmocka_unit_test(safe_and_narrow),
		cmocka_unit_test(odd_reports),
		cmocka_unit_test(code_breaks_where_it_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
