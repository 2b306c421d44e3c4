/* check_copies -- row 26: documents that come twice, and row 25: keys of two fields that repeat.
 *
 * A copy has the same value in every field; a field that is different in all documents (a number given by the import)
 * does not count. Few fields of few values are equal by chance, so what chance would give is estimated and must be
 * next to nothing. Copies with a changed value are not found.
 *
 * Two fields are a key when each repeats, chance alone would repeat the pair often, and yet it hardly ever does:
 * (sensor, time), (order, line). */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#define MIN_ROWS      8
#define MIN_COLS      3     /* filled fields of a document that can be a copy */
#define MAX_GROUPED   40    /* fields in the evidence */
#define CHANCE        0.05  /* equal pairs that chance may give */
#define OPEN_BITS     10    /* of a field that hardly repeats a value */
#define MAX_SHARE     0.5   /* of the documents */
#define MAX_NEAR_ROWS 50000 /* more documents are not compared for near copies */
#define NEAR_TIMES    4    /* times what the near copies let expect: so many copies may be chance */
#define PAIR_EXPECT   50   /* repeated pairs by chance, at least */
#define PAIR_RATIO    0.05 /* of which so few are there */
#define MAX_PAIRS     200  /* listed in a filter */
#define PAIR_COLS     40
#define MAX_PAIR_DUP  0.05 /* of the documents */
#define MIN_OF_FEW    4    /* repeats: fewer may share a value by chance */

typedef struct row_hash {
	uint64_t hash;
	uint32_t row;
} row_hash;

static int by_hash(const void *x, const void *y)
{
	const row_hash *a = (const row_hash *)x, *b = (const row_hash *)y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static uint64_t mixed(uint64_t h, uint64_t x)
{
	h ^= x + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
	h *= UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ (h >> 29);
}

/* Different in every document, as only an identifier is. */
static bool is_row_number(const ag_frame *fr, const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);

	return c->nvalue == c->nfilled && c->nfilled * 10ull >= fr->nrow * 9ull &&
	       (c->f->by_type[AG_T_OID] || c->f->num.nint * 10 >= c->f->nscalar * 9 ||
	        ag_name_is_identifier(&n) || n.last & (AG_TRAIT_KEY | AG_TRAIT_ID));
}

/* Bits by which two rows differ in this column if they are drawn by chance. */
static double bits_of(const ag_frame *fr, const ag_frame_col *c)
{
	const double n = fr->nrow, none = n - c->nfilled;
	double same = none * none / (n * n);

	for (uint32_t i = 0; i < c->nvalue; i++)
		same += (double)c->count[i] * c->count[i] / (n * n);
	same = -log2(same > 0 ? same : 1);
	/* Few documents say little of how many values there could be: names, times. */
	return c->nvalue * 10ull >= c->nfilled * 8ull && same < OPEN_BITS ? OPEN_BITS : same;
}

/* ---- whole documents ---- */

typedef struct copies {
	const ag_frame *fr;
	const ag_frame_col **cols; /* compared */
	size_t ncol;
	row_hash *rows; /* that have enough fields */
	size_t nrow, ngroup, in_groups;
	size_t nplain;    /* of the columns: no identifiers */
	uint8_t *is_copy; /* [nrow of the frame] */
} copies;

static uint64_t hash_row(const copies *c, uint32_t row, size_t *ret_filled)
{
	uint64_t h = 0;

	*ret_filled = 0;
	for (size_t i = 0; i < c->ncol; i++) {
		h = mixed(h, c->cols[i]->code[row]);
		*ret_filled += c->cols[i]->code[row] != 0;
	}
	return h;
}

static void find_copies(copies *c, ag_arena *a)
{
	const ag_frame *fr = c->fr;
	size_t filled;

	c->cols = ag_new_n(a, const ag_frame_col *, fr->ncol + 1);
	c->rows = ag_new_n(a, row_hash, fr->nrow + 1);
	c->is_copy = ag_new_n(a, uint8_t, fr->nrow + 1);
	for (size_t i = 0; i < fr->ncol; i++) {
		const ag_field_name n = ag_field_name_of(fr->cols[i].f->owner);

		if (is_row_number(fr, &fr->cols[i]))
			continue;
		c->cols[c->ncol++] = &fr->cols[i];
		c->nplain += !ag_name_is_identifier(&n);
	}
	for (uint32_t r = 0; r < fr->nrow; r++) {
		const uint64_t h = hash_row(c, r, &filled);

		if (filled >= MIN_COLS && filled * 2 >= c->ncol)
			c->rows[c->nrow++] = (row_hash){ h, r };
	}
	qsort(c->rows, c->nrow, sizeof(*c->rows), by_hash);
	for (size_t i = 0, k; i < c->nrow; i = k) {
		for (k = i + 1; k < c->nrow && c->rows[k].hash == c->rows[i].hash;)
			k++;
		if (k == i + 1)
			continue;
		c->ngroup++;
		c->in_groups += k - i;
		for (size_t j = i; j < k; j++)
			c->is_copy[c->rows[j].row] = 1;
	}
}

