/* Pipelines: what they compute, what they refuse, their canonical form, paths, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/pipeline.h"

static const ag_extjson_opts typed = { .typed = true };

static const ag_pipeline *parse(ag_arena *arena, const char *text)
{
	const ag_pipeline *p;
	ag_err err = { 0 };

	if (ag_pipeline_parse(ag_str_c(text), arena, &p, &err))
		fail_msg("%s: %s", text, err.msg);
	return p;
}

/* Runs on the documents of a JSON array; the results as one JSON array. */
static ag_status run(ag_arena *arena, const char *docs, const ag_pipeline *p, bool skip_match,
                     ag_str *ret, ag_err *err)
{
	ag_pipeline_run *r = ag_pipeline_run_begin(p, skip_match);
	bool done = false;
	ag_val list, out;
	const ag_val *results;
	size_t n;
	ag_status st;

	st = ag_extjson_parse(ag_str_c(docs), &typed, arena, &list, NULL, NULL, err);
	for (uint32_t i = 0; !st && !done && i < list.n; i++) {
		/* The document dies right after the push. */
		ag_arena *one = ag_arena_new();
		ag_val doc = ag_val_dup(one, &list.u.items[i]);

		st = ag_pipeline_run_push(r, &doc, &done, err);
		ag_arena_free(one);
	}
	if (!st)
		st = ag_pipeline_run_end(r, arena, 1000, &results, &n, err);
	ag_pipeline_run_free(r);
	if (st)
		return st;
	out = ag_val_array(results, n);
	*ret = ag_extjson_str(arena, &out, AG_EXTJSON_RELAXED);
	return AG_OK;
}

static void check(const char *docs, const char *pipeline, const char *want)
{
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	const ag_pipeline *p = parse(arena, pipeline), *again;
	ag_buf text = AG_BUF_INIT(1 << 20), second = AG_BUF_INIT(1 << 20);
	ag_str got;

	if (run(arena, docs, p, false, &got, &err))
		fail_msg("%s: %s", pipeline, err.msg);
	if (!ag_str_eqc(got, want))
		fail_msg("%s\n on %s\n gave %.*s\n want %s", pipeline, docs, AG_FMT(got), want);
	/* The canonical form computes the same and is stable. */
	ag_pipeline_canonical(p, &text);
	again = parse(arena, text.ptr);
	ag_pipeline_canonical(again, &second);
	assert_string_equal(text.ptr, second.ptr);
	assert_true(ag_pipeline_hash(p) == ag_pipeline_hash(again));
	if (run(arena, docs, again, false, &got, &err) || !ag_str_eqc(got, want))
		fail_msg("canonical form %s gave %.*s", text.ptr, AG_FMT(got));
	ag_buf_release(&text);
	ag_buf_release(&second);
	ag_arena_free(arena);
}

#define ABC                                                                   \
	"[{\"_id\":1,\"p\":\"A\",\"x\":1},{\"_id\":2,\"p\":\"b\",\"x\":2.5}," \
	"{\"_id\":3,\"p\":\"a\",\"x\":4},{\"_id\":4,\"x\":\"t\"}]"

static void simple_stages(void **state)
{
	(void)state;
	check(ABC, "[]",
	      "[{\"_id\":1,\"p\":\"A\",\"x\":1},{\"_id\":2,\"p\":\"b\",\"x\":2.5},"
	      "{\"_id\":3,\"p\":\"a\",\"x\":4},{\"_id\":4,\"x\":\"t\"}]");
	check(ABC, "[{\"$match\":{\"x\":{\"$gt\":2}}},{\"$count\":\"n\"}]", "[{\"n\":2}]");
	check(ABC, "[{\"$match\":{\"x\":99}},{\"$count\":\"n\"}]", "[]");
	check("[]", "[{\"$count\":\"n\"}]", "[]");
	check(ABC, "[{\"$skip\":1},{\"$limit\":1},{\"$project\":{\"p\":1}}]",
	      "[{\"_id\":2,\"p\":\"b\"}]");
	check(ABC, "[{\"$limit\":2},{\"$count\":\"n\"}]", "[{\"n\":2}]");
	check("[{\"a\":{\"b\":1}}]", "[{\"$replaceRoot\":{\"newRoot\":\"$a\"}}]", "[{\"b\":1}]");
	check("[{\"a\":{\"b\":1}}]", "[{\"$replaceWith\":{\"c\":\"$a.b\"}}]", "[{\"c\":1}]");
}

