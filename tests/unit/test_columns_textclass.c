/* Text classes: every detector against its regex over awkward and random texts; dates against the calendar;
 * the repair of mojibake by hand-made examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "columns/textclass.h"
#include "query/regex.h"

#define BIT(class) (1u << AG_TEXT_##class)

static const char *const names[AG_TEXT_NCLASS] = {
#define X(name, regex, options) #name,
	AG_TEXT_CLASS_TABLE(X)
#undef X
};

typedef struct fixture {
	ag_arena *arena;
	const ag_regex *classes[AG_TEXT_NCLASS];
	const ag_regex *dates[AG_DATE_NFORMAT];
} fixture;

static int setup(void **state)
{
	fixture *f = calloc(1, sizeof *f);
	ag_err err;

	if (!f)
		return -1;
	f->arena = ag_arena_new();
	for (unsigned i = 0; i < AG_TEXT_NCLASS; i++)
		if (ag_regex_compile(ag_str_c(ag_text_class_regex(i)),
		                     ag_str_c(ag_text_class_regex_options(i)), f->arena,
		                     &f->classes[i], &err))
			return -1;
	for (unsigned i = 1; i < AG_DATE_NFORMAT; i++)
		if (ag_regex_compile(ag_str_c(ag_date_format_regex(i)), AG_S(""), f->arena,
		                     &f->dates[i], &err))
			return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	fixture *f = *state;

	ag_arena_free(f->arena);
	free(f);
	return 0;
}

/* The detectors' answer is the regexes' answer. */
static void assert_agree(const fixture *f, ag_str s)
{
	unsigned got = ag_text_classify(s);
	ag_date_format date = ag_text_date_format(s, NULL, NULL);

	for (unsigned i = 0; i < AG_TEXT_NCLASS; i++) {
		bool want = ag_regex_match(f->classes[i], s);

		if (want != (got >> i & 1))
			fail_msg("%s: the regex says %d of \"%.*s\" (%zu bytes)", names[i], want,
			         AG_FMT(s), s.len);
	}
	if (date != AG_DATE_NONE && !ag_regex_match(f->dates[date], s))
		fail_msg("date format %d, but not its regex: \"%.*s\"", (int)date, AG_FMT(s));
}

static const char *const corpus[] = { "",
	                              " ",
	                              "  ",
	                              "\n",
	                              "a",
	                              "a\n",
	                              " a",
	                              "a ",
	                              "a b",
	                              "a  b",
	                              "  a b",
	                              "a b  ",
	                              "a   b\n",
	                              "\ta",
	                              "a\tb",
	                              "1",
	                              "-1",
	                              "+1",
	                              "1.5",
	                              "1,5",
	                              "1.",
	                              ".5",
	                              "1.5.5",
	                              "1,234.5",
	                              " 12 ",
	                              "12\n",
	                              "1e5",
	                              "0x1f",
	                              "--1",
	                              "007",
	                              "1 2",
	                              "\v1\f",
	                              "n/a",
	                              "N/A",
	                              "na",
	                              "#N/A",
	                              "nan",
	                              "NULL",
	                              " null\n",
	                              "none",
	                              "nil",
	                              "unKnown",
	                              "undefined",
	                              "TBD",
	                              "Missing",
	                              "not available",
	                              "not  available",
	                              "te\xc5\xbft",
	                              "un\xe2\x84\xaanown",
	                              "xxx",
	                              "xxxx",
	                              "Lorem Ipsum",
	                              "lorem ipsum dolor",
	                              "-",
	                              "--",
	                              "-?",
	                              "?",
	                              "???",
	                              "-\n",
	                              "- -",
	                              "n/a n/a",
	                              "yes",
	                              "YES\n",
	                              "ye\xc5\xbf",
	                              "fal\xc5\xbf"
	                              "e\n",
	                              "no",
	                              "y",
	                              "N",
	                              "on",
	                              "Off",
	                              "offf",
	                              "true",
	                              "yes ",
	                              "a\xc2\xa0"
	                              "b",
	                              "a\xe2\x80\x8b",
	                              "\xe2\x80\x8c",
	                              "a\xe2\x80\x8c",
	                              "\xc3\xa9\xe2\x80\x8d",
	                              "\xc9\x8f\xe2\x80\x8d",
	                              "\xc9\x90\xe2\x80\x8d",
	                              "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae",
	                              "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9",
	                              "5\xe2\x80\x8d",
	                              "\xef\xbb\xbfid",
	                              "\xe2\x81\xa0",
	                              "a\x01",
	                              "\x7f",
	                              "\xc2\x85",
	                              "\xc2\x9f",
	                              "\xc2\xa1",
	                              "\xef\xbf\xbd",
	                              "\xef\xbf\xbc",
	                              "a&amp;b",
	                              "&amp",
	                              "&lt;",
	                              "&nbsp;",
	                              "&apos;",
	                              "&AMP;",
	                              "&#39;",
	                              "&#1234567;",
	                              "&#12345678;",
	                              "&#;",
	                              "&#x1F600;",
	                              "&#x;",
	                              "&#xg;",
	                              "&#x1234567;",
	                              "&",
	                              "&&amp;",
	                              "&#3a;",
	                              "a@b.c",
	                              "a@b.c\n",
	                              "a@b",
	                              "@b.c",
	                              "a@.c",
	                              "a@b.",
	                              "a@b..",
	                              "a@@b.c",
	                              "a b@c.d",
	                              "a@b.c@d",
	                              "a@b.c.d",
	                              "\xc3\xa4@\xc3\xb6.de",
	                              "a@bc",
	                              "a@b\n.c",
	                              "a@.." };

