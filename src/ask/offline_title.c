/* offline_title -- what the title of a section is about: the question's words, or another action. */
#include "ask/offline_judge.h"

size_t ag_judge_term_of(const ag_judge *j, ag_str low, bool is_like)
{
	const ag_stem stem = ag_judge_stem(low);

	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].nstem ? ag_stem_eq(&j->terms[i].stems[0], &stem)
		                      : ag_str_ieq(j->terms[i].word, low))
			return i;
	}
	for (size_t i = 0; is_like && i < j->nterm; i++) {
		for (size_t k = 1; k < j->terms[i].nstem; k++) {
			if (ag_stem_eq(&j->terms[i].stems[k], &stem))
				return i;
		}
	}
	return j->nterm;
}

ag_str ag_judge_plain_title(ag_str title)
{
	const ptrdiff_t open = ag_str_find(title, '(');

	return open > 0 ? ag_str_make(title.ptr, (size_t)open) : title;
}

/* The next word of a title that says something, in small letters. */
static bool next_title_word(ag_str title, size_t *pos, ag_arena *arena, ag_str *ret)
{
	ag_str word;

	while (ag_word_next(title, pos, &word)) {
		*ret = ag_judge_lower(word, arena);
		if (ret->len >= 2 && !ag_judge_is_common(*ret))
			return true;
	}
	return false;
}

size_t ag_judge_named_by(const ag_judge *j, ag_str title, bool is_like, ag_arena *arena)
{
	bool is_asked[AG_JUDGE_MAX_TERMS] = { false };
	size_t n = 0;
	ag_str word;

	title = ag_judge_plain_title(title);
	for (size_t pos = 0; next_title_word(title, &pos, arena, &word);) {
		const size_t i = ag_judge_term_of(j, word, is_like);

		if (i == j->nterm)
			return 0;
		n += !is_asked[i];
		is_asked[i] = true;
	}
	return n;
}

size_t ag_judge_title_words(ag_str title, ag_arena *arena)
{
	size_t n = 0;
	ag_str word;

	title = ag_judge_plain_title(title);
	for (size_t pos = 0; next_title_word(title, &pos, arena, &word);)
		n++;
	return n;
}

static bool is_one_of(ag_str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(word, ag_str_c(list[i])))
			return true;
	}
	return false;
}

/* "Rename the repository", "Throw away changes": a verb begins the title, because an article, a pronoun or a particle
 * follows. "Backups of the day" has a preposition, so its first word is a noun. */
static bool is_order(ag_str first, ag_str title, size_t pos)
{
	static const char *const next[] = { "a",   "an",  "the",  "your", "my",
		                            "our", "all", "it",   "them", "up",
		                            "off", "out", "away", "back", "down" };
	static const char *const never[] = { "what",  "why", "how",  "when",  "where", "who",
		                             "which", "not", "is",   "about", "from",  "for",
		                             "in",    "on",  "with", "and",   "or",    "as",
		                             "at",    "by",  "to" };
	ag_str word;

	/* "Rename or move the repository" */
	if (is_one_of(first, never, AG_NELEM(never)) || !ag_word_next(title, &pos, &word))
		return false;
	if (ag_str_ieq(word, AG_S("or")) && ag_word_next(title, &pos, &word) &&
	    !ag_word_next(title, &pos, &word))
		return false;
	return is_one_of(word, next, AG_NELEM(next));
}

static bool is_of(ag_str word, const ag_term *t)
{
	const ag_stem stem = ag_judge_stem(word);

	for (size_t i = 0; i < t->nstem; i++) {
		if (ag_stem_eq(&t->stems[i], &stem))
			return true;
	}
	return false;
}

bool ag_judge_names_other_action(ag_str title, const ag_term *verb)
{
	size_t pos = 0;
	ag_str first, word;

	if (!ag_word_next(title, &pos, &first) ||
	    !(ag_judge_is_action(first) || is_order(first, title, pos)))
		return false;
	if (is_of(first, verb))
		return false;
	/* "Stop & remove", "Rename or move the repository" */
	if (!ag_word_next(title, &pos, &word) || is_of(word, verb))
		return false;
	return !((ag_str_ieq(word, AG_S("or")) || ag_str_ieq(word, AG_S("and"))) &&
	         ag_word_next(title, &pos, &word) && is_of(word, verb));
}

bool ag_judge_ends_asked(const ag_judge *j, ag_str title, ag_arena *arena)
{
	ag_str word, last = AG_S("");

	title = ag_judge_plain_title(title);
	for (size_t pos = 0; ag_word_next(title, &pos, &word);)
		last = word;
	return last.len && ag_judge_term_of(j, ag_judge_lower(last, arena), true) < j->nterm;
}

bool ag_judge_is_in_brackets(const ag_judge *j, ag_str title, ag_arena *arena)
{
	const ptrdiff_t open = ag_str_find(title, '(');
	ag_str word;
	size_t n = 0;

	if (open < 0)
		return false;
	title = ag_str_make(title.ptr + open, title.len - (size_t)open);
	for (size_t pos = 0; next_title_word(title, &pos, arena, &word); n++) {
		if (ag_judge_term_of(j, word, false) == j->nterm)
			return false;
	}
	return n > 0;
}
