/* offline_judge -- which terms of a question a text has, and what that means.
 *
 * Ranking forgives: it looks for the best there is, so synonyms and parts of words count a little. The judge does not
 * forgive: a missing term makes the answer partial, and its reason names the term. Exceptions are in forgive(). It errs towards
 * "partial": after "partial" a reader can look for the missing term, after "ok" a reader stops.
 *
 * Order: kinds of answers, what else a whole answer needs, what is said, ag_judge_text(). The terms come from offline_terms.c,
 * offline_view.c looks for them in a text. */
#include "ask/offline_judge.h"

#include "ask/offline_proof.h"
#include "ask/search_parts.h"

#define MAX_WHY_TERMS 4u
#define MIN_SHARE     0.28 /* of the terms' weight: less is an accident */
/* With a name that no file has, the rest must be nearly all there: "print a label on a Zebra printer". */
#define MIN_SHARE_ABSENT_NAME 0.5
#define MIN_SHARE_CODE        0.7 /* of code, for a question that does not ask for code */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' ? (c | 32) <= 'z' : (unsigned char)c >= 0x80;
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

/* ">2031-05-01" compares days. */
static bool is_day(ag_str line, size_t at)
{
	size_t n = 0;

	while (at + n < line.len && is_digit(line.ptr[at + n]))
		n++;
	return n == 4 && at + n < line.len && line.ptr[at + n] == '-';
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
		if (i && strchr("=<>~^v", line.ptr[i - 1]) && !is_day(line, i))
			return true;
	}
	return false;
}

static bool has_any_term(const ag_judge *j, ag_str line, ag_arena *arena)
{
	const ag_judge_view v = ag_judge_view_of(AG_S(""), line, arena);

	for (size_t i = 0; i < j->nterm; i++) {
		if (!ag_str_eqc(j->terms[i].word, "version") &&
		    ag_judge_has_term(&v, &j->terms[i], arena))
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

/* A thing that the text names in the question's own word, not what is done to it. */
static bool has_other_thing(const ag_judge *j, const ag_judge_view *v, size_t but, ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		if (i != but && !ag_judge_is_action(j->terms[i].word) &&
		    ag_judge_has_own(v, &j->terms[i], arena))
			return true;
	}
	return false;
}

/* A synonym counts where it speaks of the same thing: in the titles, or in a line with another of the question's words. */
static bool is_in_context(const ag_judge *j, size_t i, const ag_judge_view *heads, ag_str text,
                          ag_arena *arena)
{
	const ag_term *t = &j->terms[i];

	if (ag_judge_has_any(heads, t))
		return true;
	for (ag_str rest = text; rest.ptr;) {
		const ag_judge_view line = ag_judge_view_of(AG_S(""), ag_str_split(&rest, '\n'),
		                                            arena);

		if (ag_judge_has_any(&line, t) &&
		    (has_other_thing(j, &line, i, arena) || has_other_thing(j, heads, i, arena)))
			return true;
	}
	return false;
}

static bool are_in_context(const ag_judge *j, const bool *is_forgiven, const ag_judge_view *all,
                           const ag_judge_view *heads, ag_str text, ag_arena *arena)
{
	for (size_t i = 0; i < j->nterm; i++) {
		const ag_term *t = &j->terms[i];

		if (!is_forgiven[i] && t->nstem && !ag_judge_has_stem(all, &t->stems[0]) &&
		    !is_in_context(j, i, heads, text, arena))
			return false;
	}
	return true;
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

static bool has_object(const ag_judge *j, const ag_judge_view *v, ag_arena *arena)
{
	for (size_t i = 0; i < AG_NELEM(j->objects); i++) {
		if (j->objects[i] >= 0 && ag_judge_has_term(v, &j->terms[j->objects[i]], arena))
			return true;
	}
	return false;
}

/* A synonym of the object beside other words of a title may be about something else: to move a repository is no migration. */
static bool has_twin_object(const ag_judge *j, const ag_judge_view *v, ag_arena *arena)
{
	for (size_t i = 0; i < AG_NELEM(j->objects); i++) {
		if (j->objects[i] >= 0 && ag_judge_has_twin(v, &j->terms[j->objects[i]], arena))
			return true;
	}
	return false;
}

/* Have the titles all of the question, save for light verbs and the verb of what the user wants to do? One word is not enough:
 * many sections are about it. */
static bool is_in_titles(const ag_judge *j, const ag_judge_view *heads, bool but_verb,
                         ag_arena *arena)
{
	size_t n = 0;

	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].is_light || (but_verb && (int)i == j->verb))
			continue;
		if (!ag_judge_has_term(heads, &j->terms[i], arena))
			return false;
		n++;
	}
	return n >= 2;
}

