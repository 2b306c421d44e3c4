/* mend -- see the header. Cells come by finding; they are sorted by document and path, so that what is said of one cell is
 * beside each other. */
#include "repair/mend.h"

#include <stdlib.h>

#include "query/extjson.h"
#include "repair/fix.h"

typedef struct raw {
	uint64_t row;
	size_t seq;
	bool has_fix;
	ag_change change;
} raw;

typedef struct collecting {
	ag_arena *arena;
	raw *items;
	size_t n, cap;
	void (*note)(void *arg, const char *line);
	void *note_arg;
} collecting;

static bool is_plain(const ag_path *p)
{
	return p->n == 1 && p->steps[0].kind == AG_STEP_NAME;
}

static ag_status take(void *arg, const ag_cell *cell, ag_err *err)
{
	collecting *c = (collecting *)arg;
	raw *r;

	(void)err;
	if (cell->of->is_document || cell->value.type == AG_T_MISSING)
		return AG_OK;
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 1024;
		c->items = (raw *)ag_xrealloc(c->items, c->cap * sizeof(*c->items));
	}
	r = &c->items[c->n];
	*r = (raw){ .row = cell->row, .seq = c->n, .has_fix = cell->fixed.type != AG_T_MISSING };
	r->change.path = ag_str_dup(c->arena, cell->path);
	if (is_plain(&cell->of->path))
		r->change.column = ag_str_dup(c->arena, cell->of->path.steps[0].name);
	r->change.is_item = cell->is_item;
	if (r->has_fix) {
		r->change.is_swapped = !strcmp(cell->how, AG_FIX_SWAPPED);
		r->change.old = ag_val_dup(c->arena, &cell->value);
		r->change.fixed = ag_val_dup(c->arena, &cell->fixed);
	}
	c->n++;
	return AG_OK;
}

static void pass_note(void *arg, const char *line)
{
	const collecting *c = (const collecting *)arg;

	if (c->note)
		c->note(c->note_arg, line);
}

/* The place of a cell in its document. Of two that no filter can name, the columns differ. */
static int cmp_place(const ag_change *a, const ag_change *b)
{
	const int d = ag_str_cmp(a->path, b->path);

	return d ? d : ag_str_cmp(a->column, b->column);
}

static int by_cell(const void *x, const void *y)
{
	const raw *a = (const raw *)x, *b = (const raw *)y;
	int d;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	d = cmp_place(&a->change, &b->change);
	return d ? d : a->seq < b->seq ? -1 : a->seq > b->seq;
}

static bool is_same(const ag_val *a, const ag_val *b)
{
	return a->type == b->type && ag_val_eq(a, b);
}

/* All that is said of one cell; NULL when it has no repair. */
static const ag_change *agreed(const raw *r, size_t n, uint64_t *ndisagree)
{
	const ag_change *ret = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!r[i].has_fix)
			continue;
		if (ret && !is_same(&ret->fixed, &r[i].change.fixed)) {
			(*ndisagree)++;
			return NULL;
		}
		ret = ret && ret->is_swapped ? ret : &r[i].change;
	}
	return ret;
}

/* A value that would be written over the only copy of another one. */
static bool is_alone(const ag_change *list, size_t n, const ag_change *c)
{
	for (size_t i = 0; c->is_swapped && i < n; i++)
		if (&list[i] != c && is_same(&list[i].fixed, &c->old) &&
		    is_same(&list[i].old, &c->fixed))
			return false;
	return c->is_swapped;
}

static void add_document(ag_mends *m, const raw *r, size_t n, ag_arena *arena)
{
	ag_change *list = ag_new_n(arena, ag_change, n);
	size_t nlist = 0, kept = 0;

	for (size_t i = 0, end; i < n; i = end) {
		const ag_change *c;

		for (end = i + 1; end < n && !cmp_place(&r[i].change, &r[end].change);)
			end++;
		m->ncell++;
		c = agreed(&r[i], end - i, &m->ndisagree);
		if (c)
			list[nlist++] = *c;
	}
	for (size_t i = 0; i < nlist; i++) {
		if (is_alone(list, nlist, &list[i]))
			m->ndisagree++;
		else
			list[kept++] = list[i];
	}
	if (!kept)
		return;
	m->items[m->n++] = (ag_mend){ .row = r[0].row, .changes = list, .n = kept };
	m->nchange += kept;
}

/* --- keys --- */

typedef struct keying {
	ag_mends *m;
	ag_arena *arena;
	ag_text_map map; /* the keys of items, each with how many documents have it */
	size_t *at;      /* [n] number in the map; SIZE_MAX = without a key */
	size_t next;
	ag_buf text;
	uint64_t nhave; /* documents that have a key */
} keying;

/* The key of a document as text; false: a part of it is not there. */
static bool key_text(keying *k, const ag_val *doc, ag_val *ret)
{
	ag_buf_clear(&k->text);
	for (size_t i = 0; i < k->m->nkey; i++) {
		const ag_val *v = ag_row_at(doc, k->m->keys[i]);

		if (!v || v->type == AG_T_NULL || v->type == AG_T_OBJECT || v->type == AG_T_ARRAY ||
		    (v->type == AG_T_STRING && !v->n))
			return false;
		ag_extjson_write(&k->text, v, AG_EXTJSON_RELAXED);
		ag_buf_addc(&k->text, ' ');
		if (ret)
			ret[i] = ag_val_dup(k->arena, v);
	}
	return !k->text.failed;
}

