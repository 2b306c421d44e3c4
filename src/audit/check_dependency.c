/* check_dependency -- row 28: a value that another field of the same document contradicts.
 *
 * "zip" decides "city" when nearly all documents with one zip have one city. Such dependencies are found by counting;
 * in each document the ones that are broken are then explained by as few cells as possible, so that a wrong city that
 * breaks zip -> city, city -> state and city -> county is one wrong cell. A cell is blamed only where more dependencies
 * contradict it than agree with it.
 *
 * Several sources that report one key (flight and source are unique together, the other fields depend on the flight)
 * are put to the vote: there a majority decides, however much is wrong.
 *
 * A field and another one of the same object or with the same first word (depot, depot_name) may be a dependency that is
 * broken far more often: then each group has another usual value, and what is odd is spread over many values. That is low.
 * So is a value that changed once in each broken group: see ag_frame_changes_once().
 *
 * Speaks: dependencies broken in at most 10% of the rows that can be judged, those of one object up to 45%, votes up to
 * 50%. Groups of fewer than MIN_GROUP rows cannot be judged. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#define MIN_GROUP  3  /* rows with one value of the determinant */
#define MIN_JUDGED 10 /* rows in such groups */
#define FEW_JUDGED 60 /* fewer such rows may agree by chance */
#define CHANCE_BITS \
	8 /* and one for each group: what chance does not explain, with so many pairs of fields */
#define MAX_BROKEN    0.10 /* of the judged rows */
#define MAX_OF_CHANCE 0.2  /* of the errors that guessing the most frequent value makes */
#define SCREEN_ROWS   2000 /* after so many judged rows a hopeless pair is given up */
#define WEAK_BROKEN   0.45 /* the same, of two fields of one thing */
#define WEAK_JUDGED   40   /* rows */
#define WEAK_SPREAD \
	0.9 /* of the odd rows: their value is a third as frequent as the usual one, or rarer */
#define WEAK_DECIDED 0.9 /* of the groups have a majority */
#define WEAK_OTHERS  0.4 /* of the rows: their usual value is not the most frequent of all */
#define OPEN_ODD     4   /* odd rows of which nearly all are in one group */
#define OPEN_SHARE   0.9
#define OPEN_CHANCE  0.01 /* that the same number of strays ended there */
#define VOTE_BROKEN  0.5
#define VOTE_OFF     0.8 /* of the errors that guessing the most frequent value makes */
#define VOTE_DECIDED 0.8 /* of the groups have a majority */
#define CLEAR_RATIO  3   /* the usual value is at least so much more frequent in its group */
#define MAX_DEPS     256
#define MAX_COLS     120
#define MAX_CLAUSES  1000
#define MAX_VALUES   5000
#define MAX_SHARE    0.5 /* of a field's values: more are no exceptions */
#define DETAIL_BYTES 400

/* The value of column a decides the value of column b. */
typedef struct dep {
	uint32_t a, b;
	double broken;
	bool is_vote, is_weak;
	uint32_t *usual; /* [nvalue of a + 1] the code of b that goes with it; 0 = not judged */
	uint32_t *n;     /* the same: rows with that value */
} dep;

#define CLASS_WORDS ((MAX_COLS + 63) / 64)

typedef struct search {
	const ag_across *x;
	uint32_t *
		same; /* [ncol] the first column that decides it and is decided by it: a name, its address */
	const ag_frame *fr;
	ag_arena *arena; /* of this frame */
	ag_grouped *by;  /* [ncol] filled when needed */
	uint32_t *mode;  /* [ncol] the most frequent code */
	uint32_t *count; /* scratch, by code of b: zero between uses */
	uint32_t *seen;  /* scratch: the codes counted */
	dep *deps;
	size_t ndep;
} search;

typedef struct tally {
	uint64_t rows, odd, single, spread, off,
		other_rows; /* other_rows: in groups that go with no frequent value */
	uint32_t groups, decided, pure;
	uint32_t open, open_rows, open_odd, open_values; /* the group with most odd rows */
} tally;

static bool is_measure(const ag_frame_col *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nvalue; i++)
		n += c->values[i].type == AG_T_DOUBLE || c->values[i].type == AG_T_DECIMAL;
	return n * 5 > c->nvalue;
}