/* "Commit message guidelines" have both of "write a commit message". */
static bool has_both_objects(const ag_judge *j, const ag_judge_view *v, ag_arena *arena)
{
	return j->is_pair && ag_judge_has_term(v, &j->terms[j->objects[0]], arena) &&
	       ag_judge_has_term(v, &j->terms[j->objects[1]], arena);
}

/* "Building the documentation" is no answer to "how do I build an image": the titles do the verb to something else. */
static bool does_to_other(const ag_judge *j, const ag_judged_text *t, const ag_judge_view *heads,
                          ag_arena *arena)
{
	const ag_term *verb = &j->terms[j->verb];
	size_t pos = 0, nother = 0;
	bool is_verb = false;
	ag_stem stem;
	ag_str word;

	if (!ag_word_next(t->title, &pos, &word))
		return false;
	stem = ag_judge_stem(word);
	for (size_t i = 0; i < verb->nstem; i++)
		is_verb |= ag_stem_eq(&verb->stems[i], &stem);
	while (is_verb && ag_word_next(t->title, &pos, &word)) {
		const ag_str low = ag_judge_lower(word, arena);

		nother += low.len >= 2 && !ag_search_is_stop(low) &&
		          ag_judge_term_of(j, low, true) == j->nterm;
	}
	return nother && !(has_object(j, heads, arena) && ag_judge_says_all(j, t->text));
}

/* "How do I stop a backup": a section about backups that stops something else does not answer. The title, or one sentence, must
 * have the verb and its object. A title of one or two words ("Set one up") takes its object from the titles above. For a light
 * verb a title that the question names is enough: "Routes" says how to create a route. */
static bool is_done_to_it(const ag_judge *j, const ag_judged_text *t, const ag_judge_view *heads,
                          ag_arena *arena)
{
	const ag_term *verb = j->verb >= 0 ? &j->terms[j->verb] : NULL;
	bool has_title_object, is_direct;
	ag_judge_view title;

	if (!verb || j->objects[0] < 0)
		return true;
	title = ag_judge_view_of(AG_S(""), t->title, arena);
	has_title_object = has_twin_object(j, &title, arena) ||
	                   (has_object(j, &title, arena) &&
	                    ag_judge_ends_asked(j, t->title, arena));
	/* "The colour of a label": a title that has the label alone says nothing of its colour. */
	has_title_object &= !j->is_owned ||
	                    ag_judge_has_term(&title, &j->terms[j->objects[0]], arena);
	is_direct = !has_title_object ||
	            ag_judge_acts_on(j, ag_judge_plain_title(t->title), true, true);
	if (is_direct && verb->is_light &&
	    ((ag_judge_named_by(j, t->title, false, arena) &&
	      !ag_judge_is_in(AG_JUDGE_MAKERS, verb->word)) ||
	     has_both_objects(j, &title, arena)))
		return true;
	if (verb->kind == AG_TERM_WORD && !verb->is_light &&
	    ag_judge_names_other_action(t->title, verb))
		return false;
	if (is_direct && ag_judge_has_term(&title, verb, arena) &&
	    (has_title_object ||
	     (ag_judge_named_by(j, t->title, true, arena) > 1 &&
	      ag_judge_ends_asked(j, t->title, arena)) ||
	     (has_twin_object(j, heads, arena) && ag_judge_title_words(t->title, arena) <= 2)))
		return true;
	if (verb->is_light && ag_judge_is_in_brackets(j, t->title, arena))
		return true;
	if (is_direct && has_title_object &&
	    (ag_judge_has_own(heads, verb, arena) ||
	     (ag_judge_named_by(j, t->title, true, arena) && ag_judge_is_done_alone(j, t->text))))
		return true;
	if (ag_judge_names_other_action(t->title, verb))
		return false;
	return !does_to_other(j, t, heads, arena) &&
	       ag_judge_binds(j, heads, is_direct && is_in_titles(j, heads, true, arena),
	                      !is_direct, t->text);
}

