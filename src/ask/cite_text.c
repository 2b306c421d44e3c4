/* cite_text -- words that an answer and a file share: which line supports it, which section it comes from.
 *
 * The answer's words (ask/search.h knows which words say nothing) are folded: lower case, without the endings of plural and
 * tense, so that "protected branches" meets "protect a branch"; both sides are folded alike, so it need not be grammar.
 * A word counts for more the fewer lines (or sections) have it. Everything is linear in the text and allocates nothing per
 * word. Invariant: a quote is a view of the text: it can be found there again, byte for byte. */
#include "ask/cite_parts.h"

#include <math.h>

#include "ask/search_parts.h"
#include "base/utf8.h"

#define MAX_WORDS    256
#define NSLOT        1024u
#define MAX_SECTIONS 4000u /* of one file; others are not compared */
#define MAX_WORD     64    /* bytes that count */

typedef struct word {
	uint64_t hash;
	double weight;
} word;

struct ag_cite_words {
	word list[MAX_WORDS];
	size_t n;                /* words */
	size_t nanswer;          /* of them, from the answer */
	uint16_t slots[NSLOT];   /* index + 1 */
	bool is_new[MAX_WORDS];  /* scratch of mark() */
	size_t nhave[MAX_WORDS]; /* scratch: lines or sections that have the word */
};

/* --- words --- */

static bool is_word_byte(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') || (c & 0x80);
}

/* Without plural, -ing, -ed and a last e. */
static size_t folded_length(const char *p, size_t n)
{
	if (n > 3 && p[n - 1] == 's' && p[n - 2] != 's')
		n--;
	if (n > 5 && p[n - 3] == 'i' && p[n - 2] == 'n' && p[n - 1] == 'g')
		n -= 3;
	else if (n > 4 && p[n - 2] == 'e' && p[n - 1] == 'd')
		n -= 2;
	if (n > 3 && p[n - 1] == 'e')
		n--;
	return n;
}

/* The next word of text from *pos on; false = there is none. FNV-1a of its folded bytes. */
static bool next_word(ag_str text, size_t *pos, uint64_t *ret)
{
	size_t i = *pos, begin = 0, n;
	char small[MAX_WORD];
	uint64_t h;

	do {
		while (i < text.len && !is_word_byte(text.ptr[i]))
			i++;
		begin = i;
		while (i < text.len && is_word_byte(text.ptr[i]))
			i++;
		n = i - begin;
		if (!n)
			return false;
	} while (n == 1 && !(text.ptr[begin] >= '0' && text.ptr[begin] <= '9'));
	n = n < MAX_WORD ? n : MAX_WORD;
	memcpy(small, text.ptr + begin, n);
	ag_utf8_lower(small, n);
	n = folded_length(small, n);
	h = 14695981039346656037u;
	for (size_t k = 0; k < n; k++)
		h = (h ^ (unsigned char)small[k]) * 1099511628211u;
	*ret = h;
	*pos = i;
	return true;
}

/* Index of a word, or -1. */
static int find(const ag_cite_words *w, uint64_t h)
{
	for (size_t at = h % NSLOT; w->slots[at]; at = (at + 1) % NSLOT) {
		if (w->list[w->slots[at] - 1].hash == h)
			return w->slots[at] - 1;
	}
	return -1;
}

static void add_words(ag_cite_words *w, ag_str text, double weight, ag_arena *arena)
{
	ag_str *said = ag_new_n(arena, ag_str, MAX_WORDS);
	size_t nsaid = ag_search_words(text, arena, said, MAX_WORDS);

	for (size_t i = 0; i < nsaid; i++) {
		size_t pos = 0, at;
		uint64_t h;

		while (w->n < MAX_WORDS && next_word(said[i], &pos, &h)) {
			if (find(w, h) >= 0)
				continue;
			w->list[w->n] = (word){ h, weight };
			for (at = h % NSLOT; w->slots[at];)
				at = (at + 1) % NSLOT;
			w->slots[at] = (uint16_t)++w->n;
		}
	}
}

ag_cite_words *ag_cite_words_of(ag_str answer, ag_str question, ag_arena *arena)
{
	ag_cite_words *w = ag_new(arena, ag_cite_words);

	add_words(w, answer, 1.0, arena);
	w->nanswer = w->n;
	add_words(w, question, 0.5, arena);
	return w;
}

/* Which words the text has: is_new[], and how many of the answer's. */
static size_t mark(ag_cite_words *w, ag_str text)
{
	size_t pos = 0, n = 0;
	uint64_t h;

	memset(w->is_new, 0, w->n * sizeof(w->is_new[0]));
	while (next_word(text, &pos, &h)) {
		int at = find(w, h);

		if (at < 0 || w->is_new[at])
			continue;
		w->is_new[at] = true;
		n += (size_t)at < w->nanswer;
	}
	return n;
}

double ag_cite_share(ag_cite_words *w, ag_str text, size_t *ret_n)
{
	size_t n = mark(w, text);

	if (ret_n)
		*ret_n = n;
	return w->nanswer ? (double)n / (double)w->nanswer : 0;
}

