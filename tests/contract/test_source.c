/* The contract of documents/source.h: finding, counting, what is refused, and threads.
 *
 * Expected answers stand beside the questions once, so all sources give the same. */
#include "contract/source_fixtures.h"

#include <pthread.h>

static void find(env *e, const char *filter, uint64_t limit, ag_found *ret)
{
	ag_val q = source_query_of(e, filter);
	ag_status st = ag_source_find(e->source, NULL, e->arena, &q, limit, ret, &e->err);

	if (st)
		fail_msg("%s: %s", filter, e->err.msg);
}

static uint64_t count(env *e, const char *filter)
{
	ag_val q = source_query_of(e, filter);
	uint64_t n;

	if (ag_source_count(e->source, NULL, e->arena, &q, &n, &e->err))
		fail_msg("%s: %s", filter, e->err.msg);
	return n;
}

/* --- what it is ---------------------------------------------------------------------------------- */

static void test_info(void **state)
{
	env *e = *state;
	const ag_source_info *info;

	source_open_flat(e);
	info = ag_source_info_of(e->source);
	assert_int_equal(info->ndoc, NFLAT);
	assert_true(ag_str_eqc(info->collection, "people"));
	assert_true(info->key.len > 0);
	assert_int_equal(info->broken, 0);
	assert_int_equal(info->nissue, 0);
	assert_true(e->source->type->is_shared || !info->whole);
	assert_int_equal(ag_source_calls(e->source), 0);
	assert_int_equal(count(e, "{}"), NFLAT);
	assert_int_equal(ag_source_calls(e->source), 1);
}

/* --- find and count ------------------------------------------------------------------------------ */

static void test_find_limits(void **state)
{
	env *e = *state;
	ag_found f;
	ag_val q;

	source_open_people(e);
	find(e, "{\"profile.city\":{\"$exists\":true}}", 2, &f);
	assert_int_equal(f.matched, 6);
	assert_int_equal(f.ndoc, 2);
	source_assert_text(e, &f.docs[0], source_people[0]);
	source_assert_text(e, &f.docs[1], source_people[1]);
	find(e, "{\"name\":\"Alice\"}", 10, &f);
	assert_int_equal(f.matched, 1);
	assert_int_equal(f.ndoc, 1);
	find(e, "{\"name\":\"Nobody\"}", 10, &f);
	assert_int_equal(f.matched, 0);
	assert_int_equal(f.ndoc, 0);
	q = source_query_of(e, "{}");
	source_assert_err(e, ag_source_find(e->source, NULL, e->arena, &q, 0, &f, &e->err),
	                  AG_INVALID, "positive");
	assert_int_equal(ag_source_find(e->source, NULL, e->arena, NULL, 3, &f, &e->err), AG_OK);
	assert_int_equal(f.matched, 7);
}

static void test_find_is_clamped(void **state)
{
	env *e = *state;
	ag_val *docs = ag_new_n(e->arena, ag_val, 1500);
	ag_found f;

	for (int i = 0; i < 1500; i++) {
		ag_member *m = ag_new(e->arena, ag_member);

		*m = (ag_member){ AG_S("i"), ag_val_int(i) };
		docs[i] = ag_val_object(m, 1);
	}
	source_open_vals(e, docs, 1500);
	find(e, "{}", 10000, &f);
	assert_int_equal(f.matched, 1500);
	assert_int_equal(f.ndoc, AG_FIND_LIMIT_MAX);
	find(e, "{\"i\":{\"$gte\":1490}}", UINT64_MAX, &f);
	assert_int_equal(f.ndoc, 10);
}

static void test_where(void **state)
{
	env *e = *state;
	ag_found f;

	source_open_flat(e);
	if (!e->fixture->fourth)
		skip();
	find(e, "{\"age\":{\"$lt\":0}}", 5, &f);
	assert_int_equal(f.ndoc, 1);
	assert_string_equal(ag_str_cstr(e->arena, f.where[0]), e->fixture->fourth);
}

