/* access -- who calls: callers of the command line and of tokens.
 *
 * A caller is worked out once and carries everything that is asked of it later, so a role never depends on what a call says.
 * The limits of calls are in limiter.c. */
#include "project/access.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "store/accounts.h"

#define ORIGIN "project.access"
/* The use of a token is noted to the minute. */
#define USED_EXACT_MS 60000
#define TOKEN_BYTES   32u

static int by_project(const void *a, const void *b)
{
	const ag_caller_project *pa = a, *pb = b;

	return ag_str_cmp(pa->project, pb->project);
}

static void set_projects(ag_caller *who, ag_caller_project *projects, size_t n)
{
	if (n)
		qsort(projects, n, sizeof(*projects), by_project);
	who->projects = projects;
	who->nproject = n;
}

/* The name of who started the program, when it can stand in a table. */
static ag_str local_user(void)
{
	ag_str user = ag_str_c(getenv("USER"));
	bool is_good = user.len > 0 && user.len <= AG_IDENTITY_MAX_NAME;

	for (size_t i = 0; i < user.len && is_good; i++)
		is_good = user.ptr[i] > ' ' && user.ptr[i] < 0x7F;
	return is_good ? user : AG_S("local");
}

ag_caller ag_caller_local(const ag_str *projects, size_t n, ag_arena *arena)
{
	ag_caller_project *all = ag_new_n(arena, ag_caller_project, n);
	ag_caller who = { .user = ag_str_dup(arena, local_user()),
		          .token = AG_S(""),
		          .is_local = true,
		          .has_all = n == 0 };

	for (size_t i = 0; i < n; i++)
		all[i] = (ag_caller_project){ ag_str_dup(arena, projects[i]), AG_ROLE_ADMIN };
	set_projects(&who, all, n);
	return who;
}

/* --- tokens --- */

/* One message for whatever is wrong with it: nobody learns that a token once was good. */
static ag_status no_caller(ag_err *err)
{
	ag_fail(err, AG_DENIED, ORIGIN, "the token is unknown, revoked or expired");
	return ag_err_hint(err, "\"argus token create\" makes a new one");
}

static bool names_project(const ag_token_row *t, ag_str project)
{
	for (size_t i = 0; i < t->nproject; i++) {
		if (ag_str_eq(t->projects[i], project))
			return true;
	}
	return t->nproject == 0;
}

static void read_members(const ag_token_row *t, const ag_member_row *members, size_t n,
                         ag_arena *arena, ag_caller *who)
{
	ag_caller_project *all = ag_new_n(arena, ag_caller_project, n);
	size_t nall = 0;

	for (size_t i = 0; i < n; i++) {
		ag_role role = members[i].role < t->ceiling ? members[i].role : t->ceiling;

		if (role != AG_ROLE_NONE && names_project(t, members[i].project))
			all[nall++] = (ag_caller_project){ members[i].project, role };
	}
	set_projects(who, all, nall);
}

/* A superuser is admin of what the token names. */
static void read_named(const ag_token_row *t, ag_arena *arena, ag_caller *who)
{
	ag_caller_project *all = ag_new_n(arena, ag_caller_project, t->nproject);

	for (size_t i = 0; i < t->nproject; i++)
		all[i] = (ag_caller_project){ t->projects[i], AG_ROLE_ADMIN };
	set_projects(who, all, t->nproject);
}

/* The account, when there is one, may say no, or stand above members. */
static ag_status read_account(ag_store *s, const ag_token_row *t, ag_arena *arena, ag_caller *who,
                              bool *ret_above, ag_err *err)
{
	ag_user_row u = { 0 };
	ag_err why = { 0 };
	const ag_status st = ag_store_user(s, t->user, arena, &u, &why);

	*ret_above = false;
	who->home = AG_S("");
	if (st == AG_NOT_FOUND)
		return AG_OK;
	if (st) {
		if (err)
			*err = why;
		return st;
	}
	if (!u.is_active)
		return no_caller(err);
	who->home = u.project;
	if (u.is_super && t->ceiling == AG_ROLE_ADMIN) {
		who->has_all = !t->nproject;
		who->is_super = !t->nproject && !t->nscope;
		*ret_above = true;
	}
	return AG_OK;
}

/* What the user may do, within the token. */
static ag_status fill_caller(ag_store *s, const ag_token_row *t, ag_arena *arena, ag_caller *ret,
                             ag_err *err)
{
	ag_member_row *members = NULL;
	ag_caller who = { .user = t->user,
		          .token = t->id,
		          .scopes = t->scopes,
		          .nscope = t->nscope,
		          .expires_ms = t->expires_ms,
		          .kind = t->kind };
	bool is_above;
	size_t n = 0;
	ag_status st = read_account(s, t, arena, &who, &is_above, err);

	if (!st)
		st = ag_store_members(s, AG_S(""), t->user, arena, &members, &n, err);
	if (st)
		return st;
	if (is_above)
		read_named(t, arena, &who);
	else
		read_members(t, members, n, arena, &who);
	*ret = who;
	return AG_OK;
}

