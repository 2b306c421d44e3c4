/* Accounts of people (012_users.sql, 019_subjects.sql). Every change may run twice. */
#include "store/accounts.h"

#include "base/sha256.h"
#include "store/parts.h"

#define ORIGIN      "store.accounts"
#define SCOPE       AG_S("identity")
#define MAX_ISSUER  2048
#define MAX_SUBJECT 255
#define COLUMNS     "name, password, project, is_super, is_active, created_at, changed_at, seen_at"

enum {
	ONE,
	ALL,
	NEW,
	CHANGE,
	OTHER_SUPERS,
	LONELY,
	DROP,
	DROP_MEMBERS,
	REVOKE,
	REVOKE_ALL,
	SPEND,
	SWEEP,
	SUBJECT,
	SUBJECT_OF,
	PUT_SUBJECT,
	DROP_SUBJECTS
};

static const ag_sql sql[] = {
	[ONE] = { "SELECT " COLUMNS " FROM users WHERE name = $1" },
	[ALL] = { "SELECT " COLUMNS " FROM users ORDER BY name LIMIT $1" },
	[NEW] = { "INSERT INTO users (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
	          "ON CONFLICT (name) DO NOTHING" },
	[CHANGE] = { "UPDATE users SET password = $2, project = $3, is_super = $4, is_active = $5, "
	             "changed_at = $6, seen_at = $7 WHERE name = $1" },
	[OTHER_SUPERS] = { "SELECT (SELECT count(*) FROM users WHERE name = $1 AND is_super = 1 "
	                   "AND is_active = 1), (SELECT count(*) FROM users "
	                   "WHERE name <> $1 AND is_super = 1 AND is_active = 1)" },
	/* Projects that this user alone is admin of. */
	[LONELY] = { "SELECT m.project FROM members m WHERE m.\"user\" = $1 AND m.role = $2 "
	             "AND NOT EXISTS (SELECT 1 FROM members o WHERE o.project = m.project "
	             "AND o.\"user\" <> $1 AND o.role = $2) ORDER BY m.project LIMIT 1" },
	[DROP] = { "DELETE FROM users WHERE name = $1" },
	[DROP_MEMBERS] = { "DELETE FROM members WHERE \"user\" = $1" },
	[REVOKE] = { "UPDATE tokens SET revoked_at = $4 "
	             "WHERE \"user\" = $1 AND kind = $2 AND id <> $3 AND revoked_at = 0" },
	[REVOKE_ALL] = { "UPDATE tokens SET revoked_at = $2 "
	                 "WHERE \"user\" = $1 AND revoked_at = 0" },
	[SPEND] = { "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0" },
	[SWEEP] = { "DELETE FROM tokens WHERE kind <> 0 AND ((revoked_at > 0 AND revoked_at < $1) "
	            "OR (expires_at > 0 AND expires_at < $1))" },
	[SUBJECT] = { "SELECT \"user\" FROM subjects WHERE id = $1" },
	[SUBJECT_OF] = { "SELECT \"user\" FROM subjects WHERE \"user\" = $1 AND issuer = $2" },
	[PUT_SUBJECT] = { "INSERT INTO subjects (id, issuer, subject, \"user\", created_at) "
	                  "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING" },
	[DROP_SUBJECTS] = { "DELETE FROM subjects WHERE \"user\" = $1" },
};

/* --- reading --- */

static ag_status take_user(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = (ag_reading *)arg;
	ag_user_row *u = (ag_user_row *)ag_rows_add(&r->rows);

	u->name = ag_db_get_text(&row[0], r->arena);
	u->password = ag_db_get_text(&row[1], r->arena);
	u->project = ag_db_get_text(&row[2], r->arena);
	u->is_super = ag_db_get_int(&row[3]) != 0;
	u->is_active = ag_db_get_int(&row[4]) != 0;
	u->created_ms = ag_db_get_int(&row[5]);
	u->changed_ms = ag_db_get_int(&row[6]);
	u->seen_ms = ag_db_get_int(&row[7]);
	r->nbyte += sizeof(*u) + u->name.len;
	return ag_reading_check(r, err);
}

static ag_status read_users(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                            ag_user_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_user_row) },
		            .arena = arena,
		            .what = "the accounts are" };
	ag_db_out out = { .on_row = take_user, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = (ag_user_row *)ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

static ag_status no_user(ag_str name, ag_err *err)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no account \"%.*s\"",
	               (int)(name.len < 60 ? name.len : 60), name.len ? name.ptr : "");
}

ag_status ag_store_user(ag_store *s, ag_str name, ag_arena *arena, ag_user_row *ret, ag_err *err)
{
	ag_user_row *rows = NULL;
	size_t n = 0;
	ag_status st = ag_store_check_user(name, err);

	if (!st)
		st = read_users(s->db, &sql[ONE], AG_DB_ARGS(ag_db_text(name)), arena, &rows, &n,
		                err);
	if (!st && !n)
		st = no_user(name, err);
	if (!st)
		*ret = rows[0];
	return st;
}

