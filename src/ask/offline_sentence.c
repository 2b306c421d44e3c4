/* offline_sentence -- a text cut into sentences, and what one sentence or title says of the question's terms.
 *
 * Order: sentences, what is said of a thing. */
#include "ask/offline_judge.h"

#include "ask/search_parts.h"

#define NEAR_STATE 4u /* words from a state to its thing */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- sentences --- */

/* Does a line begin something of its own: an item, a row, a heading, a quotation, a fence? */
static bool begins_own(ag_str line)
{
	const ag_str t = ag_str_trim(line);

	return !t.len || strchr("-*+|#>`~", t.ptr[0]) || is_digit(t.ptr[0]);
}

bool ag_judge_next_sentence(ag_str *rest, bool *is_code, ag_str *ret)
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

/* --- what is said of a thing --- */

static bool is_of(ag_str word, const ag_term *t)
{
	const ag_stem stem = ag_judge_stem(word);

	for (size_t i = 0; i < t->nstem; i++) {
		if (ag_stem_eq(&stem, &t->stems[i]))
			return true;
	}
	return !t->nstem && ag_str_ieq(word, t->word);
}

bool ag_judge_is_done_alone(const ag_judge *j, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	bool is_code = false;
	ag_str s, word;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		bool has_verb = false, has_other = false;

		for (size_t pos = 0; !is_code && ag_judge_next_run(s, &pos, &word);) {
			if (is_of(word, &j->terms[j->verb]))
				has_verb = true;
			else
				has_other |= word.len > 2 &&
				             !ag_search_is_stop(ag_judge_lower(word, arena));
		}
		if (has_verb && !has_other)
			return true;
	}
	return false;
}

bool ag_judge_is_so(const ag_judge *j, ag_str text)
{
	const ag_term *state = &j->terms[j->state], *thing = &j->terms[j->stated];
	bool is_code = false;
	ag_str s, word;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		size_t since_state = 99, since_thing = 99;

		for (size_t pos = 0; !is_code && ag_judge_next_run(s, &pos, &word);) {
			const bool is_state = ag_str_ieq(word, state->shown) ||
			                      (!ag_str_ends(state->shown, AG_S("ed")) &&
			                       is_of(word, state));

			since_state = is_state ? 0 : since_state + 1;
			since_thing = is_of(word, thing) ? 0 : since_thing + 1;
			if (since_state <= NEAR_STATE && since_thing <= NEAR_STATE)
				return true;
		}
	}
	return false;
}

bool ag_judge_is_of_topic(const ag_judge *j, ag_str heads, ag_str text)
{
	const ag_term *topic = &j->terms[j->topic];
	bool is_code = false;
	ag_str s;

	for (ag_str rest = heads; rest.ptr;) {
		if (ag_judge_has_head(j, topic, ag_str_split(&rest, '\n')))
			return true;
	}
	/* "Bodies are limited to 1 MB, and the access log is written" has no number of a log. */
	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		while (s.ptr) {
			const ag_str clause = ag_str_split(&s, ',');

			if (ag_judge_has_number(clause) && ag_judge_has_head(j, topic, clause))
				return true;
		}
	}
	return false;
}

bool ag_judge_joins(const ag_judge *j, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	bool is_code = false;
	ag_str s;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		size_t n = 0, nhere = 0;
		ag_judge_view v;

		ag_arena_reset(arena);
		v = ag_judge_view_of(AG_S(""), s, arena);
		for (size_t i = 0; i < j->nterm; i++) {
			if (j->terms[i].is_light || j->terms[i].is_subject)
				continue;
			n++;
			nhere += ag_judge_has_term(&v, &j->terms[i], arena);
		}
		if (nhere == n || nhere >= 2)
			return true;
	}
	return false;
}
