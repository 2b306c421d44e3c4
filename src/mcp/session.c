/* session -- the table of sessions: found by their id, which is a secret; ended when idle, or when there are too many.
 *
 * The table holds one share of each; whoever found one holds another. A session that is ended leaves the table at once
 * and is freed with its last share. */
#include "mcp/parts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"

static size_t bucket_of(const ag_mcp_server *s, const char *id)
{
	size_t h = 0;

	/* The id is random: its first characters are as good as a hash. */
	for (int i = 0; i < 8; i++)
		h = h << 6 ^ (unsigned char)id[i];
	return h & (s->nbucket - 1);
}

static bool new_id(char ret[AG_MCP_SESSION_CHARS + 1])
{
	char random[32];
	ag_buf text = AG_BUF_INIT(AG_MCP_SESSION_CHARS);
	const bool ok = getentropy(random, sizeof(random)) == 0;

	if (ok) {
		ag_base64url_add(&text, ag_str_make(random, sizeof(random)), false);
		AG_ASSERT(text.len == AG_MCP_SESSION_CHARS);
		memcpy(ret, text.ptr, AG_MCP_SESSION_CHARS + 1);
	}
	ag_buf_release(&text);
	return ok;
}

ag_str ag_mcp_session_id(const ag_mcp_session *s)
{
	return ag_str_make(s->id, AG_MCP_SESSION_CHARS);
}

ag_mcp_revision ag_mcp_session_revision(const ag_mcp_session *s)
{
	return s->revision;
}

bool ag_mcp_session_is_ended(const ag_mcp_session *s)
{
	return atomic_load(&s->is_ended);
}

void ag_mcp_session_drop(ag_mcp_session *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
		return;
	for (size_t i = 0; i < s->nsubscribed; i++)
		free(s->subscribed[i]);
	free(s->subscribed);
	free(s->user);
	pthread_mutex_destroy(&s->listen_lock);
	ag_mcp_calls_release(&s->calls);
	free(s);
}

/* --- the table; all with the server's lock --- */

static ag_mcp_session **place_of(ag_mcp_server *s, const char *id)
{
	ag_mcp_session **p = &s->buckets[bucket_of(s, id)];

	while (*p && memcmp((*p)->id, id, AG_MCP_SESSION_CHARS) != 0)
		p = &(*p)->next;
	return p;
}

/* Takes it out; the table's share goes to the caller. False: it was not in there any more. */
static bool take_out(ag_mcp_server *s, ag_mcp_session *one)
{
	ag_mcp_session **p = place_of(s, one->id);

	if (*p != one)
		return false;
	*p = one->next;
	one->next = NULL;
	s->nsession--;
	atomic_store(&one->is_ended, true);
	return true;
}

static bool is_idle(ag_mcp_session *one)
{
	return !ag_mcp_calls_any(&one->calls);
}

/* The one that gives way: the oldest without a call under way. A user with a quarter of all gives one of his own, so that
 * nobody is driven out by another's sessions. */
static ag_mcp_session *victim(ag_mcp_server *s, ag_str user)
{
	ag_mcp_session *oldest = NULL, *own = NULL;
	size_t nown = 0;

	for (size_t i = 0; i < s->nbucket; i++) {
		for (ag_mcp_session *one = s->buckets[i]; one; one = one->next) {
			const bool is_own = ag_str_eqc(user, one->user);
			const int64_t used = atomic_load(&one->used_ms);

			nown += is_own;
			if (!is_idle(one))
				continue;
			if (!oldest || used < atomic_load(&oldest->used_ms))
				oldest = one;
			if (is_own && (!own || used < atomic_load(&own->used_ms)))
				own = one;
		}
	}
	return own && nown * 4 >= s->nsession ? own : oldest;
}

/* Everything that ends with a session; without the server's lock. Takes over the table's share. */
static void finish(ag_mcp_session *one)
{
	const ag_mcp_peer *listener;

	ag_mcp_calls_cancel(&one->calls, AG_MCP_BY_SERVER);
	pthread_mutex_lock(&one->listen_lock);
	listener = one->listener;
	one->listener = NULL;
	if (listener && listener->ended)
		listener->ended(listener->self);
	pthread_mutex_unlock(&one->listen_lock);
	ag_mcp_session_drop(one);
}

void ag_mcp_session_end(ag_mcp_server *srv, ag_mcp_session *s)
{
	bool was_there;

	pthread_mutex_lock(&srv->lock);
	was_there = take_out(srv, s);
	pthread_mutex_unlock(&srv->lock);
	if (was_there)
		finish(s);
}

static ag_mcp_session *make(ag_mcp_server *s, const ag_caller *who, ag_mcp_revision r)
{
	ag_mcp_session *one = ag_xcalloc(1, sizeof(*one));

	if (!new_id(one->id)) {
		free(one);
		return NULL;
	}
	one->name = ag_id_new(s->o.clock);
	one->revision = r;
	one->user = ag_xcalloc(who->user.len + 1, 1);
	if (who->user.len)
		memcpy(one->user, who->user.ptr, who->user.len);
	atomic_init(&one->refs, 2);
	atomic_init(&one->log_level, 0);
	atomic_init(&one->used_ms, ag_clock_mono(s->o.clock));
	atomic_init(&one->next_question, 1);
	ag_mcp_calls_init(&one->calls);
	pthread_mutex_init(&one->listen_lock, NULL);
	return one;
}

