/* check_typo -- row 16: a rare value, or a rare word in a text, that is a frequent one with a slip of the keyboard.
 *
 * All values of a field are compared, however long its tail: every frequent value is filed under itself and under what
 * is left of it without one letter; a slip (a letter changed, dropped, put in, two swapped) meets it there. So the work
 * grows with the text, not with its square.
 *
 * Two values that look alike may both be right (Stafford, Stamford). Other fields decide where they can: where the
 * frequent value goes with one value of another field, the rare one must go with it, too. Without such a witness the
 * slip must be inside a word of some length, be far rarer than the other value, and the field must hold few pairs that
 * look alike although both are frequent.
 *
 * Where few words make up all texts, or few values all rows, the vocabulary is known: then short words are judged, too.
 * Names of people and firms are no vocabulary: Wagner and Wegner are both right. And where values repeat, a word that is
 * wrong in one of them leaves a value that is right: without it, the finding is low.
 *
 * Speaks: at any share, as long as each wrong spelling is rare itself. */
#include "audit/checks.h"

#include <stdlib.h>

#include "audit/slip.h"
#include "base/utf8.h"
#include "columns/textclass.h"

#define FOLD_BYTES    4096
#define MIN_LEN       3
#define MAX_LEN       400
#define MAX_FILED     3000000 /* ways in which the frequent values of a field are filed */
#define MAX_TOKENS    2000000 /* words of a field that are looked at */
#define MAX_LISTED    300
#define MAX_WITNESSES 40
#define WITNESS_ROWS  200   /* of the frequent value that are asked */
#define WITNESS_SHARE 0.9   /* of them agree */
#define FEW_VALUES    200   /* of a list of names */
#define MAX_CHANCE    0.15  /* of a wrong agreement of witnesses, over all values of a field */
#define RARE_SHARE    0.002 /* of the field's values a rare one may have without a witness */
#define MANY_WAYS     4     /* different slips of one value: nobody names things so */
#define DETAIL_BYTES  400
#define CLOSED_WORDS \
	300 /* of a vocabulary that is used over and over; each CLOSED_TIMES, on average */
#define CLOSED_TIMES  4
#define CLOSED_VALUES 20 /* of a list of values; each LISTED_TIMES */
#define LISTED_TIMES  15
#define CLOSED_ONCE   0.1 /* of them occur once, apart from slips */
#define CLOSED_SHORT  10  /* times a word of three or four letters occurs, for a slip of it */
#define MAX_PATTERN   600 /* wrong words in one regular expression */
#define NAMES_SHARE   0.8 /* of the texts are two or three words with a capital each */
#define MIN_OWN       3   /* rows of one name: it is no slip */
#define REPEATED      2   /* times each value occurs, on average, where values repeat */

/* One value, or one word of several values. */
typedef struct entry {
	ag_str fold;
	uint32_t n;     /* rows */
	uint32_t first; /* value: its code; word: its first token */
	uint32_t ntok;  /* word: tokens */
	uint32_t nslip; /* rarer entries that look like it */
	bool has_digit;
} entry;

typedef struct token {
	uint64_t hash;
	uint32_t code; /* of the value */
	uint32_t at, len;
} token;

/* An open table: hash of a way of writing -> the entry. */
typedef struct way_index {
	uint64_t *key;
	uint32_t *entry; /* + 1 */
	size_t mask;
} way_index;

typedef struct finding {
	uint32_t code; /* of the value that is wrong */
	ag_str wrong, right;
	uint32_t n_wrong, n_right;
	bool is_sure;
} finding;

typedef struct search {
	const ag_across *x;
	const ag_frame *fr;
	const ag_frame_col *col;
	ag_field_name name;
	ag_arena *arena; /* of this column */
	ag_grouped by;   /* rows by value */
	entry *entries;
	size_t n;
	token *tokens;
	way_index index;
	bool are_words, is_label;
	bool are_names; /* First Last */
	uint64_t
		*whole; /* words: hashes of all values, in order; NULL where values hardly repeat */
	size_t nwhole;
	bool is_closed;      /* few words make up all texts, or few values all rows */
	bool has_neighbours; /* frequent entries that look alike */
	bool is_all_slips;   /* most rare entries look like a frequent one */
	size_t nasked;       /* entries that look like a frequent one */
	finding *found;
	size_t nfound, cap;
} search;

