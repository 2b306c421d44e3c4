/* check_cut -- row 24: texts that were cut at one length, wherever it lies among the lengths of the others.
 *
 * A text that was cut ends inside of a word: "deliv" is no word of the column, and "delivered" is. Single texts may end
 * so by nature; many different ones of exactly one length do not. So a length is suspected where its texts end in broken
 * words and the others do not.
 *
 * Where nearly all other texts end with a full stop, the evidence is the length without a full stop; else it is a list
 * of the texts that end in a broken word or that another text continues.
 *
 * Speaks: from three different texts, at any share while other lengths remain. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"

#define MIN_VALUES  8
#define MIN_LENGTH  8     /* shorter texts are words */
#define MAX_LENGTH  4000  /* longer texts are not looked at */
#define MIN_CUT     3     /* different broken words at one length */
#define MAX_VALUES  20000 /* texts that are looked at */
#define MAX_WORDS   200000
#define MIN_FACTOR  8 /* times more broken words at the length than elsewhere */
#define MAX_CHANCE  1e-3
#define SAME_END    0.5 /* of the broken words may be one word */
#define MOSTLY_STOP 0.9 /* of the other texts end with a full stop */
#define MAX_LISTED  1000
#define SHOWN       2

/* A word of the column, in any case. */
typedef struct word {
	ag_str text;
	uint32_t
		length; /* of the text that it ends; 0 = something follows it, or it ends texts of several lengths */
} word;

typedef struct search {
	const ag_frame_col *col;
	ag_arena *arena;
	uint32_t *length; /* [nvalue] code points; 0 = no text, too long, or not looked at */
	uint32_t at[MAX_LENGTH + 1],
		broken[MAX_LENGTH + 1]; /* texts of each length; with a broken end */
	uint32_t ntext, nbroken;
	size_t cut;  /* the length */
	word *words; /* [nword] ordered */
	size_t nword;
} search;

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int compare(ag_str a, ag_str b)
{
	const size_t n = a.len < b.len ? a.len : b.len;

	for (size_t i = 0; i < n; i++)
		if (lower(a.ptr[i]) != lower(b.ptr[i]))
			return lower(a.ptr[i]) < lower(b.ptr[i]) ? -1 : 1;
	return a.len < b.len ? -1 : a.len > b.len;
}

static int by_text(const void *a, const void *b)
{
	return compare(((const word *)a)->text, ((const word *)b)->text);
}

/* The letters at the end of the text, which may be part of a word; empty after a full stop or a blank. A text of one word
 * may continue another by nature. */
static ag_str open_word(ag_str s)
{
	size_t from = s.len;

	while (from > 0 && is_letter(s.ptr[from - 1]))
		from--;
	return from ? ag_str_make(s.ptr + from, s.len - from) : AG_S("");
}

static void count_lengths(search *s)
{
	const uint32_t step = s->col->nvalue / MAX_VALUES + 1;

	s->length = ag_new_n(s->arena, uint32_t, s->col->nvalue + 1);
	for (uint32_t i = 0; i < s->col->nvalue; i += step) {
		const ag_val *v = &s->col->values[i];
		const size_t n = v->type == AG_T_STRING && v->n <= (size_t)4 * MAX_LENGTH
		                         ? ag_utf8_count(ag_val_text(v))
		                         : 0;

		if (!n || n > MAX_LENGTH)
			continue;
		s->length[i] = (uint32_t)n;
		s->at[n]++;
		s->ntext++;
	}
}

