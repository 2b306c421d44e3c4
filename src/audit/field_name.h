/* field_name -- what the name of a field says about its values.
 *
 * A name is cut into words ("orderDate", "order_date" and "ORDER-DATE" are "order", "date") and each word is
 * looked up in the table of field_words.c. Whole words only: "discount" is no count, "message" no age. */
#ifndef AG_AUDIT_FIELD_NAME_H
#define AG_AUDIT_FIELD_NAME_H

#include "base/str.h"

#define AG_NAME_MAX_WORDS 10
#define AG_NAME_MAX_WORD  24

typedef uint64_t ag_traits;

#define AG_TRAIT_ID          ((ag_traits)1 << 0)
#define AG_TRAIT_KEY         ((ag_traits)1 << 1)
#define AG_TRAIT_FOREIGN     ((ag_traits)1 << 2)
#define AG_TRAIT_ZIP         ((ag_traits)1 << 3)
#define AG_TRAIT_PHONE       ((ag_traits)1 << 4)
#define AG_TRAIT_MONEY       ((ag_traits)1 << 5)
#define AG_TRAIT_COUNT       ((ag_traits)1 << 6)
#define AG_TRAIT_MEASURE     ((ag_traits)1 << 7)
#define AG_TRAIT_NUMERIC     ((ag_traits)1 << 8)
#define AG_TRAIT_SIGNED      ((ag_traits)1 << 9)
#define AG_TRAIT_PERCENT     ((ag_traits)1 << 10)
#define AG_TRAIT_AGE         ((ag_traits)1 << 11)
#define AG_TRAIT_LAT         ((ag_traits)1 << 12)
#define AG_TRAIT_LON         ((ag_traits)1 << 13)
#define AG_TRAIT_RATING      ((ag_traits)1 << 14)
#define AG_TRAIT_PAST        ((ag_traits)1 << 15)
#define AG_TRAIT_FUTURE      ((ag_traits)1 << 16)
#define AG_TRAIT_OPENEND     ((ag_traits)1 << 17)
#define AG_TRAIT_BIRTH       ((ag_traits)1 << 18)
#define AG_TRAIT_HISTORIC    ((ag_traits)1 << 19)
#define AG_TRAIT_PERSON      ((ag_traits)1 << 20)
#define AG_TRAIT_NAME        ((ag_traits)1 << 21)
#define AG_TRAIT_PROSE       ((ag_traits)1 << 22)
#define AG_TRAIT_HTML        ((ag_traits)1 << 23)
#define AG_TRAIT_OPTIONAL    ((ag_traits)1 << 24)
#define AG_TRAIT_CORE        ((ag_traits)1 << 25)
#define AG_TRAIT_POLY        ((ag_traits)1 << 26)
#define AG_TRAIT_ENUMISH     ((ag_traits)1 << 27)
#define AG_TRAIT_CASE        ((ag_traits)1 << 28)
#define AG_TRAIT_TIME        ((ag_traits)1 << 29)
#define AG_TRAIT_CONST       ((ag_traits)1 << 30)
#define AG_TRAIT_REGION      ((ag_traits)1 << 31)
#define AG_TRAIT_SET         ((ag_traits)1 << 32)
#define AG_TRAIT_NONZERO     ((ag_traits)1 << 33)
#define AG_TRAIT_EMAIL       ((ag_traits)1 << 34)
#define AG_TRAIT_YEAR        ((ag_traits)1 << 35)
#define AG_TRAIT_UNITTIME    ((ag_traits)1 << 36)
#define AG_TRAIT_HUMIDITY    ((ag_traits)1 << 37)
#define AG_TRAIT_TEMPERATURE ((ag_traits)1 << 38)
#define AG_TRAIT_RATE        ((ag_traits)1 << 39)
#define AG_TRAIT_CODE        ((ag_traits)1 << 40)
#define AG_TRAIT_ITEMS       ((ag_traits)1 << 41)
#define AG_TRAIT_WORKLOAD    ((ag_traits)1 << 42)

typedef struct ag_trait_words {
	ag_traits trait;
	const char *words; /* blank-separated */
} ag_trait_words;

typedef struct ag_field_name {
	char word[AG_NAME_MAX_WORDS][AG_NAME_MAX_WORD]; /* lower case; a plural loses its s */
	size_t nword;
	ag_traits traits;      /* of all words */
	ag_traits first, last; /* of the first and of the last word */
	bool is_plural;        /* the last word lost an s */
} ag_field_name;

const ag_trait_words *ag_trait_table(size_t *ret_n);
/* Traits of one lower-case word. */
ag_traits ag_word_traits(ag_str word);
ag_field_name ag_field_name_of(ag_str name);
bool ag_field_has_word(const ag_field_name *n, const char *word);

#endif
