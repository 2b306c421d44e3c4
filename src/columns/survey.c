/* survey -- the schema of a set of documents, column by column.
 *
 * Every path is surveyed by one thread over its columns in chunk order (survey_path), into a struct `path`
 * of its own; the caller's arena is filled afterwards, in path order, by one thread (fill_field).
 *
 * A row of a path outside of maps is one document. Below a map a document can have many rows of one path: they
 * are then gathered, brought into document order, and each kind of value counts once per document.
 *
 * A "kind" is what has a type name of its own: a type, or an array with the set of its items' types. */
#include "columns/survey.h"

#include <stdlib.h>

#include "columns/tree.h"

#define IS_ARRAY 0x80000000u /* kind: array; the other bits are the types of its items */
#define MAX_NAME 400         /* 22 type names fit */
#define MAX_KINDS \
	256       /* of one path; further ones join the last, which only a hostile file reaches */
#define NSLOT 512 /* of the distinct values: at least twice as many as are kept */

typedef struct kind_count {
	uint32_t kind;
	uint64_t n;
} kind_count;

typedef struct path {
	kind_count *kinds;
	size_t nkind, capkind;
	uint64_t present, null;
	ag_val values[AG_SURVEY_MAX_CARDINALITY];
	uint16_t slots[NSLOT]; /* number in values + 1, 0 = free */
	uint32_t nvalue;
	bool capped, is_cut;
	bool has_objects, has_data; /* for `container` */
} path;

typedef struct surveyor {
	const ag_table *t;
	const ag_bits *docs;
	const ag_tree *tree;
	path **paths; /* by node */
} surveyor;

/* One row below a map. */
typedef struct entry {
	uint32_t doc, kind, col, row;
} entry;

static void count_kind(path *p, uint32_t kind)
{
	size_t i = 0;

	while (i < p->nkind && p->kinds[i].kind != kind)
		i++;
	if (i == MAX_KINDS)
		p->kinds[--i].kind |= kind;
	if (i == p->nkind) {
		if (p->nkind == p->capkind) {
			p->capkind = p->capkind ? 2 * p->capkind : 8;
			p->kinds = (kind_count *)ag_xrealloc(p->kinds,
			                                     p->capkind * sizeof(*p->kinds));
		}
		p->kinds[p->nkind++] = (kind_count){ kind, 0 };
	}
	p->kinds[i].n++;
	p->null += kind == AG_T_NULL;
}

static void add_value(path *p, const ag_val *v)
{
	size_t at = ag_val_hash(v) % NSLOT;

	while (p->slots[at]) {
		if (ag_val_eq(&p->values[p->slots[at] - 1], v))
			return;
		at = (at + 1) % NSLOT;
	}
	if (p->nvalue == AG_SURVEY_MAX_CARDINALITY) {
		p->capped = true;
		return;
	}
	p->values[p->nvalue++] = *v;
	p->slots[at] = (uint16_t)p->nvalue;
}

/* Types that share a name in the survey. */
static unsigned one_of_name(unsigned type)
{
	switch (type) {
	case AG_T_INT64: return AG_T_INT32;
	case AG_T_SYMBOL: return AG_T_STRING;
	case AG_T_CODE_W_SCOPE: return AG_T_CODE;
	default: return type;
	}
}

/* The type by which a row counts: a CSV cell by its view. */
static unsigned type_of(const ag_col *col, uint32_t row)
{
	unsigned t = col->view_type ? col->view_type[row] : AG_T_MISSING;

	return t != AG_T_MISSING ? t : col->type[row];
}

static ag_val value_of(const ag_chunk *c, const ag_col *col, uint32_t row)
{
	ag_val v = ag_col_view(c, col, row);

	return v.type != AG_T_MISSING ? v : ag_col_val(c, col, row);
}

/* The kind of a row. *item is where the last row's items ended; rows must come in order. */
static uint32_t kind_of(const ag_chunk *c, const ag_col *col, uint32_t row, uint32_t *item)
{
	unsigned type = type_of(col, row);
	uint32_t kind = IS_ARRAY;
	const ag_col *items;

	if (type != AG_T_ARRAY)
		return one_of_name(type);
	if (col->elem == AG_COL_NONE)
		return kind;
	items = c->cols[col->elem];
	while (*item < items->n && items->up[*item] < row)
		(*item)++;
	for (; *item < items->n && items->up[*item] == row; (*item)++)
		kind |= 1u << one_of_name(items->type[*item]);
	return kind;
}

