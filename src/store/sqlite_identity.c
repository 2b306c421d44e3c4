/* Projects, members and tokens in SQLite (005_projects.sql).
 *
 * Invariant: whatever takes rights away does so in one transaction with what the rights hung on: a project goes with its
 * members and out of every token, and a token that named no other project is revoked, since one without projects stands
 * for all of its user's. */
#include "base/time.h"
#include "store/sqlite.h"

#define ORIGIN "store.sqlite"

static ag_status write_one(ag_sqlite_store *s, sqlite3_stmt *stmt, int *ret_changes, ag_err *err)
{
	int rc = ag_sqlite_write_step(stmt);

	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "write to", err);
	if (ret_changes)
		*ret_changes = sqlite3_changes(s->db);
	return AG_OK;
}

/* --- projects --- */

static void read_project(sqlite3_stmt *stmt, ag_arena *arena, ag_project_row *p)
{
	p->id = ag_sqlite_column_str(stmt, 0, arena);
	p->name = ag_sqlite_column_str(stmt, 1, arena);
	p->source = ag_sqlite_column_str(stmt, 2, arena);
	p->secret = ag_sqlite_column_str(stmt, 3, arena);
	p->settings = ag_sqlite_column_str(stmt, 4, arena);
	p->is_active = sqlite3_column_int(stmt, 5) != 0;
	p->created_ms = sqlite3_column_int64(stmt, 6);
	p->changed_ms = sqlite3_column_int64(stmt, 7);
}

static ag_status write_project(ag_sqlite_store *s, const ag_project_row *p, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	const ag_str texts[] = { p->id, p->name, p->source, p->secret, p->settings };
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_PROJECT, &stmt, err);
	int at = 1;

	if (st)
		return st;
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		ag_sqlite_bind_str(stmt, at++, texts[i]);
	sqlite3_bind_int(stmt, at++, p->is_active);
	sqlite3_bind_int64(stmt, at++, p->created_ms);
	sqlite3_bind_int64(stmt, at, p->changed_ms);
	return write_one(s, stmt, NULL, err);
}

static ag_status put_project(ag_store *base, const ag_project_row *p, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, true, err);

	return st ? st : ag_sqlite_end(s, write_project(s, p, err), err);
}

static ag_status no_project(ag_str id, ag_err *err)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the store has no project \"%.*s\"", AG_FMT(id));
}

static ag_status project(ag_store *base, ag_str id, ag_arena *arena, ag_project_row *ret,
                         ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PROJECT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, id);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_DONE)
		return no_project(id, err);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	read_project(stmt, arena, ret);
	return AG_OK;
}

static ag_status projects(ag_store *base, ag_arena *arena, ag_project_row **ret, size_t *nret,
                          ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_project_row) };
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PROJECTS, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, AG_IDENTITY_MAX_ROWS);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt))
		read_project(stmt, arena, ag_sqlite_rows_add(&list));
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

static int drop_step(ag_sqlite_store *s, const char *sql, ag_str id, int *ret_changes)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (!rc) {
		ag_sqlite_bind_str(stmt, 1, id);
		sqlite3_bind_int64(stmt, 2, ag_clock_wall(&ag_clock_system));
		rc = ag_sqlite_write_step(stmt);
		*ret_changes = sqlite3_changes(s->db);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static ag_status drop_project(ag_store *base, ag_str id, ag_err *err)
{
	/* A token's projects are lines, so a name is looked for between line ends. */
	static const char *const steps[] = {
		"UPDATE tokens SET revoked_at = CASE revoked_at WHEN 0 THEN ?2 ELSE revoked_at END "
		"WHERE projects = ?1",
		"UPDATE tokens SET projects = trim(replace(char(10) || projects || char(10), "
		"char(10) || ?1 || char(10), char(10)), char(10)) "
		"WHERE projects <> ?1 AND instr(char(10) || projects || char(10), "
		"char(10) || ?1 || char(10))",
		"DELETE FROM members WHERE project = ?1",
		"DELETE FROM projects WHERE id = ?1",
	};
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, true, err);
	int rc = SQLITE_OK, nchange = 0;

	if (st)
		return st;
	for (size_t i = 0; i < AG_NELEM(steps) && !rc; i++)
		rc = drop_step(s, steps[i], id, &nchange);
	if (rc)
		st = ag_sqlite_fail(s, rc, "write to", err);
	else if (!nchange)
		st = no_project(id, err);
	return ag_sqlite_end(s, st, err);
}

