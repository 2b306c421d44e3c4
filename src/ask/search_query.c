/* search_query -- from the words of a query to what is looked for in bytes.
 *
 * A word is looked for without its English ending, because a question says "branches" where a heading says "branch". A text
 * that has nothing but stop words, or no letter at all ("->"), is looked for as it is. */
#include "ask/glob.h"
#include "ask/ignore.h"
#include "ask/root_parts.h"
#include "ask/search_parts.h"

#define ORIGIN         "ask.search"
#define MIN_STEM       4    /* bytes that must be left of a word */
#define MAX_EXPANSIONS 1000 /* of braces in a glob */
#define MAX_PHRASE     80   /* bytes: a longer one is a sentence, which no text repeats */

/* --- words --------------------------------------------------------------------------------------- */

static bool is_ascii_letters(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < 'a' || s.ptr[i] > 'z')
			return false;
	}
	return true;
}

static size_t stem_of(ag_str word)
{
	static const char *const endings[] = { "ations", "ation", "ings", "ing", "ies",
		                               "ied",    "ers",   "es",   "ed",  "er",
		                               "s",      "e",     "y" };

	if (!is_ascii_letters(word) || ag_str_ends(word, AG_S("ss")))
		return word.len;
	for (size_t i = 0; i < AG_NELEM(endings); i++) {
		size_t len = strlen(endings[i]);

		if (word.len >= len + MIN_STEM && ag_str_ends(word, ag_str_c(endings[i])))
			return word.len - len;
	}
	return word.len;
}

static void add_needle(ag_search_plan *p, ag_str word, bool is_phrase)
{
	ag_needle n = { .word = word, .is_phrase = is_phrase };
	unsigned first, next;

	if (p->nneedle == AG_SEARCH_MAX_NEEDLES || !word.ptr || !word.len)
		return;
	n.nstem = is_phrase ? word.len : stem_of(word);
	p->needles[p->nneedle++] = n;
	first = (unsigned char)word.ptr[0];
	next = word.len > 1 ? (unsigned char)word.ptr[1] : 256; /* 256: any */
	for (unsigned second = 0; second < 256; second++) {
		unsigned pair = first << 8 | (next < 256 ? next : second);

		p->pairs[pair >> 3] |= (unsigned char)(1u << (pair & 7));
	}
}

static ag_str small(ag_arena *arena, ag_str s)
{
	char *p = ag_str_cstr(arena, s);

	ag_utf8_lower(p, s.len);
	return ag_str_make(p, s.len);
}

static ag_status plan_words(ag_str text, ag_arena *arena, ag_search_plan *p)
{
	ag_str words[AG_SEARCH_MAX_NEEDLES - 1], low = small(arena, text), rest = low;
	size_t n = ag_search_words(text, arena, words, AG_NELEM(words));

	for (size_t i = 0; i < n; i++)
		add_needle(p, words[i], false);
	for (; !n && rest.ptr;) { /* stop words, signs */
		ag_str word = ag_str_trim(ag_str_split(&rest, ' '));

		if (p->nneedle < AG_NELEM(words))
			add_needle(p, word, false);
	}
	if (low.len <= MAX_PHRASE && ag_str_find(low, ' ') > 0)
		add_needle(p, low, true);
	return AG_OK;
}

/* --- globs --------------------------------------------------------------------------------------- */

static void add_glob(ag_search_plan *p, ag_str glob, ag_arena *arena)
{
	while (ag_str_starts(glob, AG_S("./")))
		glob = ag_str_make(glob.ptr + 2, glob.len - 2);
	if (ag_str_ends(glob, AG_S("/")))
		glob = ag_str_printf(arena, "%.*s**", AG_FMT(glob));
	if (glob.len && p->nglob < AG_SEARCH_MAX_GLOBS)
		p->globs[p->nglob++] = glob;
}

