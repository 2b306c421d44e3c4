/* JSON into a table: odd input, exact types, places of issues, and the same result with any number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "columns/chunk.h"
#include "columns/load.h"
#include "columns/table.h"
#include "query/extjson.h"

static ag_ctx ctx_with(unsigned nthread)
{
	return (ag_ctx){ .clock = &ag_clock_system, .nthread = nthread };
}

static ag_table *load_n(ag_format format, const char *p, size_t n, unsigned nthread, size_t max_doc)
{
	ag_ctx ctx = ctx_with(nthread);
	ag_table_opts opts = { .format = format, .max_doc_bytes = max_doc };
	ag_table *t = NULL;
	ag_err err;

	if (ag_table_load_mem(&ctx, "data", p, n, &opts, &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

static ag_table *load(ag_format format, const char *text)
{
	return load_n(format, text, strlen(text), 1, 0);
}

/* All documents as canonical extended JSON, one a line. */
static char *dump(const ag_table *t)
{
	ag_arena *a = ag_arena_new();
	ag_buf out = AG_BUF_INIT(SIZE_MAX / 2);

	for (uint64_t i = 0; i < ag_table_info_of(t)->ndoc; i++) {
		ag_val v;

		ag_arena_reset(a);
		v = ag_table_doc(t, a, i);
		ag_extjson_write(&out, &v, AG_EXTJSON_CANONICAL);
		ag_buf_addc(&out, '\n');
	}
	ag_arena_free(a);
	return ag_buf_steal(&out);
}

static void check(ag_format format, const char *text, const char *want, uint64_t broken)
{
	ag_table *t = load(format, text);
	char *got = dump(t);

	assert_string_equal(got, want);
	assert_int_equal(ag_table_info_of(t)->broken, broken);
	free(got);
	ag_table_free(t);
}

static void check_issue(const ag_table *t, size_t i, uint64_t line, uint64_t byte, const char *part)
{
	const ag_table_info *info = ag_table_info_of(t);

	assert_true(i < info->nissue);
	assert_int_equal(info->issues[i].line, line);
	assert_int_equal(info->issues[i].byte, byte);
	if (!ag_str_contains(info->issues[i].what, ag_str_c(part)))
		fail_msg("issue %zu says \"%.*s\"", i, AG_FMT(info->issues[i].what));
	assert_string_equal(info->issues[i].file.ptr, "data");
}

static void ndjson_odd_lines(void **state)
{
	ag_table *t;

	(void)state;
	check(AG_FORMAT_NDJSON, "", "", 0);
	check(AG_FORMAT_NDJSON, "\n\n \r\n\t\n", "", 0);
	check(AG_FORMAT_NDJSON, "{}", "{}\n", 0);
	check(AG_FORMAT_NDJSON, "\xef\xbb\xbf{\"a\":\"x\"}\r\n\r\n{\"a\":\"y\"}",
	      "{\"a\":\"x\"}\n{\"a\":\"y\"}\n", 0);
	t = load(AG_FORMAT_NDJSON,
	         "{\"a\":true}\n[1]\n5\n\n{\"a\":\n{\"a\":\"\xff\"}\n{\"b\":null}\n"
	         "{\"a\":1}{\"a\":2}\n{\"a\":\"x}\n");
	assert_int_equal(ag_table_info_of(t)->ndoc, 2);
	assert_int_equal(ag_table_info_of(t)->broken, 6);
	check_issue(t, 0, 2, 11, "not an object");
	check_issue(t, 1, 3, 15, "not an object");
	check_issue(t, 2, 5, 18, "");
	check_issue(t, 3, 6, 24, "UTF-8 at byte 6");
	check_issue(t, 4, 8, 45, "");
	check_issue(t, 5, 9, 60, "");
	ag_table_free(t);
	t = load_n(AG_FORMAT_NDJSON, "{\"a\":\"\0\"}\n{}\n", 13, 1, 0);
	assert_int_equal(ag_table_info_of(t)->ndoc, 1);
	assert_int_equal(ag_table_info_of(t)->broken, 1);
	ag_table_free(t);
}

