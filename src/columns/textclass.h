/* textclass -- what a short text looks like: the detectors behind the catalogue's text rows.
 *
 * Hypotheses come from these classes; evidence is always a filter whose regex says the same thing (the
 * pattern stands beside each class). Pure functions on bytes that should be UTF-8. */
#ifndef AG_COLUMNS_TEXTCLASS_H
#define AG_COLUMNS_TEXTCLASS_H

#include "base/str.h"

/* Words for "nothing", in the case of nobody: what programs, spreadsheets and people write. */
#define AG_TEXT_NULL_WORDS                                                                             \
	"n/?a|n/d|n\\.a\\.?|<na>|#n/a|#(ref|value|null|num|div/0)!|#name\\?|\\\\n|nan|null|"           \
	"<null>|\\(null\\)|\\[null\\]|\\(blank\\)|\\(empty\\)|none|nil|unknown|undefined|unspecified|" \
	"tb[acd]|missing|empty|blank|no data|not (available|applicable|known|specified|provided)|"     \
	"test|xxx|lorem ipsum"

/* name | the same as a regex for evidence | its MongoDB options
 *
 * Detector and regex agree on every valid UTF-8 text; a test holds them together. As in any regex "$" also
 * stands before a last line feed. ODD_SPACE: zero width joiners belong into Persian, Indic scripts and
 * emoji, so they count only behind Latin letters and digits. */
#define AG_TEXT_CLASS_TABLE(X)                                                                            \
	X(NUMERIC, "^[\\t-\\r ]*[-+]?[0-9]+([.,][0-9]+)?[\\t-\\r ]*$", "")                                \
	X(NULL_WORD, "^\\s*(" AG_TEXT_NULL_WORDS "|-+|\\?+|\\.+|_+|\\*+)\\s*$", "i")                      \
	X(PADDED, "^[ \\t\\r\\n\\f\\x0b]|[ \\t\\r\\n\\f\\x0b]$", "")                                      \
	X(DOUBLE_BLANK, "[^ ]  +[^ ]", "")                                                                \
	X(ODD_SPACE,                                                                                      \
	  "[\\x{00a0}\\x{200b}\\x{2060}\\x{feff}\\t]|[0-9A-Za-z\\x{00c0}-\\x{024f}][\\x{200c}\\x{200d}]", \
	  "")                                                                                             \
	X(MOJIBAKE, AG_TEXT_MOJIBAKE_REGEX, "")                                                           \
	X(REPLACEMENT, "\\x{fffd}", "")                                                                   \
	X(CONTROL, "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]", "")                                   \
	X(ENTITY, "&(amp|lt|gt|quot|nbsp|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});", "")                      \
	X(EMAIL, "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "")                                                    \
	X(BOOL_WORD, "^(yes|no|y|n|true|false|on|off)$", "i")                                             \
	X(DOUBLED_MARK, "[A-Za-z]\\.\\.([ A-Za-z]|$)|,,|;;", "")                                          \
	X(EDGE_MARK, "^[;,:~|=][ 0-9A-Za-z]|[0-9A-Za-z.)][;,:~|\\\\=@&_^]$", "")                          \
	X(STAR, "^\\*[ 0-9A-Za-z]|[0-9A-Za-z.)]\\*$", "")                                                 \
	X(NON_ASCII, "[^\\x00-\\x7f]", "")

typedef enum ag_text_class {
#define X(name, regex, options) AG_TEXT_##name,
	AG_TEXT_CLASS_TABLE(X)
#undef X
		AG_TEXT_NCLASS
} ag_text_class;

/* Bit set (1 << ag_text_class); on bytes that are not UTF-8 the bits beyond ASCII mean nothing.
 * MOJIBAKE: UTF-8 that was read as Latin-1 or Windows-1252 and encoded again (Ã©, â€™): a run whose repair
 * is valid UTF-8 and is a letter, punctuation or symbol. A lone "Ã" is none, nor is “MAÇÃ” in quotes. */
unsigned ag_text_classify(ag_str s);
/* The repaired text of a MOJIBAKE string into out (at most s.len bytes); false when nothing to repair. */
bool ag_text_repair(ag_str s, ag_buf *out);
const char *ag_text_class_regex(ag_text_class c);
const char *ag_text_class_regex_options(ag_text_class c);

/* The time of day that may follow a date: "08:30", "8:30:15.5", "08:30 PM", "8:30 a.m.". */
#define AG_DATE_CLOCK_REGEX "( [0-9:.]+( ?[AaPp]\\.?[Mm]\\.?)?)?"

/* name | regex for evidence | example. The regex matches every text of the format; being no calendar, it
 * also matches 2026-02-30, which the detector refuses. */
#define AG_DATE_FORMAT_TABLE(X)                                                               \
	X(NONE, "", "")                                                                       \
	X(ISO, "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9]{2}:?[0-9]{2})?)?$",      \
	  "2026-03-01")                                                                       \
	X(YMD_SLASH, "^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}" AG_DATE_CLOCK_REGEX "$", "2026/03/01") \
	X(SLASH, "^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}" AG_DATE_CLOCK_REGEX "$", "03/01/2026")     \
	X(DOT, "^[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{4}" AG_DATE_CLOCK_REGEX "$", "01.03.2026")   \
	X(DASH, "^[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}" AG_DATE_CLOCK_REGEX "$", "01-03-2026")      \
	X(COMPACT, "^(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$", "20260301")    \
	X(RFC2822, "^[A-Za-z]{3}, [0-9]{1,2} [A-Za-z]{3} [0-9]{4} [0-9:]+ ",                  \
	  "Sun, 01 Mar 2026 08:00:00 +0000")                                                  \
	X(DAY_MONTH_NAME, "^[0-9]{1,2}[ -][A-Za-z]{3,9}[ -][0-9]{4}$", "1 Mar 2026")          \
	X(MONTH_NAME_DAY, "^[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4}$", "Mar 1, 2026")

typedef enum ag_date_format {
#define X(name, regex, example) AG_DATE_##name,
	AG_DATE_FORMAT_TABLE(X)
#undef X
		AG_DATE_NFORMAT
} ag_date_format;

/* The format of a text that is a possible calendar date (13/13/2026 is none). *ret_first and *ret_second are
 * the first two number parts for SLASH, DOT and DASH, else 0 (may be NULL). */
ag_date_format ag_text_date_format(ag_str s, int *ret_first, int *ret_second);
/* The moment of a text in SLASH, DOT or DASH (sep '/', '.', '-'), read as UTC; false when the order of day and month gives
 * no day of the calendar. */
bool ag_text_date_ms(ag_str s, char sep, bool is_day_first, int64_t *ret_ms);
const char *ag_date_format_regex(ag_date_format f);
const char *ag_date_format_example(ag_date_format f);

/* The shape of a text: letters by case (Latin, Greek, Cyrillic), digits as 9, all else as it stands; at most
 * 64 code points, then "…". */
void ag_text_shape(ag_str s, ag_buf *out);
#define AG_TEXT_SHAPE_MAX 260 /* bytes */
size_t ag_text_shape_into(char out[AG_TEXT_SHAPE_MAX], ag_str s);
/* Case folded (full Unicode for Latin, Greek, Cyrillic), white space trimmed and folded to one blank. */
void ag_text_fold(ag_str s, ag_buf *out);
/* As fold, and also without accents and punctuation: "São-Paulo." is "sao paulo". Signs that tell values
 * apart stay: C++ and C#, 1.5 and 15, -1. */
void ag_text_fold_hard(ag_str s, ag_buf *out);
size_t ag_text_words(ag_str s);

#endif
