/* Tables of values on a terminal: exact pictures at 80 and 120 columns, and hostile data that keeps to its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "query/extjson.h"
#include "report/grid.h"

static ag_str painted(const char *json, size_t width, bool utf8, size_t max_rows, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_grid g = { .max_rows = max_rows };
	ag_err err = { 0 };
	ag_paint p;
	ag_val v;
	ag_str ret;

	if (ag_extjson_parse(ag_str_c(json), &opts, arena, &v, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	g.columns = ag_val_getc(&v, "columns");
	g.rows = ag_val_getc(&v, "rows");
	g.row_count = ag_val_member_u64(&v, "row_count");
	g.is_cut = ag_val_member_bool(&v, "truncated");
	ag_paint_init(&p, &out, width, false, utf8);
	ag_grid_paint(&g, &p, arena);
	assert_false(out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void shows(const char *json, size_t width, bool utf8, const char *want)
{
	ag_arena *arena = ag_arena_new();
	const ag_str got = painted(json, width, utf8, 0, arena);

	if (!ag_str_eqc(got, want))
		fail_msg("want\n%s\ngot\n%.*s", want, AG_FMT(got));
	ag_arena_free(arena);
}

/* No line is wider than the terminal, and no byte of it is a control character or turns text around. */
static void keeps_to_its_lines(ag_str text, size_t width)
{
	ag_str rest = text;

	assert_true(ag_utf8_valid(text));
	while (rest.ptr) {
		const ag_str line = ag_str_split(&rest, '\n');

		if (ag_utf8_width(line) > width)
			fail_msg("%zu columns: %.*s", ag_utf8_width(line), AG_FMT(line));
		for (size_t pos = 0; pos < line.len;) {
			const uint32_t cp = ag_utf8_next(line, &pos);

			assert_true(cp >= 0x20 && !(cp >= 0x7F && cp < 0xA0));
			assert_true(cp < 0x202A || cp > 0x202E);
		}
	}
}

static void numbers_stand_right_and_one_measure_gets_bars(void **state)
{
	(void)state;
	shows("{\"columns\":[\"region\",\"orders\"],\"rows\":[[\"North\",120],[\"South\",60],[\"East\",0],[\"West\",1]]}",
	      80, true,
	      "region  orders\n"
	      "──────────────\n"
	      "North      120  ████████████████████████\n"
	      "South       60  ████████████\n"
	      "East         0\n"
	      "West         1  ▎\n"
	      "4 rows\n");
	shows("{\"columns\":[\"region\",\"orders\"],\"rows\":[[\"North\",120],[\"South\",60],[\"East\",0],[\"West\",1]]}",
	      40, false,
	      "region  orders\n"
	      "--------------\n"
	      "North      120  ########################\n"
	      "South       60  ############\n"
	      "East         0\n"
	      "West         1  #\n"
	      "4 rows\n");
}

static void pictures_are_left_out_where_they_would_say_nothing(void **state)
{
	(void)state;
	/* two measures; all equal; negative; a key alone; one row */
	shows("{\"columns\":[\"r\",\"a\",\"b\"],\"rows\":[[\"x\",1,\"2.50\"],[\"y\",3,\"4.00\"]]}",
	      80, true, "r  a     b\n──────────\nx  1  2.50\ny  3  4.00\n2 rows\n");
	shows("{\"columns\":[\"r\",\"a\"],\"rows\":[[\"x\",3],[\"y\",3]]}", 80, true,
	      "r  a\n────\nx  3\ny  3\n2 rows\n");
	shows("{\"columns\":[\"r\",\"a\"],\"rows\":[[\"x\",-3],[\"y\",3]]}", 80, true,
	      "r   a\n─────\nx  -3\ny   3\n2 rows\n");
	shows("{\"columns\":[\"year\",\"customer_id\"],\"rows\":[[2024,3],[2025,4]]}", 80, true,
	      "year  customer_id\n─────────────────\n2024            3\n2025            4\n2 rows\n");
	shows("{\"columns\":[\"a\"],\"rows\":[[5]]}", 80, true, "a\n─\n5\n1 row\n");
	shows("{\"columns\":[\"a\",\"b\"],\"rows\":[]}", 80, true, "a  b\n────\nno rows\n");
	shows("{\"columns\":[],\"rows\":[]}", 80, true, "no rows\n");
}

static void months_get_a_line_of_blocks(void **state)
{
	(void)state;
	shows("{\"columns\":[\"month\",\"revenue\",\"orders\"],\"rows\":["
	      "[\"2026-01-01\",10,8],[\"2026-02-01\",20,7],[\"2026-03-01\",30,6],[\"2026-04-01\",40,5],[\"2026-05-01\",50,4],"
	      "[\"2026-06-01\",60,3],[\"2026-07-01\",70,2],[\"2026-08-01\",80,null]]}",
	      80, true,
	      "month       revenue  orders\n"
	      "───────────────────────────\n"
	      "2026-01-01       10       8\n"
	      "2026-02-01       20       7\n"
	      "2026-03-01       30       6\n"
	      "2026-04-01       40       5\n"
	      "2026-05-01       50       4\n"
	      "2026-06-01       60       3\n"
	      "2026-07-01       70       2\n"
	      "2026-08-01       80    null\n"
	      "revenue  ▁▂▃▄▅▆▇█\n"
	      "orders   █▇▆▅▃▂▁ \n"
	      "8 rows\n");
}

