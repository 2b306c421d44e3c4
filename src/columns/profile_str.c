/* profile_str -- what the strings of a path look like.
 *
 * Every question is asked once per different string and counted with its occurrences. Lengths and word counts
 * go into small counting tables, from which quantiles are exact. */
#include <stdlib.h>

#include "base/time.h"
#include "columns/profile_impl.h"

#define MAX_SHAPES  10000 /* free text has a shape per string: nothing to learn beyond */
#define CHECK_EVERY 65536

typedef struct strings {
	ag_str_profile *p;
	ag_arena *arena;
	ag_u64_map lengths, words;
	ag_text_map shapes;
	ag_str examples[MAX_SHAPES]; /* by number of the shape */
} strings;

/* Code points of valid UTF-8: all bytes but continuations, eight at a time. */
static uint64_t code_points(const char *s, size_t len)
{
	uint64_t cont = 0, w;
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		memcpy(&w, s + i, 8);
		w = w >> 7 & ~(w >> 6) & UINT64_C(0x0101010101010101);
		cont += w * UINT64_C(0x0101010101010101) >> 56;
	}
	for (; i < len; i++)
		cont += ((unsigned char)s[i] & 0xc0) == 0x80;
	return len - cont;
}

static bool is_all_space(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != ' ' && !(s.ptr[i] >= '\t' && s.ptr[i] <= '\r'))
			return false;
	return true;
}

static void add_numeric(ag_str_profile *p, ag_str s, uint64_t n)
{
	size_t i = 0;

	if (p->numeric_min_len == 0 || s.len < p->numeric_min_len)
		p->numeric_min_len = s.len;
	if (s.len > p->numeric_max_len)
		p->numeric_max_len = s.len;
	while (s.ptr[i] < '0' || s.ptr[i] > '9')
		i++; /* white space and a sign */
	if (s.ptr[i] == '0' && i + 1 < s.len && s.ptr[i + 1] >= '0' && s.ptr[i + 1] <= '9')
		p->nleading_zero += n;
}

static void add_date(ag_str_profile *p, ag_str s, uint64_t n)
{
	int first, second;

	p->by_date[ag_text_date_format(s, &first, &second)] += n;
	p->day_first += first > 12 ? n : 0;
	p->month_first += second > 12 ? n : 0;
}

static void add_shape(strings *t, ag_str s, uint64_t n)
{
	char shape[AG_TEXT_SHAPE_MAX];
	uint32_t len = (uint32_t)ag_text_shape_into(shape, s);
	size_t i;

	if (t->shapes.n == MAX_SHAPES) {
		i = ag_text_map_find(&t->shapes, shape, len);
		if (i != SIZE_MAX)
			t->shapes.v[i].n += n;
		return;
	}
	i = ag_text_map_add(&t->shapes, shape, len, n);
	if (t->examples[i].ptr)
		return;
	t->examples[i] = s;
	t->shapes.v[i].ptr = ag_str_dup(t->arena, ag_str_make(shape, len)).ptr;
}

static void add_string(strings *t, const ag_text_count *x)
{
	ag_str s = ag_str_make(x->ptr, x->len);
	ag_str_profile *p = t->p;
	unsigned classes = ag_text_classify(s);

	p->n += x->n;
	if (s.len == 0)
		p->nempty += x->n;
	else if (classes >> AG_TEXT_PADDED & 1 && is_all_space(s))
		p->nblank += x->n;
	for (unsigned c = 0; classes >> c; c++)
		p->by_class[c] += classes >> c & 1 ? x->n : 0;
	if (classes >> AG_TEXT_NUMERIC & 1)
		add_numeric(p, s, x->n);
	add_date(p, s, x->n);
	ag_u64_map_add(&t->lengths, code_points(s.ptr, s.len), x->n);
	ag_u64_map_add(&t->words, ag_text_words(s), x->n);
	add_shape(t, s, x->n);
}

static int by_count(const void *x, const void *y)
{
	const ag_shape_count *a = (const ag_shape_count *)x, *b = (const ag_shape_count *)y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return ag_str_cmp(a->shape, b->shape);
}

static void fill_shapes(strings *t)
{
	ag_shape_count *all = ag_new_n(t->arena, ag_shape_count, t->shapes.n);

	for (size_t i = 0; i < t->shapes.n; i++) {
		all[i].shape = ag_str_make(t->shapes.v[i].ptr, t->shapes.v[i].len);
		all[i].n = t->shapes.v[i].n;
		all[i].example = t->examples[i];
	}
	qsort(all, t->shapes.n, sizeof(*all), by_count);
	t->p->shapes = all;
	t->p->nshape_all = t->shapes.n;
	t->p->nshape = t->shapes.n < AG_PROFILE_SHAPES ? t->shapes.n : AG_PROFILE_SHAPES;
}

