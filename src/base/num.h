/* num -- numbers as text: the one shortest round-trip formatter (DESIGN section 9). */
#ifndef AG_BASE_NUM_H
#define AG_BASE_NUM_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_NUM_MAX 32

/* The shortest text that reads back as the same double. Integral values keep ".0" only when
 * `keep_point`; exponents appear below 1e-6 and from 1e21 on, as in JavaScript: "1e-7", "1e+22".
 * NaN and infinities are "NaN", "Infinity", "-Infinity". Returns the length; out is NUL-terminated. */
size_t ag_num_double(char out[AG_NUM_MAX], double v, bool keep_point);
size_t ag_num_i64(char out[AG_NUM_MAX], int64_t v);
size_t ag_num_u64(char out[AG_NUM_MAX], uint64_t v);
/* Sixteen lower case digits, as of "%016llx". */
size_t ag_num_hex(char out[AG_NUM_MAX], uint64_t v);
/* 1234567 as "1,234,567", for people. */
size_t ag_num_grouped(char out[AG_NUM_MAX], uint64_t v);

#ifdef __cplusplus
}
#endif
#endif
