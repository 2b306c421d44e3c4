/* The full text of projects' files: what is asked of the index is checked, then run on the store's database.
 *
 * Invariant: each row of index_docs has its words in the full text, and no others are there: both change in one
 * transaction, words first when documents go. The documents of a project are a range of ids, so that one index serves all
 * of them and a search reads only its own.
 * Order of reading: ag_store_index_files(), ag_store_index_update(), ag_store_index_search(), ag_index_purge(). */
#include "store/search_index.h"

#include "base/time.h"
#include "store/parts.h"

#define ORIGIN "store.index"
/* A use within an hour of the last one is not written: a question should not have to wait for a lock. */
#define USED_EXACT_MS INT64_C(3600000)
#define MAX_DOC       INT64_C(0xffffffff) /* ids of one project */
#define DOC_ROWS      16u                 /* written by one call of the driver */
#define PURGE_ROWS \
	256u /* of one transaction: a purge of many documents gives others the lock in between */
#define MAX_WORD_BYTES 256u
#define MAX_INT        ((uint64_t)INT64_MAX)

static ag_status check_project(ag_str project, ag_err *err)
{
	if (!project.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the name of the project is empty");
	return ag_store_check_text(ORIGIN, "the name of the project", project,
	                           AG_STORE_MAX_TEXT_BYTES, err);
}

static ag_status check_words(ag_str project, const ag_str *words, size_t nword, ag_err *err)
{
	ag_status st = check_project(project, err);

	if (!st && nword > AG_INDEX_MAX_WORDS)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a search has at most %u words, not %zu",
		             AG_INDEX_MAX_WORDS, nword);
	for (size_t i = 0; i < nword && !st; i++)
		st = ag_store_check_text(ORIGIN, "a word of the search", words[i], MAX_WORD_BYTES,
		                         err);
	return st;
}

static ag_status check_doc(const ag_index_doc *d, size_t *nbyte, ag_err *err)
{
	const ag_str texts[] = { d->kind, d->anchor, d->title, d->trail, d->names, d->body };
	size_t total = 0;
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++) {
		st = ag_store_check_text(ORIGIN, "a text of a document", texts[i],
		                         AG_INDEX_MAX_DOC_BYTES, err);
		total += texts[i].len;
	}
	if (!st && total > AG_INDEX_MAX_DOC_BYTES)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a document of %zu bytes, at most %u are kept",
		             total, AG_INDEX_MAX_DOC_BYTES);
	*nbyte += total;
	return st;
}

static ag_status check_change(const ag_index_change *c, size_t *nbyte, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the path of a file", c->file.path,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	if (!st && !c->file.path.len)
		st = ag_fail(err, AG_INVALID, ORIGIN, "the path of a file is empty");
	if (!st)
		st = ag_store_check_text(ORIGIN, "the hash of a file", c->file.hash, MAX_WORD_BYTES,
		                         err);
	if (!st && c->file.size > MAX_INT)
		st = ag_fail(err, AG_INVALID, ORIGIN, "the size of a file is out of range");
	if (!st && c->ndoc > AG_STORE_MAX_ROWS)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a file has at most %u documents, not %zu",
		             AG_STORE_MAX_ROWS, c->ndoc);
	for (size_t i = 0; i < c->ndoc && !c->is_kept && !c->is_gone && !st; i++)
		st = check_doc(&c->docs[i], nbyte, err);
	return st;
}

/* --- statements --- */

enum {
	PROJECT,
	USE_PROJECT,
	FILES,
	FILE_ID,
	PUT_FILE,
	DROP_FILE,
	DROP_DOCS,
	LAST_DOC,
	ADD_DOC,
	NDOC,
	OLD,
	LIVING,
	GIVE_UP,
	GIVE_UP_FILES,
	DOOMED,
	DROP_DOC,
	DROP_ALL_DOCS,
	DROP_PROJECTS,
};

