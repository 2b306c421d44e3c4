/* A question as the index asks it: its words with their weights, synonyms, what kind of answer it wants.
 *
 * The tables hold what questions are made of, nothing about a project. Synonyms are in index_synonyms.c. Order of
 * reading: ag_question_read(), then the tables. */
#include <math.h>

#include "ask/index_words.h"
#include "ask/search_parts.h"

#define SYNONYM_SHARE 0.6
#define WEAK_WEIGHT   0.3
/* 20 of 64: room for synonyms of the first words. */
#define MAX_OWN_WORDS 20u
#define MAX_LINES     100u        /* of synonyms */
#define MAX_QUESTION  (64u << 10) /* bytes that are looked at */

/* Words that many questions are made of and few answers. */
static const char *const weak[] = {
	"accord",  "actual",     "already",   "always",    "another",  "available", "bad",
	"become",  "big",        "came",      "certain",   "come",     "complete",  "correct",
	"current", "describe",   "different", "document",  "done",     "easy",      "end",
	"ever",    "exact",      "example",   "exist",     "explain",  "file",      "find",
	"first",   "found",      "get",       "give",      "go",       "good",      "happen",
	"keep",    "kind",       "know",      "like",      "look",     "make",      "mean",
	"mention", "must",       "need",      "new",       "normal",   "old",       "one",
	"part",    "particular", "people",    "possible",  "project",  "proper",    "purpose",
	"put",     "really",     "reason",    "right",     "say",      "several",   "show",
	"simple",  "somebody",   "someone",   "something", "sometime", "sort",      "specific",
	"step",    "still",      "straight",  "suppose",   "take",     "tell",      "thing",
	"think",   "time",       "today",     "try",       "use",      "various",   "want",
	"way",     "wiki",       "word",      "work",
};

typedef struct asks_word {
	const char *phrase; /* of the question in lower case */
	ag_asks asks;
} asks_word;

/* The first that fits counts. */
static const asks_word kinds[] = {
	{ "in the code", AG_ASKS_WHERE },
	{ "which file", AG_ASKS_WHERE },
	{ "what file", AG_ASKS_WHERE },
	{ "which source", AG_ASKS_WHERE },
	{ "which function", AG_ASKS_WHERE },
	{ "what function", AG_ASKS_WHERE },
	{ "which class", AG_ASKS_WHERE },
	{ "which module", AG_ASKS_WHERE },
	{ "which method", AG_ASKS_WHERE },
	{ "which route", AG_ASKS_WHERE },
	{ "which header", AG_ASKS_WHERE },
	{ "which script", AG_ASKS_WHERE },

	{ "framework", AG_ASKS_FACT },
	{ "which port", AG_ASKS_FACT },
	{ "what port", AG_ASKS_FACT },
	{ "host port", AG_ASKS_FACT },
	{ "which version", AG_ASKS_FACT },
	{ "what version", AG_ASKS_FACT },
	{ "which library", AG_ASKS_FACT },
	{ "base image", AG_ASKS_FACT },
	{ "which image", AG_ASKS_FACT },
	{ "which package", AG_ASKS_FACT },
	{ "how do", AG_ASKS_HOW },
	{ "how to", AG_ASKS_HOW },
	{ "how can", AG_ASKS_HOW },
	{ "how should", AG_ASKS_HOW },
	{ "steps", AG_ASKS_HOW },
	{ "what should", AG_ASKS_HOW },
	{ "what do i", AG_ASKS_HOW },
	{ "what must", AG_ASKS_HOW },
	{ "how would", AG_ASKS_HOW },
	{ "what now", AG_ASKS_HOW },
	{ "what is", AG_ASKS_WHAT },
	{ "what are", AG_ASKS_WHAT },
	{ "what does", AG_ASKS_WHAT },
	{ "what's", AG_ASKS_WHAT },
	{ "explain", AG_ASKS_WHAT },
	{ "why", AG_ASKS_WHAT },
	{ "meaning of", AG_ASKS_WHAT },
	{ "what happens", AG_ASKS_WHAT },
	{ "which libraries", AG_ASKS_FACT },
};

/* "Where is it parsed?" is about code; "where is the key kept?" is not. */
static const char *const done_by_code[] = {
	"implemented", "defined",   "declared",    "computed",    "calculated", "detected",
	"parsed",      "loaded",    "handled",     "called",      "checked",    "created",
	"raised",      "validated", "initialised", "initialized", "registered", "converted",
};

