/* textclass_fold -- texts made comparable: case, white space, accents, punctuation; and their shape.
 *
 * Case folding is Unicode's (CaseFolding.txt, statuses C and S, Unicode 14) for Latin, Greek and Cyrillic as
 * ranges, plus the two full foldings that people meet: sharp s and the dotted capital I. Accents fall by a
 * table of base letters (from UnicodeData.txt's decompositions; letters with a stroke by hand).
 * towlower() is no help: it depends on the locale. */
#include "base/utf8.h"
#include "columns/textclass.h"

#define SHAPE_MAX 64

/* Every `step`th code point from first to last folds to itself + delta. */
typedef struct fold_range {
	uint16_t first, last;
	int16_t step, delta;
} fold_range;

static const fold_range folds[] = {
	{ 0x00b5, 0x00b5, 1, 775 },   { 0x00c0, 0x00d6, 1, 32 },    { 0x00d8, 0x00de, 1, 32 },
	{ 0x0100, 0x012e, 2, 1 },     { 0x0132, 0x0136, 2, 1 },     { 0x0139, 0x0147, 2, 1 },
	{ 0x014a, 0x0176, 2, 1 },     { 0x0178, 0x0178, 1, -121 },  { 0x0179, 0x017d, 2, 1 },
	{ 0x017f, 0x017f, 1, -268 },  { 0x0181, 0x0181, 1, 210 },   { 0x0182, 0x0184, 2, 1 },
	{ 0x0186, 0x0186, 1, 206 },   { 0x0187, 0x0187, 1, 1 },     { 0x0189, 0x018a, 1, 205 },
	{ 0x018b, 0x018b, 1, 1 },     { 0x018e, 0x018e, 1, 79 },    { 0x018f, 0x018f, 1, 202 },
	{ 0x0190, 0x0190, 1, 203 },   { 0x0191, 0x0191, 1, 1 },     { 0x0193, 0x0193, 1, 205 },
	{ 0x0194, 0x0194, 1, 207 },   { 0x0196, 0x0196, 1, 211 },   { 0x0197, 0x0197, 1, 209 },
	{ 0x0198, 0x0198, 1, 1 },     { 0x019c, 0x019c, 1, 211 },   { 0x019d, 0x019d, 1, 213 },
	{ 0x019f, 0x019f, 1, 214 },   { 0x01a0, 0x01a4, 2, 1 },     { 0x01a6, 0x01a6, 1, 218 },
	{ 0x01a7, 0x01a7, 1, 1 },     { 0x01a9, 0x01a9, 1, 218 },   { 0x01ac, 0x01ac, 1, 1 },
	{ 0x01ae, 0x01ae, 1, 218 },   { 0x01af, 0x01af, 1, 1 },     { 0x01b1, 0x01b2, 1, 217 },
	{ 0x01b3, 0x01b5, 2, 1 },     { 0x01b7, 0x01b7, 1, 219 },   { 0x01b8, 0x01b8, 1, 1 },
	{ 0x01bc, 0x01bc, 1, 1 },     { 0x01c4, 0x01c4, 1, 2 },     { 0x01c5, 0x01c5, 1, 1 },
	{ 0x01c7, 0x01c7, 1, 2 },     { 0x01c8, 0x01c8, 1, 1 },     { 0x01ca, 0x01ca, 1, 2 },
	{ 0x01cb, 0x01db, 2, 1 },     { 0x01de, 0x01ee, 2, 1 },     { 0x01f1, 0x01f1, 1, 2 },
	{ 0x01f2, 0x01f4, 2, 1 },     { 0x01f6, 0x01f6, 1, -97 },   { 0x01f7, 0x01f7, 1, -56 },
	{ 0x01f8, 0x021e, 2, 1 },     { 0x0220, 0x0220, 1, -130 },  { 0x0222, 0x0232, 2, 1 },
	{ 0x023a, 0x023a, 1, 10795 }, { 0x023b, 0x023b, 1, 1 },     { 0x023d, 0x023d, 1, -163 },
	{ 0x023e, 0x023e, 1, 10792 }, { 0x0241, 0x0241, 1, 1 },     { 0x0243, 0x0243, 1, -195 },
	{ 0x0244, 0x0244, 1, 69 },    { 0x0245, 0x0245, 1, 71 },    { 0x0246, 0x024e, 2, 1 },
	{ 0x0345, 0x0345, 1, 116 },   { 0x0370, 0x0372, 2, 1 },     { 0x0376, 0x0376, 1, 1 },
	{ 0x037f, 0x037f, 1, 116 },   { 0x0386, 0x0386, 1, 38 },    { 0x0388, 0x038a, 1, 37 },
	{ 0x038c, 0x038c, 1, 64 },    { 0x038e, 0x038f, 1, 63 },    { 0x0391, 0x03a1, 1, 32 },
	{ 0x03a3, 0x03ab, 1, 32 },    { 0x03c2, 0x03c2, 1, 1 },     { 0x03cf, 0x03cf, 1, 8 },
	{ 0x03d0, 0x03d0, 1, -30 },   { 0x03d1, 0x03d1, 1, -25 },   { 0x03d5, 0x03d5, 1, -15 },
	{ 0x03d6, 0x03d6, 1, -22 },   { 0x03d8, 0x03ee, 2, 1 },     { 0x03f0, 0x03f0, 1, -54 },
	{ 0x03f1, 0x03f1, 1, -48 },   { 0x03f4, 0x03f4, 1, -60 },   { 0x03f5, 0x03f5, 1, -64 },
	{ 0x03f7, 0x03f7, 1, 1 },     { 0x03f9, 0x03f9, 1, -7 },    { 0x03fa, 0x03fa, 1, 1 },
	{ 0x03fd, 0x03ff, 1, -130 },  { 0x0400, 0x040f, 1, 80 },    { 0x0410, 0x042f, 1, 32 },
	{ 0x0460, 0x0480, 2, 1 },     { 0x048a, 0x04be, 2, 1 },     { 0x04c0, 0x04c0, 1, 15 },
	{ 0x04c1, 0x04cd, 2, 1 },     { 0x04d0, 0x052e, 2, 1 },     { 0x1e00, 0x1e94, 2, 1 },
	{ 0x1e9b, 0x1e9b, 1, -58 },   { 0x1e9e, 0x1e9e, 1, -7615 }, { 0x1ea0, 0x1efe, 2, 1 },
	{ 0x1f08, 0x1f0f, 1, -8 },    { 0x1f18, 0x1f1d, 1, -8 },    { 0x1f28, 0x1f2f, 1, -8 },
	{ 0x1f38, 0x1f3f, 1, -8 },    { 0x1f48, 0x1f4d, 1, -8 },    { 0x1f59, 0x1f5f, 2, -8 },
	{ 0x1f68, 0x1f6f, 1, -8 },    { 0x1f88, 0x1f8f, 1, -8 },    { 0x1f98, 0x1f9f, 1, -8 },
	{ 0x1fa8, 0x1faf, 1, -8 },    { 0x1fb8, 0x1fb9, 1, -8 },    { 0x1fba, 0x1fbb, 1, -74 },
	{ 0x1fbc, 0x1fbc, 1, -9 },    { 0x1fbe, 0x1fbe, 1, -7173 }, { 0x1fc8, 0x1fcb, 1, -86 },
	{ 0x1fcc, 0x1fcc, 1, -9 },    { 0x1fd8, 0x1fd9, 1, -8 },    { 0x1fda, 0x1fdb, 1, -100 },
	{ 0x1fe8, 0x1fe9, 1, -8 },    { 0x1fea, 0x1feb, 1, -112 },  { 0x1fec, 0x1fec, 1, -7 },
	{ 0x1ff8, 0x1ff9, 1, -128 },  { 0x1ffa, 0x1ffb, 1, -126 },  { 0x1ffc, 0x1ffc, 1, -9 },
	{ 0x2126, 0x2126, 1, -7517 }, { 0x212a, 0x212a, 1, -8383 }, { 0x212b, 0x212b, 1, -8262 },
	{ 0xff21, 0xff3a, 1, 32 },
};

