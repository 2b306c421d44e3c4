-- 004: the text of projects' files in documents (sections, definitions), for `argus ask`. All of it is a cache: it is
-- emptied by purge, and made anew by store/sqlite_words.c when it is damaged.

DROP TABLE IF EXISTS index_words;
DROP TABLE IF EXISTS index_docs;
DROP TABLE IF EXISTS index_files;
DROP TABLE IF EXISTS index_projects;

CREATE TABLE index_projects (
	id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 2147483647),
	project TEXT UNIQUE,                -- NULL = given up; its documents go, then the row
	used_at INTEGER NOT NULL            -- wall time, ms since 1970; exact to the hour
) STRICT;

CREATE TABLE index_files (
	id INTEGER PRIMARY KEY,
	project INTEGER NOT NULL,
	path TEXT NOT NULL,
	size INTEGER NOT NULL,
	mtime_ns INTEGER NOT NULL,
	hash TEXT NOT NULL,
	format INTEGER NOT NULL,
	ndoc INTEGER NOT NULL,
	UNIQUE (project, path)
) STRICT;

-- A document's id is (project << 32) + a number, so that the documents of a project are a range of ids.
CREATE TABLE index_docs (
	id INTEGER PRIMARY KEY,
	file INTEGER NOT NULL,
	kind TEXT NOT NULL,
	anchor TEXT NOT NULL,
	line INTEGER NOT NULL,
	last_line INTEGER NOT NULL,
	title TEXT NOT NULL,
	trail TEXT NOT NULL,
	names TEXT NOT NULL,
	body TEXT NOT NULL
) STRICT;

CREATE INDEX index_docs_by_file ON index_docs (file);

-- The words only; the text stands in index_docs. What changes there must be told here in the same transaction.
CREATE VIRTUAL TABLE index_words USING fts5 (
	title, trail, names, body,
	content='index_docs', content_rowid='id',
	tokenize='porter unicode61 remove_diacritics 2'
);