/* What of a row does not depend on how often it is there. */
static void look_at(path *p, const ag_node *node, const ag_chunk *c, const ag_col *col,
                    uint32_t row, uint32_t kind)
{
	const uint32_t objects = IS_ARRAY | 1u << AG_T_OBJECT;

	if (kind == AG_T_OBJECT || kind == objects)
		p->has_objects = true;
	else if (kind != AG_T_NULL && kind != IS_ARRAY)
		p->has_data = true;
	if (kind == AG_T_OBJECT && node->is_cut)
		p->is_cut = p->is_cut ||
		            c->shape_at[col->val[row] + 1] > c->shape_at[col->val[row]];
	if (!(kind & IS_ARRAY) && kind != AG_T_OBJECT && kind != AG_T_NULL &&
	    kind != AG_T_UNDEFINED && !p->capped) {
		ag_val v = value_of(c, col, row);

		add_value(p, &v);
	}
}

static bool is_surveyed(const surveyor *s, const ag_chunk *c, uint32_t doc)
{
	return !s->docs || ag_bits_get(s->docs, c->first_doc + doc);
}

static void survey_column(const surveyor *s, const ag_node *node, ag_seg seg, path *p)
{
	const ag_chunk *c = ag_table_chunk(s->t, seg.chunk);
	const ag_col *col = c->cols[seg.col];
	uint32_t item = 0;

	for (uint32_t r = 0; r < col->n; r++) {
		uint32_t kind;

		if (s->docs && !is_surveyed(s, c, ag_col_doc(c, col, r)))
			continue;
		kind = kind_of(c, col, r, &item);
		p->present++;
		count_kind(p, kind);
		look_at(p, node, c, col, r, kind);
	}
}

