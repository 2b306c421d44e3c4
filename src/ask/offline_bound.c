/* offline_bound -- which words of a question one sentence must bind.
 *
 * A section may have every word of a question and still say nothing of it, because the words are of different sentences. Here
 * are the pairs that count: a number and what it counts, "without" and what is lacking, a verb and its object, two nouns, a
 * cue ("because", "if") and the rest, a deed and who did it or when. */
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
	/* "75% bot coverage" counts no bots. */
	return n <= 9 && (!at || !strchr("-_/.#", word.ptr[-1])) &&
	       (at + word.len >= text.len || text.ptr[at + word.len] != '%');
}

bool ag_judge_has_number(ag_str text)
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

/* All terms that the titles do not have; light verbs are nowhere. */
static bool has_the_rest(const ag_judge *j, const ag_judge_view *heads, const ag_judge_view *v,
                         ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (!j->terms[i].is_light && !ag_judge_has_term(v, &j->terms[i], arena) &&
		    !ag_judge_has_term(heads, &j->terms[i], arena))
			return false;
	}
	return true;
}

static bool has_all(const ag_judge *j, const ag_judge_view *heads, ag_str sentence, ag_arena *arena)
{
	const ag_judge_view v = scratch_view(sentence, arena);

	return has_the_rest(j, heads, &v, arena);
}

bool ag_judge_counts(const ag_judge *j, const ag_judge_view *heads, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_term *counted = j->counted >= 0 ? &j->terms[j->counted] : NULL;
	bool is_code = false;
	ag_str s, window;

	if (!counted)
		return true;
	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		if (is_code || !ag_judge_has_number(s) || !has_all(j, heads, s, arena))
			continue;
		for (size_t pos = 0; next_window(s, &pos, NEAR_NUMBER, &window);) {
			const ag_judge_view v = scratch_view(window, arena);

			if (ag_judge_has_number(window) &&
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
	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		if (denies(s, &j->terms[j->lacking], arena))
			return true;
	}
	return false;
}

/* --- "how do I upgrade Git", "what is a shell": words in their order --- */

#define MAX_WORDS 200u /* of a title or a sentence; those after them are not looked at */
#define NEAR_PAIR 2u   /* words that lie between the two of a pair, at most one less */

typedef struct words {
	ag_str at[MAX_WORDS];
	size_t n;
} words;

static void cut_words(ag_str text, words *ret)
{
	ret->n = 0;
	for (size_t pos = 0; ret->n < MAX_WORDS && ag_judge_next_run(text, &pos, &ret->at[ret->n]);)
		ret->n++;
}

/* Is the word this term, or a synonym; of a name its first run? */
static bool is_word_of(ag_str word, const ag_term *t, bool is_own)
{
	const ag_stem stem = ag_judge_stem(word);
	size_t pos = 0;
	ag_stem own;
	ag_str run;

	for (size_t i = 0; i < (is_own && t->nstem ? 1 : t->nstem); i++) {
		if (ag_stem_eq(&stem, &t->stems[i]))
			return true;
	}
	if (t->nstem || !ag_judge_next_run(t->shown, &pos, &run))
		return false;
	own = ag_judge_stem(run);
	return ag_str_ieq(word, run) || (stem.len && ag_stem_eq(&stem, &own));
}

static bool is_word_of_any(const ag_judge *j, ag_str word)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (is_word_of(word, &j->terms[i], false))
			return true;
	}
	return false;
}

/* What follows is a tool, a place or a condition, not what the verb is done to. */
bool ag_judge_is_between(ag_str word)
{
	static const char *const list[] = {
		"with",   "using",  "via",     "by",      "through", "as",     "from",
		"on",     "in",     "at",      "like",    "inside",  "within", "under",
		"for",    "to",     "after",   "when",    "while",   "before", "if",
		"during", "unless", "because", "without",
	};

	return is_one_of(word, list, AG_NELEM(list));
}

