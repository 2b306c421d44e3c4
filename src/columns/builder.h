/* builder -- appends documents to a chunk. Internal to columns/.
 *
 *   ag_build_doc(b, at, line)
 *     ag_build_object(b, &o, b->root, doc)          an object becomes a row of a column
 *       c = ag_build_key(b, &o, key)                column of that member; NULL = skip the member
 *       ag_build_row(b, c, o.row, AG_T_INT32, 7)    a scalar
 *     ag_build_object_end(b, &o)
 *   ag_build_doc_end(b)                             or ag_build_doc_drop(b)
 *
 * The readers of JSON, BSON and CSV call this for every value, so the usual case is inline: a key is found by
 * guessing that it follows the same key as the last time, the shape of an object by comparing it to the last
 * one. A document that breaks a limit sets `failed`, becomes harmless to build on and leaves no trace. */
#ifndef AG_COLUMNS_BUILDER_H
#define AG_COLUMNS_BUILDER_H

#include "columns/chunk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Different paths of one block. A path costs some 300 bytes, so this bounds what a hostile block takes; no
 * honest block of 4 MiB has as many. */
#define AG_BUILD_MAX_COLS 500000

typedef struct ag_bcol ag_bcol;
struct ag_bcol {
	ag_col c;         /* first: chunk->cols points here */
	ag_bcol *first;   /* the member that came first the last time */
	ag_bcol *next;    /* the member that followed this one the last time */
	uint64_t head[2]; /* the first 16 bytes of the name, zeros behind it */
	uint64_t mask[2]; /* where head has bytes of the name */
	uint32_t shape;   /* of the last object here */
	uint32_t *index; /* named children by hash of the name, when there are many: id, 0 = free */
	uint32_t index_cap; /* a power of two */
};

/* An object under construction; lives on the caller's stack. */
typedef struct ag_build_obj {
	struct ag_build_obj *outer;
	ag_bcol *col, *guess;
	uint32_t row;
	uint32_t top;  /* highest column id of its members so far */
	uint32_t from; /* its members are b->members[from .. b->nmember) */
} ag_build_obj;

typedef struct ag_builder {
	ag_chunk *chunk;
	ag_bcol *root;
	ag_bcol *sink; /* takes the items of a document that is over a limit */
	ag_build_obj *open;
	const char *failed; /* why this document cannot be kept, or NULL */
	uint32_t *members;  /* column ids of the objects under construction */
	uint32_t nmember, capmember;
	uint32_t cap_doc, cap_shape, cap_shape_members;
	uint32_t *shape_index; /* shape id + 1 by hash; 0 = free */
	uint32_t shape_index_cap;
	/* rows of each column of the last chunk: what to expect of the next one */
	struct ag_build_hint *hints;
	uint32_t nhint;
	size_t heap_hint;
	/* keys of the current document that went to ANY columns, to find duplicates */
	struct ag_build_seen *seen;
	uint32_t nseen, cap_seen, seen_turn;
	bool has_lines;
	uint64_t duplicate_keys; /* of the documents kept so far */
	/* what ag_build_doc_drop() goes back to */
	uint32_t mark_cols;
	size_t mark_heap;
	uint64_t mark_duplicates;
} ag_builder;

/* A builder for one chunk after the other; begin makes a new chunk, finish hands it out. */
void ag_builder_init(ag_builder *b);
void ag_builder_release(ag_builder *b);
void ag_builder_begin(ag_builder *b, bool has_lines);
ag_chunk *ag_builder_finish(ag_builder *b);
ag_chunk *ag_chunk_free(ag_chunk *c);

void ag_build_doc(ag_builder *b, uint64_t at, uint32_t line);
/* False: the document is dropped and *ret_why (may be NULL) says why. */
bool ag_build_doc_end(ag_builder *b, const char **ret_why);
void ag_build_doc_drop(ag_builder *b);

/* One whole value at a depth (a document is at 1), or one whole document: begin, object, end. */
void ag_build_val(ag_builder *b, ag_bcol *c, uint32_t up, const ag_val *v, ag_arena *scratch,
                  unsigned depth);