ag_status ag_store_users(ag_store *s, ag_arena *arena, ag_user_row **ret, size_t *nret, ag_err *err)
{
	return read_users(s->db, &sql[ALL], AG_DB_ARGS(ag_db_int(AG_IDENTITY_MAX_ROWS)), arena, ret,
	                  nret, err);
}

/* --- writing --- */

static ag_status check(const ag_user_row *u, ag_err *err)
{
	ag_status st = ag_store_check_user(u->name, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the hash of a password", u->password, 128, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the project of a user", u->project,
		                         AG_IDENTITY_MAX_NAME, err);
	return st;
}

static ag_status new_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_user_row *u = (const ag_user_row *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[NEW],
	                         AG_DB_ARGS(ag_db_text(u->name), ag_db_text(u->password),
	                                    ag_db_text(u->project), ag_db_int(u->is_super),
	                                    ag_db_int(u->is_active), ag_db_int(u->created_ms),
	                                    ag_db_int(u->changed_ms), ag_db_int(u->seen_ms)),
	                         &out, err);

	if (!st && !out.nchange && !is_again)
		st = ag_fail(err, AG_CONFLICT, ORIGIN, "there is an account \"%.*s\" already",
		             AG_FMT(u->name));
	return st;
}

ag_status ag_store_new_user(ag_store *s, const ag_user_row *u, ag_err *err)
{
	ag_user_row copy = *u;
	ag_status st = check(u, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, new_work, &copy, err);
}

typedef struct supers {
	int64_t is_one, others;
} supers;

static ag_status take_supers(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(supers *)arg = (supers){ ag_db_get_int(&row[0]), ag_db_get_int(&row[1]) };
	return AG_OK;
}

/* Somebody must be able to manage the rest. */
static ag_status check_last_super(ag_db *db, ag_str name, ag_err *err)
{
	supers now = { 0 };
	ag_db_out out = { .on_row = take_supers, .arg = &now };
	ag_status st = ag_db_run(db, &sql[OTHER_SUPERS], AG_DB_ARGS(ag_db_text(name)), &out, err);

	if (st || !now.is_one || now.others)
		return st;
	ag_fail(err, AG_CONFLICT, ORIGIN, "%.*s is the last superuser", AG_FMT(name));
	return ag_err_hint(err, "make another user superuser first");
}

static ag_status change_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_user_row *u = (const ag_user_row *)arg;
	ag_db_out out = { 0 };
	ag_status st = u->is_super && u->is_active ? AG_OK : check_last_super(db, u->name, err);

	(void)is_again;
	if (!st)
		st = ag_db_run(db, &sql[CHANGE],
		               AG_DB_ARGS(ag_db_text(u->name), ag_db_text(u->password),
		                          ag_db_text(u->project), ag_db_int(u->is_super),
		                          ag_db_int(u->is_active), ag_db_int(u->changed_ms),
		                          ag_db_int(u->seen_ms)),
		               &out, err);
	return !st && !out.nchange ? no_user(u->name, err) : st;
}

ag_status ag_store_change_user(ag_store *s, const ag_user_row *u, ag_err *err)
{
	ag_user_row copy = *u;
	ag_status st = check(u, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, change_work, &copy, err);
}

typedef struct dropping {
	ag_str name;
	int64_t at_ms;
} dropping;

/* The name of a project; the caller of the transaction says more. */
static ag_status take_lonely(void *arg, const ag_db_val *row, ag_err *err)
{
	const dropping *d = (const dropping *)arg;

	ag_fail(err, AG_CONFLICT, ORIGIN, "%.*s is the last admin of project %.*s", AG_FMT(d->name),
	        AG_FMT(ag_db_get_view(&row[0])));
	return ag_err_hint(err, "make another user admin first");
}

static ag_status drop_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	dropping *d = (dropping *)arg;
	const ag_db_val name = ag_db_text(d->name);
	ag_db_out lonely = { .on_row = take_lonely, .arg = d }, out = { 0 };
	ag_status st = check_last_super(db, d->name, err);

	if (!st)
		st = ag_db_run(db, &sql[LONELY], AG_DB_ARGS(name, ag_db_int(AG_ROLE_ADMIN)),
		               &lonely, err);
	if (!st)
		st = ag_db_run(db, &sql[DROP_MEMBERS], AG_DB_ARGS(name), NULL, err);
	if (!st)
		st = ag_db_run(db, &sql[DROP_SUBJECTS], AG_DB_ARGS(name), NULL, err);
	if (!st)
		st = ag_db_run(db, &sql[REVOKE_ALL], AG_DB_ARGS(name, ag_db_int(d->at_ms)), NULL,
		               err);
	if (!st)
		st = ag_db_run(db, &sql[DROP], AG_DB_ARGS(name), &out, err);
	return !st && !out.nchange && !is_again ? no_user(d->name, err) : st;
}

