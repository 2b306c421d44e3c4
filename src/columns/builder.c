/* builder -- the unusual cases of building a chunk; the usual ones are inline in builder.h.
 *
 * Columns, rows and the heap only grow at their ends, and the row of a member is added after the row of its
 * object. So a document is taken back by popping rows from the ends of the columns that it touched: its own
 * shapes (and the members of objects still open) say which they are. The cost is that of the document, not
 * of the block, so a file of broken documents cannot be used to stall a reader.
 *
 * Read: new_col(), ag_build_key_slow(), pop_rows(), ag_build_doc_drop(). Shapes are in build_shape.c. */
#include "columns/builder.h"

#include <stdlib.h>
#include <xxhash.h>

#define MIN_ROWS      4
#define MIN_HEAP      4096
#define GUESSES       3      /* optional members that may be absent before the key is looked up */
#define INDEX_FROM    8      /* named children from which an index beats a walk */
#define SOFT_MAX_COLS 100000 /* beyond, new names go to ANY: the block is a map in disguise */

/* A column of the last chunk. The next chunk mostly has the same columns in the same order, and arrays that
 * start at the right size are neither copied nor left behind as garbage. */
typedef struct ag_build_hint {
	uint64_t name; /* hash */
	uint32_t parent;
	uint32_t n;
} ag_build_hint;

typedef struct ag_build_seen {
	uint64_t hash;
	uint32_t turn; /* of the document; another turn = free */
	uint32_t col, up, row;
} ag_build_seen;

void ag_builder_init(ag_builder *b)
{
	memset(b, 0, sizeof(*b));
}

static void free_col(ag_col *c)
{
	ag_bcol *bc = (ag_bcol *)c;

	free(c->up);
	free(c->type);
	free(c->val);
	free(c->key);
	free(c->view_type);
	free(c->view_val);
	free(bc->index);
	free(bc);
}

void ag_builder_release(ag_builder *b)
{
	ag_chunk_free(b->chunk);
	free(b->members);
	free(b->shape_index);
	free(b->seen);
	free(b->hints);
	if (b->sink)
		free_col(&b->sink->c);
	memset(b, 0, sizeof(*b));
}

ag_chunk *ag_chunk_free(ag_chunk *c)
{
	if (!c)
		return NULL;
	for (uint32_t i = 0; i < c->ncol; i++)
		free_col(c->cols[i]);
	free(c->cols);
	free(c->heap);
	free(c->doc_at);
	free(c->doc_line);
	free(c->shape_at);
	free(c->shape_members);
	ag_arena_free(c->arena);
	free(c);
	return NULL;
}

/* --- columns --- */

static void link_child(ag_chunk *c, ag_col *parent, ag_col *col)
{
	if (parent->last_child == AG_COL_NONE)
		parent->first_child = col->id;
	else
		c->cols[parent->last_child]->next_sibling = col->id;
	parent->last_child = col->id;
	if (col->kind == AG_STEP_ELEM)
		parent->elem = col->id;
	else if (col->kind == AG_STEP_ANY)
		parent->any = col->id;
	else
		parent->nnamed++;
}

static void set_head(ag_bcol *col)
{
	size_t n = col->c.name.len < 16 ? col->c.name.len : 16;

	memcpy(col->head, col->c.name.ptr, n);
	memset(col->mask, 0xff, n);
}

static uint64_t name_hash(const ag_col *c)
{
	return XXH3_64bits_withSeed(c->name.ptr, c->name.len, c->kind);
}

static ag_bcol *new_col(ag_builder *b, ag_col *parent, ag_step_kind kind, ag_str name)
{
	ag_chunk *c = b->chunk;
	ag_bcol *col = (ag_bcol *)ag_xcalloc(1, sizeof(*col));

	if (c->ncol == c->capcol) {
		c->capcol = c->capcol ? c->capcol * 2 : 16;
		c->cols = (ag_col **)ag_xrealloc(c->cols, c->capcol * sizeof(ag_col *));
	}
	col->c.id = c->ncol;
	col->c.parent = parent ? parent->id : AG_COL_NONE;
	col->c.first_child = col->c.last_child = col->c.next_sibling = AG_COL_NONE;
	col->c.elem = col->c.any = AG_COL_NONE;
	col->c.kind = kind;
	col->c.name = name.len ? ag_str_dup(c->arena, name) : ag_str_make("", 0);
	col->c.depth = parent ? parent->depth + 1 : 0;
	set_head(col);
	c->cols[c->ncol++] = &col->c;
	if (parent)
		link_child(c, parent, &col->c);
	return col;
}