static bool is_article(ag_str word)
{
	static const char *const list[] = { "a", "an", "the", "your", "my", "our", "this" };

	return is_one_of(word, list, AG_NELEM(list));
}

/* "Installations", "deployments" are things; "installing" and "the installation of" are done. */
static bool is_plural_deed(ag_str word)
{
	return ag_str_ends(word, AG_S("tions")) || ag_str_ends(word, AG_S("ments"));
}

/* Of what such a word follows: a key pair is keys. */
static bool is_of_kind(ag_str word)
{
	static const char *const list[] = {
		"pair",   "list",  "set",    "object", "instance", "class",     "guidelines",
		"guide",  "rules", "format", "basics", "overview", "example",   "examples",
		"syntax", "steps", "usage",  "howto",  "tutorial", "reference",
	};

	return is_one_of(word, list, AG_NELEM(list));
}

/* Is the noun i what the title is about? In "Create a blog post" the blog only says which post. */
static bool is_head(const ag_judge *j, const words *w, size_t i)
{
	const char *end = w->at[i].ptr + w->at[i].len;
	ag_str next;

	if (i + 1 >= w->n)
		return true;
	next = w->at[i + 1];
	if (next.ptr - end != 1 || (*end != ' ' && *end != '-'))
		return true;
	return next.len < 2 || is_digit(next.ptr[0]) || is_of_kind(next) ||
	       ag_judge_is_between(next) || ag_str_ends(next, AG_S("ing")) ||
	       ag_str_ends(next, AG_S("ed")) || ag_str_ends(next, AG_S("ly")) ||
	       ag_judge_is_common(next) || is_word_of_any(j, next);
}

static bool is_after_between(const words *w, size_t i)
{
	while (i && is_article(w->at[i - 1]))
		i--;
	return i && ag_judge_is_between(w->at[i - 1]);
}

static bool is_in_condition(const words *w, size_t o)
{
	static const char *const list[] = { "if",    "when",     "unless",  "while", "until",
		                            "after", "whenever", "because", "once" };

	for (size_t i = o; i > 0 && o - i < 3; i--) {
		if (is_one_of(w->at[i - 1], list, AG_NELEM(list)))
			return true;
	}
	return false;
}

/* The verb v and the object o: "restart the worker", "the worker is restarted". */
static bool is_direct(const words *w, size_t v, size_t o)
{
	if (is_plural_deed(w->at[v]) || (v > o ? v - o : o - v) >= NEAR_VERB)
		return false;
	/* "The watchdog resets the controller" resets no watchdog; "if the worker is stopped" does not say how. */
	if (v > o)
		return !is_in_condition(w, o) && !is_after_between(w, o) &&
		       !(v + 1 < w->n && is_article(w->at[v + 1]));
	for (size_t i = v + 1; i < o; i++) {
		/* "installation of Git"; to search for a thing is to search it */
		if (ag_judge_is_between(w->at[i]) &&
		    !(i == v + 1 && ag_judge_takes_for(w->at[v], w->at[i])))
			return false;
	}
	return true;
}

bool ag_judge_acts_on(const ag_judge *j, ag_str text, bool is_title, bool is_strict)
{
	const ag_term *verb = &j->terms[j->verb];
	const bool is_row = ag_str_starts(ag_str_trim(text), AG_S("|"));
	bool has_verb = false, has_object = false;
	words w;

	if (!j->is_direct || verb->kind != AG_TERM_WORD)
		return true;
	cut_words(text, &w);
	for (size_t i = 0; i < w.n; i++)
		has_verb |= is_word_of(w.at[i], verb, false) &&
		            !is_word_of(w.at[i], &j->terms[j->objects[0]], false);
	for (size_t k = 0; k < (j->is_pair ? 2u : 1u) && !has_object; k++) {
		const ag_term *object = &j->terms[j->objects[k]];

		for (size_t o = 0; o < w.n; o++) {
			if (!is_word_of(w.at[o], object, false))
				continue;
			has_object = true;
			if (is_strict && !is_head(j, &w, o))
				continue;
			if (is_title && !has_verb && !is_after_between(&w, o))
				return true;
			for (size_t v = 0; v < w.n; v++) {
				/* In a row what is named first is what the row is about. */
				if (v != o && !(is_row && v > o) &&
				    is_word_of(w.at[v], verb, false) && is_direct(&w, v, o))
					return true;
			}
		}
	}
	/* By another name, or within a longer word: nothing can be said. */
	return !has_object;
}

