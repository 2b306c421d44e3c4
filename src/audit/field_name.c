/* field_name -- cut a name into words and look them up.
 *
 * Words end at anything that is no letter or digit, between a small and a capital letter ("orderDate"),
 * before the last capital of a run ("HTTPStatus"), and between letters and digits ("address2").
 * Bytes outside ASCII count as letters, so other languages simply meet no trait. */
#include "audit/field_name.h"

typedef enum char_kind { OTHER, LOWER, UPPER, DIGIT } char_kind;

static char_kind kind_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return UPPER;
	if ((c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80)
		return LOWER;
	return c >= '0' && c <= '9' ? DIGIT : OTHER;
}

static bool contains_word(const char *words, ag_str word)
{
	ag_str rest = ag_str_c(words);

	while (rest.ptr) {
		if (ag_str_eq(ag_str_split(&rest, ' '), word))
			return true;
	}
	return false;
}

ag_traits ag_word_traits(ag_str word)
{
	size_t n;
	const ag_trait_words *rows = ag_trait_table(&n);
	ag_traits ret = 0;

	for (size_t i = 0; i < n; i++) {
		if (contains_word(rows[i].words, word))
			ret |= rows[i].trait;
	}
	return ret;
}

/* The number of an order is that of its document; the number of a customer stands in many. */
static bool names_own_record(const char *word)
{
	static const char *const heads[] = { "bestell",  "rechnungs",    "auftrags", "beleg",
		                             "vorgangs", "lieferschein", "buchungs", "faktur",
		                             "order",    "bestel",       "factuur" };

	for (size_t i = 0; i < AG_NELEM(heads); i++)
		if (strncmp(word, heads[i], strlen(heads[i])) == 0)
			return true;
	return false;
}

/* "bestellnr", "kundennummer", "numéro": German writes a compound as one word. */
static ag_traits traits_of_number(const char *word, size_t len)
{
	static const char *const tails[] = {
		"nr", "nummer", "numero", "número", "numéro", "numer"
	};

	for (size_t i = 0; i < AG_NELEM(tails); i++) {
		const size_t n = strlen(tails[i]);

		if (len < n || (len > n && len < n + 3) || strcmp(word + len - n, tails[i]) != 0)
			continue;
		return ag_word_traits(AG_S("nr")) |
		       (len == n || names_own_record(word) ? 0 : AG_TRAIT_FOREIGN);
	}
	return 0;
}

/* Traits of the word, or of its singular; the word becomes the form that was found. */
static ag_traits traits_of(char *word)
{
	size_t len = strlen(word);
	ag_traits ret = ag_word_traits(ag_str_make(word, len));

	if (!ret)
		ret = traits_of_number(word, len);
	if (ret || len < 4 || word[len - 1] != 's' || word[len - 2] == 's')
		return ret;
	if (strcmp(word + len - 3, "ies") == 0) {
		word[len - 3] = 'y';
		word[len - 2] = '\0';
		ret = ag_word_traits(ag_str_make(word, len - 2));
		if (!ret)
			memcpy(word + len - 3, "ies", 4);
		return ret;
	}
	word[len - 1] = '\0';
	return ag_word_traits(ag_str_make(word, len - 1));
}

static bool is_cut(ag_str s, size_t i)
{
	char_kind before = kind_of(s.ptr[i - 1]), here = kind_of(s.ptr[i]);

	if (before == LOWER && here == UPPER)
		return true;
	if (before == UPPER && here == UPPER)
		return i + 1 < s.len && kind_of(s.ptr[i + 1]) == LOWER;
	return (before == DIGIT) != (here == DIGIT);
}

static void add_word(ag_field_name *n, ag_str s)
{
	char *to;

	if (!s.len || n->nword == AG_NAME_MAX_WORDS)
		return;
	to = n->word[n->nword++];
	for (size_t i = 0; i < s.len && i < AG_NAME_MAX_WORD - 1; i++)
		to[i] = (char)(kind_of(s.ptr[i]) == UPPER ? s.ptr[i] + ('a' - 'A') : s.ptr[i]);
}

static ag_traits whole_name(ag_str name)
{
	char word[AG_NAME_MAX_WORD] = "";
	size_t n = 0;

	for (size_t i = 0; i < name.len; i++) {
		if (kind_of(name.ptr[i]) == OTHER)
			continue;
		if (n == sizeof(word) - 1)
			return 0;
		word[n++] = (char)(kind_of(name.ptr[i]) == UPPER ? name.ptr[i] + ('a' - 'A')
		                                                 : name.ptr[i]);
	}
	return ag_word_traits(ag_str_make(word, n));
}

ag_field_name ag_field_name_of(ag_str name)
{
	ag_field_name n = { 0 };
	size_t from = 0;

	for (size_t i = 0; i <= name.len; i++) {
		bool is_gap = i == name.len || kind_of(name.ptr[i]) == OTHER;

		if (!is_gap && (i == from || !is_cut(name, i)))
			continue;
		add_word(&n, ag_str_make(name.ptr + from, i - from));
		from = is_gap ? i + 1 : i;
	}
	for (size_t i = 0; i < n.nword; i++) {
		size_t len = strlen(n.word[i]);
		ag_traits t = traits_of(n.word[i]);

		n.traits |= t;
		if (i == 0)
			n.first = t;
		n.last = t;
		n.is_plural = strlen(n.word[i]) < len;
	}
	/* "name.last", "name.given": parts of a name when they stand alone. */
	if (n.nword == 1 && contains_word("first last given family", ag_str_c(n.word[0])))
		n.traits = n.last = n.first = AG_TRAIT_PERSON | AG_TRAIT_NAME | AG_TRAIT_CORE;
	if (n.nword > 1) {
		ag_traits t = whole_name(name);

		n.traits |= t;
		n.last |= t;
	}
	return n;
}

bool ag_field_has_word(const ag_field_name *n, const char *word)
{
	for (size_t i = 0; i < n->nword; i++) {
		if (strcmp(n->word[i], word) == 0)
			return true;
	}
	return false;
}