bool ag_build_doc_val(ag_builder *b, uint64_t at, uint32_t line, const ag_val *doc,
                      ag_arena *scratch, const char **ret_why);

/* Heap references of the types that need more than their bytes. */
uint64_t ag_build_binary(ag_builder *b, unsigned subtype, const char *p, size_t n);
uint64_t ag_build_regex(ag_builder *b, ag_str pattern, ag_str opts);
uint64_t ag_build_dec128(ag_builder *b, ag_dec128 d);
/* What the row of a scalar keeps in val. */
uint64_t ag_build_bits(ag_builder *b, const ag_val *v, ag_arena *scratch);

/* A named child, made when needed, without a limit on their number (CSV headers). */
ag_bcol *ag_build_named(ag_builder *b, ag_bcol *parent, ag_str name);
/* Add the arrays for views to a column that has no rows yet. */
void ag_build_with_views(ag_bcol *c);

/* The unusual cases of the inline functions below. */
void ag_build_grow(ag_builder *b, ag_bcol *c);
void ag_build_grow_members(ag_builder *b);
uint64_t ag_build_heap_slow(ag_builder *b, const char *p, size_t n, size_t room);
ag_bcol *ag_build_key_slow(ag_builder *b, ag_build_obj *o, const char *key, size_t len);
ag_bcol *ag_build_elem_slow(ag_builder *b, ag_bcol *array);
uint32_t ag_build_shape(ag_builder *b, const uint32_t *ids, uint32_t n);
void ag_build_shapes_begin(ag_builder *b);

static inline uint32_t ag_build_row(ag_builder *b, ag_bcol *c, uint32_t up, unsigned type,
                                    uint64_t val)
{
	uint32_t n = c->c.n;

	if (AG_UNLIKELY(n == c->c.cap))
		ag_build_grow(b, c);
	c->c.up[n] = up;
	c->c.type[n] = (uint8_t)type;
	c->c.val[n] = val;
	c->c.n = n + 1;
	return n;
}

static inline void ag_build_view(ag_bcol *c, uint32_t row, unsigned type, uint64_t val)
{
	c->c.view_type[row] = (uint8_t)type;
	c->c.view_val[row] = val;
}

/* Bytes into the heap; gives the reference that a row keeps. A NUL follows them. */
static inline uint64_t ag_build_heap(ag_builder *b, const char *p, size_t n)
{
	ag_chunk *c = b->chunk;
	uint64_t ref;

	if (AG_UNLIKELY(c->heap_cap - c->heap_len <= n))
		return ag_build_heap_slow(b, p, n, n + 1);
	ref = (uint64_t)c->heap_len << 32 | n;
	if (n)
		memcpy(c->heap + c->heap_len, p, n);
	c->heap[c->heap_len + n] = '\0';
	c->heap_len += n + 1;
	return ref;
}

/* The same when 32 bytes may be read at p, whatever n is: short strings are copied without a loop. */
static inline uint64_t ag_build_heap_padded(ag_builder *b, const char *p, size_t n)
{
	ag_chunk *c = b->chunk;
	uint64_t ref;

	if (AG_UNLIKELY(n > 31 || c->heap_cap - c->heap_len < 32))
		return ag_build_heap(b, p, n);
	ref = (uint64_t)c->heap_len << 32 | n;
	memcpy(c->heap + c->heap_len, p, 32);
	c->heap[c->heap_len + n] = '\0';
	c->heap_len += n + 1;
	return ref;
}

static inline void ag_build_object(ag_builder *b, ag_build_obj *o, ag_bcol *c, uint32_t up)
{
	o->outer = b->open;
	o->col = c;
	o->guess = c->first;
	o->top = 0;
	o->from = b->nmember;
	o->row = ag_build_row(b, c, up, AG_T_OBJECT, 0);
	b->open = o;
}