/* Equal pairs that chance would give: of the pairs that are equal in the field that tells most, those that are equal in
 * the others, too. Fields depend on each other, so only half of the others' bits count. */
static double chance_of(const copies *c)
{
	double bits = 0, most = -1, pairs = 0;

	for (size_t i = 0; i < c->ncol; i++) {
		const double b = bits_of(c->fr, c->cols[i]);

		bits += b;
		if (b <= most)
			continue;
		most = b;
		pairs = 0;
		for (uint32_t k = 0; k < c->cols[i]->nvalue; k++)
			pairs += (double)c->cols[i]->count[k] * (c->cols[i]->count[k] - 1.0) / 2;
	}
	return pairs * exp2(-(bits - most) / 2);
}

typedef struct weighed {
	const ag_frame_col *col;
	double bits;
} weighed;

static int by_bits(const void *x, const void *y)
{
	const weighed *a = (const weighed *)x, *b = (const weighed *)y;

	if (a->bits != b->bits)
		return a->bits > b->bits ? -1 : 1;
	return a->col < b->col ? -1 : a->col > b->col;
}

/* [{$group by the fields}, those of more than one, their documents]. The fields that tell most come first. */
static ag_str copies_pipeline(ag_arena *a, const ag_frame *fr, const ag_frame_col *const *cols,
                              size_t n, const ag_val *match)
{
	weighed *w = ag_new_n(a, weighed, n);
	ag_member *id;
	ag_val stages[4], one = OBJ(a, KV("$sum", ag_val_int(1)));
	size_t k = 0, nstage = 0;

	for (size_t i = 0; i < n; i++)
		w[i] = (weighed){ cols[i], bits_of(fr, cols[i]) };
	qsort(w, n, sizeof(*w), by_bits);
	n = n < MAX_GROUPED ? n : MAX_GROUPED;
	id = ag_new_n(a, ag_member, n);
	for (size_t i = 0; i < n; i++) {
		const ag_ev_place at = ag_ev_place_of(a, w[i].col->f);

		if (!at.ok || at.array.len)
			continue;
		/* Names in an _id cannot hold a dot. */
		id[k] = (ag_member){ ag_str_printf(a, "f%zu", k + 1),
			             ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(at.whole))) };
		k++;
	}
	if (match)
		stages[nstage++] = OBJ(a, KV("$match", *match));
	stages[nstage++] = OBJ(a,
	                       KV("$group", OBJ(a, KV("_id", ag_ev_obj(a, id, k)), KV("n", one))));
	stages[nstage++] = OBJ(a, KV("$match", OBJ(a, KV("n", OBJ(a, KV("$gt", ag_val_int(1)))))));
	stages[nstage++] = OBJ(a, KV("$group",
	                             OBJ(a, KV("_id", ag_val_null()),
	                                 KV("documents", OBJ(a, KV("$sum", ag_ev_text("$n")))),
	                                 KV("keys", one))));
	one = ag_ev_arr(a, stages, nstage);
	return k >= 2 ? ag_ev_str(a, &one) : AG_S("");
}

/* Pairs of neighbours in rows, by hash. */
static size_t equal_pairs(row_hash *rows, size_t n)
{
	size_t pairs = 0;

	qsort(rows, n, sizeof(*rows), by_hash);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && rows[k].hash == rows[i].hash;)
			k++;
		pairs += (k - i) * (k - i - 1) / 2;
	}
	return pairs;
}

