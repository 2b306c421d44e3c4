/* Extended JSON: all forms in any key order, what is refused and where, writing and reading back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "query/extjson.h"

static const ag_extjson_opts typed = { .typed = true };

static ag_status parse(ag_arena *arena, const char *text, const ag_extjson_opts *opts, ag_val *ret,
                       size_t *at, ag_extjson_notes *notes, ag_err *err)
{
	/* Exactly sized on the heap, so that a read behind the end is seen. */
	size_t len = strlen(text);
	char *copy = malloc(len ? len : 1);
	ag_status st;

	assert_non_null(copy);
	memcpy(copy, text, len);
	st = ag_extjson_parse(ag_str_make(copy, len), opts, arena, ret, at, notes, err);
	if (!st)
		*ret = ag_val_dup(arena, ret);
	free(copy);
	return st;
}

static void check(const char *text, const ag_extjson_opts *opts, ag_extjson_mode mode,
                  const char *want)
{
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_val v;
	ag_str out;

	if (parse(arena, text, opts, &v, NULL, NULL, &err))
		fail_msg("%s: %s", text, err.msg);
	out = ag_extjson_str(arena, &v, mode);
	if (!ag_str_eqc(out, want))
		fail_msg("%s became %.*s, want %s", text, AG_FMT(out), want);
	ag_arena_free(arena);
}