static int by_place(const void *x, const void *y)
{
	const entry *a = (const entry *)x, *b = (const entry *)y;

	if (a->doc != b->doc)
		return a->doc < b->doc ? -1 : 1;
	if (a->col != b->col)
		return a->col < b->col ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int by_kind(const void *x, const void *y)
{
	const entry *a = (const entry *)x, *b = (const entry *)y;

	if (a->doc != b->doc)
		return a->doc < b->doc ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static size_t gather(const surveyor *s, const ag_chunk *c, const ag_seg *segs, size_t nseg,
                     entry *to)
{
	size_t n = 0;

	for (size_t i = 0; i < nseg; i++) {
		const ag_col *col = c->cols[segs[i].col];
		uint32_t item = 0;

		for (uint32_t r = 0; r < col->n; r++) {
			uint32_t doc = ag_col_doc(c, col, r);

			if (is_surveyed(s, c, doc))
				to[n++] = (entry){ doc, kind_of(c, col, r, &item), segs[i].col, r };
		}
	}
	return n;
}

/* All columns that one chunk has of a path below a map. */
static void survey_map(const surveyor *s, const ag_node *node, const ag_seg *segs, size_t nseg,
                       path *p)
{
	const ag_chunk *c = ag_table_chunk(s->t, segs[0].chunk);
	size_t n = 0;
	entry *e;

	for (size_t i = 0; i < nseg; i++)
		n += c->cols[segs[i].col]->n;
	e = (entry *)ag_xmalloc((n ? n : 1) * sizeof(*e));
	n = gather(s, c, segs, nseg, e);
	qsort(e, n, sizeof(*e), by_place);
	for (size_t i = 0; i < n; i++)
		look_at(p, node, c, c->cols[e[i].col], e[i].row, e[i].kind);
	qsort(e, n, sizeof(*e), by_kind);
	for (size_t i = 0; i < n; i++) {
		bool is_new_doc = i == 0 || e[i - 1].doc != e[i].doc;

		p->present += is_new_doc;
		if (is_new_doc || e[i - 1].kind != e[i].kind)
			count_kind(p, e[i].kind);
	}
	free(e);
}

static ag_status survey_path(void *arg, size_t i, ag_err *err)
{
	surveyor *s = (surveyor *)arg;
	const ag_node *node = &s->tree->nodes[i + 1]; /* 0 is the root */
	path *p = (path *)ag_xcalloc(1, sizeof(*p));

	(void)err;
	s->paths[i + 1] = p;
	for (size_t k = 0, to; k < node->nseg; k = to) {
		to = k + 1;
		if (!node->in_map) {
			survey_column(s, node, node->segs[k], p);
			continue;
		}
		while (to < node->nseg && node->segs[to].chunk == node->segs[k].chunk)
			to++;
		survey_map(s, node, node->segs + k, to - k, p);
	}
	return AG_OK;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static ag_str kind_name(ag_arena *arena, uint32_t kind)
{
	const char *names[AG_NTYPE];
	ag_buf b = AG_BUF_INIT(MAX_NAME);
	size_t n = 0;
	ag_str ret;

	if (!(kind & IS_ARRAY))
		return ag_str_c(ag_type_seed_name(kind));
	if (kind == IS_ARRAY)
		return AG_S("array<empty>");
	for (unsigned t = 0; t < AG_NTYPE; t++)
		if (kind >> t & 1)
			names[n++] = ag_type_seed_name(t);
	qsort(names, n, sizeof(names[0]), by_text);
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(&b, "%s%s", i ? "|" : "array<", names[i]);
	ag_buf_addc(&b, '>');
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static int by_count(const void *x, const void *y)
{
	const ag_type_count *a = (const ag_type_count *)x, *b = (const ag_type_count *)y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return ag_str_cmp(a->name, b->name);
}

static void fill_field(const path *p, const ag_node *node, uint64_t surveyed, ag_arena *arena,
                       ag_field_stats *f)
{
	ag_type_count *types = ag_new_n(arena, ag_type_count, p->nkind);
	ag_val *samples;

	for (size_t i = 0; i < p->nkind; i++) {
		types[i].name = kind_name(arena, p->kinds[i].kind);
		types[i].n = p->kinds[i].n;
	}
	qsort(types, p->nkind, sizeof(*types), by_count);
	f->path = ag_str_dup(arena, node->path);
	f->types = types;
	f->ntype = p->nkind;
	f->present = p->present;
	f->missing = surveyed - p->present;
	f->null = p->null;
	f->null_rate = (double)(f->null + f->missing) / (double)surveyed;
	f->cardinality = p->nvalue;
	f->cardinality_capped = p->capped;
	f->nsample = p->nvalue < AG_SURVEY_MAX_SAMPLES ? p->nvalue : AG_SURVEY_MAX_SAMPLES;
	samples = ag_new_n(arena, ag_val, f->nsample);
	for (size_t i = 0; i < f->nsample; i++)
		samples[i] = ag_val_dup(arena, &p->values[i]);
	f->samples = samples;
	f->container = p->has_objects && !p->has_data;
	f->is_map = node->is_map;
}

/* Paths that no surveyed document has are not listed. */
static void fill(const surveyor *s, ag_arena *arena, ag_survey *ret)
{
	ag_field_stats *fields = ag_new_n(arena, ag_field_stats, s->tree->nnode);
	ag_str *truncated = ag_new_n(arena, ag_str, s->tree->nnode);
	ag_survey r = { .surveyed = s->docs ? ag_bits_count(s->docs)
		                            : ag_table_info_of(s->t)->ndoc };

	r.fields = fields;
	r.truncated = truncated;
	r.paths_left_out = s->tree->left_out;
	for (size_t i = 1; i < s->tree->nnode; i++) {
		const path *p = s->paths[i];

		if (p->present == 0)
			continue;
		fill_field(p, &s->tree->nodes[i], r.surveyed, arena, &fields[r.nfield]);
		if (p->is_cut)
			truncated[r.ntruncated++] = fields[r.nfield].path;
		r.nfield++;
	}
	*ret = r;
}

ag_status ag_table_survey(const ag_table *t, const ag_ctx *ctx, const ag_bits *docs,
                          ag_arena *arena, ag_survey *ret, ag_err *err)
{
	static const ag_tree_opts opts = { .max_nodes = AG_SURVEY_MAX_PATHS,
		                           .max_names = AG_SURVEY_MAX_DEPTH };
	ag_arena *scratch = ag_arena_new();
	ag_tree tree = { 0 };
	surveyor s = { .t = t, .docs = docs, .tree = &tree };
	ag_status st;

	AG_ASSERT(!docs || docs->n == ag_table_info_of(t)->ndoc);
	st = ag_tree_build(t, ctx, &opts, scratch, &tree, err);
	if (!st) {
		s.paths = ag_new_n(scratch, path *, tree.nnode);
		st = ag_parallel(ctx, tree.nnode - 1, survey_path, &s, err);
	}
	if (!st)
		fill(&s, arena, ret);
	for (size_t i = 0; s.paths && i < tree.nnode; i++) {
		if (s.paths[i])
			free(s.paths[i]->kinds);
		free(s.paths[i]);
	}
	ag_arena_free(scratch);
	return st;
}
