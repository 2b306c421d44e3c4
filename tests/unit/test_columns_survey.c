/* The survey: the seven users of the reference, small hand-counted tables, and random tables against a second
 * survey that walks whole documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "columns/survey.h"
#include "columns_docs.h"
#include "query/path.h"

static ag_survey survey_with(const ag_table *t, ag_arena *arena, const ag_bits *docs,
                             unsigned nthread)
{
	ag_ctx ctx = docs_ctx(nthread);
	ag_survey s = { 0 };
	ag_err err = { 0 };

	assert_int_equal(ag_table_survey(t, &ctx, docs, arena, &s, &err), AG_OK);
	return s;
}

static ag_survey survey_of(const char *text, ag_arena *arena)
{
	size_t n;
	ag_val *docs = docs_parse(arena, text, &n);
	ag_table *t = docs_table(docs, n);
	ag_survey s = survey_with(t, arena, NULL, 2);

	ag_table_free(t); /* the survey must not need it any more */
	return s;
}

static const ag_field_stats *field(const ag_survey *s, const char *path)
{
	for (size_t i = 0; i < s->nfield; i++)
		if (ag_str_eqc(s->fields[i].path, path))
			return &s->fields[i];
	return NULL;
}

static uint64_t type_count_of(const ag_field_stats *f, ag_str name)
{
	for (size_t i = 0; i < f->ntype; i++)
		if (ag_str_eq(f->types[i].name, name))
			return f->types[i].n;
	return 0;
}

static uint64_t type_count(const ag_field_stats *f, const char *name)
{
	return type_count_of(f, ag_str_c(name));
}

static void assert_counts(const ag_survey *s, const char *path, uint64_t present, uint64_t null,
                          uint64_t missing)
{
	const ag_field_stats *f = field(s, path);

	assert_non_null(f);
	assert_int_equal(f->present, present);
	assert_int_equal(f->null, null);
	assert_int_equal(f->missing, missing);
}

static void seven_users(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_survey s = survey_of(
		"{\"name\":\"Alice\",\"age\":30,\"profile\":{\"city\":\"NYC\",\"score\":10},\"tags\":[\"a\",\"b\"]}\n"
		"{\"name\":\"Bob\",\"age\":25,\"profile\":{\"city\":\"LA\",\"score\":20},\"tags\":[]}\n"
		"{\"name\":\"Carol\",\"age\":null,\"profile\":{\"city\":\"NYC\",\"score\":90},\"tags\":[1,\"x\"],\"vip\":true}\n"
		"{\"name\":\"Dan\",\"age\":\"forty\",\"profile\":{\"city\":\"Boston\",\"score\":null}}\n"
		"{\"name\":\"Eve\",\"age\":200,\"profile\":{\"city\":\"LA\"}}\n"
		"{\"name\":\"Frank\",\"profile\":{\"city\":\"Chicago\",\"score\":5}}\n"
		"{\"name\":\"Grace\",\"age\":41}\n",
		a);

	(void)state;
	assert_int_equal(s.surveyed, 7);
	assert_counts(&s, "name", 7, 0, 0);
	assert_int_equal(field(&s, "name")->cardinality, 7);
	assert_false(field(&s, "name")->cardinality_capped);
	assert_int_equal(field(&s, "name")->nsample, 5);
	assert_memory_equal(field(&s, "name")->samples[4].u.s, "Eve", 3);
	assert_counts(&s, "age", 6, 1, 1);
	assert_int_equal(field(&s, "age")->ntype, 3);
	assert_true(ag_str_eqc(field(&s, "age")->types[0].name, "int"));
	assert_int_equal(type_count(field(&s, "age"), "int"), 4);
	assert_int_equal(type_count(field(&s, "age"), "null"), 1);
	assert_int_equal(type_count(field(&s, "age"), "str"), 1);
	assert_true(field(&s, "age")->null_rate == 2.0 / 7.0);
	assert_counts(&s, "profile", 6, 0, 1);
	assert_true(field(&s, "profile")->container);
	assert_int_equal(field(&s, "profile")->cardinality, 0);
	assert_counts(&s, "profile.city", 6, 0, 1);
	assert_int_equal(field(&s, "profile.city")->cardinality, 4);
	assert_counts(&s, "profile.score", 5, 1, 2);
	assert_counts(&s, "tags", 3, 0, 4);
	assert_int_equal(type_count(field(&s, "tags"), "array<str>"), 1);
	assert_int_equal(type_count(field(&s, "tags"), "array<int|str>"), 1);
	assert_int_equal(type_count(field(&s, "tags"), "array<empty>"), 1);
	assert_int_equal(field(&s, "tags")->nsample, 0);
	assert_false(field(&s, "tags")->container);
	assert_counts(&s, "vip", 1, 0, 6);
	assert_int_equal(s.nfield, 7);
	assert_int_equal(s.ntruncated, 0);
	ag_arena_free(a);
}