static void where_documents_are(void **state)
{
	ag_table *t = load(AG_FORMAT_NDJSON, "\n{\"a\":1}\nx\n{\"a\":2}\n");
	uint64_t line, byte;
	ag_str file;

	(void)state;
	ag_table_doc_where(t, 0, &file, &line, &byte);
	assert_int_equal(line, 2);
	assert_int_equal(byte, 1);
	ag_table_doc_where(t, 1, &file, &line, &byte);
	assert_int_equal(line, 4);
	assert_int_equal(byte, 11);
	assert_string_equal(file.ptr, "data");
	ag_table_free(t);
}

static void exact_numbers(void **state)
{
	const ag_table_info *info;
	ag_table *t;

	(void)state;
	check(AG_FORMAT_NDJSON,
	      "{\"a\":[2147483647,2147483648,-2147483648,-2147483649,9223372036854775807,1.0,0.1]}",
	      "{\"a\":[{\"$numberInt\":\"2147483647\"},{\"$numberLong\":\"2147483648\"},"
	      "{\"$numberInt\":\"-2147483648\"},{\"$numberLong\":\"-2147483649\"},"
	      "{\"$numberLong\":\"9223372036854775807\"},{\"$numberDouble\":\"1.0\"},"
	      "{\"$numberDouble\":\"0.1\"}]}\n",
	      0);
	check(AG_FORMAT_NDJSON,
	      "{\"a\":9223372036854775808}\n{\"a\":18446744073709551615}\n"
	      "{\"a\":123456789012345678901234567890}\n",
	      "{\"a\":{\"$numberDecimal\":\"9223372036854775808\"}}\n"
	      "{\"a\":{\"$numberDecimal\":\"18446744073709551615\"}}\n"
	      "{\"a\":{\"$numberDecimal\":\"123456789012345678901234567890\"}}\n",
	      0);
	t = load(AG_FORMAT_NDJSON,
	         "{\"a\":9223372036854775808}\n{\"a\":1e400,\"b\":1}\n"
	         "{\"a\":\"\\ud800\",\"a\":2}\n{\"a\":1,\"a\":{\"b\":[1]},\"c\":3}\n");
	info = ag_table_info_of(t);
	assert_int_equal(info->ndoc, 4);
	assert_int_equal(info->broken, 0);
	assert_int_equal(info->big_numbers, 1);
	assert_int_equal(info->overflows, 1);
	assert_int_equal(info->lone_surrogates, 1);
	assert_int_equal(info->duplicate_keys, 2);
	ag_table_free(t);
	check(AG_FORMAT_NDJSON, "{\"a\":true,\"a\":{\"b\":[1]},\"c\":\"3\"}\n",
	      "{\"a\":true,\"c\":\"3\"}\n", 0);
}