void ag_build_with_views(ag_bcol *c)
{
	size_t cap = c->c.cap ? c->c.cap : 1;

	AG_ASSERT(c->c.n == 0);
	c->c.view_type = (uint8_t *)ag_xcalloc(cap, 1);
	c->c.view_val = (uint64_t *)ag_xcalloc(cap, sizeof(uint64_t));
}

void ag_build_grow(ag_builder *b, ag_bcol *col)
{
	ag_col *c = &col->c;
	size_t cap = (size_t)c->cap * 2;

	if (cap == 0) {
		cap = MIN_ROWS;
		if (c->id < b->nhint && b->hints[c->id].parent == c->parent &&
		    b->hints[c->id].name == name_hash(c))
			cap = b->hints[c->id].n + b->hints[c->id].n / 16 + MIN_ROWS;
	}
	AG_ASSERT(cap < UINT32_MAX);
	c->up = (uint32_t *)ag_xrealloc(c->up, cap * sizeof(*c->up));
	c->type = (uint8_t *)ag_xrealloc(c->type, cap);
	c->val = (uint64_t *)ag_xrealloc(c->val, cap * sizeof(*c->val));
	if (c->kind == AG_STEP_ANY)
		c->key = (uint64_t *)ag_xrealloc(c->key, cap * sizeof(*c->key));
	if (c->view_type) {
		c->view_type = (uint8_t *)ag_xrealloc(c->view_type, cap);
		c->view_val = (uint64_t *)ag_xrealloc(c->view_val, cap * sizeof(*c->view_val));
	}
	c->cap = (uint32_t)cap;
}

void ag_build_grow_members(ag_builder *b)
{
	AG_ASSERT(b->capmember < UINT32_MAX / 4);
	b->capmember = b->capmember ? b->capmember * 2 : 256;
	b->members = (uint32_t *)ag_xrealloc(b->members, b->capmember * sizeof(*b->members));
}

uint64_t ag_build_heap_slow(ag_builder *b, const char *p, size_t n, size_t room)
{
	ag_chunk *c = b->chunk;
	size_t cap = c->heap_cap * 2;

	if (room > UINT32_MAX - c->heap_len - 64) {
		b->failed = "more than 4 GiB of text in one block";
		return 0;
	}
	if (cap < c->heap_len + room + 64)
		cap = c->heap_len + room + 64;
	c->heap = (char *)ag_xrealloc(c->heap, cap);
	c->heap_cap = cap;
	return ag_build_heap(b, p, n);
}

/* --- names --- */

static void index_put(ag_bcol *parent, const ag_col *child)
{
	uint32_t mask = parent->index_cap - 1;
	uint32_t at = (uint32_t)XXH3_64bits(child->name.ptr, child->name.len) & mask;

	while (parent->index[at])
		at = (at + 1) & mask;
	parent->index[at] = child->id; /* never 0: that is the root */
}

static void index_drop(ag_bcol *c)
{
	free(c->index);
	c->index = NULL;
	c->index_cap = 0;
}

static void index_make(const ag_chunk *c, ag_bcol *parent, uint32_t cap)
{
	index_drop(parent);
	parent->index = (uint32_t *)ag_xcalloc(cap, sizeof(uint32_t));
	parent->index_cap = cap;
	for (uint32_t id = parent->c.first_child; id != AG_COL_NONE;
	     id = c->cols[id]->next_sibling) {
		if (c->cols[id]->kind == AG_STEP_NAME)
			index_put(parent, c->cols[id]);
	}
}

