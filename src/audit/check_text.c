/* check_text -- rows 12, 14 and 33: placeholders, stray white space, broken characters.
 *
 * A word like "none" is damage in one column and an answer in the next: words are hard (nobody means them) or
 * soft (they may be a category, a name or a code), and soft ones count only where nothing speaks for them. */
#include <math.h>

#include "audit/checks.h"

#include "base/utf8.h"

#define MAX_WORDS 40

static const char *const hard_words[] = {
	"n/a",    "#n/a",    "n/d",     "n.a.",    "n.a",       "<na>",        "#ref!",  "#value!",
	"#null!", "#num!",   "#name?",  "#div/0!", "\\n",       "null",        "<null>", "(null)",
	"[null]", "(blank)", "(empty)", "nan",     "undefined", "lorem ipsum",
};
static const char *const soft_words[] = {
	"none",      "unknown",      "nil",   "na",    "tbd",           "tba",
	"tbc",       "missing",      "test",  "xxx",   "not available", "not applicable",
	"not known", "not provided", "empty", "blank", "not specified", "unspecified",
	"no data",
};

static bool is_one_of(ag_str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(s, ag_str_c(words[i])))
			return true;
	}
	return false;
}

static bool is_marks(ag_str s)
{
	if (!s.len || s.len > 3 || !memchr("-?._", s.ptr[0], 4))
		return false;
	for (size_t i = 1; i < s.len; i++) {
		if (s.ptr[i] != s.ptr[0])
			return false;
	}
	return true;
}

typedef enum word_kind { NO_WORD, SOFT_WORD, HARD_WORD } word_kind;

static word_kind kind_of_word(ag_str s)
{
	s = ag_str_trim(s);
	if (is_marks(s) || is_one_of(s, hard_words, AG_NELEM(hard_words)))
		return HARD_WORD;
	return is_one_of(s, soft_words, AG_NELEM(soft_words)) ? SOFT_WORD : NO_WORD;
}

/* Says that there is nothing, and not what there is: "none" and "unknown" may be answers. */
static bool is_no_answer(ag_str s)
{
	static const char *const words[] = { "nil",           "tbd",           "tba",
		                             "missing",       "not available", "not provided",
		                             "not specified", "no data",       "empty" };

	return is_one_of(ag_str_trim(s), words, AG_NELEM(words));
}

/* How often a real value occurs, on average. */
static double usual_count(const ag_path_profile *f)
{
	uint64_t n = 0, kinds = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		if (kind_of_word(ag_value_text(&f->values[i])) != NO_WORD)
			continue;
		n += f->values[i].n;
		kinds++;
	}
	return kinds ? (double)n / (double)kinds : 0;
}

/* Occurrences of a word in any case. */
static uint64_t count_of_word(const ag_path_profile *f, ag_str s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		if (ag_str_ieq(ag_str_trim(ag_value_text(&f->values[i])), s))
			n += f->values[i].n;
	}
	return n;
}

/* Are the others short codes in capitals, so that "NA" is one of them? */
static bool holds_codes(const ag_path_profile *f)
{
	uint64_t codes = 0, all = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		ag_str s = ag_value_text(&f->values[i]);
		bool is_code = s.len && s.len <= 5;

		for (size_t k = 0; k < s.len && is_code; k++)
			is_code = (s.ptr[k] >= 'A' && s.ptr[k] <= 'Z') || s.ptr[k] == '-';
		all++;
		codes += is_code;
	}
	return codes * 2 > all;
}

/* "NAN" is an airport and "nil" a language where nearly all values are as many letters in the same case. */
static bool has_shape_of_codes(const ag_path_profile *f, ag_str s)
{
	const ag_shape_count *usual = f->str.nshape ? &f->str.shapes[0] : NULL;
	char shape[AG_TEXT_SHAPE_MAX];

	s = ag_str_trim(s);
	if (!usual || usual->shape.len < 2 || usual->shape.len > 5 ||
	    ag_share(usual->n, f->str.n) < 0.5)
		return false;
	for (size_t i = 0; i < usual->shape.len; i++)
		if (usual->shape.ptr[i] != usual->shape.ptr[0] ||
		    !strchr("Aa", usual->shape.ptr[i]))
			return false;
	return ag_str_eq(usual->shape, ag_str_make(shape, ag_text_shape_into(shape, s)));
}