/* Every form of extended JSON reads as the exact reader reads it. */
static void extended_json(void **state)
{
	static const char *const docs[] = {
		"{\"a\":{\"$oid\":\"0123456789abcdefABCDEF01\"}}",
		"{\"a\":{\"$oid\":\"0123456789abcdefABCDEF0x\"}}",
		"{\"a\":{\"$oid\":5}}",
		"{\"a\":{\"$date\":\"2026-03-01T08:30:00Z\"}}",
		"{\"a\":{\"$date\":\"2026-03-01\"}}",
		"{\"a\":{\"$date\":{\"$numberLong\":\"-5\"}}}",
		"{\"a\":{\"$date\":{\"$numberLong\":\"x\"}}}",
		"{\"a\":{\"$date\":1234}}",
		"{\"a\":{\"$date\":\"yesterday\"}}",
		"{\"a\":{\"$numberLong\":\"9223372036854775807\"}}",
		"{\"a\":{\"$numberLong\":5}}",
		"{\"a\":{\"$numberInt\":\"7\"},\"b\":{\"$numberInt\":\"7777777777\"}}",
		"{\"a\":{\"$numberDouble\":\"NaN\"},\"b\":{\"$numberDouble\":\"-Infinity\"}}",
		"{\"a\":{\"$numberDecimal\":\"1.10\"},\"b\":{\"$numberDecimal\":\"x\"}}",
		"{\"a\":[{\"$minKey\":1},{\"$maxKey\":1},{\"$undefined\":true},{\"$symbol\":\"s\"}]}",
		"{\"a\":{\"$timestamp\":{\"t\":1,\"i\":2}},\"b\":{\"$timestamp\":{\"t\":-1,\"i\":2}}}",
		"{\"a\":{\"$binary\":{\"base64\":\"AAEC\",\"subType\":\"80\"}}}",
		("{\"a\":{\"$type\":\"05\",\"$binary\":\"AAEC\"},\"b\":{\"$uuid\":"
		 "\"00112233-4455-6677-8899-aabbccddeeff\"}}"),
		"{\"a\":{\"$regularExpression\":{\"pattern\":\"x\",\"options\":\"i\"}}}",
		"{\"a\":{\"$options\":\"i\",\"$regex\":\"x.y\"}}",
		"{\"a\":{\"$code\":\"f()\"},\"b\":{\"$code\":\"g()\",\"$scope\":{\"x\":{\"$numberLong\":\"1\"}}}}",
		"{\"a\":{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdef01234567\"}}}",
		"{\"a\":{\"$dbPointer\":{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdef01234567\"}}}}",
		"{\"a\":{\"$other\":{\"$numberInt\":\"1\"},\"b\":[{\"$date\":1}]}}",
		"{\"a\":{\"$oid\":\"0123456789abcdef01234567\",\"b\":1}}",
		"{\"a\":{\"$oid\":\"0123456789abcdef01234567\",\"$oid\":1}}",
		"{\"a\":{\"b\":1,\"$oid\":\"0123456789abcdef01234567\"}}",
		"{\"a\":{\"$x\":[[[{\"$numberLong\":\"1\"}]],18446744073709551615,null,false]}}",
		"{\"a\":{\"\":1},\"\":{\"$\":2}}",
	};
	ag_extjson_opts opts = { .typed = true };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(docs); i++) {
		ag_arena *a = ag_arena_new();
		ag_table *t = load(AG_FORMAT_NDJSON, docs[i]);
		ag_str want;
		ag_err err;
		ag_val v;
		char *got = dump(t);

		assert_int_equal(
			ag_extjson_parse(ag_str_c(docs[i]), &opts, a, &v, NULL, NULL, &err), AG_OK);
		want = ag_str_printf(a, "%.*s\n",
		                     AG_FMT(ag_extjson_str(a, &v, AG_EXTJSON_CANONICAL)));
		assert_string_equal(got, want.ptr);
		free(got);
		ag_table_free(t);
		ag_arena_free(a);
	}
}

static char *nested(size_t depth)
{
	ag_buf b = AG_BUF_INIT(1 << 20);

	for (size_t i = 0; i < depth; i++)
		ag_buf_adds(&b, i % 2 ? "[" : "{\"a\":");
	ag_buf_adds(&b, "1");
	for (size_t i = depth; i-- > 0;)
		ag_buf_adds(&b, i % 2 ? "]" : "}");
	return ag_buf_steal(&b);
}

static void depth_limit(void **state)
{
	static const size_t depths[] = { AG_COL_MAX_DEPTH, AG_COL_MAX_DEPTH + 1, 1100, 5000 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(depths); i++) {
		char *text = nested(depths[i]);
		ag_buf b = AG_BUF_INIT(1 << 20);
		ag_table *t;

		ag_buf_addf(&b, "{\"x\":1}\n%s\n{\"x\":2,\"y\":3}\n", text);
		t = load(AG_FORMAT_NDJSON, b.ptr);
		assert_int_equal(ag_table_info_of(t)->ndoc, i == 0 ? 3 : 2);
		if (i) { /* no trace of the broken one */
			const ag_chunk *c = ag_table_chunk(t, 0);

			assert_int_equal(c->ncol, 3);
			assert_null(ag_col_child(c, c->cols[0], AG_S("a")));
			check_issue(t, 0, 2, 8, "");
		}
		ag_table_free(t);
		free(text);
		free(ag_buf_steal(&b));
	}
}