static ag_str folded(ag_arena *a, ag_str text, void (*fold)(ag_str, ag_buf *))
{
	ag_buf b = AG_BUF_INIT(FOLD_BYTES);
	ag_str ret;

	fold(text, &b);
	ret = b.failed ? AG_S("") : ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ret;
}

/* ---- ways of writing ---- */

typedef struct filing {
	way_index *ix;
	uint32_t entry;
} filing;

static void file_way(void *arg, uint64_t h)
{
	const filing *f = (const filing *)arg;
	size_t at = (size_t)(h ^ (h >> 32)) & f->ix->mask;

	while (f->ix->entry[at])
		at = (at + 1) & f->ix->mask;
	f->ix->key[at] = h;
	f->ix->entry[at] = f->entry + 1;
}

static bool is_frequent(const entry *e)
{
	return e->n >= 3;
}

static bool make_index(search *s)
{
	size_t ways = 0, size = 64;

	for (size_t i = 0; i < s->n; i++)
		ways += is_frequent(&s->entries[i]) ? s->entries[i].fold.len + 1 : 0;
	if (!ways || ways > MAX_FILED)
		return false;
	while (size < 2 * ways)
		size *= 2;
	s->index.key = ag_new_n(s->arena, uint64_t, size);
	s->index.entry = ag_new_n(s->arena, uint32_t, size);
	s->index.mask = size - 1;
	for (uint32_t i = 0; i < s->n; i++) {
		filing f = { &s->index, i };

		if (is_frequent(&s->entries[i]))
			ag_slip_ways(s->entries[i].fold, s->arena, file_way, &f);
	}
	return true;
}

/* ---- witnesses ---- */

/* The value of column c that nearly all rows with this value have, if it is no value that nearly everything has; 0 =
 * there is none. */
static uint32_t decided(const search *s, const ag_frame_col *c, uint32_t code)
{
	const uint32_t from = s->by.at[code], to = s->by.at[code + 1];
	uint32_t rows = 0, best = 0, best_n = 0;

	/* A majority vote in one pass, then its count. */
	for (uint32_t i = from; i < to && i < from + WITNESS_ROWS; i++) {
		const uint32_t v = c->code[s->by.row[i]];

		if (!v)
			continue;
		if (!best_n) {
			best = v;
			best_n = 1;
		} else {
			best_n = best == v ? best_n + 1 : best_n - 1;
		}
	}
	best_n = 0;
	for (uint32_t i = from; best && i < to && i < from + WITNESS_ROWS; i++) {
		const uint32_t v = c->code[s->by.row[i]];

		rows += v != 0;
		best_n += v == best;
	}
	return rows >= 3 && best_n >= WITNESS_SHARE * rows && c->count[best - 1] * 2ull < c->nfilled
	               ? best
	               : 0;
}

/* What the other fields say: above 0, that the rare value is the frequent one; below, that it is another. They are
 * silent where agreement could well be chance. */
static int ask_witnesses(const search *s, uint32_t rare, uint32_t frequent)
{
	int said = 0;
	size_t asked = 0;
	double chance = 1; /* of so much agreement */

	for (size_t i = 0; i < s->fr->ncol && asked < MAX_WITNESSES; i++) {
		const ag_frame_col *c = &s->fr->cols[i];
		bool agrees = false;
		uint32_t expected;

		if (c == s->col || c->nvalue < 2 || c->nvalue * 10ull > c->nfilled * 8ull)
			continue;
		asked++;
		expected = decided(s, c, frequent);
		for (uint32_t r = s->by.at[rare]; expected && r < s->by.at[rare + 1]; r++) {
			const uint32_t v = c->code[s->by.row[r]];

			said += !v ? 0 : v == expected ? 1 : -1;
			agrees = agrees || v == expected;
		}
		if (agrees)
			chance *= (double)c->count[expected - 1] / c->nfilled;
	}
	/* Of many that look alike, some agree by chance. */
	return said > 0 && chance * (double)s->nasked > MAX_CHANCE ? 0 : said;
}

/* ---- one rare entry ---- */

