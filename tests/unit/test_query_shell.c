/* What is pasted from a MongoDB shell: every constructor in good and bad forms, places of errors, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/extjson.h"
#include "query/filter.h"
#include "query/shell_read.h"

static ag_status parse_whole(ag_arena *arena, ag_str text, ag_shell_statement *ret, ag_err *err)
{
	/* Exactly sized on the heap, so that a read after the end is seen. */
	char *copy = malloc(text.len ? text.len : 1);
	size_t at = 7;
	ag_status st;

	assert_non_null(copy);
	memcpy(copy, text.ptr, text.len);
	st = ag_shell_parse(ag_str_make(copy, text.len), arena, ret, &at, err);
	free(copy);
	/* A wrong text has a place, a good one and one that is too long have none. */
	if (st == AG_INVALID)
		assert_true(at <= text.len);
	else if (!st || text.len > AG_FILTER_MAX_BYTES)
		assert_true(at == SIZE_MAX);
	return st;
}

static ag_status parse(ag_arena *arena, ag_str text, ag_val *ret, ag_err *err)
{
	ag_shell_statement found;
	const ag_status st = parse_whole(arena, text, &found, err);

	if (!st)
		*ret = found.query;
	return st;
}

/* text, its canonical extended JSON */
static const char *const good[][2] = {
	{ "{}", "{}" },
	{ "{a: 'x', $b: \"y\", _c1: `z`, é: 1}",
	  "{\"a\":\"x\",\"$b\":\"y\",\"_c1\":\"z\",\"é\":{\"$numberInt\":\"1\"}}" },
	{ "{'a.b': {$gt: -1}, 5: 0}",
	  "{\"a.b\":{\"$gt\":{\"$numberInt\":\"-1\"}},\"5\":{\"$numberInt\":\"0\"}}" },
	{ "'a\\'b\\x41\\u0042\\u{1F600}\\n\\\nc'", "\"a'bAB\xf0\x9f\x98\x80\\nc\"" },
	{ "'\\ud83d\\ude00\\ud800'", "\"\xf0\x9f\x98\x80\xef\xbf\xbd\"" },
	{ "[1, 2, ]", "[{\"$numberInt\":\"1\"},{\"$numberInt\":\"2\"}]" },
	{ "{a: 1, }", "{\"a\":{\"$numberInt\":\"1\"}}" },
	{ "// one\n{/* two */ a: true /**/}", "{\"a\":true}" },
	{ "\xc2\xa0[null]", "[null]" },
	{ ".5", "{\"$numberDouble\":\"0.5\"}" },
	{ "-.5e1", "{\"$numberDouble\":\"-5.0\"}" },
	{ "+5", "{\"$numberInt\":\"5\"}" },
	{ "5.", "{\"$numberDouble\":\"5.0\"}" },
	{ "-0x1F", "{\"$numberInt\":\"-31\"}" },
	{ "9007199254740993", "{\"$numberLong\":\"9007199254740993\"}" },
	{ "-Infinity", "{\"$numberDouble\":\"-Infinity\"}" },
	{ "[NaN, Infinity]", "[{\"$numberDouble\":\"NaN\"},{\"$numberDouble\":\"Infinity\"}]" },
	{ "undefined", "{\"$undefined\":true}" },
	{ "ObjectId('5ebaf064121756574a9767cf')", "{\"$oid\":\"5ebaf064121756574a9767cf\"}" },
	{ "new ObjectId(\"5EBAF064121756574A9767CF\")", "{\"$oid\":\"5ebaf064121756574a9767cf\"}" },
	{ "ISODate('1970-01-01T00:00:01Z')", "{\"$date\":{\"$numberLong\":\"1000\"}}" },
	{ "new Date('1970-01-02')", "{\"$date\":{\"$numberLong\":\"86400000\"}}" },
	{ "new Date(-5)", "{\"$date\":{\"$numberLong\":\"-5\"}}" },
	{ "NumberLong('5')", "{\"$numberLong\":\"5\"}" },
	{ "NumberLong(5)", "{\"$numberLong\":\"5\"}" },
	{ "Long(\"-9223372036854775808\")", "{\"$numberLong\":\"-9223372036854775808\"}" },
	{ "NumberInt('7')", "{\"$numberInt\":\"7\"}" },
	{ "Int32(7,)", "{\"$numberInt\":\"7\"}" },
	{ "Double(2)", "{\"$numberDouble\":\"2.0\"}" },
	{ "NumberDecimal('1.10')", "{\"$numberDecimal\":\"1.10\"}" },
	{ "Decimal128(0.1)", "{\"$numberDecimal\":\"0.1\"}" },
	{ "UUID('01234567-89ab-cdef-0123-456789abcdef')",
	  "{\"$binary\":{\"base64\":\"ASNFZ4mrze8BI0VniavN7w==\",\"subType\":\"04\"}}" },
	{ "UUID('0123456789abcdef0123456789abcdef')",
	  "{\"$binary\":{\"base64\":\"ASNFZ4mrze8BI0VniavN7w==\",\"subType\":\"04\"}}" },
	{ "BinData(5, 'MTIzNA==')", "{\"$binary\":{\"base64\":\"MTIzNA==\",\"subType\":\"05\"}}" },
	{ "Binary.createFromBase64('MTIzNA==', 0)",
	  "{\"$binary\":{\"base64\":\"MTIzNA==\",\"subType\":\"00\"}}" },
	{ "Timestamp(4294967295, 1)", "{\"$timestamp\":{\"t\":4294967295,\"i\":1}}" },
	{ "Timestamp({ t: 7, i: 1 })", "{\"$timestamp\":{\"t\":7,\"i\":1}}" },
	{ "[MinKey, MaxKey(), new MinKey()]", "[{\"$minKey\":1},{\"$maxKey\":1},{\"$minKey\":1}]" },
	{ "/a\\/[/]b/mi",
	  "{\"$regularExpression\":{\"pattern\":\"a\\\\/[/]b\",\"options\":\"im\"}}" },
	{ "RegExp('^a', 'i')", "{\"$regularExpression\":{\"pattern\":\"^a\",\"options\":\"i\"}}" },
	{ "BSONRegExp(\"(?i)a\", \"\")",
	  "{\"$regularExpression\":{\"pattern\":\"(?i)a\",\"options\":\"\"}}" },
	{ "{a: {$regex: /x/, $options: 'i'}}",
	  "{\"a\":{\"$regex\":{\"$regularExpression\":{\"pattern\":\"x\",\"options\":\"\"}},\"$options\":\"i\"}}" },
	{ "db.orders.find({a: 1})", "{\"a\":{\"$numberInt\":\"1\"}}" },
	{ "db.orders.find()", "{}" },
	{ "db[\"my orders\"].countDocuments({a: null});", "{\"a\":null}" },
	{ "db.getCollection('x').find({}).pretty().toArray()\n", "{}" },
	{ "db.a.b\n  .aggregate([{$match: {}}])", "[{\"$match\":{}}]" },
};

