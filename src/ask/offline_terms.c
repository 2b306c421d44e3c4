/* offline_terms -- a question taken apart into what an answer must have.
 *
 * What the terms are to each other is in offline_marks.c. Order: tokens, terms, how common they are, ag_judge_read(), units of
 * a text. */
#include "ask/offline_judge.h"

#include <math.h>

#include "ask/answer.h"
#include "ask/search_parts.h"
#include "base/utf8.h"

#define MAX_QUESTION (8u << 10)
#define MAX_TOKENS   200u
#define MAX_SHOWN    60u
/* Of a name, beside a word as rare: a name that is missing says more. */
#define NAME_WEIGHT 1.5

/* --- tokens of a question --- */

typedef struct token {
	ag_str text; /* without the signs around it */
	unsigned part;
	bool is_first;  /* of its sentence: a capital means nothing there */
	bool is_wanted; /* "how many people", "who made": never spare */
	bool is_taken;
} token;

typedef struct tokens {
	token at[MAX_TOKENS];
	size_t n;
} tokens;

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return is_upper(c) || is_lower(c) || (unsigned char)c >= 0x80;
}

ag_str ag_judge_lower(ag_str s, ag_arena *arena)
{
	char *out = ag_str_cstr(arena, s);

	ag_utf8_lower(out, s.len);
	return ag_str_make(out, s.len);
}

/* Signs of a sentence, not of a name: a dot at the end goes, one within stays. */
static ag_str bare(ag_str s)
{
	while (s.len && strchr("(\"'[{,;:!?*<", s.ptr[0]) && s.len > 1)
		s = ag_str_make(s.ptr + 1, s.len - 1);
	while (s.len && strchr(")\"']},;:!?.*>", s.ptr[s.len - 1])) {
		/* "makeTag()" */
		if (s.len > 2 && s.ptr[s.len - 1] == ')' && s.ptr[s.len - 2] == '(')
			break;
		s.len--;
	}
	if (s.len > 2 && ag_str_ends(s, AG_S("'s")))
		s.len -= 2;
	return s;
}

static void add_term(ag_judge *j, ag_term t)
{
	t.shown = ag_str_trim(t.shown);
	if (t.shown.len > MAX_SHOWN)
		t.shown.len = MAX_SHOWN;
	if (j->nterm < AG_JUDGE_MAX_TERMS && t.shown.len)
		j->terms[j->nterm++] = t;
}

/* The end of a quotation or code span that begins at i; 0 = none begins there. */
static size_t quoted_end(ag_str q, size_t i)
{
	const char mark = q.ptr[i];
	const char *end;

	if (mark != '`' && mark != '"')
		return 0;
	end = memchr(q.ptr + i + 1, mark, q.len - i - 1);
	return end ? (size_t)(end - q.ptr) + 1 : 0;
}

/* Cuts into tokens; quoted text becomes terms at once. A sentence, and "and how …", begins a part. */
static void cut(ag_judge *j, ag_str q, tokens *t)
{
	bool is_first = true;

	for (size_t i = 0; i < q.len;) {
		const size_t end = quoted_end(q, i);
		size_t begin = i;
		ag_str raw, word;

		if (end) {
			add_term(j, (ag_term){ .kind = AG_TERM_QUOTED,
			                       .shown = ag_str_make(q.ptr + i + 1, end - i - 2),
			                       .part = j->npart });
			i = end;
			is_first = false;
			continue;
		}
		if (is_blank(q.ptr[i])) {
			i++;
			continue;
		}
		while (i < q.len && !is_blank(q.ptr[i]) && (i == begin || !quoted_end(q, i)))
			i++;
		raw = ag_str_make(q.ptr + begin, i - begin);
		word = bare(raw);
		if (word.len && t->n < MAX_TOKENS)
			t->at[t->n++] =
				(token){ .text = word, .part = j->npart, .is_first = is_first };
		is_first = false;
		if (strchr(".?!;", raw.ptr[raw.len - 1]) && j->npart + 1 < AG_JUDGE_MAX_PARTS &&
		    t->n && t->at[t->n - 1].part == j->npart) {
			j->npart++;
			is_first = true;
		}
	}
}

