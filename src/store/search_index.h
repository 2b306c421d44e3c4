/* search_index -- full text of a project's files, cached in the store.
 *
 * Files belong to a project (its root's identity). A file's documents (sections, definitions) are replaced together. The
 * index is a cache: it can be dropped at any time, purge does. SQLite: FTS5 with BM25. Implementations are rows of the
 * store's own type (store.h: index). */
#ifndef AG_STORE_SEARCH_INDEX_H
#define AG_STORE_SEARCH_INDEX_H

#include "store/store.h"

typedef struct ag_index_file {
	ag_str path;
	uint64_t size;
	int64_t mtime_ns;
	ag_str hash;     /* of the content */
	uint32_t format; /* of whoever cut it into documents: another one means "cut it again" */
} ag_index_file;

typedef struct ag_index_doc {
	ag_str kind;   /* "section", "definition", "text" */
	ag_str anchor; /* of a section */
	ag_str title;
	ag_str trail; /* titles above it: "Git > Branches" */
	ag_str names; /* further words it should be found by: identifiers in their parts, words of the path */
	ag_str body;
	unsigned line, last_line;
} ag_index_doc;

typedef struct ag_index_change {
	ag_index_file file;
	bool is_gone; /* the file is not there any more */
	const ag_index_doc *docs;
	size_t ndoc;
} ag_index_change;

typedef struct ag_index_hit {
	ag_str path;
	ag_index_doc doc; /* names is left empty */
	double score;     /* larger is better */
} ag_index_hit;

/* What is indexed of a project, by path. */
AG_CHECK ag_status ag_store_index_files(ag_store *s, ag_str project, ag_arena *arena,
                                        ag_index_file **ret, size_t *nret, ag_err *err);
/* All of it or nothing. */
AG_CHECK ag_status ag_store_index_update(ag_store *s, ag_str project,
                                         const ag_index_change *changes, size_t n, ag_err *err);
/* Documents that have any of the words, best first; words are plain (never query syntax), at most 32. */
AG_CHECK ag_status ag_store_index_search(ag_store *s, ag_str project, const ag_str *words,
                                         size_t nword, size_t limit, ag_arena *arena,
                                         ag_index_hit **ret, size_t *nret, ag_err *err);

#endif