/* Base letters: a digraph is a capital (see put_base), "." stays as it is. */
static const char latin_base[] =           /* U+00C0..024F */
	"aaaaaaAceeeeiiiidnooooo.ouuuuyTS" /* 00c0 */
	"aaaaaaAceeeeiiiidnooooo.ouuuuyTy" /* 00e0 */
	"aaaaaaccccccccddddeeeeeeeeeegggg" /* 0100 */
	"gggghhhhiiiiiiiiiiIIjjkkklllllll" /* 0120 */
	"lllnnnnnnnnnooooooOOrrrrrrssssss" /* 0140 */
	"ssttttttuuuuuuuuuuuuwwyyyzzzzzzs" /* 0160 */
	"bb.......dd.......f....ikkl..nn." /* 0180 */
	"oo..pp.....ttttuu.vyyzz........." /* 01a0 */
	"....DDDLLLNNNaaiioouuuuuuuuuu.aa" /* 01c0 */
	"aaAAggggkkoooo..jZZZgg..nnaaAAoo" /* 01e0 */
	"aaaaeeeeiiiioooorrrruuuusstt..hh" /* 0200 */
	".d....aaeeooooooooyylntj..acclts" /* 0220 */
	"z..bu.eejj..rryy" /* 0240 */;
static const char latin_more_base[] =      /* U+1E00..1EFF */
	"aabbbbbbccddddddddddeeeeeeeeeeff" /* 1e00 */
	"gghhhhhhhhhhiiiikkkkkkllllllllmm" /* 1e20 */
	"mmmmnnnnnnnnoooooooopppprrrrrrrr" /* 1e40 */
	"ssssssssssttttttttuuuuuuuuuuvvvv" /* 1e60 */
	"wwwwwwwwwwxxxxyyzzzzzzhtwy.sssS." /* 1e80 */
	"aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee" /* 1ea0 */
	"eeeeeeeeiiiioooooooooooooooooooo" /* 1ec0 */
	"oooouuuuuuuuuuuuuuyyyyyyyy......" /* 1ee0 */;