/* Many documents are equal but for one field, and of these some are equal in that one as well: chance makes them. */
static bool has_near_copies(const copies *c, ag_arena *a)
{
	row_hash *rows = ag_new_n(a, row_hash, c->nrow + 1);
	size_t equal;

	if (c->nrow > MAX_NEAR_ROWS)
		return false;
	memcpy(rows, c->rows, c->nrow * sizeof(*rows));
	equal = equal_pairs(rows, c->nrow);
	for (size_t j = 0; j < c->ncol; j++) {
		const double same = exp2(-bits_of(c->fr, c->cols[j]));
		size_t near;

		for (size_t i = 0; i < c->nrow; i++) {
			uint64_t h = 0;

			for (size_t k = 0; k < c->ncol; k++)
				if (k != j)
					h = mixed(h, c->cols[k]->code[c->rows[i].row]);
			rows[i] = (row_hash){ h, c->rows[i].row };
		}
		near = equal_pairs(rows, c->nrow) - equal;
		if (same < 1 && (double)near * same / (1 - same) * NEAR_TIMES >= (double)equal)
			return true;
	}
	return false;
}

static void suspect_copies(const copies *c, ag_arena *scratch, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;
	bool is_chance;

	if (!c->ngroup || (double)c->in_groups > MAX_SHARE * c->fr->nrow || c->ncol < MIN_COLS ||
	    c->nplain < 2 || chance_of(c) > CHANCE)
		return;
	is_chance = has_near_copies(c, scratch);
	h = ag_suspect(out, c->cols[0]->f, "duplicate_document", is_chance ? AG_LOW : AG_MEDIUM,
	               is_chance ? 0.5 : 0.9, copies_pipeline(a, c->fr, c->cols, c->ncol, NULL));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->field = AG_S("(document)");
	h->min_count = 2;
	h->max_share = MAX_SHARE;
	ag_suspect_say(
		h, "documents are equal in every field but the one that numbers them",
		"an import that ran twice, or a form that was sent twice",
		"keep one document of each group, and load with a key that refuses the second");
	h->detail = ag_str_printf(a, "%zu groups of equal documents", c->ngroup);
}

/* ---- keys of two fields ---- */

/* One of several that name a thing or a time: no measure, no text for people. */
static bool may_be_part(const ag_frame *fr, const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);

	if (c->nvalue < 3 || c->nfilled * 100ull < fr->nrow * 95ull ||
	    c->nvalue * 2ull > c->nfilled || ag_path_is_prose(c->f, &n) ||
	    n.traits & (AG_TRAIT_MONEY | AG_TRAIT_MEASURE | AG_TRAIT_PERCENT | AG_TRAIT_RATING |
	                AG_TRAIT_PHONE))
		return false;
	for (uint32_t i = 0; i < c->nvalue; i++)
		if (c->values[i].type == AG_T_DOUBLE || c->values[i].type == AG_T_DECIMAL)
			return false;
	return true;
}

static bool names_a_key(const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);

	return ag_name_is_identifier(&n) || c->f->date.n ||
	       n.last & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_TIME | AG_TRAIT_NAME |
	                 AG_TRAIT_YEAR);
}

typedef struct pair {
	const ag_frame_col *a, *b;
	double expected;
	uint64_t repeated;
} pair;

/* Pairs of rows with equal a and b, and how many chance would give. */
static void weigh_pair(const ag_frame *fr, const ag_grouped *g, pair *p, uint32_t *count)
{
	const double same = exp2(-bits_of(fr, p->b));

	for (uint32_t k = 1; k <= p->a->nvalue; k++) {
		const double n = g->at[k + 1] - g->at[k];

		p->expected += n * (n - 1) / 2 * same;
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++) {
			const uint32_t code = p->b->code[g->row[i]];

			if (code)
				p->repeated += count[code]++;
		}
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++)
			count[p->b->code[g->row[i]]] = 0;
	}
}

/* The rows of a pair that repeats, unless they are whole copies: {"a": …, "b": …} for each. */
static size_t repeated_pairs(const copies *c, const ag_grouped *g, const pair *p, uint32_t *count,
                             ag_val *ret, ag_arena *a, size_t *ret_rows)
{
	size_t n = 0;

	*ret_rows = 0;
	for (uint32_t k = 1; k <= p->a->nvalue; k++) {
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++)
			count[p->b->code[g->row[i]]] += !c->is_copy[g->row[i]];
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++) {
			const uint32_t code = p->b->code[g->row[i]];
			ag_member two[2];

			if (!code || count[code] < 2) {
				count[code] = 0;
				continue;
			}
			*ret_rows += count[code];
			count[code] = 0;
			two[0] = (ag_member){ ag_ev_key(a, p->a->f), p->a->values[k - 1] };
			two[1] = (ag_member){ ag_ev_key(a, p->b->f), p->b->values[code - 1] };
			if (n < MAX_PAIRS)
				ret[n] = ag_ev_obj(a, two, 2);
			n++;
		}
	}
	return n;
}

