/* Folding, shapes and words of texts by hand-made examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "columns/textclass.h"

static void assert_text(void (*fn)(ag_str, ag_buf *), const char *in, const char *want)
{
	ag_buf b = AG_BUF_INIT(1000);

	fn(ag_str_c(in), &b);
	assert_string_equal(b.ptr ? b.ptr : "", want);
	ag_buf_release(&b);
}

static void folding(void **state)
{
	(void)state;
	assert_text(ag_text_fold, "  Hello \t World ", "hello world");
	assert_text(ag_text_fold, "STRASSE Straße", "strasse strasse");
	assert_text(ag_text_fold, "ÀÉÎŐŽŸ ǅ", "àéîőžÿ ǆ");
	assert_text(ag_text_fold, "ΟΔΟΣ οδός", "οδοσ οδόσ");
	assert_text(ag_text_fold, "МОСКВА Ёлка", "москва ёлка");
	assert_text(ag_text_fold, "VIỆT", "việt");
	assert_text(ag_text_fold,
	            "\xef\xbb\xbf"
	            "a\xc2\xa0"
	            "b",
	            "a b");
	assert_text(ag_text_fold, "", "");
	assert_text(ag_text_fold_hard, "São-Paulo.", "sao paulo");
	assert_text(ag_text_fold_hard, "e\xcc\x81t\xc3\xa9", "ete");
	assert_text(ag_text_fold_hard, "O'Brien, St. John’s", "obrien st johns");
	assert_text(ag_text_fold_hard, "Łódź Ørsted Æther Þór ĐÀ Việt",
	            "lodz orsted aether thor da viet");
	assert_text(ag_text_fold_hard, "Ελλάς Ёлка йод İı", "ελλασ елка йод ii");
	assert_text(ag_text_fold_hard, "C++ C# 1.5 a -1 2026-03", "c++ c# 1.5 a -1 2026 03");
	assert_text(ag_text_fold_hard, "U.S.A.", "usa");
}

static void shapes(void **state)
{
	ag_buf b = AG_BUF_INIT(1000);

	assert_text(ag_text_shape, "Ab-12 x", "Aa-99 a");
	assert_text(ag_text_shape, "Éß Ως Жд 日", "Aa Aa Aa 日");
	assert_text(ag_text_shape, "", "");
	for (unsigned i = 0; i < 65; i++)
		ag_buf_addc(&b, 'x');
	assert_text(ag_text_shape, b.ptr,
	            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…");
	assert_text(ag_text_shape, b.ptr + 1,
	            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	ag_buf_release(&b);
	(void)state;
}

static void words(void **state)
{
	(void)state;
	assert_int_equal(ag_text_words(AG_S("")), 0);
	assert_int_equal(ag_text_words(AG_S(" \t")), 0);
	assert_int_equal(ag_text_words(AG_S("one")), 1);
	assert_int_equal(ag_text_words(AG_S(" one  two\nthree ")), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folding),
		cmocka_unit_test(shapes),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