static void test_same_answers(void **state)
{
	static const struct {
		const char *filter;
		uint64_t n;
	} questions[] = {
		{ "{}", 6 },
		{ "{\"age\":null}", 1 },
		{ "{\"note\":null}", 3 },
		{ "{\"note\":{\"$exists\":false}}", 2 },
		{ "{\"age\":{\"$lt\":0}}", 1 },
		{ "{\"age\":{\"$gt\":150}}", 1 },
		{ "{\"age\":{\"$not\":{\"$gt\":0}}}", 2 },
		{ "{\"age\":{\"$in\":[25,30]}}", 3 },
		{ "{\"age\":9007199254740993}", 1 },
		{ "{\"age\":9007199254740992}", 0 },
		{ "{\"name\":{\"$regex\":\"^a\",\"$options\":\"i\"}}", 2 },
		{ "{\"name\":\"\"}", 1 },
		{ "{\"name\":\"Bob \\\"B\\\"\"}", 1 },
		{ "{\"name\":\"D\\u00f6rte\"}", 1 },
		{ "{\"name\":{\"$type\":\"string\"}}", 6 },
		{ "{\"active\":true}", 4 },
		{ "{\"score\":{\"$gte\":1.5}}", 3 },
		{ "{\"score\":{\"$type\":\"double\"}}", 5 },
		{ "{\"joined\":{\"$gte\":{\"$date\":\"2026-01-01T00:00:00Z\"}}}", 3 },
		{ "{\"$or\":[{\"age\":30},{\"active\":false}]}", 3 },
		{ "{\"$nor\":[{\"age\":30},{\"active\":false}]}", 3 },
		{ "{\"$expr\":{\"$gt\":[\"$score\",\"$age\"]}}", 2 },
		{ "{\"id\":{\"$mod\":[2,0]}}", 3 },
	};
	env *e = *state;

	source_open_flat(e);
	for (size_t i = 0; i < AG_NELEM(questions); i++) {
		uint64_t n = count(e, questions[i].filter);

		if (n != questions[i].n)
			fail_msg("%s: %llu, want %llu", questions[i].filter, (unsigned long long)n,
			         (unsigned long long)questions[i].n);
	}
}

static void test_query_as_text(void **state)
{
	env *e = *state;
	ag_val q = ag_val_str(AG_S("{\"age\": {\"$lt\": 0}}"));
	const ag_val *docs;
	size_t ndoc;
	uint64_t n;

	source_open_flat(e);
	assert_int_equal(ag_source_count(e->source, NULL, e->arena, &q, &n, &e->err), AG_OK);
	assert_int_equal(n, 1);
	q = ag_val_str(AG_S("[{\"$match\":{\"active\":true}},{\"$count\":\"n\"}]"));
	assert_int_equal(ag_source_aggregate(e->source, NULL, e->arena, &q, 1, &docs, &ndoc,
	                                     &e->err),
	                 AG_OK);
	assert_int_equal(ndoc, 1);
	source_assert_text(e, &docs[0], "{\"n\":4}");
	q = ag_val_str(AG_S("age > 150"));
	assert_int_equal(ag_source_count(e->source, NULL, e->arena, &q, &n, &e->err), AG_INVALID);
}

/* --- refusals ------------------------------------------------------------------------------------ */