bool ag_judge_has_head(const ag_judge *j, const ag_term *t, ag_str text)
{
	words w;

	cut_words(text, &w);
	for (size_t i = 0; i < w.n; i++) {
		if (is_word_of(w.at[i], t, false) && is_head(j, &w, i))
			return true;
	}
	return false;
}

typedef struct pair_search {
	const ag_term *terms[2];
	bool has[2], is_near;
	bool is_own; /* synonyms do not count */
} pair_search;

/* "Proxy server", also "proxies of a server" with a word between them. */
static void look_for_pair(pair_search *p, bool is_code, ag_str sentence)
{
	size_t n = 0, last[2] = { 0, 0 };
	bool has[2] = { false, false };
	ag_str run;

	for (size_t pos = 0; ag_judge_next_run(sentence, &pos, &run); n++) {
		const bool is[2] = { is_word_of(run, p->terms[0], p->is_own),
			             is_word_of(run, p->terms[1], p->is_own) };

		for (size_t k = 0; k < 2; k++) {
			p->has[k] |= is[k];
			has[k] |= is[k];
			if (is[k])
				last[k] = n;
		}
		p->is_near |= !is_code && has[0] && is[1] && n - last[0] <= NEAR_PAIR;
		p->is_near |= !is_code && has[1] && is[0] && n - last[1] == NEAR_PAIR;
	}
}

/* Are the two words near each other in a sentence, code aside? Also true when the text has one of them by another name only. */
static bool are_near(const ag_term *one, const ag_term *two, bool is_own, ag_str text)
{
	pair_search p = { .terms = { one, two }, .is_own = is_own };
	bool is_code = false;
	ag_str s;

	while (ag_judge_next_sentence(&text, &is_code, &s))
		look_for_pair(&p, is_code, s);
	return p.is_near || (!is_own && (!p.has[0] || !p.has[1]));
}

static bool is_noun(const ag_term *t)
{
	static const char *const measures[] = {
		"default", "maximum", "minimum", "max",    "min",
		"average", "total",   "current", "global", "local"
	};

	if (is_one_of(t->word, measures, AG_NELEM(measures)))
		return false;
	return (t->kind == AG_TERM_WORD || t->kind == AG_TERM_NAME) && !t->is_light &&
	       !ag_str_ends(t->shown, AG_S("ed")) && !ag_str_ends(t->shown, AG_S("ly")) &&
	       !ag_judge_is_in(AG_JUDGE_STATES, t->word);
}

/* "Version 1.0", "revision 3": the number is of this and of nothing else. */
static bool is_numbered(const ag_term *one, const ag_term *two)
{
	return two->kind == AG_TERM_NAME && is_digit(two->shown.ptr[0]) &&
	       two->shown.ptr - (one->shown.ptr + one->shown.len) == 1;
}

