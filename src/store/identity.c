/* Projects, members and tokens (005_projects.sql): what is written is checked, then run on the store's database.
 *
 * Invariants: an address with a password in it and a secret that is not encrypted are refused, from any caller. What takes
 * rights away does so in one transaction with what the rights belonged to: a project goes with its members and out of
 * every token, and a token that named no other project is revoked, because a token without projects is good for all of its
 * user's. */
#include "store/identity.h"

#include "base/time.h"
#include "store/group.h"
#include "store/parts.h"

#define ORIGIN "store.identity"

static const char *const role_names[] = { "none", "viewer", "analyst", "admin" };

const char *ag_role_name(ag_role r)
{
	return (size_t)r < AG_NELEM(role_names) ? role_names[r] : role_names[0];
}

bool ag_role_read(ag_str text, ag_role *ret)
{
	for (size_t i = 1; i < AG_NELEM(role_names); i++) {
		if (ag_str_eqc(text, role_names[i])) {
			*ret = (ag_role)i;
			return true;
		}
	}
	return false;
}

/* --- checks --- */

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_hex(ag_str s, size_t n)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!(s.ptr[i] >= '0' && s.ptr[i] <= '9') && !(s.ptr[i] >= 'a' && s.ptr[i] <= 'f'))
			return false;
	}
	return s.len == n;
}

static ag_status check_id(const char *what, ag_str id, ag_err *err)
{
	bool is_good = id.len && id.len <= AG_IDENTITY_MAX_NAME && is_alnum(id.ptr[0]);

	for (size_t i = 1; i < id.len && is_good; i++)
		is_good = is_alnum(id.ptr[i]) || memchr("._-", id.ptr[i], 3);
	if (is_good)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "%s cannot be \"%.*s\"", what,
	        (int)(id.len < 60 ? id.len : 60), id.len ? id.ptr : "");
	return ag_err_hint(err, "1 to %u letters and digits; . _ - may follow the first",
	                   AG_IDENTITY_MAX_NAME);
}

static ag_status check_line(const char *what, ag_str s, bool may_be_empty, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, what, s, AG_IDENTITY_MAX_NAME, err);

	if (!st && !s.len && !may_be_empty)
		st = ag_fail(err, AG_INVALID, ORIGIN, "%s is empty", what);
	for (size_t i = 0; i < s.len && !st; i++) {
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7F)
			st = ag_fail(err, AG_INVALID, ORIGIN, "%s has a control character", what);
	}
	return st;
}

ag_status ag_store_check_user(ag_str user, ag_err *err)
{
	return check_line("the name of the user", user, false, err);
}

static ag_status check_wall(const char *what, int64_t ms, ag_err *err)
{
	return ms >= 0 ? AG_OK : ag_fail(err, AG_INVALID, ORIGIN, "%s lies before 1970", what);
}

/* user:password@ in front of a host, or password= among the parameters. */
static bool has_password(ag_str uri)
{
	ptrdiff_t colon = ag_str_find(uri, ':'), at = -1, pass;

	if (colon < 0 || (size_t)colon + 3 > uri.len || memcmp(uri.ptr + colon, "://", 3) != 0)
		return false;
	uri = ag_str_make(uri.ptr + colon + 3, uri.len - (size_t)colon - 3);
	if (ag_str_contains(uri, AG_S("password=")))
		return true;
	for (size_t i = 0; i < uri.len && !memchr("/?#", uri.ptr[i], 3); i++)
		at = uri.ptr[i] == '@' ? (ptrdiff_t)i : at;
	if (at < 0)
		return false;
	pass = ag_str_find(ag_str_make(uri.ptr, (size_t)at), ':');
	return pass >= 0 && pass + 1 < at;
}

/* Version byte 0x80 and a time before 2106, in base64: base/fernet.h */
static bool is_sealed(ag_str secret)
{
	return ag_str_starts(secret, AG_S("gAAAAA")) && secret.len >= 100;
}

