/* announce -- a short text without a source whose last sentence begins with a phrase of the near future. */
#include "agent/announce.h"

#define MAX_BYTES  400 /* a longer text says something besides */
#define MAX_OFFSET 40  /* of the phrase in its sentence: "First of all, I will …" */
#define NOT_FOUND  SIZE_MAX

/* In lower case. English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese, Japanese. */
static const char *const phrases[] = {
	"i will ",
	"i'll ",
	"i\xE2\x80\x99ll ",
	"let me ",
	"let's ",
	"let\xE2\x80\x99s ",
	"i am going to ",
	"i'm going to ",
	"i need to ",
	"i should first ",
	"i have to ",
	"we need to ",
	"ich werde ",
	"ich schaue ",
	"ich sehe mir ",
	"ich muss ",
	"lass mich ",
	"lassen sie mich ",
	"je vais ",
	"laissez-moi ",
	"permettez-moi ",
	"voy a ",
	"d\xC3\xA9jame ",
	"dejame ",
	"perm\xC3\xADteme ",
	"necesito ",
	"vado a ",
	"fammi ",
	"lasciami ",
	"devo ",
	"vou ",
	"deixe-me ",
	"preciso ",
	"ik zal ",
	"ik ga ",
	"laat me ",
	"sprawdz\xC4\x99",
	"zajrz\xC4\x99",
	"\xD1\x8F \xD0\xBF\xD0\xBE\xD1\x81\xD0\xBC\xD0\xBE\xD1\x82\xD1\x80\xD1\x8E",
	"\xD1\x81\xD0\xB5\xD0\xB9\xD1\x87\xD0\xB0\xD1\x81 ",
	"\xD0\xB4\xD0\xB0\xD0\xB2\xD0\xB0\xD0\xB9\xD1\x82\xD0\xB5 ",
	"\xE6\x88\x91\xE6\x9D\xA5",
	"\xE8\xAE\xA9\xE6\x88\x91",
	"\xE6\x88\x91\xE5\xB0\x86",
	"\xE6\x88\x91\xE9\x9C\x80\xE8\xA6\x81",
	"\xE8\xA6\x8B\xE3\x81\xA6\xE3\x81\xBF\xE3\x81\xBE\xE3\x81\x99",
	"\xE7\xA2\xBA\xE8\xAA\x8D\xE3\x81\x97\xE3\x81\xBE\xE3\x81\x99",
};

/* Phrases that look like an announcement and are not. */
static const char *const polite[] = { "let me know", "i will be happy", "i'll be happy" };

static size_t find_folded(ag_str s, const char *word)
{
	const size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.len; i++) {
		if (ag_str_ieq(ag_str_make(s.ptr + i, n), ag_str_make(word, n)))
			return i;
	}
	return NOT_FOUND;
}

static bool is_full_stop(ag_str s, size_t i)
{
	static const char *const wide[] = { "\xE3\x80\x82", "\xEF\xBC\x81", "\xEF\xBC\x9F" };

	if (s.ptr[i] == '\n')
		return true;
	if (memchr(".!?", s.ptr[i], 3))
		return i + 1 < s.len && memchr(" \t\n", s.ptr[i + 1], 3);
	for (size_t k = 0; k < AG_NELEM(wide); k++) {
		if (ag_str_starts(ag_str_make(s.ptr + i, s.len - i), ag_str_c(wide[k])))
			return true;
	}
	return false;
}

static ag_str last_sentence(ag_str s)
{
	size_t from = 0;

	while (s.len && memchr(" \t\r\n.!:*_", s.ptr[s.len - 1], 9))
		s.len--;
	if (ag_str_ends(s, AG_S("\xE3\x80\x82")))
		s.len -= 3;
	for (size_t i = 0; i < s.len; i++) {
		if (is_full_stop(s, i))
			from = i + (s.ptr[i] & 0x80 ? 3 : 1);
	}
	return ag_str_trim(ag_str_make(s.ptr + from, s.len - from));
}

bool ag_announces(ag_str text, bool has_called)
{
	ag_str last;

	text = ag_str_trim(text);
	if (!text.len || text.len > MAX_BYTES || find_folded(text, "source:") != NOT_FOUND)
		return false;
	for (size_t i = 0; i < AG_NELEM(polite); i++) {
		if (find_folded(text, polite[i]) != NOT_FOUND)
			return false;
	}
	last = last_sentence(text);
	for (size_t i = 0; i < AG_NELEM(phrases); i++) {
		if (find_folded(last, phrases[i]) <= MAX_OFFSET)
			return true;
	}
	return !has_called && (ag_str_ends(text, AG_S(":")) || ag_str_ends(text, AG_S("...")) ||
	                       ag_str_ends(text, AG_S("\xE2\x80\xA6")));
}
