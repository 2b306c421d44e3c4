/* dec128 -- IEEE 754-2008 decimal128 in BSON's binary integer (BID) encoding.
 *
 * Source: BSON specification, "Decimal128"; IEEE 754-2008 section 3.5.2. Works on the 34-digit
 * integer coefficient, so no value passes through double. */
#ifndef AG_BASE_DEC128_H
#define AG_BASE_DEC128_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_dec128 {
	uint64_t lo, hi; /* little-endian halves as in BSON */
} ag_dec128;

#define AG_DEC128_MAX_TEXT 48

/* Whole slice as a decimal number, "NaN", "Infinity", "-Infinity" (any case, "Inf" too). False when
 * it is not one, or not exactly representable (more than 34 digits, exponent out of range). */
bool ag_dec128_parse(ag_str s, ag_dec128 *ret);
/* Scientific or plain notation as the BSON specification asks; "1.10" stays "1.10". */
size_t ag_dec128_format(char out[AG_DEC128_MAX_TEXT], ag_dec128 v);
ag_dec128 ag_dec128_from_i64(int64_t v);
bool ag_dec128_is_nan(ag_dec128 v);
bool ag_dec128_is_inf(ag_dec128 v); /* either sign */
bool ag_dec128_is_neg(ag_dec128 v);
/* Nearest double. */
double ag_dec128_to_double(ag_dec128 v);
/* Numeric order; NaN equals NaN and is below everything, as BSON orders it. 1.1 equals 1.10. */
int ag_dec128_cmp(ag_dec128 a, ag_dec128 b);
/* Exact order against an integer and against a double (the double taken at its exact value). */
int ag_dec128_cmp_i64(ag_dec128 a, int64_t b);
int ag_dec128_cmp_double(ag_dec128 a, double b);
/* Sum rounded half to even to 34 digits. */
ag_dec128 ag_dec128_add(ag_dec128 a, ag_dec128 b);

#ifdef __cplusplus
}
#endif
#endif
