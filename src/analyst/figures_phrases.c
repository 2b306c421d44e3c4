/* figures_phrases -- numbers that are said by several words: "twice as", "a third of", "third-largest", "ranks second"; the
 * words after a number that say its unit.
 *
 * lint: table. A word alone says none of them: "the third quarter", "half an hour", "ordered twice". */
#include "analyst/figures_parts.h"
#include "base/utf8.h"

#define MAX_WORD 24u /* bytes */

typedef struct fig_text {
	ag_str text;
	ag_arena *arena;
} fig_text;

/* The folded word that begins at i; "" = no word. *ret_end: behind it. */
static ag_str fig_word_at(const fig_text *t, size_t i, size_t *ret_end)
{
	size_t end = i;

	for (size_t pos = i; pos < t->text.len && end - i <= MAX_WORD;) {
		if (!ag_fig_is_letter(ag_utf8_next(t->text, &pos)))
			break;
		end = pos;
	}
	*ret_end = end;
	return end == i || end - i > MAX_WORD
	               ? AG_S("")
	               : ag_fig_fold(ag_str_make(t->text.ptr + i, end - i), t->arena);
}

/* Behind the one blank or hyphen at i; SIZE_MAX = something else is there. */
static size_t fig_gap(const fig_text *t, size_t i)
{
	return i < t->text.len && (t->text.ptr[i] == ' ' || t->text.ptr[i] == '-') ? i + 1
	                                                                           : SIZE_MAX;
}

/* The folded word that ends before i, with one blank or hyphen between. */
static ag_str fig_word_before(const fig_text *t, size_t i)
{
	size_t from, end;

	if (i < 2 || (t->text.ptr[i - 1] != ' ' && t->text.ptr[i - 1] != '-'))
		return AG_S("");
	for (from = i - 1; from && i - from <= MAX_WORD;) {
		const char c = t->text.ptr[from - 1];

		if ((unsigned char)c < 0x80 && ((c | 32) < 'a' || (c | 32) > 'z'))
			break;
		from--;
	}
	return from == i - 1 ? AG_S("") : fig_word_at(t, from, &end);
}

/* What is after '/' must follow and is no part of the number. */
static const struct {
	const char *value;
	const char *words;
} ratios[] = {
	{ "2",
	  "twice/as twice/the twice/that twice/what double/the double/that double/what doubled" },
	{ "3", "triple/the triple/that thrice/as thrice/the tripled" },
	{ "4", "quadruple/the quadruple/that quadrupled" },
	{ "0.5", "half/of half/the half/as half/that half/what halved" },
	{ "0.3333333333", "a-third/of a-third/as one-third/of one-third/as" },
	{ "0.6666666667", "two-thirds/of two-thirds/as two-thirds/the" },
	{ "0.25",
	  "a-quarter/of a-quarter/as one-quarter/of one-quarter/as one-fourth/of a-fourth/of" },
	{ "0.75", "three-quarters/of three-quarters/as three-fourths/of" },
	{ "0.2", "a-fifth/of one-fifth/of" },
	{ "0.1", "a-tenth/of one-tenth/of" },
	{ "2", "doppelt/so das-doppelte verdoppelt verdoppelte" },
	{ "3", "dreimal/so das-dreifache verdreifacht verdreifachte" },
	{ "4", "viermal/so das-vierfache" },
	{ "0.5", "halb/so die-halfte der-halfte halbiert halbierte" },
	{ "0.3333333333", "ein-drittel einem-drittel" },
	{ "0.6666666667", "zwei-drittel" },
	{ "0.25", "ein-viertel einem-viertel" },
	{ "0.75", "drei-viertel dreiviertel" },
	{ "2", "le-double du-double" },
	{ "3", "le-triple" },
	{ "0.5", "la-moitie" },
	{ "0.3333333333", "un-tiers" },
	{ "0.6666666667", "deux-tiers" },
	{ "0.25", "un-quart" },
	{ "0.75", "trois-quarts" },
	{ "2", "el-doble" },
	{ "3", "el-triple" },
	{ "0.5", "la-mitad" },
	{ "0.3333333333", "un-tercio una-tercera/parte" },
	{ "0.6666666667", "dos-tercios" },
	{ "0.25", "un-cuarto/de una-cuarta/parte" },
	{ "0.75", "tres-cuartos/de tres-cuartas/partes" },
};