static void good_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++) {
		ag_arena *arena = ag_arena_new();
		ag_err err = { 0 };
		ag_val v;
		ag_str out;

		if (parse(arena, ag_str_c(good[i][0]), &v, &err))
			fail_msg("%s: %s", good[i][0], err.msg);
		out = ag_extjson_str(arena, &v, AG_EXTJSON_CANONICAL);
		if (!ag_str_eqc(out, good[i][1]))
			fail_msg("%s became %.*s, want %s", good[i][0], AG_FMT(out), good[i][1]);
		ag_arena_free(arena);
	}
}

/* text, part of the message */
static const char *const bad[][2] = {
	{ "", "line 1, column 1: the text ends, want a value" },
	{ "{a.b: 1}",
	  "line 1, column 2: a key of more than letters, digits, _ and $ needs quotes; write \"a.b\"" },
	{ "{a-b: 1}", "write \"a-b\"" },
	{ "{1a: 1}", "write \"1a\"" },
	{ "{\n  é: 'é' x}", "line 2, column 10: want ',' or '}', got 'x'" },
	{ "{a 1}", "column 4: want ':' after a key, got '1'" },
	{ "{a: }", "column 5: want a value, got '}'" },
	{ "{[a]: 1}", "want a key" },
	{ "{,}", "want a key" },
	{ "[,]", "want a value" },
	{ "{a: 1, a: 2}", "the key \"a\" appears twice" },
	{ "'abc", "column 1: the string has no end" },
	{ "'a\nb'", "control character" },
	{ "'\\d'", "write \\\\ for a back slash" },
	{ "'\\u{110000}'", "unknown escape" },
	{ "'\\u{d800}'", "unknown escape" },
	{ "'\\xZZ'", "unknown escape" },
	{ "'\\01'", "unknown escape" },
	{ "'\\", "no end" },
	{ "'\xff'", "not valid UTF-8" },
	{ "`${x}`", "no code runs" },
	{ "/* a", "the comment has no end" },
	{ "1 + 1", "want the end of the text, got '+'" },
	{ "01", "want a number" },
	{ "1.2.3", "want a number" },
	{ "5n", "want a number" },
	{ "0x", "hex digits" },
	{ "--1", "want a number" },
	{ ".", "want a number" },
	{ "{a: active}", "got the name active; write a text in quotes" },
	{ "function() {}", "no code runs" },
	{ "ObjectID('5ebaf064121756574a9767cf')", "did you mean ObjectId(…)?" },
	{ "isoDate('2026-01-01')", "did you mean ISODate(…)?" },
	{ "ObjectId()", "ObjectId wants 24 hex digits" },
	{ "ObjectId('5ebaf064')", "ObjectId wants 24 hex digits" },
	{ "ObjectId(5)", "ObjectId wants" },
	{ "ObjectId('5ebaf064121756574a9767cf', 1)", "ObjectId wants" },
	{ "ObjectId", "want '(' after the name" },
	{ "ISODate()", "ISODate wants a date" },
	{ "ISODate('2026-13-01')", "ISODate wants a date" },
	{ "Date('2026-01-01')", "without new" },
	{ "new Date(2026, 1)", "Date wants a date" },
	{ "NumberLong('9223372036854775808')", "NumberLong wants one integer" },
	{ "NumberLong(1.5)", "NumberLong wants" },
	{ "NumberInt(2147483648)", "NumberInt wants" },
	{ "NumberInt({})", "NumberInt wants" },
	{ "NumberDecimal('abc')", "NumberDecimal wants" },
	{ "UUID('0123')", "UUID wants" },
	{ "UUID('0123456789abcdef0123456789abcdeg')", "UUID wants" },
	{ "BinData(256, '')", "BinData wants" },
	{ "BinData('AAAA', 0)", "BinData wants" },
	{ "BinData(0, 'AAA')", "BinData wants" },
	{ "Timestamp(-1, 0)", "Timestamp wants" },
	{ "Timestamp(1)", "Timestamp wants" },
	{ "MinKey(1)", "MinKey wants no argument" },
	{ "/a", "the regex has no end" },
	{ "/a/g", "column 4: a filter knows the flags" },
	{ "RegExp('a', 'g', 'i')", "RegExp wants" },
	{ "RegExp('a\\0')", "RegExp wants" },
	{ "NumberInt(1,2,3,4,5,6,7,8,9)", "too many arguments" },
	{ "db.a.find(", "the text ends" },
	{ "db.a.find([])", "want a filter" },
	{ "db.a.aggregate({})", "want a pipeline" },
	{ "db.a.find({}, {b: 1}, {})", "a filter and a projection at most" },
	{ "db.a.find({}, 'b')", "column 6: want a projection such as" },
	{ "db.a.find({}).limit('5')", "column 15: want a whole number" },
	{ "db.a.find({}).limit(NaN)", "want a whole number" },
	{ "db.a.find({}).limit(NumberLong('-9223372036854775808'))", "want a whole number" },
	{ "db.a.find({}).limit(1, 2)", "want one argument" },
	{ "db.a.find({}).limit()", "want one argument" },
	{ "db.a.find({}).skip(-1)", "not negative" },
	{ "db.a.find({}).skip(1.5)", "want a whole number" },
	{ "db.a.find({}).sort([{a: 1}])", "want an order such as" },
	{ "db.a.find({}).count(true)", "want no argument" },
	{ "db.a.find({}).map(1)", ".map(…) is not known here: write sort" },
	{ "db.a.find({}).sort", "want '('" },
	{ "db.a.find({}).", "is not known here" },
	{ "db.a.findOne({}).sort({a: 1})", "not known after this statement" },
	{ "db.a.aggregate([]).limit(5)", "not known after this statement" },
	{ "db.a.countDocuments({}, {limit: 1})", "want one argument" },
	{ "db.a.deleteMany({})", "column 6: of statements find, findOne" },
	{ "db.a", "want a statement" },
	{ "{} {}", "want the end" },
};