/* "… and how do I …", "…, and which …": another question begins. */
static void part_at_questions(ag_judge *j, tokens *t)
{
	static const char *const begins[] = {
		"how", "what", "which", "where", "who", "when", "why"
	};
	unsigned more = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (i >= 3 && ag_str_ieq(t->at[i - 1].text, AG_S("and"))) {
			for (size_t k = 0; k < AG_NELEM(begins); k++) {
				if (ag_str_ieq(t->at[i].text, ag_str_c(begins[k])) &&
				    j->npart + more + 1 < AG_JUDGE_MAX_PARTS)
					more++;
			}
		}
		t->at[i].part += more;
	}
	j->npart += more;
}

static void name_parts(ag_judge *j, const tokens *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const token *w = &t->at[i];
		ag_str *part = &j->parts[w->part];

		*part = part->ptr ? ag_str_make(part->ptr,
		                                (size_t)(w->text.ptr - part->ptr) + w->text.len)
		                  : w->text;
	}
	j->npart = t->n ? t->at[t->n - 1].part + 1 : 0;
}

/* --- terms of a question --- */

/* "Which function computes x": the answer is a function, and does not say so. */
static bool is_place(ag_str low)
{
	static const char *const words[] = {
		"file",      "function", "class",    "module",     "method",    "source", "header",
		"implement", "define",   "declare",  "compute",    "calculate", "code",   "route",
		"script",    "located",  "location", "initialize", "place",     "handle", "parse",
		"wrap",      "tell",     "explain",  "describe",
	};
	const ag_stem stem = ag_stem_of(low);

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		const ag_stem other = ag_stem_of(ag_str_c(words[i]));

		if (ag_stem_eq(&stem, &other))
			return true;
	}
	return false;
}

static bool is_false_friend(ag_str own, ag_str word)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_APART);
	const ag_stem stem = ag_judge_stem(own), other = ag_judge_stem(word);

	for (size_t i = 0; i < table.n; i++) {
		ag_str rest = ag_str_c(table.at[i]);
		ag_stem one = ag_judge_stem(ag_str_split(&rest, ' '));

		if (!ag_stem_eq(&one, &stem))
			continue;
		while (rest.ptr) {
			one = ag_judge_stem(ag_str_split(&rest, ' '));
			if (ag_stem_eq(&one, &other))
				return true;
		}
	}
	return false;
}

static void add_stem(ag_term *t, ag_str word)
{
	const ag_stem stem = ag_judge_stem(word);

	if (t->nstem && is_false_friend(t->word, word))
		return;

	for (size_t i = 0; i < t->nstem; i++) {
		if (ag_stem_eq(&t->stems[i], &stem))
			return;
	}
	if (t->nstem < AG_JUDGE_MAX_STEMS)
		t->stems[t->nstem++] = stem;
}

/* is_directed: only the first word of the line is replaced by the others. */
static void add_line_of(ag_term *t, const char *line, bool is_directed, const ag_stem *own)
{
	const ag_str all = ag_str_c(line);
	bool has = false;
	ag_str word;

	for (size_t pos = 0; !has && ag_word_next(all, &pos, &word);) {
		const ag_stem stem = ag_judge_stem(word);

		has = ag_stem_eq(&stem, own);
		if (is_directed ||
		    line[0] == '>') /* the others replace their kind, not each other */
			break;
	}
	for (size_t pos = 0; has && ag_word_next(all, &pos, &word);)
		add_stem(t, word);
}