/* Without a witness: is it a slip all the same? */
static bool is_plausible(const search *s, const entry *rare, const entry *frequent,
                         const ag_slip_place *p, bool *ret_sure)
{
	const bool is_tiny = s->fr->nrow < 100;
	const uint32_t enough = s->are_words ? 20 : is_tiny ? 5 : 10;

	*ret_sure = false;
	if (frequent->n < enough * (is_tiny ? 1 : rare->n) || rare->n * 5 > frequent->n ||
	    p->is_ending || p->is_other_word || s->name.traits & AG_TRAIT_PERSON ||
	    ag_name_is_person(&s->name) ||
	    (rare->n > 3 && rare->n > RARE_SHARE * s->col->nfilled &&
	     !(s->is_label && p->is_slip_of_word)))
		return false;
	if (p->len < (s->are_words ? 6 : 5) || (p->is_initial && p->len < 8))
		return false;
	/* In a long tail of names many look alike. */
	*ret_sure = s->are_words ? p->is_slip_of_word
	                         : !s->has_neighbours &&
	                                   (p->is_slip_of_word || s->is_label || s->is_all_slips);
	return true;
}

static void add_finding(search *s, const finding *f)
{
	if (s->nfound == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->found = (finding *)ag_xrealloc(s->found, s->cap * sizeof(*s->found));
	}
	s->found[s->nfound++] = *f;
}

/* Equal but for accents and punctuation, and not merely for case, which is row 15's. */
static bool is_other_accent(const search *s, const entry *a, const entry *b)
{
	ag_str x, y;

	if (s->are_words || a->has_digit || !ag_str_eq(a->fold, b->fold))
		return false;
	x = folded(s->arena, ag_val_text(&s->col->values[a->first - 1]), ag_text_fold);
	y = folded(s->arena, ag_val_text(&s->col->values[b->first - 1]), ag_text_fold);
	return !ag_str_eq(x, y);
}

/* "CARD" may be a code; "card" is a word. */
static bool is_code(const search *s, const entry *e)
{
	const ag_str text = ag_val_text(&s->col->values[e->first - 1]);

	for (size_t i = 0; i < text.len; i++)
		if (ag_slip_letter(text.ptr[i]))
			return false;
	return true;
}

/* A word that no language has, in place of a word that has and that all texts use. */
static bool breaks_vocabulary(const search *s, const entry *rare, const entry *frequent,
                              ag_slip kind, const ag_slip_place *p)
{
	const bool is_short = p->len <= 4,
		   may_be_short = frequent->n >= CLOSED_SHORT &&
	                          (s->are_words || (p->len == 4 && !is_code(s, frequent)));

	return s->is_closed && p->is_slip_of_word && !ag_name_is_person(&s->name) &&
	       !(s->are_words && s->are_names) && frequent->n >= 3 * rare->n &&
	       (!is_short || may_be_short) && !(p->is_ending && kind != AG_SLIP_CHANGE);
}

/* "O'Hartford" beside "Hartford", "d'Avril" beside "Avril": folding leaves the letter and takes the apostrophe. */
static bool is_with_particle(const search *s, const entry *rare, const entry *frequent)
{
	const ag_str r = rare->fold, f = frequent->fold;
	const uint32_t code = s->are_words ? s->tokens[rare->first].code : rare->first;
	const ag_str text = ag_val_text(&s->col->values[code - 1]);

	size_t at = 0;

	while (at < f.len && at < r.len && r.ptr[at] == f.ptr[at])
		at++;
	if (r.len != f.len + 1 || !ag_slip_same_rest(r, at + 1, f, at))
		return false;
	for (size_t i = 1; i < text.len; i++) {
		const ag_str rest = ag_str_make(text.ptr + i, text.len - i);

		if ((text.ptr[i - 1] | 0x20) == r.ptr[at] &&
		    (text.ptr[i] == '\'' || ag_str_starts(rest, AG_S("\xe2\x80\x99"))))
			return true;
	}
	return false;
}