/* Nothing but numbers or dates beside the placeholders: no word is an answer there. */
static bool is_typed(const ag_path_profile *f)
{
	const uint64_t silent = f->str.nempty + f->str.nblank + f->str.by_class[AG_TEXT_NULL_WORD];

	return f->str.n && silent >= f->str.n && (ag_path_numbers(f) || f->date.n);
}

/* Does another column of numbers hold this word and no other text? Then the file says "nothing" with it. */
static bool is_word_of_file(const ag_profile *p, const ag_path_profile *f, ag_str s)
{
	s = ag_str_trim(s);
	for (size_t i = 0; p->has_views && i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g == f || !is_typed(g) || ag_path_numbers(g) < 10)
			continue;
		for (size_t k = 0; k < g->nvalue; k++)
			if (ag_str_eq(ag_str_trim(ag_value_text(&g->values[k])), s))
				return true;
	}
	return false;
}

#define MIN_MARKS 3 /* fewer are slips */

/* Do two other fields hold this mark as well, however rarely? Then it is how the file leaves a field out, as logs do. */
static bool is_mark_of_file(const ag_profile *p, const ag_path_profile *f, ag_str s)
{
	size_t others = 0;

	for (size_t i = 0; i < p->npath && is_marks(s); i++) {
		const ag_path_profile *g = &p->paths[i];

		others += g != f && g->str.n && count_of_word(g, s) >= MIN_MARKS;
	}
	return others >= 2;
}

/* "+" and "-": a sign, and not nothing. */
static bool is_sign(const ag_path_profile *f, ag_str s)
{
	for (size_t i = 0; i < f->nvalue && ag_str_eqc(s, "-"); i++)
		if (ag_str_eqc(ag_str_trim(ag_value_text(&f->values[i])), "+"))
			return true;
	return false;
}

/* A mark in a list of codes of one or two letters: the revision before A. */
static bool is_mark_among_letters(const ag_path_profile *f, const ag_value_count *mark)
{
	size_t n = 0;

	if (!f->values_complete || f->ndistinct > 30)
		return false;
	for (size_t i = 0; i < f->nvalue; i++) {
		const ag_str s = ag_value_text(&f->values[i]);

		if (&f->values[i] == mark || !s.len)
			continue;
		if (s.len > 2 || s.ptr[0] < 'A' || s.ptr[0] > 'Z')
			return false;
		n++;
	}
	return n >= 3 && (double)mark->n * 4 >= usual_count(f);
}

static bool soft_word_is_meant(const ag_path_profile *f, const ag_field_name *name,
                               const ag_value_count *v, bool is_enum, bool is_short, double usual)
{
	ag_str s = ag_str_trim(ag_value_text(v));
	uint64_t n = count_of_word(f, s);

	if (name->traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON) && !ag_str_ieq(s, AG_S("unknown")) &&
	    !ag_str_ieq(s, AG_S("not available")) && !ag_str_ieq(s, AG_S("tbd")))
		return true;
	if (ag_str_ieq(s, AG_S("na")) && (name->traits & AG_TRAIT_REGION || holds_codes(f)))
		return true;
	if (!is_enum || name->traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON))
		return false;
	/* A category of its own weight, or a field whose question allows the answer. */
	if (name->traits & AG_TRAIT_ENUMISH || ag_share(n, f->n) >= 0.1)
		return true;
	/* "none" is an answer in lists of any length; "unknown" as often as a city is still no city. */
	if (ag_str_ieq(s, AG_S("none")))
		return ag_share(n, f->n) >= 0.03 || (double)n * 2 >= usual;
	return is_short && (double)n * 2 >= usual;
}

typedef enum letter_case { CASE_MIXED, CASE_LOWER, CASE_UPPER } letter_case;

static letter_case case_of(ag_str s)
{
	bool lower = false, upper = false;

	for (size_t i = 0; i < s.len; i++) {
		lower |= s.ptr[i] >= 'a' && s.ptr[i] <= 'z';
		upper |= s.ptr[i] >= 'A' && s.ptr[i] <= 'Z';
	}
	return lower && !upper ? CASE_LOWER : upper && !lower ? CASE_UPPER : CASE_MIXED;
}