/* A unit has few: "two-factor authentication" is no "log in". */
static void add_synonyms(ag_term *t)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_UNIT_WORDS);
	const ag_word_table twins = ag_judge_words(AG_JUDGE_TWINS);
	const ag_stem own = t->stems[0];
	size_t n;
	const char *const *lines = ag_synonyms(&n);

	for (size_t i = 0; i < twins.n; i++)
		add_line_of(t, twins.at[i], false, &own);
	t->ntwin = t->nstem;
	for (size_t i = 0; i < n && t->kind != AG_TERM_UNIT; i++)
		add_line_of(t, lines[i], false, &own);
	for (size_t i = 0; i < table.n; i++)
		add_line_of(t, table.at[i], t->kind != AG_TERM_UNIT, &own);
}

static void add_word_term(ag_judge *j, ag_term_kind kind, ag_str shown, ag_str word, unsigned part,
                          ag_arena *arena)
{
	ag_term t = { .kind = kind, .shown = shown, .word = word, .part = part };

	t.stems = ag_new_n(arena, ag_stem, AG_JUDGE_MAX_STEMS);
	add_stem(&t, word);
	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].nstem && ag_stem_eq(&j->terms[i].stems[0], &t.stems[0]))
			return;
	}
	add_synonyms(&t);
	add_term(j, t);
}

/* How many tokens from i on say a unit; 0 = none begins here. */
static size_t unit_at(const tokens *t, size_t i, const char **ret)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_UNITS);

	for (size_t k = 0; k < table.n; k++) {
		ag_str unit = ag_str_c(table.at[k]);
		size_t n = 0;
		bool fits = true;

		for (ag_str rest = ag_str_split(&unit, '='); fits && rest.ptr; n++) {
			const ag_str word = ag_str_split(&rest, ' ');

			fits = i + n < t->n && ag_str_ieq(t->at[i + n].text, word) &&
			       t->at[i + n].part == t->at[i].part;
		}
		if (fits) {
			*ret = unit.ptr;
			return n;
		}
	}
	return 0;
}

/* "turn it off", "log everybody out": the little word comes later. */
static size_t split_unit_at(const tokens *t, size_t i, const char **ret, size_t *ret_far)
{
	for (size_t far = 2; far <= 4 && i + far < t->n; far++) {
		tokens pair = { .n = 2 };

		if (t->at[i + far].is_taken || t->at[i + far].part != t->at[i].part)
			return 0;
		pair.at[0] = t->at[i];
		pair.at[1] = t->at[i + far];
		pair.at[1].part = pair.at[0].part;
		if (unit_at(&pair, 0, ret) == 2) {
			*ret_far = i + far;
			return 2;
		}
	}
	return 0;
}

/* "Go", not "NOW" or "iOS". */
static bool is_capitalised(ag_str s)
{
	for (size_t i = 1; i < s.len; i++) {
		if (!is_lower(s.ptr[i]))
			return false;
	}
	return s.len > 0 && is_upper(s.ptr[0]);
}

/* "Docker", "GitHub", "Visual Basic"; not "HTTP" */
static bool is_proper(ag_str s)
{
	size_t nlower = 0;

	for (size_t i = 1; i < s.len; i++) {
		if (!is_letter(s.ptr[i]) && s.ptr[i] != ' ')
			return false;
		nlower += is_lower(s.ptr[i]);
	}
	return s.len > 2 && is_upper(s.ptr[0]) && nlower > 0;
}

/* In a title every word has a capital, which then means nothing. */
static void mark_title(tokens *t)
{
	size_t nupper = 0, n = 0;

	for (size_t i = 0; i < t->n; i++) {
		nupper += !t->at[i].is_first && is_capitalised(t->at[i].text);
		n += !t->at[i].is_first;
	}
	for (size_t i = 0; i < t->n && n >= 3 && 2 * nupper > n; i++)
		t->at[i].is_first |= is_capitalised(t->at[i].text);
}

static bool is_at(const tokens *t, size_t i, const char *word)
{
	return i < t->n && ag_str_ieq(t->at[i].text, ag_str_c(word));
}