/* "1,000" is an amount too. */
static bool is_grouped_number(const ag_val *v)
{
	const ag_str s = v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");
	size_t comma = 0;

	for (size_t i = 0; i < s.len; i++) {
		comma += s.ptr[i] == ',';
		if (s.ptr[i] != ',' && (s.ptr[i] < '0' || s.ptr[i] > '9') && (i || s.ptr[i] != '-'))
			return false;
	}
	return comma && s.len >= 5 && s.ptr[s.len - 4] == ',';
}

/* Two amounts agree by chance: an amount decides nothing, save where its name says that it is a code. */
static bool is_amount(const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);
	uint32_t ngrouped = 0;

	for (uint32_t i = 0; i < c->nvalue; i++)
		ngrouped += is_grouped_number(&c->values[i]);
	if (ngrouped * 5 > c->nvalue)
		return true;
	return ag_path_numbers(c->f) && !ag_name_is_identifier(&n) &&
	       n.traits & (AG_TRAIT_MONEY | AG_TRAIT_MEASURE) &&
	       !(n.traits & (AG_TRAIT_KEY | AG_TRAIT_CODE));
}

static bool may_decide(const ag_frame *fr, const ag_frame_col *c)
{
	return c->nvalue >= 2 && c->nfilled >= MIN_JUDGED && c->nfilled * 2 >= fr->nrow &&
	       c->nvalue * 10ull <= c->nfilled * 6ull && !is_measure(c) && !is_amount(c) &&
	       !ag_path_is_prose(c->f, &(ag_field_name){ 0 });
}

static bool may_depend(const ag_frame *fr, const ag_frame_col *c)
{
	return c->nvalue >= 2 && c->nfilled >= MIN_JUDGED && c->nfilled * 4 >= fr->nrow &&
	       c->nvalue * 10ull <= c->nfilled * 9ull;
}

/* One group: rows with one value of a. Returns the code of b that most have, its count and the others'. */
static uint32_t judge_group(search *s, const uint32_t *rows, uint32_t n, const ag_frame_col *b,
                            tally *t, uint32_t *ret_n, bool *ret_open)
{
	uint32_t nseen = 0, best = 0, filled = 0;

	*ret_open = false;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t code = b->code[rows[i]];

		if (!code)
			continue;
		filled++;
		if (!s->count[code]++)
			s->seen[nseen++] = code;
	}
	for (uint32_t i = 0; i < nseen; i++)
		if (!best || s->count[s->seen[i]] > s->count[best])
			best = s->seen[i];
	*ret_n = best ? s->count[best] : 0;
	if (filled >= MIN_GROUP) {
		const uint32_t mode = s->mode[b - s->fr->cols];

		t->groups++;
		t->rows += filled;
		t->odd += filled - *ret_n;
		t->off += filled - s->count[mode];
		t->decided += *ret_n * 2 > filled;
		t->pure += *ret_n == filled;
		if (filled - *ret_n > t->open_odd) {
			t->open_odd = filled - *ret_n;
			t->open_rows = filled;
			t->open_values = nseen - 1;
			*ret_open = true;
		}
		t->other_rows += best != mode ? *ret_n : 0;
		for (uint32_t i = 0; i < nseen; i++)
			t->spread += s->seen[i] != best && s->count[s->seen[i]] * 3 <= *ret_n
			                     ? s->count[s->seen[i]]
			                     : 0;
		for (uint32_t i = 0; i < nseen; i++)
			if (s->seen[i] != best &&
			    (s->count[s->seen[i]] == 1 || s->count[s->seen[i]] * 10 <= filled))
				t->single += s->count[s->seen[i]];
	}
	for (uint32_t i = 0; i < nseen; i++)
		s->count[s->seen[i]] = 0;
	return filled >= MIN_GROUP && *ret_n >= 2 && *ret_n * 2 > filled ? best : 0;
}

static const ag_grouped *grouped(search *s, uint32_t a)
{
	if (!s->by[a].row)
		s->by[a] = ag_frame_group(s->fr, &s->fr->cols[a], s->arena);
	return &s->by[a];
}