/* --- members --- */

/* A project that has admins keeps one. */
static ag_status check_last_admin(ag_sqlite_store *s, const ag_member_row *m, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_OTHER_ADMINS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, m->project);
	ag_sqlite_bind_str(stmt, 2, m->user);
	sqlite3_bind_int(stmt, 3, AG_ROLE_ADMIN);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	if (m->role == AG_ROLE_ADMIN || sqlite3_column_int(stmt, 0) != AG_ROLE_ADMIN ||
	    sqlite3_column_int(stmt, 1) > 0)
		return AG_OK;
	ag_fail(err, AG_CONFLICT, ORIGIN, "%.*s is the last admin of project %.*s", AG_FMT(m->user),
	        AG_FMT(m->project));
	return ag_err_hint(err, "make another user admin first");
}

static ag_status write_member(ag_sqlite_store *s, const ag_member_row *m, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, m->role ? AG_SQL_PUT_MEMBER : AG_SQL_DROP_MEMBER, &stmt,
	                                 err);
	int nchange = 0;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, m->project);
	ag_sqlite_bind_str(stmt, 2, m->user);
	if (m->role)
		sqlite3_bind_int(stmt, 3, (int)m->role);
	st = write_one(s, stmt, &nchange, err);
	if (!st && !nchange)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s is no member of project %.*s",
		             AG_FMT(m->user), AG_FMT(m->project));
	return st;
}

static ag_status put_member(ag_store *base, const ag_member_row *m, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, true, err);

	if (st)
		return st;
	st = check_last_admin(s, m, err);
	if (!st)
		st = write_member(s, m, err);
	return ag_sqlite_end(s, st, err);
}

static ag_status members(ag_store *base, ag_str project, ag_str user, ag_arena *arena,
                         ag_member_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_member_row) };
	ag_status st = ag_sqlite_prepare(s, user.len ? AG_SQL_MEMBERS_OF_USER : AG_SQL_MEMBERS,
	                                 &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, project);
	if (user.len)
		ag_sqlite_bind_str(stmt, 2, user);
	sqlite3_bind_int64(stmt, 3, AG_IDENTITY_MAX_ROWS);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_member_row *m = ag_sqlite_rows_add(&list);
		int role = sqlite3_column_int(stmt, 2);

		m->project = ag_sqlite_column_str(stmt, 0, arena);
		m->user = ag_sqlite_column_str(stmt, 1, arena);
		m->role = role >= AG_ROLE_VIEWER && role <= AG_ROLE_ADMIN ? (ag_role)role
		                                                          : AG_ROLE_NONE;
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

/* --- tokens --- */

static void add_lines(ag_buf *out, const ag_str *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			ag_buf_addc(out, '\n');
		ag_buf_add(out, lines[i]);
	}
}

static void read_lines(sqlite3_stmt *stmt, int at, ag_arena *arena, const ag_str **ret,
                       size_t *nret)
{
	ag_str text = ag_sqlite_column_str(stmt, at, arena);
	size_t n = text.len > 0;
	ag_str *lines;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	lines = ag_new_n(arena, ag_str, n);
	for (size_t i = 0; i < n; i++)
		lines[i] = ag_str_split(&text, '\n');
	*ret = lines;
	*nret = n;
}

static void read_token(sqlite3_stmt *stmt, ag_arena *arena, ag_token_row *t)
{
	int ceiling = sqlite3_column_int(stmt, 4);

	t->id = ag_sqlite_column_str(stmt, 0, arena);
	t->name = ag_sqlite_column_str(stmt, 1, arena);
	t->user = ag_sqlite_column_str(stmt, 2, arena);
	t->hash = ag_sqlite_column_str(stmt, 3, arena);
	t->ceiling = ceiling >= AG_ROLE_VIEWER && ceiling <= AG_ROLE_ADMIN ? (ag_role)ceiling
	                                                                   : AG_ROLE_NONE;
	read_lines(stmt, 5, arena, &t->projects, &t->nproject);
	read_lines(stmt, 6, arena, &t->scopes, &t->nscope);
	t->created_ms = sqlite3_column_int64(stmt, 7);
	t->expires_ms = sqlite3_column_int64(stmt, 8);
	t->revoked_ms = sqlite3_column_int64(stmt, 9);
	t->used_ms = sqlite3_column_int64(stmt, 10);
}