static bool has_thing(const ag_judge *j)
{
	for (size_t i = 0; i < j->nterm; i++) {
		/* What something is done to is a thing: "run one test". */
		if ((int)i == j->objects[0] || !ag_judge_is_action(j->terms[i].word))
			return true;
	}
	return false;
}

/* Is all that was asked in the titles and one block, with what announces it ("run:") or with the head of its table? Words that
 * are scattered over a long section are about different things. */
static bool is_in_one_place(const ag_judge *j, const bool *is_forgiven, ag_str heads, ag_str text,
                            ag_arena *arena)
{
	const ag_judge_view above = ag_judge_view_of(AG_S(""), heads, arena);
	bool before[AG_JUDGE_MAX_TERMS] = { false }, was_row = false;
	ag_str rest = text, block;

	do {
		bool here[AG_JUDGE_MAX_TERMS], all = true, is_row;
		ag_judge_view v;

		if (!next_block(&rest, &block))
			block = AG_S("");
		is_row = ag_str_starts(ag_str_trim(block), AG_S("|"));
		v = ag_judge_view_of(AG_S(""), block, arena);
		for (size_t i = 0; i < j->nterm; i++) {
			here[i] = ag_judge_has_term(&v, &j->terms[i], arena);
			all &= is_forgiven[i] || here[i] || before[i] ||
			       ag_judge_has_term(&above, &j->terms[i], arena);
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
	const ag_judge_view v = ag_judge_view_of(AG_S(""), heads, arena);

	if (j->nterm == 1 && j->terms[0].nstem)
		return ag_judge_has_any(&v, &j->terms[0]);
	return !j->wants_how || has_other_thing(j, &v, j->nterm, arena);
}

/* A table of contents repeats the titles and answers nothing. */
static bool is_list_of_links(ag_str text)
{
	size_t nline = 0, nlink = 0;

	while (text.ptr) {
		const ag_str line = ag_str_trim(ag_str_split(&text, '\n'));

		nline += line.len > 0;
		nlink += line.len > 2 && strchr("-*+", line.ptr[0]) &&
		         ag_str_contains(line, AG_S("[")) && ag_str_ends(line, AG_S("]"));
	}
	return nlink >= 3 && nlink + 2 >= nline;
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

bool ag_judge_asks_for(const ag_judge *j, ag_str word)
{
	return ag_judge_term_of(j, word, false) < j->nterm;
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

/* Which of the missing terms may an answer lack? A light verb, when the section is about a thing of the question. Another word
 * that is no action, when the question names the whole title and the document has the word elsewhere. Names, quoted text and
 * units ("turn off") must be there. More missing words than found ones are never forgiven. */
static void forgive(const ag_judge *j, const ag_judged_text *t, const bool *is_sure, bool *ret,
                    ag_arena *arena)
{
	const size_t nnamed = ag_judge_named_by(j, t->title, true, arena);
	const ag_judge_view title = ag_judge_view_of(AG_S(""), t->title, arena);
	size_t nsure = 0, nmissing = 0, nthing = 0;
	ag_judge_view document = { 0 };

	for (size_t i = 0; i < j->nterm; i++) {
		nsure += is_sure[i];
		nthing += is_sure[i] && !ag_judge_is_action(j->terms[i].word);
	}
	for (size_t i = 0; i < j->nterm; i++) {
		const ag_term *term = &j->terms[i];

		ret[i] = false;
		if (is_sure[i] || term->kind != AG_TERM_WORD)
			continue;
		nmissing += !term->is_light;
		if (term->is_light) {
			ret[i] = nnamed || has_other_thing(j, &title, i, arena) ||
			         (nsure >= 2 && nthing && (int)i != j->verb);
		} else if (nnamed >= 2 && term->is_anywhere && !ag_judge_is_action(term->word)) {
			if (!document.low.ptr)
				document = ag_judge_view_of(AG_S(""), t->document, arena);
			ret[i] = ag_judge_has_any(&document, term);
		}
	}
	for (size_t i = 0;
	     i < j->nterm && (nmissing > nsure || (nmissing == nsure && nnamed < 2) || !nthing);
	     i++)
		ret[i] = false;
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
	if (ag_judge_named_by(j, t->title, false, arena) > 0)
		return true;
	/* What no file has is most of the question, one of two words, or only "install" and its kind is there: it is about something else. */
	if (!nthing || nabsent > nhas || (j->nterm <= 2 && nhas < j->nterm))
		return false;
	if (!j->wants_code && !t->is_prose && share < MIN_SHARE_CODE)
		return false;
	return share >= (lacks_name ? MIN_SHARE_ABSENT_NAME : MIN_SHARE);
}

static ag_str phrase_of(const ag_judge *j)
{
	const ag_str first = j->terms[j->phrase[0]].shown, last = j->terms[j->phrase[1]].shown;

	return ag_str_make(first.ptr, (size_t)(last.ptr - first.ptr) + last.len);
}

/* "What is a shell", "what does git stash do": the titles are this alone, or a sentence begins with it. */
static bool has_phrase(const ag_judge *j, const ag_judged_text *t, const ag_judge_view *heads,
                       ag_arena *arena)
{
	if (ag_judge_named_by(j, t->title, false, arena) ==
	    (size_t)j->phrase[1] - (size_t)j->phrase[0] + 1)
		return true;
	/* "Class: MockClient" */
	if (j->phrase[0] == j->phrase[1] && j->terms[j->phrase[0]].kind == AG_TERM_NAME) {
		const ag_judge_view title = ag_judge_view_of(AG_S(""), t->title, arena);

		if (ag_judge_has_term(&title, &j->terms[j->phrase[0]], arena))
			return true;
	}
	return (ag_judge_named_by(j, t->title, false, arena) &&
	        is_in_titles(j, heads, false, arena)) ||
	       ag_judge_defines(j, t->text);
}

/* Has the title every term, or two of them, light verbs aside? */
static bool is_about_them(const ag_judge *j, ag_str title, ag_arena *arena)
{
	const ag_judge_view v = ag_judge_view_of(AG_S(""), title, arena);
	size_t n = 0, nhere = 0;

	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].is_light || j->terms[i].is_subject)
			continue;
		n++;
		nhere += ag_judge_has_term(&v, &j->terms[i], arena);
	}
	return nhere == n || nhere >= 2;
}

/* Is the section the one of a name that is asked about: "tool_output"? Or of a message that the question quotes? */
static bool is_entry(const ag_judge *j, ag_str title)
{
	while (title.len && strchr("` ", title.ptr[0]))
		title = ag_str_make(title.ptr + 1, title.len - 1);
	while (title.len && strchr("` ", title.ptr[title.len - 1]))
		title.len--;
	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].kind == AG_TERM_QUOTED && title.len >= 8 &&
		    ag_str_ieq(title, j->terms[i].shown))
			return true;
		/* An identifier: a section "Docker" is a page, not an entry. */
		if (!j->terms[i].nstem && ag_str_contains(j->terms[i].shown, AG_S("_")) &&
		    ag_str_ieq(title, j->terms[i].shown))
			return true;
	}
	return false;
}