/* Nearly all odd rows belong to one value of a, and hold many different values: a person who merges the work of others, or
 * a shop that sells everything. Errors would be spread over the groups. */
static bool has_open_group(const tally *t)
{
	return t->open_odd >= OPEN_ODD && (double)t->open_odd >= OPEN_SHARE * (double)t->odd &&
	       t->open_values >= 3 && (t->open_values >= 8 || t->open_values * 2 >= t->open_odd) &&
	       pow((double)t->open_rows / (double)t->rows, t->open_odd) < OPEN_CHANCE;
}

/* Counts a against b; false: hopeless, or not enough to say so. d->usual is filled. */
static bool measure(search *s, dep *d, tally *t, double limit)
{
	const ag_frame_col *a = &s->fr->cols[d->a], *b = &s->fr->cols[d->b];
	const ag_grouped *g = grouped(s, d->a);

	*t = (tally){ 0 };
	for (uint32_t k = 1; k <= a->nvalue; k++) {
		const uint32_t n = g->at[k + 1] - g->at[k];
		bool is_open;

		if (n < MIN_GROUP)
			continue;
		d->usual[k] = judge_group(s, g->row + g->at[k], n, b, t, &d->n[k], &is_open);
		t->open = is_open ? k : t->open;
		if (t->rows >= SCREEN_ROWS && (double)t->odd > limit * (double)t->rows)
			return false;
	}
	if (!d->is_vote && has_open_group(t))
		d->usual[t->open] = 0;
	d->broken = t->rows ? (double)t->odd / (double)t->rows : 1;
	return t->rows >= MIN_JUDGED && t->groups >= 3;
}

/* What a few rows of chance would do as well: the rows that the groups explain, and that the most frequent value does
 * not, are weighed against the number of groups, each of which has a most frequent value of its own. */
static bool is_chance(const tally *t)
{
	const double n = (double)t->rows, off = (double)t->off, odd = (double)t->odd;
	const double p = off / n, q = odd / n;
	double bits;

	if (t->rows >= FEW_JUDGED || off <= odd)
		return t->rows < FEW_JUDGED;
	bits = n * (p * log2(1 / p) + (1 - p) * log2(1 / (1 - p))) -
	       (odd ? n * (q * log2(1 / q) + (1 - q) * log2(1 / (1 - q))) : 0);
	return bits < CHANCE_BITS + t->groups;
}

static bool is_dependency(const tally *t, double broken)
{
	return !is_chance(t) && broken <= MAX_BROKEN &&
	       (double)t->odd <= MAX_OF_CHANCE * (double)t->off && t->other_rows >= MIN_GROUP &&
	       t->single * 10 >= t->odd * 8;
}

/* "insurer.code" and "insurer.name", "depot" and "depot_name". */
static bool are_of_one_thing(const ag_frame_col *a, const ag_frame_col *b)
{
	const ag_field_name x = ag_field_name_of(a->f->owner), y = ag_field_name_of(b->f->owner);

	if (a->f->parent != b->f->parent)
		return false;
	return a->f->parent != UINT32_MAX ||
	       (x.nword && y.nword && x.nword != y.nword && strcmp(x.word[0], y.word[0]) == 0);
}

static bool is_weak_dependency(const search *s, const dep *d, const tally *t)
{
	const double rows = (double)t->rows, odd = (double)t->odd;

	return d->broken <= WEAK_BROKEN && t->rows >= WEAK_JUDGED && t->groups >= 4 &&
	       odd <= 0.6 * (double)t->off && (double)t->spread >= WEAK_SPREAD * odd &&
	       (double)t->decided >= WEAK_DECIDED * t->groups &&
	       (double)t->other_rows >= WEAK_OTHERS * rows &&
	       are_of_one_thing(&s->fr->cols[d->a], &s->fr->cols[d->b]);
}

