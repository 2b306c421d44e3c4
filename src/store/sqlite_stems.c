/* FTS5's tokenizer without a table: a connection in memory, which only lends it. */
#include "store/stems.h"

#include <stdlib.h>

#include "store/sqlite.h"

#define ORIGIN "store.stems"

struct ag_stems {
	sqlite3 *db;
	fts5_tokenizer kind;
	Fts5Tokenizer *tokenizer;
};

/* sqlite.org/fts5.html, "Extending FTS5" */
static int find_api(sqlite3 *db, fts5_api **ret)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, NULL);

	*ret = NULL;
	if (!rc) {
		sqlite3_bind_pointer(stmt, 1, (void *)ret, "fts5_api_ptr", NULL);
		AG_IGNORE(sqlite3_step(stmt), "*ret stays NULL then");
	}
	sqlite3_finalize(stmt);
	return rc ? rc : *ret ? SQLITE_OK : SQLITE_ERROR;
}

static int make(ag_stems *s)
{
	/* As in migrations/004_search.sql. */
	static const char *args[] = { "unicode61", "remove_diacritics", "2" };
	fts5_api *api = NULL;
	void *user = NULL;
	int rc = sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
	                         NULL);

	if (!rc)
		rc = find_api(s->db, &api);
	if (!rc)
		rc = api->xFindTokenizer(api, "porter", &user, &s->kind);
	if (!rc)
		rc = s->kind.xCreate(user, args, AG_NELEM(args), &s->tokenizer);
	return rc;
}

ag_status ag_stems_open(ag_stems **ret, ag_err *err)
{
	ag_stems *s = ag_xcalloc(1, sizeof(*s));
	const int rc = make(s);

	if (rc) {
		ag_stems_close(s);
		return ag_fail(err, AG_INTERNAL, ORIGIN, "SQLite lends no tokenizer: %s",
		               sqlite3_errstr(rc));
	}
	*ret = s;
	return AG_OK;
}

ag_stems *ag_stems_close(ag_stems *s)
{
	if (s && s->tokenizer)
		s->kind.xDelete(s->tokenizer);
	if (s)
		sqlite3_close(s->db);
	free(s);
	return NULL;
}

void ag_stems_closep(ag_stems **s)
{
	*s = ag_stems_close(*s);
}

typedef struct taker {
	void (*take)(void *arg, ag_str stem);
	void *arg;
} taker;

static int take_token(void *arg, int flags, const char *token, int n, int start, int end)
{
	const taker *t = arg;

	(void)flags;
	(void)start;
	(void)end;
	t->take(t->arg, ag_str_make(token, (size_t)n));
	return SQLITE_OK;
}

ag_status ag_stems_of(ag_stems *s, ag_str text, void (*take)(void *arg, ag_str stem), void *arg,
                      ag_err *err)
{
	taker t = { take, arg };
	const int rc = text.len ? s->kind.xTokenize(s->tokenizer, &t, FTS5_TOKENIZE_DOCUMENT,
	                                            text.ptr, (int)text.len, take_token)
	                        : SQLITE_OK;

	return rc ? ag_fail(err, AG_INTERNAL, ORIGIN, "SQLite cannot cut a text: %s",
	                    sqlite3_errstr(rc))
	          : AG_OK;
}