/* "How do I make an option required": is a required option spoken of? */
static bool keeps_state(const ag_judge *j, const ag_judged_text *t)
{
	return j->state < 0 || ag_judge_is_so(j, t->heads) || ag_judge_is_so(j, t->text);
}

/* "The maximum size of a commit": is a commit itself spoken of? */
static bool keeps_topic(const ag_judge *j, const ag_judged_text *t)
{
	return j->topic < 0 || !t->is_prose || ag_judge_is_of_topic(j, t->heads, t->text);
}

/* The same for a reason: the title is the question, or a title or a sentence has two of its terms. */
static bool joins_reason(const ag_judge *j, const ag_judged_text *t, bool is_entry, ag_arena *arena)
{
	return j->cue != AG_CUE_REASON || is_entry ||
	       ag_judge_named_by(j, t->title, false, arena) || ag_judge_joins(j, t->heads) ||
	       ag_judge_joins(j, t->text);
}

static ag_judged judge(const ag_judge *j, const ag_judged_text *t, ag_arena *arena)
{
	/* A path is made of single words: in it "login" says nothing of "log in". */
	const ag_judge_view said = ag_judge_view_of(t->heads, t->text, arena);
	const ag_str all_heads = ag_str_printf(arena, "%.*s\n%.*s", AG_FMT(t->path),
	                                       AG_FMT(t->heads));
	const ag_judge_view v = ag_judge_view_of(all_heads, t->text, arena);
	ag_judged ret = { .why = AG_S("") };
	bool has[AG_JUDGE_MAX_TERMS], is_sure[AG_JUDGE_MAX_TERMS], is_forgiven[AG_JUDGE_MAX_TERMS];
	double all = 0, have = 0;
	ag_judge_view above;
	size_t nmissing = 0;
	const ag_judge_view heads = ag_judge_view_of(AG_S(""), t->heads, arena);
	const size_t pair = t->is_prose ? ag_judge_lost_pair(j, &heads, said.text) : j->nterm;

	for (size_t i = 0; i < j->nterm; i++) {
		has[i] = j->terms[i].is_subject ||
		         ag_judge_has_term(j->terms[i].kind == AG_TERM_UNIT ? &said : &v,
		                           &j->terms[i], arena);
		all += j->terms[i].weight;
		have += has[i] ? j->terms[i].weight : 0;
		/* A synonym of a word that is nowhere is a guess, save for a thing that the titles have. */
		is_sure[i] = has[i] && (j->terms[i].is_anywhere || j->terms[i].is_subject ||
		                        ag_judge_has_twin(&v, &j->terms[i], arena) ||
		                        j->terms[i].kind != AG_TERM_WORD ||
		                        (!ag_judge_is_action(j->terms[i].word) &&
		                         ag_judge_has_any(&heads, &j->terms[i])));
	}
	forgive(j, t, is_sure, is_forgiven, arena);
	for (size_t i = 0; i < j->nterm; i++)
		nmissing += !is_sure[i] && !is_forgiven[i];
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
	ret.is_entry = is_entry(j, t->title);
	above = ag_judge_view_of(AG_S(""), all_heads, arena);
	if (j->wants_version && !names_version(j, t->text, arena))
		ret.why = AG_S("the section names no version");
	else if (j->wants_quantity &&
	         (!has_quantity(t->text) || (t->is_prose && !ag_judge_counts(j, &heads, t->text))))
		ret.why = AG_S("the section has no such number");
	else if ((j->wants_doer || j->wants_date) && !ag_judge_names_deed(j, &heads, t->text))
		ret.why = j->wants_date ? AG_S("the section names no date")
		                        : AG_S("the section does not say who did it");
	else if (is_list_of_links(t->text))
		ret.why = AG_S("this is a list of links");
	else if (!t->is_prose && ((j->wants_how && !j->wants_place) || !names_code(j)))
		ret.why = AG_S("this is code or settings, no documentation");
	else if (j->is_negated && !ag_judge_denies(j, t->heads) && !ag_judge_denies(j, t->text))
		ret.why = AG_S("the section does not say \"without\"");
	else if (!has_thing(j) && !ag_judge_named_by(j, t->title, false, arena))
		ret.why = AG_S("the question names no thing to look for");
	else if (!ag_judge_named_by(j, t->title, false, arena) &&
	         ag_judge_named_by(j, t->title, true, arena) < 2 &&
	         !is_about_it(j, all_heads, arena))
		ret.why = AG_S("the titles of the section are about something else");
	else if (!is_in_one_place(j, is_forgiven, all_heads, t->text, arena))
		ret.why = AG_S("the words are in different places of the section");
	else if (!are_in_context(j, is_forgiven, &v, &heads, t->text, arena))
		ret.why = AG_S("the section has other words for it, which may mean something else");
	else if (!is_done_to_it(j, t, &above, arena))
		ret.why = ag_str_printf(arena, "the section does not say \"%.*s\" of this",
		                        AG_FMT(j->terms[j->verb].shown));
	else if (pair < j->nterm)
		ret.why = ag_str_printf(arena, "the section does not have \"%.*s %.*s\" together",
		                        AG_FMT(j->terms[pair].shown),
		                        AG_FMT(j->terms[pair + 1].shown));
	else if (!keeps_state(j, t) || !keeps_topic(j, t))
		ret.why =
			ag_str_printf(arena, "the section does not say \"%.*s\" of this",
		                      AG_FMT(j->terms[j->state >= 0 ? j->state : j->topic].shown));
	else if (!joins_reason(j, t, ret.is_entry, arena))
		ret.why = AG_S("no sentence of the section has all of it");
	else if (j->cue && !ret.is_entry &&
	         (j->cue == AG_CUE_REASON || j->cue == AG_CUE_MOMENT ||
	          !is_in_titles(j, &heads, false, arena)) &&
	         !ag_judge_has_cue(j, &heads, t->title, t->text))
		ret.why = AG_S("no sentence of the section has all of it");
	else if (j->phrase[0] >= 0 && !has_phrase(j, t, &heads, arena))
		ret.why = ag_str_printf(arena, "the section does not explain \"%.*s\"",
		                        AG_FMT(phrase_of(j)));
	else
		ret.fit = AG_FIT_WHOLE;
	ret.is_named = ag_judge_named_by(j, t->title, false, arena) > 0;
	ret.has_title = is_about_them(j, t->title, arena);
	ret.is_titled = ret.is_named && is_in_titles(j, &heads, false, arena);
	return ret;
}

