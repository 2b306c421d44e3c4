/* The profile: hand-computed small tables, random tables against a second profile that walks whole documents
 * and sorts all values, and the same answer with 1, 2 and 8 threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "columns/profile.h"
#include "columns_docs.h"
#include "query/path.h"

static ag_profile profile_with(const ag_table *t, ag_arena *arena, unsigned nthread)
{
	ag_ctx ctx = docs_ctx(nthread);
	ag_profile p = { 0 };
	ag_err err = { 0 };

	assert_int_equal(ag_table_profile(t, &ctx, arena, &p, &err), AG_OK);
	return p;
}

static ag_profile profile_of(const char *text, ag_arena *arena)
{
	size_t n;
	ag_val *docs = docs_parse(arena, text, &n);
	ag_table *t = docs_table(docs, n);
	ag_profile p = profile_with(t, arena, 2);

	ag_table_free(t); /* the profile must not need it any more */
	return p;
}

static const ag_path_profile *path(const ag_profile *p, const char *text)
{
	const ag_path_profile *ret = ag_profile_find(p, ag_str_c(text));

	if (!ret)
		fail_msg("no path %s", text);
	return ret;
}

static void paths_and_parents(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_profile p = profile_of(
		"{\"a\":{\"b\":1},\"items\":[{\"price\":5,\"tags\":[\"x\",\"y\"]},{\"price\":null}]}\n"
		"{\"a\":null,\"items\":[]}\n"
		"{\"a\":{},\"items\":[{\"price\":7},3]}\n"
		"{\"a.b\":1}\n",
		a);
	const ag_path_profile *x;

	(void)state;
	assert_int_equal(p.ndoc, 4);
	assert_int_equal(p.npath, 8);
	assert_false(p.has_views);
	assert_null(ag_profile_find(&p, AG_S("nothing")));
	for (size_t i = 0; i < p.npath; i++)
		if (p.paths[i].parent != UINT32_MAX)
			assert_true(p.paths[i].parent < i);

	x = path(&p, "a.b");
	assert_int_equal(x->nparent, 2);
	assert_int_equal(x->n, 1);
	assert_int_equal(x->ndoc, 1);
	assert_true(ag_str_eqc(x->query, "a.b"));
	assert_true(ag_str_eqc(x->name, "b"));
	assert_true(ag_str_eqc(p.paths[x->parent].path, "a"));
	x = path(&p, "`a.b`");
	assert_int_equal(x->nparent, 4);
	assert_int_equal(x->query.len, 0);
	assert_true(ag_str_eqc(x->name, "a.b"));
	x = path(&p, "a");
	assert_int_equal(x->by_type[AG_T_OBJECT], 2);
	assert_int_equal(x->by_type[AG_T_NULL], 1);
	assert_int_equal(x->ndoc_null, 1);
	assert_int_equal(x->nscalar, 0);
	x = path(&p, "items");
	assert_int_equal(x->n, 3);
	assert_int_equal(x->arr.n, 3);
	assert_int_equal(x->arr.nempty, 1);
	assert_int_equal(x->arr.nitem, 4);
	assert_true(x->arr.size.max == 2 && x->arr.size.min == 0 && x->arr.size.p50 == 2);
	x = path(&p, "items[]");
	assert_true(x->is_elem && x->in_array && !x->in_map);
	assert_int_equal(x->n, 4);
	assert_int_equal(x->nparent, 3);
	assert_int_equal(x->ndoc, 2);
	assert_int_equal(x->name.len, 0);
	assert_true(ag_str_eqc(x->owner, "items"));
	assert_true(ag_str_eqc(x->query, "items"));
	x = path(&p, "items[].price");
	assert_int_equal(x->nparent, 3);
	assert_int_equal(x->n, 3);
	assert_int_equal(x->ndoc, 2);
	assert_int_equal(x->ndoc_null, 1);
	assert_true(ag_str_eqc(x->query, "items.price"));
	assert_true(ag_str_eqc(x->owner, "price"));
	assert_int_equal(path(&p, "items[].tags[]")->str.n, 2);
	ag_arena_free(a);
}

