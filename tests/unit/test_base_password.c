/* Hashes of passwords: one made elsewhere is recognised, whatever is wrong is no, and none is made of what is too short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/password.h"

/* Python: hashlib.scrypt(b"secret word", salt=b"ZBLc1SvhhcU7zJbsRzPLr.", n=2**14, r=32, p=1) in the form of crypt(5). */
#define MADE_ELSEWHERE \
	"$7$CU..../....ZBLc1SvhhcU7zJbsRzPLr.$ODcbco4lFYf4ZZMfpTqBTLeWTvkaPtjoVQST1ucNLu1"

static bool matches(const char *password, const char *hash)
{
	ag_err err = { 0 };
	bool ret = true;

	assert_int_equal(ag_password_check(ag_str_c(password), ag_str_c(hash), &ret, &err), AG_OK);
	return ret;
}

static void a_hash_is_recognised(void **state)
{
	char hash[AG_PASSWORD_HASH], other[AG_PASSWORD_HASH];
	ag_err err = { 0 };

	(void)state;
	assert_true(matches("secret word", MADE_ELSEWHERE));
	assert_false(matches("secret wore", MADE_ELSEWHERE));
	assert_int_equal(ag_password_hash(AG_S("correct horse"), hash, &err), AG_OK);
	assert_int_equal(ag_password_hash(AG_S("correct horse"), other, &err), AG_OK);
	assert_string_not_equal(hash, other);
	assert_int_equal(strncmp(hash, "$7$CU", 5), 0);
	assert_true(matches("correct horse", hash));
	assert_false(matches("correct horse ", hash));
}

static void what_is_no_hash_matches_nothing(void **state)
{
	static const char *const hashes[] = { "",
		                              "$7$",
		                              "*0",
		                              "$7$CU..../....x",
		                              "$1$salt$hash",
		                              "plain",
		                              "$7$CU..../....ZBLc1SvhhcU7zJbsRzPLr.$" };

	(void)state;
	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		bool is_same = true;
		ag_err err = { 0 };
		const ag_status st = ag_password_check(AG_S("plain"), ag_str_c(hashes[i]), &is_same,
		                                       &err);

		assert_true(st == AG_OK || st == AG_INTERNAL);
		assert_false(is_same);
	}
}

static void passwords_have_bounds(void **state)
{
	char hash[AG_PASSWORD_HASH], text[AG_PASSWORD_MAX + 1];
	bool is_same = true;
	ag_err err = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(ag_password_hash(AG_S("9 letters"), hash, &err), AG_INVALID);
	assert_int_equal(ag_password_hash(ag_str_make(text, sizeof(text)), hash, &err), AG_INVALID);
	assert_int_equal(ag_password_hash(ag_str_make("nul\0 inside it", 14), hash, &err),
	                 AG_INVALID);
	assert_int_equal(ag_password_hash(ag_str_make(text, AG_PASSWORD_MAX), hash, &err), AG_OK);
	assert_int_equal(ag_password_check(ag_str_make(text, sizeof(text)), ag_str_c(hash),
	                                   &is_same, &err),
	                 AG_OK);
	assert_false(is_same);
	assert_int_equal(ag_password_check(ag_str_make("plain\0", 6), ag_str_c(hash), &is_same,
	                                   &err),
	                 AG_OK);
	assert_false(is_same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hash_is_recognised),
		cmocka_unit_test(what_is_no_hash_matches_nothing),
		cmocka_unit_test(passwords_have_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