static void long_texts_give_way_and_numbers_do_not(void **state)
{
	(void)state;
	shows("{\"columns\":[\"note\",\"amount\",\"place\"],\"rows\":[[\"A note that goes on and on and on and on until it is too "
	      "long for a line of a terminal\",\"1234567890.12\",\"Somewhere\"]],\"row_count\":500,\"truncated\":true}",
	      80, true,
	      "note                                                           amount  place\n"
	      "────────────────────────────────────────────────────────────────────────────────\n"
	      "A note that goes on and on and on and on until it is …  1234567890.12  Somewhere\n"
	      "the first 1 of 500 rows that were read; there are more\n");
}

static void what_is_too_wide_becomes_lines(void **state)
{
	(void)state;
	shows("{\"columns\":[\"a_first_number\",\"a_second_number\",\"a_third_number\",\"text\"],\"rows\":[[1,2,3,\"one two\"]]}",
	      40, true,
	      "row 1\n"
	      "  a_first_number   1\n"
	      "  a_second_number  2\n"
	      "  a_third_number   3\n"
	      "  text             one two\n"
	      "1 row\n");
}

static void wide_characters_take_two_columns(void **state)
{
	(void)state;
	shows("{\"columns\":[\"名前\",\"n\",\"m\"],\"rows\":[[\"東京都\",1,2],[\"e\u0301te\u0301\",22,3]]}",
	      80, true,
	      "名前     n  m\n"
	      "─────────────\n"
	      "東京都   1  2\n"
	      "e\u0301te\u0301     22  3\n"
	      "2 rows\n");
	/* A text from right to left ends with a mark, so that the number stays in its column. */
	shows("{\"columns\":[\"n\",\"m\",\"k\"],\"rows\":[[\"שלום\",1,2]]}", 80, true,
	      "n     m  k\n──────────\nשלום\u200e  1  2\n1 row\n");
}

static void hostile_cells_keep_to_their_lines(void **state)
{
	static const char *const cells[] = { "\\u001b[2J\\u001b]0;owned\\u0007",
		                             "a\\nb\\r\\tc",
		                             "\\u202eevil",
		                             "\\u0000",
		                             "x\\u0301\\u0301\\u0301\\u0301\\u0301",
		                             "\\ud83d\\ude00\\ud83d\\ude00",
		                             "\\u200b\\ufeff",
		                             "{\\\"a\\\": [1]}" };
	ag_arena *arena = ag_arena_new();
	ag_buf json = AG_BUF_INIT(1u << 20);

	(void)state;
	ag_buf_adds(&json, "{\"columns\":[\"\\u001b[31m\",\"long\",\"n\"],\"rows\":[");
	for (size_t i = 0; i < AG_NELEM(cells); i++) {
		ag_buf_addf(&json, "%s[\"%s\",\"", i ? "," : "", cells[i]);
		for (size_t k = 0; k < 30; k++)
			ag_buf_adds(&json, cells[i]);
		ag_buf_addf(&json, "\",%zu]", i);
	}
	ag_buf_adds(&json, ",[[1,{\"a\":null}],true,1.5],[1],7]}");
	for (size_t width = 40; width <= 120; width += 40) {
		for (int utf8 = 0; utf8 < 2; utf8++)
			keeps_to_its_lines(
				painted(ag_buf_view(&json).ptr, width, utf8 != 0, 0, arena), width);
	}
	ag_buf_release(&json);
	ag_arena_free(arena);
}

static void as_many_rows_as_asked_for_are_shown(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_str got = painted(
		"{\"columns\":[\"a\"],\"rows\":[[\"x\"],[\"y\"],[\"z\"]],\"row_count\":1234}", 80,
		true, 2, arena);

	(void)state;
	assert_true(ag_str_contains(got, AG_S("the first 2 of 1,234 rows\n")));
	assert_false(ag_str_contains(got, AG_S("z")));
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_stand_right_and_one_measure_gets_bars),
		cmocka_unit_test(pictures_are_left_out_where_they_would_say_nothing),
		cmocka_unit_test(months_get_a_line_of_blocks),
		cmocka_unit_test(long_texts_give_way_and_numbers_do_not),
		cmocka_unit_test(what_is_too_wide_becomes_lines),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(hostile_cells_keep_to_their_lines),
		cmocka_unit_test(as_many_rows_as_asked_for_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
