/* BSON dumps into a table: written by libbson here, read by our reader; and what is broken in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bson/bson.h>
#include <stdlib.h>

#include "columns/chunk.h"
#include "columns/load.h"
#include "columns/table.h"
#include "query/extjson.h"

static ag_table *load(const void *p, size_t n, size_t max_doc)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 2 };
	ag_table_opts opts = { .format = AG_FORMAT_BSON, .max_doc_bytes = max_doc };
	ag_table *t = NULL;
	ag_err err;

	if (ag_table_load_mem(&ctx, "dump.bson", (const char *)p, n, &opts, &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

static void add(ag_buf *out, bson_t *b)
{
	ag_buf_add(out, ag_str_make((const char *)bson_get_data(b), b->len));
	bson_destroy(b);
}

static void check_doc(const ag_table *t, uint64_t i, const char *want)
{
	ag_arena *a = ag_arena_new();
	ag_val v = ag_table_doc(t, a, i);

	assert_string_equal(ag_extjson_str(a, &v, AG_EXTJSON_CANONICAL).ptr, want);
	ag_arena_free(a);
}

static void append_all_types(bson_t *b)
{
	static const uint8_t bytes[] = { 0, 1, 2 };
	bson_decimal128_t dec;
	bson_oid_t oid;
	bson_t kid;

	bson_oid_init_from_string(&oid, "0123456789abcdef01234567");
	assert_true(bson_decimal128_from_string("1.10", &dec));
	BSON_APPEND_DOUBLE(b, "double", 1.5);
	BSON_APPEND_UTF8(b, "text", "gr\xc3\xbc\xc3\x9f");
	BSON_APPEND_DOCUMENT_BEGIN(b, "object", &kid);
	BSON_APPEND_INT32(&kid, "x", -1);
	bson_append_document_end(b, &kid);
	BSON_APPEND_ARRAY_BEGIN(b, "array", &kid);
	BSON_APPEND_BOOL(&kid, "0", true);
	BSON_APPEND_NULL(&kid, "1");
	bson_append_array_end(b, &kid);
	BSON_APPEND_BINARY(b, "bin", BSON_SUBTYPE_USER, bytes, 3);
	BSON_APPEND_BINARY(b, "old", BSON_SUBTYPE_BINARY_DEPRECATED, bytes, 3);
	BSON_APPEND_UNDEFINED(b, "undefined");
	BSON_APPEND_OID(b, "oid", &oid);
	BSON_APPEND_DATE_TIME(b, "date", -5);
	BSON_APPEND_REGEX(b, "regex", "x.y", "im");
	BSON_APPEND_DBPOINTER(b, "pointer", "c", &oid);
	BSON_APPEND_CODE(b, "code", "f()");
	BSON_APPEND_SYMBOL(b, "symbol", "s");
	kid = (bson_t)BSON_INITIALIZER;
	BSON_APPEND_INT64(&kid, "y", 1);
	BSON_APPEND_CODE_WITH_SCOPE(b, "scoped", "g()", &kid);
	bson_destroy(&kid);
	BSON_APPEND_TIMESTAMP(b, "stamp", 7, 8);
	BSON_APPEND_INT64(b, "long", INT64_MIN);
	BSON_APPEND_DECIMAL128(b, "decimal", &dec);
	BSON_APPEND_MINKEY(b, "min");
	BSON_APPEND_MAXKEY(b, "max");
}

static void all_types(void **state)
{
	bson_t b = BSON_INITIALIZER;
	ag_table *t;

	(void)state;
	append_all_types(&b);
	t = load(bson_get_data(&b), b.len, 0);
	assert_int_equal(ag_table_info_of(t)->ndoc, 1);
	check_doc(t, 0,
	          "{\"double\":{\"$numberDouble\":\"1.5\"},\"text\":\"gr\xc3\xbc\xc3\x9f\","
	          "\"object\":{\"x\":{\"$numberInt\":\"-1\"}},\"array\":[true,null],"
	          "\"bin\":{\"$binary\":{\"base64\":\"AAEC\",\"subType\":\"80\"}},"
	          "\"old\":{\"$binary\":{\"base64\":\"AAEC\",\"subType\":\"02\"}},"
	          "\"undefined\":{\"$undefined\":true},"
	          "\"oid\":{\"$oid\":\"0123456789abcdef01234567\"},"
	          "\"date\":{\"$date\":{\"$numberLong\":\"-5\"}},"
	          "\"regex\":{\"$regularExpression\":{\"pattern\":\"x.y\",\"options\":\"im\"}},"
	          "\"pointer\":{\"$dbPointer\":{\"$ref\":\"c\",\"$id\":{\"$oid\":"
	          "\"0123456789abcdef01234567\"}}},"
	          "\"code\":{\"$code\":\"f()\"},\"symbol\":{\"$symbol\":\"s\"},"
	          "\"scoped\":{\"$code\":\"g()\",\"$scope\":{\"y\":{\"$numberLong\":\"1\"}}},"
	          "\"stamp\":{\"$timestamp\":{\"t\":7,\"i\":8}},"
	          "\"long\":{\"$numberLong\":\"-9223372036854775808\"},"
	          "\"decimal\":{\"$numberDecimal\":\"1.10\"},"
	          "\"min\":{\"$minKey\":1},\"max\":{\"$maxKey\":1}}");
	ag_table_free(t);
	bson_destroy(&b);
}

/* A document with one value; the byte at `at` from its end is changed. */
static void add_damaged(ag_buf *out, const char *key, const char *text, size_t from_end, char to)
{
	bson_t b = BSON_INITIALIZER;

	BSON_APPEND_UTF8(&b, "good", "x");
	BSON_APPEND_UTF8(&b, key, text);
	add(out, &b);
	out->ptr[out->len - from_end] = to;
}