/* text | relaxed | canonical | shell; NULL: as the text */
static const char *const forms[][4] = {
	{ "{}", "{}", "{}", "{}" },
	{ "[ ]", "[]", "[]", "[]" },
	{ " [1 , true,null ] ", "[1,true,null]", "[{\"$numberInt\":\"1\"},true,null]",
	  "[1, true, null]" },
	{ "{\"a\":{\"b\":\"x\"}}", "{\"a\":{\"b\":\"x\"}}", "{\"a\":{\"b\":\"x\"}}",
	  "{\"a\": {\"b\": \"x\"}}" },
	{ "-0", "0", "{\"$numberInt\":\"0\"}", "0" },
	{ "1.0", "1.0", "{\"$numberDouble\":\"1.0\"}", "1.0" },
	{ "1.10", "1.1", "{\"$numberDouble\":\"1.1\"}", "1.1" },
	{ "1e2", "100.0", "{\"$numberDouble\":\"100.0\"}", "100.0" },
	{ "2147483648", "2147483648", "{\"$numberLong\":\"2147483648\"}",
	  "NumberLong(\"2147483648\")" },
	{ "{\"$numberInt\":\"5\"}", "5", "{\"$numberInt\":\"5\"}", "5" },
	{ "{\"$numberLong\":\"5\"}", "5", "{\"$numberLong\":\"5\"}", "NumberLong(\"5\")" },
	{ "{\"$numberDouble\":\"5\"}", "5.0", "{\"$numberDouble\":\"5.0\"}", "5.0" },
	{ "{\"$numberDouble\":\"NaN\"}", "{\"$numberDouble\":\"NaN\"}",
	  "{\"$numberDouble\":\"NaN\"}", "NaN" },
	{ "{\"$numberDouble\":\"-Infinity\"}", "{\"$numberDouble\":\"-Infinity\"}",
	  "{\"$numberDouble\":\"-Infinity\"}", "-Infinity" },
	{ "{\"$numberDecimal\":\"1.10\"}", "{\"$numberDecimal\":\"1.10\"}",
	  "{\"$numberDecimal\":\"1.10\"}", "NumberDecimal(\"1.10\")" },
	{ "{\"$oid\":\"0123456789ABCDEF01234567\"}", "{\"$oid\":\"0123456789abcdef01234567\"}",
	  "{\"$oid\":\"0123456789abcdef01234567\"}", "ObjectId(\"0123456789abcdef01234567\")" },
	{ "{\"$date\":\"2020-01-02\"}", "{\"$date\":\"2020-01-02T00:00:00Z\"}",
	  "{\"$date\":{\"$numberLong\":\"1577923200000\"}}", "ISODate(\"2020-01-02T00:00:00Z\")" },
	{ "{\"$date\":1577923200001}", "{\"$date\":\"2020-01-02T00:00:00.001Z\"}",
	  "{\"$date\":{\"$numberLong\":\"1577923200001\"}}",
	  "ISODate(\"2020-01-02T00:00:00.001Z\")" },
	{ "{\"$date\":{\"$numberLong\":\"-1\"}}", "{\"$date\":{\"$numberLong\":\"-1\"}}",
	  "{\"$date\":{\"$numberLong\":\"-1\"}}", "ISODate(\"1969-12-31T23:59:59.999Z\")" },
	{ "{\"$date\":{\"$numberLong\":\"253402300800000\"}}",
	  "{\"$date\":{\"$numberLong\":\"253402300800000\"}}",
	  "{\"$date\":{\"$numberLong\":\"253402300800000\"}}", "new Date(253402300800000)" },
	{ "{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"5\"}}",
	  "{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"05\"}}",
	  "{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"05\"}}", "BinData(5, \"AQI=\")" },
	{ "{\"$type\":\"80\",\"$binary\":\"AQID\"}",
	  "{\"$binary\":{\"base64\":\"AQID\",\"subType\":\"80\"}}",
	  "{\"$binary\":{\"base64\":\"AQID\",\"subType\":\"80\"}}", "BinData(128, \"AQID\")" },
	{ "{\"$binary\":{\"subType\":\"00\",\"base64\":\"\"}}",
	  "{\"$binary\":{\"base64\":\"\",\"subType\":\"00\"}}",
	  "{\"$binary\":{\"base64\":\"\",\"subType\":\"00\"}}", "BinData(0, \"\")" },
	{ "{\"$uuid\":\"00112233-4455-6677-8899-aabbccddeeff\"}",
	  "{\"$binary\":{\"base64\":\"ABEiM0RVZneImaq7zN3u/w==\",\"subType\":\"04\"}}",
	  "{\"$binary\":{\"base64\":\"ABEiM0RVZneImaq7zN3u/w==\",\"subType\":\"04\"}}",
	  "UUID(\"00112233-4455-6677-8899-aabbccddeeff\")" },
	{ "{\"$options\":\"mi\",\"$regex\":\"a/b\"}",
	  "{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"im\"}}",
	  "{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"im\"}}", "/a\\/b/im" },
	{ "{\"$regularExpression\":{\"options\":\"x\",\"pattern\":\"a b\"}}",
	  "{\"$regularExpression\":{\"pattern\":\"a b\",\"options\":\"x\"}}",
	  "{\"$regularExpression\":{\"pattern\":\"a b\",\"options\":\"x\"}}",
	  "BSONRegExp(\"a b\", \"x\")" },
	{ "{\"$timestamp\":{\"i\":2,\"t\":4294967295}}",
	  "{\"$timestamp\":{\"t\":4294967295,\"i\":2}}",
	  "{\"$timestamp\":{\"t\":4294967295,\"i\":2}}", "Timestamp({ t: 4294967295, i: 2 })" },
	{ "{\"$minKey\":1}", "{\"$minKey\":1}", "{\"$minKey\":1}", "MinKey()" },
	{ "{\"$maxKey\":1}", "{\"$maxKey\":1}", "{\"$maxKey\":1}", "MaxKey()" },
	{ "{\"$undefined\":true}", "{\"$undefined\":true}", "{\"$undefined\":true}", "undefined" },
	{ "{\"$symbol\":\"s\"}", "{\"$symbol\":\"s\"}", "{\"$symbol\":\"s\"}",
	  "BSONSymbol(\"s\")" },
	{ "{\"$code\":\"f()\"}", "{\"$code\":\"f()\"}", "{\"$code\":\"f()\"}", "Code(\"f()\")" },
	{ "{\"$scope\":{\"a\":1},\"$code\":\"f()\"}", "{\"$code\":\"f()\",\"$scope\":{\"a\":1}}",
	  "{\"$code\":\"f()\",\"$scope\":{\"a\":{\"$numberInt\":\"1\"}}}",
	  "Code(\"f()\", {\"a\": 1})" },
	{ "{\"$dbPointer\":{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdef01234567\"}}}",
	  "{\"$dbPointer\":{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdef01234567\"}}}",
	  "{\"$dbPointer\":{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdef01234567\"}}}",
	  "DBPointer(\"c\", ObjectId(\"0123456789abcdef01234567\"))" },
	{ "{\"$ref\":\"c\",\"$id\":1}", "{\"$ref\":\"c\",\"$id\":1}",
	  "{\"$ref\":\"c\",\"$id\":{\"$numberInt\":\"1\"}}", "{\"$ref\": \"c\", \"$id\": 1}" },
	{ "\"\\u0041\\n\\ud83d\\ude00\\/\"", "\"A\\n\xf0\x9f\x98\x80/\"",
	  "\"A\\n\xf0\x9f\x98\x80/\"", "\"A\\n\xf0\x9f\x98\x80/\"" },
};

