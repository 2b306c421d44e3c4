/* The contract of documents/source.h: statistics, aggregation, evidence, survey and profile. */
#include "contract/source_fixtures.h"

static void assert_stat(env *e, const char *field, ag_stat_op op, const char *filter,
                        const char *want)
{
	ag_val q, v;
	ag_str text;

	if (filter)
		q = source_query_of(e, filter);
	if (ag_source_stat(e->source, NULL, e->arena,
	                   &(ag_stat_question){ .field = ag_str_c(field),
	                                        .op = op,
	                                        .filter = filter ? &q : NULL },
	                   &v, &text, &e->err))
		fail_msg("%s: %s", field, e->err.msg);
	source_assert_text(e, &v, want);
	assert_true(text.len > 2 && text.ptr[0] == '[');
}

/* --- statistics ---------------------------------------------------------------------------------- */

static void test_stat_people(void **state)
{
	env *e = *state;

	source_open_people(e);
	assert_stat(e, "age", AG_STAT_COUNT, NULL, "6");
	assert_stat(e, "profile.score", AG_STAT_COUNT, NULL, "5");
	assert_stat(e, "profile.score", AG_STAT_MIN, NULL, "10");
	assert_stat(e, "profile.score", AG_STAT_MAX, NULL, "90");
	assert_stat(e, "profile.score", AG_STAT_AVG, NULL, "40.0");
	assert_stat(e, "profile.city", AG_STAT_DISTINCT, NULL,
	            "[\"Boston\",\"Chicago\",\"LA\",\"NYC\"]");
	assert_stat(e, "age", AG_STAT_DISTINCT, NULL, "[null,-5,25,30,41,\"forty\"]");
	/* a filter narrows, whatever it says of the same field */
	assert_stat(e, "age", AG_STAT_COUNT, "{\"age\":{\"$gt\":0}}", "3");
	assert_stat(e, "age", AG_STAT_MAX, "{\"profile.city\":\"LA\"}", "25");
	assert_stat(e, "age", AG_STAT_MIN, "{}", "-5");
	/* nothing there */
	assert_stat(e, "nowhere", AG_STAT_COUNT, NULL, "0");
	assert_stat(e, "nowhere", AG_STAT_MIN, NULL, "null");
	assert_stat(e, "nowhere", AG_STAT_AVG, NULL, "null");
	assert_stat(e, "nowhere", AG_STAT_DISTINCT, NULL, "[]");
	assert_stat(e, "name", AG_STAT_AVG, NULL, "null");
}

static void test_stat_items(void **state)
{
	env *e = *state;

	source_open_people(e);
	assert_stat(e, "tags", AG_STAT_COUNT, NULL, "5");
	assert_stat(e, "tags[]", AG_STAT_COUNT, NULL, "4");
	assert_stat(e, "tags[]", AG_STAT_DISTINCT, NULL, "[1,\"a\",\"b\",\"c\"]");
	assert_stat(e, "items[].price", AG_STAT_MIN, NULL, "3");
	assert_stat(e, "items[].price", AG_STAT_MAX, NULL, "8");
	assert_stat(e, "items[].price", AG_STAT_AVG, NULL, "5.5");
	assert_stat(e, "items[].price", AG_STAT_DISTINCT, NULL, "[null,3,8]");
	assert_stat(e, "items[].price", AG_STAT_COUNT, NULL, "1");
}

static void test_stat_flat(void **state)
{
	env *e = *state;

	source_open_flat(e);
	assert_stat(e, "age", AG_STAT_COUNT, NULL, "6");
	assert_stat(e, "note", AG_STAT_COUNT, NULL, "4");
	assert_stat(e, "age", AG_STAT_MIN, NULL, "-3");
	assert_stat(e, "age", AG_STAT_MAX, NULL, "9007199254740993");
	assert_stat(e, "score", AG_STAT_AVG, NULL, "20.85");
	assert_stat(e, "age", AG_STAT_DISTINCT, NULL, "[null,-3,25,30,9007199254740993]");
	assert_stat(e, "active", AG_STAT_DISTINCT, NULL, "[false,true]");
	assert_stat(e, "joined", AG_STAT_MIN, NULL, "{\"$date\":\"2020-01-01T00:00:00Z\"}");
	assert_stat(e, "name", AG_STAT_MAX, NULL, "\"alice\"");
}

