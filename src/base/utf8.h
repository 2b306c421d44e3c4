/* utf8 -- decoding, validation and display width of UTF-8. */
#ifndef AG_BASE_UTF8_H
#define AG_BASE_UTF8_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Decode the code point at s[*pos] and advance *pos. An invalid byte gives 0xFFFD and advances by
 * one; overlong forms, surrogates and values above U+10FFFF are invalid. Needs *pos < s.len. */
uint32_t ag_utf8_next(ag_str s, size_t *pos);
/* Append a code point (invalid ones as U+FFFD) to 4 bytes; returns how many. */
size_t ag_utf8_put(char out[4], uint32_t cp);
bool ag_utf8_valid(ag_str s);
/* Valid and without NUL: what a database and a C string can hold. */
bool ag_utf8_is_text(ag_str s);
/* Code points in s; an invalid byte counts as one. */
size_t ag_utf8_count(ag_str s);
/* The first at most n code points. */
ag_str ag_utf8_prefix(ag_str s, size_t n);
/* Columns on a terminal: 0 for combining marks and zero width, 2 for wide East Asian and emoji. */
size_t ag_utf8_width(ag_str s);
size_t ag_utf8_cp_width(uint32_t cp);

/* Capital letters of Latin, Greek, Cyrillic and Armenian become small ones in place. No letter changes its length, so an
 * offset into the result is an offset into the text. */
void ag_utf8_lower(char *p, size_t n);
/* Letters, digits, marks and "_". */
bool ag_utf8_is_letter(uint32_t cp);

#ifdef __cplusplus
}
#endif
#endif
