/* figures_read -- prose as units (sentences, list items, table rows) of tokens and numbers.
 *
 * One pass over the bytes. Blocks are those that models write in Markdown: paragraphs, headings, list items, quotes, fenced
 * code (not read) and tables. Emphasis and the addresses of links are dropped, so that a sentence reads as people see it. */
#include "analyst/figures_parts.h"
#include "base/utf8.h"

#define MAX_WORD 128u /* bytes; the rest of a longer run of letters is left out */

typedef struct fig_reader {
	ag_fig_doc *doc;
	const ag_fig_words *words;
	ag_arena *arena;
	ag_str text;
	size_t max_numbers;
	bool is_code;  /* inside a code span */
	uint32_t unit; /* first token of the open unit */
	ag_fig_block block;
	bool after_break;
} fig_reader;

/* --- arrays in the arena --- */

static void *fig_more(ag_arena *arena, void *old, size_t n, size_t *cap, size_t size)
{
	void *to;

	if (n < *cap)
		return old;
	*cap = *cap ? *cap * 2 : 64;
	to = ag_arena_alloc_n(arena, *cap, size);
	if (n)
		memcpy(to, old, n * size);
	return to;
}

static ag_fig_token *fig_token_add(fig_reader *r, ag_fig_kind kind, size_t at, size_t len)
{
	ag_fig_doc *d = r->doc;
	ag_fig_token *t;

	d->tokens = fig_more(r->arena, d->tokens, d->ntoken, &d->token_cap, sizeof(*t));
	t = &d->tokens[d->ntoken++];
	*t = (ag_fig_token){ .at = (uint32_t)at,
		             .len = (uint32_t)len,
		             .kind = (uint8_t)kind,
		             .is_code = r->is_code,
		             .number = -1,
		             .mention = -1 };
	return t;
}

static void fig_unit_end(fig_reader *r)
{
	ag_fig_doc *d = r->doc;
	ag_fig_unit *u;

	if (d->ntoken == r->unit)
		return;
	d->units = fig_more(r->arena, d->units, d->nunit, &d->unit_cap, sizeof(*u));
	u = &d->units[d->nunit++];
	d->tokens[r->unit].begins = true;
	*u = (ag_fig_unit){ .from = r->unit,
		            .to = (uint32_t)d->ntoken,
		            .block = r->block,
		            .after_break = r->after_break };
	r->unit = (uint32_t)d->ntoken;
	r->after_break = false;
}

/* --- numbers --- */

static bool fig_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char fig_at(const fig_reader *r, size_t i)
{
	return i < r->text.len ? r->text.ptr[i] : '\0';
}

static size_t fig_digits(const fig_reader *r, size_t i)
{
	size_t n = 0;

	while (fig_is_digit(fig_at(r, i + n)))
		n++;
	return n;
}

/* The letter that begins at i, or 0. */
static uint32_t fig_letter(const fig_reader *r, size_t i, size_t *ret_next)
{
	uint32_t cp;

	*ret_next = i;
	if (i >= r->text.len)
		return 0;
	cp = ag_utf8_next(r->text, ret_next);
	return ag_fig_is_letter(cp) ? cp : 0;
}

static ag_fig_number *fig_number_add(fig_reader *r, size_t at, size_t len)
{
	ag_fig_doc *d = r->doc;
	ag_fig_number *n;

	if (d->nnumber >= r->max_numbers) {
		d->is_full = true;
		return NULL;
	}
	d->numbers = fig_more(r->arena, d->numbers, d->nnumber, &d->number_cap, sizeof(*n));
	n = &d->numbers[d->nnumber];
	*n = (ag_fig_number){ .at = at,
		              .len = len,
		              .token = (uint32_t)d->ntoken,
		              .ntoken = 1,
		              .sign = 1,
		              .currency = -1,
		              .why = "" };
	fig_token_add(r, AG_FIG_NUMBER, at, len)->number = (int)d->nnumber++;
	return n;
}

