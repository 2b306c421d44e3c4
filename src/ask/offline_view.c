/* offline_view -- which terms of a question a text has. */
#include "ask/offline_judge.h"

#include "ask/search_parts.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static size_t count_runs(ag_str s)
{
	size_t n = 0;
	ag_str run;

	for (size_t pos = 0; ag_judge_next_run(s, &pos, &run);)
		n++;
	return n;
}

static void look_at_words(ag_judge_view *v, ag_str text)
{
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);)
		v->stems[v->nstem++] = ag_judge_stem(word);
}

static ag_str squeezed(ag_str s, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!is_blank(s.ptr[i]))
			to[n++] = s.ptr[i];
		else if (n && to[n - 1] != ' ')
			to[n++] = ' ';
	}
	ag_utf8_lower(to, n);
	return ag_str_make(to, n);
}

#define TARGET_BYTES 2000u /* of a link, an image, a placeholder: what is longer is text */

/* The end of what begins at s and is for a program: the target of a link, an image, a placeholder. NULL = it is text. */
static const char *end_of_target(ag_str s)
{
	const size_t n = s.len < TARGET_BYTES ? s.len : TARGET_BYTES;
	const char *end = NULL;

	if (n > 5 && s.ptr[0] == '<' && ag_str_ieq(ag_str_make(s.ptr + 1, 3), AG_S("img")) &&
	    is_blank(s.ptr[4]))
		return memchr(s.ptr, '>', n);
	if (n > 1 && s.ptr[0] == ']' && s.ptr[1] == '(')
		end = memchr(s.ptr, ')', n);
	else if (n > 1 && s.ptr[0] == '$' && s.ptr[1] == '{')
		end = memchr(s.ptr, '}', n);
	return end && !memchr(s.ptr, '\n', (size_t)(end - s.ptr)) ? end : NULL;
}

/* "[the log](database.md#log)" says nothing about a database, "${rotation}.log" nothing about rotating. */
ag_str ag_judge_without_targets(ag_str s, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		const char *end = end_of_target(ag_str_make(s.ptr + i, s.len - i));

		to[n++] = s.ptr[i];
		if (end)
			i = (size_t)(end - s.ptr);
	}
	return ag_str_make(to, n);
}

ag_judge_view ag_judge_view_of(ag_str heads, ag_str text, ag_arena *arena)
{
	const ag_str all = ag_str_printf(arena, "%.*s\n%.*s", AG_FMT(heads), AG_FMT(text));
	ag_judge_view v = { .text = all, .low = squeezed(all, arena) };
	size_t n = count_runs(all);
	ag_str run, word;

	v.runs = ag_new_n(arena, ag_str, n + 1);
	for (size_t pos = 0; ag_judge_next_run(v.low, &pos, &run);) {
		if (v.nrun < n)
			v.runs[v.nrun++] = run;
	}
	n = 2 * n + 2;
	for (size_t pos = 0; ag_word_next(all, &pos, &word);)
		n++;
	v.stems = ag_new_n(arena, ag_stem, n);
	look_at_words(&v, all);
	for (size_t i = 0; i < v.nrun; i++)
		v.stems[v.nstem++] = ag_judge_stem(v.runs[i]);
	v.nstem += ag_judge_units(v.low, arena, v.stems + v.nstem, n - v.nstem);
	return v;
}

bool ag_judge_has_stem(const ag_judge_view *v, const ag_stem *stem)
{
	for (size_t i = 0; i < v->nstem; i++) {
		if (ag_stem_eq(&v->stems[i], stem))
			return true;
	}
	return false;
}

bool ag_judge_has_any(const ag_judge_view *v, const ag_term *t)
{
	for (size_t i = 0; i < t->nstem; i++) {
		if (ag_judge_has_stem(v, &t->stems[i]))
			return true;
	}
	return false;
}

/* A run of a name: the same, or the same word in the plural. */
static bool is_run(ag_str have, ag_str want, bool may_be_singular)
{
	if (ag_str_ieq(have, want))
		return true;
	if (want.len < 3 || (!may_be_singular && want.len > have.len))
		return false;
	return (have.len == want.len + 1 && have.ptr[want.len] == 's' &&
	        ag_str_ieq(ag_str_make(have.ptr, want.len), want)) ||
	       (want.len == have.len + 1 && want.ptr[have.len] == 's' &&
	        ag_str_ieq(ag_str_make(want.ptr, have.len), have));
}

/* All runs of a name, one after the other. shown: as the question has it; the s of "Windows" is part of the name. */
static bool has_name(const ag_judge_view *v, ag_str name, ag_str shown)
{
	const bool may_be_singular = shown.len > 1 &&
	                             !(is_upper(shown.ptr[0]) && !is_upper(shown.ptr[1]));
	ag_str want[16], run;
	size_t n = 0;

	for (size_t pos = 0; n < AG_NELEM(want) && ag_judge_next_run(name, &pos, &run);)
		want[n++] = run;
	if (!n)
		return ag_str_contains(v->low, name);
	for (size_t i = 0; i + n <= v->nrun; i++) {
		size_t k = 0;

		while (k < n && is_run(v->runs[i + k], want[k], may_be_singular))
			k++;
		if (k == n)
			return true;
	}
	return false;
}