/* Is the section about nothing but the question, so that what it says is the answer? A number or a name must be said. */
static bool is_told(const ag_judge *j, const ag_judged *r)
{
	return (r->has_title || r->is_entry || (r->is_named && !j->asks_whether) || j->npart > 1) &&
	       !j->asks_cost && !j->asks_who && !j->asks_whom && !j->asks_limit && !j->asks_right &&
	       !j->asks_often && j->degree < 0 && !(j->wants_quantity && j->counted >= 0) &&
	       j->cue != AG_CUE_TIME && j->cue != AG_CUE_SIZE;
}

ag_judged ag_judge_text(const ag_judge *j, const ag_judged_text *t, ag_arena *arena)
{
	ag_judged_text said = *t;
	ag_judged ret;

	if (t->is_prose)
		said.text = ag_judge_without_targets(t->text, arena);
	ret = judge(j, &said, arena);
	if (ret.fit == AG_FIT_WHOLE && !is_told(j, &ret) && !ag_judge_has_kind(j, &said, arena)) {
		ret.fit = AG_FIT_PARTLY;
		ret.is_titled = ret.is_named = false;
		ret.why = AG_S("no sentence of the section says it");
	}
	if (keeps_state(j, &said) && keeps_topic(j, &said) && ag_judge_proves(j, &said, arena)) {
		ret.fit = AG_FIT_WHOLE;
		ret.is_proved = true;
		ret.share = 1;
		ret.why = AG_S("");
	}
	return ret;
}