static void numbers(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_profile p = profile_of(
		"{\"x\":1}\n{\"x\":1.0}\n{\"x\":{\"$numberDecimal\":\"1.00\"}}\n{\"x\":2}\n{\"x\":-3.5}\n{\"x\":0}\n"
		"{\"x\":{\"$numberDouble\":\"NaN\"}}\n{\"x\":{\"$numberDouble\":\"-Infinity\"}}\n"
		"{\"x\":{\"$numberDecimal\":\"NaN\"}}\n{\"x\":0.12345}\n{\"x\":19.99}\n"
		"{\"x\":{\"$numberDouble\":\"9007199254740994.0\"}}\n{\"x\":{\"$numberDecimal\":\"0.1\"}}\n"
		"{\"x\":{\"$numberLong\":\"9007199254740994\"}}\n{\"x\":null}\n{\"x\":true}\n{\"x\":\"1\"}\n",
		a);
	const ag_path_profile *x = path(&p, "x");

	(void)state;
	assert_int_equal(x->nscalar, 16);
	/* 1 2 -3.5 0 NaN -inf 0.12345 19.99 2^53+2 0.1(decimal) true "1" */
	assert_int_equal(x->ndistinct, 12);
	assert_int_equal(x->nrepeated, 3 + 2 + 2);
	assert_true(x->values_complete);
	assert_int_equal(x->nvalue, 12);
	assert_int_equal(x->values[0].n, 3);
	assert_int_equal(x->values[0].v.type, AG_T_INT32);
	assert_int_equal(x->values[0].v.u.i, 1);
	assert_true(isnan(ag_val_number(&x->values[1].v))); /* 2 times, below every number */
	assert_int_equal(x->values[2].v.u.i, 9007199254740994);
	assert_int_equal(x->num.n, 11);
	assert_int_equal(x->num.nnan, 2);
	assert_int_equal(x->num.ninf, 1);
	assert_int_equal(x->num.nneg, 1);
	assert_int_equal(x->num.nzero, 1);
	assert_int_equal(x->num.nint, 7);
	assert_int_equal(x->num.nbeyond53, 1);
	assert_int_equal(x->num.nmoney4, 1);
	assert_true(x->num.q.min == -3.5);
	assert_true(x->num.q.max == 9007199254740994.0);
	assert_true(x->num.q.p50 == 1); /* -3.5 0 .1 .12345 1 [1] 1 2 19.99 2^53 2^53 */
	/* deviations: 0 0 0 .87655 .9 [1] 1 4.5 18.99 ... */
	assert_true(x->num.mad == 1);
	assert_int_equal(x->num.nlow, 8);
	assert_true(x->num.low[0] == -3.5 && x->num.low[4] == 1);
	assert_true(x->num.high[0] == 9007199254740994.0 && x->num.high[1] == 19.99);
	assert_int_equal(x->by_type[AG_T_DECIMAL], 3);
	assert_int_equal(x->by_type[AG_T_BOOL], 1);
	assert_int_equal(x->str.n, 1);
	ag_arena_free(a);
}

static void quantiles_by_nearest_rank(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(100000);
	ag_profile p;
	const ag_num_profile *x;

	(void)state;
	for (int i = 0; i < 1000; i++)
		ag_buf_addf(&text, "{\"x\":%d,\"y\":0.1}\n", (i * 617) % 1000 + 1);
	p = profile_of(text.ptr, a);
	x = &path(&p, "x")->num;
	assert_true(x->q.min == 1 && x->q.p001 == 1 && x->q.p01 == 10 && x->q.p05 == 50);
	assert_true(x->q.p25 == 250 && x->q.p50 == 500 && x->q.p75 == 750 && x->q.p95 == 950);
	assert_true(x->q.p99 == 990 && x->q.p999 == 999 && x->q.max == 1000);
	assert_true(x->mad == 250);
	assert_true(x->mean == 500.5);
	assert_int_equal(x->nlow, 16);
	assert_true(x->low[15] == 16 && x->high[15] == 985);
	assert_true(path(&p, "y")->num.mean == 0.1);
	assert_true(path(&p, "y")->num.mad == 0);
	ag_buf_release(&text);
	ag_arena_free(a);
}