static const char *const mojibake[] = { "Ã©",
	                                "CafÃ©",
	                                "â€™",
	                                "Itâ€™s",
	                                "â€œquotedâ€\xc2\x9d",
	                                "â€\xc2\x9d",
	                                "SÃ£o Paulo",
	                                "MÃ¼ller",
	                                "NÃƒO",
	                                "JOSÃ‰",
	                                "AÃ‘O",
	                                "voilÃ\xc2\xa0 non",
	                                "20Â°C",
	                                "Â©",
	                                "10Â\xc2\xa0"
	                                "000",
	                                "â‚¬ 5",
	                                "â„¢",
	                                "â€¦",
	                                "â†’",
	                                "Ä°stanbul",
	                                "KadÄ±köy",
	                                "Å\xc2\x9f"
	                                "ehir",
	                                "cÅ“ur",
	                                "Ð¼Ð¾Ñ\xc2\x81ÐºÐ²Ð°",
	                                "Î‘Î¸Î®Î½Î±",
	                                "×©×œ×•×\xc2\x9d",
	                                "Ù…Ø±Ø\xc2\xad",
	                                "Viá»‡t Nam",
	                                "má»›i",
	                                "æ—¥æœ¬",
	                                "ã\xc2\x81\xc2\x82",
	                                "ðŸ˜€",
	                                "ï»¿id",
	                                "ï¿½",
	                                "ÃƒÂ©",
	                                "Ã\xc2\x80",
	                                "âœ“",
	                                "â\xc2\x80\xc2\x99",
	                                "à¸ªà¸§" };

static const char *const clean_texts[] = { "São Paulo",
	                                   "NÃO",
	                                   "MAÇÃ",
	                                   "“MAÇÃ”",
	                                   "IRMÃ…",
	                                   "ĐÃ”",
	                                   "MANHÃ »",
	                                   "Ã",
	                                   "Â",
	                                   "É",
	                                   "“CAFÉ”",
	                                   "„Spaß“",
	                                   "é »",
	                                   "« thé » et « café »",
	                                   "HÂLÂ »",
	                                   "KÂĞIT",
	                                   "İstanbul",
	                                   "„Ä“",
	                                   "HYVÄ”",
	                                   "5 Å²",
	                                   "Å – Ä",
	                                   "½×¼×½",
	                                   "«olá»…",
	                                   "está» –",
	                                   "Việt Nam",
	                                   "đã",
	                                   "Åland",
	                                   "naïve",
	                                   "Þór – það",
	                                   "Ø 5°",
	                                   "ÎLE",
	                                   "«À»",
	                                   "Ç’",
	                                   "Ò”",
	                                   "É™",
	                                   "Ελληνικά «Γ»",
	                                   "Москва – «Россия»",
	                                   "日本語。",
	                                   "שלום",
	                                   "مرحبا",
	                                   "😀",
	                                   "l’été…",
	                                   "Ñ",
	                                   "ÀÉ–",
	                                   "è »à »" };