static ag_bcol *find_named(const ag_chunk *c, ag_bcol *parent, ag_str name)
{
	uint32_t mask, at;

	if (parent->c.nnamed <= INDEX_FROM) {
		for (uint32_t id = parent->c.first_child; id != AG_COL_NONE;
		     id = c->cols[id]->next_sibling) {
			ag_col *k = c->cols[id];

			if (k->kind == AG_STEP_NAME && ag_str_eq(k->name, name))
				return (ag_bcol *)k;
		}
		return NULL;
	}
	if (!parent->index || parent->index_cap < parent->c.nnamed * 2) {
		uint32_t cap = 64;

		while (cap < parent->c.nnamed * 4)
			cap *= 2;
		index_make(c, parent, cap);
	}
	mask = parent->index_cap - 1;
	for (at = (uint32_t)XXH3_64bits(name.ptr, name.len) & mask; parent->index[at];
	     at = (at + 1) & mask) {
		ag_col *k = c->cols[parent->index[at]];

		if (ag_str_eq(k->name, name))
			return (ag_bcol *)k;
	}
	return NULL;
}

ag_bcol *ag_build_named(ag_builder *b, ag_bcol *parent, ag_str name)
{
	ag_bcol *col = find_named(b->chunk, parent, name);

	if (!col) {
		col = new_col(b, &parent->c, AG_STEP_NAME, name);
		if (parent->index)
			index_put(parent, &col->c);
	}
	return col;
}

static void seen_grow(ag_builder *b)
{
	uint32_t cap = b->cap_seen ? b->cap_seen * 2 : 256;
	ag_build_seen *old = b->seen;

	b->seen = (ag_build_seen *)ag_xcalloc(cap, sizeof(*b->seen));
	for (uint32_t i = 0; i < b->cap_seen; i++) {
		uint32_t at = (uint32_t)old[i].hash & (cap - 1);

		if (old[i].turn != b->seen_turn)
			continue;
		while (b->seen[at].turn == b->seen_turn)
			at = (at + 1) & (cap - 1);
		b->seen[at] = old[i];
	}
	b->cap_seen = cap;
	free(old);
}

/* True when this object has the key in its ANY column already; else remembers it. */
static bool seen_before(ag_builder *b, const ag_bcol *any, uint32_t up, ag_str key)
{
	uint64_t salt = (uint64_t)any->c.id << 32 | up;
	uint64_t hash = XXH3_64bits_withSeed(key.ptr, key.len, salt);
	uint32_t mask, at;

	if (b->nseen * 2 >= b->cap_seen)
		seen_grow(b);
	mask = b->cap_seen - 1;
	for (at = (uint32_t)hash & mask; b->seen[at].turn == b->seen_turn; at = (at + 1) & mask) {
		const ag_build_seen *s = &b->seen[at];

		if (s->hash == hash && s->col == any->c.id && s->up == up &&
		    ag_str_eq(ag_chunk_heap_str(b->chunk, any->c.key[s->row]), key))
			return true;
	}
	b->seen[at] = (ag_build_seen){ hash, b->seen_turn, any->c.id, up, any->c.n };
	b->nseen++;
	return false;
}

static bool room_for_col(ag_builder *b)
{
	if (b->chunk->ncol < AG_BUILD_MAX_COLS)
		return true;
	b->failed = "too many different paths in one block";
	return false;
}

static ag_bcol *any_column(ag_builder *b, ag_bcol *parent, uint32_t up, ag_str key)
{
	ag_bcol *any;

	if (parent->c.any == AG_COL_NONE) {
		if (!room_for_col(b))
			return NULL;
		new_col(b, &parent->c, AG_STEP_ANY, ag_str_make("", 0));
	}
	any = (ag_bcol *)b->chunk->cols[parent->c.any];
	if (seen_before(b, any, up, key)) {
		b->duplicate_keys++;
		return NULL;
	}
	if (any->c.n == any->c.cap)
		ag_build_grow(b, any);
	any->c.key[any->c.n] = ag_build_heap(b, key.ptr, key.len);
	return any;
}

/* The column of the name below o; NULL when it can have none of its own any more. */
static ag_bcol *named_column(ag_builder *b, ag_build_obj *o, ag_str name)
{
	ag_bcol *parent = o->col, *col = find_named(b->chunk, parent, name);
	ag_bcol *prev = NULL;

	if (!col) {
		if (parent->c.any != AG_COL_NONE || parent->c.nnamed >= AG_COL_MAX_NAMED ||
		    b->chunk->ncol >= SOFT_MAX_COLS)
			return NULL;
		col = ag_build_named(b, parent, name);
		col->next = o->guess;
	}
	/* The next object of this kind will have it in the same place. */
	if (b->nmember > o->from)
		prev = (ag_bcol *)b->chunk->cols[b->members[b->nmember - 1]];
	if (!prev)
		parent->first = col;
	else if (prev->c.kind == AG_STEP_NAME && prev != col)
		prev->next = col;
	return col;
}

