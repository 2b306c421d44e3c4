/* cite_mention -- what a text names: files, with anchor or lines, and calls of the API.
 *
 * Nothing is known here of the files that there are, so everything that could be a path is given, as it stands, and cite.c
 * decides by looking. A path is a run of the bytes that names are made of, dots and letters beyond ASCII included; what a
 * sentence adds (a full stop, emphasis, brackets) is taken off. Behind "#" comes an anchor: inside of backticks, quotes and
 * links all up to their end, for models write anchors that are none; elsewhere as far as an anchor's letters go.
 *
 * Invariant: mentions do not overlap and lie in order, so that a text can be written anew around them. The work is linear in
 * the text. Read: ag_cite_mentions(), then path_at(), anchor_at(); calls of the API are in cite_route.c. */
#include "ask/cite_parts.h"

#include "base/utf8.h"

#define MAX_ANCHOR 300

static bool is_alpha(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

/* Length of a letter beyond ASCII at i; 0 = punctuation, a blank, a bad byte. */
static size_t wide_letter(ag_str s, size_t i)
{
	size_t at = i;
	uint32_t cp = ag_utf8_next(s, &i);

	if (cp < 0x80 || cp == 0xFFFD || cp == 0xA0 || cp == 0xAB || cp == 0xB7 || cp == 0xBB ||
	    (cp >= 0x2000 && cp <= 0x206F) || (cp >= 0x2190 && cp <= 0x23FF) ||
	    (cp >= 0x3000 && cp <= 0x303F) || (cp >= 0xFF00 && cp <= 0xFF0F) ||
	    (cp >= 0xFF1A && cp <= 0xFF20))
		return 0;
	return i - at;
}

size_t ag_cite_name_char(ag_str s, size_t i, const char *more)
{
	char c = s.ptr[i];

	if (is_alpha(c) || is_digit(c) || is_one_of(c, more))
		return 1;
	return (c & 0x80) ? wide_letter(s, i) : 0;
}

#define PATH_CHARS   "_-./+@~%"
#define ANCHOR_CHARS "_-.%~+'"

static size_t run_of(ag_str s, size_t i, const char *more)
{
	size_t n;

	while (i < s.len && (n = ag_cite_name_char(s, i, more)) > 0)
		i += n;
	return i;
}

bool ag_cite_is_odd(ag_str path)
{
	return run_of(path, 0, PATH_CHARS) < path.len;
}

/* --- lines --- */

/* Digits at i, at most 7 of them; moves i behind. */
static bool take_number(ag_str s, size_t *i, unsigned *ret)
{
	size_t at = *i;
	unsigned n = 0;

	while (at < s.len && is_digit(s.ptr[at]) && at - *i < 8)
		n = n * 10 + (unsigned)(s.ptr[at++] - '0');
	if (at == *i || at - *i > 7)
		return false;
	*i = at;
	*ret = n;
	return true;
}

/* "12", "12-20", "L12-L20", "12:5" (a column) at i. */
static bool take_lines(ag_str s, size_t *i, ag_mention *m)
{
	size_t at = *i;
	unsigned first, last;

	at += at < s.len && s.ptr[at] == 'L';
	if (!take_number(s, &at, &first) || !first)
		return false;
	last = first;
	*i = at;
	if (at < s.len && (s.ptr[at] == '-' || s.ptr[at] == ':')) {
		bool column = s.ptr[at] == ':';
		unsigned second;

		at++;
		at += at < s.len && s.ptr[at] == 'L';
		if (take_number(s, &at, &second)) {
			*i = at;
			last = !column && second > first ? second : first;
		}
	}
	m->line = first;
	m->last_line = last;
	return true;
}

/* "`main.py`, line 12", "main.py (lines 12-20)": the lines are no part of the mention. */
static void lines_behind(ag_str s, size_t i, ag_mention *m)
{
	size_t n = 0;

	while (i < s.len && n < 5 && is_one_of(s.ptr[i], " `*\"',(")) {
		i++;
		n++;
	}
	if (s.len - i > 5 && !memcmp(s.ptr + i, "line", 4)) {
		i += 4;
		i += s.ptr[i] == 's';
		if (i < s.len && s.ptr[i] == ' ') {
			i++;
			AG_IGNORE(take_lines(s, &i, m), "then there are none");
		}
	}
}

/* --- anchors --- */

/* The byte that ends what the path at i stands in; 0 = nothing does. */
static char closer_of(ag_str s, size_t i)
{
	if (!i)
		return 0;
	switch (s.ptr[i - 1]) {
	case '`': return i > 1 && s.ptr[i - 2] == '`' ? 0 : '`'; /* not the word behind a fence */
	case '<': return '>';
	case '"': return '"';
	case '\'': return '\'';
	case '(': return i > 1 && s.ptr[i - 2] == ']' ? ')' : 0;
	default: return 0;
	}
}

/* Where the anchor that begins at i ends. */
static size_t anchor_end(ag_str s, size_t i, char closer)
{
	bool blanks = closer == '`' || closer == '>';
	int depth = 0;

	for (size_t k = i; closer && k < s.len && k - i <= MAX_ANCHOR; k++) {
		char c = s.ptr[k];

		if (c == '\n' || c == '\r' || (!blanks && (c == ' ' || c == '\t')))
			break;
		if (c == closer && !depth)
			return k;
		if (closer == ')')
			depth += (c == '(') - (c == ')');
	}
	i = run_of(s, i, ANCHOR_CHARS);
	while (i && is_one_of(s.ptr[i - 1], ".'~"))
		i--;
	return i;
}

/* "#" stands at i. Returns where the mention ends. */
static size_t anchor_at(ag_str s, size_t i, char closer, bool is_slanted, ag_mention *m)
{
	size_t begin = i + 1, end = anchor_end(s, begin, closer), at = begin;

	if (end < begin)
		end = begin;
	if (is_slanted && end > begin && s.ptr[end - 1] == '_')
		end--;
	/* "a.md#b#c": all of it goes, or what is left would be an anchor again. */
	while (end < s.len && s.ptr[end] == '#')
		end = anchor_end(s, end + 1, 0);
	m->anchor = ag_str_trim(ag_str_make(s.ptr + begin, end - begin));
	m->has_anchor = true;
	/* "#L12-L20" is the line of a file on a forge. */
	if (m->anchor.len > 1 && m->anchor.ptr[0] == 'L' &&
	    take_lines(ag_str_make(s.ptr, end), &at, m) && at == end)
		m->anchor = AG_S("");
	else
		m->line = m->last_line = 0;
	return end;
}

/* --- paths --- */

bool ag_cite_is_known_name(ag_str s)
{
	static const char *const names[] = { "README",  "LICENSE", "COPYING",   "NOTICE",
		                             "AUTHORS", "INSTALL", "CHANGELOG", "CODEOWNERS" };

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (ag_str_eqc(s, names[i]))
			return true;
	}
	return s.len > 4 && s.ptr[0] >= 'A' && s.ptr[0] <= 'Z' && ag_str_ends(s, AG_S("file"));
}

