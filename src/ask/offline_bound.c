/* offline_bound -- which words of a question one sentence must bind.
 *
 * A section may have every word of a question and still say nothing of it, because the words are of different sentences. Here
 * are the pairs that count: a number and what it counts, "without" and what is lacking, a verb and its object, a deed and who
 * did it or when. */
#include "ask/offline_judge.h"

#define NEAR_NUMBER 6u  /* words that a number and what it counts lie within */
#define NEAR_NEED   6u  /* words that a negation and what it denies lie within */
#define NEAR_VERB   12u /* words that a verb and its object lie within */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_one_of(ag_str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(word, ag_str_c(list[i])))
			return true;
	}
	return false;
}

/* --- sentences --- */

/* Does a line begin something of its own: an item, a row, a heading, a quotation, a fence? */
static bool begins_own(ag_str line)
{
	const ag_str t = ag_str_trim(line);

	return !t.len || strchr("-*+|#>`~", t.ptr[0]) || is_digit(t.ptr[0]);
}

/* The next sentence. A line that is wrapped goes on; rows, items and lines of code are sentences of their own. */
static bool next_sentence(ag_str *rest, bool *is_code, ag_str *ret)
{
	const ag_str s = *rest;
	size_t i = 0;

	if (!s.ptr || !s.len)
		return false;
	if (ag_str_starts(s, AG_S("```")) || ag_str_starts(s, AG_S("~~~")))
		*is_code = !*is_code;
	for (; i < s.len; i++) {
		const bool is_last = i + 1 == s.len;

		if (s.ptr[i] == '\n') {
			ag_str next = ag_str_make(s.ptr + i + 1, s.len - i - 1);

			if (*is_code || is_last || begins_own(ag_str_split(&next, '\n')))
				break;
		} else if (!*is_code && !is_last && strchr(".;!?", s.ptr[i]) &&
		           (s.ptr[i + 1] == ' ' || s.ptr[i + 1] == '\n')) {
			break;
		}
	}
	*ret = ag_str_make(s.ptr, i);
	*rest = i < s.len ? ag_str_make(s.ptr + i + 1, s.len - i - 1) : (ag_str){ 0 };
	return true;
}

/* A text may have very many sentences: the view is valid until the next one is made. */
static ag_judge_view scratch_view(ag_str text, ag_arena *scratch)
{
	ag_arena_reset(scratch);
	return ag_judge_view_of(AG_S(""), text, scratch);
}

/* The next run of at most nword words, one word further each time. */
static bool next_window(ag_str sentence, size_t *pos, size_t nword, ag_str *ret)
{
	size_t begin = *pos, end;
	ag_str word;

	if (!ag_word_next(sentence, pos, &word))
		return false;
	end = *pos;
	for (size_t n = 1; n < nword && ag_word_next(sentence, &end, &word); n++)
		;
	*ret = ag_str_make(sentence.ptr + begin, end - begin);
	return true;
}

/* --- "how many retries" --- */

/* A number that counts: no part of a name ("req-3", "v1.2"), no time stamp; "one" and "all" are too common. */
static bool is_number(ag_str text, ag_str word)
{
	static const char *const words[] = {
		"two", "three",  "four",  "five",    "six",      "seven",   "eight",    "nine",
		"ten", "twelve", "dozen", "hundred", "thousand", "million", "unlimited"
	};
	const size_t at = (size_t)(word.ptr - text.ptr);
	size_t n = 0;

	while (n < word.len && is_digit(word.ptr[n]))
		n++;
	if (!n)
		return is_one_of(word, words, AG_NELEM(words));
	return n <= 9 && (!at || !strchr("-_/.#", word.ptr[-1]));
}

static bool has_number(ag_str text)
{
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		if (is_number(text, word))
			return true;
	}
	return false;
}