/* What is written directly after the digits: %, k, €, x, st. Returns its bytes, or SIZE_MAX when letters make a name of it. */
static size_t fig_suffix(fig_reader *r, size_t i, ag_fig_number *n)
{
	size_t end = i, next = i;
	ag_str word;
	int v;

	if (fig_at(r, i) == '%') {
		n->is_percent = true;
		return 1;
	}
	if (ag_str_starts(ag_str_make(r->text.ptr + i, r->text.len - i), AG_S("\xe2\x82\xac"))) {
		n->currency = 1;
		return 3;
	}
	if (ag_str_starts(ag_str_make(r->text.ptr + i, r->text.len - i), AG_S("\xc3\x97"))) {
		n->is_times = true;
		return 2;
	}
	while (fig_letter(r, end, &next) && end - i < 8)
		end = next;
	if (end == i)
		return fig_at(r, i) == '_' ? SIZE_MAX : 0;
	if (fig_is_digit(fig_at(r, end)) || fig_at(r, end) == '_')
		return SIZE_MAX;
	word = ag_fig_fold(ag_str_make(r->text.ptr + i, end - i), r->arena);
	if (ag_str_eqc(word, "st") || ag_str_eqc(word, "nd") || ag_str_eqc(word, "rd") ||
	    ag_str_eqc(word, "th") || ag_str_eqc(word, "er") || ag_str_eqc(word, "e") ||
	    ag_str_eqc(word, "eme") || ag_str_eqc(word, "o") || ag_str_eqc(word, "a") ||
	    ag_str_eqc(word, "\xc2\xba") || ag_str_eqc(word, "\xc2\xaa"))
		n->is_ordinal = true;
	else if ((v = ag_fig_value(r->words, AG_FIG_W_SCALE, word)) >= 0)
		n->exp = v;
	else if (ag_str_eqc(word, "x"))
		n->is_times = true;
	else if ((v = ag_fig_value(r->words, AG_FIG_W_UNIT, word)) >= 0)
		n->unit = v;
	else if ((v = ag_fig_value(r->words, AG_FIG_W_MONEY, word)) >= 0)
		n->currency = v;
	else if (ag_fig_value(r->words, AG_FIG_W_POINTS, word) >= 0)
		n->is_points = true;
	else
		return SIZE_MAX;
	if (n->exp && ag_str_starts(ag_str_make(r->text.ptr + end, r->text.len - end),
	                            AG_S("\xe2\x82\xac"))) {
		n->currency = 1;
		end += 3;
	}
	return end - i;
}

/* The sign, bracket, currency or # directly before the digits; moves *at to the left. */
static void fig_prefix(const fig_reader *r, ag_fig_number *n, size_t floor)
{
	static const struct {
		const char *sign;
		int currency;
	} money[] = { { "$", 0 },
		      { "\xe2\x82\xac", 1 },
		      { "\xc2\xa3", 2 },
		      { "\xc2\xa5", 3 },
		      { "\xe2\x82\xb9", 5 } };
	static const char *const minus[] = { "-", "\xe2\x88\x92", "+" };
	const ag_str text = ag_str_make(r->text.ptr + floor, n->at - floor);
	ag_str before = text;

	if (ag_str_ends(before, AG_S(" ")) && before.len > 1) /* "$ 5", "€ 5" */
		before.len--;
	for (size_t i = 0; i < sizeof(money) / sizeof(money[0]); i++) {
		if (ag_str_ends(before, ag_str_c(money[i].sign))) {
			n->currency = money[i].currency;
			before.len -= strlen(money[i].sign);
			n->len += n->at - (floor + before.len);
			n->at = floor + before.len;
			break;
		}
	}
	before = ag_str_make(r->text.ptr + floor, n->at - floor);
	for (size_t i = 0; i < 3; i++) {
		const size_t len = strlen(minus[i]);
		const char b = before.len > len ? before.ptr[before.len - len - 1] : ' ';

		if (!ag_str_ends(before, ag_str_c(minus[i])))
			continue;
		if (fig_is_digit(b) || (b != ' ' && b != '(' && b != '|' && b != '*' && b != ':' &&
		                        b != '\t' && b != '"' && b != '~' && b != '\n'))
			break;
		n->sign = i < 2 ? -1 : 1;
		n->at -= len;
		n->len += len;
		break;
	}
	n->is_prefixed = n->at > floor && r->text.ptr[n->at - 1] == '#';
	n->in_parens = n->at > floor && r->text.ptr[n->at - 1] == '(' &&
	               fig_at(r, n->at + n->len) == ')';
}