static void all_forms_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(forms); i++) {
		check(forms[i][0], &typed, AG_EXTJSON_RELAXED, forms[i][1]);
		check(forms[i][0], &typed, AG_EXTJSON_CANONICAL, forms[i][2]);
		check(forms[i][0], &typed, AG_EXTJSON_SHELL, forms[i][3]);
		/* What is written reads back as the same. */
		check(forms[i][1], &typed, AG_EXTJSON_RELAXED, forms[i][1]);
		check(forms[i][2], &typed, AG_EXTJSON_CANONICAL, forms[i][2]);
	}
}

static void what_does_not_fit_stays_an_object(void **state)
{
	static const char *const same[] = {
		"{\"$oid\":\"0123\"}",
		"{\"$oid\":\"0123456789abcdef0123456g\"}",
		"{\"$oid\":5}",
		"{\"$oid\":\"0123456789abcdef01234567\",\"x\":1}",
		"{\"x\":1,\"$oid\":\"0123456789abcdef01234567\"}",
		"{\"$date\":\"yesterday\"}",
		"{\"$date\":\"2020-13-01\"}",
		"{\"$numberInt\":\"2147483648\"}",
		"{\"$numberLong\":\"9223372036854775808\"}",
		"{\"$numberLong\":\"1.5\"}",
		"{\"$numberDouble\":\"x\"}",
		"{\"$numberDecimal\":\"1.2.3\"}",
		"{\"$binary\":\"A\",\"$type\":\"00\"}",
		"{\"$binary\":\"AQI=\",\"$type\":\"xyz\"}",
		"{\"$binary\":\"AQI=\"}",
		"{\"$uuid\":\"0011\"}",
		"{\"$regex\":\"a\"}",
		"{\"$regex\":\"a\",\"$options\":\"I\"}",
		"{\"$timestamp\":{\"t\":-1,\"i\":0}}",
		"{\"$timestamp\":{\"t\":1}}",
		"{\"$minKey\":2}",
		"{\"$undefined\":false}",
		"{\"$code\":5}",
		"{\"$code\":\"x\",\"$scope\":5}",
		"{\"$gt\":5}",
		"{\"$\":1}",
		"{\"$dbPointer\":{\"$ref\":\"c\",\"$id\":5}}",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(same); i++)
		check(same[i], &typed, AG_EXTJSON_RELAXED, same[i]);
}

static void untyped_reading_keeps_objects(void **state)
{
	const ag_extjson_opts plain = { 0 };
	const char *text = "{\"a\":{\"$oid\":\"0123456789abcdef01234567\"}}";

	(void)state;
	check(text, &plain, AG_EXTJSON_RELAXED, text);
}

static void queries_keep_operators(void **state)
{
	const ag_extjson_opts query = { .typed = true, .query = true };
	static const char *const same[] = {
		"{\"a\":{\"$regex\":\"x\",\"$options\":\"i\"}}",
		"{\"a\":{\"$regex\":\"x\",\"$type\":\"string\"}}",
		"{\"a\":{\"$type\":\"string\",\"$regex\":\"x\"}}",
		"{\"a\":{\"$type\":\"00\"}}",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(same); i++)
		check(same[i], &query, AG_EXTJSON_RELAXED, same[i]);
	check("{\"a\":{\"$date\":\"2020-01-02\"}}", &query, AG_EXTJSON_SHELL,
	      "{\"a\": ISODate(\"2020-01-02T00:00:00Z\")}");
	check("{\"a\":{\"$binary\":\"AQI=\",\"$type\":\"00\"}}", &query, AG_EXTJSON_SHELL,
	      "{\"a\": BinData(0, \"AQI=\")}");
}