/* Nearly all repeats share one value of b: two things have it by nature, as two models that came out on one day have
 * the same date in each shop. */
static bool are_of_few(const ag_val *pairs, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t same = 0;

		for (size_t k = 0; k < n; k++)
			same += ag_val_eq(&pairs[i].u.members[1].val, &pairs[k].u.members[1].val);
		most = same > most ? same : most;
	}
	return n >= MIN_OF_FEW && most * 2 > n;
}

static void suspect_pair(const copies *c, const ag_grouped *g, const pair *p, uint32_t *count,
                         ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_val *clauses = ag_new_n(a, ag_val, MAX_PAIRS);
	const ag_frame_col *two[2] = { p->a, p->b };
	size_t rows, n = repeated_pairs(c, g, p, count, clauses, a, &rows);
	ag_hypothesis *h;

	if (!n || (double)rows > MAX_PAIR_DUP * c->fr->nrow ||
	    (n <= MAX_PAIRS && are_of_few(clauses, n)))
		return;
	h = ag_suspect(out, p->b->f, "duplicates", AG_MEDIUM, 0.7,
	               n <= MAX_PAIRS && c->fr->step == 1
	                       ? ag_ev_rows(a, p->b->f, clauses, n)
	                       : copies_pipeline(a, c->fr, two, 2, NULL));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->min_count = 2;
	ag_suspect_say(
		h, "", "a record that was sent or loaded twice with another content",
		"keep the right document of each pair, and create a unique index over both fields");
	h->what = ag_str_printf(a, "together with %.*s it is a key, and a few pairs occur twice",
	                        AG_FMT(p->a->f->path));
	h->detail = ag_str_printf(a, "%zu pairs; chance alone would repeat %.0f", n, p->expected);
}

static ag_status find_pair(const ag_across *x, const copies *c, ag_arena *a, ag_hypotheses *out,
                           ag_err *err)
{
	const ag_frame *fr = c->fr;
	const size_t ncol = fr->ncol < PAIR_COLS ? fr->ncol : PAIR_COLS;
	uint32_t *count, most = 0, best_a = 0;
	pair best = { 0 };
	ag_status st = AG_OK;

	for (size_t i = 0; i < ncol; i++)
		most = fr->cols[i].nvalue > most ? fr->cols[i].nvalue : most;
	count = ag_new_n(a, uint32_t, (size_t)most + 1);
	for (uint32_t i = 0; !st && i < ncol; i++) {
		ag_grouped g = { 0 };

		st = ag_ctx_check(x->ctx, err);
		for (uint32_t k = 0; !st && k < ncol; k++) {
			pair p = { &fr->cols[i], &fr->cols[k], 0, 0 };

			if (i == k || !may_be_part(fr, p.a) || !may_be_part(fr, p.b) ||
			    p.a->nvalue > p.b->nvalue || !names_a_key(p.b) ||
			    (!names_a_key(p.a) && !p.a->f->str.n))
				continue;
			if (!g.row)
				g = ag_frame_group(fr, p.a, a);
			weigh_pair(fr, &g, &p, count);
			if (p.expected >= PAIR_EXPECT &&
			    (double)p.repeated <= PAIR_RATIO * p.expected &&
			    p.expected > best.expected) {
				best = p;
				best_a = i;
			}
		}
	}
	if (!st && best.repeated) {
		const ag_grouped g = ag_frame_group(fr, &fr->cols[best_a], a);

		suspect_pair(c, &g, &best, count, out);
	}
	return st;
}

ag_status ag_check_copies(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *a = ag_arena_new();
	copies c = { 0 };

	if (!x->frames->n || x->frames->items[0].nrow < MIN_ROWS || !x->frames->items[0].ncol)
		return AG_OK;
	c.fr = &x->frames->items[0];
	find_copies(&c, a);
	suspect_copies(&c, a, out);
	return find_pair(x, &c, a, out, err);
}
