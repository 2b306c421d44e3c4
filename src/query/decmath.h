/* decmath -- arithmetic on decimal128 beyond base/dec128: for expressions and accumulators.
 *
 * Works on the 34-digit integer coefficient; results are rounded half to even to 34 digits. */
#ifndef AG_QUERY_DECMATH_H
#define AG_QUERY_DECMATH_H

#include "base/dec128.h"

__extension__ typedef unsigned __int128 ag_u128;

typedef struct ag_decparts {
	bool neg, nan, inf;
	int exp;      /* value = coef * 10^exp */
	ag_u128 coef; /* below 10^34 */
} ag_decparts;

typedef enum ag_decround { AG_DEC_HALF_EVEN, AG_DEC_TRUNC, AG_DEC_FLOOR, AG_DEC_CEIL } ag_decround;

ag_decparts ag_decmath_unpack(ag_dec128 v);
/* coef below 10^34; exponents out of range are clamped, underflow to zero, or overflow to infinity. */
ag_dec128 ag_decmath_pack(const ag_decparts *p);
ag_dec128 ag_decmath_neg(ag_dec128 a);
ag_dec128 ag_decmath_mul(ag_dec128 a, ag_dec128 b);
/* Division by zero gives infinity or NaN; callers that refuse it check first. */
ag_dec128 ag_decmath_div(ag_dec128 a, ag_dec128 b);
/* The remainder with the sign of a, as C's fmod. */
ag_dec128 ag_decmath_mod(ag_dec128 a, ag_dec128 b);
/* Keep `places` digits behind the point (negative: round before the point). */
ag_dec128 ag_decmath_round(ag_dec128 a, int places, ag_decround mode);
/* The shortest decimal text of the double, as a decimal. */
ag_dec128 ag_decmath_from_double(double d);
/* Integral and within int64. */
bool ag_decmath_to_i64(ag_dec128 a, int64_t *ret);
bool ag_decmath_is_zero(ag_dec128 a);
/* Trailing zeros of the coefficient removed: equal values become equal bits. */
ag_dec128 ag_decmath_strip(ag_dec128 a);

#endif