/* "What happens when it is down", "what does make install do", "when was the first release", "can it be sorted": all of it counts. */
static void mark_wanted_run(tokens *t)
{
	const bool is_case = is_at(t, 0, "what") && is_at(t, 1, "happens") &&
	                     (is_at(t, 2, "when") || is_at(t, 2, "if"));
	const bool is_date = is_at(t, 0, "when");
	const bool is_long = is_at(t, 0, "how") && is_at(t, 1, "long") && t->n &&
	                     ag_judge_is_past(t->at[t->n - 1].text);
	const bool is_passive = is_at(t, 0, "can") || is_at(t, 0, "may") || is_at(t, 0, "could");
	size_t deed = 0;

	for (size_t i = 2; i < t->n && is_at(t, 0, "what") && is_at(t, 1, "does"); i++)
		deed = is_at(t, i, "do") ? i : deed;
	for (size_t i = is_case ? 3 : 2; i < t->n; i++)
		t->at[i].is_wanted = is_case || i < deed || (is_long && i + 1 == t->n) ||
		                     (is_passive && is_at(t, i - 1, "be")) ||
		                     (is_date && (is_at(t, i, "first") || is_at(t, i, "last")));
}

/* "How do I add examples to a page": what something is done to counts, also where it is a word of many questions. */
static void mark_object(tokens *t)
{
	size_t i = 0, last = 0;

	if (!is_at(t, 0, "how"))
		return;
	if (is_at(t, 1, "to"))
		i = 2;
	else if ((is_at(t, 1, "do") || is_at(t, 1, "can") || is_at(t, 1, "should")) &&
	         (is_at(t, 2, "i") || is_at(t, 2, "we") || is_at(t, 2, "you")))
		i = 3;
	for (size_t k = i + 1; i && k < t->n && t->at[k].part == t->at[i].part; k++) {
		if (ag_judge_is_between(t->at[k].text) || is_at(t, k, "and") || is_at(t, k, "of"))
			break;
		last = k;
	}
	/* "How do I set it up": a pronoun or a particle is no thing. */
	if (last == i + 1)
		t->at[last].is_wanted = ag_str_ends(t->at[last].text, AG_S("s"));
}

/* The word after "how many" is what is counted, that after "who" what was done: they are words to look for. */
static void mark_wanted(tokens *t)
{
	mark_wanted_run(t);
	mark_object(t);
	for (size_t i = 1; i < t->n; i++) {
		token *w = &t->at[i];
		const ag_str before = t->at[i - 1].text;

		/* "The data of a person": whose it is. */
		w->is_wanted |= i >= 3 && i + 1 == t->n && is_at(t, i - 2, "of") &&
		                is_at(t, i - 1, "a");

		w->is_wanted |= (ag_str_ieq(before, AG_S("who")) && !is_upper(w->text.ptr[0])) ||
		                (i >= 2 && ag_str_ieq(before, AG_S("many")) &&
		                 ag_str_ieq(t->at[i - 2].text, AG_S("how")) &&
		                 !ag_str_ieq(w->text, AG_S("times")));
	}
}

/* A name: an identifier, a version, a number, a word with capitals that no sentence gives it. */
static bool is_name(const token *w)
{
	const ag_str s = w->text;
	size_t nupper = 0, ndigit = 0, nlower = 0, nsign = 0;
	bool has_inner = false;

	for (size_t i = 0; i < s.len; i++) {
		nupper += is_upper(s.ptr[i]);
		nlower += is_lower(s.ptr[i]);
		ndigit += is_digit(s.ptr[i]);
		nsign += strchr("_./:()$@#", s.ptr[i]) != NULL;
		has_inner |= i && is_upper(s.ptr[i]) && is_lower(s.ptr[i - 1]);
	}
	if (s.len == 1 && is_digit(s.ptr[0])) /* "revision 2" */
		return true;
	if (s.len == 1) /* "R", "C" */
		return is_upper(s.ptr[0]) && !w->is_first && !strchr("AI", s.ptr[0]);
	if (s.len < 2 || (unsigned char)s.ptr[0] >= 0x80)
		return false;
	if (ndigit || nsign || has_inner || ag_str_starts(s, AG_S("--")))
		return true;
	if (nupper > 1 && !nlower)
		return true;
	return is_upper(s.ptr[0]) && !w->is_first;
}

