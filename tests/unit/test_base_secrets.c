/* Secrets are found in every form that programs give them, and nothing else is; what of a .env file is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include "base/log.h"
#include "base/secrets.h"

/* The text as it would be shown; the caller frees it. */
static char *cleaned(ag_str text)
{
	ag_buf out = AG_BUF_INIT(64u << 20);

	assert_true(ag_log_clean(text, &out));
	assert_false(out.failed);
	return ag_buf_steal(&out);
}

static void is_shown_as(const char *text, const char *want)
{
	char *got = cleaned(ag_str_c(text));

	assert_string_equal(got, want);
	free(got);
}

static int forget(void **state)
{
	(void)state;
	ag_secrets_forget();
	return 0;
}

static void in_all_forms(void **state)
{
	(void)state;
	ag_log_redact(AG_S("pa/ss+w\"o<r&d"));
	is_shown_as("a pa/ss+w\"o<r&d b", "a [redacted] b");
	is_shown_as("{\"k\":\"pa/ss+w\\\"o<r&d\"}", "{\"k\":\"[redacted]\"}");
	is_shown_as("\"{\\\"k\\\":\\\"pa/ss+w\\\\\\\"o<r&d\\\"}\"",
	            "\"{\\\"k\\\":\\\"[redacted]\\\"}\"");
	is_shown_as("pa\\/ss+w\\\"o<r&d", "[redacted]");
	is_shown_as("pa/ss+w\\\"o\\u003cr\\u0026d", "[redacted]");
	is_shown_as("<b>pa/ss+w&quot;o&lt;r&amp;d</b>", "<b>[redacted]</b>");
	is_shown_as("?k=pa%2Fss%2Bw%22o%3Cr%26d&x", "?k=[redacted]&x");
	is_shown_as("?k=pa%2fss%2bw%22o%3cr%26d&x", "?k=[redacted]&x");
	is_shown_as("?k=pa/ss%2Bw%22o%3Cr%26d&x", "?k=[redacted]&x");
	is_shown_as("70612f73732b77226f3c722664", "[redacted]");
	is_shown_as("70612F73732B77226F3C722664", "[redacted]");
	is_shown_as("pa/ss+w\"o<r", "pa/ss+w\"o<r");
	is_shown_as("", "");
}

static void in_utf8(void **state)
{
	(void)state;
	ag_log_redact(AG_S("gr\xC3\xBC\xC3\x9F/e!"));
	is_shown_as("gr\xC3\xBC\xC3\x9F/e!", "[redacted]");
	is_shown_as("gr%C3%BC%C3%9F%2Fe%21", "[redacted]");
	is_shown_as("gr%C3%BC%C3%9F%2Fe!", "[redacted]");
	is_shown_as("gr\xC3\xBC\xC3\x9F\\/e!", "[redacted]");
}

/* As the RFC says, without a thought for alignment: an independent second opinion. */
static void encode(ag_buf *out, ag_str s, const char *digits)
{
	for (size_t i = 0; i < s.len; i += 3) {
		unsigned long three = 0;

		for (size_t j = i; j < i + 3; j++)
			three = three << 8 | (j < s.len ? (unsigned char)s.ptr[j] : 0);
		for (int j = 0; j < 4; j++)
			ag_buf_addc(out, i * 8 + (size_t)j * 6 < s.len * 8
			                         ? digits[three >> (18 - 6 * j) & 63]
			                         : '=');
	}
}

static void in_base64(void **state)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char url_alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	static const ag_str secrets[] = { AG_S_INIT("s3cr3t"), AG_S_INIT("\xFF\xFE\xFB\xEF?>~"),
		                          AG_S_INIT("correct horse battery"),
		                          AG_S_INIT("0123456789abcdef0123") };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(secrets); i++)
		ag_log_redact(secrets[i]);
	for (size_t i = 0; i < AG_NELEM(secrets); i++) {
		for (int n = 0; n < 7 * 4 * 2; n++) {
			ag_buf text = AG_BUF_INIT(1000), code = AG_BUF_INIT(1000);
			int before = n / 2 % 7, after = n / 14;
			char *got;

			ag_buf_addf(&text, "%.*s", before, "user:xy");
			ag_buf_add(&text, secrets[i]);
			ag_buf_addf(&text, "%.*s", after, ":end");
			encode(&code, ag_buf_view(&text), n % 2 ? url_alphabet : alphabet);
			got = cleaned(ag_buf_view(&code));
			if (!before && !after && secrets[i].len % 3 == 0)
				assert_string_equal(got, "[redacted]");
			/* What is left: the neighbours, and at most a shared character on each side. */
			assert_non_null(strstr(got, "[redacted]"));
			assert_in_range(strlen(got) - strlen("[redacted]"), 0,
			                (size_t)(before + 2) / 3 * 4 + (size_t)(after + 2) / 3 * 4 +
			                        4);
			free(got);
			ag_buf_release(&text);
			ag_buf_release(&code);
		}
	}
}