/* Is the last word "the"? */
static bool fig_is_the(const fig_reader *r)
{
	const ag_fig_token *t = &r->doc->tokens[r->doc->ntoken - 1];

	return t->len == 3 && ag_str_ieq(ag_str_make(r->text.ptr + t->at, 3), AG_S("the"));
}

/* Bytes of a blank and a percent sign at i; 0 = none. */
static size_t fig_percent_after(const fig_reader *r, size_t i)
{
	static const char *const signs[] = { " %", "\xc2\xa0%", "\xe2\x80\xaf%" };
	const ag_str rest = ag_str_make(r->text.ptr + (i < r->text.len ? i : r->text.len),
	                                i < r->text.len ? r->text.len - i : 0);

	for (size_t k = 0; k < AG_NELEM(signs); k++) {
		if (ag_str_starts(rest, ag_str_c(signs[k])))
			return strlen(signs[k]);
	}
	return 0;
}

/* Digits at i: a date, a time, a number, or an identifier. Returns the bytes that it took. */
static size_t fig_digits_read(fig_reader *r, size_t i, size_t floor)
{
	const ag_str rest = ag_str_make(r->text.ptr + i, r->text.len - i);
	ag_fig_number n = { .at = i, .sign = 1, .currency = -1, .why = "" }, *to;
	size_t len, suffix, next;
	bool is_number;
	int y, m, d;

	if (ag_fig_date(rest, &y, &m, &d, &len)) {
		to = fig_number_add(r, i, len);
		if (to) {
			to->is_date = true;
			to->y = y;
			to->m = m;
			to->d = d;
		}
		return len;
	}
	is_number = ag_fig_digits(r->text, i, r->doc->lang, r->doc->point, &n, &len);
	n.len = len;
	suffix = fig_suffix(r, i + len, &n);
	/* 12:30, 10.0.0.1, 4xx, 12-34-56: one name, to its end. */
	if (suffix == SIZE_MAX || !is_number ||
	    (fig_at(r, i + len) == ':' && fig_is_digit(fig_at(r, i + len + 1))) ||
	    (fig_at(r, i + len) == '-' && fig_is_digit(fig_at(r, i + len + 1)) &&
	     fig_at(r, i + len + 1 + fig_digits(r, i + len + 1)) == '-')) {
		while (i + len < r->text.len &&
		       (fig_is_digit(fig_at(r, i + len)) || fig_at(r, i + len) == '_' ||
		        fig_letter(r, i + len, &next) ||
		        ((fig_at(r, i + len) == ':' || fig_at(r, i + len) == '-' ||
		          fig_at(r, i + len) == '.') &&
		         fig_is_digit(fig_at(r, i + len + 1)))))
			len = fig_letter(r, i + len, &next) ? next - i : len + 1;
		fig_token_add(r, AG_FIG_IDENT, i, len);
		return len;
	}
	n.len = len + suffix;
	if (fig_percent_after(r, i + n.len) > 0) { /* "12 %" */
		n.is_percent = true;
		n.len += fig_percent_after(r, i + n.len);
	}
	if (r->doc->nnumber) { /* "12€0": the sign is the first number's */
		const ag_fig_number *before = &r->doc->numbers[r->doc->nnumber - 1];

		floor = before->at + before->len > floor ? before->at + before->len : floor;
	}
	fig_prefix(r, &n, floor);
	/* "is 6th." says a rank, as words do; "the 5th" may be a day. */
	n.is_word = n.is_ordinal && r->doc->ntoken > r->unit &&
	            (i + n.len >= r->text.len || strchr(".,;)\n", fig_at(r, i + n.len))) &&
	            !fig_is_the(r);
	to = fig_number_add(r, n.at, n.len);
	if (to) {
		n.token = to->token;
		n.ntoken = 1;
		n.is_code = r->is_code;
		*to = n;
	}
	return n.at + n.len - i;
}

