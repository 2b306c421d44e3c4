/* regex -- PCRE2 patterns with JIT, shared read-only by all threads.
 *
 * Options are MongoDB's: i m s x u. As on the server UTF is on and UCP is off (\d and \w are ASCII unless
 * the pattern starts with (*UCP)). Match effort is limited (PCRE2 match and depth limits), so a hostile
 * pattern ends as "no match" and is counted. Used for $regex and by the checks of the catalogue. */
#ifndef AG_QUERY_REGEX_H
#define AG_QUERY_REGEX_H

#include "base/arena.h"
#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_regex ag_regex;

#define AG_REGEX_MAX_BYTES 32768

/* Compiled once, freed with the arena. errors: AG_INVALID with PCRE2's message and offset. */
AG_CHECK ag_status ag_regex_compile(ag_str pattern, ag_str opts, ag_arena *arena,
                                    const ag_regex **ret, ag_err *err);
/* Subject need not be valid UTF-8 (then it never matches). Thread safe. */
bool ag_regex_match(const ag_regex *re, ag_str subject);
/* Subjects that were given up because the effort ran out; above 0 a count is not exact. */
uint64_t ag_regex_overruns(const ag_regex *re);
ag_str ag_regex_pattern(const ag_regex *re);
ag_str ag_regex_opts(const ag_regex *re);

#ifdef __cplusplus
}
#endif
#endif
