/* outline_cmark -- a parse in memory of its own, of which there is only so much.
 *
 * cmark-gfm takes some 170 bytes for each line and mark of a text, and 24 GB for 4 MB of one long link definition that is
 * used often. Its allocator must not return NULL, so the only way out of a parse that asks for too much is longjmp: all its
 * memory is ours, in chunks that are freed at once, and it keeps no other state. Its functions get no argument, hence
 * the one variable of this file: the parse of this thread. Once the tree stands the limit is lifted, so that no jump can
 * leave the visitor. */
#include "ask/outline_cmark.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAX_BYTES   ((size_t)96 << 20) /* an ordinary text takes 10 to 20 times its size */
#define FIRST_CHUNK ((size_t)16 << 10) /* a single heading needs no more */
#define BIG_CHUNK   ((size_t)1 << 20)
#define MAP_FROM \
	((size_t)256 << 10) /* from here on mapped at once: page faults cost more than the parse */

typedef struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
} chunk;

typedef struct memory {
	chunk *chunks; /* the newest first */
	size_t total, limit;
	jmp_buf full;
} memory;

static _Thread_local memory *current;

/* Each block has its size before it, for realloc. */
typedef struct block {
	_Alignas(16) size_t size;
} block;

/* Zeroed. */
static chunk *new_chunk(size_t size)
{
	size_t whole = sizeof(chunk) + size;
	chunk *c;

	if (size < MAP_FROM) {
		c = ag_xcalloc(1, whole);
	} else {
		c = mmap(NULL, whole, PROT_READ | PROT_WRITE,
		         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (c == MAP_FAILED)
			ag_oom();
	}
	c->size = size;
	return c;
}

static void free_chunk(chunk *c)
{
	if (c->size < MAP_FROM)
		free(c);
	else
		munmap(c, sizeof(*c) + c->size);
}

static void *take(size_t n)
{
	memory *m = current;
	size_t whole = (n + sizeof(block) + 15) & ~(size_t)15;
	chunk *c = m->chunks;
	block *b;

	if (n > m->limit || !c || c->size - c->used < whole) {
		size_t size = !c ? FIRST_CHUNK : c->size < BIG_CHUNK ? c->size * 2 : BIG_CHUNK;

		if (size < whole)
			size = whole;
		if (n > m->limit || m->total + size > m->limit)
			longjmp(m->full, 1);
		c = new_chunk(size);
		c->next = m->chunks;
		m->chunks = c;
		m->total += size;
	}
	b = (block *)(void *)(c->bytes + c->used);
	c->used += whole;
	b->size = n;
	return b + 1;
}

static void *take_zeroed(size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 4 / size)
		longjmp(current->full, 1);
	return take(n * size); /* chunks come zeroed and nothing is used twice */
}

static void *take_more(void *p, size_t n)
{
	block *b = p ? (block *)p - 1 : NULL;
	void *q;

	if (b && n <= b->size)
		return p;
	q = take(n);
	if (b)
		memcpy(q, p, b->size);
	return q;
}

static void leave(void *p)
{
	(void)p; /* all of it goes at the end */
}

static cmark_mem allocator = { take_zeroed, take_more, leave };

static void release(memory *m)
{
	while (m->chunks) {
		chunk *next = m->chunks->next;

		free_chunk(m->chunks);
		m->chunks = next;
	}
}

/* No variable of this function lives across the jump. */
static bool parse(memory *m, ag_str text, cmark_node **ret)
{
	cmark_parser *p;

	if (setjmp(m->full))
		return false;
	p = cmark_parser_new_with_mem(CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_FOOTNOTES, &allocator);
	cmark_parser_feed(p, text.ptr, text.len);
	*ret = cmark_parser_finish(p);
	return true;
}

bool ag_cmark_read(ag_str text, void (*visit)(cmark_node *document, void *arg), void *arg)
{
	memory m = { .limit = MAX_BYTES }, *outer = current;
	cmark_node *document;
	bool ok;

	current = &m;
	ok = parse(&m, text, &document);
	if (ok) {
		m.limit = SIZE_MAX / 4;
		visit(document, arg);
	}
	current = outer;
	release(&m);
	return ok;
}
