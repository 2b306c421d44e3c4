/* mojibake -- UTF-8 that was read as Latin-1 or Windows-1252. Others ask columns/textclass, or where a broken
 * letter is.
 *
 * The detector in mojibake.c and the regex below are the same rules twice; test_columns_textclass holds
 * them together. In both, K is a character that stands for a continuation byte 80..BF (in either code page),
 * and A is the part of K that ordinary typography puts behind a word: quotes, dashes, NBSP, (c), (r), TM. */
#ifndef AG_COLUMNS_MOJIBAKE_H
#define AG_COLUMNS_MOJIBAKE_H

#include "base/str.h"

#define MOJI_K "[\\x{80}-\\x{bf}ŒœŠšŸŽžƒˆ˜–—‘-‚“-„†-•…‰‹›€™]"
#define MOJI_9 "[\\x{80}-\\x{9f}ŒœŠšŸŽžƒˆ˜–—‘-‚“-„†-•…‰‹›€™]" /* images of 80..9F */
#define MOJI_H "[\\x{90}-\\x{aa}‘’“”•–—˜™š›œžŸ]"              /* images of 90..AA: Hebrew letters */
#define MOJI_A "[\\x{a0}\\x{a9}\\x{ab}\\x{ae}\\x{bb}„…‘’“”•–—™›]"
#define MOJI_L "[A-Za-z\\x{c0}-\\x{24f}]"
#define MOJI_U "[A-Z\\x{c0}-\\x{de}\\x{100}-\\x{17f}]"

/* In this order: U+00A0..00FF (not MANHÃ” in quotes); U+0100..017F beside Latin letters (not 5 Å²); two letters
 * of Greek, Cyrillic, Hebrew, Arabic; U+2000..27FF; kana; Vietnamese; two of the other three-byte letters;
 * byte order mark, U+FFFD and wide forms; emoji. */
#define AG_TEXT_MOJIBAKE_REGEX                                                                 \
	"(?:\\x{c2}(?=[\\x{a0}-\\x{bf}])|\\x{c3}(?=" MOJI_K "))"                               \
	"(?:(?!" MOJI_A ")|(?<!" MOJI_U "[\\x{c2}\\x{c3}])|(?=" MOJI_A MOJI_L "))"             \
	"|[\\x{c4}\\x{c5}](?!\\x{a0})" MOJI_K "(?:(?=[A-Za-z])|(?<=[a-z]..))"                  \
	"|(?:[\\x{ce}\\x{cf}]" MOJI_K "){2}|(?:[\\x{d0}-\\x{d3}]" MOJI_K "){2}"                \
	"|(?:\\x{d7}" MOJI_H "){2}|(?:[\\x{d8}-\\x{db}]" MOJI_K "){2}"                         \
	"|\\x{e2}" MOJI_9 MOJI_K "|\\x{e3}[\\x{80}-\\x{83}€‚ƒ]" MOJI_K                         \
	"|\\x{e1}[\\x{ba}\\x{bb}](?=" MOJI_K ")(?:(?!" MOJI_A ")|(?=" MOJI_A "[A-Za-z]))"      \
	"|(?:[\\x{e3}-\\x{ec}]" MOJI_K MOJI_K "){2}|(?:\\x{e0}[\\x{a4}-\\x{bf}]" MOJI_K "){2}" \
	"|\\x{ef}(?:\\x{bb}\\x{bf}|\\x{bf}\\x{bd}|[\\x{bc}\\x{bd}]" MOJI_K ")"                 \
	"|\\x{f0}[\\x{9f}Ÿ]" MOJI_K MOJI_K

bool ag_text_has_mojibake(ag_str s);
/* Returns the position of the next broken letter, searching from byte `from`, or s.len. Sets *ret_end to the byte after the letter.
 * Call it only for a text that has broken letters. */
size_t ag_text_next_mojibake(ag_str s, size_t from, size_t *ret_end);

#endif
