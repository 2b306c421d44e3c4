/* How many requests one user, or one address without a login, may make in a minute. Counted in this process, in a fixed
 * table: questions, SQL and logins have limits of their own, which all processes share. */
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "server/parts.h"
#include "server/problem.h"

#define WINDOW_MS 60000
#define NSET      512u
#define NWAY      8u /* windows of a set; a ninth key replaces the oldest window */

typedef struct window {
	uint64_t key;     /* 0 = free */
	int64_t began_ms; /* monotonic */
	uint64_t used;
} window;

struct ag_server_rates {
	pthread_mutex_t lock;
	uint64_t seed; /* nobody can choose names that meet in one set */
	window at[NSET][NWAY];
};

ag_server_rates *ag_server_rates_new(void)
{
	ag_server_rates *r = (ag_server_rates *)ag_xcalloc(1, sizeof(*r));
	const ag_id id = ag_id_new(&ag_clock_system);
	const ag_sha256_hex hash = ag_sha256(ag_id_str(&id));

	memcpy(&r->seed, hash.text, sizeof(r->seed));
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

void ag_server_rates_free(ag_server_rates *r)
{
	if (!r)
		return;
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static uint64_t key_of(const ag_server_rates *r, ag_str name)
{
	uint64_t h = r->seed ^ UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < name.len; i++) {
		h = (h ^ (unsigned char)name.ptr[i]) * UINT64_C(0x100000001b3);
		h ^= h >> 29;
	}
	return h ? h : 1;
}

/* Under the lock. The window of the key; a window that is over begins again. */
static window *window_of(ag_server_rates *r, uint64_t key, int64_t now_ms)
{
	window *set = r->at[key % NSET], *oldest = &set[0];

	for (unsigned i = 0; i < NWAY; i++) {
		if (set[i].key == key) {
			if (now_ms - set[i].began_ms >= WINDOW_MS)
				set[i] = (window){ key, now_ms, 0 };
			return &set[i];
		}
		if (!set[i].key || (oldest->key && set[i].began_ms < oldest->began_ms))
			oldest = &set[i];
	}
	*oldest = (window){ key, now_ms, 0 };
	return oldest;
}

static void add_number(ag_httpd_request *rq, ag_httpd_reply *rp, const char *name, uint64_t n)
{
	ag_httpd_add_header(rp, name, ag_str_printf(rq->arena, "%llu", (unsigned long long)n));
}

void ag_server_too_many(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        uint64_t limit, int64_t wait_ms, const char *detail)
{
	const uint64_t wait_s = (uint64_t)(wait_ms + 999) / 1000;

	ag_server_problem(rp, 429, detail, "ask again later");
	rp->retry_after_s = (unsigned)wait_s;
	add_number(rq, rp, "X-RateLimit-Limit", limit);
	add_number(rq, rp, "X-RateLimit-Remaining", 0);
	add_number(rq, rp, "X-RateLimit-Reset",
	           (uint64_t)ag_clock_wall(h->opts.clock) / 1000 + wait_s);
}

/* Questions are counted by themselves, in the store. */
static bool is_counted(const ag_httpd_request *rq)
{
	return ag_str_starts(rq->path, AG_S("/api/")) &&
	       (!ag_str_starts(rq->path, AG_S("/api/chat")) || !ag_str_eqc(rq->method, "POST"));
}

ag_str ag_server_peer(const ag_server *h, const ag_httpd_request *rq)
{
	const ag_str peer = ag_httpd_peer(rq);
	ag_str via = AG_S(""), last = AG_S("");

	if (ag_server_people_of(h) && ag_server_people_of(h)->proxy_header.len &&
	    ag_access_is_loopback(peer))
		via = ag_httpd_header_of(rq, "X-Forwarded-For");
	while (via.len)
		last = ag_str_trim(ag_str_split(&via, ','));
	return last.len && last.len <= 64 ? last : peer;
}

bool ag_server_may_ask_more(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                            const ag_caller *who)
{
	uint64_t limit, used;
	int64_t left_ms;
	window *w;
	ag_str name;

	if (!h->rates || !is_counted(rq))
		return true;
	limit = who ? ag_server_people_of(h)->user_per_minute
	            : ag_server_people_of(h)->anonymous_per_minute;
	if (!limit)
		return true;
	name = who ? ag_str_printf(rq->arena, "user:%.*s", AG_FMT(who->user))
	           : ag_str_printf(rq->arena, "from:%.*s", AG_FMT(ag_server_peer(h, rq)));
	pthread_mutex_lock(&h->rates->lock);
	w = window_of(h->rates, key_of(h->rates, name), ag_clock_mono(h->opts.clock));
	used = w->used;
	w->used += used < limit;
	left_ms = w->began_ms + WINDOW_MS - ag_clock_mono(h->opts.clock);
	pthread_mutex_unlock(&h->rates->lock);
	if (used < limit)
		return true;
	ag_server_too_many(h, rq, rp, limit, left_ms < 1 ? 1 : left_ms,
	                   who ? "too many requests in a minute"
	                       : "too many requests from this address in a minute");
	return false;
}
