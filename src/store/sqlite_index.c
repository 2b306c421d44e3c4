/* The full text of projects' files: FTS5 over the table of documents (004_search.sql).
 *
 * Invariant: each row of index_docs has its words in index_words, and no others are there: both change in one
 * transaction, words first when documents go (FTS5 3.40 finds what to forget by the old text). The documents of a
 * project are a range of ids, so that one index serves all of them and a search reads only its own.
 * Order of reading: index_files(), index_update(), index_search(). Mending and purge are in sqlite_index_care.c. */
#include "store/sqlite_index.h"
#include "base/time.h"

#define ORIGIN "store.sqlite"
/* Used again within an hour is not written down: a question should not have to wait for a lock. */
#define USED_EXACT_MS INT64_C(3600000)
#define MAX_DOC       INT64_C(0xffffffff) /* ids of one project */

/* *ret 0 = the project is not known. */
static ag_status find_project(ag_sqlite_store *s, ag_str project, int64_t *ret, int64_t *ret_used,
                              ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_INDEX_PROJECT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, project);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
	*ret_used = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 1) : 0;
	return AG_OK;
}

static ag_status use_project(ag_sqlite_store *s, ag_str project, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_INDEX_USE_PROJECT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, project);
	sqlite3_bind_int64(stmt, 2, ag_clock_wall(&ag_clock_system));
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

/* A store that cannot be written now can still be asked. */
static void note_use(ag_sqlite_store *s, ag_str project, int64_t used_ms)
{
	if (ag_clock_wall(&ag_clock_system) - used_ms < USED_EXACT_MS ||
	    ag_sqlite_begin(s, false, NULL))
		return;
	if (use_project(s, project, NULL) || ag_sqlite_commit(s, NULL))
		ag_sqlite_rollback(s);
}

static void ids_of(int64_t project, int64_t *first, int64_t *last)
{
	*first = (int64_t)((uint64_t)project << 32);
	*last = *first + MAX_DOC;
}

/* --- files --- */

