/* str -- slices of bytes and growing buffers with a hard limit.
 *
 * An ag_str is borrowed: it never owns what it points to and may lack a NUL.
 * An ag_buf owns its bytes; its first failure sticks, so producers need no checks and test
 * `failed` once at the end. Neither is shared between threads without a lock of the caller. */
#ifndef AG_BASE_STR_H
#define AG_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_str {
	const char *ptr;
	size_t len;
} ag_str;

/* The tool takes the braces of an initialiser for a block. */
/* clang-format off */
#define AG_S(lit)                ((ag_str){ "" lit, sizeof(lit) - 1 }) /* literals only */
#define AG_S_INIT(lit)           { "" lit, sizeof(lit) - 1 }           /* inside static tables */
#define AG_BUF_INIT(limit_bytes) { NULL, 0, 0, (limit_bytes), false }
/* clang-format on */
#define AG_FMT(s) (int)(s).len, (s).ptr /* printf("%.*s", AG_FMT(s)) */

static inline ag_str ag_str_make(const char *ptr, size_t len)
{
	ag_str s = { ptr, len };
	return s;
}

/* A view of a NUL-terminated string; NULL gives the empty slice. */
static inline ag_str ag_str_c(const char *cstr)
{
	return ag_str_make(cstr, cstr ? strlen(cstr) : 0);
}

static inline bool ag_str_eq(ag_str a, ag_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool ag_str_eqc(ag_str a, const char *b)
{
	return b ? ag_str_eq(a, ag_str_c(b)) : a.len == 0;
}

/* Bytewise order, shorter first on a tie: the order of strcmp and of BSON strings. */
int ag_str_cmp(ag_str a, ag_str b);
bool ag_str_starts(ag_str s, ag_str prefix);
bool ag_str_ends(ag_str s, ag_str suffix);
/* ASCII case folded equality. */
bool ag_str_ieq(ag_str a, ag_str b);
/* Index of the first `c`, or -1. */
ptrdiff_t ag_str_find(ag_str s, char c);
bool ag_str_contains(ag_str s, ag_str part);
/* Without ASCII white space at both ends. */
ag_str ag_str_trim(ag_str s);
/* Cut off and return the text before the next `sep`; *rest moves behind it. The last piece
 * leaves *rest empty with ptr NULL. */
ag_str ag_str_split(ag_str *rest, char sep);
/* Take n digits (at most 9) off the front; false, and nothing is taken, when they are not there. */
bool ag_str_take_digits(ag_str *s, size_t n, int *ret);
/* Whole slice as a decimal integer; false on anything else, incl. overflow. */
bool ag_str_to_i64(ag_str s, int64_t *ret);
bool ag_str_to_u64(ag_str s, uint64_t *ret);
/* Whole slice as a finite double in C notation, whatever the locale. */
bool ag_str_to_double(ag_str s, double *ret);
/* Number of insertions, deletions, changes and swaps of neighbours between two short strings
 * (at most 64 bytes each, else SIZE_MAX). Used to name the nearest known option or key. */
size_t ag_str_distance(ag_str a, ag_str b);
/* The nearest of n names within distance 3 and half of the word and of the name, or NULL. */
const char *ag_str_nearest(ag_str word, const char *const *names, size_t n);

/* Growing bytes with a hard limit. */
typedef struct ag_buf {
	char *ptr; /* NUL-terminated once anything was added; NULL while empty */
	size_t len, cap, limit;
	bool failed; /* the limit was hit: nothing was added from then on */
} ag_buf;

void ag_buf_init(ag_buf *b, size_t limit_bytes);
void ag_buf_release(ag_buf *b);
void ag_buf_clear(ag_buf *b); /* empties, keeps memory and limit, forgets a failure */

char *ag_buf_grow(ag_buf *b, size_t n); /* of ag_buf_room(): more memory, or a failure */

/* Whether n more bytes fit into the memory that is there. A limit may have been lowered since that was asked for. */
static inline bool ag_buf_fits(const ag_buf *b, size_t n)
{
	return !b->failed && n < b->cap - b->len && n <= b->limit - b->len;
}

/* Make room for n more bytes and return where they go, or NULL when over the limit. The caller adds
 * what it wrote to b->len; the NUL is set for n bytes, so whoever writes fewer sets it again. */
static inline char *ag_buf_room(ag_buf *b, size_t n)
{
	char *to;

	if (AG_UNLIKELY(!ag_buf_fits(b, n)))
		return ag_buf_grow(b, n);
	to = b->ptr + b->len;
	to[0] = '\0';
	to[n] = '\0';
	return to;
}

void ag_buf_add(ag_buf *b, ag_str s);

/* Here, because JSON and the wire of a database are written a byte at a time: a call each costs four times as much. */
static inline void ag_buf_addc(ag_buf *b, char c)
{
	char *to;

	if (AG_UNLIKELY(!ag_buf_fits(b, 1)) && !ag_buf_grow(b, 1))
		return;
	to = b->ptr + b->len++;
	to[0] = c;
	to[1] = '\0';
}

void ag_buf_adds(ag_buf *b, const char *cstr);
AG_PRINTF(2, 3) void ag_buf_addf(ag_buf *b, const char *fmt, ...);
AG_PRINTF(2, 0) void ag_buf_vaddf(ag_buf *b, const char *fmt, va_list ap);

static inline ag_str ag_buf_view(const ag_buf *b)
{
	return ag_str_make(b->ptr ? b->ptr : "", b->len);
}

/* Hands out the bytes (free() them); the buffer becomes empty. Never NULL. */
char *ag_buf_steal(ag_buf *b);

#ifdef __cplusplus
}
#endif
#endif