static void add_dep(search *s, const dep *d, const ag_frame_col *a)
{
	dep *kept = &s->deps[s->ndep++];

	*kept = *d;
	kept->usual = ag_new_n(s->arena, uint32_t, a->nvalue + 1);
	kept->n = ag_new_n(s->arena, uint32_t, a->nvalue + 1);
	memcpy(kept->usual, d->usual, (a->nvalue + 1) * sizeof(*d->usual));
	memcpy(kept->n, d->n, (a->nvalue + 1) * sizeof(*d->n));
}

static void clear(dep *d, const ag_frame_col *a)
{
	memset(d->usual, 0, (a->nvalue + 1) * sizeof(*d->usual));
	memset(d->n, 0, (a->nvalue + 1) * sizeof(*d->n));
}

/* ---- several sources for one key ---- */

/* Does column src tell apart the rows with one value of key? */
static bool is_source_of(search *s, uint32_t key, uint32_t src)
{
	const ag_frame_col *a = &s->fr->cols[key], *b = &s->fr->cols[src];
	const ag_grouped *g = grouped(s, key);
	uint64_t rows = 0, twice = 0;

	/* Sources are few, have names, and each reports many keys. */
	if (b->nvalue < MIN_GROUP || b->nvalue > 200 || b->nfilled * 10ull < s->fr->nrow * 9ull ||
	    b->nvalue * 4ull > b->nfilled || b->f->str.n * 10 < b->f->nscalar * 9)
		return false;
	for (uint32_t k = 1; k <= a->nvalue; k++) {
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++) {
			const uint32_t code = b->code[g->row[i]];

			rows += code != 0;
			twice += code && s->count[code]++ > 0;
		}
		for (uint32_t i = g->at[k]; i < g->at[k + 1]; i++)
			s->count[b->code[g->row[i]]] = 0;
	}
	return rows >= MIN_JUDGED && twice * 100 <= rows;
}

/* Another field tells which reports are the odd ones: the way there and the way back, and not a majority and its slips. */
static bool is_told(search *s, const dep *d)
{
	const ag_frame_col *a = &s->fr->cols[d->a], *b = &s->fr->cols[d->b];
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	uint8_t *mark = ag_new_n(arena, uint8_t, s->fr->nrow + 1);

	for (uint32_t row = 0; row < s->fr->nrow; row++) {
		const uint32_t key = a->code[row], value = b->code[row];

		if (key && value && d->usual[key])
			mark[row] = value == d->usual[key] ? AG_ROW_USUAL : AG_ROW_ODD;
	}
	return ag_frame_tells_odd(s->fr, b, mark);
}

/* Fields that depend on the key by majority; they count only when they are most of the others. */
static void find_votes(search *s, uint32_t key, dep *d)
{
	const ag_frame *fr = s->fr;
	const size_t before = s->ndep;
	size_t others = 0, agree = 0;
	uint32_t src = UINT32_MAX;
	tally t;

	if (fr->cols[key].nfilled < 4ull * fr->cols[key].nvalue)
		return;
	for (uint32_t c = 0; c < fr->ncol && c < MAX_COLS && src == UINT32_MAX; c++)
		if (c != key && is_source_of(s, key, c))
			src = c;
	if (src == UINT32_MAX)
		return;
	for (uint32_t b = 0; b < fr->ncol && b < MAX_COLS; b++) {
		const ag_frame_col *col = &fr->cols[b];

		/* The number of the row, and what belongs to the source, are no reports about the key. */
		if (b == key || b == src || !may_depend(fr, col))
			continue;
		others++;
		d->a = key;
		d->b = b;
		d->is_vote = true;
		clear(d, &fr->cols[key]);
		/* Where guessing the most frequent value of all is nearly as good, the key decides nothing. */
		if (!measure(s, d, &t, 1) || d->broken > VOTE_BROKEN || is_measure(col) ||
		    (double)t.odd > VOTE_OFF * (double)t.off ||
		    (double)t.decided < VOTE_DECIDED * t.groups || is_told(s, d))
			continue;
		agree++;
		if (s->ndep < MAX_DEPS && t.other_rows >= MIN_GROUP)
			add_dep(s, d, &fr->cols[key]);
	}
	d->is_vote = false;
	if (agree < 2 || agree * 2 < others)
		s->ndep = before;
}

static bool has_dep(const search *s, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < s->ndep; i++)
		if (s->deps[i].a == a && s->deps[i].b == b)
			return true;
	return false;
}