static void test_guard(void **state)
{
	static const struct {
		const char *query;
		ag_status status;
		const char *part;
	} refused[] = {
		{ "{\"$where\":\"sleep(1000)\"}", AG_DENIED, "$where" },
		{ "{\"a\":{\"$where\":\"1\"}}", AG_DENIED, "$where" },
		{ "{\"$and\":[{\"a\":1},{\"$where\":\"1\"}]}", AG_DENIED, "$where" },
		{ "{\"$expr\":{\"$function\":{\"body\":\"\",\"args\":[],\"lang\":\"js\"}}}",
		  AG_DENIED, "$function" },
		{ "{\"age\":{\"$gtt\":1}}", AG_INVALID, "$gtt" },
		{ "{\"$foo\":1}", AG_INVALID, "$foo" },
		{ "[{\"$out\":\"x\"}]", AG_DENIED, "$out" },
		{ "[{\"$match\":{}},{\"$merge\":{\"into\":\"x\"}}]", AG_DENIED, "$merge" },
		{ "[{\"$match\":{\"$where\":\"1\"}}]", AG_DENIED, "$where" },
		{ "[{\"$matsch\":{}}]", AG_INVALID, "$matsch" },
	};
	env *e = *state;
	const ag_val *docs;
	ag_evidence ev;
	ag_found f;
	size_t ndoc;
	uint64_t calls;

	source_open_flat(e);
	calls = ag_source_calls(e->source);
	for (size_t i = 0; i < AG_NELEM(refused); i++) {
		ag_val q = source_query_of(e, refused[i].query);
		ag_status st;

		if (q.type == AG_T_OBJECT)
			st = ag_source_find(e->source, NULL, e->arena, &q, 1, &f, &e->err);
		else
			st = ag_source_aggregate(e->source, NULL, e->arena, &q, 1, &docs, &ndoc,
			                         &e->err);
		source_assert_err(e, st, refused[i].status, refused[i].part);
		source_assert_err(e,
		                  ag_source_evidence(e->source, NULL, e->arena,
		                                     ag_str_c(refused[i].query), &ev, &e->err),
		                  refused[i].status, refused[i].part);
	}
	/* nothing of it reached the source */
	assert_int_equal(ag_source_calls(e->source), calls);
}

static void test_wrong_kind(void **state)
{
	env *e = *state;
	ag_val filter = source_query_of(e, "{}"), pipeline = source_query_of(e, "[]"),
	       number = ag_val_int(1);
	const ag_val *docs;
	ag_found f;
	size_t n;

	source_open_flat(e);
	source_assert_err(e, ag_source_find(e->source, NULL, e->arena, &pipeline, 1, &f, &e->err),
	                  AG_INVALID, "filter");
	source_assert_err(e, ag_source_find(e->source, NULL, e->arena, &number, 1, &f, &e->err),
	                  AG_INVALID, "filter");
	source_assert_err(
		e, ag_source_aggregate(e->source, NULL, e->arena, &filter, 1, &docs, &n, &e->err),
		AG_INVALID, "pipeline");
	source_assert_err(
		e, ag_source_aggregate(e->source, NULL, e->arena, &pipeline, 0, &docs, &n, &e->err),
		AG_INVALID, "positive");
}

static void test_cancel(void **state)
{
	env *e = *state;
	atomic_bool cancel = true;
	ag_ctx ctx = { .clock = &ag_clock_system, .cancel = &cancel, .nthread = 1 };
	ag_ctx late = { .clock = &ag_clock_system, .deadline_ms = 1, .nthread = 1 };
	ag_val q = source_query_of(e, "{}");
	ag_profile p;
	ag_survey s;
	uint64_t n;

	source_open_flat(e);
	assert_int_equal(ag_source_count(e->source, &ctx, e->arena, &q, &n, &e->err), AG_CANCELLED);
	assert_int_equal(ag_source_count(e->source, &late, e->arena, &q, &n, &e->err), AG_TIMEOUT);
	assert_int_equal(ag_source_profile(e->source, &ctx, e->arena, &p, &e->err), AG_CANCELLED);
	assert_int_equal(ag_source_survey(e->source, &late, e->arena, 1, 1, &s, &e->err),
	                 AG_TIMEOUT);
}

/* --- marks --------------------------------------------------------------------------------------- */

