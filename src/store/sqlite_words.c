/* The full text of files in SQLite: FTS5 over the table of documents (004_search.sql), and how it is made again.
 *
 * FTS5 3.40 finds what to forget by the old text, so words are forgotten while the documents still exist. Damage shows in
 * SQLite's result: SQLITE_CORRUPT_VTAB comes from FTS5 only, SQLITE_ERROR from a table that does not exist or has other
 * columns, SQLITE_NOMEM from a size that FTS5 read in a damaged block. The index can be made again from the files, so
 * nothing is saved: the migration that made the tables runs once more. A file that is damaged as a whole
 * (SQLITE_CORRUPT) is not mended here. */
#include "store/sqlite.h"

#define ORIGIN    "store.sqlite"
#define MIGRATION 4

static bool is_damage(int rc)
{
	return rc == SQLITE_CORRUPT_VTAB || rc == SQLITE_ERROR || rc == SQLITE_NOMEM;
}

/* FTS5 drops its tables only when it can read them; else they go one by one. */
static int drop_by_hand(ag_sqlite *s)
{
	static const char *const steps[] = {
		"PRAGMA writable_schema=ON",
		"DELETE FROM sqlite_schema WHERE name = 'index_words'",
		"PRAGMA writable_schema=RESET",
		"DROP TABLE IF EXISTS index_words_data",
		"DROP TABLE IF EXISTS index_words_idx",
		"DROP TABLE IF EXISTS index_words_docsize",
		"DROP TABLE IF EXISTS index_words_config",
	};
	int rc = SQLITE_OK;

	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	for (size_t i = 0; i < AG_NELEM(steps) && !rc; i++)
		rc = sqlite3_exec(s->db, steps[i], NULL, NULL, NULL);
	sqlite3_exec(s->db, "PRAGMA writable_schema=OFF", NULL, NULL, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return rc;
}

static ag_status make_again(ag_sqlite *s, ag_err *err)
{
	ag_status st = ag_db_begin(&s->base, AG_DB_WRITE, AG_S("schema"), err);
	int rc;

	if (st)
		return st;
	rc = ag_sqlite_migrate_again(s, MIGRATION);
	if (is_damage(rc)) {
		rc = drop_by_hand(s);
		if (!rc)
			rc = ag_sqlite_migrate_again(s, MIGRATION);
	}
	return ag_db_end(&s->base, rc ? ag_sqlite_fail(s, rc, "mend the index of", err) : AG_OK,
	                 err);
}

static ag_status mend(ag_db *base, const ag_err *why, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	ag_status st;

	if (!is_damage(why->native)) {
		if (err)
			*err = *why;
		return why->status;
	}
	st = make_again(s, err);
	if (st)
		return st;
	ag_fail(err, AG_CONFLICT, ORIGIN, "the index of files in \"%.200s\" was damaged", s->path);
	if (err)
		ag_err_hint(err, "it has been emptied and is made again: ask once more");
	return AG_CONFLICT;
}

/* Each word in quotes: nothing in it is syntax. */
static void match(const ag_str *words, size_t nword, ag_buf *out)
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

#define FORGET                                                                     \
	"INSERT INTO index_words (index_words, rowid, title, trail, names, body) " \
	"SELECT 'delete', id, title, trail, names, body FROM index_docs "

const ag_db_words ag_sqlite_words = {
	.forget_file = { FORGET "WHERE file = $1 ORDER BY id" },
	.forget_doc = { FORGET "WHERE id = $1" },
	.add = { "INSERT INTO index_words (rowid, title, trail, names, body) "
	         "VALUES ($1, $2, $3, $4, $5)" },
	/* A word in a title says more than one in the text. */
	.search = { "SELECT f.path, d.kind, d.anchor, d.line, d.last_line, d.title, d.trail, d.body, "
	            "w.score FROM (SELECT rowid AS id, "
	            "-bm25(index_words, 6.0, 2.0, 2.0, 1.0) AS score "
	            "FROM index_words WHERE index_words MATCH $1 AND rowid BETWEEN $2 AND $3 "
	            "ORDER BY score DESC, id LIMIT $4) w "
	            "JOIN index_docs d ON d.id = w.id JOIN index_files f ON f.id = d.file "
	            "ORDER BY w.score DESC, w.id" },
	.count = { "SELECT count(*) FROM index_words "
	           "WHERE index_words MATCH $1 AND rowid BETWEEN $2 AND $3" },
	/* Quicker than one by one. */
	.forget_all = { "INSERT INTO index_words (index_words) VALUES ('delete-all')" },
	/* Forgotten words are in older segments of the index until these are merged. */
	.merge = { "INSERT INTO index_words (index_words) VALUES ('optimize')" },
	.match = match,
	.mend = mend,
};
