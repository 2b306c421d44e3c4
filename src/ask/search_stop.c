/* search_stop -- words that no text is found by, in English and, less complete, German, French, Spanish, Italian and Russian.
 *
 * Sorted bytewise: it is searched by halves. A word that means something in English or in code is not in it, even where
 * it means nothing in another language ("die", "con", "par", "per"). lint: table */
#include <stdlib.h>

#include "ask/search_parts.h"

static const char *const words[] = {
	"aber",    "about",   "above",  "after",   "again",    "al",         "all",     "also",
	"am",      "an",      "and",    "any",     "are",      "aren",       "as",      "at",
	"au",      "auch",    "auf",    "aus",     "aux",      "avec",       "be",      "because",
	"been",    "before",  "bei",    "being",   "below",    "between",    "both",    "but",
	"by",      "can",     "cannot", "ce",      "ces",      "cette",      "che",     "chi",
	"come",    "como",    "could",  "couldn",  "cual",     "cuando",     "cuál",    "cuáles",
	"cuándo",  "cómo",    "da",     "dans",    "das",      "dass",       "dei",     "del",
	"della",   "delle",   "dem",    "der",     "describe", "di",         "did",     "didn",
	"do",      "does",    "doesn",  "doing",   "don",      "donde",      "dove",    "down",
	"du",      "during",  "dónde",  "each",    "ein",      "eine",       "einem",   "einen",
	"einer",   "either",  "el",     "elle",    "elles",    "else",       "en",      "es",
	"est",     "esta",    "este",   "estos",   "está",     "et",         "etc",     "explain",
	"few",     "for",     "from",   "further", "für",      "give",       "given",   "gli",
	"had",     "hadn",    "has",    "hasn",    "have",     "haven",      "having",  "he",
	"her",     "here",    "hers",   "herself", "him",      "himself",    "his",     "how",
	"however", "ich",     "if",     "ihr",     "il",       "ils",        "im",      "in",
	"into",    "is",      "isn",    "ist",     "it",       "its",        "itself",  "just",
	"kann",    "können",  "la",     "las",     "le",       "les",        "let",     "leur",
	"ll",      "lo",      "los",    "many",    "may",      "me",         "might",   "mit",
	"more",    "most",    "much",   "must",    "my",       "myself",     "nach",    "ne",
	"neither", "nel",     "nella",  "nicht",   "no",       "noch",       "nor",     "not",
	"nous",    "now",     "nur",    "oder",    "of",       "off",        "on",      "once",
	"only",    "or",      "other",  "ou",      "our",      "ours",       "out",     "over",
	"own",     "où",      "para",   "pas",     "perché",   "please",     "plus",    "por",
	"pour",    "quali",   "quando", "que",     "quel",     "quelle",     "quelles", "quels",
	"qui",     "quoi",    "qué",    "same",    "se",       "ses",        "shall",   "she",
	"should",  "shouldn", "show",   "sich",    "sie",      "sind",       "so",      "some",
	"son",     "sono",    "sont",   "su",      "such",     "sus",        "tell",    "than",
	"that",    "the",     "their",  "theirs",  "them",     "themselves", "then",    "there",
	"these",   "they",    "this",   "those",   "through",  "to",         "too",     "un",
	"una",     "unas",    "und",    "under",   "une",      "uno",        "unos",    "until",
	"up",      "upon",    "us",     "ve",      "very",     "vom",        "von",     "vous",
	"wann",    "warum",   "was",    "wasn",    "we",       "welche",     "welcher", "welches",
	"werden",  "were",    "weren",  "what",    "when",     "where",      "whether", "which",
	"while",   "who",     "whom",   "whose",   "why",      "wie",        "will",    "wir",
	"wird",    "with",    "within", "without", "wo",       "won",        "would",   "wouldn",
	"wurde",   "you",     "your",   "yours",   "yourself", "zum",        "zur",     "è",
	"über",    "а",       "без",    "будет",   "будто",    "бы",         "был",     "была",
	"было",    "быть",    "в",      "вам",     "вас",      "ведь",       "во",      "вот",
	"все",     "вы",      "где",    "да",      "даже",     "для",        "до",      "его",
	"ее",      "ей",      "ему",    "если",    "есть",     "еще",        "ж",       "же",
	"за",      "зачем",   "и",      "из",      "или",      "их",         "к",       "как",
	"какая",   "какие",   "какое",  "какой",   "когда",    "кто",        "ли",      "меня",
	"мне",     "может",   "можно",  "мы",      "на",       "надо",       "не",      "него",
	"ней",     "нет",     "ни",     "нибудь",  "ничего",   "но",         "ну",      "нужно",
	"о",       "он",      "она",    "они",     "опять",    "от",         "по",      "под",
	"потом",   "потому",  "почему", "раз",     "с",        "сам",        "себе",    "себя",
	"сколько", "со",      "так",    "там",     "тебя",     "теперь",     "то",      "тогда",
	"того",    "тоже",    "только", "тут",     "ты",       "у",          "уж",      "уже",
	"чего",    "чем",     "что",    "чтоб",    "эта",      "эти",        "это",     "этого",
	"этот",    "я",
};

static int compare(const void *key, const void *item)
{
	return ag_str_cmp(*(const ag_str *)key, ag_str_c(*(const char *const *)item));
}

bool ag_search_is_stop(ag_str word)
{
	return bsearch(&word, words, AG_NELEM(words), sizeof(*words), compare) != NULL;
}

bool ag_search_stop_is_sorted(void)
{
	for (size_t i = 1; i < AG_NELEM(words); i++) {
		if (ag_str_cmp(ag_str_c(words[i - 1]), ag_str_c(words[i])) >= 0)
			return false;
	}
	return true;
}