static void test_stat_text_is_what_ran(void **state)
{
	env *e = *state;
	const ag_val *docs;
	ag_val v, again;
	ag_str text;
	size_t n;

	source_open_flat(e);
	v = source_query_of(e, "{\"active\":true}");
	assert_int_equal(ag_source_stat(e->source, NULL, e->arena,
	                                &(ag_stat_question){ .field = AG_S("age"),
	                                                     .op = AG_STAT_MIN,
	                                                     .filter = &v },
	                                &v, &text, &e->err),
	                 AG_OK);
	assert_string_equal(
		ag_str_cstr(e->arena, text),
		"[{\"$match\":{\"$and\":[{\"active\":true},{\"age\":{\"$exists\":true,\"$ne\":null}}]}},"
		"{\"$group\":{\"_id\":null,\"result\":{\"$min\":\"$age\"}}}]");
	again = ag_val_str(text);
	assert_int_equal(ag_source_aggregate(e->source, NULL, e->arena, &again, 1, &docs, &n,
	                                     &e->err),
	                 AG_OK);
	assert_true(ag_val_eq(ag_val_getc(&docs[0], "result"), &v));
}

static void test_stat_refuses(void **state)
{
	static const char *const bad[] = { "$age", "$$ROOT", "m.*", "`a.b`", "a..b", "`open" };
	env *e = *state;
	ag_val v, q = source_query_of(e, "[]");
	ag_str text;

	source_open_flat(e);
	source_assert_err(e,
	                  ag_source_stat(e->source, NULL, e->arena,
	                                 &(ag_stat_question){ .field = AG_S(""),
	                                                      .op = AG_STAT_COUNT },
	                                 &v, &text, &e->err),
	                  AG_INVALID, "non-empty");
	source_assert_err(e,
	                  ag_source_stat(e->source, NULL, e->arena,
	                                 &(ag_stat_question){ .field = AG_S("  "),
	                                                      .op = AG_STAT_COUNT },
	                                 &v, &text, &e->err),
	                  AG_INVALID, "non-empty");
	for (size_t i = 0; i < AG_NELEM(bad); i++)
		source_assert_err(e,
		                  ag_source_stat(e->source, NULL, e->arena,
		                                 &(ag_stat_question){ .field = ag_str_c(bad[i]),
		                                                      .op = AG_STAT_MIN },
		                                 &v, &text, &e->err),
		                  AG_INVALID, i < 4 ? "cannot be queried by name" : "");
	source_assert_err(e,
	                  ag_source_stat(e->source, NULL, e->arena,
	                                 &(ag_stat_question){ .field = AG_S("age"),
	                                                      .op = AG_STAT_COUNT,
	                                                      .filter = &q },
	                                 &v, &text, &e->err),
	                  AG_INVALID, "filter");
	q = source_query_of(e, "{\"$where\":\"1\"}");
	source_assert_err(e,
	                  ag_source_stat(e->source, NULL, e->arena,
	                                 &(ag_stat_question){ .field = AG_S("age"),
	                                                      .op = AG_STAT_COUNT,
	                                                      .filter = &q },
	                                 &v, &text, &e->err),
	                  AG_DENIED, "$where");
}

static void test_distinct_is_cut(void **state)
{
	env *e = *state;
	ag_val *docs = ag_new_n(e->arena, ag_val, 3000);
	ag_val v;

	/* 1,500 values, the highest first */
	for (int i = 0; i < 3000; i++) {
		ag_member *m = ag_new(e->arena, ag_member);

		*m = (ag_member){ AG_S("i"), ag_val_int((2999 - i) / 2) };
		docs[i] = ag_val_object(m, 1);
	}
	source_open_vals(e, docs, 3000);
	assert_int_equal(ag_source_stat(e->source, NULL, e->arena,
	                                &(ag_stat_question){ .field = AG_S("i"),
	                                                     .op = AG_STAT_DISTINCT },
	                                &v, NULL, &e->err),
	                 AG_OK);
	assert_int_equal(v.n, AG_DISTINCT_MAX);
	assert_int_equal(v.u.items[0].u.i, 0);
	assert_int_equal(v.u.items[AG_DISTINCT_MAX - 1].u.i, AG_DISTINCT_MAX - 1);
}