static void groups(void **state)
{
	(void)state;
	check(ABC, "[{\"$group\":{\"_id\":null,\"n\":{\"$sum\":1},\"c\":{\"$count\":{}}}}]",
	      "[{\"_id\":null,\"n\":4,\"c\":4}]");
	check("[]", "[{\"$group\":{\"_id\":null,\"n\":{\"$sum\":1}}}]", "[]");
	/* Evidence of the catalogue: case variants. */
	check(ABC,
	      "[{\"$group\":{\"_id\":{\"$toLower\":\"$p\"},\"v\":{\"$addToSet\":\"$p\"},"
	      "\"n\":{\"$sum\":1}}},{\"$match\":{\"v.1\":{\"$exists\":true}}}]",
	      "[{\"_id\":\"a\",\"v\":[\"A\",\"a\"],\"n\":2}]");
	/* Duplicate keys. */
	check("[{\"p\":1},{\"p\":1.0},{\"p\":2},{\"p\":{\"$numberDecimal\":\"1.0\"}},{}]",
	      "[{\"$match\":{\"p\":{\"$ne\":null}}},{\"$group\":{\"_id\":\"$p\",\"n\":{\"$sum\":1}}},"
	      "{\"$match\":{\"n\":{\"$gt\":1}}},{\"$group\":{\"_id\":null,\"documents\":{\"$sum\":"
	      "\"$n\"},\"keys\":{\"$sum\":1}}}]",
	      "[{\"_id\":null,\"documents\":3,\"keys\":1}]");
	/* Functional dependency. */
	check("[{\"A\":1,\"B\":\"x\"},{\"A\":1,\"B\":\"x\"},{\"A\":1,\"B\":\"y\"},{\"A\":2,\"B\":"
	      "\"z\"}]",
	      "[{\"$group\":{\"_id\":{\"a\":\"$A\",\"b\":\"$B\"},\"n\":{\"$sum\":1}}},{\"$sort\":"
	      "{\"n\":-1}},{\"$group\":{\"_id\":\"$_id.a\",\"tot\":{\"$sum\":\"$n\"},\"top\":{\"$first\":"
	      "\"$n\"},\"b\":{\"$push\":\"$_id.b\"}}},{\"$match\":{\"b.1\":{\"$exists\":true}}}]",
	      "[{\"_id\":1,\"tot\":3,\"top\":2,\"b\":[\"x\",\"y\"]}]");
	check(ABC,
	      "[{\"$group\":{\"_id\":null,\"min\":{\"$min\":\"$x\"},\"max\":{\"$max\":\"$x\"},"
	      "\"avg\":{\"$avg\":\"$x\"},\"sum\":{\"$sum\":\"$x\"},\"f\":{\"$first\":\"$p\"},"
	      "\"l\":{\"$last\":\"$p\"}}}]",
	      "[{\"_id\":null,\"min\":1,\"max\":\"t\",\"avg\":2.5,\"sum\":7.5,\"f\":\"A\",\"l\":null}]");
	check("[{},{\"p\":null}]",
	      "[{\"$group\":{\"_id\":\"$p\",\"n\":{\"$sum\":1},\"v\":{\"$push\":"
	      "\"$p\"},\"s\":{\"$addToSet\":\"$p\"},\"m\":{\"$min\":\"$p\"},"
	      "\"a\":{\"$avg\":\"$p\"}}}]",
	      "[{\"_id\":null,\"n\":2,\"v\":[null],\"s\":[null],\"m\":null,\"a\":null}]");
	check("[{\"a\":1}]", "[{\"$group\":{\"_id\":{\"a\":\"$a\",\"b\":\"$b\"}}}]",
	      "[{\"_id\":{\"a\":1}}]");
	check(ABC, "[{\"$sortByCount\":{\"$toLower\":\"$p\"}}]",
	      "[{\"_id\":\"a\",\"count\":2},{\"_id\":\"\",\"count\":1},{\"_id\":\"b\",\"count\":1}]");
	/* Counting by condition, as one scan for many hypotheses does. */
	check(ABC,
	      "[{\"$group\":{\"_id\":null,\"h\":{\"$sum\":{\"$cond\":[{\"$isNumber\":\"$x\"},1,0]}}"
	      "}}]",
	      "[{\"_id\":null,\"h\":3}]");
}

