/* The dispatcher of projects, members and tokens: the only caller of its methods.
 *
 * As in store.c, what reaches an implementation is well formed. Two checks guard secrets: an address with a password in it
 * and a secret that is not encrypted are refused, whoever wrote the row. */
#include "store/identity.h"

#include "store/check.h"

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

static ag_status check_user(ag_str user, ag_err *err)
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
		st = check_user(t->user, err);
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

/* --- operations --- */

ag_status ag_store_put_project(ag_store *s, const ag_project_row *p, ag_err *err)
{
	ag_status st = check_project(p, err);

	return st ? st : s->type->identity->put_project(s, p, err);
}

ag_status ag_store_project(ag_store *s, ag_str id, ag_arena *arena, ag_project_row *ret,
                           ag_err *err)
{
	ag_status st = check_id("the id of a project", id, err);

	return st ? st : s->type->identity->project(s, id, arena, ret, err);
}

ag_status ag_store_projects(ag_store *s, ag_arena *arena, ag_project_row **ret, size_t *nret,
                            ag_err *err)
{
	return s->type->identity->projects(s, arena, ret, nret, err);
}

ag_status ag_store_drop_project(ag_store *s, ag_str id, ag_err *err)
{
	ag_status st = check_id("the id of a project", id, err);

	return st ? st : s->type->identity->drop_project(s, id, err);
}

ag_status ag_store_put_member(ag_store *s, const ag_member_row *m, ag_err *err)
{
	ag_status st = check_id("the id of a project", m->project, err);

	if (!st)
		st = check_user(m->user, err);
	if (!st && (unsigned)m->role > AG_ROLE_ADMIN)
		st = ag_fail(err, AG_INVALID, ORIGIN, "there is no such role");
	return st ? st : s->type->identity->put_member(s, m, err);
}

ag_status ag_store_members(ag_store *s, ag_str project, ag_str user, ag_arena *arena,
                           ag_member_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = project.len ? check_id("the id of a project", project, err) : AG_OK;

	if (!st && user.len)
		st = check_user(user, err);
	return st ? st : s->type->identity->members(s, project, user, arena, ret, nret, err);
}

ag_status ag_store_put_token(ag_store *s, const ag_token_row *t, ag_err *err)
{
	ag_status st = check_token(t, err);

	return st ? st : s->type->identity->put_token(s, t, err);
}

ag_status ag_store_token_of_hash(ag_store *s, ag_str hash, int64_t now_ms, ag_arena *arena,
                                 ag_token_row *ret, ag_err *err)
{
	ag_token_row t = { 0 };
	ag_status st = is_hex(hash, 64) ? s->type->identity->token_of_hash(s, hash, arena, &t, err)
	                                : no_token(err);

	if (st)
		return st;
	if (t.revoked_ms || (t.expires_ms && t.expires_ms <= now_ms))
		return no_token(err);
	*ret = t;
	return AG_OK;
}

ag_status ag_store_tokens(ag_store *s, ag_str user, ag_arena *arena, ag_token_row **ret,
                          size_t *nret, ag_err *err)
{
	ag_status st = user.len ? check_user(user, err) : AG_OK;

	return st ? st : s->type->identity->tokens(s, user, arena, ret, nret, err);
}

ag_status ag_store_revoke_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	if (!is_hex(id, 12) || at_ms <= 0)
		return no_token(err);
	return s->type->identity->revoke_token(s, id, at_ms, err);
}

ag_status ag_store_use_token(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	if (!is_hex(id, 12) || at_ms <= 0)
		return no_token(err);
	return s->type->identity->use_token(s, id, at_ms, err);
}

ag_status ag_store_version(ag_store *s, uint64_t *ret, ag_err *err)
{
	return s->type->identity->version(s, ret, err);
}