ag_status ag_store_drop_user(ag_store *s, ag_str name, int64_t at_ms, ag_err *err)
{
	dropping d = { name, at_ms };
	ag_status st = ag_store_check_user(name, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, drop_work, &d, err);
}

typedef struct one_statement {
	const ag_sql *which;
	ag_db_args args;
} one_statement;

static ag_status run_statement(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const one_statement *o = (const one_statement *)arg;

	(void)is_again;
	return ag_db_run(db, o->which, o->args, NULL, err);
}

ag_status ag_store_revoke_tokens(ag_store *s, ag_str user, ag_token_kind kind, ag_str but,
                                 int64_t at_ms, ag_err *err)
{
	one_statement o = { &sql[REVOKE], AG_DB_ARGS(ag_db_text(user), ag_db_int((int64_t)kind),
		                                     ag_db_text(but), ag_db_int(at_ms)) };

	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, run_statement, &o, err);
}

static ag_status spend_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const one_statement *o = (const one_statement *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, o->which, o->args, &out, err);

	if (!st && !out.nchange && !is_again)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such token");
	return st;
}

ag_status ag_store_spend_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	one_statement o = { &sql[SPEND], AG_DB_ARGS(ag_db_text(id), ag_db_int(at_ms)) };

	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, spend_work, &o, err);
}

ag_status ag_store_sweep_tokens(ag_store *s, int64_t before_ms, ag_err *err)
{
	one_statement o = { &sql[SWEEP], AG_DB_ARGS(ag_db_int(before_ms)) };

	return ag_db_transact(s->db, AG_DB_WRITE, SCOPE, run_statement, &o, err);
}

/* --- who an account is at an issuer --- */

static ag_sha256_hex subject_id(ag_str issuer, ag_str subject, ag_arena *arena)
{
	return ag_sha256(ag_str_printf(arena, "%.*s\n%.*s", AG_FMT(issuer), AG_FMT(subject)));
}

typedef struct found_user {
	ag_arena *arena;
	ag_str user;
	bool is_there;
} found_user;

static ag_status take_subject(void *arg, const ag_db_val *row, ag_err *err)
{
	found_user *f = (found_user *)arg;

	(void)err;
	f->is_there = true;
	if (f->arena)
		f->user = ag_db_get_text(&row[0], f->arena);
	return AG_OK;
}

ag_status ag_store_subject(ag_store *s, ag_str issuer, ag_str subject, ag_arena *arena,
                           ag_str *ret_user, ag_err *err)
{
	const ag_sha256_hex id = subject_id(issuer, subject, arena);
	found_user f = { .arena = arena };
	ag_db_out out = { .on_row = take_subject, .arg = &f };
	const ag_status st = ag_db_run(s->db, &sql[SUBJECT],
	                               AG_DB_ARGS(ag_db_text(ag_str_c(id.text))), &out, err);

	*ret_user = f.user;
	return st || f.is_there ? st
	                        : ag_fail(err, AG_NOT_FOUND, ORIGIN, "no account has that subject");
}

ag_status ag_store_has_subject(ag_store *s, ag_str issuer, ag_str user, bool *ret, ag_err *err)
{
	found_user f = { 0 };
	ag_db_out out = { .on_row = take_subject, .arg = &f };
	const ag_status st = ag_db_run(s->db, &sql[SUBJECT_OF],
	                               AG_DB_ARGS(ag_db_text(user), ag_db_text(issuer)), &out, err);

	*ret = f.is_there;
	return st;
}

typedef struct signing_up {
	const ag_subject_row *row;
	ag_user_row *user; /* NULL = the account exists */
	ag_str id;
} signing_up;

static ag_status subject_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const signing_up *k = (const signing_up *)arg;
	ag_db_out out = { 0 };
	ag_status st = k->user ? new_work(db, k->user, is_again, err) : AG_OK;

	if (!st)
		st = ag_db_run(db, &sql[PUT_SUBJECT],
		               AG_DB_ARGS(ag_db_text(k->id), ag_db_text(k->row->issuer),
		                          ag_db_text(k->row->subject), ag_db_text(k->row->user),
		                          ag_db_int(k->row->created_ms)),
		               &out, err);
	if (!st && !out.nchange && !is_again)
		st = ag_fail(err, AG_CONFLICT, ORIGIN,
		             "the account or the subject belongs to another already");
	return st;
}

ag_status ag_store_put_subject(ag_store *s, const ag_subject_row *row, const ag_user_row *u,
                               ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_sha256_hex id = subject_id(row->issuer, row->subject, arena);
	ag_user_row copy = { 0 };
	signing_up k = { .row = row, .id = ag_str_c(id.text) };
	ag_status st = ag_store_check_user(row->user, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the issuer", row->issuer, MAX_ISSUER, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the subject", row->subject, MAX_SUBJECT, err);
	if (!st && u) {
		copy = *u;
		k.user = &copy;
		st = check(u, err);
	}
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, subject_work, &k, err);
}