static ag_status check_project(const ag_project_row *p, ag_err *err)
{
	ag_str settings = ag_str_trim(p->settings);
	ag_status st = check_id("the id of a project", p->id, err);

	if (!st)
		st = check_line("the name of the project", p->name, true, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the source of the project", p->source,
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (!st && has_password(p->source))
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "the source of the project has a password in it");
	if (!st)
		st = ag_store_check_text(ORIGIN, "the secret of the project", p->secret,
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (!st && p->secret.len && !is_sealed(p->secret))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the secret of the project is not encrypted");
	if (!st)
		st = ag_store_check_text(ORIGIN, "the settings of the project", p->settings,
		                         AG_IDENTITY_MAX_SETTINGS, err);
	if (!st &&
	    (settings.len < 2 || settings.ptr[0] != '{' || settings.ptr[settings.len - 1] != '}'))
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "the settings of the project are not a JSON object");
	if (!st)
		st = check_wall("the time of a project", p->created_ms, err);
	return st ? st : check_wall("the time of a project", p->changed_ms, err);
}

static ag_status check_scope(ag_str scope, ag_err *err)
{
	bool is_good = scope.len && scope.len <= 32;

	for (size_t i = 0; i < scope.len && is_good; i++)
		is_good = (scope.ptr[i] >= 'a' && scope.ptr[i] <= 'z') || scope.ptr[i] == '_';
	return is_good ? AG_OK
	               : ag_fail(err, AG_INVALID, ORIGIN, "a scope cannot be \"%.*s\"",
	                         (int)(scope.len < 60 ? scope.len : 60),
	                         scope.len ? scope.ptr : "");
}

static ag_status check_token_projects(const ag_token_row *t, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < t->nproject && !st; i++) {
		st = check_id("the project of a token", t->projects[i], err);
		for (size_t k = 0; k < i && !st; k++) {
			if (ag_str_eq(t->projects[i], t->projects[k]))
				st = ag_fail(err, AG_INVALID, ORIGIN,
				             "a token has project \"%.*s\" twice",
				             AG_FMT(t->projects[i]));
		}
	}
	return st;
}

static ag_status check_token(const ag_token_row *t, ag_err *err)
{
	const int64_t times[] = { t->created_ms, t->expires_ms, t->revoked_ms, t->used_ms };
	ag_status st = check_line("the name of the token", t->name, true, err);

	if (!st)
		st = ag_store_check_user(t->user, err);
	if (!st && !is_hex(t->id, 12))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the id of a token is 12 hex digits");
	if (!st && !is_hex(t->hash, 64))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the hash of a token is 64 hex digits");
	if (!st && ((unsigned)t->ceiling < AG_ROLE_VIEWER || (unsigned)t->ceiling > AG_ROLE_ADMIN))
		st = ag_fail(err, AG_INVALID, ORIGIN, "a token needs a role");
	if (!st && (t->nproject > AG_IDENTITY_MAX_PROJECTS || t->nscope > AG_IDENTITY_MAX_PROJECTS))
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a token has at most %u projects and scopes",
		             AG_IDENTITY_MAX_PROJECTS);
	if (!st)
		st = check_token_projects(t, err);
	for (size_t i = 0; i < t->nscope && !st; i++)
		st = check_scope(t->scopes[i], err);
	for (size_t i = 0; i < AG_NELEM(times) && !st; i++)
		st = check_wall("a time of a token", times[i], err);
	return st;
}

static ag_status no_token(ag_err *err)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such token");
}

/* --- statements --- */

#define PROJECT_COLUMNS "id, name, source, secret, settings, is_active, created_at, changed_at"
#define TOKEN_COLUMNS                                                                   \
	"id, name, \"user\", hash, ceiling, projects, scopes, created_at, expires_at, " \
	"revoked_at, used_at, kind"
#define SCOPE AG_S("identity")