static int by_hash(const void *x, const void *y)
{
	const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* Is the value with this word, put right, in the field as well? True where values hardly repeat. */
static bool has_right_value(const search *s, const token *t, ag_str right)
{
	ag_str value, head, tail;
	uint64_t hash;

	if (!s->whole)
		return true;
	value = folded(s->arena, ag_val_text(&s->col->values[t->code - 1]), ag_text_fold_hard);
	head = ag_str_make(value.ptr, t->at);
	tail = ag_str_make(value.ptr + t->at + t->len, value.len - t->at - t->len);
	hash = ag_slip_hash(
		ag_str_printf(s->arena, "%.*s%.*s%.*s", AG_FMT(head), AG_FMT(right), AG_FMT(tail)));
	return bsearch(&hash, s->whole, s->nwhole, sizeof(hash), by_hash) != NULL;
}

static void judge(search *s, const entry *rare, const entry *frequent)
{
	finding f = { rare->first, rare->fold, frequent->fold, rare->n, frequent->n, false };
	size_t at;
	const ag_slip kind = ag_slip_of(rare->fold, frequent->fold, &at);
	const ag_slip_place p = ag_slip_place_of(rare->fold, frequent->fold, kind, at);
	int said = 0;

	if (is_with_particle(s, rare, frequent))
		return;
	if (kind == AG_SLIP_NONE) { /* another accent */
		f.is_sure = s->is_label;
		if (frequent->n >= 10 * rare->n && frequent->n >= 20)
			add_finding(s, &f);
		return;
	}

	if (!s->are_words)
		said = ask_witnesses(s, rare->first, frequent->first);
	if (said < 0)
		return;
	/* Members of a series differ in the last letter only (Fuse A, Fuse B), and may agree in all other fields. */
	if (frequent->n >= 3 * rare->n && p.len >= (s->are_words ? 6 : 4) && !p.is_other_word &&
	    !(p.is_ending && kind == AG_SLIP_CHANGE) &&
	    ((frequent->nslip >= MANY_WAYS &&
	      (s->is_label || s->is_all_slips || (s->are_words && p.is_slip_of_word))) ||
	     (said > 0 && rare->n <= 3 && (s->is_label || !s->has_neighbours) &&
	      (frequent->n >= 5 || s->fr->nrow < 100))))
		f.is_sure = true;
	else if (breaks_vocabulary(s, rare, frequent, kind, &p))
		f.is_sure = true;
	else if (!is_plausible(s, rare, frequent, &p, &f.is_sure))
		return;
	if (!s->are_words) {
		add_finding(s, &f);
		return;
	}
	for (uint32_t t = 0; t < rare->ntok; t++) {
		finding one = f;

		one.code = s->tokens[rare->first + t].code;
		/* One of them who is there again and again. */
		one.is_sure = f.is_sure &&
		              !(s->are_names && s->col->count[one.code - 1] >= MIN_OWN) &&
		              has_right_value(s, &s->tokens[rare->first + t], frequent->fold);
		add_finding(s, &one);
	}
}

typedef struct lookup {
	search *s;
	const entry *rare;
	const entry *best; /* the most frequent that it may be a slip of */
	size_t alike;      /* frequent ones of its own weight that look like it */
} lookup;

static void look_at_way(void *arg, uint64_t h)
{
	lookup *l = (lookup *)arg;
	const way_index *ix = &l->s->index;

	for (size_t at = (size_t)(h ^ (h >> 32)) & ix->mask; ix->entry[at];
	     at = (at + 1) & ix->mask) {
		const entry *e = &l->s->entries[ix->entry[at] - 1];
		size_t where;

		if (ix->key[at] != h || e == l->rare || e->n < l->rare->n ||
		    (!ag_slip_of(l->rare->fold, e->fold, &where) &&
		     !is_other_accent(l->s, l->rare, e)))
			continue;
		if (e->n >= 3 * l->rare->n)
			l->best = !l->best || e->n > l->best->n ? e : l->best;
		else
			l->alike++;
	}
}

/* Do few words make up all texts, or few values all rows? Then one that looks like another is a slip, however short it is. */
static bool is_closed_vocabulary(const search *s, const entry *const *best)
{
	const size_t n = s->n - s->nasked;
	uint64_t all = 0;
	size_t once = 0;

	for (size_t i = 0; i < s->n; i++) {
		all += s->entries[i].n;
		once += s->entries[i].n == 1 && !best[i];
	}
	return n && n <= (s->are_words ? CLOSED_WORDS : CLOSED_VALUES) &&
	       all >= (uint64_t)(s->are_words ? CLOSED_TIMES : LISTED_TIMES) * n &&
	       (double)once <= CLOSED_ONCE * (double)n;
}

static ag_status look_at_all(search *s, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const entry **best = ag_new_n(s->arena, const entry *, s->n + 1);
	size_t alike = 0, frequent = 0, rare = 0;
	uint32_t most = 0;
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < s->n; i++) {
		lookup l = { s, &s->entries[i], NULL, 0 };

		if ((i & 1023) == 0)
			st = ag_ctx_check(s->x->ctx, err);
		ag_arena_reset(scratch);
		ag_slip_ways(s->entries[i].fold, scratch, look_at_way, &l);
		best[i] = l.best;
		most = s->entries[i].n > most ? s->entries[i].n : most;
		frequent += is_frequent(&s->entries[i]);
		alike += is_frequent(&s->entries[i]) && l.alike;
	}
	/* Where frequent values look alike, rare ones may, too. */
	s->has_neighbours = alike * 200 > frequent && alike > 1;
	for (size_t i = 0; !st && i < s->n; i++) {
		const entry *e = best[i];
		size_t at;
		const ag_slip kind = e ? ag_slip_of(s->entries[i].fold, e->fold, &at)
		                       : AG_SLIP_NONE;
		ag_slip_place p;

		rare += s->entries[i].n * 5 <= most;
		if (kind == AG_SLIP_NONE)
			continue;
		p = ag_slip_place_of(s->entries[i].fold, e->fold, kind, at);
		s->nasked++;
		if (!p.is_ending && !p.is_other_word)
			s->entries[e - s->entries].nslip++;
	}
	/* A list of names has few values, apart from the slips. */
	s->is_label = s->n - s->nasked <= FEW_VALUES && s->col->nfilled >= 5 * (s->n - s->nasked);
	s->is_all_slips = s->n - s->nasked <= FEW_VALUES && s->nasked * 10 >= rare * 3;
	s->is_closed = is_closed_vocabulary(s, best);
	for (size_t i = 0; !st && i < s->n; i++)
		if (best[i])
			judge(s, &s->entries[i], best[i]);
	return st;
}

