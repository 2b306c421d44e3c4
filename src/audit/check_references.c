/* check_references -- row 50: references to documents that another collection of the folder or database does not have.
 *
 * A field refers to the key of another collection when most of its values are there, and when it is called like the key
 * ("policy_no" in both) or like the collection ("customer_id", customers), or when the values are long enough that no
 * chance makes them equal. Names, addresses and dates refer to nothing: two lists of people share some of them.
 *
 * What is known of a sample only is asked of the server before anything is said: all values of the field, and which of them
 * are there.
 *
 * Speaks: up to 20% of the documents with the field; above low up to 5%, and not for one value that repeats: it stands
 * for something else. */
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

#define MAX_VALUES 200000 /* different values of a field that are fetched from a server */
#define PROBE      500    /* of them, to find out whether they refer to something */

/* What all columns share. */
typedef struct references {
	const ag_across *x;
	ag_neighbour_ask ask;
	const ag_neighbour_key **keys;
	size_t nkey;
	ag_arena *arena;
} references;

/* The values of a field, with the number of their rows. */
typedef struct column {
	const ag_frame_col *c;
	const ag_val *values;
	const uint32_t *count;
	uint32_t n;
} column;

typedef struct match {
	const ag_neighbour_key *key;
	const bool *is_there; /* per value */
	uint64_t rows, there;
	uint32_t nbroken, nthere; /* values */
	bool is_long;             /* the values that are there */
} match;

static bool is_long(const ag_val *v)
{
	return v->type == AG_T_OID || (v->type == AG_T_STRING && v->n >= LONG_VALUE);
}

/* *ret_known false: nobody knows which values the key has. */
static ag_status match_of(const references *r, const column *c, const ag_neighbour_key *k,
                          match *ret, bool *ret_known, ag_err *err)
{
	bool *there = ag_new_n(r->arena, bool, c->n + 1);
	ag_status st = ag_neighbours_have(r->x->neighbours, &r->ask, k, c->values, c->n, there,
	                                  ret_known, err);

	*ret = (match){ .key = k, .is_long = true, .is_there = there };
	for (uint32_t i = 0; !st && *ret_known && i < c->n; i++) {
		ret->rows += c->count[i];
		ret->there += there[i] ? c->count[i] : 0;
		ret->nthere += there[i];
		ret->nbroken += !there[i];
		ret->is_long = ret->is_long && (!there[i] || is_long(&c->values[i]));
	}
	return st;
}

static bool refers(const match *m, bool is_named)
{
	return m->nthere >= MIN_VALUES && (double)m->there >= MOST_THERE * (double)m->rows &&
	       (is_named || (m->is_long && m->nthere >= MANY_VALUES));
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

static void suspect(const column *col, const match *m, ag_hypotheses *out)
{
	const ag_frame_col *c = col->c;
	ag_arena *a = out->arena;
	ag_val *broken = ag_new_n(a, ag_val, m->nbroken);
	const uint64_t nrow = m->rows - m->there;
	const bool is_sure = ag_share(nrow, m->rows) <= FEW && (m->nbroken > 1 || nrow < 3);
	ag_hypothesis *h;
	size_t n = 0;

	for (uint32_t i = 0; i < col->n; i++)
		if (!m->is_there[i])
			broken[n++] = col->values[i];
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

/* The field's values in all documents, in the place of those in the sample. What the server does not count stays as it is: the
 * evidence then lists the broken values of the sample. */
static ag_status complete(const references *r, column *io, ag_err *err)
{
	ag_source *s = r->ask.source;
	ag_source_value_list list = { 0 };
	ag_err why = { 0 };
	ag_status st;

	if (!s || ag_source_info_of(s)->whole)
		return AG_OK;
	st = ag_source_values(s, r->x->ctx, r->arena, io->c->f->path, MAX_VALUES, &list, &why);
	if (st == AG_CANCELLED || (st == AG_TIMEOUT && ag_ctx_check(r->x->ctx, NULL))) {
		if (err)
			*err = why;
		return st;
	}
	if (st || !list.n)
		return AG_OK;
	io->values = list.values;
	io->count = list.count;
	io->n = (uint32_t)list.n;
	return AG_OK;
}

/* Some of the values, at equal distances. */
static column probe_of(const references *r, const column *c)
{
	const uint32_t n = c->n < PROBE ? c->n : PROBE;
	ag_val *values = ag_new_n(r->arena, ag_val, n + 1);
	uint32_t *count = ag_new_n(r->arena, uint32_t, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = (uint32_t)((uint64_t)i * c->n / n);

		values[i] = c->values[at];
		count[i] = c->count[at];
	}
	return (column){ c->c, values, count, n };
}

/* Is it worth a question to the server? */
static bool may_ask(const column *c, const ag_neighbour_key *k, bool is_named)
{
	uint32_t nlong = 0;

	if (!k->is_sample || is_named)
		return true;
	for (uint32_t i = 0; k->is_id && i < c->n; i++)
		nlong += is_long(&c->values[i]);
	return nlong >= MANY_VALUES && nlong >= MOST_THERE * c->n;
}

/* Finds the key that holds most of the values; best->key stays NULL when no key holds any. */
static ag_status find_best(const references *r, const column *c, match *best, bool *best_named,
                           ag_err *err)
{
	const column probe = probe_of(r, c);
	double most = 0;

	*best = (match){ 0 };
	for (size_t i = 0; i < r->nkey; i++) {
		const ag_neighbour_key *k = r->keys[i];
		const bool is_named = is_named_for(r->arena, c->c, k);
		bool is_known;
		match m;
		ag_status st;

		if (!may_ask(c, k, is_named))
			continue;
		st = match_of(r, k->is_sample ? &probe : c, k, &m, &is_known, err);
		if (st)
			return st;
		if (!is_known || !refers(&m, is_named) || ag_share(m.there, m.rows) <= most)
			continue;
		most = ag_share(m.there, m.rows);
		*best = m;
		*best_named = is_named;
	}
	return AG_OK;
}

static ag_status check_column(const references *r, const ag_frame_col *c, ag_hypotheses *out,
                              ag_err *err)
{
	column all = { c, c->values, c->count, c->nvalue };
	bool is_named = false, is_known = true;
	match best;
	ag_status st = find_best(r, &all, &best, &is_named, err);

	if (st || !best.key)
		return st;
	st = complete(r, &all, err);
	if (!st && (all.values != c->values || best.key->is_sample))
		st = match_of(r, &all, best.key, &best, &is_known, err);
	if (!st && is_known && refers(&best, is_named) && best.nbroken && best.nbroken <= MAX_LIST)
		suspect(&all, &best, out);
	return st;
}

ag_status ag_check_references(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	references r = {
		.x = x,
		.ask = { .ctx = x->ctx, .key = x->own, .source = x->source, .limits = x->limits },
		.arena = scratch
	};
	ag_status st;

	if (!x->neighbours)
		return AG_OK;
	st = ag_neighbours_keys(x->neighbours, &r.ask, scratch, &r.keys, &r.nkey, err);
	for (size_t i = 0; !st && r.nkey && i < x->frames->n; i++) {
		const ag_frame *fr = &x->frames->items[i];

		st = ag_ctx_check(x->ctx, err);
		for (size_t c = 0; !st && c < fr->ncol; c++)
			if (fr->step == 1 && may_refer(&fr->cols[c]))
				st = check_column(&r, &fr->cols[c], out, err);
	}
	ag_neighbours_rest(x->neighbours);
	return st;
}
