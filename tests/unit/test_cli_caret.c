/* The caret below a wrong place: tabs, wide and combining characters, escaped bytes, long lines, every place of a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "cli/caret.h"

static ag_str lines(ag_arena *arena, const char *text, size_t at, size_t width, bool utf8)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_paint p;
	ag_str ret;

	ag_paint_init(&p, &out, width, false, utf8);
	ag_caret_lines(&p, ag_str_c(text), at, &out);
	assert_false(out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void assert_lines(const char *text, size_t at, bool utf8, const char *want)
{
	ag_arena *a = ag_arena_new();
	const ag_str got = lines(a, text, at, 80, utf8);

	if (!ag_str_eqc(got, want))
		fail_msg("\n%.*swant\n%s", AG_FMT(got), want);
	ag_arena_free(a);
}

static void short_lines(void **state)
{
	(void)state;
	assert_lines("{a 1}", 3, true, "{a 1}\n   ^\n");
	assert_lines("{a: ", 4, true, "{a: \n    ^\n");
	assert_lines("", 0, true, "\n^\n");
	/* the line of the place only */
	assert_lines("{\n  b 1,\r\n c}", 6, true, "  b 1,\n    ^\n");
	assert_lines("ab\ncd", 2, true, "ab\n  ^\n");
	assert_lines("ab\ncd", 3, true, "cd\n^\n");
}

static void columns(void **state)
{
	(void)state;
	/* tabs to every fourth column */
	assert_lines("\ta\tb", 3, true, "    a   b\n        ^\n");
	/* wide characters take two columns, combining ones none */
	assert_lines("日本 x", 7, true, "日本 x\n     ^\n");
	assert_lines("e\xcc\x81x", 3, true, "e\xcc\x81x\n ^\n");
	/* what a terminal may not see takes the columns of its escape */
	assert_lines("\x1b[31mx", 5, true, "\\u001b[31mx\n          ^\n");
	assert_lines("\xff x", 2, true, "\\xff x\n     ^\n");
	/* a terminal without UTF-8 */
	assert_lines("é x", 3, false, "\\u00e9 x\n       ^\n");
}

static void long_lines(void **state)
{
	char text[400];
	ag_arena *a = ag_arena_new();

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t width = 40; width < 200; width += 13) {
		for (size_t at = 0; at <= sizeof(text) - 1; at++) {
			ag_str rest, line, caret;

			text[at] = at < sizeof(text) - 1 ? '!' : '\0';
			rest = lines(a, text, at, width, true);
			line = ag_str_split(&rest, '\n');
			caret = ag_str_split(&rest, '\n');
			assert_true(ag_utf8_width(line) <= width);
			assert_true(caret.len <= width && caret.ptr[caret.len - 1] == '^');
			/* the caret is below the place */
			if (at < sizeof(text) - 1) {
				const int64_t mark = ag_str_find(line, '!');

				assert_true(mark >= 0);
				assert_int_equal(ag_utf8_width(ag_str_make(line.ptr, (size_t)mark)),
				                 caret.len - 1);
				text[at] = 'x';
			} else {
				assert_int_equal(ag_utf8_width(line), caret.len - 1);
			}
		}
		ag_arena_reset(a);
	}
	ag_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lines),
		cmocka_unit_test(columns),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
