/* offline_marks -- what a question asks for, and what its terms are in it: the verb, its objects, what is counted or lacking. */
#include "ask/offline_judge.h"

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || is_lower(c) || (unsigned char)c >= 0x80;
}

static bool has_phrase(ag_str low, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const ag_str phrase = ag_str_c(list[i]);

		for (size_t at = 0; at + phrase.len <= low.len; at++) {
			if (memcmp(low.ptr + at, phrase.ptr, phrase.len) == 0 &&
			    (!at || !is_letter(low.ptr[at - 1])) &&
			    (at + phrase.len == low.len || !is_letter(low.ptr[at + phrase.len])))
				return true;
		}
	}
	return false;
}

static void read_wishes(ag_judge *j, ag_str low)
{
	static const struct {
		const char *begin;
		ag_cue cue;
	} cues[] = {
		{ "why ", AG_CUE_REASON },           { "what happens when ", AG_CUE_CASE },
		{ "what happens if ", AG_CUE_CASE }, { "should i ", AG_CUE_ADVICE },
		{ "should we ", AG_CUE_ADVICE },     { "how long ", AG_CUE_TIME },
		{ "how large ", AG_CUE_SIZE },       { "how big ", AG_CUE_SIZE },
		{ "when do ", AG_CUE_WHEN },         { "when does ", AG_CUE_WHEN },
		{ "when will ", AG_CUE_WHEN },       { "when is ", AG_CUE_WHEN },
		{ "when are ", AG_CUE_WHEN },
	};
	static const char *const versions[] = { "version of", "which version", "what version",
		                                "version does", "version do" };
	static const char *const quantities[] = {
		"how many",  "how much",         "how long", "how often", "how large",
		"how big",   "how fast",         "how old",  "what time", "which port",
		"what port", "which percentage", "how far",  "how high",  "number of",
	};
	static const char *const hows[] = { "how do", "how to", "how can", "how should",
		                            "how would" };

	/* A role may be the answer. */
	static const char *const roles[] = { "who is",     "who are",   "who can", "who may",
		                             "who should", "who must",  "who has", "who will",
		                             "who needs",  "who could", "who else" };
	static const char *const costs[] = { "cost", "costs" };
	static const char *const mays[] = { "may", "can", "could", "allowed", "maximum", "max" };
	static const char *const whethers[] = { "does ", "do ",  "is ",   "are ", "has ",
		                                "have ", "was ", "were ", "did ", "will ",
		                                "can ",  "may ", "could " };

	j->wants_how = has_phrase(low, hows, AG_NELEM(hows));
	j->wants_version = has_phrase(low, versions, AG_NELEM(versions));
	j->wants_quantity = has_phrase(low, quantities, AG_NELEM(quantities)) && !j->wants_how &&
	                    !has_phrase(low, (const char *const[]){ "count how many" }, 1);
	for (size_t i = 0; i < AG_NELEM(cues) && !j->cue; i++) {
		if (ag_str_starts(low, ag_str_c(cues[i].begin)))
			j->cue = cues[i].cue;
	}
	j->asks_who = ag_str_starts(low, AG_S("who ")) && !has_phrase(low, roles, AG_NELEM(roles));
	j->asks_many = has_phrase(low, (const char *const[]){ "how many", "how much" }, 2);
	j->asks_right = has_phrase(low, (const char *const[]){ "who may", "who can" }, 2);
	j->asks_often = has_phrase(low, (const char *const[]){ "how often" }, 1);
	j->asks_whom = !ag_str_starts(low, AG_S("who")) &&
	               has_phrase(low, (const char *const[]){ "who", "whom" }, 2);
	j->asks_cost = (ag_str_starts(low, AG_S("how much ")) ||
	                ag_str_starts(low, AG_S("what d"))) &&
	               has_phrase(low, costs, AG_NELEM(costs));
	j->asks_limit = (ag_str_starts(low, AG_S("how ")) || ag_str_starts(low, AG_S("what "))) &&
	                !j->wants_how && has_phrase(low, mays, AG_NELEM(mays));
	for (size_t i = 0; i < AG_NELEM(whethers); i++)
		j->asks_whether |= ag_str_starts(low, ag_str_c(whethers[i]));
	j->is_negated = has_phrase(low, (const char *const[]){ "without" }, 1);
}