/* Are names written like this here? */
static bool is_usual_case(const ag_path_profile *f, letter_case c)
{
	size_t same = 0;

	for (size_t i = 0; i < f->nvalue; i++)
		same += case_of(ag_value_text(&f->values[i])) == c;
	return same * 5 > f->nvalue;
}

/* Mr Null writes himself with a capital, as the others do; a program's null is in one case. */
static bool is_surname(const ag_path_profile *f, const ag_field_name *name, ag_str s)
{
	s = ag_str_trim(s);
	if (!(name->traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON)) ||
	    (!ag_str_ieq(s, AG_S("null")) && !ag_str_ieq(s, AG_S("nan"))))
		return false;
	return case_of(s) == CASE_MIXED || is_usual_case(f, case_of(s));
}

/* Values that are no exception. */
static size_t frequent(const ag_path_profile *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nvalue; i++)
		n += ag_share(f->values[i].n, f->n) >= 0.02;
	return n;
}

static bool has_only_letters(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((s.ptr[i] | 32) < 'a' || (s.ptr[i] | 32) > 'z')
			return false;
	return true;
}

/* Codes and numbers as text: no word is an answer among them. */
static bool has_digits(const ag_path_profile *f)
{
	uint64_t with = 0, all = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		const ag_str s = ag_value_text(&f->values[i]);
		bool any = false;

		if (!s.len || kind_of_word(s) != NO_WORD)
			continue;
		for (size_t k = 0; k < s.len; k++)
			any = any || (s.ptr[k] >= '0' && s.ptr[k] <= '9');
		with += any;
		all++;
	}
	return all >= 3 && with * 10 >= all * 9;
}

#define MAX_KINDS 12

/* One of few labels, each on several rows. */
static bool is_one_of_kinds(const ag_path_profile *f, const ag_value_count *v)
{
	return f->values_complete && f->ndistinct > 2 && f->ndistinct <= MAX_KINDS &&
	       f->nscalar >= 2 * f->ndistinct && v->n * f->ndistinct * 8 >= f->nscalar;
}

#define MANY_NAMES 0.05 /* of the names: no surname is so frequent */

/* How sure is it that a value stands for nothing? NO_WORD: it is a value. SOFT_WORD: in doubt. */
static word_kind doubt_of(const ag_profile *p, const ag_path_profile *f, const ag_field_name *name,
                          const ag_value_count *v, double usual)
{
	const bool is_enum = f->values_complete && f->ndistinct <= 50,
		   is_short = is_enum && frequent(f) <= 12;
	const ag_str s = ag_str_trim(ag_value_text(v));
	const word_kind kind = kind_of_word(s);
	const double share = ag_share(count_of_word(f, s), f->n);

	if (kind == NO_WORD || is_surname(f, name, s) || is_sign(f, s))
		return NO_WORD;
	if (is_typed(f))
		return HARD_WORD;
	/* A share or an airport may be called NULL. */
	if (has_shape_of_codes(f, s) ||
	    (holds_codes(f) && has_only_letters(s) && case_of(s) == CASE_UPPER &&
	     (kind == SOFT_WORD || (double)v->n * 2 >= usual)))
		return is_word_of_file(p, f, s) ? SOFT_WORD : NO_WORD;
	if (is_word_of_file(p, f, s))
		return HARD_WORD;
	if (is_marks(s) &&
	    (f->ndistinct == 1 || is_mark_of_file(p, f, s) || is_mark_among_letters(f, v)))
		return SOFT_WORD;
	if (kind == HARD_WORD)
		/* "Yes", "No" and "N/A" answer one question. */
		return is_short && share > 0.2 &&
		                       (f->ndistinct > 2 || (share < 0.8 && is_marks(s))) &&
		                       (ag_str_ieq(s, AG_S("n/a")) || is_marks(s))
		               ? SOFT_WORD
		               : HARD_WORD;
	if (has_digits(f) && !ag_str_ieq(s, AG_S("test")) && !ag_str_ieq(s, AG_S("na")))
		return share > 0.1 ? SOFT_WORD : HARD_WORD;
	/* A program's None among texts that are all in small letters, or all in capitals. */
	if (ag_str_eqc(s, "None") && !is_usual_case(f, CASE_MIXED))
		return SOFT_WORD;
	if (name->traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON) && share > MANY_NAMES && v->n > 2)
		return SOFT_WORD;
	/* As frequent as an answer; some words never are one, and stay in doubt. */
	if (is_enum && f->ndistinct > 2 && share > 0.2)
		return is_no_answer(s) ? SOFT_WORD : NO_WORD;
	if (is_no_answer(s) && (f->ndistinct > 2 || !is_enum) &&
	    !(name->traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON)))
		return share > 0.1 ? SOFT_WORD : HARD_WORD;
	if (soft_word_is_meant(f, name, v, is_enum, is_short, usual))
		return NO_WORD;
	/* Tests are run and tagged in many data sets, and are a kind of what is listed. */
	return ag_str_ieq(s, AG_S("test")) && (f->in_array || is_one_of_kinds(f, v)) ? SOFT_WORD
	                                                                             : HARD_WORD;
}