enum {
	PUT_PROJECT,
	PROJECT,
	PROJECTS,
	REVOKE_LAST,
	TOKENS_WITH,
	SET_PROJECTS,
	DROP_MEMBERS,
	DROP_OBJECTS,
	DROP_ARTIFACTS,
	DROP_SHARE_COPIES,
	DROP_SHARES,
	DROP_PROJECT,
	PUT_MEMBER,
	DROP_MEMBER,
	MEMBERS,
	MEMBERS_OF_USER,
	OTHER_ADMINS,
	PUT_TOKEN,
	TOKEN_OF_HASH,
	TOKENS,
	REVOKE_TOKEN,
	USE_TOKEN,
};

static const ag_sql sql[] = {
	[PUT_PROJECT] = { "INSERT INTO projects (" PROJECT_COLUMNS ") "
	                  "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE "
	                  "SET name = excluded.name, source = excluded.source, "
	                  "secret = excluded.secret, settings = excluded.settings, "
	                  "is_active = excluded.is_active, changed_at = excluded.changed_at" },
	[PROJECT] = { "SELECT " PROJECT_COLUMNS " FROM projects WHERE id = $1" },
	[PROJECTS] = { "SELECT " PROJECT_COLUMNS " FROM projects ORDER BY id LIMIT $1" },
	[REVOKE_LAST] = { "UPDATE tokens SET revoked_at = $2 "
	                  "WHERE projects = $1 AND revoked_at = 0" },
	/* Finds some more: the caller compares line by line. */
	[TOKENS_WITH] = { "SELECT id, projects FROM tokens "
	                  "WHERE projects <> $1 AND projects LIKE '%' || $1 || '%'" },
	[SET_PROJECTS] = { "UPDATE tokens SET projects = $2 WHERE id = $1" },
	[DROP_MEMBERS] = { "DELETE FROM members WHERE project = $1" },
	[DROP_OBJECTS] = { "DELETE FROM objects WHERE project = $1" },
	[DROP_ARTIFACTS] = { "DELETE FROM artifacts WHERE project = $1" },
	[DROP_SHARE_COPIES] = { "DELETE FROM share_copies WHERE share IN "
	                        "(SELECT id FROM shares WHERE project = $1)" },
	[DROP_SHARES] = { "DELETE FROM shares WHERE project = $1" },
	[DROP_PROJECT] = { "DELETE FROM projects WHERE id = $1" },
	[PUT_MEMBER] = { "INSERT INTO members (project, \"user\", role) VALUES ($1, $2, $3) "
	                 "ON CONFLICT (project, \"user\") DO UPDATE SET role = excluded.role" },
	[DROP_MEMBER] = { "DELETE FROM members WHERE project = $1 AND \"user\" = $2" },
	[MEMBERS] = { "SELECT project, \"user\", role FROM members "
	              "WHERE $1 = '' OR project = $1 ORDER BY project, \"user\" LIMIT $2" },
	[MEMBERS_OF_USER] = { "SELECT project, \"user\", role FROM members WHERE \"user\" = $3 "
	                      "AND ($1 = '' OR project = $1) ORDER BY project LIMIT $2" },
	[OTHER_ADMINS] = { "SELECT (SELECT role FROM members WHERE project = $1 AND \"user\" = $2), "
	                   "(SELECT count(*) FROM members "
	                   "WHERE project = $1 AND \"user\" <> $2 AND role = $3)" },
	/* A second token of one id would be a bug; of one hash, a copy. */
	[PUT_TOKEN] = { "INSERT INTO tokens (" TOKEN_COLUMNS ") "
	                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)" },
	[TOKEN_OF_HASH] = { "SELECT " TOKEN_COLUMNS " FROM tokens WHERE hash = $1" },
	[TOKENS] = { "SELECT " TOKEN_COLUMNS " FROM tokens WHERE ($1 = '' OR \"user\" = $1) "
	             "AND kind = 0 ORDER BY created_at, id LIMIT $2" },
	[REVOKE_TOKEN] = { "UPDATE tokens SET revoked_at = "
	                   "CASE revoked_at WHEN 0 THEN $2 ELSE revoked_at END WHERE id = $1" },
	[USE_TOKEN] = { "UPDATE tokens SET used_at = "
	                "CASE WHEN used_at > $2 THEN used_at ELSE $2 END WHERE id = $1" },
};