static void detectors_agree_with_regexes(void **state)
{
	const fixture *f = *state;

	for (size_t i = 0; i < AG_NELEM(corpus); i++)
		assert_agree(f, ag_str_c(corpus[i]));
	for (size_t i = 0; i < AG_NELEM(mojibake); i++)
		assert_agree(f, ag_str_c(mojibake[i]));
	for (size_t i = 0; i < AG_NELEM(clean_texts); i++)
		assert_agree(f, ag_str_c(clean_texts[i]));
	assert_agree(f, ag_str_make("a\0b", 3));
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* What random texts are made of. */
/* clang-format off */
static const char *const pieces[] = {
	" ", " ", "\n", "\t", "\v", "a", "Z", "7", "0", "-", "+", ".", ",", "?", "/", ":", "@", "&",
	";", "amp;", "#x", "n/a", "null", "*", "|", "\\", "\\N", "#REF!", "#DIV/0!", "n.a.", "(empty)", "..", "Smith", "yes", "test", "ſ", "K", "\xc2\xa0", "\xe2\x80\x8b",
	"\xe2\x80\x8d", "\xc2\x80", "\xc2\x99", "½", "¡", "»", "®", "°", "º", "¿", "­", "€", "‚", "ƒ",
	"„", "…", "‰", "Š", "Œ", "’", "“", "”", "–", "—", "™", "›", "ž", "Ÿ", "Â", "Ã", "Ä", "Å", "É",
	"Î", "Ï", "Ð", "Ñ", "Ó", "×", "Ø", "Û", "ß", "à", "á", "â", "ã", "ä", "é", "ì", "í", "ï", "ð",
	"ñ", "Đ", "ž", "\xef\xbf\xbd", "2026", "-02-", "29", "30", "/", "12", " 08:30", "Mar", " 1, ",
	"Sun, ", "T", "Z", "日", "😀",
};
/* clang-format on */

static void detectors_agree_with_regexes_on_random_texts(void **state)
{
	const fixture *f = *state;
	uint64_t seed = 20260301;

	for (unsigned round = 0; round < 150000; round++) {
		ag_buf b = AG_BUF_INIT(1000);
		unsigned n = 1 + next_random(&seed) % 7;
		unsigned from = round % 2 ? 29 : 0; /* every other round: the high ones only */

		for (unsigned i = 0; i < n; i++)
			ag_buf_adds(&b,
			            pieces[from + next_random(&seed) % (AG_NELEM(pieces) - from)]);
		assert_agree(f, ag_buf_view(&b));
		ag_buf_release(&b);
	}
}

static void mojibake_is_told_from_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(mojibake); i++)
		if (!(ag_text_classify(ag_str_c(mojibake[i])) & BIT(MOJIBAKE)))
			fail_msg("missed: %s", mojibake[i]);
	for (size_t i = 0; i < AG_NELEM(clean_texts); i++)
		if (ag_text_classify(ag_str_c(clean_texts[i])) & BIT(MOJIBAKE))
			fail_msg("wrong: %s", clean_texts[i]);
}

static void assert_repair(const char *in, const char *want)
{
	ag_buf b = AG_BUF_INIT(1000);
	bool done = ag_text_repair(ag_str_c(in), &b);

	assert_int_equal(done, want != NULL);
	if (want) {
		assert_true(b.len <= strlen(in));
		assert_string_equal(b.ptr, want);
	} else {
		assert_int_equal(b.len, 0);
	}
	ag_buf_release(&b);
}