/* --- words --- */

static ag_str fig_folded(const fig_reader *r, size_t from, size_t end)
{
	return end - from > 24 ? AG_S("")
	                       : ag_fig_fold(ag_str_make(r->text.ptr + from, end - from), r->arena);
}

/* "three", "twenty-one" in a text of that language. */
static bool fig_number_word(fig_reader *r, size_t i, size_t *end)
{
	const ag_str word = fig_folded(r, i, *end);
	int v = ag_fig_value(r->words, AG_FIG_W_NUMBER, word);
	const unsigned lang = r->doc->lang ? r->doc->lang : (unsigned)AG_FIG_EN;
	ag_fig_number *n;

	if (v < 0 || !(ag_fig_cues(r->words, word) & lang))
		return false;
	if (v >= 20 && fig_at(r, *end) == '-') {
		size_t to = *end + 1, next;
		ag_str one;
		int digit;

		while (fig_letter(r, to, &next))
			to = next;
		one = fig_folded(r, *end + 1, to);
		digit = ag_str_eqc(one, "one") ? 1 : ag_fig_value(r->words, AG_FIG_W_NUMBER, one);
		if (digit > 0 && digit < 10) {
			v += digit;
			*end = to;
		}
	}
	n = fig_number_add(r, i, *end - i);
	if (n) {
		n->is_word = true;
		n->is_code = r->is_code;
		n->read[n->nread++].v = ag_dec128_from_i64(v);
	}
	return true;
}

/* "twice as", "a third of", "ranks third". */
static bool fig_phrase_read(fig_reader *r, size_t i, size_t *end)
{
	ag_dec128 v;
	ag_fig_number *n;
	size_t len = *end - i;
	const bool is_ratio = ag_fig_ratio_at(r->text, i, r->words, r->arena, &len, &v);
	const int rank = is_ratio ? 0
	                          : ag_fig_rank_at(r->text, i, r->doc->ntoken == r->unit, r->words,
	                                           r->arena);

	if (!is_ratio && !rank)
		return false;
	*end = i + len;
	n = fig_number_add(r, i, len);
	if (n) {
		n->is_word = true;
		n->is_code = r->is_code;
		n->is_ratio = n->is_times = is_ratio;
		n->is_ordinal = !is_ratio;
		n->read[n->nread++].v = is_ratio ? v : ag_dec128_from_i64(rank);
	}
	return true;
}

