/* oidc -- see the header: what is known of the issuer, and the two halves of a sign-in. */
#include "oidc/parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "net/url.h"

#define ORIGIN      "oidc"
#define WELL_KNOWN  "/.well-known/openid-configuration"
#define KEPT_MS     (INT64_C(3600) * 1000)      /* that document and keys are not fetched again */
#define STALE_MS    (INT64_C(24) * 3600 * 1000) /* that they serve while the issuer does not answer */
#define FAILED_MS   2000                        /* that a failure is not tried again */
#define MAX_FORM    (16u << 10)
#define MAX_ADDRESS (8u << 10)
#define MIN_SECRET  32u

/* What the issuer said; never changes. Many use it while a newer one is fetched. */
typedef struct known {
	atomic_uint refs;
	ag_arena *arena;
	ag_oidc_document document;
	ag_oidc_keys keys;
	int64_t at_ms; /* monotonic */
} known;

struct ag_oidc {
	ag_oidc_opts opts; /* copies in arena */
	ag_arena *arena;
	pthread_mutex_t lock;     /* of what follows */
	known *known;             /* NULL = nothing was fetched yet */
	ag_err failure;           /* of the newest fetch; status AG_OK = it was good */
	int64_t tried_ms;         /* of it, monotonic */
	pthread_mutex_t fetching; /* one fetches, the others wait for what comes */
};

/* --- its life --- */

static ag_status check_issuer(ag_str issuer, ag_arena *arena, ag_err *err)
{
	ag_url url;
	ag_status st = ag_url_parse(issuer, arena, &url, err);

	if (st)
		return st;
	if (ag_str_find(issuer, '?') >= 0 || ag_str_find(issuer, '#') >= 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "oidc_issuer has a query or a fragment");
	if (ag_str_eqc(url.scheme, "https") || ag_url_is_loopback(&url))
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "oidc_issuer is not encrypted");
	return ag_err_hint(err, "write https://; http works for an issuer on this machine only");
}

ag_status ag_oidc_new(const ag_oidc_opts *o, ag_oidc **ret, ag_err *err)
{
	ag_oidc *p = (ag_oidc *)ag_xcalloc(1, sizeof(*p));
	ag_status st;

	p->arena = ag_arena_new();
	p->opts = *o;
	p->opts.issuer = ag_str_dup(p->arena, o->issuer);
	p->opts.client_id = ag_str_dup(p->arena, o->client_id);
	p->opts.client_secret = ag_str_dup(p->arena, o->client_secret);
	p->opts.scopes = ag_str_dup(p->arena, o->scopes);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->fetching, NULL);
	st = check_issuer(p->opts.issuer, p->arena, err);
	if (!st && !o->client_id.len)
		st = ag_fail(err, AG_INVALID, ORIGIN, "oidc_issuer needs oidc_client_id");
	if (st)
		p = ag_oidc_free(p);
	*ret = p;
	return st;
}

static void known_drop(known *k)
{
	if (!k || atomic_fetch_sub(&k->refs, 1) > 1)
		return;
	ag_arena_free(k->arena);
	free(k);
}

static void known_dropp(known **k)
{
	known_drop(*k);
}

ag_oidc *ag_oidc_free(ag_oidc *p)
{
	if (!p)
		return NULL;
	known_drop(p->known);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->fetching);
	ag_arena_free(p->arena);
	free(p);
	return NULL;
}

ag_str ag_oidc_issuer(const ag_oidc *p)
{
	return p->opts.issuer;
}

/* --- what is known of the issuer --- */

static ag_status fetch(const ag_oidc *p, const ag_ctx *ctx, known **ret, ag_err *err)
{
	known *k = (known *)ag_xcalloc(1, sizeof(*k));
	ag_str text;
	ag_status st;

	atomic_init(&k->refs, 1);
	k->arena = ag_arena_new();
	st = ag_oidc_fetch(ctx, ag_url_join(p->opts.issuer, WELL_KNOWN, k->arena), AG_S(""),
	                   AG_S(""), k->arena, &text, err);
	if (!st)
		st = ag_oidc_document_read(text, p->opts.issuer, k->arena, &k->document, err);
	if (!st)
		st = ag_oidc_fetch(ctx, k->document.keys, AG_S(""), AG_S(""), k->arena, &text, err);
	if (!st)
		st = ag_oidc_keys_read(text, k->arena, &k->keys, err);
	if (st) {
		known_drop(k);
		return st;
	}
	*ret = k;
	return AG_OK;
}