static void find_same(search *s)
{
	s->same = ag_new_n(s->arena, uint32_t, s->fr->ncol);
	for (uint32_t c = 0; c < s->fr->ncol; c++) {
		s->same[c] = c;
		for (uint32_t a = 0; a < c && s->same[c] == c; a++)
			if (has_dep(s, a, c) && has_dep(s, c, a))
				s->same[c] = s->same[a];
	}
}

static ag_status find_deps(search *s, ag_err *err)
{
	const ag_frame *fr = s->fr;
	const size_t ncol = fr->ncol < MAX_COLS ? fr->ncol : MAX_COLS;
	bool *decides = ag_new_n(s->arena, bool, ncol + 1);
	dep d = { .usual = ag_new_n(s->arena, uint32_t, fr->nrow + 1),
		  .n = ag_new_n(s->arena, uint32_t, fr->nrow + 1) };
	ag_status st = AG_OK;
	tally t;

	for (uint32_t a = 0; !st && a < ncol; a++) {
		decides[a] = may_decide(fr, &fr->cols[a]);
		st = ag_ctx_check(s->x->ctx, err);
		if (decides[a])
			find_votes(s, a, &d);
	}
	for (uint32_t a = 0; !st && a < ncol; a++) {
		for (uint32_t b = 0; decides[a] && b < ncol && s->ndep < MAX_DEPS; b++) {
			if (a == b || !may_depend(fr, &fr->cols[b]) || has_dep(s, a, b))
				continue;
			d.a = a;
			d.b = b;
			clear(&d, &fr->cols[a]);
			if (!measure(s, &d, &t, WEAK_BROKEN))
				continue;
			d.is_weak = !is_dependency(&t, d.broken);
			if ((d.is_weak && !is_weak_dependency(s, &d, &t)) ||
			    (t.odd && ag_frame_is_vouched(fr, &fr->cols[a], &fr->cols[b],
			                                  grouped(s, a), d.usual)))
				continue;
			d.is_weak = d.is_weak || ag_frame_changes_once(&fr->cols[a], &fr->cols[b],
			                                               grouped(s, a), d.usual);
			add_dep(s, &d, &fr->cols[a]);
		}
		st = ag_ctx_check(s->x->ctx, err);
	}
	return st;
}

/* ---- which cell is wrong ---- */

typedef struct blame {
	uint32_t b, a, code_a, code_b; /* columns, and the codes of the row */
	uint32_t n;                    /* rows */
	bool is_strong;
} blame;

typedef struct blames {
	blame *items;
	size_t n, cap;
} blames;

static void add_blame(blames *l, const blame *b)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->items = (blame *)ag_xrealloc(l->items, l->cap * sizeof(*l->items));
	}
	l->items[l->n++] = *b;
}

/* What the dependencies say of the cells of one row. */
typedef struct votes {
	uint32_t in, out, agree; /* broken: the cell is decided, decides; kept: it is decided */
	uint32_t best;           /* the least broken dependency that contradicts the cell */
	uint64_t against[CLASS_WORDS],
		in_favour[CLASS_WORDS]; /* by search.same: what is decided twice by one thing */
} votes;

static void add_class(uint64_t set[CLASS_WORDS], uint32_t c)
{
	set[c / 64] |= UINT64_C(1) << c % 64;
}

/* Do more things contradict the cell than agree with it? Columns that decide each other are one thing. */
static bool is_outvoted(const votes *v)
{
	int against = 0, in_favour = 0;

	for (size_t i = 0; i < CLASS_WORDS; i++) {
		against += __builtin_popcountll(v->against[i]);
		in_favour += __builtin_popcountll(v->in_favour[i]);
	}
	return v->in > v->agree && against > in_favour;
}

static bool is_named_key(const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);

	return ag_name_is_identifier(&n) || n.last & (AG_TRAIT_KEY | AG_TRAIT_CODE);
}