/* The first term after a phrase; -1 = none. */
static int term_after(const ag_judge *j, ag_str question, ag_str low, const char *const *list,
                      size_t n)
{
	const char *after = NULL;
	int best = -1;

	for (size_t i = 0; i < n && !after; i++) {
		const ag_str phrase = ag_str_c(list[i]);

		for (size_t at = 0; at + phrase.len <= low.len && !after; at++) {
			if (memcmp(low.ptr + at, phrase.ptr, phrase.len) == 0)
				after = question.ptr + at + phrase.len;
		}
	}
	for (size_t i = 0; after && i < j->nterm; i++) {
		const char *p = j->terms[i].shown.ptr;

		if (p >= after && p < question.ptr + question.len &&
		    (best < 0 || p < j->terms[best].shown.ptr))
			best = (int)i;
	}
	return best;
}

/* What the user wants to do follows. */
static const char *const wants[] = {
	"how do i ",
	"how do we ",
	"how do you ",
	"how to ",
	"how can i ",
	"how can we ",
	"how can you ",
	"how should i ",
	"how should we ",
	"how would i ",
	"how could i ",
	"how does one ",
	"how can one ",
	"can i ",
	"can we ",
	"may i ",
	"is it possible to ",
	"is there a way to ",
};

/* A state is light where it is not what the user wants to do: "what does it return", not "how do I return it". */
static void mark_light(ag_judge *j, ag_str low)
{
	bool is_wanted = false;

	for (size_t i = 0; i < AG_NELEM(wants); i++)
		is_wanted |= ag_str_contains(low, ag_str_c(wants[i]));
	for (size_t i = 0; i < j->nterm; i++) {
		ag_term *t = &j->terms[i];

		t->is_light = t->kind == AG_TERM_WORD && (int)i != j->deed &&
		              (ag_judge_is_in(AG_JUDGE_NEUTRAL, t->word) ||
		               (!is_wanted && ag_judge_is_in(AG_JUDGE_STATES, t->word)));
	}
}

static const char *end_of(const ag_term *t)
{
	return t->shown.ptr + t->shown.len;
}

/* What was done, of "who wrote it", "when was it written": a verb in the past. */
static void mark_deed(ag_judge *j, ag_str question, ag_str low)
{
	static const char *const whens[] = { "when was", "when were", "when did", "which year",
		                             "what year" };
	static const char *const whos[] = { "who " };
	const int deed = term_after(j, question, low, whos, AG_NELEM(whos));

	j->deed = -1;
	j->wants_date = has_phrase(low, whens, AG_NELEM(whens));
	if (j->wants_date || deed < 0 || !ag_str_starts(low, AG_S("who ")) ||
	    j->terms[deed].shown.ptr != question.ptr + 4 || !ag_judge_is_past(j->terms[deed].shown))
		return;
	j->wants_doer = true;
	j->deed = deed;
}

/* "Continue a run": a verb and an article. */
static bool is_order(ag_str question)
{
	static const char *const articles[] = { "a", "an", "the", "my", "our", "all" };
	static const char *const asks[] = { "can",  "may",  "could", "is",   "are",    "was",
		                            "were", "does", "do",    "did",  "should", "will",
		                            "has",  "have", "who",   "when", "where",  "why" };
	ag_str first = ag_str_split(&question, ' '), next = ag_str_split(&question, ' ');

	/* "Can a release be deleted?" */
	for (size_t i = 0; i < AG_NELEM(asks); i++) {
		if (ag_str_ieq(first, ag_str_c(asks[i])))
			return false;
	}
	for (size_t i = 0; i < AG_NELEM(articles); i++) {
		if (next.len && ag_str_ieq(next, ag_str_c(articles[i])))
			return first.len > 0;
	}
	/* "uninstall Git" */
	return next.len && ag_judge_is_action(first) && !ag_str_ends(first, AG_S("ing"));
}

static bool has_between(ag_str text)
{
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		if (ag_judge_is_between(word))
			return true;
	}
	return false;
}

/* "Can a release be deleted?" */
static void mark_passive(ag_judge *j, ag_str question, ag_str low)
{
	static const char *const begins[] = { "can ", "may ", "could " };
	const char *be = memmem(low.ptr, low.len, " be ", 4);
	bool is_asked = false;

	for (size_t i = 0; i < AG_NELEM(begins); i++)
		is_asked |= ag_str_starts(low, ag_str_c(begins[i]));
	if (ag_str_starts(low, AG_S("how often ")) && j->nterm == 2 &&
	    ag_judge_is_past(j->terms[1].shown) &&
	    j->terms[1].shown.ptr == end_of(&j->terms[0]) + 1) {
		j->verb = 1;
		j->objects[0] = 0;
	}
	for (size_t i = 1; i < j->nterm && is_asked && be; i++) {
		if (j->terms[i].shown.ptr != question.ptr + (be - low.ptr) + 4)
			continue;
		j->verb = (int)i;
		j->objects[0] = (int)i - 1;
	}
}

