/* doc -- documents put together again from their columns.
 *
 * The shape of an object row names the columns of its members in order; the member's row is the one whose
 * `up` is the object's row, and `up` ascends: a guess that is nearly always right when documents are read in
 * order, else a binary search. Items of an array and members of an ANY column are neighbours. */
#include <stdlib.h>

#include "columns/table_impl.h"
#include "query/extjson.h"

void ag_doc_reader_init(ag_doc_reader *r, const ag_chunk *c, bool views)
{
	r->chunk = c;
	r->views = views;
	r->hint = (uint32_t *)ag_xcalloc(c->ncol, sizeof(uint32_t));
}

void ag_doc_reader_release(ag_doc_reader *r)
{
	free(r->hint);
	r->hint = NULL;
}

/* First row of col with up >= want, knowing that it is in [lo, n]. */
static uint32_t lower_bound(const ag_col *col, uint32_t want)
{
	uint32_t lo = 0, hi = col->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (col->up[mid] < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* First row of col whose parent is row `up`; there is one. */
static uint32_t first_row(const ag_doc_reader *r, const ag_col *col, uint32_t up)
{
	uint32_t at = r->hint ? r->hint[col->id] : up;

	if (at >= col->n || col->up[at] != up || (at && col->up[at - 1] == up))
		at = lower_bound(col, up);
	if (r->hint)
		r->hint[col->id] = at + 1;
	AG_ASSERT(at < col->n && col->up[at] == up);
	return at;
}

static ag_val read_typed_text(const ag_val *row, ag_arena *arena)
{
	ag_str text = ag_str_make(row->u.pair.s, row->n);
	ag_extjson_opts opts = { .typed = true };
	ag_err err;
	ag_val v;

	if (ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, &err))
		return ag_val_str(text); /* our own writer's text: cannot happen */
	return v;
}

static ag_val read_array(const ag_doc_reader *r, const ag_col *col, uint32_t row, ag_arena *arena)
{
	uint32_t n = (uint32_t)col->val[row], at;
	const ag_col *elem;
	ag_val *items;

	if (n == 0)
		return ag_val_array(NULL, 0);
	elem = r->chunk->cols[col->elem];
	items = ag_new_n(arena, ag_val, n);
	at = first_row(r, elem, row);
	for (uint32_t i = 0; i < n; i++)
		items[i] = ag_doc_read_row(r, elem, at + i, arena);
	if (r->hint)
		r->hint[elem->id] = at + n;
	return ag_val_array(items, n);
}

static bool is_wanted(const ag_col *col, const ag_str *names, size_t nname, ag_str key)
{
	ag_str name = col->kind == AG_STEP_ANY ? key : col->name;

	for (size_t i = 0; i < nname; i++) {
		if (ag_str_eq(names[i], name))
			return true;
	}
	return nname == 0;
}

static ag_val read_object(const ag_doc_reader *r, const ag_col *col, uint32_t row,
                          const ag_str *names, size_t nname, ag_arena *arena)
{
	const ag_chunk *c = r->chunk;
	uint32_t shape = (uint32_t)col->val[row];
	uint32_t from = c->shape_at[shape], to = c->shape_at[shape + 1];
	ag_member *members;
	uint32_t n = 0, any_row = AG_COL_NONE;

	if (from == to)
		return ag_val_object(NULL, 0);
	members = ag_new_n(arena, ag_member, nname && nname < to - from ? nname : to - from);
	for (uint32_t i = from; i < to; i++) {
		const ag_col *k = c->cols[c->shape_members[i]];
		ag_str key = k->name;
		uint32_t at;

		if (k->kind == AG_STEP_ANY) {
			any_row = any_row == AG_COL_NONE ? first_row(r, k, row) : any_row + 1;
			at = any_row;
			key = ag_chunk_heap_str(c, k->key[at]);
			if (r->hint)
				r->hint[k->id] = at + 1;
		} else if (!is_wanted(k, names, nname, key)) {
			continue;
		} else {
			at = first_row(r, k, row);
		}
		if (!is_wanted(k, names, nname, key))
			continue;
		members[n].key = key;
		members[n].val = ag_doc_read_row(r, k, at, arena);
		n++;
	}
	return ag_val_object(members, n);
}

ag_val ag_doc_read_row(const ag_doc_reader *r, const ag_col *col, uint32_t row, ag_arena *arena)
{
	ag_val v;

	switch (col->type[row]) {
	case AG_T_OBJECT: return read_object(r, col, row, NULL, 0, arena);
	case AG_T_ARRAY: return read_array(r, col, row, arena);
	case AG_T_CODE_W_SCOPE:
	case AG_T_DBPOINTER: v = ag_col_val(r->chunk, col, row); return read_typed_text(&v, arena);
	default: break;
	}
	if (r->views && col->view_type && col->view_type[row] != AG_T_MISSING)
		return ag_col_view(r->chunk, col, row);
	return ag_col_val(r->chunk, col, row);
}

ag_val ag_doc_read(const ag_doc_reader *r, uint32_t i, const ag_str *members, size_t nmember,
                   ag_arena *arena)
{
	/* Each document is one row of the root, so their numbers are the same. */
	return read_object(r, r->chunk->cols[0], i, members, nmember, arena);
}

static const ag_chunk *chunk_of(const ag_table *t, uint64_t i)
{
	size_t lo = 0, hi = t->nchunk;

	AG_ASSERT(i < t->info.ndoc);
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->chunks[mid]->first_doc <= i)
			lo = mid;
		else
			hi = mid;
	}
	return t->chunks[lo];
}

