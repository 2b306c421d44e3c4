/* set -- see the header. */
#include "knowledge/set.h"

#include <stdlib.h>

#include "base/utf8.h"

ag_know_set *ag_know_set_new(void)
{
	ag_arena *arena = ag_arena_new();
	ag_know_set *s = ag_new(arena, ag_know_set);

	s->arena = arena;
	return s;
}

ag_know_set *ag_know_set_free(ag_know_set *s)
{
	if (s)
		ag_arena_free(s->arena);
	return NULL;
}

static int by_kind(const void *a, const void *b)
{
	const ag_know *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return ag_str_cmp(x->name, y->name);
}

static void order(ag_know_set *s)
{
	size_t at = 0;

	if (s->n)
		qsort(s->all, s->n, sizeof(*s->all), by_kind);
	for (int k = 0; k < AG_KNOW_NKIND; k++) {
		s->from[k] = at;
		while (at < s->n && s->all[at].kind == (ag_know_kind)k)
			at++;
	}
	s->from[AG_KNOW_NKIND] = at;
}

ag_know_set *ag_know_set_of(const ag_know *objects, size_t n)
{
	ag_know_set *s = ag_know_set_new();

	s->all = ag_new_n(s->arena, ag_know, n + 1);
	for (size_t i = 0; i < n; i++) {
		s->all[i] = objects[i];
		s->all[i].name = ag_str_dup(s->arena, objects[i].name);
		s->all[i].key = ag_str_dup(s->arena, objects[i].key);
		s->all[i].body = ag_val_dup(s->arena, &objects[i].body);
	}
	s->n = n;
	order(s);
	return s;
}

static void read_rows(ag_know_set *s, const ag_object_row *rows, size_t n)
{
	s->all = ag_new_n(s->arena, ag_know, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (ag_know_of_row(&rows[i], s->arena, &s->all[s->n], NULL))
			s->nbad++;
		else
			s->n++;
	}
	order(s);
}

ag_status ag_know_set_load(ag_store *store, ag_str project, ag_know_set **set, ag_err *err)
{
	ag_object_stamp now;
	ag_object_row *rows;
	ag_know_set *s;
	size_t n;
	ag_status st = ag_store_object_stamp(store, project, &now, err);

	if (st)
		return st;
	if (*set && (*set)->stamp.nrow == now.nrow && (*set)->stamp.versions == now.versions &&
	    (*set)->stamp.changed_ms == now.changed_ms)
		return AG_OK;
	s = ag_know_set_new();
	st = now.nrow ? ag_know_rows(store, project, AG_KNOW_NKIND, s->arena, &rows, &n, err)
	              : AG_OK;
	if (st) {
		ag_know_set_free(s);
		return st;
	}
	if (now.nrow)
		read_rows(s, rows, n);
	s->stamp = now;
	ag_know_set_free(*set);
	*set = s;
	return AG_OK;
}

static bool is_same_name(ag_str a, ag_str b)
{
	AG_AUTO(ag_buf_release) ag_buf low = AG_BUF_INIT(2 * AG_OBJECT_MAX_NAME);

	if (a.len != b.len)
		return false;
	ag_buf_add(&low, a);
	ag_buf_add(&low, b);
	if (low.failed)
		return false;
	ag_utf8_lower(low.ptr, low.len);
	return !a.len || memcmp(low.ptr, low.ptr + a.len, a.len) == 0;
}

const ag_know *ag_know_find(const ag_know_set *s, ag_know_kind kind, ag_str name)
{
	for (size_t i = s->from[kind]; i < s->from[kind + 1]; i++) {
		if (is_same_name(s->all[i].name, name))
			return &s->all[i];
	}
	return NULL;
}

double ag_know_confidence(const ag_know *o, int64_t now_ms)
{
	const int64_t since = o->used_ms > o->changed_ms ? o->used_ms : o->changed_ms;
	const int64_t steps = now_ms > since ? (now_ms - since) / AG_KNOW_FADE_MS : 0;
	const double left = o->confidence - AG_KNOW_FADE_STEP * (double)steps;

	/* Only what is learnt by the way fades. */
	if (o->kind != AG_KNOW_LEARNING)
		return o->confidence;
	return left > 0 ? left : 0;
}