/* ---- values and words ---- */

static bool holds_digit(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] >= '0' && s.ptr[i] <= '9')
			return true;
	return false;
}

static void take_values(search *s)
{
	s->entries = ag_new_n(s->arena, entry, s->col->nvalue + 1);
	for (uint32_t i = 0; i < s->col->nvalue; i++) {
		const ag_val *v = &s->col->values[i];
		ag_str fold;

		if (v->type != AG_T_STRING || v->n < MIN_LEN || v->n > MAX_LEN)
			continue;
		fold = folded(s->arena, ag_val_text(v), ag_text_fold_hard);
		if (fold.len < MIN_LEN)
			continue;
		s->entries[s->n++] =
			(entry){ fold, s->col->count[i], i + 1, 0, 0, holds_digit(fold) };
	}
}

static int by_word(const void *x, const void *y)
{
	const token *a = (const token *)x, *b = (const token *)y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

/* The words of all values, equal ones side by side. folds: by code. */
static size_t cut_words(search *s, const entry *values, size_t nvalue)
{
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < nvalue && n < MAX_TOKENS; i++) {
		const ag_str f = values[i].fold;

		for (size_t from = 0, to; from < f.len; from = to + 1) {
			bool is_word = true;

			for (to = from; to < f.len && f.ptr[to] != ' '; to++)
				is_word = is_word && ag_slip_letter(f.ptr[to]);
			if (!is_word || to - from < MIN_LEN || to - from > 40)
				continue;
			if (n == cap) {
				cap = cap ? 2 * cap : 1024;
				s->tokens = (token *)ag_xrealloc(s->tokens,
				                                 cap * sizeof(*s->tokens));
			}
			s->tokens[n++] =
				(token){ ag_slip_hash(ag_str_make(f.ptr + from, to - from)),
				         (uint32_t)i, (uint32_t)from, (uint32_t)(to - from) };
		}
	}
	if (n)
		qsort(s->tokens, n, sizeof(*s->tokens), by_word);
	return n;
}

