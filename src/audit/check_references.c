/* check_references -- row 50: references to documents that the other collection of the folder does not have.
 *
 * A field refers to the key of another collection when most of its values are there, and when it is called like the key
 * ("policy_no" in both) or like the collection ("customer_id", customers), or when the values are long enough that no
 * chance makes them equal. Names, addresses and dates refer to nothing: two lists of people share some of them.
 *
 * Speaks: up to 20% of the documents with the field; above low up to 5%, and not for one value that repeats: it stands
 * for something else. */
#include <stdlib.h>

#include "audit/checks.h"
#include "audit/neighbours.h"

#define MIN_VALUES  5
#define MOST_THERE  0.8  /* of the rows refer to something */
#define FEW         0.05 /* above low up to here */
#define MAX_LIST    2000 /* broken references that the evidence lists */
#define MIN_STEM    3
#define LONG_VALUE  8 /* bytes: equal values are no chance */
#define MANY_VALUES 20
#define MAX_SHARE   0.2

typedef struct match {
	const ag_neighbour_key *key;
	uint64_t rows, there;
	uint32_t nbroken, nthere; /* values */
	bool is_long;             /* the values that are there */
} match;

static bool has(const ag_neighbour_key *k, uint64_t hash)
{
	size_t lo = 0, hi = k->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (k->hashes[mid] < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->n && k->hashes[lo] == hash;
}

static bool refers(const ag_neighbour_key *k, const ag_val *v)
{
	uint64_t hash;

	return ag_neighbour_hash(v, &hash) && has(k, hash);
}

static match match_of(const ag_frame_col *c, const ag_neighbour_key *k)
{
	match m = { .key = k, .is_long = true };

	for (uint32_t i = 0; i < c->nvalue; i++) {
		const bool is_there = refers(k, &c->values[i]);

		m.rows += c->count[i];
		m.there += is_there ? c->count[i] : 0;
		m.nthere += is_there;
		m.nbroken += !is_there;
		m.is_long = m.is_long &&
		            (!is_there || c->values[i].type == AG_T_OID ||
		             (c->values[i].type == AG_T_STRING && c->values[i].n >= LONG_VALUE));
	}
	return m;
}

/* Letters and digits of a name, small. */
static ag_str folded(ag_arena *a, ag_str s)
{
	char *out = ag_arena_alloc(a, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? (char)(s.ptr[i] | 32)
		                                                  : s.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80)
			out[n++] = c;
	}
	return ag_str_make(out, n);
}

/* "customer_id" and "customers": the field begins with the collection's name but for its end. */
static bool is_named_for(ag_arena *a, const ag_frame_col *c, const ag_neighbour_key *k)
{
	const ag_str name = folded(a, c->f->owner), to = folded(a, k->collection);
	size_t same = 0;

	if (ag_str_eq(name, folded(a, k->name)))
		return true;
	while (same < name.len && same < to.len && name.ptr[same] == to.ptr[same])
		same++;
	return same >= MIN_STEM && same + 3 >= to.len;
}

static bool may_refer(const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);

	return c->nvalue >= MIN_VALUES && !c->f->in_map &&
	       !(n.last & (AG_TRAIT_EMAIL | AG_TRAIT_NAME | AG_TRAIT_PERSON | AG_TRAIT_TIME |
	                   AG_TRAIT_PROSE | AG_TRAIT_PHONE)) &&
	       c->f->date.n * 2 < c->f->n && c->f->str.by_date[AG_DATE_NONE] * 2 >= c->f->str.n;
}

static void suspect(const ag_frame_col *c, const match *m, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_val *broken = ag_new_n(a, ag_val, m->nbroken);
	const uint64_t nrow = m->rows - m->there;
	const bool is_sure = ag_share(nrow, m->rows) <= FEW && (m->nbroken > 1 || nrow < 3);
	ag_hypothesis *h;
	size_t n = 0;

	for (uint32_t i = 0; i < c->nvalue; i++)
		if (!refers(m->key, &c->values[i]))
			broken[n++] = c->values[i];
	h = ag_suspect(out, c->f, "referential", is_sure ? AG_MEDIUM : AG_LOW, 0.8,
	               ag_ev_where(a, c->f, OBJ(a, KV("$in", ag_ev_arr(a, broken, n)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = MAX_SHARE;
	ag_suspect_say(h, "",
	               "documents that were removed there, a partial export, or a slip in the key",
	               "restore the documents that are referred to, or correct the references");
	h->what = ag_str_printf(a, "no document of %.*s has this %.*s", AG_FMT(m->key->collection),
	                        AG_FMT(m->key->path));
	h->detail = ag_str_printf(a, "%u of %u values are not there, such as %.*s", m->nbroken,
	                          m->nbroken + m->nthere, AG_FMT(ag_quote_value(a, &broken[0])));
}

static void check_column(const ag_frame_col *c, const ag_neighbour_key **keys, size_t n,
                         ag_arena *scratch, ag_hypotheses *out)
{
	match best = { 0 };

	for (size_t i = 0; i < n; i++) {
		const bool is_named = is_named_for(scratch, c, keys[i]);
		const match m = match_of(c, keys[i]);

		if (m.nthere < MIN_VALUES || (double)m.there < MOST_THERE * (double)m.rows ||
		    (!is_named && !(m.is_long && m.nthere >= MANY_VALUES)))
			continue;
		if (!best.key || m.there > best.there)
			best = m;
	}
	if (best.key && best.nbroken && best.nbroken <= MAX_LIST)
		suspect(c, &best, out);
}

ag_status ag_check_references(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const ag_neighbour_key **keys;
	size_t n;
	ag_status st;

	if (!x->neighbours)
		return AG_OK;
	st = ag_neighbours_keys(x->neighbours, x->ctx, x->own, scratch, &keys, &n, err);
	for (size_t i = 0; !st && n && i < x->frames->n; i++) {
		const ag_frame *fr = &x->frames->items[i];

		st = ag_ctx_check(x->ctx, err);
		for (size_t c = 0; !st && c < fr->ncol; c++)
			if (fr->step == 1 && may_refer(&fr->cols[c]))
				check_column(&fr->cols[c], keys, n, scratch, out);
	}
	return st;
}
