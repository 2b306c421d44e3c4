/* offline_judge -- which terms of a question a text has, and what that means.
 *
 * Ranking forgives: it looks for the best there is, so synonyms and parts of words count a little. The judge does not
 * forgive: one missing term makes the answer partial, and its reason names the term. It errs towards "partial": after "partial"
 * a reader can look for the missing term, after "ok" a reader stops.
 *
 * Order: terms in a text, kinds of answers, what is said, ag_judge_text(). The terms come from offline_terms.c. */
#include "ask/offline_judge.h"

#include "ask/search_parts.h"

#define MAX_WHY_TERMS 4u
#define MIN_SHARE     0.28 /* of the terms' weight: less is an accident */
/* With a name that no file has, the rest must be nearly all there: "print a label on a Zebra printer". */
#define MIN_SHARE_ABSENT_NAME 0.5
#define MIN_SHARE_CODE        0.7 /* of code, for a question that does not ask for code */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' ? (c | 32) <= 'z' : (unsigned char)c >= 0x80;
}

static ag_str lower(ag_str s, ag_arena *arena)
{
	char *out = ag_str_cstr(arena, s);

	ag_search_lower(out, s.len);
	return ag_str_make(out, s.len);
}

/* --- terms in a text --- */

typedef struct view {
	ag_str low; /* heads and text in small letters, blanks made one */
	ag_stem *stems;
	size_t nstem;
	ag_str *runs;
	size_t nrun;
} view;

static size_t count_runs(ag_str s)
{
	size_t n = 0;
	ag_str run;

	for (size_t pos = 0; ag_judge_next_run(s, &pos, &run);)
		n++;
	return n;
}

static void look_at_words(view *v, ag_str text)
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
	ag_search_lower(to, n);
	return ag_str_make(to, n);
}

static view view_of(ag_str heads, ag_str text, ag_arena *arena)
{
	const ag_str all = ag_str_printf(arena, "%.*s\n%.*s", AG_FMT(heads), AG_FMT(text));
	view v = { .low = squeezed(all, arena) };
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

static bool has_stem(const view *v, const ag_stem *stem)
{
	for (size_t i = 0; i < v->nstem; i++) {
		if (ag_stem_eq(&v->stems[i], stem))
			return true;
	}
	return false;
}

static bool has_any(const view *v, const ag_term *t)
{
	for (size_t i = 0; i < t->nstem; i++) {
		if (has_stem(v, &t->stems[i]))
			return true;
	}
	return false;
}

/* A run of a name: the same, or the same word in the plural. */
static bool is_run(ag_str have, ag_str want)
{
	if (ag_str_ieq(have, want))
		return true;
	if (want.len < 3)
		return false;
	return (have.len == want.len + 1 && have.ptr[want.len] == 's' &&
	        ag_str_ieq(ag_str_make(have.ptr, want.len), want)) ||
	       (want.len == have.len + 1 && want.ptr[have.len] == 's' &&
	        ag_str_ieq(ag_str_make(want.ptr, have.len), have));
}

/* All runs of a name, one after the other. */
static bool has_name(const view *v, ag_str name)
{
	ag_str want[16], run;
	size_t n = 0;

	for (size_t pos = 0; n < AG_NELEM(want) && ag_judge_next_run(name, &pos, &run);)
		want[n++] = run;
	if (!n)
		return ag_str_contains(v->low, name);
	for (size_t i = 0; i + n <= v->nrun; i++) {
		size_t k = 0;

		while (k < n && is_run(v->runs[i + k], want[k]))
			k++;
		if (k == n)
			return true;
	}
	return false;
}

/* A name in one word may be two in the text, and the other way round: "GitHub", "git_hub". */
static bool has_joined(const view *v, ag_str name)
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

static bool has_term(const view *v, const ag_term *t, ag_arena *arena)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_ALIASES);

	switch (t->kind) {
	case AG_TERM_WORD:
	case AG_TERM_UNIT: return has_any(v, t);
	case AG_TERM_QUOTED: return ag_str_contains(v->low, squeezed(t->shown, arena));
	case AG_TERM_NAME: break;
	}
	if (has_name(v, t->word) || has_joined(v, t->word))
		return true;
	for (size_t i = 0; i < table.n; i++) {
		const ag_str all = ag_str_c(table.at[i]);
		bool is_of = false;

		for (ag_str rest = all; rest.ptr;)
			is_of |= ag_str_ieq(ag_str_split(&rest, ' '), t->word);
		for (ag_str rest = all; is_of && rest.ptr;) {
			if (has_name(v, ag_str_split(&rest, ' ')))
				return true;
		}
	}
	return false;
}