static void errors_say_where(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} cases[] = {
		{ "", 0 },
		{ "  ", 2 },
		{ "{", 1 },
		{ "{\"a\"", 4 },
		{ "{\"a\" 1}", 5 },
		{ "{\"a\":}", 5 },
		{ "{\"a\":1,}", 7 },
		{ "[1,]", 3 },
		{ "[1 2]", 3 },
		{ "01", 1 },
		{ "-", 1 },
		{ "1.", 2 },
		{ "1e", 2 },
		{ "+1", 0 },
		{ ".5", 0 },
		{ "tru", 0 },
		{ "nul", 0 },
		{ "\"a", 2 },
		{ "\"\\x\"", 1 },
		{ "\"\\u12g4\"", 1 },
		{ "\"a\tb\"", 2 },
		{ "\"\xff\"", 1 },
		{ "\"a\xc3\"", 2 },
		{ "\"\xed\xa0\x80\"", 1 },
		{ "1 2", 2 },
		{ "{a:1}", 1 },
		{ "NaN", 0 },
		{ "\"\\", 1 },
		{ "\"\xc0\xaf\"", 1 },
		{ "\"\\nx\xff\"", 4 },
		{ "[\x01]", 1 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_arena *arena = ag_arena_new();
		size_t at = 999;
		ag_err err = { 0 };
		ag_val v;
		ag_status st = parse(arena, cases[i].text, &typed, &v, &at, NULL, &err);

		if (st != AG_INVALID || at != cases[i].at || !err.msg[0])
			fail_msg("%s: status %d at %zu: %s", cases[i].text, (int)st, at, err.msg);
		ag_arena_free(arena);
	}
}

static void notes_count_what_was_bent(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_extjson_notes n;
	ag_val v;
	ag_err err;

	(void)state;
	assert_int_equal(parse(arena,
	                       "{\"a\":1,\"a\":2,\"b\":\"\\ud800x\",\"c\":1e400,\"d\":"
	                       "123456789012345678901,\"e\":1234567890123456789012345678901234567,"
	                       "\"f\":1e-999,\"a\":3}",
	                       &typed, &v, NULL, &n, &err),
	                 AG_OK);
	assert_int_equal(n.duplicate_keys, 2);
	assert_int_equal(n.lone_surrogates, 1);
	assert_int_equal(n.overflows, 1);
	assert_int_equal(n.big_numbers, 2);
	assert_int_equal(n.invalid_utf8, 0);
	assert_int_equal(v.n, 6);
	assert_int_equal(ag_val_getc(&v, "a")->u.i, 1);
	assert_string_equal(ag_val_getc(&v, "b")->u.s, "\xef\xbf\xbdx");
	assert_int_equal(ag_val_getc(&v, "d")->type, AG_T_DECIMAL);
	assert_int_equal(ag_val_getc(&v, "e")->type, AG_T_DOUBLE);
	assert_true(ag_val_getc(&v, "f")->u.f == 0);
	ag_arena_free(arena);
}

static void bad_utf8_is_repaired_on_request(void **state)
{
	const ag_extjson_opts opts = { .repair_utf8 = true };
	ag_arena *arena = ag_arena_new();
	ag_extjson_notes n;
	ag_val v;
	ag_err err;

	(void)state;
	assert_int_equal(parse(arena,
	                       "[\"a\xff"
	                       "b\xc3\",\"\xc3\xa9\",\"\xff\\n\"]",
	                       &opts, &v, NULL, &n, &err),
	                 AG_OK);
	assert_int_equal(n.invalid_utf8, 3);
	assert_string_equal(v.u.items[0].u.s, "a\xef\xbf\xbd"
	                                      "b\xef\xbf\xbd");
	assert_string_equal(v.u.items[1].u.s, "\xc3\xa9");
	assert_string_equal(v.u.items[2].u.s, "\xef\xbf\xbd\n");
	ag_arena_free(arena);
}

static void duplicates_are_found_in_large_objects(void **state)
{
	const ag_extjson_opts reject = { .reject_duplicates = true };
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1 << 20);
	ag_extjson_notes n;
	size_t at = 0, want;
	ag_err err;
	ag_val v;

	(void)state;
	ag_buf_addc(&text, '{');
	for (int i = 0; i < 5000; i++)
		ag_buf_addf(&text, "\"k%d\":%d,", i, i);
	want = text.len;
	ag_buf_adds(&text, "\"k77\":0}");
	assert_int_equal(parse(arena, text.ptr, &typed, &v, NULL, &n, &err), AG_OK);
	assert_int_equal(v.n, 5000);
	assert_int_equal(n.duplicate_keys, 1);
	assert_int_equal(ag_val_getc(&v, "k77")->u.i, 77);
	assert_int_equal(parse(arena, text.ptr, &reject, &v, &at, NULL, &err), AG_INVALID);
	assert_int_equal(at, want);
	ag_buf_release(&text);
	ag_arena_free(arena);
}