static void mojibake_is_repaired(void **state)
{
	(void)state;
	assert_repair("CafÃ© in SÃ£o Paulo, itâ€™s 20Â°", "Café in São Paulo, it’s 20°");
	assert_repair("MÃ¼ller “CAFÉ”", "Müller “CAFÉ”");
	assert_repair("Ð¼Ð¾Ñ\xc2\x81ÐºÐ²Ð° Ð²", "москва в");
	assert_repair("æ—¥æœ¬", "日本");
	assert_repair("ðŸ˜€", "😀");
	assert_repair("Viá»‡t", "Việt");
	assert_repair("KadÄ±köy", "Kadıköy");
	assert_repair("São Paulo", NULL);
	assert_repair("“MAÇÃ”", NULL);
	assert_repair("", NULL);
}

static void classes_of_plain_texts(void **state)
{
	(void)state;
	assert_int_equal(ag_text_classify(AG_S("Hello, world")), 0);
	assert_int_equal(ag_text_classify(AG_S("12.50")), BIT(NUMERIC));
	assert_int_equal(ag_text_classify(AG_S(" x")), BIT(PADDED));
	assert_int_equal(ag_text_classify(AG_S("N/A")), BIT(NULL_WORD));
	assert_int_equal(ag_text_classify(AG_S("--")), BIT(NULL_WORD));
	assert_int_equal(ag_text_classify(AG_S("Yes")), BIT(BOOL_WORD));
	assert_int_equal(ag_text_classify(AG_S("a  b")), BIT(DOUBLE_BLANK));
	assert_int_equal(ag_text_classify(AG_S("me@example.org")), BIT(EMAIL));
	assert_int_equal(ag_text_classify(AG_S("a &lt; b")), BIT(ENTITY));
	assert_int_equal(ag_text_classify(AG_S("a\xc2\xa0"
	                                       "b")),
	                 BIT(ODD_SPACE) | BIT(NON_ASCII));
	assert_int_equal(ag_text_classify(AG_S("a\x02")), BIT(CONTROL));
	assert_int_equal(ag_text_classify(AG_S("\xef\xbf\xbd")), BIT(REPLACEMENT) | BIT(NON_ASCII));
	assert_int_equal(ag_text_classify(AG_S("\\N")), BIT(NULL_WORD));
	assert_int_equal(ag_text_classify(AG_S("#DIV/0!")), BIT(NULL_WORD));
	assert_int_equal(ag_text_classify(AG_S("St.. Louis")), BIT(DOUBLED_MARK));
	assert_int_equal(ag_text_classify(AG_S("Smith;")), BIT(EDGE_MARK));
	assert_int_equal(ag_text_classify(AG_S("*Smith")), BIT(STAR));
	assert_int_equal(ag_text_classify(AG_S("Inc.")), 0);
	assert_int_equal(ag_text_classify(AG_S("wait...")), 0);
}