/* Under the lock. A share of what is known; NULL: it must be fetched. */
static known *recall(ag_oidc *p, int64_t now, const known *but)
{
	const bool is_waiting = p->tried_ms && now - p->tried_ms < AG_OIDC_REFETCH_MS;
	const int64_t age = p->known ? now - p->known->at_ms : 0;

	if (!p->known)
		return NULL;
	/* A newer one than what was not good enough; or none may be fetched yet. */
	if (p->known != but ? age >= KEPT_MS && !(p->failure.status && is_waiting) : !is_waiting)
		return NULL;
	atomic_fetch_add(&p->known->refs, 1);
	return p->known;
}

/* After a fetch: what came takes its place; what is stale serves on for a day. */
static known *settle(ag_oidc *p, known *fresh, const ag_err *failure)
{
	const int64_t now = ag_clock_mono(p->opts.clock);
	known *old = NULL, *ret = NULL;

	pthread_mutex_lock(&p->lock);
	p->tried_ms = now;
	p->failure = *failure;
	if (fresh) {
		fresh->at_ms = now;
		old = p->known;
		p->known = fresh;
	}
	if (p->known && now - p->known->at_ms < STALE_MS) {
		atomic_fetch_add(&p->known->refs, 1);
		ret = p->known;
	}
	pthread_mutex_unlock(&p->lock);
	known_drop(old);
	return ret;
}

/* but: what was known, and is not good enough; NULL = anything is. *ret: a share, perhaps of the same. */
static ag_status know(ag_oidc *p, const ag_ctx *ctx, const known *but, known **ret, ag_err *err)
{
	known *fresh = NULL;
	ag_err failure = { 0 };
	ag_status st = AG_OK;
	int64_t now;

	for (int round = 0; round < 2; round++) {
		if (round)
			pthread_mutex_lock(&p->fetching);
		now = ag_clock_mono(p->opts.clock);
		pthread_mutex_lock(&p->lock);
		*ret = recall(p, now, but);
		if (!*ret && !p->known && p->failure.status && now - p->tried_ms < FAILED_MS) {
			*err = p->failure;
			st = err->status;
		}
		pthread_mutex_unlock(&p->lock);
		if (*ret || st) {
			if (round)
				pthread_mutex_unlock(&p->fetching);
			return st;
		}
	}
	st = fetch(p, ctx, &fresh, &failure);
	*ret = settle(p, fresh, &failure);
	pthread_mutex_unlock(&p->fetching);
	if (*ret)
		return AG_OK;
	*err = failure;
	return st ? st : AG_INTERNAL;
}

ag_status ag_oidc_probe(ag_oidc *p, const ag_ctx *ctx, size_t *ret_nkey, ag_err *err)
{
	AG_AUTO(known_dropp) known *k = NULL;
	const ag_status st = know(p, ctx, NULL, &k, err);

	*ret_nkey = st ? 0 : k->keys.n;
	return st || k->keys.n ? st
	                       : ag_fail(err, AG_PROTOCOL, ORIGIN,
	                                 "the issuer has no key for RS256 or ES256");
}

/* --- what one secret gives --- */

/* Each use has its own label, so that none of them says anything about another. */
static ag_str derive(const char *use, ag_str secret, ag_arena *arena)
{
	const ag_sha256_hex hash = ag_sha256(
		ag_str_printf(arena, "argus oidc %s\n%.*s", use, AG_FMT(secret)));

	return ag_str_dup(arena, ag_str_c(hash.text));
}

ag_str ag_oidc_flow_name(ag_str secret, ag_arena *arena)
{
	return derive("flow", secret, arena);
}

bool ag_oidc_is_state(ag_str state, ag_str secret)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_str want = derive("state", secret, arena);
	unsigned differs = 0;

	if (secret.len < MIN_SECRET || state.len != want.len)
		return false;
	for (size_t i = 0; i < want.len; i++)
		differs |= (unsigned char)(want.ptr[i] ^ state.ptr[i]);
	return differs == 0;
}