static void strings(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_profile p = profile_of(
		"{\"s\":\"\"}\n{\"s\":\"  \"}\n{\"s\":\"N/A\"}\n{\"s\":\"007\"}\n{\"s\":\"007\"}\n"
		"{\"s\":\"12.5\"}\n{\"s\":\"0.5\"}\n{\"s\":\"13/02/2026\"}\n{\"s\":\"02/13/2026\"}\n"
		"{\"s\":\"2026-03-01\"}\n{\"s\":\"Müller GmbH\"}\n{\"s\":\"CafÃ©\"}\n{\"s\":1}\n",
		a);
	const ag_str_profile *s = &path(&p, "s")->str;

	(void)state;
	assert_int_equal(s->n, 12);
	assert_int_equal(s->nempty, 1);
	assert_int_equal(s->nblank, 1);
	assert_int_equal(s->by_class[AG_TEXT_NUMERIC], 4);
	assert_int_equal(s->by_class[AG_TEXT_NULL_WORD], 1);
	assert_int_equal(s->by_class[AG_TEXT_PADDED], 1);
	assert_int_equal(s->by_class[AG_TEXT_MOJIBAKE], 1);
	assert_int_equal(s->by_class[AG_TEXT_EMAIL], 0);
	assert_int_equal(s->by_date[AG_DATE_SLASH], 2);
	assert_int_equal(s->by_date[AG_DATE_ISO], 1);
	assert_int_equal(s->by_date[AG_DATE_NONE], 9);
	assert_int_equal(s->day_first, 1);
	assert_int_equal(s->month_first, 1);
	assert_int_equal(s->numeric_min_len, 3);
	assert_int_equal(s->numeric_max_len, 4);
	assert_int_equal(s->nleading_zero, 2);
	assert_true(s->length.min == 0 && s->length.max == 11); /* code points */
	assert_true(s->words == 1);
	assert_int_equal(s->nshape, 10);
	assert_int_equal(s->nshape_all, 10);
	assert_int_equal(s->shapes[0].n, 2); /* 99/99/9999 and 999: ties by shape */
	assert_true(ag_str_eqc(s->shapes[0].shape, "99/99/9999"));
	assert_true(ag_str_eqc(s->shapes[0].example, "13/02/2026"));
	assert_true(ag_str_eqc(s->shapes[1].shape, "999"));
	ag_arena_free(a);
}

static void dates_and_ids(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_profile p = profile_of(
		"{\"d\":{\"$date\":\"1969-12-31T00:00:00Z\"},\"i\":{\"$oid\":\"507f1f77bcf86cd799439011\"}}\n"
		"{\"d\":{\"$date\":\"2026-03-01T12:00:00Z\"},\"i\":{\"$oid\":\"507f1f77bcf86cd799439012\"}}\n"
		"{\"d\":{\"$date\":\"2026-03-01T00:00:00Z\"},\"i\":{\"$oid\":\"507f1f77bcf86cd799439011\"}}\n",
		a);
	const ag_path_profile *d = path(&p, "d"), *i = path(&p, "i");

	(void)state;
	assert_int_equal(d->date.n, 3);
	assert_int_equal(d->date.nmidnight, 2);
	assert_int_equal(d->date.min_ms, -86400000);
	assert_int_equal(d->date.p01_ms, -86400000);
	assert_int_equal(d->date.p50_ms, INT64_C(1772323200000));
	assert_int_equal(d->date.max_ms, INT64_C(1772366400000));
	assert_int_equal(d->num.n, 0);
	assert_int_equal(i->ndistinct, 2);
	assert_int_equal(i->values[0].n, 2);
	assert_int_equal(i->values[0].v.type, AG_T_OID);
	assert_int_equal(i->values[0].v.u.oid[11], 0x11);
	ag_arena_free(a);
}

static void maps(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(100000);
	ag_profile p;
	const ag_path_profile *m, *any;

	(void)state;
	for (int i = 0; i < 60; i++)
		ag_buf_addf(
			&text,
			"{\"m\":{\"%024x\":{\"v\":%d},\"%024x\":{\"v\":null}},\"q\":{\"q1\":1}}\n",
			i, i % 5, i + 1000);
	p = profile_of(text.ptr, a);
	m = path(&p, "m");
	any = path(&p, "m.*");
	assert_true(m->is_map && !m->in_map);
	assert_int_equal(m->map_keys, 120);
	assert_true(ag_str_eqc(m->map_key_example, "000000000000000000000000"));
	assert_true(any->in_map);
	assert_int_equal(any->n, 120);
	assert_int_equal(any->ndoc, 60);
	assert_int_equal(any->nparent, 60);
	assert_int_equal(any->query.len, 0);
	assert_int_equal(any->name.len, 0);
	assert_true(ag_str_eqc(any->owner, "m"));
	assert_int_equal(path(&p, "m.*.v")->nparent, 120);
	assert_int_equal(path(&p, "m.*.v")->ndistinct, 5);
	assert_int_equal(path(&p, "m.*.v")->ndoc, 60);
	assert_int_equal(path(&p, "m.*.v")->ndoc_null, 60);
	assert_false(path(&p, "q")->is_map);
	assert_int_equal(p.npath, 5);
	ag_buf_release(&text);
	ag_arena_free(a);
}

