/* sampled -- long lists of cases, with a sanitizer.
 *
 * The release tree runs every case of a file: it tests what is right. With AddressSanitizer a case takes five times as long and
 * tests memory, and the cases of one file take the same ways through the program: each third one runs, and all of them in
 * the long tier. */
#ifndef AG_TESTS_SAMPLED_H
#define AG_TESTS_SAMPLED_H

#include <stdlib.h>

#include "base/compiler.h"

/* One of so many cases runs. */
static inline unsigned test_sample(void)
{
#ifdef AG_HAS_ASAN
	return getenv("ARGUS_LONG") ? 1 : 3;
#else
	return 1;
#endif
}

/* Does the case of this number run? */
static inline bool test_is_in_sample(size_t number)
{
	return number % test_sample() == 0;
}

#endif
