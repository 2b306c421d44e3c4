/* Categories and the names of fields: everything that is looked up by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "audit/field_name.h"
#include "audit/taxonomy.h"

static void every_name_leads_to_one_category(void **state)
{
	ag_arena *a = ag_arena_new();
	size_t n;
	const ag_category *t = ag_category_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		ag_str rest = ag_str_c(t[i].synonyms);

		assert_ptr_equal(ag_category_find(ag_str_c(t[i].id)), &t[i]);
		assert_true(ag_str_eqc(ag_category_canonical(ag_str_c(t[i].id), a), t[i].id));
		assert_true(strlen(t[i].title) > 3);
		while (rest.ptr) {
			ag_str s = ag_str_split(&rest, ' ');

			if (!ag_str_eqc(ag_category_canonical(s, a), t[i].id))
				fail_msg("%.*s does not lead to %s", AG_FMT(s), t[i].id);
		}
	}
	ag_arena_free(a);
}

static void spelling_does_not_matter(void **state)
{
	static const char *const pairs[][2] = {
		{ "Null-Rate", "null_rate" },
		{ " missing rate ", "null_rate" },
		{ "TYPE DRIFT", "type_mismatch" },
		{ "Mixed Types", "type_mismatch" },
		{ "invalid.value", "enum_violation" },
		{ "non--unique", "duplicates" },
		{ "Duplicate", "duplicates" },
		{ "out of range", "impossible_range" },
		{ "My Own  Thing", "my_own_thing" },
		{ "", "" },
		{ "--", "" },
	};
	ag_arena *a = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(pairs); i++) {
		ag_str got = ag_category_canonical(ag_str_c(pairs[i][0]), a);

		if (!ag_str_eqc(got, pairs[i][1]))
			fail_msg("\"%s\": %.*s, not %s", pairs[i][0], AG_FMT(got), pairs[i][1]);
	}
	assert_null(ag_category_find(AG_S("my_own_thing")));
	ag_arena_free(a);
}

static void severities_have_names_and_weights(void **state)
{
	ag_severity s = AG_LOW;

	(void)state;
	for (int i = AG_LOW; i <= AG_CRITICAL; i++) {
		assert_true(ag_severity_parse(ag_str_c(ag_severity_name((ag_severity)i)), &s));
		assert_int_equal(s, i);
		assert_true(i == AG_LOW || ag_severity_weight((ag_severity)i) >
		                                   ag_severity_weight((ag_severity)(i - 1)));
	}
	assert_true(ag_severity_parse(AG_S(" High "), &s));
	assert_int_equal(s, AG_HIGH);
	assert_false(ag_severity_parse(AG_S("severe"), &s));
	assert_int_equal(s, AG_HIGH);
}

static void names_are_cut_into_words(void **state)
{
	static const struct {
		const char *name;
		const char *words; /* blank-separated */
	} cases[] = {
		{ "orderDate", "order date" },
		{ "order_date", "order date" },
		{ "ORDER-DATE", "order date" },
		{ "HTTPStatus", "http status" },
		{ "address2", "address 2" },
		{ "unitPrices", "unit price" },
		{ "categories", "category" },
		{ "_id", "id" },
		{ "Customer Name", "customer name" },
		{ "status", "status" },
		{ "", "" },
		{ "__", "" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_field_name n = ag_field_name_of(ag_str_c(cases[i].name));
		ag_str rest = ag_str_c(cases[i].words);

		for (size_t k = 0; k < n.nword; k++) {
			ag_str want = ag_str_split(&rest, ' ');

			if (!ag_str_eqc(want, n.word[k]))
				fail_msg("%s: word %zu is %s", cases[i].name, k, n.word[k]);
		}
		assert_true(rest.len == 0);
	}
}

static void only_whole_words_count(void **state)
{
	(void)state;
	assert_false(ag_field_name_of(AG_S("discount")).traits & AG_TRAIT_COUNT);
	assert_false(ag_field_name_of(AG_S("message")).traits & AG_TRAIT_AGE);
	assert_false(ag_field_name_of(AG_S("platform")).traits & AG_TRAIT_LAT);
	assert_true(ag_field_name_of(AG_S("viewCount")).traits & AG_TRAIT_COUNT);
	assert_true(ag_field_name_of(AG_S("customerAge")).traits & AG_TRAIT_AGE);
	assert_true(ag_field_name_of(AG_S("firstName")).traits & AG_TRAIT_PERSON);
	assert_true(ag_field_name_of(AG_S("zip_code")).traits & AG_TRAIT_ZIP);
}

/* Lower-case letters, those of other alphabets in UTF-8, and one blank between words, none of which is cut. */
static void every_trait_row_holds_plain_words(void **state)
{
	size_t n;
	const ag_trait_words *rows = ag_trait_table(&n);
	ag_traits seen = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(seen & rows[i].trait, 0);
		seen |= rows[i].trait;
		for (const char *c = rows[i].words; *c; c++)
			assert_true(*c == ' ' ? c[1] != ' ' && c[1] != '\0'
			                      : (*c >= 'a' && *c <= 'z') ||
			                                (unsigned char)*c >= 0x80);
		for (ag_str rest = ag_str_c(rows[i].words); rest.ptr;)
			assert_true(ag_str_split(&rest, ' ').len < AG_NAME_MAX_WORD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_leads_to_one_category),
		cmocka_unit_test(spelling_does_not_matter),
		cmocka_unit_test(severities_have_names_and_weights),
		cmocka_unit_test(names_are_cut_into_words),
		cmocka_unit_test(only_whole_words_count),
		cmocka_unit_test(every_trait_row_holds_plain_words),
	};

	return cmocka_run_group_tests_name("audit_taxonomy", tests, NULL, NULL);
}
