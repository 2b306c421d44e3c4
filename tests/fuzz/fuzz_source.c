/* Any bytes as a model's last words: mentions lie in order within the text, an answer is left when there was one, and what
 * cannot be proven (there are no calls) is never a source. */
#include <stdlib.h>

#include "ask/cite_parts.h"
#include "base/utf8.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool is_in(ag_str part, ag_str text)
{
	return !part.len || (part.ptr >= text.ptr && part.ptr + part.len <= text.ptr + text.len);
}

static void mentions(ag_str text, bool is_source, ag_arena *arena)
{
	static const ag_str odd[] = { AG_S_INIT("a b.md"), AG_S_INIT("x (1)#2.md") };
	size_t pos = 0, last = 0;

	while (pos < text.len) {
		size_t before = pos;
		ag_mention *m;
		size_t n = ag_cite_mentions(text, &pos, odd, AG_NELEM(odd), is_source, arena, &m);

		check(pos > before && pos <= text.len && n <= AG_MENTION_MAX);
		for (size_t i = 0; i < n; i++) {
			check(m[i].begin >= last && m[i].end > m[i].begin && m[i].end <= text.len);
			check(m[i].path.len || m[i].route.len);
			check(is_in(m[i].path, text) && is_in(m[i].anchor, text));
			check(is_in(m[i].route, text) && is_in(m[i].method, text));
			check(!m[i].has_anchor ||
			      (m[i].hash >= m[i].begin && text.ptr[m[i].hash] == '#'));
			check(m[i].line <= m[i].last_line);
			check(ag_cite_route_is(m[i].method, m[i].route, AG_S("")) == false);
			last = m[i].end;
		}
	}
}

/* Of the text as a file: the quote is a line of it, or a part of one. */
static void quotes(ag_str text, ag_arena *arena)
{
	ag_cite_words *w = ag_cite_words_of(text, AG_S("the port of the service"), arena);
	unsigned line;
	double score;
	ag_str quote = ag_cite_quote(w, text, 1, &line, &score);
	size_t n;

	check(quote.len <= AG_QUOTE_BYTES && is_in(quote, text) && ag_utf8_valid(quote));
	check(quote.len == 0 || ag_str_contains(ag_cite_lines(text, line, line), quote));
	check(ag_cite_share(w, text, &n) <= 1.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_str text = ag_str_make(copy, size);
	ag_arena *arena = ag_arena_new();
	ag_final_words words;

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	words = ag_cite_split(text, arena);
	check(words.answer.len <= size * 6 + 64);
	mentions(words.sources, true, arena);
	mentions(words.answer, false, arena);
	mentions(text, false, arena);
	quotes(text, arena);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
