/* Check digits: published examples of each scheme are right, and wrong with one other digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/code_scheme.h"

static const struct {
	const char *scheme, *code;
} examples[] = {
	{ "GTIN", "4006381333931" },
	{ "GTIN", "036000291452" },
	{ "GTIN", "96385074" },
	{ "GTIN", "978-3-16-148410-0" },
	{ "GTIN", "756.9217.0769.85" },
	{ "Luhn", "4111 1111 1111 1111" },
	{ "Luhn", "490154203237518" },
	{ "Luhn", "732829320" },
	{ "IBAN", "DE89 3704 0044 0532 0130 00" },
	{ "IBAN", "GB29NWBK60161331926819" },
	{ "IBAN", "FR1420041010050500013M02606" },
	{ "LEI", "5493001KJTIIGC8Y1R12" },
	{ "ISIN", "US0378331005" },
	{ "ISIN", "AU0000XVGZA3" },
	{ "CUSIP", "037833100" },
	{ "CUSIP", "17275R102" },
	{ "SEDOL", "B0WNLY7" },
	{ "VIN", "1M8GDM9AXKP042788" },
	{ "VIN", "5GZCZ43D13S812715" },
	{ "ISO 6346", "CSQU3054383" },
	{ "NIF", "12345678Z" },
	{ "NIF", "x1234567l" },
	{ "CPF", "111.444.777-35" },
	{ "CNPJ", "11.444.777/0001-61" },
	{ "RUT", "12.345.678-5" },
	{ "RUT", "10.000.013-K" },
	{ "ISO 7064", "DE136695976" },
	{ "ISO 7064", "86095742719" },
	{ "ORCID", "0000-0002-1825-0097" },
	{ "ORCID", "0000-0002-1694-233X" },
	{ "NIR", "2 55 08 14 168 025 38" },
	{ "Belgian number", "85.07.30-033 28" },
	{ "Belgian number", "17.07.30-033 84" },
	{ "ISBN-10", "0-306-40615-2" },
	{ "ISBN-10", "0-8044-2957-X" },
	{ "ISBN-10", "943 476 5919" },
	{ "ISSN", "2434-561X" },
	{ "IMO", "IMO 9074729" },
	{ "ABA", "111000025" },
	{ "BSN", "123456782" },
	{ "PESEL", "44051401359" },
	{ "NIP", "PL 123-456-32-18" },
};

static const ag_code_scheme *scheme_called(const char *name)
{
	size_t n;
	const ag_code_scheme *schemes = ag_code_schemes(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(schemes[i].name, name) == 0)
			return &schemes[i];
	fail_msg("there is no scheme %s", name);
	return NULL;
}

static ag_code_fit fit_of(const ag_code_scheme *s, ag_str text)
{
	ag_code code;

	return ag_code_read(text, &code) ? ag_code_fits(s, &code) : AG_CODE_OTHER;
}

static void published_examples_are_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(examples); i++)
		if (fit_of(scheme_called(examples[i].scheme), ag_str_c(examples[i].code)) !=
		    AG_CODE_RIGHT)
			fail_msg("%s: %s", examples[i].scheme, examples[i].code);
}

static void another_digit_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(examples); i++) {
		char text[64];
		const size_t n = strlen(examples[i].code);

		memcpy(text, examples[i].code, n + 1);
		for (size_t k = 4; k < n; k++) {
			const char c = text[k];

			if (c < '0' || c > '9')
				continue;
			text[k] = c == '9' ? '0' : (char)(c + 1);
			if (fit_of(scheme_called(examples[i].scheme), ag_str_make(text, n)) ==
			    AG_CODE_RIGHT)
				fail_msg("%s: %s", examples[i].scheme, text);
			text[k] = c;
		}
	}
}

static void other_texts_are_no_codes(void **state)
{
	static const char *const texts[] = { "",       "-",          "hello",
		                             "12,5",   "2024-05-06", "4006381333931 (old)",
		                             "Zürich", "1/2" };
	size_t nscheme;
	const ag_code_scheme *schemes = ag_code_schemes(&nscheme);
	const size_t form_of_a_date = 8;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		for (size_t k = 0; k < nscheme; k++) {
			ag_code code;

			if (ag_code_read(ag_str_c(texts[i]), &code) && code.n != form_of_a_date)
				assert_int_equal(ag_code_fits(&schemes[k], &code), AG_CODE_OTHER);
		}
}

static void a_text_beyond_the_limit_is_no_code(void **state)
{
	char text[AG_CODE_MAX + 1];
	ag_code code;

	(void)state;
	memset(text, '1', sizeof(text));
	assert_true(ag_code_read(ag_str_make(text, AG_CODE_MAX), &code));
	assert_int_equal(code.n, AG_CODE_MAX);
	assert_false(ag_code_read(ag_str_make(text, AG_CODE_MAX + 1), &code));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_examples_are_right),
		cmocka_unit_test(another_digit_is_wrong),
		cmocka_unit_test(other_texts_are_no_codes),
		cmocka_unit_test(a_text_beyond_the_limit_is_no_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