/* Sum of the marked words' weights; a word that many of the `total` pieces have weighs little. */
static double weigh(const ag_cite_words *w, size_t total)
{
	double sum = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (w->is_new[i])
			sum += w->list[i].weight *
			       log(1.0 + (double)total / (double)(w->nhave[i] ? w->nhave[i] : 1));
	}
	return sum;
}

static void count_piece(ag_cite_words *w, ag_str text)
{
	mark(w, text);
	for (size_t i = 0; i < w->n; i++)
		w->nhave[i] += w->is_new[i];
}

/* --- lines --- */

ag_str ag_cite_lines(ag_str text, unsigned first, unsigned last)
{
	ag_str rest = text;
	size_t begin = 0, end = 0;

	for (unsigned line = 1; rest.ptr && (!last || line <= last); line++) {
		ag_str_split(&rest, '\n');
		end = rest.ptr ? (size_t)(rest.ptr - text.ptr) : text.len;
		if (line < first)
			begin = end;
	}
	return ag_str_make(text.ptr + begin, end > begin ? end - begin : 0);
}

/* The sentence of a long line that has most of the words; at most AG_QUOTE_BYTES. */
static ag_str best_sentence(ag_cite_words *w, ag_str line, size_t total)
{
	ag_str best = AG_S("");
	double best_score = 0;

	for (size_t i = 0; i < line.len;) {
		size_t end = i;
		ag_str piece;
		double score;

		while (end < line.len && end - i < AG_QUOTE_BYTES) {
			bool stop = strchr(".!?;", line.ptr[end]) && line.ptr[end];

			end++;
			if (stop && (end == line.len || line.ptr[end] == ' '))
				break;
		}
		/* Not in the middle of a character. */
		while (end < line.len && end > i + 1 && (line.ptr[end] & 0xC0) == 0x80)
			end--;
		piece = ag_str_trim(ag_str_make(line.ptr + i, end - i));
		mark(w, piece);
		score = weigh(w, total);
		if (score > best_score) {
			best_score = score;
			best = piece;
		}
		i = end;
	}
	return best;
}

/* Marks of Markdown and comments in front ("## ", "- ", "> ", "// ") are no part of what a line says. */
static ag_str without_marks(ag_str line)
{
	line = ag_str_trim(line);
	for (size_t i = 0; i < line.len && i < 8; i++) {
		if (line.ptr[i] == ' ')
			return without_marks(ag_str_make(line.ptr + i, line.len - i));
		if (!line.ptr[i] || !strchr("#>*+-/|", line.ptr[i]))
			break;
	}
	return line;
}

ag_str ag_cite_quote(ag_cite_words *w, ag_str text, unsigned first_line, unsigned *ret_line,
                     double *ret_score)
{
	ag_str rest = text, best = AG_S("");
	double best_score = 0;
	size_t total = 0;
	unsigned line = first_line, best_line = 0;

	memset(w->nhave, 0, sizeof(w->nhave));
	for (; rest.ptr; total++)
		count_piece(w, ag_str_split(&rest, '\n'));
	for (rest = text; rest.ptr; line++) {
		ag_str s = without_marks(ag_str_split(&rest, '\n'));
		double score;

		if (!mark(w, s))
			continue;
		score = weigh(w, total);
		if (score > best_score && ag_utf8_valid(s)) {
			best_score = score;
			best = s;
			best_line = line;
		}
	}
	if (best.len > AG_QUOTE_BYTES)
		best = best_sentence(w, best, total);
	*ret_line = best.len ? best_line : 0;
	*ret_score = best.len ? best_score : 0;
	return best;
}

/* --- sections --- */

typedef struct contest {
	const ag_outline_item *best;
	double score, second;
	size_t nbest; /* of the answer's words */
} contest;

static ag_str own_text(const ag_outline_item *item, ag_str text)
{
	size_t end = item->end < text.len ? item->end : text.len;

	return item->begin < end ? ag_str_make(text.ptr + item->begin, end - item->begin)
	                         : AG_S("");
}

static contest compare(ag_cite_words *w, const ag_outline *o, ag_str text)
{
	contest c = { 0 };

	memset(w->nhave, 0, sizeof(w->nhave));
	for (size_t i = 0; i < o->n; i++)
		count_piece(w, own_text(&o->items[i], text));
	for (size_t i = 0; i < o->n; i++) {
		size_t n = mark(w, own_text(&o->items[i], text));
		double score = weigh(w, o->n);

		if (score > c.score) {
			c.second = c.score;
			c.score = score;
			c.best = &o->items[i];
			c.nbest = n;
		} else if (score > c.second) {
			c.second = score;
		}
	}
	return c;
}

const ag_outline_item *ag_cite_section(ag_cite_words *w, const ag_outline *o, ag_str text)
{
	size_t nfile;
	contest c;

	if (!o->is_markdown || o->n < 2 || o->n > MAX_SECTIONS)
		return NULL;
	c = compare(w, o, text);
	nfile = mark(w, text);
	/* Strong: it has at least five of the words, 60 % of all and two thirds of those that the file has at all, and no other
	 * section comes near. */
	if (!c.best || !c.best->anchor.len || c.nbest < 5 || c.nbest * 3 < nfile * 2 ||
	    c.nbest * 5 < w->nanswer * 3 || c.score < 1.4 * c.second)
		return NULL;
	return c.best;
}
