/* The dispatcher of the index: the only caller of its methods.
 *
 * As in store.c, what reaches an implementation is well formed: texts are UTF-8 without NUL, numbers fit, and everything
 * is within the limits of search_index.h. */
#include "store/search_index.h"

#include "store/check.h"

#define ORIGIN         "store.index"
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

ag_status ag_store_index_files(ag_store *s, ag_str project, ag_arena *arena, ag_index_file **ret,
                               size_t *nret, ag_err *err)
{
	ag_status st = check_project(project, err);

	return st ? st : s->type->index->files(s, project, arena, ret, nret, err);
}

ag_status ag_store_index_update(ag_store *s, ag_str project, const ag_index_change *changes,
                                size_t n, ag_err *err)
{
	size_t nbyte = 0;
	ag_status st = check_project(project, err);

	for (size_t i = 0; i < n && !st; i++)
		st = check_change(&changes[i], &nbyte, err);
	if (!st && nbyte > AG_STORE_MAX_BATCH_BYTES)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a batch of %zu bytes, at most %u are taken",
		             nbyte, AG_STORE_MAX_BATCH_BYTES);
	if (st || !n)
		return st;
	return s->type->index->update(s, project, changes, n, err);
}

ag_status ag_store_index_search(ag_store *s, ag_str project, const ag_str *words, size_t nword,
                                size_t limit, ag_arena *arena, ag_index_hit **ret, size_t *nret,
                                ag_err *err)
{
	ag_status st = check_words(project, words, nword, err);

	if (!st && limit > AG_INDEX_MAX_HITS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a search has at most %u hits, not %zu",
		             AG_INDEX_MAX_HITS, limit);
	return st ? st
	          : s->type->index->search(s, project, words, nword, limit, arena, ret, nret, err);
}

ag_status ag_store_index_count(ag_store *s, ag_str project, const ag_str *words, size_t nword,
                               ag_index_counts *ret, ag_err *err)
{
	ag_status st = check_words(project, words, nword, err);

	return st ? st : s->type->index->count(s, project, words, nword, ret, err);
}