typedef struct alone {
	const ag_sql *which;
	ag_db_args args;
	ag_db_out *out;
} alone;

static ag_status run_alone(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const alone *a = arg;

	(void)is_again;
	return ag_db_run(db, a->which, a->args, a->out, err);
}

/* One statement, which may be run twice, in a transaction of its own. */
static ag_status write_alone(ag_db *db, bool durable, const ag_sql *which, ag_db_args args,
                             ag_db_out *out, ag_err *err)
{
	alone a = { which, args, out };

	return ag_db_transact(db, durable ? AG_DB_DURABLE : AG_DB_WRITE, SCOPE, run_alone, &a, err);
}

/* --- projects --- */

static ag_status take_project(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_project_row *p = ag_rows_add(&r->rows);

	p->id = ag_db_get_text(&row[0], r->arena);
	p->name = ag_db_get_text(&row[1], r->arena);
	p->source = ag_db_get_text(&row[2], r->arena);
	p->secret = ag_db_get_text(&row[3], r->arena);
	p->settings = ag_db_get_text(&row[4], r->arena);
	p->is_active = ag_db_get_int(&row[5]) != 0;
	p->created_ms = ag_db_get_int(&row[6]);
	p->changed_ms = ag_db_get_int(&row[7]);
	r->nbyte += sizeof(*p) + p->settings.len + p->source.len + p->secret.len;
	return ag_reading_check(r, err);
}

ag_status ag_store_put_project(ag_store *s, const ag_project_row *p, ag_err *err)
{
	ag_status st = check_project(p, err);

	if (st)
		return st;
	return write_alone(s->db, true, &sql[PUT_PROJECT],
	                   AG_DB_ARGS(ag_db_text(p->id), ag_db_text(p->name), ag_db_text(p->source),
	                              ag_db_text(p->secret), ag_db_text(p->settings),
	                              ag_db_int(p->is_active), ag_db_int(p->created_ms),
	                              ag_db_int(p->changed_ms)),
	                   NULL, err);
}

static ag_status no_project(ag_str id, ag_err *err)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the store has no project \"%.*s\"", AG_FMT(id));
}