/* --- kinds of answers --- */

static bool has_quantity(ag_str text)
{
	static const char *const words[] = {
		"one",   "two",    "three",  "four",   "five",    "six",      "seven",
		"eight", "nine",   "ten",    "eleven", "twelve",  "once",     "twice",
		"half",  "never",  "always", "no",     "night",   "nightly",  "daily",
		"hour",  "minute", "second", "day",    "week",    "month",    "year",
		"every", "all",    "none",   "single", "hundred", "thousand", "forever",
	};
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		if (is_digit(word.ptr[0]))
			return true;
		for (size_t i = 0; i < AG_NELEM(words); i++) {
			if (ag_str_ieq(word, ag_str_c(words[i])))
				return true;
		}
	}
	return false;
}

/* "2.4", ">=3.11", "v18": digits with a dot, or after a sign or a v. */
static bool has_version(ag_str line)
{
	for (size_t i = 0; i + 1 < line.len; i++) {
		if (!is_digit(line.ptr[i]) ||
		    (i && is_letter(line.ptr[i - 1]) && line.ptr[i - 1] != 'v'))
			continue;
		if (i + 2 < line.len && line.ptr[i + 1] == '.' && is_digit(line.ptr[i + 2]))
			return true;
		if (i && strchr("=<>~^v", line.ptr[i - 1]))
			return true;
	}
	return false;
}

static bool has_any_term(const ag_judge *j, ag_str line, ag_arena *arena)
{
	const view v = view_of(AG_S(""), line, arena);

	for (size_t i = 0; i < j->nterm; i++) {
		if (!ag_str_eqc(j->terms[i].word, "version") && has_term(&v, &j->terms[i], arena))
			return true;
	}
	return false;
}

/* A version in the line of a name that was asked for, or in the next one. */
static bool names_version(const ag_judge *j, ag_str text, ag_arena *arena)
{
	ag_str before = AG_S("");

	for (ag_str rest = text; rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');

		if (has_version(line) &&
		    (has_any_term(j, line, arena) || has_any_term(j, before, arena)))
			return true;
		before = line;
	}
	return false;
}

/* --- what else a whole answer needs --- */

static bool has_own(const view *v, const ag_term *t, ag_arena *arena)
{
	return t->nstem ? has_stem(v, &t->stems[0]) : has_term(v, t, arena);
}

/* A thing that the text names in the question's own word, not what is done to it. */
static bool has_other_thing(const ag_judge *j, const view *v, size_t but, ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (i != but && !ag_judge_is_action(j->terms[i].word) &&
		    has_own(v, &j->terms[i], arena))
			return true;
	}
	return false;
}

/* A synonym counts where it speaks of the same thing: in the titles, or in a line with another of the question's words. */
static bool is_in_context(const ag_judge *j, size_t i, const view *heads, ag_str text,
                          ag_arena *arena)
{
	const ag_term *t = &j->terms[i];

	if (has_any(heads, t))
		return true;
	for (ag_str rest = text; rest.ptr;) {
		const view line = view_of(AG_S(""), ag_str_split(&rest, '\n'), arena);

		if (has_any(&line, t) &&
		    (has_other_thing(j, &line, i, arena) || has_other_thing(j, heads, i, arena)))
			return true;
	}
	return false;
}

