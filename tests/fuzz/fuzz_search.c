/* Any bytes as a text and as what is looked for in it: words keep their promises, a plan is made or refused, every line that is
 * kept lies in the text. The first line of the input is the query, the second the path, the rest the text. */
#include <stdlib.h>

#include "ask/search_parts.h"
#include "fuzz.h"

#define MAX_WORDS 40

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void words_are_proper(ag_str text, ag_arena *arena)
{
	ag_str words[MAX_WORDS], again[MAX_WORDS];
	size_t n = ag_search_words(text, arena, words, MAX_WORDS);

	check(n <= MAX_WORDS);
	for (size_t i = 0; i < n; i++) {
		check(words[i].len > 0 && words[i].len <= 64);
		check(!ag_search_is_stop(words[i]));
		for (size_t k = 0; k < i; k++)
			check(!ag_str_eq(words[i], words[k]));
		/* A word is a word: the first of its own words is it. */
		check(ag_search_words(words[i], arena, again, 1) == 0 ||
		      again[0].len <= words[i].len);
	}
}

static void lines_are_proper(const ag_search_plan *p, ag_str path, ag_str text, ag_str low)
{
	ag_search_line items[8];
	ag_search_lines out = { .items = items, .max = AG_NELEM(items) };

	ag_search_scan(p, path, text, low, &out);
	check(out.n <= out.max && out.n <= out.nline);
	for (size_t i = 0; i < out.n; i++) {
		const ag_search_line *l = &items[i];
		unsigned line = 1;

		check(l->begin <= text.len && l->len <= text.len - l->begin);
		check(l->at <= l->len || !l->len);
		for (size_t k = 0; k < l->begin; k++)
			line += text.ptr[k] == '\n';
		check(line == l->line);
		check(!memchr(text.ptr + l->begin, '\n', l->len));
		check(!i || items[i - 1].line < l->line);
	}
}

static void search_in(ag_str query, ag_str path, ag_str text, bool is_regex, ag_arena *arena)
{
	const ag_search_query q = {
		.text = query, .is_regex = is_regex, .under = path, .glob = path
	};
	ag_search_plan *p = ag_new(arena, ag_search_plan);
	ag_err err = { 0 };
	char *low;

	if (ag_search_plan_make(&q, arena, p, &err)) {
		check(err.msg[0]);
		return;
	}
	low = malloc(text.len ? text.len : 1);
	check(low);
	if (text.len)
		memcpy(low, text.ptr, text.len);
	ag_utf8_lower(low, text.len);
	lines_are_proper(p, path, text, ag_str_make(low, text.len));
	AG_IGNORE(ag_search_plan_takes(p, path), "it ends");
	free(low);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_str rest, query, path;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	rest = ag_str_make(copy, size);
	query = ag_str_split(&rest, '\n');
	path = ag_str_split(&rest, '\n');
	if (!rest.ptr)
		rest = AG_S("");
	words_are_proper(rest, arena);
	words_are_proper(query, arena);
	search_in(query, path, rest, false, arena);
	/* A pattern that runs on and on is cut off, line by line: few lines are enough. */
	if (rest.len > 2000)
		rest.len = 2000;
	search_in(query, path, rest, true, arena);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
