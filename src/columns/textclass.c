/* textclass -- the classes of a text, found in one pass over its bytes.
 *
 * ag_text_classify() joins the kinds of all bytes (kinds[], a table) into one word; ordinary text has only
 * letters, digits, single blanks and plain punctuation there and is done. Each class that the word makes
 * possible is then looked at by a function of its own, which must say what the regex in textclass.h says. */
#include "columns/textclass.h"

#include "base/utf8.h"
#include "columns/mojibake.h"

#define BIT(class) (1u << AG_TEXT_##class)

/* Kinds of bytes. A plain sign is 0 but for what some class asks about. */
enum {
	K_DIGIT = 1,
	K_ALPHA = 2,
	K_BLANK = 4,
	K_SPACE = 8,    /* the other white space: \t \n \v \f \r */
	K_CONTROL = 16, /* class CONTROL, which includes \v and \f */
	K_TAB = 32,
	K_HIGH = 64, /* beyond ASCII */
	K_AMP = 128,
	K_AT = 256,
	K_NUM = 512,  /* + - . , */
	K_SIGN = 1024 /* any other sign */
};

#define X16(a) a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a
static const uint16_t kinds[256] = {
	/* 00 */ 16,
	16,
	16,
	16,
	16,
	16,
	16,
	16,
	16,
	32 | 8,
	8,
	16 | 8,
	16 | 8,
	8,
	16,
	16,
	/* 10 */ X16(16),
	/* 20   ! " # $ % & ' ( ) * + , - . / */
	4,
	1024,
	1024,
	1024,
	1024,
	1024,
	128,
	1024,
	1024,
	1024,
	1024,
	512,
	512,
	512,
	512,
	1024,
	/* 30 */ 1,
	1,
	1,
	1,
	1,
	1,
	1,
	1,
	1,
	1,
	1024,
	1024,
	1024,
	1024,
	1024,
	1024,
	/* 40 */ 256,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	/* 50 */ 2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	1024,
	1024,
	1024,
	1024,
	1024,
	/* 60 */ 1024,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	/* 70 */ 2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	2,
	1024,
	1024,
	1024,
	1024,
	16,
	/* 80 */ X16(64),
	X16(64),
	X16(64),
	X16(64),
	X16(64),
	X16(64),
	X16(64),
	X16(64),
};
#undef X16

static const char *const regexes[AG_TEXT_NCLASS] = {
#define X(name, regex, options) [AG_TEXT_##name] = regex,
	AG_TEXT_CLASS_TABLE(X)
#undef X
};

static const char *const regex_options[AG_TEXT_NCLASS] = {
#define X(name, regex, options) [AG_TEXT_##name] = options,
	AG_TEXT_CLASS_TABLE(X)
#undef X
};

const char *ag_text_class_regex(ag_text_class c)
{
	return c < AG_TEXT_NCLASS ? regexes[c] : "";
}

const char *ag_text_class_regex_options(ag_text_class c)
{
	return c < AG_TEXT_NCLASS ? regex_options[c] : "";
}

static unsigned kind(ag_str s, size_t i)
{
	return kinds[(unsigned char)s.ptr[i]];
}

static bool is_space(ag_str s, size_t i)
{
	return kind(s, i) & (K_BLANK | K_SPACE);
}

/* Without the \s of a regex at both ends. */
static ag_str trim(ag_str s)
{
	while (s.len > 0 && is_space(s, 0)) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && is_space(s, s.len - 1))
		s.len--;
	return s;
}

/* Where the "$" of a regex may stand. */
static ag_str without_last_newline(ag_str s)
{
	if (s.len > 0 && s.ptr[s.len - 1] == '\n')
		s.len--;
	return s;
}

static size_t digits_from(ag_str s, size_t i)
{
	while (i < s.len && kind(s, i) & K_DIGIT)
		i++;
	return i;
}

static bool is_numeric(ag_str s)
{
	size_t start = 0, end;

	s = trim(s);
	if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		start = 1;
	end = digits_from(s, start);
	if (end == start)
		return false;
	if (end + 1 < s.len && (s.ptr[end] == '.' || s.ptr[end] == ','))
		end = digits_from(s, end + 1);
	return end == s.len && kind(s, end - 1) & K_DIGIT;
}

