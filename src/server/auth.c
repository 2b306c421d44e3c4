/* Who calls: tokens, in a header or in a browser's cookie, and users named by a proxy; looked up in the store and remembered until
 * anything in the store changes.
 *
 * Rows of this process's audit table change nothing about tokens: the journal knows without a system call that nobody else
 * has written. When somebody has, the store's version says whether a token must be looked up again. So a token that was
 * revoked, a member who was removed and a role that was lowered hold for the very next request. What goes on under a token (a
 * stream, a call on a thread of its own) is registered as a grant; one thread looks after grants and ends those whose token
 * is good no more. The rules are those of an OAuth resource server (RFC 6750, RFC 9728). */
#include <stdlib.h>

#include "base/cond.h"
#include "base/json.h"
#include "base/sha256.h"
#include "http/cookie.h"
#include "server/parts.h"
#include "server/problem.h"

#define LOOK_MS 500 /* at the tokens of what goes on */
#define COOKIE  "argus_session"

struct ag_server_caller {
	atomic_uint refs;
	ag_sha256_hex hash; /* of the token */
	ag_caller who;
	ag_arena *arena;
	uint64_t version; /* of the store, when it was looked up */
	uint64_t others;  /* of the journal at that time; 0 = not known. Under callers_lock */
	uint64_t
		good_as_of; /* version of the store at which the token was good, for the watch alone */
};

/* --- what is remembered --- */

void ag_server_caller_drop(ag_server_caller *k)
{
	if (!k || atomic_fetch_sub(&k->refs, 1) > 1)
		return;
	ag_arena_free(k->arena);
	free(k);
}

static void drop_later(void *arg)
{
	ag_server_caller_drop((ag_server_caller *)arg);
}

ag_server_caller *ag_server_caller_ref(const ag_httpd_request *rq)
{
	ag_server_caller *k = (ag_server_caller *)rq->note;

	if (k)
		atomic_fetch_add(&k->refs, 1);
	return k;
}

const ag_caller *ag_server_who(const ag_server *h, const ag_httpd_request *rq)
{
	const ag_server_caller *k = (const ag_server_caller *)rq->note;

	return k ? &k->who : h->opts.anonymous;
}

const ag_caller *ag_server_caller_who(const ag_server *h, const ag_server_caller *k)
{
	return k ? &k->who : h->opts.anonymous;
}

static unsigned place_of(const ag_sha256_hex *hash)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++)
		n = n * 31 + (unsigned char)hash->text[i];
	return n % AG_SERVER_CALLERS;
}

static bool is_expired(const ag_server *h, const ag_server_caller *k)
{
	return k->who.expires_ms && k->who.expires_ms <= ag_clock_wall(h->opts.clock);
}

static bool is_same_token(const ag_server_caller *k, const ag_sha256_hex *hash)
{
	return memcmp(k->hash.text, hash->text, sizeof(hash->text)) == 0;
}

/* What was true at the journal's number `others` or, NULL, at the store's version. */
static ag_server_caller *recall(ag_server *h, const ag_sha256_hex *hash, uint64_t others,
                                const uint64_t *version)
{
	ag_server_caller *k;

	pthread_mutex_lock(&h->callers_lock);
	k = h->callers[place_of(hash)];
	if (!k || !is_same_token(k, hash) || is_expired(h, k) ||
	    (version ? k->version != *version : !others || k->others != others)) {
		k = NULL;
	} else {
		if (others)
			k->others = others;
		atomic_fetch_add(&k->refs, 1);
	}
	pthread_mutex_unlock(&h->callers_lock);
	return k;
}

/* A token whose hash falls on the same place is forgotten: it costs a look at the store. */
static void remember(ag_server *h, ag_server_caller *k)
{
	ag_server_caller **place = &h->callers[place_of(&k->hash)], *old;

	atomic_fetch_add(&k->refs, 1);
	pthread_mutex_lock(&h->callers_lock);
	old = *place;
	*place = k;
	pthread_mutex_unlock(&h->callers_lock);
	ag_server_caller_drop(old);
}

