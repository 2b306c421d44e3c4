/* offline_proof -- see offline_proof.h. Order: measures, kinds of answers, terms, ag_judge_proves(). */
#include "ask/offline_proof.h"

#include "ask/search_parts.h"

#define NEAR_PAIR 3u /* words from one noun of a pair to the other */

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

static bool has_word(ag_str text, const char *const *list, size_t n)
{
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		if (is_one_of(word, list, n))
			return true;
	}
	return false;
}

/* --- measures --- */

static const char time_units[] =
	"ms s second seconds minute minutes min hour hours h day days week weeks month months "
	"year years night nights";
static const char size_units[] =
	"b k m g kb mb gb tb kib mib gib tib byte bytes kilobytes megabytes gigabytes "
	"px pixels characters lines rows percent %";

/* A noun of measure is said by a number with its unit: "115200 baud" is a rate, "20 %" a percentage. */
static const struct {
	const char *noun, *units;
} measures[] = {
	{ "percentage", "% percent" },
	{ "percent", "% percent" },
	{ "size", size_units },
	{ "cost", "eur usd gbp euro euros dollar dollars cent cents" },
	{ "price", "eur usd gbp euro euros dollar dollars cent cents" },
	{ "duration", time_units },
	{ "lifetime", time_units },
	{ "temperature", "°c °f degrees" },
	{ "hot", "°c °f degrees c" },
	{ "warm", "°c °f degrees c" },
	{ "cold", "°c °f degrees c" },
	{ "heavy", "kg g kilograms grams lb" },
	{ "tall", "m cm mm km" },
	{ "high", "m cm mm km" },
	{ "wide", "m cm mm km px pixels" },
	{ "deep", "m cm mm km levels" },
	{ "fast", "mhz ghz hz ms s second seconds minute minutes mb gb kb" },
	{ "old",
	  "ms s second seconds minute minutes hour hours day days week weeks month months year years" },
	{ "rate", "baud hz % percent second minute hour day" },
	{ "weight", "kg g kilograms grams lb" },
	{ "length", "m cm mm km characters bytes letters" },
};

static bool is_numeral(ag_str word)
{
	static const char *const words[] = { "one",  "two",    "three", "four",    "five",
		                             "six",  "seven",  "eight", "nine",    "ten",
		                             "half", "twelve", "dozen", "hundred", "thousand" };

	return is_digit(word.ptr[0]) || is_one_of(word, words, AG_NELEM(words));
}

static bool is_unit(ag_str word, const char *units)
{
	for (ag_str rest = ag_str_c(units); word.len && rest.ptr;) {
		if (ag_str_ieq(ag_str_split(&rest, ' '), word))
			return true;
	}
	return false;
}

/* A number and, at most one word later, a unit: "3s", "20 %", "five long minutes". */
static bool is_measured(ag_str text, const char *units)
{
	ag_str word;
	size_t since = 9;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		const ag_str after = ag_str_trim(ag_str_make(text.ptr + pos, text.len - pos));
		ag_str unit = word;

		while (unit.len && is_digit(unit.ptr[0]))
			unit = ag_str_make(unit.ptr + 1, unit.len - 1);
		since = is_numeral(word) ? 0 : since + 1;
		if ((since <= 2 && is_unit(unit, units)) ||
		    (since == 0 && after.len && after.ptr[0] == '%' && is_unit(AG_S("%"), units)))
			return true;
	}
	return false;
}

static const char *units_of(ag_str noun)
{
	for (size_t i = 0; i < AG_NELEM(measures); i++) {
		if (ag_str_ieq(noun, ag_str_c(measures[i].noun)))
			return measures[i].units;
	}
	return NULL;
}

bool ag_judge_is_degree(ag_str word)
{
	static const char *const words[] = { "hot",  "warm", "cold", "heavy", "tall",
		                             "high", "wide", "deep", "fast",  "old" };

	return is_one_of(word, words, AG_NELEM(words));
}

