/* profile_values -- how many different values, how many of them repeated, and the list of values.
 *
 * Every table's values are offered to one list. As long as there are at most AG_PROFILE_MAX_VALUES different
 * values, all are kept and sorted in the end; otherwise the list holds the AG_PROFILE_TOP best so far, in
 * order, and most offers fail at the count of the last one. */
#include <stdlib.h>

#include "columns/profile_impl.h"

typedef struct ranking {
	ag_value_count *v;
	size_t n;
	bool is_complete;
	uint64_t nscalar, nrepeated;
} ranking;

/* More frequent first, then by value. */
static int cmp(const void *x, const void *y)
{
	const ag_value_count *a = (const ag_value_count *)x, *b = (const ag_value_count *)y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return ag_val_cmp(&a->v, &b->v);
}

static void offer(ranking *r, ag_val v, uint64_t n)
{
	ag_value_count x = { v, n };
	size_t at;

	r->nscalar += n;
	r->nrepeated += n > 1 ? n : 0;
	if (r->is_complete) {
		r->v[r->n++] = x;
		return;
	}
	if (r->n == AG_PROFILE_TOP) {
		if (n < r->v[r->n - 1].n || cmp(&x, &r->v[r->n - 1]) > 0)
			return;
		r->n--;
	}
	for (at = r->n++; at > 0 && cmp(&x, &r->v[at - 1]) < 0; at--)
		r->v[at] = r->v[at - 1];
	r->v[at] = x;
}

static ag_val text_val(const ag_text_count *x)
{
	return ag_val_str(ag_str_make(x->ptr, x->len));
}

static ag_val oid_val(const ag_text_count *x)
{
	ag_val v = { .type = AG_T_OID };

	memcpy(v.u.oid, x->ptr, sizeof(v.u.oid));
	return v;
}

static ag_val double_val(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return ag_val_double(d);
}

static void offer_all(ranking *r, const ag_counted *c)
{
	for (size_t i = 0; i < c->ints.n; i++)
		offer(r, ag_val_int((int64_t)c->ints.v[i].key), c->ints.v[i].n);
	for (size_t i = 0; i < c->doubles.n; i++)
		offer(r, double_val(c->doubles.v[i].key), c->doubles.v[i].n);
	for (size_t i = 0; i < c->decimals.n; i++)
		offer(r, c->decimals.v[i].val, c->decimals.v[i].n);
	for (size_t i = 0; i < c->texts.n; i++)
		offer(r, text_val(&c->texts.v[i]), c->texts.v[i].n);
	for (size_t i = 0; i < c->dates.n; i++)
		offer(r, ag_val_date((int64_t)c->dates.v[i].key), c->dates.v[i].n);
	for (size_t i = 0; i < c->oids.n; i++)
		offer(r, oid_val(&c->oids.v[i]), c->oids.v[i].n);
	for (size_t i = 0; i < c->others.n; i++)
		offer(r, c->others.v[i].val, c->others.v[i].n);
	for (unsigned i = 0; i < 2; i++)
		if (c->nbool[i] > 0)
			offer(r, ag_val_bool(i), c->nbool[i]);
}

void ag_profile_values(const ag_counted *c, ag_arena *arena, ag_path_profile *ret)
{
	ranking r = { 0 };

	ret->ndistinct = c->ints.n + c->doubles.n + c->decimals.n + c->texts.n + c->dates.n +
	                 c->oids.n + c->others.n + (c->nbool[0] > 0) + (c->nbool[1] > 0);
	r.is_complete = ret->ndistinct <= AG_PROFILE_MAX_VALUES;
	r.v = ag_new_n(arena, ag_value_count, r.is_complete ? ret->ndistinct : AG_PROFILE_TOP);
	offer_all(&r, c);
	if (r.is_complete)
		qsort(r.v, r.n, sizeof(*r.v), cmp);
	ret->nscalar = r.nscalar;
	ret->nrepeated = r.nrepeated;
	ret->values = r.v;
	ret->nvalue = r.n;
	ret->values_complete = r.is_complete;
}