/* The spellings that count as placeholders, from the values that are known: the sure ones, else those in doubt. */
static size_t placeholders(const ag_profile *p, const ag_path_profile *f, const ag_field_name *name,
                           ag_val ret[MAX_WORDS], bool *ret_sure)
{
	const double usual = usual_count(f);
	ag_val doubtful[MAX_WORDS];
	size_t n = 0, ndoubtful = 0;

	for (size_t i = 0; i < f->nvalue && n < MAX_WORDS && ndoubtful < MAX_WORDS; i++) {
		const word_kind kind = doubt_of(p, f, name, &f->values[i], usual);

		if (kind == HARD_WORD)
			ret[n++] = f->values[i].v;
		else if (kind == SOFT_WORD)
			doubtful[ndoubtful++] = f->values[i].v;
	}
	*ret_sure = n > 0;
	if (n)
		return n;
	memcpy(ret, doubtful, ndoubtful * sizeof(*ret));
	return ndoubtful;
}

#define BLANKS "[\\t-\\r ]*"
#define MARK_WORDS                                                                                       \
	"#N/A|#(REF|VALUE|NULL|NUM|DIV/0)!|#NAME\\?|\\\\N|<null>|\\(null\\)|\\[null\\]|-{1,3}|\\?{1,3}|" \
	"\\.{1,3}|_{1,3}"
#define NAME_WORDS "[Nn]/[Aa]|undefined|[Uu]nknown|UNKNOWN|" MARK_WORDS

static const char *name_regex(const ag_path_profile *f)
{
	bool lower = !is_usual_case(f, CASE_LOWER), upper = !is_usual_case(f, CASE_UPPER);

	if (lower && upper)
		return "^" BLANKS "(" NAME_WORDS "|null|NULL)" BLANKS "$";
	return lower   ? "^" BLANKS "(" NAME_WORDS "|null)" BLANKS "$"
	       : upper ? "^" BLANKS "(" NAME_WORDS "|NULL)" BLANKS "$"
	               : "^" BLANKS "(" NAME_WORDS ")" BLANKS "$";
}

/* Too many values to know them all: a pattern finds the words that the list does not show. */
static ag_val words_pattern(ag_arena *a, const ag_path_profile *f, bool is_name)
{
	if (is_name)
		return ag_ev_regex(a, name_regex(f), "");
	/* Letters are codes among codes. */
	if (has_shape_of_codes(f, AG_S("NAN")) || has_shape_of_codes(f, AG_S("nan")) ||
	    has_shape_of_codes(f, AG_S("NULL")) || has_shape_of_codes(f, AG_S("NA")) ||
	    holds_codes(f))
		return ag_ev_regex(a,
		                   "^" BLANKS "(n/a|undefined|unknown|" MARK_WORDS ")" BLANKS "$",
		                   "i");
	return ag_ev_regex(
		a,
		"^" BLANKS "(n/a|n/d|n\\.a\\.?|<na>|null|nan|none|nil|undefined|unknown|"
		"tb[acd]|missing|empty|blank|no data|\\(blank\\)|\\(empty\\)|"
		"not (available|applicable|known|specified|provided)|lorem ipsum|" MARK_WORDS
		")" BLANKS "$",
		"i");
}