/* Does the text at i read as the phrase? *ret_len: bytes of its part before '/'. */
static bool fig_phrase_is(const fig_text *t, size_t i, ag_str phrase, size_t *ret_len)
{
	size_t at = i, len = 0;

	while (phrase.len) {
		size_t n = 0, end;

		while (n < phrase.len && phrase.ptr[n] != '-' && phrase.ptr[n] != '/')
			n++;
		if (!ag_str_eq(fig_word_at(t, at, &end), ag_str_make(phrase.ptr, n)))
			return false;
		if (n == phrase.len || phrase.ptr[n] == '/')
			len = len ? len : end - i;
		if (n == phrase.len) {
			*ret_len = len;
			return true;
		}
		phrase = ag_str_make(phrase.ptr + n + 1, phrase.len - n - 1);
		at = fig_gap(t, end);
		if (at == SIZE_MAX)
			return false;
	}
	return false;
}

bool ag_fig_ratio_at(ag_str text, size_t i, const ag_fig_words *w, ag_arena *arena, size_t *ret_len,
                     ag_dec128 *ret)
{
	const fig_text t = { text, arena };
	size_t end;
	const ag_str first = fig_word_at(&t, i, &end), before = fig_word_before(&t, i);

	/* "the first half of 2025" */
	if (ag_fig_value(w, AG_FIG_W_ORDINAL, before) > 0 || ag_str_eqc(before, "other") ||
	    ag_str_eqc(before, "latter") || ag_str_eqc(before, "last"))
		return false;
	for (size_t r = 0; r < AG_NELEM(ratios) && first.len; r++) {
		ag_str rest = ag_str_c(ratios[r].words);

		while (rest.ptr) {
			const ag_str phrase = ag_str_split(&rest, ' ');

			if (phrase.len > first.len && !ag_str_starts(phrase, first))
				continue;
			if (fig_phrase_is(&t, i, phrase, ret_len))
				return ag_dec128_parse(ag_str_c(ratios[r].value), ret);
		}
	}
	return false;
}

static bool fig_is_one_of(ag_str word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(word, words[i]))
			return true;
	}
	return false;
}

int ag_fig_rank_at(ag_str text, size_t i, bool is_first, const ag_fig_words *w, ag_arena *arena)
{
	static const char *const after[] = { "in",      "by",     "on",  "for",  "with", "among",
		                             "overall", "behind", "bei", "nach", "mit",  "im",
		                             "pour",    "en",     "par", "avec", "por",  "con",
		                             "when",    "if",     "of",  "at",   "from", "out" };
	/* Before an ordinal that is part of a noun; "" = no word. */
	static const char *const nouns[] = { "",    "the",  "a",   "this", "that", "each", "every",
		                             "its", "der",  "die", "das",  "den",  "dem",  "des",
		                             "ein", "eine", "le",  "la",   "les",  "un",   "une",
		                             "el",  "los",  "las", "and",  "per",  "of",   "to",
		                             "two", "und",  "et",  "y" };
	static const char *const verbs[] = {
		"stands", "stand",  "is",   "was",   "are",   "were", "sits",  "comes",
		"came",   "lands",  "ends", "ended", "runs",  "goes", "falls", "remains",
		"only",   "now",    "ist",  "war",   "liegt", "wird", "steht", "est",
		"arrive", "reste",  "es",   "queda", "va",    "as",   "at",    "finished",
		"takes",  "scores", "also", "still", "even",  "auf",  "als",   "figures"
	};
	const fig_text t = { text, arena };
	size_t end, to, next;
	const ag_str word = fig_word_at(&t, i, &end);
	const int rank = ag_fig_value(w, AG_FIG_W_ORDINAL, word);
	unsigned before;

	if (rank < 1)
		return 0;
	next = fig_gap(&t, end);
	if (next != SIZE_MAX &&
	    (ag_fig_cues(w, fig_word_at(&t, next, &to)) & AG_FIG_RANK)) /* third-largest, place */
		return rank;
	before = ag_fig_cues(w, fig_word_before(&t, i));
	if ((before & AG_FIG_RANK) && !(before & (AG_FIG_HIGH | AG_FIG_LOW))) /* ranks third */
		return rank;
	/* "stands third in revenue", "places second by orders"; not "the third in", nor "looked first by region" */
	if (next != SIZE_MAX && !is_first &&
	    fig_is_one_of(fig_word_at(&t, next, &to), after, AG_NELEM(after)) &&
	    (rank > 1 ? !fig_is_one_of(fig_word_before(&t, i), nouns, AG_NELEM(nouns))
	              : fig_is_one_of(fig_word_before(&t, i), verbs, AG_NELEM(verbs))))
		return rank;
	/* "came third." */
	return !is_first && (end == text.len || strchr(".,;)\n", text.ptr[end])) ? rank : 0;
}