static size_t fig_word_read(fig_reader *r, size_t i)
{
	size_t end = i, next = i;
	bool has_digit = false, is_upper;
	ag_fig_token *t;
	uint32_t cp = fig_letter(r, i, &next);

	is_upper = (cp >= 'A' && cp <= 'Z') || (cp >= 0xC0 && cp <= 0xDE) ||
	           (cp >= 0x391 && cp <= 0x3A9) || (cp >= 0x410 && cp <= 0x42F);
	while (end < r->text.len) {
		const char c = fig_at(r, end);

		if (fig_is_digit(c)) {
			has_digit = true;
			end++;
		} else if (fig_letter(r, end, &next)) {
			end = next;
		} else if (c == '_' &&
		           (fig_letter(r, end + 1, &next) || fig_is_digit(fig_at(r, end + 1)))) {
			end++;
		} else if ((c == '-' || c == '.') && has_digit &&
		           fig_is_digit(fig_at(r, end + 1))) {
			end++; /* Q1-2026, v1.2 */
		} else if (c == '-' && end - i <= 5 && is_upper &&
		           fig_is_digit(fig_at(r, end + 1))) {
			end++; /* SKU-12 */
		} else {
			break;
		}
	}
	/* EUR120: a currency, then a number. */
	if (has_digit && end - i > 3) {
		const ag_str code = ag_fig_fold(ag_str_make(r->text.ptr + i, 3), r->arena);

		if (ag_fig_value(r->words, AG_FIG_W_MONEY, code) >= 0 &&
		    fig_is_digit(fig_at(r, i + 3)))
			end = i + 3, has_digit = false;
	}
	if (!has_digit && (fig_phrase_read(r, i, &end) || fig_number_word(r, i, &end)))
		return end - i;
	t = fig_token_add(r, has_digit ? AG_FIG_IDENT : AG_FIG_WORD, i,
	                  end - i > MAX_WORD ? MAX_WORD : end - i);
	t->is_upper = is_upper;
	return end - i;
}

/* A word's forms and cues; of an identifier with letters too, so that it can name a row. */
static void fig_words_finish(fig_reader *r)
{
	for (size_t i = 0; i < r->doc->ntoken; i++) {
		ag_fig_token *t = &r->doc->tokens[i];

		if (t->kind != AG_FIG_WORD && t->kind != AG_FIG_IDENT && t->kind != AG_FIG_NUMBER)
			continue;
		t->fold = ag_fig_fold(ag_str_make(r->text.ptr + t->at, t->len), r->arena);
		t->stem = t->kind == AG_FIG_WORD ? ag_fig_stem(t->fold) : t->fold;
		if (t->kind == AG_FIG_WORD)
			t->cues = ag_fig_cues(r->words, t->fold);
	}
	for (size_t i = 0; i < r->doc->nnumber; i++) {
		const uint32_t at = r->doc->numbers[i].token;

		/* "North (12)" is an aside. */
		if (r->doc->numbers[i].in_parens && at > 1 && r->doc->tokens[at - 1].punct == '(')
			r->doc->numbers[i].is_bracketed =
				r->doc->tokens[at - 2].punct == ':' ||
				(r->doc->tokens[at - 2].punct == ',' && at > 2 &&
			         (r->doc->tokens[at - 3].number >= 0 ||
			          r->doc->tokens[at - 3].punct == ')')) ||
				r->doc->tokens[at - 2].kind == AG_FIG_NEXT_CELL ||
				(r->doc->tokens[at - 2].cues & (AG_FIG_STOP | AG_FIG_BREAK));
		if (r->doc->numbers[i].is_marker || r->doc->numbers[i].is_date ||
		    r->doc->numbers[i].is_ratio)
			continue;
		ag_fig_units_read(r->text, r->words, r->doc, &r->doc->numbers[i]);
		/* "5,185k": three digits before a scale are no fraction of it. */
		if (r->doc->numbers[i].nread == 2 && r->doc->numbers[i].exp)
			r->doc->numbers[i].nread = 1;
	}
}

/* --- a line of text --- */

static bool fig_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Does a name with digits begin there: db-01? */
static bool fig_is_ident_at(const fig_reader *r, size_t i)
{
	while (i < r->text.len && !fig_is_space(fig_at(r, i))) {
		if (fig_is_digit(fig_at(r, i++)))
			return true;
	}
	return false;
}