static ag_status read_projects(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                               ag_project_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_project_row) },
		            .arena = arena,
		            .what = "the projects are" };
	ag_db_out out = { .on_row = take_project, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

ag_status ag_store_project(ag_store *s, ag_str id, ag_arena *arena, ag_project_row *ret,
                           ag_err *err)
{
	ag_project_row *row = NULL;
	size_t n = 0;
	ag_status st = check_id("the id of a project", id, err);

	if (!st)
		st = read_projects(s->db, &sql[PROJECT], AG_DB_ARGS(ag_db_text(id)), arena, &row,
		                   &n, err);
	if (st)
		return st;
	if (!n)
		return no_project(id, err);
	*ret = row[0];
	return AG_OK;
}

ag_status ag_store_projects(ag_store *s, ag_arena *arena, ag_project_row **ret, size_t *nret,
                            ag_err *err)
{
	return read_projects(s->db, &sql[PROJECTS], AG_DB_ARGS(ag_db_int(AG_IDENTITY_MAX_ROWS)),
	                     arena, ret, nret, err);
}

static ag_status take_pair(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_str *pair = ag_rows_add(&r->rows);

	pair[0] = ag_db_get_text(&row[0], r->arena);
	pair[1] = ag_db_get_text(&row[1], r->arena);
	r->nbyte += pair[0].len + pair[1].len;
	return ag_reading_check(r, err);
}

/* The lines without that one; false when it is not among them. */
static bool without_line(ag_str lines, ag_str line, ag_buf *out)
{
	bool is_there = false;

	ag_buf_clear(out);
	while (lines.len) {
		const ag_str next = ag_str_split(&lines, '\n');

		if (ag_str_eq(next, line)) {
			is_there = true;
			continue;
		}
		if (out->len)
			ag_buf_addc(out, '\n');
		ag_buf_add(out, next);
	}
	return is_there;
}

/* Tokens that name the project and others lose it. */
static ag_status take_from_tokens(ag_db *db, ag_str id, ag_arena *arena, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading tokens = { .rows = { .size = 2 * sizeof(ag_str) },
		              .arena = arena,
		              .what = "the tokens are" };
	AG_AUTO(ag_buf_release) ag_buf left = AG_BUF_INIT(AG_STORE_MAX_TEXT_BYTES);
	ag_db_out out = { .on_row = take_pair, .arg = &tokens };
	ag_status st = ag_db_run(db, &sql[TOKENS_WITH], AG_DB_ARGS(ag_db_text(id)), &out, err);

	for (size_t i = 0; i < tokens.rows.n && !st; i++) {
		const ag_str *token = (const ag_str *)(void *)tokens.rows.ptr + 2 * i;

		if (without_line(token[1], id, &left))
			st = ag_db_run(db, &sql[SET_PROJECTS],
			               AG_DB_ARGS(ag_db_text(token[0]),
			                          ag_db_text(ag_buf_view(&left))),
			               NULL, err);
	}
	return st;
}

static ag_status drop_project(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_str id = *(const ag_str *)arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(
		db, &sql[REVOKE_LAST],
		AG_DB_ARGS(ag_db_text(id), ag_db_int(ag_clock_wall(&ag_clock_system))), NULL, err);

	if (!st)
		st = take_from_tokens(db, id, arena, err);
	for (size_t i = DROP_MEMBERS; i <= DROP_SHARES && !st; i++)
		st = ag_db_run(db, &sql[i], AG_DB_ARGS(ag_db_text(id)), NULL, err);
	if (!st)
		st = ag_db_run(db, &sql[DROP_PROJECT], AG_DB_ARGS(ag_db_text(id)), &out, err);
	return st || out.nchange || is_again ? st : no_project(id, err);
}

ag_status ag_store_drop_project(ag_store *s, ag_str id, ag_err *err)
{
	ag_status st = check_id("the id of a project", id, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, drop_project, &id, err);
}

/* --- members --- */

typedef struct admins {
	int64_t role, others;
} admins;

static ag_status take_admins(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(admins *)arg = (admins){ ag_db_get_int(&row[0]), ag_db_get_int(&row[1]) };
	return AG_OK;
}

/* A project that has admins keeps one. */
static ag_status check_last_admin(ag_db *db, const ag_member_row *m, ag_err *err)
{
	admins now = { 0 };
	ag_db_out out = { .on_row = take_admins, .arg = &now };
	ag_status st = ag_db_run(db, &sql[OTHER_ADMINS],
	                         AG_DB_ARGS(ag_db_text(m->project), ag_db_text(m->user),
	                                    ag_db_int(AG_ROLE_ADMIN)),
	                         &out, err);

	if (st || m->role == AG_ROLE_ADMIN || now.role != AG_ROLE_ADMIN || now.others > 0)
		return st;
	ag_fail(err, AG_CONFLICT, ORIGIN, "%.*s is the last admin of project %.*s", AG_FMT(m->user),
	        AG_FMT(m->project));
	return ag_err_hint(err, "make another user admin first");
}

static ag_status write_member(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_member_row *m = arg;
	const ag_db_val project = ag_db_text(m->project), user = ag_db_text(m->user);
	ag_db_out out = { 0 };
	ag_status st = check_last_admin(db, m, err);

	if (!st && m->role)
		st = ag_db_run(db, &sql[PUT_MEMBER], AG_DB_ARGS(project, user, ag_db_int(m->role)),
		               &out, err);
	else if (!st)
		st = ag_db_run(db, &sql[DROP_MEMBER], AG_DB_ARGS(project, user), &out, err);
	if (!st && !out.nchange && !is_again)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s is no member of project %.*s",
		             AG_FMT(m->user), AG_FMT(m->project));
	return st;
}