static ag_status write_token(ag_sqlite_store *s, const ag_token_row *t, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_buf_release) ag_buf projects = AG_BUF_INIT(1 << 16);
	AG_AUTO(ag_buf_release) ag_buf scopes = AG_BUF_INIT(1 << 16);
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_TOKEN, &stmt, err);
	int rc;

	if (st)
		return st;
	add_lines(&projects, t->projects, t->nproject);
	add_lines(&scopes, t->scopes, t->nscope);
	ag_sqlite_bind_str(stmt, 1, t->id);
	ag_sqlite_bind_str(stmt, 2, t->name);
	ag_sqlite_bind_str(stmt, 3, t->user);
	ag_sqlite_bind_str(stmt, 4, t->hash);
	sqlite3_bind_int(stmt, 5, (int)t->ceiling);
	ag_sqlite_bind_str(stmt, 6, ag_buf_view(&projects));
	ag_sqlite_bind_str(stmt, 7, ag_buf_view(&scopes));
	sqlite3_bind_int64(stmt, 8, t->created_ms);
	sqlite3_bind_int64(stmt, 9, t->expires_ms);
	sqlite3_bind_int64(stmt, 10, t->revoked_ms);
	sqlite3_bind_int64(stmt, 11, t->used_ms);
	rc = ag_sqlite_write_step(stmt);
	if ((rc & 0xff) == SQLITE_CONSTRAINT)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "there is a token with that id already");
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

static ag_status put_token(ag_store *base, const ag_token_row *t, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, true, err);

	return st ? st : ag_sqlite_end(s, write_token(s, t, err), err);
}

static ag_status token_of_hash(ag_store *base, ag_str hash, ag_arena *arena, ag_token_row *ret,
                               ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_TOKEN_OF_HASH, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, hash);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_DONE)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such token");
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	read_token(stmt, arena, ret);
	return AG_OK;
}

static ag_status tokens(ag_store *base, ag_str user, ag_arena *arena, ag_token_row **ret,
                        size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_token_row) };
	ag_status st = ag_sqlite_prepare(s, AG_SQL_TOKENS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, user);
	sqlite3_bind_int64(stmt, 2, AG_IDENTITY_MAX_ROWS);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt))
		read_token(stmt, arena, ag_sqlite_rows_add(&list));
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

static ag_status stamp_token(ag_sqlite_store *s, ag_sqlite_sql which, ag_str id, int64_t at_ms,
                             ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, which, &stmt, err);
	int nchange = 0;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, at_ms);
	st = write_one(s, stmt, &nchange, err);
	if (!st && !nchange)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no token %.*s", AG_FMT(id));
	return st;
}

static ag_status revoke_token(ag_store *base, ag_str id, int64_t at_ms, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, true, err);

	return st ? st : ag_sqlite_end(s, stamp_token(s, AG_SQL_REVOKE_TOKEN, id, at_ms, err), err);
}

static ag_status use_token(ag_store *base, ag_str id, int64_t at_ms, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, false, err); /* a lost note of a use is no harm */

	return st ? st : ag_sqlite_end(s, stamp_token(s, AG_SQL_USE_TOKEN, id, at_ms, err), err);
}

/* SQLite counts commits of others alone; the changes of this handle are counted beside them. */
static ag_status version(ag_store *base, uint64_t *ret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_DATA_VERSION, &stmt, err);
	int rc;

	if (st)
		return st;
	rc = ag_sqlite_first_row(s, stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = (uint64_t)sqlite3_column_int64(stmt, 0) << 32 ^
	       (uint32_t)sqlite3_total_changes(s->db);
	return AG_OK;
}

const ag_store_identity_type ag_sqlite_identity = {
	.put_project = put_project,
	.project = project,
	.projects = projects,
	.drop_project = drop_project,
	.put_member = put_member,
	.members = members,
	.put_token = put_token,
	.token_of_hash = token_of_hash,
	.tokens = tokens,
	.revoke_token = revoke_token,
	.use_token = use_token,
	.version = version,
};