static void the_most_frequent_of_many(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1000000);
	ag_profile p;
	const ag_path_profile *x;

	(void)state;
	for (int i = 0; i < 5000; i++)
		ag_buf_addf(&text, "{\"s\":\"v%d\",\"k\":%d}\n", i % 7 ? i : i % 3, i % 1000);
	p = profile_of(text.ptr, a);
	x = path(&p, "s");
	assert_int_equal(x->ndistinct,
	                 5000 - 715 + 3 - 2); /* v1 and v2 stand at i = 1, 2 as well */
	assert_int_equal(x->nrepeated, 715 + 2);
	assert_int_equal(x->nvalue, 50);
	assert_false(x->values_complete);
	assert_true(ag_str_eqc(ag_val_text(&x->values[0].v), "v0"));
	assert_int_equal(x->values[0].n, 239);
	assert_true(ag_str_eqc(ag_val_text(&x->values[2].v), "v2"));
	assert_int_equal(x->values[2].n, 239);
	assert_int_equal(x->values[3].n, 1);
	assert_true(ag_str_eqc(ag_val_text(&x->values[3].v), "v10"));
	x = path(&p, "k");
	assert_int_equal(x->ndistinct, 1000);
	assert_true(x->values_complete);
	assert_int_equal(x->nvalue, 1000);
	assert_int_equal(x->values[999].v.u.i, 999);
	ag_buf_release(&text);
	ag_arena_free(a);
}

static void nothing(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_profile p = profile_of("", a);

	(void)state;
	assert_int_equal(p.ndoc, 0);
	assert_int_equal(p.npath, 0);
	assert_null(ag_profile_find(&p, AG_S("a")));
	ag_arena_free(a);
}

/* --- a second profile, document by document --- */

#define MAX_PATHS 4000

typedef struct walked {
	ag_str path;
	ag_val *v;
	size_t n, cap;
	uint64_t ndoc, ndoc_null;
	size_t last_doc, last_null; /* + 1 */
} walked;

typedef struct walker {
	ag_arena *arena;
	walked paths[MAX_PATHS];
	size_t npath, doc;
} walker;

static void walk(walker *w, ag_str at, const ag_step *step, const ag_val *v)
{
	ag_buf b = AG_BUF_INIT(1000);
	walked *p = NULL;
	ag_str text;

	ag_buf_add(&b, at);
	ag_path_append(&b, step);
	text = ag_buf_dup(w->arena, &b);
	ag_buf_release(&b);
	for (size_t i = 0; i < w->npath && !p; i++)
		p = ag_str_eq(w->paths[i].path, text) ? &w->paths[i] : NULL;
	if (!p) {
		assert_true(w->npath < MAX_PATHS);
		p = &w->paths[w->npath++];
		p->path = text;
	}
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 16;
		p->v = (ag_val *)ag_xrealloc(p->v, p->cap * sizeof(*p->v));
	}
	p->v[p->n++] = *v;
	p->ndoc += p->last_doc != w->doc + 1;
	p->last_doc = w->doc + 1;
	if (v->type == AG_T_NULL) {
		p->ndoc_null += p->last_null != w->doc + 1;
		p->last_null = w->doc + 1;
	}
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		ag_step next = { ag_str_eqc(text, "m") ? AG_STEP_ANY : AG_STEP_NAME,
			         v->u.members[i].key };

		walk(w, text, &next, &v->u.members[i].val);
	}
	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		walk(w, text, &(ag_step){ AG_STEP_ELEM, { 0 } }, &v->u.items[i]);
}

static int val_cmp(const void *x, const void *y)
{
	return ag_val_cmp((const ag_val *)x, (const ag_val *)y);
}

