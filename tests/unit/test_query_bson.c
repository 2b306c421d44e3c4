/* BSON read and written: every type, libbson as a second opinion, and bytes that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <bson/bson.h>

#include "query/bson.h"
#include "query/extjson.h"

/* Canonical extended JSON, so that the text says every type. */
static const char *const docs[] = {
	"{}",
	"{\"a\":{\"$numberInt\":\"1\"},\"b\":{\"$numberLong\":\"1\"},\"c\":{\"$numberDouble\":\"1.5\"}}",
	"{\"a\":{\"$numberLong\":\"-9223372036854775808\"},\"b\":{\"$numberInt\":\"-1\"}}",
	"{\"d\":{\"$numberDecimal\":\"1.10\"},\"e\":{\"$numberDecimal\":\"NaN\"}}",
	"{\"s\":\"\",\"t\":\"D\\u00f6rte\",\"u\":\"a\\u0000b\"}",
	"{\"o\":{\"p\":{\"q\":[]}},\"a\":[[],{},[{\"$numberInt\":\"1\"},\"x\",null]]}",
	"{\"i\":{\"$oid\":\"507f1f77bcf86cd799439011\"},\"b\":true,\"c\":false,\"n\":null}",
	"{\"d\":{\"$date\":{\"$numberLong\":\"-1\"}},\"t\":{\"$timestamp\":{\"t\":7,\"i\":9}}}",
	("{\"b\":{\"$binary\":{\"base64\":\"AAEC\",\"subType\":\"04\"}},"
	 "\"o\":{\"$binary\":{\"base64\":\"AAEC\",\"subType\":\"02\"}}}"),
	"{\"r\":{\"$regularExpression\":{\"pattern\":\"^a\",\"options\":\"im\"}}}",
	"{\"c\":{\"$code\":\"f()\"},\"w\":{\"$code\":\"g()\",\"$scope\":{\"x\":{\"$numberInt\":\"1\"}}}}",
	"{\"y\":{\"$symbol\":\"sym\"},\"u\":{\"$undefined\":true}}",
	"{\"m\":{\"$minKey\":1},\"M\":{\"$maxKey\":1}}",
	"{\"p\":{\"$dbPointer\":{\"$ref\":\"a.b\",\"$id\":{\"$oid\":\"507f1f77bcf86cd799439011\"}}}}",
	"{\"\":{\"$numberInt\":\"1\"},\"a.b\":{\"$numberInt\":\"2\"},\"$c\":{\"$numberInt\":\"3\"}}",
};

static ag_val value_of(ag_arena *arena, const char *text)
{
	const ag_extjson_opts o = { .typed = true };
	ag_val v;

	assert_int_equal(ag_extjson_parse(ag_str_c(text), &o, arena, &v, NULL, NULL, NULL), AG_OK);
	return v;
}

static void test_round_trip(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(docs); i++) {
		const ag_val v = value_of(arena, docs[i]);
		ag_buf b = AG_BUF_INIT(100000);
		ag_err err;
		ag_val back;
		bson_t other;

		assert_true(ag_bson_write(&b, &v));
		if (ag_bson_read(ag_buf_view(&b), arena, &back, &err))
			fail_msg("%s: %s", docs[i], err.msg);
		assert_string_equal(
			ag_str_cstr(arena, ag_extjson_str(arena, &back, AG_EXTJSON_CANONICAL)),
			ag_str_cstr(arena, ag_extjson_str(arena, &v, AG_EXTJSON_CANONICAL)));
		assert_true(bson_init_static(&other, (const uint8_t *)b.ptr, b.len));
		assert_true(bson_validate(&other, BSON_VALIDATE_NONE, NULL));
		ag_buf_release(&b);
	}
	ag_arena_free(arena);
}

/* Documents of libbson, read here. */
static void test_of_libbson(void **state)
{
	ag_arena *arena = ag_arena_new();
	bson_t b = BSON_INITIALIZER, kid;
	ag_val v;

	(void)state;
	bson_append_utf8(&b, "s", -1, "text", -1);
	bson_append_int64(&b, "l", -1, INT64_MIN);
	bson_append_double(&b, "f", -1, -0.5);
	bson_append_array_begin(&b, "a", -1, &kid);
	bson_append_int32(&kid, "0", -1, 7);
	bson_append_null(&kid, "1", -1);
	bson_append_array_end(&b, &kid);
	bson_append_regex(&b, "r", -1, "a.c", "i");
	assert_int_equal(ag_bson_read(ag_str_make((const char *)bson_get_data(&b), b.len), arena,
	                              &v, NULL),
	                 AG_OK);
	assert_string_equal(
		ag_str_cstr(arena, ag_extjson_str(arena, &v, AG_EXTJSON_RELAXED)),
		"{\"s\":\"text\",\"l\":-9223372036854775808,\"f\":-0.5,\"a\":[7,null],"
		"\"r\":{\"$regularExpression\":{\"pattern\":\"a.c\",\"options\":\"i\"}}}");
	bson_destroy(&b);
	ag_arena_free(arena);
}

/* Every prefix of every document, and every byte of it changed: an error or a document, never a read outside of it. */
static void test_broken(void **state)
{
	ag_arena *arena = ag_arena_new(), *scratch = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(docs); i++) {
		const ag_val v = value_of(arena, docs[i]);
		ag_buf b = AG_BUF_INIT(100000);
		ag_val back;

		assert_true(ag_bson_write(&b, &v));
		for (size_t n = 0; n < b.len; n++) {
			char *exact = ag_xmalloc(n + 1);

			memcpy(exact, b.ptr, n);
			assert_int_equal(ag_bson_read(ag_str_make(exact, n), scratch, &back, NULL),
			                 AG_INVALID);
			free(exact);
		}
		for (size_t n = 0; n < b.len; n++) {
			for (int bit = 0; bit < 8; bit++) {
				ag_arena_reset(scratch);
				b.ptr[n] = (char)(b.ptr[n] ^ (1 << bit));
				AG_IGNORE(ag_bson_read(ag_buf_view(&b), scratch, &back, NULL),
				          "some are documents");
				b.ptr[n] = (char)(b.ptr[n] ^ (1 << bit));
			}
		}
		ag_buf_release(&b);
	}
	ag_arena_free(scratch);
	ag_arena_free(arena);
}

static void test_cannot_be_written(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf b = AG_BUF_INIT(100000);
	ag_member m = { AG_S("a\0b"), ag_val_int(1) };
	ag_val v = ag_val_object(&m, 1);

	(void)state;
	assert_false(ag_bson_write(&b, &v));
	m = (ag_member){ AG_S("a"), ag_val_missing() };
	assert_false(ag_bson_write(&b, &v));
	v = ag_val_int(1);
	assert_false(ag_bson_write(&b, &v));
	/* deeper than any server stores */
	v = ag_val_object(NULL, 0);
	for (int i = 0; i < 300; i++) {
		ag_member *k = ag_new(arena, ag_member);

		*k = (ag_member){ AG_S("a"), v };
		v = ag_val_object(k, 1);
	}
	assert_false(ag_bson_write(&b, &v));
	ag_buf_release(&b);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_of_libbson),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