static bool are_in_context(const ag_judge *j, const view *all, const view *heads, ag_str text,
                           ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		const ag_term *t = &j->terms[i];

		if (t->nstem && !has_stem(all, &t->stems[0]) &&
		    !is_in_context(j, i, heads, text, arena))
			return false;
	}
	return true;
}

/* "without GitHub": the thing and the "without" in one line, or in the titles. */
static bool says_without(const ag_judge *j, ag_str heads, ag_str text, ag_arena *arena)
{
	const ag_str all = ag_str_printf(arena, "%.*s\n%.*s", AG_FMT(heads), AG_FMT(text));

	if (j->lacking < 0)
		return ag_text_is_negated(all);
	for (ag_str rest = all; rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');
		view v;

		if (!ag_text_is_negated(line))
			continue;
		v = view_of(AG_S(""), line, arena);
		if (has_term(&v, &j->terms[j->lacking], arena))
			return true;
	}
	return false;
}

/* "how many retries": another word for what is counted counts something else. */
static bool counts_it(const ag_judge *j, const view *v, ag_arena *arena)
{
	return j->counted < 0 || has_own(v, &j->terms[j->counted], arena);
}

static bool has_thing(const ag_judge *j)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (!ag_judge_is_action(j->terms[i].word))
			return true;
	}
	return false;
}

/* The next block of a text: lines up to an empty one; a row of a table is one. */
static bool next_block(ag_str *rest, ag_str *ret)
{
	const char *begin = NULL, *end = NULL;

	while (rest->ptr) {
		const ag_str left = *rest, line = ag_str_split(rest, '\n'), t = ag_str_trim(line);

		if (!t.len && begin)
			break;
		if (!t.len)
			continue;
		if (t.ptr[0] == '|' && begin) {
			*rest = left;
			break;
		}
		begin = begin ? begin : line.ptr;
		end = line.ptr + line.len;
		if (t.ptr[0] == '|')
			break;
	}
	*ret = ag_str_make(begin, begin ? (size_t)(end - begin) : 0);
	return begin != NULL;
}

/* Is all that was asked in the titles and one block, with what announces it ("run:") or with the head of its table? Words that
 * are scattered over a long section are about different things. */
static bool is_in_one_place(const ag_judge *j, ag_str heads, ag_str text, ag_arena *arena)
{
	const view above = view_of(AG_S(""), heads, arena);
	bool before[AG_JUDGE_MAX_TERMS] = { false }, was_row = false;
	ag_str rest = text, block;

	do {
		bool here[AG_JUDGE_MAX_TERMS], all = true, is_row;
		view v;

		if (!next_block(&rest, &block))
			block = AG_S("");
		is_row = ag_str_starts(ag_str_trim(block), AG_S("|"));
		v = view_of(AG_S(""), block, arena);
		for (size_t i = 0; i < j->nterm; i++) {
			here[i] = has_term(&v, &j->terms[i], arena);
			all &= here[i] || before[i] || has_term(&above, &j->terms[i], arena);
		}
		if (all)
			return true;
		/* The head of a table stays for all of its rows. */
		if (!is_row || !was_row)
			memcpy(before, here, sizeof(before));
		if (!is_row && !ag_str_ends(ag_str_trim(block), AG_S(":")))
			memset(before, 0, sizeof(before));
		was_row = is_row;
	} while (block.len);
	return false;
}

/* One word is a question only where a section is about it; steps are where the titles name a thing of the question. */
static bool is_about_it(const ag_judge *j, ag_str heads, ag_arena *arena)
{
	const view v = view_of(AG_S(""), heads, arena);

	if (j->nterm == 1 && j->terms[0].nstem)
		return has_any(&v, &j->terms[0]);
	return !j->wants_how || has_other_thing(j, &v, j->nterm, arena);
}