static void sums_are_exact(void **state)
{
	(void)state;
	check("[{\"x\":9007199254740993},{\"x\":1},{\"x\":1}]",
	      "[{\"$group\":{\"_id\":null,\"s\":{\"$sum\":\"$x\"}}}]",
	      "[{\"_id\":null,\"s\":9007199254740995}]");
	check("[{\"x\":9223372036854775807},{\"x\":1}]",
	      "[{\"$group\":{\"_id\":null,\"s\":{\"$sum\":\"$x\"}}}]",
	      "[{\"_id\":null,\"s\":9223372036854776000.0}]");
	check("[{\"x\":9223372036854775807},{\"x\":1},{\"x\":-1}]",
	      "[{\"$group\":{\"_id\":null,\"s\":{\"$sum\":\"$x\"}}}]",
	      "[{\"_id\":null,\"s\":9223372036854775807}]");
	check("[{\"x\":1e16},{\"x\":1.0},{\"x\":-1e16},{\"x\":0.1},{\"x\":0.2}]",
	      "[{\"$group\":{\"_id\":null,\"s\":{\"$sum\":\"$x\"}}}]",
	      "[{\"_id\":null,\"s\":1.3}]");
	check("[{\"x\":1e308},{\"x\":1e308}]",
	      "[{\"$group\":{\"_id\":null,\"s\":{\"$sum\":\"$x\"}}}]",
	      "[{\"_id\":null,\"s\":{\"$numberDouble\":\"Infinity\"}}]");
	check("[{\"x\":{\"$numberDecimal\":\"0.1\"}},{\"x\":{\"$numberDecimal\":\"0.2\"}},{\"x\":1},"
	      "{\"x\":0.5}]",
	      "[{\"$group\":{\"_id\":null,\"s\":{\"$sum\":\"$x\"},\"a\":{\"$avg\":\"$x\"}}}]",
	      "[{\"_id\":null,\"s\":{\"$numberDecimal\":\"1.8\"},\"a\":{\"$numberDecimal\":\"0.45\"}}]");
}

static void sorting(void **state)
{
	(void)state;
	check("[{\"a\":2},{\"a\":\"x\"},{},{\"a\":1},{\"a\":null},{\"a\":[]},{\"a\":[0,9]}]",
	      "[{\"$sort\":{\"a\":1}}]",
	      "[{\"a\":[]},{},{\"a\":null},{\"a\":[0,9]},{\"a\":1},{\"a\":2},{\"a\":\"x\"}]");
	check("[{\"a\":2},{\"a\":[0,9]},{\"a\":5}]", "[{\"$sort\":{\"a\":-1}}]",
	      "[{\"a\":[0,9]},{\"a\":5},{\"a\":2}]");
	check("[{\"a\":1,\"b\":1},{\"a\":2,\"b\":2},{\"a\":1,\"b\":3}]",
	      "[{\"$sort\":{\"a\":1,\"b\":-1}}]",
	      "[{\"a\":1,\"b\":3},{\"a\":1,\"b\":1},{\"a\":2,\"b\":2}]");
	/* An element that is no object has no such member; an index picks one element and nothing else. */
	check("[{\"a\":{\"b\":1}},{\"a\":[5,{\"b\":9}]}]", "[{\"$sort\":{\"a.b\":1}}]",
	      "[{\"a\":[5,{\"b\":9}]},{\"a\":{\"b\":1}}]");
	check("[{\"a\":[{\"b\":2},{\"b\":0}]},{\"a\":[{\"b\":1}]}]", "[{\"$sort\":{\"a.0.b\":1}}]",
	      "[{\"a\":[{\"b\":1}]},{\"a\":[{\"b\":2},{\"b\":0}]}]");
	check("[{\"a\":[[1,2]]},{\"a\":[\"x\"]},{\"a\":[[]]}]", "[{\"$sort\":{\"a.0\":1}}]",
	      "[{\"a\":[[]]},{\"a\":[\"x\"]},{\"a\":[[1,2]]}]");
	check("[{\"a\":[{\"b\":3},{\"b\":1}]},{\"a\":{\"b\":2}}]", "[{\"$sort\":{\"a.b\":1}}]",
	      "[{\"a\":[{\"b\":3},{\"b\":1}]},{\"a\":{\"b\":2}}]");
	check("[{\"a\":3},{\"a\":1},{\"a\":2}]",
	      "[{\"$sort\":{\"a\":1}},{\"$skip\":1},{\"$limit\":1}]", "[{\"a\":2}]");
}