ag_status ag_store_put_member(ag_store *s, const ag_member_row *m, ag_err *err)
{
	ag_member_row copy = *m;
	ag_status st = check_id("the id of a project", m->project, err);

	if (!st)
		st = ag_store_check_user(m->user, err);
	if (!st && (unsigned)m->role > AG_ROLE_ADMIN)
		st = ag_fail(err, AG_INVALID, ORIGIN, "there is no such role");
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, write_member, &copy, err);
}

static ag_role role_of(const ag_db_val *v)
{
	const int64_t role = ag_db_get_int(v);

	return role >= AG_ROLE_VIEWER && role <= AG_ROLE_ADMIN ? (ag_role)role : AG_ROLE_NONE;
}

static ag_status take_member(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_member_row *m = ag_rows_add(&r->rows);

	m->project = ag_db_get_text(&row[0], r->arena);
	m->user = ag_db_get_text(&row[1], r->arena);
	m->role = role_of(&row[2]);
	r->nbyte += sizeof(*m) + m->project.len + m->user.len;
	return ag_reading_check(r, err);
}

ag_status ag_store_members(ag_store *s, ag_str project, ag_str user, ag_arena *arena,
                           ag_member_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_member_row) },
		            .arena = arena,
		            .what = "the members are" };
	const ag_db_val args[] = { ag_db_text(project), ag_db_int(AG_IDENTITY_MAX_ROWS),
		                   ag_db_text(user) };
	ag_db_out out = { .on_row = take_member, .arg = &list };
	ag_status st = project.len ? check_id("the id of a project", project, err) : AG_OK;

	if (!st && user.len)
		st = ag_store_check_user(user, err);
	if (!st)
		st = ag_db_run(s->db, &sql[user.len ? MEMBERS_OF_USER : MEMBERS],
		               (ag_db_args){ args, user.len ? 3 : 2 }, &out, err);
	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
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