/* Words that are spare count when the question has no others: "who is on call?" */
static void read_spare(ag_judge *j, const tokens *t, ag_arena *arena)
{
	for (size_t i = 0; i < t->n; i++) {
		const ag_str low = ag_judge_lower(t->at[i].text, arena);
		ag_str piece;

		for (size_t pos = 0; ag_word_next(low, &pos, &piece);) {
			if (piece.len >= 2 && !ag_search_is_stop(piece))
				add_word_term(j, AG_TERM_WORD, piece, piece, t->at[i].part, arena);
		}
	}
}

/* "read-only": neither of its words says it alone. */
static bool is_joined(ag_str low)
{
	size_t n = 0, ncommon = 0;
	ag_str piece;

	for (size_t pos = 0; ag_judge_next_run(low, &pos, &piece); n++)
		ncommon += ag_judge_is_common(piece);
	return n > 1 && ncommon && memchr(low.ptr, '-', low.len);
}

/* "Visual Basic", "Docker Compose" is one name: two words with capitals that follow each other. */
static void join_names(tokens *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		token *last = n ? &t->at[n - 1] : NULL;
		const ag_str s = t->at[i].text;

		if (last && !last->is_first && !t->at[i].is_first && last->part == t->at[i].part &&
		    is_proper(last->text) && is_proper(s) &&
		    s.ptr == last->text.ptr + last->text.len + 1)
			last->text.len += 1 + s.len;
		else
			t->at[n++] = t->at[i];
	}
	t->n = n;
}

/* "The setting TRUST_PROXY": what kind of thing a name is of need not be said. */
static bool names_kind(const tokens *t, size_t i)
{
	static const char *const kinds[] = { "setting", "option", "flag",     "variable",
		                             "command", "key",    "function", "method",
		                             "file",    "field",  "header",   "parameter" };
	bool is_kind = false;

	for (size_t k = 0; k < AG_NELEM(kinds); k++)
		is_kind |= ag_str_ieq(t->at[i].text, ag_str_c(kinds[k]));
	return is_kind && i + 1 < t->n && t->at[i + 1].part == t->at[i].part &&
	       is_name(&t->at[i + 1]) && !is_capitalised(t->at[i + 1].text);
}

/* "Sort" is a word of many questions only in "what sort of". */
static bool is_sorted(const tokens *t, size_t i)
{
	const ag_stem stem = ag_judge_stem(t->at[i].text), sort = ag_judge_stem(AG_S("sort"));

	return ag_stem_eq(&stem, &sort) && !is_at(t, i + 1, "of");
}