static bool names_code(const ag_judge *j)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].kind == AG_TERM_NAME || j->terms[i].kind == AG_TERM_QUOTED)
			return true;
	}
	return j->wants_code;
}

/* --- what is said about it --- */

static void add_shown(ag_buf *out, const ag_term *const *list, size_t n)
{
	for (size_t i = 0; i < n && i < MAX_WHY_TERMS; i++) {
		ag_buf_adds(out, !i ? "\"" : i + 1 == n ? " and \"" : ", \"");
		ag_buf_add(out, list[i]->shown);
		ag_buf_addc(out, '"');
	}
	if (n > MAX_WHY_TERMS)
		ag_buf_addf(out, " and %zu more", n - MAX_WHY_TERMS);
}

/* The part of the question that is answered completely while another part is not; "" when no part is. */
static ag_str answered_part(const ag_judge *j, const bool *has)
{
	for (unsigned p = 0; p < j->npart && j->npart > 1; p++) {
		size_t n = 0, nmissing = 0;

		for (size_t i = 0; i < j->nterm; i++) {
			n += j->terms[i].part == p;
			nmissing += j->terms[i].part == p && !has[i];
		}
		if (n && !nmissing)
			return j->parts[p];
	}
	return AG_S("");
}

static ag_str say_missing(const ag_judge *j, const bool *has, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(2048);
	const ag_term *nowhere[AG_JUDGE_MAX_TERMS], *elsewhere[AG_JUDGE_MAX_TERMS];
	size_t nnowhere = 0, nelsewhere = 0;
	const ag_str part = answered_part(j, has);

	for (size_t i = 0; i < j->nterm; i++) {
		if (has[i])
			continue;
		if (j->terms[i].is_anywhere)
			elsewhere[nelsewhere++] = &j->terms[i];
		else
			nowhere[nnowhere++] = &j->terms[i];
	}
	if (part.len)
		ag_buf_addf(&b, "only \"%.*s\" is answered: ", AG_FMT(part));
	if (nnowhere) {
		ag_buf_adds(&b, "no file of the project has ");
		add_shown(&b, nowhere, nnowhere);
	}
	if (nelsewhere) {
		ag_buf_adds(&b, nnowhere ? "; the section does not have "
		                         : "the section does not have ");
		add_shown(&b, elsewhere, nelsewhere);
	}
	return ag_buf_dup(arena, &b);
}

ag_str ag_judge_absent(const ag_judge *j, ag_arena *arena)
{
	bool has[AG_JUDGE_MAX_TERMS];
	size_t n = 0;

	for (size_t i = 0; i < j->nterm; i++) {
		has[i] = j->terms[i].is_anywhere;
		n += !has[i];
	}
	return n ? say_missing(j, has, arena) : AG_S("");
}

/* --- the whole --- */

/* Is every word of the title one of the question's? Then the question names the section, whatever else it says. */
static bool is_title_named(const ag_judge *j, ag_str title, ag_arena *arena)
{
	size_t n = 0;
	ag_str word;

	for (size_t pos = 0; ag_word_next(title, &pos, &word);) {
		const ag_str low = lower(word, arena);
		ag_stem stem;
		bool is_asked = false;

		if (low.len < 2 || ag_search_is_stop(low) || ag_judge_is_spare(low))
			continue;
		n++;
		stem = ag_judge_stem(low);
		for (size_t i = 0; i < j->nterm && !is_asked; i++)
			is_asked = j->terms[i].nstem ? ag_stem_eq(&j->terms[i].stems[0], &stem)
			                             : ag_str_ieq(j->terms[i].word, low);
		if (!is_asked)
			return false;
	}
	return n > 0;
}