/* "The data of a person" */
static bool is_owned(const ag_term *one, const ag_term *two)
{
	static const char *const between[] = { " of ", " of a ", " of an ", " of the " };
	const ag_str s = ag_str_make(end_of(one), (size_t)(two->shown.ptr - end_of(one)));
	bool is = false;

	for (size_t i = 0; i < AG_NELEM(between); i++)
		is |= ag_str_eq(s, ag_str_c(between[i]));
	return is;
}

static bool is_state(ag_str word)
{
	static const char *const ends[] = { "ed", "able", "ible", "only", "less" };
	static const char *const words[] = { "mandatory", "optional", "public", "private",
		                             "global",    "local",    "unique", "secret" };
	bool is = false;

	for (size_t i = 0; i < AG_NELEM(ends); i++)
		is |= ag_str_ends(word, ag_str_c(ends[i]));
	for (size_t i = 0; i < AG_NELEM(words); i++)
		is |= ag_str_ieq(word, ag_str_c(words[i]));
	return is;
}

/* "How do I make an option required": the state that a thing shall be in. */
static void mark_state(ag_judge *j, ag_str question, const char *at)
{
	const ag_str rest = ag_str_make(at, (size_t)(question.ptr + question.len - at));
	int thing = -1;

	if (!ag_str_starts(rest, AG_S("make ")) && !ag_str_starts(rest, AG_S("keep ")))
		return;
	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].shown.ptr > at &&
		    (thing < 0 || j->terms[i].shown.ptr < j->terms[thing].shown.ptr))
			thing = (int)i;
	}
	for (size_t i = 0; thing >= 0 && i < j->nterm; i++) {
		const ag_str s = j->terms[i].shown;

		if (s.ptr != end_of(&j->terms[thing]) + 1 || !is_state(s))
			continue;
		j->state = (int)i;
		j->stated = thing;
	}
}

/* "What is the maximum size of a commit", "how long may a name be": what is measured. */
static void mark_topic(ag_judge *j, ag_str question, ag_str low)
{
	static const char *const begins[] = { "what is the max", "what is the min", "how long ",
		                              "how large ",      "how big ",        "how many " };
	const ag_term *last = j->nterm ? &j->terms[j->nterm - 1] : NULL;
	bool is_measured = false;
	ag_str rest;

	j->topic = -1;
	for (size_t i = 0; i < AG_NELEM(begins); i++)
		is_measured |= ag_str_starts(low, ag_str_c(begins[i]));
	/* A part of "client/server" is no view of the question. */
	if (!is_measured || !last || last->kind != AG_TERM_WORD || last->shown.ptr < question.ptr ||
	    last->shown.ptr >= question.ptr + question.len)
		return;
	rest = ag_str_trim(
		ag_str_make(end_of(last), (size_t)(question.ptr + question.len - end_of(last))));
	if (ag_str_starts(rest, AG_S("be")) ||
	    (rest.len <= 1 && j->nterm >= 2 && is_owned(last - 1, last)))
		j->topic = (int)j->nterm - 1;
}

/* The verb of what the user wants to do, and the things that follow it. */
static void mark_verb(ag_judge *j, ag_str question, ag_str low)
{
	const char *at = NULL;
	int last = -1;

	for (size_t i = 0; i < AG_NELEM(wants) && !at; i++) {
		const size_t n = strlen(wants[i]);
		const char *found = memmem(low.ptr, low.len, wants[i], n);

		if (found)
			at = question.ptr + (found - low.ptr) + n;
	}
	if (!at && is_order(question))
		at = question.ptr;
	/* "Who approves a request?" */
	if (!at && ag_str_starts(low, AG_S("who ")) && !j->wants_date && j->nterm >= 2 &&
	    j->terms[0].shown.ptr == question.ptr + 4 && ag_str_ends(j->terms[0].shown, AG_S("s")))
		at = question.ptr + 4;
	for (size_t i = 0; at && i < j->nterm; i++) {
		if (j->terms[i].shown.ptr == at)
			j->verb = last = (int)i;
	}
	if (!at)
		mark_passive(j, question, low);
	for (size_t n = 0; last >= 0 && n < AG_NELEM(j->objects); n++) {
		const char *before = j->terms[last].shown.ptr;

		last = -1;
		for (size_t i = 0; i < j->nterm; i++) {
			const char *p = j->terms[i].shown.ptr;

			if (p > before && p < question.ptr + question.len &&
			    j->terms[i].part == j->terms[j->verb].part &&
			    (last < 0 || p < j->terms[last].shown.ptr))
				last = (int)i;
		}
		j->objects[n] = last;
	}
	j->is_owned = j->objects[1] >= 0 &&
	              is_owned(&j->terms[j->objects[0]], &j->terms[j->objects[1]]);
	if (at && j->verb < 0)
		mark_state(j, question, at);
	j->is_pair = j->objects[1] >= 0 &&
	             j->terms[j->objects[1]].shown.ptr == end_of(&j->terms[j->objects[0]]) + 1;
	if (!at && j->verb >= 0)
		j->is_direct = true;
	else
		j->is_direct = j->objects[0] >= 0 &&
		               !has_between(ag_str_make(end_of(&j->terms[j->verb]),
		                                        (size_t)(j->terms[j->objects[0]].shown.ptr -
		                                                 end_of(&j->terms[j->verb]))));
}