bool ag_judge_takes_for(ag_str verb, ag_str word)
{
	static const char *const list[] = { "search", "searching", "searches", "look",  "looking",
		                            "wait",   "waiting",   "ask",      "asking" };

	return ag_str_ieq(word, AG_S("for")) && is_one_of(verb, list, AG_NELEM(list));
}

static bool has_money(ag_str text)
{
	return ag_str_contains(text, AG_S("\xe2\x82\xac")) || ag_str_contains(text, AG_S("$")) ||
	       is_measured(text, units_of(AG_S("cost")));
}

/* --- kinds of answers --- */

static bool has_amount(ag_str text)
{
	static const char *const often[] = { "once",  "twice",  "never",  "unlimited", "nightly",
		                             "daily", "weekly", "hourly", "every",     "each" };
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		if (is_numeral(word) || is_one_of(word, often, AG_NELEM(often)))
			return true;
	}
	return false;
}

/* Is the word this term, or a twin of it? */
static bool is_of(ag_str word, const ag_term *t)
{
	const ag_stem stem = ag_judge_stem(word);

	for (size_t i = 0; i < t->ntwin; i++) {
		if (ag_stem_eq(&stem, &t->stems[i]))
			return true;
	}
	return !t->nstem && ag_str_ieq(word, t->word);
}

/* "Eight irrigation valves": a number, and at most two words later what it counts. "One" is too common. */
static bool counts_it(ag_str text, const ag_term *counted, bool may_follow)
{
	static const char *const ifs[] = { "when", "if", "whenever", "unless" };
	size_t since = 9, since_if = 9;
	bool was_it = false;
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		/* "04:00", "2024-07", "water.max_minutes" count nothing. */
		const bool is_share = pos < text.len && text.ptr[pos] == '%';
		const bool is_clock = (word.ptr > text.ptr && strchr(":-/=&._#", word.ptr[-1])) ||
		                      (pos < text.len && text.ptr[pos] == ':');
		const bool is_part = pos + 1 < text.len && strchr("._", text.ptr[pos]) &&
		                     text.ptr[pos + 1] > ' ';

		since_if = is_one_of(word, ifs, AG_NELEM(ifs)) ? 0 : since_if + 1;
		/* "When two routes meet" does not count the routes. */
		since = is_numeral(word) && !is_clock && !is_share && since_if != 1 &&
		                        !ag_str_ieq(word, AG_S("one"))
		                ? 0
		                : since + 1;
		/* "port 8080" */
		if (was_it && since == 0 && may_follow)
			return true;
		was_it = since && !is_part && is_of(word, counted);
		if (was_it && since <= 2)
			return true;
	}
	return false;
}

/* "At most 16", "up to 8": what may be is not what is. */
static bool says_limit(ag_str text)
{
	static const char *const words[] = { "most",     "max",      "maximum", "limit",
		                             "limits",   "limited",  "up",      "only",
		                             "longer",   "larger",   "more",    "within",
		                             "cap",      "exceed",   "longest", "may",
		                             "can",      "cannot",   "timeout", "timeouts",
		                             "deadline", "unlimited" };

	return has_word(text, words, AG_NELEM(words));
}

bool ag_judge_has_date(ag_str text)
{
	static const char *const months[] = { "january", "february", "march",   "april",
		                              "june",    "july",     "august",  "september",
		                              "october", "november", "december" };
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		if (is_one_of(word, months, AG_NELEM(months)) ||
		    (word.len == 4 &&
		     (ag_str_starts(word, AG_S("19")) || ag_str_starts(word, AG_S("20"))) &&
		     is_digit(word.ptr[2]) && is_digit(word.ptr[3])))
			return true;
	}
	return false;
}

/* A name that the question does not have, not the first word of a sentence. */
static bool names_someone(const ag_judge *j, ag_str text)
{
	ag_str word;
	size_t pos = 0;

	if (!ag_judge_next_run(text, &pos, &word))
		return false;
	while (ag_judge_next_run(text, &pos, &word)) {
		bool is_asked = false;

		for (size_t i = 0; i < j->nterm; i++)
			is_asked |= ag_str_ieq(j->terms[i].word, word);
		/* "*Request changes*" is a button. */
		is_asked |= strchr("*_`\"[", word.ptr[-1]) != NULL;
		if (!is_asked && word.len > 2 && is_upper(word.ptr[0]) && !is_upper(word.ptr[1]))
			return true;
	}
	return false;
}