static void read_terms(ag_judge *j, tokens *t, ag_arena *arena)
{
	/* "Which version of X": the answer is a version and need not say so. */
	const bool wants_version = t->n > 2 && (ag_str_ieq(t->at[0].text, AG_S("which")) ||
	                                        ag_str_ieq(t->at[0].text, AG_S("what")));

	for (size_t i = 0; i < t->n; i++) {
		const char *unit = NULL;
		size_t far = 0, n = t->at[i].is_taken ? 0 : unit_at(t, i, &unit);
		const token *w = &t->at[i];
		ag_str low, piece;

		if (w->is_taken)
			continue;
		if (n) {
			const token *last = &t->at[i + n - 1];

			for (size_t k = 0; k < n; k++)
				t->at[i + k].is_taken = true;
			add_word_term(j, AG_TERM_UNIT,
			              ag_str_make(w->text.ptr,
			                          (size_t)(last->text.ptr - w->text.ptr) +
			                                  last->text.len),
			              ag_str_c(unit), w->part, arena);
			continue;
		}
		if (split_unit_at(t, i, &unit, &far)) {
			t->at[far].is_taken = true;
			add_word_term(j, AG_TERM_UNIT,
			              ag_str_printf(arena, "%.*s … %.*s", AG_FMT(w->text),
			                            AG_FMT(t->at[far].text)),
			              ag_str_c(unit), w->part, arena);
			continue;
		}
		low = ag_judge_lower(w->text, arena);
		if (is_name(w)) {
			add_term(j, (ag_term){ .kind = AG_TERM_NAME,
			                       .shown = w->text,
			                       .word = low,
			                       .is_exact = w->text.len == 1 ||
			                                   (is_capitalised(w->text) &&
			                                    ag_judge_is_common(low)),
			                       .part = w->part });
			continue;
		}
		if (w->is_wanted && ag_str_eqc(low, "down")) {
			add_word_term(j, AG_TERM_UNIT, w->text, low, w->part, arena);
			continue;
		}
		if (is_joined(low)) {
			add_term(j, (ag_term){ .kind = AG_TERM_NAME,
			                       .shown = w->text,
			                       .word = low,
			                       .part = w->part });
			continue;
		}
		if (names_kind(t, i))
			continue;
		/* "a/b": each word counts. */
		for (size_t pos = 0; ag_word_next(low, &pos, &piece);) {
			if (piece.len < 2 || ag_search_is_stop(piece) ||
			    (ag_judge_is_spare(piece) && !w->is_wanted && !is_sorted(t, i)) ||
			    (j->wants_place && is_place(piece)) ||
			    (wants_version && ag_str_starts(piece, AG_S("version")) &&
			     !(i + 1 < t->n && is_digit(t->at[i + 1].text.ptr[0]))))
				continue;
			add_word_term(j, AG_TERM_WORD, piece.len == low.len ? w->text : piece,
			              piece, w->part, arena);
		}
	}
}

/* --- how common they are --- */

/* Lower-case runs of letters and digits: "Node.js" is "node", "js". */
bool ag_judge_next_run(ag_str s, size_t *pos, ag_str *ret)
{
	size_t i = *pos, begin;

	while (i < s.len && !is_letter(s.ptr[i]) && !is_digit(s.ptr[i]))
		i++;
	begin = i;
	while (i < s.len && (is_letter(s.ptr[i]) || is_digit(s.ptr[i])))
		i++;
	*pos = i;
	*ret = ag_str_make(s.ptr + begin, i - begin);
	return i > begin;
}

/* What the store is asked for: the word, the runs of a name. */
static ag_str counted_text(const ag_term *t)
{
	return t->kind == AG_TERM_WORD || t->kind == AG_TERM_UNIT ? t->word : t->shown;
}

static double rarity(double with, double ndoc)
{
	if (with > ndoc)
		with = ndoc;
	return sqrt(log(1.0 + (ndoc - with + 0.5) / (with + 0.5)));
}

static ag_status weigh(ag_judge *j, ag_store *s, ag_str project, ag_err *err)
{
	ag_str words[AG_INDEX_MAX_WORDS];
	size_t first[AG_JUDGE_MAX_TERMS + 1], n = 0;
	ag_index_counts counts = { 0 };
	ag_status st;

	for (size_t i = 0; i < j->nterm; i++) {
		const ag_str text = counted_text(&j->terms[i]);
		ag_str run;

		first[i] = n;
		for (size_t pos = 0; n < AG_INDEX_MAX_WORDS && ag_judge_next_run(text, &pos, &run);)
			words[n++] = run;
	}
	first[j->nterm] = n;
	if (!n)
		return AG_OK;
	st = ag_store_index_count(s, project, words, n, &counts, err);
	if (st)
		return st;
	for (size_t i = 0; i < j->nterm; i++) {
		ag_term *t = &j->terms[i];
		size_t with = counts.ndoc;

		for (size_t k = first[i]; k < first[i + 1]; k++)
			with = counts.with[k] < with ? counts.with[k] : with;
		t->is_anywhere = with > 0;
		t->weight = rarity((double)with, (double)counts.ndoc);
		if (t->kind == AG_TERM_NAME || t->kind == AG_TERM_QUOTED)
			t->weight *= NAME_WEIGHT;
	}
	return AG_OK;
}

