/* The vector evaluator against its definition: random documents and random filters, and both say the same
 * for each pair. The pools of values, keys and operators are small, so that most filters match something
 * and hit nested arrays, mixed types and missing members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "columns/load.h"
#include "columns/table.h"
#include "query/extjson.h"
#include "query/filter_expr.h"

#define NDOC    64
#define NROUND  60
#define NFILTER 40

static uint64_t rng;
static unsigned nexpr; /* filters that have an expression */

static unsigned below(unsigned n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((rng >> 33) % n);
}

static const char *const keys[] = { "a", "b", "0", "1", "c" };

static const char *const scalars[] = {
	"null",
	"true",
	"false",
	"1",
	"2",
	"-1",
	"1.5",
	"1.0",
	"{\"$numberLong\":\"9007199254740993\"}",
	"9007199254740992.0",
	"{\"$numberDecimal\":\"1.50\"}",
	"{\"$numberDouble\":\"NaN\"}",
	"\"x\"",
	"\"xyz\"",
	"\"\"",
	"{\"$date\":5}",
	"{\"$oid\":\"0123456789abcdef01234567\"}",
	"{\"$minKey\":1}",
	"{\"$maxKey\":1}",
	"{\"$undefined\":true}",
	"{\"$symbol\":\"x\"}",
	"{\"$numberDouble\":\"Infinity\"}",
	"{\"$code\":\"f\",\"$scope\":{\"a\":1}}",
	"{\"$binary\":{\"base64\":\"AAE=\",\"subType\":\"00\"}}",
	"0",
	"3",
};

static void add_value(ag_buf *b, int depth)
{
	unsigned kind = below(depth > 3 ? 6 : 10), n;

	if (kind < 6) {
		ag_buf_adds(b, scalars[below(AG_NELEM(scalars))]);
		return;
	}
	n = below(4);
	ag_buf_addc(b, kind < 8 ? '{' : '[');
	for (unsigned i = 0; i < n; i++) {
		ag_buf_adds(b, i ? "," : "");
		if (kind < 8)
			ag_buf_addf(b, "\"%s\":", keys[(below(2) + i * 2) % AG_NELEM(keys)]);
		add_value(b, depth + 1);
	}
	ag_buf_addc(b, kind < 8 ? '}' : ']');
}

static void add_doc(ag_buf *b)
{
	ag_buf_addc(b, '{');
	for (unsigned i = 0; i < AG_NELEM(keys); i++) {
		if (below(3) == 0)
			continue;
		ag_buf_addf(b, "%s\"%s\":", b->ptr[b->len - 1] == '{' ? "" : ",", keys[i]);
		add_value(b, 0);
	}
	ag_buf_addc(b, '}');
}

static void add_path(ag_buf *b)
{
	unsigned n = 1 + below(4);

	for (unsigned i = 0; i < n; i++)
		ag_buf_addf(b, "%s%s", i ? "." : "", keys[below(AG_NELEM(keys))]);
}

static void add_filter(ag_buf *b, int depth);

