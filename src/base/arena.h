/* arena -- memory with a lifetime: allocate freely, release all at once.
 *
 * Lifetimes are process, run and step (STYLE 3.4). One arena serves one thread at a time.
 * Memory comes zeroed. Debug builds with AddressSanitizer poison what a reset gives back. */
#ifndef AG_BASE_ARENA_H
#define AG_BASE_ARENA_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_arena ag_arena;

ag_arena *ag_arena_new(void);
ag_arena *ag_arena_free(ag_arena *a); /* accepts NULL, returns NULL */
void ag_arena_freep(ag_arena **a);    /* for AG_AUTO */
/* Everything allocated so far is gone; deferred calls run first, newest first. */
void ag_arena_reset(ag_arena *a);
/* Bytes handed out since the last reset, padding included. */
size_t ag_arena_bytes(const ag_arena *a);

/* n zeroed bytes, aligned for any type. Never NULL. */
void *ag_arena_alloc(ag_arena *a, size_t n);
/* n * size bytes; a product that overflows counts as out of memory. */
void *ag_arena_alloc_n(ag_arena *a, size_t n, size_t size);
/* Call fn(arg) when the arena is reset or freed: ties a foreign object to this lifetime. */
void ag_arena_defer(ag_arena *a, void (*fn)(void *arg), void *arg);

#define ag_new(arena, T)      ((T *)ag_arena_alloc((arena), sizeof(T)))
#define ag_new_n(arena, T, n) ((T *)ag_arena_alloc_n((arena), (size_t)(n), sizeof(T)))

/* Copies that live as long as the arena; always NUL-terminated behind len. */
ag_str ag_str_dup(ag_arena *a, ag_str s);
char *ag_str_cstr(ag_arena *a, ag_str s);
AG_PRINTF(2, 3) ag_str ag_str_printf(ag_arena *a, const char *fmt, ...);
/* The buffer's bytes as a slice of the arena; the buffer stays as it is. */
ag_str ag_buf_dup(ag_arena *a, const ag_buf *b);

#ifdef __cplusplus
}
#endif
#endif