static void json_arrays(void **state)
{
	(void)state;
	check(AG_FORMAT_JSON, "", "", 0);
	check(AG_FORMAT_JSON, "[]", "", 0);
	check(AG_FORMAT_JSON, " [ {\"a\":\"]\"} , {\"b\":\"\\\"}\"},{} ] ",
	      "{\"a\":\"]\"}\n{\"b\":\"\\\"}\"}\n{}\n", 0);
	check(AG_FORMAT_JSON, "{\"a\":{\n\"b\":\"x\"}\n}\n{}{\"c\":[\n]}",
	      "{\"a\":{\"b\":\"x\"}}\n{}\n{\"c\":[]}\n", 0);
	check(AG_FORMAT_JSON, "[{\"a\":true},5,{\"b\":[true,},{\"c\":true},[],\"x\",{\"d\":true}]",
	      "{\"a\":true}\n{\"c\":true}\n{\"d\":true}\n", 4);
	/* An unterminated array keeps what is complete. */
	check(AG_FORMAT_JSON, " [", "", 1);
	check(AG_FORMAT_JSON, "[{\"a\":true},\n{\"b\":true}\n", "{\"a\":true}\n{\"b\":true}\n", 1);
	check(AG_FORMAT_JSON, "[{\"a\":true},\n{\"b\":true", "{\"a\":true}\n", 1);
	check(AG_FORMAT_JSON, "x:\"y\" {} : \"z", "{}\n", 4);
	/* A string or bracket that is not closed costs its document, not the next. */
	check(AG_FORMAT_JSON, "[\n {\"a\":\"x},\n {\"b\":true},\n {\"c\":true}\n]",
	      "{\"b\":true}\n{\"c\":true}\n", 1);
	check(AG_FORMAT_JSON, "[\n {\"a\":{\"x\":true,\n {\"b\":true},\n {\"c\":true}\n]",
	      "{\"b\":true}\n{\"c\":true}\n", 1);
	check(AG_FORMAT_JSON, "{\n \"a\":{\n  \"q\":\"x\n },\n \"z\":{\n }\n}\n{\n \"b\":true\n}\n",
	      "{\"b\":true}\n", 1);
}

/* About 9 MiB of lines of all kinds, with one that spans blocks and one over the limit. */
static char *large_text(size_t *ret_len, bool array)
{
	ag_buf b = AG_BUF_INIT(64 << 20);
	uint64_t r = 1;

	if (array)
		ag_buf_addc(&b, '[');
	for (int i = 0; i < 40000; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		if (array && i)
			ag_buf_addc(&b, ',');
		if (i % 5000 == 17)
			ag_buf_adds(&b, array ? "{\"broken\":}" : "{\"broken\":");
		else
			ag_buf_addf(
				&b,
				"{\"_id\":%d,\"n\":%.3f,\"s\":\"text %u\",\"k%u\":{\"%u\":[1,\"x\",{\"q\":null}]}}",
				i, (double)(r >> 40) / 7, (unsigned)(r >> 33), (unsigned)(r >> 61),
				(unsigned)(r >> 50));
		ag_buf_addc(&b, '\n');
		if (i == 1000 || i == 30000) {
			if (array)
				ag_buf_addc(&b, ',');
			ag_buf_adds(&b, "{\"long\":\"");
			for (int k = 0; k < (i == 1000 ? 5000 : 7000) * 100; k++)
				ag_buf_adds(&b, "0123456789");
			ag_buf_adds(&b, "\"}\n");
		}
	}
	if (array)
		ag_buf_addc(&b, ']');
	assert_false(b.failed);
	*ret_len = b.len;
	return ag_buf_steal(&b);
}

static void same_issues(const ag_table_info *a, const ag_table_info *b)
{
	assert_int_equal(a->ndoc, b->ndoc);
	assert_int_equal(a->broken, b->broken);
	assert_int_equal(a->nissue, b->nissue);
	assert_memory_equal(a->content_hash, b->content_hash, sizeof(a->content_hash));
	for (size_t i = 0; i < a->nissue; i++) {
		assert_int_equal(a->issues[i].line, b->issues[i].line);
		assert_int_equal(a->issues[i].byte, b->issues[i].byte);
		assert_true(ag_str_eq(a->issues[i].what, b->issues[i].what));
	}
}