static bool gives_reason(const ag_statement *s)
{
	static const char *const reasons[] = { "because", "since", "due",      "reason",
		                               "so",      "why",   "therefore" };

	return has_word(s->text, reasons, AG_NELEM(reasons));
}

static bool says_case(const ag_statement *s)
{
	static const char *const cases[] = { "when",  "if",     "once",    "whenever",
		                             "after", "unless", "without", "until" };

	static const char *const heads[] = { "when", "happens", "failed", "event", "if" };

	return has_word(s->text, s->is_row ? heads : cases,
	                s->is_row ? AG_NELEM(heads) : AG_NELEM(cases));
}

/* A command, a setting, a request: how it is done. */
static bool says_how(const ag_statement *s)
{
	return s->has_code || s->is_row || memchr(s->text.ptr, '`', s->text.len) != NULL;
}

/* Has it something that the question does not have? */
static bool says_more(const ag_judge *j, const ag_statement *s, ag_arena *arena)
{
	ag_str word;
	size_t nmore = 0;

	for (size_t pos = 0; ag_word_next(s->text, &pos, &word);) {
		const ag_str low = ag_judge_lower(word, arena);
		const ag_stem stem = ag_judge_stem(low);
		bool is_asked = ag_search_is_stop(low);

		for (size_t i = 0; i < j->nterm && !is_asked; i++)
			is_asked = j->terms[i].nstem ? ag_stem_eq(&stem, &j->terms[i].stems[0])
			                             : ag_str_contains(j->terms[i].word, low);
		nmore += !is_asked;
	}
	return nmore > 0;
}

/* In a row the unit may be in another cell than the number. */
static bool measures_it(const ag_statement *s, const char *units)
{
	bool has_unit = false, has_number = false;
	ag_str word;

	if (is_measured(s->text, units))
		return true;
	for (size_t pos = 0; s->is_row && ag_judge_next_run(s->text, &pos, &word);) {
		has_unit |= word.len > 1 && is_unit(word, units);
		has_number |= is_digit(word.ptr[0]);
	}
	return has_unit && has_number;
}

/* "--keep-daily" and "at once" say nothing of how often. */
static ag_str without_flags(ag_str text, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(text.len + 2);

	bool is_at = false;

	while (text.ptr) {
		const ag_str word = ag_str_split(&text, ' ');

		if (ag_str_contains(word, AG_S("--")) ||
		    (is_at && ag_str_starts(word, AG_S("once"))))
			continue;
		is_at = ag_str_ieq(word, AG_S("at"));
		ag_buf_add(&b, word);
		ag_buf_addc(&b, ' ');
	}
	return ag_buf_dup(arena, &b);
}

/* Is it the kind of answer that the question wants? */
static bool is_answer(const ag_judge *j, const ag_statement *s, ag_str title, ag_arena *arena)
{
	static const char *const often[] = { "every",   "each",   "once",   "twice",   "daily",
		                             "nightly", "hourly", "weekly", "monthly", "never",
		                             "often",   "always", "per" };
	static const char *const rights[] = { "may",  "can",        "only",  "allowed", "must",
		                              "role", "permission", "right", "rights" };
	static const char *const whom[] = { "who", "whom", "author", "authors", "user", "owner" };
	const bool may_be = !j->asks_limit || says_limit(s->text) || says_limit(title);

	if (j->asks_cost)
		return has_money(s->text);
	if (j->wants_version)
		return false;
	if (j->wants_date)
		return ag_judge_has_date(s->text);
	if (j->asks_whom && !has_word(s->text, whom, AG_NELEM(whom)))
		return false;
	if (j->asks_who)
		return names_someone(j, s->text);
	if (j->asks_right && !has_word(s->text, rights, AG_NELEM(rights)))
		return false;
	switch (j->cue) {
	case AG_CUE_TIME: return measures_it(s, time_units) && may_be;
	case AG_CUE_SIZE: return measures_it(s, size_units) && may_be;
	case AG_CUE_REASON: return gives_reason(s);
	case AG_CUE_CASE: return says_case(s);
	case AG_CUE_ADVICE: return false;
	case AG_CUE_WHEN:
	case AG_CUE_MOMENT: return ag_judge_has_cue_word(j->cue, s->text);
	case AG_CUE_NONE: break;
	}
	if (j->wants_quantity && j->counted >= 0 && !s->has_number &&
	    !counts_it(s->text, &j->terms[j->counted], !j->asks_many))
		return false;
	if (j->asks_often)
		return has_word(without_flags(s->text, arena), often, AG_NELEM(often));
	if (j->degree >= 0)
		return is_measured(s->text, units_of(j->terms[j->degree].word)) && may_be;
	if (j->wants_quantity)
		return has_amount(s->text) && may_be;
	if (j->wants_how)
		return says_how(s);
	return says_more(j, s, arena);
}