static void take_words(search *s)
{
	size_t n = 0;

	s->words = ag_new_n(s->arena, word, MAX_WORDS);
	for (uint32_t i = 0; i < s->col->nvalue; i++) {
		const ag_str text = s->length[i] ? ag_val_text(&s->col->values[i]) : AG_S("");

		for (size_t from = 0, to; from < text.len && n < MAX_WORDS; from = to + 1) {
			for (to = from; to < text.len && is_letter(text.ptr[to]);)
				to++;
			if (to > from)
				s->words[n++] = (word){ ag_str_make(text.ptr + from, to - from),
					                to == text.len ? s->length[i] : 0 };
		}
	}
	if (n)
		qsort(s->words, n, sizeof(*s->words), by_text);
	for (size_t i = 0, k; i < n; i = k) {
		word w = s->words[i];

		for (k = i + 1; k < n && compare(w.text, s->words[k].text) == 0; k++)
			w.length = w.length == s->words[k].length ? w.length : 0;
		s->words[s->nword++] = w;
	}
}

/* Is the end of a text no word, but the beginning of one, and not merely without its plural's "s"? */
static bool is_broken(const search *s, ag_str end)
{
	size_t from = 0, to = s->nword;

	if (!end.len)
		return false;
	while (from < to) {
		const size_t mid = (from + to) / 2;

		if (compare(s->words[mid].text, end) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	if (from < s->nword && compare(s->words[from].text, end) == 0) {
		if (!s->words[from].length)
			return false;
		from++;
	}
	/* Words that begin so follow each other. */
	for (; from < s->nword; from++) {
		const ag_str w = s->words[from].text;

		if (w.len <= end.len || compare(ag_str_make(w.ptr, end.len), end) != 0)
			return false;
		if (w.len > end.len + 1 || lower(w.ptr[end.len]) != 's')
			return true;
	}
	return false;
}

/* The length at which most texts end in a broken word. */
static void find_length(search *s)
{
	for (uint32_t i = 0; i < s->col->nvalue; i++)
		if (s->length[i] && is_broken(s, open_word(ag_val_text(&s->col->values[i])))) {
			s->broken[s->length[i]]++;
			s->nbroken++;
		}
	for (size_t n = MIN_LENGTH; n <= MAX_LENGTH; n++)
		s->cut = s->broken[n] > s->broken[s->cut] ? n : s->cut;
}

static bool ends_with_stop(ag_str s)
{
	s = ag_str_trim(s);
	return s.len && strchr(".!?", s.ptr[s.len - 1]);
}

/* Do nearly all texts of other lengths end with a full stop? */
static bool have_stops(const search *s)
{
	uint32_t stops = 0;

	for (uint32_t i = 0; i < s->col->nvalue; i++)
		stops += s->length[i] && s->length[i] != s->cut &&
		         ends_with_stop(ag_val_text(&s->col->values[i]));
	return stops >= MOSTLY_STOP * (s->ntext - s->at[s->cut]);
}

/* Are the broken words of this length many different ones? */
static bool are_different(const search *s)
{
	word *ends = ag_new_n(s->arena, word, s->broken[s->cut] + 1);
	size_t n = 0, kinds = 0, most = 0;

	for (uint32_t i = 0; i < s->col->nvalue; i++) {
		const ag_str end = s->length[i] == s->cut
		                           ? open_word(ag_val_text(&s->col->values[i]))
		                           : AG_S("");

		if (end.len && is_broken(s, end))
			ends[n++].text = end;
	}
	if (n)
		qsort(ends, n, sizeof(*ends), by_text);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && compare(ends[i].text, ends[k].text) == 0;)
			k++;
		kinds++;
		most = k - i > most ? k - i : most;
	}
	return kinds >= MIN_CUT && (double)most <= SAME_END * (double)n;
}

/* A bound of the chance of n broken words or more where `expected` are usual, at any of the lengths (Chernoff). */
static double chance_of(const search *s, double n, double expected)
{
	double lengths = 0;

	for (size_t k = MIN_LENGTH; k <= MAX_LENGTH; k++)
		lengths += s->at[k] > 0;
	return n <= expected ? 1 : lengths * exp(n - expected - n * log(n / expected));
}