static void bad_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_arena *arena = ag_arena_new();
		ag_err err = { 0 };
		ag_val v;

		if (!parse(arena, ag_str_c(bad[i][0]), &v, &err))
			fail_msg("%s was accepted", bad[i][0]);
		if (!strstr(err.msg, bad[i][1]))
			fail_msg("%s: %s; want %s", bad[i][0], err.msg, bad[i][1]);
		ag_arena_free(arena);
	}
}

/* statement, the pipeline that runs for it; "" = its filter is enough */
static const char *const statements[][2] = {
	{ "db.a.find({a: 1})", "" },
	{ "db.a.find({a: 1}).limit(3)", "" },
	{ "db.a.find({a: 1}).count()", "" },
	{ "db.a.find({a: 1}).sort({b: 1}).count()", "" },
	{ "db.a.find({}, {}).sort({})", "" },
	{ "{a: 1}", "" },
	{ "db.a.find({a: 1}, {b: 1, _id: 0})",
	  "[{\"$match\":{\"a\":1}},{\"$project\":{\"b\":1,\"_id\":0}}]" },
	{ "db.a.find().project({b: 0})", "[{\"$match\":{}},{\"$project\":{\"b\":0}}]" },
	{ "db.a.findOne({}, {b: 1})", "[{\"$match\":{}},{\"$limit\":1},{\"$project\":{\"b\":1}}]" },
	/* the order of the server, whatever the order of the calls; the last word counts */
	{ "db.a.find({}).limit(NumberLong(5)).skip(2).sort({a: -1}).limit(-4).pretty()",
	  "[{\"$match\":{}},{\"$sort\":{\"a\":-1}},{\"$skip\":2},{\"$limit\":4}]" },
};