/* --- terms --- */

/* In its own words, or in twins of them; a noun of measure also by what it is measured in. */
static bool states_term(const ag_judge_view *v, const ag_statement *s, const ag_term *t,
                        ag_arena *arena)
{
	const char *units = units_of(t->word);

	if (ag_judge_has_twin(v, t, arena))
		return true;
	return units && t->kind == AG_TERM_WORD &&
	       (is_measured(s->text, units) ||
	        (units == units_of(AG_S("cost")) && has_money(s->text)));
}

/* Two nouns that follow each other in the question are near each other in the statement when it has both. */
static bool keeps_pairs(const ag_judge *j, const ag_statement *s)
{
	for (size_t i = 0; i + 1 < j->nterm && !s->is_row; i++) {
		if (!ag_judge_keeps_pair(j, i, s->text))
			return false;
	}
	return true;
}

bool ag_judge_are_close(const ag_term *one, const ag_term *two, ag_str text)
{
	size_t n = 0, last[2] = { 0, 0 }, end = 0;
	ag_str run;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &run); end = pos) {
		const bool is[2] = { is_of(run, one), is_of(run, two) };

		n++;
		/* Another sentence */
		if (end && end + 1 < text.len && strchr(".;!?", text.ptr[end]) &&
		    strchr(" \n", text.ptr[end + 1]))
			last[0] = last[1] = 0;
		for (size_t k = 0; k < 2; k++) {
			if (is[k] && last[1 - k] && n - last[1 - k] <= NEAR_PAIR)
				return true;
			last[k] = is[k] ? n : last[k];
		}
	}
	return false;
}

static bool is_object(const ag_judge *j, ag_str word)
{
	return is_of(word, &j->terms[j->objects[0]]) ||
	       (j->is_pair && is_of(word, &j->terms[j->objects[1]]));
}

/* "Restart the worker", "the worker is restarted": the verb before its object, or the object before a passive. */
static bool acts_on_object(const ag_judge *j, ag_str text, bool may_be_it)
{
	static const char *const it[] = { "it", "them", "one" };
	static const char *const be[] = { "is", "are", "be", "was", "were", "been", "gets" };
	static const char *const ifs[] = { "if",    "when",     "unless",  "while", "until",
		                           "after", "whenever", "because", "once" };
	const ag_term *verb = &j->terms[j->verb];
	size_t since_verb = 99, since_be = 99, since_if = 99;
	bool has_object = false;
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(text, &pos, &word);) {
		/* A part of an identifier is no word: "ag_call". */
		const bool is_part = (word.ptr > text.ptr && word.ptr[-1] == '_') ||
		                     (pos < text.len && text.ptr[pos] == '_');

		since_verb++;
		since_if = is_one_of(word, ifs, AG_NELEM(ifs)) ? 0 : since_if + 1;
		since_be = is_one_of(word, be, AG_NELEM(be)) ? 0 : since_be + 1;
		if (is_part)
			continue;
		if (is_of(word, verb)) {
			if (has_object && since_be <= 2)
				return true;
			since_verb = 0;
		} else if (ag_judge_is_between(word) &&
		           !(since_verb == 1 && ag_judge_takes_for(verb->word, word))) {
			since_verb = 99;
		} else if (is_object(j, word) || (may_be_it && is_one_of(word, it, AG_NELEM(it)))) {
			/* "If the option is disabled" does not say how. */
			has_object |= !is_one_of(word, it, AG_NELEM(it)) && since_if > 3;
			if (since_verb <= 5)
				return true;
		}
	}
	return false;
}