/* Answered by a number. */
static const char *const quantities[] = {
	"how many",      "how much",     "how long",  "how often",  "how large", "how big",
	"how fast",      "how old",      "what time", "which port", "what port", "when",
	"which version", "what version", "maximum",   "minimum",    "at most",   "at least",
};

/* Answered by holding two things side by side. */
static const char *const choices[] = { "difference", "differences", "differ", "compare", "versus",
	                               "vs",         "better",      "or",     "instead" };

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_weak(const ag_stem *stem)
{
	for (size_t i = 0; i < AG_NELEM(weak); i++) {
		const ag_str w = ag_str_c(weak[i]);
		ag_stem other;

		/* Most can be told apart by their first letter. */
		if (w.ptr[0] != stem->text[0])
			continue;
		other = ag_stem_of(w);
		if (ag_stem_eq(&other, stem))
			return true;
	}
	return false;
}

static bool has_stem(const ag_question *q, const ag_stem *stem)
{
	for (size_t i = 0; i < q->nword; i++) {
		if (ag_stem_eq(&q->words[i].stem, stem))
			return true;
	}
	return false;
}

static void add_word(ag_question *q, ag_str word, unsigned of, double share, double weight)
{
	const ag_stem stem = ag_stem_of(word);

	if (q->nword == AG_INDEX_MAX_WORDS || has_stem(q, &stem))
		return;
	q->words[q->nword++] = (ag_qword){
		.word = word, .stem = stem, .of = of, .share = share, .weight = weight
	};
}

typedef struct synonym_line {
	ag_str line;
	size_t own; /* which of the question's words stands in it */
} synonym_line;

/* Each line is read once, for all words. */
static size_t find_lines(const ag_question *q, synonym_line *ret)
{
	size_t nline, n = 0;
	const char *const *lines = ag_synonyms(&nline);

	for (size_t k = 0; k < nline; k++) {
		const ag_str line = ag_str_c(lines[k]);
		ag_str word;

		for (size_t pos = 0; ag_word_next(line, &pos, &word);) {
			const ag_stem stem = ag_stem_of(word);

			for (size_t i = 0; i < q->nown && n < MAX_LINES; i++) {
				if (ag_stem_eq(&q->words[i].stem, &stem))
					ret[n++] = (synonym_line){ .line = line, .own = i };
			}
		}
	}
	return n;
}

/* In the order of the question's words: when there is no room for all, the first have theirs. */
static void add_synonyms(ag_question *q)
{
	synonym_line found[MAX_LINES];
	const size_t n = find_lines(q, found);
	ag_str word;

	for (size_t i = 0; i < q->nown; i++) {
		for (size_t k = 0; k < n; k++) {
			for (size_t pos = 0;
			     found[k].own == i && ag_word_next(found[k].line, &pos, &word);)
				add_word(q, word, q->words[i].of, SYNONYM_SHARE,
				         q->words[i].weight);
		}
	}
}

/* --- the whole question --- */

/* In small letters, with one word for each phrase. */
static ag_str in_words(ag_str text, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(MAX_QUESTION);
	size_t n;
	const ag_phrase *list = ag_phrases(&n);
	char *low = ag_str_cstr(arena, text);

	ag_utf8_lower(low, text.len);
	for (size_t i = 0; i < text.len;) {
		const ag_str rest = ag_str_make(low + i, text.len - i);
		const ag_phrase *found = NULL;

		for (size_t k = 0; k < n && !found && (!i || !is_letter(low[i - 1])); k++) {
			const ag_str said = ag_str_c(list[k].said);

			if (ag_str_starts(rest, said) &&
			    (rest.len == said.len || !is_letter(rest.ptr[said.len])))
				found = &list[k];
		}
		/* Capitals are kept: they part an identifier. */
		if (found)
			ag_buf_adds(&b, found->meant);
		else
			ag_buf_addc(&b, text.ptr[i]);
		i += found ? strlen(found->said) : 1;
	}
	return ag_buf_dup(arena, &b);
}

/* "Get my photos back": the little word comes later. */
static bool asks_back(ag_str text)
{
	size_t since = 9;
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		since = ag_str_ieq(word, AG_S("get")) || ag_str_ieq(word, AG_S("bring"))
		                ? 0
		                : since + 1;
		if (since && since <= 4 && ag_str_ieq(word, AG_S("back")))
			return true;
	}
	return false;
}