/* Blamed first: what more dependencies contradict; then what is decided; then the rarer value. */
static bool is_worse(const search *s, uint32_t row, const votes *v, uint32_t c, uint32_t than)
{
	const ag_frame_col *x = &s->fr->cols[c], *y = &s->fr->cols[than];
	const int sx = (int)(v[c].in + v[c].out) - (int)v[c].agree,
		  sy = (int)(v[than].in + v[than].out) - (int)v[than].agree;

	if (sx != sy)
		return sx > sy;
	if (is_named_key(x) != is_named_key(y))
		return is_named_key(y);
	if (x->code[row] && y->code[row])
		return x->count[x->code[row] - 1] < y->count[y->code[row] - 1];
	return false;
}

/* A value that is no other one: a slip in the usual value, or of another type. A rare value may well be right (Portland
 * lies in Maine, too). */
static bool is_slip(const ag_frame_col *c, uint32_t code, uint32_t usual)
{
	const ag_val *v = &c->values[code - 1], *u = &c->values[usual - 1];
	size_t shorter;

	if (c->count[code - 1] > 2)
		return false;
	if (v->type != AG_T_STRING || u->type != AG_T_STRING)
		return v->type != u->type;
	shorter = v->n < u->n ? v->n : u->n;
	return shorter >= 4 &&
	       ag_str_distance(ag_val_text(v), ag_val_text(u)) <= (shorter >= 8 ? 2 : 1);
}

/* Does the odd value belong to another value of a? One that belongs to none may be right: two people of one name. */
static bool belongs_elsewhere(const search *s, uint32_t col, uint32_t code, uint32_t a,
                              uint32_t code_a)
{
	for (size_t i = 0; i < s->ndep; i++) {
		const dep *d = &s->deps[i];

		if (d->a == col && d->b == a)
			return d->usual[code] && d->usual[code] != code_a;
	}
	return false;
}

/* The row's broken dependencies, explained by few cells. */
static void explain_row(search *s, uint32_t row, votes *v, uint8_t *state, blames *out)
{
	size_t left = 0;

	for (size_t i = 0; i < s->ndep; i++) {
		const dep *d = &s->deps[i];
		const uint32_t a = s->fr->cols[d->a].code[row], b = s->fr->cols[d->b].code[row];

		state[i] = !a || !b || !d->usual[a] ? 0 : d->usual[a] == b ? 1 : 2;
		left += state[i] == 2;
	}
	while (left) {
		uint32_t worst = UINT32_MAX;

		memset(v, 0, s->fr->ncol * sizeof(*v));
		for (size_t i = 0; i < s->ndep; i++) {
			const dep *d = &s->deps[i];

			v[d->b].agree += state[i] == 1;
			if (state[i])
				add_class(state[i] == 1 ? v[d->b].in_favour : v[d->b].against,
				          s->same[d->a]);
			if (state[i] != 2)
				continue;
			v[d->a].out += !d->is_vote;
			if (!v[d->b].in++ || d->broken < s->deps[v[d->b].best].broken)
				v[d->b].best = (uint32_t)i;
		}
		for (uint32_t c = 0; c < s->fr->ncol; c++)
			if (v[c].in + v[c].out &&
			    (worst == UINT32_MAX || is_worse(s, row, v, c, worst)))
				worst = c;
		if (is_outvoted(&v[worst])) {
			const dep *d = &s->deps[v[worst].best];
			const uint32_t code = s->fr->cols[worst].code[row];
			const blame one = {
				worst,
				d->a,
				s->fr->cols[d->a].code[row],
				code,
				1,
				d->is_vote || v[worst].in >= 2 + (uint32_t)d->is_weak ||
					is_slip(&s->fr->cols[worst], code,
				                d->usual[s->fr->cols[d->a].code[row]]) ||
					(!d->is_weak &&
				         (is_named_key(&s->fr->cols[d->a]) ||
				          belongs_elsewhere(s, worst, code, d->a,
				                            s->fr->cols[d->a].code[row])))
			};

			add_blame(out, &one);
		}
		for (size_t i = 0; i < s->ndep; i++)
			if (state[i] == 2 && (s->deps[i].a == worst || s->deps[i].b == worst)) {
				state[i] = 0;
				left--;
			}
	}
}