/* Many documents and a small limit: the state is cut again and again, the result is the same. */
static void sort_with_limit_keeps_little(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_pipeline_run *r = ag_pipeline_run_begin(
		parse(arena, "[{\"$sort\":{\"k\":1}},{\"$limit\":3}]"), false);
	const ag_val *results;
	bool done = false;
	ag_err err;
	size_t n;

	(void)state;
	for (int64_t i = 0; i < 20000; i++) {
		ag_member m[2] = { { AG_S("k"), ag_val_int(i * 7919 % 20011) },
			           { AG_S("i"), ag_val_int(i) } };
		ag_val doc = ag_val_object(m, 2);

		assert_int_equal(ag_pipeline_run_push(r, &doc, &done, &err), AG_OK);
	}
	assert_int_equal(ag_pipeline_run_end(r, arena, 10, &results, &n, &err), AG_OK);
	assert_int_equal(n, 3);
	for (size_t i = 1; i < n; i++)
		assert_true(ag_val_cmp(ag_val_getc(&results[i - 1], "k"),
		                       ag_val_getc(&results[i], "k")) < 0);
	assert_int_equal(ag_val_getc(&results[0], "i")->u.i, 0);
	ag_pipeline_run_free(r);
	ag_arena_free(arena);
}

#define NESTED \
	"[{\"_id\":7,\"a\":{\"b\":1,\"c\":2},\"l\":[{\"x\":1,\"y\":2},5,{\"x\":3}],\"s\":\"t\"}]"

static void projections(void **state)
{
	(void)state;
	check(NESTED, "[{\"$project\":{\"a.b\":1}}]", "[{\"_id\":7,\"a\":{\"b\":1}}]");
	check(NESTED, "[{\"$project\":{\"_id\":0,\"a\":{\"c\":1}}}]", "[{\"a\":{\"c\":2}}]");
	check(NESTED, "[{\"$project\":{\"_id\":0,\"l.x\":1}}]", "[{\"l\":[{\"x\":1},{\"x\":3}]}]");
	check(NESTED, "[{\"$project\":{\"a\":0,\"l.x\":0}}]",
	      "[{\"_id\":7,\"l\":[{\"y\":2},5,{}],\"s\":\"t\"}]");
	check(NESTED, "[{\"$project\":{\"_id\":0}},{\"$project\":{\"s\":1}}]", "[{\"s\":\"t\"}]");
	check(NESTED,
	      "[{\"$project\":{\"_id\":0,\"n\":{\"$add\":[\"$a.b\",\"$a.c\"]},\"k\":\"$s\","
	      "\"q\":\"$none\",\"five\":{\"$literal\":5}}}]",
	      "[{\"n\":3,\"k\":\"t\",\"five\":5}]");
	check(NESTED, "[{\"$project\":{\"_id\":0,\"s.x\":1}}]", "[{}]");
	check(NESTED,
	      "[{\"$project\":{\"s\":1}},{\"$addFields\":{\"n\":5,\"d.e\":\"$s\",\"s\":\"u\"}}]",
	      "[{\"_id\":7,\"s\":\"u\",\"n\":5,\"d\":{\"e\":\"t\"}}]");
	check(NESTED, "[{\"$project\":{\"l\":1,\"_id\":0}},{\"$set\":{\"l.z\":9}}]",
	      "[{\"l\":[{\"x\":1,\"y\":2,\"z\":9},{\"z\":9},{\"x\":3,\"z\":9}]}]");
	check(NESTED, "[{\"$unset\":[\"a\",\"l\",\"_id\"]}]", "[{\"s\":\"t\"}]");
	check("[{\"p\":{\"k1\":1,\"k2\":2}},{\"p\":{\"k3\":3}}]",
	      "[{\"$project\":{\"n\":{\"$size\":{\"$objectToArray\":\"$p\"}}}}]",
	      "[{\"n\":2},{\"n\":1}]");
}