static void numbers_and_bools_are_told_apart(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_survey s = survey_of(
		"{\"x\":1}\n{\"x\":1.0}\n{\"x\":true}\n{\"x\":{\"$numberLong\":\"1\"}}\n{\"x\":false}\n"
		"{\"x\":null}\n{\"x\":\"1\"}\n",
		a);

	(void)state;
	assert_int_equal(field(&s, "x")->cardinality, 4); /* 1, true, false, "1" */
	assert_int_equal(type_count(field(&s, "x"), "int"), 2);
	assert_int_equal(type_count(field(&s, "x"), "float"), 1);
	assert_int_equal(type_count(field(&s, "x"), "bool"), 2);
	ag_arena_free(a);
}

static void cardinality_is_capped_above_100_only(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(100000);
	ag_survey s;

	(void)state;
	for (int i = 0; i < 303; i++)
		ag_buf_addf(&text, "{\"x\":%d,\"y\":%d}\n", i % 100, i % 101);
	s = survey_of(text.ptr, a);
	assert_int_equal(field(&s, "x")->cardinality, 100);
	assert_false(field(&s, "x")->cardinality_capped);
	assert_int_equal(field(&s, "y")->cardinality, 100);
	assert_true(field(&s, "y")->cardinality_capped);
	ag_buf_release(&text);
	ag_arena_free(a);
}

static void depth_is_limited(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1000);
	ag_survey s;

	(void)state;
	for (int i = 0; i < 25; i++)
		ag_buf_adds(&text, "{\"n\":");
	ag_buf_adds(&text, "1");
	for (int i = 0; i < 25; i++)
		ag_buf_adds(&text, "}");
	s = survey_of(text.ptr, a);
	assert_int_equal(s.nfield, 20);
	assert_int_equal(s.ntruncated, 1);
	assert_int_equal(s.truncated[0].len, 2 * 20 - 1);
	assert_true(ag_str_eq(s.fields[19].path, s.truncated[0]));
	ag_buf_release(&text);
	ag_arena_free(a);
}

static void containers(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_survey s = survey_of(
		"{\"o\":{\"x\":1},\"l\":[{\"x\":1},{}],\"m\":[{\"x\":1},2],\"e\":[],\"p\":{}}\n"
		"{\"o\":null,\"l\":[],\"m\":[],\"e\":[],\"p\":1}\n{}\n",
		a);

	(void)state;
	assert_true(field(&s, "o")->container);
	assert_true(field(&s, "l")->container);
	assert_false(field(&s, "m")->container);
	assert_false(field(&s, "e")->container);
	assert_false(field(&s, "p")->container);
	assert_false(field(&s, "o.x")->container);
	assert_null(field(&s, "l.x")); /* arrays are leaves */
	assert_int_equal(s.nfield, 6);
	ag_arena_free(a);
}

static void keys_that_are_data_are_one_path(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(100000);
	ag_survey s;

	(void)state;
	for (int i = 0; i < 40; i++)
		ag_buf_addf(
			&text,
			"{\"m\":{\"2026-01-%02d\":%d,\"2025-%02d-01\":\"x\",\"2024-%02d-11\":2},"
			"\"same\":{\"q1\":1,\"q2\":2},\"o\":{}}\n",
			i % 28 + 1, i, i, i);
	s = survey_of(text.ptr, a);
	assert_true(field(&s, "m")->is_map);
	assert_false(field(&s, "same")->is_map);
	assert_non_null(field(&s, "same.q1"));
	assert_counts(&s, "m.*", 40, 0, 0);
	assert_int_equal(type_count(field(&s, "m.*"), "int"), 40); /* documents, not values */
	assert_int_equal(type_count(field(&s, "m.*"), "str"), 40);
	assert_int_equal(field(&s, "m.*")->cardinality, 41);
	assert_int_equal(s.nfield, 6);
	ag_buf_release(&text);
	ag_arena_free(a);
}