/* What the titles have holds for the whole section, unless the pair is all that was asked for, or what something is done to. */
static bool must_be_near(const ag_judge *j, size_t i, const ag_judge_view *heads, ag_arena *arena)
{
	const ag_term *one = &j->terms[i], *two = &j->terms[i + 1];

	if (is_numbered(one, two))
		return !ag_judge_has_own(heads, one, arena) || !ag_judge_has_own(heads, two, arena);
	if (j->is_bare && j->nterm == 2)
		return !ag_judge_has_own(heads, one, arena) || !ag_judge_has_own(heads, two, arena);
	if ((int)i == j->verb || (int)i + 1 == j->verb || !is_noun(one) || !is_noun(two) ||
	    ag_str_ends(two->shown, AG_S("ing")) ||
	    two->shown.ptr - (one->shown.ptr + one->shown.len) != 1)
		return false;
	return (j->is_pair && (int)i == j->objects[0]) ||
	       (!ag_judge_has_term(heads, one, arena) && !ag_judge_has_term(heads, two, arena));
}

bool ag_judge_keeps_pair(const ag_judge *j, size_t i, ag_str text)
{
	const ag_term *one = &j->terms[i], *two = &j->terms[i + 1];

	if (is_numbered(one, two))
		return are_near(one, two, true, text);
	if ((int)i == j->verb || !is_noun(one) || !is_noun(two) ||
	    ag_str_ends(two->shown, AG_S("ing")) ||
	    two->shown.ptr - (one->shown.ptr + one->shown.len) != 1)
		return true;
	return are_near(one, two, false, text) || ag_judge_are_close(one, two, text);
}

size_t ag_judge_lost_pair(const ag_judge *j, const ag_judge_view *heads, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	for (size_t i = 0; i + 1 < j->nterm; i++) {
		if (must_be_near(j, i, heads, arena) &&
		    !are_near(&j->terms[i], &j->terms[i + 1],
		              j->is_bare || is_numbered(&j->terms[i], &j->terms[i + 1]), text))
			return i;
	}
	return j->nterm;
}

/* --- "why", "what happens when", "how long" --- */

static bool is_cue(ag_cue cue, ag_str word)
{
	static const char *const reasons[] = { "because", "since", "due",    "reason",
		                               "reasons", "cause", "causes", "caused",
		                               "why",     "so",    "means",  "therefore" };
	static const char *const cases[] = { "when",   "if",      "once", "whenever", "after",
		                             "unless", "without", "on",   "then" };
	static const char *const advice[] = { "recommend", "recommended", "prefer",
		                              "preferred", "should",      "better",
		                              "instead",   "avoid",       "best" };
	static const char *const times[] = {
		"ms",      "millisecond", "milliseconds", "s",     "second", "seconds", "minute",
		"minutes", "hour",        "hours",        "day",   "days",   "week",    "weeks",
		"month",   "months",      "year",         "years", "night",  "forever", "h",
		"min",     "never",
	};
	static const char *const dates[] = {
		"before",  "until",   "during", "while", "every", "each",  "daily",      "weekly",
		"monthly", "nightly", "hourly", "at",    "as",    "first", "immediately"
	};
	static const char *const moments[] = { "every",  "each",    "daily",   "weekly", "hourly",
		                               "yearly", "monthly", "nightly", "once" };
	static const char *const sizes[] = {
		"byte",  "bytes",   "kb",  "mb",     "gb",        "kib",
		"mib",   "gib",     "k",   "m",      "g",         "tb",
		"line",  "lines",   "row", "rows",   "character", "characters",
		"items", "percent", "px",  "pixels", "megabytes", "gigabytes",
	};

	switch (cue) {
	case AG_CUE_NONE: break;
	case AG_CUE_REASON: return is_one_of(word, reasons, AG_NELEM(reasons));
	case AG_CUE_CASE: return is_one_of(word, cases, AG_NELEM(cases));
	case AG_CUE_ADVICE: return is_one_of(word, advice, AG_NELEM(advice));
	case AG_CUE_TIME: return is_one_of(word, times, AG_NELEM(times));
	case AG_CUE_SIZE: return is_one_of(word, sizes, AG_NELEM(sizes));
	case AG_CUE_WHEN:
		return is_one_of(word, cases, AG_NELEM(cases)) ||
		       is_one_of(word, times, AG_NELEM(times)) ||
		       is_one_of(word, dates, AG_NELEM(dates));
	case AG_CUE_MOMENT:
		return is_one_of(word, moments, AG_NELEM(moments)) || ag_judge_has_date(word);
	}
	return true;
}