/* {"$op": …} without the braces. */
static void add_op(ag_buf *b, int depth)
{
	static const char *const orders[] = { "$eq", "$ne", "$gt", "$gte", "$lt", "$lte" };
	static const char *const types[] = {
		"\"string\"", "\"array\"",  "\"number\"", "\"null\"", "[\"object\",\"bool\"]",
		"16",         "\"missing\""
	};
	static const char *const lists[] = { "$in", "$nin", "$all" };
	static const char *const patterns[] = { "^x", "y", "^$", "Z" };
	unsigned n;

	switch (below(12)) {
	case 0: ag_buf_addf(b, "\"$exists\":%s", below(2) ? "true" : "false"); break;
	case 1: ag_buf_addf(b, "\"$type\":%s", types[below(AG_NELEM(types) - 1)]); break;
	case 2: ag_buf_addf(b, "\"$size\":%u", below(4)); break;
	case 3: ag_buf_addf(b, "\"$mod\":[%u,%u]", 1 + below(3), below(2)); break;
	case 4: ag_buf_addf(b, "\"$regex\":\"%s\",\"$options\":\"i\"", patterns[below(4)]); break;
	case 5:
		ag_buf_adds(b, "\"$not\":{");
		add_op(b, depth + 1);
		ag_buf_addc(b, '}');
		break;
	case 6:
		ag_buf_adds(b, "\"$elemMatch\":{");
		if (below(2)) {
			add_op(b, depth + 1);
		} else {
			ag_buf_adds(b, "\"");
			add_path(b);
			ag_buf_adds(b, "\":");
			add_value(b, 3);
		}
		ag_buf_addc(b, '}');
		break;
	case 7:
	case 8:
		ag_buf_addf(b, "\"%s\":[", lists[below(3)]);
		n = below(4);
		for (unsigned i = 0; i < n; i++) {
			ag_buf_adds(b, i ? "," : "");
			add_value(b, 3);
		}
		ag_buf_addc(b, ']');
		break;
	default: ag_buf_addf(b, "\"%s\":", orders[below(6)]); add_value(b, 3);
	}
}

static void add_filter(ag_buf *b, int depth)
{
	static const char *const joins[] = { "$and", "$or", "$nor" };
	unsigned kind = below(depth > 2 ? 6 : 9);

	if (kind == 8) {
		ag_buf_addf(b, "{\"$expr\":{\"$%s\":[\"$a\",", below(2) ? "gt" : "eq");
		add_value(b, 4);
		ag_buf_adds(b, "]}}");
		return;
	}
	if (kind >= 6) {
		ag_buf_addf(b, "{\"%s\":[", joins[below(3)]);
		for (unsigned i = 0, n = 1 + below(3); i < n; i++) {
			ag_buf_adds(b, i ? "," : "");
			add_filter(b, depth + 1);
		}
		ag_buf_adds(b, "]}");
		return;
	}
	ag_buf_adds(b, "{\"");
	add_path(b);
	ag_buf_adds(b, "\":");
	if (kind == 0) {
		add_value(b, 2);
	} else {
		ag_buf_addc(b, '{');
		add_op(b, depth);
		ag_buf_addc(b, '}');
	}
	ag_buf_addc(b, '}');
}