/* --- aggregate, evidence ------------------------------------------------------------------------- */

static void test_aggregate(void **state)
{
	env *e = *state;
	ag_val q = source_query_of(e, "[{\"$group\":{\"_id\":\"$active\",\"n\":{\"$sum\":1},"
	                              "\"old\":{\"$max\":\"$age\"}}},{\"$sort\":{\"_id\":1}}]");
	const ag_val *docs;
	size_t n;

	source_open_flat(e);
	assert_int_equal(ag_source_aggregate(e->source, NULL, e->arena, &q, 10, &docs, &n, &e->err),
	                 AG_OK);
	assert_int_equal(n, 2);
	source_assert_text(e, &docs[0], "{\"_id\":false,\"n\":2,\"old\":25}");
	source_assert_text(e, &docs[1], "{\"_id\":true,\"n\":4,\"old\":9007199254740993}");
}

static void evidence(env *e, const char *text, ag_evidence *ret)
{
	if (ag_source_evidence(e->source, NULL, e->arena, ag_str_c(text), ret, &e->err))
		fail_msg("%s: %s", text, e->err.msg);
}

static void test_evidence(void **state)
{
	env *e = *state;
	uint64_t calls;
	ag_evidence ev;

	source_open_flat(e);
	calls = ag_source_calls(e->source);
	evidence(e, "{\"active\": true}", &ev);
	assert_int_equal(ag_source_calls(e->source), calls + 1);
	assert_int_equal(ev.affected, 4);
	assert_int_equal(ev.nsample, 3);
	assert_true(ev.where[0].len > 0);
	assert_non_null(ag_val_getc(&ev.samples[2], "id"));
	evidence(e, "{\"active\": \"maybe\"}", &ev);
	assert_int_equal(ev.affected, 0);
	assert_int_equal(ev.nsample, 0);
	evidence(e, "[{\"$match\":{\"age\":{\"$lt\":0}}},{\"$count\":\"n\"}]", &ev);
	assert_int_equal(ev.affected, 1);
	assert_int_equal(ev.nsample, 1);
	evidence(e, "[{\"$match\":{\"age\":{\"$lt\":-100}}},{\"$count\":\"n\"}]", &ev);
	assert_int_equal(ev.affected, 0);
	/* the most telling name wins */
	evidence(e,
	         "[{\"$group\":{\"_id\":null,\"count\":{\"$sum\":1},\"n\":{\"$sum\":0},"
	         "\"documents\":{\"$sum\":{\"$cond\":[{\"$eq\":[\"$active\",true]},1,0]}}}}]",
	         &ev);
	assert_int_equal(ev.affected, 4);
}

static void test_evidence_refuses(void **state)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "[{\"$match\":{\"active\":true}}]", "several" },
		{ "[{\"$group\":{\"_id\":null,\"n\":{\"$sum\":3}}}]", "own numbers" },
		{ "[{\"$group\":{\"_id\":null,\"n\":{\"$max\":\"$id\"}}}]", "from the data" },
		{ "[{\"$group\":{\"_id\":\"$active\",\"n\":{\"$sum\":1}}}]", "several" },
		{ "[{\"$count\":\"many\"}]", "none" },
		{ "[{\"$group\":{\"_id\":null,\"n\":{\"$avg\":\"$score\"}}}]", "integer" },
		{ "[{\"$group\":{\"_id\":null,\"n\":{\"$max\":\"$name\"}}}]", "integer" },
		{ "[{\"$group\":{\"_id\":null,\"n\":{\"$min\":\"$age\"}}}]", "negative" },
		{ "\"{}\"", "filter" },
		{ "7", "filter" },
		{ "", "" },
		{ "age > 150", "" },
		{ "{\"a\":1,\"a\":2}", "" },
	};
	env *e = *state;
	ag_evidence ev;

	source_open_flat(e);
	for (size_t i = 0; i < AG_NELEM(bad); i++)
		source_assert_err(e,
		                  ag_source_evidence(e->source, NULL, e->arena,
		                                     ag_str_c(bad[i].text), &ev, &e->err),
		                  AG_INVALID, bad[i].part);
}