static void whole_statements(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(statements); i++) {
		ag_arena *arena = ag_arena_new();
		ag_err err = { 0 };
		ag_shell_statement q;
		ag_val pipeline;
		ag_str out = AG_S("");

		if (parse_whole(arena, ag_str_c(statements[i][0]), &q, &err))
			fail_msg("%s: %s", statements[i][0], err.msg);
		if (ag_shell_needs_pipeline(&q)) {
			pipeline = ag_shell_pipeline(&q, q.limit, arena);
			out = ag_extjson_str(arena, &pipeline, AG_EXTJSON_RELAXED);
		}
		if (!ag_str_eqc(out, statements[i][1]))
			fail_msg("%s runs %.*s, want %s", statements[i][0], AG_FMT(out),
			         statements[i][1]);
		assert_int_equal(q.counts, strstr(statements[i][0], "count()") != NULL);
		ag_arena_free(arena);
	}
}

static void limits(void **state)
{
	ag_arena *arena = ag_arena_new();
	char *text = malloc(AG_FILTER_MAX_BYTES + 1);
	ag_err err;
	ag_val v;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < 3; i++) {
		memset(text, "[{("[i], AG_FILTER_MAX_BYTES + 1);
		assert_int_equal(parse(arena, ag_str_make(text, AG_FILTER_MAX_BYTES + 1), &v, &err),
		                 AG_LIMIT);
	}
	memset(text, '[', AG_FILTER_MAX_BYTES);
	assert_int_equal(parse(arena, ag_str_make(text, AG_FILTER_MAX_BYTES), &v, &err), AG_LIMIT);
	assert_non_null(strstr(err.msg, "nested deeper than 100 levels"));
	memset(text + 100, ']', 100);
	assert_int_equal(parse(arena, ag_str_make(text, 200), &v, &err), AG_OK);
	free(text);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_texts),
		cmocka_unit_test(bad_texts),
		cmocka_unit_test(whole_statements),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