void ag_server_callers_free(ag_server *h)
{
	for (unsigned i = 0; i < AG_SERVER_CALLERS; i++)
		ag_server_caller_drop(h->callers[i]);
}

static ag_status version_of(ag_server *h, uint64_t *ret, ag_err *err)
{
	ag_status st = AG_OK;

	*ret = 0;
	pthread_mutex_lock(&h->store_lock);
	if (h->opts.store)
		st = ag_store_version(h->opts.store, ret, err);
	pthread_mutex_unlock(&h->store_lock);
	return st;
}

/* What a request says of who makes it. */
typedef struct proof {
	ag_str token, user; /* user: named by a proxy, then token is "" */
	ag_sha256_hex hash; /* of the one or the other */
} proof;

static ag_status look_up(ag_server *h, const proof *p, uint64_t version, uint64_t others,
                         ag_server_caller **ret, ag_err *err)
{
	ag_server_caller *k = (ag_server_caller *)ag_xcalloc(1, sizeof(*k));
	ag_status st;

	atomic_init(&k->refs, 1);
	k->hash = p->hash;
	k->arena = ag_arena_new();
	k->version = k->good_as_of = version;
	k->others = others;
	pthread_mutex_lock(&h->store_lock);
	if (!h->opts.store)
		st = ag_fail(err, AG_DENIED, "server", "there are no tokens here");
	else if (p->user.len)
		st = ag_caller_of_user(h->opts.store, ag_str_dup(k->arena, p->user), k->arena,
		                       &k->who, err);
	else
		st = ag_caller_of_token(h->opts.store, p->token, ag_clock_wall(h->opts.clock),
		                        k->arena, &k->who, err);
	pthread_mutex_unlock(&h->store_lock);
	if (st) {
		ag_server_caller_drop(k);
		return st;
	}
	remember(h, k);
	*ret = k;
	return AG_OK;
}

/* Both numbers are read before the store is, so that a change in between is seen next time. */
static ag_status caller_of(ag_server *h, const proof *p, ag_server_caller **ret, ag_err *err)
{
	uint64_t others = 0, version = 0;
	ag_status st;

	if (!h->opts.journal || !ag_journal_others(h->opts.journal, &others))
		others = 0;
	*ret = recall(h, &p->hash, others, NULL);
	if (*ret)
		return AG_OK;
	st = version_of(h, &version, err);
	if (st)
		return st;
	*ret = recall(h, &p->hash, others, &version);
	return *ret ? AG_OK : look_up(h, p, version, others, ret, err);
}

/* --- what goes on under a token --- */

struct ag_server_grant {
	ag_server_grant *next;
	ag_server_caller *known;
	void (*revoked)(void *arg);
	void *arg;
	bool is_revoked;
};

ag_server_grant *ag_server_grant_new(ag_server *h, ag_server_caller *known,
                                     void (*revoked)(void *arg), void *arg)
{
	ag_server_grant *g;

	if (!known)
		return NULL;
	g = (ag_server_grant *)ag_xcalloc(1, sizeof(*g));
	atomic_fetch_add(&known->refs, 1);
	*g = (ag_server_grant){ .known = known, .revoked = revoked, .arg = arg };
	pthread_mutex_lock(&h->grants_lock);
	g->next = h->grants;
	h->grants = g;
	pthread_mutex_unlock(&h->grants_lock);
	return g;
}

void ag_server_grant_end(ag_server *h, ag_server_grant *g)
{
	ag_server_grant **at = &h->grants;

	if (!g)
		return;
	pthread_mutex_lock(&h->grants_lock);
	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	pthread_mutex_unlock(&h->grants_lock);
	ag_server_caller_drop(g->known);
	free(g);
}

/* Is the token still good for what it was? A store that cannot be read says nothing: it is asked again. */
static bool is_good(ag_server *h, ag_server_caller *k, uint64_t version)
{
	ag_arena *arena = ag_arena_new();
	ag_caller who;
	ag_token_row row;
	ag_status st = AG_OK;

	pthread_mutex_lock(&h->store_lock);
	if (k->who.token.len)
		st = ag_store_token_of_hash(h->opts.store, ag_str_c(k->hash.text),
		                            ag_clock_wall(h->opts.clock), arena, &row, NULL);
	if (!st)
		st = ag_caller_of_user(h->opts.store, k->who.user, arena, &who, NULL);
	pthread_mutex_unlock(&h->store_lock);
	ag_arena_free(arena);
	if (!st)
		k->good_as_of = version;
	return st != AG_NOT_FOUND && st != AG_DENIED;
}