/* A name in one word may be two in the text, and the other way round: "GitHub", "git_hub". */
static bool has_joined(const ag_judge_view *v, ag_str name)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT((8u << 10));
	ag_str joined, run;

	for (size_t pos = 0; ag_judge_next_run(name, &pos, &run);)
		ag_buf_add(&b, run);
	joined = ag_buf_view(&b);
	for (size_t i = 0; i < v->nrun && joined.len >= 4; i++) {
		if (ag_str_ieq(v->runs[i], joined))
			return true;
		if (i + 1 < v->nrun && v->runs[i].len + v->runs[i + 1].len == joined.len &&
		    ag_str_starts(joined, v->runs[i]) && ag_str_ends(joined, v->runs[i + 1]))
			return true;
	}
	return false;
}

static bool is_word_char(char c)
{
	return (c | 32) >= 'a' ? (c | 32) <= 'z' || (unsigned char)c >= 0x80 : c >= '0' && c <= '9';
}

/* Does a sentence, an item or a heading begin at s? */
static bool begins_sentence(ag_str text, size_t s)
{
	while (s && strchr(" \t*_#>-|(\"'", text.ptr[s - 1]))
		s--;
	return !s || strchr("\n.!?:", text.ptr[s - 1]);
}

/* A common word as a name: "Go" with its capital. Where a sentence begins, "Go to the shop" is no name. */
static bool has_exact(const ag_judge_view *v, ag_str name)
{
	const ag_str all = v->text;

	for (size_t i = 0; i + name.len <= all.len; i++) {
		const size_t end = i + name.len;

		if (memcmp(all.ptr + i, name.ptr, name.len) != 0 ||
		    (i && is_word_char(all.ptr[i - 1])) ||
		    (end < all.len && is_word_char(all.ptr[end])))
			continue;
		if (!begins_sentence(all, i) || end + 1 >= all.len || all.ptr[end] != ' ' ||
		    !is_word_char(all.ptr[end + 1]) || (all.ptr[end + 1] & 32) == 0)
			return true;
	}
	return false;
}

/* Another name of the same thing. The end of a longer name does not count: "node.js" is not about JavaScript. */
static bool has_alias(const ag_judge_view *v, ag_str alias, ag_arena *arena)
{
	if (ag_judge_is_common(alias)) {
		char *name = ag_str_cstr(arena, alias);

		name[0] = (char)(name[0] & ~32);
		return has_exact(v, ag_str_c(name));
	}
	for (size_t i = 0; i < v->nrun; i++) {
		const char *p = v->runs[i].ptr;

		if (ag_str_ieq(v->runs[i], alias) && (p == v->low.ptr || p[-1] != '.'))
			return true;
	}
	return ag_str_contains(alias, AG_S(".")) && has_name(v, alias, alias);
}

bool ag_judge_has_twin(const ag_judge_view *v, const ag_term *t, ag_arena *arena)
{
	for (size_t i = 0; i < t->ntwin; i++) {
		if (ag_judge_has_stem(v, &t->stems[i]))
			return true;
	}
	return !t->nstem && ag_judge_has_term(v, t, arena);
}

bool ag_judge_has_own(const ag_judge_view *v, const ag_term *t, ag_arena *arena)
{
	return t->nstem ? ag_judge_has_stem(v, &t->stems[0]) : ag_judge_has_term(v, t, arena);
}

bool ag_judge_has_term(const ag_judge_view *v, const ag_term *t, ag_arena *arena)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_ALIASES);

	switch (t->kind) {
	case AG_TERM_WORD:
	case AG_TERM_UNIT: return ag_judge_has_any(v, t);
	case AG_TERM_QUOTED: return ag_str_contains(v->low, squeezed(t->shown, arena));
	case AG_TERM_NAME: break;
	}
	if (t->is_exact ? has_exact(v, t->shown)
	                : has_name(v, t->word, t->shown) || has_joined(v, t->word))
		return true;
	for (size_t i = 0; i < table.n; i++) {
		const ag_str all = ag_str_c(table.at[i]);
		bool is_of = false;

		for (ag_str rest = all; rest.ptr;)
			is_of |= ag_str_ieq(ag_str_split(&rest, ' '), t->word);
		for (ag_str rest = all; is_of && rest.ptr;) {
			const ag_str alias = ag_str_split(&rest, ' ');

			if (!ag_str_ieq(alias, t->word) && has_alias(v, alias, arena))
				return true;
		}
	}
	return false;
}