static int by_cell(const void *x, const void *y)
{
	const blame *a = (const blame *)x, *b = (const blame *)y;
	const uint32_t p[] = { a->b, a->a, a->code_a, a->code_b },
		       q[] = { b->b, b->a, b->code_a, b->code_b };

	for (size_t i = 0; i < AG_NELEM(p); i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

/* Equal ones become one; what is too frequent beside the usual value is no exception. */
static void merge_blames(const search *s, blames *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_cell);
	for (size_t i = 0; i < l->n; i++) {
		if (n && by_cell(&l->items[n - 1], &l->items[i]) == 0) {
			l->items[n - 1].n++;
			l->items[n - 1].is_strong |= l->items[i].is_strong;
		} else {
			l->items[n++] = l->items[i];
		}
	}
	l->n = n;
	n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const blame *b = &l->items[i];

		for (size_t k = 0; k < s->ndep; k++) {
			const dep *d = &s->deps[k];

			if (d->a != b->a || d->b != b->b)
				continue;
			if (d->is_vote || d->n[b->code_a] >= CLEAR_RATIO * b->n)
				l->items[n++] = *b;
			break;
		}
	}
	l->n = n;
}

/* ---- the hypotheses ---- */

static const dep *dep_of(const search *s, const blame *b)
{
	for (size_t k = 0; k < s->ndep; k++)
		if (s->deps[k].a == b->a && s->deps[k].b == b->b)
			return &s->deps[k];
	return NULL;
}

/* {"zip": …, "city": {"$in": […]}}: the documents with one value of a. Returns how many blames it took. */
static size_t clause_of(const search *s, ag_arena *a, const blame *l, size_t n, bool strong_only,
                        ag_val *ret, size_t *nvalue)
{
	const ag_frame_col *ca = &s->fr->cols[l->a], *cb = &s->fr->cols[l->b];
	ag_val *odd = NULL, cond;
	ag_member two[2];
	size_t k = 0, kept = 0;

	while (k < n && l[k].a == l->a && l[k].code_a == l->code_a)
		k++;
	odd = ag_new_n(a, ag_val, k);
	for (size_t i = 0; i < k; i++)
		if (l[i].is_strong || !strong_only)
			odd[kept++] = cb->values[l[i].code_b - 1];
	*nvalue += kept;
	if (s->fr->step > 1) {
		const ag_val usual[] = { cb->values[dep_of(s, l)->usual[l->code_a] - 1],
			                 ag_val_null(), ag_ev_text("") };

		cond = OBJ(a, KV("$nin", ag_ev_arr(a, usual, AG_NELEM(usual))));
	} else {
		cond = kept == 1 ? odd[0] : OBJ(a, KV("$in", ag_ev_arr(a, odd, kept)));
	}
	two[0] = (ag_member){ ag_ev_key(a, ca->f), ca->values[l->code_a - 1] };
	two[1] = (ag_member){ ag_ev_key(a, cb->f), cond };
	*ret = kept ? ag_ev_obj(a, two, 2) : ag_val_null();
	return k;
}

static void describe(const search *s, ag_arena *a, const blame *l, size_t n, bool strong_only,
                     ag_hypothesis *h)
{
	ag_buf b = AG_BUF_INIT(DETAIL_BYTES);
	size_t shown = 0;
	bool is_vote = false;

	for (size_t i = 0; i < n; i++) {
		const dep *d = dep_of(s, &l[i]);
		const ag_frame_col *ca = &s->fr->cols[l[i].a], *cb = &s->fr->cols[l[i].b];

		is_vote |= d->is_vote;
		if (shown == 3 || (strong_only && !l[i].is_strong))
			continue;
		ag_buf_addf(&b, "%s%.*s %.*s has %.*s in %u documents, not %.*s",
		            shown++ ? "; " : "", AG_FMT(ca->f->path),
		            AG_FMT(ag_quote_value(a, &ca->values[l[i].code_a - 1])),
		            AG_FMT(ag_quote_value(a, &cb->values[d->usual[l[i].code_a] - 1])),
		            d->n[l[i].code_a],
		            AG_FMT(ag_quote_value(a, &cb->values[l[i].code_b - 1])));
	}
	h->detail = ag_buf_dup(a, &b);
	ag_buf_release(&b);
	ag_suspect_say(h, "",
	               is_vote ? "sources that report the same thing differently"
	                       : "one of the two was entered by hand, or copied from another "
	                         "document",
	               "set the value to the one that all other documents have, and keep it in one "
	               "place only");
	h->what = is_vote ? ag_str_printf(
				    a, "most documents with the same %.*s agree on another value",
				    AG_FMT(s->fr->cols[l->a].f->path))
	                  : ag_str_printf(
				    a,
				    "the value contradicts %.*s: there is another one in nearly "
				    "all documents with the same value",
				    AG_FMT(s->fr->cols[l->a].f->path));
}