/* Under the lock: revoked() does not wait and does not touch grants. A token is looked up once for each version of the store,
 * however many calls it has; a grant that is newer than the last look counts from the version that its caller was read at. */
static void end_revoked(ag_server *h, uint64_t version)
{
	pthread_mutex_lock(&h->grants_lock);
	for (ag_server_grant *g = h->grants; g; g = g->next) {
		if (g->is_revoked ||
		    (g->known->good_as_of == version && !is_expired(h, g->known)) ||
		    is_good(h, g->known, version))
			continue;
		g->is_revoked = true;
		g->revoked(g->arg);
	}
	pthread_mutex_unlock(&h->grants_lock);
}

static void *watch_grants(void *arg)
{
	ag_server *h = (ag_server *)arg;
	uint64_t version = 0;

	pthread_mutex_lock(&h->watch_lock);
	while (!h->is_stopped) {
		bool has_any;

		ag_cond_wait_ms(&h->watch_wake, &h->watch_lock, LOOK_MS);
		pthread_mutex_unlock(&h->watch_lock);
		pthread_mutex_lock(&h->grants_lock);
		has_any = h->grants != NULL;
		pthread_mutex_unlock(&h->grants_lock);
		if (has_any && !version_of(h, &version, NULL))
			end_revoked(h, version);
		pthread_mutex_lock(&h->watch_lock);
	}
	pthread_mutex_unlock(&h->watch_lock);
	return NULL;
}

bool ag_server_grants_start(ag_server *h)
{
	h->has_watch = h->opts.store && pthread_create(&h->watch, NULL, watch_grants, h) == 0;
	return h->has_watch || !h->opts.store;
}

void ag_server_grants_stop(ag_server *h)
{
	pthread_mutex_lock(&h->watch_lock);
	h->is_stopped = true;
	pthread_cond_signal(&h->watch_wake);
	pthread_mutex_unlock(&h->watch_lock);
	if (h->has_watch)
		pthread_join(h->watch, NULL);
	h->has_watch = false;
}

/* --- refusals --- */

/* "http://127.0.0.1:8080" out of the address that clients know; "" = not given. */
static ag_str origin_of(ag_str resource)
{
	ptrdiff_t scheme = ag_str_contains(resource, AG_S("://")) ? ag_str_find(resource, ':') : -1;

	if (scheme < 0)
		return AG_S("");
	for (size_t i = (size_t)scheme + 3; i < resource.len; i++)
		if (resource.ptr[i] == '/')
			return ag_str_make(resource.ptr, i);
	return resource;
}

/* Host was checked by the server: a name, or one of this machine. */
ag_str ag_server_own_origin(ag_server *h, ag_httpd_request *rq)
{
	return h->opts.resource.len ? origin_of(h->opts.resource)
	                            : ag_str_printf(rq->arena, "http://%.*s",
	                                            AG_FMT(ag_httpd_header_of(rq, "Host")));
}

static void challenge(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, int status,
                      const char *error, const char *words)
{
	ag_str at = ag_server_own_origin(h, rq);
	ag_buf scope = AG_BUF_INIT(4096);
	ag_jw w;

	for (size_t i = 0; i < h->opts.nscope; i++)
		ag_buf_addf(&scope, "%s%.*s", i ? " " : "", AG_FMT(h->opts.scopes[i]));
	ag_httpd_add_header(
		rp, "WWW-Authenticate",
		ag_str_printf(rq->arena, "Bearer %s%s%sresource_metadata=\"%.*s%.*s\"%s%.*s%s",
	                      error ? "error=\"" : "", error ? error : "", error ? "\", " : "",
	                      AG_FMT(at), AG_FMT(AG_S(AG_SERVER_WELL_KNOWN AG_SERVER_MCP_PATH)),
	                      scope.len ? ", scope=\"" : "", AG_FMT(ag_buf_view(&scope)),
	                      scope.len ? "\"" : ""));
	if (ag_str_starts(rq->path, AG_S("/api/"))) {
		ag_server_problem(rp, status, words,
		                  status == 401 ? "log in, or send a token: argus token create"
		                                : "");
	} else {
		rp->status = status;
		rp->content_type = AG_S("application/json");
		ag_jw_init(&w, &rp->body, 0);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "error", ag_str_c(error ? error : "unauthorized"));
		ag_jw_kstr(&w, "error_description", ag_str_c(words));
		ag_jw_obj_end(&w);
	}
	ag_buf_release(&scope);
}