/* Do texts of one length end in broken words, and the others not? */
static bool are_cut(const search *s)
{
	const uint32_t n = s->broken[s->cut], others = s->ntext - s->at[s->cut];
	const double expected = (s->nbroken - n + 1.0) / (others + 1.0) * s->at[s->cut];

	return n >= MIN_CUT && others >= MIN_VALUES && n > MIN_FACTOR * expected &&
	       chance_of(s, n, expected) <= MAX_CHANCE && are_different(s);
}

static int value_by_text(const void *a, const void *b)
{
	return ag_str_cmp(ag_val_text(*(const ag_val *const *)a),
	                  ag_val_text(*(const ag_val *const *)b));
}

/* Texts of this length that end in a broken word, or that another text continues. */
static size_t list_cut(const search *s, ag_val *ret, size_t *ret_left)
{
	const ag_val **sorted = ag_new_n(s->arena, const ag_val *, s->col->nvalue + 1);
	size_t n = 0, nret = 0;

	*ret_left = 0;
	for (uint32_t i = 0; i < s->col->nvalue; i++)
		if (s->length[i])
			sorted[n++] = &s->col->values[i];
	qsort(sorted, n, sizeof(*sorted), value_by_text);
	for (size_t i = 0; i < n; i++) {
		const ag_str text = ag_val_text(sorted[i]);

		if (s->length[sorted[i] - s->col->values] != s->cut ||
		    (!is_broken(s, open_word(text)) &&
		     !(i + 1 < n && ag_str_starts(ag_val_text(sorted[i + 1]), text))))
			continue;
		if (nret < MAX_LISTED)
			ret[nret++] = *sorted[i];
		else
			++*ret_left;
	}
	return nret;
}

static void suspect_cut(const search *s, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_val *list = ag_new_n(s->arena, ag_val, MAX_LISTED), cond;
	size_t left, n = list_cut(s, list, &left);
	ag_str shown = AG_S("");
	ag_hypothesis *h;

	for (size_t i = 0; i < n && i < SHOWN; i++)
		shown = ag_str_printf(a, "%.*s%s%.*s", AG_FMT(shown), i ? ", " : "",
		                      AG_FMT(ag_quote_value(a, &list[i])));
	if (have_stops(s))
		cond = OBJ(a, KV("$regex", ag_val_str(ag_str_printf(a, "^[\\s\\S]{%zu}[^.!?]$",
		                                                    s->cut - 1))));
	else
		cond = OBJ(a, KV("$in", ag_ev_arr(a, list, n)));
	h = ag_suspect(out, s->col->f, "truncation", AG_MEDIUM, 0.8,
	               ag_ev_where(a, s->col->f, cond));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "texts end inside of a word, all at the same length",
	               "a column, a form or an export with a maximum length",
	               "load the full texts again from their source, and widen the column");
	h->detail = ag_str_printf(a, "at %zu characters, for example %.*s", s->cut, AG_FMT(shown));
}

static bool may_be_cut(const ag_frame_col *c)
{
	const ag_path_profile *f = c->f;
	const ag_field_name name = ag_field_name_of(f->owner);

	return c->nvalue >= MIN_VALUES + MIN_CUT && f->str.n * 10 >= f->nscalar * 8 &&
	       f->str.words >= 2 && f->str.length.max > MIN_LENGTH &&
	       f->str.length.min < f->str.length.max &&
	       !(name.traits & (AG_TRAIT_EMAIL | AG_TRAIT_PHONE | AG_TRAIT_ZIP));
}

ag_status ag_check_cut(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++) {
		const ag_frame *fr = &x->frames->items[i];

		for (size_t c = 0; !st && c < fr->ncol; c++) {
			AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
			search *s;

			st = ag_ctx_check(x->ctx, err);
			if (st || !may_be_cut(&fr->cols[c]))
				continue;
			s = ag_new(scratch, search);
			s->col = &fr->cols[c];
			s->arena = scratch;
			count_lengths(s);
			take_words(s);
			find_length(s);
			if (are_cut(s))
				suspect_cut(s, out);
		}
	}
	return st;
}