/* --- units --- */

static char fig_byte(ag_str text, size_t i)
{
	return i < text.len ? text.ptr[i] : '\0';
}

/* The words after a number that say its unit: "1.2 million euros", "12 per cent", "3 days". */
static void fig_money_after(ag_str text, const ag_fig_doc *d, ag_fig_number *n)
{
	const ag_fig_token *last = &d->tokens[n->token + n->ntoken - 1];
	size_t i = n->ntoken > 1 ? last->at + last->len : n->at + n->len;
	ag_str rest;

	for (size_t blanks = 0;
	     blanks < 2 && (fig_byte(text, i) == ' ' || fig_byte(text, i) == '.'); blanks++)
		i++;
	rest = ag_str_make(text.ptr + (i < text.len ? i : text.len),
	                   i < text.len ? text.len - i : 0);
	if (ag_str_starts(rest, AG_S("\xc2\xa0")))
		rest = ag_str_make(rest.ptr + 2, rest.len - 2);
	if (n->currency >= 0)
		return;
	if (ag_str_starts(rest, AG_S("\xe2\x82\xac")))
		n->currency = 1;
	else if (ag_str_starts(rest, AG_S("\xc2\xa3")))
		n->currency = 2;
	else if (rest.len && rest.ptr[0] == '$' &&
	         !(rest.len > 1 && (rest.ptr[1] >= '0' && rest.ptr[1] <= '9')))
		n->currency = 0;
}

/* Is the word directly after the one before, in one sentence: "1.2 Mio. Euro", not "12 t. Mill Field"? */
static bool fig_follows(ag_str text, const ag_fig_token *before, const ag_fig_token *t)
{
	const size_t from = before->at + before->len;

	if (t->at > from + 3 || t->begins)
		return false;
	for (size_t i = from; i < t->at; i++) {
		if (text.ptr[i] == '\n' ||
		    (text.ptr[i] == '.' && before->number < 0 && before->len < 3))
			return false;
	}
	return true;
}

static void fig_unit_words(ag_str text, const ag_fig_words *w, ag_fig_doc *d, ag_fig_number *n)
{
	const size_t at = n->token;

	if (at && d->tokens[at - 1].kind == AG_FIG_WORD && n->currency < 0 &&
	    d->tokens[at - 1].len == 3 && d->tokens[at - 1].at + 4 >= n->at)
		n->currency = ag_fig_value(w, AG_FIG_W_MONEY, d->tokens[at - 1].fold);
	for (size_t i = at + 1; i < d->ntoken && i < at + 5; i++) {
		const ag_fig_token *t = &d->tokens[i];
		int v;

		if (t->kind != AG_FIG_WORD || !fig_follows(text, &d->tokens[i - 1], t))
			return;
		if ((v = ag_fig_value(w, AG_FIG_W_SCALE, t->fold)) > 0 &&
		    (t->len > 2 || (i == at + 1 && (t->is_upper || ag_str_eqc(t->fold, "k")))))
			n->exp += n->exp ? 0 : v;
		else if (ag_fig_value(w, AG_FIG_W_PERCENT, t->fold) > 0)
			n->is_percent = true;
		else if ((ag_str_eqc(t->fold, "per") || ag_str_eqc(t->fold, "pour") ||
		          ag_str_eqc(t->fold, "por")) &&
		         i + 1 < d->ntoken &&
		         (ag_str_eqc(t[1].fold, "cent") || ag_str_eqc(t[1].fold, "ciento")))
			n->is_percent = true, i++;
		else if (ag_str_eqc(t->fold, "percentage") || ag_str_eqc(t->fold, "de") ||
		         ag_str_eqc(t->fold, "of"))
			continue;
		else if (ag_fig_value(w, AG_FIG_W_POINTS, t->fold) > 0)
			n->is_points = true;
		else if ((v = ag_fig_value(w, AG_FIG_W_MONEY, t->fold)) >= 0)
			n->currency = v;
		else if ((v = ag_fig_value(w, AG_FIG_W_UNIT, t->fold)) > 0 && !n->unit) {
			n->unit = v;
			d->tokens[i].cues = 0; /* "12 min" is no minimum */
		} else if (ag_fig_value(w, AG_FIG_W_TIMES, t->fold) > 0)
			n->is_times = true;
		else
			return;
		n->ntoken = (uint32_t)(i - at + 1);
	}
}

void ag_fig_units_read(ag_str text, const ag_fig_words *w, ag_fig_doc *d, ag_fig_number *n)
{
	fig_unit_words(text, w, d, n);
	fig_money_after(text, d, n);
}
