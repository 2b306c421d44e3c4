/* oidc -- see the header.
 *
 * A sign-in is two requests of the browser. Between them all there is is its cookie, which scripts cannot read: a secret, when it
 * ends, and where the browser goes then. State, nonce and code verifier are hashes of the whole text (oidc/oidc.h), so that any
 * process of the store can go on with it. It ends once, which the store counts as it counts logins. */
#include "server/oidc.h"

#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/log.h"
#include "http/cookie.h"
#include "server/chat.h"
#include "server/problem.h"
#include "store/ledger.h"

#define COOKIE      "argus_oidc"
#define PLACE       "/api/auth/oidc"
#define FLOW_S      600 /* that somebody may take to sign in at the issuer */
#define FETCH_MS    20000
#define MAX_RETURN  1024u
#define MAX_AT_ONCE 16u /* requests that wait for the issuer: they must not take all threads */

bool ag_server_oidc_may_return(ag_str path)
{
	if (!path.len || path.len > MAX_RETURN || path.ptr[0] != '/' ||
	    (path.len > 1 && path.ptr[1] == '/') || ag_str_starts(path, AG_S("/api/")))
		return false;
	/* Browsers read "\" as "/", and skip tabs and line feeds. */
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] <= ' ' || path.ptr[i] >= 0x7f || path.ptr[i] == '\\')
			return false;
	return true;
}

/* --- what both halves need --- */

/* NULL: rp says that there is no such thing here. */
static const ag_server_oidc *provider_of(const ag_server *h, ag_httpd_reply *rp)
{
	if (h->opts.oidc && ag_server_people_of(h) && !h->opts.anonymous)
		return h->opts.oidc;
	ag_server_problem(rp, 404, "nobody signs in by an issuer here",
	                  "set oidc_issuer and oidc_client_id");
	return NULL;
}

static ag_ctx context_of(const ag_server *h)
{
	return (ag_ctx){ .clock = h->opts.clock,
		         .deadline_ms = ag_clock_mono(h->opts.clock) + FETCH_MS,
		         .cancel = h->opts.oidc->cancel,
		         .nthread = 1 };
}

static bool may_wait(ag_server *h, ag_httpd_reply *rp)
{
	if (atomic_fetch_add(&h->nsigning, 1) < MAX_AT_ONCE)
		return true;
	atomic_fetch_sub(&h->nsigning, 1);
	ag_server_problem(rp, 503, "too many sign-ins wait for the issuer",
	                  "try again in a moment");
	rp->retry_after_s = 2;
	return false;
}

static void set_cookie(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str value)
{
	ag_http_cookie_set(rq, rp,
	                   &(ag_http_cookie){ .name = COOKIE,
	                                      .value = value,
	                                      .path = PLACE,
	                                      .max_age_s = value.len ? FLOW_S : -1,
	                                      .is_lax = true,
	                                      .is_secure = ag_server_people_of(h)->is_https });
}

static void go(ag_httpd_reply *rp, ag_str address)
{
	rp->status = 303;
	ag_httpd_add_header(rp, "Location", address);
	ag_httpd_add_header(rp, "Cache-Control", AG_S("no-store"));
	ag_httpd_add_header(rp, "Referrer-Policy", AG_S("no-referrer"));
}

/* Back to the page, which has words for each kind. The reason is in the log alone: it may help who should not be helped. */
static void fail(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const char *kind,
                 const char *why)
{
	const ag_str id = ag_str_c(rp->id);

	ag_log(AG_LOG_WARN, "sign_in_refused", "request %s, from %.*s: %s: %s", rp->id,
	       AG_FMT(ag_server_peer(h, rq)), kind, why);
	go(rp, ag_str_printf(rq->arena, "/?sign_in=%s&reference=%s", kind,
	                     id.len > 8 ? id.ptr + id.len - 8 : id.ptr));
}