static const ag_sql sql[] = {
	[PROJECT] = { "SELECT id, used_at FROM index_projects WHERE project = $1" },
	[USE_PROJECT] = { "INSERT INTO index_projects (project, used_at) VALUES ($1, $2) "
	                  "ON CONFLICT (project) DO UPDATE SET used_at = "
	                  "CASE WHEN index_projects.used_at > excluded.used_at "
	                  "THEN index_projects.used_at ELSE excluded.used_at END" },
	[FILES] = { "SELECT path, size, mtime_ns, hash, format FROM index_files "
	            "WHERE project = $1 ORDER BY path" },
	[FILE_ID] = { "SELECT id, ndoc FROM index_files WHERE project = $1 AND path = $2" },
	[PUT_FILE] = { "INSERT INTO index_files (project, path, size, mtime_ns, hash, format, ndoc) "
	               "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (project, path) DO UPDATE "
	               "SET size = excluded.size, mtime_ns = excluded.mtime_ns, "
	               "hash = excluded.hash, format = excluded.format, ndoc = excluded.ndoc "
	               "RETURNING id" },
	[DROP_FILE] = { "DELETE FROM index_files WHERE id = $1" },
	[DROP_DOCS] = { "DELETE FROM index_docs WHERE file = $1" },
	[LAST_DOC] = { "SELECT max(id) FROM index_docs WHERE id BETWEEN $1 AND $2" },
	[ADD_DOC] = { "INSERT INTO index_docs (id, title, trail, names, body, file, kind, anchor, "
	              "line, last_line) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)" },
	[NDOC] = { "SELECT sum(ndoc) FROM index_files WHERE project = $1" },
	[OLD] = { "SELECT count(*) FROM index_projects WHERE project IS NULL OR used_at < $1" },
	[LIVING] = { "SELECT count(*) FROM index_projects WHERE project IS NOT NULL" },
	/* First of a purge, so that a question asked meanwhile begins a new project and never sees half of an old one. */
	[GIVE_UP] = { "UPDATE index_projects SET project = NULL WHERE used_at < $1" },
	[GIVE_UP_FILES] = { "DELETE FROM index_files WHERE project IN "
	                    "(SELECT id FROM index_projects WHERE project IS NULL)" },
	[DOOMED] = { "SELECT d.id FROM index_projects p JOIN index_docs d "
	             "ON d.id BETWEEN p.id << 32 AND (p.id << 32) + 4294967295 "
	             "WHERE p.project IS NULL ORDER BY d.id LIMIT $1" },
	[DROP_DOC] = { "DELETE FROM index_docs WHERE id = $1" },
	[DROP_ALL_DOCS] = { "DELETE FROM index_docs" },
	[DROP_PROJECTS] = { "DELETE FROM index_projects WHERE project IS NULL" },
};

/* The first two columns of one row; both stay 0 when there is none, or they are NULL. */
typedef struct pair {
	int64_t a, b;
	bool is_there;
} pair;

static ag_status take_pair(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(pair *)arg = (pair){ ag_db_get_int(&row[0]), ag_db_get_int(&row[1]), true };
	return AG_OK;
}

static ag_status take_one(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(pair *)arg = (pair){ ag_db_get_int(&row[0]), 0, row[0].kind != AG_DB_NULL };
	return AG_OK;
}

static ag_status find_one(ag_db *db, const ag_sql *which, ag_db_args args, int64_t *ret,
                          ag_err *err)
{
	pair p = { 0 };
	ag_db_out out = { .on_row = take_one, .arg = &p };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (!st)
		*ret = p.a;
	return st;
}

/* --- projects --- */

/* ret->a 0 = the project is not known; ret->b: when it was used. */
static ag_status find_project(ag_db *db, ag_str project, pair *ret, ag_err *err)
{
	ag_db_out out = { .on_row = take_pair, .arg = ret };

	return ag_db_run(db, &sql[PROJECT], AG_DB_ARGS(ag_db_text(project)), &out, err);
}

static ag_status use_project(ag_db *db, ag_str project, ag_err *err)
{
	return ag_db_run(db, &sql[USE_PROJECT],
	                 AG_DB_ARGS(ag_db_text(project),
	                            ag_db_int(ag_clock_wall(&ag_clock_system))),
	                 NULL, err);
}

static ag_status use_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	(void)is_again;
	return use_project(db, *(const ag_str *)arg, err);
}