static void test_marks(void **state)
{
	env *e = *state;
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 2 };
	ag_val adults = source_query_of(e, "{\"age\":{\"$gte\":18}}"),
	       nobody = source_query_of(e, "{\"age\":{\"$lt\":-1000}}"),
	       wrong = source_query_of(e, "[{\"$match\":{}}]");
	const ag_val *both[] = { &nobody, &adults }, *bad[] = { &wrong };
	ag_source_mark m = { .filters = both, .nfilter = 2 };
	uint64_t marked = 0, all = 0;
	ag_profile p;

	source_open_flat(e);
	assert_int_equal(ag_source_profile(e->source, &ctx, e->arena, &p, &e->err), AG_OK);
	m.f = ag_profile_find(&p, AG_S("age"));
	assert_non_null(m.f);
	assert_non_null(m.f->num.histogram);
	assert_int_equal(ag_source_marks(e->source, &ctx, e->arena, &m, 1, &e->err), AG_OK);
	for (unsigned i = 0; i < m.f->num.histogram->nbar; i++) {
		assert_true(m.ret.num.counts[i] <= m.f->num.histogram->counts[i]);
		marked += m.ret.num.counts[i];
		all += m.f->num.histogram->counts[i];
	}
	marked += m.ret.num.below + m.ret.num.above;
	all += m.f->num.histogram->below + m.f->num.histogram->above;
	assert_int_equal(marked, count(e, "{\"age\":{\"$gte\":18}}"));
	assert_int_equal(all, m.f->num.n);
	assert_true(marked > 0);
	m.filters = bad;
	m.nfilter = 1;
	source_assert_err(e, ag_source_marks(e->source, &ctx, e->arena, &m, 1, &e->err), AG_INVALID,
	                  "want a filter");
}

/* --- threads ------------------------------------------------------------------------------------- */

static void *ask(void *arg)
{
	ag_source *s = arg;
	ag_arena *arena = ag_arena_new();
	bool ok = true;

	for (int i = 0; i < 20 && ok; i++) {
		ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
		ag_val q = ag_val_str(AG_S("{\"name\":{\"$regex\":\"^a\",\"$options\":\"i\"}}"));
		ag_evidence ev = { 0 };
		ag_profile p = { 0 };
		ag_survey sv = { 0 };
		ag_found f = { 0 };
		ag_val v = { 0 };
		uint64_t n = 0;

		ok = !ag_source_find(s, &ctx, arena, &q, 10, &f, NULL) && f.ndoc == 2 &&
		     !ag_source_count(s, &ctx, arena, &q, &n, NULL) && n == 2 &&
		     !ag_source_stat(s, &ctx, arena,
		                     &(ag_stat_question){ .field = AG_S("age"), .op = AG_STAT_MIN },
		                     &v, NULL, NULL) &&
		     v.u.i == -3 &&
		     !ag_source_evidence(s, &ctx, arena, AG_S("{\"active\":true}"), &ev, NULL) &&
		     ev.affected == 4 &&
		     !ag_source_survey(s, &ctx, arena, 3, (uint64_t)i, &sv, NULL) &&
		     sv.surveyed == 3 && !ag_source_profile(s, &ctx, arena, &p, NULL) &&
		     p.ndoc == 6;
		ag_arena_reset(arena);
	}
	ag_arena_free(arena);
	return ok ? s : NULL;
}

static void test_threads(void **state)
{
	env *e = *state;
	pthread_t t[8];
	void *ok;

	source_open_flat(e);
	if (!e->source->type->is_shared)
		skip();
	for (size_t i = 0; i < AG_NELEM(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, ask, e->source), 0);
	for (size_t i = 0; i < AG_NELEM(t); i++) {
		pthread_join(t[i], &ok);
		assert_ptr_equal(ok, e->source);
	}
	assert_int_equal(ag_source_calls(e->source), 8 * 20 * 6);
}

int main(void)
{
	static const source_test tests[] = {
		{ "info", test_info },
		{ "find_limits", test_find_limits, true },
		{ "find_is_clamped", test_find_is_clamped },
		{ "where", test_where },
		{ "same_answers", test_same_answers },
		{ "query_as_text", test_query_as_text },
		{ "guard", test_guard },
		{ "wrong_kind", test_wrong_kind },
		{ "marks", test_marks },
		{ "cancel", test_cancel },
		{ "threads", test_threads },
	};

	return source_run_suite(tests, AG_NELEM(tests));
}
