/* arena -- bump allocation out of blocks that grow from 2 KB to 1 MB.
 *
 * `head` is the block that is being filled; older blocks and allocations too large to share a block
 * hang behind it. A reset runs the deferred calls, frees all blocks but the head and starts it
 * again: the loop that resets its step arena soon stops calling malloc. Deferred calls live in the
 * arena itself, so they need no second list to free.
 *
 * Under AddressSanitizer everything not handed out is poisoned and each allocation has a gap behind
 * it: without that, an arena hides use after reset and overruns. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(AG_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#define GAP            16
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#define GAP            0
#endif

#define FIRST_BLOCK \
	(2u * 1024) /* most arenas of a server hold less, and a thousand turns have many */
#define MAX_BLOCK (1024u * 1024)
#define ALIGN     _Alignof(max_align_t)

typedef struct block {
	struct block *next;
	size_t size, used; /* of data */
	_Alignas(max_align_t) unsigned char data[];
} block;

typedef struct deferred {
	struct deferred *next;
	void (*fn)(void *arg);
	void *arg;
} deferred;

struct ag_arena {
	block *head;
	deferred *calls;
	size_t next_size; /* of the next shared block */
	size_t bytes;     /* handed out since the last reset */
};

ag_arena *ag_arena_new(void)
{
	ag_arena *a = (ag_arena *)ag_xcalloc(1, sizeof(*a));

	a->next_size = FIRST_BLOCK;
	return a;
}

static void run_deferred(ag_arena *a)
{
	/* A call may defer another one; it is run too. */
	while (a->calls) {
		deferred *d = a->calls;

		a->calls = d->next;
		d->fn(d->arg);
	}
}

static void free_block(block *b)
{
	UNPOISON(b->data, b->size);
	free(b);
}

static void free_blocks(block *b)
{
	while (b) {
		block *next = b->next;

		free_block(b);
		b = next;
	}
}

ag_arena *ag_arena_free(ag_arena *a)
{
	if (a) {
		run_deferred(a);
		free_blocks(a->head);
		free(a);
	}
	return NULL;
}

void ag_arena_freep(ag_arena **a)
{
	*a = ag_arena_free(*a);
}

void ag_arena_reset(ag_arena *a)
{
	block *keep;

	run_deferred(a);
	keep = a->head; /* a deferred call may have allocated */
	a->bytes = 0;
	if (!keep)
		return;
	free_blocks(keep->next);
	keep->next = NULL;
	if (keep->size > MAX_BLOCK) { /* one oversized allocation must not stay reserved */
		free_block(keep);
		a->head = NULL;
		return;
	}
	keep->used = 0;
	POISON(keep->data, keep->size);
}

size_t ag_arena_bytes(const ag_arena *a)
{
	return a->bytes;
}

static block *new_block(size_t size)
{
	block *b;

	if (size > PTRDIFF_MAX - sizeof(*b))
		ag_oom();
	b = (block *)ag_xmalloc(sizeof(*b) + size);
	b->next = NULL;
	b->size = size;
	b->used = 0;
	POISON(b->data, size);
	return b;
}

/* A block with room for n bytes. A large request gets a block of its own behind the head, so that
 * the rest of the head stays in use. */
static block *block_for(ag_arena *a, size_t n)
{
	block *b;

	if (n > a->next_size / 4 && a->head) {
		b = new_block(n);
		b->next = a->head->next;
		a->head->next = b;
		return b;
	}
	b = new_block(n > a->next_size ? n : a->next_size);
	b->next = a->head;
	a->head = b;
	if (a->next_size < MAX_BLOCK)
		a->next_size *= 2;
	return b;
}

void *ag_arena_alloc(ag_arena *a, size_t n)
{
	block *b = a->head;
	size_t want;
	void *p;

	if (AG_UNLIKELY(n > PTRDIFF_MAX - GAP - ALIGN))
		ag_oom();
	/* Zero bytes still get an address of their own. */
	want = ((n ? n : 1) + GAP + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (AG_UNLIKELY(!b || want > b->size - b->used))
		b = block_for(a, want);
	p = b->data + b->used;
	b->used += want;
	a->bytes += want;
	UNPOISON(p, n);
	/* Blocks are reused after a reset, so zeroing here is the one place that is always right. */
	memset(p, 0, n);
	return p;
}

void *ag_arena_alloc_n(ag_arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (AG_UNLIKELY(__builtin_mul_overflow(n, size, &bytes)))
		ag_oom();
	return ag_arena_alloc(a, bytes);
}

void ag_arena_defer(ag_arena *a, void (*fn)(void *arg), void *arg)
{
	deferred *d = ag_new(a, deferred);

	d->fn = fn;
	d->arg = arg;
	d->next = a->calls;
	a->calls = d;
}

char *ag_str_cstr(ag_arena *a, ag_str s)
{
	char *p;

	AG_ASSERT(s.len < SIZE_MAX);
	p = (char *)ag_arena_alloc(a, s.len + 1);
	if (s.len)
		memcpy(p, s.ptr, s.len);
	return p;
}

ag_str ag_str_dup(ag_arena *a, ag_str s)
{
	return ag_str_make(ag_str_cstr(a, s), s.len);
}

ag_str ag_str_printf(ag_arena *a, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	AG_ASSERT(n >= 0);
	if ((size_t)n < sizeof(small))
		return ag_str_dup(a, ag_str_make(small, (size_t)n));
	p = (char *)ag_arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return ag_str_make(p, (size_t)n);
}

ag_str ag_buf_dup(ag_arena *a, const ag_buf *b)
{
	return ag_str_dup(a, ag_buf_view(b));
}
