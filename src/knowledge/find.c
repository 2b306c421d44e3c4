/* find -- see the header. In the index an object is a file of one document: its path is "kind/key", its hash the version. */
#include "knowledge/find.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "store/search_index.h"

#define ORIGIN    "knowledge.find"
#define FORMAT    1u /* of the documents: another one means "make them again" */
#define BATCH     500u
#define MAX_WORDS 16u
#define BODY      (256u << 10)

typedef struct finder {
	ag_store *store;
	ag_str index; /* the project's name there: no project of files can have it */
	ag_arena *arena;
	const ag_object_row *rows;
	size_t nrow;
	ag_index_file *files;
	size_t nfile;
} finder;

static ag_str path_of(const ag_object_row *row, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s/%.*s", AG_FMT(row->kind), AG_FMT(row->key));
}

static ag_str hash_of(const ag_object_row *row, ag_arena *arena)
{
	return ag_str_printf(arena, "%llu %lld %.*s", (unsigned long long)row->version,
	                     (long long)row->changed_ms, AG_FMT(row->status));
}

/* --- a document --- */

static void add_value(const ag_val *v, ag_buf *out)
{
	if (v->type == AG_T_STRING)
		ag_buf_addf(out, "%.*s\n", AG_FMT(ag_val_text(v)));
	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		add_value(&v->u.items[i], out);
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		ag_buf_addf(out, "%.*s\n", AG_FMT(v->u.members[i].key));
		add_value(&v->u.members[i].val, out);
	}
}

static bool is_found(const ag_object_row *row)
{
	return ag_str_eqc(row->status, "active") && !ag_str_eqc(row->kind, "golden");
}

static bool make_doc(const finder *f, const ag_object_row *row, ag_index_doc *ret)
{
	ag_buf out = AG_BUF_INIT(BODY);
	ag_know o;

	if (!is_found(row) || ag_know_of_row(row, f->arena, &o, NULL))
		return false;
	/* What is not everybody's is found by nobody. */
	if (o.kind == AG_KNOW_RECIPE && !ag_val_member_bool(&o.body, "is_shared"))
		return false;
	for (uint32_t i = 0; i < o.body.n; i++)
		add_value(&o.body.u.members[i].val, &out);
	*ret = (ag_index_doc){ .kind = row->kind,
		               .anchor = row->key,
		               .title = row->name,
		               .trail = AG_S(""),
		               .names = AG_S(""),
		               .body = ag_buf_dup(f->arena, &out) };
	ag_buf_release(&out);
	return true;
}

/* --- what has changed --- */

static int by_path(const void *key, const void *file)
{
	return ag_str_cmp(*(const ag_str *)key, ((const ag_index_file *)file)->path);
}

static ag_index_file *known(const finder *f, ag_str path)
{
	return f->nfile ? bsearch(&path, f->files, f->nfile, sizeof(*f->files), by_path) : NULL;
}

static ag_status put(const finder *f, ag_index_change *batch, size_t *n, ag_err *err)
{
	const ag_status st = *n ? ag_store_index_update(f->store, f->index, batch, *n, err) : AG_OK;

	*n = 0;
	return st;
}

static ag_status put_changed(finder *f, bool *is_there, ag_err *err)
{
	ag_index_change *batch = ag_new_n(f->arena, ag_index_change, BATCH);
	ag_index_doc *docs = ag_new_n(f->arena, ag_index_doc, BATCH);
	size_t n = 0;
	ag_status st = AG_OK;

	for (size_t i = 0; i < f->nrow && !st; i++) {
		const ag_object_row *row = &f->rows[i];
		const ag_str path = path_of(row, f->arena), hash = hash_of(row, f->arena);
		const ag_index_file *file = known(f, path);

		if (file)
			is_there[file - f->files] = true;
		if (file && ag_str_eq(file->hash, hash) && file->format == FORMAT)
			continue;
		batch[n] = (ag_index_change){
			.file = { .path = path, .hash = hash, .format = FORMAT },
			.docs = &docs[n],
			.ndoc = make_doc(f, row, &docs[n]),
		};
		if (++n == BATCH)
			st = put(f, batch, &n, err);
	}
	for (size_t i = 0; i < f->nfile && !st; i++) {
		if (is_there[i])
			continue;
		batch[n++] = (ag_index_change){ .file = f->files[i], .is_gone = true };
		if (n == BATCH)
			st = put(f, batch, &n, err);
	}
	return st ? st : put(f, batch, &n, err);
}

static ag_status refresh(finder *f, ag_err *err)
{
	ag_status st = ag_store_index_files(f->store, f->index, f->arena, &f->files, &f->nfile,
	                                    err);

	return st ? st : put_changed(f, ag_new_n(f->arena, bool, f->nfile + 1), err);
}

/* --- a search --- */

static size_t words_of(ag_str query, ag_str *words)
{
	size_t n = 0, i = 0;

	while (i < query.len && n < MAX_WORDS) {
		size_t next = i, from;

		while (i < query.len && !ag_utf8_is_letter(ag_utf8_next(query, &next)))
			i = next;
		from = i;
		for (next = i; i < query.len && ag_utf8_is_letter(ag_utf8_next(query, &next));)
			i = next;
		if (i > from && i - from < 200)
			words[n++] = ag_str_make(query.ptr + from, i - from);
	}
	return n;
}

static ag_status read_hits(const finder *f, const ag_index_hit *hits, size_t n, ag_know **ret,
                           size_t *nret)
{
	ag_know *list = ag_new_n(f->arena, ag_know, n + 1);

	*nret = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < f->nrow; k++) {
			if (ag_str_eq(f->rows[k].key, hits[i].doc.anchor) &&
			    ag_str_eq(f->rows[k].kind, hits[i].doc.kind)) {
				if (!ag_know_of_row(&f->rows[k], f->arena, &list[*nret], NULL))
					(*nret)++;
				break;
			}
		}
	}
	*ret = list;
	return AG_OK;
}

ag_status ag_know_search(ag_store *s, ag_str project, ag_str query, size_t limit, ag_arena *arena,
                         ag_know **ret, size_t *nret, ag_err *err)
{
	finder f = { .store = s,
		     .index = ag_str_printf(arena, "knowledge of %.*s", AG_FMT(project)),
		     .arena = arena };
	ag_str words[MAX_WORDS];
	const size_t nword = words_of(query, words);
	ag_object_row *rows;
	ag_index_hit *hits = NULL;
	size_t nhit = 0;
	ag_status st;

	if (!nword) {
		ag_fail(err, AG_INVALID, ORIGIN, "query: there is no word in it");
		return ag_err_hint(err, "name what you look for: a table, a term, a metric");
	}
	st = ag_know_rows(s, project, AG_KNOW_NKIND, arena, &rows, &f.nrow, err);
	f.rows = rows;
	if (!st && !f.nrow) {
		*nret = 0;
		return AG_OK;
	}
	/* A damaged index is emptied and made again: once more from the beginning. */
	for (int i = 0; i < 2 && !st; i++) {
		st = refresh(&f, err);
		if (!st)
			st = ag_store_index_search(s,
			                           &(ag_index_question){ .project = f.index,
			                                                 .words = words,
			                                                 .nword = nword,
			                                                 .limit = limit },
			                           arena, &hits, &nhit, err);
		if (st != AG_CONFLICT)
			break;
		st = AG_OK;
	}
	return st ? st : read_hits(&f, hits, nhit, ret, nret);
}
