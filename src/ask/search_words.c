/* search_words -- the words of a question or a text, as search and index want them.
 *
 * A word is a run of letters, digits and "_"; "-" and "." hold two runs together (pull-request, docker-compose.yml, 3.11).
 * Such a word comes whole, then in its parts, as does one in camelCase. Scripts without blanks between words come as the
 * run and as pairs of neighbours, which is what finds them in other runs.
 *
 * Order: which words count, the parts of one, cutting the text. */
#include <stdlib.h>

#include "ask/search_parts.h"
#include "base/utf8.h"

#define MAX_WORD_BYTES 64 /* longer runs are encoded data */

typedef struct collector {
	ag_arena *arena;
	ag_str *ret;
	size_t n, max;
	uint32_t *table; /* place in ret + 1, 0 = free */
	size_t cap;
} collector;

static size_t hash_of(ag_str s)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 16777619u;
	return h ^ (h >> 15);
}

/* word: small letters, in memory that goes away. */
static void add_word(collector *c, ag_str word)
{
	size_t i;

	if (c->n == c->max || !word.len || word.len > MAX_WORD_BYTES || ag_search_is_stop(word))
		return;
	if (word.len == 1 && !(word.ptr[0] >= '0' && word.ptr[0] <= '9'))
		return;
	i = hash_of(word) & (c->cap - 1);
	while (c->table[i]) {
		if (ag_str_eq(c->ret[c->table[i] - 1], word))
			return;
		i = (i + 1) & (c->cap - 1);
	}
	c->ret[c->n] = ag_str_dup(c->arena, word);
	c->table[i] = (uint32_t)++c->n;
}

static void add(collector *c, ag_str word)
{
	char small[MAX_WORD_BYTES];

	if (word.len > sizeof(small))
		return;
	if (word.len)
		memcpy(small, word.ptr, word.len);
	ag_utf8_lower(small, word.len);
	add_word(c, ag_str_make(small, word.len));
}

/* --- parts --------------------------------------------------------------------------------------- */

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_joint(char c)
{
	return c == '_' || c == '-' || c == '.';
}

/* Does a part begin at i? "maxRows": at R; "HTTPServer": at S. */
static bool begins_part(ag_str s, size_t i)
{
	char c = s.ptr[i], before = s.ptr[i - 1];

	if (is_joint(before))
		return true;
	if (!is_upper(c) || (unsigned char)before >= 0x80)
		return false;
	return !is_upper(before) || (i + 1 < s.len && is_lower(s.ptr[i + 1]));
}

static void add_part(collector *c, ag_str whole, size_t from, size_t to)
{
	while (from < to && is_joint(whole.ptr[to - 1]))
		to--;
	while (from < to && is_joint(whole.ptr[from]))
		from++;
	if (to - from > 1 && to - from < whole.len)
		add(c, ag_str_make(whole.ptr + from, to - from));
}

static void add_parts(collector *c, ag_str whole)
{
	size_t from = 0, kebab = 0;

	/* Between "-" and "." first: "get-maxRows" has the part "maxRows". */
	for (size_t i = 0; i <= whole.len; i++) {
		if (i == whole.len || whole.ptr[i] == '-' || whole.ptr[i] == '.') {
			add_part(c, whole, kebab, i);
			kebab = i + 1;
		}
	}
	for (size_t i = 1; i <= whole.len; i++) {
		if (i == whole.len || begins_part(whole, i)) {
			add_part(c, whole, from, i);
			from = i;
		}
	}
}

/* Han, kana: no blanks between words. */
static bool is_unspaced(uint32_t cp)
{
	return (cp >= 0x3040 && cp <= 0x30ff) || (cp >= 0x3400 && cp <= 0x9fff) ||
	       (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x20000 && cp <= 0x3134f);
}

static void add_pairs(collector *c, ag_str whole)
{
	size_t at = 0, before = 0, nbefore = 0;

	while (at < whole.len) {
		size_t from = at;
		uint32_t cp = ag_utf8_next(whole, &at);

		if (!is_unspaced(cp)) {
			nbefore = 0;
			continue;
		}
		if (nbefore && at - before < whole.len)
			add(c, ag_str_make(whole.ptr + before, at - before));
		before = from;
		nbefore = 1;
	}
}

/* --- the text ------------------------------------------------------------------------------------ */

/* Does "-" or "." at `at` hold two runs together? */
static bool is_holding(ag_str text, size_t at, size_t from)
{
	size_t next = at + 1;

	if ((text.ptr[at] != '-' && text.ptr[at] != '.') || at == from || next >= text.len)
		return false;
	return ag_utf8_is_letter(ag_utf8_next(text, &next));
}

/* The next word from *at on; false: there is none. */
static bool next_word(ag_str text, size_t *at, ag_str *ret)
{
	size_t from = *at, next;

	while (from < text.len) {
		next = from;
		if (ag_utf8_is_letter(ag_utf8_next(text, &next)))
			break;
		from = next;
	}
	*at = from;
	while (*at < text.len) {
		next = *at;
		if (!ag_utf8_is_letter(ag_utf8_next(text, &next)) && !is_holding(text, *at, from))
			break;
		*at = next;
	}
	*ret = ag_str_make(text.ptr + from, *at - from);
	return ret->len > 0;
}

size_t ag_search_words(ag_str text, ag_arena *arena, ag_str *ret, size_t max)
{
	collector c = { .arena = arena, .ret = ret, .max = max, .cap = 64 };
	size_t at = 0;
	ag_str word;

	while (c.cap < max * 2 && c.cap < UINT32_MAX / 4)
		c.cap *= 2;
	c.table = ag_xcalloc(c.cap, sizeof(*c.table));
	while (c.n < max && next_word(text, &at, &word)) {
		if (word.len > MAX_WORD_BYTES * 4)
			continue;
		add(&c, word);
		add_parts(&c, word);
		add_pairs(&c, word);
	}
	free(c.table);
	return c.n;
}