static bool may_be_path(const ag_mention *m, bool is_alone)
{
	bool has_letter = false, has_mark = false;

	for (size_t i = 0; i < m->path.len; i++) {
		char c = m->path.ptr[i];

		has_letter |= is_alpha(c) || (c & 0x80) != 0;
		has_mark |= c == '/' || c == '.';
	}
	if (!has_letter)
		return false;
	return has_mark || m->is_code || m->has_anchor || is_alone ||
	       ag_cite_is_known_name(m->path);
}

/* The token s[i, j) without what the sentence adds. Returns whether emphasis stood around it. */
static bool clean(ag_str s, size_t i, size_t j, ag_mention *m)
{
	bool slanted = false;

	while (j > i && is_one_of(s.ptr[j - 1], ".~@%+"))
		j--;
	if (j - i > 2 && s.ptr[i] == '_' && s.ptr[i + 1] != '_') {
		slanted = s.ptr[j - 1] == '_' || (j < s.len && s.ptr[j] == '#');
		i += slanted;
		j -= slanted && s.ptr[j - 1] == '_';
	}
	m->begin = i;
	m->end = j;
	while (j - i > 2 && s.ptr[i] == '.' && s.ptr[i + 1] == '/')
		i += 2;
	m->path = ag_str_make(s.ptr + i, j - i);
	return slanted;
}

