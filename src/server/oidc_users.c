/* oidc_users -- whose account it is that a person has at the issuer (oidc.h).
 *
 * A subject is bound to an account for good: names and addresses change hands, a subject does not. So the name is looked at once,
 * when the binding is made, and an account that has a subject of this issuer is never given to another. */
#include "server/oidc.h"

#include "base/log.h"

typedef struct person {
	const ag_server_oidc *rules;
	const ag_val *claims;
	ag_subject_row subject;
	ag_str email; /* verified, in lower case; "" = none */
	ag_arena *arena;
	int64_t now_ms;
} person;

static bool is_in_domain(ag_str email, ag_str domain)
{
	return email.len > domain.len &&
	       ag_str_ieq(ag_str_make(email.ptr + email.len - domain.len, domain.len), domain);
}

static bool may_sign_up(const person *p)
{
	ag_str rest = p->rules->sign_up;

	while (rest.len) {
		const ag_str one = ag_str_trim(ag_str_split(&rest, ','));

		if (!one.len)
			continue;
		if (ag_str_eqc(one, "any") ||
		    (one.ptr[0] == '@' ? is_in_domain(p->email, one)
		                       : ag_oidc_has(p->claims, p->rules->groups_claim, one)))
			return true;
	}
	return false;
}

static ag_str new_name(const person *p)
{
	const ag_val *v = ag_val_get(p->claims, p->rules->name_claim);

	if (ag_str_eqc(p->rules->name_claim, "email"))
		return p->email;
	return v && v->type == AG_T_STRING ? ag_str_trim(ag_val_text(v)) : AG_S("");
}

/* A name that is taken and a subject that came meanwhile are no failures: another request of the same person may have been first. */
static ag_status bind_subject(ag_store *s, person *p, ag_str name, const ag_user_row *u,
                              const char **ret_why, ag_err *err)
{
	ag_err failure = { 0 };
	ag_str winner;
	ag_status st;

	p->subject.user = name;
	st = ag_store_put_subject(s, &p->subject, u, &failure);
	if (st == AG_CONFLICT &&
	    !ag_store_subject(s, p->subject.issuer, p->subject.subject, p->arena, &winner, NULL)) {
		p->subject.user = winner;
		return AG_OK;
	}
	if (st == AG_CONFLICT)
		*ret_why = AG_OIDC_NAME_TAKEN;
	else if (st == AG_INVALID || st == AG_LIMIT)
		*ret_why = AG_OIDC_NO_NAME;
	else if (st)
		*err = failure;
	return *ret_why ? AG_OK : st;
}

static ag_status sign_up(ag_store *s, person *p, const char **ret_why, ag_err *err)
{
	const ag_user_row u = { .name = new_name(p),
		                .password = AG_S(""),
		                .project = AG_S(""),
		                .is_active = true,
		                .created_ms = p->now_ms,
		                .changed_ms = p->now_ms };

	if (!may_sign_up(p)) {
		*ret_why = AG_OIDC_NO_ACCOUNT;
		return AG_OK;
	}
	if (!u.name.len) {
		*ret_why = AG_OIDC_NO_NAME;
		return AG_OK;
	}
	return bind_subject(s, p, u.name, &u, ret_why, err);
}

/* Of somebody who comes for the first time. */
static ag_status find_account(ag_store *s, person *p, const char **ret_why, ag_err *err)
{
	ag_user_row u;
	ag_err failure = { 0 };
	ag_status st;

	if (!p->rules->links_email || !p->email.len)
		return sign_up(s, p, ret_why, err);
	st = ag_store_user(s, p->email, p->arena, &u, &failure);
	if (!st)
		return bind_subject(s, p, u.name, NULL, ret_why, err);
	if (st == AG_NOT_FOUND || st == AG_INVALID || st == AG_LIMIT)
		return sign_up(s, p, ret_why, err);
	*err = failure;
	return st;
}

/* The last superuser stays one, whatever the issuer says. */
static ag_status note_sign_in(ag_store *s, const person *p, ag_user_row *u, ag_err *err)
{
	const bool was = u->is_super;
	ag_err failure = { 0 };
	ag_status st;

	if (p->rules->superuser.len)
		u->is_super = ag_oidc_has(p->claims, p->rules->groups_claim, p->rules->superuser);
	u->seen_ms = p->now_ms;
	if (was != u->is_super)
		u->changed_ms = p->now_ms;
	st = ag_store_change_user(s, u, &failure);
	if (st == AG_CONFLICT && was) {
		ag_log(AG_LOG_WARN, "superuser_stays",
		       "%.*s is the last superuser, and not in the group %.*s", AG_FMT(u->name),
		       AG_FMT(p->rules->superuser));
		u->is_super = true;
		return ag_store_change_user(s, u, err);
	}
	if (st)
		*err = failure;
	return st;
}

ag_status ag_server_oidc_user(ag_server *h, ag_store *s, const ag_val *claims, ag_arena *arena,
                              ag_user_row *ret, const char **ret_why, ag_err *err)
{
	const ag_server_oidc *rules = h->opts.oidc;
	const int64_t now = ag_clock_wall(h->opts.clock);
	person p = { .rules = rules,
		     .claims = claims,
		     .subject = { .issuer = ag_oidc_issuer(rules->provider),
		                  .subject = ag_val_member_str(claims, "sub"),
		                  .created_ms = now },
		     .email = ag_oidc_verified_email(claims, arena),
		     .arena = arena,
		     .now_ms = now };
	ag_err failure = { 0 };
	ag_status st = ag_store_subject(s, p.subject.issuer, p.subject.subject, arena,
	                                &p.subject.user, &failure);

	*ret_why = NULL;
	if (st == AG_NOT_FOUND)
		st = find_account(s, &p, ret_why, err);
	else if (st)
		*err = failure;
	if (!st && !*ret_why)
		st = ag_store_user(s, p.subject.user, arena, ret, err);
	if (!st && !*ret_why && !ret->is_active)
		*ret_why = AG_OIDC_INACTIVE;
	return st || *ret_why ? st : note_sign_in(s, &p, ret, err);
}