/* Does a sentence end at the mark at i? */
static bool fig_sentence_ends(const fig_reader *r, size_t i)
{
	static const char *const abbreviations[] = { "approx", "ca",  "vs",   "mio",  "mrd", "tsd",
		                                     "nr",     "no",  "incl", "excl", "etc", "resp",
		                                     "bzw",    "inc", "ltd",  "co",   "st",  "dr",
		                                     "mr",     "mrs", "env" };
	const ag_fig_doc *d = r->doc;
	size_t next = i + 1;
	char after;

	while (fig_at(r, next) == '*' || fig_at(r, next) == '_' || fig_at(r, next) == ')' ||
	       fig_at(r, next) == '"')
		next++;
	if (next < r->text.len && !fig_is_space(fig_at(r, next)))
		return false;
	if (fig_at(r, i) != '.' || d->ntoken == r->unit)
		return true;
	while (fig_is_space(fig_at(r, next)))
		next++;
	after = fig_at(r, next);
	if (after >= 'a' && after <= 'z' && !fig_is_ident_at(r, next))
		return false;
	if (d->tokens[d->ntoken - 1].kind == AG_FIG_WORD) {
		const ag_fig_token *t = &d->tokens[d->ntoken - 1];
		const ag_str fold = ag_fig_fold(ag_str_make(r->text.ptr + t->at, t->len), r->arena);

		if (t->at + t->len != i)
			return true;
		for (size_t k = 0; k < sizeof(abbreviations) / sizeof(abbreviations[0]); k++) {
			if (ag_str_eqc(fold, abbreviations[k]) && after)
				return false;
		}
		return fold.len > 1 || !after || (d->ntoken > 1 && t[-1].kind == AG_FIG_NUMBER);
	}
	/* "5. Mai": a day. */
	if (d->tokens[d->ntoken - 1].kind == AG_FIG_NUMBER && (d->lang & AG_FIG_DE)) {
		size_t end = next, to = next;

		while (fig_letter(r, end, &to))
			end = to;
		return ag_fig_value(r->words, AG_FIG_W_MONTH,
		                    ag_fig_fold(ag_str_make(r->text.ptr + next, end - next),
		                                r->arena)) < 0;
	}
	return true;
}

/* An address: to its end. */
static size_t fig_address(const fig_reader *r, size_t i)
{
	const ag_str rest = ag_str_make(r->text.ptr + i, r->text.len - i);
	size_t n = 0;

	if (!ag_str_starts(rest, AG_S("http://")) && !ag_str_starts(rest, AG_S("https://")) &&
	    !ag_str_starts(rest, AG_S("www.")))
		return 0;
	while (n < rest.len && !fig_is_space(rest.ptr[n]) && rest.ptr[n] != ')' &&
	       rest.ptr[n] != '>' && rest.ptr[n] != '|')
		n++;
	return n;
}

static void fig_mark_add(fig_reader *r, size_t at, size_t len, char c)
{
	fig_token_add(r, AG_FIG_PUNCT, at, len)->punct = c;
}

/* A byte that is no letter and no digit. Returns how many bytes it took. */
static size_t fig_mark_read(fig_reader *r, size_t i, size_t end, bool is_row)
{
	const char c = fig_at(r, i);
	const ag_str rest = ag_str_make(r->text.ptr + i, end - i);

	if (c == '`') {
		r->is_code = !r->is_code;
		return 1;
	}
	if (c == '|' && is_row) {
		fig_token_add(r, AG_FIG_NEXT_CELL, i, 1);
		return 1;
	}
	if (c == ']' && fig_at(r, i + 1) == '(') { /* the address of a link */
		size_t n = 2;

		while (i + n < end && fig_at(r, i + n) != ')')
			n++;
		return n + (i + n < end);
	}
	if (c == '.' || c == '!' || c == '?') {
		if (!is_row && !r->is_code && fig_sentence_ends(r, i)) {
			fig_unit_end(r);
		}
		return 1;
	}
	if (c == ';' && !is_row && !r->is_code) {
		fig_unit_end(r);
		return 1;
	}
	if (c == '/' && i && !fig_is_space(fig_at(r, i - 1)))
		return 1;
	if (strchr(",;:()/", c) && c) {
		fig_mark_add(r, i, 1, c);
		return 1;
	}
	if (c == '-' && (fig_is_space(fig_at(r, i + 1)) ||
	                 (i && fig_is_digit(fig_at(r, i + 1)) &&
	                  (fig_is_digit(fig_at(r, i - 1)) || fig_at(r, i - 1) == '%')))) {
		fig_mark_add(r, i, 1, '-');
		return 1;
	}
	if (ag_str_starts(rest, AG_S("\xe2\x80\x93")) ||
	    ag_str_starts(rest, AG_S("\xe2\x80\x94"))) {
		fig_mark_add(r, i, 3, '-');
		return 3;
	}
	if (ag_str_starts(rest, AG_S("\xe2\x86\x92"))) { /* an arrow: from, to */
		fig_mark_add(r, i, 3, '>');
		return 3;
	}
	if (ag_str_starts(rest, AG_S("\xe2\x89\x88")) || c == '~') { /* about */
		fig_token_add(r, AG_FIG_PUNCT, i, c == '~' ? 1 : 3)->cues = AG_FIG_ABOUT;
		return c == '~' ? 1 : 3;
	}
	return 1;
}