/* All blames of one column. */
static void suspect_column(const search *s, const blame *l, size_t n, ag_hypotheses *out)
{
	const ag_frame_col *col = &s->fr->cols[l->b];
	ag_arena *a = out->arena;
	ag_val *clauses = ag_new_n(s->arena, ag_val, n);
	size_t nclause = 0, nvalue = 0, strong = 0;
	uint64_t rows = 0;
	ag_hypothesis *h;

	for (size_t i = 0; i < n; i++)
		strong += l[i].is_strong;
	for (size_t i = 0; i < n; i++)
		rows += l[i].is_strong || !strong ? l[i].n : 0;
	if ((double)rows > MAX_SHARE * col->nfilled || !ag_ev_place_of(a, col->f).ok)
		return;
	for (size_t i = 0; i < n && nclause < MAX_CLAUSES && nvalue < MAX_VALUES;) {
		i += clause_of(s, s->arena, &l[i], n - i, strong > 0, &clauses[nclause], &nvalue);
		nclause += clauses[nclause].type == AG_T_OBJECT;
	}
	h = ag_suspect(out, col->f, "fd_violation", strong ? AG_MEDIUM : AG_LOW,
	               strong ? 0.85 : 0.5, ag_ev_rows(a, col->f, clauses, nclause));
	if (!h)
		return;
	ag_suspect_fix(h);
	describe(s, a, l, n, strong > 0, h);
}

static ag_status check_frame(const ag_across *x, const ag_frame *fr, ag_hypotheses *out,
                             ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	search s = { .x = x, .fr = fr, .arena = arena };
	blames l = { 0 };
	uint32_t most = 0;
	uint8_t *state;
	votes *v;
	ag_status st;

	s.by = ag_new_n(arena, ag_grouped, fr->ncol);
	s.mode = ag_new_n(arena, uint32_t, fr->ncol);
	s.deps = ag_new_n(arena, dep, MAX_DEPS);
	for (size_t c = 0; c < fr->ncol; c++) {
		const ag_frame_col *col = &fr->cols[c];

		most = col->nvalue > most ? col->nvalue : most;
		for (uint32_t i = 0; i < col->nvalue; i++)
			if (!s.mode[c] || col->count[i] > col->count[s.mode[c] - 1])
				s.mode[c] = i + 1;
	}
	s.count = ag_new_n(arena, uint32_t, (size_t)most + 1);
	s.seen = ag_new_n(arena, uint32_t, (size_t)most + 1);
	st = find_deps(&s, err);
	if (st || !s.ndep)
		return st;
	find_same(&s);
	v = ag_new_n(arena, votes, fr->ncol);
	state = ag_new_n(arena, uint8_t, s.ndep);
	for (uint32_t r = 0; !st && r < fr->nrow; r++) {
		if ((r & 4095) == 0)
			st = ag_ctx_check(x->ctx, err);
		explain_row(&s, r, v, state, &l);
	}
	merge_blames(&s, &l);
	for (size_t i = 0, k; !st && i < l.n; i = k) {
		for (k = i + 1; k < l.n && l.items[k].b == l.items[i].b;)
			k++;
		suspect_column(&s, &l.items[i], k - i, out);
	}
	free(l.items);
	return st;
}

ag_status ag_check_dependency(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++)
		if (x->frames->items[i].ncol > 1 && x->frames->items[i].nrow >= MIN_JUDGED)
			st = check_frame(x, &x->frames->items[i], out, err);
	return st;
}
