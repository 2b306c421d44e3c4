/* Signatures of others, made with the openssl command, are checked; every altered one is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/signature.h"

#define TEXT AG_S("argus")

static const char modulus[] =
	"rdAP_pPyxQXXRp-bEnuhFPiXchg-d9Z463JwHRGs1pzw8VFoJRBg5JLeedp2OCbpl4eVhmyxNUmAMIPw2IJzi8Gh"
	"j16SR4DKlfSciNXdP7DcqADVWZLDnXqYid6xY9rlID60U42VOcvgumlRBuJaCcJLr1xTOmXuJanAnfJnDPxkIpNT"
	"Cuo1csaj6LUMQQ9A6cNE9_-VLcQvtDaytD3t9TwmW1xNTHjQte7_VEjnjzpwxhyLSJGlUdbtIaDM32CqMjV3eXg0"
	"8mdbR4XQmnnD1oAG4_TAIhyKzHuFjJJ4tuFuFRjqbny2vXxnJRDAydusLrB07i71mejsAqegNrhi6w";
static const char rsa_signature[] =
	"U7gQTZPSpRNilDA3zhYu6K1G3sdFIQi5ATE0moWclsQj1QQ243fW_2I2lPW6OjAPqs3bglMWPcolThZufSo2PtD0"
	"fjStXWFyspFKAfIIlP9YVxDjiaDhgZpA53w-T9JU_q3c5WZXzZM6Sdo_3i0R5q02PWtHdQOUMHhjcatsYJmrw5WY"
	"EXssQ05RaDGBhqUg7eJHUYw93Lsr3-Gla5tGQMFyr1o8GO-JTOB1ImfffK-5pcKvTgF5NmrEt0FlEN8sjPAneULX"
	"kqV6wohP8cERnZesz42isGRG1Z6jWNzMrQqNDjGdnaJhRUu1yccIfqhrRGQ7G0B_SSAKxIj-qp9FGg";
static const char x[] = "RCUZ-58IJyhbMi_l6N036ZY0GI6iP9g2WW9LebrQGYg";
static const char y[] = "pc5eKDpM-dOmjkhUuNjlvSvJQEJE3sWFJ2cT3or0F60";
static const char ec_signature[] =
	"ma3CGmIJ9W_OrRApIY_a3xNRlTQOcaBWIYcakm04Zx1bi0y8Xbg5AhNpoxFwu8j0Xu2nPpq9TNqJ7mlUiXNNrg";

static ag_str bytes(ag_arena *arena, const char *text)
{
	ag_buf out = AG_BUF_INIT(4096);
	ag_str ret;

	assert_true(ag_base64url_read(ag_str_c(text), &out));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_public_key rsa_key(ag_arena *arena)
{
	return (ag_public_key){ .alg = AG_SIGNATURE_RS256,
		                .a = bytes(arena, modulus),
		                .b = ag_str_make("\1\0\1", 3) };
}

static ag_public_key ec_key(ag_arena *arena)
{
	return (ag_public_key){ .alg = AG_SIGNATURE_ES256,
		                .a = bytes(arena, x),
		                .b = bytes(arena, y) };
}

/* One bit of each byte, one byte less and one more. */
static void refuse_altered(ag_arena *arena, const ag_public_key *k, ag_str good)
{
	char *s = ag_str_cstr(arena, good);
	ag_err err;

	assert_int_equal(ag_signature_check(k, TEXT, good, &err), AG_OK);
	assert_int_equal(ag_signature_check(k, AG_S("argut"), good, &err), AG_DENIED);
	assert_int_equal(ag_signature_check(k, AG_S(""), good, &err), AG_DENIED);
	for (size_t i = 0; i < good.len; i++) {
		s[i] ^= 1;
		assert_int_equal(ag_signature_check(k, TEXT, ag_str_make(s, good.len), &err),
		                 AG_DENIED);
		s[i] ^= 1;
	}
	for (size_t n = 0; n < good.len; n += 7)
		assert_int_equal(ag_signature_check(k, TEXT, ag_str_make(s, n), &err), AG_DENIED);
	assert_int_equal(ag_signature_check(k, TEXT, ag_str_make(s, good.len + 1), &err),
	                 AG_DENIED);
}

static void signatures_of_others_are_checked(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_public_key rsa = rsa_key(arena), ec = ec_key(arena);

	(void)state;
	refuse_altered(arena, &rsa, bytes(arena, rsa_signature));
	refuse_altered(arena, &ec, bytes(arena, ec_signature));
	ag_arena_free(arena);
}

static void a_signature_of_zeros_is_none(void **state)
{
	static const char zeros[256];
	ag_arena *arena = ag_arena_new();
	const ag_public_key rsa = rsa_key(arena), ec = ec_key(arena);
	ag_err err;

	(void)state;
	assert_int_equal(ag_signature_check(&ec, TEXT, ag_str_make(zeros, 64), &err), AG_DENIED);
	assert_int_equal(ag_signature_check(&rsa, TEXT, ag_str_make(zeros, 256), &err), AG_DENIED);
	ag_arena_free(arena);
}

static void what_is_no_key_is_refused(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_str signature = bytes(arena, rsa_signature);
	const ag_public_key good = rsa_key(arena), ec = ec_key(arena);
	ag_public_key wrong[9];
	ag_err err;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(wrong); i++)
		wrong[i] = i < 6 ? good : ec;
	wrong[0].a.len -= 1; /* 2040 bits, and even perhaps */
	wrong[1].b = ag_str_make("\1", 1);
	wrong[2].b = ag_str_make("\2", 1);
	wrong[3].b = AG_S("");
	wrong[4].b = AG_S("123456789");
	wrong[5].a = AG_S("");
	wrong[6].a = wrong[6].b; /* not on the curve */
	wrong[7].b.len = 31;
	wrong[8].a = AG_S("");
	for (size_t i = 0; i < AG_NELEM(wrong); i++) {
		assert_true(i == 6 || !ag_public_key_is_usable(&wrong[i]));
		assert_int_equal(ag_signature_check(&wrong[i], TEXT,
		                                    i < 6 ? signature : bytes(arena, ec_signature),
		                                    &err),
		                 AG_DENIED);
	}
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_of_others_are_checked),
		cmocka_unit_test(a_signature_of_zeros_is_none),
		cmocka_unit_test(what_is_no_key_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