ag_mcp_session *ag_mcp_session_new(ag_mcp_server *s, const ag_caller *who, ag_mcp_revision r)
{
	ag_mcp_session *one = make(s, who, r), *old = NULL, **p;

	if (!one)
		return NULL;
	pthread_mutex_lock(&s->lock);
	if (s->nsession >= s->o.max_sessions) {
		old = victim(s, who->user);
		if (old && !take_out(s, old))
			old = NULL;
	}
	if (s->nsession < s->o.max_sessions && !atomic_load(&s->is_stopped)) {
		p = &s->buckets[bucket_of(s, one->id)];
		one->next = *p;
		*p = one;
		s->nsession++;
	} else {
		atomic_store(&one->refs, 1);
		ag_mcp_session_drop(one);
		one = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	if (old)
		finish(old);
	return one;
}

static bool is_expired(ag_mcp_server *s, ag_mcp_session *one, int64_t now)
{
	bool is_listening;

	if (now - atomic_load(&one->used_ms) < s->o.session_idle_ms || !is_idle(one))
		return false;
	pthread_mutex_lock(&one->listen_lock);
	is_listening = one->listener != NULL;
	pthread_mutex_unlock(&one->listen_lock);
	return !is_listening;
}

ag_mcp_session *ag_mcp_session_find(ag_mcp_server *s, ag_str id, const ag_caller *who)
{
	const int64_t now = ag_clock_mono(s->o.clock);
	ag_mcp_session *one, *old = NULL;

	if (id.len != AG_MCP_SESSION_CHARS)
		return NULL;
	pthread_mutex_lock(&s->lock);
	one = *place_of(s, id.ptr);
	if (one && !ag_str_eqc(who->user, one->user)) {
		one = NULL;
	} else if (one && is_expired(s, one, now)) {
		old = take_out(s, one) ? one : NULL;
		one = NULL;
	} else if (one) {
		atomic_fetch_add(&one->refs, 1);
		atomic_store(&one->used_ms, now);
	}
	pthread_mutex_unlock(&s->lock);
	if (old)
		finish(old);
	return one;
}

void ag_mcp_sessions(ag_mcp_server *s, ag_arena *arena, ag_mcp_session ***ret, size_t *nret)
{
	size_t n = 0;

	pthread_mutex_lock(&s->lock);
	*ret = ag_new_n(arena, ag_mcp_session *, s->nsession ? s->nsession : 1);
	for (size_t i = 0; i < s->nbucket; i++) {
		for (ag_mcp_session *one = s->buckets[i]; one; one = one->next) {
			atomic_fetch_add(&one->refs, 1);
			(*ret)[n++] = one;
		}
	}
	pthread_mutex_unlock(&s->lock);
	*nret = n;
}

bool ag_mcp_session_listen(ag_mcp_session *s, const ag_mcp_peer *peer)
{
	bool ok;

	pthread_mutex_lock(&s->listen_lock);
	ok = !peer || (!s->listener && !atomic_load(&s->is_ended));
	if (ok)
		s->listener = peer;
	pthread_mutex_unlock(&s->listen_lock);
	return ok;
}

/* --- resources/subscribe, resources/unsubscribe --- */

static size_t index_of(const ag_mcp_session *s, ag_str uri)
{
	size_t i = 0;

	while (i < s->nsubscribed && !ag_str_eqc(uri, s->subscribed[i]))
		i++;
	return i;
}

/* The URI, of a length that is kept. */
static bool uri_of(ag_mcp_turn *t, ag_str *ret)
{
	if (!ag_mcp_text_of(t, "uri", ret))
		return false;
	if (ret->len && ret->len <= AG_MCP_MAX_URI && !memchr(ret->ptr, '\0', ret->len))
		return true;
	ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""), "params.uri: want a URI of 1 to %u bytes",
	             AG_MCP_MAX_URI);
	return false;
}

void ag_mcp_subscribe(ag_mcp_turn *t)
{
	ag_mcp_session *s = t->session;
	bool is_full = false;
	ag_str uri;

	if (!uri_of(t, &uri))
		return;
	pthread_mutex_lock(&s->listen_lock);
	if (index_of(s, uri) == s->nsubscribed) {
		is_full = s->nsubscribed == AG_MCP_MAX_SUBSCRIBED;
		if (!is_full) {
			s->subscribed = ag_xrealloc(s->subscribed,
			                            (s->nsubscribed + 1) * sizeof(*s->subscribed));
			s->subscribed[s->nsubscribed] = ag_xcalloc(uri.len + 1, 1);
			memcpy(s->subscribed[s->nsubscribed++], uri.ptr, uri.len);
		}
	}
	pthread_mutex_unlock(&s->listen_lock);
	if (is_full)
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "one session may subscribe to %u resources", AG_MCP_MAX_SUBSCRIBED);
	else
		ag_mcp_result_object(t, AG_S("{}"));
}

void ag_mcp_unsubscribe(ag_mcp_turn *t)
{
	ag_mcp_session *s = t->session;
	ag_str uri;
	size_t i;

	if (!uri_of(t, &uri))
		return;
	pthread_mutex_lock(&s->listen_lock);
	i = index_of(s, uri);
	if (i < s->nsubscribed) {
		free(s->subscribed[i]);
		s->subscribed[i] = s->subscribed[--s->nsubscribed];
	}
	pthread_mutex_unlock(&s->listen_lock);
	ag_mcp_result_object(t, AG_S("{}"));
}