ag_status ag_caller_of_token(ag_store *s, ag_str token, int64_t now_ms, ag_arena *arena,
                             ag_caller *ret, ag_err *err)
{
	ag_sha256_hex hash;
	ag_token_row t = { 0 };
	ag_status st;

	if (token.len != AG_TOKEN_CHARS || !ag_str_starts(token, AG_S(AG_TOKEN_PREFIX)))
		return no_caller(err);
	hash = ag_sha256(token);
	st = ag_store_token_of_hash(s, ag_str_c(hash.text), now_ms, arena, &t, err);
	if (st)
		return st == AG_NOT_FOUND ? no_caller(err) : st;
	if (t.kind == AG_TOKEN_LINK)
		return no_caller(err);
	if (now_ms - t.used_ms >= USED_EXACT_MS)
		AG_IGNORE(ag_store_use_token(s, t.id, now_ms, NULL), "a note for people");
	return fill_caller(s, &t, arena, ret, err);
}

ag_status ag_caller_of_user(ag_store *s, ag_str user, ag_arena *arena, ag_caller *ret, ag_err *err)
{
	const ag_token_row t = { .id = AG_S(""), .user = user, .ceiling = AG_ROLE_ADMIN };

	return fill_caller(s, &t, arena, ret, err);
}

ag_str ag_token_id(ag_str token, ag_arena *arena)
{
	const ag_sha256_hex hash = ag_sha256(token);

	return ag_str_dup(arena, ag_str_make(hash.text, 12));
}

ag_status ag_token_random(char ret[AG_TOKEN_RANDOM_CHARS + 1], ag_err *err)
{
	char raw[TOKEN_BYTES];
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(AG_TOKEN_RANDOM_CHARS);

	if (getentropy(raw, sizeof(raw)))
		return ag_fail(err, AG_INTERNAL, ORIGIN, "the kernel gives no random bytes");
	ag_base64url_add(&text, ag_str_make(raw, sizeof(raw)), false);
	AG_ASSERT(text.len == AG_TOKEN_RANDOM_CHARS && !text.failed);
	memcpy(ret, text.ptr, AG_TOKEN_RANDOM_CHARS + 1);
	explicit_bzero(raw, sizeof(raw));
	explicit_bzero(text.ptr, text.cap);
	return AG_OK;
}

ag_status ag_token_new(ag_token_row *row, ag_arena *arena, char ret[AG_TOKEN_CHARS + 1],
                       ag_err *err)
{
	const size_t prefix = sizeof(AG_TOKEN_PREFIX) - 1;
	ag_sha256_hex hash;
	ag_status st = ag_token_random(ret + prefix, err);

	if (st)
		return st;
	memcpy(ret, AG_TOKEN_PREFIX, prefix);
	hash = ag_sha256(ag_str_c(ret));
	row->hash = ag_str_dup(arena, ag_str_c(hash.text));
	row->id = ag_token_id(ag_str_c(ret), arena);
	return AG_OK;
}

static void write_texts(ag_jw *w, const char *key, const ag_str *texts, size_t n)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, texts[i]);
	ag_jw_arr_end(w);
}

void ag_token_json(ag_jw *w, const ag_token_row *t, const char *text)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", t->id);
	if (text)
		ag_jw_kstr(w, "token", ag_str_c(text));
	ag_jw_kstr(w, "name", t->name);
	ag_jw_kstr(w, "user", t->user);
	ag_jw_kstr(w, "role", ag_str_c(ag_role_name(t->ceiling)));
	write_texts(w, "projects", t->projects, t->nproject);
	write_texts(w, "scopes", t->scopes, t->nscope);
	ag_jw_ktime_or_null(w, "created_at", t->created_ms);
	ag_jw_ktime_or_null(w, "expires_at", t->expires_ms);
	ag_jw_ktime_or_null(w, "revoked_at", t->revoked_ms);
	ag_jw_ktime_or_null(w, "used_at", t->used_ms);
	ag_jw_obj_end(w);
}

/* --- questions --- */

ag_role ag_caller_role(const ag_caller *who, ag_str project)
{
	size_t lo = 0, hi = who->nproject;

	if (who->has_all)
		return AG_ROLE_ADMIN;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = ag_str_cmp(who->projects[mid].project, project);

		if (order == 0)
			return who->projects[mid].role;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return AG_ROLE_NONE;
}

bool ag_caller_has_scope(const ag_caller *who, const char *scope)
{
	for (size_t i = 0; i < who->nscope; i++) {
		if (ag_str_eqc(who->scopes[i], scope))
			return true;
	}
	return who->nscope == 0;
}