/* The same after the issuer was asked, or should have been: it is in the audit table, too. */
static void refuse(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str user,
                   const char *kind, const char *why)
{
	ag_err err = { 0 };

	if (ag_server_record_sign_in(h, rq, user, "issuer", kind, &err))
		ag_log(AG_LOG_ERROR, "sign_in_unrecorded", "%s", err.msg);
	fail(h, rq, rp, kind, why);
}

static const char *kind_of(ag_status st)
{
	return st == AG_DENIED ? "refused" : "unavailable";
}

static ag_str redirect_uri(ag_server *h, ag_httpd_request *rq)
{
	return ag_str_printf(rq->arena, "%.*s" PLACE "/callback",
	                     AG_FMT(ag_server_own_origin(h, rq)));
}

/* --- the first half --- */

/* SECRET.END.RETURN */
static ag_status new_secret(const ag_server *h, ag_str back, ag_arena *arena, ag_str *ret,
                            ag_err *err)
{
	char random[AG_TOKEN_RANDOM_CHARS + 1];
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(4 * MAX_RETURN);
	const ag_status st = ag_token_random(random, err);

	if (st)
		return st;
	ag_buf_addf(&out, "%s.%" PRId64 ".", random, ag_clock_wall(h->opts.clock) / 1000 + FLOW_S);
	ag_base64url_add(&out, back, false);
	*ret = ag_buf_dup(arena, &out);
	explicit_bzero(random, sizeof(random));
	return AG_OK;
}

void ag_server_oidc_login(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_server_oidc *o = provider_of(h, rp);
	ag_str back = ag_server_query(rq, "return");
	ag_err err = { 0 };
	ag_str secret, address;
	ag_ctx ctx;
	ag_status st;

	if (!o || !may_wait(h, rp))
		return;
	if (!ag_server_oidc_may_return(back))
		back = AG_S("/");
	ctx = context_of(h);
	st = new_secret(h, back, rq->arena, &secret, &err);
	if (!st)
		st = ag_oidc_begin(o->provider, &ctx, redirect_uri(h, rq), secret, rq->arena,
		                   &address, &err);
	atomic_fetch_sub(&h->nsigning, 1);
	if (st) {
		fail(h, rq, rp, kind_of(st), err.msg);
		return;
	}
	set_cookie(h, rq, rp, secret);
	go(rp, address);
}

/* --- the second half --- */

/* The sign-in that the cookie and the state name together. False: why says what is wrong. */
static bool read_flow(const ag_server *h, ag_httpd_request *rq, ag_oidc_reply *ret,
                      ag_str *ret_back, const char **ret_why)
{
	ag_str rest, end;
	int64_t end_s;
	AG_AUTO(ag_buf_release) ag_buf back = AG_BUF_INIT(MAX_RETURN);

	ret->secret = rest = ag_http_cookie_of(rq, COOKIE);
	ret->state = ag_server_query(rq, "state");
	*ret_why = "the browser has no cookie of a sign-in";
	if (!rest.len)
		return false;
	*ret_why = "the state is not that of the browser's cookie";
	if (!ag_oidc_is_state(ret->state, ret->secret))
		return false;
	ag_str_split(&rest, '.');
	end = rest.ptr ? ag_str_split(&rest, '.') : AG_S("");
	*ret_why = "it took longer than ten minutes";
	if (!ag_str_to_i64(end, &end_s) || end_s <= ag_clock_wall(h->opts.clock) / 1000)
		return false;
	*ret_back = rest.ptr && ag_base64url_read(rest, &back) &&
	                            ag_server_oidc_may_return(ag_buf_view(&back))
	                    ? ag_buf_dup(rq->arena, &back)
	                    : AG_S("/");
	return true;
}

/* Of two requests for one sign-in, in all processes of the store, one goes on. */
static ag_status spend(const ag_server *h, ag_store *s, ag_str secret, ag_arena *arena, ag_err *err)
{
	const ag_rate_key key = { ag_str_printf(arena, "oidc:%.*s",
		                                AG_FMT(ag_oidc_flow_name(secret, arena))),
		                  INT64_C(2000) * FLOW_S, 1 };
	ag_rate_taken taken;
	const ag_status st = ag_store_rate_take(s, &key, 1, 1, ag_clock_wall(h->opts.clock), &taken,
	                                        err);

	return st || taken.got
	               ? st
	               : ag_fail(err, AG_DENIED, "server.oidc", "this sign-in has ended before");
}