static uint32_t fold_case(uint32_t cp)
{
	size_t lo = 0, hi = AG_NELEM(folds);

	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cp > folds[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == AG_NELEM(folds) || cp < folds[lo].first)
		return cp;
	if ((cp - folds[lo].first) % (unsigned)folds[lo].step != 0)
		return cp;
	return (uint32_t)((int32_t)cp + folds[lo].delta);
}

static void put(ag_buf *out, uint32_t cp)
{
	char b[4];

	if (cp < 0x80)
		ag_buf_addc(out, (char)cp);
	else
		ag_buf_add(out, ag_str_make(b, ag_utf8_put(b, cp)));
}

static bool is_blank(uint32_t cp)
{
	if (cp <= 0x20)
		return cp == ' ' || (cp >= '\t' && cp <= '\r');
	return cp == 0x85 || cp == 0xa0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200a) ||
	       cp == 0x2028 || cp == 0x2029 || cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

static bool is_invisible(uint32_t cp)
{
	return cp == 0xad || cp == 0x200b || cp == 0x2060 || cp == 0xfeff;
}

/* A folded letter; sharp s and dotted I take two. */
static void put_folded(ag_buf *out, uint32_t cp)
{
	if (cp == 0x130) {
		ag_buf_add(out, AG_S("i\u0307"));
		return;
	}
	cp = fold_case(cp);
	if (cp == 0xdf)
		ag_buf_add(out, AG_S("ss"));
	else
		put(out, cp);
}

void ag_text_fold(ag_str s, ag_buf *out)
{
	bool is_gap = false, any = false;

	for (size_t i = 0; i < s.len;) {
		uint32_t cp = ag_utf8_next(s, &i);

		if (is_invisible(cp))
			continue;
		if (is_blank(cp)) {
			is_gap = any;
			continue;
		}
		if (is_gap)
			ag_buf_addc(out, ' ');
		is_gap = false;
		any = true;
		put_folded(out, cp);
	}
}

static bool is_combining(uint32_t cp)
{
	return (cp >= 0x300 && cp <= 0x36f) || (cp >= 0x1ab0 && cp <= 0x1aff) ||
	       (cp >= 0x1dc0 && cp <= 0x1dff) || (cp >= 0x20d0 && cp <= 0x20ff) ||
	       (cp >= 0xfe20 && cp <= 0xfe2f);
}

/* Greek with tonos or dialytika, and the Cyrillic letters that are written with and without dots. */
static uint32_t other_base(uint32_t cp)
{
	static const uint16_t pairs[][2] = {
		{ 0x390, 0x3b9 }, { 0x3ac, 0x3b1 }, { 0x3ad, 0x3b5 }, { 0x3ae, 0x3b7 },
		{ 0x3af, 0x3b9 }, { 0x3b0, 0x3c5 }, { 0x3ca, 0x3b9 }, { 0x3cb, 0x3c5 },
		{ 0x3cc, 0x3bf }, { 0x3cd, 0x3c5 }, { 0x3ce, 0x3c9 }, { 0x450, 0x435 },
		{ 0x451, 0x435 }, { 0x45d, 0x438 },
	};

	for (size_t i = 0; i < AG_NELEM(pairs); i++)
		if (pairs[i][0] == cp)
			return pairs[i][1];
	return cp;
}

static void put_base(ag_buf *out, uint32_t cp)
{
	static const char *const digraphs[26] = {
		['A' - 'A'] = "ae", ['D' - 'A'] = "dz", ['I' - 'A'] = "ij",
		['L' - 'A'] = "lj", ['N' - 'A'] = "nj", ['O' - 'A'] = "oe",
		['S' - 'A'] = "ss", ['T' - 'A'] = "th", ['Z' - 'A'] = "dz",
	};
	char c = '.';

	if (cp >= 0xc0 && cp <= 0x24f)
		c = latin_base[cp - 0xc0];
	else if (cp >= 0x1e00 && cp <= 0x1eff)
		c = latin_more_base[cp - 0x1e00];
	if (c == '.')
		put(out, other_base(fold_case(cp)));
	else if (c >= 'A' && c <= 'Z')
		ag_buf_adds(out, digraphs[c - 'A']);
	else
		ag_buf_addc(out, c);
}