static void dates_by_format(void **state)
{
	static const struct {
		const char *text;
		ag_date_format format;
	} cases[] = {
		{ "2026-03-01", AG_DATE_ISO },
		{ "2024-02-29", AG_DATE_ISO },
		{ "2026-02-29", AG_DATE_NONE },
		{ "1900-02-29", AG_DATE_NONE },
		{ "2000-02-29", AG_DATE_ISO },
		{ "2026-13-01", AG_DATE_NONE },
		{ "0000-01-01", AG_DATE_NONE },
		{ "0001-01-01", AG_DATE_ISO },
		{ "2026-04-31", AG_DATE_NONE },
		{ "2026-03-01T08:30:00Z", AG_DATE_ISO },
		{ "2026-03-01 08:30", AG_DATE_ISO },
		{ "2026-03-01T08:30:00.123+02:00", AG_DATE_ISO },
		{ "2026-03-01T08:30:00-0500", AG_DATE_ISO },
		{ "2026-03-01T24:00:00Z", AG_DATE_NONE },
		{ "2026-03-01T08:60", AG_DATE_NONE },
		{ "2026-03-01T08", AG_DATE_NONE },
		{ "2026-3-1", AG_DATE_NONE },
		{ "2026-03-01T", AG_DATE_NONE },
		{ "2026/03/01", AG_DATE_YMD_SLASH },
		{ "2026/3/1 08:30:00", AG_DATE_YMD_SLASH },
		{ "2026/02/30", AG_DATE_NONE },
		{ "03/01/2026", AG_DATE_SLASH },
		{ "3/1/2026", AG_DATE_SLASH },
		{ "13/01/2026", AG_DATE_SLASH },
		{ "01/13/2026", AG_DATE_SLASH },
		{ "13/13/2026", AG_DATE_NONE },
		{ "31/04/2026", AG_DATE_NONE },
		{ "00/01/2026", AG_DATE_NONE },
		{ "29/02/2024", AG_DATE_SLASH },
		{ "02/29/2026", AG_DATE_NONE },
		{ "03/01/2026 08:30 PM", AG_DATE_SLASH },
		{ "03/01/2026 8:30 a.m.", AG_DATE_SLASH },
		{ "03/01/2026 8:30 a", AG_DATE_NONE },
		{ "03/01/26", AG_DATE_NONE },
		{ "01.03.2026", AG_DATE_DOT },
		{ "32.03.2026", AG_DATE_NONE },
		{ "01-03-2026", AG_DATE_DASH },
		{ "01-03/2026", AG_DATE_NONE },
		{ "20260301", AG_DATE_COMPACT },
		{ "20260230", AG_DATE_NONE },
		{ "18991231", AG_DATE_NONE },
		{ "21000101", AG_DATE_NONE },
		{ "202603011", AG_DATE_NONE },
		{ "Sun, 01 Mar 2026 08:00:00 +0000", AG_DATE_RFC2822 },
		{ "Sun, 1 Mar 2026 08:00 GMT", AG_DATE_RFC2822 },
		{ "Xyz, 01 Mar 2026 08:00:00 +0000", AG_DATE_NONE },
		{ "Sun, 30 Feb 2026 08:00:00 +0000", AG_DATE_NONE },
		{ "1 Mar 2026", AG_DATE_DAY_MONTH_NAME },
		{ "01-March-2026", AG_DATE_DAY_MONTH_NAME },
		{ "01-March 2026", AG_DATE_NONE },
		{ "31 June 2026", AG_DATE_NONE },
		{ "1 Marc 2026", AG_DATE_NONE },
		{ "Mar 1, 2026", AG_DATE_MONTH_NAME_DAY },
		{ "September 30, 2026", AG_DATE_MONTH_NAME_DAY },
		{ "Sept 31, 2026", AG_DATE_NONE },
		{ "", AG_DATE_NONE },
		{ "12345678", AG_DATE_NONE },
		{ "hello world", AG_DATE_NONE },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str s = ag_str_c(cases[i].text);

		if (ag_text_date_format(s, NULL, NULL) != cases[i].format)
			fail_msg("%s: format %d", cases[i].text,
			         (int)ag_text_date_format(s, NULL, NULL));
		assert_agree(*state, s);
	}
	for (unsigned i = 1; i < AG_DATE_NFORMAT; i++) {
		ag_str s = ag_str_c(ag_date_format_example(i));

		assert_int_equal(ag_text_date_format(s, NULL, NULL), i);
	}
}

static void date_parts_are_given(void **state)
{
	int a = -1, b = -1;

	(void)state;
	assert_int_equal(ag_text_date_format(AG_S("13/02/2026"), &a, &b), AG_DATE_SLASH);
	assert_int_equal(a, 13);
	assert_int_equal(b, 2);
	assert_int_equal(ag_text_date_format(AG_S("2026-03-01"), &a, &b), AG_DATE_ISO);
	assert_int_equal(a, 0);
	assert_int_equal(b, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detectors_agree_with_regexes),
		cmocka_unit_test(detectors_agree_with_regexes_on_random_texts),
		cmocka_unit_test(mojibake_is_told_from_words),
		cmocka_unit_test(mojibake_is_repaired),
		cmocka_unit_test(classes_of_plain_texts),
		cmocka_unit_test(dates_by_format),
		cmocka_unit_test(date_parts_are_given),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