static void unwinding(void **state)
{
	(void)state;
	check("[{\"a\":[1,2]},{\"a\":[]},{\"a\":null},{},{\"a\":5}]", "[{\"$unwind\":\"$a\"}]",
	      "[{\"a\":1},{\"a\":2},{\"a\":5}]");
	check("[{\"a\":[1,2]},{\"a\":[]},{\"a\":null},{},{\"a\":5}]",
	      "[{\"$unwind\":{\"path\":\"$a\",\"preserveNullAndEmptyArrays\":true,"
	      "\"includeArrayIndex\":\"i\"}}]",
	      "[{\"a\":1,\"i\":0},{\"a\":2,\"i\":1},{\"i\":null},{\"a\":null,\"i\":null},{\"i\":null},"
	      "{\"a\":5,\"i\":null}]");
	check("[{\"o\":{\"l\":[{\"k\":\"x\",\"q\":1},{\"k\":\"y\",\"q\":2}],\"z\":0}}]",
	      "[{\"$unwind\":\"$o.l\"},{\"$group\":{\"_id\":\"$o.l.k\",\"q\":{\"$sum\":\"$o.l.q\"}}}]",
	      "[{\"_id\":\"x\",\"q\":1},{\"_id\":\"y\",\"q\":2}]");
	check("[{\"a\":[1,2,3]},{\"a\":[4]}]", "[{\"$unwind\":\"$a\"},{\"$limit\":2}]",
	      "[{\"a\":1},{\"a\":2}]");
}