static bool is_identifier(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (strchr("_.($:", s.ptr[i]))
			return true;
	}
	return false;
}

/* "What is a shell?", "What does git stash do?": nothing but terms that follow each other. */
static void mark_phrase(ag_judge *j, ag_str question, ag_str low)
{
	static const char *const begins[] = { "what is ", "what are ", "what does ", "what do " };
	static const char *const articles[] = { "a ", "an ", "the " };
	const bool is_deed = ag_str_starts(low, AG_S("what d"));
	size_t at = 0, n = 0;
	ag_str rest;

	j->phrase[0] = j->phrase[1] = -1;
	for (size_t i = 0; i < AG_NELEM(begins) && !at; i++) {
		if (ag_str_starts(low, ag_str_c(begins[i])))
			at = strlen(begins[i]);
	}
	for (size_t i = 0; at && i < AG_NELEM(articles); i++) {
		if (ag_str_starts(ag_str_make(low.ptr + at, low.len - at), ag_str_c(articles[i])))
			at += strlen(articles[i]);
	}
	if (!at || !j->nterm || j->terms[0].shown.ptr != question.ptr + at)
		return;
	while (n < j->nterm && j->terms[n].kind != AG_TERM_QUOTED &&
	       j->terms[n].kind != AG_TERM_UNIT &&
	       (!n || j->terms[n].shown.ptr == end_of(&j->terms[n - 1]) + 1))
		n++;
	if (!n)
		return;
	rest = ag_str_make(end_of(&j->terms[n - 1]),
	                   (size_t)(question.ptr + question.len - end_of(&j->terms[n - 1])));
	if (is_deed ? !ag_str_starts(rest, AG_S(" do")) : n < j->nterm || ag_str_trim(rest).len > 1)
		return;
	/* A function or a setting is explained in whatever words. */
	if (n == 1 && is_identifier(j->terms[0].shown))
		return;
	j->phrase[0] = 0;
	j->phrase[1] = (int)n - 1;
}

static void mark_terms(ag_judge *j, ag_str question, ag_str low)
{
	static const char *const counts[] = { "how many ", "how much ", "number of ", "which ",
		                              "what " };
	const bool is_port = ag_str_starts(low, AG_S("which port")) ||
	                     ag_str_starts(low, AG_S("what port"));
	static const char *const lacks[] = { "without " };

	j->counted = term_after(j, question, low, counts, is_port ? AG_NELEM(counts) : 3);
	j->degree = -1;
	if (j->nterm && ag_str_starts(low, AG_S("how ")) &&
	    j->terms[0].shown.ptr == question.ptr + 4 && ag_judge_is_degree(j->terms[0].word))
		j->degree = 0;
	j->lacking = term_after(j, question, low, lacks, AG_NELEM(lacks));
	j->verb = j->objects[0] = j->objects[1] = j->state = -1;
	mark_verb(j, question, low);
	mark_topic(j, question, low);
	mark_deed(j, question, low);
	mark_phrase(j, question, low);
}

void ag_judge_mark(ag_judge *j, ag_str question, ag_str low)
{
	read_wishes(j, low);
	mark_terms(j, question, low);
	mark_light(j, low);
	/* Of what happens by itself a page says little else than when. */
	if (j->cue == AG_CUE_WHEN && j->nterm && j->terms[j->nterm - 1].is_light &&
	    ag_judge_is_in(AG_JUDGE_STATES, j->terms[j->nterm - 1].word))
		j->cue = AG_CUE_MOMENT;
}