ag_bcol *ag_build_key_slow(ag_builder *b, ag_build_obj *o, const char *key, size_t len)
{
	ag_bcol *col = o->guess ? o->guess->next : NULL;
	ag_str name = ag_str_make(key, len);

	if (b->failed || o->col == b->sink)
		return NULL;
	for (int i = 0; col && i < GUESSES; i++, col = col->next) {
		if (ag_build_same_key(col, key, len))
			return ag_build_key_found(b, o, col);
	}
	col = named_column(b, o, name);
	if (col)
		return ag_build_key_found(b, o, col);
	col = any_column(b, o->col, o->row, name);
	if (col)
		ag_build_member(b, col);
	return col;
}

/* Over the limit the items go to a column outside the chunk, so that readers need no test. */
ag_bcol *ag_build_elem_slow(ag_builder *b, ag_bcol *array)
{
	if (array == b->sink || b->failed || !room_for_col(b)) {
		b->sink->c.n = 0;
		return b->sink;
	}
	return new_col(b, &array->c, AG_STEP_ELEM, ag_str_make("", 0));
}

/* --- documents --- */

void ag_builder_begin(ag_builder *b, bool has_lines)
{
	ag_chunk *c = (ag_chunk *)ag_xcalloc(1, sizeof(*c));

	AG_ASSERT(!b->chunk);
	c->arena = ag_arena_new();
	c->heap_cap = b->heap_hint + b->heap_hint / 16 + MIN_HEAP;
	c->heap = (char *)ag_xmalloc(c->heap_cap);
	b->chunk = c;
	b->root = new_col(b, NULL, AG_STEP_NAME, ag_str_make("", 0));
	if (!b->sink) {
		b->sink = (ag_bcol *)ag_xcalloc(1, sizeof(*b->sink));
		b->sink->c.id = AG_COL_NONE;
		b->sink->c.elem = AG_COL_NONE;
	}
	if (!b->members)
		ag_build_grow_members(b);
	b->open = NULL;
	b->failed = NULL;
	b->nmember = 0;
	b->cap_doc = 0;
	b->has_lines = has_lines;
	b->duplicate_keys = 0;
	ag_build_shapes_begin(b);
}

static void keep_hints(ag_builder *b, const ag_chunk *c)
{
	b->hints = (ag_build_hint *)ag_xrealloc(b->hints, c->ncol * sizeof(*b->hints));
	b->nhint = c->ncol;
	for (uint32_t i = 0; i < c->ncol; i++) {
		const ag_col *col = c->cols[i];

		b->hints[i] = (ag_build_hint){ name_hash(col), col->parent, col->n };
	}
	b->heap_hint = c->heap_len;
}

static void *trim(void *p, size_t bytes)
{
	return ag_xrealloc(p, bytes ? bytes : 1);
}

ag_chunk *ag_builder_finish(ag_builder *b)
{
	ag_chunk *c = b->chunk;

	b->chunk = NULL;
	b->root = NULL;
	keep_hints(b, c);
	for (uint32_t i = 0; i < c->ncol; i++) {
		ag_col *col = c->cols[i];

		index_drop((ag_bcol *)col);
		if (col->cap - col->n < 64)
			continue;
		col->up = (uint32_t *)trim(col->up, col->n * sizeof(*col->up));
		col->type = (uint8_t *)trim(col->type, col->n);
		col->val = (uint64_t *)trim(col->val, col->n * sizeof(*col->val));
		if (col->key)
			col->key = (uint64_t *)trim(col->key, col->n * sizeof(*col->key));
		if (col->view_type) {
			col->view_type = (uint8_t *)trim(col->view_type, col->n);
			col->view_val = (uint64_t *)trim(col->view_val,
			                                 col->n * sizeof(*col->view_val));
		}
		col->cap = col->n;
	}
	/* Some bytes stay behind the text: readers may load whole words. */
	c->heap = (char *)trim(c->heap, c->heap_len + 64);
	c->heap_cap = c->heap_len + 64;
	return c;
}