static void same_columns(const ag_table *a, const ag_table *b)
{
	assert_int_equal(ag_table_nchunk(a), ag_table_nchunk(b));
	for (size_t i = 0; i < ag_table_nchunk(a); i++) {
		const ag_chunk *x = ag_table_chunk(a, i), *y = ag_table_chunk(b, i);

		assert_int_equal(x->ncol, y->ncol);
		assert_int_equal(x->heap_len, y->heap_len);
		assert_int_equal(x->first_line, y->first_line);
		for (uint32_t k = 0; k < x->ncol; k++) {
			assert_int_equal(x->cols[k]->n, y->cols[k]->n);
			assert_true(ag_str_eq(x->cols[k]->name, y->cols[k]->name));
			assert_memory_equal(x->cols[k]->up, y->cols[k]->up, x->cols[k]->n * 4);
			assert_memory_equal(x->cols[k]->val, y->cols[k]->val, x->cols[k]->n * 8);
		}
	}
}

static void same_with_any_threads(ag_format format)
{
	static const unsigned threads[] = { 1, 2, 8 };
	size_t len;
	char *text = large_text(&len, format == AG_FORMAT_JSON), *first = NULL;
	ag_table *base = NULL;

	for (size_t i = 0; i < AG_NELEM(threads); i++) {
		ag_table *t = load_n(format, text, len, threads[i], 6 << 20);
		char *got = dump(t);

		if (!base) {
			base = t;
			first = got;
			assert_true(ag_table_nchunk(t) > 2);
			assert_int_equal(ag_table_info_of(t)->ndoc, 40000 - 8 + 1);
			assert_int_equal(ag_table_info_of(t)->broken, 9);
			/* the lines of both kinds of text: 17 lies before the long one */
			assert_int_equal(ag_table_info_of(t)->issues[0].line, 18);
			assert_int_equal(ag_table_info_of(t)->issues[1].line, 5019);
			assert_int_equal(ag_table_info_of(t)->issues[8].line, 35020);
			continue;
		}
		assert_string_equal(got, first);
		same_issues(ag_table_info_of(t), ag_table_info_of(base));
		same_columns(t, base);
		free(got);
		ag_table_free(t);
	}
	free(first);
	free(text);
	ag_table_free(base);
}

static void threads_ndjson(void **state)
{
	(void)state;
	same_with_any_threads(AG_FORMAT_NDJSON);
}

static void threads_json(void **state)
{
	(void)state;
	same_with_any_threads(AG_FORMAT_JSON);
}

/* More names than an object keeps as columns: they go to ANY, nothing is lost or doubled. */
static void keys_that_are_data(void **state)
{
	ag_buf b = AG_BUF_INIT(1 << 20), want = AG_BUF_INIT(1 << 20);
	ag_table *t;
	char *got;

	(void)state;
	for (int i = 0; i < 600; i++) {
		ag_buf_adds(&b, "{\"m\":{");
		ag_buf_adds(&want, "{\"m\":{");
		for (int k = 0; k < 20; k++) {
			ag_buf_addf(&b, "%s\"k%d\":[true]", k ? "," : "", (i * 20 + k) % 11000);
			ag_buf_addf(&want, "%s\"k%d\":[true]", k ? "," : "", (i * 20 + k) % 11000);
		}
		ag_buf_addf(&b, ",\"k%d\":false}}\n", (i * 20 + 3) % 11000);
		ag_buf_adds(&want, "}}\n");
	}
	t = load(AG_FORMAT_NDJSON, b.ptr);
	got = dump(t);
	assert_string_equal(got, want.ptr);
	assert_int_equal(ag_table_info_of(t)->duplicate_keys, 600);
	assert_int_equal(ag_table_chunk(t, 0)->cols[1]->nnamed, AG_COL_MAX_NAMED);
	free(got);
	ag_table_free(t);
	free(ag_buf_steal(&b));
	free(ag_buf_steal(&want));
}