/* Is it a smaller or larger measure of the same kind? "1 MB" is a number of bytes. */
static bool is_measure_of(ag_str word, const ag_term *counted)
{
	static const char *const lines[] = { "byte kb mb gb kib mib gib", "second s ms sec",
		                             "minute min", "hour h" };
	const ag_stem own = counted->nstem ? counted->stems[0] : (ag_stem){ 0 };

	for (size_t i = 0; i < AG_NELEM(lines); i++) {
		ag_str rest = ag_str_c(lines[i]);
		const ag_stem first = ag_judge_stem(ag_str_split(&rest, ' '));

		while (ag_stem_eq(&first, &own) && rest.ptr) {
			if (ag_str_ieq(ag_str_split(&rest, ' '), word))
				return true;
		}
	}
	return false;
}

static bool has_measure(ag_str text, const ag_term *counted)
{
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		while (word.len && is_digit(word.ptr[0])) /* "1MB" */
			word = ag_str_make(word.ptr + 1, word.len - 1);
		if (word.len && is_measure_of(word, counted))
			return true;
	}
	return false;
}

bool ag_judge_counts(const ag_judge *j, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_term *counted = j->counted >= 0 ? &j->terms[j->counted] : NULL;
	bool is_code = false;
	ag_str s, window;

	if (!counted)
		return true;
	while (next_sentence(&text, &is_code, &s)) {
		if (!has_number(s))
			continue;
		for (size_t pos = 0; next_window(s, &pos, NEAR_NUMBER, &window);) {
			const ag_judge_view v = scratch_view(window, arena);

			if (has_number(window) &&
			    (ag_judge_has_own(&v, counted, arena) || has_measure(window, counted)))
				return true;
		}
	}
	return false;
}

/* --- "without GitHub" --- */

static bool is_need(ag_str word)
{
	static const char *const words[] = { "need",     "needs",    "needed",    "require",
		                             "requires", "required", "necessary", "optional" };

	return is_one_of(word, words, AG_NELEM(words));
}

/* "the queue is not needed", "needs no queue", "GitHub is optional" */
static bool says_no_need(ag_str window)
{
	bool has_need = false, is_optional = false;
	ag_str word;

	for (size_t pos = 0; ag_word_next(window, &pos, &word);) {
		has_need |= is_need(word);
		is_optional |= ag_str_ieq(word, AG_S("optional"));
	}
	return has_need && (is_optional || ag_text_is_negated(window));
}

/* "without" and "no" deny what follows; "not" and "never" only with a verb of use: "never with oil", "do not use Docker". */
static bool denies_next(ag_str window)
{
	static const char *const whole[] = { "without", "no" };
	static const char *const half[] = { "not", "never", "t" };
	static const char *const uses[] = { "with", "use", "uses", "using", "have" };
	ag_str first, next;
	size_t pos = 0;

	if (!ag_word_next(window, &pos, &first))
		return false;
	return is_one_of(first, whole, AG_NELEM(whole)) ||
	       (is_one_of(first, half, AG_NELEM(half)) && ag_word_next(window, &pos, &next) &&
	        is_one_of(next, uses, AG_NELEM(uses)));
}

/* Does the sentence deny this thing: "without GitHub", "no database", "the queue is not needed"? A negation that is far from
 * the thing denies something else. */
static bool denies(ag_str sentence, const ag_term *t, ag_arena *arena)
{
	ag_judge_view v = scratch_view(sentence, arena);
	ag_str window;

	if (!ag_judge_has_term(&v, t, arena))
		return false;
	for (size_t pos = 0; next_window(sentence, &pos, NEAR_NEED, &window);) {
		v = scratch_view(window, arena);
		if (ag_judge_has_term(&v, t, arena) &&
		    (says_no_need(window) || denies_next(window)))
			return true;
	}
	return false;
}

bool ag_judge_denies(const ag_judge *j, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	bool is_code = false;
	ag_str s;

	if (j->lacking < 0)
		return ag_text_is_negated(text);
	while (next_sentence(&text, &is_code, &s)) {
		if (denies(s, &j->terms[j->lacking], arena))
			return true;
	}
	return false;
}