/* A store that cannot be written now can still be asked. */
static void note_use(ag_db *db, ag_str project, int64_t used_ms)
{
	if (ag_clock_wall(&ag_clock_system) - used_ms >= USED_EXACT_MS)
		AG_IGNORE(ag_db_transact(db, AG_DB_WRITE, AG_S("index"), use_work, &project, NULL),
		          "see above");
}

static void ids_of(int64_t project, int64_t *first, int64_t *last)
{
	*first = (int64_t)((uint64_t)project << 32);
	*last = *first + MAX_DOC;
}

/* --- files --- */

static ag_status take_file(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_index_file *f = ag_rows_add(&r->rows);

	f->path = ag_db_get_text(&row[0], r->arena);
	f->size = ag_db_get_u64(&row[1]);
	f->mtime_ns = ag_db_get_int(&row[2]);
	f->hash = ag_db_get_text(&row[3], r->arena);
	f->format = (uint32_t)ag_db_get_int(&row[4]);
	r->nbyte += sizeof(*f) + f->path.len + f->hash.len;
	return ag_reading_check(r, err);
}

static ag_status read_files(ag_db *db, ag_str project, ag_arena *arena, ag_index_file **ret,
                            size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_index_file) },
		            .arena = arena,
		            .what = "the list of files is" };
	ag_db_out out = { .on_row = take_file, .arg = &list };
	pair known = { 0 };
	ag_status st = find_project(db, project, &known, err);

	if (!st && known.a) {
		note_use(db, project, known.b);
		st = ag_db_run(db, &sql[FILES], AG_DB_ARGS(ag_db_int(known.a)), &out, err);
	}
	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

ag_status ag_store_index_files(ag_store *s, ag_str project, ag_arena *arena, ag_index_file **ret,
                               size_t *nret, ag_err *err)
{
	ag_err why = { 0 };
	ag_status st = check_project(project, err);

	if (st)
		return st;
	st = read_files(s->db, project, arena, ret, nret, &why);
	if (!st)
		return AG_OK;
	st = s->db->type->words->mend(s->db, &why, err);
	if (st != AG_CONFLICT)
		return st;
	*ret = NULL;
	*nret = 0;
	return AG_OK; /* it is empty now */
}

/* --- update --- */

typedef struct writer {
	ag_db *db;
	const ag_db_words *words;
	int64_t project;
	int64_t next_doc, last_doc; /* ids */
} writer;

/* A statement that this database does not need has no text. */
static ag_status run_words(ag_db *db, const ag_sql *which, ag_db_args args, ag_err *err)
{
	return which->text ? ag_db_run(db, which, args, NULL, err) : AG_OK;
}

static ag_status find_file(const writer *w, ag_str path, pair *ret, ag_err *err)
{
	ag_db_out out = { .on_row = take_pair, .arg = ret };

	return ag_db_run(w->db, &sql[FILE_ID], AG_DB_ARGS(ag_db_int(w->project), ag_db_text(path)),
	                 &out, err);
}

/* The old documents of one change. */
static ag_status forget(const writer *w, const ag_index_change *c, ag_err *err)
{
	pair file = { 0 }; /* its id and its documents */
	ag_status st;

	if (c->is_kept && !c->is_gone)
		return AG_OK;
	st = find_file(w, c->file.path, &file, err);
	if (st || !file.a)
		return st;
	if (file.b)
		st = run_words(w->db, &w->words->forget_file, AG_DB_ARGS(ag_db_int(file.a)), err);
	if (!st && file.b)
		st = ag_db_run(w->db, &sql[DROP_DOCS], AG_DB_ARGS(ag_db_int(file.a)), NULL, err);
	if (!st && c->is_gone)
		st = ag_db_run(w->db, &sql[DROP_FILE], AG_DB_ARGS(ag_db_int(file.a)), NULL, err);
	return st;
}

static ag_status put_file(const writer *w, const ag_index_change *c, int64_t ndoc, int64_t *ret,
                          ag_err *err)
{
	const ag_index_file *f = &c->file;

	return find_one(w->db, &sql[PUT_FILE],
	                AG_DB_ARGS(ag_db_int(w->project), ag_db_text(f->path),
	                           ag_db_int((int64_t)f->size), ag_db_int(f->mtime_ns),
	                           ag_db_text(f->hash), ag_db_int(f->format), ag_db_int(ndoc)),
	                ret, err);
}