/* Random documents: the fast reader, the exact reader and the columns agree on every value. */
static void random_value(ag_buf *b, uint64_t *r, int depth)
{
	static const char *const scalars[] = {
		"null",
		"true",
		"1",
		"-7",
		"3000000000",
		"0.5",
		"1e300",
		"\"\"",
		"\"a\\u00e9\\n\"",
		"\"a longer text, more than thirty-two bytes of it\"",
		"{\"$numberDecimal\":\"1.10\"}",
		"{\"$oid\":\"0123456789abcdef01234567\"}",
		"12345678901234567890",
		"[]",
		"{}",
		"\"\\udc00\"",
	};
	uint64_t x;

	*r = *r * 6364136223846793005u + 1442695040888963407u;
	x = *r >> 33;
	if (depth > 4 || x % 3 == 0) {
		ag_buf_adds(b, scalars[x / 3 % AG_NELEM(scalars)]);
		return;
	}
	ag_buf_addc(b, x % 3 == 1 ? '{' : '[');
	for (uint64_t i = 0; i < x / 3 % 5; i++) {
		if (i)
			ag_buf_addc(b, ',');
		if (x % 3 == 1) {
			*r = *r * 6364136223846793005u + 1442695040888963407u;
			ag_buf_addf(b, "\"%.*s\":", (int)(*r >> 60),
			            &"abcdefghijklmnopqrstuvwxyz"[*r >> 62]);
		}
		random_value(b, r, depth + 1);
	}
	ag_buf_addc(b, x % 3 == 1 ? '}' : ']');
}

static void random_documents(void **state)
{
	ag_extjson_opts opts = { .typed = true };
	ag_arena *a = ag_arena_new();
	ag_buf b = AG_BUF_INIT(64 << 20), want = AG_BUF_INIT(64 << 20);
	uint64_t r = 42;
	ag_table *t;
	char *got;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t at = b.len;
		ag_err err;
		ag_val v;

		ag_buf_adds(&b, "{\"v\":");
		random_value(&b, &r, 0);
		ag_buf_adds(&b, ",\"w\":");
		random_value(&b, &r, 0);
		ag_buf_addc(&b, '}');
		ag_arena_reset(a);
		assert_int_equal(ag_extjson_parse(ag_str_make(b.ptr + at, b.len - at), &opts, a, &v,
		                                  NULL, NULL, &err),
		                 AG_OK);
		ag_extjson_write(&want, &v, AG_EXTJSON_CANONICAL);
		ag_buf_addc(&want, '\n');
		ag_buf_addc(&b, '\n');
	}
	t = load_n(AG_FORMAT_NDJSON, b.ptr, b.len, 1, 0);
	got = dump(t);
	assert_string_equal(got, want.ptr);
	free(got);
	ag_table_free(t);
	ag_arena_free(a);
	free(ag_buf_steal(&b));
	free(ag_buf_steal(&want));
}

/* n documents on one line, between `open` and `close`, with `sep` after each but the last. */
static char *one_line(const char *open, const char *sep, const char *close, unsigned n)
{
	ag_buf b = AG_BUF_INIT(SIZE_MAX / 2);

	ag_buf_adds(&b, open);
	for (unsigned i = 0; i < n; i++)
		ag_buf_addf(&b, "%s{\"id\":%u,\"name\":\"a name of some length\",\"tags\":[1,2]}",
		            i ? sep : "", i);
	ag_buf_adds(&b, close);
	return ag_buf_steal(&b);
}

/* Without line breaks the work stays linear: 6 MB in one line took minutes when each document looked
 * back for the start of its line, and the test runner ends that. */
static void forms_on_one_line(void **state)
{
	static const struct {
		const char *open, *sep, *close;
	} forms[] = {
		{ "[", ",", "]" }, { "[\n", ",\n", "\n]\n" }, { "", "", "" },
		{ "", " ", "" },   { "", "\t", "\n" },        { "  [", " ,  ", " ] " },
	};
	const unsigned n = 100000;
	char *want = NULL;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(forms); i++) {
		char *text = one_line(forms[i].open, forms[i].sep, forms[i].close, n), *got;
		ag_table *t = load(AG_FORMAT_AUTO, text);

		assert_int_equal(ag_table_info_of(t)->ndoc, n);
		assert_int_equal(ag_table_info_of(t)->broken, 0);
		got = dump(t);
		if (want)
			assert_string_equal(got, want);
		else
			want = got, got = NULL;
		ag_table_free(t);
		free(got);
		free(text);
	}
	free(want);
}