/* People call themselves anything. */
static bool is_handle(const ag_field_name *n)
{
	static const char *const words[] = { "nick",  "nickname", "handle",   "username",
		                             "login", "alias",    "gamertag", "screenname",
		                             "tag",   "hashtag",  "player" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_field_has_word(n, words[i]))
			return true;
	}
	return false;
}

static bool has_nan(const ag_val *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_ieq(ag_val_text(&words[i]), AG_S("nan")))
			return true;
	return false;
}

#define MANY_ANSWERS 0.45 /* of texts for people: beyond it they are what people write */

void ag_check_null_word(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	bool is_name = out->name.traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON);
	bool is_answer = out->name.traits & (AG_TRAIT_PROSE | AG_TRAIT_POLY) && !is_name;
	ag_val words[MAX_WORDS + 1];
	bool sure;
	size_t n;
	ag_val cond;
	ag_hypothesis *h;

	(void)o;
	if (!f->str.by_class[AG_TEXT_NULL_WORD] || f->n < 10 || is_handle(&out->name) ||
	    !ag_path_is_plain(a, f))
		return;
	n = placeholders(p, f, &out->name, words, &sure);
	if (!f->values_complete && !is_typed(f) &&
	    !(out->name.traits & AG_TRAIT_CASE && ag_name_is_identifier(&out->name) && !is_name)) {
		cond = words_pattern(a, f, is_name);
		/* What is in doubt where the values are few is in doubt where they are many. */
		sure = sure || !n;
	} else if (n) {
		/* "NaN" of a CSV is a number once it is imported. */
		if (p->has_views && has_nan(words, n))
			words[n++] = ag_val_double(NAN);
		cond = OBJ(a, KV("$in", ag_ev_arr(a, words, n)));
	} else {
		return;
	}
	is_answer |= !sure;
	/* What people write to each other: "?", "none". */
	if (out->name.traits & AG_TRAIT_PROSE && !is_name &&
	    ag_share(f->str.by_class[AG_TEXT_NULL_WORD], f->n) > MANY_ANSWERS)
		return;
	h = ag_suspect(out, f, "null_word", is_answer ? AG_LOW : AG_MEDIUM, 0.85,
	               ag_ev_where(a, f, cond));
	if (!h)
		return;
	if (is_answer)
		ag_suspect_fix(h);
	ag_suspect_say(h, "a placeholder stands where a value should be",
	               "a form, a spreadsheet or an export that spells out \"nothing\"",
	               "set these values to null, so that counts and groups leave them out");
	if (n)
		h->detail = ag_str_printf(a, "for example %.*s",
		                          AG_FMT(ag_quote_value(a, &words[0])));
}

/* ---- white space ---- */

void ag_check_padding(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t padded = f->str.by_class[AG_TEXT_PADDED],
		 twice = f->str.by_class[AG_TEXT_DOUBLE_BLANK];
	uint64_t odd = f->str.by_class[AG_TEXT_ODD_SPACE];
	bool prose = ag_path_is_prose(f, &out->name);
	const char *pattern;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	padded = padded > f->str.nblank ? padded - f->str.nblank : 0;
	if (prose || out->name.traits & AG_TRAIT_CASE)
		twice = odd = 0; /* typography, lay-out, code */
	if ((!padded && !twice && !odd) || f->str.n < 10 || !ag_path_is_plain(a, f))
		return;
	/* Joiners inside emoji and Persian words are letters of a kind: the pattern leaves them alone. */
	if (prose)
		pattern = "^[\\t-\\r ]+[^\\t-\\r ]|[^\\t-\\r ][\\t-\\r ]+$";
	else
		pattern =
			"^[\\t-\\r ]+[^\\t-\\r ]|[^\\t-\\r ][\\t-\\r ]+$|[^\\t-\\r ] {2,}[^\\t-\\r ]|"
			"[\\xa0\xe2\x80\x8b\xe2\x81\xa0\xef\xbb\xbf\\t]";
	h = ag_suspect(out, f, "padding", prose ? AG_LOW : AG_MEDIUM, 0.95,
	               ag_ev_where(a, f, ag_ev_regex(a, pattern, "")));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h,
		padded ? "texts begin or end with white space"
		       : "texts hold doubled blanks or invisible spaces",
		"copy and paste, fixed-width columns, or input that was not trimmed",
		"trim the values, fold inner white space to one blank, and trim at the writer");
}