static void broken_documents(void **state)
{
	ag_buf out = AG_BUF_INIT(1 << 20);
	const ag_table_info *info;
	const ag_chunk *c;
	bson_t b = BSON_INITIALIZER;
	ag_table *t;

	(void)state;
	BSON_APPEND_INT32(&b, "n", 1);
	add(&out, &b);
	add_damaged(&out, "utf8", "abc", 3, '\xff');
	add_damaged(&out, "length", "abc", 9, 99); /* the low byte of its length */
	add_damaged(&out, "end", "abc", 2, 'x');
	add_damaged(&out, "type", "abc", 15, 99);
	b = (bson_t)BSON_INITIALIZER;
	BSON_APPEND_INT32(&b, "n", 2);
	add(&out, &b);
	ag_buf_add(&out, ag_str_make("\xff\xff\xff\x7f rest", 9));
	t = load(out.ptr, out.len, 0);
	info = ag_table_info_of(t);
	c = ag_table_chunk(t, 0);
	assert_int_equal(info->ndoc, 2);
	assert_int_equal(info->broken, 5);
	check_doc(t, 1, "{\"n\":{\"$numberInt\":\"2\"}}");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(info->issues[i].line, i + 2);
	assert_non_null(strstr(info->issues[0].what.ptr, "UTF-8"));
	assert_non_null(strstr(info->issues[1].what.ptr, "beyond the end"));
	assert_non_null(strstr(info->issues[2].what.ptr, "not closed"));
	assert_non_null(strstr(info->issues[3].what.ptr, "unknown type"));
	assert_non_null(strstr(info->issues[4].what.ptr, "the rest of the file"));
	assert_int_equal(info->issues[4].byte, out.len - 9);
	/* They leave no trace: no column, no row, no text. */
	assert_int_equal(c->ncol, 2);
	assert_int_equal(c->cols[1]->n, 2);
	assert_int_equal(c->heap_len, 0);
	ag_table_free(t);
	free(ag_buf_steal(&out));
}

/* Every prefix of a dump reads without harm, and gives the documents that are whole. */
static void cut_anywhere(void **state)
{
	bson_t b = BSON_INITIALIZER, small = BSON_INITIALIZER;
	ag_buf out = AG_BUF_INIT(1 << 20);
	size_t first;

	(void)state;
	BSON_APPEND_INT32(&small, "n", 1);
	add(&out, &small);
	first = out.len;
	append_all_types(&b);
	add(&out, &b);
	for (size_t n = 0; n <= out.len; n++) {
		char *exact = (char *)malloc(n ? n : 1); /* so that a byte too far is seen */
		ag_table *t;

		memcpy(exact, out.ptr, n);
		t = load(exact, n, 0);
		assert_int_equal(ag_table_info_of(t)->ndoc, (n >= first) + (n == out.len));
		assert_int_equal(ag_table_info_of(t)->broken, n != 0 && n != first && n != out.len);
		ag_table_free(t);
		free(exact);
	}
	free(ag_buf_steal(&out));
}