void ag_server_revoked(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_buf_clear(&rp->body);
	challenge(h, rq, rp, 401, "invalid_token",
	          "the token was revoked, or expired, while the call ran");
}

/* scope: "" = any that is of use here. */
static bool has_use(const ag_server *h, const ag_caller *who, const char *scope)
{
	if (scope[0])
		return ag_caller_has_scope(who, scope);
	for (size_t i = 0; i < h->opts.nscope; i++)
		if (ag_caller_has_scope(who, h->opts.scopes[i].ptr))
			return true;
	return h->opts.nscope == 0;
}

/* --- browsers --- */

void ag_server_set_session(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                           ag_str token)
{
	const ag_server_people *p = ag_server_people_of(h);

	ag_http_cookie_set(rq, rp,
	                   &(ag_http_cookie){ .name = COOKIE,
	                                      .value = token,
	                                      .max_age_s = token.len ? p->session_ms / 1000 : -1,
	                                      .is_lax = true,
	                                      .is_secure = p->is_https });
}

/* A form of a page elsewhere can send these types, and none at all, without being asked first. */
static bool is_type_of_forms(ag_str type)
{
	static const char *const types[] = { "text/plain", "multipart/form-data",
		                             "application/x-www-form-urlencoded" };

	type = ag_str_trim(ag_str_split(&type, ';'));
	for (size_t i = 0; i < AG_NELEM(types); i++)
		if (ag_str_ieq(type, ag_str_c(types[i])))
			return true;
	return type.len == 0;
}

/* A browser adds the cookie by itself, also to what a page of another site sends. Such a request has another Origin, which was
 * refused before, or says so in Sec-Fetch-Site, or is one that a page cannot send across sites without a preflight. */
static bool is_own_page(ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_str site = ag_httpd_header_of(rq, "Sec-Fetch-Site");
	const bool is_read = ag_str_eqc(rq->method, "GET") || ag_str_eqc(rq->method, "HEAD");

	if (is_read)
		return true;
	if (site.len && !ag_str_eqc(site, "same-origin") && !ag_str_eqc(site, "none") &&
	    !ag_httpd_header_of(rq, "Origin").len) {
		ag_server_problem(rp, 403, "a page of another site may not do this", "");
		return false;
	}
	if (!ag_str_eqc(rq->method, "DELETE") &&
	    is_type_of_forms(ag_httpd_header_of(rq, "Content-Type"))) {
		ag_server_problem(rp, 415, "the body is not sent as JSON",
		                  "send \"Content-Type: application/json\", also without a body");
		return false;
	}
	return true;
}

/* A proxy on this machine, as this server was told, has authenticated the user. */
static ag_str user_of_proxy(const ag_server *h, const ag_httpd_request *rq)
{
	const ag_server_people *p = ag_server_people_of(h);
	ag_str peer;

	if (!p || !p->proxy_header.len)
		return AG_S("");
	peer = ag_httpd_peer(rq);
	if (!ag_access_is_loopback(peer))
		return AG_S("");
	return ag_str_trim(ag_httpd_header_of(rq, ag_str_cstr(rq->arena, p->proxy_header)));
}

typedef enum came { CAME_OPEN, CAME_BY_HEADER, CAME_BY_COOKIE, CAME_BY_PROXY, CAME_WRONGLY } came;