static ag_table *load(const char *text, ag_format format)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_table_opts opts = { .format = format };
	ag_table *t = NULL;
	ag_err err;

	if (ag_table_load_mem(&ctx, "data", text, strlen(text), &opts, &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

/* The filter as an expression says the same of the document. Patterns meet no symbols there. */
static void compare_expr(const ag_expr *e, const ag_filter *f, const ag_val *doc, const char *text,
                         ag_arena *a)
{
	const ag_str json = ag_extjson_str(a, doc, AG_EXTJSON_RELAXED);
	ag_err err = { 0 };
	ag_val v;

	if (strstr(text, "$regex") && memmem(json.ptr, json.len, "$symbol", 7))
		return;
	if (strstr(text, "$expr") && ag_expr_eval(e, doc, a, &v, &err))
		return; /* it fails as the filter would */
	if (ag_expr_eval(e, doc, a, &v, &err) || ag_val_truthy(&v) != ag_filter_match(f, doc))
		fail_msg("filter %s\n document %.*s\n the expression differs %s", text,
		         AG_FMT(json), err.msg);
}

/* One filter on a table, both ways; the number of documents that match. */
static uint64_t compare(const ag_table *t, const ag_filter *f, const char *text)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_arena *a = ag_arena_new(), *kept = ag_arena_new();
	uint64_t n = ag_table_info_of(t)->ndoc, count;
	const ag_expr *expr = NULL;
	ag_val as_expr;
	ag_bits bits;
	ag_err err;

	if (ag_filter_to_expr(f, kept, &as_expr)) {
		nexpr++;
		if (ag_expr_parse(&as_expr, kept, &expr, &err))
			fail_msg("%s: %s", text, err.msg);
	}

	if (ag_table_match(t, &ctx, f, &bits, &err))
		fail_msg("%s: %s", text, err.msg);
	for (uint64_t i = 0; i < n; i++) {
		ag_val doc;

		ag_arena_reset(a);
		doc = ag_table_doc(t, a, i);
		if (expr)
			compare_expr(expr, f, &doc, text, a);
		if (ag_filter_match(f, &doc) == ag_bits_get(&bits, i))
			continue;
		fail_msg("filter %s\n document %.*s\n columns say %d", text,
		         AG_FMT(ag_extjson_str(a, &doc, AG_EXTJSON_RELAXED)),
		         ag_bits_get(&bits, i));
	}
	count = ag_bits_count(&bits);
	ag_bits_release(&bits);
	ag_arena_free(kept);
	ag_arena_free(a);
	return count;
}

static void same_as_definition(void **state)
{
	unsigned parsed = 0, some = 0;

	(void)state;
	rng = 7;
	for (int round = 0; round < NROUND; round++) {
		ag_buf docs = AG_BUF_INIT(16 << 20);
		ag_table *t;

		for (int i = 0; i < NDOC; i++) {
			add_doc(&docs);
			ag_buf_addc(&docs, '\n');
		}
		t = load(docs.ptr, AG_FORMAT_NDJSON);
		assert_int_equal(ag_table_info_of(t)->ndoc, NDOC);
		for (int i = 0; i < NFILTER; i++) {
			ag_buf text = AG_BUF_INIT(1 << 20);
			ag_arena *a = ag_arena_new();
			const ag_filter *f;
			ag_err err;

			add_filter(&text, 0);
			if (ag_filter_parse(ag_buf_view(&text), a, &f, &err) == AG_OK) {
				uint64_t n = compare(t, f, text.ptr);

				parsed++;
				some += n > 0 && n < NDOC;
			}
			ag_arena_free(a);
			free(ag_buf_steal(&text));
		}
		ag_table_free(t);
		free(ag_buf_steal(&docs));
	}
	/* Pairs of a filter and a document; and the filters must tell documents apart. */
	assert_true((uint64_t)parsed * NDOC >= 100000);
	assert_true(some * 3 > parsed);
	assert_true(nexpr * 4 > parsed);
}

static uint64_t count(const ag_table *t, const char *filter)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 2 };
	ag_arena *a = ag_arena_new();
	const ag_filter *f;
	uint64_t n = 0;
	ag_err err;

	if (ag_filter_parse(ag_str_c(filter), a, &f, &err) || ag_table_count(t, &ctx, f, &n, &err))
		fail_msg("%s: %s", filter, err.msg);
	ag_arena_free(a);
	return n;
}

/* What MongoDB answers, by hand: so that both ways cannot be wrong together. */
static void known_answers(void **state)
{
	static const struct {
		const char *filter;
		uint64_t n;
	} cases[] = {
		{ "{}", 6 },
		{ "{\"a\":1}", 2 },
		{ "{\"a\":null}", 2 },
		{ "{\"a\":{\"$exists\":false}}", 1 },
		{ "{\"a\":{\"$ne\":1}}", 4 },
		{ "{\"a.b\":{\"$gt\":1}}", 1 },
		{ "{\"a.0\":2}", 1 },
		{ "{\"a.0.b\":1}", 1 },
		{ "{\"a\":{\"$elemMatch\":{\"b\":2,\"c\":3}}}", 1 },
		{ "{\"a.b\":2,\"a.c\":4}", 1 },
		{ "{\"a\":{\"$elemMatch\":{\"b\":2,\"c\":4}}}", 0 },
		{ "{\"a\":{\"$size\":2}}", 2 },
		{ "{\"a\":[2,1]}", 1 },
		{ "{\"a\":{\"$type\":\"array\"}}", 2 },
	};
	ag_table *t = load("{\"a\":1}\n{\"a\":[2,1]}\n{\"a\":null}\n{}\n"
	                   "{\"a\":[{\"b\":1,\"c\":4},{\"b\":2,\"c\":3}]}\n{\"a\":\"x\"}\n",
	                   AG_FORMAT_NDJSON);

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		if (count(t, cases[i].filter) != cases[i].n)
			fail_msg("%s gives %d", cases[i].filter, (int)count(t, cases[i].filter));
	}
	ag_table_free(t);
}