/* Base64url of the bytes of the hash: RFC 7636 section 4.2. */
static void add_challenge(ag_buf *out, ag_str verifier)
{
	const ag_sha256_hex hash = ag_sha256(verifier);
	char bytes[32];

	for (size_t i = 0; i < sizeof(bytes); i++) {
		unsigned v = 0;

		for (size_t k = 2 * i; k < 2 * i + 2; k++)
			v = v << 4 | (unsigned)(hash.text[k] <= '9' ? hash.text[k] - '0'
			                                            : hash.text[k] - 'a' + 10);
		bytes[i] = (char)v;
	}
	ag_base64url_add(out, ag_str_make(bytes, sizeof(bytes)), false);
}

static void add_field(ag_buf *out, const char *name, ag_str value)
{
	if (out->len && out->ptr[out->len - 1] != '?' && out->ptr[out->len - 1] != '&')
		ag_buf_addc(out, '&');
	ag_buf_adds(out, name);
	ag_buf_addc(out, '=');
	ag_oidc_add_escaped(out, value);
}

static void add_address(ag_buf *out, ag_str address)
{
	ag_buf_add(out, address);
	if (ag_str_find(address, '?') < 0)
		ag_buf_addc(out, '?');
}

static ag_status take_address(ag_buf *b, ag_arena *arena, ag_str *ret, ag_err *err)
{
	if (b->failed)
		return ag_fail(err, AG_PROTOCOL, ORIGIN,
		               "an address of the issuer is longer than 8 KiB");
	*ret = ag_buf_dup(arena, b);
	return AG_OK;
}

ag_status ag_oidc_begin(ag_oidc *p, const ag_ctx *ctx, ag_str redirect_uri, ag_str secret,
                        ag_arena *arena, ag_str *ret, ag_err *err)
{
	AG_AUTO(known_dropp) known *k = NULL;
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(MAX_ADDRESS);
	ag_status st;

	AG_ASSERT(secret.len >= MIN_SECRET);
	st = know(p, ctx, NULL, &k, err);
	if (st)
		return st;
	add_address(&out, k->document.authorization);
	add_field(&out, "response_type", AG_S("code"));
	add_field(&out, "client_id", p->opts.client_id);
	add_field(&out, "redirect_uri", redirect_uri);
	add_field(&out, "scope", p->opts.scopes);
	add_field(&out, "state", derive("state", secret, arena));
	add_field(&out, "nonce", derive("nonce", secret, arena));
	ag_buf_adds(&out, "&code_challenge_method=S256&code_challenge=");
	add_challenge(&out, derive("verifier", secret, arena));
	return take_address(&out, arena, ret, err);
}

/* --- the second half --- */

/* "Basic …": name and secret are escaped as in a form first (RFC 6749 section 2.3.1). */
static ag_str basic(const ag_oidc *p, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf both = AG_BUF_INIT(MAX_FORM);
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(2 * MAX_FORM);
	char *text;

	ag_oidc_add_escaped(&both, p->opts.client_id);
	ag_buf_addc(&both, ':');
	ag_oidc_add_escaped(&both, p->opts.client_secret);
	ag_base64url_add(&out, ag_buf_view(&both), true);
	text = ag_str_cstr(arena, ag_buf_view(&out));
	for (char *c = text; *c; c++)
		*c = *c == '-' ? '+' : *c == '_' ? '/' : *c;
	return ag_str_printf(arena, "Basic %s", text);
}