/* What the question wants to do is done in the statement itself, and to its object: "stop the app" stops no backup. */
static bool does_it(const ag_judge *j, const ag_statement *s, const ag_judge_view *v,
                    const ag_judge_view *before, const ag_judge_view *title, ag_arena *arena)
{
	if (j->verb < 0)
		return true;
	if (j->objects[0] < 0 || j->terms[j->objects[0]].is_subject ||
	    j->terms[j->verb].kind == AG_TERM_UNIT || !j->is_direct)
		return ag_judge_has_twin(v, &j->terms[j->verb], arena) &&
		       (j->objects[0] < 0 || j->terms[j->objects[0]].is_subject ||
		        ag_judge_has_twin(v, &j->terms[j->objects[0]], arena));
	return acts_on_object(j, s->text,
	                      ag_judge_has_twin(before, &j->terms[j->objects[0]], arena) ||
	                              ag_judge_has_twin(title, &j->terms[j->objects[0]], arena));
}

/* "A build takes about 20 seconds" begins with the only thing that is asked about. */
static bool begins_with(const ag_statement *s, const ag_term *t)
{
	static const char *const articles[] = { "a", "an", "the", "each", "every" };
	ag_str word;
	size_t pos = 0;

	while (ag_judge_next_run(s->text, &pos, &word)) {
		if (!is_one_of(word, articles, AG_NELEM(articles)))
			return is_of(word, t);
	}
	return false;
}

/* "When the disk is full": "full: before the answer, which waits for the disk" says something else. */
static bool keeps_case(const ag_judge *j, const ag_statement *s, const ag_judge_view *v,
                       ag_arena *arena)
{
	for (size_t i = 0; j->cue == AG_CUE_CASE && !s->is_row && i + 1 < j->nterm; i++) {
		const ag_term *one = &j->terms[i], *two = &j->terms[i + 1];

		if (one->nstem && two->nstem && ag_judge_has_twin(v, one, arena) &&
		    ag_judge_has_twin(v, two, arena) && !ag_judge_are_close(one, two, s->text))
			return false;
	}
	return true;
}

typedef struct views {
	ag_judge_view title, heads;
	ag_str said_title;
	bool is_strict; /* twins only, and most of the question in the statement itself */
	bool has_all;   /* the title has all of the question */
} views;

/* May a proof lack it? "Use" and what a thing does by itself. */
static bool is_spare_verb(const ag_term *t)
{
	return t->is_light &&
	       (ag_judge_is_in(AG_JUDGE_STATES, t->word) || ag_str_eqc(t->word, "use") ||
	        ag_str_eqc(t->word, "used") || ag_str_eqc(t->word, "have"));
}

/* "deploy/backup.sh dumps the database. Dumps are kept for 35 days.": the paragraph says of which dumps. */
static bool is_bridged(const ag_judge *j, size_t i, const ag_statement *s, const ag_judge_view *v,
                       ag_arena *arena)
{
	if ((int)i == j->verb || !j->terms[i].nstem || !s->around.len)
		return false;
	for (size_t k = 0; k < j->nterm; k++) {
		if (k != i && j->terms[k].nstem && ag_judge_has_twin(v, &j->terms[k], arena) &&
		    ag_judge_are_close(&j->terms[i], &j->terms[k], s->around))
			return true;
	}
	return false;
}

/* Has one cell all that the title does not have? */
static bool has_cell(const ag_judge *j, ag_str cell, const views *w, ag_arena *arena)
{
	const ag_judge_view v = ag_judge_view_of(AG_S(""), cell, arena);

	for (size_t i = 0; i < j->nterm; i++) {
		if (!j->terms[i].is_light && !ag_judge_has_twin(&v, &j->terms[i], arena) &&
		    !ag_judge_has_twin(&w->title, &j->terms[i], arena))
			return false;
	}
	return true;
}