enum punct { NO_PUNCT, DROP, AS_BLANK };

static enum punct punct_of(uint32_t cp)
{
	if (cp < 0x80) {
		if (cp == '-' || cp == '/' || cp == '\\' || cp == '_')
			return AS_BLANK;
		return cp && strchr("!\"'(),.:;?[]{}`", (int)cp) ? DROP : NO_PUNCT;
	}
	if ((cp >= 0x2010 && cp <= 0x2015) || cp == 0x2212 || cp == 0x30fb)
		return AS_BLANK;
	if (cp == 0xa1 || cp == 0xa7 || cp == 0xab || cp == 0xb4 || cp == 0xb6 || cp == 0xb7 ||
	    cp == 0xbb || cp == 0xbf || (cp >= 0x2016 && cp <= 0x206f) ||
	    (cp >= 0x3001 && cp <= 0x3003) || (cp >= 0x3008 && cp <= 0x3011) || cp == 0x200c ||
	    cp == 0x200d)
		return DROP;
	return NO_PUNCT;
}

static bool is_digit_at(ag_str s, size_t i)
{
	return i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9';
}

/* The point or comma of a number between digits, and a sign before one: they make another value. `at` is
 * the sign's place; a minus counts after a blank or at the start only (2026-03 is no sign). */
static bool is_of_number(ag_str s, size_t at)
{
	char c = s.ptr[at];

	if (!is_digit_at(s, at + 1))
		return false;
	if (c == '.' || c == ',')
		return at > 0 && is_digit_at(s, at - 1);
	return c == '-' && (at == 0 || s.ptr[at - 1] == ' ');
}

void ag_text_fold_hard(ag_str s, ag_buf *out)
{
	bool is_gap = false, any = false;

	for (size_t i = 0; i < s.len;) {
		size_t at = i;
		uint32_t cp = ag_utf8_next(s, &i);
		enum punct p = is_of_number(s, at) ? NO_PUNCT : punct_of(cp);

		if (is_combining(cp) || is_invisible(cp) || p == DROP)
			continue;
		if (is_blank(cp) || p == AS_BLANK) {
			is_gap = any;
			continue;
		}
		if (is_gap)
			ag_buf_addc(out, ' ');
		is_gap = false;
		any = true;
		put_base(out, cp);
	}
}

static bool is_lower(uint32_t cp)
{
	if (cp < 0xb5)
		return false;
	if (cp <= 0x2af)
		return cp == 0xb5 || (cp >= 0xdf && cp != 0xf7);
	return (cp >= 0x371 && cp <= 0x3ff && cp != 0x375 && cp != 0x37e && cp != 0x384 &&
	        cp != 0x385 && cp != 0x387 && cp != 0x3f6) ||
	       (cp >= 0x430 && cp <= 0x481) || (cp >= 0x48b && cp <= 0x52f) ||
	       (cp >= 0x1e01 && cp <= 0x1eff) || (cp >= 0x1f00 && cp <= 0x1fbc);
}

/* The letter that stands for a code point beyond ASCII, or 0. */
static char shape_of(uint32_t cp)
{
	if (cp == 0x130 || cp == 0x1e9e)
		return 'A';
	if (cp != 0x345 && cp != 0xb5 && cp != 0x17f && cp != 0x3c2 && fold_case(cp) != cp)
		return 'A';
	return is_lower(cp) ? 'a' : 0;
}

size_t ag_text_shape_into(char out[AG_TEXT_SHAPE_MAX], ag_str s)
{
	size_t i = 0, n = 0;

	for (unsigned count = 0; i < s.len && count < SHAPE_MAX; count++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x80) {
			unsigned is_alpha = (c | 0x20u) - 'a' < 26u,
				 is_digit = c - (unsigned)'0' < 10u;

			out[n++] = (char)(is_alpha ? 'A' + (c & 0x20) : is_digit ? '9' : c);
			i++;
		} else {
			uint32_t cp = ag_utf8_next(s, &i);
			char letter = shape_of(cp);

			if (letter)
				out[n++] = letter;
			else
				n += ag_utf8_put(out + n, cp);
		}
	}
	if (i < s.len) {
		memcpy(out + n, "…", 3);
		n += 3;
	}
	return n;
}

void ag_text_shape(ag_str s, ag_buf *out)
{
	char shape[AG_TEXT_SHAPE_MAX];

	ag_buf_add(out, ag_str_make(shape, ag_text_shape_into(shape, s)));
}

size_t ag_text_words(ag_str s)
{
	size_t n = 0;
	bool is_in = false;

	for (size_t i = 0; i < s.len; i++) {
		bool is_gap = is_blank((unsigned char)s.ptr[i]) && (unsigned char)s.ptr[i] < 0x80;

		n += !is_gap && !is_in;
		is_in = !is_gap;
	}
	return n;
}
