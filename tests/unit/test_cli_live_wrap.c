/* Text that comes in pieces, broken between words: the same lines however it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/live_wrap.h"

/* In pieces of n bytes. */
static void assert_wrapped(const char *text, size_t width, size_t n, const char *want)
{
	ag_live_wrap w = { .width = width };
	ag_buf out = AG_BUF_INIT(64 * 1024);
	const size_t len = strlen(text);

	for (size_t i = 0; i < len; i += n)
		ag_live_wrap_add(&w, ag_str_make(text + i, len - i < n ? len - i : n), &out);
	ag_live_wrap_end(&w, &out);
	if (!ag_str_eqc(ag_buf_view(&out), want))
		fail_msg("in pieces of %zu: want\n%s\ngot\n%.*s", n, want,
		         AG_FMT(ag_buf_view(&out)));
	ag_buf_release(&out);
}

static void lines_break_between_words_however_they_come(void **state)
{
	(void)state;
	for (size_t n = 1; n < 60; n++) {
		assert_wrapped("In May it was 12, in June it was 13.", 12, n,
		               "In May it\nwas 12, in\nJune it was\n13.");
		assert_wrapped("one two", 7, n, "one two");
		assert_wrapped("one\n\n  two  three\n", 9, n, "one\n\n  two\nthree\n");
		assert_wrapped("a verylongwordthatfitsnowhere b", 8, n,
		               "a\nverylongwordthatfitsnowhere\nb");
		assert_wrapped("\xc3\xa4\xc3\xa4\xc3\xa4 \xe6\xbc\xa2\xe5\xad\x97", 8, n,
		               "\xc3\xa4\xc3\xa4\xc3\xa4 \xe6\xbc\xa2\xe5\xad\x97");
		assert_wrapped("\xc3\xa4\xc3\xa4\xc3\xa4 \xe6\xbc\xa2\xe5\xad\x97", 7, n,
		               "\xc3\xa4\xc3\xa4\xc3\xa4\n\xe6\xbc\xa2\xe5\xad\x97");
		assert_wrapped("no end of it, as it is", 0, n, "no end of it, as it is");
	}
}

static void a_word_without_an_end_is_shown_whole(void **state)
{
	char text[3000];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[sizeof(text) - 2] = '\0';
	for (size_t n = 1; n < 700; n += 13) {
		ag_live_wrap w = { .width = 80 };
		ag_buf out = AG_BUF_INIT(64 * 1024);
		size_t nchar = 0;

		for (size_t i = 0; i < strlen(text); i += n)
			ag_live_wrap_add(&w,
			                 ag_str_make(text + i,
			                             strlen(text) - i < n ? strlen(text) - i : n),
			                 &out);
		ag_live_wrap_end(&w, &out);
		for (size_t i = 0; i < out.len; i++)
			nchar += out.ptr[i] != '\n';
		assert_int_equal(nchar, strlen(text));
		ag_buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_break_between_words_however_they_come),
		cmocka_unit_test(a_word_without_an_end_is_shown_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