/* A row says what happens in the case that its first cell names, or the cell below "when". */
static bool is_row_of_case(const ag_judge *j, const ag_statement *s, const views *w,
                           ag_arena *arena)
{
	static const char *const heads[] = { "when", "if", "event", "failed", "case", "condition" };
	bool is_first = true;

	for (ag_str rest = s->text; rest.ptr; is_first = false) {
		const ag_str cell = ag_str_split(&rest, ';');
		size_t pos = 0;
		ag_str head;

		if ((is_first || (ag_judge_next_run(cell, &pos, &head) &&
		                  is_one_of(head, heads, AG_NELEM(heads)))) &&
		    has_cell(j, cell, w, arena))
			return true;
	}
	return false;
}

/* Is one term enough? Where the statement begins with what is measured, or says how many of it there may be. */
static bool is_enough(const ag_judge *j, const ag_statement *s, const ag_term *only)
{
	if (j->cue == AG_CUE_TIME || j->cue == AG_CUE_SIZE)
		return begins_with(s, only);
	return !s->is_row && j->asks_limit && j->counted >= 0 && only == &j->terms[j->counted];
}

/* "How many webhooks may a hotel register": what is done with what is counted need not be said where a limit is. */
static bool is_last_deed(const ag_judge *j, size_t i)
{
	const ag_term *t = &j->terms[i], *before = i ? t - 1 : t;

	return j->asks_limit && j->counted >= 0 && i + 1 == j->nterm && (int)i > j->counted + 1 &&
	       t->kind == AG_TERM_WORD && t->shown.ptr == before->shown.ptr + before->shown.len + 1;
}

static bool says_it(const ag_judge *j, const ag_statement *s, const views *w, ag_arena *arena)
{
	const ag_judge_view v = ag_judge_view_of(AG_S(""), s->text, arena);
	const ag_judge_view before = ag_judge_view_of(AG_S(""), s->before, arena);
	const ag_term *only = NULL;
	size_t nhere = 0, nthing = 0, nterm = 0, nbridge = 0;

	for (size_t i = 0; i < j->nterm; i++) {
		const ag_term *t = &j->terms[i];

		if (t->is_subject ||
		    (w->is_strict || j->asks_whether ? is_spare_verb(t) : t->is_light))
			continue;
		nterm++;
		only = t;
		if (states_term(&v, s, t, arena) ||
		    (!w->is_strict && ag_judge_has_term(&v, t, arena))) {
			nhere++;
			nthing += !ag_judge_is_action(t->word);
		} else if ((!j->asks_whether && ag_judge_has_twin(&before, t, arena)) ||
		           ag_judge_has_twin(&w->title, t, arena)) {
			nthing += !ag_judge_is_action(t->word);
		} else if (!nbridge && is_bridged(j, i, s, &v, arena)) {
			nbridge++;
		} else if (is_last_deed(j, i)) {
			nterm--;
		} else if (j->asks_whether) {
			/* Yes and no are said of the thing itself, not of what the page is about. */
			return false;
		} else if (w->is_strict ? !ag_judge_has_twin(&w->heads, t, arena)
		                        : !ag_judge_has_term(&w->heads, t, arena)) {
			return false;
		}
	}
	if (w->is_strict && (!nthing || 2 * nhere < nterm))
		return false;
	/* The reason of something else, on a page about the thing. */
	if (j->cue == AG_CUE_REASON && !w->has_all && nterm >= 2 && nhere < 2)
		return false;
	if (w->is_strict && nterm < 2 && !(only && is_enough(j, s, only)))
		return false;
	if (!nhere && nterm && (w->is_strict || !w->has_all))
		return false;
	if (s->is_row && j->cue == AG_CUE_CASE && !is_row_of_case(j, s, w, arena))
		return false;
	return is_answer(j, s, w->said_title, arena) && keeps_case(j, s, &v, arena) &&
	       (!w->is_strict ||
	        (keeps_pairs(j, s) && does_it(j, s, &v, &before, &w->title, arena)));
}