/* key[0 .. 16) may be read, whatever len is. */
static inline bool ag_build_same_key_padded(const ag_bcol *c, const char *key, size_t len)
{
	uint64_t a, b;

	memcpy(&a, key, 8);
	memcpy(&b, key + 8, 8);
	if (((a & c->mask[0]) ^ c->head[0]) | ((b & c->mask[1]) ^ c->head[1]) |
	    (c->c.name.len ^ len))
		return false;
	return len <= 16 || memcmp(c->c.name.ptr, key, len) == 0;
}

static inline bool ag_build_same_key(const ag_bcol *c, const char *key, size_t len)
{
	return c->c.name.len == len && (len == 0 || memcmp(c->c.name.ptr, key, len) == 0);
}

/* A member whose column is known and not there yet. */
static inline void ag_build_member(ag_builder *b, const ag_bcol *c)
{
	if (AG_UNLIKELY(b->nmember == b->capmember))
		ag_build_grow_members(b);
	b->members[b->nmember++] = c->c.id;
}

/* The rest of ag_build_key(), when the column of the name is known. */
static inline ag_bcol *ag_build_key_found(ag_builder *b, ag_build_obj *o, ag_bcol *c)
{
	/* Ids that only rise are all different; else the column itself knows. */
	if (AG_LIKELY(c->c.id > o->top)) {
		o->top = c->c.id;
	} else if (c->c.n && c->c.up[c->c.n - 1] == o->row) {
		b->duplicate_keys++;
		return NULL;
	}
	o->guess = c->next;
	ag_build_member(b, c);
	return c;
}

/* Column of the member `key`, or NULL when the member must be left out: its key was there before, or the
 * document is over a limit. The caller adds exactly one row with up = o->row next. */
static inline ag_bcol *ag_build_key(ag_builder *b, ag_build_obj *o, const char *key, size_t len)
{
	ag_bcol *c = o->guess;

	if (AG_UNLIKELY(!c || !ag_build_same_key(c, key, len)))
		return ag_build_key_slow(b, o, key, len);
	return ag_build_key_found(b, o, c);
}

/* The same when key[0 .. 16) may be read. */
static inline ag_bcol *ag_build_key_padded(ag_builder *b, ag_build_obj *o, const char *key,
                                           size_t len)
{
	ag_bcol *c = o->guess;

	if (AG_UNLIKELY(!c || !ag_build_same_key_padded(c, key, len)))
		return ag_build_key_slow(b, o, key, len);
	return ag_build_key_found(b, o, c);
}

static inline bool ag_build_same_ids(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t diff = 0;

	if (n > 32)
		return memcmp(a, b, n * sizeof(*a)) == 0;
	for (uint32_t i = 0; i < n; i++)
		diff |= a[i] ^ b[i];
	return diff == 0;
}

static inline void ag_build_object_end(ag_builder *b, ag_build_obj *o)
{
	const uint32_t *ids = b->members + o->from;
	uint32_t n = b->nmember - o->from;
	const ag_chunk *c = b->chunk;
	uint32_t s = o->col->shape;

	if (AG_UNLIKELY(c->shape_at[s + 1] - c->shape_at[s] != n ||
	                !ag_build_same_ids(c->shape_members + c->shape_at[s], ids, n))) {
		s = ag_build_shape(b, ids, n);
		o->col->shape = s;
	}
	o->col->c.val[o->row] = s;
	b->nmember = o->from;
	b->open = o->outer;
}

/* An array: row = ag_build_row(b, c, up, AG_T_ARRAY, 0); then for each item a row of
 * ag_build_elem(b, c) with up = row; then ag_build_array_end() with their number. */
static inline ag_bcol *ag_build_elem(ag_builder *b, ag_bcol *array)
{
	if (AG_UNLIKELY(array->c.elem == AG_COL_NONE))
		return ag_build_elem_slow(b, array);
	return (ag_bcol *)b->chunk->cols[array->c.elem];
}

static inline void ag_build_array_end(ag_bcol *c, uint32_t row, uint32_t n)
{
	c->c.val[row] = n;
}

#ifdef __cplusplus
}
#endif
#endif