static ag_val read_one(const ag_table *t, ag_arena *arena, uint64_t i, bool views,
                       const ag_str *members, size_t nmember)
{
	const ag_chunk *c = chunk_of(t, i);
	ag_doc_reader r = { .chunk = c, .views = views };

	return ag_doc_read(&r, (uint32_t)(i - c->first_doc), members, nmember, arena);
}

ag_val ag_table_doc(const ag_table *t, ag_arena *arena, uint64_t i)
{
	return read_one(t, arena, i, false, NULL, 0);
}

ag_val ag_table_doc_view(const ag_table *t, ag_arena *arena, uint64_t i, const ag_str *members,
                         size_t nmember)
{
	return read_one(t, arena, i, true, members, nmember);
}

typedef struct each {
	const ag_ctx *ctx;
	const ag_bits *rows;
	const ag_str *members;
	size_t nmember;
	ag_arena *scratch;
	ag_doc_fn fn;
	void *arg;
} each;

static ag_status each_in_chunk(const each *e, const ag_chunk *c, bool has_views, ag_err *err)
{
	const uint64_t end = c->first_doc + c->ndoc;
	ag_doc_reader docs, views;
	ag_status st = AG_OK;
	uint64_t i, n = 0;

	ag_doc_reader_init(&docs, c, false);
	ag_doc_reader_init(&views, c, true);
	for (i = e->rows ? ag_bits_next(e->rows, c->first_doc) : c->first_doc; !st && i < end;
	     i = e->rows ? ag_bits_next(e->rows, i + 1) : i + 1) {
		const uint32_t at = (uint32_t)(i - c->first_doc);
		ag_val doc, view;

		if ((n++ & 1023) == 0 && (st = ag_ctx_check(e->ctx, err)))
			break;
		ag_arena_reset(e->scratch);
		doc = ag_doc_read(&docs, at, e->members, e->nmember, e->scratch);
		view = has_views ? ag_doc_read(&views, at, e->members, e->nmember, e->scratch)
		                 : doc;
		st = e->fn(e->arg, i, &doc, &view, err);
	}
	ag_doc_reader_release(&docs);
	ag_doc_reader_release(&views);
	return st;
}

ag_status ag_table_each(const ag_table *t, const ag_ctx *ctx, const ag_bits *rows,
                        const ag_str *members, size_t nmember, ag_doc_fn fn, void *arg, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const each e = { ctx, rows, members, nmember, scratch, fn, arg };
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < t->nchunk; i++)
		st = each_in_chunk(&e, t->chunks[i], t->info.has_views, err);
	return st;
}

void ag_table_doc_where(const ag_table *t, uint64_t i, ag_str *ret_file, uint64_t *ret_line,
                        uint64_t *ret_byte)
{
	const ag_chunk *c = chunk_of(t, i);
	uint32_t k = (uint32_t)(i - c->first_doc);

	*ret_file = c->file < t->nfile ? t->files[c->file] : ag_str_make("", 0);
	*ret_line = c->doc_line ? c->first_line + c->doc_line[k] : 0;
	*ret_byte = c->doc_at[k];
}