static came read_proof(const ag_server *h, ag_httpd_request *rq, proof *ret)
{
	const ag_str header = ag_httpd_header_of(rq, "Authorization");

	*ret = (proof){ .token = AG_S(""), .user = AG_S("") };
	if (header.len) {
		if (!ag_mcp_bearer(header, &ret->token))
			return CAME_WRONGLY;
		ret->hash = ag_sha256(ret->token);
		return CAME_BY_HEADER;
	}
	ret->user = user_of_proxy(h, rq);
	if (ret->user.len) {
		ret->hash = ag_sha256(ag_str_printf(rq->arena, "proxy:%.*s", AG_FMT(ret->user)));
		return CAME_BY_PROXY;
	}
	ret->token = ag_server_people_of(h) ? ag_http_cookie_of(rq, COOKIE) : AG_S("");
	ret->hash = ag_sha256(ret->token);
	return ret->token.len ? CAME_BY_COOKIE : CAME_OPEN;
}

/* The store cannot say who it is. */
static bool is_away(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_err *err)
{
	if (ag_str_starts(rq->path, AG_S("/api/")))
		ag_server_problem(rp, 503, err->msg, err->hint);
	else
		ag_server_mcp_refuse(rp, 503, AG_RPC_INTERNAL_ERROR, AG_S("null"), err->msg);
	rp->retry_after_s = 1;
	return false;
}

static bool is_anybody(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	if (!h->opts.anonymous)
		challenge(h, rq, rp, 401, NULL, "a bearer token is needed");
	return h->opts.anonymous != NULL;
}

bool ag_server_may_ask(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const char *scope)
{
	ag_server_caller *k = NULL;
	ag_err err = { 0 };
	ag_status st;
	proof p;
	const came how = read_proof(h, rq, &p);

	if (how == CAME_OPEN || (how == CAME_BY_COOKIE && h->opts.anonymous))
		return is_anybody(h, rq, rp);
	if (how == CAME_WRONGLY) {
		challenge(h, rq, rp, 401, "invalid_request", "want Authorization: Bearer TOKEN");
		return false;
	}
	if (how != CAME_BY_HEADER && !is_own_page(rq, rp))
		return false;
	st = caller_of(h, &p, &k, &err);
	if (st == AG_DENIED) {
		if (how == CAME_BY_COOKIE)
			ag_server_set_session(h, rq, rp, AG_S(""));
		challenge(h, rq, rp, 401, "invalid_token",
		          how == CAME_BY_HEADER ? err.msg : "the session has ended");
		return false;
	}
	if (st)
		return is_away(rq, rp, &err);
	rq->note = k;
	ag_arena_defer(rq->arena, drop_later, k);
	if (!has_use(h, &k->who, scope)) {
		challenge(h, rq, rp, 403, "insufficient_scope",
		          "the token is limited to other uses than this");
		return false;
	}
	return true;
}

/* {"resource":"http://127.0.0.1:8080/mcp","authorization_servers":[…],"bearer_methods_supported":["header"],
 *  "scopes_supported":["sql"],"resource_name":"Argus"} */
void ag_server_metadata(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_str resource = h->opts.resource;
	ag_jw w;

	if (!resource.len)
		resource = ag_str_printf(rq->arena, "%.*s%.*s", AG_FMT(ag_server_own_origin(h, rq)),
		                         AG_FMT(AG_S(AG_SERVER_MCP_PATH)));
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "resource", resource);
	if (h->opts.nauthorization_server) {
		ag_jw_kkey(&w, "authorization_servers");
		ag_jw_arr(&w);
		for (size_t i = 0; i < h->opts.nauthorization_server; i++)
			ag_jw_str(&w, h->opts.authorization_servers[i]);
		ag_jw_arr_end(&w);
	}
	ag_jw_kraw(&w, "bearer_methods_supported", AG_S("[\"header\"]"));
	if (h->opts.nscope) {
		ag_jw_kkey(&w, "scopes_supported");
		ag_jw_arr(&w);
		for (size_t i = 0; i < h->opts.nscope; i++)
			ag_jw_str(&w, h->opts.scopes[i]);
		ag_jw_arr_end(&w);
	}
	ag_jw_kstr(&w, "resource_name", AG_S("Argus"));
	ag_jw_obj_end(&w);
}
