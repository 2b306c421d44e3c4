/* buf -- growing bytes with a hard limit (declared in str.h).
 *
 * Invariants: len <= limit; once ptr is set, cap > len and ptr[len] is NUL. The first append that
 * would pass the limit adds nothing, sets `failed`, and so do all later ones: the content is always
 * a prefix of what was asked for, cut between two appends. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAP 64 /* a short JSON object fits; doubling does the rest */

void ag_buf_init(ag_buf *b, size_t limit_bytes)
{
	*b = (ag_buf)AG_BUF_INIT(limit_bytes);
}

void ag_buf_release(ag_buf *b)
{
	free(b->ptr);
	*b = (ag_buf)AG_BUF_INIT(b->limit);
}

void ag_buf_clear(ag_buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->ptr)
		b->ptr[0] = '\0';
}

static void enlarge(ag_buf *b, size_t need)
{
	size_t cap = b->cap ? b->cap : FIRST_CAP;

	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	/* Doubling past the limit would reserve memory that can never be used. */
	if (b->limit < cap - 1)
		cap = b->limit + 1;
	b->ptr = (char *)ag_xrealloc(b->ptr, cap);
	b->cap = cap;
}

char *ag_buf_grow(ag_buf *b, size_t n)
{
	if (b->failed || n > b->limit - b->len || n > SIZE_MAX - 1 - b->len) {
		b->failed = true;
		return NULL;
	}
	if (b->len + n >= b->cap)
		enlarge(b, b->len + n + 1);
	b->ptr[b->len] = '\0';
	b->ptr[b->len + n] = '\0';
	return b->ptr + b->len;
}

void ag_buf_add(ag_buf *b, ag_str s)
{
	char *to;

	if (AG_UNLIKELY(!ag_buf_fits(b, s.len)) && !ag_buf_grow(b, s.len))
		return;
	to = b->ptr + b->len;
	if (s.len)
		memcpy(to, s.ptr, s.len);
	to[s.len] = '\0';
	b->len += s.len;
}

void ag_buf_adds(ag_buf *b, const char *cstr)
{
	ag_buf_add(b, ag_str_c(cstr));
}

void ag_buf_vaddf(ag_buf *b, const char *fmt, va_list ap)
{
	char small[256]; /* most pieces fit: one formatting pass and no guess about the size */
	va_list again;
	char *to;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	AG_ASSERT(n >= 0);
	to = ag_buf_room(b, (size_t)n);
	if (to) {
		if ((size_t)n < sizeof(small))
			memcpy(to, small, (size_t)n);
		else
			vsnprintf(to, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void ag_buf_addf(ag_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(b, fmt, ap);
	va_end(ap);
}

char *ag_buf_steal(ag_buf *b)
{
	char *p = b->ptr ? b->ptr : (char *)ag_xcalloc(1, 1);

	*b = (ag_buf)AG_BUF_INIT(b->limit);
	return p;
}
