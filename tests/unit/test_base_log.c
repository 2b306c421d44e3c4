/* The log: levels, formats, and that no secret comes out, however it lies in the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/utf8.h"

static char captured[256 * 1024];
static FILE *file;

static void start(ag_log_level level, ag_log_format format)
{
	file = tmpfile();
	assert_non_null(file);
	ag_log_setup(fileno(file), level, format);
}

/* What was logged since start(), and silence again. */
static const char *stop(void)
{
	size_t n;

	ag_log_setup(-1, AG_LOG_DEBUG, AG_LOG_JSON);
	rewind(file);
	n = fread(captured, 1, sizeof(captured) - 1, file);
	captured[n] = '\0';
	fclose(file);
	return captured;
}

static void lines(void **state)
{
	const char *out;

	(void)state;
	ag_log(AG_LOG_ERROR, "unseen", "before any setup");
	start(AG_LOG_INFO, AG_LOG_JSON);
	ag_log(AG_LOG_INFO, "file_opened", "opened \"%s\"\n", "a.csv");
	ag_log(AG_LOG_DEBUG, "unseen", "too detailed");
	out = stop();
	ag_log(AG_LOG_ERROR, "unseen", "after the end");
	assert_memory_equal(out, "{\"time\":\"2", 10);
	assert_non_null(strstr(out, "Z\",\"level\":\"info\",\"event\":\"file_opened\","
	                            "\"message\":\"opened \\\"a.csv\\\"\\n\"}\n"));
	assert_null(strstr(out, "unseen"));
	start(AG_LOG_DEBUG, AG_LOG_TEXT);
	ag_log(AG_LOG_WARN, "odd", "a\nb\x1b[31m \xC3\xA9 \xC2\x9B \xFF");
	out = stop();
	assert_non_null(strstr(out, " warn  odd: a b [31m \xC3\xA9   \xEF\xBF\xBD\n"));
}

static void secrets_are_redacted(void **state)
{
	const char *out;

	(void)state;
	ag_log_redact(AG_S("short"));
	ag_log_redact(AG_S("sk-abcdef\"quoted\""));
	ag_log_redact(AG_S("overlapping"));
	ag_log_redact(AG_S("pingpongping"));
	ag_log_redact(AG_S("xxxxxxxx"));
	start(AG_LOG_INFO, AG_LOG_JSON);
	ag_log(AG_LOG_INFO, "e", "short key sk-abcdef\"quoted\" end");
	ag_log(AG_LOG_INFO, "e", "1 overlappingpongping 2");
	ag_log(AG_LOG_INFO, "e", "3 xxxxxxxxxxxx 4");
	out = stop();
	assert_non_null(strstr(out, "\"short key [redacted] end\""));
	assert_non_null(strstr(out, "\"1 [redacted] 2\""));
	assert_non_null(strstr(out, "\"3 [redacted] 4\""));
}

static void long_messages_are_cut_behind_redaction(void **state)
{
	static char text[100 * 1024];
	const char *out;

	(void)state;
	ag_log_redact(AG_S("SECRET-0123456789"));
	/* At every offset around both cuts: that of the line and that of the formatting. */
	for (size_t at = 8192 - 20; at < 32768 + 2; at += at == 8192 + 2 ? 32768 - 8192 - 30 : 1) {
		memset(text, '.', sizeof(text) - 1);
		memcpy(text + at, "SECRET-0123456789", 17);
		start(AG_LOG_INFO, AG_LOG_JSON);
		ag_log(AG_LOG_INFO, "e", "%s", text);
		out = stop();
		assert_null(strstr(out, "SEC"));
		assert_in_range(strlen(out), 8192, 8192 + 200);
	}
	/* Many secrets shrink the text, so that its far end comes into the line. */
	memset(text, '.', sizeof(text) - 1);
	for (size_t i = 0; i + 18 < sizeof(text); i += 18)
		memcpy(text + i, "SECRET-0123456789 ", 18);
	start(AG_LOG_INFO, AG_LOG_JSON);
	ag_log(AG_LOG_INFO, "e", "%s", text);
	assert_null(strstr(stop(), "SEC"));
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "\xE2\x82\xAC", 3);
	start(AG_LOG_INFO, AG_LOG_JSON);
	ag_log(AG_LOG_INFO, "e", "%s", text);
	assert_null(strstr(stop(), "\xEF\xBF\xBD")); /* no half character */
}

static void *write_lines(void *arg)
{
	for (int i = 0; i < 200; i++)
		ag_log(AG_LOG_INFO, "thread", "<%s %d>", (const char *)arg, i);
	return NULL;
}

static void threads_do_not_mix_lines(void **state)
{
	char word[] = "abcdefgh";
	pthread_t thread[4];
	ag_str rest;
	size_t n = 0;

	(void)state;
	start(AG_LOG_INFO, AG_LOG_JSON);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, write_lines, word), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	rest = ag_str_c(stop());
	while (rest.len) {
		ag_str line = ag_str_split(&rest, '\n');

		assert_true(ag_str_starts(line, AG_S("{\"time\":")));
		assert_true(ag_str_ends(line, AG_S(">\"}")));
		n++;
	}
	assert_int_equal(n, 800);
}

/* The last test: from here on this process logs no message any more. */
static void too_many_secrets_withhold_messages(void **state)
{
	const char *out;
	char secret[32];

	(void)state;
	for (int i = 0; i < 257; i++) {
		snprintf(secret, sizeof(secret), "secret-number-%d", i);
		ag_log_redact(ag_str_c(secret));
		ag_log_redact(AG_S("secret-number-0")); /* known ones take no place */
	}
	start(AG_LOG_INFO, AG_LOG_JSON);
	ag_log(AG_LOG_INFO, "leak", "%s", secret);
	out = stop();
	assert_null(strstr(out, "secret-number"));
	assert_non_null(strstr(out, "\"event\":\"leak\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(secrets_are_redacted),
		cmocka_unit_test(long_messages_are_cut_behind_redaction),
		cmocka_unit_test(threads_do_not_mix_lines),
		cmocka_unit_test(too_many_secrets_withhold_messages),
	};

	return cmocka_run_group_tests_name("base_log", tests, NULL, NULL);
}