bool ag_judge_has_cue_word(ag_cue cue, ag_str sentence)
{
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(sentence, &pos, &word);) {
		while (word.len > 1 && is_digit(word.ptr[0])) /* "30s" */
			word = ag_str_make(word.ptr + 1, word.len - 1);
		if (is_cue(cue, word))
			return true;
	}
	return false;
}

/* A reason is seldom said in one sentence: a term that the titles have, and beside the cue another one. */
static bool has_reason(const ag_judge *j, const ag_judge_view *heads, const ag_judge_view *v,
                       ag_arena *arena)
{
	size_t nhead = 0, nmore = 0;

	for (size_t i = 0; i < j->nterm; i++) {
		const bool is_above = ag_judge_has_own(heads, &j->terms[i], arena);

		nhead += is_above;
		nmore += !is_above && ag_judge_has_own(v, &j->terms[i], arena);
	}
	return nhead && nmore;
}

static bool has_any_own(const ag_judge *j, const ag_judge_view *v, ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (!j->terms[i].is_light && ag_judge_has_own(v, &j->terms[i], arena))
			return true;
	}
	return false;
}

static bool is_measured(ag_cue cue)
{
	return cue == AG_CUE_TIME || cue == AG_CUE_SIZE;
}

/* A sentence is without the sign that ends it. rest: the text after it. */
static bool is_question(ag_str sentence, ag_str rest)
{
	return ag_str_ends(sentence, AG_S("?")) ||
	       (rest.ptr && sentence.ptr + sentence.len < rest.ptr &&
	        sentence.ptr[sentence.len] == '?');
}

bool ag_judge_has_cue(const ag_judge *j, const ag_judge_view *heads, ag_str title, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_judge_view v = scratch_view(title, arena);
	const bool is_titled = has_any_own(j, &v, arena);
	bool is_code = false;
	size_t nhead = 0;
	ag_str s;

	for (size_t i = 0; i < j->nterm; i++)
		nhead += ag_judge_has_twin(heads, &j->terms[i], arena);
	if (j->cue == AG_CUE_REASON && nhead && ag_judge_has_cue_word(j->cue, title))
		return true;
	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		/* "Should keys be sorted?" is no advice. */
		if (is_code || !ag_judge_has_cue_word(j->cue, s) ||
		    (j->cue == AG_CUE_ADVICE && is_question(s, text)))
			continue;
		v = scratch_view(s, arena);
		/* What the page is about is not what this sentence measures. */
		if (is_measured(j->cue) && !is_titled && !has_any_own(j, &v, arena))
			continue;
		if (j->cue == AG_CUE_REASON ? has_reason(j, heads, &v, arena)
		                            : has_the_rest(j, heads, &v, arena))
			return true;
	}
	return false;
}

/* Do the words of the phrase begin at i, one after the other? Returns where they end; 0 = no. */
static size_t phrase_at(const ag_judge *j, const words *w, size_t i)
{
	for (int k = j->phrase[0]; k <= j->phrase[1]; k++) {
		ag_str run;
		size_t pos = 0;

		if (j->terms[k].nstem) {
			if (i >= w->n || !is_word_of(w->at[i++], &j->terms[k], false))
				return 0;
			continue;
		}
		while (ag_judge_next_run(j->terms[k].shown, &pos, &run)) {
			const ag_stem want = ag_judge_stem(run);
			const ag_stem have = i < w->n ? ag_judge_stem(w->at[i]) : (ag_stem){ 0 };

			if (i >= w->n || !(ag_str_ieq(w->at[i], run) || ag_stem_eq(&want, &have)))
				return 0;
			i++;
		}
	}
	return i;
}