/* At most DOC_ROWS documents: their rows, then their words. */
static ag_status add_docs(writer *w, int64_t file, const ag_index_doc *docs, size_t n, ag_err *err)
{
	ag_db_val doc[DOC_ROWS][10], words[DOC_ROWS][5];
	ag_status st;

	AG_ASSERT(n && n <= DOC_ROWS);
	if (w->next_doc + (int64_t)n - 1 > w->last_doc) {
		ag_fail(err, AG_LIMIT, ORIGIN, "the index of the project has no numbers left");
		return ag_err_hint(err, "argus purge --older-than 0 empties it");
	}
	for (size_t i = 0; i < n; i++) {
		const ag_index_doc *d = &docs[i];
		const ag_db_val all[10] = { ag_db_int(w->next_doc++), ag_db_text(d->title),
			                    ag_db_text(d->trail),     ag_db_text(d->names),
			                    ag_db_text(d->body),      ag_db_int(file),
			                    ag_db_text(d->kind),      ag_db_text(d->anchor),
			                    ag_db_int(d->line),       ag_db_int(d->last_line) };

		memcpy(doc[i], all, sizeof(all));
		memcpy(words[i], all, sizeof(words[i]));
	}
	st = ag_db_run_many(w->db, &sql[ADD_DOC], (ag_db_args){ doc[0], 10 }, n, NULL, err);
	if (!st && w->words->put)
		st = w->words->put(w->db, (ag_db_args){ words[0], 5 }, n, err);
	else if (!st)
		st = ag_db_run_many(w->db, &w->words->add, (ag_db_args){ words[0], 5 }, n, NULL,
		                    err);
	return st;
}

static ag_status remember(writer *w, const ag_index_change *c, ag_err *err)
{
	int64_t file = 0;
	pair old = { 0, (int64_t)c->ndoc, false };
	ag_status st = AG_OK;

	if (c->is_gone)
		return AG_OK;
	if (c->is_kept) {
		old.b = 0;
		st = find_file(w, c->file.path, &old, err);
	}
	if (!st)
		st = put_file(w, c, old.b, &file, err);
	for (size_t i = 0; i < c->ndoc && !c->is_kept && !st; i += DOC_ROWS)
		st = add_docs(w, file, &c->docs[i], c->ndoc - i < DOC_ROWS ? c->ndoc - i : DOC_ROWS,
		              err);
	return st;
}

static ag_status begin_writing(writer *w, ag_str project, ag_err *err)
{
	pair known = { 0 }, last = { 0 };
	ag_db_out out = { .on_row = take_one, .arg = &last };
	int64_t first = 0;
	ag_status st = use_project(w->db, project, err);

	if (!st)
		st = find_project(w->db, project, &known, err);
	if (st)
		return st;
	w->project = known.a;
	ids_of(w->project, &first, &w->last_doc);
	st = ag_db_run(w->db, &sql[LAST_DOC], AG_DB_ARGS(ag_db_int(first), ag_db_int(w->last_doc)),
	               &out, err);
	w->next_doc = last.is_there ? last.a + 1 : first;
	return st;
}

/* All that goes before all that comes: FTS5 writes out what it has gathered whenever an id is smaller than the last. */
static ag_status write_changes(ag_db *db, ag_str project, const ag_index_change *changes, size_t n,
                               ag_err *err)
{
	writer w = { .db = db, .words = db->type->words };
	ag_status st = begin_writing(&w, project, err);

	for (size_t i = 0; i < n && !st; i++)
		st = forget(&w, &changes[i], err);
	for (size_t i = 0; i < n && !st; i++)
		st = remember(&w, &changes[i], err);
	return st;
}

typedef struct updating {
	ag_str project;
	const ag_index_change *changes;
	size_t n;
} updating;

/* Each change replaces what the index has of its file, so a second time does no harm. */
static ag_status update_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const updating *u = (const updating *)arg;

	(void)is_again;
	return write_changes(db, u->project, u->changes, u->n, err);
}

