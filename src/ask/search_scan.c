/* search_scan -- the lines of one text that have what is looked for.
 *
 * One pass over the small letters of a text for all words together: two bytes are looked up in a table of the pairs that a
 * word may begin with, and only there words are compared. Lines are counted where something was found, not everywhere.
 * Of a text with many such lines the best are kept. */
#include "ask/outline.h"
#include "ask/search_parts.h"

#define CHECK_LINES 16

#define MIN_INSIDE \
	4 /* bytes of a word that count in the middle of another: "port" in "report", not "api" in "capital" */

/* --- kept lines ---------------------------------------------------------------------------------- */

static double guess(const ag_search_line *l)
{
	double s = l->is_heading + 0.5 * l->is_definition;

	for (uint64_t has = l->has; has; has >>= 2)
		s += (double)(has & 3);
	return s;
}

static void keep(ag_search_lines *out, ag_search_line l)
{
	size_t worst = 0;

	out->nline++;
	for (size_t i = 0; i < AG_SEARCH_MAX_NEEDLES; i++)
		out->has = ag_has_with(out->has, i, ag_has_get(l.has, i));
	if (!out->max)
		return;
	l.score = guess(&l);
	if (out->n < out->max) {
		out->worst = !out->n || l.score < out->worst ? l.score : out->worst;
		out->items[out->n++] = l;
		return;
	}
	if (l.score <= out->worst)
		return;
	/* The last of the worst goes, and a new worst is found. */
	for (size_t i = 0; i < out->n; i++) {
		if (out->items[i].score <= out->items[worst].score)
			worst = i;
	}
	memmove(out->items + worst, out->items + worst + 1,
	        (out->n - worst - 1) * sizeof(*out->items));
	out->items[out->n - 1] = l;
	out->worst = out->items[0].score;
	for (size_t i = 1; i < out->n; i++) {
		if (out->items[i].score < out->worst)
			out->worst = out->items[i].score;
	}
}

/* --- what a line is ------------------------------------------------------------------------------ */

static bool is_definition(ag_str line)
{
	static const char *const begins[] = {
		"def ",    "async def ", "class ", "function ", "func ",   "fn ",      "pub fn ",
		"struct ", "enum ",      "trait ", "impl ",     "type ",   "typedef ", "interface ",
		"export ", "module ",    "const ", "#define ",  "CREATE ", "create ",
	};
	ag_str t = ag_str_trim(line);

	for (size_t i = 0; i < AG_NELEM(begins); i++) {
		if (ag_str_starts(t, ag_str_c(begins[i])))
			return true;
	}
	/* A function of C and its kin: at the left edge, with parentheses, and no end of a statement. */
	return line.len && line.ptr[0] != ' ' && line.ptr[0] != '\t' && line.ptr[0] != '#' &&
	       line.ptr[0] != '/' && line.ptr[0] != '*' && ag_str_find(line, '(') > 0 &&
	       !ag_str_ends(t, AG_S(";")) && !ag_str_ends(t, AG_S("."));
}

static bool is_heading(ag_str line)
{
	ag_str t = ag_str_trim(line);
	size_t n = 0;

	while (n < t.len && t.ptr[n] == '#')
		n++;
	return n && n <= 6 && n < t.len && t.ptr[n] == ' ';
}

/* --- words --------------------------------------------------------------------------------------- */

static bool is_letter_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
}

/* Does a word begin here? Also behind "_" and where small letters turn into capitals. */
static bool begins_word(ag_str text, ag_str low, size_t at)
{
	unsigned char before;

	if (!at)
		return true;
	before = (unsigned char)low.ptr[at - 1];
	if (!is_letter_byte(before))
		return true;
	return (unsigned char)text.ptr[at] < 0x80 && text.ptr[at] != low.ptr[at] &&
	       text.ptr[at - 1] == low.ptr[at - 1];
}

/* Does it stand alone, no part of a name? */
static bool is_alone(ag_str low, size_t at, size_t len)
{
	unsigned char before = at ? (unsigned char)low.ptr[at - 1] : ' ';
	unsigned char behind = at + len < low.len ? (unsigned char)low.ptr[at + len] : ' ';

	return !is_letter_byte(before) && before != '_' && !is_letter_byte(behind) && behind != '_';
}

static bool is_at(ag_str low, size_t at, const char *word, size_t len)
{
	return len <= low.len - at && memcmp(low.ptr + at, word, len) == 0;
}

