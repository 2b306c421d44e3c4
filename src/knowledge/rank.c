/* rank -- which objects fit a question: an index from words to the objects that have them, made on first need.
 *
 * A word is the hash of its small letters without a plural's s; two words of one hash are taken for one, which costs nothing
 * but a place in an order. A question then touches the lists of its own words only, whatever the number of objects. */
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/utf8.h"
#include "knowledge/set.h"

#define MAX_WORD    64u /* bytes; a longer one is cut */
#define NAME_WEIGHT 4u

/* One word of one object. */
typedef struct posting {
	uint64_t word;
	uint32_t object;
	uint32_t weight;
} posting;

/* A slot of the table: where the postings of a word are. */
typedef struct slot {
	uint64_t word; /* 0 = free */
	uint32_t from, n;
} slot;

struct ag_know_words {
	posting *postings; /* by word, then object */
	size_t n, cap;
	slot *slots;
	size_t mask;
	uint64_t (*names)
		[8]; /* the words of each object's name, 0 after the last; more than 8 = it is not named by them */
};

uint64_t ag_know_next_word(ag_str *rest)
{
	size_t i = 0, begin, n;
	char low[MAX_WORD];

	while (i < rest->len) {
		size_t next = i;

		if (ag_utf8_is_letter(ag_utf8_next(*rest, &next)) && rest->ptr[i] != '_')
			break;
		i = next;
	}
	begin = i;
	while (i < rest->len) {
		size_t next = i;

		if (!ag_utf8_is_letter(ag_utf8_next(*rest, &next)) || rest->ptr[i] == '_')
			break;
		i = next;
	}
	n = i - begin < MAX_WORD ? i - begin : MAX_WORD;
	if (!n)
		return 0;
	memcpy(low, rest->ptr + begin, n);
	*rest = ag_str_make(rest->ptr + i, rest->len - i);
	ag_utf8_lower(low, n);
	if (n > 3 && low[n - 1] == 's' && low[n - 2] != 's')
		n--;
	return XXH3_64bits(low, n) | 1; /* never 0 */
}

/* --- the index --- */

static void add_text(ag_know_words *w, uint32_t object, uint32_t weight, ag_str text)
{
	uint64_t word;

	while ((word = ag_know_next_word(&text))) {
		if (w->n == w->cap) {
			w->cap = w->cap ? 2 * w->cap : 4096;
			w->postings = ag_xrealloc(w->postings, w->cap * sizeof(*w->postings));
		}
		w->postings[w->n++] = (posting){ word, object, weight };
	}
}

static void add_value(ag_know_words *w, uint32_t object, const ag_val *v)
{
	if (v->type == AG_T_STRING)
		add_text(w, object, 1, ag_val_text(v));
	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		add_value(w, object, &v->u.items[i]);
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		add_text(w, object, 1, v->u.members[i].key);
		add_value(w, object, &v->u.members[i].val);
	}
}

static void add_object(ag_know_words *w, uint32_t at, const ag_know *o)
{
	ag_str name = o->name;
	uint64_t word;
	size_t n = 0;

	add_text(w, at, NAME_WEIGHT, name);
	for (uint32_t i = 0; i < o->body.n; i++)
		add_value(w, at, &o->body.u.members[i].val);
	while ((word = ag_know_next_word(&name)) && n < 8)
		w->names[at][n++] = word;
	if (word)
		w->names[at][0] = 0;
}

static int by_word(const void *a, const void *b)
{
	const posting *x = a, *y = b;

	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	return x->object < y->object ? -1 : x->object > y->object;
}

/* A word that an object has often counts once, with its largest weight. */
static void merge(ag_know_words *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		posting *last = n ? &w->postings[n - 1] : NULL;

		if (last && last->word == w->postings[i].word &&
		    last->object == w->postings[i].object) {
			if (w->postings[i].weight > last->weight)
				last->weight = w->postings[i].weight;
		} else {
			w->postings[n++] = w->postings[i];
		}
	}
	w->n = n;
}

static slot *slot_of(const ag_know_words *w, uint64_t word)
{
	size_t i = word & w->mask;

	while (w->slots[i].word && w->slots[i].word != word)
		i = (i + 1) & w->mask;
	return &w->slots[i];
}

static void fill_slots(ag_know_words *w, ag_arena *arena)
{
	size_t nword = 1, size = 16;

	for (size_t i = 1; i < w->n; i++)
		nword += w->postings[i].word != w->postings[i - 1].word;
	while (size < 2 * nword)
		size *= 2;
	w->slots = ag_new_n(arena, slot, size);
	w->mask = size - 1;
	for (size_t i = 0; i < w->n; i++) {
		slot *s = slot_of(w, w->postings[i].word);

		if (!s->word)
			*s = (slot){ .word = w->postings[i].word, .from = (uint32_t)i };
		s->n++;
	}
}

static void words_free(void *arg)
{
	free(((ag_know_words *)arg)->postings);
}

static ag_know_words *words_of(ag_know_set *s)
{
	ag_know_words *w = s->words;

	if (w)
		return w;
	w = ag_new(s->arena, ag_know_words);
	ag_arena_defer(s->arena, words_free, w);
	w->names = ag_arena_alloc_n(s->arena, s->n + 1, sizeof(*w->names));
	for (size_t i = 0; i < s->n; i++)
		add_object(w, (uint32_t)i, &s->all[i]);
	if (w->n)
		qsort(w->postings, w->n, sizeof(*w->postings), by_word);
	merge(w);
	fill_slots(w, s->arena);
	s->words = w;
	return w;
}

/* --- a question --- */

static bool is_among(uint64_t word, const uint64_t *asked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (asked[i] == word)
			return true;
	}
	return false;
}

static bool is_named(const uint64_t *name, const uint64_t *asked, size_t n)
{
	if (!name[0])
		return false;
	for (size_t i = 0; i < 8 && name[i]; i++) {
		if (!is_among(name[i], asked, n))
			return false;
	}
	return true;
}

void ag_know_rank(ag_know_set *s, ag_str question, ag_arena *arena, double **ret_scores,
                  bool **ret_named)
{
	const ag_know_words *w = words_of(s);
	uint64_t asked[AG_KNOW_MAX_ASKED], word;
	size_t n = 0;

	*ret_scores = ag_new_n(arena, double, s->n + 1);
	*ret_named = ag_new_n(arena, bool, s->n + 1);
	while (n < AG_KNOW_MAX_ASKED && (word = ag_know_next_word(&question))) {
		if (!is_among(word, asked, n))
			asked[n++] = word;
	}
	for (size_t i = 0; i < n && w->n; i++) {
		const slot *at = slot_of(w, asked[i]);
		const double rare = at->n ? log(1 + (double)s->n / at->n) : 0;

		for (uint32_t k = at->from; k < at->from + at->n; k++)
			(*ret_scores)[w->postings[k].object] += rare * w->postings[k].weight;
	}
	for (size_t i = 0; i < s->n; i++)
		(*ret_named)[i] = is_named(w->names[i], asked, n);
}