/* 1,400 unlike names, each in one of 40 objects: data. 700 names in every object: a wide table. */
static void many_keys_are_a_map_when_most_are_absent(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(4000000);
	ag_survey s;

	(void)state;
	for (int doc = 0; doc < 40; doc++) {
		ag_buf_adds(&text, "{\"a\":{");
		for (int k = 0; k < 35; k++) {
			int i = doc * 35 + k;

			ag_buf_addf(&text, "%s\"%.*s%c%c\":1", k ? "," : "", i % 7, "-._x~,",
			            'a' + i % 26, 'a' + i / 26 % 26);
		}
		ag_buf_adds(&text, "},\"w\":{");
		for (int i = 0; i < 700; i++)
			ag_buf_addf(&text, "%s\"%c%c%c\":1", i ? "," : "", 'a' + i % 26,
			            'a' + i / 26, 'x');
		ag_buf_adds(&text, "}}\n");
	}
	s = survey_of(text.ptr, a);
	assert_true(field(&s, "a")->is_map);
	assert_counts(&s, "a.*", 40, 0, 0);
	assert_false(field(&s, "w")->is_map);
	assert_int_equal(s.nfield, 3 + 700);
	ag_buf_release(&text);
	ag_arena_free(a);
}

static void nothing_to_survey(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_survey s = survey_of("", a);

	(void)state;
	assert_int_equal(s.surveyed, 0);
	assert_int_equal(s.nfield, 0);
	s = survey_of("{}\n", a);
	assert_int_equal(s.surveyed, 1);
	assert_int_equal(s.nfield, 0);
	ag_arena_free(a);
}

/* --- a second survey, document by document --- */

#define MAX_FIELDS 4000

typedef struct walked {
	ag_str path;
	bool in_map;
	uint64_t present, null;
	size_t last_doc; /* + 1 */
	ag_str types[200];
	uint64_t ntypes[200];
	size_t type_doc[200]; /* + 1: the last document counted */
	size_t ntype;
	ag_val values[AG_SURVEY_MAX_CARDINALITY + 1];
	size_t nvalue;
} walked;

typedef struct walker {
	ag_arena *arena;
	walked *fields[MAX_FIELDS];
	size_t n, doc;
} walker;

static walked *walked_of(walker *w, ag_str path)
{
	for (size_t i = 0; i < w->n; i++)
		if (ag_str_eq(w->fields[i]->path, path))
			return w->fields[i];
	assert_true(w->n < MAX_FIELDS);
	w->fields[w->n] = ag_new(w->arena, walked);
	w->fields[w->n]->path = path;
	return w->fields[w->n++];
}

static int str_cmp(const void *x, const void *y)
{
	return ag_str_cmp(*(const ag_str *)x, *(const ag_str *)y);
}

static ag_str walked_type(walker *w, const ag_val *v)
{
	ag_buf b = AG_BUF_INIT(1000);
	ag_str names[20], ret;
	size_t n = 0;

	if (v->type != AG_T_ARRAY)
		return ag_str_c(ag_type_seed_name(v->type));
	if (v->n == 0)
		return AG_S("array<empty>");
	for (uint32_t i = 0; i < v->n; i++)
		names[n++] = ag_str_c(ag_type_seed_name(v->u.items[i].type));
	qsort(names, n, sizeof(names[0]), str_cmp);
	ag_buf_adds(&b, "array<");
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && ag_str_eq(names[i - 1], names[i]))
			continue;
		if (i > 0)
			ag_buf_addc(&b, '|');
		ag_buf_add(&b, names[i]);
	}
	ag_buf_addc(&b, '>');
	ret = ag_buf_dup(w->arena, &b);
	ag_buf_release(&b);
	return ret;
}

static void walk_val(walker *w, walked *f, const ag_val *v)
{
	ag_str type = walked_type(w, v);
	size_t i = 0;

	if (f->last_doc != w->doc + 1)
		f->present++;
	f->last_doc = w->doc + 1;
	while (i < f->ntype && !ag_str_eq(f->types[i], type))
		i++;
	if (i == f->ntype) {
		assert_true(f->ntype < 200);
		f->types[f->ntype++] = type;
	}
	if (f->type_doc[i] != w->doc + 1) {
		f->ntypes[i]++;
		f->null += v->type == AG_T_NULL;
	}
	f->type_doc[i] = w->doc + 1;
	if (v->type == AG_T_ARRAY || v->type == AG_T_OBJECT || v->type == AG_T_NULL)
		return;
	for (i = 0; i < f->nvalue; i++)
		if (ag_val_eq(&f->values[i], v))
			return;
	if (f->nvalue <= AG_SURVEY_MAX_CARDINALITY)
		f->values[f->nvalue++] = *v;
}