static void neighbours(void **state)
{
	(void)state;
	ag_log_redact(AG_S("overlapping"));
	ag_log_redact(AG_S("pingpongping"));
	ag_log_redact(AG_S("pingpong"));
	ag_log_redact(AG_S("xxxxxx"));
	is_shown_as("overlappingpongping.", "[redacted].");
	is_shown_as("pingpongpin", "[redacted]pin");
	is_shown_as("pingpongoverlapping", "[redacted]");
	is_shown_as("pingpong overlapping", "[redacted] [redacted]");
	is_shown_as("xxxxx xxxxxxx", "xxxxx [redacted]");
	is_shown_as("overlappin", "overlappin");
	ag_log_redact(AG_S("outer-within-outer"));
	ag_log_redact(AG_S("within"));
	is_shown_as("outer-within-outer", "[redacted]");
}

/* Of a text that was cut, the beginning of a secret at its end goes; what is whole, or too short to tell, stays. */
static void cut_off(void **state)
{
	static const struct {
		const char *text;
		size_t whole;
	} cases[] = {
		{ "", 0 },
		{ "x", 1 },
		{ "a sk-k/9+", 2 },
		{ "a sk-k", 2 },
		{ "a sk-", 5 },
		{ "sk-k/9+Q", 0 },
		{ "a sk-k/9+Q=zz", 13 }, /* whole: for the search */
		{ "a sk-k/9+Q=z", 2 },
		{ "a sk-k%2F9", 2 },
		{ "a sk-k/9 ", 9 },
		{ "k/9+Q=zz", 8 },
	};

	(void)state;
	assert_int_equal(ag_log_whole(AG_S("nothing is secret")), 17);
	ag_log_redact(AG_S("sk-k/9+Q=zz"));
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		size_t n = ag_log_whole(ag_str_c(cases[i].text));

		if (n != cases[i].whole)
			fail_msg("\"%s\": %zu", cases[i].text, n);
	}
}

static void lengths(void **state)
{
	static char big[AG_SECRET_MAX_BYTES + 1];
	ag_buf out = AG_BUF_INIT(100);

	(void)state;
	memset(big, 'a', sizeof(big));
	big[100] = 'b';
	assert_false(ag_log_can_redact(AG_S("12345")));
	assert_true(ag_log_can_redact(AG_S("123456")));
	assert_true(ag_log_can_redact(ag_str_make(big, sizeof(big) - 1)));
	assert_false(ag_log_can_redact(ag_str_make(big, sizeof(big))));
	ag_log_redact(AG_S("12345"));
	ag_log_redact(AG_S("abcdef"));
	is_shown_as("12345 abcdef", "12345 [redacted]");
	ag_log_redact(ag_str_make(big, sizeof(big) - 1));
	assert_true(ag_log_clean(ag_str_make(big, sizeof(big) - 1), &out));
	assert_string_equal(out.ptr, "[redacted]");
	ag_log_redact(ag_str_make(big, sizeof(big)));
	assert_false(ag_log_clean(AG_S("anything"), &out));
	assert_int_equal(out.len, strlen("[redacted]"));
	ag_buf_release(&out);
}

static void fails_closed(void **state)
{
	ag_buf out = AG_BUF_INIT(100);
	char secret[40];

	(void)state;
	for (unsigned i = 0; i < AG_SECRETS_MAX; i++) {
		snprintf(secret, sizeof(secret), "secret-number-%u", i);
		ag_log_redact(ag_str_c(secret));
		ag_log_redact(AG_S("secret-number-0")); /* known ones take no place */
	}
	is_shown_as("secret-number-0 secret-number-255 secret-number-x",
	            "[redacted] [redacted] secret-number-x");
	ag_log_redact(AG_S("another one"));
	assert_false(ag_log_clean(AG_S("another one"), &out));
	assert_int_equal(out.len, 0);
	ag_buf_release(&out);
}

/* --- .env files --- */

static void add_line(void *arg, ag_str secret)
{
	ag_buf_adds((ag_buf *)arg, " | ");
	ag_buf_add((ag_buf *)arg, secret);
}

/* Everything from the first " | " on is what is wanted; a bare " |" is nothing. */
static bool env_case(ag_str line)
{
	const char *bar = (const char *)memmem(line.ptr, line.len, " |", 2);
	ag_buf got = AG_BUF_INIT(10000);
	ag_str want;
	bool ok;

	assert_non_null(bar);
	want = ag_str_make(bar, line.len - (size_t)(bar - line.ptr));
	ag_secrets_of_env(ag_str_make(line.ptr, (size_t)(bar - line.ptr)), add_line, &got);
	ok = ag_str_eq(ag_buf_view(&got), want.len == 2 ? AG_S("") : want);
	if (!ok)
		print_error("%.*s\n  got:%s\n", AG_FMT(line), got.len ? got.ptr : " nothing");
	ag_buf_release(&got);
	return ok;
}

