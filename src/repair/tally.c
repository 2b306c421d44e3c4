/* tally -- what the values of a field look like where nothing is wrong with them. */
#include <stdlib.h>

#include "repair/fix.h"

void ag_tally_walk(const ag_val *v, const ag_step *steps, size_t n,
                   void (*fn)(void *arg, const ag_val *v), void *arg)
{
	while (n && steps->kind == AG_STEP_ELEM && v->type != AG_T_ARRAY) {
		steps++;
		n--;
	}
	if (!n) {
		fn(arg, v);
		return;
	}
	if (v->type == AG_T_ARRAY) {
		const size_t used = steps->kind == AG_STEP_ELEM;

		for (uint32_t i = 0; i < v->n; i++)
			ag_tally_walk(&v->u.items[i], steps + used, n - used, fn, arg);
		return;
	}
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		const ag_member *m = &v->u.members[i];

		if (steps->kind == AG_STEP_NAME && !ag_str_eq(m->key, steps->name))
			continue;
		ag_tally_walk(&m->val, steps + 1, n - 1, fn, arg);
		if (steps->kind == AG_STEP_NAME)
			return;
	}
}

bool ag_tally_is_sentence(ag_str s)
{
	s = ag_str_trim(s);
	return s.len && strchr(".!?", s.ptr[s.len - 1]);
}

static void add_text(ag_tally *t, ag_str s)
{
	size_t digits = 0;
	int first, second;

	if (t->texts.n < AG_FIX_MAX_VALUES)
		ag_text_map_add(&t->texts, s.ptr, (uint32_t)s.len, 1);
	else
		t->is_full = true;
	t->nsentence += ag_tally_is_sentence(s);
	while (digits < s.len && s.ptr[digits] >= '0' && s.ptr[digits] <= '9')
		digits++;
	if (digits && digits == s.len) {
		t->ndigits++;
		t->nlen[s.len < AG_FIX_MAX_LEN ? s.len : AG_FIX_MAX_LEN]++;
	}
	if (s.len >= 6 && s.len <= AG_FIX_MAX_LEN) {
		const ag_date_format form = ag_text_date_format(s, &first, &second);

		t->ndate[form]++;
		t->ndate_long += form && s.len != 10;
		t->nmark_day_first += form == AG_DATE_SLASH && first > 12;
		t->nmark_month_first += form == AG_DATE_SLASH && second > 12;
	}
}

static void add_number(ag_tally *t, const ag_val *view)
{
	const double x = ag_val_number(view);
	char text[AG_NUM_MAX];
	size_t n, at = 0;

	t->min = t->min <= x && t->nnumber ? t->min : x;
	t->max = t->max >= x && t->nnumber ? t->max : x;
	t->nnumber++;
	if (view->type != AG_T_DOUBLE)
		return;
	n = ag_num_double(text, x, false);
	while (at < n && text[at] != '.' && text[at] != 'e')
		at++;
	/* Noise such as 0.30000000000000004 says nothing of how exact the field is. */
	if (at < n && text[at] == '.' && n - at - 1 > t->decimals && n - at - 1 < 10)
		t->decimals = (unsigned)(n - at - 1);
}

void ag_tally_add(ag_tally *t, const ag_val *v, const ag_val *view)
{
	if (v->type == AG_T_NULL || v->type == AG_T_MISSING || view->type == AG_T_NULL ||
	    (v->type == AG_T_STRING && !v->n))
		return;
	t->n++;
	t->ntype[view->type]++;
	if (v->type == AG_T_STRING)
		add_text(t, ag_val_text(v));
	if (ag_type_is_number(view->type))
		add_number(t, view);
}

void ag_tally_release(ag_tally *t)
{
	ag_text_map_release(&t->texts);
	*t = (ag_tally){ 0 };
}

uint64_t ag_tally_count(const ag_tally *t, ag_str text)
{
	const size_t i = ag_text_map_find(&t->texts, text.ptr, (uint32_t)text.len);

	return i == SIZE_MAX ? 0 : t->texts.v[i].n;
}