static ag_has look(const ag_needle *n, ag_str text, ag_str low, size_t at)
{
	bool is_sign = !is_letter_byte((unsigned char)n->word.ptr[0]);
	bool begins;

	if (!is_at(low, at, n->word.ptr, n->nstem))
		return AG_HAS_NOT;
	if (n->is_phrase || is_sign)
		return is_at(low, at, n->word.ptr, n->word.len) ? AG_HAS_WORD : AG_HAS_NOT;
	if (is_at(low, at, n->word.ptr, n->word.len) && is_alone(low, at, n->word.len))
		return AG_HAS_WORD;
	if (n->word.len < 2)
		return AG_HAS_NOT;
	begins = begins_word(text, low, at);
	if (begins)
		return AG_HAS_BEGIN;
	/* In the middle: scripts without blanks have their words there. */
	return n->nstem >= MIN_INSIDE ? AG_HAS_INSIDE : AG_HAS_NOT;
}

/* The needles at one place; adds to has. */
static uint64_t look_all(const ag_search_plan *p, ag_str text, ag_str low, size_t at, uint64_t has)
{
	for (size_t i = 0; i < p->nneedle; i++)
		has = ag_has_with(has, i, look(&p->needles[i], text, low, at));
	return has;
}

static bool may_begin(const ag_search_plan *p, ag_str low, size_t at)
{
	unsigned pair = (unsigned)(unsigned char)low.ptr[at] << 8 |
	                (at + 1 < low.len ? (unsigned char)low.ptr[at + 1] : 0);

	return p->pairs[pair >> 3] >> (pair & 7) & 1;
}

uint64_t ag_search_scan_path(const ag_search_plan *p, ag_str path, ag_str low)
{
	uint64_t has = 0;

	for (size_t i = 0; !p->re && i < low.len; i++) {
		if (may_begin(p, low, i))
			has = look_all(p, path, low, i, has);
	}
	return has;
}

/* Where the lines are: the current one, and its number. */
typedef struct lines {
	ag_str text;
	size_t begin, end;
	uint32_t number;
	bool is_markdown;
} lines;

static void to_line_of(lines *l, size_t at)
{
	while (at > l->end) {
		const char *nl;

		l->begin = l->end + 1;
		nl = memchr(l->text.ptr + l->begin, '\n', l->text.len - l->begin);
		l->end = nl ? (size_t)(nl - l->text.ptr) : l->text.len;
		l->number++;
	}
}

static lines lines_of(ag_str path, ag_str text)
{
	const char *nl = text.len ? memchr(text.ptr, '\n', text.len) : NULL;

	return (lines){ .text = text,
		        .end = nl ? (size_t)(nl - text.ptr) : text.len,
		        .number = 1,
		        .is_markdown = ag_outline_is_markdown(path) };
}

static ag_search_line line_of(const lines *l, uint64_t has, size_t at)
{
	ag_str line = ag_str_make(l->text.ptr + l->begin, l->end - l->begin);

	return (ag_search_line){
		.line = l->number,
		.begin = (uint32_t)l->begin,
		.len = (uint32_t)line.len,
		.at = (uint32_t)(at - l->begin),
		.has = has,
		.is_heading = l->is_markdown && is_heading(line),
		.is_definition = !l->is_markdown && is_definition(line),
	};
}

static void scan_words(const ag_search_plan *p, ag_str path, ag_str text, ag_str low,
                       ag_search_lines *out)
{
	lines l = lines_of(path, text);
	uint64_t has = 0;
	size_t first = 0;

	for (size_t i = 0; i < low.len; i++) {
		uint64_t here;

		if (!may_begin(p, low, i))
			continue;
		here = look_all(p, text, low, i, 0);
		if (!here)
			continue;
		if (i > l.end) {
			if (has)
				keep(out, line_of(&l, has, first));
			to_line_of(&l, i);
			has = 0;
		}
		if (!has)
			first = i;
		has = look_all(p, text, low, i, has);
	}
	if (has)
		keep(out, line_of(&l, has, first));
}

/* --- a pattern ----------------------------------------------------------------------------------- */

/* A pattern that is made to be slow takes milliseconds for each line, so the clock is looked at within a text. */
static void scan_pattern(const ag_search_plan *p, ag_str path, ag_str text, ag_search_lines *out)
{
	lines l = lines_of(path, text);

	while (l.begin < text.len) {
		ag_str line = ag_str_make(text.ptr + l.begin, l.end - l.begin);

		if (out->ctx && l.number % CHECK_LINES == 0 && ag_ctx_check(out->ctx, NULL)) {
			out->is_cut = true;
			return;
		}

		if (line.len && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (ag_regex_match(p->re, line))
			keep(out, line_of(&l, 0, l.begin));
		if (l.end >= text.len)
			break;
		to_line_of(&l, l.end + 1);
	}
}

void ag_search_scan(const ag_search_plan *p, ag_str path, ag_str text, ag_str low,
                    ag_search_lines *out)
{
	if (p->re)
		scan_pattern(p, path, text, out);
	else
		scan_words(p, path, text, low, out);
}
