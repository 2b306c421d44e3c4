/* Keys in files that nobody thought of: private keys by what they are, and known ones where a slice cuts them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ask/tools.h"
#include "ask_tree.h"
#include "base/log.h"
#include "base/secrets.h"
#include "query/extjson.h"

/* In two pieces: this file is no key. */
#define BEGIN  "-----BEGIN "
#define END    "-----END PRIVATE KEY-----"
#define SIXTY  "MC4CAQAwBQYDK2VwBCIEIGZpeHR1cmVmaXh0dXJlZml4dHVyZWZpeHR1cmVm"
#define SECRET "keyOfTests+0123456789/abcdefghijklmnop"
#define SLICE  2048

static tree t;

static int make(void **state)
{
	(void)state;
	tree_make(&t, "keys");
	return 0;
}

static int clear(void **state)
{
	(void)state;
	tree_remove(&t);
	ag_secrets_forget();
	return 0;
}

static ag_ask_result read_file(const char *args, ag_arena *arena)
{
	const ag_root_opts o = { .path = ag_str_c(t.dir) };
	const ag_extjson_opts read = { 0 };
	ag_ask_tools tools = { .read_bytes = SLICE };
	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_ask_result r = { 0 };
	ag_err err = { 0 };
	ag_val input;

	assert_int_equal(ag_root_open(&o, &tools.root, &err), AG_OK);
	assert_int_equal(ag_extjson_parse(ag_str_c(args), &read, arena, &input, NULL, NULL, &err),
	                 AG_OK);
	assert_int_equal(ag_ask_read_file(&tools, &ctx, arena, &input, &r, &err), AG_OK);
	ag_root_close(tools.root);
	return r;
}

static void private_keys_by_their_text(void **state)
{
	static const struct {
		const char *name, *text;
		bool is_read;
	} files[] = {
		{ "bundle.crt",
		  BEGIN "CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" BEGIN
		        "PRIVATE KEY-----\n" SIXTY "\nAA==\n" END "\n",
		  false },
		{ "account.json",
		  "{\"type\":\"service_account\",\"private_key\":\"" BEGIN
		  "PRIVATE KEY-----\\n" SIXTY "\\nAA==\\n" END "\\n\"}",
		  false },
		{ "values.yaml",
		  "tls:\n  key: |\n    " BEGIN "RSA PRIVATE KEY-----\n    " SIXTY
		  "\n    AA==\n    -----END RSA PRIVATE KEY-----\n",
		  false },
		{ "cut.txt", "x\n" BEGIN "EC PRIVATE KEY-----\n" SIXTY "\nAA", false },
		{ "guide.md",
		  "Such a file begins with\n\n    " BEGIN "PRIVATE KEY-----\n    ...\n    " END
		  "\n",
		  true },
		{ "check.py", "if text.startswith('" BEGIN "PRIVATE KEY-----'):\n    return True\n",
		  true },
		{ "end.md",
		  "x\n" END "\nand many more words without any sign behind it until the text ends",
		  true },
		{ "public.txt", BEGIN "PUBLIC KEY-----\n" SIXTY "\n-----END PUBLIC KEY-----\n",
		  true },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(files); i++) {
		ag_ask_result r;

		tree_put(&t, files[i].name, files[i].text);
		r = read_file(ag_str_cstr(arena,
		                          ag_str_printf(arena, "{\"path\":\"%s\"}", files[i].name)),
		              arena);
		if (r.ok != files[i].is_read || (!r.ok && ag_str_contains(r.text, AG_S("MC4C"))))
			fail_msg("%s: %.*s", files[i].name, AG_FMT(r.text));
	}
	ag_arena_free(arena);
}

/* Wherever a slice ends in a long line, and wherever lines are cut off. */
static void no_half_of_a_key(void **state)
{
	static const ag_str half = AG_S_INIT("keyOfTests+0123"),
			    rest = AG_S_INIT("abcdefghijklmnop");
	char line[2 * SLICE];

	(void)state;
	ag_log_redact(AG_S(SECRET));
	for (size_t at = SLICE - sizeof(SECRET) - 4; at < SLICE + 4; at++) {
		ag_arena *arena = ag_arena_new();
		ag_ask_result r;

		memset(line, 'x', sizeof(line));
		memcpy(line + at, SECRET, sizeof(SECRET) - 1);
		tree_put_bytes(&t, "line.js", line, sizeof(line));
		r = read_file("{\"path\":\"line.js\"}", arena);
		assert_true(r.ok && r.text.len > SLICE / 2);
		if (ag_str_contains(r.text, half) || ag_str_contains(r.text, rest))
			fail_msg("%zu: a piece of the key is shown", at);
		ag_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(private_keys_by_their_text, make, clear),
		cmocka_unit_test_setup_teardown(no_half_of_a_key, make, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