/* "Ann Ash", "Wegner e.K.": not "blue cotton shirt". */
static bool is_like_name(ag_str text)
{
	size_t nword = 0, ncapital = 0;
	bool is_open = false; /* the word has no capital yet */

	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];

		if (c >= '0' && c <= '9')
			return false;
		if (!i || text.ptr[i - 1] == ' ') {
			nword++;
			is_open = true;
		}
		if (is_open && ((c >= 'A' && c <= 'Z') || c == '\xc3')) {
			ncapital++;
			is_open = false;
		}
	}
	return nword >= 2 && nword <= 5 && ncapital >= 2;
}

/* What the values say before they are cut into words. */
static void know_values(search *s)
{
	size_t nname = 0;

	for (size_t i = 0; i < s->n; i++)
		nname += is_like_name(ag_val_text(&s->col->values[s->entries[i].first - 1]));
	s->are_names = (double)nname >= NAMES_SHARE * (double)s->n;
	if (s->col->nfilled < (uint64_t)REPEATED * s->col->nvalue)
		return;
	s->whole = ag_new_n(s->arena, uint64_t, s->n + 1);
	s->nwhole = s->n;
	for (size_t i = 0; i < s->n; i++)
		s->whole[i] = ag_slip_hash(s->entries[i].fold);
	qsort(s->whole, s->nwhole, sizeof(*s->whole), by_hash);
}

static void take_words(search *s)
{
	const entry *values = s->entries;
	const size_t n = cut_words(s, values, s->n);

	know_values(s);
	s->entries = ag_new_n(s->arena, entry, n + 1);
	s->n = 0;
	s->are_words = true;
	for (size_t i = 0, k; i < n; i = k) {
		const token *t = &s->tokens[i];
		entry *e = &s->entries[s->n++];

		*e = (entry){ ag_str_make(values[t->code].fold.ptr + t->at, t->len), 0, (uint32_t)i,
			      0, false };
		for (k = i; k < n && s->tokens[k].hash == t->hash; k++)
			e->n += values[s->tokens[k].code].n;
		e->ntok = (uint32_t)(k - i);
	}
	/* From now on a token knows the code of its value, not its place in the list. */
	for (size_t i = 0; i < n; i++)
		s->tokens[i].code = values[s->tokens[i].code].first;
}

/* ---- the hypothesis ---- */

