/* Fernet: tokens of the specification and of `openssl enc` with Python's hmac; what is wrong is refused and told alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/fernet.h"

/* The specification's key, time 499162800, IV 00 01 02 … 0f. */
#define KEY "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
#define HELLO                                                                             \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7" \
	"JcbmrR64jVmpU4IwqDA=="
#define EMPTY                                                                             \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPAkyKTyMbYmiNsw2aOq718ErZlY" \
	"QbIORRvp9giNbObzxmg=="
#define BLOCK                                                                             \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0OD1xYxWk-FnTVkOLqDQyotg1f_5l_C34LZuLmvvtMaTZB3CD" \
	"mVlr7MWdCvETl7qadRnd3qN_Y9sP0W4vztgNggwo="
#define PADDING_0                                                                         \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODwppaXPTA0Z-dA4g63ZRwEM9tU725xTpBON4ICV8xrTt_pr" \
	"vNvbC4HbyyskYHMBaDw=="
#define PADDING_17                                                                        \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0OD04JtLWGEPUuWvP2k30scLPvOPnNb6Yesr4PMyXZ52O9QmR" \
	"uI91HOC8Se3pdu83OYQ=="
#define PADDING_MIXED                                                                     \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0OD7CY0xQYC_as08vQtMBPJj1w0rZ8I8AOnxTNX7XXw9zsJlT" \
	"7HXbK4GPgIX7Vt_dVMg=="
#define NOT_BLOCKS                                                                        \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BMeTZDT7Rwa9JDJ2Oji9qpn0b4Y" \
	"y5GwlkJZVdqiFG-Ul"
#define NO_TEXT "gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0OD2IXeW0FYyXiuAJk_zX-E-FTBOpoVs4HED35KbDYabN0"
#define OTHER_VERSION                                                                     \
	"gQAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLKY7covSkDHw9ma-418Z5yfJ0b" \
	"Ai-R_TUVpW6VSXlO8JA=="
#define SIGNED_BY_OTHER                                                                   \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLKk0RXHtGXS_ggxSSs2eclo4Rg" \
	"NUmBw0ph3p9X6Dxn_fw=="

static ag_fernet_key key(void)
{
	ag_fernet_key k;
	ag_err err;

	assert_int_equal(ag_fernet_key_read(AG_S(KEY), &k, &err), AG_OK);
	return k;
}

static void opens(const char *token, const char *want)
{
	ag_fernet_key k = key();
	ag_buf out = AG_BUF_INIT(1000);
	ag_err err = { 0 };

	if (ag_fernet_open(&k, ag_str_c(token), &out, &err))
		fail_msg("%s: %s", want, err.msg);
	assert_true(ag_str_eqc(ag_buf_view(&out), want));
	ag_buf_release(&out);
}

static void tokens_of_others_are_opened(void **state)
{
	(void)state;
	opens(HELLO, "hello");
	opens(EMPTY, "");
	opens(BLOCK, "0123456789abcdef");
}

static void what_is_wrong_is_refused(void **state)
{
	const struct {
		const char *token;
		ag_status status;
	} bad[] = {
		{ PADDING_0, AG_DENIED },      { PADDING_17, AG_DENIED },
		{ PADDING_MIXED, AG_DENIED },  { SIGNED_BY_OTHER, AG_DENIED },
		{ NOT_BLOCKS, AG_INVALID },    { NO_TEXT, AG_INVALID },
		{ OTHER_VERSION, AG_INVALID }, { "", AG_INVALID },
		{ "hunter2", AG_INVALID },     { "gAAAAA==", AG_INVALID },
		{ HELLO "A", AG_INVALID },     { HELLO " ", AG_INVALID },
		{ "%%%%" HELLO, AG_INVALID },
	};
	ag_fernet_key k = key();
	char first[400] = "";

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_buf out = AG_BUF_INIT(1000);
		ag_err err = { 0 };

		if (ag_fernet_open(&k, ag_str_c(bad[i].token), &out, &err) != bad[i].status)
			fail_msg("case %zu: %s", i, err.msg);
		assert_int_equal(out.len, 0);
		if (bad[i].status == AG_DENIED) { /* nobody learns what was wrong */
			if (!first[0])
				memcpy(first, err.msg, sizeof(first));
			assert_string_equal(err.msg, first);
		}
		ag_buf_release(&out);
	}
}

/* Every bit of a token counts. */
static void a_changed_token_is_refused(void **state)
{
	ag_fernet_key k = key();
	ag_buf raw = AG_BUF_INIT(1000);

	(void)state;
	assert_true(ag_base64url_read(AG_S(HELLO), &raw));
	for (size_t bit = 0; bit < raw.len * 8; bit++) {
		ag_buf text = AG_BUF_INIT(1000), out = AG_BUF_INIT(1000);
		ag_err err = { 0 };

		raw.ptr[bit / 8] ^= (char)(1 << bit % 8);
		ag_base64url_add(&text, ag_buf_view(&raw), true);
		raw.ptr[bit / 8] ^= (char)(1 << bit % 8);
		if (ag_fernet_open(&k, ag_buf_view(&text), &out, &err) == AG_OK)
			fail_msg("bit %zu does not matter", bit);
		ag_buf_release(&text);
		ag_buf_release(&out);
	}
	ag_buf_release(&raw);
}