/* "AAA-9999" becomes "A-9"; 0 when that is too long for a form. */
static size_t form_of(ag_str shape, char out[AG_FORM_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < shape.len; i++) {
		char c = shape.ptr[i];

		if (n && out[n - 1] == c && (c == 'A' || c == 'a' || c == '9' || c == ' '))
			continue;
		if (n == AG_FORM_MAX)
			return 0;
		out[n++] = c;
	}
	return n;
}

static int by_form_count(const void *x, const void *y)
{
	const ag_form_count *a = (const ag_form_count *)x, *b = (const ag_form_count *)y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return ag_str_cmp(a->form, b->form);
}

/* From all shapes, in their final order, so that the example of a form is that of its most frequent shape. */
static void fill_forms(strings *t)
{
	ag_form_count *all = ag_new_n(t->arena, ag_form_count, t->shapes.n);
	ag_text_map seen = { 0 };

	for (size_t i = 0; i < t->shapes.n; i++) {
		const ag_shape_count *s = &t->p->shapes[i];
		char form[AG_FORM_MAX];
		size_t len = form_of(s->shape, form), at;

		if (!len)
			continue;
		at = ag_text_map_add(&seen, form, (uint32_t)len, s->n);
		if (!all[at].form.ptr) {
			all[at].form = ag_str_dup(t->arena, ag_str_make(form, len));
			all[at].example = s->example;
			seen.v[at].ptr = all[at].form.ptr;
		}
		all[at].n += s->n;
		t->p->in_forms += s->n;
	}
	qsort(all, seen.n, sizeof(*all), by_form_count);
	t->p->forms = all;
	t->p->nform_all = seen.n;
	t->p->nform = seen.n < AG_PROFILE_FORMS ? seen.n : AG_PROFILE_FORMS;
	ag_text_map_release(&seen);
}

static void fill_lengths(strings *t)
{
	ag_str_profile *p = t->p;
	double sum = 0;

	ag_u64_sort(t->lengths.v, t->lengths.n);
	for (size_t i = 0; i < t->lengths.n; i++)
		sum += (double)t->lengths.v[i].key * (double)t->lengths.v[i].n;
	p->mean_length = sum / (double)p->n;
	ag_profile_quantiles(t->lengths.v, t->lengths.n, ag_profile_int_value, &p->length);
	p->histogram = ag_histogram_make(t->lengths.v, t->lengths.n, p->n, &p->length,
	                                 &ag_profile_of_ints, t->arena);
}

/* Texts that are ISO dates, where nearly all are: a source without a type for dates has these. */
static void fill_dates(const ag_counted *c, ag_arena *arena, ag_str_profile *p)
{
	const uint64_t nfull = p->n - p->nempty - p->nblank;
	ag_u64_map dates = { 0 };
	int64_t ms;

	if (p->by_date[AG_DATE_ISO] == 0 ||
	    (double)p->by_date[AG_DATE_ISO] < AG_PROFILE_TEXT_DATES * (double)nfull)
		return;
	for (size_t i = 0; i < c->texts.n; i++)
		if (ag_time_parse_iso(ag_str_make(c->texts.v[i].ptr, c->texts.v[i].len), &ms))
			ag_u64_map_add(&dates, (uint64_t)ms, c->texts.v[i].n);
	ag_profile_dates(&dates, arena, &p->dates);
	ag_u64_map_release(&dates);
}

ag_status ag_profile_strings(const ag_counted *c, const ag_ctx *ctx, ag_arena *arena,
                             ag_str_profile *ret, ag_err *err)
{
	strings *t;
	ag_quantiles words;
	ag_status st = AG_OK;

	if (c->texts.n == 0)
		return AG_OK;
	t = (strings *)ag_xcalloc(1, sizeof(*t));
	t->p = ret;
	t->arena = arena;
	for (size_t i = 0; i < c->texts.n && !st; i++) {
		if (i % CHECK_EVERY == 0)
			st = ag_ctx_check(ctx, err);
		add_string(t, &c->texts.v[i]);
	}
	fill_lengths(t);
	fill_dates(c, arena, ret);
	ag_u64_sort(t->words.v, t->words.n);
	ag_profile_quantiles(t->words.v, t->words.n, ag_profile_int_value, &words);
	ret->words = words.p50;
	fill_shapes(t);
	fill_forms(t);
	ag_u64_map_release(&t->lengths);
	ag_u64_map_release(&t->words);
	ag_text_map_release(&t->shapes);
	free(t);
	return st;
}