static void read_words(ag_question *q, ag_arena *arena)
{
	ag_str words[MAX_OWN_WORDS], part;
	const ag_str text = in_words(q->text, arena);
	const size_t n = ag_search_words(
		asks_back(text) ? ag_str_printf(arena, "%.*s restore", AG_FMT(text)) : text, arena,
		words, AG_NELEM(words));

	/* Identifiers come with their parts; here only the parts count. */
	for (size_t i = 0; i < n; i++) {
		for (size_t pos = 0; ag_word_next(words[i], &pos, &part);) {
			const ag_stem stem = ag_stem_of(part);

			if (has_stem(q, &stem) || q->nword == MAX_OWN_WORDS)
				continue;
			add_word(q, part, q->nof, 1, is_weak(&stem) ? WEAK_WEIGHT : 1);
			q->nof++;
		}
	}
	q->nown = q->nword;
	add_synonyms(q);
}

static ag_str lower(ag_str s, ag_arena *arena)
{
	char *out = ag_str_cstr(arena, s);

	ag_utf8_lower(out, s.len);
	return ag_str_make(out, s.len);
}

/* Whole words. */
static bool has_phrase(ag_str low, ag_str phrase)
{
	for (size_t i = 0; i + phrase.len <= low.len; i++) {
		if (ag_str_eq(ag_str_make(low.ptr + i, phrase.len), phrase) &&
		    (!i || !is_letter(low.ptr[i - 1])) &&
		    (i + phrase.len == low.len || !is_letter(low.ptr[i + phrase.len])))
			return true;
	}
	return false;
}

static bool has_one(ag_str low, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (has_phrase(low, ag_str_c(list[i])))
			return true;
	}
	return false;
}

static ag_asks kind_of(ag_str text, ag_arena *arena)
{
	static const char *const by_users[] = { "where can", "where should", "where may",
		                                "where do i", "where do we" };
	const ag_str low = lower(text, arena);

	/* "Where can a hotel be created?" asks what a user may do. */
	const bool is_code = ag_str_starts(low, AG_S("where ")) &&
	                     !has_one(low, by_users, AG_NELEM(by_users));

	for (size_t i = 0; is_code && i < AG_NELEM(done_by_code); i++) {
		if (ag_str_contains(low, ag_str_c(done_by_code[i])))
			return AG_ASKS_WHERE;
	}
	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		if (has_phrase(low, ag_str_c(kinds[i].phrase)))
			return kinds[i].asks;
	}
	return AG_ASKS_ANY;
}

/* What stands between two quotes or backticks. */
static void read_phrases(ag_question *q)
{
	const ag_str t = q->text;

	for (size_t i = 0; i < t.len && q->nphrase < AG_NELEM(q->phrases); i++) {
		const char *end;
		ag_str inside;

		if (t.ptr[i] != '`' && t.ptr[i] != '"')
			continue;
		end = memchr(t.ptr + i + 1, t.ptr[i], t.len - i - 1);
		if (!end)
			return;
		inside = ag_str_trim(ag_str_make(t.ptr + i + 1, (size_t)(end - t.ptr) - i - 1));
		if (inside.len >= 2)
			q->phrases[q->nphrase++] = inside;
		i = (size_t)(end - t.ptr);
	}
}

void ag_question_read(ag_str text, ag_arena *arena, ag_question *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->text = text;
	ret->asks = kind_of(text, arena);
	ret->is_negated = ag_text_is_negated(text);
	ret->is_quantity = has_one(lower(text, arena), quantities, AG_NELEM(quantities));
	ret->is_choice = has_one(lower(text, arena), choices, AG_NELEM(choices));
	read_words(ret, arena);
	read_phrases(ret);
}

/* Of a thing that is asked for: how rare are the documents that have any of its words? */
static double rarity(const ag_question *q, unsigned of, double ndoc)
{
	double with = 0;

	for (size_t i = 0; i < q->nword; i++) {
		if (q->words[i].of == of)
			with += q->words[i].share * (double)q->words[i].with;
	}
	if (with > ndoc)
		with = ndoc;
	return log(1.0 + (ndoc - with + 0.5) / (with + 0.5));
}

void ag_question_weigh(ag_question *q, const ag_index_counts *counts)
{
	for (size_t i = 0; i < q->nword; i++)
		q->words[i].with = counts->with[i];
	for (size_t i = 0; i < q->nword; i++)
		q->words[i].weight *= sqrt(rarity(q, q->words[i].of, (double)counts->ndoc));
}