static int double_cmp(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static bool is_scalar(const ag_val *v)
{
	return v->type != AG_T_OBJECT && v->type != AG_T_ARRAY && v->type != AG_T_NULL;
}

static void assert_values(const ag_path_profile *p, const walked *w)
{
	size_t n = 0;
	uint64_t ndistinct = 0, nrepeated = 0, before = UINT64_MAX;
	ag_val *v = (ag_val *)ag_xmalloc((w->n + 1) * sizeof(*v));

	for (size_t i = 0; i < w->n; i++)
		if (is_scalar(&w->v[i]))
			v[n++] = w->v[i];
	qsort(v, n, sizeof(*v), val_cmp);
	assert_int_equal(p->nscalar, n);
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i + 1; to < n && ag_val_eq(&v[i], &v[to]);)
			to++;
		ndistinct++;
		nrepeated += to - i > 1 ? to - i : 0;
		for (size_t k = 0; k < p->nvalue; k++)
			if (ag_val_eq(&p->values[k].v, &v[i]))
				assert_int_equal(p->values[k].n, to - i);
	}
	assert_int_equal(p->ndistinct, ndistinct);
	assert_int_equal(p->nrepeated, nrepeated);
	assert_int_equal(p->nvalue, ndistinct > 1000 ? 50 : ndistinct);
	for (size_t k = 0; k < p->nvalue; k++) {
		assert_true(p->values[k].n <= before);
		if (p->values[k].n == before)
			assert_true(ag_val_cmp(&p->values[k - 1].v, &p->values[k].v) < 0);
		before = p->values[k].n;
	}
	free(v);
}

static void assert_numbers(const ag_path_profile *p, const walked *w)
{
	double *v = (double *)ag_xmalloc((w->n + 1) * sizeof(*v)), *d;
	size_t n = 0;
	long double sum = 0;

	for (size_t i = 0; i < w->n; i++)
		if (ag_type_is_number(w->v[i].type))
			sum += v[n++] = ag_val_number(&w->v[i]);
	assert_int_equal(p->num.n, n);
	if (n == 0) {
		free(v);
		return;
	}
	qsort(v, n, sizeof(*v), double_cmp);
	assert_true(p->num.q.min == v[0] && p->num.q.max == v[n - 1]);
	assert_true(p->num.q.p001 == v[(n + 999) / 1000 - 1]);
	assert_true(p->num.q.p25 == v[(n + 3) / 4 - 1]);
	assert_true(p->num.q.p50 == v[(n + 1) / 2 - 1]);
	assert_true(p->num.q.p95 == v[(n * 95 + 99) / 100 - 1]);
	assert_true(fabs(p->num.mean - (double)(sum / (long double)n)) <=
	            1e-15 * fabs(p->num.mean) + 1e-300);
	d = (double *)ag_xmalloc(n * sizeof(*d));
	for (size_t i = 0; i < n; i++)
		d[i] = fabs(v[i] - v[(n + 1) / 2 - 1]);
	qsort(d, n, sizeof(*d), double_cmp);
	assert_true(p->num.mad == d[(n + 1) / 2 - 1]);
	free(d);
	free(v);
}

static void assert_same(const ag_profile *p, const walker *w)
{
	assert_int_equal(p->npath, w->npath);
	for (size_t i = 0; i < w->npath; i++) {
		const walked *x = &w->paths[i];
		const ag_path_profile *y = ag_profile_find(p, x->path);
		uint64_t by_type[AG_NTYPE] = { 0 };

		if (!y)
			fail_msg("no path %.*s", AG_FMT(x->path));
		assert_int_equal(y->n, x->n);
		assert_int_equal(y->ndoc, x->ndoc);
		assert_int_equal(y->ndoc_null, x->ndoc_null);
		for (size_t k = 0; k < x->n; k++)
			by_type[x->v[k].type]++;
		assert_memory_equal(y->by_type, by_type, sizeof(by_type));
		assert_values(y, x);
		assert_numbers(y, x);
	}
}

static void random_tables_against_a_walk(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		ag_arena *a = ag_arena_new();
		size_t n = round == 3 ? 5000 : 1000 + 300 * round;
		ag_val *docs = docs_random_many(a, 99 + round, n);
		ag_table *t = docs_table(docs, n);
		walker *w = (walker *)ag_xcalloc(1, sizeof(*w));
		ag_profile p = profile_with(t, a, 2);

		w->arena = a;
		for (size_t i = 0; i < n; i++) {
			w->doc = i;
			for (uint32_t k = 0; k < docs[i].n; k++) {
				ag_step step = { AG_STEP_NAME, docs[i].u.members[k].key };

				walk(w, AG_S(""), &step, &docs[i].u.members[k].val);
			}
		}
		assert_same(&p, w);
		for (size_t i = 0; i < w->npath; i++)
			free(w->paths[i].v);
		free(w);
		ag_table_free(t);
		ag_arena_free(a);
	}
}