/* "a.{c,h}" is two: the first braces are taken apart, what comes of it again. left: how often; "{,}{,}..." would never end. */
static void expand(ag_search_plan *p, ag_str glob, unsigned *left, ag_arena *arena)
{
	ptrdiff_t open = ag_str_find(glob, '{');
	ag_str tail = open < 0 ? AG_S("") : ag_str_make(glob.ptr + open, glob.len - (size_t)open);
	ptrdiff_t close = ag_str_find(tail, '}');
	ag_str inner;

	if (open < 0 || close < 0) {
		add_glob(p, glob, arena);
		return;
	}
	inner = ag_str_make(tail.ptr + 1, (size_t)close - 1);
	while (inner.ptr && p->nglob < AG_SEARCH_MAX_GLOBS && *left) {
		ag_str one = ag_str_split(&inner, ',');

		--*left;

		expand(p,
		       ag_str_printf(arena, "%.*s%.*s%.*s", (int)open, glob.ptr, AG_FMT(one),
		                     (int)(tail.len - (size_t)close - 1), tail.ptr + close + 1),
		       left, arena);
	}
}

/* Parts at commas that stand in no braces. */
static void plan_globs(ag_search_plan *p, ag_str text, ag_arena *arena)
{
	size_t from = 0, depth = 0;
	unsigned left = MAX_EXPANSIONS;

	if (!text.len)
		return;
	for (size_t i = 0; i <= text.len; i++) {
		char c = i < text.len ? text.ptr[i] : ',';

		depth += c == '{';
		depth -= c == '}' && depth;
		if (i == text.len || (c == ',' && !depth)) {
			expand(p, ag_str_trim(ag_str_make(text.ptr + from, i - from)), &left,
			       arena);
			from = i + 1;
		}
	}
}

bool ag_search_plan_takes(const ag_search_plan *p, ag_str path)
{
	ag_str below = path;

	if (p->under.len && path.len > p->under.len)
		below = ag_str_make(path.ptr + p->under.len + 1, path.len - p->under.len - 1);
	for (size_t i = 0; i < p->nglob; i++) {
		if (ag_glob_match(p->globs[i], path) || ag_glob_match(p->globs[i], below))
			return true;
	}
	return !p->nglob;
}

/* --- the whole ----------------------------------------------------------------------------------- */

static ag_status check(const ag_search_query *q, ag_str text, ag_err *err)
{
	if (!text.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "there is nothing to search for");
		return ag_err_hint(err, "give words, or a pattern");
	}
	if (text.len > AG_SEARCH_MAX_TEXT)
		return ag_fail(err, AG_INVALID, ORIGIN, "the %s has %zu bytes, limit %u",
		               q->is_regex ? "pattern" : "text", text.len, AG_SEARCH_MAX_TEXT);
	if (q->glob.len > AG_SEARCH_MAX_TEXT)
		return ag_fail(err, AG_INVALID, ORIGIN, "the glob has %zu bytes, limit %u",
		               q->glob.len, AG_SEARCH_MAX_TEXT);
	return AG_OK;
}

ag_status ag_search_plan_make(const ag_search_query *q, ag_arena *arena, ag_search_plan *ret,
                              ag_err *err)
{
	ag_str text = q->is_regex ? q->text : ag_str_trim(q->text);
	unsigned max = q->max_hits ? q->max_hits : 20;
	bool must_be_folder;
	const char *why;
	ag_status st = check(q, text, err);

	if (st)
		return st;
	memset(ret, 0, sizeof(*ret));
	ret->max_hits = max < AG_SEARCH_MAX_HITS ? max : AG_SEARCH_MAX_HITS;
	/* A path that is refused is refused by the walk, in its words. */
	if (!ag_root_normal_path(q->under, arena, &ret->under, &must_be_folder, &why))
		ret->under = AG_S("");
	plan_globs(ret, q->glob, arena);
	if (q->is_regex)
		return ag_regex_compile(text, AG_S("i"), arena, &ret->re, err);
	return plan_words(text, arena, ret);
}