/* --- survey, profile ----------------------------------------------------------------------------- */

static const ag_field_stats *field_of(const ag_survey *s, const char *path)
{
	for (size_t i = 0; i < s->nfield; i++) {
		if (ag_str_eqc(s->fields[i].path, path))
			return &s->fields[i];
	}
	fail_msg("no field %s", path);
	return NULL;
}

static void test_survey_people(void **state)
{
	env *e = *state;
	const ag_field_stats *f;
	ag_survey s;

	source_open_people(e);
	assert_int_equal(ag_source_survey(e->source, NULL, e->arena, UINT64_MAX, 1, &s, &e->err),
	                 AG_OK);
	assert_int_equal(s.surveyed, 7);
	f = field_of(&s, "name");
	assert_int_equal(f->present, 7);
	assert_int_equal(f->missing, 0);
	assert_int_equal(f->cardinality, 7);
	f = field_of(&s, "age");
	assert_int_equal(f->present, 6);
	assert_int_equal(f->null, 1);
	assert_int_equal(f->missing, 1);
	assert_int_equal(f->ntype, 3);
	assert_true(ag_str_eqc(f->types[0].name, "int"));
	f = field_of(&s, "profile.city");
	assert_int_equal(f->present, 6);
	assert_int_equal(f->missing, 1);
	f = field_of(&s, "profile.score");
	assert_int_equal(f->present, 5);
	assert_int_equal(f->missing, 2);
	f = field_of(&s, "tags");
	assert_true(ag_str_starts(f->types[0].name, AG_S("array<")));
	source_assert_err(e, ag_source_survey(e->source, NULL, e->arena, 0, 1, &s, &e->err),
	                  AG_INVALID, "positive");
}

static void test_survey_sample(void **state)
{
	env *e = *state;
	ag_survey a, b, all;

	source_open_flat(e);
	assert_int_equal(ag_source_survey(e->source, NULL, e->arena, 3, 42, &a, &e->err), AG_OK);
	assert_int_equal(ag_source_survey(e->source, NULL, e->arena, 3, 42, &b, &e->err), AG_OK);
	assert_int_equal(ag_source_survey(e->source, NULL, e->arena, 100, 42, &all, &e->err),
	                 AG_OK);
	assert_int_equal(a.surveyed, 3);
	assert_int_equal(all.surveyed, 6);
	assert_int_equal(a.nfield, b.nfield);
	for (size_t i = 0; i < a.nfield; i++) {
		assert_true(ag_str_eq(a.fields[i].path, b.fields[i].path));
		assert_int_equal(a.fields[i].nsample, b.fields[i].nsample);
		for (size_t k = 0; k < a.fields[i].nsample; k++)
			assert_true(ag_val_eq(&a.fields[i].samples[k], &b.fields[i].samples[k]));
	}
}

static void test_profile(void **state)
{
	env *e = *state;
	const ag_path_profile *f;
	ag_profile p;

	source_open_flat(e);
	assert_int_equal(ag_source_profile(e->source, NULL, e->arena, &p, &e->err), AG_OK);
	assert_int_equal(p.ndoc, 6);
	f = ag_profile_find(&p, AG_S("age"));
	assert_non_null(f);
	assert_int_equal(f->n, 6);
	assert_int_equal(f->ndoc_null, 1);
	assert_int_equal(f->ndistinct, 4);
	assert_int_equal(f->num.nneg, 1);
	f = ag_profile_find(&p, AG_S("note"));
	assert_non_null(f);
	assert_int_equal(f->ndoc, 4);
}

int main(void)
{
	static const source_test tests[] = {
		{ "stat_people", test_stat_people, true },
		{ "stat_items", test_stat_items, true },
		{ "stat_flat", test_stat_flat },
		{ "stat_text_is_what_ran", test_stat_text_is_what_ran },
		{ "stat_refuses", test_stat_refuses },
		{ "distinct_is_cut", test_distinct_is_cut },
		{ "aggregate", test_aggregate },
		{ "evidence", test_evidence },
		{ "evidence_refuses", test_evidence_refuses },
		{ "survey_people", test_survey_people, true },
		{ "survey_sample", test_survey_sample },
		{ "profile", test_profile },
	};

	return source_run_suite(tests, AG_NELEM(tests));
}