static ag_status read_files(ag_sqlite_store *s, ag_str project, ag_arena *arena,
                            ag_index_file **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_index_file) };
	int64_t id = 0, used_ms = 0;
	ag_status st = find_project(s, project, &id, &used_ms, err);
	int rc = SQLITE_DONE;

	if (!st)
		st = ag_sqlite_prepare(s, AG_SQL_INDEX_FILES, &stmt, err);
	if (st)
		return st;
	if (id) {
		note_use(s, project, used_ms);
		sqlite3_bind_int64(stmt, 1, id);
		rc = ag_sqlite_first_row(s, stmt);
	}
	for (; rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_index_file *f = ag_sqlite_rows_add(&list);

		f->path = ag_sqlite_column_str(stmt, 0, arena);
		f->size = (uint64_t)sqlite3_column_int64(stmt, 1);
		f->mtime_ns = sqlite3_column_int64(stmt, 2);
		f->hash = ag_sqlite_column_str(stmt, 3, arena);
		f->format = (uint32_t)sqlite3_column_int64(stmt, 4);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

static ag_status index_files(ag_store *base, ag_str project, ag_arena *arena, ag_index_file **ret,
                             size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_err why = { 0 };
	ag_status st = read_files(s, project, arena, ret, nret, &why);

	if (!st)
		return AG_OK;
	if (ag_sqlite_index_mend(s, &why, err) != AG_CONFLICT)
		return err ? err->status : why.status;
	*ret = NULL;
	*nret = 0;
	return AG_OK; /* it is empty now */
}

/* --- update --- */

typedef struct writer {
	ag_sqlite_store *s;
	int64_t project;
	int64_t next_doc, last_doc; /* ids */
} writer;

static ag_status run_for_file(ag_sqlite_store *s, ag_sqlite_sql which, int64_t file, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, which, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, file);
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

static ag_status find_file(const writer *w, ag_str path, int64_t *ret, int64_t *ret_ndoc,
                           ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(w->s, AG_SQL_INDEX_FILE, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, w->project);
	ag_sqlite_bind_str(stmt, 2, path);
	rc = ag_sqlite_write_step(stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return ag_sqlite_fail(w->s, rc, "read", err);
	*ret = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
	*ret_ndoc = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 1) : 0;
	return AG_OK;
}

/* The old documents of one change. */
static ag_status forget(const writer *w, const ag_index_change *c, ag_err *err)
{
	int64_t file = 0, ndoc = 0;
	ag_status st;

	if (c->is_kept && !c->is_gone)
		return AG_OK;
	st = find_file(w, c->file.path, &file, &ndoc, err);
	if (st || !file)
		return st;
	if (ndoc)
		st = run_for_file(w->s, AG_SQL_INDEX_FORGET_WORDS, file, err);
	if (!st && ndoc)
		st = run_for_file(w->s, AG_SQL_INDEX_DROP_DOCS, file, err);
	if (!st && c->is_gone)
		st = run_for_file(w->s, AG_SQL_INDEX_DROP_FILE, file, err);
	return st;
}

static ag_status put_file(const writer *w, const ag_index_change *c, int64_t ndoc, int64_t *ret,
                          ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	const ag_index_file *f = &c->file;
	ag_status st = ag_sqlite_prepare(w->s, AG_SQL_INDEX_PUT_FILE, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, w->project);
	ag_sqlite_bind_str(stmt, 2, f->path);
	sqlite3_bind_int64(stmt, 3, (int64_t)f->size);
	sqlite3_bind_int64(stmt, 4, f->mtime_ns);
	ag_sqlite_bind_str(stmt, 5, f->hash);
	sqlite3_bind_int64(stmt, 6, f->format);
	sqlite3_bind_int64(stmt, 7, ndoc);
	rc = ag_sqlite_write_step(stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(w->s, rc, "write to", err);
	*ret = sqlite3_column_int64(stmt, 0);
	rc = sqlite3_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(w->s, rc, "write to", err);
}

static ag_status add_doc(writer *w, int64_t file, const ag_index_doc *d, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *doc = NULL;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *words = NULL;
	const ag_str texts[] = { d->title, d->trail, d->names, d->body };
	ag_status st = ag_sqlite_prepare(w->s, AG_SQL_INDEX_ADD_DOC, &doc, err);
	int rc;

	if (!st)
		st = ag_sqlite_prepare(w->s, AG_SQL_INDEX_ADD_WORDS, &words, err);
	if (st)
		return st;
	if (w->next_doc > w->last_doc) {
		ag_fail(err, AG_LIMIT, ORIGIN, "the index of the project has no numbers left");
		return ag_err_hint(err, "argus purge --older-than 0 empties it");
	}
	sqlite3_bind_int64(doc, 1, w->next_doc);
	sqlite3_bind_int64(doc, 2, file);
	ag_sqlite_bind_str(doc, 3, d->kind);
	ag_sqlite_bind_str(doc, 4, d->anchor);
	sqlite3_bind_int64(doc, 5, d->line);
	sqlite3_bind_int64(doc, 6, d->last_line);
	sqlite3_bind_int64(words, 1, w->next_doc++);
	for (int i = 0; i < (int)AG_NELEM(texts); i++) {
		ag_sqlite_bind_str(doc, 7 + i, texts[i]);
		ag_sqlite_bind_str(words, 2 + i, texts[i]);
	}
	rc = ag_sqlite_write_step(doc);
	if (rc == SQLITE_DONE)
		rc = ag_sqlite_write_step(words);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(w->s, rc, "write to", err);
}

static ag_status remember(writer *w, const ag_index_change *c, ag_err *err)
{
	int64_t file = 0, ndoc = (int64_t)c->ndoc;
	ag_status st = AG_OK;

	if (c->is_gone)
		return AG_OK;
	if (c->is_kept)
		st = find_file(w, c->file.path, &file, &ndoc, err);
	if (!st)
		st = put_file(w, c, ndoc, &file, err);
	for (size_t i = 0; i < c->ndoc && !c->is_kept && !st; i++)
		st = add_doc(w, file, &c->docs[i], err);
	return st;
}

static ag_status begin_writing(writer *w, ag_str project, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	int64_t used_ms, first = 0;
	ag_status st = use_project(w->s, project, err);
	int rc;

	if (!st)
		st = find_project(w->s, project, &w->project, &used_ms, err);
	if (!st)
		st = ag_sqlite_prepare(w->s, AG_SQL_INDEX_LAST_DOC, &stmt, err);
	if (st)
		return st;
	ids_of(w->project, &first, &w->last_doc);
	sqlite3_bind_int64(stmt, 1, first);
	sqlite3_bind_int64(stmt, 2, w->last_doc);
	rc = ag_sqlite_write_step(stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(w->s, rc, "read", err);
	w->next_doc = sqlite3_column_type(stmt, 0) == SQLITE_NULL
	                      ? first
	                      : sqlite3_column_int64(stmt, 0) + 1;
	return AG_OK;
}

/* All that goes before all that comes: FTS5 writes out what it has gathered whenever an id is smaller than the last. */
static ag_status write_changes(ag_sqlite_store *s, ag_str project, const ag_index_change *changes,
                               size_t n, ag_err *err)
{
	writer w = { .s = s };
	ag_status st = begin_writing(&w, project, err);

	for (size_t i = 0; i < n && !st; i++)
		st = forget(&w, &changes[i], err);
	for (size_t i = 0; i < n && !st; i++)
		st = remember(&w, &changes[i], err);
	return st;
}

static ag_status index_update(ag_store *base, ag_str project, const ag_index_change *changes,
                              size_t n, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_err why = { 0 };
	ag_status st;
	/* What is overwritten in a page is gone at once; freed pages go with the next purge. */
	int rc = ag_sqlite_exec(s, "PRAGMA secure_delete=FAST");

	if (rc)
		return ag_sqlite_fail(s, rc, "write to", err);
	st = ag_sqlite_begin(s, false, err);
	if (st)
		return st;
	st = write_changes(s, project, changes, n, &why);
	if (!st)
		st = ag_sqlite_commit(s, &why);
	if (!st)
		return AG_OK;
	ag_sqlite_rollback(s);
	return ag_sqlite_index_mend(s, &why, err);
}

/* --- search --- */

/* Each word in quotes: nothing in it is syntax. */
static void match_text(const ag_str *words, size_t nword, ag_buf *out)
{
	for (size_t i = 0; i < nword; i++) {
		ag_buf_adds(out, i ? " OR \"" : "\"");
		for (size_t k = 0; k < words[i].len; k++) {
			if (words[i].ptr[k] == '"')
				ag_buf_addc(out, '"');
			ag_buf_addc(out, words[i].ptr[k]);
		}
		ag_buf_addc(out, '"');
	}
}

/* The statement with the words and the ids of the project. */
static ag_status prepare_match(ag_sqlite_store *s, ag_sqlite_sql which, int64_t project,
                               const ag_buf *match, sqlite3_stmt **ret, ag_err *err)
{
	int64_t first, last;
	ag_status st = ag_sqlite_prepare(s, which, ret, err);

	if (st)
		return st;
	ids_of(project, &first, &last);
	ag_sqlite_bind_str(*ret, 1, ag_buf_view(match));
	sqlite3_bind_int64(*ret, 2, first);
	sqlite3_bind_int64(*ret, 3, last);
	return AG_OK;
}

static void read_hit(sqlite3_stmt *stmt, ag_arena *arena, ag_index_hit *h)
{
	h->path = ag_sqlite_column_str(stmt, 0, arena);
	h->doc.kind = ag_sqlite_column_str(stmt, 1, arena);
	h->doc.anchor = ag_sqlite_column_str(stmt, 2, arena);
	h->doc.line = (unsigned)sqlite3_column_int64(stmt, 3);
	h->doc.last_line = (unsigned)sqlite3_column_int64(stmt, 4);
	h->doc.title = ag_sqlite_column_str(stmt, 5, arena);
	h->doc.trail = ag_sqlite_column_str(stmt, 6, arena);
	h->doc.body = ag_sqlite_column_str(stmt, 7, arena);
	h->doc.names = AG_S("");
	h->score = sqlite3_column_double(stmt, 8);
}

static ag_status search(ag_sqlite_store *s, int64_t project, const ag_buf *match, size_t limit,
                        ag_arena *arena, ag_index_hit **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_index_hit) };
	ag_status st = prepare_match(s, AG_SQL_INDEX_SEARCH, project, match, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 4, (int64_t)limit);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt))
		read_hit(stmt, arena, ag_sqlite_rows_add(&list));
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