/* The text of the ID token for the code. */
static ag_status exchange(const ag_oidc *p, const ag_ctx *ctx, const ag_oidc_document *d,
                          const ag_oidc_reply *r, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const bool has_secret = p->opts.client_secret.len > 0;
	AG_AUTO(ag_buf_release) ag_buf form = AG_BUF_INIT(MAX_FORM);
	ag_str text;
	ag_val answer;
	ag_status st;

	add_field(&form, "grant_type", AG_S("authorization_code"));
	add_field(&form, "code", r->code);
	add_field(&form, "redirect_uri", r->redirect_uri);
	add_field(&form, "client_id", p->opts.client_id);
	add_field(&form, "code_verifier", derive("verifier", r->secret, arena));
	if (has_secret && !d->takes_basic)
		add_field(&form, "client_secret", p->opts.client_secret);
	if (form.failed)
		return ag_fail(err, AG_DENIED, ORIGIN, "the code is too long");
	st = ag_oidc_fetch(ctx, d->token, ag_buf_view(&form),
	                   has_secret && d->takes_basic ? basic(p, arena) : AG_S(""), arena, &text,
	                   err);
	if (!st)
		st = ag_oidc_read_json(text, "the issuer's answer to the code", arena, &answer,
		                       err);
	if (st)
		return st;
	*ret = ag_val_member_str(&answer, "id_token");
	return ret->len ? AG_OK
	                : ag_fail(err, AG_PROTOCOL, ORIGIN,
	                          "the issuer's answer to the code has no ID token");
}

/* A key that is not known may be new. */
static ag_status check_signature(ag_oidc *p, const ag_ctx *ctx, const ag_oidc_token *t, known **k,
                                 ag_err *err)
{
	const ag_oidc_key *key = ag_oidc_keys_find(&(*k)->keys, t->key_id, t->alg);
	known *newer = NULL;

	if (!key) {
		const ag_status st = know(p, ctx, *k, &newer, err);

		if (st)
			return st;
		known_drop(*k);
		*k = newer;
		key = ag_oidc_keys_find(&(*k)->keys, t->key_id, t->alg);
	}
	return key ? ag_signature_check(&key->key, t->text, t->signature, err)
	           : ag_fail(err, AG_DENIED, ORIGIN,
	                     "the ID token is refused: it is signed with a key that the issuer "
	                     "does not publish");
}

static ag_status check_reply(const ag_oidc *p, const ag_oidc_document *d, const ag_oidc_reply *r,
                             ag_err *err)
{
	if (!ag_oidc_is_state(r->state, r->secret))
		return ag_fail(err, AG_DENIED, ORIGIN, "this browser did not begin the sign-in");
	if (r->issuer.len ? !ag_str_eq(r->issuer, p->opts.issuer) : d->says_issuer)
		return ag_fail(err, AG_DENIED, ORIGIN, "the code is of another issuer (iss)");
	if (!r->code.len || r->code.len > AG_OIDC_MAX_CODE)
		return ag_fail(err, AG_DENIED, ORIGIN, "there is no code, or it is too long");
	return AG_OK;
}

ag_status ag_oidc_finish(ag_oidc *p, const ag_ctx *ctx, const ag_oidc_reply *r, ag_arena *arena,
                         ag_val *ret, ag_err *err)
{
	AG_AUTO(known_dropp) known *k = NULL;
	ag_oidc_token token;
	ag_str text = { 0 };
	ag_status st = know(p, ctx, NULL, &k, err);

	if (!st)
		st = check_reply(p, &k->document, r, err);
	if (!st)
		st = exchange(p, ctx, &k->document, r, arena, &text, err);
	if (!st)
		st = ag_oidc_token_read(text, arena, &token, err);
	if (!st)
		st = check_signature(p, ctx, &token, &k, err);
	if (!st)
		st = ag_oidc_token_check(&token.claims,
		                         &(ag_oidc_want){
						 .issuer = p->opts.issuer,
						 .client_id = p->opts.client_id,
						 .nonce = derive("nonce", r->secret, arena),
						 .now_ms = ag_clock_wall(p->opts.clock),
						 .skew_ms = p->opts.skew_ms },
		                         err);
	if (!st)
		*ret = token.claims;
	return st;
}

ag_status ag_oidc_end(ag_oidc *p, const ag_ctx *ctx, ag_str back, ag_arena *arena, ag_str *ret,
                      ag_err *err)
{
	AG_AUTO(known_dropp) known *k = NULL;
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(MAX_ADDRESS);
	const ag_status st = know(p, ctx, NULL, &k, err);

	*ret = AG_S("");
	if (st || !k->document.end_session.len)
		return st;
	add_address(&out, k->document.end_session);
	add_field(&out, "client_id", p->opts.client_id);
	add_field(&out, "post_logout_redirect_uri", back);
	return take_address(&out, arena, ret, err);
}
