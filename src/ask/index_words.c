/* Words and their stems.
 *
 * The index itself has FTS5's porter; what is compared here only has to bring the same words together when candidates
 * are looked at once more, so the rules are few: plural, -ing, -ed, and the nouns that are made of verbs. A rule is
 * applied only when enough of the word remains. */
#include "ask/index_words.h"

#include "ask/search_parts.h"
#include "base/utf8.h"

static bool is_word_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c >= 0x80;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Bytes of a Han character or of kana at i, 0 = another: they stand without blanks, so each is a word. */
static size_t unspaced_at(ag_str text, size_t i)
{
	const size_t begin = i;
	uint32_t cp;

	if ((unsigned char)text.ptr[i] < 0xe3)
		return 0;
	cp = ag_utf8_next(text, &i);
	return (cp >= 0x3040 && cp <= 0x30ff) || (cp >= 0x3400 && cp <= 0x9fff) ||
	                       (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x20000 && cp <= 0x3134f)
	               ? i - begin
	               : 0;
}

bool ag_word_next(ag_str text, size_t *pos, ag_str *ret)
{
	size_t i = *pos, begin;

	while (i < text.len && !is_word_byte((unsigned char)text.ptr[i]))
		i++;
	begin = i;
	if (i < text.len && unspaced_at(text, i)) {
		*pos = i + unspaced_at(text, i);
		*ret = ag_str_make(text.ptr + i, *pos - i);
		return true;
	}
	for (; i < text.len && is_word_byte((unsigned char)text.ptr[i]); i++) {
		if (unspaced_at(text, i))
			break;
		/* parseItem, HTTPServer */
		if (i > begin && is_upper(text.ptr[i]) &&
		    (is_lower(text.ptr[i - 1]) ||
		     (i + 1 < text.len && is_upper(text.ptr[i - 1]) && is_lower(text.ptr[i + 1]))))
			break;
	}
	*pos = i;
	*ret = ag_str_make(text.ptr + begin, i - begin);
	return i > begin;
}

static bool has_vowel(const ag_stem *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("aeiouy", s->text[i]))
			return true;
	}
	return false;
}

static bool ends(const ag_stem *s, const char *suffix, size_t min_left)
{
	size_t n = strlen(suffix);

	return s->len >= n + min_left && memcmp(s->text + s->len - n, suffix, n) == 0;
}

static void undouble(ag_stem *s)
{
	const char last = s->len ? s->text[s->len - 1] : '\0';

	if (s->len > 3 && last == s->text[s->len - 2] && !strchr("aeioulsz", last))
		s->len--;
}

static void cut_plural(ag_stem *s)
{
	if (ends(s, "ies", 2)) {
		s->len -= 2;
		s->text[s->len - 1] = 'y';
	} else if (ends(s, "sses", 1) || ends(s, "shes", 1) || ends(s, "ches", 1) ||
	           ends(s, "xes", 1)) {
		s->len -= 2;
	} else if (ends(s, "s", 2) && !ends(s, "ss", 0) && !ends(s, "us", 0) && !ends(s, "is", 0)) {
		s->len--;
	}
}

/* What is left of "creating", "enabled", "sized" gets its e back; "running" loses an n. */
static void mend_verb(ag_stem *s)
{
	if (ends(s, "at", 1) || ends(s, "bl", 1) || ends(s, "iz", 1))
		s->text[s->len++] = 'e';
	else
		undouble(s);
}

static void cut_verb(ag_stem *s)
{
	if (ends(s, "ing", 2) && has_vowel(s, s->len - 3)) {
		s->len -= 3;
		mend_verb(s);
	} else if (ends(s, "ed", 2) && !ends(s, "eed", 0) && has_vowel(s, s->len - 2)) {
		s->len -= 2;
		mend_verb(s);
	}
}

static void cut_noun(ag_stem *s)
{
	static const struct {
		const char *suffix;
		size_t min_left;
	} nouns[] = {
		{ "ication", 4 }, { "ization", 4 }, { "isation", 4 }, { "ation", 4 }, { "ment", 4 },
		{ "ion", 4 },     { "ize", 4 },     { "ise", 4 },     { "ate", 4 },   { "ly", 4 },
	};

	for (size_t i = 0; i < AG_NELEM(nouns); i++) {
		if (ends(s, nouns[i].suffix, nouns[i].min_left)) {
			s->len -= strlen(nouns[i].suffix);
			return;
		}
	}
}

ag_stem ag_stem_of(ag_str word)
{
	ag_stem s = { .len = word.len < AG_STEM_MAX ? word.len : AG_STEM_MAX };
	bool is_ascii = true;

	if (s.len)
		memcpy(s.text, word.ptr, s.len);
	ag_utf8_lower(s.text, s.len);
	for (size_t i = 0; i < s.len; i++)
		is_ascii &= is_lower(s.text[i]);
	if (!is_ascii || s.len < 3)
		return s;
	cut_plural(&s);
	cut_verb(&s);
	cut_noun(&s);
	if (ends(&s, "e", 2))
		s.len--;
	if (ends(&s, "y", 2))
		s.text[s.len - 1] = 'i';
	return s;
}

bool ag_text_is_negated(ag_str text)
{
	static const char *const words[] = { "without", "no",     "not", "never",
		                             "nothing", "cannot", "t" };
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		for (size_t i = 0; i < AG_NELEM(words); i++) {
			if (ag_str_ieq(word, ag_str_c(words[i])))
				return true;
		}
	}
	return false;
}