/* Names in an ANY column, and matches over many chunks whose sizes are no multiples of 64. */
static void wide_maps_and_chunks(void **state)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 3 };
	ag_arena *a = ag_arena_new();
	enum { N = 9001 };
	ag_val *docs = ag_new_n(a, ag_val, N);
	const ag_filter *f;
	ag_table *t;
	ag_bits bits;
	ag_err err;

	(void)state;
	for (int i = 0; i < N; i++) {
		ag_member *inner = ag_new(a, ag_member), *m = ag_new(a, ag_member);

		inner->key = ag_str_printf(a, "k%d", i);
		inner->val = ag_val_int(i % 7);
		m->key = AG_S("m");
		m->val = ag_val_object(inner, 1);
		docs[i] = ag_val_object(m, 1);
	}
	assert_int_equal(ag_table_from_values(&ctx, docs, N, &t, &err), AG_OK);
	assert_true(ag_table_nchunk(t) > 1);
	for (int i = 0; i < N; i += 997) {
		ag_str text = ag_str_printf(a, "{\"m.k%d\":%d}", i, i % 7);

		assert_int_equal(ag_filter_parse(text, a, &f, &err), AG_OK);
		assert_int_equal(ag_table_match(t, &ctx, f, &bits, &err), AG_OK);
		assert_int_equal(ag_bits_count(&bits), 1);
		assert_int_equal(ag_bits_next(&bits, 0), i);
		ag_bits_release(&bits);
		text = ag_str_printf(a, "{\"m.k%d\":null}", i);
		assert_int_equal(ag_filter_parse(text, a, &f, &err), AG_OK);
		assert_int_equal(compare(t, f, text.ptr), N - 1);
	}
	ag_table_free(t);
	ag_arena_free(a);
}

static void aggregates(void **state)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 2 };
	ag_arena *a = ag_arena_new();
	ag_table *t = load("{\"g\":\"x\",\"n\":1}\n{\"g\":\"y\",\"n\":5}\n{\"g\":\"x\",\"n\":3}\n",
	                   AG_FORMAT_NDJSON);
	const ag_pipeline *p;
	const ag_val *out;
	size_t n;
	ag_err err;

	(void)state;
	assert_int_equal(
		ag_pipeline_parse(AG_S("[{\"$match\":{\"n\":{\"$gt\":0}}},{\"$group\":{\"_id\":"
	                               "\"$g\",\"s\":{\"$sum\":\"$n\"}}},{\"$sort\":{\"_id\":1}}]"),
	                          a, &p, &err),
		AG_OK);
	assert_int_equal(ag_table_aggregate(t, &ctx, p, a, 10, &out, &n, &err), AG_OK);
	assert_int_equal(n, 2);
	assert_string_equal(ag_extjson_str(a, &out[0], AG_EXTJSON_RELAXED).ptr,
	                    "{\"_id\":\"x\",\"s\":4}");
	assert_string_equal(ag_extjson_str(a, &out[1], AG_EXTJSON_RELAXED).ptr,
	                    "{\"_id\":\"y\",\"s\":5}");
	assert_int_equal(ag_pipeline_parse(AG_S("[{\"$count\":\"n\"}]"), a, &p, &err), AG_OK);
	assert_int_equal(ag_table_aggregate(t, &ctx, p, a, 10, &out, &n, &err), AG_OK);
	assert_string_equal(ag_extjson_str(a, &out[0], AG_EXTJSON_RELAXED).ptr, "{\"n\":3}");
	ag_table_free(t);
	ag_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_definition),
		cmocka_unit_test(known_answers),
		cmocka_unit_test(wide_maps_and_chunks),
		cmocka_unit_test(aggregates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