static ag_status read_key(void *arg, uint64_t row, const ag_val *doc, const ag_val *view,
                          ag_err *err)
{
	keying *k = (keying *)arg;
	ag_mend *m = &k->m->items[k->next];

	(void)view;
	(void)err;
	AG_ASSERT(m->row == row);
	k->at[k->next] = SIZE_MAX;
	if (key_text(k, doc, m->key)) {
		const ag_str kept = ag_buf_dup(k->arena, &k->text);

		k->at[k->next] = ag_text_map_add(&k->map, kept.ptr, (uint32_t)kept.len, 0);
	}
	k->next++;
	return AG_OK;
}

static ag_status count_key(void *arg, uint64_t row, const ag_val *doc, const ag_val *view,
                           ag_err *err)
{
	keying *k = (keying *)arg;
	size_t i;

	(void)row;
	(void)view;
	(void)err;
	if (!key_text(k, doc, NULL))
		return AG_OK;
	k->nhave++;
	i = ag_text_map_find(&k->map, k->text.ptr, (uint32_t)k->text.len);
	if (i != SIZE_MAX)
		k->map.v[i].n++;
	return AG_OK;
}

static void keep_found(keying *k)
{
	ag_mends *m = k->m;
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (k->at[i] != SIZE_MAX && k->map.v[k->at[i]].n == 1) {
			m->items[kept++] = m->items[i];
			continue;
		}
		m->nkeyless += m->items[i].n;
		m->nchange -= m->items[i].n;
	}
	m->n = kept;
}

static ag_status add_keys(const ag_ctx *ctx, ag_source *s, ag_mends *m, ag_arena *arena,
                          ag_err *err)
{
	keying k = { .m = m, .arena = arena, .text = AG_BUF_INIT(1024 * 1024) };
	ag_bits rows;
	ag_status st;

	k.at = ag_new_n(arena, size_t, m->n + 1);
	ag_bits_init(&rows, m->info->ndoc);
	for (size_t i = 0; i < m->n; i++)
		ag_bits_set(&rows, m->items[i].row);
	st = ag_source_each(s, ctx, &rows, NULL, 0, read_key, &k, err);
	if (!st)
		st = ag_source_each(s, ctx, NULL, NULL, 0, count_key, &k, err);
	if (!st && !k.nhave && m->info->ndoc)
		st = ag_fail(err, AG_INVALID, "repair", "%.*s: no document has the key %.*s",
		             AG_FMT(m->info->collection), AG_FMT(m->keys[0]));
	if (!st)
		keep_found(&k);
	ag_bits_release(&rows);
	ag_text_map_release(&k.map);
	ag_buf_release(&k.text);
	return st;
}

/* "_id", else the first field that is named like a key and has another value in each document. */
static ag_status choose_key(const ag_ctx *ctx, ag_source *s, ag_mends *m, ag_arena *arena,
                            ag_err *err)
{
	const ag_path_profile *best;
	ag_profile p;
	ag_status st = ag_source_profile(s, ctx, arena, &p, err);

	if (st)
		return st;
	best = ag_profile_find(&p, AG_S("_id"));
	for (size_t i = 0; !best && i < p.npath; i++) {
		const ag_path_profile *f = &p.paths[i];
		const ag_field_name name = ag_field_name_of(f->owner);

		if (f->parent == UINT32_MAX && !f->in_map && f->nscalar == p.ndoc &&
		    f->ndistinct == p.ndoc &&
		    (name.last & (AG_TRAIT_ID | AG_TRAIT_KEY | AG_TRAIT_CODE)))
			best = f;
	}
	if (!best) {
		ag_fail(err, AG_INVALID, "repair",
		        "%.*s: no field is known to find each document again",
		        AG_FMT(m->info->collection));
		return ag_err_hint(err, "name it with --key FIELD, or several: --key A,B");
	}
	m->keys[m->nkey++] = best->name;
	return AG_OK;
}

ag_status ag_mends_collect(const ag_ctx *ctx, ag_source *source, const ag_val *report,
                           const ag_mend_opts *opts, ag_arena *arena, ag_mends *ret, ag_err *err)
{
	collecting c = { .arena = arena, .note = opts->note, .note_arg = opts->note_arg };
	const ag_cells job = { .source = source,
		               .report = report,
		               .wants_repairs = true,
		               .fn = take,
		               .arg = &c,
		               .note = pass_note };
	ag_status st;

	*ret = (ag_mends){ .info = ag_source_info_of(source) };
	AG_ASSERT(opts->nkey <= AG_MEND_MAX_KEYS);
	for (size_t i = 0; i < opts->nkey; i++)
		ret->keys[ret->nkey++] = opts->keys[i];
	st = ag_cells_each(ctx, &job, err);
	if (!st && c.n) {
		qsort(c.items, c.n, sizeof(*c.items), by_cell);
		ret->items = ag_new_n(arena, ag_mend, c.n);
		for (size_t i = 0, end; i < c.n; i = end) {
			for (end = i + 1; end < c.n && c.items[end].row == c.items[i].row;)
				end++;
			add_document(ret, &c.items[i], end - i, arena);
		}
	}
	free(c.items);
	if (!st && opts->needs_key && ret->n && !ret->nkey)
		st = choose_key(ctx, source, ret, arena, err);
	if (!st && opts->needs_key && ret->n)
		st = add_keys(ctx, source, ret, arena, err);
	return st;
}