static void assert_equal_histograms(const ag_histogram *a, const ag_histogram *b)
{
	assert_int_equal(a != NULL, b != NULL);
	if (a)
		assert_memory_equal(a, b, sizeof(*a));
}

static void assert_equal_numbers(const ag_path_profile *x, const ag_path_profile *y)
{
	ag_num_profile num = y->num;
	ag_date_profile date = y->date;
	ag_array_profile arr = y->arr;

	assert_equal_histograms(x->num.histogram, y->num.histogram);
	assert_equal_histograms(x->date.histogram, y->date.histogram);
	assert_equal_histograms(x->arr.histogram, y->arr.histogram);
	assert_equal_histograms(x->str.histogram, y->str.histogram);
	/* The rest of each is plain data. */
	num.histogram = x->num.histogram;
	date.histogram = x->date.histogram;
	arr.histogram = x->arr.histogram;
	assert_memory_equal(&x->num, &num, sizeof(num));
	assert_memory_equal(&x->date, &date, sizeof(date));
	assert_memory_equal(&x->arr, &arr, sizeof(arr));
}

static void assert_equal_profiles(const ag_profile *a, const ag_profile *b)
{
	assert_int_equal(a->npath, b->npath);
	for (size_t i = 0; i < a->npath; i++) {
		const ag_path_profile *x = &a->paths[i], *y = &b->paths[i];

		assert_true(ag_str_eq(x->path, y->path));
		assert_memory_equal(x->by_type, y->by_type, sizeof(x->by_type));
		assert_equal_numbers(x, y);
		assert_memory_equal(x->str.by_class, y->str.by_class, sizeof(x->str.by_class));
		assert_int_equal(x->str.nshape_all, y->str.nshape_all);
		for (size_t k = 0; k < x->str.nshape; k++) {
			assert_true(ag_str_eq(x->str.shapes[k].shape, y->str.shapes[k].shape));
			assert_true(ag_str_eq(x->str.shapes[k].example, y->str.shapes[k].example));
		}
		assert_int_equal(x->nvalue, y->nvalue);
		for (size_t k = 0; k < x->nvalue; k++) {
			assert_int_equal(x->values[k].n, y->values[k].n);
			assert_int_equal(x->values[k].v.type, y->values[k].v.type);
			assert_true(ag_val_eq(&x->values[k].v, &y->values[k].v));
		}
	}
}

static void threads_change_nothing(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_val *docs = docs_random_many(a, 4711, 9000);
	ag_table *t = docs_table(docs, 9000);
	ag_profile one = profile_with(t, a, 1), two = profile_with(t, a, 2),
		   eight = profile_with(t, a, 8);

	(void)state;
	assert_true(one.npath > 50);
	assert_equal_profiles(&one, &two);
	assert_equal_profiles(&one, &eight);
	ag_table_free(t);
	ag_arena_free(a);
}

static void a_cancelled_profile_stops(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_val *docs = docs_random_many(a, 3, 100);
	ag_table *t = docs_table(docs, 100);
	atomic_bool cancel = true;
	ag_ctx ctx = docs_ctx(2);
	ag_profile p = { .npath = 77 };
	ag_err err = { 0 };

	(void)state;
	ctx.cancel = &cancel;
	assert_int_equal(ag_table_profile(t, &ctx, a, &p, &err), AG_CANCELLED);
	assert_int_equal(p.npath, 77); /* ret is written on success only */
	ag_table_free(t);
	ag_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_and_parents),
		cmocka_unit_test(numbers),
		cmocka_unit_test(quantiles_by_nearest_rank),
		cmocka_unit_test(strings),
		cmocka_unit_test(dates_and_ids),
		cmocka_unit_test(maps),
		cmocka_unit_test(the_most_frequent_of_many),
		cmocka_unit_test(nothing),
		cmocka_unit_test(random_tables_against_a_walk),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(a_cancelled_profile_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