static bool is_run_of(ag_str s, char c)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != c)
			return false;
	return s.len > 0;
}

/* Lower-case ASCII of a short text into out. Two letters beyond ASCII fold into it, for a regex as well:
 * the long s and the Kelvin sign. False when another one is there or the text is too long. */
static bool lower_word(ag_str s, char *out, size_t cap, size_t *ret_len)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; n++) {
		uint32_t cp = ag_utf8_next(s, &i);

		if (n == cap)
			return false;
		if (cp >= 'A' && cp <= 'Z')
			cp += 'a' - 'A';
		else if (cp == 0x17f)
			cp = 's';
		else if (cp == 0x212a)
			cp = 'k';
		if (cp >= 0x80)
			return false;
		out[n] = (char)cp;
	}
	*ret_len = n;
	return true;
}

/* The words in small letters; `first` holds the letters they begin with, which spares most texts the rest. */
static bool is_one_of(ag_str s, const char *first, const ag_str *words, size_t nword)
{
	char low[16]; /* the longest word has 14 letters */
	size_t n;

	if (s.len == 0 || s.len > 3 * sizeof low || !memchr(first, s.ptr[0] | 0x20, strlen(first)))
		return false;
	if (!lower_word(s, low, sizeof low, &n))
		return false;
	for (size_t i = 0; i < nword; i++)
		if (ag_str_eq(ag_str_make(low, n), words[i]))
			return true;
	return false;
}

static bool is_null_word(ag_str s)
{
	static const ag_str words[] = {
		AG_S_INIT("n/a"),
		AG_S_INIT("na"),
		AG_S_INIT("n/d"),
		AG_S_INIT("n.a"),
		AG_S_INIT("n.a."),
		AG_S_INIT("<na>"),
		AG_S_INIT("#n/a"),
		AG_S_INIT("#ref!"),
		AG_S_INIT("#value!"),
		AG_S_INIT("#null!"),
		AG_S_INIT("#num!"),
		AG_S_INIT("#div/0!"),
		AG_S_INIT("#name?"),
		AG_S_INIT("\\n"),
		AG_S_INIT("nan"),
		AG_S_INIT("null"),
		AG_S_INIT("<null>"),
		AG_S_INIT("(null)"),
		AG_S_INIT("[null]"),
		AG_S_INIT("(blank)"),
		AG_S_INIT("(empty)"),
		AG_S_INIT("none"),
		AG_S_INIT("nil"),
		AG_S_INIT("unknown"),
		AG_S_INIT("undefined"),
		AG_S_INIT("unspecified"),
		AG_S_INIT("tba"),
		AG_S_INIT("tbc"),
		AG_S_INIT("tbd"),
		AG_S_INIT("missing"),
		AG_S_INIT("empty"),
		AG_S_INIT("blank"),
		AG_S_INIT("no data"),
		AG_S_INIT("not available"),
		AG_S_INIT("not applicable"),
		AG_S_INIT("not known"),
		AG_S_INIT("not specified"),
		AG_S_INIT("not provided"),
		AG_S_INIT("test"),
		AG_S_INIT("xxx"),
		AG_S_INIT("lorem ipsum"),
	};

	s = trim(s);
	if (s.len == 0)
		return false;
	if (memchr("-?._*", s.ptr[0], 5))
		return is_run_of(s, s.ptr[0]);
	/* "\\" and "[" with the bit of small letters are "|" and "{". */
	return is_one_of(s, "n#utmxleb<(|{", words, AG_NELEM(words));
}

static bool is_bool_word(ag_str s)
{
	static const ag_str words[] = {
		AG_S_INIT("yes"),  AG_S_INIT("no"),    AG_S_INIT("y"),  AG_S_INIT("n"),
		AG_S_INIT("true"), AG_S_INIT("false"), AG_S_INIT("on"), AG_S_INIT("off"),
	};

	return is_one_of(without_last_newline(s), "yntfo", words, AG_NELEM(words));
}