/* The token that begins at i. Returns where to go on. */
static size_t path_at(ag_str s, size_t i, size_t j, ag_mention *m)
{
	char closer = closer_of(s, i);
	bool slanted = clean(s, i, j, m);

	m->is_code = closer == '`';
	if (j < s.len && s.ptr[j] == '#') {
		m->hash = j;
		m->end = anchor_at(s, j, closer, slanted, m);
		return m->end > j ? m->end : j + 1;
	}
	if (m->end == j && j + 1 < s.len && s.ptr[j] == ':' && is_digit(s.ptr[j + 1])) {
		size_t at = j + 1;

		if (take_lines(s, &at, m))
			return m->end = at;
	}
	lines_behind(s, j, m);
	return j;
}

/* A path that is known, with its blanks and brackets. Returns its length, 0 = none stands here. */
static size_t odd_at(ag_str s, size_t i, const ag_str *odd, size_t nodd)
{
	size_t best = 0;

	for (size_t k = 0; k < nodd; k++) {
		if (odd[k].len > best && odd[k].ptr[0] == s.ptr[i] &&
		    ag_str_starts(ag_str_make(s.ptr + i, s.len - i), odd[k]))
			best = odd[k].len;
	}
	return best;
}

/* --- all of them --- */

/* "https://example.com/a.md#b" is no file of the project. */
static size_t skip_address(ag_str s, size_t i)
{
	while (i < s.len && (unsigned char)s.ptr[i] > ' ' && !is_one_of(s.ptr[i], "`\"<>)]"))
		i++;
	return i;
}

/* What begins at i, where no name goes on. Returns where to go on; *ret_is: m is one. */
static size_t mention_at(ag_str s, size_t i, const ag_str *odd, size_t nodd, bool is_source,
                         ag_mention *m, bool *ret_is)
{
	size_t n = odd_at(s, i, odd, nodd), next;

	*m = (ag_mention){ .path = AG_S("") };
	*ret_is = true;
	if (n) {
		next = path_at(s, i, i + n, m);
		m->path = ag_str_make(s.ptr + i, n);
		return next;
	}
	next = ag_cite_route_at(s, i, m);
	if (next)
		return next;
	n = run_of(s, i, PATH_CHARS);
	*ret_is = false;
	if (n == i)
		return i + 1;
	if (s.len - n >= 3 && !memcmp(s.ptr + n, "://", 3))
		return skip_address(s, n);
	next = path_at(s, i, n, m);
	*ret_is = may_be_path(m, is_source && (!i || s.ptr[i - 1] == '\n') &&
	                                 (n == s.len || s.ptr[n] == '\n'));
	if (is_source && s.ptr[i] == '/' && !m->has_anchor) {
		next = ag_cite_route_end(s, i);
		m->route = ag_str_make(s.ptr + i, next - i);
		m->end = next > m->end ? next : m->end;
		*ret_is = true;
	}
	return next > i ? next : i + 1;
}

size_t ag_cite_mentions(ag_str text, size_t *pos, const ag_str *odd, size_t nodd, bool is_source,
                        ag_arena *arena, ag_mention **ret)
{
	size_t n = 0, i = *pos, cap = 16;
	ag_mention *list = ag_new_n(arena, ag_mention, cap);

	while (i < text.len && n < AG_MENTION_MAX) {
		ag_mention m;
		bool is_one;

		i = mention_at(text, i, odd, nodd, is_source, &m, &is_one);
		if (!is_one)
			continue;
		if (n == cap) {
			ag_mention *more = ag_new_n(arena, ag_mention, cap * 2);

			memcpy(more, list, cap * sizeof(*more));
			list = more;
			cap *= 2;
		}
		list[n++] = m;
	}
	*pos = i;
	*ret = list;
	return n;
}