static ag_status index_search(ag_store *base, ag_str project, const ag_str *words, size_t nword,
                              size_t limit, ag_arena *arena, ag_index_hit **ret, size_t *nret,
                              ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_buf_release) ag_buf match = AG_BUF_INIT(64u << 10);
	ag_err why = { 0 };
	int64_t id = 0, used_ms;
	ag_status st = find_project(s, project, &id, &used_ms, &why);

	*ret = NULL;
	*nret = 0;
	match_text(words, nword, &match);
	if (!st && id && nword)
		st = search(s, id, &match, limit, arena, ret, nret, &why);
	return st ? ag_sqlite_index_mend(s, &why, err) : AG_OK;
}

/* --- counts --- */

static ag_status count_one(ag_sqlite_store *s, int64_t project, ag_str word, size_t *ret,
                           ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_buf_release) ag_buf match = AG_BUF_INIT(64u << 10);
	ag_status st;
	int rc;

	match_text(&word, 1, &match);
	st = prepare_match(s, AG_SQL_INDEX_COUNT, project, &match, &stmt, err);
	if (st)
		return st;
	rc = ag_sqlite_first_row(s, stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = (size_t)sqlite3_column_int64(stmt, 0);
	return AG_OK;
}

static ag_status count_docs(ag_sqlite_store *s, int64_t project, size_t *ret, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_INDEX_NDOC, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, project);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = (size_t)sqlite3_column_int64(stmt, 0);
	return AG_OK;
}

static ag_status index_count(ag_store *base, ag_str project, const ag_str *words, size_t nword,
                             ag_index_counts *ret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_index_counts c = { 0 };
	ag_err why = { 0 };
	int64_t id = 0, used_ms;
	ag_status st = find_project(s, project, &id, &used_ms, &why);

	if (!st && id)
		st = count_docs(s, id, &c.ndoc, &why);
	for (size_t i = 0; i < nword && id && !st; i++)
		st = count_one(s, id, words[i], &c.with[i], &why);
	if (st)
		return ag_sqlite_index_mend(s, &why, err);
	*ret = c;
	return AG_OK;
}

const ag_store_index_type ag_sqlite_index = {
	.files = index_files,
	.update = index_update,
	.search = index_search,
	.count = index_count,
};