static bool is_word_byte(unsigned char c)
{
	return kinds[c] & (K_ALPHA | K_DIGIT);
}

/* "St.. Louis", "a,, b" */
static bool has_doubled_mark(ag_str s)
{
	for (size_t i = 0; i + 1 < s.len; i++) {
		const char c = s.ptr[i];

		if (c != s.ptr[i + 1] || (c != '.' && c != ',' && c != ';'))
			continue;
		if (c != '.')
			return true;
		if (i == 0 || !(kind(s, i - 1) & K_ALPHA))
			continue;
		if (i + 2 == s.len || (i + 3 == s.len && s.ptr[i + 2] == '\n') ||
		    s.ptr[i + 2] == ' ' || kind(s, i + 2) & K_ALPHA)
			return true;
	}
	return false;
}

/* "Smith*", ";Smith": marks that no word begins or ends with. */
static bool has_edge_mark(ag_str s, const char *first, const char *last)
{
	unsigned char a, b;

	if (s.len < 2)
		return false;
	a = (unsigned char)s.ptr[0];
	b = (unsigned char)s.ptr[1];
	if (a && strchr(first, a) && (b == ' ' || is_word_byte(b)))
		return true;
	/* "$" is the end, and also before a last line feed. */
	for (size_t end = s.len; end >= 2; end = without_last_newline(s).len) {
		a = (unsigned char)s.ptr[end - 2];
		b = (unsigned char)s.ptr[end - 1];
		if (b && strchr(last, b) && (is_word_byte(a) || a == '.' || a == ')'))
			return true;
		if (end != s.len || s.ptr[end - 1] != '\n')
			break;
	}
	return false;
}

static bool is_padded(ag_str s)
{
	return s.len > 0 && (is_space(s, 0) || is_space(s, s.len - 1));
}

static bool has_double_blank(ag_str s)
{
	size_t start = 0, end = s.len;

	while (start < end && s.ptr[start] == ' ')
		start++;
	while (end > start && s.ptr[end - 1] == ' ')
		end--;
	for (size_t i = start; i + 1 < end; i++)
		if (s.ptr[i] == ' ' && s.ptr[i + 1] == ' ')
			return true;
	return false;
}

/* &name; or &#digits; or &#xhex; at s[at] */
static bool is_entity(ag_str s, size_t at)
{
	static const char *const names[] = { "amp;", "lt;", "gt;", "quot;", "nbsp;", "apos;" };
	ag_str rest = ag_str_make(s.ptr + at + 1, s.len - at - 1);
	size_t i = 1, first, most = 7;
	bool hex = false;

	for (size_t k = 0; k < AG_NELEM(names); k++)
		if (ag_str_starts(rest, ag_str_c(names[k])))
			return true;
	if (rest.len < 3 || rest.ptr[0] != '#')
		return false;
	if (rest.ptr[1] == 'x') {
		hex = true;
		most = 6;
		i = 2;
	}
	for (first = i; i < rest.len && i - first < most; i++) {
		char c = rest.ptr[i];
		bool is_hex = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');

		if (!(kind(rest, i) & K_DIGIT) && !(hex && is_hex))
			break;
	}
	return i > first && i < rest.len && rest.ptr[i] == ';';
}

static bool has_entity(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char *p = memchr(s.ptr + i, '&', s.len - i);

		if (!p)
			return false;
		i = (size_t)(p - s.ptr);
		if (is_entity(s, i))
			return true;
	}
	return false;
}

static bool is_email(ag_str s)
{
	const char *at, *end;

	s = without_last_newline(s);
	at = s.len > 0 ? memchr(s.ptr, '@', s.len) : NULL;
	end = s.ptr + s.len;
	if (!at || at == s.ptr || end - at < 4 || memchr(at + 1, '@', (size_t)(end - at - 1)))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (is_space(s, i))
			return false;
	/* a dot with something on both sides */
	return memchr(at + 2, '.', (size_t)(end - at - 3)) != NULL;
}