ag_status ag_store_index_update(ag_store *s, ag_str project, const ag_index_change *changes,
                                size_t n, ag_err *err)
{
	updating u = { project, changes, n };
	ag_err why = { 0 };
	size_t nbyte = 0;
	ag_status st = check_project(project, err);

	for (size_t i = 0; i < n && !st; i++)
		st = check_change(&changes[i], &nbyte, err);
	if (!st && nbyte > AG_STORE_MAX_BATCH_BYTES)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a batch of %zu bytes, at most %u are taken",
		             nbyte, AG_STORE_MAX_BATCH_BYTES);
	if (st || !n)
		return st;
	st = ag_db_transact(s->db, AG_DB_WRITE, AG_S("index"), update_work, &u, &why);
	return st ? s->db->type->words->mend(s->db, &why, err) : AG_OK;
}

/* --- search --- */

static ag_status take_hit(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_index_hit *h = ag_rows_add(&r->rows);

	h->path = ag_db_get_text(&row[0], r->arena);
	h->doc.kind = ag_db_get_text(&row[1], r->arena);
	h->doc.anchor = ag_db_get_text(&row[2], r->arena);
	h->doc.line = (unsigned)ag_db_get_int(&row[3]);
	h->doc.last_line = (unsigned)ag_db_get_int(&row[4]);
	h->doc.title = ag_db_get_text(&row[5], r->arena);
	h->doc.trail = ag_db_get_text(&row[6], r->arena);
	h->doc.body = ag_db_get_text(&row[7], r->arena);
	h->doc.names = AG_S("");
	h->score = ag_db_get_real(&row[8]);
	r->nbyte += sizeof(*h) + h->doc.body.len;
	return ag_reading_check(r, err);
}

static ag_status search(ag_db *db, int64_t project, const ag_str *words, size_t nword, size_t limit,
                        ag_reading *list, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf match = AG_BUF_INIT(64u << 10);
	ag_db_out out = { .on_row = take_hit, .arg = list };
	int64_t first, last;

	db->type->words->match(words, nword, &match);
	ids_of(project, &first, &last);
	return ag_db_run(db, &db->type->words->search,
	                 AG_DB_ARGS(ag_db_text(ag_buf_view(&match)), ag_db_int(first),
	                            ag_db_int(last), ag_db_int((int64_t)limit)),
	                 &out, err);
}

ag_status ag_store_index_search(ag_store *s, const ag_index_question *q, ag_arena *arena,
                                ag_index_hit **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_index_hit) },
		            .arena = arena,
		            .what = "the documents found are" };
	ag_err why = { 0 };
	pair known = { 0 };
	ag_status st = check_words(q->project, q->words, q->nword, err);

	if (!st && q->limit > AG_INDEX_MAX_HITS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a search has at most %u hits, not %zu",
		             AG_INDEX_MAX_HITS, q->limit);
	if (st)
		return st;
	st = find_project(s->db, q->project, &known, &why);
	if (!st && known.a && q->nword)
		st = search(s->db, known.a, q->words, q->nword, q->limit, &list, &why);
	if (st)
		return s->db->type->words->mend(s->db, &why, err);
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

/* --- counts --- */

static ag_status count_one(ag_db *db, int64_t project, ag_str word, size_t *ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf match = AG_BUF_INIT(64u << 10);
	int64_t first, last, n = 0;
	ag_status st;

	db->type->words->match(&word, 1, &match);
	ids_of(project, &first, &last);
	st = find_one(db, &db->type->words->count,
	              AG_DB_ARGS(ag_db_text(ag_buf_view(&match)), ag_db_int(first),
	                         ag_db_int(last)),
	              &n, err);
	*ret = (size_t)n;
	return st;
}