/* ---- characters ---- */

/* Letters C2..C5 before what a continuation byte becomes in Latin-1 or Windows-1252, quotes and dashes (â€),
 * and the replacement character. */
static const char mojibake_regex[] = "[Â-ÅÐÑ][\\x80-\\xbfŒœŠšŸŽžƒˆ˜–-›€™]|â[\\x80€]|\xef\xbf\xbd";

static bool repaired_example(ag_arena *a, const ag_path_profile *f, ag_str *ret)
{
	for (size_t i = 0; i < f->nvalue + f->str.nshape; i++) {
		ag_str s = i < f->nvalue ? ag_value_text(&f->values[i])
		                         : f->str.shapes[i - f->nvalue].example;
		ag_buf b = AG_BUF_INIT(s.len + 1);
		bool done = s.len && s.len < 200 && ag_text_repair(s, &b);

		if (done)
			*ret = ag_str_printf(a, "\"%.*s\" reads \"%.*s\" when it is repaired",
			                     AG_FMT(s), AG_FMT(ag_buf_view(&b)));
		ag_buf_release(&b);
		if (done)
			return true;
	}
	return false;
}

void ag_check_mojibake(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t garbled = f->str.by_class[AG_TEXT_MOJIBAKE],
		 lost = f->str.by_class[AG_TEXT_REPLACEMENT];
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if ((!garbled && !lost) || !ag_path_is_plain(a, f))
		return;
	h = ag_suspect(out, f, "mojibake", AG_MEDIUM, 0.9,
	               ag_ev_where(a, f,
	                           ag_ev_regex(a, garbled ? mojibake_regex : "\xef\xbf\xbd", "")));
	if (!h)
		return;
	ag_suspect_say(
		h,
		garbled ? "text was read in the wrong character set, such as \"Ã©\" for \"é\""
			: "characters were lost and replaced by \"\xef\xbf\xbd\"",
		"UTF-8 bytes that were read as Latin-1 or Windows-1252 on their way in",
		garbled ? "encode the text as Windows-1252 and decode it as UTF-8, then fix the reader"
			: "load the text again from its source with the right character set");
	(void)repaired_example(a, f, &h->detail);
}

void ag_check_control(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	bool prose = ag_path_is_prose(f, &out->name);
	ag_hypothesis *h;

	(void)p;
	(void)o;
	/* C1 controls are half of what mojibake looks like. */
	if (!f->str.by_class[AG_TEXT_CONTROL] || f->str.by_class[AG_TEXT_MOJIBAKE] ||
	    !ag_path_is_plain(a, f))
		return;
	h = ag_suspect(out, f, "control_characters", prose ? AG_LOW : AG_MEDIUM, 0.85,
	               ag_ev_where(a, f, ag_ev_regex(a, ag_text_class_regex(AG_TEXT_CONTROL), "")));
	if (!h)
		return;
	if (prose)
		ag_suspect_fix(h);
	ag_suspect_say(h, "texts hold control characters that nobody sees",
	               "terminal output, a binary read as text, or a broken copy and paste",
	               "remove the control characters and refuse them at the writer");
}

void ag_check_entities(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	/* Long text may be mark-up; a title is not. */
	if (!f->str.by_class[AG_TEXT_ENTITY] || out->name.traits & AG_TRAIT_HTML ||
	    f->str.words >= 6 || f->str.length.p50 > 80 || !ag_path_is_plain(a, f))
		return;
	h = ag_suspect(out, f, "html_entities", AG_MEDIUM, 0.85,
	               ag_ev_where(a, f, ag_ev_regex(a, ag_text_class_regex(AG_TEXT_ENTITY), "")));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = 0.5;
	ag_suspect_say(
		h, "plain text holds HTML entities such as &amp;",
		"text that was escaped for a web page before it was stored, or scraped from one",
		"decode the entities, and escape only when a page is written");
}
