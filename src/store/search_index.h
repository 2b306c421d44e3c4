/* search_index -- full text of a project's files, cached in the store.
 *
 * Files belong to a project (its root's identity). A file's documents (sections, definitions) are replaced together. The
 * index is a cache: it can be dropped at any time, purge does. The full text is the database's own (ag_db_words): FTS5 with
 * BM25 in SQLite.
 *
 * A damaged index is emptied and made anew. ag_store_index_files() then says that nothing is indexed; the others answer
 * AG_CONFLICT: whoever called begins again with the files. */
#ifndef AG_STORE_SEARCH_INDEX_H
#define AG_STORE_SEARCH_INDEX_H

#include "store/store.h"

#define AG_INDEX_MAX_WORDS     64u        /* of one search */
#define AG_INDEX_MAX_DOC_BYTES (1u << 20) /* the texts of one document */
#define AG_INDEX_MAX_HITS      1000u

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
	bool is_kept; /* only size, time and format changed: its documents stay, docs is not looked at */
	const ag_index_doc *docs;
	size_t ndoc;
} ag_index_change;

typedef struct ag_index_hit {
	ag_str path;
	ag_index_doc doc; /* names is left empty */
	double score;     /* larger is better */
} ag_index_hit;

/* How common words are in a project. */
typedef struct ag_index_counts {
	size_t ndoc;                     /* documents of the project */
	size_t with[AG_INDEX_MAX_WORDS]; /* documents that have the i-th word */
} ag_index_counts;

/* What is indexed of a project, by path. Notes that the project is used: see ag_store_purge(). */
AG_CHECK ag_status ag_store_index_files(ag_store *s, ag_str project, ag_arena *arena,
                                        ag_index_file **ret, size_t *nret, ag_err *err);
/* All of it or nothing.
 *
 * errors  AG_INVALID: a text is not UTF-8, or has a NUL; AG_LIMIT */
AG_CHECK ag_status ag_store_index_update(ag_store *s, ag_str project,
                                         const ag_index_change *changes, size_t n, ag_err *err);
typedef struct ag_index_question {
	ag_str project;
	const ag_str *
		words; /* plain, never query syntax; those that differ only in their endings are one (porter) */
	size_t nword;
	size_t limit; /* of hits */
} ag_index_question;

/* Documents that have any of the words, best first. */
AG_CHECK ag_status ag_store_index_search(ag_store *s, const ag_index_question *q, ag_arena *arena,
                                         ag_index_hit **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_store_index_count(ag_store *s, ag_str project, const ag_str *words,
                                        size_t nword, ag_index_counts *ret, ag_err *err);

#endif