/* --- "how do I stop a backup" --- */

/* The verb in the question's own word, unless the titles have the rest: what is done to something else is often called
 * alike. */
static bool is_bound_in(const ag_judge *j, const ag_judge_view *heads, bool may_be_like,
                        ag_str text, ag_arena *arena)
{
	const ag_judge_view v = scratch_view(text, arena);
	const ag_term *verb = &j->terms[j->verb];
	size_t n = 0;

	if (!ag_judge_has_own(&v, verb, arena) && !(may_be_like && ag_judge_has_any(&v, verb)))
		return false;
	for (size_t i = 0; i < (j->is_pair ? 2u : 1u); i++) {
		const ag_term *t = &j->terms[j->objects[i]];

		if (ag_judge_has_term(&v, t, arena))
			n++;
		else if (!ag_judge_has_term(heads, t, arena))
			return false;
	}
	return n > 0;
}

bool ag_judge_binds(const ag_judge *j, const ag_judge_view *heads, bool may_be_like, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	bool is_code = false;
	ag_str s, window;

	while (next_sentence(&text, &is_code, &s)) {
		if (!is_bound_in(j, heads, may_be_like, s, arena))
			continue;
		for (size_t pos = 0; next_window(s, &pos, NEAR_VERB, &window);) {
			if (is_bound_in(j, heads, may_be_like, window, arena))
				return true;
		}
	}
	return false;
}

/* --- "who wrote it", "when was it founded" --- */

static bool is_of(ag_str word, const ag_term *t)
{
	const ag_stem stem = ag_judge_stem(word);

	for (size_t i = 0; i < t->nstem; i++) {
		if (ag_stem_eq(&stem, &t->stems[i]))
			return true;
	}
	return false;
}

/* "written by Ada", "Ada wrote": the deed, and beside it a name that the question does not have. */
static bool names_doer(const ag_judge *j, ag_str sentence, ag_arena *arena)
{
	ag_str word, before = AG_S("");

	for (size_t pos = 0; ag_word_next(sentence, &pos, &word); before = word) {
		size_t after = pos;
		ag_str next;

		if (!is_of(word, &j->terms[j->deed]))
			continue;
		if (ag_word_next(sentence, &after, &next) && ag_str_ieq(next, AG_S("by")))
			return true;
		if (before.len && is_upper(before.ptr[0]) &&
		    !ag_judge_is_common(ag_judge_lower(before, arena)))
			return true;
	}
	return false;
}

static bool is_date(ag_str word)
{
	static const char *const months[] = { "january", "february", "march",   "april",
		                              "june",    "july",     "august",  "september",
		                              "october", "november", "december" };

	if (word.len == 4 && (ag_str_starts(word, AG_S("19")) || ag_str_starts(word, AG_S("20"))))
		return is_digit(word.ptr[2]) && is_digit(word.ptr[3]);
	return is_one_of(word, months, AG_NELEM(months));
}

static bool has_date(ag_str sentence)
{
	ag_str word;

	for (size_t pos = 0; ag_word_next(sentence, &pos, &word);) {
		if (is_date(word))
			return true;
	}
	return false;
}

static bool has_any_own(const ag_judge *j, const ag_judge_view *v, ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (!ag_judge_is_action(j->terms[i].word) &&
		    ag_judge_has_own(v, &j->terms[i], arena))
			return true;
	}
	return false;
}

bool ag_judge_names_deed(const ag_judge *j, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	bool is_code = false;
	ag_str s;

	while (next_sentence(&text, &is_code, &s)) {
		const ag_judge_view v = scratch_view(s, arena);

		if (j->wants_date
		            ? has_date(s) && has_any_own(j, &v, arena)
		            : ag_judge_has_any(&v, &j->terms[j->deed]) && names_doer(j, s, arena))
			return true;
	}
	return false;
}