void ag_build_doc(ag_builder *b, uint64_t at, uint32_t line)
{
	ag_chunk *c = b->chunk;

	if (c->ndoc == b->cap_doc) {
		b->cap_doc = b->cap_doc ? b->cap_doc * 2 : 64;
		c->doc_at = (uint64_t *)ag_xrealloc(c->doc_at, b->cap_doc * sizeof(*c->doc_at));
		if (b->has_lines)
			c->doc_line = (uint32_t *)ag_xrealloc(c->doc_line,
			                                      b->cap_doc * sizeof(*c->doc_line));
	}
	c->doc_at[c->ndoc] = at;
	if (b->has_lines)
		c->doc_line[c->ndoc] = line;
	b->failed = NULL;
	b->mark_cols = c->ncol;
	b->mark_heap = c->heap_len;
	b->mark_duplicates = b->duplicate_keys;
	b->nseen = 0;
	b->seen_turn++;
	if (b->seen_turn == 0) { /* wrapped: old entries would look fresh */
		if (b->seen)
			memset(b->seen, 0, b->cap_seen * sizeof(*b->seen));
		b->seen_turn = 1;
	}
}

/* Pop the rows of col that belong to row min_up or later of its parent, and all below them. */
static void pop_rows(ag_chunk *c, ag_col *col, uint32_t min_up)
{
	while (col->n && col->up[col->n - 1] >= min_up) {
		uint32_t row = --col->n;

		if (col->type[row] == AG_T_ARRAY && col->elem != AG_COL_NONE) {
			pop_rows(c, c->cols[col->elem], row);
		} else if (col->type[row] == AG_T_OBJECT) {
			uint32_t s = (uint32_t)col->val[row];

			for (uint32_t i = c->shape_at[s]; i < c->shape_at[s + 1]; i++)
				pop_rows(c, c->cols[c->shape_members[i]], row);
		}
	}
}

/* Take back the newest column; it has no rows and no children. */
static void pop_col(ag_chunk *c)
{
	ag_bcol *col = (ag_bcol *)c->cols[--c->ncol];
	ag_bcol *parent = (ag_bcol *)c->cols[col->c.parent];
	uint32_t before = AG_COL_NONE;

	for (uint32_t id = parent->c.first_child; id != AG_COL_NONE;
	     id = c->cols[id]->next_sibling) {
		ag_bcol *k = id == col->c.id ? col : (ag_bcol *)c->cols[id];

		if (k == col)
			break;
		if (k->next == col)
			k->next = NULL;
		before = id;
	}
	if (before == AG_COL_NONE)
		parent->c.first_child = AG_COL_NONE;
	else
		c->cols[before]->next_sibling = AG_COL_NONE;
	parent->c.last_child = before;
	if (parent->first == col)
		parent->first = NULL;
	if (col->c.kind == AG_STEP_ELEM)
		parent->c.elem = AG_COL_NONE;
	else if (col->c.kind == AG_STEP_ANY)
		parent->c.any = AG_COL_NONE;
	else
		parent->c.nnamed--;
	index_drop(parent);
	free_col(&col->c);
}

void ag_build_doc_drop(ag_builder *b)
{
	ag_chunk *c = b->chunk;

	for (ag_build_obj *o = b->open; o; o = o->outer) {
		for (uint32_t i = o->from; i < b->nmember; i++)
			pop_rows(c, c->cols[b->members[i]], o->row);
		b->nmember = o->from;
	}
	b->open = NULL;
	pop_rows(c, &b->root->c, c->ndoc);
	while (c->ncol > b->mark_cols)
		pop_col(c);
	c->heap_len = b->mark_heap;
	b->duplicate_keys = b->mark_duplicates;
	b->failed = NULL;
}

bool ag_build_doc_end(ag_builder *b, const char **ret_why)
{
	if (AG_UNLIKELY(b->failed != NULL)) {
		if (ret_why)
			*ret_why = b->failed;
		ag_build_doc_drop(b);
		return false;
	}
	b->chunk->ndoc++;
	return true;
}