/* What the issuer says of who came back. */
static ag_status ask_issuer(ag_server *h, ag_store *s, ag_httpd_request *rq, ag_oidc_reply *r,
                            ag_val *ret, ag_err *err)
{
	const ag_ctx ctx = context_of(h);
	const ag_status st = spend(h, s, r->secret, rq->arena, err);

	r->code = ag_server_query(rq, "code");
	r->issuer = ag_server_query(rq, "iss");
	r->redirect_uri = redirect_uri(h, rq);
	return st ? st : ag_oidc_finish(h->opts.oidc->provider, &ctx, r, rq->arena, ret, err);
}

static void let_in(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                   const ag_val *claims, ag_str back)
{
	const char *why = NULL;
	ag_user_row u = { .name = AG_S("") };
	ag_err err = { 0 };
	ag_status st = ag_server_oidc_user(h, s, claims, rq->arena, &u, &why, &err);

	if (!st && why) {
		refuse(h, rq, rp, u.name, why, "the settings let this person not in");
		return;
	}
	if (!st)
		st = ag_server_record_sign_in(h, rq, u.name, "issuer", NULL, &err);
	if (!st)
		st = ag_server_begin_session(h, rq, rp, s, u.name, &err);
	if (st)
		fail(h, rq, rp, "unavailable", err.msg);
	else
		go(rp, back);
}

static void come_back(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s)
{
	const ag_str error = ag_server_query(rq, "error");
	ag_oidc_reply r = { 0 };
	const char *why;
	ag_str back;
	ag_err err = { 0 };
	ag_val claims;
	ag_status st;

	set_cookie(h, rq, rp, AG_S(""));
	if (!read_flow(h, rq, &r, &back, &why)) {
		fail(h, rq, rp, "strange", why);
		return;
	}
	if (error.len) {
		refuse(h, rq, rp, AG_S(""),
		       ag_str_eqc(error, "access_denied") ? "denied" : "refused",
		       "the issuer ended it with an error");
		return;
	}
	st = ask_issuer(h, s, rq, &r, &claims, &err);
	if (st)
		refuse(h, rq, rp, AG_S(""), kind_of(st), err.msg);
	else
		let_in(h, rq, rp, s, &claims, back);
}

void ag_server_oidc_callback(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s;

	if (!provider_of(h, rp) || !may_wait(h, rp))
		return;
	s = ag_server_store_of(h, rp);
	if (s)
		come_back(h, rq, rp, s);
	ag_store_close(s);
	atomic_fetch_sub(&h->nsigning, 1);
}

/* --- around it --- */

void ag_server_oidc_logout(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_server_oidc *o = provider_of(h, rp);
	ag_err err = { 0 };
	ag_str address = AG_S("");
	ag_ctx ctx;

	if (!o || !may_wait(h, rp))
		return;
	ctx = context_of(h);
	if (o->ends_session &&
	    ag_oidc_end(o->provider, &ctx,
	                ag_str_printf(rq->arena, "%.*s/", AG_FMT(ag_server_own_origin(h, rq))),
	                rq->arena, &address, &err))
		ag_log(AG_LOG_WARN, "sign_out_failed", "%s", err.msg);
	atomic_fetch_sub(&h->nsigning, 1);
	go(rp, address.len ? address : AG_S("/"));
}

void ag_server_sign_in_ways(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_server *h = (ag_server *)env;
	const bool has_people = ag_server_people_of(h) && !h->opts.anonymous;
	ag_jw w;

	(void)rq;
	ag_server_json(rp, &w);
	ag_jw_kbool(&w, "password", has_people);
	ag_jw_kstr(&w, "issuer_name", has_people && h->opts.oidc ? h->opts.oidc->name : AG_S(""));
	ag_jw_obj_end(&w);
}