/* Every single byte changed: no crash, and the document before it is there. */
static void changed_anywhere(void **state)
{
	bson_t b = BSON_INITIALIZER, small = BSON_INITIALIZER;
	ag_buf out = AG_BUF_INIT(1 << 20);
	size_t first;

	(void)state;
	BSON_APPEND_INT32(&small, "n", 1);
	add(&out, &small);
	first = out.len;
	append_all_types(&b);
	add(&out, &b);
	for (size_t i = first; i < out.len; i++) {
		static const char values[] = { 0, 1, 5, 127, -1 };
		char was = out.ptr[i];

		for (size_t k = 0; k < sizeof(values); k++) {
			const ag_table_info *info;
			ag_arena *a = ag_arena_new();
			ag_table *t;

			out.ptr[i] = values[k];
			t = load(out.ptr, out.len, 0);
			info = ag_table_info_of(t);
			assert_in_range(info->ndoc, 1, 40);
			for (uint64_t d = 0; d < info->ndoc; d++) {
				ag_val v = ag_table_doc(t, a, d);

				ag_extjson_str(a, &v, AG_EXTJSON_CANONICAL);
			}
			ag_table_free(t);
			ag_arena_free(a);
		}
		out.ptr[i] = was;
	}
	free(ag_buf_steal(&out));
}

static void limits(void **state)
{
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_table *t;

	(void)state;
	for (size_t depth = AG_COL_MAX_DEPTH; depth <= AG_COL_MAX_DEPTH + 1; depth++) {
		bson_t inner = BSON_INITIALIZER;

		for (size_t i = 1; i < depth; i++) {
			bson_t outer = BSON_INITIALIZER;

			BSON_APPEND_DOCUMENT(&outer, "d", &inner);
			bson_destroy(&inner);
			bson_steal(&inner, &outer);
		}
		add(&out, &inner);
	}
	t = load(out.ptr, out.len, 0);
	assert_int_equal(ag_table_info_of(t)->ndoc, 1);
	assert_non_null(strstr(ag_table_info_of(t)->issues[0].what.ptr, "deeper"));
	ag_table_free(t);
	t = load(out.ptr, out.len, 100);
	assert_int_equal(ag_table_info_of(t)->ndoc, 0);
	assert_int_equal(ag_table_info_of(t)->broken, 1);
	ag_table_free(t);
	free(ag_buf_steal(&out));
}

/* The same name twice: the first stays, whatever the second is. */
static void duplicate_names(void **state)
{
	bson_t b = BSON_INITIALIZER, kid;
	ag_table *t;

	(void)state;
	BSON_APPEND_INT32(&b, "a", 1);
	BSON_APPEND_DOCUMENT_BEGIN(&b, "a", &kid);
	BSON_APPEND_UTF8(&kid, "x", "y");
	BSON_APPEND_UTF8(&kid, "x", "z");
	bson_append_document_end(&b, &kid);
	BSON_APPEND_ARRAY_BEGIN(&b, "a", &kid);
	BSON_APPEND_UTF8(&kid, "0", "y");
	BSON_APPEND_UTF8(&kid, "1", "y");
	bson_append_array_end(&b, &kid);
	BSON_APPEND_INT32(&b, "b", 2);
	t = load(bson_get_data(&b), b.len, 0);
	check_doc(t, 0, "{\"a\":{\"$numberInt\":\"1\"},\"b\":{\"$numberInt\":\"2\"}}");
	assert_true(ag_table_info_of(t)->duplicate_keys >= 2);
	ag_table_free(t);
	bson_destroy(&b);
}

static void many_blocks(void **state)
{
	ag_buf out = AG_BUF_INIT(64 << 20);
	ag_table *t;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		bson_t b = BSON_INITIALIZER;

		BSON_APPEND_INT32(&b, "_id", i);
		BSON_APPEND_UTF8(&b, "text",
		                 "some text that makes the dump larger than one block of it");
		add(&out, &b);
	}
	t = load(out.ptr, out.len, 0);
	assert_int_equal(ag_table_info_of(t)->ndoc, 100000);
	assert_true(ag_table_nchunk(t) > 1);
	for (uint64_t i = 0; i < 100000; i += 7777) {
		ag_arena *a = ag_arena_new();
		ag_val v = ag_table_doc(t, a, i);

		assert_int_equal(ag_val_getc(&v, "_id")->u.i, i);
		ag_arena_free(a);
	}
	ag_table_free(t);
	free(ag_buf_steal(&out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_types),    cmocka_unit_test(broken_documents),
		cmocka_unit_test(cut_anywhere), cmocka_unit_test(changed_anywhere),
		cmocka_unit_test(limits),       cmocka_unit_test(duplicate_names),
		cmocka_unit_test(many_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