/* The indent of a broken document is known wherever its line began: in an earlier block as well. */
static void indent_over_windows(void **state)
{
	ag_buf b = AG_BUF_INIT(SIZE_MAX / 2);
	const ag_table_info *info;
	unsigned n = 0;
	ag_table *t;

	(void)state;
	ag_buf_adds(&b, "[\n");
	while (b.len < 3 * AG_CHUNK_INPUT_BYTES) {
		/* Every thousandth object is never closed; its inner object is indented deeper. */
		if (n++ % 1000 == 999)
			ag_buf_addf(&b, "  {\"id\": %u, \"in\":\n      {\"x\": 1},\n", n);
		else
			ag_buf_addf(&b, "  {\"id\": %u, \"in\":\n      {\"x\": \"%0200u\"}},\n", n,
			            n);
	}
	ag_buf_adds(&b, "  {\"id\": 0}\n]\n");
	t = load_n(AG_FORMAT_JSON, b.ptr, b.len, 2, 0);
	info = ag_table_info_of(t);
	assert_int_equal(info->broken, n / 1000);
	assert_int_equal(info->ndoc, n - n / 1000 + 1);
	ag_table_free(t);
	ag_buf_release(&b);
}

/* Milliseconds pass only by being asked for. */
static int64_t counting_mono(void *self)
{
	return ++*(int64_t *)self;
}

static int64_t no_wall(void *self)
{
	(void)self;
	return 0;
}

/* A deadline ends the reading between two documents of one block, whatever the format. */
static void deadline_within_a_block(void **state)
{
	static const struct {
		ag_format format;
		const char *row;
	} cases[] = {
		{ AG_FORMAT_JSON, "{\"a\":1}," },    { AG_FORMAT_JSON, "{\"a\":1,\n" },
		{ AG_FORMAT_NDJSON, "{\"a\":1}\n" }, { AG_FORMAT_NDJSON, "x\n" },
		{ AG_FORMAT_CSV, "a,b\n" },          { AG_FORMAT_BSON, "\x05\x00\x00\x00" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const bool is_bson = cases[i].format == AG_FORMAT_BSON;
		ag_buf b = AG_BUF_INIT(SIZE_MAX / 2);
		ag_err err;

		for (unsigned k = 0; k < 4000; k++) {
			ag_buf_add(&b,
			           ag_str_make(cases[i].row, is_bson ? 4 : strlen(cases[i].row)));
			if (is_bson)
				ag_buf_addc(&b, 0);
		}
		/* The second deadline is late enough that only the readers of blocks meet it. */
		for (int64_t deadline = 4; deadline <= 12; deadline += 8) {
			int64_t now = 0;
			const ag_clock clock = { no_wall, counting_mono, &now };
			const ag_ctx ctx = { .clock = &clock,
				             .nthread = 1,
				             .deadline_ms = deadline };
			ag_table_opts opts = { .format = cases[i].format };
			ag_table *t = NULL;

			assert_int_equal(ag_table_load_mem(&ctx, "data", b.ptr, b.len, &opts, &t,
			                                   &err),
			                 AG_TIMEOUT);
			assert_null(t);
			assert_true(now <= deadline + 2);
		}
		ag_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ndjson_odd_lines),
		cmocka_unit_test(where_documents_are),
		cmocka_unit_test(exact_numbers),
		cmocka_unit_test(extended_json),
		cmocka_unit_test(depth_limit),
		cmocka_unit_test(json_arrays),
		cmocka_unit_test(threads_ndjson),
		cmocka_unit_test(threads_json),
		cmocka_unit_test(keys_that_are_data),
		cmocka_unit_test(random_documents),
		cmocka_unit_test(forms_on_one_line),
		cmocka_unit_test(indent_over_windows),
		cmocka_unit_test(deadline_within_a_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