/* May the text be shown at all, though something is missing? */
static bool is_related(const ag_judge *j, const ag_judged_text *t, const bool *has, double share,
                       ag_arena *arena)
{
	size_t nhas = 0, nthing = 0, nabsent = 0;
	bool lacks_name = false;

	for (size_t i = 0; i < j->nterm; i++) {
		const ag_term *term = &j->terms[i];

		nhas += has[i];
		nthing += has[i] && !ag_judge_is_action(term->word);
		if (has[i] || term->is_anywhere)
			continue;
		nabsent++;
		lacks_name |= term->kind == AG_TERM_NAME || term->kind == AG_TERM_QUOTED;
	}
	if (j->wants_version)
		return false;
	if (is_title_named(j, t->title, arena))
		return true;
	/* What no file has is most of the question, or only "install" and its kind is there: it is about something else. */
	if (!nthing || nabsent > nhas || (nabsent == nhas && j->nterm <= 2))
		return false;
	if (!j->wants_code && !t->is_prose && share < MIN_SHARE_CODE)
		return false;
	return share >= (lacks_name ? MIN_SHARE_ABSENT_NAME : MIN_SHARE);
}

ag_judged ag_judge_text(const ag_judge *j, const ag_judged_text *t, ag_arena *arena)
{
	/* A path is made of single words: in it "login" says nothing of "log in". */
	const view said = view_of(t->heads, t->text, arena);
	const ag_str all_heads = ag_str_printf(arena, "%.*s\n%.*s", AG_FMT(t->path),
	                                       AG_FMT(t->heads));
	const view v = view_of(all_heads, t->text, arena);
	ag_judged ret = { .why = AG_S("") };
	bool has[AG_JUDGE_MAX_TERMS], is_sure[AG_JUDGE_MAX_TERMS];
	double all = 0, have = 0;
	size_t nmissing = 0;
	view heads;

	for (size_t i = 0; i < j->nterm; i++) {
		has[i] = has_term(j->terms[i].kind == AG_TERM_UNIT ? &said : &v, &j->terms[i],
		                  arena);
		all += j->terms[i].weight;
		have += has[i] ? j->terms[i].weight : 0;
		/* A synonym of a word that is nowhere is a guess. */
		is_sure[i] = has[i] &&
		             (j->terms[i].is_anywhere || j->terms[i].kind != AG_TERM_WORD);
		nmissing += !is_sure[i];
	}
	ret.share = all > 0 ? have / all : 0;
	if (!j->nterm) {
		ret.why = AG_S("the question has no word to look for");
		return ret;
	}
	/* Manifests were asked before, by whole words: what is like it in code is something else. */
	if (j->wants_version && !t->is_prose) {
		ret.why = AG_S("no manifest names that version");
		return ret;
	}
	if (nmissing) {
		ret.fit = is_related(j, t, has, ret.share, arena) ? AG_FIT_PARTLY : AG_FIT_NONE;
		ret.why = say_missing(j, is_sure, arena);
		return ret;
	}
	ret.fit = AG_FIT_PARTLY;
	heads = view_of(AG_S(""), t->heads, arena);
	if (j->wants_version && !names_version(j, t->text, arena))
		ret.why = AG_S("the section names no version");
	else if (j->wants_quantity && (!has_quantity(t->text) || !counts_it(j, &v, arena)))
		ret.why = AG_S("the section has no such number");
	else if (!t->is_prose && (j->wants_how || !names_code(j)))
		ret.why = AG_S("this is code or settings, no documentation");
	else if (j->is_negated && !says_without(j, t->heads, t->text, arena))
		ret.why = AG_S("the section does not say \"without\"");
	else if (!has_thing(j) && !is_title_named(j, t->title, arena))
		ret.why = AG_S("the question names no thing to look for");
	else if (!is_about_it(j, all_heads, arena))
		ret.why = AG_S("the titles of the section are about something else");
	else if (!is_in_one_place(j, all_heads, t->text, arena))
		ret.why = AG_S("the words are in different places of the section");
	else if (!are_in_context(j, &v, &heads, t->text, arena))
		ret.why = AG_S("the section has other words for it, which may mean something else");
	else
		ret.fit = AG_FIT_WHOLE;
	ret.is_named = is_title_named(j, t->title, arena);
	return ret;
}