ag_status ag_store_index_count(ag_store *s, ag_str project, const ag_str *words, size_t nword,
                               ag_index_counts *ret, ag_err *err)
{
	ag_index_counts c = { 0 };
	ag_err why = { 0 };
	pair known = { 0 };
	int64_t ndoc = 0;
	ag_status st = check_words(project, words, nword, err);

	if (st)
		return st;
	st = find_project(s->db, project, &known, &why);
	if (!st && known.a)
		st = find_one(s->db, &sql[NDOC], AG_DB_ARGS(ag_db_int(known.a)), &ndoc, &why);
	c.ndoc = (size_t)ndoc;
	for (size_t i = 0; i < nword && known.a && !st; i++)
		st = count_one(s->db, known.a, words[i], &c.with[i], &why);
	if (st)
		return s->db->type->words->mend(s->db, &why, err);
	*ret = c;
	return AG_OK;
}

/* --- purge --- */

/* Each of its transactions may be done twice. */
typedef struct purging {
	int64_t older_than_ms;
	bool is_done; /* all documents were removed at once */
	size_t n;     /* documents that the last transaction removed */
} purging;

/* Also removes all documents at once when no project is left. */
static ag_status give_up_projects(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	purging *p = arg;
	int64_t nliving = 1;
	ag_status st = ag_db_run(db, &sql[GIVE_UP], AG_DB_ARGS(ag_db_int(p->older_than_ms)), NULL,
	                         err);

	(void)is_again;
	if (!st)
		st = ag_db_run(db, &sql[GIVE_UP_FILES], AG_DB_NO_ARGS, NULL, err);
	if (!st)
		st = find_one(db, &sql[LIVING], AG_DB_NO_ARGS, &nliving, err);
	if (!st && !nliving)
		st = run_words(db, &db->type->words->forget_all, AG_DB_NO_ARGS, err);
	if (!st && !nliving)
		st = ag_db_run(db, &sql[DROP_ALL_DOCS], AG_DB_NO_ARGS, NULL, err);
	p->is_done = !nliving;
	return st;
}

static ag_status take_doomed(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(ag_db_val *)ag_rows_add(arg) = row[0];
	return AG_OK;
}

/* Some documents of projects that were given up. */
static ag_status drop_some(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	purging *p = arg;
	AG_AUTO(ag_rows_release) ag_rows doomed = { .size = sizeof(ag_db_val) };
	ag_db_out out = { .on_row = take_doomed, .arg = &doomed };
	ag_db_args ids;
	ag_status st = ag_db_run(db, &sql[DOOMED], AG_DB_ARGS(ag_db_int(PURGE_ROWS)), &out, err);

	(void)is_again;
	ids = (ag_db_args){ (const ag_db_val *)(void *)doomed.ptr, 1 };
	if (!st && db->type->words->forget_doc.text)
		st = ag_db_run_many(db, &db->type->words->forget_doc, ids, doomed.n, NULL, err);
	if (!st)
		st = ag_db_run_many(db, &sql[DROP_DOC], ids, doomed.n, NULL, err);
	p->n = doomed.n;
	return st;
}

static ag_status finish_purge(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	ag_status st = ag_db_run(db, &sql[DROP_PROJECTS], AG_DB_NO_ARGS, NULL, err);

	(void)arg;
	(void)is_again;
	return st ? st : run_words(db, &db->type->words->merge, AG_DB_NO_ARGS, err);
}

static ag_status purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err)
{
	int64_t nold = 0;
	purging p = { .older_than_ms = older_than_ms, .n = 1 };
	ag_status st = find_one(db, &sql[OLD], AG_DB_ARGS(ag_db_int(older_than_ms)), &nold, err);

	if (st || !nold)
		return st;
	*ret = true;
	st = ag_db_transact(db, AG_DB_WRITE, AG_S("index"), give_up_projects, &p, err);
	while (p.n && !p.is_done && !st)
		st = ag_db_transact(db, AG_DB_WRITE, AG_S("index"), drop_some, &p, err);
	return st ? st : ag_db_transact(db, AG_DB_WRITE, AG_S("index"), finish_purge, NULL, err);
}

ag_status ag_index_purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err)
{
	ag_err why = { 0 };
	ag_status st = purge(db, older_than_ms, ret, &why);

	if (!st)
		return AG_OK;
	*ret = true;
	st = db->type->words->mend(db, &why, err);
	return st == AG_CONFLICT ? AG_OK : st; /* damaged, so it was emptied */
}