/* In the random documents the one map is "m". */
static void walk(walker *w, ag_str path, const ag_val *obj, bool in_map)
{
	for (uint32_t i = 0; i < obj->n; i++) {
		const ag_member *m = &obj->u.members[i];
		bool of_map = ag_str_eqc(path, "m");
		ag_step step = { of_map ? AG_STEP_ANY : AG_STEP_NAME, m->key };
		ag_buf b = AG_BUF_INIT(1000);
		walked *f;

		ag_buf_add(&b, path);
		ag_path_append(&b, &step);
		f = walked_of(w, ag_buf_dup(w->arena, &b));
		ag_buf_release(&b);
		f->in_map = in_map || of_map;
		walk_val(w, f, &m->val);
		if (m->val.type == AG_T_OBJECT)
			walk(w, f->path, &m->val, f->in_map);
	}
}

static void assert_samples(const ag_field_stats *f, const walked *w)
{
	assert_int_equal(f->nsample, w->nvalue < 5 ? w->nvalue : 5);
	for (size_t i = 0; i < f->nsample; i++) {
		size_t k = i;

		/* two keys of one map in one document have no order that is promised */
		if (w->in_map)
			for (k = 0; k < w->nvalue && !ag_val_eq(&f->samples[i], &w->values[k]);)
				k++;
		assert_true(k < w->nvalue);
		assert_true(ag_val_eq(&f->samples[i], &w->values[k]));
	}
}

static void assert_same(const ag_survey *s, const walker *w)
{
	assert_int_equal(s->nfield, w->n);
	for (size_t i = 0; i < w->n; i++) {
		const walked *x = w->fields[i];
		const ag_field_stats *f = NULL;

		for (size_t k = 0; k < s->nfield && !f; k++)
			f = ag_str_eq(s->fields[k].path, x->path) ? &s->fields[k] : NULL;
		if (!f)
			fail_msg("no field %.*s", AG_FMT(x->path));
		assert_int_equal(f->present, x->present);
		assert_int_equal(f->missing, s->surveyed - x->present);
		assert_int_equal(f->null, x->null);
		assert_int_equal(f->cardinality, x->nvalue > 100 ? 100 : x->nvalue);
		assert_int_equal(f->cardinality_capped, x->nvalue > 100);
		assert_int_equal(f->ntype, x->ntype);
		for (size_t k = 0; k < x->ntype; k++)
			assert_int_equal(type_count_of(f, x->types[k]), x->ntypes[k]);
		for (size_t j = 0; j + 1 < f->ntype; j++)
			assert_true(f->types[j].n >= f->types[j + 1].n);
		assert_samples(f, x);
	}
	for (size_t i = 0; i + 1 < s->nfield; i++)
		assert_true(ag_str_cmp(s->fields[i].path, s->fields[i + 1].path) < 0);
}

static void random_tables_against_a_walk(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		ag_arena *a = ag_arena_new();
		size_t n = 1500 + 700 * round;
		ag_val *docs = docs_random_many(a, 17 + round, n);
		ag_table *t = docs_table(docs, n);
		ag_bits some;
		ag_survey s;
		walker all = { .arena = a }, part = { .arena = a };

		ag_bits_init(&some, n);
		for (size_t i = 0; i < n; i++) {
			all.doc = part.doc = i;
			walk(&all, AG_S(""), &docs[i], false);
			if (i % 3 != round % 3)
				continue;
			ag_bits_set(&some, i);
			walk(&part, AG_S(""), &docs[i], false);
		}
		s = survey_with(t, a, NULL, 1 + round % 3);
		assert_int_equal(s.surveyed, n);
		assert_same(&s, &all);
		s = survey_with(t, a, &some, 8);
		assert_int_equal(s.surveyed, ag_bits_count(&some));
		assert_same(&s, &part);
		ag_bits_release(&some);
		ag_table_free(t);
		ag_arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seven_users),
		cmocka_unit_test(numbers_and_bools_are_told_apart),
		cmocka_unit_test(cardinality_is_capped_above_100_only),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(containers),
		cmocka_unit_test(keys_that_are_data_are_one_path),
		cmocka_unit_test(many_keys_are_a_map_when_most_are_absent),
		cmocka_unit_test(nothing_to_survey),
		cmocka_unit_test(random_tables_against_a_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