static void read_lines(const ag_db_val *v, ag_arena *arena, const ag_str **ret, size_t *nret)
{
	ag_str text = ag_db_get_text(v, arena);
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

static ag_status take_token(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_token_row *t = ag_rows_add(&r->rows);

	t->id = ag_db_get_text(&row[0], r->arena);
	t->name = ag_db_get_text(&row[1], r->arena);
	t->user = ag_db_get_text(&row[2], r->arena);
	t->hash = ag_db_get_text(&row[3], r->arena);
	t->ceiling = role_of(&row[4]);
	read_lines(&row[5], r->arena, &t->projects, &t->nproject);
	read_lines(&row[6], r->arena, &t->scopes, &t->nscope);
	t->created_ms = ag_db_get_int(&row[7]);
	t->expires_ms = ag_db_get_int(&row[8]);
	t->revoked_ms = ag_db_get_int(&row[9]);
	t->used_ms = ag_db_get_int(&row[10]);
	t->kind = (ag_token_kind)ag_db_get_int(&row[11]);
	r->nbyte += sizeof(*t) + ag_db_get_view(&row[5]).len;
	return ag_reading_check(r, err);
}

static ag_status read_tokens(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                             ag_token_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_token_row) },
		            .arena = arena,
		            .what = "the tokens are" };
	ag_db_out out = { .on_row = take_token, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

/* args: of PUT_TOKEN, whose $1 is the id and $4 the hash. */
static ag_status put_token(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_db_args *args = arg;
	ag_token_row *t = NULL;
	size_t n = 0;
	ag_status st = is_again ? read_tokens(db, &sql[TOKEN_OF_HASH],
	                                      (ag_db_args){ &args->at[3], 1 }, arena, &t, &n, err)
	                        : AG_OK;

	if (st || (n && ag_str_eq(t->id, args->at[0].text))) /* the first try took place */
		return st;
	return ag_db_run(db, &sql[PUT_TOKEN], *args, NULL, err);
}

static ag_status write_token(ag_db *db, ag_db_args args, ag_err *err)
{
	return ag_db_transact(db, AG_DB_DURABLE, SCOPE, put_token, &args, err);
}

ag_status ag_store_put_token(ag_store *s, const ag_token_row *t, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf projects = AG_BUF_INIT(1 << 16);
	AG_AUTO(ag_buf_release) ag_buf scopes = AG_BUF_INIT(1 << 16);
	ag_status st = check_token(t, err);

	if (st)
		return st;
	add_lines(&projects, t->projects, t->nproject);
	add_lines(&scopes, t->scopes, t->nscope);
	st = write_token(s->db,
	                 AG_DB_ARGS(ag_db_text(t->id), ag_db_text(t->name), ag_db_text(t->user),
	                            ag_db_text(t->hash), ag_db_int(t->ceiling),
	                            ag_db_text(ag_buf_view(&projects)),
	                            ag_db_text(ag_buf_view(&scopes)), ag_db_int(t->created_ms),
	                            ag_db_int(t->expires_ms), ag_db_int(t->revoked_ms),
	                            ag_db_int(t->used_ms), ag_db_int((int64_t)t->kind)),
	                 err);
	if (st == AG_CONFLICT)
		ag_fail(err, AG_CONFLICT, ORIGIN, "there is a token with that id already");
	return st;
}

ag_status ag_store_token_of_hash(ag_store *s, ag_str hash, int64_t now_ms, ag_arena *arena,
                                 ag_token_row *ret, ag_err *err)
{
	ag_token_row *t = NULL;
	size_t n = 0;
	ag_status st = is_hex(hash, 64)
	                       ? read_tokens(s->db, &sql[TOKEN_OF_HASH],
	                                     AG_DB_ARGS(ag_db_text(hash)), arena, &t, &n, err)
	                       : no_token(err);

	if (st)
		return st;
	if (!n || t->revoked_ms || (t->expires_ms && t->expires_ms <= now_ms))
		return no_token(err);
	*ret = *t;
	return AG_OK;
}

ag_status ag_store_tokens(ag_store *s, ag_str user, ag_arena *arena, ag_token_row **ret,
                          size_t *nret, ag_err *err)
{
	ag_status st = user.len ? ag_store_check_user(user, err) : AG_OK;

	return st ? st
	          : read_tokens(s->db, &sql[TOKENS],
	                        AG_DB_ARGS(ag_db_text(user), ag_db_int(AG_IDENTITY_MAX_ROWS)),
	                        arena, ret, nret, err);
}

static ag_status stamp_token(ag_db *db, bool durable, const ag_sql *which, ag_str id, int64_t at_ms,
                             ag_err *err)
{
	ag_db_out out = { 0 };
	ag_status st;

	if (!is_hex(id, 12) || at_ms <= 0)
		return no_token(err);
	st = write_alone(db, durable, which, AG_DB_ARGS(ag_db_text(id), ag_db_int(at_ms)), &out,
	                 err);
	if (!st && !out.nchange)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no token %.*s", AG_FMT(id));
	return st;
}

ag_status ag_store_revoke_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	return stamp_token(s->db, true, &sql[REVOKE_TOKEN], id, at_ms, err);
}

ag_status ag_store_use_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	/* A use that is not noted does no harm. */
	return stamp_token(s->db, false, &sql[USE_TOKEN], id, at_ms, err);
}

ag_status ag_store_version(ag_store *s, uint64_t *ret, ag_err *err)
{
	return s->db->type->version(s->db, ret, err);
}

bool ag_store_others(ag_store *s, uint64_t *ret)
{
	return s->db->group ? ag_db_group_others(s->db->group, ret)
	                    : s->db->type->others(s->db, ret);
}
