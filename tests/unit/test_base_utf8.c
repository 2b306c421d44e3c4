/* UTF-8: every code point there and back, everything malformed refused, widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void every_code_point(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
		bool is_surrogate = cp >= 0xD800 && cp <= 0xDFFF;
		char out[4];
		ag_str s = ag_str_make(out, ag_utf8_put(out, cp));
		size_t pos = 0;

		if (!ag_utf8_valid(s) || ag_utf8_next(s, &pos) != (is_surrogate ? 0xFFFD : cp) ||
		    pos != s.len)
			fail_msg("U+%04X", (unsigned)cp);
		if (s.len > 1 && ag_utf8_valid(ag_str_make(out, s.len - 1)))
			fail_msg("U+%04X cut short", (unsigned)cp);
	}
}

static void put_replaces_what_is_no_character(void **state)
{
	char out[4];

	(void)state;
	assert_int_equal(ag_utf8_put(out, 0x110000), 3);
	assert_memory_equal(out, "\xEF\xBF\xBD", 3);
	assert_int_equal(ag_utf8_put(out, 0xD800), 3);
	assert_memory_equal(out, "\xEF\xBF\xBD", 3);
}

static void malformed(void **state)
{
	static const char *const bad[] = {
		"\x80",
		"\xBF",
		"\xC0\x80",
		"\xC1\xBF",
		"\xC2",
		"\xC2\x41",
		"\xE0\x80\x80",
		"\xE0\x9F\xBF",
		"\xED\xA0\x80",
		"\xED\xBF\xBF",
		"\xE2\x82",
		"\xE2\x41\x82",
		"\xF0\x80\x80\x80",
		"\xF0\x8F\xBF\xBF",
		"\xF4\x90\x80\x80",
		"\xF5\x80\x80\x80",
		"\xF0\x9F\x98",
		"\xFE",
		"\xFF",
	};
	char padded[80];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_str s = ag_str_c(bad[i]);
		size_t pos = 0;

		assert_false(ag_utf8_valid(s));
		assert_int_equal(ag_utf8_next(s, &pos), 0xFFFD);
		assert_int_equal(pos, 1);
		/* Wherever the fast path for ASCII stands when it meets it. */
		for (size_t at = 0; at < 70; at++) {
			memset(padded, 'a', sizeof(padded));
			memcpy(padded + at, s.ptr, s.len);
			assert_false(ag_utf8_valid(ag_str_make(padded, sizeof(padded))));
		}
	}
	memset(padded, 'a', sizeof(padded));
	for (size_t n = 0; n <= sizeof(padded); n++)
		assert_true(ag_utf8_valid(ag_str_make(padded, n)));
	assert_true(ag_utf8_valid(ag_str_make(NULL, 0)));
}

/* A word at a time: every length and place, on the heap in its exact size. */
static void text_has_no_nul_at_any_place(void **state)
{
	static const struct {
		ag_str bytes;
		bool is_text;
	} cases[] = { { AG_S_INIT("\0"), false },   { AG_S_INIT("\x80"), false },
		      { AG_S_INIT("\xFF"), false }, { AG_S_INIT("\xC3\xA4"), true },
		      { AG_S_INIT("\x01"), true },  { AG_S_INIT("\x7F"), true } };

	(void)state;
	assert_true(ag_utf8_is_text(AG_S("")));
	assert_true(ag_utf8_is_text(ag_str_make(NULL, 0)));
	for (size_t len = 1; len < 40; len++) {
		char *p = malloc(len);

		assert_non_null(p);
		for (size_t i = 0; i < AG_NELEM(cases); i++) {
			for (size_t at = 0; at + cases[i].bytes.len <= len; at++) {
				memset(p, 'a', len);
				memcpy(p + at, cases[i].bytes.ptr, cases[i].bytes.len);
				if (ag_utf8_is_text(ag_str_make(p, len)) != cases[i].is_text)
					fail_msg("case %zu at %zu of %zu", i, at, len);
			}
		}
		free(p);
	}
}

static void count_and_prefix(void **state)
{
	ag_str s = AG_S(
		"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFFz"); /* 1+2+3+4 bytes, a bad one */
	static const size_t lengths[] = { 0, 1, 3, 6, 10, 11, 12, 12 };
	char ascii[100];

	(void)state;
	assert_int_equal(ag_utf8_count(s), 6);
	for (size_t n = 0; n < AG_NELEM(lengths); n++)
		assert_int_equal(ag_utf8_prefix(s, n).len, lengths[n]);
	assert_int_equal(ag_utf8_prefix(s, SIZE_MAX).len, s.len);
	assert_int_equal(ag_utf8_count(ag_str_make(NULL, 0)), 0);
	assert_int_equal(ag_utf8_prefix(ag_str_make(NULL, 0), 3).len, 0);
	memset(ascii, 'x', sizeof(ascii));
	for (size_t n = 0; n <= sizeof(ascii); n++)
		assert_int_equal(ag_utf8_prefix(ag_str_make(ascii, sizeof(ascii)), n).len, n);
	assert_int_equal(ag_utf8_count(ag_str_make(ascii, sizeof(ascii))), sizeof(ascii));
}

static void width(void **state)
{
	static const struct {
		uint32_t cp;
		size_t width;
	} cases
		[] = {
			{ 'a', 1 },     { '\n', 0 },     { 0x7F, 0 },
			{ 0x85, 0 },    { 0xA0, 1 },     { 0xAD, 1 },
			{ 0xE9, 1 },    { 0x301, 0 }, /* combining acute */
			{ 0x5D0, 1 },                 /* Hebrew alef */
			{ 0x1100, 2 },                /* Hangul lead */
			{ 0x1161, 0 },                /* Hangul vowel */
			{ 0x200B, 0 },                /* zero width space */
			{ 0x200D, 0 },                /* zero width joiner */
			{ 0x20AC, 1 },                /* euro */
			{ 0x231A, 2 },                /* watch */
			{ 0x2500, 1 },                /* box drawing */
			{ 0x3042, 2 },                /* hiragana */
			{ 0x4E2D, 2 },  { 0x9FFF, 2 },   { 0xAC00, 2 },
			{ 0xFE0F, 0 }, /* variation selector */
			{ 0xFF01, 2 }, /* full width */
			{ 0xFF61, 1 }, /* half width */
			{ 0xFFFD, 1 },  { 0x1F600, 2 },  { 0x1F926, 2 },
			{ 0x20000, 2 }, { 0x10FFFF, 1 },
		};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		if (ag_utf8_cp_width(cases[i].cp) != cases[i].width)
			fail_msg("U+%04X", (unsigned)cases[i].cp);
	}
	assert_int_equal(ag_utf8_width(AG_S("e\xCC\x81\xE4\xB8\xAD\xF0\x9F\x98\x80\xFF!\t")), 7);
	assert_int_equal(ag_utf8_width(ag_str_make(NULL, 0)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point),
		cmocka_unit_test(put_replaces_what_is_no_character),
		cmocka_unit_test(malformed),
		cmocka_unit_test(text_has_no_nul_at_any_place),
		cmocka_unit_test(count_and_prefix),
		cmocka_unit_test(width),
	};

	return cmocka_run_group_tests_name("base_utf8", tests, NULL, NULL);
}