static void bad_pipelines_are_refused(void **state)
{
	static const struct {
		const char *text;
		ag_status status;
		const char *part;
	} cases[] = {
		{ "{}", AG_INVALID, "array of stages" },
		{ "[5]", AG_INVALID, "stage 0" },
		{ "[{\"$match\":{},\"$limit\":1}]", AG_INVALID, "one key" },
		{ "[{\"$mtch\":{}}]", AG_INVALID, "did you mean \"$match\"" },
		{ "[{\"$limit\":1},{\"$out\":\"x\"}]", AG_DENIED, "stage 1: $out is refused" },
		{ "[{\"$merge\":{\"into\":\"x\"}}]", AG_DENIED, "writes" },
		{ "[{\"$lookup\":{\"from\":\"x\"}}]", AG_INVALID, "joins are not run here" },
		{ "[{\"$match\":{\"a\":{\"$gtt\":1}}}]", AG_INVALID, "stage 0 ($match): at a:" },
		{ "[{\"$match\":{\"$where\":\"1\"}}]", AG_DENIED, "runs code" },
		{ "[{\"$limit\":0}]", AG_INVALID, "1 or more" },
		{ "[{\"$skip\":-1}]", AG_INVALID, "0 or more" },
		{ "[{\"$count\":\"a.b\"}]", AG_INVALID, "name of the result" },
		{ "[{\"$group\":{\"n\":{\"$sum\":1}}}]", AG_INVALID, "_id" },
		{ "[{\"$group\":{\"_id\":1,\"n\":{\"$summ\":1}}}]", AG_INVALID,
		  "did you mean \"$sum\"" },
		{ "[{\"$group\":{\"_id\":1,\"n\":5}}]", AG_INVALID, "accumulator" },
		{ "[{\"$group\":{\"_id\":1,\"n.x\":{\"$sum\":1}}}]", AG_INVALID, "name may not" },
		{ "[{\"$group\":{\"_id\":1,\"n\":{\"$accumulator\":{}}}}]", AG_DENIED,
		  "runs code" },
		{ "[{\"$group\":{\"_id\":{\"$function\":{}}}}]", AG_DENIED, "runs code" },
		{ "[{\"$sort\":{}}]", AG_INVALID, "1 to 32 keys" },
		{ "[{\"$sort\":{\"a\":2}}]", AG_INVALID, "1 or -1" },
		{ "[{\"$unwind\":\"a\"}]", AG_INVALID, "$items" },
		{ "[{\"$unwind\":{\"path\":\"$a\",\"x\":1}}]", AG_INVALID, "unknown option" },
		{ "[{\"$project\":{}}]", AG_INVALID, "at least one field" },
		{ "[{\"$project\":{\"a\":1,\"b\":0}}]", AG_INVALID, "both included and excluded" },
		{ "[{\"$project\":{\"a\":1,\"a.b\":1}}]", AG_INVALID, "collides" },
		{ "[{\"$project\":{\"a.b\":1,\"a\":1}}]", AG_INVALID, "collides" },
		{ "[{\"$replaceRoot\":\"$a\"}]", AG_INVALID, "newRoot" },
		{ "[{\"$unset\":5}]", AG_INVALID, "field path" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_arena *arena = ag_arena_new();
		const ag_pipeline *p;
		ag_err err = { 0 };
		ag_status st = ag_pipeline_parse(ag_str_c(cases[i].text), arena, &p, &err);

		if (st != cases[i].status || err.status != st || !strstr(err.msg, cases[i].part))
			fail_msg("%s: %d %s", cases[i].text, (int)st, err.msg);
		ag_arena_free(arena);
	}
}

static void an_operator_that_cannot_work_fails_the_run(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_str got;

	(void)state;
	assert_int_equal(run(arena, "[{\"p\":{}}]",
	                     parse(arena, "[{\"$group\":{\"_id\":{\"$toLower\":\"$p\"}}}]"), false,
	                     &got, &err),
	                 AG_INVALID);
	assert_non_null(strstr(err.msg, "$toLower"));
	assert_int_equal(run(arena, "[{\"p\":5}]",
	                     parse(arena, "[{\"$replaceRoot\":{\"newRoot\":\"$p\"}}]"), false, &got,
	                     &err),
	                 AG_INVALID);
	ag_arena_free(arena);
}

static void a_leading_match_can_be_done_elsewhere(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_pipeline *p = parse(arena, "[{\"$match\":{\"a\":1}},{\"$count\":\"n\"}]");
	ag_val doc = ag_val_object(NULL, 0);
	ag_err err;
	ag_str got;

	(void)state;
	assert_non_null(ag_pipeline_leading_match(p));
	assert_false(ag_filter_match(ag_pipeline_leading_match(p), &doc));
	assert_int_equal(run(arena, "[{},{}]", p, true, &got, &err), AG_OK);
	assert_true(ag_str_eqc(got, "[{\"n\":2}]"));
	assert_int_equal(run(arena, "[{},{}]", p, false, &got, &err), AG_OK);
	assert_true(ag_str_eqc(got, "[]"));
	assert_null(ag_pipeline_leading_match(parse(arena, "[{\"$count\":\"n\"}]")));
	ag_arena_free(arena);
}

/* pipeline | paths with one blank between, "*" = the whole document */
static const char *const uses[][2] = {
	{ "[]", "*" },
	{ "[{\"$match\":{\"a\":1}}]", "a *" },
	{ "[{\"$match\":{\"a\":1}},{\"$count\":\"n\"}]", "a" },
	{ "[{\"$group\":{\"_id\":\"$a.b\",\"n\":{\"$sum\":\"$c\"}}},{\"$sort\":{\"n\":1}}]",
	  "a.b c" },
	{ "[{\"$project\":{\"x\":1,\"y.z\":\"$w\"}}]", "_id x w" },
	{ "[{\"$project\":{\"x\":0}}]", "*" },
	{ "[{\"$unwind\":\"$l\"},{\"$addFields\":{\"n\":\"$l.q\"}},{\"$count\":\"n\"}]", "l l.q" },
	{ "[{\"$group\":{\"_id\":\"$$ROOT\"}}]", "*" },
	{ "[{\"$sort\":{\"a\":1}},{\"$limit\":1},{\"$replaceWith\":\"$b\"}]", "a b" },
};

static void pipelines_name_their_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(uses); i++) {
		ag_arena *arena = ag_arena_new();
		ag_buf out = AG_BUF_INIT(1000);
		const ag_str *paths;
		bool whole;
		size_t n;

		ag_pipeline_paths(parse(arena, uses[i][0]), arena, &paths, &n, &whole);
		for (size_t k = 0; k < n + whole; k++) {
			if (k)
				ag_buf_addc(&out, ' ');
			ag_buf_add(&out, k < n ? paths[k] : AG_S("*"));
		}
		if (!ag_str_eqc(ag_buf_view(&out), uses[i][1]))
			fail_msg("%s: %.*s", uses[i][0], AG_FMT(ag_buf_view(&out)));
		ag_buf_release(&out);
		ag_arena_free(arena);
	}
}