static void fig_inline(fig_reader *r, size_t i, size_t end, bool is_row)
{
	const size_t floor = i;
	size_t next;

	while (i < end) {
		const size_t address = fig_address(r, i);

		if (address)
			i += address;
		else if (fig_is_digit(fig_at(r, i)))
			i += fig_digits_read(r, i, floor);
		else if (fig_letter(r, i, &next))
			i += fig_word_read(r, i);
		else if ((unsigned char)fig_at(r, i) < 0x80)
			i += fig_mark_read(r, i, end, is_row);
		else
			i += fig_mark_read(r, i, end, is_row) > 1 ? 3 : next - i;
	}
}

/* --- blocks --- */

/* Bytes of "- ", "* ", "1. ", "2) " at the front of a line, 0 = none; *ret_number: bytes of its digits. */
static size_t fig_list_marker(ag_str line, size_t *ret_number)
{
	size_t n = 0;

	*ret_number = 0;
	if (line.len > 1 && strchr("-*+", line.ptr[0]) && line.ptr[1] == ' ')
		return 2;
	if (ag_str_starts(line, AG_S("\xe2\x80\xa2 ")))
		return 4;
	while (n < line.len && n < 4 && fig_is_digit(line.ptr[n]))
		n++;
	if (n && n + 1 < line.len && (line.ptr[n] == '.' || line.ptr[n] == ')') &&
	    line.ptr[n + 1] == ' ') {
		*ret_number = n;
		return n + 2;
	}
	return 0;
}

/* |---|:--:| between the header and the rows of a table. */
static bool fig_is_delimiter(ag_str line)
{
	bool has_dash = false;

	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("-|: \t", line.ptr[i]) || !line.ptr[i])
			return false;
		has_dash = has_dash || line.ptr[i] == '-';
	}
	return has_dash && ag_str_find(line, '|') >= 0;
}

typedef struct fig_blocks {
	bool in_fence, in_table;
	uint32_t header, nrow;
} fig_blocks;

static void fig_table_line(fig_reader *r, fig_blocks *b, size_t at, size_t end, bool is_header)
{
	ag_fig_unit *u;

	fig_unit_end(r);
	r->block = is_header ? AG_FIG_HEADER : AG_FIG_ROW;
	r->after_break = is_header;
	fig_inline(r, at, end, true);
	if (r->doc->ntoken == r->unit)
		return;
	fig_unit_end(r);
	u = &r->doc->units[r->doc->nunit - 1];
	if (is_header) {
		b->header = (uint32_t)(r->doc->nunit - 1);
		b->nrow = 0;
	} else {
		u->header = b->header;
		u->row = b->nrow++;
	}
}