/* "Shoebox" of a project whose README begins with "# Shoebox". To remove the project itself is to uninstall it. */
static void mark_subject(ag_judge *j, ag_str subject)
{
	bool has_subject = false;
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(subject, &pos, &word);) {
		for (size_t i = 0; i < j->nterm; i++)
			j->terms[i].is_subject |= word.len > 2 &&
			                          !ag_judge_is_common(j->terms[i].word) &&
			                          ag_str_ieq(j->terms[i].word, word);
	}
	for (size_t i = 0; i < j->nterm; i++)
		has_subject |= j->terms[i].is_subject;
	for (size_t i = 0; i < j->nterm && has_subject; i++) {
		ag_term *t = &j->terms[i];

		if (ag_str_eqc(t->word, "uninstall") && t->nstem == t->ntwin &&
		    t->nstem < AG_JUDGE_MAX_STEMS)
			t->stems[t->nstem++] = ag_judge_stem(AG_S("remove"));
		t->ntwin = t->nstem > t->ntwin && ag_str_eqc(t->word, "uninstall") ? t->nstem
		                                                                   : t->ntwin;
	}
}

ag_status ag_judge_read(ag_store *s, ag_str project, const ag_question *q, ag_str subject,
                        ag_arena *arena, ag_judge *ret, ag_err *err)
{
	tokens *t = ag_new(arena, tokens);
	ag_str question = q->text;

	memset(ret, 0, sizeof(*ret));
	ret->wants_code = q->asks == AG_ASKS_WHERE || q->asks == AG_ASKS_FACT;
	ret->wants_place = q->asks == AG_ASKS_WHERE;
	if (question.len > MAX_QUESTION)
		question = ag_utf8_prefix(question, MAX_QUESTION);
	question = ag_answer_utf8(question, arena);
	cut(ret, question, t);
	part_at_questions(ret, t);
	mark_title(t);
	mark_wanted(t);
	join_names(t);
	ret->is_bare = t->n <= 3;
	read_terms(ret, t, arena);
	if (!ret->nterm)
		read_spare(ret, t, arena);
	name_parts(ret, t);
	mark_subject(ret, subject);
	ag_judge_mark(ret, question, ag_judge_lower(question, arena));
	return weigh(ret, s, project, err);
}

/* --- units of a text --- */

static size_t add_units(const tokens *t, size_t from, ag_stem *ret, size_t n, size_t max)
{
	for (size_t i = from; i < t->n && n < max; i++) {
		const char *unit = NULL;
		size_t far = 0;

		if (unit_at(t, i, &unit) || split_unit_at(t, i, &unit, &far))
			ret[n++] = ag_judge_stem(ag_str_c(unit));
	}
	return n;
}

size_t ag_judge_units(ag_str text, ag_arena *arena, ag_stem *ret, size_t max)
{
	enum { OVERLAP = 5 }; /* words: a unit may lie across the border of two windows */
	tokens *t = ag_new(arena, tokens);
	size_t n = 0;
	ag_str run;

	for (size_t pos = 0;;) {
		const bool more = ag_judge_next_run(text, &pos, &run);

		if (more)
			t->at[t->n++] = (token){ .text = run };
		if (more && t->n < MAX_TOKENS)
			continue;
		n = add_units(t, 0, ret, n, max);
		if (!more)
			return n;
		memmove(t->at, t->at + t->n - OVERLAP, OVERLAP * sizeof(*t->at));
		t->n = OVERLAP;
	}
}