bool ag_judge_defines(const ag_judge *j, ag_str text)
{
	bool is_code = false;
	ag_str s;
	words w;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		size_t i = 0;

		cut_words(s, &w);
		while (i < w.n && is_article(w.at[i]))
			i++;
		if (!is_code && phrase_at(j, &w, i))
			return true;
	}
	return false;
}

/* --- "how do I stop a backup" --- */

/* The verb in the question's own word, unless the titles have the rest: what is done to something else is often called
 * alike. */
static bool is_bound_in(const ag_judge *j, const ag_judge_view *heads, bool may_be_like,
                        bool is_code, ag_str text, ag_arena *arena)
{
	const ag_judge_view v = scratch_view(text, arena);
	const ag_term *verb = &j->terms[j->verb];
	size_t n = 0;

	/* In code a word that is like it is mostly something else, save for "new Socket()". */
	may_be_like &= !is_code || verb->is_light;

	if (!ag_judge_has_own(&v, verb, arena) && !(may_be_like && ag_judge_has_any(&v, verb)))
		return false;
	for (size_t i = 0; i < (j->is_pair || j->is_owned ? 2u : 1u); i++) {
		const ag_term *t = &j->terms[j->objects[i]];

		if (is_code ? ag_judge_has_own(&v, t, arena) : ag_judge_has_term(&v, t, arena))
			n++;
		else if (!verb->is_light && !ag_judge_has_term(heads, t, arena))
			return false;
	}
	return n > 0;
}

bool ag_judge_binds(const ag_judge *j, const ag_judge_view *heads, bool are_titles, bool is_strict,
                    ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const bool may_be_like = are_titles || j->terms[j->verb].is_light;
	bool is_code = false;
	ag_str s, window;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		if (!is_bound_in(j, heads, may_be_like, is_code, s, arena) ||
		    (!are_titles && !ag_judge_acts_on(j, s, false, is_strict)))
			continue;
		for (size_t pos = 0; next_window(s, &pos, NEAR_VERB, &window);) {
			if (is_bound_in(j, heads, may_be_like, is_code, window, arena))
				return true;
		}
	}
	return false;
}

/* --- "who wrote it", "when was it founded" --- */

static bool is_of(ag_str word, const ag_term *t)
{
	const ag_stem stem = ag_judge_stem(word);

	return t->nstem && ag_stem_eq(&stem, &t->stems[0]);
}

/* "written by Ada", "Ada wrote": the deed, and beside it a name that the question does not have. */
static bool names_doer(const ag_judge *j, ag_str sentence, ag_arena *arena)
{
	ag_str word, before = AG_S("");

	for (size_t pos = 0; ag_word_next(sentence, &pos, &word); before = word) {
		size_t after = pos;
		ag_str next;

		if (!ag_judge_is_past(word) || !is_of(word, &j->terms[j->deed]))
			continue;
		if (ag_word_next(sentence, &after, &next) && ag_str_ieq(next, AG_S("by")))
			return true;
		if (before.len && is_upper(before.ptr[0]) &&
		    !ag_judge_is_common(ag_judge_lower(before, arena)))
			return true;
	}
	return false;
}

bool ag_judge_names_deed(const ag_judge *j, const ag_judge_view *heads, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	bool is_code = false;
	ag_str s;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		const ag_judge_view v = scratch_view(s, arena);

		if (j->wants_date
		            ? !is_code && ag_judge_has_date(s) && has_the_rest(j, heads, &v, arena)
		            : !is_code && names_doer(j, s, arena) &&
		                      has_the_rest(j, heads, &v, arena))
			return true;
	}
	return false;
}

bool ag_judge_says_all(const ag_judge *j, ag_str text)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_judge_view none = { 0 };
	bool is_code = false;
	ag_str s;

	while (ag_judge_next_sentence(&text, &is_code, &s)) {
		if (has_all(j, &none, s, arena))
			return true;
	}
	return false;
}