static void env_cases(void **state)
{
	FILE *f = fopen("tests/cases/ask/env_secrets.cases", "re");
	char line[1000];
	int n = 0, nwrong = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		ag_str s = ag_str_trim(ag_str_c(line));

		/* A commented setting is a case. */
		if (!s.len || (s.ptr[0] == '#' && !ag_str_ends(s, AG_S(" |"))))
			continue;
		nwrong += !env_case(s);
		n++;
	}
	fclose(f);
	assert_int_equal(nwrong, 0);
	assert_true(n >= 70);
}

static void env_files(void **state)
{
	ag_buf long_line = AG_BUF_INIT(100000);

	(void)state;
	ag_log_redact_env_text(
		AG_S("\xEF\xBB\xBF"
	             "A_KEY=first-key\r\n\r\n# B_KEY=no-secret-1\r\n"
	             "PEM_KEY=\"-----BEGIN KEY-----\nabcdefgh\nijklmnop\n-----END KEY-----\"\n"
	             "OPEN_KEY=\"never closed, really\n"
	             "PEM2_KEY='one\\ntwo\\nthree'\nLAST_KEY=last-key"));
	is_shown_as("first-key no-secret-1 last-key\r", "[redacted] no-secret-1 [redacted]\r");
	is_shown_as("x -----BEGIN KEY-----\nabcdefgh\nijklmnop\n-----END KEY----- x",
	            "x [redacted] x");
	is_shown_as("-----BEGIN KEY-----\\nabcdefgh\\nijklmnop\\n-----END KEY-----", "[redacted]");
	is_shown_as("never closed, really", "[redacted]");
	is_shown_as("one\\ntwo\\nthree, one\ntwo\nthree", "[redacted], [redacted]");
	is_shown_as("ijklmnop", "ijklmnop");
	/* Longer than the list holds: in pieces, hidden as one. */
	ag_buf_adds(&long_line, "BIG_KEY=");
	for (int i = 0; i < 3000; i++)
		ag_buf_addf(&long_line, "%x,", i * 7919);
	ag_log_redact_env_text(ag_buf_view(&long_line));
	is_shown_as(long_line.ptr, "BIG_KEY=[redacted]");
	long_line.len = strlen("BIG_KEY=") + AG_SECRET_MAX_BYTES + 3;
	long_line.ptr[long_line.len] = '\0';
	ag_secrets_forget();
	ag_log_redact_env_text(ag_buf_view(&long_line));
	is_shown_as(long_line.ptr, "BIG_KEY=[redacted]");
	ag_secrets_forget();
	ag_log_redact_env_text(AG_S("\xEF\xBB\xBF#A_KEY=comment-1"));
	is_shown_as("comment-1", "comment-1");
	ag_buf_release(&long_line);
}

/* --- speed --- */

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Generous, because sanitizers and a busy machine take their part; docs/decisions/0009 has the figures. */
static void is_fast(void **state)
{
	ag_buf text = AG_BUF_INIT(2u << 20), out = AG_BUF_INIT(2u << 20);
	char secret[40];
	double best = 1e9;

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(secret, sizeof(secret), "sk-%d-q8w7e6r5/t4z3u2+i1", i * 7919);
		ag_log_redact(ag_str_c(secret));
	}
	while (text.len < 1u << 20)
		ag_buf_addf(&text, "{\"id\":%zu,\"title\":\"sk-learn, risk-free q8w7\"},\n",
		            text.len);
	for (int i = 0; i < 3; i++) {
		double ms = cpu_ms();

		ag_buf_clear(&out);
		assert_true(ag_log_clean(ag_buf_view(&text), &out));
		ms = cpu_ms() - ms;
		best = ms < best ? ms : best;
	}
	assert_true(ag_str_eq(ag_buf_view(&out), ag_buf_view(&text)));
	print_message("# %.1f ms for %zu bytes\n", best, text.len);
	assert_true(best < 200);
	ag_buf_release(&text);
	ag_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(in_all_forms, forget),
		cmocka_unit_test_teardown(in_utf8, forget),
		cmocka_unit_test_teardown(in_base64, forget),
		cmocka_unit_test_teardown(neighbours, forget),
		cmocka_unit_test_teardown(cut_off, forget),
		cmocka_unit_test_teardown(lengths, forget),
		cmocka_unit_test_teardown(fails_closed, forget),
		cmocka_unit_test(env_cases),
		cmocka_unit_test_teardown(env_files, forget),
		cmocka_unit_test_teardown(is_fast, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