/* A zero width joiner that ends at s[i - 3]: behind a Latin letter or digit? */
static bool is_behind_latin(ag_str s, size_t i)
{
	unsigned char c, d;

	if (i == 0)
		return false;
	c = (unsigned char)s.ptr[i - 1];
	if (c < 0x80)
		return kinds[c] & (K_ALPHA | K_DIGIT);
	d = i > 1 ? (unsigned char)s.ptr[i - 2] : 0;
	return (d >= 0xc3 && d <= 0xc8) || (d == 0xc9 && c <= 0x8f); /* U+00C0..024F */
}

/* ODD_SPACE, REPLACEMENT and CONTROL beyond ASCII; all of them begin with C2, E2 or EF. */
static unsigned high_classes(ag_str s)
{
	unsigned ret = 0;

	for (size_t i = 0; i + 1 < s.len; i++) {
		unsigned char a = (unsigned char)s.ptr[i], b = (unsigned char)s.ptr[i + 1], c;

		if (a < 0xc2)
			continue;
		if (a == 0xc2)
			ret |= b == 0xa0 ? BIT(ODD_SPACE) : b <= 0x9f ? BIT(CONTROL) : 0;
		if ((a != 0xe2 && a != 0xef) || i + 2 >= s.len)
			continue;
		c = (unsigned char)s.ptr[i + 2];
		if (a == 0xef && b == 0xbf && c == 0xbd)
			ret |= BIT(REPLACEMENT);
		else if (a == 0xef && b == 0xbb && c == 0xbf)
			ret |= BIT(ODD_SPACE);
		else if (a == 0xe2 && ((b == 0x80 && c == 0x8b) || (b == 0x81 && c == 0xa0)))
			ret |= BIT(ODD_SPACE);
		else if (a == 0xe2 && b == 0x80 && (c == 0x8c || c == 0x8d) &&
		         is_behind_latin(s, i))
			ret |= BIT(ODD_SPACE);
	}
	if (ag_text_has_mojibake(s))
		ret |= BIT(MOJIBAKE);
	return ret;
}

unsigned ag_text_classify(ag_str s)
{
	unsigned all = 0, ret = 0;

	if (s.len == 0)
		return 0;
	for (size_t i = 0; i < s.len; i++)
		all |= kinds[(unsigned char)s.ptr[i]];
	if (all & (K_BLANK | K_SPACE) && is_padded(s))
		ret |= BIT(PADDED);
	if (all & K_BLANK && has_double_blank(s))
		ret |= BIT(DOUBLE_BLANK);
	if (all & K_DIGIT &&
	    !(all & ~(unsigned)(K_DIGIT | K_NUM | K_BLANK | K_SPACE | K_CONTROL | K_TAB)) &&
	    is_numeric(s))
		ret |= BIT(NUMERIC);
	/* "#DIV/0!" is the one word with a digit. */
	if ((!(all & K_DIGIT) || (all & K_SIGN && s.len < 40 && memchr(s.ptr, '#', s.len))) &&
	    is_null_word(s))
		ret |= BIT(NULL_WORD);
	if (!(all & K_DIGIT) && is_bool_word(s))
		ret |= BIT(BOOL_WORD);
	if (all & (K_NUM | K_SIGN) && has_doubled_mark(s))
		ret |= BIT(DOUBLED_MARK);
	if (all & (K_NUM | K_SIGN | K_AMP | K_AT) && has_edge_mark(s, ";,:~|=", ";,:~|\\=@&_^"))
		ret |= BIT(EDGE_MARK);
	if (all & K_SIGN && has_edge_mark(s, "*", "*"))
		ret |= BIT(STAR);
	if (all & K_TAB)
		ret |= BIT(ODD_SPACE);
	if (all & K_CONTROL)
		ret |= BIT(CONTROL);
	if (all & K_AMP && has_entity(s))
		ret |= BIT(ENTITY);
	if (all & K_AT && is_email(s))
		ret |= BIT(EMAIL);
	if (all & K_HIGH)
		ret |= high_classes(s) | BIT(NON_ASCII);
	return ret;
}