/* Members wait on the stack first, then in memory that grows; also where a deep one opens in between. */
static void objects_of_any_size(void **state)
{
	(void)state;
	for (size_t n = 1; n < 300; n += n < 70 ? 1 : 57) {
		ag_buf text = AG_BUF_INIT(100000);

		ag_buf_addc(&text, '{');
		for (size_t i = 0; i < n; i++)
			ag_buf_addf(&text, "%s\"k%zu\":%s", i ? "," : "", i,
			            i % 5 == 3 ? "{\"a\":\"x\",\"b\":[\"y\"]}" : "\"z\"");
		ag_buf_addc(&text, '}');
		check(text.ptr, &typed, AG_EXTJSON_RELAXED, text.ptr);
		ag_buf_release(&text);
	}
}

/* Strings of every length, with every ASCII character at every place. */
static void strings_of_any_length(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t len = 1; len < 20; len++) {
		for (size_t i = 0; i < len * 0x80; i++) {
			char plain[20];
			ag_buf text = AG_BUF_INIT(200);
			ag_err err = { 0 };
			ag_val v;

			memset(plain, 'a', sizeof(plain));
			plain[i / 0x80] = (char)(i % 0x80);
			ag_json_quote(&text, ag_str_make(plain, len));
			assert_int_equal(parse(arena, text.ptr, &typed, &v, NULL, NULL, &err),
			                 AG_OK);
			assert_true(ag_str_eq(ag_val_text(&v), ag_str_make(plain, len)));
			ag_buf_release(&text);
		}
		ag_arena_reset(arena);
	}
	ag_arena_free(arena);
}

static void values_are_limited(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_extjson_opts five = { .max_values = 5 };
	size_t at = 0;
	ag_err err;
	ag_val v;

	(void)state;
	/* The containers count, keys do not. */
	assert_int_equal(parse(arena, "[1,{\"a\":[2]}]", &five, &v, NULL, NULL, &err), AG_OK);
	assert_int_equal(parse(arena, "[1,{\"a\":[2]},3]", &five, &v, &at, NULL, &err), AG_LIMIT);
	assert_int_equal(at, 13);
	assert_string_equal(err.msg, "byte 13: more than 5 values");
	assert_int_equal(parse(arena, "[1,2,3,4,5,6]", &typed, &v, NULL, NULL, &err), AG_OK);
	ag_arena_free(arena);
}

static void depth_is_limited(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_extjson_opts three = { .max_depth = 3 };
	char text[2 * 1001 + 1];
	ag_err err;
	ag_val v;

	(void)state;
	memset(text, '[', 1001);
	memset(text + 1001, ']', 1001);
	text[2002] = '\0';
	assert_int_equal(parse(arena, text, &typed, &v, NULL, NULL, &err), AG_LIMIT);
	text[2001] = '\0';
	assert_int_equal(parse(arena, text + 1, &typed, &v, NULL, NULL, &err), AG_OK);
	assert_int_equal(parse(arena, "[[{}]]", &three, &v, NULL, NULL, &err), AG_OK);
	assert_int_equal(parse(arena, "[[{\"a\":[]}]]", &three, &v, NULL, NULL, &err), AG_LIMIT);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_read_and_written),
		cmocka_unit_test(what_does_not_fit_stays_an_object),
		cmocka_unit_test(untyped_reading_keeps_objects),
		cmocka_unit_test(queries_keep_operators),
		cmocka_unit_test(errors_say_where),
		cmocka_unit_test(notes_count_what_was_bent),
		cmocka_unit_test(bad_utf8_is_repaired_on_request),
		cmocka_unit_test(duplicates_are_found_in_large_objects),
		cmocka_unit_test(objects_of_any_size),
		cmocka_unit_test(strings_of_any_length),
		cmocka_unit_test(values_are_limited),
		cmocka_unit_test(depth_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