/* Light verbs aside; one word is the title of many sections. */
static bool has_all_terms(const ag_judge *j, ag_str title, ag_arena *arena)
{
	const ag_judge_view v = ag_judge_view_of(AG_S(""), title, arena);
	size_t n = 0;

	for (size_t i = 0; i < j->nterm; i++) {
		if (j->terms[i].is_light || j->terms[i].is_subject)
			continue;
		n++;
		if (!ag_judge_has_twin(&v, &j->terms[i], arena))
			return false;
	}
	return n >= 2 || (n && ag_judge_named_by(j, title, false, arena));
}

static bool has_statement(const ag_judge *j, const ag_judged_text *t, bool is_strict,
                          ag_arena *arena)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const views w = { .title = ag_judge_view_of(AG_S(""), t->title, arena),
		          .heads = ag_judge_view_of(AG_S(""), t->heads, arena),
		          .said_title = t->title,
		          .is_strict = is_strict,
		          .has_all = has_all_terms(j, t->title, arena) };
	size_t n;
	const ag_statement *list = ag_statements_of(t->text, arena, &n);

	for (size_t i = 0; i < n; i++) {
		ag_arena_reset(scratch);
		ag_arena_reset(scratch);
		if (says_it(j, &list[i], &w, scratch))
			return true;
	}
	return false;
}

/* "caddy validate … Caddyfile": the verb as a word of its own before the object, not "--no-tests". */
static bool is_in_order(const ag_judge *j, ag_str line)
{
	bool has_verb = false;
	ag_str word;

	for (size_t pos = 0; ag_judge_next_run(line, &pos, &word);) {
		has_verb |= is_of(word, &j->terms[j->verb]) &&
		            (word.ptr == line.ptr || word.ptr[-1] != '-');
		if (has_verb && is_of(word, &j->terms[j->objects[0]]))
			return true;
	}
	return false;
}

/* Has the line the verb, its object and, with the titles, all else? */
static bool is_command(const ag_judge *j, ag_str line, const ag_judge_view *heads, ag_arena *arena)
{
	const ag_judge_view v = ag_judge_view_of(AG_S(""), line, arena);

	for (size_t i = 0; i < j->nterm; i++) {
		const ag_term *t = &j->terms[i];
		const bool is_needed = (int)i == j->verb || (int)i == j->objects[0];

		if (!t->is_subject && !ag_judge_has_twin(&v, t, arena) &&
		    (is_needed || !ag_judge_has_twin(heads, t, arena)))
			return false;
	}
	return true;
}

/* "How do I validate the Caddyfile": `caddy validate --config /etc/caddy/Caddyfile`, a command with all of it. */
static bool has_command(const ag_judge *j, const ag_judged_text *t, ag_arena *arena)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const ag_judge_view heads = ag_judge_view_of(AG_S(""), t->heads, arena);
	bool is_code = false;

	if (!j->wants_how || j->verb < 0 || j->objects[0] < 0 || j->terms[j->verb].is_light)
		return false;
	for (ag_str rest = t->text; rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');
		const bool is_fence = ag_str_starts(ag_str_trim(line), AG_S("```")) ||
		                      ag_str_starts(ag_str_trim(line), AG_S("~~~"));

		ag_arena_reset(scratch);
		if (is_code && !is_fence && is_in_order(j, line) &&
		    is_command(j, line, &heads, scratch))
			return true;
		is_code ^= is_fence;
	}
	return false;
}

bool ag_judge_proves(const ag_judge *j, const ag_judged_text *t, ag_arena *arena)
{
	return t->is_prose && !j->is_negated && j->npart <= 1 &&
	       (has_statement(j, t, true, arena) || has_command(j, t, arena));
}

bool ag_judge_has_kind(const ag_judge *j, const ag_judged_text *t, ag_arena *arena)
{
	return !t->is_prose || has_statement(j, t, false, arena);
}
