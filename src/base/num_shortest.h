/* num_shortest -- the two conversions between double and text that C lacks; for base/ only.
 *
 * libc offers "%.17g", which is not the shortest text, and strtod, which obeys the locale. C++17
 * has both conversions, exact and without a locale, so num_shortest.cc wraps them. */
#ifndef AG_BASE_NUM_SHORTEST_H
#define AG_BASE_NUM_SHORTEST_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_NUM_MAX_DIGITS 17

/* The fewest digits that read back as v (finite; the sign is ignored): v = 0.d1d2d3... * 10^*point.
 * Returns how many; zero is the one digit "0" with *point 1. */
size_t ag_num_shortest(double v, char digits[AG_NUM_MAX_DIGITS], int *point);

typedef enum ag_num_read {
	AG_NUM_READ_OK,       /* nearest double; too small a number is a zero of its sign */
	AG_NUM_READ_BAD,      /* not [+-]digits[.digits][e[+-]digits] to the last byte */
	AG_NUM_READ_INFINITE, /* a number, but too large: *ret is an infinity of its sign */
} ag_num_read;

ag_num_read ag_num_read_double(const char *text, size_t len, double *ret);

#ifdef __cplusplus
}
#endif
#endif