/* One line, by its first bytes. `next` is the line after it. */
static void fig_line(fig_reader *r, fig_blocks *b, size_t at, size_t end, ag_str next)
{
	ag_str line;
	size_t marker, number;

	while (at < end && (fig_is_space(fig_at(r, at)) || fig_at(r, at) == '>'))
		at++;
	line = ag_str_make(r->text.ptr + at, end - at);
	if (ag_str_starts(line, AG_S("```")) || ag_str_starts(line, AG_S("~~~"))) {
		fig_unit_end(r);
		b->in_fence = !b->in_fence;
		return;
	}
	if (b->in_fence)
		return;
	r->is_code = r->is_code && line.len;
	if (!line.len || (!b->in_table && fig_is_delimiter(line))) {
		fig_unit_end(r);
		r->after_break = true;
		b->in_table = false;
		r->block = AG_FIG_PROSE;
		return;
	}
	if (!b->in_table && ag_str_find(line, '|') >= 0 && fig_is_delimiter(ag_str_trim(next))) {
		fig_table_line(r, b, at, end, true);
		b->in_table = true;
		return;
	}
	if (b->in_table && ag_str_find(line, '|') >= 0) {
		if (!fig_is_delimiter(line))
			fig_table_line(r, b, at, end, false);
		return;
	}
	b->in_table = false;
	if (line.ptr[0] == '#') {
		fig_unit_end(r);
		r->block = AG_FIG_HEADING;
		r->after_break = true;
		fig_inline(r, at, end, false);
		fig_unit_end(r);
		r->block = AG_FIG_PROSE;
		r->after_break = true;
		return;
	}
	marker = fig_list_marker(line, &number);
	if (marker) {
		fig_unit_end(r);
		r->block = AG_FIG_ITEM;
		r->after_break = true;
		if (number) {
			ag_fig_number *n = fig_number_add(r, at, number);

			if (n) {
				n->is_marker = n->is_taken = true;
				n->why = "list marker";
			}
			fig_mark_add(r, at + number, 1, ';');
		}
		at += marker;
	}
	fig_inline(r, at, end, false);
}

void ag_fig_read(ag_str prose, const ag_fig_words *w, size_t max_numbers, unsigned lang,
                 ag_arena *arena, ag_fig_doc *ret)
{
	fig_reader r = { .doc = ret,
		         .words = w,
		         .arena = arena,
		         .text = prose,
		         .max_numbers = max_numbers,
		         .after_break = true };
	fig_blocks b = { 0 };
	size_t at = 0;

	*ret = (ag_fig_doc){ .lang = ag_fig_language(prose, w, arena) };
	ret->lang = !ret->lang || (ret->lang & lang) ? (lang ? lang : ret->lang) : ret->lang;
	ret->point = ag_fig_point(prose);
	while (at < prose.len && !ret->is_full) {
		const ag_str rest = ag_str_make(prose.ptr + at, prose.len - at);
		const ptrdiff_t lf = ag_str_find(rest, '\n');
		const size_t end = lf < 0 ? prose.len : at + (size_t)lf;
		ag_str next = ag_str_make(prose.ptr + (end < prose.len ? end + 1 : end),
		                          prose.len - (end < prose.len ? end + 1 : end));
		const ptrdiff_t next_lf = ag_str_find(next, '\n');

		if (next_lf >= 0)
			next.len = (size_t)next_lf;
		fig_line(&r, &b, at, end, next);
		at = end + 1;
	}
	fig_unit_end(&r);
	fig_words_finish(&r);
}

void ag_fig_read_line(ag_str text, const ag_fig_words *w, ag_arena *arena, ag_fig_doc *ret)
{
	fig_reader r = {
		.doc = ret, .words = w, .arena = arena, .text = text, .max_numbers = 1000
	};

	*ret = (ag_fig_doc){ .lang = AG_FIG_EN };
	fig_inline(&r, 0, text.len, true);
	fig_unit_end(&r);
	fig_words_finish(&r);
}