static void what_was_sealed_is_opened(void **state)
{
	char bytes[100];
	ag_fernet_key k = key(), other;
	ag_buf first = AG_BUF_INIT(1000);
	ag_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		ag_buf token = AG_BUF_INIT(1000), out = AG_BUF_INIT(1000);

		assert_int_equal(ag_fernet_seal(&k, ag_str_make(bytes, n), 499162800999, &token,
		                                &err),
		                 AG_OK);
		assert_true(ag_str_starts(ag_buf_view(&token),
		                          AG_S("gAAAAAAdwJ6w"))); /* version, time */
		assert_int_equal(token.len % 4, 0);
		assert_int_equal(ag_fernet_open(&k, ag_buf_view(&token), &out, &err), AG_OK);
		assert_true(ag_str_eq(ag_buf_view(&out), ag_str_make(bytes, n)));
		ag_buf_release(&token);
		ag_buf_release(&out);
	}
	assert_int_equal(ag_fernet_seal(&k, AG_S("x"), 5, &first, &err), AG_OK);
	for (int i = 0; i < 2; i++) { /* never twice the same */
		ag_buf token = AG_BUF_INIT(1000);

		assert_int_equal(ag_fernet_seal(&k, AG_S("x"), 5, &token, &err), AG_OK);
		assert_false(ag_str_eq(ag_buf_view(&token), ag_buf_view(&first)));
		ag_buf_release(&token);
	}
	other = k;
	other.crypt[0] ^= 1; /* the signature is right, the text is noise */
	ag_buf out = AG_BUF_INIT(1000);
	if (ag_fernet_open(&other, ag_buf_view(&first), &out, &err) == AG_OK)
		assert_false(ag_str_eqc(ag_buf_view(&out), "x"));
	ag_buf_release(&out);
	ag_buf_release(&first);
}

static void keys_are_read(void **state)
{
	static const char *const bad[] = { "",
		                           "short",
		                           KEY "=",
		                           "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e",
		                           "cw/0x689RpI+jtRR7oE8h/eQsKImvJapLeSbXpwF4e4=",
		                           KEY KEY,
		                           "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e5=" };
	ag_fernet_key k = { .sign = { 1 } }, spec = key();
	ag_err err = { 0 };
	char text[45];

	(void)state;
	assert_int_equal(ag_fernet_key_read(AG_S("  " KEY "\n"), &k, &err), AG_OK);
	assert_memory_equal(&k, &spec, sizeof(k));
	assert_int_equal(k.sign[0], 0x73);
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		if (ag_fernet_key_read(ag_str_c(bad[i]), &k, &err) != AG_INVALID)
			fail_msg("\"%s\" was taken for a key", bad[i]);
		if (strlen(bad[i]) > 4)
			assert_null(strstr(err.msg, bad[i]));
	}
	assert_int_equal(ag_fernet_key_new(text, &err), AG_OK);
	assert_int_equal(strlen(text), 44);
	assert_int_equal(ag_fernet_key_read(ag_str_c(text), &k, &err), AG_OK);
	assert_memory_not_equal(&k, &spec, sizeof(k));
}

static void limits_hold(void **state)
{
	ag_fernet_key k = key();
	char *much = calloc(1, AG_FERNET_MAX_PLAIN + 1);
	ag_buf out = AG_BUF_INIT(8 << 20), small = AG_BUF_INIT(50);
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_fernet_seal(&k, ag_str_make(much, AG_FERNET_MAX_PLAIN + 1), 5, &out,
	                                &err),
	                 AG_LIMIT);
	assert_int_equal(out.len, 0);
	assert_int_equal(ag_fernet_seal(&k, ag_str_make(much, AG_FERNET_MAX_PLAIN), 5, &out, &err),
	                 AG_OK);
	assert_int_equal(ag_fernet_seal(&k, AG_S("x"), 5, &small, &err), AG_LIMIT);
	ag_buf_release(&out);
	ag_buf_release(&small);
	free(much);
}

static void base64_is_strict(void **state)
{
	static const struct {
		const char *bytes, *padded, *plain;
	} pairs[] = { { "", "", "" },
		      { "f", "Zg==", "Zg" },
		      { "fo", "Zm8=", "Zm8" },
		      { "foo", "Zm9v", "Zm9v" },
		      { "foob", "Zm9vYg==", "Zm9vYg" },
		      { "\xfb\xff", "-_8=", "-_8" } };
	static const char *const bad[] = { "Z",    "Zg=",      "Zg===", "Zh==", "Zm9=", "Zm9vY",
		                           "Zm 9", "Zg==Zg==", "=",     "====", "+/8=", "Zm9v=" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(pairs); i++) {
		ag_buf a = AG_BUF_INIT(100), b = AG_BUF_INIT(100), c = AG_BUF_INIT(100),
		       d = AG_BUF_INIT(100);

		ag_base64url_add(&a, ag_str_c(pairs[i].bytes), true);
		ag_base64url_add(&b, ag_str_c(pairs[i].bytes), false);
		assert_true(ag_str_eqc(ag_buf_view(&a), pairs[i].padded));
		assert_true(ag_str_eqc(ag_buf_view(&b), pairs[i].plain));
		assert_true(ag_base64url_read(ag_str_c(pairs[i].padded), &c));
		assert_true(ag_base64url_read(ag_str_c(pairs[i].plain), &d));
		assert_true(ag_str_eqc(ag_buf_view(&c), pairs[i].bytes));
		assert_true(ag_str_eqc(ag_buf_view(&d), pairs[i].bytes));
		ag_buf_release(&a);
		ag_buf_release(&b);
		ag_buf_release(&c);
		ag_buf_release(&d);
	}
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_buf out = AG_BUF_INIT(100);

		if (ag_base64url_read(ag_str_c(bad[i]), &out))
			fail_msg("\"%s\" was read", bad[i]);
		ag_buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_of_others_are_opened),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(a_changed_token_is_refused),
		cmocka_unit_test(what_was_sealed_is_opened),
		cmocka_unit_test(keys_are_read),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(base64_is_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