static int by_certainty(const void *x, const void *y)
{
	const finding *a = (const finding *)x, *b = (const finding *)y;

	if (a->is_sure != b->is_sure)
		return a->is_sure ? -1 : 1;
	if (a->n_right != b->n_right)
		return a->n_right > b->n_right ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

static int by_wrong(const void *x, const void *y)
{
	return ag_str_cmp(((const finding *)x)->wrong, ((const finding *)y)->wrong);
}

/* Does the text hold the word as it is, but for the case? Not where the word lost accents or punctuation. */
static bool holds_word(ag_str text, ag_str word)
{
	for (size_t i = 0; i + word.len <= text.len; i++)
		if (ag_str_ieq(ag_str_make(text.ptr + i, word.len), word))
			return true;
	return false;
}

/* A pattern of all wrong words, where they are too many texts for a list; "" when there is none. */
static ag_str words_pattern(const search *s, size_t n)
{
	finding *f = ag_new_n(s->arena, finding, n + 1);
	ag_buf b = AG_BUF_INIT((size_t)64 * MAX_PATTERN);
	size_t nword = 0;
	ag_str ret = AG_S("");

	memcpy(f, s->found, n * sizeof(*f));
	qsort(f, n, sizeof(*f), by_wrong);
	ag_buf_adds(&b, "(^|[^0-9A-Za-z])(");
	for (size_t i = 0; i < n; i++) {
		if (!holds_word(ag_val_text(&s->col->values[f[i].code - 1]), f[i].wrong) ||
		    nword > MAX_PATTERN) {
			b.failed = true;
			break;
		}
		if (i && ag_str_eq(f[i].wrong, f[i - 1].wrong))
			continue;
		ag_buf_addf(&b, "%s%.*s", nword ? "|" : "", AG_FMT(f[i].wrong));
		nword++;
	}
	ag_buf_adds(&b, ")([^0-9A-Za-z]|$)");
	if (!b.failed)
		ret = ag_buf_dup(s->arena, &b);
	ag_buf_release(&b);
	return ret;
}

static void suspect(const search *s, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_buf detail = AG_BUF_INIT(DETAIL_BYTES);
	ag_val *odd = ag_new_n(s->arena, ag_val, MAX_LISTED), cond;
	const bool is_sure = s->nfound && s->found[0].is_sure;
	size_t n = 0, left = 0;
	ag_str pattern = AG_S("");
	ag_hypothesis *h;
	ag_val clause;
	ag_member m;

	for (size_t i = 0; i < s->nfound && s->found[i].is_sure == is_sure; i++) {
		const finding *f = &s->found[i];

		if (n == MAX_LISTED) {
			left++;
			continue;
		}
		odd[n++] = s->col->values[f->code - 1];
		if (n <= 3)
			ag_buf_addf(&detail, "%s\"%.*s\" (%u) for \"%.*s\" (%u)", n > 1 ? ", " : "",
			            AG_FMT(ag_utf8_prefix(f->wrong, 50)), f->n_wrong,
			            AG_FMT(ag_utf8_prefix(f->right, 50)), f->n_right);
	}
	if (left && s->are_words)
		pattern = words_pattern(s, n + left);
	if (left && !pattern.len)
		ag_buf_addf(&detail, "; %zu more are not listed", left);
	cond = pattern.len ? ag_ev_regex(a, ag_str_cstr(a, pattern), "i")
	                   : OBJ(a, KV("$in", ag_ev_arr(a, odd, n)));
	m = (ag_member){ ag_ev_key(a, s->col->f), cond };
	clause = ag_ev_obj(a, &m, 1);
	h = n ? ag_suspect(out, s->col->f, "spelling_variants", is_sure ? AG_MEDIUM : AG_LOW,
	                   is_sure ? 0.8 : 0.5, ag_ev_rows(a, s->col->f, &clause, 1))
	      : NULL;
	if (h) {
		ag_suspect_fix(h);
		ag_suspect_say(
			h,
			s->are_words ? "a rare word is a frequent one with a typing error"
				     : "a rare value is a frequent one with a typing error",
			"hand-made input where a list of values was meant",
			"rewrite the rare spelling to the frequent one, and let the writer choose from "
			"a list");
		h->detail = ag_buf_dup(a, &detail);
	}
	ag_buf_release(&detail);
}

/* Words that people wrote: no codes, no numbers, no addresses of the net. */
static bool is_wording(const search *s)
{
	const ag_path_profile *f = s->col->f;
	size_t digits = 0, links = 0;

	if (f->str.n < 8 || f->str.n * 10 < f->nscalar * 8 || s->col->nvalue < 2 ||
	    s->name.traits & (AG_TRAIT_EMAIL | AG_TRAIT_PHONE | AG_TRAIT_ZIP) ||
	    (ag_name_is_identifier(&s->name) && !f->str.words) || !ag_ev_place_of(s->arena, f).ok)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const ag_str text = ag_val_text(&s->col->values[s->entries[i].first - 1]);

		digits += s->entries[i].has_digit;
		links += ag_str_contains(text, AG_S("://"));
	}
	if (links * 2 > s->n)
		return false;
	return digits * 2 <= s->n || f->str.words >= 3;
}

static ag_status check_column(const ag_across *x, const ag_frame *fr, const ag_frame_col *col,
                              ag_hypotheses *out, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	search s = { .x = x, .fr = fr, .col = col, .arena = arena };
	ag_status st = AG_OK;

	s.name = ag_field_name_of(col->f->owner);
	take_values(&s);
	if (!is_wording(&s))
		return AG_OK;
	s.by = ag_frame_group(fr, col, arena);
	if (make_index(&s))
		st = look_at_all(&s, err);
	if (!st && !s.nfound && col->f->str.words >= 2) {
		take_words(&s);
		if (make_index(&s))
			st = look_at_all(&s, err);
	}
	if (!st && s.nfound) {
		qsort(s.found, s.nfound, sizeof(*s.found), by_certainty);
		suspect(&s, out);
	}
	free(s.found);
	free(s.tokens);
	return st;
}

ag_status ag_check_typo(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++)
		for (size_t c = 0; !st && c < x->frames->items[i].ncol; c++)
			st = check_column(x, &x->frames->items[i], &x->frames->items[i].cols[c],
			                  out, err);
	return st;
}