static void equal_pipelines_hash_equal(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_pipeline *a = parse(arena, "[{\"$match\":{\"b\":1,\"a\":{\"$eq\":2.0}}},"
	                                    "{\"$set\":{\"n\":{\"$size\":[\"$l\"]}}}]");
	const ag_pipeline *b = parse(arena, "[{\"$match\":{\"a\":2,\"b\":1}},"
	                                    "{\"$addFields\":{\"n\":{\"$size\":\"$l\"}}}]");
	const ag_pipeline *c = parse(arena, "[{\"$match\":{\"a\":2,\"b\":1}}]");

	(void)state;
	assert_true(ag_pipeline_hash(a) == ag_pipeline_hash(b));
	assert_false(ag_pipeline_hash(a) == ag_pipeline_hash(c));
	ag_arena_free(arena);
}

static void results_and_groups_are_limited(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_val *results;
	bool done = false;
	ag_err err = { 0 };
	size_t n;

	(void)state;
	for (int blocking = 0; blocking < 2; blocking++) {
		ag_pipeline_run *r = ag_pipeline_run_begin(
			parse(arena, blocking ? "[{\"$group\":{\"_id\":\"$i\"}}]" : "[]"), false);

		for (int64_t i = 0; i < 11; i++) {
			ag_member m = { AG_S("i"), ag_val_int(i) };
			ag_val doc = ag_val_object(&m, 1);

			assert_int_equal(ag_pipeline_run_push(r, &doc, &done, &err), AG_OK);
		}
		assert_int_equal(ag_pipeline_run_end(r, arena, 10, &results, &n, &err), AG_LIMIT);
		ag_pipeline_run_free(r);
	}
	ag_arena_free(arena);
}

static void limit_says_when_it_has_enough(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_pipeline_run *r = ag_pipeline_run_begin(parse(arena, "[{\"$limit\":2}]"), false);
	ag_val doc = ag_val_object(NULL, 0);
	bool done = true;
	ag_err err;

	(void)state;
	assert_int_equal(ag_pipeline_run_push(r, &doc, &done, &err), AG_OK);
	assert_false(done);
	assert_int_equal(ag_pipeline_run_push(r, &doc, &done, &err), AG_OK);
	assert_true(done);
	ag_pipeline_run_free(r);
	ag_arena_free(arena);
}

/* $addToSet, $last and $max over many values: right, and without piling up memory. */
static void accumulators_hold_what_they_need(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_pipeline_run *r = ag_pipeline_run_begin(
		parse(arena,
	              "[{\"$group\":{\"_id\":null,\"s\":{\"$addToSet\":\"$m\"},\"l\":{\"$last\":"
	              "\"$o\"},\"x\":{\"$max\":\"$t\"}}}]"),
		false);
	const ag_val *results;
	bool done;
	ag_err err;
	size_t n;

	(void)state;
	for (int64_t i = 0; i < 3000; i++) {
		ag_arena *one = ag_arena_new();
		ag_val item = ag_val_int(i);
		ag_member m[3] = { { AG_S("m"), ag_val_int(i % 100) },
			           { AG_S("o"), ag_val_array(&item, 1) },
			           { AG_S("t"), ag_val_str(ag_str_printf(one, "t%05d", (int)i)) } };
		ag_val doc = ag_val_object(m, 3);

		assert_int_equal(ag_pipeline_run_push(r, &doc, &done, &err), AG_OK);
		ag_arena_free(one);
	}
	assert_int_equal(ag_pipeline_run_end(r, arena, 10, &results, &n, &err), AG_OK);
	ag_pipeline_run_free(r);
	assert_int_equal(n, 1);
	assert_int_equal(ag_val_getc(&results[0], "s")->n, 100);
	assert_int_equal(ag_val_getc(&results[0], "s")->u.items[99].u.i, 99);
	assert_int_equal(ag_val_getc(&results[0], "l")->u.items[0].u.i, 2999);
	assert_memory_equal(ag_val_getc(&results[0], "x")->u.s, "t02999", 6);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simple_stages),
		cmocka_unit_test(groups),
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(sorting),
		cmocka_unit_test(sort_with_limit_keeps_little),
		cmocka_unit_test(projections),
		cmocka_unit_test(unwinding),
		cmocka_unit_test(bad_pipelines_are_refused),
		cmocka_unit_test(an_operator_that_cannot_work_fails_the_run),
		cmocka_unit_test(a_leading_match_can_be_done_elsewhere),
		cmocka_unit_test(pipelines_name_their_paths),
		cmocka_unit_test(equal_pipelines_hash_equal),
		cmocka_unit_test(results_and_groups_are_limited),
		cmocka_unit_test(limit_says_when_it_has_enough),
		cmocka_unit_test(accumulators_hold_what_they_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
